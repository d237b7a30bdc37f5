//! Figures of tasks, customers and events, from counters and series that the store keeps. A period costs a row for each of
//! its days and series, however much happened on them, and all days are those of the caller's time zone.
//!
//! Only tasks, customers and events are counted. Tasks that few members may see count for those who see them alone: the
//! counters are without them, so that the newest 2,000 are read, where there are any. `activity` counts the changes that
//! all members may see, of all kinds.

use std::collections::BTreeMap;

use jiff::tz::TimeZone;

use crate::{
    features::{
        customers::{CUSTOMERS_LEVEL, Status, Statuses, status_figure},
        events::{self, Occurrence, Span},
        tasks::{self, RestrictedTask},
    },
    kernel::{Day, MemberId, Result, Timestamp},
    people::{members::MemberRecord, region::FirstDay},
    store::{Stored, TenantRead, next_quarter},
};

/// Maximum number of upcoming events.
const UPCOMING: usize = 6;
/// Days ahead in which upcoming events are searched; each larger range only while there are too few.
const AHEAD: [i64; 4] = [2, 14, 60, 366];
/// Maximum number of members in the workload list.
const WORKLOAD: usize = 20;
/// Maximum number of tags.
const TAGS: usize = 20;

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

    /// Returns the same time of the day a week ago.
    fn week_ago(&self) -> Timestamp {
        let now = self.now.zoned(&self.zone);
        now.checked_sub(jiff::Span::new().days(7)).map_or(self.now, |then| then.timestamp().into())
    }

    /// Returns the days from one to before another.
    fn days(&self, first: Day, end: Day) -> Periods {
        self.periods(first, end, 1)
    }

    /// Returns the periods of some days each, from a day to before another.
    fn periods(&self, first: Day, end: Day, days: i64) -> Periods {
        let next = |day: &Day| Some(day.plus_days(days));
        let days: Vec<Day> = std::iter::successors(Some(first), next).take_while(|day| *day < end).collect();
        let starts = days.iter().map(|day| day.start_in(&self.zone)).collect();
        Periods { days, starts, end: end.start_in(&self.zone) }
    }
}

/// Whether the company is known to have existed at a time: nothing is compared with a time before it.
fn existed_at(tx: &TenantRead<'_>, at: Timestamp) -> Result<bool> {
    Ok(tx.first_change_at()?.is_some_and(|first| first <= at))
}

/// Days or weeks, one after the other.
struct Periods {
    /// The first day of each.
    days: Vec<Day>,
    /// When each begins.
    starts: Vec<Timestamp>,
    /// When the last one ends.
    end: Timestamp,
}

impl Periods {
    fn start(&self) -> Timestamp {
        self.starts.first().copied().unwrap_or(self.end)
    }

    /// Returns when each ends.
    fn ends(&self) -> impl Iterator<Item = Timestamp> {
        self.starts.iter().skip(1).copied().chain([self.end])
    }

    /// Returns the sum of amounts, which are in order, in each of the periods.
    fn sums(&self, amounts: &[(Timestamp, i64)]) -> Vec<i64> {
        let mut amounts = amounts.iter().skip_while(|(at, _)| *at < self.start()).peekable();
        let mut sums = Vec::with_capacity(self.days.len());
        for end in self.ends() {
            let mut sum = 0;
            while let Some((_, amount)) = amounts.next_if(|(at, _)| *at < end) {
                sum += amount;
            }
            sums.push(sum);
        }
        sums
    }
}

fn count<T>(items: impl Iterator<Item = T>) -> i64 {
    items.fold(0, |sum, _| sum + 1)
}

fn total(amounts: &[(Timestamp, i64)]) -> i64 {
    amounts.iter().map(|(_, amount)| amount).sum()
}

/// Adds the times of restricted tasks to amounts by time, from one time to before another.
fn add_restricted(
    mut amounts: Vec<(Timestamp, i64)>,
    times: impl Iterator<Item = Timestamp>,
    from: Timestamp,
    to: Timestamp,
) -> Vec<(Timestamp, i64)> {
    amounts.extend(times.filter(|at| (from..to).contains(at)).map(|at| (at, 1)));
    amounts.sort_by_key(|(at, _)| *at);
    amounts
}

/// Returns the numbers of tasks by the time of their creation, from one time to before another.
fn count_created(
    tx: &TenantRead<'_>,
    restricted: &[RestrictedTask],
    from: Timestamp,
    to: Timestamp,
) -> Result<Vec<(Timestamp, i64)>> {
    let times = restricted.iter().map(|task| task.created_at);
    Ok(add_restricted(tasks::created(tx, from, to)?, times, from, to))
}

/// Returns the numbers of tasks by the time of their completion, from one time to before another.
fn count_completed(
    tx: &TenantRead<'_>,
    restricted: &[RestrictedTask],
    from: Timestamp,
    to: Timestamp,
) -> Result<Vec<(Timestamp, i64)>> {
    let times = restricted.iter().filter_map(|task| task.completed_at);
    Ok(add_restricted(tasks::completed(tx, from, to)?, times, from, to))
}

/// Numbers of tasks.
#[derive(Debug, Default)]
pub struct Tasks {
    /// Open tasks that are due today.
    pub due_today: i64,
    /// Open tasks that were due before today.
    pub overdue: i64,
    /// Tasks that were overdue at the end of the same weekday a week ago; 0 unless `open_comparable`.
    pub overdue_last_week: i64,
    /// Tasks completed this week.
    pub done_this_week: i64,
    /// Tasks completed in the previous week, up to the quarter of an hour of the present time.
    pub done_last_week: i64,
    /// Whether the company existed when the previous week began.
    pub done_comparable: bool,
    /// Tasks that are open now.
    pub open: i64,
    /// Tasks that were open at the end of the same weekday a week ago; 0 unless `open_comparable`.
    pub open_last_week: i64,
    /// Whether the company existed then, and the number is known: not for readers of tasks that few members may see.
    pub open_comparable: bool,
    /// Tasks created and completed on each day, oldest first.
    pub flow: Vec<(Day, i64, i64)>,
}

/// Returns the numbers of tasks, with their flow over `days` days up to today. `restricted` are the tasks that the reader
/// sees and few others do.
///
/// Counts of a week ago are the present counts without what they rose since, so that removed tasks were there, and
/// restored ones were not. They are not known for restricted tasks.
pub fn tasks(tx: &TenantRead<'_>, here: &Here, restricted: &[RestrictedTask], days: i64) -> Result<Tasks> {
    let today = here.today();
    let week = here.week();
    let last_week = week.plus_days(-7);
    let week_ago = today.plus_days(-7);
    let done = |from: Day, until: Timestamp| -> Result<i64> {
        Ok(total(&count_completed(tx, restricted, from.start_in(&here.zone), next_quarter(until))?))
    };
    let periods = here.days(today.plus_days(1 - days), today.plus_days(1));
    let created_each = periods.sums(&count_created(tx, restricted, periods.start(), periods.end)?);
    let completed_each = periods.sums(&count_completed(tx, restricted, periods.start(), periods.end)?);
    let flow = periods.days.iter().zip(created_each).zip(completed_each);
    let then = week_ago.plus_days(1).start_in(&here.zone);
    let unknown = tasks::open_unknown_before(tx)?;
    let open = tx.counter("tasks/open")?;
    let restricted_open = || restricted.iter().filter(|task| task.completed_at.is_none());
    let restricted_due =
        |is_due: &dyn Fn(Day) -> bool| count(restricted_open().filter(|task| task.due_date.is_some_and(is_due)));
    let open_comparable =
        restricted.is_empty() && existed_at(tx, then)? && unknown.is_none_or(|unknown| unknown <= then);
    let (open_last_week, overdue_last_week) = if open_comparable {
        let (risen, overdue_risen) = tasks::open_risen_since(tx, then, here.now, week_ago)?;
        (open - risen, tasks::due_before(tx, week_ago)? - overdue_risen)
    } else {
        (0, 0)
    };
    Ok(Tasks {
        due_today: tx.counter(&format!("tasks/due/{today}"))? + restricted_due(&|due| due == today),
        overdue: tasks::due_before(tx, today)? + restricted_due(&|due| due < today),
        overdue_last_week,
        done_this_week: done(week, here.now)?,
        done_last_week: done(last_week, here.week_ago())?,
        done_comparable: existed_at(tx, last_week.start_in(&here.zone))?,
        open: open + count(restricted_open()),
        open_last_week,
        open_comparable,
        flow: flow.map(|((day, created), completed)| (*day, created, completed)).collect(),
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

/// Returns the members with the most open tasks, and the number of these tasks. `restricted` are the tasks that the reader
/// sees and few others do.
pub fn workload(tx: &TenantRead<'_>, restricted: &[RestrictedTask]) -> Result<Vec<(Stored<MemberRecord>, i64)>> {
    let figures = tx.counters_under("tasks/open_by/")?;
    let member = |figure: &str| figure.rsplit('/').next().and_then(|id| id.parse::<MemberId>().ok());
    let mut open: BTreeMap<MemberId, i64> = figures.iter().filter_map(|(name, n)| Some((member(name)?, *n))).collect();
    for assignee in restricted.iter().filter(|task| task.completed_at.is_none()).filter_map(|task| task.assignee_id) {
        *open.entry(assignee).or_default() += 1;
    }
    let mut open: Vec<(MemberId, i64)> = open.into_iter().collect();
    open.sort_by_key(|(id, n)| (-n, *id));
    let mut shown = Vec::new();
    for (id, n) in open {
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
    /// The number at the beginning of the first day; `None` if the company did not exist then, or it is not known.
    pub before: Option<i64>,
    /// The number at the end of each day for which it is known, oldest first.
    pub series: Vec<(Day, i64)>,
    /// By status, including all statuses of the company, in their order.
    pub by_status: Vec<(Status, i64)>,
    /// By tag, those with the most customers.
    pub by_tag: Vec<(String, i64)>,
}

/// Returns the numbers of customers, over `days` days up to today. The past numbers are the present one without what it
/// rose since.
pub fn customers(tx: &TenantRead<'_>, here: &Here, days: i64) -> Result<Customers> {
    let today = here.today();
    let total = tx.counter("customers/total")?;
    let periods = here.days(today.plus_days(1 - days), today.plus_days(1));
    // Nothing changes later than now: what has another date is as old as it can be.
    let risen = tx.level_changes(CUSTOMERS_LEVEL, periods.start(), next_quarter(here.now).max(periods.end))?;
    let unknown = tx.level_unknown_before(CUSTOMERS_LEVEL)?;
    let is_known = |at: Timestamp| unknown.is_none_or(|unknown| unknown <= at);
    let mut left = total - self::total(&risen);
    let before = Some(left).filter(|_| is_known(periods.start()));
    let before = if existed_at(tx, periods.start())? { before } else { None };
    let mut series = Vec::new();
    for ((day, risen), end) in periods.days.iter().zip(periods.sums(&risen)).zip(periods.ends()) {
        left += risen;
        if is_known(end) {
            series.push((*day, left));
        }
    }
    let status = |status: &Status| tx.counter(&status_figure(&status.id)).map(|count| (status.clone(), count));
    let prefix = "customers/tag/";
    let named = |(name, n): (String, i64)| name.strip_prefix(prefix).map(|tag| (tag.to_owned(), n));
    let mut by_tag: Vec<(String, i64)> = tx.counters_under(prefix)?.into_iter().filter_map(named).collect();
    by_tag.sort_by(|(a, m), (b, n)| n.cmp(m).then_with(|| a.cmp(b)));
    by_tag.truncate(TAGS);
    let by_status = Statuses::of(tx)?.in_use().map(status).collect::<Result<_>>()?;
    Ok(Customers { total, before, series, by_status, by_tag })
}

/// Returns for each week up to this one, by its first day and oldest first, the number of event occurrences that have
/// started and of tasks completed. `restricted` are the tasks that the reader sees and few others do.
pub fn weeks(
    tx: &TenantRead<'_>,
    here: &Here,
    restricted: &[RestrictedTask],
    days: i64,
) -> Result<Vec<(Day, i64, i64)>> {
    let end = here.week().plus_days(7);
    let first = here.first_day.start_of_week(here.today().plus_days(1 - days));
    let weeks = here.periods(first, end, 7);
    let started = events::started(tx, first, end, here.now, &here.zone)?;
    let done = weeks.sums(&count_completed(tx, restricted, weeks.start(), weeks.end)?);
    let events = |week: Day| started.range(week..week.plus_days(7)).map(|(_, count)| count).sum();
    Ok(weeks.days.iter().zip(done).map(|(week, done)| (*week, events(*week), done)).collect())
}

/// Returns the number of changes by weekday (Monday is 0) and hour in the caller's time zone, over `days` days; without
/// empty cells.
pub fn activity(tx: &TenantRead<'_>, here: &Here, days: i64) -> Result<Vec<(u8, u8, i64)>> {
    let zone = TimeZone::get(&here.zone).unwrap_or(TimeZone::UTC);
    let periods = here.days(here.today().plus_days(1 - days), here.today().plus_days(1));
    let mut cells: BTreeMap<(u8, u8), i64> = BTreeMap::new();
    for (at, count) in tx.activity(periods.start(), periods.end)? {
        let at = zone.to_datetime(at.jiff());
        let weekday = at.weekday().to_monday_zero_offset().unsigned_abs();
        *cells.entry((weekday, at.hour().unsigned_abs())).or_default() += count;
    }
    Ok(cells.into_iter().map(|((weekday, hour), n)| (weekday, hour, n)).collect())
}
