//! Where the server listens.

use std::{
    fmt,
    net::{IpAddr, Ipv4Addr, SocketAddr},
    path::PathBuf,
    str::FromStr,
    time::Duration,
};

use super::keys::host_name;
use crate::kernel::resolver::look_up_blocking;

/// What the path of a Unix socket begins with.
const UNIX: &str = "unix:";

/// The longest path that the system accepts for a Unix socket, in bytes.
const MAX_SOCKET_PATH_BYTES: usize = 107;

/// How long the name of this machine may be looked up.
const LOOK_UP_LIMIT: Duration = Duration::from_secs(10);

/// Where the server listens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ListenAddress {
    /// An address and a port; port 0 takes any free port.
    Tcp(SocketAddr),
    /// A Unix socket, for a proxy on the same machine.
    Unix(PathBuf),
}

impl ListenAddress {
    /// The address at which clients on this machine reach the server; `None` for a Unix socket.
    pub fn local(&self) -> Option<SocketAddr> {
        match self {
            Self::Tcp(address) if address.ip().is_unspecified() => {
                Some(SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), address.port()))
            }
            Self::Tcp(address) => Some(*address),
            Self::Unix(_) => None,
        }
    }

    /// Whether any free port is taken.
    pub fn takes_any_port(&self) -> bool {
        matches!(self, Self::Tcp(address) if address.port() == 0)
    }
}

impl From<SocketAddr> for ListenAddress {
    fn from(address: SocketAddr) -> Self {
        Self::Tcp(address)
    }
}

impl fmt::Display for ListenAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp(address) => address.fmt(f),
            Self::Unix(path) => write!(f, "{UNIX}{}", path.display()),
        }
    }
}

impl FromStr for ListenAddress {
    type Err = String;

    fn from_str(written: &str) -> Result<Self, String> {
        match written.strip_prefix(UNIX) {
            Some(path) => socket_path(path).map(Self::Unix),
            None => tcp_address(written).map(Self::Tcp),
        }
    }
}

/// Parses the path of a Unix socket.
fn socket_path(written: &str) -> Result<PathBuf, String> {
    if written.starts_with('/') && !written.ends_with('/') && written.len() <= MAX_SOCKET_PATH_BYTES {
        Ok(PathBuf::from(written))
    } else {
        Err(format!("expected an absolute path of at most {MAX_SOCKET_PATH_BYTES} bytes after {UNIX:?}"))
    }
}

/// Parses an address or a host name of this machine, and a port.
pub(super) fn tcp_address(written: &str) -> Result<SocketAddr, String> {
    if let Ok(address) = written.parse() {
        return Ok(address);
    }
    let expected =
        || "expected an address and a port such as \"127.0.0.1:8080\", \"[::]:8080\" or \"localhost:8080\"".to_owned();
    let (host, port) = written.rsplit_once(':').ok_or_else(expected)?;
    let host = host_name(host).map_err(|_| expected())?;
    let port = port.parse::<u16>().map_err(|_| expected())?;
    // If a name has both IPv4 and IPv6 addresses, IPv4, which most clients use, is the first.
    let found = look_up_blocking(&host, port, LOOK_UP_LIMIT).map_err(|error| format!("{host}: {error}"))?;
    found.first().copied().ok_or_else(|| format!("{host} has no address"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn listens_on_addresses_host_names_and_unix_sockets() {
        for written in ["127.0.0.1:8080", "[::]:0", "unix:/run/atrium/atrium.sock"] {
            assert_eq!(written.parse::<ListenAddress>().unwrap().to_string(), written);
        }
        let named: ListenAddress = "localhost:8081".parse().unwrap();
        let address = named.local().unwrap();
        assert!(address.ip().is_loopback() && address.port() == 8081, "{address}");
        let long = format!("unix:/{}", "a".repeat(107));
        for written in ["unix:", "unix:run/atrium.sock", "unix:/run/", &long, "localhost", "nowhere:http"] {
            assert!(written.parse::<ListenAddress>().unwrap_err().starts_with("expected"), "{written}");
        }
    }

    #[test]
    fn the_local_address_is_never_the_unspecified_one() {
        let local =
            |written: &str| written.parse::<ListenAddress>().unwrap().local().map(|address| address.to_string());
        assert_eq!(local("0.0.0.0:80").as_deref(), Some("127.0.0.1:80"));
        assert_eq!(local("203.0.113.9:3").as_deref(), Some("203.0.113.9:3"));
        assert_eq!(local("unix:/a"), None);
    }
}
