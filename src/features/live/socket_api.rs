//! Opening of a socket: the ticket, and the WebSocket handshake.

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
    access::{Member, Ticketed},
    kernel::Timestamp,
    people::permission::OwnData,
    wire::{Empty, Json, JsonResponse, Reply, upgrade::Handshake},
};

/// A ticket that opens a socket.
#[derive(Serialize, Object)]
#[oai(rename = "SocketTicket", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
struct Ticket {
    /// The ticket, valid once.
    ticket: String,
    /// When the ticket expires.
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
                description: "The connection is a WebSocket; `docs/socket.md` describes its frames.",
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

/// The API of tickets.
pub struct TicketApi;

#[OpenApi(prefix_path = "/auth", tag = "crate::wire::Tag::Live")]
impl TicketApi {
    /// Issue a socket ticket.
    ///
    /// The ticket opens one socket within thirty seconds, from the same origin.
    #[oai(path = "/socket-ticket", method = "post", operation_id = "issueSocketTicket")]
    async fn issue(&self, member: Member<OwnData>, _body: Json<Empty>) -> Reply<JsonResponse<Ticket>> {
        let (ticket, expires_at) = member.ticket()?;
        Ok(JsonResponse(Ticket { ticket, expires_at }))
    }
}

/// The API of the socket.
pub struct SocketApi;

#[OpenApi(prefix_path = "/socket", tag = "crate::wire::Tag::Live")]
impl SocketApi {
    /// Open a socket.
    ///
    /// A WebSocket handshake from a page of this installation, which offers the protocols `atrium.v1` and
    /// `ticket.<ticket>`.
    #[oai(path = "/", method = "get", operation_id = "openSocket")]
    async fn open(
        &self,
        handshake: Handshake,
        ticketed: Ticketed,
        /// The ledger sequence number up to which the client has received everything; the server sends what followed.
        after: Query<Option<u64>>,
    ) -> Reply<Switched> {
        let Ticketed(member) = ticketed;
        let stopping = handshake.stopping.clone();
        let answer = match member.connection().subscribe(false) {
            Ok(channel) => {
                let after = after.0;
                handshake.accept(move |connection| socket::serve(connection, member, channel, after, stopping))
            }
            // Answered over the socket: a page cannot see why a handshake was refused.
            Err(_) => handshake.accept(socket::refuse),
        };
        Ok(Switched(answer))
    }
}
