//! Checks of encryption.

use url::Url;

use super::{Check, Facts, Outcome, of_server, offline};
use crate::{
    cli::commands::doctor::facts::{certificate::CertificateFacts, network::Answer},
    config::{ListenAddress, StrictTransport},
    monitoring::duration,
};

/// Seconds before its end at which a certificate is a warning.
const SOON_SECONDS: i64 = 14 * 86_400;

/// Hosts of authorities for tests, besides those that are named `pebble`.
const TEST_AUTHORITIES: [&str; 1] = ["acme-staging-v02.api.letsencrypt.org"];

/// The checks of this group.
pub const CHECKS: &[Check] = &[
    Check {
        id: "tls.unreadable",
        looks_at: "whether the files of `tls.certificate` and `tls.key` are PEM",
        means: "The server does not start without them.",
        mend: "openssl x509 -in FILE -noout -text",
        fix: None,
        find: |facts| match &facts.certificate {
            Some(Err(why)) => {
                let file = facts.config.tls.certificate.as_ref().map(|file| file.display().to_string());
                Outcome::failing(format!("The certificate cannot be read: {why}."))
                    .with("FILE", file.unwrap_or_default())
            }
            _ => Outcome::Ok,
        },
    },
    Check {
        id: "tls.key_mismatch",
        looks_at: "whether the key belongs to the certificate",
        means: "The server does not start with it.",
        mend: "tls.key = \"/the/key/of/this/certificate.pem\"",
        fix: None,
        find: |facts| {
            certificate(facts, |facts| {
                facts.key_fault.as_ref().map(|why| Outcome::failing(format!("The key cannot be used: {why}.")))
            })
        },
    },
    Check {
        id: "tls.ending",
        looks_at: "when the certificate from files ends",
        means: "After that, browsers refuse the connection.",
        mend: "certbot renew",
        fix: None,
        find: |facts| {
            let now = facts.now;
            certificate(facts, |certificate| match certificate.seconds_left(now) {
                left if left <= 0 => {
                    let ago = duration(left.unsigned_abs());
                    Some(Outcome::failing(format!("The certificate ended {ago} ago.")))
                }
                left if left < SOON_SECONDS => {
                    Some(Outcome::warning(format!("The certificate ends in {}.", duration(left.unsigned_abs()))))
                }
                _ => None,
            })
        },
    },
    Check {
        id: "tls.name",
        looks_at: "whether the certificate is for the host of `public_url`",
        means: "Browsers warn people about the page.",
        mend: "certbot certonly -d HOST",
        fix: None,
        find: |facts| {
            let Some(host) = facts.config.public_url.as_ref().and_then(Url::host_str) else { return Outcome::Ok };
            certificate(facts, |certificate| {
                let names = certificate.names.join(", ");
                let message = format!("The certificate is for {names}, not for {host}.");
                (!certificate.is_for(host)).then(|| Outcome::failing(message).with("HOST", host))
            })
        },
    },
    Check {
        id: "tls.chain",
        looks_at: "whether the file has the certificates that lead to an authority",
        means: "Some clients refuse the connection, although browsers accept it.",
        mend: "tls.certificate = \"/etc/letsencrypt/live/HOST/fullchain.pem\"",
        fix: None,
        find: |facts| {
            let host = facts.config.public_url.as_ref().and_then(Url::host_str).unwrap_or("atrium.example").to_owned();
            certificate(facts, |certificate| {
                let issuer = &certificate.last_issuer;
                let is_alone = certificate.chain == 1;
                let message = if certificate.is_self_signed {
                    "The certificate signed itself, so clients do not trust it.".to_owned()
                } else {
                    format!("The file has one certificate, without that of its authority ({issuer}).")
                };
                is_alone.then(|| Outcome::warning(message).with("HOST", host))
            })
        },
    },
    Check {
        id: "tls.acme_name",
        looks_at: "whether `acme.domains` has the host of `public_url`",
        means: "Browsers warn people about the page.",
        mend: "acme.domains = [\"HOST\"]",
        fix: None,
        find: |facts| {
            let domains = &facts.config.acme.domains;
            let Some(host) = facts.config.public_url.as_ref().and_then(Url::host_str) else { return Outcome::Ok };
            if domains.is_empty() || domains.iter().any(|domain| domain == host) {
                return Outcome::Ok;
            }
            Outcome::failing(format!("acme.domains does not have {host}, the host of public_url.")).with("HOST", host)
        },
    },
    Check {
        id: "tls.acme_test_authority",
        looks_at: "whether `acme.directory` is one for tests",
        means: "Browsers do not trust its certificates.",
        mend: "acme.directory = \"https://acme-v02.api.letsencrypt.org/directory\"",
        fix: None,
        find: |facts| {
            let host = facts.config.acme.directory.host_str().unwrap_or_default();
            // A private authority may have any name and address.
            let is_test = TEST_AUTHORITIES.contains(&host) || host.split('.').next() == Some("pebble");
            if facts.config.acme.domains.is_empty() || !is_test {
                return Outcome::Ok;
            }
            Outcome::warning(format!("Certificates come from {host}, an authority for tests."))
        },
    },
    Check {
        id: "tls.acme_unreachable",
        looks_at: "whether the certificate authority answers",
        means: "Certificates are not renewed.",
        mend: "curl -v DIRECTORY, or acme.ca_file = \"/etc/atrium/the-certificate-of-the-authority.pem\"",
        fix: None,
        find: |facts| {
            if facts.config.acme.domains.is_empty() {
                return Outcome::Ok;
            }
            if let Some(outcome) = offline(facts) {
                return outcome;
            }
            let directory = &facts.config.acme.directory;
            let outcome = match &facts.network.authority {
                Some(Answer::UnknownIssuer(_)) => {
                    Outcome::failing(format!("The certificate of {directory} is by an unknown authority.")).mended_by(1)
                }
                Some(Answer::Untrusted(why)) => {
                    Outcome::failing(format!("The certificate of {directory} is not trusted: {why}.")).mended_by(0)
                }
                Some(Answer::Unreachable(why)) => {
                    Outcome::failing(format!("{directory} does not answer: {why}.")).mended_by(0)
                }
                Some(Answer::Response(_)) | None => Outcome::Ok,
            };
            outcome.with("DIRECTORY", directory)
        },
    },
    Check {
        id: "tls.in_force",
        looks_at: "the certificate of the running server",
        means: "After its end, or without it, browsers refuse the connection.",
        mend: "journalctl -u atrium -g acme",
        fix: None,
        find: |facts| if facts.config.has_tls() { of_server(facts, "certificate") } else { Outcome::Ok },
    },
    Check {
        id: "tls.public_certificate",
        looks_at: "the certificate that `public_url` shows",
        means: "Browsers that do not trust it warn people about the page.",
        mend: "openssl s_client -connect HOST:PORT -servername HOST, or cp AUTHORITY.crt /usr/local/share/ca-certificates/ && update-ca-certificates",
        fix: None,
        find: |facts| {
            if let Some(outcome) = offline(facts) {
                return outcome;
            }
            let host = facts.config.public_url.as_ref().and_then(Url::host_str).unwrap_or_default();
            let port = facts.config.public_url.as_ref().and_then(Url::port_or_known_default).unwrap_or(443);
            let outcome = match &facts.network.public {
                Some(Answer::UnknownIssuer(_)) => Outcome::warning(format!(
                    "The certificate of {host} is by an authority that this machine does not know."
                ))
                .mended_by(1),
                Some(Answer::Untrusted(why)) => {
                    Outcome::failing(format!("The certificate of {host} is not trusted: {why}.")).mended_by(0)
                }
                _ => Outcome::Ok,
            };
            outcome.with("HOST", host).with("PORT", port)
        },
    },
    Check {
        id: "tls.strict_transport",
        looks_at: "`strict_transport`, if `public_url` is https",
        means: "A browser's first request may go out unencrypted, where others can change the answer.",
        mend: "strict_transport = \"host\"",
        fix: None,
        find: |facts| {
            let is_off = facts.config.strict_transport == StrictTransport::Off;
            if facts.config.is_https() && is_off { Outcome::warning("strict_transport is off.") } else { Outcome::Ok }
        },
    },
    Check {
        id: "tls.redirect",
        looks_at: "whether http is redirected, if the server itself encrypts on port 443",
        means: "People who enter the host without https find nothing.",
        mend: "tls.redirect = \"0.0.0.0:80\"",
        fix: None,
        find: |facts| {
            let config = &facts.config;
            let is_standard = matches!(config.listen, ListenAddress::Tcp(address) if address.port() == 443);
            if !config.has_tls() || !is_standard || config.tls.redirect.is_some() {
                return Outcome::Ok;
            }
            Outcome::note("Nothing answers at port 80.")
        },
    },
];

/// Judges the certificate from files.
fn certificate(facts: &Facts, judge: impl FnOnce(&CertificateFacts) -> Option<Outcome>) -> Outcome {
    match &facts.certificate {
        Some(Ok(certificate)) => judge(certificate).unwrap_or(Outcome::Ok),
        Some(Err(_)) => Outcome::left_out("the certificate cannot be read"),
        None => Outcome::Ok,
    }
}
