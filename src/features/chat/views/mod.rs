//! Conversations and messages as presented to one of their members.

use poem_openapi::Object;
use serde::Serialize;
use serde_with::skip_serializing_none;
use uuid::Uuid;

use super::{
    contacts::Partner,
    message::{ChatMessage, Event},
    model::{ChatRead, Conversation, LastMessage, Membership},
    rules,
};
use crate::{
    access::Member,
    features::records::content::{AttachedFile, Mention, Reaction, ReferenceView},
    kernel::{
        Id, MemberId, Result, Timestamp,
        i18n::{Locale, say},
    },
    live::presence::Presence,
    people::{
        members::{MemberRecord, Status},
        permission::{Reader, Right, Role},
    },
    store::{MAX_PAGE_BYTES, Stored, TenantRead},
};

/// Bytes of a read mark in a response.
const READ_MARK_BYTES: usize = 110;

/// Whether a conversation is between two members or a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, poem_openapi::Enum)]
#[oai(rename = "ChatKind", rename_all = "lowercase")]
#[serde(rename_all = "lowercase")]
enum ChatKind {
    Pair,
    Group,
}

/// Whether a message has a text or reports an event of the group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, poem_openapi::Enum)]
#[oai(rename = "ChatMessageKind", rename_all = "lowercase")]
#[serde(rename_all = "lowercase")]
enum MessageKind {
    Text,
    Event,
}

/// Properties of a group.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "ChatGroup", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
struct GroupView {
    name: String,
    /// The member who may remove others.
    owner_id: MemberId,
    /// The members, in the order of joining. Empty in a list once its conversations take 4 MiB: `getChat` has them.
    members: Vec<Partner>,
}

/// How far a member has read a conversation.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "ChatReadMark", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct ReadView {
    member_id: MemberId,
    /// The newest message that the member has seen.
    message_id: Id<ChatMessage>,
}

impl From<ChatRead> for ReadView {
    fn from(mark: ChatRead) -> Self {
        Self { member_id: mark.member, message_id: mark.message }
    }
}

/// A conversation as presented to one of its members.
#[skip_serializing_none]
#[derive(Debug, Serialize, Object)]
#[oai(rename = "Chat", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct ChatView {
    id: Id<Conversation>,
    kind: ChatKind,
    /// The other member; for a group, the conversation's own id.
    contact_id: Uuid,
    /// The number of messages that the caller has not read.
    unread_count: u32,
    /// Whether the caller muted the conversation.
    muted: bool,
    /// The first 200 characters of the last message, or a description of the last event.
    last_message: Option<String>,
    last_message_at: Option<Timestamp>,
    /// The author of the last message.
    last_author_id: Option<MemberId>,
    /// The other member; for a group, its name.
    contact: Partner,
    group: Option<GroupView>,
    /// How far each member has read it. Members who have read nothing are absent. Empty in a list once its conversations
    /// take 4 MiB: `getChat` has them.
    read: Vec<ReadView>,
    /// The last 50 messages, oldest first. Absent in lists.
    messages: Option<Vec<MessageView>>,
}

impl ChatView {
    /// Returns about how many bytes the members of its group and the read marks take in a response.
    fn bytes_of_people(&self) -> usize {
        let members = self.group.iter().flat_map(|group| &group.members);
        members.map(Partner::bytes).sum::<usize>() + self.read.len() * READ_MARK_BYTES
    }
}

/// A message as presented to a member of the conversation.
#[skip_serializing_none]
#[derive(Debug, Serialize, Object)]
#[oai(rename = "ChatMessage", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct MessageView {
    id: Id<ChatMessage>,
    chat_id: Id<Conversation>,
    kind: MessageKind,
    /// The author; for the caller's own messages, the `id` of `profile`.
    contact_id: MemberId,
    /// The text without formatting. Empty for an event, for a message with files only, and for a removed message.
    value: String,
    created_at: Timestamp,
    /// Whether the caller is the author.
    is_mine: bool,
    /// The id from the author's client. Present for the author only.
    client_id: Option<String>,
    /// The event that the message reports instead of a text.
    event: Option<Event>,
    /// When the author last edited it.
    edited_at: Option<Timestamp>,
    /// Whether the author removed it.
    removed: bool,
    reactions: Vec<Reaction>,
    attachments: Vec<AttachedFile>,
    mentions: Vec<Mention>,
    references: Vec<ReferenceView>,
}

/// Presents conversations and messages to one member in their language.
#[derive(Clone)]
pub struct Presenter {
    me: MemberId,
    role: Role,
    locale: Locale,
    presence: Presence,
}

impl Presenter {
    /// Creates the presenter of a member.
    pub const fn new(me: MemberId, role: Role, locale: Locale, presence: Presence) -> Self {
        Self { me, role, locale, presence }
    }

    /// Creates the presenter of the caller.
    pub fn of<R: Right>(member: &Member<R>) -> Self {
        Self::new(member.id(), member.role(), member.locale(), member.presence().clone())
    }

    /// Presents conversations in a list. Once they take [`MAX_PAGE_BYTES`], those that follow have neither the members of
    /// their groups nor read marks.
    pub fn chats(&self, tx: &TenantRead<'_>, chats: Vec<Stored<Membership>>) -> Result<Vec<ChatView>> {
        let mut bytes = 0;
        let mut views = Vec::with_capacity(chats.len());
        for chat in chats {
            let view = self.chat_within(tx, chat, bytes < MAX_PAGE_BYTES)?;
            bytes += view.bytes_of_people();
            views.push(view);
        }
        Ok(views)
    }

    /// Presents a conversation without its messages.
    pub fn chat(&self, tx: &TenantRead<'_>, chat: Stored<Membership>) -> Result<ChatView> {
        self.chat_within(tx, chat, true)
    }

    /// The same. Without room, it has neither the members of a group nor read marks.
    fn chat_within(&self, tx: &TenantRead<'_>, chat: Stored<Membership>, has_room: bool) -> Result<ChatView> {
        let id: Id<Conversation> = chat.id;
        let contact = self.contact(tx, &chat)?;
        let Membership { other, unread, muted, last, .. } = chat.value;
        let group = if other.is_some() { None } else { self.group(tx, id, has_room)? };
        let marks = if has_room { rules::read_marks(tx, id)? } else { Vec::new() };
        Ok(ChatView {
            id,
            kind: if group.is_some() { ChatKind::Group } else { ChatKind::Pair },
            contact_id: other.map_or_else(|| id.uuid(), Id::uuid),
            unread_count: unread,
            muted,
            last_message: last.as_ref().map(|last| self.last_text(tx, last)).transpose()?,
            last_message_at: last.as_ref().map(|last| last.at),
            last_author_id: last.and_then(|last| last.author),
            contact,
            group,
            read: marks.into_iter().map(|mark| mark.value.into()).collect(),
            messages: None,
        })
    }

    /// Presents a conversation with its last messages.
    pub fn chat_with_messages(&self, tx: &TenantRead<'_>, chat: Stored<Membership>) -> Result<ChatView> {
        let page = rules::history(tx, chat.id, rules::HistoryPosition::default(), rules::MESSAGES_SHOWN)?;
        Ok(ChatView { messages: Some(self.messages(tx, page.items)?), ..self.chat(tx, chat)? })
    }

    /// Presents the other member of a conversation, or the group.
    pub fn contact(&self, tx: &TenantRead<'_>, chat: &Stored<Membership>) -> Result<Partner> {
        if let Some(other) = chat.other {
            return Partner::find(tx, other, self.locale, &self.presence);
        }
        let group = tx.get::<Conversation>(chat.id)?.value.group;
        Ok(Partner::of_group(chat.id, group.as_ref().map_or("", |group| group.name.as_str())))
    }

    fn group(&self, tx: &TenantRead<'_>, id: Id<Conversation>, with_members: bool) -> Result<Option<GroupView>> {
        let conversation = tx.get(id)?;
        let owner_id = rules::owner(tx, &conversation)?.unwrap_or(self.me);
        let Conversation { members, group: Some(properties) } = conversation.value else { return Ok(None) };
        let members = if with_members { members } else { Vec::new() };
        let mut views = Vec::with_capacity(members.len());
        for member in members {
            // Members who have left the tenant have left its groups, too.
            if tx.find::<MemberRecord>(member)?.is_some() {
                views.push(Partner::find(tx, member, self.locale, &self.presence)?);
            }
        }
        Ok(Some(GroupView { name: properties.name, owner_id, members: views }))
    }

    /// Returns the text of the last message for the list.
    fn last_text(&self, tx: &TenantRead<'_>, last: &LastMessage) -> Result<String> {
        if last.removed {
            return Ok(say(self.locale, "server.chat.removed", &[]));
        }
        let Some((what, author)) = last.event.zip(last.author) else { return Ok(last.text.clone()) };
        let name = Partner::find(tx, author, self.locale, &self.presence)?.into_name();
        Ok(say(self.locale, what.text_key(), &[("name", name)]))
    }

    /// Presents messages in their order.
    pub fn messages(&self, tx: &TenantRead<'_>, records: Vec<Stored<ChatMessage>>) -> Result<Vec<MessageView>> {
        records.into_iter().map(|record| self.message(tx, record)).collect()
    }

    /// Presents a message.
    pub fn message(&self, tx: &TenantRead<'_>, record: Stored<ChatMessage>) -> Result<MessageView> {
        let id = record.id;
        let created_at = record.created_at;
        let message = record.value;
        let is_mine = message.author == self.me;
        let reader = Reader { id: self.me, role: self.role };
        Ok(MessageView {
            id,
            chat_id: message.conversation,
            kind: if message.event.is_some() { MessageKind::Event } else { MessageKind::Text },
            contact_id: message.author,
            value: message.value,
            created_at,
            is_mine,
            client_id: message.client_id.filter(|_| is_mine),
            event: message.event,
            edited_at: message.edited_at,
            removed: message.removed,
            reactions: message.reactions,
            attachments: message.attachments,
            mentions: message.mentions,
            references: ReferenceView::of(tx, reader, message.references)?,
        })
    }
}

impl Partner {
    /// Returns the placeholder for the partner in a group's conversation.
    fn of_group(id: Id<Conversation>, name: &str) -> Self {
        Self::new(id.cast(), name.to_owned(), None, Status::NotVisible)
    }
}
