//! Custom fields of records of all kinds: administrators define them, members fill them in.

mod api;
mod purge;
mod rules;
#[cfg(test)]
mod tests;
mod values;

pub use api::Api;
pub use purge::purge_expired;
pub use rules::{FieldDraft, create as define, remove};
pub use values::{ShownValues, check_values, hide_unused, prepare_values, shown, shown_page};
