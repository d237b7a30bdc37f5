//! Paged history of a conversation, in both directions.

use crate::{
    features::chat::{ChatMessage, Conversation, model::BY_CONVERSATION},
    kernel::{Error, Id, Result},
    store::{Scan, Stored, TenantRead},
    wire::page::MAX_PAGE_BYTES,
};

/// Position in a conversation: the last messages when no field is set.
#[derive(Clone, Copy, Debug, Default)]
pub struct HistoryPosition {
    /// Messages before this one.
    pub before: Option<Id<ChatMessage>>,
    /// Messages after this one.
    pub after: Option<Id<ChatMessage>>,
    /// This message, and as many on both sides of it.
    pub around: Option<Id<ChatMessage>>,
}

/// A page of a conversation.
#[derive(Debug)]
pub struct HistoryPage {
    /// The messages, oldest first.
    pub items: Vec<Stored<ChatMessage>>,
    /// Whether there are older messages.
    pub more: bool,
    /// Whether there are newer messages.
    pub newer: bool,
}

/// Reads the messages at a position, at most `limit` (around a message, at least one on each side), fewer when they are
/// large. `around` takes precedence over `after`, and `after` over `before`.
/// Errors: `invalid` when a position is not a message of the conversation.
pub fn history(
    tx: &TenantRead<'_>,
    chat: Id<Conversation>,
    position: HistoryPosition,
    limit: usize,
) -> Result<HistoryPage> {
    for (field, id) in [("before", position.before), ("after", position.after), ("around", position.around)] {
        if let Some(id) = id
            && tx.find::<ChatMessage>(id)?.is_none_or(|message| message.conversation != chat)
        {
            return Err(Error::field(field, "errors.fields.unknown_reference"));
        }
    }
    let scan = |position: Option<Id<ChatMessage>>, limit: usize| {
        let position = position.map(|id| id.as_bytes().to_vec());
        Scan::with(BY_CONVERSATION, chat.as_bytes()).after(position).limit(limit).within_bytes(MAX_PAGE_BYTES / 2)
    };
    let older = |position, limit| {
        let mut page = tx.page::<ChatMessage>(&scan(position, limit).reversed(true), |_| true)?;
        page.items.reverse();
        Ok((page.items, page.next.is_some()))
    };
    let newer = |position, limit| {
        let page = tx.page::<ChatMessage>(&scan(position, limit), |_| true)?;
        Ok((page.items, page.next.is_some()))
    };
    if let Some(id) = position.around {
        let (mut items, more) = older(Some(id), (limit / 2).max(1))?;
        items.push(tx.get(id)?);
        let (later, newer) = newer(Some(id), limit.saturating_sub(items.len()).max(1))?;
        items.extend(later);
        return Ok(HistoryPage { items, more, newer });
    }
    if let Some(id) = position.after {
        let (items, newer) = newer(Some(id), limit)?;
        return Ok(HistoryPage { items, more: true, newer });
    }
    let (items, more) = older(position.before, limit)?;
    Ok(HistoryPage { items, more, newer: position.before.is_some() })
}
