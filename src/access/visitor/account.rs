//! What somebody may do for an account without being signed in: as much as a mailed link, or the link that sets the
//! installation up, allows, and what is done after the answer.

use super::{SignedIn, Visitor};
use crate::{
    access::{
        links::{self, Link, Purpose, Token},
        members::{Company, CompanyState, MemberRecord},
        passwords,
        sessions::{Tell, Verified},
        setup::Taken,
    },
    config::Signup,
    kernel::{Code, Error, MemberId, Result, TenantId, Timestamp},
    store::{Actor, Store, Stored, TenantWrite},
};

/// What somebody can sign up for at a host.
#[derive(Clone, Debug, PartialEq)]
pub enum Offer {
    /// A company of their own.
    Company,
    /// The first company, with the link that the start printed.
    First,
    /// The company of the host.
    Join(Box<Stored<Company>>),
}

impl Offer {
    /// The word by which clients know it.
    #[must_use]
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Company => "company",
            Self::First => "first",
            Self::Join(_) => "join",
        }
    }
}

/// A link that may be used, and whose it is.
pub struct ResolvedLink {
    /// The token.
    pub token: Token,
    /// The link.
    pub link: Stored<Link>,
    /// Whose it is.
    pub member: Stored<MemberRecord>,
    /// Their company.
    pub company: Stored<Company>,
}

impl Visitor {
    /// What time it is.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.auth.0.store.clock().now()
    }

    /// Holds the caller to what one address may ask for.
    ///
    /// # Errors
    /// `slow_down`.
    pub fn ask(&self) -> Result<()> {
        self.auth.0.throttle.ask(self.peer.address, self.now())
    }

    /// What can be signed up for at the host.
    ///
    /// # Errors
    /// `busy` or `internal` when it cannot be read.
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

    /// The tenant that the host stands for.
    ///
    /// # Errors
    /// `busy` or `internal` when it cannot be read.
    pub fn tenant(&self) -> Result<Option<TenantId>> {
        self.auth.tenant_at(&self.auth.0.store.snapshot()?, &self.host)
    }

    /// The hash of a new password for an address, which must be more than the words of its context.
    ///
    /// # Errors
    /// `invalid` at `password` when it is too easy, `slow_down` when too many are hashed at once.
    pub async fn hash_password(&self, password: String, email: &str, context: &[&str]) -> Result<String> {
        passwords::acceptable(&password, &[&[email], context].concat())?;
        self.auth.0.passwords.hash(password, email).await
    }

    /// Has something done after the answer, so that nobody can tell by the answer, or by its time, whether there
    /// was anything to do.
    ///
    /// # Errors
    /// `slow_down` when too much waits; `busy` when the store takes no writes: then nothing would come of it.
    pub fn later<F: Future<Output = Result<()>> + Send + 'static>(
        &self,
        work: impl FnOnce(Store) -> F + Send + 'static,
    ) -> Result<()> {
        drop(self.auth.0.store.snapshot()?);
        self.auth.0.deferred.enqueue(work)
    }

    /// The store, for whoever shows the link that sets the installation up, while it has no company.
    ///
    /// # Errors
    /// `link_invalid` for everybody else.
    pub fn first(&self, token: &str) -> Result<(Store, Taken<'_>)> {
        let invalid = || Error::new(Code::LinkInvalid);
        let taken = self.auth.0.setup.take(token).ok_or_else(invalid)?;
        if self.has_tenants()? {
            return Err(invalid());
        }
        Ok((self.auth.0.store.clone(), taken))
    }

    /// The link that somebody shows, when it can be used now.
    ///
    /// # Errors
    /// `link_invalid` when it was used, is over, or there is none, or its company takes nobody in now.
    pub fn link(&self, text: &str) -> Result<ResolvedLink> {
        let invalid = || Error::new(Code::LinkInvalid);
        let token = Token::parse(text)?;
        let snapshot = self.auth.0.store.snapshot()?;
        let link = token.find(&snapshot, self.now())?;
        let data = snapshot.tenant(token.tenant, None);
        let company = data.find(Company::id(token.tenant))?.filter(|company| company.state == CompanyState::Active);
        let member = data.find(link.member.cast())?.ok_or_else(invalid)?;
        Ok(ResolvedLink { token, member, company: company.ok_or_else(invalid)?, link })
    }

    /// Uses a link up, in the write that does what it is for.
    ///
    /// # Errors
    /// `link_invalid` when somebody was faster, or it is for something else; what `work` returns.
    pub async fn use_link<T: Send + 'static>(
        &self,
        shown: &ResolvedLink,
        purposes: &'static [Purpose],
        work: impl FnOnce(&TenantWrite<'_>, Stored<Link>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let (tenant, member, token) = (shown.token.tenant, shown.link.member, shown.token.clone());
        let work = move |tx: &TenantWrite<'_>| work(tx, links::take(tx, &token, purposes)?);
        Ok(self.auth.0.store.write(tenant, Actor::Member(member), work).await?.0)
    }

    /// Signs in whom a link has just made a member. Nobody else is let in by a link.
    ///
    /// # Errors
    /// `invalid_credentials` when they may not come in; `busy`.
    pub async fn enter_by_link(&self, shown: &ResolvedLink, stranger: Tell) -> Result<SignedIn> {
        let (tenant, member) = (shown.token.tenant, shown.link.member);
        self.enter(Verified { tenant, member, hash: None, second_factor: false }, false, stranger).await
    }

    /// The member whose link this is, when the browser has a session of theirs. The session stays as it is.
    ///
    /// # Errors
    /// `forbidden` when it has none; `session_locked`.
    pub fn holder_of(&self, shown: &ResolvedLink) -> Result<SignedIn> {
        let holder = match self.holder() {
            Err(error) if error.code() == Code::NotSignedIn => None,
            other => Some(other?),
        };
        let (company, member) = (Company::id(shown.token.tenant), shown.link.member);
        let own = holder.filter(|holder| holder.company.id == company && holder.member.id.cast() == member);
        own.ok_or_else(|| Error::new(Code::Forbidden).say("errors.sign_in_first", Vec::new()))
    }

    /// Forgets the sessions of a member, which ended in a write before.
    pub fn forget_sessions_of(&self, tenant: TenantId, member: MemberId) {
        self.auth.0.sessions.forget_all(tenant, member);
    }
}
