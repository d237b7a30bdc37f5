//! Whoever asks, signed in or not: signing in, staying signed in, signing out, and the cookie.

use poem::{
    Request, RequestBody,
    http::{HeaderMap, header},
};

use super::{
    Gate, Peer, gate,
    members::{self, Colleague, Company, Credentials, MemberRecord},
    permission::Permission,
    sessions::{Device, Opened, Refresh, Theft, Verified},
};
use crate::{
    config::Config,
    kernel::{Code, Error, MemberId, Result, TenantId, Timestamp, text, words::Locale},
    store::{Stored, TenantWrite},
    wire::{Problem, problem},
};

/// Whoever asks, signed in or not.
pub struct Visitor {
    pub(super) gate: Gate,
    pub(super) host: String,
    pub(super) peer: Peer,
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

/// Somebody whose password may be the one that was typed.
struct Candidate {
    /// None for somebody who may not come in, and for nobody at all.
    who: Option<(TenantId, MemberId)>,
    hash: Option<String>,
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
            Ok(seat) => Ok(Some(seat.who.company)),
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
        gate.limits.attempt(&email, self.peer.address, now)?;
        let mut right = Vec::new();
        for candidate in self.candidates(&email, form.company.as_deref())? {
            let verified = gate.passwords.verify(form.password.clone(), candidate.hash.clone()).await;
            if verified.inspect_err(|_| gate.limits.untried(&email, self.peer.address))?
                && let (Some((tenant, member)), Some(hash)) = (candidate.who, candidate.hash)
            {
                right.push(Verified { tenant, member, hash });
            }
        }
        if right.is_empty() {
            return Err(Error::new(Code::InvalidCredentials));
        }
        gate.limits.succeeded(&email, self.peer.address);
        if right.len() > 1 {
            return Err(self.several(&right));
        }
        let who = right.pop().ok_or_else(|| Error::new(Code::InvalidCredentials))?;
        let opened = gate.sessions.open(who, form.remember, self.device()).await?;
        self.signed_in(opened)
    }

    /// Whose password could be meant. At least one entry, so that an unknown address costs as much as a
    /// known one.
    fn candidates(&self, email: &str, company: Option<&str>) -> Result<Vec<Candidate>> {
        let snapshot = self.gate.0.store.snapshot()?;
        let here = match company {
            Some(slug) => members::tenant_by_slug(&snapshot, slug).ok(),
            None => members::tenant_by_host(&snapshot, &self.host, self.gate.0.config.base_domain.as_deref())?,
        };
        let mut found = Vec::new();
        for (tenant, id) in members::by_email(&snapshot, email)? {
            if here.is_some_and(|here| here != tenant) || (here.is_none() && company.is_some()) {
                continue;
            }
            let data = snapshot.tenant(tenant, None);
            let who = Colleague::find(&data, id)?.map(|_| (tenant, id));
            let hash = data.find::<Credentials>(id.cast())?.map(|credentials| credentials.value.password);
            found.push(Candidate { who, hash });
        }
        if found.is_empty() {
            found.push(Candidate { who: None, hash: None });
        }
        Ok(found)
    }

    fn several(&self, right: &[Verified]) -> Error {
        let choices: Result<Vec<problem::Choice>> = self.gate.0.store.snapshot().and_then(|snapshot| {
            let company = |who: &Verified| Company::of(&snapshot.tenant(who.tenant, None));
            let choice =
                |company: Stored<Company>| problem::Choice { slug: company.value.slug, name: company.value.name };
            right.iter().map(|who| company(who).map(choice)).collect()
        });
        match choices.map(serde_json::to_value) {
            Ok(Ok(list)) => Error::new(Code::ChooseCompany).with_extra("companies", list),
            Ok(Err(error)) => Error::internal(error),
            Err(error) => error,
        }
    }

    /// Renews the session that the cookie holds. When its token was stolen, the session ends, and `told` writes
    /// what the member shall know of it.
    ///
    /// # Errors
    /// `not_signed_in` when there is none; `forbidden` when another site asks.
    pub async fn refresh(
        &self,
        told: impl FnOnce(&TenantWrite<'_>, &Theft) -> Result<()> + Send + 'static,
    ) -> Result<SignedIn> {
        if !self.same_origin {
            return Err(Error::new(Code::Forbidden));
        }
        let shown = self.cookie().ok_or_else(|| Error::new(Code::NotSignedIn))?;
        let opened = self.gate.0.sessions.renew(shown, self.device(), told).await?;
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
            match self.gate.0.sessions.end(seat.live.tenant, seat.live.member, seat.session).await {
                Err(error) if error.code() != Code::NotFound => return Err(error),
                _ => {}
            }
        }
        Ok(self.set_cookie("", Some(0)))
    }

    fn signed_in(&self, opened: Opened) -> Result<SignedIn> {
        let gate = &self.gate.0;
        let Opened { tenant, session, refresh } = opened;
        let snapshot = gate.store.snapshot()?;
        let data = snapshot.tenant(tenant, Some(session.member));
        let who = Colleague::find(&data, session.member)?.ok_or_else(|| Error::new(Code::NotSignedIn))?;
        let (token, expires_at) = gate.tokens.issue(tenant, session.member, session.id, session.generation)?;
        let left = session.remember.then(|| session.ends_at.seconds() - gate.store.clock().now().seconds());
        let cookie = self.set_cookie(&refresh.to_text(), left);
        Ok(SignedIn { member: who.member, company: who.company, token, expires_at, cookie })
    }

    fn device(&self) -> Device {
        Device { name: self.device.clone(), address: self.peer.address.to_string() }
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
