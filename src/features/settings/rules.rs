//! What happens to a company's settings.

use std::net::IpAddr;

use crate::{
    access::{
        audit::{self, Event},
        members::Company,
    },
    features::{files, tenants},
    kernel::{Error, Result},
    store::{Stored, TenantWrite},
};

/// Changes the company, and notes which settings changed.
///
/// # Errors
/// `invalid` with every field that breaks a rule; `conflict` at `slug` or `domains` when another company has it;
/// `stale_version`.
pub fn change(
    tx: &TenantWrite<'_>,
    expected: Option<u64>,
    from: IpAddr,
    base_domain: Option<&str>,
    change: impl FnOnce(&mut Company),
) -> Result<Stored<Company>> {
    let before = Company::of(tx)?.value;
    let after = tx.update(Company::id(tx.tenant()), expected, |company| {
        change(company);
        tenants::check(company)?;
        let new = |name: &&String| !before.domains.contains(name);
        if let Some(taken) = company.domains.iter().filter(new).find(|name| belongs(name, base_domain)) {
            let place = company.domains.iter().position(|name| name == taken).unwrap_or_default();
            return Err(Error::field(format!("domains.{place}"), "errors.fields.domain_reserved"));
        }
        let (dark, light) = (company.logotipo_dark.as_deref(), company.logotipo_light.as_deref());
        files::may_show(tx, "logotipo_dark", dark, before.logotipo_dark.as_deref())?;
        files::may_show(tx, "logotipo_light", light, before.logotipo_light.as_deref())
    })?;
    let changed = changed(&before, &after);
    if !changed.is_empty() {
        let event = Event::new("company.changed").about(after.id, after.name.clone());
        audit::note(tx, event.with("fields", changed.join(", ")).from(from.to_string()))?;
    }
    Ok(after)
}

/// Whether a host name is the installation's to give: its base domain, and all below, where companies are found by
/// their slugs. Whoever could list another's would be shown in their place.
fn belongs(name: &str, base_domain: Option<&str>) -> bool {
    base_domain.is_some_and(|base| name.strip_suffix(base).is_some_and(|rest| rest.is_empty() || rest.ends_with('.')))
}

/// The names of the settings that changed, as the call names them.
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
        ("domains", before.domains != after.domains),
        ("supportLink", before.support_link != after.support_link),
        ("idleMinutes", before.idle_minutes != after.idle_minutes),
        ("secondFactor", before.second_factor != after.second_factor),
        ("joining", before.joining != after.joining),
    ];
    settings.into_iter().filter(|(_, changed)| *changed).map(|(name, _)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_below_the_base_domain_is_the_installations() {
        for taken in ["atrium.example", "acme.atrium.example", "a.b.atrium.example"] {
            assert!(belongs(taken, Some("atrium.example")), "{taken}");
        }
        for free in ["myatrium.example", "acme.example", "atrium.example.org"] {
            assert!(!belongs(free, Some("atrium.example")), "{free}");
        }
        assert!(!belongs("acme.example", None));
    }
}
