//! Feature registration: the kinds of records of a feature, what else of it is searchable, and which other changes are
//! pushed to which clients. Search and the socket read the register, so they know every feature without importing one.

mod bulk;
mod color;
pub mod columns;
pub mod contact;
pub mod exchange;
mod fields;
mod files;
mod kind;
pub mod matching;
pub mod merge;
mod money;
mod removal;
mod tags;
mod visibility;

pub use bulk::{BulkChanged, BulkOps, BulkPatch, BulkRecord, OwnChange, PutBack, members_of};
pub use color::Color;
pub use columns::{ColumnInfo, ColumnType, DefinedChoice, ListColumn};
pub use exchange::{DayPart, ExchangeField, ExchangeOps, ExchangeRecord, ExchangeValue, ImpliedValue};
pub use fields::{Choice, CustomField, FieldType, FieldValues, all_fields, fields_in_use, hide_deleted_values};
pub use files::{AttachedFile, FileOnRecord, FileOps};
pub use kind::{
    BinOps, Card, CountWaiting, EXTERNAL_ID, ExactKeys, FieldAccess, FieldReference, FollowName, KindRecord,
    KindRights, Menu, NextStepDraft, NextStepOps, RecordHead, RecordKind, Referrer, Replaced, Summary,
    replace_reference,
};
pub use matching::{MatchKeys, import_keys};
pub use merge::{MergeOps, MergeRecord, MergedField, MergedValue, Profile, Profiled};
pub use money::{MAX_AMOUNT, Money};
pub use removal::{removable, remove};
pub use tags::{TagOps, TaggedPage, TaggedRecord};
pub use visibility::{Audience, FormerAudience, Visibility, VisibleTo, ensure_may_share};

use uuid::Uuid;

use crate::{
    kernel::{Document, Id, MemberId, Result, Timestamp},
    people::permission::{Permission, Reader},
    store::{Change, PersonalRecord, Record, Scan, Stored, TenantRead, TenantRecord, TenantWrite},
};

/// A feature's entry in the register.
pub struct Feature {
    /// The name of its folder.
    pub name: &'static str,
    /// Its kinds of records that members work with.
    pub kinds: &'static [RecordKind],
    /// Its other searchable records.
    pub searchable: &'static [Searchable],
    /// Its other records whose changes are pushed to clients, and who receives them. Those not listed are never pushed.
    pub live: &'static [LiveKind],
    /// Finds where members mention a record, for the feature in which they chat.
    pub mentions: Option<FindMentions>,
    /// Erases the records of a kind that the retention of personal data removed.
    pub erasure: Option<RetentionErasure>,
    /// Finds the records of an import, for the feature that imports them.
    pub imported: Option<FindImported>,
    /// Whether a reader may see one of its records that hold an uploaded file.
    pub shown_files: &'static [ShowsFile],
    /// The kinds of its records whose text notifications show.
    pub excerpts: &'static [ExcerptSource],
}

/// A kind of record whose text notifications show.
#[derive(Clone, Copy, Debug)]
pub struct ExcerptSource {
    /// `Record::KIND`.
    pub kind: &'static str,
    /// Returns the beginning of the text of a record, without formatting; `None` when it is gone or a reader may not read it.
    pub find: fn(&TenantRead<'_>, Reader, Uuid) -> Result<Option<String>>,
}

/// Whether a reader may see a record that holds the file with a media id. Looks it up in an index, and reads a bounded number
/// of records.
pub type ShowsFile = fn(&TenantRead<'_>, Reader, &str) -> Result<bool>;

/// Maximum records of a kind that are examined for one that shows a file to a reader.
const MAX_HOLDERS: usize = 50;

/// Whether a reader may see one of the first 50 records that an index has for a file.
pub fn shows_file<R: TenantRecord>(
    tx: &TenantRead<'_>,
    index: u16,
    media: &str,
    is_seen: impl FnMut(&Stored<R>) -> bool,
) -> Result<bool> {
    let holders = Scan::with(index, media).limit(1).examining(MAX_HOLDERS);
    Ok(!tx.page::<R>(&holders, is_seen)?.items.is_empty())
}

/// Whether a reader may read the kind, and see one of the first 50 records that an index has for a file.
pub fn shows_file_of<R: KindRecord>(
    tx: &TenantRead<'_>,
    reader: Reader,
    (read, index): (Permission, u16),
    media: &str,
) -> Result<bool> {
    Ok(reader.role.has(read) && shows_file::<R>(tx, index, media, |record| R::is_visible_to(record, reader))?)
}

/// How the records of a kind are erased that the retention of personal data removed.
#[derive(Clone, Copy, Debug)]
pub struct RetentionErasure {
    /// `Record::KIND`.
    pub kind: &'static str,
    /// Begins to erase a record in the bin and what names it; the rest follows in the background. Returns whether it
    /// could: not when the record is damaged.
    pub begin: fn(&TenantWrite<'_>, Uuid) -> Result<bool>,
}

/// A chat message that mentions a record.
#[derive(Debug)]
pub struct ChatMention {
    /// The conversation.
    pub chat: Uuid,
    /// The message. Its id sorts by time.
    pub message: Uuid,
    /// When it was sent.
    pub at: Timestamp,
    /// Its author.
    pub by: MemberId,
    /// The beginning of its text.
    pub text: String,
}

/// Returns the newest messages that mention a record in the caller's conversations, before a message if one is given, and
/// at most a number of them.
pub type FindMentions = fn(&TenantRead<'_>, Uuid, Option<Uuid>, usize) -> Result<Vec<ChatMention>>;

/// Returns the ids of the records of a kind, by its `Record::KIND`, that an import of the reader created or changed.
pub type FindImported = fn(&TenantRead<'_>, Reader, &str, Uuid) -> Result<Vec<[u8; 16]>>;

impl Feature {
    /// Registers a feature without records of these sorts.
    pub const fn new(name: &'static str) -> Self {
        Self {
            name,
            kinds: &[],
            searchable: &[],
            live: &[],
            mentions: None,
            erasure: None,
            imported: None,
            shown_files: &[],
            excerpts: &[],
        }
    }

    /// Sets the kinds of records that members work with.
    pub const fn with_kinds(self, kinds: &'static [RecordKind]) -> Self {
        Self { kinds, ..self }
    }

    /// Sets further searchable records.
    pub const fn with_searchable(self, searchable: &'static [Searchable]) -> Self {
        Self { searchable, ..self }
    }

    /// Sets how mentions of records are found.
    pub const fn with_mentions(self, mentions: FindMentions) -> Self {
        Self { mentions: Some(mentions), ..self }
    }

    /// Sets how the records of a kind are erased that the retention of personal data removed.
    pub const fn with_erasure(self, erasure: RetentionErasure) -> Self {
        Self { erasure: Some(erasure), ..self }
    }

    /// Sets how the records of imports are found.
    pub const fn with_imported(self, imported: FindImported) -> Self {
        Self { imported: Some(imported), ..self }
    }

    /// Sets which of its records hold uploaded files.
    pub const fn with_files(self, shown_files: &'static [ShowsFile]) -> Self {
        Self { shown_files, ..self }
    }

    /// Sets the kinds of its records whose text notifications show.
    pub const fn with_excerpts(self, excerpts: &'static [ExcerptSource]) -> Self {
        Self { excerpts, ..self }
    }

    /// Sets further records whose changes are pushed.
    pub const fn with_live(self, live: &'static [LiveKind]) -> Self {
        Self { live, ..self }
    }
}

/// A kind of record whose changes are pushed to clients.
#[derive(Clone, Copy, Debug)]
pub struct LiveKind {
    /// `Record::KIND`.
    pub kind: &'static str,
    /// The recipients.
    pub to: AudienceRule,
}

/// Who receives the changes of a record.
#[derive(Clone, Copy, Debug)]
pub enum AudienceRule {
    /// All members of the tenant who hold a right.
    Holders(Permission),
    /// The same, unless the function restricts the record to fewer members.
    HoldersOrRestricted(Permission, Restrict),
    /// The owner of the personal record.
    Owner,
    /// The members that the function names for the record in its current state.
    Members(fn(&TenantRead<'_>, [u8; 16]) -> Result<Vec<MemberId>>),
}

/// Returns the members who may see a record in its current state; `None` when it is not restricted. With a change of the
/// record, those who receive it: also members who could see the record before.
pub type Restrict = fn(&TenantRead<'_>, [u8; 16], Option<&Change>) -> Result<Option<Restricted>>;

/// The members who may see a restricted record.
#[derive(Debug)]
pub struct Restricted {
    /// Members who hold this right, if any right is wide enough.
    pub holders: Option<Permission>,
    /// And these members.
    pub people: Vec<MemberId>,
}

impl LiveKind {
    /// Declares a kind of tenant record, for all members who hold a right.
    pub const fn to_holders<R: TenantRecord>(right: Permission) -> Self {
        Self { kind: <R as Record>::KIND, to: AudienceRule::Holders(right) }
    }

    /// The same, but a function may restrict single records to fewer members.
    pub const fn to_holders_or_restricted<R: TenantRecord>(right: Permission, restrict: Restrict) -> Self {
        Self { kind: <R as Record>::KIND, to: AudienceRule::HoldersOrRestricted(right, restrict) }
    }

    /// Declares a kind of personal record, for its owner.
    pub const fn to_owner<R: PersonalRecord>() -> Self {
        Self { kind: <R as Record>::KIND, to: AudienceRule::Owner }
    }

    /// Declares a kind of tenant record, for the members that a function names.
    pub const fn to_members<R: TenantRecord>(to: fn(&TenantRead<'_>, [u8; 16]) -> Result<Vec<MemberId>>) -> Self {
        Self { kind: <R as Record>::KIND, to: AudienceRule::Members(to) }
    }
}

/// A callback for each document.
pub type Visit<'v> = dyn FnMut(Document) -> Result<()> + 'v;

/// A searchable kind of record.
#[derive(Clone, Copy, Debug)]
pub struct Searchable {
    /// `Record::KIND`.
    pub kind: &'static str,
    /// Returns the search document of the record's current state; `None` when the record is gone.
    pub document: fn(&TenantRead<'_>, [u8; 16]) -> Result<Option<Document>>,
    /// Visits the search documents of all undamaged records of the kind. Returns the number of damaged ones.
    pub each: fn(&TenantRead<'_>, &mut Visit<'_>) -> Result<u64>,
}

impl Searchable {
    /// Declares a kind of record as searchable.
    pub const fn of<R: TenantRecord>() -> Self {
        Self { kind: <R as Record>::KIND, document: document::<R>, each: each::<R> }
    }
}

fn document<R: TenantRecord>(tx: &TenantRead<'_>, id: [u8; 16]) -> Result<Option<Document>> {
    Ok(tx.find_intact::<R>(Id::from_bytes(id))?.and_then(|record| R::document(&record)))
}

fn each<R: TenantRecord>(tx: &TenantRead<'_>, visit: &mut Visit<'_>) -> Result<u64> {
    tx.each::<R>(|record| R::document(&record).map_or(Ok(()), &mut *visit))
}
