//! `atrium check`: reads and verifies every row of the store and all files of the search index, and checks that all
//! uploads exist.

use std::{collections::BTreeMap, ops::ControlFlow};

use uuid::Uuid;

use crate::{
    cli::prelude::*,
    features::{
        self,
        files::{self, FileRecord},
    },
    jobs,
    kernel::{TenantId, progress::Unit, run_blocking},
    people::members::{self, Company},
    store::{Damage, Fault, Snapshot, TenantRead},
};

/// Verifies everything.
pub async fn run(context: &Context) -> Result<CheckReport> {
    let context = context.clone();
    run_blocking(move || check(&context)).await
}

fn check(context: &Context) -> Result<CheckReport> {
    let found = context.store.check_with_progress(features::TABLES, &context.progress)?;
    if let Ok(app) = context.app() {
        app.health.record_damage(found.damaged());
    }
    let snapshot = context.store.snapshot()?;
    let names = Names::of(&snapshot);
    let mut report = CheckReport { records: found.records.values().sum(), rows: found.rows, ..CheckReport::default() };
    report.damages.extend(found.damage.iter().map(|damage| names.sentence(damage)));
    report.damages.extend((found.more > 0).then(|| format!("+ {}", found.more)));
    context.progress.start("Verifying uploads", Unit::Items, None);
    for tenant in members::tenants(&snapshot)? {
        report.add_uploads(context, &snapshot.tenant(tenant, None), &names.whose(Some(tenant)))?;
    }
    if context.has_damaged_pages()? {
        let damage = "the store has damaged pages: `atrium repair` copies what can be read into a new one";
        report.damages.push(damage.to_owned());
    }
    context.progress.start("Verifying the search index", Unit::Items, None);
    let index = context.verify_index().err();
    report.damages.extend(index.map(|why| format!("{why}: `atrium reindex` rebuilds it")));
    context.progress.start("Comparing the search index", Unit::Items, None);
    if let Ok(Some(state)) = context.index_state() {
        for found in jobs::compare_index(&context.store, &state, &mut || ControlFlow::Continue(()))? {
            let whose = names.whose(Some(found.tenant));
            let id = Uuid::from_bytes(found.id);
            report.damages.push(format!(
                "{whose}: the search index does not agree with {} {id}: `atrium reindex` rebuilds it",
                found.kind
            ));
        }
    }
    Ok(report)
}

/// The result of `check`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckReport {
    #[serde(default)]
    pub companies: u64,
    /// Rows that were read: records and the store's own rows, counted as in a backup.
    #[serde(default)]
    pub rows: u64,
    /// Uploads that exist.
    #[serde(default)]
    pub files: u64,
    /// Records that were read and are intact.
    pub records: u64,
    /// One sentence for each damage.
    pub damages: Vec<String>,
}

impl CheckReport {
    /// Counts a tenant and its uploads, and adds those that are missing or damaged.
    fn add_uploads(&mut self, context: &Context, tx: &TenantRead<'_>, whose: &str) -> Result<()> {
        let lost = files::find_damaged(&context.files, tx)?;
        self.files += tx.count::<FileRecord>()?.saturating_sub(lost.len() as u64);
        self.companies += 1;
        context.progress.add(tx.count::<FileRecord>()?);
        self.damages.extend(lost.iter().map(|lost| format!("{whose}: upload {} {}", lost.record.media, lost.flaw)));
        Ok(())
    }

    pub fn text(&self) -> String {
        let Self { companies, rows, files, damages, .. } = self;
        let read = format!("companies {companies}, records {rows}, uploads {files}");
        if damages.is_empty() {
            return format!("Everything was verified: {read}. Nothing is damaged.");
        }
        let mut lines = vec![format!("Read and verified: {read}. Problems found: {}", damages.len())];
        lines.extend(damages.iter().map(|damage| format!("  {damage}")));
        let next =
            "Next: `atrium repair` says what can be done about damaged records, and changes nothing without --yes.";
        lines.push(next.to_owned());
        lines.join("\n")
    }
}

/// The slugs of the tenants, by id.
pub struct Names(BTreeMap<TenantId, String>);

impl Names {
    /// Reads the slugs that can be read.
    pub fn of(snapshot: &Snapshot) -> Self {
        let named = |tenant: TenantId| {
            let company = snapshot.tenant(tenant, None).find_intact::<Company>(Company::id(tenant)).ok()??;
            Some((tenant, company.value.slug))
        };
        Self(members::tenants(snapshot).unwrap_or_default().into_iter().filter_map(named).collect())
    }

    /// Returns the tenant's slug, or its id when its record is damaged.
    pub fn whose(&self, tenant: Option<TenantId>) -> String {
        match tenant {
            Some(tenant) => self.0.get(&tenant).cloned().unwrap_or_else(|| tenant.to_string()),
            None => "installation".to_owned(),
        }
    }

    fn sentence(&self, damage: &Damage) -> String {
        let fault = match damage.fault {
            Fault::Damaged => "is damaged",
            Fault::Missing => "is missing",
            Fault::Stray => "leads to nothing",
            Fault::Disagrees => "does not agree with the records",
            Fault::Orphaned => "is a part of a record that is gone",
            Fault::Unreadable => "and what lies beside it cannot be read",
        };
        let kind = damage.kind.strip_prefix("table ").map_or(damage.kind.as_str(), |_| "lookup");
        format!("{}: {kind} {} {fault}", self.whose(damage.tenant), damage.row)
    }
}
