//! Calendar events: single or recurring, timed or on whole days, with attendees. An all-day event has the same day in
//! every time zone; a timed one is an instant and repeats in wall-clock time.

mod api;
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
pub use occurrences::{At, Found, Occurrence, Span, starts, today, within};

use crate::{
    feature::{Feature, LiveKind},
    people::permission::Permission,
};

/// Feature registration.
pub const FEATURE: Feature =
    Feature { name: "events", searchable: &[], live: &[LiveKind::to_holders::<Event>(Permission::Read)] };
