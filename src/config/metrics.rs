//! Settings of the metrics for Prometheus.

use std::{net::SocketAddr, path::PathBuf};

use super::{Config, ListenAddress, listen::tcp_address, values::read_secret};
use crate::kernel::Result;

/// The shortest token, in characters.
const SHORTEST_TOKEN: usize = 16;

/// Where metrics are served; without both settings, requests are not measured.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Metrics {
    /// An address for the metrics alone.
    pub listen: Option<SocketAddr>,
    /// The host name by which `listen` is written, in lower case, if it is not an IP address.
    pub host: Option<String>,
    /// The file whose first line is the token for the metrics at the main address.
    pub token_file: Option<PathBuf>,
}

impl Metrics {
    /// Whether requests are measured.
    pub const fn is_on(&self) -> bool {
        self.listen.is_some() || self.token_file.is_some()
    }

    /// Takes the address for the metrics alone, as it is written; empty for none.
    /// Errors: What was expected.
    pub(super) fn set_address(&mut self, written: &str) -> std::result::Result<(), String> {
        self.listen = if written.is_empty() { None } else { Some(tcp_address(written)?) };
        let host = written.rsplit_once(':').map(|(host, _)| host.to_ascii_lowercase());
        self.host = host.filter(|_| written.parse::<SocketAddr>().is_err());
        Ok(())
    }

    /// Returns the address for the metrics alone, as it is written; empty if there is none.
    pub(super) fn written_address(&self) -> String {
        match (&self.host, self.listen) {
            (Some(host), Some(address)) => format!("{host}:{}", address.port()),
            (None, Some(address)) => address.to_string(),
            (_, None) => String::new(),
        }
    }

    /// Reads the token from its file.
    /// Errors: `internal` when the file cannot be read, or its first line is too short.
    pub fn token(&self) -> Result<Option<String>> {
        self.token_file.as_deref().map(|file| read_secret(file, str::trim, SHORTEST_TOKEN)).transpose()
    }
}

/// Returns the faults of the settings, by key and reason.
pub(super) fn faults(config: &Config) -> Vec<(&'static str, String)> {
    let mut faults = Vec::new();
    if let Err(error) = config.metrics.token() {
        faults.push(("metrics.token_file", error.detail().unwrap_or_default().to_owned()));
    }
    if let (ListenAddress::Tcp(listen), Some(metrics)) = (&config.listen, config.metrics.listen)
        && *listen == metrics
        && metrics.port() != 0
    {
        faults.push(("metrics.listen", "expected another address or port than listen".to_owned()));
    }
    faults
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn the_host_name_of_the_address_is_known() {
        for (written, host) in
            [("", None), ("127.0.0.1:9464", None), ("[::1]:9464", None), ("LocalHost:9464", Some("localhost"))]
        {
            let mut metrics = Metrics::default();
            metrics.set_address(written).unwrap();
            assert_eq!(metrics.host.as_deref(), host);
            assert_eq!(metrics.written_address(), written.to_ascii_lowercase());
        }
        assert!(Metrics::default().set_address("nowhere").is_err());
    }

    #[test]
    fn rejects_unusable_tokens_and_the_address_of_the_application() {
        let folder = tempfile::tempdir().unwrap();
        let keys = |change: &dyn Fn(&mut Config)| {
            let mut config = Config::default();
            change(&mut config);
            faults(&config).into_iter().map(|(key, _)| key).collect::<Vec<_>>()
        };
        assert!(keys(&|_| {}).is_empty());
        assert!(keys(&|config| config.metrics.listen = Some(([127, 0, 0, 1], 9464).into())).is_empty());
        assert_eq!(keys(&|config| config.metrics.listen = config.listen.local()), ["metrics.listen"]);
        let file = folder.path().join("token");
        for (text, is_fault) in [("too short\n", true), ("", true), ("a token that is long\nmore", false)] {
            fs::write(&file, text).unwrap();
            let found = keys(&|config| config.metrics.token_file = Some(file.clone()));
            assert_eq!(!found.is_empty(), is_fault, "{text:?}");
        }
        fs::remove_file(&file).unwrap();
        assert_eq!(keys(&|config| config.metrics.token_file = Some(file.clone())), ["metrics.token_file"]);
    }
}
