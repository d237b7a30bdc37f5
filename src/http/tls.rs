//! TLS of the server's own connections: the certificates in use, which change while the server runs, and those that
//! answer challenges of an ACME authority (RFC 8737).

use std::{
    collections::{BTreeMap, HashMap},
    fmt,
    sync::Arc,
};

use parking_lot::RwLock;
use rustls::{
    ServerConfig,
    crypto::{CryptoProvider, aws_lc_rs},
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject as _},
    server::{ClientHello, ResolvesServerCert},
    sign::CertifiedKey,
};
use x509_parser::{parse_x509_certificate, time::ASN1Time};

use crate::kernel::{Error, Result, Timestamp, text};

/// The protocols of HTTP, by preference.
const HTTP_PROTOCOLS: [&[u8]; 2] = [b"h2", b"http/1.1"];

/// The protocol by which an authority asks for the answer to a challenge.
pub(super) const CHALLENGE_PROTOCOL: &[u8] = b"acme-tls/1";

/// The longest recorded reason, in characters.
const MAX_REASON_CHARS: usize = 300;

/// The longest time before its end from which on a certificate that was not replaced is late.
const LATE_MILLIS: i64 = 14 * 86_400 * 1_000;

/// When a certificate is valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Validity {
    /// From when on.
    pub begins: Timestamp,
    /// Until when.
    pub ends: Timestamp,
}

impl Validity {
    /// Returns when to replace the certificate: when a third of its life is left.
    pub fn renewal(self) -> Timestamp {
        self.before_end(self.life() / 3)
    }

    /// Returns when the certificate should have been replaced for some time: 14 days before its end, or when a sixth of
    /// a short life is left.
    pub fn late(self) -> Timestamp {
        self.before_end((self.life() / 6).min(LATE_MILLIS))
    }

    const fn life(self) -> i64 {
        self.ends.millis().saturating_sub(self.begins.millis())
    }

    fn before_end(self, millis: i64) -> Timestamp {
        Timestamp::from_millis(self.ends.millis().saturating_sub(millis))
    }
}

/// A certificate with its key.
#[derive(Clone)]
pub struct Certificate {
    key: Arc<CertifiedKey>,
    validity: Validity,
}

impl Certificate {
    /// Reads a certificate chain and its key from PEM.
    /// Errors: `internal` when one of them is unreadable, or when they do not belong together.
    pub fn from_pem(chain: &[u8], key: &[u8]) -> Result<Self> {
        let chain = CertificateDer::pem_slice_iter(chain).collect::<std::result::Result<Vec<_>, _>>();
        let chain = chain.map_err(|error| Error::internal(format_args!("certificate: {error}")))?;
        let key = PrivateKeyDer::from_pem_slice(key).map_err(|error| Error::internal(format_args!("key: {error}")))?;
        Self::new(chain, key)
    }

    /// Creates a certificate from its chain, which begins with the server's own, and its key.
    /// Errors: `internal` when one of them is unreadable, or when they do not belong together.
    pub fn new(chain: Vec<CertificateDer<'static>>, key: PrivateKeyDer<'static>) -> Result<Self> {
        let own = chain.first().ok_or_else(|| Error::internal("there is no certificate (PEM)"))?;
        let (_, parsed) =
            parse_x509_certificate(own).map_err(|error| Error::internal(format_args!("certificate: {error}")))?;
        let moment = |time: &ASN1Time| Timestamp::from_millis(time.timestamp().saturating_mul(1000));
        let begins = moment(&parsed.validity().not_before);
        let ends = moment(&parsed.validity().not_after);
        let certified = CertifiedKey::from_der(chain, key, &provider());
        let key = certified.map_err(|error| Error::internal(format_args!("certificate and key: {error}")))?;
        Ok(Self { key: Arc::new(key), validity: Validity { begins, ends } })
    }

    /// Returns when the certificate is valid.
    pub const fn validity(&self) -> Validity {
        self.validity
    }
}

impl fmt::Debug for Certificate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Certificate").field("validity", &self.validity).finish_non_exhaustive()
    }
}

/// A certificate that the authority did not issue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CertificateFault {
    /// The host.
    pub host: String,
    /// Why.
    pub reason: String,
    /// Whether the host has an older certificate.
    pub has_certificate: bool,
}

/// The certificates in use.
#[derive(Debug, Default)]
pub struct Certificates {
    /// The certificate of hosts that have none of their own.
    common: RwLock<Option<Certificate>>,
    /// By lower-case host name.
    hosts: RwLock<HashMap<String, Certificate>>,
    /// Why the authority did not issue the certificate of a host, by host name.
    faults: RwLock<BTreeMap<String, String>>,
    /// The answers to challenges, by lower-case host name.
    challenges: RwLock<HashMap<String, Arc<CertifiedKey>>>,
}

impl Certificates {
    /// Replaces the certificate of all hosts.
    pub fn set(&self, certificate: Certificate) {
        *self.common.write() = Some(certificate);
    }

    /// Replaces the certificate of a host.
    pub fn set_for(&self, host: &str, certificate: Certificate) {
        self.faults.write().remove(&host.to_ascii_lowercase());
        self.hosts.write().insert(host.to_ascii_lowercase(), certificate);
    }

    /// Returns the certificate of a host.
    pub fn of(&self, host: &str) -> Option<Certificate> {
        self.hosts.read().get(&host.to_ascii_lowercase()).cloned()
    }

    /// Records why the authority did not issue the certificate of a host, until there is a new one.
    pub fn set_fault(&self, host: &str, reason: &str) {
        let reason = text::line(reason).chars().take(MAX_REASON_CHARS).collect();
        self.faults.write().insert(host.to_ascii_lowercase(), reason);
    }

    /// Returns the certificates that the authority did not issue.
    pub fn faults(&self) -> Vec<CertificateFault> {
        let hosts = self.hosts.read();
        let faults = self.faults.read();
        let fault = |(host, reason): (&String, &String)| CertificateFault {
            has_certificate: hosts.contains_key(host),
            host: host.clone(),
            reason: reason.clone(),
        };
        faults.iter().map(fault).collect()
    }

    /// Answers the challenge for a host by a certificate. Its extension is unknown to checks of certificates.
    /// Errors: `internal` when the key cannot be used.
    pub fn set_challenge(
        &self,
        host: &str,
        certificate: CertificateDer<'static>,
        key: PrivateKeyDer<'static>,
    ) -> Result<()> {
        let key = provider().key_provider.load_private_key(key).map_err(Error::internal)?;
        let answer = Arc::new(CertifiedKey::new(vec![certificate], key));
        self.challenges.write().insert(host.to_ascii_lowercase(), answer);
        Ok(())
    }

    /// Answers the challenge for a host no longer.
    pub fn end_challenge(&self, host: &str) {
        self.challenges.write().remove(&host.to_ascii_lowercase());
    }

    /// Returns the validity of the certificate that ends first.
    pub fn first_to_end(&self) -> Option<Validity> {
        let common = self.common.read().as_ref().map(Certificate::validity);
        let hosts = self.hosts.read();
        hosts.values().map(Certificate::validity).chain(common).min_by_key(|validity| validity.ends)
    }

    /// Returns the certificate for a host. Clients that do not name a host, and those that name another, get the
    /// common one, otherwise any.
    fn choose(&self, host: Option<&str>) -> Option<Certificate> {
        let hosts = self.hosts.read();
        let own = host.and_then(|host| hosts.get(&host.to_ascii_lowercase())).cloned();
        own.or_else(|| self.common.read().clone()).or_else(|| hosts.values().next().cloned())
    }
}

impl ResolvesServerCert for Certificates {
    fn resolve(&self, hello: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        let host = hello.server_name();
        let challenged = hello.alpn().is_some_and(|mut protocols| protocols.any(|name| name == CHALLENGE_PROTOCOL));
        if challenged {
            return self.challenges.read().get(&host?.to_ascii_lowercase()).cloned();
        }
        self.choose(host).map(|certificate| certificate.key)
    }
}

fn provider() -> CryptoProvider {
    aws_lc_rs::default_provider()
}

/// Creates the TLS settings of a server: TLS 1.2 and 1.3, sessions resumed by tickets, HTTP/2 and HTTP/1.1.
pub fn server_config(certificates: Arc<Certificates>) -> Result<Arc<ServerConfig>> {
    let builder = ServerConfig::builder_with_provider(Arc::new(provider())).with_safe_default_protocol_versions();
    let builder = builder.map_err(Error::internal)?;
    let mut config = builder.with_no_client_auth().with_cert_resolver(certificates);
    config.ticketer = aws_lc_rs::Ticketer::new().map_err(Error::internal)?;
    config.alpn_protocols = HTTP_PROTOCOLS.into_iter().chain([CHALLENGE_PROTOCOL]).map(<[u8]>::to_vec).collect();
    Ok(Arc::new(config))
}

#[cfg(test)]
mod tests {
    use rcgen::{CertificateParams, KeyPair};

    use super::*;

    #[test]
    fn certificate_is_late_long_after_it_should_have_been_renewed() {
        let day = |days: i64| Timestamp::from_millis(days * 86_400_000);
        for (life, renewal, late) in [(90, 60, 76), (60, 40, 50), (6, 4, 5), (0, 0, 0)] {
            let validity = Validity { begins: day(0), ends: day(life) };
            assert_eq!((validity.renewal(), validity.late()), (day(renewal), day(late)));
        }
    }

    #[test]
    fn faults_last_until_the_host_has_a_new_certificate() {
        let key = KeyPair::generate().unwrap();
        let own = CertificateParams::new(["atrium.example".to_owned()]).unwrap().self_signed(&key).unwrap();
        let certificate = Certificate::from_pem(own.pem().as_bytes(), key.serialize_pem().as_bytes()).unwrap();
        let certificates = Certificates::default();
        assert_eq!(certificates.faults(), []);
        certificates.set_fault("Atrium.example", "no\nanswer");
        let fault = |has_certificate| CertificateFault {
            host: "atrium.example".to_owned(),
            reason: "no answer".to_owned(),
            has_certificate,
        };
        assert_eq!(certificates.faults(), [fault(false)]);
        certificates.set_for("atrium.example", certificate);
        assert_eq!(certificates.faults(), []);
        certificates.set_fault("atrium.example", "no answer");
        assert_eq!(certificates.faults(), [fault(true)]);
    }
}
