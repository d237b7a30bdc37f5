//! The hub: tells who is looking what they may hear. It is fed by commits, so it never speaks of what is not on
//! the disk, and a listener only ever hears of one company and one person. What is said, and to whom, the house
//! above decides ([`FrameSource`]); here it is kept for those who come back, and handed out.

mod channel;
mod editing;
pub mod presence;
#[cfg(test)]
mod tests;
mod topic;

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use bytes::Bytes;
use tokio::sync::{broadcast, watch};

pub use self::channel::{FrameBatch, PollResult, Subscription, TenantChannel};
use self::{
    presence::{Full, Presence, PresenceState},
    topic::TenantTopic,
};
use crate::{
    kernel::{MemberId, TenantId},
    store::Change,
};

/// Who hears something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Audience {
    /// Everybody of the company who holds one of these rights, each a bit.
    Holders(u64),
    /// These.
    People(Vec<MemberId>),
}

/// Something that is said, once written.
#[derive(Clone, Debug)]
pub struct OutgoingFrame {
    /// The place in the ledger of what it tells.
    pub ledger_seq: u64,
    /// To whom.
    pub to: Audience,
    /// The frame.
    pub text: Bytes,
}

/// Whose session may be over, or another, by a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionImpact {
    /// Nobody's.
    Nobody,
    /// All of a member.
    Member(MemberId),
    /// All of the company.
    Company,
}

/// What the house says: knows the records behind the changes, and how frames are written.
pub trait FrameSource: Send + Sync + 'static {
    /// What is said of changes of one company, oldest first.
    fn say(&self, tenant: TenantId, changes: &[&Change]) -> Vec<OutgoingFrame>;
    /// Whose session is to be looked at again after a change.
    fn session_impact(&self, change: &Change) -> SessionImpact;
    /// The rights that somebody holds, each a bit; none when they may not come in.
    fn rights(&self, tenant: TenantId, person: MemberId) -> u64;
    /// How somebody's being there looks to the others; nothing when they are not to be seen.
    fn status(&self, tenant: TenantId, person: MemberId, there: Option<PresenceState>) -> Option<&'static str>;
    /// The frame of that.
    fn presence(&self, ledger_seq: u64, person: MemberId, status: Option<&'static str>) -> Bytes;
    /// The frame of everybody who is to be seen.
    fn everybody(&self, ledger_seq: u64, seen: &[(MemberId, &'static str)]) -> Bytes;
    /// The frame of who edits a record.
    fn editors(&self, ledger_seq: u64, kind: &str, id: [u8; 16], people: &[MemberId]) -> Bytes;
}

/// Who is looking.
#[derive(Clone)]
pub struct Hub(Arc<Inner>);

struct Inner {
    /// Under one lock, so that no change comes between looking where the ledger is and opening a room there.
    heard: Mutex<Everything>,
    source: Box<dyn FrameSource>,
    presence: Presence,
}

struct Everything {
    topics: HashMap<TenantId, Arc<TenantTopic>>,
    /// The last change heard of, of any company: where a room begins that is made later.
    last: u64,
    /// Whether changes were missed since then: where the ledger goes on is not known until the next one.
    gap: bool,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Hub {
    /// A hub that has heard everything up to a place in the ledger.
    #[must_use]
    pub fn new(last: u64, presence: Presence, source: impl FrameSource) -> Self {
        let heard = Everything { topics: HashMap::new(), last, gap: false };
        Self(Arc::new(Inner { heard: Mutex::new(heard), source: Box::new(source), presence }))
    }

    /// Passes on what is committed, and that people have gone, until the store closes or `stop` says true.
    pub async fn run(self, mut commits: broadcast::Receiver<Arc<[Change]>>, mut stop: watch::Receiver<bool>) {
        loop {
            let heard = tokio::select! {
                _ = stop.wait_for(|stop| *stop) => return,
                (tenant, person) = self.0.presence.gone() => {
                    self.look(tenant, person);
                    continue;
                }
                heard = commits.recv() => heard,
            };
            match heard {
                Ok(changes) => self.tell(&changes),
                Err(broadcast::error::RecvError::Lagged(_)) => lock(&self.0.heard).gap = true,
                Err(broadcast::error::RecvError::Closed) => return,
            }
        }
    }

    /// One company's listener: one device of one person, in one session.
    ///
    /// # Errors
    /// [`Full`] when the session, or the company, has as many as it may.
    pub fn join(
        &self,
        tenant: TenantId,
        person: MemberId,
        session: [u8; 16],
        idle: bool,
    ) -> Result<TenantChannel, Full> {
        let device = self.0.presence.join(tenant, person, session, idle)?;
        let channel = TenantChannel::new(self.clone(), self.topic(tenant), device);
        self.look(tenant, person);
        Ok(channel)
    }

    /// Who is there.
    #[must_use]
    pub fn presence(&self) -> &Presence {
        &self.0.presence
    }

    fn topic(&self, tenant: TenantId) -> Arc<TenantTopic> {
        let mut heard = lock(&self.0.heard);
        let last = heard.last;
        heard.topics.entry(tenant).or_insert_with(|| Arc::new(TenantTopic::new(tenant, last))).clone()
    }

    /// Looks how somebody's being there looks now, and tells when it is another.
    fn look(&self, tenant: TenantId, person: MemberId) {
        let topic = lock(&self.0.heard).topics.get(&tenant).cloned();
        if let Some(topic) = topic {
            topic.look(person, &*self.0.source, || self.0.presence.there(tenant, person));
        }
    }

    fn tell(&self, changes: &[Change]) {
        let Some((first, last)) = changes.first().zip(changes.last()) else { return };
        let source = &*self.0.source;
        let (topics, gap) = {
            let mut heard = lock(&self.0.heard);
            let gap = std::mem::take(&mut heard.gap);
            heard.last = last.seq;
            (heard.topics.values().cloned().collect::<Vec<_>>(), gap)
        };
        for topic in topics {
            // What was missed, nobody can be told: everybody reads everything again.
            if gap {
                topic.restart(first.seq.saturating_sub(1));
                self.session_impact(&topic, SessionImpact::Company);
            }
            let changes: Vec<&Change> = changes.iter().filter(|change| change.tenant == topic.tenant).collect();
            let impacts: Vec<SessionImpact> = changes.iter().map(|change| source.session_impact(change)).collect();
            // First of all: whoever's session is over hears that, and not the news.
            for impact in &impacts {
                self.session_impact(&topic, *impact);
            }
            if let Some(last) = changes.last() {
                topic.tell(source.say(topic.tenant, &changes), last.seq);
            }
            for impact in impacts {
                if let SessionImpact::Member(person) = impact {
                    self.look(topic.tenant, person);
                }
            }
        }
    }

    fn session_impact(&self, topic: &TenantTopic, impact: SessionImpact) {
        if impact != SessionImpact::Nobody {
            self.0.presence.suspect(topic.tenant, impact);
            topic.forget_rights(impact);
        }
    }
}
