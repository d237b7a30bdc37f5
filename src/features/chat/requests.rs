//! What the calls for chat are asked with.

use poem_openapi::{Object, types::Any};

use super::message::{ChatMessage, Mention, Reference};
use crate::{
    kernel::{Id, MemberId},
    wire::Given,
};

/// Whom to talk to.
#[derive(Object)]
#[oai(rename = "OpenChat", rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Open {
    pub contact_id: MemberId,
}

/// Changes to the caller's side of a conversation. A conversation may be sent back as it was given:
/// what cannot be changed is left aside.
#[derive(Object)]
#[oai(rename = "ChatPatch", rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Patch {
    pub muted: Given<bool>,
    /// 0 when all is read; 1 and more marks it as unread. At most 9,999.
    pub unread_count: Given<u32>,
    id: Option<String>,
    kind: Option<String>,
    contact_id: Option<String>,
    last_message: Option<String>,
    last_message_at: Option<String>,
    last_author_id: Option<String>,
    contact: Option<Any<serde_json::Value>>,
    group: Option<Any<serde_json::Value>>,
    read: Option<Any<serde_json::Value>>,
    messages: Option<Any<serde_json::Value>>,
}

/// The body of `PATCH`.
#[derive(Object)]
#[oai(rename = "ChangeChat", deny_unknown_fields)]
pub(super) struct Change {
    pub id: String,
    pub chat: Patch,
}

/// A new group.
#[derive(Object)]
#[oai(rename = "CreateChatGroup", rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct CreateGroup {
    /// Up to 100 characters.
    pub name: String,
    /// Who is in it besides the caller: 1 to 99 active members.
    pub member_ids: Vec<MemberId>,
}

/// Changes to a group.
#[derive(Object)]
#[oai(rename = "ChangeChatGroup", rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct ChangeGroup {
    /// Up to 100 characters.
    pub name: Option<String>,
    /// Who is to be in it, too; they see what was said before. A group has at most 100 members.
    pub add: Option<Vec<MemberId>>,
    /// Who is to be in it no longer; only its owner may say so.
    pub remove: Option<Vec<MemberId>>,
}

/// What to say, and where.
#[derive(Object)]
#[oai(rename = "SendChatMessage", rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Send {
    pub chat_id: String,
    /// Plain text of up to 4,000 characters; may be empty beside files.
    pub value: String,
    /// The client's own name for the message: sent twice, it is one message.
    pub client_id: Option<String>,
    /// The paths of up to 10 files that were uploaded before.
    pub attachments: Option<Vec<String>>,
    /// Up to 50 members of the conversation whom the text names.
    pub mentions: Option<Vec<Mention>>,
    /// Up to 50 records that the text names.
    pub references: Option<Vec<Reference>>,
}

/// What a message says instead.
#[derive(Object)]
#[oai(rename = "EditChatMessage", rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Edit {
    /// Plain text of up to 4,000 characters.
    pub value: String,
    /// Whom it names now; absent, those of before whose words still stand in it.
    pub mentions: Option<Vec<Mention>>,
    /// Which records it names now; absent, those of before whose words still stand in it.
    pub references: Option<Vec<Reference>>,
}

/// What the caller thinks of a message.
#[derive(Object)]
#[oai(rename = "ReactToChatMessage", rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct React {
    /// One emoji.
    pub emoji: String,
    /// Whether they think so, or no longer.
    pub on: bool,
}

/// Which conversation was read.
#[derive(Object)]
#[oai(rename = "ReadChat", rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Read {
    pub chat_id: String,
    /// Up to which message; all of it when absent.
    pub message_id: Option<Id<ChatMessage>>,
}
