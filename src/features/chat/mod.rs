//! Chat: conversations between two members of a company. Both sides see one conversation, each with
//! their own count of what is unread and their own choice to mute it.

mod api;
mod contacts;
mod model;
pub mod rules;
#[cfg(test)]
mod tests;

pub use api::Api;
pub use model::{ChatMessage, Conversation, Side};

use crate::feature::Feature;

/// What the house knows of it.
pub const FEATURE: Feature = Feature { name: "chat", searchable: &[] };
