//! Chat: conversations of two and named groups. All members see one conversation, each with their own count
//! of what is unread and their own choice to mute it; nobody else finds it.

mod api;
mod asked;
mod contacts;
mod emoji;
pub mod find;
mod message;
mod model;
pub mod rules;
#[cfg(test)]
mod tests;
pub mod tidings;
mod views;

pub use api::Api;
pub use message::{ChatMessage, Mention, Reference, ReferenceKind, What};
pub use model::{ChatRead, Conversation, Side};
pub use views::{ChatView, Eye, MessageView, ReadView};

use crate::feature::{Feature, News, Searchable};

/// What the house knows of it.
pub const FEATURE: Feature = Feature {
    name: "chat",
    searchable: &[Searchable::of::<ChatMessage>()],
    news: &[
        News::own::<Side>(),
        News::told::<ChatMessage>(rules::hearers),
        News::told::<ChatRead>(rules::hearers_of_mark),
    ],
};
