//! The calls for sessions (product §4).

use poem_openapi::{Object, OpenApi, param::Query};
use serde::Serialize;

use super::rules;
use crate::{
    access::{Member, SignIn, SignedIn, Visitor, permission::OwnData, sessions::Session},
    features::user::UserView,
    kernel::{Id, Timestamp},
    wire::{
        Answer, Empty, Gone, Json, Reply,
        answer::{CookieGone, WithCookie},
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
}

/// Who is signed in, and the token to show with every call.
#[derive(Serialize, Object)]
#[oai(rename = "SignedIn", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
struct Token {
    /// Goes into `Authorization: Bearer`.
    access_token: String,
    /// When it runs out; refresh before.
    expires_at: Timestamp,
    /// Milliseconds for which it is good from now: for clocks that go wrong.
    expires_in: i64,
    user: UserView,
}

fn opened(signed: SignedIn) -> WithCookie<Token> {
    let expires_in = crate::access::tokens::ACCESS_SECONDS * 1000;
    let user = UserView::new(&signed.member, &signed.company);
    WithCookie(Token { access_token: signed.token, expires_at: signed.expires_at, expires_in, user }, signed.cookie)
}

/// A session of the caller's.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "Session", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
struct SessionView {
    id: Id<Session>,
    /// Whether it is the one that asks.
    current: bool,
    created_at: Timestamp,
    last_seen_at: Timestamp,
    /// The device, as its browser names itself.
    device: String,
    /// The address it was last refreshed from.
    address: String,
}

/// The caller's sessions.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "Sessions")]
struct SessionList {
    items: Vec<SessionView>,
}

/// The calls.
pub struct Api;

#[OpenApi(prefix_path = "/auth", tag = "crate::wire::Tag::Auth")]
impl Api {
    /// Signs in.
    ///
    /// Wrong credentials are 400 `invalid_credentials`; when the address and password fit several companies,
    /// 409 `choose_company` lists them.
    #[oai(path = "/sign-in", method = "post", operation_id = "signIn")]
    async fn sign_in(&self, visitor: Visitor, body: Json<Form>) -> Reply<WithCookie<Token>> {
        let Form { email, password, company, remember_me } = body.0;
        Ok(opened(visitor.sign_in(SignIn { email, password, company, remember: remember_me }).await?))
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

    /// The caller's sessions, newest first.
    #[oai(path = "/sessions", method = "get", operation_id = "listSessions")]
    async fn sessions(&self, member: Member<OwnData>) -> Reply<Answer<SessionList>> {
        let view = |session: crate::store::Stored<Session>| SessionView {
            id: session.id,
            current: session.id == member.session(),
            created_at: session.created_at,
            last_seen_at: session.value.seen_at,
            device: session.value.device,
            address: session.value.address,
        };
        Ok(Answer(SessionList { items: member.sessions()?.into_iter().map(view).collect() }))
    }

    /// Ends one of the caller's sessions.
    #[oai(path = "/sessions", method = "delete", operation_id = "endSession")]
    async fn end_session(&self, member: Member<OwnData>, id: Query<Id<Session>>) -> Reply<Gone> {
        member.end_session(id.0).await?;
        Ok(Gone)
    }
}
