//! Messages between members: recipients, the permission to write to all, and read receipts.

use serde_json::{Value, json};

use super::{
    Messages,
    sent::{Draft, Recipients, Sent},
};
use crate::{
    features::{
        notices::{Broadcast, Kind, Notice, rules},
        notifications::Notifications,
    },
    people::{
        members::{MemberRecord, MemberState},
        permission::Role,
    },
    store::{Actor, Scan, TenantWrite},
    testing::{As, TestApp},
};

async fn inbox(who: &As) -> Vec<Value> {
    who.get("/api/common/messages").await.expect(200).as_array().unwrap().clone()
}

async fn recipients(who: &As, sent: &Value) -> Vec<Value> {
    let path = format!("/api/messages/sent/{}", sent["id"].as_str().unwrap());
    who.get(&path).await.expect(200)["receivers"].as_array().unwrap().clone()
}

#[tokio::test]
async fn message_has_the_senders_name_and_a_reply_link() {
    let app = TestApp::new().await;
    let sender = app.acme(Role::Member).await;
    let receiver = app.acme(Role::Viewer).await;
    let message = json!({"to": [receiver.id.to_string()], "title": "Lunch <b>", "text": "At one?\n\nBring Ada."});
    let sent = sender.post("/api/messages/send", message).await.expect(201);
    assert_eq!((&sent["total"], &sent["read"], &sent["everyone"]), (&json!(1), &json!(0), &json!(false)));
    let got = inbox(&receiver).await;
    assert_eq!(got.len(), 1);
    assert_eq!(got[0]["from"]["memberId"], sender.id.to_string());
    assert_eq!(got[0]["title"], got[0]["from"]["name"]);
    assert_eq!(got[0]["description"], "<strong>Lunch &lt;b&gt;</strong><br>At one?<br><br>Bring Ada.");
    assert_eq!(got[0]["link"], format!("/messages?to={}", sender.id));
    assert_eq!((&got[0]["useRouter"], &got[0]["read"]), (&json!(true), &json!(false)));
    assert_eq!(inbox(&sender).await.len(), 0, "not to the sender");
}

#[tokio::test]
async fn sender_sees_when_each_recipient_read_it() {
    let app = TestApp::new().await;
    let sender = app.acme(Role::Member).await;
    let first = app.acme(Role::Viewer).await;
    let second = app.acme(Role::Admin).await;
    let to = [first.id.to_string(), second.id.to_string(), first.id.to_string()];
    let message = json!({"to": to, "title": "Hello", "text": "Both of you"});
    let sent = sender.post("/api/messages/send", message).await.expect(201);
    assert_eq!(recipients(&sender, &sent).await.len(), 2, "named twice, sent once");
    app.clock.advance(60_000);
    let item = inbox(&first).await[0].clone();
    first
        .post("/api/common/messages/toggle-read-status", json!({"message": {"id": item["id"], "read": true}}))
        .await
        .expect(200);
    let seen = recipients(&sender, &sent).await;
    assert_eq!(seen[0]["readAt"], app.clock.now().to_string());
    assert!(seen[1].get("readAt").is_none());
    // Every way of reading counts, and reading again keeps the first time.
    app.clock.advance(60_000);
    first.post("/api/common/messages/mark-all-as-read", json!({})).await.expect(200);
    second.post("/api/common/messages/mark-all-as-read", json!({})).await.expect(200);
    let again = recipients(&sender, &sent).await;
    assert_eq!(again[0]["readAt"], seen[0]["readAt"]);
    assert_eq!(again[1]["readAt"], app.clock.now().to_string());
    let list = sender.get("/api/messages/sent").await.expect(200);
    assert_eq!(
        (&list["total"], &list["items"][0]["read"], &list["items"][0]["total"]),
        (&json!(1), &json!(2), &json!(2))
    );
    // Marked as unread, it counts as unread; removed, its receipt does not change.
    let batch = |action: &str| json!({"ids": [item["id"]], "action": action});
    first.post("/api/common/messages/batch", batch("unread")).await.expect(200);
    assert!(recipients(&sender, &sent).await[0].get("readAt").is_none());
    first.post("/api/common/messages/batch", batch("read")).await.expect(200);
    first.post("/api/common/messages/batch", batch("remove")).await.expect(200);
    assert!(recipients(&sender, &sent).await[0]["readAt"].is_string());
}

#[tokio::test]
async fn broadcast_requires_its_permission() {
    let app = TestApp::new().await;
    let message = json!({"everyone": true, "title": "Hello", "text": "All of you"});
    for role in Role::ALL {
        let got = app.acme(role).await.post("/api/messages/send", message.clone()).await;
        if role >= Role::Admin {
            assert_eq!(got.expect(201)["total"], 3);
        } else {
            got.refused("forbidden");
        }
    }
    assert_eq!(inbox(&app.acme(Role::Viewer).await).await.len(), 2);
    assert_eq!(inbox(&app.acme(Role::Owner).await).await.len(), 1);
    assert_eq!(inbox(&app.other(Role::Viewer).await).await.len(), 0);
}

/// The kind of fault: a response grows with the texts of messages, and beyond 16 MiB it is refused for ever. Neighbours:
/// messages that were received and sent, and the pages that follow.
#[tokio::test]
async fn lists_of_long_messages_end_before_their_limit() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Member).await;
    let me = ada.id;
    let fill = move |tx: &TenantWrite<'_>| {
        for n in 0..12 {
            let title = n.to_string();
            let text = "😀".repeat(200_000);
            let notice =
                Notice { title: Some(title.clone()), description: Some(text.clone()), ..Notice::new(tx.now()) };
            rules::deliver::<Messages>(tx, me, notice)?;
            tx.person(me).create(Sent { title, text, everyone: false, receivers: 0, read: 0 })?;
        }
        Ok(())
    };
    app.app.store().write(app.acme.id, Actor::System, fill).await.unwrap();
    let mut received: Vec<String> = Vec::new();
    loop {
        let before = received.last().map_or_else(String::new, |id| format!("?before={id}"));
        let page = ada.get(&format!("/api/common/messages{before}")).await.expect(200);
        let page = page.as_array().unwrap();
        if page.is_empty() {
            break;
        }
        assert!(page.len() <= 6, "{}", page.len());
        received.extend(page.iter().map(|one| one["id"].as_str().unwrap().to_owned()));
    }
    assert_eq!(received.len(), 12);
    let mut sent = 0;
    let mut cursor = String::new();
    loop {
        let page = ada.get(&format!("/api/messages/sent?limit=200{cursor}")).await.expect(200);
        let count = page["items"].as_array().unwrap().len();
        assert!((1..=6).contains(&count), "{count}");
        assert_eq!(page["total"], 12);
        sent += count;
        let Some(next) = page["nextCursor"].as_str() else { break };
        cursor = format!("&cursor={next}");
    }
    assert_eq!(sent, 12);
}

/// Members of a company that is too large for one write.
const MANY: usize = 130;

/// Adds active members, and one who may not sign in.
async fn grow(app: &TestApp, like: &As) {
    let like = like.id;
    let add = move |tx: &TenantWrite<'_>| {
        let one = tx.get::<MemberRecord>(like)?.value;
        for n in 0..=MANY {
            let state = if n == MANY / 2 { MemberState::Suspended } else { MemberState::Active };
            tx.create(MemberRecord { email: format!("m{n}@many.example"), state, ..one.clone() })?;
        }
        Ok(())
    };
    app.app.store().write(app.acme.id, Actor::System, add).await.unwrap();
}

/// How many notices of a kind each member of the company has.
fn inboxes<K: Kind>(app: &TestApp) -> Vec<(MemberState, i64)> {
    let snapshot = app.app.store().snapshot().unwrap();
    let tx = snapshot.tenant(app.acme.id, None);
    let members = tx.page::<MemberRecord>(&Scan::all().limit(1_000), |_| true).unwrap().items;
    members.iter().map(|member| (member.state, tx.person(member.id).counter(K::ALL).unwrap())).collect()
}

/// The kind of fault (F-S2): a write that grows with the members of a company keeps the writes of all companies waiting.
/// Neighbours: notices of both kinds for everyone.
#[tokio::test]
async fn everyone_in_a_large_company_gets_a_message_once() {
    let app = TestApp::new().await;
    let sender = app.acme(Role::Admin).await;
    grow(&app, &sender).await;
    app.app.store().take_largest_write();
    let message = json!({"everyone": true, "title": "Hello", "text": "All of you"});
    let key = [("idempotency-key", "hello")];
    let sent = sender.send_with("POST", "/api/messages/send", Some(message.clone()), &key).await.expect(201);
    let got = inboxes::<Messages>(&app);
    let expected = |state: MemberState| i64::from(state == MemberState::Active);
    assert_eq!(
        got.iter().filter(|(state, count)| *count != expected(*state)).count(),
        1,
        "all but the sender: {got:?}"
    );
    assert_eq!((sent["total"].as_u64(), recipients(&sender, &sent).await.len()), (Some(MANY as u64 + 3), MANY + 3));
    let again = sender.send_with("POST", "/api/messages/send", Some(message), &key).await.expect(201);
    assert_eq!((&again["id"], &again["total"]), (&sent["id"], &sent["total"]));
    assert_eq!(inboxes::<Messages>(&app), got);
    for path in ["messages", "notifications"] {
        let notice = json!({path.trim_end_matches('s'): {"title": "For all", "to": "everyone", "read": true}});
        let own = sender.post(&format!("/api/common/{path}"), notice).await.expect(200);
        assert_eq!(own["read"], true);
    }
    let notified = inboxes::<Notifications>(&app);
    assert!(notified.iter().all(|(state, count)| *count == expected(*state)), "{notified:?}");
    let read = app.app.store().take_largest_write();
    assert!(read.rows_written < 1_500 && read.rows_read < 1_500, "{read:?}");
}

#[tokio::test]
async fn message_to_everyone_arrives_after_a_restart_but_not_at_members_who_join_later() {
    let app = TestApp::new().await;
    let sender = app.acme(Role::Admin).await;
    grow(&app, &sender).await;
    let draft = Draft { to: Recipients::Everyone, title: "Hello".to_owned(), text: "All of you".to_owned() };
    let like = sender.id;
    let send = move |tx: &TenantWrite<'_>| {
        let sent = super::sent::send(tx, &draft)?;
        assert!(usize::try_from(sent.receivers).unwrap() < MANY, "{}", sent.receivers);
        Ok(())
    };
    app.app.store().write(app.acme.id, Actor::Member(like), send).await.unwrap();
    drop(sender);
    app.clock.advance(1_000);
    let app = app.restart().await;
    let late = app.hire("late", Role::Member).await;
    let sender = app.acme(Role::Admin).await;
    let mut wrote = app.app.store().wrote();
    loop {
        wrote.borrow_and_update();
        let snapshot = app.app.store().snapshot().unwrap();
        if snapshot.tenant(app.acme.id, None).count::<Broadcast<Messages>>().unwrap() == 0 {
            break;
        }
        wrote.changed().await.unwrap();
    }
    let got = inboxes::<Messages>(&app);
    assert_eq!(got.iter().filter(|(_, count)| *count == 1).count(), MANY + 3, "{got:?}");
    assert_eq!((inbox(&late).await.len(), inbox(&sender).await.len()), (0, 0));
}

#[tokio::test]
async fn viewers_cannot_send_messages() {
    let app = TestApp::new().await;
    let viewer = app.acme(Role::Viewer).await;
    let member = app.acme(Role::Member).await;
    let message = json!({"to": [member.id.to_string()], "title": "Hello", "text": "You"});
    viewer.post("/api/messages/send", message).await.refused("forbidden");
}

#[tokio::test]
async fn long_text_of_special_characters_arrives_whole() {
    let app = TestApp::new().await;
    let sender = app.acme(Role::Member).await;
    let receiver = app.acme(Role::Viewer).await;
    let message = json!({"to": [receiver.id.to_string()], "title": "<&>", "text": "<&>".repeat(1_600)});
    sender.post("/api/messages/send", message).await.expect(201);
    let got = inbox(&receiver).await.remove(0);
    assert_eq!(got["description"], format!("<strong>&lt;&amp;&gt;</strong><br>{}", "&lt;&amp;&gt;".repeat(1_600)));
    let read = json!({"id": got["id"], "message": {"read": true}});
    receiver.patch("/api/common/messages", read).await.expect(200);
}

#[tokio::test]
async fn rejects_invalid_recipients_and_empty_messages() {
    let app = TestApp::new().await;
    let sender = app.acme(Role::Member).await;
    let owner = app.acme(Role::Owner).await;
    let viewer = app.acme(Role::Viewer).await;
    let stranger = app.other(Role::Viewer).await;
    let to = |ids: Vec<String>| json!({"to": ids, "title": "Hello", "text": "You"});
    owner.patch(&format!("/api/team/{}", viewer.id), json!({"state": "suspended"})).await.expect(200);
    for inactive in [viewer.id, stranger.id, sender.id] {
        let got = sender.post("/api/messages/send", to(vec![inactive.to_string()])).await;
        got.refused("invalid");
        assert!(got.body["error"]["fields"]["to.0"].is_string());
    }
    sender.post("/api/messages/send", to(vec![])).await.refused("invalid");
    sender.post("/api/messages/send", to(vec![owner.id.to_string(); 201])).await.refused("invalid");
    let both = json!({"to": [owner.id.to_string()], "everyone": true, "title": "Hello", "text": "You"});
    owner.post("/api/messages/send", both).await.refused("invalid");
    let empty = json!({"to": [owner.id.to_string()], "title": " ", "text": ""});
    let got = sender.post("/api/messages/send", empty).await;
    assert!(got.body["error"]["fields"]["title"].is_string() && got.body["error"]["fields"]["text"].is_string());
}

#[tokio::test]
async fn sent_messages_are_private_and_retries_send_once() {
    let app = TestApp::new().await;
    let sender = app.acme(Role::Member).await;
    let receiver = app.acme(Role::Owner).await;
    let message = json!({"to": [receiver.id.to_string()], "title": "Hello", "text": "You"});
    let key = [("Idempotency-Key", "once")];
    let sent = sender.send_with("POST", "/api/messages/send", Some(message.clone()), &key).await.expect(201);
    let again = sender.send_with("POST", "/api/messages/send", Some(message), &key).await.expect(201);
    assert_eq!(sent["id"], again["id"]);
    assert_eq!(inbox(&receiver).await.len(), 1);
    let path = format!("/api/messages/sent/{}", sent["id"].as_str().unwrap());
    receiver.get(&path).await.refused("not_found");
    assert_eq!(receiver.get("/api/messages/sent").await.expect(200)["total"], 0);
    // Messages of a sender who has left can still be read.
    receiver.delete(&format!("/api/team/{}", sender.id)).await.expect(204);
    receiver.post("/api/common/messages/mark-all-as-read", json!({})).await.expect(200);
}

/// The kind of fault: one sender displaces what others sent to a member, because a box keeps the newest 2,000. Neighbours: the
/// other call that sends messages, notifications, messages to everyone, other senders, and what members send to themselves.
#[tokio::test]
async fn a_sender_has_a_limited_number_of_messages_an_hour_for_each_recipient() {
    let app = TestApp::new().await;
    let sender = app.acme(Role::Admin).await;
    let other = app.acme(Role::Member).await;
    let owner = app.acme(Role::Owner).await;
    let to = |recipients: Recipients| Draft { to: recipients, title: "Hello".to_owned(), text: "You".to_owned() };
    let (named, everyone) = (to(Recipients::Members(vec![owner.id])), to(Recipients::Everyone));
    let fill = move |tx: &TenantWrite<'_>| {
        for _ in 0..rules::MAX_PER_HOUR {
            super::sent::send(tx, &named)?;
            super::sent::send(tx, &everyone)?;
        }
        Ok(())
    };
    app.app.store().write(app.acme.id, Actor::Member(sender.id), fill).await.unwrap();
    let message = json!({"to": [owner.id.to_string()], "title": "Hello", "text": "You"});
    let refused = sender.post("/api/messages/send", message.clone()).await;
    refused.refused("slow_down");
    let said = "You can send one person 120 messages or notifications an hour. Wait a while and try again.";
    assert_eq!(refused.body["error"]["message"], said);
    let all = json!({"everyone": true, "title": "Hello", "text": "All of you"});
    sender.post("/api/messages/send", all).await.refused("slow_down");
    for to in [json!([owner.id.to_string()]), json!("everyone")] {
        let got = sender.post("/api/common/messages", json!({"message": {"title": "Hello", "to": to}})).await;
        got.refused("slow_down");
    }
    // Other senders and other boxes are not limited.
    sender.post("/api/common/messages", json!({"message": {"title": "To myself"}})).await.expect(200);
    let notification = json!({"notification": {"title": "Hello", "to": [owner.id.to_string()]}});
    sender.post("/api/common/notifications", notification).await.expect(200);
    let elsewhere = json!({"to": [other.id.to_string()], "title": "Hello", "text": "You"});
    sender.post("/api/messages/send", elsewhere).await.expect(201);
    other.post("/api/messages/send", message.clone()).await.expect(201);
    app.clock.advance(3_600_001);
    app.acme(Role::Admin).await.post("/api/messages/send", message).await.expect(201);
}
