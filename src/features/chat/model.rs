//! Stored records of chat: conversations, memberships and read marks.

use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use super::message::{ChatMessage, GroupEventKind};
use crate::{
    kernel::{Id, MemberId, Timestamp, is_default},
    store::{Counters, Lookups, PersonalRecord, Record, Stored, TenantRecord},
};

/// Index of conversations of two by their pair of members.
pub(super) const BY_PAIR: u16 = 1_210;
/// Index of a member's conversations by the time of the last message.
pub(super) const BY_LAST_ACTIVITY: u16 = 1_211;
/// Index of messages by conversation.
pub(super) const BY_CONVERSATION: u16 = 1_212;
/// Index of messages by author, conversation and the id from the author's client.
pub(super) const BY_CLIENT: u16 = 1_213;
/// Index of messages by a record that they mention, and the conversation.
pub(super) const BY_MENTIONED: u16 = 1_214;
/// Index of messages by attached file.
pub(super) const BY_FILE: u16 = 1_284;
/// Index of read marks by conversation and member.
pub(super) const BY_READER: u16 = 1_220;

/// Counter of a member's unread messages in conversations that are not muted.
pub(super) const UNREAD_COUNTER: &str = "chat/unread";

/// Characters of a message shown in the list of conversations.
const PREVIEW_CHARS: usize = 200;

/// A conversation and its members.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Conversation {
    /// The members: of a pair, the lower id first; of a group, in the order of joining.
    pub members: Vec<MemberId>,
    /// Properties of a group; `None` for a pair.
    pub group: Option<GroupProperties>,
}

/// Properties of a group.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GroupProperties {
    /// Name of the group.
    pub name: String,
    /// The member who may remove others.
    pub owner: MemberId,
}

impl Conversation {
    /// Creates a conversation of two members.
    pub fn between(one: MemberId, other: MemberId) -> Self {
        Self { members: vec![one.min(other), one.max(other)], group: None }
    }

    /// Returns the index key of a pair, independent of the order of the two members.
    pub fn pair_key(&self) -> Vec<u8> {
        self.members.iter().flat_map(|member| *member.as_bytes()).collect()
    }
}

impl Record for Conversation {
    type Key = Self;
    const KIND: &'static str = "conversation";
    const TABLE: u16 = 23;
    fn lookups(record: &Stored<Self>, out: &mut Lookups) {
        if record.group.is_none() {
            out.unique(BY_PAIR, "contactId", record.pair_key());
        }
    }
}
impl TenantRecord for Conversation {}

/// Membership of a conversation. Stored in the member's personal data under the conversation's id, so that its changes
/// are pushed to this member only. Only members with this record are in the conversation.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Membership {
    /// The other member in a conversation of two.
    pub other: Option<MemberId>,
    /// Number of unread messages from others.
    #[serde(default)]
    pub unread: u32,
    /// Whether the member muted the conversation.
    #[serde(default)]
    pub muted: bool,
    /// Number of unread messages left out of the total counter: none, or all when muted. It is stored so that records
    /// from before this field still contribute what they originally added to the counter.
    #[serde(default, skip_serializing_if = "is_default")]
    silent: u32,
    /// The last message.
    pub last: Option<LastMessage>,
}

/// Summary of the last message.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LastMessage {
    /// Beginning of the text.
    pub text: String,
    /// When it was sent.
    pub at: Timestamp,
    /// Id of the message.
    pub message: Option<Id<ChatMessage>>,
    /// The author.
    pub author: Option<MemberId>,
    /// What happened to the group, for a message that reports an event.
    pub event: Option<GroupEventKind>,
    /// Whether the author removed it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub removed: bool,
}

impl LastMessage {
    fn of(message: &Stored<ChatMessage>) -> Self {
        Self {
            text: message.preview().chars().take(PREVIEW_CHARS).collect(),
            at: message.created_at,
            message: Some(message.id),
            author: Some(message.author),
            event: message.event.as_ref().map(|event| event.what),
            removed: message.removed,
        }
    }
}

impl Membership {
    /// Creates the membership of a new conversation.
    pub const fn new(other: Option<MemberId>) -> Self {
        Self { other, unread: 0, muted: false, silent: 0, last: None }
    }

    /// Sets the number of unread messages.
    pub fn set_unread(&mut self, unread: u32) {
        self.unread = unread;
        self.silent = if self.muted { unread } else { 0 };
    }

    /// Mutes or unmutes the conversation.
    pub fn mute(&mut self, muted: bool) {
        self.muted = muted;
        self.set_unread(self.unread);
    }

    /// Applies a new message. The member's own message marks all as read; a message from another member adds to the
    /// unread count. Events of a group change no count.
    pub fn apply_message(&mut self, message: &Stored<ChatMessage>, is_own: bool) {
        self.last = Some(LastMessage::of(message));
        match (&message.event, is_own) {
            (Some(_), _) => {}
            (None, true) => self.set_unread(0),
            (None, false) => self.set_unread(self.unread.saturating_add(1)),
        }
    }

    /// Applies a change of a message. `was_unread`: it was counted as unread and no longer is.
    pub fn apply_revision(&mut self, message: &Stored<ChatMessage>, was_unread: bool) {
        if let Some(last) = &mut self.last
            && last.message == Some(message.id)
        {
            *last = LastMessage::of(message);
        }
        if was_unread {
            self.set_unread(self.unread.saturating_sub(1));
        }
    }
}

impl Record for Membership {
    type Key = Conversation;
    const KIND: &'static str = "chat";
    const TABLE: u16 = 25;
    fn lookups(record: &Stored<Self>, out: &mut Lookups) {
        out.multi(BY_LAST_ACTIVITY, record.last.as_ref().map_or(record.created_at, |last| last.at).sortable());
    }
    fn counters(record: &Stored<Self>, out: &mut Counters) {
        out.add_own(UNREAD_COUNTER, i64::from(record.unread) - i64::from(record.silent));
    }
}
impl PersonalRecord for Membership {}

/// How far a member has read a conversation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChatRead {
    /// The conversation.
    pub conversation: Id<Conversation>,
    /// The member.
    pub member: MemberId,
    /// The newest message that they have seen.
    pub message: Id<ChatMessage>,
}

impl ChatRead {
    /// Returns the index key of a member's read mark in a conversation.
    pub fn key(conversation: Id<Conversation>, member: MemberId) -> Vec<u8> {
        [*conversation.as_bytes(), *member.as_bytes()].concat()
    }
}

impl Record for ChatRead {
    type Key = Self;
    const KIND: &'static str = "chat_read";
    const TABLE: u16 = 47;
    fn lookups(record: &Stored<Self>, out: &mut Lookups) {
        out.unique(BY_READER, "messageId", Self::key(record.conversation, record.member));
    }
}
impl TenantRecord for ChatRead {}
