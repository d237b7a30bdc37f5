//! Second factors where requests come in: which passkeys the host has, and what somebody shows at the door.

use serde_json::Value;

use super::{
    Passkey, SecondFactorProof, admit, admit_by_passkey, has,
    passkeys::{self, Party},
};
use crate::{
    access::{
        Member, SignedIn, Visitor,
        login_throttle::LoginAttempt,
        members,
        permission::Right,
        sessions::{Tell, Verified},
    },
    kernel::{Code, Error, MemberId, Result, TenantId},
    store::{Actor, Stored, TenantWrite},
};

/// A question for the browser, and the name under which its answer is waited for.
pub struct Question {
    /// What to answer with.
    pub id: String,
    /// What the browser is asked.
    pub options: Value,
}

impl Visitor {
    /// The party whose passkeys this host has; none where there cannot be any.
    fn party(&self) -> Result<Option<Party>> {
        let auth = &self.auth.0;
        Party::at(&auth.store.snapshot()?, &auth.config, &self.host, self.peer.https)
    }

    /// Whether the host can have passkeys.
    ///
    /// # Errors
    /// `busy` or `internal` when that cannot be read.
    pub fn has_passkeys(&self) -> Result<bool> {
        Ok(self.party()?.is_some())
    }

    fn own_party(&self) -> Result<Party> {
        let here = self.party()?;
        here.ok_or_else(|| Error::new(Code::Conflict).say("errors.passkeys_not_here", Vec::new()))
    }

    /// Asks for any passkey of the host.
    ///
    /// # Errors
    /// `conflict` where there cannot be any.
    pub fn ask_passkey(&self) -> Result<Question> {
        let (options, asking) = self.own_party()?.ask()?;
        let (store, waiting) = (&self.auth.0.store, &self.auth.0.factors);
        let id = waiting.asking.ask(asking, self.peer.address, store.clock().now(), store.entropy());
        Ok(Question { id, options })
    }

    /// Asks a member's browser to make a passkey.
    ///
    /// # Errors
    /// `conflict` where there cannot be any, or when the member has ten.
    pub fn ask_new_passkey<R: Right>(&self, member: &Member<R>) -> Result<Question> {
        let (party, record) = (self.own_party()?, member.record());
        let (options, making) = member.read(|tx| party.make(tx, member.id(), &record.name, &record.email))?;
        let id = self.auth.0.factors.making.ask(making, member.address(), member.now(), self.auth.0.store.entropy());
        Ok(Question { id, options })
    }

    /// Takes a passkey that was made for an answer: what to keep of it is decided in the write.
    ///
    /// # Errors
    /// `invalid_code` when nothing of the kind was asked of this member, or too long ago.
    pub fn made_passkey<R: Right>(&self, member: &Member<R>, id: &str, credential: Value) -> Result<NewPasskey> {
        let made = self.auth.0.factors.making.take(id, member.now()).filter(|made| made.is_of(member.id()));
        Ok(NewPasskey { made: made.ok_or_else(|| Error::new(Code::InvalidCode))?, credential })
    }

    /// What somebody shows beside the password.
    ///
    /// # Errors
    /// `invalid_code` when the passkey answers nothing that was asked here.
    pub fn shown(&self, code: Option<String>, passkey: Option<(String, Value)>) -> Result<SecondFactorProof> {
        let host = self.party()?.map(|party| party.host().to_owned());
        let passkey = passkey.map(|(id, credential)| self.answered(&id, credential)).transpose()?;
        Ok(SecondFactorProof { code: code.filter(|code| !code.trim().is_empty()), passkey, host })
    }

    /// The answer of a passkey.
    fn answered(&self, id: &str, credential: Value) -> Result<passkeys::Assertion> {
        let refused = || Error::new(Code::InvalidCode);
        let asked = self.auth.0.factors.asking.take(id, self.auth.0.store.clock().now()).ok_or_else(refused)?;
        if !self.party()?.is_some_and(|party| asked.is_at(&party)) {
            return Err(refused());
        }
        asked.answered(credential)
    }

    /// Holds what a member shows beside the right password against what they have: whether it was a second factor.
    ///
    /// # Errors
    /// `second_factor_needed` or `invalid_code`, as [`admit`] says.
    pub(in crate::access) async fn second_factor(
        &self,
        (tenant, member): (TenantId, MemberId),
        shown: SecondFactorProof,
    ) -> Result<bool> {
        let store = &self.auth.0.store;
        // Most have none, and a write costs much more than a look.
        if !has(&store.snapshot()?.tenant(tenant, Some(member)), member)? {
            return Ok(false);
        }
        Ok(store.write_even_when_full(tenant, Actor::Member(member), move |tx| admit(tx, member, &shown)).await?.0)
    }

    /// Whose passkey it is that was shown, when it fits.
    ///
    /// # Errors
    /// `invalid_credentials` when it is nobody's, does not fit, or is another company's than the host's;
    /// `slow_down` after failures.
    async fn by_passkey(&self, (id, credential): (&str, Value), company: Option<&str>) -> Result<Verified> {
        let auth = &self.auth.0;
        let refused = || Error::new(Code::InvalidCredentials);
        let shown = self.answered(id, credential).map_err(|_| refused())?;
        let snapshot = auth.store.snapshot()?;
        let (tenant, member) = shown.claims(&snapshot)?.ok_or_else(refused)?;
        let here = match company {
            Some(slug) => Some(members::tenant_by_slug(&snapshot, slug).map_err(|_| refused())?),
            None => self.auth.tenant_at(&snapshot, &self.host)?,
        };
        if here.is_some_and(|here| here != tenant) {
            return Err(refused());
        }
        // Failures with a passkey slow down nobody who signs in with the password.
        let account = format!("passkey {member}");
        let attempt = LoginAttempt { account: &account, address: self.peer.address, known_device: None };
        auth.throttle.attempt(attempt, auth.store.clock().now())?;
        let work = move |tx: &TenantWrite<'_>| admit_by_passkey(tx, member, &shown);
        auth.store.write_even_when_full(tenant, Actor::Member(member), work).await?;
        auth.throttle.succeeded(attempt);
        Ok(Verified { tenant, member, hash: None, second_factor: true })
    }

    /// Signs somebody in by a passkey and nothing else: the device has made sure who holds it.
    ///
    /// # Errors
    /// `invalid_credentials`; `slow_down` after failures; `busy`.
    pub async fn sign_in_by_passkey(
        &self,
        shown: (&str, Value),
        company: Option<&str>,
        remember: bool,
        stranger: Tell,
    ) -> Result<SignedIn> {
        let who = self.by_passkey(shown, company).await.inspect_err(|error| self.log_refused(error, company))?;
        self.enter(who, remember, stranger).await
    }
}

/// A passkey that a browser has made, and that is to be kept.
pub struct NewPasskey {
    made: passkeys::Making,
    credential: Value,
}

impl NewPasskey {
    /// Keeps it.
    ///
    /// # Errors
    /// `invalid_code` when it does not answer what was asked; `invalid` at `name`; `conflict` when the member has
    /// ten, or it is known already.
    pub fn keep(self, tx: &TenantWrite<'_>, name: &str) -> Result<Stored<Passkey>> {
        passkeys::keep(tx, self.made, self.credential, name)
    }
}
