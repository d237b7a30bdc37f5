//! Tests of the checks: each finds its fault in otherwise healthy facts, and stands in docs/operations.md.

use std::{
    collections::{BTreeMap, BTreeSet},
    io::ErrorKind,
    path::PathBuf,
    time::Duration,
};

use url::Url;

use super::{
    examine::{CompanyFacts, RunningFacts},
    facts::{
        Configuration, Facts,
        accounts::Accounts,
        certificate::CertificateFacts,
        files::{BackupFolder, DataDir, DiskFacts, Listening, NamedFile, PathFacts},
        machine::{Machine, ProcessFacts, ProcessLimits},
        network::{Answer, NetworkFacts, Reply},
        unit::{UnitFacts, UnitState},
    },
    *,
};
use crate::{
    config::{Config, Fault, LogLevel, MailSecurity, Origin, Signup, StrictTransport, shown_settings},
    http::Probe,
    kernel::Timestamp,
    mail::Step,
    monitoring::{self, CheckStatus},
};

const NOW: i64 = crate::testing::NOW;

fn now() -> Timestamp {
    Timestamp::from_millis(NOW)
}

/// A file or folder of the server's user that others have no access to.
fn private(path: &str, is_folder: bool) -> PathFacts {
    PathFacts {
        path: path.into(),
        user: 990,
        group: 990,
        mode: if is_folder { 0o700 } else { 0o600 },
        is_folder,
        has_access_list: false,
        device: 1,
        changed: now().seconds(),
        bytes: 10,
    }
}

fn named_file(key: &'static str, path: &str) -> NamedFile {
    NamedFile { key, is_secret: true, file: private(path, false), refused: None }
}

/// A secret and another file.
fn named_files() -> Vec<NamedFile> {
    let authorities = NamedFile { is_secret: false, ..named_file("acme.ca_file", "/etc/atrium/ca.pem") };
    vec![named_file("tls.key", "/etc/atrium/key.pem"), authorities]
}

fn reply(status: u16, body: &str) -> Answer {
    Answer::Response(Reply { status, body: body.to_owned(), ..Reply::default() })
}

fn health(name: &str) -> monitoring::Check {
    monitoring::Check::new(name, CheckStatus::Ok, "Fine.")
}

fn settings() -> Config {
    let mut config = Config {
        listen: "127.0.0.1:443".parse().unwrap(),
        data_dir: "/var/lib/atrium".into(),
        public_url: Url::parse("https://atrium.example").ok(),
        trusted_proxies: vec!["127.0.0.1".parse().unwrap()],
        ..Config::default()
    };
    config.tls.certificate = Some("/etc/atrium/fullchain.pem".into());
    config.tls.key = Some("/etc/atrium/key.pem".into());
    config.tls.redirect = Some(([0, 0, 0, 0], 80).into());
    config.mail.host = Some("mail.example".into());
    config.mail.from = Some("atrium@acme.example".into());
    config.backup.folder = Some("/mnt/backups".into());
    config.backup.passphrase_file = Some("/etc/atrium/passphrase".into());
    config
}

/// The facts of an installation without a fault, whose server runs.
fn healthy() -> Facts {
    let config = settings();
    let reply = reply(200, r#"{"status":"ok"}"#);
    let probe = Probe {
        peer: Some("127.0.0.1".to_owned()),
        host: Some("atrium.example".to_owned()),
        forwarded_for: Some("203.0.113.9".to_owned()),
        upgrade: Some("websocket".to_owned()),
    };
    let backup = private("/mnt/backups/atrium-20261127T000000Z-c0ffee00.backup", false);
    let running = RunningFacts {
        process: 7,
        checks: ["store", "disk", "index", "backup", "mail", "damage", "jobs", "certificate", "clock"]
            .map(health)
            .to_vec(),
        settings: shown_settings(&config),
        refused_emails: 0,
        probes: vec![probe],
    };
    Facts {
        now: now(),
        offline: false,
        user: 990,
        configuration: Configuration {
            file: Some(private("/etc/atrium/config.toml", false)),
            settings: shown_settings(&config),
            ..Configuration::default()
        },
        data: DataDir {
            path: config.data_dir.clone(),
            folder: Some(private("/var/lib/atrium", true)),
            has_store: true,
            has_parts: true,
            has_index: true,
            bytes: 1_000_000,
            ..DataDir::default()
        },
        disk: Some(DiskFacts {
            free_bytes: 50 << 30,
            total_bytes: 100 << 30,
            free_files: Some(1_000_000),
            write_time: Some(Duration::from_millis(2)),
            ..DiskFacts::default()
        }),
        named_files: named_files(),
        backups: Some(BackupFolder {
            path: "/mnt/backups".into(),
            folder: Some(PathFacts { device: 2, ..private("/mnt/backups", true) }),
            backups: vec![(now().plus_seconds(-3_600), backup)],
            free_bytes: Some(1 << 30),
            data_device: Some(1),
            ..BackupFolder::default()
        }),
        listening: Listening::default(),
        certificate: Some(Ok(CertificateFacts {
            names: vec!["atrium.example".to_owned()],
            ends: now().seconds() + 60 * 86_400,
            chain: 2,
            ..CertificateFacts::default()
        })),
        network: NetworkFacts {
            local: Some(reply.clone()),
            public: Some(reply),
            large_request: Some(401),
            mail: Some(Ok(false)),
            sender_policy: Some("v=spf1 mx -all".to_owned()),
            ..NetworkFacts::default()
        },
        machine: Machine {
            memory_bytes: Some(4 << 30),
            available_bytes: Some(2 << 30),
            swap_bytes: Some(1 << 30),
            overcommit: Some(0),
            waiting_connections: Some(4096),
            open_files: Some(1 << 30),
            kernel: Some((6, 1)),
            has_synchronized_clock: Some(true),
            has_time_zones: true,
            has_name_server: true,
            limits: ProcessLimits::default(),
        },
        accounts: Accounts::default(),
        unit: Some(UnitFacts { is_enabled: true, ..UnitFacts::default() }),
        process: Some(ProcessFacts { id: 7, user: 990, ..ProcessFacts::default() }),
        server: Ok(ServerFacts {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            newest_change: Some(now()),
            has_verified_index: true,
            companies: vec![CompanyFacts { slug: "acme".to_owned(), is_active: true, owners: 1, hosts: Vec::new() }],
            running: Some(running),
            ..ServerFacts::default()
        }),
        is_running: true,
        is_denied: false,
        is_unusable: false,
        is_repairable: false,
        needs_upgrade: false,
        config,
    }
}

fn server(facts: &mut Facts) -> &mut ServerFacts {
    facts.server.as_mut().unwrap()
}

fn running(facts: &mut Facts) -> &mut RunningFacts {
    server(facts).running.as_mut().unwrap()
}

fn probe(facts: &mut Facts) -> &mut Probe {
    &mut running(facts).probes[0]
}

/// The server is stopped, and its store was looked at.
fn stop(facts: &mut Facts) {
    facts.is_running = false;
    facts.process = None;
    server(facts).running = None;
}

fn worsen(facts: &mut Facts, check: &str) {
    let check = running(facts).checks.iter_mut().find(|found| found.name == check).unwrap();
    check.status = CheckStatus::Failing;
    check.message = "It fails.".to_owned();
}

fn certificate(facts: &mut Facts) -> &mut CertificateFacts {
    facts.certificate.as_mut().unwrap().as_mut().unwrap()
}

fn backups(facts: &mut Facts) -> &mut BackupFolder {
    facts.backups.as_mut().unwrap()
}

fn disk(facts: &mut Facts) -> &mut DiskFacts {
    facts.disk.as_mut().unwrap()
}

fn secret(facts: &mut Facts, key: &'static str) {
    let file = PathFacts { mode: 0o644, ..private("/etc/atrium/secret", false) };
    facts.named_files = vec![NamedFile { file, ..named_file(key, "/etc/atrium/secret") }];
}

/// The server is stopped, and its unit is in a state.
fn stop_unit(facts: &mut Facts, state: UnitState) {
    stop(facts);
    facts.unit.as_mut().unwrap().state = state;
}

/// A folder that only root enters.
fn closed(path: &str) -> PathFacts {
    PathFacts { user: 0, group: 0, ..private(path, true) }
}

/// The store of the stopped server cannot be used.
fn destroy(facts: &mut Facts, is_repairable: bool) {
    stop(facts);
    facts.server = Err("it is damaged".to_owned());
    facts.is_unusable = true;
    facts.is_repairable = is_repairable;
}

fn fault(key: &str) -> Fault {
    Fault { origin: Origin::Default, key: key.to_owned(), reason: "expected something else".to_owned() }
}

fn listen(facts: &mut Facts, address: &str) {
    facts.config.listen = address.parse().unwrap();
    facts.config.tls.certificate = None;
    facts.config.trusted_proxies.clear();
    facts.config.public_url = None;
}

fn by_acme(facts: &mut Facts, domain: &str) {
    facts.config.tls.certificate = None;
    facts.certificate = None;
    facts.config.acme.domains = vec![domain.to_owned()];
}

/// A fault: the check that finds it, what is planted, and a part of the line that mends it.
type Planted = (&'static str, Severity, fn(&mut Facts), &'static str);

const PLANTED: &[Planted] = &[
    ("configuration.denied", FAILING, |it| it.configuration.is_denied = true, "sudo atrium doctor"),
    (
        "configuration.unreadable",
        FAILING,
        |it| it.configuration.refused.clone_from(&it.configuration.file),
        "chgrp 990 /etc/atrium/config.toml && chmod g+r /etc/atrium/config.toml",
    ),
    (
        "configuration.unreadable",
        FAILING,
        |it| it.named_files[1].refused = Some(closed("/etc/atrium")),
        "chgrp 990 /etc/atrium && chmod g+rx /etc/atrium",
    ),
    (
        "configuration.unreadable",
        FAILING,
        |it| it.named_files[1].refused = Some(closed("/root")),
        "install -m 0640 -g 990 /etc/atrium/ca.pem /etc/atrium/",
    ),
    (
        "configuration.faults",
        FAILING,
        |it| it.configuration.faults = vec![fault("listen")],
        "--config /etc/atrium/config.toml",
    ),
    ("configuration.languages", FAILING, |it| it.configuration.faults = vec![fault("languages")], "move it out of"),
    (
        "configuration.ineffective",
        WARNING,
        |it| it.configuration.warnings = vec![fault("limits.requests_per_company")],
        "config show",
    ),
    (
        "configuration.unused_variables",
        WARNING,
        |it| it.configuration.unused_variables = vec!["ATRIUM_X".to_owned()],
        "unset ATRIUM_X",
    ),
    (
        "configuration.file_open",
        FAILING,
        |it| {
            it.configuration.has_password = true;
            it.configuration.file.as_mut().unwrap().mode = 0o604;
        },
        "chgrp 990 /etc/atrium/config.toml && chmod g+r,o-rwx /etc",
    ),
    (
        "configuration.file_writable",
        WARNING,
        |it| it.configuration.file.as_mut().unwrap().mode = 0o660,
        "chmod go-w /etc/atrium/config.toml",
    ),
    (
        "configuration.relative_data_dir",
        WARNING,
        |it| it.configuration.has_relative_data_dir = true,
        "data_dir = \"/var/lib/atrium\"",
    ),
    ("configuration.verbose_log", NOTE, |it| it.config.log.level = LogLevel::Trace, "log.level"),
    (
        "configuration.restart_needed",
        WARNING,
        |it| {
            running(it).settings.insert("signup".to_owned(), "\"closed\"".to_owned());
        },
        "restart",
    ),
    (
        "server.stopped",
        NOTE,
        |it| {
            stop(it);
            it.unit = None;
        },
        "systemctl start",
    ),
    ("server.stopped", NOTE, |it| stop_unit(it, UnitState::Starting), "journalctl"),
    ("server.stopped", FAILING, |it| stop_unit(it, UnitState::Inactive), "systemctl start"),
    ("server.stopped", FAILING, |it| stop_unit(it, UnitState::Failed), "journalctl -u atrium -n 50"),
    ("server.stopped", FAILING, |it| stop_unit(it, UnitState::Restarting), "journalctl -u atrium -n 50"),
    ("server.silent", FAILING, |it| it.server = Err("it does not answer commands".to_owned()), "restart"),
    ("server.runs_as_root", WARNING, |it| it.process.as_mut().unwrap().user = 0, "User=atrium"),
    ("version.differs", WARNING, |it| server(it).version = "0.0.9".to_owned(), "restart"),
    ("version.replaced", WARNING, |it| it.process.as_mut().unwrap().is_replaced = true, "restart"),
    ("network.plain_text", FAILING, |it| listen(it, "0.0.0.0:8080"), "listen = \"127.0.0.1:8080\""),
    ("network.taken", FAILING, |it| it.listening.main = Some(ErrorKind::AddrInUse), "sport = :443"),
    ("network.no_such_address", FAILING, |it| it.listening.main = Some(ErrorKind::AddrNotAvailable), "0.0.0.0:443"),
    ("network.forbidden", FAILING, |it| it.listening.main = Some(ErrorKind::PermissionDenied), "systemctl start"),
    ("network.redirect_taken", FAILING, |it| it.listening.redirect = Some(ErrorKind::AddrInUse), "sport = :80"),
    ("network.silent", FAILING, |it| it.network.local = Some(reply(200, "<html>")), "restart"),
    (
        "network.socket_folder",
        FAILING,
        |it| it.listening.missing_folder = Some("/run/atrium".into()),
        "-o 990 /run/atrium",
    ),
    (
        "network.stale_socket",
        NOTE,
        |it| {
            stop(it);
            it.listening.stale_socket = Some("/run/atrium/atrium.sock".into());
        },
        "rm /run/atrium/atrium.sock",
    ),
    ("public.missing", WARNING, |it| listen(it, "0.0.0.0:8080"), "public_url = "),
    (
        "public.http",
        FAILING,
        |it| it.config.public_url = Url::parse("http://atrium.example").ok(),
        "https://atrium.example",
    ),
    (
        "public.unreachable",
        FAILING,
        |it| it.network.public = Some(Answer::Unreachable("no route".to_owned())),
        "curl -v https://atrium.example/health",
    ),
    ("public.other_installation", FAILING, |it| running(it).probes.clear(), "public_url = "),
    (
        "public.redirected",
        WARNING,
        |it| {
            let location = Some("https://www.atrium.example/x".to_owned());
            it.network.public = Some(Answer::Response(Reply { status: 301, location, ..Reply::default() }));
        },
        "public_url = \"https://www.atrium.example\"",
    ),
    ("proxy.upgrade", WARNING, |it| probe(it).upgrade = None, "proxy_set_header Upgrade"),
    ("proxy.host", FAILING, |it| probe(it).host = Some("127.0.0.1:8080".to_owned()), "proxy_set_header Host"),
    ("proxy.untrusted", FAILING, |it| probe(it).peer = Some("10.0.0.2".to_owned()), "trusted_proxies = [\"10.0.0.2\"]"),
    ("proxy.no_client_address", WARNING, |it| probe(it).forwarded_for = None, "X-Forwarded-For"),
    (
        "proxy.trusts_everyone",
        FAILING,
        |it| it.config.trusted_proxies = vec!["::/0".parse().unwrap()],
        "trusted_proxies = ",
    ),
    ("proxy.body_limit", FAILING, |it| it.network.large_request = Some(413), "client_max_body_size 51m;"),
    (
        "tls.unreadable",
        FAILING,
        |it| it.certificate = Some(Err("no PEM".to_owned())),
        "openssl x509 -in /etc/atrium/fullchain.pem",
    ),
    ("tls.key_mismatch", FAILING, |it| certificate(it).key_fault = Some("another key".to_owned()), "tls.key = "),
    ("tls.ending", FAILING, |it| certificate(it).ends = it.now.seconds() - 90, "certbot renew"),
    ("tls.ending", WARNING, |it| certificate(it).ends = it.now.seconds() + 3 * 86_400, "certbot renew"),
    ("tls.name", FAILING, |it| certificate(it).names = vec!["other.example".to_owned()], "-d atrium.example"),
    ("tls.chain", WARNING, |it| certificate(it).chain = 1, "live/atrium.example/fullchain.pem"),
    ("tls.acme_name", FAILING, |it| by_acme(it, "other.example"), "acme.domains = [\"atrium.example\"]"),
    (
        "tls.acme_test_authority",
        WARNING,
        |it| {
            by_acme(it, "atrium.example");
            it.config.acme.directory = Url::parse("https://acme-staging-v02.api.letsencrypt.org/directory").unwrap();
        },
        "acme-v02",
    ),
    (
        "tls.acme_unreachable",
        FAILING,
        |it| {
            by_acme(it, "atrium.example");
            it.network.authority = Some(Answer::Unreachable("no route".to_owned()));
        },
        "curl -v https://acme-v02",
    ),
    ("tls.in_force", FAILING, |it| worsen(it, "certificate"), "journalctl"),
    (
        "tls.public_certificate",
        FAILING,
        |it| it.network.public = Some(Answer::Untrusted("it ended".to_owned())),
        "-connect atrium.example:443",
    ),
    (
        "tls.public_certificate",
        WARNING,
        |it| it.network.public = Some(Answer::UnknownIssuer("unknown issuer".to_owned())),
        "update-ca-certificates",
    ),
    ("tls.strict_transport", WARNING, |it| it.config.strict_transport = StrictTransport::Off, "strict_transport"),
    ("tls.redirect", NOTE, |it| it.config.tls.redirect = None, "tls.redirect = "),
    ("dns.no_name_server", WARNING, |it| it.machine.has_name_server = false, "nameserver"),
    (
        "dns.public_url",
        FAILING,
        |it| {
            it.network.hosts.insert("atrium.example".to_owned(), Err("no such name".to_owned()));
        },
        "dig atrium.example",
    ),
    (
        "dns.companies",
        FAILING,
        |it| {
            server(it).companies[0].hosts = vec!["crm.acme.example".to_owned()];
            it.network.hosts.insert("crm.acme.example".to_owned(), Err("no such name".to_owned()));
        },
        "dig crm.acme.example",
    ),
    (
        "dns.mail",
        FAILING,
        |it| {
            it.network.hosts.insert("mail.example".to_owned(), Err("no such name".to_owned()));
        },
        "dig mail.example",
    ),
    (
        "clock.offset",
        FAILING,
        |it| {
            let reply = Reply { status: 200, clock_ahead: Some(-3_600), ..Reply::default() };
            it.network.public = Some(Answer::Response(reply));
        },
        "timedatectl",
    ),
    ("clock.behind_data", FAILING, |it| server(it).newest_change = Some(now().plus_seconds(600)), "timedatectl"),
    ("clock.not_synchronized", WARNING, |it| it.machine.has_synchronized_clock = Some(false), "timedatectl"),
    ("clock.no_time_zones", FAILING, |it| it.machine.has_time_zones = false, "tzdata"),
    ("disk.space", FAILING, |it| disk(it).free_bytes = 1 << 20, "du -xhd1 /var/lib/atrium"),
    ("disk.space", WARNING, |it| disk(it).free_bytes = 5 << 30, "du -xhd1 /var/lib/atrium"),
    ("disk.files", WARNING, |it| disk(it).free_files = Some(12), "df -i"),
    ("disk.read_only", FAILING, |it| disk(it).is_read_only = true, "dmesg"),
    ("disk.network", FAILING, |it| disk(it).network = Some("NFS"), "data_dir = "),
    ("disk.volatile", WARNING, |it| disk(it).is_volatile = true, "mount a disk at /var/lib/atrium"),
    (
        "disk.volatile",
        WARNING,
        |it| {
            disk(it).is_volatile = true;
            it.data.path = "/tmp/data".into();
        },
        "data_dir = \"/var/lib/atrium\"",
    ),
    ("disk.slow", WARNING, |it| disk(it).write_time = Some(Duration::from_millis(200)), "data_dir = "),
    ("disk.failing", FAILING, |it| worsen(it, "store"), "journalctl"),
    ("files.no_installation", NOTE, |it| it.data.has_parts = false, "start"),
    ("files.no_folder", FAILING, |it| it.data.folder.as_mut().unwrap().is_folder = false, "data_dir = "),
    ("files.store_missing", FAILING, |it| it.data.has_store = false, RESTORE),
    ("files.data_dir_mode", FAILING, |it| it.data.folder.as_mut().unwrap().mode = 0o750, "chmod 700 /var/lib/atrium"),
    ("files.data_dir_owner", FAILING, |it| it.user = 1_000, "sudo atrium doctor"),
    (
        "files.data_dir_owner",
        FAILING,
        |it| {
            it.user = 990;
            it.is_denied = true;
        },
        "sudo atrium doctor",
    ),
    (
        "files.open",
        FAILING,
        |it| it.data.others = vec!["/var/lib/atrium/access.key".into()],
        "chmod -R go-rwx /var/lib/atrium",
    ),
    (
        "files.foreign",
        FAILING,
        |it| it.data.foreign = vec!["/var/lib/atrium/lock".into()],
        "chown -R 990 /var/lib/atrium",
    ),
    (
        "files.leftovers",
        NOTE,
        |it| it.data.leftovers = vec!["/var/lib/atrium/a.part".into()],
        "rm -r /var/lib/atrium/a.part",
    ),
    (
        "files.control_socket",
        NOTE,
        |it| {
            stop(it);
            it.data.has_stale_socket = true;
        },
        "rm /var/lib/atrium/control.sock",
    ),
    (
        "files.replaced",
        NOTE,
        |it| it.data.replaced = vec!["/var/lib/atrium/replaced-1".into()],
        "rm -r /var/lib/atrium/replaced-1",
    ),
    (
        "files.former_store",
        NOTE,
        |it| it.data.former_stores = vec!["/x/store.redb.format-3".into()],
        "rm /x/store.redb.format-3",
    ),
    ("files.unknown", NOTE, |it| it.data.unknown = vec!["notes.txt".to_owned()], "mv /var/lib/atrium/notes.txt"),
    ("files.no_id", WARNING, |it| it.data.has_no_id = true, "restart"),
    (
        "files.restore_pending",
        NOTE,
        |it| {
            stop(it);
            it.data.is_restore_pending = true;
        },
        "restart",
    ),
    (
        "secrets.mail_password",
        FAILING,
        |it| secret(it, "mail.password_file"),
        "chgrp 990 /etc/atrium/secret && chmod g+r,o-rwx /etc",
    ),
    (
        "secrets.passphrase",
        FAILING,
        |it| secret(it, "backup.passphrase_file"),
        "chgrp 990 /etc/atrium/secret && chmod g+r,o-rwx /etc",
    ),
    (
        "secrets.token",
        FAILING,
        |it| secret(it, "metrics.token_file"),
        "chgrp 990 /etc/atrium/secret && chmod g+r,o-rwx /etc",
    ),
    ("secrets.tls_key", FAILING, |it| secret(it, "tls.key"), "chgrp 990 /etc/atrium/secret && chmod g+r,o-rwx /etc"),
    (
        "secrets.unreadable",
        FAILING,
        |it| it.named_files[0].refused = Some(it.named_files[0].file.clone()),
        "chgrp 990 /etc/atrium/key.pem && chmod g+r /etc/atrium/key.pem",
    ),
    (
        "secrets.passphrase_beside_backups",
        WARNING,
        |it| it.config.backup.passphrase_file = Some("/mnt/backups/p".into()),
        "backup.passphrase_file",
    ),
    ("store.unusable", FAILING, |it| destroy(it, false), RESTORE),
    ("store.unusable", FAILING, |it| destroy(it, true), "atrium repair --from-backup /mnt/backups/atrium-2026"),
    (
        "store.unknown",
        NOTE,
        |it| {
            stop(it);
            it.server = Err("another user owns it".to_owned());
        },
        "systemctl start",
    ),
    ("store.older", NOTE, |it| it.needs_upgrade = true, "atrium backup"),
    ("store.damaged", FAILING, |it| worsen(it, "damage"), "--from-backup /mnt/backups/atrium-2026"),
    (
        "store.damaged",
        FAILING,
        |it| {
            stop(it);
            server(it).damaged_rows = 3;
        },
        "atrium repair",
    ),
    (
        "index.missing",
        WARNING,
        |it| {
            stop(it);
            it.data.has_index = false;
        },
        "atrium reindex",
    ),
    ("index.damaged", FAILING, |it| server(it).index_damage = Some("a checksum".to_owned()), "atrium reindex"),
    ("index.behind", FAILING, |it| worsen(it, "index"), "atrium status"),
    ("backup.off", WARNING, |it| it.config.backup.folder = None, "backup.folder = "),
    ("backup.no_folder", WARNING, |it| backups(it).folder = None, "install -d -m 0700 -o 990 /mnt/backups"),
    (
        "backup.unusable",
        FAILING,
        |it| backups(it).obstacle = Some("Read-only file system".to_owned()),
        "chown 990 /mnt/backups",
    ),
    (
        "backup.unusable",
        FAILING,
        |it| backups(it).refused = Some(closed("/mnt/backups")),
        "chown 990 /mnt/backups && chmod 700 /mnt/backups",
    ),
    ("backup.unusable", FAILING, |it| backups(it).refused = Some(closed("/mnt")), "chmod o+x /mnt"),
    (
        "backup.unusable",
        FAILING,
        |it| backups(it).refused = Some(closed("/home")),
        "backup.folder = \"/var/backups/atrium\"",
    ),
    ("backup.open_folder", WARNING, |it| backups(it).folder.as_mut().unwrap().mode = 0o755, "chmod 700 /mnt/backups"),
    ("backup.open_file", FAILING, |it| backups(it).backups[0].1.mode = 0o644, "chmod go-rwx /mnt/backups/atrium-2026"),
    ("backup.too_old", FAILING, |it| backups(it).backups[0].0 = now().plus_seconds(-3 * 86_400), "atrium backup"),
    ("backup.failed", FAILING, |it| worsen(it, "backup"), "journalctl"),
    (
        "backup.failed",
        FAILING,
        |it| {
            worsen(it, "backup");
            let check = running(it).checks.iter_mut().find(|check| check.name == "backup").unwrap();
            check.message = "The last backup failed: Read-only file system (os error 30)".to_owned();
        },
        "ReadWritePaths=/mnt/backups in [Service] (systemctl edit atrium)",
    ),
    ("backup.incomplete", FAILING, |it| backups(it).newest_fault = Some("it is empty".to_owned()), "atrium backup"),
    ("backup.same_disk", WARNING, |it| backups(it).data_device = Some(2), "backup.folder = "),
    ("backup.not_encrypted", NOTE, |it| it.config.backup.passphrase_file = None, "backup.passphrase_file"),
    (
        "backup.leftovers",
        NOTE,
        |it| backups(it).leftovers = vec!["/mnt/backups/a.part".into()],
        "rm /mnt/backups/a.part",
    ),
    ("backup.few", WARNING, |it| it.config.backup.keep = 1, "backup.keep"),
    ("backup.no_room", FAILING, |it| backups(it).free_bytes = Some(1_000), "df -h /mnt/backups"),
    ("mail.off", WARNING, |it| it.config.mail.host = None, "mail.host"),
    (
        "mail.unreachable",
        FAILING,
        |it| it.network.mail = Some(Err((Step::Connect, "refused".to_owned()))),
        "nc -v mail.example 587",
    ),
    (
        "mail.encryption",
        FAILING,
        |it| it.network.mail = Some(Err((Step::Encrypt, "no STARTTLS".to_owned()))),
        "-connect mail.example:587",
    ),
    ("mail.sign_in", FAILING, |it| it.network.mail = Some(Err((Step::SignIn, "535".to_owned()))), "send-test"),
    ("mail.sender", FAILING, |it| it.network.mail = Some(Err((Step::Sender, "553".to_owned()))), "mail.from"),
    ("mail.plain_text", FAILING, |it| it.config.mail.security = MailSecurity::None, "mail.security"),
    ("mail.unused_encryption", NOTE, |it| it.network.mail = Some(Ok(true)), "mail.security"),
    (
        "mail.sender_policy",
        WARNING,
        |it| it.network.sender_policy = Some(String::new()),
        "acme.example. TXT \"v=spf1 mx a:mail.example -all\"",
    ),
    ("mail.late", FAILING, |it| worsen(it, "mail"), "atrium mail list"),
    ("mail.refused", NOTE, |it| running(it).refused_emails = 2, "atrium mail list"),
    ("jobs.failing", FAILING, |it| worsen(it, "jobs"), "atrium health"),
    ("sign_in.open_sign_up", WARNING, |it| it.config.signup = Signup::Open, "signup = "),
    (
        "sign_in.issuer",
        FAILING,
        |it| {
            it.network.issuers.insert("https://id.example/".to_owned(), reply(404, ""));
        },
        "curl -v https://id.example/.well-known",
    ),
    ("sign_in.no_owner", WARNING, |it| server(it).companies[0].owners = 0, "--tenant acme"),
    ("sign_in.weak_throttle", WARNING, |it| it.config.sign_in.account_failures = 100, "sign_in.account_failures"),
    (
        "sign_in.plain_origins",
        WARNING,
        |it| it.config.socket_origins = vec!["http://www.example".to_owned()],
        "https://www.example",
    ),
    (
        "limits.open_files",
        WARNING,
        |it| it.process.as_mut().unwrap().limits.open_files = Some(1_024),
        "LimitNOFILE=4608",
    ),
    ("limits.processes", WARNING, |it| it.process.as_mut().unwrap().limits.processes = Some(64), "LimitNPROC=512"),
    ("limits.file_size", WARNING, |it| it.process.as_mut().unwrap().limits.file_bytes = Some(1 << 20), "LimitFSIZE"),
    ("limits.sockets", WARNING, |it| it.config.limits.sockets_per_company = 4_096, "limits.connections = 8192"),
    (
        "limits.per_address",
        WARNING,
        |it| it.config.limits.connections_per_address = 0,
        "limits.connections_per_address",
    ),
    ("limits.bodies", WARNING, |it| it.config.limits.body = 64 << 20, "limits.requests = 32"),
    ("memory.small", WARNING, |it| it.machine.memory_bytes = Some(256 << 20), "limits.requests"),
    ("memory.used_up", WARNING, |it| it.machine.available_bytes = Some(1 << 20), "ps -eo"),
    (
        "memory.no_swap",
        NOTE,
        |it| {
            it.machine.memory_bytes = Some(900 << 20);
            it.machine.swap_bytes = Some(0);
        },
        "swapon",
    ),
    ("memory.swapped", WARNING, |it| it.process.as_mut().unwrap().swapped_bytes = 1 << 30, "ps -eo"),
    ("kernel.overcommit", WARNING, |it| it.machine.overcommit = Some(2), "sysctl -w vm.overcommit_memory=0"),
    (
        "kernel.waiting_connections",
        NOTE,
        |it| it.machine.waiting_connections = Some(128),
        "sysctl -w net.core.somaxconn",
    ),
    ("kernel.open_files", WARNING, |it| it.machine.open_files = Some(1_024), "sysctl -w fs.file-max"),
    ("kernel.old", NOTE, |it| it.machine.kernel = Some((4, 19)), "apt"),
];

/// The command that restores the newest backup.
const RESTORE: &str =
    "atrium restore /mnt/backups/atrium-20261127T000000Z-c0ffee00.backup --passphrase-file /etc/atrium/passphrase";

const NOTE: Severity = Severity::Note;
const WARNING: Severity = Severity::Warning;
const FAILING: Severity = Severity::Failing;

/// The one check whose finding depends on the build, not on facts.
const OF_BUILD: &str = "version.debug";

fn report(facts: &Facts) -> Report {
    Report::new(facts, &all().filter(|check| check.id != OF_BUILD).collect::<Vec<_>>())
}

/// Returns the severity and the mending line of each finding.
fn found(facts: &Facts) -> BTreeMap<&'static str, (Severity, String)> {
    let report = report(facts);
    let found = |(check, outcome): &(&'static Check, Outcome)| match outcome {
        Outcome::Found(found) => Some((check.id, (found.severity, report.lines[check.id].clone()))),
        _ => None,
    };
    report.outcomes.iter().filter_map(found).collect()
}

#[test]
fn a_healthy_installation_has_no_finding() {
    assert_eq!(found(&healthy()), BTreeMap::new());
}

#[test]
fn every_check_finds_its_fault_and_says_how_to_mend_it() {
    let mut checked = BTreeSet::from([OF_BUILD]);
    for (id, severity, plant, line) in PLANTED {
        let mut facts = healthy();
        plant(&mut facts);
        let found = found(&facts);
        let Some((found_severity, found_line)) = found.get(id) else { panic!("{id}: {found:?}") };
        assert_eq!(found_severity, severity, "{id}");
        assert!(found_line.contains(line), "{id}: {found_line}");
        checked.insert(id);
    }
    assert_eq!(checked, all().map(|check| check.id).collect());
}

#[test]
fn users_and_groups_are_named() {
    let mut facts = healthy();
    facts.accounts = Accounts::parse("atrium:x:990:990::/:/bin/sh\n", "atrium-group:x:990:\n");
    facts.data.foreign = vec!["/var/lib/atrium/lock".into()];
    facts.named_files[0].refused = Some(facts.named_files[0].file.clone());
    facts.user = 1_000;
    let found = report(&facts).text(false);
    for part in [
        "chown -R atrium /var/lib/atrium",
        "chgrp atrium-group /etc/atrium/key.pem",
        "The user atrium may not read /etc/atrium/key.pem.",
        "/var/lib/atrium belongs to the user atrium.",
    ] {
        assert!(found.contains(part), "{part}: {found}");
    }
}

#[test]
fn a_fault_is_found_by_one_check() {
    let only = |facts: &Facts| found(facts).into_keys().collect::<Vec<_>>();
    // The server says why; how old the newest one is follows.
    let mut facts = healthy();
    worsen(&mut facts, "backup");
    backups(&mut facts).backups[0].0 = now().plus_seconds(-30 * 86_400);
    assert_eq!(only(&facts), ["backup.failed"]);
    // What this user may not look at has no fault.
    let mut facts = healthy();
    facts.user = 1_000;
    facts.is_denied = true;
    facts.server = Err("this user may not ask the server".to_owned());
    facts.data = DataDir { path: facts.data.path, folder: facts.data.folder, is_denied: true, ..DataDir::default() };
    facts.process = None;
    facts.network.local = None;
    assert_eq!(only(&facts), ["files.data_dir_owner"]);
    // The socket of systemd starts the server.
    let mut facts = healthy();
    stop_unit(&mut facts, UnitState::Waiting);
    facts.listening.main = Some(ErrorKind::AddrInUse);
    assert_eq!(only(&facts), [] as [&str; 0]);
    // A private authority, on this machine.
    let mut facts = healthy();
    by_acme(&mut facts, "atrium.example");
    facts.config.acme.directory = Url::parse("https://127.0.0.1/acme/directory").unwrap();
    facts.config.mail.security = MailSecurity::None;
    facts.network.hosts.insert("mail.example".to_owned(), Ok(true));
    assert_eq!(only(&facts), [] as [&str; 0]);
    facts.config.acme.directory = Url::parse("https://pebble:14000/dir").unwrap();
    assert_eq!(only(&facts), ["tls.acme_test_authority"]);
}

#[test]
fn the_exit_code_and_the_counts_depend_on_the_severities() {
    let mut facts = healthy();
    facts.config.backup.keep = 1;
    facts.config.log.level = LogLevel::Debug;
    let warned = report(&facts);
    assert_eq!(warned.count(Some(FAILING)), 0);
    assert!(warned.text(false).ends_with("0 failing, 1 warning, 1 note, 0 left out"), "{}", warned.text(false));
    disk(&mut facts).is_read_only = true;
    facts.offline = true;
    let failing = report(&facts);
    assert_eq!(failing.count(Some(FAILING)), 1);
    let json = failing.json();
    assert_eq!((&json["failing"], &json["warnings"], &json["notes"]), (&1.into(), &1.into(), &1.into()));
    assert!(json["leftOut"].as_u64() > Some(10), "{json}");
    let text = failing.text(false);
    assert!(text.contains("disk\n  failing  disk.read_only: The disk is mounted read-only. Nothing can"), "{text}");
    assert!(
        !text.contains("proxy.upgrade") && failing.text(true).contains("-        proxy.upgrade: left out"),
        "{text}"
    );
}

#[test]
fn ids_are_unique_and_begin_with_their_group() {
    let ids: BTreeSet<&str> = all().map(|check| check.id).collect();
    assert_eq!(ids.len(), all().count());
    assert!(ids.len() >= 60 && all().filter(|check| check.fix.is_some()).count() >= 15);
    for group in register::GROUPS {
        assert!(group.iter().all(|check| check.group() == group[0].group()), "{}", group[0].id);
    }
    for check in all() {
        assert!(check.means.ends_with('.') && !check.mend.is_empty() && !check.looks_at.ends_with('.'), "{}", check.id);
    }
}

#[test]
fn only_groups_and_checks_are_named() {
    assert_eq!(named("backup"), Ok("backup".to_owned()));
    assert_eq!(named("tls.ending"), Ok("tls.ending".to_owned()));
    let refused = named("tls.begin").unwrap_err();
    assert!(refused.contains("configuration, server, version, network"), "{refused}");
}

#[test]
fn mending_lines_have_commands_and_settings_that_exist() {
    let settings = shown_settings(&Config::default());
    let mut counts = (0, 0);
    for check in all() {
        let parts = check.mend.split(register::WAYS).flat_map(|way| way.split(" && "));
        for line in parts.filter_map(|part| part.strip_prefix("atrium ")) {
            let words = std::iter::once("atrium").chain(line.split_whitespace());
            let parsed = crate::cli::help::command().try_get_matches_from(words);
            assert!(parsed.is_ok(), "{}: {}: {parsed:?}", check.id, check.mend);
            counts.0 += 1;
        }
        for way in check.mend.split(register::WAYS) {
            if let Some((key, _)) = way.split_once(" = ")
                && !key.contains(' ')
            {
                assert!(settings.contains_key(key), "{}: {key}", check.id);
                counts.1 += 1;
            }
        }
    }
    assert!(counts.0 >= 10 && counts.1 >= 20, "{counts:?}");
}

#[test]
fn values_of_mending_lines_are_not_replaced_themselves() {
    let mut facts = healthy();
    facts.data.leftovers = vec!["/var/DATA/OWNER.part".into()];
    assert_eq!(found(&facts)["files.leftovers"].1, "rm -r /var/DATA/OWNER.part");
}

/// The lines of docs/operations.md between which the table of checks is.
const TABLE: (&str, &str) = ("| Check | Looks at | If it finds a fault | Mend |\n|---|---|---|---|\n", "\n\n");

#[test]
fn every_check_stands_in_the_documentation() {
    let row = |check: &Check| {
        let by_itself = match &check.fix {
            None => "",
            Some(fix) if fix.beside_server => "; `--fix`",
            Some(_) => "; `--fix`, while the server is stopped",
        };
        let mend = check.mend.replace('|', "\\|").replace(register::WAYS, "`, or `");
        format!("| `{}` | {} | {} | `{mend}`{by_itself} |", check.id, check.looks_at, check.means)
    };
    let table = all().map(row).collect::<Vec<_>>().join("\n");
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("docs/operations.md");
    let page = std::fs::read_to_string(&file).unwrap();
    let (before, rest) = page.split_once(TABLE.0).expect("the head of the table");
    let (shown, after) = rest.split_once(TABLE.1).expect("the end of the table");
    if shown != table && std::env::var_os("ATRIUM_UPDATE").is_some() {
        std::fs::write(&file, [before, TABLE.0, &table, TABLE.1, after].concat()).unwrap();
        return;
    }
    assert_eq!(shown, table, "ATRIUM_UPDATE=1 cargo test doctor::tests writes the table");
}
