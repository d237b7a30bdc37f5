//! Sending messages, and delivery to the members of the conversation.

use super::{
    attach::{Draft, check_named},
    get,
    read::{move_mark, newest_message},
};
use crate::{
    features::{
        chat::{
            ChatMessage, Conversation, Membership,
            message::{Event, GroupEventKind},
            model::BY_CLIENT,
        },
        records::content::find_attachments,
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
    let me = tx.own_data()?.person();
    let Draft { value, client_id, attachments, mentions, references } = draft;
    let mut message = ChatMessage { client_id, mentions, references, ..ChatMessage::text(chat.id, me, value) };
    if let Some(key) = message.client_key()
        && let Some(kept) = tx.find_by(BY_CLIENT, key)?
    {
        return Ok(kept);
    }
    message.attachments = find_attachments(tx, &attachments)?;
    message.clean()?;
    let conversation = tx.get(message.conversation)?;
    check_named(tx, &conversation, &message)?;
    if let Some(other) = chat.other
        && tx.find::<MemberRecord>(other)?.is_none()
    {
        return Err(Error::new(Code::Conflict).say("errors.chat_partner_gone", Vec::new()));
    }
    post_message(tx, &conversation, message)
}

/// Posts an event of a group by the caller to its conversation.
pub(super) fn post_event(
    tx: &TenantWrite<'_>,
    conversation: &Stored<Conversation>,
    what: GroupEventKind,
    member_ids: Vec<MemberId>,
    name: Option<String>,
) -> Result<Stored<ChatMessage>> {
    let message = ChatMessage::text(conversation.id, tx.own_data()?.person(), String::new());
    post_message(tx, conversation, ChatMessage { event: Some(Event { what, member_ids, name }), ..message })
}

/// Stores a message after all others of its conversation, and delivers it.
fn post_message(
    tx: &TenantWrite<'_>,
    conversation: &Stored<Conversation>,
    message: ChatMessage,
) -> Result<Stored<ChatMessage>> {
    let author = message.author;
    let kept = tx.create_at(next_id(tx, conversation.id)?, message)?;
    for member in &conversation.members {
        let own = tx.person(*member);
        // Members who have left the tenant have no personal data any more.
        if own.read().find::<Membership>(conversation.id)?.is_none() {
            continue;
        }
        own.update(conversation.id, |membership: &mut Membership| {
            membership.apply_message(&kept, *member == author);
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
    let after = |last: Id<ChatMessage>| Id::from_bytes((u128::from_be_bytes(*last.as_bytes()) + 1).to_be_bytes());
    Ok(newest_message(tx, conversation)?.map(after).filter(|after| fresh < *after).unwrap_or(fresh))
}
