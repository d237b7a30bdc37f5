//! Telling a company's admins what happened without them.

use crate::{
    features::notifications::{self, Fact, NotificationDraft, NotificationKind},
    kernel::Result,
    store::TenantWrite,
};

/// Tells every active admin and owner, under a key of words and with what fills their gaps. No letter of it: what
/// the operator does has its own, and of letters that were lost none can tell.
///
/// # Errors
/// `busy` or `internal` when it cannot be kept.
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
