//! Lists: in which order, and which, records are read, a page at a time. A damaged record is passed over
//! and counted, so that one broken bit does not take a whole list away.

use std::ops::{Bound, ControlFlow};

use super::{
    codec::{Record, Stored},
    keys,
    quarantine::{Damage, Fault},
    read::{TenantRead, unseal, unseal_record},
};
use crate::kernel::{Error, Id, MemberId, Result};

/// Records looked at for one page before it is handed over as it is, with a cursor to go on from.
const EXAMINE: usize = 20_000;

/// In which order, and which, a list reads records.
#[derive(Clone, Debug)]
pub struct Scan {
    by: By,
    reverse: bool,
    after: Option<Vec<u8>>,
    limit: usize,
}

#[derive(Clone, Debug)]
enum By {
    Id,
    Order(u16),
    Exact(u16, Vec<u8>),
    Prefix(u16, Vec<u8>),
    Between(u16, Vec<u8>, Vec<u8>),
}

impl Scan {
    /// All records in the order in which they were made, oldest first, up to 50.
    #[must_use]
    pub const fn all() -> Self {
        Self { by: By::Id, reverse: false, after: None, limit: 50 }
    }
    /// All records in the order of a lookup's values.
    #[must_use]
    pub fn ordered(lookup: u16) -> Self {
        Self { by: By::Order(lookup), ..Self::all() }
    }
    /// The records with exactly this value, in the order in which they were made.
    #[must_use]
    pub fn with(lookup: u16, value: impl AsRef<[u8]>) -> Self {
        Self { by: By::Exact(lookup, value.as_ref().to_vec()), ..Self::all() }
    }
    /// The records whose value begins with this, in the order of the values.
    #[must_use]
    pub fn beginning(lookup: u16, value: impl AsRef<[u8]>) -> Self {
        Self { by: By::Prefix(lookup, value.as_ref().to_vec()), ..Self::all() }
    }
    /// The records whose value lies from `from` to before `to`, in the order of the values.
    #[must_use]
    pub fn between(lookup: u16, from: impl AsRef<[u8]>, to: impl AsRef<[u8]>) -> Self {
        Self { by: By::Between(lookup, from.as_ref().to_vec(), to.as_ref().to_vec()), ..Self::all() }
    }
    /// The other way round.
    #[must_use]
    pub const fn reversed(mut self, reverse: bool) -> Self {
        self.reverse = reverse;
        self
    }
    /// Goes on behind the place that an earlier page named.
    #[must_use]
    pub fn after(mut self, place: Option<Vec<u8>>) -> Self {
        self.after = place;
        self
    }
    /// At most so many.
    #[must_use]
    pub const fn limit(mut self, limit: usize) -> Self {
        self.limit = limit;
        self
    }
}

/// Some records, and the place to go on from when there are more.
#[derive(Debug)]
pub struct Page<R> {
    /// The records.
    pub items: Vec<Stored<R>>,
    /// Where the next page begins; none when this was the last.
    pub next: Option<Vec<u8>>,
    /// How many were withheld because they are damaged.
    pub damaged: usize,
}

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
            _ => (Bound::Included(prefix.clone()), keys::after(&prefix)),
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
            if page.items.len() == scan.limit || seen == EXAMINE {
                page.next = last.take();
                return Ok(ControlFlow::Break(()));
            }
            seen += 1;
            match self.listed(person, through_lookup, key, value)? {
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

    /// The record of one row of a list; none when row or record are damaged, which is noted.
    fn listed<R: Record>(
        &self,
        person: Option<MemberId>,
        through_lookup: bool,
        key: &[u8],
        value: &[u8],
    ) -> Result<Option<Stored<R>>> {
        if !through_lookup {
            return Ok(unseal_record(self.view, key, value).ok());
        }
        // A unique lookup holds the id as its payload, the others at the end of their key.
        let Ok((_, payload)) = unseal(self.view, key, value) else { return Ok(None) };
        let tail = if payload.is_empty() { key.len().checked_sub(16).map(|at| &key[at..]) } else { Some(payload) };
        let id: Id<R> = tail.and_then(Id::from_slice).ok_or_else(|| Error::internal("a lookup without an id"))?;
        let record = keys::record(self.tenant.into(), R::TABLE, person, id.as_bytes());
        let Some(row) = self.view.get(&record)? else {
            // A lookup and its record are written in one commit: a missing record is damage.
            self.view.quarantine().note(&record, Damage::of_record(&record, R::KIND, Fault::Missing));
            return Ok(None);
        };
        Ok(unseal_record(self.view, &record, &row).ok())
    }
}
