//! HTTP API of the statuses of customers.

use poem_openapi::{Object, OpenApi};
use serde::Serialize;
use serde_with::skip_serializing_none;

use super::{
    model::{Status, Statuses},
    rules::{self, StatusDraft, StatusesChange},
};
use crate::{
    access::Member,
    feature::Color,
    features::customers::model::status_figure,
    kernel::{Result, i18n::Locale},
    people::permission::{CustomersRead, SettingsCompany},
    store::{Stored, TenantRead, TenantWrite},
    wire::{IfMatch, Json, Reply, Versioned},
};

/// The statuses of the company's customers.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "CustomerStatuses")]
struct View {
    /// 1 before the first change.
    version: u64,
    /// In their order, the first one is that of new customers. At the end those that were removed while customers had
    /// them, until all these have another one.
    statuses: Vec<StatusView>,
}

/// A status of customers.
#[skip_serializing_none]
#[derive(Debug, Serialize, Object)]
#[oai(rename = "CustomerStatus", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
struct StatusView {
    id: String,
    /// The name, in the language of the reader unless the company gave it one.
    name: String,
    color: Color,
    /// How many customers have it.
    customers: i64,
    /// After how many months without contact or change its customers are moved to the bin, in which they are erased after
    /// 30 days. Absent: they are kept.
    retention_months: Option<u16>,
    /// Only of a removed one, which can no longer be chosen: the id of the status that its customers get.
    replaced_by: Option<String>,
}

impl View {
    fn of(tx: &TenantRead<'_>, stored: Option<Stored<Statuses>>, locale: Locale) -> Result<Self> {
        let version = Statuses::version(stored.as_ref());
        let register = stored.map(|stored| stored.value).unwrap_or_default();
        let view = |status: &Status, replaced_by: Option<&String>| {
            Ok(StatusView {
                id: status.id.clone(),
                name: status.name_in(locale),
                color: status.color,
                customers: tx.counter(&status_figure(&status.id))?,
                retention_months: status.retention_months,
                replaced_by: replaced_by.cloned(),
            })
        };
        let offered = register.statuses.iter().map(|status| view(status, None));
        let replaced = register.being_replaced().map(|removed| view(&removed.status, Some(&removed.replaced_by)));
        Ok(Self { version, statuses: offered.chain(replaced).collect::<Result<_>>()? })
    }

    fn response(self) -> Versioned<Self> {
        let version = self.version;
        Versioned(self, version)
    }
}

/// A status in a request.
#[derive(Object)]
#[oai(rename = "CustomerStatusInput", rename_all = "camelCase", deny_unknown_fields)]
struct StatusInput {
    /// The id of a status that is there; absent for a new one.
    id: Option<String>,
    /// The name, at most 60 characters.
    name: String,
    color: Color,
    /// After how many months without contact or change its customers are moved to the bin, in which they are erased after
    /// 30 days: 1 to 240. Absent: they are kept.
    retention_months: Option<u16>,
}

/// Which status takes the place of a removed one.
#[derive(Object)]
#[oai(rename = "CustomerStatusMove", deny_unknown_fields)]
struct StatusMove {
    /// The id of the removed status.
    from: String,
    /// The id of the status that its customers get. It is not a new one.
    to: String,
}

/// A change of the statuses.
#[derive(Object)]
#[oai(rename = "CustomerStatusesPatch", deny_unknown_fields)]
struct Patch {
    /// All statuses in their order, 1 to 20. Those that are missing are removed.
    statuses: Vec<StatusInput>,
    /// The statuses that take the place of removed ones.
    #[oai(default)]
    moves: Vec<StatusMove>,
}

impl From<Patch> for StatusesChange {
    fn from(Patch { statuses, moves }: Patch) -> Self {
        let draft =
            |StatusInput { id, name, color, retention_months }| StatusDraft { id, name, color, retention_months };
        Self {
            statuses: statuses.into_iter().map(draft).collect(),
            moves: moves.into_iter().map(|StatusMove { from, to }| (from, to)).collect(),
        }
    }
}

/// The endpoints of the statuses.
pub struct Api;

#[OpenApi(prefix_path = "/customers/statuses", tag = "crate::wire::Tag::Customers")]
impl Api {
    /// Get the statuses of customers.
    #[oai(path = "/", method = "get", operation_id = "getCustomerStatuses")]
    async fn get(&self, member: Member<CustomersRead>) -> Reply<Versioned<View>> {
        let view = member.read(|tx| View::of(tx, Statuses::stored(tx)?, member.locale()))?;
        Ok(view.response())
    }

    /// Change the statuses of customers.
    ///
    /// The customers of a removed status get the one that `moves` names, in the background; without one, a status that has
    /// customers cannot be removed. Changed retentions are in the audit log; a daily job applies them.
    #[oai(path = "/", method = "patch", operation_id = "changeCustomerStatuses")]
    async fn change(
        &self,
        member: Member<SettingsCompany>,
        #[oai(name = "If-Match")] if_match: IfMatch,
        body: Json<Patch>,
    ) -> Reply<Versioned<View>> {
        let change = StatusesChange::from(body.0);
        let locale = member.locale();
        let by = (locale, member.address());
        let work = move |tx: &TenantWrite<'_>| {
            let stored = rules::change(tx, if_match.0, by, change)?;
            View::of(tx, Some(stored), locale)
        };
        let view: Result<View> = member.write(work).await;
        Ok(view?.response())
    }
}
