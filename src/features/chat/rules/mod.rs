//! What happens in conversations. A member reaches those that they are in, and no others: being in one is
//! having a [`Membership`] of it among one's own data, and every rule begins by finding it there.

mod attach;
mod groups;
mod history;
mod read;
mod revise;
mod send;

pub use attach::Draft;
pub use groups::{GroupChange, change_group, create_group, leave_group, owner};
pub use history::{Part, Place, history};
pub use read::{mark_of, marks, read};
pub use revise::{edit, react, remove};
pub use send::send;

use super::model::{BY_LAST_ACTIVITY, BY_PAIR, ChatRead, Conversation, Membership, UNREAD};
use crate::{
    access::members::{MemberRecord, MemberState},
    features::chat::ChatMessage,
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
pub fn list(tx: &TenantRead<'_>) -> Result<Vec<Stored<Membership>>> {
    Ok(tx.own()?.page(&Scan::ordered(BY_LAST_ACTIVITY).reversed(true).limit(LISTED), |_| true)?.items)
}

/// One of the caller's conversations, by an id as it was given.
///
/// # Errors
/// `not_found`, in the specification's words, when there is none or the caller is not in it.
pub fn get(tx: &TenantRead<'_>, id: &str) -> Result<Stored<Membership>> {
    let found = id.parse().map_or(Ok(None), |id| tx.own()?.find(id))?;
    let unknown = || Error::not_found().say("errors.chat_not_found", vec![("id", id.chars().take(100).collect())]);
    found.ok_or_else(unknown)
}

/// A message of a conversation that the caller is in.
///
/// # Errors
/// `not_found`, also when the caller is not in its conversation.
pub fn message(tx: &TenantRead<'_>, id: Id<ChatMessage>) -> Result<Stored<ChatMessage>> {
    let message = tx.get(id)?;
    tx.own()?.get::<Membership>(message.conversation.cast())?;
    Ok(message)
}

/// Who is in a conversation: those who hear of it.
///
/// # Errors
/// `busy` or `internal` when it cannot be read.
pub fn members(tx: &TenantRead<'_>, id: Id<Conversation>) -> Result<Vec<MemberId>> {
    Ok(tx.find(id)?.map(|conversation| conversation.value.members).unwrap_or_default())
}

/// How many messages the caller has not read, in all conversations that they have not muted.
///
/// # Errors
/// `busy` or `internal` when it cannot be read.
pub fn unread(tx: &TenantRead<'_>) -> Result<u64> {
    Ok(tx.own()?.counter(UNREAD)?.try_into().unwrap_or(0))
}

/// Whether somebody may come in, and so be talked to.
fn is_active(tx: &TenantRead<'_>, id: MemberId) -> Result<bool> {
    Ok(tx.find::<MemberRecord>(id.cast())?.is_some_and(|member| member.state == MemberState::Active))
}

/// The conversation with a colleague, which is begun when there is none.
///
/// # Errors
/// `invalid` when the contact is no active member, or the caller.
pub fn open(tx: &TenantWrite<'_>, contact: MemberId) -> Result<Stored<Membership>> {
    let own = tx.own()?;
    let me = own.person();
    let pair = Conversation::between(me, contact);
    if let Some(found) = tx.by::<Conversation>(BY_PAIR, pair.pair())? {
        return own.read().get(found.id.cast());
    }
    if contact == me || !is_active(tx, contact)? {
        return Err(Error::field("contactId", "errors.fields.unknown_reference"));
    }
    let id = tx.create(pair)?.id.cast();
    tx.person(contact).create_at(id, Membership::new(Some(me)))?;
    own.create_at(id, Membership::new(Some(contact)))
}

/// Changes the caller's own side of a conversation. To have nothing unread is to have read everything.
///
/// # Errors
/// `not_found`; `invalid` for a count out of range.
pub fn change(tx: &TenantWrite<'_>, id: &str, muted: Option<bool>, unread: Option<u32>) -> Result<Stored<Membership>> {
    let mut chat = get(tx, id)?;
    if unread.is_some_and(|unread| unread > MOST_UNREAD) {
        let gaps = vec![("min", "0".to_owned()), ("max", MOST_UNREAD.to_string())];
        return Err(Error::new(Code::Invalid).and_field("chat.unreadCount", "errors.fields.range", gaps));
    }
    if unread == Some(0) {
        chat = read(tx, id, None)?;
    }
    tx.own()?.update(chat.id, |side| {
        side.mute(muted.unwrap_or(side.muted));
        side.set_unread(unread.unwrap_or(side.unread));
        Ok(())
    })
}

/// Who hears what is said in a conversation, or done to something said there: those who are in it.
///
/// # Errors
/// `busy` or `internal` when it cannot be read.
pub fn hearers(tx: &TenantRead<'_>, message: [u8; 16]) -> Result<Vec<MemberId>> {
    let said = tx.find(Id::<ChatMessage>::from_bytes(message))?;
    said.map_or(Ok(Vec::new()), |said| members(tx, said.conversation))
}

/// Who hears how far somebody has read a conversation: those who are in it.
///
/// # Errors
/// `busy` or `internal` when it cannot be read.
pub fn hearers_of_mark(tx: &TenantRead<'_>, mark: [u8; 16]) -> Result<Vec<MemberId>> {
    let mark = tx.find(Id::<ChatRead>::from_bytes(mark))?;
    mark.map_or(Ok(Vec::new()), |mark| members(tx, mark.conversation))
}
