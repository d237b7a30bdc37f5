//! The calls for the dashboards.

use poem_openapi::{Object, OpenApi, param::Query};
use serde::Serialize;

use super::{
    figures::{self, Here},
    recent::{self, Done, Kind, Recent},
};
use crate::{
    access::{
        Member,
        former_members::FormerMember,
        members::MemberRecord,
        permission::{Read, Right},
    },
    features::{
        customers::CustomerStatus,
        events::{self, At, Event, Occurrence},
    },
    kernel::{
        Code, Day, Error, Id, MemberId, Result, Timestamp,
        i18n::{Locale, say},
    },
    store::{Actor, Stored, TenantRead},
    wire::{JsonResponse, Reply},
};

/// What needs doing, and what happened.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "ProjectDashboard")]
struct Project {
    tasks: TaskFigures,
    /// Tasks created and completed on each day (UTC), the oldest first.
    flow: Vec<FlowDay>,
    today: Today,
    /// The next 6 events, those under way with them.
    upcoming: Vec<UpcomingEvent>,
    /// The 20 members with the most open tasks.
    workload: Vec<Workload>,
    /// The latest 12 changes to tasks, customers, events, pages and members.
    activity: Vec<Activity>,
}

/// How the tasks stand.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "TaskFigures", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
struct TaskFigures {
    /// Open, and due today.
    due_today: i64,
    /// Open, and due before today.
    overdue: i64,
    /// Overdue at the end of the same weekday a week ago (UTC), of the tasks that are still kept.
    overdue_last_week: i64,
    /// Completed since Monday on the caller's clock.
    done_this_week: i64,
    /// Completed in the week before, up to the same moment of the week.
    done_last_week: i64,
    open: i64,
    /// Open at the end of the same weekday a week ago (UTC), of the tasks that are still kept.
    open_last_week: i64,
}

/// One day's tasks.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "FlowDay")]
struct FlowDay {
    date: Day,
    created: i64,
    completed: i64,
}

/// What is today.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "TodayFigures")]
struct Today {
    /// How many times events are today, recurring ones with them.
    events: usize,
    /// Open tasks that are due today.
    tasks: i64,
}

/// An event that is next.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "UpcomingEvent", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
struct UpcomingEvent {
    event_id: Id<Event>,
    /// Which occurrence of a recurring event this is.
    #[serde(skip_serializing_if = "Option::is_none")]
    occurrence: Option<String>,
    title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    color: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    location: Option<String>,
    all_day: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    start: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    start_date: Option<Day>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end_date: Option<Day>,
}

impl From<Occurrence> for UpcomingEvent {
    fn from(Occurrence { event, at }: Occurrence) -> Self {
        let event_id = event.id;
        let event = event.value;
        let occurrence = event.recurrence.is_some().then(|| at.start());
        let upcoming = Self {
            event_id,
            occurrence,
            title: event.title,
            color: event.color,
            location: event.location,
            all_day: false,
            start: None,
            end: None,
            start_date: None,
            end_date: None,
        };
        match at {
            At::Timed { start, end } => Self { start: Some(start), end: Some(end), ..upcoming },
            At::AllDay { start, end } => {
                Self { all_day: true, start_date: Some(start), end_date: Some(end), ..upcoming }
            }
        }
    }
}

/// What one member has to do.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "Workload", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
struct Workload {
    member_id: MemberId,
    name: String,
    #[oai(nullable)]
    avatar: Option<String>,
    /// Open tasks.
    open: i64,
}

/// Who did something.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "ActivityActor")]
struct Who {
    /// The member; absent when it was the operator or the server itself.
    #[oai(skip_serializing_if_is_none)]
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<MemberId>,
    name: String,
    #[oai(nullable)]
    avatar: Option<String>,
}

/// Something that happened.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "Activity", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
struct Activity {
    id: String,
    at: Timestamp,
    actor: Who,
    kind: Kind,
    record_id: String,
    /// The record's title as it was then.
    title: String,
    op: Done,
    /// Where the record is; absent when it was removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    link: Option<String>,
}

impl Activity {
    fn new(tx: &TenantRead<'_>, recent: Recent, locale: Locale) -> Result<Self> {
        let name = |key: &str| say(locale, key, &[]);
        let actor = match (recent.member, recent.actor) {
            (Some(member), _) => {
                Who { id: Some(member.id.cast()), name: member.value.name, avatar: member.value.avatar }
            }
            (None, Actor::Member(id)) => {
                Who { id: Some(id), name: FormerMember::called(tx, id, locale)?, avatar: None }
            }
            (None, Actor::Operator) => Who { id: None, name: name("server.actors.operator"), avatar: None },
            (None, Actor::System) => Who { id: None, name: name("server.actors.system"), avatar: None },
        };
        Ok(Self {
            id: recent.seq.to_string(),
            at: recent.at,
            actor,
            kind: recent.kind,
            record_id: recent.record,
            title: recent.title,
            op: recent.done,
            link: recent.link,
        })
    }
}

/// How customers, weeks and hours went.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "AnalyticsDashboard")]
struct Analytics {
    customers: CustomerFigures,
    /// By week, the oldest first.
    weeks: Vec<WeekFigures>,
    /// Changes by weekday and hour on the caller's clock; cells without any are left out.
    activity: Vec<Cell>,
}

/// How the customers stand.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "CustomerFigures", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
struct CustomerFigures {
    total: i64,
    /// How many of today's customers there were at the end of each day (UTC), the oldest first.
    series: Vec<CustomerDay>,
    by_status: Vec<StatusCount>,
    /// The 20 tags with the most customers.
    by_tag: Vec<TagCount>,
}

/// The customers of one day.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "CustomerDay")]
struct CustomerDay {
    date: Day,
    total: i64,
}

/// Customers with a status.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "StatusCount")]
struct StatusCount {
    status: CustomerStatus,
    count: i64,
}

/// Customers with a tag.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "TagCount")]
struct TagCount {
    tag: String,
    count: i64,
}

/// One week.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "WeekFigures")]
struct WeekFigures {
    /// Its Monday.
    week: Day,
    /// Events that start in it; recurring ones each time.
    events: i64,
    /// Tasks that were done in it.
    tasks: i64,
}

/// One hour of one weekday.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "ActivityCell")]
struct Cell {
    /// Monday is 0.
    weekday: u8,
    hour: u8,
    count: i64,
}

/// Days that a dashboard looks back over.
fn period(days: Option<u32>, otherwise: u32) -> Result<i64> {
    let days = days.unwrap_or(otherwise);
    if !(1..=366).contains(&days) {
        let gaps = vec![("min", "1".to_owned()), ("max", "366".to_owned())];
        return Err(Error::new(Code::Invalid).and_field("days", "errors.fields.range", gaps));
    }
    Ok(i64::from(days))
}

fn here<R: Right>(member: &Member<R>) -> Here {
    Here { now: member.now(), zone: member.timezone().to_owned() }
}

/// The calls.
pub struct Api;

#[OpenApi(prefix_path = "/dashboards", tag = "crate::wire::Tag::Dashboards")]
impl Api {
    /// What needs doing, and what happened. Today and this week are those of the caller's time zone; the days of
    /// `flow` are days in UTC.
    #[oai(path = "/project", method = "get", operation_id = "getProjectDashboard")]
    async fn project(
        &self,
        member: Member<Read>,
        /// Days of the flow, up to today: 1 to 366, 14 when absent.
        days: Query<Option<u32>>,
    ) -> Reply<JsonResponse<Project>> {
        let (days, here, locale) = (period(days.0, 14)?, here(&member), member.locale());
        let look = move |tx: &TenantRead<'_>| project(tx, &here, days, locale);
        Ok(JsonResponse(member.read_blocking(look).await?))
    }

    /// How customers, weeks and hours went. Days and weeks are counted in UTC, hours on the caller's clock.
    #[oai(path = "/analytics", method = "get", operation_id = "getAnalyticsDashboard")]
    async fn analytics(
        &self,
        member: Member<Read>,
        /// Days to look back over, up to today: 1 to 366, 30 when absent.
        days: Query<Option<u32>>,
    ) -> Reply<JsonResponse<Analytics>> {
        let (days, here) = (period(days.0, 30)?, here(&member));
        Ok(JsonResponse(member.read_blocking(move |tx| analytics(tx, &here, days)).await?))
    }
}

fn project(tx: &TenantRead<'_>, here: &Here, days: i64, locale: Locale) -> Result<Project> {
    let tasks = figures::tasks(tx, here, days)?;
    let load = |(member, open): (Stored<_>, i64)| {
        let (member_id, record): (MemberId, MemberRecord) = (member.id.cast(), member.value);
        Workload { member_id, name: record.name, avatar: record.avatar, open }
    };
    Ok(Project {
        today: Today { events: events::today(tx, here.now, &here.zone)?, tasks: tasks.due_today },
        flow: tasks
            .flow
            .iter()
            .map(|(date, created, completed)| FlowDay { date: *date, created: *created, completed: *completed })
            .collect(),
        tasks: TaskFigures {
            due_today: tasks.due_today,
            overdue: tasks.overdue,
            overdue_last_week: tasks.overdue_last_week,
            done_this_week: tasks.done_this_week,
            done_last_week: tasks.done_last_week,
            open: tasks.open,
            open_last_week: tasks.open_last_week,
        },
        upcoming: figures::upcoming(tx, here)?.into_iter().map(UpcomingEvent::from).collect(),
        workload: figures::workload(tx)?.into_iter().map(load).collect(),
        activity: recent::recent(tx)?
            .into_iter()
            .map(|recent| Activity::new(tx, recent, locale))
            .collect::<Result<_>>()?,
    })
}

fn analytics(tx: &TenantRead<'_>, here: &Here, days: i64) -> Result<Analytics> {
    let customers = figures::customers(tx, here, days)?;
    Ok(Analytics {
        customers: CustomerFigures {
            total: customers.total,
            series: customers.series.into_iter().map(|(date, total)| CustomerDay { date, total }).collect(),
            by_status: customers.by_status.into_iter().map(|(status, count)| StatusCount { status, count }).collect(),
            by_tag: customers.by_tag.into_iter().map(|(tag, count)| TagCount { tag, count }).collect(),
        },
        weeks: figures::weeks(tx, here, days)?
            .into_iter()
            .map(|(week, events, tasks)| WeekFigures { week, events, tasks })
            .collect(),
        activity: figures::activity(tx, here, days)?
            .into_iter()
            .map(|(weekday, hour, count)| Cell { weekday, hour, count })
            .collect(),
    })
}
