//! The sessions against a model of them: random steps of everything that can happen to one, and after each the same
//! answer from both. 20,000 steps; `ATRIUM_STEPS` says another number, `ATRIUM_SEED` another chance.

use std::{
    collections::BTreeMap,
    io,
    sync::{Arc, Mutex},
};

use rand::{Rng, RngExt, SeedableRng, rngs::StdRng};
use serde_json::json;

use super::{
    Device, NewSession, Opened, Pointer, Refresh, Session, Sessions, State, UNLOCK_TRIES, Verified, end_everything,
    end_others,
};
use crate::{
    access::members::{self, Company, Credentials, MemberRecord},
    kernel::{Clock, Code, Entropy, Error, Id, MemberId, Result, TenantId, Timestamp},
    store::{Actor, Disk, Options, Store, Stored, TenantWrite},
};

const IDLE: i64 = 30 * 60_000;
const PEOPLE: usize = 3;

/// A disk in memory, which can be copied as it is at any moment.
#[derive(Debug, Default)]
struct Memory(Mutex<Vec<u8>>);

impl Memory {
    fn copy(&self) -> Vec<u8> {
        self.0.lock().unwrap().clone()
    }
}

impl Disk for Memory {
    fn len(&self) -> io::Result<u64> {
        Ok(self.0.lock().unwrap().len() as u64)
    }
    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let (bytes, at) = (self.0.lock().unwrap(), usize::try_from(offset).unwrap());
        let part = bytes.get(at..at + out.len()).ok_or(io::ErrorKind::UnexpectedEof)?;
        out.copy_from_slice(part);
        Ok(())
    }
    fn set_len(&self, len: u64) -> io::Result<()> {
        self.0.lock().unwrap().resize(usize::try_from(len).unwrap(), 0);
        Ok(())
    }
    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        let at = usize::try_from(offset).unwrap();
        self.0.lock().unwrap()[at..at + data.len()].copy_from_slice(data);
        Ok(())
    }
    fn sync(&self) -> io::Result<()> {
        Ok(())
    }
}

/// What the model knows of a session. Tokens are numbers here.
#[derive(Clone, Debug)]
struct Model {
    member: usize,
    alive: bool,
    locked: bool,
    ends_at: i64,
    /// When its member did something last, in memory and as it is kept.
    active: i64,
    kept_active: i64,
    tries: u32,
    newest: Vec<usize>,
    before: Option<(usize, i64)>,
    generation: u64,
    since: u64,
    used: u64,
}

impl Model {
    fn is_there(&self, now: i64) -> bool {
        self.alive && self.ends_at > now
    }

    fn is_awake(&mut self, now: i64, idle: i64) -> bool {
        let active = now - idle;
        if active - self.active > IDLE || now - active.max(self.active) > IDLE {
            return false;
        }
        self.active = self.active.max(active);
        true
    }

    fn is_good(&self, token: usize, now: i64) -> bool {
        let before = self.before.is_some_and(|(old, until)| old == token && now <= until && self.used < self.since);
        self.newest.contains(&token) || before
    }

    /// A new token in the place of this one.
    fn turn(&mut self, token: usize, new: usize, now: i64) {
        self.generation += 1;
        if self.newest.contains(&token) {
            self.before = Some((token, now + 60_000));
            self.newest.clear();
            self.since = self.generation;
        } else if self.newest.len() == 5 {
            self.newest.remove(0);
        }
        self.newest.push(new);
        self.kept_active = self.active;
    }
}

/// What is tried: the real thing, the model, and every token that ever was.
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

fn tell(_: &TenantWrite<'_>, _: &members::Colleague, _: &Device) -> Result<()> {
    Ok(())
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
        let (mut people, mut passwords) = (Vec::new(), Vec::new());
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
                    tx.create_at(member.id.cast(), Credentials { password: "0".into(), changed_at: tx.now() })?;
                    ids.push(member.id.cast());
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

    /// A session: mostly one of the last.
    fn any(&mut self) -> Option<Id<Session>> {
        let living: Vec<_> = self.model.iter().filter(|(_, session)| session.alive).map(|(id, _)| *id).collect();
        let all: Vec<_> = self.model.keys().copied().collect();
        let from = if self.chance.random_bool(0.95) && !living.is_empty() { living } else { all };
        let place = self.below(from.len());
        from.get(place).copied()
    }

    /// A token of a session: mostly the newest, sometimes the one before, seldom any that ever was.
    fn token(&mut self, id: Id<Session>) -> usize {
        let session = &self.model[&id];
        let (newest, before) = (session.newest.clone(), session.before);
        match self.below(100) {
            0 => self.below(self.tokens.len()),
            1..=20 => before.map_or(newest[0], |(token, _)| token),
            n => newest[n % newest.len()],
        }
    }

    fn idle(&mut self) -> i64 {
        let seconds = [0, 0, 0, 10, 600, 1_700, 1_900];
        seconds[self.below(seconds.len())] * 1_000
    }

    fn keep(&mut self, opened: Opened) -> usize {
        self.tokens.push(opened.refresh);
        self.tokens.len() - 1
    }

    /// The session that a token belongs to.
    fn of(&self, token: usize) -> Id<Session> {
        self.tokens[token].session
    }

    async fn sign_in(&mut self) {
        let (member, now) = (self.below(2 * PEOPLE), self.now());
        let (tenant, id) = self.people[member];
        let right = self.chance.random_bool(0.95);
        let password = if right { self.passwords[member] } else { self.passwords[member] + 1 };
        let who = Verified { tenant, member: id, hash: Some(password.to_string()), second_factor: false };
        let remember = self.chance.random_bool(0.3);
        let new = NewSession { remember, device: Device::default(), stranger: None };
        let opened = self.sessions.open(who, new).await;
        assert_eq!(refused(&opened), (!right).then_some(Code::InvalidCredentials));
        let Ok(opened) = opened else { return };
        let people = &self.people;
        for session in self.model.values_mut().filter(|session| people[session.member].0 == tenant) {
            session.alive &= session.ends_at > now;
        }
        let own = |session: &&mut Model| session.member == member && session.alive;
        let surplus = (self.model.values_mut().filter(own).count() + 1).saturating_sub(10);
        self.model.values_mut().filter(own).take(surplus).for_each(|oldest| oldest.alive = false);
        let (id, hours) = (opened.session.id, if remember { 7 * 24 } else { 12 });
        let token = self.keep(opened);
        let session = Model {
            member,
            alive: true,
            locked: false,
            ends_at: now + hours * 3_600_000,
            active: now,
            kept_active: now,
            tries: 0,
            newest: vec![token],
            before: None,
            generation: 1,
            since: 1,
            used: 0,
        };
        self.model.insert(id, session);
    }

    async fn refresh(&mut self, lost: bool) {
        let Some(id) = self.any() else { return };
        let (token, idle, now) = (self.token(id), self.idle(), self.now());
        let id = self.of(token);
        let shown = self.tokens[token].clone();
        let seconds = u32::try_from(idle / 1_000).unwrap();
        let answer = self.sessions.renew(shown, Device::default(), seconds, tell).await;
        let session = self.model.get_mut(&id).unwrap();
        let expected = if !session.is_there(now) {
            Some(Code::NotSignedIn)
        } else if !session.is_good(token, now) {
            session.alive = false;
            Some(Code::NotSignedIn)
        } else if session.locked || !session.is_awake(now, idle) {
            session.locked = true;
            Some(Code::SessionLocked)
        } else {
            None
        };
        assert_eq!(refused(&answer), expected, "refresh {session:?}");
        if let Ok(opened) = answer {
            let generation = opened.session.generation;
            // Of a lost answer the browser never has the token; the server counts it all the same.
            let new = self.keep(opened);
            let session = self.model.get_mut(&id).unwrap();
            session.turn(token, new, now);
            assert_eq!(session.generation, generation);
            if !lost {
                session.used = session.used.max(generation);
                self.look(id, generation, 0);
            }
        }
    }

    /// Uses an access token of a session.
    fn look(&mut self, id: Id<Session>, generation: u64, idle: i64) {
        let now = self.now();
        let session = self.model.get_mut(&id).unwrap();
        let (tenant, member) = self.people[session.member];
        let pointer = Pointer { tenant, member, session: id, generation };
        let answer = self.sessions.seat(&pointer, u32::try_from(idle / 1_000).unwrap(), false);
        let expected = if session.is_there(now) {
            session.used = session.used.max(generation);
            (session.locked || !session.is_awake(now, idle)).then_some(Code::SessionLocked)
        } else {
            Some(Code::NotSignedIn)
        };
        assert_eq!(refused(&answer), expected, "use {session:?}");
        // Nothing of another company is reached by the same numbers.
        let stranger = Pointer { tenant: self.people[(self.model[&id].member + PEOPLE) % (2 * PEOPLE)].0, ..pointer };
        assert_eq!(refused(&self.sessions.seat(&stranger, 0, true)), Some(Code::NotSignedIn));
    }

    async fn lock(&mut self) {
        let Some(id) = self.any() else { return };
        let now = self.now();
        let session = self.model.get_mut(&id).unwrap();
        let (tenant, member) = self.people[session.member];
        if !session.is_there(now) {
            return;
        }
        self.sessions.lock(tenant, member, id, Device::default()).await.unwrap();
        session.locked = true;
    }

    async fn unlock(&mut self) {
        let Some(id) = self.any() else { return };
        let (token, now, right) = (self.token(id), self.now(), self.chance.random_bool(0.6));
        let id = self.of(token);
        let session = self.model.get_mut(&id).unwrap();
        let unlock = self.sessions.to_unlock(self.tokens[token].clone());
        let good = session.is_there(now) && session.is_good(token, now);
        assert_eq!(refused(&unlock), (!good).then_some(Code::NotSignedIn), "unlock {session:?}");
        let Ok(unlock) = unlock else { return };
        let attempt = self.sessions.try_unlock(unlock).await.unwrap();
        session.tries += 1;
        if right {
            let opened = self.sessions.unlock(attempt, Device::default()).await.unwrap();
            session.tries = 0;
            session.locked = false;
            session.active = now;
            let new = self.keep(opened);
            self.model.get_mut(&id).unwrap().turn(token, new, now);
            return;
        }
        let error = self.sessions.not_unlocked(attempt, Code::InvalidCredentials).await.unwrap();
        session.alive = session.tries < UNLOCK_TRIES;
        let expected = if session.alive { Code::InvalidCredentials } else { Code::NotSignedIn };
        assert_eq!(error.code(), expected, "{session:?}");
        let left = session.alive.then(|| u64::from(UNLOCK_TRIES - session.tries));
        assert_eq!(error.extra("attemptsLeft").and_then(serde_json::Value::as_u64), left);
    }

    async fn end(&mut self) {
        let Some(id) = self.any() else { return };
        let session = self.model[&id].clone();
        let (tenant, member) = self.people[session.member];
        match self.below(4) {
            0 => self.sessions.sign_out(tenant, member, id, Device::default()).await.unwrap(),
            1 => {
                let ended = self.sessions.end(tenant, member, id, Device::default()).await;
                assert_eq!(refused(&ended), (!session.alive).then_some(Code::NotFound));
            }
            2 => {
                let colleague = self.people[(session.member + 1) % (2 * PEOPLE)];
                let refusal = self.sessions.end(colleague.0, colleague.1, id, Device::default()).await;
                assert_eq!(refused(&refusal), Some(Code::NotFound));
                return;
            }
            _ => {
                let but = self.chance.random_bool(0.5).then_some(id);
                self.sessions.end_others(tenant, member, member, but, Device::default()).await.unwrap();
                let others = self.model.iter_mut().filter(|(other, _)| Some(**other) != but);
                others.filter(|(_, other)| other.member == session.member).for_each(|(_, other)| other.alive = false);
                return;
            }
        }
        self.model.get_mut(&id).unwrap().alive = false;
    }

    async fn change_password(&mut self) {
        let Some(id) = self.any() else { return };
        let whose = self.model[&id].member;
        let (tenant, member) = self.people[whose];
        self.passwords[whose] += 2;
        let password = self.passwords[whose].to_string();
        let work = move |tx: &TenantWrite<'_>| {
            let record: Id<MemberRecord> = member.cast();
            members::keep_credentials(tx, record, Credentials { password, changed_at: tx.now() })?;
            end_others(tx, member, Some(id))
        };
        self.store.write(tenant, Actor::Member(member), work).await.unwrap();
        self.sessions.forget_others(member, Some(id));
        let others = self.model.iter_mut().filter(|(other, session)| **other != id && session.member == whose);
        others.for_each(|(_, other)| other.alive = false);
    }

    /// The process is killed, and started again on what the disk has; or on what a backup had.
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
        // What is long over is of no use any more.
        if self.model.len() > 400 {
            let dead: Vec<_> = self.model.iter().filter(|(_, one)| !one.alive).map(|(id, _)| *id).take(300).collect();
            dead.iter().for_each(|id| drop(self.model.remove(id)));
            let of_dead = |token: &Refresh| dead.contains(&token.session);
            assert!(self.tokens.iter().any(of_dead));
            let kept: Vec<usize> = (0..self.tokens.len()).filter(|n| !of_dead(&self.tokens[*n])).collect();
            let place: BTreeMap<usize, usize> = kept.iter().enumerate().map(|(new, old)| (*old, new)).collect();
            self.tokens = kept.iter().map(|old| self.tokens[*old].clone()).collect();
            for session in self.model.values_mut() {
                session.newest.iter_mut().for_each(|token| *token = place[token]);
                session.before = session.before.map(|(token, until)| (place[&token], until));
            }
        }
    }

    /// Everything that the store holds is what the model holds.
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
async fn whatever_happens_to_sessions_a_simple_model_says_it_before() {
    let number = |name: &str, usual| {
        let said = std::env::var_os(name).and_then(|text| text.to_str()?.parse::<u64>().ok());
        said.unwrap_or(usual)
    };
    let (steps, seed) = (number("ATRIUM_STEPS", 20_000), number("ATRIUM_SEED", 4));
    let mut world = World::new(seed).await;
    for _ in 0..steps {
        world.step().await;
    }
    world.compare();
    assert!(world.model.values().any(|session| session.alive) && world.restarts > steps / 500);
}
