//! HTTP API of tags.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, HashMap},
};

use poem_openapi::{Object, OpenApi, param::Path, types::MaybeUndefined};
use serde::Serialize;
use serde_with::skip_serializing_none;

use super::{
    model::{TagChange, TagRegister, TagSkip},
    rules::{self, MAX_LENGTH, tagged_kinds},
};
use crate::{
    access::Member,
    feature::{Color, RecordKind},
    features::records::{
        KindPath,
        bulk::BulkState,
        lists::{is_filter, tally_column},
    },
    index::Tally,
    kernel::{ColumnValue, Id, MemberId, Result, Timestamp, error::Faults, text},
    people::permission::{Read, Right, SettingsCompany},
    store::{Stored, TenantWrite},
    wire::{Accepted, Empty, IdempotencyKey, Json, JsonResponse, Listed, Reply},
};

/// Maximum tags of a response.
const MAX_LISTED: usize = 1_000;
/// Maximum tags of the records of a kind that are counted: the most used ones.
const MAX_COUNTED: usize = 10_000;

/// A tag.
#[skip_serializing_none]
#[derive(Debug, Serialize, Object)]
#[oai(rename = "Tag", skip_serializing_if_is_none)]
struct TagView {
    /// In lower case.
    tag: String,
    color: Option<Color>,
    /// How many records have it, of those that the caller may see.
    records: u64,
    /// The same by kind, without kinds whose records do not have it.
    kinds: Vec<TagKind>,
}

/// The records of a kind that have a tag.
#[derive(Debug, Serialize, Object)]
struct TagKind {
    kind: KindPath,
    records: u64,
}

/// The color of a tag.
#[skip_serializing_none]
#[derive(Debug, Serialize, Object)]
#[oai(rename = "TagColor", skip_serializing_if_is_none)]
struct ColorView {
    /// In lower case.
    tag: String,
    color: Option<Color>,
}

/// A tag that is renamed, merged into another or removed.
#[skip_serializing_none]
#[derive(Debug, Serialize, Object)]
#[oai(rename = "TagChange", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
struct View {
    id: Id<TagChange>,
    created_at: Timestamp,
    /// The member who began it.
    created_by: Option<MemberId>,
    /// The tag.
    from: String,
    /// What it becomes. Absent when it is removed.
    to: Option<String>,
    state: BulkState,
    /// How many records had the tag when the change began.
    total: u64,
    /// How many were changed.
    changed: u64,
    /// How many could not be changed.
    skipped: u64,
    /// How many were given the tag back.
    undone: u64,
    /// How many could not be given it back.
    undo_skipped: u64,
    /// The first 100 of those.
    undo_skips: Vec<SkipView>,
}

/// A record that could not be given a tag back.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "TagSkip")]
struct SkipView {
    kind: KindPath,
    id: Id<()>,
    /// The code of the error. `stale_version`: its tags were changed since.
    reason: String,
}

impl From<Stored<TagChange>> for View {
    fn from(record: Stored<TagChange>) -> Self {
        let Stored { id, created_at, created_by, value: change, .. } = record;
        let TagChange { from, to, state, total, changed, skipped, undone, undo_skipped, undo_skips, .. } = change;
        let view = |TagSkip { kind, id, reason }: TagSkip| SkipView { kind: KindPath::of(kind.kind()), id, reason };
        let undo_skips = undo_skips.into_iter().map(view).collect();
        Self { id, created_at, created_by, from, to, state, total, changed, skipped, undone, undo_skipped, undo_skips }
    }
}

/// The new color of a tag.
#[derive(Object)]
#[oai(rename = "TagPatch", deny_unknown_fields)]
struct Patch {
    /// The tag, at most 50 characters.
    tag: String,
    /// Null for none.
    color: MaybeUndefined<Color>,
}

/// A new name of a tag.
#[derive(Object)]
#[oai(rename = "RenameTag", deny_unknown_fields)]
struct Rename {
    /// The tag, at most 50 characters.
    from: String,
    /// What it becomes, at most 50 characters. A tag that is there already is merged with it.
    to: String,
}

/// A tag that is removed.
#[derive(Object)]
#[oai(rename = "RemoveTag", deny_unknown_fields)]
struct Remove {
    /// The tag, at most 50 characters.
    tag: String,
}

/// Normalizes a tag.
fn clean(field: &str, tag: &str, faults: &mut Faults) -> String {
    let tag = text::tags(&[tag]).pop().unwrap_or_default();
    faults.required(field, &tag, MAX_LENGTH);
    tag
}

/// Returns how many records of a kind have a tag.
async fn count<P: Right>(member: &Member<P>, kind: &'static RecordKind, tag: &str) -> Result<u64> {
    // All of these records have it, so that it is the most used of their tags.
    let (tally, _) = tally_column(member, kind, "tags", &[is_filter("tags", tag)], MAX_COUNTED).await?;
    let is_tag = |value: &ColumnValue| matches!(value, ColumnValue::Text(text) if text == tag);
    Ok(tally.iter().filter(|(value, _)| is_tag(value)).map(|(_, records)| records).sum())
}

/// Returns the most used tags, and how many there are of those that were counted or have a color.
fn most_used(counted: Vec<(KindPath, Tally)>, colors: &BTreeMap<String, Color>) -> (Vec<TagView>, u64) {
    let mut tags: BTreeMap<String, Vec<TagKind>> = BTreeMap::new();
    for (kind, tally) in counted {
        let mut counts: HashMap<String, u64> = HashMap::new();
        for (value, records) in tally {
            if let ColumnValue::Text(tag) = value {
                *counts.entry(tag).or_default() += records;
            }
        }
        for (tag, records) in counts {
            tags.entry(tag).or_default().push(TagKind { kind, records });
        }
    }
    for tag in colors.keys() {
        tags.entry(tag.clone()).or_default();
    }
    let view = |(tag, kinds): (String, Vec<TagKind>)| TagView {
        color: colors.get(&tag).copied(),
        records: kinds.iter().map(|kind| kind.records).sum(),
        tag,
        kinds,
    };
    let mut tags: Vec<TagView> = tags.into_iter().map(view).collect();
    let total = tags.len() as u64;
    tags.sort_by_key(|tag| Reverse(tag.records));
    tags.truncate(MAX_LISTED);
    (tags, total)
}

/// Begins a change of a tag.
async fn begin(
    member: &Member<SettingsCompany>,
    call: &'static str,
    (key, asked): (IdempotencyKey, Vec<u8>),
    (from, to): (String, Option<String>),
) -> Reply<Accepted<View>> {
    let mut total = 0;
    for kind in tagged_kinds().filter(|kind| member.may(kind.rights.read)) {
        total += count(member, kind, &from).await?;
    }
    let reader = member.reader();
    let address = member.address();
    let work = move |tx: &TenantWrite<'_>| rules::begin(tx, reader, (from, to), total, address);
    let change = member.write_idempotent(call, key.0, asked, work).await?;
    Ok(Accepted(change.into()))
}

/// The endpoints of tags.
pub struct Api;

#[OpenApi(prefix_path = "/tags", tag = "crate::wire::Tag::Records")]
impl Api {
    /// List tags.
    ///
    /// Lists the tags of all records that the caller may see, and those that have a color, the most used first: at most
    /// 1,000. There are more when `total` is larger; it counts about 10,000 tags of each kind of record.
    #[oai(path = "/", method = "get", operation_id = "listTags")]
    async fn list(&self, member: Member<Read>) -> Reply<Listed<TagView>> {
        let mut counted = Vec::new();
        let mut is_partial = false;
        for kind in tagged_kinds().filter(|kind| member.may(kind.rights.read)) {
            let (tally, misses_some) = tally_column(&member, kind, "tags", &[], MAX_COUNTED).await?;
            is_partial |= misses_some;
            counted.push((KindPath::of(kind), tally));
        }
        let colors = member.read(TagRegister::of)?.colors;
        let (tags, total) = member.compute(move || Ok(most_used(counted, &colors))).await?;
        Ok(Listed(member.cursors().list(tags, None, total)?.with_partial(is_partial)))
    }

    /// Change the color of a tag.
    #[oai(path = "/", method = "patch", operation_id = "changeTag")]
    async fn change(&self, member: Member<SettingsCompany>, body: Json<Patch>) -> Reply<JsonResponse<ColorView>> {
        let Patch { tag, color } = body.0;
        let mut faults = Faults::default();
        let tag = clean("tag", &tag, &mut faults);
        faults.into_result()?;
        let address = member.address();
        let work = move |tx: &TenantWrite<'_>| {
            match color {
                MaybeUndefined::Undefined => {}
                MaybeUndefined::Null => rules::set_color(tx, &tag, None, address)?,
                MaybeUndefined::Value(color) => rules::set_color(tx, &tag, Some(color), address)?,
            }
            let color = TagRegister::of(tx)?.colors.get(&tag).copied();
            Ok(ColorView { tag, color })
        };
        Ok(JsonResponse(member.write(work).await?))
    }

    /// Rename a tag, or merge it into another.
    ///
    /// In the records of all kinds: in the first ones at once, in the others in the background. `getTagChange` says how far
    /// it is. A company makes one change of this sort at a time; the last 20 can be undone for 30 days. No notifications
    /// are sent.
    #[oai(path = "/rename", method = "post", operation_id = "renameTag")]
    async fn rename(
        &self,
        member: Member<SettingsCompany>,
        #[oai(name = "Idempotency-Key")] key: IdempotencyKey,
        body: Json<Rename>,
    ) -> Reply<Accepted<View>> {
        let Rename { from, to } = body.0;
        let mut faults = Faults::default();
        let from = clean("from", &from, &mut faults);
        let to = clean("to", &to, &mut faults);
        if from == to {
            faults.add("to", "errors.fields.taken");
        }
        faults.into_result()?;
        begin(&member, "tags.rename", (key, body.1), (from, Some(to))).await
    }

    /// Remove a tag.
    ///
    /// From the records of all kinds, as `renameTag` renames it.
    #[oai(path = "/remove", method = "post", operation_id = "removeTag")]
    async fn remove(
        &self,
        member: Member<SettingsCompany>,
        #[oai(name = "Idempotency-Key")] key: IdempotencyKey,
        body: Json<Remove>,
    ) -> Reply<Accepted<View>> {
        let mut faults = Faults::default();
        let tag = clean("tag", &body.0.tag, &mut faults);
        faults.into_result()?;
        begin(&member, "tags.remove", (key, body.1), (tag, None)).await
    }

    /// Get a change of a tag.
    #[oai(path = "/changes/:id", method = "get", operation_id = "getTagChange")]
    async fn get(&self, member: Member<SettingsCompany>, id: Path<Id<TagChange>>) -> Reply<JsonResponse<View>> {
        let change = member.read(|tx| tx.get::<TagChange>(id.0))?;
        member.await_all_writes()?;
        Ok(JsonResponse(change.into()))
    }

    /// Undo a change of a tag.
    ///
    /// In the background, like the change. Records whose tags were changed since then stay as they are and are listed;
    /// another call tries those again. 409 `conflict` when all of it was undone before.
    #[oai(path = "/changes/:id/undo", method = "post", operation_id = "undoTagChange")]
    async fn undo(
        &self,
        member: Member<SettingsCompany>,
        id: Path<Id<TagChange>>,
        _body: Json<Empty>,
    ) -> Reply<Accepted<View>> {
        let reader = member.reader();
        let address = member.address();
        Ok(Accepted(member.write(move |tx| rules::undo(tx, reader, id.0, address)).await?.into()))
    }
}
