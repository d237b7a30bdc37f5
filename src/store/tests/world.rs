//! Test data for the fault tests, and checks that it is complete.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
    time::Duration,
};

use serde::{Deserialize, Serialize};

use super::{BY_NAME, BY_TAG, Note, note, sim::Sim};
use crate::{
    kernel::{Clock, Entropy, Id, MemberId, Result, TenantId, Timestamp},
    store::{
        Actor, Counters, Lookups, Options, PersonalRecord, Record, Report, Scan, Snapshot, Store, Stored, TableInfo,
        TenantRecord, TenantWrite,
    },
};

/// The root record of a tenant.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(in crate::store) struct Firm {
    pub(in crate::store) slug: String,
}

impl Record for Firm {
    type Key = Self;
    const KIND: &'static str = "firm";
    const TABLE: u16 = 60_010;
    fn lookups(record: &Stored<Self>, out: &mut Lookups) {
        out.global_unique(60_011, "slug", &record.slug);
    }
}
impl TenantRecord for Firm {}

/// A personal record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(in crate::store) struct Memo {
    pub(in crate::store) text: String,
}

impl Record for Memo {
    type Key = Self;
    const KIND: &'static str = "memo";
    const TABLE: u16 = 60_020;
    fn lookups(record: &Stored<Self>, out: &mut Lookups) {
        out.multi(60_021, &record.text);
    }
    fn counters(_: &Stored<Self>, out: &mut Counters) {
        out.add("memos", 1);
    }
}
impl PersonalRecord for Memo {}

pub(in crate::store) const TABLES: &[TableInfo] =
    &[TableInfo::of::<Firm>().root(), TableInfo::of::<Note>(), TableInfo::personal::<Memo>()];

pub(in crate::store) fn tenant(n: u8) -> TenantId {
    TenantId::from_bytes([n + 1; 16]).unwrap()
}

pub(in crate::store) fn ada() -> MemberId {
    Id::from_bytes([7; 16])
}

pub(in crate::store) fn open(disk: &Arc<Sim>) -> Result<Store> {
    open_cached(disk, 1 << 20)
}

pub(in crate::store) fn open_cached(disk: &Arc<Sim>, cache_bytes: usize) -> Result<Store> {
    let options = Options { cache_bytes, reserve_bytes: 1 << 20, pause: Arc::new(|_| Duration::ZERO) };
    let clock = Clock::stopped(Timestamp::from_millis(1_700_000_000_000));
    Store::open_with(disk.clone(), options, clock, Entropy::seeded(5))
}

/// Acknowledged writes, and failed writes whose effect is unknown.
#[derive(Default)]
pub(in crate::store) struct AckedWrites {
    pub(in crate::store) kept: Mutex<BTreeMap<(u8, String), Option<String>>>,
    pub(in crate::store) doubtful: Mutex<Vec<(u8, String)>>,
}

impl AckedWrites {
    /// Creates, updates or removes the note with this name, and remembers the outcome.
    pub(in crate::store) async fn write(
        &self,
        store: &Store,
        disk: &Sim,
        of: u8,
        name: &str,
        tag: Option<&str>,
    ) -> bool {
        let key = (of, name.to_owned());
        let wanted = tag.map(str::to_owned);
        self.doubtful.lock().unwrap().push(key.clone());
        let work = {
            let name = name.to_owned();
            let wanted = wanted.clone();
            move |tx: &TenantWrite<'_>| put(tx, &name, wanted)
        };
        let written = store.write(tenant(of), Actor::Member(ada()), work).await;
        if written.is_ok() {
            self.doubtful.lock().unwrap().retain(|doubtful| *doubtful != key);
            self.kept.lock().unwrap().insert(key, wanted);
            disk.mark();
        }
        written.is_ok()
    }

    /// Checks that a snapshot contains all acknowledged writes.
    pub(in crate::store) fn verify(&self, snapshot: &Snapshot) {
        let doubtful = self.doubtful.lock().unwrap();
        for ((of, name), wanted) in self.kept.lock().unwrap().iter() {
            let found = tag_of(snapshot, *of, name);
            if !doubtful.contains(&(*of, name.clone())) {
                assert_eq!(found.as_ref(), wanted.as_ref(), "{name} of tenant {of}");
            }
        }
    }
}

pub(in crate::store) fn put(tx: &TenantWrite<'_>, name: &str, tag: Option<String>) -> Result<()> {
    if tx.count::<Firm>()? == 0 {
        tx.create_at(Id::from_bytes(*tx.tenant().as_bytes()), Firm { slug: tx.tenant().to_string() })?;
    }
    match (tx.find_by::<Note>(BY_NAME, name)?, tag) {
        (Some(old), Some(tag)) => tx
            .update::<Note>(old.id, None, |note| {
                note.tag = tag;
                Ok(())
            })
            .map(drop),
        (Some(old), None) => tx.remove::<Note>(old.id, None).map(drop),
        (None, Some(tag)) => {
            tx.own_data()?.create(Memo { text: tag.clone() })?;
            tx.create(note(name, &tag)).map(drop)
        }
        (None, None) => Ok(()),
    }
}

pub(in crate::store) fn tag_of(snapshot: &Snapshot, of: u8, name: &str) -> Option<String> {
    snapshot.tenant(tenant(of), Some(ada())).find_by::<Note>(BY_NAME, name).unwrap().map(|note| note.value.tag)
}

/// Writes records of all kinds.
pub(in crate::store) async fn fill(store: &Store) {
    for of in 0..2 {
        let work =
            |tx: &TenantWrite<'_>| (0..40).try_for_each(|n| put(tx, &format!("n{n}"), Some(format!("t{}", n % 5))));
        store.write(tenant(of), Actor::Member(ada()), work).await.unwrap();
        store.write(tenant(of), Actor::Member(ada()), |tx| put(tx, "n7", None)).await.unwrap();
    }
}

/// Checks that a store contains what `fill` wrote.
pub(in crate::store) fn verify_filled(snapshot: &Snapshot) {
    check(snapshot);
    for (of, n) in (0..2).flat_map(|of| (0..40).map(move |n| (of, n))) {
        assert_eq!(tag_of(snapshot, of, &format!("n{n}")), (n != 7).then(|| format!("t{}", n % 5)));
    }
}

/// Checks a store, and that lists agree with counts.
pub(in crate::store) fn check(snapshot: &Snapshot) -> Report {
    let report = snapshot.check(TABLES, &mut |_| std::ops::ControlFlow::Continue(())).unwrap();
    assert!(report.is_sound(), "{:#?}", report.damage);
    for of in 0..2 {
        let view = snapshot.tenant(tenant(of), Some(ada()));
        let page = view.page::<Note>(&Scan::ordered(BY_TAG).limit(10_000), |_| true).unwrap();
        assert_eq!(page.items.len() as u64, view.count::<Note>().unwrap());
    }
    report
}
