//! API types of the sign-in rules: second factor and joining.

use poem_openapi::Object;
use serde::Serialize;
use serde_with::skip_serializing_none;

use crate::{
    features::tenants,
    kernel::Timestamp,
    people::{
        company_rules::{Joining, SecondFactorRule},
        permission::Role,
    },
    wire::NotNull,
};

/// The company's rule for second factors.
#[skip_serializing_none]
#[derive(Debug, Serialize, Object)]
#[oai(rename = "SecondFactorRule", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct SecondFactorView {
    required: bool,
    /// Days from `since` during which members may still work without a second factor.
    grace_days: u32,
    /// When the requirement began; absent when a second factor is not required.
    since: Option<Timestamp>,
}

impl From<SecondFactorRule> for SecondFactorView {
    fn from(rule: SecondFactorRule) -> Self {
        Self { required: rule.required, grace_days: rule.grace_days, since: rule.since }
    }
}

/// Changes to the rule for second factors. Absent fields stay as they are.
#[derive(Object)]
#[oai(rename = "SecondFactorRulePatch", rename_all = "camelCase", deny_unknown_fields)]
pub struct SecondFactorPatch {
    required: NotNull<bool>,
    /// 0 to 90.
    grace_days: NotNull<u32>,
}

impl SecondFactorPatch {
    /// Applies the changes. The grace period starts when the requirement is switched on.
    pub fn apply(self, rule: &mut SecondFactorRule, now: Timestamp) {
        self.grace_days.update_to(&mut rule.grace_days);
        match self.required.into_option() {
            Some(true) if !rule.required => rule.since = Some(now),
            Some(false) => rule.since = None,
            _ => {}
        }
        self.required.update_to(&mut rule.required);
    }
}

/// Who may join the company without an invitation.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "Joining")]
pub struct JoiningView {
    enabled: bool,
    /// Domains of the email addresses that may join.
    domains: Vec<String>,
    /// The role of new members: `viewer` or `member`.
    role: Role,
}

impl From<Joining> for JoiningView {
    fn from(rule: Joining) -> Self {
        Self { enabled: rule.enabled, domains: rule.domains, role: rule.role }
    }
}

/// Changes to the rule for joining. Absent fields stay as they are.
#[derive(Object)]
#[oai(rename = "JoiningPatch", deny_unknown_fields)]
pub struct JoiningPatch {
    enabled: NotNull<bool>,
    /// At most 20 domains, and at least one while joining is enabled.
    domains: NotNull<Vec<String>>,
    /// The role of new members: `viewer` or `member`.
    role: NotNull<Role>,
}

impl JoiningPatch {
    /// Applies the changes.
    pub fn apply(self, rule: &mut Joining) {
        self.enabled.update_to(&mut rule.enabled);
        self.role.update_to(&mut rule.role);
        if let Some(names) = self.domains.into_option() {
            rule.domains = tenants::domains(&names);
        }
    }
}
