//! Configuration of an installation: defaults, overridden by the file, the environment and the flags, in this order.
//! All faults are reported at once, each with its origin and the expected value.

mod alerts;
mod backups;
mod file;
mod keys;
mod languages;
mod listen;
mod load;
mod mail;
mod metrics;
mod tls;
mod values;
mod write;

use std::{net::SocketAddr, path::PathBuf, time::Duration};

pub use alerts::Alerts;
pub use backups::Backups;
pub use file::{read_file, read_text};
pub use keys::COLOR_SCHEMES;
pub use languages::{Language, read_languages};
pub use listen::ListenAddress;
pub use load::{Fault, Faults, Loaded, Origin, Setting, Sources, differences, shown_settings};
pub use metrics::Metrics;
pub use tls::{Acme, Tls};
use url::Url;
pub use values::{AccessLog, LogFormat, LogLevel, MailSecurity, Network, Secret, Signup, StrictTransport};
pub use write::{check_value, file_text};

/// The settings of an installation. Each field is a key of `config.example.toml`, which explains it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// Where to listen.
    pub listen: ListenAddress,
    /// The folder of all data of the installation.
    pub data_dir: PathBuf,
    /// The domain below which each tenant has its own host, `{slug}.{base_domain}`.
    pub base_domain: Option<String>,
    /// The public address of the installation, which links in e-mails begin with.
    pub public_url: Option<Url>,
    /// The scope of HSTS, if `public_url` is https.
    pub strict_transport: StrictTransport,
    /// The contact for reports of vulnerabilities in `/.well-known/security.txt`: a `mailto` or https address.
    pub security_contact: Option<Url>,
    /// The proxies that may forward a client's address.
    pub trusted_proxies: Vec<Network>,
    /// The origins besides the installation's own whose pages may open a WebSocket.
    pub socket_origins: Vec<String>,
    /// Who may create a tenant.
    pub signup: Signup,
    /// A folder with additional translations, `xx.json` each; [`read_languages`] reads it.
    pub languages: Option<PathBuf>,
    /// Encryption of the server's own connections.
    pub tls: Tls,
    /// Certificates by ACME.
    pub acme: Acme,
    /// The branding where the tenant is unknown.
    pub installation: Installation,
    /// Limits of one client, or of all together.
    pub limits: Limits,
    /// Rate limits of wrong passwords, and single sign-on.
    pub sign_in: SignIn,
    /// Delivery of e-mails.
    pub mail: Mail,
    /// Scheduled backups.
    pub backup: Backups,
    /// Metrics for Prometheus.
    pub metrics: Metrics,
    /// Alerts to the operator.
    pub alerts: Alerts,
    /// Logging.
    pub log: Log,
}

/// The installation's branding, where the host does not identify a tenant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Installation {
    /// Its name, 1 to 100 characters.
    pub name: String,
    /// One of [`COLOR_SCHEMES`].
    pub color_scheme: String,
}

/// Limits of one client, or of all together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Longest request body, in bytes.
    pub body: u64,
    /// Largest uploaded file, in bytes.
    pub upload: u64,
    /// Largest file that is imported, in bytes.
    pub import: u64,
    /// Bytes of uploads that one tenant may store.
    pub files: u64,
    /// Days that the change feed is kept.
    pub ledger_days: u32,
    /// Time limit of a request's head.
    pub header_timeout: Duration,
    /// Longest pause within a body; and the time that a whole body may take in addition to its length at `body_rate`.
    pub body_grace: Duration,
    /// Slowest average rate at which a body arrives and a response is read, in bytes per second.
    pub body_rate: u64,
    /// Time limit of a request from its last byte to its response; beyond it the response is 503. Uploads and the
    /// long-polling call have no such limit.
    pub request_timeout: Duration,
    /// How long a client may read nothing of a pending response.
    pub write_stall: Duration,
    /// How long a connection may stay open without a request.
    pub keep_alive: Duration,
    /// How long a graceful shutdown waits for running requests.
    pub stop: Duration,
    /// Maximum of open connections.
    pub connections: usize,
    /// Maximum of connections from one address (IPv6: one /64); 0 is no limit.
    pub connections_per_address: usize,
    /// Maximum of concurrent requests.
    pub requests: usize,
    /// Maximum of concurrent requests of one tenant, and of further ones that wait; beyond both the response is 429. 0
    /// is no limit.
    pub requests_per_company: usize,
    /// Maximum of requests that wait for a permit; beyond it the response is 503.
    pub waiting: usize,
    /// Maximum of devices of one tenant that subscribe to changes at a time, by WebSocket or by long polling.
    pub sockets_per_company: usize,
}

/// Throttling of wrong passwords: beyond the number of failures a wait of one second, doubled by each further one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignIn {
    /// Failures for an account (wrong passwords and codes, also when asked again or from a known browser) or for a
    /// passkey, before it must wait.
    pub account_failures: u32,
    /// Failures from one IP address (IPv6: one /64) before it must wait.
    pub address_failures: u32,
    /// The longest wait.
    pub longest_delay: Duration,
    /// The OpenID Connect providers that tenants may use for single sign-on.
    pub issuers: Vec<String>,
}

/// Delivery of e-mails. Without a host they are stored in the data directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mail {
    /// The host of the mail server.
    pub host: Option<String>,
    /// Its port; by default the usual one for `security`.
    pub port: Option<u16>,
    /// Encryption of the connection.
    pub security: MailSecurity,
    /// Additional certificate authorities that are trusted for the server, in PEM.
    pub ca_file: Option<PathBuf>,
    /// The user name.
    pub user: Option<String>,
    /// The password, from the configuration or read from `password_file`.
    pub password: Option<Secret>,
    /// The file whose first line is the password.
    pub password_file: Option<PathBuf>,
    /// The sender's address.
    pub from: Option<String>,
    /// The address for replies.
    pub reply_to: Option<String>,
}

impl Mail {
    /// Returns the port in use.
    pub fn port(&self) -> u16 {
        self.port.unwrap_or(match self.security {
            MailSecurity::Starttls => 587,
            MailSecurity::Tls => 465,
            MailSecurity::None => 25,
        })
    }
}

/// Logging.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Log {
    /// Text for people or JSON for programs.
    pub format: LogFormat,
    /// The least severe level that is logged.
    pub level: LogLevel,
    /// Whether each request is logged.
    pub access: AccessLog,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from(([127, 0, 0, 1], 8080)).into(),
            data_dir: PathBuf::from("./atrium-data"),
            base_domain: None,
            public_url: None,
            strict_transport: StrictTransport::Host,
            security_contact: None,
            trusted_proxies: Vec::new(),
            socket_origins: Vec::new(),
            signup: Signup::First,
            languages: None,
            tls: Tls::default(),
            acme: Acme::default(),
            installation: Installation { name: "Atrium".to_owned(), color_scheme: "default".to_owned() },
            limits: Limits::default(),
            sign_in: SignIn::default(),
            mail: Mail::default(),
            backup: Backups::default(),
            metrics: Metrics::default(),
            alerts: Alerts::default(),
            log: Log { format: LogFormat::Text, level: LogLevel::Info, access: AccessLog::Off },
        }
    }
}

impl Default for SignIn {
    fn default() -> Self {
        Self { account_failures: 5, address_failures: 30, longest_delay: Duration::from_mins(15), issuers: Vec::new() }
    }
}

impl Default for Mail {
    fn default() -> Self {
        Self {
            host: None,
            port: None,
            security: MailSecurity::Starttls,
            ca_file: None,
            user: None,
            password: None,
            password_file: None,
            from: None,
            reply_to: None,
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            body: 1 << 20,
            upload: 25 << 20,
            import: 50 << 20,
            files: 10 << 30,
            ledger_days: 90,
            header_timeout: Duration::from_secs(10),
            body_grace: Duration::from_secs(10),
            body_rate: 16 << 10,
            request_timeout: Duration::from_secs(30),
            write_stall: Duration::from_secs(30),
            keep_alive: Duration::from_mins(1),
            stop: Duration::from_secs(5),
            connections: 4096,
            connections_per_address: 64,
            requests: 256,
            requests_per_company: 32,
            waiting: 512,
            sockets_per_company: 2_000,
        }
    }
}

impl Limits {
    /// Returns the most concurrent requests that one tenant gets, whatever its own limit: a quarter of all.
    pub fn most_per_company(&self) -> usize {
        (self.requests / 4).max(1)
    }

    /// Returns the time limit of a transfer: `grace`, plus `bytes` at the slowest rate.
    pub fn to_move(&self, bytes: u64, grace: Duration) -> Duration {
        grace.saturating_add(Duration::from_millis(bytes.saturating_mul(1000) / self.body_rate.max(1)))
    }
}

impl Config {
    /// Whether people reach the installation by https: cookies are then `Secure`, and HSTS is sent.
    pub fn is_https(&self) -> bool {
        self.public_url.as_ref().is_some_and(|url| url.scheme() == "https")
    }

    /// Whether a lower-case host name belongs to the installation: it identifies no tenant, and no tenant may list it.
    /// Otherwise a tenant could capture the sign-in of all others.
    pub fn is_own_host(&self, host: &str) -> bool {
        let own = |url: &str| Url::parse(url).is_ok_and(|url| url.host_str() == Some(host));
        host == "localhost"
            || self.base_domain.as_deref() == Some(host)
            || self.public_url.as_ref().and_then(Url::host_str) == Some(host)
            || self.socket_origins.iter().any(|origin| own(origin))
    }

    /// Whether a host name, in lower case, is one at which the installation is reached, beside those of companies.
    pub fn serves(&self, host: &str) -> bool {
        let is_below = |base: &str| host.strip_suffix(base).is_some_and(|label| label.ends_with('.'));
        self.is_own_host(host)
            || self.acme.domains.iter().any(|domain| domain == host)
            || self.base_domain.as_deref().is_some_and(is_below)
    }

    /// Whether a request from a loopback address may be one that a proxy on this machine forwards: a trusted proxy, a
    /// client of a Unix socket, or the program that encrypts, if the server does not and no proxy is named.
    pub fn may_have_local_proxy(&self) -> bool {
        let is_encrypted_elsewhere = self.is_https() && !self.has_tls();
        (is_encrypted_elsewhere && self.trusted_proxies.is_empty()) || self.proxies().iter().any(Network::has_loopback)
    }

    /// Returns the host names of the address that is for metrics alone, in lower case: that of the setting, of
    /// `public_url`, and of this machine.
    pub fn metrics_hosts(&self) -> Vec<String> {
        let public = self.public_url.as_ref().and_then(Url::host_str).map(ToOwned::to_owned);
        let machine = rustix::system::uname().nodename().to_str().ok().map(str::to_ascii_lowercase);
        self.metrics.host.clone().into_iter().chain(public).chain(machine).collect()
    }

    /// Returns the proxies that may forward a client's address: those of the settings, and all clients of a Unix socket,
    /// which have the address of this machine.
    pub fn proxies(&self) -> Vec<Network> {
        let local = matches!(self.listen, ListenAddress::Unix(_)).then(Network::this_machine);
        self.trusted_proxies.iter().copied().chain(local).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn serves_the_hosts_of_its_settings() {
        let config = Config {
            base_domain: Some("atrium.example".to_owned()),
            public_url: Url::parse("https://www.atrium.example").ok(),
            acme: Acme { domains: vec!["other.example".to_owned()], ..Acme::default() },
            ..Config::default()
        };
        for host in ["atrium.example", "acme.atrium.example", "www.atrium.example", "other.example", "localhost"] {
            assert!(config.serves(host), "{host}");
        }
        for host in ["", "evil.example", "evilatrium.example", ".example", "a.other.example", "203.0.113.9"] {
            assert!(!config.serves(host), "{host}");
        }
        assert!(!Config::default().serves("atrium.example"));
    }

    #[test]
    fn knows_that_a_proxy_may_be_on_this_machine() {
        let may_have = |change: &dyn Fn(&mut Config)| {
            let mut config = Config::default();
            change(&mut config);
            config.may_have_local_proxy()
        };
        let trust = |config: &mut Config, network: &str| config.trusted_proxies = vec![network.parse().unwrap()];
        let is_https = |config: &mut Config| config.public_url = Url::parse("https://atrium.example").ok();
        assert!(!may_have(&|_| {}));
        assert!(may_have(&|config| trust(config, "127.0.0.1")));
        assert!(may_have(&|config| trust(config, "::1")));
        assert!(!may_have(&|config| trust(config, "10.0.0.0/8")));
        assert!(may_have(&|config| config.listen = ListenAddress::Unix("/run/atrium.sock".into())));
        assert!(may_have(&is_https), "another program encrypts");
        assert!(!may_have(&|config| {
            is_https(config);
            trust(config, "10.0.0.1");
        }));
        assert!(!may_have(&|config| {
            is_https(config);
            config.acme.domains = vec!["atrium.example".to_owned()];
        }));
    }
}
