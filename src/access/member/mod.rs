//! A member who is signed in, and what having one allows.

mod sessions;
mod ticket;

use std::{marker::PhantomData, net::IpAddr, sync::atomic::Ordering};

use poem::{Request, RequestBody};
use poem_openapi::{
    ApiExtractor, ApiExtractorType, ExtractParamOptions,
    registry::{MetaSecurityScheme, Registry},
};

pub use self::{sessions::Parting, ticket::Ticketed};
use super::{
    Peer, Seat, gate, idle_seconds,
    limits::Guess,
    members::{Colleague, Company, Credentials, MemberRecord},
    passwords,
    permission::{Permission, Right, Role},
    sessions::{Device, Session},
    visitor::device_name,
};
use crate::{
    config::Config,
    index::{Hit, TenantIndex},
    kernel::{Circle, Code, Entropy, Error, Group, Id, MemberId, Result, Timestamp, words::Locale},
    live::{
        TenantChannel,
        presence::{Full, Presence, There},
    },
    store::{Actor, Record, Stored, TenantRead, TenantWrite},
    wire::Problem,
};

/// How long a search waits at most until the index holds its asker's last write.
const OWN_WRITE: std::time::Duration = std::time::Duration::from_secs(2);
/// Milliseconds after the sign-in for which who has no password need not show who they are once more.
const FRESH: i64 = 10 * 60 * 1000;
/// Records that a search narrows a list to at most.
const NARROWED: usize = 1_000;
/// The name under which the API document knows the bearer token.
const SCHEME: &str = "bearer";

/// A signed-in member of one tenant who holds the right `R`. Having one is the permission to touch
/// that tenant's data, and no other's.
pub struct Member<R>(Seat, Origin, PhantomData<fn() -> R>);

/// Where a request came from.
struct Origin {
    peer: Peer,
    device: Device,
    idle_seconds: u32,
    page: ticket::Page,
}

impl Origin {
    fn of(request: &Request) -> Self {
        let headers = request.headers();
        let peer = request.data::<Peer>().copied().unwrap_or_default();
        let device = Device { name: device_name(headers), address: peer.address.to_string() };
        Self { peer, device, idle_seconds: idle_seconds(headers), page: ticket::Page::of(request) }
    }
}

impl<R: Right> Member<R> {
    /// The member's id.
    #[must_use]
    pub fn id(&self) -> MemberId {
        self.0.live.member
    }

    /// The member's record, as it was when the request came.
    #[must_use]
    pub const fn record(&self) -> &Stored<MemberRecord> {
        &self.0.who.member
    }

    /// The member's company, as it was when the request came.
    #[must_use]
    pub const fn company(&self) -> &Stored<Company> {
        &self.0.who.company
    }

    /// The member's role.
    #[must_use]
    pub const fn role(&self) -> Role {
        self.0.who.member.value.role
    }

    /// Whether the member has a further right, for calls that do more for some than for others.
    #[must_use]
    pub fn may(&self, permission: Permission) -> bool {
        self.role().has(permission)
    }

    /// Whether the member has a right now, for who stays longer than a request.
    ///
    /// # Errors
    /// `busy` or `internal` when it cannot be read.
    pub fn may_now(&self, permission: Permission) -> Result<bool> {
        let who = self.read(|tx| Colleague::find(tx, self.id()))?;
        Ok(who.is_some_and(|who| who.member.role.has(permission)))
    }

    /// The session that the request came in.
    #[must_use]
    pub const fn session(&self) -> Id<Session> {
        self.0.session
    }

    /// The language that the member reads: their own choice, else the company's.
    #[must_use]
    pub fn locale(&self) -> Locale {
        self.0.who.locale()
    }

    /// The time zone that the member lives in: their own choice, else the company's.
    #[must_use]
    pub fn timezone(&self) -> &str {
        self.0.who.timezone()
    }

    /// The address that the request came from.
    #[must_use]
    pub const fn address(&self) -> IpAddr {
        self.1.peer.address
    }

    /// For how many seconds they had done nothing when the request was made, as the interface says.
    #[must_use]
    pub const fn idle_seconds(&self) -> u32 {
        self.1.idle_seconds
    }

    /// What the installation is set to.
    #[must_use]
    pub fn config(&self) -> &Config {
        &self.0.gate.0.config
    }

    /// Makes sure that it is the member who asks, and not somebody who found their browser open: by the password.
    /// Who has none, because a provider signs them in, must have come in within the last ten minutes.
    /// Guessing is limited as it is at signing in, for each session by itself: others' guesses hinder nobody.
    ///
    /// # Errors
    /// `invalid_credentials` at `password`; `slow_down` after failures.
    pub async fn prove(&self, password: String) -> Result<()> {
        let (gate, session) = (&self.0.gate.0, self.session());
        let kept = self.read(|tx| tx.find::<Credentials>(self.id().cast()))?.map(|kept| kept.value.password);
        let refused = |words| Err(Error::new(Code::InvalidCredentials).and_field("password", words, Vec::new()));
        let Some(kept) = kept else {
            let began = self.read(|tx| tx.find(session))?.map(|session| session.created_at);
            let fresh = began.is_some_and(|began| self.now().millis() - began.millis() <= FRESH);
            return if fresh { Ok(()) } else { refused("errors.fields.sign_in_again") };
        };
        let guess =
            Guess { account: &self.record().email, address: self.address(), known_device: Some(session.as_bytes()) };
        gate.limits.attempt(guess, self.now())?;
        let right = gate.passwords.verify(password, kept).await;
        if !right.inspect_err(|_| gate.limits.untried(guess))? {
            return refused("errors.fields.password_wrong");
        }
        gate.limits.succeeded(guess);
        Ok(())
    }

    /// What time it is.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.0.gate.0.store.clock().now()
    }

    /// Where chance comes from, for secrets that a member is given.
    #[must_use]
    pub fn entropy(&self) -> Entropy {
        self.0.gate.0.store.entropy().clone()
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

    /// What a list narrows itself to when something is searched for: the 1,000 records of a kind that fit best.
    ///
    /// # Errors
    /// As `find`.
    pub async fn narrow<T: Record>(&self, group: Group, typed: Option<String>) -> Result<Option<Vec<Id<T>>>> {
        let Some(typed) = typed.filter(|typed| !typed.trim().is_empty()) else { return Ok(None) };
        let ids = self.search(move |index| index.find_ids(&typed, group, T::KIND, NARROWED)).await?;
        Ok(Some(ids.into_iter().map(Id::from_bytes).collect()))
    }

    /// Searches what belongs to circles of the tenant's people only: those that `circles` names now. The best
    /// `limit` for what was typed.
    ///
    /// # Errors
    /// As `find`, and what `circles` returns.
    pub async fn find_within(
        &self,
        circles: impl FnOnce(&TenantRead<'_>) -> Result<Vec<Circle>>,
        typed: String,
        group: Group,
        limit: usize,
    ) -> Result<Vec<Hit>> {
        let circles = self.read(circles)?;
        self.search(move |index| index.find_within(&circles, &typed, group, limit)).await
    }

    async fn search<T: Send + 'static>(&self, look: impl FnOnce(&TenantIndex) -> T + Send + 'static) -> Result<T> {
        let engine = &self.0.gate.0.engine;
        let written = self.0.live.last_write.load(Ordering::Acquire);
        if !engine.wait_until(written, OWN_WRITE).await {
            tracing::warn!("a search did not wait longer for its asker's last write");
        }
        let index = engine.tenant(self.0.live.tenant);
        let turn = self.0.gate.0.searching.clone().acquire_owned().await.map_err(Error::internal)?;
        let found = tokio::task::spawn_blocking(move || {
            let found = look(&index);
            drop(turn);
            found
        });
        found.await.map_err(Error::internal)
    }

    /// What happens in the tenant, as this member may hear it; `idle` is whether they are at the device.
    ///
    /// # Errors
    /// [`Full`] when the session, or the company, listens at as many places as it may.
    pub fn listen(&self, idle: bool) -> Result<TenantChannel, Full> {
        self.0.gate.0.hub.join(self.0.live.tenant, self.0.live.member, *self.session().as_bytes(), idle)
    }

    /// Whether a colleague is there.
    #[must_use]
    pub fn there(&self, colleague: MemberId) -> Option<There> {
        self.presence().there(self.0.live.tenant, colleague)
    }

    /// Who is there.
    #[must_use]
    pub fn presence(&self) -> &Presence {
        self.0.gate.0.hub.presence()
    }

    /// When a colleague was last there.
    #[must_use]
    pub fn last_seen(&self, colleague: MemberId) -> Option<Timestamp> {
        self.0.gate.0.sessions.last_seen(self.0.live.tenant, colleague)
    }

    /// The hash of a new password, of whoever has an address.
    ///
    /// # Errors
    /// `invalid` when it is too easy, `slow_down` when too many are hashed at once.
    pub async fn hash_password(&self, password: String, email: &str) -> Result<String> {
        passwords::acceptable(&password)?;
        self.0.gate.0.passwords.hash(password, email).await
    }
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
        let seat = gate(request).and_then(|gate| gate.seat::<R>(request.headers())).map_err(Problem)?;
        Ok(Self(seat, Origin::of(request), PhantomData))
    }
}
