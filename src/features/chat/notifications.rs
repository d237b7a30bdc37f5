//! Notifications of the team chat: mentions, and messages that arrived while the recipient was away.

use super::{
    message::ChatMessage,
    model::{Conversation, Membership},
    rules,
};
use crate::{
    features::notifications::{self, NotificationDraft, NotificationKind},
    kernel::{Id, MemberId, Result},
    people::members::MemberRecord,
    store::{Stored, TenantRead, TenantWrite},
};

/// Characters of a message shown in a notification.
const TOLD: usize = 200;

/// Function that checks whether a member is offline or idle.
pub type Away<'a> = dyn Fn(MemberId) -> bool + 'a;

/// Recipients of notifications for a message that they have not read yet.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Receivers {
    /// Mentioned members.
    named: Vec<MemberId>,
    /// Other members who are away and have not muted the conversation.
    away: Vec<MemberId>,
}

impl Receivers {
    /// Whether there are no recipients.
    pub const fn is_empty(&self) -> bool {
        self.named.is_empty() && self.away.is_empty()
    }
}

/// Returns the recipients for a message.
pub fn receivers(tx: &TenantRead<'_>, id: Id<ChatMessage>, away: &Away<'_>) -> Result<Receivers> {
    let mut found = Receivers::default();
    let Some((message, conversation)) = said(tx, id)? else { return Ok(found) };
    for member in conversation.members.iter().filter(|member| message.counts_for(**member)) {
        let side = tx.person(*member).find::<Membership>(conversation.id)?;
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
    let Some(message) = tx.find::<ChatMessage>(id)? else { return Ok(None) };
    Ok(tx.find(message.conversation)?.map(|conversation| (message, conversation)))
}

/// Notifies the recipients of a message.
pub fn notify(tx: &TenantWrite<'_>, id: Id<ChatMessage>, to: &Receivers) -> Result<()> {
    let Some((message, conversation)) = said(tx, id)? else { return Ok(()) };
    let Some(author) = tx.find::<MemberRecord>(message.author)? else { return Ok(()) };
    let text: String = message.preview().chars().take(TOLD).collect();
    let about = |kind: NotificationKind, words: &str| {
        let mut draft = NotificationDraft::new(kind, words, format!("/chat/{}", conversation.id));
        draft.image.clone_from(&author.avatar);
        draft.text("from", &author.name).text("text", &text)
    };
    let mention = about(NotificationKind::Mention, "server.notifications.mention");
    let mention = mention.of(matters(conversation.id)[1].clone(), "server.notifications.mention.several");
    notifications::notify(tx, &to.named, &mention)?;
    let draft = match &conversation.group {
        None => about(NotificationKind::Chat, "server.notifications.chat")
            .of(matters(conversation.id)[0].clone(), "server.notifications.chat.several"),
        Some(group) => about(NotificationKind::Chat, "server.notifications.chat_group")
            .text("group", &group.name)
            .of(matters(conversation.id)[0].clone(), "server.notifications.chat_group.several"),
    };
    notifications::notify(tx, &to.away, &draft)
}

/// Returns the group keys of a conversation's notifications: for messages and for mentions.
pub fn matters(conversation: Id<Conversation>) -> [String; 2] {
    [format!("chat:{conversation}"), format!("mention:{conversation}")]
}

/// Returns the group keys of the member's unread notifications of a conversation that they have read completely.
pub fn settled(tx: &TenantRead<'_>, person: MemberId, chat: Id<Conversation>) -> Result<Vec<String>> {
    let own = tx.person(person);
    if own.find::<Membership>(chat)?.is_some_and(|side| side.unread > 0) {
        return Ok(Vec::new());
    }
    let mut found = Vec::new();
    for matter in matters(chat) {
        if notifications::is_unread(&own, &matter)? {
            found.push(matter);
        }
    }
    Ok(found)
}
