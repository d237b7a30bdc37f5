//! One tenant's subscribers, and the buffer of its recent frames.

use std::{
    collections::{BTreeSet, HashMap, VecDeque},
    sync::Arc,
};

use bytes::Bytes;
use parking_lot::Mutex;
use tokio::sync::watch;

use super::{
    Audience, FrameSource, OutgoingFrame, SessionImpact,
    editing::{EditedRecord, EditorRegistry, RecordKey},
    presence::{Device, PresenceState},
};
use crate::{
    kernel::{MemberId, TenantId},
    store::Change,
};

/// Ledger frames buffered for each tenant; a client that missed more reads everything again. Larger than the
/// limits of a commit in `features/live/frame_builder.rs`.
pub(super) const MAX_LEDGER_FRAMES: usize = 1_024;
/// Transient frames (presence, typing) buffered for each tenant.
pub(super) const MAX_TRANSIENT_FRAMES: usize = 512;

/// The live updates of a tenant; kept once it has had a subscriber.
pub(super) struct TenantTopic {
    pub(super) tenant: TenantId,
    pub(super) buffer: Mutex<FrameBuffer>,
    /// The number of the last published frame.
    pub(super) frame_seq: watch::Sender<u64>,
    rights: Mutex<HashMap<MemberId, u64>>,
    /// The visible members, as last published.
    visible: Mutex<HashMap<MemberId, &'static str>>,
    editing: Mutex<EditorRegistry>,
}

/// Recent frames. Frame numbers count the frames of one tenant; sequence numbers are the ledger's.
pub(super) struct FrameBuffer {
    /// The ledger sequence number up to which everything was published.
    pub(super) ledger_seq: u64,
    /// The lowest ledger sequence number after which all ledger frames are buffered.
    pub(super) resumable_from: u64,
    /// The number of the last frame.
    pub(super) frame_seq: u64,
    /// The number of the last ledger frame that was dropped from the buffer.
    pub(super) last_dropped: u64,
    pub(super) ledger_frames: VecDeque<BufferedFrame>,
    pub(super) transient_frames: VecDeque<BufferedFrame>,
    /// The number of the last transient frame that was dropped from the buffer.
    pub(super) last_dropped_transient: u64,
}

pub(super) struct BufferedFrame {
    pub(super) frame_seq: u64,
    pub(super) ledger_seq: u64,
    to: Audience,
    pub(super) text: Bytes,
}

impl BufferedFrame {
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
        let buffer = FrameBuffer {
            ledger_seq,
            resumable_from: ledger_seq,
            frame_seq,
            last_dropped: frame_seq,
            ledger_frames: VecDeque::new(),
            transient_frames: VecDeque::new(),
            last_dropped_transient: frame_seq,
        };
        Self {
            tenant,
            buffer: Mutex::new(buffer),
            frame_seq: watch::Sender::new(frame_seq),
            rights: Mutex::default(),
            visible: Mutex::default(),
            editing: Mutex::default(),
        }
    }

    /// Publishes the frames built from changes up to a ledger sequence number.
    pub(super) fn publish(&self, frames: Vec<OutgoingFrame>, ledger_seq: u64) {
        let mut buffer = self.buffer.lock();
        for OutgoingFrame { ledger_seq, to, text } in frames {
            buffer.frame_seq += 1;
            let frame_seq = buffer.frame_seq;
            buffer.ledger_frames.push_back(BufferedFrame { frame_seq, ledger_seq, to, text });
            if buffer.ledger_frames.len() > MAX_LEDGER_FRAMES
                && let Some(oldest) = buffer.ledger_frames.pop_front()
            {
                buffer.resumable_from = oldest.ledger_seq;
                buffer.last_dropped = oldest.frame_seq;
            }
        }
        buffer.ledger_seq = ledger_seq;
        self.frame_seq.send_replace(buffer.frame_seq);
    }

    /// Publishes a transient frame, which matters only to members who are connected now.
    pub(super) fn publish_transient(&self, to: Audience, build: impl FnOnce(u64) -> Bytes) {
        let mut buffer = self.buffer.lock();
        let text = build(buffer.ledger_seq);
        buffer.frame_seq += 1;
        let frame = BufferedFrame { frame_seq: buffer.frame_seq, ledger_seq: buffer.ledger_seq, to, text };
        buffer.transient_frames.push_back(frame);
        if buffer.transient_frames.len() > MAX_TRANSIENT_FRAMES
            && let Some(oldest) = buffer.transient_frames.pop_front()
        {
            buffer.last_dropped_transient = oldest.frame_seq;
        }
        self.frame_seq.send_replace(buffer.frame_seq);
    }

    /// Replaces the set of records that are edited at a device.
    pub(super) fn set_edited(&self, device: &Arc<Device>, records: &BTreeSet<RecordKey>, source: &dyn FrameSource) {
        // Locked until it is published, so that of two changes the later is published last.
        let mut editing = self.editing.lock();
        let changed = editing.replace(device, records, |key, person| self.sees(key, person, source));
        self.publish_editors(changed, source);
    }

    /// Takes members out of the editors of records that they may no longer see after some changes: of the changed
    /// records, of those that members edit whose rights may have changed, or of all if changes were missed.
    pub(super) fn check_editors(
        &self,
        changes: &[&Change],
        impacts: &[SessionImpact],
        has_gap: bool,
        source: &dyn FrameSource,
    ) {
        let mut editing = self.editing.lock();
        if editing.is_empty() {
            return;
        }
        let records: BTreeSet<(&str, [u8; 16])> =
            changes.iter().map(|change| (change.kind.as_str(), change.id)).collect();
        let is_concerned = |(kind, id): &RecordKey, person: MemberId| {
            has_gap
                || records.contains(&(kind.as_str(), *id))
                || impacts.contains(&SessionImpact::Member(person))
                || impacts.contains(&SessionImpact::Tenant)
        };
        let changed = editing.take_out(is_concerned, |key, person| self.sees(key, person, source));
        self.publish_editors(changed, source);
    }

    fn sees(&self, (kind, id): &RecordKey, person: MemberId, source: &dyn FrameSource) -> bool {
        source.sees_record(self.tenant, person, kind, *id)
    }

    /// Publishes the editors of records to them.
    fn publish_editors(&self, changed: Vec<EditedRecord>, source: &dyn FrameSource) {
        for ((kind, id), people) in changed {
            let audience = Audience::People(people.clone());
            self.publish_transient(audience, |ledger_seq| source.editors_frame(ledger_seq, &kind, id, &people));
        }
    }

    /// Drops all ledger frames up to a ledger sequence number.
    pub(super) fn drop_ledger_frames(&self, up_to: u64) {
        let mut buffer = self.buffer.lock();
        buffer.ledger_frames.clear();
        buffer.frame_seq += 1;
        (buffer.resumable_from, buffer.ledger_seq, buffer.last_dropped) = (up_to, up_to, buffer.frame_seq);
        self.frame_seq.send_replace(buffer.frame_seq);
    }

    /// The rights that a member holds after the last change.
    pub(super) fn rights(&self, person: MemberId, source: &dyn FrameSource) -> u64 {
        // Read under the lock: a change during the read removes the entry afterwards.
        *self.rights.lock().entry(person).or_insert_with(|| source.rights(self.tenant, person))
    }

    pub(super) fn forget_rights(&self, impact: SessionImpact) {
        match impact {
            SessionImpact::Member(person) => drop(self.rights.lock().remove(&person)),
            SessionImpact::Tenant => self.rights.lock().clear(),
            SessionImpact::None => {}
        }
    }

    /// Publishes a member's visible status when it changed.
    pub(super) fn publish_presence(
        &self,
        person: MemberId,
        source: &dyn FrameSource,
        state: impl FnOnce() -> Option<PresenceState>,
    ) {
        let mut visible = self.visible.lock();
        let status = source.status(self.tenant, person, state());
        let before = match status {
            Some(status) => visible.insert(person, status),
            None => visible.remove(&person),
        };
        if before != status {
            self.publish_transient(Audience::Holders(u64::MAX), |ledger_seq| {
                source.presence_frame(ledger_seq, person, status)
            });
        }
    }

    /// Builds the frame with all visible members, for a client that has received everything up to `at`.
    pub(super) fn presence_all_frame(&self, source: &dyn FrameSource, at: u64) -> Bytes {
        let visible: Vec<_> = self.visible.lock().iter().map(|(person, status)| (*person, *status)).collect();
        source.presence_all_frame(at, &visible)
    }
}
