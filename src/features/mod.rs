//! Registry of the features. A new feature needs its folder, its `mod` line and an entry in the two lists below; it may
//! use the features listed before it.

pub mod audit;
pub mod auth;
pub mod chat;
pub mod current_user;
pub mod customers;
pub mod dashboards;
pub mod deals;
pub mod events;
pub mod exchange;
pub mod factors;
pub mod files;
pub mod installation;
mod listing;
pub mod live;
mod mailer;
pub mod messages;
pub mod navigation;
pub mod notices;
pub mod notifications;
pub mod operator;
pub mod organizations;
pub mod pages;
pub mod personal_data;
pub mod records;
pub mod search;
pub mod settings;
pub mod setup;
pub mod shortcuts;
pub mod sso;
pub mod tasks;
pub mod team;
pub mod tenants;

use uuid::Uuid;

use crate::{
    access::{
        factors::{Factors, Passkey},
        links::Link,
        sessions::Session,
        sso::Provider,
    },
    feature::{ChatMention, CustomField, Feature, LiveKind, RecordKind, RetentionErasure, Searchable, Visit},
    kernel::{Document, Result, error::Faults},
    mail::Email,
    people::{
        audit::Entry,
        former_members::FormerMember,
        members::{Company, Credentials, MemberRecord},
        permission::Reader,
    },
    store::{Binned, Change, HistoryEntry, Record as _, TableInfo, TenantRead, TenantWrite},
};

/// All features, in dependency order.
// One per line, to avoid merge conflicts.
pub const FEATURES: &[&Feature] = &[
    &notices::FEATURE,
    &messages::FEATURE,
    &notifications::FEATURE,
    &team::FEATURE,
    &tenants::FEATURE,
    &files::FEATURE,
    &factors::FEATURE,
    &settings::FEATURE,
    &current_user::FEATURE,
    &audit::FEATURE,
    &auth::FEATURE,
    &sso::FEATURE,
    &shortcuts::FEATURE,
    &records::FEATURE,
    &organizations::FEATURE,
    &customers::FEATURE,
    &deals::FEATURE,
    &tasks::FEATURE,
    &pages::FEATURE,
    &events::FEATURE,
    &exchange::FEATURE,
    &setup::FEATURE,
    &chat::FEATURE,
    &personal_data::FEATURE,
    &search::FEATURE,
    &navigation::FEATURE,
    &installation::FEATURE,
    &dashboards::FEATURE,
    &live::FEATURE,
];

/// All tables of the store, for checks and tenant exports. Those marked `not_exported` are left out of tenant exports.
/// A test compares this list with the records that exist.
pub const TABLES: &[TableInfo] = &[
    ROOT,
    TableInfo::of::<MemberRecord>(),
    TableInfo::of::<Credentials>(),
    TableInfo::of::<Session>().not_exported(),
    TableInfo::of::<Link>().not_exported(),
    TableInfo::of::<Entry>(),
    TableInfo::of::<Factors>(),
    TableInfo::of::<Passkey>(),
    TableInfo::of::<Provider>(),
    TableInfo::of::<FormerMember>(),
    TableInfo::personal::<shortcuts::Shortcut>(),
    TableInfo::personal::<messages::Message>(),
    TableInfo::personal::<notifications::Notification>(),
    TableInfo::personal::<notifications::Preferences>(),
    TableInfo::of::<notifications::DeliveryCursor>().not_exported(),
    TableInfo::of::<notices::Broadcast<messages::Messages>>(),
    TableInfo::of::<notices::Broadcast<notifications::Notifications>>(),
    TableInfo::personal::<messages::Sent>(),
    TableInfo::personal::<messages::Receipt>(),
    TableInfo::of::<chat::Conversation>(),
    TableInfo::of::<chat::ChatMessage>(),
    TableInfo::of::<chat::ChatRead>(),
    TableInfo::personal::<chat::Membership>(),
    TableInfo::of::<customers::Customer>(),
    TableInfo::of::<customers::Statuses>(),
    TableInfo::of::<customers::Renaming>(),
    TableInfo::of::<customers::ContactUpgrade>(),
    TableInfo::of::<organizations::Organization>(),
    TableInfo::of::<deals::Deal>(),
    TableInfo::of::<deals::Pipeline>(),
    TableInfo::of::<deals::pipeline::PlannedPipeline>(),
    TableInfo::of::<tasks::Task>(),
    TableInfo::of::<pages::Page>(),
    TableInfo::of::<pages::Following>(),
    TableInfo::of::<pages::PlannedPage>(),
    TableInfo::of::<events::Event>(),
    TableInfo::of::<files::FileRecord>(),
    TableInfo::of::<Binned>(),
    TableInfo::of::<HistoryEntry>(),
    TableInfo::of::<records::activities::Activity>(),
    TableInfo::of::<records::comments::Comment>(),
    TableInfo::of::<records::attachments::RecordFile>(),
    TableInfo::of::<records::links::RecordLink>(),
    TableInfo::of::<CustomField>(),
    TableInfo::of::<records::views::SavedView>(),
    TableInfo::personal::<records::views::ViewDefaults>(),
    TableInfo::of::<records::bulk::BulkChange>(),
    TableInfo::of::<records::bulk::BulkPart>(),
    TableInfo::of::<exchange::import::Import>(),
    TableInfo::of::<exchange::import::ImportPlan>(),
    TableInfo::of::<exchange::import::ImportPart>(),
    TableInfo::of::<exchange::import::CheckPart>(),
    TableInfo::of::<records::tags::TagRegister>(),
    TableInfo::of::<records::tags::TagChange>(),
    TableInfo::of::<records::tags::TagPart>(),
    TableInfo::of::<records::merge::Merge>(),
    TableInfo::of::<records::merge::MergePart>(),
    TableInfo::of::<records::duplicates::NotDuplicate>(),
    TableInfo::of::<records::duplicates::DuplicateScan>(),
    TableInfo::of::<records::duplicates::DuplicatePart>(),
    TableInfo::of::<setup::SampleData>(),
    TableInfo::personal::<setup::SetupCard>(),
    TableInfo::of::<personal_data::PersonErasure>(),
    TableInfo::of::<personal_data::RetentionRun>(),
    TableInfo::of::<Email>().not_exported(),
];

/// The table of tenant records: a tenant exists as long as its record does.
pub const ROOT: TableInfo = TableInfo::of::<Company>().root();

/// Returns the API of all features. The tuples are nested because poem-openapi supports at most sixteen elements.
pub fn api() -> impl poem_openapi::OpenApi + 'static {
    let calls = (auth::Api, current_user::Api);
    let calls = (calls, factors::Api);
    let calls = (calls, (auth::AccountApi, auth::OwnApi));
    let calls = (calls, auth::TeamApi);
    let calls = (calls, auth::PasskeyApi);
    let calls = (calls, sso::Api);
    let calls = (calls, team::Api);
    let calls = (calls, settings::Api);
    let calls = (calls, messages::Api);
    let calls = (calls, messages::SentApi);
    let calls = (calls, notifications::Api);
    let calls = (calls, notifications::PreferencesApi);
    let calls = (calls, shortcuts::Api);
    let calls = (calls, files::Api);
    let calls = (calls, records::bin::Api);
    let calls = (
        calls,
        (
            records::activities::Api,
            records::comments::Api,
            records::attachments::Api,
            records::links::Api,
            records::timeline::Api,
            records::fields::Api,
        ),
    );
    let calls = (calls, (records::lists::Api, records::views::Api, records::bulk::Api, records::tags::Api));
    let calls = (calls, (records::duplicates::Api, records::merge::Api));
    let calls = (calls, (customers::Api, customers::statuses::Api, personal_data::Api));
    let calls = (calls, organizations::Api);
    let calls = (calls, (deals::Api, deals::PipelineApi));
    let calls = (calls, tasks::Api);
    let calls = (calls, search::Api);
    let calls = (calls, pages::Api);
    let calls = (calls, chat::Api);
    let calls = (calls, navigation::Api);
    let calls = (calls, installation::Api);
    let calls = (calls, events::Api);
    let calls = (calls, (exchange::import::Api, exchange::export::Api));
    let calls = (calls, setup::Api);
    let calls = (calls, dashboards::Api);
    let calls = (calls, audit::Api);
    let calls = (calls, (live::TicketApi, live::SocketApi));
    (calls, live::Api)
}

/// Returns all kinds of records that members work with.
pub fn kinds() -> impl Iterator<Item = &'static RecordKind> {
    FEATURES.iter().flat_map(|feature| feature.kinds)
}

/// Whether a record that the reader may see refers to the record `target`.
pub fn has_referrers(tx: &TenantRead<'_>, reader: Reader, target: (&RecordKind, Uuid)) -> Result<bool> {
    for other in kinds() {
        if !other.find_referrers(tx, reader, target, None, 1)?.is_empty() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns the kind with this `Record::KIND`, if members work with it.
pub fn find_kind(kind: &str) -> Option<&'static RecordKind> {
    kinds().find(|known| known.kind == kind)
}

/// Returns how the records of a kind are erased that the retention of personal data removed.
pub fn find_erasure(kind: &str) -> Option<RetentionErasure> {
    FEATURES.iter().filter_map(|feature| feature.erasure).find(|erasure| erasure.kind == kind)
}

/// Returns all searchable records.
pub fn searchables() -> impl Iterator<Item = &'static Searchable> {
    FEATURES.iter().flat_map(|feature| feature.kinds.iter().map(|kind| &kind.searchable).chain(feature.searchable))
}

/// Returns the search document of a record with the names of its files; `None` when it is gone or the reader may not
/// see it.
pub fn find_document_for(tx: &TenantRead<'_>, reader: Reader, kind: &RecordKind, id: Uuid) -> Result<Option<Document>> {
    let mut document = kind.find_document(tx, reader, id)?;
    document.iter_mut().try_for_each(|document| records::attachments::add_file_names(tx, document))?;
    Ok(document)
}

/// Returns the searchable record that a change of the change feed concerns, with its present search document. A file
/// concerns the record that it is on.
pub fn changed_document(tx: &TenantRead<'_>, change: &Change) -> Result<Option<ChangedDocument>> {
    let (kind, id) = match &change.part_of {
        Some((kind, record)) if change.kind == records::attachments::RecordFile::KIND => (kind.as_str(), *record),
        _ => (change.kind.as_str(), change.id),
    };
    let Some(searchable) = searchables().find(|known| known.kind == kind) else { return Ok(None) };
    let document = document_of(tx, searchable.kind, id)?;
    Ok(Some(ChangedDocument { kind: searchable.kind, id, document }))
}

/// Returns the present search document of a record; `None` when it is gone.
pub fn document_of(tx: &TenantRead<'_>, kind: &str, id: [u8; 16]) -> Result<Option<Document>> {
    let Some(searchable) = searchables().find(|known| known.kind == kind) else { return Ok(None) };
    let mut document = (searchable.document)(tx, id)?;
    document.iter_mut().try_for_each(|document| records::attachments::add_file_names(tx, document))?;
    Ok(document)
}

/// A searchable record after a change.
#[derive(Debug)]
pub struct ChangedDocument {
    /// `Record::KIND`.
    pub kind: &'static str,
    /// The record's id.
    pub id: [u8; 16],
    /// Its search document; `None` when it is gone.
    pub document: Option<Document>,
}

/// Visits the search documents of all undamaged records of a kind. Returns the number of damaged ones.
pub fn each_document(tx: &TenantRead<'_>, searchable: &Searchable, visit: &mut Visit<'_>) -> Result<u64> {
    (searchable.each)(tx, &mut |mut document| {
        records::attachments::add_file_names(tx, &mut document)?;
        visit(document)
    })
}

/// Returns up to `limit` mentions of a record in the caller's conversations, the newest first, before a message if one
/// is given.
pub fn find_mentions(
    tx: &TenantRead<'_>,
    record: Uuid,
    before: Option<Uuid>,
    limit: usize,
) -> Result<Vec<ChatMention>> {
    let mut found = Vec::new();
    for find in FEATURES.iter().filter_map(|feature| feature.mentions) {
        found.extend(find(tx, record, before, limit)?);
    }
    Ok(found)
}

/// Returns the ids of the records of a kind that an import of the reader created or changed.
pub fn find_imported(tx: &TenantRead<'_>, reader: Reader, kind: &str, import: Uuid) -> Result<Vec<[u8; 16]>> {
    let mut found = Vec::new();
    for find in FEATURES.iter().filter_map(|feature| feature.imported) {
        found.extend(find(tx, reader, kind, import)?);
    }
    Ok(found)
}

/// Whether a reader may see one of the records that hold an uploaded file.
pub fn shows_file(tx: &TenantRead<'_>, reader: Reader, media: &str) -> Result<bool> {
    for shows in FEATURES.iter().flat_map(|feature| feature.shown_files) {
        if shows(tx, reader, media)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns the beginning of the text of a comment or chat message, by its `Record::KIND`; `None` when it is gone or the reader
/// may not read it.
pub fn find_excerpt(tx: &TenantRead<'_>, reader: Reader, kind: &str, id: Uuid) -> Result<Option<String>> {
    let source = FEATURES.iter().flat_map(|feature| feature.excerpts).find(|source| source.kind == kind);
    source.map_or(Ok(None), |source| (source.find)(tx, reader, id))
}

/// Rejects a text with the path of a file that was not in it before and that the member who writes may not see.
pub fn check_file_paths(
    tx: &TenantWrite<'_>,
    field: String,
    text: Option<&str>,
    before: Option<&str>,
    faults: &mut Faults,
) -> Result<()> {
    files::check_text(tx, field, text, before, faults)
}

/// Returns all records whose changes are pushed to clients.
pub fn live_kinds() -> impl Iterator<Item = &'static LiveKind> {
    FEATURES.iter().flat_map(|feature| feature.kinds.iter().map(|kind| &kind.live).chain(feature.live))
}
