//! Facts about the certificate that the server has from files.

use rustls::pki_types::{CertificateDer, pem::PemObject as _};
use x509_parser::{extensions::GeneralName, parse_x509_certificate};

use crate::{
    config::{Config, read_file},
    http::Certificate,
    kernel::Timestamp,
};

/// The certificate from files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CertificateFacts {
    /// The host names that it is for, in lower case.
    pub names: Vec<String>,
    /// When it ends, in seconds since 1970.
    pub ends: i64,
    /// Certificates in the file: its own, and those that lead to an authority.
    pub chain: usize,
    /// Whether it signed itself.
    pub is_self_signed: bool,
    /// The name of the authority that signed the last certificate of the file.
    pub last_issuer: String,
    /// Why the key does not belong to it.
    pub key_fault: Option<String>,
}

impl CertificateFacts {
    /// Whether the certificate is for a host: by its name, or by a name with `*` as the first part.
    pub fn is_for(&self, host: &str) -> bool {
        let host = host.to_ascii_lowercase();
        let parent = host.split_once('.').map(|(_, parent)| format!("*.{parent}"));
        self.names.iter().any(|name| *name == host || Some(name) == parent.as_ref())
    }

    /// Returns the seconds until it ends.
    pub const fn seconds_left(&self, now: Timestamp) -> i64 {
        self.ends - now.seconds()
    }
}

/// Reads the certificate of the settings. `None` when there is none.
/// Errors: Why it cannot be read.
pub fn gather(config: &Config) -> Option<Result<CertificateFacts, String>> {
    let chain = config.tls.certificate.as_ref()?;
    let read = || {
        let pem = read_file(chain).map_err(|error| format!("{}: {error}", chain.display()))?;
        let key = config.tls.key.as_deref().map(read_file).transpose();
        let key = key.map_err(|error| format!("tls.key: {error}"))?.unwrap_or_default();
        parse(&pem, &key).map_err(|why| format!("{}: {why}", chain.display()))
    };
    Some(read())
}

fn parse(pem: &[u8], key: &[u8]) -> Result<CertificateFacts, String> {
    let chain: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
    let chain = chain.map_err(|error| error.to_string())?;
    let own = chain.first().ok_or("there is no certificate in it (PEM)")?;
    let last = chain.last().ok_or("there is no certificate in it (PEM)")?;
    let (_, own) = parse_x509_certificate(own).map_err(|error| error.to_string())?;
    let (_, last) = parse_x509_certificate(last).map_err(|error| error.to_string())?;
    let alternatives = own.subject_alternative_name().ok().flatten();
    let names = alternatives.map(|names| names.value.general_names.as_slice()).unwrap_or_default();
    let name = |name: &GeneralName<'_>| match name {
        GeneralName::DNSName(host) => Some(host.to_ascii_lowercase()),
        GeneralName::IPAddress(bytes) => match <[u8; 4]>::try_from(*bytes) {
            Ok(bytes) => Some(std::net::Ipv4Addr::from(bytes).to_string()),
            Err(_) => Some(std::net::Ipv6Addr::from(<[u8; 16]>::try_from(*bytes).ok()?).to_string()),
        },
        _ => None,
    };
    Ok(CertificateFacts {
        names: names.iter().filter_map(name).collect(),
        ends: own.validity().not_after.timestamp(),
        chain: chain.len(),
        is_self_signed: own.subject() == own.issuer(),
        last_issuer: last.issuer().to_string(),
        key_fault: Certificate::from_pem(pem, key).err().map(|error| error.detail().unwrap_or_default().to_owned()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_a_star_are_for_one_level_of_hosts() {
        let facts = CertificateFacts {
            names: vec!["atrium.example".to_owned(), "*.teams.example".to_owned()],
            ..CertificateFacts::default()
        };
        for (host, is_for) in [
            ("Atrium.Example", true),
            ("acme.teams.example", true),
            ("teams.example", false),
            ("a.b.teams.example", false),
            ("other.example", false),
        ] {
            assert_eq!(facts.is_for(host), is_for, "{host}");
        }
    }

    #[test]
    fn a_key_of_another_certificate_is_named() {
        let own = rcgen::KeyPair::generate().unwrap();
        let other = rcgen::KeyPair::generate().unwrap();
        let made = rcgen::CertificateParams::new(["atrium.example".to_owned()]).unwrap().self_signed(&own).unwrap();
        let facts = parse(made.pem().as_bytes(), own.serialize_pem().as_bytes()).unwrap();
        assert_eq!((facts.key_fault, facts.chain, facts.is_self_signed), (None, 1, true));
        let facts = parse(made.pem().as_bytes(), other.serialize_pem().as_bytes()).unwrap();
        assert!(facts.key_fault.is_some());
        assert!(parse(b"nothing", b"").is_err());
    }
}
