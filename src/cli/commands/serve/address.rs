//! The address that the server listens on, and the one at which people reach it.

use std::{
    io,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket},
};

use tokio::net::TcpListener;

use crate::cli::prelude::*;

/// Listens on an address.
pub async fn listen(address: SocketAddr, locale: Locale) -> Result<TcpListener, Failure> {
    TcpListener::bind(address).await.map_err(|error| {
        let key = match error.kind() {
            io::ErrorKind::AddrInUse => "server.cli.address_taken",
            io::ErrorKind::PermissionDenied => "server.cli.address_denied",
            _ => "server.cli.address_refused",
        };
        Failure::new("address", sentence(locale, key, &[("address", &address), ("reason", &error)]))
    })
}

/// Returns an address at which a server that listens on `address` can be reached. For the unspecified address, this is
/// the address of this machine.
pub fn reachable(address: SocketAddr) -> SocketAddr {
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
