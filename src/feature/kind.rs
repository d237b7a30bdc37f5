//! The description of a kind of record that members work with. Search, cards, activity, navigation, live updates and
//! rights read it, so none of them names a feature.

use poem_openapi::Object;
use serde::Serialize;
use serde_with::skip_serializing_none;
use uuid::Uuid;

use super::{
    Audience, AudienceRule, BulkOps, BulkRecord, ColumnInfo, CustomField, ExchangeOps, ExchangeRecord, FieldValues,
    FileOps, FormerAudience, ListColumn, LiveKind, MergeOps, MergeRecord, Restricted, Searchable, TagOps, Visit,
    all_fields,
    columns::{self, column_values},
    contact::{ContactOps, ContactRecord, NextStep, RecordName},
};
use crate::{
    kernel::{Day, Document, Id, MemberId, Result, SearchScope, Timestamp, i18n::Locale},
    people::permission::{Permission, Reader, Right},
    store::{Binned, Change, Record, Scan, Stored, TenantRead, TenantRecord, TenantWrite},
};

/// A record that members work with.
pub trait KindRecord: TenantRecord {
    /// The fields that refer to other records.
    const REFERENCES: &'static [FieldReference] = &[];

    /// The columns of its lists, besides those of custom fields and the times and author of all records.
    const COLUMNS: &'static [ListColumn<Self>] = &[];

    /// The indexes that find its records by values that belong to one record only, or to few.
    const KEYS: ExactKeys = ExactKeys::NONE;

    /// The right whose holders may read every record of a kind with visibility.
    const SEES_ALL: Option<Permission> = None;

    /// The members who may read a record of a kind with visibility, of those with the right to read the kind.
    fn audience(_record: &Stored<Self>) -> Audience {
        Audience::Company
    }

    /// The members who could read it before its audience became narrower.
    fn former_audience(&self) -> Option<&FormerAudience> {
        None
    }

    /// Whether a member with the right to read the kind may read this record.
    fn is_visible_to(record: &Stored<Self>, reader: Reader) -> bool {
        Self::audience(record).includes(reader.id) || Self::SEES_ALL.is_some_and(|right| reader.role.has(right))
    }

    /// What a card shows of the record; `None` for a record that others cannot refer to.
    fn summary(tx: &TenantRead<'_>, record: &Stored<Self>) -> Result<Option<Summary>>;

    /// The members who follow the record, such as its owner: comments notify them.
    fn followers(_record: &Stored<Self>) -> Vec<MemberId> {
        Vec::new()
    }

    /// Where it keeps the values of its custom fields; `None` for a kind without any.
    const VALUES: Option<FieldAccess<Self>> = None;

    /// The values of its custom fields; `None` for a kind without any.
    fn field_values(&self) -> Option<&FieldValues> {
        Self::VALUES.map(|values| (values.get)(self))
    }

    /// The same, to change them.
    fn field_values_mut(&mut self) -> Option<&mut FieldValues> {
        Self::VALUES.map(|values| (values.get_mut)(self))
    }

    /// Replaces the references to a record by those to another one, or clears them. A list that has the other one keeps
    /// both.
    fn replace_references(&mut self, _target: Uuid, _by: Option<Uuid>) {}

    /// Whether recent activity shows a change.
    fn is_activity(_change: &Change) -> bool {
        true
    }

    /// Fits a record of this author from the bin to what has changed since, such as a parent that is gone.
    fn adapt_restored(_tx: &TenantWrite<'_>, _author: Option<MemberId>, _record: &mut Self) -> Result<()> {
        Ok(())
    }

    /// Does what follows when a record was moved to the bin.
    fn after_removal(_tx: &TenantWrite<'_>, _record: &Stored<Self>) -> Result<()> {
        Ok(())
    }

    /// Does what follows when a record is taken out of the bin, such as telling members of it. `quiet`: without
    /// notifications.
    fn after_restore(_tx: &TenantWrite<'_>, _record: &Stored<Self>, _quiet: bool) -> Result<()> {
        Ok(())
    }
}

/// Maximum characters of the id that a record has in another system.
pub const EXTERNAL_ID: usize = 100;

/// The indexes of a kind by exact values.
#[derive(Clone, Copy, Debug)]
pub struct ExactKeys {
    /// By the id in another system; unique.
    pub external_id: Option<u16>,
    /// By e-mail address.
    pub email: Option<u16>,
    /// By phone number.
    pub phone: Option<u16>,
    /// By what identified the row of a file that they were imported from.
    pub import_key: Option<u16>,
    /// By folded name.
    pub name: Option<u16>,
}

impl ExactKeys {
    /// No such indexes.
    pub const NONE: Self = Self { external_id: None, email: None, phone: None, import_key: None, name: None };
}

/// The field in which records keep the values of their custom fields.
#[derive(Debug)]
pub struct FieldAccess<R> {
    /// Returns the values.
    pub get: fn(&R) -> &FieldValues,
    /// Returns the values to change them.
    pub get_mut: fn(&mut R) -> &mut FieldValues,
}

impl<R> Clone for FieldAccess<R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R> Copy for FieldAccess<R> {}

/// A field that refers to records of another kind.
#[derive(Clone, Copy, Debug)]
pub struct FieldReference {
    /// The name of the field.
    pub field: &'static str,
    /// `Record::KIND` of the records that it refers to.
    pub target: &'static str,
    /// The index of the records by the id that they refer to, if there is one.
    pub lookup: Option<u16>,
}

/// What a card shows of a record.
#[derive(Debug, Default)]
pub struct Summary {
    /// The name or title.
    pub title: String,
    /// A second line.
    pub subtitle: Option<String>,
    /// Whether a task is completed.
    pub done: Option<bool>,
}

/// The current state of a record, in short.
#[skip_serializing_none]
#[derive(Debug, Serialize, Object)]
#[oai(rename = "RecordCard", skip_serializing_if_is_none)]
pub struct Card {
    /// The name or title.
    pub title: String,
    /// A second line: the company of a customer, the assignee of a task, the location of an event.
    pub subtitle: Option<String>,
    /// The path of the record in the application.
    pub link: String,
    /// Whether a task is completed. Absent for other records.
    pub done: Option<bool>,
}

/// What the parts of a record, such as its comments, need to know of it.
#[derive(Debug)]
pub struct RecordHead {
    /// The name or title.
    pub title: String,
    /// When it was created.
    pub created_at: Timestamp,
    /// The member who created it.
    pub created_by: Option<MemberId>,
    /// The members who follow it, with the one who created it.
    pub followers: Vec<MemberId>,
}

/// A record that refers to another.
#[derive(Debug)]
pub struct Referrer {
    /// The record's id.
    pub id: Uuid,
    /// When it was created.
    pub created_at: Timestamp,
    /// The member who created it.
    pub created_by: Option<MemberId>,
}

/// Replaces a reference to a record by one to another, or clears it.
pub fn replace_reference<K>(field: &mut Option<Id<K>>, target: Uuid, by: Option<Uuid>) {
    if field.as_ref().is_some_and(|id| id.uuid() == target) {
        *field = by.map(Id::from);
    }
}

/// A page of records whose references were replaced.
#[derive(Debug)]
pub struct Replaced {
    /// Those that were changed.
    pub changed: Vec<Uuid>,
    /// Where the next page begins.
    pub next: Option<Vec<u8>>,
}

/// The rights on the records of a kind.
#[derive(Clone, Copy, Debug)]
pub struct KindRights {
    /// To read them.
    pub read: Permission,
    /// To create and change them.
    pub write: Permission,
    /// To delete those that the caller created.
    pub delete_own: Permission,
    /// To delete any.
    pub delete: Permission,
}

impl KindRights {
    /// Returns the rights to read, to write, to delete what the caller created, and to delete any.
    pub const fn of<Read: Right, Write: Right, DeleteOwn: Right, Delete: Right>() -> Self {
        Self {
            read: Read::PERMISSION,
            write: Write::PERMISSION,
            delete_own: DeleteOwn::PERMISSION,
            delete: Delete::PERMISSION,
        }
    }
}

/// A kind's entry in the navigation.
#[derive(Clone, Copy, Debug)]
pub struct Menu {
    /// Its place among the entries, ascending.
    pub position: u8,
    /// The name of an icon.
    pub icon: &'static str,
    /// The path of its screen.
    pub link: &'static str,
    /// Counts what waits for the reader, for a badge.
    pub count: Option<CountWaiting>,
}

/// Counts what waits for a reader at a time, by the days of a time zone.
pub type CountWaiting = fn(&TenantRead<'_>, Reader, Timestamp, &str) -> Result<u64>;

/// Returns the columns of the lists of a kind, with the names of choices in a language.
pub type ReadColumns = fn(&TenantRead<'_>, Locale) -> Result<Vec<ColumnInfo>>;

/// Removes the values of the custom field with a key from a page of records. Returns where the next page begins.
pub type EraseValues = fn(&TenantWrite<'_>, &Scan, &str) -> Result<Option<Vec<u8>>>;

/// A kind of record, for everything that works with all kinds.
#[derive(Clone, Copy, Debug)]
pub struct RecordKind {
    /// `Record::KIND`.
    pub kind: &'static str,
    /// The name of its calls, screens and texts, such as `customers`.
    pub name: &'static str,
    /// The rights on its records.
    pub rights: KindRights,
    /// Its search results.
    pub searchable: Searchable,
    /// Its live updates.
    pub live: LiveKind,
    /// Its entry in the navigation.
    pub menu: Option<Menu>,
    /// Whether recent activity shows a change.
    pub is_activity: fn(&Change) -> bool,
    /// The path of a record in the application, before its id; `None` for `/<name>/`.
    link: Option<&'static str>,
    summary: fn(&TenantRead<'_>, Reader, [u8; 16]) -> Result<Option<Summary>>,
    head: fn(&TenantRead<'_>, Reader, [u8; 16]) -> Result<Option<RecordHead>>,
    visible_document: fn(&TenantRead<'_>, Reader, [u8; 16]) -> Result<Option<Document>>,
    /// The fields that refer to records of other kinds.
    pub references: &'static [FieldReference],
    referrers: fn(&TenantRead<'_>, Reader, &Scan) -> Result<Vec<Referrer>>,
    replace: fn(&TenantWrite<'_>, &Scan, Uuid, Option<Uuid>) -> Result<Replaced>,
    /// Replaces the references of one record to another by those to a third. Returns whether it had any.
    pub replace_in: fn(&TenantWrite<'_>, Uuid, Uuid, Uuid) -> Result<bool>,
    /// Removes the values of a custom field from its records.
    pub erase_values: EraseValues,
    /// Whether one of its records has a value of a custom field. Takes time in proportion to the records.
    pub has_value: fn(&TenantRead<'_>, &str) -> Result<bool>,
    /// Returns the columns of its lists, with those of the custom fields in use.
    pub columns: ReadColumns,
    /// How its tags are read; without effect for a kind whose records have none.
    tag_ops: TagOps,
    /// Its files, for a kind that keeps them in its records.
    pub files: Option<FileOps>,
    /// What the bin does with its records; `None` for a kind without the common parts.
    pub bin: Option<BinOps>,
    /// How its records are changed in bulk, if they are.
    pub bulk: Option<BulkOps>,
    /// How its records are imported and exported, if they are.
    pub exchange: Option<ExchangeOps>,
    /// How duplicates of its records are found and merged, if they are.
    pub merge: Option<MergeOps>,
    /// The right whose holders may read every record of a kind with visibility.
    pub sees_all: Option<Permission>,
    /// For a kind with visibility: whether a reader may read a record, also one in the bin.
    may_read: Option<MayRead>,
    /// For a kind on whose records activities are logged.
    pub contact: Option<ContactOps>,
    /// For the kind of tasks: what comes next for other records.
    pub next_steps: Option<NextStepOps>,
    /// For a kind that keeps the name of a record of another kind: gives its records a new name.
    pub follow_name: Option<FollowName>,
}

/// What comes next for a record.
#[derive(Clone, Debug)]
pub struct NextStepDraft {
    /// What is done.
    pub title: String,
    /// The day on which it is due.
    pub due_date: Option<Day>,
    /// The member who does it.
    pub assignee_id: Option<MemberId>,
    /// The records that it concerns, with their `Record::KIND`.
    pub concerns: Vec<RecordName>,
}

/// How tasks tell what comes next for other records.
#[derive(Clone, Copy, Debug)]
pub struct NextStepOps {
    /// Makes a task. Returns its id.
    /// Errors: `invalid` with the fields of the task.
    pub make: fn(&TenantWrite<'_>, &NextStepDraft) -> Result<Uuid>,
    /// Returns the open task of a record that is due first, of those that all members of an audience may see.
    pub first: fn(&TenantRead<'_>, Uuid, &Audience) -> Result<Option<NextStep>>,
    /// Lets the tasks of a record follow when it becomes visible to others. Does nothing for a record of another kind than
    /// deals.
    /// Errors: `conflict` with `visibility` when there are too many for one write.
    pub follow_audience: fn(&TenantWrite<'_>, RecordName, &Audience) -> Result<()>,
}

/// Gives the records that keep the name of a renamed record the new one. Names the `Record::KIND` and id of that record.
pub type FollowName = fn(&TenantWrite<'_>, &str, Uuid) -> Result<()>;

/// Whether a reader may read a record, also one in the bin.
type MayRead = fn(&TenantRead<'_>, Reader, [u8; 16]) -> Result<bool>;

/// What the bin does with the records of a kind.
#[derive(Clone, Copy, Debug)]
pub struct BinOps {
    /// Returns what the bin shows of a record; `None` when the reader may not see it.
    pub summary: fn(&TenantRead<'_>, Reader, &Stored<Binned>) -> Result<Option<Summary>>,
    /// Takes a record out of the bin. The flag is whether no notifications are sent.
    /// Errors: `not_found` when it is not there; `conflict` when a unique value is taken.
    pub restore: fn(&TenantWrite<'_>, [u8; 16], bool) -> Result<()>,
    /// Clears the references of a record in the bin to one that is gone for good.
    pub clear: fn(&TenantWrite<'_>, [u8; 16], Uuid) -> Result<()>,
}

impl RecordKind {
    /// Describes a kind. `name` is the name of its calls, screens and texts.
    pub const fn of<R: KindRecord>(name: &'static str, rights: KindRights) -> Self {
        Self {
            kind: <R as Record>::KIND,
            name,
            rights,
            searchable: Searchable { kind: <R as Record>::KIND, document: document::<R>, each: each::<R> },
            live: LiveKind::to_holders::<R>(rights.read),
            menu: None,
            is_activity: R::is_activity,
            link: None,
            summary: summary::<R>,
            head: head::<R>,
            visible_document: visible_document::<R>,
            references: R::REFERENCES,
            referrers: referrers::<R>,
            replace: replace::<R>,
            replace_in: replace_in::<R>,
            erase_values: erase_values::<R>,
            has_value: has_value::<R>,
            columns: columns::columns::<R>,
            tag_ops: TagOps::of::<R>(),
            files: None,
            bin: Some(BinOps { summary: binned_summary::<R>, restore: restore::<R>, clear: clear_binned::<R> }),
            bulk: None,
            exchange: None,
            merge: None,
            sees_all: R::SEES_ALL,
            may_read: None,
            contact: None,
            next_steps: None,
            follow_name: None,
        }
    }

    /// Sets the path of a record in the application, before its id.
    pub const fn at(mut self, link: &'static str) -> Self {
        self.link = Some(link);
        self
    }

    /// Marks a kind whose records have none of the common parts: bin, comments, timeline.
    pub const fn without_parts(mut self) -> Self {
        self.bin = None;
        self
    }

    /// Marks a kind that keeps the files in its records.
    pub const fn with_own_files(mut self, files: FileOps) -> Self {
        self.files = Some(files);
        self
    }

    /// Lets members change many records at once.
    pub const fn in_bulk<R: BulkRecord>(mut self) -> Self {
        self.bulk = Some(BulkOps::of::<R>());
        self
    }

    /// Lets members import and export records.
    pub const fn exchanged<R: ExchangeRecord>(mut self) -> Self {
        self.exchange = Some(ExchangeOps::of::<R>());
        self
    }

    /// Adds an entry to the navigation.
    pub const fn in_menu(mut self, menu: Menu) -> Self {
        self.menu = Some(menu);
        self
    }

    /// Marks a kind on whose records activities are logged.
    pub const fn with_contact<R: ContactRecord>(mut self) -> Self {
        self.contact = Some(ContactOps::of::<R>());
        self
    }

    /// Lets members find duplicates and merge them.
    pub const fn merged<R: MergeRecord>(mut self) -> Self {
        self.merge = Some(MergeOps::of::<R>());
        self
    }

    /// Marks the kind of tasks.
    pub const fn with_next_steps(mut self, ops: NextStepOps) -> Self {
        self.next_steps = Some(ops);
        self
    }

    /// Marks a kind whose records keep the name of a record of another kind.
    pub const fn following_names(mut self, follow: FollowName) -> Self {
        self.follow_name = Some(follow);
        self
    }

    /// Marks a kind whose records have a visibility: not all members may read all of them.
    pub const fn with_visibility<R: KindRecord>(mut self) -> Self {
        self.live = LiveKind::to_holders_or_restricted::<R>(self.rights.read, restrict::<R>);
        self.may_read = Some(may_read::<R>);
        self
    }

    /// Whether not all members with the right to read the kind may see a record.
    pub fn is_restricted(&self, tx: &TenantRead<'_>, id: Uuid) -> Result<bool> {
        match self.live.to {
            AudienceRule::HoldersOrRestricted(_, restrict) => Ok(restrict(tx, id.into_bytes(), None)?.is_some()),
            AudienceRule::Holders(_) | AudienceRule::Owner | AudienceRule::Members(_) => Ok(false),
        }
    }

    /// Whether its records have a visibility.
    pub const fn has_visibility(&self) -> bool {
        self.may_read.is_some()
    }

    /// Whether a reader may know of a record. False for a record of a kind with visibility that is gone for good: its
    /// audience is gone with it.
    pub fn may_know_of(&self, tx: &TenantRead<'_>, reader: Reader, id: Uuid) -> Result<bool> {
        if !reader.role.has(self.rights.read) {
            return Ok(false);
        }
        self.may_read.map_or(Ok(true), |may_read| may_read(tx, reader, id.into_bytes()))
    }

    /// Returns how its tags are read and changed; `None` for a kind whose records have none.
    pub fn tags(&self) -> Option<(TagOps, BulkOps)> {
        self.bulk.filter(|bulk| bulk.fields.contains(&"tags")).map(|bulk| (self.tag_ops, bulk))
    }

    /// Whether its records have the common parts: bin, comments, timeline.
    pub const fn has_parts(&self) -> bool {
        self.bin.is_some()
    }

    /// Returns the path of a record in the application.
    pub fn link(&self, id: Uuid) -> String {
        self.link.map_or_else(|| format!("/{}/{id}", self.name), |link| format!("{link}{id}"))
    }

    /// Returns a record as its parts see it; `None` when it is gone or the reader may not see it.
    pub fn find_head(&self, tx: &TenantRead<'_>, reader: Reader, id: Uuid) -> Result<Option<RecordHead>> {
        if !reader.role.has(self.rights.read) {
            return Ok(None);
        }
        (self.head)(tx, reader, id.into_bytes())
    }

    /// Returns the search document of a record; `None` when it is gone or the reader may not see it.
    pub fn find_document(&self, tx: &TenantRead<'_>, reader: Reader, id: Uuid) -> Result<Option<Document>> {
        if !reader.role.has(self.rights.read) {
            return Ok(None);
        }
        (self.visible_document)(tx, reader, id.into_bytes())
    }

    /// Returns up to `limit` records of this kind that the reader may see and that refer to the record `target` of
    /// another kind, the newest first, before the record `before` if given.
    pub fn find_referrers(
        &self,
        tx: &TenantRead<'_>,
        reader: Reader,
        target: (&Self, Uuid),
        before: Option<Uuid>,
        limit: usize,
    ) -> Result<Vec<Referrer>> {
        let mut found = Vec::new();
        if !reader.role.has(self.rights.read) {
            return Ok(found);
        }
        let fitting = self.references.iter().filter(|reference| reference.target == target.0.kind);
        for lookup in fitting.filter_map(|reference| reference.lookup) {
            let scan = Scan::with(lookup, target.1.as_bytes()).reversed(true).limit(limit);
            found.extend((self.referrers)(tx, reader, &scan.after(before.map(|id| id.into_bytes().to_vec())))?);
        }
        Ok(found)
    }

    /// Clears the references of up to `limit` records of this kind to a record of another kind that is gone for good.
    /// Returns their number.
    pub fn clear_references(&self, tx: &TenantWrite<'_>, target: &str, id: Uuid, limit: usize) -> Result<usize> {
        let mut cleared = 0;
        let fitting = self.references.iter().filter(|reference| reference.target == target);
        for lookup in fitting.filter_map(|reference| reference.lookup) {
            let scan = Scan::with(lookup, id.as_bytes()).limit(limit - cleared);
            cleared += (self.replace)(tx, &scan, id, None)?.changed.len();
        }
        Ok(cleared)
    }

    /// Returns the indexes of its records by those of another kind that they refer to.
    pub fn references_to(&self, target: &str) -> impl Iterator<Item = u16> {
        let fitting = self.references.iter().filter(move |reference| reference.target == target);
        fitting.filter_map(|reference| reference.lookup)
    }

    /// Replaces the references to a record by those to another one, in a page of the records that have them.
    pub fn replace_references(&self, tx: &TenantWrite<'_>, scan: &Scan, from: Uuid, to: Uuid) -> Result<Replaced> {
        (self.replace)(tx, scan, from, Some(to))
    }

    /// Returns the card of a record; `None` when it is gone or the reader may not see it.
    pub fn find_card(&self, tx: &TenantRead<'_>, reader: Reader, id: Uuid) -> Result<Option<Card>> {
        if !reader.role.has(self.rights.read) {
            return Ok(None);
        }
        let summary = (self.summary)(tx, reader, id.into_bytes())?;
        Ok(summary.map(|Summary { title, subtitle, done }| Card {
            title,
            subtitle: subtitle.filter(|subtitle| !subtitle.is_empty()),
            link: self.link(id),
            done,
        }))
    }
}

fn summary<R: KindRecord>(tx: &TenantRead<'_>, reader: Reader, id: [u8; 16]) -> Result<Option<Summary>> {
    let record = tx.find_intact::<R>(Id::from_bytes(id))?.filter(|record| R::is_visible_to(record, reader));
    record.map_or(Ok(None), |record| R::summary(tx, &record))
}

fn head<R: KindRecord>(tx: &TenantRead<'_>, reader: Reader, id: [u8; 16]) -> Result<Option<RecordHead>> {
    let Some(record) = tx.find::<R>(Id::from_bytes(id))?.filter(|record| R::is_visible_to(record, reader)) else {
        return Ok(None);
    };
    let title = R::summary(tx, &record)?.map(|summary| summary.title).or_else(|| record.title()).unwrap_or_default();
    let followers = R::followers(&record).into_iter().chain(record.created_by).collect();
    Ok(Some(RecordHead { title, created_at: record.created_at, created_by: record.created_by, followers }))
}

fn referrers<R: KindRecord>(tx: &TenantRead<'_>, reader: Reader, scan: &Scan) -> Result<Vec<Referrer>> {
    let found = tx.page::<R>(scan, |record| R::is_visible_to(record, reader))?.items;
    let referrer = |record: Stored<R>| Referrer {
        id: record.id.uuid(),
        created_at: record.created_at,
        created_by: record.created_by,
    };
    Ok(found.into_iter().map(referrer).collect())
}

/// Returns a record, also one in the bin; `None` when it is gone for good.
pub(super) fn find_or_binned<R: KindRecord>(tx: &TenantRead<'_>, id: [u8; 16]) -> Result<Option<Stored<R>>> {
    if let Some(record) = tx.find::<R>(Id::from_bytes(id))? {
        return Ok(Some(record));
    }
    let binned = tx.find::<Binned>(Id::from_bytes(id))?.filter(|binned| binned.kind == R::KIND);
    binned.map(|binned| binned.open::<R>(Id::from_bytes(id))).transpose()
}

fn may_read<R: KindRecord>(tx: &TenantRead<'_>, reader: Reader, id: [u8; 16]) -> Result<bool> {
    Ok(find_or_binned::<R>(tx, id)?.is_some_and(|record| R::is_visible_to(&record, reader)))
}

/// Returns the members who may read a restricted record; of one that is gone for good, those who may read all.
fn restrict<R: KindRecord>(tx: &TenantRead<'_>, id: [u8; 16], change: Option<&Change>) -> Result<Option<Restricted>> {
    let Some(record) = find_or_binned::<R>(tx, id)? else {
        return Ok(Some(Restricted { holders: R::SEES_ALL, people: Vec::new() }));
    };
    let mut audience = R::audience(&record);
    let former = record.former_audience().filter(|former| change.is_some_and(|change| former.is_told_of(change)));
    if let Some(former) = former {
        audience = audience.unite(&former.audience);
    }
    Ok(match audience {
        Audience::Company => None,
        Audience::People(people) => Some(Restricted { holders: R::SEES_ALL, people: people.into_iter().collect() }),
    })
}

fn document<R: KindRecord>(tx: &TenantRead<'_>, id: [u8; 16]) -> Result<Option<Document>> {
    tx.find_intact::<R>(Id::from_bytes(id))?.map_or(Ok(None), |record| document_of(tx, &record))
}

fn visible_document<R: KindRecord>(tx: &TenantRead<'_>, reader: Reader, id: [u8; 16]) -> Result<Option<Document>> {
    let record = tx.find_intact::<R>(Id::from_bytes(id))?.filter(|record| R::is_visible_to(record, reader));
    record.map_or(Ok(None), |record| document_of(tx, &record))
}

fn document_of<R: KindRecord>(tx: &TenantRead<'_>, record: &Stored<R>) -> Result<Option<Document>> {
    let has_values = record.field_values().is_some_and(|values| !values.is_empty());
    let fields = if has_values { all_fields(tx, R::KIND)? } else { Vec::new() };
    Ok(describe(record, &fields))
}

/// Returns the search document of a record with the values of its custom fields. Deleted fields have their columns, so
/// that lists are right again as soon as a field is restored.
fn describe<R: KindRecord>(record: &Stored<R>, fields: &[Stored<CustomField>]) -> Option<Document> {
    let mut document = R::document(record)?;
    if let Audience::People(people) = R::audience(record) {
        document.scopes = Some(people.into_iter().map(SearchScope::of).collect());
    }
    if let Some(values) = record.field_values() {
        document.keywords.extend(values.texts(fields));
    }
    document.columns = column_values(record, fields);
    Some(document)
}

fn each<R: KindRecord>(tx: &TenantRead<'_>, visit: &mut Visit<'_>) -> Result<u64> {
    let fields = all_fields(tx, R::KIND)?;
    tx.each::<R>(|record| describe(&record, &fields).map_or(Ok(()), &mut *visit))
}

fn erase_values<R: KindRecord>(tx: &TenantWrite<'_>, scan: &Scan, key: &str) -> Result<Option<Vec<u8>>> {
    let page = tx.page::<R>(scan, |_| true)?;
    for record in page.items {
        if record.field_values().is_some_and(|values| values.0.contains_key(key)) {
            tx.rewrite(&record, |record| {
                if let Some(values) = record.field_values_mut() {
                    values.0.remove(key);
                }
            })?;
        }
    }
    Ok(page.next)
}

fn has_value<R: KindRecord>(tx: &TenantRead<'_>, key: &str) -> Result<bool> {
    let has = |record: &Stored<R>| record.field_values().is_some_and(|values| values.0.contains_key(key));
    let mut after = None;
    loop {
        let page = tx.page::<R>(&Scan::all().limit(1).after(after), has)?;
        if !page.items.is_empty() {
            return Ok(true);
        }
        let Some(next) = page.next else { return Ok(false) };
        after = Some(next);
    }
}

fn replace<R: KindRecord>(tx: &TenantWrite<'_>, scan: &Scan, target: Uuid, by: Option<Uuid>) -> Result<Replaced> {
    let page = tx.page::<R>(scan, |_| true)?;
    let mut changed = Vec::new();
    for referrer in page.items {
        if replace_references(tx, &referrer, target, by)? {
            changed.push(referrer.id.uuid());
        }
    }
    Ok(Replaced { changed, next: page.next })
}

fn replace_in<R: KindRecord>(tx: &TenantWrite<'_>, id: Uuid, target: Uuid, by: Uuid) -> Result<bool> {
    let found = tx.find::<R>(Id::from(id))?;
    found.map_or(Ok(false), |record| replace_references(tx, &record, target, Some(by)))
}

/// Replaces the references of a record. Returns whether it was changed.
fn replace_references<R: KindRecord>(
    tx: &TenantWrite<'_>,
    record: &Stored<R>,
    target: Uuid,
    by: Option<Uuid>,
) -> Result<bool> {
    let after = tx.update::<R>(record.id, None, |record| {
        record.replace_references(target, by);
        Ok(())
    })?;
    Ok(after.version != record.version)
}

fn clear_binned<R: KindRecord>(tx: &TenantWrite<'_>, id: [u8; 16], target: Uuid) -> Result<()> {
    tx.rewrite_binned::<R>(Id::from_bytes(id), |record| record.replace_references(target, None))
}

fn binned_summary<R: KindRecord>(
    tx: &TenantRead<'_>,
    reader: Reader,
    binned: &Stored<Binned>,
) -> Result<Option<Summary>> {
    let record = binned.open::<R>(Id::from_bytes(*binned.id.as_bytes()))?;
    if !R::is_visible_to(&record, reader) {
        return Ok(None);
    }
    let summary = R::summary(tx, &record)?;
    // Records that have no card, such as the headings between tasks, are shown by their title.
    Ok(Some(summary.unwrap_or_else(|| Summary { title: record.title().unwrap_or_default(), ..Summary::default() })))
}

fn restore<R: KindRecord>(tx: &TenantWrite<'_>, id: [u8; 16], quiet: bool) -> Result<()> {
    let binned = tx.get::<Binned>(Id::from_bytes(id))?;
    let record = tx.restore::<R>(Id::from_bytes(id), |record| {
        if let Some(values) = record.field_values_mut().filter(|values| !values.is_empty()) {
            // A field that was defined since is another one, even with the same key.
            let fields = all_fields(tx, R::KIND)?;
            values
                .0
                .retain(|key, _| fields.iter().any(|field| field.key == *key && field.created_at <= binned.created_at));
        }
        R::adapt_restored(tx, binned.creator, record)
    })?;
    R::after_restore(tx, &record, quiet)
}
