//! Settings of alerts to the operator.

use std::{
    fs,
    path::{Path, PathBuf},
};

use rustix::fs::{Access, access};
use url::{Host, Url};

use super::{Config, values::read_secret};
use crate::kernel::Result;

/// The shortest secret, in characters.
const SHORTEST_SECRET: usize = 16;

/// The most addresses.
const MAX_ADDRESSES: usize = 20;

/// How alerts are sent to the operator. Without a setting, they are only in the log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Alerts {
    /// The addresses that get an e-mail.
    pub mail: Vec<String>,
    /// The program that is run, and its arguments.
    pub command: Vec<String>,
    /// The address that gets a request.
    pub webhook: Option<Url>,
    /// The file whose first line is the secret that signs the requests.
    pub webhook_secret_file: Option<PathBuf>,
}

impl Alerts {
    /// Reads the secret from its file at each call, because it may have changed.
    /// Errors: `internal` when the file cannot be read, or its first line is too short.
    pub fn webhook_secret(&self) -> Result<Option<String>> {
        let read = |file| read_secret(file, str::trim, SHORTEST_SECRET);
        self.webhook_secret_file.as_deref().map(read).transpose()
    }
}

/// Parses the address of a webhook: https, or http to a machine that is named by a private address.
pub(super) fn webhook(written: &str) -> std::result::Result<Url, String> {
    let expected = || "expected an https address, or an http address with a private IP address as host".to_owned();
    let url = Url::parse(written).map_err(|_| expected())?;
    let is_private = match url.host() {
        Some(Host::Ipv4(address)) => address.is_loopback() || address.is_private() || address.is_link_local(),
        Some(Host::Ipv6(address)) => {
            address.is_loopback() || address.is_unique_local() || address.is_unicast_link_local()
        }
        Some(Host::Domain(name)) => name == "localhost",
        None => false,
    };
    let is_safe = url.scheme() == "https" || (url.scheme() == "http" && is_private);
    let is_bare = url.username().is_empty() && url.password().is_none() && url.fragment().is_none();
    if is_safe && is_bare && url.has_host() { Ok(url) } else { Err(expected()) }
}

/// Returns the faults of the settings, by key and reason.
pub(super) fn faults(config: &Config) -> Vec<(&'static str, String)> {
    let alerts = &config.alerts;
    let mut faults = Vec::new();
    if !alerts.mail.is_empty() && config.mail.host.is_none() {
        faults.push(("alerts.mail", "mail.host must be set with it".to_owned()));
    }
    if alerts.mail.len() > MAX_ADDRESSES {
        faults.push(("alerts.mail", format!("expected at most {MAX_ADDRESSES} addresses")));
    }
    if let Some(program) = alerts.command.first()
        && let Some(reason) = why_not_run(Path::new(program))
    {
        faults.push(("alerts.command", reason));
    }
    if let Err(error) = alerts.webhook_secret() {
        faults.push(("alerts.webhook_secret_file", error.detail().unwrap_or_default().to_owned()));
    }
    if alerts.webhook_secret_file.is_some() && alerts.webhook.is_none() {
        faults.push(("alerts.webhook_secret_file", "alerts.webhook must be set with it".to_owned()));
    }
    faults
}

/// Returns why a file cannot be run.
fn why_not_run(program: &Path) -> Option<String> {
    let about = |reason: &str| Some(format!("{}: {reason}", program.display()));
    if !program.is_absolute() {
        return about("expected the absolute path of a program");
    }
    match fs::metadata(program) {
        Ok(file) if !file.is_file() => about("this is no file"),
        Ok(_) => access(program, Access::EXEC_OK).err().and_then(|error| about(&error.to_string())),
        Err(error) => about(&error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_webhooks_by_https_and_at_private_addresses() {
        for (written, is_accepted) in [
            ("https://hooks.example/services/T0/B0/secret", true),
            ("https://hooks.example:8443/a?b=c", true),
            ("http://127.0.0.1:9000/alert", true),
            ("http://localhost/alert", true),
            ("http://10.1.2.3/", true),
            ("http://192.168.1.9/", true),
            ("http://[::1]:9000/", true),
            ("http://[fd00::7]/", true),
            ("http://hooks.example/", false),
            ("http://203.0.113.9/", false),
            ("http://[2001:db8::1]/", false),
            ("https://user:password@hooks.example/", false),
            ("https://hooks.example/#fragment", false),
            ("ftp://hooks.example/", false),
            ("hooks.example", false),
        ] {
            assert_eq!(webhook(written).is_ok(), is_accepted, "{written}");
        }
    }

    #[test]
    fn rejects_alerts_that_could_not_be_sent() {
        let folder = tempfile::tempdir().unwrap();
        let keys = |change: &dyn Fn(&mut Config)| {
            let mut config = Config::default();
            change(&mut config);
            faults(&config).into_iter().map(|(key, _)| key).collect::<Vec<_>>()
        };
        let file = folder.path().join("secret");
        fs::write(&file, "a secret that is long\n").unwrap();
        let short = folder.path().join("short");
        fs::write(&short, "short\n").unwrap();
        let hook = webhook("https://hooks.example/").ok();
        assert!(keys(&|_| {}).is_empty());
        assert_eq!(keys(&|config| config.alerts.mail = vec!["ops@acme.example".to_owned()]), ["alerts.mail"]);
        let with_host = |config: &mut Config, count| {
            config.mail.host = Some("mail.example".to_owned());
            config.alerts.mail = vec!["ops@acme.example".to_owned(); count];
        };
        assert!(keys(&|config| with_host(config, MAX_ADDRESSES)).is_empty());
        assert_eq!(keys(&|config| with_host(config, MAX_ADDRESSES + 1)), ["alerts.mail"]);
        assert!(keys(&|config| config.alerts.command = vec!["/bin/sh".to_owned(), "-c".to_owned()]).is_empty());
        for program in ["sh", "/no/such/program", "/etc", &file.display().to_string()] {
            assert_eq!(keys(&|config| config.alerts.command = vec![program.to_owned()]), ["alerts.command"]);
        }
        let signed = |config: &mut Config, file: &PathBuf| {
            config.alerts.webhook = hook.clone();
            config.alerts.webhook_secret_file = Some(file.clone());
        };
        assert!(keys(&|config| signed(config, &file)).is_empty());
        assert_eq!(keys(&|config| signed(config, &short)), ["alerts.webhook_secret_file"]);
        let alone = |config: &mut Config| config.alerts.webhook_secret_file = Some(file.clone());
        assert_eq!(keys(&alone), ["alerts.webhook_secret_file"]);
    }
}
