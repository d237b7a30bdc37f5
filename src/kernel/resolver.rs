//! Host name look-up without the system's C library, which could not do it in a static binary: `/etc/hosts`, then the
//! name servers of `/etc/resolv.conf`. Both files are read at each look-up, so changes count at once; look-ups are rare.

use std::{
    io,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    sync::Arc,
    thread,
    time::Duration,
};

use hickory_resolver::{
    TokioResolver,
    config::{ResolveHosts, ResolverConfig, ResolverOpts},
    net::{DnsError, NetError, runtime::TokioRuntimeProvider},
    proto::rr::RData,
    system_conf::read_system_conf,
};
use tokio::{runtime::Builder, time::timeout};
use ureq::{
    Agent, Proxy,
    http::Uri,
    tls::{RootCerts, TlsConfig},
    unversioned::{
        resolver::{ResolvedSocketAddrs, Resolver},
        transport::{DefaultConnector, NextTimeout},
    },
};

/// How many addresses of a host a client tries.
const MOST_ADDRESSES: usize = 16;

/// Returns the addresses of a host, IPv4 first.
/// Errors: The name does not exist, or no name server answers.
pub async fn look_up(host: &str, port: u16) -> io::Result<Vec<SocketAddr>> {
    let addresses = match literal(host) {
        Some(addresses) => addresses,
        None => {
            // Without a file, names are only looked up in /etc/hosts.
            let (config, options) = read_system_conf().unwrap_or_default();
            query(host, config, options).await?
        }
    };
    Ok(addresses.into_iter().map(|address| SocketAddr::new(address, port)).collect())
}

/// Like [`look_up`], for code that may block, within a time limit.
pub fn look_up_blocking(host: &str, port: u16, limit: Duration) -> io::Result<Vec<SocketAddr>> {
    block_within(limit, look_up(host, port))
}

/// Returns the addresses that this machine itself knows of a host, from `/etc/hosts`: no name server is asked.
pub fn look_up_here_blocking(host: &str, limit: Duration) -> io::Result<Vec<IpAddr>> {
    match literal(host) {
        Some(addresses) => Ok(addresses),
        None => block_within(limit, query(host, ResolverConfig::default(), ResolverOpts::default())),
    }
}

/// Returns the texts of a name (TXT records), within a time limit. A name without texts has none.
/// Errors: No name server answers.
pub fn look_up_texts_blocking(name: &str, limit: Duration) -> io::Result<Vec<String>> {
    let (config, options) = read_system_conf().unwrap_or_default();
    block_within(limit, query_texts(name, config, options))
}

/// Waits for a look-up, within a time limit.
fn block_within<T: Send>(limit: Duration, look_up: impl Future<Output = io::Result<T>> + Send) -> io::Result<T> {
    let late = || io::Error::new(io::ErrorKind::TimedOut, "the name server does not answer in time");
    let look_up = async { timeout(limit, look_up).await.unwrap_or_else(|_| Err(late())) };
    // A thread of its own, because this thread may belong to a runtime, in which another one must not block.
    thread::scope(|scope| {
        let answer = scope.spawn(|| Builder::new_current_thread().enable_all().build()?.block_on(look_up));
        answer.join().unwrap_or_else(|_| Err(io::Error::other("the look-up failed")))
    })
}

/// Says why name servers did not answer a query. Their own errors name neither them nor the query.
fn query_error(error: &NetError, servers: &[IpAddr]) -> io::Error {
    if servers.is_empty() {
        return io::Error::other("/etc/resolv.conf names no name server");
    }
    let names = servers.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let (subject, is_one) = if servers.len() == 1 {
        (format!("the name server {names}"), true)
    } else {
        (format!("the name servers {names}"), false)
    };
    let verb = |one: &'static str, many: &'static str| if is_one { one } else { many };
    match error {
        NetError::NoConnections | NetError::Timeout | NetError::Io(_) | NetError::Busy => {
            io::Error::new(io::ErrorKind::TimedOut, format!("{subject} {} not answer", verb("does", "do")))
        }
        NetError::Dns(DnsError::ResponseCode(code)) => {
            let refused = code.to_string().to_lowercase();
            io::Error::other(format!("{subject} {} with an error ({refused})", verb("answers", "answer")))
        }
        error => io::Error::other(format!("{subject}: {error}")),
    }
}

async fn query_texts(name: &str, config: ResolverConfig, options: ResolverOpts) -> io::Result<Vec<String>> {
    let servers: Vec<IpAddr> = config.name_servers().iter().map(|server| server.ip).collect();
    let builder = TokioResolver::builder_with_config(config, TokioRuntimeProvider::default()).with_options(options);
    let resolver = builder.build().map_err(io::Error::other)?;
    // The name is complete: search domains do not count.
    let found = match resolver.txt_lookup(format!("{}.", name.trim_end_matches('.'))).await {
        Ok(found) => found,
        Err(error) if error.is_no_records_found() => return Ok(Vec::new()),
        Err(error) => return Err(query_error(&error, &servers)),
    };
    let texts = found.answers().iter().filter_map(|record| match &record.data {
        RData::TXT(text) => {
            let parts = text.txt_data.iter().map(|part| String::from_utf8_lossy(part));
            Some(parts.collect::<String>())
        }
        _ => None,
    });
    Ok(texts.collect())
}

/// Creates an HTTP client that looks up host names here, follows no redirect, and takes every status as a response. It
/// trusts the well-known authorities, or only `trusted` instead of them. TLS is that of emails and tokens: a second
/// provider would add a megabyte.
pub fn http_agent(limit: Duration, user_agent: Option<&str>, trusted: Option<RootCerts>) -> Agent {
    let provider = rustls::crypto::aws_lc_rs::default_provider();
    let mut tls = TlsConfig::builder().unversioned_rustls_crypto_provider(Arc::new(provider));
    if let Some(trusted) = trusted {
        tls = tls.root_certs(trusted);
    }
    let mut config = Agent::config_builder()
        .tls_config(tls.build())
        .timeout_global(Some(limit))
        .max_redirects(0)
        // Tests reach only this machine, whatever the environment of who runs them says.
        .proxy(if cfg!(test) { None } else { Proxy::try_from_env() })
        .http_status_as_error(false);
    if let Some(user_agent) = user_agent {
        config = config.user_agent(user_agent);
    }
    Agent::with_parts(config.build(), DefaultConnector::new(), HostResolver)
}

#[derive(Debug)]
struct HostResolver;

impl Resolver for HostResolver {
    fn resolve(
        &self,
        uri: &Uri,
        config: &ureq::config::Config,
        limit: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, ureq::Error> {
        let host = uri.host().ok_or(ureq::Error::HostNotFound)?;
        let standard = if uri.scheme_str() == Some("https") { 443 } else { 80 };
        let found = look_up_blocking(host, uri.port_u16().unwrap_or(standard), *limit.after);
        let found = found.map_err(ureq::Error::Io)?;
        let mut addresses = self.empty();
        for address in config.ip_family().keep_wanted(found.into_iter()).take(MOST_ADDRESSES) {
            addresses.push(address);
        }
        if addresses.is_empty() { Err(ureq::Error::HostNotFound) } else { Ok(addresses) }
    }
}

/// Returns the address that is written as such, or those of this machine.
fn literal(host: &str) -> Option<Vec<IpAddr>> {
    let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    if let Ok(address) = bare.parse() {
        return Some(vec![address]);
    }
    host.eq_ignore_ascii_case("localhost").then(|| vec![Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()])
}

async fn query(host: &str, config: ResolverConfig, mut options: ResolverOpts) -> io::Result<Vec<IpAddr>> {
    options.use_hosts_file = ResolveHosts::Always;
    options.cache_size = 0;
    let servers: Vec<IpAddr> = config.name_servers().iter().map(|server| server.ip).collect();
    let builder = TokioResolver::builder_with_config(config, TokioRuntimeProvider::default()).with_options(options);
    let resolver = builder.build().map_err(io::Error::other)?;
    let found = resolver.lookup_ip(host).await.map_err(|error| {
        // The error's own text is that of the query.
        if error.is_no_records_found() {
            io::Error::new(io::ErrorKind::NotFound, "no address is known")
        } else {
            query_error(&error, &servers)
        }
    })?;
    let mut addresses: Vec<IpAddr> = found.iter().collect();
    addresses.sort_by_key(IpAddr::is_ipv6);
    Ok(addresses)
}

#[cfg(test)]
mod tests {
    use std::net::UdpSocket;

    use hickory_resolver::{config::NameServerConfig, proto::op::ResponseCode};

    use super::*;

    /// A name server that knows one name, with an IPv4 address.
    fn name_server(name: &'static [u8], address: [u8; 4]) -> SocketAddr {
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        let place = socket.local_addr().unwrap();
        thread::spawn(move || {
            let mut packet = [0; 512];
            while let Ok((length, client)) = socket.recv_from(&mut packet) {
                let end = 12 + packet[12..length].iter().position(|byte| *byte == 0).unwrap() + 5;
                let is_known = packet[12..end].windows(name.len()).any(|part| part == name);
                let wants_ipv4 = packet[end - 3] == 1;
                let mut answer = packet[..end].to_vec();
                answer[2..12].fill(0);
                (answer[2], answer[3], answer[5]) = (0x81, if is_known { 0x80 } else { 0x83 }, 1);
                if is_known && wants_ipv4 {
                    answer[7] = 1;
                    answer.extend([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4]);
                    answer.extend(address);
                }
                socket.send_to(&answer, client).unwrap();
            }
        });
        place
    }

    #[tokio::test]
    async fn asks_the_name_servers() {
        let place = name_server(b"\x04smtp\x06atrium\x07example", [203, 0, 113, 9]);
        let mut server = NameServerConfig::udp(place.ip());
        server.connections[0].port = place.port();
        let config = ResolverConfig::from_parts(None, Vec::new(), vec![server]);
        let found = query("smtp.atrium.example", config.clone(), ResolverOpts::default()).await;
        assert_eq!(found.unwrap(), [IpAddr::from([203, 0, 113, 9])]);
        let unknown = query("nowhere.atrium.example", config, ResolverOpts::default()).await.unwrap_err();
        assert_eq!((unknown.kind(), unknown.to_string().as_str()), (io::ErrorKind::NotFound, "no address is known"));
    }

    #[tokio::test]
    async fn says_why_name_servers_do_not_answer() {
        let asked = |servers: Vec<NameServerConfig>| async {
            let config = ResolverConfig::from_parts(None, Vec::new(), servers);
            query("smtp.atrium.example", config, ResolverOpts::default()).await.unwrap_err().to_string()
        };
        let at = |place: SocketAddr| {
            let mut server = NameServerConfig::udp(place.ip());
            server.connections[0].port = place.port();
            server
        };
        assert_eq!(asked(Vec::new()).await, "/etc/resolv.conf names no name server");
        // A socket that takes only what comes from itself: no other program gets its address, which refuses questions.
        let refusing = |address: &str| {
            let socket = UdpSocket::bind(address).unwrap();
            socket.connect(socket.local_addr().unwrap()).unwrap();
            socket
        };
        let held = [refusing("127.0.0.1:0"), refusing("127.0.0.2:0")];
        let [closed, other] = held.each_ref().map(|socket| socket.local_addr().unwrap());
        assert_eq!(asked(vec![at(closed)]).await, "the name server 127.0.0.1 does not answer");
        assert_eq!(asked(vec![at(closed), at(other)]).await, "the name servers 127.0.0.1, 127.0.0.2 do not answer");
        let error = query_error(&NetError::from(DnsError::ResponseCode(ResponseCode::ServFail)), &[closed.ip()]);
        assert_eq!(error.to_string(), "the name server 127.0.0.1 answers with an error (server failure)");
        let late = block_within(Duration::from_millis(10), std::future::pending::<io::Result<()>>()).unwrap_err();
        assert_eq!(late.to_string(), "the name server does not answer in time");
    }

    #[tokio::test]
    async fn knows_addresses_and_this_machine_without_name_servers() {
        for (host, found) in [
            ("192.0.2.7", &["192.0.2.7:25"][..]),
            ("2001:db8::1", &["[2001:db8::1]:25"]),
            ("[::1]", &["[::1]:25"]),
            ("LocalHost", &["127.0.0.1:25", "[::1]:25"]),
        ] {
            let addresses: Vec<String> = look_up(host, 25).await.unwrap().iter().map(ToString::to_string).collect();
            assert_eq!(addresses, found, "{host}");
        }
        // Blocking, within a runtime.
        assert_eq!(look_up_blocking("192.0.2.7", 25, Duration::from_secs(1)).unwrap().len(), 1);
    }

    #[tokio::test]
    async fn reads_the_hosts_file() {
        let hosts = std::fs::read_to_string("/etc/hosts").unwrap();
        let names = hosts.lines().filter_map(|line| line.split('#').next()?.split_whitespace().nth(1));
        let mut count = 0;
        for name in names.filter(|name| *name != "localhost") {
            let found = query(name, ResolverConfig::default(), ResolverOpts::default()).await;
            assert!(!found.unwrap().is_empty(), "{name}");
            count += 1;
        }
        assert!(count > 0 || hosts.contains("localhost"), "{hosts}");
    }
}
