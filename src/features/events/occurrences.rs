//! Occurrences of events within a span: single events from the store, recurring ones expanded in wall-clock time of
//! their time zone. The cost depends on the results, not on the size of the calendar.

use std::collections::BTreeMap;

use jiff::tz::TimeZone;

use super::{
    model::{BY_START, DAYS_FIGURE, Event, LENGTHS, RECURRING, STARTS_SERIES, When, by_start},
    recurrence::{Rule, Window},
};
use crate::{
    kernel::{Code, Day, Error, Id, Result, Timestamp},
    store::{MAX_PAGE_BYTES, Scan, Stored, TenantRead, count_fitting, next_minute},
    wire::page::foreign_cursor,
};

/// Maximum number of days in a span.
const LONGEST: i64 = 366;

/// A period of time: instants for timed events, days for all-day events, both with exclusive ends.
#[derive(Clone, Debug)]
pub struct Span {
    from: Timestamp,
    to: Timestamp,
    first: Day,
    end: Day,
    zone: String,
}

impl Span {
    /// Creates a span of instants. All-day events are matched by its days in a time zone (an IANA name).
    pub fn new(from: Timestamp, to: Timestamp, zone: &str) -> Self {
        let first = from.day_in(zone);
        let last = to.plus_millis(-1).day_in(zone);
        Self { from, to, first, end: last.plus_days(1).max(first), zone: zone.to_owned() }
    }

    /// Parses a span from two texts, each a day or an instant with UTC offset or `Z`; a day begins at midnight in the
    /// zone.
    /// Errors: `invalid` at `from` or `to` when one is neither, they are in the wrong order, or more than 366 days
    /// apart.
    pub fn parse(from: &str, to: &str, zone: &str) -> Result<Self> {
        let instant = |field: &'static str, text: &str| {
            let day = text.parse::<Day>().map(|day| day.start_in(zone));
            day.or_else(|_| text.parse()).map_err(|_| field)
        };
        let (from, to) = match (instant("from", from), instant("to", to)) {
            (Ok(from), Ok(to)) => (from, to),
            (from, to) => {
                let wrong = [from.err(), to.err()].into_iter().flatten();
                let add = |error: Error, field| error.and_field(field, "errors.fields.day_or_instant", Vec::new());
                return Err(wrong.fold(Error::new(Code::Invalid), add));
            }
        };
        if to <= from {
            return Err(Error::field("to", "errors.fields.end_before_start"));
        }
        if to.millis() - from.millis() > (LONGEST * 24 + 1) * 3_600_000 {
            let params = vec![("max", LONGEST.to_string())];
            return Err(Error::new(Code::Invalid).and_field("to", "errors.fields.span_too_long", params));
        }
        Ok(Self::new(from, to, zone))
    }

    fn holds(&self, at: &At) -> bool {
        match at {
            At::Timed { start, end } => *start < self.to && (*end > self.from || *start >= self.from),
            At::AllDay { start, end } => *start < self.end && *end >= self.first,
        }
    }

    /// Returns the sort key of an occurrence; for all-day events the midnight at which they begin.
    fn place(&self, at: &At) -> Timestamp {
        match at {
            At::Timed { start, .. } => *start,
            At::AllDay { start, .. } => start.start_in(&self.zone),
        }
    }
}

/// The times of one occurrence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum At {
    /// From one instant to another.
    Timed {
        /// The start.
        start: Timestamp,
        /// The end.
        end: Timestamp,
    },
    /// On whole days.
    AllDay {
        /// The first day.
        start: Day,
        /// The last day, inclusive.
        end: Day,
    },
}

impl At {
    /// Returns the start, which identifies an occurrence.
    pub fn start(&self) -> String {
        match self {
            Self::Timed { start, .. } => start.to_string(),
            Self::AllDay { start, .. } => start.to_string(),
        }
    }
}

/// An occurrence of an event.
#[derive(Clone, Debug)]
pub struct Occurrence {
    /// The event.
    pub event: Stored<Event>,
    /// The times of this occurrence.
    pub at: At,
}

/// Occurrences found in a span.
#[derive(Debug)]
pub struct Found {
    /// The occurrences in order of their starts.
    pub items: Vec<Occurrence>,
    /// The place of the last one, when there are more.
    pub next: Option<Place>,
}

/// The place of an occurrence in a span: its start, and the event.
pub type Place = (Timestamp, Id<Event>);

/// Converts a place to the bytes of a cursor.
pub fn place_bytes((start, event): Place) -> Vec<u8> {
    [start.millis().to_be_bytes().as_slice(), event.as_bytes()].concat()
}

/// Reads the place in a cursor.
/// Errors: `bad_request` for a cursor of another list.
pub fn read_place(bytes: &[u8]) -> Result<Place> {
    let read = || {
        let (start, event) = bytes.split_first_chunk::<8>()?;
        Some((Timestamp::from_millis(i64::from_be_bytes(*start)), Id::from_slice(event)?))
    };
    read().ok_or_else(foreign_cursor)
}

/// Returns the first `most` occurrences within a span.
pub fn within(tx: &TenantRead<'_>, span: &Span, most: usize) -> Result<Found> {
    find(tx, Earliest::new(span, most))
}

/// Returns a page of the occurrences within a span: the first `most` after a place, fewer when the events are large.
pub fn page(tx: &TenantRead<'_>, span: &Span, most: usize, after: Option<Place>) -> Result<Found> {
    find(tx, Earliest { after, max_bytes: MAX_PAGE_BYTES, ..Earliest::new(span, most) })
}

fn find(tx: &TenantRead<'_>, mut earliest: Earliest<'_>) -> Result<Found> {
    let span = earliest.span;
    for (class, days) in LENGTHS.iter().enumerate() {
        // One day more on both sides: timed events are indexed by their UTC day.
        let from = span.first.plus_days(-days - 1);
        let to = span.end.plus_days(2);
        each(tx, &Scan::between(BY_START, by_start(class, from), by_start(class, to)), |event, size| {
            let at = at(&event.when);
            earliest.offer((&event, size), at) || !earliest.is_far_behind(&at)
        })?;
    }
    recurring(tx, span, |event, size| {
        repeat(span, event, |at| earliest.offer((event, size), at));
    })?;
    earliest.cut();
    let Earliest { kept, more, .. } = earliest;
    let next = kept.last().filter(|_| more).map(|last| last.place);
    Ok(Found { items: kept.into_iter().map(|one| one.occurrence).collect(), next })
}

/// Counts the occurrences of today in a time zone (an IANA name), up to 1,000.
pub fn today(tx: &TenantRead<'_>, now: Timestamp, zone: &str) -> Result<usize> {
    let day = now.day_in(zone);
    let span = Span::new(day.start_in(zone), day.plus_days(1).start_in(zone), zone);
    Ok(within(tx, &span, 1_000)?.items.len())
}

/// Counts the occurrences that have started on each day from `first` to before `end`, in a time zone (an IANA name). Those
/// that start after now are left out; an all-day event starts with its first day. A start counts from its minute on.
pub fn started(tx: &TenantRead<'_>, first: Day, end: Day, now: Timestamp, zone: &str) -> Result<BTreeMap<Day, i64>> {
    let from = first.start_in(zone);
    let until = end.start_in(zone).min(next_minute(now));
    let mut days: BTreeMap<Day, i64> = BTreeMap::new();
    if from >= until {
        return Ok(days);
    }
    let span = Span::new(from, until, zone);
    let name = |day: Day| format!("{DAYS_FIGURE}{day}");
    for (figure, count) in tx.counters(&name(first), &name(span.end))? {
        if let Some(day) = figure.strip_prefix(DAYS_FIGURE).and_then(|day| day.parse().ok()) {
            *days.entry(day).or_default() += count;
        }
    }
    for (at, count) in tx.series(STARTS_SERIES, span.from, span.to)? {
        *days.entry(at.day_in(zone)).or_default() += count;
    }
    recurring(tx, &span, |event, _| {
        repeat(&span, event, |at| {
            let day = match at {
                At::Timed { start, .. } => start.day_in(zone),
                At::AllDay { start, .. } => start,
            };
            if day >= first && day < span.end {
                *days.entry(day).or_default() += 1;
            }
            true
        });
    })?;
    Ok(days)
}

/// Visits the recurring events that may have an occurrence within a span, with their sizes in bytes as stored.
pub(super) fn recurring(tx: &TenantRead<'_>, span: &Span, mut visit: impl FnMut(&Stored<Event>, usize)) -> Result<()> {
    let over = span.first.plus_days(-1).to_string();
    each(tx, &Scan::between(RECURRING, over, "~"), |event, size| {
        visit(&event, size);
        true
    })
}

/// Visits all records of a scan, with their sizes in bytes as stored, until `visit` returns false.
pub(super) fn each(
    tx: &TenantRead<'_>,
    scan: &Scan,
    mut visit: impl FnMut(Stored<Event>, usize) -> bool,
) -> Result<()> {
    let mut after = None;
    loop {
        let page = tx.page(&scan.clone().limit(500).within_bytes(MAX_PAGE_BYTES).after(after), |_| true)?;
        for (event, size) in page.items.into_iter().zip(page.sizes) {
            if !visit(event, size) {
                return Ok(());
            }
        }
        after = page.next;
        if after.is_none() {
            return Ok(());
        }
    }
}

/// Returns the times of an event, or of a recurring event's first occurrence.
pub(super) fn at(when: &When) -> At {
    match when {
        When::Timed { start, end, .. } => At::Timed { start: *start, end: *end },
        When::AllDay { start_date, end_date } => At::AllDay { start: *start_date, end: *end_date },
    }
}

/// Calls `offer` with the occurrences that may lie within a span, in order, until one starts after it or `offer`
/// returns false; with a single event's own times in any case. Returns the number of expansion steps: at most the days
/// of the span and of the event plus three years, for any rule.
pub(super) fn repeat(span: &Span, event: &Event, mut offer: impl FnMut(At) -> bool) -> u32 {
    let Some(rule) = &event.recurrence else {
        offer(at(&event.when));
        return 0;
    };
    let Some(rule) = Rule::parse(rule) else { return 0 };
    let (start, zone) = event.when.on_wall();
    let from = match event.when {
        When::Timed { start, end, .. } => zone.to_datetime(span.from.plus_millis(start.millis() - end.millis()).jiff()),
        When::AllDay { start_date, end_date } => {
            let days = i64::from((end_date.0 - start_date.0).get_days());
            span.first.plus_days(-days).0.to_datetime(jiff::civil::Time::midnight())
        }
    };
    // Starts earlier, since a wall-clock hour occurs twice when the clocks go back.
    let from = from.saturating_sub(jiff::Span::new().hours(2));
    let end = match event.when {
        // One day more, since times skipped by the clocks are later.
        When::Timed { .. } => Day(zone.to_datetime(span.to.jiff()).date()).plus_days(2),
        When::AllDay { .. } => span.end.plus_days(1),
    };
    let last = if rule.is_counted() { event.last_time() } else { None };
    let Some(mut times) = rule.times(start, Window { from, end: end.0, last }, &zone) else { return 0 };
    for time in times.by_ref() {
        let at = match event.when {
            When::Timed { start, end, .. } => {
                let Some(this) = instant(&zone, time) else { break };
                At::Timed { start: this, end: this.plus_millis(end.millis() - start.millis()) }
            }
            When::AllDay { start_date, end_date } => {
                let day = Day(time.date());
                At::AllDay { start: day, end: day.plus_days(i64::from((end_date.0 - start_date.0).get_days())) }
            }
        };
        let over = match at {
            At::Timed { start, .. } => start >= span.to,
            At::AllDay { start, .. } => start >= span.end,
        };
        if over || !offer(at) {
            break;
        }
    }
    times.steps()
}

/// Converts a wall-clock time to an instant. A time skipped by the clocks is moved forward by the skipped amount; of an
/// ambiguous one the first is taken (RFC 5545 §3.3.5).
pub(super) fn instant(zone: &TimeZone, wall: jiff::civil::DateTime) -> Option<Timestamp> {
    zone.to_ambiguous_timestamp(wall).compatible().ok().map(Timestamp::from)
}

/// An occurrence that may be among the earliest.
struct Kept {
    place: Place,
    /// Bytes of the event as stored.
    size: usize,
    occurrence: Occurrence,
}

/// Keeps the earliest of the occurrences offered.
struct Earliest<'s> {
    span: &'s Span,
    most: usize,
    /// Bytes of events after which no further occurrence is kept.
    max_bytes: usize,
    /// Only occurrences after this place.
    after: Option<Place>,
    kept: Vec<Kept>,
    /// Bytes of the events of those.
    bytes: usize,
    /// Occurrences that start later than this are not among the earliest.
    bound: Option<Timestamp>,
    more: bool,
}

impl<'s> Earliest<'s> {
    const fn new(span: &'s Span, most: usize) -> Self {
        Self { span, most, max_bytes: usize::MAX, after: None, kept: Vec::new(), bytes: 0, bound: None, more: false }
    }

    /// Adds an occurrence of an event, which has a size, if it is within the span and among the earliest. Returns false
    /// when no later start is needed.
    fn offer(&mut self, (event, size): (&Stored<Event>, usize), at: At) -> bool {
        if !self.span.holds(&at) {
            return true;
        }
        let start = self.span.place(&at);
        let place = (start, event.id);
        if self.after.is_some_and(|after| place <= after) {
            return true;
        }
        if self.bound.is_some_and(|bound| start > bound) {
            self.more = true;
            return false;
        }
        self.kept.push(Kept { place, size, occurrence: Occurrence { event: event.clone(), at } });
        self.bytes = self.bytes.saturating_add(size);
        if self.kept.len() > 2 * self.most || self.bytes > self.max_bytes.saturating_mul(2) {
            self.cut();
        }
        true
    }

    /// Whether no following event, in order of UTC days, can be among the earliest.
    fn is_far_behind(&self, at: &At) -> bool {
        self.bound.is_some_and(|bound| self.span.place(at) > bound.plus_seconds(2 * 86_400))
    }

    fn cut(&mut self) {
        self.kept.sort_by_key(|one| one.place);
        let fitting = count_fitting(self.kept.iter().take(self.most).map(|one| one.size), self.max_bytes);
        if self.kept.len() > fitting {
            self.more = true;
            self.kept.truncate(fitting);
            self.bytes = self.kept.iter().map(|one| one.size).sum();
            self.bound = self.kept.last().map(|one| one.place.0);
        }
    }
}
