//! The record of an activity, and its validation.

use poem_openapi::{Enum, Object};
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;
use uuid::Uuid;

use crate::{
    feature::Audience,
    features::records::KindName,
    kernel::{Id, Timestamp, error::Faults, text},
    store::{Lookups, Record, Scan, Stored, TenantRecord},
};

/// Index of activities by record.
pub const ACTIVITIES_BY_RECORD: u16 = 1_110;
/// Index of calls, visits and e-mails by record and time.
pub const CONTACTS_BY_RECORD: u16 = 1_111;
/// Index of the activities with a place of their own in timelines, by record and place.
pub const MOVED_BY_RECORD: u16 = 1_271;

/// Maximum records that an activity concerns.
pub const MAX_LINKS: usize = 10;

/// What was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Enum)]
#[oai(rename = "ActivityType", rename_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub enum ActivityType {
    /// A note was written down.
    Note,
    /// A conversation by phone.
    Call,
    /// A meeting.
    Visit,
    /// An e-mail that was sent or received.
    Email,
}

/// A record that an activity concerns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Object)]
#[oai(rename = "ActivityLink", rename_all = "camelCase", deny_unknown_fields)]
#[serde(rename_all = "camelCase")]
pub struct ActivityLink {
    /// Its kind: customer, organization or deal.
    pub kind: KindName,
    /// Its id.
    pub record_id: Uuid,
}

impl ActivityLink {
    /// Returns the record as the change feed names it.
    fn record(&self) -> (String, [u8; 16]) {
        (self.kind.kind().kind.to_owned(), self.record_id.into_bytes())
    }
}

/// A call, visit, e-mail or note that a member logged. Its author is the member who created it.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Activity {
    /// What was done.
    #[serde(rename = "type")]
    pub sort: ActivityType,
    /// When.
    pub at: Timestamp,
    /// The records that it concerns; at least one.
    pub links: Vec<ActivityLink>,
    /// What happened, without formatting.
    pub text: Option<String>,
    /// What came of it, in few words.
    pub outcome: Option<String>,
    /// The task that comes next.
    pub next_task_id: Option<Uuid>,
    /// Its place in timelines, which sorts by time, when its time was changed after it was logged; otherwise its id is.
    #[serde(default)]
    pub place: Option<Uuid>,
    /// The members whom the restricted records that it concerned, and that are gone for good, allow to see it.
    #[serde(default, skip_serializing_if = "Audience::is_company")]
    pub limit: Audience,
}

impl Activity {
    /// Normalizes the texts.
    pub(super) fn tidy(&mut self) {
        self.text = text::filled(self.text.as_deref().map(text::lines));
        self.outcome = text::filled(self.outcome.as_deref().map(text::line));
    }

    /// Validates everything except references.
    pub(super) fn check(&self, faults: &mut Faults) {
        if self.links.is_empty() {
            faults.add("links", "errors.fields.required");
        }
        faults.few("links", self.links.len(), MAX_LINKS);
        faults.at_most("text", self.text.as_deref().unwrap_or(""), 10_000);
        faults.at_most("outcome", self.outcome.as_deref().unwrap_or(""), 200);
        if self.sort == ActivityType::Note && self.text.is_none() {
            faults.add("text", "errors.fields.required");
        }
    }
}

impl Record for Activity {
    type Key = Self;
    const KIND: &'static str = "activity";
    const TABLE: u16 = 61;
    fn lookups(record: &Stored<Self>, out: &mut Lookups) {
        for link in &record.links {
            out.multi(ACTIVITIES_BY_RECORD, link.record_id.as_bytes());
            if let Some(place) = record.place {
                out.multi(MOVED_BY_RECORD, moved_place(link.record_id, place));
            }
            if record.sort != ActivityType::Note {
                out.multi(CONTACTS_BY_RECORD, contact_place(link.record_id, record.at));
            }
        }
    }
    fn part_of(&self) -> Option<(String, [u8; 16])> {
        self.links.first().map(ActivityLink::record)
    }
    fn also_of(&self) -> Vec<(String, [u8; 16])> {
        self.links.iter().skip(1).map(ActivityLink::record).collect()
    }
    fn is_shared(&self) -> bool {
        self.links.len() > 1
    }
}
impl TenantRecord for Activity {}

fn moved_place(record: Uuid, place: Uuid) -> Vec<u8> {
    [record.into_bytes(), place.into_bytes()].concat()
}

/// Selects the activities with a place of their own in the timeline of a record, before a place if given.
pub fn moved_before(record: Uuid, before: Option<Uuid>) -> Scan {
    let first = moved_place(record, Uuid::nil());
    Scan::between(MOVED_BY_RECORD, first, moved_place(record, before.unwrap_or(Uuid::max())))
}

/// Returns the place of a contact in its index.
fn contact_place(record: Uuid, at: Timestamp) -> Vec<u8> {
    [record.as_bytes().as_slice(), &at.sortable()].concat()
}

/// The id of an activity.
pub type ActivityId = Id<Activity>;
