//! The model: a session in its simplest form.

use super::IDLE;

/// A session in the model. Tokens are numbers here.
#[derive(Clone, Debug)]
pub(super) struct Model {
    pub(super) member: usize,
    pub(super) alive: bool,
    pub(super) locked: bool,
    pub(super) ends_at: i64,
    /// The member's last activity, in memory and as stored.
    pub(super) active: i64,
    pub(super) kept_active: i64,
    pub(super) tries: u32,
    pub(super) newest: usize,
    pub(super) before: Option<(usize, i64)>,
    pub(super) generation: u64,
    pub(super) since: u64,
    pub(super) used: u64,
}

impl Model {
    pub(super) fn is_there(&self, now: i64) -> bool {
        self.alive && self.ends_at > now
    }

    pub(super) fn note_activity(&mut self, now: i64, idle: i64) -> bool {
        let active = now - idle;
        if active - self.active > IDLE || now - active.max(self.active) > IDLE {
            return false;
        }
        self.active = self.active.max(active);
        true
    }

    pub(super) fn is_good(&self, token: usize, now: i64) -> bool {
        let before = self.before.is_some_and(|(old, until)| old == token && now <= until && self.used < self.since);
        token == self.newest || before
    }

    /// Replaces a token by a new one. Each token has one successor, however often it is presented.
    pub(super) fn rotate_token(&mut self, token: usize, new: usize, now: i64) {
        self.kept_active = self.active;
        if token == self.newest {
            self.generation += 1;
            self.before = Some((token, now + 60_000));
            self.newest = new;
            self.since = self.generation;
        } else {
            assert_eq!(new, self.newest, "a token shown again has the successor that it had");
        }
    }
}
