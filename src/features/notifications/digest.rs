//! The letter with what somebody has not read: every day or every Monday at the hour that they chose.

use super::{Notifications, Preferences, preferences::Digest};
use crate::{
    access::members::{Company, MemberRecord, MemberState},
    features::notices::rules::{self, Part},
    kernel::{Day, MemberId, Result, Timestamp, html::plain},
    mail::{self, DigestItem, Email},
    store::TenantWrite,
};

/// Things that the letter lists.
const LISTED: usize = 10;

impl Digest {
    /// The moment on a day at which it comes; none on days on which it does not.
    #[must_use]
    pub fn moment(self, day: Day, hour: u8, zone: &str) -> Option<Timestamp> {
        let comes = match self {
            Self::Off => false,
            Self::Daily => true,
            Self::Weekly => day == day.monday(),
        };
        comes.then(|| day.hour_in(hour, zone))
    }

    /// Days from one to the next.
    const fn days(self) -> i64 {
        match self {
            Self::Off | Self::Daily => 1,
            Self::Weekly => 7,
        }
    }
}

/// Writes somebody the digest of a moment: what came since the last one and is not read. Nothing when there is no
/// such thing, when it was written already, or when they want none any more.
///
/// # Errors
/// `busy` or `internal` when it cannot be kept.
pub fn write(tx: &TenantWrite<'_>, person: MemberId, moment: Timestamp) -> Result<()> {
    let own = tx.person(person);
    let chosen = Preferences::of(&own.read())?;
    let whose = tx.find::<MemberRecord>(person.cast())?.filter(|member| member.state == MemberState::Active);
    let Some(whose) = whose.filter(|_| chosen.digest != Digest::Off) else { return Ok(()) };
    let since = chosen.digested.unwrap_or_else(|| moment.plus_seconds(-86_400 * chosen.digest.days()));
    if since >= moment {
        return Ok(());
    }
    Preferences::digest_written(&own, moment)?;
    let part = Part { unread: true, ..Part::default() };
    let mut unread = rules::list::<Notifications>(&own.read(), &part)?;
    unread.retain(|notice| notice.time > since);
    if unread.is_empty() {
        return Ok(());
    }
    let more = unread.len().saturating_sub(LISTED) as u64;
    let item = |notice: &crate::store::Stored<super::Notification>| DigestItem {
        title: notice.title.as_deref().map(plain).unwrap_or_default(),
        text: notice.description.as_deref().map(plain).unwrap_or_default(),
        link: notice.link.clone().filter(|_| notice.use_router),
    };
    let items = unread.iter().take(LISTED).map(item).collect();
    let locale = whose.reads(&Company::of(tx)?.value);
    let letter = Email::new(mail::Kind::Digest { items, more }, &whose.email, &whose.name, locale);
    mail::queue(tx, letter.for_member(person)).map(drop)
}
