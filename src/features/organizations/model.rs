//! The record of an organization, and its validation.

use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use super::contact::{Email, Phone, index_channels};
use crate::{
    feature::{EXTERNAL_ID, FieldValues, contact::ContactDates, import_keys},
    kernel::{Document, FieldText, Heading, MemberId, error::Faults, media::media_of, text},
    store::{History, Lookups, Record, Stored, TenantRecord},
};

/// Index of organizations by folded name.
pub(super) const BY_NAME: u16 = 1_106;
/// Index of organizations by e-mail address.
pub(super) const BY_EMAIL: u16 = 1_115;
/// Index of organizations by phone number.
pub(super) const BY_PHONE: u16 = 1_116;
/// Index of organizations by their id in another system.
pub(super) const BY_EXTERNAL_ID: u16 = 1_117;
/// Index of organizations by what identified the row that they were imported from.
pub(super) const BY_IMPORT_KEY: u16 = 1_261;
/// Index of organizations by their logos.
pub(super) const BY_FILE: u16 = 1_279;

/// Maximum characters of a name.
pub const MAX_NAME: usize = 200;
/// URL schemes that a website may have.
const SCHEMES: [&str; 2] = ["http", "https"];

/// A firm, authority or household that the tenant deals with.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Organization {
    /// The name.
    pub name: String,
    /// URL of a picture.
    pub logo: Option<String>,
    /// A short description.
    pub about: Option<String>,
    /// Tags in lower case.
    #[serde(default)]
    pub tags: Vec<String>,
    /// The member who is responsible for the organization.
    pub owner_id: Option<MemberId>,
    /// E-mail addresses, the preferred one first.
    #[serde(default)]
    pub emails: Vec<Email>,
    /// Phone numbers, the preferred one first.
    #[serde(default)]
    pub phone_numbers: Vec<Phone>,
    /// The address of its website.
    pub website: Option<String>,
    /// Postal address with several lines.
    pub address: Option<String>,
    /// The id in another system.
    pub external_id: Option<String>,
    /// What identified the row of a file that it was imported from.
    pub import_key: Option<String>,
    /// The last contact, and what comes next.
    #[serde(default, skip_serializing_if = "ContactDates::is_empty")]
    pub contact: ContactDates,
    /// The values of custom fields.
    #[serde(default, skip_serializing_if = "FieldValues::is_empty")]
    pub fields: FieldValues,
}

impl Record for Organization {
    type Key = Self;
    const KIND: &'static str = "organization";
    const TABLE: u16 = 57;
    const HISTORY: Option<History> = Some(History { except: &["contact", "importKey"], in_parts: &["fields"] });
    fn lookups(record: &Stored<Self>, out: &mut Lookups) {
        out.multi(BY_NAME, text::fold(&record.name));
        index_channels(&record.emails, &record.phone_numbers, (BY_EMAIL, BY_PHONE), out);
        if let Some(id) = &record.external_id {
            out.unique(BY_EXTERNAL_ID, "externalId", id);
        }
        for key in import_keys(record.import_key.as_ref()) {
            out.multi(BY_IMPORT_KEY, key);
        }
        if let Some(media) = record.logo.as_deref().and_then(media_of) {
            out.multi(BY_FILE, media);
        }
    }
    fn document(record: &Stored<Self>) -> Option<Document> {
        let emails = FieldText::of("email", record.emails.iter().flat_map(Email::spellings));
        let website = FieldText::of("website", record.website.as_deref());
        Some(Document {
            keywords: emails
                .chain(Phone::texts(&record.phone_numbers))
                .chain(website)
                .chain(FieldText::of("tags", &record.tags))
                .chain(FieldText::of("externalId", record.external_id.as_deref()))
                .collect(),
            body: FieldText::of("about", record.about.as_deref())
                .chain(FieldText::of("address", record.address.as_deref()))
                .collect(),
            avatar: record.logo.clone(),
            ..record.document(Heading::Organizations, &record.name)
        })
    }
    fn title(&self) -> Option<String> {
        Some(self.name.clone())
    }
}
impl TenantRecord for Organization {}

impl Organization {
    /// Normalizes all fields.
    pub(super) fn tidy(&mut self) {
        self.name = text::line(&self.name);
        self.logo = text::filled(self.logo.take());
        self.about = text::filled(self.about.as_deref().map(text::lines));
        self.tags = text::tags(&self.tags);
        Email::tidy(&mut self.emails);
        self.website = text::filled(self.website.as_deref().map(text::web_address));
        self.address = text::filled(self.address.as_deref().map(text::lines));
        self.external_id = text::filled(self.external_id.as_deref().map(text::line));
    }

    /// Validates everything except references to other records. Values that `before` has are accepted also where only earlier
    /// versions allowed them.
    pub(super) fn check(&self, before: Option<&Self>, faults: &mut Faults) {
        faults.required("name", &self.name, MAX_NAME);
        faults.at_most("about", self.about.as_deref().unwrap_or(""), 5_000);
        faults.tags(&self.tags);
        Email::check("emails", &self.emails, faults);
        let known = before.map(|before| before.phone_numbers.as_slice()).unwrap_or_default();
        Phone::check("phoneNumbers", &self.phone_numbers, known, faults);
        let was_there = before.is_some_and(|before| before.website == self.website);
        let is_address = if was_there { text::is_parsed_address } else { text::is_address };
        if self.website.as_deref().is_some_and(|address| !is_address(address, &SCHEMES)) {
            faults.add("website", "errors.fields.link");
        }
        faults.at_most("address", self.address.as_deref().unwrap_or(""), 500);
        faults.at_most("externalId", self.external_id.as_deref().unwrap_or(""), EXTERNAL_ID);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn website_gets_a_scheme_when_it_has_none() {
        let of = |typed: &str| {
            let mut one = Organization { name: "Acme".into(), website: Some(typed.into()), ..Organization::default() };
            one.tidy();
            let mut faults = Faults::default();
            one.check(None, &mut faults);
            faults.into_result().map(|()| one.website)
        };
        assert_eq!(of(" acme.example ").unwrap().as_deref(), Some("https://acme.example"));
        assert_eq!(of("http://acme.example/a?b").unwrap().as_deref(), Some("http://acme.example/a?b"));
        assert_eq!(of("").unwrap(), None);
        // Addresses that browsers read in spite of missing or further slashes.
        for slashes in ["/acme.example", "//acme.example", "https:///acme.example", "https:////acme.example"] {
            assert_eq!(of(slashes).unwrap().as_deref(), Some("https://acme.example"), "{slashes}");
        }
        let bad_slashes = ["http:///acme.example", "https:/acme.example", "\\\\acme.example", "//", "https:////"];
        let bad_schemes = ["javascript:alert(1)", "mailto:a@acme.example", "not an address"];
        for bad in bad_slashes.into_iter().chain(bad_schemes) {
            assert!(of(bad).is_err(), "{bad}");
        }
    }

    // The kind of fault: a rule for new values makes records uneditable that earlier versions kept.
    #[test]
    fn a_website_of_an_earlier_version_stays() {
        let of = |website: &str| Organization {
            name: "Acme".into(),
            website: Some(website.into()),
            ..Organization::default()
        };
        let is_accepted = |website: &str, before: &str| {
            let mut faults = Faults::default();
            of(website).check(Some(&of(before)), &mut faults);
            faults.into_result().is_ok()
        };
        assert!(is_accepted("http:///acme.example", "http:///acme.example"));
        assert!(!is_accepted("http:///acme.example", "http://acme.example"));
        assert!(!is_accepted("javascript:alert(1)", "javascript:alert(1)"));
    }
}
