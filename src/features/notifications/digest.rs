//! Digest e-mails of unread notifications, daily or every Monday at the hour that the member chose.

use super::{Notifications, Preferences, preferences::Digest};
use crate::{
    features::notices::rules::{self, Part},
    kernel::{Day, MemberId, Result, Timestamp, html::plain},
    mail::{self, DigestItem, Email},
    people::members::{Company, MemberRecord, MemberState},
    store::TenantWrite,
};

/// Maximum notifications that an e-mail lists.
const LISTED: usize = 10;

impl Digest {
    /// Returns the time of the digest on a day; `None` on days without one.
    pub fn moment(self, day: Day, hour: u8, zone: &str) -> Option<Timestamp> {
        let comes = match self {
            Self::Off => false,
            Self::Daily => true,
            Self::Weekly => day == day.monday(),
        };
        comes.then(|| day.hour_in(hour, zone))
    }

    /// Returns the days between two digests.
    const fn days(self) -> i64 {
        match self {
            Self::Off | Self::Daily => 1,
            Self::Weekly => 7,
        }
    }
}

/// Queues a member's digest for `moment` with the unread notifications since the last digest. Does nothing when there
/// are none, when it was already written, or when the member turned it off.
pub fn write(tx: &TenantWrite<'_>, person: MemberId, moment: Timestamp) -> Result<()> {
    let own = tx.person(person);
    let chosen = Preferences::of(&own.read())?;
    let whose = tx.find::<MemberRecord>(person)?.filter(|member| member.state == MemberState::Active);
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
    let email = Email::new(mail::Kind::Digest { items, more }, &whose.email, &whose.name, locale);
    mail::queue(tx, email.for_member(person)).map(drop)
}
