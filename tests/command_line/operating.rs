//! Tests of operation: error messages that name the cause, signals, and repeated commands.

use std::{
    fs,
    io::{BufRead as _, BufReader, Read as _},
    net::TcpListener,
    path::Path,
    process::Stdio,
};

use serde_json::Value;

use super::{
    machine::program::program,
    running::{PASSWORD, Running, atrium, create_tenant, done, listed, refused, run},
};

/// Returns the message of a failure.
#[track_caller]
fn message(output: &std::process::Output) -> String {
    refused(output)["error"]["message"].as_str().unwrap().to_owned()
}

/// Writes a configuration file that sends e-mails to a server on this machine.
fn mail_settings(folder: &Path, port: u16) -> String {
    let file = folder.join("atrium.toml");
    let settings = format!(
        "public_url = \"https://atrium.example\"\n[mail]\nhost = \"127.0.0.1\"\nport = {port}\nsecurity = \"none\"\nfrom = \"a@acme.example\"\n"
    );
    fs::write(&file, settings).unwrap();
    file.to_str().unwrap().to_owned()
}

#[test]
fn silent_mail_server_does_not_delay_shutdown() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let config = mail_settings(folder.path(), listener.local_addr().unwrap().port());
    let mut server = Running::with(&data, &["--config", &config]);
    let test = atrium(&data, &["mail", "send-test", "ops@far.example", "--json", "--config", &config]).spawn().unwrap();
    // The mail server never responds and does not close the connection.
    let silent = listener.accept().unwrap();
    assert_eq!(server.terminate(), Some(0));
    let said = message(&test.wait_with_output().unwrap());
    assert!(said.contains("stopped"), "{said}");
    drop(silent);
}

#[test]
fn test_email_error_shows_the_server_response_and_the_setting() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let config = mail_settings(folder.path(), port);
    done(&create_tenant(&data, "acme"));
    let send = || run(&data, &["mail", "send-test", "ops@far.example", "--json", "--config", &config], "");
    let server = std::thread::spawn(move || {
        use std::io::Write as _;
        let (mut stream, _) = listener.accept().unwrap();
        let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
        stream.write_all(b"220 ready\r\n").unwrap();
        while let Some(Ok(line)) = lines.next() {
            let answer = if line.starts_with("RCPT") { "550 5.1.1 no such user\r\n" } else { "250 ok\r\n" };
            stream.write_all(answer.as_bytes()).unwrap();
        }
    });
    let failure = refused(&send());
    assert_eq!(failure["error"]["code"], "invalid", "{failure}");
    let said = failure["error"]["message"].as_str().unwrap();
    for part in ["550 5.1.1 no such user", "ops@far.example", &format!("127.0.0.1:{port}")] {
        assert!(said.contains(part), "{part}: {said}");
    }
    server.join().unwrap();
    let said = message(&send());
    assert!(said.contains("mail.host") && said.contains("refused"), "{said}");
}

#[test]
fn missing_terminal_error_names_the_password_flags() {
    let folder = tempfile::tempdir().unwrap();
    let arguments =
        ["tenant", "create", "--slug", "a", "--name", "A", "--owner-name", "B", "--owner-email", "c@d.example"];
    let mut command = program("setsid");
    command.arg("--wait").arg(env!("CARGO_BIN_EXE_atrium")).args(arguments).arg("--data-dir").arg(folder.path());
    let output = command.arg("--json").stdin(Stdio::null()).output().unwrap();
    let said = message(&output);
    assert!(said.contains("--owner-password-stdin") && said.contains("--owner-password-file FILE"), "{said}");
}

/// Without access to the data directory, the message names the folder and what to do. As root, the command runs as
/// another user, because root can access everything.
#[test]
fn error_names_an_inaccessible_data_directory() {
    use std::os::unix::{fs::PermissionsExt as _, process::CommandExt as _};
    let folder = tempfile::tempdir().unwrap();
    let closed = folder.path().join("closed");
    fs::create_dir(&closed).unwrap();
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o000)).unwrap();
    let is_root = fs::read_dir(&closed).is_ok();
    let data = closed.join("data");
    for arguments in
        [&["tenant", "list", "--json"][..], &["check", "--json"], &["serve", "--listen", "127.0.0.1:0", "--json"]]
    {
        let mut command = atrium(&data, arguments);
        if is_root {
            command.uid(65_534).gid(65_534).current_dir("/");
        }
        let refused = refused(&command.output().unwrap());
        let message = refused["error"]["message"].as_str().unwrap();
        assert_eq!(refused["error"]["code"], "denied", "{arguments:?}: {refused}");
        assert!(message.contains(data.to_str().unwrap()) && message.contains("Permission denied"), "{message}");
    }
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o700)).unwrap();
}

/// Root may give the data directory to another user; any other user owns it already.
#[test]
fn commands_work_as_the_owner_of_the_data_directory() {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
    let folder = tempfile::tempdir().unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o711)).unwrap();
    let data = folder.path().join("data");
    done(&create_tenant(&data, "acme"));
    let is_root = fs::metadata(&data).unwrap().uid() == 0;
    let owner = if is_root { 65_534 } else { fs::metadata(&data).unwrap().uid() };
    if is_root {
        assert!(program("chown").args(["-R", "65534:65534"]).arg(&data).status().unwrap().success());
        let refused = refused(&run(&data, &["serve", "--listen", "127.0.0.1:0", "--json"], ""));
        assert!(refused["error"]["message"].as_str().unwrap().contains("--reuid=65534"), "{refused}");
    }
    for arguments in [&["check", "--json"][..], &["reindex", "--json"], &["keys", "rotate", "--json"]] {
        done(&run(&data, arguments, ""));
    }
    for entry in fs::read_dir(&data).unwrap().map(Result::unwrap) {
        assert_eq!(entry.metadata().unwrap().uid(), owner, "{}", entry.path().display());
    }
}

#[test]
fn address_in_use_is_reported_before_data_is_created() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let said = message(&run(&data, &["serve", "--listen", &address, "--json"], ""));
    assert!(said.contains(&address) && said.contains("--listen"), "{said}");
    assert!(!data.exists());
}

#[test]
fn setup_link_does_not_contain_the_unspecified_address() {
    let folder = tempfile::tempdir().unwrap();
    for listen in ["0.0.0.0:0", "localhost:0"] {
        let server = Running::with(folder.path(), &["--listen", listen]);
        let link = server.set_up.clone().unwrap();
        assert!(link.starts_with(&server.url) && !link.contains("0.0.0.0"), "{link}");
    }
}

#[test]
fn suspending_and_resuming_twice_succeeds() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    done(&create_tenant(data, "acme"));
    let user = ["user", "create", "--tenant", "acme", "--name", "Ben", "--email", "ben@acme.example"];
    done(&run(data, &[&user[..], &["--password-stdin", "--json"]].concat(), "another long passphrase\n"));
    for (command, state) in [("suspend", "suspended"), ("resume", "active")] {
        let tenant = ["tenant", command, "acme"];
        let person = ["user", command, "--tenant", "acme", "--email", "ben@acme.example"];
        for arguments in [&tenant[..], &person[..]] {
            assert_eq!(done(&run(data, &[arguments, &["--json"]].concat(), ""))["state"], state);
            assert_eq!(done(&run(data, &[arguments, &["--json"]].concat(), ""))["state"], state, "twice");
            let output = run(data, arguments, "");
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            assert!(output.status.success() && text.contains("was already"), "{text}");
        }
    }
}

#[test]
fn config_check_fails_on_settings_that_cannot_work() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    let check = |variable: &str, value: &str| {
        let output = atrium(&folder.path().join("data"), &["config", "check"]).env(variable, value).output().unwrap();
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let (code, said) = check("ATRIUM_BACKUP_FOLDER", file.join("backups").to_str().unwrap());
    assert!(code == Some(1) && said.contains("backup.folder") && said.contains("cannot be made"), "{said}");
    let (code, said) = check("ATRIUM_SIGN_IN_ISSUERS", "https://id.example");
    assert!(code == Some(1) && said.contains("public_url"), "{said}");
    let (code, said) = check("ATRIUM_LIMITS_REQUESTS_PER_COMPANY", "200");
    assert!(code == Some(1) && said.contains("at most 64"), "{said}");
    assert_eq!(check("ATRIUM_BACKUP_FOLDER", folder.path().join("new").to_str().unwrap()).0, Some(0));
}

#[test]
fn config_show_prints_typed_json_values() {
    let folder = tempfile::tempdir().unwrap();
    let shown = done(&run(folder.path(), &["config", "show", "--json"], ""));
    assert_eq!(shown["limits.connections"]["value"], 4096);
    assert_eq!(shown["trusted_proxies"]["value"], serde_json::json!([]));
    assert_eq!(shown["signup"]["value"], "first");
    assert_eq!(shown["signup"]["variable"], "ATRIUM_SIGNUP");
    for (key, setting) in shown.as_object().unwrap() {
        assert!(!setting["value"].as_str().is_some_and(|text| text.starts_with('"')), "{key}: {setting}");
    }
}

/// Reads the log until a line contains `part`.
fn wait_for(log: &mut impl std::io::BufRead, part: &str) -> String {
    let mut all = String::new();
    loop {
        let from = all.len();
        assert_ne!(log.read_line(&mut all).unwrap(), 0, "{part}: {all}");
        if all[from..].contains(part) {
            return all;
        }
    }
}

fn hang_up(server: &Running) {
    assert!(program("kill").arg("-HUP").arg(server.child.id().to_string()).status().unwrap().success());
}

#[test]
fn sighup_reloads_the_configuration_without_stopping_the_server() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    done(&create_tenant(&data, "acme"));
    let file = folder.path().join("atrium.toml");
    let languages = folder.path().join("languages");
    fs::create_dir(&languages).unwrap();
    let settings = |more: &str| {
        let base = format!("public_url = \"http://127.0.0.1\"\nlanguages = {:?}\n", languages.to_str().unwrap());
        fs::write(&file, format!("{base}{more}")).unwrap();
    };
    settings("");
    let mut server = Running::with(&data, &["--config", file.to_str().unwrap()]);
    let mut log = BufReader::new(server.child.stderr.take().unwrap());

    fs::write(languages.join("fr.json"), r#"{"ui": {"a": "avant"}}"#).unwrap();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let mail = format!("[mail]\nhost = \"127.0.0.1\"\nport = {port}\nsecurity = \"none\"\nfrom = \"a@acme.example\"\n");
    settings(&format!("signup = \"closed\"\n{mail}[log]\naccess = \"on\"\n"));
    hang_up(&server);
    let said = wait_for(&mut log, "configuration reloaded");
    assert!(said.contains("next start") && said.contains("signup"), "{said}");
    assert!(said.contains("mail.host") && said.contains("log.access"), "{said}");
    // All three settings are in force: requests are logged, the translation is served, and mail goes to the server.
    assert_eq!(server.sign_in("ada@acme.example", PASSWORD), 200);
    wait_for(&mut log, "atrium::access");
    let french: Value = serde_json::from_slice(&server.ask_any("", "GET", "/i18n/fr.json")).unwrap();
    assert_eq!(french["ui"]["a"], "avant");
    let test = atrium(&data, &["mail", "send-test", "ops@far.example", "--json"]).spawn().unwrap();
    drop(taken.accept().unwrap());
    assert!(message(&test.wait_with_output().unwrap()).contains(&format!("127.0.0.1:{port}")));

    // An invalid configuration changes nothing.
    settings("signup = \"perhaps\"\n");
    hang_up(&server);
    wait_for(&mut log, "configuration not reloaded");
    assert_eq!(server.sign_in("ada@acme.example", PASSWORD), 200);
    assert_eq!(server.terminate(), Some(0));
}

#[test]
fn sighup_keeps_mail_settings_that_need_a_new_public_url_and_applies_the_others() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    done(&create_tenant(&data, "acme"));
    let file = folder.path().join("atrium.toml");
    fs::write(&file, "").unwrap();
    let mut server = Running::with(&data, &["--config", file.to_str().unwrap()]);
    let mut log = BufReader::new(server.child.stderr.take().unwrap());

    let mail = "[mail]\nhost = \"127.0.0.1\"\nfrom = \"a@acme.example\"\n";
    fs::write(&file, format!("public_url = \"http://127.0.0.1\"\n{mail}[log]\naccess = \"on\"\n")).unwrap();
    hang_up(&server);
    let said = wait_for(&mut log, "configuration reloaded");
    let lines = |words: &str| said.lines().filter(|line| line.contains(words)).collect::<String>();
    assert!(lines("next start").contains("mail.host") && lines("next start").contains("public_url"), "{said}");
    assert!(lines("take effect now").contains("log.access") && !lines("take effect now").contains("mail."), "{said}");
    assert!(!said.contains("in part"), "{said}");
    assert_eq!(server.sign_in("ada@acme.example", PASSWORD), 200);
    wait_for(&mut log, "atrium::access");
    assert_eq!(server.terminate(), Some(0));
}

#[test]
fn user_content_is_not_logged_at_any_level() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    done(&create_tenant(data, "acme"));
    let mut command = atrium(data, &["serve", "--listen", "127.0.0.1:0", "--json"]);
    let mut server = Running::of(command.env("ATRIUM_LOG_LEVEL", "trace").env("ATRIUM_LOG_ACCESS", "on"));
    let mut stderr = server.child.stderr.take().unwrap();
    let log = std::thread::spawn(move || {
        let mut log = Vec::new();
        drop(stderr.read_to_end(&mut log));
        String::from_utf8_lossy(&log).into_owned()
    });
    let token = server.token("acme");
    let page = serde_json::json!({ "title": "Canary title", "body": "<p>Canary <b>content</b></p>" });
    server.ask(&token, "POST", "/api/pages", Some(&page));
    let invite = ["user", "invite", "--tenant", "acme", "--email", "canary@far.example", "--name", "Canary name"];
    done(&run(data, &[&invite[..], &["--json"]].concat(), ""));
    while listed(&run(data, &["mail", "list", "--json"], "")).iter().all(|email| email["state"] != "kept") {}
    assert_eq!(server.terminate(), Some(0));
    let log = log.join().unwrap();
    assert!(log.contains("answered"), "the log is listened to");
    for secret in ["Canary", "canary@", "has invited you"] {
        assert!(!log.contains(secret), "{secret}: {log}");
    }
}
