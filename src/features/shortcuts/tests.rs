//! Shortcuts over HTTP.

use serde_json::json;

use super::model::Shortcut;
use crate::{
    kernel::hex,
    people::permission::Role,
    testing::{As, TestApp},
};

/// A shortcut's payload as it was stored before shortcuts had positions.
const WITHOUT_PLACE: &str = "85a56c6162656ca55461736b73ab6465736372697074696f6ea3447565a469636f6ea5636865636ba46c696e6ba6\
    2f7461736b73aa7573655f726f75746572c3";

#[test]
fn reads_a_shortcut_stored_without_a_place() {
    let bytes = hex::decode(WITHOUT_PLACE).unwrap();
    let read: Shortcut = rmp_serde::from_slice(&bytes).unwrap();
    let wanted = Shortcut {
        label: "Tasks".to_owned(),
        description: Some("Due".to_owned()),
        icon: "check".to_owned(),
        link: "/tasks".to_owned(),
        use_router: true,
        place: 0,
    };
    assert_eq!(read, wanted);
}

async fn labels(who: &As) -> Vec<String> {
    let list = who.get("/api/common/shortcuts").await.expect(200);
    list.as_array().unwrap().iter().map(|one| one["label"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn shortcuts_keep_the_given_order_and_a_new_one_goes_first() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Viewer).await;
    let bob = app.acme(Role::Admin).await;
    let mut ids = Vec::new();
    let add = async |label: &str| {
        let shortcut = json!({"label": label, "icon": "check", "link": "/tasks", "useRouter": true});
        ada.post("/api/common/shortcuts", json!({"shortcut": shortcut})).await.expect(200)["id"].clone()
    };
    for label in ["a", "b", "c", "d"] {
        ids.push(add(label).await);
    }
    assert_eq!(labels(&ada).await, ["d", "c", "b", "a"]);
    let order = "/api/common/shortcuts/order";
    let answer = ada.post(order, json!({"ids": [ids[0], ids[2]]})).await.expect(200);
    assert_eq!(answer, ada.get("/api/common/shortcuts").await.expect(200));
    assert_eq!(labels(&ada).await, ["a", "c", "d", "b"]);
    add("e").await;
    assert_eq!(labels(&ada).await, ["e", "a", "c", "d", "b"]);
    bob.post(order, json!({"ids": [ids[0]]})).await.refused("not_found");
    ada.post(order, json!({"ids": []})).await.expect(200);
    assert_eq!(labels(&ada).await, ["e", "a", "c", "d", "b"]);
}

#[tokio::test]
async fn new_shortcut_is_first_and_private_to_its_member() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Viewer).await;
    let bob = app.acme(Role::Admin).await;
    let eve = app.other(Role::Viewer).await;
    let first =
        json!({"label": "Tasks", "description": "What is due", "icon": "check", "link": "/tasks", "useRouter": true});
    let made = ada.post("/api/common/shortcuts", json!({"shortcut": first})).await.expect(200);
    let second =
        json!({"id": "", "label": "Bank", "icon": "landmark", "link": "https://bank.example", "useRouter": false});
    ada.post("/api/common/shortcuts", json!({"shortcut": second})).await.expect(200);
    let list = ada.get("/api/common/shortcuts").await.expect(200);
    assert_eq!((&list[0]["label"], &list[1]), (&json!("Bank"), &made));
    assert_eq!(bob.get("/api/common/shortcuts").await.expect(200), json!([]));
    let id = &made["id"];
    for stranger in [&bob, &eve] {
        stranger
            .patch("/api/common/shortcuts", json!({"id": id, "shortcut": {"label": "x"}}))
            .await
            .refused("not_found");
        stranger.delete(&format!("/api/common/shortcuts?id={}", id.as_str().unwrap())).await.refused("not_found");
    }
}

#[tokio::test]
async fn patch_keeps_other_fields_and_removing_returns_the_shortcut() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Member).await;
    let shortcut = json!({"label": "Tasks", "description": "d", "icon": "check", "link": "/tasks", "useRouter": true});
    let made = ada.post("/api/common/shortcuts", json!({"shortcut": shortcut})).await.expect(200);
    let changed = ada
        .patch("/api/common/shortcuts", json!({"id": made["id"], "shortcut": {"label": "To do", "description": null}}))
        .await
        .expect(200);
    assert_eq!(
        changed,
        json!({"id": made["id"], "label": "To do", "icon": "check", "link": "/tasks", "useRouter": true})
    );
    let path = format!("/api/common/shortcuts?id={}", made["id"].as_str().unwrap());
    assert_eq!(ada.delete(&path).await.expect(200), changed);
    ada.delete(&path).await.refused("not_found");
}

#[tokio::test]
async fn rejects_null_in_required_fields_and_a_missing_use_router() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Member).await;
    // A path from the specification's sample data.
    let shortcut = json!({"label": "Mail", "icon": "mail", "link": "apps/mailbox", "useRouter": true});
    let made = ada.post("/api/common/shortcuts", json!({"shortcut": shortcut})).await.expect(200);
    assert_eq!(made["link"], "apps/mailbox");
    for field in ["label", "icon", "link", "useRouter"] {
        let patch = json!({"id": made["id"], "shortcut": {(field): null}});
        let got = ada.patch("/api/common/shortcuts", patch).await;
        assert_eq!(got.body["error"]["reasons"][format!("shortcut.{field}")], "null", "{}", got.body);
    }
    let without = json!({"shortcut": {"label": "Tasks", "icon": "check", "link": "/tasks"}});
    ada.post("/api/common/shortcuts", without).await.refused("bad_request");
}

#[tokio::test]
async fn rejects_missing_fields_and_unsafe_links() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Member).await;
    for (patch, field) in [
        (json!({"label": " "}), "shortcut.label"),
        (json!({"icon": ""}), "shortcut.icon"),
        (json!({"link": ""}), "shortcut.link"),
        (json!({"link": "javascript:alert(1)", "useRouter": false}), "shortcut.link"),
        (json!({"link": "https://a.example"}), "shortcut.link"),
        (json!({"link": "//evil.example"}), "shortcut.link"),
        (json!({"label": "x".repeat(101)}), "shortcut.label"),
    ] {
        let mut shortcut = json!({"label": "Tasks", "icon": "check", "link": "/tasks", "useRouter": true});
        for (name, value) in patch.as_object().unwrap() {
            shortcut[name] = value.clone();
        }
        let got = ada.post("/api/common/shortcuts", json!({"shortcut": shortcut})).await;
        got.refused("invalid");
        assert!(got.body["error"]["fields"][field].is_string(), "{}", got.body);
    }
    ada.post("/api/common/shortcuts", json!({"shortcut": {"label": 7}})).await.refused("bad_request");
    ada.post("/api/common/shortcuts", json!({"shortcut": {}, "more": 1})).await.refused("bad_request");
    assert_eq!(ada.get("/api/common/shortcuts").await.expect(200), json!([]));
    app.anonymous("GET", "/api/common/shortcuts", None).await.refused("not_signed_in");
}
