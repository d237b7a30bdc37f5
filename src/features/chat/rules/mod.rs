//! Rules of conversations. A member can access only conversations that they have a [`Membership`] of in their personal
//! data, and every rule looks it up first.

mod attach;
mod groups;
mod history;
mod read;
mod revise;
mod send;

pub use attach::Draft;
pub use groups::{GroupChange, change_group, create_group, leave_group, owner};
pub use history::{HistoryPage, HistoryPosition, history};
pub use read::{read, read_mark, read_marks};
pub use revise::{edit, erase_references, react, remove};
pub use send::send;

use super::model::{BY_LAST_ACTIVITY, BY_PAIR, ChatRead, Conversation, Membership, UNREAD_COUNTER};
use crate::{
    features::chat::ChatMessage,
    kernel::{Code, Error, Id, MemberId, Result},
    people::members::{MemberRecord, MemberState},
    store::{Scan, Stored, TenantRead, TenantWrite},
};

/// Maximum conversations in the list.
const MAX_LISTED: usize = 1_000;
/// Messages returned with a conversation.
pub const MESSAGES_SHOWN: usize = 50;
/// Maximum unread count that a client may set.
const MAX_UNREAD: u32 = 9_999;

/// Lists the caller's conversations, the most recently active first.
pub fn list(tx: &TenantRead<'_>) -> Result<Vec<Stored<Membership>>> {
    Ok(tx.own_data()?.page(&Scan::ordered(BY_LAST_ACTIVITY).reversed(true).limit(MAX_LISTED), |_| true)?.items)
}

/// Returns one of the caller's conversations by its unparsed id.
/// Errors: `not_found`, with the text of the specification, when there is none or the caller is not in it.
pub fn get(tx: &TenantRead<'_>, id: &str) -> Result<Stored<Membership>> {
    let found = id.parse().map_or(Ok(None), |id| tx.own_data()?.find(id))?;
    let unknown = || Error::not_found().say("errors.chat_not_found", vec![("id", id.chars().take(100).collect())]);
    found.ok_or_else(unknown)
}

/// Returns a message of a conversation that the caller is in.
/// Errors: `not_found`, also when the caller is not in its conversation.
pub fn message(tx: &TenantRead<'_>, id: Id<ChatMessage>) -> Result<Stored<ChatMessage>> {
    let message = tx.get::<ChatMessage>(id)?;
    tx.own_data()?.get::<Membership>(message.conversation)?;
    Ok(message)
}

/// Returns the members of a conversation, who are also its live audience.
pub fn members(tx: &TenantRead<'_>, id: Id<Conversation>) -> Result<Vec<MemberId>> {
    Ok(tx.find::<Conversation>(id)?.map(|conversation| conversation.value.members).unwrap_or_default())
}

/// Returns the number of the caller's unread messages in all conversations that are not muted.
pub fn count_unread(tx: &TenantRead<'_>) -> Result<u64> {
    Ok(tx.own_data()?.counter(UNREAD_COUNTER)?.try_into().unwrap_or(0))
}

/// Checks whether a member is active, so that others can chat with them.
fn is_active(tx: &TenantRead<'_>, id: MemberId) -> Result<bool> {
    Ok(tx.find::<MemberRecord>(id)?.is_some_and(|member| member.state == MemberState::Active))
}

/// Returns the conversation with a colleague, creating it if there is none.
/// Errors: `invalid` when the contact is not an active member, or is the caller.
pub fn open(tx: &TenantWrite<'_>, contact: MemberId) -> Result<Stored<Membership>> {
    let own = tx.own_data()?;
    let me = own.person();
    let pair = Conversation::between(me, contact);
    if let Some(found) = tx.find_by::<Conversation>(BY_PAIR, pair.pair_key())? {
        return own.read().get(found.id);
    }
    if contact == me || !is_active(tx, contact)? {
        return Err(Error::field("contactId", "errors.fields.unknown_reference"));
    }
    let id = tx.create(pair)?.id;
    tx.person(contact).create_at(id, Membership::new(Some(me)))?;
    own.create_at(id, Membership::new(Some(contact)))
}

/// Changes the caller's settings of a conversation. An unread count of 0 marks everything as read.
/// Errors: `not_found`; `invalid` for a count out of range.
pub fn change(tx: &TenantWrite<'_>, id: &str, muted: Option<bool>, unread: Option<u32>) -> Result<Stored<Membership>> {
    let mut chat = get(tx, id)?;
    if unread.is_some_and(|unread| unread > MAX_UNREAD) {
        let params = vec![("min", "0".to_owned()), ("max", MAX_UNREAD.to_string())];
        return Err(Error::new(Code::Invalid).and_field("chat.unreadCount", "errors.fields.range", params));
    }
    if unread == Some(0) {
        chat = read(tx, id, None)?;
    }
    tx.own_data()?.update::<Membership>(chat.id, |membership| {
        membership.mute(muted.unwrap_or(membership.muted));
        membership.set_unread(unread.unwrap_or(membership.unread));
        Ok(())
    })
}

/// Returns the audience of a message and its changes: the members of its conversation.
pub fn audience(tx: &TenantRead<'_>, id: [u8; 16]) -> Result<Vec<MemberId>> {
    let message = tx.find::<ChatMessage>(Id::from_bytes(id))?;
    message.map_or(Ok(Vec::new()), |message| members(tx, message.conversation))
}

/// Returns the audience of a read mark: the members of its conversation.
pub fn audience_of_mark(tx: &TenantRead<'_>, mark: [u8; 16]) -> Result<Vec<MemberId>> {
    let mark = tx.find::<ChatRead>(Id::from_bytes(mark))?;
    mark.map_or(Ok(Vec::new()), |mark| members(tx, mark.conversation))
}
