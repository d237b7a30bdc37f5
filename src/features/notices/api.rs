//! Request and response bodies of messages and notifications.

use poem_openapi::{Enum, Object, Union, types::MaybeUndefined};
use serde::Serialize;
use serde_with::skip_serializing_none;

use super::{
    model::{Author, Kind, Notice, sanitize},
    rules::Recipients,
};
use crate::{
    kernel::{Id, MemberId, Result, Timestamp},
    store::Stored,
    wire::NotNull,
};

/// Marker type for ids of both kinds of notices.
pub enum Item {}

/// A message or a notification.
#[skip_serializing_none]
#[derive(Debug, Serialize, Object)]
#[oai(rename = "Notice", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct View {
    id: Id<Item>,
    /// Whether the recipient has read it.
    read: bool,
    /// Whether the recipient's panel has shown it.
    seen: bool,
    /// The name of an icon.
    icon: Option<String>,
    /// The path of an image, shown in place of the icon.
    image: Option<String>,
    /// The title, as HTML with a few harmless tags.
    title: Option<String>,
    /// The description, as HTML with a few harmless tags.
    description: Option<String>,
    /// The time of the event that it reports.
    time: Timestamp,
    /// A path of the application if `useRouter` is true, otherwise an http or https address.
    link: Option<String>,
    /// Whether the link is followed inside the application.
    use_router: bool,
    /// The kind of event that it reports, as named in the notification preferences.
    kind: Option<String>,
    /// The number of occurrences since it was last read. Absent when there is only one.
    count: Option<u32>,
    /// The member who wrote it. Absent only when it comes from the system.
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

/// The value that addresses all active members.
#[derive(Clone, Copy, Debug, Enum)]
#[oai(rename = "Everyone", rename_all = "lowercase")]
pub enum Everyone {
    /// All active members of the company.
    Everyone,
}

/// The recipients: up to 200 members, or `everyone`, which requires the right `messages.broadcast`. Recipients other
/// than the caller require the right `messages.send` or `notifications.send`.
#[derive(Debug, Union)]
#[oai(rename = "Addressees")]
pub enum Addressees {
    /// All active members of the company.
    Everyone(Everyone),
    /// The named members.
    Members(Vec<MemberId>),
}

/// The author of an item. It is accepted and ignored, because the author is always the caller.
#[derive(Debug, Object)]
#[oai(rename = "GivenNoticeAuthor", rename_all = "camelCase", deny_unknown_fields)]
struct GivenAuthor {
    member_id: Option<String>,
    name: Option<String>,
}

/// A new message or notification. `id`, `kind`, `count` and `from` are accepted and ignored.
#[derive(Debug, Object)]
#[oai(rename = "NewNotice", rename_all = "camelCase", deny_unknown_fields)]
pub struct New {
    id: Option<String>,
    /// Whether it counts as read from the start. Ignored for recipients other than the caller.
    #[oai(default)]
    read: bool,
    /// Whether it counts as seen from the start. Ignored for recipients other than the caller.
    #[oai(default)]
    seen: bool,
    icon: Option<String>,
    image: Option<String>,
    title: Option<String>,
    description: Option<String>,
    /// The time of the item. The default is the current time.
    time: Option<Timestamp>,
    link: Option<String>,
    #[oai(default)]
    use_router: bool,
    kind: Option<String>,
    count: Option<u32>,
    from: Option<GivenAuthor>,
    /// The recipients. The default is the caller.
    to: Option<Addressees>,
}

impl New {
    /// Returns the recipients.
    pub fn recipients(&self) -> Recipients {
        match &self.to {
            None => Recipients::Sender,
            Some(Addressees::Everyone(_)) => Recipients::Everyone,
            Some(Addressees::Members(members)) => Recipients::Members(members.clone()),
        }
    }

    /// Sanitizes the HTML of the title and the description.
    /// Errors: `invalid` with the fields that are too long or nested too deep.
    pub fn sanitize<K: Kind>(&mut self) -> Result<()> {
        sanitize::<K>(self.title.as_mut(), self.description.as_mut())
    }

    /// Converts the body to a notice by `author`.
    pub fn into_notice<K: Kind>(self, author: Author, now: Timestamp) -> Notice<K> {
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

/// Changes to a message or notification. Absent fields stay unchanged, null empties a field. `id`, `kind`, `count` and
/// `from` are accepted and ignored.
#[derive(Debug, Object)]
#[oai(rename = "NoticePatch", rename_all = "camelCase", deny_unknown_fields)]
pub struct Patch {
    id: Option<String>,
    read: NotNull<bool>,
    seen: NotNull<bool>,
    icon: MaybeUndefined<String>,
    image: MaybeUndefined<String>,
    title: MaybeUndefined<String>,
    description: MaybeUndefined<String>,
    time: NotNull<Timestamp>,
    link: MaybeUndefined<String>,
    use_router: NotNull<bool>,
    kind: Option<String>,
    count: Option<u32>,
    from: Option<GivenAuthor>,
}

impl Patch {
    /// Sanitizes the HTML of the title and the description.
    /// Errors: `invalid` with the fields that are too long or nested too deep.
    pub fn sanitize<K: Kind>(&mut self) -> Result<()> {
        sanitize::<K>(self.title.value_mut(), self.description.value_mut())
    }

    /// Applies the changes. A change of the content makes `author` the author, so that an item by another member or the
    /// system always shows what they sent.
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

/// The item to mark, and whether it is read. The other fields of the item are accepted and ignored.
#[derive(Debug, Object)]
#[oai(rename = "NoticeReadStatus", rename_all = "camelCase", deny_unknown_fields)]
pub struct Toggle {
    /// The id of the item.
    pub id: Id<Item>,
    /// Whether the item is read from now on.
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

/// The number of unread items.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "Unread")]
pub struct Unread {
    /// The total number of unread items.
    pub unread: u64,
}
