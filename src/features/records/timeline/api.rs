//! HTTP API of timelines.

use poem_openapi::{
    Enum, Object, OpenApi,
    param::{Path, Query},
    types::Any,
};
use serde::Serialize;
use serde_json::Value;
use serde_with::skip_serializing_none;
use uuid::Uuid;

use super::rules::{self, Entry, Happened, Part};
use crate::{
    access::Member,
    feature::{Card, ChatMention},
    features::records::{KindName, KindPath, activities, comments, content::AttachedFile},
    kernel::{Error, MemberId, Result, Timestamp, text},
    people::permission::{Read, Reader},
    store::{HistoryChange, HistoryEntry, HistoryEvent, MergedRecord, TenantRead},
    wire::{JsonResponse, Paging, Reply},
};

/// What an entry of a timeline tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Enum)]
#[oai(rename = "TimelineEvent", rename_all = "lowercase")]
#[serde(rename_all = "lowercase")]
enum Event {
    /// The record was created.
    Created,
    /// Fields of the record changed.
    Changed,
    /// The record was moved to the bin, and taken out since.
    Removed,
    /// The record was taken out of the bin.
    Restored,
    /// Another record was merged into this one.
    Merged,
    /// A merge of another record into this one was undone.
    Unmerged,
    /// A member logged a call, visit, e-mail or note.
    Logged,
    /// A member commented on the record.
    Commented,
    /// A member attached a file.
    Attached,
    /// A record that refers to this one was created.
    Referenced,
    /// A member linked the record to another one.
    Linked,
    /// A member mentioned the record in a chat in which the caller is.
    Mentioned,
}

/// A change of a field.
#[skip_serializing_none]
#[derive(Debug, Serialize, Object)]
#[oai(rename = "FieldChange", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
struct ChangeView {
    /// The name of the field; `field.part` for a part of a field.
    field: String,
    /// The value before. Absent when there was none, and when it is long.
    from: Option<Any<Value>>,
    /// The value after. Absent when there is none, and when it is long.
    to: Option<Any<Value>>,
    /// True when the values are too long to be shown; absent otherwise.
    long: Option<bool>,
}

impl From<HistoryChange> for ChangeView {
    fn from(change: HistoryChange) -> Self {
        let HistoryChange { field, from, to, long } = change;
        Self { field: text::camel_case(&field), from: from.map(Any), to: to.map(Any), long: long.then_some(true) }
    }
}

/// A record that an entry names.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "TimelineRecord", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
struct RecordView {
    kind: KindName,
    record_id: Uuid,
    /// The current state of the record; null when it is gone or the caller may not see it.
    #[oai(nullable)]
    card: Option<Card>,
}

impl RecordView {
    fn of(tx: &TenantRead<'_>, reader: Reader, kind: KindName, record_id: Uuid) -> Result<Self> {
        Ok(Self { kind, record_id, card: kind.kind().find_card(tx, reader, record_id)? })
    }
}

/// A chat message that mentions the record.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "TimelineMention", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
struct MentionView {
    /// The conversation.
    chat_id: Uuid,
    message_id: Uuid,
    /// The beginning of the message.
    text: String,
}

/// A record that was merged into another one.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "TimelineMerged", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
struct MergedView {
    record_id: Uuid,
    /// Its name when it was merged.
    title: String,
    /// The current state of the record; null while it is in the bin, and when it is gone or the caller may not see it.
    #[oai(nullable)]
    card: Option<Card>,
}

impl MergedView {
    fn of(tx: &TenantRead<'_>, reader: Reader, kind: KindPath, merged: MergedRecord) -> Result<Self> {
        let MergedRecord { id, title } = merged;
        Ok(Self { record_id: id, title, card: kind.kind().find_card(tx, reader, id)? })
    }
}

/// An entry of a timeline.
#[skip_serializing_none]
#[derive(Debug, Serialize, Object)]
#[oai(rename = "TimelineEntry", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
struct View {
    id: Uuid,
    event: Event,
    at: Timestamp,
    /// The member who did it; absent when it was not a member.
    by: Option<MemberId>,
    /// The changed fields, for the events `changed`, `merged` and `unmerged`.
    changes: Vec<ChangeView>,
    /// The activity, for the event `logged`.
    activity: Option<activities::View>,
    /// The comment, for the event `commented`.
    comment: Option<comments::View>,
    /// The file, for the event `attached`.
    file: Option<AttachedFile>,
    /// The chat message, for the event `mentioned`.
    mention: Option<MentionView>,
    /// The record that was merged into this one, for the events `merged` and `unmerged`.
    merged: Option<MergedView>,
    /// The records that the changed fields refer to; for the event `referenced`, the record that refers to this one, and
    /// for `linked` the other record.
    records: Vec<RecordView>,
}

impl View {
    fn of(tx: &TenantRead<'_>, reader: Reader, kind: KindPath, entry: Entry) -> Result<Self> {
        let Entry { id, at, by, happened, .. } = entry;
        let mut view = Self {
            id,
            event: Event::Created,
            at,
            by,
            changes: Vec::new(),
            activity: None,
            comment: None,
            file: None,
            mention: None,
            merged: None,
            records: Vec::new(),
        };
        match happened {
            Happened::Created => {}
            Happened::Changed(entry) => {
                for (kind, id) in rules::referenced(kind, &entry) {
                    view.records.push(RecordView::of(tx, reader, kind, id)?);
                }
                view.event = match entry.event {
                    HistoryEvent::Changed => Event::Changed,
                    HistoryEvent::Removed => Event::Removed,
                    HistoryEvent::Restored => Event::Restored,
                    HistoryEvent::Merged => Event::Merged,
                    HistoryEvent::Unmerged => Event::Unmerged,
                };
                let HistoryEntry { changes, merged, .. } = entry.value;
                view.changes = changes.into_iter().map(ChangeView::from).collect();
                view.merged = merged.map(|merged| MergedView::of(tx, reader, kind, merged)).transpose()?;
            }
            Happened::Merged(merge) => {
                view.event = Event::Merged;
                let merged = MergedRecord { id: merge.duplicate, title: merge.value.duplicate_title };
                view.merged = Some(MergedView::of(tx, reader, kind, merged)?);
            }
            Happened::Logged(activity) => {
                view.event = Event::Logged;
                view.activity = Some(activities::View::of(tx, reader, activity)?);
            }
            Happened::Commented(comment) => {
                view.event = Event::Commented;
                view.comment = Some(comments::View::of(tx, reader, comment)?);
            }
            Happened::Attached(file) => {
                view.event = Event::Attached;
                view.file = Some(file.value.file);
            }
            Happened::Referenced(kind) => {
                view.event = Event::Referenced;
                view.records.push(RecordView::of(tx, reader, kind, id)?);
            }
            Happened::Linked(link) => {
                view.event = Event::Linked;
                view.records.push(RecordView::of(tx, reader, link.to_kind, link.to)?);
            }
            Happened::Mentioned(ChatMention { chat, message, text, .. }) => {
                view.event = Event::Mentioned;
                view.mention = Some(MentionView { chat_id: chat, message_id: message, text });
            }
        }
        Ok(view)
    }
}

/// A page of a timeline.
#[skip_serializing_none]
#[derive(Debug, Serialize, Object)]
#[oai(rename = "Timeline", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
struct PageView {
    /// The entries, newest first.
    items: Vec<View>,
    /// The `cursor` of the next page; absent on the last page.
    next_cursor: Option<String>,
    /// The number of entries missing from this page because their stored data is damaged; absent if there are none.
    damaged: Option<u64>,
}

/// Entries of a timeline that are read at once.
const READ_AT_ONCE: usize = 100;

/// Visits the whole timeline of a record as the reader sees it, the newest entry first. Returns the number of damaged
/// entries, which are left out.
/// Errors: `not_found`; what `visit` returns.
pub fn each_entry(
    tx: &TenantRead<'_>,
    reader: Reader,
    record: (KindPath, Uuid),
    mut visit: impl FnMut(&Value) -> Result<()>,
) -> Result<usize> {
    let mut damaged = 0;
    let mut paging = Paging { limit: READ_AT_ONCE, after: None };
    loop {
        let page = rules::page(tx, reader, record, None, &paging)?;
        damaged += page.damaged;
        for entry in page.items {
            visit(&serde_json::to_value(View::of(tx, reader, record.0, entry)?).map_err(Error::internal)?)?;
        }
        paging.after = page.next;
        if paging.after.is_none() {
            return Ok(damaged);
        }
    }
}

/// The endpoint of timelines.
pub struct Api;

#[OpenApi(tag = "crate::wire::Tag::Records")]
impl Api {
    /// Get the timeline of a record.
    ///
    /// Its creation and changes, removals that were undone, merges of others into it, the activities, comments and files on
    /// it, the creation of records that refer to it, its links, and mentions of it in the caller's chats, newest first. What one member changes in the
    /// same fields within five minutes is one entry, and what a merge changes belongs to the entry of the merge. Changes
    /// from before the history was kept are not in it.
    #[oai(path = "/:kind/:id/timeline", method = "get", operation_id = "getTimeline")]
    async fn timeline(
        &self,
        member: Member<Read>,
        kind: Path<KindPath>,
        id: Path<Uuid>,
        /// Only this part of the timeline.
        part: Query<Option<Part>>,
        limit: Query<Option<u32>>,
        cursor: Query<Option<String>>,
    ) -> Reply<JsonResponse<PageView>> {
        let cursors = member.cursors();
        let paging = cursors.paging(limit.0, cursor.0.as_deref())?;
        let reader = member.reader();
        let read = move |tx: &TenantRead<'_>| {
            let page = rules::page(tx, reader, (kind.0, id.0), part.0, &paging)?;
            let items: Vec<View> =
                page.items.into_iter().map(|entry| View::of(tx, reader, kind.0, entry)).collect::<Result<_>>()?;
            Ok((items, page.next, page.damaged))
        };
        let (items, next, damaged) = member.read_blocking(read).await?;
        let next_cursor = next.map(|place| cursors.cursor(place)).transpose()?;
        Ok(JsonResponse(PageView { items, next_cursor, damaged: (damaged > 0).then_some(damaged as u64) }))
    }
}
