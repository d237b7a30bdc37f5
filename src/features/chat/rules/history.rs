//! Paged history of a conversation, in both directions.

use crate::{
    features::{
        chat::{ChatMessage, Conversation, model::BY_CONVERSATION},
        records::content,
    },
    kernel::{Error, Id, Result},
    store::{MAX_PAGE_BYTES, Scan, Stored, TenantRead, count_fitting},
};

/// Bytes of the messages on one side of a position, as stored and with the cards of references.
const MAX_SIDE_BYTES: usize = MAX_PAGE_BYTES / 2;

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
        Scan::with(BY_CONVERSATION, chat.as_bytes()).after(position).limit(limit).within_bytes(MAX_SIDE_BYTES)
    };
    let older = |position, limit| {
        let (mut items, more) = read(tx, &scan(position, limit).reversed(true))?;
        items.reverse();
        Ok((items, more))
    };
    let newer = |position, limit| read(tx, &scan(position, limit));
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

/// Reads the messages of a scan until a side is full, and whether there are more.
fn read(tx: &TenantRead<'_>, scan: &Scan) -> Result<(Vec<Stored<ChatMessage>>, bool)> {
    let mut page = tx.page::<ChatMessage>(scan, |_| true)?;
    let sized = page.items.iter().zip(&page.sizes);
    let fitting = count_fitting(sized.map(|(one, size)| content::page_bytes(*size, &one.references)), MAX_SIDE_BYTES);
    let more = page.next.is_some() || fitting < page.items.len();
    page.items.truncate(fitting);
    Ok((page.items, more))
}
