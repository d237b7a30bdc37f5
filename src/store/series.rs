//! Time series: amounts by the minute (UTC) at which they were, or by the quarter of an hour, if who counts rounds to it.
//! A series has one row for each UTC day on which anything is in it, so a period costs one row a day to read, however
//! much a company has. The days of every time zone begin on a quarter of an hour, so that such a series is exact in all
//! of them, also long afterwards, when a company has moved to another time zone.
//!
//! What maintains and compares counters treats an amount as a counter whose name ends with its minute:
//! `series/<name>/2026-11-21T09:15`. Series follow either from the records (`Record::counters`), such as the tasks
//! completed at a time, or from the change feed (`Change::counters`), such as by how much the number of customers rose
//! or fell at a time. The latter stay when the change feed is trimmed.

use std::{
    collections::BTreeMap,
    ops::{Bound, ControlFlow},
};

use super::{
    TenantRead,
    changes::{Change, Op},
    codec::{Counters, Record, Stored, decode, encode, seal},
    keys::{Space, counter_key},
    rows::{read_counter, unseal_value},
    view::View,
};
use crate::kernel::{Result, Timestamp};

/// Prefix of the names of all series.
const SERIES: &str = "series/";
/// Prefix of the names of those that follow from the change feed.
pub(super) const FROM_CHANGES: &str = "series/changes/";
/// Prefix of the counters that hold since when a series of the change feed is complete, in milliseconds since 1970.
pub(super) const SINCE: &str = "since/";
/// The series of all changes.
const ACTIVITY: &str = "activity";
/// The series of the number of customers.
pub(super) const CUSTOMERS: &str = "customers";
/// The series of the number of open tasks.
pub(super) const OPEN_TASKS: &str = "open-tasks";

const MINUTE: i64 = 60_000;
const QUARTER: i64 = 15 * MINUTE;
const DAY: i64 = 24 * 60 * MINUTE;

/// The amounts of one day: each with its minute, in order, without zeros.
pub(super) type Amounts = Vec<(u16, i64)>;

/// Returns the beginning of the quarter of an hour.
pub(super) fn quarter(at: Timestamp) -> Timestamp {
    Timestamp::from_millis(at.millis().div_euclid(QUARTER) * QUARTER)
}

/// Returns the beginning of the next quarter of an hour.
pub fn next_quarter(at: Timestamp) -> Timestamp {
    quarter(at).plus_millis(QUARTER)
}

/// Returns the beginning of the next minute.
pub fn next_minute(at: Timestamp) -> Timestamp {
    Timestamp::from_millis((at.millis().div_euclid(MINUTE) + 1) * MINUTE)
}

/// Returns the name of the counter of a series at a minute.
fn at_minute(prefix: &str, series: &str, at: Timestamp) -> String {
    let at = at.to_string();
    format!("{prefix}{series}/{}", at.get(..16).unwrap_or_default())
}

/// Returns the name of the row of a counter, and its minute in it; `None` for a counter with a row of its own.
fn place(name: &str) -> Option<(&str, u16)> {
    if !name.starts_with(SERIES) {
        return None;
    }
    let (row, time) = name.rsplit_once('T')?;
    let (hour, minute) = time.split_once(':')?;
    Some((row, hour.parse::<u16>().ok()? * 60 + minute.parse::<u16>().ok()?))
}

fn add(amounts: &mut Amounts, minute: u16, by: i64) {
    match amounts.binary_search_by_key(&minute, |(at, _)| *at) {
        Ok(at) => {
            amounts[at].1 = amounts[at].1.saturating_add(by);
            amounts.retain(|(_, amount)| *amount != 0);
        }
        Err(at) => amounts.insert(at, (minute, by)),
    }
}

/// The contents of a counter's row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum CounterRow {
    /// One number.
    Sum(i64),
    /// A day of a series.
    Amounts(Amounts),
}

impl CounterRow {
    /// Decodes the row with a name.
    pub(super) fn read(name: &str, payload: &[u8]) -> Result<Self> {
        if name.starts_with(SERIES) { decode(payload).map(Self::Amounts) } else { decode(payload).map(Self::Sum) }
    }

    /// Returns the row at a key with an amount added to the counter with a name.
    pub(super) fn with(view: &dyn View, key: &[u8], name: &str, by: i64) -> Result<Self> {
        match place(name) {
            None => read_counter(view, key).map(|sum| Self::Sum(sum.saturating_add(by))),
            Some((_, minute)) => read_amounts(view, key).map(|mut amounts| {
                add(&mut amounts, minute, by);
                Self::Amounts(amounts)
            }),
        }
    }

    /// Whether all its counters are zero, so that it needs no row.
    pub(super) fn is_zero(&self) -> bool {
        match self {
            Self::Sum(sum) => *sum == 0,
            Self::Amounts(amounts) => amounts.is_empty(),
        }
    }

    /// Returns the envelope of the row.
    pub(super) fn sealed(&self, key: &[u8]) -> Result<Vec<u8>> {
        let payload = match self {
            Self::Sum(sum) => encode(sum)?,
            Self::Amounts(amounts) => encode(amounts)?,
        };
        Ok(seal(key, 1, &payload))
    }

    /// Returns the counters in the row with a name.
    pub(super) fn counters(self, name: &str) -> Vec<(String, i64)> {
        match self {
            Self::Sum(sum) => vec![(name.to_owned(), sum)],
            Self::Amounts(amounts) => {
                let counter = |(minute, amount)| (format!("{name}T{:02}:{:02}", minute / 60, minute % 60), amount);
                amounts.into_iter().map(counter).collect()
            }
        }
    }

    /// Returns the rows of counters, by name. Zeros have none.
    pub(super) fn rows_of(counters: impl IntoIterator<Item = (String, i64)>) -> BTreeMap<String, Self> {
        let mut rows = BTreeMap::new();
        for (name, sum) in counters.into_iter().filter(|(_, sum)| *sum != 0) {
            match place(&name) {
                Some((row, minute)) => {
                    let row = rows.entry(row.to_owned()).or_insert_with(|| Self::Amounts(Amounts::new()));
                    if let Self::Amounts(amounts) = row {
                        add(amounts, minute, sum);
                    }
                }
                None => drop(rows.insert(name, Self::Sum(sum))),
            }
        }
        rows
    }
}

/// Returns the name of the row of a counter.
pub(super) fn row_of(name: &str) -> &str {
    place(name).map_or(name, |(row, _)| row)
}

impl Counters {
    /// Adds an amount to a series at the quarter of an hour of a time.
    pub fn add_in_quarter(&mut self, series: &str, at: Timestamp, amount: i64) {
        self.add(at_minute(SERIES, series, quarter(at)), amount);
    }

    /// Adds an amount to a series at the minute of a time.
    pub fn add_at_minute(&mut self, series: &str, at: Timestamp, amount: i64) {
        self.add(at_minute(SERIES, series, at), amount);
    }
}

/// Returns by how much a change of a record raised or lowered its levels; `None` for a kind without any.
pub(super) fn amounts_of_change<R: Record>(
    old: Option<&Stored<R>>,
    new: Option<&Stored<R>>,
    at: Timestamp,
) -> Option<Vec<(String, i64)>> {
    let mut sums: BTreeMap<String, i64> = BTreeMap::new();
    for (record, sign) in [(old, -1), (new, 1)] {
        let Some(record) = record else { continue };
        for (name, amount) in R::levels(record, at)? {
            *sums.entry(name).or_default() += amount * sign;
        }
    }
    Some(sums.into_iter().filter(|(_, by)| *by != 0).collect())
}

impl Change {
    /// Returns the counters that the change adds to. Changes of personal records add to none.
    pub(super) fn counters(&self) -> Vec<(String, i64)> {
        if self.person.is_some() {
            return Vec::new();
        }
        let at = quarter(self.at);
        let activity = (!self.is_uncounted).then(|| (at_minute(FROM_CHANGES, ACTIVITY, at), 1));
        let mut counters: Vec<(String, i64)> = activity.into_iter().collect();
        match &self.amounts {
            Some(amounts) => {
                counters.extend(amounts.iter().map(|(name, by)| (at_minute(FROM_CHANGES, name, at), *by)));
            }
            // An entry from before amounts were kept, or of a damaged record that was removed.
            None => counters.extend(self.customers().map(|by| (at_minute(FROM_CHANGES, CUSTOMERS, at), by))),
        }
        counters
    }

    /// Returns by how much a change without amounts raised or lowered the number of customers.
    fn customers(&self) -> Option<i64> {
        match self.op {
            Op::Created if self.kind == "customer" => Some(1),
            Op::Removed if self.kind == "customer" => Some(-1),
            _ => None,
        }
    }

    /// Whether it is unknown by how much the change raised or lowered the number of open tasks.
    pub(super) fn hides_open_tasks(&self) -> bool {
        self.amounts.is_none() && self.kind == "task"
    }
}

fn read_amounts(view: &dyn View, key: &[u8]) -> Result<Amounts> {
    view.get(key)?.map_or_else(|| Ok(Amounts::new()), |row| unseal_value(view, key, &row))
}

impl TenantRead<'_> {
    /// Returns the amounts of a series that follows from the records, from one time to before another, in order.
    pub fn series(&self, name: &str, from: Timestamp, to: Timestamp) -> Result<Vec<(Timestamp, i64)>> {
        self.series_under(SERIES, name, from, to)
    }

    /// Returns by how much a level rose and fell (`Record::levels`), from one time to before another, in order.
    pub fn level_changes(&self, level: &str, from: Timestamp, to: Timestamp) -> Result<Vec<(Timestamp, i64)>> {
        self.series_under(FROM_CHANGES, level, from, to)
    }

    /// Returns the numbers of changes of the tenant's records, from one time to before another, in order.
    pub fn activity(&self, from: Timestamp, to: Timestamp) -> Result<Vec<(Timestamp, i64)>> {
        self.series_under(FROM_CHANGES, ACTIVITY, from, to)
    }

    /// Returns the time of the first known change of the tenant's records: its creation, or where its change feed began
    /// when it was imported.
    pub fn first_change_at(&self) -> Result<Option<Timestamp>> {
        let mut first = None;
        self.each_day(FROM_CHANGES, ACTIVITY, (None, None), |day, amounts| {
            first = amounts.first().map(|(minute, _)| day.plus_millis(i64::from(*minute) * MINUTE));
            first.is_none()
        })?;
        Ok(first)
    }

    /// Returns the time before which the changes of a level are not all known; `None` if they always are. Damage to it is
    /// in the quarantine, and counts as none.
    pub fn level_unknown_before(&self, level: &str) -> Result<Option<Timestamp>> {
        let since = self.counter(&format!("{SINCE}{level}"))?;
        Ok((since != 0).then(|| Timestamp::from_millis(since)))
    }

    fn series_under(&self, prefix: &str, name: &str, from: Timestamp, to: Timestamp) -> Result<Vec<(Timestamp, i64)>> {
        let mut found = Vec::new();
        if from >= to {
            return Ok(found);
        }
        self.each_day(prefix, name, (Some(from), Some(to)), |day, amounts| {
            let at = |(minute, amount)| (day.plus_millis(i64::from(minute) * MINUTE), amount);
            found.extend(amounts.into_iter().map(at).filter(|(at, _)| *at >= from && *at < to));
            true
        })?;
        Ok(found)
    }

    /// Visits the days (UTC) of a series, in order, until `visit` returns false. Damaged ones are recorded in the
    /// quarantine and skipped.
    fn each_day(
        &self,
        prefix: &str,
        name: &str,
        (from, to): (Option<Timestamp>, Option<Timestamp>),
        mut visit: impl FnMut(Timestamp, Amounts) -> bool,
    ) -> Result<()> {
        let space: Space = self.tenant.into();
        let head = counter_key(space, &format!("{prefix}{name}/"));
        let row = |at: Timestamp| [head.as_slice(), at.to_string().get(..10).unwrap_or_default().as_bytes()].concat();
        let first = from.map_or_else(|| head.clone(), row);
        // Sorts after every day.
        let last = to.map_or_else(|| [head.as_slice(), b"~"].concat(), |to| row(to.plus_millis(DAY - 1)));
        self.view.scan_readable((Bound::Included(first), Bound::Excluded(last)), false, &mut |key, value| {
            let day = key.get(head.len()..).and_then(|day| std::str::from_utf8(day).ok());
            let day = day.and_then(|day| format!("{day}T00:00:00Z").parse::<Timestamp>().ok());
            let amounts = unseal_value::<Amounts>(self.view, key, value).ok();
            let goes_on = day.zip(amounts).is_none_or(|(day, amounts)| visit(day, amounts));
            Ok(if goes_on { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
        })?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_of_a_day_share_a_row() {
        let at = |text: &str| text.parse::<Timestamp>().unwrap();
        let mut counters = Counters::default();
        counters.add_in_quarter("tasks/done", at("2026-11-21T09:29:59Z"), 1);
        counters.add_in_quarter("tasks/done", at("2026-11-21T09:15:00Z"), 1);
        counters.add_at_minute("tasks/done", at("2026-11-21T23:59:59Z"), 2);
        counters.add_in_quarter("tasks/done", at("2026-11-22T00:00:00Z"), 1);
        counters.add("tasks/open", 3);
        let mut sums: BTreeMap<String, i64> = BTreeMap::new();
        for (name, by) in counters.amounts {
            *sums.entry(name).or_default() += by;
        }
        let rows = CounterRow::rows_of(sums.clone());
        let expected = [
            ("series/tasks/done/2026-11-21", CounterRow::Amounts(vec![(555, 2), (1439, 2)])),
            ("series/tasks/done/2026-11-22", CounterRow::Amounts(vec![(0, 1)])),
            ("tasks/open", CounterRow::Sum(3)),
        ];
        assert_eq!(rows.iter().map(|(name, row)| (name.as_str(), row.clone())).collect::<Vec<_>>(), expected);
        let back: BTreeMap<String, i64> = rows.into_iter().flat_map(|(name, row)| row.counters(&name)).collect();
        assert_eq!(back, sums);
    }
}
