//! Delivery of reminders, due tasks, digests and chat notifications: on time and exactly once, also across restarts.

use serde_json::{Value, json};

use crate::{
    mail::{self, Email},
    people::permission::Role,
    store::Scan,
    testing::{As, TestApp},
};

const MINUTE: i64 = 60_000;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

/// Titles and descriptions of the notifications of one kind in a role's panel, newest first.
async fn notified(app: &TestApp, role: Role, kind: &str) -> Vec<(String, String)> {
    // A new sign-in, since the clock passes the expiry of tokens.
    let all = app.acme(role).await.get("/api/common/notifications").await.expect(200);
    let text = |item: &Value, field: &str| item[field].as_str().unwrap_or_default().to_owned();
    let of_kind = all.as_array().unwrap().iter().filter(|item| item["kind"] == kind);
    of_kind.map(|item| (text(item, "title"), text(item, "description"))).collect()
}

async fn titles(app: &TestApp, role: Role, kind: &str) -> Vec<String> {
    notified(app, role, kind).await.into_iter().map(|(title, _)| title).collect()
}

async fn advance(app: &TestApp, millis: i64) {
    app.clock.advance(millis);
    app.app.notifier().round().await.unwrap();
}

async fn start_app() -> TestApp {
    let app = TestApp::new().await;
    app.app.notifier().round().await.unwrap();
    app
}

async fn create_event(by: &As, more: Value) -> String {
    let mut event = json!({"title": "Review", "start": "2026-11-21T10:30:00Z", "end": "2026-11-21T11:00:00Z"});
    event.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    by.post("/api/events", event).await.expect(201)["id"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn reminders_are_sent_once_to_the_minute_to_attendees_and_creator() {
    let app = start_app().await;
    let member = app.acme(Role::Member).await;
    let viewer = app.acme(Role::Viewer).await;
    let come = json!({"attendees": [{"memberId": viewer.id.to_string()}], "reminders": [15, 30], "location": "Room 2"});
    create_event(&member, come).await;
    advance(&app, 29 * MINUTE).await;
    assert!(notified(&app, Role::Viewer, "event_reminder").await.is_empty());
    advance(&app, MINUTE).await;
    let first = ("Review".to_owned(), "Starts November 21, 10:30 AM, Room 2".to_owned());
    assert_eq!(notified(&app, Role::Viewer, "event_reminder").await, std::slice::from_ref(&first));
    assert_eq!(notified(&app, Role::Member, "event_reminder").await, std::slice::from_ref(&first));
    advance(&app, 0).await;
    advance(&app, 14 * MINUTE).await;
    assert_eq!(notified(&app, Role::Viewer, "event_reminder").await.len(), 1);
    advance(&app, MINUTE).await;
    assert_eq!(notified(&app, Role::Viewer, "event_reminder").await, [first.clone(), first]);
    assert!(notified(&app, Role::Admin, "event_reminder").await.is_empty());
}

#[tokio::test]
async fn reminders_missed_within_an_hour_are_sent_once_after_a_restart() {
    let app = start_app().await;
    let member = app.acme(Role::Member).await;
    create_event(&member, json!({"title": "Early", "reminders": [30]})).await;
    create_event(&member, json!({"title": "Late", "reminders": [0]})).await;
    drop(member);
    // Both are past at the restart, the first one by more than an hour.
    app.clock.advance(91 * MINUTE);
    let app = app.restart().await;
    advance(&app, 0).await;
    assert_eq!(titles(&app, Role::Member, "event_reminder").await, ["Late"]);
    let app = app.restart().await;
    advance(&app, 0).await;
    assert_eq!(titles(&app, Role::Member, "event_reminder").await, ["Late"], "and once only");
}

#[tokio::test]
async fn moved_or_removed_event_moves_or_drops_its_reminders() {
    let app = start_app().await;
    let member = app.acme(Role::Member).await;
    let moved = create_event(&member, json!({"title": "Moved", "reminders": [30]})).await;
    let gone = create_event(&member, json!({"title": "Gone", "reminders": [30]})).await;
    advance(&app, 2 * MINUTE).await;
    let later = json!({"start": "2026-11-21T11:30:00Z", "end": "2026-11-21T12:00:00Z"});
    member.patch(&format!("/api/events/{moved}"), later).await.expect(200);
    member.delete(&format!("/api/events/{gone}")).await.expect(204);
    advance(&app, 28 * MINUTE).await;
    assert!(titles(&app, Role::Member, "event_reminder").await.is_empty());
    advance(&app, HOUR).await;
    assert_eq!(titles(&app, Role::Member, "event_reminder").await, ["Moved"]);
}

#[tokio::test]
async fn recurring_event_reminders_keep_wall_clock_time() {
    let app = start_app().await;
    let owner = app.acme(Role::Owner).await;
    owner.patch("/api/common/user", json!({"timezone": "Europe/Madrid"})).await.expect(200);
    // Nine o'clock in Madrid, every day; the clocks go forward on 28 March 2027.
    let daily = json!({"start": "2027-03-26T08:00:00Z", "end": "2027-03-26T08:30:00Z", "timezone": "Europe/Madrid",
        "recurrence": "FREQ=DAILY", "reminders": [60]});
    create_event(&owner, daily).await;
    let at = |text: &str| text.parse::<crate::kernel::Timestamp>().unwrap().millis();
    let mut count = 0;
    for moment in ["2027-03-26T07:00:00Z", "2027-03-27T07:00:00Z", "2027-03-28T06:00:00Z", "2027-03-29T06:00:00Z"] {
        advance(&app, at(moment) - MINUTE - app.clock.now().millis()).await;
        assert_eq!(notified(&app, Role::Owner, "event_reminder").await.len(), count, "not before {moment}");
        advance(&app, MINUTE).await;
        count += 1;
        let all = notified(&app, Role::Owner, "event_reminder").await;
        assert_eq!(all.len(), count, "{moment}");
        assert!(all[0].1.ends_with("9:00 AM"), "{all:?}");
    }
}

#[tokio::test]
async fn all_day_event_reminders_use_each_members_midnight() {
    let app = start_app().await;
    let owner = app.acme(Role::Owner).await;
    let member = app.acme(Role::Member).await;
    owner.patch("/api/common/user", json!({"timezone": "Asia/Tokyo"})).await.expect(200);
    member.patch("/api/common/user", json!({"timezone": "America/New_York"})).await.expect(200);
    let day = json!({"title": "Fair", "allDay": true, "startDate": "2026-11-23", "reminders": [60],
        "attendees": [{"memberId": member.id.to_string()}]});
    owner.post("/api/events", day).await.expect(201);
    let at = |text: &str| text.parse::<crate::kernel::Timestamp>().unwrap().millis();
    for (moment, tokyo, york) in [
        ("2026-11-22T13:59:00Z", 0, 0),
        ("2026-11-22T14:00:00Z", 1, 0),
        ("2026-11-23T03:59:00Z", 1, 0),
        ("2026-11-23T04:00:00Z", 1, 1),
    ] {
        advance(&app, at(moment) - app.clock.now().millis()).await;
        assert_eq!(notified(&app, Role::Owner, "event_reminder").await.len(), tokyo, "{moment}");
        assert_eq!(notified(&app, Role::Member, "event_reminder").await.len(), york, "{moment}");
    }
    assert_eq!(notified(&app, Role::Member, "event_reminder").await[0].1, "On November 23");
}

#[tokio::test]
async fn due_tasks_are_notified_in_the_assignees_morning() {
    let app = start_app().await;
    let (owner, member, admin) =
        (app.acme(Role::Owner).await, app.acme(Role::Member).await, app.acme(Role::Admin).await);
    member.patch("/api/common/user", json!({"timezone": "America/New_York"})).await.expect(200);
    owner.patch("/api/common/user", json!({"timezone": "Europe/Madrid"})).await.expect(200);
    for title in ["One", "Two"] {
        let task = json!({"title": title, "dueDate": "2026-11-22", "assigneeId": member.id.to_string()});
        admin.post("/api/tasks", task).await.expect(201);
    }
    owner.post("/api/tasks", json!({"title": "Mine", "dueDate": "2026-11-22"})).await.expect(201);
    let done = json!({"title": "Done", "dueDate": "2026-11-22", "completed": true, "assigneeId": owner.id.to_string()});
    admin.post("/api/tasks", done).await.expect(201);
    let at = |text: &str| text.parse::<crate::kernel::Timestamp>().unwrap().millis();
    advance(&app, at("2026-11-22T06:59:00Z") - app.clock.now().millis()).await;
    assert!(notified(&app, Role::Owner, "task_due").await.is_empty());
    advance(&app, MINUTE).await;
    assert_eq!(notified(&app, Role::Owner, "task_due").await, [("Due today".to_owned(), "Mine".to_owned())]);
    assert!(notified(&app, Role::Member, "task_due").await.is_empty(), "it is two o'clock in the night there");
    drop((owner, member, admin));
    // The server is down over the morning: the task is announced right after the restart, because it is still due.
    app.clock.advance(9 * HOUR);
    let app = app.restart().await;
    advance(&app, 0).await;
    assert_eq!(titles(&app, Role::Member, "task_due").await, ["2 tasks are due today"]);
    let app = app.restart().await;
    advance(&app, DAY).await;
    assert_eq!(titles(&app, Role::Member, "task_due").await.len(), 1);
    assert_eq!(titles(&app, Role::Owner, "task_due").await.len(), 1);
}

async fn digests(app: &TestApp) -> Vec<String> {
    let all = app.emails(app.acme.id).await;
    all.into_iter().filter(|(kind, _)| kind == "digest").map(|(_, to)| to).collect()
}

#[tokio::test]
async fn digest_lists_new_unread_notifications_and_is_skipped_when_empty() {
    let app = start_app().await;
    let owner = app.acme(Role::Owner).await;
    let preferences = json!({"digest": "daily", "digestHour": 18});
    owner.patch("/api/common/user/notification-preferences", preferences).await.expect(200);
    owner.patch("/api/common/user", json!({"timezone": "Europe/Madrid"})).await.expect(200);
    app.acme(Role::Member)
        .await
        .patch("/api/common/user/notification-preferences", json!({"digest": "weekly"}))
        .await
        .expect(200);
    let notify = async |title: &str| {
        let notification = json!({"notification": {"title": title, "useRouter": false}});
        let who = app.acme(Role::Owner).await;
        who.post("/api/common/notifications/mark-all-as-read", json!({})).await.expect(200);
        who.post("/api/common/notifications", notification).await.expect(200);
    };
    notify("Hello").await;
    let at = |text: &str| text.parse::<crate::kernel::Timestamp>().unwrap().millis();
    advance(&app, at("2026-11-21T16:59:00Z") - app.clock.now().millis()).await;
    assert!(digests(&app).await.is_empty());
    advance(&app, MINUTE).await;
    assert_eq!(digests(&app).await, ["owner@acme.example"]);
    advance(&app, MINUTE).await;
    assert_eq!(digests(&app).await.len(), 1);
    // The next day has no new unread notification; the day after has one that was read.
    advance(&app, DAY).await;
    assert_eq!(digests(&app).await.len(), 1, "an earlier digest had it");
    notify("Again").await;
    app.acme(Role::Owner).await.post("/api/common/notifications/mark-all-as-read", json!({})).await.expect(200);
    advance(&app, DAY).await;
    assert_eq!(digests(&app).await.len(), 1);
}

#[tokio::test]
async fn weekly_digest_is_sent_on_monday_once_across_restarts() {
    let app = start_app().await;
    let owner = app.acme(Role::Owner).await;
    owner.patch("/api/common/user/notification-preferences", json!({"digest": "weekly"})).await.expect(200);
    let notification = json!({"notification": {"title": "Hello", "useRouter": false}});
    owner.post("/api/common/notifications", notification).await.expect(200);
    advance(&app, DAY).await;
    assert!(digests(&app).await.is_empty(), "a Sunday");
    drop(owner);
    app.clock.advance(DAY);
    let app = app.restart().await;
    advance(&app, 0).await;
    assert_eq!(digests(&app).await, ["owner@acme.example"]);
    let app = app.restart().await;
    advance(&app, HOUR).await;
    assert_eq!(digests(&app).await.len(), 1);
}

/// A kind of fault: a copy of a text outlives it. A digest had the beginning of a comment that was deleted before it was written.
#[tokio::test]
async fn digest_has_no_text_of_a_deleted_comment() {
    let app = start_app().await;
    let owner = app.acme(Role::Owner).await;
    let preferences = json!({"digest": "daily", "digestHour": 18});
    owner.patch("/api/common/user/notification-preferences", preferences).await.expect(200);
    let member = app.acme(Role::Member).await;
    let mut comments = Vec::new();
    for title in ["Gone", "Kept"] {
        let task = json!({"title": title, "assigneeId": owner.id});
        let task = member.post("/api/tasks", task).await.expect(201)["id"].as_str().unwrap().to_owned();
        let path = format!("/api/tasks/{task}/comments");
        let made = member.post(&path, json!({"value": format!("Text of {title}")})).await.expect(201);
        comments.push(format!("{path}/{}", made["id"].as_str().unwrap()));
    }
    member.delete(&comments[0]).await.expect(204);
    // Half past six in the evening.
    advance(&app, 9 * HOUR).await;
    assert_eq!(digests(&app).await, ["owner@acme.example"]);
    let snapshot = app.app.store().snapshot().unwrap();
    let all = snapshot.tenant(app.acme.id, None).page::<Email>(&Scan::all().limit(100), |_| true).unwrap();
    let texts = all.items.iter().flat_map(|email| match &email.kind {
        mail::Kind::Digest { items, .. } => {
            items.iter().map(|item| (item.title.as_str(), item.text.as_str())).collect::<Vec<_>>()
        }
        _ => Vec::new(),
    });
    let texts: Vec<(&str, &str)> = texts.filter(|(title, _)| title.contains("commented")).collect();
    let expected = [("member of acme commented on Kept", "Text of Kept"), ("member of acme commented on Gone", "")];
    assert_eq!(texts, expected);
}

/// Neighbours of deleted comments: messages of the chat that were edited or removed, and a group that a member left.
#[tokio::test]
async fn notifications_have_the_present_text_of_chat_messages() {
    let app = start_app().await;
    let member = app.acme(Role::Member).await;
    let viewer = app.acme(Role::Viewer).await;
    let mention = json!({"mentions": [{"memberId": viewer.id, "text": "@V"}]});
    let chat = send_chat(&member, &viewer, "Look, @V, a secret", mention).await;
    let group = json!({"name": "Team", "memberIds": [viewer.id]});
    let group = member.post("/api/apps/chat/groups", group).await.expect(201)["id"].as_str().unwrap().to_owned();
    let line = json!({"chatId": group, "value": "@V here", "mentions": [{"memberId": viewer.id, "text": "@V"}]});
    member.post("/api/apps/chat/messages", line).await.expect(201);
    app.app.notifier().round().await.unwrap();
    let texts = async || {
        let all = notified(&app, Role::Viewer, "mention").await;
        all.into_iter().map(|(_, text)| text).collect::<Vec<_>>()
    };
    assert_eq!(texts().await, ["@V here", "Look, @V, a secret"]);
    let list = member.get(&format!("/api/apps/chat/messages?chatId={chat}")).await.expect(200);
    let message = list["items"].as_array().unwrap().iter().find(|one| one["value"] == "Look, @V, a secret").unwrap();
    let message = format!("/api/apps/chat/messages/{}", message["id"].as_str().unwrap());
    member.patch(&message, json!({"value": "Look, @V"})).await.expect(200);
    assert_eq!(texts().await, ["@V here", "Look, @V"]);
    viewer.delete(&format!("/api/apps/chat/groups/{group}/membership")).await.expect(204);
    member.delete(&message).await.expect(200);
    assert_eq!(texts().await, ["", ""]);
}

async fn send_chat(from: &As, to: &As, text: &str, more: Value) -> String {
    let chat = from.post("/api/apps/chat/chat", json!({"contactId": to.id.to_string()})).await.expect(200);
    let mut line = json!({"chatId": chat["id"], "value": text});
    line.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    from.post("/api/apps/chat/messages", line).await.expect(201);
    chat["id"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn away_member_is_notified_of_chat_once_across_restarts() {
    let app = start_app().await;
    let member = app.acme(Role::Member).await;
    let viewer = app.acme(Role::Viewer).await;
    let chat = send_chat(&member, &viewer, "You are there", json!({})).await;
    advance(&app, 0).await;
    assert!(notified(&app, Role::Viewer, "chat").await.is_empty(), "a present member sees it");
    drop(member);
    advance(&app, 3 * MINUTE).await;
    let member = app.acme(Role::Member).await;
    send_chat(&member, &viewer, "Are you?", json!({})).await;
    drop((member, viewer));
    // One restart before the notification is delivered, and one after.
    let app = app.restart().await;
    app.app.notifier().round().await.unwrap();
    let app = app.restart().await;
    app.app.notifier().round().await.unwrap();
    let chat_notifications = notified(&app, Role::Viewer, "chat").await;
    assert_eq!(chat_notifications.iter().filter(|(_, text)| text == "Are you?").count(), 1, "{chat_notifications:?}");
    // Reading the conversation on any device marks the notification as read.
    let viewer = app.acme(Role::Viewer).await;
    viewer.post("/api/apps/chat/read", json!({"chatId": chat})).await.expect(200);
    app.app.notifier().round().await.unwrap();
    let unread = viewer.get("/api/common/notifications?unread=true").await.expect(200);
    assert!(unread.as_array().unwrap().iter().all(|item| item["kind"] != "chat"), "{unread}");
}

#[tokio::test]
async fn connected_member_gets_no_chat_notification() {
    let app = start_app().await;
    let member = app.acme(Role::Member).await;
    let viewer = app.acme(Role::Viewer).await;
    let at = viewer.get("/api/live").await.expect(200)["at"].clone();
    advance(&app, 3 * MINUTE).await;
    let listening = format!("/api/live?after={at}&wait=25");
    let (update, _) = tokio::join!(viewer.get(&listening), send_chat(&member, &viewer, "You are there", json!({})));
    update.expect(200);
    app.app.notifier().round().await.unwrap();
    assert!(notified(&app, Role::Viewer, "chat").await.is_empty());
}

#[tokio::test]
async fn messages_read_before_delivery_cause_no_notification() {
    let app = start_app().await;
    let member = app.acme(Role::Member).await;
    let viewer = app.acme(Role::Viewer).await;
    // Deliver nothing until all of it has happened.
    let pause = app.app.notifier().pause().await;
    let chat = send_chat(&member, &viewer, "Read", json!({})).await;
    viewer.post("/api/apps/chat/read", json!({"chatId": chat})).await.expect(200);
    send_chat(&member, &viewer, "Unread", json!({})).await;
    app.clock.advance(3 * MINUTE);
    drop(pause);
    app.app.notifier().round().await.unwrap();
    assert_eq!(notified(&app, Role::Viewer, "chat").await.len(), 1);
    assert!(!titles(&app, Role::Viewer, "chat").await[0].contains('2'), "one message, not two");
}

#[tokio::test]
async fn muted_conversation_notifies_of_mentions_only() {
    let app = start_app().await;
    let member = app.acme(Role::Member).await;
    let viewer = app.acme(Role::Viewer).await;
    let chat = send_chat(&member, &viewer, "Hello", json!({})).await;
    viewer.patch("/api/apps/chat/chat", json!({"id": chat, "chat": {"muted": true}})).await.expect(200);
    advance(&app, 3 * MINUTE).await;
    let member = app.acme(Role::Member).await;
    send_chat(&member, &viewer, "Quiet", json!({})).await;
    app.app.notifier().round().await.unwrap();
    let mention = json!({"mentions": [{"memberId": viewer.id.to_string(), "text": "@V"}]});
    send_chat(&member, &viewer, "Look, @V", mention.clone()).await;
    send_chat(&member, &viewer, "Well, @V?", mention).await;
    app.app.notifier().round().await.unwrap();
    assert!(notified(&app, Role::Viewer, "chat").await.is_empty());
    let mentioned = notified(&app, Role::Viewer, "mention").await;
    assert_eq!(mentioned.len(), 1);
    assert_eq!(mentioned[0].0, "You were mentioned 2 times");
    assert!(notified(&app, Role::Member, "mention").await.is_empty(), "not the author");
    assert!(notified(&app, Role::Admin, "mention").await.is_empty(), "nor members outside of the conversation");
}
