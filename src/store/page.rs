//! Pagination: which records a list contains, in which order, one page at a time. Damaged records are skipped and
//! counted, so that one of them does not make a whole list fail.

use std::ops::{Bound, ControlFlow};

use super::{
    codec::{Record, RecordId, Stored, TenantRecord},
    keys,
    quarantine::{Damage, Fault},
    read::TenantRead,
    rows::{unseal, unseal_record},
    scan::{By, Page, Scan},
};
use crate::kernel::{Id, MemberId, Result};

/// Records of a page up to which the space for them is reserved at once.
const MAX_RESERVED: usize = 200;

impl TenantRead<'_> {
    pub(super) fn load_page<R: Record>(
        &self,
        person: Option<MemberId>,
        scan: &Scan,
        mut keep: impl FnMut(&Stored<R>) -> bool,
    ) -> Result<Page<R>> {
        let space = self.tenant.into();
        let (prefix, through_lookup) = match &scan.by {
            By::Id => {
                let mut prefix = keys::table(space, R::TABLE);
                prefix.extend(person.iter().flat_map(|person| *person.as_bytes()));
                (prefix, false)
            }
            By::Order(lookup) | By::Between(lookup, ..) => (keys::lookup_prefix(space, *lookup, person, &[]), true),
            By::Exact(lookup, value) => (keys::lookup(space, *lookup, person, value), true),
            By::Prefix(lookup, value) => (keys::lookup_prefix(space, *lookup, person, value), true),
        };
        let place = scan.after.as_ref().map(|tail| [prefix.as_slice(), tail].concat());
        let (mut from, mut to) = match &scan.by {
            By::Between(lookup, from, to) => (
                Bound::Included(keys::lookup_prefix(space, *lookup, person, from)),
                Bound::Excluded(keys::lookup_prefix(space, *lookup, person, to)),
            ),
            _ => (Bound::Included(prefix.clone()), keys::end(&prefix)),
        };
        match place {
            Some(place) if scan.reverse => to = Bound::Excluded(place),
            Some(place) => from = Bound::Excluded(place),
            None => {}
        }
        let reserved = if scan.limit <= MAX_RESERVED { scan.limit } else { 0 };
        let items = Vec::with_capacity(reserved);
        let sizes = Vec::with_capacity(reserved);
        let mut page = Page { items, sizes, next: None, damaged: 0, examined: 0, gaps: 0 };
        let mut bytes = 0_usize;
        let mut last: Option<Vec<u8>> = None;
        // The end of a full page after which rows are looked at for a kept one, with what had been seen there.
        let mut full: Option<(Option<Vec<u8>>, usize, usize)> = None;
        let gaps = self.view.scan_readable((from, to), scan.reverse, &mut |key, value| {
            let is_full = page.items.len() == scan.limit || bytes >= scan.bytes;
            if is_full && scan.looks_ahead && full.is_none() {
                full = Some((last.clone(), page.examined, page.damaged));
            }
            if (is_full && !scan.looks_ahead) || page.examined == scan.examined {
                page.next = last.take();
                return Ok(ControlFlow::Break(()));
            }
            page.examined += 1;
            match self.read_listed(person, through_lookup, key, value)? {
                Some((record, size)) if keep(&record) => {
                    if is_full {
                        page.next = last.take();
                        return Ok(ControlFlow::Break(()));
                    }
                    page.items.push(record);
                    page.sizes.push(size);
                    bytes = bytes.saturating_add(size);
                }
                Some(_) => {}
                None => page.damaged += 1,
            }
            let tail = key.get(prefix.len()..).unwrap_or_default();
            let last = last.get_or_insert_default();
            last.clear();
            last.extend_from_slice(tail);
            Ok(ControlFlow::Continue(()))
        })?;
        if let Some((end, examined, damaged)) = full.filter(|_| page.next.is_some()) {
            (page.next, page.examined, page.damaged) = (end, examined, damaged);
        }
        page.gaps = usize::try_from(gaps).unwrap_or(usize::MAX);
        page.damaged += page.gaps;
        let is_whole_table = matches!(scan.by, By::Id) && person.is_none() && scan.after.is_none();
        if is_whole_table && page.next.is_none() {
            page.damaged += self.count_hidden::<R>(&prefix, page.examined, page.gaps)?;
        }
        Ok(page)
    }

    /// Returns how many records damage hides from a list of all records of a kind after `seen` rows: damaged pages may lead
    /// past rows unnoticed. Records that in the quarantine. `gaps` are counted already.
    fn count_hidden<R: Record>(&self, prefix: &[u8], seen: usize, gaps: usize) -> Result<usize> {
        let hidden = self.count::<R>()?.saturating_sub(seen as u64);
        if hidden > 0 {
            self.view.quarantine().note(prefix, Damage::at(prefix, Fault::Disagrees));
        }
        Ok(usize::try_from(hidden).unwrap_or(usize::MAX).saturating_sub(gaps))
    }

    /// The same for a list of several pages by an index that has each record once, after its last page.
    pub fn count_hidden_by<R: TenantRecord>(&self, scan: &Scan, seen: usize, gaps: usize) -> Result<usize> {
        let prefix = match &scan.by {
            By::Order(lookup) => keys::lookup_prefix(self.tenant.into(), *lookup, None, &[]),
            _ => keys::table(self.tenant.into(), R::TABLE),
        };
        self.count_hidden::<R>(&prefix, seen, gaps)
    }

    /// Returns the record for a row of the list with its size in bytes as stored, `None` if row or record is damaged.
    /// Records damage in the quarantine.
    fn read_listed<R: Record>(
        &self,
        person: Option<MemberId>,
        through_lookup: bool,
        key: &[u8],
        value: &[u8],
    ) -> Result<Option<(Stored<R>, usize)>> {
        if !through_lookup {
            return Ok(unseal_record(self.view, key, value).ok().map(|record| (record, value.len())));
        }
        // A unique index row holds the id as payload; others have it at the end of the key.
        let Ok((_, payload)) = unseal(self.view, key, value) else { return Ok(None) };
        let tail = if payload.is_empty() { key.len().checked_sub(16).map(|at| &key[at..]) } else { Some(payload) };
        // Without an id, the row is not what was written, although its checksum fits.
        let Some(id): Option<RecordId<R>> = tail.and_then(Id::from_slice) else { return Ok(None) };
        let record = keys::record(self.tenant.into(), R::TABLE, person, id.as_bytes());
        let mut found = None;
        let mut read = |row: &[u8]| {
            found = unseal_record(self.view, &record, row).ok().map(|record| (record, row.len()));
        };
        let fault = match self.view.visit(&record, &mut read) {
            Ok(true) => return Ok(found),
            // Index row and record are written in one commit, so a missing record is damage.
            Ok(false) => Fault::Missing,
            // The page with the record: the others of the list can be read.
            Err(error) if error.is_damage() => Fault::Unreadable,
            Err(error) => return Err(error),
        };
        self.view.quarantine().note(&record, Damage::of_record(&record, R::KIND, fault));
        Ok(None)
    }
}
