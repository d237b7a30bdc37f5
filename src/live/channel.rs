//! One device's subscription to its tenant's frames, limited to what its member may see.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use bytes::Bytes;

use super::{
    Audience, Hub,
    presence::{Device, Presence},
    topic::{BufferedFrame, FrameBuffer, TenantTopic},
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
    pub missed_transient: bool,
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
        self.topic.buffer.lock().ledger_seq
    }

    /// Starts after a ledger sequence number, or now.
    pub fn start(&self, after: Option<u64>) -> Subscription {
        let rights = self.rights();
        let buffer = self.topic.buffer.lock();
        let resumed = after.is_some_and(|ledger_seq| buffer.can_resume_from(ledger_seq));
        let is_missed = |frame: &&BufferedFrame| after.is_some_and(|ledger_seq| frame.ledger_seq > ledger_seq);
        let is_own = |frame: &&BufferedFrame| frame.is_for(self.device.person, rights);
        let frames = buffer.ledger_frames.iter().filter(|_| resumed).filter(is_missed).filter(is_own);
        Subscription {
            at: buffer.ledger_seq,
            frame_seq: buffer.frame_seq,
            resumed,
            frames: frames.map(|frame| frame.text.clone()).collect(),
        }
    }

    /// Returns the frames after a frame number, and advances that number to the last of them.
    pub fn next_frames(&self, frame_seq: &mut u64) -> FrameBatch {
        let rights = self.rights();
        let buffer = self.topic.buffer.lock();
        let resync = *frame_seq < buffer.last_dropped;
        let missed_transient = *frame_seq < buffer.last_dropped_transient;
        let last = std::mem::replace(frame_seq, buffer.frame_seq);
        let frames = if resync { Vec::new() } else { buffer.frames_after(last, last, self.device.person, rights) };
        FrameBatch { at: buffer.ledger_seq, frames, resync, missed_transient }
    }

    /// Waits until a frame after this number is published, to any member.
    pub async fn wait_for_frame(&self, frame_seq: u64) {
        let mut last = self.topic.frame_seq.subscribe();
        // The sender cannot be dropped while this subscription holds its topic.
        drop(last.wait_for(|last| *last > frame_seq).await);
    }

    /// Returns the ledger frames after `ledger_seq` and the transient frames after `frame_seq`; waits for them at most
    /// `max_wait`. Without a ledger sequence number it returns the current one and the present members at once.
    pub async fn poll(&self, ledger_seq: Option<u64>, frame_seq: Option<u64>, max_wait: Duration) -> PollResult {
        let mut result = self.poll_now(ledger_seq, frame_seq);
        let deadline = tokio::time::sleep(max_wait);
        tokio::pin!(deadline);
        // The caller checks the session before it answers: it waits no longer once the session may be over.
        self.device.take_needs_check();
        while ledger_seq.is_some() && !result.resync && result.frames.is_empty() && !self.device.take_needs_check() {
            tokio::select! {
                () = &mut deadline => break,
                () = self.wait_for_frame(result.frame_seq) => result = self.poll_now(ledger_seq, frame_seq),
            }
        }
        // A client with no valid frame number gets all present members.
        let is_valid = frame_seq.is_some_and(|frame_seq| self.topic.buffer.lock().has_transient_after(frame_seq));
        if !is_valid || result.resync {
            result.frames.push(self.presence_all_frame(result.at));
        }
        result
    }

    fn poll_now(&self, ledger_seq: Option<u64>, frame_seq: Option<u64>) -> PollResult {
        let rights = self.rights();
        let buffer = self.topic.buffer.lock();
        let result = |frames, resync| PollResult { at: buffer.ledger_seq, frame_seq: buffer.frame_seq, frames, resync };
        let Some(ledger_seq) = ledger_seq else { return result(Vec::new(), false) };
        if !buffer.can_resume_from(ledger_seq) {
            return result(Vec::new(), true);
        }
        let last = buffer
            .ledger_frames
            .iter()
            .find(|frame| frame.ledger_seq > ledger_seq)
            .map_or(buffer.frame_seq, |frame| frame.frame_seq - 1);
        let last_transient =
            frame_seq.filter(|frame_seq| buffer.has_transient_after(*frame_seq)).unwrap_or(buffer.frame_seq);
        result(buffer.frames_after(last, last_transient, self.device.person, rights), false)
    }

    /// Builds the frame with all present members, for a client that has received everything up to `at`. It carries `at`
    /// and not the current number: a client resumes after the last number that it saw, and would miss what is between.
    pub fn presence_all_frame(&self, at: u64) -> Bytes {
        self.topic.presence_all_frame(&*self.hub.0.source, at)
    }

    /// Returns whether the session must be checked again, and resets that.
    pub fn take_needs_check(&self) -> bool {
        self.device.take_needs_check()
    }

    /// Sets whether the member is idle at the device.
    pub fn set_idle(&self, idle: bool) {
        if Presence::set_idle(&self.device, idle) {
            self.hub.publish_presence(self.device.tenant, self.device.person);
        }
    }

    /// Replaces the set of records that are edited at the device, by kind and id.
    pub fn set_edited(&self, records: &BTreeSet<(String, [u8; 16])>) {
        self.topic.set_edited(&self.device, records, &*self.hub.0.source);
    }

    /// Publishes a transient frame to some members, except to its sender.
    pub fn publish_transient(&self, mut to: Vec<MemberId>, build: impl FnOnce(u64) -> Bytes) {
        to.retain(|person| *person != self.device.person);
        if !to.is_empty() {
            self.topic.publish_transient(Audience::People(to), build);
        }
    }
}

impl Drop for TenantChannel {
    fn drop(&mut self) {
        self.set_edited(&BTreeSet::new());
        self.hub.0.presence.leave(&self.device);
        self.hub.publish_presence(self.device.tenant, self.device.person);
    }
}

impl FrameBuffer {
    /// Whether all frames after a ledger sequence number are buffered.
    fn can_resume_from(&self, ledger_seq: u64) -> bool {
        (self.resumable_from..=self.ledger_seq).contains(&ledger_seq)
    }

    /// Whether all transient frames after a frame number are buffered.
    fn has_transient_after(&self, frame_seq: u64) -> bool {
        (self.last_dropped_transient..=self.frame_seq).contains(&frame_seq)
    }

    /// Returns a member's ledger frames and transient frames after these frame numbers, merged in order.
    fn frames_after(&self, last: u64, last_transient: u64, person: MemberId, rights: u64) -> Vec<Bytes> {
        let since = |frames: &'_ std::collections::VecDeque<BufferedFrame>, last: u64| {
            frames.partition_point(|frame| frame.frame_seq <= last)
        };
        let mut ledger_frames = self.ledger_frames.range(since(&self.ledger_frames, last)..).peekable();
        let mut transient_frames =
            self.transient_frames.range(since(&self.transient_frames, last_transient)..).peekable();
        let mut frames = Vec::new();
        loop {
            let first = match (ledger_frames.peek(), transient_frames.peek()) {
                (Some(one), Some(other)) if other.frame_seq < one.frame_seq => transient_frames.next(),
                (Some(_), _) => ledger_frames.next(),
                (None, _) => transient_frames.next(),
            };
            let Some(frame) = first else { return frames };
            if frame.is_for(person, rights) {
                frames.push(frame.text.clone());
            }
        }
    }
}
