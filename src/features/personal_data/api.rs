//! HTTP API of personal data.

use poem_openapi::{
    Object, OpenApi,
    param::{Path, Query},
};
use serde::Serialize;

use super::{
    erasure,
    export::PersonExport,
    retention::{self, DuePeople},
};
use crate::{
    access::Member,
    features::{customers::Customer, files::FileStore},
    kernel::{Id, i18n::say},
    people::{
        audit::{self, Event},
        permission::{AuditRead, BinEmpty, SettingsCompany},
    },
    store::{TenantRead, TenantWrite},
    wire::{Download, Json, JsonDownload, JsonResponse, NoContent, Reply},
};

/// Confirms who is erased.
#[derive(Object)]
#[oai(rename = "ErasePerson", deny_unknown_fields)]
struct Confirmation {
    /// The name of the person, in upper or lower case.
    name: String,
}

/// How many people a retention concerns now.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "RetentionPreview", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
struct Preview {
    /// How many people the next run moves to the bin.
    people: u32,
    /// Whether there may be more: 20,000 people are looked at, those with the oldest changes.
    has_more: bool,
}

/// The endpoints of personal data.
pub struct Api;

#[OpenApi(prefix_path = "/customers", tag = "crate::wire::Tag::Customers")]
impl Api {
    /// Export everything about one person.
    ///
    /// A JSON file with the record, the names of its status and custom fields, the addresses of its files, the records
    /// that refer to it or are linked to it, its timeline with all changes, activities and comments, and the entries of
    /// the audit log about it. Chat messages are those of the caller's chats. The export is in the audit log.
    #[oai(path = "/:id/personal-data", method = "get", operation_id = "exportPersonalData")]
    async fn export(
        &self,
        member: Member<AuditRead>,
        file_store: FileStore,
        id: Path<Id<Customer>>,
    ) -> Reply<JsonDownload> {
        let locale = member.locale();
        let export = PersonExport { reader: member.reader(), locale, id: id.0 };
        let file = file_store.temporary_file()?;
        let (file, name) = member.read_blocking(move |tx| export.write(tx, file)).await?;
        let from = member.address().to_string();
        let event = move |tx: &TenantWrite<'_>| {
            let person = tx.get::<Customer>(id.0)?;
            audit::write(tx, Event::new("person.exported").about(&person, &person.name).from_address(from))
        };
        member.write(event).await?;
        let name = say(locale, "server.personal_data.file", &[("name", name)]);
        Ok(JsonDownload(Download { name: format!("{name}.json"), media_type: "application/json", file }))
    }

    /// Count the people whom a retention concerns.
    ///
    /// How many people with a status had neither contact nor change for more than `months` months, by the days of the
    /// company's time zone. A retention is set by `changeCustomerStatuses`.
    #[oai(path = "/retention", method = "get", operation_id = "previewRetention")]
    async fn preview(
        &self,
        member: Member<SettingsCompany>,
        /// The id of a status.
        status: Query<String>,
        /// After how many months without contact or change: 1 to 240.
        months: Query<u16>,
    ) -> Reply<JsonResponse<Preview>> {
        let now = member.now();
        let count = move |tx: &TenantRead<'_>| retention::count_due(tx, now, &status.0, months.0);
        let DuePeople { people, has_more } = member.read_blocking(count).await?;
        Ok(JsonResponse(Preview { people, has_more }))
    }

    /// Erase a person.
    ///
    /// Removes the record for good, also from the bin, with its history, comments, files and links, the activities that
    /// concern no other record, and the notifications about it; other records no longer refer to it. In the audit log and
    /// in recent activity, `[erased person]` stands in place of the name. The record is gone at once, the rest within
    /// minutes, in the background. It cannot be undone; backups keep the data until they are removed.
    #[oai(path = "/:id/erasure", method = "post", operation_id = "erasePerson")]
    async fn erase(
        &self,
        member: Member<BinEmpty>,
        id: Path<Id<Customer>>,
        body: Json<Confirmation>,
    ) -> Reply<NoContent> {
        let from = member.address();
        let name = body.0.name;
        member.write(move |tx| erasure::begin_confirmed(tx, id.0, &name, from)).await?;
        Ok(NoContent)
    }
}
