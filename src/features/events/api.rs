//! HTTP API for events.

use poem_openapi::{
    Enum, Object, OpenApi,
    param::{Path, Query},
    types::MaybeUndefined,
};
use serde::Serialize;
use serde_with::skip_serializing_none;

use super::{
    model::{Attendee, Event, When},
    occurrences::{self, At, Found, Occurrence, Place, Span},
    rules::{self, Prepared},
    series::{self, Scope},
};
use crate::{
    access::Member,
    feature::FieldValues,
    features::{
        customers::Customer,
        records::{
            bin,
            fields::{hide_unused, shown},
            lists::{self, ColumnList},
        },
    },
    kernel::{Code, Day, Error, Heading, Id, MemberId, Result, Timestamp, error::Faults},
    people::permission::{EventsDelete, EventsDeleteOwn, EventsRead, EventsWrite, Right},
    store::{Stored, TenantRead},
    wire::{Created, IdempotencyKey, IfMatch, Json, JsonResponse, Listed, NoContent, NotNull, Reply, Versioned},
};

/// Maximum number of occurrences in one response.
const MOST: usize = 2_000;

/// An attendee: a member or a customer.
#[skip_serializing_none]
#[derive(Clone, Debug, Serialize, Object)]
#[oai(rename = "Attendee", rename_all = "camelCase", skip_serializing_if_is_none, deny_unknown_fields)]
#[serde(rename_all = "camelCase")]
struct AttendeeView {
    member_id: Option<MemberId>,
    customer_id: Option<Id<Customer>>,
}

impl From<Attendee> for AttendeeView {
    fn from(attendee: Attendee) -> Self {
        match attendee {
            Attendee::Member(id) => Self { member_id: Some(id), customer_id: None },
            Attendee::Customer(id) => Self { member_id: None, customer_id: Some(id) },
        }
    }
}

fn attendees(views: Vec<AttendeeView>) -> Result<Vec<Attendee>> {
    let mut faults = Faults::default();
    let mut attendees = Vec::with_capacity(views.len());
    for (place, view) in views.into_iter().enumerate() {
        match (view.member_id, view.customer_id) {
            (Some(id), None) => attendees.push(Attendee::Member(id)),
            (None, Some(id)) => attendees.push(Attendee::Customer(id)),
            _ => faults.add(format!("attendees.{place}"), "errors.fields.attendee"),
        }
    }
    faults.into_result()?;
    Ok(attendees)
}

/// An event. Timed ones have `start`, `end` and `timezone`; all-day ones `startDate` and `endDate`.
#[skip_serializing_none]
#[derive(Debug, Serialize, Object)]
#[oai(rename = "Event", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct View {
    id: Id<Event>,
    version: u64,
    created_at: Timestamp,
    updated_at: Timestamp,
    created_by: Option<MemberId>,
    title: String,
    /// Plain text.
    description: Option<String>,
    location: Option<String>,
    /// One of gray, red, orange, yellow, green, teal, blue, indigo, purple, pink.
    color: Option<String>,
    all_day: bool,
    start: Option<Timestamp>,
    end: Option<Timestamp>,
    /// The IANA time zone in which a recurring event keeps its time of day.
    timezone: Option<String>,
    start_date: Option<Day>,
    /// The last day, inclusive.
    end_date: Option<Day>,
    /// The recurrence rule: an RRULE of RFC 5545 that repeats at most daily.
    recurrence: Option<String>,
    attendees: Vec<AttendeeView>,
    /// Minutes before the start.
    reminders: Vec<u32>,
    fields: FieldValues,
}

impl From<Stored<Event>> for View {
    fn from(record: Stored<Event>) -> Self {
        let Event { title, description, location, color, when, recurrence, last_day: _, attendees, reminders, fields } =
            record.value;
        let times = Times::from(when);
        Self {
            id: record.id,
            version: record.version,
            created_at: record.created_at,
            updated_at: record.updated_at,
            created_by: record.created_by,
            title,
            description,
            location,
            color,
            all_day: times.all_day,
            start: times.start,
            end: times.end,
            timezone: times.timezone,
            start_date: times.start_date,
            end_date: times.end_date,
            recurrence,
            attendees: attendees.into_iter().map(AttendeeView::from).collect(),
            reminders,
            fields,
        }
    }
}

/// An occurrence of an event: the event with the `start` and `end`, or `startDate` and `endDate`, of this occurrence.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "EventOccurrence", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct OccurrenceView {
    /// The id of the event.
    event_id: Id<Event>,
    /// The start that identifies the occurrence: an instant or a day.
    occurrence: String,
    #[oai(flatten)]
    #[serde(flatten)]
    event: View,
}

impl From<Occurrence> for OccurrenceView {
    fn from(found: Occurrence) -> Self {
        let event_id = found.event.id;
        let mut event = View::from(found.event);
        let occurrence = found.at.start();
        match found.at {
            At::Timed { start, end } => (event.start, event.end) = (Some(start), Some(end)),
            At::AllDay { start, end } => (event.start_date, event.end_date) = (Some(start), Some(end)),
        }
        Self { event_id, occurrence, event }
    }
}

/// The occurrences in a span of the calendar.
#[skip_serializing_none]
#[derive(Debug, Serialize, Object)]
#[oai(rename = "EventOccurrences", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
struct Occurrences {
    /// The occurrences in order of their starts, at most 2,000; fewer when the events take more than 4 MiB.
    items: Vec<OccurrenceView>,
    /// The number of items.
    total: usize,
    /// Whether the span has more occurrences: continue with `nextCursor`.
    more: bool,
    /// The `cursor` of the following occurrences of the same span; absent when there are none.
    next_cursor: Option<String>,
}

/// The times of an event as sent in requests and responses.
#[derive(Default)]
struct Times {
    all_day: bool,
    start: Option<Timestamp>,
    end: Option<Timestamp>,
    timezone: Option<String>,
    start_date: Option<Day>,
    end_date: Option<Day>,
}

impl From<When> for Times {
    fn from(when: When) -> Self {
        match when {
            When::Timed { start, end, timezone } => {
                Self { start: Some(start), end: Some(end), timezone: Some(timezone), ..Self::default() }
            }
            When::AllDay { start_date, end_date } => {
                Self { all_day: true, start_date: Some(start_date), end_date: Some(end_date), ..Self::default() }
            }
        }
    }
}

impl Times {
    /// Validates the times. A timed event without a time zone repeats in `zone`.
    fn when(self, zone: &str) -> Result<When> {
        let mut faults = Faults::default();
        let when = if self.all_day {
            let foreign =
                [("start", self.start.is_some()), ("end", self.end.is_some()), ("timezone", self.timezone.is_some())];
            for (field, _) in foreign.into_iter().filter(|(_, there)| *there) {
                faults.add(field, "errors.fields.all_day");
            }
            let start_date = self.start_date;
            if start_date.is_none() {
                faults.add("startDate", "errors.fields.required");
            }
            start_date.map(|start_date| When::AllDay { start_date, end_date: self.end_date.unwrap_or(start_date) })
        } else {
            for (field, there) in [("startDate", self.start_date.is_some()), ("endDate", self.end_date.is_some())] {
                if there {
                    faults.add(field, "errors.fields.not_all_day");
                }
            }
            for (field, there) in [("start", self.start.is_some()), ("end", self.end.is_some())] {
                if !there {
                    faults.add(field, "errors.fields.required");
                }
            }
            let timezone = self.timezone.unwrap_or_else(|| zone.to_owned());
            self.start.zip(self.end).map(|(start, end)| When::Timed { start, end, timezone })
        };
        faults.into_result()?;
        when.ok_or_else(|| Error::internal("an event without its times"))
    }
}

/// A new event: timed with `start` and `end`, or all-day with `startDate` and an optional `endDate`, without which it
/// lasts one day.
#[derive(Object)]
#[oai(rename = "NewEvent", rename_all = "camelCase", deny_unknown_fields)]
struct New {
    title: String,
    /// Plain text of at most 5,000 characters.
    description: Option<String>,
    location: Option<String>,
    /// One of gray, red, orange, yellow, green, teal, blue, indigo, purple, pink.
    color: Option<String>,
    #[oai(default)]
    all_day: bool,
    /// An instant with a UTC offset or `Z`.
    start: Option<Timestamp>,
    /// An instant with a UTC offset or `Z`.
    end: Option<Timestamp>,
    /// The IANA time zone in which a recurring event keeps its time of day; the caller's time zone by default.
    timezone: Option<String>,
    start_date: Option<Day>,
    /// The last day, inclusive.
    end_date: Option<Day>,
    /// An RRULE of RFC 5545 that repeats at most daily, with `COUNT` up to 1,000 and `INTERVAL` up to 366.
    recurrence: Option<String>,
    /// At most 200 attendees.
    #[oai(default)]
    attendees: Vec<AttendeeView>,
    /// Minutes before the start, 0 to 40,320; at most 5 reminders.
    #[oai(default)]
    reminders: Vec<u32>,
    #[oai(default)]
    fields: FieldValues,
}

impl New {
    fn into_event(self, zone: &str) -> Result<Event> {
        let times = Times {
            all_day: self.all_day,
            start: self.start,
            end: self.end,
            timezone: self.timezone,
            start_date: self.start_date,
            end_date: self.end_date,
        };
        Ok(Event {
            title: self.title,
            description: self.description,
            location: self.location,
            color: self.color,
            when: times.when(zone)?,
            recurrence: self.recurrence,
            last_day: None,
            attendees: attendees(self.attendees)?,
            reminders: self.reminders,
            fields: self.fields,
        })
    }
}

/// Changes to an event. Absent fields stay unchanged; null clears a field. A changed `allDay` requires the times of the
/// new kind and removes those of the old one.
#[derive(Clone, Object)]
#[oai(rename = "EventPatch", rename_all = "camelCase", deny_unknown_fields)]
struct Patch {
    title: NotNull<String>,
    description: MaybeUndefined<String>,
    location: MaybeUndefined<String>,
    color: MaybeUndefined<String>,
    all_day: NotNull<bool>,
    start: MaybeUndefined<Timestamp>,
    end: MaybeUndefined<Timestamp>,
    timezone: MaybeUndefined<String>,
    start_date: MaybeUndefined<Day>,
    end_date: MaybeUndefined<Day>,
    recurrence: MaybeUndefined<String>,
    attendees: NotNull<Vec<AttendeeView>>,
    reminders: NotNull<Vec<u32>>,
    /// Values of custom fields. Absent ones stay unchanged.
    fields: NotNull<FieldValues>,
}

impl Patch {
    fn apply(self, event: &mut Event, zone: &str) -> Result<()> {
        let mut times = Times::from(event.when.clone());
        if let Some(all_day) = self.all_day.into_option()
            && all_day != times.all_day
        {
            times = Times { all_day, ..Times::default() };
        }
        self.start.update_to(&mut times.start);
        self.end.update_to(&mut times.end);
        self.timezone.update_to(&mut times.timezone);
        self.start_date.update_to(&mut times.start_date);
        self.end_date.update_to(&mut times.end_date);
        event.when = times.when(zone)?;
        self.title.update_to(&mut event.title);
        self.description.update_to(&mut event.description);
        self.location.update_to(&mut event.location);
        self.color.update_to(&mut event.color);
        self.recurrence.update_to(&mut event.recurrence);
        if let Some(views) = self.attendees.into_option() {
            event.attendees = attendees(views)?;
        }
        self.reminders.update_to(&mut event.reminders);
        self.fields.into_option().into_iter().for_each(|values| event.fields.merge(values));
        Ok(())
    }
}

/// The occurrences of a recurring event that a call applies to.
#[derive(Clone, Copy, Debug, Enum)]
#[oai(rename = "EventScope", rename_all = "lowercase")]
enum ScopeName {
    /// All occurrences; the default.
    All,
    /// The occurrence that `occurrence` identifies, and those after it.
    Following,
}

impl ScopeName {
    fn scope(name: Option<Self>, occurrence: Option<&str>) -> Result<Scope> {
        match name {
            None | Some(Self::All) => Ok(Scope::All),
            Some(Self::Following) if occurrence.is_some() => Ok(Scope::Following),
            Some(Self::Following) => Err(Error::field("occurrence", "errors.fields.required")),
        }
    }
}

/// Returns the occurrences in a span as readers see them.
fn listed(tx: &TenantRead<'_>, span: &Span, after: Option<Place>) -> Result<Found> {
    let mut found = occurrences::page(tx, span, MOST, after)?;
    hide_unused(tx, found.items.iter_mut().map(|occurrence| &mut occurrence.event))?;
    Ok(found)
}

/// The event endpoints.
pub struct Api;

#[OpenApi(prefix_path = "/events", tag = "crate::wire::Tag::Events")]
impl Api {
    /// List events in a span of the calendar.
    ///
    /// A recurring event has one item for each occurrence in the span. All-day events are matched by the days of the
    /// span in the caller's time zone.
    #[oai(path = "/", method = "get", operation_id = "listEvents")]
    async fn list(
        &self,
        member: Member<EventsRead>,
        /// The start of the span: an instant with a UTC offset or `Z`, or a day, which begins at midnight in the
        /// caller's time zone.
        from: Query<String>,
        /// The end of the span, exclusive: at most 366 days later.
        to: Query<String>,
        cursor: Query<Option<String>>,
    ) -> Reply<JsonResponse<Occurrences>> {
        let span = Span::parse(&from.0, &to.0, member.timezone())?;
        let cursors = member.cursors();
        let after = cursors.paging(None, cursor.0.as_deref())?.after;
        let after = after.as_deref().map(occurrences::read_place).transpose()?;
        let found = member.read_blocking(move |tx| listed(tx, &span, after)).await?;
        let items: Vec<OccurrenceView> = found.items.into_iter().map(OccurrenceView::from).collect();
        let next_cursor = found.next.map(|place| cursors.cursor(occurrences::place_bytes(place))).transpose()?;
        Ok(JsonResponse(Occurrences { total: items.len(), items, more: next_cursor.is_some(), next_cursor }))
    }

    /// List events as records: a series once, with the times of its first occurrence.
    ///
    /// By `-start`, unless `sort` names another order. A filter is for example `start:gte:today`.
    #[oai(path = "/records", method = "get", operation_id = "listEventRecords")]
    async fn list_records(
        &self,
        member: Member<EventsRead>,
        limit: Query<Option<u32>>,
        cursor: Query<Option<String>>,
        q: Query<Option<String>>,
        sort: Query<Option<String>>,
        #[oai(default)] filter: Query<Vec<String>>,
    ) -> Reply<Listed<View>> {
        let paging = member.cursors().paging(limit.0, cursor.0.as_deref())?;
        let words = lists::words(Heading::Events, q.0);
        let list = ColumnList::new(filter.0, sort.0, "-start", words);
        lists::reply(&member, list, paging).await
    }

    /// Get an event.
    ///
    /// A recurring event has the times of its first occurrence, or of the requested one.
    /// Of one in the bin that the caller may restore, the 404 is `record_in_bin`, with `deletedAt`.
    #[oai(path = "/:id", method = "get", operation_id = "getEvent")]
    async fn get(
        &self,
        member: Member<EventsRead>,
        id: Path<Id<Event>>,
        /// An occurrence of the event, as identified by `listEvents`; 404 when there is none.
        occurrence: Query<Option<String>>,
    ) -> Reply<Versioned<View>> {
        let Some(occurrence) = occurrence.0 else {
            return Ok(Versioned::of(member.read(|tx| shown(tx, bin::get_or_binned(tx, member.reader(), id.0)?))?));
        };
        let reader = member.reader();
        let found = member.read_blocking(move |tx| {
            let mut event = bin::get_or_binned::<Event>(tx, reader, id.0)?;
            event.value = series::at(&event.value, &occurrence).map_err(|_| Error::new(Code::NotFound))?;
            shown(tx, event)
        });
        Ok(Versioned::of(found.await?))
    }

    /// Create an event.
    #[oai(path = "/", method = "post", operation_id = "createEvent")]
    async fn create(
        &self,
        member: Member<EventsWrite>,
        body: Json<New>,
        #[oai(name = "Idempotency-Key")] key: IdempotencyKey,
    ) -> Reply<Created<View>> {
        let event = body.0.into_event(member.timezone())?;
        let event = member.compute(move || event.normalize()).await?;
        let event = member
            .write_idempotent("events.create", key.0, body.1, move |tx| shown(tx, rules::create(tx, event)?))
            .await?;
        Ok(Created::in_list("/api/events", event))
    }

    /// Change an event.
    ///
    /// Changes all occurrences of a recurring event, or with `scope=following` one occurrence and those after it: these
    /// become a new event, which is returned, and the series ends before it.
    #[oai(path = "/:id", method = "patch", operation_id = "changeEvent")]
    async fn change(
        &self,
        member: Member<EventsWrite>,
        id: Path<Id<Event>>,
        body: Json<Patch>,
        /// The occurrence whose times the body changes, as identified by `listEvents`; the first one by default. With
        /// `scope=all` the other occurrences move by the same number of days and to the same time of day.
        occurrence: Query<Option<String>>,
        scope: Query<Option<ScopeName>>,
        #[oai(name = "If-Match")] if_match: IfMatch,
    ) -> Reply<Versioned<View>> {
        let scope = ScopeName::scope(scope.0, occurrence.0.as_deref())?;
        let patch = body.0;
        let zone = member.timezone().to_owned();
        let change = move |event: &Event| {
            series::change(event, occurrence.0.as_deref(), scope, |event| patch.clone().apply(event, &zone))
        };
        let base = member.read(|tx| tx.get(id.0))?.value;
        let prepare = change.clone();
        let prepared = member.compute(move || Ok(Prepared { changed: prepare(&base)?, base })).await?;
        let event = member.write(move |tx| shown(tx, rules::change(tx, id.0, if_match.0, prepared, change)?)).await?;
        Ok(Versioned::of(event))
    }

    /// Remove an event.
    ///
    /// Removes all occurrences, or with `scope=following` one occurrence and those after it. Members may remove events
    /// that they created; administrators may remove any.
    #[oai(path = "/:id", method = "delete", operation_id = "removeEvent")]
    async fn remove(
        &self,
        member: Member<EventsDeleteOwn>,
        id: Path<Id<Event>>,
        /// The first occurrence to remove with `scope=following`, as identified by `listEvents`.
        occurrence: Query<Option<String>>,
        scope: Query<Option<ScopeName>>,
        #[oai(name = "If-Match")] if_match: IfMatch,
    ) -> Reply<NoContent> {
        let any = member.may(EventsDelete::PERMISSION);
        let scope = ScopeName::scope(scope.0, occurrence.0.as_deref())?;
        let Some(occurrence) = occurrence.0.filter(|_| scope == Scope::Following) else {
            member.write(move |tx| rules::remove(tx, id.0, any, if_match.0)).await?;
            return Ok(NoContent);
        };
        let base = member.read(|tx| tx.get(id.0))?.value;
        let end = move |event: &Event| series::before(event, &occurrence);
        let prepare = end.clone();
        let prepared = member.compute(move || Ok(Prepared { changed: prepare(&base)?, base })).await?;
        member.write(move |tx| rules::end(tx, id.0, any, if_match.0, prepared, end)).await?;
        Ok(NoContent)
    }
}
