//! The facts that only the open store knows, and those that only the running server knows, for `atrium doctor`.

use std::collections::BTreeMap;

use crate::{
    cli::prelude::*,
    config::{Config, shown_settings},
    http::Probe,
    kernel::{Timestamp, run_blocking},
    mail,
    monitoring::Check,
    people::{
        members::{Company, CompanyState, MemberRecord, MemberState, tenants},
        permission::Role,
    },
    store::{Snapshot, Store},
};

/// Companies that are looked at.
const MAX_COMPANIES: usize = 500;

/// Asks for facts.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Examine {
    /// A token: the server records requests with it from now on, and returns those that it already had.
    pub probe: Option<String>,
    /// Whether to verify the files of the search index, which reads all of them.
    #[serde(default)]
    pub verifies_index: bool,
}

/// Facts of the store and of the server.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServerFacts {
    /// The version of Atrium.
    pub version: String,
    /// When the newest change was made.
    pub newest_change: Option<Timestamp>,
    /// The companies.
    pub companies: Vec<CompanyFacts>,
    /// Whether the files of the search index were verified.
    #[serde(default)]
    pub has_verified_index: bool,
    /// Why the search index is damaged.
    pub index_damage: Option<String>,
    /// Rows that are known to be damaged.
    pub damaged_rows: u64,
    /// What only a running server knows.
    pub running: Option<RunningFacts>,
}

/// A company.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CompanyFacts {
    /// Its slug.
    pub slug: String,
    /// The host names that it lists.
    pub hosts: Vec<String>,
    /// Whether it is neither suspended nor closed.
    pub is_active: bool,
    /// Owners who may sign in.
    pub owners: u64,
}

/// Facts of the running server.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunningFacts {
    /// The id of its process.
    pub process: u32,
    /// Its health checks.
    pub checks: Vec<Check>,
    /// Its settings in force.
    pub settings: BTreeMap<String, String>,
    /// Emails that the mail server refused for good.
    pub refused_emails: u64,
    /// Requests with the token of [`Examine::probe`].
    pub probes: Vec<Probe>,
}

impl Examine {
    /// Gathers the facts.
    pub async fn run(self, context: &Context) -> Result<ServerFacts> {
        let context = context.clone();
        run_blocking(move || self.gather(&context)).await
    }

    /// Gathers the facts. Reads the disk.
    fn gather(&self, context: &Context) -> Result<ServerFacts> {
        let mut facts = ServerFacts::of_store(&context.store)?;
        facts.running = Some(self.ask_server(context)?);
        if self.verifies_index {
            facts.has_verified_index = true;
            facts.index_damage = context.verify_index().err().map(|error| error.to_string());
        }
        Ok(facts)
    }

    fn ask_server(&self, context: &Context) -> Result<RunningFacts> {
        let app = context.app()?;
        let is_refused = |email: &mail::ListedEmail| email.email.state == mail::State::Failed;
        Ok(RunningFacts {
            process: std::process::id(),
            checks: app.monitor.report().checks,
            settings: shown_settings(&app.config),
            refused_emails: app.mailer.list()?.iter().filter(|email| is_refused(email)).count() as u64,
            probes: self.probe.as_deref().map(|token| app.monitor.probes().expect(token)).unwrap_or_default(),
        })
    }
}

impl ServerFacts {
    /// Gathers the facts of a store. Reads the disk.
    pub fn of_store(store: &Store) -> Result<Self> {
        let snapshot = store.snapshot()?;
        let last = snapshot.last_change()?;
        let newest = snapshot.changes_after(last.saturating_sub(1), 1)?;
        Ok(Self {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            newest_change: newest.last().map(|change| change.at),
            companies: companies(&snapshot)?,
            damaged_rows: store.damaged().len() as u64,
            ..Self::default()
        })
    }
}

fn companies(snapshot: &Snapshot) -> Result<Vec<CompanyFacts>> {
    let mut found = Vec::new();
    for tenant in tenants(snapshot)?.into_iter().take(MAX_COMPANIES) {
        let tx = snapshot.tenant(tenant, None);
        // Damage is a finding of its own.
        let Some(company) = tx.find_intact::<Company>(Company::id(tenant))? else { continue };
        let mut owners = 0;
        tx.each::<MemberRecord>(|member| {
            owners += u64::from(member.role == Role::Owner && member.state == MemberState::Active);
            Ok(())
        })?;
        found.push(CompanyFacts {
            owners,
            slug: company.value.slug,
            hosts: company.value.domains,
            is_active: company.value.state == CompanyState::Active,
        });
    }
    Ok(found)
}

impl CompanyFacts {
    /// Returns the host names at which people reach the company.
    pub fn all_hosts(&self, config: &Config) -> Vec<String> {
        let named = config.base_domain.as_ref().map(|base| format!("{}.{base}", self.slug));
        named.into_iter().chain(self.hosts.iter().cloned()).collect()
    }
}
