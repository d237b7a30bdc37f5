//! Notifications of the team chat: mentions, and messages that arrived while the recipient was away.

use uuid::Uuid;

use super::{
    message::ChatMessage,
    model::{Conversation, Membership},
    rules,
};
use crate::{
    features::notifications::{self, NotificationDraft, NotificationKind},
    kernel::{Id, MemberId, Result},
    people::{members::MemberRecord, permission::Reader},
    store::{Record as _, Stored, TenantRead, TenantWrite},
};

/// Characters of a message shown in a notification.
const EXCERPT_CHARS: usize = 200;

/// Function that checks whether a member is offline or idle.
pub type AwayCheck<'a> = dyn Fn(MemberId) -> bool + 'a;

/// Recipients of notifications for a message that they have not read yet.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct ChatRecipients {
    /// Mentioned members.
    mentioned: Vec<MemberId>,
    /// Other members who are away and have not muted the conversation.
    away: Vec<MemberId>,
}

impl ChatRecipients {
    /// Whether there are no recipients.
    pub const fn is_empty(&self) -> bool {
        self.mentioned.is_empty() && self.away.is_empty()
    }
}

/// Returns the recipients for a message.
pub fn find_recipients(tx: &TenantRead<'_>, id: Id<ChatMessage>, is_away: &AwayCheck<'_>) -> Result<ChatRecipients> {
    let mut found = ChatRecipients::default();
    let Some((message, conversation)) = find_message(tx, id)? else { return Ok(found) };
    for member in conversation.members.iter().filter(|member| message.counts_as_unread_for(**member)) {
        let membership = tx.person(*member).find::<Membership>(conversation.id)?;
        let mark = rules::read_mark(tx, conversation.id, *member)?;
        let has_read = mark.is_some_and(|mark| mark.message >= message.id);
        let Some(membership) = membership.filter(|membership| membership.unread > 0 && !has_read) else { continue };
        if message.mentions.iter().any(|mention| mention.member_id == *member) {
            found.mentioned.push(*member);
        } else if !membership.muted && is_away(*member) {
            found.away.push(*member);
        }
    }
    Ok(found)
}

fn find_message(
    tx: &TenantRead<'_>,
    id: Id<ChatMessage>,
) -> Result<Option<(Stored<ChatMessage>, Stored<Conversation>)>> {
    let Some(message) = tx.find::<ChatMessage>(id)? else { return Ok(None) };
    Ok(tx.find(message.conversation)?.map(|conversation| (message, conversation)))
}

/// Notifies the recipients of a message.
pub fn notify(tx: &TenantWrite<'_>, id: Id<ChatMessage>, to: &ChatRecipients) -> Result<()> {
    let Some((message, conversation)) = find_message(tx, id)? else { return Ok(()) };
    let Some(author) = tx.find::<MemberRecord>(message.author)? else { return Ok(()) };
    let text = excerpt(&message);
    let draft = |kind: NotificationKind, text_key: &str| {
        let mut draft = NotificationDraft::new(kind, text_key, format!("/chat/{}", conversation.id));
        draft.image.clone_from(&author.avatar);
        draft.with_text("from", &author.name).with_excerpt(ChatMessage::KIND, message.id.uuid(), &text)
    };
    let [messages_key, mentions_key] = group_keys(conversation.id);
    let mention = draft(NotificationKind::Mention, "server.notifications.mention")
        .with_group(mentions_key, "server.notifications.mention.several");
    notifications::notify(tx, &to.mentioned, &mention)?;
    let message = match &conversation.group {
        None => draft(NotificationKind::Chat, "server.notifications.chat")
            .with_group(messages_key, "server.notifications.chat.several"),
        Some(group) => draft(NotificationKind::Chat, "server.notifications.chat_group")
            .with_text("group", &group.name)
            .with_group(messages_key, "server.notifications.chat_group.several"),
    };
    notifications::notify(tx, &to.away, &message)
}

/// Returns the beginning of a message, as a notification shows it.
fn excerpt(message: &ChatMessage) -> String {
    message.preview().chars().take(EXCERPT_CHARS).collect()
}

/// Returns the beginning of a message; `None` when it was removed or the reader is not in its conversation.
pub fn find_excerpt(tx: &TenantRead<'_>, reader: Reader, id: Uuid) -> Result<Option<String>> {
    let Some(message) = tx.find::<ChatMessage>(Id::from(id))?.filter(|message| !message.removed) else {
        return Ok(None);
    };
    let membership = tx.person(reader.id).find::<Membership>(message.conversation)?;
    Ok(membership.map(|_| excerpt(&message)))
}

/// Returns the group keys of a conversation's notifications: for messages and for mentions.
pub fn group_keys(conversation: Id<Conversation>) -> [String; 2] {
    [format!("chat:{conversation}"), format!("mention:{conversation}")]
}

/// Returns the group keys of the member's unread notifications of a conversation, once they have read all of it.
pub fn unread_group_keys(tx: &TenantRead<'_>, person: MemberId, chat: Id<Conversation>) -> Result<Vec<String>> {
    let own = tx.person(person);
    if own.find::<Membership>(chat)?.is_some_and(|membership| membership.unread > 0) {
        return Ok(Vec::new());
    }
    let mut found = Vec::new();
    for group_key in group_keys(chat) {
        if notifications::has_unread(&own, &group_key)? {
            found.push(group_key);
        }
    }
    Ok(found)
}
