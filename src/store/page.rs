//! Pagination: which records a list contains, in which order, one page at a time. Damaged records are skipped and
//! counted, so that one of them does not make a whole list fail.

use std::ops::{Bound, ControlFlow};

use super::{
    codec::{Record, RecordId, Stored},
    keys,
    quarantine::{Damage, Fault},
    read::TenantRead,
    rows::{unseal, unseal_record},
    scan::{By, Page, Scan},
};
use crate::kernel::{Error, Id, MemberId, Result};

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
        let mut page = Page { items: Vec::new(), next: None, damaged: 0 };
        let mut last: Option<Vec<u8>> = None;
        let mut seen = 0;
        let gaps = self.view.scan_readable((from, to), scan.reverse, &mut |key, value| {
            if page.items.len() == scan.limit || seen == scan.examined {
                page.next = last.take();
                return Ok(ControlFlow::Break(()));
            }
            seen += 1;
            match self.read_listed(person, through_lookup, key, value)? {
                Some(record) if keep(&record) => page.items.push(record),
                Some(_) => {}
                None => page.damaged += 1,
            }
            let tail = key.get(prefix.len()..).unwrap_or_default();
            let last = last.get_or_insert_default();
            last.clear();
            last.extend_from_slice(tail);
            Ok(ControlFlow::Continue(()))
        })?;
        page.damaged += usize::try_from(gaps).unwrap_or(usize::MAX);
        Ok(page)
    }

    /// Returns the record for a row of the list, `None` if row or record is damaged. Records damage in the quarantine.
    fn read_listed<R: Record>(
        &self,
        person: Option<MemberId>,
        through_lookup: bool,
        key: &[u8],
        value: &[u8],
    ) -> Result<Option<Stored<R>>> {
        if !through_lookup {
            return Ok(unseal_record(self.view, key, value).ok());
        }
        // A unique index row holds the id as payload; others have it at the end of the key.
        let Ok((_, payload)) = unseal(self.view, key, value) else { return Ok(None) };
        let tail = if payload.is_empty() { key.len().checked_sub(16).map(|at| &key[at..]) } else { Some(payload) };
        let id: RecordId<R> = tail.and_then(Id::from_slice).ok_or_else(|| Error::internal("a lookup without an id"))?;
        let record = keys::record(self.tenant.into(), R::TABLE, person, id.as_bytes());
        let Some(row) = self.view.get(&record)? else {
            // Index row and record are written in one commit, so a missing record is damage.
            self.view.quarantine().note(&record, Damage::of_record(&record, R::KIND, Fault::Missing));
            return Ok(None);
        };
        Ok(unseal_record(self.view, &record, &row).ok())
    }
}
