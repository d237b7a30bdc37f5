//! What a company asks of those who come in: how long they may idle, whether they need a second factor,
//! and who may join without being asked.

use serde::{Deserialize, Serialize};

use super::permission::Role;
use crate::kernel::Timestamp;

/// Minutes of idling after which a session is locked, where the company says nothing else.
pub const IDLE_MINUTES: u32 = 30;
/// Days that members have to set a second factor up, where the company says nothing else.
pub const GRACE_DAYS: u32 = 7;

/// Whether a company's people need a second factor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SecondFactorRule {
    /// Whether they do.
    pub required: bool,
    /// Since when they do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<Timestamp>,
    /// Days from then within which they may still work without.
    pub grace_days: u32,
}

impl Default for SecondFactorRule {
    fn default() -> Self {
        Self { required: false, since: None, grace_days: GRACE_DAYS }
    }
}

impl SecondFactorRule {
    /// From when on nobody works without; none where none is asked for.
    #[must_use]
    pub fn from(&self) -> Option<Timestamp> {
        let days = i64::from(self.grace_days) * 24 * 60 * 60_000;
        self.since.filter(|_| self.required).map(|since| Timestamp::from_millis(since.millis().saturating_add(days)))
    }
}

/// Who may join a company without being asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Joining {
    /// Whether anybody may.
    pub enabled: bool,
    /// What their address must end with.
    pub domains: Vec<String>,
    /// The role that they get.
    pub role: Role,
}

impl Default for Joining {
    fn default() -> Self {
        Self { enabled: false, domains: Vec::new(), role: Role::Member }
    }
}

impl Joining {
    /// Whether somebody with this address may join.
    #[must_use]
    pub fn admits(&self, email: &str) -> bool {
        let domain = email.rsplit_once('@').map(|(_, domain)| domain);
        self.enabled && domain.is_some_and(|domain| self.domains.iter().any(|known| known == domain))
    }
}

/// The idle limit of a company that was kept before it had one.
pub(super) const fn idle_minutes() -> u32 {
    IDLE_MINUTES
}

/// Whether an idle limit is the usual one.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks with a reference")]
pub(super) const fn usual_idling(minutes: &u32) -> bool {
    *minutes == IDLE_MINUTES
}

/// Whether a rule says nothing that is not usual.
pub(super) fn usual<T: Default + PartialEq>(rule: &T) -> bool {
    *rule == T::default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_factor_is_asked_for_after_the_days_of_grace() {
        let since = Timestamp::from_millis(1_000);
        let rule = SecondFactorRule { required: true, since: Some(since), grace_days: 2 };
        assert_eq!(rule.from(), Some(Timestamp::from_millis(1_000 + 2 * 86_400_000)));
        assert_eq!(SecondFactorRule { required: false, ..rule }.from(), None);
    }

    #[test]
    fn only_whole_domains_admit() {
        let joining = Joining { enabled: true, domains: vec!["acme.example".to_owned()], role: Role::Member };
        assert!(joining.admits("ada@acme.example"));
        for stranger in ["ada@evil-acme.example", "ada@sub.acme.example", "acme.example", "a@acme.example@evil.test"] {
            assert!(!joining.admits(stranger), "{stranger}");
        }
        assert!(!Joining { enabled: false, ..joining }.admits("ada@acme.example"));
    }
}
