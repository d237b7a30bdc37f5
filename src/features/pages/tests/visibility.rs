//! Visibility of pages: who may see a page below others, who may change that, and how the pages below follow.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::{found, page, path, titles};
use crate::{
    feature::Audience,
    features::pages::{Page, rules},
    kernel::{Id, MemberId},
    people::permission::Role,
    store::{Scan, TenantRead},
    testing::{As, TestApp},
};

pub(super) fn people(chosen: &[&As]) -> Value {
    json!({"to": "people", "people": chosen.iter().map(|one| one.id.to_string()).collect::<Vec<_>>()})
}

#[tokio::test]
async fn page_is_visible_to_the_company_to_chosen_people_or_to_its_author_alone() {
    let app = TestApp::new().await;
    let author = app.acme(Role::Member).await;
    let chosen = app.acme(Role::Viewer).await;
    let other = app.hire("other", Role::Member).await;
    let admin = app.acme(Role::Admin).await;
    let made = page(&author, "Salaries", json!({})).await;
    assert_eq!((&made["visibility"], &made["limited"]), (&json!({"to": "company", "people": []}), &json!(false)));
    let see = async || {
        let mut seen = Vec::new();
        for reader in [&author, &chosen, &other, &admin] {
            let listed = !titles(reader, "").await.is_empty();
            assert_eq!(reader.get("/api/pages").await.expect(200)["total"], u64::from(listed));
            assert_eq!(reader.get(&path(&made)).await.status, if listed { 200 } else { 404 });
            seen.push(listed);
        }
        seen
    };
    assert_eq!(see().await, [true; 4]);
    let patched = author.patch(&path(&made), json!({"visibility": people(&[&chosen])})).await.expect(200);
    assert_eq!(patched["visibility"], people(&[&chosen]));
    assert_eq!(see().await, [true, true, false, true]);
    assert_eq!(found(&author, "salaries").await, ["Salaries"]);
    assert_eq!(found(&chosen, "salaries").await, ["Salaries"]);
    for reader in [&other, &admin] {
        assert_eq!(found(reader, "salaries").await, Vec::<String>::new(), "administrators see it in the tree only");
    }
    admin.patch(&path(&made), json!({"visibility": {"to": "me"}})).await.expect(200);
    assert_eq!(see().await, [true, false, false, true], "`me` is the author, also when an administrator sets it");
    // A draft is its author's, whatever its visibility.
    author.patch(&path(&made), json!({"visibility": {"to": "company"}, "status": "draft"})).await.expect(200);
    assert_eq!(see().await, [true, false, false, true]);
    author.patch(&path(&made), json!({"status": "published"})).await.expect(200);
    assert_eq!(see().await, [true; 4]);
}

#[tokio::test]
async fn rejects_people_who_do_not_exist_or_are_suspended() {
    let app = TestApp::new().await;
    let owner = app.acme(Role::Owner).await;
    let author = app.acme(Role::Member).await;
    let known = app.acme(Role::Viewer).await;
    let suspended = app.hire("suspended", Role::Member).await;
    let stranger = app.other(Role::Member).await;
    let made = page(&author, "Plan", json!({"visibility": people(&[&suspended])})).await;
    owner.patch(&format!("/api/team/{}", suspended.id), json!({"state": "suspended"})).await.expect(200);
    let place = |at: usize| format!("visibility.people.{at}");
    let unknown = json!({"to": "people", "people": ["019a9c3e-7b1f-7c52-9b0e-3d0c5a7f1e20"]});
    for (visibility, field) in [
        (people(&[&known, &suspended]), place(1)),
        (people(&[&stranger]), place(0)),
        (unknown, place(0)),
        (json!({"to": "people"}), "visibility.people".to_owned()),
        (people(&[&author]), "visibility.people".to_owned()),
        (json!({"to": "me", "people": [known.id]}), "visibility.people".to_owned()),
        (json!({"to": "people", "people": vec![known.id; 51]}), "visibility.people".to_owned()),
    ] {
        let answer = author.post("/api/pages", json!({"title": "x", "visibility": visibility})).await;
        answer.refused("invalid");
        assert!(answer.body["error"]["fields"][&field].is_string(), "{visibility}: {}", answer.body);
    }
    // Those who were chosen before stay.
    let patched = author.patch(&path(&made), json!({"visibility": people(&[&suspended, &known, &known])})).await;
    assert_eq!(patched.expect(200)["visibility"], people(&[&suspended, &known]));
}

#[tokio::test]
async fn only_the_author_and_administrators_change_who_sees_a_page() {
    let app = TestApp::new().await;
    let author = app.acme(Role::Member).await;
    let chosen = app.hire("chosen", Role::Member).await;
    let admin = app.acme(Role::Admin).await;
    let folder = page(&author, "Folder", json!({"visibility": people(&[&chosen])})).await;
    let made = page(&author, "Plan", json!({"parentId": folder["id"]})).await;
    for (patch, field) in [
        (json!({"visibility": people(&[&chosen])}), "visibility"),
        (json!({"visibility": {"to": "me"}}), "visibility"),
        // It would become visible to all members.
        (json!({"parentId": null}), "parentId"),
        // It would disappear for all but its author.
        (json!({"status": "draft"}), "status"),
    ] {
        let answer = chosen.patch(&path(&made), patch).await;
        answer.refused("forbidden");
        assert!(answer.body["error"]["fields"][field].is_string(), "{}", answer.body);
    }
    let same = json!({"title": "Our plan", "status": "published", "visibility": {"to": "company", "people": []}});
    chosen.patch(&path(&folder), json!({"title": "Our folder"})).await.expect(200);
    chosen.patch(&path(&made), same).await.expect(200);
    admin.patch(&path(&made), json!({"parentId": null})).await.expect(200);
    chosen.patch(&path(&made), json!({"parentId": folder["id"]})).await.refused("forbidden");
}

#[tokio::test]
async fn pages_below_follow_the_visibility_of_the_pages_above() {
    let app = TestApp::new().await;
    let author = app.acme(Role::Member).await;
    let chosen = app.hire("chosen", Role::Member).await;
    let other = app.hire("other", Role::Member).await;
    let folder = page(&author, "Folder", json!({})).await;
    let plan = page(&author, "Plan", json!({"parentId": folder["id"]})).await;
    let notes = page(&other, "Notes", json!({"parentId": plan["id"]})).await;
    author.patch(&path(&folder), json!({"visibility": people(&[&chosen])})).await.expect(200);
    assert_eq!(titles(&chosen, "").await, ["Folder", "Plan", "Notes"]);
    assert_eq!(titles(&other, "").await, ["Notes"], "authors keep their own pages");
    assert_eq!(other.get(&path(&notes)).await.expect(200)["limited"], true);
    // The searches wait for the writes of the one who searches.
    assert_eq!(found(&author, "notes").await, ["Notes"]);
    assert_eq!(found(&chosen, "notes").await, ["Notes"]);
    assert_eq!(found(&other, "plan").await, Vec::<String>::new());
    // A page below may be narrower, but never wider.
    author.patch(&path(&plan), json!({"visibility": {"to": "me"}})).await.expect(200);
    assert_eq!(titles(&chosen, "").await, ["Folder"]);
    author.patch(&path(&folder), json!({"visibility": {"to": "company"}})).await.expect(200);
    assert_eq!(titles(&chosen, "").await, ["Folder"]);
    author.patch(&path(&plan), json!({"visibility": {"to": "company"}})).await.expect(200);
    assert_eq!(titles(&chosen, "").await, ["Folder", "Plan", "Notes"]);
}

#[tokio::test]
async fn removal_of_a_restricted_page_opens_none_below_it() {
    let app = TestApp::new().await;
    let author = app.acme(Role::Member).await;
    let chosen = app.hire("chosen", Role::Member).await;
    let other = app.hire("other", Role::Member).await;
    let folder = page(&author, "Folder", json!({"visibility": people(&[&chosen])})).await;
    let plan = page(&chosen, "Plan", json!({"parentId": folder["id"]})).await;
    let notes = page(&author, "Notes", json!({"parentId": plan["id"]})).await;
    author.delete(&path(&folder)).await.expect(204);
    assert_eq!(titles(&other, "").await, Vec::<String>::new());
    assert_eq!(titles(&chosen, "").await, ["Plan", "Notes"]);
    assert_eq!(titles(&author, "").await, ["Plan", "Notes"]);
    // Nor does the restoration of a page whose parent is gone.
    author.delete(&path(&notes)).await.expect(204);
    chosen.delete(&path(&plan)).await.expect(204);
    author.post(&format!("/api/bin/{}/restore", notes["id"].as_str().unwrap()), json!({})).await.expect(200);
    assert_eq!(titles(&other, "").await, Vec::<String>::new());
    assert_eq!(titles(&chosen, "").await, ["Notes"]);
}

/// The kind of fault: what undoes an act leaves a trace of it. Neighbours: a page below that had its own visibility, one
/// that was given another since, and one that moved up twice.
#[tokio::test]
async fn restoration_of_a_restricted_page_gives_those_below_their_visibility_back() {
    let app = TestApp::new().await;
    let author = app.acme(Role::Member).await;
    let chosen = app.hire("chosen", Role::Member).await;
    let third = app.hire("third", Role::Member).await;
    let folder = page(&author, "Folder", json!({"visibility": people(&[&chosen])})).await;
    let below = json!(folder["id"]);
    let open = page(&author, "Open", json!({"parentId": below})).await;
    let own = page(&author, "Own", json!({"parentId": below, "visibility": people(&[&chosen, &third])})).await;
    let changed = page(&author, "Changed", json!({"parentId": below})).await;
    let restore = async |page: &Value| {
        author.post(&format!("/api/bin/{}/restore", page["id"].as_str().unwrap()), json!({})).await.expect(200);
    };
    let visibility = async |page: &Value| author.get(&path(page)).await.expect(200)["visibility"].clone();
    let mut before = Vec::new();
    for page in [&open, &own] {
        before.push(visibility(page).await);
    }
    for _ in 0..2 {
        author.delete(&path(&folder)).await.expect(204);
        assert_eq!(titles(&third, "").await, Vec::<String>::new());
        author.patch(&path(&changed), json!({"visibility": {"to": "me"}})).await.expect(200);
        restore(&folder).await;
        assert_eq!(titles(&third, "").await, Vec::<String>::new(), "the page above is as restricted as before");
    }
    for (page, before) in [&open, &own].into_iter().zip(before) {
        assert_eq!(visibility(page).await, before, "{page}");
    }
    assert_eq!(visibility(&changed).await["to"], "me", "it was changed since");
    author.patch(&path(&folder), json!({"visibility": {"to": "company"}})).await.expect(200);
    assert_eq!(titles(&third, "").await, ["Folder", "Open", "Own"]);
}

/// Returns the audience of each page, worked out from all pages above it.
pub(super) fn expected(tx: &TenantRead<'_>) -> BTreeMap<String, Audience> {
    let pages = tx.page::<Page>(&Scan::all().limit(usize::MAX), |_| true).unwrap().items;
    let by_id: BTreeMap<Id<Page>, _> = pages.iter().map(|page| (page.id, page)).collect();
    let audience = |id: Id<Page>| {
        let page = by_id[&id];
        let mut audience = Audience::Company;
        let mut next = Some(id);
        while let Some(one) = next {
            audience = audience.intersect(&by_id[&one].visibility.audience(by_id[&one].created_by));
            next = by_id[&one].parent_id;
        }
        audience.unite(&Audience::People(page.created_by.into_iter().collect()))
    };
    pages.iter().map(|page| (page.title.clone(), audience(page.id))).collect()
}

/// Random changes of a tree: the kept limits always say what the pages above say, and a member sees exactly those pages.
#[tokio::test]
async fn limits_always_agree_with_the_pages_above() {
    let app = TestApp::new().await;
    let members =
        [app.acme(Role::Member).await, app.hire("ben", Role::Member).await, app.hire("eve", Role::Member).await];
    let mut random: u64 = 7;
    let mut roll = move |sides: usize| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(random >> 33).unwrap() % sides
    };
    let mut ids: Vec<String> = Vec::new();
    let mut binned: Vec<String> = Vec::new();
    let mut done = BTreeMap::new();
    for step in 0..250 {
        let actor = &members[roll(3)];
        let visibility = match roll(3) {
            0 => json!({"to": "company"}),
            1 => json!({"to": "me"}),
            _ => json!({"to": "people", "people": [members[roll(3)].id, members[roll(3)].id]}),
        };
        let parent = if ids.is_empty() || roll(4) == 0 { Value::Null } else { json!(ids[roll(ids.len())]) };
        let any = (!ids.is_empty()).then(|| roll(ids.len().max(1)));
        let (what, status) = match (roll(6), any) {
            (0 | 1, _) | (_, None) => {
                let body = json!({"title": step.to_string(), "status": "published", "parentId": parent, "visibility": visibility});
                let made = actor.post("/api/pages", body).await;
                ids.extend(made.body["id"].as_str().map(str::to_owned));
                ("create", made.status)
            }
            (2, Some(at)) => {
                ("move", actor.patch(&format!("/api/pages/{}", ids[at]), json!({"parentId": parent})).await.status)
            }
            (3, Some(at)) => {
                let patch = json!({"visibility": visibility});
                ("restrict", actor.patch(&format!("/api/pages/{}", ids[at]), patch).await.status)
            }
            (4, Some(at)) => {
                let status = actor.delete(&format!("/api/pages/{}", ids[at])).await.status;
                if status == 204 {
                    binned.push(ids.swap_remove(at));
                }
                ("remove", status)
            }
            _ if binned.is_empty() => continue,
            _ => {
                let at = roll(binned.len());
                let status = actor.post(&format!("/api/bin/{}/restore", binned[at]), json!({})).await.status;
                if status == 200 {
                    ids.push(binned.swap_remove(at));
                }
                ("restore", status)
            }
        };
        *done.entry((what, status < 300)).or_insert(0) += 1;
        let snapshot = app.app.store().snapshot().unwrap();
        let tx = snapshot.tenant(app.acme.id, None);
        let expected = expected(&tx);
        for member in &members {
            let reader = crate::people::permission::Reader { id: member.id, role: Role::Member };
            let paging = crate::wire::Paging { limit: 1_000, after: None };
            let (page, total) = rules::list(&tx, reader, None, paging).unwrap();
            let seen: BTreeSet<String> = page.items.iter().map(|page| page.title.clone()).collect();
            let visible = |audience: &Audience, member: MemberId| audience.includes(member);
            let all = expected.iter().filter(|(_, audience)| visible(audience, member.id));
            let all: BTreeSet<String> = all.map(|(title, _)| title.clone()).collect();
            assert_eq!(seen, all, "step {step}: {what} {status}");
            assert_eq!(total, all.len() as u64, "step {step}: {what} {status}");
        }
    }
    for what in ["create", "move", "restrict", "remove", "restore"] {
        assert!(done.get(&(what, true)).is_some_and(|times| *times > 5), "{done:?}");
    }
}

/// The list from columns shows, counts and sorts what the reader may see; who may see all sees each page once.
#[tokio::test]
async fn filtered_list_has_the_pages_that_the_reader_may_see() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Member).await;
    let bob = app.acme(Role::Viewer).await;
    let eve = app.acme(Role::Admin).await;
    let new = async |title: &str, status: &str, visibility: Value| {
        let page = json!({"title": title, "status": status, "visibility": visibility});
        ada.post("/api/pages", page).await.expect(201)["id"].as_str().unwrap().to_owned()
    };
    let all = json!({"to": "company"});
    let open = new("Open", "published", all.clone()).await;
    new("Draft", "draft", all).await;
    new("Chosen", "published", json!({"to": "people", "people": [bob.id, eve.id]})).await;
    new("Own", "published", json!({"to": "me"})).await;
    ada.post("/api/pages", json!({"title": "Below", "status": "published", "parentId": open})).await.expect(201);
    let titles = async |member: &As, query: &str| {
        let list = member.get(&format!("/api/pages?{query}")).await.expect(200);
        let items = list["items"].as_array().unwrap();
        assert_eq!(list["total"], items.len(), "{query}");
        items.iter().map(|page| page["title"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    for reader in [&ada, &eve] {
        assert_eq!(titles(reader, "sort=-title").await, ["Own", "Open", "Draft", "Chosen", "Below"]);
        assert_eq!(titles(reader, "filter=status:is:draft").await, ["Draft"]);
    }
    assert_eq!(titles(&bob, "sort=title").await, ["Below", "Chosen", "Open"]);
    assert_eq!(titles(&bob, "filter=visibility:is:people,me").await, ["Chosen"]);
    assert_eq!(titles(&bob, &format!("sort=title&parentId={open}")).await, ["Below"]);
    assert_eq!(titles(&bob, "sort=title&q=open").await, ["Open"]);
    bob.get("/api/pages?sort=body").await.refused("bad_request");
    bob.get("/api/pages?filter=order:is:1").await.refused("invalid");
}
