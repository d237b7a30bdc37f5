//! Model-based test of sessions: random steps of everything that can happen to one, with the same results expected from
//! a model. 20,000 steps; `ATRIUM_STEPS` sets another number, `ATRIUM_SEED` another random seed.

mod memory;
mod plain;
mod steps;

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

use rand::{Rng, RngExt, SeedableRng, rngs::StdRng};
use serde_json::json;
use sha2::{Digest, Sha256};

use self::{memory::Memory, plain::Model};
use super::{Device, Opened, Refresh, Session, Sessions, State, end_everything};
use crate::{
    kernel::{Clock, Code, Entropy, Error, Id, MemberId, Result, TenantId, Timestamp},
    people::members::{self, Company, Credentials, MemberRecord},
    store::{Actor, Options, Store, Stored, TenantWrite},
};

const IDLE: i64 = 30 * 60_000;
const PEOPLE: usize = 3;

/// The system under test, the model, and every token ever issued.
struct World {
    clock: Clock,
    chance: StdRng,
    disk: Arc<Memory>,
    store: Store,
    sessions: Sessions,
    people: Vec<(TenantId, MemberId)>,
    passwords: Vec<u32>,
    model: BTreeMap<Id<Session>, Model>,
    tokens: Vec<Refresh>,
    backup: Option<(Vec<u8>, Vec<u32>)>,
    restarts: u64,
}

/// Stands in for the e-mail: only checks that the member exists.
fn tell(tx: &TenantWrite<'_>, whose: &members::ActiveMember, _: &Device) -> Result<()> {
    tx.get::<MemberRecord>(whose.member.id).map(drop)
}

/// Derives the secret of a token's successor, in place of the signature.
fn next(shown: &Refresh) -> [u8; 32] {
    Sha256::digest(shown.seed()).into()
}

fn refused<T>(result: &Result<T>) -> Option<Code> {
    result.as_ref().err().map(Error::code)
}

impl World {
    async fn new(seed: u64) -> Self {
        let clock = Clock::stopped(Timestamp::from_millis(1_700_000_000_000));
        let disk = Arc::new(Memory::default());
        let store = Store::open_with(disk.clone(), Options::default(), clock.clone(), Entropy::seeded(seed));
        let store = store.unwrap();
        let mut people = Vec::new();
        let mut passwords = Vec::new();
        for slug in ["acme", "other"] {
            let tenant = store.new_tenant_id().unwrap();
            let company: Company = serde_json::from_value(json!({
                "slug": slug, "name": slug, "color_scheme": "teal", "layout": "modern", "locale": "en",
                "timezone": "UTC", "state": "active"
            }))
            .unwrap();
            let work = move |tx: &TenantWrite<'_>| {
                tx.create_at(Company::id(tx.tenant()), company)?;
                let mut ids = Vec::new();
                for n in 0..PEOPLE {
                    let email = format!("{n}@{slug}.example");
                    let ada = json!({"name": "Ada", "email": email, "role": "owner", "state": "active"});
                    let member: Stored<MemberRecord> = tx.create(serde_json::from_value(ada).unwrap())?;
                    tx.create_at(member.id, Credentials { password: "0".into(), changed_at: tx.now() })?;
                    ids.push(member.id);
                }
                Ok(ids)
            };
            let (ids, _): (Vec<MemberId>, u64) = store.write(tenant, Actor::System, work).await.unwrap();
            people.extend(ids.into_iter().map(|id| (tenant, id)));
            passwords.extend([0; PEOPLE]);
        }
        let sessions = Sessions::load(store.clone()).unwrap();
        let chance = StdRng::seed_from_u64(seed);
        Self {
            clock,
            chance,
            disk,
            store,
            sessions,
            people,
            passwords,
            model: BTreeMap::new(),
            tokens: Vec::new(),
            backup: None,
            restarts: 0,
        }
    }

    fn now(&self) -> i64 {
        self.clock.now().millis()
    }

    fn below(&mut self, most: usize) -> usize {
        self.chance.random_range(0..most.max(1))
    }

    /// Picks a session, mostly a live one.
    fn any(&mut self) -> Option<Id<Session>> {
        let living: Vec<_> = self.model.iter().filter(|(_, session)| session.alive).map(|(id, _)| *id).collect();
        let all: Vec<_> = self.model.keys().copied().collect();
        let from = if self.chance.random_bool(0.95) && !living.is_empty() { living } else { all };
        let place = self.below(from.len());
        from.get(place).copied()
    }

    /// Picks a token of a session: mostly the newest, sometimes the one before, seldom any other.
    fn token(&mut self, id: Id<Session>) -> usize {
        let session = &self.model[&id];
        let newest = session.newest;
        let before = session.before;
        match self.below(100) {
            0 => self.below(self.tokens.len()),
            1..=20 => before.map_or(newest, |(token, _)| token),
            _ => newest,
        }
    }

    fn idle(&mut self) -> i64 {
        let seconds = [0, 0, 0, 10, 600, 1_700, 1_900];
        seconds[self.below(seconds.len())] * 1_000
    }

    fn keep(&mut self, opened: Opened) -> usize {
        let newest = self.model.get(&opened.session.id).map(|session| session.newest);
        if let Some(same) = newest.filter(|newest| self.tokens[*newest].to_text() == opened.refresh.to_text()) {
            return same;
        }
        self.tokens.push(opened.refresh);
        self.tokens.len() - 1
    }

    /// Returns the session of a token.
    fn of(&self, token: usize) -> Id<Session> {
        self.tokens[token].session
    }

    /// Kills the process, and starts it again with the contents of the disk or of a backup.
    async fn restart(&mut self, from: Option<(Vec<u8>, Vec<u32>)>) {
        self.restarts += 1;
        let bytes = from.as_ref().map_or_else(|| self.disk.copy(), |(bytes, _)| bytes.clone());
        self.disk = Arc::new(Memory(Mutex::new(bytes)));
        let entropy = Entropy::seeded(self.restarts << 32 | self.chance.next_u64() >> 32);
        let options = Options::default();
        self.store = Store::open_with(self.disk.clone(), options, self.clock.clone(), entropy).unwrap();
        if let Some((_, passwords)) = from {
            end_everything(&self.store).await.unwrap();
            self.passwords = passwords;
            self.model.values_mut().for_each(|session| session.alive = false);
        }
        self.sessions = Sessions::load(self.store.clone()).unwrap();
        let now = self.now();
        for session in self.model.values_mut() {
            session.alive &= session.ends_at > now;
            session.used = 0;
            session.active = session.kept_active;
        }
    }

    async fn step(&mut self) {
        match self.below(1_000) {
            0..=149 => self.sign_in().await,
            150..=549 => {
                let lost = self.chance.random_bool(0.2);
                self.refresh(lost).await;
            }
            550..=749 => {
                if let Some(id) = self.any() {
                    let generation = 1 + self.below(usize::try_from(self.model[&id].generation).unwrap()) as u64;
                    let idle = self.idle();
                    self.look(id, generation, idle);
                }
            }
            750..=789 => self.lock().await,
            790..=879 => self.unlock().await,
            880..=909 => self.end().await,
            910..=919 => self.change_password().await,
            920..=989 => {
                let ahead = [1, 1_000, 30_000, 61_000, 300_000, 1_799_000, 1_801_000, 13 * 3_600_000, -1_000, -200_000];
                let place = self.below(ahead.len());
                self.clock.advance(ahead[place]);
            }
            990..=996 => self.restart(None).await,
            997 => self.backup = Some((self.disk.copy(), self.passwords.clone())),
            998 => {
                if let Some(backup) = self.backup.clone() {
                    self.restart(Some(backup)).await;
                }
            }
            _ => self.compare(),
        }
        // Sessions that ended long ago are dropped.
        if self.model.len() > 400 {
            let dead: Vec<_> = self.model.iter().filter(|(_, one)| !one.alive).map(|(id, _)| *id).take(300).collect();
            self.model.retain(|id, _| !dead.contains(id));
            let of_dead = |token: &Refresh| dead.contains(&token.session);
            assert!(self.tokens.iter().any(of_dead));
            let kept: Vec<usize> = (0..self.tokens.len()).filter(|n| !of_dead(&self.tokens[*n])).collect();
            let place: BTreeMap<usize, usize> = kept.iter().enumerate().map(|(new, old)| (*old, new)).collect();
            self.tokens = kept.iter().map(|old| self.tokens[*old].clone()).collect();
            for session in self.model.values_mut() {
                session.newest = place[&session.newest];
                session.before = session.before.map(|(token, until)| (place[&token], until));
            }
        }
    }

    /// Checks that the store holds exactly what the model holds.
    fn compare(&self) {
        let snapshot = self.store.snapshot().unwrap();
        let mut there = BTreeMap::new();
        for (tenant, _) in [self.people[0], self.people[PEOPLE]] {
            let keep = |session: Stored<Session>| {
                there.insert(session.id, (session.state() == State::Locked, session.generation, session.tries));
                Ok(())
            };
            snapshot.tenant(tenant, None).each::<Session>(keep).unwrap();
        }
        let now = self.now();
        let living = self.model.iter().filter(|(_, session)| session.is_there(now));
        for (id, session) in living {
            assert_eq!(there.get(id), Some(&(session.locked, session.generation, session.tries)), "{session:?}");
        }
        let dead = self.model.iter().filter(|(id, session)| !session.alive && there.contains_key(id));
        for (_, session) in dead {
            assert!(session.ends_at <= now, "{session:?} is still in the store");
        }
    }
}

#[tokio::test]
async fn sessions_match_a_model_under_random_steps() {
    let number = |name: &str, usual| {
        let said = std::env::var_os(name).and_then(|text| text.to_str()?.parse::<u64>().ok());
        said.unwrap_or(usual)
    };
    let steps = number("ATRIUM_STEPS", 20_000);
    let seed = number("ATRIUM_SEED", 4);
    let mut world = World::new(seed).await;
    let mut lived = 0;
    for _ in 0..steps {
        world.step().await;
        lived += u64::from(world.model.values().any(|session| session.alive));
    }
    world.compare();
    // At any moment, the last one too, the random steps may have ended all of them.
    assert!(lived > steps / 2 && world.restarts > steps / 500, "{lived} of {steps}, {} restarts", world.restarts);
}
