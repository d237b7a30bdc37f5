//! Request bodies of chat.

use poem_openapi::{Object, types::Any};

use super::message::ChatMessage;
use crate::{
    features::records::content::{Mention, Reference},
    kernel::{Id, MemberId},
    wire::NotNull,
};

/// The member to open a conversation with.
#[derive(Object)]
#[oai(rename = "OpenChat", rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Open {
    pub contact_id: MemberId,
}

/// Changes to the caller's settings of a conversation. A conversation may be sent back as received; fields that cannot
/// be changed are ignored.
#[derive(Object)]
#[oai(rename = "ChatPatch", rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Patch {
    pub muted: NotNull<bool>,
    /// The unread count, at most 9,999. 0 marks the conversation as read, 1 and more as unread.
    pub unread_count: NotNull<u32>,
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
    /// The name, up to 100 characters.
    pub name: String,
    /// The members besides the caller: 1 to 99 active members.
    pub member_ids: Vec<MemberId>,
}

/// Changes to a group.
#[derive(Object)]
#[oai(rename = "ChangeChatGroup", rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct ChangeGroup {
    /// The new name, up to 100 characters.
    pub name: Option<String>,
    /// The members to add. They see the earlier messages. A group has at most 100 members.
    pub add: Option<Vec<MemberId>>,
    /// The members to remove. Only the owner of the group may remove members.
    pub remove: Option<Vec<MemberId>>,
}

/// A new message.
#[derive(Object)]
#[oai(rename = "SendChatMessage", rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Send {
    pub chat_id: String,
    /// The text without formatting, up to 4,000 characters. It may be empty when there are files.
    pub value: String,
    /// An id from the client. Sending the same id again returns the existing message.
    pub client_id: Option<String>,
    /// The paths of up to 10 uploaded files.
    pub attachments: Option<Vec<String>>,
    /// Up to 50 members of the conversation that the text mentions.
    pub mentions: Option<Vec<Mention>>,
    /// Up to 50 records that the text refers to.
    pub references: Option<Vec<Reference>>,
}

/// Changes to a message.
#[derive(Object)]
#[oai(rename = "EditChatMessage", rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Edit {
    /// The new text without formatting, up to 4,000 characters.
    pub value: String,
    /// The new mentions. When absent, earlier mentions whose text is still in the message stay.
    pub mentions: Option<Vec<Mention>>,
    /// The new references. When absent, earlier references whose text is still in the message stay.
    pub references: Option<Vec<Reference>>,
}

/// A reaction to add or remove.
#[derive(Object)]
#[oai(rename = "ReactToChatMessage", rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct React {
    /// A single emoji.
    pub emoji: String,
    /// Whether to add or remove the reaction.
    pub on: bool,
}

/// The conversation to mark as read.
#[derive(Object)]
#[oai(rename = "ReadChat", rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Read {
    pub chat_id: String,
    /// The last message to mark as read. When absent, all messages are marked.
    pub message_id: Option<Id<ChatMessage>>,
}
