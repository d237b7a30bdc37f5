//! The settings of an installation: defaults, under the file, under the environment, under the
//! flags. Every fault in them is found at once and told with its place and what was expected.

mod backups;
mod keys;
mod languages;
mod load;
mod mail;
mod values;

use std::{net::SocketAddr, path::PathBuf, time::Duration};

pub use backups::Backups;
pub use keys::COLOR_SCHEMES;
pub use languages::{Language, read_languages};
pub use load::{Fault, Faults, Loaded, Origin, Setting, Sources, differences};
use url::Url;
pub use values::{AccessLog, LogFormat, LogLevel, MailSecurity, Network, Secret, Signup, StrictTransport};

/// What an installation is set to. Each field is a key of `config.example.toml`, which explains it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// Where the server listens; port 0 takes any free one.
    pub listen: SocketAddr,
    /// The folder that holds everything the installation knows.
    pub data_dir: PathBuf,
    /// The domain under which each company has a host of its own, `{slug}.{base_domain}`.
    pub base_domain: Option<String>,
    /// The address at which people reach the installation; links in mails begin with it.
    pub public_url: Option<Url>,
    /// What browsers are bound to come by https to, where `public_url` is https.
    pub strict_transport: StrictTransport,
    /// Whom to tell of a weakness, for `/.well-known/security.txt`: an address of mail or the web.
    pub security_contact: Option<Url>,
    /// The proxies whose word about a client's address is taken.
    pub trusted_proxies: Vec<Network>,
    /// The origins beside the installation's own from whose pages sockets may be opened.
    pub socket_origins: Vec<String>,
    /// Who may make a company.
    pub signup: Signup,
    /// A folder with further translations, `xx.json` each; [`read_languages`] reads it.
    pub languages: Option<PathBuf>,
    /// What shows where no company is known.
    pub installation: Installation,
    /// What one client, or all together, may take.
    pub limits: Limits,
    /// How wrong passwords are slowed down.
    pub sign_in: SignIn,
    /// How letters go out.
    pub mail: Mail,
    /// Backups by the clock.
    pub backup: Backups,
    /// What is written about the server's work.
    pub log: Log,
}

/// The installation's own face, where no company is known from the host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Installation {
    /// Its name, 1 to 100 characters.
    pub name: String,
    /// One of [`COLOR_SCHEMES`].
    pub color_scheme: String,
}

/// What one client, or all together, may take.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The longest request body, in bytes.
    pub body: u64,
    /// The longest body of an upload to `/api/files`, in bytes.
    pub upload: u64,
    /// The uploads that one company may keep, in bytes.
    pub files: u64,
    /// Days for which the ledger of changes is kept.
    pub ledger_days: u32,
    /// How long a client may take over the head of a request.
    pub header_timeout: Duration,
    /// How long a client may send nothing of a body; and what it may take for the whole body beside its length at
    /// `body_rate`.
    pub body_grace: Duration,
    /// The slowest that a body may arrive, and an answer be read, as a whole, in bytes a second.
    pub body_rate: u64,
    /// How long a request may take from its last byte to its answer; more is answered 503. Uploads and
    /// the call that waits for news have no such end.
    pub request_timeout: Duration,
    /// How long a client may read nothing of an answer that waits for it.
    pub write_stall: Duration,
    /// How long a connection may stay open without a request.
    pub keep_alive: Duration,
    /// How long an orderly stop waits for what is under way.
    pub stop: Duration,
    /// Connections open at a time.
    pub connections: usize,
    /// Connections from one address (IPv6: one /64) at a time; 0 is no limit.
    pub connections_per_address: usize,
    /// Requests worked on at a time.
    pub requests: usize,
    /// Requests of one company worked on at a time, and as many more that wait; further ones are answered 429.
    /// 0 is no limit.
    pub requests_per_company: usize,
    /// Requests that may wait for their turn; more are answered 503.
    pub waiting: usize,
    /// Devices of one company that may listen at a time, by sockets or by waiting calls.
    pub sockets_per_company: usize,
}

/// How wrong passwords are slowed down: after so many, one second's wait, and twice as long after each
/// further one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignIn {
    /// Wrong passwords for an account before it must wait.
    pub account_failures: u32,
    /// Wrong passwords from one address (IPv6: one /64) before it must wait.
    pub address_failures: u32,
    /// The longest wait.
    pub longest_delay: Duration,
    /// The OpenID Connect providers that companies may let vouch for their people.
    pub issuers: Vec<String>,
}

/// How letters go out. Without a host they are kept in the data directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mail {
    /// The server that takes them.
    pub host: Option<String>,
    /// Its port; none for the usual one of the kind of security.
    pub port: Option<u16>,
    /// How the way there is protected.
    pub security: MailSecurity,
    /// Further certificate authorities that the server may be certified by, in PEM.
    pub ca_file: Option<PathBuf>,
    /// The name to sign in there with.
    pub user: Option<String>,
    /// The password to it, from the configuration or read from `password_file`.
    pub password: Option<Secret>,
    /// The file whose first line is the password.
    pub password_file: Option<PathBuf>,
    /// The address that letters come from.
    pub from: Option<String>,
    /// The address that answers to them go to.
    pub reply_to: Option<String>,
}

impl Mail {
    /// The port in force.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port.unwrap_or(match self.security {
            MailSecurity::Starttls => 587,
            MailSecurity::Tls => 465,
            MailSecurity::None => 25,
        })
    }
}

/// What is written about the server's work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Log {
    /// Text for people or JSON for programs.
    pub format: LogFormat,
    /// The least severe event that is written.
    pub level: LogLevel,
    /// Whether each request is written.
    pub access: AccessLog,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from(([127, 0, 0, 1], 8080)),
            data_dir: PathBuf::from("./atrium-data"),
            base_domain: None,
            public_url: None,
            strict_transport: StrictTransport::Host,
            security_contact: None,
            trusted_proxies: Vec::new(),
            socket_origins: Vec::new(),
            signup: Signup::First,
            languages: None,
            installation: Installation { name: "Atrium".to_owned(), color_scheme: "default".to_owned() },
            limits: Limits::default(),
            sign_in: SignIn::default(),
            mail: Mail::default(),
            backup: Backups::default(),
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
            upload: 6 << 20,
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
    /// How long so many bytes may take on the way, beside a time of grace.
    #[must_use]
    pub fn to_move(&self, bytes: u64, grace: Duration) -> Duration {
        grace.saturating_add(Duration::from_millis(bytes.saturating_mul(1000) / self.body_rate.max(1)))
    }
}

impl Config {
    /// Whether people reach the installation by https: cookies are then `Secure` and the browser
    /// is told to come by https only.
    #[must_use]
    pub fn is_https(&self) -> bool {
        self.public_url.as_ref().is_some_and(|url| url.scheme() == "https")
    }

    /// Whether a host name, in small letters, is the installation's own: no company is found by it, and none may list
    /// it. Else a company could take the sign-in of all others.
    #[must_use]
    pub fn is_own_host(&self, host: &str) -> bool {
        let own = |url: &str| Url::parse(url).is_ok_and(|url| url.host_str() == Some(host));
        host == "localhost"
            || self.base_domain.as_deref() == Some(host)
            || self.public_url.as_ref().and_then(Url::host_str) == Some(host)
            || self.socket_origins.iter().any(|origin| own(origin))
    }

    /// Whether the word of this peer about its client's address is taken.
    #[must_use]
    pub fn trusts(&self, peer: std::net::IpAddr) -> bool {
        self.trusted_proxies.iter().any(|network| network.contains(peer))
    }
}
