//! Removing, restoring, and batch actions.

use serde_json::{Value, json};

use super::{PANELS, titles};
use crate::{
    features::notices::removal::RESTORABLE_SECONDS,
    people::permission::Role,
    testing::{As, TestApp},
};

#[tokio::test]
async fn removed_item_can_be_restored_for_ten_minutes() {
    let app = TestApp::new().await;
    for panel in PANELS {
        let ada = app.acme(Role::Member).await;
        let bob = app.acme(Role::Owner).await;
        let restore = format!("{}/restore", panel.path);
        let made = panel.send(&ada, json!({"title": "t", "description": "d", "read": true})).await;
        let id = made["id"].as_str().unwrap();
        let body = json!({"ids": [id]});
        ada.post(&restore, body.clone()).await.refused("not_found");
        ada.delete(&format!("{}?id={id}", panel.path)).await.expect(200);
        bob.post(&restore, body.clone()).await.refused("not_found");
        app.clock.advance(RESTORABLE_SECONDS * 1_000);
        let ada = app.acme(Role::Member).await;
        assert_eq!(ada.post(&restore, body.clone()).await.expect(200), json!([made]));
        // A new sign-in creates a notification, too.
        let without_security = async |ada: &As| {
            let mut items = panel.list(ada).await;
            items.retain(|item| item["kind"] != "security");
            items
        };
        assert_eq!(without_security(&ada).await.as_slice(), std::slice::from_ref(&made));
        ada.delete(&format!("{}?id={id}", panel.path)).await.expect(200);
        app.clock.advance(RESTORABLE_SECONDS * 1_000 + 1);
        let ada = app.acme(Role::Member).await;
        ada.post(&restore, body).await.refused("not_found");
        assert_eq!(without_security(&ada).await, Vec::<Value>::new());
    }
}

#[tokio::test]
async fn batch_changes_items_in_one_write_and_skips_missing_ones() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Member).await;
    let bob = app.acme(Role::Owner).await;
    for panel in PANELS {
        let batch = format!("{}/batch", panel.path);
        let mut ids = Vec::new();
        for title in ["a", "b", "c"] {
            ids.push(panel.send(&ada, json!({"title": title})).await["id"].clone());
        }
        let foreign = panel.send(&bob, json!({"title": "bob's"})).await["id"].clone();
        let act = |ids: &[Value], action: &str| ada.post(&batch, json!({"ids": ids, "action": action}));
        let done = act(&[ids[0].clone(), foreign.clone(), ids[1].clone()], "read").await.expect(200);
        assert_eq!(titles(done.as_array().unwrap()), ["a", "b"]);
        assert_eq!((panel.unread(&ada).await, panel.unread(&bob).await), (json!(1), json!(1)));
        act(&ids[..1], "unread").await.expect(200);
        assert_eq!(panel.unread(&ada).await, 2);
        act(&ids[1..], "remove").await.expect(200);
        assert_eq!(titles(&panel.list(&ada).await), ["a"]);
        act(&ids[1..], "remove").await.refused("not_found");
        act(std::slice::from_ref(&foreign), "remove").await.refused("not_found");
        let back = ada.post(&format!("{}/restore", panel.path), json!({"ids": ids})).await.expect(200);
        assert_eq!(titles(back.as_array().unwrap()), ["b", "c"]);
        assert_eq!(panel.unread(&ada).await, 2);
        act(&[], "read").await.refused("invalid");
        act(&vec![foreign; 201], "read").await.refused("invalid");
    }
}
