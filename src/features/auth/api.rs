//! API of sessions: sign-in, refresh, lock and sign-out (product §4).

use poem_openapi::{Object, OpenApi};
use serde::Serialize;
use serde_with::skip_serializing_none;

use super::rules;
use crate::{
    access::{Member, SignIn, SignedIn, Visitor, sessions::Session},
    features::{
        current_user::UserView,
        factors::{PasskeyAnswer, Password},
    },
    kernel::{Id, Timestamp},
    people::permission::{EvenLocked, OwnAccount},
    store::Stored,
    wire::{
        Empty, Json, JsonResponse, NoContent, Reply,
        response::{CookieGone, WithCookie},
    },
};

/// The credentials of a sign-in.
#[derive(Object)]
#[oai(rename = "SignIn", rename_all = "camelCase", deny_unknown_fields)]
struct Form {
    /// The email address of the account.
    #[oai(validator(max_length = 320))]
    email: String,
    #[oai(validator(max_length = 1024))]
    password: String,
    /// The company's slug; required when the address and password fit several companies.
    company: Option<String>,
    /// Whether the session outlives the browser: it lasts 7 days instead of 12 hours.
    #[oai(default)]
    remember_me: bool,
    /// A code from the authenticator app, or a recovery code.
    #[oai(validator(max_length = 64))]
    code: Option<String>,
    /// The answer of a passkey, as the second factor.
    passkey: Option<PasskeyAnswer>,
}

/// The signed-in member, and the access token.
#[derive(Serialize, Object)]
#[oai(rename = "SignedIn", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub(super) struct Token {
    /// The access token, for `Authorization: Bearer`.
    access_token: String,
    /// When the access token expires. Refresh the session before.
    expires_at: Timestamp,
    /// Milliseconds until the token expires, for clients whose clock is wrong.
    expires_in: i64,
    user: UserView,
}

pub(super) fn opened(signed: SignedIn) -> WithCookie<Token> {
    let expires_in = crate::access::tokens::ACCESS_SECONDS * 1000;
    let user = UserView::new(&signed.member, &signed.company);
    WithCookie(Token { access_token: signed.token, expires_at: signed.expires_at, expires_in, user }, signed.cookies)
}

/// The credentials that unlock a session.
#[derive(Object)]
#[oai(rename = "UnlockSession", rename_all = "camelCase", deny_unknown_fields)]
struct Unlock {
    #[oai(validator(max_length = 1024))]
    password: String,
    /// A code from the authenticator app, or a recovery code.
    #[oai(validator(max_length = 64))]
    code: Option<String>,
    /// The answer of a passkey, as the second factor.
    passkey: Option<PasskeyAnswer>,
}

/// A session of a member.
#[skip_serializing_none]
#[derive(Debug, Serialize, Object)]
#[oai(rename = "Session", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub(super) struct SessionView {
    id: Id<Session>,
    /// Whether it is the session of this request.
    current: bool,
    created_at: Timestamp,
    last_seen_at: Timestamp,
    /// The device, as the browser's `User-Agent` names it.
    device: String,
    /// The IP address of the last refresh.
    address: String,
    /// When the session was locked; absent when it is not.
    locked_at: Option<Timestamp>,
    /// Whether the sign-in used a second factor.
    second_factor: bool,
}

/// A member's sessions.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "Sessions")]
pub(super) struct SessionList {
    items: Vec<SessionView>,
}

impl SessionList {
    /// Creates the list; `current` is the session of the request.
    pub(super) fn new(sessions: Vec<Stored<Session>>, current: Id<Session>) -> Self {
        let view = |session: Stored<Session>| SessionView {
            id: session.id,
            current: session.id == current,
            created_at: session.created_at,
            last_seen_at: session.value.seen_at,
            device: session.value.device,
            address: session.value.address,
            locked_at: session.value.locked_at,
            second_factor: session.value.second_factor,
        };
        Self { items: sessions.into_iter().map(view).collect() }
    }
}

/// The session that ends, and what proves who the caller is.
#[derive(Object)]
#[oai(rename = "EndSession", deny_unknown_fields)]
struct EndedSession {
    /// One of the caller's sessions.
    id: Id<Session>,
    /// The caller's password; not needed for the session of the request.
    #[oai(default, validator(max_length = 1024))]
    password: String,
    /// A code from the authenticator app, or a recovery code, if a second factor is set up.
    #[oai(validator(max_length = 64))]
    code: Option<String>,
    /// The answer of a passkey, as the second factor.
    passkey: Option<PasskeyAnswer>,
}

/// The number of sessions that ended.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "SessionsEnded")]
pub(super) struct Ended {
    pub(super) ended: usize,
}

/// The API of sessions.
pub struct Api;

#[OpenApi(prefix_path = "/auth", tag = "crate::wire::Tag::Auth")]
impl Api {
    /// Sign in.
    ///
    /// Wrong credentials return 400 `invalid_credentials`. When the address and password fit several companies, 409
    /// `choose_company` lists them. When the password is right and a second factor is set up, 409
    /// `second_factor_needed` lists `factors` (`totp`, `recovery`, `passkey`); a wrong second factor returns 400
    /// `invalid_code`.
    #[oai(path = "/sign-in", method = "post", operation_id = "signIn")]
    async fn sign_in(&self, visitor: Visitor, body: Json<Form>) -> Reply<WithCookie<Token>> {
        let Form { email, password, company, remember_me, code, passkey } = body.0;
        let proof = visitor.second_factor_proof(code, passkey.map(PasskeyAnswer::into_parts))?;
        let form = SignIn { email, password, company, remember: remember_me, proof };
        Ok(opened(visitor.sign_in(form, rules::notify_of_new_device).await?))
    }

    /// Refresh the session of the cookie.
    ///
    /// Renews the cookie too.
    #[oai(path = "/refresh", method = "post", operation_id = "refreshSession")]
    async fn refresh(&self, visitor: Visitor, _body: Json<Empty>) -> Reply<WithCookie<Token>> {
        Ok(opened(visitor.refresh(rules::tell_of_theft).await?))
    }

    /// Sign out.
    ///
    /// The session of the cookie or access token ends at once, on every device that shares it.
    #[oai(path = "/sign-out", method = "post", operation_id = "signOut")]
    async fn sign_out(&self, visitor: Visitor, _body: Json<Empty>) -> Reply<CookieGone> {
        Ok(CookieGone(visitor.sign_out().await?))
    }

    /// Lock the session.
    ///
    /// All calls except this one, unlocking and signing out return 423 `session_locked` until it is unlocked.
    #[oai(path = "/lock-session", method = "post", operation_id = "lockSession")]
    async fn lock(&self, member: Member<EvenLocked>, _body: Json<Empty>) -> Reply<NoContent> {
        member.sessions().lock().await?;
        Ok(NoContent)
    }

    /// Unlock the session of the cookie.
    ///
    /// A wrong password returns 400 `invalid_credentials` with `attemptsLeft`, a wrong second factor `invalid_code`.
    /// The fifth failure ends the session.
    #[oai(path = "/unlock-session", method = "post", operation_id = "unlockSession")]
    async fn unlock(&self, visitor: Visitor, body: Json<Unlock>) -> Reply<WithCookie<Token>> {
        let Unlock { password, code, passkey } = body.0;
        let proof = visitor.second_factor_proof(code, passkey.map(PasskeyAnswer::into_parts))?;
        Ok(opened(visitor.unlock(password, proof).await?))
    }

    /// List the caller's sessions.
    ///
    /// The newest come first.
    #[oai(path = "/sessions", method = "get", operation_id = "listSessions")]
    async fn sessions(&self, member: Member<OwnAccount>) -> Reply<JsonResponse<SessionList>> {
        Ok(JsonResponse(SessionList::new(member.sessions().list()?, member.session())))
    }

    /// End one of the caller's sessions.
    ///
    /// To end another one than that of the request needs the password, and a second factor if one is set up.
    #[oai(path = "/sessions/end", method = "post", operation_id = "endSession")]
    async fn end_session(
        &self,
        member: Member<OwnAccount>,
        visitor: Visitor,
        body: Json<EndedSession>,
    ) -> Reply<NoContent> {
        let EndedSession { id, password, code, passkey } = body.0;
        if id != member.session() {
            Password { password, code, passkey }.prove(&visitor, &member).await?;
        }
        member.sessions().end(id).await?;
        Ok(NoContent)
    }

    /// End all other sessions of the caller.
    ///
    /// Needs the password, and a second factor if one is set up.
    #[oai(path = "/sessions/end-others", method = "post", operation_id = "endOtherSessions")]
    async fn end_others(
        &self,
        member: Member<OwnAccount>,
        visitor: Visitor,
        body: Json<Password>,
    ) -> Reply<JsonResponse<Ended>> {
        body.0.prove(&visitor, &member).await?;
        Ok(JsonResponse(Ended { ended: member.sessions().end_others().await? }))
    }
}
