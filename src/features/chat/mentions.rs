//! Mentions of a record in the conversations of a member.

use std::cmp::Reverse;

use uuid::Uuid;

use super::{
    message::{ChatMessage, mentioned_key},
    model::BY_MENTIONED,
    rules,
};
use crate::{
    feature::ChatMention,
    kernel::{Result, text::excerpt},
    store::{Scan, Stored, TenantRead},
};

/// Characters of a message shown in a mention.
const SHOWN_CHARS: usize = 200;

impl From<Stored<ChatMessage>> for ChatMention {
    fn from(message: Stored<ChatMessage>) -> Self {
        Self {
            chat: message.conversation.uuid(),
            message: message.id.uuid(),
            at: message.created_at,
            by: message.author,
            text: excerpt(&message.value.value, 0, 0, SHOWN_CHARS),
        }
    }
}

/// Finds the messages that mention a record in the caller's conversations, the newest first. The cost depends on the
/// number of these conversations, never on what is said in others.
pub fn find(tx: &TenantRead<'_>, record: Uuid, before: Option<Uuid>, limit: usize) -> Result<Vec<ChatMention>> {
    let mut found: Vec<ChatMention> = Vec::new();
    if tx.page::<ChatMessage>(&Scan::beginning(BY_MENTIONED, record.as_bytes()).limit(1), |_| true)?.items.is_empty() {
        return Ok(found);
    }
    for chat in rules::list(tx)? {
        let messages = Scan::with(BY_MENTIONED, mentioned_key(record, chat.id)).reversed(true).limit(limit);
        let messages = messages.after(before.map(|message| message.into_bytes().to_vec()));
        found.extend(tx.page(&messages, |_| true)?.items.into_iter().map(ChatMention::from));
    }
    found.sort_by_key(|mention| Reverse(mention.message));
    found.truncate(limit);
    Ok(found)
}
