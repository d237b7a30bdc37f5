//! Clock and random numbers: the only source of time and randomness, so that tests can set the clock and repeat every
//! run exactly.

use std::{
    fmt,
    str::FromStr,
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
};

use parking_lot::Mutex;
use rand::{Rng, SeedableRng, rngs::StdRng};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use uuid::Uuid;

/// An instant, in whole milliseconds of UTC. Displayed as RFC 3339, stored as a number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Timestamp(i64);

impl Timestamp {
    /// Creates an instant from milliseconds since 1970. Values outside the years 1 to 9999 are clamped.
    pub fn from_millis(millis: i64) -> Self {
        Self(millis.clamp(-62_135_596_800_000, 253_402_300_799_999))
    }

    /// Returns the milliseconds since 1970.
    pub const fn millis(self) -> i64 {
        self.0
    }

    /// Returns eight bytes that sort like the instants, for keys.
    pub const fn sortable(self) -> [u8; 8] {
        // With the sign bit inverted, the bytes sort like the numbers.
        (self.0 ^ i64::MIN).to_be_bytes()
    }

    /// Returns the whole seconds since 1970.
    pub const fn seconds(self) -> i64 {
        self.0.div_euclid(1000)
    }

    /// Returns this instant plus a number of milliseconds.
    pub fn plus_millis(self, millis: i64) -> Self {
        Self::from_millis(self.0.saturating_add(millis))
    }

    /// Returns this instant plus a number of seconds.
    pub fn plus_seconds(self, seconds: i64) -> Self {
        self.plus_millis(seconds.saturating_mul(1000))
    }

    /// Returns the same instant for calendar arithmetic.
    pub fn jiff(self) -> jiff::Timestamp {
        jiff::Timestamp::from_millisecond(self.0).unwrap_or(jiff::Timestamp::UNIX_EPOCH)
    }

    /// Returns the day in a time zone (an IANA name; an unknown one counts as UTC).
    pub fn day_in(self, zone: &str) -> Day {
        Day(self.zoned(zone).date())
    }

    /// Returns the local time in a time zone (an IANA name; an unknown one counts as UTC).
    pub fn zoned(self, zone: &str) -> jiff::Zoned {
        let zone = jiff::tz::TimeZone::get(zone).unwrap_or(jiff::tz::TimeZone::UTC);
        self.jiff().to_zoned(zone)
    }
}

impl From<jiff::Timestamp> for Timestamp {
    fn from(at: jiff::Timestamp) -> Self {
        Self::from_millis(at.as_millisecond())
    }
}

/// The digits of the numbers from 0 to 99.
const TWO_DIGITS: [[u8; 2]; 100] = {
    let mut all = [*b"00"; 100];
    let mut number = 1;
    while number < all.len() {
        let [tens, ones] = all[number - 1];
        all[number] = if ones == b'9' { [tens + 1, b'0'] } else { [tens, ones + 1] };
        number += 1;
    }
    all
};

/// Returns the digits of a number from 0 to 99.
fn two_digits(number: i64) -> [u8; 2] {
    usize::try_from(number).ok().and_then(|number| TWO_DIGITS.get(number)).copied().unwrap_or(*b"00")
}

impl Timestamp {
    /// Calls `write` with the text in RFC 3339. Formatted by hand: a list has a hundred of them, and jiff's formatter takes as
    /// long as the rest of a record.
    fn with_text<T>(self, write: impl FnOnce(&str) -> T) -> T {
        let days = self.0.div_euclid(86_400_000);
        let millis = self.0.rem_euclid(86_400_000);
        // Days since 1 March of the year 0, in eras of 400 years whose last day is 29 February.
        let days = days + 719_468;
        let era = days.div_euclid(146_097);
        let day = days.rem_euclid(146_097);
        let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
        let day = day - (365 * year + year / 4 - year / 100);
        let month = (5 * day + 2) / 153;
        let day = day - (153 * month + 2) / 5 + 1;
        let month = if month < 10 { month + 3 } else { month - 9 };
        let year = year + era * 400 + i64::from(month <= 2);
        let ([y1, y2], [y3, y4]) = (two_digits(year / 100), two_digits(year % 100));
        let ([m1, m2], [d1, d2]) = (two_digits(month), two_digits(day));
        let seconds = millis / 1_000;
        let [h1, h2] = two_digits(seconds / 3_600);
        let ([i1, i2], [s1, s2]) = (two_digits(seconds / 60 % 60), two_digits(seconds % 60));
        let ([_, f1], [f2, f3]) = (two_digits(millis % 1_000 / 100), two_digits(millis % 100));
        let text = [
            y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2, b'T', h1, h2, b':', i1, i2, b':', s1, s2, b'.', f1, f2, f3,
            b'Z',
        ];
        write(std::str::from_utf8(&text).unwrap_or_default())
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.with_text(|text| f.write_str(text))
    }
}
impl fmt::Debug for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
impl FromStr for Timestamp {
    type Err = jiff::Error;
    /// Accepts the years 1 to 9998: other values could not be stored unchanged.
    fn from_str(s: &str) -> Result<Self, Self::Err> {
        let read = s.parse::<jiff::Timestamp>()?;
        let year = read.to_zoned(jiff::tz::TimeZone::UTC).year();
        if (1..=9_998).contains(&year) {
            Ok(Self::from(read))
        } else {
            Err(jiff::Error::from_args(format_args!("the year {year}")))
        }
    }
}
impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            self.with_text(|text| serializer.serialize_str(text))
        } else {
            serializer.serialize_i64(self.0)
        }
    }
}
impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if deserializer.is_human_readable() {
            String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
        } else {
            i64::deserialize(deserializer).map(Self::from_millis)
        }
    }
}

/// A calendar day, without a time or a zone: `YYYY-MM-DD` (RFC 3339 full-date).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Day(pub jiff::civil::Date);

impl Day {
    /// The first and the last day that members can enter for what is planned or was done. Others are mistyped, or stand for
    /// none in other programs.
    pub const PLANNED: (Self, Self) = (Self(jiff::civil::date(1900, 1, 1)), Self(jiff::civil::date(2200, 12, 31)));
    /// The same for values that may be from the past, such as the day on which a company was founded.
    pub const NOTED: (Self, Self) = (Self(jiff::civil::date(1000, 1, 1)), Self::PLANNED.1);

    /// Returns the day that many days later (or earlier), or the same day at the ends of the calendar.
    pub fn plus_days(self, days: i64) -> Self {
        Self(self.0.checked_add(jiff::Span::new().try_days(days).unwrap_or_default()).unwrap_or(self.0))
    }

    /// Returns the Monday of this day's week (ISO 8601).
    pub fn monday(self) -> Self {
        self.plus_days(-i64::from(self.0.weekday().to_monday_zero_offset()))
    }

    /// Returns the first day of this day's month.
    pub fn start_of_month(self) -> Self {
        Self(self.0.first_of_month())
    }

    /// Returns the start of the day in a time zone (an unknown one counts as UTC).
    pub fn start_in(self, zone: &str) -> Timestamp {
        let zone = jiff::tz::TimeZone::get(zone).unwrap_or(jiff::tz::TimeZone::UTC);
        self.0.to_zoned(zone).map_or_else(|_| Timestamp::default(), |zoned| zoned.timestamp().into())
    }
}

impl Day {
    /// Returns a full hour of the day in a time zone (an unknown one counts as UTC); if the clocks skip it, it is later
    /// by what they skip.
    pub fn hour_in(self, hour: u8, zone: &str) -> Timestamp {
        let zone = jiff::tz::TimeZone::get(zone).unwrap_or(jiff::tz::TimeZone::UTC);
        let wall = self.0.at(i8::try_from(hour.min(23)).unwrap_or(0), 0, 0, 0);
        zone.to_ambiguous_timestamp(wall).compatible().map_or_else(|_| Timestamp::default(), Timestamp::from)
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}
impl fmt::Debug for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}
impl FromStr for Day {
    type Err = jiff::Error;
    fn from_str(s: &str) -> Result<Self, Self::Err> {
        // Only the plain form: jiff would also accept `20261121` and a date with a time.
        if s.len() != 10 {
            return Err(jiff::Error::from_args(format_args!("not a day")));
        }
        s.parse().map(Self)
    }
}
impl Serialize for Day {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
impl<'de> Deserialize<'de> for Day {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

/// The only source of the current time.
#[derive(Clone, Default)]
pub struct Clock(Option<Arc<AtomicI64>>);

impl Clock {
    /// Returns the system clock.
    pub const fn system() -> Self {
        Self(None)
    }

    /// Creates a clock that stands still at `at` until it is advanced.
    pub fn stopped(at: Timestamp) -> Self {
        Self(Some(Arc::new(AtomicI64::new(at.millis()))))
    }

    /// Returns the current time.
    #[expect(clippy::disallowed_methods, reason = "this is the one place that asks the machine for the time")]
    pub fn now(&self) -> Timestamp {
        match &self.0 {
            Some(hand) => Timestamp(hand.load(Ordering::SeqCst)),
            None => jiff::Timestamp::now().into(),
        }
    }

    /// Advances a stopped clock by milliseconds; the system clock stays as it is.
    pub fn advance(&self, millis: i64) {
        if let Some(hand) = &self.0 {
            hand.fetch_add(millis, Ordering::SeqCst);
        }
    }
}

/// The only source of randomness.
#[derive(Clone)]
pub struct Entropy(Arc<Mutex<Source>>);

struct Source {
    dice: StdRng,
    /// The last ordered UUID, as a number.
    last: u128,
}

/// Milliseconds that the clock may go back without a break in the order of UUIDs.
const MAX_STEP_BACK: u64 = 1_000;

impl Source {
    fn uuid(&mut self, millis: u64) -> Uuid {
        let mut random = [0; 10];
        self.dice.fill_bytes(&mut random);
        uuid::Builder::from_unix_timestamp_millis(millis, &random).into_uuid()
    }

    fn ordered_uuid(&mut self, millis: u64) -> Uuid {
        let last = u64::try_from(self.last >> 80).unwrap_or_default();
        let is_step_back = last.checked_sub(millis).is_some_and(|back| back <= MAX_STEP_BACK);
        let fresh = self.uuid(if is_step_back { last } else { millis }).as_u128();
        let random = fresh.to_le_bytes();
        let mut next = fresh;
        if fresh >> 80 == self.last >> 80 {
            // Within one millisecond UUIDs rise by a random step (RFC 9562 §6.2, method 2): the 12 and the 62 random
            // bits are counted as one number, around version and variant.
            const LOW_BITS: u128 = (1 << 62) - 1;
            let step = 1 + u128::from(u32::from_le_bytes([random[0], random[1], random[2], random[3]]));
            let count = ((self.last >> 64 & 0xFFF) << 62 | self.last & LOW_BITS) + step;
            if count >> 74 == 0 {
                next = fresh >> 80 << 80 | 0x7 << 76 | (count >> 62) << 64 | 0b10 << 62 | count & LOW_BITS;
            }
        }
        self.last = next;
        Uuid::from_u128(next)
    }
}

impl Entropy {
    /// Randomness from the operating system: unpredictable, fit for secrets (`ChaCha12`, seeded by the kernel).
    #[expect(clippy::disallowed_methods, reason = "this is the one place that asks the machine for chance")]
    pub fn system() -> Self {
        Self(Arc::new(Mutex::new(Source { dice: rand::make_rng(), last: 0 })))
    }

    /// The same sequence in every run: for tests and for demo data only.
    pub fn seeded(seed: u64) -> Self {
        Self(Arc::new(Mutex::new(Source { dice: StdRng::seed_from_u64(seed), last: 0 })))
    }

    /// Returns `N` random bytes.
    pub fn bytes<const N: usize>(&self) -> [u8; N] {
        let mut bytes = [0; N];
        self.0.lock().dice.fill_bytes(&mut bytes);
        bytes
    }

    /// Returns a random number below `end`, or 0 if `end` is 0.
    pub fn random_below(&self, end: u64) -> u64 {
        u64::from_le_bytes(self.bytes()).checked_rem(end).unwrap_or(0)
    }

    /// Creates a UUID of version 7 (RFC 9562), ordered by `at`; its other 74 bits cannot be guessed.
    pub fn uuid(&self, at: Timestamp) -> Uuid {
        self.0.lock().uuid(u64::try_from(at.millis()).unwrap_or(0))
    }

    /// Creates a UUID of version 7 that sorts after all that this created before, also within one millisecond and when the
    /// clock goes back by less than a second.
    pub fn ordered_uuid(&self, now: Timestamp) -> Uuid {
        self.0.lock().ordered_uuid(u64::try_from(now.millis()).unwrap_or(0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn timestamp_format_matches_jiff(millis in -62_135_596_800_000_i64..253_402_207_200_000) {
            let at = Timestamp::from_millis(millis);
            proptest::prop_assert_eq!(at.to_string(), format!("{:.3}", at.jiff()));
        }
    }

    #[test]
    fn ids_of_one_millisecond_keep_their_creation_order() {
        let entropy = Entropy::seeded(3);
        let at = Timestamp::from_millis(1_700_000_000_000);
        let ids: Vec<Uuid> = (0..10_000)
            .map(|n| {
                // Others need ids of other times in between, such as requests (F-R10), and the clock may be set back.
                entropy.uuid(at.plus_millis(n % 3 - 1));
                entropy.ordered_uuid(at.plus_millis(-(n % 2)))
            })
            .collect();
        assert!(ids.is_sorted_by(|a, b| a < b));
        assert!(ids.iter().all(|id| id.get_version_num() == 7 && id.get_variant() == uuid::Variant::RFC4122));
        assert!(ids.iter().all(|id| id.as_u128() >> 80 == 1_700_000_000_000));
        assert!(entropy.ordered_uuid(at.plus_millis(1)) > ids[9_999]);
    }
}
