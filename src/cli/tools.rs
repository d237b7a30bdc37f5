//! Commands for data that may be damaged. They work directly on the store, the uploads and the search index in the data
//! directory, and need no open application.

use std::{collections::BTreeMap, ops::ControlFlow, path::PathBuf};

use super::{
    answer::{Answer, BackupShown, CheckReport, RepairShown, RepairedRow, TenantExport, TenantShown},
    command::{Archive, Command, Repair},
};
use crate::{
    app,
    config::Config,
    features::{
        self,
        files::{self, FileRecord, FileStore},
        operator::{self, Outcome},
        tenants::{self, operator::Tenant},
    },
    index::{self, Engine},
    jobs::{self, HealthMonitor},
    kernel::{Clock, Code, Entropy, Error, Result, TenantId},
    people::members::{self, Company, CompanyState, MemberRecord},
    store::{Damage, Fault, Home, InstallationId, STORE, Snapshot, Store, rewrite},
};

/// What the commands work on.
#[derive(Clone)]
pub struct Tools {
    store: Store,
    files: FileStore,
    index: Index,
    installation: InstallationId,
    /// The health monitor of a running server.
    watch: Option<HealthMonitor>,
    /// Where the damaged original of this store is kept.
    original: Option<PathBuf>,
}

/// The search index.
#[derive(Clone)]
enum Index {
    /// An open index.
    Open(Engine),
    /// The folder of an index, opened only when needed.
    At(PathBuf),
}

impl Tools {
    /// Creates the tools of an open application.
    #[must_use]
    pub const fn of(
        store: Store,
        files: FileStore,
        engine: Engine,
        installation: InstallationId,
        watch: HealthMonitor,
    ) -> Self {
        Self { store, files, index: Index::Open(engine), installation, watch: Some(watch), original: None }
    }

    /// Opens the tools on a data directory that no server holds.
    ///
    /// # Errors
    /// `damaged` when the store's file is damaged, `busy` when the disk fails.
    pub fn open(home: &Home, config: &Config) -> Result<Self> {
        let (clock, entropy) = (Clock::system(), Entropy::system());
        app::put_back(home, clock.now())?;
        let store = app::open_store(home, clock, entropy.clone())?;
        let installation = home.id(&entropy)?;
        members::look_through(&store.snapshot()?)?;
        let files = FileStore::open(store.clone(), home.path(), config.limits.files)?;
        let index = Index::At(home.path().join("index"));
        Ok(Self { store, files, index, installation, watch: None, original: None })
    }

    /// Opens the tools on a data directory that no server holds, for a command. Before damaged records are repaired, a
    /// store with damaged pages is copied into a new one.
    pub fn open_for(command: &Command, home: &Home, config: &Config) -> Result<Self> {
        let mut original = None;
        if matches!(command, Command::Repair(Repair { yes: true, .. })) {
            let now = Clock::system().now();
            app::put_back(home, now)?;
            home.expect_store()?;
            original = rewrite(&home.path().join(STORE), now)?;
        }
        Ok(Self { original, ..Self::open(home, config)? })
    }

    /// Whether these tools execute the command.
    #[must_use]
    pub const fn take_on(command: &Command) -> bool {
        matches!(
            command,
            Command::ListTenants
                | Command::ExportTenant { .. }
                | Command::Backup(_)
                | Command::Check
                | Command::Repair(_)
                | Command::Reindex
        )
    }

    fn engine(&self) -> Result<Engine> {
        match &self.index {
            Index::Open(engine) => Ok(engine.clone()),
            Index::At(folder) => {
                Engine::open(folder, index::Options::default()).map(|(engine, _)| engine).map_err(Error::internal)
            }
        }
    }

    /// Executes a command.
    ///
    /// # Errors
    /// Those of the command; `internal` for a command that these tools do not execute.
    pub async fn perform(&self, command: Command) -> Result<Answer> {
        let tools = self.clone();
        match command {
            Command::ListTenants => tenants(&self.store.snapshot()?).map(Answer::Tenants),
            Command::ExportTenant { slug, file } => {
                let tenant = known(&self.store, &slug)?;
                let done = operator::export(&self.store, &self.files, tenant.id, file.clone()).await?;
                let operator::Exported { records, files, damaged } = done;
                let (tenant, file) = (shown(&self.store.snapshot()?, &tenant)?, file.display().to_string());
                Ok(Answer::TenantExported(TenantExport { tenant, file, records, files, damaged }.into()))
            }
            Command::Backup(Archive { file, passphrase }) => {
                let (sealed, passphrase) = (passphrase.is_some(), passphrase.map(|passphrase| passphrase.0));
                let done =
                    operator::backup(&self.store, &self.files, &self.installation, file.clone(), passphrase).await?;
                let operator::BackedUp { companies, rows, files, bytes, damaged } = done;
                let file = file.display().to_string();
                Ok(Answer::BackedUp(BackupShown { file, bytes, sealed, companies, rows, files, damaged }.into()))
            }
            Command::Check => blocking(move || tools.check()).await,
            Command::Reindex => blocking(move || tools.reindex()).await,
            Command::Repair(Repair { from, drop, yes }) => {
                let source = from.map(|from| (from.file, from.passphrase.map(|passphrase| passphrase.0)));
                let done = operator::repair(&self.store, &self.files, source, drop, yes).await?;
                let mut shown = repaired(&self.store.snapshot()?, done);
                shown.original = self.original.as_ref().map(|file| file.display().to_string());
                shown.damaged_pages = shown.unreadable > 0 || !yes && self.has_damaged_pages()?;
                Ok(Answer::Repaired(shown.into()))
            }
            _ => Err(Error::internal("a command that nobody does")),
        }
    }

    /// Reads and verifies every row of the store and all files of the index, and checks that all uploads exist.
    fn check(&self) -> Result<Answer> {
        let report = self.store.check(features::TABLES, &mut |_| ControlFlow::Continue(()))?;
        if let Some(watch) = &self.watch {
            watch.has_damage(report.damaged());
        }
        let snapshot = self.store.snapshot()?;
        let names = Names::of(&snapshot);
        let mut damages: Vec<String> = report.damage.iter().map(|damage| names.sentence(damage)).collect();
        if report.more > 0 {
            damages.push(format!("+ {}", report.more));
        }
        let (mut files, mut companies) = (0, 0);
        for tenant in members::tenants(&snapshot)? {
            let tx = snapshot.tenant(tenant, None);
            let lost = files::lost(&self.files, &tx)?;
            files += tx.count::<FileRecord>()?.saturating_sub(lost.len() as u64);
            companies += 1;
            let whose = names.whose(Some(tenant));
            damages.extend(lost.iter().map(|lost| format!("{whose}: upload {} {}", lost.record.media, lost.flaw)));
        }
        let verified = match &self.index {
            Index::Open(engine) => engine.verify(),
            Index::At(folder) => index::verify_folder(folder),
        };
        if self.has_damaged_pages()? {
            damages
                .push("the store has damaged pages: “atrium repair” copies what can be read into a new one".to_owned());
        }
        damages.extend(verified.err().map(|why| format!("{why}: “atrium reindex” builds it anew")));
        let (records, rows) = (report.records.values().sum(), report.rows);
        Ok(Answer::Checked(CheckReport { companies, rows, files, records, damages }))
    }

    /// Whether pages of the store are damaged. Not checked in a running server, where pages change during the check.
    fn has_damaged_pages(&self) -> Result<bool> {
        Ok(self.watch.is_none() && !self.store.has_sound_pages()?)
    }

    fn reindex(&self) -> Result<Answer> {
        let engine = self.engine()?;
        let damaged = jobs::reindex(self.store.clone(), engine.clone())?;
        Ok(Answer::Reindexed { documents: engine.documents(), damaged })
    }
}

/// Returns the tenant with a slug.
///
/// # Errors
/// `not_found`, at `tenant`, when there is none.
pub(super) fn known(store: &Store, slug: &str) -> Result<Tenant> {
    let missing = |error: Error| match error.code() {
        Code::NotFound => {
            let gaps = vec![("slug", slug.to_owned())];
            error.say("server.cli.unknown_tenant", gaps).and_field(
                "tenant",
                "errors.fields.unknown_reference",
                Vec::new(),
            )
        }
        _ => error,
    };
    tenants::operator::show(&store.snapshot()?, slug).map_err(missing)
}

/// Converts a tenant for an answer.
pub(super) fn shown(snapshot: &Snapshot, tenant: &Tenant) -> Result<TenantShown> {
    let Company { slug, name, color_scheme, layout, locale, timezone, domains, state, .. } =
        tenant.company.value.clone();
    let state = match state {
        CompanyState::Active => "active",
        CompanyState::Suspended => "suspended",
        CompanyState::Closed => "closed",
    };
    Ok(TenantShown {
        id: tenant.id.to_string(),
        members: snapshot.tenant(tenant.id, None).count::<MemberRecord>()?,
        state: state.to_owned(),
        slug,
        name,
        color_scheme,
        layout,
        locale,
        timezone,
        domains,
    })
}

/// Returns all tenants by slug; those with a damaged record come last, by id.
fn tenants(snapshot: &Snapshot) -> Result<Vec<TenantShown>> {
    let mut found = Vec::new();
    for id in members::tenants(snapshot)? {
        let company = snapshot.tenant(id, None).find_intact::<Company>(Company::id(id))?;
        found.push(match company {
            Some(company) => shown(snapshot, &Tenant { id, company })?,
            None => TenantShown {
                id: id.to_string(),
                state: "damaged".to_owned(),
                members: snapshot.tenant(id, None).count::<MemberRecord>()?,
                ..TenantShown::default()
            },
        });
    }
    found.sort_by(|a, b| (a.slug.is_empty(), &a.slug, &a.id).cmp(&(b.slug.is_empty(), &b.slug, &b.id)));
    Ok(found)
}

/// The slugs of the tenants, by id.
struct Names(BTreeMap<TenantId, String>);

impl Names {
    fn of(snapshot: &Snapshot) -> Self {
        let named = |tenant: TenantId| {
            let company = snapshot.tenant(tenant, None).find_intact::<Company>(Company::id(tenant)).ok()??;
            Some((tenant, company.value.slug))
        };
        Self(members::tenants(snapshot).unwrap_or_default().into_iter().filter_map(named).collect())
    }

    fn whose(&self, tenant: Option<TenantId>) -> String {
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
            Fault::Unreadable => "and what lies beside it cannot be read",
        };
        let kind = damage.kind.strip_prefix("table ").map_or(damage.kind.as_str(), |_| "lookup");
        format!("{}: {kind} {} {fault}", self.whose(damage.tenant), damage.row)
    }
}

fn repaired(snapshot: &Snapshot, done: operator::Repaired) -> RepairShown {
    let names = Names::of(snapshot);
    let rows = done.rows.iter().map(|(broken, outcome)| RepairedRow {
        company: names.whose(broken.damage.tenant),
        kind: broken.damage.kind.clone(),
        id: broken.damage.row.clone(),
        outcome: word(*outcome).to_owned(),
    });
    let uploads = done.uploads.iter().map(|(lost, outcome)| RepairedRow {
        company: names.whose(Some(lost.tenant)),
        kind: "upload".to_owned(),
        id: lost.record.media.clone(),
        outcome: word(*outcome).to_owned(),
    });
    RepairShown {
        done: done.rebuilt.is_some(),
        rows: rows.chain(uploads).collect(),
        others: done.others,
        rebuilt: done.rebuilt.unwrap_or(0),
        unreadable: done.unreadable,
        ..RepairShown::default()
    }
}

const fn word(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Rebuilt => "rebuilt",
        Outcome::Taken => "taken",
        Outcome::Dropped => "dropped",
        Outcome::Left => "left",
    }
}

async fn blocking<T: Send + 'static>(work: impl FnOnce() -> Result<T> + Send + 'static) -> Result<T> {
    tokio::task::spawn_blocking(work).await.unwrap_or_else(|panic| Err(Error::internal(panic)))
}
