//! Attachments, mentions and references of a message: uploaded files, members of the conversation, and records that the
//! sender may see.

use crate::{
    features::{
        chat::{ChatMessage, Conversation},
        records::content::{Mention, Reference, check_references},
    },
    kernel::{Error, Result},
    people::{members::MemberRecord, permission::Reader},
    store::TenantRead,
};

/// A message to send.
#[derive(Clone, Debug, Default)]
pub struct Draft {
    /// The text, without formatting.
    pub value: String,
    /// Id from the author's client.
    pub client_id: Option<String>,
    /// Paths of attached files.
    pub attachments: Vec<String>,
    /// Mentioned members.
    pub mentions: Vec<Mention>,
    /// Records that the text refers to.
    pub references: Vec<Reference>,
}

impl Draft {
    /// Creates a draft that has only a text.
    pub fn text(value: impl Into<String>) -> Self {
        Self { value: value.into(), ..Self::default() }
    }
}

/// Checks that all mentioned members are in the conversation and that the author may see all referenced records.
/// Errors: `invalid` at the first one that fails.
pub(super) fn check_named(tx: &TenantRead<'_>, conversation: &Conversation, message: &ChatMessage) -> Result<()> {
    for (at, mention) in message.mentions.iter().enumerate() {
        let is_known =
            conversation.members.contains(&mention.member_id) && tx.find::<MemberRecord>(mention.member_id)?.is_some();
        if !is_known {
            return Err(Error::field(format!("mentions.{at}.memberId"), "errors.fields.unknown_reference"));
        }
    }
    if message.references.is_empty() {
        return Ok(());
    }
    let author = tx.get::<MemberRecord>(message.author)?;
    let reader = Reader { id: message.author, role: author.role };
    check_references(tx, reader, &message.references)
}
