//! Shortcuts over HTTP.

use serde_json::json;

use crate::{access::permission::Role, testing::TestApp};

#[tokio::test]
async fn a_new_shortcut_goes_on_top_and_belongs_to_one_member() {
    let app = TestApp::new().await;
    let (ada, bob, eve) = (app.acme(Role::Viewer).await, app.acme(Role::Admin).await, app.other(Role::Viewer).await);
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
async fn a_change_keeps_what_it_does_not_name_and_removing_answers_with_the_item() {
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
async fn what_is_missing_or_leads_astray_is_refused_at_its_field() {
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
