//! Second factors that a tenant requires.

use serde_json::json;

use super::{HERE, sign_in};
use crate::{
    access::factors::code_at,
    people::permission::Role,
    testing::{PASSWORD, TestApp},
};

const DAY: i64 = 86_400_000;
const OPEN: [&str; 3] = ["/api/common/user", "/api/auth/factors", "/api/auth/sessions"];
const SHUT: [&str; 8] = [
    "/api/customers",
    "/api/tasks",
    "/api/team",
    "/api/common/messages",
    "/api/apps/chat/chats",
    "/api/global/navigation",
    "/api/live?wait=0",
    "/api/dashboards/project",
];

#[tokio::test]
async fn second_factor_is_required_for_requests_after_the_grace_period() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    admin.set_up_app().await;
    let rule = json!({"secondFactor": {"required": true, "graceDays": 7}});
    admin.patch("/api/settings/company", rule).await.expect(200);

    let me = app.acme(Role::Member).await;
    let own = me.get("/api/auth/factors").await.expect(200);
    assert_eq!((&own["required"], &own["requiredFrom"]), (&json!(true), &json!("2026-11-28T09:30:00.000Z")));
    me.get("/api/customers").await.expect(200);

    app.clock.advance(7 * DAY - 1);
    app.acme(Role::Member).await.get("/api/customers").await.expect(200);
    app.clock.advance(1);
    let me = app.acme(Role::Member).await;
    for path in SHUT {
        let got = me.get(path).await;
        assert_eq!((got.status, got.body["error"]["code"].as_str()), (403, Some("second_factor_required")), "{path}");
    }
    for path in OPEN {
        me.get(path).await.expect(200);
    }
    me.patch("/api/common/user", json!({"name": "Still Me"})).await.expect(200);
    me.post("/api/customers", json!({"name": "Ana"})).await.refused("second_factor_required");
    app.other(Role::Member).await.get("/api/customers").await.expect(200);

    let (secret, codes) = me.set_up_app().await;
    me.get("/api/customers").await.expect(200);
    me.post("/api/auth/factors/totp/remove", json!({"password": PASSWORD, "code": codes[0]})).await.expect(204);
    me.get("/api/customers").await.refused("second_factor_required");
    me.add_passkey(HERE).await;
    me.get("/api/customers").await.expect(200);
    drop(secret);
    let out = me.post("/api/auth/sign-out", json!({})).await;
    assert_eq!(out.status, 204);
}

#[tokio::test]
async fn factor_reset_blocks_all_but_the_session_that_used_a_factor() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    admin.set_up_app().await;
    let me = app.acme(Role::Member).await;
    let (secret, _) = me.set_up_app().await;
    let rule = json!({"secondFactor": {"required": true, "graceDays": 0}});
    admin.patch("/api/settings/company", rule).await.expect(200);
    app.clock.advance(30_000);
    let code = code_at(&secret, app.clock.now());
    let signed = sign_in(&app, "member@acme.example", json!({"code": code})).await.expect(200);
    admin.delete(&format!("/api/team/{}/factors", me.id)).await.expect(204);
    let bearer = format!("Bearer {}", signed["accessToken"].as_str().unwrap());
    let with = app.anonymous_with("GET", "/api/customers", None, &[("authorization", &bearer)]).await;
    assert_eq!(with.status, 200);
    me.get("/api/customers").await.refused("second_factor_required");
    app.acme(Role::Member).await.get("/api/customers").await.refused("second_factor_required");
}
