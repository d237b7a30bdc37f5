//! Notification of a tenant's administrators about events outside their control.

use crate::{
    features::notifications::{self, NotificationDraft, NotificationKind, ParamValue},
    kernel::Result,
    store::TenantWrite,
};

/// Notifies every active administrator and owner; `words` is the text key and `params` its parameters. No e-mail is sent:
/// operator commands send their own, and about lost e-mails none could be sent.
pub fn notify_admins(
    tx: &TenantWrite<'_>,
    words: &str,
    icon: &'static str,
    params: Vec<(&'static str, impl Into<ParamValue>)>,
    link: &str,
) -> Result<()> {
    let mut draft = NotificationDraft::new(NotificationKind::Security, words, link.to_owned()).without_email();
    draft.icon = icon;
    draft.params = params.into_iter().map(|(name, fact)| (name, fact.into())).collect();
    notifications::notify(tx, &notifications::admins(tx)?, &draft)
}
