//! Cost of writes (F-S1, F-S2): the writer thread belongs to all companies, so no write may grow with what a company has.
//! Every call is made in a company that has much of everything that the records of the call concern; each write may read
//! and write a bounded number of rows and bytes, as the store counts them.
//!
//! Within the bounds, a write takes at most about 30 ms of an optimized build on the slowest machine measured: a row costs
//! 2 to 12 µs, a megabyte 1 to 2 ms. A write of ordinary size reads and writes fewer than 100 rows. `make proof PART=writer`
//! holds the CPU time of each write to a bound, too, in companies that are larger.

use std::cmp::Reverse;

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
    kernel::{Id, Result, TenantId},
    people::{members::MemberRecord, permission::Role},
    store::{Actor, Store, TenantRead, TenantRecord, TenantWrite, WriteCost},
    testing::{As, TestApp, setting},
};

/// Rows that one write reads or writes at most.
const MAX_ROWS: u64 = 2_000;
/// Bytes of them.
const MAX_BYTES: u64 = 8 << 20;
/// Microseconds of CPU of the longest write, in the proof.
const MAX_MICROS: u64 = 50_000;
/// The length of the bodies of large pages.
const LARGE_PAGE: usize = 180_000;
/// Records that are created in one write of the preparation.
const AT_ONCE: usize = 300;
/// Calls with a write beyond the bounds. None may be added.
const BEYOND: &[&str] = &[];

/// How much of each thing a company has.
struct Amounts {
    /// People, tasks and comments, all of one name.
    many: usize,
    /// Members.
    members: usize,
    /// Pages below one page.
    large_pages: usize,
    /// Custom fields of customers.
    fields: usize,
}

/// One row for each thing would be too many, and the pages together are more than the bytes of a write.
const MUCH: Amounts = Amounts { many: 2_100, members: 2_100, large_pages: 60, fields: 0 };
/// As much as in a company that is as unfortunate as its limits allow.
const MOST: Amounts = Amounts { many: 30_000, members: 2_100, large_pages: 1_000, fields: 49 };

/// Creates copies of a record.
async fn copy<T: TenantRecord>(store: &Store, tenant: TenantId, one: &T, count: usize, change: fn(&mut T, usize)) {
    for from in (0..count).step_by(AT_ONCE) {
        let one = one.clone();
        let create = move |tx: &TenantWrite<'_>| {
            (from..count.min(from + AT_ONCE)).try_for_each(|n| {
                let mut copied = one.clone();
                change(&mut copied, n);
                tx.create(copied).map(drop)
            })
        };
        store.write(tenant, Actor::System, create).await.unwrap();
    }
}

/// Gives a company much of everything that concerns the records that the calls name.
async fn burden(app: &TestApp, owner: &As, ids: &world::Ids, amounts: &Amounts) {
    let (store, tenant, member) = (app.app.store(), app.acme.id, owner.id);
    for n in 0..amounts.fields {
        let field = json!({"kind": "customers", "name": format!("Field {n}"), "type": "text"});
        owner.post("/api/fields", field).await.expect(201);
    }
    let id = |name: &str| ids[name].parse::<uuid::Uuid>().unwrap();
    let (customer, page, task, comment) = (id("customer"), id("page"), id("task"), id("comment"));
    let read = |tx: &TenantRead<'_>| -> Result<_> {
        let page = tx.get::<Page>(Id::from(page))?;
        let page = Page { parent_id: Some(page.id), body: "x".repeat(LARGE_PAGE), ..page.value };
        let (customer, task) = (tx.get::<Customer>(Id::from(customer))?, tx.get::<Task>(Id::from(task))?);
        let comment = tx.get::<Comment>(Id::from(comment))?;
        Ok((customer.value, task.value, comment.value, page, tx.get::<MemberRecord>(member)?.value))
    };
    let (customer, task, comment, page, record) = read(&store.snapshot().unwrap().tenant(tenant, None)).unwrap();
    copy(store, tenant, &customer, amounts.many, |_, _| ()).await;
    copy(store, tenant, &task, amounts.many, |_, _| ()).await;
    copy(store, tenant, &comment, amounts.many, |_, _| ()).await;
    copy(store, tenant, &page, amounts.large_pages, |_, _| ()).await;
    let name = |record: &mut MemberRecord, n: usize| {
        record.email = format!("m{n}@many.example");
        record.role = if n.is_multiple_of(100) { Role::Admin } else { Role::Member };
        record.sign_on = None;
    };
    copy(store, tenant, &record, amounts.members, name).await;
    let unread = move |tx: &TenantWrite<'_>| {
        for _ in 0..rules::MAX_KEPT {
            rules::deliver::<Messages>(tx, member, Notice::new(tx.now()))?;
            rules::deliver::<Notifications>(tx, member, Notice::new(tx.now()))?;
        }
        Ok(())
    };
    store.write(tenant, Actor::Member(member), unread).await.unwrap();
}

fn is_within(cost: WriteCost) -> bool {
    cost.rows_read.max(cost.rows_written) <= MAX_ROWS && cost.bytes_read.max(cost.bytes_written) <= MAX_BYTES
}

/// `ATRIUM_WRITER_ROUNDS` is set by the proof: how often the calls are made, in companies with the most of everything, with
/// a bound on the CPU time of each write.
#[tokio::test]
async fn no_write_of_a_call_grows_with_what_the_company_has() {
    let rounds = setting("ATRIUM_WRITER_ROUNDS", 0);
    if rounds == 0 {
        let longest = make_all_calls(&MUCH).await;
        assert!(longest[0].1 > 0, "CPU time is not measured");
    }
    for _ in 0..rounds {
        let longest = make_all_calls(&MOST).await;
        assert!(longest[0].1 <= MAX_MICROS, "more than {MAX_MICROS} µs: {longest:?}");
    }
}

/// Makes every call once, holds its writes to the bounds, and returns the calls with the microseconds of CPU of their
/// longest writes, the longest first.
async fn make_all_calls(amounts: &Amounts) -> Vec<(String, u64)> {
    let (app, caller, ids, _) = world::worlds(Role::Owner).await;
    let store = app.app.store();
    burden(&app, &caller, &ids, amounts).await;
    let mut calls = calls();
    // What ends sessions or removes records comes last.
    calls.sort_by_key(|(id, method, _)| (world::LAST.contains(&id.as_str()), method == "DELETE"));
    let mut beyond = Vec::new();
    let mut longest = Vec::new();
    let mut made = 0;
    for (id, method, sample) in calls {
        store.take_largest_write();
        store.take_longest_write();
        let got = world::send(&caller, &method, &sample.unwrap(), &ids).await;
        made += usize::from(got.status < 300);
        let cost = store.take_largest_write();
        longest.push((id.clone(), store.take_longest_write()));
        if !is_within(cost) {
            beyond.push((id, cost));
        }
    }
    assert!(made > 150, "only {made} calls were made");
    let unknown: Vec<_> = beyond.iter().filter(|(id, _)| !BEYOND.contains(&id.as_str())).collect();
    assert!(unknown.is_empty(), "beyond {MAX_ROWS} rows or {MAX_BYTES} bytes: {unknown:#?}");
    let mended: Vec<_> = BEYOND.iter().filter(|id| !beyond.iter().any(|(other, _)| other == *id)).collect();
    assert!(mended.is_empty(), "within the bounds now, remove from the list: {mended:?}");
    longest.sort_by_key(|(_, micros)| Reverse(*micros));
    longest
}

/// The control of the test above: a write that reads every person of the company is found.
#[tokio::test]
async fn a_write_that_reads_everything_is_found() {
    let (app, caller, ids, _) = world::worlds(Role::Owner).await;
    let store = app.app.store();
    burden(&app, &caller, &ids, &MUCH).await;
    store.take_largest_write();
    let read_all = |tx: &TenantWrite<'_>| tx.each::<Customer>(|_| Ok(())).map(drop);
    store.write(app.acme.id, Actor::System, read_all).await.unwrap();
    let cost = store.take_largest_write();
    assert!(cost.rows_read >= MUCH.many as u64 && !is_within(cost), "{cost:?}");
    caller.patch(&format!("/api/customers/{}", ids["customer"]), json!({"about": "x"})).await.expect(200);
    let cost = store.take_largest_write();
    assert!(cost.rows_read > 0 && is_within(cost), "{cost:?}");
}
