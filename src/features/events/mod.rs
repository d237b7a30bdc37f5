//! The calendar: things that happen at a time or on a day, once or again and again, with the people who
//! come. A day is a day everywhere; a time is one instant, and repeats by the clock on the wall.

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
    access::permission::Permission,
    feature::{Feature, LiveKind},
};

/// What the house knows of it.
pub const FEATURE: Feature =
    Feature { name: "events", searchable: &[], live: &[LiveKind::to_holders::<Event>(Permission::Read)] };
