//! Sign-in rules of a tenant: the idle limit of sessions, whether members need a second factor, and who may join
//! without an invitation.

use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use crate::{kernel::Timestamp, people::permission::Role};

/// Default idle limit: minutes without input after which a session is locked. A company with it is stored without the
/// field, so this is also what an absent field means: a new default needs a constant of its own.
pub const IDLE_MINUTES: u32 = 30;
/// Default number of days that members have to set up a second factor.
pub const GRACE_DAYS: u32 = 7;

/// Whether a tenant's members need a second factor.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SecondFactorRule {
    /// Whether it is required.
    pub required: bool,
    /// Since when it is required.
    pub since: Option<Timestamp>,
    /// Days after `since` in which members may still work without one.
    pub grace_days: u32,
}

impl Default for SecondFactorRule {
    fn default() -> Self {
        Self { required: false, since: None, grace_days: GRACE_DAYS }
    }
}

impl SecondFactorRule {
    /// Returns the time from which no member works without a second factor; `None` when none is required.
    pub fn required_from(&self) -> Option<Timestamp> {
        let days = i64::from(self.grace_days) * 24 * 60 * 60_000;
        self.since.filter(|_| self.required).map(|since| Timestamp::from_millis(since.millis().saturating_add(days)))
    }
}

/// Who may join a tenant without an invitation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Joining {
    /// Whether joining is open.
    pub enabled: bool,
    /// The domains of e-mail addresses that may join; subdomains do not count.
    pub domains: Vec<String>,
    /// The role of members who join.
    pub role: Role,
}

impl Default for Joining {
    fn default() -> Self {
        Self { enabled: false, domains: Vec::new(), role: Role::Member }
    }
}

impl Joining {
    /// Whether a person with this address may join.
    pub fn admits(&self, email: &str) -> bool {
        let domain = email.rsplit_once('@').map(|(_, domain)| domain);
        self.enabled && domain.is_some_and(|domain| self.domains.iter().any(|known| known == domain))
    }
}

/// The idle limit of tenants that are stored without one.
pub(super) const fn idle_minutes() -> u32 {
    IDLE_MINUTES
}

/// Whether an idle limit is the default.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks with a reference")]
pub(super) const fn is_default_idle_minutes(minutes: &u32) -> bool {
    *minutes == IDLE_MINUTES
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn second_factor_is_required_after_the_grace_days() {
        let since = Timestamp::from_millis(1_000);
        let rule = SecondFactorRule { required: true, since: Some(since), grace_days: 2 };
        assert_eq!(rule.required_from(), Some(Timestamp::from_millis(1_000 + 2 * 86_400_000)));
        assert_eq!(SecondFactorRule { required: false, ..rule }.required_from(), None);
    }

    #[test]
    fn admits_only_exact_domains() {
        let joining = Joining { enabled: true, domains: vec!["acme.example".to_owned()], role: Role::Member };
        assert!(joining.admits("ada@acme.example"));
        for stranger in ["ada@evil-acme.example", "ada@sub.acme.example", "acme.example", "a@acme.example@evil.test"] {
            assert!(!joining.admits(stranger), "{stranger}");
        }
        assert!(!Joining { enabled: false, ..joining }.admits("ada@acme.example"));
    }
}
