//! Saying something, and what that is to those who are in the conversation.

use super::{
    attach::{Draft, files, may_name},
    get,
    read::{move_mark, newest},
};
use crate::{
    access::members::MemberRecord,
    features::chat::{
        ChatMessage, Conversation, Membership,
        message::{Event, GroupEventKind},
        model::BY_CLIENT,
    },
    kernel::{Code, Error, Id, MemberId, Result},
    store::{Stored, TenantWrite},
};

/// Says something. The same `client_id` a second time is the same message, as it was kept then.
///
/// # Errors
/// `not_found`; `invalid` for an empty or overlong text, and for what it names; `conflict` when the other
/// of two has left the company.
pub fn send(tx: &TenantWrite<'_>, chat_id: &str, draft: Draft) -> Result<Stored<ChatMessage>> {
    let (chat, me) = (get(tx, chat_id)?, tx.own()?.person());
    let Draft { value, client_id, attachments, mentions, references } = draft;
    let mut message = ChatMessage { client_id, mentions, references, ..ChatMessage::said(chat.id.cast(), me, value) };
    if let Some(key) = message.client_key()
        && let Some(kept) = tx.by(BY_CLIENT, key)?
    {
        return Ok(kept);
    }
    message.attachments = files(tx, &attachments)?;
    message.clean()?;
    let conversation = tx.get(message.conversation)?;
    may_name(tx, &conversation, &message)?;
    if let Some(other) = chat.other
        && tx.find::<MemberRecord>(other.cast())?.is_none()
    {
        return Err(Error::new(Code::Conflict).say("errors.chat_partner_gone", Vec::new()));
    }
    say(tx, &conversation, message)
}

/// Notes what the caller did to a group, where those who are in it see it.
pub(super) fn happen(
    tx: &TenantWrite<'_>,
    conversation: &Stored<Conversation>,
    what: GroupEventKind,
    member_ids: Vec<MemberId>,
    name: Option<String>,
) -> Result<Stored<ChatMessage>> {
    let said = ChatMessage::said(conversation.id, tx.own()?.person(), String::new());
    say(tx, conversation, ChatMessage { event: Some(Event { what, member_ids, name }), ..said })
}

/// Keeps a message behind all others of its conversation, and delivers it.
fn say(tx: &TenantWrite<'_>, conversation: &Stored<Conversation>, message: ChatMessage) -> Result<Stored<ChatMessage>> {
    let (author, kept) = (message.author, tx.create_at(next_id(tx, conversation.id)?, message)?);
    for member in &conversation.members {
        let side = tx.person(*member);
        // Who has left the company has no data of their own any more.
        if side.read().find::<Membership>(conversation.id.cast())?.is_none() {
            continue;
        }
        side.update(conversation.id.cast(), |side: &mut Membership| {
            side.hear(&kept, *member == author);
            Ok(())
        })?;
    }
    if kept.event.is_none() {
        move_mark(tx, conversation.id, author, kept.id)?;
    }
    Ok(kept)
}

/// An id behind all others of the conversation, also when the machine's clock was put back.
fn next_id(tx: &TenantWrite<'_>, conversation: Id<Conversation>) -> Result<Id<ChatMessage>> {
    let fresh = tx.new_id();
    let behind = |last: Id<ChatMessage>| Id::from_bytes((u128::from_be_bytes(*last.as_bytes()) + 1).to_be_bytes());
    Ok(newest(tx, conversation)?.map(behind).filter(|behind| fresh < *behind).unwrap_or(fresh))
}
