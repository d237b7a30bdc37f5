//! News over HTTP.

use serde_json::json;

use crate::{access::permission::Role, testing::TestApp};

#[tokio::test]
async fn an_open_screen_hears_of_its_own_and_of_nobody_elses() {
    let app = TestApp::new().await;
    let (ada, bob) = (app.acme(Role::Member).await, app.acme(Role::Viewer).await);
    let at = |body: serde_json::Value| body["at"].as_u64().unwrap();
    let (mine, his) = (at(ada.get("/api/live").await.expect(200)), at(bob.get("/api/live").await.expect(200)));
    let shortcut = json!({"label": "Tasks", "icon": "check", "link": "/tasks", "useRouter": true});
    let made = ada.post("/api/common/shortcuts", json!({"shortcut": shortcut})).await.expect(200);
    let news = ada.get(&format!("/api/live?after={mine}")).await.expect(200);
    assert_eq!(news["changes"], json!([{"kind": "shortcut", "recordId": made["id"], "version": 1}]));
    let nothing = bob.get(&format!("/api/live?after={his}&wait=0")).await.expect(200);
    assert_eq!((&nothing["changes"], &nothing["resync"]), (&json!([]), &json!(false)));
    ada.get("/api/live?wait=26").await.refused("invalid");
}
