//! The sender of a request, signed in or not: signing in, staying signed in, signing out, and the cookies for it.

mod account;
mod cookies;
mod session;
mod sign_in;

use std::{net::IpAddr, sync::Arc};

use poem::{
    Request, RequestBody,
    http::{HeaderMap, header},
};

pub(in crate::access) use self::sign_in::log_failure;
pub use self::{
    account::{Offer, ResolvedLink},
    session::FileReader,
    sign_in::SignIn,
};
use super::{
    AuthService, Peer, auth, idle_seconds,
    sessions::{Device, Opened},
};
use crate::{
    config::Config,
    kernel::{Code, Error, Result, Timestamp, i18n::Locale},
    people::{
        members::{ActiveMember, Company, MemberRecord},
        permission::OwnAccount,
    },
    store::{Health, Stored},
    wire::{Problem, problem},
};

/// The sender of a request, signed in or not.
pub struct Visitor {
    pub(super) auth: AuthService,
    pub(super) host: String,
    pub(super) peer: Peer,
    device: String,
    cookies: Vec<String>,
    same_origin: bool,
    locale: Locale,
    idle_seconds: u32,
    bearer: HeaderMap,
}

/// A signed-in member, with what the browser needs.
pub struct SignedIn {
    /// The member.
    pub member: Arc<Stored<MemberRecord>>,
    /// Their company.
    pub company: Arc<Stored<Company>>,
    /// The access token.
    pub token: String,
    /// When it expires.
    pub expires_at: Timestamp,
    /// The `Set-Cookie` headers: the refresh token and, after a sign-in, the device cookie.
    pub cookies: Vec<String>,
}

impl Visitor {
    /// The requested host.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The address that the request came from.
    pub const fn address(&self) -> IpAddr {
        self.peer.address
    }

    /// The configuration of the installation.
    pub fn config(&self) -> &Config {
        &self.auth.0.config
    }

    /// Whether the store takes writes now.
    pub fn is_writable(&self) -> bool {
        self.auth.0.store.check_health() == Health::Working
    }

    /// The requested language. The interface requests the one that it shows, which need not be the browser's.
    pub const fn locale(&self) -> Locale {
        self.locale
    }

    /// Returns the company of the signed-in member; without one, the company that the host stands for.
    pub fn company(&self) -> Result<Option<Arc<Stored<Company>>>> {
        match self.auth.authenticate::<OwnAccount>(&self.bearer) {
            Ok(session) => Ok(Some(session.who.company)),
            Err(_) => Ok(self.auth.company_at(&self.host)?.map(Arc::new)),
        }
    }

    /// Whether the installation has any tenant.
    pub fn has_tenants(&self) -> Result<bool> {
        self.auth.has_tenants()
    }

    fn signed_in(&self, opened: Opened) -> Result<SignedIn> {
        let auth = &self.auth.0;
        let Opened { tenant, session, refresh } = opened;
        let snapshot = auth.store.snapshot()?;
        let data = snapshot.tenant(tenant, Some(session.member));
        let who = ActiveMember::find(&data, session.member)?.ok_or_else(|| Error::new(Code::NotSignedIn))?;
        let (token, expires_at) = auth.tokens.issue(tenant, session.member, session.id, session.generation)?;
        let left = session.remember.then(|| session.ends_at.seconds() - auth.store.clock().now().seconds());
        let cookies = vec![self.token_cookie(&refresh, left), self.media_cookie(session.id, left)?];
        Ok(SignedIn { member: who.member, company: who.company, token, expires_at, cookies })
    }

    /// The client's device and address.
    pub fn device(&self) -> Device {
        Device { name: self.device.clone(), address: self.peer.address.to_string() }
    }
}

/// Whether a request comes from our own pages, or from no page at all. Browsers report it in Fetch Metadata; for those
/// too old to, the `Origin` header decides.
fn same_origin(headers: &HeaderMap, scheme: &str, host: &str) -> bool {
    let text = |name: &str| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
    match (text("sec-fetch-site"), text("origin")) {
        (Some(site), _) => site == "same-origin",
        (None, Some(origin)) => origin.split_once("://").is_some_and(|(its_scheme, its_host)| {
            its_scheme.eq_ignore_ascii_case(scheme) && its_host.eq_ignore_ascii_case(host)
        }),
        (None, None) => true,
    }
}

/// Returns the device's name: the first 200 characters of `User-Agent`.
pub(super) fn device_name(headers: &HeaderMap) -> String {
    let name = headers.get(header::USER_AGENT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    name.chars().take(200).collect()
}

impl<'a> poem::FromRequest<'a> for Visitor {
    async fn from_request(request: &'a Request, _: &mut RequestBody) -> poem::Result<Self> {
        let auth = auth(request).map_err(Problem)?.clone();
        let headers = request.headers();
        let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).or_else(|| request.uri().host());
        let host = host.unwrap_or_default().to_owned();
        let cookies = headers.get_all(header::COOKIE).iter();
        let peer = request.data::<Peer>().copied().unwrap_or_default();
        let mut bearer = HeaderMap::new();
        if let Some(value) = headers.get(header::AUTHORIZATION) {
            bearer.insert(header::AUTHORIZATION, value.clone());
        }
        Ok(Self {
            cookies: cookies.filter_map(|value| value.to_str().ok().map(str::to_owned)).collect(),
            same_origin: same_origin(headers, if peer.https { "https" } else { "http" }, &host),
            peer,
            locale: problem::locale(request),
            device: device_name(headers),
            idle_seconds: idle_seconds(headers),
            host,
            auth,
            bearer,
        })
    }
}
