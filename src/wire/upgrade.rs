//! WebSocket handshake: its validation, and the handover of the upgraded connection.

use std::{fmt, future::Future, pin::Pin, sync::Arc};

use parking_lot::Mutex;
use poem::{
    OnUpgrade, Request, RequestBody, Response,
    http::{HeaderMap, Method, StatusCode, header},
};
use tokio::sync::watch;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;

use super::Problem;
use crate::kernel::{Code, Error, Result};

/// The subprotocol of the WebSocket.
pub const PROTOCOL: &str = "atrium.v1";

/// Request extension, set by the server: whether the server is stopping.
#[derive(Clone, Debug)]
pub struct Stopping(pub watch::Receiver<bool>);

type Work = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Response extension: the task that takes over the connection after the upgrade. The server runs it within the
/// connection's own task, so that it counts as a connection, and a shutdown waits for it.
#[derive(Clone)]
pub struct Upgraded(Arc<Mutex<Option<Work>>>);

impl Upgraded {
    /// Takes the task; `None` if it was taken before.
    pub fn take(&self) -> Option<Work> {
        self.0.lock().take()
    }
}

impl fmt::Debug for Upgraded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Upgraded")
    }
}

/// A request for an upgrade to a WebSocket.
pub struct Handshake {
    accept: String,
    upgrade: OnUpgrade,
    /// Whether the server is stopping.
    pub stopping: Option<watch::Receiver<bool>>,
}

/// Returns the subprotocols that a client offers.
pub fn protocols(headers: &HeaderMap) -> impl Iterator<Item = &str> {
    let lines = headers.get_all(header::SEC_WEBSOCKET_PROTOCOL).iter().filter_map(|line| line.to_str().ok());
    lines.flat_map(|line| line.split(',')).map(str::trim)
}

impl Handshake {
    fn of(request: &Request) -> Result<Self> {
        let headers = request.headers();
        let says = |name: header::HeaderName, word: &str| {
            let lines = headers.get_all(name).iter().filter_map(|line| line.to_str().ok());
            lines.flat_map(|line| line.split(',')).any(|one| one.trim().eq_ignore_ascii_case(word))
        };
        let key = headers.get(header::SEC_WEBSOCKET_KEY);
        let fits = request.method() == Method::GET
            && says(header::CONNECTION, "upgrade")
            && says(header::UPGRADE, "websocket")
            && says(header::SEC_WEBSOCKET_VERSION, "13")
            && protocols(headers).any(|one| one == PROTOCOL);
        let (Some(key), true) = (key, fits) else {
            return Err(Error::new(Code::BadRequest).with_detail("no WebSocket handshake of ours"));
        };
        let stopping = request.extensions().get::<Stopping>().map(|stopping| stopping.0.clone());
        let upgrade = request.take_upgrade().map_err(|_| Error::new(Code::BadRequest))?;
        Ok(Self { accept: derive_accept_key(key.as_bytes()), upgrade, stopping })
    }

    /// Returns the response that upgrades the connection; `work` then runs on it.
    pub fn accept<F: Future<Output = ()> + Send + 'static>(
        self,
        work: impl FnOnce(poem::Upgraded) -> F + Send + 'static,
    ) -> Response {
        let upgrade = self.upgrade;
        let work = async move {
            match upgrade.await {
                Ok(connection) => work(connection).await,
                Err(error) => tracing::debug!(%error, "a connection did not become a socket"),
            }
        };
        let mut response = Response::builder()
            .status(StatusCode::SWITCHING_PROTOCOLS)
            .header(header::CONNECTION, "upgrade")
            .header(header::UPGRADE, "websocket")
            .header(header::SEC_WEBSOCKET_ACCEPT, self.accept)
            .header(header::SEC_WEBSOCKET_PROTOCOL, PROTOCOL)
            .finish();
        response.extensions_mut().insert(Upgraded(Arc::new(Mutex::new(Some(Box::pin(work))))));
        response
    }
}

impl<'a> poem::FromRequest<'a> for Handshake {
    async fn from_request(request: &'a Request, _: &mut RequestBody) -> poem::Result<Self> {
        Ok(Self::of(request).map_err(Problem)?)
    }
}
