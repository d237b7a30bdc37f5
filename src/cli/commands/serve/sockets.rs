//! The listening sockets: those that the service manager passes, otherwise those of the settings.

use std::io;

use listenfd::ListenFd;

use crate::{
    cli::prelude::*,
    config::{Config, ListenAddress},
    http::Listener,
};

/// The listening sockets of the server.
pub struct Sockets {
    /// The socket of the application.
    pub main: Listener,
    /// The socket whose clients are redirected to https.
    pub redirect: Option<Listener>,
    /// The socket for metrics alone.
    pub metrics: Option<Listener>,
    /// Whether the service manager passed the socket of the application.
    pub passed: bool,
}

impl Sockets {
    /// Opens the sockets. The service manager passes that of the application first, then that of the redirect.
    /// Errors: An address is in use, is not this machine's, or may not be used; a passed socket cannot be used.
    pub async fn open(config: &Config) -> Result<Self, Failure> {
        let mut passed = ListenFd::from_env();
        let first = inherited(&mut passed, 0)?;
        let is_passed = first.is_some();
        let main = match first {
            Some(listener) => listener,
            None => listen(&config.listen).await?,
        };
        let redirect = match (inherited(&mut passed, 1)?, config.tls.redirect) {
            (Some(listener), _) => Some(listener),
            (None, Some(address)) => Some(listen(&ListenAddress::Tcp(address)).await?),
            (None, None) => None,
        };
        let metrics = match config.metrics.listen {
            Some(address) => Some(listen(&ListenAddress::Tcp(address)).await?),
            None => None,
        };
        Ok(Self { main, redirect, metrics, passed: is_passed })
    }
}

/// Takes a socket that the service manager passes.
fn inherited(passed: &mut ListenFd, index: usize) -> Result<Option<Listener>, Failure> {
    let failed = |error| Failure::internal(format_args!("socket {index} of the service manager: {error}"));
    if let Ok(Some(socket)) = passed.take_unix_listener(index) {
        return Listener::of_unix(socket).map(Some).map_err(failed);
    }
    let socket = passed.take_tcp_listener(index).map_err(failed)?;
    socket.map(Listener::of_tcp).transpose().map_err(failed)
}

async fn listen(address: &ListenAddress) -> Result<Listener, Failure> {
    Listener::bind(address).await.map_err(|error| {
        let text = match error.kind() {
            io::ErrorKind::AddrInUse => format!(
                "Another program is already listening on {address}. Stop it, or choose another port with --listen ADDR:PORT or the setting listen."
            ),
            io::ErrorKind::PermissionDenied => format!(
                "Atrium isn't allowed to listen on {address} ({error}). Choose a port above 1023 with --listen ADDR:PORT or the setting listen, or give the service the right to use this one."
            ),
            _ => format!(
                "Atrium can't listen on {address}: {error}. Check --listen or the setting listen: the address must be one of this machine's."
            ),
        };
        Failure::new("address", text)
    })
}
