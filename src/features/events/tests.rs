//! Events over HTTP.

use std::{
    future::{Future, poll_fn},
    task::Poll,
};

use serde_json::{Value, json};

use super::occurrences::{Span, recurring, repeat};
use crate::{
    kernel::Timestamp,
    people::permission::Role,
    testing::{As, TestApp},
};

fn meeting() -> Value {
    json!({"title": "Meeting", "start": "2026-11-23T10:00:00+01:00", "end": "2026-11-23T11:00:00+01:00"})
}

fn with(mut body: Value, mut more: Value) -> Value {
    body.as_object_mut().unwrap().append(more.as_object_mut().unwrap());
    body
}

async fn event(caller: &As, body: Value) -> Value {
    caller.post("/api/events", body).await.expect(201)
}

fn path(event: &Value) -> String {
    format!("/api/events/{}", event["id"].as_str().unwrap())
}

/// Returns title and start of all occurrences in a span.
async fn within(caller: &As, from: &str, to: &str) -> Vec<String> {
    let from = from.replace('+', "%2B");
    let to = to.replace('+', "%2B");
    let answer = caller.get(&format!("/api/events?from={from}&to={to}")).await.expect(200);
    let items = answer["items"].as_array().unwrap();
    assert_eq!(answer["total"], items.len());
    let text = |item: &Value, name: &str| item[name].as_str().unwrap_or("-").to_owned();
    items.iter().map(|item| format!("{} {}", text(item, "title"), text(item, "occurrence"))).collect()
}

#[tokio::test]
async fn an_event_is_written_read_changed_and_removed() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let colleague = app.acme(Role::Viewer).await;
    let body = with(
        meeting(),
        json!({"location": "Room 1", "color": "teal", "reminders": [30, 5, 30],
            "attendees": [{"memberId": colleague.id}, {"memberId": colleague.id}]}),
    );
    let made = member.post("/api/events", body).await;
    assert_eq!(made.tagged_version(), 1);
    let made = made.expect(201);
    assert_eq!((made["allDay"].as_bool(), made["start"].as_str()), (Some(false), Some("2026-11-23T09:00:00.000Z")));
    assert_eq!((&made["timezone"], &made["reminders"]), (&json!("UTC"), &json!([5, 30])));
    assert_eq!(made["attendees"], json!([{"memberId": colleague.id}]));
    assert!(made.get("startDate").is_none() && made.get("recurrence").is_none(), "{made}");
    assert_eq!(member.get(&path(&made)).await.expect(200), made);

    let patch = json!({"title": "Long meeting", "end": "2026-11-23T12:00:00Z", "location": null});
    let changed = member.send_with("PATCH", &path(&made), Some(patch), &[("if-match", "\"1\"")]).await.expect(200);
    assert_eq!((changed["end"].as_str(), changed.get("location")), (Some("2026-11-23T12:00:00.000Z"), None));
    assert_eq!((changed["start"].as_str(), changed["color"].as_str()), (made["start"].as_str(), Some("teal")));
    let stale = member.send_with("PATCH", &path(&made), Some(json!({"title": "x"})), &[("if-match", "\"1\"")]).await;
    stale.refused("stale_version");
    member.delete(&path(&made)).await.expect(204);
    member.get(&path(&made)).await.refused("record_in_bin");
    assert!(within(&member, "2026-11-01", "2026-12-01").await.is_empty());
}

#[tokio::test]
async fn event_switches_between_timed_and_all_day() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let made = event(&member, meeting()).await;
    let day = member.patch(&path(&made), json!({"allDay": true, "startDate": "2026-11-23"})).await.expect(200);
    assert_eq!((day["startDate"].as_str(), day["endDate"].as_str()), (Some("2026-11-23"), Some("2026-11-23")));
    assert!(day.get("start").is_none() && day.get("timezone").is_none());
    let answer = member.patch(&path(&made), json!({"start": "2026-11-23T10:00:00Z"})).await;
    answer.refused("invalid");
    assert!(answer.body["error"]["fields"]["start"].is_string());
    let answer = member.patch(&path(&made), json!({"allDay": false})).await;
    assert_eq!(answer.body["error"]["fields"].as_object().unwrap().len(), 2, "start and end are missing");
    let times = json!({"allDay": false, "start": "2026-11-23T10:00:00Z", "end": "2026-11-23T10:00:00Z"});
    assert_eq!(member.patch(&path(&made), times).await.expect(200)["allDay"], false);
}

#[tokio::test]
async fn list_returns_only_events_that_overlap_the_span() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let timed = |title: &str, start: &str, end: &str| json!({"title": title, "start": start, "end": end});
    for body in [
        timed("before", "2026-11-22T22:00:00Z", "2026-11-23T00:00:00Z"),
        timed("into", "2026-11-22T22:00:00Z", "2026-11-23T00:00:01Z"),
        timed("instant", "2026-11-23T00:00:00Z", "2026-11-23T00:00:00Z"),
        timed("over", "2026-11-23T23:00:00Z", "2026-11-24T05:00:00Z"),
        timed("after", "2026-11-24T00:00:00Z", "2026-11-24T01:00:00Z"),
        timed("week", "2026-11-18T00:00:00Z", "2026-11-24T00:00:00Z"),
        timed("year", "2026-01-01T00:00:00Z", "2026-12-31T00:00:00Z"),
        json!({"title": "day", "allDay": true, "startDate": "2026-11-23"}),
        json!({"title": "days", "allDay": true, "startDate": "2026-11-03", "endDate": "2026-11-23"}),
        json!({"title": "yesterday", "allDay": true, "startDate": "2026-11-22"}),
        json!({"title": "tomorrow", "allDay": true, "startDate": "2026-11-24"}),
    ] {
        event(&member, body).await;
    }
    let expected = [
        "year 2026-01-01T00:00:00.000Z",
        "days 2026-11-03",
        "week 2026-11-18T00:00:00.000Z",
        "into 2026-11-22T22:00:00.000Z",
        "instant 2026-11-23T00:00:00.000Z",
        "day 2026-11-23",
        "over 2026-11-23T23:00:00.000Z",
    ];
    assert_eq!(within(&member, "2026-11-23", "2026-11-24").await, expected);
    assert_eq!(within(&member, "2026-11-23T00:00:00Z", "2026-11-24T00:00:00Z").await, expected);
    assert_eq!(within(&member, "2026-11-23T01:00:00+01:00", "2026-11-24T00:00:00Z").await, expected);
}

#[tokio::test]
async fn weekly_event_keeps_its_local_time_across_clock_changes() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    // Madrid leaves summer time on 25 October 2026: from UTC+2 to UTC+1.
    let body = json!({"title": "m", "start": "2026-10-12T09:00:00+02:00", "end": "2026-10-12T10:00:00+02:00",
        "timezone": "Europe/Madrid", "recurrence": "RRULE:FREQ=WEEKLY;BYDAY=MO"});
    let made = event(&member, body).await;
    assert_eq!(made["recurrence"], "FREQ=WEEKLY;BYDAY=MO");
    let all = within(&member, "2026-10-01", "2026-11-10").await;
    assert_eq!(
        all,
        [
            "m 2026-10-12T07:00:00.000Z",
            "m 2026-10-19T07:00:00.000Z",
            "m 2026-10-26T08:00:00.000Z",
            "m 2026-11-02T08:00:00.000Z",
            "m 2026-11-09T08:00:00.000Z",
        ]
    );
    let answer = member.get("/api/events?from=2027-03-22&to=2027-04-06").await.expect(200);
    let first = &answer["items"][0];
    assert_eq!((&first["eventId"], &first["id"]), (&made["id"], &made["id"]));
    assert_eq!(
        (first["start"].as_str(), first["end"].as_str()),
        (Some("2027-03-22T08:00:00.000Z"), Some("2027-03-22T09:00:00.000Z"))
    );
    assert_eq!(answer["items"][1]["start"], "2027-03-29T07:00:00.000Z", "summer time again");
}

#[tokio::test]
async fn skipped_local_time_moves_an_hour_and_a_repeated_one_occurs_once() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let body = json!({"title": "m", "start": "2026-03-27T02:30:00+01:00", "end": "2026-03-27T02:45:00+01:00",
        "timezone": "Europe/Madrid", "recurrence": "FREQ=DAILY"});
    event(&member, body).await;
    assert_eq!(
        within(&member, "2026-03-28", "2026-03-31").await,
        ["m 2026-03-28T01:30:00.000Z", "m 2026-03-29T01:30:00.000Z", "m 2026-03-30T00:30:00.000Z"]
    );
    assert_eq!(
        within(&member, "2026-10-24", "2026-10-27").await,
        ["m 2026-10-24T00:30:00.000Z", "m 2026-10-25T00:30:00.000Z", "m 2026-10-26T01:30:00.000Z"]
    );
    assert_eq!(within(&member, "2026-10-25T00:40:00Z", "2026-10-25T02:00:00Z").await, ["m 2026-10-25T00:30:00.000Z"]);
}

#[tokio::test]
async fn all_day_event_stays_on_its_date_in_every_time_zone() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let body = json!({"title": "d", "allDay": true, "startDate": "2026-11-24", "recurrence": "FREQ=YEARLY;COUNT=3"});
    event(&member, body).await;
    for zone in ["UTC", "Pacific/Kiritimati", "Pacific/Pago_Pago"] {
        member.patch("/api/common/user", json!({"timezone": zone})).await.expect(200);
        assert_eq!(within(&member, "2026-11-24", "2026-11-25").await, ["d 2026-11-24"], "{zone}");
        assert!(within(&member, "2026-11-23", "2026-11-24").await.is_empty(), "{zone}");
        assert!(within(&member, "2026-11-25", "2026-11-26").await.is_empty(), "{zone}");
        assert_eq!(within(&member, "2028-11-01", "2028-12-01").await, ["d 2028-11-24"], "{zone}");
        assert!(within(&member, "2029-11-01", "2029-12-01").await.is_empty(), "{zone}");
    }
}

#[tokio::test]
async fn long_occurrence_is_found_until_its_last_day() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let body = json!({"title": "d", "allDay": true, "startDate": "2026-01-30", "endDate": "2026-02-08",
        "recurrence": "FREQ=MONTHLY;BYMONTHDAY=30;UNTIL=20260601"});
    event(&member, body).await;
    assert_eq!(within(&member, "2026-06-08", "2026-06-09").await, ["d 2026-05-30"]);
    assert!(within(&member, "2026-06-09", "2026-06-10").await.is_empty());
}

/// Valid rules whose expansion is most expensive.
const DEAR_RULES: [&str; 8] = [
    "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=29;BYDAY=FR",
    "FREQ=DAILY;INTERVAL=366;BYMONTH=2;BYMONTHDAY=29",
    "FREQ=MONTHLY;BYMONTHDAY=29;BYMONTH=2;BYDAY=-1SU",
    "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR,SA,SU;BYSETPOS=31,-31",
    "FREQ=YEARLY;INTERVAL=7;BYMONTH=2;BYMONTHDAY=29;BYDAY=FR",
    "FREQ=YEARLY;BYWEEKNO=53;BYYEARDAY=1,2,3;BYDAY=SU",
    "FREQ=YEARLY;BYDAY=MO,TU,WE,TH,FR,SA,SU;BYSETPOS=366,-366",
    "FREQ=YEARLY;BYYEARDAY=365;COUNT=1000",
];

/// Creates events with the most expensive rules, each of the maximum length, that began long ago.
async fn dear_events(member: &As) {
    for rule in DEAR_RULES {
        let body = json!({"title": "d", "allDay": true, "startDate": "1900-01-01", "endDate": "1901-01-01"});
        event(member, with(body, json!({"recurrence": rule}))).await;
    }
}

#[tokio::test]
async fn reading_a_span_takes_bounded_steps_per_event_for_any_rule() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    dear_events(&member).await;
    let snapshot = app.app.store().snapshot().unwrap();
    for (from, to) in [("2026-11-23", "2026-11-24"), ("2199-01-01", "2200-01-01"), ("9990-01-01", "9990-12-31")] {
        let span = Span::parse(from, to, "UTC").unwrap();
        let mut events = 0;
        recurring(&snapshot.tenant(app.acme.id, None), &span, |event, _| {
            events += 1;
            let steps = repeat(&span, event, |_| true);
            // The span, the event's length, and the years that they touch.
            assert!(steps <= 4 * 366, "{:?} takes {steps} steps for {from}", event.recurrence);
        })
        .unwrap();
        assert!(events >= DEAR_RULES.len() - 1, "only the one that is counted may be over");
    }
}

#[tokio::test]
async fn tenant_that_expands_costly_rules_does_not_delay_another() {
    let app = TestApp::with(|config| config.limits.requests_per_company = 2).await;
    let noisy = app.acme(Role::Member).await;
    let quiet = app.other(Role::Member).await;
    dear_events(&noisy).await;
    event(&quiet, meeting()).await;
    let year = "/api/events?from=2199-01-01&to=2200-01-01";
    let mut under_way = Vec::new();
    for _ in 0..4 {
        let mut answer = Box::pin(noisy.get(year));
        let poll = poll_fn(|cx| Poll::Ready(answer.as_mut().poll(cx).is_pending())).await;
        assert!(poll, "two are worked on, two wait");
        under_way.push(answer);
    }
    noisy.get(year).await.refused("slow_down");
    assert_eq!(within(&quiet, "2026-11-01", "2026-12-01").await.len(), 1);
    quiet.get("/api/tasks").await.expect(200);
    for answer in under_way {
        answer.await.expect(200);
    }
    // The rules are expanded on another thread: the one that takes requests has many turns during that time, at the latest
    // when it gets a processor.
    let mut most = 0;
    for _ in 0..100 {
        if most > 100 {
            break;
        }
        let mut answer = Box::pin(noisy.get(year));
        let mut turns = 0;
        while poll_fn(|cx| Poll::Ready(answer.as_mut().poll(cx).is_pending())).await {
            turns += 1;
            tokio::task::yield_now().await;
        }
        most = most.max(turns);
    }
    assert!(most > 100, "{most}");
}

#[tokio::test]
async fn rejects_unusable_rules_naming_the_field_and_reason() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    for (rule, text) in [
        ("FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=30", "read"),
        ("FREQ=MINUTELY;BYSETPOS=3", "read"),
        ("FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30", "never repeats"),
        ("FREQ=DAILY;UNTIL=20200101", "ends before"),
        ("FREQ=YEARLY;BYYEARDAY=366;BYDAY=SU;COUNT=1000", "too rarely"),
    ] {
        let answer = member.post("/api/events", with(meeting(), json!({"recurrence": rule}))).await;
        answer.refused("invalid");
        let said = answer.body["error"]["fields"]["recurrence"].as_str().unwrap();
        assert!(said.contains(text), "{rule}: {said}");
    }
}

#[tokio::test]
async fn counted_rule_ends_with_its_last_occurrence() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let body = json!({"title": "m", "start": "2026-01-31T23:30:00-05:00", "end": "2026-02-02T01:00:00-05:00",
        "timezone": "America/New_York", "recurrence": "FREQ=MONTHLY;BYMONTHDAY=-1;COUNT=5"});
    event(&member, body).await;
    let all = within(&member, "2026-01-01", "2026-12-31").await;
    let june = "m 2026-06-01T03:30:00.000Z";
    assert_eq!((all.len(), all.last().map(String::as_str)), (5, Some(june)));
    assert_eq!(within(&member, "2026-05-31", "2026-12-31").await, [june]);
    assert!(within(&member, "2026-06-03", "2026-12-31").await.is_empty());
}

#[tokio::test]
async fn crowded_span_returns_the_earliest_2000_and_reports_more() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    for hour in 0..7 {
        let start = format!("2026-01-01T{hour:02}:00:00Z");
        let body = json!({"title": "m", "start": start, "end": start, "recurrence": "FREQ=DAILY"});
        event(&member, body).await;
    }
    let year = member.get("/api/events?from=2026-01-01&to=2027-01-01").await.expect(200);
    let items = year["items"].as_array().unwrap();
    assert_eq!((items.len(), year["more"].as_bool()), (2_000, Some(true)));
    assert_eq!(items[1_999]["start"], "2026-10-13T04:00:00.000Z", "the 2,000th of seven a day");
    assert!(items.is_sorted_by_key(|item| item["start"].as_str().unwrap()));
    let month = member.get("/api/events?from=2026-02-01&to=2026-03-01").await.expect(200);
    assert_eq!((month["total"].as_u64(), month["more"].as_bool()), (Some(196), Some(false)));
}

#[tokio::test]
async fn rejects_invalid_and_too_long_spans() {
    let app = TestApp::new().await;
    let viewer = app.acme(Role::Viewer).await;
    for (query, field) in [
        ("from=yesterday&to=2026-11-24", "from"),
        ("from=2026-11-23T10:00:00&to=2026-11-24", "from"),
        ("from=2026-11-23&to=x", "to"),
        ("from=2026-11-23&to=2026-11-23", "to"),
        ("from=2026-11-23&to=2026-11-22", "to"),
        ("from=2026-11-23&to=2027-11-26", "to"),
    ] {
        let answer = viewer.get(&format!("/api/events?{query}")).await;
        answer.refused("invalid");
        assert!(answer.body["error"]["fields"][field].is_string(), "{query}");
    }
    viewer.get("/api/events").await.refused("bad_request");
    viewer.get("/api/events?from=2024-01-01&to=2025-01-01").await.expect(200);
}

#[tokio::test]
async fn rejects_invalid_input_naming_the_field() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let stranger = app.other(Role::Member).await;
    for (more, field) in [
        (json!({"title": " "}), "title"),
        (json!({"description": "x".repeat(5_001)}), "description"),
        (json!({"location": "x".repeat(301)}), "location"),
        (json!({"color": "mauve"}), "color"),
        (json!({"end": "2026-11-23T08:59:59Z"}), "end"),
        (json!({"end": "2028-11-23T08:59:59Z"}), "end"),
        (json!({"start": "1800-01-01T00:00:00Z", "end": "1800-01-01T00:00:00Z"}), "start"),
        (json!({"start": null}), "start"),
        (json!({"timezone": "Mars/Olympus"}), "timezone"),
        (json!({"startDate": "2026-11-23"}), "startDate"),
        (json!({"allDay": true, "startDate": "2026-11-23"}), "start"),
        (json!({"recurrence": "FREQ=HOURLY"}), "recurrence"),
        (json!({"recurrence": "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30"}), "recurrence"),
        (json!({"recurrence": "FREQ=DAILY;UNTIL=20261101"}), "recurrence"),
        (json!({"reminders": [1, 2, 3, 4, 5, 6]}), "reminders"),
        (json!({"reminders": [5, 40_321]}), "reminders.1"),
        (json!({"attendees": [{}]}), "attendees.0"),
        (json!({"attendees": [{"memberId": stranger.id}]}), "attendees.0.memberId"),
        (json!({"attendees": [{"memberId": member.id}, {"customerId": member.id}]}), "attendees.1.customerId"),
    ] {
        let answer = member.post("/api/events", with(meeting(), more.clone())).await;
        answer.refused("invalid");
        assert!(answer.body["error"]["fields"][field].is_string(), "{more}: {}", answer.body);
    }
    for bad in [json!({"start": "2026-11-23T10:00:00"}), json!({"mood": "good"}), json!({"reminders": [-1]})] {
        assert_eq!(member.post("/api/events", with(meeting(), bad)).await.status, 400);
    }
    let all_day = json!({"title": "d", "allDay": true, "startDate": "2026-11-23", "endDate": "2026-11-22"});
    let answer = member.post("/api/events", all_day).await;
    assert!(answer.body["error"]["fields"]["endDate"].is_string());
}

#[tokio::test]
async fn customers_can_be_attendees() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let stranger = app.other(Role::Member).await;
    let customer = member.post("/api/customers", json!({"name": "Ana"})).await.expect(201);
    let foreign = stranger.post("/api/customers", json!({"name": "Eva"})).await.expect(201);
    let attendees = json!([{"customerId": customer["id"]}]);
    assert_eq!(event(&member, with(meeting(), json!({"attendees": attendees}))).await["attendees"], attendees);
    let answer =
        member.post("/api/events", with(meeting(), json!({"attendees": [{"customerId": foreign["id"]}]}))).await;
    answer.refused("invalid");
    assert!(answer.body["error"]["fields"]["attendees.0.customerId"].is_string());
}

#[tokio::test]
async fn removed_member_stays_an_attendee() {
    let app = TestApp::new().await;
    let owner = app.acme(Role::Owner).await;
    let member = app.acme(Role::Member).await;
    let viewer = app.acme(Role::Viewer).await;
    let made = event(&member, with(meeting(), json!({"attendees": [{"memberId": viewer.id}]}))).await;
    owner.delete(&format!("/api/team/{}", viewer.id)).await.expect(204);
    let kept = member.patch(&path(&made), json!({"title": "Still"})).await.expect(200);
    assert_eq!(kept["attendees"], made["attendees"]);
}

#[tokio::test]
async fn enforces_role_permissions_and_hides_records_from_other_tenants() {
    let app = TestApp::new().await;
    let (admin, member, viewer) =
        (app.acme(Role::Admin).await, app.acme(Role::Member).await, app.acme(Role::Viewer).await);
    let of_admin = event(&admin, meeting()).await;
    viewer.get(&path(&of_admin)).await.expect(200);
    viewer.post("/api/events", meeting()).await.refused("forbidden");
    viewer.patch(&path(&of_admin), json!({"title": "x"})).await.refused("forbidden");
    viewer.delete(&path(&of_admin)).await.refused("forbidden");
    member.patch(&path(&of_admin), json!({"title": "Ours"})).await.expect(200);
    member.delete(&path(&of_admin)).await.refused("forbidden");
    let of_member = event(&member, meeting()).await;
    admin.delete(&path(&of_member)).await.expect(204);
    let stranger = app.other(Role::Owner).await;
    stranger.get(&path(&of_admin)).await.refused("not_found");
    stranger.patch(&path(&of_admin), json!({"title": "x"})).await.refused("not_found");
    stranger.delete(&path(&of_admin)).await.refused("not_found");
    assert!(within(&stranger, "2026-11-01", "2026-12-01").await.is_empty());
    app.anonymous("GET", "/api/events?from=2026-11-01&to=2026-12-01", None).await.refused("not_signed_in");
}

#[tokio::test]
async fn retry_with_the_same_key_creates_one_event() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let key = [("idempotency-key", "k1")];
    let first = member.send_with("POST", "/api/events", Some(meeting()), &key).await.expect(201);
    let second = member.send_with("POST", "/api/events", Some(meeting()), &key).await.expect(201);
    assert_eq!(first, second);
    assert_eq!(within(&member, "2026-11-01", "2026-12-01").await.len(), 1);
}

/// Advances the clock to an instant and returns today's event count for a member in a time zone.
async fn today_at(app: &TestApp, zone: &str, now: &str) -> i64 {
    let now: Timestamp = now.parse().unwrap();
    app.clock.advance(now.millis() - app.clock.now().millis());
    let member = app.acme(Role::Member).await;
    member.patch("/api/common/user", json!({"timezone": zone})).await.expect(200);
    let today = member.get("/api/dashboards/project").await.expect(200)["today"]["events"].as_i64().unwrap();
    let navigation = member.get("/api/global/navigation").await.expect(200).to_string();
    let badge = format!("\"badge\":{{\"title\":\"{today}\"");
    assert!(today == 0 || navigation.contains(&badge), "the badge says the same: {badge} {navigation}");
    today
}

#[tokio::test]
async fn today_counts_events_of_the_local_day() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let daily = |title: &str, start: &str, end: &str| json!({"title": title, "start": start, "end": end, "timezone": "Europe/Madrid", "recurrence": "FREQ=DAILY"});
    event(&member, daily("late", "2026-10-01T23:30:00+02:00", "2026-10-01T23:45:00+02:00")).await;
    event(&member, daily("early", "2026-10-01T00:15:00+02:00", "2026-10-01T00:30:00+02:00")).await;
    event(&member, json!({"title": "day", "allDay": true, "startDate": "2026-10-25"})).await;
    let zone = "Europe/Madrid";
    let utc = "UTC";
    assert_eq!(today_at(&app, zone, "2026-10-24T12:00:00Z").await, 2, "the day before the clocks go back");
    assert_eq!(today_at(&app, zone, "2026-10-24T21:59:59Z").await, 2, "the last second of it");
    assert_eq!(today_at(&app, zone, "2026-10-24T22:00:00Z").await, 3, "the first of the day with 25 hours");
    assert_eq!(today_at(&app, zone, "2026-10-25T22:59:59Z").await, 3, "the last of it");
    assert_eq!(today_at(&app, zone, "2026-10-25T23:00:00Z").await, 2);
    assert_eq!(today_at(&app, utc, "2026-10-24T12:00:00Z").await, 2, "21:30 and 22:15 in UTC");
    assert_eq!(today_at(&app, zone, "2027-03-28T12:00:00Z").await, 2, "the day with 23 hours");
    assert_eq!(today_at(&app, zone, "2026-09-30T21:59:59Z").await, 0, "before the first time");
    assert_eq!(today_at(&app, zone, "2026-09-30T22:00:00Z").await, 2);
}

#[tokio::test]
async fn starts_are_counted_by_local_day() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    event(&member, json!({"title": "once", "start": "2026-11-16T18:20:00Z", "end": "2026-11-16T19:00:00Z"})).await;
    event(&member, json!({"title": "day", "allDay": true, "startDate": "2026-11-17"})).await;
    let weekly = json!({"title": "weekly", "start": "2026-11-02T12:00:00Z", "end": "2026-11-02T13:00:00Z",
        "recurrence": "FREQ=WEEKLY;BYDAY=MO,FR"});
    let weekly = event(&member, weekly).await;
    let starts_until = |zone: &'static str, now: &'static str| {
        let first = "2026-11-16".parse().unwrap();
        let end = "2026-11-23".parse().unwrap();
        let now = now.parse().unwrap();
        let snapshot = app.app.store().snapshot().unwrap();
        let days = super::started(&snapshot.tenant(app.acme.id, None), first, end, now, zone);
        days.unwrap().into_iter().map(|(day, count)| format!("{day} {count}")).collect::<Vec<_>>()
    };
    let starts = |zone| starts_until(zone, "2026-11-24T00:00:00Z");
    assert_eq!(starts("UTC"), ["2026-11-16 2", "2026-11-17 1", "2026-11-20 1"]);
    // 18:20 UTC is 00:05 in Kathmandu.
    assert_eq!(starts("Asia/Kathmandu"), ["2026-11-16 1", "2026-11-17 2", "2026-11-20 1"]);
    // What is still to come does not count: neither a single event, nor a recurring one, nor a whole day.
    assert_eq!(starts_until("UTC", "2026-11-16T11:59:59Z"), Vec::<String>::new());
    assert_eq!(starts_until("UTC", "2026-11-16T18:19:59Z"), ["2026-11-16 1"]);
    assert_eq!(starts_until("UTC", "2026-11-16T18:20:00Z"), ["2026-11-16 2"]);
    assert_eq!(starts_until("Asia/Kathmandu", "2026-11-16T18:14:59Z"), ["2026-11-16 1"]);
    assert_eq!(starts_until("Asia/Kathmandu", "2026-11-16T18:15:00Z"), ["2026-11-16 1", "2026-11-17 1"]);
    assert_eq!(starts_until("UTC", "2026-11-20T11:00:00Z"), ["2026-11-16 2", "2026-11-17 1"]);
    member.delete(&path(&weekly)).await.expect(204);
    assert_eq!(starts("UTC"), ["2026-11-16 1", "2026-11-17 1"]);
}

/// The kind of fault: a response grows with the texts of records, and beyond 16 MiB it is refused for ever. Reported: a month of
/// 24 daily events with long descriptions. Neighbours: events that begin at the same time, that began before the span, and on
/// whole days; a foreign cursor.
#[tokio::test]
async fn occurrences_of_large_events_are_read_page_by_page() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let large = "😀".repeat(5_000);
    for hour in 0..20 {
        let start = format!("2026-01-01T{:02}:00:00Z", hour % 10);
        let body =
            json!({"title": "m", "start": start, "end": start, "recurrence": "FREQ=DAILY", "description": large});
        event(&member, body).await;
    }
    for _ in 0..4 {
        let long =
            json!({"title": "l", "start": "2026-01-01T00:00:00Z", "end": "2026-12-31T00:00:00Z", "description": large});
        event(&member, long).await;
        let days = json!({"title": "d", "allDay": true, "startDate": "2026-01-30", "recurrence": "FREQ=DAILY",
            "description": large});
        event(&member, days).await;
    }
    let month = "/api/events?from=2026-02-01&to=2026-03-01";
    let mut seen = Vec::new();
    let mut path = month.to_owned();
    for _ in 0..10 {
        let page = member.get(&path).await.expect(200);
        let items = page["items"].as_array().unwrap();
        assert!((1..250).contains(&items.len()), "{}", items.len());
        seen.extend(items.iter().map(|one| (one["eventId"].to_string(), one["occurrence"].to_string())));
        assert_eq!(page["more"], page.get("nextCursor").is_some());
        let Some(cursor) = page.get("nextCursor") else { break };
        path = format!("{month}&cursor={}", cursor.as_str().unwrap());
    }
    let all = seen.len();
    assert_eq!(all, 28 * (20 + 4) + 4);
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), all, "each once");
    assert_ne!(path, month);
    let elsewhere = path.replace("2026-02-01", "2026-02-02");
    member.get(&elsewhere).await.refused("bad_request");
    let light = member.get("/api/events?from=2026-02-01&to=2026-02-02").await.expect(200);
    assert_eq!((&light["more"], light.get("nextCursor")), (&json!(false), None));
}
