//! Search of chat messages. The index keeps the messages of each conversation under its own [`SearchScope`], and a
//! search names the scopes of the conversations that the caller is in at that moment, so it cannot find messages of
//! others.

use super::{message::ChatMessage, model::Membership, rules};
use crate::{
    access::{Member, Searched},
    kernel::{
        Code, Heading, Id, Result, SearchScope,
        text::{excerpt, fold},
    },
    people::permission::Right,
    store::{Stored, TenantRead},
};

/// Characters of a message shown in a result.
const SNIPPET_CHARS: usize = 160;
/// Characters of a snippet before the first matching word.
const CHARS_BEFORE_MATCH: usize = 40;

/// A message that a search found, and its conversation.
pub struct Found {
    /// The message.
    pub message: Stored<ChatMessage>,
    /// The caller's membership of the conversation.
    pub chat: Stored<Membership>,
}

/// Finds the best `limit` messages for a search text, in one of the caller's conversations or in all of them.
/// Errors: `not_found` when the caller is not in the conversation.
pub async fn find<R: Right>(
    member: &Member<R>,
    chat: Option<&str>,
    typed: String,
    limit: usize,
) -> Result<Searched<Vec<Found>>> {
    let scopes = |tx: &TenantRead<'_>| search_scopes(tx, chat);
    let Searched { found: hits, is_partial } = member.find_within(scopes, typed, Heading::Chat, limit).await?;
    let read = |tx: &TenantRead<'_>| {
        hits.into_iter().filter_map(|hit| read_found(tx, Id::from_bytes(hit.id)).transpose()).collect()
    };
    Ok(Searched { found: member.read(read)?, is_partial })
}

/// Returns the search scopes of the caller's conversations, or of one of them.
/// Errors: `not_found` when the caller is not in that one.
pub(super) fn search_scopes(tx: &TenantRead<'_>, chat: Option<&str>) -> Result<Vec<SearchScope>> {
    let chats = match chat {
        Some(id) => vec![rules::get(tx, id)?],
        None => rules::list(tx)?,
    };
    Ok(chats.into_iter().map(|chat| SearchScope::of(chat.id)).collect())
}

/// Reads a message in its current state. Returns `None` when it is gone, or when the caller has left its conversation.
fn read_found(tx: &TenantRead<'_>, id: Id<ChatMessage>) -> Result<Option<Found>> {
    match rules::message(tx, id) {
        Err(error) if error.code() == Code::NotFound => Ok(None),
        message => {
            let message = message?;
            let chat = tx.own_data()?.get::<Membership>(message.conversation)?;
            Ok((!message.removed).then_some(Found { message, chat }))
        }
    }
}

/// Returns the part of a message that a result shows, beginning shortly before the first matching word.
pub fn snippet(message: &ChatMessage, typed: &str) -> String {
    let text = message.preview();
    let typed = fold(typed);
    let matches = |word: &str| typed.split_whitespace().any(|typed| fold(word).starts_with(typed));
    let mut words = text.split_whitespace();
    let found = words.find(|word| matches(word.trim_start_matches(|c: char| !c.is_alphanumeric())));
    let at = found.map_or(0, |word| word.as_ptr() as usize - text.as_ptr() as usize);
    excerpt(text, at, CHARS_BEFORE_MATCH, SNIPPET_CHARS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::chat::Conversation;

    #[test]
    fn snippet_shows_the_matching_word() {
        let message = |value: String| {
            let id: Id<Conversation> = Id::from_bytes([1; 16]);
            ChatMessage::text(id, Id::from_bytes([2; 16]), value)
        };
        assert_eq!(snippet(&message("Short\nand whole".to_owned()), "whole"), "Short and whole");
        let long = message(format!("{} Ñandú {}", "word ".repeat(60), "and more ".repeat(40)));
        let shown = snippet(&long, "nandu");
        assert!(shown.contains("Ñandú") && shown.starts_with('…') && shown.ends_with('…'), "{shown}");
        assert!(shown.chars().count() <= SNIPPET_CHARS + 2);
    }
}
