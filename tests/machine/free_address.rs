//! Addresses for tests that no other program gets.

use std::{fmt, net::SocketAddr, ops::Deref};

use tokio::net::TcpSocket;

/// An address of this machine without a listener. While the value lives, its socket is bound, so that the system gives
/// the port to no other program, and connections are refused. A server that the test starts can listen there, because
/// servers set `SO_REUSEADDR`.
pub struct FreeAddress {
    address: SocketAddr,
    _socket: TcpSocket,
}

impl FreeAddress {
    /// Reserves an address until the value is dropped.
    pub fn reserve() -> Self {
        let socket = TcpSocket::new_v4().unwrap();
        socket.set_reuseaddr(true).unwrap();
        socket.bind(SocketAddr::from(([127, 0, 0, 1], 0))).unwrap();
        Self { address: socket.local_addr().unwrap(), _socket: socket }
    }
}

impl Deref for FreeAddress {
    type Target = SocketAddr;

    fn deref(&self) -> &SocketAddr {
        &self.address
    }
}

impl fmt::Display for FreeAddress {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.address.fmt(formatter)
    }
}
