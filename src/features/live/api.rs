//! Long polling for live updates, for clients without a socket.

use std::time::Duration;

use poem::{IntoResponse, Response};
use poem_openapi::{
    ApiResponse, Object, OpenApi,
    param::Query,
    registry::{MetaResponses, Registry},
};
use serde::Serialize;

use super::frames::ServerFrame;
use crate::{
    access::Member,
    kernel::{Code, Error, Limit},
    live::{PollResult, presence::DeviceLimit},
    people::permission::OwnData,
    wire::{JsonResponse, Reply},
};

/// The longest wait of a call in seconds: well below the time limits of proxies.
const MAX_WAIT_SECONDS: u32 = 25;
/// Seconds without input after which a member is idle.
const IDLE_SECONDS: u32 = 5 * 60;

/// Live updates since the last call, and the position to continue from.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "News", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
struct NewsView {
    /// The value for `after` in the next call.
    at: u64,
    /// The value for `moment` in the next call.
    moment: u64,
    /// The frames that the socket would have sent, oldest first.
    frames: Vec<ServerFrame>,
    /// Whether more was missed than the server remembers: the client reads everything on the screen again.
    resync: bool,
}

/// The response `NewsView`, assembled from frames that are already serialized.
struct PollResponse(PollResult);

impl IntoResponse for PollResponse {
    fn into_response(self) -> Response {
        let PollResult { at, frame_seq, frames, resync } = self.0;
        let mut body = format!("{{\"at\":{at},\"moment\":{frame_seq},\"resync\":{resync},\"frames\":[").into_bytes();
        body.extend(frames.join(&b","[..]));
        body.extend(b"]}");
        Response::builder().content_type("application/json").body(body)
    }
}
impl ApiResponse for PollResponse {
    fn meta() -> MetaResponses {
        JsonResponse::<NewsView>::meta()
    }
    fn register(registry: &mut Registry) {
        <JsonResponse<NewsView> as ApiResponse>::register(registry);
    }
}

/// The error for a subscription beyond the limit.
pub(super) fn limit_error(limit: DeviceLimit) -> Error {
    Limit::Sockets.count_hit();
    match limit {
        DeviceLimit::Session => Error::new(Code::SlowDown).retry_after(5),
        DeviceLimit::Tenant => Error::new(Code::Busy).retry_after(5),
    }
}

/// The API of long polling.
pub struct Api;

#[OpenApi(prefix_path = "/live", tag = "crate::wire::Tag::Live")]
impl Api {
    /// Wait for live updates.
    ///
    /// For clients that cannot open a socket: the answer has the frames that the socket would have sent. Without
    /// `after` it comes at once, with the current sequence number of the ledger; with `after`, as soon as something
    /// happened after that number, or after `wait` seconds. One session may have five live connections at a time.
    #[oai(path = "/", method = "get", operation_id = "awaitNews")]
    async fn wait(
        &self,
        member: Member<OwnData>,
        /// The ledger sequence number up to which the caller has received everything.
        after: Query<Option<u64>>,
        /// The frame number up to which the caller has received transient frames (presence, typing). Without it, or
        /// when it is too old, the answer has a frame with all present members, and waiting does not end for a single
        /// change of presence.
        #[oai(name = "moment")]
        frame_seq: Query<Option<u64>>,
        /// Seconds to wait at most, 0 to 25; 25 when absent.
        wait: Query<Option<u32>>,
    ) -> Reply<PollResponse> {
        let wait = wait.0.unwrap_or(MAX_WAIT_SECONDS);
        if wait > MAX_WAIT_SECONDS {
            let params = vec![("min", "0".to_owned()), ("max", MAX_WAIT_SECONDS.to_string())];
            return Err(Error::new(Code::Invalid).and_field("wait", "errors.fields.range", params).into());
        }
        let channel = member.connection().subscribe(member.idle_seconds() >= IDLE_SECONDS).map_err(limit_error)?;
        let result = tokio::select! {
            result = channel.poll(after.0, frame_seq.0, Duration::from_secs(u64::from(wait))) => result,
            closed = member.connection().closed() => return Err(closed.into()),
        };
        // The session may have ended while the call waited: then the answer is that error, not the frames.
        member.connection().check()?;
        Ok(PollResponse(result))
    }
}
