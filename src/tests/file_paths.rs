//! The path of a file is not enough to open it: a field that holds files takes only those that the member uploaded or may see.

use serde_json::{Value, json};

use crate::{
    people::permission::Role,
    testing::{As, TestApp},
};

/// Milliseconds after which an uploader no longer reads an upload that no record holds.
const TWO_DAYS: i64 = 2 * 24 * 3_600 * 1_000;

fn pixel() -> Vec<u8> {
    let mut out = std::io::Cursor::new(Vec::new());
    image::RgbImage::new(1, 1).write_to(&mut out, image::ImageFormat::Png).unwrap();
    out.into_inner()
}

async fn create(member: &As, path: &str, body: Value) -> String {
    let made = member.post(path, body).await.expect(201);
    format!("{path}/{}", made["id"].as_str().unwrap())
}

/// A call that names a file: the method, the path, and the body for the path of a document and of a picture.
type Naming = (&'static str, String, fn(&str, &str) -> Value);

async fn namings(member: &As) -> Vec<Naming> {
    let customer = create(member, "/api/customers", json!({"name": "Mine"})).await;
    let task = create(member, "/api/tasks", json!({"title": "Mine"})).await;
    let organization = create(member, "/api/organizations", json!({"name": "Mine"})).await;
    let page = create(member, "/api/pages", json!({"title": "Mine"})).await;
    vec![
        ("POST", format!("{customer}/files"), |doc, _| json!({"path": doc})),
        ("POST", format!("{task}/files"), |doc, _| json!({"path": doc})),
        ("POST", format!("{organization}/files"), |doc, _| json!({"path": doc})),
        ("POST", format!("{page}/files"), |doc, _| json!({"path": doc})),
        ("POST", format!("{task}/comments"), |doc, _| json!({"value": "x", "attachments": [doc]})),
        ("PATCH", customer.clone(), |doc, _| json!({"attachments": {"docs": [{"url": doc}]}})),
        ("PATCH", customer.clone(), |_, picture| json!({"attachments": {"media": [{"url": picture}]}})),
        ("PATCH", customer.clone(), |_, picture| json!({"avatar": picture})),
        ("PATCH", customer.clone(), |_, picture| json!({"background": picture})),
        ("PATCH", customer.clone(), |doc, _| json!({"notes": format!("<p><a href=\"{doc}\">x</a></p>")})),
        ("POST", "/api/customers".to_owned(), |_, picture| json!({"name": "New", "avatar": picture})),
        ("PATCH", organization, |_, picture| json!({"logo": picture})),
        ("PATCH", page, |doc, _| json!({"body": format!("<p><a href=\"{doc}\">x</a></p>")})),
        ("POST", "/api/pages".to_owned(), |doc, _| json!({"title": "New", "body": format!("<p>{doc}</p>")})),
        ("PATCH", "/api/common/user".to_owned(), |_, picture| json!({"avatar": picture})),
        (
            "POST",
            "/api/common/notifications".to_owned(),
            |_, picture| json!({"notification": {"title": "x", "image": picture}}),
        ),
        (
            "POST",
            "/api/common/messages".to_owned(),
            |doc, _| json!({"message": {"title": format!("<a href=\"{doc}\">x</a>")}}),
        ),
    ]
}

/// Files shown to members who only know the path (by each field that holds files).
#[tokio::test]
async fn hidden_file_cannot_be_named_anywhere() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Admin).await;
    let ben = app.hire("ben", Role::Member).await;
    let secret = create(&ada, "/api/pages", json!({"title": "Secret", "visibility": {"to": "me"}})).await;
    let upload = async |member: &As| {
        let doc = member.upload("plan.pdf", "application/pdf", b"%PDF-1.7").await.expect(201);
        let picture = member.upload("plan.png", "image/png", &pixel()).await.expect(201);
        [doc, picture].map(|file| file["url"].as_str().unwrap().to_owned())
    };
    let hidden = upload(&ada).await;
    for path in &hidden {
        ada.post(&format!("{secret}/files"), json!({"path": path})).await.expect(200);
    }
    let own = upload(&ben).await;
    let chat = ben.post("/api/apps/chat/chat", json!({"contactId": ada.id.to_string()})).await.expect(200);
    let message = |path: &str| json!({"chatId": chat["id"], "value": "x", "attachments": [path]});
    ben.post("/api/apps/chat/messages", message(&hidden[0])).await.refused("invalid");
    ben.post("/api/apps/chat/messages", message(&own[0])).await.expect(201);
    for (method, path, body) in namings(&ben).await {
        let refused = ben.send_with(method, &path, Some(body(&hidden[0], &hidden[1])), &[]).await;
        refused.refused("invalid");
        assert!(refused.body["error"]["fields"].as_object().is_some_and(|fields| fields.len() == 1), "{path}");
        for file in &hidden {
            assert_eq!(ben.get(file).await.status, 404, "{method} {path}");
        }
        let named = ben.send_with(method, &path, Some(body(&own[0], &own[1])), &[]).await;
        assert!((200..300).contains(&named.status), "{method} {path}: {named:?}");
    }
}

/// Files shown to members who only know the path: what a member sees, they may name again.
#[tokio::test]
async fn seen_file_can_be_named_again() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Admin).await;
    let ben = app.hire("ben", Role::Member).await;
    let doc = ada.upload("plan.pdf", "application/pdf", b"%PDF-1.7").await.expect(201)["url"].clone();
    let picture = ada.upload("me.png", "image/png", &pixel()).await.expect(201)["url"].clone();
    let task = create(&ada, "/api/tasks", json!({"title": "Call"})).await;
    ada.post(&format!("{task}/files"), json!({"path": doc})).await.expect(200);
    let attachments = json!({"media": [{"url": picture}], "docs": [{"url": doc}]});
    let body = json!({"name": "Ana", "avatar": picture, "attachments": attachments, "notes": format!("<p>{doc}</p>")});
    create(&ada, "/api/customers", body.clone()).await;
    // A copy that the member sees.
    create(&ben, "/api/customers", body).await;
    let copy = create(&ben, "/api/tasks", json!({"title": "Copy"})).await;
    let list = ben.post(&format!("{copy}/files"), json!({"path": doc})).await.expect(200);
    assert!(list.is_object(), "{list}");
}

async fn sign_in_again(app: &TestApp) -> [As; 3] {
    let ada = app.acme(Role::Admin).await;
    let ben = app.sign_in("ben@acme.example").await;
    [ada, ben, app.sign_in("cy@acme.example").await]
}

/// Files shown to members who only know the path: the undo of a removal names a file that no record holds any more.
#[tokio::test]
async fn removed_file_can_be_put_back_by_who_removed_it() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Admin).await;
    app.hire("ben", Role::Member).await;
    app.hire("cy", Role::Member).await;
    let doc = ada.upload("plan.pdf", "application/pdf", b"%PDF-1.7").await.expect(201)["url"].clone();
    let picture = ada.upload("me.png", "image/png", &pixel()).await.expect(201)["url"].clone();
    let organization = create(&ada, "/api/organizations", json!({"name": "Acme", "logo": picture})).await;
    app.clock.advance(TWO_DAYS);
    let [ada, ben, cy] = sign_in_again(&app).await;
    ben.patch(&organization, json!({"logo": null})).await.expect(200);
    cy.patch(&organization, json!({"logo": picture})).await.refused("invalid");
    ben.patch(&organization, json!({"logo": picture})).await.expect(200);
    let body = json!({"name": "Ana", "attachments": {"docs": [{"url": doc}]}, "notes": format!("<p>{doc}</p>")});
    let customer = create(&ada, "/api/customers", body).await;
    ben.patch(&customer, json!({"attachments": {"docs": []}, "notes": null})).await.expect(200);
    cy.patch(&customer, json!({"attachments": {"docs": [{"url": doc}]}})).await.refused("invalid");
    ben.patch(&customer, json!({"notes": format!("<p>{doc}</p>")})).await.expect(200);
    ben.patch(&customer, json!({"notes": null, "attachments": {"docs": [{"url": doc}]}})).await.expect(200);
    ben.patch(&customer, json!({"attachments": {"docs": []}})).await.expect(200);
    let task = create(&ada, "/api/tasks", json!({"title": "Call"})).await;
    ada.post(&format!("{task}/files"), json!({"path": doc})).await.expect(200);
    let files = format!("{task}/files");
    let entry = ben.get(&files).await.expect(200)["items"][0]["id"].as_str().unwrap().to_owned();
    ben.delete(&format!("{files}/{entry}")).await.expect(204);
    cy.post(&files, json!({"path": doc})).await.refused("invalid");
    ben.post(&files, json!({"path": doc})).await.expect(200);
    // A day later it is too late.
    let entry = ben.get(&files).await.expect(200)["items"][0]["id"].as_str().unwrap().to_owned();
    ben.delete(&format!("{files}/{entry}")).await.expect(204);
    app.clock.advance(TWO_DAYS);
    let [_, ben, _] = sign_in_again(&app).await;
    ben.post(&files, json!({"path": doc})).await.refused("invalid");
}
