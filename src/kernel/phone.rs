//! Phone numbers: the E.164 form of a number however it was typed, and how it is written.

use phonenumber::{Mode, country};

/// Maximum characters of a phone number.
pub const MAX_CHARS: usize = 40;

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
    let number = phonenumber::parse(country, typed).ok().filter(phonenumber::is_valid)?;
    let form = |mode| number.format().mode(mode).to_string();
    Some(PhoneForms {
        country: number.country().id().map(|id| id.as_ref().to_owned()),
        e164: form(Mode::E164),
        international: form(Mode::International),
        national: form(Mode::National),
    })
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
