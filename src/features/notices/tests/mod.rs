//! Messages and notifications over HTTP: both follow the same rules.

use serde_json::{Value, json};

use super::{model::Notice, rules};
use crate::{
    features::{messages::Messages, notifications::Notifications},
    kernel::{Timestamp, hex},
    people::permission::Role,
    store::{Actor, TenantWrite},
    testing::{As, NOW, TestApp},
};

mod removal;

/// API of one kind of notice.
#[derive(Clone, Copy)]
struct Panel {
    path: &'static str,
    field: &'static str,
}

const PANELS: [Panel; 2] = [
    Panel { path: "/api/common/messages", field: "message" },
    Panel { path: "/api/common/notifications", field: "notification" },
];

impl Panel {
    async fn list(self, who: &As) -> Vec<Value> {
        who.get(self.path).await.expect(200).as_array().unwrap().clone()
    }
    async fn send(self, who: &As, item: Value) -> Value {
        who.post(self.path, json!({(self.field): item})).await.expect(200)
    }
    async fn unread(self, who: &As) -> Value {
        who.get(&format!("{}/unread", self.path)).await.expect(200)["unread"].clone()
    }
}

fn titles(list: &[Value]) -> Vec<&str> {
    list.iter().filter_map(|item| item["title"].as_str()).collect()
}

/// A message's payload as it was stored before removals could be undone.
const STORED_BEFORE_REMOVALS: &str = "86a472656164c3a47365656ec2a57469746c65a24869a474696d65cf0000018bcfe56800a46c696e6ba62f7461736b73aa\
    7573655f726f75746572c3";

#[test]
fn reads_and_writes_messages_from_before_undo_unchanged() {
    let expected: Notice<Messages> = Notice {
        read: true,
        title: Some("Hi".to_owned()),
        link: Some("/tasks".to_owned()),
        use_router: true,
        ..Notice::new(Timestamp::from_millis(1_700_000_000_000))
    };
    let golden = hex::decode(STORED_BEFORE_REMOVALS).unwrap();
    assert_eq!(hex::encode(&rmp_serde::to_vec_named(&expected).unwrap()), STORED_BEFORE_REMOVALS);
    assert_eq!(rmp_serde::from_slice::<Notice<Messages>>(&golden).unwrap(), expected);
}

#[tokio::test]
async fn sends_to_self_and_lists_newest_first() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Viewer).await;
    let bob = app.acme(Role::Admin).await;
    for panel in PANELS {
        let first =
            panel.send(&ada, json!({"title": "first", "icon": "mail", "link": "/tasks", "useRouter": true})).await;
        let now = app.clock.now().to_string();
        let expected = json!({"id": first["id"], "read": false, "seen": false, "icon": "mail", "title": "first",
            "time": now, "link": "/tasks", "useRouter": true,
            "from": {"memberId": ada.id.to_string(), "name": name(&ada).await}});
        assert_eq!(first, expected);
        app.clock.advance(1_000);
        panel
            .send(&ada, json!({"id": "", "description": "<p>Hi <script>x</script><b>Ada</b></p>", "title": "second"}))
            .await;
        panel.send(&ada, json!({"title": "older", "time": "2026-11-20T08:00:00Z"})).await;
        let list = panel.list(&ada).await;
        assert_eq!(titles(&list), ["second", "first", "older"]);
        assert_eq!(list[0]["description"], "<p>Hi <b>Ada</b></p>");
        assert_eq!(panel.unread(&ada).await, 3);
        assert_eq!(panel.list(&bob).await, Vec::<Value>::new());
    }
}

#[tokio::test]
async fn change_merges_and_accepts_the_received_item() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Member).await;
    for panel in PANELS {
        let made = panel.send(&ada, json!({"title": "t", "description": "d", "link": "https://a.example"})).await;
        let patch = |item: Value| json!({"id": made["id"], (panel.field): item});
        let same = ada.patch(panel.path, patch(made.clone())).await.expect(200);
        assert_eq!(same, made);
        let read = ada.patch(panel.path, patch(json!({"read": true, "description": null}))).await.expect(200);
        assert_eq!((&read["read"], read.get("description"), &read["title"]), (&json!(true), None, &json!("t")));
        assert_eq!(panel.unread(&ada).await, 0);
        assert_eq!(ada.patch(panel.path, patch(json!({"colour": "red"}))).await.status / 100, 4, "an unknown field");
        ada.patch(panel.path, patch(json!({"title": "<i></i>"}))).await.refused("invalid");
    }
}

#[tokio::test]
async fn read_status_is_set_from_the_body() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Member).await;
    for panel in PANELS {
        let made = panel.send(&ada, json!({"title": "t"})).await;
        let path = format!("{}/toggle-read-status", panel.path);
        for (read, unread) in [(true, 0), (true, 0), (false, 1)] {
            let mut item = made.clone();
            item["read"] = json!(read);
            let answer = ada.post(&path, json!({(panel.field): item})).await.expect(200);
            assert_eq!((&answer["read"], &answer["seen"]), (&json!(read), &json!(true)));
            assert_eq!(panel.unread(&ada).await, unread);
        }
    }
}

#[tokio::test]
async fn marks_all_read_by_get_and_post_and_all_seen() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Member).await;
    let bob = app.acme(Role::Admin).await;
    for panel in PANELS {
        panel.send(&bob, json!({"title": "bob's"})).await;
        let path = format!("{}/mark-all-as-read", panel.path);
        for by_get in [true, false] {
            panel.send(&ada, json!({"title": "a"})).await;
            panel.send(&ada, json!({"title": "b"})).await;
            assert_eq!(ada.post(&format!("{}/seen", panel.path), json!({})).await.expect(200), true);
            let list = panel.list(&ada).await;
            assert!(list.iter().all(|item| item["seen"] == true));
            assert_eq!(panel.unread(&ada).await, 2);
            let answer = if by_get { ada.get(&path).await } else { ada.post(&path, json!({})).await };
            assert_eq!(answer.expect(200), true);
            let list = panel.list(&ada).await;
            assert!(list.iter().all(|item| item["read"] == true && item["seen"] == true));
            assert_eq!(panel.unread(&ada).await, 0);
        }
        assert_eq!(panel.unread(&bob).await, 1, "not the other member's");
    }
}

#[tokio::test]
async fn each_recipient_gets_a_copy() {
    let app = TestApp::new().await;
    let owner = app.acme(Role::Owner).await;
    let admin = app.acme(Role::Admin).await;
    let ada = app.acme(Role::Viewer).await;
    let eve = app.other(Role::Admin).await;
    for panel in PANELS {
        let to = json!([ada.id.to_string(), owner.id.to_string()]);
        panel.send(&admin, json!({"title": "for two", "read": true, "to": to})).await;
        assert_eq!(panel.list(&admin).await.len(), 0);
        let one = panel.list(&owner).await;
        let two = panel.list(&ada).await;
        assert_eq!((titles(&one), titles(&two)), (vec!["for two"], vec!["for two"]));
        assert_ne!(one[0]["id"], two[0]["id"]);
        assert_eq!(one[0]["read"], false, "the sender cannot mark it as read");

        let all = json!({(panel.field): {"title": "for all", "to": "everyone"}});
        ada.post(panel.path, all.clone()).await.refused("forbidden");
        let answer = admin.post(panel.path, all).await.expect(200);
        assert_eq!(panel.list(&admin).await[0]["id"], answer["id"], "the response is the sender's own");
        assert_eq!(titles(&panel.list(&ada).await), ["for all", "for two"]);
        assert_eq!(panel.list(&eve).await.len(), 0);

        for to in [json!([eve.id.to_string()]), json!([])] {
            let refused = admin.post(panel.path, json!({(panel.field): {"title": "t", "to": to}})).await;
            refused.refused("invalid");
            assert!(refused.body["error"]["fields"][format!("{}.to", panel.field)].is_string());
        }
        let many: Vec<String> = (0..201).map(|_| eve.id.to_string()).collect();
        admin.post(panel.path, json!({(panel.field): {"title": "t", "to": many}})).await.refused("invalid");
    }
}

async fn name(who: &As) -> Value {
    who.get("/api/common/user").await.expect(200)["name"].clone()
}

#[tokio::test]
async fn sending_to_others_requires_the_role_for_the_kind() {
    let app = TestApp::new().await;
    let receiver = app.acme(Role::Owner).await;
    for (panel, least) in PANELS.into_iter().zip([Role::Member, Role::Admin]) {
        for role in Role::ALL {
            let sender = app.acme(role).await;
            let item = |to: Vec<String>| json!({(panel.field): {"title": "t", "to": to}});
            let got = sender.post(panel.path, item(vec![receiver.id.to_string()])).await;
            if role >= least || sender.id == receiver.id {
                got.expect(200);
            } else {
                got.refused("forbidden");
            }
            // Every member may write to themselves, with either form of `to`.
            sender.post(panel.path, item(vec![sender.id.to_string()])).await.expect(200);
            sender.post(panel.path, json!({(panel.field): {"title": "t"}})).await.expect(200);
        }
    }
}

#[tokio::test]
async fn sent_items_have_the_senders_name_and_no_system_fields() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    let ada = app.acme(Role::Viewer).await;
    for panel in PANELS {
        let fake = json!({"title": "New sign-in to your account", "icon": "shield-alert", "kind": "security",
            "count": 10, "from": {"memberId": ada.id.to_string(), "name": "Atrium"}, "to": [ada.id.to_string()],
            "link": "https://evil.example"});
        panel.send(&admin, fake).await;
        let got = panel.list(&ada).await.remove(0);
        assert_eq!(got["from"], json!({"memberId": admin.id.to_string(), "name": name(&admin).await}));
        assert!(got.get("kind").is_none() && got.get("count").is_none(), "{got}");
    }
}

#[tokio::test]
async fn changed_item_names_its_editor() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Viewer).await;
    let person = ada.id;
    let deliver = move |tx: &TenantWrite<'_>| {
        let notice = Notice { title: Some("Sign-in".into()), about: Some("security".into()), ..Notice::new(tx.now()) };
        Ok(rules::deliver::<Notifications>(tx, person, notice)?.id.to_string())
    };
    let (id, _) = app.app.store().write(app.acme.id, Actor::System, deliver).await.unwrap();
    let patch = |item: Value| json!({"id": id, "notification": item});
    let path = PANELS[1].path;
    let read = ada.patch(path, patch(json!({"title": "Sign-in", "read": true}))).await.expect(200);
    assert_eq!((&read["kind"], read.get("from")), (&json!("security"), None));
    let changed = ada.patch(path, patch(json!({"title": "Nothing happened"}))).await.expect(200);
    assert_eq!((changed.get("kind"), &changed["from"]["name"]), (None, &name(&ada).await));
}

#[tokio::test]
async fn rejects_hostile_nesting_naming_the_field() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Viewer).await;
    let nested = "<b>".repeat(21);
    for panel in PANELS {
        let made = panel.send(&ada, json!({"title": "t"})).await;
        for (field, html) in [("title", &nested), ("description", &nested), ("description", &"&".repeat(2_001))] {
            let field = format!("{}.{field}", panel.field);
            let item = json!({"title": "t", (field.split_once('.').unwrap().1): html});
            let new = ada.post(panel.path, json!({(panel.field): item})).await;
            let change = ada.patch(panel.path, json!({"id": made["id"], (panel.field): item})).await;
            for refused in [new, change] {
                refused.refused("invalid");
                assert!(refused.body["error"]["fields"][&field].is_string(), "{field}: {}", refused.body);
            }
        }
    }
}

#[tokio::test]
async fn removal_returns_the_item_and_foreign_items_are_not_found() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Member).await;
    let bob = app.acme(Role::Owner).await;
    let eve = app.other(Role::Owner).await;
    for panel in PANELS {
        let made = panel.send(&ada, json!({"title": "t"})).await;
        let path = format!("{}?id={}", panel.path, made["id"].as_str().unwrap());
        for stranger in [&bob, &eve] {
            stranger.delete(&path).await.refused("not_found");
            let read = json!({"id": made["id"], (panel.field): {"read": true}});
            stranger.patch(panel.path, read).await.refused("not_found");
            let toggle = json!({(panel.field): {"id": made["id"], "read": true}});
            stranger.post(&format!("{}/toggle-read-status", panel.path), toggle).await.refused("not_found");
        }
        assert_eq!(ada.delete(&path).await.expect(200), made);
        assert_eq!((panel.unread(&ada).await, panel.list(&ada).await), (json!(0), Vec::new()));
        ada.delete(&path).await.refused("not_found");
        ada.patch(panel.path, json!({"id": made["id"], (panel.field): {"read": true}})).await.refused("not_found");
        let toggle = json!({(panel.field): {"id": made["id"], "read": true}});
        ada.post(&format!("{}/toggle-read-status", panel.path), toggle).await.refused("not_found");
        ada.get(&format!("{}?before={}", panel.path, made["id"].as_str().unwrap())).await.refused("invalid");
    }
}

#[tokio::test]
async fn rejects_empty_items_and_unsafe_links_naming_the_field() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Member).await;
    for panel in PANELS {
        for (item, field) in [
            (json!({"icon": "mail"}), "title"),
            (json!({"title": "<script>x</script>"}), "title"),
            (json!({"title": "x".repeat(1_001)}), "title"),
            (json!({"title": "t", "description": "x".repeat(10_001)}), "description"),
            (json!({"title": "t", "icon": "x".repeat(101)}), "icon"),
            (json!({"title": "t", "image": "https://spy.example/pixel.png"}), "image"),
            (json!({"title": "t", "link": "https://a.example", "useRouter": true}), "link"),
            (json!({"title": "t", "link": "/tasks", "useRouter": false}), "link"),
            (json!({"title": "t", "link": "javascript:alert(1)"}), "link"),
            (json!({"title": "t", "link": "//evil.example", "useRouter": true}), "link"),
        ] {
            let refused = ada.post(panel.path, json!({(panel.field): item})).await;
            refused.refused("invalid");
            let field = format!("{}.{field}", panel.field);
            assert!(refused.body["error"]["fields"][&field].is_string(), "{field}: {}", refused.body);
        }
    }
}

#[tokio::test]
async fn oldest_items_are_displaced_at_the_limit() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Member).await;
    let person = ada.id;
    let fill = move |tx: &TenantWrite<'_>| {
        for number in 0..rules::MAX_KEPT + 3 {
            let title = Some(number.to_string());
            rules::deliver::<Messages>(tx, person, Notice { title, ..Notice::new(tx.now()) })?;
        }
        Ok(())
    };
    app.app.store().write(app.acme.id, Actor::System, fill).await.unwrap();
    let list = PANELS[0].list(&ada).await;
    assert_eq!((list.len(), &list[0]["title"]), (rules::MAX_LISTED, &json!((rules::MAX_KEPT + 2).to_string())));
    assert_eq!(PANELS[0].unread(&ada).await, rules::MAX_KEPT);
    // Recently removed notices are displaced first.
    let removed = list[0]["id"].clone();
    ada.post("/api/common/messages/batch", json!({"ids": [removed], "action": "remove"})).await.expect(200);
    PANELS[0].send(&ada, json!({"title": "one more"})).await;
    assert_eq!(PANELS[0].unread(&ada).await, rules::MAX_KEPT);
    ada.post("/api/common/messages/restore", json!({"ids": [removed]})).await.refused("not_found");
    // Each write marks some of them only (F-S2).
    for call in ["seen", "mark-all-as-read"] {
        app.app.store().take_largest_write();
        assert_eq!(ada.post(&format!("/api/common/messages/{call}"), json!({})).await.expect(200), true);
        let cost = app.app.store().take_largest_write();
        assert!((1..2_000).contains(&cost.rows_read) && cost.rows_written < 2_000, "{call}: {cost:?}");
    }
    assert_eq!(PANELS[0].unread(&ada).await, 0);
    assert_eq!(app.clock.now().millis(), NOW);
}

#[tokio::test]
async fn list_is_paged_and_filtered() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Member).await;
    let bob = app.acme(Role::Owner).await;
    for panel in PANELS {
        for (number, title) in ["one", "two", "three", "four"].into_iter().enumerate() {
            // Two have the same time; each is still listed once.
            let time = ["2026-11-20T08:00:00Z", "2026-11-20T08:00:00Z", "2026-11-20T09:00:00Z", "2026-11-19T08:00:00Z"];
            let description = format!("<p>Día <b>{title}</b></p>");
            panel
                .send(
                    &ada,
                    json!({"title": title, "description": description, "time": time[number], "read": number == 0}),
                )
                .await;
        }
        let part = async |query: &str| {
            ada.get(&format!("{}?{query}", panel.path)).await.expect(200).as_array().unwrap().clone()
        };
        let mut found = Vec::new();
        let mut query = "limit=1".to_owned();
        while let [item] = part(&query).await.as_slice() {
            found.push(item.clone());
            query = format!("limit=1&before={}", item["id"].as_str().unwrap());
        }
        assert_eq!(titles(&found), ["three", "two", "one", "four"]);
        assert_eq!(titles(&part("unread=true").await), ["three", "two", "four"]);
        assert_eq!(titles(&part("unread=true&limit=2").await), ["three", "two"]);
        assert_eq!(titles(&part("q=dia%20ONE").await), ["one"]);
        assert_eq!(titles(&part("q=nothing").await), Vec::<&str>::new());
        for (query, field) in [("limit=0", "limit"), ("limit=201", "limit")] {
            let refused = ada.get(&format!("{}?{query}", panel.path)).await;
            refused.refused("invalid");
            assert!(refused.body["error"]["fields"][field].is_string(), "{}", refused.body);
        }
        bob.get(&format!("{}?before={}", panel.path, found[0]["id"].as_str().unwrap())).await.refused("invalid");
    }
}

/// The kind of fault: what others cause displaces the notices that a member needs to know of a sign-in. Neighbours: a box of
/// nothing else, and messages, which are all alike.
#[tokio::test]
async fn notices_of_security_are_displaced_last() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Member).await;
    let bob = app.acme(Role::Owner).await;
    let (person, other) = (ada.id, bob.id);
    let fill = move |tx: &TenantWrite<'_>| {
        let about = |number: usize, kept: usize| (number < kept).then(|| "security".to_owned());
        let mut first = (Vec::new(), Vec::new(), Vec::new());
        for number in 0..rules::MAX_KEPT + 3 {
            let notice =
                |kept| Notice { title: Some("t".to_owned()), about: about(number, kept), ..Notice::new(tx.now()) };
            let message = Notice { title: Some("t".to_owned()), about: about(number, 2), ..Notice::new(tx.now()) };
            let mixed = rules::deliver::<Notifications>(tx, person, notice(2))?.id;
            let alike = rules::deliver::<Notifications>(tx, other, notice(rules::MAX_KEPT + 3))?.id;
            let message = rules::deliver::<Messages>(tx, person, message)?.id;
            if number < 6 {
                first.0.push(mixed);
                first.1.push(alike);
                first.2.push(message);
            }
        }
        Ok(first)
    };
    let ((mixed, alike, messages), _) = app.app.store().write(app.acme.id, Actor::System, fill).await.unwrap();
    let snapshot = app.app.store().snapshot().unwrap();
    let tx = snapshot.tenant(app.acme.id, None);
    let is_kept = |who, id: &_| tx.person(who).find::<Notice<Notifications>>(*id).unwrap().is_some();
    assert_eq!(mixed.iter().map(|id| is_kept(person, id)).collect::<Vec<_>>(), [true, true, false, false, false, true]);
    assert_eq!(alike.iter().map(|id| is_kept(other, id)).collect::<Vec<_>>(), [false, false, false, true, true, true]);
    let is_kept = |id: &_| tx.person(person).find::<Notice<Messages>>(*id).unwrap().is_some();
    assert_eq!(messages.iter().map(is_kept).collect::<Vec<_>>(), [false, false, false, true, true, true]);
}
