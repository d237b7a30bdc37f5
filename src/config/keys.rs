//! All settings: their names, parsers and formatters.

use std::{net::IpAddr, path::PathBuf, str::FromStr};

use url::Url;

use super::{
    Config,
    alerts::webhook,
    listen::tcp_address,
    values::{Secret, one_of, parse_duration, parse_size, show_duration, show_size},
};

/// The colour schemes of tenants and of the installation.
pub const COLOR_SCHEMES: [&str; 21] = [
    "default", "purple", "brand", "teal", "rose", "amber", "blue", "green", "indigo", "lime", "cyan", "emerald",
    "fuchsia", "orange", "pink", "red", "sky", "slate", "stone", "violet", "yellow",
];

/// A value as it was written, before its key parses it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Raw {
    /// Text: quoted in the file, or the whole value of a variable or flag.
    Text(String),
    /// A whole number in the file.
    Number(String),
    /// A list in the file.
    List(Vec<String>),
}

/// A setting. `read` parses a value into the configuration, or returns what was expected; `show` formats the value as
/// in the file.
pub(super) struct Key {
    pub name: &'static str,
    /// Whether `config show` hides the value.
    pub secret: bool,
    pub read: fn(&mut Config, &Raw) -> Result<(), String>,
    pub show: fn(&Config) -> String,
}

impl Key {
    /// Returns the setting of a name.
    pub fn of(name: &str) -> Option<&'static Self> {
        KEYS.iter().find(|key| key.name == name)
    }

    /// Returns the environment variable of this setting.
    pub fn variable(&self) -> String {
        format!("ATRIUM_{}", self.name.replace('.', "_").to_ascii_uppercase())
    }
}

fn text(raw: &Raw) -> Result<&str, String> {
    match raw {
        Raw::Text(text) => without_nul(text.trim()),
        Raw::Number(_) | Raw::List(_) => Err("expected text in quotes".to_owned()),
    }
}

/// Refuses the character NUL, which neither paths nor arguments can have.
fn without_nul(text: &str) -> Result<&str, String> {
    if text.contains('\0') { Err("expected text without NUL".to_owned()) } else { Ok(text) }
}

fn parsed<T: FromStr<Err = String>>(raw: &Raw) -> Result<T, String> {
    text(raw)?.parse()
}

fn number(raw: &Raw, least: u64, most: u64) -> Result<u64, String> {
    let expected = || format!("expected a whole number from {least} to {most}");
    let (Raw::Text(digits) | Raw::Number(digits)) = raw else {
        return Err(expected());
    };
    let number = digits.trim().replace('_', "").parse().map_err(|_| expected())?;
    if (least..=most).contains(&number) { Ok(number) } else { Err(expected()) }
}

fn count<T: TryFrom<u64>>(raw: &Raw, least: u64, most: u32) -> Result<T, String> {
    let number = number(raw, least, u64::from(most))?;
    T::try_from(number).map_err(|_| format!("expected at most {most}"))
}

fn size(raw: &Raw, least: u64, most: u64) -> Result<u64, String> {
    let (Raw::Text(written) | Raw::Number(written)) = raw else {
        return Err("expected a size such as 65536 or \"64KiB\"".to_owned());
    };
    let bytes = parse_size(written)?;
    if (least..=most).contains(&bytes) {
        Ok(bytes)
    } else {
        Err(format!("expected a size from {} to {}", show_size(least), show_size(most)))
    }
}

fn duration(raw: &Raw) -> Result<std::time::Duration, String> {
    let duration = parse_duration(text(raw)?)?;
    if duration.is_zero() {
        return Err("expected more than nothing".to_owned());
    }
    Ok(duration)
}

fn optional<T>(raw: &Raw, read: impl FnOnce(&str) -> Result<T, String>) -> Result<Option<T>, String> {
    match text(raw)? {
        "" => Ok(None),
        written => read(written).map(Some),
    }
}

/// Parses a host name of letters, digits, hyphens and dots, as in a Host header.
pub(super) fn host_name(written: &str) -> Result<String, String> {
    let fits = |label: &str| {
        (1..=63).contains(&label.len())
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    if written.len() <= 253 && written.split('.').all(fits) {
        Ok(written.to_ascii_lowercase())
    } else {
        Err("expected a host name such as \"atrium.example\"".to_owned())
    }
}

/// Parses a host name or an IP address.
fn host_or_address(written: &str) -> Result<String, String> {
    if written.parse::<IpAddr>().is_ok() { Ok(written.to_owned()) } else { host_name(written) }
}

/// Parses a single e-mail address. Its domain may have no dots, as in some internal networks.
fn mail_address(written: &str) -> Result<String, String> {
    let expected = || "expected an e-mail address such as \"atrium@acme.example\"".to_owned();
    let (local, domain) = written.rsplit_once('@').ok_or_else(expected)?;
    let plain = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-/=?^_`{|}~.".contains(c);
    let fits = (1..=64).contains(&local.len())
        && local.chars().all(plain)
        && !local.starts_with('.')
        && !local.ends_with('.')
        && !local.contains("..");
    if fits && host_name(domain).is_ok() { Ok(written.to_owned()) } else { Err(expected()) }
}

/// Parses the public address of the installation: scheme, host and port, nothing else.
fn public_url(written: &str) -> Result<Url, String> {
    let expected = || "expected an address such as \"https://atrium.example\", without a path".to_owned();
    let url = Url::parse(written).map_err(|_| expected())?;
    let bare = matches!(url.scheme(), "http" | "https")
        && url.has_host()
        && url.path() == "/"
        && url.query().is_none()
        && url.fragment().is_none()
        && url.username().is_empty()
        && url.password().is_none();
    if bare { Ok(url) } else { Err(expected()) }
}

/// Parses a contact address: a `mailto` or https address.
fn contact(written: &str) -> Result<Url, String> {
    let expected =
        || "expected an address such as \"mailto:security@acme.example\" or \"https://acme.example/security\"";
    let url = Url::parse(written).map_err(|_| expected())?;
    if matches!(url.scheme(), "mailto" | "https") { Ok(url) } else { Err(expected().to_owned()) }
}

/// Parses the address of an ACME directory.
fn acme_directory(written: &str) -> Result<Url, String> {
    let expected = || "expected an https address such as \"https://acme.example/directory\"".to_owned();
    Url::parse(written).ok().filter(|url| url.scheme() == "https" && url.has_host()).ok_or_else(expected)
}

/// Parses the address of an OpenID Connect provider, as the provider writes it.
fn issuer(written: &str) -> Result<String, String> {
    let expected = || format!("{written:?} is no https address of a provider such as \"https://id.example\"");
    let url = Url::parse(written).map_err(|_| expected())?;
    let local = matches!(url.host_str(), Some("localhost" | "127.0.0.1" | "[::1]"));
    let bare =
        url.query().is_none() && url.fragment().is_none() && url.username().is_empty() && url.password().is_none();
    let safe = url.scheme() == "https" || (url.scheme() == "http" && local);
    if safe && bare && url.has_host() { Ok(written.to_owned()) } else { Err(expected()) }
}

fn list(raw: &Raw) -> Result<Vec<String>, String> {
    match raw {
        Raw::List(items) => items.iter().map(|item| without_nul(item).map(ToOwned::to_owned)).collect(),
        Raw::Text(_) => {
            let items = text(raw)?.split(',').map(str::trim).filter(|item| !item.is_empty());
            Ok(items.map(ToOwned::to_owned).collect())
        }
        Raw::Number(_) => Err("expected a list".to_owned()),
    }
}

/// Quotes text for the file. JSON's escapes are a subset of TOML's.
pub(super) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn quoted_or_empty<T: ToString>(value: Option<&T>) -> String {
    quoted(&value.map(ToString::to_string).unwrap_or_default())
}

fn quoted_path(path: Option<&PathBuf>) -> String {
    quoted(&path.map(|path| path.display().to_string()).unwrap_or_default())
}

fn quoted_list<T: ToString>(items: &[T]) -> String {
    let items: Vec<String> = items.iter().map(|item| quoted(&item.to_string())).collect();
    format!("[{}]", items.join(", "))
}

/// Declares a key whose value is a duration.
macro_rules! duration_key {
    ($name:literal, $($field:ident).+) => {
        Key {
            name: $name,
            secret: false,
            read: |config, raw| { config.$($field).+ = duration(raw)?; Ok(()) },
            show: |config| quoted(&show_duration(config.$($field).+)),
        }
    };
}

/// Declares a key whose value is a count.
macro_rules! count_key {
    ($name:literal, $($field:ident).+, $least:literal ..= $most:literal) => {
        Key {
            name: $name,
            secret: false,
            read: |config, raw| { config.$($field).+ = count(raw, $least, $most)?; Ok(()) },
            show: |config| config.$($field).+.to_string(),
        }
    };
}

/// Declares a key whose value is an optional path.
macro_rules! path_key {
    ($name:literal, $($field:ident).+) => {
        Key {
            name: $name,
            secret: false,
            read: |config, raw| {
                config.$($field).+ = optional(raw, |written| Ok(PathBuf::from(written)))?;
                Ok(())
            },
            show: |config| quoted_path(config.$($field).+.as_ref()),
        }
    };
}

/// All settings, in the order in which they are shown.
pub(super) const KEYS: &[Key] = &[
    Key {
        name: "listen",
        secret: false,
        read: |config, raw| {
            config.listen = parsed(raw)?;
            Ok(())
        },
        show: |config| quoted(&config.listen.to_string()),
    },
    Key {
        name: "data_dir",
        secret: false,
        read: |config, raw| match text(raw)? {
            "" => Err("expected a folder".to_owned()),
            written => {
                config.data_dir = PathBuf::from(written);
                Ok(())
            }
        },
        show: |config| quoted(&config.data_dir.display().to_string()),
    },
    Key {
        name: "base_domain",
        secret: false,
        read: |config, raw| {
            config.base_domain = optional(raw, host_name)?;
            Ok(())
        },
        show: |config| quoted_or_empty(config.base_domain.as_ref()),
    },
    Key {
        name: "public_url",
        secret: false,
        read: |config, raw| {
            config.public_url = optional(raw, public_url)?;
            Ok(())
        },
        show: |config| quoted_or_empty(config.public_url.as_ref()),
    },
    Key {
        name: "strict_transport",
        secret: false,
        read: |config, raw| {
            config.strict_transport = parsed(raw)?;
            Ok(())
        },
        show: |config| quoted(config.strict_transport.config_value()),
    },
    Key {
        name: "security_contact",
        secret: false,
        read: |config, raw| {
            config.security_contact = optional(raw, contact)?;
            Ok(())
        },
        show: |config| quoted_or_empty(config.security_contact.as_ref()),
    },
    Key {
        name: "trusted_proxies",
        secret: false,
        read: |config, raw| {
            config.trusted_proxies = list(raw)?.iter().map(|item| item.parse()).collect::<Result<_, String>>()?;
            Ok(())
        },
        show: |config| quoted_list(&config.trusted_proxies),
    },
    Key {
        name: "socket_origins",
        secret: false,
        read: |config, raw| {
            let origin = |item: &String| public_url(item).map(|url| url.origin().ascii_serialization());
            config.socket_origins = list(raw)?.iter().map(origin).collect::<Result<_, String>>()?;
            Ok(())
        },
        show: |config| quoted_list(&config.socket_origins),
    },
    Key {
        name: "signup",
        secret: false,
        read: |config, raw| {
            config.signup = parsed(raw)?;
            Ok(())
        },
        show: |config| quoted(config.signup.config_value()),
    },
    path_key!("languages", languages),
    path_key!("tls.certificate", tls.certificate),
    path_key!("tls.key", tls.key),
    Key {
        name: "tls.redirect",
        secret: false,
        read: |config, raw| {
            config.tls.redirect = optional(raw, tcp_address)?;
            Ok(())
        },
        show: |config| quoted_or_empty(config.tls.redirect.as_ref()),
    },
    Key {
        name: "acme.domains",
        secret: false,
        read: |config, raw| {
            config.acme.domains = list(raw)?.iter().map(|item| host_name(item)).collect::<Result<_, String>>()?;
            Ok(())
        },
        show: |config| quoted_list(&config.acme.domains),
    },
    Key {
        name: "acme.contact",
        secret: false,
        read: |config, raw| {
            config.acme.contact = optional(raw, mail_address)?;
            Ok(())
        },
        show: |config| quoted_or_empty(config.acme.contact.as_ref()),
    },
    Key {
        name: "acme.directory",
        secret: false,
        read: |config, raw| {
            config.acme.directory = acme_directory(text(raw)?)?;
            Ok(())
        },
        show: |config| quoted(config.acme.directory.as_str()),
    },
    path_key!("acme.ca_file", acme.ca_file),
    Key {
        name: "installation.name",
        secret: false,
        read: |config, raw| {
            let name = text(raw)?;
            if name.is_empty() || name.chars().count() > 100 || name.chars().any(char::is_control) {
                return Err("expected a name of 1 to 100 characters".to_owned());
            }
            name.clone_into(&mut config.installation.name);
            Ok(())
        },
        show: |config| quoted(&config.installation.name),
    },
    Key {
        name: "installation.color_scheme",
        secret: false,
        read: |config, raw| {
            let scheme = text(raw)?;
            if !COLOR_SCHEMES.contains(&scheme) {
                return Err(one_of(&COLOR_SCHEMES));
            }
            scheme.clone_into(&mut config.installation.color_scheme);
            Ok(())
        },
        show: |config| quoted(&config.installation.color_scheme),
    },
    Key {
        name: "limits.body",
        secret: false,
        read: |config, raw| {
            config.limits.body = size(raw, 1 << 10, 16 << 20)?;
            Ok(())
        },
        show: |config| quoted(&show_size(config.limits.body)),
    },
    Key {
        name: "limits.upload",
        secret: false,
        read: |config, raw| {
            config.limits.upload = size(raw, 1 << 10, 1 << 30)?;
            Ok(())
        },
        show: |config| quoted(&show_size(config.limits.upload)),
    },
    Key {
        name: "limits.import",
        secret: false,
        read: |config, raw| {
            config.limits.import = size(raw, 1 << 10, 1 << 30)?;
            Ok(())
        },
        show: |config| quoted(&show_size(config.limits.import)),
    },
    Key {
        name: "limits.files",
        secret: false,
        read: |config, raw| {
            config.limits.files = size(raw, 1 << 20, 1 << 44)?;
            Ok(())
        },
        show: |config| quoted(&show_size(config.limits.files)),
    },
    count_key!("limits.ledger_days", limits.ledger_days, 7..=36_500),
    duration_key!("limits.header_timeout", limits.header_timeout),
    duration_key!("limits.body_grace", limits.body_grace),
    Key {
        name: "limits.body_rate",
        secret: false,
        read: |config, raw| {
            config.limits.body_rate = size(raw, 1, 1 << 30)?;
            Ok(())
        },
        show: |config| quoted(&show_size(config.limits.body_rate)),
    },
    duration_key!("limits.request_timeout", limits.request_timeout),
    duration_key!("limits.write_stall", limits.write_stall),
    duration_key!("limits.keep_alive", limits.keep_alive),
    duration_key!("limits.stop", limits.stop),
    count_key!("limits.connections", limits.connections, 1..=1_000_000),
    count_key!("limits.connections_per_address", limits.connections_per_address, 0..=1_000_000),
    count_key!("limits.requests", limits.requests, 1..=100_000),
    count_key!("limits.requests_per_company", limits.requests_per_company, 0..=100_000),
    count_key!("limits.waiting", limits.waiting, 0..=100_000),
    count_key!("limits.sockets_per_company", limits.sockets_per_company, 1..=1_000_000),
    count_key!("sign_in.account_failures", sign_in.account_failures, 1..=1_000),
    count_key!("sign_in.address_failures", sign_in.address_failures, 1..=1_000_000),
    Key {
        name: "sign_in.longest_delay",
        secret: false,
        read: |config, raw| {
            let delay = duration(raw)?;
            if delay.subsec_nanos() != 0 {
                return Err("expected whole seconds".to_owned());
            }
            config.sign_in.longest_delay = delay;
            Ok(())
        },
        show: |config| quoted(&show_duration(config.sign_in.longest_delay)),
    },
    Key {
        name: "sign_in.issuers",
        secret: false,
        read: |config, raw| {
            config.sign_in.issuers = list(raw)?.iter().map(|item| issuer(item)).collect::<Result<_, String>>()?;
            Ok(())
        },
        show: |config| quoted_list(&config.sign_in.issuers),
    },
    Key {
        name: "mail.host",
        secret: false,
        read: |config, raw| {
            config.mail.host = optional(raw, host_or_address)?;
            Ok(())
        },
        show: |config| quoted_or_empty(config.mail.host.as_ref()),
    },
    Key {
        name: "mail.port",
        secret: false,
        read: |config, raw| {
            config.mail.port = Some(count(raw, 0, 65_535)?).filter(|port| *port != 0);
            Ok(())
        },
        show: |config| config.mail.port.unwrap_or_default().to_string(),
    },
    Key {
        name: "mail.security",
        secret: false,
        read: |config, raw| {
            config.mail.security = parsed(raw)?;
            Ok(())
        },
        show: |config| quoted(config.mail.security.config_value()),
    },
    path_key!("mail.ca_file", mail.ca_file),
    Key {
        name: "mail.user",
        secret: false,
        read: |config, raw| {
            config.mail.user = optional(raw, |written| Ok(written.to_owned()))?;
            Ok(())
        },
        show: |config| quoted_or_empty(config.mail.user.as_ref()),
    },
    Key {
        name: "mail.password",
        secret: true,
        read: |config, raw| {
            // Exactly as written: blanks are part of the password.
            text(raw)?;
            config.mail.password = match raw {
                Raw::Text(password) if !password.is_empty() => Some(Secret(password.clone())),
                _ => None,
            };
            Ok(())
        },
        show: |config| quoted(config.mail.password.as_ref().map_or("", |_| "set")),
    },
    path_key!("mail.password_file", mail.password_file),
    Key {
        name: "mail.from",
        secret: false,
        read: |config, raw| {
            config.mail.from = optional(raw, mail_address)?;
            Ok(())
        },
        show: |config| quoted_or_empty(config.mail.from.as_ref()),
    },
    Key {
        name: "mail.reply_to",
        secret: false,
        read: |config, raw| {
            config.mail.reply_to = optional(raw, mail_address)?;
            Ok(())
        },
        show: |config| quoted_or_empty(config.mail.reply_to.as_ref()),
    },
    path_key!("backup.folder", backup.folder),
    duration_key!("backup.every", backup.every),
    count_key!("backup.keep", backup.keep, 1..=10_000),
    path_key!("backup.passphrase_file", backup.passphrase_file),
    Key {
        name: "metrics.listen",
        secret: false,
        read: |config, raw| config.metrics.set_address(text(raw)?),
        show: |config| quoted(&config.metrics.written_address()),
    },
    path_key!("metrics.token_file", metrics.token_file),
    Key {
        name: "alerts.mail",
        secret: false,
        read: |config, raw| {
            config.alerts.mail = list(raw)?.iter().map(|item| mail_address(item)).collect::<Result<_, String>>()?;
            Ok(())
        },
        show: |config| quoted_list(&config.alerts.mail),
    },
    Key {
        name: "alerts.command",
        secret: false,
        read: |config, raw| {
            config.alerts.command = list(raw)?;
            Ok(())
        },
        show: |config| quoted_list(&config.alerts.command),
    },
    Key {
        // Such an address often is a secret itself.
        name: "alerts.webhook",
        secret: true,
        read: |config, raw| {
            config.alerts.webhook = optional(raw, webhook)?;
            Ok(())
        },
        show: |config| quoted_or_empty(config.alerts.webhook.as_ref()),
    },
    path_key!("alerts.webhook_secret_file", alerts.webhook_secret_file),
    Key {
        name: "log.format",
        secret: false,
        read: |config, raw| {
            config.log.format = parsed(raw)?;
            Ok(())
        },
        show: |config| quoted(config.log.format.config_value()),
    },
    Key {
        name: "log.level",
        secret: false,
        read: |config, raw| {
            config.log.level = parsed(raw)?;
            Ok(())
        },
        show: |config| quoted(config.log.level.config_value()),
    },
    Key {
        name: "log.access",
        secret: false,
        read: |config, raw| {
            config.log.access = parsed(raw)?;
            Ok(())
        },
        show: |config| quoted(config.log.access.config_value()),
    },
];
