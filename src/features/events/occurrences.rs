//! The times at which events are within a span: single ones from the store, recurring ones worked out on
//! the wall of their own zone. Looking costs what it finds, not what the calendar holds.

use std::collections::BTreeMap;

use jiff::tz::TimeZone;

use super::{
    model::{BY_START, DAYS_FIGURE, Event, LENGTHS, QUARTERS_FIGURE, RECURRING, When, by_start, quarter},
    recurrence::{Rule, Window},
};
use crate::{
    kernel::{Code, Day, Error, Id, Result, Timestamp},
    store::{Scan, Stored, TenantRead},
};

/// Days that one look may span.
const LONGEST: i64 = 366;

/// A stretch of time: for timed events from instant to instant, for all-day ones from day to day, both
/// without their end.
#[derive(Clone, Debug)]
pub struct Span {
    from: Timestamp,
    to: Timestamp,
    first: Day,
    end: Day,
    zone: String,
}

impl Span {
    /// From one instant to before another, seen from a time zone (an IANA name): on its days the all-day
    /// events count.
    #[must_use]
    pub fn new(from: Timestamp, to: Timestamp, zone: &str) -> Self {
        let (first, last) = (from.day_in(zone), to.plus_millis(-1).day_in(zone));
        Self { from, to, first, end: last.plus_days(1).max(first), zone: zone.to_owned() }
    }

    /// From two texts, each a day or an instant with offset or Z; a day begins at midnight in the zone.
    ///
    /// # Errors
    /// `invalid` at `from` or `to` when one is neither, they are the wrong way round, or more than 366
    /// days lie between them.
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
            let gaps = vec![("max", LONGEST.to_string())];
            return Err(Error::new(Code::Invalid).and_field("to", "errors.fields.span_too_long", gaps));
        }
        Ok(Self::new(from, to, zone))
    }

    fn holds(&self, at: &At) -> bool {
        match at {
            At::Timed { start, end } => *start < self.to && (*end > self.from || *start >= self.from),
            At::AllDay { start, end } => *start < self.end && *end >= self.first,
        }
    }

    /// Where an occurrence stands among others: all-day events at the midnight they begin with.
    fn place(&self, at: &At) -> Timestamp {
        match at {
            At::Timed { start, .. } => *start,
            At::AllDay { start, .. } => start.start_in(&self.zone),
        }
    }
}

/// When one occurrence is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum At {
    /// From one instant to another.
    Timed {
        /// Its start.
        start: Timestamp,
        /// Its end.
        end: Timestamp,
    },
    /// On whole days.
    AllDay {
        /// Its first day.
        start: Day,
        /// Its last day.
        end: Day,
    },
}

impl At {
    /// The start, by which an occurrence is named.
    #[must_use]
    pub fn start(&self) -> String {
        match self {
            Self::Timed { start, .. } => start.to_string(),
            Self::AllDay { start, .. } => start.to_string(),
        }
    }
}

/// One time at which an event is.
#[derive(Clone, Debug)]
pub struct Occurrence {
    /// The event.
    pub event: Stored<Event>,
    /// When it is this time.
    pub at: At,
}

/// What a look found.
#[derive(Debug)]
pub struct Found {
    /// The occurrences, in the order of their starts.
    pub items: Vec<Occurrence>,
    /// Whether there are more than were asked for.
    pub more: bool,
}

/// The first `most` occurrences within a span.
///
/// # Errors
/// `busy` or `internal` when they cannot be read.
pub fn within(tx: &TenantRead<'_>, span: &Span, most: usize) -> Result<Found> {
    let mut earliest = Earliest { span, most, kept: Vec::new(), bound: None, more: false };
    for (class, days) in LENGTHS.iter().enumerate() {
        // A day more on both sides: timed events lie under their day in UTC.
        let (from, to) = (span.first.plus_days(-days - 1), span.end.plus_days(2));
        each(tx, &Scan::between(BY_START, by_start(class, from), by_start(class, to)), |event| {
            let at = at(&event.when);
            earliest.offer(&event, at) || !earliest.is_far_behind(&at)
        })?;
    }
    recurring(tx, span, |event| {
        repeat(span, event, |at| earliest.offer(event, at));
    })?;
    earliest.cut();
    let Earliest { kept, more, .. } = earliest;
    Ok(Found { items: kept.into_iter().map(|(_, occurrence)| occurrence).collect(), more })
}

/// How many times events are today in a time zone (an IANA name), recurring ones with them: up to 1,000.
///
/// # Errors
/// `busy` or `internal` when they cannot be read.
pub fn today(tx: &TenantRead<'_>, now: Timestamp, zone: &str) -> Result<usize> {
    let day = now.day_in(zone);
    let span = Span::new(day.start_in(zone), day.plus_days(1).start_in(zone), zone);
    Ok(within(tx, &span, 1_000)?.items.len())
}

/// How many times events start on each day from one to before another, in a time zone (an IANA name),
/// recurring ones with them.
///
/// # Errors
/// `busy` or `internal` when they cannot be read.
pub fn starts(tx: &TenantRead<'_>, first: Day, end: Day, zone: &str) -> Result<BTreeMap<Day, i64>> {
    let span = Span::new(first.start_in(zone), end.start_in(zone), zone);
    let mut days: BTreeMap<Day, i64> = BTreeMap::new();
    let figures = |name: &str, from: String, to: String| tx.counters(&format!("{name}{from}"), &format!("{name}{to}"));
    for (figure, count) in figures(DAYS_FIGURE, first.to_string(), end.to_string())? {
        if let Some(day) = figure.strip_prefix(DAYS_FIGURE).and_then(|day| day.parse().ok()) {
            *days.entry(day).or_default() += count;
        }
    }
    for (figure, count) in figures(QUARTERS_FIGURE, quarter(span.from).to_string(), span.to.to_string())? {
        if let Some(at) = figure.strip_prefix(QUARTERS_FIGURE).and_then(|at| at.parse::<Timestamp>().ok()) {
            *days.entry(at.day_in(zone)).or_default() += count;
        }
    }
    recurring(tx, &span, |event| {
        repeat(&span, event, |at| {
            let day = match at {
                At::Timed { start, .. } => start.day_in(zone),
                At::AllDay { start, .. } => start,
            };
            if day >= first && day < end {
                *days.entry(day).or_default() += 1;
            }
            true
        });
    })?;
    Ok(days)
}

/// The recurring events that may be within a span.
pub(super) fn recurring(tx: &TenantRead<'_>, span: &Span, mut visit: impl FnMut(&Stored<Event>)) -> Result<()> {
    let over = span.first.plus_days(-1).to_string();
    each(tx, &Scan::between(RECURRING, over, "~"), |event| {
        visit(&event);
        true
    })
}

/// All records of a scan, whatever their number, until `visit` says that it has enough (false).
pub(super) fn each(tx: &TenantRead<'_>, scan: &Scan, mut visit: impl FnMut(Stored<Event>) -> bool) -> Result<()> {
    let mut after = None;
    loop {
        let page = tx.page(&scan.clone().limit(500).after(after), |_| true)?;
        for event in page.items {
            if !visit(event) {
                return Ok(());
            }
        }
        after = page.next;
        if after.is_none() {
            return Ok(());
        }
    }
}

/// When an event is, a recurring one its first time.
pub(super) fn at(when: &When) -> At {
    match when {
        When::Timed { start, end, .. } => At::Timed { start: *start, end: *end },
        When::AllDay { start_date, end_date } => At::AllDay { start: *start_date, end: *end_date },
    }
}

/// Offers the times of an event that may lie within a span, in order, until one comes after it or is not wanted any
/// more; of one that does not recur its own. Returns the steps of the rule's expansion: at most the days of the span, those of
/// the event and three years, whatever the rule.
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
    // The hour before: two times on the wall are one hour's worth when the clocks go back.
    let from = from.saturating_sub(jiff::Span::new().hours(2));
    let end = match event.when {
        // A day more: what the clocks skip comes later.
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

/// The instant of a time on the wall. One that the clocks skip is as much later as they skip; of one that
/// comes twice it is the first (RFC 5545 §3.3.5).
pub(super) fn instant(zone: &TimeZone, wall: jiff::civil::DateTime) -> Option<Timestamp> {
    zone.to_ambiguous_timestamp(wall).compatible().ok().map(Timestamp::from)
}

/// Keeps the earliest of what it is offered.
struct Earliest<'s> {
    span: &'s Span,
    most: usize,
    kept: Vec<((Timestamp, Id<Event>), Occurrence)>,
    /// Nothing from here on is among the earliest.
    bound: Option<Timestamp>,
    more: bool,
}

impl Earliest<'_> {
    /// Takes an occurrence if it is within the span and among the earliest. False when nothing that
    /// starts later is wanted any more.
    fn offer(&mut self, event: &Stored<Event>, at: At) -> bool {
        if !self.span.holds(&at) {
            return true;
        }
        let place = self.span.place(&at);
        if self.bound.is_some_and(|bound| place > bound) {
            self.more = true;
            return false;
        }
        self.kept.push(((place, event.id), Occurrence { event: event.clone(), at }));
        if self.kept.len() > 2 * self.most {
            self.cut();
        }
        true
    }

    /// Whether what follows in the order of days in UTC cannot be among the earliest either.
    fn is_far_behind(&self, at: &At) -> bool {
        self.bound.is_some_and(|bound| self.span.place(at) > bound.plus_seconds(2 * 86_400))
    }

    fn cut(&mut self) {
        self.kept.sort_by_key(|(place, _)| *place);
        if self.kept.len() > self.most {
            self.more = true;
            self.kept.truncate(self.most);
            self.bound = self.kept.last().map(|((at, _), _)| *at);
        }
    }
}
