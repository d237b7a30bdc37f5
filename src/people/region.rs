//! Regions: how dates, times and weeks are shown, and which country and currency are proposed. A region changes what is
//! shown and proposed, never a stored value.

use iso_currency::Currency;
use poem_openapi::{Enum, Object, types::MaybeUndefined};
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use crate::kernel::{
    Day,
    countries::is_country,
    error::Faults,
    i18n::{Hours, Locale, say},
};

/// The order of day, month and year in dates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Enum)]
#[oai(rename_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub enum DateFormat {
    /// Month, day, year.
    Mdy,
    /// Day, month, year.
    Dmy,
    /// Year, month, day.
    Ymd,
}

impl DateFormat {
    /// Its name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Mdy => "mdy",
            Self::Dmy => "dmy",
            Self::Ymd => "ymd",
        }
    }
}

/// Whether the hours of a day are counted to 12 or to 24.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Enum)]
pub enum TimeFormat {
    /// 12 hours, twice.
    #[oai(rename = "12h")]
    #[serde(rename = "12h")]
    Twelve,
    /// 24 hours.
    #[oai(rename = "24h")]
    #[serde(rename = "24h")]
    TwentyFour,
}

impl TimeFormat {
    /// Its name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Twelve => "12h",
            Self::TwentyFour => "24h",
        }
    }
}

/// The first day of a week.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Enum)]
#[oai(rename_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub enum FirstDay {
    /// As ISO 8601.
    Monday,
    /// As in much of North Africa and West Asia.
    Saturday,
    /// As in much of America.
    Sunday,
}

impl FirstDay {
    /// Its name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Monday => "monday",
            Self::Saturday => "saturday",
            Self::Sunday => "sunday",
        }
    }

    /// Returns the first day of a day's week.
    pub fn start_of_week(self, day: Day) -> Day {
        let after_monday = i64::from(day.0.weekday().to_monday_zero_offset());
        let first = match self {
            Self::Monday => 0,
            Self::Saturday => 5,
            Self::Sunday => 6,
        };
        day.plus_days(-(after_monday - first).rem_euclid(7))
    }
}

/// How a company or a member sees dates, times and weeks, and what is proposed to them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Object)]
#[oai(rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct Region {
    /// The order of day, month and year.
    pub date_format: DateFormat,
    /// Whether the hours are counted to 12 or to 24.
    pub time_format: TimeFormat,
    /// The first day of a week.
    pub first_day: FirstDay,
    /// The country that is proposed for phone numbers: two letters of ISO 3166-1.
    pub phone_country: String,
    /// The currency that is proposed for amounts: three letters of ISO 4217.
    pub currency: String,
}

impl Region {
    /// Returns the usual region of a language, from its file.
    pub fn of_language(locale: Locale) -> Self {
        let text = |name: &str| say(locale, &format!("server.region.{name}"), &[]);
        let country = text("phone_country");
        let currency = text("currency");
        Self {
            date_format: named(&text("date_format")).unwrap_or(DateFormat::Ymd),
            time_format: named(&text("time_format")).unwrap_or(TimeFormat::TwentyFour),
            first_day: named(&text("first_day")).unwrap_or(FirstDay::Monday),
            phone_country: if is_country(&country) { country } else { "US".to_owned() },
            currency: if is_currency(&currency) { currency } else { "USD".to_owned() },
        }
    }

    /// How the hours are counted.
    pub const fn hours(&self) -> Hours {
        match self.time_format {
            TimeFormat::Twelve => Hours::Twelve,
            TimeFormat::TwentyFour => Hours::TwentyFour,
        }
    }
}

impl std::fmt::Display for Region {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { date_format, time_format, first_day, phone_country, currency } = self;
        let names = [date_format.as_str(), time_format.as_str(), first_day.as_str(), phone_country, currency];
        out.write_str(&names.join(", "))
    }
}

/// Returns the value with a name.
pub fn named<T: for<'d> Deserialize<'d>>(name: &str) -> Option<T> {
    serde_json::from_value(name.into()).ok()
}

fn is_currency(code: &str) -> bool {
    Currency::from_code(code).is_some()
}

/// Returns the currency of a country. Where there are several, it is the one that is named after the country, as `PAB`
/// is for `PA`.
fn currency_of(country: &str) -> Option<String> {
    let used = Currency::from_country(country.parse().ok()?);
    let usual = || used.iter().filter(|one| !one.is_fund() && !one.is_special() && one.is_superseded().is_none());
    usual().find(|one| one.code().starts_with(country)).or(usual().next()).map(|one| one.code().to_owned())
}

/// What a company or a member has chosen of its region.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RegionChoice {
    /// The order of day, month and year.
    pub date_format: Option<DateFormat>,
    /// Whether the hours are counted to 12 or to 24.
    pub time_format: Option<TimeFormat>,
    /// The first day of a week.
    pub first_day: Option<FirstDay>,
    /// Two letters of ISO 3166-1.
    pub phone_country: Option<String>,
    /// Three letters of ISO 4217.
    pub currency: Option<String>,
}

impl RegionChoice {
    /// Returns the region with these choices, and the rest of another one.
    pub fn over(&self, region: Region) -> Region {
        Region {
            date_format: self.date_format.unwrap_or(region.date_format),
            time_format: self.time_format.unwrap_or(region.time_format),
            first_day: self.first_day.unwrap_or(region.first_day),
            phone_country: self.phone_country.clone().unwrap_or(region.phone_country),
            currency: self.currency.clone().unwrap_or(region.currency),
        }
    }

    /// Takes over what another choice contains.
    pub fn extend(&mut self, other: Self) {
        let Self { date_format, time_format, first_day, phone_country, currency } = other;
        self.date_format = date_format.or(self.date_format);
        self.time_format = time_format.or(self.time_format);
        self.first_day = first_day.or(self.first_day);
        self.phone_country = phone_country.or(self.phone_country.take());
        self.currency = currency.or(self.currency.take());
    }

    /// Completes the choices for a new company: the currency is that of the country.
    pub fn with_currency(mut self) -> Self {
        self.currency = self.currency.or_else(|| currency_of(self.phone_country.as_deref()?));
        self
    }

    /// Returns the choices that are not usual in a language.
    pub fn unusual_in(self, locale: Locale) -> Self {
        fn unusual<T: PartialEq>(chosen: Option<T>, usual: &T) -> Option<T> {
            chosen.filter(|chosen| chosen != usual)
        }
        let usual = Region::of_language(locale);
        Self {
            date_format: unusual(self.date_format, &usual.date_format),
            time_format: unusual(self.time_format, &usual.time_format),
            first_day: unusual(self.first_day, &usual.first_day),
            phone_country: unusual(self.phone_country, &usual.phone_country),
            currency: unusual(self.currency, &usual.currency),
        }
    }

    /// Checks the country and the currency.
    pub fn check(&self, faults: &mut Faults) {
        if self.phone_country.as_deref().is_some_and(|code| !is_country(code)) {
            faults.add("region.phoneCountry", "errors.fields.country");
        }
        if self.currency.as_deref().is_some_and(|code| !is_currency(code)) {
            faults.add("region.currency", "errors.fields.currency");
        }
    }
}

/// What a member has chosen of their region.
#[skip_serializing_none]
#[derive(Debug, Serialize, Object)]
#[oai(rename = "RegionChoice", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct RegionChoiceView {
    date_format: Option<DateFormat>,
    time_format: Option<TimeFormat>,
    first_day: Option<FirstDay>,
    phone_country: Option<String>,
    currency: Option<String>,
}

impl From<RegionChoice> for RegionChoiceView {
    fn from(choice: RegionChoice) -> Self {
        let RegionChoice { date_format, time_format, first_day, phone_country, currency } = choice;
        Self { date_format, time_format, first_day, phone_country, currency }
    }
}

/// Changes to a region. Absent fields stay as they are; null withdraws a choice.
#[derive(Clone, Object)]
#[oai(rename_all = "camelCase", deny_unknown_fields)]
pub struct RegionPatch {
    date_format: MaybeUndefined<DateFormat>,
    time_format: MaybeUndefined<TimeFormat>,
    first_day: MaybeUndefined<FirstDay>,
    /// Two letters of ISO 3166-1.
    phone_country: MaybeUndefined<String>,
    /// Three letters of ISO 4217.
    currency: MaybeUndefined<String>,
}

impl RegionPatch {
    /// Applies the changes.
    pub fn apply(self, choice: &mut RegionChoice) {
        self.date_format.update_to(&mut choice.date_format);
        self.time_format.update_to(&mut choice.time_format);
        self.first_day.update_to(&mut choice.first_day);
        self.phone_country.update_to(&mut choice.phone_country);
        self.currency.update_to(&mut choice.currency);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_have_their_usual_regions() {
        let of = |locale| {
            let Region { date_format, time_format, first_day, phone_country, currency } = Region::of_language(locale);
            (date_format, time_format, first_day, phone_country + &currency)
        };
        assert_eq!(of(Locale::EN), (DateFormat::Mdy, TimeFormat::Twelve, FirstDay::Sunday, "USUSD".to_owned()));
        let european = |rest: &str| (DateFormat::Dmy, TimeFormat::TwentyFour, FirstDay::Monday, rest.to_owned());
        assert_eq!(of(Locale::ES), european("ESEUR"));
        assert_eq!(of(Locale::parse("en-GB").unwrap()), european("GBGBP"));
    }

    #[test]
    fn new_company_has_the_currency_of_its_country() {
        for (country, currency) in
            [("MX", "MXN"), ("AT", "EUR"), ("PA", "PAB"), ("US", "USD"), ("CH", "CHF"), ("UY", "UYU"), ("EC", "USD")]
        {
            assert_eq!(currency_of(country).as_deref(), Some(currency), "{country}");
        }
        assert_eq!(currency_of("AQ"), None);
        let choice = RegionChoice { phone_country: Some("MX".into()), ..RegionChoice::default() };
        let mexican = choice.with_currency().unusual_in(Locale::ES);
        assert_eq!((mexican.phone_country.as_deref(), mexican.currency.as_deref()), (Some("MX"), Some("MXN")));
        let choice = RegionChoice {
            date_format: Some(DateFormat::Dmy),
            first_day: Some(FirstDay::Sunday),
            phone_country: Some("ES".into()),
            ..RegionChoice::default()
        };
        let spanish = choice.with_currency().unusual_in(Locale::ES);
        assert_eq!(spanish, RegionChoice { first_day: Some(FirstDay::Sunday), ..RegionChoice::default() });
    }

    #[test]
    fn choices_replace_only_what_was_chosen() {
        let choice = RegionChoice { first_day: Some(FirstDay::Saturday), ..RegionChoice::default() };
        let region = Region::of_language(Locale::ES);
        assert_eq!(choice.over(region.clone()), Region { first_day: FirstDay::Saturday, ..region });
    }

    #[test]
    fn weeks_begin_on_the_first_day() {
        let day = |text: &str| Day(text.parse().unwrap());
        for (first, today, start) in [
            (FirstDay::Monday, "2026-11-26", "2026-11-23"),
            (FirstDay::Monday, "2026-11-23", "2026-11-23"),
            (FirstDay::Monday, "2026-11-22", "2026-11-16"),
            (FirstDay::Sunday, "2026-11-22", "2026-11-22"),
            (FirstDay::Sunday, "2026-11-28", "2026-11-22"),
            (FirstDay::Saturday, "2026-11-27", "2026-11-21"),
            (FirstDay::Saturday, "2026-11-28", "2026-11-28"),
        ] {
            assert!(first.start_of_week(day(today)) == day(start), "{first:?} {today}");
        }
    }
}
