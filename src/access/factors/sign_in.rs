//! Second factors in requests: which passkeys the host has, and what the caller presents at the sign-in.

use serde_json::Value;

use super::{
    Passkey, SecondFactorProof, has,
    passkeys::{self, Party},
    verify, verify_passkey,
};
use crate::{
    access::{
        AuthService, Member, SignedIn, Visitor,
        login_throttle::LoginAttempt,
        sessions::{NotifyMember, Verified},
    },
    kernel::{Code, Error, MemberId, Result, TenantId},
    people::{members, permission::Right},
    store::{Actor, Stored, TenantWrite},
};

impl AuthService {
    /// Verifies what a member presents besides the correct password. Returns whether a second factor was used.
    /// Errors: `second_factor_needed` or `invalid_code`, as in [`verify`].
    pub(in crate::access) async fn second_factor(
        &self,
        (tenant, member): (TenantId, MemberId),
        proof: SecondFactorProof,
    ) -> Result<bool> {
        let store = &self.0.store;
        // Most members have none, and a write costs much more than a read.
        if !has(&store.snapshot()?.tenant(tenant, Some(member)), member)? {
            return Ok(false);
        }
        Ok(store.write_even_when_full(tenant, Actor::Member(member), move |tx| verify(tx, member, &proof)).await?.0)
    }
}

/// A challenge for the browser.
pub struct PasskeyChallenge {
    /// The id to send back with the response.
    pub id: String,
    /// The options for the browser's WebAuthn call.
    pub options: Value,
}

impl Visitor {
    /// Returns the relying party of this host; `None` where there cannot be passkeys.
    fn party(&self) -> Result<Option<Party>> {
        let auth = &self.auth.0;
        Party::at(&auth.store.snapshot()?, &auth.config, &self.host, self.peer.https)
    }

    /// Whether there can be passkeys at this host.
    pub fn has_passkeys(&self) -> Result<bool> {
        Ok(self.party()?.is_some())
    }

    fn own_party(&self) -> Result<Party> {
        let here = self.party()?;
        here.ok_or_else(|| Error::new(Code::Conflict).say("errors.passkeys_not_here", Vec::new()))
    }

    /// Issues a challenge for any passkey of the host.
    /// Errors: `conflict` where there cannot be any.
    pub fn passkey_challenge(&self) -> Result<PasskeyChallenge> {
        let (options, challenge) = self.own_party()?.ask()?;
        let store = &self.auth.0.store;
        let pending = &self.auth.0.factors;
        let id = pending.sign_ins.issue(challenge, self.peer.address, store.clock().now(), store.entropy());
        Ok(PasskeyChallenge { id, options })
    }

    /// Issues a challenge to create a passkey for a member.
    /// Errors: `conflict` where there cannot be any, or when the member has ten.
    pub fn registration_challenge<R: Right>(&self, member: &Member<R>) -> Result<PasskeyChallenge> {
        let party = self.own_party()?;
        let record = member.record();
        let (options, challenge) = member.read(|tx| party.make(tx, member.id(), &record.name, &record.email))?;
        let id = self.auth.0.factors.registrations.issue(
            challenge,
            member.address(),
            member.now(),
            self.auth.0.store.entropy(),
        );
        Ok(PasskeyChallenge { id, options })
    }

    /// Takes the response with a new passkey; the write decides whether it is kept.
    /// Errors: `invalid_code` when no such challenge was issued to this member, or it has expired.
    pub fn new_passkey<R: Right>(&self, member: &Member<R>, id: &str, credential: Value) -> Result<NewPasskey> {
        let made = self.auth.0.factors.registrations.take(id, member.now()).filter(|made| made.is_of(member.id()));
        Ok(NewPasskey { made: made.ok_or_else(|| Error::new(Code::InvalidCode))?, credential })
    }

    /// Collects what the caller presents besides the password.
    /// Errors: `invalid_code` when the passkey answers no challenge of this host.
    pub fn second_factor_proof(
        &self,
        code: Option<String>,
        passkey: Option<(String, Value)>,
    ) -> Result<SecondFactorProof> {
        let host = self.party()?.map(|party| party.host().to_owned());
        let passkey = passkey.map(|(id, credential)| self.answered(&id, credential)).transpose()?;
        Ok(SecondFactorProof { code: code.filter(|code| !code.trim().is_empty()), passkey, host })
    }

    /// Returns a passkey's response with its challenge.
    fn answered(&self, id: &str, credential: Value) -> Result<passkeys::Assertion> {
        let refused = || Error::new(Code::InvalidCode);
        let asked = self.auth.0.factors.sign_ins.take(id, self.auth.0.store.clock().now()).ok_or_else(refused)?;
        if !self.party()?.is_some_and(|party| asked.is_at(&party)) {
            return Err(refused());
        }
        asked.answered(credential)
    }

    /// Verifies a passkey. Returns its member.
    /// Errors: `invalid_credentials` when it belongs to no member, does not match, or belongs to another company than
    /// the requested one; `slow_down` after failures.
    async fn by_passkey(&self, (id, credential): (&str, Value), company: Option<&str>) -> Result<Verified> {
        let auth = &self.auth.0;
        let refused = || Error::new(Code::InvalidCredentials).say("errors.passkey_refused", Vec::new());
        let assertion = self.answered(id, credential).map_err(|_| refused())?;
        let snapshot = auth.store.snapshot()?;
        let (tenant, member) = assertion.claims(&snapshot)?.ok_or_else(refused)?;
        let here = match company {
            Some(slug) => Some(members::tenant_by_slug(&snapshot, slug).map_err(|_| refused())?),
            None => self.auth.tenant_at(&snapshot, &self.host)?,
        };
        if here.is_some_and(|here| here != tenant) {
            return Err(refused());
        }
        // Failures with a passkey do not slow down sign-ins with the password.
        let account = format!("passkey {member}");
        let attempt = LoginAttempt { account: &account, address: self.peer.address, known_device: None };
        auth.throttle.attempt(attempt, auth.store.clock().now())?;
        let work = move |tx: &TenantWrite<'_>| verify_passkey(tx, member, &assertion);
        auth.store.write_even_when_full(tenant, Actor::Member(member), work).await?;
        auth.throttle.succeeded(attempt);
        Ok(Verified { tenant, member, hash: None, second_factor: true })
    }

    /// Signs a member in by a passkey alone, which the device releases only after it verified its user.
    /// Errors: `invalid_credentials`; `slow_down` after failures.
    pub async fn sign_in_by_passkey(
        &self,
        passkey: (&str, Value),
        company: Option<&str>,
        remember: bool,
        on_new_device: NotifyMember,
    ) -> Result<SignedIn> {
        let who =
            self.by_passkey(passkey, company).await.inspect_err(|error| self.log_rejected_attempt(error, company))?;
        self.open_session(who, remember, on_new_device).await
    }
}

/// A passkey that a browser has created, and that is not stored yet.
pub struct NewPasskey {
    made: passkeys::Making,
    credential: Value,
}

impl NewPasskey {
    /// Stores it.
    /// Errors: `invalid_code` when it does not answer the challenge; `invalid` at `name`; `conflict` when the member
    /// has ten, or it is known already.
    pub fn keep(self, tx: &TenantWrite<'_>, name: &str) -> Result<Stored<Passkey>> {
        passkeys::keep(tx, self.made, self.credential, name)
    }
}
