//! Who is asking, and the only doors that opens. A handler that receives a `Member<R>` may touch one
//! tenant's data with the right `R`; there is no other way to that data from a request.

pub mod limits;
pub mod members;
pub mod passwords;
pub mod permission;
pub mod sessions;
pub mod tokens;

use std::{
    marker::PhantomData,
    net::{IpAddr, Ipv4Addr},
    sync::{Arc, atomic::Ordering},
};

use poem::{
    Request, RequestBody,
    http::{HeaderMap, header},
};
use poem_openapi::{
    ApiExtractor, ApiExtractorType, ExtractParamOptions,
    registry::{MetaSecurityScheme, Registry},
};

use self::{
    limits::Limits,
    members::{Company, CompanyState, Credentials, MemberRecord, MemberState},
    passwords::Passwords,
    permission::{Permission, Right, Role},
    sessions::{Device, Live, Opened, Refresh, Session, Sessions},
    tokens::Tokens,
};
use crate::{
    config::Config,
    index::{Engine, Hit, TenantIndex},
    kernel::{Code, Error, Group, Id, MemberId, Result, TenantId, Timestamp, text, words::Locale},
    live::{Hub, TenantChannel},
    store::{Actor, Store, Stored, TenantRead, TenantWrite},
    wire::{Problem, problem},
};

/// How long a search waits at most until the index holds its asker's last write.
const OWN_WRITE: std::time::Duration = std::time::Duration::from_secs(2);
/// The name under which the API document knows the bearer token.
const SCHEME: &str = "bearer";

/// Where a request came from, as the server found it out (proxies that are trusted considered).
#[derive(Clone, Copy, Debug)]
pub struct Peer {
    /// The client's address.
    pub address: IpAddr,
    /// Whether it came over TLS.
    pub https: bool,
}

impl Default for Peer {
    fn default() -> Self {
        Self { address: IpAddr::V4(Ipv4Addr::LOCALHOST), https: false }
    }
}

/// All that decides who may come in. One for the whole server; its insides are this module's.
#[derive(Clone)]
pub struct Gate(Arc<Inside>);

struct Inside {
    store: Store,
    sessions: Sessions,
    tokens: Tokens,
    passwords: Passwords,
    limits: Limits,
    engine: Engine,
    hub: Hub,
    config: Arc<Config>,
}

impl Gate {
    /// The gate of an installation.
    ///
    /// # Errors
    /// `busy` or `internal` when the sessions cannot be read.
    pub fn new(
        store: Store,
        engine: Engine,
        hub: Hub,
        tokens: Tokens,
        passwords: Passwords,
        config: Arc<Config>,
    ) -> Result<Self> {
        let sessions = Sessions::load(store.clone())?;
        Ok(Self(Arc::new(Inside {
            store,
            sessions,
            tokens,
            passwords,
            limits: Limits::new(&config.sign_in),
            engine,
            config,
            hub,
        })))
    }

    /// The tenant that a host name stands for, as it is shown before anybody signed in.
    ///
    /// # Errors
    /// `busy` or `internal` when it cannot be read.
    pub fn company_at(&self, host: &str) -> Result<Option<Stored<Company>>> {
        let snapshot = self.0.store.snapshot()?;
        let tenant = members::tenant_by_host(&snapshot, host, self.0.config.base_domain.as_deref())?;
        tenant.map(|tenant| Company::of(&snapshot.tenant(tenant, None))).transpose()
    }

    /// Whether the installation has a tenant at all.
    ///
    /// # Errors
    /// `busy` or `internal` when it cannot be read.
    pub fn has_tenants(&self) -> Result<bool> {
        Ok(!members::tenants(&self.0.store.snapshot()?)?.is_empty())
    }

    /// The passwords' keeper, for those who set one.
    #[must_use]
    pub fn passwords(&self) -> &Passwords {
        &self.0.passwords
    }

    /// The sessions, for those who end them.
    #[must_use]
    pub fn sessions(&self) -> &Sessions {
        &self.0.sessions
    }

    /// Who a request comes from.
    fn seat(&self, headers: &HeaderMap, permission: Permission) -> Result<Seat> {
        let refused = || Error::new(Code::NotSignedIn);
        let bearer = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
        let token = bearer.and_then(|value| {
            let (scheme, token) = value.split_once(' ')?;
            scheme.eq_ignore_ascii_case("bearer").then_some(token.trim())
        });
        let claims = self.0.tokens.check(token.ok_or_else(refused)?)?;
        let now = self.0.store.clock().now();
        let live = self.0.sessions.find(claims.sid, now).ok_or_else(refused)?;
        if live.tenant != claims.tid || live.member != claims.sub {
            return Err(refused());
        }
        let snapshot = self.0.store.snapshot()?;
        let tenant = snapshot.tenant(live.tenant, Some(live.member));
        let member = tenant.find::<MemberRecord>(live.member.cast())?.ok_or_else(refused)?;
        let company = Company::of(&tenant).map_err(|_| refused())?;
        if member.state != MemberState::Active || company.state != CompanyState::Active {
            return Err(refused());
        }
        Sessions::used(&live, claims.generation, now);
        if !member.role.has(permission) {
            return Err(Error::new(Code::Forbidden));
        }
        Ok(Seat { gate: self.clone(), session: claims.sid, live, member, company })
    }
}

/// A place at the table: one member of one tenant, in one session.
struct Seat {
    gate: Gate,
    session: Id<Session>,
    live: Arc<Live>,
    member: Stored<MemberRecord>,
    company: Stored<Company>,
}

/// A signed-in member of one tenant who holds the right `R`. Having one is the permission to touch
/// that tenant's data, and no other's.
pub struct Member<R>(Seat, PhantomData<fn() -> R>);

impl<R: Right> Member<R> {
    /// The member's id.
    #[must_use]
    pub fn id(&self) -> MemberId {
        self.0.live.member
    }

    /// The member's record, as it was when the request came.
    #[must_use]
    pub const fn record(&self) -> &Stored<MemberRecord> {
        &self.0.member
    }

    /// The member's company, as it was when the request came.
    #[must_use]
    pub const fn company(&self) -> &Stored<Company> {
        &self.0.company
    }

    /// The member's role.
    #[must_use]
    pub const fn role(&self) -> Role {
        self.0.member.value.role
    }

    /// Whether the member has a further right, for calls that do more for some than for others.
    #[must_use]
    pub fn may(&self, permission: Permission) -> bool {
        self.role().has(permission)
    }

    /// The session that the request came in.
    #[must_use]
    pub const fn session(&self) -> Id<Session> {
        self.0.session
    }

    /// The language that the member reads: their own choice, else the company's.
    #[must_use]
    pub fn locale(&self) -> Locale {
        let chosen = self.0.member.locale.as_deref().and_then(Locale::parse);
        chosen.or_else(|| Locale::parse(&self.0.company.locale)).unwrap_or(Locale::EN)
    }

    /// The time zone that the member lives in: their own choice, else the company's.
    #[must_use]
    pub fn timezone(&self) -> &str {
        self.0.member.timezone.as_deref().unwrap_or(&self.0.company.timezone)
    }

    /// What time it is.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.0.gate.0.store.clock().now()
    }

    /// Reads the tenant's data as it is now.
    ///
    /// # Errors
    /// What `look` returns.
    pub fn read<T>(&self, look: impl FnOnce(&TenantRead<'_>) -> Result<T>) -> Result<T> {
        let snapshot = self.0.gate.0.store.snapshot()?;
        look(&snapshot.tenant(self.0.live.tenant, Some(self.0.live.member)))
    }

    /// Reads the tenant's data beside the threads that serve requests: for lists and figures that may take
    /// longer than a millisecond.
    ///
    /// # Errors
    /// What `look` returns.
    pub async fn look<T: Send + 'static>(
        &self,
        look: impl FnOnce(&TenantRead<'_>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let (store, tenant, me) = (self.0.gate.0.store.clone(), self.0.live.tenant, self.0.live.member);
        let reading = tokio::task::spawn_blocking(move || look(&store.snapshot()?.tenant(tenant, Some(me))));
        reading.await.map_err(Error::internal)?
    }

    /// Writes to the tenant's data; it is on the disk when this returns.
    ///
    /// # Errors
    /// What `work` returns, and nothing is changed then; `busy` when the store cannot take it now.
    pub async fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&TenantWrite<'_>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let actor = Actor::Member(self.0.live.member);
        let (value, seq) = self.0.gate.0.store.write(self.0.live.tenant, actor, work).await?;
        self.0.live.last_write.fetch_max(seq, Ordering::AcqRel);
        Ok(value)
    }

    /// Writes once for an `Idempotency-Key`: a retry within 24 hours gets the first answer again.
    ///
    /// # Errors
    /// As `write`; `bad_request` for a key longer than 200 characters.
    pub async fn write_once<T: serde::Serialize + serde::de::DeserializeOwned + Send + 'static>(
        &self,
        call: &'static str,
        key: Option<String>,
        work: impl FnOnce(&TenantWrite<'_>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let Some(key) = key else { return self.write(work).await };
        if key.is_empty() || key.len() > 200 {
            let error = Error::new(Code::BadRequest);
            return Err(error.and_field("Idempotency-Key", "errors.fields.format", Vec::new()));
        }
        self.write(move |tx| tx.once(&format!("{call} {key}"), 24, || work(tx))).await
    }

    /// Searches the tenant's records: of each group the best `limit` for what was typed. What this member
    /// wrote before is found.
    ///
    /// # Errors
    /// `internal` when the search panics, which damaged files can cause.
    pub async fn find(&self, typed: String, groups: &'static [Group], limit: usize) -> Result<Vec<(Group, Vec<Hit>)>> {
        self.search(move |index| index.find(&typed, groups, limit)).await
    }

    /// The ids of the best `limit` records of a kind for what was typed, the best first: what a list narrows
    /// itself to.
    ///
    /// # Errors
    /// As `find`.
    pub async fn find_ids(
        &self,
        typed: String,
        group: Group,
        kind: &'static str,
        limit: usize,
    ) -> Result<Vec<[u8; 16]>> {
        self.search(move |index| index.find_ids(&typed, group, kind, limit)).await
    }

    async fn search<T: Send + 'static>(&self, look: impl FnOnce(&TenantIndex) -> T + Send + 'static) -> Result<T> {
        let engine = &self.0.gate.0.engine;
        let written = self.0.live.last_write.load(Ordering::Acquire);
        if !engine.wait_until(written, OWN_WRITE).await {
            tracing::warn!("a search did not wait longer for its asker's last write");
        }
        let index = engine.tenant(self.0.live.tenant);
        tokio::task::spawn_blocking(move || look(&index)).await.map_err(Error::internal)
    }

    /// What happens in the tenant, as this member may hear it.
    #[must_use]
    pub fn live(&self) -> TenantChannel {
        self.0.gate.0.hub.channel(self.0.live.tenant, self.0.live.member)
    }

    /// When a colleague was last there.
    #[must_use]
    pub fn last_seen(&self, colleague: MemberId) -> Option<Timestamp> {
        self.0.gate.0.sessions.last_seen(self.0.live.tenant, colleague)
    }

    /// The member's own sessions, newest first.
    ///
    /// # Errors
    /// `busy` or `internal` when they cannot be read.
    pub fn sessions(&self) -> Result<Vec<Stored<Session>>> {
        Sessions::list(&self.0.gate.0.store.snapshot()?, self.0.live.tenant, self.0.live.member, self.now())
    }

    /// Ends one of the member's own sessions.
    ///
    /// # Errors
    /// `not_found` when it is none of theirs.
    pub async fn end_session(&self, id: Id<Session>) -> Result<()> {
        self.0.gate.0.sessions.end(self.0.live.tenant, self.0.live.member, id).await
    }

    /// Ends all sessions of a colleague: who is suspended or removed is out with the next request.
    ///
    /// # Errors
    /// `busy` when it cannot be written.
    pub async fn end_sessions_of(&self, colleague: MemberId) -> Result<()> {
        self.0.gate.0.sessions.end_all(self.0.live.tenant, colleague).await
    }

    /// The hash of a new password.
    ///
    /// # Errors
    /// `invalid` when it is too easy, `slow_down` when too many are hashed at once.
    pub async fn hash_password(&self, password: String) -> Result<String> {
        passwords::acceptable(&password)?;
        self.0.gate.0.passwords.hash(password).await
    }
}

fn gate(request: &Request) -> Result<&Gate> {
    request.data::<Gate>().ok_or_else(|| Error::internal("the server was put together without its gate"))
}

impl<'a, R: Right> ApiExtractor<'a> for Member<R> {
    const TYPES: &'static [ApiExtractorType] = &[ApiExtractorType::SecurityScheme];
    type ParamType = ();
    type ParamRawType = ();

    fn register(registry: &mut Registry) {
        registry.create_security_scheme(
            SCHEME,
            MetaSecurityScheme {
                ty: "http",
                description: Some("The access token that sign-in and refresh answer with."),
                name: None,
                key_in: None,
                scheme: Some("bearer"),
                bearer_format: Some("JWT"),
                flows: None,
                openid_connect_url: None,
            },
        );
    }

    fn security_schemes() -> Vec<&'static str> {
        vec![SCHEME]
    }

    async fn from_request(request: &'a Request, _: &mut RequestBody, _: ExtractParamOptions<()>) -> poem::Result<Self> {
        let seat = gate(request).and_then(|gate| gate.seat(request.headers(), R::PERMISSION)).map_err(Problem)?;
        Ok(Self(seat, PhantomData))
    }
}

/// Whoever asks, signed in or not.
pub struct Visitor {
    gate: Gate,
    host: String,
    peer: Peer,
    device: String,
    cookies: Vec<String>,
    same_origin: bool,
    locale: Locale,
    bearer: HeaderMap,
}

/// What somebody signs in with.
#[derive(Debug)]
pub struct SignIn {
    /// The address.
    pub email: String,
    /// The password.
    pub password: String,
    /// The company's slug, when the address is in several.
    pub company: Option<String>,
    /// Whether the session outlives the browser.
    pub remember: bool,
}

/// Who is signed in now, with what the browser needs for it.
pub struct SignedIn {
    /// The member.
    pub member: Stored<MemberRecord>,
    /// Their company.
    pub company: Stored<Company>,
    /// The access token.
    pub token: String,
    /// When that runs out.
    pub expires_at: Timestamp,
    /// The `Set-Cookie` header with the refresh token.
    pub cookie: String,
}

impl Visitor {
    /// The host that was asked for.
    #[must_use]
    pub fn host(&self) -> &str {
        &self.host
    }

    /// What the installation is set to.
    #[must_use]
    pub fn config(&self) -> &Config {
        &self.gate.0.config
    }

    /// The language asked for.
    #[must_use]
    pub const fn locale(&self) -> Locale {
        self.locale
    }

    /// The company that somebody who is signed in belongs to; for anybody else the one that the host
    /// stands for.
    ///
    /// # Errors
    /// `busy` or `internal` when it cannot be read.
    pub fn company(&self) -> Result<Option<Stored<Company>>> {
        match self.gate.seat(&self.bearer, Permission::OwnData) {
            Ok(seat) => Ok(Some(seat.company)),
            Err(_) => self.gate.company_at(&self.host),
        }
    }

    /// Whether the installation has a tenant at all.
    ///
    /// # Errors
    /// `busy` or `internal` when it cannot be read.
    pub fn has_tenants(&self) -> Result<bool> {
        self.gate.has_tenants()
    }

    /// Signs somebody in. Unknown address, wrong password, suspended member: all take as long and
    /// are answered alike.
    ///
    /// # Errors
    /// `invalid_credentials`; `choose_company` when the password is right in several; `slow_down` after failures.
    pub async fn sign_in(&self, form: SignIn) -> Result<SignedIn> {
        let gate = &self.gate.0;
        let email = text::email(&form.email).unwrap_or_else(|| form.email.trim().to_lowercase());
        let now = gate.store.clock().now();
        gate.limits.allow(&email, self.peer.address, now)?;
        let mut right = Vec::new();
        for (tenant, member, hash) in self.candidates(&email, form.company.as_deref())? {
            if gate.passwords.verify(form.password.clone(), hash).await?
                && let Some(member) = member
            {
                right.push((tenant, member));
            }
        }
        if right.is_empty() {
            gate.limits.failed(&email, self.peer.address, now);
            return Err(Error::new(Code::InvalidCredentials));
        }
        gate.limits.succeeded(&email);
        let [(tenant, member)] = right.as_slice() else { return Err(self.several(&right)) };
        let device = Device { name: self.device.clone(), address: self.peer.address.to_string() };
        let opened = gate.sessions.open(*tenant, *member, form.remember, device).await?;
        self.signed_in(opened)
    }

    /// Whose password could be meant. At least one entry, so that an unknown address costs as much as a
    /// known one.
    #[expect(clippy::type_complexity, reason = "used once, right above")]
    fn candidates(
        &self,
        email: &str,
        company: Option<&str>,
    ) -> Result<Vec<(TenantId, Option<MemberId>, Option<String>)>> {
        let snapshot = self.gate.0.store.snapshot()?;
        let here = match company {
            Some(slug) => members::tenant_by_slug(&snapshot, slug).ok(),
            None => members::tenant_by_host(&snapshot, &self.host, self.gate.0.config.base_domain.as_deref())?,
        };
        let nobody = TenantId::from_bytes([0xFF; 16]).ok_or_else(|| Error::internal("never zero"))?;
        let mut found = Vec::new();
        for (tenant, id) in members::by_email(&snapshot, email)? {
            if here.is_some_and(|here| here != tenant) || (here.is_none() && company.is_some()) {
                continue;
            }
            let data = snapshot.tenant(tenant, None);
            let member = data.get::<MemberRecord>(id.cast())?;
            let open = member.state == MemberState::Active && Company::of(&data)?.state == CompanyState::Active;
            let hash = data.find::<Credentials>(id.cast())?.map(|credentials| credentials.value.password);
            found.push((tenant, open.then_some(id), hash));
        }
        if found.is_empty() {
            found.push((nobody, None, None));
        }
        Ok(found)
    }

    fn several(&self, right: &[(TenantId, MemberId)]) -> Error {
        let choices: Result<Vec<problem::Choice>> = self.gate.0.store.snapshot().and_then(|snapshot| {
            let company = |(tenant, _): &(TenantId, MemberId)| Company::of(&snapshot.tenant(*tenant, None));
            let choice =
                |company: Stored<Company>| problem::Choice { slug: company.value.slug, name: company.value.name };
            right.iter().map(|pair| company(pair).map(choice)).collect()
        });
        match choices.map(serde_json::to_value) {
            Ok(Ok(list)) => Error::new(Code::ChooseCompany).with_extra("companies", list),
            Ok(Err(error)) => Error::internal(error),
            Err(error) => error,
        }
    }

    /// Renews the session that the cookie holds.
    ///
    /// # Errors
    /// `not_signed_in` when there is none; `forbidden` when another site asks.
    pub async fn refresh(&self) -> Result<SignedIn> {
        if !self.same_origin {
            return Err(Error::new(Code::Forbidden));
        }
        let shown = self.cookie().ok_or_else(|| Error::new(Code::NotSignedIn))?;
        let device = Device { name: self.device.clone(), address: self.peer.address.to_string() };
        let opened = self.gate.0.sessions.renew(shown, device).await?;
        self.signed_in(opened)
    }

    /// Ends the session that the cookie, or the access token, belongs to. Answers with the header that
    /// clears the cookie.
    ///
    /// # Errors
    /// `forbidden` when another site asks; `busy` when it cannot be written.
    pub async fn sign_out(&self) -> Result<String> {
        if !self.same_origin {
            return Err(Error::new(Code::Forbidden));
        }
        if let Some(shown) = self.cookie() {
            self.gate.0.sessions.end_by(&shown).await?;
        }
        if let Ok(seat) = self.gate.seat(&self.bearer, Permission::OwnData) {
            self.gate.0.sessions.end(seat.live.tenant, seat.live.member, seat.session).await?;
        }
        Ok(self.set_cookie("", Some(0)))
    }

    fn signed_in(&self, opened: Opened) -> Result<SignedIn> {
        let gate = &self.gate.0;
        let Opened { tenant, session, refresh } = opened;
        let snapshot = gate.store.snapshot()?;
        let data = snapshot.tenant(tenant, Some(session.member));
        let member = data.get::<MemberRecord>(session.member.cast())?;
        let company = Company::of(&data)?;
        if member.state != MemberState::Active || company.state != CompanyState::Active {
            return Err(Error::new(Code::NotSignedIn));
        }
        let (token, expires_at) = gate.tokens.issue(tenant, session.member, session.id, session.generation)?;
        let left = session.remember.then(|| session.ends_at.seconds() - gate.store.clock().now().seconds());
        Ok(SignedIn { member, company, token, expires_at, cookie: self.set_cookie(&refresh.to_text(), left) })
    }

    /// The cookie's name: the prefix holds browsers to `Secure` and `Path=/` (RFC 6265bis §4.1.3.2), which
    /// plain HTTP cannot keep.
    const fn cookie_name(&self) -> &'static str {
        if self.peer.https { "__Host-atrium" } else { "atrium" }
    }

    fn cookie(&self) -> Option<Refresh> {
        let name = self.cookie_name();
        let pairs = self.cookies.iter().flat_map(|header| header.split(';'));
        pairs
            .filter_map(|pair| pair.trim().split_once('='))
            .find(|(key, _)| *key == name)
            .and_then(|(_, value)| Refresh::parse(value))
    }

    fn set_cookie(&self, value: &str, seconds: Option<i64>) -> String {
        let name = self.cookie_name();
        let rest = if self.peer.https { "Path=/; Secure" } else { "Path=/api/auth" };
        let age = seconds.map(|seconds| format!("; Max-Age={seconds}")).unwrap_or_default();
        format!("{name}={value}; HttpOnly; SameSite=Strict; {rest}{age}")
    }
}

/// Whether a request comes from our own pages, or from no page at all. Browsers always say where a
/// request comes from (Fetch Metadata); the origin serves for those too old to.
fn same_origin(headers: &HeaderMap, host: &str) -> bool {
    let text = |name: &str| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
    match (text("sec-fetch-site"), text("origin")) {
        (Some(site), _) => site == "same-origin",
        (None, Some(origin)) => origin.split_once("://").is_some_and(|(_, rest)| rest.eq_ignore_ascii_case(host)),
        (None, None) => true,
    }
}

impl<'a> poem::FromRequest<'a> for Visitor {
    async fn from_request(request: &'a Request, _: &mut RequestBody) -> poem::Result<Self> {
        let gate = gate(request).map_err(Problem)?.clone();
        let headers = request.headers();
        let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).or_else(|| request.uri().host());
        let host = host.unwrap_or_default().to_owned();
        let strings = |name| headers.get_all(name).iter().filter_map(|value| value.to_str().ok().map(str::to_owned));
        let device: String = strings(header::USER_AGENT).next().unwrap_or_default().chars().take(200).collect();
        let mut bearer = HeaderMap::new();
        if let Some(value) = headers.get(header::AUTHORIZATION) {
            bearer.insert(header::AUTHORIZATION, value.clone());
        }
        Ok(Self {
            same_origin: same_origin(headers, &host),
            cookies: strings(header::COOKIE).collect(),
            peer: request.data::<Peer>().copied().unwrap_or_default(),
            locale: problem::locale(request),
            host,
            device,
            gate,
            bearer,
        })
    }
}
