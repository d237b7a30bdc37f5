//! The random steps, applied to the real sessions and to the model, with their results compared.

use rand::RngExt;

use super::{PEOPLE, World, next, plain::Model, refused, tell};
use crate::{
    access::sessions::{Device, NewSession, Session, SessionRef, UNLOCK_TRIES, Verified, end_others},
    kernel::{Code, Id},
    people::members::{self, Credentials},
    store::{Actor, TenantWrite},
};

impl World {
    pub(super) async fn sign_in(&mut self) {
        let member = self.below(2 * PEOPLE);
        let now = self.now();
        let (tenant, id) = self.people[member];
        let right = self.chance.random_bool(0.95);
        let password = if right { self.passwords[member] } else { self.passwords[member] + 1 };
        let who = Verified { tenant, member: id, hash: Some(password.to_string()), second_factor: false };
        let remember = self.chance.random_bool(0.3);
        let new = NewSession { remember, device: Device::default(), on_new_device: None };
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
        let id = opened.session.id;
        let hours = if remember { 7 * 24 } else { 12 };
        let token = self.keep(opened);
        let session = Model {
            member,
            alive: true,
            locked: false,
            ends_at: now + hours * 3_600_000,
            active: now,
            kept_active: now,
            tries: 0,
            newest: token,
            before: None,
            generation: 1,
            since: 1,
            used: 0,
        };
        self.model.insert(id, session);
    }

    pub(super) async fn refresh(&mut self, lost: bool) {
        let Some(id) = self.any() else { return };
        let token = self.token(id);
        let idle = self.idle();
        let now = self.now();
        let id = self.of(token);
        let shown = self.tokens[token].clone();
        let seconds = u32::try_from(idle / 1_000).unwrap();
        let answer = self.sessions.renew(shown.clone(), next(&shown), Device::default(), seconds, tell).await;
        let session = self.model.get_mut(&id).unwrap();
        let expected = if !session.is_there(now) {
            Some(Code::NotSignedIn)
        } else if !session.is_good(token, now) {
            session.alive = false;
            Some(Code::NotSignedIn)
        } else if session.locked || !session.note_activity(now, idle) {
            session.locked = true;
            Some(Code::SessionLocked)
        } else {
            None
        };
        assert_eq!(refused(&answer), expected, "refresh {session:?}");
        if let Ok(opened) = answer {
            let generation = opened.session.generation;
            // When the response is lost, the browser never gets the token; the server counts it all the same.
            let new = self.keep(opened);
            let session = self.model.get_mut(&id).unwrap();
            session.rotate_token(token, new, now);
            assert_eq!(session.generation, generation);
            if !lost {
                session.used = session.used.max(generation);
                self.look(id, generation, 0);
            }
        }
    }

    /// Uses an access token of a session.
    pub(super) fn look(&mut self, id: Id<Session>, generation: u64, idle: i64) {
        let now = self.now();
        let session = self.model.get_mut(&id).unwrap();
        let (tenant, member) = self.people[session.member];
        let pointer = SessionRef { tenant, member, session: id, generation };
        let answer = self.sessions.authenticate(&pointer, u32::try_from(idle / 1_000).unwrap(), false);
        let expected = if session.is_there(now) {
            session.used = session.used.max(generation);
            (session.locked || !session.note_activity(now, idle)).then_some(Code::SessionLocked)
        } else {
            Some(Code::NotSignedIn)
        };
        assert_eq!(refused(&answer), expected, "use {session:?}");
        // The same ids with another tenant give access to nothing.
        let on_new_device =
            SessionRef { tenant: self.people[(self.model[&id].member + PEOPLE) % (2 * PEOPLE)].0, ..pointer };
        assert_eq!(refused(&self.sessions.authenticate(&on_new_device, 0, true)), Some(Code::NotSignedIn));
    }

    pub(super) async fn lock(&mut self) {
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

    pub(super) async fn unlock(&mut self) {
        let Some(id) = self.any() else { return };
        let token = self.token(id);
        let now = self.now();
        let right = self.chance.random_bool(0.6);
        let id = self.of(token);
        let session = self.model.get_mut(&id).unwrap();
        let shown = self.tokens[token].clone();
        let next = next(&shown);
        let unlock = self.sessions.begin_unlock(shown);
        let good = session.is_there(now) && session.is_good(token, now);
        assert_eq!(refused(&unlock), (!good).then_some(Code::NotSignedIn), "unlock {session:?}");
        let Ok(unlock) = unlock else { return };
        let attempt = self.sessions.take_attempt(unlock).await.unwrap();
        session.tries += 1;
        if right {
            let opened = self.sessions.unlock(attempt, next, Device::default()).await.unwrap();
            session.tries = 0;
            session.locked = false;
            session.active = now;
            let new = self.keep(opened);
            self.model.get_mut(&id).unwrap().rotate_token(token, new, now);
            return;
        }
        let error = self.sessions.record_failed_unlock(attempt, Code::InvalidCredentials).await.unwrap();
        session.alive = session.tries < UNLOCK_TRIES;
        let expected = if session.alive { Code::InvalidCredentials } else { Code::NotSignedIn };
        assert_eq!(error.code(), expected, "{session:?}");
        let left = session.alive.then(|| u64::from(UNLOCK_TRIES - session.tries));
        assert_eq!(error.extra("attemptsLeft").and_then(serde_json::Value::as_u64), left);
    }

    pub(super) async fn end(&mut self) {
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

    pub(super) async fn change_password(&mut self) {
        let Some(id) = self.any() else { return };
        let whose = self.model[&id].member;
        let (tenant, member) = self.people[whose];
        self.passwords[whose] += 2;
        let password = self.passwords[whose].to_string();
        let work = move |tx: &TenantWrite<'_>| {
            members::write_credentials(tx, member, Credentials { password, changed_at: tx.now() })?;
            end_others(tx, member, Some(id))
        };
        self.store.write(tenant, Actor::Member(member), work).await.unwrap();
        self.sessions.forget_others(tenant, member, Some(id));
        let others = self.model.iter_mut().filter(|(other, session)| **other != id && session.member == whose);
        others.for_each(|(_, other)| other.alive = false);
    }
}
