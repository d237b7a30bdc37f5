//! The server's TLS: certificates from files, which are read again when they change.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use rustls::ServerConfig;

use crate::{
    cli::prelude::*,
    config::{Config, read_file},
    http::{Certificate, Certificates, server_config},
};

/// How often the files are looked at.
const FILE_INTERVAL: Duration = Duration::from_secs(10);

/// The TLS of the server.
pub struct Encryption {
    pub certificates: Arc<Certificates>,
    pub config: Arc<ServerConfig>,
    files: Option<CertificateFiles>,
}

impl Encryption {
    /// Reads the certificate of the settings. Returns `None` if the server does not encrypt.
    /// Errors: `internal` when the files cannot be used.
    pub fn open(config: &Config) -> Result<Option<Self>> {
        if !config.has_tls() {
            return Ok(None);
        }
        let certificates = Arc::new(Certificates::default());
        let mut files = None;
        if let (Some(certificate), Some(key)) = (&config.tls.certificate, &config.tls.key) {
            let mut read = CertificateFiles { certificate: certificate.clone(), key: key.clone(), seen: None };
            if let Some(certificate) = read.changed() {
                certificates.set(certificate?);
            }
            files = Some(read);
        }
        let config = server_config(Arc::clone(&certificates))?;
        Ok(Some(Self { certificates, config, files }))
    }

    /// Returns the work that takes over changed files.
    pub fn follow_files(&mut self) -> Option<impl Future<Output = ()> + use<>> {
        let mut files = self.files.take()?;
        let certificates = Arc::clone(&self.certificates);
        Some(async move {
            let mut ticks = tokio::time::interval(FILE_INTERVAL);
            loop {
                ticks.tick().await;
                match files.changed() {
                    Some(Ok(certificate)) => {
                        tracing::info!(ends = %certificate.validity().ends, "certificate renewed");
                        certificates.set(certificate);
                    }
                    Some(Err(error)) => tracing::error!(detail = ?error, "the changed certificate is not used"),
                    None => {}
                }
            }
        })
    }
}

/// The files of a certificate, as they were read last.
pub struct CertificateFiles {
    certificate: PathBuf,
    key: PathBuf,
    seen: Option<(Vec<u8>, Vec<u8>)>,
}

impl CertificateFiles {
    /// Reads the certificate, if the files have changed.
    fn changed(&mut self) -> Option<Result<Certificate>> {
        let read =
            |path: &Path| read_file(path).map_err(|error| Error::internal(format_args!("{}: {error}", path.display())));
        let now = match (read(&self.certificate), read(&self.key)) {
            (Ok(certificate), Ok(key)) => (certificate, key),
            // Being replaced, or gone: the former certificate is used until there is another.
            (Err(error), _) | (_, Err(error)) => return self.seen.is_none().then_some(Err(error)),
        };
        if self.seen.as_ref() == Some(&now) {
            return None;
        }
        let (certificate, key) = self.seen.insert(now);
        Some(Certificate::from_pem(certificate, key))
    }
}
