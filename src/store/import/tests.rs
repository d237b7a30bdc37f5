//! Export and import of a tenant between stores and within one store, without effect on other tenants.

use std::{
    fs::File,
    io::{Read, Write as _},
    ops::ControlFlow,
    path::Path,
};

use super::*;
use crate::{
    kernel::{Clock, Code, Entropy, Id, Timestamp},
    store::{
        Actor, InstallationId, Snapshot, Store,
        tests::{
            Note, note,
            world::{Firm, TABLES, ada, fill, put, tag_of, tenant},
        },
    },
};

/// A tenant id that is not in use.
const NEW: u8 = 200;

fn open_store(folder: &Path, name: &str) -> Store {
    let clock = Clock::stopped(Timestamp::from_millis(1_700_000_000_000));
    Store::open(&folder.join(name), clock, Entropy::seeded(1)).unwrap()
}

fn export(store: &Store, of: u8) -> Vec<u8> {
    let mut bytes = Vec::new();
    let snapshot = store.snapshot().unwrap();
    let mut export = snapshot.tenant(tenant(of), None).export(&mut bytes, Timestamp::from_millis(1)).unwrap();
    for (name, size) in [("small", 3), ("empty", 0), ("large", 600_000)] {
        export.file(name, size, std::io::repeat(7).take(size)).unwrap();
    }
    let exported = export.finish(TABLES).unwrap();
    assert!(exported.records > 2 && exported.files == 3 && exported.damage.is_empty(), "{exported:?}");
    bytes
}

fn as_file(bytes: &[u8]) -> File {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(bytes).unwrap();
    file
}

fn verified(bytes: &[u8]) -> Result<TenantArchive> {
    TenantArchive::verify(as_file(bytes), TABLES, &Progress::default(), |_| Ok(()))
}

async fn import(store: &Store, bytes: &[u8], slug: &str) -> Result<Vec<(String, u64)>> {
    let archive = verified(bytes)?;
    let firm = Stored { value: Firm { slug: slug.to_owned() }, ..archive.root::<Firm>(tenant(NEW))? };
    store.write(tenant(NEW), Actor::Operator, move |tx| tx.import(&firm)).await?;
    let mut import = archive.begin_import()?;
    let mut files = Vec::new();
    let mut left_out = Vec::new();
    let mut keep = |name: &str, bytes: &mut dyn Read| {
        files.push((name.to_owned(), std::io::copy(bytes, &mut std::io::sink()).map_err(Error::internal)?));
        Ok(())
    };
    while let Some(batch) = import.next(&mut keep)? {
        let work = move |tx: &TenantWrite<'_>| tx.import_rows(&batch, &|_, _| {});
        for (kind, count) in store.write(tenant(NEW), Actor::Operator, work).await?.0 {
            left_out.push((kind.to_owned(), count));
        }
    }
    files.extend(left_out);
    Ok(files)
}

fn notes(snapshot: &Snapshot, of: u8) -> Vec<Option<String>> {
    (0..41).map(|n| tag_of(snapshot, of, &format!("n{n}"))).collect()
}

fn assert_sound(store: &Store) {
    let report = store.check(TABLES, &mut |_| ControlFlow::Continue(())).unwrap();
    assert!(report.is_sound() && report.unknown.is_empty(), "{:?}", report.damage);
}

/// Returns the tenant's change feed, without sequence numbers and tenant.
fn history(snapshot: &Snapshot, of: u8) -> Vec<(String, u64, Timestamp)> {
    let changes = snapshot.changes_after(0, 100_000).unwrap();
    assert!(changes.windows(2).all(|pair| pair[0].seq < pair[1].seq));
    let own = changes.into_iter().filter(|change| change.tenant == tenant(of));
    own.map(|change| (change.kind, change.version, change.at)).collect()
}

#[tokio::test]
async fn tenant_import_into_the_same_or_another_store_keeps_its_data() {
    let folder = tempfile::tempdir().unwrap();
    let first = open_store(folder.path(), "first");
    fill(&first).await;
    // Stored replies are not exported.
    first.write(tenant(0), Actor::Member(ada()), |tx| tx.run_once("k", b"a", 1, || Ok(1))).await.unwrap();
    let bytes = export(&first, 0);
    let second = open_store(folder.path(), "second");
    second.write(tenant(9), Actor::Member(ada()), |tx| put(tx, "other", Some("x".into()))).await.unwrap();
    for store in [&first, &second] {
        let before = store.snapshot().unwrap();
        let files = import(store, &bytes, "copy").await.unwrap();
        assert_eq!(files, [("small".to_owned(), 3), ("empty".to_owned(), 0), ("large".to_owned(), 600_000)]);
        let after = store.snapshot().unwrap();
        let whence = first.snapshot().unwrap();
        assert_eq!(notes(&after, NEW), notes(&whence, 0));
        assert_eq!(history(&after, NEW), history(&whence, 0));
        let figures = |snapshot: &Snapshot, of| snapshot.tenant(tenant(of), None).counters_under("").unwrap();
        assert_eq!(figures(&after, NEW), figures(&whence, 0));
        let last = before.last_change().unwrap();
        assert!(
            after
                .changes_after(0, 100_000)
                .unwrap()
                .iter()
                .all(|change| { (change.tenant == tenant(NEW)) == (change.seq > last) })
        );
        assert_sound(store);
        let again = |tx: &TenantWrite<'_>| tx.run_once("k", b"a", 1, || Ok(2));
        assert_eq!(store.write(tenant(NEW), Actor::Member(ada()), again).await.unwrap().0, 2);
    }
    let root = Id::<Firm>::from_bytes(*tenant(NEW).as_bytes());
    let firm = second.snapshot().unwrap().tenant(tenant(NEW), None).get::<Firm>(root).unwrap();
    assert_eq!((firm.slug.as_str(), firm.version), ("copy", 1));
    // The imported tenant can be changed, and a unique value of another tenant is refused.
    second.write(tenant(NEW), Actor::Member(ada()), |tx| put(tx, "n1", Some("changed".into()))).await.unwrap();
    assert_sound(&second);
    let third = open_store(folder.path(), "third");
    fill(&third).await;
    let taken = third.snapshot().unwrap().tenant(tenant(1), None).get::<Firm>(Id::from_bytes(*tenant(1).as_bytes()));
    assert_eq!(import(&third, &bytes, &taken.unwrap().slug).await.unwrap_err().code(), Code::Conflict);
    assert_sound(&third);
}

#[tokio::test]
async fn import_rewrites_the_tenant_id_and_leaves_out_taken_unique_values() {
    let folder = tempfile::tempdir().unwrap();
    let store = open_store(folder.path(), "store");
    let under = |of| Id::<Note>::from_bytes(*tenant(of).as_bytes());
    let work = move |tx: &TenantWrite<'_>| {
        put(tx, "one", Some("x".into()))?;
        tx.create_at(under(0), note("own", "under the id"))?;
        tx.create(Firm { slug: "once on an installation".into() }).map(drop)
    };
    store.write(tenant(0), Actor::Member(ada()), work).await.unwrap();
    let bytes = export(&store, 0);
    let came = import(&store, &bytes, "copy").await.unwrap();
    assert_eq!(came.last(), Some(&("firm".to_owned(), 1)), "another has it, and it is said");
    let snapshot = store.snapshot().unwrap();
    let copy = snapshot.tenant(tenant(NEW), None);
    assert_eq!(copy.get::<Note>(under(NEW)).unwrap().value, note("own", "under the id"));
    assert!(copy.find::<Note>(under(0)).unwrap().is_none());
    assert_eq!((copy.count::<Firm>().unwrap(), copy.count::<Note>().unwrap()), (1, 2));
    assert_sound(&store);
}

#[tokio::test]
async fn archive_contains_only_records_and_ledger_of_its_tenant() {
    let folder = tempfile::tempdir().unwrap();
    let store = open_store(folder.path(), "store");
    fill(&store).await;
    let bytes = export(&store, 0);
    let mut parts = Parts::begin(bytes.as_slice()).unwrap().0;
    let mut rows = 0;
    let trailer = loop {
        match parts.next().unwrap() {
            Part::File(head) => parts.bytes(&head).skip().unwrap(),
            Part::Rows(payload) => each_row(&payload, |key, _| {
                let (space, table) = keys::split(key).unwrap();
                assert_eq!(space, Space::from(tenant(0)));
                assert!(table == keys::LEDGER || TABLES.iter().any(|info| info.table == table));
                rows += 1;
                Ok(())
            })
            .unwrap(),
            Part::End(trailer) => break trailer,
        }
    };
    assert!(rows > 100 && (trailer.rows, trailer.files) == (rows, 3));
}

#[tokio::test]
async fn rejects_incomplete_damaged_and_foreign_archives() {
    let folder = tempfile::tempdir().unwrap();
    let store = open_store(folder.path(), "store");
    store.write(tenant(0), Actor::Member(ada()), |tx| put(tx, "one", Some("x".into()))).await.unwrap();
    let mut bytes = Vec::new();
    let snapshot = store.snapshot().unwrap();
    let mut export = snapshot.tenant(tenant(0), None).export(&mut bytes, Timestamp::from_millis(1)).unwrap();
    export.file("small", 3, &b"abc"[..]).unwrap();
    export.finish(TABLES).unwrap();
    verified(&bytes).unwrap();
    let refused = |bytes: &[u8]| verified(bytes).map(drop).unwrap_err().fields()[0].0 == "file";
    for end in 0..bytes.len() {
        assert!(refused(&bytes[..end]), "cut at {end}");
        let mut flipped = bytes.clone();
        flipped[end] ^= 1 << (end % 8);
        assert!(refused(&flipped), "flipped at {end}");
    }
    assert!(refused(&[&bytes[..], b"x"].concat()), "more behind its end");

    let key = |bytes: &[u8]| verified(bytes).map(drop).unwrap_err().fields()[0].1.key;
    let mut newer = bytes.clone();
    newer[7] += 1;
    assert_eq!(key(&newer), "errors.fields.archive_newer");
    assert_eq!(key(b"PK\x03\x04 something else"), "errors.fields.archive_foreign");
    let mut everything = Vec::new();
    let of = InstallationId::new(&Entropy::seeded(1));
    snapshot.backup(&mut everything, Timestamp::from_millis(1), &of).unwrap().finish(&Progress::default()).unwrap();
    assert_eq!(key(&everything), "errors.fields.archive_foreign");
    assert!(crate::store::verify_backup(bytes.as_slice()).is_err(), "nor the other way round");
    // A kind that only a newer version knows.
    let unknown =
        TenantArchive::verify(as_file(&bytes), &TABLES[..2], &Progress::default(), |_| Ok(())).map(drop).unwrap_err();
    assert_eq!(unknown.fields()[0].1.key, "errors.fields.archive_newer");
}
