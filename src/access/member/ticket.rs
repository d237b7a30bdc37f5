//! Authentication of a WebSocket by a ticket that was issued to a page of this installation.

use std::marker::PhantomData;

use poem::{
    Request, RequestBody,
    http::{HeaderMap, header},
};
use poem_openapi::{
    ApiExtractor, ApiExtractorType, ExtractParamOptions,
    registry::{MetaSecurityScheme, Registry},
};

use super::{Member, Origin};
use crate::{
    access::{AuthenticatedSession, auth, sessions::SessionRef, tickets::is_ours},
    kernel::{Code, Error, Result, Timestamp},
    people::permission::{OwnData, Right},
    wire::{Problem, upgrade::protocols},
};

/// The prefix of the ticket among the protocols that the client offers.
const PREFIX: &str = "ticket.";
/// The name of the ticket in the API document.
const SCHEME: &str = "ticket";

/// The page that sent a request, if the browser reports it.
#[derive(Clone, Debug, Default)]
pub(super) struct Page {
    host: String,
    origin: Option<String>,
}

impl Page {
    pub(super) fn of(request: &Request) -> Self {
        let text = |name: header::HeaderName| {
            // A value that is not text matches no origin.
            request.headers().get(name).map(|value| value.to_str().unwrap_or("?").to_owned())
        };
        let host = text(header::HOST).or_else(|| request.uri().host().map(str::to_owned));
        Self { host: host.unwrap_or_default(), origin: text(header::ORIGIN) }
    }
}

impl<R: Right> Member<R> {
    /// Issues a ticket that opens a socket in this session. Returns it with its expiry.
    /// Errors: `forbidden` when a page of another site asks.
    pub fn ticket(&self) -> Result<(String, Timestamp)> {
        let auth = &self.0.auth.0;
        let page = &self.1.page;
        if page.origin.as_ref().is_some_and(|origin| !is_ours(&auth.config, &page.host, origin)) {
            return Err(Error::new(Code::Forbidden));
        }
        Ok(auth.tickets.issue(self.session_ref(), page.origin.clone(), self.now(), auth.store.entropy()))
    }

    /// A reference to the member's session.
    pub(super) fn session_ref(&self) -> SessionRef {
        let live = &self.0.live;
        SessionRef { tenant: live.tenant, member: live.member, session: self.0.session, generation: 0 }
    }
}

/// A member who has presented a ticket.
pub struct Ticketed(pub Member<OwnData>);

fn ticket_of(headers: &HeaderMap) -> Option<&str> {
    protocols(headers).find_map(|one| one.strip_prefix(PREFIX))
}

fn authenticate(request: &Request, page: &Page) -> Result<AuthenticatedSession> {
    let auth = auth(request)?;
    // Before the ticket is taken: a page of another site cannot even use it up.
    let origin = page.origin.as_ref().filter(|origin| is_ours(&auth.0.config, &page.host, origin));
    let origin = origin.ok_or_else(|| Error::new(Code::Forbidden))?;
    let refused = || Error::new(Code::NotSignedIn);
    let ticket = ticket_of(request.headers()).ok_or_else(refused)?;
    let at = auth.0.tickets.take(ticket, origin, auth.0.store.clock().now()).ok_or_else(refused)?;
    // With the longest idle time: a connection of the page does not count as activity.
    auth.authenticate_session::<OwnData>(&at, u32::MAX)
}

impl<'a> ApiExtractor<'a> for Ticketed {
    const TYPES: &'static [ApiExtractorType] = &[ApiExtractorType::SecurityScheme];
    type ParamType = ();
    type ParamRawType = ();

    fn register(registry: &mut Registry) {
        registry.create_security_scheme(
            SCHEME,
            MetaSecurityScheme {
                ty: "apiKey",
                description: Some("A ticket of `POST /api/auth/socket-ticket`, as `atrium.v1, ticket.<ticket>`."),
                name: Some("Sec-WebSocket-Protocol"),
                key_in: Some("header"),
                scheme: None,
                bearer_format: None,
                flows: None,
                openid_connect_url: None,
            },
        );
    }

    fn security_schemes() -> Vec<&'static str> {
        vec![SCHEME]
    }

    async fn from_request(request: &'a Request, _: &mut RequestBody, _: ExtractParamOptions<()>) -> poem::Result<Self> {
        let origin = Origin::of(request);
        let authenticate = authenticate(request, &origin.page).map_err(Problem)?;
        Ok(Self(Member(authenticate, origin, PhantomData)))
    }
}
