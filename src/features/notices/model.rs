//! Notices: the record that messages and notifications share, and its validation.

use std::{fmt::Debug, marker::PhantomData};

use poem_openapi::Object;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;
use uuid::Uuid;

use super::excerpts::Excerpt;
use crate::{
    kernel::{
        Id, MemberId, Result, Timestamp,
        error::Faults,
        html::{self, Tags, plain},
        text::{is_address, is_app_path, is_router_path, without_hidden},
    },
    people::{members::MemberRecord, permission::Permission},
    store::{Counters, Lookups, PersonalRecord, PersonalWrite, Record, Stored, TenantWrite},
};

/// Kind of notice. Messages and notifications differ in names and numbers only.
pub trait Kind: Clone + Debug + PartialEq + Send + Sync + 'static {
    /// Record kind, and the field of a request body that holds a notice.
    const NAME: &'static str;
    /// Table number.
    const TABLE: u16;
    /// Index by time.
    const BY_TIME: u16;
    /// Counter of unread notices.
    const UNREAD: &'static str;
    /// Counter of unseen notices.
    const UNSEEN: &'static str;
    /// Counter of all notices, including recently removed ones.
    const ALL: &'static str;
    /// Index of recently removed notices by removal time.
    const BY_REMOVAL: u16;
    /// Index of unread notices by group key.
    const BY_GROUP: u16;
    /// Record kind of notices on their way to every member.
    const BROADCAST: &'static str;
    /// Name of the job that delivers them.
    const BROADCAST_JOB: &'static str;
    /// Table number of those.
    const BROADCASTS: u16;
    /// Permission required to send one to another member.
    const SEND: Permission;
    /// What those are about that are displaced last; `None` when all are alike.
    const DISPLACED_LAST: Option<&'static str> = None;

    /// Called when a notice is marked as read or unread.
    fn read_changed(_own: &PersonalWrite<'_, '_>, _notice: &Stored<Notice<Self>>, _now: Timestamp) -> Result<()> {
        Ok(())
    }

    /// Called when copies of a sent message were delivered in the background: their ids, and who has them.
    fn delivered(_tx: &TenantWrite<'_>, _sent: Uuid, _copies: Vec<Copy<Self>>) -> Result<()> {
        Ok(())
    }
}

/// A delivered notice, and the member who has it.
pub type Copy<K> = (Id<Notice<K>>, Stored<MemberRecord>);

/// The member who wrote an item.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Object)]
#[oai(rename = "NoticeAuthor", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct Author {
    /// The member's id.
    pub member_id: MemberId,
    /// The member's name at that time.
    pub name: String,
}

/// Group of repeated notices. An unread notice of the group is renewed instead of adding another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Group {
    /// Group key, the same for all repetitions.
    #[serde(rename = "name")]
    pub key: String,
    /// Number of occurrences, or of different things for a group that counts each once.
    pub count: u32,
    /// The first of these things, at most 50.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub counted: Vec<Uuid>,
}

/// Maximum things that a group remembers to have counted. Later ones are counted at each repetition.
const MAX_COUNTED: usize = 50;

impl Group {
    /// Creates a group with one occurrence, of `subject` if it counts each thing once.
    pub fn new(key: String, subject: Option<Uuid>) -> Self {
        Self { key, count: 1, counted: subject.into_iter().collect() }
    }

    /// Returns the group after another occurrence.
    #[must_use]
    pub fn repeated(mut self, subject: Option<Uuid>) -> Self {
        if subject.is_some_and(|subject| self.counted.contains(&subject)) {
            return self;
        }
        self.count = self.count.saturating_add(1);
        let room = MAX_COUNTED.saturating_sub(self.counted.len());
        self.counted.extend(subject.into_iter().take(room));
        self
    }
}

/// A short item for one member.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Notice<K> {
    /// Whether the member has read it.
    pub read: bool,
    /// Whether the member's panel has shown it.
    pub seen: bool,
    /// Name of the icon.
    pub icon: Option<String>,
    /// Path of an image.
    pub image: Option<String>,
    /// Title as sanitized HTML.
    pub title: Option<String>,
    /// Description as sanitized HTML.
    pub description: Option<String>,
    /// Time of the event that it reports.
    pub time: Timestamp,
    /// Target of the link.
    pub link: Option<String>,
    /// Whether the link is followed inside the application.
    pub use_router: bool,
    /// When the member removed it. A removed notice is in no list and no counter but [`Kind::ALL`], and can be restored
    /// for ten minutes.
    pub removed: Option<Timestamp>,
    /// Kind of the event that it reports.
    pub about: Option<String>,
    /// Group that it belongs to.
    pub group: Option<Group>,
    /// The member who wrote it, also to themselves; `None` when it comes from the system.
    pub from: Option<Author>,
    /// The comment or message whose beginning is added to the description when it is read.
    pub excerpt: Option<Excerpt>,
    /// Marker of the kind of notice.
    #[serde(skip)]
    pub kind: PhantomData<fn() -> K>,
}

impl<K: Kind> Notice<K> {
    /// Creates an empty, unread notice.
    pub const fn new(time: Timestamp) -> Self {
        Self {
            read: false,
            seen: false,
            icon: None,
            image: None,
            title: None,
            description: None,
            time,
            link: None,
            use_router: false,
            removed: None,
            about: None,
            group: None,
            from: None,
            excerpt: None,
            kind: PhantomData,
        }
    }

    /// Returns the notice as others get it who have not seen it.
    #[must_use]
    pub fn unread(self) -> Self {
        Self { read: false, seen: false, ..self }
    }

    /// Validates the notice. Its HTML is already sanitized by [`sanitize`].
    /// Errors: `invalid` with all invalid fields.
    pub fn check(&self) -> Result<()> {
        let mut faults = Faults::default();
        let at = |field: &str| format!("{}.{field}", K::NAME);
        let has_text = |html: &Option<String>| html.as_deref().is_some_and(|html| !plain(html).trim().is_empty());
        if !has_text(&self.title) && !has_text(&self.description) {
            faults.add(at("title"), "errors.fields.required");
        }
        faults.at_most(&at("icon"), self.icon.as_deref().unwrap_or_default(), 100);
        // Only own images: the server of an external image would learn who reads the notice and when.
        if self.image.as_deref().is_some_and(|image| !is_app_path(image)) {
            faults.add(at("image"), "errors.fields.image_path");
        }
        match self.link.as_deref() {
            Some(link) if self.use_router && !is_router_path(link) => faults.add(at("link"), "errors.fields.link_path"),
            Some(link) if !self.use_router && !is_address(link, &["http", "https"]) => {
                faults.add(at("link"), "errors.fields.link_address");
            }
            _ => {}
        }
        faults.into_result()
    }
}

/// Maximum characters of a title's HTML.
const MAX_TITLE_CHARS: usize = 1_000;
/// Maximum characters of a description's HTML.
const MAX_DESCRIPTION_CHARS: usize = 10_000;

/// Sanitizes the HTML of a title and a description. Runs outside of writes, because it takes time.
/// Errors: `invalid` with the fields that are too long or nested too deep.
pub(super) fn sanitize<K: Kind>(title: Option<&mut String>, description: Option<&mut String>) -> Result<()> {
    let mut faults = Faults::default();
    for (field, html, max) in [("title", title, MAX_TITLE_CHARS), ("description", description, MAX_DESCRIPTION_CHARS)] {
        if let Some(html) = html {
            *html = html::clean(html.as_str(), Tags::Short, max, &format!("{}.{field}", K::NAME), &mut faults);
            *html = without_hidden(html);
        }
    }
    faults.into_result()
}

impl<K: Kind> Record for Notice<K> {
    type Key = Self;
    const KIND: &'static str = K::NAME;
    const TABLE: u16 = K::TABLE;
    fn admit(&mut self) -> bool {
        let mut changed = false;
        for (html, max) in [(&mut self.title, MAX_TITLE_CHARS), (&mut self.description, MAX_DESCRIPTION_CHARS)] {
            changed |= html.as_mut().is_some_and(|html| html::clean_again(html, Tags::Short, max));
        }
        let image = self.image.take_if(|image| !is_app_path(image));
        let use_router = self.use_router;
        let is_good = |link: &str| if use_router { is_router_path(link) } else { is_address(link, &["http", "https"]) };
        let link = self.link.take_if(|link| !is_good(link));
        changed || image.is_some() || link.is_some()
    }
    fn lookups(record: &Stored<Self>, out: &mut Lookups) {
        match record.removed {
            None => out.multi(K::BY_TIME, record.time.sortable()),
            Some(removed) => out.multi(K::BY_REMOVAL, removed.sortable()),
        }
        if let Some(group) = record.group.as_ref().filter(|_| !record.read && record.removed.is_none()) {
            out.multi(K::BY_GROUP, &group.key);
        }
    }
    fn counters(record: &Stored<Self>, out: &mut Counters) {
        out.add_own(K::ALL, 1);
        if record.removed.is_none() {
            out.add_own(K::UNREAD, i64::from(!record.read));
            out.add_own(K::UNSEEN, i64::from(!record.seen));
        }
    }
}
impl<K: Kind> PersonalRecord for Notice<K> {}
