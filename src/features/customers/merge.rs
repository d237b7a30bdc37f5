//! Duplicates of customers.

use serde_json::{Map, Value};

use super::model::Customer;
use crate::{
    feature::{MergeRecord, MergedField, Profile},
    features::organizations::Phone,
};

impl MergeRecord for Customer {
    const MERGED: &'static [MergedField] = &[
        MergedField::one("name"),
        MergedField::one("avatar"),
        MergedField::one("background"),
        MergedField::one("about"),
        MergedField::one("status"),
        MergedField::list("tags"),
        MergedField::one("ownerId"),
        MergedField::html("notes"),
        MergedField::one("organizationId"),
        MergedField::one("externalId"),
        MergedField::list("details.emails"),
        MergedField::list("details.phoneNumbers"),
        MergedField::one("details.title"),
        MergedField::one("details.company"),
        MergedField::one("details.birthday"),
        MergedField::one("details.address"),
        MergedField::list("attachments.media"),
        MergedField::list("attachments.docs"),
        MergedField::list("attachments.links"),
    ];

    /// Many people have the same name.
    const SAME_NAME: u8 = 45;

    fn named(name: &str) -> Profile {
        Profile::of_person(name)
    }

    fn profile(&self) -> Profile {
        let details = &self.details;
        Profile {
            emails: details.emails.iter().map(|email| email.email.clone()).collect(),
            phones: details.phone_numbers.iter().map(Phone::key_and_text).collect(),
            company: details.company.clone(),
            birthday: details.birthday,
            external_id: self.external_id.clone(),
            ..Self::named(&self.name)
        }
    }

    /// The company of a customer who belongs to an organization is the organization's name.
    fn fit_merged(values: &mut Map<String, Value>, kept: &Value) {
        let organization = values.get("organizationId").or_else(|| kept.get("organizationId"));
        if organization.is_none_or(Value::is_null) {
            return;
        }
        if let Some(details) = values.get_mut("details").and_then(Value::as_object_mut) {
            details.remove("company");
        }
    }
}
