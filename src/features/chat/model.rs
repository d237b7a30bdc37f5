//! A conversation and what is said in it.

use serde::{Deserialize, Serialize};

use crate::{
    kernel::{Id, MemberId, Result, Timestamp, error::Faults},
    store::{Counters, Lookups, PersonalRecord, Record, Stored, TenantRecord},
};

/// The conversation of a pair of members.
pub(super) const BY_PAIR: u16 = 1_210;
/// A member's conversations by when something was last said.
pub(super) const BY_LIVELINESS: u16 = 1_211;
/// The messages of a conversation.
pub(super) const BY_CONVERSATION: u16 = 1_212;
/// A message by the id that its author's client gave it.
pub(super) const BY_CLIENT: u16 = 1_213;

/// The figure of what a member has not read.
pub(super) const UNREAD: &str = "chat/unread";

/// Characters of a message.
const LONGEST: usize = 4_000;
/// Characters of a message that the list of conversations shows.
const PREVIEW: usize = 200;

/// Two members' conversation: that it exists, and between whom.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Conversation {
    /// The two, the lower id first.
    pub members: [MemberId; 2],
}

impl Conversation {
    /// A new one.
    #[must_use]
    pub fn between(one: MemberId, other: MemberId) -> Self {
        Self { members: [one.min(other), one.max(other)] }
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
        out.unique(BY_PAIR, "contactId", record.pair());
    }
}
impl TenantRecord for Conversation {}

/// What a conversation is to one of the two. Lies in that member's own data under the conversation's
/// id, so that they, and nobody else, hear of each change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Side {
    /// The other.
    pub other: MemberId,
    /// Messages of the other's that they have not read.
    #[serde(default)]
    pub unread: u32,
    /// Whether they want to hear nothing of it.
    #[serde(default)]
    pub muted: bool,
    /// What was said last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last: Option<Last>,
}

/// What was said last.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Last {
    /// How it begins.
    pub text: String,
    /// When.
    pub at: Timestamp,
}

impl Side {
    /// Of a new conversation.
    #[must_use]
    pub const fn new(other: MemberId) -> Self {
        Self { other, unread: 0, muted: false, last: None }
    }

    /// Something was said: by this side, which has then read everything, or by the other.
    pub fn hear(&mut self, text: &str, at: Timestamp, mine: bool) {
        self.last = Some(Last { text: text.chars().take(PREVIEW).collect(), at });
        self.unread = if mine { 0 } else { self.unread.saturating_add(1) };
    }
}

impl Record for Side {
    const KIND: &'static str = "chat";
    const TABLE: u16 = 25;
    fn lookups(record: &Stored<Self>, out: &mut Lookups) {
        out.multi(BY_LIVELINESS, record.last.as_ref().map_or(record.created_at, |last| last.at).sortable());
    }
    fn counters(record: &Stored<Self>, out: &mut Counters) {
        out.add_own(UNREAD, i64::from(record.unread));
    }
}
impl PersonalRecord for Side {}

/// Something that was said.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChatMessage {
    /// In which conversation.
    pub conversation: Id<Conversation>,
    /// By whom.
    pub author: MemberId,
    /// Plain text.
    pub value: String,
    /// What the author's client calls it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_id: Option<String>,
}

impl ChatMessage {
    /// Takes away what cannot be seen, and holds it to the rules.
    ///
    /// # Errors
    /// `invalid` with every field that breaks one.
    pub fn clean(&mut self) -> Result<()> {
        let seen: String = self.value.chars().filter(|c| !c.is_control() || matches!(c, '\n' | '\t')).collect();
        seen.trim().clone_into(&mut self.value);
        let mut faults = Faults::default();
        faults.required("value", &self.value, LONGEST);
        if let Some(client_id) = &self.client_id {
            faults.required("clientId", client_id, 100);
        }
        faults.into_result()
    }

    /// The key of a client's id: unique for its author within a conversation.
    #[must_use]
    pub fn client_key(&self) -> Option<Vec<u8>> {
        let client_id = self.client_id.as_ref()?;
        Some([self.author.as_bytes().as_slice(), self.conversation.as_bytes(), client_id.as_bytes()].concat())
    }
}

impl Record for ChatMessage {
    const KIND: &'static str = "chat_message";
    const TABLE: u16 = 24;
    fn lookups(record: &Stored<Self>, out: &mut Lookups) {
        // In the order of the ids, which is that of time.
        out.multi(BY_CONVERSATION, record.conversation.as_bytes());
        if let Some(key) = record.client_key() {
            out.unique(BY_CLIENT, "clientId", key);
        }
    }
}
impl TenantRecord for ChatMessage {}
