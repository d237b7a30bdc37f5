//! Repair of damaged data: records and uploads are restored from a backup or dropped, and derived data is rebuilt. The
//! administrators of each affected tenant are notified.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs::File,
    io::Read,
    path::PathBuf,
    sync::Arc,
};

use super::{notify_admins, temp_file::unusable_file_error};
use crate::{
    features::{
        self,
        files::{self, DamagedUpload, FileStore},
    },
    kernel::{
        Result, TenantId,
        progress::{Progress, Unit},
        run_blocking,
    },
    people::{
        audit::{self, Event},
        members::{Company, MemberRecord, MemberState, tenants},
        permission::Role,
    },
    store::{
        Actor, AllowedRepair, BrokenRow, Copies, Fault, Record as _, Snapshot, Store, TenantWrite, Unsealer,
        find_copies,
    },
};

/// Rows repaired in one transaction.
const ROWS_PER_WRITE: usize = 200;
/// Records named in an audit entry; the rest are only counted.
const MAX_NAMED: usize = 20;

/// A backup to restore from: its file, and its passphrase.
pub type Source = (PathBuf, Option<String>);

/// The repair of a damaged row or upload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Rebuilt from other rows.
    Rebuilt,
    /// Restored from the backup.
    Taken,
    /// Dropped.
    Dropped,
    /// Left as it is.
    Left,
}

/// The report of a repair or a dry run.
#[derive(Clone, Debug)]
pub struct RepairReport {
    /// Damaged rows and lost records, each with its outcome.
    pub rows: Vec<(BrokenRow, Outcome)>,
    /// Damaged and missing uploads, each with its outcome.
    pub uploads: Vec<(DamagedUpload, Outcome)>,
    /// Other inconsistencies with the records, as text.
    pub others: Vec<String>,
    /// Number of unreadable places in the store. Nothing is changed while there are any.
    pub unreadable: u64,
    /// Number of rebuilt rows; `None` when nothing was changed.
    pub rebuilt: Option<u64>,
}

/// The damage found, and the intact copies from the backup.
struct FoundDamage {
    broken: Vec<BrokenRow>,
    unreadable: u64,
    copies: Copies,
    uploads: Vec<DamagedUpload>,
    /// Names of the uploads that the backup contains.
    taken: BTreeSet<String>,
    others: Vec<String>,
    /// Tenants that would lose their last owner with a damaged record.
    ownerless: BTreeSet<TenantId>,
}

/// Finds damaged data and, when `really`, repairs it: restores what `source` has an intact copy of and, when `drop`,
/// drops the rest.
/// Errors: `invalid` at `file` or `passphrase` when the backup cannot be read; `busy` when the disk fails.
pub async fn repair(
    store: &Store,
    file_store: &FileStore,
    source: Option<Source>,
    drop: bool,
    really: bool,
    progress: &Progress,
) -> Result<RepairReport> {
    let _still = file_store.prevent_garbage_collection().await;
    let from = store.clone();
    let uploads = file_store.clone();
    let watched = progress.clone();
    let found = run_blocking(move || find_damage(&from, &uploads, source, really, &watched)).await?;
    let FoundDamage { broken, unreadable, copies, uploads, taken, others, ownerless } = found;
    let keeps_owner = |broken: &BrokenRow| {
        let owners = broken.damage.tenant.filter(|_| broken.damage.kind == MemberRecord::KIND);
        owners.is_none_or(|tenant| !ownerless.contains(&tenant))
    };
    let outcome = |broken: &BrokenRow| match broken.repair {
        AllowedRepair::Rebuild => Outcome::Rebuilt,
        AllowedRepair::Restore | AllowedRepair::RestoreOrDrop if copies.has(broken) => Outcome::Taken,
        AllowedRepair::Drop | AllowedRepair::RestoreOrDrop if drop && keeps_owner(broken) => Outcome::Dropped,
        _ => Outcome::Left,
    };
    let mut rows = Vec::with_capacity(broken.len());
    for one in broken {
        let outcome = outcome(&one);
        rows.push((one, outcome));
    }
    // Last, when the records that they are parts of have been restored.
    rows.sort_by_key(|(one, _)| one.damage.fault == Fault::Orphaned);
    let mut lost = Vec::with_capacity(uploads.len());
    for one in uploads {
        let outcome = match drop {
            _ if taken.contains(&one.name()) => Outcome::Taken,
            true => Outcome::Dropped,
            false => Outcome::Left,
        };
        lost.push((one, outcome));
    }
    let uploads = lost;
    // A store with damaged pages must not be written to. It is copied first, when no server has it open.
    if !really || unreadable > 0 {
        return Ok(RepairReport { rows, uploads, others, unreadable, rebuilt: None });
    }
    progress.start("Repairing", Unit::Items, None);
    let copies = Arc::new(copies);
    let is_repaired = |outcome| matches!(outcome, Outcome::Taken | Outcome::Dropped);
    let mut by_company: BTreeMap<TenantId, Vec<&mut (BrokenRow, Outcome)>> = BTreeMap::new();
    for row in rows.iter_mut().filter(|(_, outcome)| is_repaired(*outcome)) {
        if let Some(tenant) = row.0.damage.tenant {
            by_company.entry(tenant).or_default().push(row);
        }
    }
    let mut companies = BTreeSet::new();
    for (tenant, mut rows) in by_company {
        companies.insert(tenant);
        for some in rows.chunks_mut(ROWS_PER_WRITE) {
            let broken = some.iter().map(|row| row.0.clone()).collect::<Vec<_>>();
            let copies = copies.clone();
            let work = move |tx: &TenantWrite<'_>| repair_rows(tx, &broken, &copies, drop);
            let (left, _) = store.write(tenant, Actor::Operator, work).await?;
            for (at, row) in some.iter_mut().enumerate() {
                if left.contains(&at) {
                    row.1 = Outcome::Left;
                }
            }
        }
    }
    // Those left are parts of records that were dropped.
    let left = store.snapshot()?.broken_rows(features::TABLES, &Progress::default())?.0.into_iter();
    let left = left.filter(|row| drop && row.damage.fault == Fault::Orphaned);
    let mut parts: BTreeMap<TenantId, Vec<BrokenRow>> = BTreeMap::new();
    for row in left {
        rows.push((row.clone(), Outcome::Dropped));
        if let Some(tenant) = row.damage.tenant {
            parts.entry(tenant).or_default().push(row);
        }
    }
    for (tenant, parts) in parts {
        companies.insert(tenant);
        for some in parts.chunks(ROWS_PER_WRITE) {
            let some = some.to_vec();
            let work = move |tx: &TenantWrite<'_>| repair_rows(tx, &some, &Copies::default(), true);
            store.write(tenant, Actor::Operator, work).await?;
        }
    }
    let mut by_company: BTreeMap<TenantId, Vec<(DamagedUpload, Outcome)>> = BTreeMap::new();
    for (lost, outcome) in uploads.iter().filter(|(_, outcome)| is_repaired(*outcome)) {
        by_company.entry(lost.tenant).or_default().push((lost.clone(), *outcome));
    }
    for (tenant, uploads) in by_company {
        companies.insert(tenant);
        for some in uploads.chunks(ROWS_PER_WRITE) {
            let some = some.to_vec();
            store.write(tenant, Actor::Operator, move |tx: &TenantWrite<'_>| finish_uploads(tx, &some)).await?;
        }
    }
    let rebuilt = store.rebuild(features::TABLES).await?;
    for tenant in companies {
        // The repair is done and audited: a failed notification does not undo it.
        if let Err(error) = store.write(tenant, Actor::Operator, notify).await {
            tracing::warn!(detail = ?error, %tenant, "repair: notifying the company failed");
        }
    }
    Ok(RepairReport { rows, uploads, others, unreadable, rebuilt: Some(rebuilt) })
}

/// Searches the store for damage, and the backup for intact copies. When `really`, uploads are restored at once: this
/// does not change their records.
fn find_damage(
    store: &Store,
    file_store: &FileStore,
    source: Option<Source>,
    really: bool,
    progress: &Progress,
) -> Result<FoundDamage> {
    let snapshot = store.snapshot()?;
    let (mut broken, unreadable) = snapshot.broken_rows(features::TABLES, progress)?;
    let mut uploads = Vec::new();
    for tenant in tenants(&snapshot)? {
        uploads.extend(files::find_damaged(file_store, &snapshot.tenant(tenant, None))?);
    }
    let mut found = Copies::default();
    let mut taken = BTreeSet::new();
    if let Some((file, passphrase)) = source {
        let file = File::open(&file).map_err(|error| unusable_file_error(&file, &error))?;
        let bytes = file.metadata().map(|found| found.len()).ok();
        let archive = Unsealer::new(progress.read("Reading the backup", file, bytes), passphrase.as_deref())?;
        let lost: BTreeMap<String, &DamagedUpload> = uploads.iter().map(|lost| (lost.name(), lost)).collect();
        let keep = really && unreadable == 0;
        let take = &mut |name: &str, bytes: &mut dyn Read| {
            if let Some(lost) = lost.get(name)
                && lost.restore_from_backup(file_store, bytes, keep)?
            {
                taken.insert(name.to_owned());
            }
            Ok(())
        };
        let missing;
        (found, missing) = find_copies(archive, &snapshot, features::TABLES, &broken, take)?;
        broken.extend(missing);
    }
    let ownerless = find_ownerless(&snapshot, &broken)?;
    let others = find_inconsistencies(store, progress)?;
    Ok(FoundDamage { broken, unreadable, copies: found, uploads, taken, others, ownerless })
}

/// Returns the tenants with damaged member records and no intact owner: which record was the owner's is unknown.
fn find_ownerless(snapshot: &Snapshot, broken: &[BrokenRow]) -> Result<BTreeSet<TenantId>> {
    let members = broken.iter().filter(|broken| broken.damage.kind == MemberRecord::KIND);
    let concerned: BTreeSet<TenantId> = members.filter_map(|broken| broken.damage.tenant).collect();
    let mut ownerless = BTreeSet::new();
    for tenant in concerned {
        let mut owned = false;
        snapshot.tenant(tenant, None).each::<MemberRecord>(|member| {
            owned |= member.role == Role::Owner && member.state == MemberState::Active;
            Ok(())
        })?;
        if !owned {
            ownerless.insert(tenant);
        }
    }
    Ok(ownerless)
}

/// Returns inconsistencies with the records that are not damaged rows.
fn find_inconsistencies(store: &Store, progress: &Progress) -> Result<Vec<String>> {
    let report = store.check_with_progress(features::TABLES, progress)?;
    let others = report
        .damage
        .iter()
        .filter(|damage| !matches!(damage.fault, Fault::Damaged | Fault::Unreadable | Fault::Orphaned));
    Ok(others.map(ToString::to_string).collect())
}

/// Repairs some rows of a tenant. Returns the positions of those that could not be repaired.
fn repair_rows(tx: &TenantWrite<'_>, broken: &[BrokenRow], found: &Copies, drop: bool) -> Result<Vec<usize>> {
    let mut taken = Vec::new();
    let mut dropped = Vec::new();
    let mut left = Vec::new();
    for (at, one) in broken.iter().enumerate() {
        if tx.repair_row(features::TABLES, one, found, drop)? {
            let name = format!("{} {}", one.damage.kind, one.damage.row);
            let list = if found.has(one) { &mut taken } else { &mut dropped };
            list.push(name);
        } else if one.damage.fault == Fault::Missing {
            left.push(at);
        }
    }
    note(tx, taken, dropped)?;
    Ok(left)
}

/// Removes the records of dropped uploads, and writes audit entries for dropped and restored ones.
fn finish_uploads(tx: &TenantWrite<'_>, uploads: &[(DamagedUpload, Outcome)]) -> Result<()> {
    let mut taken = Vec::new();
    let mut dropped = Vec::new();
    for (lost, outcome) in uploads {
        let name = format!("upload {}", lost.record.id);
        if *outcome == Outcome::Dropped {
            lost.remove_record(tx)?;
            dropped.push(name);
        } else {
            taken.push(name);
        }
    }
    note(tx, taken, dropped)
}

/// Writes audit entries for restored and dropped records and uploads of a tenant.
fn note(tx: &TenantWrite<'_>, taken: Vec<String>, dropped: Vec<String>) -> Result<()> {
    // A damaged key may name a tenant that never existed and has no audit log.
    if matches!(tx.find::<Company>(Company::id(tx.tenant())), Ok(None)) {
        return Ok(());
    }
    for (word, names) in [("operator.repair_taken", taken), ("operator.repair_dropped", dropped)] {
        if !names.is_empty() {
            let mut named = names.iter().take(MAX_NAMED).cloned().collect::<Vec<_>>().join(", ");
            if names.len() > MAX_NAMED {
                named = format!("{named}, +{}", names.len() - MAX_NAMED);
            }
            audit::write(tx, Event::new(word).with("records", named))?;
        }
    }
    Ok(())
}

fn notify(tx: &TenantWrite<'_>) -> Result<()> {
    let Some(company) = tx.find_intact::<Company>(Company::id(tx.tenant()))? else { return Ok(()) };
    let params = vec![("company", company.name.clone())];
    notify_admins(tx, "server.operator.repair", "shield-alert", params, "/settings/company")
}
