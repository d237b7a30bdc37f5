//! Tests of archives: export and import of a tenant, backup and restore of the whole installation.

use std::{collections::BTreeSet, fs, path::Path, process::Stdio};

use atrium::{
    features::operator::stage,
    kernel::{Clock, Entropy, progress::Progress},
    store::Home,
};
use serde_json::{Value, json};

use super::running::{PASSWORD, Running, atrium, create_tenant, done, listed, refused, run};

/// Checks a tenant's content as a member; returns the path of the member's picture and its bytes.
fn look_around(server: &Running, token: &str) -> (String, Vec<u8>) {
    let me: Value = serde_json::from_slice(&server.ask(token, "GET", "/api/common/user", None)).unwrap();
    let picture = me["avatar"].as_str().unwrap().to_owned();
    let query = json!({ "query": "quixotic" });
    let found = server.ask(token, "POST", "/api/common/search", Some(&query));
    assert!(String::from_utf8_lossy(&found).contains("Quixotic errand"), "{}", String::from_utf8_lossy(&found));
    let bytes = server.ask(token, "GET", &picture, None);
    assert!(bytes.starts_with(b"\x89PNG"));
    (picture, bytes)
}

fn clean(data: &Path) {
    assert_eq!(done(&run(data, &["check", "--json"], ""))["damages"], json!([]));
}

#[test]
fn tenant_export_can_be_imported_elsewhere_or_beside_the_original() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path().join("here");
    let there = folder.path().join("there");
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let live = path("live.tenant");
    let still = path("still.tenant");
    let made = done(&create_tenant(&here, "acme"));
    done(&run(&here, &["tenant", "update", "acme", "--domain", "acme.example", "--json"], ""));

    // Export from the running server, and then from the store.
    let server = Running::start(&here);
    let token = server.token("acme");
    let picture = server.upload(&token);
    let form = json!({ "avatar": picture });
    server.ask(&token, "PATCH", "/api/common/user", Some(&form));
    server.ask(&token, "POST", "/api/tasks", Some(&json!({ "title": "Quixotic errand" })));
    let (_, bytes) = look_around(&server, &token);
    let exported = done(&run(&here, &["tenant", "export", "acme", &live, "--json"], ""));
    assert_eq!((&exported["id"], &exported["files"], &exported["damaged"]), (&made["id"], &1.into(), &0.into()));
    assert_eq!(exported["file"], live);
    let taken = refused(&run(&here, &["tenant", "export", "acme", &live, "--json"], ""));
    assert_eq!(taken["error"]["code"], "conflict");
    assert!(taken["error"]["fields"]["file"].is_string(), "{taken}");
    drop(server);
    // A path relative to the working directory of the command.
    let mut command = atrium(&here, &["tenant", "export", "acme", "still.tenant", "--json"]);
    done(&command.current_dir(folder.path()).output().unwrap());
    let absent = refused(&run(&here, &["tenant", "export", "nobody", &path("no.tenant"), "--json"], ""));
    assert_eq!(absent["error"]["code"], "not_found");
    assert!(!Path::new(&path("no.tenant")).exists());

    // Import into another, stopped installation, and a second time there while the server runs.
    let imported = done(&run(&there, &["tenant", "import", &still, "--json"], ""));
    assert_eq!((imported["slug"].as_str(), &imported["files"]), (Some("acme"), &1.into()));
    assert_ne!(imported["id"], made["id"]);
    // Hosts that a file names are the company's once this installation says so.
    assert_eq!((&imported["domains"], &imported["domainsLeftOut"]), (&json!([]), &json!(["acme.example"])));
    let updated = done(&run(&there, &["tenant", "update", "acme", "--domain", "acme.example", "--json"], ""));
    assert_eq!(updated["domains"], json!(["acme.example"]));
    clean(&there);
    let server = Running::start(&there);
    assert_eq!(look_around(&server, &server.token("acme")), (picture.clone(), bytes.clone()));
    let again = refused(&run(&there, &["tenant", "import", &live, "--json"], ""));
    assert_eq!(again["error"]["code"], "conflict");
    assert!(again["error"]["fields"]["slug"].is_string(), "{again}");
    let copy = done(&run(&there, &["tenant", "import", &live, "--slug", "copy", "--json"], ""));
    assert_eq!(copy["slug"], "copy");
    assert_eq!(copy["domainsLeftOut"], json!(["acme.example"]));
    let (other, same) = look_around(&server, &server.token("copy"));
    assert!(other != picture && same == bytes);
    assert_eq!(look_around(&server, &server.token("acme")), (picture, bytes));
    clean(&there);

    // An incomplete or wrong file changes nothing, whether the server runs or not.
    let whole = fs::read(&live).unwrap();
    let harmed = path("harmed.tenant");
    let cut = whole.len() / 2;
    let mut flipped = whole.clone();
    flipped[cut] ^= 1;
    let refuse = || {
        for bytes in [&whole[..cut], &flipped[..], b"something else", b""] {
            fs::write(&harmed, bytes).unwrap();
            let error = refused(&run(&there, &["tenant", "import", &harmed, "--slug", "third", "--json"], ""));
            assert_eq!(error["error"]["code"], "invalid", "{error}");
            assert!(error["error"]["fields"]["file"].is_string(), "{error}");
        }
    };
    refuse();
    drop(server);
    refuse();
    let slugs = listed(&run(&there, &["tenant", "list", "--json"], ""));
    let slugs: Vec<&str> = slugs.iter().filter_map(|item| item["slug"].as_str()).collect();
    assert_eq!(slugs, ["acme", "copy"]);
    clean(&there);
    assert_eq!(run(&there, &["tenant", "export", "acme"], "").status.code(), Some(2));
}

/// Returns the names in a folder.
fn names(folder: &Path) -> BTreeSet<String> {
    let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    names.map(|name| name.into_string().unwrap()).collect()
}

fn add_task(server: &Running, token: &str, title: &str) {
    server.ask(token, "POST", "/api/tasks", Some(&json!({ "title": title })));
}

fn tasks(server: &Running, token: &str) -> BTreeSet<String> {
    let list: Value = serde_json::from_slice(&server.ask(token, "GET", "/api/tasks", None)).unwrap();
    let items = list["items"].as_array().unwrap().iter();
    items.map(|task| task["title"].as_str().unwrap().to_owned()).collect()
}

/// Creates a tenant with a picture and a task, and a backup of it by the running server.
fn backed_up(folder: &Path, more: &[&str], input: &str) -> (std::path::PathBuf, String) {
    let data = folder.join("data");
    let file = folder.join("all.backup").to_str().unwrap().to_owned();
    done(&create_tenant(&data, "acme"));
    let server = Running::start(&data);
    let token = server.token("acme");
    let picture = server.upload(&token);
    server.ask(&token, "PATCH", "/api/common/user", Some(&json!({ "avatar": picture })));
    add_task(&server, &token, "Quixotic errand");
    let made = done(&run(&data, &[&["backup", &file, "--json"], more].concat(), input));
    assert_eq!((&made["companies"], &made["files"], &made["damaged"]), (&1.into(), &1.into(), &0.into()));
    assert_eq!((made["file"].as_str(), made["sealed"].as_bool()), (Some(file.as_str()), Some(!more.is_empty())));
    assert_eq!(made["bytes"], fs::metadata(&file).unwrap().len());
    (data, file)
}

#[test]
fn restore_under_a_running_server_replaces_data_and_ends_sessions() {
    let folder = tempfile::tempdir().unwrap();
    let (data, file) = backed_up(folder.path(), &[], "");
    let server = Running::start(&data);
    let token = server.token("acme");
    add_task(&server, &token, "Made after the backup");
    let late = server.upload(&token);
    done(&create_tenant(&data, "late"));

    let unconfirmed = refused(&run(&data, &["restore", &file, "--json"], ""));
    assert_eq!(unconfirmed["error"]["code"], "unconfirmed");
    let restored = done(&run(&data, &["restore", &file, "--yes", "--json"], ""));
    assert_eq!((&restored["companies"], &restored["files"], &restored["damaged"]), (&1.into(), &1.into(), &0.into()));
    assert_eq!(restored["madeBy"], env!("CARGO_PKG_VERSION"));
    let kept = restored["replaced"].as_str().unwrap();
    let pieces = ["access.key", "files", "index", "installation", "store.redb"].map(str::to_owned);
    assert_eq!(names(Path::new(kept)), BTreeSet::from(pieces));
    // The address is the same; sessions and later changes are gone.
    assert!(String::from_utf8_lossy(&server.ask_any(&token, "GET", "/api/common/user")).contains("not_signed_in"));
    assert_eq!(server.sign_in("ada@late.example", PASSWORD), 400);
    let token = server.token("acme");
    assert_eq!(tasks(&server, &token), BTreeSet::from(["Quixotic errand".to_owned()]));
    look_around(&server, &token);
    assert!(String::from_utf8_lossy(&server.ask_any(&token, "GET", &late)).contains("not_found"));
    let audit = server.ask(&token, "GET", "/api/audit", None);
    assert!(String::from_utf8_lossy(&audit).contains("operator.restore"));
    let told = server.ask(&token, "GET", "/api/common/notifications", None);
    assert!(String::from_utf8_lossy(&told).contains("restored a backup"));
    // The restored data accepts writes, and the replaced data is complete.
    add_task(&server, &token, "Made after the restore");
    clean(&data);
    drop(server);
    clean(&data);
    clean(Path::new(kept));
    let slugs = listed(&run(Path::new(kept), &["tenant", "list", "--json"], ""));
    assert_eq!(slugs.len(), 2);
}

#[test]
fn restore_repairs_an_unusable_data_directory() {
    let folder = tempfile::tempdir().unwrap();
    let (data, file) = backed_up(folder.path(), &["--passphrase-stdin"], "a passphrase that is long\n");
    fs::remove_dir_all(data.join("files")).unwrap();
    let checked = run(&data, &["check", "--json"], "");
    assert_eq!(checked.status.code(), Some(3));
    assert!(String::from_utf8_lossy(&checked.stdout).contains("upload"), "the lost picture is noticed");
    fs::write(data.join("store.redb"), "no store").unwrap();
    fs::write(data.join("access.key"), "{").unwrap();
    assert_eq!(run(&data, &["tenant", "list", "--json"], "").status.code(), Some(3));

    let before = names(&data);
    let at = |more: &[&str], input: &str| {
        let error = refused(&run(&data, &[&["restore", &file, "--json"], more].concat(), input));
        assert_eq!(names(&data), before);
        error["error"]["fields"].as_object().unwrap().keys().next().unwrap().clone()
    };
    assert_eq!(at(&[], ""), "passphrase");
    assert_eq!(at(&["--passphrase-stdin"], "another passphrase\n"), "passphrase");
    let secret = folder.path().join("secret");
    fs::write(&secret, "a passphrase that is long\n").unwrap();
    let restore = ["restore", &file, "--json", "--passphrase-file", secret.to_str().unwrap()];
    let restored = done(&run(&data, &restore, ""));
    assert!(restored["replaced"].is_string());
    clean(&data);
    let server = Running::start(&data);
    look_around(&server, &server.token("acme"));
    drop(server);

    // On another machine, into a directory that does not exist yet.
    let elsewhere = folder.path().join("elsewhere");
    let restored = done(&run(&elsewhere, &[&restore[..]].concat(), ""));
    assert!(restored["replaced"].is_null(), "there was nothing: {restored}");
    let server = Running::start(&elsewhere);
    look_around(&server, &server.token("acme"));
    clean(&elsewhere);
}

#[test]
fn invalid_or_incomplete_backup_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (data, file) = backed_up(folder.path(), &[], "");
    let taken = refused(&run(&data, &["backup", &file, "--json"], ""));
    assert_eq!(taken["error"]["code"], "conflict");
    let short = refused(&run(&data, &["backup", "short", "--passphrase-stdin", "--json"], "short\n"));
    assert!(short["error"]["fields"]["passphrase"].is_string(), "{short}");
    assert_eq!(run(&data, &["backup", "x", "--passphrase-stdin", "--ask-passphrase"], "").status.code(), Some(2));
    let company = folder.path().join("acme.tenant").to_str().unwrap().to_owned();
    done(&run(&data, &["tenant", "export", "acme", &company, "--json"], ""));
    let company = fs::read(company).unwrap();

    let whole = fs::read(&file).unwrap();
    let harmed = folder.path().join("harmed").to_str().unwrap().to_owned();
    let mut flipped = whole.clone();
    flipped[whole.len() / 2] ^= 1;
    let server = Running::start(&data);
    let token = server.token("acme");
    let no_trace = || !names(&data).iter().any(|name| name.contains("restore") || name.contains("replaced"));
    let refuse = || {
        for bytes in [&whole[..whole.len() / 2], &flipped, &company, b"something else", b""] {
            fs::write(&harmed, bytes).unwrap();
            let error = refused(&run(&data, &["restore", &harmed, "--yes", "--json"], ""));
            assert_eq!(error["error"]["code"], "invalid", "{error}");
            assert!(error["error"]["fields"]["file"].is_string(), "{error}");
        }
        let absent = refused(&run(&data, &["restore", "absent", "--yes", "--json"], ""));
        assert!(absent["error"]["fields"]["file"].is_string(), "{absent}");
    };
    refuse();
    assert!(no_trace());
    look_around(&server, &token);
    drop(server);
    refuse();
    assert!(no_trace());
    clean(&data);
}

#[test]
fn killed_restore_leaves_either_the_old_or_the_restored_data() {
    let folder = tempfile::tempdir().unwrap();
    let (data, file) = backed_up(folder.path(), &[], "");
    done(&create_tenant(&data, "late"));
    let mut old = 0;
    let mut new = 0;
    for round in 0..24_u64 {
        let mut restore =
            atrium(&data, &["restore", &file]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        // This does not depend on timing: the checks must hold wherever the kill happens.
        std::thread::sleep(std::time::Duration::from_millis(round * 10));
        restore.kill().unwrap();
        restore.wait().unwrap();
        let slugs = listed(&run(&data, &["tenant", "list", "--json"], ""));
        match slugs.len() {
            2 => old += 1,
            1 => {
                new += 1;
                done(&create_tenant(&data, "late"));
            }
            other => panic!("{other} companies"),
        }
        clean(&data);
    }
    assert_eq!(old + new, 24);
    // A restore that was interrupted when fully staged, followed by another restore before a start.
    let home = Home::take(&data).unwrap();
    let environment = (Clock::system(), Entropy::seeded(1));
    let progress = Progress::default();
    let staged = stage(&home, (&file).into(), None, environment, &progress);
    tokio::runtime::Runtime::new().unwrap().block_on(staged).unwrap();
    drop(home);
    assert!(names(&data).contains("restore.ready"));
    done(&run(&data, &["restore", &file, "--json"], ""));
    let server = Running::start(&data);
    look_around(&server, &server.token("acme"));
}
