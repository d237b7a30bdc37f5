//! One device's subscription to its tenant's frames, limited to what its member may see.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use bytes::Bytes;

use super::{
    Audience, Hub,
    presence::{Device, Presence},
    topic::{Entry, Log, TenantTopic},
};
use crate::kernel::MemberId;

/// The result of a long poll.
#[derive(Debug)]
pub struct PollResult {
    /// The ledger sequence number up to which it is complete.
    pub at: u64,
    /// The frame number up to which it is complete, for transient frames.
    pub frame_seq: u64,
    /// The frames, oldest first.
    pub frames: Vec<Bytes>,
    /// Whether more was missed than is buffered: the client reads everything again.
    pub resync: bool,
}

/// The start of a subscription.
#[derive(Debug)]
pub struct Subscription {
    /// The ledger sequence number up to which everything was published.
    pub at: u64,
    /// The frame number to continue from.
    pub frame_seq: u64,
    /// Whether nothing was missed.
    pub resumed: bool,
    /// The missed frames, oldest first.
    pub frames: Vec<Bytes>,
}

/// The frames after a frame number.
#[derive(Debug)]
pub struct FrameBatch {
    /// The ledger sequence number up to which it is complete.
    pub at: u64,
    /// The frames, oldest first.
    pub frames: Vec<Bytes>,
    /// Whether changes were missed: the client reads everything again.
    pub resync: bool,
    /// Whether transient frames were missed: the client needs a frame with all present members.
    pub blinked: bool,
}

/// One device's subscription to its tenant's frames. While it exists, its member is present.
pub struct TenantChannel {
    hub: Hub,
    topic: Arc<TenantTopic>,
    device: Arc<Device>,
}

impl TenantChannel {
    pub(super) fn new(hub: Hub, topic: Arc<TenantTopic>, device: Arc<Device>) -> Self {
        Self { hub, topic, device }
    }

    fn rights(&self) -> u64 {
        self.topic.rights(self.device.person, &*self.hub.0.source)
    }

    /// The ledger sequence number up to which everything was published.
    pub fn ledger_seq(&self) -> u64 {
        self.topic.log.lock().ledger_seq
    }

    /// Starts after a ledger sequence number, or now.
    pub fn start(&self, after: Option<u64>) -> Subscription {
        let rights = self.rights();
        let log = self.topic.log.lock();
        let resumed = after.is_some_and(|ledger_seq| log.remembers(ledger_seq));
        let missed = |entry: &&Entry| after.is_some_and(|ledger_seq| entry.ledger_seq > ledger_seq);
        let mine = |entry: &&Entry| entry.is_for(self.device.person, rights);
        let kept = log.kept.iter().filter(|_| resumed).filter(missed).filter(mine);
        Subscription {
            at: log.ledger_seq,
            frame_seq: log.frame_seq,
            resumed,
            frames: kept.map(|entry| entry.text.clone()).collect(),
        }
    }

    /// Returns the frames after a frame number, and advances that number to the last of them.
    pub fn next(&self, frame_seq: &mut u64) -> FrameBatch {
        let rights = self.rights();
        let log = self.topic.log.lock();
        let resync = *frame_seq < log.forgotten;
        let blinked = *frame_seq < log.passed;
        let from = std::mem::replace(frame_seq, log.frame_seq);
        let frames = if resync { Vec::new() } else { log.between(from, from, self.device.person, rights) };
        FrameBatch { at: log.ledger_seq, frames, resync, blinked }
    }

    /// Waits until a frame after this number is published, to any member.
    pub async fn wait(&self, frame_seq: u64) {
        let mut heard = self.topic.frame_seq.subscribe();
        // The sender cannot be dropped while this subscription holds its topic.
        drop(heard.wait_for(|now| *now > frame_seq).await);
    }

    /// Returns the ledger frames after `ledger_seq` and the transient frames after `frame_seq`; waits for them at most
    /// `patience`. Without a ledger sequence number it returns the current one and the present members at once.
    pub async fn after(&self, ledger_seq: Option<u64>, frame_seq: Option<u64>, patience: Duration) -> PollResult {
        let mut heard = self.now(ledger_seq, frame_seq);
        let deadline = tokio::time::sleep(patience);
        tokio::pin!(deadline);
        // The caller checks the session before it answers: it waits no longer once the session may be over.
        self.device.take_suspicion();
        while ledger_seq.is_some() && !heard.resync && heard.frames.is_empty() && !self.device.take_suspicion() {
            tokio::select! {
                () = &mut deadline => break,
                () = self.wait(heard.frame_seq) => heard = self.now(ledger_seq, frame_seq),
            }
        }
        // A client with no valid frame number gets all present members.
        let knows = frame_seq.is_some_and(|frame_seq| self.topic.log.lock().is_passing(frame_seq));
        if !knows || heard.resync {
            heard.frames.push(self.everybody(heard.at));
        }
        heard
    }

    fn now(&self, ledger_seq: Option<u64>, frame_seq: Option<u64>) -> PollResult {
        let rights = self.rights();
        let log = self.topic.log.lock();
        let heard = |frames, resync| PollResult { at: log.ledger_seq, frame_seq: log.frame_seq, frames, resync };
        let Some(ledger_seq) = ledger_seq else { return heard(Vec::new(), false) };
        if !log.remembers(ledger_seq) {
            return heard(Vec::new(), true);
        }
        let since = log
            .kept
            .iter()
            .find(|entry| entry.ledger_seq > ledger_seq)
            .map_or(log.frame_seq, |entry| entry.frame_seq - 1);
        let passing = frame_seq.filter(|frame_seq| log.is_passing(*frame_seq)).unwrap_or(log.frame_seq);
        heard(log.between(since, passing, self.device.person, rights), false)
    }

    /// Builds the frame with all present members, for a client that has received everything up to `at`. It carries `at`
    /// and not the current number: a client resumes after the last number that it saw, and would miss what is between.
    pub fn everybody(&self, at: u64) -> Bytes {
        self.topic.everybody(&*self.hub.0.source, at)
    }

    /// Whether the session may be over since the last call.
    pub fn is_suspect(&self) -> bool {
        self.device.take_suspicion()
    }

    /// Sets whether the member is idle at the device.
    pub fn set_idle(&self, idle: bool) {
        if Presence::set_idle(&self.device, idle) {
            self.hub.look(self.device.tenant, self.device.person);
        }
    }

    /// Replaces the set of records that are edited at the device, by kind and id.
    pub fn edit(&self, records: &BTreeSet<(String, [u8; 16])>) {
        // Locked until it is published, so that of two changes the later is published last.
        let mut editing = self.topic.editing.lock();
        for ((kind, id), people) in editing.set(&self.device, records) {
            let told = people.clone();
            self.topic
                .pass(Audience::People(told), |ledger_seq| self.hub.0.source.editors(ledger_seq, &kind, id, &people));
        }
    }

    /// Publishes a transient frame to some members, except to its sender.
    pub fn pass(&self, mut to: Vec<MemberId>, write: impl FnOnce(u64) -> Bytes) {
        to.retain(|person| *person != self.device.person);
        if !to.is_empty() {
            self.topic.pass(Audience::People(to), write);
        }
    }
}

impl Drop for TenantChannel {
    fn drop(&mut self) {
        self.edit(&BTreeSet::new());
        self.hub.0.presence.leave(&self.device);
        self.hub.look(self.device.tenant, self.device.person);
    }
}

impl Log {
    /// Whether all frames after a ledger sequence number are buffered.
    fn remembers(&self, ledger_seq: u64) -> bool {
        (self.from..=self.ledger_seq).contains(&ledger_seq)
    }

    /// Whether all transient frames after a frame number are buffered.
    fn is_passing(&self, frame_seq: u64) -> bool {
        (self.passed..=self.frame_seq).contains(&frame_seq)
    }

    /// Returns a member's ledger frames and transient frames after these frame numbers, merged in order.
    fn between(&self, kept: u64, passing: u64, person: MemberId, rights: u64) -> Vec<Bytes> {
        let since = |entries: &'_ std::collections::VecDeque<Entry>, frame_seq: u64| {
            entries.partition_point(|entry| entry.frame_seq <= frame_seq)
        };
        let mut kept = self.kept.range(since(&self.kept, kept)..).peekable();
        let mut passing = self.passing.range(since(&self.passing, passing)..).peekable();
        let mut frames = Vec::new();
        loop {
            let first = match (kept.peek(), passing.peek()) {
                (Some(one), Some(other)) if other.frame_seq < one.frame_seq => passing.next(),
                (Some(_), _) => kept.next(),
                (None, _) => passing.next(),
            };
            let Some(entry) = first else { return frames };
            if entry.is_for(person, rights) {
                frames.push(entry.text.clone());
            }
        }
    }
}
