//! Erasure of a tenant: all rows under its 16-byte id, and the global index rows that point to it. It runs in batches
//! of a few thousand rows, so that other writes do not wait. The tenant's root record is removed last, so that an
//! interrupted erasure is detected and continued.

use std::ops::{Bound, ControlFlow};

use super::{
    Actor, Store, TableInfo, TenantWrite,
    codec::{open, seal},
    keys::{self, Space},
    view::View as _,
};
use crate::kernel::{Result, TenantId};

/// Rows removed per commit.
const ROWS_PER_COMMIT: usize = 5_000;

impl Store {
    /// Erases all rows of a tenant except its record in `root`. Repeating it changes nothing.
    /// Errors: `busy` or `internal` when the store fails; a repetition removes the rest.
    pub async fn erase(&self, tenant: TenantId, root: TableInfo) -> Result<()> {
        // Index rows first, so that nothing finds records that are gone.
        self.erase_all_global_lookups(tenant, false).await?;
        let mut more = true;
        while more {
            (more, _) = self.write(tenant, Actor::System, move |tx| tx.erase_rows(root)).await?;
        }
        Ok(())
    }

    /// Erases what [`Store::erase`] left, in one write. No trace of the tenant remains.
    pub async fn erase_root(&self, tenant: TenantId, root: TableInfo) -> Result<()> {
        let (known, _) = self.write(tenant, Actor::System, move |tx| tx.erase_root(root)).await?;
        if !known {
            // A damaged root record does not say which index rows point to it, so all are searched. It is removed last.
            self.erase_all_global_lookups(tenant, true).await?;
            let mut more = true;
            while more {
                (more, _) = self.write(tenant, Actor::System, |tx| tx.erase_some(None)).await?;
            }
        }
        Ok(())
    }

    async fn erase_all_global_lookups(&self, tenant: TenantId, even_to_root: bool) -> Result<()> {
        let mut after = Some(keys::table(Space::SYSTEM, keys::LOOKUPS));
        while let Some(from) = after {
            let work = move |tx: &TenantWrite<'_>| tx.erase_global_lookups(from, even_to_root);
            (after, _) = self.write(tenant, Actor::System, work).await?;
        }
        Ok(())
    }
}

impl TenantWrite<'_> {
    /// Removes global index rows that point to the tenant. Returns the key to continue at, if there may be more.
    fn erase_global_lookups(&self, from: Vec<u8>, even_to_root: bool) -> Result<Option<Vec<u8>>> {
        let tenant = self.tenant();
        let mut gone = Vec::new();
        let mut next = None;
        self.staged.rows.scan(Bound::Included(from), keys::end(&Space::SYSTEM.0), false, &mut |key, _| {
            // Their keys end with tenant and id.
            let end = key.len().checked_sub(32).filter(|at| *at >= keys::HEAD_BYTES).and_then(|at| key.get(at..));
            let (whose, id) = end.unwrap_or_default().split_at_checked(16).unwrap_or_default();
            let is_root = id == tenant.as_bytes();
            if whose == tenant.as_bytes() && (even_to_root || !is_root) {
                gone.push(key.to_vec());
            }
            if gone.len() < ROWS_PER_COMMIT {
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

    /// Removes the tenant's root record, its index rows and all rows left. Returns false, and removes nothing, if the
    /// record is damaged, because its index rows are then unknown.
    fn erase_root(&self, root: TableInfo) -> Result<bool> {
        let tenant = self.tenant();
        let key = keys::record(tenant.into(), root.table, None, tenant.as_bytes());
        let Some(row) = self.staged.rows.get(&key)? else { return self.erase_rest().map(|()| true) };
        let read = open(&key, &row).and_then(|(version, payload)| (root.inspect)(&key, version, payload));
        let Ok(inspected) = read else { return Ok(false) };
        for (row, _) in inspected.lookups {
            self.staged.set(row, None);
        }
        self.erase_rest().map(|()| true)
    }

    /// Removes the tenant's remaining rows. They are few, because all others were removed before.
    fn erase_rest(&self) -> Result<()> {
        while self.erase_some(None)? {}
        Ok(())
    }

    /// Removes some of the tenant's rows, but not its record in `root`. Returns whether more may be left.
    fn erase_rows(&self, root: TableInfo) -> Result<bool> {
        let tenant = self.tenant();
        self.erase_some(Some(&keys::record(tenant.into(), root.table, None, tenant.as_bytes())))
    }

    fn erase_some(&self, kept: Option<&[u8]>) -> Result<bool> {
        let tenant = self.tenant();
        let prefix = tenant.as_bytes().to_vec();
        let mut gone = Vec::new();
        self.staged.rows.scan(Bound::Included(prefix.clone()), keys::end(&prefix), false, &mut |key, _| {
            if Some(key) != kept {
                gone.push(key.to_vec());
            }
            Ok(if gone.len() < ROWS_PER_COMMIT { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
        })?;
        let more = gone.len() == ROWS_PER_COMMIT;
        for key in gone {
            if keys::split(&key).is_some_and(|(_, table)| table == keys::LEDGER) {
                // The global order keeps the sequence number without its tenant.
                let mut order = keys::table(Space::SYSTEM, keys::LEDGER);
                order.extend_from_slice(key.get(keys::HEAD_BYTES..).unwrap_or_default());
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
    async fn erasing_a_tenant_removes_all_its_rows_and_no_others() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("store.redb"), Clock::system(), Entropy::seeded(1)).unwrap();
        fill(&store).await;
        let gone = tenant(0);
        let stays = tenant(1);
        let rows = |of: TenantId| {
            let mut rows = Vec::new();
            let prefix = of.as_bytes().to_vec();
            let snapshot = store.snapshot().unwrap();
            let all = (Bound::Included(prefix.clone()), keys::end(&prefix));
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
