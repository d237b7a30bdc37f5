//! The answers of `atrium init`: what flags say, what is asked, and the defaults that follow.

use std::{collections::BTreeMap, io};

use url::Url;

use super::{Encryption, Init, questions::Questions};

/// The settings by their keys, as far as they are known.
pub struct Answers {
    settings: BTreeMap<&'static str, String>,
    encryption: Option<Encryption>,
    /// Defaults that depend on the machine.
    defaults: BTreeMap<&'static str, String>,
    /// Whether the environment has the password at the mail server.
    has_mail_password: bool,
}

impl Answers {
    /// Takes over what the flags say. `has_mail_password` is whether the environment has that password.
    pub fn of(flags: Init, defaults: &[(&'static str, String)], has_mail_password: bool) -> Self {
        let given = [
            ("public_url", flags.public_url),
            ("listen", flags.listen),
            ("tls.certificate", flags.certificate),
            ("tls.key", flags.key),
            ("tls.redirect", flags.redirect),
            ("acme.contact", flags.acme_contact),
            ("acme.directory", flags.acme_directory),
            ("acme.ca_file", flags.acme_ca_file),
            ("trusted_proxies", flags.trusted_proxies),
            ("mail.host", flags.mail_host),
            ("mail.port", flags.mail_port),
            ("mail.security", flags.mail_security),
            ("mail.from", flags.mail_from),
            ("mail.user", flags.mail_user),
            ("mail.password_file", flags.mail_password_file),
            ("backup.folder", flags.backup_folder),
            ("backup.passphrase_file", flags.backup_passphrase_file),
        ];
        let settings = given.into_iter().filter_map(|(key, value)| Some((key, value?))).collect();
        Self { settings, encryption: flags.tls, defaults: defaults.iter().cloned().collect(), has_mail_password }
    }

    /// Returns the settings.
    pub fn settings(self) -> Vec<(&'static str, String)> {
        self.settings.into_iter().collect()
    }

    /// Asks for what is not known, if there are questions, and adds the defaults that follow.
    pub fn complete(mut self, mut ask: Option<&mut Questions<'_>>) -> io::Result<Self> {
        let ask = &mut ask;
        self.settle(ask, "public_url", "The address at which people reach Atrium, such as https://atrium.example", "")?;
        let url = self.get("public_url").and_then(|url| Url::parse(url).ok());
        let is_https = url.as_ref().is_some_and(|url| url.scheme() == "https");
        let encryption = match (self.encryption, ask.as_deref_mut()) {
            (Some(known), _) => known,
            (None, Some(questions)) if is_https => questions.encryption()?,
            (None, _) if is_https => Encryption::Acme,
            (None, _) => Encryption::None,
        };
        match encryption {
            Encryption::Acme => {
                let host = url.as_ref().and_then(Url::host_str).unwrap_or_default().to_owned();
                self.add("acme.domains", host);
                self.settle(ask, "acme.contact", "Your e-mail address, to which the authority may write", "")?;
            }
            Encryption::Files => {
                self.settle(ask, "tls.certificate", "The file with the certificate (PEM)", "")?;
                self.settle(ask, "tls.key", "The file with its key (PEM)", "")?;
            }
            Encryption::Proxy => {
                self.settle(ask, "listen", "Where Atrium listens for the proxy", "127.0.0.1:8080")?;
                if self.get("listen").is_some_and(|listen| !listen.starts_with("unix:")) {
                    self.settle(ask, "trusted_proxies", "The proxy's address", "127.0.0.1")?;
                }
            }
            Encryption::None => self.settle(ask, "listen", "Where Atrium listens", "127.0.0.1:8080")?,
        }
        if matches!(encryption, Encryption::Acme | Encryption::Files) {
            let port = url.as_ref().and_then(Url::port).unwrap_or(443);
            self.add("listen", format!("0.0.0.0:{port}"));
            if port == 443 {
                self.add("tls.redirect", "0.0.0.0:80".to_owned());
            }
        }
        self.complete_mail(ask, url.as_ref().and_then(Url::host_str))?;
        let folder = self.defaults.get("backup.folder").cloned().unwrap_or_default();
        self.settle(ask, "backup.folder", "The folder for daily backups, on another disk", &folder)?;
        self.add("data_dir", self.defaults.get("data_dir").cloned().unwrap_or_default());
        Ok(self)
    }

    /// Asks for the mail server. Links in e-mails need a public address.
    fn complete_mail(&mut self, ask: &mut Option<&mut Questions<'_>>, host: Option<&str>) -> io::Result<()> {
        let Some(host) = host else { return Ok(()) };
        self.settle(ask, "mail.host", "The mail server; without one, e-mails stay in the data directory", "")?;
        if self.get("mail.host").is_none() {
            return Ok(());
        }
        self.settle(ask, "mail.security", "Its encryption: starttls, tls or none", "starttls")?;
        self.settle(ask, "mail.from", "The sender's address of e-mails", &format!("atrium@{host}"))?;
        self.settle(ask, "mail.user", "The user name at the mail server", "")?;
        let has_password = self.has_mail_password || self.settings.contains_key("mail.password_file");
        if let Some(questions) = ask.as_deref_mut()
            && self.get("mail.user").is_some()
            && !has_password
        {
            let password = questions.password("The password at the mail server")?;
            self.add("mail.password", password);
        }
        Ok(())
    }

    /// Asks for a setting that no flag sets; without questions, it has the default. An empty answer leaves it unset.
    fn settle(
        &mut self,
        ask: &mut Option<&mut Questions<'_>>,
        key: &'static str,
        question: &str,
        default: &str,
    ) -> io::Result<()> {
        if self.settings.contains_key(key) {
            return Ok(());
        }
        let answer = match ask {
            Some(questions) => questions.setting(key, question, default)?,
            None => default.to_owned(),
        };
        self.add(key, answer);
        Ok(())
    }

    fn get(&self, key: &str) -> Option<&String> {
        self.settings.get(key)
    }

    /// Adds a setting unless it is known or empty.
    fn add(&mut self, key: &'static str, value: String) {
        if !value.is_empty() {
            self.settings.entry(key).or_insert(value);
        }
    }
}
