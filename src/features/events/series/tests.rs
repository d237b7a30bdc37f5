//! Moving, splitting and ending of series (F-U5).

use serde_json::{Value, json};

use super::*;
use crate::{
    feature::FieldValues,
    people::permission::Role,
    testing::{As, TestApp},
};

/// Returns all starts of an event within seven years.
fn starts(event: &Event) -> Vec<String> {
    let from = "2026-01-01T00:00:00Z".parse().unwrap();
    let to = "2033-01-01T00:00:00Z".parse().unwrap();
    let span = Span::new(from, to, "UTC");
    let mut starts = Vec::new();
    repeat(&span, event, |at| {
        starts.push(at.start());
        true
    });
    starts
}

fn event(when: When, rule: &str) -> Event {
    Event {
        title: "Meeting".into(),
        description: None,
        location: None,
        color: None,
        when,
        recurrence: Some(rule.into()),
        last_day: None,
        attendees: Vec::new(),
        reminders: Vec::new(),
        fields: FieldValues::default(),
    }
    .normalize()
    .unwrap()
}

fn timed(start: &str, minutes: i64, timezone: &str) -> When {
    let start: Timestamp = start.parse().unwrap();
    When::Timed { start, end: start.plus_seconds(minutes * 60), timezone: timezone.into() }
}

fn all_day(day: &str) -> When {
    let day: Day = day.parse().unwrap();
    When::AllDay { start_date: day, end_date: day.plus_days(1) }
}

#[test]
fn splitting_a_series_keeps_its_occurrences() {
    let rules = [
        "FREQ=DAILY;COUNT=40",
        "FREQ=DAILY;INTERVAL=3;UNTIL=20261231",
        "FREQ=WEEKLY",
        "FREQ=WEEKLY;UNTIL=20270301T083000Z",
        "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,SU;COUNT=30",
        "FREQ=WEEKLY;INTERVAL=2;BYDAY=SU,MO;WKST=SU",
        "FREQ=MONTHLY;BYMONTHDAY=-1;COUNT=20",
        "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1",
        "FREQ=MONTHLY;INTERVAL=2;BYDAY=1MO,3MO;COUNT=11",
        "FREQ=YEARLY;BYMONTH=2,10;BYMONTHDAY=29",
    ];
    let whens = [
        timed("2026-03-02T22:30:00Z", 90, "Europe/Madrid"),
        timed("2026-03-02T07:30:00Z", 30, "America/New_York"),
        timed("2026-03-28T01:30:00Z", 30, "Europe/Madrid"),
        all_day("2026-03-02"),
    ];
    let mut splits = 0;
    for rule in rules {
        for when in &whens {
            let whole = event(when.clone(), rule);
            let all = starts(&whole);
            for occurrence in all.iter().take(35) {
                // A time skipped by the clocks is later on that day; a series that begins there would keep that time.
                if at(&whole, occurrence).unwrap().when.on_wall().0.time() != when.on_wall().0.time() {
                    continue;
                }
                let changed = change(&whole, Some(occurrence), Scope::Following, |_| Ok(())).unwrap();
                let mut parts = starts(&changed.kept);
                parts.extend(changed.following.as_ref().map(|following| starts(&following.after)).unwrap_or_default());
                assert_eq!(parts, all, "{rule} at {occurrence} of {when:?}: {changed:?}");
                assert_eq!(changed.following.is_none(), occurrence == &all[0]);
                let ended = before(&whole, occurrence).unwrap().map(|(kept, _)| kept);
                assert_eq!(ended, changed.following.map(|_| changed.kept));
                splits += 1;
            }
        }
    }
    assert!(splits > 700, "{splits}");
}

#[test]
fn moving_one_occurrence_moves_the_series_in_local_time() {
    // 10:00 in Madrid: UTC+1 in March, UTC+2 in May.
    let whole = event(timed("2026-03-02T09:00:00Z", 60, "Europe/Madrid"), "FREQ=WEEKLY;COUNT=20");
    let to = |when: When| {
        move |event: &mut Event| {
            event.when = when;
            Ok(())
        }
    };
    let later = timed("2026-05-05T09:00:00Z", 30, "Europe/Madrid");
    let moved = change(&whole, Some("2026-05-04T08:00:00Z"), Scope::All, to(later)).unwrap();
    assert_eq!(moved.following, None);
    assert_eq!(moved.kept.when, timed("2026-03-03T10:00:00Z", 30, "Europe/Madrid"), "a day later, at eleven");
    let days = change(&whole, Some("2026-05-04T08:00:00Z"), Scope::All, to(all_day("2026-05-03"))).unwrap();
    assert_eq!(days.kept.when, all_day("2026-03-01"));
    let title = |event: &mut Event| {
        event.title = "Retrospective".into();
        Ok(())
    };
    let named = change(&whole, Some("2026-05-04T08:00:00Z"), Scope::All, title).unwrap();
    assert_eq!(named.kept.when, whole.when);
    let far = change(&whole, Some("2026-05-04T08:00:00Z"), Scope::All, to(all_day("9999-12-30")));
    assert_eq!(far.unwrap_err().fields()[0].0, "startDate");
    // The first Monday of a month is never a Tuesday.
    let mondays = event(timed("2026-03-02T09:00:00Z", 60, "Europe/Madrid"), "FREQ=MONTHLY;BYDAY=1MO");
    let tuesday = timed("2026-05-05T08:00:00Z", 60, "Europe/Madrid");
    let refused = change(&mondays, Some("2026-05-04T08:00:00Z"), Scope::All, to(tuesday.clone())).unwrap_err();
    assert_eq!(refused.fields()[0].0, "start");
    let split = change(&mondays, Some("2026-05-04T08:00:00Z"), Scope::Following, to(tuesday.clone())).unwrap();
    assert_eq!(split.following.unwrap().after.when, tuesday);
}

#[test]
fn weekly_rule_follows_an_occurrence_moved_to_another_weekday() {
    let first = timed("2026-03-02T09:00:00Z", 60, "UTC");
    let to = |start: &str| {
        let when = timed(start, 60, "UTC");
        move |event: &mut Event| {
            event.when = when;
            Ok(())
        }
    };
    let days = |event: &Event| starts(event).iter().take(4).map(|start| start[5..10].to_owned()).collect::<Vec<_>>();
    let mondays = event(first.clone(), "FREQ=WEEKLY;BYDAY=MO");
    let all = change(&mondays, Some("2026-03-16T09:00:00Z"), Scope::All, to("2026-03-18T09:00:00Z")).unwrap().kept;
    assert_eq!(all.recurrence.as_deref(), Some("FREQ=WEEKLY;BYDAY=WE"));
    assert_eq!(days(&all), ["03-04", "03-11", "03-18", "03-25"]);
    let split = change(&mondays, Some("2026-03-16T09:00:00Z"), Scope::Following, to("2026-03-15T09:00:00Z")).unwrap();
    assert_eq!(days(&split.kept), ["03-02", "03-09"]);
    assert_eq!(days(&split.following.unwrap().after), ["03-15", "03-22", "03-29", "04-05"]);

    let several = event(first, "FREQ=WEEKLY;BYDAY=MO,WE");
    let all = change(&several, Some("2026-03-11T09:00:00Z"), Scope::All, to("2026-03-12T09:00:00Z")).unwrap().kept;
    assert_eq!(all.recurrence.as_deref(), Some("FREQ=WEEKLY;BYDAY=MO,TH"));
    assert_eq!(days(&all), ["03-02", "03-05", "03-09", "03-12"]);
    let all = change(&several, Some("2026-03-09T09:00:00Z"), Scope::All, to("2026-03-13T09:00:00Z")).unwrap().kept;
    assert_eq!(days(&all), ["03-04", "03-06", "03-11", "03-13"]);
    let all = change(&several, Some("2026-03-09T09:00:00Z"), Scope::All, to("2026-03-08T09:00:00Z")).unwrap().kept;
    assert_eq!(days(&all), ["03-01", "03-04", "03-08", "03-11"]);
    let ruled = |event: &mut Event| {
        event.when = timed("2026-03-18T09:00:00Z", 60, "UTC");
        event.recurrence = Some("FREQ=WEEKLY;BYDAY=FR".into());
        Ok(())
    };
    let split = change(&mondays, Some("2026-03-16T09:00:00Z"), Scope::Following, ruled).unwrap().following.unwrap();
    assert_eq!(split.after.recurrence.as_deref(), Some("FREQ=WEEKLY;BYDAY=FR"), "a rule that is given stays as it is");
}

#[test]
fn rejects_a_time_that_is_not_an_occurrence() {
    let whole = event(timed("2026-03-02T09:00:00Z", 60, "Europe/Madrid"), "FREQ=WEEKLY;COUNT=20");
    let days = event(all_day("2026-03-02"), "FREQ=WEEKLY");
    for (event, wrong) in [
        (&whole, "2026-03-09"),
        (&whole, "2026-03-09T09:00:00.001Z"),
        (&whole, "2026-03-09T08:59:59.999Z"),
        (&whole, "2026-08-31T08:00:00Z"),
        (&whole, ""),
        (&days, "2026-03-10"),
        (&days, "2026-03-09T00:00:00Z"),
        (&days, "2025-03-03"),
    ] {
        assert_eq!(at(event, wrong).unwrap_err().fields()[0].0, "occurrence", "{wrong}");
    }
    assert_eq!(
        at(&whole, "2026-03-09T10:00:00+01:00").unwrap().when,
        timed("2026-03-09T09:00:00Z", 60, "Europe/Madrid")
    );
    assert_eq!(at(&days, "2026-03-09").unwrap().when, all_day("2026-03-09"));
    let single = Event { recurrence: None, ..whole.clone() };
    assert_eq!(at(&single, "2026-03-02T09:00:00Z").unwrap(), single);
    at(&single, "2026-03-09T09:00:00Z").unwrap_err();
}

async fn series(caller: &As) -> (String, Value) {
    let body = json!({"title": "Review", "start": "2026-11-23T09:00:00Z", "end": "2026-11-23T10:00:00Z",
        "recurrence": "FREQ=WEEKLY", "location": "Room 1"});
    let made = caller.post("/api/events", body).await.expect(201);
    (format!("/api/events/{}", made["id"].as_str().unwrap()), made)
}

async fn listed(caller: &As) -> Vec<String> {
    let answer = caller.get("/api/events?from=2026-11-01&to=2026-12-31").await.expect(200);
    let text = |item: &Value| format!("{} {}", item["title"].as_str().unwrap(), item["occurrence"].as_str().unwrap());
    answer["items"].as_array().unwrap().iter().map(text).collect()
}

#[tokio::test]
async fn editing_this_and_following_creates_a_separate_event() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let (path, made) = series(&member).await;
    let third = "occurrence=2026-12-07T09:00:00.000Z";
    let shown = member.get(&format!("{path}?{third}")).await.expect(200);
    assert_eq!((&shown["start"], &shown["id"]), (&json!("2026-12-07T09:00:00.000Z"), &made["id"]));
    let patch = json!({"title": "Demo", "start": "2026-12-08T15:00:00Z", "end": "2026-12-08T15:30:00Z"});
    let target = format!("{path}?{third}&scope=following");
    let stale = member.send_with("PATCH", &target, Some(patch.clone()), &[("if-match", "\"7\"")]).await;
    stale.refused("stale_version");
    let split = member.send_with("PATCH", &target, Some(patch.clone()), &[("if-match", "\"1\"")]).await.expect(200);
    assert_ne!(split["id"], made["id"]);
    assert_eq!((&split["location"], &split["recurrence"]), (&json!("Room 1"), &json!("FREQ=WEEKLY")));
    let first = member.get(&path).await.expect(200);
    assert_eq!((&first["version"], &first["recurrence"]), (&json!(2), &json!("FREQ=WEEKLY;UNTIL=20261206T235959Z")));
    let expected = [
        "Review 2026-11-23T09:00:00.000Z",
        "Review 2026-11-30T09:00:00.000Z",
        "Demo 2026-12-08T15:00:00.000Z",
        "Demo 2026-12-15T15:00:00.000Z",
        "Demo 2026-12-22T15:00:00.000Z",
        "Demo 2026-12-29T15:00:00.000Z",
    ];
    assert_eq!(listed(&member).await, expected);
    // Removed occurrences cannot be split off or read.
    let again = member.patch(&target, patch).await;
    again.refused("invalid");
    assert!(again.body["error"]["fields"]["occurrence"].is_string(), "{}", again.body);
    member.get(&format!("{path}?{third}")).await.refused("not_found");
    assert_eq!(listed(&member).await, expected);
}

#[tokio::test]
async fn editing_one_occurrence_moves_all_occurrences() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let (path, made) = series(&member).await;
    let patch = json!({"start": "2026-12-07T11:00:00Z", "end": "2026-12-07T12:00:00Z"});
    let moved = member.patch(&format!("{path}?occurrence=2026-12-07T09:00:00Z"), patch).await.expect(200);
    assert_eq!((&moved["id"], &moved["start"]), (&made["id"], &json!("2026-11-23T11:00:00.000Z")));
    assert_eq!(moved["end"], "2026-11-23T12:00:00.000Z");
    assert_eq!(moved["recurrence"], "FREQ=WEEKLY");
}

#[tokio::test]
async fn removing_this_and_following_ends_the_series_before_it() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let admin = app.acme(Role::Admin).await;
    let (path, _) = series(&admin).await;
    let missing = admin.delete(&format!("{path}?scope=following")).await;
    missing.refused("invalid");
    assert!(missing.body["error"]["fields"]["occurrence"].is_string());
    let target = |day: &str| format!("{path}?scope=following&occurrence=2026-{day}T09:00:00Z");
    admin.delete(&target("12-01")).await.refused("invalid");
    member.delete(&target("12-07")).await.refused("forbidden");
    admin.delete(&target("12-07")).await.expect(204);
    assert_eq!(listed(&member).await, ["Review 2026-11-23T09:00:00.000Z", "Review 2026-11-30T09:00:00.000Z"]);
    admin.delete(&target("11-30")).await.expect(204);
    assert_eq!(listed(&member).await, ["Review 2026-11-23T09:00:00.000Z"]);
    assert!(member.get(&path).await.expect(200).get("recurrence").is_none(), "a single time does not repeat");
    admin.delete(&target("11-23")).await.expect(204);
    member.get(&path).await.refused("not_found");
}
