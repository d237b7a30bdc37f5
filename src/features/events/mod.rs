//! Calendar events: single or recurring, timed or on whole days, with attendees. An all-day event has the same day in
//! every time zone; a timed one is an instant and repeats in wall-clock time.

mod api;
mod bulk;
mod model;
pub mod notifications;
mod occurrences;
mod recurrence;
pub mod reminders;
pub mod rules;
mod series;
#[cfg(test)]
mod tests;

pub use api::Api;
pub use model::{Attendee, Event, When};
pub use occurrences::{At, Found, Occurrence, Span, started, today, within};

use uuid::Uuid;

use crate::{
    feature::{
        Color, ColumnType, Feature, FieldAccess, FieldReference, KindRecord, KindRights, ListColumn, Menu, RecordKind,
        Summary,
        columns::{checkbox, ids, texts, time, words},
    },
    features::customers::Customer,
    kernel::{Id, MemberId, Result},
    people::permission::{EventsDelete, EventsDeleteOwn, EventsRead, EventsWrite},
    store::{Record as _, Stored, TenantRead, TenantWrite},
};

/// Feature registration.
pub const FEATURE: Feature = Feature::new("events").with_kinds(&[KIND]);

/// The description of the kind.
const KIND: RecordKind =
    RecordKind::of::<Event>("events", KindRights::of::<EventsRead, EventsWrite, EventsDeleteOwn, EventsDelete>())
        .in_bulk::<Event>()
        .in_menu(Menu {
            position: 10,
            icon: "calendar-days",
            link: "/events",
            count: Some(|tx, _, now, zone| today(tx, now, zone).map(|count| count as u64)),
        });

impl KindRecord for Event {
    const COLUMNS: &'static [ListColumn<Self>] = &[
        ListColumn::new("title", ColumnType::Text, |one| texts([&one.title])),
        ListColumn::new("start", ColumnType::Time, |one| vec![time(one.when.start_in_utc())]),
        ListColumn::new("allDay", ColumnType::Checkbox, |one| vec![checkbox(matches!(one.when, When::AllDay { .. }))]),
        ListColumn::new("recurring", ColumnType::Checkbox, |one| vec![checkbox(one.recurrence.is_some())]),
        ListColumn::new("location", ColumnType::Text, |one| texts(&one.location)),
        ListColumn::choice_of::<Color>("color", |one| words(&one.color)),
        ListColumn::new("memberId", ColumnType::Member, |one| ids(one.attendees.iter().filter_map(Attendee::member))),
        ListColumn::record("customerId", Customer::KIND, |one| {
            ids(one.attendees.iter().filter_map(Attendee::customer))
        }),
    ];

    const VALUES: Option<FieldAccess<Self>> =
        Some(FieldAccess { get: |one| &one.fields, get_mut: |one| &mut one.fields });

    const REFERENCES: &'static [FieldReference] =
        &[FieldReference { field: "attendees", target: Customer::KIND, lookup: Some(model::BY_CUSTOMER) }];

    fn replace_references(&mut self, target: Uuid, by: Option<Uuid>) {
        let Some(by) = by.map(|by| Attendee::Customer(Id::from(by))) else {
            self.attendees.retain(|attendee| !matches!(attendee, Attendee::Customer(one) if one.uuid() == target));
            return;
        };
        if self.attendees.contains(&by) {
            return;
        }
        for attendee in &mut self.attendees {
            if matches!(attendee, Attendee::Customer(one) if one.uuid() == target) {
                *attendee = by;
            }
        }
    }

    fn followers(record: &Stored<Self>) -> Vec<MemberId> {
        record.attendees.iter().filter_map(Attendee::member).collect()
    }

    fn summary(_tx: &TenantRead<'_>, record: &Stored<Self>) -> Result<Option<Summary>> {
        Ok(Some(Summary { title: record.title.clone(), subtitle: record.location.clone(), done: None }))
    }

    fn after_restore(tx: &TenantWrite<'_>, record: &Stored<Self>, quiet: bool) -> Result<()> {
        if quiet { Ok(()) } else { notifications::notify_restored(tx, record) }
    }
}
