//! The client's address: the peer, or the address that a trusted proxy forwards.

use std::net::{IpAddr, SocketAddr};

use http::{HeaderMap, HeaderName};

use crate::config::Network;

/// The header to which each proxy appends the address of its peer.
const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// Whether an address is a trusted proxy.
pub(super) fn is_trusted(address: IpAddr, trusted: &[Network]) -> bool {
    trusted.iter().any(|network| network.contains(address))
}

/// Returns the client's address: the nearest one in the chain that is not a trusted proxy. Entries left of it may be
/// forged by the client.
pub(super) fn client(peer: IpAddr, headers: &HeaderMap, trusted: &[Network]) -> IpAddr {
    let mut nearest = peer.to_canonical();
    if !is_trusted(nearest, trusted) {
        return nearest;
    }
    let chain: Vec<&str> = headers
        .get_all(FORWARDED_FOR)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|v| v.split(','))
        .collect();
    for written in chain.into_iter().rev() {
        let written = written.trim();
        let address = written.parse::<IpAddr>().or_else(|_| written.parse::<SocketAddr>().map(|socket| socket.ip()));
        let Ok(address) = address else {
            break;
        };
        nearest = address.to_canonical();
        if !is_trusted(nearest, trusted) {
            break;
        }
    }
    nearest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forwarded_address_is_used_only_from_trusted_proxies() {
        let trusted: Vec<Network> = ["127.0.0.1", "10.0.0.0/8"].map(|network| network.parse().unwrap()).to_vec();
        let table: [(&str, &[&str], &str); 9] = [
            ("203.0.113.7", &["198.51.100.1"], "203.0.113.7"),
            ("127.0.0.1", &[], "127.0.0.1"),
            ("127.0.0.1", &["198.51.100.1"], "198.51.100.1"),
            ("127.0.0.1", &["6.6.6.6, 198.51.100.1, 10.0.0.2"], "198.51.100.1"),
            ("127.0.0.1", &["6.6.6.6", "198.51.100.1"], "198.51.100.1"),
            ("127.0.0.1", &["nonsense"], "127.0.0.1"),
            ("127.0.0.1", &["198.51.100.1, nonsense"], "127.0.0.1"),
            ("127.0.0.1", &["198.51.100.1:4711"], "198.51.100.1"),
            ("::ffff:127.0.0.1", &["2001:db8::1"], "2001:db8::1"),
        ];
        for (peer, forwarded, expected) in table {
            let mut headers = HeaderMap::new();
            for value in forwarded {
                headers.append(FORWARDED_FOR, value.parse().unwrap());
            }
            assert_eq!(client(peer.parse().unwrap(), &headers, &trusted).to_string(), expected, "{peer} {forwarded:?}");
        }
    }
}
