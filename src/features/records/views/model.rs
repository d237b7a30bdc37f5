//! The records of views.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use crate::{
    features::records::KindName,
    kernel::{Id, MemberId, Person},
    store::{Lookups, PersonalRecord, Record, Stored, TenantRecord},
};

/// Index of views by kind, and by who sees them.
pub const VIEWS_BY_READER: u16 = 1_247;

/// A view of the lists of a kind. It belongs to the member who created it.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedView {
    /// The kind of the records that it lists.
    pub kind: KindName,
    /// What members see.
    pub name: String,
    /// Whether all members see it.
    pub shared: bool,
    /// Whether it ever was shared.
    pub was_shared: bool,
    /// The filters, as in the parameter `filter` of list calls.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub filters: Vec<String>,
    /// The words that are searched for.
    pub q: Option<String>,
    /// The order, as in the parameter `sort` of list calls.
    pub sort: Option<String>,
    /// The shown columns in their order; empty for the usual ones.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<String>,
}

/// Who sees a view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeenBy {
    /// All members.
    All,
    /// This member.
    Only(MemberId),
}

/// Returns the place in the index of the views of a kind that are seen by all members, or by one only.
pub fn place(kind: KindName, seen_by: SeenBy) -> Vec<u8> {
    let mut place = kind.kind().kind.as_bytes().to_vec();
    place.push(0);
    match seen_by {
        SeenBy::All => place.push(1),
        SeenBy::Only(member) => {
            place.push(2);
            place.extend_from_slice(member.as_bytes());
        }
    }
    place
}

impl Record for SavedView {
    type Key = Self;
    const KIND: &'static str = "view";
    const TABLE: u16 = 52;
    fn lookups(record: &Stored<Self>, out: &mut Lookups) {
        let seen_by = if record.shared { Some(SeenBy::All) } else { record.created_by.map(SeenBy::Only) };
        if let Some(seen_by) = seen_by {
            out.multi(VIEWS_BY_READER, place(record.kind, seen_by));
        }
    }
    fn title(&self) -> Option<String> {
        self.shared.then(|| self.name.clone())
    }
}
impl TenantRecord for SavedView {}

/// The views with which a member's lists open. Stored in their personal data under their own id.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ViewDefaults {
    /// By `Record::KIND` of the lists' records.
    pub views: BTreeMap<String, Id<SavedView>>,
}

impl Record for ViewDefaults {
    type Key = Person;
    const KIND: &'static str = "view_defaults";
    const TABLE: u16 = 53;
}
impl PersonalRecord for ViewDefaults {}
