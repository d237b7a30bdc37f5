//! HTTP API of exports.

use poem_openapi::{OpenApi, param::Query};

use super::write::{Export, ExportFormat, MAX_EXPORTED};
use crate::{
    access::Member,
    features::{
        files::FileStore,
        records::{KindPath, lists},
    },
    kernel::{Code, Error, i18n::say},
    people::{
        audit::{self, Event},
        permission::Read,
    },
    store::TenantWrite,
    wire::{Download, Reply},
};

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
        format.ensure_fits(kind)?;
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
