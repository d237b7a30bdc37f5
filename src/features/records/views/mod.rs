//! Saved views of lists: filters, words, order and columns under a name, for their author or for the whole company. Each
//! member chooses the view with which a list opens.

mod api;
mod model;
mod rules;
#[cfg(test)]
mod tests;

pub use api::Api;
pub use model::{SavedView, ViewDefaults};
pub use rules::{restrict_never_shared, show_column};
