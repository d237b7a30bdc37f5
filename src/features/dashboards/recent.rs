//! What happened lately to the company's records, from the ledger. What is one's own is nobody else's
//! affair and does not show; neither do drafts, which have no title there.

use std::collections::HashMap;

use poem_openapi::Enum;
use serde::Serialize;

use crate::{
    access::members::MemberRecord,
    features::tasks::Task,
    kernel::{Id, Result, Timestamp},
    store::{Actor, Change, Op, Stored, TenantRead},
};

/// Changes that are shown.
const SHOWN: usize = 12;
/// What members change of themselves without its being news.
const OWN_AFFAIRS: [&str; 5] = ["status", "locale", "layout", "scheme", "timezone"];

/// What a change was made to.
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

    /// Where a record of the kind is shown.
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

/// What was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Enum)]
#[oai(rename = "ActivityOp", rename_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub enum Done {
    /// It was made.
    Created,
    /// It was changed.
    Updated,
    /// The task was done.
    Completed,
    /// It was removed.
    Removed,
}

/// A change to a record of the company's.
#[derive(Debug)]
pub struct Recent {
    /// Its place in the ledger.
    pub seq: u64,
    /// When.
    pub at: Timestamp,
    /// Who did it.
    pub actor: Actor,
    /// Their record; none for who has gone, and for who is no member.
    pub member: Option<Stored<MemberRecord>>,
    /// What it was done to.
    pub kind: Kind,
    /// The record.
    pub record: String,
    /// Its title then.
    pub title: String,
    /// What was done.
    pub done: Done,
    /// Where it is shown; none when it was removed.
    pub link: Option<String>,
}

/// The latest changes, the newest first.
///
/// # Errors
/// `busy` or `internal` when they cannot be read.
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
            Some(id) => tx.find::<MemberRecord>(id.cast())?,
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

/// Whether a change made a task completed. The ledger says that `completed` changed, not to what: it is what
/// the task says now for the last such change, and the opposite for each one before.
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
