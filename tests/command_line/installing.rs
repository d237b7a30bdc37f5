//! Tests of the first installation: `init`, and the files that packages contain.

use std::{fs, os::unix::fs::PermissionsExt as _, path::Path};

use serde_json::Value;

use crate::running::{Running, atrium, done, refused, run};

fn init(data: &Path, file: &Path, flags: &[&str]) -> std::process::Output {
    run(data, &[&["init", "--yes", "--json", "--config", file.to_str().unwrap()], flags].concat(), "")
}

#[test]
fn init_writes_a_checked_file_that_the_server_starts_with() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let file = folder.path().join("etc/config.toml");
    let backups = folder.path().join("backups");
    let flags = ["--public-url", "https://atrium.example", "--tls", "proxy", "--listen", "127.0.0.1:0"];
    let flags = [&flags[..], &["--backup-folder", backups.to_str().unwrap()]].concat();
    let written = done(&init(&data, &file, &flags));
    assert_eq!(written["file"].as_str(), file.to_str());
    assert_eq!(written["start"], format!("atrium serve --config {}", file.display()));
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
    let text = fs::read_to_string(&file).unwrap();
    let settings: Vec<&str> = text.lines().filter(|line| line.contains(" = ") && !line.starts_with('#')).collect();
    assert_eq!(
        settings,
        [
            "listen = \"127.0.0.1:0\"",
            &format!("data_dir = \"{}\"", data.display()),
            "public_url = \"https://atrium.example/\"",
            "trusted_proxies = [\"127.0.0.1\"]",
            &format!("folder = \"{}\"", backups.display()),
        ]
    );
    assert!(text.contains("# The proxies in front of the server") && !data.exists(), "{text}");

    let mut command = atrium(&data, &["serve", "--json", "--config", file.to_str().unwrap()]);
    let server = Running::of(&mut command);
    assert!(server.set_up.as_ref().unwrap().starts_with("https://atrium.example/sign-up#"), "{:?}", server.set_up);
    drop(server);

    let before = fs::read(&file).unwrap();
    assert_eq!(refused(&init(&data, &file, &[]))["error"]["code"], "conflict");
    assert_eq!(fs::read(&file).unwrap(), before);
    done(&init(&data, &file, &["--force"]));
    assert!(!fs::read_to_string(&file).unwrap().contains("public_url"));
}

#[test]
fn init_writes_nothing_when_the_settings_have_a_fault() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("config.toml");
    let files = ["--tls", "files", "--certificate", "/nowhere/c.pem", "--key", "/nowhere/k.pem"];
    let failed = refused(&init(folder.path(), &file, &files));
    let message = failed["error"]["message"].as_str().unwrap();
    assert_eq!(failed["error"]["code"], "configuration");
    assert!(message.contains("/nowhere/c.pem") && message.contains("public_url must be set"), "{message}");
    assert!(!file.exists());
    let asked = run(folder.path(), &["init", "--json", "--config", file.to_str().unwrap()], "");
    assert_eq!(refused(&asked)["error"]["code"], "unconfirmed");
    assert!(!file.exists());
}

#[test]
fn manual_pages_and_completions_need_no_installation() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let pages = folder.path().join("man1");
    let written: Value = done(&run(&data, &["man", pages.to_str().unwrap(), "--json"], ""));
    assert_eq!(written["pages"].as_u64(), Some(fs::read_dir(&pages).unwrap().count() as u64));
    assert_eq!(fs::metadata(pages.join("atrium.1")).unwrap().permissions().mode() & 0o777, 0o644);
    let script = run(&data, &["completions", "bash"], "");
    assert!(script.status.success() && String::from_utf8_lossy(&script.stdout).contains("complete -F _atrium"));
    assert!(!data.exists());
}

#[test]
fn packaged_configuration_has_no_fault() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/packaging/config.toml");
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(done(&run(folder.path(), &["config", "check", "--json", "--config", file], ""))["status"], "ok");
    assert!(fs::read_to_string(file).unwrap().contains("\ndata_dir = \"/var/lib/atrium\"\n"));
    let image = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/packaging/Containerfile")).unwrap();
    let variables: Vec<&str> = image.lines().filter_map(|line| line.strip_prefix("ENV ")).collect();
    let mut command = atrium(folder.path(), &["config", "show", "--json"]);
    command.envs(variables.iter().flat_map(|line| line.split(' ')).filter_map(|pair| pair.split_once('=')));
    let output = command.output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "", "every variable of the image is a setting");
    assert_eq!(done(&output)["listen"]["origin"], "ATRIUM_LISTEN");
}
