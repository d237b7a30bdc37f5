//! Security notifications and e-mails about a member's account and sessions.

use super::device::readable;
use crate::{
    access::sessions::Device,
    features::notifications::{self, NotificationDraft, NotificationKind, ParamValue},
    kernel::Result,
    mail::{self, Email, Kind},
    people::{
        audit,
        members::{ActiveMember, Company, MemberRecord},
    },
    store::{Scan, Stored, TenantWrite},
};

/// Creates an e-mail to an active member.
pub fn email_to(kind: Kind, whose: &ActiveMember) -> Email {
    let member = &whose.member;
    Email::new(kind, &member.email, &member.name, whose.locale()).for_member(member.id)
}

/// Creates an e-mail to a member who may not be active yet.
pub fn greeting(tx: &TenantWrite<'_>, kind: Kind, member: &Stored<MemberRecord>) -> Result<Email> {
    let locale = member.language(&Company::of(tx)?.value);
    Ok(Email::new(kind, &member.email, &member.name, locale).for_member(member.id))
}

/// Converts a device for use in e-mails.
pub fn named(device: &Device) -> mail::Device {
    mail::Device { name: readable(&device.name), address: device.address.clone() }
}

/// Creates a security notification without its own e-mail: a dedicated e-mail is sent elsewhere.
fn security(words: &str, link: &str) -> NotificationDraft {
    NotificationDraft::new(NotificationKind::Security, words, link.to_owned()).without_email()
}

fn about_device(words: &str, device: &Device) -> NotificationDraft {
    let named = named(device);
    let device = if named.name.trim().is_empty() {
        ParamValue::TextKey("server.notifications.some_device")
    } else {
        ParamValue::Text(named.name)
    };
    security(words, "/settings/security").with_param("device", device).with_text("address", named.address)
}

/// Notifies a member of a password change, in the application and by e-mail.
pub fn notify_of_password(tx: &TenantWrite<'_>, whose: &ActiveMember, device: &Device) -> Result<()> {
    let draft = about_device("server.notifications.password_changed", device);
    notifications::notify(tx, &[whose.member.id], &draft)?;
    mail::queue(tx, email_to(Kind::PasswordChanged { from: Some(named(device)) }, whose)).map(drop)
}

/// Notifies a member of a changed e-mail address, in the application and by an e-mail to the previous address.
pub fn notify_of_email(tx: &TenantWrite<'_>, before: &ActiveMember, email: String) -> Result<()> {
    let draft = security("server.notifications.email_changed", "/settings/account").with_text("email", &email);
    notifications::notify(tx, &[before.member.id], &draft)?;
    mail::queue(tx, email_to(Kind::EmailChanged { email }, before)).map(drop)
}

/// Notifies a member that one of their sessions ended because an old token of it was used (product §4).
pub fn tell_of_theft(tx: &TenantWrite<'_>, whose: &ActiveMember, device: &Device) -> Result<()> {
    let draft = security("server.theft", "/settings/security").with_text("address", &device.address);
    notifications::notify(tx, &[whose.member.id], &draft)?;
    mail::queue(tx, email_to(Kind::SessionEnded { address: device.address.clone() }, whose)).map(drop)
}

/// Notifies a member of a sign-in from an unknown browser. The first sign-in of a member is not reported.
pub fn notify_of_new_device(tx: &TenantWrite<'_>, whose: &ActiveMember, device: &Device) -> Result<()> {
    let earlier = Scan::with(audit::BY_ACTOR, whose.member.id.as_bytes()).limit(2);
    let signed_in = tx.page::<audit::Entry>(&earlier, |entry| entry.event() == "auth.signed_in")?.items.len();
    // The audit log already contains this sign-in.
    if signed_in < 2 {
        return Ok(());
    }
    let draft = about_device("server.notifications.new_device", device)
        .with_group("security/new_device".to_owned(), "server.notifications.new_device.several");
    notifications::notify(tx, &[whose.member.id], &draft)?;
    mail::queue(tx, email_to(Kind::NewDevice { from: named(device) }, whose)).map(drop)
}
