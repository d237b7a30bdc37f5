//! Rules for changing a tenant's settings.

use std::net::IpAddr;

use crate::{
    features::{files, tenants},
    kernel::{Error, Result, error::Faults},
    people::{
        audit::{self, Event},
        members::Company,
    },
    store::{Stored, TenantWrite},
};

/// Changes the tenant, and writes an audit entry with the names of the changed settings.
/// Errors: `invalid` with every faulty field; `conflict` at `slug` or `domains` when another tenant has it;
/// `stale_version`.
pub fn change(
    tx: &TenantWrite<'_>,
    expected: Option<u64>,
    from: IpAddr,
    change: impl FnOnce(&mut Company),
) -> Result<Stored<Company>> {
    let before = Company::of(tx)?.value;
    let after = tx.update(Company::id(tx.tenant()), expected, |company| {
        change(company);
        tenants::check(company)?;
        tenants::check_slug_change(&before.slug, &company.slug)?;
        // Requests to a listed host name lead to the tenant: only the operator, who knows that the tenant owns it, may
        // add one.
        if let Some(place) = company.domains.iter().position(|name| !before.domains.contains(name)) {
            return Err(Error::field(format!("domains.{place}"), "errors.fields.domain_operator"));
        }
        let dark = company.logotipo_dark.as_deref();
        let light = company.logotipo_light.as_deref();
        let mut faults = Faults::default();
        files::check_picture(tx, "logotipo_dark", dark, before.logotipo_dark.as_deref(), &mut faults)?;
        files::check_picture(tx, "logotipo_light", light, before.logotipo_light.as_deref(), &mut faults)?;
        faults.into_result()
    })?;
    let changed = changed(&before, &after);
    if !changed.is_empty() {
        let event = Event::new("company.changed").about_company(&after);
        audit::write(tx, event.with("fields", changed.join(", ")).from_address(from.to_string()))?;
    }
    Ok(after)
}

/// Returns the names of the changed settings, as the API spells them.
fn changed(before: &Company, after: &Company) -> Vec<&'static str> {
    let settings = [
        ("name", before.name != after.name),
        ("slug", before.slug != after.slug),
        ("logotipo_dark", before.logotipo_dark != after.logotipo_dark),
        ("logotipo_light", before.logotipo_light != after.logotipo_light),
        ("color_scheme", before.color_scheme != after.color_scheme),
        ("layout", before.layout != after.layout),
        ("locale", before.locale != after.locale),
        ("timezone", before.timezone != after.timezone),
        ("region", before.region != after.region),
        ("domains", before.domains != after.domains),
        ("supportLink", before.support_link != after.support_link),
        ("idleMinutes", before.idle_minutes != after.idle_minutes),
        ("secondFactor", before.second_factor != after.second_factor),
        ("joining", before.joining != after.joining),
    ];
    settings.into_iter().filter(|(_, changed)| *changed).map(|(name, _)| name).collect()
}
