//! Architecture tests: modules import only from lower layers, and a feature uses only features listed before it.

use std::collections::BTreeSet;

use super::{file, sources};

/// The layers, the lowest first. Modules of the same layer may not use each other.
const FLOORS: [&[&str]; 9] = [
    &["kernel"],
    &["store", "config"],
    &["index", "live", "mail"],
    &["wire"],
    &["access"],
    &["feature"],
    &["features"],
    &["http", "jobs", "demo"],
    &["app"],
];

fn floor(room: &str) -> Option<usize> {
    FLOORS.iter().position(|rooms| rooms.contains(&room))
}

/// Returns the top-level modules that a file names in `crate::module`.
fn rooms(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let bare: String = text.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n");
    for (at, _) in bare.match_indices("crate::") {
        let rest = &bare[at + "crate::".len()..];
        let mut names = Vec::new();
        if let Some(list) = rest.strip_prefix('{') {
            // The names at the first level of `crate::{a::{..}, b}`.
            let (mut depth, mut name) = (1, String::new());
            for c in list.chars() {
                match c {
                    '{' => depth += 1,
                    '}' => depth -= 1,
                    ',' if depth == 1 => names.push(std::mem::take(&mut name)),
                    _ if depth == 1 => name.push(c),
                    _ => {}
                }
                if depth == 0 {
                    break;
                }
            }
            names.push(name);
        } else {
            names.push(rest.to_owned());
        }
        for name in names {
            let word: String = name.trim().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            if !word.is_empty() {
                found.insert(word);
            }
        }
    }
    found
}

/// Returns the text of a file without the `#[cfg(test)]` module at its end.
fn product(text: &str) -> &str {
    text.split("#[cfg(test)]\nmod tests {").next().unwrap_or(text)
}

#[test]
fn imports_run_down_the_floors() {
    let mut wrong = Vec::new();
    for (name, text) in sources() {
        let room = name.split(['/', '.']).next().unwrap_or_default().to_owned();
        let is_test = name.split('/').any(|part| part == "tests.rs" || part == "tests") || room == "testing";
        let Some(own) = floor(&room).filter(|_| !is_test) else { continue };
        for other in rooms(product(&text)) {
            if floor(&other).is_some_and(|floor| floor > own || (floor == own && other != room)) {
                wrong.push(format!("{name} knows {other}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn only_the_store_knows_redb_and_only_the_index_knows_tantivy() {
    for (engine, room) in [("redb", "store/"), ("tantivy", "index/")] {
        let using = |text: &str| text.contains(&format!("{engine}::"));
        let others = sources().into_iter().filter(|(name, text)| !name.starts_with(room) && using(text));
        let names: Vec<String> = others.map(|(name, _)| name).filter(|name| !name.starts_with("tests/")).collect();
        assert!(names.is_empty(), "{engine} is known outside {room}: {names:?}");
    }
}

#[test]
fn a_feature_uses_only_those_listed_before_it() {
    let register = file("src/features/mod.rs");
    let list = register.split("FEATURES: &[&Feature] =").nth(1).and_then(|rest| rest.split(['[', ']']).nth(1)).unwrap();
    let order: Vec<&str> =
        list.split(',').filter_map(|entry| entry.trim().strip_prefix('&')?.split("::").next()).collect();
    assert!(order.len() >= 3, "{order:?}");
    let mut wrong = Vec::new();
    for (name, text) in sources() {
        let Some(own) = name.strip_prefix("features/").and_then(|rest| rest.split_once('/')).map(|(own, _)| own) else {
            continue;
        };
        if name.ends_with("tests.rs") || name.contains("/tests/") {
            continue;
        }
        // A folder that is not in the list of features is shared by several of them.
        let Some(place) = order.iter().position(|feature| *feature == own) else { continue };
        for other in &order[place + 1..] {
            if product(&text).contains(&format!("features::{other}")) {
                wrong.push(format!("{name} knows {other}, which comes after it"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn every_module_says_what_it_is() {
    let silent: Vec<String> =
        sources().into_iter().filter(|(_, text)| !text.starts_with("//! ")).map(|(name, _)| name).collect();
    assert!(silent.is_empty(), "{silent:?}");
}

#[test]
fn only_demo_data_and_tests_falsify_dates() {
    let liars: Vec<String> = sources()
        .into_iter()
        .filter(|(name, text)| product(text).contains("falsely_dated_for_demo(") && !name.ends_with("tests.rs"))
        .map(|(name, _)| name)
        .filter(|name| !name.starts_with("demo/") && !name.contains("/tests/") && name != "store/write.rs")
        .filter(|name| name != "tests/architecture.rs")
        .collect();
    assert!(liars.is_empty(), "{liars:?}");
}
