//! E-mail addresses and phone numbers of customers and organizations.

use poem_openapi::Object;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use crate::{
    kernel::{FieldText, countries::is_country, error::Faults, phone, text},
    store::Lookups,
};

/// Maximum number of e-mail addresses, and of phone numbers, of a record.
const CHANNELS: usize = 20;

/// An e-mail address of a customer or an organization.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Object)]
#[oai(rename = "EmailAddress", deny_unknown_fields)]
pub struct Email {
    /// The address.
    #[serde(serialize_with = "text::serialize_email")]
    pub email: String,
    /// A label for the address, such as `Work`.
    #[oai(default)]
    #[serde(default)]
    pub label: String,
}

impl Email {
    /// Returns the address as it is kept, and as people write it where that differs: it is found by both.
    pub fn spellings(&self) -> impl Iterator<Item = String> {
        text::spellings_of_email(&self.email)
    }
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
    /// The number in E.164, if it is valid. Set by the server.
    pub e164: Option<String>,
    /// The number as it is written abroad. Set by the server.
    pub international: Option<String>,
    /// The number as it is written in its country. Set by the server.
    pub national: Option<String>,
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
    /// Returns a number with its forms.
    pub fn new(country: Option<&str>, number: &str, label: &str) -> Self {
        let country = country.map(str::to_owned);
        let mut phone = Self { country, number: number.to_owned(), label: label.to_owned(), ..Self::default() };
        phone.complete_in(None);
        phone
    }

    /// Normalizes phone numbers and sets their forms; `country` is that of numbers without one. Can take milliseconds, so
    /// it is done before a write.
    pub fn complete(entries: &mut [Self], country: impl FnOnce() -> String) {
        let usual = if entries.iter().any(|entry| entry.country.is_none()) { Some(country()) } else { None };
        for entry in entries.iter_mut().take(CHANNELS) {
            entry.complete_in(usual.as_deref());
        }
    }

    fn complete_in(&mut self, usual: Option<&str>) {
        self.number = text::line(&self.number);
        self.label = text::line(&self.label);
        let country = self.country.as_deref().map(|code| code.trim().to_ascii_uppercase());
        self.country = country.filter(|code| !code.is_empty());
        let forms = phone::forms(&self.number, self.country.as_deref().or(usual));
        let (country, e164, international, national) = forms.map_or_else(Default::default, |forms| {
            (forms.country, Some(forms.e164), Some(forms.international), Some(forms.national))
        });
        self.e164 = e164;
        self.international = international;
        self.national = national;
        self.country = country.or_else(|| self.country.take());
    }

    /// Returns what search finds of phone numbers: what was typed, and the forms that have other digits.
    pub fn texts(entries: &[Self]) -> impl Iterator<Item = FieldText> + '_ {
        FieldText::of("phone", entries.iter().flat_map(Self::spellings))
    }

    /// Returns what was typed, and the forms of the number that have other digits.
    fn spellings(&self) -> Vec<&str> {
        let mut known = vec![self.number.as_str()];
        for form in [&self.international, &self.national].into_iter().flatten() {
            let digits = phone::digits(form);
            if known.iter().all(|text| phone::digits(text) != digits) {
                known.push(form);
            }
        }
        known
    }

    /// Returns what lists filter by: what was typed, and E.164.
    pub fn columns(&self) -> impl Iterator<Item = &String> {
        [&self.number].into_iter().chain(&self.e164)
    }

    /// Returns what finds the number exactly: E.164, or without it the digits.
    pub fn key(&self) -> String {
        self.e164.clone().unwrap_or_else(|| phone::digits(&self.number))
    }

    /// Returns what finds the number exactly, and the number as it is written abroad.
    pub fn key_and_text(&self) -> (String, String) {
        (self.key(), self.international.clone().unwrap_or_else(|| self.number.clone()))
    }

    /// Whether a text is a phone number that can be dialed: not what spreadsheets make of long numbers, `6,00111E+08`,
    /// whose last digits are lost.
    pub fn is_dialable(number: &str) -> bool {
        let number = text::line(number);
        is_phone(&number) && !is_exponential(&number)
    }

    /// Validates phone numbers in the field `path`. A number that the record has `before` may be one that spreadsheets
    /// spoiled: earlier versions kept those.
    pub fn check(path: &str, entries: &[Self], before: &[Self], faults: &mut Faults) {
        faults.few(path, entries.len(), CHANNELS);
        for (at, entry) in entries.iter().enumerate().take(CHANNELS) {
            if entry.country.as_deref().is_some_and(|code| !is_country(code)) {
                faults.add(format!("{path}.{at}.country"), "errors.fields.country");
            }
            let was_there = before.iter().any(|known| known.number == entry.number);
            if !is_phone(&entry.number) || (is_exponential(&entry.number) && !was_there) {
                faults.add(format!("{path}.{at}.phoneNumber"), "errors.fields.phone");
            }
            faults.at_most(&format!("{path}.{at}.label"), &entry.label, 50);
        }
    }
}

/// Adds the addresses and numbers of a record to the indexes `by_email` and `by_phone`.
pub fn index_channels(emails: &[Email], phones: &[Phone], (by_email, by_phone): (u16, u16), out: &mut Lookups) {
    for email in emails {
        out.multi(by_email, &email.email);
    }
    for phone in phones {
        out.multi(by_phone, phone.key());
    }
}

/// Whether a text looks like a phone number: at least three digits, and only characters that are common in numbers.
fn is_phone(number: &str) -> bool {
    let known = |c: char| c.is_ascii_alphanumeric() || "+-–()./#*,; ".contains(c);
    number.chars().count() <= phone::MAX_CHARS
        && number.chars().all(known)
        && number.bytes().filter(u8::is_ascii_digit).count() >= 3
}

/// Whether a text is a number in the notation of spreadsheets for very large ones.
fn is_exponential(number: &str) -> bool {
    let Some((number, exponent)) = number.trim().split_once(['e', 'E']) else { return false };
    let is_number = |text: &str| text.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | ','));
    let exponent = exponent.strip_prefix('+').unwrap_or(exponent);
    is_number(number) && !exponent.is_empty() && exponent.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_only_dialable_phone_numbers() {
        for good in ["112", "+34 600 555 012", "(020) 7946-0018", "555.0101 ext. 12", "*123#"] {
            assert!(Phone::is_dialable(good), "{good}");
        }
        for bad in ["", "12", "call me", "6,00111E+08", "3.46e10", &"1".repeat(41)] {
            assert!(!Phone::is_dialable(bad), "{bad}");
        }
        assert!(!is_phone("600\u{202e}555012"));
    }

    // The kind of fault: a rule for new values makes records uneditable that earlier versions kept.
    #[test]
    fn a_spoiled_number_stays_where_it_was_and_is_refused_elsewhere() {
        let spoiled = [Phone::new(None, "6,00111E+08", "")];
        let is_accepted = |before: &[Phone]| {
            let mut faults = Faults::default();
            Phone::check("phoneNumbers", &spoiled, before, &mut faults);
            faults.into_result().is_ok()
        };
        assert!(is_accepted(&spoiled));
        assert!(!is_accepted(&[]));
        assert!(!is_accepted(&[Phone::new(None, "600 111 000", "")]));
    }
}
