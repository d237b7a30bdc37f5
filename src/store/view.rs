//! The ordered key-value interface for all reads, on a snapshot or within a write transaction. Effects of damaged pages
//! on redb (panics, rows out of order) become gaps here: unreadable ranges, which the reader refuses or skips.

use std::{
    cell::{Cell, RefCell},
    collections::BTreeMap,
    ops::{Bound, ControlFlow},
    panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook},
    sync::Once,
};

use redb::{StorageError, TableDefinition};

use super::quarantine::{Damage, Fault, Quarantine};
use crate::kernel::{Error, Result};

/// The one redb table that holds all rows.
pub(super) const ROWS: TableDefinition<&[u8], &[u8]> = TableDefinition::new("rows");

/// It, open for writing.
pub(super) type Table<'txn> = redb::Table<'txn, &'static [u8], &'static [u8]>;

/// Called with key and value of each row of a scan.
pub(super) type OnRow<'v> = dyn FnMut(&[u8], &[u8]) -> Result<ControlFlow<()>> + 'v;
/// Called for each unreadable range, with the key of the last intact row before it, or the start of the scan. An error
/// ends the scan; otherwise it continues after the range.
pub(super) type OnGap<'g> = dyn FnMut(&[u8]) -> Result<()> + 'g;
/// A range of keys.
pub(super) type Keys = (Bound<Vec<u8>>, Bound<Vec<u8>>);
/// Rows to write, or to remove (`None`).
pub(super) type Rows = BTreeMap<Vec<u8>, Option<Vec<u8>>>;

/// An ordered key-value view.
pub(super) trait View {
    /// Returns the row with this key.
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>>;
    /// Calls `visit` with the row with this key. Returns whether there is one. Spares the copy that `get` makes.
    fn visit(&self, key: &[u8], visit: &mut dyn FnMut(&[u8])) -> Result<bool> {
        let row = self.get(key)?;
        if let Some(row) = &row {
            visit(row);
        }
        Ok(row.is_some())
    }
    /// Visits the rows in a key range in order, including those with damaged content, until `visit` stops it.
    fn walk(&self, keys: Keys, reverse: bool, visit: &mut OnRow<'_>, gap: &mut OnGap<'_>) -> Result<()>;

    /// Visits the rows in a key range until `visit` stops it. An unreadable range is an error.
    fn scan(&self, from: Bound<Vec<u8>>, to: Bound<Vec<u8>>, reverse: bool, visit: &mut OnRow<'_>) -> Result<()> {
        let refuse = &mut |_: &[u8]| Err(Error::damaged("pages of the store cannot be read"));
        self.walk((from, to), reverse, visit, refuse)
    }

    /// Visits the rows in a key range until `visit` stops it. Skips unreadable ranges, records them in the quarantine
    /// and returns their number.
    fn scan_readable(&self, keys: Keys, reverse: bool, visit: &mut OnRow<'_>) -> Result<u64> {
        let mut gaps = 0;
        self.walk(keys, reverse, visit, &mut |place| {
            gaps += 1;
            self.quarantine().note(place, Damage::at(place, Fault::Unreadable));
            Ok(())
        })?;
        Ok(gaps)
    }

    /// The quarantine for damaged rows.
    fn quarantine(&self) -> &Quarantine;
}

/// Calls redb while a file is opened. A panic, which damaged pages can cause, becomes an error.
pub(super) fn guarded_open<T>(open: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_panic(open).unwrap_or_else(|| Err(Error::damaged("the store's file: its pages cannot be read")))
}

thread_local! {
    /// Whether a panic on this thread is expected and must not be printed.
    static QUIET: Cell<bool> = const { Cell::new(false) };
}

/// Calls redb, which may panic on damaged pages. Returns `None` on a panic, without printing it.
pub(super) fn catch_panic<T>(call: impl FnOnce() -> T) -> Option<T> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = take_hook();
        set_hook(Box::new(move |panic| {
            if !QUIET.get() {
                before(panic);
            }
        }));
    });
    let outer = QUIET.replace(true);
    let outcome = catch_unwind(AssertUnwindSafe(call));
    QUIET.set(outer);
    outcome.ok()
}

/// Whether a range is empty by its bounds. redb and `BTreeMap` panic on some such ranges.
pub(super) fn is_empty(from: &Bound<Vec<u8>>, to: &Bound<Vec<u8>>) -> bool {
    match (from, to) {
        (Bound::Included(a), Bound::Included(b)) => a > b,
        (Bound::Included(a) | Bound::Excluded(a), Bound::Included(b) | Bound::Excluded(b)) => a >= b,
        _ => false,
    }
}

/// Calls redb. A panic, which damaged pages can cause, becomes an error for this caller only.
pub(super) fn guarded<T>(call: impl FnOnce() -> Result<T, StorageError>) -> Result<T, StorageError> {
    catch_panic(call).unwrap_or_else(|| Err(StorageError::Corrupted("the pages here cannot be read".into())))
}

/// A key, and what an overlay had there before: nothing, a removal, or a row.
type Replaced = (Vec<u8>, Option<Option<Vec<u8>>>);

/// An overlay of changed rows over a view: the changes of one write, or of the group that shares its commit.
pub(super) struct Layer<'b> {
    base: &'b dyn View,
    rows: RefCell<Rows>,
    /// While there are savepoints: what `rows` had at each key that was set since the first of them.
    log: RefCell<Vec<Replaced>>,
    savepoints: Cell<usize>,
}

/// A state of a [`Layer`] that it can be set back to.
#[derive(Clone, Copy)]
pub(super) struct Savepoint(usize);

impl<'b> Layer<'b> {
    /// Creates an empty overlay over `base`.
    pub(super) fn new(base: &'b dyn View) -> Self {
        Self { base, rows: RefCell::default(), log: RefCell::default(), savepoints: Cell::new(0) }
    }

    /// Sets or removes a row.
    pub(super) fn set(&self, key: Vec<u8>, value: Option<Vec<u8>>) {
        if self.savepoints.get() == 0 {
            self.rows.borrow_mut().insert(key, value);
        } else {
            let before = self.rows.borrow_mut().insert(key.clone(), value);
            self.log.borrow_mut().push((key, before));
        }
    }

    /// Begins a savepoint. Savepoints nest: the last one ends first.
    pub(super) fn savepoint(&self) -> Savepoint {
        self.savepoints.set(self.savepoints.get() + 1);
        Savepoint(self.log.borrow().len())
    }

    /// Ends a savepoint and keeps the changes made since.
    pub(super) fn release(&self, _: Savepoint) {
        self.savepoints.set(self.savepoints.get() - 1);
        if self.savepoints.get() == 0 {
            self.log.take();
        }
    }

    /// Ends a savepoint and takes back the changes made since. Takes time in proportion to them, not to all changes.
    pub(super) fn roll_back(&self, to: Savepoint) {
        let undone = self.log.borrow_mut().split_off(to.0);
        let mut rows = self.rows.borrow_mut();
        for (key, before) in undone.into_iter().rev() {
            match before {
                Some(value) => rows.insert(key, value),
                None => rows.remove(&key),
            };
        }
        drop(rows);
        self.release(to);
    }

    /// Merges the rows of the overlay above into this one.
    pub(super) fn absorb(&self, rows: Rows) {
        let mut own = self.rows.borrow_mut();
        if own.is_empty() {
            *own = rows;
        } else {
            own.extend(rows);
        }
    }

    /// Returns the rows to apply.
    pub(super) fn into_rows(self) -> Rows {
        self.rows.into_inner()
    }
}

impl View for Layer<'_> {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>> {
        if let Some(row) = self.rows.borrow().get(key) {
            return Ok(row.clone());
        }
        self.base.get(key)
    }

    fn visit(&self, key: &[u8], visit: &mut dyn FnMut(&[u8])) -> Result<bool> {
        let own = self.rows.borrow().get(key).cloned();
        let Some(row) = own else { return self.base.visit(key, visit) };
        if let Some(row) = &row {
            visit(row);
        }
        Ok(row.is_some())
    }

    fn walk(&self, (from, to): Keys, reverse: bool, visit: &mut OnRow<'_>, gap: &mut OnGap<'_>) -> Result<()> {
        if is_empty(&from, &to) {
            return Ok(());
        }
        // Copied, so that `visit` may read and write during the scan. The changes of one commit are few.
        let mut own: Vec<(Vec<u8>, Option<Vec<u8>>)> = self
            .rows
            .borrow()
            .range::<Vec<u8>, _>((from.as_ref(), to.as_ref()))
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect();
        if own.is_empty() {
            return self.base.walk((from, to), reverse, visit, gap);
        }
        if !reverse {
            own.reverse();
        }
        let comes_before = |a: &[u8], b: &[u8]| if reverse { a > b } else { a < b };
        let mut stopped = false;
        let merged: &mut OnRow<'_> = &mut |key, value| {
            while let Some((next, change)) = own.pop_if(|(next, _)| comes_before(next, key)) {
                if let Some(bytes) = change
                    && visit(&next, &bytes)?.is_break()
                {
                    stopped = true;
                    return Ok(ControlFlow::Break(()));
                }
            }
            let flow = match own.pop_if(|(next, _)| next == key) {
                Some((_, None)) => ControlFlow::Continue(()),
                Some((_, Some(bytes))) => visit(key, &bytes)?,
                None => visit(key, value)?,
            };
            stopped = flow.is_break();
            Ok(flow)
        };
        self.base.walk((from, to), reverse, merged, gap)?;
        while !stopped && let Some((next, change)) = own.pop() {
            if let Some(bytes) = change {
                stopped = visit(&next, &bytes)?.is_break();
            }
        }
        Ok(())
    }

    fn quarantine(&self) -> &Quarantine {
        self.base.quarantine()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A view over rows in memory.
    struct Plain(BTreeMap<Vec<u8>, Vec<u8>>, Quarantine);

    impl View for Plain {
        fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>> {
            Ok(self.0.get(key).cloned())
        }
        fn walk(&self, keys: Keys, reverse: bool, visit: &mut OnRow<'_>, _: &mut OnGap<'_>) -> Result<()> {
            let mut rows: Vec<_> = self.0.range(keys).collect();
            if reverse {
                rows.reverse();
            }
            for (key, value) in rows {
                if visit(key, value)?.is_break() {
                    break;
                }
            }
            Ok(())
        }
        fn quarantine(&self) -> &Quarantine {
            &self.1
        }
    }

    proptest! {
        #[test]
        fn layered_reads_match_the_merged_rows(
            base: BTreeMap<u8, u8>,
            group: BTreeMap<u8, Option<u8>>,
            own: BTreeMap<u8, Option<u8>>,
            a: u8,
            b: u8,
            reverse: bool,
            most in 1_usize..9,
        ) {
            let bytes = |rows: &BTreeMap<u8, Option<u8>>| -> Rows {
                rows.iter().map(|(key, value)| (vec![*key], value.map(|value| vec![value]))).collect()
            };
            let plain = Plain(base.iter().map(|(key, value)| (vec![*key], vec![*value])).collect(), Quarantine::default());
            let mut expected = plain.0.clone();
            for (key, value) in bytes(&group).into_iter().chain(bytes(&own)) {
                match value {
                    Some(value) => expected.insert(key, value),
                    None => expected.remove(&key),
                };
            }
            let lower = Layer::new(&plain);
            lower.absorb(bytes(&group));
            let upper = Layer::new(&lower);
            upper.absorb(bytes(&own));
            for key in 0..=u8::MAX {
                prop_assert_eq!(upper.get(&[key]).unwrap(), expected.get(&vec![key]).cloned());
            }
            let from = Bound::Included(vec![a]);
            let to = Bound::Excluded(vec![b]);
            let mut seen = Vec::new();
            upper.scan(from.clone(), to.clone(), reverse, &mut |key, value| {
                seen.push((key.to_vec(), value.to_vec()));
                Ok(if seen.len() < most { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
            }).unwrap();
            let mut wanted: Vec<_> = if is_empty(&from, &to) { Vec::new() } else {
                expected.range((from, to)).map(|(key, value)| (key.clone(), value.clone())).collect()
            };
            if reverse {
                wanted.reverse();
            }
            wanted.truncate(most);
            prop_assert_eq!(seen, wanted);
        }
    }
}
