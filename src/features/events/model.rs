//! The event record and its validation.

use jiff::{civil::Date, tz::TimeZone};
use poem_openapi::types::ParseFromParameter as _;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use super::recurrence::{LastDay, Rule, Window};
use crate::{
    feature::{Color, FieldValues},
    features::customers::Customer,
    kernel::{Day, Document, Error, FieldText, Heading, Id, MemberId, Result, Timestamp, error::Faults, text},
    store::{Counters, History, Lookups, Record, Stored, TenantRecord},
};

/// Index of single events by length class (a digit) and start day (UTC). Long events have their own classes, so that a
/// search for events that began long ago does not read all short events since then.
pub const BY_START: u16 = 1_140;
/// Index of recurring events by the last day of their last occurrence; `9999-12-31` for those without an end.
pub const RECURRING: u16 = 1_141;

/// Index of events by the customers who attend them.
pub const BY_CUSTOMER: u16 = 1_142;

/// Prefix of the counters of single all-day events by first day.
pub const DAYS_FIGURE: &str = "events/days/";
/// The series of single timed events by the minute at which they start, so that those of a day and those that have begun
/// are counted in every time zone.
pub const STARTS_SERIES: &str = "events/starts";

/// Upper limits, in days, of the length classes in `BY_START`.
pub const LENGTHS: [i64; 4] = [1, 7, 31, LONGEST];
/// Maximum length of an event in days.
const LONGEST: i64 = 366;
/// Maximum number of attendees of an event.
const ATTENDEES: usize = 200;
/// Maximum number of reminders of an event, and the earliest in minutes before it (4 weeks).
const REMINDERS: usize = 5;
const EARLIEST_REMINDER: u32 = 40_320;

/// An attendee.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Attendee {
    /// A member of the tenant.
    Member(MemberId),
    /// A customer.
    Customer(Id<Customer>),
}

impl Attendee {
    /// Returns the member, if it is one.
    pub const fn member(&self) -> Option<MemberId> {
        match self {
            Self::Member(member) => Some(*member),
            Self::Customer(_) => None,
        }
    }

    /// Returns the customer, if it is one.
    pub const fn customer(&self) -> Option<Id<Customer>> {
        match self {
            Self::Member(_) => None,
            Self::Customer(customer) => Some(*customer),
        }
    }
}

/// The times of an event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum When {
    /// From one instant to another.
    Timed {
        /// The start.
        start: Timestamp,
        /// The end, not before the start.
        end: Timestamp,
        /// The IANA time zone in which a recurring event keeps its time of day.
        timezone: String,
    },
    /// On whole days, independent of the time zone.
    AllDay {
        /// The first day.
        start_date: Day,
        /// The last day, inclusive.
        end_date: Day,
    },
}

/// A calendar event.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// The title.
    pub title: String,
    /// Plain text.
    pub description: Option<String>,
    /// The location.
    pub location: Option<String>,
    /// The name of a `Color`.
    pub color: Option<String>,
    /// The times of the event, or of the first occurrence of a recurring one.
    pub when: When,
    /// The recurrence rule: an RRULE.
    pub recurrence: Option<String>,
    /// The last day of the last occurrence, of a recurring event that ends; set by `normalize`.
    pub last_day: Option<Day>,
    /// The attendees.
    #[serde(default)]
    pub attendees: Vec<Attendee>,
    /// Minutes before the start, in ascending order.
    #[serde(default)]
    pub reminders: Vec<u32>,
    /// The values of custom fields.
    #[serde(default, skip_serializing_if = "FieldValues::is_empty")]
    pub fields: FieldValues,
}

impl Record for Event {
    type Key = Self;
    const KIND: &'static str = "event";
    const TABLE: u16 = 32;
    const HISTORY: Option<History> = Some(History { except: &["last_day"], in_parts: &["fields"] });
    fn lookups(record: &Stored<Self>, out: &mut Lookups) {
        if record.recurrence.is_some() {
            let last = record.last_day.map_or_else(|| "9999-12-31".to_owned(), |day| day.to_string());
            out.multi(RECURRING, last);
        } else {
            let days = days_between(record.when.first_day(), record.when.last_day());
            let class = LENGTHS.iter().position(|most| days <= *most).unwrap_or(LENGTHS.len() - 1);
            out.multi(BY_START, by_start(class, record.when.first_day()));
        }
        for attendee in &record.attendees {
            if let Attendee::Customer(customer) = attendee {
                out.multi(BY_CUSTOMER, customer.as_bytes());
            }
        }
    }
    fn counters(record: &Stored<Self>, out: &mut Counters) {
        // Recurring events are not counted; readers expand them.
        if record.recurrence.is_none() {
            match &record.when {
                When::Timed { start, .. } => out.add_at_minute(STARTS_SERIES, *start, 1),
                When::AllDay { start_date, .. } => out.add(format!("{DAYS_FIGURE}{start_date}"), 1),
            }
        }
    }
    fn document(record: &Stored<Self>) -> Option<Document> {
        Some(Document {
            subtitle: FieldText::of("location", record.location.as_deref()).collect(),
            body: FieldText::of("description", record.description.as_deref()).collect(),
            ..record.document(Heading::Events, &record.title)
        })
    }
    fn title(&self) -> Option<String> {
        Some(self.title.clone())
    }
}
impl TenantRecord for Event {}

/// Returns the `BY_START` value of an event in a length class.
pub fn by_start(class: usize, day: Day) -> String {
    format!("{class}{day}")
}

fn days_between(from: Day, to: Day) -> i64 {
    i64::from((to.0 - from.0).get_days())
}

impl When {
    /// Returns the start; an all-day event's first day begins at midnight UTC.
    pub fn start_in_utc(&self) -> Timestamp {
        match self {
            Self::Timed { start, .. } => *start,
            Self::AllDay { start_date, .. } => start_date.start_in("UTC"),
        }
    }

    /// Returns the first day: an all-day event's own, or the UTC day of a timed event's start.
    pub fn first_day(&self) -> Day {
        match self {
            Self::Timed { start, .. } => start.day_in("UTC"),
            Self::AllDay { start_date, .. } => *start_date,
        }
    }

    /// Returns the last day: an all-day event's own, or the UTC day of a timed event's end.
    pub fn last_day(&self) -> Day {
        match self {
            Self::Timed { end, .. } => end.day_in("UTC"),
            Self::AllDay { end_date, .. } => *end_date,
        }
    }

    /// Returns the name of the API field of the start.
    pub const fn start_field(&self) -> &'static str {
        match self {
            Self::Timed { .. } => "start",
            Self::AllDay { .. } => "startDate",
        }
    }

    /// Returns the start in wall-clock time of the zone in which the event repeats, and that zone.
    pub fn on_wall(&self) -> (jiff::civil::DateTime, TimeZone) {
        match self {
            Self::Timed { start, timezone, .. } => {
                let zone = TimeZone::get(timezone).unwrap_or(TimeZone::UTC);
                (zone.to_datetime(start.jiff()), zone)
            }
            Self::AllDay { start_date, .. } => (start_date.0.to_datetime(jiff::civil::Time::midnight()), TimeZone::UTC),
        }
    }

    fn note_faults(&self, faults: &mut Faults) {
        let (start, end) = match self {
            Self::Timed { .. } => ("start", "end"),
            Self::AllDay { .. } => ("startDate", "endDate"),
        };
        let backwards = match self {
            Self::Timed { start, end, .. } => end < start,
            Self::AllDay { start_date, end_date } => end_date < start_date,
        };
        if backwards {
            faults.add(end, "errors.fields.end_before_start");
        }
        faults.day(start, self.first_day(), Day::PLANNED);
        if days_between(self.first_day(), self.last_day()) > LONGEST {
            faults.add_with(end, "errors.fields.span_too_long", vec![("max", LONGEST.to_string())]);
        }
        if let Self::Timed { timezone, .. } = self
            && TimeZone::get(timezone).is_err()
        {
            faults.add("timezone", "errors.fields.timezone");
        }
    }
}

impl Event {
    /// Validates everything that needs neither other records nor the expansion of the recurrence.
    /// Errors: `invalid` with every invalid field.
    pub fn check(&self) -> Result<()> {
        let mut faults = Faults::default();
        faults.required("title", &self.title, 200);
        faults.at_most("description", self.description.as_deref().unwrap_or(""), 5_000);
        faults.at_most("location", self.location.as_deref().unwrap_or(""), 300);
        if self.color.as_deref().is_some_and(|color| Color::parse_from_parameter(color).is_err()) {
            faults.add("color", "errors.fields.color");
        }
        self.when.note_faults(&mut faults);
        if self.recurrence.as_deref().is_some_and(|rule| Rule::parse(rule).is_none()) {
            faults.add("recurrence", "errors.fields.recurrence");
        }
        if self.attendees.len() > ATTENDEES {
            faults.add_with("attendees", "errors.fields.too_many", vec![("max", ATTENDEES.to_string())]);
        }
        if self.reminders.len() > REMINDERS {
            faults.add_with("reminders", "errors.fields.too_many", vec![("max", REMINDERS.to_string())]);
        }
        for (place, minutes) in self.reminders.iter().enumerate() {
            if *minutes > EARLIEST_REMINDER {
                let params = vec![("min", "0".to_owned()), ("max", EARLIEST_REMINDER.to_string())];
                faults.add_with(format!("reminders.{place}"), "errors.fields.range", params);
            }
        }
        faults.into_result()
    }

    /// Number of days from a recurring event's last start to `last_day`: its length plus one, because days of timed
    /// events are counted in UTC.
    fn days_after_last_time(&self) -> i64 {
        days_between(self.when.first_day(), self.when.last_day()) + 1
    }

    /// Returns the day of a recurring event's last start in wall-clock time, when it ends.
    pub(super) fn last_time(&self) -> Option<Date> {
        self.last_day.map(|day| day.plus_days(-self.days_after_last_time()).0)
    }

    /// Validates and normalizes the event, and computes the end of its recurrence. Takes some milliseconds for long
    /// rules.
    /// Errors: As `check`; `invalid` at `recurrence` when the rule has no second occurrence, ends before it starts, or
    /// repeats too rarely.
    pub fn normalize(mut self) -> Result<Self> {
        self.title = text::line(&self.title);
        self.location = text::filled(self.location.as_deref().map(text::line));
        self.check()?;
        self.reminders.sort_unstable();
        self.reminders.dedup();
        let mut seen = std::collections::HashSet::new();
        self.attendees.retain(|attendee| seen.insert(*attendee));
        self.last_day = None;
        if let Some(text) = &self.recurrence {
            let fault = |text| Error::field("recurrence", text);
            let rule = Rule::parse(text).ok_or_else(|| fault("errors.fields.recurrence"))?;
            let (start, zone) = self.when.on_wall();
            if rule.times(start, Window::all(start), &zone).is_none() {
                return Err(fault("errors.fields.recurrence_over"));
            }
            if !rule.repeats(start) {
                return Err(fault("errors.fields.recurrence_never"));
            }
            self.last_day = match rule.last_day(start, &zone) {
                LastDay::Never => None,
                LastDay::On(day) => Some(Day(day).plus_days(self.days_after_last_time())),
                LastDay::TooRare => return Err(fault("errors.fields.recurrence_rare")),
            };
            self.recurrence = Some(rule.text());
        }
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event() -> Event {
        let day: Day = "2026-11-21".parse().unwrap();
        Event {
            title: " Meeting ".into(),
            description: None,
            location: None,
            color: Some("teal".into()),
            when: When::AllDay { start_date: day, end_date: day },
            recurrence: None,
            last_day: None,
            attendees: Vec::new(),
            reminders: vec![60, 10, 60],
            fields: FieldValues::default(),
        }
    }

    #[test]
    fn normalizes_equivalent_spellings() {
        let normalized = Event { recurrence: Some("rrule:freq=weekly;count=3".into()), ..event() }.normalize().unwrap();
        assert_eq!((normalized.title.as_str(), normalized.reminders.as_slice()), ("Meeting", [10, 60].as_slice()));
        assert_eq!(normalized.recurrence.as_deref(), Some("FREQ=WEEKLY;COUNT=3"));
        assert_eq!(normalized.last_day.unwrap().to_string(), "2026-12-06");
        assert_eq!(normalized.clone().normalize().unwrap(), normalized);
    }

    #[test]
    fn rejects_rules_with_no_or_too_rare_occurrences() {
        for (rule, text) in [
            ("FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30", "errors.fields.recurrence_never"),
            ("FREQ=DAILY;UNTIL=20200101", "errors.fields.recurrence_over"),
            ("FREQ=MONTHLY;BYDAY=9MO", "errors.fields.recurrence"),
            ("FREQ=YEARLY;BYYEARDAY=366;BYDAY=SU;COUNT=1000", "errors.fields.recurrence_rare"),
        ] {
            let error = Event { recurrence: Some(rule.into()), ..event() }.normalize().unwrap_err();
            let field = &error.fields()[0];
            assert_eq!((field.0.as_str(), field.1.key), ("recurrence", text), "{rule}");
        }
        for rule in ["FREQ=DAILY;COUNT=1", "FREQ=DAILY;UNTIL=20261121", "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29"] {
            assert!(Event { recurrence: Some(rule.into()), ..event() }.normalize().is_ok(), "{rule}");
        }
    }

    #[test]
    fn stored_event_round_trips() {
        let timed = Event {
            when: When::Timed {
                start: Timestamp::from_millis(1_795_253_400_000),
                end: Timestamp::from_millis(1_795_257_000_000),
                timezone: "Europe/Madrid".into(),
            },
            attendees: vec![Attendee::Member(Id::from_bytes([1; 16])), Attendee::Customer(Id::from_bytes([2; 16]))],
            ..event()
        };
        for event in [event(), timed] {
            let bytes = rmp_serde::to_vec_named(&event).unwrap();
            assert_eq!(rmp_serde::from_slice::<Event>(&bytes).unwrap(), event);
        }
    }
}
