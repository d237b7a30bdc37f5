//! Changes to sent messages: the author may edit or remove them for 15 minutes, and every member of the conversation
//! may react.

use uuid::Uuid;

use super::{attach::check_named, message, read::read_mark};
use crate::{
    features::{
        chat::{ChatMessage, Membership},
        records::content::{self, Mention, Reference},
    },
    kernel::{Code, Error, Id, Result},
    store::{Stored, TenantWrite},
};

/// Milliseconds for which an author may edit or remove a message.
const REVISABLE_MILLIS: i64 = 15 * 60_000;

/// Returns the caller's message if they may still change it.
fn get_revisable(tx: &TenantWrite<'_>, id: Id<ChatMessage>) -> Result<Stored<ChatMessage>> {
    let found = message(tx, id)?;
    if found.author != tx.own_data()?.person() || found.event.is_some() {
        return Err(Error::new(Code::Forbidden));
    }
    if !found.removed && tx.now() > found.created_at.plus_millis(REVISABLE_MILLIS) {
        return Err(Error::new(Code::Conflict).say("errors.chat_too_late", Vec::new()));
    }
    Ok(found)
}

fn removed_error() -> Error {
    Error::new(Code::Conflict).say("errors.chat_message_removed", Vec::new())
}

/// Edits a message. Without `mentions` or `references`, those whose text is still in the message stay.
/// Errors: `not_found`; `forbidden` for a message of another member; `conflict` after 15 minutes or when it is removed;
/// `invalid`.
pub fn edit(
    tx: &TenantWrite<'_>,
    id: Id<ChatMessage>,
    value: String,
    mentions: Option<Vec<Mention>>,
    references: Option<Vec<Reference>>,
) -> Result<Stored<ChatMessage>> {
    let old = get_revisable(tx, id)?;
    if old.removed {
        return Err(removed_error());
    }
    let mut new = ChatMessage { value, ..old.value.clone() };
    content::revise_named(&mut new.mentions, mentions, &new.value);
    content::revise_named(&mut new.references, references, &new.value);
    new.clean()?;
    // Members and records that were named before may be gone and stay named.
    let mut named = new.clone();
    named.mentions.retain(|mention| !old.mentions.contains(mention));
    named.references.retain(|reference| !old.references.contains(reference));
    let conversation = tx.get(old.conversation)?;
    check_named(tx, &conversation, &named)?;
    if new == old.value {
        return Ok(old);
    }
    new.edited_at = Some(tx.now());
    store_revision(tx, &old, new)
}

/// Removes a message and deletes its content. Removing it again changes nothing.
/// Errors: `not_found`; `forbidden` for a message of another member; `conflict` after 15 minutes.
pub fn remove(tx: &TenantWrite<'_>, id: Id<ChatMessage>) -> Result<Stored<ChatMessage>> {
    let old = get_revisable(tx, id)?;
    if old.removed {
        return Ok(old);
    }
    let mut new = old.value.clone();
    new.remove();
    store_revision(tx, &old, new)
}

/// Takes the references to an erased person out of a message and its previews in lists of conversations.
pub fn erase_references(tx: &TenantWrite<'_>, id: Id<ChatMessage>, person: Uuid) -> Result<()> {
    let Some(old) = tx.find_intact::<ChatMessage>(id)? else { return Ok(()) };
    let mut new = old.value.clone();
    content::erase_references(&mut new.references, person, &mut new.value);
    store_revision(tx, &old, new).map(drop)
}

/// Stores the changed message, and updates the summaries and unread counts of the members.
fn store_revision(tx: &TenantWrite<'_>, old: &Stored<ChatMessage>, new: ChatMessage) -> Result<Stored<ChatMessage>> {
    let kept = tx.update(old.id, Some(old.version), |message: &mut ChatMessage| {
        *message = new;
        Ok(())
    })?;
    for member in super::members(tx, old.conversation)? {
        let own = tx.person(member);
        if own.read().find::<Membership>(old.conversation)?.is_none() {
            continue;
        }
        let stops_counting = old.counts_as_unread_for(member) && !kept.counts_as_unread_for(member);
        let has_read = || Ok(read_mark(tx, old.conversation, member)?.is_some_and(|mark| mark.message >= old.id));
        let was_unread = stops_counting && !has_read()?;
        own.update(old.conversation, |membership: &mut Membership| {
            membership.apply_revision(&kept, was_unread);
            Ok(())
        })?;
    }
    Ok(kept)
}

/// Adds or removes the caller's reaction to a message.
/// Errors: `not_found`; `forbidden` for an event; `invalid` unless it is an emoji; `conflict` when the message is
/// removed or has 20 different reactions.
pub fn react(tx: &TenantWrite<'_>, id: Id<ChatMessage>, emoji: &str, on: bool) -> Result<Stored<ChatMessage>> {
    let found = message(tx, id)?;
    let me = tx.own_data()?.person();
    if found.removed {
        return Err(removed_error());
    }
    if found.event.is_some() {
        return Err(Error::new(Code::Forbidden));
    }
    tx.update(id, None, |message: &mut ChatMessage| content::react(&mut message.reactions, me, emoji, on))
}
