//! Facts from other machines: the public address, the mail server, name servers, providers and authorities.

use std::{
    collections::BTreeMap,
    fs,
    io::{Read, Write},
    net::{IpAddr, SocketAddr, TcpStream, UdpSocket},
    path::Path,
    sync::Arc,
    thread,
};

use http::header::{DATE, LOCATION};
use rustls::{
    ClientConfig, ClientConnection, RootCertStore, StreamOwned,
    pki_types::{CertificateDer, ServerName, pem::PemObject as _},
};
use ureq::tls::{Certificate, RootCerts};
use url::Url;

use super::timed::{NETWORK_LIMIT, within};
use crate::{
    cli::commands::doctor::examine::CompanyFacts,
    config::{Config, ListenAddress},
    kernel::{
        Clock,
        resolver::{http_agent, look_up_blocking, look_up_here_blocking, look_up_texts_blocking},
    },
    mail::{self, Step},
};

/// Hosts of companies that are looked up.
const MAX_HOSTS: usize = 24;
/// The authorities that this machine trusts.
const SYSTEM_AUTHORITIES: &str = "/etc/ssl/certs/ca-certificates.crt";
/// Bytes of a response that are read.
const MAX_RESPONSE_BYTES: u64 = 64 << 10;

/// What other machines say. Everything is empty with `--offline`.
#[derive(Clone, Debug, Default)]
pub struct NetworkFacts {
    /// What the server's own address answers to `/health/live`. `None` when it was not asked.
    pub local: Option<Answer>,
    /// What `public_url` answers to `/health/live`.
    pub public: Option<Answer>,
    /// The status with which `public_url` answers the start of the largest request. `None` when it did not.
    pub large_request: Option<u16>,
    /// What the mail server says: whether it offers an encryption that is not used.
    pub mail: Option<Result<bool, (Step, String)>>,
    /// The SPF record of the sender's domain; an empty text without one. `None` when name servers do not answer.
    pub sender_policy: Option<String>,
    /// What the providers of single sign-on answer, by their address.
    pub issuers: BTreeMap<String, Answer>,
    /// What the directory of the certificate authority answers.
    pub authority: Option<Answer>,
    /// Whether hosts are this machine, by host, or why they cannot be looked up.
    pub hosts: BTreeMap<String, Result<bool, String>>,
}

/// What an address answered to a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// A response.
    Response(Reply),
    /// The certificate is not trusted.
    Untrusted(String),
    /// The certificate is by an authority that is not known.
    UnknownIssuer(String),
    /// No response.
    Unreachable(String),
}

/// A response.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reply {
    /// Its status.
    pub status: u16,
    /// Where it leads to.
    pub location: Option<String>,
    /// Seconds by which the clock of the other machine is ahead.
    pub clock_ahead: Option<i64>,
    /// The beginning of its body.
    pub body: String,
}

impl Answer {
    /// Returns the response.
    pub const fn reply(&self) -> Option<&Reply> {
        match self {
            Self::Response(reply) => Some(reply),
            _ => None,
        }
    }

    /// Returns why there is no response.
    pub fn reason(&self) -> Option<&str> {
        match self {
            Self::Response(_) => None,
            Self::Untrusted(why) | Self::UnknownIssuer(why) | Self::Unreachable(why) => Some(why),
        }
    }
}

impl NetworkFacts {
    /// Asks all of them at once. `token` marks the requests to this installation.
    pub fn gather(
        config: &Config,
        companies: &[CompanyFacts],
        token: &str,
        is_running: bool,
        is_offline: bool,
    ) -> Self {
        let local = || is_running.then(|| local_url(config, token)).flatten().map(|url| get(&url, &[], None));
        if is_offline {
            let mail = config.mail.host.iter();
            let here = mail.filter_map(|host| Some((host.clone(), look_up_here_blocking(host, NETWORK_LIMIT).ok()?)));
            let hosts = here.map(|(host, addresses)| (host, Ok(are_here(&addresses)))).collect();
            return Self { local: local(), hosts, ..Self::default() };
        }
        let trusted = certificates(Path::new(SYSTEM_AUTHORITIES));
        let of_authority = config.acme.ca_file.as_deref().map(certificates);
        let trusted = [trusted, of_authority.clone().unwrap_or_default()].concat();
        let mut hosts: Vec<String> = companies
            .iter()
            .filter(|company| company.is_active)
            .flat_map(|company| company.all_hosts(config))
            .take(MAX_HOSTS)
            .collect();
        hosts.extend(config.public_url.as_ref().and_then(Url::host_str).map(ToOwned::to_owned));
        hosts.extend(config.mail.host.clone());
        hosts.sort();
        hosts.dedup();
        thread::scope(|scope| {
            let public = scope.spawn(|| config.public_url.as_ref().map(|url| ask_public(url, token, &trusted)));
            let large = scope.spawn(|| {
                let url = config.public_url.clone()?;
                ask_large(&url, largest(config), trusted.clone())
            });
            let mail = scope.spawn(|| try_mail(config));
            let policy = scope.spawn(|| sender_policy(config));
            let issuers: Vec<_> = config
                .sign_in
                .issuers
                .iter()
                .map(|issuer| (issuer, scope.spawn(move || get(&discovery_url(issuer), &[], None))))
                .collect();
            let directory = config.acme.directory.to_string();
            let has_authority = !config.acme.domains.is_empty();
            // As the server does: the file counts instead of the well-known authorities.
            let roots = of_authority.map(|certificates| roots(&certificates));
            let authority = scope.spawn(move || has_authority.then(|| get(&directory, &[], roots)));
            let looked: Vec<_> = hosts
                .iter()
                .map(|host| {
                    let look = move || match look_up_blocking(host, 0, NETWORK_LIMIT) {
                        Ok(found) => Ok(are_here(&found.iter().map(SocketAddr::ip).collect::<Vec<_>>())),
                        Err(error) => Err(error.to_string()),
                    };
                    (host, scope.spawn(look))
                })
                .collect();
            let joined = |(host, found): (&String, thread::ScopedJoinHandle<'_, Result<bool, String>>)| {
                Some((host.clone(), found.join().ok()?))
            };
            Self {
                local: local(),
                public: public.join().ok().flatten(),
                large_request: large.join().ok().flatten(),
                mail: mail.join().ok().flatten(),
                sender_policy: policy.join().ok().flatten(),
                issuers: issuers
                    .into_iter()
                    .filter_map(|(issuer, answer)| Some((issuer.clone(), answer.join().ok()?)))
                    .collect(),
                authority: authority.join().ok().flatten(),
                hosts: looked.into_iter().filter_map(joined).collect(),
            }
        })
    }
}

/// Returns the address of the server itself on this machine. A server that encrypts has a certificate for another name.
fn local_url(config: &Config, token: &str) -> Option<String> {
    let ListenAddress::Tcp(_) = config.listen else { return None };
    let address = config.listen.local().filter(|address| address.port() != 0 && !config.has_tls())?;
    Some(format!("http://{address}/health/live?local={token}"))
}

fn discovery_url(issuer: &str) -> String {
    format!("{}/.well-known/openid-configuration", issuer.trim_end_matches('/'))
}

/// Reads the certificates of a file; those that cannot be read are left out.
fn certificates(file: &Path) -> Vec<CertificateDer<'static>> {
    let pem = fs::read(file).unwrap_or_default();
    CertificateDer::pem_slice_iter(&pem).filter_map(Result::ok).collect()
}

fn roots(certificates: &[CertificateDer<'static>]) -> RootCerts {
    certificates.iter().map(|certificate| Certificate::from_der(certificate).to_owned()).into()
}

/// Whether all addresses are of this machine: sockets can be opened there.
fn are_here(addresses: &[IpAddr]) -> bool {
    !addresses.is_empty() && addresses.iter().all(|address| UdpSocket::bind((*address, 0)).is_ok())
}

/// Asks the public address as a browser that opens a WebSocket would: the server records what arrives. `trusted` are
/// authorities that are trusted besides the well-known ones.
fn ask_public(url: &Url, token: &str, trusted: &[CertificateDer<'static>]) -> Answer {
    let address = format!("{}/health/live?probe={token}", url.as_str().trim_end_matches('/'));
    let ask = |roots| get(&address, &[("connection", "upgrade"), ("upgrade", "websocket")], roots);
    match ask(None) {
        Answer::UnknownIssuer(_) if !trusted.is_empty() => ask(Some(roots(trusted))),
        answer => answer,
    }
}

fn get(url: &str, headers: &[(&str, &str)], roots: Option<RootCerts>) -> Answer {
    let user_agent = concat!("atrium-doctor/", env!("CARGO_PKG_VERSION"));
    let mut request = http_agent(NETWORK_LIMIT, Some(user_agent), roots).get(url);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    match request.call() {
        Ok(mut response) => {
            let header = |name| response.headers().get(name)?.to_str().ok().map(ToOwned::to_owned);
            let date = header(DATE).and_then(|date| jiff::fmt::rfc2822::parse(&date).ok());
            let ahead = date.map(|date| date.timestamp().as_second() - Clock::system().now().seconds());
            Answer::Response(Reply {
                status: response.status().as_u16(),
                location: header(LOCATION),
                clock_ahead: ahead,
                body: response.body_mut().with_config().limit(MAX_RESPONSE_BYTES).read_to_string().unwrap_or_default(),
            })
        }
        Err(error) => {
            let why = match error {
                ureq::Error::Io(error) => error.to_string(),
                error => error.to_string(),
            };
            match &why {
                why if why.contains("UnknownIssuer") => Answer::UnknownIssuer(why.clone()),
                why if why.to_lowercase().contains("certificate") => Answer::Untrusted(why.clone()),
                why => Answer::Unreachable(why.clone()),
            }
        }
    }
}

/// Returns the path and the size of the largest request that people may send.
fn largest(config: &Config) -> (&'static str, u64) {
    let limits = &config.limits;
    if limits.import > limits.upload { ("/api/imports", limits.import) } else { ("/api/files", limits.upload) }
}

/// Announces a large request, without sending it: a proxy that does not let it pass refuses it at once.
fn ask_large(url: &Url, (path, bytes): (&'static str, u64), trusted: Vec<CertificateDer<'static>>) -> Option<u16> {
    let url = url.clone();
    within(NETWORK_LIMIT, move || {
        let mut socket = connect(&url, trusted)?;
        let host = url.host_str()?;
        let host = url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"));
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: {host}\r\nContent-Type: multipart/form-data; boundary=probe\r\n\
             Content-Length: {bytes}\r\nExpect: 100-continue\r\n\r\n"
        );
        socket.write_all(head.as_bytes()).ok()?;
        let mut start = [0; 12];
        socket.read_exact(&mut start).ok()?;
        std::str::from_utf8(&start).ok()?.split(' ').nth(1)?.parse().ok()
    })
    .flatten()
}

trait Socket: Read + Write {}
impl<T: Read + Write> Socket for T {}

fn connect(url: &Url, trusted: Vec<CertificateDer<'static>>) -> Option<Box<dyn Socket>> {
    let host = url.host_str()?;
    let address = *look_up_blocking(host, url.port_or_known_default()?, NETWORK_LIMIT).ok()?.first()?;
    let socket = TcpStream::connect_timeout(&address, NETWORK_LIMIT).ok()?;
    socket.set_read_timeout(Some(NETWORK_LIMIT)).ok()?;
    if url.scheme() != "https" {
        return Some(Box::new(socket));
    }
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let mut roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    roots.add_parsable_certificates(trusted);
    let config = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions().ok()?;
    let config = config.with_root_certificates(roots).with_no_client_auth();
    let name = ServerName::try_from(host.to_owned()).ok()?;
    Some(Box::new(StreamOwned::new(ClientConnection::new(Arc::new(config), name).ok()?, socket)))
}

fn try_mail(config: &Config) -> Option<Result<bool, (Step, String)>> {
    config.mail.host.as_ref()?;
    let settings = config.mail.clone();
    let attempt = move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().ok()?;
        Some(runtime.block_on(mail::try_server(&settings, NETWORK_LIMIT)))
    };
    within(NETWORK_LIMIT * 2, attempt).flatten()
}

fn sender_policy(config: &Config) -> Option<String> {
    config.mail.host.as_ref()?;
    let (_, domain) = config.mail.from.as_ref()?.rsplit_once('@')?;
    let texts = look_up_texts_blocking(domain.trim_end_matches('>'), NETWORK_LIMIT).ok()?;
    Some(texts.into_iter().find(|text| text.to_ascii_lowercase().starts_with("v=spf1")).unwrap_or_default())
}
