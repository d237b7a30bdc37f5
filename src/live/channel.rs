//! What happens in one company, as one person may hear it.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use bytes::Bytes;

use super::{
    Audience, Hub, lock,
    presence::{Device, Presence},
    room::{Entry, Log, Room},
};
use crate::kernel::MemberId;

/// What somebody who waited has heard.
#[derive(Debug)]
pub struct Heard {
    /// The place in the ledger up to which it is.
    pub at: u64,
    /// The moment up to which it is, for what passes.
    pub moment: u64,
    /// The frames, oldest first.
    pub frames: Vec<Bytes>,
    /// Whether more was missed than is remembered: read everything again.
    pub resync: bool,
}

/// From where on somebody listens.
#[derive(Debug)]
pub struct Start {
    /// The place in the ledger where everything was said up to now.
    pub at: u64,
    /// The moment from which to listen.
    pub moment: u64,
    /// Whether nothing was missed.
    pub resumed: bool,
    /// What was missed, oldest first.
    pub frames: Vec<Bytes>,
}

/// What was said since a moment.
#[derive(Debug)]
pub struct Next {
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
    room: Arc<Room>,
    device: Arc<Device>,
}

impl TenantChannel {
    pub(super) fn new(hub: Hub, room: Arc<Room>, device: Arc<Device>) -> Self {
        Self { hub, room, device }
    }

    fn rights(&self) -> u64 {
        self.room.rights(self.device.person, &*self.hub.0.voice)
    }

    /// The place in the ledger up to which everything was said.
    #[must_use]
    pub fn place(&self) -> u64 {
        lock(&self.room.log).place
    }

    /// Begins to listen: after a place in the ledger, or now.
    #[must_use]
    pub fn start(&self, after: Option<u64>) -> Start {
        let rights = self.rights();
        let log = lock(&self.room.log);
        let resumed = after.is_some_and(|place| log.remembers(place));
        let missed = |entry: &&Entry| after.is_some_and(|place| entry.place > place);
        let mine = |entry: &&Entry| entry.is_for(self.device.person, rights);
        let kept = log.kept.iter().filter(|_| resumed).filter(missed).filter(mine);
        Start { at: log.place, moment: log.moment, resumed, frames: kept.map(|entry| entry.text.clone()).collect() }
    }

    /// What was said since a moment, which becomes that of the last of it.
    pub fn next(&self, moment: &mut u64) -> Next {
        let rights = self.rights();
        let log = lock(&self.room.log);
        let (resync, blinked) = (*moment < log.forgotten, *moment < log.passed);
        let from = std::mem::replace(moment, log.moment);
        let frames = if resync { Vec::new() } else { log.between(from, from, self.device.person, rights) };
        Next { at: log.place, frames, resync, blinked }
    }

    /// Waits until something is said after a moment: to whomever.
    pub async fn wait(&self, moment: u64) {
        let mut heard = self.room.moment.subscribe();
        // The room outlives its listeners; were it gone, there would be nothing to wait for.
        drop(heard.wait_for(|now| *now > moment).await);
    }

    /// What happened after a place in the ledger, and passed since a moment; waits for it at most `patience`.
    /// Without a place, only where the ledger is now and who is there.
    pub async fn after(&self, place: Option<u64>, moment: Option<u64>, patience: Duration) -> Heard {
        let mut heard = self.now(place, moment);
        let deadline = tokio::time::sleep(patience);
        tokio::pin!(deadline);
        // Whoever waits looks at the session before they answer: at once when it may be over meanwhile.
        self.device.take_suspicion();
        while place.is_some() && !heard.resync && heard.frames.is_empty() && !self.device.take_suspicion() {
            tokio::select! {
                () = &mut deadline => break,
                () = self.wait(heard.moment) => heard = self.now(place, moment),
            }
        }
        // Whoever does not say what they know of the passing is told who is there.
        let knows = moment.is_some_and(|moment| lock(&self.room.log).is_passing(moment));
        if !knows || heard.resync {
            heard.frames.push(self.everybody(heard.at));
        }
        heard
    }

    fn now(&self, place: Option<u64>, moment: Option<u64>) -> Heard {
        let rights = self.rights();
        let log = lock(&self.room.log);
        let heard = |frames, resync| Heard { at: log.place, moment: log.moment, frames, resync };
        let Some(place) = place else { return heard(Vec::new(), false) };
        if !log.remembers(place) {
            return heard(Vec::new(), true);
        }
        let since = log.kept.iter().find(|entry| entry.place > place).map_or(log.moment, |entry| entry.moment - 1);
        let passing = moment.filter(|moment| log.is_passing(*moment)).unwrap_or(log.moment);
        heard(log.between(since, passing, self.device.person, rights), false)
    }

    /// The frame of everybody who is there, for who was told everything up to the place `at`. It names that place and
    /// not the present one: a client goes on after the last place that it saw, and would miss what was said between.
    #[must_use]
    pub fn everybody(&self, at: u64) -> Bytes {
        self.room.everybody(&*self.hub.0.voice, at)
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
        let mut editing = lock(&self.room.editing);
        for ((kind, id), people) in editing.set(&self.device, records) {
            let told = people.clone();
            self.room.pass(Audience::People(told), |place| self.hub.0.voice.editors(place, &kind, id, &people));
        }
    }

    /// Says something that passes to some people, but not to whom it comes from.
    pub fn pass(&self, mut to: Vec<MemberId>, write: impl FnOnce(u64) -> Bytes) {
        to.retain(|person| *person != self.device.person);
        if !to.is_empty() {
            self.room.pass(Audience::People(to), write);
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
    fn remembers(&self, place: u64) -> bool {
        (self.from..=self.place).contains(&place)
    }

    /// Whether all is known that has passed since a moment.
    fn is_passing(&self, moment: u64) -> bool {
        (self.passed..=self.moment).contains(&moment)
    }

    /// What one person hears of what was kept, and has passed, since moments.
    fn between(&self, kept: u64, passing: u64, person: MemberId, rights: u64) -> Vec<Bytes> {
        let since = |entries: &'_ std::collections::VecDeque<Entry>, moment: u64| {
            entries.partition_point(|entry| entry.moment <= moment)
        };
        let mut kept = self.kept.range(since(&self.kept, kept)..).peekable();
        let mut passing = self.passing.range(since(&self.passing, passing)..).peekable();
        let mut frames = Vec::new();
        loop {
            let first = match (kept.peek(), passing.peek()) {
                (Some(one), Some(other)) if other.moment < one.moment => passing.next(),
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
