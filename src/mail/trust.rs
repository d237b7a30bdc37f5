//! TLS certificate verification for the mail server: by the well-known authorities and those in `mail.ca_file`, or
//! because the server's own certificate is in that file (certificate pinning).

use std::{fs, path::Path, sync::Arc};

use rustls::{
    ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme,
    client::{
        WebPkiServerVerifier,
        danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier},
    },
    pki_types::{CertificateDer, ServerName, UnixTime, pem::PemObject as _},
};

use crate::kernel::{Error, Result};

/// Creates the TLS client configuration, which trusts the certificates in `file` beside the well-known authorities.
pub(super) fn client_config(file: Option<&Path>) -> Result<ClientConfig> {
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let mut roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    let mut pinned = Vec::new();
    if let Some(file) = file {
        let failed =
            |why: &dyn std::fmt::Display| Error::internal(format_args!("mail.ca_file {}: {why}", file.display()));
        let pem = fs::read(file).map_err(|error| failed(&error))?;
        for certificate in CertificateDer::pem_slice_iter(&pem) {
            let certificate = certificate.map_err(|error| failed(&error))?;
            roots.add(certificate.clone()).map_err(|error| failed(&error))?;
            pinned.push(certificate);
        }
        if pinned.is_empty() {
            return Err(failed(&"there is no certificate in it (PEM)"));
        }
    }
    let authorities = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), Arc::clone(&provider));
    let authorities = authorities.build().map_err(Error::internal)?;
    let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let builder = builder.map_err(Error::internal)?.dangerous();
    Ok(builder.with_custom_certificate_verifier(Arc::new(Verifier { authorities, pinned })).with_no_client_auth())
}

/// Accepts certificates signed by the authorities, and pinned certificates with any name and date, like fingerprints.
/// In both cases the server must prove that it has the certificate's key.
#[derive(Debug)]
struct Verifier {
    authorities: Arc<WebPkiServerVerifier>,
    pinned: Vec<CertificateDer<'static>>,
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        if self.pinned.iter().any(|pinned| pinned == end_entity) {
            return Ok(ServerCertVerified::assertion());
        }
        self.authorities.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now)
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.authorities.verify_tls12_signature(message, certificate, signature)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.authorities.verify_tls13_signature(message, certificate, signature)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.authorities.supported_verify_schemes()
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use rustls::{
        ClientConnection, ServerConfig, ServerConnection,
        pki_types::PrivateKeyDer,
        sign::{CertifiedKey, SingleCertAndKey},
    };

    use super::*;

    fn file(name: &str) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("src/mail/tests/tls").join(name)
    }

    /// Performs a TLS handshake between a client that trusts `trusted` and a server that presents `shown` and signs
    /// with `key`.
    fn shake_hands(trusted: Option<&str>, shown: &str, key: &str) -> Result<(), rustls::Error> {
        let client = client_config(trusted.map(file).as_deref()).unwrap();
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let key = PrivateKeyDer::from_pem_file(file(key)).unwrap();
        let key = provider.key_provider.load_private_key(key).unwrap();
        let chain = vec![CertificateDer::from_pem_file(file(shown)).unwrap()];
        let server = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
        let shown = SingleCertAndKey::from(CertifiedKey::new(chain, key));
        let server = server.with_no_client_auth().with_cert_resolver(Arc::new(shown));
        let mut server = ServerConnection::new(Arc::new(server)).unwrap();
        let name = ServerName::try_from(concat!("mail", ".example")).unwrap();
        let mut client = ClientConnection::new(Arc::new(client), name).unwrap();
        while client.is_handshaking() || server.is_handshaking() {
            let mut bytes = Vec::new();
            while client.wants_write() {
                client.write_tls(&mut bytes).unwrap();
            }
            let mut unread = bytes.as_slice();
            while !unread.is_empty() {
                server.read_tls(&mut unread).unwrap();
                server.process_new_packets()?;
            }
            let mut bytes = Vec::new();
            while server.wants_write() {
                server.write_tls(&mut bytes).unwrap();
            }
            let mut unread = bytes.as_slice();
            while !unread.is_empty() {
                client.read_tls(&mut unread).unwrap();
                client.process_new_packets()?;
            }
        }
        Ok(())
    }

    #[test]
    fn accepts_pinned_and_authority_signed_certificates() {
        shake_hands(Some("self-signed.crt"), "self-signed.crt", "self-signed.key").unwrap();
        shake_hands(Some("authority.crt"), "leaf.crt", "leaf.key").unwrap();
        shake_hands(Some("leaf.crt"), "leaf.crt", "leaf.key").unwrap();
    }

    #[test]
    fn rejects_other_certificates_and_a_pinned_one_without_its_key() {
        let refused = |trusted, shown, key| match shake_hands(trusted, shown, key) {
            Err(rustls::Error::InvalidCertificate(_)) => {}
            other => panic!("{trusted:?} {shown}: {other:?}"),
        };
        refused(None, "self-signed.crt", "self-signed.key");
        refused(None, "leaf.crt", "leaf.key");
        refused(Some("leaf.crt"), "self-signed.crt", "self-signed.key");
        refused(Some("authority.crt"), "self-signed.crt", "self-signed.key");
        refused(Some("self-signed.crt"), "self-signed.crt", "leaf.key");
    }

    #[test]
    fn error_names_a_file_without_a_certificate() {
        for name in ["leaf.key", "missing.crt"] {
            let error = client_config(Some(&file(name))).unwrap_err();
            assert!(error.detail().unwrap().contains(name), "{error:?}");
        }
    }
}
