//! Sending messages, and delivery to the members of the conversation.

use super::{
    attach::{Draft, files, may_name},
    get,
    read::{move_mark, newest},
};
use crate::{
    features::chat::{
        ChatMessage, Conversation, Membership,
        message::{Event, GroupEventKind},
        model::BY_CLIENT,
    },
    kernel::{Code, Error, Id, MemberId, Result},
    people::members::MemberRecord,
    store::{Stored, TenantWrite},
};

/// Sends a message. A repeated `client_id` returns the existing message.
/// Errors: `not_found`; `invalid` for an empty or overlong text, and for invalid attachments, mentions or references;
/// `conflict` when the other member of a pair has left the tenant.
pub fn send(tx: &TenantWrite<'_>, chat_id: &str, draft: Draft) -> Result<Stored<ChatMessage>> {
    let chat = get(tx, chat_id)?;
    let me = tx.own()?.person();
    let Draft { value, client_id, attachments, mentions, references } = draft;
    let mut message = ChatMessage { client_id, mentions, references, ..ChatMessage::said(chat.id, me, value) };
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
        && tx.find::<MemberRecord>(other)?.is_none()
    {
        return Err(Error::new(Code::Conflict).say("errors.chat_partner_gone", Vec::new()));
    }
    say(tx, &conversation, message)
}

/// Posts an event of a group by the caller to its conversation.
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

/// Stores a message after all others of its conversation, and delivers it.
fn say(tx: &TenantWrite<'_>, conversation: &Stored<Conversation>, message: ChatMessage) -> Result<Stored<ChatMessage>> {
    let author = message.author;
    let kept = tx.create_at(next_id(tx, conversation.id)?, message)?;
    for member in &conversation.members {
        let side = tx.person(*member);
        // Members who have left the tenant have no personal data any more.
        if side.read().find::<Membership>(conversation.id)?.is_none() {
            continue;
        }
        side.update(conversation.id, |side: &mut Membership| {
            side.hear(&kept, *member == author);
            Ok(())
        })?;
    }
    if kept.event.is_none() {
        move_mark(tx, conversation.id, author, kept.id)?;
    }
    Ok(kept)
}

/// Returns an id greater than all others of the conversation, even if the system clock was set back.
fn next_id(tx: &TenantWrite<'_>, conversation: Id<Conversation>) -> Result<Id<ChatMessage>> {
    let fresh = tx.new_id();
    let behind = |last: Id<ChatMessage>| Id::from_bytes((u128::from_be_bytes(*last.as_bytes()) + 1).to_be_bytes());
    Ok(newest(tx, conversation)?.map(behind).filter(|behind| fresh < *behind).unwrap_or(fresh))
}
