//! What a member is told of their own sessions.

use super::device::readable;
use crate::{
    access::{
        audit,
        members::{Colleague, Company, MemberRecord},
        sessions::Device,
    },
    features::{
        notices::{Notice, rules},
        notifications::Notifications,
    },
    kernel::{Result, words::say},
    mail::{self, Kind, Letter},
    store::{Scan, Stored, TenantWrite},
};

/// A letter to a member.
pub fn letter(kind: Kind, whose: &Colleague) -> Letter {
    let member = &whose.member;
    Letter::new(kind, &member.email, &member.name, whose.locale()).for_member(member.id.cast())
}

/// A letter to somebody who may not be in yet.
///
/// # Errors
/// `busy` or `internal` when the company cannot be read.
pub fn greeting(tx: &TenantWrite<'_>, kind: Kind, member: &Stored<MemberRecord>) -> Result<Letter> {
    let locale = member.reads(&Company::of(tx)?.value);
    Ok(Letter::new(kind, &member.email, &member.name, locale).for_member(member.id.cast()))
}

/// A device as letters name it.
pub fn named(device: &Device) -> mail::Device {
    mail::Device { name: readable(&device.name), address: device.address.clone() }
}

/// Tells a member that a session of theirs ended because an old token of it was shown (product §4).
///
/// # Errors
/// `busy` or `internal` when it cannot be kept.
pub fn tell_of_theft(tx: &TenantWrite<'_>, whose: &Colleague, device: &Device) -> Result<()> {
    let locale = whose.locale();
    let words = |part: &str| Some(say(locale, &format!("server.theft.{part}"), &[("address", device.address.clone())]));
    let notice = Notice::<Notifications> {
        icon: Some("shield-alert".to_owned()),
        title: words("title"),
        description: words("description"),
        link: Some("/settings/security".to_owned()),
        use_router: true,
        ..Notice::new(tx.now())
    };
    rules::send(tx, notice, &rules::To::Members(vec![whose.member.id.cast()]))?;
    mail::queue(tx, letter(Kind::SessionEnded { address: device.address.clone() }, whose)).map(drop)
}

/// Tells a member that somebody signed in as them from a browser that was never seen before. Whoever signs in for
/// the first time knows.
///
/// # Errors
/// `busy` or `internal` when it cannot be kept.
pub fn tell_of_stranger(tx: &TenantWrite<'_>, whose: &Colleague, device: &Device) -> Result<()> {
    let earlier = Scan::with(audit::BY_ACTOR, whose.member.id.as_bytes()).limit(2);
    let signed_in = tx.page::<audit::Entry>(&earlier, |entry| entry.event() == "auth.signed_in")?.items.len();
    // This one is noted already.
    if signed_in < 2 {
        return Ok(());
    }
    mail::queue(tx, letter(Kind::NewDevice { from: named(device) }, whose)).map(drop)
}
