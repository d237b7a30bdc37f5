//! HTTP API of exports.

use std::{fs::File, io::Write};

use poem_openapi::{Enum, OpenApi, param::Query};
use serde_json::Value;
use uuid::Uuid;

use super::cells::{Cells, Widths};
use crate::{
    access::Member,
    feature::{ExchangeOps, RecordKind},
    features::{
        files::FileStore,
        records::{KindPath, lists},
    },
    formats::{ContactCard, CsvWriter, Labelled, VcardVersion, write_card},
    kernel::{
        Code, Error, Result,
        i18n::{Locale, say},
    },
    people::{
        audit::{self, Event},
        permission::{Read, Reader},
    },
    store::{TenantRead, TenantWrite},
    wire::{Download, Reply},
};

/// Maximum records of an export.
const MAX_EXPORTED: usize = 1_000_000;

/// The format of an export.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Enum)]
#[oai(rename = "ExportFormat", rename_all = "lowercase")]
pub enum ExportFormat {
    /// CSV with a header and all fields.
    #[default]
    Csv,
    /// vCards 4.0, of people only.
    Vcard,
    /// A list of the records as the calls show them.
    Json,
}

impl ExportFormat {
    const fn media_type(self) -> &'static str {
        match self {
            Self::Csv => "text/csv",
            Self::Vcard => "text/vcard",
            Self::Json => "application/json",
        }
    }

    const fn ending(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Vcard => "vcf",
            Self::Json => "json",
        }
    }
}

/// The endpoint of exports.
pub struct Api;

#[OpenApi(prefix_path = "/exports", tag = "crate::wire::Tag::Imports")]
impl Api {
    /// Export records to a file.
    ///
    /// All customers, organizations, deals or tasks that the caller may see, or those that pass the filters, at most
    /// 1,000,000. A CSV file has all fields and custom fields, with the names of its columns in the caller's language;
    /// `createImport` reads it without loss. Pictures, comments and history are not in it. Exports are in the audit log.
    #[oai(path = "/", method = "get", operation_id = "exportRecords")]
    async fn export(
        &self,
        member: Member<Read>,
        file_store: FileStore,
        kind: Query<KindPath>,
        /// `csv` by default.
        format: Query<Option<ExportFormat>>,
        q: Query<Option<String>>,
        #[oai(default)] filter: Query<Vec<String>>,
    ) -> Reply<Download> {
        let kind = kind.0.kind();
        let format = format.0.unwrap_or_default();
        let (Some(ops), Some(bulk)) = (kind.exchange, kind.bulk) else {
            return Err(Error::field("kind", "errors.import.kind").into());
        };
        if !member.may(kind.rights.read) {
            return Err(Error::new(Code::Forbidden).into());
        }
        if format == ExportFormat::Vcard && kind.kind != "customer" {
            return Err(Error::field("format", "errors.import.cards_of_people").into());
        }
        let among = lists::narrow(&member, kind, bulk.heading, q.0).await?;
        let ids = lists::find_ids(&member, kind, &filter.0, among, MAX_EXPORTED).await?;
        let count = ids.len();
        let reader = member.reader();
        let locale = member.locale();
        let file = file_store.temporary_file()?;
        let export = Export { reader, locale, kind, ops, ids };
        let file = member.read_blocking(move |tx| export.write(tx, format, file)).await?;
        let from = member.address().to_string();
        let event = move |tx: &TenantWrite<'_>| {
            let event = Event::new("records.exported").with("kind", kind.name).with("count", count.to_string());
            audit::write(tx, event.from_address(from))
        };
        member.write(event).await?;
        let name = say(locale, &format!("server.exchange.files.{}", kind.name), &[]);
        Ok(Download { name: format!("{name}.{}", format.ending()), media_type: format.media_type(), file })
    }
}

/// The records of an export, for a reader.
struct Export {
    reader: Reader,
    locale: Locale,
    kind: &'static RecordKind,
    ops: ExchangeOps,
    ids: Vec<Uuid>,
}

impl Export {
    /// Writes the records to a file, and returns it at its beginning.
    fn write(self, tx: &TenantRead<'_>, format: ExportFormat, file: File) -> Result<File> {
        let mut writer = std::io::BufWriter::new(file);
        match format {
            ExportFormat::Csv => self.write_csv(tx, &mut writer)?,
            ExportFormat::Vcard => self
                .each(tx, |record| write_card(&mut writer, &card(record), VcardVersion::V4).map_err(Error::internal))?,
            ExportFormat::Json => {
                let mut between = "[";
                self.each(tx, |record| {
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
    fn each(&self, tx: &TenantRead<'_>, mut visit: impl FnMut(&Value) -> Result<()>) -> Result<()> {
        for id in &self.ids {
            match (self.ops.shown)(tx, self.reader, *id) {
                Ok(Some((_, record))) => visit(&record)?,
                Ok(None) => {}
                Err(error) if error.is_damage() => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn write_csv(&self, tx: &TenantRead<'_>, writer: &mut impl Write) -> Result<()> {
        let mut widths = Widths::default();
        self.each(tx, |record| {
            widths.note(&self.ops, record);
            Ok(())
        })?;
        let cells = Cells::new(tx, self.reader, self.locale, (self.kind, &self.ops), &widths)?;
        let mut csv = CsvWriter::new(writer, true).map_err(Error::internal)?;
        csv.write_row(&cells.header()).map_err(Error::internal)?;
        self.each(tx, |record| csv.write_row(&cells.row(record)?).map_err(Error::internal))?;
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
