//! Conversations, what each is to its members, and how far they have read.

use serde::{Deserialize, Serialize};

use super::message::{ChatMessage, GroupEventKind};
use crate::{
    kernel::{Id, MemberId, Timestamp},
    store::{Counters, Lookups, PersonalRecord, Record, Stored, TenantRecord},
};

/// The conversation of a pair of members.
pub(super) const BY_PAIR: u16 = 1_210;
/// A member's conversations by when something was last said.
pub(super) const BY_LAST_ACTIVITY: u16 = 1_211;
/// The messages of a conversation.
pub(super) const BY_CONVERSATION: u16 = 1_212;
/// A message by the id that its author's client gave it.
pub(super) const BY_CLIENT: u16 = 1_213;
/// How far the members of a conversation have read: by conversation and member.
pub(super) const BY_READER: u16 = 1_220;

/// The figure of what a member has not read, in conversations that are not muted.
pub(super) const UNREAD: &str = "chat/unread";

/// Characters of a message that the list of conversations shows.
const PREVIEW: usize = 200;

/// A conversation: that it exists, and between whom.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Conversation {
    /// A pair has the lower id first; a group those who are in it, in the order in which they came.
    pub members: Vec<MemberId>,
    /// What a group has besides; a pair has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<GroupFacts>,
}

/// What makes a conversation a group.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GroupFacts {
    /// Its name.
    pub name: String,
    /// Who may remove others from it.
    pub owner: MemberId,
}

impl Conversation {
    /// A new one of two.
    #[must_use]
    pub fn between(one: MemberId, other: MemberId) -> Self {
        Self { members: vec![one.min(other), one.max(other)], group: None }
    }

    /// The key of a pair, whoever comes first.
    #[must_use]
    pub fn pair(&self) -> Vec<u8> {
        self.members.iter().flat_map(|member| *member.as_bytes()).collect()
    }
}

impl Record for Conversation {
    const KIND: &'static str = "conversation";
    const TABLE: u16 = 23;
    fn lookups(record: &Stored<Self>, out: &mut Lookups) {
        if record.group.is_none() {
            out.unique(BY_PAIR, "contactId", record.pair());
        }
    }
}
impl TenantRecord for Conversation {}

/// What a conversation is to one of its members. Lies in that member's own data under the conversation's
/// id, so that they, and nobody else, hear of each change. Having one is being in the conversation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Membership {
    /// The other, in a conversation of two.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other: Option<MemberId>,
    /// Messages of the others that they have not read.
    #[serde(default)]
    pub unread: u32,
    /// Whether they want to hear nothing of it.
    #[serde(default)]
    pub muted: bool,
    /// How many of the unread ones the figure of all that is unread leaves out: none, or all when muted. It
    /// is kept, so that records from before it was left out still add to the figure what they did.
    #[serde(default, skip_serializing_if = "is_zero")]
    silent: u32,
    /// What was said last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last: Option<Last>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
const fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// What was said last.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Last {
    /// How it begins.
    pub text: String,
    /// When.
    pub at: Timestamp,
    /// Which message it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<Id<ChatMessage>>,
    /// By whom.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author: Option<MemberId>,
    /// What happened, when nothing was said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event: Option<GroupEventKind>,
    /// Whether its author took it back.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub removed: bool,
}

impl Last {
    fn of(message: &Stored<ChatMessage>) -> Self {
        Self {
            text: message.preview().chars().take(PREVIEW).collect(),
            at: message.created_at,
            message: Some(message.id),
            author: Some(message.author),
            event: message.event.as_ref().map(|event| event.what),
            removed: message.removed,
        }
    }
}

impl Membership {
    /// Of a new conversation.
    #[must_use]
    pub const fn new(other: Option<MemberId>) -> Self {
        Self { other, unread: 0, muted: false, silent: 0, last: None }
    }

    /// Sets how much is unread.
    pub fn set_unread(&mut self, unread: u32) {
        self.unread = unread;
        self.silent = if self.muted { unread } else { 0 };
    }

    /// Mutes it, or hears of it again.
    pub fn mute(&mut self, muted: bool) {
        self.muted = muted;
        self.set_unread(self.unread);
    }

    /// Something was said: by this side, which has then read everything, or by another. What happens to a
    /// group is not unread, and whoever does it need not have read what was said before.
    pub fn hear(&mut self, message: &Stored<ChatMessage>, mine: bool) {
        self.last = Some(Last::of(message));
        match (&message.event, mine) {
            (Some(_), _) => {}
            (None, true) => self.set_unread(0),
            (None, false) => self.set_unread(self.unread.saturating_add(1)),
        }
    }

    /// A message is different now; `unread` is whether it was one of those not read, and is none any more.
    pub fn revise(&mut self, message: &Stored<ChatMessage>, unread: bool) {
        if let Some(last) = &mut self.last
            && last.message == Some(message.id)
        {
            *last = Last::of(message);
        }
        if unread {
            self.set_unread(self.unread.saturating_sub(1));
        }
    }
}

impl Record for Membership {
    const KIND: &'static str = "chat";
    const TABLE: u16 = 25;
    fn lookups(record: &Stored<Self>, out: &mut Lookups) {
        out.multi(BY_LAST_ACTIVITY, record.last.as_ref().map_or(record.created_at, |last| last.at).sortable());
    }
    fn counters(record: &Stored<Self>, out: &mut Counters) {
        out.add_own(UNREAD, i64::from(record.unread) - i64::from(record.silent));
    }
}
impl PersonalRecord for Membership {}

/// How far a member has read a conversation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChatRead {
    /// Which conversation.
    pub conversation: Id<Conversation>,
    /// Who.
    pub member: MemberId,
    /// The newest message that they have seen.
    pub message: Id<ChatMessage>,
}

impl ChatRead {
    /// The key of a member's mark in a conversation.
    #[must_use]
    pub fn key(conversation: Id<Conversation>, member: MemberId) -> Vec<u8> {
        [*conversation.as_bytes(), *member.as_bytes()].concat()
    }
}

impl Record for ChatRead {
    const KIND: &'static str = "chat_read";
    const TABLE: u16 = 47;
    fn lookups(record: &Stored<Self>, out: &mut Lookups) {
        out.unique(BY_READER, "messageId", Self::key(record.conversation, record.member));
    }
}
impl TenantRecord for ChatRead {}
