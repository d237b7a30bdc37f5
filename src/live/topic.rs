//! One tenant's subscribers, and the buffer of its recent frames.

use std::collections::{HashMap, VecDeque};

use bytes::Bytes;
use parking_lot::Mutex;
use tokio::sync::watch;

use super::{Audience, FrameSource, OutgoingFrame, SessionImpact, editing::Editing, presence::PresenceState};
use crate::kernel::{MemberId, TenantId};

/// Ledger frames buffered for each tenant; a client that missed more reads everything again.
pub(super) const REMEMBERED: usize = 1_024;
/// Transient frames (presence, typing) buffered for each tenant.
pub(super) const PASSING: usize = 512;

/// A tenant with subscribers.
pub(super) struct TenantTopic {
    pub(super) tenant: TenantId,
    pub(super) log: Mutex<Log>,
    /// The number of the last published frame.
    pub(super) frame_seq: watch::Sender<u64>,
    rights: Mutex<HashMap<MemberId, u64>>,
    /// The visible members, as last published.
    seen: Mutex<HashMap<MemberId, &'static str>>,
    pub(super) editing: Mutex<Editing>,
}

/// Recent frames. Frame numbers count the frames of one tenant; sequence numbers are the ledger's.
pub(super) struct Log {
    /// The ledger sequence number up to which everything was published.
    pub(super) ledger_seq: u64,
    /// The sequence number before the oldest buffered frame.
    pub(super) from: u64,
    /// The number of the last frame.
    pub(super) frame_seq: u64,
    /// The number of the last ledger frame that was dropped from the buffer.
    pub(super) forgotten: u64,
    pub(super) kept: VecDeque<Entry>,
    pub(super) passing: VecDeque<Entry>,
    /// The number of the last transient frame that was dropped from the buffer.
    pub(super) passed: u64,
}

pub(super) struct Entry {
    pub(super) frame_seq: u64,
    pub(super) ledger_seq: u64,
    to: Audience,
    pub(super) text: Bytes,
}

impl Entry {
    pub(super) fn is_for(&self, person: MemberId, rights: u64) -> bool {
        match &self.to {
            Audience::Holders(any) => rights & any != 0,
            Audience::People(people) => people.contains(&person),
        }
    }
}

impl TenantTopic {
    pub(super) fn new(tenant: TenantId, ledger_seq: u64) -> Self {
        // Frame numbers are not stored: they start at one that the process before has hardly reached.
        let frame_seq = ledger_seq << 16;
        let log = Log {
            ledger_seq,
            from: ledger_seq,
            frame_seq,
            forgotten: frame_seq,
            kept: VecDeque::new(),
            passing: VecDeque::new(),
            passed: frame_seq,
        };
        Self {
            tenant,
            log: Mutex::new(log),
            frame_seq: watch::Sender::new(frame_seq),
            rights: Mutex::default(),
            seen: Mutex::default(),
            editing: Mutex::default(),
        }
    }

    /// Publishes the frames built from changes up to a ledger sequence number.
    pub(super) fn tell(&self, said: Vec<OutgoingFrame>, ledger_seq: u64) {
        let mut log = self.log.lock();
        for OutgoingFrame { ledger_seq, to, text } in said {
            log.frame_seq += 1;
            let frame_seq = log.frame_seq;
            log.kept.push_back(Entry { frame_seq, ledger_seq, to, text });
            if log.kept.len() > REMEMBERED
                && let Some(oldest) = log.kept.pop_front()
            {
                log.from = oldest.ledger_seq;
                log.forgotten = oldest.frame_seq;
            }
        }
        log.ledger_seq = ledger_seq;
        self.frame_seq.send_replace(log.frame_seq);
    }

    /// Publishes a transient frame, which matters only to members who are connected now.
    pub(super) fn pass(&self, to: Audience, write: impl FnOnce(u64) -> Bytes) {
        let mut log = self.log.lock();
        let text = write(log.ledger_seq);
        log.frame_seq += 1;
        let entry = Entry { frame_seq: log.frame_seq, ledger_seq: log.ledger_seq, to, text };
        log.passing.push_back(entry);
        if log.passing.len() > PASSING
            && let Some(oldest) = log.passing.pop_front()
        {
            log.passed = oldest.frame_seq;
        }
        self.frame_seq.send_replace(log.frame_seq);
    }

    /// Drops all ledger frames up to a ledger sequence number.
    pub(super) fn restart(&self, at: u64) {
        let mut log = self.log.lock();
        log.kept.clear();
        log.frame_seq += 1;
        (log.from, log.ledger_seq, log.forgotten) = (at, at, log.frame_seq);
        self.frame_seq.send_replace(log.frame_seq);
    }

    /// The rights that a member holds after the last change.
    pub(super) fn rights(&self, person: MemberId, source: &dyn FrameSource) -> u64 {
        // Read under the lock: a change during the read removes the entry afterwards.
        *self.rights.lock().entry(person).or_insert_with(|| source.rights(self.tenant, person))
    }

    pub(super) fn forget_rights(&self, impact: SessionImpact) {
        match impact {
            SessionImpact::Member(person) => drop(self.rights.lock().remove(&person)),
            SessionImpact::Company => self.rights.lock().clear(),
            SessionImpact::Nobody => {}
        }
    }

    /// Publishes a member's visible status when it changed.
    pub(super) fn look(
        &self,
        person: MemberId,
        source: &dyn FrameSource,
        there: impl FnOnce() -> Option<PresenceState>,
    ) {
        let mut seen = self.seen.lock();
        let status = source.status(self.tenant, person, there());
        let before = match status {
            Some(status) => seen.insert(person, status),
            None => seen.remove(&person),
        };
        if before != status {
            self.pass(Audience::Holders(u64::MAX), |ledger_seq| source.presence(ledger_seq, person, status));
        }
    }

    /// Builds the frame with all visible members, for a client that has received everything up to `at`.
    pub(super) fn everybody(&self, source: &dyn FrameSource, at: u64) -> Bytes {
        let seen: Vec<_> = self.seen.lock().iter().map(|(person, status)| (*person, *status)).collect();
        source.everybody(at, &seen)
    }
}
