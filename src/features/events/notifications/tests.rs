//! Recipients of notifications about invitations, changes and cancellations of events.

use serde_json::{Value, json};

use crate::{
    people::permission::Role,
    testing::{As, TestApp},
};

async fn notified(who: &As) -> Vec<(String, String)> {
    let all = who.get("/api/common/notifications").await.expect(200);
    let text = |item: &Value, field: &str| item[field].as_str().unwrap_or_default().to_owned();
    all.as_array()
        .unwrap()
        .iter()
        .map(|item| (text(item, "kind"), text(item, "title") + ": " + &text(item, "description")))
        .collect()
}

fn of(kind: &str, text: &str) -> (String, String) {
    (kind.to_owned(), text.to_owned())
}

#[tokio::test]
async fn dates_and_times_are_those_of_the_readers_region() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let owner = app.acme(Role::Owner).await;
    owner.patch("/api/common/user", json!({"region": {"dateFormat": "dmy", "timeFormat": "24h"}})).await.expect(200);
    let event = json!({"title": "Review", "start": "2026-11-23T16:00:00Z", "end": "2026-11-23T17:00:00Z",
        "attendees": [{"memberId": owner.id.to_string()}]});
    member.post("/api/events", event).await.expect(201);
    let (_, text) = notified(&owner).await.remove(0);
    assert!(text.ends_with("Review, 23 November, 16:00"), "{text}");
}

#[tokio::test]
async fn attendees_are_notified_of_invitation_changes_and_cancellation() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let owner = app.acme(Role::Owner).await;
    let admin = app.acme(Role::Admin).await;
    let name = "acme member";
    admin.patch(&format!("/api/team/{}", member.id), json!({"name": name})).await.expect(200);
    let comes = |people: &[&As]| people.iter().map(|who| json!({"memberId": who.id.to_string()})).collect::<Vec<_>>();
    let event = json!({"title": "Review", "start": "2026-11-23T10:00:00Z", "end": "2026-11-23T11:00:00Z",
        "attendees": comes(&[&member, &owner])});
    let event = member.post("/api/events", event).await.expect(201);
    let path = format!("/api/events/{}", event["id"].as_str().unwrap());
    let invited = of("event_invited", &format!("{name} invited you: Review, November 23, 10:00 AM"));
    assert_eq!(notified(&owner).await, std::slice::from_ref(&invited));
    assert!(notified(&member).await.is_empty(), "not who asks");
    // Colours and reminders are not notified.
    member.patch(&path, json!({"color": "teal", "reminders": [10], "description": "Hm"})).await.expect(200);
    assert_eq!(notified(&owner).await.len(), 1);
    member.patch(&path, json!({"start": "2026-11-23T12:00:00Z", "end": "2026-11-23T13:00:00Z"})).await.expect(200);
    let moved = of("event_changed", &format!("{name} changed an event: Review, now November 23, 12:00 PM"));
    assert_eq!(notified(&owner).await, [moved, invited.clone()]);
    member
        .patch(&path, json!({"location": "Room 2", "attendees": comes(&[&member, &owner, &admin])}))
        .await
        .expect(200);
    let placed = format!("{name} changed the location of an event: Review, November 23, 12:00 PM, now at Room 2");
    assert_eq!(notified(&owner).await, [of("event_changed", &placed), invited.clone()], "one word of one event");
    assert_eq!(
        notified(&admin).await,
        [of("event_invited", &format!("{name} invited you: Review, November 23, 12:00 PM"))]
    );
    member.patch(&path, json!({"attendees": comes(&[&member, &owner])})).await.expect(200);
    let left = format!("{name} removed you from an event: Review, November 23, 12:00 PM");
    assert_eq!(notified(&admin).await[0], of("event_changed", &left));
    member.delete(&path).await.expect(204);
    let gone = of("event_changed", &format!("{name} canceled an event: Review, November 23, 12:00 PM"));
    assert_eq!(notified(&owner).await, [gone, invited]);
    assert_eq!(notified(&admin).await.len(), 2, "who does not come hears no more of it");
}

#[tokio::test]
async fn past_events_send_no_notifications() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let owner = app.acme(Role::Owner).await;
    let event = json!({"title": "Review", "start": "2026-11-20T10:00:00Z", "end": "2026-11-20T11:00:00Z",
        "attendees": [{"memberId": owner.id.to_string()}]});
    let event = member.post("/api/events", event).await.expect(201);
    let path = format!("/api/events/{}", event["id"].as_str().unwrap());
    member.patch(&path, json!({"title": "Looked back"})).await.expect(200);
    member.delete(&path).await.expect(204);
    assert!(notified(&owner).await.is_empty());
}

#[tokio::test]
async fn split_series_notifies_only_of_the_later_occurrences() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let owner = app.acme(Role::Owner).await;
    let admin = app.acme(Role::Admin).await;
    admin.patch(&format!("/api/team/{}", member.id), json!({"name": "acme member"})).await.expect(200);
    let event = json!({"title": "Weekly", "start": "2026-11-23T14:00:00Z", "end": "2026-11-23T15:00:00Z",
        "recurrence": "FREQ=WEEKLY", "attendees": [{"memberId": owner.id.to_string()}]});
    let event = member.post("/api/events", event).await.expect(201);
    let path = |event: &Value| format!("/api/events/{}", event["id"].as_str().unwrap());
    let at = |event: &Value, occurrence: &str| format!("{}?scope=following&occurrence={occurrence}", path(event));
    let later = json!({"start": "2026-11-30T16:00:00Z", "end": "2026-11-30T17:00:00Z"});
    let later = member.patch(&at(&event, "2026-11-30T14:00:00Z"), later).await.expect(200);
    let moved = of("event_changed", "acme member changed an event: Weekly, from November 30, 4:00 PM on");
    let news = notified(&owner).await;
    assert_eq!((&news[0], news.len()), (&moved, 2), "nothing of the times before: {news:?}");
    // A change of the colour is not notified.
    member.patch(&at(&later, "2026-12-14T16:00:00Z"), json!({"color": "teal"})).await.expect(200);
    assert_eq!(notified(&owner).await.len(), 2);
    member.delete(&at(&later, "2026-12-07T16:00:00Z")).await.expect(204);
    let gone = of("event_changed", "acme member canceled an event: Weekly, from December 7, 4:00 PM on");
    let news = notified(&owner).await;
    assert_eq!((&news[0], news.len()), (&gone, 2), "the last word of this series");
    let all = owner.get("/api/common/notifications").await.expect(200);
    assert!(all[0]["count"].as_u64().is_none_or(|count| count == 1), "{all}");
}

/// A kind of fault: what is done again counts as something new. An event that was removed and restored three times invited to
/// four events. Neighbours: an attendee who is removed and invited again, and other events.
#[tokio::test]
async fn an_event_counts_as_one_invitation_however_often_it_is_back() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let owner = app.acme(Role::Owner).await;
    app.acme(Role::Admin).await.patch(&format!("/api/team/{}", member.id), json!({"name": "Ana"})).await.expect(200);
    let attendees = json!([{"memberId": owner.id}]);
    let event = |title: &str| json!({"title": title, "start": "2026-11-23T10:00:00Z", "end": "2026-11-23T11:00:00Z", "attendees": attendees});
    let id = member.post("/api/events", event("Review")).await.expect(201)["id"].as_str().unwrap().to_owned();
    let path = format!("/api/events/{id}");
    let invited = of("event_invited", "Ana invited you: Review, November 23, 10:00 AM");
    for _ in 0..3 {
        member.delete(&path).await.expect(204);
        let gone = of("event_changed", "Ana canceled an event: Review, November 23, 10:00 AM");
        assert_eq!(notified(&owner).await, [gone, invited.clone()]);
        member.post(&format!("/api/bin/{id}/restore"), json!({})).await.expect(200);
        let back = of("event_changed", "Ana restored an event: Review, November 23, 10:00 AM");
        assert_eq!(notified(&owner).await, [back, invited.clone()]);
    }
    for _ in 0..3 {
        member.patch(&path, json!({"attendees": []})).await.expect(200);
        member.patch(&path, json!({"attendees": attendees})).await.expect(200);
        assert!(notified(&owner).await.contains(&invited));
    }
    member.post("/api/events", event("Lunch")).await.expect(201);
    member.patch(&path, json!({"attendees": []})).await.expect(200);
    member.patch(&path, json!({"attendees": attendees})).await.expect(200);
    let two = of("event_invited", "Ana invited you to 2 events: Review, November 23, 10:00 AM, and others");
    assert!(notified(&owner).await.contains(&two), "{:?}", notified(&owner).await);
    // A member who has read of the invitation reads that the event is back.
    owner.post("/api/common/notifications/mark-all-as-read", json!({})).await.expect(200);
    member.delete(&path).await.expect(204);
    member.post(&format!("/api/bin/{id}/restore"), json!({})).await.expect(200);
    let unread = owner.get("/api/common/notifications?unread=true").await.expect(200);
    let titles: Vec<&Value> = unread.as_array().unwrap().iter().map(|item| &item["title"]).collect();
    assert_eq!(titles, ["Ana restored an event"]);
}
