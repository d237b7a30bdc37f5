//! Mending what is damaged: records come back from a backup or are given up, and what follows from records is made
//! anew. Each company hears what became of its own.

use std::{collections::BTreeMap, fs::File, ops::ControlFlow, path::PathBuf, sync::Arc};

use tokio::task::spawn_blocking;

use super::{draft::unusable, tell_admins};
use crate::{
    access::{
        audit::{self, Event},
        members::Company,
    },
    features,
    kernel::{Error, Result, TenantId},
    store::{Actor, Broken, Copies, Cure, Fault, Store, TenantWrite, Unsealer, copies},
};

/// Rows that are mended in one write.
const STEP: usize = 200;
/// Records that an entry of the audit log names; more are only counted.
const NAMED: usize = 20;

/// A backup to take copies from: its file, and the passphrase that opens it.
pub type Source = (PathBuf, Option<String>);

/// What becomes of a damaged row.
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
    /// Damaged rows, and what becomes of each.
    pub rows: Vec<(Broken, Outcome)>,
    /// What else does not agree with the records, in words.
    pub others: Vec<String>,
    /// How many rows were made anew; none when nothing was changed yet.
    pub rebuilt: Option<u64>,
}

/// Finds what is damaged and, when `really`, mends it: what `source` has an intact copy of is taken from there, the
/// rest given up when `drop`.
///
/// # Errors
/// `invalid` at `file` or `passphrase` when the backup cannot be read; `busy` when the disk fails; `damaged` when whole
/// pages cannot be read: then only a restore helps.
pub async fn repair(store: &Store, source: Option<Source>, drop: bool, really: bool) -> Result<Repaired> {
    let from = store.clone();
    let look = move || {
        let broken = from.snapshot()?.broken(features::TABLES)?;
        let found = match source {
            Some((file, passphrase)) => {
                let file = File::open(file).map_err(|error| unusable(&error))?;
                copies(Unsealer::new(file, passphrase.as_deref())?, &broken)?
            }
            None => Copies::default(),
        };
        Ok::<_, Error>((broken, found, disagreeing(&from)?))
    };
    let (broken, found, others) = spawn_blocking(look).await.map_err(Error::internal)??;
    let outcome = |broken: &Broken| match broken.cure {
        Cure::Rebuild => Outcome::Rebuilt,
        Cure::Take | Cure::TakeOrDrop if found.has(broken) => Outcome::Taken,
        Cure::Drop | Cure::TakeOrDrop if drop => Outcome::Dropped,
        _ => Outcome::Left,
    };
    let mut rows = Vec::with_capacity(broken.len());
    for one in broken {
        let outcome = outcome(&one);
        rows.push((one, outcome));
    }
    if !really {
        return Ok(Repaired { rows, others, rebuilt: None });
    }
    let mut companies: BTreeMap<TenantId, Vec<Broken>> = BTreeMap::new();
    for (broken, outcome) in &rows {
        if let (Some(tenant), Outcome::Taken | Outcome::Dropped) = (broken.damage.tenant, outcome) {
            companies.entry(tenant).or_default().push(broken.clone());
        }
    }
    let found = Arc::new(found);
    for (tenant, broken) in &companies {
        for some in broken.chunks(STEP) {
            let (some, found) = (some.to_vec(), found.clone());
            let work = move |tx: &TenantWrite<'_>| mend(tx, &some, &found, drop);
            store.write(*tenant, Actor::Operator, work).await?;
        }
    }
    let rebuilt = store.rebuild(features::TABLES).await?;
    for tenant in companies.into_keys() {
        // It is done and noted; a company that cannot be told of it reads so in its audit log.
        if let Err(error) = store.write(tenant, Actor::Operator, tell).await {
            tracing::warn!(detail = ?error, %tenant, "a company is not told that its data was repaired");
        }
    }
    Ok(Repaired { rows, others, rebuilt: Some(rebuilt) })
}

/// What does not agree with the records although no row of it is damaged.
fn disagreeing(store: &Store) -> Result<Vec<String>> {
    let report = store.check(features::TABLES, &mut |_| ControlFlow::Continue(()))?;
    let others = report.damage.iter().filter(|damage| !matches!(damage.fault, Fault::Damaged | Fault::Unreadable));
    Ok(others.map(ToString::to_string).collect())
}

/// Mends some rows of a company, and notes in its audit log what became of its records.
fn mend(tx: &TenantWrite<'_>, broken: &[Broken], found: &Copies, drop: bool) -> Result<()> {
    let (mut taken, mut dropped) = (Vec::new(), Vec::new());
    for one in broken {
        if tx.mend(features::TABLES, one, found, drop)? {
            let name = format!("{} {}", one.damage.kind, one.damage.row);
            let list = if found.has(one) { &mut taken } else { &mut dropped };
            list.push(name);
        }
    }
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
