//! Listening sockets: TCP and Unix.

use std::{
    fs, io,
    net::{IpAddr, Ipv4Addr, SocketAddr},
    os::unix::{fs::PermissionsExt as _, net as unix},
    path::{Path, PathBuf},
};

use tokio::net::{TcpListener, TcpStream, UnixListener, UnixStream};
use tokio_util::either::Either;

use crate::config::ListenAddress;

/// The mode of a Unix socket: its owner and group may connect.
const SOCKET_MODE: u32 = 0o660;

/// A connection before encryption.
pub(super) type Socket = Either<TcpStream, UnixStream>;

/// The address that clients of a Unix socket have: they are proxies on this machine.
const UNIX_PEER: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0);

/// A listening socket that accepts connections through its copies ([`Listener::accepting`]). Connections wait between
/// two copies; they are refused once this and the copies are dropped, unless the service manager holds the socket, too.
#[derive(Debug)]
pub struct Listener {
    socket: ListeningSocket,
    /// The file to remove at the end, if this created it.
    file: Option<PathBuf>,
}

#[derive(Debug)]
enum ListeningSocket {
    Tcp(std::net::TcpListener),
    Unix(unix::UnixListener),
}

impl Listener {
    /// Listens. A file that a server left behind is replaced.
    /// Errors: The address is in use, or does not belong to this machine.
    pub async fn bind(address: &ListenAddress) -> io::Result<Self> {
        match address {
            ListenAddress::Tcp(address) => Self::of_tcp(TcpListener::bind(address).await?.into_std()?),
            ListenAddress::Unix(path) => {
                if unix::UnixStream::connect(path).is_err_and(|error| error.kind() == io::ErrorKind::ConnectionRefused)
                {
                    fs::remove_file(path)?;
                }
                let socket = unix::UnixListener::bind(path)?;
                fs::set_permissions(path, fs::Permissions::from_mode(SOCKET_MODE))?;
                let mut listener = Self::of_unix(socket)?;
                listener.file = Some(path.clone());
                Ok(listener)
            }
        }
    }

    /// Takes a TCP socket that already listens.
    pub fn of_tcp(socket: std::net::TcpListener) -> io::Result<Self> {
        socket.set_nonblocking(true)?;
        Ok(Self { socket: ListeningSocket::Tcp(socket), file: None })
    }

    /// Takes a Unix socket that already listens.
    pub fn of_unix(socket: unix::UnixListener) -> io::Result<Self> {
        socket.set_nonblocking(true)?;
        Ok(Self { socket: ListeningSocket::Unix(socket), file: None })
    }

    /// Returns the address of the socket.
    pub fn address(&self) -> io::Result<ListenAddress> {
        match &self.socket {
            ListeningSocket::Tcp(socket) => Ok(ListenAddress::Tcp(socket.local_addr()?)),
            ListeningSocket::Unix(socket) => {
                Ok(ListenAddress::Unix(socket.local_addr()?.as_pathname().map(Path::to_owned).unwrap_or_default()))
            }
        }
    }

    /// Returns a copy that accepts connections.
    pub(super) fn accepting(&self) -> io::Result<Accepting> {
        match &self.socket {
            ListeningSocket::Tcp(socket) => Ok(Accepting::Tcp(TcpListener::from_std(socket.try_clone()?)?)),
            ListeningSocket::Unix(socket) => Ok(Accepting::Unix(UnixListener::from_std(socket.try_clone()?)?)),
        }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        if let Some(file) = &self.file
            && let Err(error) = fs::remove_file(file)
        {
            tracing::debug!(%error, file = %file.display(), "cannot remove the socket");
        }
    }
}

/// The part of a [`Listener`] that accepts connections.
pub(super) enum Accepting {
    Tcp(TcpListener),
    Unix(UnixListener),
}

impl Accepting {
    /// Waits for a connection. Returns it with the addresses of the client and of this end.
    pub async fn accept(&self) -> io::Result<(Socket, SocketAddr, SocketAddr)> {
        match self {
            Self::Tcp(listener) => {
                let (socket, remote) = listener.accept().await?;
                if let Err(error) = socket.set_nodelay(true) {
                    tracing::debug!(%error, "cannot set TCP_NODELAY");
                }
                let local = socket.local_addr().unwrap_or(remote);
                Ok((Either::Left(socket), remote, local))
            }
            Self::Unix(listener) => {
                let (socket, _) = listener.accept().await?;
                Ok((Either::Right(socket), UNIX_PEER, UNIX_PEER))
            }
        }
    }
}
