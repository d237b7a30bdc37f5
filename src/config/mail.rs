//! Validation of the mail settings together, and the password file.

use std::{fs, net::IpAddr};

use super::{Config, MailSecurity, Secret};

/// Largest password file, in bytes.
const MAX_PASSWORD_FILE_BYTES: u64 = 4 << 10;

/// Reads the password from its file, if one is set. Returns the key and the reason of each fault.
pub(super) fn complete(config: &mut Config) -> Vec<(&'static str, String)> {
    let mut faults = Vec::new();
    if let Some(file) = &config.mail.password_file {
        let read = || {
            let about = fs::metadata(file).map_err(|error| error.to_string())?;
            if !about.is_file() || about.len() > MAX_PASSWORD_FILE_BYTES {
                return Err("expected a file with one line".to_owned());
            }
            let text = fs::read_to_string(file).map_err(|error| error.to_string())?;
            // Exactly the first line: blanks are part of the password.
            Ok(text.lines().next().unwrap_or_default().to_owned())
        };
        match (read(), &config.mail.password) {
            (_, Some(_)) => faults.push(("mail.password_file", "mail.password is set, too".to_owned())),
            (Ok(password), None) if password.is_empty() => {
                faults.push(("mail.password_file", format!("{} is empty", file.display())));
            }
            (Ok(password), None) => config.mail.password = Some(Secret(password)),
            (Err(reason), None) => faults.push(("mail.password_file", format!("{}: {reason}", file.display()))),
        }
    }
    let Some(host) = config.mail.host.clone() else { return faults };
    if config.public_url.is_none() {
        faults.push(("mail.host", "public_url must be set with it: links in e-mails begin with it".to_owned()));
    }
    if config.mail.from.is_none() {
        faults.push(("mail.host", "mail.from must be set with it".to_owned()));
    }
    match (&config.mail.user, &config.mail.password) {
        (Some(_), None) => faults.push(("mail.user", "its password is missing".to_owned())),
        (None, Some(_)) => faults.push(("mail.password", "its user is missing".to_owned())),
        (Some(_), Some(_)) if config.mail.security == MailSecurity::None && !is_loopback(&host) => {
            faults.push(("mail.security", "a password is only sent encrypted".to_owned()));
        }
        _ => {}
    }
    if let Some(file) = &config.mail.ca_file
        && let Err(error) = fs::metadata(file)
    {
        faults.push(("mail.ca_file", format!("{}: {error}", file.display())));
    }
    faults
}

/// Whether a host is this machine.
fn is_loopback(host: &str) -> bool {
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use url::Url;

    use super::*;

    fn with_host() -> Config {
        let mut config = Config { public_url: Url::parse("https://atrium.example").ok(), ..Config::default() };
        config.mail.host = Some("mail.example".into());
        config.mail.from = Some("atrium@acme.example".into());
        config
    }

    fn faults(change: impl FnOnce(&mut Config)) -> Vec<&'static str> {
        let mut config = with_host();
        change(&mut config);
        complete(&mut config).into_iter().map(|(key, _)| key).collect()
    }

    #[test]
    fn reports_incomplete_mail_settings() {
        assert_eq!(complete(&mut Config::default()), []);
        assert_eq!(faults(|_| {}), Vec::<&str>::new());
        assert_eq!(faults(|config| config.public_url = None), ["mail.host"]);
        assert_eq!(faults(|config| config.mail.from = None), ["mail.host"]);
        assert_eq!(faults(|config| config.mail.user = Some("a".into())), ["mail.user"]);
        assert_eq!(faults(|config| config.mail.password = Some(Secret("a".into()))), ["mail.password"]);
        assert_eq!(faults(|config| config.mail.ca_file = Some("/nowhere".into())), ["mail.ca_file"]);
        assert_eq!(faults(|config| config.mail.password_file = Some("/nowhere".into())), ["mail.password_file"]);
    }

    #[test]
    fn rejects_a_mail_password_without_encryption_except_on_localhost() {
        let open = |host: &'static str| {
            faults(move |config| {
                config.mail.host = Some(host.into());
                config.mail.security = MailSecurity::None;
                config.mail.user = Some("a".into());
                config.mail.password = Some(Secret("b".into()));
            })
        };
        assert_eq!(open("mail.example"), ["mail.security"]);
        assert_eq!(open("10.0.0.1"), ["mail.security"]);
        assert_eq!(open("localhost"), Vec::<&str>::new());
        assert_eq!(open("127.0.0.1"), Vec::<&str>::new());
    }

    #[test]
    fn password_is_read_from_a_file_and_hidden_in_debug_output() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("password");
        fs::write(&file, " canary with blanks \r\nmore\n").unwrap();
        let mut config = with_host();
        config.mail.user = Some("a".into());
        config.mail.password_file = Some(file);
        assert_eq!(complete(&mut config), []);
        assert_eq!(config.mail.password, Some(Secret(" canary with blanks ".into())));
        assert!(!format!("{config:?}").contains("canary"));
    }
}
