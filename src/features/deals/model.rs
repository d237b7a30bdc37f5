//! The record of a deal, and its validation.

use poem_openapi::Enum;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use crate::{
    feature::{
        Audience, EXTERNAL_ID, FieldValues, FormerAudience, Money, Visibility, contact::ContactDates, import_keys,
    },
    features::{customers::Customer, organizations::Organization},
    kernel::{Day, Document, FieldText, Heading, Id, MemberId, Timestamp, error::Faults, text},
    store::{Counters, History, Lookups, Record, Stored, TenantRecord},
};

/// Index of deals by customer.
pub(super) const BY_CUSTOMER: u16 = 1_107;
/// Index of deals by organization.
pub(super) const BY_ORGANIZATION: u16 = 1_108;
/// Index of deals by stage.
pub(super) const BY_STAGE: u16 = 1_109;
/// Index of deals by their id in another system.
pub(super) const BY_EXTERNAL_ID: u16 = 1_118;
/// Index of deals by what identified the row that they were imported from.
pub(super) const BY_IMPORT_KEY: u16 = 1_262;

/// Whether a deal was won or lost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Enum)]
#[oai(rename = "DealOutcome", rename_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub enum DealOutcome {
    /// Neither yet.
    #[default]
    Open,
    /// The sale was made.
    Won,
    /// It was not.
    Lost,
}

impl DealOutcome {
    /// Returns its name in the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Won => "won",
            Self::Lost => "lost",
        }
    }
}

/// A possible sale.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Deal {
    /// What is sold.
    pub title: String,
    /// The person who may buy.
    pub customer_id: Option<Id<Customer>>,
    /// The organization that may buy.
    pub organization_id: Option<Id<Organization>>,
    /// What it is worth. `Stored` has a field `value` of its own.
    #[serde(rename = "value")]
    pub worth: Option<Money>,
    /// The id of its stage in the pipeline.
    pub stage_id: String,
    /// The day on which the sale is expected.
    pub expected_day: Option<Day>,
    /// The member who is responsible for it.
    pub owner_id: Option<MemberId>,
    /// Whether it was won or lost.
    pub outcome: DealOutcome,
    /// When it was won or lost.
    pub closed_at: Option<Timestamp>,
    /// The id of the reason why it was won or lost.
    pub reason_id: Option<String>,
    /// More about the reason.
    pub reason: Option<String>,
    /// Tags in lower case.
    #[serde(default)]
    pub tags: Vec<String>,
    /// A description.
    pub about: Option<String>,
    /// The id in another system.
    pub external_id: Option<String>,
    /// What identified the row of a file that it was imported from.
    pub import_key: Option<String>,
    /// Who can see it besides its author and owner.
    #[serde(default)]
    pub visibility: Visibility,
    /// The members who could see it before its audience became narrower.
    pub former_audience: Option<FormerAudience>,
    /// The last contact, and what comes next.
    #[serde(default, skip_serializing_if = "ContactDates::is_empty")]
    pub contact: ContactDates,
    /// The values of custom fields.
    #[serde(default, skip_serializing_if = "FieldValues::is_empty")]
    pub fields: FieldValues,
}

impl Record for Deal {
    type Key = Self;
    const KIND: &'static str = "deal";
    const TABLE: u16 = 59;
    const HISTORY: Option<History> =
        Some(History { except: &["formerAudience", "contact", "importKey"], in_parts: &["fields"] });
    fn lookups(record: &Stored<Self>, out: &mut Lookups) {
        if let Some(customer) = record.customer_id {
            out.multi(BY_CUSTOMER, customer.as_bytes());
        }
        if let Some(organization) = record.organization_id {
            out.multi(BY_ORGANIZATION, organization.as_bytes());
        }
        out.multi(BY_STAGE, &record.stage_id);
        if let Some(id) = &record.external_id {
            out.unique_if(record.visibility.is_company(), BY_EXTERNAL_ID, "externalId", id);
        }
        for key in import_keys(record.import_key.as_ref()) {
            out.multi(BY_IMPORT_KEY, key);
        }
    }
    fn counters(record: &Stored<Self>, out: &mut Counters) {
        if record.visibility.is_company() {
            out.add("deals/company", 1);
        }
    }
    fn document(record: &Stored<Self>) -> Option<Document> {
        Some(Document {
            keywords: FieldText::of("tags", &record.tags)
                .chain(FieldText::of("externalId", record.external_id.as_deref()))
                .collect(),
            body: FieldText::of("about", record.about.as_deref())
                .chain(FieldText::of("reason", record.reason.as_deref()))
                .collect(),
            ..record.document(Heading::Deals, &record.title)
        })
    }
    /// Change feed entries of deals that not all members see have no title.
    fn title(&self) -> Option<String> {
        self.visibility.is_company().then(|| self.title.clone())
    }
}
impl TenantRecord for Deal {}

impl Deal {
    /// Returns the members who may see the deal of an author.
    pub(super) fn audience_with(&self, author: Option<MemberId>) -> Audience {
        match self.visibility.audience(author) {
            Audience::People(people) => Audience::People(people.into_iter().chain(self.owner_id).collect()),
            Audience::Company => Audience::Company,
        }
    }

    /// Normalizes all fields.
    pub(super) fn tidy(&mut self) {
        self.title = text::line(&self.title);
        self.tags = text::tags(&self.tags);
        self.about = text::filled(self.about.as_deref().map(text::lines));
        self.reason = text::filled(self.reason.as_deref().map(text::lines));
        self.external_id = text::filled(self.external_id.as_deref().map(text::line));
    }

    /// Drops what belongs to the end of a deal while it is open.
    pub(super) fn drop_reason_of_open(&mut self) {
        if self.outcome == DealOutcome::Open {
            (self.reason_id, self.reason) = (None, None);
        }
    }

    /// Validates everything except references to other records and to the pipeline.
    pub(super) fn check(&self, faults: &mut Faults) {
        faults.required("title", &self.title, 200);
        faults.tags(&self.tags);
        faults.at_most("about", self.about.as_deref().unwrap_or(""), 5_000);
        faults.at_most("reason", self.reason.as_deref().unwrap_or(""), 500);
        faults.at_most("externalId", self.external_id.as_deref().unwrap_or(""), EXTERNAL_ID);
        if let Some(worth) = &self.worth {
            Money::check(worth.amount, &worth.currency, "value", faults);
        }
    }
}
