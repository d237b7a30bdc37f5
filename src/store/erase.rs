//! Erasing a tenant: everything under its sixteen bytes, and what leads there from the installation's own
//! rows. It goes a few thousand rows at a time, so that nobody waits; the record by which the tenant exists
//! goes last, so that an erasure that was cut short is seen and gone on with.

use std::ops::{Bound, ControlFlow};

use super::{
    Actor, Store, TableInfo, TenantWrite,
    codec::{open, seal},
    keys::{self, Space},
    view::View as _,
};
use crate::kernel::{Result, TenantId};

/// Rows that go with one commit.
const STEP: usize = 5_000;

impl Store {
    /// Erases all of a tenant's rows but its record in `root`. Doing it twice changes nothing.
    ///
    /// # Errors
    /// `busy` or `internal` when the store fails; what is left waits for the next time.
    pub async fn erase(&self, tenant: TenantId, root: TableInfo) -> Result<()> {
        // First what leads there: nothing shall be found that is not there.
        self.erase_all_ways(tenant, false).await?;
        let mut more = true;
        while more {
            (more, _) = self.write(tenant, Actor::System, move |tx| tx.erase_rows(root)).await?;
        }
        Ok(())
    }

    /// Erases what [`Store::erase`] left, in one write: from here on the tenant was never there.
    ///
    /// # Errors
    /// As [`Store::erase`].
    pub async fn erase_root(&self, tenant: TenantId, root: TableInfo) -> Result<()> {
        let (known, _) = self.write(tenant, Actor::System, move |tx| tx.erase_root(root)).await?;
        if !known {
            // What leads to a damaged record, it does not say itself. It is found by its record, so it can wait.
            self.erase_all_ways(tenant, true).await?;
            let mut more = true;
            while more {
                (more, _) = self.write(tenant, Actor::System, |tx| tx.erase_some(None)).await?;
            }
        }
        Ok(())
    }

    async fn erase_all_ways(&self, tenant: TenantId, even_to_root: bool) -> Result<()> {
        let mut after = Some(keys::table(Space::SYSTEM, keys::LOOKUPS));
        while let Some(from) = after {
            let work = move |tx: &TenantWrite<'_>| tx.erase_ways(from, even_to_root);
            (after, _) = self.write(tenant, Actor::System, work).await?;
        }
        Ok(())
    }
}

impl TenantWrite<'_> {
    /// Removes the installation's lookup rows that lead to the tenant. Where to go on, if anywhere.
    fn erase_ways(&self, from: Vec<u8>, even_to_root: bool) -> Result<Option<Vec<u8>>> {
        let tenant = self.tenant();
        let (mut gone, mut next) = (Vec::new(), None);
        self.staged.rows.scan(Bound::Included(from), keys::after(&Space::SYSTEM.0), false, &mut |key, _| {
            // They end with the tenant and the id.
            let end = key.len().checked_sub(32).filter(|at| *at >= keys::HEAD).and_then(|at| key.get(at..));
            let (whose, id) = end.unwrap_or_default().split_at_checked(16).unwrap_or_default();
            let is_root = id == tenant.as_bytes();
            if whose == tenant.as_bytes() && (even_to_root || !is_root) {
                gone.push(key.to_vec());
            }
            if gone.len() < STEP {
                return Ok(ControlFlow::Continue(()));
            }
            next = Some(key.to_vec());
            Ok(ControlFlow::Break(()))
        })?;
        for key in gone {
            self.staged.set(key, None);
        }
        Ok(next)
    }

    /// Removes the record by which the tenant exists, with what leads to it and all that is left. Whether it is known
    /// what leads to it: nothing is removed otherwise.
    fn erase_root(&self, root: TableInfo) -> Result<bool> {
        let tenant = self.tenant();
        let key = keys::record(tenant.into(), root.table, None, tenant.as_bytes());
        let Some(row) = self.staged.rows.get(&key)? else { return self.erase_rest().map(|()| true) };
        let read = open(&key, &row).and_then(|(version, payload)| (root.inspect)(&key, version, payload));
        let Ok(inspected) = read else { return Ok(false) };
        for (way, _) in inspected.lookups {
            self.staged.set(way, None);
        }
        self.erase_rest().map(|()| true)
    }

    /// Removes what is left of the tenant's own rows: few, for all but one were removed before.
    fn erase_rest(&self) -> Result<()> {
        while self.erase_some(None)? {}
        Ok(())
    }

    /// Removes some of the tenant's own rows, but not its record in `root`. Whether there are more.
    fn erase_rows(&self, root: TableInfo) -> Result<bool> {
        let tenant = self.tenant();
        self.erase_some(Some(&keys::record(tenant.into(), root.table, None, tenant.as_bytes())))
    }

    fn erase_some(&self, kept: Option<&[u8]>) -> Result<bool> {
        let tenant = self.tenant();
        let prefix = tenant.as_bytes().to_vec();
        let mut gone = Vec::new();
        self.staged.rows.scan(Bound::Included(prefix.clone()), keys::after(&prefix), false, &mut |key, _| {
            if Some(key) != kept {
                gone.push(key.to_vec());
            }
            Ok(if gone.len() < STEP { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
        })?;
        let more = gone.len() == STEP;
        for key in gone {
            if keys::split(&key).is_some_and(|(_, table)| table == keys::LEDGER) {
                // The ledger of all keeps its numbers; that one of them was this tenant's is forgotten.
                let mut order = keys::table(Space::SYSTEM, keys::LEDGER);
                order.extend_from_slice(key.get(keys::HEAD..).unwrap_or_default());
                let sealed = seal(&order, 1, &Space::SYSTEM.0);
                self.staged.set(order, Some(sealed));
            }
            self.staged.set(key, None);
        }
        Ok(more)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        kernel::{Clock, Entropy},
        store::tests::world::{TABLES, fill, tenant},
    };

    #[tokio::test]
    async fn a_tenant_goes_whole_and_nobody_else_is_touched() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("store.redb"), Clock::system(), Entropy::seeded(1)).unwrap();
        fill(&store).await;
        let (gone, stays) = (tenant(0), tenant(1));
        let rows = |of: TenantId| {
            let mut rows = Vec::new();
            let prefix = of.as_bytes().to_vec();
            let snapshot = store.snapshot().unwrap();
            let all = (Bound::Included(prefix.clone()), keys::after(&prefix));
            snapshot
                .scan(all.0, all.1, false, &mut |key, value| {
                    rows.push((key.to_vec(), value.to_vec()));
                    Ok(ControlFlow::Continue(()))
                })
                .unwrap();
            rows
        };
        let before = (rows(stays), store.snapshot().unwrap().last_change().unwrap());
        assert!(!rows(gone).is_empty());
        let root = TABLES[0];
        for _ in 0..2 {
            store.erase(gone, root).await.unwrap();
        }
        store.erase_root(gone, root).await.unwrap();
        assert_eq!(rows(gone), []);
        assert_eq!((rows(stays), store.snapshot().unwrap().last_change().unwrap()), before);
        let mut left = 0;
        let snapshot = store.snapshot().unwrap();
        snapshot
            .scan(Bound::Unbounded, Bound::Unbounded, false, &mut |key, value| {
                let names = |bytes: &[u8]| bytes.windows(16).any(|part| part == gone.as_bytes());
                left += usize::from(names(key) || names(value));
                Ok(ControlFlow::Continue(()))
            })
            .unwrap();
        assert_eq!(left, 0, "nothing anywhere names it");
        let report = store.check(TABLES, &mut |_| ControlFlow::Continue(())).unwrap();
        assert!(report.is_sound(), "{:?}", report.damage);
        let changes = snapshot.changes_after(0, 100_000).unwrap();
        assert!(!changes.is_empty() && changes.iter().all(|change| change.tenant != gone));
    }
}
