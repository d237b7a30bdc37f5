//! Tests of `atrium doctor`: faults are planted in real installations, found with the line that mends them, and those
//! that are safe to mend are gone after `--fix`.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs::{self, File, FileTimes, Permissions},
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{SocketAddr, TcpListener, TcpStream},
    os::unix::{
        fs::{MetadataExt as _, PermissionsExt as _, chown},
        net::UnixListener,
        process::CommandExt as _,
    },
    path::{Path, PathBuf},
    process::{Command, Output},
    thread,
    time::{Duration, SystemTime},
};

use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use serde_json::Value;

use crate::{
    machine::{free_address::FreeAddress, program::program},
    running::{Running, atrium, create_tenant, done, run},
};

/// Faults of a stopped installation and its configuration, and a part of the line that mends each.
const STOPPED: &[(&str, &str)] = &[
    ("configuration.faults", "atrium config check --config"),
    ("configuration.languages", "move it out of"),
    ("configuration.ineffective", "atrium config show"),
    ("configuration.unused_variables", "unset ATRIUM_LISTNE"),
    ("configuration.file_open", "chmod g+r,o-rwx"),
    ("configuration.file_writable", "chmod go-w"),
    ("configuration.relative_data_dir", "data_dir = \"/"),
    ("configuration.verbose_log", "log.level = \"info\""),
    ("server.stopped", "systemctl start atrium"),
    ("network.plain_text", "listen = \"127.0.0.1:"),
    ("network.taken", "ss -ltnp"),
    ("public.missing", "public_url = "),
    ("disk.volatile", "data_dir = "),
    ("files.data_dir_mode", "chmod 700 /"),
    ("files.open", "chmod -R go-rwx /"),
    ("files.leftovers", "rm -r /"),
    ("files.control_socket", "control.sock"),
    ("files.replaced", "rm -r /"),
    ("files.former_store", "rm /"),
    ("files.unknown", "mv /"),
    ("files.no_id", "systemctl restart"),
    ("store.unknown", "systemctl start"),
    ("index.missing", "atrium reindex"),
    ("backup.no_folder", "install -d -m 0700"),
    ("backup.not_encrypted", "backup.passphrase_file"),
    ("backup.few", "backup.keep"),
    ("mail.off", "mail.host"),
    ("sign_in.open_sign_up", "signup = "),
    ("sign_in.weak_throttle", "sign_in.account_failures"),
    ("limits.open_files", "LimitNOFILE="),
    ("limits.file_size", "LimitFSIZE="),
    ("limits.sockets", "limits.connections = "),
    ("limits.per_address", "limits.connections_per_address"),
];

/// Those that `--fix` mends.
const STOPPED_MENDED: &[&str] = &[
    "configuration.file_open",
    "configuration.file_writable",
    "files.data_dir_mode",
    "files.open",
    "files.leftovers",
    "files.control_socket",
    "index.missing",
    "backup.no_folder",
];

/// Faults of certificates, secrets, backups and what other machines say.
const GUARDED: &[(&str, &str)] = &[
    ("network.redirect_taken", "ss -ltnp"),
    ("public.unreachable", "curl -v https://atrium.invalid"),
    ("proxy.trusts_everyone", "trusted_proxies = "),
    ("tls.ending", "certbot renew"),
    ("tls.name", "certbot certonly -d atrium.invalid"),
    ("tls.chain", "fullchain.pem"),
    ("tls.strict_transport", "strict_transport"),
    ("dns.public_url", "dig atrium.invalid"),
    ("secrets.mail_password", "chmod g+r,o-rwx /"),
    ("secrets.passphrase", "chmod g+r,o-rwx /"),
    ("secrets.token", "chmod g+r,o-rwx /"),
    ("secrets.tls_key", "chmod g+r,o-rwx /"),
    ("secrets.passphrase_beside_backups", "backup.passphrase_file"),
    ("backup.open_folder", "chmod 700 /"),
    ("backup.open_file", "chmod go-rwx /"),
    ("backup.too_old", "atrium backup"),
    ("backup.incomplete", "atrium backup"),
    ("backup.same_disk", "backup.folder"),
    ("backup.leftovers", "rm /"),
    ("mail.encryption", "openssl s_client -starttls smtp"),
    ("sign_in.issuer", "curl -v http://127.0.0.1:"),
    ("sign_in.plain_origins", "https://www.example"),
];

const GUARDED_MENDED: &[&str] = &[
    "secrets.mail_password",
    "secrets.passphrase",
    "secrets.token",
    "secrets.tls_key",
    "backup.open_folder",
    "backup.open_file",
    "backup.leftovers",
];

/// Faults of a server that obtains its certificate by ACME.
const BY_AUTHORITY: &[(&str, &str)] = &[
    ("network.no_such_address", "listen = \"0.0.0.0:443\""),
    ("tls.acme_name", "acme.domains = [\"atrium.invalid\"]"),
    ("tls.acme_test_authority", "acme-v02"),
    ("tls.acme_unreachable", "curl -v https://pebble.invalid"),
    ("tls.redirect", "tls.redirect = "),
];

/// Faults of files that do not fit each other.
const UNUSABLE: &[(&str, &str)] = &[
    ("tls.key_mismatch", "tls.key = "),
    ("tls.unreadable", "openssl x509 -in /"),
    ("files.no_installation", "systemctl start"),
    ("files.no_folder", "data_dir = "),
    ("files.store_missing", "atrium restore"),
    ("files.restore_pending", "systemctl restart"),
    ("store.unusable", "atrium restore BACKUP"),
    ("index.damaged", "atrium reindex"),
];

const UNUSABLE_MENDED: &[&str] = &["index.damaged"];

/// Faults of the Unix socket for a proxy.
const SOCKETS: &[(&str, &str)] = &[("network.socket_folder", "install -d -m 0755"), ("network.stale_socket", "rm /")];

/// Faults of the proxy in front of a running server, and of a server that is older than its configuration.
const PROXIED: &[(&str, &str)] = &[
    ("configuration.restart_needed", "systemctl restart"),
    ("version.replaced", "systemctl restart"),
    ("network.silent", "systemctl restart"),
    ("proxy.upgrade", "proxy_set_header Upgrade"),
    ("proxy.host", "proxy_set_header Host"),
    ("proxy.untrusted", "trusted_proxies = [\"127.0.0.1\"]"),
    ("proxy.body_limit", "client_max_body_size 51m;"),
    ("dns.companies", "dig crm.acme.invalid"),
    ("clock.offset", "timedatectl"),
];

/// Other faults in front of the server, one after the other.
const IN_FRONT: &[(&str, &str)] = &[
    ("proxy.no_client_address", "X-Forwarded-For"),
    ("public.other_installation", "public_url = "),
    ("public.redirected", "public_url = \"https://elsewhere.example\""),
];

/// Faults of the mail server, one after the other.
const MAIL: &[(&str, &str)] = &[
    ("mail.unreachable", "nc -v 127.0.0.1"),
    ("mail.sign_in", "atrium mail send-test"),
    ("mail.sender", "mail.from"),
    ("mail.unused_encryption", "mail.security"),
    ("mail.plain_text", "mail.security"),
    ("public.http", "public_url = \"https://atrium.invalid\""),
];

#[test]
fn enough_faults_are_planted_and_mended() {
    let all = [STOPPED, GUARDED, BY_AUTHORITY, UNUSABLE, SOCKETS, PROXIED, IN_FRONT, MAIL].concat();
    let ids: BTreeSet<&str> = all.iter().map(|(id, _)| *id).collect();
    assert!(ids.len() == all.len() && ids.len() >= 60, "{}", ids.len());
    let mended = STOPPED_MENDED.len() + GUARDED_MENDED.len() + UNUSABLE_MENDED.len() + SOCKETS.len();
    assert!(mended >= 15, "{mended}");
}

/// The findings of a report, with their mending lines.
type Findings = BTreeMap<String, String>;

/// Returns the findings of a command with `--json`, and its whole report.
#[track_caller]
fn examined(output: &Output) -> (Findings, Value) {
    let said = String::from_utf8_lossy(&output.stderr);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {said}"));
    let is_found = |check: &&Value| !["ok", "left-out"].contains(&check["status"].as_str().unwrap());
    let text = |check: &Value, name: &str| check[name].as_str().unwrap().to_owned();
    let checks = report["checks"].as_array().unwrap().iter().filter(is_found);
    let found = checks.map(|check| (text(check, "id"), text(check, "mend"))).collect();
    assert_eq!(output.status.code(), Some(i32::from(report["failing"] != 0)), "{said}");
    (found, report)
}

#[track_caller]
fn expect(found: &Findings, report: &Value, planted: &[(&str, &str)]) {
    for (id, line) in planted {
        let Some(mend) = found.get(*id) else {
            let check = report["checks"].as_array().unwrap().iter().find(|check| check["id"] == *id);
            panic!("{id} was not found: {check:?}");
        };
        assert!(mend.contains(line), "{id}: {mend}");
    }
}

/// Runs `doctor --fix`, and checks that what was found before is gone.
#[track_caller]
fn expect_mended(mut command: Command, planted: &[(&str, &str)], mended: &[&str]) {
    let (found, report) = examined(&command.arg("--fix").output().unwrap());
    let deeds = report["mended"].as_array().unwrap();
    for id in mended {
        assert!(planted.iter().any(|(planted, _)| planted == id), "{id} was planted");
        let deed = deeds.iter().find(|deed| deed["id"] == *id).unwrap_or_else(|| panic!("{id}: {deeds:?}"));
        assert!(deed["done"].is_string(), "{deed}");
        assert!(!found.contains_key(*id), "{id} is mended: {found:?}");
    }
}

/// Writes a file with permissions, and with an age in hours.
fn write(file: &Path, text: &str, mode: u32, hours: u64) {
    fs::write(file, text).unwrap();
    fs::set_permissions(file, Permissions::from_mode(mode)).unwrap();
    age(file, hours);
}

#[expect(clippy::disallowed_methods, reason = "the binary has the clock of the system, too")]
fn now() -> SystemTime {
    SystemTime::now()
}

fn age(path: &Path, hours: u64) {
    let then = now() - Duration::from_secs(hours * 3_600);
    File::open(path).unwrap().set_times(FileTimes::new().set_modified(then)).unwrap();
}

/// `atrium doctor --json` without a data directory as a flag.
fn doctor(config: &Path) -> Command {
    let mut command = program(env!("CARGO_BIN_EXE_atrium"));
    command.args(["doctor", "--json", "--config"]).arg(config);
    command
}

/// Creates an installation with a company, in `data`, and its search index.
fn installation(folder: &Path) -> PathBuf {
    let data = folder.join("data");
    done(&create_tenant(&data, "acme"));
    done(&atrium(&data, &["reindex", "--json"]).output().unwrap());
    data
}

#[test]
fn faults_of_a_stopped_installation_are_found_and_mended() {
    // A place for temporary files, which is one of the faults.
    let folder = tempfile::tempdir_in("/tmp").unwrap();
    let data = installation(folder.path());
    let taken = TcpListener::bind("0.0.0.0:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let languages = folder.path().join("languages");
    fs::create_dir(&languages).unwrap();
    fs::write(languages.join("fr.json"), "[]").unwrap();
    let config = folder.path().join("atrium.toml");
    let settings = format!(
        "data_dir = \"data\"\nlisten = \"0.0.0.0:{port}\"\nsignup = \"open\"\nlanguages = \"languages\"\n\
         [limits]\nrequests_per_company = 5000\nsockets_per_company = 5000\nconnections_per_address = 0\n\
         [sign_in]\naccount_failures = 100\n[log]\nlevel = \"debug\"\nformat = \"paper\"\n\
         [mail]\npassword = \"a password\"\n[backup]\nfolder = \"backups\"\nkeep = 1\n"
    );
    write(&config, &settings, 0o666, 0);
    write(&data.join("files/incoming/upload"), "half", 0o600, 2);
    fs::create_dir(data.join("restore.part")).unwrap();
    age(&data.join("restore.part"), 2);
    fs::create_dir(data.join("replaced-20260101T000000Z")).unwrap();
    write(&data.join("store.redb.format-3"), "", 0o600, 0);
    write(&data.join("notes.txt"), "", 0o600, 0);
    write(&data.join("installation"), "nothing", 0o600, 0);
    fs::remove_dir_all(data.join("index")).unwrap();
    drop(UnixListener::bind(data.join("control.sock")).unwrap());
    fs::set_permissions(data.join("access.key"), Permissions::from_mode(0o644)).unwrap();
    fs::set_permissions(&data, Permissions::from_mode(0o755)).unwrap();
    let limited = || {
        // The limits of a process are inherited.
        let mut command = program("sh");
        command.args(["-c", "ulimit -n 256; ulimit -f 1000000; exec \"$0\" \"$@\""]);
        command.arg(env!("CARGO_BIN_EXE_atrium")).args(["doctor", "--json", "--config"]).arg(&config);
        command.current_dir(folder.path()).env("ATRIUM_LISTNE", "x");
        command
    };
    let (found, report) = examined(&limited().output().unwrap());
    expect(&found, &report, STOPPED);
    // It only looked.
    assert_eq!(fs::metadata(&data).unwrap().permissions().mode() & 0o777, 0o755);
    assert!(data.join("files/incoming/upload").exists() && !folder.path().join("backups").exists());

    expect_mended(limited(), STOPPED, STOPPED_MENDED);
    assert!(!data.join("files/incoming/upload").exists() && data.join("notes.txt").exists());
    assert!(data.join("replaced-20260101T000000Z").exists(), "replaced data is never removed");
    let text = limited().args(["--only", "files.unknown"]).output().unwrap();
    let (found, _) = examined(&text);
    assert_eq!(found.keys().collect::<Vec<_>>(), ["files.unknown"]);
}

/// Makes a certificate for `other.example` that ends in three days, of an authority whose own certificate is not in the
/// file, and a key; returns the key of another certificate as well.
fn write_certificate(folder: &Path) {
    let authority_key = KeyPair::generate().unwrap();
    let mut authority = CertificateParams::new(Vec::new()).unwrap();
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    authority.distinguished_name.push(rcgen::DnType::CommonName, "Test authority");
    let issuer = Issuer::new(authority, authority_key);
    let key = KeyPair::generate().unwrap();
    let mut own = CertificateParams::new(["other.example".to_owned()]).unwrap();
    own.distinguished_name.push(rcgen::DnType::CommonName, "other.example");
    own.not_after = (now() + Duration::from_secs(3 * 86_400)).into();
    let made = own.signed_by(&key, &issuer).unwrap();
    write(&folder.join("certificate.pem"), &made.pem(), 0o644, 0);
    write(&folder.join("key.pem"), &key.serialize_pem(), 0o644, 0);
    write(&folder.join("other-key.pem"), &KeyPair::generate().unwrap().serialize_pem(), 0o600, 0);
}

/// Serves connections one after the other, until the test process ends.
fn serve(handle: impl Fn(TcpStream) + Send + 'static) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for socket in listener.incoming().flatten() {
            handle(socket);
        }
    });
    address
}

/// A mail server that offers extensions, and refuses the commands that begin with `refused`.
fn mail_server(extensions: &'static str, refused: &'static str) -> SocketAddr {
    serve(move |mut socket| {
        let mut lines = BufReader::new(socket.try_clone().unwrap()).lines();
        drop(socket.write_all(b"220 ready\r\n"));
        while let Some(Ok(line)) = lines.next() {
            let answer = match line.split(' ').next().unwrap() {
                "EHLO" => format!("250-here\r\n{extensions}250 SIZE\r\n"),
                "QUIT" => break,
                command if command == refused => "535 5.7.8 not you\r\n".to_owned(),
                _ => "250 ok\r\n".to_owned(),
            };
            drop(socket.write_all(answer.as_bytes()));
        }
    })
}

#[test]
fn faults_of_certificates_secrets_and_backups_are_found_and_mended() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    installation(place);
    write_certificate(place);
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let redirect = taken.local_addr().unwrap();
    let backups = place.join("backups");
    fs::create_dir(&backups).unwrap();
    fs::set_permissions(&backups, Permissions::from_mode(0o755)).unwrap();
    write(&backups.join("atrium-20260101T000000Z.backup"), "no backup", 0o644, 0);
    write(&backups.join("atrium-20260102T000000Z.backup.c0ffee00.part"), "half", 0o600, 2);
    write(&backups.join("passphrase"), "a passphrase that is long\n", 0o644, 0);
    write(&place.join("token"), "a token that is long\n", 0o644, 0);
    write(&place.join("password"), "a password\n", 0o644, 0);
    let mail = mail_server("", "").port();
    let issuer = FreeAddress::reserve();
    let config = place.join("atrium.toml");
    let settings = format!(
        "data_dir = \"{0}/data\"\nlisten = \"127.0.0.1:0\"\npublic_url = \"https://atrium.invalid\"\n\
         trusted_proxies = [\"0.0.0.0/0\"]\nsocket_origins = [\"http://www.example\"]\nstrict_transport = \"off\"\n\
         sign_in.issuers = [\"http://{issuer}\"]\nmetrics.token_file = \"{0}/token\"\n\
         [tls]\ncertificate = \"{0}/certificate.pem\"\nkey = \"{0}/key.pem\"\nredirect = \"{redirect}\"\n\
         [backup]\nfolder = \"{0}/backups\"\npassphrase_file = \"{0}/backups/passphrase\"\n\
         [mail]\nhost = \"127.0.0.1\"\nport = {mail}\nfrom = \"a@acme.invalid\"\nuser = \"a\"\n\
         password_file = \"{0}/password\"\n",
        place.display(),
    );
    write(&config, &settings, 0o600, 0);
    let (found, report) = examined(&doctor(&config).output().unwrap());
    expect(&found, &report, GUARDED);
    expect_mended(doctor(&config), GUARDED, GUARDED_MENDED);
    assert!(backups.join("atrium-20260101T000000Z.backup").exists(), "backups are never removed");

    // Without other machines, nothing that they would say is found.
    let (found, _) = examined(&doctor(&config).arg("--offline").output().unwrap());
    for id in ["public.unreachable", "mail.encryption", "sign_in.issuer", "dns.public_url"] {
        assert!(!found.contains_key(id), "{id}");
    }

    let settings = format!(
        "data_dir = \"{0}/data\"\nlisten = \"203.0.113.7:443\"\npublic_url = \"https://atrium.invalid\"\n\
         acme.domains = [\"other.example\"]\nacme.directory = \"https://pebble.invalid/dir\"\n",
        place.display()
    );
    write(&config, &settings, 0o600, 0);
    let (found, report) = examined(&doctor(&config).output().unwrap());
    expect(&found, &report, BY_AUTHORITY);
}

#[test]
fn unusable_files_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    let data = installation(place);
    write_certificate(place);
    let config = place.join("atrium.toml");
    let mut planted = UNUSABLE.iter();
    let mut see = |settings: &str| {
        let settings = format!("data_dir = \"{}\"\nlisten = \"127.0.0.1:0\"\n{settings}", data.display());
        write(&config, &settings, 0o600, 0);
        let (found, report) = examined(&doctor(&config).arg("--offline").output().unwrap());
        expect(&found, &report, &[*planted.next().unwrap()]);
    };
    let tls = |certificate: &str| {
        format!(
            "public_url = \"https://other.example\"\n[tls]\ncertificate = \"{0}/{certificate}\"\nkey = \"{0}/other-key.pem\"\n",
            place.display()
        )
    };
    see(&tls("certificate.pem"));
    see(&tls("atrium.toml"));
    let aside = place.join("aside");
    fs::rename(&data, &aside).unwrap();
    see("");
    write(&data, "", 0o600, 0);
    see("");
    fs::remove_file(&data).unwrap();
    fs::rename(&aside, &data).unwrap();
    let store = data.join("store.redb");
    fs::rename(&store, place.join("store.redb")).unwrap();
    see("");
    fs::create_dir(data.join("restore.ready")).unwrap();
    fs::rename(place.join("store.redb"), &store).unwrap();
    see("");
    fs::remove_dir(data.join("restore.ready")).unwrap();
    let intact = fs::read(&store).unwrap();
    write(&store, "no store", 0o600, 0);
    see("");
    write(&store, "", 0o600, 0);
    fs::write(&store, intact).unwrap();
    let segment = walk(&data.join("index")).into_iter().find(|file| file.extension().is_some_and(|end| end == "store"));
    let segment = segment.unwrap();
    let mut bytes = fs::read(&segment).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0xff;
    fs::write(&segment, bytes).unwrap();
    see("");
    let mut fix = doctor(&config);
    fix.arg("--offline");
    expect_mended(fix, UNUSABLE, UNUSABLE_MENDED);
}

/// Returns the files below a folder.
fn walk(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { walk(&path) } else { vec![path] }).collect()
}

#[test]
fn faults_of_the_unix_socket_are_found_and_mended() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    let data = installation(place);
    let config = place.join("atrium.toml");
    let socket = place.join("run/atrium.sock");
    write(&config, &format!("data_dir = \"{}\"\nlisten = \"unix:{}\"\n", data.display(), socket.display()), 0o600, 0);
    let run = |planted: &[(&str, &str)]| {
        let (found, report) = examined(&doctor(&config).output().unwrap());
        expect(&found, &report, planted);
        expect_mended(doctor(&config), planted, &[planted[0].0]);
    };
    run(&SOCKETS[..1]);
    assert!(socket.parent().unwrap().is_dir());
    drop(UnixListener::bind(&socket).unwrap());
    run(&SOCKETS[1..]);
    assert!(!socket.exists());
}

/// How a proxy changes the requests that it forwards.
#[derive(Clone, Copy)]
struct Proxy {
    /// The `Host` header that it sends instead; empty: the one of the request.
    host: &'static str,
    forwards_client: bool,
    keeps_upgrade: bool,
}

impl Proxy {
    /// Starts a proxy in front of a server. Its clock is an hour behind, and it refuses large requests.
    fn start(self, server: SocketAddr) -> SocketAddr {
        serve(move |mut socket| {
            let mut reader = BufReader::new(socket.try_clone().unwrap());
            let mut head = Vec::new();
            let mut length = 0;
            for line in reader.by_ref().lines().map_while(Result::ok).take_while(|line| !line.is_empty()) {
                let lower = line.to_ascii_lowercase();
                if let Some(bytes) = lower.strip_prefix("content-length: ") {
                    length = bytes.trim().parse().unwrap();
                }
                if lower.starts_with("host:") && !self.host.is_empty() {
                    head.push(format!("Host: {}", self.host));
                } else if lower.starts_with("connection:") && !self.keeps_upgrade {
                    head.push("Connection: close".to_owned());
                } else if self.keeps_upgrade || !lower.starts_with("upgrade:") {
                    head.push(line);
                }
            }
            if length > 1 << 20 {
                drop(socket.write_all(b"HTTP/1.1 413 Too Large\r\ncontent-length: 0\r\n\r\n"));
                return;
            }
            if self.forwards_client {
                head.push("X-Forwarded-For: 203.0.113.9".to_owned());
            }
            let mut inner = TcpStream::connect(server).unwrap();
            inner.write_all(format!("{}\r\n\r\n", head.join("\r\n")).as_bytes()).unwrap();
            let mut answer = BufReader::new(inner);
            let head: Vec<String> =
                answer.by_ref().lines().map(Result::unwrap).take_while(|it| !it.is_empty()).collect();
            let length =
                head.iter().find_map(|line| line.to_ascii_lowercase().strip_prefix("content-length: ")?.parse().ok());
            let mut body = vec![0; length.unwrap()];
            answer.read_exact(&mut body).unwrap();
            let body = String::from_utf8(body).unwrap();
            let status = &head[0];
            let date = "date: Wed, 01 Jan 2020 00:00:00 GMT";
            let answer =
                format!("{status}\r\n{date}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}", body.len());
            drop(socket.write_all(answer.as_bytes()));
        })
    }
}

/// Answers every request alike.
fn static_server(answer: &'static str) -> SocketAddr {
    serve(move |mut socket| {
        let mut lines = BufReader::new(socket.try_clone().unwrap()).lines();
        while lines.next().is_some_and(|line| line.is_ok_and(|line| !line.is_empty())) {}
        drop(socket.write_all(answer.as_bytes()));
    })
}

#[test]
fn faults_of_a_running_server_and_its_proxy_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    let data = installation(place);
    done(&atrium(&data, &["tenant", "update", "acme", "--domain", "crm.acme.invalid", "--json"]).output().unwrap());
    // The program of the server is removed while it runs.
    let binary = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("atrium-{}", std::process::id()));
    fs::hard_link(env!("CARGO_BIN_EXE_atrium"), &binary).unwrap();
    let mut serve = program(&binary);
    serve.args(["serve", "--json", "--listen", "127.0.0.1:0", "--data-dir"]).arg(&data);
    serve.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::null());
    let server = Running::of(&mut serve);
    fs::remove_file(&binary).unwrap();
    let address: SocketAddr = server.url.strip_prefix("http://").unwrap().parse().unwrap();
    let config = place.join("atrium.toml");
    let examine = |public: SocketAddr, listen: SocketAddr, more: &str| {
        let settings = format!(
            "data_dir = \"{}\"\nlisten = \"{listen}\"\npublic_url = \"http://{public}\"\nlimits.waiting = 5\n{more}",
            data.display()
        );
        write(&config, &settings, 0o600, 0);
        examined(&doctor(&config).output().unwrap())
    };
    let bad = Proxy { host: "inside.example", forwards_client: true, keeps_upgrade: false };
    let silent = FreeAddress::reserve();
    let (found, report) = examine(bad.start(address), *silent, "");
    expect(&found, &report, PROXIED);
    for id in ["public.unreachable", "public.other_installation", "server.stopped"] {
        assert!(!found.contains_key(id), "{id}: {found:?}");
    }

    let good = Proxy { host: "", forwards_client: true, keeps_upgrade: true };
    let trusted = "trusted_proxies = [\"127.0.0.1\"]\n";
    let (found, _) = examine(good.start(address), address, trusted);
    let of_proxy: Vec<&String> =
        found.keys().filter(|id| id.starts_with("proxy.") && *id != "proxy.body_limit").collect();
    assert!(of_proxy.is_empty() && !found.contains_key("network.silent"), "{found:?}");

    let hiding = Proxy { forwards_client: false, ..good };
    let (found, report) = examine(hiding.start(address), address, trusted);
    expect(&found, &report, &IN_FRONT[..1]);
    let other = static_server("HTTP/1.1 200 OK\r\ncontent-length: 15\r\nconnection: close\r\n\r\n{\"status\":\"ok\"}");
    let (found, report) = examine(other, address, "");
    expect(&found, &report, &IN_FRONT[1..2]);
    let moved =
        "HTTP/1.1 301 Moved\r\nlocation: https://elsewhere.example/x\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
    let (found, report) = examine(static_server(moved), address, "");
    expect(&found, &report, &IN_FRONT[2..]);
    // Directly, without a proxy.
    let (found, _) = examine(address, address, "");
    assert!(!found.keys().any(|id| id.starts_with("proxy.") || id.starts_with("public.")), "{found:?}");
}

#[test]
fn faults_of_the_mail_server_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    let config = place.join("atrium.toml");
    let mut planted = MAIL.iter();
    let mut see = |host: &str, port: u16, more: &[&str]| {
        let settings = format!(
            "data_dir = \"{}/data\"\nlisten = \"127.0.0.1:0\"\npublic_url = \"http://atrium.invalid\"\n\
             [mail]\nhost = \"{host}\"\nport = {port}\nsecurity = \"none\"\nfrom = \"a@acme.invalid\"\n\
             user = \"a\"\npassword = \"a password\"\n",
            place.display(),
        );
        write(&config, &settings, 0o600, 0);
        let (found, report) = examined(&doctor(&config).args(more).output().unwrap());
        expect(&found, &report, &[*planted.next().unwrap()]);
    };
    let only = &["--only", "mail"][..];
    let silent = FreeAddress::reserve();
    see("127.0.0.1", silent.port(), only);
    see("127.0.0.1", mail_server("250-AUTH PLAIN\r\n", "AUTH").port(), only);
    see("127.0.0.1", mail_server("250-AUTH PLAIN\r\n", "MAIL").port(), only);
    see("127.0.0.1", mail_server("250-AUTH PLAIN\r\n250-STARTTLS\r\n", "").port(), only);
    see("mail.invalid", 25, &["--only", "mail", "--offline"]);
    see("127.0.0.1", 25, &["--only", "public.http", "--offline"]);
}

/// A user who owns nothing, and the group of that user.
const NOBODY: u32 = 65_534;

fn is_root() -> bool {
    fs::metadata("/proc/self").unwrap().uid() == 0
}

/// Gives everything in a folder to a user, as a package does with the data directory. Only root can: other users keep it,
/// and are who the commands run as.
fn give(folder: &Path) -> u32 {
    let user = if is_root() { NOBODY } else { fs::metadata(folder).unwrap().uid() };
    if is_root() {
        for path in walk_all(folder) {
            chown(path, Some(NOBODY), Some(NOBODY)).unwrap();
        }
    }
    user
}

/// Returns a folder and everything below it.
fn walk_all(path: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(path).into_iter().flatten().map(|entry| entry.unwrap().path());
    let below = entries.flat_map(|path| walk_all(&path));
    std::iter::once(path.to_owned()).chain(below).collect()
}

#[test]
fn root_looks_at_a_stopped_server_as_its_owner() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    fs::set_permissions(place, Permissions::from_mode(0o755)).unwrap();
    let data = installation(place);
    let config = place.join("etc/atrium.toml");
    let backups = place.join("backups");
    for folder in [config.parent().unwrap(), &backups] {
        fs::create_dir(folder).unwrap();
        fs::set_permissions(folder, Permissions::from_mode(0o700)).unwrap();
    }
    let settings = format!(
        "data_dir = \"{0}\"\nlisten = \"127.0.0.1:0\"\nacme.ca_file = \"{1}/etc/ca.pem\"\nbackup.folder = \"{1}/backups\"\n",
        data.display(),
        place.display()
    );
    write(&config, &settings, 0o600, 0);
    write(&place.join("etc/ca.pem"), "", 0o600, 0);
    let owner = give(&data);
    let look = || examined(&doctor(&config).arg("--offline").output().unwrap());

    let (found, report) = look();
    let looked = report["checks"].as_array().unwrap().iter().filter(|check| {
        ["sign_in.no_owner", "index.damaged", "store.damaged", "clock.behind_data"]
            .contains(&check["id"].as_str().unwrap())
    });
    assert!(looked.clone().count() == 4 && looked.clone().all(|check| check["status"] == "ok"), "{report}");
    assert!(!found.contains_key("store.unknown"), "{found:?}");
    // What only root may read.
    for (id, line) in [("configuration.unreadable", "/etc"), ("backup.unusable", "/backups && chmod 700 ")] {
        let line = format!("{}{line}", place.display());
        assert_eq!(found.get(id).is_some_and(|mend| mend.contains(&line)), is_root(), "{id}: {found:?}");
    }

    // The index is rebuilt as the owner, too.
    fs::remove_dir_all(data.join("index")).unwrap();
    let mut fix = doctor(&config);
    fix.arg("--offline");
    expect_mended(fix, &[("index.missing", "")], &["index.missing"]);
    assert!(walk_all(&data).iter().all(|path| fs::metadata(path).unwrap().uid() == owner));

    fs::write(data.join("store.redb"), [0; 4096]).unwrap();
    let (found, report) = look();
    expect(&found, &report, &[("store.unusable", "atrium restore BACKUP")]);
}

#[test]
fn a_user_who_may_not_look_is_told_so() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    fs::set_permissions(place, Permissions::from_mode(0o755)).unwrap();
    let data = installation(place);
    let _server = Running::start(&data);
    let config = place.join("atrium.toml");
    write(&config, &format!("data_dir = \"{}\"\n", data.display()), 0o644, 0);
    let mut command = doctor(&config);
    if is_root() {
        command.uid(NOBODY).gid(NOBODY);
    } else {
        fs::set_permissions(&data, Permissions::from_mode(0o000)).unwrap();
    }
    let (found, report) = examined(&command.arg("--offline").output().unwrap());
    fs::set_permissions(&data, Permissions::from_mode(0o700)).unwrap();
    expect(&found, &report, &[("files.data_dir_owner", "sudo atrium doctor")]);
    for id in ["server.silent", "server.stopped", "files.no_installation", "network.silent", "network.taken"] {
        assert!(!found.contains_key(id), "{id}: {found:?}");
    }

    let mut command = doctor(&config);
    fs::set_permissions(&config, Permissions::from_mode(if is_root() { 0o600 } else { 0o000 })).unwrap();
    if is_root() {
        command.uid(NOBODY).gid(NOBODY);
    }
    let (found, report) = examined(&command.args(["--offline", "--only", "configuration"]).output().unwrap());
    expect(&found, &report, &[("configuration.denied", "sudo atrium doctor")]);
    assert!(!found.contains_key("configuration.faults"), "{found:?}");
}

#[test]
fn a_unit_that_cannot_start_is_failing() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    let data = installation(place);
    let config = place.join("atrium.toml");
    write(&config, &format!("data_dir = \"{}\"\n", data.display()), 0o600, 0);
    fs::create_dir(place.join("bin")).unwrap();
    write(&place.join("bin/systemctl"), "#!/bin/sh\ncat \"${0%/*}/shown\"\n", 0o755, 0);
    let mut path = place.join("bin").into_os_string();
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap());
    let start = |config: &Path| format!("ExecStart={{ argv[]=/usr/bin/atrium serve --config {} ; }}", config.display());
    for (start, state, severity, line) in [
        (start(&config), "failed\nSubState=failed", "failing", "journalctl -u atrium -n 50"),
        (start(&config), "activating\nSubState=auto-restart", "failing", "journalctl -u atrium -n 50"),
        (start(&config), "inactive\nSubState=dead", "failing", "systemctl start atrium"),
        (start(Path::new("/etc/another.toml")), "failed\nSubState=failed", "note", "systemctl start atrium"),
    ] {
        let shown = format!(
            "Id=atrium.service\nLoadState=loaded\nUnitFileState=enabled\nResult=exit-code\n{start}\nActiveState={state}\n"
        );
        write(&place.join("bin/shown"), &shown, 0o644, 0);
        let (found, report) =
            examined(&doctor(&config).args(["--only", "server"]).env("PATH", &path).output().unwrap());
        expect(&found, &report, &[("server.stopped", line)]);
        assert_eq!(report["checks"][0]["status"], severity, "{state}");
    }
}

#[test]
fn everything_in_a_data_directory_is_known() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    let data = installation(place);
    let backup = place.join("all.backup").display().to_string();
    let invite = ["user", "invite", "--tenant", "acme", "--email", "ben@acme.example", "--role", "member", "--json"];
    done(&run(&data, &invite, ""));
    let mut server = Running::start(&data);
    let token = server.token("acme");
    server.upload(&token);
    done(&run(&data, &["backup", &backup, "--json"], ""));
    assert_eq!(server.terminate(), Some(0));
    done(&run(&data, &["keys", "rotate", "--json"], ""));
    done(&run(&data, &["compact", "--json"], ""));
    done(&run(&data, &["restore", &backup, "--json"], ""));
    let names: Vec<String> =
        fs::read_dir(&data).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    assert!(names.iter().any(|name| name == "outgoing") && names.iter().any(|name| name.starts_with("replaced-")));

    let look = || {
        let output = atrium(&data, &["doctor", "--json", "--offline", "--only", "files.unknown"]).output().unwrap();
        examined(&output).0
    };
    assert_eq!(look(), Findings::new(), "{names:?}");
    fs::write(data.join("notes.txt"), "").unwrap();
    assert!(look()["files.unknown"].starts_with("mv ") && look()["files.unknown"].contains("/notes.txt "));
}

#[test]
fn a_private_authority_is_trusted() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    let data = installation(place);
    let mut authority = CertificateParams::new(Vec::new()).unwrap();
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let key = KeyPair::generate().unwrap();
    fs::write(place.join("ca.pem"), authority.self_signed(&key).unwrap().pem()).unwrap();
    let issuer = Issuer::new(authority, key);
    let key = KeyPair::generate().unwrap();
    let made = CertificateParams::new(["localhost".to_owned()]).unwrap().signed_by(&key, &issuer).unwrap();
    write(&place.join("certificate.pem"), &made.pem(), 0o600, 0);
    write(&place.join("key.pem"), &key.serialize_pem(), 0o600, 0);
    let address = FreeAddress::reserve();
    let config = place.join("atrium.toml");
    let configure = |more: &str| {
        let settings = format!(
            "data_dir = \"{0}\"\nlisten = \"{address}\"\npublic_url = \"https://localhost:{1}\"\n{more}\
             [tls]\ncertificate = \"{2}/certificate.pem\"\nkey = \"{2}/key.pem\"\n",
            data.display(),
            address.port(),
            place.display()
        );
        write(&config, &settings, 0o600, 0);
    };
    configure("");
    let mut serve = program(env!("CARGO_BIN_EXE_atrium"));
    serve.args(["serve", "--json", "--config"]).arg(&config);
    serve.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::null());
    let _server = Running::of(&mut serve);
    let look = || {
        let only = ["--only", "tls.public_certificate", "--only", "public"];
        examined(&doctor(&config).args(only).output().unwrap())
    };
    let (found, report) = look();
    expect(&found, &report, &[("tls.public_certificate", "update-ca-certificates")]);
    assert_eq!((&report["warnings"], &report["failing"]), (&1.into(), &0.into()), "{report}");
    configure(&format!("acme.ca_file = \"{}/ca.pem\"\n", place.display()));
    let (found, report) = look();
    assert_eq!((found, &report["ok"]), (Findings::new(), &6.into()), "{report}");
}
