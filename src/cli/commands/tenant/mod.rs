//! `atrium tenant`: companies. This file has their list of commands, and how a company is shown.

pub mod create;
pub mod delete;
pub mod export;
pub mod import;
pub mod list;
pub mod region;
pub mod state;
pub mod update;

use self::{
    create::CreateTenant, delete::DeleteTenant, export::ExportTenant, import::ImportTenant, update::UpdateTenant,
};
use crate::{
    cli::prelude::*,
    people::{
        members::{Company, CompanyState, MemberRecord},
        region::Region,
    },
    store::Snapshot,
};

#[derive(Debug, Subcommand)]
pub enum TenantAction {
    /// Create a company and its owner
    Create(CreateTenant),
    /// List all companies
    #[command(after_help = "Examples:
  atrium tenant list
  atrium tenant list --json")]
    List,
    /// Show a company
    #[command(after_help = "Examples:
  atrium tenant show acme
  atrium tenant show acme --json")]
    Show(TenantSlug),
    /// Change a company. What is not named stays as it is
    Update(UpdateTenant),
    /// Suspend a company: no one can sign in to it until it is resumed
    #[command(after_help = "Examples:
  atrium tenant suspend acme
  atrium tenant suspend acme --json")]
    Suspend(TenantSlug),
    /// Resume a company that was suspended, or that its owner closed
    #[command(after_help = "Examples:
  atrium tenant resume acme
  atrium tenant resume acme --json")]
    Resume(TenantSlug),
    /// Export a company into one file: records, uploads, settings, and its people with their passwords
    Export(ExportTenant),
    /// Import a company from its file
    Import(ImportTenant),
    /// Delete a company and everything in it, for good
    Delete(DeleteTenant),
}

impl TenantAction {
    pub fn command(self) -> Command {
        match self {
            Self::Create(form) => Command::CreateTenant(form),
            Self::List => Command::ListTenants,
            Self::Show(tenant) => Command::ShowTenant(tenant),
            Self::Update(form) => Command::UpdateTenant(form.with_domains()),
            Self::Suspend(tenant) => Command::SuspendTenant(tenant),
            Self::Resume(tenant) => Command::ResumeTenant(tenant),
            Self::Export(form) => Command::ExportTenant(form),
            Self::Import(form) => Command::ImportTenant(form),
            Self::Delete(form) => Command::DeleteTenant(form),
        }
    }
}

/// The company that a command acts on.
#[derive(Debug, Args, Serialize, Deserialize)]
pub struct TenantSlug {
    /// The company's slug
    pub slug: String,
}

impl TenantSlug {
    /// Shows the company.
    pub fn show(&self, context: &Context) -> Result<TenantShown> {
        TenantShown::new(&context.store.snapshot()?, &context.tenant(&self.slug)?)
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TenantShown {
    pub id: String,
    pub slug: String,
    pub name: String,
    /// `active`, `suspended`, `closed`, or `damaged`: then only its id is known.
    pub state: String,
    /// The name of a colour scheme.
    pub color_scheme: String,
    pub layout: String,
    pub locale: String,
    pub timezone: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub region: Option<Region>,
    pub domains: Vec<String>,
    pub members: u64,
}

impl TenantShown {
    pub fn new(snapshot: &Snapshot, tenant: &Tenant) -> Result<Self> {
        let company = tenant.company.value.clone();
        let region = Some(company.region());
        let Company { slug, name, color_scheme, layout, locale, timezone, domains, state, .. } = company;
        let state = match state {
            CompanyState::Active => "active",
            CompanyState::Suspended => "suspended",
            CompanyState::Closed => "closed",
        };
        let id = tenant.id.to_string();
        let state = state.to_owned();
        let members = snapshot.tenant(tenant.id, None).count::<MemberRecord>()?;
        Ok(Self { id, slug, name, state, color_scheme, layout, locale, timezone, region, domains, members })
    }

    /// Returns a sentence about the tenant: what happened to it.
    pub fn about(&self, happened: &str) -> String {
        format!("The company {} ({}) {happened}.", self.name, self.slug)
    }

    /// Returns what is printed for one tenant.
    pub fn text(&self) -> String {
        let region = self.region.as_ref().map(Region::to_string).unwrap_or_default();
        pairs(&[
            ("id", &self.id),
            ("slug", &self.slug),
            ("name", &self.name),
            ("state", &self.state),
            ("color_scheme", &self.color_scheme),
            ("layout", &self.layout),
            ("locale", &self.locale),
            ("timezone", &self.timezone),
            ("region", &region),
            ("domains", &self.domains.join(", ")),
            ("members", &self.members.to_string()),
        ])
    }
}
