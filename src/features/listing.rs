//! Sorted, filtered and paged lists at a cost independent of how many records the filters exclude. When a filter passes
//! few records, these are read and sorted in memory, unless a scan in the requested order is expected to read fewer;
//! otherwise the list is scanned in that order.

use std::cmp::Ordering;

use crate::{
    kernel::Result,
    store::{MAX_PAGE_BYTES, Record, RecordId, Scan, Stored, TenantRead, TenantRecord, count_fitting},
    wire::{Paging, page::foreign_cursor},
};

/// Maximum records that a filter may pass for its records to be sorted in memory.
const MAX_IN_MEMORY: u64 = 2_000;
/// Maximum records read into memory when a filter came to pass more between two pages.
const MAX_GATHERED: usize = 20_000;

/// A filter that passes at least a quarter of all records is scanned if a scan is expected to read fewer of them.
const MANY_OF_ALL: u64 = 4;
/// Maximum records counted where no counter is kept.
const COUNTED: u64 = 20_000;

/// Sort key of a record, as bytes that compare in the order of the list.
pub type SortKey<R> = fn(&Stored<R>) -> Vec<u8>;

/// Order of a list.
pub struct Order<R: Record> {
    /// Scan that reads all records in this order, ascending.
    pub scan: Scan,
    /// The same order as a sort key, for sorting in memory; ties are broken by id.
    pub place: SortKey<R>,
    /// Whether the order is descending.
    pub descending: bool,
}

/// Records that pass one filter.
pub struct ListFilter {
    /// Scans that together return every record that passes exactly once.
    pub scans: Vec<Scan>,
    /// How many records pass.
    pub count: u64,
}

impl ListFilter {
    /// Selects the records with one of these values in a secondary index, counted up to 20,000 for each value.
    pub fn values<V: AsRef<[u8]>>(tx: &TenantRead<'_>, lookup: u16, values: &[V]) -> Result<Self> {
        let counts = values.iter().map(|value| tx.count_with(lookup, value, COUNTED));
        let count = counts.sum::<Result<u64>>()?;
        Ok(Self { scans: values.iter().map(|value| Scan::with(lookup, value)).collect(), count })
    }
}

/// Query for a list.
pub struct Listing<R: Record> {
    /// Order of the list.
    pub order: Order<R>,
    /// Filters; a record must pass all of them.
    pub filters: Vec<ListFilter>,
    /// How many records pass the filters but are not shown to the reader.
    pub unseen: u64,
    /// Whether the count of a filter, less `unseen`, is what the reader sees of it. A list of few records is read whole
    /// otherwise, so that its total is exact.
    pub is_counted: bool,
    /// Whether the reader sees all records of the kind. The cursors of other readers tell nothing of all records.
    pub sees_all: bool,
}

/// A page of a list.
pub struct ListPage<R: Record> {
    /// Records of the page.
    pub items: Vec<Stored<R>>,
    /// Cursor of the next page.
    pub next: Option<Vec<u8>>,
    /// Total records of the list: exact, except that a filter without a counter is counted up to 20,000, and several
    /// filters that each pass more than 2,000 are counted up to 2,000.
    pub total: u64,
    /// Number of damaged records left out of the page.
    pub damaged: usize,
}

/// How a cursor was reached, so that the following pages are read the same way.
const BY_SCAN: u8 = b's';
/// The same for a list of all records: the cursor continues with [`Walked`].
const BY_COUNTED_SCAN: u8 = b'c';
const BY_GATHER: u8 = b'g';

/// How far a list of all records was read, in its cursor: after the last page, damage that hides records is noticed, unless
/// records were changed in between.
#[derive(Clone, Copy)]
struct Walked {
    /// The digest of all records when the list was begun.
    fingerprint: u64,
    /// How many rows were seen.
    rows: usize,
}

impl Walked {
    fn and(self, rows: usize) -> Self {
        Self { rows: self.rows.saturating_add(rows), ..self }
    }

    fn to_bytes(self) -> [u8; 16] {
        (u128::from(self.fingerprint) << 64 | self.rows as u128).to_be_bytes()
    }

    fn split(bytes: &[u8]) -> Option<(Self, &[u8])> {
        let (fingerprint, rest) = bytes.split_first_chunk::<8>()?;
        let (rows, place) = rest.split_first_chunk::<8>()?;
        let rows = usize::try_from(u64::from_be_bytes(*rows)).ok()?;
        Some((Self { fingerprint: u64::from_be_bytes(*fingerprint), rows }, place))
    }
}

impl<R: TenantRecord> Listing<R> {
    /// Reads a page. `keep` checks whether a record passes all filters.
    /// Errors: `bad_request` for a cursor that was not issued for this list.
    pub fn page(&self, tx: &TenantRead<'_>, paging: &Paging, keep: impl Fn(&Stored<R>) -> bool) -> Result<ListPage<R>> {
        let narrowest = self.filters.iter().min_by_key(|filter| filter.count);
        let (way, place) = match paging.after.as_deref() {
            Some([way @ (BY_SCAN | BY_COUNTED_SCAN | BY_GATHER), place @ ..]) => (Some(*way), Some(place)),
            Some(_) => return Err(foreign_cursor()),
            None => (None, None),
        };
        let gather = match way {
            Some(way) => way == BY_GATHER,
            None => self.gathers(tx, paging.limit)?,
        };
        if !gather {
            let (walked, place) = match (way, place) {
                (Some(BY_COUNTED_SCAN), Some(place)) => {
                    let (walked, place) = Walked::split(place).ok_or_else(foreign_cursor)?;
                    (Some(walked), Some(place))
                }
                (Some(_), place) => (None, place),
                (None, _) => (Some(Walked { fingerprint: tx.fingerprint::<R>()?.1, rows: 0 }), None),
            };
            return self.scan(tx, paging.limit, (walked, place), &keep);
        }
        let Some(filter) = narrowest else { return Err(foreign_cursor()) };
        let (all, damaged) = gathered(tx, filter, &keep)?;
        Ok(ListPage { damaged, ..self.cut(all, paging.limit, place)? })
    }

    /// Whether the first page of the list comes from all records that pass the narrowest filter, sorted in memory.
    fn gathers(&self, tx: &TenantRead<'_>, limit: usize) -> Result<bool> {
        let Some(passing) = self.filters.iter().map(|filter| filter.count).min() else { return Ok(false) };
        if passing > MAX_IN_MEMORY {
            return Ok(false);
        }
        // Only with one filter is it known how many of all pass.
        if self.filters.len() > 1 || !self.is_counted {
            return Ok(true);
        }
        let all = tx.count::<R>()?;
        let scanned = (limit as u64).saturating_mul(all);
        Ok(all > passing.saturating_mul(MANY_OF_ALL) || scanned >= passing.saturating_mul(passing))
    }

    fn scan(
        &self,
        tx: &TenantRead<'_>,
        limit: usize,
        (walked, place): (Option<Walked>, Option<&[u8]>),
        keep: &impl Fn(&Stored<R>) -> bool,
    ) -> Result<ListPage<R>> {
        let scan = self.order.scan.clone().reversed(self.order.descending).limit(limit);
        let scan = scan.after(place.map(<[u8]>::to_vec)).within_bytes(MAX_PAGE_BYTES);
        // Where every record is kept, the next row need not be read to know that there is one more.
        let keeps_all = self.filters.is_empty() && self.is_counted && self.unseen == 0;
        let mut page = tx.page(&if keeps_all { scan } else { scan.looking_ahead() }, keep)?;
        let is_of_all = self.sees_all && self.filters.is_empty() && self.order.scan.is_whole();
        let walked = walked.filter(|_| is_of_all).map(|walked| walked.and(page.examined));
        if let Some(walked) = walked.filter(|_| page.next.is_none())
            && walked.fingerprint == tx.fingerprint::<R>()?.1
            // For a list of one page by id, the store has done so.
            && (place.is_some() || !self.order.scan.is_by_id())
        {
            page.damaged += tx.count_hidden_by::<R>(&self.order.scan, walked.rows, page.gaps)?;
        }
        let total = match self.filters.as_slice() {
            [] => tx.count::<R>()?.saturating_sub(self.unseen),
            [only] => only.count.saturating_sub(self.unseen),
            filters => match filters.iter().min_by_key(|filter| filter.count) {
                Some(narrowest) => counted(tx, &narrowest.scans, keep)?,
                None => 0,
            },
        };
        let next = page.next.map(|place| match walked {
            Some(walked) => [&[BY_COUNTED_SCAN], walked.to_bytes().as_slice(), &place].concat(),
            None => [&[BY_SCAN], place.as_slice()].concat(),
        });
        Ok(ListPage { items: page.items, next, total, damaged: page.damaged })
    }

    /// Sorts the records and returns the page after `place`.
    fn cut(&self, all: Vec<SizedRecord<R>>, limit: usize, place: Option<&[u8]>) -> Result<ListPage<R>> {
        let total = all.len() as u64;
        let mut placed: Vec<(Vec<u8>, Stored<R>, usize)> =
            all.into_iter().map(|(record, size)| ((self.order.place)(&record), record, size)).collect();
        let compare = |a: (&[u8], &[u8; 16]), b: (&[u8], &[u8; 16])| {
            if self.order.descending { b.cmp(&a) } else { a.cmp(&b) }
        };
        placed.sort_by(|a, b| compare((&a.0, a.1.id.as_bytes()), (&b.0, b.1.id.as_bytes())));
        let begin = match place {
            None => 0,
            Some(place) => {
                let (value, id) = place.split_last_chunk::<16>().ok_or_else(foreign_cursor)?;
                placed.partition_point(|(at, record, _)| {
                    compare((at, record.id.as_bytes()), (value, id)) != Ordering::Greater
                })
            }
        };
        let sizes = placed.iter().skip(begin).take(limit).map(|(_, _, size)| *size);
        let limit = count_fitting(sizes, MAX_PAGE_BYTES);
        let more = placed.len() > begin + limit;
        let page: Vec<(Vec<u8>, Stored<R>, usize)> = placed.into_iter().skip(begin).take(limit).collect();
        let next = page.last().filter(|_| more).map(|(at, record, _)| {
            let id: &[u8] = record.id.as_bytes();
            [&[BY_GATHER], at.as_slice(), id].concat()
        });
        Ok(ListPage { items: page.into_iter().map(|(_, record, _)| record).collect(), next, total, damaged: 0 })
    }
}

/// The records of a page whose ids come from the index.
#[derive(Debug)]
pub struct FoundRecords<R: Record> {
    /// The records in the order of the ids, without those that are gone.
    pub items: Vec<Stored<R>>,
    /// How many of the ids the page has, with those of records that are gone or damaged.
    pub looked_up: usize,
    /// How many records are damaged.
    pub damaged: usize,
}

/// Reads these records in their order until a page is full.
pub fn find_all<R: TenantRecord>(
    tx: &TenantRead<'_>,
    ids: &[RecordId<R>],
    keep: &impl Fn(&Stored<R>) -> bool,
) -> Result<FoundRecords<R>> {
    let mut found = FoundRecords { items: Vec::with_capacity(ids.len()), looked_up: 0, damaged: 0 };
    let mut bytes = 0_usize;
    for id in ids {
        if bytes >= MAX_PAGE_BYTES {
            break;
        }
        found.looked_up += 1;
        match tx.find_sized::<R>(*id) {
            Err(error) if error.is_damage() => found.damaged += 1,
            // The index may still contain records that are gone.
            read => {
                if let Some((record, size)) = read?.filter(|(record, _)| keep(record)) {
                    bytes = bytes.saturating_add(size);
                    found.items.push(record);
                }
            }
        }
    }
    Ok(found)
}

/// A record with its size in bytes as stored.
type SizedRecord<R> = (Stored<R>, usize);

fn gathered<R: TenantRecord>(
    tx: &TenantRead<'_>,
    filter: &ListFilter,
    keep: &impl Fn(&Stored<R>) -> bool,
) -> Result<(Vec<SizedRecord<R>>, usize)> {
    let mut all = Vec::new();
    let mut damaged = 0;
    for scan in &filter.scans {
        let page = tx.page(&scan.clone().limit(MAX_GATHERED - all.len().min(MAX_GATHERED)), keep)?;
        all.extend(page.items.into_iter().zip(page.sizes));
        damaged += page.damaged;
    }
    Ok((all, damaged))
}

/// Counts up to 2,000 matching records in total.
fn counted<R: TenantRecord>(tx: &TenantRead<'_>, scans: &[Scan], keep: &impl Fn(&Stored<R>) -> bool) -> Result<u64> {
    let few = usize::try_from(MAX_IN_MEMORY).unwrap_or(usize::MAX);
    let mut count = 0;
    for scan in scans {
        count += tx.page(&scan.clone().limit(few - count), keep)?.items.len();
        if count >= few {
            break;
        }
    }
    Ok(count as u64)
}
