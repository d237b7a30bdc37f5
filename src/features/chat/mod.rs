//! Chat: conversations of two members and named groups. All members share the conversation, each with their own unread
//! count and mute setting; other members of the tenant cannot find it.

mod api;
mod contacts;
pub mod find;
mod mentions;
mod message;
mod model;
pub mod notifications;
mod requests;
pub mod rules;
#[cfg(test)]
mod tests;
mod views;

pub use api::Api;
pub use message::{ChatMessage, GroupEventKind};
pub use model::{ChatRead, Conversation, Membership};
pub use views::{ChatView, MessageView, Presenter, ReadView};

use crate::{
    feature::{ExcerptSource, Feature, LiveKind, Searchable, shows_file},
    store::Record,
};

/// Registration of the feature.
pub const FEATURE: Feature = Feature::new("chat")
    .with_searchable(&[Searchable::of::<ChatMessage>()])
    .with_live(&[
        LiveKind::to_owner::<Membership>(),
        LiveKind::to_members::<ChatMessage>(rules::audience),
        LiveKind::to_members::<ChatRead>(rules::audience_of_mark),
    ])
    .with_mentions(mentions::find)
    .with_excerpts(&[ExcerptSource { kind: <ChatMessage as Record>::KIND, find: notifications::find_excerpt }])
    .with_files(&[|tx, reader, media| {
        shows_file::<ChatMessage>(tx, model::BY_FILE, media, |message| {
            let own = tx.person(reader.id).find::<Membership>(message.conversation);
            !message.removed && own.is_ok_and(|own| own.is_some())
        })
    }]);
