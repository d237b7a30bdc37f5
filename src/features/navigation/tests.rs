//! The navigation over HTTP.

use serde_json::{Value, json};

use crate::{people::permission::Role, testing::TestApp};

fn ids(items: &Value) -> Vec<&str> {
    items.as_array().unwrap().iter().filter_map(|item| item["id"].as_str()).collect()
}

#[tokio::test]
async fn each_navigation_shape_has_its_entries() {
    let app = TestApp::new().await;
    let navigation = app.acme(Role::Viewer).await.get("/api/global/navigation").await.expect(200);
    assert_eq!(ids(&navigation["default"]), ["dashboards", "work", "company"]);
    let dashboards = &navigation["default"][0]["children"];
    assert_eq!(ids(dashboards), ["dashboards.project", "dashboards.analytics"]);
    let project = json!({"id": "dashboards.project", "title": "navigation.dashboards.project", "type": "basic",
        "icon": "clipboard-list", "link": "/dashboards/project"});
    assert_eq!(dashboards[0], project);
    assert_eq!(ids(&navigation["default"][1]["children"]), ["events", "tasks", "customers", "team", "pages"]);
    assert_eq!(ids(&navigation["horizontal"]), ["dashboard", "events", "tasks", "customers", "team", "pages"]);
    assert_eq!(navigation["compact"][0]["type"], "aside");
    assert_eq!(ids(&navigation["futuristic"]), ["dashboards", "work", "company"]);
}

#[tokio::test]
async fn navigation_requires_sign_in() {
    let app = TestApp::new().await;
    app.anonymous("GET", "/api/global/navigation", None).await.refused("not_signed_in");
}
