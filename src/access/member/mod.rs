//! The authenticated member of a request, and what it gives access to.

mod sessions;
mod ticket;
mod work;

use std::{marker::PhantomData, net::IpAddr};

use poem::{Request, RequestBody, http::Uri};
use poem_openapi::{
    ApiExtractor, ApiExtractorType, ExtractParamOptions,
    registry::{MetaSecurityScheme, Registry},
};

pub use self::{
    sessions::{Connection, MemberSessions, SessionEndReason},
    ticket::Ticketed,
    work::{NameOfId, Searched},
};
use super::{
    AuthenticatedSession, Peer, RequestClass, RequestPermit, auth,
    factors::SecondFactorProof,
    idle_seconds,
    login_throttle::LoginAttempt,
    password_error, passwords,
    sessions::{Device, Session},
    visitor::{device_name, log_failure},
};
use crate::{
    config::Config,
    kernel::{Code, Entropy, Id, MemberId, Result, Timestamp, i18n::Locale},
    live::presence::{Presence, PresenceState},
    people::{
        members::{ActiveMember, Company, Credentials, MemberRecord},
        permission::{Permission, Reader, Right, Role},
        region::Region,
    },
    store::Stored,
    wire::{Cursors, MetDamage, Problem},
};

/// Milliseconds after the sign-in in which a member without a password need not authenticate again.
const REAUTHENTICATION_FREE_MILLIS: i64 = 10 * 60 * 1000;
/// The name of the bearer token in the API document.
const SCHEME: &str = "bearer";

/// An authenticated member of one tenant who holds the right `R`. The value is the permission to use that tenant's
/// data, and no other's.
pub struct Member<R>(AuthenticatedSession, Origin, PhantomData<fn() -> R>);

/// Where a request came from.
struct Origin {
    peer: Peer,
    device: Device,
    idle_seconds: u32,
    page: ticket::Page,
    uri: Uri,
    damage: MetDamage,
}

impl Origin {
    fn of(request: &Request) -> Self {
        let headers = request.headers();
        let peer = request.data::<Peer>().copied().unwrap_or_default();
        let device = Device { name: device_name(headers), address: peer.address.to_string() };
        Self {
            peer,
            device,
            idle_seconds: idle_seconds(headers),
            page: ticket::Page::of(request),
            uri: request.uri().clone(),
            damage: request.data::<MetDamage>().cloned().unwrap_or_default(),
        }
    }
}

impl<R: Right> Member<R> {
    /// The member's id.
    pub fn id(&self) -> MemberId {
        self.0.live.member
    }

    /// The member's record at the time of the request.
    pub fn record(&self) -> &Stored<MemberRecord> {
        &self.0.who.member
    }

    /// The member's company at the time of the request.
    pub fn company(&self) -> &Stored<Company> {
        &self.0.who.company
    }

    /// The member and their company at the time of the request.
    pub fn active(&self) -> ActiveMember {
        self.0.who.clone()
    }

    /// The member's role.
    pub fn role(&self) -> Role {
        self.0.who.member.value.role
    }

    /// Whether the member has a further right, for calls whose result depends on it.
    pub fn may(&self, permission: Permission) -> bool {
        self.role().has(permission)
    }

    /// The member as a reader of records.
    pub fn reader(&self) -> Reader {
        Reader { id: self.id(), role: self.role() }
    }

    /// The session of the request.
    pub const fn session(&self) -> Id<Session> {
        self.0.session
    }

    /// The member's language: their own choice, else the company's.
    pub fn locale(&self) -> Locale {
        self.0.who.locale()
    }

    /// The member's time zone: their own choice, else the company's.
    pub fn timezone(&self) -> &str {
        self.0.who.timezone()
    }

    /// The member's region: their own choices, else the company's.
    pub fn region(&self) -> Region {
        self.0.who.region()
    }

    /// The address that the request came from.
    pub const fn address(&self) -> IpAddr {
        self.1.peer.address
    }

    /// For how many seconds there was no input at the time of the request, as the interface reports.
    pub const fn idle_seconds(&self) -> u32 {
        self.1.idle_seconds
    }

    /// The cursors of the requested list.
    pub fn cursors(&self) -> Cursors {
        Cursors::of(self.0.auth.0.cursors.clone(), self.0.live.tenant, &self.1.uri)
    }

    /// The configuration of the installation.
    pub fn config(&self) -> &Config {
        &self.0.auth.0.config
    }

    /// Authenticates the member again by their password, and by a second factor if they have one, in case another person
    /// uses their open browser or knows the password. A member without a password, who signs in by a provider, must have
    /// signed in within the last ten minutes. Attempts are limited as at the sign-in, but for each session separately: other
    /// people's guesses do not lock the member out. Wrong passwords and codes are logged as at the sign-in.
    /// Errors: `invalid_credentials` at `password`; `second_factor_needed` and `invalid_code` when the password is right and
    /// the second factor is missing or wrong; `slow_down` after failures.
    pub async fn reauthenticate(&self, password: String, proof: SecondFactorProof) -> Result<()> {
        let session = self.session();
        let kept = self.read(|tx| tx.find::<Credentials>(self.id()))?.map(|kept| kept.value.password);
        let Some(kept) = kept else {
            let began = self.read(|tx| tx.find::<Session>(session))?.map(|session| session.created_at);
            let fresh = began.is_some_and(|began| self.now().millis() - began.millis() <= REAUTHENTICATION_FREE_MILLIS);
            return if fresh { Ok(()) } else { Err(password_error("errors.fields.sign_in_again")) };
        };
        let attempt = LoginAttempt {
            account: &self.record().email,
            address: self.address(),
            known_device: Some(session.as_bytes()),
        };
        let who = (self.0.live.tenant, self.id());
        self.0.auth.verify_both(attempt, (password, kept), (who, proof)).await.inspect_err(|error| {
            let reason = match error.code() {
                Code::InvalidCredentials => "wrong password",
                Code::InvalidCode => "wrong code",
                _ => return,
            };
            log_failure(&self.0.auth, self.address(), who, reason);
        })
    }

    /// The current time.
    pub fn now(&self) -> Timestamp {
        self.0.auth.0.store.clock().now()
    }

    /// The source of randomness, for secrets that are given to members.
    pub fn entropy(&self) -> Entropy {
        self.0.auth.0.store.entropy().clone()
    }

    /// Returns the handle to the member's sessions, and to those of colleagues.
    pub const fn sessions(&self) -> MemberSessions<'_, R> {
        MemberSessions(self)
    }

    /// Returns the handle for a connection that stays open.
    pub const fn connection(&self) -> Connection<'_, R> {
        Connection(self)
    }

    /// The client's device and address.
    pub const fn device(&self) -> &Device {
        &self.1.device
    }

    /// Returns the presence of a colleague; `None` when they are not present.
    pub fn presence_of(&self, colleague: MemberId) -> Option<PresenceState> {
        self.presence().state_of(self.0.live.tenant, colleague)
    }

    /// The presence of all members.
    pub fn presence(&self) -> &Presence {
        self.0.auth.0.hub.presence()
    }

    /// Hashes a new password for a member of the tenant, given their name and address, within the tenant's share.
    /// Errors: `invalid` when it is too weak, `slow_down` when too many are hashed at once.
    pub async fn hash_password(&self, password: String, name: &str, email: &str) -> Result<String> {
        let company = self.company();
        passwords::check_new_password(&password, &[name, email, &company.name, &company.slug])?;
        let _share = self.0.auth.0.limiter.acquire(self.0.live.tenant, RequestClass::Passwords).await?;
        self.0.auth.0.passwords.hash(password, email).await
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
        let caller = auth(request).and_then(|auth| auth.authenticate::<R>(request.headers())).map_err(Problem)?;
        if let Some(permit) = request.extensions().get::<RequestPermit>() {
            permit.acquire(&caller.auth.0.limiter, caller.live.tenant, caller.live.member).await.map_err(Problem)?;
        }
        Ok(Self(caller, Origin::of(request), PhantomData))
    }
}
