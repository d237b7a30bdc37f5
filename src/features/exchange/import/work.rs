//! The background work of imports: reads the file outside of writes, and imports some rows in each write.

use std::{
    collections::{HashMap, VecDeque},
    io::ErrorKind,
    path::{Path, PathBuf},
    sync::Arc,
};

use parking_lot::Mutex;

use super::{
    apply::Applied,
    changes,
    choices::UnknownCounts,
    draft::{Draft, DraftReader},
    model::{CheckedChange, Import, ImportPlan, ImportState, RowFault, RowOutcome},
    rules::{self, AT_ONCE, Batch, VALUES_AT_ONCE},
    source::{Source, SourceFormat, fault},
};
use crate::{
    feature::matching::{FileAddresses, SeenRows},
    features::files::FileStore,
    formats::{FormatError, TextPosition},
    kernel::{Code, Error, Id, Result, TenantId, let_others_run, run_blocking, run_in_background},
    store::{Actor, Store, TenantWrite},
};

/// Rows that are read at once.
const READ_AT_ONCE: usize = 250;
/// The name of the threads that read rows.
const THREAD: &str = "import";

/// Makes imports, and keeps what it has read of their files between two steps.
pub struct ImportWork {
    files: FileStore,
    opened: Mutex<HashMap<Id<Import>, OpenImport>>,
}

/// An import whose file is open.
struct OpenImport {
    drafts: Arc<DraftReader>,
    source: Source,
    /// Rows that were read and not imported yet, each with the position after it.
    ready: VecDeque<(Draft, TextPosition)>,
    /// Whether the file was read to its end.
    is_at_end: bool,
    /// Why it could not be.
    fault: Option<RowFault>,
    /// The addresses of the whole file.
    addresses: Arc<FileAddresses>,
    /// The position of the last row that was taken.
    position: TextPosition,
    /// While rows are tried: what identifies the records of earlier rows, which are not in the store.
    seen: Arc<Mutex<SeenRows>>,
    /// While rows are tried: the values that are no choices.
    unknown: UnknownCounts,
}

impl ImportWork {
    /// Creates the work.
    pub fn new(files: FileStore) -> Self {
        Self { files, opened: Mutex::default() }
    }

    /// Makes the next step of an import. Returns whether there is more to do.
    pub async fn advance(&self, store: &Store, tenant: TenantId, actor: Actor, id: Id<Import>) -> Result<bool> {
        let read_state = || -> Result<_> {
            Ok(store.snapshot()?.tenant(tenant, None).find::<Import>(id)?.map(|import| import.state))
        };
        let state = read_state()?;
        let advanced = match state {
            Some(ImportState::Running) => self.import(store, tenant, actor, id).await,
            Some(ImportState::Checking) => self.check(store, tenant, actor, id).await,
            Some(ImportState::Undoing) => self.undo(store, tenant, actor, id).await,
            _ => Ok(false),
        };
        // A step that fails because the import was stopped meanwhile, or is undone by another member, says nothing of it.
        let advanced = match advanced {
            Err(_) if read_state()? != state => Ok(true),
            advanced => advanced,
        };
        if !matches!(advanced, Ok(true)) {
            self.opened.lock().remove(&id);
        }
        advanced
    }

    async fn import(&self, store: &Store, tenant: TenantId, actor: Actor, id: Id<Import>) -> Result<bool> {
        let mut open = self.take(store, tenant, id).await?;
        let batch = open.next_batch().await?;
        let batch = open.look_up(store, tenant, id, batch).await?;
        let has_more = store.write(tenant, actor, move |tx| rules::import_batch(tx, id, &batch)).await?.0;
        self.opened.lock().insert(id, open);
        Ok(has_more)
    }

    /// Undoes the next part, and after the last one what else was made for the import.
    async fn undo(&self, store: &Store, tenant: TenantId, actor: Actor, id: Id<Import>) -> Result<bool> {
        let snapshot = store.snapshot()?;
        let import = snapshot.tenant(tenant, None).get::<Import>(id)?.value;
        if import.undone_parts < import.parts {
            return Ok(store.write(tenant, actor, move |tx| rules::undo_part(tx, id)).await?.0);
        }
        // All records of the kind are read, so outside of the write.
        let find = move || rules::find_used_fields(&snapshot.tenant(tenant, None), &import);
        let used = run_in_background(THREAD, find).await?;
        Ok(store.write(tenant, actor, move |tx| rules::undo_fields(tx, id, &used)).await?.0)
    }

    /// Tries the rows of a batch in a write that is then dropped.
    async fn check(&self, store: &Store, tenant: TenantId, actor: Actor, id: Id<Import>) -> Result<bool> {
        if !self.opened.lock().contains_key(&id) {
            store.write(tenant, actor, move |tx| rules::restart_check(tx, id)).await?;
        }
        let mut open = self.take(store, tenant, id).await?;
        let batch = open.next_batch().await?;
        let batch = open.look_up(store, tenant, id, batch).await?;
        let tried = Arc::new(Mutex::new(None));
        let work = batch.clone();
        let found = Arc::clone(&tried);
        let trial = move |tx: &TenantWrite<'_>| {
            *found.lock() = Some(rules::apply_batch(tx, id, &work)?);
            Err::<(), Error>(Error::new(Code::Conflict).with_detail("rows are only tried"))
        };
        let refused = store.write(tenant, actor, trial).await;
        let Some(rows) = tried.lock().take() else {
            return Err(refused.err().unwrap_or_else(|| Error::internal("rows were not tried")));
        };
        for (draft, applied) in batch.drafts.iter().zip(&rows) {
            open.note_seen(draft, applied);
            open.unknown.note(draft);
        }
        let (rows, changes) = find_changes(store, tenant, id, rows).await?;
        let unknown = batch.is_last.then(|| std::mem::take(&mut open.unknown));
        let note = move |tx: &TenantWrite<'_>| {
            if let Some(unknown) = unknown {
                rules::keep_unknown_values(tx, id, unknown)?;
            }
            rules::note_batch(tx, id, &batch, rows, changes)
        };
        let has_more = store.write(tenant, actor, note).await?.0;
        self.opened.lock().insert(id, open);
        Ok(has_more)
    }

    /// Returns what was read of an import, or opens its file where its last step ended.
    async fn take(&self, store: &Store, tenant: TenantId, id: Id<Import>) -> Result<OpenImport> {
        if let Some(open) = self.opened.lock().remove(&id) {
            return Ok(open);
        }
        let (drafts, path, format, position) = self.open(store, tenant, id)?;
        let drafts = Arc::new(drafts);
        let reader = Arc::clone(&drafts);
        let whole = (path.clone(), format.clone());
        let addresses = run_in_background(THREAD, move || read_addresses(&reader, &whole.0, &whole.1)).await?;
        let source = run_blocking(move || Source::open(&path, &format, position).map_err(|error| unreadable(&error)));
        Ok(OpenImport {
            drafts,
            source: source.await?,
            addresses: Arc::new(addresses),
            ready: VecDeque::new(),
            is_at_end: false,
            fault: None,
            position,
            seen: Arc::default(),
            unknown: UnknownCounts::default(),
        })
    }

    /// Returns what reads the rows of an import, with its file and the position to read on from.
    fn open(
        &self,
        store: &Store,
        tenant: TenantId,
        id: Id<Import>,
    ) -> Result<(DraftReader, PathBuf, SourceFormat, TextPosition)> {
        let snapshot = store.snapshot()?;
        let tx = snapshot.tenant(tenant, None);
        let import = tx.get::<Import>(id)?;
        let plan = tx.get::<ImportPlan>(id)?;
        let Some((author, _)) = rules::worker(&tx, &import)? else { return Err(Error::new(Code::Forbidden)) };
        let path = self.files.path_of(&tx, &plan.path)?;
        let format = SourceFormat::of(&plan);
        let drafts = DraftReader::new(&tx, import.kind.kind(), plan.value, &author, store.clock().now())?;
        Ok((drafts, path, format, import.position))
    }
}

/// Reads which names stand beside each address of a file, if its rows are recognized by addresses. Takes time in
/// proportion to the file.
fn read_addresses(drafts: &DraftReader, path: &Path, format: &SourceFormat) -> Result<FileAddresses> {
    let mut addresses = FileAddresses::default();
    if !drafts.recognizes_addresses() {
        return Ok(addresses);
    }
    let mut source = Source::open(path, format, TextPosition::default()).map_err(|error| unreadable(&error))?;
    loop {
        let_others_run();
        match source.next() {
            Ok(Some(row)) => {
                let draft = drafts.read(&row);
                if draft.faults.is_empty() {
                    addresses.note(&draft.keys);
                }
            }
            Err(error) if is_of_disk(&error) => return Err(unreadable(&error)),
            // The rows after what cannot be read are not imported.
            Ok(None) | Err(_) => return Ok(addresses),
        }
    }
}

/// Whether the disk could not read a file, which it may later.
fn is_of_disk(error: &FormatError) -> bool {
    use ErrorKind as K;
    let FormatError::Read(kind) = error else { return false };
    !matches!(kind, K::NotFound | K::UnexpectedEof | K::InvalidData | K::InvalidInput)
}

/// The error for a file that cannot be read: `busy` when it may be read later.
fn unreadable(error: &FormatError) -> Error {
    let detail = format!("the file of an import: {error:?}");
    if is_of_disk(error) { Error::new(Code::Busy).with_detail(detail) } else { Error::internal(detail) }
}

impl OpenImport {
    /// Returns the next rows: one, or as many as a write may import.
    async fn next_batch(&mut self) -> Result<Batch> {
        if self.ready.is_empty() && !self.is_at_end {
            self.read_on().await?;
        }
        let mut drafts: Vec<Draft> = Vec::with_capacity(AT_ONCE);
        let mut values = 0;
        while drafts.len() < AT_ONCE
            && let Some((next, _)) = self.ready.front()
            && (drafts.is_empty() || values + next.value_count() <= VALUES_AT_ONCE)
            && let Some((draft, position)) = self.ready.pop_front()
        {
            values += draft.value_count();
            self.position = position;
            drafts.push(draft);
        }
        let is_last = self.ready.is_empty() && self.is_at_end;
        let fault = self.fault.clone().filter(|_| is_last);
        Ok(Batch { drafts, found: Vec::new(), position: self.position, is_last, fault })
    }

    /// Looks up the records that may be those of the rows of a batch, in the store and among the rows that were tried.
    async fn look_up(&self, store: &Store, tenant: TenantId, id: Id<Import>, mut batch: Batch) -> Result<Batch> {
        let snapshot = store.snapshot()?;
        let seen = Arc::clone(&self.seen);
        run_in_background(THREAD, move || {
            batch.found = rules::look_up(&snapshot.tenant(tenant, None), id, &batch.drafts)?;
            let seen = seen.lock();
            for (draft, found) in batch.drafts.iter().zip(&mut batch.found) {
                seen.add_to(found, &draft.keys);
            }
            Ok(batch)
        })
        .await
    }

    /// Reads some rows.
    async fn read_on(&mut self) -> Result<()> {
        let drafts = Arc::clone(&self.drafts);
        let addresses = Arc::clone(&self.addresses);
        let source = std::mem::replace(&mut self.source, Source::Closed);
        let read = run_in_background(THREAD, move || {
            let mut source = source;
            let mut ready = VecDeque::new();
            let mut end = None;
            while ready.len() < READ_AT_ONCE {
                let_others_run();
                match source.next() {
                    Ok(Some(row)) => {
                        let mut draft = drafts.read(&row);
                        addresses.mark(&mut draft.keys);
                        ready.push_back((draft, source.position()));
                    }
                    Ok(None) => {
                        end = Some(None);
                        break;
                    }
                    Err(error) if is_of_disk(&error) => return Err(unreadable(&error)),
                    Err(error) => {
                        end = Some(Some(fault(&error)));
                        break;
                    }
                }
            }
            Ok((source, ready, end))
        });
        let (source, ready, end) = read.await?;
        self.source = source;
        self.ready = ready;
        self.is_at_end = end.is_some();
        self.fault = end.flatten();
        Ok(())
    }

    /// Notes the record of a row that was tried: the import will have it when it comes to the rows after it.
    fn note_seen(&self, draft: &Draft, applied: &Applied) {
        let (RowOutcome::Created { id, .. } | RowOutcome::Updated { id, .. }) = &applied.outcome else { return };
        self.seen.lock().note(id.uuid(), &draft.keys);
    }
}

/// Returns what rows that were tried would change of records, as texts, and the rows without it.
async fn find_changes(
    store: &Store,
    tenant: TenantId,
    id: Id<Import>,
    mut rows: Vec<Applied>,
) -> Result<(Vec<Applied>, Vec<CheckedChange>)> {
    if rows.iter().all(|applied| applied.change.is_none()) {
        return Ok((rows, Vec::new()));
    }
    let snapshot = store.snapshot()?;
    run_in_background(THREAD, move || {
        let changes = changes::write_out(&snapshot.tenant(tenant, None), id, &mut rows)?;
        Ok((rows, changes))
    })
    .await
}
