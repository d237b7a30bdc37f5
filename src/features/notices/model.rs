//! A notice, and what makes one valid.

use std::{fmt::Debug, marker::PhantomData};

use poem_openapi::Object;
use serde::{Deserialize, Serialize};

use crate::{
    access::permission::Permission,
    kernel::{
        MemberId, Result, Timestamp,
        error::Faults,
        html::{self, Tags, plain},
        text::{is_address, is_app_path, is_router_path},
    },
    store::{Counters, Lookups, PersonalRecord, PersonalWrite, Record, Stored},
};

/// What tells messages from notifications: names and numbers only.
pub trait Kind: Clone + Debug + PartialEq + Send + Sync + 'static {
    /// The kind of the record, and the field of a body that holds one.
    const NAME: &'static str;
    /// The table.
    const TABLE: u16;
    /// The lookup by time.
    const BY_TIME: u16;
    /// The figure of those not read.
    const UNREAD: &'static str;
    /// The figure of those not seen.
    const UNSEEN: &'static str;
    /// The figure of all, those removed of late included.
    const ALL: &'static str;
    /// The lookup of those removed of late, by when.
    const BY_REMOVAL: u16;
    /// The lookup of those not read that further ones of their group are added to.
    const BY_GROUP: u16;
    /// The right that it takes to send one to a colleague.
    const SEND: Permission;

    /// Hears that one was read, or made unread.
    ///
    /// # Errors
    /// What keeps it from being noted.
    fn read_changed(_own: &PersonalWrite<'_, '_>, _notice: &Stored<Notice<Self>>, _now: Timestamp) -> Result<()> {
        Ok(())
    }
}

/// A member who wrote something.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Object)]
#[oai(rename = "NoticeAuthor", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct Author {
    /// Who.
    pub member_id: MemberId,
    /// Their name then.
    pub name: String,
}

/// What repeats of one matter have in common: while one is unread, a further one renews it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Group {
    /// Which matter: the same for all repeats.
    pub name: String,
    /// How often it happened.
    pub count: u32,
}

/// A short item for one person.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Notice<K> {
    /// Whether the person has read it.
    pub read: bool,
    /// Whether it was on the person's screen.
    pub seen: bool,
    /// The icon's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub icon: Option<String>,
    /// The path of a picture.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image: Option<String>,
    /// Clean HTML.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Clean HTML.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// When what it tells of happened.
    pub time: Timestamp,
    /// Where it leads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
    /// Whether the link is followed inside the application.
    pub use_router: bool,
    /// When the person removed it: it is in no list and no figure, and can be put back for some minutes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub removed: Option<Timestamp>,
    /// What kind of thing it tells of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
    /// The matter that it is one of several tidings of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<Group>,
    /// The member who wrote it, also to themselves; none when it comes from the system.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Author>,
    /// Holds nothing: says which kind it is.
    #[serde(skip)]
    pub kind: PhantomData<fn() -> K>,
}

impl<K: Kind> Notice<K> {
    /// An empty one that nobody has read yet.
    #[must_use]
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
            kind: PhantomData,
        }
    }

    /// Checks it against the rules. Its HTML is sanitized already: see [`sanitize`].
    ///
    /// # Errors
    /// `invalid` with every field that breaks one.
    pub fn check(&self) -> Result<()> {
        let mut faults = Faults::default();
        let at = |field: &str| format!("{}.{field}", K::NAME);
        let says = |html: &Option<String>| html.as_deref().is_some_and(|html| !plain(html).trim().is_empty());
        if !says(&self.title) && !says(&self.description) {
            faults.add(at("title"), "errors.fields.required");
        }
        faults.at_most(&at("icon"), self.icon.as_deref().unwrap_or_default(), 100);
        // Only our own pictures: others would tell their server who reads what and when.
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

/// Characters of a title's HTML.
const TITLE: usize = 1_000;
/// Characters of a description's HTML.
const DESCRIPTION: usize = 10_000;

/// Sanitizes the HTML of a title and a description: outside of writes, because it takes time.
///
/// # Errors
/// `invalid` with the fields that are too long or nested too deep.
pub(super) fn sanitize<K: Kind>(title: Option<&mut String>, description: Option<&mut String>) -> Result<()> {
    let mut faults = Faults::default();
    for (field, html, max) in [("title", title, TITLE), ("description", description, DESCRIPTION)] {
        if let Some(html) = html {
            *html = html::clean(html.as_str(), Tags::Short, max, &format!("{}.{field}", K::NAME), &mut faults);
        }
    }
    faults.into_result()
}

impl<K: Kind> Record for Notice<K> {
    const KIND: &'static str = K::NAME;
    const TABLE: u16 = K::TABLE;
    fn lookups(record: &Stored<Self>, out: &mut Lookups) {
        match record.removed {
            None => out.multi(K::BY_TIME, record.time.sortable()),
            Some(removed) => out.multi(K::BY_REMOVAL, removed.sortable()),
        }
        if let Some(group) = record.group.as_ref().filter(|_| !record.read && record.removed.is_none()) {
            out.multi(K::BY_GROUP, &group.name);
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
