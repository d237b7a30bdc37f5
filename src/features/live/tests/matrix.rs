//! Which frame reaches whom, for every type of frame: one row each, and a type without a row fails (threats T-34).

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::{
    super::frames::{CLIENT_FRAMES, SERVER_FRAMES},
    wire::Socket,
};
use crate::{
    people::permission::Role,
    testing::{As, Line, TestApp, served},
};

/// A member with an open socket.
struct Person {
    name: &'static str,
    who: As,
    socket: Socket,
}

impl Person {
    async fn new(line: &Line, name: &'static str, who: &As) -> Self {
        Self { name, who: who.clone(), socket: line.open(who, "").await }
    }

    /// Waits for the answer to a last frame, which shows that the frames before it were processed, and that they
    /// caused nothing here.
    async fn expect_no_transient_frames(&mut self) {
        self.socket.send_frame(&json!({"type": "activity", "data": {"idle": true}})).await;
        let away = json!({"memberId": self.who.id, "status": "away"});
        let received = self.socket.until(|frame| frame["type"] == "presence" && frame["data"] == away).await;
        assert!(received.iter().all(|frame| frame["type"] != "chat.typing" && frame["type"] != "record.editors"));
    }
}

/// Returns what each has received since the last call. The fence is a record whose change all members receive.
async fn received(people: &mut [Person], makers: &[As]) -> BTreeMap<&'static str, Vec<Value>> {
    let mut fences = BTreeSet::new();
    for maker in makers {
        let task = maker.post("/api/tasks", json!({"title": "Fence"})).await.expect(201);
        fences.insert(task["id"].as_str().unwrap().to_owned());
    }
    let is_fence = |frame: &Value| frame["data"]["recordId"].as_str().is_some_and(|id| fences.contains(id));
    let mut all = BTreeMap::new();
    for person in people {
        let mut frames = person.socket.until(is_fence).await;
        frames.pop();
        all.insert(person.name, frames);
    }
    all
}

/// The recipients of each type of frame, for the events below.
const EXPECTED: [(&str, &[&str]); 18] = [
    ("hello", &["ada", "bob", "eve", "stranger"]),
    ("presence.all", &["ada", "bob", "eve", "stranger"]),
    ("message.created", &["bob"]),
    ("message.updated", &["bob"]),
    ("message.removed", &["bob"]),
    ("notification.created", &["bob"]),
    ("notification.updated", &["bob"]),
    ("notification.removed", &["bob"]),
    ("chat.message", &["ada", "bob"]),
    ("chat.changed", &["ada", "bob"]),
    ("chat.left", &["bob"]),
    ("chat.read", &["ada", "bob"]),
    ("chat.typing", &["bob"]),
    ("presence", &["ada", "bob", "eve"]),
    ("record.changed", &["ada", "bob", "eve"]),
    ("record.editors", &["ada", "bob"]),
    ("session.ended", &["eve"]),
    ("resync", &["bob"]),
];

/// One member writes a notice to the other, who reads and removes it.
async fn write_read_remove(kind: &str, one: &As, other: &As) {
    let path = format!("/api/common/{kind}s");
    let notice = json!({kind: {"title": "Hello", "useRouter": false, "to": [other.id]}});
    let made = one.post(&path, notice).await.expect(200);
    let read = json!({kind: {"id": made["id"], "read": true}});
    other.post(&format!("{path}/toggle-read-status"), read).await.expect(200);
    other.delete(&format!("{path}?id={}", made["id"].as_str().unwrap())).await.expect(200);
}

fn types(list: &[&'static str]) -> BTreeSet<&'static str> {
    list.iter().copied().collect()
}

#[tokio::test]
async fn each_frame_type_reaches_exactly_its_audience() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Owner).await;
    let bob = app.acme(Role::Member).await;
    let eve = app.acme(Role::Viewer).await;
    let foreign = app.other(Role::Owner).await;
    served(&app, |line| async move {
        let mut people = Vec::new();
        for (name, who) in [("ada", &ada), ("bob", &bob), ("eve", &eve), ("stranger", &foreign)] {
            people.push(Person::new(&line, name, who).await);
        }
        let makers = [ada.clone(), foreign.clone()];
        let mut rows: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        let mut sent: BTreeSet<&str> = BTreeSet::new();

        /// The recipients of a type of frame since the last call.
        macro_rules! row {
            ($($kind:literal),+) => {{
                let all = received(&mut people, &makers).await;
                $(
                    let who = all.iter().filter(|(_, frames)| frames.iter().any(|frame| frame["type"] == $kind));
                    rows.insert($kind, who.map(|(name, _)| *name).collect());
                )+
                all
            }};
        }

        let all = row!("hello", "presence.all");
        for (person, frames) in people.iter().zip(["ada", "bob", "eve", "stranger"].map(|name| &all[name])) {
            assert_eq!(frames[0]["data"]["memberId"], json!(person.who.id), "{}", person.name);
        }
        let strangers = all["stranger"].iter().find(|frame| frame["type"] == "presence.all").unwrap();
        assert_eq!(strangers["data"]["members"], json!([{"memberId": foreign.id, "status": "online"}]));

        for (kind, created, updated, removed) in [
            ("message", "message.created", "message.updated", "message.removed"),
            ("notification", "notification.created", "notification.updated", "notification.removed"),
        ] {
            write_read_remove(kind, &ada, &bob).await;
            let all = received(&mut people, &makers).await;
            for frame_type in [created, updated, removed] {
                let who = all.iter().filter(|(_, frames)| frames.iter().any(|frame| frame["type"] == frame_type));
                rows.insert(frame_type, who.map(|(name, _)| *name).collect());
            }
        }

        let chat = ada.post("/api/apps/chat/chat", json!({"contactId": bob.id})).await.expect(200);
        ada.post("/api/apps/chat/messages", json!({"chatId": chat["id"], "value": "Hello"})).await.expect(201);
        row!("chat.message", "chat.changed");
        bob.post("/api/apps/chat/read", json!({"chatId": chat["id"]})).await.expect(200);
        row!("chat.read");
        let group =
            ada.post("/api/apps/chat/groups", json!({"name": "Sales", "memberIds": [bob.id]})).await.expect(201);
        let membership = format!("/api/apps/chat/groups/{}/membership", group["id"].as_str().unwrap());
        assert!(bob.delete(&membership).await.status < 300);
        row!("chat.left");

        let typing = json!({"type": "typing", "data": {"chatId": chat["id"]}});
        for who in [2, 3] {
            people[who].socket.send_frame(&typing).await;
        }
        let editing =
            |kind: &str| json!({"type": "editing", "data": {"records": [{"kind": kind, "recordId": bob.id}]}});
        for (who, kind) in [(0, "session"), (1, "session"), (3, "session")] {
            people[who].socket.send_frame(&editing(kind)).await;
        }
        for person in &mut people {
            person.expect_no_transient_frames().await;
        }
        sent.insert("activity");
        row!("chat.typing");
        assert!(rows["chat.typing"].is_empty(), "from a member who is not in the conversation");

        people[0].socket.send_frame(&typing).await;
        people[0].socket.send_frame(&editing("customer")).await;
        people[1].socket.send_frame(&editing("customer")).await;
        sent.extend(["typing", "editing"]);
        people[0].socket.until(|frame| frame["data"]["memberIds"].as_array().is_some_and(|ids| ids.len() == 2)).await;
        let all = row!("chat.typing", "record.editors");
        assert!(all["bob"].iter().any(|frame| frame["data"]["memberIds"].as_array().is_some_and(|ids| ids.len() == 2)));
        // Her frames came before the row was read.
        rows.get_mut("record.editors").unwrap().insert("ada");

        people[1].socket.send_frame(&json!({"type": "activity", "data": {"idle": false}})).await;
        people[1].socket.until(|frame| frame["data"]["status"] == "online").await;
        row!("presence");
        rows.get_mut("presence").unwrap().insert("bob");

        let customer = ada.post("/api/customers", json!({"name": "Ana"})).await.expect(201);
        let all = row!("record.changed");
        for name in ["ada", "bob", "eve"] {
            assert!(all[name].iter().any(|frame| frame["data"]["recordId"] == customer["id"]), "{name}");
        }

        for _ in 0..60 {
            let notice = json!({"message": {"title": "Hello", "useRouter": false}});
            bob.post("/api/common/messages", notice).await.expect(200);
        }
        bob.get("/api/common/messages/mark-all-as-read").await.expect(200);
        row!("resync");

        eve.post("/api/auth/lock-session", json!({})).await.expect(204);
        let (last, code) = people.remove(2).socket.last_frame_and_code().await;
        assert_eq!((last.unwrap()["type"].as_str(), code), (Some("session.ended"), Some(4423)));
        row!("session.ended");
        rows.get_mut("session.ended").unwrap().insert("eve");

        let expected: BTreeMap<&str, BTreeSet<&str>> =
            EXPECTED.into_iter().map(|(kind, who)| (kind, who.iter().copied().collect())).collect();
        assert_eq!(rows, expected);
        assert_eq!(expected.keys().copied().collect::<BTreeSet<_>>(), types(SERVER_FRAMES), "a frame without a row");
        assert_eq!(sent, types(CLIENT_FRAMES), "a client frame without a row");
    })
    .await;
}
