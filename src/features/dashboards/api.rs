//! HTTP API for the dashboards.

use poem_openapi::{Object, OpenApi, param::Query};
use serde::Serialize;
use serde_with::skip_serializing_none;
use uuid::Uuid;

use super::{
    figures::{self, Here},
    recent::{self, Done, Recent},
};
use crate::{
    access::Member,
    feature::Color,
    features::{
        customers::Status,
        events::{self, At, Event, Occurrence},
        records::KindName,
        tasks,
    },
    kernel::{
        Code, Day, Error, Id, MemberId, Result, Timestamp,
        i18n::{Locale, say},
    },
    people::{
        former_members::FormerMember,
        members::MemberRecord,
        permission::{Read, Reader, Right},
    },
    store::{Actor, Stored, TenantRead},
    wire::{JsonResponse, Reply},
};

/// The project dashboard: task counts, today, upcoming events and recent changes.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "ProjectDashboard")]
pub(super) struct Project {
    tasks: TaskFigures,
    /// The numbers of tasks created and completed on each day, oldest first. Removed tasks do not count.
    flow: Vec<FlowDay>,
    today: Today,
    /// The next 6 events, including those in progress.
    upcoming: Vec<UpcomingEvent>,
    /// The 20 members with the most open tasks.
    workload: Vec<Workload>,
    /// The latest 12 changes to records and members. An import, a bulk change, a merge, sample data and the undoing of one of
    /// them are one entry each, for callers who see one of the first 50 records that it
    /// concerned; when they see none of the first 10, the others are not looked at.
    activity: Vec<Activity>,
}

/// Numbers of tasks by state. Tasks that few members may see count for those who see them, of the newest 2,000.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "TaskFigures", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
struct TaskFigures {
    /// Open tasks that are due today.
    due_today: i64,
    /// Open tasks that were due before today.
    overdue: i64,
    /// Tasks that were overdue at the end of the same weekday a week ago; 0 unless `openComparable`.
    overdue_last_week: i64,
    /// Tasks completed since the first day of the week, in the caller's region and time zone.
    done_this_week: i64,
    /// Tasks completed in the previous week, up to the end of the same quarter of an hour of the week.
    done_last_week: i64,
    /// Whether the company existed when the previous week began. If not, there is nothing to compare.
    done_comparable: bool,
    open: i64,
    /// Tasks that were open at the end of the same weekday a week ago; 0 unless `openComparable`.
    open_last_week: i64,
    /// Whether the company existed a week ago and `openLastWeek` and `overdueLastWeek` are known. If not, there is nothing
    /// to compare. They are not known to those who see tasks that few members may see.
    open_comparable: bool,
}

/// The numbers of tasks of one day.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "FlowDay")]
struct FlowDay {
    date: Day,
    created: i64,
    completed: i64,
}

/// The counts for today.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "TodayFigures")]
struct Today {
    /// The number of event occurrences today, including recurring events.
    events: usize,
    /// Open tasks that are due today.
    tasks: i64,
}

/// An upcoming event.
#[skip_serializing_none]
#[derive(Debug, Serialize, Object)]
#[oai(rename = "UpcomingEvent", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
struct UpcomingEvent {
    event_id: Id<Event>,
    /// The start that identifies the occurrence of a recurring event.
    occurrence: Option<String>,
    title: String,
    color: Option<String>,
    location: Option<String>,
    all_day: bool,
    start: Option<Timestamp>,
    end: Option<Timestamp>,
    start_date: Option<Day>,
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

/// The workload of one member.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "Workload", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
struct Workload {
    member_id: MemberId,
    name: String,
    #[oai(nullable)]
    avatar: Option<String>,
    /// The number of open tasks.
    open: i64,
}

/// The actor of a change.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "RecentChangeActor")]
struct Who {
    /// The member's id; absent when the operator or the server made the change.
    #[oai(skip_serializing_if_is_none)]
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<MemberId>,
    name: String,
    #[oai(nullable)]
    avatar: Option<String>,
}

/// A change to a record, or an act that changed many.
#[skip_serializing_none]
#[derive(Debug, Serialize, Object)]
#[oai(rename = "RecentChange", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
struct Activity {
    id: String,
    at: Timestamp,
    actor: Who,
    /// The kind of the record or records. A change of a tag concerns records of several kinds: it has that of the first record
    /// that it changed and the caller sees.
    kind: KindName,
    record_id: Uuid,
    /// The record's title at the time of the change. For an act of many changes, the name of the file, the record that was
    /// kept or the tag; empty for acts without a name, and for the name of a file when `count` is absent.
    title: String,
    op: Done,
    /// The path at which the user interface shows the record; absent when the record was removed, and for acts of many
    /// changes except merges.
    link: Option<String>,
    /// How many records an act of many changes concerned; absent unless the caller may see all of them. Its `recordId` names
    /// the import, the bulk change or the record that was kept.
    count: Option<u64>,
}

impl Activity {
    fn new(tx: &TenantRead<'_>, recent: Recent, locale: Locale) -> Result<Self> {
        let name = |key: &str| say(locale, key, &[]);
        let actor = match (recent.member, recent.actor) {
            (Some(member), _) => Who { id: Some(member.id), name: member.value.name, avatar: member.value.avatar },
            (None, Actor::Member(id)) => {
                Who { id: Some(id), name: FormerMember::display_name(tx, id, locale)?, avatar: None }
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
            count: recent.count,
        })
    }
}

/// The analytics dashboard: customers, weekly counts and hours of activity.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "AnalyticsDashboard")]
pub(super) struct Analytics {
    customers: CustomerFigures,
    /// Weekly counts, oldest first.
    weeks: Vec<WeekFigures>,
    /// The number of changes by weekday and hour in the caller's time zone; cells without changes are omitted.
    activity: Vec<Cell>,
}

/// Numbers of customers.
#[skip_serializing_none]
#[derive(Debug, Serialize, Object)]
#[oai(rename = "CustomerFigures", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
struct CustomerFigures {
    total: i64,
    /// The number at the beginning of the first day of the period; absent when the company did not exist then or the number
    /// is not known, so that there is nothing to compare.
    before: Option<i64>,
    /// The number at the end of each day, oldest first. Days for which it is not known are left out: those of before the
    /// change feed of an older or imported company.
    series: Vec<CustomerDay>,
    /// All statuses in their order.
    by_status: Vec<StatusCount>,
    /// The 20 tags with the most customers.
    by_tag: Vec<TagCount>,
}

/// The number of customers on one day.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "CustomerDay")]
struct CustomerDay {
    date: Day,
    total: i64,
}

/// The number of customers with a status.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "StatusCount")]
struct StatusCount {
    /// The id of the status.
    status: String,
    /// Its name, in the language of the reader unless the company gave it one.
    name: String,
    color: Color,
    count: i64,
}

/// The number of customers with a tag.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "TagCount")]
struct TagCount {
    tag: String,
    count: i64,
}

/// The counts of one week.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "WeekFigures")]
struct WeekFigures {
    /// The first day of the week, in the caller's region.
    week: Day,
    /// The number of event occurrences that started in the week and not later than now, including recurring events.
    events: i64,
    /// The number of tasks completed in the week.
    tasks: i64,
}

/// The number of changes in one hour of a weekday.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "ActivityCell")]
struct Cell {
    /// The weekday; Monday is 0.
    weekday: u8,
    hour: u8,
    count: i64,
}

/// Validates the number of days that a dashboard covers.
fn period(days: Option<u32>, otherwise: u32) -> Result<i64> {
    let days = days.unwrap_or(otherwise);
    if !(1..=366).contains(&days) {
        let params = vec![("min", "1".to_owned()), ("max", "366".to_owned())];
        return Err(Error::new(Code::Invalid).and_field("days", "errors.fields.range", params));
    }
    Ok(i64::from(days))
}

fn here<R: Right>(member: &Member<R>) -> Here {
    let first_day = member.region().first_day;
    Here { now: member.now(), zone: member.timezone().to_owned(), first_day }
}

/// The dashboard endpoints.
pub struct Api;

#[OpenApi(prefix_path = "/dashboards", tag = "crate::wire::Tag::Dashboards")]
impl Api {
    /// Get the project dashboard.
    ///
    /// Days and weeks are in the caller's time zone.
    #[oai(path = "/project", method = "get", operation_id = "getProjectDashboard")]
    async fn project(
        &self,
        member: Member<Read>,
        /// The number of days in `flow`, up to today: 1 to 366, 14 by default.
        days: Query<Option<u32>>,
    ) -> Reply<JsonResponse<Project>> {
        let days = period(days.0, 14)?;
        let here = here(&member);
        let locale = member.locale();
        let reader = member.reader();
        let look = move |tx: &TenantRead<'_>| project(tx, &here, reader, days, locale);
        Ok(JsonResponse(member.read_blocking(look).await?))
    }

    /// Get the analytics dashboard.
    ///
    /// Days, weeks and hours are in the caller's time zone.
    #[oai(path = "/analytics", method = "get", operation_id = "getAnalyticsDashboard")]
    async fn analytics(
        &self,
        member: Member<Read>,
        /// The number of days covered, up to today: 1 to 366, 30 by default.
        days: Query<Option<u32>>,
    ) -> Reply<JsonResponse<Analytics>> {
        let days = period(days.0, 30)?;
        let here = here(&member);
        let locale = member.locale();
        let reader = member.reader();
        let look = move |tx: &TenantRead<'_>| analytics(tx, &here, reader, days, locale);
        Ok(JsonResponse(member.read_blocking(look).await?))
    }
}

pub(super) fn project(tx: &TenantRead<'_>, here: &Here, reader: Reader, days: i64, locale: Locale) -> Result<Project> {
    let restricted = tasks::find_restricted(tx, reader)?;
    let tasks = figures::tasks(tx, here, &restricted, days)?;
    let load = |(member, open): (Stored<_>, i64)| {
        let (member_id, record): (MemberId, MemberRecord) = (member.id, member.value);
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
            done_comparable: tasks.done_comparable,
            open: tasks.open,
            open_last_week: tasks.open_last_week,
            open_comparable: tasks.open_comparable,
        },
        upcoming: figures::upcoming(tx, here)?.into_iter().map(UpcomingEvent::from).collect(),
        workload: figures::workload(tx, &restricted)?.into_iter().map(load).collect(),
        activity: recent::recent(tx, reader)?
            .into_iter()
            .map(|recent| Activity::new(tx, recent, locale))
            .collect::<Result<_>>()?,
    })
}

pub(super) fn analytics(
    tx: &TenantRead<'_>,
    here: &Here,
    reader: Reader,
    days: i64,
    locale: Locale,
) -> Result<Analytics> {
    let restricted = tasks::find_restricted(tx, reader)?;
    let customers = figures::customers(tx, here, days)?;
    let by_status = |(status, count): (Status, i64)| StatusCount {
        name: status.name_in(locale),
        status: status.id,
        color: status.color,
        count,
    };
    Ok(Analytics {
        customers: CustomerFigures {
            total: customers.total,
            before: customers.before,
            series: customers.series.into_iter().map(|(date, total)| CustomerDay { date, total }).collect(),
            by_status: customers.by_status.into_iter().map(by_status).collect(),
            by_tag: customers.by_tag.into_iter().map(|(tag, count)| TagCount { tag, count }).collect(),
        },
        weeks: figures::weeks(tx, here, &restricted, days)?
            .into_iter()
            .map(|(week, events, tasks)| WeekFigures { week, events, tasks })
            .collect(),
        activity: figures::activity(tx, here, days)?
            .into_iter()
            .map(|(weekday, hour, count)| Cell { weekday, hour, count })
            .collect(),
    })
}
