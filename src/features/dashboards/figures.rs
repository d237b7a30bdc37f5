//! Counts of tasks, customers and events, from counters that the store keeps by UTC day.

use std::collections::BTreeMap;

use crate::{
    features::{
        customers::{Status, Statuses, status_figure},
        events::{self, Occurrence, Span},
        tasks,
    },
    kernel::{Day, MemberId, Result, Timestamp},
    people::{members::MemberRecord, region::FirstDay},
    store::{Stored, TenantRead},
};

/// Maximum number of upcoming events.
const UPCOMING: usize = 6;
/// Days ahead in which upcoming events are searched; each larger range only while there are too few.
const AHEAD: [i64; 4] = [2, 14, 60, 366];
/// Maximum number of members in the workload list.
const WORKLOAD: usize = 20;
/// Maximum number of tags.
const TAGS: usize = 20;
/// Sorts after every day in a counter's name.
const END: &str = "~";

/// The current time and the caller's time zone.
#[derive(Clone, Debug)]
pub struct Here {
    /// The current time.
    pub now: Timestamp,
    /// The caller's time zone.
    pub zone: String,
    /// The first day of weeks in the caller's region.
    pub first_day: FirstDay,
}

impl Here {
    /// Returns the current day in the caller's time zone.
    pub fn today(&self) -> Day {
        self.now.day_in(&self.zone)
    }

    /// Returns the first day of the current week.
    fn week(&self) -> Day {
        self.first_day.start_of_week(self.today())
    }
}

/// A daily counter, from some day on.
struct Daily(BTreeMap<Day, i64>);

impl Daily {
    /// Reads the counters `<name>/<day>` from a day on.
    fn read(tx: &TenantRead<'_>, name: &str, from: Day) -> Result<Self> {
        let figures = tx.counters(&format!("{name}/{from}"), &format!("{name}/{END}"))?;
        let day = |figure: &str| figure.rsplit('/').next().and_then(|day| day.parse().ok());
        Ok(Self(figures.into_iter().filter_map(|(figure, n)| Some((day(&figure)?, n))).collect()))
    }

    fn on(&self, day: Day) -> i64 {
        self.0.get(&day).copied().unwrap_or(0)
    }

    /// Returns the sum from one day to before another.
    fn between(&self, from: Day, to: Day) -> i64 {
        if from < to { self.0.range(from..to).map(|(_, n)| n).sum() } else { 0 }
    }

    fn since(&self, from: Day) -> i64 {
        self.0.range(from..).map(|(_, n)| n).sum()
    }
}

/// Numbers of tasks.
#[derive(Debug, Default)]
pub struct Tasks {
    /// Open tasks that are due today.
    pub due_today: i64,
    /// Open tasks that were due before today.
    pub overdue: i64,
    /// Tasks that were overdue at the end of the same weekday a week ago (UTC), without removed ones.
    pub overdue_last_week: i64,
    /// Tasks completed this week.
    pub done_this_week: i64,
    /// Tasks completed in the previous week, up to the same moment of the week.
    pub done_last_week: i64,
    /// Tasks that are open now.
    pub open: i64,
    /// Tasks that were open at the end of the same weekday a week ago (UTC), without removed ones.
    pub open_last_week: i64,
    /// Tasks created and completed on each day, oldest first.
    pub flow: Vec<(Day, i64, i64)>,
}

/// Returns the numbers of tasks, with their flow over `days` days up to today.
///
/// Counts of a week ago are the present counts minus the changes since, which tasks record as their past states.
pub fn tasks(tx: &TenantRead<'_>, here: &Here, days: i64) -> Result<Tasks> {
    let today = here.today();
    let first = today.plus_days(1 - days);
    let created = Daily::read(tx, "tasks/created", first)?;
    let completed = Daily::read(tx, "tasks/completed", first)?;
    let due_before = |day: Day| -> Result<i64> {
        Ok(tx.counters("tasks/due/", &format!("tasks/due/{day}"))?.iter().map(|(_, n)| n).sum())
    };
    let open = tx.counter("tasks/open")?;
    let changes = tasks::rules::changes_since(tx, here.now.day_in("UTC").plus_days(-6))?;
    let week_ago = today.plus_days(-7);
    let was_due = changes.iter().filter(|(due, _)| due.is_some_and(|due| due < week_ago));
    let done = |from: Day, until: Timestamp| tasks::rules::completed_between(tx, from.start_in(&here.zone), until);
    Ok(Tasks {
        due_today: tx.counter(&format!("tasks/due/{today}"))?,
        overdue: due_before(today)?,
        overdue_last_week: due_before(week_ago)? - was_due.map(|(_, amount)| amount).sum::<i64>(),
        done_this_week: done(here.week(), here.now)?,
        done_last_week: done(here.week().plus_days(-7), here.now.plus_seconds(-7 * 86_400))?,
        open,
        open_last_week: open - changes.iter().map(|(_, amount)| amount).sum::<i64>(),
        flow: (0..days)
            .map(|n| today.plus_days(n + 1 - days))
            .map(|day| (day, created.on(day), completed.on(day)))
            .collect(),
    })
}

/// Returns the upcoming events, including those in progress.
pub fn upcoming(tx: &TenantRead<'_>, here: &Here) -> Result<Vec<Occurrence>> {
    let mut found = Vec::new();
    for days in AHEAD {
        let span = Span::new(here.now, here.now.plus_seconds(days * 86_400), &here.zone);
        found = events::within(tx, &span, UPCOMING)?.items;
        if found.len() == UPCOMING {
            break;
        }
    }
    Ok(found)
}

/// Returns the members with the most open tasks, and the number of these tasks.
pub fn workload(tx: &TenantRead<'_>) -> Result<Vec<(Stored<MemberRecord>, i64)>> {
    let figures = tx.counters_under("tasks/open_by/")?;
    let member = |figure: &str| figure.rsplit('/').next().and_then(|id| id.parse::<MemberId>().ok());
    let mut open: Vec<(i64, MemberId)> = figures.iter().filter_map(|(name, n)| Some((*n, member(name)?))).collect();
    open.sort_by_key(|(n, id)| (-n, *id));
    let mut shown = Vec::new();
    for (n, id) in open {
        // A former member may still have open tasks.
        if let Some(member) = tx.find(id)? {
            shown.push((member, n));
        }
        if shown.len() == WORKLOAD {
            break;
        }
    }
    Ok(shown)
}

/// Numbers of customers.
#[derive(Debug, Default)]
pub struct Customers {
    /// The number of customers.
    pub total: i64,
    /// The number of them that existed at the end of each day, oldest first.
    pub series: Vec<(Day, i64)>,
    /// By status, including all statuses of the company, in their order.
    pub by_status: Vec<(Status, i64)>,
    /// By tag, those with the most customers.
    pub by_tag: Vec<(String, i64)>,
}

/// Returns the numbers of customers, over `days` days up to today.
pub fn customers(tx: &TenantRead<'_>, here: &Here, days: i64) -> Result<Customers> {
    let today = here.today();
    let total = tx.counter("customers/total")?;
    let first = today.plus_days(1 - days);
    let created = Daily::read(tx, "customers/created", first)?;
    let mut left = total - created.since(first);
    let mut series = Vec::new();
    for n in 0..days {
        let day = first.plus_days(n);
        left += created.on(day);
        series.push((day, left));
    }
    let status = |status: &Status| tx.counter(&status_figure(&status.id)).map(|count| (status.clone(), count));
    let prefix = "customers/tag/";
    let named = |(name, n): (String, i64)| name.strip_prefix(prefix).map(|tag| (tag.to_owned(), n));
    let mut by_tag: Vec<(String, i64)> = tx.counters_under(prefix)?.into_iter().filter_map(named).collect();
    by_tag.sort_by(|(a, m), (b, n)| n.cmp(m).then_with(|| a.cmp(b)));
    by_tag.truncate(TAGS);
    Ok(Customers { total, series, by_status: Statuses::of(tx)?.in_use().map(status).collect::<Result<_>>()?, by_tag })
}

/// Returns for each week up to this one, by its first day and oldest first, the number of event occurrences that start and
/// of tasks completed.
pub fn weeks(tx: &TenantRead<'_>, here: &Here, days: i64) -> Result<Vec<(Day, i64, i64)>> {
    let this = here.week();
    let mut week = here.first_day.start_of_week(here.today().plus_days(1 - days));
    let starts = Daily(events::starts(tx, week, this.plus_days(7), &here.zone)?);
    let done = Daily::read(tx, "tasks/completed", week)?;
    let mut weeks = Vec::new();
    while week <= this {
        let next = week.plus_days(7);
        weeks.push((week, starts.between(week, next), done.between(week, next)));
        week = next;
    }
    Ok(weeks)
}

/// Returns the number of changes by weekday (Monday is 0) and hour in the caller's time zone, over `days` days; without
/// empty cells.
pub fn activity(tx: &TenantRead<'_>, here: &Here, days: i64) -> Result<Vec<(u8, u8, i64)>> {
    let first = here.today().plus_days(1 - days).start_in(&here.zone);
    let figures = tx.counters(&first.jiff().strftime("activity/%Y-%m-%dT%H").to_string(), "activity/~")?;
    let mut cells: BTreeMap<(u8, u8), i64> = BTreeMap::new();
    for (name, n) in figures {
        let hour = name.strip_prefix("activity/").and_then(|hour| format!("{hour}:00:00Z").parse::<Timestamp>().ok());
        if let Some(at) = hour.map(|hour| hour.zoned(&here.zone)) {
            let weekday = at.weekday().to_monday_zero_offset().unsigned_abs();
            *cells.entry((weekday, at.hour().unsigned_abs())).or_default() += n;
        }
    }
    Ok(cells.into_iter().map(|((weekday, hour), n)| (weekday, hour, n)).collect())
}
