//! Operator commands for existing tenants: change, suspend and resume.

use serde::{Deserialize, Serialize};

use crate::{
    access::sessions,
    config::Config,
    features::{notifications::ParamValue, operator::notify_admins, tenants},
    kernel::{Code, Error, Result, TenantId, text},
    mail::{self, Email, Kind},
    people::{
        audit::{self, Event},
        members::{self, Company, CompanyState},
        region::RegionChoice,
    },
    store::{Actor, Record as _, Snapshot, Store, Stored, TenantWrite},
};

/// Changes to a tenant. `None` leaves a field as it is.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Changes {
    /// DNS label, unique on the installation.
    pub slug: Option<String>,
    /// The name.
    pub name: Option<String>,
    /// One of the 21 colour schemes.
    pub color_scheme: Option<String>,
    /// One of the layouts.
    pub layout: Option<String>,
    /// The default language.
    pub locale: Option<String>,
    /// IANA time zone.
    pub timezone: Option<String>,
    /// What changes in the region.
    #[serde(default)]
    pub region: RegionChoice,
    /// All host names of the tenant.
    pub domains: Option<Vec<String>>,
}

/// Changes a tenant.
/// Errors: `invalid` with all faulty fields; `conflict` at `slug` or `domains` when another tenant has it.
pub async fn update(store: &Store, tenant: TenantId, changes: Changes) -> Result<Stored<Company>> {
    let work = move |tx: &TenantWrite<'_>| {
        let before = Company::of(tx)?;
        let after = tx.update::<Company>(Company::id(tenant), None, |company| {
            let Changes { slug, name, color_scheme, layout, locale, timezone, region, domains } = changes;
            let put = |field: &mut String, value: Option<String>| {
                if let Some(value) = value {
                    *field = value;
                }
            };
            put(&mut company.slug, slug);
            put(&mut company.name, name.as_deref().map(text::line));
            put(&mut company.color_scheme, color_scheme);
            put(&mut company.layout, layout);
            put(&mut company.locale, locale);
            put(&mut company.timezone, timezone);
            company.region.extend(region);
            if let Some(domains) = domains {
                company.domains = tenants::domains(&domains);
            }
            tenants::check(company)?;
            tenants::check_slug_change(&before.slug, &company.slug)
        })?;
        if before.version == after.version {
            return Ok(after);
        }
        let fields = [
            ("slug", "ui.audit.fields.slug", before.slug != after.slug),
            ("name", "ui.audit.fields.name", before.name != after.name),
            ("color_scheme", "ui.audit.fields.color_scheme", before.color_scheme != after.color_scheme),
            ("layout", "ui.audit.fields.layout", before.layout != after.layout),
            ("locale", "ui.audit.fields.locale", before.locale != after.locale),
            ("timezone", "ui.audit.fields.timezone", before.timezone != after.timezone),
            ("domains", "ui.audit.fields.domains", before.domains != after.domains),
        ];
        let changed = || fields.iter().filter(|(_, _, changed)| *changed);
        let names = changed().map(|(name, _, _)| *name).collect::<Vec<_>>().join(", ");
        audit::write(tx, Event::new("operator.tenant_update").about_company(&after).with("fields", &names))?;
        let fields = ParamValue::TextKeys(changed().map(|(_, key, _)| *key).collect());
        notify(tx, "server.operator.tenant_update", &after, Some(("fields", fields)))?;
        Ok(after)
    };
    store.write(tenant, Actor::Operator, work).await.map(|(company, _)| company)
}

/// Returns the tenants' host names that have no effect because they now belong to the installation, each with its
/// tenant's slug. Unreadable tenants are skipped.
pub fn ignored_hosts(snapshot: &Snapshot, config: &Config) -> Vec<(String, String)> {
    let mut ignored = Vec::new();
    for tenant in members::tenants(snapshot).unwrap_or_default() {
        if let Ok(company) = Company::of(&snapshot.tenant(tenant, None)) {
            let own = company.domains.iter().filter(|name| config.is_own_host(name));
            ignored.extend(own.map(|name| (company.slug.clone(), name.clone())));
        }
    }
    ignored
}

/// Suspends a tenant: all further requests of its members are refused. A suspended tenant stays as it is.
/// Errors: `conflict` when its owner closed it.
pub async fn suspend(store: &Store, tenant: TenantId) -> Result<Stored<Company>> {
    let work = move |tx: &TenantWrite<'_>| {
        let before = Company::of(tx)?;
        match before.state {
            CompanyState::Active => {}
            CompanyState::Suspended => return Ok(before),
            CompanyState::Closed => return Err(conflict("errors.company_closed")),
        }
        // State, audit entry and notifications are one write: afterwards no member of the tenant can be reached in the
        // application.
        let company = set_state(tx, CompanyState::Suspended)?;
        audit::write(tx, Event::new("operator.tenant_suspend").about_company(&company))?;
        notify(tx, "server.operator.tenant_suspend", &company, None)?;
        write_owners(tx, &company, "tenant_suspend")?;
        Ok(company)
    };
    store.write(tenant, Actor::Operator, work).await.map(|(company, _)| company)
}

/// Resumes a tenant that was suspended, or that its owner closed: then no session or link from before is valid again. An
/// active tenant stays as it is.
/// Errors: `conflict` when it is already being erased.
pub async fn resume(store: &Store, tenant: TenantId) -> Result<Stored<Company>> {
    if Company::of(&store.snapshot()?.tenant(tenant, None))?.state == CompanyState::Closed {
        sessions::end_company(store, tenant).await?;
    }
    let work = move |tx: &TenantWrite<'_>| {
        let before = Company::of(tx)?;
        if before.is_being_erased_or_imported() {
            return Err(conflict("errors.company_deleting"));
        }
        if before.state == CompanyState::Active {
            return Ok(before);
        }
        let company = set_state(tx, CompanyState::Active)?;
        audit::write(tx, Event::new("operator.tenant_resume").about_company(&company))?;
        notify(tx, "server.operator.tenant_resume", &company, None)?;
        write_owners(tx, &company, "tenant_resume")?;
        Ok(company)
    };
    store.write(tenant, Actor::Operator, work).await.map(|(company, _)| company)
}

fn set_state(tx: &TenantWrite<'_>, state: CompanyState) -> Result<Stored<Company>> {
    tx.update::<Company>(Company::id(tx.tenant()), None, |company| {
        (company.state, company.closed_at) = (state, None);
        Ok(())
    })
}

fn conflict(text: &'static str) -> Error {
    Error::new(Code::Conflict).say(text, Vec::new())
}

/// Notifies the administrators of a change to their tenant.
fn notify(
    tx: &TenantWrite<'_>,
    key: &'static str,
    company: &Stored<Company>,
    more: Option<(&'static str, ParamValue)>,
) -> Result<()> {
    let mut params = vec![("company", ParamValue::Text(company.name.clone()))];
    params.extend(more);
    notify_admins(tx, key, "shield-alert", params, "/settings/company")
}

/// E-mails the owners, because they may be unable to sign in and read the notification.
fn write_owners(tx: &TenantWrite<'_>, company: &Stored<Company>, command: &'static str) -> Result<()> {
    for owner in members::owners(tx)? {
        let params = vec![("company".to_owned(), company.name.clone())];
        let kind = Kind::Operator { command: command.to_owned(), params };
        let email = Email::new(kind, &owner.email, &owner.name, owner.language(company));
        mail::queue(tx, email.for_member(owner.id))?;
    }
    Ok(())
}
