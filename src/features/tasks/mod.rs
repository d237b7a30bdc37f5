//! Tasks: things to do, in an order that people give them, under sections.

mod api;
mod model;
pub mod rules;

pub use api::Api;
pub use model::{Subtask, Task, TaskType};

use crate::feature::{Feature, Searchable};

/// What the house knows of it.
pub const FEATURE: Feature = Feature { name: "tasks", searchable: &[Searchable::of::<Task>()] };

#[cfg(test)]
mod tests;
