//! The calls for sessions (product §4).

use poem_openapi::{Object, OpenApi, param::Query};
use serde::Serialize;

use super::rules;
use crate::{
    access::{
        Member, SignIn, SignedIn, Visitor,
        permission::{EvenLocked, OwnAccount},
        sessions::Session,
    },
    features::{current_user::UserView, factors::Shown},
    kernel::{Id, Timestamp},
    store::Stored,
    wire::{
        Empty, Json, JsonResponse, NoContent, Reply,
        response::{CookieGone, WithCookie},
    },
};

/// What one signs in with.
#[derive(Object)]
#[oai(rename = "SignIn", rename_all = "camelCase", deny_unknown_fields)]
struct Form {
    /// The address of the account.
    #[oai(validator(max_length = 320))]
    email: String,
    #[oai(validator(max_length = 1024))]
    password: String,
    /// The company's slug, when the address is in several.
    company: Option<String>,
    /// Whether the session outlives the browser: 7 days instead of 12 hours.
    #[oai(default)]
    remember_me: bool,
    /// A code of the authenticator app, or a recovery code.
    #[oai(validator(max_length = 64))]
    code: Option<String>,
    /// A passkey, as the second factor.
    passkey: Option<Shown>,
}

/// Who is signed in, and the token to show with every call.
#[derive(Serialize, Object)]
#[oai(rename = "SignedIn", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub(super) struct Token {
    /// Goes into `Authorization: Bearer`.
    access_token: String,
    /// When it runs out; refresh before.
    expires_at: Timestamp,
    /// Milliseconds for which it is good from now: for clocks that go wrong.
    expires_in: i64,
    user: UserView,
}

pub(super) fn opened(signed: SignedIn) -> WithCookie<Token> {
    let expires_in = crate::access::tokens::ACCESS_SECONDS * 1000;
    let user = UserView::new(&signed.member, &signed.company);
    WithCookie(Token { access_token: signed.token, expires_at: signed.expires_at, expires_in, user }, signed.cookies)
}

/// What a session is unlocked with.
#[derive(Object)]
#[oai(rename = "UnlockSession", rename_all = "camelCase", deny_unknown_fields)]
struct Unlock {
    #[oai(validator(max_length = 1024))]
    password: String,
    /// A code of the authenticator app, or a recovery code.
    #[oai(validator(max_length = 64))]
    code: Option<String>,
    /// A passkey, as the second factor.
    passkey: Option<Shown>,
}

/// A session of a member.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "Session", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub(super) struct SessionView {
    id: Id<Session>,
    /// Whether it is the one that asks.
    current: bool,
    created_at: Timestamp,
    last_seen_at: Timestamp,
    /// The device, as its browser names itself.
    device: String,
    /// The address it was last refreshed from.
    address: String,
    /// Since when it is locked, if it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    locked_at: Option<Timestamp>,
    /// Whether a second factor was shown at signing in.
    second_factor: bool,
}

/// A member's sessions.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "Sessions")]
pub(super) struct SessionList {
    items: Vec<SessionView>,
}

impl SessionList {
    /// Sessions as somebody sees them who asks in the session `current`.
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

/// How many sessions ended.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "SessionsEnded")]
pub(super) struct Ended {
    pub(super) ended: usize,
}

/// The calls.
pub struct Api;

#[OpenApi(prefix_path = "/auth", tag = "crate::wire::Tag::Auth")]
impl Api {
    /// Signs in.
    ///
    /// Wrong credentials are 400 `invalid_credentials`; when the address and password fit several companies,
    /// 409 `choose_company` lists them. When the password is right and a second factor is set up, 409
    /// `second_factor_needed` lists `factors` (`totp`, `recovery`, `passkey`); a wrong one is 400 `invalid_code`.
    #[oai(path = "/sign-in", method = "post", operation_id = "signIn")]
    async fn sign_in(&self, visitor: Visitor, body: Json<Form>) -> Reply<WithCookie<Token>> {
        let Form { email, password, company, remember_me, code, passkey } = body.0;
        let shown = visitor.shown(code, passkey.map(Shown::into_parts))?;
        let form = SignIn { email, password, company, remember: remember_me, shown };
        Ok(opened(visitor.sign_in(form, rules::tell_of_stranger).await?))
    }

    /// Renews the session that the cookie holds, and the cookie with it.
    #[oai(path = "/refresh", method = "post", operation_id = "refreshSession")]
    async fn refresh(&self, visitor: Visitor, _body: Json<Empty>) -> Reply<WithCookie<Token>> {
        Ok(opened(visitor.refresh(rules::tell_of_theft).await?))
    }

    /// Signs out: the session ends with this call, on every device that shares it.
    #[oai(path = "/sign-out", method = "post", operation_id = "signOut")]
    async fn sign_out(&self, visitor: Visitor, _body: Json<Empty>) -> Reply<CookieGone> {
        Ok(CookieGone(visitor.sign_out().await?))
    }

    /// Locks the session: every call but this, unlocking and signing out is answered 423 `session_locked`.
    #[oai(path = "/lock-session", method = "post", operation_id = "lockSession")]
    async fn lock(&self, member: Member<EvenLocked>, _body: Json<Empty>) -> Reply<NoContent> {
        member.lock().await?;
        Ok(NoContent)
    }

    /// Unlocks the session that the cookie holds.
    ///
    /// A wrong password is 400 `invalid_credentials` with `attemptsLeft`, a wrong second factor `invalid_code`; the
    /// fifth ends the session.
    #[oai(path = "/unlock-session", method = "post", operation_id = "unlockSession")]
    async fn unlock(&self, visitor: Visitor, body: Json<Unlock>) -> Reply<WithCookie<Token>> {
        let Unlock { password, code, passkey } = body.0;
        let shown = visitor.shown(code, passkey.map(Shown::into_parts))?;
        Ok(opened(visitor.unlock(password, shown).await?))
    }

    /// The caller's sessions, newest first.
    #[oai(path = "/sessions", method = "get", operation_id = "listSessions")]
    async fn sessions(&self, member: Member<OwnAccount>) -> Reply<JsonResponse<SessionList>> {
        Ok(JsonResponse(SessionList::new(member.sessions()?, member.session())))
    }

    /// Ends one of the caller's sessions.
    #[oai(path = "/sessions", method = "delete", operation_id = "endSession")]
    async fn end_session(&self, member: Member<OwnAccount>, id: Query<Id<Session>>) -> Reply<NoContent> {
        member.end_session(id.0).await?;
        Ok(NoContent)
    }

    /// Ends all of the caller's sessions but this one.
    #[oai(path = "/sessions/others", method = "delete", operation_id = "endOtherSessions")]
    async fn end_others(&self, member: Member<OwnAccount>) -> Reply<JsonResponse<Ended>> {
        Ok(JsonResponse(Ended { ended: member.end_other_sessions().await? }))
    }
}
