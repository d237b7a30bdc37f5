//! How much two records look alike.

use poem_openapi::{Enum, Object};
use serde::Serialize;
use serde_with::skip_serializing_none;
use strsim::osa_distance;

use crate::{feature::Profile, kernel::text};

/// The lowest score of two records that may be duplicates.
pub const POSSIBLE: u8 = 45;
/// The highest score.
const CERTAIN: i32 = 100;

const SAME_EMAIL: i32 = 50;
const SAME_PHONE: i32 = 35;
/// A phone number is all that they have in common: just enough for a possible duplicate.
const PHONE_ALONE: i32 = POSSIBLE as i32 - SAME_PHONE;
const SIMILAR_NAME: i32 = 30;
const SAME_COMPANY: i32 = 15;
const SAME_BIRTHDAY: i32 = 15;
const SAME_WEBSITE: i32 = 35;
/// Both can be reached, and in no common way.
const OTHER_CHANNELS: i32 = -10;
const OTHER_BIRTHDAY: i32 = -25;
/// They are two records of another system.
const OTHER_EXTERNAL_ID: i32 = -30;

/// What two records have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Enum)]
#[oai(rename = "DuplicateSign", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub enum Sign {
    /// An e-mail address.
    Email,
    /// A phone number.
    Phone,
    /// The name.
    Name,
    /// The words of the name in another order, such as the last name before the first one.
    SwappedName,
    /// A name that differs in a letter, an initial, or in further words.
    SimilarName,
    /// The company of a person.
    Organization,
    /// The date of birth.
    Birthday,
    /// The website of an organization.
    Website,
}

/// A reason for which two records may be duplicates.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Object)]
#[oai(rename = "DuplicateReason", skip_serializing_if_is_none)]
pub struct Reason {
    /// What they have in common.
    pub reason: Sign,
    /// What it is: an address, a number, a name, a day.
    pub value: Option<String>,
}

/// How much two records look alike, of 100, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Likeness {
    /// From 45 (possible) to 100.
    pub score: u8,
    /// The weightiest first.
    pub reasons: Vec<Reason>,
}

impl Likeness {
    /// Whether a phone number is all that the two have in common.
    pub fn is_phone_alone(&self) -> bool {
        is_phone_alone(&self.reasons)
    }
}

fn is_phone_alone(reasons: &[Reason]) -> bool {
    matches!(reasons, [Reason { reason: Sign::Phone, .. }])
}

/// Compares two stored records; `None` when they do not look alike. `same_name` is how much the same name says. A phone
/// number alone says nothing of two people of one company, who often share that of the company.
pub fn compare(one: &Profile, other: &Profile, same_name: u8) -> Option<Likeness> {
    weigh(one, other, same_name, !is_same_company(one, other))
}

/// Compares what is typed of a new record with a stored one, as `compare` does. A phone number alone is always enough,
/// because an import takes it as the same record, too.
pub fn compare_new(new: &Profile, stored: &Profile, same_name: u8) -> Option<Likeness> {
    weigh(new, stored, same_name, true)
}

fn is_same_company(one: &Profile, other: &Profile) -> bool {
    let both = one.company.as_ref().zip(other.company.as_ref());
    both.is_some_and(|(a, b)| text::fold(a) == text::fold(b))
}

fn weigh(one: &Profile, other: &Profile, same_name: u8, counts_phone_alone: bool) -> Option<Likeness> {
    let mut score = 0;
    let mut reasons = Vec::new();
    let mut add = |points: i32, sign: Sign, value: &str| {
        score += points;
        reasons.push(Reason { reason: sign, value: Some(value.to_owned()).filter(|value| !value.is_empty()) });
    };
    let email = one.emails.iter().find(|email| other.emails.contains(email));
    if let Some(email) = email {
        add(SAME_EMAIL, Sign::Email, email);
    }
    let phone = one.phones.iter().find(|(key, _)| other.phones.iter().any(|(known, _)| known == key));
    if let Some((_, shown)) = phone {
        add(SAME_PHONE, Sign::Phone, shown);
    }
    let names = compare_names(&one.words, &other.words);
    match names {
        Names::Same if one.words_in_order() == other.words_in_order() => {
            add(i32::from(same_name), Sign::Name, &other.name);
        }
        Names::Same => add(i32::from(same_name), Sign::SwappedName, &other.name),
        Names::Similar => add(SIMILAR_NAME, Sign::SimilarName, &other.name),
        Names::Different => {}
    }
    // Colleagues have the company in common, and often its number.
    if names != Names::Different && is_same_company(one, other) {
        add(SAME_COMPANY, Sign::Organization, one.company.as_deref().unwrap_or_default());
    }
    let website = one.website.as_ref().filter(|website| other.website.as_ref() == Some(website));
    if let Some(website) = website {
        add(SAME_WEBSITE, Sign::Website, website);
    }
    let birthdays = one.birthday.zip(other.birthday);
    match birthdays {
        Some((one, other)) if one.agrees_with(other) => add(SAME_BIRTHDAY, Sign::Birthday, &one.to_string()),
        Some(_) => score += OTHER_BIRTHDAY,
        None => {}
    }
    let is_reached = |profile: &Profile| !profile.emails.is_empty() || !profile.phones.is_empty();
    if email.is_none() && phone.is_none() && is_reached(one) && is_reached(other) {
        score += OTHER_CHANNELS;
    }
    if one.external_id.as_ref().zip(other.external_id.as_ref()).is_some_and(|(a, b)| a != b) {
        score += OTHER_EXTERNAL_ID;
    }
    if counts_phone_alone && is_phone_alone(&reasons) {
        score += PHONE_ALONE;
    }
    let score = u8::try_from(score.clamp(0, CERTAIN)).unwrap_or_default();
    (score >= POSSIBLE).then_some(Likeness { score, reasons })
}

/// How two names differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Names {
    Same,
    Similar,
    Different,
}

/// Compares the words of two names, which are folded and sorted.
fn compare_names(one: &[String], other: &[String]) -> Names {
    if one.is_empty() || other.is_empty() {
        return Names::Different;
    }
    if one == other {
        return Names::Same;
    }
    let (short, long) = if one.len() <= other.len() { (one, other) } else { (other, one) };
    let mut left: Vec<&String> = long.iter().collect();
    let mut unknown = Vec::new();
    for word in short {
        match left.iter().position(|known| *known == word) {
            Some(at) => drop(left.swap_remove(at)),
            None => unknown.push(word),
        }
    }
    let common = short.len() - unknown.len();
    // Two further surnames, or a middle name.
    if unknown.is_empty() && common >= 2 {
        return Names::Similar;
    }
    let [word] = unknown.as_slice() else { return Names::Different };
    let is_like = |known: &&&String| is_like(word, known);
    let has_common = common >= 1 || word.chars().count() >= LONG_WORD;
    if has_common && one.len() == other.len() && left.iter().any(|known| is_like(&known)) {
        Names::Similar
    } else {
        Names::Different
    }
}

/// Characters of a word that alone is a name, such as that of a company.
const LONG_WORD: usize = 5;

/// Whether two words differ in a letter, or one is the initial of the other.
fn is_like(word: &str, known: &str) -> bool {
    let initial = |short: &str, long: &str| short.chars().count() == 1 && long.starts_with(short);
    let shorter = word.chars().count().min(known.chars().count());
    initial(word, known) || initial(known, word) || (shorter >= 3 && osa_distance(word, known) == 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(one: &str, other: &str) -> Names {
        compare_names(&Profile::of_person(one).words, &Profile::of_person(other).words)
    }

    #[test]
    fn names_are_alike_in_any_order_and_spelling() {
        for (one, other) in [("Ana García", "GARCIA, Ana"), ("José  Núñez", "jose nunez")] {
            assert_eq!(names(one, other), Names::Same, "{one}, {other}");
        }
        for (one, other) in [
            ("Ana García", "Ana García López"),
            ("John Smith", "Jon Smith"),
            ("A. García", "Ana García"),
            ("Ferretería", "Ferreteria Sol"),
            ("Kanarium", "Kanariun"),
        ] {
            let expected = if one == "Ferretería" { Names::Different } else { Names::Similar };
            assert_eq!(names(one, other), expected, "{one}, {other}");
            assert_eq!(names(other, one), expected, "{other}, {one}");
        }
        for (one, other) in [("Ana García", "Eva García"), ("Ana", "Ana García"), ("", ""), ("Ana", "Ada")] {
            assert_eq!(names(one, other), Names::Different, "{one}, {other}");
        }
    }

    fn person(name: &str, emails: &[&str], phones: &[&str]) -> Profile {
        let emails = emails.iter().map(|email| (*email).to_owned()).collect();
        let phones = phones.iter().map(|phone| ((*phone).to_owned(), (*phone).to_owned())).collect();
        Profile { emails, phones, ..Profile::of_person(name) }
    }

    fn score(one: &Profile, other: &Profile) -> u8 {
        compare(one, other, 45).map_or(0, |likeness| likeness.score)
    }

    #[test]
    fn several_signs_say_more_than_one() {
        let ana = person("Ana García", &["ana@sol.example"], &["+34600555012"]);
        let name_only = person("García, Ana", &[], &[]);
        let shared_mailbox = person("Ben Okafor", &["ana@sol.example"], &[]);
        let shared_phone = person("Ben Okafor", &[], &["+34600555012"]);
        let other_ana = person("Ana García", &["other@sol.example"], &[]);
        assert_eq!(score(&ana, &ana.clone()), 100);
        assert_eq!(score(&ana, &name_only), 45);
        assert_eq!(score(&ana, &shared_mailbox), 50);
        assert_eq!(score(&ana, &shared_phone), 45);
        // Colleagues share the number of their company.
        let of = |company: &str, profile: &Profile| Profile { company: Some(company.to_owned()), ..profile.clone() };
        assert_eq!(score(&of("Sol", &ana), &of("sol", &shared_phone)), 0);
        assert_eq!(score(&of("Sol", &ana), &of("Luna", &shared_phone)), 45);
        let typed = compare_new(&of("Sol", &shared_phone), &of("sol", &ana), 45).unwrap();
        assert_eq!((typed.score, typed.is_phone_alone()), (45, true));
        // People of the same name who are reached in other ways are others.
        assert_eq!(score(&ana, &other_ana), 0);
        let likeness = compare(&ana, &person("Ana Garcia", &["ana@sol.example"], &[]), 45).unwrap();
        assert_eq!(likeness.score, 95);
        let signs: Vec<_> = likeness.reasons.iter().map(|reason| reason.reason).collect();
        assert_eq!(signs, [Sign::Email, Sign::Name]);
        let sign_of = |name: &str| {
            let likeness = compare(&person("Ana García López", &[], &[]), &person(name, &[], &[]), 45).unwrap();
            (likeness.score, likeness.reasons[0].reason)
        };
        assert_eq!(sign_of("García López, Ana"), (45, Sign::Name));
        assert_eq!(sign_of("García López Ana"), (45, Sign::SwappedName));
        assert_eq!(likeness.reasons[0].value.as_deref(), Some("ana@sol.example"));
    }

    #[test]
    fn what_tells_two_apart_counts_against() {
        let born = |year: &str| Profile {
            birthday: format!("{year}-03-01").parse().ok(),
            ..person("Ana García", &["ana@sol.example"], &[])
        };
        assert_eq!(score(&born("1980"), &born("1980")), 100);
        assert_eq!(score(&born("1980"), &born("2005")), 70);
        let known = |id: &str| Profile { external_id: Some(id.to_owned()), ..person("Ana García", &[], &[]) };
        assert_eq!(score(&known("1"), &known("2")), 0);
        let of_family = |name: &str, year: &str| Profile {
            birthday: format!("{year}-03-01").parse().ok(),
            ..person(name, &[], &["+34600555012"])
        };
        assert_eq!(score(&of_family("Ana García", "1980"), &of_family("Leo Sanz", "2005")), 0);
    }
}
