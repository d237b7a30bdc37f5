//! What members write to each other: a text with attached files, mentions of members, references to records, and
//! reactions of others. Chat messages and comments consist of it.

use poem_openapi::Object;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{KindName, emoji::is_emoji};
pub use crate::feature::AttachedFile;
use crate::{
    feature::Card,
    features::files::{self, FileRecord},
    kernel::{Code, Error, MemberId, Result, error::Faults},
    people::{audit::ERASED_PERSON, permission::Reader},
    store::{TenantRead, TenantWrite},
};

/// Maximum characters of a text.
const MAX_TEXT_CHARS: usize = 4_000;
/// Maximum number of attached files.
const MAX_ATTACHMENTS: usize = 10;
/// Maximum number of mentions, and of references.
pub const MAX_NAMED: usize = 50;
/// Maximum characters of the text of a mention or reference.
const MAX_NAME_CHARS: usize = 200;
/// Bytes for the card of a reference in a response: a title and a second line of characters of four bytes.
const CARD_BYTES: usize = 2 << 10;
/// Maximum number of different reactions.
const MAX_REACTIONS: usize = 20;

/// An emoji with which members reacted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Object)]
#[oai(rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct Reaction {
    /// A single emoji.
    pub emoji: String,
    /// The members who reacted with it.
    pub member_ids: Vec<MemberId>,
}

/// A mention of a member.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Object)]
#[oai(rename_all = "camelCase", deny_unknown_fields)]
#[serde(rename_all = "camelCase")]
pub struct Mention {
    /// The mentioned member.
    pub member_id: MemberId,
    /// The part of the text that names the member, such as `@Ana López`.
    pub text: String,
}

/// A reference to a record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Object)]
#[oai(rename = "NewRecordReference", rename_all = "camelCase", deny_unknown_fields)]
#[serde(rename_all = "camelCase")]
pub struct Reference {
    /// The kind of record.
    pub kind: KindName,
    /// The id of the record.
    pub record_id: Uuid,
    /// The part of the text that names the record, such as `#Call Ana`.
    pub text: String,
}

/// A record that a text refers to, as the caller may see it.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "RecordReference", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct ReferenceView {
    kind: KindName,
    record_id: Uuid,
    /// The part of the text that names the record.
    text: String,
    /// The current state of the record; null when it is gone or the caller may not see it.
    #[oai(nullable)]
    card: Option<Card>,
}

impl ReferenceView {
    /// Presents references to a reader.
    pub fn of(tx: &TenantRead<'_>, reader: Reader, references: Vec<Reference>) -> Result<Vec<Self>> {
        let view = |Reference { kind, record_id, text }| {
            let card = kind.kind().find_card(tx, reader, record_id)?;
            Ok(Self { kind, record_id, text, card })
        };
        references.into_iter().map(view).collect()
    }
}

/// Returns the bytes that a content of a size as stored takes of a page, with the cards of its references.
pub const fn page_bytes(size: usize, references: &[Reference]) -> usize {
    size.saturating_add(references.len().saturating_mul(CARD_BYTES))
}

/// The parts of a content that its author writes.
pub struct Written<'c> {
    /// The text, without formatting.
    pub value: &'c mut String,
    /// Whether files are attached, so that the text may be empty.
    pub has_files: bool,
    /// The mentioned members.
    pub mentions: &'c [Mention],
    /// The records that the text refers to.
    pub references: &'c [Reference],
}

impl Written<'_> {
    /// Removes control characters and outer white space from the text, and validates all parts.
    pub fn clean(self, faults: &mut Faults) {
        let visible: String = self.value.chars().filter(|c| !c.is_control() || matches!(c, '\n' | '\t')).collect();
        visible.trim().clone_into(self.value);
        if self.has_files {
            faults.at_most("value", self.value, MAX_TEXT_CHARS);
        } else {
            faults.required("value", self.value, MAX_TEXT_CHARS);
        }
        let mentions: Vec<&str> = self.mentions.iter().map(|mention| mention.text.as_str()).collect();
        let references = self.references.iter().map(|reference| reference.text.as_str()).collect();
        for (list, texts) in [("mentions", mentions), ("references", references)] {
            faults.few(list, texts.len(), MAX_NAMED);
            for (at, text) in texts.into_iter().enumerate() {
                let field = format!("{list}.{at}.text");
                faults.required(&field, text, MAX_NAME_CHARS);
                if !self.value.contains(text) {
                    faults.add(field, "errors.fields.not_in_text");
                }
            }
        }
    }
}

/// Finds the file at a path, if it is one of the tenant's that the member who writes may name.
pub fn find_attachment(tx: &TenantWrite<'_>, path: &str) -> Result<Option<AttachedFile>> {
    let file = files::nameable(tx, path)?.map(|file| file.value);
    Ok(file.map(|FileRecord { name, size, kind, width, height, .. }| AttachedFile {
        path: path.to_owned(),
        name,
        size,
        media_type: kind,
        width,
        height,
    }))
}

/// Finds the files at the paths.
/// Errors: `invalid` for too many paths, or a path without a file of the tenant that the member who writes may name.
pub fn find_attachments(tx: &TenantWrite<'_>, paths: &[String]) -> Result<Vec<AttachedFile>> {
    let mut faults = Faults::default();
    faults.few("attachments", paths.len(), MAX_ATTACHMENTS);
    let mut found: Vec<AttachedFile> = Vec::new();
    for (at, path) in paths.iter().enumerate().take(MAX_ATTACHMENTS) {
        match find_attachment(tx, path)? {
            Some(file) if found.iter().all(|other| other.path != *path) => found.push(file),
            Some(_) => {}
            None => faults.add(format!("attachments.{at}"), "errors.fields.unknown_reference"),
        }
    }
    faults.into_result()?;
    Ok(found)
}

/// Checks that the author may see all referenced records.
/// Errors: `invalid` at the first one that they may not.
pub fn check_references(tx: &TenantRead<'_>, author: Reader, references: &[Reference]) -> Result<()> {
    for (at, reference) in references.iter().enumerate() {
        if reference.kind.kind().find_card(tx, author, reference.record_id)?.is_none() {
            return Err(Error::field(format!("references.{at}.recordId"), "errors.fields.unknown_reference"));
        }
    }
    Ok(())
}

/// The part of a text that names a member or a record.
pub trait NamedInText {
    /// Returns it.
    fn text(&self) -> &str;
}

impl NamedInText for Mention {
    fn text(&self) -> &str {
        &self.text
    }
}

impl NamedInText for Reference {
    fn text(&self) -> &str {
        &self.text
    }
}

/// Replaces what a text names by `new`; without it, keeps what the changed text still contains.
pub fn revise_named<T: NamedInText>(named: &mut Vec<T>, new: Option<Vec<T>>, value: &str) {
    match new {
        Some(new) => *named = new,
        None => named.retain(|one| value.contains(one.text())),
    }
}

/// Takes the references to an erased person out of a text: their names in it are replaced.
pub fn erase_references(references: &mut Vec<Reference>, person: Uuid, value: &mut String) {
    let (erased, kept) = std::mem::take(references).into_iter().partition(|one: &Reference| one.record_id == person);
    *references = kept;
    for Reference { text, .. } in erased {
        *value = value.replace(&text, ERASED_PERSON);
    }
}

/// Adds or removes a member's reaction.
/// Errors: `invalid` unless it is an emoji; `conflict` when there are 20 different reactions.
pub fn react(reactions: &mut Vec<Reaction>, member: MemberId, emoji: &str, on: bool) -> Result<()> {
    if !is_emoji(emoji) {
        return Err(Error::field("emoji", "errors.fields.emoji"));
    }
    for reaction in reactions.iter_mut().filter(|reaction| reaction.emoji == emoji) {
        reaction.member_ids.retain(|other| *other != member || on);
        if on && !reaction.member_ids.contains(&member) {
            reaction.member_ids.push(member);
        }
    }
    reactions.retain(|reaction| !reaction.member_ids.is_empty());
    if on && reactions.iter().all(|reaction| reaction.emoji != emoji) {
        if reactions.len() >= MAX_REACTIONS {
            let params = vec![("max", MAX_REACTIONS.to_string())];
            return Err(Error::new(Code::Conflict).and_field("emoji", "errors.fields.too_many", params));
        }
        reactions.push(Reaction { emoji: emoji.to_owned(), member_ids: vec![member] });
    }
    Ok(())
}
