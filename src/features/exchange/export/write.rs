//! Writes records to a file.

use std::{fs::File, io::Write};

use poem_openapi::Enum;
use serde_json::Value;
use uuid::Uuid;

use super::cells::{Audience, Cells, Widths};
use crate::{
    feature::{ColumnInfo, ExchangeOps, RecordKind},
    features::{
        exchange::PEOPLE,
        records::{
            fields::ShownValues,
            lists::{MAX_COLUMNS, check_columns},
        },
    },
    formats::{ContactCard, CsvWriter, Delimiter, Labelled, VcardVersion, write_card},
    kernel::{
        Error, Result,
        error::Faults,
        html,
        i18n::Locale,
        progress::{Progress, Unit},
    },
    store::TenantRead,
};

/// Maximum records of an export.
pub const MAX_EXPORTED: usize = 1_000_000;

/// The format of an export.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Enum)]
#[oai(rename = "ExportFormat", rename_all = "lowercase")]
pub enum ExportFormat {
    /// CSV with a header: all fields, or the chosen columns.
    #[default]
    Csv,
    /// vCards 4.0, of people only.
    Vcard,
    /// vCards 3.0, of people only: Outlook and older phones read no others.
    Vcard3,
    /// A list of the records as the calls show them.
    Json,
}

impl ExportFormat {
    /// Rejects vCards of other records than people.
    /// Errors: `invalid` at `format`.
    pub fn ensure_fits(self, kind: &RecordKind) -> Result<()> {
        if self.card_version().is_some() && kind.kind != PEOPLE {
            return Err(Error::field("format", "errors.import.cards_of_people"));
        }
        Ok(())
    }

    /// The version of cards.
    const fn card_version(self) -> Option<VcardVersion> {
        match self {
            Self::Vcard => Some(VcardVersion::V4),
            Self::Vcard3 => Some(VcardVersion::V3),
            Self::Csv | Self::Json => None,
        }
    }

    /// Returns the delimiter of a CSV file, which other formats do not have.
    /// Errors: `invalid` at `delimiter`.
    pub fn read_delimiter(self, asked: Option<Delimiter>) -> Result<Delimiter> {
        match asked {
            Some(_) if self != Self::Csv => Err(Error::field("delimiter", "errors.import.delimiter_of_csv")),
            asked => Ok(asked.unwrap_or_default()),
        }
    }

    /// The media type of the file.
    pub const fn media_type(self) -> &'static str {
        match self {
            Self::Csv => "text/csv",
            Self::Vcard | Self::Vcard3 => "text/vcard",
            Self::Json => "application/json",
        }
    }

    /// The ending of the name of the file.
    pub const fn ending(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Vcard | Self::Vcard3 => "vcf",
            Self::Json => "json",
        }
    }
}

/// The records of an export, for a reader.
#[derive(Debug)]
pub struct Export {
    /// For whom it is.
    pub audience: Audience,
    /// Their kind.
    pub kind: &'static RecordKind,
    /// How the kind is exported.
    pub ops: ExchangeOps,
    /// The records in their order.
    pub ids: Vec<Uuid>,
    /// The columns of the list of the kind that a CSV file has; none for all fields.
    pub columns: Option<Vec<ColumnInfo>>,
    /// The character between the cells of a CSV file.
    pub delimiter: Delimiter,
    /// How far it is.
    pub progress: Progress,
}

/// Returns the columns of an export by their names.
/// Errors: `invalid` at `columns`, or at one of them.
pub fn read_columns(
    tx: &TenantRead<'_>,
    kind: &RecordKind,
    locale: Locale,
    names: &[String],
    format: ExportFormat,
) -> Result<Option<Vec<ColumnInfo>>> {
    if names.is_empty() {
        return Ok(None);
    }
    let mut faults = Faults::default();
    if format != ExportFormat::Csv {
        faults.add("columns", "errors.import.columns_of_csv");
    }
    let known = (kind.columns)(tx, locale)?;
    if faults.few("columns", names.len(), MAX_COLUMNS) {
        check_columns(names, &known, &mut faults);
    }
    faults.into_result()?;
    let find = |name: &String| known.iter().find(|column| column.name == *name).cloned();
    Ok(Some(names.iter().filter_map(find).collect()))
}

/// The step of an export that writes.
const EXPORTING: &str = "Exporting records";

impl Export {
    /// Writes the records to a file, and returns it at its beginning.
    pub fn write(self, tx: &TenantRead<'_>, format: ExportFormat, file: File) -> Result<File> {
        let mut writer = std::io::BufWriter::new(file);
        match format {
            ExportFormat::Csv => self.write_csv(tx, &mut writer)?,
            ExportFormat::Vcard | ExportFormat::Vcard3 => {
                let version = format.card_version().unwrap_or_default();
                self.each(tx, EXPORTING, |record| {
                    write_card(&mut writer, &card(record, self.audience.locale), version).map_err(Error::internal)
                })?;
            }
            ExportFormat::Json => {
                let mut between = "[";
                self.each(tx, EXPORTING, |record| {
                    let line = serde_json::to_string(record).map_err(Error::internal)?;
                    write!(writer, "{between}\n{line}").map_err(Error::internal)?;
                    between = ",";
                    Ok(())
                })?;
                writer.write_all(if between == "[" { b"[]\n" } else { b"\n]\n" }).map_err(Error::internal)?;
            }
        }
        let mut file = writer.into_inner().map_err(Error::internal)?;
        std::io::Seek::rewind(&mut file).map_err(Error::internal)?;
        Ok(file)
    }

    /// Visits the records that are still there, as calls show them.
    fn each(&self, tx: &TenantRead<'_>, step: &str, mut visit: impl FnMut(&Value) -> Result<()>) -> Result<()> {
        self.progress.start(step, Unit::Items, Some(self.ids.len() as u64));
        let mut shown = ShownValues::of(tx, self.kind.kind, Some(self.audience.reader))?;
        for id in &self.ids {
            self.progress.add(1);
            match (self.ops.shown)(tx, self.audience.reader, *id) {
                Ok(Some((_, mut record))) => {
                    shown.hide_in(tx, &mut record)?;
                    visit(&record)?;
                }
                Ok(None) => {}
                Err(error) if error.is_damage() => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn write_csv(&self, tx: &TenantRead<'_>, writer: &mut impl Write) -> Result<()> {
        let of = (self.kind, &self.ops);
        let cells = if let Some(columns) = &self.columns {
            Cells::of_list(tx, &self.audience, of, columns)?
        } else {
            let mut widths = Widths::default();
            self.each(tx, "Reading records", |record| {
                widths.note(&self.ops, record);
                Ok(())
            })?;
            Cells::of_fields(tx, &self.audience, of, &widths)?
        };
        let mut csv = CsvWriter::new(writer, self.delimiter, true).map_err(Error::internal)?;
        csv.write_row(&cells.header()).map_err(Error::internal)?;
        self.each(tx, EXPORTING, |record| csv.write_row(&cells.row(record)?).map_err(Error::internal))?;
        csv.flush().map_err(Error::internal)
    }
}

/// Words before a family name that belong to it.
const PARTICLES: [&str; 18] = [
    "al", "ben", "bin", "da", "de", "del", "della", "den", "der", "di", "do", "dos", "du", "la", "le", "van", "von",
    "zu",
];

/// Divides a name into the names that were given and those of the family: the last word, with the particles before it, or
/// two of three or more in Spanish. One word alone was given.
fn parts_of_name(name: &str, locale: Locale) -> (String, String) {
    let words: Vec<&str> = name.split_whitespace().collect();
    let families = if locale.language() == "es" && words.len() > 2 { 2 } else { 1 };
    let mut at = words.len().saturating_sub(families).max(1);
    while at > 1 && PARTICLES.contains(&words[at - 1].to_lowercase().as_str()) {
        at -= 1;
    }
    let (given, family) = words.split_at(at.min(words.len()));
    (given.join(" "), family.join(" "))
}

/// Maximum bytes of the texts of a card that are written both as its note and apart, so that the card can be read again.
const MAX_TEXTS_APART: usize = 160 * 1024;

/// Returns the note of a card: who the person is, and the notes about them as lines.
pub fn note_of(about: &str, notes: &str) -> String {
    let texts = [about.to_owned(), html::lines(notes)];
    texts.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n\n")
}

/// Returns the notes of a card's note: what follows on who the person is. None if the note does not begin with that.
pub fn notes_after<'n>(note: &'n str, about: &str) -> Option<&'n str> {
    let rest = note.strip_prefix(about).filter(|_| !about.is_empty())?;
    (rest.is_empty() || rest.starts_with('\n')).then(|| rest.trim())
}

/// Returns a person as a card, with the name divided as is usual in a language.
fn card(record: &Value, locale: Locale) -> ContactCard {
    let details = record.get("details").cloned().unwrap_or_default();
    let text = |value: &Value, name: &str| value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let list = |name: &str| details.get(name).and_then(Value::as_array).cloned().unwrap_or_default();
    let labelled = |all: Vec<Value>, names: [&str; 2]| {
        let value = |one: &Value| names.iter().map(|name| text(one, name)).find(|value| !value.is_empty());
        let entry = |one: Value| Some(Labelled { value: value(&one)?, label: text(&one, "label") });
        all.into_iter().filter_map(entry).collect()
    };
    let address = Labelled { value: text(&details, "address"), label: String::new() };
    let links = record.get("attachments").and_then(|all| all.get("links")).and_then(Value::as_array);
    let tags = record.get("tags").and_then(Value::as_array);
    let full_name = text(record, "name");
    let (given, family) = parts_of_name(&full_name, locale);
    let (about, rich_note) = (text(record, "about"), text(record, "notes"));
    let note = note_of(&about, &rich_note);
    let is_apart = note.len() + about.len() + rich_note.len() <= MAX_TEXTS_APART;
    let apart = |text: String| if is_apart { text } else { String::new() };
    ContactCard {
        uid: format!("urn:uuid:{}", text(record, "id")),
        full_name,
        given,
        family,
        emails: labelled(list("emails"), ["email", "email"]),
        phones: labelled(list("phoneNumbers"), ["international", "phoneNumber"]),
        organization: text(&details, "company"),
        title: text(&details, "title"),
        birthday: text(&details, "birthday").parse().ok(),
        addresses: Some(address).filter(|address| !address.value.is_empty()).into_iter().collect(),
        urls: links.into_iter().flatten().map(|link| text(link, "url")).collect(),
        note,
        about: apart(about),
        rich_note: apart(rich_note),
        categories: tags.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect(),
        ..ContactCard::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_stand_after_who_the_person_is() {
        for (note, about, notes) in [
            ("Speaks Basque\n\nCall", "Speaks Basque", Some("Call")),
            ("Speaks Basque", "Speaks Basque", Some("")),
            ("Speaks Basque\n Call \n", "Speaks Basque", Some("Call")),
            ("Speaks Basque well", "Speaks Basque", None),
            ("Call", "Speaks Basque", None),
            ("Call", "", None),
            ("", "", None),
        ] {
            assert_eq!(notes_after(note, about), notes, "{note}");
        }
    }

    #[test]
    fn names_are_divided_as_is_usual() {
        for (name, locale, given, family) in [
            ("Ana López", Locale::EN, "Ana", "López"),
            ("Mary Jane Watson", Locale::EN, "Mary Jane", "Watson"),
            ("Ana López Núñez", Locale::ES, "Ana", "López Núñez"),
            ("María José de la Fuente Ruiz", Locale::ES, "María José", "de la Fuente Ruiz"),
            ("Ludwig van Beethoven", Locale::EN, "Ludwig", "van Beethoven"),
            ("Van Morrison", Locale::EN, "Van", "Morrison"),
            ("De la Cruz", Locale::ES, "De", "la Cruz"),
            ("Cher", Locale::EN, "Cher", ""),
            (" ", Locale::EN, "", ""),
        ] {
            let (one, other) = parts_of_name(name, locale);
            assert_eq!((one.as_str(), other.as_str()), (given, family), "{name}");
        }
    }
}
