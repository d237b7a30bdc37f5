//! What happens in one company, as one person may hear it.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use bytes::Bytes;

use super::{
    Audience, Hub, lock,
    presence::{Device, Presence},
    topic::{Entry, Log, TenantTopic},
};
use crate::kernel::MemberId;

/// What somebody who waited has heard.
#[derive(Debug)]
pub struct PollResult {
    /// The place in the ledger up to which it is.
    pub at: u64,
    /// The moment up to which it is, for what passes.
    pub frame_seq: u64,
    /// The frames, oldest first.
    pub frames: Vec<Bytes>,
    /// Whether more was missed than is remembered: read everything again.
    pub resync: bool,
}

/// From where on somebody listens.
#[derive(Debug)]
pub struct Subscription {
    /// The place in the ledger where everything was said up to now.
    pub at: u64,
    /// The moment from which to listen.
    pub frame_seq: u64,
    /// Whether nothing was missed.
    pub resumed: bool,
    /// What was missed, oldest first.
    pub frames: Vec<Bytes>,
}

/// What was said since a moment.
#[derive(Debug)]
pub struct FrameBatch {
    /// The place in the ledger up to which it is.
    pub at: u64,
    /// The frames, oldest first.
    pub frames: Vec<Bytes>,
    /// Whether changes were missed: read everything again.
    pub resync: bool,
    /// Whether something was missed of what passes: who is there is to be told anew.
    pub blinked: bool,
}

/// What happens in one company, as one person may hear it. Somebody who has one is there.
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

    /// The place in the ledger up to which everything was said.
    #[must_use]
    pub fn ledger_seq(&self) -> u64 {
        lock(&self.topic.log).ledger_seq
    }

    /// Begins to listen: after a place in the ledger, or now.
    #[must_use]
    pub fn start(&self, after: Option<u64>) -> Subscription {
        let rights = self.rights();
        let log = lock(&self.topic.log);
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

    /// What was said since a moment, which becomes that of the last of it.
    pub fn next(&self, frame_seq: &mut u64) -> FrameBatch {
        let rights = self.rights();
        let log = lock(&self.topic.log);
        let (resync, blinked) = (*frame_seq < log.forgotten, *frame_seq < log.passed);
        let from = std::mem::replace(frame_seq, log.frame_seq);
        let frames = if resync { Vec::new() } else { log.between(from, from, self.device.person, rights) };
        FrameBatch { at: log.ledger_seq, frames, resync, blinked }
    }

    /// Waits until something is said after a moment: to whomever.
    pub async fn wait(&self, frame_seq: u64) {
        let mut heard = self.topic.frame_seq.subscribe();
        // The room outlives its listeners; were it gone, there would be nothing to wait for.
        drop(heard.wait_for(|now| *now > frame_seq).await);
    }

    /// What happened after a place in the ledger, and passed since a moment; waits for it at most `patience`.
    /// Without a place, only where the ledger is now and who is there.
    pub async fn after(&self, ledger_seq: Option<u64>, frame_seq: Option<u64>, patience: Duration) -> PollResult {
        let mut heard = self.now(ledger_seq, frame_seq);
        let deadline = tokio::time::sleep(patience);
        tokio::pin!(deadline);
        // Whoever waits looks at the session before they answer: at once when it may be over meanwhile.
        self.device.take_suspicion();
        while ledger_seq.is_some() && !heard.resync && heard.frames.is_empty() && !self.device.take_suspicion() {
            tokio::select! {
                () = &mut deadline => break,
                () = self.wait(heard.frame_seq) => heard = self.now(ledger_seq, frame_seq),
            }
        }
        // Whoever does not say what they know of the passing is told who is there.
        let knows = frame_seq.is_some_and(|frame_seq| lock(&self.topic.log).is_passing(frame_seq));
        if !knows || heard.resync {
            heard.frames.push(self.everybody(heard.at));
        }
        heard
    }

    fn now(&self, ledger_seq: Option<u64>, frame_seq: Option<u64>) -> PollResult {
        let rights = self.rights();
        let log = lock(&self.topic.log);
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

    /// The frame of everybody who is there, for who was told everything up to the place `at`. It names that place and
    /// not the present one: a client goes on after the last place that it saw, and would miss what was said between.
    #[must_use]
    pub fn everybody(&self, at: u64) -> Bytes {
        self.topic.everybody(&*self.hub.0.source, at)
    }

    /// Whether the session may be over since this was last asked.
    #[must_use]
    pub fn is_suspect(&self) -> bool {
        self.device.take_suspicion()
    }

    /// Notes whether somebody is at the device.
    pub fn set_idle(&self, idle: bool) {
        if Presence::set_idle(&self.device, idle) {
            self.hub.look(self.device.tenant, self.device.person);
        }
    }

    /// Takes over all that is edited at the device, by kind and id.
    pub fn edit(&self, records: &BTreeSet<(String, [u8; 16])>) {
        // Under the lock until it is told, so that of two changes the later is told last.
        let mut editing = lock(&self.topic.editing);
        for ((kind, id), people) in editing.set(&self.device, records) {
            let told = people.clone();
            self.topic
                .pass(Audience::People(told), |ledger_seq| self.hub.0.source.editors(ledger_seq, &kind, id, &people));
        }
    }

    /// Says something that passes to some people, but not to whom it comes from.
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
    /// Whether all is known that was said after a place in the ledger.
    fn remembers(&self, ledger_seq: u64) -> bool {
        (self.from..=self.ledger_seq).contains(&ledger_seq)
    }

    /// Whether all is known that has passed since a moment.
    fn is_passing(&self, frame_seq: u64) -> bool {
        (self.passed..=self.frame_seq).contains(&frame_seq)
    }

    /// What one person hears of what was kept, and has passed, since moments.
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
