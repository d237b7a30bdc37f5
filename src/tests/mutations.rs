//! The list of controls that `scripts/mutations` takes out: each entry still fits the code and names a test that
//! docs/security.md names, too.

use std::collections::HashMap;

use super::file;

#[test]
fn every_mutation_fits_the_code_and_a_documented_test() {
    let documented = file("docs/security.md");
    let listed: HashMap<String, Vec<HashMap<String, String>>> = toml::from_str(&file("tests/mutations.toml")).unwrap();
    let controls = &listed["control"];
    assert!(!controls.is_empty());
    for control in controls {
        let path = &control["file"];
        assert_eq!(file(path).matches(&control["find"]).count(), 1, "{path}: {}", control["find"]);
        assert_ne!(control["find"], control["replace"], "{path}");
        let test = control["test"].rsplit("::").next().unwrap();
        assert!(documented.contains(&format!("`{test}`")), "{test} is not in docs/security.md");
        assert!(documented.contains(&format!("| {} |", control["threat"])), "{}", control["threat"]);
    }
}
