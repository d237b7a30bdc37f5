//! Validation of tenants, and the form that creates a tenant.

use crate::{
    kernel::{Error, Result, error::Faults, i18n::Locale, text},
    people::{
        company_rules::{IDLE_MINUTES, Joining, SecondFactorRule},
        members::{Company, CompanyState, LAYOUTS, SCHEMES},
        permission::Role,
        region::RegionChoice,
    },
};

/// Maximum number of host names of a tenant.
const DOMAINS: usize = 20;
/// Reserved slugs: hosts of these names have a meaning to people, mail programs or name servers.
const RESERVED: [&str; 56] = [
    "abuse",
    "account",
    "accounts",
    "admin",
    "administrator",
    "api",
    "app",
    "apps",
    "assets",
    "auth",
    "autoconfig",
    "autodiscover",
    "cdn",
    "dns",
    "docs",
    "ftp",
    "health",
    "help",
    "host",
    "hostmaster",
    "id",
    "imap",
    "info",
    "localhost",
    "login",
    "mail",
    "media",
    "mta-sts",
    "mx",
    "news",
    "ns",
    "ns1",
    "ns2",
    "pop",
    "pop3",
    "postmaster",
    "proxy",
    "root",
    "security",
    "server",
    "sftp",
    "smtp",
    "ssh",
    "sso",
    "static",
    "status",
    "support",
    "sys",
    "system",
    "vpn",
    "webmail",
    "webmaster",
    "wpad",
    "ws",
    "www",
    "www2",
];
/// Maximum idle time of sessions that a tenant may set, in minutes; 0 means no limit.
const IDLE_MOST: u32 = 24 * 60;
/// Maximum grace period for the second factor, in days.
const GRACE_MOST: u32 = 90;
/// URL schemes of an external help link.
const SUPPORT_SCHEMES: [&str; 3] = ["http", "https", "mailto"];

/// A tenant to create.
#[derive(Clone, Debug)]
pub struct NewTenant {
    /// DNS label, unique on the installation.
    pub slug: String,
    /// The name.
    pub name: String,
    /// One of the 21 colour schemes; `default` if `None`.
    pub color_scheme: Option<String>,
    /// One of the layouts; `modern` if `None`.
    pub layout: Option<String>,
    /// The default language; `en` if `None`.
    pub locale: Option<String>,
    /// The IANA time zone; `UTC` if `None`.
    pub timezone: Option<String>,
    /// The region; what is absent is usual in the language.
    pub region: RegionChoice,
    /// Host names of the tenant.
    pub domains: Vec<String>,
    /// The first owner.
    pub owner: Owner,
}

/// The first owner of a new tenant.
#[derive(Clone, Debug)]
pub struct Owner {
    /// The name.
    pub name: String,
    /// The e-mail address, in any spelling.
    pub email: String,
}

impl NewTenant {
    /// Returns the company record, with its host names in their canonical form.
    pub(super) fn company(&self) -> Company {
        let or = |choice: &Option<String>, otherwise: &str| choice.clone().unwrap_or_else(|| otherwise.to_owned());
        Company {
            slug: self.slug.clone(),
            name: text::line(&self.name),
            logotipo_dark: None,
            logotipo_light: None,
            color_scheme: or(&self.color_scheme, "default"),
            layout: or(&self.layout, "modern"),
            locale: or(&self.locale, "en"),
            timezone: or(&self.timezone, "UTC"),
            region: self.region.clone(),
            domains: domains(&self.domains),
            support_link: None,
            idle_minutes: IDLE_MINUTES,
            second_factor: SecondFactorRule::default(),
            joining: Joining::default(),
            state: CompanyState::Active,
            closed_at: None,
        }
    }

    /// Validates all fields at once.
    /// Errors: `invalid` with every faulty field; the owner's are `ownerName` and `ownerEmail`.
    pub fn check(&self) -> Result<()> {
        let mut faults = Faults::default();
        note_faults(&self.company(), &mut faults);
        if is_reserved(&self.slug) {
            faults.add("slug", "errors.fields.slug_reserved");
        }
        faults.required("ownerName", &self.owner.name, 200);
        if text::email(&self.owner.email).is_none() {
            faults.add("ownerEmail", "errors.fields.email");
        }
        faults.into_result()
    }
}

/// Host names that are read of a list: many more than a company may have, so that the list is refused.
const MAX_NAMES_READ: usize = 500;

/// Returns host names in their canonical form: trimmed, in lower case, in IDNA's ASCII form, without duplicates. Of a list
/// that is far too long, only the first 500 are read: it is refused anyway.
pub fn domains(names: &[String]) -> Vec<String> {
    let canonical = names.iter().map(|name| {
        let name = name.trim();
        // An invalid host name stays as it is: the validation refuses it.
        idna::domain_to_ascii_strict(name).unwrap_or_else(|_| name.to_owned())
    });
    text::once_each(canonical, MAX_NAMES_READ)
}

/// Validates a company record.
/// Errors: `invalid` with every faulty field.
pub fn check(company: &Company) -> Result<()> {
    let mut faults = Faults::default();
    note_faults(company, &mut faults);
    faults.into_result()
}

/// Validates a slug.
/// Errors: `invalid` at `slug`.
pub fn check_slug(slug: &str) -> Result<()> {
    if !is_label(slug) {
        return Err(Error::field("slug", "errors.fields.slug"));
    }
    check_slug_change("", slug)
}

/// Refuses a reserved slug; a tenant that already has one may keep it.
/// Errors: `invalid` at `slug`.
pub fn check_slug_change(before: &str, after: &str) -> Result<()> {
    if before == after || !is_reserved(after) {
        Ok(())
    } else {
        Err(Error::field("slug", "errors.fields.slug_reserved"))
    }
}

/// Whether a slug is reserved.
pub(super) fn is_reserved(slug: &str) -> bool {
    RESERVED.contains(&slug)
}

fn note_faults(company: &Company, faults: &mut Faults) {
    if !is_label(&company.slug) {
        faults.add("slug", "errors.fields.slug");
    }
    faults.required("name", &company.name, 200);
    for (field, picture) in [("logotipo_dark", &company.logotipo_dark), ("logotipo_light", &company.logotipo_light)] {
        if picture.as_deref().is_some_and(|url| !url.starts_with("/media/") || !text::is_app_path(url)) {
            faults.add(field, "errors.fields.link");
        }
    }
    if !SCHEMES.contains(&company.color_scheme.as_str()) {
        faults.add("color_scheme", "errors.fields.scheme");
    }
    if !LAYOUTS.contains(&company.layout.as_str()) {
        faults.add("layout", "errors.fields.format");
    }
    if Locale::parse(&company.locale).is_none() {
        faults.add("locale", "errors.fields.locale");
    }
    if jiff::tz::TimeZone::get(&company.timezone).is_err() {
        faults.add("timezone", "errors.fields.timezone");
    }
    company.region.check(faults);
    if company
        .support_link
        .as_deref()
        .is_some_and(|to| !text::is_app_path(to) && !text::is_address(to, &SUPPORT_SCHEMES))
    {
        faults.add("supportLink", "errors.fields.link");
    }
    note_hosts(&company.domains, "domains", faults);
    let range = |most: u32| vec![("min", "0".to_owned()), ("max", most.to_string())];
    if company.idle_minutes > IDLE_MOST {
        faults.add_with("idleMinutes", "errors.fields.range", range(IDLE_MOST));
    }
    if company.second_factor.grace_days > GRACE_MOST {
        faults.add_with("secondFactor.graceDays", "errors.fields.range", range(GRACE_MOST));
    }
    let Joining { enabled, domains, role } = &company.joining;
    if *enabled && domains.is_empty() {
        faults.add("joining.domains", "errors.fields.required");
    }
    note_hosts(domains, "joining.domains", faults);
    if *role > Role::Member {
        faults.add("joining.role", "errors.fields.role");
    }
}

/// Adds a fault for each invalid host name, and for more than 20 names.
pub fn note_hosts(names: &[String], field: &str, faults: &mut Faults) {
    if names.len() > DOMAINS {
        faults.add_with(field, "errors.fields.too_many", vec![("max", DOMAINS.to_string())]);
    }
    for (place, name) in names.iter().enumerate() {
        if !is_host(name) {
            faults.add(format!("{field}.{place}"), "errors.fields.domain");
        }
    }
}

/// Whether `label` is a label of a host name (RFC 1123 §2.1) in lower case.
fn is_label(label: &str) -> bool {
    (1..=63).contains(&label.len())
        && label.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
        && !label.starts_with('-')
        && !label.ends_with('-')
}

/// Whether `name` is a host name in its canonical form; IPv4 addresses are not.
fn is_host(name: &str) -> bool {
    name.len() <= 253
        && name.split('.').all(is_label)
        && name.rsplit('.').next().is_some_and(|last| last.bytes().any(|byte| byte.is_ascii_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_only_valid_dns_labels_and_hosts() {
        for good in ["acme", "a", "a-1", "0x", &"a".repeat(63)] {
            assert!(is_label(good), "{good}");
        }
        for bad in ["", "-a", "a-", "Acme", "a.b", "a_b", "ñ", &"a".repeat(64)] {
            assert!(!is_label(bad), "{bad}");
        }
        for good in ["acme.example", "localhost", "work.acme.example", "xn--bcher-kva.example"] {
            assert!(is_host(good), "{good}");
        }
        for bad in ["", "acme..example", "acme.example:8080", "https://acme.example", "10.0.0.1", ".acme", "a b.c"] {
            assert!(!is_host(bad), "{bad}");
        }
    }

    #[test]
    fn normalizes_host_names() {
        let names = [" Work.ACME.example", "work.acme.example", "bücher.example"].map(str::to_owned);
        assert_eq!(domains(&names), ["work.acme.example", "xn--bcher-kva.example"]);
    }
}
