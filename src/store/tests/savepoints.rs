//! An error that is swallowed within a write after something was staged: data lost without a trace. A step that fails
//! leaves the write as it was before the step, whatever the step had changed.

use std::ops::{Bound, ControlFlow};

use proptest::prelude::*;

use super::*;
use crate::store::view::View as _;

#[derive(Clone, Debug)]
enum Step {
    Create(u8, u8),
    Change(u8, u8),
    Remove(u8),
    Bin(u8),
    Restore(u8),
    Rewrite(u8),
    /// Steps within a step; the flag is whether they fail at their end.
    Attempt(Vec<Step>, bool),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let few = 0..6_u8;
    let step = prop_oneof![
        (few.clone(), few.clone()).prop_map(|(id, name)| Step::Create(id, name)),
        (few.clone(), few.clone()).prop_map(|(id, name)| Step::Change(id, name)),
        few.clone().prop_map(Step::Remove),
        few.clone().prop_map(Step::Bin),
        few.clone().prop_map(Step::Restore),
        few.prop_map(Step::Rewrite),
    ];
    let nested = step.prop_recursive(3, 40, 8, |inner| {
        (prop::collection::vec(inner, 0..8), any::<bool>()).prop_map(|(steps, fails)| Step::Attempt(steps, fails))
    });
    prop::collection::vec(nested, 1..12)
}

fn id(n: u8) -> Id<Note> {
    Id::from_bytes([n + 1; 16])
}

/// Makes a step. `makes_failed` is whether attempts that fail are made at all.
fn make(tx: &TenantWrite<'_>, step: &Step, makes_failed: bool) -> Result<()> {
    let named = |name: u8| note(&format!("name {name}"), &format!("tag {}", name % 2));
    match step {
        Step::Create(at, name) => tx.create_at(id(*at), named(*name)).map(drop),
        Step::Change(at, name) => {
            let change = |note: &mut Note| {
                *note = named(*name);
                Ok(())
            };
            tx.update(id(*at), None, change).map(drop)
        }
        Step::Remove(at) => tx.remove::<Note>(id(*at), None).map(drop),
        Step::Bin(at) => tx.bin::<Note>(id(*at), None).map(drop),
        Step::Restore(at) => tx.restore::<Note>(id(*at), |_| Ok(())).map(drop),
        Step::Rewrite(at) => tx.rewrite(&tx.get::<Note>(id(*at))?, |note| note.tag.push('+')),
        Step::Attempt(_, true) if !makes_failed => Ok(()),
        Step::Attempt(steps, fails) => tx.attempt(|| {
            for step in steps {
                make_and_swallow(tx, step, makes_failed);
            }
            if *fails { Err(Error::not_found()) } else { Ok(()) }
        }),
    }
}

/// Makes a step as a bulk change does: what is wrong with one record does not concern the others.
fn make_and_swallow(tx: &TenantWrite<'_>, step: &Step, makes_failed: bool) {
    let _refused = make(tx, step, makes_failed);
}

async fn rows_after(steps: Vec<Step>, makes_failed: bool) -> Vec<(Vec<u8>, Vec<u8>)> {
    let f = fixture();
    for n in 0..3 {
        f.store.write(f.acme, Actor::Operator, move |tx| make(tx, &Step::Create(n, n), true)).await.unwrap();
    }
    let work = move |tx: &TenantWrite<'_>| {
        for step in &steps {
            make_and_swallow(tx, step, makes_failed);
        }
        Ok(())
    };
    f.store.write(f.acme, Actor::Operator, work).await.unwrap();
    let tables = [TableInfo::of::<Note>(), TableInfo::of::<Binned>()];
    let report = f.store.check(&tables, &mut |_| ControlFlow::Continue(())).unwrap();
    assert!(report.is_sound(), "{report:?}");
    let mut rows = Vec::new();
    let all = (Bound::Unbounded, Bound::Unbounded);
    let collect = &mut |key: &[u8], value: &[u8]| {
        rows.push((key.to_vec(), value.to_vec()));
        Ok(ControlFlow::Continue(()))
    };
    f.store.snapshot().unwrap().scan_readable(all, false, collect).unwrap();
    rows
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn steps_that_fail_leave_no_trace(steps in steps()) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let made = runtime.block_on(rows_after(steps.clone(), true));
        let left_out = runtime.block_on(rows_after(steps, false));
        prop_assert_eq!(made, left_out);
    }
}

/// The smallest example: what is restored has a value that another record has taken since.
#[tokio::test]
async fn a_restore_that_is_refused_leaves_the_record_in_the_bin() {
    let f = fixture();
    let work = |tx: &TenantWrite<'_>| {
        make(tx, &Step::Create(0, 0), true)?;
        make(tx, &Step::Bin(0), true)?;
        make(tx, &Step::Create(1, 0), true)?;
        assert_eq!(make(tx, &Step::Restore(0), true).unwrap_err().code(), Code::Conflict);
        Ok(())
    };
    f.store.write(f.acme, Actor::Operator, work).await.unwrap();
    let snapshot = f.store.snapshot().unwrap();
    let tenant = snapshot.tenant(f.acme, None);
    assert!(tenant.find::<Binned>(Id::from_bytes(*id(0).as_bytes())).unwrap().is_some());
    let in_feed = tenant.changes_before(u64::MAX, 10, |_| true).unwrap();
    assert_eq!(in_feed.len(), 3, "{in_feed:?}");
}
