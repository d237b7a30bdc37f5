//! How the server is reached: Unix sockets, sockets of a service manager, TLS by files and by ACME.

use std::{
    fs,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{SocketAddr, TcpStream},
    os::unix::net::{UnixDatagram, UnixStream},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use rcgen::{CertificateParams, KeyPair};
use rustls::{
    ClientConfig, ClientConnection, RootCertStore, StreamOwned,
    pki_types::{CertificateDer, ServerName},
};

use crate::{
    machine::{agent::agent_settings, free_address::FreeAddress, program::program},
    running::{Running, atrium, done, run},
};

/// How long a change may take to be seen.
const PATIENCE: Duration = Duration::from_secs(60);

#[track_caller]
pub fn wait_until(what: &str, mut check: impl FnMut() -> bool) {
    let end = Instant::now() + PATIENCE;
    while !check() {
        assert!(Instant::now() < end, "not within {PATIENCE:?}: {what}");
        thread::sleep(Duration::from_millis(50));
    }
}

/// Sends a request and returns the response's head and body. The server closes the connection.
fn exchange(mut socket: impl std::io::Read + std::io::Write, request: &str) -> String {
    socket.write_all(request.as_bytes()).unwrap();
    let mut response = Vec::new();
    // A TLS connection that ends without a message is an error, but the response is complete.
    drop(socket.read_to_end(&mut response));
    String::from_utf8(response).unwrap()
}

const HEALTH: &str = "GET /health/live HTTP/1.1\r\nhost: atrium.example\r\nconnection: close\r\n\r\n";

/// Makes a self-signed certificate for `atrium.example` in two files, and returns it.
fn write_certificate(folder: &Path) -> CertificateDer<'static> {
    let key = KeyPair::generate().unwrap();
    let made = CertificateParams::new(["atrium.example".to_owned()]).unwrap().self_signed(&key).unwrap();
    fs::write(folder.join("certificate.pem"), made.pem()).unwrap();
    fs::write(folder.join("key.pem"), key.serialize_pem()).unwrap();
    made.der().clone()
}

/// Opens a TLS connection that trusts one certificate.
fn connect(address: SocketAddr, trusted: &CertificateDer<'static>) -> std::io::Result<TlsClient> {
    let mut roots = RootCertStore::empty();
    roots.add(trusted.clone()).unwrap();
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let config = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let config = config.with_root_certificates(roots).with_no_client_auth();
    let name = ServerName::try_from("atrium.example").unwrap();
    let mut connection = ClientConnection::new(Arc::new(config), name).unwrap();
    let mut socket = TcpStream::connect(address)?;
    socket.set_read_timeout(Some(Duration::from_secs(20)))?;
    while connection.is_handshaking() {
        connection.complete_io(&mut socket)?;
    }
    Ok(StreamOwned::new(connection, socket))
}

type TlsClient = StreamOwned<ClientConnection, TcpStream>;

/// Starts a server that listens with TLS at `address`.
fn start_encrypted(folder: &Path, address: SocketAddr, settings: &[(&str, &str)]) -> Running {
    let mut command = atrium(&folder.join("data"), &["serve", "--json", "--listen", &address.to_string()]);
    command.env("ATRIUM_PUBLIC_URL", "https://atrium.example").envs(settings.iter().copied());
    Running::of(&mut command)
}

#[test]
fn unix_socket_serves_proxies_and_is_removed_at_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("atrium.sock");
    // A server that was killed leaves its socket.
    drop(std::os::unix::net::UnixListener::bind(&socket).unwrap());
    let listen = format!("unix:{}", socket.display());
    let mut server = Running::with(&folder.path().join("data"), &["--listen", &listen]);
    assert!(exchange(UnixStream::connect(&socket).unwrap(), HEALTH).starts_with("HTTP/1.1 200"));
    let details = "GET /health/details HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
    let details = exchange(UnixStream::connect(&socket).unwrap(), details);
    assert!(details.starts_with("HTTP/1.1 404"), "a proxy may forward it for others: {details}");
    let mut second = atrium(&folder.path().join("other"), &["serve", "--json", "--listen", &listen]).spawn().unwrap();
    assert_eq!(second.wait().unwrap().code(), Some(1), "the socket is in use");
    assert!(exchange(UnixStream::connect(&socket).unwrap(), HEALTH).starts_with("HTTP/1.1 200"));
    assert_eq!(server.terminate(), Some(0));
    assert!(!socket.exists());
}

/// A service manager in a few lines: it keeps a listening socket, passes it to the server, and restarts the server at
/// each line of input.
const SERVICE_MANAGER: &str = "
import os, socket, subprocess, sys
held = socket.create_server(('127.0.0.1', 0), backlog=1024)
def passed():
    os.dup2(held.fileno(), 3)
    os.set_inheritable(3, True)
    os.environ['LISTEN_FDS'], os.environ['LISTEN_PID'] = '1', str(os.getpid())
def start():
    server = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE, preexec_fn=passed, close_fds=False)
    server.stdout.readline() or sys.exit(1)
    print(held.getsockname()[1], flush=True)
    return server
server = start()
for line in sys.stdin:
    server.terminate()
    server.wait()
    server = start()
server.terminate()
sys.exit(server.wait())
";

#[test]
fn restart_with_a_passed_socket_refuses_no_connection() {
    let folder = tempfile::tempdir().unwrap();
    let server = atrium(&folder.path().join("data"), &["serve", "--json"]);
    let mut manager = program("python3");
    manager.args(["-c", SERVICE_MANAGER]).arg(server.get_program()).args(server.get_args());
    let mut manager = manager.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut input = manager.stdin.take().unwrap();
    let mut lines = BufReader::new(manager.stdout.take().unwrap()).lines();
    let port: u16 = lines.next().unwrap().unwrap().parse().unwrap();
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        let clients: Vec<_> = (0..4)
            .map(|_| {
                scope.spawn(|| {
                    let mut count = 0;
                    while !done.load(Ordering::Relaxed) {
                        let response = exchange(TcpStream::connect(("127.0.0.1", port)).unwrap(), HEALTH);
                        assert!(response.starts_with("HTTP/1.1 200"), "{response:?}");
                        count += 1;
                    }
                    count
                })
            })
            .collect();
        for _ in 0..3 {
            input.write_all(b"restart\n").unwrap();
            assert_eq!(lines.next().unwrap().unwrap(), port.to_string());
        }
        done.store(true, Ordering::Relaxed);
        for client in clients {
            assert!(client.join().unwrap() > 0);
        }
    });
    drop(input);
    assert_eq!(manager.wait().unwrap().code(), Some(0));
}

#[test]
fn service_manager_is_notified() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notify");
    let notified = UnixDatagram::bind(&path).unwrap();
    notified.set_read_timeout(Some(PATIENCE)).unwrap();
    let mut command = atrium(&folder.path().join("data"), &["serve", "--json", "--listen", "127.0.0.1:0"]);
    let mut server = Running::of(command.env("NOTIFY_SOCKET", &path).env("WATCHDOG_USEC", "200000"));
    let wait_for = |message: &str| {
        let end = Instant::now() + PATIENCE;
        while Instant::now() < end {
            let mut buffer = [0; 4096];
            let length = notified.recv(&mut buffer).unwrap();
            if String::from_utf8_lossy(&buffer[..length]).lines().any(|line| line == message) {
                return;
            }
        }
        panic!("{message} did not come");
    };
    wait_for("READY=1");
    wait_for("WATCHDOG=1");
    wait_for("WATCHDOG=1");
    program("kill").args(["-HUP", &server.child.id().to_string()]).status().unwrap();
    wait_for("RELOADING=1");
    wait_for("READY=1");
    assert_eq!(server.terminate(), Some(0));
    wait_for("STOPPING=1");
}

#[test]
fn changed_certificate_files_are_taken_over_without_a_pause() {
    let folder = tempfile::tempdir().unwrap();
    let free = [(); 2].map(|()| FreeAddress::reserve());
    let address = *free[0];
    let redirect = free[1].to_string();
    let files = ["certificate.pem", "key.pem"].map(|name| folder.path().join(name).display().to_string());
    let first = write_certificate(folder.path());
    let settings = [
        ("ATRIUM_TLS_CERTIFICATE", files[0].as_str()),
        ("ATRIUM_TLS_KEY", files[1].as_str()),
        ("ATRIUM_TLS_REDIRECT", &redirect),
    ];
    let mut server = start_encrypted(folder.path(), address, &settings);
    assert_eq!(server.url, "https://atrium.example");
    let response = exchange(connect(address, &first).unwrap(), HEALTH);
    assert!(response.starts_with("HTTP/1.1 200"), "{response}");
    assert!(response.contains("strict-transport-security: max-age=63072000\r\n"), "{response}");
    assert!(!exchange(TcpStream::connect(address).unwrap(), HEALTH).starts_with("HTTP/1.1 200"), "only TLS");
    let redirected = exchange(TcpStream::connect(&redirect).unwrap(), HEALTH);
    assert!(redirected.starts_with("HTTP/1.1 301"), "{redirected}");
    assert!(redirected.contains("location: https://atrium.example/health/live\r\n"), "{redirected}");
    let other = HEALTH.replace("atrium.example", "evil.example");
    let redirected = exchange(TcpStream::connect(&redirect).unwrap(), &other);
    assert!(redirected.contains("location: https://atrium.example/health/live\r\n"), "{redirected}");

    let mut open = connect(address, &first).unwrap();
    let mut ask_again = || {
        open.write_all(b"GET /health/live HTTP/1.1\r\nhost: atrium.example\r\n\r\n").unwrap();
        let mut response = Vec::new();
        let mut byte = [0];
        while !response.ends_with(b"}") {
            open.read_exact(&mut byte).unwrap();
            response.push(byte[0]);
        }
        assert!(response.starts_with(b"HTTP/1.1 200"));
    };
    ask_again();
    // The key does not belong to the certificate: the former one stays.
    let second = write_certificate(folder.path());
    let key = fs::read(&files[1]).unwrap();
    fs::write(&files[1], KeyPair::generate().unwrap().serialize_pem()).unwrap();
    thread::sleep(Duration::from_secs(11));
    assert!(connect(address, &first).is_ok());
    fs::write(&files[1], key).unwrap();
    wait_until("the new certificate is used", || connect(address, &second).is_ok());
    assert!(connect(address, &first).is_err());
    ask_again();
    assert_eq!(server.terminate(), Some(0));

    fs::write(&files[1], "no key").unwrap();
    let mut command = atrium(&folder.path().join("data"), &["serve", "--json"]);
    command.env("ATRIUM_PUBLIC_URL", "https://atrium.example").envs(settings);
    assert_eq!(command.output().unwrap().status.code(), Some(1), "unusable files prevent the start");
}

/// An ACME authority with its name server. Both end with this value.
struct Authority {
    children: [Child; 2],
    directory: String,
    management: SocketAddr,
    ca_file: PathBuf,
}

impl Authority {
    /// Starts an authority that looks for the answers to its challenges at two ports of this machine, and whose
    /// certificates are valid for some seconds.
    fn start(folder: &Path, http: u16, tls: u16, valid_seconds: u64) -> Self {
        let free = [(); 4].map(|()| FreeAddress::reserve());
        let [address, management, names, unused] = free.each_ref().map(|free| **free);
        let key = KeyPair::generate().unwrap();
        let own = CertificateParams::new(["127.0.0.1".to_owned()]).unwrap().self_signed(&key).unwrap();
        let [ca_file, key_file, config] = ["pebble.pem", "pebble-key.pem", "pebble.json"].map(|name| folder.join(name));
        fs::write(&ca_file, own.pem()).unwrap();
        fs::write(&key_file, key.serialize_pem()).unwrap();
        let settings = serde_json::json!({ "pebble": {
            "listenAddress": address, "managementListenAddress": management,
            "certificate": ca_file, "privateKey": key_file,
            "httpPort": http, "tlsPort": tls, "certificateValidityPeriod": valid_seconds,
        } });
        fs::write(&config, settings.to_string()).unwrap();
        let quiet = |command: &mut Command| command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let mut server = program("pebble");
        server.arg("-config").arg(&config).arg("-dnsserver").arg(names.to_string()).env("PEBBLE_VA_NOSLEEP", "1");
        let mut resolver = program("pebble-challtestsrv");
        resolver.args(["-http01", "", "-https01", "", "-tlsalpn01", "", "-defaultIPv6", ""]);
        resolver.arg("-dns01").arg(names.to_string()).arg("-management").arg(unused.to_string());
        let children = [quiet(&mut resolver), quiet(&mut server)];
        wait_until("the authority listens", || TcpStream::connect(address).is_ok());
        Self { children, directory: format!("https://{address}/dir"), management, ca_file }
    }

    /// Returns the certificate that signs the authority's certificates.
    fn root(&self) -> CertificateDer<'static> {
        use rustls::pki_types::pem::PemObject as _;
        let trusted = CertificateDer::from_pem_file(&self.ca_file).unwrap();
        let tls = ureq::tls::TlsConfig::builder()
            .unversioned_rustls_crypto_provider(Arc::new(rustls::crypto::aws_lc_rs::default_provider()))
            .root_certs(ureq::tls::RootCerts::from([ureq::tls::Certificate::from_der(&trusted).to_owned()]))
            .build();
        let agent = agent_settings().tls_config(tls).build().new_agent();
        let mut answer = agent.get(format!("https://{}/roots/0", self.management)).call().unwrap();
        CertificateDer::from_pem_slice(&answer.body_mut().read_to_vec().unwrap()).unwrap()
    }
}

impl Drop for Authority {
    fn drop(&mut self) {
        for child in &mut self.children {
            drop(child.kill());
            drop(child.wait());
        }
    }
}

fn served_certificate(address: SocketAddr, root: &CertificateDer<'static>) -> Option<CertificateDer<'static>> {
    let client = connect(address, root).ok()?;
    Some(client.conn.peer_certificates()?.first()?.clone().into_owned())
}

/// Lets the server obtain a certificate and renew it, while clients connect without a break.
fn obtain_and_renew(has_redirect: bool) {
    let folder = tempfile::tempdir().unwrap();
    let free = [(); 2].map(|()| FreeAddress::reserve());
    let [address, redirect] = free.each_ref().map(|free| **free);
    // Without the redirect, only the challenge by TLS can be answered, and the other way round.
    let (http, tls) = if has_redirect { (redirect.port(), 1) } else { (1, address.port()) };
    let authority = Authority::start(folder.path(), http, tls, 30);
    let (directory, ca_file) = (authority.directory.clone(), authority.ca_file.clone());
    let redirect = redirect.to_string();
    let mut settings = vec![
        ("ATRIUM_ACME_DOMAINS", "atrium.example"),
        ("ATRIUM_ACME_CONTACT", "office@atrium.example"),
        ("ATRIUM_ACME_DIRECTORY", directory.as_str()),
        ("ATRIUM_ACME_CA_FILE", ca_file.to_str().unwrap()),
    ];
    if has_redirect {
        settings.push(("ATRIUM_TLS_REDIRECT", redirect.as_str()));
    }
    let mut server = start_encrypted(folder.path(), address, &settings);
    let root = authority.root();
    let mut first = None;
    wait_until("a certificate is obtained", || {
        first = served_certificate(address, &root);
        first.is_some()
    });
    let response = exchange(connect(address, &root).unwrap(), HEALTH);
    assert!(response.starts_with("HTTP/1.1 200"), "{response}");
    wait_until("the certificate is renewed", || {
        served_certificate(address, &root).unwrap() != *first.as_ref().unwrap()
    });
    let renewed = served_certificate(address, &root);
    assert_eq!(server.terminate(), Some(0));
    drop(authority);

    // What was obtained is stored, and used without the authority.
    let stored = folder.path().join("data/certificates/atrium.example.pem");
    assert!(fs::read_to_string(&stored).unwrap().contains("PRIVATE KEY"));
    let mode = std::os::unix::fs::PermissionsExt::mode(&fs::metadata(&stored).unwrap().permissions());
    assert_eq!(mode & 0o777, 0o600);
    let _server = start_encrypted(folder.path(), address, &settings);
    assert_eq!(served_certificate(address, &root), renewed);
    wait_until("the failed renewal is in the check of the certificate", || {
        let status = done(&run(&folder.path().join("data"), &["status", "--json"], ""));
        let checks = status["checks"].as_array().unwrap();
        let check = checks.iter().find(|check| check["name"] == "certificate").unwrap();
        check["figures"]["lastError"].as_str().is_some_and(|error| error.starts_with("atrium.example: "))
            && check["message"].as_str().unwrap().contains("Requesting one failed: atrium.example: ")
    });
}

#[test]
fn certificate_is_obtained_and_renewed_by_tls_alpn() {
    obtain_and_renew(false);
}

#[test]
fn certificate_is_obtained_and_renewed_by_http() {
    obtain_and_renew(true);
}
