//! Retention of the change feed: removes entries that are old enough and that all readers have passed, a few thousand
//! at a time. The last entry stays, so that the feed itself shows the last sequence number. Records and their counters
//! are not touched.

use std::ops::{Bound, ControlFlow};

use super::{
    Actor, Change, Snapshot, Store, TenantWrite,
    codec::{decode, encode, open, seal},
    keys::{self, Space, meta_key},
    rows::ledger_ends,
    view::View as _,
};
use crate::kernel::{Result, TenantId, Timestamp};

/// Entries removed per commit.
const ENTRIES_PER_COMMIT: usize = 2_000;

impl Snapshot {
    /// Returns the first sequence number that was not trimmed, 0 if there are no entries.
    pub fn first_change(&self) -> Result<u64> {
        Ok(ledger_ends(self)?.1)
    }
}

impl Store {
    /// Removes the oldest entries of the change feed: those from before `before`, up to sequence number `up_to`, which
    /// all readers must have passed. Returns the number removed; 0 means that nothing is left to do.
    /// Errors: `busy` or `internal` when the store fails; a repetition removes the rest.
    pub async fn trim_ledger(&self, before: Timestamp, up_to: u64) -> Result<u64> {
        // The write concerns no tenant, but requires a tenant id.
        let nobody = self.new_tenant_id()?;
        let work = move |tx: &TenantWrite<'_>| tx.trim_ledger(before, up_to);
        Ok(self.write(nobody, Actor::System, work).await?.0)
    }
}

impl TenantWrite<'_> {
    fn trim_ledger(&self, before: Timestamp, up_to: u64) -> Result<u64> {
        let view = &self.staged.rows;
        let (last, _) = ledger_ends(view)?;
        let prefix = keys::table(Space::SYSTEM, keys::LEDGER);
        let mut oldest: Vec<(u64, Vec<u8>, Option<TenantId>)> = Vec::new();
        view.scan(Bound::Included(prefix.clone()), keys::end(&prefix), false, &mut |key, value| {
            let place = key.get(prefix.len()..).and_then(|tail| tail.try_into().ok());
            let seq = place.map_or(0, u64::from_be_bytes);
            // `None` if the entry is damaged or its tenant was erased.
            let whose = open(key, value).ok().and_then(|(_, id)| TenantId::from_bytes(id.try_into().ok()?));
            oldest.push((seq, key.to_vec(), whose));
            let is_enough = oldest.len() > ENTRIES_PER_COMMIT || seq >= last || seq > up_to;
            Ok(if is_enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        })?;
        for (gone, (seq, order, whose)) in oldest.into_iter().enumerate() {
            let own = whose.map(|tenant| {
                let mut own = keys::table(tenant.into(), keys::LEDGER);
                own.extend_from_slice(&seq.to_be_bytes());
                own
            });
            let is_recent = match &own {
                Some(own) => self.is_recent(own, before)?,
                None => false,
            };
            if seq >= last || seq > up_to || is_recent || gone == ENTRIES_PER_COMMIT {
                if gone > 0 {
                    let meta = meta_key(Space::SYSTEM, keys::LEDGER);
                    let sealed = seal(&meta, 1, &encode(&(last, seq))?);
                    self.staged.set(meta, Some(sealed));
                }
                return Ok(gone as u64);
            }
            self.staged.set(order, None);
            if let Some(own) = own {
                self.staged.set(own, None);
            }
            if let Some(tenant) = whose {
                self.staged.set(keys::news_key(tenant.into(), seq), None);
            }
        }
        Ok(0)
    }

    /// Whether an entry is from `before` or later. False if it cannot be read.
    fn is_recent(&self, own: &[u8], before: Timestamp) -> Result<bool> {
        let row = self.staged.rows.get(own)?;
        let change = row.as_deref().and_then(|row| decode::<Change>(open(own, row).ok()?.1).ok());
        Ok(change.is_some_and(|change| change.at >= before))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        kernel::{Clock, Entropy},
        store::{
            Options, TableInfo,
            tests::{Note, note, world::tenant},
        },
    };

    const TABLES: &[TableInfo] = &[TableInfo::of::<Note>()];
    const DAY: i64 = 24 * 3_600 * 1_000;

    /// Writes `times` change feed entries for one record.
    async fn update(store: &Store, times: u64) {
        let name = store.snapshot().unwrap().last_change().unwrap().to_string();
        let id = store.write(tenant(0), Actor::System, move |tx| tx.create(note(&name, "0"))).await.unwrap().0.id;
        for n in 1..times {
            let work = move |tx: &TenantWrite<'_>| {
                tx.update(id, None, |note: &mut Note| {
                    note.tag = n.to_string();
                    Ok(())
                })
            };
            store.write(tenant(0), Actor::System, work).await.unwrap();
        }
    }

    #[tokio::test]
    async fn trims_old_entries_all_readers_have_passed_and_reuses_no_numbers() {
        let folder = tempfile::tempdir().unwrap();
        let clock = Clock::stopped(Timestamp::from_millis(1_700_000_000_000));
        let file = folder.path().join("store.redb");
        let store = Store::open_file(&file, Options::default(), clock.clone(), Entropy::seeded(1)).unwrap();
        update(&store, 30).await;
        clock.advance(100 * DAY);
        update(&store, 5).await;
        let before = clock.now().plus_millis(-90 * DAY);
        let ends = || {
            let snapshot = store.snapshot().unwrap();
            (snapshot.first_change().unwrap(), snapshot.last_change().unwrap())
        };
        let sound = || store.check(TABLES, &mut |_| ControlFlow::Continue(())).unwrap().damage;
        assert_eq!(ends(), (1, 35));
        assert_eq!(store.trim_ledger(before, 10).await.unwrap(), 10, "not before all readers have passed");
        assert_eq!(ends(), (11, 35));
        assert_eq!(sound(), []);
        assert_eq!(store.trim_ledger(before, u64::MAX).await.unwrap(), 20);
        assert_eq!(store.trim_ledger(before, u64::MAX).await.unwrap(), 0, "what is young stays");
        assert_eq!(ends(), (31, 35));
        clock.advance(100 * DAY);
        assert_eq!(store.trim_ledger(clock.now(), u64::MAX).await.unwrap(), 4, "the last one stays");
        assert_eq!(ends(), (35, 35));
        update(&store, 2).await;
        assert_eq!(ends(), (35, 37));
        assert_eq!(store.snapshot().unwrap().changes_after(0, 100).unwrap().len(), 3);
        assert_eq!(sound(), []);
        drop(store);
        let store = Store::open_file(&file, Options::default(), clock, Entropy::seeded(2)).unwrap();
        assert_eq!(store.snapshot().unwrap().first_change().unwrap(), 35);
    }

    #[tokio::test]
    async fn compaction_shrinks_the_store_and_keeps_its_content() {
        let folder = tempfile::tempdir().unwrap();
        let clock = Clock::stopped(Timestamp::from_millis(1_700_000_000_000));
        let file = folder.path().join("store.redb");
        let open = || Store::open_file(&file, Options::default(), clock.clone(), Entropy::seeded(1));
        let store = open().unwrap();
        let once = async |name: String, size: usize| {
            let work = move |tx: &TenantWrite<'_>| tx.run_once(&name, b"a", 1, || Ok("x".repeat(size)));
            store.write(tenant(0), Actor::System, work).await.unwrap();
        };
        update(&store, 3).await;
        for n in 0..40 {
            once(format!("large {n}"), 100_000).await;
        }
        // Each write removes a few expired replies.
        clock.advance(2 * 3_600 * 1_000);
        for n in 0..5 {
            once(format!("small {n}"), 1).await;
        }
        assert_eq!(
            crate::store::compact(&file, &crate::kernel::progress::Progress::default()).unwrap_err().code(),
            crate::kernel::Code::Busy,
            "it is open"
        );
        let last = store.snapshot().unwrap().last_change().unwrap();
        drop(store);
        let holds = |what: &str| {
            let bytes = std::fs::read(&file).unwrap();
            bytes.windows(what.len()).any(|window| window == what.as_bytes())
        };
        assert!(holds(&"x".repeat(1_000)), "what was removed stays in free pages");
        std::fs::write(folder.path().join("store.redb.compact"), "half a copy").unwrap();
        let (before, after) = crate::store::compact(&file, &crate::kernel::progress::Progress::default()).unwrap();
        assert!(after < before, "{before} {after}");
        assert!(!holds(&"x".repeat(1_000)), "only what is there is copied");
        assert_eq!(after, file.metadata().unwrap().len());
        let store = open().unwrap();
        assert_eq!(store.snapshot().unwrap().last_change().unwrap(), last);
        assert_eq!(store.check(TABLES, &mut |_| ControlFlow::Continue(())).unwrap().damage, []);
        assert!(!folder.path().join("store.redb.compact").exists(), "nothing is left beside it");
    }

    /// The kind of fault (F-R9): a store whose copy is no smaller kept its free pages, and what was removed in them.
    #[tokio::test]
    async fn compaction_leaves_nothing_behind_of_what_was_removed_from_a_small_store() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("store.redb");
        let open = || Store::open_file(&file, Options::default(), Clock::system(), Entropy::seeded(1)).unwrap();
        let store = open();
        let made = store.write(tenant(0), Actor::System, |tx| tx.create(note("Zyxwolda", "0"))).await.unwrap().0.id;
        let erase = move |tx: &TenantWrite<'_>| tx.remove::<Note>(made, None).map(drop);
        store.write(tenant(0), Actor::System, erase).await.unwrap();
        drop(store);
        let holds = || std::fs::read(&file).unwrap().windows(8).any(|window| window == b"Zyxwolda");
        assert!(holds(), "the pages of the removed record are free, and not rewritten");
        crate::store::compact(&file, &crate::kernel::progress::Progress::default()).unwrap();
        let left = open();
        let changes = left.snapshot().unwrap().changes_after(0, 10).unwrap();
        assert!(changes.iter().all(|change| change.title.as_deref() != Some("Zyxwolda")), "{changes:?}");
        drop(left);
        assert!(!holds());
    }
}
