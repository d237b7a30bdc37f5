//! What happens in conversations. A member reaches those that they are in, and no others.

use super::model::{BY_CLIENT, BY_CONVERSATION, BY_LIVELINESS, BY_PAIR, ChatMessage, Conversation, Side, UNREAD};
use crate::{
    access::members::{MemberRecord, MemberState},
    kernel::{Code, Error, Id, MemberId, Result},
    store::{Scan, Stored, TenantRead, TenantWrite},
};

/// Conversations that the list answers with.
const LISTED: usize = 1_000;
/// Messages that come with one conversation.
pub const SHOWN: usize = 50;
/// The highest count of unread messages that a client may set.
const MOST_UNREAD: u32 = 9_999;

/// The caller's conversations, the liveliest first.
///
/// # Errors
/// `busy` or `internal` when they cannot be read.
pub fn list(tx: &TenantRead<'_>) -> Result<Vec<Stored<Side>>> {
    Ok(tx.own()?.page(&Scan::ordered(BY_LIVELINESS).reversed(true).limit(LISTED), |_| true)?.items)
}

/// One of the caller's conversations, by an id as it was given.
///
/// # Errors
/// `not_found`, in the specification's words, when there is none or the caller is not in it.
pub fn get(tx: &TenantRead<'_>, id: &str) -> Result<Stored<Side>> {
    let found = id.parse().map_or(Ok(None), |id| tx.own()?.find(id))?;
    let unknown = || Error::not_found().say("errors.chat_not_found", vec![("id", id.chars().take(100).collect())]);
    found.ok_or_else(unknown)
}

/// The messages before one of them, or the last: oldest first, at most `limit`, and whether there are older ones.
///
/// # Errors
/// `invalid` when `before` is no message of the conversation.
pub fn history(
    tx: &TenantRead<'_>,
    chat: Id<Side>,
    before: Option<Id<ChatMessage>>,
    limit: usize,
) -> Result<(Vec<Stored<ChatMessage>>, bool)> {
    if let Some(before) = before
        && tx.find(before)?.is_none_or(|message| message.conversation != chat.cast())
    {
        return Err(Error::field("before", "errors.fields.unknown_reference"));
    }
    let place = before.map(|id| id.as_bytes().to_vec());
    let scan = Scan::with(BY_CONVERSATION, chat.as_bytes()).reversed(true).after(place).limit(limit);
    let mut page = tx.page::<ChatMessage>(&scan, |_| true)?;
    page.items.reverse();
    Ok((page.items, page.next.is_some()))
}

/// How many messages the caller has not read, in all conversations.
///
/// # Errors
/// `busy` or `internal` when it cannot be read.
pub fn unread(tx: &TenantRead<'_>) -> Result<u64> {
    Ok(tx.own()?.counter(UNREAD)?.try_into().unwrap_or(0))
}

/// The conversation with a colleague, which is begun when there is none.
///
/// # Errors
/// `invalid` when the contact is no active member, or the caller.
pub fn open(tx: &TenantWrite<'_>, contact: MemberId) -> Result<Stored<Side>> {
    let own = tx.own()?;
    let me = own.person();
    let pair = Conversation::between(me, contact);
    if let Some(found) = tx.by::<Conversation>(BY_PAIR, pair.pair())? {
        return own.read().get(found.id.cast());
    }
    let colleague = tx.find::<MemberRecord>(contact.cast())?.filter(|member| member.state == MemberState::Active);
    if contact == me || colleague.is_none() {
        return Err(Error::field("contactId", "errors.fields.unknown_reference"));
    }
    let id = tx.create(pair)?.id.cast();
    tx.person(contact).create_at(id, Side::new(me))?;
    own.create_at(id, Side::new(contact))
}

/// Changes the caller's own side of a conversation.
///
/// # Errors
/// `not_found`; `invalid` for a count out of range.
pub fn change(tx: &TenantWrite<'_>, id: &str, muted: Option<bool>, unread: Option<u32>) -> Result<Stored<Side>> {
    let chat = get(tx, id)?;
    if unread.is_some_and(|unread| unread > MOST_UNREAD) {
        let gaps = vec![("min", "0".to_owned()), ("max", MOST_UNREAD.to_string())];
        return Err(Error::new(Code::Invalid).and_field("chat.unreadCount", "errors.fields.range", gaps));
    }
    tx.own()?.update(chat.id, |side| {
        side.muted = muted.unwrap_or(side.muted);
        side.unread = unread.unwrap_or(side.unread);
        Ok(())
    })
}

/// Says something. The same `client_id` a second time is the same message, as it was kept then.
///
/// # Errors
/// `not_found`; `invalid` for an empty or overlong text; `conflict` when the other has left the company.
pub fn send(
    tx: &TenantWrite<'_>,
    chat_id: &str,
    value: String,
    client_id: Option<String>,
) -> Result<Stored<ChatMessage>> {
    let (chat, own) = (get(tx, chat_id)?, tx.own()?);
    let mut message = ChatMessage { conversation: chat.id.cast(), author: own.person(), value, client_id };
    message.clean()?;
    if let Some(key) = message.client_key()
        && let Some(kept) = tx.by(BY_CLIENT, key)?
    {
        return Ok(kept);
    }
    if tx.find::<MemberRecord>(chat.other.cast())?.is_none() {
        return Err(Error::new(Code::Conflict).say("errors.chat_partner_gone", Vec::new()));
    }
    let kept = tx.create(message)?;
    for (side, mine) in [(own, true), (tx.person(chat.other), false)] {
        side.update(chat.id, |side: &mut Side| {
            side.hear(&kept.value.value, kept.created_at, mine);
            Ok(())
        })?;
    }
    Ok(kept)
}
