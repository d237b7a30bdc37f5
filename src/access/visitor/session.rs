//! Opening, renewing, unlocking and ending the browser's session.

use sha2::{Digest, Sha256};

use super::{SignedIn, Visitor};
use crate::{
    access::{
        AuthenticatedSession,
        factors::SecondFactorProof,
        sessions::{NewSession, NotifyMember, Refresh, SessionRef, Verified},
    },
    kernel::{Code, Error, MemberId, Result, TenantId},
    people::permission::{Read, Reader},
};

/// Who asks for an uploaded file.
#[derive(Clone, Copy, Debug)]
pub enum FileReader {
    /// A member in a session.
    Member(TenantId, Reader),
    /// A member whose session is locked: their own picture is shown beside the lock.
    Locked(TenantId, MemberId),
}

/// An idle time that counts as no activity.
const NO_ACTIVITY: u32 = 315_360_000;

impl Visitor {
    /// Returns who asks for an uploaded file: the member of the access token, or of the session of the cookie for files.
    /// `None` without a session.
    pub fn file_reader(&self) -> Option<FileReader> {
        let member = |session: &AuthenticatedSession| {
            let reader = Reader { id: session.who.member.id, role: session.who.member.role };
            FileReader::Member(session.live.tenant, reader)
        };
        if let Ok(session) = self.auth.authenticate::<Read>(&self.bearer) {
            return Some(member(&session));
        }
        let auth = &self.auth.0;
        let id = self.session_of_media_cookie()?;
        let live = auth.sessions.find(id, auth.store.clock().now())?;
        let at = SessionRef { tenant: live.tenant, member: live.member, session: id, generation: 0 };
        match self.auth.authenticate_session::<Read>(&at, NO_ACTIVITY) {
            Ok(session) => Some(member(&session)),
            Err(error) if error.code() == Code::SessionLocked => Some(FileReader::Locked(live.tenant, live.member)),
            Err(_) => None,
        }
    }

    /// Opens a session for a member who has authenticated. `on_new_device` informs them when they never signed in from this
    /// browser before.
    /// Errors: `invalid_credentials` when they may no longer sign in.
    pub(in crate::access) async fn open_session(
        &self,
        who: Verified,
        remember: bool,
        on_new_device: NotifyMember,
    ) -> Result<SignedIn> {
        let member = who.member;
        let on_new_device = self.known_device([member]).is_none().then_some(on_new_device);
        let new = NewSession { remember, device: self.device(), on_new_device };
        let opened = self.auth.0.sessions.open(who, new).await?;
        let mut signed = self.signed_in(opened)?;
        signed.cookies.push(self.renew_device_cookie(member)?);
        Ok(signed)
    }

    /// Refuses requests from other sites.
    fn require_same_origin(&self) -> Result<()> {
        if self.same_origin { Ok(()) } else { Err(Error::new(Code::Forbidden)) }
    }

    /// Renews the session of the cookie. When its token was stolen, the session ends, and `on_theft` informs the member.
    /// Errors: `not_signed_in` without a valid session; `session_locked`; `forbidden` when another site asks.
    pub async fn refresh(&self, on_theft: NotifyMember) -> Result<SignedIn> {
        self.require_same_origin()?;
        let presented = self.refresh_token().ok_or_else(|| Error::new(Code::NotSignedIn))?;
        let next = self.successor(&presented)?;
        let opened = self.auth.0.sessions.renew(presented, next, self.device(), self.idle_seconds, on_theft).await?;
        self.signed_in(opened)
    }

    /// Derives the secret of a refresh token's successor from a signature over the token: it is the same each time,
    /// and only the server can compute it.
    fn successor(&self, presented: &Refresh) -> Result<[u8; 32]> {
        Ok(Sha256::digest(self.auth.0.tokens.sign("refresh", &presented.seed())?).into())
    }

    /// Returns the member of the cookie's session, with an access token and no new cookie. Changes nothing, so that the
    /// cookie stays valid when the call is refused afterwards.
    /// Errors: `not_signed_in` without a valid session; `session_locked`; `forbidden` when another site asks.
    pub(in crate::access) fn holder(&self) -> Result<SignedIn> {
        self.require_same_origin()?;
        let presented = self.refresh_token().ok_or_else(|| Error::new(Code::NotSignedIn))?;
        let auth = &self.auth.0;
        let (at, who) = auth.sessions.holder(&presented, self.idle_seconds)?;
        let (token, expires_at) = auth.tokens.issue(at.tenant, at.member, at.session, at.generation)?;
        Ok(SignedIn { member: who.member, company: who.company, token, expires_at, cookies: Vec::new() })
    }

    /// Unlocks the session of the cookie, by its member's password and second factor.
    /// Errors: `invalid_credentials` or `invalid_code` with the number of attempts left; `second_factor_needed`;
    /// `not_signed_in` when the session is over, as it is after the fifth failure; `slow_down`; `forbidden` when
    /// another site asks.
    pub async fn unlock(&self, password: String, proof: SecondFactorProof) -> Result<SignedIn> {
        self.require_same_origin()?;
        let auth = &self.auth.0;
        auth.throttle
            .count_request(self.peer.address, auth.store.clock().now())
            .inspect_err(|error| self.log_rejected_attempt(error, None))?;
        let token = self.refresh_token().ok_or_else(|| Error::new(Code::NotSignedIn))?;
        let next = self.successor(&token)?;
        let attempt = auth.sessions.take_attempt(auth.sessions.begin_unlock(token)?).await?;
        let email = &attempt.whose().member.email;
        let right = match auth.passwords.verify_each(password, email, vec![attempt.hash()]).await {
            Ok(right) => right == [true],
            Err(error) => {
                auth.sessions.return_attempt(&attempt);
                return Err(error);
            }
        };
        let one = (attempt.tenant(), attempt.whose().member.id);
        if !right {
            self.log_member_failure(one, "wrong password");
            return Err(auth.sessions.record_failed_unlock(attempt, Code::InvalidCredentials).await?);
        }
        if let Err(error) = self.auth.second_factor(one, proof).await {
            if error.code() == Code::InvalidCode {
                self.log_member_failure(one, "wrong code");
                return Err(auth.sessions.record_failed_unlock(attempt, Code::InvalidCode).await?);
            }
            auth.sessions.return_attempt(&attempt);
            return Err(error);
        }
        let opened = auth.sessions.unlock(attempt, next, self.device()).await?;
        self.signed_in(opened)
    }

    /// Ends the session of the cookie and of the access token, locked or not. Returns the headers that clear the cookies.
    /// Errors: `forbidden` when another site asks.
    pub async fn sign_out(&self) -> Result<Vec<String>> {
        self.require_same_origin()?;
        let sessions = &self.auth.0.sessions;
        if let Some(presented) = self.refresh_token() {
            sessions.end_by(&presented, self.device()).await?;
        }
        if let Ok(at) = self.auth.session_of(&self.bearer) {
            sessions.sign_out(at.tenant, at.member, at.session, self.device()).await?;
        }
        Ok(vec![self.clear_token_cookie(), self.clear_media_cookie()])
    }
}
