//! Dashboards over HTTP. The tests begin on Saturday, 21 November 2026, 09:30 UTC.

use serde_json::{Value, json};

use crate::{
    people::permission::Role,
    testing::{As, TestApp},
};

const HOUR: i64 = 3_600_000;
const DAY: i64 = 24 * HOUR;

pub(super) async fn project(caller: &As) -> Value {
    caller.get("/api/dashboards/project").await.expect(200)
}

async fn make(caller: &As, path: &str, body: Value) -> Value {
    caller.post(path, body).await.expect(201)
}

async fn task(caller: &As, title: &str, due: Option<&str>) -> String {
    let mut body = json!({"title": title});
    if let Some(due) = due {
        body["dueDate"] = due.into();
    }
    format!("/api/tasks/{}", make(caller, "/api/tasks", body).await["id"].as_str().unwrap())
}

async fn complete(caller: &As, path: &str, completed: bool) {
    caller.patch(path, json!({"completed": completed})).await.expect(200);
}

/// Returns the recent changes, newest first: kind, operation and title.
pub(super) fn activity(dashboard: &Value) -> Vec<String> {
    let text = |value: &Value| value.as_str().unwrap_or("-").to_owned();
    let line = |item: &Value| format!("{} {} {}", text(&item["kind"]), text(&item["op"]), text(&item["title"]));
    dashboard["activity"].as_array().unwrap().iter().map(line).collect()
}

#[tokio::test]
async fn dashboards_work_for_an_empty_tenant() {
    let app = TestApp::new().await;
    let viewer = app.acme(Role::Viewer).await;
    let dashboard = project(&viewer).await;
    assert_eq!(dashboard["today"], json!({"events": 0, "tasks": 0}));
    let flow = dashboard["flow"].as_array().unwrap();
    assert_eq!((flow.len(), &flow[0]["date"], &flow[13]["date"]), (14, &json!("2026-11-08"), &json!("2026-11-21")));
    assert_eq!(dashboard["upcoming"], json!([]));
    assert_eq!(activity(&dashboard).len(), 4, "the four members were made");
    assert_eq!(dashboard["activity"][0]["actor"], json!({"name": "Server administrator", "avatar": null}));
    let analytics = viewer.get("/api/dashboards/analytics").await.expect(200);
    assert_eq!(analytics["customers"]["series"].as_array().unwrap().len(), 30);
    assert_eq!(analytics["customers"]["byStatus"].as_array().unwrap().len(), 3);
    for path in ["project?days=0", "project?days=367", "analytics?days=0", "analytics?days=1000"] {
        let answer = viewer.get(&format!("/api/dashboards/{path}")).await;
        answer.refused("invalid");
        assert!(answer.body["error"]["fields"]["days"].is_string());
    }
    app.anonymous("GET", "/api/dashboards/project", None).await.refused("not_signed_in");
}

#[tokio::test]
async fn tasks_are_compared_with_a_week_ago() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    member.patch("/api/common/user", json!({"region": {"firstDay": "monday"}})).await.expect(200);
    // Saturday, 21 November: the first week.
    let old = task(&member, "Old", Some("2026-11-20")).await;
    let early = task(&member, "Early", Some("2026-11-28")).await;
    complete(&member, &early, true).await;
    task(&member, "Today", Some("2026-11-29")).await;
    task(&member, "Yesterday", Some("2026-11-28")).await;
    // Sunday, 29 November: the second week.
    app.clock.advance(8 * DAY);
    let member = app.acme(Role::Member).await;
    let new = task(&member, "New", None).await;
    complete(&member, &new, true).await;
    complete(&member, &old, true).await;
    let stays = task(&member, "Stays", Some("2026-11-01")).await;
    let dashboard = project(&member).await;
    assert_eq!(
        dashboard["tasks"],
        json!({
            "dueToday": 1, "overdue": 2, "overdueLastWeek": 1,
            "doneThisWeek": 2, "doneLastWeek": 1, "doneComparable": false,
            "open": 3, "openLastWeek": 3, "openComparable": true,
        })
    );
    let flow = dashboard["flow"].as_array().unwrap();
    assert_eq!(flow[13], json!({"date": "2026-11-29", "created": 2, "completed": 2}));
    assert_eq!(flow[5], json!({"date": "2026-11-21", "created": 4, "completed": 1}));
    let longer = member.get("/api/dashboards/project?days=90").await.expect(200);
    assert_eq!((longer["flow"].as_array().unwrap().len(), &longer["flow"][89]), (90, &flow[13]));
    assert_eq!(dashboard["today"]["tasks"], 1);

    member.delete(&stays).await.expect(204);
    assert_eq!(project(&member).await["tasks"]["open"], 2);
    let stranger = app.other(Role::Owner).await;
    assert_eq!(project(&stranger).await["tasks"]["open"], 0);
}

#[tokio::test]
async fn last_week_counts_use_the_task_state_of_that_day() {
    let app = TestApp::new().await;
    // Saturday, 21 November.
    let member = app.acme(Role::Member).await;
    task(&member, "Stays overdue", Some("2026-11-18")).await;
    task(&member, "Due since", Some("2026-11-23")).await;
    let completed = task(&member, "Completed since", Some("2026-11-20")).await;
    let moved = task(&member, "Moved since", Some("2026-11-19")).await;
    let reopened = task(&member, "Reopened since", Some("2026-11-10")).await;
    complete(&member, &reopened, true).await;
    let removed = task(&member, "Removed since", Some("2026-11-11")).await;
    // Thursday, 26 November.
    app.clock.advance(5 * DAY);
    let member = app.acme(Role::Member).await;
    complete(&member, &completed, true).await;
    member.patch(&moved, json!({"dueDate": "2026-12-20"})).await.expect(200);
    complete(&member, &reopened, false).await;
    member.delete(&removed).await.expect(204);
    for title in ["New", "New, too"] {
        task(&member, title, Some("2026-11-01")).await;
    }
    // A change that is reverted on the same day has no effect.
    let back = task(&member, "Back", Some("2026-11-02")).await;
    complete(&member, &back, true).await;
    // Saturday, 28 November.
    app.clock.advance(2 * DAY);
    let member = app.acme(Role::Member).await;
    let tasks = project(&member).await["tasks"].clone();
    let figures = |then: &str, now: &str| (tasks[then].as_i64().unwrap(), tasks[now].as_i64().unwrap());
    // Then: stays, completed, moved, removed. Now: stays, due since, reopened, two new ones.
    assert_eq!(figures("overdueLastWeek", "overdue"), (4, 5), "{tasks}");
    // Then: the same and "Due since". Now: the same five and "Moved since".
    assert_eq!(figures("openLastWeek", "open"), (5, 6), "{tasks}");
    // A week later, nothing has changed.
    app.clock.advance(7 * DAY);
    let member = app.acme(Role::Member).await;
    let tasks = project(&member).await["tasks"].clone();
    let figures = |then: &str, now: &str| (tasks[then].as_i64().unwrap(), tasks[now].as_i64().unwrap());
    assert_eq!(figures("overdueLastWeek", "overdue"), (5, 5), "{tasks}");
    assert_eq!(figures("openLastWeek", "open"), (6, 6), "{tasks}");
}

#[tokio::test]
async fn done_tasks_are_compared_up_to_the_same_local_time_last_week() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let place = json!({"timezone": "Pacific/Kiritimati", "region": {"firstDay": "monday"}});
    member.patch("/api/common/user", place).await.expect(200);
    let done = |tasks: &Value| (tasks["doneThisWeek"].as_i64().unwrap(), tasks["doneLastWeek"].as_i64().unwrap());
    // Sunday, 22 November, 09:30 UTC is 23:30 on the same day there: the previous week.
    app.clock.advance(DAY);
    let member = app.acme(Role::Member).await;
    let early = task(&member, "Sunday", None).await;
    complete(&member, &early, true).await;
    assert_eq!(done(&project(&member).await["tasks"]), (1, 0));
    // 12:30 UTC is Monday, 02:30, there.
    app.clock.advance(3 * HOUR);
    let member = app.acme(Role::Member).await;
    assert_eq!(done(&project(&member).await["tasks"]), (0, 0), "a new week has started");
    let first = task(&member, "Monday", None).await;
    complete(&member, &first, true).await;
    assert_eq!(done(&project(&member).await["tasks"]), (1, 0));
    app.clock.advance(HOUR);
    let member = app.acme(Role::Member).await;
    let second = task(&member, "Later on Monday", None).await;
    complete(&member, &second, true).await;
    assert_eq!(done(&project(&member).await["tasks"]), (2, 0));
    // The next Monday, 02:30, at which time one of the two was completed.
    app.clock.advance(7 * DAY - HOUR);
    let member = app.acme(Role::Member).await;
    assert_eq!(done(&project(&member).await["tasks"]), (0, 1));
    app.clock.advance(HOUR);
    let member = app.acme(Role::Member).await;
    assert_eq!(done(&project(&member).await["tasks"]), (0, 2));
    // Wednesday: all of Monday counts.
    app.clock.advance(2 * DAY);
    let member = app.acme(Role::Member).await;
    assert_eq!(done(&project(&member).await["tasks"]), (0, 2));
}

#[tokio::test]
async fn partial_week_is_compared_with_the_same_part_of_last_week() {
    let app = TestApp::new().await;
    // One task is completed on each day from Sunday, 22 November, to Tuesday, 1 December. Weeks begin on Sunday in America.
    app.clock.advance(DAY);
    for day in 0..10 {
        let member = app.acme(Role::Member).await;
        let path = task(&member, "One", None).await;
        complete(&member, &path, true).await;
        let tasks = project(&member).await["tasks"].clone();
        let (this, last) = if day < 7 { (day + 1, 0) } else { (day - 6, day - 6) };
        assert_eq!((&tasks["doneThisWeek"], &tasks["doneLastWeek"]), (&json!(this), &json!(last)), "day {day}");
        app.clock.advance(DAY);
    }
}

#[tokio::test]
async fn today_depends_on_the_callers_time_zone() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    task(&member, "Tomorrow", Some("2026-11-22")).await;
    assert_eq!(project(&member).await["tasks"]["dueToday"], 0);
    member.patch("/api/common/user", json!({"timezone": "Pacific/Kiritimati"})).await.expect(200);
    // 09:30 UTC is 23:30 there; shortly after, it is the next day.
    app.clock.advance(40 * 60_000);
    let member = app.acme(Role::Member).await;
    assert_eq!(project(&member).await["tasks"]["dueToday"], 1);
}

#[tokio::test]
async fn activity_lists_changes_without_private_ones() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let admin = app.acme(Role::Admin).await;
    let path = task(&member, "Call Ana", None).await;
    for completed in [true, false, true] {
        complete(&member, &path, completed).await;
    }
    make(&member, "/api/pages", json!({"title": "Secret draft"})).await;
    let page = make(&member, "/api/pages", json!({"title": "Handbook", "status": "published"})).await;
    make(&member, "/api/customers", json!({"name": "Ana"})).await;
    member.patch("/api/common/user", json!({"status": "away"})).await.expect(200);
    member
        .post(
            "/api/common/shortcuts",
            json!({"shortcut": {"label": "Mine", "icon": "x", "link": "/tasks", "useRouter": true}}),
        )
        .await
        .expect(200);
    let gone = make(&member, "/api/events", json!({"title": "Party", "allDay": true, "startDate": "2026-12-01"})).await;
    admin.delete(&format!("/api/events/{}", gone["id"].as_str().unwrap())).await.expect(204);
    admin.patch(&format!("/api/team/{}", member.id), json!({"title": "Cook"})).await.expect(200);

    let dashboard = project(&member).await;
    let told = activity(&dashboard);
    assert_eq!(
        told[..9],
        [
            "member updated member of acme",
            "event removed Party",
            "event created Party",
            "customer created Ana",
            "page created Handbook",
            "task completed Call Ana",
            "task updated Call Ana",
            "task completed Call Ana",
            "task created Call Ana",
        ]
    );
    assert_eq!(told.len(), 12, "and three of the members: {told:?}");
    let entry = |n: usize| &dashboard["activity"][n];
    assert!(entry(1).get("link").is_none(), "what is gone leads nowhere");
    assert_eq!(entry(4)["link"], format!("/pages/{}", page["id"].as_str().unwrap()));
    assert_eq!(entry(4)["recordId"], page["id"]);
    assert_eq!(entry(0)["actor"]["name"], "admin of acme");
    let owner = app.acme(Role::Owner).await;
    owner.delete(&format!("/api/team/{}", admin.id)).await.expect(204);
    assert_eq!(project(&owner).await["activity"][1]["actor"]["name"], "admin of acme (former member)");
}

#[tokio::test]
async fn shows_workload_and_upcoming_events() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let viewer = app.acme(Role::Viewer).await;
    for (title, who) in [("a", &member), ("b", &viewer), ("c", &viewer)] {
        make(&member, "/api/tasks", json!({"title": title, "assigneeId": who.id})).await;
    }
    let dashboard = project(&member).await;
    let load = |n: usize| (&dashboard["workload"][n]["memberId"], dashboard["workload"][n]["open"].as_i64());
    assert_eq!(load(0), (&json!(viewer.id.to_string()), Some(2)));
    assert_eq!(load(1), (&json!(member.id.to_string()), Some(1)));

    for body in [
        json!({"title": "over", "start": "2026-11-21T08:00:00Z", "end": "2026-11-21T09:00:00Z"}),
        json!({"title": "now", "start": "2026-11-21T09:00:00Z", "end": "2026-11-21T10:00:00Z", "color": "red"}),
        json!({"title": "today", "allDay": true, "startDate": "2026-11-21"}),
        json!({"title": "weekly", "start": "2026-11-02T12:00:00Z", "end": "2026-11-02T13:00:00Z",
            "recurrence": "FREQ=WEEKLY;BYDAY=MO,SA"}),
        json!({"title": "far", "allDay": true, "startDate": "2027-09-01", "endDate": "2027-09-02"}),
    ] {
        make(&member, "/api/events", body).await;
    }
    let dashboard = project(&member).await;
    assert_eq!(dashboard["today"]["events"], 4);
    let upcoming = dashboard["upcoming"].as_array().unwrap();
    let titles: Vec<&str> = upcoming.iter().map(|event| event["title"].as_str().unwrap()).collect();
    assert_eq!(titles, ["today", "now", "weekly", "weekly", "weekly", "weekly"]);
    assert_eq!(upcoming[3]["start"], "2026-11-23T12:00:00.000Z");
    assert_eq!((upcoming[0]["allDay"].as_bool(), upcoming[0]["startDate"].as_str()), (Some(true), Some("2026-11-21")));
    assert!(upcoming[0].get("start").is_none() && upcoming[1].get("startDate").is_none());
}

/// The kind of fault: a figure left out records that its reader sees in the list beside it. Neighbours: due today, overdue,
/// completed, the flow, workload, weeks; members, those who see all, those who see none.
#[tokio::test]
async fn tasks_of_restricted_deals_count_for_those_who_see_them() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let admin = app.acme(Role::Admin).await;
    let viewer = app.acme(Role::Viewer).await;
    let deal = make(&member, "/api/deals", json!({"title": "Secret", "visibility": {"to": "me"}})).await["id"].clone();
    let concerning = async |title: &str, due: &str| {
        let body = json!({"title": title, "dueDate": due, "dealId": deal, "assigneeId": member.id});
        format!("/api/tasks/{}", make(&member, "/api/tasks", body).await["id"].as_str().unwrap())
    };
    concerning("Today", "2026-11-21").await;
    concerning("Yesterday", "2026-11-20").await;
    let done = concerning("Done", "2026-11-20").await;
    complete(&member, &done, true).await;
    task(&admin, "For everyone", Some("2026-11-21")).await;

    for (reader, due, overdue, done, open) in [(&member, 2, 1, 1, 3), (&admin, 2, 1, 1, 3), (&viewer, 1, 0, 0, 1)] {
        let dashboard = project(reader).await;
        let tasks = &dashboard["tasks"];
        assert_eq!((&tasks["dueToday"], &tasks["overdue"]), (&json!(due), &json!(overdue)), "{tasks}");
        assert_eq!((&tasks["doneThisWeek"], &tasks["open"]), (&json!(done), &json!(open)), "{tasks}");
        assert_eq!(dashboard["today"]["tasks"], due);
        let today = &dashboard["flow"][13];
        assert_eq!((&today["created"], &today["completed"]), (&json!(open + done), &json!(done)));
        let load: Vec<(&Value, &Value)> =
            dashboard["workload"].as_array().unwrap().iter().map(|one| (&one["name"], &one["open"])).collect();
        let own = json!("member of acme");
        assert_eq!(load.contains(&(&own, &json!(2))), open == 3, "{load:?}");
        let weeks = reader.get("/api/dashboards/analytics").await.expect(200)["weeks"].clone();
        assert_eq!(weeks.as_array().unwrap().last().unwrap()["tasks"], done);
    }
    // Past numbers of restricted tasks are not kept: nothing is compared for those who see them.
    app.clock.advance(15 * DAY);
    let member = app.acme(Role::Member).await;
    let viewer = app.acme(Role::Viewer).await;
    assert_eq!(project(&member).await["tasks"]["openComparable"], false);
    assert_eq!(project(&viewer).await["tasks"]["openComparable"], true);
}

#[tokio::test]
async fn customers_are_counted_by_day_status_and_tag() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    make(&member, "/api/customers", json!({"name": "Ana", "status": "active", "tags": ["vip", "north"]})).await;
    make(&member, "/api/customers", json!({"name": "Ben", "tags": ["vip"]})).await;
    app.clock.advance(40 * DAY);
    let member = app.acme(Role::Member).await;
    let eva = make(&member, "/api/customers", json!({"name": "Eva", "status": "inactive"})).await;
    let day = |date: &str, total: i64| json!({"date": date, "total": total});
    let analytics = member.get("/api/dashboards/analytics?days=30").await.expect(200);
    let customers = &analytics["customers"];
    assert_eq!(customers["total"], 3);
    let series = customers["series"].as_array().unwrap();
    assert_eq!(
        (&series[0], &series[28], &series[29]),
        (&day("2026-12-02", 2), &day("2026-12-30", 2), &day("2026-12-31", 3))
    );
    assert_eq!(
        customers["byStatus"],
        json!([
            {"status": "lead", "name": "Lead", "color": "blue", "count": 1},
            {"status": "active", "name": "Active", "color": "green", "count": 1},
            {"status": "inactive", "name": "Inactive", "color": "gray", "count": 1},
        ])
    );
    assert_eq!(customers["byTag"], json!([{"tag": "vip", "count": 2}, {"tag": "north", "count": 1}]));
    let longer = member.get("/api/dashboards/analytics?days=90").await.expect(200);
    let series = longer["customers"]["series"].as_array().unwrap();
    assert_eq!((&series[48], &series[49]), (&day("2026-11-20", 0), &day("2026-11-21", 2)));
    member.delete(&format!("/api/customers/{}", eva["id"].as_str().unwrap())).await.expect(204);
    let analytics = member.get("/api/dashboards/analytics").await.expect(200);
    assert_eq!(
        (&analytics["customers"]["total"], &analytics["customers"]["series"][29]["total"]),
        (&json!(2), &json!(2))
    );
}

#[tokio::test]
async fn counts_events_and_tasks_by_week_and_activity_by_hour() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let path = task(&member, "Done", None).await;
    complete(&member, &path, true).await;
    for date in ["2026-11-15", "2026-11-16", "2026-11-21"] {
        make(&member, "/api/events", json!({"title": "d", "allDay": true, "startDate": date})).await;
    }
    let analytics = member.get("/api/dashboards/analytics?days=14").await.expect(200);
    assert_eq!(
        analytics["weeks"],
        json!([
            {"week": "2026-11-08", "events": 0, "tasks": 0},
            {"week": "2026-11-15", "events": 3, "tasks": 1},
        ])
    );
    let cells = analytics["activity"].as_array().unwrap();
    assert_eq!((cells.len(), &cells[0]["weekday"], &cells[0]["hour"]), (1, &json!(5), &json!(9)));
    let before = cells[0]["count"].as_i64().unwrap();
    assert!(before >= 5, "{before}");
    // Traces of hidden data: views of others are not counted while they are not shared.
    let colleague = app.acme(Role::Admin).await;
    let view = make(&colleague, "/api/views", json!({"kind": "tasks", "name": "Mine"})).await;
    let view = format!("/api/views/{}", view["id"].as_str().unwrap());
    colleague.patch(&view, json!({"name": "Still mine"})).await.expect(200);
    colleague.delete(&view).await.expect(204);
    let unchanged = member.get("/api/dashboards/analytics?days=14").await.expect(200);
    assert_eq!(unchanged["activity"], analytics["activity"]);
    member.patch("/api/common/user", json!({"timezone": "Pacific/Kiritimati"})).await.expect(200);
    let there = member.get("/api/dashboards/analytics?days=14").await.expect(200);
    assert_eq!(there["activity"], json!([{"weekday": 5, "hour": 23, "count": before + 1}]));
    // Weeks begin on Monday for who has chosen that.
    member.patch("/api/common/user", json!({"region": {"firstDay": "monday"}})).await.expect(200);
    let weeks = member.get("/api/dashboards/analytics?days=14").await.expect(200)["weeks"].clone();
    let firsts: Vec<&Value> = weeks.as_array().unwrap().iter().map(|week| &week["week"]).collect();
    assert_eq!(firsts, ["2026-11-02", "2026-11-09", "2026-11-16"]);
}

/// Neighbours of restored events that counted as further invitations: what comes out of the bin is no new record in figures.
#[tokio::test]
async fn records_that_are_restored_count_once() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let ana = make(&member, "/api/customers", json!({"name": "Ana"})).await["id"].as_str().unwrap().to_owned();
    let call = task(&member, "Call", None).await;
    let call = call.rsplit('/').next().unwrap();
    for _ in 0..3 {
        for (kind, id) in [("customers", ana.as_str()), ("tasks", call)] {
            member.delete(&format!("/api/{kind}/{id}")).await.expect(204);
            member.post(&format!("/api/bin/{id}/restore"), json!({})).await.expect(200);
        }
    }
    let dashboard = project(&member).await;
    assert_eq!(dashboard["flow"][13], json!({"date": "2026-11-21", "created": 1, "completed": 0}));
    assert_eq!(dashboard["tasks"]["open"], 1);
    assert_eq!(activity(&dashboard)[..2], ["task restored Call", "task removed Call"]);
    let customers = member.get("/api/dashboards/analytics").await.expect(200)["customers"].clone();
    assert_eq!((&customers["total"], &customers["series"][29]["total"]), (&json!(1), &json!(1)));
    assert_eq!(customers["byStatus"][0]["count"], 1);
    app.assert_sound();
}
