//! Chat: conversations of two and named groups. All members see one conversation, each with their own count
//! of what is unread and their own choice to mute it; nobody else finds it.

mod api;
mod contacts;
mod emoji;
pub mod find;
mod message;
mod model;
pub mod notifications;
mod requests;
pub mod rules;
#[cfg(test)]
mod tests;
mod views;

pub use api::Api;
pub use message::{ChatMessage, GroupEventKind, Mention, Reference, ReferenceKind};
pub use model::{ChatRead, Conversation, Membership};
pub use views::{ChatView, MessageView, Presenter, ReadView};

use crate::feature::{Feature, LiveKind, Searchable};

/// What the house knows of it.
pub const FEATURE: Feature = Feature {
    name: "chat",
    searchable: &[Searchable::of::<ChatMessage>()],
    live: &[
        LiveKind::to_owner::<Membership>(),
        LiveKind::to_members::<ChatMessage>(rules::hearers),
        LiveKind::to_members::<ChatRead>(rules::hearers_of_mark),
    ],
};
