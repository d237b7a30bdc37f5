//! Attachments, mentions and references of a message: uploaded files, members of the conversation, and records that the
//! sender may see.

use crate::{
    features::{
        chat::{
            ChatMessage, Conversation,
            message::{Attachment, MAX_ATTACHMENTS, Mention, Reference},
        },
        files,
    },
    kernel::{Error, Result, error::Faults},
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

/// Finds the files at the paths.
/// Errors: `invalid` for too many paths, or a path without a file of the tenant.
pub(super) fn find_attachments(tx: &TenantRead<'_>, paths: &[String]) -> Result<Vec<Attachment>> {
    let mut faults = Faults::default();
    if paths.len() > MAX_ATTACHMENTS {
        faults.add_with("attachments", "errors.fields.too_many", vec![("max", MAX_ATTACHMENTS.to_string())]);
        faults.into_result()?;
        return Ok(Vec::new());
    }
    let mut found: Vec<Attachment> = Vec::new();
    for (at, path) in paths.iter().enumerate() {
        match files::by_url(tx, path)? {
            Some(file) if found.iter().all(|other| other.path != *path) => found.push(Attachment {
                path: path.clone(),
                name: file.name.clone(),
                size: file.size,
                media_type: file.kind.clone(),
                width: file.width,
                height: file.height,
            }),
            Some(_) => {}
            None => faults.add(format!("attachments.{at}"), "errors.fields.unknown_reference"),
        }
    }
    faults.into_result()?;
    Ok(found)
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
    for (at, reference) in message.references.iter().enumerate() {
        if reference.kind.kind().find_card(tx, reader, reference.record_id)?.is_none() {
            return Err(Error::field(format!("references.{at}.recordId"), "errors.fields.unknown_reference"));
        }
    }
    Ok(())
}
