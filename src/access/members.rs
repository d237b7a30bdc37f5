//! The people and the company itself, as sign-in must know them: who belongs to which tenant, with
//! which role, and whether they may come in.

use poem_openapi::Enum;
use serde::{Deserialize, Serialize};

use super::{
    company_rules::{self, Joining, SecondFactorRule},
    permission::Role,
};
use crate::{
    config::Config,
    kernel::{Document, Error, Heading, Id, MemberId, Result, TenantId, Timestamp, i18n::Locale, text},
    live::presence::PresenceState,
    store::{Counters, Lookups, Record, Snapshot, Stored, TenantRead, TenantRecord, TenantWrite},
};

/// The names of all colour schemes (specification §1).
pub use crate::config::COLOR_SCHEMES as SCHEMES;

/// The names of all layouts (specification §2).
pub const LAYOUTS: [&str; 11] = [
    "empty",
    "centered",
    "enterprise",
    "material",
    "modern",
    "classic",
    "classy",
    "compact",
    "dense",
    "futuristic",
    "thin",
];

/// Members of all tenants by e-mail address.
const GLOBAL_EMAIL: u16 = 1_001;
/// Members of a tenant by e-mail address.
pub const MEMBERS_BY_EMAIL: u16 = 1_002;
/// Members of a tenant by folded name.
pub const MEMBERS_BY_NAME: u16 = 1_003;
/// Members by their account at a provider of single sign-on.
pub const MEMBERS_BY_SIGN_ON: u16 = 1_008;
/// Tenants by slug.
const GLOBAL_SLUG: u16 = 1_004;
/// Tenants by host name.
const GLOBAL_DOMAIN: u16 = 1_005;

/// Whether a member may come in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Enum)]
#[oai(rename_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub enum MemberState {
    /// Asked to come, and not come yet.
    Invited,
    /// Has not shown yet that the address is theirs.
    Unconfirmed,
    /// May come in.
    Active,
    /// May not come in.
    Suspended,
}

/// What a member shows of their being there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Enum)]
#[oai(rename_all = "kebab-case")]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// There.
    #[default]
    Online,
    /// Back soon.
    Away,
    /// Not to be disturbed.
    Busy,
    /// There, and nobody's business.
    NotVisible,
}

impl Status {
    const ALL: [Self; 4] = [Self::Online, Self::Away, Self::Busy, Self::NotVisible];

    /// Its name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Online => "online",
            Self::Away => "away",
            Self::Busy => "busy",
            Self::NotVisible => "not-visible",
        }
    }

    /// The one with a name; not visible without one.
    #[must_use]
    pub fn named(name: Option<&str>) -> Self {
        Self::ALL.into_iter().find(|status| Some(status.as_str()) == name).unwrap_or(Self::NotVisible)
    }
}

/// What others see of a member's being there, from the status that the member chose and whether they are.
#[must_use]
pub const fn effective(chosen: Status, there: Option<PresenceState>) -> Status {
    match (chosen, there) {
        (Status::NotVisible, _) | (_, None) => Status::NotVisible,
        (Status::Busy, _) => Status::Busy,
        (Status::Away, _) | (Status::Online, Some(PresenceState::Idle)) => Status::Away,
        (Status::Online, Some(PresenceState::Active)) => Status::Online,
    }
}

/// A person of a tenant's staff.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MemberRecord {
    /// The name.
    pub name: String,
    /// The address in its canonical form; unique in the tenant.
    pub email: String,
    /// Address of a picture.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub avatar: Option<String>,
    /// The role.
    pub role: Role,
    /// Whether they may come in.
    pub state: MemberState,
    /// What they chose to show.
    #[serde(default)]
    pub status: Status,
    /// Job title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Phone number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phone: Option<String>,
    /// A few words about them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
    /// Language of their own; the company's when they chose none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub locale: Option<String>,
    /// Time zone of their own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timezone: Option<String>,
    /// Layout of their own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layout: Option<String>,
    /// Colour scheme of their own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scheme: Option<String>,
    /// Who they are to the provider of single sign-on by which they first signed in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sign_on: Option<SignOn>,
}

/// An account at a provider of single sign-on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignOn {
    /// The provider.
    pub issuer: String,
    /// The account (`sub`): the same for ever, whatever address it has.
    pub subject: String,
}

impl SignOn {
    /// The value by which its member is found.
    #[must_use]
    pub fn place(&self) -> Vec<u8> {
        [self.issuer.as_bytes(), b"\0", self.subject.as_bytes()].concat()
    }
}

impl MemberRecord {
    /// The language that the member reads: their own choice, else the company's; English where neither is
    /// offered any more.
    #[must_use]
    pub fn reads(&self, company: &Company) -> Locale {
        let chosen = self.locale.as_deref().and_then(Locale::parse);
        chosen.or_else(|| Locale::parse(&company.locale)).unwrap_or(Locale::EN)
    }
}

impl Record for MemberRecord {
    const KIND: &'static str = "member";
    const TABLE: u16 = 10;
    fn lookups(record: &Stored<Self>, out: &mut Lookups) {
        out.unique(MEMBERS_BY_EMAIL, "email", &record.email);
        out.multi(MEMBERS_BY_NAME, text::fold(&record.name));
        out.global(GLOBAL_EMAIL, &record.email);
        if let Some(account) = &record.sign_on {
            out.unique(MEMBERS_BY_SIGN_ON, "sign_on", account.place());
        }
    }
    fn counters(record: &Stored<Self>, out: &mut Counters) {
        if record.role == Role::Owner && record.state == MemberState::Active {
            out.add("members/owners", 1);
        }
    }
    fn document(record: &Stored<Self>) -> Option<Document> {
        let keywords = [Some(record.email.clone()), record.phone.clone()];
        Some(Document {
            group: Heading::Contacts,
            kind: Self::KIND,
            id: *record.id.as_bytes(),
            circle: None,
            title: record.name.clone(),
            subtitle: record.title.clone(),
            keywords: keywords.into_iter().flatten().collect(),
            body: record.about.clone().unwrap_or_default(),
            avatar: record.avatar.clone(),
            completed: false,
            at: record.updated_at.millis(),
        })
    }
    fn title(&self) -> Option<String> {
        Some(self.name.clone())
    }
}
impl TenantRecord for MemberRecord {}

/// What a member proves themselves with. Lies under the member's id, and is never in the ledger.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Credentials {
    /// The password's argon2id hash in PHC form.
    pub password: String,
    /// When it was set.
    pub changed_at: Timestamp,
}

impl Record for Credentials {
    const KIND: &'static str = "credentials";
    const TABLE: u16 = 11;
    const LEDGER: bool = false;
}
impl TenantRecord for Credentials {}

/// Keeps what a member proves themselves with, in the place of what was kept before.
///
/// # Errors
/// `busy` or `internal` when it cannot be kept.
pub fn keep_credentials(tx: &TenantWrite<'_>, member: Id<MemberRecord>, credentials: Credentials) -> Result<()> {
    if tx.find_intact::<Credentials>(member.cast())?.is_none() {
        return tx.create_at(member.cast(), credentials).map(drop);
    }
    let keep = |kept: &mut Credentials| {
        *kept = credentials;
        Ok(())
    };
    tx.update(member.cast(), None, keep).map(drop)
}

/// Whether a tenant's people may work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Enum)]
#[oai(rename_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub enum CompanyState {
    /// They may.
    Active,
    /// Nobody of them may.
    Suspended,
    /// Nobody of them may, and the data is erased after a while.
    Closed,
}

/// A tenant: the company itself. Lies under the tenant's own id.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Company {
    /// DNS label, unique on the installation.
    pub slug: String,
    /// Its name.
    pub name: String,
    /// Picture for dark ink on light ground.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logotipo_dark: Option<String>,
    /// Picture for light ink on dark ground.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logotipo_light: Option<String>,
    /// One of `SCHEMES`.
    pub color_scheme: String,
    /// One of `LAYOUTS`.
    pub layout: String,
    /// Language of what is nobody's own.
    pub locale: String,
    /// IANA name.
    pub timezone: String,
    /// Host names under which it is found.
    #[serde(default)]
    pub domains: Vec<String>,
    /// Where its people find help; the built-in help when none is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub support_link: Option<String>,
    /// Minutes of idling after which a session is locked; 0 for never.
    #[serde(default = "company_rules::idle_minutes", skip_serializing_if = "company_rules::usual_idling")]
    pub idle_minutes: u32,
    /// Whether its people need a second factor.
    #[serde(default, skip_serializing_if = "company_rules::usual")]
    pub second_factor: SecondFactorRule,
    /// Who may join it without being asked.
    #[serde(default, skip_serializing_if = "company_rules::usual")]
    pub joining: Joining,
    /// Whether its people may work.
    pub state: CompanyState,
    /// When its owner closed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closed_at: Option<Timestamp>,
}

impl Record for Company {
    const KIND: &'static str = "company";
    const TABLE: u16 = 12;
    fn lookups(record: &Stored<Self>, out: &mut Lookups) {
        out.global_unique(GLOBAL_SLUG, "slug", &record.slug);
        for domain in &record.domains {
            out.global_unique(GLOBAL_DOMAIN, "domains", domain);
        }
    }
    fn title(&self) -> Option<String> {
        Some(self.name.clone())
    }
    fn is_passing(&self) -> bool {
        self.state == CompanyState::Closed && self.closed_at == Some(passing())
    }
}
impl TenantRecord for Company {}

/// When a company was closed that is being erased, or that is not wholly brought in yet: so long ago that its
/// erasing is due at once.
#[must_use]
pub fn passing() -> Timestamp {
    Timestamp::from_millis(0)
}

impl Company {
    /// Under which id a tenant's company lies.
    #[must_use]
    pub const fn id(tenant: TenantId) -> Id<Self> {
        Id::from_bytes(*tenant.as_bytes())
    }

    /// The company of a tenant.
    ///
    /// # Errors
    /// `not_found` when the tenant is gone.
    pub fn of(tx: &TenantRead<'_>) -> Result<Stored<Self>> {
        tx.get(Self::id(tx.tenant()))
    }
}

/// A member who may come in, with their company.
#[derive(Clone, Debug)]
pub struct Colleague {
    /// The member.
    pub member: Stored<MemberRecord>,
    /// The company.
    pub company: Stored<Company>,
}

impl Colleague {
    /// The member with this id; none when there is no such member, or they, or all of their company, may
    /// not come in.
    ///
    /// # Errors
    /// `busy` or `internal` when it cannot be read.
    pub fn find(tx: &TenantRead<'_>, id: MemberId) -> Result<Option<Self>> {
        let member = tx.find::<MemberRecord>(id.cast())?.filter(|member| member.state == MemberState::Active);
        let company = tx.find(Company::id(tx.tenant()))?.filter(|company| company.state == CompanyState::Active);
        Ok(member.zip(company).map(|(member, company)| Self { member, company }))
    }

    /// The language that the member reads: their own choice, else the company's.
    #[must_use]
    pub fn locale(&self) -> Locale {
        self.member.reads(&self.company)
    }

    /// The time zone that the member lives in: their own choice, else the company's.
    #[must_use]
    pub fn timezone(&self) -> &str {
        self.member.timezone.as_deref().unwrap_or(&self.company.timezone)
    }
}

/// All tenants, by the records by which they exist: what leads to one may be damaged.
///
/// # Errors
/// `busy` or `damaged` when they cannot be read.
pub fn tenants(snapshot: &Snapshot) -> Result<Vec<TenantId>> {
    snapshot.tenants::<Company>(usize::MAX)
}

/// The tenant with a slug.
///
/// # Errors
/// `not_found` when there is none.
pub fn tenant_by_slug(snapshot: &Snapshot, slug: &str) -> Result<TenantId> {
    let found = first(snapshot, GLOBAL_SLUG, slug, |company| company.slug == slug)?;
    found.ok_or_else(Error::not_found)
}

/// The tenant with a value in a global lookup. Where rows of the lookup are damaged, the companies' records tell.
fn first(snapshot: &Snapshot, lookup: u16, value: &str, has: impl Fn(&Company) -> bool) -> Result<Option<TenantId>> {
    if let Some((tenant, _)) = snapshot.global::<Company>(lookup, value)?.first() {
        return Ok(Some(*tenant));
    }
    if !snapshot.is_hurt(lookup) {
        return Ok(None);
    }
    for tenant in tenants(snapshot)? {
        let company = snapshot.tenant(tenant, None).find_intact(Company::id(tenant))?;
        if company.is_some_and(|company| has(&company)) {
            return Ok(Some(tenant));
        }
    }
    Ok(None)
}

/// Reads the ways that lead to companies once, so that it is known from the start which of them are damaged.
///
/// # Errors
/// `busy` or `damaged` when they cannot be read.
pub fn look_through(snapshot: &Snapshot) -> Result<()> {
    for lookup in [GLOBAL_SLUG, GLOBAL_DOMAIN, GLOBAL_EMAIL] {
        snapshot.global_all::<Company>(lookup)?;
    }
    Ok(())
}

/// Whether a company of the installation has a host name.
///
/// # Errors
/// `busy` or `internal` when it cannot be read.
pub fn has_domain(snapshot: &Snapshot, host: &str) -> Result<bool> {
    Ok(named(snapshot, host)?.is_some())
}

/// The tenant that a host name stands for (product §2): `{slug}.{base_domain}`, a listed domain, or the only one there
/// is.
///
/// # Errors
/// `busy` or `internal` when they cannot be read.
pub fn tenant_by_host(snapshot: &Snapshot, host: &str, config: &Config) -> Result<Option<TenantId>> {
    let named = tenant_named_by(snapshot, &without_port(host).to_ascii_lowercase(), config)?;
    if named.is_some() {
        return Ok(named);
    }
    Ok(match snapshot.tenants::<Company>(2)?.as_slice() {
        [only] => Some(*only),
        _ => None,
    })
}

/// A host as requests name it, without its port.
pub(super) fn without_port(host: &str) -> &str {
    host.rsplit_once(':').map_or(
        host,
        |(name, port)| {
            if port.bytes().all(|byte| byte.is_ascii_digit()) { name } else { host }
        },
    )
}

/// The tenant whose own name a host is, in small letters and without a port. The installation's own hosts are no
/// tenant's, also where one listed them once.
pub(super) fn tenant_named_by(snapshot: &Snapshot, host: &str, config: &Config) -> Result<Option<TenantId>> {
    if config.is_own_host(host) {
        return Ok(None);
    }
    let label = config.base_domain.as_deref().and_then(|base| host.strip_suffix(base)?.strip_suffix('.'));
    if let Some(slug) = label
        && let Some(tenant) = first(snapshot, GLOBAL_SLUG, slug, |company| company.slug == slug)?
    {
        return Ok(Some(tenant));
    }
    named(snapshot, host)
}

/// The tenant that lists a host name.
fn named(snapshot: &Snapshot, host: &str) -> Result<Option<TenantId>> {
    first(snapshot, GLOBAL_DOMAIN, host, |company| company.domains.iter().any(|domain| domain == host))
}

/// The members, of all tenants, who have an address. Only for who decides nothing about the answer by it.
///
/// # Errors
/// `busy` or `internal` when they cannot be read.
pub fn by_email(snapshot: &Snapshot, email: &str) -> Result<Vec<(TenantId, MemberId)>> {
    let found = snapshot.global::<MemberRecord>(GLOBAL_EMAIL, email)?;
    let mut found: Vec<(TenantId, MemberId)> = found.into_iter().map(|(tenant, id)| (tenant, id.cast())).collect();
    if snapshot.is_hurt(GLOBAL_EMAIL) {
        // Each company knows its own.
        for tenant in tenants(snapshot)? {
            let member = snapshot.tenant(tenant, None).by::<MemberRecord>(MEMBERS_BY_EMAIL, email);
            let member = member.ok().flatten().map(|member| (tenant, member.id.cast()));
            found.extend(member.filter(|one| !found.contains(one)));
        }
    }
    Ok(found)
}
