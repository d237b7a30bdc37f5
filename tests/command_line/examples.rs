//! Tests of the examples in the help, as they stand in `docs/commands.md`: each runs, and with `--json` each prints
//! only JSON objects, one a line.

use std::{
    collections::BTreeSet,
    fs,
    path::Path,
    process::{Output, Stdio},
};

use serde_json::Value;

use super::{
    machine::program::program,
    running::{PASSWORD, create_tenant, done, run},
};

/// Commands whose output is made for another program, or that run until they are stopped. `serve` is started by other
/// tests.
const NOT_RUN: [&str; 2] = ["completions", "serve"];

/// Failures of examples that need what this test does not have: a running server, or a terminal.
const EXPECTED: [&str; 3] = ["not_running", "unconfirmed", "bad_request"];

/// The examples of the page, with the commands that they are of.
fn examples() -> Vec<(String, String)> {
    let page = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/commands.md")).unwrap();
    let mut found = Vec::new();
    for section in page.split("\n### atrium ").skip(1) {
        let of = section.lines().next().unwrap();
        let block = section.split("```sh\n").nth(1).unwrap().split("```").next().unwrap();
        found.extend(block.lines().map(|line| (of.to_owned(), line.to_owned())));
    }
    found
}

/// The words of an example, with its paths below `root`.
fn words(line: &str, root: &Path, data: &Path) -> Vec<String> {
    let line = line.split_once(" > ").map_or(line, |(line, _)| line);
    let word = |word: &str| match word.strip_prefix('/') {
        Some("var/lib/atrium") => data.display().to_string(),
        Some(path) => root.join(path).display().to_string(),
        None => word.to_owned(),
    };
    line.split_whitespace().skip(1).map(word).collect()
}

/// Makes what the examples are about: companies, people, and the files that they read.
fn prepare(root: &Path, data: &Path) {
    for folder in ["var/backups/atrium", "etc/atrium", "usr/local/share"] {
        fs::create_dir_all(root.join(folder)).unwrap();
    }
    let file = |name: &str, text: &str| {
        let path = root.join(name);
        fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    let passphrase = file("etc/atrium/passphrase", "a passphrase that is long\n");
    file("etc/atrium/password", &format!("{PASSWORD}\n"));
    file("var/backups/atrium/people.csv", "Name,Email,Status\nAna,ana@x.example,Kunde\n");
    file("var/backups/atrium/deals.csv", "Title,Amount,Internal\nRoof,1200,x\n");
    done(&create_tenant(data, "acme"));
    done(&create_tenant(data, "acme-copy"));
    let user = ["user", "create", "--tenant", "acme", "--name", "Ben", "--email", "ben@acme.example"];
    done(&run(data, &[&user[..], &["--password-stdin", "--json"]].concat(), PASSWORD));
    let at = |name: &str| root.join(name).display().to_string();
    done(&run(data, &["backup", &at("var/backups/atrium/atrium.backup"), "--json"], ""));
    done(&run(
        data,
        &["backup", &at("var/backups/atrium/sealed.backup"), "--passphrase-file", &passphrase, "--json"],
        "",
    ));
    done(&run(data, &["tenant", "export", "acme", &at("var/backups/atrium/acme.tenant"), "--json"], ""));
}

/// Makes the place of one example, which stands alone: the companies, unless it makes the first one, and none of the
/// files that it makes.
fn renew(root: &Path, prepared: &Path, data: &Path, words: &[&str]) {
    drop(fs::remove_dir_all(data));
    let makes_first = matches!(words, ["tenant", "create", ..] | ["tenant", "import", _]);
    if !makes_first {
        assert!(program("cp").arg("-r").arg(prepared).arg(data).status().unwrap().success());
    }
    if let ["backup", file, ..] | ["export", _, file, ..] | ["tenant", "export", _, file, ..] = words {
        drop(fs::remove_file(file));
    }
    let config = root.join("etc/atrium/config.toml");
    if words.first() == Some(&"init") {
        drop(fs::remove_file(config));
    } else {
        // Another server may listen at the default address.
        let settings = "listen = \"127.0.0.1:0\"\nsignup = \"closed\"\nalerts.command = [\"/bin/true\"]\n";
        fs::write(config, settings).unwrap();
    }
}

/// Runs a command with JSON output and without a terminal.
fn run_alone(root: &Path, data: &Path, words: &[&str]) -> Output {
    let mut command = program("setsid");
    command.arg("--wait").arg(env!("CARGO_BIN_EXE_atrium")).args(words).current_dir(root);
    if !words.contains(&"--json") {
        command.arg("--json");
    }
    command.env("ATRIUM_DATA_DIR", data).env("ATRIUM_CONFIG", root.join("etc/atrium/config.toml"));
    command.stdin(Stdio::null()).output().unwrap()
}

fn objects(bytes: &[u8], line: &str) -> Vec<Value> {
    let text = String::from_utf8_lossy(bytes);
    let object = |found: &str| {
        let value: Value = serde_json::from_str(found).unwrap_or_else(|error| panic!("{line}: {error}: {text}"));
        assert!(value.is_object(), "{line}: {text}");
        value
    };
    // The API document is one object on many lines.
    if line.starts_with("atrium openapi") && !text.is_empty() {
        vec![object(&text)]
    } else {
        text.lines().map(object).collect()
    }
}

#[test]
fn examples_work_and_print_json_objects() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let prepared = root.join("prepared");
    let data = root.join("data");
    prepare(root, &prepared);
    let mut commands = BTreeSet::new();
    for (of, line) in examples() {
        if NOT_RUN.contains(&of.as_str()) {
            continue;
        }
        commands.insert(of.clone());
        let words = words(&line, root, &data);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        renew(root, &prepared, &data, &words);
        let output = run_alone(root, &data, &words);
        let printed = objects(&output.stdout, &line);
        let failures = objects(&output.stderr, &line);
        let code = failures.iter().find_map(|failure| failure["error"]["code"].as_str());
        match (output.status.code(), code) {
            (Some(0), None) => {
                let is_list = [" list", " sessions", "alerts test", "doctor"].iter().any(|name| line.contains(name));
                assert!(is_list || printed.len() == 1, "{line}: {printed:?}");
            }
            // What it finds depends on the machine, such as a full disk.
            (Some(1), None) if of == "doctor" => assert_ne!(printed[0]["failing"], 0, "{line}: {printed:?}"),
            (Some(1), Some(code)) => assert!(EXPECTED.contains(&code), "{line}: {failures:?}"),
            other => panic!("{line}: {other:?}: {printed:?} {failures:?}"),
        }
    }
    assert!(commands.len() > 40, "{commands:?}");
}
