//! Merges the sources of a timeline.

use std::cmp::Reverse;

use poem_openapi::Enum;
use serde_json::Value;
use uuid::Uuid;

use crate::{
    feature::{ChatMention, CustomField, RecordHead, Referrer, all_fields},
    features::{
        find_mentions, kinds,
        records::{
            KindName, KindPath,
            activities::{self, ACTIVITIES_BY_RECORD, Activity},
            attachments::{ATTACHMENTS_BY_RECORD, RecordFile},
            comments::{COMMENTS_BY_RECORD, Comment},
            content, find_record,
            links::{LINKS_BY_RECORD, RecordLink, is_shown},
            may_know_of,
            merge::{MERGES_BY_RECORD, Merge},
        },
    },
    kernel::{Id, MemberId, Result, Timestamp},
    people::permission::Reader,
    store::{
        HISTORY_BY_RECORD, HistoryChange, HistoryEntry, HistoryEvent, MAX_PAGE_BYTES, Page, Scan, Stored, TenantRead,
        TenantRecord, count_fitting,
    },
    wire::Paging,
};

/// What a timeline is narrowed to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Enum)]
#[oai(rename = "TimelinePart", rename_all = "lowercase")]
pub enum Part {
    /// Creation, changes, removals and restores, and merges.
    Changes,
    /// Calls, visits, e-mails and notes.
    Activities,
    /// Comments.
    Comments,
    /// Files that were attached.
    Files,
    /// Records that refer to it or are linked to it.
    Records,
    /// Chat messages that mention it.
    Mentions,
}

/// What happened.
#[derive(Debug)]
pub enum Happened {
    /// The record was created.
    Created,
    /// It changed, was removed or restored, or another one was merged into it.
    Changed(Stored<HistoryEntry>),
    /// Another one was merged into it, before merges had entries in the history.
    Merged(Stored<Merge>),
    /// A member logged an activity.
    Logged(Stored<Activity>),
    /// A member commented on it.
    Commented(Stored<Comment>),
    /// A member attached a file.
    Attached(Stored<RecordFile>),
    /// A record that refers to it was created.
    Referenced(KindName),
    /// A member linked it to another record.
    Linked(Stored<RecordLink>),
    /// A member mentioned it in a chat.
    Mentioned(ChatMention),
}

/// An entry of a timeline.
#[derive(Debug)]
pub struct Entry {
    /// The id of the event, which sorts by time; for the creation of a record, the record's id.
    pub id: Uuid,
    /// When it happened.
    pub at: Timestamp,
    /// The member who did it.
    pub by: Option<MemberId>,
    /// What happened.
    pub happened: Happened,
    /// The bytes that it takes of a page.
    bytes: usize,
}

impl Entry {
    fn of<R: TenantRecord>(record: Stored<R>, happened: fn(Stored<R>) -> Happened) -> Self {
        let (id, at, by) = (record.id.uuid(), record.created_at, record.created_by);
        Self { id, at, by, happened: happened(record), bytes: 0 }
    }

    /// An activity is where its time is.
    fn logged(activity: Stored<Activity>) -> Self {
        let at = activity.at;
        let id = activity.place.unwrap_or_else(|| activity.id.uuid());
        Self { id, at, ..Self::of(activity, Happened::Logged) }
    }

    /// A comment has the cards of its references.
    fn commented(comment: Stored<Comment>) -> Self {
        let bytes = content::page_bytes(0, &comment.references);
        Self { bytes, ..Self::of(comment, Happened::Commented) }
    }

    const fn created(record: Uuid, head: &RecordHead) -> Self {
        Self { id: record, at: head.created_at, by: head.created_by, happened: Happened::Created, bytes: 0 }
    }

    const fn referenced(kind: KindName, referrer: &Referrer) -> Self {
        let Referrer { id, created_at, created_by } = *referrer;
        Self { id, at: created_at, by: created_by, happened: Happened::Referenced(kind), bytes: 0 }
    }

    fn mentioned(mention: ChatMention) -> Self {
        let (id, at, by) = (mention.message, mention.at, Some(mention.by));
        Self { id, at, by, happened: Happened::Mentioned(mention), bytes: 0 }
    }
}

/// A page of a timeline.
#[derive(Debug, Default)]
pub struct TimelinePage {
    /// The entries, newest first.
    pub items: Vec<Entry>,
    /// Cursor of the next page.
    pub next: Option<Vec<u8>>,
    /// Number of damaged entries left out.
    pub damaged: usize,
}

/// Returns a page of a record's timeline.
/// Errors: `not_found`, also for a record that the reader may not see.
pub fn page(
    tx: &TenantRead<'_>,
    reader: Reader,
    (kind, record): (KindPath, Uuid),
    part: Option<Part>,
    paging: &Paging,
) -> Result<TimelinePage> {
    let head = find_record(tx, reader, kind, record)?;
    let has = |wanted| part.is_none_or(|part| part == wanted);
    let before = paging.after.as_deref().and_then(|cursor| Uuid::from_slice(cursor).ok());
    // One more than the page, to know whether another page follows.
    let limit = paging.limit + 1;
    let mut page = TimelinePage::default();
    let scan = |lookup| {
        let scan = Scan::with(lookup, record.as_bytes()).reversed(true).limit(limit);
        scan.after(before.map(|id| id.into_bytes().to_vec()))
    };
    if has(Part::Changes) {
        page.add_history(tx, reader, kind, &scan(HISTORY_BY_RECORD))?;
        let is_shown = |merge: &Stored<Merge>| merge.kept == record && !merge.in_history && merge.undone_by.is_none();
        page.add(tx, &scan(MERGES_BY_RECORD), is_shown, |merge| Entry::of(merge, Happened::Merged))?;
        page.items.extend(before.is_none_or(|before| record < before).then(|| Entry::created(record, &head)));
    }
    if has(Part::Activities) {
        let is_seen =
            |activity: &Stored<Activity>| activities::rules::is_visible(tx, reader, activity).unwrap_or(false);
        let is_shown = |activity: &Stored<Activity>| activity.place.is_none() && is_seen(activity);
        page.add(tx, &scan(ACTIVITIES_BY_RECORD), is_shown, Entry::logged)?;
        let moved = activities::moved_before(record, before).reversed(true).limit(limit);
        page.add(tx, &moved, is_seen, Entry::logged)?;
    }
    if has(Part::Comments) {
        page.add(tx, &scan(COMMENTS_BY_RECORD), |_| true, Entry::commented)?;
    }
    if has(Part::Files) {
        page.add(tx, &scan(ATTACHMENTS_BY_RECORD), |_| true, |file| Entry::of(file, Happened::Attached))?;
    }
    if has(Part::Records) {
        for other in kinds().filter(|other| other.has_parts()) {
            let found = other.find_referrers(tx, reader, (kind.kind(), record), before, limit)?;
            page.items.extend(found.iter().map(|referrer| Entry::referenced(KindName::of(other), referrer)));
        }
        let is_shown = |link: &Stored<RecordLink>| is_shown(tx, reader, link);
        page.add(tx, &scan(LINKS_BY_RECORD), is_shown, |link| Entry::of(link, Happened::Linked))?;
    }
    if has(Part::Mentions) {
        page.items.extend(find_mentions(tx, record, before, limit)?.into_iter().map(Entry::mentioned));
    }
    page.items.sort_by_key(|entry| Reverse(entry.id));
    let fitting = count_fitting(page.items.iter().take(paging.limit).map(|entry| entry.bytes), MAX_PAGE_BYTES);
    if page.items.len() > fitting {
        page.items.truncate(fitting);
        page.next = page.items.last().map(|entry| entry.id.into_bytes().to_vec());
    }
    Ok(page)
}

impl TimelinePage {
    /// Adds entries of the history with the changes that the reader sees. Entries without any are left out.
    fn add_history(&mut self, tx: &TenantRead<'_>, reader: Reader, kind: KindPath, scan: &Scan) -> Result<()> {
        let fields = all_fields(tx, kind.kind().kind)?;
        let mut failed = None;
        // The changes of the entries that are found, in their order.
        let mut shown = Vec::new();
        let mut found = tx.page::<HistoryEntry>(scan, |entry| {
            let changes = match shown_changes(tx, reader, (kind, fields.as_slice()), entry) {
                Ok(changes) => changes,
                Err(error) => {
                    failed.get_or_insert(error);
                    return false;
                }
            };
            let is_found = entry.event != HistoryEvent::Changed || entry.changes.is_empty() || !changes.is_empty();
            if is_found {
                shown.push(changes);
            }
            is_found
        })?;
        if let Some(error) = failed {
            return Err(error);
        }
        for (entry, changes) in found.items.iter_mut().zip(shown) {
            entry.value.changes = changes;
        }
        self.extend(found, |entry| Entry::of(entry, Happened::Changed));
        Ok(())
    }

    /// Adds records of a source.
    fn add<R: TenantRecord>(
        &mut self,
        tx: &TenantRead<'_>,
        scan: &Scan,
        is_shown: impl FnMut(&Stored<R>) -> bool,
        entry: fn(Stored<R>) -> Entry,
    ) -> Result<()> {
        self.extend(tx.page::<R>(scan, is_shown)?, entry);
        Ok(())
    }

    /// Adds the records that were found, with their sizes.
    fn extend<R: TenantRecord>(&mut self, found: Page<R>, entry: fn(Stored<R>) -> Entry) {
        self.damaged += found.damaged;
        for (record, size) in found.items.into_iter().zip(found.sizes) {
            let entry = entry(record);
            self.items.push(Entry { bytes: entry.bytes.saturating_add(size), ..entry });
        }
    }
}

/// Returns the kind of the records to which the values of a field in the history refer.
fn target_of(kind: KindPath, fields: &[Stored<CustomField>], field: &str) -> Option<KindName> {
    if let Some(key) = field.strip_prefix("fields.") {
        return KindName::find(fields.iter().find(|one| one.key == key)?.target.as_deref()?);
    }
    KindName::find(kind.kind().references.iter().find(|reference| reference.field == field)?.target)
}

/// Returns the id that a value of the history is.
fn id_of(value: &Value) -> Option<Uuid> {
    Some(value.as_str()?.parse::<Id<()>>().ok()?.uuid())
}

/// Returns the changes of an entry as a reader sees them: without the ids of records that are hidden from them, and
/// without changes that have no other values.
fn shown_changes(
    tx: &TenantRead<'_>,
    reader: Reader,
    (kind, fields): (KindPath, &[Stored<CustomField>]),
    entry: &HistoryEntry,
) -> Result<Vec<HistoryChange>> {
    let mut shown = Vec::with_capacity(entry.changes.len());
    for change in &entry.changes {
        let mut change = change.clone();
        if let Some(target) = target_of(kind, fields, &change.field) {
            for value in [&mut change.from, &mut change.to] {
                if let Some(id) = value.as_ref().and_then(id_of)
                    && !may_know_of(tx, reader, target.kind(), id)?
                {
                    *value = None;
                }
            }
            if change.from.is_none() && change.to.is_none() && !change.long {
                continue;
            }
        }
        shown.push(change);
    }
    Ok(shown)
}

/// Returns the records that the changed fields of an entry refer to.
pub fn referenced(kind: KindPath, entry: &HistoryEntry) -> Vec<(KindName, Uuid)> {
    let mut found = Vec::new();
    for change in &entry.changes {
        let target = kind.kind().references.iter().find(|reference| reference.field == change.field);
        let Some(target) = target.and_then(|reference| KindName::find(reference.target)) else { continue };
        let ids = [&change.from, &change.to].into_iter().flatten();
        found.extend(ids.filter_map(|id| Some((target, id_of(id)?))));
    }
    found
}
