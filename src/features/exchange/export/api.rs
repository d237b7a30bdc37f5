//! HTTP API of exports.

use poem_openapi::{OpenApi, param::Query};

use super::{
    cells::Audience,
    write::{Export, ExportFormat, MAX_EXPORTED, read_columns},
};
use crate::{
    access::Member,
    feature::RecordKind,
    features::{
        files::FileStore,
        records::{
            KindPath,
            lists::{self, IdList},
        },
    },
    formats::Delimiter,
    kernel::{
        Code, Day, Error,
        i18n::{Locale, say},
        progress::Progress,
        text,
    },
    people::{
        audit::{self, Event},
        permission::Read,
    },
    store::TenantWrite,
    wire::{Download, Reply},
};

/// Maximum characters of the name of the company in the name of a file.
const MAX_COMPANY_CHARS: usize = 60;

/// Returns the name of a file without its ending: the kind in a language, the company and the day.
fn file_name(locale: Locale, kind: &RecordKind, company: &str, day: Day) -> String {
    let kind = say(locale, &format!("server.exchange.files.{}", kind.name), &[]);
    // Characters that names of files cannot have on some systems.
    let is_allowed = |c: &char| !c.is_control() && !"/\\:*?\"<>|".contains(*c);
    let company: String = text::line(company).chars().filter(is_allowed).take(MAX_COMPANY_CHARS).collect();
    let words = [kind.as_str(), &company, &day.to_string()].join(" ");
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The endpoint of exports.
pub struct Api;

#[OpenApi(prefix_path = "/exports", tag = "crate::wire::Tag::Imports")]
impl Api {
    /// Export records to a file.
    ///
    /// All customers, organizations, deals or tasks that the caller may see, or those that pass the filters, at most
    /// 1,000,000, in the order of `sort`, or of their creation. A CSV file has all fields and custom fields, with the names
    /// of its columns in the caller's language; `createImport` reads it without loss. With `columns` it has only these
    /// columns of the list, written to be read by people: names of members and records, moments in the caller's time zone.
    /// Pictures, comments and history are not in files. The name of the file has the kind, the company and the day. Exports
    /// are in the audit log.
    #[expect(clippy::too_many_arguments, reason = "each is a parameter of the call")]
    #[oai(path = "/", method = "get", operation_id = "exportRecords")]
    async fn export(
        &self,
        member: Member<Read>,
        file_store: FileStore,
        kind: Query<KindPath>,
        /// `csv` by default.
        format: Query<Option<ExportFormat>>,
        /// The character between the cells of a CSV file, `comma` by default. Numbers have a decimal point with each.
        delimiter: Query<Option<Delimiter>>,
        q: Query<Option<String>>,
        #[oai(default)] filter: Query<Vec<String>>,
        sort: Query<Option<String>>,
        /// The columns of a CSV file in their order, at most 100: all fields by default. `getSchema` names the columns.
        #[oai(default)]
        columns: Query<Vec<String>>,
    ) -> Reply<Download> {
        let kind = kind.0.kind();
        let format = format.0.unwrap_or_default();
        let (Some(ops), Some(bulk)) = (kind.exchange, kind.bulk) else {
            return Err(Error::field("kind", "errors.import.kind").into());
        };
        if !member.may(kind.rights.read) {
            return Err(Error::new(Code::Forbidden).into());
        }
        format.ensure_fits(kind)?;
        let delimiter = format.read_delimiter(delimiter.0)?;
        let locale = member.locale();
        let columns = member.read(|tx| read_columns(tx, kind, locale, &columns.0, format))?;
        let words = lists::words(bulk.heading, q.0);
        let list = IdList { filters: &filter.0, sort: sort.0.as_deref(), words, max: MAX_EXPORTED };
        let ids = lists::find_ids(&member, kind, list).await?;
        let count = ids.len();
        let audience = Audience { reader: member.reader(), locale, timezone: member.timezone().to_owned() };
        let file = file_store.temporary_file()?;
        let export = Export { audience, kind, ops, ids, columns, delimiter, progress: Progress::default() };
        let file = member.read_blocking(move |tx| export.write(tx, format, file)).await?;
        let from = member.address().to_string();
        let event = move |tx: &TenantWrite<'_>| {
            let event = Event::new("records.exported").with("kind", kind.name).with("count", count.to_string());
            audit::write(tx, event.from_address(from))
        };
        member.write(event).await?;
        let day = member.now().day_in(member.timezone());
        let name = file_name(locale, kind, &member.company().name, day);
        Ok(Download { name: format!("{name}.{}", format.ending()), media_type: format.media_type(), file })
    }
}
