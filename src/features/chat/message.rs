//! Chat messages with their attachments, mentions, references and reactions.

use std::collections::BTreeSet;

use poem_openapi::{Enum, Object};
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;
use uuid::Uuid;

use super::model::{BY_CLIENT, BY_CONVERSATION, BY_FILE, BY_MENTIONED, Conversation};
use crate::{
    features::records::content::{AttachedFile, Mention, Reaction, Reference, Written},
    kernel::{Document, FieldText, Heading, Id, MemberId, SearchScope, Timestamp, error::Faults, media::media_of},
    store::{Lookups, Record, Stored, TenantRecord},
};

/// A message, or an event of a group.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChatMessage {
    /// The conversation.
    pub conversation: Id<Conversation>,
    /// The author.
    pub author: MemberId,
    /// The text, without formatting.
    pub value: String,
    /// Id from the author's client.
    pub client_id: Option<String>,
    /// Event of the group that it reports; such a message has no text.
    pub event: Option<Event>,
    /// When the author last edited it.
    pub edited_at: Option<Timestamp>,
    /// Whether the author removed it. The content of a removed message is deleted.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub removed: bool,
    /// Reactions of members, in the order in which each emoji was first used.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reactions: Vec<Reaction>,
    /// Attached files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attachments: Vec<AttachedFile>,
    /// Mentioned members.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mentions: Vec<Mention>,
    /// Records that the text refers to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub references: Vec<Reference>,
}

/// The kind of event in a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Enum)]
#[oai(rename = "ChatEventWhat", rename_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub enum GroupEventKind {
    /// The author created the group.
    Created,
    /// The author added members.
    Added,
    /// The author left.
    Left,
    /// The author removed members.
    Removed,
    /// The author renamed the group.
    Renamed,
}

impl GroupEventKind {
    /// Returns the translation key of its text.
    pub const fn text_key(self) -> &'static str {
        match self {
            Self::Created => "server.chat.created",
            Self::Added => "server.chat.added",
            Self::Left => "server.chat.left",
            Self::Removed => "server.chat.removed_member",
            Self::Renamed => "server.chat.renamed",
        }
    }
}

/// An event in a group.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Object)]
#[oai(rename = "ChatEvent", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct Event {
    /// The kind of event.
    pub what: GroupEventKind,
    /// The members that were added or removed.
    pub member_ids: Vec<MemberId>,
    /// The new name of the group.
    pub name: Option<String>,
}

impl ChatMessage {
    /// Creates a text message.
    pub const fn text(conversation: Id<Conversation>, author: MemberId, value: String) -> Self {
        Self {
            conversation,
            author,
            value,
            client_id: None,
            event: None,
            edited_at: None,
            removed: false,
            reactions: Vec::new(),
            attachments: Vec::new(),
            mentions: Vec::new(),
            references: Vec::new(),
        }
    }

    /// Removes control characters and outer white space, and validates the message.
    /// Errors: `invalid` with all invalid fields.
    pub fn clean(&mut self) -> crate::kernel::Result<()> {
        let mut faults = Faults::default();
        if let Some(client_id) = &self.client_id {
            faults.required("clientId", client_id, 100);
        }
        let has_files = !self.attachments.is_empty();
        let Self { value, mentions, references, .. } = self;
        Written { value, has_files, mentions, references }.clean(&mut faults);
        faults.into_result()
    }

    /// Marks the message as removed and deletes its content.
    pub fn remove(&mut self) {
        let Self { conversation, author, client_id, .. } = self.clone();
        *self = Self { client_id, removed: true, ..Self::text(conversation, author, String::new()) };
    }

    /// Checks whether it counts as unread for a member who has not read it yet.
    pub fn counts_as_unread_for(&self, member: MemberId) -> bool {
        self.author != member && self.event.is_none() && !self.removed
    }

    /// Returns its text for the list of conversations, or the name of its first file when it has no text.
    pub fn preview(&self) -> &str {
        match self.attachments.first() {
            Some(file) if self.value.is_empty() => &file.name,
            _ => &self.value,
        }
    }

    /// Returns the index key of the client's id, which is unique for an author within a conversation.
    pub fn client_key(&self) -> Option<Vec<u8>> {
        let client_id = self.client_id.as_ref()?;
        Some([self.author.as_bytes().as_slice(), self.conversation.as_bytes(), client_id.as_bytes()].concat())
    }
}

/// Returns the index key of messages that mention a record in a conversation.
pub(super) fn mentioned_key(record: Uuid, conversation: Id<Conversation>) -> [u8; 32] {
    let mut key = [0; 32];
    key[..16].copy_from_slice(record.as_bytes());
    key[16..].copy_from_slice(conversation.as_bytes());
    key
}

impl Record for ChatMessage {
    type Key = Self;
    const KIND: &'static str = "chat_message";
    const TABLE: u16 = 24;
    fn lookups(record: &Stored<Self>, out: &mut Lookups) {
        // Sorted by id, which is the order of sending.
        out.multi(BY_CONVERSATION, record.conversation.as_bytes());
        if let Some(key) = record.client_key() {
            out.unique(BY_CLIENT, "clientId", key);
        }
        let mentioned: BTreeSet<Uuid> = record.references.iter().map(|reference| reference.record_id).collect();
        for mentioned in mentioned {
            out.multi(BY_MENTIONED, mentioned_key(mentioned, record.conversation));
        }
        for media in record.attachments.iter().filter_map(|file| media_of(&file.path)).collect::<BTreeSet<_>>() {
            out.multi(BY_FILE, media);
        }
    }
    /// Indexes the message in its conversation's search scope, so that only searches with that scope can find it.
    fn document(record: &Stored<Self>) -> Option<Document> {
        let files = record.attachments.iter().map(|file| file.name.as_str());
        (record.event.is_none() && !record.removed).then(|| Document {
            scopes: Some(vec![SearchScope::of(record.conversation)]),
            subtitle: FieldText::of("file", files).collect(),
            body: FieldText::of("body", [record.value.value.as_str()]).collect(),
            at: record.created_at.millis(),
            ..record.document(Heading::Chat, "")
        })
    }
}
impl TenantRecord for ChatMessage {}
