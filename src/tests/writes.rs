//! Cost of writes (F-S1, F-S2): the writer thread belongs to all companies, so no write may grow with what a company has.
//! Every call is made in a company that has much of everything that the records of the call concern; each write may read
//! and write a bounded number of rows and bytes, as the store counts them.
//!
//! Within the bounds, a write takes at most about 30 ms of an optimized build on the slowest machine measured: a row costs
//! 2 to 12 µs, a megabyte 1 to 2 ms. A write of ordinary size reads and writes fewer than 100 rows.

use serde_json::json;

use super::{isolation::calls, world};
use crate::{
    features::{
        customers::Customer,
        messages::Messages,
        notices::{Notice, rules},
        notifications::Notifications,
        pages::Page,
        records::comments::Comment,
        tasks::Task,
    },
    kernel::{Id, MemberId},
    people::{members::MemberRecord, permission::Role},
    store::{Actor, Store, TenantWrite, WriteCost},
};

/// Rows that one write reads or writes at most.
const MAX_ROWS: u64 = 2_000;
/// Bytes of them.
const MAX_BYTES: u64 = 8 << 20;
/// How many of each thing there are: one row for each would be too many.
const MANY: usize = 2_100;
/// Pages below one page, and the length of their bodies: together more than the bytes of a write.
const LARGE_PAGES: (usize, usize) = (60, 180_000);
/// Calls with a write beyond the bounds. None may be added.
const BEYOND: &[&str] = &[];

/// Gives a company much of everything that concerns the records that the calls name.
async fn burden(store: &Store, tenant: crate::kernel::TenantId, owner: MemberId, ids: &world::Ids) {
    let id = |name: &str| ids[name].parse::<uuid::Uuid>().unwrap();
    let (customer, page, task, comment) = (id("customer"), id("page"), id("task"), id("comment"));
    let many_people = move |tx: &TenantWrite<'_>| {
        let one = tx.get::<Customer>(Id::from(customer))?;
        (0..MANY).try_for_each(|_| tx.create(one.value.clone()).map(drop))
    };
    let many_tasks = move |tx: &TenantWrite<'_>| {
        let one = tx.get::<Task>(Id::from(task))?;
        (0..MANY).try_for_each(|_| tx.create(one.value.clone()).map(drop))
    };
    let many_comments = move |tx: &TenantWrite<'_>| {
        let one = tx.get::<Comment>(Id::from(comment))?;
        (0..MANY).try_for_each(|_| tx.create(one.value.clone()).map(drop))
    };
    let large_pages = move |tx: &TenantWrite<'_>| {
        let one = tx.get::<Page>(Id::from(page))?;
        let below = Page { parent_id: Some(one.id), body: "x".repeat(LARGE_PAGES.1), ..one.value };
        (0..LARGE_PAGES.0).try_for_each(|_| tx.create(below.clone()).map(drop))
    };
    let many_members = move |tx: &TenantWrite<'_>| {
        let one = tx.get::<MemberRecord>(owner)?.value;
        for n in 0..MANY {
            let email = format!("m{n}@many.example");
            let role = if n % 100 == 0 { Role::Admin } else { Role::Member };
            tx.create(MemberRecord { email, role, sign_on: None, ..one.clone() })?;
        }
        Ok(())
    };
    let unread = move |tx: &TenantWrite<'_>| {
        for _ in 0..rules::MAX_KEPT {
            rules::deliver::<Messages>(tx, owner, Notice::new(tx.now()))?;
            rules::deliver::<Notifications>(tx, owner, Notice::new(tx.now()))?;
        }
        Ok(())
    };
    let actor = Actor::Member(owner);
    store.write(tenant, actor, many_people).await.unwrap();
    store.write(tenant, actor, many_tasks).await.unwrap();
    store.write(tenant, actor, many_comments).await.unwrap();
    store.write(tenant, actor, large_pages).await.unwrap();
    store.write(tenant, actor, unread).await.unwrap();
    store.write(tenant, actor, many_members).await.unwrap();
}

fn is_within(cost: WriteCost) -> bool {
    cost.rows_read.max(cost.rows_written) <= MAX_ROWS && cost.bytes_read.max(cost.bytes_written) <= MAX_BYTES
}

#[tokio::test]
async fn no_write_of_a_call_grows_with_what_the_company_has() {
    let (app, caller, ids, _) = world::worlds(Role::Owner).await;
    let store = app.app.store();
    burden(store, app.acme.id, caller.id, &ids).await;
    let mut calls = calls();
    // What ends sessions or removes records comes last.
    calls.sort_by_key(|(id, method, _)| (world::LAST.contains(&id.as_str()), method == "DELETE"));
    let mut beyond = Vec::new();
    let mut made = 0;
    for (id, method, sample) in calls {
        store.take_largest_write();
        let got = world::send(&caller, &method, &sample.unwrap(), &ids).await;
        made += usize::from(got.status < 300);
        let cost = store.take_largest_write();
        if !is_within(cost) {
            beyond.push((id, cost));
        }
    }
    assert!(made > 150, "only {made} calls were made");
    let unknown: Vec<_> = beyond.iter().filter(|(id, _)| !BEYOND.contains(&id.as_str())).collect();
    assert!(unknown.is_empty(), "beyond {MAX_ROWS} rows or {MAX_BYTES} bytes: {unknown:#?}");
    let mended: Vec<_> = BEYOND.iter().filter(|id| !beyond.iter().any(|(other, _)| other == *id)).collect();
    assert!(mended.is_empty(), "within the bounds now, remove from the list: {mended:?}");
}

/// The control of the test above: a write that reads every person of the company is found.
#[tokio::test]
async fn a_write_that_reads_everything_is_found() {
    let (app, caller, ids, _) = world::worlds(Role::Owner).await;
    let store = app.app.store();
    burden(store, app.acme.id, caller.id, &ids).await;
    store.take_largest_write();
    let read_all = |tx: &TenantWrite<'_>| tx.each::<Customer>(|_| Ok(())).map(drop);
    store.write(app.acme.id, Actor::System, read_all).await.unwrap();
    let cost = store.take_largest_write();
    assert!(cost.rows_read >= MANY as u64 && !is_within(cost), "{cost:?}");
    caller.patch(&format!("/api/customers/{}", ids["customer"]), json!({"about": "x"})).await.expect(200);
    let cost = store.take_largest_write();
    assert!(cost.rows_read > 0 && is_within(cost), "{cost:?}");
}
