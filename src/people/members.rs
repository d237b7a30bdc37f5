//! Members and companies, as far as signing in needs them: who belongs to which tenant, with which role, and whether
//! they may sign in.

use std::sync::Arc;

use poem_openapi::Enum;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use crate::{
    config::Config,
    kernel::{
        Document, Error, FieldText, Heading, Id, MemberId, Result, TenantId, Timestamp, i18n::Locale, is_default,
        media::media_of, text,
    },
    live::presence::PresenceState,
    people::{
        company_rules::{self, Joining, SecondFactorRule},
        permission::Role,
        region::{Region, RegionChoice},
    },
    store::{Counters, LastRead, Lookups, Record, Snapshot, Stored, TenantRead, TenantRecord, TenantWrite},
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

/// Global index of members by e-mail address.
const GLOBAL_EMAIL: u16 = 1_001;
/// Index of a tenant's members by e-mail address.
pub const MEMBERS_BY_EMAIL: u16 = 1_002;
/// Index of a tenant's members by folded name.
pub const MEMBERS_BY_NAME: u16 = 1_003;
/// Index of a tenant's members by their account at a single sign-on provider.
pub const MEMBERS_BY_SIGN_ON: u16 = 1_008;
/// Index of a tenant's active administrators and owners.
const ADMINISTRATORS: u16 = 1_009;
/// Their value in it.
const IS_ADMINISTRATOR: &[u8] = b"1";
/// Index of a tenant's members by their pictures.
pub const MEMBERS_BY_FILE: u16 = 1_280;
/// Global index of tenants by slug.
const GLOBAL_SLUG: u16 = 1_004;
/// Global index of tenants by host name.
const GLOBAL_DOMAIN: u16 = 1_005;

/// Whether a member may sign in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Enum)]
#[oai(rename_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub enum MemberState {
    /// The member is invited, and has not accepted yet.
    Invited,
    /// The member has not confirmed their address yet.
    Unconfirmed,
    /// The member may sign in.
    Active,
    /// The member may not sign in.
    Suspended,
}

/// The status that a member shows to colleagues.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Enum)]
#[oai(rename_all = "kebab-case")]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// Present.
    #[default]
    Online,
    /// Away for a while.
    Away,
    /// Not to be disturbed.
    Busy,
    /// Shown as not present.
    NotVisible,
}

impl Status {
    const ALL: [Self; 4] = [Self::Online, Self::Away, Self::Busy, Self::NotVisible];

    /// Its name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Online => "online",
            Self::Away => "away",
            Self::Busy => "busy",
            Self::NotVisible => "not-visible",
        }
    }

    /// Returns the status with a name; not visible without one.
    pub fn named(name: Option<&str>) -> Self {
        Self::ALL.into_iter().find(|status| Some(status.as_str()) == name).unwrap_or(Self::NotVisible)
    }
}

/// Returns the status that others see, from the one that the member chose and their presence.
pub const fn visible_status(chosen: Status, presence: Option<PresenceState>) -> Status {
    match (chosen, presence) {
        (Status::NotVisible, _) | (_, None) => Status::NotVisible,
        (Status::Busy, _) => Status::Busy,
        (Status::Away, _) | (Status::Online, Some(PresenceState::Idle)) => Status::Away,
        (Status::Online, Some(PresenceState::Active)) => Status::Online,
    }
}

/// A member of a tenant.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MemberRecord {
    /// The name.
    pub name: String,
    /// The address in its canonical form; unique in the tenant.
    pub email: String,
    /// URL of a picture.
    pub avatar: Option<String>,
    /// The role.
    pub role: Role,
    /// Whether they may sign in.
    pub state: MemberState,
    /// The status that they chose.
    #[serde(default)]
    pub status: Status,
    /// Job title.
    pub title: Option<String>,
    /// Phone number.
    pub phone: Option<String>,
    /// A few words about them.
    pub about: Option<String>,
    /// Their own language; the company's when absent.
    pub locale: Option<String>,
    /// Their own time zone; the company's when absent.
    pub timezone: Option<String>,
    /// What they have chosen of their region.
    #[serde(default, skip_serializing_if = "is_default")]
    pub region: RegionChoice,
    /// Their own layout.
    pub layout: Option<String>,
    /// Their own colour scheme.
    pub scheme: Option<String>,
    /// Their account at the single sign-on provider by which they first signed in.
    pub sign_on: Option<SignOn>,
}

/// An account at a single sign-on provider.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignOn {
    /// The provider.
    pub issuer: String,
    /// The account's id there (`sub`), which stays the same when its address changes.
    pub subject: String,
}

impl SignOn {
    /// Returns the key of this account in the index.
    pub fn index_key(&self) -> Vec<u8> {
        [self.issuer.as_bytes(), b"\0", self.subject.as_bytes()].concat()
    }
}

impl MemberRecord {
    /// Returns the member's language: their own choice, else the company's; English when neither is offered any more.
    pub fn language(&self, company: &Company) -> Locale {
        let chosen = self.locale.as_deref().and_then(Locale::parse);
        chosen.unwrap_or_else(|| company.language())
    }

    /// Returns the member's region: their own choices, else the company's. Dates, times and weeks that neither has chosen
    /// follow the member's language. Country and currency never do: they are those of the company's customers, whatever
    /// language a member reads.
    pub fn region(&self, company: &Company) -> Region {
        let Region { date_format, time_format, first_day, .. } = Region::of_language(self.language(company));
        let usual = Region { date_format, time_format, first_day, ..Region::of_language(company.language()) };
        self.region.over(company.region.over(usual))
    }
}

/// Returns up to `most` active administrators and owners of a tenant, those first who were added first.
pub fn administrators(tx: &TenantRead<'_>, most: usize) -> Result<Vec<MemberId>> {
    tx.ids_beginning::<MemberRecord>(ADMINISTRATORS, IS_ADMINISTRATOR, most)
}

/// Returns the active owners of a tenant among its first 1,000 administrators.
pub fn owners(tx: &TenantRead<'_>) -> Result<Vec<Stored<MemberRecord>>> {
    let mut owners = Vec::new();
    for id in administrators(tx, 1_000)? {
        owners.extend(tx.find_intact::<MemberRecord>(id)?.filter(|member| member.role == Role::Owner));
    }
    Ok(owners)
}

impl Record for MemberRecord {
    type Key = crate::kernel::Person;
    const KIND: &'static str = "member";
    const TABLE: u16 = 10;
    fn lookups(record: &Stored<Self>, out: &mut Lookups) {
        out.unique(MEMBERS_BY_EMAIL, "email", &record.email);
        out.multi(MEMBERS_BY_NAME, text::fold(&record.name));
        out.global(GLOBAL_EMAIL, &record.email);
        if let Some(account) = &record.sign_on {
            out.unique(MEMBERS_BY_SIGN_ON, "sign_on", account.index_key());
        }
        if record.role >= Role::Admin && record.state == MemberState::Active {
            out.multi(ADMINISTRATORS, IS_ADMINISTRATOR);
        }
        if let Some(media) = record.avatar.as_deref().and_then(media_of) {
            out.multi(MEMBERS_BY_FILE, media);
        }
    }
    fn counters(record: &Stored<Self>, out: &mut Counters) {
        if record.role == Role::Owner && record.state == MemberState::Active {
            out.add("members/owners", 1);
        }
    }
    fn document(record: &Stored<Self>) -> Option<Document> {
        let email = FieldText::of("email", text::spellings_of_email(&record.email));
        Some(Document {
            subtitle: FieldText::of("title", record.title.as_deref()).collect(),
            keywords: email.chain(FieldText::of("phone", record.phone.as_deref())).collect(),
            body: FieldText::of("about", record.about.as_deref()).collect(),
            avatar: record.avatar.clone(),
            ..record.document(Heading::Contacts, &record.name)
        })
    }
    fn title(&self) -> Option<String> {
        Some(self.name.clone())
    }
}
impl TenantRecord for MemberRecord {}

/// A member's password. Stored under the member's id, and never in the ledger.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Credentials {
    /// The password's argon2id hash in PHC form.
    pub password: String,
    /// When it was set.
    pub changed_at: Timestamp,
}

impl Record for Credentials {
    type Key = crate::kernel::Person;
    const KIND: &'static str = "credentials";
    const TABLE: u16 = 11;
    const LEDGER: bool = false;
}
impl TenantRecord for Credentials {}

/// Stores a member's credentials, in place of earlier ones.
pub fn write_credentials(tx: &TenantWrite<'_>, member: MemberId, credentials: Credentials) -> Result<()> {
    if tx.find_intact::<Credentials>(member)?.is_none() {
        return tx.create_at(member, credentials).map(drop);
    }
    let keep = |kept: &mut Credentials| {
        *kept = credentials;
        Ok(())
    };
    tx.update(member, None, keep).map(drop)
}

/// Whether a company's members may work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Enum)]
#[oai(rename_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub enum CompanyState {
    /// Its members may work.
    Active,
    /// None of its members may work.
    Suspended,
    /// None of its members may work, and the data is erased after a while.
    Closed,
}

/// The company of a tenant. Stored under the tenant's own id.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Company {
    /// DNS label, unique on the installation.
    pub slug: String,
    /// Its name.
    pub name: String,
    /// Logo for a light background.
    pub logotipo_dark: Option<String>,
    /// Logo for a dark background.
    pub logotipo_light: Option<String>,
    /// One of `SCHEMES`.
    pub color_scheme: String,
    /// One of `LAYOUTS`.
    pub layout: String,
    /// Language of shared texts, and of members without their own.
    pub locale: String,
    /// IANA name.
    pub timezone: String,
    /// What it has chosen of its region.
    #[serde(default, skip_serializing_if = "is_default")]
    pub region: RegionChoice,
    /// Host names that lead to it.
    #[serde(default)]
    pub domains: Vec<String>,
    /// Where its members find help; the built-in help when absent.
    pub support_link: Option<String>,
    /// Minutes of idling after which a session is locked; 0 for never.
    #[serde(default = "company_rules::idle_minutes", skip_serializing_if = "company_rules::is_default_idle_minutes")]
    pub idle_minutes: u32,
    /// Whether its members need a second factor.
    #[serde(default, skip_serializing_if = "is_default")]
    pub second_factor: SecondFactorRule,
    /// Who may join it without an invitation.
    #[serde(default, skip_serializing_if = "is_default")]
    pub joining: Joining,
    /// Whether its members may work.
    pub state: CompanyState,
    /// When its owner closed it.
    pub closed_at: Option<Timestamp>,
}

impl Record for Company {
    type Key = Self;
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
    fn is_being_erased_or_imported(&self) -> bool {
        self.state == CompanyState::Closed && self.closed_at == Some(erasure_marker())
    }
}
impl TenantRecord for Company {}

/// The closing time that marks a company as being erased or imported: so long ago that its erasure is due at once.
pub fn erasure_marker() -> Timestamp {
    Timestamp::from_millis(0)
}

impl Company {
    /// Returns the id of a tenant's company.
    pub const fn id(tenant: TenantId) -> Id<Self> {
        Id::from_bytes(*tenant.as_bytes())
    }

    /// Its language; English when that is not offered any more.
    pub fn language(&self) -> Locale {
        Locale::parse(&self.locale).unwrap_or(Locale::EN)
    }

    /// Its region: its own choices, else what is usual in its language.
    pub fn region(&self) -> Region {
        self.region.over(Region::of_language(self.language()))
    }

    /// Returns the company of a tenant.
    /// Errors: `not_found` when the tenant is gone.
    pub fn of(tx: &TenantRead<'_>) -> Result<Stored<Self>> {
        tx.get(Self::id(tx.tenant()))
    }
}

/// An active member of an active company.
#[derive(Clone, Debug)]
pub struct ActiveMember {
    /// The member.
    pub member: Arc<Stored<MemberRecord>>,
    /// The company.
    pub company: Arc<Stored<Company>>,
}

/// The last reads of a member and their company.
#[derive(Debug, Default)]
pub struct LastReads(LastRead<MemberRecord>, LastRead<Company>);

impl ActiveMember {
    /// Finds a member; `None` when there is no such member, or they or the whole company may not sign in. Decides so at
    /// every request, sign-in, renewal and unlock.
    pub fn find(tx: &TenantRead<'_>, id: MemberId) -> Result<Option<Self>> {
        Self::find_again(tx, id, &LastReads::default())
    }

    /// Finds a member like [`ActiveMember::find`]; cheaper for one who has not changed since the last read.
    pub fn find_again(tx: &TenantRead<'_>, id: MemberId, last: &LastReads) -> Result<Option<Self>> {
        let member = tx.find_again(id, &last.0)?.filter(|member| member.state == MemberState::Active);
        let company =
            tx.find_again(Company::id(tx.tenant()), &last.1)?.filter(|company| company.state == CompanyState::Active);
        Ok(member.zip(company).map(|(member, company)| Self { member, company }))
    }

    /// The member's language: their own choice, else the company's.
    pub fn locale(&self) -> Locale {
        self.member.language(&self.company)
    }

    /// The member's time zone: their own choice, else the company's.
    pub fn timezone(&self) -> &str {
        self.member.timezone.as_deref().unwrap_or(&self.company.timezone)
    }

    /// The member's region: their own choices, else the company's.
    pub fn region(&self) -> Region {
        self.member.region(&self.company)
    }
}

/// Returns all tenants. Reads the companies' records, because an index may be damaged.
/// Errors: `damaged` when they cannot be read.
pub fn tenants(snapshot: &Snapshot) -> Result<Vec<TenantId>> {
    snapshot.tenants::<Company>(usize::MAX)
}

/// Finds the tenant with a slug.
/// Errors: `not_found` when there is none.
pub fn tenant_by_slug(snapshot: &Snapshot, slug: &str) -> Result<TenantId> {
    let found = first(snapshot, GLOBAL_SLUG, slug, |company| company.slug == slug)?;
    found.ok_or_else(Error::not_found)
}

/// Finds the tenant with a value in a global index. Where rows of it are damaged, it reads the companies' records.
fn first(snapshot: &Snapshot, lookup: u16, value: &str, has: impl Fn(&Company) -> bool) -> Result<Option<TenantId>> {
    if let Some((tenant, _)) = snapshot.global::<Company>(lookup, value)?.first() {
        return Ok(Some(*tenant));
    }
    if !snapshot.has_damaged_rows(lookup) {
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

/// Reads the global indexes once, so that damaged ones are known from the start.
/// Errors: `damaged` when they cannot be read.
pub fn check_global_indexes(snapshot: &Snapshot) -> Result<()> {
    for lookup in [GLOBAL_SLUG, GLOBAL_DOMAIN, GLOBAL_EMAIL] {
        snapshot.global_all::<Company>(lookup)?;
    }
    Ok(())
}

/// Finds the tenant that a host name stands for (product §2): by `{slug}.{base_domain}` or a listed domain, else the
/// only tenant of the installation.
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

/// Returns a host without its port.
pub fn without_port(host: &str) -> &str {
    host.rsplit_once(':').map_or(
        host,
        |(name, port)| {
            if port.bytes().all(|byte| byte.is_ascii_digit()) { name } else { host }
        },
    )
}

/// Finds the tenant that a host names; the host is in lower case and without a port. The installation's own hosts name
/// no tenant, even if one lists them.
pub fn tenant_named_by(snapshot: &Snapshot, host: &str, config: &Config) -> Result<Option<TenantId>> {
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

/// Finds the tenant that lists a host name.
fn named(snapshot: &Snapshot, host: &str) -> Result<Option<TenantId>> {
    first(snapshot, GLOBAL_DOMAIN, host, |company| company.domains.iter().any(|domain| domain == host))
}

/// Finds the members of all tenants with an address. The response to a visitor must not depend on the result.
pub fn by_email(snapshot: &Snapshot, email: &str) -> Result<Vec<(TenantId, MemberId)>> {
    let mut found = snapshot.global::<MemberRecord>(GLOBAL_EMAIL, email)?;
    if snapshot.has_damaged_rows(GLOBAL_EMAIL) {
        // Each tenant has an index of its own.
        for tenant in tenants(snapshot)? {
            let member = snapshot.tenant(tenant, None).find_by::<MemberRecord>(MEMBERS_BY_EMAIL, email);
            let member = member.ok().flatten().map(|member| (tenant, member.id));
            found.extend(member.filter(|one| !found.contains(one)));
        }
    }
    Ok(found)
}
