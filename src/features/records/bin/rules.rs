//! Rules of the bin: who sees, restores and purges what, and for how long it is kept.

use uuid::Uuid;

use crate::{
    feature::{KindRecord, Summary},
    features::{
        find_erasure, kinds,
        records::{
            KindName,
            activities::rules::take_away,
            attachments::{ATTACHMENTS_BY_RECORD, RecordFile},
            comments::{COMMENTS_BY_RECORD, Comment},
            get_visible,
            links::{LINKS_BY_RECORD, RecordLink, remove_with_other_end},
            merge,
            purge::{KEPT_DAYS, Purge, SECONDS_PER_DAY},
        },
    },
    index::MAX_QUERY_CHARS,
    kernel::{Code, Error, Id, MemberId, Result, Timestamp, text},
    people::permission::{Permission, Reader},
    store::{
        BINNED_BY_MEMBER, BINNED_BY_TIME, Binned, HISTORY_BY_RECORD, HistoryEntry, MAX_PAGE_BYTES, Page, RecordId,
        Scan, Stored, TenantRead, TenantRecord, TenantWrite, binned_by,
    },
    wire::Paging,
};

/// Maximum number of records that one write purges, so that other writes do not wait for long.
const PURGED_PER_WRITE: usize = 200;
/// Maximum words of a filter.
const MAX_WORDS: usize = 16;
/// For how many records the beginning of an erasure counts: it takes as long.
const ERASURE_ROWS: usize = 8;

/// A record in the bin, as a member sees it.
#[derive(Debug)]
pub struct InBin {
    /// The kind of the record.
    pub kind: KindName,
    /// The record's id.
    pub id: Uuid,
    /// What is shown of it.
    pub summary: Summary,
    /// When it was removed.
    pub removed_at: Timestamp,
    /// The member who removed it.
    pub removed_by: Option<MemberId>,
    /// When it is purged.
    pub purged_at: Timestamp,
    /// The months without contact or change after which the retention of personal data removed it.
    pub retention_months: Option<u16>,
    /// The record that it was merged into, and that record's name.
    pub merged_into: Option<(Uuid, String)>,
}

/// Returns when a record that was removed at a time is purged.
fn purge_time(removed_at: Timestamp) -> Timestamp {
    removed_at.plus_seconds(KEPT_DAYS * SECONDS_PER_DAY)
}

/// Whether a reader may see and restore a record in the bin.
fn may_restore(reader: Reader, kind: KindName, binned: &Stored<Binned>) -> bool {
    let rights = kind.kind().rights;
    let is_own = binned.created_by == Some(reader.id) && reader.role.has(rights.delete_own);
    is_own || reader.role.has(rights.delete)
}

/// Returns a record in the bin as the reader sees it; `None` when they may not see it.
fn view(tx: &TenantRead<'_>, reader: Reader, binned: &Stored<Binned>) -> Result<Option<InBin>> {
    let Some(kind) = KindName::find(&binned.kind).filter(|kind| may_restore(reader, *kind, binned)) else {
        return Ok(None);
    };
    let Some(ops) = kind.kind().bin else { return Ok(None) };
    let Some(summary) = (ops.summary)(tx, reader, binned)? else { return Ok(None) };
    Ok(Some(InBin {
        kind,
        id: binned.id.uuid(),
        summary,
        removed_at: binned.created_at,
        removed_by: binned.created_by,
        purged_at: purge_time(binned.created_at),
        retention_months: binned.retention_months,
        merged_into: merge::find_of(tx, binned.id.uuid())?.map(|merge| (merge.kept, merge.value.kept_title)),
    }))
}

/// Returns a record that the reader may see.
/// Errors: `not_found`, with the id of the record that it was merged into as `mergedInto`; `record_in_bin` with the time
/// of its removal as `deletedAt` when the reader may see it in the bin.
pub fn get_or_binned<R: KindRecord>(tx: &TenantRead<'_>, reader: Reader, id: RecordId<R>) -> Result<Stored<R>> {
    let error = match get_visible::<R>(tx, reader, id) {
        Err(error) if error.code() == Code::NotFound => error,
        found => return found,
    };
    if let Some(merge) = merge::find_of(tx, id.uuid())?.filter(|merge| merge.kind.kind().kind == R::KIND) {
        return Err(error.with_extra("mergedInto", merge.kept.to_string().into()));
    }
    let binned = tx.find_intact::<Binned>(Id::from_bytes(*id.as_bytes()))?.filter(|binned| binned.kind == R::KIND);
    let seen = match binned.map(|binned| view(tx, reader, &binned)).transpose() {
        Err(error) if error.is_damage() => None,
        seen => seen?.flatten(),
    };
    Err(match seen {
        Some(found) => Error::new(Code::RecordInBin).with_extra("deletedAt", found.removed_at.to_string().into()),
        None => error,
    })
}

/// A page of the bin.
#[derive(Debug)]
pub struct BinPage {
    /// The records, the last removed one first.
    pub items: Vec<InBin>,
    /// Cursor of the next page.
    pub next: Option<Vec<u8>>,
    /// How many records the reader has in the bin, or all members together for those who see them all.
    pub total: u64,
    /// Number of damaged records left out.
    pub damaged: usize,
}

/// Filter of the bin.
#[derive(Debug, Default)]
pub struct BinFilter {
    /// Records of this kind.
    pub kind: Option<KindName>,
    /// Records that this member removed.
    pub removed_by: Option<MemberId>,
    /// The words that the title must have, folded.
    words: Vec<String>,
}

impl BinFilter {
    /// Describes a filter. Each word of `q` must occur in the title, wherever; accents and case are ignored. Only the first
    /// 256 characters and 16 words of it count.
    pub fn new(kind: Option<KindName>, removed_by: Option<MemberId>, q: Option<&str>) -> Self {
        let typed: String = q.unwrap_or_default().chars().take(MAX_QUERY_CHARS).collect();
        let words = text::fold(&typed).split_whitespace().take(MAX_WORDS).map(str::to_owned).collect();
        Self { kind, removed_by, words }
    }

    const fn is_empty(&self) -> bool {
        self.kind.is_none() && self.words.is_empty()
    }

    /// Returns a record in the bin as the reader sees it; `None` when they may not see it, or when it does not pass.
    fn view(&self, tx: &TenantRead<'_>, reader: Reader, binned: &Stored<Binned>) -> Result<Option<InBin>> {
        if self.kind.is_some_and(|kind| kind.kind().kind != binned.kind) {
            return Ok(None);
        }
        Ok(view(tx, reader, binned)?.filter(|found| {
            let title = text::fold(&found.summary.title);
            self.words.iter().all(|word| title.contains(word.as_str()))
        }))
    }
}

/// Returns a page of the records that the reader may restore. A page has fewer records than asked for when few of those
/// that were examined, at most 20,000, pass the filter; as many are counted.
pub fn list(tx: &TenantRead<'_>, reader: Reader, filter: &BinFilter, paging: Paging) -> Result<BinPage> {
    let sees_all = reader.role.has(Permission::BinEmpty);
    let by = if sees_all { filter.removed_by } else { Some(reader.id) };
    if filter.removed_by.is_some_and(|member| by != Some(member)) {
        return Ok(BinPage { items: Vec::new(), next: None, total: 0, damaged: 0 });
    }
    let all =
        by.map_or_else(|| Scan::ordered(BINNED_BY_TIME), |member| Scan::beginning(BINNED_BY_MEMBER, member.as_bytes()));
    let total = if filter.is_empty() {
        by.map_or_else(|| tx.count::<Binned>(), |member| Ok(tx.counter(&binned_by(member))?.try_into().unwrap_or(0)))?
    } else {
        let mut count = 0;
        visit(tx, &all.clone().limit(1), |binned| {
            count += u64::from(filter.view(tx, reader, binned)?.is_some());
            Ok(false)
        })?;
        count
    };
    let mut items = Vec::new();
    // A row has the whole record.
    let asked = all.reversed(true).limit(paging.limit).after(paging.after).within_bytes(MAX_PAGE_BYTES);
    let page = visit(tx, &asked, |binned| {
        let found = filter.view(tx, reader, binned)?;
        // One that cannot be seen counts as a row of a page without filters, whose total counts it, too.
        let is_row = found.is_some() || filter.is_empty();
        items.extend(found);
        Ok(is_row)
    })?;
    Ok(BinPage { items, next: page.next, total, damaged: page.damaged })
}

/// Reads a page of the bin: the records for which `keep` returns true. Those that it finds damaged are left out.
fn visit(
    tx: &TenantRead<'_>,
    scan: &Scan,
    mut keep: impl FnMut(&Stored<Binned>) -> Result<bool>,
) -> Result<Page<Binned>> {
    let mut damaged = 0;
    let mut failed = None;
    let mut page = tx.page::<Binned>(scan, |binned| match keep(binned) {
        Ok(is_kept) => is_kept,
        Err(error) => {
            if error.is_damage() {
                damaged += 1;
            } else {
                failed.get_or_insert(error);
            }
            false
        }
    })?;
    page.damaged += damaged;
    failed.map_or(Ok(page), Err)
}

/// Takes a record out of the bin. The merge of one that was merged into another is undone.
/// Errors: `not_found`, also for a record that the reader may not restore; `conflict` when another record has a value
/// that must be unique.
pub fn restore(tx: &TenantWrite<'_>, reader: Reader, id: Uuid) -> Result<InBin> {
    let found = view(tx, reader, &tx.get::<Binned>(Id::from(id))?)?.ok_or_else(Error::not_found)?;
    if let Some(merge) = merge::find_of(tx, id)? {
        merge::undo(tx, reader, merge.id)?;
        return Ok(found);
    }
    let ops = found.kind.kind().bin.ok_or_else(Error::not_found)?;
    (ops.restore)(tx, id.into_bytes(), false)?;
    Ok(found)
}

/// Removes a record in the bin for good, or some of its parts. Returns whether nothing is left to do in this way: one that
/// the retention of personal data removed is erased in the background.
/// Errors: `not_found`, also for a record that the reader may not see.
pub fn purge(tx: &TenantWrite<'_>, reader: Reader, id: Uuid) -> Result<bool> {
    let binned = tx.get::<Binned>(Id::from(id))?;
    view(tx, reader, &binned)?.ok_or_else(Error::not_found)?;
    let mut left = PURGED_PER_WRITE;
    purge_within(tx, &binned, &mut left)
}

/// Removes the parts of a record in the bin and the references to it, and then the record: at most `left` rows in all. One
/// that the retention of personal data removed is erased instead: it is gone at once, the rest follows in the background.
/// Returns whether nothing is left.
fn purge_within(tx: &TenantWrite<'_>, binned: &Stored<Binned>, left: &mut usize) -> Result<bool> {
    if *left == 0 {
        return Ok(false);
    }
    if binned.retention_months.is_some()
        && let Some(erasure) = find_erasure(&binned.kind)
        && (erasure.begin)(tx, binned.id.uuid())?
    {
        *left = left.saturating_sub(ERASURE_ROWS);
        return Ok(true);
    }
    if !remove_all_parts(tx, (&binned.kind, binned.id.uuid()), left)? {
        return Ok(false);
    }
    *left -= 1;
    tx.remove::<Binned>(binned.id, None)?;
    Ok(true)
}

/// Removes some parts of a record that is gone, and clears some references to it. Returns whether nothing is left.
pub fn purge_parts(tx: &TenantWrite<'_>, record: (&str, Uuid)) -> Result<bool> {
    let mut left = PURGED_PER_WRITE;
    remove_all_parts(tx, record, &mut left)
}

/// Removes the parts of a record and the references to it, at most `left` in all. Returns whether nothing is left.
fn remove_all_parts(tx: &TenantWrite<'_>, (kind, record): (&str, Uuid), left: &mut usize) -> Result<bool> {
    remove_parts::<HistoryEntry>(tx, HISTORY_BY_RECORD, record, left)?;
    remove_parts::<Comment>(tx, COMMENTS_BY_RECORD, record, left)?;
    remove_parts::<RecordFile>(tx, ATTACHMENTS_BY_RECORD, record, left)?;
    remove_links(tx, record, left)?;
    *left -= take_away(tx, (kind, record), *left)?;
    for referring in kinds() {
        *left -= referring.clear_references(tx, kind, record, *left)?;
    }
    Ok(*left > 0)
}

/// Clears the references of a record in the bin to one that is gone for good.
pub fn clear_references(tx: &TenantWrite<'_>, id: Id<Binned>, target: Uuid) -> Result<()> {
    let Some(binned) = tx.find_intact::<Binned>(id)? else { return Ok(()) };
    let ops = KindName::find(&binned.kind).and_then(|kind| kind.kind().bin);
    ops.map_or(Ok(()), |ops| (ops.clear)(tx, *id.as_bytes(), target))
}

fn remove_parts<R: TenantRecord<Key = R>>(
    tx: &TenantWrite<'_>,
    lookup: u16,
    record: Uuid,
    left: &mut usize,
) -> Result<()> {
    let parts = tx.page::<R>(&Scan::with(lookup, record.as_bytes()).limit(*left), |_| true)?.items;
    *left -= parts.len();
    for part in parts {
        tx.remove::<R>(part.id, None)?;
    }
    Ok(())
}

/// Removes the links of a record, also from the other records.
fn remove_links(tx: &TenantWrite<'_>, record: Uuid, left: &mut usize) -> Result<()> {
    // Two rows each: the number of rows may be exceeded by one.
    let links = Scan::with(LINKS_BY_RECORD, record.as_bytes()).limit(left.div_ceil(2));
    for link in tx.page::<RecordLink>(&links, |_| true)?.items {
        *left = left.saturating_sub(remove_with_other_end(tx, &link)?);
    }
    Ok(())
}

/// Selects the records that were removed before a time, the oldest first.
fn removed_before(before: Timestamp) -> Scan {
    Scan::between(BINNED_BY_TIME, [0; 8], before.millis().to_be_bytes())
}

/// Removes records for good that were removed before a time, the oldest first: up to 200 with what belongs to them.
/// Returns the number of removed rows.
pub fn purge_before(tx: &TenantWrite<'_>, before: Timestamp) -> Result<usize> {
    let mut left = PURGED_PER_WRITE;
    for binned in tx.page::<Binned>(&removed_before(before).limit(PURGED_PER_WRITE), |_| true)?.items {
        if !purge_within(tx, &binned, &mut left)? {
            break;
        }
    }
    Ok(PURGED_PER_WRITE - left)
}

/// Removes what has been in the bins for 30 days. The removed rows include the records' comments and history.
pub const PURGE: Purge = Purge { has_expired, remove_some: purge_before };

/// Whether a tenant's bin has records that were removed before a time.
fn has_expired(tx: &TenantRead<'_>, before: Timestamp) -> Result<bool> {
    Ok(!tx.page::<Binned>(&removed_before(before).limit(1), |_| true)?.items.is_empty())
}
