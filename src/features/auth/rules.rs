//! What a member is told of their own sessions.

use super::device::readable;
use crate::{
    access::{
        audit,
        members::{Colleague, Company, MemberRecord},
        sessions::Device,
    },
    features::notifications::{self, Fact, NotificationDraft, NotificationKind},
    kernel::Result,
    mail::{self, Email, Kind},
    store::{Scan, Stored, TenantWrite},
};

/// A letter to a member.
pub fn letter(kind: Kind, whose: &Colleague) -> Email {
    let member = &whose.member;
    Email::new(kind, &member.email, &member.name, whose.locale()).for_member(member.id.cast())
}

/// A letter to somebody who may not be in yet.
///
/// # Errors
/// `busy` or `internal` when the company cannot be read.
pub fn greeting(tx: &TenantWrite<'_>, kind: Kind, member: &Stored<MemberRecord>) -> Result<Email> {
    let locale = member.reads(&Company::of(tx)?.value);
    Ok(Email::new(kind, &member.email, &member.name, locale).for_member(member.id.cast()))
}

/// A device as letters name it.
pub fn named(device: &Device) -> mail::Device {
    mail::Device { name: readable(&device.name), address: device.address.clone() }
}

/// Word of a member's own account, of which a letter of its own tells too.
fn security(words: &str, link: &str) -> NotificationDraft {
    NotificationDraft::new(NotificationKind::Security, words, link.to_owned()).unwritten()
}

fn about_device(words: &str, device: &Device) -> NotificationDraft {
    let named = named(device);
    let device = if named.name.trim().is_empty() {
        Fact::Words("server.notifications.some_device")
    } else {
        Fact::Text(named.name)
    };
    security(words, "/settings/security").with("device", device).text("address", named.address)
}

/// Tells a member that they have a new password, in the application and by a letter.
///
/// # Errors
/// `busy` or `internal` when it cannot be kept.
pub fn tell_of_password(tx: &TenantWrite<'_>, whose: &Colleague, device: &Device) -> Result<()> {
    let told = about_device("server.notifications.password_changed", device);
    notifications::tell(tx, &[whose.member.id.cast()], &told)?;
    mail::queue(tx, letter(Kind::PasswordChanged { from: Some(named(device)) }, whose)).map(drop)
}

/// Tells a member that they sign in with another address from now on, in the application and by a letter to the
/// one before.
///
/// # Errors
/// `busy` or `internal` when it cannot be kept.
pub fn tell_of_email(tx: &TenantWrite<'_>, before: &Colleague, email: String) -> Result<()> {
    let told = security("server.notifications.email_changed", "/settings/account").text("email", &email);
    notifications::tell(tx, &[before.member.id.cast()], &told)?;
    mail::queue(tx, letter(Kind::EmailChanged { email }, before)).map(drop)
}

/// Tells a member that a session of theirs ended because an old token of it was shown (product §4).
///
/// # Errors
/// `busy` or `internal` when it cannot be kept.
pub fn tell_of_theft(tx: &TenantWrite<'_>, whose: &Colleague, device: &Device) -> Result<()> {
    let told = security("server.theft", "/settings/security").text("address", &device.address);
    notifications::tell(tx, &[whose.member.id.cast()], &told)?;
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
    let told = about_device("server.notifications.new_device", device)
        .of("security/new_device".to_owned(), "server.notifications.new_device.several");
    notifications::tell(tx, &[whose.member.id.cast()], &told)?;
    mail::queue(tx, letter(Kind::NewDevice { from: named(device) }, whose)).map(drop)
}
