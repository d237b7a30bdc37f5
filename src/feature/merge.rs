//! Duplicates of a kind: what is compared of its records, and which fields are combined when two become one.

use std::collections::BTreeSet;

use serde_json::{Map, Value};
use uuid::Uuid;

use super::ExchangeRecord;
use crate::{
    kernel::{Birthday, Id, Result, Timestamp, text},
    people::permission::Reader,
    store::{Scan, Stored, TenantRead},
};

/// Names of companies do not differ by these words.
const LEGAL_FORMS: [&str; 26] = [
    "ab", "ag", "bv", "co", "corp", "eg", "eu", "gmbh", "inc", "kft", "kg", "limited", "llc", "llp", "ltd", "nv", "oy",
    "plc", "pty", "sa", "sarl", "sas", "sl", "slu", "spa", "srl",
];
/// Maximum words of a name that are compared.
const MAX_WORDS: usize = 12;

/// A kind whose records are merged.
pub trait MergeRecord: ExchangeRecord {
    /// The fields that a merge combines, besides the custom fields.
    const MERGED: &'static [MergedField];

    /// How much the same name says, of 100.
    const SAME_NAME: u8;

    /// Returns a profile with a name of the kind.
    fn named(name: &str) -> Profile;

    /// What is compared of the record.
    fn profile(&self) -> Profile;

    /// Takes out of the combined values what does not fit the others. `kept` is the record that is kept, as calls show
    /// it.
    fn fit_merged(_values: &mut Map<String, Value>, _kept: &Value) {}
}

/// A field that a merge combines.
#[derive(Clone, Copy, Debug)]
pub struct MergedField {
    /// Where calls show it, such as `details.title`.
    pub path: &'static str,
    /// How two values are combined.
    pub value: MergedValue,
}

impl MergedField {
    /// Describes a field with one value.
    pub const fn one(path: &'static str) -> Self {
        Self { path, value: MergedValue::One }
    }

    /// Describes a list, such as tags.
    pub const fn list(path: &'static str) -> Self {
        Self { path, value: MergedValue::List }
    }

    /// Describes a text with formatting.
    pub const fn html(path: &'static str) -> Self {
        Self { path, value: MergedValue::Html }
    }
}

/// How two values of a field are combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MergedValue {
    /// One of them is taken.
    One,
    /// The lists are united.
    List,
    /// The texts are joined.
    Html,
}

/// What is compared of a record to find its duplicates.
#[derive(Clone, Debug, Default)]
pub struct Profile {
    /// The name.
    pub name: String,
    /// Its words, folded and sorted.
    pub words: Vec<String>,
    /// Normalized e-mail addresses.
    pub emails: Vec<String>,
    /// Keys of phone numbers, each with the number as it is shown.
    pub phones: Vec<(String, String)>,
    /// The company that a person works for.
    pub company: Option<String>,
    /// The date of birth.
    pub birthday: Option<Birthday>,
    /// The host of the website.
    pub website: Option<String>,
    /// The id in another system.
    pub external_id: Option<String>,
}

impl Profile {
    /// Returns a profile with the name of a person.
    pub fn of_person(name: &str) -> Self {
        Self { name: name.to_owned(), words: words(&text::fold(name)), ..Self::default() }
    }

    /// Returns a profile with the name of a company.
    pub fn of_company(name: &str) -> Self {
        let mut words = words(&text::fold(name).replace('.', ""));
        let has_other = words.iter().any(|word| !LEGAL_FORMS.contains(&word.as_str()));
        words.retain(|word| !has_other || !LEGAL_FORMS.contains(&word.as_str()));
        Self { name: name.to_owned(), words, ..Self::default() }
    }

    /// Returns the words of the name as they follow each other; a part after a comma is first.
    pub fn words_in_order(&self) -> Vec<String> {
        let folded = text::fold(&self.name);
        let in_order = match folded.split_once(',') {
            Some((last, first)) => format!("{first} {last}"),
            None => folded,
        };
        let mut words: Vec<String> = Vec::new();
        for word in split_words(&in_order) {
            if self.words.iter().any(|known| known == word) && !words.iter().any(|known| known == word) {
                words.push(word.to_owned());
            }
        }
        words
    }

    /// Sets the website; its host is compared.
    #[must_use]
    pub fn with_website(mut self, address: Option<&str>) -> Self {
        self.website = address.and_then(host);
        self
    }
}

/// Returns the words of a folded name, each once, sorted.
fn words(folded: &str) -> Vec<String> {
    split_words(folded).map(str::to_owned).collect::<BTreeSet<_>>().into_iter().collect()
}

/// Returns the words of a folded name that are compared.
fn split_words(folded: &str) -> impl Iterator<Item = &str> {
    folded.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).take(MAX_WORDS)
}

/// Returns the host of an address of the web without `www.`, in lower case.
pub fn host(address: &str) -> Option<String> {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let host = rest.split(['/', '?', '#', ':']).next().unwrap_or_default().trim().to_lowercase();
    let host = host.strip_prefix("www.").unwrap_or(&host);
    (!host.is_empty()).then(|| host.to_owned())
}

/// A record with what is compared of it.
#[derive(Clone, Debug)]
pub struct Profiled {
    /// Its id.
    pub id: Uuid,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
    /// What is compared.
    pub profile: Profile,
}

impl Profiled {
    fn of<R: MergeRecord>(record: &Stored<R>) -> Self {
        Self {
            id: record.id.uuid(),
            created_at: record.created_at,
            updated_at: record.updated_at,
            profile: record.profile(),
        }
    }
}

/// Visits a record.
pub type VisitProfile<'a> = dyn FnMut(Profiled) -> Result<()> + 'a;

/// How duplicates of a kind are found and merged.
#[derive(Clone, Copy, Debug)]
pub struct MergeOps {
    /// The fields that a merge combines, besides the custom fields.
    pub fields: &'static [MergedField],
    /// How much the same name says, of 100.
    pub same_name: u8,
    /// Returns a profile with a name.
    pub named: fn(&str) -> Profile,
    /// Returns what is compared of a record; `None` when the reader may not see it.
    pub profile: fn(&TenantRead<'_>, Reader, Uuid) -> Result<Option<Profiled>>,
    /// Returns the records with one of the e-mail addresses or phone numbers, or the name: at most `limit` of each.
    pub candidates: fn(&TenantRead<'_>, &Profile, usize) -> Result<Vec<Uuid>>,
    /// Visits all undamaged records.
    pub each: fn(&TenantRead<'_>, &mut VisitProfile<'_>) -> Result<u64>,
    /// Counts the records.
    pub count: fn(&TenantRead<'_>) -> Result<u64>,
    /// Takes out of the combined values what does not fit the others.
    pub fit: fn(&mut Map<String, Value>, &Value),
}

impl MergeOps {
    /// Returns the operations of a kind.
    pub(super) const fn of<R: MergeRecord>() -> Self {
        Self {
            fields: R::MERGED,
            same_name: R::SAME_NAME,
            named: R::named,
            profile: profile::<R>,
            candidates: candidates::<R>,
            each: |tx, visit| tx.each::<R>(|record| visit(Profiled::of(&record))),
            count: |tx| tx.count::<R>(),
            fit: R::fit_merged,
        }
    }
}

fn profile<R: MergeRecord>(tx: &TenantRead<'_>, reader: Reader, id: Uuid) -> Result<Option<Profiled>> {
    let found = tx.find_intact::<R>(Id::from(id))?.filter(|record| R::is_visible_to(record, reader));
    Ok(found.map(|record| Profiled::of(&record)))
}

fn candidates<R: MergeRecord>(tx: &TenantRead<'_>, profile: &Profile, limit: usize) -> Result<Vec<Uuid>> {
    let emails = profile.emails.iter().map(|email| (R::KEYS.email, email.clone()));
    let phones = profile.phones.iter().map(|(key, _)| (R::KEYS.phone, key.clone()));
    let name = text::fold(&profile.name);
    let name = Some(name).filter(|name| !name.is_empty()).map(|name| (R::KEYS.name, name));
    let mut found = Vec::new();
    for (index, value) in emails.chain(phones).chain(name) {
        let Some(index) = index else { continue };
        let page = tx.page::<R>(&Scan::with(index, value).limit(limit), |_| true)?;
        found.extend(page.items.iter().map(|record| record.id.uuid()));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_compared_by_their_words() {
        assert_eq!(Profile::of_person("García  López, Ana").words, ["ana", "garcia", "lopez"]);
        assert_eq!(Profile::of_company("Ferretería Sol, S.L.").words, Profile::of_company("FERRETERIA SOL SL").words);
        assert_eq!(Profile::of_person("García López, Ana").words_in_order(), ["ana", "garcia", "lopez"]);
        assert_eq!(Profile::of_company("Sol Ferretería, S.L.").words_in_order(), ["sol", "ferreteria"]);
        assert_eq!(Profile::of_company("Co. KG").words, ["co", "kg"]);
        assert_eq!(Profile::of_person("…").words, Vec::<String>::new());
    }

    #[test]
    fn websites_are_compared_by_their_host() {
        let website = |address| Profile::default().with_website(Some(address)).website;
        assert_eq!(website("https://www.Acme.example/about").as_deref(), Some("acme.example"));
        assert_eq!(website("acme.example:8080?x").as_deref(), Some("acme.example"));
        assert_eq!(website(" "), None);
    }
}
