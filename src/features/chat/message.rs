//! What is said in a conversation, and what can be attached to it.

use poem_openapi::{Enum, Object};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::model::{BY_CLIENT, BY_CONVERSATION, Conversation};
use crate::{
    kernel::{Document, Heading, Id, MemberId, SearchScope, Timestamp, error::Faults},
    store::{Lookups, Record, Stored, TenantRecord},
};

/// Characters of a message.
const LONGEST: usize = 4_000;
/// Files that one message has, at most.
pub(super) const ATTACHMENTS: usize = 10;
/// People that one message mentions, and records that it refers to, at most.
pub(super) const NAMED: usize = 50;
/// Characters of the words by which one is mentioned.
const NAME: usize = 200;

/// Something that was said, or that happened to a group.
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
    /// What happened to the group; then nothing was said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event: Option<Event>,
    /// When its author last changed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edited_at: Option<Timestamp>,
    /// Whether its author took it back: nothing of it is kept but that it was.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub removed: bool,
    /// What others think of it, in the order in which each was first said.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reactions: Vec<Reaction>,
    /// Files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attachments: Vec<Attachment>,
    /// Whom it names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mentions: Vec<Mention>,
    /// Which records it names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub references: Vec<Reference>,
}

/// What can happen to a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Enum)]
#[oai(rename = "ChatEventWhat", rename_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub enum GroupEventKind {
    /// It was made.
    Created,
    /// The author added people.
    Added,
    /// The author left.
    Left,
    /// The author removed people.
    Removed,
    /// The author gave it another name.
    Renamed,
}

impl GroupEventKind {
    /// The key of the words for it.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::Created => "server.chat.created",
            Self::Added => "server.chat.added",
            Self::Left => "server.chat.left",
            Self::Removed => "server.chat.removed_member",
            Self::Renamed => "server.chat.renamed",
        }
    }
}

/// Something that happened to a group.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Object)]
#[oai(rename = "ChatEvent", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct Event {
    /// What.
    pub what: GroupEventKind,
    /// Whom it concerns besides the author.
    pub member_ids: Vec<MemberId>,
    /// The name that it has from then on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// What several think of a message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Object)]
#[oai(rename = "ChatReaction", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct Reaction {
    /// One emoji.
    pub emoji: String,
    /// Who said it.
    pub member_ids: Vec<MemberId>,
}

/// A file of a message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Object)]
#[oai(rename = "ChatAttachment", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct Attachment {
    /// The path at which it is served, to anybody who has it.
    pub path: String,
    /// What it was called where it came from.
    pub name: String,
    /// Bytes.
    pub size: u64,
    /// Its media type: only `image/...` is shown, all else is downloaded.
    pub media_type: String,
    /// Pixels, of a picture, where they are known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub width: Option<u32>,
    /// Pixels, of a picture, where they are known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub height: Option<u32>,
}

/// A member of the conversation whom a message names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Object)]
#[oai(rename = "ChatMention", rename_all = "camelCase", deny_unknown_fields)]
#[serde(rename_all = "camelCase")]
pub struct Mention {
    /// Who.
    pub member_id: MemberId,
    /// The words in the message's text that name them, such as `@Ana López`.
    pub text: String,
}

/// What a message can refer to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Enum)]
#[oai(rename = "ChatReferenceKind", rename_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub enum ReferenceKind {
    /// A customer.
    Customer,
    /// A task.
    Task,
    /// An event.
    Event,
    /// A page.
    Page,
}

/// A record that a message names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Object)]
#[oai(rename = "NewChatReference", rename_all = "camelCase", deny_unknown_fields)]
#[serde(rename_all = "camelCase")]
pub struct Reference {
    /// What kind of record.
    pub kind: ReferenceKind,
    /// Which one.
    pub record_id: Uuid,
    /// The words in the message's text that name it, such as `#Call Ana`.
    pub text: String,
}

impl ChatMessage {
    /// Something said.
    #[must_use]
    pub const fn said(conversation: Id<Conversation>, author: MemberId, value: String) -> Self {
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

    /// Takes away what cannot be seen, and holds it to the rules.
    ///
    /// # Errors
    /// `invalid` with every field that breaks one.
    pub fn clean(&mut self) -> crate::kernel::Result<()> {
        let seen: String = self.value.chars().filter(|c| !c.is_control() || matches!(c, '\n' | '\t')).collect();
        seen.trim().clone_into(&mut self.value);
        let mut faults = Faults::default();
        if self.attachments.is_empty() {
            faults.required("value", &self.value, LONGEST);
        } else {
            faults.at_most("value", &self.value, LONGEST);
        }
        if let Some(client_id) = &self.client_id {
            faults.required("clientId", client_id, 100);
        }
        let mentions: Vec<&str> = self.mentions.iter().map(|mention| mention.text.as_str()).collect();
        let references = self.references.iter().map(|reference| reference.text.as_str()).collect();
        for (list, texts) in [("mentions", mentions), ("references", references)] {
            if texts.len() > NAMED {
                faults.add_with(list, "errors.fields.too_many", vec![("max", NAMED.to_string())]);
            }
            for (at, text) in texts.into_iter().enumerate() {
                let field = format!("{list}.{at}.text");
                faults.required(&field, text, NAME);
                if !self.value.contains(text) {
                    faults.add(field, "errors.fields.not_in_text");
                }
            }
        }
        faults.into_result()
    }

    /// Nothing of it is kept but that it was.
    pub fn remove(&mut self) {
        let Self { conversation, author, client_id, .. } = self.clone();
        *self = Self { client_id, removed: true, ..Self::said(conversation, author, String::new()) };
    }

    /// Whether somebody who has not read it yet counts it as unread.
    #[must_use]
    pub fn counts_for(&self, member: MemberId) -> bool {
        self.author != member && self.event.is_none() && !self.removed
    }

    /// What the list of conversations shows of it: its text, or the first of its files.
    #[must_use]
    pub fn preview(&self) -> &str {
        match self.attachments.first() {
            Some(file) if self.value.is_empty() => &file.name,
            _ => &self.value,
        }
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
        // In the order of the ids, which is that of sending.
        out.multi(BY_CONVERSATION, record.conversation.as_bytes());
        if let Some(key) = record.client_key() {
            out.unique(BY_CLIENT, "clientId", key);
        }
    }
    /// Found in its conversation's circle only: who is not in it cannot name it.
    fn document(record: &Stored<Self>) -> Option<Document> {
        let files: Vec<&str> = record.attachments.iter().map(|file| file.name.as_str()).collect();
        (record.event.is_none() && !record.removed).then(|| Document {
            group: Heading::Chat,
            kind: Self::KIND,
            id: *record.id.as_bytes(),
            circle: Some(SearchScope::of(record.conversation)),
            title: String::new(),
            subtitle: (!files.is_empty()).then(|| files.join(" ")),
            keywords: Vec::new(),
            body: record.value.value.clone(),
            avatar: None,
            completed: false,
            at: record.created_at.millis(),
        })
    }
}
impl TenantRecord for ChatMessage {}
