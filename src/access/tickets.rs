//! One-time tickets that authenticate a WebSocket, for which browsers cannot send headers. A ticket is valid for thirty
//! seconds, once, for pages of the origin that asked; its hash is kept in memory, a few for each session.

use std::collections::HashMap;

use parking_lot::Mutex;

use super::{hash::Hash, sessions::SessionRef};
use crate::{
    config::Config,
    kernel::{Entropy, Timestamp, hex},
};

/// Milliseconds for which a ticket is valid.
const TICKET_MILLIS: i64 = 30_000;
/// Unused tickets of one session; the oldest is dropped first.
const PER_SESSION: usize = 10;

struct Ticket {
    hash: Hash,
    at: SessionRef,
    origin: Option<String>,
    until: Timestamp,
}

/// The unused tickets, by session.
#[derive(Default)]
pub(super) struct Tickets(Mutex<HashMap<[u8; 16], Vec<Ticket>>>);

impl Tickets {
    /// Issues a ticket for a session. Returns it with its expiry.
    pub(super) fn issue(
        &self,
        at: SessionRef,
        origin: Option<String>,
        now: Timestamp,
        entropy: &Entropy,
    ) -> (String, Timestamp) {
        let secret = entropy.bytes::<32>();
        let until = now.plus_millis(TICKET_MILLIS);
        let mut waiting = self.0.lock();
        waiting.retain(|_, tickets| {
            tickets.retain(|ticket| now < ticket.until);
            !tickets.is_empty()
        });
        let tickets = waiting.entry(*at.session.as_bytes()).or_default();
        if tickets.len() >= PER_SESSION {
            tickets.remove(0);
        }
        tickets.push(Ticket { hash: Hash::of(&secret), at, origin, until });
        // The session comes first, so that a ticket is compared with those of its session only.
        (format!("{}{}", hex::encode(at.session.as_bytes()), hex::encode(&secret)), until)
    }

    /// Returns the session of a valid ticket. The ticket is used up even when it is refused.
    pub(super) fn take(&self, ticket: &str, origin: &str, now: Timestamp) -> Option<SessionRef> {
        let bytes = hex::decode(ticket)?;
        let (session, secret) = bytes.split_at_checked(16)?;
        let hash = Hash::of(secret.try_into().ok()?);
        let mut waiting = self.0.lock();
        let tickets = waiting.get_mut(session)?;
        let place = tickets.iter().position(|ticket| ticket.hash == hash)?;
        let ticket = tickets.swap_remove(place);
        let is_here = ticket.origin.as_deref().is_none_or(|asked| asked == origin);
        (now < ticket.until && is_here).then_some(ticket.at)
    }
}

/// Whether an origin belongs to the installation: the requested host, its public address, or one that the operator
/// lists.
pub(super) fn is_ours(config: &Config, host: &str, origin: &str) -> bool {
    let of_host = origin.split_once("://").is_some_and(|(scheme, rest)| {
        matches!(scheme, "http" | "https") && !host.is_empty() && rest.eq_ignore_ascii_case(host)
    });
    let public = config.public_url.as_ref().map(|url| url.origin().ascii_serialization());
    of_host || public.as_deref() == Some(origin) || config.socket_origins.iter().any(|listed| listed == origin)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{Id, TenantId};

    fn session_ref(session: u8) -> SessionRef {
        let tenant = TenantId::from_bytes([1; 16]).unwrap();
        SessionRef { tenant, member: Id::from_bytes([2; 16]), session: Id::from_bytes([session; 16]), generation: 1 }
    }

    #[test]
    fn ticket_is_valid_once_before_expiry_and_from_its_origin() {
        let tickets = Tickets::default();
        let entropy = Entropy::seeded(1);
        let now = Timestamp::from_millis(1_000_000);
        let issue = || tickets.issue(session_ref(1), Some("http://here".to_owned()), now, &entropy);
        let (one, until) = issue();
        assert_eq!((one.len(), until), (96, now.plus_millis(30_000)));
        assert!(tickets.take(&one, "http://here", now).is_some());
        assert!(tickets.take(&one, "http://here", now).is_none(), "used");
        let (late, _) = issue();
        assert!(tickets.take(&late, "http://here", until).is_none(), "old");
        let (other, _) = issue();
        assert!(tickets.take(&other, "http://there", now).is_none(), "from elsewhere");
        assert!(tickets.take(&other, "http://here", now).is_none(), "and used up by that");
        let (mine, _) = issue();
        let theirs = format!("{}{}", "03".repeat(16), &mine[32..]);
        assert!(tickets.take(&theirs, "http://here", now).is_none(), "for another session");
        for nonsense in ["", "0", &"0".repeat(96), "é"] {
            assert!(tickets.take(nonsense, "http://here", now).is_none());
        }
    }

    #[test]
    fn issuing_uses_bounded_memory() {
        let tickets = Tickets::default();
        let entropy = Entropy::seeded(1);
        let now = Timestamp::from_millis(1_000_000);
        for _ in 0..100 {
            tickets.issue(session_ref(1), None, now, &entropy);
        }
        tickets.issue(session_ref(2), None, now, &entropy);
        let count = |tickets: &Tickets| tickets.0.lock().values().map(Vec::len).sum::<usize>();
        assert_eq!(count(&tickets), PER_SESSION + 1);
        tickets.issue(session_ref(3), None, now.plus_millis(TICKET_MILLIS), &entropy);
        assert_eq!(count(&tickets), 1);
    }
}
