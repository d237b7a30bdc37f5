//! Staying signed in, locking the screen, and signing out.

use sha2::{Digest, Sha256};

use super::{SignedIn, Visitor};
use crate::{
    access::{
        factors::SecondFactorProof,
        sessions::{NewSession, Refresh, Tell, Verified},
    },
    kernel::{Code, Error, Result},
};

impl Visitor {
    /// Opens a session for somebody who has shown who they are. `stranger` tells them when they never signed in
    /// from that browser before.
    ///
    /// # Errors
    /// `invalid_credentials` when they may not come in any more; `busy`.
    pub(in crate::access) async fn enter(&self, who: Verified, remember: bool, stranger: Tell) -> Result<SignedIn> {
        let member = who.member;
        let stranger = self.known_device([member]).is_none().then_some(stranger);
        let new = NewSession { remember, device: self.device(), stranger };
        let opened = self.auth.0.sessions.open(who, new).await?;
        let mut signed = self.signed_in(opened)?;
        signed.cookies.push(self.keep_mark(member)?);
        Ok(signed)
    }

    /// Refuses what another site asks for.
    fn ours(&self) -> Result<()> {
        if self.same_origin { Ok(()) } else { Err(Error::new(Code::Forbidden)) }
    }

    /// Renews the session that the cookie holds. When its token was stolen, the session ends, and `told` writes
    /// what the member shall know of it.
    ///
    /// # Errors
    /// `not_signed_in` when there is none; `session_locked`; `forbidden` when another site asks.
    pub async fn refresh(&self, told: Tell) -> Result<SignedIn> {
        self.ours()?;
        let shown = self.refresh_token().ok_or_else(|| Error::new(Code::NotSignedIn))?;
        let next = self.successor(&shown)?;
        let opened = self.auth.0.sessions.renew(shown, next, self.device(), self.idle_seconds, told).await?;
        self.signed_in(opened)
    }

    /// The secret of the refresh token that follows one: a signature over it, so that it is the same whenever it is
    /// shown, and only the server can tell it.
    fn successor(&self, shown: &Refresh) -> Result<[u8; 32]> {
        Ok(Sha256::digest(self.auth.0.tokens.sign("refresh", &shown.seed())?).into())
    }

    /// The member whose session the cookie holds, with an access token and no new cookie. Nothing is changed, so
    /// that a call that is refused afterwards leaves the browser with a cookie that is good.
    ///
    /// # Errors
    /// `not_signed_in` when there is none or its token is not good; `session_locked`; `forbidden` when another site
    /// asks.
    pub(in crate::access) fn holder(&self) -> Result<SignedIn> {
        self.ours()?;
        let shown = self.refresh_token().ok_or_else(|| Error::new(Code::NotSignedIn))?;
        let auth = &self.auth.0;
        let (at, who) = auth.sessions.holder(&shown, self.idle_seconds)?;
        let (token, expires_at) = auth.tokens.issue(at.tenant, at.member, at.session, at.generation)?;
        Ok(SignedIn { member: who.member, company: who.company, token, expires_at, cookies: Vec::new() })
    }

    /// Unlocks the session that the cookie holds, by its member's password and second factor.
    ///
    /// # Errors
    /// `invalid_credentials` or `invalid_code` with the tries that are left; `second_factor_needed`;
    /// `not_signed_in` when the session is over, as it is after the fifth wrong one; `slow_down`; `forbidden` when another site asks.
    pub async fn unlock(&self, password: String, shown: SecondFactorProof) -> Result<SignedIn> {
        self.ours()?;
        let auth = &self.auth.0;
        auth.throttle
            .ask(self.peer.address, auth.store.clock().now())
            .inspect_err(|error| self.log_refused(error, None))?;
        let token = self.refresh_token().ok_or_else(|| Error::new(Code::NotSignedIn))?;
        let next = self.successor(&token)?;
        let attempt = auth.sessions.try_unlock(auth.sessions.to_unlock(token)?).await?;
        let email = &attempt.whose().member.email;
        let right = match auth.passwords.verify_each(password, email, vec![attempt.hash()]).await {
            Ok(right) => right == [true],
            Err(error) => {
                auth.sessions.untried(&attempt);
                return Err(error);
            }
        };
        let one = (attempt.tenant(), attempt.whose().member.id.cast());
        if !right {
            self.log_failed(one, "wrong password");
            return Err(auth.sessions.not_unlocked(attempt, Code::InvalidCredentials).await?);
        }
        if let Err(error) = self.second_factor(one, shown).await {
            if error.code() == Code::InvalidCode {
                self.log_failed(one, "wrong code");
                return Err(auth.sessions.not_unlocked(attempt, Code::InvalidCode).await?);
            }
            auth.sessions.untried(&attempt);
            return Err(error);
        }
        let opened = auth.sessions.unlock(attempt, next, self.device()).await?;
        self.signed_in(opened)
    }

    /// Ends the session that the cookie, or the access token, belongs to, locked or not. Answers with the header
    /// that clears the cookie.
    ///
    /// # Errors
    /// `forbidden` when another site asks; `busy` when it cannot be written.
    pub async fn sign_out(&self) -> Result<String> {
        self.ours()?;
        let sessions = &self.auth.0.sessions;
        if let Some(shown) = self.refresh_token() {
            sessions.end_by(&shown, self.device()).await?;
        }
        if let Ok(at) = self.auth.session_of(&self.bearer) {
            sessions.sign_out(at.tenant, at.member, at.session, self.device()).await?;
        }
        Ok(self.drop_token())
    }
}
