//! Phone numbers: the E.164 form of a number however it was typed, and how it is written.

use phonenumber::{Metadata, Mode, country, metadata::DATABASE};

/// Maximum characters of a phone number.
pub const MAX_CHARS: usize = 40;
/// Digits of the shortest number before what is dialed after it was answered.
const MIN_DIGITS: usize = 7;

/// The calling code of the United States, Canada and the Caribbean.
const NORTH_AMERICA: u16 = 1;

/// The forms of a valid phone number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PhoneForms {
    /// The country that the number belongs to: two letters of ISO 3166-1.
    pub country: Option<String>,
    /// E.164, such as `+34600555012`. The same for all ways to write the number; without an extension.
    pub e164: String,
    /// As it is written abroad, such as `+34 600 55 50 12`.
    pub international: String,
    /// As it is written in its country, such as `600 55 50 12`.
    pub national: String,
}

/// Returns the forms of a number that was typed in a country; none when the number is not valid there. Usually takes some
/// microseconds, and milliseconds when numbers of its country are rare.
pub fn forms(typed: &str, country: Option<&str>) -> Option<PhoneForms> {
    if typed.len() > MAX_CHARS * 4 || typed.chars().count() > MAX_CHARS {
        return None;
    }
    let country = country.and_then(|code| code.parse::<country::Id>().ok());
    let typed = before_wait(typed);
    let parse = |typed: &str, country| phonenumber::parse(country, typed).ok().filter(phonenumber::is_valid);
    // What is dialed within the country says nothing about a number abroad: the 1 before numbers of North America would be
    // taken out of +49 171, and the 0 before those of Great Britain out of +39 06.
    let abroad = with_plus(typed, country);
    let abroad = abroad.and_then(|typed| parse(&typed, None).or_else(|| parse(&without_national_zero(&typed)?, None)));
    let number = abroad.or_else(|| parse(typed, country.filter(|_| !has_plus(typed))))?;
    let form = |mode| number.format().mode(mode).to_string();
    Some(PhoneForms {
        country: number.country().id().map(|id| id.as_ref().to_owned()),
        e164: form(Mode::E164),
        international: form(Mode::International),
        national: form(Mode::National),
    })
}

/// Returns a number without what is dialed after it was answered: `600 555 012;12` waits before the 12.
fn before_wait(typed: &str) -> &str {
    let number = typed.split([';', ',']).next().unwrap_or(typed);
    if digits(number).len() >= MIN_DIGITS { number } else { typed }
}

fn has_plus(typed: &str) -> bool {
    typed.trim_start_matches(['(', ' ']).starts_with(['+', '＋'])
}

/// Returns a number that has its country with a plus, also if what leads abroad was typed: `0034 600 555 012`, from North
/// America `011 34 600 555 012`.
fn with_plus(typed: &str, country: Option<country::Id>) -> Option<String> {
    if has_plus(typed) {
        return Some(typed.to_owned());
    }
    let code = country.and_then(|country| DATABASE.by_id(country.as_ref())).map(Metadata::country_code);
    let prefixes = if code == Some(NORTH_AMERICA) { &["011", "00"][..] } else { &["00"] };
    let start = typed.trim_start_matches(['(', ' ']);
    prefixes.iter().find(|prefix| start.starts_with(**prefix)).map(|prefix| typed.replacen(prefix, "+", 1))
}

/// Returns a number without the zero that only callers in its country dial: `+44 (0)20 7946 0018`.
fn without_national_zero(typed: &str) -> Option<String> {
    typed.contains("(0)").then(|| typed.replacen("(0)", " ", 1))
}

/// Returns the digits of a number.
pub fn digits(number: &str) -> String {
    number.chars().filter(char::is_ascii_digit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn e164(typed: &str, country: &str) -> Option<String> {
        forms(typed, Some(country).filter(|code| !code.is_empty())).map(|forms| forms.e164)
    }

    #[test]
    fn all_ways_to_write_a_number_have_one_e164_form() {
        for (typed, country) in [
            ("600 555 012", "ES"),
            ("600.55.50.12", "ES"),
            ("(+34) 600-555-012", ""),
            ("0034 600 555 012", "ES"),
            ("+34600555012", "GB"),
            ("011 34 600 555 012", "US"),
        ] {
            assert_eq!(e164(typed, country).as_deref(), Some("+34600555012"), "{typed}");
        }
    }

    // The kind of fault: a rule for numbers of the company's country is applied to those of other countries, so that another
    // one is dialed, and another person found.
    #[test]
    fn a_number_with_its_country_is_the_same_everywhere() {
        for (typed, expected) in [
            ("+49 171 1234567", "+491711234567"),
            ("+49 711 234567", "+49711234567"),
            ("+353 1 677 1234", "+35316771234"),
            ("+49 1512 3456789", "+4915123456789"),
            ("+44 1865 270000", "+441865270000"),
            ("+43 1 588580", "+431588580"),
            ("+36 1 411 6500", "+3614116500"),
            ("+86 138 0013 8000", "+8613800138000"),
            ("+55 11 91234-5678", "+5511912345678"),
            ("+39 06 6982 1234", "+390669821234"),
            ("+225 01 23 45 67 89", "+2250123456789"),
            ("+61 2 9374 4000", "+61293744000"),
            ("+1 212 555 0101", "+12125550101"),
            ("+34 600 555 012", "+34600555012"),
            ("+44 (0)20 7946 0958", "+442079460958"),
        ] {
            let abroad = typed.replacen('+', "00", 1);
            for country in ["", "US", "CA", "GB", "DE", "ES", "IT", "MX", "AU", "JP", "RU", "HU", "BR", "CN"] {
                for typed in [typed, &format!("({typed}").replacen(' ', ") ", 1), &abroad] {
                    assert_eq!(e164(typed, country).as_deref(), Some(expected), "{typed} in {country}");
                }
            }
            for country in ["US", "CA"] {
                let typed = typed.replacen('+', "011 ", 1);
                assert_eq!(e164(&typed, country).as_deref(), Some(expected), "{typed} in {country}");
            }
        }
        // Leeds begins with what leads abroad from North America.
        assert_eq!(e164("0113 496 0999", "GB").as_deref(), Some("+441134960999"));
    }

    // The kind of fault: a common way to write a number has no forms, so that it is not found and another one is dialed.
    #[test]
    fn a_zero_in_brackets_and_what_follows_a_wait_are_left_out() {
        for (typed, country, expected) in [
            ("+44 (0)20 7946 0958", "ES", "+442079460958"),
            ("0044(0)2079460958", "ES", "+442079460958"),
            ("+49 (0)30 12345678", "", "+493012345678"),
            ("+39 (0)6 6982 1234", "", "+390669821234"),
            ("+34 600 700 016;12", "", "+34600700016"),
            ("600 700 017,4455667#", "ES", "+34600700017"),
        ] {
            assert_eq!(e164(typed, country).as_deref(), Some(expected), "{typed}");
        }
    }

    #[test]
    fn names_the_country_and_writes_the_number_as_it_is_usual() {
        let forms = forms("02079460018", Some("GB")).unwrap();
        assert_eq!(forms.country.as_deref(), Some("GB"));
        assert_eq!(forms.international, "+44 20 7946 0018");
        assert_eq!(forms.national, "020 7946 0018");
    }

    #[test]
    fn extensions_and_letters_are_understood() {
        assert_eq!(e164("(212) 555-0101 ext. 12", "US").as_deref(), Some("+12125550101"));
        assert_eq!(e164("1-800-FLOWERS", "US").as_deref(), Some("+18003569377"));
    }

    #[test]
    fn other_texts_have_no_forms() {
        for (typed, country) in
            [("112", "ES"), ("*123#", "ES"), ("600 555 012", ""), ("600 555 012", "GB"), ("", "ES"), ("call me", "US")]
        {
            assert_eq!(e164(typed, country), None, "{typed}");
        }
        assert_eq!(e164(&"6".repeat(10_000), "ES"), None);
    }
}
