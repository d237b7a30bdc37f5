//! Tasks, in a manual order, grouped by sections.

mod api;
mod model;
pub mod notifications;
pub mod rules;

pub use api::Api;
pub use model::{Subtask, Task, TaskType};

use crate::{
    feature::{Feature, LiveKind, Searchable},
    people::permission::Permission,
};

/// Feature registration.
pub const FEATURE: Feature = Feature {
    name: "tasks",
    searchable: &[Searchable::of::<Task>()],
    live: &[LiveKind::to_holders::<Task>(Permission::Read)],
};

#[cfg(test)]
mod tests;
