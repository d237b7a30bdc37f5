//! The address at which people reach the server.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};

use url::Url;

use crate::config::{Config, ListenAddress};

/// Returns the address at which people reach the server. Behind a Unix socket, only `public_url` tells it.
pub fn address(config: &Config) -> Url {
    let own = match &config.listen {
        ListenAddress::Tcp(address) if !config.has_tls() => Url::parse(&format!("http://{}", reachable(*address))).ok(),
        ListenAddress::Tcp(_) | ListenAddress::Unix(_) => config.public_url.clone(),
    };
    own.unwrap_or_else(|| Url::parse("http://localhost").expect("a constant address"))
}

/// Returns an address at which a server that listens on `address` can be reached. For the unspecified address, this is
/// the address of this machine.
fn reachable(address: SocketAddr) -> SocketAddr {
    let ip = match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => own_ip((Ipv4Addr::UNSPECIFIED, 0).into(), [192, 0, 2, 1].into()),
        IpAddr::V6(ip) if ip.is_unspecified() => own_ip((Ipv4Addr::UNSPECIFIED, 0).into(), [192, 0, 2, 1].into())
            .or_else(|| own_ip((Ipv6Addr::UNSPECIFIED, 0).into(), IpAddr::from([0x2001, 0xdb8, 0, 0, 0, 0, 0, 1]))),
        ip => Some(ip),
    };
    SocketAddr::new(ip.unwrap_or(Ipv4Addr::LOCALHOST.into()), address.port())
}

/// Returns the local address that this machine would use to send to another. Nothing is sent.
fn own_ip(from: SocketAddr, to: IpAddr) -> Option<IpAddr> {
    let socket = UdpSocket::bind(from).ok()?;
    socket.connect((to, 9)).ok()?;
    socket.local_addr().ok().map(|address| address.ip())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_never_contain_the_unspecified_address() {
        for listen in ["0.0.0.0:8080", "[::]:8080"] {
            let address = reachable(listen.parse().unwrap());
            assert!(!address.ip().is_unspecified() && address.port() == 8080, "{listen}: {address}");
        }
        for listen in ["127.0.0.1:1", "[::1]:2", "203.0.113.9:3"] {
            assert_eq!(reachable(listen.parse().unwrap()).to_string(), listen);
        }
    }
}
