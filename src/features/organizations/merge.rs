//! Duplicates of organizations.

use super::{contact::Phone, model::Organization};
use crate::feature::{MergeRecord, MergedField, Profile};

impl MergeRecord for Organization {
    const MERGED: &'static [MergedField] = &[
        MergedField::one("name"),
        MergedField::one("logo"),
        MergedField::one("about"),
        MergedField::list("tags"),
        MergedField::one("ownerId"),
        MergedField::list("emails"),
        MergedField::list("phoneNumbers"),
        MergedField::one("website"),
        MergedField::one("address"),
        MergedField::one("externalId"),
    ];

    const SAME_NAME: u8 = 60;

    fn named(name: &str) -> Profile {
        Profile::of_company(name)
    }

    fn profile(&self) -> Profile {
        let profile = Profile {
            emails: self.emails.iter().map(|email| email.email.clone()).collect(),
            phones: self.phone_numbers.iter().map(Phone::key_and_text).collect(),
            external_id: self.external_id.clone(),
            ..Self::named(&self.name)
        };
        profile.with_website(self.website.as_deref())
    }
}
