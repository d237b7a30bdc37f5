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
        records::lists::{MAX_COLUMNS, check_columns},
    },
    formats::{ContactCard, CsvWriter, Delimiter, Labelled, VcardVersion, write_card},
    kernel::{
        Error, Result,
        error::Faults,
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
    /// A list of the records as the calls show them.
    Json,
}

impl ExportFormat {
    /// Rejects vCards of other records than people.
    /// Errors: `invalid` at `format`.
    pub fn ensure_fits(self, kind: &RecordKind) -> Result<()> {
        if self == Self::Vcard && kind.kind != PEOPLE {
            return Err(Error::field("format", "errors.import.cards_of_people"));
        }
        Ok(())
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
            Self::Vcard => "text/vcard",
            Self::Json => "application/json",
        }
    }

    /// The ending of the name of the file.
    pub const fn ending(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Vcard => "vcf",
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
            ExportFormat::Vcard => self.each(tx, EXPORTING, |record| {
                write_card(&mut writer, &card(record), VcardVersion::V4).map_err(Error::internal)
            })?,
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
        for id in &self.ids {
            self.progress.add(1);
            match (self.ops.shown)(tx, self.audience.reader, *id) {
                Ok(Some((_, record))) => visit(&record)?,
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

/// Returns a person as a card.
fn card(record: &Value) -> ContactCard {
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
    ContactCard {
        uid: format!("urn:uuid:{}", text(record, "id")),
        full_name: text(record, "name"),
        emails: labelled(list("emails"), ["email", "email"]),
        phones: labelled(list("phoneNumbers"), ["international", "phoneNumber"]),
        organization: text(&details, "company"),
        title: text(&details, "title"),
        birthday: text(&details, "birthday").parse().ok(),
        addresses: Some(address).filter(|address| !address.value.is_empty()).into_iter().collect(),
        urls: links.into_iter().flatten().map(|link| text(link, "url")).collect(),
        note: record.get("notes").and_then(Value::as_str).map(crate::kernel::html::plain).unwrap_or_default(),
        categories: tags.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect(),
        ..ContactCard::default()
    }
}
