//! The statuses of a company's customers, such as *lead*, in their order.

mod api;
mod model;
mod rules;
#[cfg(test)]
mod tests;

pub use api::Api;
pub use model::{Status, Statuses, check_months};
pub use rules::{actor, move_some, waiting};
