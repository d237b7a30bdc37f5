//! What messages and notifications look like to clients.

use poem_openapi::{Enum, Object, Union, types::MaybeUndefined};
use serde::Serialize;

use super::{
    model::{Author, Kind, Notice, sanitize},
    rules::To,
};
use crate::{
    kernel::{Id, MemberId, Result, Timestamp},
    store::Stored,
    wire::Given,
};

/// Stands in ids for a notice of either kind.
pub enum Item {}

/// A message or a notification as clients see it.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "Notice", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct View {
    id: Id<Item>,
    /// Whether its owner has read it.
    read: bool,
    /// Whether it was on its owner's screen.
    seen: bool,
    /// The name of an icon.
    #[serde(skip_serializing_if = "Option::is_none")]
    icon: Option<String>,
    /// The path of a picture, shown in place of the icon.
    #[serde(skip_serializing_if = "Option::is_none")]
    image: Option<String>,
    /// HTML of a few harmless tags.
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    /// HTML of a few harmless tags.
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    /// When what it tells of happened.
    time: Timestamp,
    /// A path of the application when `useRouter` is set, an http or https address otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    link: Option<String>,
    /// Whether the link is followed inside the application.
    use_router: bool,
    /// What kind of thing it tells of, as notification preferences name it.
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<String>,
    /// How often that happened since it was last read, when more than once.
    #[serde(skip_serializing_if = "Option::is_none")]
    count: Option<u32>,
    /// The member who wrote it; absent when it comes from the system, and only then.
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<Author>,
}

impl<K: Kind> From<Stored<Notice<K>>> for View {
    fn from(record: Stored<Notice<K>>) -> Self {
        let notice = record.value;
        Self {
            id: record.id.cast(),
            read: notice.read,
            seen: notice.seen,
            icon: notice.icon,
            image: notice.image,
            title: notice.title,
            description: notice.description,
            time: notice.time,
            link: notice.link,
            use_router: notice.use_router,
            kind: notice.about,
            count: notice.group.map(|group| group.count).filter(|count| *count > 1),
            from: notice.from,
        }
    }
}

/// The word for all active members.
#[derive(Clone, Copy, Debug, Enum)]
#[oai(rename = "Everyone", rename_all = "lowercase")]
pub enum Everyone {
    /// All active members of the company.
    Everyone,
}

/// For whom it is: up to 200 members, or `everyone`, which takes the right `messages.broadcast`. Others than the
/// caller take the right `messages.send` or `notifications.send`.
#[derive(Debug, Union)]
#[oai(rename = "Addressees")]
pub enum Addressees {
    /// All active members of the company.
    Everyone(Everyone),
    /// These members.
    Members(Vec<MemberId>),
}

/// Who wrote an item, as it was given: left aside, because nobody writes in another's name.
#[derive(Debug, Object)]
#[oai(rename = "GivenNoticeAuthor", rename_all = "camelCase", deny_unknown_fields)]
struct GivenAuthor {
    member_id: Option<String>,
    name: Option<String>,
}

/// A new message or notification. `id`, `kind`, `count` and `from` are left aside if they are sent.
#[derive(Debug, Object)]
#[oai(rename = "NewNotice", rename_all = "camelCase", deny_unknown_fields)]
pub struct New {
    id: Option<String>,
    /// Whether it counts as read from the start; for others than the caller it never does.
    #[oai(default)]
    read: bool,
    /// Whether it counts as seen from the start; for others than the caller it never does.
    #[oai(default)]
    seen: bool,
    icon: Option<String>,
    image: Option<String>,
    title: Option<String>,
    description: Option<String>,
    /// Now, when absent.
    time: Option<Timestamp>,
    link: Option<String>,
    #[oai(default)]
    use_router: bool,
    kind: Option<String>,
    count: Option<u32>,
    from: Option<GivenAuthor>,
    /// For whom it is; for the caller when absent.
    to: Option<Addressees>,
}

impl New {
    /// For whom it is.
    #[must_use]
    pub fn addressees(&self) -> To {
        match &self.to {
            None => To::Oneself,
            Some(Addressees::Everyone(_)) => To::Everyone,
            Some(Addressees::Members(members)) => To::Members(members.clone()),
        }
    }

    /// Sanitizes its HTML.
    ///
    /// # Errors
    /// `invalid` with the fields that are too long or nested too deep.
    pub fn sanitize<K: Kind>(&mut self) -> Result<()> {
        sanitize::<K>(self.title.as_mut(), self.description.as_mut())
    }

    /// The notice itself, by its author.
    #[must_use]
    pub fn notice<K: Kind>(self, author: Author, now: Timestamp) -> Notice<K> {
        Notice {
            from: Some(author),
            read: self.read,
            seen: self.seen || self.read,
            icon: self.icon,
            image: self.image,
            title: self.title,
            description: self.description,
            link: self.link,
            use_router: self.use_router,
            ..Notice::new(self.time.unwrap_or(now))
        }
    }
}

/// Changes to a message or notification: what is absent stays, null empties. `id`, `kind`, `count` and `from` are
/// left aside.
#[derive(Debug, Object)]
#[oai(rename = "NoticePatch", rename_all = "camelCase", deny_unknown_fields)]
pub struct Patch {
    id: Option<String>,
    read: Given<bool>,
    seen: Given<bool>,
    icon: MaybeUndefined<String>,
    image: MaybeUndefined<String>,
    title: MaybeUndefined<String>,
    description: MaybeUndefined<String>,
    time: Given<Timestamp>,
    link: MaybeUndefined<String>,
    use_router: Given<bool>,
    kind: Option<String>,
    count: Option<u32>,
    from: Option<GivenAuthor>,
}

impl Patch {
    /// Sanitizes its HTML.
    ///
    /// # Errors
    /// `invalid` with the fields that are too long or nested too deep.
    pub fn sanitize<K: Kind>(&mut self) -> Result<()> {
        sanitize::<K>(self.title.value_mut(), self.description.value_mut())
    }

    /// Makes the changes. Who changes what it says, shows or leads to is its author from then on: what comes from
    /// somebody else, or from the system, is what they sent.
    pub fn apply<K: Kind>(self, notice: &mut Notice<K>, author: Author) {
        self.read.update_to(&mut notice.read);
        self.seen.update_to(&mut notice.seen);
        let before = notice.clone();
        self.icon.update_to(&mut notice.icon);
        self.image.update_to(&mut notice.image);
        self.title.update_to(&mut notice.title);
        self.description.update_to(&mut notice.description);
        self.time.update_to(&mut notice.time);
        self.link.update_to(&mut notice.link);
        self.use_router.update_to(&mut notice.use_router);
        if *notice != before {
            notice.from = Some(author);
            (notice.about, notice.group) = (None, None);
        }
    }
}

/// Which item, and whether it is read. The item's other fields may be there and are left aside.
#[derive(Debug, Object)]
#[oai(rename = "NoticeReadStatus", rename_all = "camelCase", deny_unknown_fields)]
pub struct Toggle {
    /// Which.
    pub id: Id<Item>,
    /// Whether it is read from now on.
    pub read: bool,
    seen: Option<bool>,
    icon: Option<String>,
    image: Option<String>,
    title: Option<String>,
    description: Option<String>,
    time: Option<Timestamp>,
    link: Option<String>,
    use_router: Option<bool>,
    kind: Option<String>,
    count: Option<u32>,
    from: Option<GivenAuthor>,
}

/// How many are not read.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "Unread")]
pub struct Unread {
    /// The whole number, not what was added.
    pub unread: u64,
}
