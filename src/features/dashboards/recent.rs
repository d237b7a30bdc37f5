//! Recent changes to the tenant's records, from the change feed (ledger). Changes to personal records are left out, and
//! those of records that not all members may read, which have no title in the feed. Earlier changes of such a record
//! are shown to its readers only.

use std::collections::{HashMap, hash_map::Entry};

use poem_openapi::Enum;
use serde::Serialize;
use uuid::Uuid;

use crate::{
    features::{find_kind, records::KindName},
    kernel::{MemberId, Result, Timestamp},
    people::{members::MemberRecord, permission::Reader},
    store::{Actor, Change, Op, Stored, TenantRead},
};

/// Maximum number of changes shown.
const SHOWN: usize = 12;
/// What was done to the record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Enum)]
#[oai(rename = "RecentChangeOp", rename_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub enum Done {
    /// The record was created.
    Created,
    /// The record was changed.
    Updated,
    /// The record was completed, such as a task.
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
    pub kind: KindName,
    /// The record's id.
    pub record: Uuid,
    /// The record's title at the time of the change.
    pub title: String,
    /// What was done.
    pub done: Done,
    /// Where the record is shown; `None` when it was removed.
    pub link: Option<String>,
}

/// Returns the latest changes of records that the reader may know of, newest first.
pub fn recent(tx: &TenantRead<'_>, reader: Reader) -> Result<Vec<Recent>> {
    let mut known: HashMap<[u8; 16], bool> = HashMap::new();
    let changes = tx.changes_before(u64::MAX, SHOWN, |change| {
        is_news(change) && *known.entry(change.id).or_insert_with(|| may_know_of(tx, reader, change))
    })?;
    let mut completed: HashMap<[u8; 16], bool> = HashMap::new();
    // Few members make the latest changes: each is read once.
    let mut members: HashMap<MemberId, Option<Stored<MemberRecord>>> = HashMap::new();
    let mut found = Vec::with_capacity(changes.len());
    for change in changes {
        let (Some(kind), Some(title)) = (KindName::find(&change.kind), change.title.clone()) else { continue };
        let done = match change.op {
            Op::Created => Done::Created,
            Op::Removed => Done::Removed,
            Op::Updated if turned_completed(tx, kind, &change, &mut completed)? => Done::Completed,
            Op::Updated => Done::Updated,
        };
        let record = Uuid::from_bytes(change.id);
        let member = match change.actor.member() {
            Some(id) => match members.entry(id) {
                Entry::Occupied(known) => known.get().clone(),
                Entry::Vacant(unknown) => unknown.insert(tx.find(id)?).clone(),
            },
            None => None,
        };
        let link = (done != Done::Removed).then(|| kind.kind().link(record));
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

/// Whether the reader may know of the record of a change; false when the record cannot be read.
fn may_know_of(tx: &TenantRead<'_>, reader: Reader, change: &Change) -> bool {
    let kind = find_kind(&change.kind);
    kind.is_some_and(|kind| kind.may_know_of(tx, reader, Uuid::from_bytes(change.id)).unwrap_or(false))
}

fn is_news(change: &Change) -> bool {
    // What no reader sees changed: the change feed names no field.
    let is_hidden = change.op == Op::Updated && change.fields.is_empty();
    let is_shown = !is_hidden && find_kind(&change.kind).is_some_and(|kind| (kind.is_activity)(change));
    change.person.is_none() && change.title.is_some() && is_shown
}

/// Whether a change completed a record. The change feed has only that `completed` changed, not its value: for the latest
/// such change it is the record's current value, and for each earlier one the opposite of the next.
fn turned_completed(
    tx: &TenantRead<'_>,
    kind: KindName,
    change: &Change,
    completed: &mut HashMap<[u8; 16], bool>,
) -> Result<bool> {
    if !change.fields.iter().any(|field| field == "completed") {
        return Ok(false);
    }
    let turned = match completed.get(&change.id) {
        Some(later) => !later,
        None => (kind.kind().searchable.document)(tx, change.id)?.is_some_and(|found| found.completed == Some(true)),
    };
    completed.insert(change.id, turned);
    Ok(turned)
}
