//! Tests of the real binary: commands on a stopped store and with a running server, their output and exit codes.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod archives;
mod doctor;
mod environment;
mod examples;
mod installing;
#[path = "../machine/mod.rs"]
mod machine;
mod monitoring;
mod operating;
mod procedures;
mod running;
mod serving;

use std::{fs::File, path::Path, process::Output, thread, time::Duration};

use running::{PASSWORD, Running, atrium, create_tenant, done, listed, refused, run};

#[test]
fn commands_work_on_a_stopped_store_and_beside_a_running_server() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let made = done(&create_tenant(&data, "acme"));
    assert_eq!((made["slug"].as_str(), made["colorScheme"].as_str()), (Some("acme"), Some("teal")));
    assert!(made["id"].is_string() && made["ownerId"].is_string());
    assert_eq!(refused(&create_tenant(&data, "acme"))["error"]["code"], "conflict");
    assert_eq!(refused(&run(&data, &["health", "--json"], ""))["error"]["code"], "not_running");

    let mut server = Running::start(&data);
    let health = done(&run(&data, &["health", "--json"], ""));
    assert_eq!((&health["status"], &health["jobs"][0]["name"]), (&"ok".into(), &"index".into()));
    assert_eq!(server.sign_in("ada@acme.example", PASSWORD), 200);
    done(&create_tenant(&data, "globex"));
    assert_eq!(server.sign_in("ada@globex.example", PASSWORD), 200);

    let user = ["user", "create", "--tenant", "acme", "--name", "Ben", "--email", "ben@acme.example"];
    let user = [&user[..], &["--role", "member", "--password-stdin", "--json"]].concat();
    let made = done(&run(&data, &user, "another long passphrase\n"));
    assert_eq!((made["role"].as_str(), made["tenant"].as_str()), (Some("member"), Some("acme")));
    assert_eq!(server.sign_in("ben@acme.example", "another long passphrase"), 200);
    let set = ["user", "set-password", "--tenant", "acme", "--email", "ben@acme.example", "--password-stdin", "--json"];
    assert_eq!(done(&run(&data, &set, "a third passphrase\n"))["id"], made["id"]);
    assert_eq!(server.sign_in("ben@acme.example", "another long passphrase"), 400);
    assert_eq!(server.sign_in("ben@acme.example", "a third passphrase"), 200);
    let short = refused(&run(&data, &set, "short\n"));
    assert_eq!(short["error"]["code"], "invalid");
    assert!(short["error"]["fields"]["password"].is_string(), "{short}");

    // A second server reports the conflict and does not disturb the first.
    let second = refused(&run(&data, &["serve", "--listen", "127.0.0.1:0", "--json"], ""));
    assert_eq!(second["error"]["code"], "busy");
    assert_eq!(done(&run(&data, &["health", "--json"], ""))["status"], "ok");

    assert_eq!(server.terminate(), Some(0));
    assert!(!data.join("control.sock").exists());
    let slugs = listed(&run(&data, &["tenant", "list", "--json"], ""));
    let slugs: Vec<&str> = slugs.iter().filter_map(|item| item["slug"].as_str()).collect();
    assert_eq!(slugs, ["acme", "globex"]);
    let users = listed(&run(&data, &["user", "list", "--tenant", "acme", "--json"], ""));
    assert_eq!(users.len(), 2);
    assert_eq!(done(&run(&data, &["check", "--json"], ""))["damages"].as_array().unwrap().len(), 0);
    assert_eq!(done(&run(&data, &["reindex", "--json"], ""))["documents"], 3);
}

#[test]
fn killed_server_does_not_block_commands_or_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let mut server = Running::start(folder.path());
    done(&create_tenant(folder.path(), "acme"));
    server.child.kill().unwrap();
    server.child.wait().unwrap();
    assert_eq!(done(&run(folder.path(), &["tenant", "show", "acme", "--json"], ""))["slug"], "acme");
    let server = Running::start(folder.path());
    assert_eq!(server.sign_in("ada@acme.example", PASSWORD), 200);
}

#[test]
fn command_and_server_wait_for_the_data_directory() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    done(&create_tenant(&data, "acme"));
    let held = File::options().write(true).open(data.join("lock")).unwrap();
    held.lock().unwrap();
    let list = |seconds: &str| run(&data, &["tenant", "list", "--wait", seconds, "--json"], "");
    let busy = refused(&list("0"));
    assert_eq!(busy["error"]["code"], "busy");
    assert!(busy["error"]["message"].as_str().unwrap().contains("--wait"), "{busy}");
    let refused_server = refused(&run(&data, &["serve", "--listen", "127.0.0.1:0", "--wait", "0", "--json"], ""));
    assert_eq!(refused_server["error"]["code"], "busy");
    let mut waiting = atrium(&data, &["tenant", "list", "--wait", "600", "--json"]).spawn().unwrap();
    thread::sleep(Duration::from_millis(500));
    assert!(waiting.try_wait().unwrap().is_none());
    drop(held);
    assert_eq!(listed(&waiting.wait_with_output().unwrap()).len(), 1);
}

#[test]
fn config_show_prints_origins_and_faults_prevent_the_start() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("atrium.toml");
    let path = file.to_str().unwrap();
    std::fs::write(&file, "signup = \"closed\"\n").unwrap();
    let shown = done(&run(folder.path(), &["config", "show", "--config", path, "--json"], ""));
    assert_eq!(shown["signup"]["value"], "closed");
    assert_eq!(shown["signup"]["origin"], format!("{path}:1"));
    assert_eq!(shown["data_dir"]["origin"], "--data-dir");
    assert_eq!(shown["listen"]["origin"], "default");
    std::fs::write(&file, "signup = \"maybe\"\nlisten = 1\n").unwrap();
    for arguments in [
        ["config", "check", "--config", path],
        ["tenant", "list", "--config", path],
        ["serve", "--json", "--config", path],
    ] {
        let output = run(folder.path(), &arguments, "");
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        assert!(
            error.contains(&format!("{path}:1: signup: ")) && error.contains(&format!("{path}:2: listen: ")),
            "{error}"
        );
    }
}

#[test]
fn openapi_command_needs_no_store() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let document = done(&run(&data, &["openapi"], ""));
    assert!(document["openapi"].as_str().unwrap().starts_with('3'));
    assert!(!data.exists());
}

#[test]
fn wrong_usage_exits_with_2_also_for_a_password_argument() {
    let folder = tempfile::tempdir().unwrap();
    for arguments in [&["nonsense"][..], &["tenant"], &["user", "create", "--password", "secret"]] {
        assert_eq!(run(folder.path(), arguments, "").status.code(), Some(2), "{arguments:?}");
    }
}

#[test]
fn setup_link_printed_at_start_creates_the_first_tenant_once() {
    let folder = tempfile::tempdir().unwrap();
    let server = Running::start(folder.path());
    let link = server.set_up.clone().unwrap();
    let token = link.strip_prefix(&format!("{}/sign-up#", server.url)).unwrap();
    let form = |token: &str| {
        serde_json::json!({
            "company": "Acme Ltd", "name": "Ada", "email": "ada@acme.example", "password": PASSWORD, "token": token
        })
    };
    assert_eq!(server.post("/api/auth/sign-up", &form(&"0".repeat(64))), 400);
    assert_eq!(server.post("/api/auth/sign-up", &form(token)), 202);
    assert_eq!(server.sign_in("ada@acme.example", PASSWORD), 200);
    assert!(server.post("/api/auth/sign-up", &form(token)) >= 400, "once");
    drop(server);
    assert!(Running::start(folder.path()).set_up.is_none());
}

/// Runs a command for a member of acme with further flags and JSON output.
fn about(data: &Path, command: &[&str], email: &str, more: &[&str]) -> Output {
    run(data, &[command, &["--tenant", "acme", "--email", email, "--json"], more].concat(), "")
}

/// Runs the operator's commands for members and tenants. They work the same with and without a server.
fn operate(data: &Path) {
    let role = done(&about(data, &["user", "set-role"], "ben@acme.example", &["--role", "admin"]));
    assert_eq!(role["role"], "admin");
    assert_eq!(
        refused(&about(data, &["user", "set-role"], "ada@acme.example", &["--role", "admin"]))["error"]["code"],
        "conflict"
    );
    assert_eq!(refused(&about(data, &["user", "suspend"], "nobody@acme.example", &[]))["error"]["code"], "not_found");
    assert_eq!(done(&about(data, &["user", "suspend"], "ben@acme.example", &[]))["state"], "suspended");
    assert_eq!(done(&about(data, &["user", "resume"], "ben@acme.example", &[]))["state"], "active");
    assert_eq!(done(&about(data, &["user", "set-role"], "ben@acme.example", &["--role", "member"]))["role"], "member");
    listed(&about(data, &["user", "sessions"], "ben@acme.example", &[]));
    assert!(done(&about(data, &["user", "end-sessions"], "ben@acme.example", &[]))["ended"].is_number());
    let changed = done(&run(data, &["tenant", "update", "acme", "--name", "Acme & Sons", "--json"], ""));
    assert_eq!((changed["name"].as_str(), changed["slug"].as_str()), (Some("Acme & Sons"), Some("acme")));
    let region = ["--first-day", "saturday", "--phone-country", "AE"];
    let moved = done(&run(data, &[&["tenant", "update", "acme", "--json"][..], &region].concat(), ""))["region"].take();
    assert_eq!((&moved["firstDay"], &moved["phoneCountry"]), (&"saturday".into(), &"AE".into()));
    assert_eq!((&moved["dateFormat"], &moved["currency"]), (&"mdy".into(), &"USD".into()));
    let wrong = run(data, &["tenant", "update", "acme", "--phone-country", "UK", "--json"], "");
    assert!(refused(&wrong)["error"]["fields"]["region.phoneCountry"].is_string());
    assert_eq!(done(&run(data, &["tenant", "suspend", "acme", "--json"], ""))["state"], "suspended");
    assert_eq!(done(&run(data, &["tenant", "resume", "acme", "--json"], ""))["state"], "active");
    assert!(done(&run(data, &["keys", "rotate", "--json"], ""))["id"].is_string());
}

/// Waits until the e-mail to an address is kept, and returns its link.
fn link_to(data: &Path, email: &str) -> String {
    for _ in 0..100 {
        let letters = listed(&run(data, &["mail", "list", "--json"], ""));
        let of = letters.iter().find(|letter| letter["to"] == email && letter["state"] == "kept");
        if let Some(link) = of.and_then(|letter| letter["link"].as_str()) {
            return link.to_owned();
        }
    }
    panic!("the letter to {email} was never kept");
}

#[test]
fn operator_commands_manage_tenants_users_and_emails() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    done(&create_tenant(&data, "acme"));
    let user = ["user", "create", "--tenant", "acme", "--name", "Ben", "--email", "ben@acme.example"];
    done(&run(&data, &[&user[..], &["--password-stdin", "--json"]].concat(), "another long passphrase\n"));

    operate(&data);
    done(&about(&data, &["user", "invite"], "cleo@acme.example", &["--name", "Cleo", "--role", "viewer"]));
    assert!(link_to(&data, "cleo@acme.example").starts_with("http://127.0.0.1:8080/activate-account#"));

    let server = Running::start(&data);
    assert_eq!(server.sign_in("ben@acme.example", "another long passphrase"), 200);
    operate(&data);
    assert_eq!(server.sign_in("ben@acme.example", "another long passphrase"), 200);
    let sessions = listed(&about(&data, &["user", "sessions"], "ben@acme.example", &[]));
    assert_eq!(sessions.len(), 1);
    assert_eq!(done(&about(&data, &["user", "end-sessions"], "ben@acme.example", &[]))["ended"], 1);
    done(&about(&data, &["user", "invite"], "dora@acme.example", &[]));
    let link = link_to(&data, "dora@acme.example");
    assert!(link.starts_with(&format!("{}/activate-account#", server.url)), "{link}");
    assert_eq!(
        refused(&about(&data, &["user", "invite"], "ben@acme.example", &[]))["error"]["fields"]
            .as_object()
            .unwrap()
            .len(),
        1
    );

    let test = done(&run(&data, &["mail", "send-test", "ops@far.example", "--json"], ""));
    assert!(Path::new(test["file"].as_str().unwrap()).starts_with(data.join("outgoing")));
    assert_eq!(refused(&run(&data, &["mail", "send-test", "nobody", "--json"], ""))["error"]["code"], "invalid");

    assert_eq!(run(&data, &["tenant", "delete", "acme"], "").status.code(), Some(2), "not without --yes");
    assert_eq!(done(&run(&data, &["tenant", "delete", "--yes", "acme", "--json"], ""))["slug"], "acme");
    assert_eq!(server.sign_in("ada@acme.example", PASSWORD), 400);
    assert_eq!(refused(&run(&data, &["tenant", "show", "acme", "--json"], ""))["error"]["code"], "not_found");
    assert!(listed(&run(&data, &["mail", "list", "--json"], "")).is_empty());
    drop(server);
    done(&create_tenant(&data, "acme"));
    assert_eq!(done(&run(&data, &["check", "--json"], ""))["damages"].as_array().unwrap().len(), 0);
}

#[test]
fn config_show_masks_the_mail_server_password() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("atrium.toml");
    let settings =
        "public_url = \"https://atrium.example\"\n[mail]\nhost = \"mail.example\"\nfrom = \"a@acme.example\"\n";
    std::fs::write(&file, format!("{settings}user = \"atrium\"\npassword = \"canary\"\n")).unwrap();
    for flag in ["--json", "--config"] {
        let arguments = ["config", "show", "--config", file.to_str().unwrap()];
        let arguments = if flag == "--json" { [&arguments[..], &["--json"]].concat() } else { arguments.to_vec() };
        let output = run(folder.path(), &arguments, "");
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && text.contains("********") && !text.contains("canary"), "{text}");
    }
    std::fs::write(&file, "[mail]\nhost = \"mail.example\"\n").unwrap();
    let output = run(folder.path(), &["config", "check", "--config", file.to_str().unwrap()], "");
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1));
    assert!(error.contains("public_url") && error.contains("mail.from"), "{error}");
}

/// Returns all names below a folder.
fn everything(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn only_create_commands_create_an_installation() {
    let folder = tempfile::tempdir().unwrap();
    let empty = folder.path().join("empty");
    let absent = folder.path().join("absent");
    std::fs::create_dir(&empty).unwrap();
    let file = folder.path().join("all.backup").to_str().unwrap().to_owned();
    for data in [&empty, &absent] {
        for command in [
            &["tenant", "list"][..],
            &["tenant", "show", "acme"],
            &["check"],
            &["reindex"],
            &["compact"],
            &["backup", &file],
            &["mail", "list"],
            &["keys", "rotate"],
            &["user", "list", "--tenant", "acme"],
        ] {
            let error = refused(&run(data, &[command, &["--json"]].concat(), ""));
            assert_eq!(error["error"]["code"], "no_installation", "{command:?}");
        }
    }
    assert!(everything(&empty).is_empty() && !absent.exists() && !Path::new(&file).exists());
    done(&create_tenant(&empty, "acme"));
    let mark = std::fs::read(empty.join("installation")).unwrap();

    // Data that is older than the `installation` file gets one.
    std::fs::remove_file(empty.join("installation")).unwrap();
    done(&run(&empty, &["tenant", "list", "--json"], ""));
    assert_ne!(std::fs::read(empty.join("installation")).unwrap(), mark);
}

#[test]
fn installation_without_its_store_is_not_opened_or_recreated() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let file = folder.path().join("all.backup").to_str().unwrap().to_owned();
    done(&create_tenant(&data, "acme"));
    done(&run(&data, &["backup", &file, "--json"], ""));
    std::fs::remove_file(data.join("store.redb")).unwrap();
    let create =
        ["tenant", "create", "--slug", "b", "--name", "B", "--owner-name", "B", "--owner-email", "b@b.example"];
    for command in [
        &["tenant", "list"][..],
        &["check"],
        &["compact"],
        &["serve", "--listen", "127.0.0.1:0"],
        &[&create[..], &["--owner-password-stdin"]].concat(),
    ] {
        let error = refused(&run(&data, &[command, &["--json"]].concat(), PASSWORD));
        let message = error["error"]["message"].as_str().unwrap();
        assert!(message.contains("no store.redb") && message.contains("access.key"), "{command:?}: {message}");
    }
    assert!(!data.join("store.redb").exists());
    done(&run(&data, &["restore", &file, "--json"], ""));
    let slugs = listed(&run(&data, &["tenant", "list", "--json"], ""));
    assert_eq!(slugs.len(), 1);
}

#[test]
fn server_reports_a_removed_store_and_rejects_writes() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    done(&create_tenant(&data, "acme"));
    let server = Running::start(&data);
    let token = server.token("acme");
    let task = serde_json::json!({ "title": "A task" });
    server.ask(&token, "POST", "/api/tasks", Some(&task));
    let away = folder.path().join("away");
    std::fs::rename(data.join("store.redb"), &away).unwrap();
    let health = run(&data, &["health", "--json"], "");
    assert_eq!(health.status.code(), Some(1));
    let health: serde_json::Value = serde_json::from_slice(&health.stdout).unwrap();
    assert_eq!((&health["status"], &health["writable"]), (&"degraded".into(), &false.into()));
    assert_eq!(health["reasons"], serde_json::json!(["store-removed"]));
    assert_eq!(
        server.post("/api/auth/sign-in", &serde_json::json!({ "email": "ada@acme.example", "password": PASSWORD })),
        503
    );
    // The open file still has all data, and a backup saves it.
    let file = folder.path().join("all.backup").to_str().unwrap().to_owned();
    let saved = done(&run(&data, &["backup", &file, "--json"], ""));
    assert_eq!(saved["companies"], 1);
    std::fs::rename(&away, data.join("store.redb")).unwrap();
    assert_eq!(done(&run(&data, &["health", "--json"], ""))["status"], "ok");
    assert_eq!(server.sign_in("ada@acme.example", PASSWORD), 200);
}

#[test]
fn compact_needs_a_stopped_server_and_keep_limits_replaced_data() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let file = folder.path().join("all.backup").to_str().unwrap().to_owned();
    done(&create_tenant(&data, "acme"));
    let server = Running::start(&data);
    assert_eq!(refused(&run(&data, &["compact", "--json"], ""))["error"]["code"], "conflict");
    drop(server);
    let compacted = done(&run(&data, &["compact", "--json"], ""));
    let bytes = |when: &str| compacted[when].as_u64().unwrap();
    assert!(
        bytes("after") <= bytes("before").max(2 << 20),
        "a small store is rewritten also when its copy is larger: {compacted}"
    );
    assert_eq!(done(&run(&data, &["check", "--json"], ""))["damages"].as_array().unwrap().len(), 0);

    done(&run(&data, &["backup", &file, "--json"], ""));
    for (keep, left) in [(None, 1), (None, 2), (Some("1"), 1), (Some("0"), 0)] {
        let keep: Vec<&str> = keep.into_iter().flat_map(|keep| ["--keep", keep]).collect();
        done(&run(&data, &[&["restore", &file, "--json"], &keep[..]].concat(), ""));
        assert_eq!(everything(&data).iter().filter(|name| name.starts_with("replaced-")).count(), left);
    }
}
