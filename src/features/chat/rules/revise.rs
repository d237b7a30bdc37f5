//! What becomes of a message afterwards: its author changes it or takes it back for a quarter of an hour,
//! and everybody in the conversation says what they think of it.

use super::{attach::may_name, message, read::mark_of};
use crate::{
    features::chat::{ChatMessage, Membership, Mention, Reference, emoji::is_emoji, message::Reaction},
    kernel::{Code, Error, Id, Result},
    store::{Stored, TenantWrite},
};

/// Milliseconds for which one may change what one said.
const REGRET: i64 = 15 * 60_000;
/// Different reactions to one message.
const REACTIONS: usize = 20;

/// One's own message, while one may change it.
fn own(tx: &TenantWrite<'_>, id: Id<ChatMessage>) -> Result<Stored<ChatMessage>> {
    let found = message(tx, id)?;
    if found.author != tx.own()?.person() || found.event.is_some() {
        return Err(Error::new(Code::Forbidden));
    }
    if !found.removed && tx.now() > found.created_at.plus_millis(REGRET) {
        return Err(Error::new(Code::Conflict).say("errors.chat_too_late", Vec::new()));
    }
    Ok(found)
}

fn gone() -> Error {
    Error::new(Code::Conflict).say("errors.chat_message_removed", Vec::new())
}

/// Says something else instead. Without `mentions` or `references`, those stay whose words still stand in it.
///
/// # Errors
/// `not_found`; `forbidden` for another's; `conflict` after a quarter of an hour, and when it was taken back;
/// `invalid`.
pub fn edit(
    tx: &TenantWrite<'_>,
    id: Id<ChatMessage>,
    value: String,
    mentions: Option<Vec<Mention>>,
    references: Option<Vec<Reference>>,
) -> Result<Stored<ChatMessage>> {
    let old = own(tx, id)?;
    if old.removed {
        return Err(gone());
    }
    let mut new = ChatMessage { value, ..old.value.clone() };
    match mentions {
        Some(mentions) => new.mentions = mentions,
        None => new.mentions.retain(|mention| new.value.contains(&mention.text)),
    }
    match references {
        Some(references) => new.references = references,
        None => new.references.retain(|reference| new.value.contains(&reference.text)),
    }
    new.clean()?;
    // What was named before may have gone meanwhile, and stays named.
    let mut named = new.clone();
    named.mentions.retain(|mention| !old.mentions.contains(mention));
    named.references.retain(|reference| !old.references.contains(reference));
    let conversation = tx.get(old.conversation)?;
    may_name(tx, &conversation, &named)?;
    if new == old.value {
        return Ok(old);
    }
    new.edited_at = Some(tx.now());
    keep(tx, &old, new)
}

/// Takes a message back: nothing of it is kept but that it was. A second time changes nothing.
///
/// # Errors
/// `not_found`; `forbidden` for another's; `conflict` after a quarter of an hour.
pub fn remove(tx: &TenantWrite<'_>, id: Id<ChatMessage>) -> Result<Stored<ChatMessage>> {
    let old = own(tx, id)?;
    if old.removed {
        return Ok(old);
    }
    let mut new = old.value.clone();
    new.remove();
    keep(tx, &old, new)
}

/// Keeps what became of a message, and tells those who see it in their lists or had not read it.
fn keep(tx: &TenantWrite<'_>, old: &Stored<ChatMessage>, new: ChatMessage) -> Result<Stored<ChatMessage>> {
    let kept = tx.update(old.id, Some(old.version), |message: &mut ChatMessage| {
        *message = new;
        Ok(())
    })?;
    for member in super::members(tx, old.conversation)? {
        let side = tx.person(member);
        if side.read().find::<Membership>(old.conversation.cast())?.is_none() {
            continue;
        }
        let counted = old.counts_for(member) && !kept.counts_for(member);
        let seen = || Ok(mark_of(tx, old.conversation, member)?.is_some_and(|mark| mark.message >= old.id));
        let unread = counted && !seen()?;
        side.update(old.conversation.cast(), |side: &mut Membership| {
            side.revise(&kept, unread);
            Ok(())
        })?;
    }
    Ok(kept)
}

/// Says what the caller thinks of a message, by an emoji, or that they think so no longer.
///
/// # Errors
/// `not_found`; `invalid` for what is no emoji; `conflict` when it was taken back, or has 20 different ones.
pub fn react(tx: &TenantWrite<'_>, id: Id<ChatMessage>, emoji: &str, on: bool) -> Result<Stored<ChatMessage>> {
    let (found, me) = (message(tx, id)?, tx.own()?.person());
    if !is_emoji(emoji) {
        return Err(Error::field("emoji", "errors.fields.emoji"));
    }
    if found.removed {
        return Err(gone());
    }
    if found.event.is_some() {
        return Err(Error::new(Code::Forbidden));
    }
    tx.update(id, None, |message: &mut ChatMessage| {
        let reactions = &mut message.reactions;
        for reaction in reactions.iter_mut().filter(|reaction| reaction.emoji == emoji) {
            reaction.member_ids.retain(|member| *member != me || on);
            if on && !reaction.member_ids.contains(&me) {
                reaction.member_ids.push(me);
            }
        }
        reactions.retain(|reaction| !reaction.member_ids.is_empty());
        if on && reactions.iter().all(|reaction| reaction.emoji != emoji) {
            if reactions.len() >= REACTIONS {
                let gaps = vec![("max", REACTIONS.to_string())];
                return Err(Error::new(Code::Conflict).and_field("emoji", "errors.fields.too_many", gaps));
            }
            reactions.push(Reaction { emoji: emoji.to_owned(), member_ids: vec![me] });
        }
        Ok(())
    })
}
