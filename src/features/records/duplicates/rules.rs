//! Rules of duplicates.

use std::collections::BTreeSet;

use uuid::Uuid;

use super::{
    model::{DUPLICATE_PARTS, DuplicatePart, DuplicateScan, FoundPair, NOT_DUPLICATES, NotDuplicate, ScanState},
    score::{Likeness, compare, compare_new},
};
use crate::{
    feature::{Card, MergeOps, Profile, Profiled, RecordKind},
    features::records::{
        KindName,
        parts::{PartedRecord, find_part},
    },
    kernel::{Code, Error, Id, Result},
    people::permission::{Permission, Reader},
    store::{Scan, Stored, TenantRead, TenantWrite},
    wire::Paging,
};

/// Maximum duplicates of one record.
const MAX_FOUND: usize = 10;
/// Maximum records with the same e-mail address, phone number or name that are compared.
const MAX_SAME: usize = 50;
/// Maximum pairs of a scan.
pub const MAX_PAIRS: usize = 5_000;
/// Pairs of a part of a scan.
const PART_SIZE: usize = 500;
/// Maximum pairs that members said are none.
const MAX_DISMISSED: u64 = 20_000;
/// Maximum pairs that are compared for one page of a list.
const MAX_EXAMINED: usize = 500;

/// Returns how duplicates of a kind are found and merged.
/// Errors: `invalid` for a kind without duplicates.
pub fn ops(kind: &RecordKind) -> Result<MergeOps> {
    kind.merge.ok_or_else(|| Error::field("kind", "errors.fields.merge_kind"))
}

/// Returns an error unless the reader has a right.
pub fn ensure(reader: Reader, right: Permission) -> Result<()> {
    if reader.role.has(right) { Ok(()) } else { Err(Error::new(Code::Forbidden)) }
}

/// A record that may be a duplicate.
#[derive(Debug)]
pub struct Duplicate {
    /// The record.
    pub record: Profiled,
    /// Its current state.
    pub card: Card,
    /// How much it looks alike.
    pub likeness: Likeness,
}

/// Returns the records that look like a profile, the likeliest first, at most 10. `named` are records that search found
/// by the name; `own` is the record itself, `None` for a new one.
/// Errors: `forbidden`; `invalid` for a kind without duplicates.
pub fn find(
    tx: &TenantRead<'_>,
    reader: Reader,
    kind: &'static RecordKind,
    profile: &Profile,
    named: Vec<Uuid>,
    own: Option<Uuid>,
) -> Result<Vec<Duplicate>> {
    let ops = ops(kind)?;
    let candidates: BTreeSet<Uuid> = (ops.candidates)(tx, profile, MAX_SAME)?.into_iter().chain(named).collect();
    let mut found = Vec::new();
    for id in candidates.into_iter().filter(|id| Some(*id) != own) {
        let Some(record) = (ops.profile)(tx, reader, id)? else { continue };
        let likeness = if own.is_some() { compare } else { compare_new }(profile, &record.profile, ops.same_name);
        let Some(likeness) = likeness else { continue };
        if own.map_or(Ok(false), |own| is_dismissed(tx, own, id))? {
            continue;
        }
        let Some(card) = kind.find_card(tx, reader, id)? else { continue };
        found.push(Duplicate { record, card, likeness });
    }
    found.sort_by_key(|one| (std::cmp::Reverse(one.likeness.score), one.record.id));
    found.truncate(MAX_FOUND);
    Ok(found)
}

/// Whether a member said that two records are no duplicates.
pub fn is_dismissed(tx: &TenantRead<'_>, one: Uuid, other: Uuid) -> Result<bool> {
    Ok(tx.find_by::<NotDuplicate>(NOT_DUPLICATES, NotDuplicate::key(one, other))?.is_some())
}

/// Says that two records are no duplicates, or takes it back.
/// Errors: `forbidden`; `invalid` for records that do not exist; `conflict` when too many pairs were named.
pub fn dismiss(
    tx: &TenantWrite<'_>,
    reader: Reader,
    kind: &'static RecordKind,
    (one, other): (Uuid, Uuid),
    dismissed: bool,
) -> Result<()> {
    let ops = ops(kind)?;
    ensure(reader, kind.rights.write)?;
    let known: Option<Stored<NotDuplicate>> = tx.find_by(NOT_DUPLICATES, NotDuplicate::key(one, other))?;
    let name = KindName::of(kind);
    match known {
        Some(_) if dismissed => Ok(()),
        Some(known) => {
            tx.remove::<NotDuplicate>(known.id, None)?;
            count_pair(tx, name, (one, other), |found| found + 1)
        }
        None if !dismissed => Ok(()),
        None => {
            for id in [one, other] {
                if one == other || (ops.profile)(tx, reader, id)?.is_none() {
                    return Err(Error::field("ids", "errors.fields.unknown_reference"));
                }
            }
            if tx.count::<NotDuplicate>()? >= MAX_DISMISSED {
                let params = vec![("max", MAX_DISMISSED.to_string())];
                return Err(Error::new(Code::Conflict).and_field("ids", "errors.fields.too_many", params));
            }
            tx.create(NotDuplicate { one: one.min(other), other: one.max(other) })?;
            count_pair(tx, name, (one, other), |found| found.saturating_sub(1))
        }
    }
}

/// Changes the number of pairs that the last scan of a kind found, if it found this one.
fn count_pair(
    tx: &TenantWrite<'_>,
    kind: KindName,
    (one, other): (Uuid, Uuid),
    change: impl FnOnce(u64) -> u64,
) -> Result<()> {
    let Some(scan) = DuplicateScan::of(tx, kind)? else { return Ok(()) };
    let ids = (one.min(other), one.max(other));
    let has_it =
        |part: &Stored<DuplicatePart>| part.pairs.iter().any(|pair| (pair.one.uuid(), pair.other.uuid()) == ids);
    if !parts(tx, scan.id)?.iter().any(has_it) {
        return Ok(());
    }
    tx.update(scan.id, None, |scan: &mut DuplicateScan| {
        scan.found = change(scan.found);
        Ok(())
    })
    .map(drop)
}

/// Takes a record out of the pairs that the last scan of a kind found, because it was merged.
pub fn forget(tx: &TenantWrite<'_>, kind: KindName, record: Uuid) -> Result<()> {
    let Some(scan) = DuplicateScan::of(tx, kind)? else { return Ok(()) };
    let is_meant = |pair: &FoundPair| pair.one.uuid() == record || pair.other.uuid() == record;
    let mut taken = 0;
    for part in parts(tx, scan.id)? {
        for pair in part.pairs.iter().filter(|pair| is_meant(pair)) {
            taken += u64::from(!is_dismissed(tx, pair.one.uuid(), pair.other.uuid())?);
        }
        tx.update(part.id, None, |part: &mut DuplicatePart| {
            part.pairs.retain(|pair| !is_meant(pair));
            Ok(())
        })?;
    }
    tx.update(scan.id, None, |scan: &mut DuplicateScan| {
        scan.found = scan.found.saturating_sub(taken);
        Ok(())
    })
    .map(drop)
}

/// Puts a pair back among those that the last scan of a kind found, because its merge was undone. The next scan finds what
/// else looks like the two.
pub fn put_back(
    tx: &TenantWrite<'_>,
    reader: Reader,
    kind: &'static RecordKind,
    (one, other): (Uuid, Uuid),
) -> Result<()> {
    let ops = ops(kind)?;
    let scan = DuplicateScan::of(tx, KindName::of(kind))?.filter(|scan| scan.state == ScanState::Done);
    let (Some(scan), Some(first)) = (scan, (ops.profile)(tx, reader, one)?) else { return Ok(()) };
    let Some(second) = (ops.profile)(tx, reader, other)? else { return Ok(()) };
    let Some(likeness) = compare(&first.profile, &second.profile, ops.same_name) else { return Ok(()) };
    let pair = FoundPair { one: one.min(other).into(), other: one.max(other).into(), score: likeness.score };
    let parts = parts(tx, scan.id)?;
    if is_dismissed(tx, one, other)? || parts.iter().any(|part| part.pairs.contains(&pair)) {
        return Ok(());
    }
    let is_place = |part: &&Stored<DuplicatePart>| part.pairs.last().is_none_or(|last| last.place() > pair.place());
    match parts.iter().find(is_place).or(parts.last()) {
        None => drop(tx.create(DuplicatePart { scan: scan.id, place: 0, pairs: vec![pair] })?),
        Some(part) => drop(tx.update(part.id, None, |part: &mut DuplicatePart| {
            let at = part.pairs.partition_point(|known| known.place() < pair.place());
            part.pairs.insert(at, pair);
            Ok(())
        })?),
    }
    tx.update(scan.id, None, |scan: &mut DuplicateScan| {
        scan.found += 1;
        Ok(())
    })
    .map(drop)
}

impl PartedRecord for DuplicateScan {
    type Part = DuplicatePart;
    const PARTS: u16 = DUPLICATE_PARTS;
}

/// Returns the parts of a scan in their order.
fn parts(tx: &TenantRead<'_>, scan: Id<DuplicateScan>) -> Result<Vec<Stored<DuplicatePart>>> {
    let scan = Scan::beginning(DUPLICATE_PARTS, scan.as_bytes()).limit(MAX_PAIRS / PART_SIZE + 1);
    Ok(tx.page::<DuplicatePart>(&scan, |_| true)?.items)
}

/// Begins a scan of a kind. Returns the one that is running, if there is one.
/// Errors: `forbidden`.
pub fn begin_scan(tx: &TenantWrite<'_>, reader: Reader, kind: &'static RecordKind) -> Result<Stored<DuplicateScan>> {
    let ops = ops(kind)?;
    ensure(reader, kind.rights.write)?;
    let name = KindName::of(kind);
    let total = (ops.count)(tx)?;
    let begun = DuplicateScan {
        kind: name,
        state: ScanState::Running,
        total,
        found: 0,
        begun_at: tx.now(),
        begun_by: Some(reader.id),
        ended_at: None,
    };
    match DuplicateScan::of(tx, name)? {
        None => tx.create(begun),
        Some(last) if last.state == ScanState::Running => Ok(last),
        Some(last) => tx.update(last.id, None, |scan: &mut DuplicateScan| {
            *scan = DuplicateScan { found: scan.found, ended_at: scan.ended_at, ..begun };
            Ok(())
        }),
    }
}

/// Stores the pairs that a scan found, and removes those of the scan before.
pub fn end_scan(tx: &TenantWrite<'_>, id: Id<DuplicateScan>, pairs: &[FoundPair]) -> Result<()> {
    for part in parts(tx, id)? {
        tx.remove::<DuplicatePart>(part.id, None)?;
    }
    for (place, pairs) in (0..).zip(pairs.chunks(PART_SIZE)) {
        tx.create(DuplicatePart { scan: id, place, pairs: pairs.to_vec() })?;
    }
    let now = tx.now();
    let found = pairs.len() as u64;
    tx.update(id, None, |scan: &mut DuplicateScan| {
        scan.state = ScanState::Done;
        scan.found = found;
        scan.ended_at = Some(now);
        Ok(())
    })
    .map(drop)
}

/// Ends a scan that cannot go on.
pub fn fail_scan(tx: &TenantWrite<'_>, id: Id<DuplicateScan>) -> Result<()> {
    let fail = |scan: &mut DuplicateScan| {
        scan.state = ScanState::Failed;
        Ok(())
    };
    tx.update(id, None, fail).map(drop)
}

/// Two records that look alike.
#[derive(Debug)]
pub struct Pair {
    /// The records with their cards.
    pub records: Vec<(Profiled, Card)>,
    /// How much they look alike now.
    pub likeness: Likeness,
}

/// A page of the pairs that the last scan of a kind found.
#[derive(Debug, Default)]
pub struct PairPage {
    /// The pairs, the likeliest first.
    pub items: Vec<Pair>,
    /// Cursor of the next page.
    pub next: Option<Vec<u8>>,
    /// How many pairs are kept.
    pub total: u64,
}

/// Returns a page of the pairs that the last scan of a kind found. Pairs that no longer look alike are left out.
/// Errors: `forbidden`; `bad_request` for a cursor of another list.
pub fn list(tx: &TenantRead<'_>, reader: Reader, kind: &'static RecordKind, paging: &Paging) -> Result<PairPage> {
    let ops = ops(kind)?;
    ensure(reader, kind.rights.read)?;
    let Some(scan) = DuplicateScan::of(tx, KindName::of(kind))? else { return Ok(PairPage::default()) };
    let mut page = PairPage { total: scan.found, ..PairPage::default() };
    let (mut place, mut at) = match &paging.after {
        None => (0, 0),
        Some(cursor) => read_cursor(cursor).ok_or_else(|| Error::new(Code::BadRequest))?,
    };
    let mut examined = 0;
    loop {
        let Some(part) = find_part(tx, scan.id, place)? else { return Ok(page) };
        for pair in part.pairs.iter().skip(at as usize) {
            if page.items.len() == paging.limit || examined == MAX_EXAMINED {
                page.next = Some([place.to_be_bytes(), at.to_be_bytes()].concat());
                return Ok(page);
            }
            examined += 1;
            at += 1;
            page.items.extend(pair_of(tx, reader, (kind, &ops), pair)?);
        }
        place += 1;
        at = 0;
    }
}

fn read_cursor(cursor: &[u8]) -> Option<(u32, u32)> {
    let (place, at) = cursor.split_first_chunk::<4>()?;
    Some((u32::from_be_bytes(*place), u32::from_be_bytes(at.try_into().ok()?)))
}

fn pair_of(
    tx: &TenantRead<'_>,
    reader: Reader,
    (kind, ops): (&'static RecordKind, &MergeOps),
    pair: &FoundPair,
) -> Result<Option<Pair>> {
    if is_dismissed(tx, pair.one.uuid(), pair.other.uuid())? {
        return Ok(None);
    }
    let mut records = Vec::with_capacity(2);
    for id in [pair.one.uuid(), pair.other.uuid()] {
        let Some(record) = (ops.profile)(tx, reader, id)? else { return Ok(None) };
        let Some(card) = kind.find_card(tx, reader, id)? else { return Ok(None) };
        records.push((record, card));
    }
    let likeness = compare(&records[0].0.profile, &records[1].0.profile, ops.same_name);
    Ok(likeness.map(|likeness| Pair { records, likeness }))
}
