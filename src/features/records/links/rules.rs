//! Rules of links.

use uuid::Uuid;

use super::model::{LINK_BY_BOTH, LINKS_BY_RECORD, RecordLink};
use crate::{
    feature::Card,
    features::records::{KindName, KindPath, ensure_may_write, find_record},
    kernel::{Code, Error, Id, Result},
    people::permission::Reader,
    store::{Scan, Stored, TenantRead, TenantWrite},
};

/// Maximum links of a record.
const MAX_LINKS: usize = 200;

/// A link with the current state of the other record.
#[derive(Debug)]
pub struct Linked {
    /// The link.
    pub link: Stored<RecordLink>,
    /// The other record.
    pub card: Card,
}

/// Returns the links of a record, the newest first, and the number of damaged ones. Links to records that are in the bin
/// or that the reader may not see are left out.
/// Errors: `not_found`, also for a record that the reader may not see.
pub fn list(tx: &TenantRead<'_>, reader: Reader, (kind, record): (KindPath, Uuid)) -> Result<(Vec<Linked>, usize)> {
    find_record(tx, reader, kind, record)?;
    let all = Scan::with(LINKS_BY_RECORD, record.as_bytes()).reversed(true).limit(MAX_LINKS);
    let page = tx.page::<RecordLink>(&all, |_| true)?;
    let mut shown = Vec::with_capacity(page.items.len());
    for link in page.items {
        shown.extend(card(tx, reader, &link)?.map(|card| Linked { link, card }));
    }
    Ok((shown, page.damaged))
}

fn card(tx: &TenantRead<'_>, reader: Reader, link: &RecordLink) -> Result<Option<Card>> {
    link.to_kind.kind().find_card(tx, reader, link.to)
}

/// Whether a reader of one record sees that it is linked to the other.
pub fn is_shown(tx: &TenantRead<'_>, reader: Reader, link: &RecordLink) -> bool {
    card(tx, reader, link).is_ok_and(|card| card.is_some())
}

/// Links two records. Returns the link that there was, if they are linked.
/// Errors: `not_found`; `forbidden` when the reader may not change the record; `invalid` for another record that is gone
/// or that the reader may not see, or the record itself; `conflict` when one of them has 200 links.
pub fn add(tx: &TenantWrite<'_>, reader: Reader, place: (KindPath, Uuid), other: (KindName, Uuid)) -> Result<Linked> {
    let (kind, record) = (KindName::of(place.0.kind()), place.1);
    let (to_kind, to) = other;
    ensure_may_write(tx, reader, place)?;
    let found = if to == record { None } else { to_kind.kind().find_card(tx, reader, to)? };
    let card = found.filter(|_| to_kind.kind().has_parts());
    let card = card.ok_or_else(|| Error::field("recordId", "errors.fields.unknown_reference"))?;
    if let Some(link) = tx.find_by(LINK_BY_BOTH, RecordLink::key(record, to))? {
        return Ok(Linked { link, card });
    }
    for end in [record, to] {
        if tx.count_with(LINKS_BY_RECORD, end.as_bytes(), MAX_LINKS as u64)? >= MAX_LINKS as u64 {
            let params = vec![("max", MAX_LINKS.to_string())];
            return Err(Error::new(Code::Conflict).and_field("recordId", "errors.fields.too_many", params));
        }
    }
    let link = tx.create(RecordLink { kind, record, to_kind, to })?;
    tx.create(RecordLink { kind: to_kind, record: to, to_kind: kind, to: record })?;
    Ok(Linked { link, card })
}

/// Removes a link.
/// Errors: `not_found`; `forbidden` when the reader may not change the record.
pub fn remove(tx: &TenantWrite<'_>, reader: Reader, place: (KindPath, Uuid), id: Id<RecordLink>) -> Result<()> {
    ensure_may_write(tx, reader, place)?;
    let link = tx.find::<RecordLink>(id)?.filter(|link| link.record == place.1 && is_shown(tx, reader, link));
    remove_with_other_end(tx, &link.ok_or_else(Error::not_found)?).map(drop)
}

/// Removes a link from both records. Returns the number of removed rows.
pub fn remove_with_other_end(tx: &TenantWrite<'_>, link: &Stored<RecordLink>) -> Result<usize> {
    let other: Option<Stored<RecordLink>> = tx.find_by(LINK_BY_BOTH, RecordLink::key(link.to, link.record))?;
    tx.remove::<RecordLink>(link.id, None)?;
    let Some(other) = other else { return Ok(1) };
    tx.remove::<RecordLink>(other.id, None)?;
    Ok(2)
}
