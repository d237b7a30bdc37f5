//! Phone numbers: the E.164 form of a number however it was typed, and how it is written.

use phonenumber::{Mode, country};

/// Maximum characters of a phone number.
pub const MAX_CHARS: usize = 40;
/// Digits of the shortest number before what is dialed after it was answered.
const MIN_DIGITS: usize = 7;

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
    let parse = |typed: &str| phonenumber::parse(country, typed).ok().filter(phonenumber::is_valid);
    let number = parse(typed).or_else(|| parse(&without_national_zero(typed)?))?;
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

/// Returns a number with its country without the zero that only callers in that country dial: `+44 (0)20 7946 0018`.
fn without_national_zero(typed: &str) -> Option<String> {
    let has_country = typed.trim_start_matches(['(', ' ']).starts_with(['+', '＋']) || typed.trim().starts_with("00");
    (has_country && typed.contains("(0)")).then(|| typed.replacen("(0)", " ", 1))
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
