//! Rules of imports: who makes them, how they run step by step, and how they are undone.

use std::net::IpAddr;

use uuid::Uuid;

use super::{
    apply::{Applied, Applier},
    choices::{UnknownCounts, check_values},
    draft::Draft,
    model::{
        CHECK_PARTS_BY_PLACE, CheckPart, CheckedChange, ColumnTarget, Duplicates, IMPORT_PARTS_BY_PLACE,
        IMPORTS_BY_AUTHOR, IMPORTS_IN_PROGRESS, Import, ImportColumn, ImportCounts, ImportPart, ImportPlan,
        ImportState, LeftBehind, LeftReason, MadeField, RowFault, RowOutcome, RowProblem, UnknownValues,
    },
    source::Inspection,
};
use crate::{
    feature::{
        CustomField, ExchangeField, FieldType, RecordKind, fields_in_use,
        matching::{Candidates, SeenRows},
    },
    features::{
        exchange::names::label,
        find_kind,
        records::{
            KindName,
            acts::{ActRecords, MAX_LOOKED_UP},
            bulk,
            fields::{FieldDraft, define, remove as remove_field},
            merge,
            parts::{PURGED_PER_WRITE, PartedRecord, find_part, part_place, purge_with_parts},
            purge::Purge,
            views,
        },
    },
    formats::TextPosition,
    kernel::{Code, Error, Id, MemberId, Result, error::Faults, i18n::Locale},
    people::{
        audit::{self, Event},
        members::ActiveMember,
        permission::{Permission, Reader},
    },
    store::{ActEntry, MAX_PAGE_BYTES, Page, Scan, Stored, TenantRead, TenantWrite, Verb},
    wire::Paging,
};

/// Rows that one write imports, so that other writes do not wait for long.
pub const AT_ONCE: usize = 20;
/// Addresses, numbers, tags, references and other values to look up or to index in the rows of one write, unless a single
/// row has more.
pub const VALUES_AT_ONCE: usize = 400;
/// Maximum listed rows that were refused, and records that could not be undone.
const MAX_LISTED: usize = 50;
/// Maximum imports of a company within 30 days, with files that were only checked.
const KEPT: u64 = 1_000;
/// Maximum imports that one member begins within 30 days, without those that were wholly undone, so that the others have
/// their share.
pub const BEGUN_BY_MEMBER: usize = 100;
/// Maximum imports that one member begins within 30 days, with those that were wholly undone.
pub const ATTEMPTS_BY_MEMBER: usize = 300;
/// Maximum files of one member that were uploaded, perhaps checked, and not imported.
pub const OPEN_BY_MEMBER: usize = 50;
/// Parts of checks that a step of an import removes: more than a step of a check makes.
const CHECK_PARTS_AT_ONCE: usize = 2;
/// Parts of an import that are read to know who may read of it.
const PARTS_OF_ACT: usize = 5;
/// Maximum characters of the name of a new field.
const MAX_FIELD_NAME: usize = 100;

/// An uploaded file that becomes an import.
#[derive(Debug)]
pub struct NewImport {
    /// The kind of the records.
    pub kind: &'static RecordKind,
    /// The name of the file.
    pub name: String,
    /// Its path.
    pub path: String,
    /// What it has.
    pub found: Inspection,
}

/// Keeps an upload as an import that can begin.
/// Errors: `conflict` when the company has too many, or the member has too many that have not begun.
pub fn create(tx: &TenantWrite<'_>, new: NewImport) -> Result<Stored<Import>> {
    if tx.count::<Import>()? >= KEPT {
        return Err(too_many("errors.import.imports", KEPT.to_string()));
    }
    if count_own(tx, |import| import.state.is_open(), OPEN_BY_MEMBER)? >= OPEN_BY_MEMBER {
        return Err(too_many("errors.import.open_files", OPEN_BY_MEMBER.to_string()));
    }
    let NewImport { kind, name, path, found } = new;
    let import = tx.create(Import::new(KindName::of(kind), name, found.rows))?;
    let plan = ImportPlan {
        path,
        format: found.format,
        columns: found.columns,
        date_order: found.date_order,
        decimal_mark: found.decimal_mark,
        is_mark_chosen: false,
        duplicates: Duplicates::default(),
    };
    tx.create_at(import.id, plan)?;
    Ok(import)
}

/// Refuses to begin an import when the member has begun as many that count.
/// Errors: `conflict`.
fn refuse_more(tx: &TenantWrite<'_>, counts: fn(&Import) -> bool, max: usize) -> Result<()> {
    if count_own(tx, counts, max)? < max {
        return Ok(());
    }
    Err(too_many("errors.import.begun_by_you", max.to_string()))
}

/// Counts some imports of the writing member, up to a number.
fn count_own(tx: &TenantWrite<'_>, counts: fn(&Import) -> bool, max: usize) -> Result<usize> {
    let Some(me) = tx.me() else { return Ok(0) };
    let own = Scan::with(IMPORTS_BY_AUTHOR, me.as_bytes()).limit(max);
    Ok(tx.page::<Import>(&own, |import| counts(import))?.items.len())
}

/// Returns the error for more imports than there may be.
fn too_many(key: &'static str, max: String) -> Error {
    Error::new(Code::Conflict).and_field("file", key, vec![("max", max)])
}

/// Whether a reader sees the imports of all members, and may stop and undo them: also those of members who are gone.
fn sees_all(reader: Reader) -> bool {
    reader.role.has(Permission::AuditRead)
}

/// Returns an import that the reader may see: one of their own, or any for administrators.
/// Errors: `not_found`.
pub fn get(tx: &TenantRead<'_>, reader: Reader, id: Id<Import>) -> Result<Stored<Import>> {
    let is_seen = |import: &Stored<Import>| import.created_by == Some(reader.id) || sees_all(reader);
    tx.find::<Import>(id)?.filter(is_seen).ok_or_else(Error::not_found)
}

/// Returns an import of the reader.
/// Errors: `not_found`.
pub fn get_own(tx: &TenantRead<'_>, reader: Reader, id: Id<Import>) -> Result<Stored<Import>> {
    tx.find::<Import>(id)?.filter(|import| import.created_by == Some(reader.id)).ok_or_else(Error::not_found)
}

/// Returns an import that the reader may see with its plan.
/// Errors: `not_found`.
pub fn get_with_plan(
    tx: &TenantRead<'_>,
    reader: Reader,
    id: Id<Import>,
) -> Result<(Stored<Import>, Stored<ImportPlan>)> {
    Ok((get(tx, reader, id)?, tx.get::<ImportPlan>(id)?))
}

/// Returns an import of the reader with its plan.
/// Errors: `not_found`.
pub fn get_own_with_plan(
    tx: &TenantRead<'_>,
    reader: Reader,
    id: Id<Import>,
) -> Result<(Stored<Import>, Stored<ImportPlan>)> {
    Ok((get_own(tx, reader, id)?, tx.get::<ImportPlan>(id)?))
}

/// Returns a page of the imports that the reader may see, the newest first, and the number of all. Of others, only those
/// that have begun.
pub fn list(tx: &TenantRead<'_>, reader: Reader, paging: Paging) -> Result<(Page<Import>, u64)> {
    let all = if sees_all(reader) { Scan::all() } else { Scan::with(IMPORTS_BY_AUTHOR, reader.id.as_bytes()) };
    let is_listed = |import: &Stored<Import>| {
        let is_own = import.created_by == Some(reader.id);
        is_own || !import.state.is_open() || import.state.is_in_progress()
    };
    let mut total = 0;
    tx.page::<Import>(&all.clone().limit(1), |import| {
        total += u64::from(is_listed(import));
        false
    })?;
    let asked = all.reversed(true).limit(paging.limit).after(paging.after).within_bytes(MAX_PAGE_BYTES);
    Ok((tx.page(&asked.looking_ahead(), is_listed)?, total))
}

/// Changes how the file is read. A check that was made before no longer counts.
/// Errors: `not_found`; `conflict` when the import has begun; `invalid`.
pub fn change(
    tx: &TenantWrite<'_>,
    reader: Reader,
    id: Id<Import>,
    change: impl FnOnce(&mut ImportPlan),
) -> Result<(Stored<Import>, Stored<ImportPlan>)> {
    let import = get_own(tx, reader, id)?;
    if !import.state.is_open() {
        return Err(begun());
    }
    let plan = tx.update(id, None, |plan: &mut ImportPlan| {
        change(plan);
        check_targets(tx, reader, import.kind.kind(), plan)
    })?;
    let import = tx.update(id, None, |import: &mut Import| {
        import.state = ImportState::Ready;
        import.checked = None;
        import.forget_check();
        Ok(())
    })?;
    Ok((import, plan))
}

/// Replaces what was found in a file, after it was read in another way.
/// Errors: as `change`.
pub fn replace(
    tx: &TenantWrite<'_>,
    reader: Reader,
    id: Id<Import>,
    found: Inspection,
) -> Result<(Stored<Import>, Stored<ImportPlan>)> {
    let rows = found.rows;
    change(tx, reader, id, |plan| {
        plan.format = found.format;
        plan.columns = found.columns;
        plan.date_order = found.date_order;
        plan.decimal_mark = found.decimal_mark;
        plan.is_mark_chosen = false;
    })?;
    tx.update(id, None, |import: &mut Import| {
        import.rows = rows;
        Ok(())
    })?;
    get_with_plan(tx, reader, id)
}

/// Checks where the columns go: each field at most once, unless it is a list.
fn check_targets(tx: &TenantRead<'_>, reader: Reader, kind: &'static RecordKind, plan: &ImportPlan) -> Result<()> {
    let own = kind.exchange.map(|ops| ops.fields).unwrap_or_default();
    let custom = fields_in_use(tx, kind.kind)?;
    let mut faults = Faults::default();
    let mut used: Vec<&str> = Vec::new();
    for (at, column) in plan.columns.iter().enumerate() {
        let path = format!("columns.{at}");
        match &column.target {
            None => {}
            Some(ColumnTarget::Field(name)) => {
                let field = own.iter().find(|field| field.name == name);
                let is_custom = name.strip_prefix("fields.").is_some_and(|key| custom.iter().any(|one| one.key == key));
                if field.is_none() && !is_custom {
                    faults.add(path, "errors.fields.unknown");
                } else if used.contains(&name.as_str()) && field.is_none_or(|field| !field.value.is_list()) {
                    faults.add(path, "errors.fields.twice");
                }
                used.push(name);
            }
            Some(ColumnTarget::NewField { name, value_type }) => {
                faults.required(&path, name, MAX_FIELD_NAME);
                if value_type.has_choices() || matches!(value_type, FieldType::Member | FieldType::Record) {
                    faults.add(&path, "errors.import.field_type");
                }
                if !reader.role.has(Permission::FieldsManage) {
                    faults.add(path, "errors.import.field_right");
                }
            }
        }
    }
    check_values(tx, kind, &custom, plan, &mut faults)?;
    faults.into_result()
}

/// Begins to try all rows without keeping anything.
/// Errors: `not_found`; `conflict` when the import has begun; `import_in_progress`; `invalid` when no column has what
/// records cannot be without.
pub fn begin_check(tx: &TenantWrite<'_>, reader: Reader, id: Id<Import>) -> Result<Stored<Import>> {
    begin(tx, reader, id, ImportState::Checking)
}

/// Begins an import: defines its new fields, and goes through the file from its beginning.
/// Errors: as `begin_check`; those of new fields; `conflict` when the member has begun too many.
pub fn start(tx: &TenantWrite<'_>, reader: Reader, id: Id<Import>, from: IpAddr) -> Result<Stored<Import>> {
    refuse_more(tx, |import| has_begun(import.state) && !import.is_wholly_undone(), BEGUN_BY_MEMBER)?;
    refuse_more(tx, |import| has_begun(import.state), ATTEMPTS_BY_MEMBER)?;
    let import = begin(tx, reader, id, ImportState::Running)?;
    let kind = import.kind.kind();
    let mut plan = tx.get::<ImportPlan>(id)?.value;
    let mut made_fields = Vec::new();
    for (at, column) in plan.columns.iter_mut().enumerate() {
        let Some(ColumnTarget::NewField { name, value_type }) = &column.target else { continue };
        let draft = FieldDraft {
            kind,
            key: None,
            name: name.clone(),
            value_type: *value_type,
            choices: Vec::new(),
            target: None,
        };
        let field = define(tx, draft, from).map_err(|error| at_column(&error, at))?;
        column.target = Some(ColumnTarget::Field(format!("fields.{}", field.key)));
        made_fields.push(MadeField { id: field.id, name: field.value.name });
    }
    tx.update(id, None, |kept: &mut ImportPlan| {
        *kept = plan;
        Ok(())
    })?;
    let import = tx.update(id, None, |import: &mut Import| {
        import.made_fields = made_fields;
        Ok(())
    })?;
    let event = Event::new("import.started").with("name", import.name.clone());
    audit::write(tx, event.from_address(from.to_string()))?;
    Ok(import)
}

/// Names the column of a new field that was refused.
fn at_column(error: &Error, at: usize) -> Error {
    let named = Error::new(error.code());
    let words = error.fields().first().map(|(_, words)| words.clone());
    match words {
        Some(words) => named.and_field(format!("columns.{at}"), words.key, words.params),
        None => named,
    }
}

/// Whether an import counts for the share of its author: a check keeps nothing, and does not.
const fn has_begun(state: ImportState) -> bool {
    !state.is_open() && !matches!(state, ImportState::Checking)
}

fn begin(tx: &TenantWrite<'_>, reader: Reader, id: Id<Import>, state: ImportState) -> Result<Stored<Import>> {
    let (import, plan) = get_own_with_plan(tx, reader, id)?;
    if !import.state.is_open() {
        return Err(begun());
    }
    ensure_none_in_progress(tx)?;
    let kind = import.kind.kind();
    check_targets(tx, reader, kind, &plan)?;
    if let Some(field) = missing_field(kind, &plan) {
        let locale = ActiveMember::find(tx, reader.id)?.map_or(Locale::EN, |member| member.locale());
        let params = vec![("field", label(kind, field, locale))];
        return Err(Error::new(Code::Invalid).and_field("columns", "errors.import.no_column", params));
    }
    tx.update(id, None, |import: &mut Import| {
        import.state = state;
        import.position = TextPosition::default();
        import.counts = ImportCounts::default();
        import.forget_check();
        import.fault = None;
        Ok(())
    })
}

/// Returns the field that records cannot be without and that no column has, nor what can stand for it.
fn missing_field(kind: &RecordKind, plan: &ImportPlan) -> Option<&'static ExchangeField> {
    let fields = kind.exchange.map(|ops| ops.fields).unwrap_or_default();
    let has = |required: &ExchangeField| {
        plan.columns.iter().any(|column| match &column.target {
            Some(ColumnTarget::Field(name)) => {
                let stands_for_name = required.path == "name" && matches!(name.as_str(), "email" | "company" | "phone");
                let is_id = matches!(name.as_str(), "id" | "externalId");
                let is_own = fields.iter().any(|field| field.name == name && field.path == required.path);
                stands_for_name || is_id || is_own
            }
            _ => false,
        })
    };
    fields.iter().find(|field| field.is_required && !has(field))
}

/// Refuses a call that an import allows only before it begins.
fn begun() -> Error {
    Error::new(Code::Conflict).say("errors.import.begun", Vec::new())
}

/// Refuses a second import, check or undoing of a company at a time.
/// Errors: `import_in_progress`.
fn ensure_none_in_progress(tx: &TenantRead<'_>) -> Result<()> {
    if in_progress(tx)?.is_empty() { Ok(()) } else { Err(Error::new(Code::ImportInProgress)) }
}

/// Returns the imports of a tenant that are in progress.
pub fn in_progress(tx: &TenantRead<'_>) -> Result<Vec<Stored<Import>>> {
    Ok(tx.page(&Scan::ordered(IMPORTS_IN_PROGRESS), |_| true)?.items)
}

/// Returns the id of the member who makes an import, or undoes it.
pub fn worker_id(import: &Stored<Import>) -> Option<MemberId> {
    let undoing = import.undone_by.filter(|_| import.state == ImportState::Undoing);
    undoing.or(import.created_by)
}

/// Returns the member who makes an import or undoes it, if they are still active and may still write records of the kind.
pub fn worker(tx: &TenantRead<'_>, import: &Stored<Import>) -> Result<Option<(ActiveMember, Reader)>> {
    let found = worker_id(import).map_or(Ok(None), |member| ActiveMember::find(tx, member))?;
    let right = import.kind.kind().rights.write;
    Ok(found.filter(|worker| worker.member.role.has(right)).map(|worker| {
        let reader = Reader { id: worker.member.id, role: worker.member.role };
        (worker, reader)
    }))
}

/// Some rows of a file that were read.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    /// The rows.
    pub drafts: Vec<Draft>,
    /// The records that may be those of the rows, in their order.
    pub found: Vec<Candidates>,
    /// Where the file is read on.
    pub position: TextPosition,
    /// Whether the file ends here.
    pub is_last: bool,
    /// Why it cannot be read on.
    pub fault: Option<RowFault>,
}

/// Looks up the records that may be those of some rows, before the write that applies them.
pub fn look_up(tx: &TenantRead<'_>, id: Id<Import>, drafts: &[Draft]) -> Result<Vec<Candidates>> {
    let import = tx.get::<Import>(id)?;
    let plan = tx.get::<ImportPlan>(id)?;
    let Some((_, reader)) = worker(tx, &import)? else { return Err(Error::new(Code::Forbidden)) };
    let Some(ops) = import.kind.kind().exchange.filter(|_| plan.duplicates != Duplicates::Add) else {
        return Ok(vec![Candidates::default(); drafts.len()]);
    };
    drafts.iter().map(|draft| (ops.look_up)(tx, reader, &draft.keys)).collect()
}

/// Applies the rows of a batch within a write, and returns what became of them.
pub fn apply_batch(tx: &TenantWrite<'_>, id: Id<Import>, batch: &Batch) -> Result<Vec<Applied>> {
    let import = tx.get::<Import>(id)?;
    let plan = tx.get::<ImportPlan>(id)?;
    let Some((_, reader)) = worker(tx, &import)? else { return Err(Error::new(Code::Forbidden)) };
    let mut applier = Applier {
        tx,
        reader,
        kind: import.kind.kind(),
        duplicates: plan.duplicates,
        is_trial: import.state == ImportState::Checking,
        seen: SeenRows::default(),
    };
    tx.as_parts(|| batch.drafts.iter().zip(&batch.found).map(|(draft, found)| applier.apply(draft, found)).collect())
}

/// Imports the rows of a batch. Returns whether there is more to do.
pub fn import_batch(tx: &TenantWrite<'_>, id: Id<Import>, batch: &Batch) -> Result<bool> {
    if tx.find::<Import>(id)?.is_none_or(|import| import.state != ImportState::Running) {
        return Ok(false);
    }
    let rows = apply_batch(tx, id, batch)?;
    note_batch(tx, id, batch, rows, Vec::new())
}

/// Notes what became of the rows of a batch, or what they would change. Returns whether there is more to do.
pub fn note_batch(
    tx: &TenantWrite<'_>,
    id: Id<Import>,
    batch: &Batch,
    rows: Vec<Applied>,
    changes: Vec<CheckedChange>,
) -> Result<bool> {
    let Some(import) = tx.find::<Import>(id)?.filter(|import| import.state.is_in_progress()) else { return Ok(false) };
    let mut next = import.value;
    next.position = batch.position;
    let mut problems = Vec::new();
    let mut warnings_of_rows = Vec::new();
    for (draft, Applied { row, outcome, notices, .. }) in batch.drafts.iter().zip(&rows) {
        next.counts.add(outcome);
        let warnings: Vec<RowFault> = draft.warnings.iter().chain(notices).cloned().collect();
        problems.extend(problems_of(*row, outcome, &warnings));
        warnings_of_rows.extend(warnings.into_iter().map(|fault| (*row, fault)));
    }
    let rows: Vec<(u64, RowOutcome)> = rows.into_iter().map(|applied| (applied.row, applied.outcome)).collect();
    let room = MAX_LISTED.saturating_sub(next.problems.len());
    next.problems.extend(problems.iter().take(room).cloned());
    let is_running = next.state == ImportState::Running;
    if batch.fault.is_some() {
        next.fault.clone_from(&batch.fault);
        next.state = if is_running { ImportState::Failed } else { ImportState::Ready };
    } else if batch.is_last {
        next.state = if is_running { ImportState::Done } else { ImportState::Checked };
    }
    if !is_running && batch.is_last {
        next.checked = Some(next.counts);
    }
    if is_running && !rows.is_empty() {
        tx.create(ImportPart { import: id, place: next.parts, rows, warnings: warnings_of_rows, undone: Vec::new() })?;
        next.parts += 1;
        remove_check_parts(tx, id, CHECK_PARTS_AT_ONCE)?;
    } else if !is_running {
        let known: Vec<_> = rows.iter().filter_map(|(row, outcome)| Some((*row, outcome.known()?))).collect();
        if !problems.is_empty() || !known.is_empty() || !changes.is_empty() {
            if !changes.is_empty() && next.change_parts.len() < MAX_LISTED {
                next.change_parts.push(next.check_parts);
            }
            keep_check_part(tx, CheckPart { import: id, place: next.check_parts, problems, known, changes })?;
            next.check_parts += 1;
        }
    }
    let has_more = next.state.is_in_progress();
    if is_running && !has_more {
        release_file(tx, id)?;
    }
    let import = keep(tx, id, next)?;
    if is_running && !has_more {
        note_imported(tx, &import)?;
    }
    Ok(has_more)
}

/// Adds the entry of an import that has ended to the change feed.
fn note_imported(tx: &TenantWrite<'_>, import: &Stored<Import>) -> Result<()> {
    let count = import.counts.created + import.counts.updated;
    note_act(tx, import, Verb::Imported, count)
}

fn note_act(tx: &TenantWrite<'_>, import: &Stored<Import>, verb: Verb, count: u64) -> Result<()> {
    let id = *import.id.as_bytes();
    let kind = import.kind.kind().kind;
    let title = Some(import.name.clone());
    tx.note_act(ActEntry { id, verb, kind, count, title, by: import.created_by })
}

/// Keeps the values of an import that are no choices, once all its rows were tried.
pub fn keep_unknown_values(tx: &TenantWrite<'_>, id: Id<Import>, unknown: UnknownCounts) -> Result<()> {
    if tx.find::<Import>(id)?.is_none_or(|import| import.state != ImportState::Checking) {
        return Ok(());
    }
    tx.update(id, None, |plan: &mut ImportPlan| {
        let unknown = unknown.of_columns(plan.columns.len());
        for (column, unknown) in plan.columns.iter_mut().zip(unknown) {
            column.unknown = unknown;
        }
        Ok(())
    })
    .map(drop)
}

/// Returns what is wrong with a row: why it was refused, and which values cannot be kept.
fn problems_of(row: u64, outcome: &RowOutcome, warnings: &[RowFault]) -> Vec<RowProblem> {
    let (faults, is_warning) = match outcome {
        RowOutcome::Failed { faults } => (faults.as_slice(), false),
        _ => (&[][..], true),
    };
    let faults = faults.iter().chain(warnings);
    faults.map(|fault| RowProblem { row, fault: fault.clone(), is_warning }).collect()
}

/// Keeps a part of a check, in place of that of an earlier check.
fn keep_check_part(tx: &TenantWrite<'_>, part: CheckPart) -> Result<()> {
    let former = find_check_part(tx, part.import, part.place)?;
    match former {
        Some(former) => tx.rewrite(&former, |known| *known = part),
        None => tx.create(part).map(drop),
    }
}

/// Returns the part of a check at a place.
fn find_check_part(tx: &TenantRead<'_>, id: Id<Import>, place: u32) -> Result<Option<Stored<CheckPart>>> {
    let scan = Scan::with(CHECK_PARTS_BY_PLACE, part_place(id, place)).limit(1);
    Ok(tx.page::<CheckPart>(&scan, |_| true)?.items.pop())
}

/// Removes some parts of checks of an import. Returns how many.
fn remove_check_parts(tx: &TenantWrite<'_>, id: Id<Import>, limit: usize) -> Result<usize> {
    let parts = tx.page::<CheckPart>(&Scan::beginning(CHECK_PARTS_BY_PLACE, id.as_bytes()).limit(limit), |_| true)?;
    for part in &parts.items {
        tx.remove::<CheckPart>(part.id, None)?;
    }
    Ok(parts.items.len())
}

/// Begins a check again, after the server was restarted: what it had seen of the file is lost.
pub fn restart_check(tx: &TenantWrite<'_>, id: Id<Import>) -> Result<()> {
    let restart = |import: &mut Import| {
        if import.state == ImportState::Checking {
            import.position = TextPosition::default();
            import.counts = ImportCounts::default();
            import.forget_check();
        }
        Ok(())
    };
    tx.update(id, None, restart).map(drop)
}

fn keep(tx: &TenantWrite<'_>, id: Id<Import>, next: Import) -> Result<Stored<Import>> {
    tx.update(id, None, |import: &mut Import| {
        *import = next;
        Ok(())
    })
}

/// Lets go of the file of an import that needs it no more.
fn release_file(tx: &TenantWrite<'_>, id: Id<Import>) -> Result<()> {
    tx.update(id, None, |plan: &mut ImportPlan| {
        plan.path.clear();
        Ok(())
    })
    .map(drop)
}

/// Stops an import or a check before its end. What was imported stays.
/// Errors: `not_found`.
pub fn stop(tx: &TenantWrite<'_>, reader: Reader, id: Id<Import>) -> Result<Stored<Import>> {
    let import = get(tx, reader, id)?;
    match import.state {
        ImportState::Running => {
            release_file(tx, id)?;
            let import = set_state(tx, id, ImportState::Stopped)?;
            note_imported(tx, &import)?;
            Ok(import)
        }
        ImportState::Checking => set_state(tx, id, ImportState::Ready),
        _ => Ok(import),
    }
}

fn set_state(tx: &TenantWrite<'_>, id: Id<Import>, state: ImportState) -> Result<Stored<Import>> {
    tx.update(id, None, |import: &mut Import| {
        import.state = state;
        Ok(())
    })
}

/// Ends an import that cannot go on, also because its author was removed or may no longer write. What was imported stays, and
/// can still be undone.
pub fn fail(tx: &TenantWrite<'_>, id: Id<Import>) -> Result<()> {
    let Some(import) = tx.find::<Import>(id)?.filter(|import| import.state.is_in_progress()) else { return Ok(()) };
    let is_without_worker = worker(tx, &import)?.is_none();
    let was_running = import.state == ImportState::Running;
    if was_running {
        release_file(tx, id)?;
    }
    let import = tx.update(id, None, |import: &mut Import| {
        let key = match (import.state, is_without_worker) {
            (ImportState::Checking, false) => "errors.internal",
            (ImportState::Checking, true) => "errors.forbidden",
            (ImportState::Undoing, false) => "errors.import.undo_broken",
            (ImportState::Undoing, true) => "errors.import.undo_without_author",
            (_, false) => "errors.import.broken",
            (_, true) => "errors.import.without_author",
        };
        import.fault = Some(RowFault::of(key, &[]));
        import.state = if import.state == ImportState::Checking { ImportState::Ready } else { ImportState::Failed };
        Ok(())
    })?;
    if was_running { note_imported(tx, &import) } else { Ok(()) }
}

/// Removes an import that has not begun, or some of the problems that its check found. Returns whether more is left.
/// Errors: `not_found`; `conflict`.
pub fn remove(tx: &TenantWrite<'_>, reader: Reader, id: Id<Import>) -> Result<bool> {
    if !get_own(tx, reader, id)?.state.is_open() {
        return Err(begun());
    }
    purge_with_parts(tx, id, PURGED_PER_WRITE)?;
    Ok(tx.find::<Import>(id)?.is_some())
}

/// Begins to undo an import, also that of another member. One that was undone in part is tried again for the rest.
/// Errors: `not_found`; `forbidden` for a reader who may not change the records; `conflict` when it is not finished or all of it was undone; `import_in_progress`.
pub fn begin_undo(tx: &TenantWrite<'_>, reader: Reader, id: Id<Import>, from: IpAddr) -> Result<Stored<Import>> {
    let import = get(tx, reader, id)?;
    if !import.is_undoable() {
        return Err(Error::new(Code::Conflict).say("errors.import.not_undoable", Vec::new()));
    }
    if !reader.role.has(import.kind.kind().rights.write) {
        return Err(Error::new(Code::Forbidden));
    }
    ensure_none_in_progress(tx)?;
    let event = Event::new("import.undone").with("name", import.name.clone());
    audit::write(tx, event.from_address(from.to_string()))?;
    tx.update(id, None, |import: &mut Import| {
        if import.state == ImportState::Undone {
            import.undone_parts = 0;
            import.kept = 0;
            import.kept_ids.clear();
            import.kept_reasons.clear();
            import.left.retain(|left| left.kind.is_some());
        }
        import.state = ImportState::Undoing;
        import.fault = None;
        import.undone_by = Some(reader.id);
        Ok(())
    })
}

/// Undoes the next part of an import, the last one first. Returns whether there is more to do.
pub fn undo_part(tx: &TenantWrite<'_>, id: Id<Import>) -> Result<bool> {
    let Some(import) = tx.find::<Import>(id)?.filter(|import| import.state == ImportState::Undoing) else {
        return Ok(false);
    };
    let Some((_, reader)) = worker(tx, &import)? else { return Err(Error::new(Code::Forbidden)) };
    let kind = import.kind.kind();
    let mut next = import.value;
    if next.undone_parts < next.parts {
        let place = next.parts - 1 - next.undone_parts;
        let part = find_part(tx, id, place)?;
        let mut undone = part.iter().flat_map(|part| part.undone.clone()).collect::<Vec<_>>();
        for (row, outcome) in part.iter().flat_map(|part| part.rows.iter().rev()) {
            let (RowOutcome::Created { id, .. } | RowOutcome::Updated { id, .. }) = outcome else { continue };
            if undone.contains(row) {
                continue;
            }
            match tx.attempt(|| tx.as_parts(|| undo_row(tx, reader, kind, outcome))) {
                Ok(left) => {
                    next.undone += 1;
                    undone.push(*row);
                    let room = MAX_LISTED.saturating_sub(next.left.len());
                    next.left.extend(left.into_iter().take(room));
                }
                Err(error) if error.is_of_server() => return Err(error),
                Err(error) => {
                    next.kept += 1;
                    if next.kept_ids.len() < MAX_LISTED {
                        next.kept_ids.push(*id);
                        next.kept_reasons.push(error.code().as_str().to_owned());
                    }
                }
            }
        }
        if let Some(part) = &part {
            tx.rewrite(part, |part| part.undone = undone)?;
        }
        next.undone_parts += 1;
    }
    if next.undone_parts >= next.parts && next.made_fields.is_empty() {
        next.state = ImportState::Undone;
    }
    let has_more = next.state.is_in_progress();
    let import = keep(tx, id, next)?;
    if !has_more {
        note_act(tx, &import, Verb::ImportUndone, import.undone)?;
    }
    Ok(has_more)
}

/// Returns those of the custom fields that were defined for an import that records have values of, or saved views show.
/// Takes time in proportion to the records of the kind.
pub fn find_used_fields(tx: &TenantRead<'_>, import: &Import) -> Result<Vec<Id<CustomField>>> {
    let kind = import.kind.kind();
    let mut used = Vec::new();
    for field in &import.made_fields {
        let Some(field) = tx.find_intact::<CustomField>(field.id)? else { continue };
        let column = format!("fields.{}", field.key);
        if (kind.has_value)(tx, &field.key)? || views::show_column(tx, import.kind, &column)? {
            used.push(field.id);
        }
    }
    Ok(used)
}

/// Deletes the custom fields that were defined for an import, except those that were changed since then or are used, and
/// ends undoing it. Returns whether there is more to do.
pub fn undo_fields(tx: &TenantWrite<'_>, id: Id<Import>, used: &[Id<CustomField>]) -> Result<bool> {
    let Some(import) = tx.find::<Import>(id)?.filter(|import| import.state == ImportState::Undoing) else {
        return Ok(false);
    };
    let Some((_, reader)) = worker(tx, &import)? else { return Err(Error::new(Code::Forbidden)) };
    let mut next = import.value;
    for made in std::mem::take(&mut next.made_fields) {
        let Some(field) = tx.find_intact::<CustomField>(made.id)?.filter(|field| field.removed_at.is_none()) else {
            continue;
        };
        let reason = if field.name != made.name {
            LeftReason::Changed
        } else if used.contains(&made.id) {
            LeftReason::Used
        } else if !reader.role.has(Permission::FieldsManage) {
            LeftReason::Forbidden
        } else {
            remove_field(tx, made.id, None, None)?;
            continue;
        };
        next.made_fields.push(made.clone());
        let name = Some(field.value.name);
        next.left.push(LeftBehind { kind: None, id: made.id.uuid(), name, reason });
    }
    next.state = ImportState::Undone;
    let import = keep(tx, id, next)?;
    note_act(tx, &import, Verb::ImportUndone, import.undone)?;
    Ok(false)
}

/// Undoes what a row did. Returns what was created for it and stays.
/// Errors: `stale_version` when its record is not as the row left it; `conflict` when a record that it made is used since;
/// `not_found` when it is gone.
fn undo_row(
    tx: &TenantWrite<'_>,
    reader: Reader,
    kind: &'static RecordKind,
    outcome: &RowOutcome,
) -> Result<Vec<LeftBehind>> {
    let (Some(ops), Some(bulk)) = (kind.exchange, kind.bulk) else { return Err(Error::not_found()) };
    let mut left = Vec::new();
    let (also, digests) = match outcome {
        RowOutcome::Created { id, digest, also, also_digests } => {
            bulk.ensure_left_as(tx, *id.as_bytes(), 1, digest)?;
            if merge::is_in_use(tx, reader, KindName::of(kind), id.uuid())? {
                return Err(Error::new(Code::Conflict));
            }
            (ops.remove)(tx, id.uuid())?;
            (also, also_digests)
        }
        RowOutcome::Updated { id, version, digest, undo, also, also_digests } => {
            bulk.ensure_left_as(tx, *id.as_bytes(), *version, digest)?;
            let values = serde_json::from_str(undo).map_err(Error::internal)?;
            let rest = bulk.put_back(tx, reader, *id.as_bytes(), values)?.left;
            // Values that no longer fit, because their choices or records were changed since.
            let reason = LeftReason::Changed;
            let stays = LeftBehind { kind: Some(KindName::of(kind)), id: id.uuid(), name: None, reason };
            left.extend((!rest.is_empty()).then_some(stays));
            (also, also_digests)
        }
        RowOutcome::Skipped { .. } | RowOutcome::Failed { .. } => return Ok(Vec::new()),
    };
    for (at, (kind, id)) in also.iter().enumerate() {
        let Some(kind) = find_kind(kind) else { continue };
        let digest = digests.get(at).map_or("", String::as_str);
        if let Some(kept) = bulk::remove_unreferenced(tx, reader, kind, (*id, digest))? {
            let kind = Some(KindName::of(kind));
            left.push(LeftBehind { kind, id: *id, name: None, reason: LeftReason::of(kept) });
        }
    }
    Ok(left)
}

/// What a report says about a row.
pub enum ReportedRow {
    /// Something is wrong with it.
    Problem(RowProblem),
    /// Its record exists and stays as it is: the number of the row, and the id of the record.
    Known(u64, Id<()>),
    /// It would change a record.
    Change(CheckedChange),
}

impl ReportedRow {
    const fn row(&self) -> u64 {
        match self {
            Self::Problem(problem) => problem.row,
            Self::Known(row, _) => *row,
            Self::Change(change) => change.row,
        }
    }
}

/// Visits what there is to report about the rows of an import, or what its last check found, in their order.
pub fn each_reported(
    tx: &TenantRead<'_>,
    import: &Stored<Import>,
    mut visit: impl FnMut(ReportedRow) -> Result<()>,
) -> Result<()> {
    for place in 0..import.check_parts {
        let Some(part) = find_check_part(tx, import.id, place)? else { continue };
        let CheckPart { problems, known, changes, .. } = part.value;
        let known = known.into_iter().map(|(row, id)| ReportedRow::Known(row, id));
        let changes = changes.into_iter().map(ReportedRow::Change);
        let mut found: Vec<_> = problems.into_iter().map(ReportedRow::Problem).chain(known).chain(changes).collect();
        found.sort_by_key(ReportedRow::row);
        found.into_iter().try_for_each(&mut visit)?;
    }
    for place in 0..import.parts {
        let Some(part) = find_part(tx, import.id, place)? else { continue };
        for (row, outcome) in &part.rows {
            let warnings = part.warnings.iter().filter(|(of, _)| of == row).map(|(_, fault)| fault.clone());
            let problems = problems_of(*row, outcome, &warnings.collect::<Vec<_>>());
            problems.into_iter().map(ReportedRow::Problem).try_for_each(&mut visit)?;
            if let Some(id) = outcome.known() {
                visit(ReportedRow::Known(*row, id))?;
            }
        }
    }
    // Checks of earlier versions kept only the first problems.
    if import.check_parts == 0 && import.parts == 0 {
        import.problems.iter().cloned().map(ReportedRow::Problem).try_for_each(visit)?;
    }
    Ok(())
}

/// Returns the places of the columns with numbers that can be read with either decimal mark, as nothing says with which.
pub fn ambiguous_columns(tx: &TenantRead<'_>, kind: &RecordKind, plan: &ImportPlan) -> Result<Vec<usize>> {
    let may_be = |(at, column): (usize, &ImportColumn)| {
        let is_proven = u16::try_from(at).is_ok_and(|at| plan.proven_mark(at).is_some());
        column.is_ambiguous && !is_proven
    };
    let columns: Vec<_> = plan.columns.iter().enumerate().filter(|column| may_be(*column)).collect();
    if columns.is_empty() {
        return Ok(Vec::new());
    }
    let custom = fields_in_use(tx, kind.kind)?;
    let is_number = |column: &ImportColumn| match &column.target {
        Some(ColumnTarget::NewField { value_type, .. }) => *value_type == FieldType::Number,
        Some(ColumnTarget::Field(name)) => name
            .strip_prefix("fields.")
            .is_some_and(|key| custom.iter().any(|field| field.key == key && field.value_type == FieldType::Number)),
        None => false,
    };
    Ok(columns.into_iter().filter(|(_, column)| is_number(column)).map(|(at, _)| at).collect())
}

/// Returns the first changes that the last check of an import found.
pub fn first_changes(tx: &TenantRead<'_>, import: &Stored<Import>) -> Result<Vec<CheckedChange>> {
    let mut found = Vec::new();
    for place in &import.change_parts {
        let part = find_check_part(tx, import.id, *place)?;
        found.extend(part.map(|part| part.value.changes).unwrap_or_default());
        if found.len() >= MAX_LISTED {
            break;
        }
    }
    found.truncate(MAX_LISTED);
    Ok(found)
}

/// Removes the changes of a record from a part of a check.
pub fn forget_checked(tx: &TenantWrite<'_>, part: Id<CheckPart>, record: Uuid) -> Result<()> {
    let Some(part) = tx.find_intact::<CheckPart>(part)? else { return Ok(()) };
    tx.rewrite(&part, |part| part.changes.retain(|change| change.id.uuid() != record))
}

/// Returns the ids of the records of a kind that an import of the reader created or changed; none for an import that is
/// not there.
pub fn find_imported(tx: &TenantRead<'_>, reader: Reader, kind: &str, id: Uuid) -> Result<Vec<[u8; 16]>> {
    let is_seen = |import: &Stored<Import>| import.created_by == Some(reader.id) || sees_all(reader);
    let import = tx.find::<Import>(Id::from(id))?.filter(is_seen);
    let Some(import) = import.filter(|import| import.kind.kind().kind == kind) else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    for place in 0..import.parts {
        let rows = find_part(tx, import.id, place)?.map(|part| part.value.rows).unwrap_or_default();
        found.extend(rows.iter().filter_map(|(_, outcome)| match outcome {
            RowOutcome::Created { id, .. } | RowOutcome::Updated { id, .. } => Some(*id.as_bytes()),
            RowOutcome::Skipped { .. } | RowOutcome::Failed { .. } => None,
        }));
    }
    Ok(found)
}

/// Returns the first records that an import created or changed, or with `undone` those of the rows that were undone. Empty when
/// the import is forgotten.
pub fn records_of_act(tx: &TenantRead<'_>, id: Id<Import>, undone: bool) -> Result<ActRecords> {
    let Some(import) = tx.find_intact::<Import>(id)? else { return Ok(ActRecords::default()) };
    let scan = Scan::beginning(IMPORT_PARTS_BY_PLACE, id.as_bytes()).limit(PARTS_OF_ACT);
    let mut first = Vec::new();
    for part in tx.page::<ImportPart>(&scan, |_| true)?.items {
        let is_of_act = |row: &u64| !undone || part.undone.contains(row);
        first.extend(part.rows.iter().filter(|(row, _)| is_of_act(row)).filter_map(|(_, outcome)| match outcome {
            RowOutcome::Created { id, .. } | RowOutcome::Updated { id, .. } => Some((import.kind, id.uuid())),
            RowOutcome::Skipped { .. } | RowOutcome::Failed { .. } => None,
        }));
    }
    let are_all = import.parts as usize <= PARTS_OF_ACT && first.len() <= MAX_LOOKED_UP;
    first.truncate(MAX_LOOKED_UP);
    Ok(ActRecords { first, unchanged: 0, are_all })
}

/// Purges imports that can no longer be undone.
pub const PURGE: Purge = Purge::of::<Import>();

impl PartedRecord for Import {
    type Part = ImportPart;
    const PARTS: u16 = IMPORT_PARTS_BY_PLACE;

    fn remove_other_parts(tx: &TenantWrite<'_>, id: Id<Self>) -> Result<usize> {
        remove_check_parts(tx, id, PURGED_PER_WRITE)
    }

    fn remove_rest(tx: &TenantWrite<'_>, id: Id<Self>) -> Result<usize> {
        tx.remove::<ImportPlan>(id, None).map(|_| 1)
    }
}

/// Removes from a part of an import how a record was before, the digest of its contents, and values of its row; and from
/// its plan the first values of the file, which may be those of the record: the import of that record can no longer be
/// undone.
pub fn forget_record(tx: &TenantWrite<'_>, part: Id<ImportPart>, record: Uuid) -> Result<()> {
    let Some(part) = tx.find_intact::<ImportPart>(part)? else { return Ok(()) };
    let is_of_record = |outcome: &RowOutcome| match outcome {
        RowOutcome::Created { id, .. } | RowOutcome::Updated { id, .. } | RowOutcome::Skipped { id } => {
            id.uuid() == record
        }
        RowOutcome::Failed { .. } => false,
    };
    let rows: Vec<u64> = part.rows.iter().filter(|(_, outcome)| is_of_record(outcome)).map(|(row, _)| *row).collect();
    tx.rewrite(&part, |part| {
        for (_, outcome) in &mut part.rows {
            match outcome {
                RowOutcome::Updated { id, .. } if id.uuid() == record => *outcome = RowOutcome::Skipped { id: *id },
                RowOutcome::Created { id, digest, .. } if id.uuid() == record => digest.clear(),
                _ => {}
            }
        }
        for (_, fault) in part.warnings.iter_mut().filter(|(row, _)| rows.contains(row)) {
            fault.value = None;
        }
    })?;
    if let Some(import) = tx.find_intact::<Import>(part.import)? {
        tx.rewrite(&import, |import| {
            for problem in import.problems.iter_mut().filter(|problem| rows.contains(&problem.row)) {
                problem.fault.value = None;
            }
        })?;
    }
    let Some(plan) = tx.find_intact::<ImportPlan>(part.import)? else { return Ok(()) };
    tx.rewrite(&plan, |plan| {
        for column in &mut plan.columns {
            column.samples.clear();
            column.values.clear();
            column.unknown = UnknownValues::default();
        }
    })
}
