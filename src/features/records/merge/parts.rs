//! What belongs to a record and follows in a merge: comments, files, links, activities, and the records that refer to it.

use uuid::Uuid;

use super::model::MovedItem;
use crate::{
    features::{
        has_referrers, kinds,
        records::{
            KindName,
            activities::{ACTIVITIES_BY_RECORD, Activity},
            attachments::{ATTACHMENTS_BY_RECORD, RecordFile},
            comments::{COMMENTS_BY_RECORD, Comment},
            links::{LINK_BY_BOTH, LINKS_BY_RECORD, RecordLink},
        },
    },
    kernel::{Id, Result},
    people::permission::Reader,
    store::{Scan, Stored, TenantRead, TenantRecord, TenantWrite},
};

/// A sort of things that follow.
#[derive(Clone, Copy, Debug)]
enum Phase {
    Comments,
    Files,
    Links,
    Activities,
    /// The records of a kind that refer to it, by one of their indexes.
    References(KindName, u16),
}

/// Returns the sort of things with a number; `None` after the last one.
fn phase(kind: KindName, number: u32) -> Option<Phase> {
    let own = [Phase::Comments, Phase::Files, Phase::Links, Phase::Activities];
    let referring = kinds().flat_map(|other| {
        other.references_to(kind.kind().kind).map(move |lookup| Phase::References(KindName::of(other), lookup))
    });
    own.into_iter().chain(referring).nth(number as usize)
}

/// A batch of things that followed.
#[derive(Debug)]
pub struct Moved {
    /// The things.
    pub items: Vec<MovedItem>,
    /// Where the next ones begin; `None` when nothing of the sort is left.
    pub next: Option<Vec<u8>>,
}

/// Gives at most `limit` things of a sort from one record to another. Returns `None` after the last sort.
pub fn move_some(
    tx: &TenantWrite<'_>,
    kind: KindName,
    (from, to): (Uuid, Uuid),
    (number, cursor): (u32, Option<Vec<u8>>),
    limit: usize,
) -> Result<Option<Moved>> {
    let Some(phase) = phase(kind, number) else { return Ok(None) };
    let scan = |lookup| Scan::with(lookup, from.as_bytes()).limit(limit).after(cursor.clone());
    let moved = match phase {
        Phase::Comments => move_page::<Comment>(tx, &scan(COMMENTS_BY_RECORD), (from, to), MovedItem::Comment)?,
        Phase::Files => move_page::<RecordFile>(tx, &scan(ATTACHMENTS_BY_RECORD), (from, to), MovedItem::File)?,
        Phase::Activities => move_page::<Activity>(tx, &scan(ACTIVITIES_BY_RECORD), (from, to), MovedItem::Activity)?,
        Phase::Links => move_page::<RecordLink>(tx, &scan(LINKS_BY_RECORD), (from, to), MovedItem::Link)?,
        Phase::References(other, lookup) => {
            let replaced = other.kind().replace_references(tx, &scan(lookup), from, to)?;
            let items = replaced.changed.into_iter().map(|id| MovedItem::Reference(other, id.into())).collect();
            Moved { items, next: replaced.next }
        }
    };
    Ok(Some(moved))
}

/// Gives something back. Returns false when it no longer belongs to `from`.
pub fn move_back(tx: &TenantWrite<'_>, item: MovedItem, from: Uuid, to: Uuid) -> Result<bool> {
    match item {
        MovedItem::Comment(id) => move_one::<Comment>(tx, id, (from, to)),
        MovedItem::File(id) => move_one::<RecordFile>(tx, id, (from, to)),
        MovedItem::Link(id) => move_one::<RecordLink>(tx, id, (from, to)),
        MovedItem::Activity(id) => move_one::<Activity>(tx, id, (from, to)),
        MovedItem::Reference(kind, id) => (kind.kind().replace_in)(tx, id.uuid(), from, to),
    }
}

/// Counts the things that all members may see: others may read how many followed in a merge.
pub fn count_public(tx: &TenantRead<'_>, items: &[MovedItem]) -> Result<u64> {
    let mut count = 0;
    for item in items {
        count += u64::from(is_public(tx, *item)?);
    }
    Ok(count)
}

/// Most activities and links of a record that are looked at for one that the reader may know of.
const EXAMINED: usize = 10;

/// Whether something that the reader may know of belongs to a record, or refers to it: a comment, a file, an activity, a
/// link, or a record.
pub fn is_in_use(tx: &TenantRead<'_>, reader: Reader, kind: KindName, record: Uuid) -> Result<bool> {
    for lookup in [COMMENTS_BY_RECORD, ATTACHMENTS_BY_RECORD] {
        if tx.count_with(lookup, record.as_bytes(), 1)? > 0 {
            return Ok(true);
        }
    }
    let some = |lookup| Scan::with(lookup, record.as_bytes()).limit(EXAMINED);
    let activities = tx.page::<Activity>(&some(ACTIVITIES_BY_RECORD), |_| true)?.items;
    let links = tx.page::<RecordLink>(&some(LINKS_BY_RECORD), |_| true)?.items;
    let activities = activities.into_iter().map(|activity| MovedItem::Activity(activity.id.uuid().into()));
    for item in activities.chain(links.into_iter().map(|link| MovedItem::Link(link.id.uuid().into()))) {
        if is_public(tx, item)? {
            return Ok(true);
        }
    }
    has_referrers(tx, reader, (kind.kind(), record))
}

fn is_public(tx: &TenantRead<'_>, item: MovedItem) -> Result<bool> {
    let is_restricted = match item {
        MovedItem::Comment(_) | MovedItem::File(_) => false,
        MovedItem::Link(id) => match tx.find_intact::<RecordLink>(Id::from(id.uuid()))? {
            Some(link) => link.to_kind.kind().is_restricted(tx, link.to)?,
            None => false,
        },
        MovedItem::Activity(id) => {
            let Some(activity) = tx.find_intact::<Activity>(Id::from(id.uuid()))? else { return Ok(true) };
            let mut is_restricted = !activity.limit.is_company();
            for link in &activity.links {
                is_restricted |= link.kind.kind().is_restricted(tx, link.record_id)?;
            }
            is_restricted
        }
        MovedItem::Reference(kind, id) => kind.kind().is_restricted(tx, id.uuid())?,
    };
    Ok(!is_restricted)
}

/// A part of records that belongs to another one after a merge.
trait MovedPart: TenantRecord<Key = Self> + Clone {
    /// Gives it from one record to another. Returns false when it does not belong to the one, or the other one has it
    /// already.
    fn give(tx: &TenantWrite<'_>, part: &Stored<Self>, from: Uuid, to: Uuid) -> Result<bool>;
}

fn move_page<P: MovedPart>(
    tx: &TenantWrite<'_>,
    scan: &Scan,
    (from, to): (Uuid, Uuid),
    item: fn(Id<()>) -> MovedItem,
) -> Result<Moved> {
    let page = tx.page::<P>(scan, |_| true)?;
    let mut items = Vec::new();
    for part in page.items {
        if P::give(tx, &part, from, to)? {
            items.push(item(part.id.uuid().into()));
        }
    }
    Ok(Moved { items, next: page.next })
}

fn move_one<P: MovedPart>(tx: &TenantWrite<'_>, id: Id<()>, (from, to): (Uuid, Uuid)) -> Result<bool> {
    let part = tx.find::<P>(Id::from(id.uuid()))?;
    part.map_or(Ok(false), |part| P::give(tx, &part, from, to))
}

impl MovedPart for Comment {
    fn give(tx: &TenantWrite<'_>, part: &Stored<Self>, from: Uuid, to: Uuid) -> Result<bool> {
        if part.record != from {
            return Ok(false);
        }
        tx.rewrite(part, |comment| comment.record = to).map(|()| true)
    }
}

impl MovedPart for RecordFile {
    fn give(tx: &TenantWrite<'_>, part: &Stored<Self>, from: Uuid, to: Uuid) -> Result<bool> {
        if part.record != from {
            return Ok(false);
        }
        tx.rewrite(part, |file| file.record = to).map(|()| true)
    }
}

impl MovedPart for Activity {
    fn give(tx: &TenantWrite<'_>, part: &Stored<Self>, from: Uuid, to: Uuid) -> Result<bool> {
        let has = |record| part.links.iter().any(|link| link.record_id == record);
        if !has(from) || has(to) {
            return Ok(false);
        }
        let give = |activity: &mut Self| {
            for link in activity.links.iter_mut().filter(|link| link.record_id == from) {
                link.record_id = to;
            }
        };
        tx.rewrite(part, give).map(|()| true)
    }
}

impl MovedPart for RecordLink {
    /// The other record has the link, too.
    fn give(tx: &TenantWrite<'_>, part: &Stored<Self>, from: Uuid, to: Uuid) -> Result<bool> {
        let is_linked = |tx: &TenantRead<'_>| -> Result<bool> {
            let known: Option<Stored<Self>> = tx.find_by(LINK_BY_BOTH, Self::key(to, part.to))?;
            Ok(known.is_some())
        };
        if part.record != from || part.to == to || is_linked(tx)? {
            return Ok(false);
        }
        let other: Option<Stored<Self>> = tx.find_by(LINK_BY_BOTH, Self::key(part.to, from))?;
        tx.rewrite(part, |link| link.record = to)?;
        if let Some(other) = other {
            tx.rewrite(&other, |link| link.to = to)?;
        }
        Ok(true)
    }
}
