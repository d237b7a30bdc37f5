//! Which addresses count as one client.

use std::net::{IpAddr, Ipv6Addr};

/// Returns the address that counts as one client: an IPv4 address, or the /64 prefix that one IPv6 customer gets.
pub fn address_block(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(v6) => Ipv6Addr::from_bits(v6.to_bits() & (u128::MAX << 64)).into(),
        v4 @ IpAddr::V4(_) => v4,
    }
}
