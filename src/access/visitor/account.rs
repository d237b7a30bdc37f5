//! Account operations without a session: what an e-mailed link or the setup link permits, and work that is deferred
//! until after the response.

use super::{SignedIn, Visitor};
use crate::{
    access::{
        links::{self, Link, Purpose, Token},
        login_throttle::LoginAttempt,
        passwords,
        sessions::{NotifyMember, Verified},
        setup::Taken,
    },
    config::Signup,
    kernel::{Code, Error, MemberId, Result, TenantId, Timestamp},
    people::members::{Company, CompanyState, Credentials, MemberRecord},
    store::{Actor, Store, Stored, TenantWrite},
};

/// What a visitor can sign up for at a host.
#[derive(Clone, Debug, PartialEq)]
pub enum Offer {
    /// A new company.
    Company,
    /// The first company, with the setup link.
    First,
    /// Membership in the host's company.
    Join(Box<Stored<Company>>),
}

impl Offer {
    /// The name that clients use.
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Company => "company",
            Self::First => "first",
            Self::Join(_) => "join",
        }
    }
}

/// A valid link, with its member and company.
pub struct ResolvedLink {
    /// The token.
    pub token: Token,
    /// The link.
    pub link: Stored<Link>,
    /// Its member.
    pub member: Stored<MemberRecord>,
    /// Their company.
    pub company: Stored<Company>,
}

impl Visitor {
    /// The current time.
    pub fn now(&self) -> Timestamp {
        self.auth.0.store.clock().now()
    }

    /// Counts a request against the rate limit of the caller's address.
    /// Errors: `slow_down`.
    pub fn count_request(&self) -> Result<()> {
        self.auth.0.throttle.count_request(self.peer.address, self.now())
    }

    /// Returns what can be signed up for at the host.
    pub fn offer(&self) -> Result<Option<Offer>> {
        let company = self.auth.company_at(&self.host)?;
        if let Some(company) =
            company.filter(|company| company.joining.enabled && company.state == CompanyState::Active)
        {
            return Ok(Some(Offer::Join(Box::new(company))));
        }
        Ok(match self.auth.0.config.signup {
            Signup::Open => Some(Offer::Company),
            Signup::First if !self.auth.has_tenants()? => Some(Offer::First),
            Signup::First | Signup::Closed => None,
        })
    }

    /// Returns the tenant that the host stands for.
    pub fn tenant(&self) -> Result<Option<TenantId>> {
        self.auth.tenant_at(&self.auth.0.store.snapshot()?, &self.host)
    }

    /// Checks a new password for an address against the rules and its context words, and hashes it.
    /// Errors: `invalid` at `password` when it is too weak, `slow_down` when too many are hashed at once.
    pub async fn hash_password(&self, password: String, email: &str, context: &[&str]) -> Result<String> {
        passwords::check_new_password(&password, &[&[email], context].concat())?;
        self.auth.0.passwords.hash(password, email).await
    }

    /// Defers work until after the response, so that neither the response nor its time reveals whether there was
    /// anything to do.
    /// Errors: `slow_down` when the queue is full; `busy` when the store takes no writes, because the work would fail
    /// then.
    pub fn later<F: Future<Output = Result<()>> + Send + 'static>(
        &self,
        work: impl FnOnce(Store) -> F + Send + 'static,
    ) -> Result<()> {
        self.auth.0.store.ensure_writable()?;
        self.auth.0.deferred.enqueue(work)
    }

    /// Takes the setup token, and returns the store, while the installation has no tenant.
    /// Errors: `link_invalid` in all other cases.
    pub fn first(&self, token: &str) -> Result<(Store, Taken<'_>)> {
        let invalid = || Error::new(Code::LinkInvalid);
        let taken = self.auth.0.setup.take(token).ok_or_else(invalid)?;
        if self.has_tenants()? {
            return Err(invalid());
        }
        Ok((self.auth.0.store.clone(), taken))
    }

    /// Resolves a link that can be used now.
    /// Errors: `link_invalid` when it was used, has expired, does not exist, or its company is not active.
    pub fn link(&self, text: &str) -> Result<ResolvedLink> {
        let invalid = || Error::new(Code::LinkInvalid);
        let token = Token::parse(text)?;
        let snapshot = self.auth.0.store.snapshot()?;
        let link = token.find(&snapshot, self.now())?;
        let data = snapshot.tenant(token.tenant, None);
        let company =
            data.find::<Company>(Company::id(token.tenant))?.filter(|company| company.state == CompanyState::Active);
        let member = data.find(link.member)?.ok_or_else(invalid)?;
        Ok(ResolvedLink { token, member, company: company.ok_or_else(invalid)?, link })
    }

    /// Checks the password of a link's member, throttled as at the sign-in: the link alone does not show who chose it.
    /// Errors: `invalid_credentials` at `password`; `slow_down` after failures.
    pub async fn check_password_of(&self, resolved: &ResolvedLink, password: String) -> Result<()> {
        let tenant = resolved.token.tenant;
        let member = resolved.member.id;
        let kept = self.auth.0.store.snapshot()?.tenant(tenant, None).find::<Credentials>(member)?;
        let kept = kept.map(|kept| kept.value.password);
        let attempt = LoginAttempt { account: &resolved.member.email, address: self.peer.address, known_device: None };
        let verified = self.auth.verify_password(attempt, password, kept).await;
        verified.inspect_err(|error| {
            if error.code() == Code::InvalidCredentials {
                self.log_member_failure((tenant, member), "wrong password");
            }
        })
    }

    /// Uses a link up, in the write that does what it is for.
    /// Errors: `link_invalid` when another request was faster, or the link has another purpose.
    pub async fn use_link<T: Send + 'static>(
        &self,
        resolved: &ResolvedLink,
        purposes: &'static [Purpose],
        work: impl FnOnce(&TenantWrite<'_>, Stored<Link>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let tenant = resolved.token.tenant;
        let member = resolved.link.member;
        let token = resolved.token.clone();
        let work = move |tx: &TenantWrite<'_>| work(tx, links::take(tx, &token, purposes)?);
        Ok(self.auth.0.store.write(tenant, Actor::Member(member), work).await?.0)
    }

    /// Signs in the member that a link has just activated. Links sign in no other members.
    /// Errors: `invalid_credentials` when they may not sign in.
    pub async fn enter_by_link(&self, resolved: &ResolvedLink, on_new_device: NotifyMember) -> Result<SignedIn> {
        let tenant = resolved.token.tenant;
        let member = resolved.link.member;
        self.open_session(Verified { tenant, member, hash: None, second_factor: false }, false, on_new_device).await
    }

    /// Returns the member of a link, if the browser has a session of theirs. The session does not change.
    /// Errors: `forbidden` without such a session; `session_locked`.
    pub fn holder_of(&self, resolved: &ResolvedLink) -> Result<SignedIn> {
        let holder = match self.holder() {
            Err(error) if error.code() == Code::NotSignedIn => None,
            other => Some(other?),
        };
        let company = Company::id(resolved.token.tenant);
        let member = resolved.link.member;
        let own = holder.filter(|holder| holder.company.id == company && holder.member.id == member);
        own.ok_or_else(|| Error::new(Code::Forbidden).say("errors.sign_in_first", Vec::new()))
    }

    /// Removes a member's sessions from memory, after a write ended them.
    pub fn forget_sessions_of(&self, tenant: TenantId, member: MemberId) {
        self.auth.0.sessions.forget_all(tenant, member);
    }
}
