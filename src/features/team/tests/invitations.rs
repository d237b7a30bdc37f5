//! Invitations over HTTP.

use serde_json::{Value, json};

use crate::{
    access::links::Link,
    mail::{Email, Kind},
    people::permission::Role,
    store::{Record, Scan, Stored, TenantRecord},
    testing::{As, PASSWORD, TestApp},
};

const PATH: &str = "/api/team/invitations";

async fn invite(caller: &As, emails: &[&str], role: &str) -> Vec<Value> {
    let answer = caller.post(PATH, json!({"emails": emails, "role": role})).await.expect(200);
    answer["items"].as_array().unwrap().clone()
}

fn kept<R: Record + TenantRecord>(app: &TestApp) -> Vec<Stored<R>> {
    let snapshot = app.app.store().snapshot().unwrap();
    let tenant = snapshot.tenant(app.acme.id, None);
    tenant.page::<R>(&Scan::all().limit(1_000), |_| true).unwrap().items
}

fn statuses(items: &[Value]) -> Vec<&str> {
    items.iter().map(|item| item["status"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn invitations_return_working_links_without_a_mail_server() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    let items = invite(&admin, &["li@new.example", "nobody", "li@new.example"], "member").await;
    assert!(items[1].get("link").is_none() && items[0]["link"] == items[2]["link"], "{items:?}");
    let path = format!("/api/team/{}/invitation-link", items[0]["id"].as_str().unwrap());
    let another = admin.post(&path, json!({})).await.expect(200);
    for link in [&items[0]["link"], &another["link"]] {
        let token = link.as_str().unwrap().strip_prefix("/activate-account#").unwrap();
        let opened = app.anonymous("POST", "/api/auth/link", Some(json!({"token": token}))).await.expect(200);
        assert_eq!(opened["email"], "li@new.example");
    }
    app.acme(Role::Member).await.post(&path, json!({})).await.refused("forbidden");
    let owner = app.acme(Role::Owner).await;
    owner.post(&format!("/api/team/{}/invitation-link", admin.id), json!({})).await.refused("conflict");
    app.other(Role::Owner).await.post(&path, json!({})).await.refused("not_found");
}

#[tokio::test]
async fn stored_retry_responses_contain_no_link() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    let body = || Some(json!({"emails": ["li@new.example"], "role": "member"}));
    let send = async || admin.send_with("POST", PATH, body(), &[("idempotency-key", "k1")]).await.expect(200);
    let first = send().await;
    let second = send().await;
    assert_eq!(first["items"][0]["id"], second["items"][0]["id"]);
    assert_ne!(first["items"][0]["link"], second["items"][0]["link"], "a retry gets a new secret, not a kept one");
}

#[tokio::test]
async fn invitations_return_no_links_with_a_mail_server() {
    let app = TestApp::with(|config| config.mail.host = Some("smtp.acme.example".into())).await;
    let admin = app.acme(Role::Admin).await;
    let items = invite(&admin, &["li@new.example"], "member").await;
    assert!(items[0].get("link").is_none(), "{items:?}");
    let path = format!("/api/team/{}/invitation-link", items[0]["id"].as_str().unwrap());
    let refused = admin.post(&path, json!({})).await;
    refused.refused("conflict");
    assert_eq!(refused.body["error"]["message"], "Email is set up. Send the invitation again instead.");
}

#[tokio::test]
async fn batch_invitation_returns_a_status_per_address() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    let asked = json!({
        "emails": ["Ida@new.example", "nobody", "viewer@acme.example", "ida@NEW.example", "bob@new.example"],
        "role": "viewer", "message": " See you on Monday. ",
    });
    let answer = admin.post(PATH, asked).await.expect(200);
    let items = answer["items"].as_array().unwrap();
    assert_eq!(statuses(items), ["invited", "invalid", "already_member", "invited", "invited"]);
    assert_eq!((items[0]["email"].as_str(), items[1]["email"].as_str()), (Some("ida@new.example"), Some("nobody")));
    assert!(items[1].get("id").is_none());
    assert_eq!(items[0]["id"], items[3]["id"], "twice in the list is once");

    let ida = admin.get(&format!("/api/team/{}", items[0]["id"].as_str().unwrap())).await.expect(200);
    assert_eq!(
        (ida["name"].as_str(), ida["state"].as_str(), ida["role"].as_str()),
        (Some("ida"), Some("invited"), Some("viewer"))
    );
    let emails = kept::<Email>(&app);
    assert_eq!(
        emails.iter().map(|email| email.to.as_str()).collect::<Vec<_>>(),
        ["ida@new.example", "bob@new.example"]
    );
    let by = Kind::Invitation { by: Some("admin of acme".into()), message: Some("See you on Monday.".into()) };
    assert_eq!(emails[0].kind, by);
    let links = kept::<Link>(&app);
    assert_eq!(emails[0].link, Some(*links[0].id.as_bytes()));
    assert_eq!(links[0].ends_at, app.clock.now().plus_seconds(7 * 24 * 3_600));
    let entry = &admin.get("/api/audit?event=member.invited").await.expect(200)["items"][1];
    assert_eq!(entry["about"]["id"], items[0]["id"]);
    assert_eq!(
        entry["facts"],
        json!([{"name": "email", "value": "ida@new.example"}, {"name": "role", "value": "viewer"}])
    );
}

#[tokio::test]
async fn invited_member_cannot_sign_in_with_a_password() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    let ida = invite(&admin, &["ida@new.example"], "member").await;
    let form = json!({"email": "ida@new.example", "password": PASSWORD});
    app.anonymous("POST", "/api/auth/sign-in", Some(form)).await.refused("invalid_credentials");
    let path = format!("/api/team/{}", ida[0]["id"].as_str().unwrap());
    admin.patch(&path, json!({"state": "active"})).await.refused("invalid");
    let contacts = admin.get("/api/apps/chat/contacts").await.expect(200);
    assert!(contacts.as_array().unwrap().iter().all(|contact| contact["name"] != "ida"));
}

#[tokio::test]
async fn invitation_is_resent_and_revoked() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    let member = app.acme(Role::Member).await;
    let ida = invite(&admin, &["ida@new.example"], "member").await;
    let path = format!("/api/team/{}", ida[0]["id"].as_str().unwrap());
    let again = format!("{path}/resend-invitation");
    let answer = admin.send_with("POST", &again, None, &[]).await;
    assert_eq!(answer.expect(202)["state"], "invited");
    let other = invite(&admin, &["ida@new.example"], "viewer").await;
    assert_eq!((statuses(&other), &other[0]["id"]), (vec!["invited"], &ida[0]["id"]), "asked anew is written to anew");
    assert_eq!(admin.get(&path).await.expect(200)["role"], "viewer");
    assert_eq!(kept::<Email>(&app).len(), 3);
    for _ in 0..2 {
        admin.send_with("POST", &again, None, &[]).await.expect(202);
    }
    let tired = admin.send_with("POST", &again, None, &[]).await;
    tired.refused("slow_down");
    assert!(tired.headers.contains_key("retry-after"));
    member.send_with("POST", &again, None, &[]).await.refused("forbidden");
    let here = format!("/api/team/{}/resend-invitation", member.id);
    admin.send_with("POST", &here, None, &[]).await.refused("conflict");

    admin.delete(&path).await.expect(204);
    assert!(kept::<Link>(&app).is_empty(), "its links open nothing any more");
    assert_eq!(admin.get("/api/team/former").await.expect(200)["items"], json!([]), "who never came has not left");
    let entry = &admin.get("/api/audit?event=member.revoked").await.expect(200)["items"][0];
    assert_eq!(entry["facts"], json!([{"name": "email", "value": "ida@new.example"}]));
}

#[tokio::test]
async fn invited_member_has_the_given_name_until_choosing_one() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    let send = async |body: Value| admin.post(PATH, body).await;
    let name = async |item: &Value| {
        let member = admin.get(&format!("/api/team/{}", item["id"].as_str().unwrap())).await.expect(200);
        member["name"].as_str().unwrap().to_owned()
    };
    let people = json!([
        {"email": "Ben@new.example", "name": "  Ben   Stone "},
        {"email": "ida@new.example"},
        {"email": "li@new.example", "name": " "},
        {"email": "nobody", "name": "No One"},
    ]);
    let answer = send(json!({"emails": ["ana@new.example"], "people": people, "role": "member"})).await.expect(200);
    let items = answer["items"].as_array().unwrap();
    assert_eq!(statuses(items), ["invited", "invited", "invited", "invited", "invalid"]);
    assert_eq!(items[1]["email"], "ben@new.example");
    for (item, expected) in items.iter().zip(["ana", "Ben Stone", "ida", "li"]) {
        assert_eq!(name(item).await, expected);
    }
    let email = kept::<Email>(&app).into_iter().find(|email| email.to == "ben@new.example").unwrap();
    assert_eq!(email.name, "Ben Stone");

    // A repeated invitation keeps the name unless it contains another one.
    send(json!({"emails": ["ben@new.example"], "role": "member"})).await.expect(200);
    assert_eq!(name(&items[1]).await, "Ben Stone");
    let renamed = json!({"people": [{"email": "ben@new.example", "name": "Benjamin Stone"}], "role": "member"});
    let link = send(renamed).await.expect(200)["items"][0]["link"].as_str().unwrap().to_owned();
    assert_eq!(name(&items[1]).await, "Benjamin Stone");

    let token = link.split_once('#').unwrap().1;
    let opened = app.anonymous("POST", "/api/auth/link", Some(json!({"token": token}))).await.expect(200);
    assert_eq!(opened["name"], "Benjamin Stone");
    let chosen = json!({"token": token, "name": "Benny", "password": PASSWORD});
    app.anonymous("POST", "/api/auth/activate-account", Some(chosen)).await.expect(200);
    assert_eq!(name(&items[1]).await, "Benny");
    let late = json!({"people": [{"email": "ben@new.example", "name": "Someone Else"}], "role": "member"});
    assert_eq!(statuses(send(late).await.expect(200)["items"].as_array().unwrap()), ["already_member"]);
    assert_eq!(name(&items[1]).await, "Benny");
}

#[tokio::test]
async fn rejects_invalid_people_to_invite_naming_the_field() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    let crowd = |count: usize| (0..count).map(|n| json!({"email": format!("p{n}@new.example")})).collect::<Vec<_>>();
    let long = json!([{"email": "a@new.example"}, {"email": "b@new.example", "name": "x".repeat(201)}]);
    for (body, field) in [
        (json!({"role": "member"}), "emails"),
        (json!({"people": [], "role": "member"}), "emails"),
        (json!({"people": crowd(51), "role": "member"}), "people"),
        (json!({"emails": ["a@new.example"], "people": crowd(50), "role": "member"}), "people"),
        (json!({"people": long, "role": "member"}), "people.1.name"),
    ] {
        let answer = admin.post(PATH, body).await;
        answer.refused("invalid");
        assert!(answer.body["error"]["fields"][field].is_string(), "{field}: {}", answer.body);
    }
    assert!(kept::<Email>(&app).is_empty());
}

#[tokio::test]
async fn only_admins_invite_and_only_owners_invite_owners() {
    let app = TestApp::new().await;
    let owner = app.acme(Role::Owner).await;
    let admin = app.acme(Role::Admin).await;
    for role in [Role::Viewer, Role::Member] {
        let form = json!({"emails": ["ida@new.example"], "role": "viewer"});
        app.acme(role).await.post(PATH, form).await.refused("forbidden");
    }
    admin.post(PATH, json!({"emails": ["ida@new.example"], "role": "owner"})).await.refused("forbidden");
    assert_eq!(statuses(&invite(&owner, &["ida@new.example"], "owner").await), ["invited"]);
    let lower = invite(&admin, &["ida@new.example"], "viewer").await;
    assert_eq!(statuses(&lower), ["already_member"], "an owner to be is not made less by an admin");
    let path = format!("/api/team/{}", lower[0]["id"].as_str().unwrap());
    assert_eq!(admin.get(&path).await.expect(200)["role"], "owner");
    admin.delete(&path).await.refused("forbidden");
    admin.send_with("POST", &format!("{path}/resend-invitation"), None, &[]).await.refused("forbidden");
}

#[tokio::test]
async fn rejects_no_or_too_many_addresses_and_a_too_long_message() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    let crowd: Vec<String> = (0..51).map(|n| format!("p{n}@new.example")).collect();
    for (body, field) in [
        (json!({"emails": [], "role": "member"}), "emails"),
        (json!({"emails": crowd, "role": "member"}), "emails"),
        (json!({"emails": ["a@b.example"], "role": "member", "message": "x".repeat(1_001)}), "message"),
    ] {
        let answer = admin.post(PATH, body).await;
        answer.refused("invalid");
        assert!(answer.body["error"]["fields"][field].is_string(), "{field}: {}", answer.body);
    }
    assert!(kept::<Email>(&app).is_empty());
}

#[tokio::test]
async fn limits_invitations_of_a_tenant_per_day() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    let crowd = |day: u32, n: u32| (0..50).map(|m| format!("p{day}x{n}x{m}@new.example")).collect::<Vec<_>>();
    for n in 0..10 {
        admin.post(PATH, json!({"emails": crowd(0, n), "role": "viewer"})).await.expect(200);
    }
    let more = admin.post(PATH, json!({"emails": ["one@new.example"], "role": "viewer"})).await;
    more.refused("slow_down");
    app.clock.advance(24 * 60 * 60_000 + 1_000);
    let admin = app.acme(Role::Admin).await;
    admin.post(PATH, json!({"emails": ["one@new.example"], "role": "viewer"})).await.expect(200);
}

#[tokio::test]
async fn retry_with_the_same_key_invites_once() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    let form = json!({"emails": ["ida@new.example"], "role": "member"});
    let key = [("idempotency-key", "k1")];
    let first = admin.send_with("POST", PATH, Some(form.clone()), &key).await.expect(200);
    let second = admin.send_with("POST", PATH, Some(form), &key).await.expect(200);
    let ida = |answer: &Value| answer["items"][0]["id"].clone();
    assert_eq!((ida(&first), kept::<Email>(&app).len()), (ida(&second), 1));
}
