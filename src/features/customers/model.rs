//! The customer record with contact details and attachments, and its validation.

use std::collections::BTreeSet;

use poem_openapi::Object;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use crate::{
    feature::{EXTERNAL_ID, FieldValues, contact::ContactDates, import_keys},
    features::{
        files::FileRecord,
        organizations::{Email, MAX_NAME, Organization, Phone, index_channels},
    },
    kernel::{
        Birthday, Document, FieldText, Heading, Id, MemberId, Result, Timestamp,
        error::Faults,
        html::{self, Tags},
        media::{media_in, media_of},
        text,
    },
    store::{Counters, History, Lookups, Record, Stored, TenantRecord},
};

/// Index of customers by folded name.
pub(super) const BY_NAME: u16 = 1_100;
/// Index of customers by the time of their last change.
pub const BY_CHANGE: u16 = 1_101;
/// Index of customers by status.
pub(super) const BY_STATUS: u16 = 1_102;
/// Index of customers by owner.
pub(super) const BY_OWNER: u16 = 1_103;
/// Index of customers by tag.
pub(super) const BY_TAG: u16 = 1_104;
/// Index of customers by organization.
pub(super) const BY_ORGANIZATION: u16 = 1_105;
/// Index of customers by e-mail address.
pub(super) const BY_EMAIL: u16 = 1_112;
/// Index of customers by phone number.
pub(super) const BY_PHONE: u16 = 1_113;
/// Index of customers by their id in another system.
pub(super) const BY_EXTERNAL_ID: u16 = 1_114;
/// Index of customers by what identified the row that they were imported from.
pub(super) const BY_IMPORT_KEY: u16 = 1_260;
/// Index of customers by the uploaded files that they show.
pub(super) const BY_FILE: u16 = 1_278;

/// The level of customers, whose changes are kept over time.
pub const CUSTOMERS_LEVEL: &str = "customers";

/// Maximum number of attachments of one kind of a customer.
pub(super) const ATTACHMENTS: usize = 100;
/// Maximum length of the notes' HTML in characters.
const NOTES: usize = 50_000;
/// URL schemes that a link may have.
const SCHEMES: [&str; 4] = ["http", "https", "mailto", "tel"];

/// Contact details of a customer.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Object)]
#[oai(rename = "CustomerDetails", rename_all = "camelCase", deny_unknown_fields, skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct Details {
    /// E-mail addresses, the preferred one first.
    #[oai(default)]
    #[serde(default)]
    pub emails: Vec<Email>,
    /// Phone numbers, the preferred one first.
    #[oai(default)]
    #[serde(default)]
    pub phone_numbers: Vec<Phone>,
    /// Job title.
    pub title: Option<String>,
    /// The company that the customer works for. With an `organizationId`, the name of the organization.
    pub company: Option<String>,
    /// Date of birth: `YYYY-MM-DD`, or `--MM-DD` if the year is unknown.
    pub birthday: Option<Birthday>,
    /// Postal address with several lines.
    pub address: Option<String>,
}

/// An uploaded file or a link that is attached to a customer.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Object)]
#[oai(rename = "Attachment", deny_unknown_fields, skip_serializing_if_is_none)]
pub struct Attachment {
    /// The file's id; absent for links. Set by the server.
    pub id: Option<Id<FileRecord>>,
    /// The `url` of an uploaded file, or for links an http, https, mailto or tel URL.
    pub url: String,
    /// The name; for files, the file's own name by default.
    pub name: Option<String>,
    /// The file's size in bytes. Set by the server.
    pub size: Option<u64>,
    /// The file's media type. Set by the server.
    #[oai(rename = "type")]
    #[serde(rename = "type")]
    pub kind: Option<String>,
}

/// The attachments of a customer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Object)]
#[oai(rename = "Attachments", deny_unknown_fields)]
pub struct Attachments {
    /// Pictures.
    #[oai(default)]
    #[serde(default)]
    pub media: Vec<Attachment>,
    /// Documents.
    #[oai(default)]
    #[serde(default)]
    pub docs: Vec<Attachment>,
    /// Links.
    #[oai(default)]
    #[serde(default)]
    pub links: Vec<Attachment>,
}

/// A person or company that the tenant deals with.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Customer {
    /// The name.
    pub name: String,
    /// URL of a picture.
    pub avatar: Option<String>,
    /// URL of a wide picture.
    pub background: Option<String>,
    /// A short description.
    pub about: Option<String>,
    /// The id of the status.
    pub status: String,
    /// Tags in lower case.
    #[serde(default)]
    pub tags: Vec<String>,
    /// The member who is responsible for the customer.
    pub owner_id: Option<MemberId>,
    /// Notes: sanitized HTML.
    pub notes: Option<String>,
    /// The organization that the customer belongs to.
    pub organization_id: Option<Id<Organization>>,
    /// The id in another system.
    pub external_id: Option<String>,
    /// What identified the row of a file that it was imported from.
    pub import_key: Option<String>,
    /// Contact details.
    #[serde(default)]
    pub details: Details,
    /// Attachments.
    #[serde(default)]
    pub attachments: Attachments,
    /// The last contact, and what comes next.
    #[serde(default, skip_serializing_if = "ContactDates::is_empty")]
    pub contact: ContactDates,
    /// The values of custom fields.
    #[serde(default, skip_serializing_if = "FieldValues::is_empty")]
    pub fields: FieldValues,
}

impl Customer {
    /// Returns the media ids of the uploaded files that it shows.
    fn files(&self) -> BTreeSet<&str> {
        let attached = self.attachments.media.iter().chain(&self.attachments.docs).map(|one| one.url.as_str());
        let urls = self.avatar.as_deref().into_iter().chain(self.background.as_deref()).chain(attached);
        let in_notes = self.notes.as_deref().into_iter().flat_map(media_in);
        urls.filter_map(media_of).chain(in_notes).collect()
    }
}

impl Record for Customer {
    type Key = Self;
    const KIND: &'static str = "customer";
    const TABLE: u16 = 30;
    const HISTORY: Option<History> =
        Some(History { except: &["contact", "importKey"], in_parts: &["details", "attachments", "fields"] });
    fn admit(&mut self) -> bool {
        let links = self.attachments.links.len();
        self.attachments.links.retain(|link| text::is_parsed_address(&link.url, &SCHEMES));
        let notes = self.notes.as_mut().is_some_and(|notes| html::clean_again(notes, Tags::Rich, NOTES));
        notes || self.attachments.links.len() < links
    }
    fn lookups(record: &Stored<Self>, out: &mut Lookups) {
        out.multi(BY_NAME, name_place(record));
        out.multi(BY_CHANGE, change_place(record));
        out.multi(BY_STATUS, &record.status);
        if let Some(owner) = record.owner_id {
            out.multi(BY_OWNER, owner.as_bytes());
        }
        if let Some(organization) = record.organization_id {
            out.multi(BY_ORGANIZATION, organization.as_bytes());
        }
        for tag in &record.tags {
            out.multi(BY_TAG, tag);
        }
        index_channels(&record.details.emails, &record.details.phone_numbers, (BY_EMAIL, BY_PHONE), out);
        if let Some(id) = &record.external_id {
            out.unique(BY_EXTERNAL_ID, "externalId", id);
        }
        for key in import_keys(record.import_key.as_ref()) {
            out.multi(BY_IMPORT_KEY, key);
        }
        for media in record.files() {
            out.multi(BY_FILE, media);
        }
    }
    fn counters(record: &Stored<Self>, out: &mut Counters) {
        out.add("customers/total", 1);
        out.add(status_figure(&record.status), 1);
        if let Some(owner) = record.owner_id {
            out.add(owner_figure(owner), 1);
        }
        for tag in &record.tags {
            out.add(tag_figure(tag), 1);
        }
    }
    fn levels(_: &Stored<Self>, _: Timestamp) -> Option<Vec<(String, i64)>> {
        Some(vec![(CUSTOMERS_LEVEL.to_owned(), 1)])
    }
    fn document(record: &Stored<Self>) -> Option<Document> {
        let details = &record.details;
        let title = FieldText::of("title", details.title.as_deref());
        let emails = FieldText::of("email", details.emails.iter().flat_map(Email::spellings));
        let external_id = FieldText::of("externalId", record.external_id.as_deref());
        let about = FieldText::of("about", record.about.as_deref());
        let notes = FieldText::of("notes", record.notes.as_deref().map(html::plain));
        let files = record.attachments.media.iter().chain(&record.attachments.docs);
        let files = FieldText::of("file", files.filter_map(|file| file.name.as_deref()));
        Some(Document {
            subtitle: title.chain(FieldText::of("company", details.company.as_deref())).collect(),
            keywords: emails
                .chain(Phone::texts(&details.phone_numbers))
                .chain(FieldText::of("tags", &record.tags))
                .chain(external_id)
                .collect(),
            body: about.chain(notes).chain(files).collect(),
            avatar: record.avatar.clone(),
            ..record.document(Heading::Contacts, &record.name)
        })
    }
    fn title(&self) -> Option<String> {
        Some(self.name.clone())
    }
}
impl TenantRecord for Customer {}

/// Returns a customer's sort key by name.
pub(super) fn name_place(record: &Stored<Customer>) -> Vec<u8> {
    text::fold(&record.name).into_bytes()
}

/// Returns a customer's sort key by last change.
pub(super) fn change_place(record: &Stored<Customer>) -> Vec<u8> {
    record.updated_at.millis().to_be_bytes().to_vec()
}

/// Returns the name of the counter of a status.
pub fn status_figure(status: &str) -> String {
    format!("customers/status/{status}")
}

/// Returns the name of the counter of a tag.
pub(super) fn tag_figure(tag: &str) -> String {
    format!("customers/tag/{tag}")
}

/// Returns the name of the counter of an owner's customers.
pub(super) fn owner_figure(owner: MemberId) -> String {
    format!("customers/owner/{owner}")
}

/// Sanitizes notes; empty ones become `None`. Takes longer than a millisecond for long ones.
/// Errors: `invalid` when they are longer than 50,000 characters or nested too deep.
pub fn clean_notes(notes: &str) -> Result<Option<String>> {
    let mut faults = Faults::default();
    let clean = html::clean(notes, Tags::Rich, NOTES, "notes", &mut faults);
    faults.into_result().map(|()| text::filled(Some(clean.trim().to_owned())))
}

impl Customer {
    /// Normalizes all fields except the notes: sanitizing those takes too long for the writer thread.
    pub(super) fn tidy(&mut self) {
        self.name = text::line(&self.name);
        self.about = text::filled(self.about.as_deref().map(text::lines));
        self.tags = text::tags(&self.tags);
        self.avatar = text::filled(self.avatar.take());
        self.background = text::filled(self.background.take());
        self.external_id = text::filled(self.external_id.as_deref().map(text::line));
        let details = &mut self.details;
        Email::tidy(&mut details.emails);
        details.title = text::filled(details.title.as_deref().map(text::line));
        details.company = text::filled(details.company.as_deref().map(text::line));
        details.address = text::filled(details.address.as_deref().map(text::lines));
        let Attachments { media, docs, links } = &mut self.attachments;
        for entry in media.iter_mut().chain(docs).chain(links) {
            entry.name = text::filled(entry.name.as_deref().map(text::line));
        }
    }

    /// Validates everything except references to other records. Values that `before` has are accepted also where only earlier
    /// versions allowed them.
    pub(super) fn check(&self, before: Option<&Self>, faults: &mut Faults) {
        faults.required("name", &self.name, 200);
        faults.at_most("about", self.about.as_deref().unwrap_or(""), 5_000);
        faults.tags(&self.tags);
        faults.at_most("externalId", self.external_id.as_deref().unwrap_or(""), EXTERNAL_ID);
        self.details.check(before.map(|before| &before.details), faults);
        let Attachments { media, docs, links } = &self.attachments;
        for (path, entries) in [("media", media), ("docs", docs), ("links", links)] {
            faults.few(&format!("attachments.{path}"), entries.len(), ATTACHMENTS);
            for (at, entry) in entries.iter().enumerate().take(ATTACHMENTS) {
                faults.at_most(&format!("attachments.{path}.{at}.name"), entry.name.as_deref().unwrap_or(""), 200);
            }
        }
        for (at, link) in links.iter().enumerate().take(ATTACHMENTS) {
            let was_there = before.is_some_and(|before| before.attachments.has_link(&link.url));
            let is_address = if was_there { text::is_parsed_address } else { text::is_address };
            if !is_address(&link.url, &SCHEMES) {
                faults.add(format!("attachments.links.{at}.url"), "errors.fields.link");
            }
        }
    }
}

impl Attachments {
    fn has_link(&self, url: &str) -> bool {
        self.links.iter().any(|link| link.url == url)
    }
}

impl Details {
    fn check(&self, before: Option<&Self>, faults: &mut Faults) {
        Email::check("details.emails", &self.emails, faults);
        let known = before.map(|before| before.phone_numbers.as_slice()).unwrap_or_default();
        Phone::check("details.phoneNumbers", &self.phone_numbers, known, faults);
        faults.at_most("details.title", self.title.as_deref().unwrap_or(""), 200);
        faults.at_most("details.company", self.company.as_deref().unwrap_or(""), MAX_NAME);
        faults.at_most("details.address", self.address.as_deref().unwrap_or(""), 500);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(mut customer: Customer) -> Result<Customer> {
        customer.tidy();
        let mut faults = Faults::default();
        customer.check(None, &mut faults);
        faults.into_result().map(|()| customer)
    }

    fn faulty(customer: Customer) -> Vec<(String, &'static str)> {
        let error = checked(customer).unwrap_err();
        error.fields().iter().map(|(path, words)| (path.clone(), words.key)).collect()
    }

    fn ada() -> Customer {
        Customer { name: "Ada".into(), ..Customer::default() }
    }

    #[test]
    fn normalizes_customer_fields() {
        let mut customer = ada();
        customer.name = "  Ada \t Lovelace ".into();
        customer.tags = vec!["VIP".into(), "vip ".into(), " ".into()];
        customer.about = Some("  ".into());
        customer.details.emails = vec![Email { email: " Ada@ACME.example".into(), label: " Work ".into() }];
        customer.details.phone_numbers = vec![Phone::new(Some("es"), "+34 600 555 012", "")];
        let kept = checked(customer).unwrap();
        assert_eq!((kept.name.as_str(), kept.tags.as_slice()), ("Ada Lovelace", &["vip".to_owned()][..]));
        assert_eq!(kept.about, None);
        assert_eq!(kept.details.emails, [Email { email: "ada@acme.example".into(), label: "Work".into() }]);
        assert_eq!(kept.details.phone_numbers[0].country.as_deref(), Some("ES"));
    }

    // The kind of fault: a rule for new values makes records uneditable that earlier versions kept.
    #[test]
    fn values_of_an_earlier_version_stay() {
        let link = |url: &str| Attachment { url: url.into(), ..Attachment::default() };
        let mut old = ada();
        old.details.phone_numbers = vec![Phone::new(None, "6,00111E+08", "")];
        old.attachments.links = vec![link("http:///acme.example")];
        let mut new = Customer { about: Some("Changed".into()), ..old.clone() };
        let faulty = |new: &Customer, before: Option<&Customer>| {
            let mut faults = Faults::default();
            new.check(before, &mut faults);
            faults.into_result().err().map_or(0, |error| error.fields().len())
        };
        assert_eq!(faulty(&new, Some(&old)), 0);
        assert_eq!(faulty(&new, None), 2, "both are refused as new values");
        new.attachments.links.push(link("http:///other.example"));
        assert_eq!(faulty(&new, Some(&old)), 1);
    }

    #[test]
    fn reports_every_invalid_field() {
        let mut customer = ada();
        customer.name = " ".into();
        customer.about = Some("x".repeat(5_001));
        customer.tags = (0..31).map(|n| n.to_string()).collect();
        customer.details.emails = vec![Email::default(), Email { email: "ada".into(), label: "x".repeat(51) }];
        customer.details.phone_numbers = vec![Phone::new(Some("UK"), "call me", "")];
        customer.attachments.links = vec![Attachment { url: "javascript:alert(1)".into(), ..Attachment::default() }];
        assert_eq!(
            faulty(customer),
            [
                ("name".to_owned(), "errors.fields.required"),
                ("about".to_owned(), "errors.fields.too_long"),
                ("tags".to_owned(), "errors.fields.too_many"),
                ("details.emails.0.email".to_owned(), "errors.fields.email"),
                ("details.emails.1.email".to_owned(), "errors.fields.email"),
                ("details.emails.1.label".to_owned(), "errors.fields.too_long"),
                ("details.phoneNumbers.0.country".to_owned(), "errors.fields.country"),
                ("details.phoneNumbers.0.phoneNumber".to_owned(), "errors.fields.phone"),
                ("attachments.links.0.url".to_owned(), "errors.fields.link"),
            ]
        );
    }
}
