//! Pages over HTTP.

mod follow;
mod visibility;

use serde_json::{Value, json};

use crate::{
    people::permission::Role,
    testing::{As, TestApp},
};

async fn page(caller: &As, title: &str, more: Value) -> Value {
    let mut body = json!({"title": title, "status": "published"});
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    caller.post("/api/pages", body).await.expect(201)
}

fn path(page: &Value) -> String {
    format!("/api/pages/{}", page["id"].as_str().unwrap())
}

async fn titles(caller: &As, query: &str) -> Vec<String> {
    let list = caller.get(&format!("/api/pages{query}")).await.expect(200);
    assert!(list["items"].as_array().unwrap().iter().all(|item| item.get("body").is_none()), "lists have no bodies");
    list["items"].as_array().unwrap().iter().map(|item| item["title"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn a_page_is_written_read_changed_and_removed() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let body = json!({"title": "Welcome", "icon": "book", "body": "<h1>Hi</h1><script>x()</script>"});
    let made = member.post("/api/pages", body).await;
    assert_eq!(made.tagged_version(), 1);
    let location = made.headers["location"].to_str().unwrap().to_owned();
    let made = made.expect(201);
    assert_eq!((made["body"].as_str(), made["status"].as_str()), (Some("<h1>Hi</h1>"), Some("draft")));
    assert!(made.get("parentId").is_none());
    assert_eq!(member.get(&location).await.expect(200), made);
    let patch = json!({"icon": null, "body": "<p onclick=x>There</p>"});
    let changed = member.send_with("PATCH", &location, Some(patch), &[("if-match", "\"1\"")]).await.expect(200);
    assert_eq!((changed["body"].as_str(), changed.get("icon")), (Some("<p>There</p>"), None));
    let stale = member.send_with("PATCH", &location, Some(json!({"title": "x"})), &[("if-match", "\"1\"")]).await;
    stale.refused("stale_version");
    member.delete(&location).await.expect(204);
    member.get(&location).await.refused("record_in_bin");
}

#[tokio::test]
async fn drafts_are_visible_only_to_their_author_and_admins() {
    let app = TestApp::new().await;
    let author = app.acme(Role::Member).await;
    let admin = app.acme(Role::Admin).await;
    let viewer = app.acme(Role::Viewer).await;
    let draft = page(&author, "Secret plan", json!({"status": "draft"})).await;
    page(&author, "Handbook", json!({})).await;
    let hidden = page(&admin, "Salaries", json!({"status": "draft"})).await;
    assert_eq!(titles(&admin, "").await, ["Secret plan", "Handbook", "Salaries"]);
    assert_eq!(titles(&author, "").await, ["Secret plan", "Handbook"]);
    assert_eq!(titles(&viewer, "").await, ["Handbook"]);
    for (caller, total) in [(&admin, 3), (&author, 2), (&viewer, 1)] {
        assert_eq!(caller.get("/api/pages").await.expect(200)["total"], total);
    }
    viewer.get(&path(&draft)).await.refused("not_found");
    author.get(&path(&hidden)).await.refused("not_found");
    author.patch(&path(&hidden), json!({"title": "x"})).await.refused("not_found");
    author.delete(&path(&hidden)).await.refused("not_found");
    let below = author.post("/api/pages", json!({"title": "x", "parentId": hidden["id"]})).await;
    below.refused("invalid");
    assert!(below.body["error"]["fields"]["parentId"].is_string());
    assert_eq!(titles(&admin, "?q=secret").await, ["Secret plan"], "words narrow what the list shows");
    assert_eq!(titles(&viewer, "?q=secret").await, Vec::<String>::new());
    author.patch(&path(&draft), json!({"status": "published"})).await.expect(200);
    assert_eq!(titles(&author, "?q=secret").await, ["Secret plan"]);
    viewer.get(&path(&draft)).await.expect(200);
}

/// Returns the titles of pages that a search finds.
async fn found(caller: &As, typed: &str) -> Vec<String> {
    let sets = caller.post("/api/common/search", json!({"query": typed})).await.expect(200);
    let pages = sets.as_array().unwrap().iter().find(|set| set["id"] == "pages");
    let results = pages.map(|set| set["results"].as_array().unwrap().clone()).unwrap_or_default();
    results.iter().map(|hit| hit["value"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn search_finds_drafts_only_for_their_author() {
    let app = TestApp::new().await;
    let author = app.acme(Role::Member).await;
    let colleague = app.acme(Role::Viewer).await;
    let admin = app.acme(Role::Admin).await;
    let stranger = app.other(Role::Owner).await;
    let nothing = Vec::<String>::new();
    let draft = page(&author, "Quixotic plan", json!({"status": "draft", "body": "<p>Windmills</p>"})).await;
    page(&author, "Quixotic handbook", json!({})).await;
    for typed in ["quixotic plan", "quixotc plan", "windmi"] {
        assert_eq!(found(&author, typed).await, ["Quixotic plan"], "{typed}");
        for other in [&colleague, &admin, &stranger] {
            assert_eq!(found(other, typed).await, nothing, "{typed}");
        }
    }
    // Both match equally well and have the same time.
    let mut both = found(&author, "quixotic").await;
    both.sort();
    assert_eq!(both, ["Quixotic handbook", "Quixotic plan"]);
    assert_eq!(found(&admin, "quixotic").await, ["Quixotic handbook"]);
    assert_eq!(titles(&author, "?q=windmills").await, ["Quixotic plan"]);
    assert_eq!(titles(&admin, "?q=windmills").await, ["Quixotic plan"], "the list shows it");
    assert_eq!(titles(&colleague, "?q=windmills").await, nothing);

    admin.patch(&path(&draft), json!({"title": "Quixotic idea"})).await.expect(200);
    // A search waits for the searcher's own writes. The admin made the change and searches first, so the author's
    // search finds it as well.
    assert_eq!(found(&admin, "quixotic idea").await, nothing);
    assert_eq!(found(&author, "quixotic idea").await, ["Quixotic idea"], "it stays the author's");

    author.patch(&path(&draft), json!({"status": "published"})).await.expect(200);
    assert_eq!(found(&author, "quixotic idea").await, ["Quixotic idea"]);
    for reader in [&colleague, &admin] {
        assert_eq!(found(reader, "quixotic idea").await, ["Quixotic idea"]);
    }
    assert_eq!(found(&stranger, "quixotic idea").await, nothing);

    author.patch(&path(&draft), json!({"status": "draft"})).await.expect(200);
    assert_eq!(found(&author, "quixotic idea").await, ["Quixotic idea"]);
    for reader in [&colleague, &admin] {
        assert_eq!(found(reader, "quixotic idea").await, nothing, "a draft leaves the results of others");
    }
    author.delete(&path(&draft)).await.expect(204);
    assert_eq!(found(&author, "quixotic idea").await, nothing);
}

#[tokio::test]
async fn tree_keeps_its_order_and_rejects_cycles() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let top = page(&member, "Top", json!({})).await;
    let second = page(&member, "Second", json!({})).await;
    let child = page(&member, "Child", json!({"parentId": top["id"]})).await;
    let grandchild = page(&member, "Grandchild", json!({"parentId": child["id"]})).await;
    assert_eq!((top["order"].as_f64(), second["order"].as_f64()), (Some(1.0), Some(2.0)));
    assert_eq!(titles(&member, "?limit=2").await, ["Top", "Second"]);
    member.patch(&path(&second), json!({"order": 0.5})).await.expect(200);
    assert_eq!(titles(&member, "?limit=2").await, ["Second", "Top"]);
    let below_top = format!("?parentId={}", top["id"].as_str().unwrap());
    assert_eq!(titles(&member, &below_top).await, ["Child"]);

    for parent in [&top, &child, &grandchild] {
        let answer = member.patch(&path(&top), json!({"parentId": parent["id"]})).await;
        answer.refused("invalid");
        assert!(answer.body["error"]["fields"]["parentId"].is_string());
    }
    member.delete(&path(&child)).await.expect(204);
    assert_eq!(titles(&member, &below_top).await, ["Grandchild"], "what lay below moves up");
    let up = member.patch(&path(&grandchild), json!({"parentId": null})).await.expect(200);
    assert!(up.get("parentId").is_none());
}

#[tokio::test]
async fn cursor_continues_the_list() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    for n in 0..5 {
        page(&member, &format!("Page {n}"), json!({})).await;
    }
    let mut seen = Vec::new();
    let mut query = "?limit=2".to_owned();
    loop {
        let list = member.get(&format!("/api/pages{query}")).await.expect(200);
        seen.extend(list["items"].as_array().unwrap().iter().map(|item| item["title"].as_str().unwrap().to_owned()));
        assert_eq!(list["total"], 5);
        let Some(cursor) = list["nextCursor"].as_str() else { break };
        query = format!("?limit=2&cursor={cursor}");
    }
    assert_eq!(seen, ["Page 0", "Page 1", "Page 2", "Page 3", "Page 4"]);
}

#[tokio::test]
async fn rejects_invalid_input_naming_the_field() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let foreign = page(&app.other(Role::Member).await, "Foreign", json!({})).await;
    for (field, value) in [
        ("title", json!(" ")),
        ("title", json!("x".repeat(201))),
        ("icon", json!("x".repeat(51))),
        ("order", json!(1e12)),
        ("parentId", json!("019a9c3e-7b1f-7c52-9b0e-3d0c5a7f1e20")),
        ("parentId", foreign["id"].clone()),
    ] {
        let mut body = json!({"title": "Fine"});
        body[field] = value;
        let answer = member.post("/api/pages", body).await;
        answer.refused("invalid");
        assert!(answer.body["error"]["fields"][field].is_string(), "{field}: {}", answer.body);
    }
    let mut parent = page(&member, "1", json!({})).await;
    for level in 2..=20 {
        parent = page(&member, &level.to_string(), json!({"parentId": parent["id"]})).await;
    }
    member.post("/api/pages", json!({"title": "21", "parentId": parent["id"]})).await.refused("invalid");
}

#[tokio::test]
async fn enforces_role_permissions_and_hides_records_from_other_tenants() {
    let app = TestApp::new().await;
    let (admin, member, viewer) =
        (app.acme(Role::Admin).await, app.acme(Role::Member).await, app.acme(Role::Viewer).await);
    let of_admin = page(&admin, "Rules", json!({})).await;
    viewer.post("/api/pages", json!({"title": "x"})).await.refused("forbidden");
    viewer.patch(&path(&of_admin), json!({"title": "x"})).await.refused("forbidden");
    viewer.delete(&path(&of_admin)).await.refused("forbidden");
    member.patch(&path(&of_admin), json!({"title": "House rules"})).await.expect(200);
    member.delete(&path(&of_admin)).await.refused("forbidden");
    let of_member = page(&member, "Mine", json!({})).await;
    admin.delete(&path(&of_member)).await.expect(204);
    let stranger = app.other(Role::Owner).await;
    stranger.get(&path(&of_admin)).await.refused("not_found");
    stranger.patch(&path(&of_admin), json!({"title": "x"})).await.refused("not_found");
    stranger.delete(&path(&of_admin)).await.refused("not_found");
    app.anonymous("GET", "/api/pages", None).await.refused("not_signed_in");
}

#[tokio::test]
async fn new_items_go_last_even_after_the_largest_order() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    page(&member, "last", json!({"order": 1e9})).await;
    page(&member, "behind", json!({})).await;
    assert_eq!(titles(&member, "").await, ["last", "behind"]);
}

#[tokio::test]
async fn rejects_a_move_that_makes_the_tree_too_deep() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let mut chains = Vec::new();
    for chain in ["a", "b"] {
        let mut pages: Vec<Value> = Vec::new();
        for level in 0..11 {
            let parent = pages.last().map_or(Value::Null, |above| above["id"].clone());
            pages.push(page(&member, &format!("{chain}{level}"), json!({"parentId": parent})).await);
        }
        chains.push(pages);
    }
    let top = &chains[1][0];
    let under = |level: usize| json!({"parentId": chains[0][level]["id"]});
    let refused = member.patch(&path(top), under(9)).await;
    refused.refused("invalid");
    assert!(refused.body["error"]["fields"]["parentId"].as_str().unwrap().contains("20"));
    member.patch(&path(top), under(8)).await.expect(200);
}
