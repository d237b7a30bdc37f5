//! Recent changes to the tenant's records, from the change feed (ledger). Changes to personal records are left out, as
//! are drafts, which have no title in the feed.

use std::collections::HashMap;

use poem_openapi::Enum;
use serde::Serialize;

use crate::{
    features::tasks::Task,
    kernel::{Id, Result, Timestamp},
    people::members::MemberRecord,
    store::{Actor, Change, Op, Stored, TenantRead},
};

/// Maximum number of changes shown.
const SHOWN: usize = 12;
/// Member fields whose changes are not shown, such as personal preferences.
const OWN_AFFAIRS: [&str; 5] = ["status", "locale", "layout", "scheme", "timezone"];

/// The kind of record that was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Enum)]
#[oai(rename = "ActivityKind", rename_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A task.
    Task,
    /// A customer.
    Customer,
    /// An event.
    Event,
    /// A page.
    Page,
    /// A member.
    Member,
}

impl Kind {
    fn of(change: &Change) -> Option<Self> {
        Some(match change.kind.as_str() {
            "task" => Self::Task,
            "customer" => Self::Customer,
            "event" => Self::Event,
            "page" => Self::Page,
            "member" => Self::Member,
            _ => return None,
        })
    }

    /// Returns the path at which the user interface shows a record of the kind.
    fn link(self, id: &str) -> String {
        match self {
            Self::Task => format!("/tasks/{id}"),
            Self::Customer => format!("/customers/{id}"),
            Self::Event => format!("/events/{id}"),
            Self::Page => format!("/pages/{id}"),
            Self::Member => "/team/list".to_owned(),
        }
    }
}

/// What was done to the record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Enum)]
#[oai(rename = "ActivityOp", rename_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub enum Done {
    /// The record was created.
    Created,
    /// The record was changed.
    Updated,
    /// The task was completed.
    Completed,
    /// The record was removed.
    Removed,
}

/// A change to a record of the tenant.
#[derive(Debug)]
pub struct Recent {
    /// Its sequence number in the change feed.
    pub seq: u64,
    /// The time of the change.
    pub at: Timestamp,
    /// The actor.
    pub actor: Actor,
    /// The actor's member record; `None` for former members and for actors that are no members.
    pub member: Option<Stored<MemberRecord>>,
    /// The kind of the record.
    pub kind: Kind,
    /// The record's id.
    pub record: String,
    /// The record's title at the time of the change.
    pub title: String,
    /// What was done.
    pub done: Done,
    /// Where the record is shown; `None` when it was removed.
    pub link: Option<String>,
}

/// Returns the latest changes, newest first.
pub fn recent(tx: &TenantRead<'_>) -> Result<Vec<Recent>> {
    let changes = tx.changes_before(u64::MAX, SHOWN, is_news)?;
    let mut completed: HashMap<[u8; 16], bool> = HashMap::new();
    let mut found = Vec::with_capacity(changes.len());
    for change in changes {
        let (Some(kind), Some(title)) = (Kind::of(&change), change.title.clone()) else { continue };
        let done = match change.op {
            Op::Created => Done::Created,
            Op::Removed => Done::Removed,
            Op::Updated if turned_completed(tx, &change, &mut completed)? => Done::Completed,
            Op::Updated => Done::Updated,
        };
        let record = Id::<Task>::from_bytes(change.id).to_string();
        let member = match change.actor.member() {
            Some(id) => tx.find::<MemberRecord>(id)?,
            None => None,
        };
        let link = (done != Done::Removed).then(|| kind.link(&record));
        found.push(Recent {
            seq: change.seq,
            at: change.at,
            actor: change.actor,
            member,
            kind,
            record,
            title,
            done,
            link,
        });
    }
    Ok(found)
}

fn is_news(change: &Change) -> bool {
    let own_affair = change.kind == "member"
        && change.op == Op::Updated
        && change.fields.iter().all(|field| OWN_AFFAIRS.contains(&field.as_str()));
    change.person.is_none() && Kind::of(change).is_some() && change.title.is_some() && !own_affair
}

/// Whether a change completed a task. The change feed has only that `completed` changed, not its value: for the latest
/// such change it is the task's current value, and for each earlier one the opposite of the next.
fn turned_completed(tx: &TenantRead<'_>, change: &Change, completed: &mut HashMap<[u8; 16], bool>) -> Result<bool> {
    if change.kind != "task" || !change.fields.iter().any(|field| field == "completed") {
        return Ok(false);
    }
    let turned = match completed.get(&change.id) {
        Some(later) => !later,
        None => tx.find::<Task>(Id::from_bytes(change.id))?.is_some_and(|task| task.completed),
    };
    completed.insert(change.id, turned);
    Ok(turned)
}
