//! Value types of settings: durations, sizes, networks, secrets and choices; each is parsed from text and written back
//! in the same format.

use std::{
    fmt,
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
    path::Path,
    str::FromStr,
    time::Duration,
};

use super::file::read_text;
use crate::kernel::Error;

/// Units of time in milliseconds, longest first: a value is written with the longest unit that fits exactly.
const TIME_UNITS: [(&str, u64); 5] = [("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1)];

/// Units of size in bytes, largest first.
const SIZE_UNITS: [(&str, u64); 4] = [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10), ("B", 1)];

/// Splits `10 s` into its number and its unit.
fn split_unit(text: &str) -> Option<(u64, &str)> {
    let text = text.trim();
    let end = text.find(|character: char| !character.is_ascii_digit()).unwrap_or(text.len());
    let number = text.get(..end)?.parse().ok()?;
    Some((number, text.get(end..)?.trim()))
}

/// Parses a duration: a whole number with `ms`, `s`, `m`, `h` or `d`.
/// Errors: A sentence about the expected format.
pub(super) fn parse_duration(text: &str) -> Result<Duration, String> {
    let expected = || "expected a length of time such as \"500ms\", \"10s\", \"15m\" or \"12h\"".to_owned();
    let (number, unit) = split_unit(text).ok_or_else(expected)?;
    let (_, factor) = TIME_UNITS.iter().find(|(name, _)| *name == unit).ok_or_else(expected)?;
    number.checked_mul(*factor).map(Duration::from_millis).ok_or_else(expected)
}

/// Writes a duration as [`parse_duration`] reads it, in whole milliseconds.
pub(super) fn show_duration(duration: Duration) -> String {
    let millis = u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
    let (name, factor) = TIME_UNITS
        .iter()
        .find(|(name, factor)| (millis > 0 || *name == "s") && millis.is_multiple_of(*factor))
        .unwrap_or(&("ms", 1));
    format!("{}{name}", millis / factor)
}

/// Parses a size in bytes: a whole number, alone or with `B`, `KiB`, `MiB` or `GiB`.
/// Errors: A sentence about the expected format.
pub(super) fn parse_size(text: &str) -> Result<u64, String> {
    let expected = || "expected a size such as 65536, \"64KiB\" or \"6MiB\"".to_owned();
    let (number, unit) = split_unit(text).ok_or_else(expected)?;
    if unit.is_empty() {
        return Ok(number);
    }
    let (_, factor) = SIZE_UNITS.iter().find(|(name, _)| *name == unit).ok_or_else(expected)?;
    number.checked_mul(*factor).ok_or_else(expected)
}

/// Writes a size as [`parse_size`] reads it.
pub(super) fn show_size(bytes: u64) -> String {
    let (name, factor) =
        SIZE_UNITS.iter().find(|(_, factor)| bytes > 0 && bytes.is_multiple_of(*factor)).unwrap_or(&("B", 1));
    format!("{}{name}", bytes / factor)
}

/// A range of IP addresses, as in `10.0.0.0/8`; a single address is a range of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Network {
    address: IpAddr,
    prefix: u8,
}

/// Returns the bits of an address, left-aligned in 128, and their number.
fn bits(address: IpAddr) -> (u128, u8) {
    match address {
        IpAddr::V4(v4) => (u128::from(v4.to_bits()) << 96, 32),
        IpAddr::V6(v6) => (v6.to_bits(), 128),
    }
}

impl Network {
    /// Returns the range of the address that clients of a Unix socket have.
    pub const fn this_machine() -> Self {
        Self { address: IpAddr::V4(Ipv4Addr::LOCALHOST), prefix: 32 }
    }

    /// Whether an address of this machine itself is in the range.
    pub fn has_loopback(&self) -> bool {
        let loopback: [IpAddr; 2] = [Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()];
        self.address.is_loopback() || loopback.into_iter().any(|address| self.contains(address))
    }

    /// Whether every address is in the range.
    pub const fn is_everything(&self) -> bool {
        self.prefix == 0
    }

    /// Whether the address is in the range. An IPv4 address mapped into IPv6 counts as IPv4.
    pub fn contains(&self, address: IpAddr) -> bool {
        let (ours, width) = bits(self.address);
        let (theirs, their_width) = bits(address.to_canonical());
        let differing = (ours ^ theirs).leading_zeros();
        width == their_width && differing >= u32::from(self.prefix)
    }
}

impl FromStr for Network {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let expected = || format!("{text:?} is not an address or a range such as \"10.0.0.0/8\"");
        let (address, prefix) = match text.trim().split_once('/') {
            Some((address, prefix)) => (address, Some(prefix)),
            None => (text.trim(), None),
        };
        let address: IpAddr = address.parse().map_err(|_| expected())?;
        let width = bits(address).1;
        let prefix = match prefix {
            Some(prefix) => prefix.parse().map_err(|_| expected())?,
            None => width,
        };
        if prefix > width {
            return Err(expected());
        }
        Ok(Self { address, prefix })
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.prefix == bits(self.address).1 {
            write!(f, "{}", self.address)
        } else {
            write!(f, "{}/{}", self.address, self.prefix)
        }
    }
}

/// Reads the secret in the first line of a file, as `tidy` leaves it.
/// Errors: `internal` when the file cannot be read, or the secret has fewer than `shortest` characters.
pub(super) fn read_secret(file: &Path, tidy: fn(&str) -> &str, shortest: usize) -> Result<String, Error> {
    let failed = |why: &dyn fmt::Display| Error::internal(format_args!("{}: {why}", file.display()));
    let text = read_text(file).map_err(|error| failed(&error))?;
    let secret = tidy(text.lines().next().unwrap_or_default());
    if secret.chars().count() < shortest {
        return Err(failed(&format_args!("expected a first line of at least {shortest} characters")));
    }
    Ok(secret.to_owned())
}

/// Text that is never displayed.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(pub String);

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("********")
    }
}

/// Declares an enum whose values are written as words.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name { $($(#[$variant_doc])* $variant,)+ }

        impl $name {
            /// Returns the word in the configuration.
            pub fn config_value(self) -> &'static str {
                match self { $(Self::$variant => $word,)+ }
            }
        }

        impl FromStr for $name {
            type Err = String;

            fn from_str(text: &str) -> Result<Self, String> {
                match text {
                    $($word => Ok(Self::$variant),)+
                    _ => Err(super::values::one_of(&[$($word),+])),
                }
            }
        }
    };
}

words! {
    /// Whether a sign-up may create a tenant.
    Signup {
        /// Always.
        Open = "open",
        /// Only on an installation without a tenant.
        First = "first",
        /// Never: tenants are created on the command line.
        Closed = "closed",
    }
}

words! {
    /// The scope of HSTS, for browsers that use https.
    StrictTransport {
        /// None.
        Off = "off",
        /// The host of the request.
        Host = "host",
        /// The host and all its subdomains.
        Subdomains = "subdomains",
    }
}

words! {
    /// Encryption of the connection to the mail server.
    MailSecurity {
        /// STARTTLS: the connection is encrypted before any mail or password is sent.
        Starttls = "starttls",
        /// TLS from the start.
        Tls = "tls",
        /// None: for a server on the same machine or in the same trusted network.
        None = "none",
    }
}

words! {
    /// The format of log lines.
    LogFormat {
        /// One line of text, for people.
        Text = "text",
        /// One JSON object per line, for programs.
        Json = "json",
    }
}

words! {
    /// Whether each request is logged.
    AccessLog {
        /// Requests are logged.
        On = "on",
        /// Requests are not logged.
        Off = "off",
    }
}

words! {
    /// The least severe level that is logged.
    LogLevel {
        /// Failures only.
        Error = "error",
        /// Also warnings.
        Warn = "warn",
        /// Also each start and stop, and scheduled work.
        Info = "info",
        /// Also what helps to find a fault.
        Debug = "debug",
        /// Everything.
        Trace = "trace",
    }
}

/// Returns the sentence for a value that is none of the allowed words.
pub(super) fn one_of(words: &[&str]) -> String {
    format!("expected one of {}", words.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_round_trip_and_invalid_ones_are_rejected() {
        for text in ["500ms", "10s", "15m", "12h", "7d", "90s", "0s"] {
            assert_eq!(show_duration(parse_duration(text).unwrap()), text);
        }
        assert_eq!(parse_duration(" 10 s "), Ok(Duration::from_secs(10)));
        for text in ["", "10", "s", "-1s", "1.5s", "10 weeks", "99999999999999999999s", "18446744073709551615d"] {
            assert!(parse_duration(text).is_err(), "{text}");
        }
    }

    #[test]
    fn sizes_round_trip_and_invalid_ones_are_rejected() {
        for text in ["1GiB", "6MiB", "64KiB", "1000B", "0B"] {
            assert_eq!(show_size(parse_size(text).unwrap()), text);
        }
        assert_eq!(parse_size("65536"), Ok(65_536));
        for text in ["", "KiB", "-1", "1.5MiB", "64 kb", "18446744073709551615KiB"] {
            assert!(parse_size(text).is_err(), "{text}");
        }
    }

    #[test]
    fn networks_contain_exactly_their_addresses() {
        let table = [
            ("10.0.0.0/8", "10.200.1.1", true),
            ("10.0.0.0/8", "11.0.0.1", false),
            ("10.0.0.0/8", "::ffff:10.1.1.1", true),
            ("127.0.0.1", "127.0.0.1", true),
            ("127.0.0.1", "127.0.0.2", false),
            ("0.0.0.0/0", "203.0.113.9", true),
            ("0.0.0.0/0", "2001:db8::1", false),
            ("2001:db8::/32", "2001:db8:1::1", true),
            ("2001:db8::/32", "2001:db9::1", false),
            ("::/0", "203.0.113.9", false),
        ];
        for (network, address, inside) in table {
            let parsed: Network = network.parse().unwrap();
            assert_eq!(parsed.to_string(), network);
            assert_eq!(parsed.contains(address.parse().unwrap()), inside, "{address} in {network}");
        }
        let local = ["127.0.0.1", "127.0.0.0/8", "127.9.9.9", "::1", "0.0.0.0/0", "::/0", "10.0.0.0/8", "2001:db8::1"]
            .map(|network| network.parse::<Network>().unwrap().has_loopback());
        assert_eq!(local, [true, true, true, true, true, true, false, false]);
        for text in ["", "10.0.0.0/33", "10.0.0/8", "2001:db8::/129", "localhost", "10.0.0.1/x"] {
            assert!(text.parse::<Network>().is_err(), "{text}");
        }
    }
}
