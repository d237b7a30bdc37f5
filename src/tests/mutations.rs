//! Tests of the list of mutations that `scripts/mutations` applies: each entry fits the code, and every test that
//! docs/security.md names has a mutation, or a reason here why it has none.

use std::collections::BTreeSet;

use serde::Deserialize;

use super::{file, sources};

/// Tests in docs/security.md without a mutation, and the reason.
const WITHOUT_MUTATION: [(&str, &str); 2] = [
    (
        "operator_commands_manage_tenants_users_and_emails",
        "shows that the operator's way works; that it is closed to others is held by the test named beside it",
    ),
    (
        "killed_restore_leaves_either_the_old_or_the_restored_data",
        "kills at moments that chance chooses; `scripts/power-cuts` cuts the same off on a real file system",
    ),
];

#[derive(Deserialize)]
struct List {
    control: Vec<Control>,
}

#[derive(Deserialize)]
struct Control {
    threat: String,
    #[serde(flatten)]
    edit: Edit,
    #[serde(default)]
    also: Vec<Edit>,
    test: Vec<String>,
    /// The kind of test when it is none of the library.
    target: Option<String>,
}

#[derive(Deserialize)]
struct Edit {
    file: String,
    find: String,
    replace: String,
}

fn controls() -> Vec<Control> {
    toml::from_str::<List>(&file("tests/mutations.toml")).unwrap().control
}

/// Returns the last part of a test's path.
fn name(test: &str) -> &str {
    test.rsplit("::").next().unwrap()
}

/// Whether the library has the test: in the file of its module, or of the module around an inline one.
fn exists(test: &str, sources: &[(String, String)]) -> bool {
    let function = format!("fn {}(", name(test));
    let module: Vec<&str> = test.split("::").collect();
    let folders = [module[..module.len() - 1].join("/"), module[..module.len() - 2].join("/")];
    let is_file =
        |path: &str| folders.iter().any(|folder| path == format!("{folder}.rs") || path == format!("{folder}/mod.rs"));
    sources.iter().any(|(path, text)| is_file(path) && text.contains(&function))
}

/// Returns the tests that docs/security.md names: words in backticks with at least two underscores.
fn documented() -> Vec<(String, String)> {
    let mut threat = String::new();
    let mut found = Vec::new();
    for line in file("docs/security.md").lines().take_while(|line| *line != "## What is left") {
        let first = line.split('|').nth(1).map(str::trim).unwrap_or_default();
        if first.starts_with("T-") || first.starts_with("F-") {
            threat = first.to_owned();
        } else if line.starts_with("Beside these") {
            threat = "beside".to_owned();
        }
        for word in line.split('`').skip(1).step_by(2) {
            let is_name = word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_');
            if is_name && word.matches('_').count() > 1 {
                found.push((threat.clone(), word.to_owned()));
            }
        }
    }
    found
}

#[test]
fn every_mutation_matches_the_code_and_a_documented_test() {
    let documented = documented();
    let sources = sources();
    for control in controls() {
        for Edit { file: path, find, replace } in std::iter::once(&control.edit).chain(&control.also) {
            assert_eq!(file(path).matches(find).count(), 1, "{path}: {find}");
            assert_ne!(find, replace, "{path}");
        }
        assert!(!control.test.is_empty(), "{}", control.edit.find);
        for test in &control.test {
            let is_there = documented.iter().any(|(threat, known)| *threat == control.threat && known == name(test));
            assert!(is_there, "{} does not name {test} in docs/security.md", control.threat);
            assert!(control.target.is_some() || exists(test, &sources), "there is no test {test}");
        }
    }
}

#[test]
fn every_test_in_the_threat_table_has_a_mutation_or_a_reason() {
    let proved: BTreeSet<String> =
        controls().iter().flat_map(|control| &control.test).map(|test| name(test).to_owned()).collect();
    let excepted: BTreeSet<&str> = WITHOUT_MUTATION.iter().map(|(test, _)| *test).collect();
    let documented = documented();
    let missing: Vec<_> =
        documented.iter().filter(|(_, test)| !proved.contains(test) && !excepted.contains(test.as_str())).collect();
    assert!(missing.is_empty(), "no mutation, and no reason, for {missing:?}");
    for (test, reason) in WITHOUT_MUTATION {
        assert!(!proved.contains(test) && !reason.is_empty(), "{test}");
        assert!(documented.iter().any(|(_, known)| known == test), "{test} is not in docs/security.md");
    }
}

#[test]
fn every_threat_has_a_mutation_that_removes_a_control() {
    let proved: BTreeSet<String> = controls().into_iter().map(|control| control.threat).collect();
    let rows = file("docs/security.md");
    let rows = rows.lines().filter_map(|line| line.split('|').nth(1).map(str::trim));
    for threat in rows.filter(|first| first.starts_with("T-") || first.starts_with("F-")) {
        assert!(proved.contains(threat), "no mutation for {threat}");
    }
}
