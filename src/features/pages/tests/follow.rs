//! Changes of pages with many pages below them (F-S2). The kind of fault: a write whose cost grows with what a company has
//! keeps the writes of all companies waiting. Neighbours: removal, restore, move, visibility, bulk changes; and that no page
//! is ever visible to more members than those above it allow, between two steps and after a crash.

use serde_json::{Value, json};

use super::{
    page, path,
    visibility::{expected, people},
};
use crate::{
    feature::{Audience, KindRecord as _, Visibility, VisibleTo},
    features::pages::{
        Following, Page,
        follow::{follow_next, is_planned},
        rules::{self, Planned, plan_change},
    },
    kernel::{Code, Error, Id},
    people::permission::{Reader, Role},
    store::{Actor, Scan, Stored, TenantRead, TenantWrite, WriteCost},
    testing::{As, TestApp},
};

/// Pages below a page in these tests: more than one write changes.
const MANY: usize = 60;
/// Rows that a write of these calls reads or writes at most.
const MAX_ROWS: u64 = 1_000;
/// Bytes of them.
const MAX_BYTES: u64 = 8 << 20;

fn id_of(page: &Value) -> Id<Page> {
    page["id"].as_str().unwrap().parse().unwrap()
}

/// Creates `count` pages below a page, every third below the one before, with bodies of a length.
fn fill(tx: &TenantWrite<'_>, parent: Id<Page>, count: usize, body: usize) -> crate::kernel::Result<()> {
    let template = tx.get::<Page>(parent)?;
    let mut above = parent;
    for n in 0..count {
        let parent_id = Some(if n % 3 == 2 { above } else { parent });
        let order = f64::from(u32::try_from(n).unwrap());
        let title = format!("Below {n}");
        let body = "x".repeat(body);
        above = tx.create(Page { title, parent_id, order, body, ..template.value.clone() })?.id;
    }
    Ok(())
}

async fn filled(app: &TestApp, author: &As, parent: &Value, count: usize, body: usize) {
    let parent = id_of(parent);
    let actor = Actor::Member(author.id);
    app.app.store().write(app.acme.id, actor, move |tx| fill(tx, parent, count, body)).await.unwrap();
}

/// Waits until no page follows an earlier change.
async fn followed(app: &TestApp) {
    let mut wrote = app.app.store().wrote();
    loop {
        wrote.borrow_and_update();
        let snapshot = app.app.store().snapshot().unwrap();
        if snapshot.tenant(app.acme.id, None).count::<Following>().unwrap() == 0 {
            return;
        }
        wrote.changed().await.unwrap();
    }
}

fn pages(tx: &TenantRead<'_>) -> Vec<Stored<Page>> {
    tx.page::<Page>(&Scan::all().limit(usize::MAX), |_| true).unwrap().items
}

/// Asserts that no page is visible to members whom the pages above it do not allow.
fn assert_none_wider(tx: &TenantRead<'_>, when: &str) {
    let allowed = expected(tx);
    for page in pages(tx) {
        let audience = Page::audience(&page);
        assert!(allowed[&page.title].includes_all(&audience), "{when}: {} for {audience:?}", page.title);
    }
}

fn assert_agrees(app: &TestApp, when: &str) {
    let snapshot = app.app.store().snapshot().unwrap();
    let tx = snapshot.tenant(app.acme.id, None);
    let allowed = expected(&tx);
    for page in pages(&tx) {
        assert_eq!(Page::audience(&page), allowed[&page.title], "{when}: {}", page.title);
    }
}

#[tokio::test]
async fn no_page_is_visible_wider_between_two_steps() {
    let app = TestApp::new().await;
    let author = app.acme(Role::Member).await;
    let chosen = app.hire("chosen", Role::Member).await;
    let other = app.hire("other", Role::Member).await;
    let folder = page(&author, "Folder", json!({})).await;
    filled(&app, &author, &folder, MANY, 10).await;
    let id = id_of(&folder);
    let reader = Reader { id: author.id, role: Role::Member };
    let visible_to =
        |people: &[&As]| Visibility { to: VisibleTo::People, people: people.iter().map(|one| one.id).collect() };
    // From all to one, from one to another (neither is within the other), and to all again.
    let changes = [visible_to(&[&chosen]), visible_to(&[&other]), Visibility::default()];
    let walk = move |tx: &TenantWrite<'_>| {
        for (n, visibility) in changes.into_iter().enumerate() {
            let target = visibility.clone();
            let planned = plan_change(tx, reader, id, None, |page| page.visibility = target)?;
            assert_eq!(matches!(planned, Planned::After(_)), n < 2, "only a narrower audience must wait");
            let mut steps = 0;
            loop {
                assert_none_wider(tx, &format!("change {n}, step {steps}"));
                assert_eq!(is_planned(tx, id)?, tx.get::<Page>(id)?.visibility != visibility, "{n}, {steps}");
                if !follow_next(tx, id)? {
                    break;
                }
                steps += 1;
            }
            assert!(steps > 0, "change {n} is made in steps");
            assert_eq!(tx.count::<Following>()?, 0);
            let allowed = expected(tx);
            for page in pages(tx) {
                assert_eq!(Page::audience(&page), allowed[&page.title], "change {n}: {}", page.title);
            }
        }
        // Nothing is kept, so that the job does not follow, too.
        Err::<(), _>(Error::new(Code::Conflict))
    };
    let dropped = app.app.store().write(app.acme.id, Actor::Member(author.id), walk).await;
    assert_eq!(dropped.unwrap_err().code(), Code::Conflict);
}

#[tokio::test]
async fn visibility_of_a_page_with_many_below_changes_in_steps() {
    let app = TestApp::new().await;
    let author = app.acme(Role::Member).await;
    let chosen = app.hire("chosen", Role::Member).await;
    let other = app.hire("other", Role::Member).await;
    let folder = page(&author, "Folder", json!({})).await;
    filled(&app, &author, &folder, MANY, 10).await;
    let total = async |reader: &As| reader.get("/api/pages").await.expect(200)["total"].as_u64().unwrap();
    let patch = json!({"visibility": people(&[&chosen]), "title": "Plans", "body": "<p>New</p>"});
    let version = folder["version"].as_u64().unwrap();
    let changed = author.send_with("PATCH", &path(&folder), Some(patch), &[("if-match", "\"1\"")]).await.expect(200);
    assert_eq!((changed["title"].as_str(), changed["body"].as_str()), (Some("Plans"), Some("<p>New</p>")));
    assert_eq!((&changed["visibility"], changed["version"].as_u64()), (&people(&[&chosen]), Some(version + 1)));
    assert_eq!((total(&chosen).await, total(&other).await), (MANY as u64 + 1, 0), "at once when it is answered");
    let stale = json!({"visibility": {"to": "me"}});
    author.send_with("PATCH", &path(&folder), Some(stale), &[("if-match", "\"1\"")]).await.refused("stale_version");
    author.patch(&path(&folder), json!({"visibility": {"to": "company"}})).await.expect(200);
    followed(&app).await;
    assert_eq!((total(&chosen).await, total(&other).await), (MANY as u64 + 1, MANY as u64 + 1));
    assert_agrees(&app, "at the end");
    // So does a move below a page that fewer members may see. A bulk change refuses it.
    let private = page(&author, "Private", json!({"visibility": {"to": "me"}})).await;
    author.patch(&path(&folder), json!({"parentId": private["id"]})).await.expect(200);
    assert_eq!((total(&author).await, total(&other).await), (MANY as u64 + 2, 0));
    author.patch(&path(&folder), json!({"parentId": null})).await.expect(200);
    followed(&app).await;
    let change = json!({"kind": "pages", "ids": [folder["id"]], "change": {"visibility": {"to": "me", "people": []}}});
    author.post("/api/bulk", change).await.refused("conflict");
    assert_agrees(&app, "after the bulk change");
}

#[tokio::test]
async fn change_in_steps_goes_on_after_a_restart() {
    for steps in [1, 2, 3] {
        let app = TestApp::new().await;
        let author = app.acme(Role::Member).await;
        let folder = page(&author, "Folder", json!({})).await;
        filled(&app, &author, &folder, MANY, 10).await;
        let id = id_of(&folder);
        let reader = Reader { id: author.id, role: Role::Member };
        let begin = move |tx: &TenantWrite<'_>| {
            let narrow = Visibility { to: VisibleTo::Me, people: Vec::new() };
            plan_change(tx, reader, id, None, |page| page.visibility = narrow)?;
            (1..steps).try_for_each(|_| follow_next(tx, id).map(drop))?;
            assert_none_wider(tx, "before the restart");
            Ok(())
        };
        app.app.store().write(app.acme.id, Actor::Member(author.id), begin).await.unwrap();
        drop(author);
        let app = app.restart().await;
        followed(&app).await;
        assert_agrees(&app, "after the restart");
        let author = app.acme(Role::Member).await;
        let viewer = app.acme(Role::Viewer).await;
        assert_eq!(author.get(&path(&folder)).await.expect(200)["visibility"]["to"], "me");
        assert_eq!(viewer.get("/api/pages").await.expect(200)["total"], 0);
    }
}

#[tokio::test]
async fn many_pages_move_up_when_the_page_above_is_removed_and_return_when_it_is_restored() {
    let app = TestApp::new().await;
    let author = app.acme(Role::Member).await;
    let top = page(&author, "Top", json!({})).await;
    let folder = page(&author, "Folder", json!({"parentId": top["id"]})).await;
    filled(&app, &author, &folder, MANY, 10).await;
    let below = async |parent: &Value| {
        let list = author.get(&format!("/api/pages?limit=100&parentId={}", parent["id"].as_str().unwrap())).await;
        list.expect(200)["total"].as_u64().unwrap()
    };
    let children = below(&folder).await;
    assert_eq!(children, MANY as u64 - MANY as u64 / 3);
    author.delete(&path(&folder)).await.expect(204);
    followed(&app).await;
    assert_eq!(below(&top).await, children);
    // One is moved elsewhere, and stays there.
    let list = author.get(&format!("/api/pages?parentId={}", top["id"].as_str().unwrap())).await.expect(200);
    author.patch(&path(&list["items"][0]), json!({"parentId": null})).await.expect(200);
    author.post(&format!("/api/bin/{}/restore", folder["id"].as_str().unwrap()), json!({})).await.expect(200);
    followed(&app).await;
    assert_eq!((below(&folder).await, below(&top).await), (children - 1, 1));
    assert_agrees(&app, "after the restore");
}

#[tokio::test]
async fn tree_does_not_change_while_pages_follow() {
    let app = TestApp::new().await;
    let author = app.acme(Role::Member).await;
    let folder = page(&author, "Folder", json!({})).await;
    filled(&app, &author, &folder, MANY, 10).await;
    let id = id_of(&folder);
    let reader = Reader { id: author.id, role: Role::Member };
    let attempt = move |tx: &TenantWrite<'_>| {
        let template = tx.get::<Page>(id)?.value;
        let below = pages(tx).last().unwrap().id;
        let narrow = Visibility { to: VisibleTo::Me, people: Vec::new() };
        plan_change(tx, reader, id, None, |page| page.visibility = narrow.clone())?;
        let new = || Page { parent_id: Some(id), ..template.clone() };
        let code = |result: crate::kernel::Result<_>| result.map(drop).map_err(|error| error.code());
        assert_eq!(code(rules::create(tx, reader, new(), None)), Err(Code::Busy));
        assert_eq!(code(rules::change(tx, reader, below, None, |page| page.parent_id = None)), Err(Code::Busy));
        assert_eq!(code(rules::change(tx, reader, below, None, |page| page.order = 7.5)), Err(Code::Busy));
        assert_eq!(code(rules::change(tx, reader, below, None, |page| page.visibility = narrow)), Err(Code::Busy));
        assert_eq!(rules::remove(tx, reader, false, below, None).unwrap_err().code(), Code::Busy);
        // A change of the page itself would end the planned one, for which a request waits.
        let title = |page: &mut Page| page.title = "Others".to_owned();
        assert_eq!(code(rules::change(tx, reader, id, None, title)), Err(Code::Busy));
        // What concerns neither the tree nor who may see it is as before.
        rules::change(tx, reader, below, None, |page| page.body = "<p>x</p>".to_owned())?;
        rules::create(tx, reader, Page { parent_id: None, ..template.clone() }, None)?;
        Err::<(), _>(Error::new(Code::Conflict))
    };
    let dropped = app.app.store().write(app.acme.id, Actor::Member(author.id), attempt).await;
    assert_eq!(dropped.unwrap_err().code(), Code::Conflict);
}

/// Work that cannot go on does not hold up the tree for good, and leaves no page narrower than it should be.
#[tokio::test]
async fn stopped_work_opens_the_pages_again() {
    let app = TestApp::new().await;
    let author = app.acme(Role::Member).await;
    let folder = page(&author, "Folder", json!({})).await;
    filled(&app, &author, &folder, MANY, 10).await;
    let id = id_of(&folder);
    let reader = Reader { id: author.id, role: Role::Member };
    let stop = move |tx: &TenantWrite<'_>| {
        let narrow = Visibility { to: VisibleTo::Me, people: Vec::new() };
        plan_change(tx, reader, id, None, |page| page.visibility = narrow)?;
        follow_next(tx, id)?;
        crate::features::pages::stop_following(tx, id)
    };
    app.app.store().write(app.acme.id, Actor::Member(author.id), stop).await.unwrap();
    followed(&app).await;
    assert_agrees(&app, "after the stop");
    let viewer = app.acme(Role::Viewer).await;
    assert_eq!(viewer.get("/api/pages").await.expect(200)["total"], MANY as u64 + 1);
    let snapshot = app.app.store().snapshot().unwrap();
    let tx = snapshot.tenant(app.acme.id, None);
    assert!(pages(&tx).iter().all(|page| page.limit == Audience::Company) && !is_planned(&tx, id).unwrap());
}

/// A page with large pages below it: no write reads or writes them all.
#[tokio::test]
async fn no_write_of_a_page_grows_with_the_pages_below_it() {
    let app = TestApp::new().await;
    let author = app.acme(Role::Member).await;
    let private = page(&author, "Private", json!({"visibility": {"to": "me"}})).await;
    let folder = page(&author, "Folder", json!({})).await;
    for _ in 0..4 {
        filled(&app, &author, &folder, 40, 180_000).await;
    }
    let largest = async |what: &str| {
        followed(&app).await;
        let WriteCost { rows_read, bytes_read, rows_written, bytes_written } = app.app.store().take_largest_write();
        assert!(rows_read.max(rows_written) <= MAX_ROWS, "{what}: {rows_read} rows read, {rows_written} written");
        assert!(bytes_read.max(bytes_written) <= MAX_BYTES, "{what}: {bytes_read} bytes read, {bytes_written} written");
        assert!(bytes_read > 0, "{what} is counted");
    };
    app.app.store().take_largest_write();
    author.patch(&path(&folder), json!({"visibility": {"to": "me"}})).await.expect(200);
    largest("a narrower audience").await;
    author.patch(&path(&folder), json!({"visibility": {"to": "company"}})).await.expect(200);
    largest("a wider audience").await;
    author.patch(&path(&folder), json!({"parentId": private["id"]})).await.expect(200);
    largest("a move below a private page").await;
    author.patch(&path(&folder), json!({"parentId": null})).await.expect(200);
    largest("a move to the top level").await;
    author.delete(&path(&folder)).await.expect(204);
    largest("a removal").await;
    author.post(&format!("/api/bin/{}/restore", folder["id"].as_str().unwrap()), json!({})).await.expect(200);
    largest("a restore").await;
}
