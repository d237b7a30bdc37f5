//! What members are told of the team chat: that somebody named them, and that somebody wrote while they were away.

use super::{
    message::ChatMessage,
    model::{Conversation, Membership},
    rules,
};
use crate::{
    access::members::MemberRecord,
    features::notifications::{self, NotificationDraft, NotificationKind},
    kernel::{Id, MemberId, Result},
    store::{Stored, TenantRead, TenantWrite},
};

/// Characters of a message that are told.
const TOLD: usize = 200;

/// Whether somebody is not there, or not looking.
pub type Away<'a> = dyn Fn(MemberId) -> bool + 'a;

/// Whom a message is to be told to, if it was not read meanwhile.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Receivers {
    /// Those whom it names.
    named: Vec<MemberId>,
    /// The others who are away and want to hear of the conversation.
    away: Vec<MemberId>,
}

impl Receivers {
    /// Whether there is nobody.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.named.is_empty() && self.away.is_empty()
    }
}

/// Whom a message is to be told to.
///
/// # Errors
/// `busy` or `internal` when it cannot be read.
pub fn receivers(tx: &TenantRead<'_>, id: Id<ChatMessage>, away: &Away<'_>) -> Result<Receivers> {
    let mut found = Receivers::default();
    let Some((message, conversation)) = said(tx, id)? else { return Ok(found) };
    for member in conversation.members.iter().filter(|member| message.counts_for(**member)) {
        let side = tx.person(*member).find::<Membership>(conversation.id.cast())?;
        let mark = rules::mark_of(tx, conversation.id, *member)?;
        let has_read = mark.is_some_and(|mark| mark.message >= message.id);
        let Some(side) = side.filter(|side| side.unread > 0 && !has_read) else { continue };
        if message.mentions.iter().any(|mention| mention.member_id == *member) {
            found.named.push(*member);
        } else if !side.muted && away(*member) {
            found.away.push(*member);
        }
    }
    Ok(found)
}

fn said(tx: &TenantRead<'_>, id: Id<ChatMessage>) -> Result<Option<(Stored<ChatMessage>, Stored<Conversation>)>> {
    let Some(message) = tx.find(id)? else { return Ok(None) };
    Ok(tx.find(message.conversation)?.map(|conversation| (message, conversation)))
}

/// Tells those of a message whom it is to be told to.
///
/// # Errors
/// `busy` or `internal` when it cannot be kept.
pub fn tell(tx: &TenantWrite<'_>, id: Id<ChatMessage>, to: &Receivers) -> Result<()> {
    let Some((message, conversation)) = said(tx, id)? else { return Ok(()) };
    let Some(author) = tx.find::<MemberRecord>(message.author.cast())? else { return Ok(()) };
    let text: String = message.preview().chars().take(TOLD).collect();
    let about = |kind: NotificationKind, words: &str| {
        let mut told = NotificationDraft::new(kind, words, format!("/chat/{}", conversation.id));
        told.image.clone_from(&author.avatar);
        told.text("from", &author.name).text("text", &text)
    };
    let mention = about(NotificationKind::Mention, "server.notifications.mention");
    let mention = mention.of(matters(conversation.id)[1].clone(), "server.notifications.mention.several");
    notifications::tell(tx, &to.named, &mention)?;
    let told = match &conversation.group {
        None => about(NotificationKind::Chat, "server.notifications.chat")
            .of(matters(conversation.id)[0].clone(), "server.notifications.chat.several"),
        Some(group) => about(NotificationKind::Chat, "server.notifications.chat_group")
            .text("group", &group.name)
            .of(matters(conversation.id)[0].clone(), "server.notifications.chat_group.several"),
    };
    notifications::tell(tx, &to.away, &told)
}

/// The matters that tidings of a conversation belong to: what was said, and who was named.
#[must_use]
pub fn matters(conversation: Id<Conversation>) -> [String; 2] {
    [format!("chat:{conversation}"), format!("mention:{conversation}")]
}

/// The matters of a conversation that somebody was told of and need not read any more: they have read all of it.
///
/// # Errors
/// `busy` or `internal` when it cannot be read.
pub fn settled(tx: &TenantRead<'_>, person: MemberId, chat: Id<Membership>) -> Result<Vec<String>> {
    let own = tx.person(person);
    if own.find(chat)?.is_some_and(|side| side.unread > 0) {
        return Ok(Vec::new());
    }
    let mut found = Vec::new();
    for matter in matters(chat.cast()) {
        if notifications::is_unread(&own, &matter)? {
            found.push(matter);
        }
    }
    Ok(found)
}
