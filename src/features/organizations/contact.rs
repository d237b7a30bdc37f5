//! E-mail addresses and phone numbers of customers and organizations.

use poem_openapi::Object;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use crate::kernel::{countries::is_country, error::Faults, text};

/// Maximum number of e-mail addresses, and of phone numbers, of a record.
const CHANNELS: usize = 20;

/// An e-mail address of a customer or an organization.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Object)]
#[oai(rename = "EmailAddress", deny_unknown_fields)]
pub struct Email {
    /// The address.
    pub email: String,
    /// A label for the address, such as `Work`.
    #[oai(default)]
    #[serde(default)]
    pub label: String,
}

/// A phone number of a customer or an organization.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Object)]
#[oai(rename = "PhoneNumber", deny_unknown_fields, skip_serializing_if_is_none)]
pub struct Phone {
    /// The country of the number: two letters of ISO 3166-1.
    pub country: Option<String>,
    /// The number, in any common notation.
    #[oai(rename = "phoneNumber")]
    #[serde(rename = "phoneNumber")]
    pub number: String,
    /// A label for the number, such as `Mobile`.
    #[oai(default)]
    #[serde(default)]
    pub label: String,
}

impl Email {
    /// Normalizes addresses.
    pub fn tidy(entries: &mut [Self]) {
        for entry in entries {
            entry.email = text::email(&entry.email).unwrap_or_else(|| text::line(&entry.email));
            entry.label = text::line(&entry.label);
        }
    }

    /// Validates addresses in the field `path`.
    pub fn check(path: &str, entries: &[Self], faults: &mut Faults) {
        faults.few(path, entries.len(), CHANNELS);
        for (at, entry) in entries.iter().enumerate().take(CHANNELS) {
            if text::email(&entry.email).is_none() {
                faults.add(format!("{path}.{at}.email"), "errors.fields.email");
            }
            faults.at_most(&format!("{path}.{at}.label"), &entry.label, 50);
        }
    }
}

impl Phone {
    /// Normalizes phone numbers.
    pub fn tidy(entries: &mut [Self]) {
        for entry in entries {
            let country = entry.country.as_deref().map(|code| code.trim().to_ascii_uppercase());
            entry.country = country.filter(|code| !code.is_empty());
            entry.number = text::line(&entry.number);
            entry.label = text::line(&entry.label);
        }
    }

    /// Validates phone numbers in the field `path`.
    pub fn check(path: &str, entries: &[Self], faults: &mut Faults) {
        faults.few(path, entries.len(), CHANNELS);
        for (at, entry) in entries.iter().enumerate().take(CHANNELS) {
            if entry.country.as_deref().is_some_and(|code| !is_country(code)) {
                faults.add(format!("{path}.{at}.country"), "errors.fields.country");
            }
            if !is_phone(&entry.number) {
                faults.add(format!("{path}.{at}.phoneNumber"), "errors.fields.phone");
            }
            faults.at_most(&format!("{path}.{at}.label"), &entry.label, 50);
        }
    }
}

/// Whether a text is a dialable phone number: at least three digits, and only characters that are common in numbers.
fn is_phone(number: &str) -> bool {
    let known = |c: char| c.is_ascii_alphanumeric() || "+-–()./#*,; ".contains(c);
    number.chars().count() <= 40 && number.chars().all(known) && number.bytes().filter(u8::is_ascii_digit).count() >= 3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_only_dialable_phone_numbers() {
        for good in ["112", "+34 600 555 012", "(020) 7946-0018", "555.0101 ext. 12", "*123#"] {
            assert!(is_phone(good), "{good}");
        }
        for bad in ["", "12", "call me", "600\u{202e}555012", &"1".repeat(41)] {
            assert!(!is_phone(bad), "{bad}");
        }
    }
}
