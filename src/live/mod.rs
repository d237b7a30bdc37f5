//! The hub: tells who is looking what they may hear. It is fed by commits, so it never speaks of what is not on
//! the disk, and a listener only ever hears of one company and one person. What is said, and to whom, the house
//! above decides ([`Voice`]); here it is kept for those who come back, and handed out.

mod channel;
mod editing;
pub mod presence;
mod room;
#[cfg(test)]
mod tests;

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use bytes::Bytes;
use tokio::sync::{broadcast, watch};

pub use self::channel::{Heard, Next, Start, TenantChannel};
use self::{
    presence::{Full, Presence, There},
    room::Room,
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
pub struct Said {
    /// The place in the ledger of what it tells.
    pub place: u64,
    /// To whom.
    pub to: Audience,
    /// The frame.
    pub text: Bytes,
}

/// Whose session may be over, or another, by a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Concern {
    /// Nobody's.
    Nobody,
    /// All of a member.
    Member(MemberId),
    /// All of the company.
    Company,
}

/// What the house says: knows the records behind the changes, and how frames are written.
pub trait Voice: Send + Sync + 'static {
    /// What is said of changes of one company, oldest first.
    fn say(&self, tenant: TenantId, changes: &[&Change]) -> Vec<Said>;
    /// Whose session is to be looked at again after a change.
    fn concern(&self, change: &Change) -> Concern;
    /// The rights that somebody holds, each a bit; none when they may not come in.
    fn rights(&self, tenant: TenantId, person: MemberId) -> u64;
    /// How somebody's being there looks to the others; nothing when they are not to be seen.
    fn status(&self, tenant: TenantId, person: MemberId, there: Option<There>) -> Option<&'static str>;
    /// The frame of that.
    fn presence(&self, place: u64, person: MemberId, status: Option<&'static str>) -> Bytes;
    /// The frame of everybody who is to be seen.
    fn everybody(&self, place: u64, seen: &[(MemberId, &'static str)]) -> Bytes;
    /// The frame of who edits a record.
    fn editors(&self, place: u64, kind: &str, id: [u8; 16], people: &[MemberId]) -> Bytes;
}

/// Who is looking.
#[derive(Clone)]
pub struct Hub(Arc<Inside>);

struct Inside {
    /// Under one lock, so that no change comes between looking where the ledger is and opening a room there.
    heard: Mutex<Everything>,
    voice: Box<dyn Voice>,
    presence: Presence,
}

struct Everything {
    rooms: HashMap<TenantId, Arc<Room>>,
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
    pub fn new(last: u64, presence: Presence, voice: impl Voice) -> Self {
        let heard = Everything { rooms: HashMap::new(), last, gap: false };
        Self(Arc::new(Inside { heard: Mutex::new(heard), voice: Box::new(voice), presence }))
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
        let channel = TenantChannel::new(self.clone(), self.room(tenant), device);
        self.look(tenant, person);
        Ok(channel)
    }

    /// Who is there.
    #[must_use]
    pub fn presence(&self) -> &Presence {
        &self.0.presence
    }

    fn room(&self, tenant: TenantId) -> Arc<Room> {
        let mut heard = lock(&self.0.heard);
        let last = heard.last;
        heard.rooms.entry(tenant).or_insert_with(|| Arc::new(Room::new(tenant, last))).clone()
    }

    /// Looks how somebody's being there looks now, and tells when it is another.
    fn look(&self, tenant: TenantId, person: MemberId) {
        let room = lock(&self.0.heard).rooms.get(&tenant).cloned();
        if let Some(room) = room {
            room.look(person, &*self.0.voice, || self.0.presence.there(tenant, person));
        }
    }

    fn tell(&self, changes: &[Change]) {
        let Some((first, last)) = changes.first().zip(changes.last()) else { return };
        let voice = &*self.0.voice;
        let (rooms, gap) = {
            let mut heard = lock(&self.0.heard);
            let gap = std::mem::take(&mut heard.gap);
            heard.last = last.seq;
            (heard.rooms.values().cloned().collect::<Vec<_>>(), gap)
        };
        for room in rooms {
            // What was missed, nobody can be told: everybody reads everything again.
            if gap {
                room.restart(first.seq.saturating_sub(1));
                self.concern(&room, Concern::Company);
            }
            let changes: Vec<&Change> = changes.iter().filter(|change| change.tenant == room.tenant).collect();
            let concerns: Vec<Concern> = changes.iter().map(|change| voice.concern(change)).collect();
            // First of all: whoever's session is over hears that, and not the news.
            for concern in &concerns {
                self.concern(&room, *concern);
            }
            if let Some(last) = changes.last() {
                room.tell(voice.say(room.tenant, &changes), last.seq);
            }
            for concern in concerns {
                if let Concern::Member(person) = concern {
                    self.look(room.tenant, person);
                }
            }
        }
    }

    fn concern(&self, room: &Room, concern: Concern) {
        if concern != Concern::Nobody {
            self.0.presence.suspect(room.tenant, concern);
            room.forget_rights(concern);
        }
    }
}
