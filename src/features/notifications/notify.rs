//! Creation of notifications, in the recipient's language and over the channels that they chose. Skips recipients who
//! may not see the subject or caused it themselves.

use std::collections::HashSet;

use uuid::Uuid;

use super::{Notification, Notifications, kinds::NotificationKind, preferences::Preferences};
use crate::{
    features::notices::{Excerpt, Group, Kind, Notice, rules},
    kernel::{
        Day, MemberId, Result, Timestamp,
        html::escape_text,
        i18n::{Locale, clock, say},
    },
    mail::{self, Email},
    people::{
        members::{Company, MemberRecord, MemberState, administrators},
        permission::Permission,
        region::Region,
    },
    store::{Actor, PersonalRead, Scan, Stored, TenantRead, TenantWrite},
};

/// Translation key of the notification that stands for those beyond the rate of a sender.
const CROWDED: &str = "server.notifications.crowded";
/// Administrators whom one write notifies at most.
const MAX_ADMINS: usize = 50;

/// Value of a parameter in a notification text.
#[derive(Clone, Debug)]
pub enum ParamValue {
    /// Text that a person wrote, or a name.
    Text(String),
    /// Key of a translated text.
    TextKey(&'static str),
    /// Keys of translated texts, shown as a list.
    TextKeys(Vec<&'static str>),
    /// A day.
    Day(Day),
    /// A time, shown in the recipient's time zone.
    Time(Timestamp),
}

impl From<String> for ParamValue {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

/// Whether a notification may also be e-mailed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EmailDelivery {
    /// E-mailed to recipients who chose e-mail.
    AsChosen,
    /// Never e-mailed: a dedicated e-mail is sent elsewhere, or e-mail itself fails.
    Never,
}

/// A notification before it is addressed to recipients.
#[derive(Clone, Debug)]
pub struct NotificationDraft {
    /// The kind.
    pub kind: NotificationKind,
    /// Name of the icon.
    pub icon: &'static str,
    /// Path of an image shown in place of the icon.
    pub image: Option<String>,
    /// Translation key of `title` and `description`. Their parameters `by` and `count` are the actor and the
    /// repetitions.
    pub text_key: String,
    /// Further parameters of the texts.
    pub params: Vec<(&'static str, ParamValue)>,
    /// The comment or chat message whose beginning is the parameter `text`, at the end of the description. The panel shows its
    /// present text; an e-mail has that of now.
    pub excerpt: Option<Excerpt>,
    /// Path of the application that it links to.
    pub link: String,
    /// Group key, and translation key for repeated notifications: an unread one of the same group is renewed.
    pub group: Option<(String, &'static str)>,
    /// What the group counts once, among the first 50 that it counts; `None` to count each time.
    pub subject: Option<Uuid>,
    /// Whether a new notification of the group replaces the text of the earlier one instead of counting up.
    pub replaces: bool,
    /// Permission required to see the subject.
    pub right: Permission,
    /// Whether it may also be e-mailed.
    pub emails: EmailDelivery,
}

impl NotificationDraft {
    /// Creates a notification that every member may see.
    pub fn new(kind: NotificationKind, text_key: &str, link: String) -> Self {
        Self {
            kind,
            icon: kind.icon(),
            image: None,
            text_key: text_key.to_owned(),
            params: Vec::new(),
            excerpt: None,
            link,
            group: None,
            subject: None,
            replaces: false,
            right: Permission::Read,
            emails: EmailDelivery::AsChosen,
        }
    }

    /// Adds a parameter.
    pub fn with_param(mut self, name: &'static str, value: ParamValue) -> Self {
        self.params.push((name, value));
        self
    }

    /// Adds a parameter with text that a person wrote.
    pub fn with_text(self, name: &'static str, text: impl Into<String>) -> Self {
        self.with_param(name, ParamValue::Text(text.into()))
    }

    /// Adds the beginning of a comment or chat message as the parameter `text`. `kind` is its `Record::KIND`.
    pub fn with_excerpt(mut self, kind: &str, id: Uuid, text: impl Into<String>) -> Self {
        self.excerpt = Some(Excerpt { kind: kind.to_owned(), id });
        self.with_text("text", text)
    }

    /// Groups it with other notifications of the same group key; `several` is the translation key for repetitions.
    pub fn with_group(mut self, group_key: String, several: &'static str) -> Self {
        self.group = Some((group_key, several));
        self
    }

    /// Lets the group count a thing once, such as the event of an invitation.
    pub const fn counting_once(mut self, subject: Uuid) -> Self {
        self.subject = Some(subject);
        self
    }

    /// Lets it replace the earlier unread notification of the same group key.
    pub fn with_replacing_group(mut self, group_key: String) -> Self {
        self.group = Some((group_key, ""));
        self.replaces = true;
        self
    }

    /// Returns the notification that stands for this one and all others that its sender causes beyond the rate.
    fn crowded(&self, by: Actor) -> Self {
        let sender = by.member().map(|member| member.to_string()).unwrap_or_default();
        Self {
            text_key: CROWDED.to_owned(),
            params: Vec::new(),
            excerpt: None,
            subject: None,
            replaces: false,
            group: Some((format!("crowded:{sender}"), CROWDED)),
            ..self.clone()
        }
    }

    /// Disables the e-mail.
    pub const fn without_email(mut self) -> Self {
        self.emails = EmailDelivery::Never;
        self
    }
}

/// A recipient with their language, time zone and region.
struct Recipient<'t> {
    member: &'t Stored<MemberRecord>,
    locale: Locale,
    zone: String,
    region: Region,
}

impl Recipient<'_> {
    fn format_param(&self, value: &ParamValue) -> String {
        match value {
            ParamValue::Text(text) => text.clone(),
            ParamValue::TextKey(key) => say(self.locale, key, &[]),
            ParamValue::TextKeys(keys) => {
                let texts: Vec<String> = keys.iter().map(|key| say(self.locale, key, &[])).collect();
                texts.join(", ")
            }
            ParamValue::Day(day) => self.format_day(*day),
            ParamValue::Time(at) => {
                let time = clock(self.locale, self.region.hours(), at.zoned(&self.zone).time());
                let params = [("day", self.format_day(at.day_in(&self.zone))), ("time", time)];
                say(self.locale, "server.notifications.moment", &params)
            }
        }
    }

    fn format_day(&self, day: Day) -> String {
        let month = say(self.locale, &format!("mail.months.{}", day.0.month()), &[]);
        let key = format!("server.notifications.day.{}", self.region.date_format.as_str());
        say(self.locale, &key, &[("day", day.0.day().to_string()), ("month", month)])
    }
}

/// Notifies each of the members once. Skips the actor of this write, which is `System` in background jobs (except for
/// security notifications, because it may not have been them), members who are not active, and members without the
/// required permission.
pub fn notify(tx: &TenantWrite<'_>, people: &[MemberId], draft: &NotificationDraft) -> Result<()> {
    // Replayed demo data is in the past.
    if tx.is_falsely_dated() {
        return Ok(());
    }
    let company = Company::of(tx)?;
    let mut seen = HashSet::new();
    for person in people {
        let is_own_action = draft.kind != NotificationKind::Security && tx.actor().member() == Some(*person);
        if is_own_action || !seen.insert(*person) {
            continue;
        }
        let member = tx.find::<MemberRecord>(*person)?;
        let may_see =
            |member: &Stored<MemberRecord>| member.state == MemberState::Active && member.role.has(draft.right);
        if let Some(member) = member.filter(may_see) {
            let zone = member.timezone.clone().unwrap_or_else(|| company.timezone.clone());
            let locale = member.language(&company);
            let region = member.region(&company);
            notify_one(tx, &Recipient { member: &member, locale, zone, region }, draft)?;
        }
    }
    Ok(())
}

/// Returns the recipient's unread notification of a draft's group.
fn find_earlier(own: &PersonalRead<'_>, draft: &NotificationDraft) -> Result<Option<Stored<Notification>>> {
    let Some((group_key, _)) = &draft.group else { return Ok(None) };
    let unread = Scan::with(Notifications::BY_GROUP, group_key).limit(1);
    Ok(own.page::<Notification>(&unread, |_| true)?.items.pop())
}

/// Notifies a recipient. What a sender causes beyond the rate is one notification that counts, so that it does not displace the
/// others.
fn notify_one(tx: &TenantWrite<'_>, to: &Recipient<'_>, draft: &NotificationDraft) -> Result<()> {
    let person = to.member.id;
    let earlier = find_earlier(&tx.person(person).read(), draft)?;
    let is_limited = draft.kind != NotificationKind::Security && earlier.is_none();
    if is_limited && !rules::is_within_rate::<Notifications>(tx, Some(person))? {
        let crowded = draft.crowded(tx.actor());
        let earlier = find_earlier(&tx.person(person).read(), &crowded)?;
        return add_or_renew(tx, to, &crowded, earlier.as_ref());
    }
    add_or_renew(tx, to, draft, earlier.as_ref())
}

/// Adds a notification, or renews the unread one of its group.
fn add_or_renew(
    tx: &TenantWrite<'_>,
    to: &Recipient<'_>,
    draft: &NotificationDraft,
    earlier: Option<&Stored<Notification>>,
) -> Result<()> {
    let own = tx.person(to.member.id);
    let channels = Preferences::of(&own.read())?.channels(draft.kind);
    let mut params: Vec<(&'static str, String)> = vec![("by", actor_name(tx, to.locale)?)];
    params.extend(draft.params.iter().map(|(name, value)| (*name, to.format_param(value))));
    if channels.app || draft.kind == NotificationKind::Security {
        // Notifications are HTML, and the parameters contain text that people wrote.
        let is_stored = |name: &str| draft.excerpt.is_none() || name != "text";
        let escape = |(name, text): &(&'static str, String)| {
            (*name, if is_stored(name) { escape_text(text) } else { String::new() })
        };
        let mut params: Vec<_> = params.iter().map(escape).collect();
        let group = earlier.and_then(|earlier| earlier.group.clone()).filter(|_| !draft.replaces);
        let group = match (group, &draft.group) {
            (Some(group), _) => Some(group.repeated(draft.subject)),
            (None, Some((key, _))) => Some(Group::new(key.clone(), draft.subject)),
            (None, None) => None,
        };
        let count = group.as_ref().map_or(1, |group| group.count);
        params.push(("count", count.to_string()));
        let key = draft.group.as_ref().filter(|_| count > 1).map_or(draft.text_key.as_str(), |(_, several)| several);
        let notice = Notification {
            icon: Some(draft.icon.to_owned()),
            image: draft.image.clone(),
            title: Some(say(to.locale, &format!("{key}.title"), &params)),
            description: Some(say(to.locale, &format!("{key}.description"), &params)),
            link: Some(draft.link.clone()),
            use_router: true,
            about: Some(draft.kind.as_str().to_owned()),
            group,
            excerpt: draft.excerpt.clone(),
            ..Notice::new(tx.now())
        };
        notice.check()?;
        match earlier {
            Some(earlier) => drop(own.update(earlier.id, |kept: &mut Notification| {
                *kept = notice;
                Ok(())
            })?),
            None => drop(rules::deliver(tx, own.person(), notice)?),
        }
    }
    // A recipient with an unread notification of the group was e-mailed when that one was created.
    if channels.mail && draft.emails == EmailDelivery::AsChosen && earlier.is_none() {
        let text = |part: &str| say(to.locale, &format!("{}.{part}", draft.text_key), &params);
        let kind =
            mail::Kind::Notification { title: text("title"), text: text("description"), link: draft.link.clone() };
        let email = Email::new(kind, &to.member.email, &to.member.name, to.locale);
        mail::queue(tx, email.for_member(own.person()))?;
    }
    Ok(())
}

/// Returns the actor's display name.
fn actor_name(tx: &TenantWrite<'_>, locale: Locale) -> Result<String> {
    Ok(match tx.actor() {
        Actor::Member(id) => tx.find::<MemberRecord>(id)?.map(|member| member.value.name).unwrap_or_default(),
        Actor::Operator => say(locale, "server.actors.operator", &[]),
        Actor::System => say(locale, "server.actors.system", &[]),
    })
}

/// Returns the active administrators and owners of the tenant, at most 50: a write notifies them all.
pub fn admins(tx: &TenantRead<'_>) -> Result<Vec<MemberId>> {
    administrators(tx, MAX_ADMINS)
}

/// Checks whether a member has an unread notification of a group.
pub fn has_unread(own: &PersonalRead<'_>, group_key: &str) -> Result<bool> {
    let unread = Scan::with(Notifications::BY_GROUP, group_key).limit(1);
    Ok(!own.page::<Notification>(&unread, |_| true)?.items.is_empty())
}

/// Marks a member's notifications of a group as read, because they have seen the subject itself. Finds only those whose
/// draft has this group key.
pub fn mark_group_read(tx: &TenantWrite<'_>, person: MemberId, group_key: &str) -> Result<()> {
    let own = tx.person(person);
    let unread = Scan::with(Notifications::BY_GROUP, group_key).limit(10);
    for notice in own.read().page::<Notification>(&unread, |_| true)?.items {
        rules::set_read(&own, notice.id, true)?;
    }
    Ok(())
}
