//! The one way to tell somebody something: in their language and by the ways they chose, and never what they may
//! not see or have done themselves.

use std::collections::HashSet;

use super::{Notification, Notifications, kinds::NotificationKind, preferences::Preferences};
use crate::{
    access::{
        members::{Company, MemberRecord, MemberState},
        permission::{Permission, Role},
    },
    features::notices::{Group, Kind, Notice, rules},
    kernel::{
        Day, MemberId, Result, Timestamp,
        html::escape_text,
        i18n::{Locale, clock, say},
    },
    mail::{self, Email},
    store::{Actor, PersonalRead, Scan, Stored, TenantRead, TenantWrite},
};

/// What fills a gap of a sentence.
#[derive(Clone, Debug)]
pub enum Fact {
    /// Words that a person wrote, or a name.
    Text(String),
    /// A translated text, by its key.
    Words(&'static str),
    /// Several translated texts, by their keys, as a list.
    List(Vec<&'static str>),
    /// A day.
    Day(Day),
    /// A moment, told on the receiver's own clock.
    Moment(Timestamp),
}

impl From<String> for Fact {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

/// By whose hands a letter tells of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EmailDelivery {
    /// By ours, to who wants one.
    Wanted,
    /// None of ours: one of its own tells of it, or it would be lost as well.
    None,
}

/// What somebody is to be told.
#[derive(Clone, Debug)]
pub struct NotificationDraft {
    /// What kind of thing it is.
    pub kind: NotificationKind,
    /// The icon's name.
    pub icon: &'static str,
    /// The path of a picture, in place of the icon.
    pub image: Option<String>,
    /// The key under which `title` and `description` stand. `by` in them is who did it, `count` how often.
    pub words: String,
    /// What is filled into them.
    pub facts: Vec<(&'static str, Fact)>,
    /// Where it leads: a path of the application.
    pub link: String,
    /// The matter, and the key of the words for several tidings of it: as long as one is unread, a further one
    /// renews it.
    pub group: Option<(String, &'static str)>,
    /// Whether only the last of several tidings of a matter counts: what the others said is no longer so.
    pub replaces: bool,
    /// The right that it takes to see what it is about.
    pub right: Permission,
    /// Whether a letter may tell of it.
    pub letters: EmailDelivery,
}

impl NotificationDraft {
    /// Word of something that every member may see.
    #[must_use]
    pub fn new(kind: NotificationKind, words: &str, link: String) -> Self {
        Self {
            kind,
            icon: kind.icon(),
            image: None,
            words: words.to_owned(),
            facts: Vec::new(),
            link,
            group: None,
            replaces: false,
            right: Permission::Read,
            letters: EmailDelivery::Wanted,
        }
    }

    /// With something to fill a gap.
    #[must_use]
    pub fn with(mut self, name: &'static str, fact: Fact) -> Self {
        self.facts.push((name, fact));
        self
    }

    /// With words that a person wrote to fill a gap.
    #[must_use]
    pub fn text(self, name: &'static str, text: impl Into<String>) -> Self {
        self.with(name, Fact::Text(text.into()))
    }

    /// One of several tidings of a matter.
    #[must_use]
    pub fn of(mut self, matter: String, several: &'static str) -> Self {
        self.group = Some((matter, several));
        self
    }

    /// The last word of a matter, in the place of those before.
    #[must_use]
    pub fn last_of(mut self, matter: String) -> Self {
        self.group = Some((matter, ""));
        self.replaces = true;
        self
    }

    /// Without a letter of ours.
    #[must_use]
    pub const fn unwritten(mut self) -> Self {
        self.letters = EmailDelivery::None;
        self
    }
}

/// A receiver, and what is needed to speak to them.
struct Receiver<'t> {
    member: &'t Stored<MemberRecord>,
    locale: Locale,
    zone: String,
}

impl Receiver<'_> {
    fn fill(&self, fact: &Fact) -> String {
        match fact {
            Fact::Text(text) => text.clone(),
            Fact::Words(key) => say(self.locale, key, &[]),
            Fact::List(keys) => {
                let words: Vec<String> = keys.iter().map(|key| say(self.locale, key, &[])).collect();
                words.join(", ")
            }
            Fact::Day(day) => self.day(*day),
            Fact::Moment(at) => {
                let time = clock(self.locale, at.zoned(&self.zone).time());
                let gaps = [("day", self.day(at.day_in(&self.zone))), ("time", time)];
                say(self.locale, "server.notifications.moment", &gaps)
            }
        }
    }

    fn day(&self, day: Day) -> String {
        let month = say(self.locale, &format!("mail.months.{}", day.0.month()), &[]);
        say(self.locale, "server.notifications.day", &[("day", day.0.day().to_string()), ("month", month)])
    }
}

/// Tells people something, each of them once. Left out are those who did it themselves (but for word of security:
/// it may not have been them), who may not come in, and who may not see it.
///
/// # Errors
/// `busy` or `internal` when it cannot be kept.
pub fn tell(tx: &TenantWrite<'_>, people: &[MemberId], told: &NotificationDraft) -> Result<()> {
    // What is played again for demo data happened long ago.
    if tx.is_falsely_dated() {
        return Ok(());
    }
    let company = Company::of(tx)?;
    let mut seen = HashSet::new();
    for person in people {
        let own_doing = told.kind != NotificationKind::Security && tx.actor().member() == Some(*person);
        if own_doing || !seen.insert(*person) {
            continue;
        }
        let member = tx.find::<MemberRecord>(person.cast())?;
        let sees = |member: &Stored<MemberRecord>| member.state == MemberState::Active && member.role.has(told.right);
        if let Some(member) = member.filter(sees) {
            let zone = member.timezone.clone().unwrap_or_else(|| company.timezone.clone());
            let locale = member.reads(&company);
            tell_one(tx, &Receiver { member: &member, locale, zone }, told)?;
        }
    }
    Ok(())
}

fn tell_one(tx: &TenantWrite<'_>, to: &Receiver<'_>, told: &NotificationDraft) -> Result<()> {
    let own = tx.person(to.member.id.cast());
    let channels = Preferences::of(&own.read())?.channels(told.kind);
    let mut gaps: Vec<(&'static str, String)> = vec![("by", actor(tx, to.locale)?)];
    gaps.extend(told.facts.iter().map(|(name, fact)| (*name, to.fill(fact))));
    let kept = match &told.group {
        Some((matter, _)) => {
            let unread = Scan::with(Notifications::BY_GROUP, matter).limit(1);
            own.read().page::<Notification>(&unread, |_| true)?.items.pop()
        }
        None => None,
    };
    if channels.app || told.kind == NotificationKind::Security {
        // A notice is HTML, and what fills the gaps comes from people.
        let mut gaps: Vec<_> = gaps.iter().map(|(name, text)| (*name, escape_text(text))).collect();
        let before = kept.as_ref().and_then(|kept| kept.group.as_ref()).filter(|_| !told.replaces);
        let count = before.map_or(1, |group| group.count.saturating_add(1));
        gaps.push(("count", count.to_string()));
        let words = told.group.as_ref().filter(|_| count > 1).map_or(told.words.as_str(), |(_, several)| several);
        let notice = Notification {
            icon: Some(told.icon.to_owned()),
            image: told.image.clone(),
            title: Some(say(to.locale, &format!("{words}.title"), &gaps)),
            description: Some(say(to.locale, &format!("{words}.description"), &gaps)),
            link: Some(told.link.clone()),
            use_router: true,
            about: Some(told.kind.as_str().to_owned()),
            group: told.group.as_ref().map(|(name, _)| Group { name: name.clone(), count }),
            ..Notice::new(tx.now())
        };
        notice.check()?;
        match &kept {
            Some(kept) => drop(own.update(kept.id, |kept: &mut Notification| {
                *kept = notice;
                Ok(())
            })?),
            None => drop(rules::deliver(tx, own.person(), notice)?),
        }
    }
    // Who has not read the one before got a letter then.
    if channels.mail && told.letters == EmailDelivery::Wanted && kept.is_none() {
        let words = |part: &str| say(to.locale, &format!("{}.{part}", told.words), &gaps);
        let kind =
            mail::Kind::Notification { title: words("title"), text: words("description"), link: told.link.clone() };
        let letter = Email::new(kind, &to.member.email, &to.member.name, to.locale);
        mail::queue(tx, letter.for_member(own.person()))?;
    }
    Ok(())
}

/// Who does it, as others call them.
fn actor(tx: &TenantWrite<'_>, locale: Locale) -> Result<String> {
    Ok(match tx.actor() {
        Actor::Member(id) => tx.find::<MemberRecord>(id.cast())?.map(|member| member.value.name).unwrap_or_default(),
        Actor::Operator => say(locale, "server.actors.operator", &[]),
        Actor::System => say(locale, "server.actors.system", &[]),
    })
}

/// Those who run the company: active administrators and owners.
///
/// # Errors
/// `busy` or `internal` when they cannot be read.
pub fn admins(tx: &TenantRead<'_>) -> Result<Vec<MemberId>> {
    let mut found = Vec::new();
    tx.each::<MemberRecord>(|member| {
        if member.state == MemberState::Active && member.role >= Role::Admin {
            found.push(member.id.cast());
        }
        Ok(())
    })?;
    Ok(found)
}

/// Whether somebody was told of a matter and has not read it.
///
/// # Errors
/// `busy` or `internal` when it cannot be read.
pub fn is_unread(own: &PersonalRead<'_>, matter: &str) -> Result<bool> {
    let unread = Scan::with(Notifications::BY_GROUP, matter).limit(1);
    Ok(!own.page::<Notification>(&unread, |_| true)?.items.is_empty())
}

/// What somebody was told of a matter is read: they have seen the thing itself.
///
/// # Errors
/// `busy` or `internal` when it cannot be kept.
pub fn settle(tx: &TenantWrite<'_>, person: MemberId, matter: &str) -> Result<()> {
    let own = tx.person(person);
    let unread = Scan::with(Notifications::BY_GROUP, matter).limit(10);
    for notice in own.read().page::<Notification>(&unread, |_| true)?.items {
        rules::set_read(&own, notice.id, true)?;
    }
    Ok(())
}
