//! Notification of a tenant's administrators about events outside their control.

use crate::{
    features::notifications::{self, Fact, NotificationDraft, NotificationKind},
    kernel::Result,
    store::TenantWrite,
};

/// Notifies every active administrator and owner; `words` is the text key and `gaps` its parameters. No e-mail is sent:
/// operator commands send their own, and about lost e-mails none could be sent.
pub fn tell_admins(
    tx: &TenantWrite<'_>,
    words: &str,
    icon: &'static str,
    gaps: Vec<(&'static str, impl Into<Fact>)>,
    link: &str,
) -> Result<()> {
    let mut told = NotificationDraft::new(NotificationKind::Security, words, link.to_owned()).unwritten();
    told.icon = icon;
    told.facts = gaps.into_iter().map(|(name, fact)| (name, fact.into())).collect();
    notifications::tell(tx, &notifications::admins(tx)?, &told)
}
