//! Read marks and unread counts. Marks only move forward, and unread messages are counted from the mark, so that the
//! count is right in whatever order requests arrive.

use super::{MAX_UNREAD, get};
use crate::{
    features::chat::{
        ChatMessage, ChatRead, Conversation, Membership,
        model::{BY_CONVERSATION, BY_READER},
    },
    kernel::{Error, Id, MemberId, Result},
    store::{Scan, Stored, TenantRead, TenantWrite},
};

/// Returns the newest message of a conversation.
pub(super) fn newest_message(tx: &TenantRead<'_>, conversation: Id<Conversation>) -> Result<Option<Id<ChatMessage>>> {
    let last = Scan::with(BY_CONVERSATION, conversation.as_bytes()).reversed(true).limit(1);
    Ok(tx.page::<ChatMessage>(&last, |_| true)?.items.first().map(|message| message.id))
}

/// Returns the read marks of a conversation. Members who have read nothing have none.
pub fn read_marks(tx: &TenantRead<'_>, conversation: Id<Conversation>) -> Result<Vec<Stored<ChatRead>>> {
    Ok(tx.page(&Scan::beginning(BY_READER, conversation.as_bytes()).limit(1_000), |_| true)?.items)
}

/// Returns the read mark of a member.
pub fn read_mark(
    tx: &TenantRead<'_>,
    conversation: Id<Conversation>,
    member: MemberId,
) -> Result<Option<Stored<ChatRead>>> {
    tx.find_by(BY_READER, ChatRead::key(conversation, member))
}

/// Moves a member's read mark to a message, unless it is already further. Returns the resulting mark.
pub(super) fn move_mark(
    tx: &TenantWrite<'_>,
    conversation: Id<Conversation>,
    member: MemberId,
    message: Id<ChatMessage>,
) -> Result<Id<ChatMessage>> {
    let kept = match read_mark(tx, conversation, member)? {
        None => tx.create(ChatRead { conversation, member, message })?,
        Some(mark) => tx.update(mark.id, None, |mark: &mut ChatRead| {
            mark.message = mark.message.max(message);
            Ok(())
        })?,
    };
    Ok(kept.value.message)
}

/// Removes the read mark of a member who left the conversation.
pub(super) fn remove_mark(tx: &TenantWrite<'_>, conversation: Id<Conversation>, member: MemberId) -> Result<()> {
    match read_mark(tx, conversation, member)? {
        Some(mark) => tx.remove::<ChatRead>(mark.id, None).map(drop),
        None => Ok(()),
    }
}

/// Marks a conversation as read by the caller, up to a message or all of it.
/// Errors: `not_found`; `invalid` when the message is not of the conversation.
pub fn read(tx: &TenantWrite<'_>, chat_id: &str, message: Option<Id<ChatMessage>>) -> Result<Stored<Membership>> {
    let chat = get(tx, chat_id)?;
    let own = tx.own_data()?;
    let conversation = chat.id;
    if let Some(message) = message
        && tx.find::<ChatMessage>(message)?.is_none_or(|message| message.conversation != conversation)
    {
        return Err(Error::field("messageId", "errors.fields.unknown_reference"));
    }
    let newest = newest_message(tx, conversation)?;
    let unread = match message.or(newest) {
        None => 0,
        Some(message) => {
            let mark = move_mark(tx, conversation, own.person(), message)?;
            if Some(mark) == newest { 0 } else { count_after(tx, conversation, own.person(), mark)? }
        }
    };
    own.update(chat.id, |membership: &mut Membership| {
        membership.set_unread(unread);
        Ok(())
    })
}

/// Counts a member's unread messages after a mark, up to 9,999.
fn count_after(
    tx: &TenantRead<'_>,
    conversation: Id<Conversation>,
    member: MemberId,
    mark: Id<ChatMessage>,
) -> Result<u32> {
    let after_mark = Scan::with(BY_CONVERSATION, conversation.as_bytes()).after(Some(mark.as_bytes().to_vec()));
    let mut unread = 0;
    tx.page::<ChatMessage>(&after_mark, |message| {
        unread += u32::from(message.counts_as_unread_for(member));
        false
    })?;
    Ok(unread.min(MAX_UNREAD))
}
