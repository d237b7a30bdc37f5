//! ASVS evidence: every requirement of levels 1 and 2 has a row in docs/asvs.md, and its evidence exists (F-S22).

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use super::{file, sources};
use crate::features;

/// Returns the source of the server and of all its tests.
fn code() -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut code: String = sources().into_iter().map(|(_, text)| text).collect();
    for path in ["tests", "tests/command_line"].iter().flat_map(|folder| fs::read_dir(root.join(folder)).unwrap()) {
        code.push_str(&fs::read_to_string(path.unwrap().path()).unwrap_or_default());
    }
    code
}

/// Every kind of record is in exactly one class of docs/data-protection.md.
#[test]
fn every_record_kind_has_one_protection_class() {
    let document = file("docs/data-protection.md");
    let (classes, _) = document.split_once("## Protection").unwrap();
    for info in features::TABLES.iter().chain([&features::ROOT]) {
        let rows = classes.lines().filter(|line| line.starts_with("| ") && line.contains(&format!("`{}`", info.kind)));
        assert_eq!(rows.count(), 1, "{}", info.kind);
    }
    let evidence = document.rsplit_once("## The tests that hold it").unwrap().1;
    let code = code();
    for test in evidence.split('`').skip(1).step_by(2) {
        assert!(code.contains(&format!("fn {test}(")), "there is no {test}");
    }
}

/// The number of requirements in level 1, and of those that level 2 adds.
const REQUIREMENTS: [(&str, usize); 2] = [("1", 70), ("2", 183)];

#[test]
fn every_requirement_has_a_row_with_existing_evidence() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let code = code();
    let is_there = |evidence: &str| root.join(evidence).exists() || code.contains(&format!("fn {evidence}("));

    let document = file("docs/asvs.md");
    let mut numbers = BTreeSet::new();
    let mut counts = BTreeMap::new();
    for line in document.lines() {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let [number, level, _, status, evidence, note] = cells[..] else { continue };
        if !number.starts_with(|first: char| first.is_ascii_digit()) {
            continue;
        }
        assert!(numbers.insert(number.to_owned()), "{number} is there twice");
        let named: Vec<&str> = evidence.split('`').skip(1).step_by(2).collect();
        for evidence in &named {
            assert!(is_there(evidence), "{number}: there is no {evidence}");
        }
        match status {
            "met" => assert!(!named.is_empty(), "{number}: no evidence"),
            "not met" | "not applicable" => assert!(!note.is_empty(), "{number}: no reason"),
            other => panic!("{number}: {other}"),
        }
        *counts.entry((level, status)).or_insert(0_usize) += 1;
    }
    for (level, all) in REQUIREMENTS {
        let count = |status| counts.get(&(level, status)).copied().unwrap_or_default();
        let met = count("met");
        let open = count("not met");
        let none = count("not applicable");
        assert_eq!(met + open + none, all, "level {level}");
        let summary = format!("| {level} | {met} | {open} | {none} |");
        assert!(document.contains(&summary), "the summary says something else than {summary}");
    }
}
