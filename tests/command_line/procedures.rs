//! Follows the procedures of docs/operations.md with the commands of its own text, on a machine whose folders are in a
//! temporary folder. Its `systemctl` starts and stops the real server.

use std::{
    collections::BTreeSet,
    fs::{self, Permissions},
    os::unix::fs::PermissionsExt as _,
    path::PathBuf,
    process::Output,
};

use serde_json::Value;
use tempfile::TempDir;

use crate::{
    machine::program::program,
    running::{PASSWORD, Server, create_tenant, done, listed, run},
    serving::wait_until,
};

const PAGE: &str = include_str!("../../docs/operations.md");
/// Folders of a real machine, and what stands for them here.
const FOLDERS: [(&str, &str); 4] =
    [("/var/lib/atrium", "data"), ("/var/backups/atrium", "backups"), ("/etc/atrium", "etc"), ("/var/tmp", "tmp")];
/// Parts of the page whose commands `scripts/proof package` runs on a fresh Debian, because they install something.
const INSTALLING: [&str; 4] = ["On Debian", "On another Linux", "Restarts that refuse no connection", "Container"];
/// Programs that only root has, or that a machine without a service manager lacks.
const PROGRAMS: [(&str, &str); 3] = [
    ("chown", "exit 0"),
    ("journalctl", "cat \"$MACHINE/log\""),
    (
        "systemctl",
        r#"stop() { [ ! -e "$MACHINE/pid" ] || { kill "$(cat "$MACHINE/pid")"; while kill -0 "$(cat "$MACHINE/pid")"; do sleep 0.05; done; rm "$MACHINE/pid"; } 2>/dev/null; }
start() { atrium serve --json >"$MACHINE/started" 2>>"$MACHINE/log" & echo $! >"$MACHINE/pid"; until atrium health >/dev/null 2>&1; do kill -0 $! || exit 1; sleep 0.05; done; }
case "$1" in stop) stop;; start) start;; restart) stop; start;; *) exit 2;; esac"#,
    ),
];

/// A block of the page: the heading above it, its language and its text.
struct Block {
    heading: &'static str,
    language: &'static str,
    text: &'static str,
}

fn blocks() -> Vec<Block> {
    let mut heading = "";
    let mut blocks = Vec::new();
    for (number, part) in PAGE.split("\n```").enumerate() {
        if number % 2 == 0 {
            let title = part.lines().rfind(|line| line.starts_with("## ") || line.starts_with("### "));
            heading = title.map_or(heading, |line| line.trim_start_matches('#').trim());
        } else {
            let (language, text) = part.split_once('\n').unwrap();
            blocks.push(Block { heading, language, text });
        }
    }
    blocks
}

/// Returns the commands below a heading.
fn commands(heading: &str) -> Vec<&'static str> {
    let found: Vec<&str> = blocks()
        .iter()
        .filter(|block| block.heading == heading && block.language == "sh")
        .map(|block| block.text)
        .collect();
    assert!(!found.is_empty(), "{heading}");
    found
}

/// A machine with a company, whose server runs.
struct Machine {
    folder: TempDir,
}

impl Machine {
    fn new() -> Self {
        let machine = Self { folder: tempfile::tempdir().unwrap() };
        for (_, folder) in FOLDERS {
            fs::create_dir(machine.path(folder)).unwrap();
        }
        fs::set_permissions(machine.path("data"), Permissions::from_mode(0o700)).unwrap();
        fs::create_dir(machine.path("bin")).unwrap();
        let atrium = format!("exec {} \"$@\"", env!("CARGO_BIN_EXE_atrium"));
        for (name, text) in PROGRAMS.into_iter().chain([("atrium", atrium.as_str())]) {
            let file = machine.path(&format!("bin/{name}"));
            fs::write(&file, format!("#!/bin/sh\n{text}\n")).unwrap();
            fs::set_permissions(file, Permissions::from_mode(0o755)).unwrap();
        }
        machine.configure("listen = \"127.0.0.1:0\"\ndata_dir = \"/var/lib/atrium\"\n");
        done(&create_tenant(&machine.path("data"), "acme"));
        machine.must("systemctl start atrium");
        machine
    }

    /// A machine with scheduled backups, set up by the page, and its first one.
    fn with_backups() -> Self {
        let machine = Self::new();
        machine.schedule_backups();
        machine
    }

    /// Sets up scheduled backups by the page, and waits for the first one.
    fn schedule_backups(&self) {
        let heading = "Scheduled backups";
        let settings = blocks().into_iter().find(|block| block.heading == heading && block.language == "toml");
        self.configure(settings.unwrap().text);
        self.follow(heading);
        wait_until("a backup is made", || !self.backups().is_empty());
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn log(&self) -> String {
        fs::read_to_string(self.path("log")).unwrap_or_default()
    }

    /// Complete backups.
    fn backups(&self) -> BTreeSet<String> {
        self.names("backups", "").into_iter().filter(|name| name.ends_with(".backup")).collect()
    }

    /// Names in a folder that contain a text.
    fn names(&self, folder: &str, part: &str) -> BTreeSet<String> {
        let entries = fs::read_dir(self.path(folder)).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.filter(|name| name.contains(part)).collect()
    }

    /// Replaces the folders of a real machine by those of this one.
    fn here(&self, text: &str) -> String {
        let replace = |text: String, (real, here): (&str, &str)| text.replace(real, self.path(here).to_str().unwrap());
        FOLDERS.into_iter().fold(text.to_owned(), replace)
    }

    /// Adds settings to the configuration.
    fn configure(&self, settings: &str) {
        let file = self.path("etc/config.toml");
        let before = fs::read_to_string(&file).unwrap_or_default();
        fs::write(&file, before + &self.here(settings)).unwrap();
    }

    fn shell(&self, script: &str) -> Output {
        let own = std::env::var_os("PATH").unwrap();
        let search = format!("{}:{}", self.path("bin").display(), own.display());
        let mut command = program("bash");
        command.args(["-euo", "pipefail", "-c", &self.here(script)]).env("PATH", search);
        command.env("MACHINE", self.folder.path()).env("ATRIUM_CONFIG", self.path("etc/config.toml"));
        command.output().unwrap()
    }

    /// Runs commands that must work, and returns what they print.
    #[track_caller]
    fn must(&self, script: &str) -> String {
        let output = self.shell(script);
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{script}\n{error}\n{}", self.log());
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// Follows the procedure below a heading, and returns what it prints.
    #[track_caller]
    fn follow(&self, heading: &str) -> String {
        commands(heading).iter().map(|block| self.must(block)).collect()
    }

    /// Returns the running server.
    fn server(&self) -> Server {
        let started: Value = serde_json::from_slice(&fs::read(self.path("started")).unwrap()).unwrap();
        Server { url: started["url"].as_str().unwrap().to_owned() }
    }

    fn add_company(&self, slug: &str) {
        done(&create_tenant(&self.path("data"), slug));
    }

    fn companies(&self) -> Vec<String> {
        let companies = listed(&run(&self.path("data"), &["tenant", "list", "--json"], ""));
        companies.iter().map(|company| company["slug"].as_str().unwrap().to_owned()).collect()
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        self.shell("systemctl stop atrium");
    }
}

#[test]
fn every_procedure_of_the_page_is_followed() {
    let followed = [
        "Scheduled backups",
        "A backup by hand",
        "Trying a backup",
        "On the same machine",
        "On another machine",
        "One company",
        "A full disk",
        "Damaged data",
        "Companies and people",
        "A person leaves",
        "A person cannot sign in",
        "Records in and out",
        "Metrics",
        "The signing key may have been copied",
        "The data directory may have been copied",
        "Logs",
        "Doctor",
    ];
    let found: BTreeSet<&str> =
        blocks().iter().filter(|block| block.language == "sh").map(|block| block.heading).collect();
    assert_eq!(found, followed.into_iter().chain(INSTALLING).collect());
}

#[test]
fn scheduled_backups_are_encrypted_and_one_by_hand_is_kept() {
    let machine = Machine::with_backups();
    let mode = fs::metadata(machine.path("etc/backup.passphrase")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o640);
    machine.follow("A backup by hand");
    let backups = machine.backups();
    assert!(backups.len() == 2 && backups.contains("before-the-upgrade.backup"), "{backups:?}");
    for backup in backups {
        let restore = machine.shell(&format!("atrium restore --data-dir /var/tmp/plain /var/backups/atrium/{backup}"));
        assert!(String::from_utf8_lossy(&restore.stderr).contains("passphrase"), "{restore:?}");
    }
}

#[test]
fn backup_is_tried_beside_the_data() {
    let machine = Machine::with_backups();
    let said = machine.follow("Trying a backup");
    assert!(said.contains("Nothing is damaged"), "{said}");
    assert!(machine.names("tmp", "").is_empty());
    assert_eq!(machine.companies(), ["acme"]);
}

#[test]
fn backup_is_restored_under_the_running_server() {
    let machine = Machine::with_backups();
    machine.add_company("late");
    let [restore, remove] = commands("On the same machine").try_into().unwrap();
    machine.must(restore);
    assert_eq!(machine.companies(), ["acme"]);
    assert_eq!(machine.server().sign_in("ada@acme.example", PASSWORD), 200);
    assert_eq!(machine.names("data", "replaced-").len(), 1);
    machine.must(remove);
    assert!(machine.names("data", "replaced-").is_empty());
}

#[test]
fn backup_is_restored_on_another_machine() {
    let first = Machine::with_backups();
    let other = Machine::new();
    let [backup] = first.backups().into_iter().collect::<Vec<_>>().try_into().unwrap();
    first.add_company("late");
    fs::copy(first.path("backups").join(backup), other.path("backups/atrium.backup")).unwrap();
    fs::copy(first.path("etc/backup.passphrase"), other.path("etc/backup.passphrase")).unwrap();
    other.add_company("replaced");
    let status = other.follow("On another machine");
    assert!(status.contains("store") && status.contains("backup"), "{status}");
    assert_eq!(other.companies(), ["acme"]);
    assert_eq!(other.server().sign_in("ada@acme.example", PASSWORD), 200);
}

#[test]
fn company_moves_as_a_file() {
    let machine = Machine::new();
    machine.follow("One company");
    assert_eq!(machine.companies(), ["acme", "acme-2"]);
}

#[test]
fn full_disk_gets_room_again() {
    let machine = Machine::with_backups();
    machine.follow("On the same machine");
    fs::write(machine.path("data/store.redb.format-1"), "a former store").unwrap();
    let said = machine.follow("A full disk");
    assert!(said.contains("store.redb"), "{said}");
    assert!(machine.names("data", "replaced-").is_empty() && machine.names("data", "format").is_empty());
    assert_eq!(machine.server().sign_in("ada@acme.example", PASSWORD), 200);
}

#[test]
fn damaged_data_is_repaired_from_a_backup() {
    let machine = Machine::new();
    let server = machine.server();
    let token = server.token("acme");
    let picture = server.upload(&token);
    server.ask(&token, "PATCH", "/api/common/user", Some(&serde_json::json!({ "avatar": picture })));
    machine.schedule_backups();
    machine.must("find /var/lib/atrium/files -type f -size +0 -exec sh -c 'echo damaged > \"$0\"' {} ';'");

    let [check, repair, reindex] = commands("Damaged data").try_into().unwrap();
    assert_eq!(machine.shell(check).status.code(), Some(3));
    machine.must(repair);
    machine.must(check);
    machine.must(reindex);
    let server = machine.server();
    assert!(!server.ask(&server.token("acme"), "GET", &picture, None).is_empty());
}

#[test]
fn people_are_listed_suspended_exported_and_imported() {
    let machine = Machine::new();
    let user = ["user", "create", "--tenant", "acme", "--name", "Ben", "--email", "ben@acme.example"];
    let user = [&user[..], &["--role", "member", "--password-stdin", "--json"]].concat();
    done(&run(&machine.path("data"), &user, "another long passphrase\n"));
    let said = machine.follow("Companies and people");
    assert!(said.contains("acme") && said.contains("ada@acme.example"), "{said}");
    machine.follow("A person leaves");
    assert_eq!(machine.server().sign_in("ben@acme.example", "another long passphrase"), 400);
    let server = machine.server();
    server.ask(&server.token("acme"), "POST", "/api/customers", Some(&serde_json::json!({ "name": "Cleo" })));
    let said = machine.follow("Records in and out");
    assert!(said.contains("people.csv") && machine.names("backups", "people.csv").len() == 1, "{said}");
}

#[test]
fn metrics_need_the_token_of_the_page() {
    let machine = Machine::new();
    machine.follow("Metrics");
    machine.configure("metrics.token_file = \"/etc/atrium/metrics.token\"\n");
    machine.must("systemctl restart atrium");
    let token = fs::read_to_string(machine.path("etc/metrics.token")).unwrap();
    let metrics = |token: &str| machine.server().ask_any(token, "GET", "/metrics");
    assert!(String::from_utf8_lossy(&metrics(token.trim())).contains("atrium_build_info"));
    assert!(!String::from_utf8_lossy(&metrics("another")).contains("atrium_build_info"));
}

#[test]
fn person_without_password_and_second_factor_signs_in_again() {
    let machine = Machine::new();
    let output = machine.shell(commands("A person cannot sign in")[0]);
    let shown = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{shown}");
    let password = shown.lines().next().unwrap();
    assert_eq!(machine.server().sign_in("ada@acme.example", PASSWORD), 400);
    assert_eq!(machine.server().sign_in("ada@acme.example", password), 200);
}

#[test]
fn stolen_keys_are_replaced() {
    let machine = Machine::new();
    let key = || fs::read(machine.path("data/access.key")).unwrap();
    let server = machine.server();
    let token = server.token("acme");
    let before = key();
    machine.follow("The signing key may have been copied");
    assert!(String::from_utf8_lossy(&server.ask_any(&token, "GET", "/api/common/user")).contains("not_signed_in"));
    let rotated = key();
    fs::create_dir(machine.path("data/certificates")).unwrap();
    machine.follow("The data directory may have been copied");
    assert!(before != rotated && rotated != key());
    assert!(!machine.path("data/certificates").exists());
    assert_eq!(machine.server().sign_in("ada@acme.example", PASSWORD), 200);
}

#[test]
fn log_is_read() {
    let machine = Machine::new();
    machine.must("systemctl stop atrium");
    let log = machine.follow("Logs");
    assert!(log.contains("INFO"), "{log}");
}

#[test]
fn doctor_examines_a_machine() {
    let machine = Machine::new();
    for line in commands("Doctor").iter().flat_map(|block| block.lines()) {
        let output = machine.shell(line);
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(matches!(output.status.code(), Some(0 | 1)), "{line}: {output:?}");
        assert!(said.contains("checks") || said.starts_with('{'), "{line}: {said}");
    }
}

/// Every entry that a used data directory has is explained.
#[test]
fn entries_of_the_data_directory_are_explained() {
    let machine = Machine::with_backups();
    machine.follow("On the same machine");
    let part = PAGE.split("## The data directory").nth(1).unwrap().split("\n## ").next().unwrap();
    let known: BTreeSet<&str> = part.split('`').skip(1).step_by(2).collect();
    for name in machine.names("data", "") {
        let stem = name.split_once('-').map_or(name.as_str(), |(stem, _)| stem);
        let is_known =
            known.iter().any(|entry| *entry == name || entry.split_once('-').is_some_and(|(known, _)| known == stem));
        assert!(is_known, "{name}");
    }
    // Backups are made in a folder of their own.
    assert!(machine.names("data", ".backup").is_empty());
}
