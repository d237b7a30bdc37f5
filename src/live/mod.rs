//! Publish/subscribe hub for live updates. It is fed by commits, so it announces only durable changes, and each
//! subscriber receives the frames of one member of one tenant. A [`FrameSource`] of the layer above builds the frames
//! and selects their audiences; the hub buffers them for clients that reconnect, and delivers them.

mod channel;
mod editing;
pub mod presence;
#[cfg(test)]
mod tests;
mod topic;

use std::{collections::HashMap, sync::Arc};

use bytes::Bytes;
use parking_lot::Mutex;
use tokio::sync::{broadcast, watch};

pub use self::channel::{FrameBatch, PollResult, Subscription, TenantChannel};
use self::{
    presence::{DeviceLimit, Presence, PresenceState},
    topic::TenantTopic,
};
use crate::{
    kernel::{MemberId, TenantId},
    store::Change,
};

/// The recipients of a frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Audience {
    /// All members of the tenant who hold one of these rights, each a bit.
    Holders(u64),
    /// These members.
    People(Vec<MemberId>),
}

/// A serialized frame with its audience.
#[derive(Clone, Debug)]
pub struct OutgoingFrame {
    /// The ledger sequence number of the change that it announces.
    pub ledger_seq: u64,
    /// The recipients.
    pub to: Audience,
    /// The frame.
    pub text: Bytes,
}

/// Whose sessions a change may have ended or altered: they are checked, and their cached rights are dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionImpact {
    /// No sessions.
    None,
    /// All sessions of a member.
    Member(MemberId),
    /// All sessions of the tenant.
    Tenant,
}

/// Builds frames: knows the records behind the changes, and the format of frames.
pub trait FrameSource: Send + Sync + 'static {
    /// Builds the frames for changes of one tenant, oldest first.
    fn build_frames(&self, tenant: TenantId, changes: &[&Change]) -> Vec<OutgoingFrame>;
    /// Returns whose sessions must be checked again after a change.
    fn session_impact(&self, change: &Change) -> SessionImpact;
    /// Returns the rights that a member holds, each a bit; none when they may not sign in.
    fn rights(&self, tenant: TenantId, person: MemberId) -> u64;
    /// Returns the status of a member that others see; `None` when they are not visible.
    fn status(&self, tenant: TenantId, person: MemberId, state: Option<PresenceState>) -> Option<&'static str>;
    /// Builds the frame with one member's status.
    fn presence_frame(&self, ledger_seq: u64, person: MemberId, status: Option<&'static str>) -> Bytes;
    /// Builds the frame with all visible members.
    fn presence_all_frame(&self, ledger_seq: u64, visible: &[(MemberId, &'static str)]) -> Bytes;
    /// Whether a member receives the changes of a record.
    fn sees_record(&self, tenant: TenantId, person: MemberId, kind: &str, id: [u8; 16]) -> bool;
    /// Builds the frame with the editors of a record.
    fn editors_frame(&self, ledger_seq: u64, kind: &str, id: [u8; 16], people: &[MemberId]) -> Bytes;
}

/// The subscribers of all tenants.
#[derive(Clone)]
pub struct Hub(Arc<Inner>);

struct Inner {
    /// Under one lock, so that no change comes between reading the sequence number and creating a topic there.
    topics: Mutex<Topics>,
    source: Box<dyn FrameSource>,
    presence: Presence,
}

struct Topics {
    by_tenant: HashMap<TenantId, Arc<TenantTopic>>,
    /// The last change received, of any tenant: the starting point of topics that are created later.
    last_seq: u64,
    /// Whether changes after it were missed: the ledger's position is then unknown until the next one.
    has_gap: bool,
}

impl Hub {
    /// Creates a hub that has received everything up to a ledger sequence number.
    pub fn new(last_seq: u64, presence: Presence, source: impl FrameSource) -> Self {
        let topics = Topics { by_tenant: HashMap::new(), last_seq, has_gap: false };
        Self(Arc::new(Inner { topics: Mutex::new(topics), source: Box::new(source), presence }))
    }

    /// Publishes commits, and departures of members, until the store closes or `stop` is true.
    pub async fn run(self, mut commits: broadcast::Receiver<Arc<[Change]>>, mut stop: watch::Receiver<bool>) {
        loop {
            let received = tokio::select! {
                _ = stop.wait_for(|stop| *stop) => return,
                (tenant, person) = self.0.presence.next_departure() => {
                    self.publish_presence(tenant, person);
                    continue;
                }
                received = commits.recv() => received,
            };
            match received {
                Ok(changes) => self.publish(&changes),
                Err(broadcast::error::RecvError::Lagged(_)) => self.0.topics.lock().has_gap = true,
                Err(broadcast::error::RecvError::Closed) => return,
            }
        }
    }

    /// Subscribes one device of a member, in one session, to the tenant's frames.
    /// Errors: [`DeviceLimit`] when the session or the tenant has as many devices as it may.
    pub fn join(
        &self,
        tenant: TenantId,
        person: MemberId,
        session: [u8; 16],
        idle: bool,
    ) -> Result<TenantChannel, DeviceLimit> {
        let device = self.0.presence.join(tenant, person, session, idle)?;
        let channel = TenantChannel::new(self.clone(), self.topic(tenant), device);
        self.publish_presence(tenant, person);
        Ok(channel)
    }

    /// The members who are present.
    pub fn presence(&self) -> &Presence {
        &self.0.presence
    }

    fn topic(&self, tenant: TenantId) -> Arc<TenantTopic> {
        let mut topics = self.0.topics.lock();
        let last_seq = topics.last_seq;
        topics.by_tenant.entry(tenant).or_insert_with(|| Arc::new(TenantTopic::new(tenant, last_seq))).clone()
    }

    /// Computes a member's visible status, and publishes it when it changed.
    fn publish_presence(&self, tenant: TenantId, person: MemberId) {
        let topic = self.0.topics.lock().by_tenant.get(&tenant).cloned();
        if let Some(topic) = topic {
            topic.publish_presence(person, &*self.0.source, || self.0.presence.state_of(tenant, person));
        }
    }

    fn publish(&self, changes: &[Change]) {
        let Some((first, last)) = changes.first().zip(changes.last()) else { return };
        let source = &*self.0.source;
        let (topics, has_gap) = {
            let mut topics = self.0.topics.lock();
            let has_gap = std::mem::take(&mut topics.has_gap);
            topics.last_seq = last.seq;
            (topics.by_tenant.values().cloned().collect::<Vec<_>>(), has_gap)
        };
        for topic in topics {
            // The missed changes are lost: all subscribers read everything again.
            if has_gap {
                topic.drop_ledger_frames(first.seq.saturating_sub(1));
                self.apply_impact(&topic, SessionImpact::Tenant);
            }
            let changes: Vec<&Change> = changes.iter().filter(|change| change.tenant == topic.tenant).collect();
            let impacts: Vec<SessionImpact> = changes.iter().map(|change| source.session_impact(change)).collect();
            // Before the frames are published: a session that is over gets that, not the frames.
            for impact in &impacts {
                self.apply_impact(&topic, *impact);
            }
            if let Some(last) = changes.last() {
                topic.publish(source.build_frames(topic.tenant, &changes), last.seq);
            }
            topic.check_editors(&changes, &impacts, has_gap, source);
            for impact in impacts {
                if let SessionImpact::Member(person) = impact {
                    self.publish_presence(topic.tenant, person);
                }
            }
        }
    }

    fn apply_impact(&self, topic: &TenantTopic, impact: SessionImpact) {
        if impact != SessionImpact::None {
            self.0.presence.mark_for_check(topic.tenant, impact);
            topic.forget_rights(impact);
        }
    }
}
