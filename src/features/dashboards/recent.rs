//! Recent changes to the tenant's records, from the change feed (ledger). An act that changes many records, such as an
//! import, is one entry, and its changes have none. It is shown to members who see one of its records, and with their number
//! to those who see all. Changes to personal records are left out, and those of records that not all members may read, which
//! have no title in the feed. Earlier changes of such a record are shown to its readers only.

use std::collections::{HashMap, hash_map::Entry};

use poem_openapi::Enum;
use serde::Serialize;
use uuid::Uuid;

use crate::{
    feature::RecordKind,
    features::{
        exchange::import,
        find_kind,
        records::{
            KindName,
            acts::{ActRecords, ActView, MAX_LOOKED_UP},
            bulk, tags,
        },
    },
    kernel::{Id, MemberId, Result, Timestamp},
    people::{members::MemberRecord, permission::Reader},
    store::{Act, Actor, Change, Op, Stored, TenantRead, Verb},
};

/// Maximum number of changes shown.
const SHOWN: usize = 12;
/// Maximum records of acts that are looked up for one list: later acts are left out for members who must see a record.
const MAX_LOOKED_UP_IN_ALL: usize = SHOWN * MAX_LOOKED_UP;

/// What was done to the record, or by an act to many.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Enum)]
#[oai(rename = "RecentChangeOp", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub enum Done {
    /// The record was created.
    Created,
    /// The record was changed.
    Updated,
    /// The record was completed, such as a task.
    Completed,
    /// The record was removed.
    Removed,
    /// The record came out of the bin.
    Restored,
    /// The member accepted their invitation, or confirmed their address.
    Joined,
    /// Records were imported.
    Imported,
    /// An import was undone.
    ImportUndone,
    /// Sample data was added.
    SampleAdded,
    /// The sample data was taken away.
    SampleRemoved,
    /// Records were changed in bulk.
    BulkChanged,
    /// Records were removed in bulk.
    BulkRemoved,
    /// A bulk change was undone.
    BulkChangeUndone,
    /// A removal in bulk was undone.
    BulkRemovalUndone,
    /// Another record was merged into the record.
    Merged,
    /// A merge into the record was undone.
    MergeUndone,
    /// A tag was renamed in records of all kinds, or merged into another. Also of one that was removed, once the change can no
    /// longer be undone.
    TagChanged,
    /// A tag was removed from records of all kinds.
    TagRemoved,
    /// A change of a tag was undone.
    TagChangeUndone,
}

impl From<Verb> for Done {
    fn from(verb: Verb) -> Self {
        match verb {
            Verb::Imported => Self::Imported,
            Verb::ImportUndone => Self::ImportUndone,
            Verb::SampleAdded => Self::SampleAdded,
            Verb::SampleRemoved => Self::SampleRemoved,
            Verb::Changed => Self::BulkChanged,
            Verb::Removed => Self::BulkRemoved,
            Verb::ChangeUndone => Self::BulkChangeUndone,
            Verb::RemovalUndone => Self::BulkRemovalUndone,
            Verb::Merged => Self::Merged,
            Verb::MergeUndone => Self::MergeUndone,
            Verb::TagChanged => Self::TagChanged,
            Verb::TagChangeUndone => Self::TagChangeUndone,
        }
    }
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
    /// The kind of the record; for a change of a tag, that of the first record that it changed and the reader sees.
    pub kind: KindName,
    /// The record's id.
    pub record: Uuid,
    /// The record's title at the time of the change.
    pub title: String,
    /// What was done.
    pub done: Done,
    /// Where the record is shown; `None` when it was removed, and for acts of many changes except merges.
    pub link: Option<String>,
    /// How many records an act of many changes concerned; `None` also when the reader may not see all of them.
    pub count: Option<u64>,
}

/// Returns the latest changes of records that the reader may know of, newest first.
pub fn recent(tx: &TenantRead<'_>, reader: Reader) -> Result<Vec<Recent>> {
    let mut known: HashMap<[u8; 16], bool> = HashMap::new();
    let mut acts: HashMap<u64, ActView> = HashMap::new();
    let mut left = MAX_LOOKED_UP_IN_ALL;
    let changes = tx.news(SHOWN, |change| match &change.act {
        Some(Act::Many { verb, kind, .. }) => {
            let view = view_act(tx, reader, change, (*verb, kind.as_str()), &mut left);
            view.is_some_and(|view| acts.insert(change.seq, view).is_none())
        }
        _ => is_news(change) && *known.entry(change.id).or_insert_with(|| may_know_of(tx, reader, change)),
    })?;
    let mut completed: HashMap<[u8; 16], bool> = HashMap::new();
    // Few members make the latest changes: each is read once.
    let mut members: HashMap<MemberId, Option<Stored<MemberRecord>>> = HashMap::new();
    let mut found = Vec::with_capacity(changes.len());
    for change in changes {
        let act = acts.get(&change.seq);
        let Some(kind) = act.map(|act| act.kind).or_else(|| KindName::find(&change.kind)) else { continue };
        let count = match &change.act {
            Some(Act::Many { count, .. }) => act.filter(|act| act.has_count).map(|_| *count),
            _ => None,
        };
        let title = title_of(&change, act);
        let done = match (&change.act, change.op) {
            (Some(Act::Many { verb: Verb::TagChanged, .. }), _) if tags::is_removal(tx, Id::from_bytes(change.id))? => {
                Done::TagRemoved
            }
            (Some(Act::Many { verb, .. }), _) => Done::from(*verb),
            (Some(Act::Restored), Op::Created) => Done::Restored,
            (Some(Act::Joined), Op::Updated) => Done::Joined,
            (_, Op::Created) => Done::Created,
            (_, Op::Removed) => Done::Removed,
            (_, Op::Updated) if turned_completed(tx, kind, &change, &mut completed)? => Done::Completed,
            (_, Op::Updated) => Done::Updated,
        };
        let record = Uuid::from_bytes(change.id);
        let member = match change.actor.member() {
            Some(id) => match members.entry(id) {
                Entry::Occupied(known) => known.get().clone(),
                Entry::Vacant(unknown) => unknown.insert(tx.find(id)?).clone(),
            },
            None => None,
        };
        let is_merge = matches!(done, Done::Merged | Done::MergeUndone);
        let is_shown = done != Done::Removed && (act.is_none() || is_merge);
        let link = is_shown.then(|| kind.kind().link(record));
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
            count,
        });
    }
    Ok(found)
}

/// Whether the reader may know of the record of a change; false when the record cannot be read.
fn may_know_of(tx: &TenantRead<'_>, reader: Reader, change: &Change) -> bool {
    let kind = find_kind(&change.kind);
    kind.is_some_and(|kind| kind.may_know_of(tx, reader, Uuid::from_bytes(change.id)).unwrap_or(false))
}

/// Returns what the reader may know of an act that changed many records; `None` for nothing. Of records that not all members
/// may read, its author and those who may read all of the kind know everything, others what follows from the records that
/// they see: their number would tell that there are others. `left` is how many records may still be looked up.
fn view_act(
    tx: &TenantRead<'_>,
    reader: Reader,
    change: &Change,
    (verb, kind): (Verb, &str),
    left: &mut usize,
) -> Option<ActView> {
    let kind = find_kind(kind)?;
    let is_own = change.actor.member() == Some(reader.id) && reader.role.has(kind.rights.read);
    let sees_all = match verb {
        Verb::TagChanged | Verb::TagChangeUndone => tags::tagged_kinds().all(|kind| sees_all_of(reader, kind)),
        _ => sees_all_of(reader, kind),
    };
    if is_own || sees_all {
        return Some(ActView { kind: KindName::of(kind), has_count: true });
    }
    if *left == 0 {
        return None;
    }
    // What cannot be read is not shown.
    records_of_act(tx, change, verb).and_then(|records| records.view(tx, reader, left)).unwrap_or_default()
}

/// Whether a reader may read all records of a kind.
fn sees_all_of(reader: Reader, kind: &RecordKind) -> bool {
    let sees_all = kind.sees_all.is_some_and(|right| reader.role.has(right));
    reader.role.has(kind.rights.read) && (sees_all || !kind.has_visibility())
}

/// Returns the first records of an act on records that not all members may read.
fn records_of_act(tx: &TenantRead<'_>, change: &Change, verb: Verb) -> Result<ActRecords> {
    match verb {
        Verb::Changed | Verb::Removed => bulk::records_of_act(tx, Id::from_bytes(change.id), false),
        Verb::ChangeUndone | Verb::RemovalUndone => bulk::records_of_act(tx, Id::from_bytes(change.id), true),
        Verb::Imported => import::records_of_act(tx, Id::from_bytes(change.id), false),
        Verb::ImportUndone => import::records_of_act(tx, Id::from_bytes(change.id), true),
        Verb::TagChanged => tags::records_of_act(tx, Id::from_bytes(change.id), false),
        Verb::TagChangeUndone => tags::records_of_act(tx, Id::from_bytes(change.id), true),
        // The kinds of these have no visibility.
        Verb::SampleAdded | Verb::SampleRemoved | Verb::Merged | Verb::MergeUndone => Ok(ActRecords::default()),
    }
}

/// Returns the title of a change. The name of a file is left out for readers who may not see all records that came from it.
fn title_of(change: &Change, act: Option<&ActView>) -> String {
    let is_file = matches!(&change.act, Some(Act::Many { verb: Verb::Imported | Verb::ImportUndone, .. }));
    let is_hidden = is_file && act.is_some_and(|act| !act.has_count);
    change.title.clone().filter(|_| !is_hidden).unwrap_or_default()
}

fn is_news(change: &Change) -> bool {
    find_kind(&change.kind).is_some_and(|kind| (kind.is_activity)(change))
}

/// Whether a change completed a record: there are fewer open ones since. An entry from before that was kept has only that
/// `completed` changed, not its value: for the latest such change it is the record's current value, and for each earlier one
/// the opposite of the next.
fn turned_completed(
    tx: &TenantRead<'_>,
    kind: KindName,
    change: &Change,
    completed: &mut HashMap<[u8; 16], bool>,
) -> Result<bool> {
    if !change.fields.iter().any(|field| field == "completed") {
        return Ok(false);
    }
    if let Some(amounts) = &change.amounts {
        return Ok(amounts.iter().map(|(_, by)| by).sum::<i64>() < 0);
    }
    let turned = match completed.get(&change.id) {
        Some(later) => !later,
        None => (kind.kind().searchable.document)(tx, change.id)?.is_some_and(|found| found.completed == Some(true)),
    };
    completed.insert(change.id, turned);
    Ok(turned)
}
