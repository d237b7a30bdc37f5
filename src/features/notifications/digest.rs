//! Digest e-mails of unread notifications, daily or every Monday at the hour that the member chose.

use super::{Notifications, Preferences, preferences::Digest};
use crate::{
    features::notices::{
        ExcerptReader,
        rules::{self, NoticeFilter},
    },
    kernel::{Day, MemberId, Result, Timestamp, html::plain},
    mail::{self, DigestItem, Email},
    people::members::{Company, MemberRecord, MemberState},
    store::TenantWrite,
};

/// Maximum notifications that an e-mail lists.
const MAX_LISTED: usize = 10;

impl Digest {
    /// Returns the time of the digest on a day; `None` on days without one.
    pub fn time_on(self, day: Day, hour: u8, zone: &str) -> Option<Timestamp> {
        let is_due = match self {
            Self::Off => false,
            Self::Daily => true,
            Self::Weekly => day == day.monday(),
        };
        is_due.then(|| day.hour_in(hour, zone))
    }

    /// Returns the days between two digests.
    const fn days(self) -> i64 {
        match self {
            Self::Off | Self::Daily => 1,
            Self::Weekly => 7,
        }
    }
}

/// Queues a member's digest for `time` with the unread notifications since the last digest. Does nothing when there
/// are none, when it was already written, or when the member turned it off.
pub fn queue_digest(tx: &TenantWrite<'_>, person: MemberId, time: Timestamp) -> Result<()> {
    let own = tx.person(person);
    let preferences = Preferences::of(&own.read())?;
    let member = tx.find::<MemberRecord>(person)?.filter(|member| member.state == MemberState::Active);
    let Some(member) = member.filter(|_| preferences.digest != Digest::Off) else { return Ok(()) };
    let since = preferences.digested.unwrap_or_else(|| time.plus_seconds(-86_400 * preferences.digest.days()));
    if since >= time {
        return Ok(());
    }
    Preferences::record_digest(&own, time)?;
    let filter = NoticeFilter { unread: true, ..NoticeFilter::default() };
    let mut unread = rules::find::<Notifications>(&own.read(), &filter)?;
    unread.retain(|notice| notice.time > since);
    if unread.is_empty() {
        return Ok(());
    }
    let more = unread.len().saturating_sub(MAX_LISTED) as u64;
    unread.truncate(MAX_LISTED);
    let excerpts = ExcerptReader::new(own.read());
    unread.iter_mut().try_for_each(|notice| excerpts.fill(&mut notice.value))?;
    let item = |notice: &crate::store::Stored<super::Notification>| DigestItem {
        title: notice.title.as_deref().map(plain).unwrap_or_default(),
        text: notice.description.as_deref().map(plain).unwrap_or_default(),
        link: notice.link.clone().filter(|_| notice.use_router),
    };
    let items = unread.iter().map(item).collect();
    let locale = member.language(&Company::of(tx)?.value);
    let email = Email::new(mail::Kind::Digest { items, more }, &member.email, &member.name, locale);
    mail::queue(tx, email.for_member(person)).map(drop)
}
