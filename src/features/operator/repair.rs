//! Mending what is damaged: records and uploads come back from a backup or are given up, and what follows from records is
//! made anew. Each company hears what became of its own.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs::File,
    io::Read,
    ops::ControlFlow,
    path::PathBuf,
    sync::Arc,
};

use tokio::task::spawn_blocking;

use super::{tell_admins, temp_file::unusable};
use crate::{
    access::{
        audit::{self, Event},
        members::{Company, MemberRecord, MemberState, tenants},
        permission::Role,
    },
    features::{
        self,
        files::{self, FileStore, Lost},
    },
    kernel::{Error, Result, TenantId},
    store::{Actor, Broken, Copies, Cure, Fault, Record as _, Snapshot, Store, TenantWrite, Unsealer, copies},
};

/// Rows that are mended in one write.
const STEP: usize = 200;
/// Records that an entry of the audit log names; more are only counted.
const NAMED: usize = 20;

/// A backup to take copies from: its file, and the passphrase that opens it.
pub type Source = (PathBuf, Option<String>);

/// What becomes of something damaged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It is made anew from others.
    Rebuilt,
    /// It is taken from the backup.
    Taken,
    /// It is given up.
    Dropped,
    /// It stays as it is.
    Left,
}

/// What was repaired, or would be.
#[derive(Clone, Debug)]
pub struct Repaired {
    /// Damaged rows and lost records, and what becomes of each.
    pub rows: Vec<(Broken, Outcome)>,
    /// Damaged and missing uploads, and what becomes of each.
    pub uploads: Vec<(Lost, Outcome)>,
    /// What else does not agree with the records, in words.
    pub others: Vec<String>,
    /// How many places of the store cannot be read. Nothing is changed as long as there are any.
    pub unreadable: u64,
    /// How many rows were made anew; none when nothing was changed yet.
    pub rebuilt: Option<u64>,
}

/// What is damaged, and what a backup has of it.
struct Found {
    broken: Vec<Broken>,
    unreadable: u64,
    copies: Copies,
    uploads: Vec<Lost>,
    /// The names of uploads that the backup has.
    taken: BTreeSet<String>,
    others: Vec<String>,
    /// Companies whose last owner would go with a damaged record.
    ownerless: BTreeSet<TenantId>,
}

/// Finds what is damaged and, when `really`, mends it: what `source` has an intact copy of is taken from there, the
/// rest given up when `drop`.
///
/// # Errors
/// `invalid` at `file` or `passphrase` when the backup cannot be read; `busy` when the disk fails.
pub async fn repair(
    store: &Store,
    vault: &FileStore,
    source: Option<Source>,
    drop: bool,
    really: bool,
) -> Result<Repaired> {
    let _still = vault.hold_still().await;
    let (from, uploads) = (store.clone(), vault.clone());
    let found = spawn_blocking(move || look(&from, &uploads, source, really)).await.map_err(Error::internal)??;
    let Found { broken, unreadable, copies, uploads, taken, others, ownerless } = found;
    let keeps_owner = |broken: &Broken| {
        let owners = broken.damage.tenant.filter(|_| broken.damage.kind == MemberRecord::KIND);
        owners.is_none_or(|tenant| !ownerless.contains(&tenant))
    };
    let outcome = |broken: &Broken| match broken.cure {
        Cure::Rebuild => Outcome::Rebuilt,
        Cure::Take | Cure::TakeOrDrop if copies.has(broken) => Outcome::Taken,
        Cure::Drop | Cure::TakeOrDrop if drop && keeps_owner(broken) => Outcome::Dropped,
        _ => Outcome::Left,
    };
    let mut rows = Vec::with_capacity(broken.len());
    for one in broken {
        let outcome = outcome(&one);
        rows.push((one, outcome));
    }
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
    // On damaged pages nothing may be written: the store is copied first, when no server has it open.
    if !really || unreadable > 0 {
        return Ok(Repaired { rows, uploads, others, unreadable, rebuilt: None });
    }
    let copies = Arc::new(copies);
    let is_mended = |outcome| matches!(outcome, Outcome::Taken | Outcome::Dropped);
    let mut by_company: BTreeMap<TenantId, Vec<&mut (Broken, Outcome)>> = BTreeMap::new();
    for row in rows.iter_mut().filter(|(_, outcome)| is_mended(*outcome)) {
        if let Some(tenant) = row.0.damage.tenant {
            by_company.entry(tenant).or_default().push(row);
        }
    }
    let mut companies = BTreeSet::new();
    for (tenant, mut rows) in by_company {
        companies.insert(tenant);
        for some in rows.chunks_mut(STEP) {
            let (broken, copies) = (some.iter().map(|row| row.0.clone()).collect::<Vec<_>>(), copies.clone());
            let work = move |tx: &TenantWrite<'_>| mend(tx, &broken, &copies, drop);
            let (left, _) = store.write(tenant, Actor::Operator, work).await?;
            for (at, row) in some.iter_mut().enumerate() {
                if left.contains(&at) {
                    row.1 = Outcome::Left;
                }
            }
        }
    }
    let mut by_company: BTreeMap<TenantId, Vec<(Lost, Outcome)>> = BTreeMap::new();
    for (lost, outcome) in uploads.iter().filter(|(_, outcome)| is_mended(*outcome)) {
        by_company.entry(lost.tenant).or_default().push((lost.clone(), *outcome));
    }
    for (tenant, uploads) in by_company {
        companies.insert(tenant);
        for some in uploads.chunks(STEP) {
            let some = some.to_vec();
            store.write(tenant, Actor::Operator, move |tx: &TenantWrite<'_>| settle(tx, &some)).await?;
        }
    }
    let rebuilt = store.rebuild(features::TABLES).await?;
    for tenant in companies {
        // It is done and noted; a company that cannot be told of it reads so in its audit log.
        if let Err(error) = store.write(tenant, Actor::Operator, tell).await {
            tracing::warn!(detail = ?error, %tenant, "a company is not told that its data was repaired");
        }
    }
    Ok(Repaired { rows, uploads, others, unreadable, rebuilt: Some(rebuilt) })
}

/// Reads everything for what is damaged, and the backup for what it has of that. Uploads are put back at once when
/// `really`: their records are not touched by it.
fn look(store: &Store, vault: &FileStore, source: Option<Source>, really: bool) -> Result<Found> {
    let snapshot = store.snapshot()?;
    let (mut broken, unreadable) = snapshot.broken(features::TABLES)?;
    let mut uploads = Vec::new();
    for tenant in tenants(&snapshot)? {
        uploads.extend(files::lost(vault, &snapshot.tenant(tenant, None))?);
    }
    let (mut found, mut taken) = (Copies::default(), BTreeSet::new());
    if let Some((file, passphrase)) = source {
        let file = File::open(&file).map_err(|error| unusable(&file, &error))?;
        let archive = Unsealer::new(file, passphrase.as_deref())?;
        let lost: BTreeMap<String, &Lost> = uploads.iter().map(|lost| (lost.name(), lost)).collect();
        let keep = really && unreadable == 0;
        let take = &mut |name: &str, bytes: &mut dyn Read| {
            if let Some(lost) = lost.get(name)
                && lost.take_back(vault, bytes, keep)?
            {
                taken.insert(name.to_owned());
            }
            Ok(())
        };
        let missing;
        (found, missing) = copies(archive, &snapshot, features::TABLES, &broken, take)?;
        broken.extend(missing);
    }
    let ownerless = ownerless(&snapshot, &broken)?;
    let others = disagreeing(store)?;
    Ok(Found { broken, unreadable, copies: found, uploads, taken, others, ownerless })
}

/// The companies with damaged records of members and no intact one of an owner: which of them owned it is not known.
fn ownerless(snapshot: &Snapshot, broken: &[Broken]) -> Result<BTreeSet<TenantId>> {
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

/// What does not agree with the records although no row of it is damaged.
fn disagreeing(store: &Store) -> Result<Vec<String>> {
    let report = store.check(features::TABLES, &mut |_| ControlFlow::Continue(()))?;
    let others = report.damage.iter().filter(|damage| !matches!(damage.fault, Fault::Damaged | Fault::Unreadable));
    Ok(others.map(ToString::to_string).collect())
}

/// Mends some rows of a company. Answers with the places of those that could not be mended.
fn mend(tx: &TenantWrite<'_>, broken: &[Broken], found: &Copies, drop: bool) -> Result<Vec<usize>> {
    let (mut taken, mut dropped, mut left) = (Vec::new(), Vec::new(), Vec::new());
    for (at, one) in broken.iter().enumerate() {
        if tx.mend(features::TABLES, one, found, drop)? {
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

/// Removes the records of uploads that are given up, and notes what became of the others.
fn settle(tx: &TenantWrite<'_>, uploads: &[(Lost, Outcome)]) -> Result<()> {
    let (mut taken, mut dropped) = (Vec::new(), Vec::new());
    for (lost, outcome) in uploads {
        let name = format!("upload {}", lost.record.id);
        if *outcome == Outcome::Dropped {
            lost.give_up(tx)?;
            dropped.push(name);
        } else {
            taken.push(name);
        }
    }
    note(tx, taken, dropped)
}

/// Notes in a company's audit log what became of its records and uploads.
fn note(tx: &TenantWrite<'_>, taken: Vec<String>, dropped: Vec<String>) -> Result<()> {
    // A row whose key is damaged may name a company that never was: that one has no audit log.
    if matches!(tx.find(Company::id(tx.tenant())), Ok(None)) {
        return Ok(());
    }
    for (word, names) in [("operator.repair_taken", taken), ("operator.repair_dropped", dropped)] {
        if !names.is_empty() {
            let mut named = names.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", ");
            if names.len() > NAMED {
                named = format!("{named}, +{}", names.len() - NAMED);
            }
            audit::note(tx, Event::new(word).with("records", named))?;
        }
    }
    Ok(())
}

fn tell(tx: &TenantWrite<'_>) -> Result<()> {
    let Some(company) = tx.find_intact(Company::id(tx.tenant()))? else { return Ok(()) };
    let gaps = vec![("company", company.name.clone())];
    tell_admins(tx, "server.operator.repair", "shield-alert", gaps, "/settings/company")
}
