//! Numbers and amounts of money as people write them.

use iso_currency::Currency;
use poem_openapi::Enum;
use serde::{Deserialize, Serialize};

use crate::kernel::text::{fold, line};

/// The longest text that can be a number, in bytes.
const MAX_BYTES: usize = 64;
/// Maximum number of digits.
const MAX_DIGITS: usize = 30;

/// Symbols of currencies, folded, without those that several currencies share.
const CURRENCY_SYMBOLS: [(&str, Currency); 27] = [
    ("€", Currency::EUR),
    ("rmb", Currency::CNY),
    ("₹", Currency::INR),
    ("₽", Currency::RUB),
    ("₺", Currency::TRY),
    ("₩", Currency::KRW),
    ("₪", Currency::ILS),
    ("฿", Currency::THB),
    ("₫", Currency::VND),
    ("₱", Currency::PHP),
    ("₴", Currency::UAH),
    ("₦", Currency::NGN),
    ("₡", Currency::CRC),
    ("₲", Currency::PYG),
    ("zl", Currency::PLN),
    ("kc", Currency::CZK),
    ("ft", Currency::HUF),
    ("lei", Currency::RON),
    ("r$", Currency::BRL),
    ("us$", Currency::USD),
    ("a$", Currency::AUD),
    ("ca$", Currency::CAD),
    ("c$", Currency::CAD),
    ("nz$", Currency::NZD),
    ("hk$", Currency::HKD),
    ("mx$", Currency::MXN),
    ("s/", Currency::PEN),
];
/// Names of currencies in English and Spanish, folded and separated by commas, without those that several currencies
/// share.
const CURRENCY_NAMES: [(&str, Currency); 29] = [
    ("euro, euros", Currency::EUR),
    (
        "us dollar, us dollars, u.s. dollar, u.s. dollars, american dollar, american dollars, united states dollar, dolar \
         estadounidense, dolares estadounidenses, dolar americano, dolares americanos, dolar de estados unidos",
        Currency::USD,
    ),
    ("canadian dollar, canadian dollars, dolar canadiense, dolares canadienses", Currency::CAD),
    ("australian dollar, australian dollars, dolar australiano, dolares australianos", Currency::AUD),
    ("new zealand dollar, new zealand dollars, dolar neozelandes, dolares neozelandeses", Currency::NZD),
    ("hong kong dollar, hong kong dollars, dolar de hong kong", Currency::HKD),
    ("singapore dollar, singapore dollars, dolar de singapur", Currency::SGD),
    (
        "british pound, british pounds, pound sterling, pounds sterling, sterling, libra esterlina, libras esterlinas, \
         libra britanica, libras britanicas",
        Currency::GBP,
    ),
    ("yen, yens, yenes, japanese yen, yen japones, yenes japoneses", Currency::JPY),
    ("yuan, yuans, yuanes, renminbi, chinese yuan, yuan chino", Currency::CNY),
    ("swiss franc, swiss francs, franco suizo, francos suizos", Currency::CHF),
    ("mexican peso, mexican pesos, peso mexicano, pesos mexicanos", Currency::MXN),
    ("argentine peso, argentine pesos, peso argentino, pesos argentinos", Currency::ARS),
    ("chilean peso, chilean pesos, peso chileno, pesos chilenos", Currency::CLP),
    ("colombian peso, colombian pesos, peso colombiano, pesos colombianos", Currency::COP),
    ("uruguayan peso, uruguayan pesos, peso uruguayo, pesos uruguayos", Currency::UYU),
    ("brazilian real, brazilian reais, real, reais, reales, real brasileno, reales brasilenos", Currency::BRL),
    ("peruvian sol, soles, sol, sol peruano, soles peruanos", Currency::PEN),
    ("indian rupee, indian rupees, rupia india, rupias indias", Currency::INR),
    ("swedish krona, swedish kronor, corona sueca, coronas suecas", Currency::SEK),
    ("norwegian krone, norwegian kroner, corona noruega, coronas noruegas", Currency::NOK),
    ("danish krone, danish kroner, corona danesa, coronas danesas", Currency::DKK),
    ("czech koruna, koruna, corona checa, coronas checas", Currency::CZK),
    ("zloty, zlotys, zlotych, polish zloty, zloty polaco", Currency::PLN),
    ("forint, forints, hungarian forint, forinto, forintos, florin hungaro", Currency::HUF),
    ("turkish lira, lira turca, liras turcas", Currency::TRY),
    ("russian ruble, russian rubles, ruble, rubles, rublo, rublos, rublo ruso", Currency::RUB),
    ("rand, rands, south african rand, rand sudafricano", Currency::ZAR),
    ("shekel, shekels, israeli shekel, sequel, sequeles", Currency::ILS),
];
/// Symbols and names that several currencies share, folded and separated by commas, with these currencies. The first one
/// is the usual one, if there is any.
const SHARED_SYMBOLS: [(&str, Option<Currency>, &[Currency]); 7] = [
    (
        "$, dollar, dollars, dolar, dolares",
        Some(Currency::USD),
        &[
            Currency::MXN,
            Currency::CAD,
            Currency::AUD,
            Currency::NZD,
            Currency::SGD,
            Currency::HKD,
            Currency::ARS,
            Currency::CLP,
            Currency::COP,
            Currency::UYU,
            Currency::DOP,
        ],
    ),
    (
        "kr, krona, kronor, krone, kroner, corona, coronas",
        None,
        &[Currency::SEK, Currency::NOK, Currency::DKK, Currency::ISK],
    ),
    (
        "£, pound, pounds, libra, libras",
        Some(Currency::GBP),
        &[Currency::GIP, Currency::FKP, Currency::SHP, Currency::EGP, Currency::LBP],
    ),
    ("¥", Some(Currency::JPY), &[Currency::CNY]),
    (
        "peso, pesos",
        Some(Currency::MXN),
        &[Currency::ARS, Currency::CLP, Currency::COP, Currency::UYU, Currency::DOP, Currency::PHP, Currency::CUP],
    ),
    ("franc, francs, franco, francos", Some(Currency::CHF), &[Currency::XAF, Currency::XOF, Currency::XPF]),
    (
        "rupee, rupees, rupia, rupias",
        Some(Currency::INR),
        &[Currency::PKR, Currency::LKR, Currency::NPR, Currency::MUR, Currency::IDR],
    ),
];

/// The character before decimals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Enum)]
#[oai(rename_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub enum DecimalMark {
    /// `1.234,56`, as in Spain.
    Comma,
    /// `1,234.56`, as in English.
    Point,
}

/// A decimal number, exact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decimal {
    /// The digits as one number: `-12.50` has -1250.
    pub units: i128,
    /// The number of decimals.
    pub scale: u32,
}

impl Decimal {
    /// Returns the nearest floating-point number.
    pub fn to_f64(self) -> f64 {
        format!("{}e-{}", self.units, self.scale).parse().unwrap_or_default()
    }

    /// Returns the number in units of `10^-exponent`, such as cents for 2; none if it has more decimals (zeros do not
    /// count) or is too large.
    pub fn to_units(self, exponent: u32) -> Option<i64> {
        let units = match self.scale.checked_sub(exponent) {
            Some(superfluous) => {
                let divisor = 10_i128.checked_pow(superfluous)?;
                (self.units % divisor == 0).then(|| self.units / divisor)?
            }
            None => self.units.checked_mul(10_i128.checked_pow(exponent - self.scale)?)?,
        };
        i64::try_from(units).ok()
    }
}

/// An amount of money.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MoneyAmount {
    /// The amount in the smallest unit of the currency, such as cents.
    pub amount: i64,
    /// The code of the currency (ISO 4217).
    pub currency: String,
}

/// Reads a number: `1.234,56`, `1,234.56`, `1 234,56`, `1'234.56`, `-12`, `(12)`, `12-`.
///
/// `mark` decides only what is ambiguous, such as `1.234`: one separator followed by three digits.
pub fn parse_number(text: &str, mark: DecimalMark) -> Option<Decimal> {
    parse_decimal(text, Some(mark))
}

/// Reads a number. Without a mark, three digits behind a separator are thousands.
fn parse_decimal(text: &str, mark: Option<DecimalMark>) -> Option<Decimal> {
    let digits = DigitGroups::parse(text)?;
    let decimals = match digits.separation() {
        Separation::Decimals(decimals) => decimals,
        Separation::Ambiguous(separator) if mark.is_some_and(|mark| separator == mark_char(mark)) => 3,
        Separation::Whole | Separation::Ambiguous(_) => 0,
        Separation::Invalid => return None,
    };
    let units: i128 = digits.all.parse().ok()?;
    let scale = u32::try_from(decimals).ok()?;
    Some(Decimal { units: if digits.is_negative { -units } else { units }, scale })
}

/// Decides the decimal mark of a column from its values; none if they do not prove one, or contradict each other.
pub fn detect_decimal_mark<'a>(samples: impl IntoIterator<Item = &'a str>) -> Option<DecimalMark> {
    let mut proven = None;
    for sample in samples {
        let Some(mark) = without_currency(sample).and_then(|(number, _)| DigitGroups::parse(&number)?.proven_mark())
        else {
            continue;
        };
        if proven.is_some_and(|proven| proven != mark) {
            return None;
        }
        proven = Some(mark);
    }
    proven
}

/// What the values of a column say of its decimal mark.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ColumnMarks {
    /// The mark that a value proves.
    proven: Option<DecimalMark>,
    /// Whether values prove different ones.
    is_contradicted: bool,
    /// Whether a value can be read with either: `1,200`.
    pub is_ambiguous: bool,
}

impl ColumnMarks {
    /// Looks at a value.
    pub fn note(&mut self, value: &str) {
        let Some(digits) = without_currency(value).and_then(|(number, _)| DigitGroups::parse(&number)) else { return };
        self.is_ambiguous |= matches!(digits.separation(), Separation::Ambiguous(_));
        let Some(mark) = digits.proven_mark() else { return };
        self.is_contradicted |= self.proven.is_some_and(|proven| proven != mark);
        self.proven = Some(mark);
    }

    /// Returns the mark that the values prove, if they do not contradict each other.
    pub fn proven(self) -> Option<DecimalMark> {
        self.proven.filter(|_| !self.is_contradicted)
    }
}

/// Reads an amount of money with or without its currency: `€ 1.234,56`, `1,234.56 EUR`, `$1,200`, `-5`.
///
/// `proven` is the decimal mark that is known of the column. Without it, three digits behind a separator (`1,200`) are
/// thousands in a currency with up to two decimals, and `usual` decides in others.
///
/// Without a currency, or with a symbol that it shares with others (`$`), it is in `default_currency` (ISO 4217). Refuses
/// amounts with more decimals than the currency has, unless they are zeros.
pub fn parse_money(
    text: &str,
    proven: Option<DecimalMark>,
    usual: DecimalMark,
    default_currency: &str,
) -> Option<MoneyAmount> {
    let (number, symbol) = without_currency(text)?;
    let default = Currency::from_code(default_currency);
    let currency = if symbol.is_empty() { default? } else { find_currency(&symbol, default)? };
    let exponent = u32::from(currency.exponent().unwrap_or(0));
    let mark = proven.or((exponent > 2).then_some(usual));
    let amount = parse_decimal(&number, mark)?.to_units(exponent)?;
    Some(MoneyAmount { amount, currency: currency.code().to_owned() })
}

/// Divides an amount into number and folded currency, which is at one of its ends.
fn without_currency(text: &str) -> Option<(String, String)> {
    let text = text.trim();
    if text.len() > MAX_BYTES {
        return None;
    }
    let is_number = |c: char| c.is_ascii_digit() || c.is_whitespace() || ".,'’+-−()".contains(c);
    let Some(start) = text.find(|c| !is_number(c)) else { return Some((text.to_owned(), String::new())) };
    let end = text.rfind(|c| !is_number(c))?;
    let end = end + text[end..].chars().next().map_or(1, char::len_utf8);
    // Digits stand on one side.
    let has_digits = |part: &str| part.contains(|c: char| c.is_ascii_digit());
    if has_digits(&text[..start]) == has_digits(&text[end..]) {
        return None;
    }
    let symbol = fold(&line(&text[start..end]));
    if has_digits(&symbol) || (symbol.contains(' ') && find_currency(&symbol, None).is_none()) {
        return None;
    }
    Some(([&text[..start], &text[end..]].concat(), symbol))
}

/// Reads a currency by its code (ISO 4217), its symbol or its name in English or Spanish, also with its code beside it:
/// `EUR`, `€`, `US Dollar`, `Euro (EUR)`. Returns its code.
///
/// What several currencies share (`$`, `Pesos`) is the company's own one if it is one of them, or else the usual one.
pub fn parse_currency(text: &str, own: &str) -> Option<String> {
    if text.len() > MAX_BYTES {
        return None;
    }
    let is_code = |word: &&str| word.len() == 3 && word.bytes().all(|byte| byte.is_ascii_uppercase());
    let code = || text.split(|c: char| !c.is_alphanumeric()).filter(is_code).find_map(Currency::from_code);
    let named = find_currency(&fold(&line(text)), Currency::from_code(own));
    named.or_else(code).map(|currency| currency.code().to_owned())
}

/// Finds a currency by its code, or by what is folded of its symbol or name.
fn find_currency(symbol: &str, default: Option<Currency>) -> Option<Currency> {
    if let Some(currency) = Currency::from_code(&symbol.to_uppercase()) {
        return Some(currency);
    }
    let is_one_of = |names: &str| names.split(", ").any(|name| name == symbol);
    if let Some((_, usual, others)) = SHARED_SYMBOLS.iter().find(|(shared, _, _)| is_one_of(shared)) {
        return default.filter(|default| others.contains(default)).or(*usual);
    }
    let named = CURRENCY_NAMES.iter().find(|(names, _)| is_one_of(names)).map(|(_, currency)| *currency);
    named.or_else(|| CURRENCY_SYMBOLS.iter().find(|(known, _)| *known == symbol).map(|(_, currency)| *currency))
}

fn mark_char(mark: DecimalMark) -> char {
    match mark {
        DecimalMark::Comma => ',',
        DecimalMark::Point => '.',
    }
}

/// What the separators of a number say.
enum Separation {
    /// This number of digits are decimals.
    Decimals(usize),
    /// There are no decimals.
    Whole,
    /// This separator, which occurs once, can be one of thousands or the decimal mark.
    Ambiguous(char),
    /// It is not a number.
    Invalid,
}

/// The digits of a number, and how separators group them.
struct DigitGroups {
    is_negative: bool,
    all: String,
    /// The lengths of the groups of digits.
    groups: Vec<usize>,
    /// The separators between groups. All kinds of spaces and apostrophes are a space.
    separators: Vec<char>,
}

impl DigitGroups {
    fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        if text.len() > MAX_BYTES {
            return None;
        }
        let (text, is_negative) = without_sign(text);
        let mut digits = Self { is_negative, all: String::new(), groups: vec![0], separators: Vec::new() };
        for c in text.chars() {
            if c.is_ascii_digit() {
                digits.all.push(c);
                *digits.groups.last_mut()? += 1;
                continue;
            }
            let separator = match c {
                ',' | '.' => c,
                '\'' | '’' | ' ' | '\u{a0}' | '\u{2009}' | '\u{202f}' => ' ',
                _ => return None,
            };
            digits.separators.push(separator);
            digits.groups.push(0);
        }
        (1..=MAX_DIGITS).contains(&digits.all.len()).then_some(digits)
    }

    fn separation(&self) -> Separation {
        let Some(last) = self.separators.last() else { return Separation::Whole };
        let thousands = &self.separators[..self.separators.len() - 1];
        let decimals = self.groups.last().copied().unwrap_or_default();
        if thousands.is_empty() {
            return match (self.groups[0], decimals) {
                (1..=3, 3) if *last == ' ' => Separation::Whole,
                _ if *last == ' ' => Separation::Invalid,
                (1..=3, 3) if !self.all.starts_with('0') => Separation::Ambiguous(*last),
                (_, 0) => Separation::Invalid,
                _ => Separation::Decimals(decimals),
            };
        }
        let are_same = thousands.windows(2).all(|pair| pair[0] == pair[1]);
        let is_grouped = |groups: &[usize]| {
            groups
                .split_first()
                .is_some_and(|(first, rest)| (1..=3).contains(first) && rest.iter().all(|len| *len == 3))
        };
        if !are_same {
            return Separation::Invalid;
        }
        let is_whole = thousands[0] == *last && is_grouped(&self.groups);
        let has_decimals =
            thousands[0] != *last && *last != ' ' && decimals > 0 && is_grouped(&self.groups[..self.groups.len() - 1]);
        match (is_whole, has_decimals) {
            (true, _) => Separation::Whole,
            (_, true) => Separation::Decimals(decimals),
            _ => Separation::Invalid,
        }
    }

    fn proven_mark(&self) -> Option<DecimalMark> {
        let last = self.separators.last()?;
        let is_comma = match self.separation() {
            Separation::Decimals(_) => *last == ',',
            Separation::Whole if *last != ' ' => *last == '.',
            _ => return None,
        };
        Some(if is_comma { DecimalMark::Comma } else { DecimalMark::Point })
    }
}

/// Removes the sign: `-12`, `12-`, `(12)`, `+12`.
fn without_sign(text: &str) -> (&str, bool) {
    const MINUS: [char; 2] = ['-', '−'];
    if let Some(inner) = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
        return (inner.trim(), true);
    }
    if let Some(rest) = text.strip_prefix(MINUS).or_else(|| text.strip_suffix(MINUS)) {
        return (rest.trim(), true);
    }
    (text.strip_prefix('+').unwrap_or(text).trim(), false)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str, mark: DecimalMark) -> Option<f64> {
        parse_number(text, mark).map(Decimal::to_f64)
    }

    fn money(text: &str, default: &str) -> Option<(i64, String)> {
        parse_money(text, None, DecimalMark::Comma, default).map(|money| (money.amount, money.currency))
    }

    #[test]
    fn reads_numbers_that_are_the_same_with_both_marks() {
        for (text, expected) in [
            ("1.234,56", 1_234.56),
            ("1,234.56", 1_234.56),
            ("1 234,56", 1_234.56),
            ("1\u{a0}234,56", 1_234.56),
            ("1\u{202f}234\u{202f}567", 1_234_567.0),
            ("1'234.56", 1_234.56),
            ("1234.5", 1_234.5),
            ("1234,5", 1_234.5),
            ("1.234.567", 1_234_567.0),
            ("0,125", 0.125),
            ("-12", -12.0),
            ("−12", -12.0),
            ("12-", -12.0),
            ("(1,200.00)", -1_200.0),
            ("+7", 7.0),
            (" 007 ", 7.0),
            (".5", 0.5),
        ] {
            for mark in [DecimalMark::Comma, DecimalMark::Point] {
                assert_eq!(number(text, mark), Some(expected), "{text}");
            }
        }
    }

    #[test]
    fn the_mark_decides_what_is_ambiguous() {
        assert_eq!(number("1.234", DecimalMark::Comma), Some(1_234.0));
        assert_eq!(number("1.234", DecimalMark::Point), Some(1.234));
        assert_eq!(number("1,234", DecimalMark::Comma), Some(1.234));
        assert_eq!(number("1,234", DecimalMark::Point), Some(1_234.0));
        assert_eq!(detect_decimal_mark(["1.234", "12,5"]), Some(DecimalMark::Comma));
        assert_eq!(detect_decimal_mark(["€ 1,234.00", "5"]), Some(DecimalMark::Point));
        assert_eq!(detect_decimal_mark(["1.234.567"]), Some(DecimalMark::Comma));
        assert_eq!(detect_decimal_mark(["1.5", "1,5"]), None);
        assert_eq!(detect_decimal_mark(["1.234", "x", ""]), None);
    }

    #[test]
    fn other_texts_are_no_numbers() {
        for text in [
            "",
            "-",
            ".",
            "1.",
            "1..2",
            "1,2,3",
            "12.34.56",
            "1 23",
            "1e5",
            "abc",
            "12 apples",
            "1.234,567,8",
            "٣",
            "1,234 567",
            "0x10",
            "--1",
        ] {
            assert_eq!(number(text, DecimalMark::Comma), None, "{text}");
        }
        assert_eq!(number(&"9".repeat(31), DecimalMark::Comma), None);
        assert_eq!(number(&"9".repeat(1_000_000), DecimalMark::Comma), None);
    }

    #[test]
    fn reads_amounts_of_money() {
        for (text, amount, currency) in [
            ("€ 1.234,56", 123_456, "EUR"),
            ("1,234.56 EUR", 123_456, "EUR"),
            ("1.234,56€", 123_456, "EUR"),
            ("$1,200.00", 120_000, "USD"),
            ("US$ 5", 500, "USD"),
            ("R$ 5,50", 550, "BRL"),
            ("-€5", -500, "EUR"),
            ("€-5", -500, "EUR"),
            ("(£5.00)", -500, "GBP"),
            ("12,5 zł", 1_250, "PLN"),
            ("12 euros", 1_200, "EUR"),
            ("¥1200", 1_200, "JPY"),
            ("1200.0000 eur", 120_000, "EUR"),
            ("99", 9_900, "EUR"),
        ] {
            assert_eq!(money(text, "EUR"), Some((amount, currency.to_owned())), "{text}");
        }
        assert_eq!(money("$5", "MXN"), Some((500, "MXN".to_owned())), "a currency with the same symbol");
        assert_eq!(money("5 kr", "SEK"), Some((500, "SEK".to_owned())));
    }

    // The kind of fault: a currency is read by its code only.
    #[test]
    fn reads_currencies_by_name_and_symbol() {
        for (text, expected) in [
            ("EUR", "EUR"),
            ("eur", "EUR"),
            ("Euro", "EUR"),
            ("€", "EUR"),
            ("US Dollar", "USD"),
            (" us  dollars ", "USD"),
            ("Dólares estadounidenses", "USD"),
            ("$", "USD"),
            ("Pounds", "GBP"),
            ("£", "GBP"),
            ("Libra esterlina", "GBP"),
            ("¥", "JPY"),
            ("Pesos mexicanos", "MXN"),
            ("Franco suizo", "CHF"),
            ("Euro (EUR)", "EUR"),
            ("CHF - Swiss franc of today", "CHF"),
            ("zł", "PLN"),
        ] {
            assert_eq!(parse_currency(text, "EUR").as_deref(), Some(expected), "{text}");
        }
        for (text, own) in
            [("$", "MXN"), ("Pesos", "COP"), ("Dólares", "CAD"), ("¥", "CNY"), ("Libras", "EGP"), ("kr", "SEK")]
        {
            assert_eq!(parse_currency(text, own).as_deref(), Some(own), "{text}");
        }
        for text in ["", "kr", "Doubloons", "XYZ", "ABC def", &"€".repeat(1_000_000)] {
            assert_eq!(parse_currency(text, "EUR"), None);
        }
        for (text, amount, currency) in [
            ("10 Euros", 1_000, "EUR"),
            ("30 US Dollars", 3_000, "USD"),
            ("1.200,50 libras esterlinas", 120_050, "GBP"),
        ] {
            assert_eq!(money(text, "EUR"), Some((amount, currency.to_owned())), "{text}");
        }
        assert_eq!(money("¥5", "CNY"), Some((500, "CNY".to_owned())));
        assert_eq!(money("5 big boxes", "EUR"), None);
    }

    #[test]
    fn names_of_currencies_are_folded_and_belong_to_one() {
        let shared = SHARED_SYMBOLS.iter().flat_map(|(names, _, _)| names.split(", "));
        let named = CURRENCY_NAMES.iter().flat_map(|(names, _)| names.split(", "));
        let mut seen = std::collections::HashSet::new();
        for name in shared.chain(named).chain(CURRENCY_SYMBOLS.iter().map(|(symbol, _)| *symbol)) {
            assert_eq!(fold(&line(name)), name);
            assert!(seen.insert(name), "{name}");
        }
    }

    #[test]
    fn refuses_other_amounts() {
        for text in ["", "€", "5 kr", "5 XYZ", "1.005,123 EUR", "¥5,5", "5 EUR 6", "EUR 5 USD", "9".repeat(25).as_str()]
        {
            assert_eq!(money(text, "EUR"), None, "{text}");
        }
        assert_eq!(money("5", "nothing"), None);
    }

    proptest::proptest! {
        #[test]
        fn reads_back_what_was_written(units in -1_000_000_000_000_i64..1_000_000_000_000) {
            let sign = if units < 0 { "-" } else { "" };
            let text = format!("{sign}{},{:02} EUR", units.abs() / 100, units.abs() % 100);
            proptest::prop_assert_eq!(money(&text, "USD"), Some((units, "EUR".to_owned())));
        }

        #[test]
        fn no_text_makes_reading_panic(text in "\\PC{0,40}|[0-9.,' €$()+-]{0,40}") {
            let _ = number(&text, DecimalMark::Comma);
            let _ = money(&text, "EUR");
            let _ = detect_decimal_mark([text.as_str()]);
        }
    }
}
