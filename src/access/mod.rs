//! Authentication and authorization of requests. A handler that receives a `Member<R>` may use one tenant's data with
//! the right `R`; there is no other way from a request to that data.

pub mod deferred;
pub mod factors;
mod hash;
pub mod links;
pub mod login_throttle;
mod member;
pub mod passwords;
pub mod sessions;
pub mod setup;
pub mod sso;
mod tickets;
pub mod tokens;
mod visitor;

use std::{
    net::{IpAddr, Ipv4Addr},
    sync::Arc,
    thread,
};

use poem::{
    Request,
    http::{HeaderMap, header},
};

use tokio::sync::{Semaphore, mpsc};

use self::{
    deferred::{DeferredQueue, DeferredTask},
    factors::SecondFactorProof,
    login_throttle::{LoginAttempt, LoginThrottle},
    passwords::Passwords,
    sessions::{ActiveSession, Session, SessionRef, Sessions},
    setup::Setup,
    tokens::{Claims, Tokens},
};
pub use self::{
    member::{Connection, Member, MemberSessions, NameOfId, Searched, SessionEndReason, Ticketed},
    visitor::{FileReader, Offer, ResolvedLink, SignIn, SignedIn, Visitor},
};
pub use crate::fairness::{RequestClass, RequestPermit};
use crate::{
    config::{Config, Signup},
    fairness::TenantLimiter,
    index::Engine,
    kernel::{Code, Error, Id, MemberId, Result, TenantId},
    live::Hub,
    people::{
        members::{ActiveMember, Company},
        permission::Right,
    },
    store::{Snapshot, Store, Stored},
    wire::CursorKeys,
};

/// The header in which the interface reports for how many seconds there was no input.
const IDLE: &str = "atrium-idle";

/// Where a request came from, as the server determined it (trusted proxies considered).
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

/// The authentication service of the whole server. Its fields are private to this module.
#[derive(Clone)]
pub struct AuthService(Arc<Inner>);

struct Inner {
    store: Store,
    sessions: Sessions,
    deferred: DeferredQueue,
    setup: Setup,
    cursors: Arc<CursorKeys>,
    tokens: Tokens,
    tickets: tickets::Tickets,
    passwords: Passwords,
    throttle: LoginThrottle,
    factors: factors::PasskeyChallenges,
    sso: sso::SingleSignOn,
    engine: Engine,
    /// A permit for each core: more searches at once would only wait for each other.
    searching: Arc<Semaphore>,
    limiter: TenantLimiter,
    hub: Hub,
    config: Arc<Config>,
}

impl AuthService {
    /// Creates the service of an installation.
    pub fn new(
        store: Store,
        sessions: Sessions,
        engine: Engine,
        hub: Hub,
        tokens: Tokens,
        passwords: Passwords,
        config: Arc<Config>,
    ) -> Result<Self> {
        let cores = thread::available_parallelism().map_or(2, usize::from);
        let seed = u64::from_le_bytes(store.entropy().bytes());
        let cursors = Arc::new(CursorKeys::new(&tokens.pepper())?);
        Ok(Self(Arc::new(Inner {
            store,
            sessions,
            deferred: DeferredQueue::default(),
            setup: Setup::default(),
            cursors,
            tokens,
            tickets: tickets::Tickets::default(),
            passwords,
            factors: factors::PasskeyChallenges::default(),
            throttle: LoginThrottle::new(&config.sign_in, seed),
            sso: sso::SingleSignOn::default(),
            engine,
            searching: Arc::new(Semaphore::new(cores)),
            limiter: TenantLimiter::new(&config.limits, cores),
            config,
            hub,
        })))
    }

    /// Returns the tenant that a host name stands for.
    fn tenant_at(&self, snapshot: &Snapshot, host: &str) -> Result<Option<TenantId>> {
        crate::people::members::tenant_by_host(snapshot, host, &self.0.config)
    }

    /// Returns the company that a host name stands for, for pages before the sign-in.
    pub fn company_at(&self, host: &str) -> Result<Option<Stored<Company>>> {
        let snapshot = self.0.store.snapshot()?;
        let tenant = self.tenant_at(&snapshot, host)?;
        tenant.map(|tenant| Company::of(&snapshot.tenant(tenant, None))).transpose()
    }

    /// Whether a host, in lower case and without a port, is that of a company.
    pub fn is_company_host(&self, host: &str) -> Result<bool> {
        let snapshot = self.0.store.snapshot()?;
        Ok(crate::people::members::tenant_named_by(&snapshot, host, &self.0.config)?.is_some())
    }

    /// Refuses the installation's own host names as domains of a tenant.
    /// Errors: `invalid` at the first of them.
    pub fn refuse_own_hosts(&self, names: &[String]) -> Result<()> {
        let own = |name: &String| self.0.config.is_own_host(&name.trim().to_ascii_lowercase());
        let place = names.iter().position(own);
        place.map_or(Ok(()), |place| Err(Error::field(format!("domains.{place}"), "errors.fields.domain_reserved")))
    }

    /// Whether the installation has any tenant.
    pub fn has_tenants(&self) -> Result<bool> {
        Ok(!self.0.store.snapshot()?.tenants::<Company>(1)?.is_empty())
    }

    /// Issues a setup token for the operator, while the installation has no tenant and may get a first one.
    pub fn set_up(&self) -> Result<Option<String>> {
        let may = self.0.config.signup == Signup::First && !self.has_tenants()?;
        Ok(may.then(|| self.0.setup.issue(self.0.store.entropy())))
    }

    /// The access tokens, for callers that change their key.
    pub fn tokens(&self) -> &Tokens {
        &self.0.tokens
    }

    /// The password hasher, for callers that set a password.
    pub fn passwords(&self) -> &Passwords {
        &self.0.passwords
    }

    /// The sessions, for callers that end some.
    pub fn sessions(&self) -> &Sessions {
        &self.0.sessions
    }

    /// The deferred tasks, for the one loop that runs them.
    pub fn deferred(&self) -> Option<mpsc::Receiver<DeferredTask>> {
        self.0.deferred.take()
    }

    /// Waits until all tasks that were deferred so far are done.
    #[cfg(test)]
    pub async fn deferred_done(&self) {
        self.0.deferred.done().await;
    }

    /// Holds back the tasks that are deferred from now on until the returned sender is used or dropped.
    #[cfg(test)]
    pub fn hold_deferred(&self) -> tokio::sync::oneshot::Sender<()> {
        self.0.deferred.hold()
    }

    /// Returns the sender of a request by its access token alone, for counting requests: the session exists, locked or
    /// not. It grants nothing; rights are checked when a handler receives a [`Member`].
    /// Errors: `not_signed_in` without a valid token.
    pub fn sender(&self, headers: &HeaderMap) -> Result<(TenantId, MemberId)> {
        self.session_of(headers).map(|at| (at.tenant, at.member))
    }

    /// Returns the session that an access token points to, if it is in memory. It may be locked, and its member may
    /// be gone.
    fn session_of(&self, headers: &HeaderMap) -> Result<SessionRef> {
        let at = self.claimed(headers)?.session_ref();
        let live = self.0.sessions.find(at.session, self.0.store.clock().now()).ok_or_else(refused)?;
        if live.tenant == at.tenant && live.member == at.member { Ok(at) } else { Err(refused()) }
    }

    /// Returns the claims of the request's access token, if it is valid now.
    fn claimed(&self, headers: &HeaderMap) -> Result<Arc<Claims>> {
        let bearer = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
        let token = bearer.and_then(|value| {
            let (scheme, token) = value.split_once(' ')?;
            scheme.eq_ignore_ascii_case("bearer").then_some(token.trim())
        });
        self.0.tokens.check(token.ok_or_else(refused)?)
    }

    /// Checks the password of an account against its hash, which may be missing, as a throttled attempt.
    /// Errors: `invalid_credentials` at `password`; `slow_down` after failures.
    async fn verify_password(&self, attempt: LoginAttempt<'_>, password: String, kept: Option<String>) -> Result<()> {
        self.try_password(attempt, password, kept).await?;
        self.0.throttle.succeeded(attempt);
        Ok(())
    }

    /// Verifies a password and then, if the member has one, a second factor, with an attempt of the throttle. A right
    /// password alone does not reset it: otherwise a person with the password could guess codes.
    /// Errors: as `verify_password`; `second_factor_needed` and `invalid_code`.
    async fn verify_both(
        &self,
        attempt: LoginAttempt<'_>,
        (password, kept): (String, String),
        (who, proof): ((TenantId, MemberId), SecondFactorProof),
    ) -> Result<()> {
        let throttle = &self.0.throttle;
        self.try_password(attempt, password, Some(kept)).await?;
        self.second_factor(who, proof).await.inspect_err(|error| {
            if error.code() != Code::InvalidCode {
                throttle.return_attempt(attempt);
            }
        })?;
        throttle.succeeded(attempt);
        Ok(())
    }

    /// Checks a password as an attempt of the throttle, which counts until it is returned or succeeds.
    /// Errors: as `verify_password`.
    async fn try_password(&self, attempt: LoginAttempt<'_>, password: String, kept: Option<String>) -> Result<()> {
        let Inner { throttle, passwords, store, .. } = &*self.0;
        throttle.attempt(attempt, store.clock().now())?;
        let right = passwords.verify_each(password, attempt.account, vec![kept]).await;
        if right.inspect_err(|_| throttle.return_attempt(attempt))? != [true] {
            return Err(password_error("errors.fields.password_wrong"));
        }
        Ok(())
    }

    /// Authenticates a request, and checks that its sender has a right.
    fn authenticate<R: Right>(&self, headers: &HeaderMap) -> Result<AuthenticatedSession> {
        self.authenticate_session::<R>(&self.claimed(headers)?.session_ref(), idle_seconds(headers))
    }

    /// Authenticates a session, and checks that its member has a right.
    fn authenticate_session<R: Right>(&self, at: &SessionRef, idle_seconds: u32) -> Result<AuthenticatedSession> {
        let (session, who, live) = self.0.sessions.authenticate(at, idle_seconds, R::EVEN_LOCKED)?;
        let required = || factors::is_required(&who.company, self.0.store.clock().now());
        if !R::WITHOUT_SECOND_FACTOR && !session.second_factor && required() {
            let snapshot = self.0.store.snapshot()?;
            if !factors::has(&snapshot.tenant(live.tenant, Some(live.member)), live.member)? {
                return Err(Error::new(Code::SecondFactorRequired));
            }
        }
        if !who.member.role.has(R::PERMISSION) {
            return Err(Error::new(Code::Forbidden));
        }
        Ok(AuthenticatedSession { auth: self.clone(), session: at.session, live, who })
    }
}

/// Returns the error of a password that is not accepted, with its text at the field.
fn password_error(text: &'static str) -> Error {
    Error::new(Code::InvalidCredentials).say(text, Vec::new()).and_field("password", text, Vec::new())
}

fn refused() -> Error {
    Error::new(Code::NotSignedIn)
}

/// Returns for how many seconds there was no input, as the interface reports; 0 without the header: a request then
/// counts as activity.
fn idle_seconds(headers: &HeaderMap) -> u32 {
    let text = headers.get(IDLE).and_then(|value| value.to_str().ok());
    text.and_then(|text| text.trim().parse().ok()).unwrap_or(0)
}

/// The result of an authentication: one member of one tenant, in one session.
struct AuthenticatedSession {
    auth: AuthService,
    session: Id<Session>,
    live: Arc<ActiveSession>,
    who: ActiveMember,
}

fn auth(request: &Request) -> Result<&AuthService> {
    request.data::<AuthService>().ok_or_else(|| Error::internal("the application has no authentication service"))
}
