//! What a member is told of their own sessions.

use crate::{
    access::sessions::Theft,
    features::{
        notices::{Notice, rules},
        notifications::Notifications,
    },
    kernel::{Result, words::say},
    store::TenantWrite,
};

/// Tells a member that a session of theirs ended because an old token of it was shown (product §4).
///
/// # Errors
/// `busy` or `internal` when it cannot be kept.
pub fn tell_of_theft(tx: &TenantWrite<'_>, theft: &Theft) -> Result<()> {
    let locale = theft.whose.locale();
    let words = |part: &str| Some(say(locale, &format!("server.theft.{part}"), &[("address", theft.address.clone())]));
    let notice = Notice::<Notifications> {
        icon: Some("shield-alert".to_owned()),
        title: words("title"),
        description: words("description"),
        link: Some("/settings/security".to_owned()),
        use_router: true,
        ..Notice::new(tx.now())
    };
    rules::send(tx, notice, &rules::To::Members(vec![theft.whose.member.id.cast()])).map(drop)
}
