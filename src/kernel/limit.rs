//! Counts of requests and connections that were refused because a limit is reached, by limit, since the start of the
//! process.

use std::sync::atomic::{AtomicU64, Ordering};

/// A limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// `limits.connections`.
    Connections,
    /// `limits.connections_per_address`.
    ConnectionsPerAddress,
    /// `limits.requests` and `limits.waiting`.
    Requests,
    /// `limits.requests_per_company`.
    RequestsPerCompany,
    /// `limits.request_timeout`.
    RequestTimeout,
    /// Memory of bodies and responses.
    Memory,
    /// Writes that wait for the store.
    Writes,
    /// `limits.sockets_per_company`, and the devices of a session.
    Sockets,
    /// `sign_in.account_failures` and `sign_in.address_failures`.
    SignIn,
    /// Passwords that are hashed at a time.
    Passwords,
    /// `limits.files`.
    Files,
}

static HITS: [AtomicU64; Limit::ALL.len()] = [const { AtomicU64::new(0) }; Limit::ALL.len()];

impl Limit {
    /// All limits.
    pub const ALL: [Self; 11] = [
        Self::Connections,
        Self::ConnectionsPerAddress,
        Self::Requests,
        Self::RequestsPerCompany,
        Self::RequestTimeout,
        Self::Memory,
        Self::Writes,
        Self::Sockets,
        Self::SignIn,
        Self::Passwords,
        Self::Files,
    ];

    /// Returns the name of the limit.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Connections => "connections",
            Self::ConnectionsPerAddress => "connections_per_address",
            Self::Requests => "requests",
            Self::RequestsPerCompany => "requests_per_company",
            Self::RequestTimeout => "request_timeout",
            Self::Memory => "memory",
            Self::Writes => "writes",
            Self::Sockets => "sockets",
            Self::SignIn => "sign_in",
            Self::Passwords => "passwords",
            Self::Files => "files",
        }
    }

    /// Counts a refusal.
    pub fn count_hit(self) {
        HITS[self as usize].fetch_add(1, Ordering::Relaxed);
    }

    /// Returns the number of refusals.
    pub fn hits(self) -> u64 {
        HITS[self as usize].load(Ordering::Relaxed)
    }
}
