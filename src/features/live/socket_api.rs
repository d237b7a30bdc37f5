//! The calls by which a socket is opened: the ticket, and the handshake.

use poem::{IntoResponse, Response};
use poem_openapi::{
    ApiResponse, Object, OpenApi,
    param::Query,
    registry::{MetaMediaType, MetaResponse, MetaResponses, Registry},
    types::Type,
};
use serde::Serialize;

use super::{
    frames::{ClientFrame, ServerFrame},
    socket,
};
use crate::{
    access::{Member, Ticketed, permission::OwnData},
    kernel::Timestamp,
    wire::{Empty, Json, JsonResponse, Reply, upgrade::Handshake},
};

/// What opens a socket.
#[derive(Serialize, Object)]
#[oai(rename = "SocketTicket", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
struct Ticket {
    /// Good once.
    ticket: String,
    /// Until then.
    expires_at: Timestamp,
}

/// 101: the connection is a WebSocket.
struct Switched(Response);

impl IntoResponse for Switched {
    fn into_response(self) -> Response {
        self.0
    }
}
impl ApiResponse for Switched {
    fn meta() -> MetaResponses {
        let frames = |content_type, schema| MetaMediaType { content_type, schema };
        MetaResponses {
            responses: vec![MetaResponse {
                description: "The connection is a WebSocket; `docs/socket.md` tells how it is spoken.",
                status: Some(101),
                status_range: None,
                content: vec![
                    frames("application/vnd.atrium.server-frame+json", ServerFrame::schema_ref()),
                    frames("application/vnd.atrium.client-frame+json", ClientFrame::schema_ref()),
                ],
                headers: Vec::new(),
            }],
        }
    }
    fn register(registry: &mut Registry) {
        ServerFrame::register(registry);
        ClientFrame::register(registry);
    }
}

/// The call for tickets.
pub struct TicketApi;

#[OpenApi(prefix_path = "/auth", tag = "crate::wire::Tag::Live")]
impl TicketApi {
    /// A ticket with which a socket can be opened within thirty seconds, once, from the same origin.
    #[oai(path = "/socket-ticket", method = "post", operation_id = "issueSocketTicket")]
    async fn issue(&self, member: Member<OwnData>, _body: Json<Empty>) -> Reply<JsonResponse<Ticket>> {
        let (ticket, expires_at) = member.ticket()?;
        Ok(JsonResponse(Ticket { ticket, expires_at }))
    }
}

/// The socket itself.
pub struct SocketApi;

#[OpenApi(prefix_path = "/socket", tag = "crate::wire::Tag::Live")]
impl SocketApi {
    /// Opens the socket: a WebSocket handshake from one of our own pages, which offers the protocols `atrium.v1`
    /// and `ticket.<ticket>`.
    #[oai(path = "/", method = "get", operation_id = "openSocket")]
    async fn open(
        &self,
        handshake: Handshake,
        ticketed: Ticketed,
        /// The place up to which the client has heard: it gets what it missed.
        after: Query<Option<u64>>,
    ) -> Reply<Switched> {
        let (Ticketed(member), stopping) = (ticketed, handshake.stopping.clone());
        let answer = match member.listen(false) {
            Ok(channel) => {
                let after = after.0;
                handshake.accept(move |connection| socket::serve(connection, member, channel, after, stopping))
            }
            // Said over the socket: a page cannot see why a handshake was refused.
            Err(_) => handshake.accept(socket::refuse),
        };
        Ok(Switched(answer))
    }
}
