//! Tasks: things to do, in an order that people give them, under sections.

mod api;
mod model;
pub mod notifications;
pub mod rules;

pub use api::Api;
pub use model::{Subtask, Task, TaskType};

use crate::{
    access::permission::Permission,
    feature::{Feature, LiveKind, Searchable},
};

/// What the house knows of it.
pub const FEATURE: Feature = Feature {
    name: "tasks",
    searchable: &[Searchable::of::<Task>()],
    live: &[LiveKind::to_holders::<Task>(Permission::Read)],
};

#[cfg(test)]
mod tests;
