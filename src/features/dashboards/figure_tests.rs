//! Figures over time (F-M1, F-U2). The faults were of one kind: figures that were counted from what there is today, by UTC
//! days, or by reading records. A generated history of ninety days, across the changes of three clocks, is counted again
//! from the records and from what there was after each act, in five time zones; and both dashboards read the same number
//! of rows for a company that completed 10 tasks today and for one that completed 3,000.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{
    api::{analytics, project},
    figures::Here,
};
use crate::{
    features::{
        customers::Customer,
        events::{Event, When},
        tasks::{Task, TaskType},
    },
    kernel::{Day, Entropy, Timestamp, i18n::Locale},
    people::{
        permission::{Reader, Role},
        region::FirstDay,
    },
    store::{Actor, Binned, TenantRead, TenantRecord, TenantWrite, next_quarter},
    testing::{As, TestApp},
};

const ZONES: [&str; 5] = ["Pacific/Auckland", "Asia/Kathmandu", "America/St_Johns", "UTC", "Europe/Madrid"];
const MINUTE: i64 = 60_000;
const DAYS: i64 = 90;
/// How many things are done.
const ACTS: u64 = 130;

/// What there was after an act.
struct State {
    at: Timestamp,
    customers: i64,
    /// The due days of the open tasks.
    open: Vec<Option<Day>>,
}

fn read<T>(app: &TestApp, work: impl FnOnce(&TenantRead<'_>) -> T) -> T {
    work(&app.app.store().snapshot().unwrap().tenant(app.acme.id, None))
}

fn state(app: &TestApp) -> State {
    read(app, |tx| {
        let mut customers = 0;
        let mut open = Vec::new();
        tx.each::<Customer>(|_| {
            customers += 1;
            Ok(())
        })
        .unwrap();
        tx.each::<Task>(|task| {
            open.extend(task.is_open().then_some(task.value.due_date));
            Ok(())
        })
        .unwrap();
        State { at: app.clock.now(), customers, open }
    })
}

fn ids<R: TenantRecord>(app: &TestApp) -> Vec<String> {
    let mut ids = Vec::new();
    let add = |record: crate::store::Stored<R>| {
        ids.push(record.id.to_string());
        Ok(())
    };
    read(app, |tx| tx.each(add).unwrap());
    ids
}

fn tasks(app: &TestApp) -> Vec<(String, bool)> {
    let mut found = Vec::new();
    let add = |task: crate::store::Stored<Task>| {
        found.push((format!("/api/tasks/{}", task.id), task.value.completed));
        Ok(())
    };
    read(app, |tx| tx.each(add).unwrap());
    found
}

fn pick<T: Clone>(dice: &Entropy, from: &[T]) -> Option<T> {
    let count = u64::try_from(from.len()).ok()?;
    from.get(usize::try_from(dice.random_below(count.max(1))).ok()?).cloned()
}

fn id_of(made: &Value) -> String {
    made["id"].as_str().unwrap().to_owned()
}

/// Does one thing. `last` is what can be undone: its list, and itself. What is refused, such as restoring a merged record,
/// does nothing.
async fn act(app: &TestApp, member: &As, dice: &Entropy, number: u64, last: &mut Option<(&'static str, Value)>) {
    let today = app.clock.now().day_in("UTC");
    let shift = |most: u64| i64::try_from(dice.random_below(2 * most)).unwrap() - i64::try_from(most).unwrap();
    match dice.random_below(16) {
        0 | 1 => drop(member.post("/api/customers", json!({"name": format!("Person {number}")})).await.expect(201)),
        2 => {
            if let Some(id) = pick(dice, &ids::<Customer>(app)) {
                member.delete(&format!("/api/customers/{id}")).await.expect(204);
            }
        }
        3 | 4 => {
            if let Some(id) = pick(dice, &ids::<Binned>(app)) {
                member.post(&format!("/api/bin/{id}/restore"), json!({})).await;
            }
        }
        5 => {
            let csv = format!("Name,Email\nA{number},a{number}@x.example\nB{number},b{number}@x.example\n");
            *last = Some(("imports", member.import("customers", &csv).await));
        }
        6 => {
            if let [kept, duplicate, ..] = ids::<Customer>(app).as_slice() {
                let body = json!({"duplicateId": duplicate});
                let merged = member.post(&format!("/api/customers/{kept}/merge"), body).await.expect(200);
                *last = Some(("merges", member.merge_over(&merged).await));
            }
        }
        7 => {
            let ids: Vec<String> = ids::<Customer>(app).into_iter().take(3).collect();
            if !ids.is_empty() {
                let body = json!({"kind": "customers", "ids": ids, "remove": true});
                let begun = member.post("/api/bulk", body).await;
                assert!([200, 202].contains(&begun.status), "{begun:?}");
                *last = Some(("bulk", member.bulk_over(&begun.body).await));
            }
        }
        8 => {
            if let Some((list, done)) = last.take() {
                let begun = member.post(&format!("/api/{list}/{}/undo", id_of(&done)), json!({})).await;
                match list {
                    "imports" => member.import_over(&done).await,
                    "merges" => member.merge_over(&done).await,
                    _ => member.bulk_over(&done).await,
                };
                assert!(begun.status < 500, "{begun:?}");
            }
        }
        9 | 10 => {
            let due = dice.random_below(4) > 0;
            let due = due.then(|| today.plus_days(shift(14)).to_string());
            member.post("/api/tasks", json!({"title": format!("Task {number}"), "dueDate": due})).await.expect(201);
        }
        11 | 12 => {
            if let Some((path, completed)) = pick(dice, &tasks(app)) {
                member.patch(&path, json!({"completed": !completed})).await.expect(200);
            }
        }
        13 => {
            if let Some((path, _)) = pick(dice, &tasks(app)) {
                let due = today.plus_days(shift(14)).to_string();
                member.patch(&path, json!({"dueDate": due})).await.expect(200);
            }
        }
        14 => {
            if let Some((path, _)) = pick(dice, &tasks(app)) {
                member.delete(&path).await.expect(204);
            }
        }
        _ => {
            let start = next_quarter(app.clock.now()).plus_millis(shift(5 * 24 * 60) * MINUTE);
            let body = match dice.random_below(3) {
                0 => json!({"title": "day", "allDay": true, "startDate": start.day_in("UTC")}),
                _ => json!({"title": "hour", "start": start, "end": start.plus_seconds(3_600)}),
            };
            member.post("/api/events", body).await.expect(201);
        }
    }
}

/// What the dashboards must say, counted again.
struct Recount<'s> {
    zone: &'static str,
    now: Timestamp,
    states: &'s [State],
    created: Vec<Timestamp>,
    completed: Vec<Timestamp>,
    events: Vec<When>,
    changes: Vec<Timestamp>,
}

impl<'s> Recount<'s> {
    fn new(app: &TestApp, zone: &'static str, states: &'s [State]) -> Self {
        let now = app.clock.now();
        let mut recount = Self {
            zone,
            now,
            states,
            created: Vec::new(),
            completed: Vec::new(),
            events: Vec::new(),
            changes: Vec::new(),
        };
        read(app, |tx| {
            tx.each::<Task>(|task| {
                recount.created.push(task.created_at);
                recount.completed.extend(task.value.completed_at);
                Ok(())
            })
            .unwrap();
            tx.each::<Event>(|event| {
                assert!(event.value.recurrence.is_none());
                recount.events.push(event.value.when);
                Ok(())
            })
            .unwrap();
            let changes =
                tx.changes_before(u64::MAX, 20_000, |change| change.person.is_none() && !change.is_uncounted).unwrap();
            recount.changes.extend(changes.iter().map(|change| change.at));
        });
        recount
    }

    /// What there was just before a time.
    fn before(&self, at: Timestamp) -> &State {
        self.states.iter().rfind(|state| state.at < at).unwrap()
    }

    fn customers_before(&self, at: Timestamp) -> i64 {
        self.before(at).customers
    }

    fn on(&self, times: &[Timestamp], from: Day, to: Day) -> usize {
        times.iter().map(|at| at.day_in(self.zone)).filter(|day| *day >= from && *day < to).count()
    }

    fn started(&self, from: Day, to: Day) -> usize {
        let today = self.now.day_in(self.zone);
        let day = |when: &When| match when {
            When::Timed { start, .. } => (*start <= self.now).then(|| start.day_in(self.zone)),
            When::AllDay { start_date, .. } => (*start_date <= today).then_some(*start_date),
        };
        self.events.iter().filter_map(day).filter(|day| *day >= from && *day < to).count()
    }
}

fn day_of(value: &Value) -> Day {
    value.as_str().unwrap().parse().unwrap()
}

fn assert_project(found: &Value, recount: &Recount<'_>, week: Day) {
    let zone = recount.zone;
    let today = recount.now.day_in(zone);
    let flow = found["flow"].as_array().unwrap();
    assert_eq!(flow.len(), usize::try_from(DAYS).unwrap());
    for entry in flow {
        let day = day_of(&entry["date"]);
        let next = day.plus_days(1);
        let expected = (recount.on(&recount.created, day, next), recount.on(&recount.completed, day, next));
        assert_eq!((&entry["created"], &entry["completed"]), (&json!(expected.0), &json!(expected.1)), "{zone} {day}");
    }
    let tasks = &found["tasks"];
    let now = recount.states.last().unwrap();
    let then = recount.before(today.plus_days(-6).start_in(zone));
    let overdue = |state: &State, day: Day| state.open.iter().flatten().filter(|due| **due < day).count();
    assert_eq!(tasks["open"], json!(now.open.len()), "{zone}");
    assert_eq!(tasks["overdue"], json!(overdue(now, today)), "{zone}");
    assert_eq!(tasks["openComparable"], true, "{zone}");
    assert_eq!(tasks["openLastWeek"], json!(then.open.len()), "{zone}");
    assert_eq!(tasks["overdueLastWeek"], json!(overdue(then, today.plus_days(-7))), "{zone}");
    let done = |from: Day, until: Timestamp| {
        let from = from.start_in(zone);
        recount.completed.iter().filter(|at| **at >= from && **at < next_quarter(until)).count()
    };
    let week_ago = recount.now.zoned(zone).checked_sub(jiff::Span::new().days(7)).unwrap().timestamp().into();
    assert_eq!(tasks["doneThisWeek"], json!(done(week, recount.now)), "{zone}");
    assert_eq!(tasks["doneLastWeek"], json!(done(week.plus_days(-7), week_ago)), "{zone}");
    assert_eq!(tasks["doneComparable"], true, "{zone}");
}

fn assert_analytics(found: &Value, recount: &Recount<'_>) {
    let zone = recount.zone;
    let customers = &found["customers"];
    let first = recount.now.day_in(zone).plus_days(1 - DAYS);
    assert_eq!(customers["total"], json!(recount.states.last().unwrap().customers));
    assert_eq!(customers["before"], json!(recount.customers_before(first.start_in(zone))), "{zone}");
    let series = customers["series"].as_array().unwrap();
    assert_eq!(series.len(), usize::try_from(DAYS).unwrap());
    for entry in series {
        let day = day_of(&entry["date"]);
        let expected = recount.customers_before(day.plus_days(1).start_in(zone));
        assert_eq!(entry["total"], json!(expected), "{zone} {day}");
    }
    for entry in found["weeks"].as_array().unwrap() {
        let week = day_of(&entry["week"]);
        let next = week.plus_days(7);
        let expected = (recount.started(week, next), recount.on(&recount.completed, week, next));
        assert_eq!((&entry["events"], &entry["tasks"]), (&json!(expected.0), &json!(expected.1)), "{zone} {week}");
    }
    let mut cells: BTreeMap<(i64, i64), i64> = BTreeMap::new();
    for at in recount.changes.iter().filter(|at| at.day_in(zone) >= first) {
        let at = at.zoned(zone);
        let weekday = i64::from(at.weekday().to_monday_zero_offset());
        *cells.entry((weekday, i64::from(at.hour()))).or_default() += 1;
    }
    let number = |value: &Value| value.as_i64().unwrap();
    let found = found["activity"].as_array().unwrap().iter();
    let found: BTreeMap<(i64, i64), i64> =
        found.map(|cell| ((number(&cell["weekday"]), number(&cell["hour"])), number(&cell["count"]))).collect();
    assert_eq!(found, cells, "{zone}");
}

#[tokio::test]
async fn figures_of_a_generated_history_are_those_of_a_recount_in_five_time_zones() {
    let seed = crate::testing::setting("ATRIUM_SEED", 11);
    let app = TestApp::new().await;
    let dice = Entropy::seeded(seed);
    // 9 February 2027: the clocks of Canada, Spain and New Zealand change in the ninety days that follow.
    app.clock.advance(80 * 24 * 60 * MINUTE);
    let mut states = vec![State { at: Timestamp::default(), ..state(&app) }];
    let mut last = None;
    let step = u64::try_from(2 * DAYS * 24 * 60).unwrap() / ACTS;
    for number in 0..ACTS {
        let minutes = i64::try_from(dice.random_below(step)).unwrap();
        app.clock.advance(minutes * MINUTE + i64::try_from(dice.random_below(60_000)).unwrap());
        let member = app.acme(Role::Admin).await;
        act(&app, &member, &dice, number, &mut last).await;
        states.push(state(&app));
    }
    let now = app.clock.now();
    assert!(states.iter().map(|state| state.customers).max() > Some(5), "seed {seed} makes too little");
    for zone in ZONES {
        let member = app.acme(Role::Admin).await;
        member.patch("/api/common/user", json!({"timezone": zone})).await.expect(200);
        let found = member.get(&format!("/api/dashboards/analytics?days={DAYS}")).await.expect(200);
        let recount = Recount::new(&app, zone, &states);
        assert_eq!(recount.now, now);
        assert_analytics(&found, &recount);
        let week = day_of(&found["weeks"].as_array().unwrap().last().unwrap()["week"]);
        let found = member.get(&format!("/api/dashboards/project?days={DAYS}")).await.expect(200);
        assert_project(&found, &recount, week);
    }
    // The check counts all counters again, from the records and from the change feed.
    app.assert_sound();
}

#[tokio::test]
async fn a_company_one_minute_old_compares_nothing() {
    let app = TestApp::new().await;
    app.clock.advance(MINUTE);
    let member = app.acme(Role::Member).await;
    member.post("/api/customers", json!({"name": "Ana"})).await.expect(201);
    let tasks = member.get("/api/dashboards/project").await.expect(200)["tasks"].clone();
    assert_eq!((&tasks["doneComparable"], &tasks["openComparable"]), (&json!(false), &json!(false)));
    let customers = member.get("/api/dashboards/analytics").await.expect(200)["customers"].clone();
    assert_eq!(customers.get("before"), None, "{customers}");
    // Two weeks later all is compared but the growth of the last thirty days.
    app.clock.advance(15 * 24 * 60 * MINUTE);
    let member = app.acme(Role::Member).await;
    let tasks = member.get("/api/dashboards/project").await.expect(200)["tasks"].clone();
    assert_eq!((&tasks["doneComparable"], &tasks["openComparable"]), (&json!(true), &json!(true)));
    let growth = |days: u32| format!("/api/dashboards/analytics?days={days}");
    let customers = member.get(&growth(30)).await.expect(200)["customers"].clone();
    assert_eq!(customers.get("before"), None, "{customers}");
    let customers = member.get(&growth(14)).await.expect(200)["customers"].clone();
    assert_eq!((&customers["before"], &customers["total"]), (&json!(1), &json!(1)));
}

/// Returns the rows that the two dashboards read.
fn rows_read(app: &TestApp, reader: Reader) -> (u64, u64) {
    let here = Here { now: app.clock.now(), zone: "Pacific/Auckland".to_owned(), first_day: FirstDay::Monday };
    let snapshot = app.app.store().snapshot().unwrap();
    let locale = Locale::EN;
    let (found, project) = snapshot.counting_rows(app.acme.id, |tx| project(tx, &here, reader, 14, locale));
    found.unwrap();
    let (found, analytics) = snapshot.counting_rows(app.acme.id, |tx| analytics(tx, &here, reader, 90, locale));
    found.unwrap();
    (project, analytics)
}

#[tokio::test]
async fn dashboards_read_the_same_rows_whatever_was_completed_today() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Admin).await;
    let reader = Reader { id: member.id, role: Role::Admin };
    let fill = async |count: usize| {
        let work = move |tx: &TenantWrite<'_>| {
            let due = tx.now().day_in("UTC").plus_days(-40);
            for number in 0..count {
                let completed_at = Some(tx.now());
                let kind = TaskType::Task;
                let title = format!("Task {number}");
                tx.create(Task { kind, title: title.clone(), completed: true, completed_at, ..Task::default() })?;
                tx.create(Task { kind, title, due_date: Some(due), ..Task::default() })?;
                tx.create(Customer { name: format!("Person {number}"), status: "lead".into(), ..Customer::default() })?;
            }
            Ok(())
        };
        app.app.store().write(app.acme.id, Actor::Member(member.id), work).await.unwrap();
    };
    fill(10).await;
    let few = rows_read(&app, reader);
    fill(2_990).await;
    assert_eq!(rows_read(&app, reader), few);
    assert!(few.0 < 400 && few.1 < 400, "{few:?}");
}
