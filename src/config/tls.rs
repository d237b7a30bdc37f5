//! Settings of TLS: the server's certificate, from files or from an authority by ACME, and the redirect from http.

use std::{fs, net::SocketAddr, path::PathBuf};

use url::Url;

use super::{Config, ListenAddress};

/// The directory of Let's Encrypt.
const LETS_ENCRYPT: &str = "https://acme-v02.api.letsencrypt.org/directory";

/// How the server encrypts its connections. Without a certificate it does not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tls {
    /// The file with the certificate chain, in PEM.
    pub certificate: Option<PathBuf>,
    /// The file with the certificate's key, in PEM.
    pub key: Option<PathBuf>,
    /// Where the server also listens for http, and redirects to https.
    pub redirect: Option<SocketAddr>,
}

/// Certificates from an authority by ACME (RFC 8555).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Acme {
    /// The host names that get a certificate, one each; none: ACME is off.
    pub domains: Vec<String>,
    /// The e-mail address to which the authority may write.
    pub contact: Option<String>,
    /// The address of the authority's directory.
    pub directory: Url,
    /// Certificates that are trusted for the directory in addition to the well-known authorities, in PEM.
    pub ca_file: Option<PathBuf>,
}

impl Default for Acme {
    fn default() -> Self {
        let directory = Url::parse(LETS_ENCRYPT).expect("a constant address");
        Self { domains: Vec::new(), contact: None, directory, ca_file: None }
    }
}

impl Config {
    /// Whether the server itself encrypts its connections.
    pub fn has_tls(&self) -> bool {
        self.tls.certificate.is_some() || !self.acme.domains.is_empty()
    }
}

/// Returns the faults of the settings, by key and reason.
pub(super) fn faults(config: &Config) -> Vec<(&'static str, String)> {
    let Config { tls, acme, .. } = config;
    let mut faults = Vec::new();
    let set = if acme.domains.is_empty() { "tls.certificate" } else { "acme.domains" };
    for (key, file) in [("tls.certificate", &tls.certificate), ("tls.key", &tls.key), ("acme.ca_file", &acme.ca_file)] {
        if let Some(file) = file
            && let Err(error) = fs::metadata(file)
        {
            faults.push((key, format!("{}: {error}", file.display())));
        }
    }
    match (&tls.certificate, &tls.key) {
        (Some(_), None) => faults.push(("tls.certificate", "tls.key must be set with it".to_owned())),
        (None, Some(_)) => faults.push(("tls.key", "tls.certificate must be set with it".to_owned())),
        (Some(_), Some(_)) if !acme.domains.is_empty() => {
            faults.push(("acme.domains", "tls.certificate is set, too: only one of them can be used".to_owned()));
        }
        _ => {}
    }
    if tls.redirect.is_some() && !config.has_tls() {
        faults.push(("tls.redirect", "tls.certificate or acme.domains must be set with it".to_owned()));
    }
    if !config.has_tls() {
        return faults;
    }
    if matches!(config.listen, ListenAddress::Unix(_)) {
        faults.push((set, "listen must be an address and a port: Unix sockets are not encrypted".to_owned()));
    }
    if !config.is_https() {
        faults.push((set, "public_url must be set with it, and begin with https".to_owned()));
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_incomplete_and_contradicting_settings() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file.pem");
        fs::write(&file, "").unwrap();
        let keys = |change: &dyn Fn(&mut Config)| {
            let mut config = Config { public_url: Url::parse("https://atrium.example").ok(), ..Config::default() };
            change(&mut config);
            faults(&config).into_iter().map(|(key, _)| key).collect::<Vec<_>>()
        };
        let certified = |config: &mut Config| {
            config.tls.certificate = Some(file.clone());
            config.tls.key = Some(file.clone());
        };
        let by_acme = |config: &mut Config| config.acme.domains = vec!["atrium.example".to_owned()];
        assert!(keys(&|_| {}).is_empty());
        assert!(keys(&certified).is_empty());
        assert!(keys(&by_acme).is_empty());
        assert_eq!(keys(&|config| config.tls.certificate = Some(file.clone())), ["tls.certificate"]);
        assert_eq!(keys(&|config| config.tls.key = Some(file.clone())), ["tls.key"]);
        let missing = |config: &mut Config| {
            certified(config);
            config.tls.key = Some(folder.path().join("missing"));
        };
        assert_eq!(keys(&missing), ["tls.key"]);
        let both = |config: &mut Config| {
            certified(config);
            by_acme(config);
        };
        assert_eq!(keys(&both), ["acme.domains"]);
        assert_eq!(keys(&|config| config.tls.redirect = Some(([0, 0, 0, 0], 80).into())), ["tls.redirect"]);
        for address in [None, Some("http://atrium.example")] {
            let plain = |config: &mut Config| {
                certified(config);
                config.public_url = address.and_then(|address| Url::parse(address).ok());
            };
            assert_eq!(keys(&plain), ["tls.certificate"]);
        }
        let socket = |config: &mut Config| {
            by_acme(config);
            config.listen = ListenAddress::Unix("/run/atrium.sock".into());
        };
        assert_eq!(keys(&socket), ["acme.domains"]);
    }
}
