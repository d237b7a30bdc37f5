//! The team API over HTTP.

use serde_json::{Value, json};

mod invitations;

use crate::{
    features::{TABLES, chat::Membership, messages::Message, notifications::Notification, shortcuts::Shortcut},
    people::permission::Role,
    store::Scan,
    testing::{As, PASSWORD, TestApp},
};

fn ben() -> Value {
    json!({"name": "Ben Úbeda", "email": "Ben@acme.example", "role": "member", "password": PASSWORD, "title": "Cook"})
}

async fn id_of(caller: &As, role: &str) -> String {
    let list = caller.get(&format!("/api/team?role={role}")).await.expect(200);
    list["items"][0]["id"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn admin_adds_changes_and_removes_a_member() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    let made = admin.post("/api/team", ben()).await;
    assert_eq!(made.tagged_version(), 1);
    let location = made.headers["location"].to_str().unwrap().to_owned();
    let made = made.expect(201);
    assert_eq!((made["email"].as_str(), made["state"].as_str()), (Some("ben@acme.example"), Some("active")));
    assert_eq!(made["createdBy"], admin.id.to_string());
    assert!(made.get("avatar").is_none() && made.get("lastSeenAt").is_none(), "{made}");
    assert_eq!(made["presence"], "not-visible");

    let ben = app.sign_in("ben@acme.example").await;
    let patch = json!({"title": null, "about": "Cooks.", "role": "viewer"});
    let changed = admin.send_with("PATCH", &location, Some(patch), &[("if-match", "\"1\"")]).await.expect(200);
    assert_eq!((changed["about"].as_str(), changed["version"].as_u64()), (Some("Cooks."), Some(2)));
    assert!(changed.get("title").is_none());
    let user = ben.get("/api/common/user").await.expect(200);
    assert_eq!(user["role"], "viewer", "a role counts from the next request");
    let stale = admin.send_with("PATCH", &location, Some(json!({"name": "B"})), &[("if-match", "\"1\"")]).await;
    stale.refused("stale_version");

    admin.delete(&location).await.expect(204);
    ben.get("/api/common/user").await.refused("not_signed_in");
    admin.get(&location).await.refused("not_found");
    admin.delete(&location).await.refused("not_found");
    admin.patch(&location, json!({"name": "B"})).await.refused("not_found");
}

#[tokio::test]
async fn suspension_ends_sessions_and_reactivation_requires_a_new_sign_in() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    let viewer = app.acme(Role::Viewer).await;
    let path = format!("/api/team/{}", viewer.id);
    assert_eq!(admin.patch(&path, json!({"state": "suspended"})).await.expect(200)["state"], "suspended");
    viewer.get("/api/common/user").await.refused("not_signed_in");
    let form = json!({"email": "viewer@acme.example", "password": PASSWORD});
    let refused = app.anonymous("POST", "/api/auth/sign-in", Some(form)).await;
    refused.refused("invalid_credentials");
    admin.patch(&path, json!({"state": "active"})).await.expect(200);
    viewer.get("/api/common/user").await.refused("not_signed_in");
    app.acme(Role::Viewer).await.get("/api/common/user").await.expect(200);
    for state in ["invited", "unconfirmed"] {
        let answer = admin.patch(&path, json!({"state": state})).await;
        answer.refused("invalid");
        assert!(answer.body["error"]["fields"]["state"].is_string());
    }
}

#[tokio::test]
async fn only_owners_change_owners_and_one_owner_remains() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    let owner = app.acme(Role::Owner).await;
    let path = format!("/api/team/{}", owner.id);
    for patch in [json!({"role": "member"}), json!({"state": "suspended"}), json!({"name": "Nobody"})] {
        admin.patch(&path, patch).await.refused("forbidden");
    }
    admin.delete(&path).await.refused("forbidden");
    admin.patch(&format!("/api/team/{}", admin.id), json!({"role": "owner"})).await.refused("forbidden");
    let mut second = ben();
    second["role"] = "owner".into();
    admin.post("/api/team", second.clone()).await.refused("forbidden");

    for patch in [json!({"role": "admin"}), json!({"state": "suspended"})] {
        owner.patch(&path, patch).await.refused("conflict");
    }
    owner.delete(&path).await.refused("conflict");
    owner.post("/api/team", second).await.expect(201);
    owner.patch(&path, json!({"role": "admin"})).await.expect(200);
    owner.patch(&path, json!({"role": "owner"})).await.refused("forbidden");
}

#[tokio::test]
async fn list_is_sorted_by_name_filtered_and_paged() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    admin.post("/api/team", ben()).await.expect(201);
    let all = admin.get("/api/team").await.expect(200);
    let names: Vec<&str> = all["items"].as_array().unwrap().iter().map(|m| m["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["admin of acme", "Ben Úbeda", "member of acme", "owner of acme", "viewer of acme"]);
    assert_eq!(all["total"], 5);
    assert!(all.get("nextCursor").is_none());
    let first = admin.get("/api/team?limit=3").await.expect(200);
    assert_eq!((first["items"].as_array().unwrap().len(), first["total"].as_u64()), (3, Some(5)));
    let cursor = first["nextCursor"].as_str().unwrap();
    let second = admin.get(&format!("/api/team?limit=3&cursor={cursor}")).await.expect(200);
    assert_eq!(second["items"][0]["name"], "owner of acme");
    let members = admin.get("/api/team?role=member").await.expect(200);
    assert_eq!((members["items"].as_array().unwrap().len(), members["total"].as_u64()), (2, Some(2)));
    assert_eq!(admin.get("/api/team?state=suspended").await.expect(200)["total"], 0);
    let found = admin.get("/api/team?q=ubeda").await.expect(200);
    assert_eq!((found["items"][0]["name"].as_str(), found["total"].as_u64()), (Some("Ben Úbeda"), Some(1)));
    admin.get("/api/team?limit=0").await.refused("invalid");
    admin.get("/api/team?cursor=xyz").await.refused("bad_request");
}

#[tokio::test]
async fn rejects_invalid_input_naming_the_field() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    for (field, value, code) in [
        ("name", json!(" "), "invalid"),
        ("email", json!("ben"), "invalid"),
        ("email", json!("VIEWER@acme.example"), "conflict"),
        ("password", json!("short"), "invalid"),
        ("password", Value::Null, "invalid"),
        ("title", json!("x".repeat(201)), "invalid"),
    ] {
        let mut body = ben();
        body[field] = value;
        let answer = admin.post("/api/team", body).await;
        answer.refused(code);
        assert!(answer.body["error"]["fields"][field].is_string(), "{field}: {}", answer.body);
    }
}

#[tokio::test]
async fn retry_with_the_same_key_adds_one_member() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    let key = [("idempotency-key", "k1")];
    let first = admin.send_with("POST", "/api/team", Some(ben()), &key).await.expect(201);
    let second = admin.send_with("POST", "/api/team", Some(ben()), &key).await.expect(201);
    assert_eq!(first["id"], second["id"]);
}

#[tokio::test]
async fn all_members_read_and_only_admins_change() {
    let app = TestApp::new().await;
    for role in [Role::Viewer, Role::Member] {
        let caller = app.acme(role).await;
        let path = format!("/api/team/{}", id_of(&caller, "viewer").await);
        caller.get(&path).await.expect(200);
        caller.post("/api/team", ben()).await.refused("forbidden");
        caller.patch(&path, json!({"name": "X"})).await.refused("forbidden");
        caller.delete(&path).await.refused("forbidden");
    }
    let foreign = app.other(Role::Owner).await;
    let path = format!("/api/team/{}", id_of(&app.acme(Role::Admin).await, "viewer").await);
    foreign.get(&path).await.refused("not_found");
    foreign.patch(&path, json!({"name": "X"})).await.refused("not_found");
    foreign.delete(&path).await.refused("not_found");
}

#[tokio::test]
async fn presence_is_visible_to_others_unless_hidden() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    let member = app.acme(Role::Member).await;
    let path = format!("/api/team/{}", member.id);
    member.patch("/api/common/user", json!({"status": "busy"})).await.expect(200);
    let away = admin.get(&path).await.expect(200);
    assert_eq!(away["presence"], "not-visible", "no page of theirs is open");
    member.get("/api/live").await.expect(200);
    let seen = admin.get(&path).await.expect(200);
    assert_eq!((seen["presence"].as_str(), seen["lastSeenAt"].is_string()), (Some("busy"), true));
    app.clock.advance(4 * 60_000);
    admin.get(&path).await.expect(200);
    member.patch("/api/common/user", json!({"status": "not-visible"})).await.expect(200);
    let hidden = admin.get(&path).await.expect(200);
    assert_eq!((hidden["presence"].as_str(), hidden.get("lastSeenAt")), (Some("not-visible"), None));
    assert!(member.get(&path).await.expect(200)["lastSeenAt"].is_string(), "oneself one sees");
}

#[tokio::test]
async fn removing_a_member_removes_personal_records_and_keeps_their_work() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    let member = app.acme(Role::Member).await;
    member.post("/api/common/messages", json!({"message": {"title": "To myself"}})).await.expect(200);
    admin
        .post("/api/common/notifications", json!({"notification": {"title": "Hello", "to": [member.id.to_string()]}}))
        .await
        .expect(200);
    let shortcut = json!({"shortcut": {"label": "Tasks", "icon": "check", "link": "/tasks", "useRouter": true}});
    member.post("/api/common/shortcuts", shortcut).await.expect(200);
    let chat = admin.post("/api/apps/chat/chat", json!({"contactId": member.id.to_string()})).await.expect(200);
    let said = json!({"chatId": chat["id"], "value": "Hello"});
    admin.post("/api/apps/chat/messages", said).await.expect(201);
    let task = member.post("/api/tasks", json!({"title": "Stays"})).await.expect(201);

    admin.delete(&format!("/api/team/{}", member.id)).await.expect(204);

    let snapshot = app.app.store().snapshot().unwrap();
    let theirs = snapshot.tenant(app.acme.id, Some(member.id)).own_data().unwrap();
    let all = Scan::all();
    assert!(theirs.page::<Message>(&all, |_| true).unwrap().items.is_empty());
    assert!(theirs.page::<Notification>(&all, |_| true).unwrap().items.is_empty());
    assert!(theirs.page::<Shortcut>(&all, |_| true).unwrap().items.is_empty());
    assert!(theirs.page::<Membership>(&all, |_| true).unwrap().items.is_empty());
    let report = app.app.store().check(TABLES, &mut |_| std::ops::ControlFlow::Continue(())).unwrap();
    assert!(report.is_sound(), "{:?}", report.damage);
    assert_eq!(admin.get(&format!("/api/tasks/{}", task["id"].as_str().unwrap())).await.expect(200)["title"], "Stays");
    let history = admin.get(&format!("/api/apps/chat/chat?id={}", chat["id"].as_str().unwrap())).await.expect(200);
    assert!(history.to_string().contains("Hello"), "what was said stays with whom it was said to");
}

#[tokio::test]
async fn paging_continues_after_a_long_name() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    admin.patch("/api/common/user", json!({"name": "\u{FDFA}".repeat(200)})).await.expect(200);
    let mut seen = 0;
    let mut query = String::new();
    loop {
        let page = admin.get(&format!("/api/team?limit=1{query}")).await.expect(200);
        seen += page["items"].as_array().unwrap().len();
        let Some(next) = page["nextCursor"].as_str() else { break };
        query = format!("&cursor={next}");
    }
    assert_eq!(seen, 4);
}

#[tokio::test]
async fn former_members_are_still_named_in_their_work() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    let member = app.acme(Role::Member).await;
    let chat = member.post("/api/apps/chat/chat", json!({"contactId": admin.id.to_string()})).await.expect(200);
    member.post("/api/apps/chat/messages", json!({"chatId": chat["id"], "value": "Bye"})).await.expect(201);
    member.post("/api/tasks", json!({"title": "Stays"})).await.expect(201);
    admin.delete(&format!("/api/team/{}", member.id)).await.expect(204);

    let former = admin.get("/api/team/former").await.expect(200);
    assert_eq!(former["items"].as_array().unwrap().len(), 1);
    assert_eq!((&former["items"][0]["id"], &former["items"][0]["name"]), (&json!(member.id), &json!("member of acme")));
    let chats = admin.get("/api/apps/chat/chats").await.expect(200);
    assert_eq!(chats[0]["contact"]["name"], "member of acme (former member)");
    let board = admin.get("/api/dashboards/project").await.expect(200);
    let names: Vec<&Value> = board["activity"].as_array().unwrap().iter().map(|one| &one["actor"]["name"]).collect();
    assert!(names.contains(&&json!("member of acme (former member)")), "{names:?}");
    assert_eq!(app.other(Role::Owner).await.get("/api/team/former").await.expect(200)["items"], json!([]));
}
