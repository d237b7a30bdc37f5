//! What one sends, and what may hang on it: files that were uploaded, members of the conversation, and
//! records that the sender may see.

use crate::{
    access::members::MemberRecord,
    features::{
        chat::{
            ChatMessage, Conversation,
            message::{ATTACHMENTS, Attachment, Mention, Reference},
            views::cards,
        },
        files,
        pages::rules::Reader,
    },
    kernel::{Error, Result, error::Faults},
    store::TenantRead,
};

/// A message before it is sent.
#[derive(Clone, Debug, Default)]
pub struct Draft {
    /// Plain text.
    pub value: String,
    /// What the author's client calls it.
    pub client_id: Option<String>,
    /// The paths of files.
    pub attachments: Vec<String>,
    /// Whom it names.
    pub mentions: Vec<Mention>,
    /// Which records it names.
    pub references: Vec<Reference>,
}

impl Draft {
    /// Nothing but a text.
    #[must_use]
    pub fn text(value: impl Into<String>) -> Self {
        Self { value: value.into(), ..Self::default() }
    }
}

/// The files that paths lead to.
///
/// # Errors
/// `invalid` for too many, or a path that leads to no file of the company's.
pub(super) fn files(tx: &TenantRead<'_>, paths: &[String]) -> Result<Vec<Attachment>> {
    let mut faults = Faults::default();
    if paths.len() > ATTACHMENTS {
        faults.add_with("attachments", "errors.fields.too_many", vec![("max", ATTACHMENTS.to_string())]);
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

/// Refuses to name who is not in the conversation, and what the author may not see.
///
/// # Errors
/// `invalid` at the first of them.
pub(super) fn may_name(tx: &TenantRead<'_>, conversation: &Conversation, message: &ChatMessage) -> Result<()> {
    for (at, mention) in message.mentions.iter().enumerate() {
        let known = conversation.members.contains(&mention.member_id)
            && tx.find::<MemberRecord>(mention.member_id.cast())?.is_some();
        if !known {
            return Err(Error::field(format!("mentions.{at}.memberId"), "errors.fields.unknown_reference"));
        }
    }
    if message.references.is_empty() {
        return Ok(());
    }
    let author = tx.get::<MemberRecord>(message.author.cast())?;
    let reader = Reader::new(message.author, author.role);
    for (at, reference) in message.references.iter().enumerate() {
        if cards::card(tx, reader, reference)?.is_none() {
            return Err(Error::field(format!("references.{at}.recordId"), "errors.fields.unknown_reference"));
        }
    }
    Ok(())
}
