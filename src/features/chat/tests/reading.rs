//! Read marks, unread counts and history.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{CHAT, MESSAGES, chat, open, send_text, unread};
use crate::{
    features::chat::{Conversation, Membership},
    kernel::{Id, MemberId, Timestamp},
    people::permission::Role,
    testing::{As, TestApp},
};

async fn read(who: &As, chat: &str, message: Option<&Value>) -> Value {
    let mut body = json!({"chatId": chat});
    if let Some(message) = message {
        body["messageId"] = message["id"].clone();
    }
    who.post("/api/apps/chat/read", body).await.expect(200)["unreadCount"].clone()
}

fn mark(chat: &Value, who: &As) -> Value {
    let marks = chat["read"].as_array().unwrap().iter();
    marks.filter(|mark| mark["memberId"] == who.id.to_string()).map(|mark| mark["messageId"].clone()).collect()
}

#[tokio::test]
async fn read_mark_moves_forward_only_and_is_visible_to_all() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Member).await;
    let bob = app.acme(Role::Owner).await;
    let id = open(&ada, &bob).await;
    assert_eq!(read(&bob, &id, None).await, 0, "nothing is unread without messages");
    let mut sent = Vec::new();
    for text in ["one", "two", "three"] {
        sent.push(send_text(&ada, &id, text).await);
    }
    assert_eq!(
        mark(&chat(&bob, &id).await, &ada),
        json!([sent[2]["id"]]),
        "sending marks all earlier messages as read"
    );
    assert_eq!(read(&bob, &id, Some(&sent[1])).await, 1);
    assert_eq!(mark(&chat(&ada, &id).await, &bob), json!([sent[1]["id"]]));
    assert_eq!(read(&bob, &id, Some(&sent[0])).await, 1, "an older mark that comes late changes nothing");
    assert_eq!(mark(&chat(&ada, &id).await, &bob), json!([sent[1]["id"]]));
    assert_eq!((read(&bob, &id, None).await, unread(&bob).await), (json!(0), json!(0)));
    // Marked as unread by hand, then read again at the same message.
    bob.patch(CHAT, json!({"id": id, "chat": {"unreadCount": 1}})).await.expect(200);
    assert_eq!(unread(&bob).await, 1);
    assert_eq!(read(&bob, &id, Some(&sent[2])).await, 0);
    let elsewhere = open(&ada, &app.acme(Role::Viewer).await).await;
    let other = send_text(&ada, &elsewhere, "elsewhere").await;
    let refused = bob.post("/api/apps/chat/read", json!({"chatId": id, "messageId": other["id"]})).await;
    assert!(refused.body["error"]["fields"]["messageId"].is_string(), "{}", refused.body);
}

#[tokio::test]
async fn muted_conversations_are_left_out_of_the_total() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Member).await;
    let bob = app.acme(Role::Owner).await;
    let eve = app.acme(Role::Viewer).await;
    let loud = open(&ada, &bob).await;
    let quiet = open(&eve, &bob).await;
    let mute = async |muted: bool| bob.patch(CHAT, json!({"id": quiet, "chat": {"muted": muted}})).await.expect(200);
    send_text(&eve, &quiet, "one").await;
    mute(true).await;
    assert_eq!(unread(&bob).await, 0);
    send_text(&eve, &quiet, "two").await;
    send_text(&ada, &loud, "three").await;
    assert_eq!((unread(&bob).await, &chat(&bob, &quiet).await["unreadCount"]), (json!(1), &json!(2)));
    assert_eq!((&mute(false).await["unreadCount"], unread(&bob).await), (&json!(2), json!(3)));
    mute(true).await;
    read(&bob, &quiet, None).await;
    mute(false).await;
    assert_eq!(unread(&bob).await, 1);
}

#[tokio::test]
async fn messages_stay_in_order_when_the_clock_is_set_back() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Member).await;
    let bob = app.acme(Role::Owner).await;
    let id = open(&ada, &bob).await;
    send_text(&ada, &id, "one").await;
    read(&bob, &id, None).await;
    app.clock.advance(-60_000);
    let ada = app.acme(Role::Member).await;
    let bob = app.acme(Role::Owner).await;
    for text in ["two", "three"] {
        send_text(&ada, &id, text).await;
    }
    let view = chat(&bob, &id).await;
    let texts: Vec<&Value> = view["messages"].as_array().unwrap().iter().map(|message| &message["value"]).collect();
    assert_eq!((texts, &view["unreadCount"]), (vec![&json!("one"), &json!("two"), &json!("three")], &json!(2)));
}

#[tokio::test]
async fn history_is_read_from_any_message_in_both_directions() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Member).await;
    let bob = app.acme(Role::Owner).await;
    let id = open(&ada, &bob).await;
    let mut ids = Vec::new();
    for number in 0..9 {
        ids.push(send_text(&ada, &id, &number.to_string()).await["id"].as_str().unwrap().to_owned());
    }
    for (place, limit, expected, more, newer) in [
        (String::new(), 3, "678", true, false),
        (format!("&before={}", ids[2]), 3, "01", false, true),
        (format!("&before={}", ids[6]), 3, "345", true, true),
        (format!("&after={}", ids[6]), 3, "78", true, false),
        (format!("&after={}", ids[1]), 3, "234", true, true),
        (format!("&around={}", ids[4]), 5, "23456", true, true),
        (format!("&around={}", ids[0]), 4, "0123", false, true),
        (format!("&around={}", ids[8]), 4, "678", true, false),
        (format!("&around={}", ids[4]), 1, "345", true, true),
        (format!("&around={}", ids[4]), 200, "012345678", false, false),
    ] {
        let part = bob.get(&format!("{MESSAGES}?chatId={id}&limit={limit}{place}")).await.expect(200);
        let sent: String =
            part["items"].as_array().unwrap().iter().map(|item| item["value"].as_str().unwrap()).collect();
        assert_eq!((sent.as_str(), &part["more"], &part["newer"]), (expected, &json!(more), &json!(newer)), "{place}");
    }
    let other = open(&ada, &app.acme(Role::Viewer).await).await;
    for place in ["before", "after", "around"] {
        let refused = ada.get(&format!("{MESSAGES}?chatId={other}&{place}={}", ids[4])).await;
        assert!(refused.body["error"]["fields"][place].is_string(), "{}", refused.body);
    }
}

#[test]
fn reads_records_from_before_groups() {
    #[derive(Serialize, Deserialize)]
    struct OldConversation {
        members: [MemberId; 2],
    }
    #[derive(Serialize)]
    struct OldLast {
        text: String,
        at: Timestamp,
    }
    #[derive(Serialize)]
    struct OldMembership {
        other: MemberId,
        unread: u32,
        muted: bool,
        last: Option<OldLast>,
    }
    let one = Id::from_bytes([1; 16]);
    let two = Id::from_bytes([2; 16]);
    let old = rmp_serde::to_vec_named(&OldConversation { members: [one, two] }).unwrap();
    assert_eq!(rmp_serde::from_slice::<Conversation>(&old).unwrap(), Conversation::between(two, one));
    let new = rmp_serde::to_vec_named(&Conversation::between(one, two)).unwrap();
    assert_eq!(rmp_serde::from_slice::<OldConversation>(&new).unwrap().members, [one, two], "a pair is kept as it was");
    let last = Some(OldLast { text: "hello".to_owned(), at: Timestamp::from_millis(7) });
    let old = rmp_serde::to_vec_named(&OldMembership { other: two, unread: 3, muted: true, last }).unwrap();
    let membership: Membership = rmp_serde::from_slice(&old).unwrap();
    assert_eq!((membership.other, membership.unread, membership.muted), (Some(two), 3, true));
    assert_eq!(membership.last.map(|last| (last.text, last.message)), Some(("hello".to_owned(), None)));
}
