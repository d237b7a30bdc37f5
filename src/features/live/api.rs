//! The call by which an open screen waits for news.

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
    access::{Member, permission::OwnData},
    kernel::{Code, Error},
    live::{PollResult, presence::Full},
    wire::{JsonResponse, Reply},
};

/// The longest that a call waits: well below what proxies allow.
const PATIENCE: u32 = 25;
/// Seconds without input after which somebody is idle.
const IDLE: u32 = 5 * 60;

/// What happened, and where to go on from.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "News", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
struct NewsView {
    /// What to give as `after` next time.
    at: u64,
    /// What to give as `moment` next time.
    moment: u64,
    /// What the socket would have said, oldest first.
    frames: Vec<ServerFrame>,
    /// Whether more was missed than is remembered: read everything on the screen again.
    resync: bool,
}

/// The answer, put together from frames that were written before.
struct Written(PollResult);

impl IntoResponse for Written {
    fn into_response(self) -> Response {
        let PollResult { at, frame_seq: moment, frames, resync } = self.0;
        let mut body = format!("{{\"at\":{at},\"moment\":{moment},\"resync\":{resync},\"frames\":[").into_bytes();
        body.extend(frames.join(&b","[..]));
        body.extend(b"]}");
        Response::builder().content_type("application/json").body(body)
    }
}
impl ApiResponse for Written {
    fn meta() -> MetaResponses {
        JsonResponse::<NewsView>::meta()
    }
    fn register(registry: &mut Registry) {
        <JsonResponse<NewsView> as ApiResponse>::register(registry);
    }
}

/// What to answer when nobody further may listen.
pub(super) fn full(why: Full) -> Error {
    match why {
        Full::Session => Error::new(Code::SlowDown).retry_after(5),
        Full::Company => Error::new(Code::Busy).retry_after(5),
    }
}

/// The calls.
pub struct Api;

#[OpenApi(prefix_path = "/live", tag = "crate::wire::Tag::Live")]
impl Api {
    /// Waits for news: what the socket says, for whom no socket opens.
    ///
    /// Without `after` it answers at once where the ledger is now. With it, as soon as something happened
    /// after that place, or when `wait` seconds are over. Five places of a session may listen at a time.
    #[oai(path = "/", method = "get", operation_id = "awaitNews")]
    async fn wait(
        &self,
        member: Member<OwnData>,
        /// The place up to which the caller has heard.
        after: Query<Option<u64>>,
        /// The moment up to which the caller has heard what passes: who is there, who is writing. Without it,
        /// or when that is too long ago, the answer says who is there, and single changes of that are no news.
        moment: Query<Option<u64>>,
        /// Seconds to wait at most, 0 to 25; 25 when absent.
        wait: Query<Option<u32>>,
    ) -> Reply<Written> {
        let wait = wait.0.unwrap_or(PATIENCE);
        if wait > PATIENCE {
            let gaps = vec![("min", "0".to_owned()), ("max", PATIENCE.to_string())];
            return Err(Error::new(Code::Invalid).and_field("wait", "errors.fields.range", gaps).into());
        }
        let channel = member.listen(member.idle_seconds() >= IDLE).map_err(full)?;
        let heard = tokio::select! {
            heard = channel.after(after.0, moment.0, Duration::from_secs(u64::from(wait))) => heard,
            closed = member.closed() => return Err(closed.into()),
        };
        // What was heard may be that the session is over: then that is the answer, and not the news.
        member.check()?;
        Ok(Written(heard))
    }
}
