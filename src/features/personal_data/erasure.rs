//! Erasure of a person: the record is removed at once, everything else that names it in the background, a little in each
//! write, also after a restart.

use std::{collections::HashSet, net::IpAddr};

use serde::Serialize;
use uuid::Uuid;

use super::model::{ErasureStage, PersonErasure};
use crate::{
    features::{
        chat::{self, ChatMessage},
        customers::Customer,
        exchange::import::{self, CheckPart, ImportPart},
        files::{self, FileRecord, FileStore},
        notifications::Notification,
        records::{
            attachments::RecordFile,
            bin,
            bulk::{self, BulkPart},
            comments::{self, Comment},
            duplicates::NotDuplicate,
            merge::{self, Merge},
            tags::{self, TagPart},
        },
        shortcuts::Shortcut,
    },
    kernel::{Error, Id, Result, TenantId, error::Faults, run_in_background, text},
    mail::{self, Email},
    people::audit::{self, ERASED_PERSON, Entry, Event},
    store::{
        Actor, Binned, FoundRow, FoundRows, HistoryEntry, Record, SearchedRows, Store, Stored, TenantRead, TenantWrite,
    },
};

/// The name of the threads that search.
const THREAD: &str = "erasure";
/// Maximum characters of a name that confirms an erasure.
const NAME: usize = 200;
/// How many files are looked for at once.
const FILES_AT_ONCE: usize = 500;

/// Returns a person, also one in the bin, and whether they are there.
/// Errors: `not_found`.
fn find(tx: &TenantRead<'_>, id: Id<Customer>) -> Result<(Stored<Customer>, bool)> {
    if let Some(person) = tx.find::<Customer>(id)? {
        return Ok((person, false));
    }
    let binned = tx.get::<Binned>(Id::from(id.uuid()))?;
    if binned.kind != Customer::KIND {
        return Err(Error::not_found());
    }
    Ok((binned.open::<Customer>(id)?, true))
}

/// Removes a person and begins to erase what names them. `name` confirms who is meant.
/// Errors: `not_found`; `invalid` when `name` is not the name of the person.
pub fn begin_confirmed(tx: &TenantWrite<'_>, id: Id<Customer>, name: &str, from: IpAddr) -> Result<()> {
    let mut faults = Faults::default();
    faults.required("name", name.trim(), NAME);
    faults.into_result()?;
    let (person, _) = find(tx, id)?;
    if text::fold(&text::line(name)) != text::fold(&person.name) {
        return Err(Error::field("name", "errors.fields.other_name"));
    }
    begin(tx, id, Event::new("person.erased").from_address(from.to_string()))
}

/// Removes a person whom the retention of their status put into the bin, and begins to erase what names them. Returns
/// whether it could: not when the record is damaged, which then goes as any other.
/// Errors: `not_found`.
pub fn begin_for_retention(tx: &TenantWrite<'_>, id: Uuid) -> Result<bool> {
    match find(tx, Id::from(id)) {
        Err(error) if error.is_damage() => return Ok(false),
        found => drop(found?),
    }
    begin(tx, Id::from(id), Event::new("person.erased_by_retention"))?;
    Ok(true)
}

/// Removes a person, also one in the bin, with those that were merged into them, and begins to erase what names them.
/// `event` is noted in the audit log.
/// Errors: `not_found`.
pub fn begin(tx: &TenantWrite<'_>, id: Id<Customer>, event: Event) -> Result<()> {
    let person = remove(tx, id)?;
    audit::write(tx, event.about(&person, ERASED_PERSON))?;
    erase_merged(tx, id, None)
}

/// Begins to erase the next of those who were merged into the person. Each has its own work, which continues with those
/// who were merged into them.
fn erase_merged(tx: &TenantWrite<'_>, id: Id<Customer>, after: Option<Vec<u8>>) -> Result<()> {
    let (merged, next) = merge::merged_into(tx, id.uuid(), after)?;
    for duplicate in merged {
        if tx.find_intact::<Binned>(Id::from(duplicate))?.is_some() {
            match tx.attempt(|| remove(tx, Id::from(duplicate))) {
                // A damaged one is purged with the bin.
                Err(error) if error.is_damage() => {}
                removed => drop(removed?),
            }
        }
    }
    go_on(tx, id, next, ErasureStage::Records)
}

/// Removes a person, also one in the bin, and begins to erase what names them.
fn remove(tx: &TenantWrite<'_>, id: Id<Customer>) -> Result<Stored<Customer>> {
    let (person, is_binned) = find(tx, id)?;
    let files = files_of(tx, &person.value)?;
    if is_binned {
        tx.remove::<Binned>(Id::from(id.uuid()), None)?;
    } else {
        tx.remove::<Customer>(id, None)?;
    }
    let erasure = PersonErasure { stage: ErasureStage::Merged, cursor: None, files, titled: Vec::new() };
    tx.create_at(id, erasure)?;
    Ok(person)
}

/// Returns the files that a record names.
fn files_of(tx: &TenantRead<'_>, record: &impl Serialize) -> Result<Vec<Id<FileRecord>>> {
    files::files_in(tx, &serde_json::to_vec(record).map_err(Error::internal)?)
}

/// The forms in which rows hold an id: its bytes, its text, and a list of numbers, as in audit entries.
fn forms_of(id: Uuid) -> Vec<Vec<u8>> {
    let list = rmp_serde::to_vec(id.as_bytes()).unwrap_or_default();
    vec![id.as_bytes().to_vec(), id.to_string().into_bytes(), list]
        .into_iter()
        .filter(|form| !form.is_empty())
        .collect()
}

/// Erases people.
pub struct ErasureWork {
    files: FileStore,
}

impl ErasureWork {
    /// Creates the work.
    pub const fn new(files: FileStore) -> Self {
        Self { files }
    }

    /// Makes the next step. Returns whether there is more to do.
    pub async fn advance(&self, store: &Store, tenant: TenantId, actor: Actor, id: Id<Customer>) -> Result<bool> {
        let Some(erasure) = store.snapshot()?.tenant(tenant, None).find::<PersonErasure>(id)? else {
            return Ok(false);
        };
        match erasure.stage {
            ErasureStage::Merged => {
                let after = erasure.value.cursor;
                store.write(tenant, actor, move |tx| erase_merged(tx, id, after)).await?;
            }
            ErasureStage::Records => {
                let found = search(store, tenant, SearchedRows::Records, forms_of(id.uuid()), erasure.value).await?;
                store.write(tenant, actor, move |tx| erase_in_records(tx, id, found)).await?;
            }
            ErasureStage::Parts => {
                let work = move |tx: &TenantWrite<'_>| {
                    if bin::purge_parts(tx, (Customer::KIND, id.uuid()))? {
                        advance_to(tx, id, ErasureStage::Replies)?;
                    }
                    Ok(())
                };
                store.write(tenant, actor, work).await?;
            }
            ErasureStage::Replies => {
                let mut sought = forms_of(id.uuid());
                let snapshot = store.snapshot()?;
                for file in &erasure.files {
                    let file = snapshot.tenant(tenant, None).find_intact::<FileRecord>(*file)?;
                    sought.extend(file.map(|file| file.value.media.into_bytes()));
                }
                drop(snapshot);
                let found = search(store, tenant, SearchedRows::Replies, sought, erasure.value).await?;
                let work = move |tx: &TenantWrite<'_>| {
                    found.rows.iter().for_each(|row| tx.forget_reply(row));
                    go_on(tx, id, found.next, ErasureStage::Files)
                };
                store.write(tenant, actor, work).await?;
            }
            ErasureStage::Files => {
                for some in erasure.files.chunks(FILES_AT_ONCE) {
                    match self.files.remove_unreferenced(tenant, some.to_vec()).await {
                        // A damaged record may refer to any file: the daily garbage collection removes them later.
                        Err(error) if error.is_damage() => {
                            tracing::warn!(%tenant, ?error, "files of an erased person could not be removed");
                        }
                        removed => drop(removed?),
                    }
                }
                store.write(tenant, actor, move |tx| advance_to(tx, id, ErasureStage::Titles)).await?;
            }
            ErasureStage::Titles => return replace_titles(store, tenant, actor, id, erasure.value).await,
        }
        Ok(true)
    }
}

/// Searches rows, outside of a write.
async fn search(
    store: &Store,
    tenant: TenantId,
    among: SearchedRows,
    sought: Vec<Vec<u8>>,
    erasure: PersonErasure,
) -> Result<FoundRows> {
    let store = store.clone();
    run_in_background(THREAD, move || store.snapshot()?.tenant(tenant, None).find_rows(among, &sought, erasure.cursor))
        .await
}

/// Notes that a stage is done.
fn advance_to(tx: &TenantWrite<'_>, id: Id<Customer>, stage: ErasureStage) -> Result<()> {
    go_on(tx, id, None, stage)
}

/// Notes where the search of a stage continues, or that it is done.
fn go_on(tx: &TenantWrite<'_>, id: Id<Customer>, cursor: Option<Vec<u8>>, following: ErasureStage) -> Result<()> {
    tx.update(id, None, |erasure: &mut PersonErasure| {
        if cursor.is_none() {
            erasure.stage = following;
        }
        erasure.cursor = cursor;
        Ok(())
    })
    .map(drop)
}

/// Erases what some records tell of the person.
fn erase_in_records(tx: &TenantWrite<'_>, id: Id<Customer>, found: FoundRows) -> Result<()> {
    let mut files = Vec::new();
    let mut titled = Vec::new();
    for row in &found.rows {
        erase_in_record(tx, id.uuid(), row, &mut files, &mut titled)?;
    }
    tx.update(id, None, |erasure: &mut PersonErasure| {
        files.retain(|file| !erasure.files.contains(file));
        erasure.files.append(&mut files);
        erasure.titled.append(&mut titled);
        Ok(())
    })?;
    go_on(tx, id, found.next, ErasureStage::Parts)
}

fn erase_in_record(
    tx: &TenantWrite<'_>,
    person: Uuid,
    row: &FoundRow,
    files: &mut Vec<Id<FileRecord>>,
    titled: &mut Vec<Uuid>,
) -> Result<()> {
    let mut note = |found: Vec<Id<FileRecord>>| {
        for file in found {
            if !files.contains(&file) {
                files.push(file);
            }
        }
    };
    match (row.table, row.owner) {
        // The parts are removed in the next stage: here their files are noted.
        (HistoryEntry::TABLE, None) => {
            let Some(entry) = tx.find_intact::<HistoryEntry>(Id::from_bytes(row.id))? else { return Ok(()) };
            if entry.record == person {
                note(files_of(tx, &entry.value)?);
            } else if entry.merged.as_ref().is_some_and(|merged| merged.id == person) {
                tx.erase_merged(&entry, ERASED_PERSON)?;
            }
        }
        (RecordFile::TABLE, None) => {
            if let Some(file) = tx.find_intact::<RecordFile>(Id::from_bytes(row.id))?
                && file.record == person
            {
                note(files_of(tx, &file.value)?);
            }
        }
        (Comment::TABLE, None) => {
            let Some(comment) = tx.find_intact::<Comment>(Id::from_bytes(row.id))? else { return Ok(()) };
            if comment.record == person {
                note(files_of(tx, &comment.value)?);
            } else {
                comments::erase_references(tx, &comment, person)?;
            }
        }
        (ChatMessage::TABLE, None) => chat::rules::erase_references(tx, Id::from_bytes(row.id), person)?,
        (Entry::TABLE, None) => audit::erase_name(tx, Id::from_bytes(row.id), person.into_bytes())?,
        (Email::TABLE, None) => mail::forget_record(tx, Id::from_bytes(row.id), person)?,
        (Binned::TABLE, None) => bin::clear_references(tx, Id::from_bytes(row.id), person)?,
        (BulkPart::TABLE, None) => bulk::forget_record(tx, Id::from_bytes(row.id), person)?,
        (TagPart::TABLE, None) => tags::forget_record(tx, Id::from_bytes(row.id), person)?,
        (Merge::TABLE, None) => merge::forget_record(tx, Id::from_bytes(row.id))?,
        (NotDuplicate::TABLE, None) => {
            if let Some(pair) = tx.find_intact::<NotDuplicate>(Id::from_bytes(row.id))? {
                tx.remove::<NotDuplicate>(pair.id, None)?;
            }
        }
        (CheckPart::TABLE, None) => import::forget_checked(tx, Id::from_bytes(row.id), person)?,
        (ImportPart::TABLE, None) => import::forget_record(tx, Id::from_bytes(row.id), person)?,
        // The owner may have removed it since the search.
        (Notification::TABLE, Some(owner)) => {
            let own = tx.person(owner);
            if let Some(notification) = own.read().find_intact::<Notification>(Id::from_bytes(row.id))? {
                own.remove::<Notification>(notification.id)?;
            }
        }
        (Shortcut::TABLE, Some(owner)) => {
            let own = tx.person(owner);
            if let Some(shortcut) = own.read().find_intact::<Shortcut>(Id::from_bytes(row.id))? {
                own.remove::<Shortcut>(shortcut.id)?;
                titled.push(shortcut.id.uuid());
            }
        }
        // The others are cleared with the record, or name no person: a test asks this of every kind.
        _ => {}
    }
    Ok(())
}

/// Replaces some titles in the change feed. Returns whether there is more to do.
async fn replace_titles(
    store: &Store,
    tenant: TenantId,
    actor: Actor,
    id: Id<Customer>,
    erasure: PersonErasure,
) -> Result<bool> {
    let after = erasure.cursor.and_then(|cursor| cursor.try_into().ok()).map_or(0, u64::from_be_bytes);
    let from = store.clone();
    let find = move || {
        let snapshot = from.snapshot()?;
        let tx = snapshot.tenant(tenant, None);
        let mut gone: HashSet<[u8; 16]> = erasure.titled.iter().map(|record| record.into_bytes()).collect();
        gone.insert(*id.as_bytes());
        // A file to which another record refers is there still, under its name.
        for file in &erasure.files {
            if tx.find::<FileRecord>(*file)?.is_none() {
                gone.insert(*file.as_bytes());
            }
        }
        tx.find_titles(&gone, after)
    };
    let (changes, next) = run_in_background(THREAD, find).await?;
    let work = move |tx: &TenantWrite<'_>| {
        tx.replace_titles(&changes, ERASED_PERSON)?;
        match next {
            Some(next) => go_on(tx, id, Some(next.to_be_bytes().to_vec()), ErasureStage::Titles),
            None => tx.remove::<PersonErasure>(id, None).map(drop),
        }
    };
    store.write(tenant, actor, work).await?;
    Ok(next.is_some())
}
