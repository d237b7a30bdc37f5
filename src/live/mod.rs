//! The hub: tells who is looking that something they may see has changed. It is fed by commits, so it
//! never speaks of what is not on the disk, and a listener only ever hears of one company and one person.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use tokio::sync::{broadcast, watch};

use crate::{
    kernel::{MemberId, TenantId},
    store::Change,
};

/// Changes remembered for each company; who missed more reads everything again.
const REMEMBERED: usize = 512;

/// Something that changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct News {
    /// Its place in the ledger.
    pub seq: u64,
    /// The record's kind.
    pub kind: String,
    /// The record's id.
    pub id: [u8; 16],
    /// The record's version after it.
    pub version: u64,
    /// Whose own record it is; everybody's of the company when nobody's.
    person: Option<MemberId>,
}

/// What a listener hears.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heard {
    /// The place in the ledger up to which it is.
    pub seq: u64,
    /// What changed, oldest first.
    pub news: Vec<News>,
    /// Whether more was missed than is remembered: read everything again.
    pub resync: bool,
}

/// The recent changes of one company.
#[derive(Default)]
struct Recent {
    /// The place before the oldest one remembered.
    from: u64,
    news: VecDeque<News>,
}

/// One company's listeners.
struct Room {
    recent: Mutex<Recent>,
    seq: watch::Sender<u64>,
}

/// Who is looking.
#[derive(Clone)]
pub struct Hub(Arc<Inside>);

struct Inside {
    /// Under one lock, so that no change comes between looking where the ledger is and opening a room there.
    heard: Mutex<Everything>,
    /// Kinds of records that only those concerned may know to have changed; they hear by records of their own.
    quiet: &'static [&'static str],
}

struct Everything {
    rooms: HashMap<TenantId, Arc<Room>>,
    /// The last change heard of, of any company: where a room begins that is made later.
    last: u64,
    /// Whether changes were missed since then: where the ledger goes on is not known until the next one.
    gap: bool,
}

impl Hub {
    /// A hub that has heard everything up to a place in the ledger. Changes of the `quiet` kinds are
    /// told to nobody but the person whose own record it is.
    #[must_use]
    pub fn new(last: u64, quiet: &'static [&'static str]) -> Self {
        let heard = Everything { rooms: HashMap::new(), last, gap: false };
        Self(Arc::new(Inside { heard: Mutex::new(heard), quiet }))
    }

    /// Passes on what is committed, until the store closes or `stop` says true.
    pub async fn run(self, mut commits: broadcast::Receiver<Arc<[Change]>>, mut stop: watch::Receiver<bool>) {
        loop {
            let heard = tokio::select! {
                _ = stop.wait_for(|stop| *stop) => return,
                heard = commits.recv() => heard,
            };
            match heard {
                Ok(changes) => self.tell(&changes),
                Err(broadcast::error::RecvError::Lagged(_)) => lock(&self.0.heard).gap = true,
                Err(broadcast::error::RecvError::Closed) => return,
            }
        }
    }

    /// One company's listener, as one person.
    #[must_use]
    pub fn channel(&self, tenant: TenantId, person: MemberId) -> TenantChannel {
        TenantChannel { room: self.room(tenant), person }
    }

    fn room(&self, tenant: TenantId) -> Arc<Room> {
        let mut heard = lock(&self.0.heard);
        let last = heard.last;
        let fresh =
            || Room { recent: Mutex::new(Recent { from: last, news: VecDeque::new() }), seq: watch::Sender::new(last) };
        heard.rooms.entry(tenant).or_insert_with(|| Arc::new(fresh())).clone()
    }

    fn tell(&self, changes: &[Change]) {
        let mut heard = lock(&self.0.heard);
        if std::mem::take(&mut heard.gap)
            && let Some(first) = changes.first()
        {
            // What was missed, nobody can be told: who waits, and who asks from before, reads everything again.
            heard.rooms.values().for_each(|room| room.restart(first.seq.saturating_sub(1)));
        }
        for change in changes {
            heard.last = change.seq;
            if change.person.is_none() && self.0.quiet.contains(&change.kind.as_str()) {
                continue;
            }
            // A company in which nobody looks has no room, and needs none.
            if let Some(room) = heard.rooms.get(&change.tenant) {
                room.tell(change);
            }
        }
    }
}

impl Room {
    fn tell(&self, change: &Change) {
        let mut recent = lock(&self.recent);
        recent.news.push_back(News {
            seq: change.seq,
            kind: change.kind.clone(),
            id: change.id,
            version: change.version,
            person: change.person,
        });
        if recent.news.len() > REMEMBERED
            && let Some(oldest) = recent.news.pop_front()
        {
            recent.from = oldest.seq;
        }
        drop(recent);
        self.seq.send_replace(change.seq);
    }

    /// Forgets everything before a place in the ledger.
    fn restart(&self, at: u64) {
        let mut recent = lock(&self.recent);
        recent.from = at;
        recent.news.clear();
        drop(recent);
        self.seq.send_replace(at);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What happens in one company, as one person may hear it.
pub struct TenantChannel {
    room: Arc<Room>,
    person: MemberId,
}

impl TenantChannel {
    /// What happened after a place in the ledger; waits for it at most `patience`. Without a place, only
    /// where the ledger is now.
    pub async fn after(&self, place: Option<u64>, patience: Duration) -> Heard {
        let mut seq = self.room.seq.subscribe();
        let Some(place) = place else {
            return Heard { seq: *seq.borrow(), news: Vec::new(), resync: false };
        };
        let waiting = async {
            loop {
                seq.borrow_and_update();
                let heard = self.now(place);
                if heard.resync || !heard.news.is_empty() {
                    return heard;
                }
                if seq.changed().await.is_err() {
                    return Heard { resync: true, ..heard };
                }
            }
        };
        let timely = tokio::time::timeout(patience, waiting).await;
        timely.unwrap_or_else(|_| self.now(place))
    }

    fn now(&self, place: u64) -> Heard {
        let recent = lock(&self.room.recent);
        let seq = (*self.room.seq.borrow()).max(place);
        if place < recent.from {
            return Heard { seq: *self.room.seq.borrow(), news: Vec::new(), resync: true };
        }
        let mine = |news: &&News| news.seq > place && news.person.is_none_or(|person| person == self.person);
        Heard { seq, news: recent.news.iter().filter(mine).cloned().collect(), resync: false }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        kernel::{Id, Timestamp},
        store::{Actor, Op},
    };

    fn change(seq: u64, tenant: u8, kind: &str, person: Option<u8>) -> Change {
        Change {
            seq,
            tenant: TenantId::from_bytes([tenant; 16]).unwrap(),
            at: Timestamp::default(),
            actor: Actor::System,
            person: person.map(|person| Id::from_bytes([person; 16])),
            kind: kind.to_owned(),
            id: [9; 16],
            version: 1,
            op: Op::Created,
            fields: Vec::new(),
            title: None,
        }
    }

    fn channel(hub: &Hub, tenant: u8, person: u8) -> TenantChannel {
        hub.channel(TenantId::from_bytes([tenant; 16]).unwrap(), Id::from_bytes([person; 16]))
    }

    const AT_ONCE: Duration = Duration::ZERO;

    #[tokio::test]
    async fn one_hears_of_ones_company_and_oneself_only() {
        let hub = Hub::new(10, &["chat_message"]);
        let (ada, bob, eve) = (channel(&hub, 1, 1), channel(&hub, 1, 2), channel(&hub, 2, 3));
        hub.tell(&[
            change(11, 1, "task", None),
            change(12, 1, "message", Some(2)),
            change(13, 1, "chat_message", None),
        ]);
        let seqs = |heard: Heard| heard.news.iter().map(|news| news.seq).collect::<Vec<_>>();
        assert_eq!(seqs(ada.after(Some(10), AT_ONCE).await), [11]);
        assert_eq!(seqs(bob.after(Some(10), AT_ONCE).await), [11, 12]);
        assert_eq!(seqs(eve.after(Some(10), AT_ONCE).await), [0; 0]);
        assert_eq!(seqs(bob.after(Some(11), AT_ONCE).await), [12]);
    }

    #[tokio::test]
    async fn who_waits_is_told_at_once() {
        let hub = Hub::new(10, &[]);
        let ada = channel(&hub, 1, 1);
        let (heard, ()) = tokio::join!(ada.after(Some(10), Duration::from_mins(1)), async {
            hub.tell(&[change(11, 1, "message", Some(2))]);
            hub.tell(&[change(12, 1, "task", None)]);
        });
        assert_eq!((heard.seq, heard.news.len()), (12, 1));
    }

    #[tokio::test]
    async fn who_missed_more_than_is_remembered_reads_again() {
        let hub = Hub::new(0, &[]);
        let ada = channel(&hub, 1, 1);
        for seq in 1..=REMEMBERED as u64 + 5 {
            hub.tell(&[change(seq, 1, "task", None)]);
        }
        assert!(ada.after(Some(2), AT_ONCE).await.resync);
        assert_eq!(ada.after(Some(5), AT_ONCE).await.news.len(), REMEMBERED);
    }

    #[tokio::test]
    async fn what_the_hub_itself_missed_everybody_reads_again() {
        let hub = Hub::new(10, &[]);
        let (commits, heard) = broadcast::channel(2);
        let (stop, stopped) = watch::channel(false);
        let waiting = channel(&hub, 1, 1);
        for seq in 11..=20 {
            drop(commits.send(vec![change(seq, 1, "task", None)].into()));
        }
        drop(commits);
        hub.clone().run(heard, stopped).await;
        drop(stop);
        // 11 to 18 were lost; who was not waiting at that moment must learn it too.
        for place in [10, 15, 17] {
            let told = waiting.after(Some(place), AT_ONCE).await;
            assert!(told.resync, "{place}");
            assert_eq!(told.seq, 20, "who has read everything goes on from here");
        }
        assert!(!channel(&hub, 1, 2).after(Some(20), AT_ONCE).await.resync);
        assert_eq!(channel(&hub, 1, 2).after(Some(18), AT_ONCE).await.news.len(), 2);
    }

    #[test]
    fn no_change_falls_between_opening_a_room_and_listening() {
        for _ in 0..200 {
            let hub = Hub::new(10, &[]);
            let (teller, start) = (hub.clone(), Arc::new(std::sync::Barrier::new(2)));
            let begun = start.clone();
            let telling = std::thread::spawn(move || {
                begun.wait();
                teller.tell(&[change(11, 1, "task", None)]);
            });
            start.wait();
            let ada = channel(&hub, 1, 1);
            telling.join().unwrap();
            let now = ada.now(10);
            assert!(now.resync || now.news.len() == 1, "{now:?}");
        }
    }
}
