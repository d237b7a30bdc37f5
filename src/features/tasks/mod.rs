//! Tasks: things to do, in an order that people give them, under sections.

mod api;
mod model;
pub mod rules;
pub mod tidings;

pub use api::Api;
pub use model::{Subtask, Task, TaskType};

use crate::{
    access::permission::Permission,
    feature::{Feature, News, Searchable},
};

/// What the house knows of it.
pub const FEATURE: Feature =
    Feature { name: "tasks", searchable: &[Searchable::of::<Task>()], news: &[News::held::<Task>(Permission::Read)] };

#[cfg(test)]
mod tests;
