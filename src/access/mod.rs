//! Who is asking, and the only doors that opens. A handler that receives a `Member<R>` may touch one
//! tenant's data with the right `R`; there is no other way to that data from a request.

pub mod audit;
pub mod company_rules;
pub mod factors;
pub mod former;
mod hash;
pub mod limits;
pub mod links;
mod member;
pub mod members;
pub mod passwords;
pub mod permission;
pub mod sessions;
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

use tokio::sync::Semaphore;

use self::{
    limits::Limits,
    members::{Colleague, Company},
    passwords::Passwords,
    permission::Permission,
    sessions::{Live, Session, Sessions},
    tokens::Tokens,
};
pub use self::{
    member::Member,
    visitor::{SignIn, SignedIn, Visitor},
};
use crate::{
    config::Config,
    index::Engine,
    kernel::{Code, Error, Id, Result},
    live::Hub,
    store::{Store, Stored},
};

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
    factors: factors::Waiting,
    engine: Engine,
    /// A turn for each core: more searches at once would only wait for each other.
    searching: Arc<Semaphore>,
    hub: Hub,
    config: Arc<Config>,
}

impl Gate {
    /// The gate of an installation.
    #[must_use]
    pub fn new(
        store: Store,
        sessions: Sessions,
        engine: Engine,
        hub: Hub,
        tokens: Tokens,
        passwords: Passwords,
        config: Arc<Config>,
    ) -> Self {
        let cores = thread::available_parallelism().map_or(2, usize::from);
        Self(Arc::new(Inside {
            store,
            sessions,
            tokens,
            passwords,
            limits: Limits::new(&config.sign_in),
            factors: factors::Waiting::default(),
            engine,
            searching: Arc::new(Semaphore::new(cores)),
            config,
            hub,
        }))
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
        // The session may have ended with the write of a moment ago: the store knows first.
        tenant.find(claims.sid)?.ok_or_else(refused)?;
        let who = Colleague::find(&tenant, live.member)?.ok_or_else(refused)?;
        live.note(claims.generation, now);
        if !who.member.role.has(permission) {
            return Err(Error::new(Code::Forbidden));
        }
        Ok(Seat { gate: self.clone(), session: claims.sid, live, who })
    }
}

/// A place at the table: one member of one tenant, in one session.
struct Seat {
    gate: Gate,
    session: Id<Session>,
    live: Arc<Live>,
    who: Colleague,
}

fn gate(request: &Request) -> Result<&Gate> {
    request.data::<Gate>().ok_or_else(|| Error::internal("the server was put together without its gate"))
}
