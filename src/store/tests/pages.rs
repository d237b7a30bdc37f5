//! Damaged pages in a closed store: lists, backup and repair read everything that is readable, and nothing else is
//! lost. After copying the store into a new file, everything works again.

use std::{fs, ops::ControlFlow};

use rand::{RngExt, SeedableRng, rngs::StdRng};

use super::world::{TABLES, fill, tenant};
use crate::{
    kernel::{Clock, Entropy, Timestamp, progress::Progress},
    store::{
        Actor, Copies, InstallationId, Store, TenantWrite, harm,
        keys::{self, Space, meta_key},
        restore, rewrite,
        tests::flips::{find, rows},
    },
    testing::setting,
};

/// Number of bytes changed, one at a time. `ATRIUM_PAGES` overrides it.
const PAGES: u64 = 30;

fn open(file: &std::path::Path) -> crate::kernel::Result<Store> {
    Store::open(file, Clock::stopped(Timestamp::from_millis(1_000_000)), Entropy::seeded(1))
}

#[tokio::test]
async fn damaged_page_does_not_prevent_reads_backup_or_repair() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("store.redb");
    let whole = folder.path().join("whole.redb");
    let truth: Vec<_> = {
        let store = open(&whole).unwrap();
        fill(&store).await;
        rows(&store.snapshot().unwrap()).unwrap().into_iter().collect()
    };
    let bytes = fs::read(&whole).unwrap();
    let mut dice = StdRng::seed_from_u64(setting("ATRIUM_PAGES_SEED", 5));
    let mut gaps_in_all = 0;
    for round in 0..setting("ATRIUM_PAGES", PAGES) {
        let mut harmed = bytes.clone();
        // In every other round the byte belongs to a key on a leaf or branch page in use.
        let (key, _) = &truth[dice.random_range(0..truth.len())];
        let place = match find(&bytes, key) {
            Some(place) if round % 2 == 0 => place + dice.random_range(0..key.len()),
            _ => dice.random_range(0..bytes.len()),
        };
        harmed[place] ^= dice.random_range(1..=u8::MAX);
        fs::write(&file, &harmed).unwrap();
        let what = format!("round {round}, byte {place}");
        let Ok(store) = open(&file) else { continue };
        let (broken, gaps) = store.snapshot().unwrap().broken_rows(TABLES, &Progress::default()).unwrap();
        let report = store.check(TABLES, &mut |_| ControlFlow::Continue(())).unwrap();
        assert!(gaps == 0 && broken.is_empty() || !report.is_sound(), "{what}");
        assert!(report.is_sound() || !store.has_sound_pages().unwrap(), "{what}");

        let mut archive = Vec::new();
        let snapshot = store.snapshot().unwrap();
        let of = InstallationId::new(&Entropy::seeded(1));
        let backup = snapshot.backup(&mut archive, Timestamp::from_millis(1), &of).unwrap();
        let (_, left_out) = backup.finish(&Progress::default()).unwrap();
        assert_eq!(left_out, gaps, "{what}");
        let again = folder.path().join("again.redb");
        restore(archive.as_slice(), &again, &mut |_, _| Ok(())).unwrap();
        assert!(open(&again).unwrap().has_sound_pages().unwrap(), "{what}");
        fs::remove_file(&again).unwrap();

        drop((snapshot, store));
        let kept = rewrite(&file, Timestamp::from_millis(2), &Progress::default()).unwrap();
        assert!(kept.is_some() || gaps == 0, "{what}");
        if let Some(kept) = kept {
            // Opening a damaged store may let redb repair its metadata; lost rows stay lost.
            assert!(fs::metadata(&kept).unwrap().len() > 0, "{what}");
            fs::remove_file(kept).unwrap();
            gaps_in_all += 1;
        }
        let store = open(&file).unwrap();
        let left = rows(&store.snapshot().unwrap()).unwrap();
        let lost = truth.iter().filter(|(key, _)| !left.contains_key(key)).count();
        // A byte of a key affects its row or the order of its neighbours; any other byte may affect a whole page.
        assert!(lost <= if round % 2 == 0 { 2 } else { truth.len() / 4 }, "{what}: {lost} rows are lost");
        let (broken, gaps) = store.snapshot().unwrap().broken_rows(TABLES, &Progress::default()).unwrap();
        assert_eq!(gaps, 0, "{what}");
        for broken in broken {
            let Some(tenant) = broken.damage.tenant else { continue };
            let repair = move |tx: &TenantWrite<'_>| tx.repair_row(TABLES, &broken, &Copies::default(), true);
            store.write(tenant, Actor::Operator, repair).await.unwrap();
        }
        // The rebuild of tenant rows is tested with the real tables: the table numbers here are in the range of
        // indexes.
        store.rebuild(TABLES).await.unwrap();
        let report = store.check(TABLES, &mut |_| ControlFlow::Continue(())).unwrap();
        let lost_roots = report.damage.iter().filter(|damage| damage.kind == TABLES[0].kind).count();
        assert_eq!(report.damage.len(), lost_roots, "{what}: {:#?}", report.damage);
    }
    assert!(gaps_in_all > 0, "some byte hit a page's order");
}

#[tokio::test]
async fn rebuild_restores_ledger_ends_stored_under_a_wrong_key() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("store.redb");
    fill(&open(&file).unwrap()).await;
    // The table numbers here are in the range of indexes, so the rebuild of tenant rows proves nothing.
    let check = |store: &Store| {
        let mut damage = store.check(TABLES, &mut |_| ControlFlow::Continue(())).unwrap().damage;
        damage.retain(|damage| damage.tenant.is_none());
        damage
    };
    let ends = meta_key(Space::SYSTEM, keys::LEDGER);
    let (_, row) = harm::rows(&file).into_iter().find(|(key, _)| *key == ends).unwrap();
    harm::put(&file, &ends, None);
    harm::put(&file, &meta_key(Space::SYSTEM, 22), Some(&row));
    let store = open(&file).unwrap();
    assert!(!check(&store).is_empty());
    store.rebuild(TABLES).await.unwrap();
    assert_eq!(check(&store), []);
}

#[tokio::test]
async fn rebuild_removes_a_row_with_a_damaged_key_of_unknown_kind() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("store.redb");
    fill(&open(&file).unwrap()).await;
    let (key, row) = harm::rows(&file)
        .into_iter()
        .find(|(key, _)| key[..18] == keys::table(tenant(1).into(), keys::LEDGER))
        .unwrap();
    let mut stray = key.clone();
    stray[17] = 53;
    harm::put(&file, &key, None);
    harm::put(&file, &stray, Some(&row));
    let store = open(&file).unwrap();
    store.rebuild(TABLES).await.unwrap();
    assert_eq!(store.snapshot().unwrap().broken_rows(TABLES, &Progress::default()).unwrap(), (Vec::new(), 0));
    drop(store);
    assert!(!harm::rows(&file).iter().any(|(key, _)| *key == stray));
}

#[tokio::test]
async fn store_with_a_damaged_page_accepts_writes_after_a_panic() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("store.redb");
    let (key, _) = {
        let store = open(&file).unwrap();
        fill(&store).await;
        rows(&store.snapshot().unwrap()).unwrap().into_iter().next_back().unwrap()
    };
    let mut bytes = fs::read(&file).unwrap();
    let place = find(&bytes, &key).unwrap();
    bytes[place] ^= 1;
    fs::write(&file, &bytes).unwrap();
    let store = open(&file).unwrap();
    assert!(!store.has_sound_pages().unwrap());
    let supervisor = &store.0.supervisor;
    supervisor.distrust_free_pages();
    assert!(supervisor.reopen("a write panicked", 0));
    assert!(supervisor.probe(), "other writes are taken");
}

#[tokio::test]
async fn truncated_file_is_reported_as_damaged_and_left_unchanged() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("store.redb");
    fill(&open(&file).unwrap()).await;
    let bytes = fs::read(&file).unwrap();
    for len in [1, 100, 4_096, 5_000, bytes.len() / 2] {
        fs::write(&file, &bytes[..len]).unwrap();
        let error = open(&file).err().unwrap();
        assert!(error.is_damage(), "{len}: {error:?}");
        assert!(fs::read(&file).unwrap() == bytes[..len], "{len}");
    }
}
