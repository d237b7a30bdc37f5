//! Architecture tests: modules import only from lower layers, a feature uses only features listed before it, rules and
//! records know no requests and responses, and no index number is used twice.
//!
//! Imports are found in the tokens of the code, so that grouped imports, aliases, full paths and macros count, and
//! comments and strings do not.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use proc_macro2::{Delimiter, TokenStream, TokenTree};

use super::sources;

/// The layers, the lowest first. Modules of the same layer may not use each other.
const LAYERS: [&[&str]; 11] = [
    &["kernel"],
    &["formats"],
    &["store", "config"],
    &["index", "live", "mail"],
    &["people", "fairness", "wire"],
    &["access"],
    &["feature"],
    &["features"],
    &["http", "jobs", "demo"],
    &["monitoring"],
    &["app"],
];

/// Parts of `wire` that are values, not requests or responses.
const VALUES: [&str; 2] = ["crate::wire::Paging", "crate::wire::NotNull"];

fn layer(module: &str) -> Option<usize> {
    LAYERS.iter().position(|modules| modules.contains(&module))
}

/// A file of the product without its test modules.
pub(super) struct Source {
    /// Its path below `src`.
    pub(super) name: String,
    pub(super) tokens: Vec<TokenTree>,
    /// Path of its module below the crate.
    module: Vec<String>,
}

type Path = Vec<String>;

/// Returns the product's files; test files and `testing.rs` are left out.
pub(super) fn product() -> Vec<Source> {
    let is_test =
        |name: &str| name == "testing.rs" || name.split('/').any(|part| part == "tests.rs" || part == "tests");
    let files = sources().into_iter().filter(|(name, _)| !is_test(name));
    let mut found = Vec::new();
    for (name, text) in files {
        let stream: TokenStream = text.parse().unwrap();
        let tokens = without_tests(stream.into_iter().collect());
        let module = name.trim_end_matches(".rs").split('/').filter(|part| !["mod", "lib", "main"].contains(part));
        let module = module.map(str::to_owned).collect();
        found.push(Source { name, tokens, module });
    }
    found
}

/// Removes the items after `#[cfg(test)]`.
fn without_tests(tokens: Vec<TokenTree>) -> Vec<TokenTree> {
    let mut kept: Vec<TokenTree> = Vec::new();
    let mut tokens = tokens.into_iter();
    while let Some(token) = tokens.next() {
        if matches!(&token, TokenTree::Group(group) if group.stream().to_string().replace(' ', "") == "cfg(test)") {
            kept.pop();
            let ends = |token: &TokenTree| match token {
                TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
                TokenTree::Punct(punct) => punct.as_char() == ';',
                _ => false,
            };
            tokens.by_ref().find(ends);
        } else {
            kept.push(token);
        }
    }
    kept
}

impl Source {
    /// Returns all paths that the file names, from the crate's root or another crate's name.
    fn paths(&self) -> BTreeSet<Path> {
        let mut found = Vec::new();
        collect(&self.tokens, &[], &mut found);
        let mut aliases: HashMap<String, Path> = HashMap::new();
        for path in found.iter().filter(|path| path.len() > 1) {
            let name = if path.last().unwrap() == "self" { &path[path.len() - 2] } else { path.last().unwrap() };
            aliases.entry(name.clone()).or_insert_with(|| self.absolute(path));
        }
        let resolve = |path: &Path| match aliases.get(&path[0]) {
            Some(alias) if !["crate", "super", "self"].contains(&path[0].as_str()) && alias[0] == "crate" => {
                [alias.as_slice(), &path[1..]].concat()
            }
            _ => self.absolute(path),
        };
        found.iter().map(resolve).collect()
    }

    fn absolute(&self, path: &Path) -> Path {
        let up = path.iter().take_while(|part| *part == "super").count();
        let own = self.module.len().saturating_sub(up);
        let base = || std::iter::once("crate".to_owned()).chain(self.module[..own].iter().cloned());
        match path[0].as_str() {
            "super" => base().chain(path[up..].iter().cloned()).collect(),
            "self" => base().chain(path[1..].iter().cloned()).collect(),
            _ => path.clone(),
        }
    }

    /// Returns the modules of the crate that the file uses: each path without `crate`.
    fn uses(&self) -> BTreeSet<Path> {
        let paths = self.paths().into_iter();
        paths.filter(|path| path[0] == "crate" && path.len() > 1).map(|path| path[1..].to_vec()).collect()
    }
}

/// Collects the paths in `tokens`; `prefix` is the path before a group of imports.
fn collect(tokens: &[TokenTree], prefix: &[String], found: &mut Vec<Path>) {
    let mut at = 0;
    while at < tokens.len() {
        match &tokens[at] {
            TokenTree::Ident(ident) => {
                let mut path = prefix.to_vec();
                path.push(ident.to_string());
                at += 1;
                while is_separator(tokens, at) {
                    match tokens.get(at + 2) {
                        Some(TokenTree::Ident(next)) => path.push(next.to_string()),
                        Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace => {
                            collect(&group.stream().into_iter().collect::<Vec<_>>(), &path, found);
                        }
                        _ => {}
                    }
                    at += 3;
                }
                found.push(path);
            }
            TokenTree::Group(group) => {
                collect(&group.stream().into_iter().collect::<Vec<_>>(), &[], found);
                at += 1;
            }
            _ => at += 1,
        }
    }
}

fn is_separator(tokens: &[TokenTree], at: usize) -> bool {
    let is_colon = |token: Option<&TokenTree>| matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == ':');
    is_colon(tokens.get(at)) && is_colon(tokens.get(at + 1))
}

#[test]
fn modules_import_only_from_lower_layers() {
    let mut wrong = Vec::new();
    for source in product() {
        let Some(module) = source.module.first().filter(|module| layer(module).is_some()) else { continue };
        let own = layer(module);
        let others: BTreeSet<String> = source.uses().into_iter().map(|path| path[0].clone()).collect();
        for other in others.iter().filter(|other| *other != module) {
            if layer(other).is_some() && layer(other) >= own {
                wrong.push(format!("{} uses {other}", source.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn only_the_store_uses_redb_and_only_the_index_uses_tantivy() {
    for (engine, module) in [("redb", "store"), ("tantivy", "index")] {
        let uses = |source: &Source| source.paths().iter().any(|path| path[0] == engine);
        let users = product()
            .into_iter()
            .filter(|source| uses(source) && source.module.first().is_none_or(|own| own != module));
        let names: Vec<String> = users.map(|source| source.name).collect();
        assert!(names.is_empty(), "{engine} is used outside {module}: {names:?}");
    }
}

#[test]
fn rules_and_models_do_not_use_http_types() {
    let mut wrong = Vec::new();
    for source in product() {
        let is_rule = source.module.first().is_some_and(|top| top == "features")
            && source.module[1..].iter().any(|part| part == "rules" || part == "model");
        if !is_rule {
            continue;
        }
        for path in source.paths() {
            let path = path.join("::");
            let is_http =
                ["poem::", "http::", "crate::http::", "crate::wire::"].iter().any(|start| path.starts_with(start));
            if is_http && !VALUES.contains(&path.as_str()) {
                wrong.push(format!("{} uses {path}", source.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn features_use_only_features_listed_before_them() {
    let order: Vec<&str> = crate::features::FEATURES.iter().map(|feature| feature.name).collect();
    let place = |feature: &str| order.iter().position(|name| *name == feature);
    let mut dependencies = BTreeSet::new();
    for source in product() {
        let [top, own, ..] = source.module.as_slice() else { continue };
        for path in source.uses() {
            if top == "features" && path[0] == "features" && path.len() > 1 && path[1] != *own {
                dependencies.insert((own.clone(), path[1].clone(), source.name.clone()));
            }
        }
    }
    let later = |own: &str, other: &str| place(own).zip(place(other)).is_some_and(|(own, other)| other > own);
    let wrong: Vec<_> = dependencies.iter().filter(|(own, other, _)| later(own, other)).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    let pairs: BTreeSet<_> = dependencies.iter().map(|(own, other, _)| (own, other)).collect();
    assert!(pairs.len() > 40, "the test sees only {} dependencies between features", pairs.len());
}

#[test]
fn store_files_have_no_import_cycles() {
    let files: Vec<Source> =
        product().into_iter().filter(|source| source.module.len() == 2 && source.module[0] == "store").collect();
    let names: BTreeSet<String> = files.iter().map(|source| source.module[1].clone()).collect();
    let mut imports: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for source in files {
        let others =
            source.uses().into_iter().filter(|path| path[0] == "store" && path.len() > 2).map(|path| path[1].clone());
        let others = others.filter(|other| names.contains(other) && *other != source.module[1]);
        imports.insert(source.module[1].clone(), others.collect());
    }
    assert!(imports["write"].contains("codec") && imports["kinds"].contains("repair"), "{imports:#?}");
    while let Some(done) = imports.iter().find(|(_, others)| others.is_empty()).map(|(name, _)| name.clone()) {
        imports.remove(&done);
        for others in imports.values_mut() {
            others.remove(&done);
        }
    }
    assert!(imports.is_empty(), "in a loop, or above one: {imports:#?}");
}

#[test]
fn index_numbers_are_unique() {
    let mut names: BTreeMap<u64, Vec<String>> = BTreeMap::new();
    // A migration step repeats the numbers of its time.
    for source in product().into_iter().filter(|source| source.name != "store/steps.rs") {
        let text = TokenStream::from_iter(source.tokens.clone()).to_string();
        for constant in text.split("const ").skip(1) {
            let Some((name, rest)) = constant.split_once(" : u16 = ") else { continue };
            let number = rest.split(';').next().unwrap_or_default().trim().replace('_', "");
            if let Ok(number) = number.parse::<u64>()
                && number > 1_000
            {
                names.entry(number).or_default().push(format!("{name} in {}", source.name));
            }
        }
    }
    assert!(names.len() > 40, "the test sees only {} index numbers", names.len());
    names.retain(|_, users| users.len() > 1);
    assert!(names.is_empty(), "{names:#?}");
}

#[test]
fn every_module_starts_with_a_doc_comment() {
    let silent: Vec<String> =
        sources().into_iter().filter(|(_, text)| !text.starts_with("//! ")).map(|(name, _)| name).collect();
    assert!(silent.is_empty(), "{silent:?}");
}

#[test]
fn only_demo_data_falsifies_dates() {
    let falsify = vec!["falsely_dated_for_demo".to_owned()];
    let names = product().into_iter().filter(|source| source.paths().contains(&falsify)).map(|source| source.name);
    let names: Vec<String> = names.filter(|name| !name.starts_with("demo/") && name != "store/write.rs").collect();
    assert!(names.is_empty(), "{names:?}");
}

#[test]
fn names_in_the_data_directory_come_from_their_register() {
    let is_test = |name: &str| name.contains("tests") || name == "testing.rs";
    let places = ["data_dir.join(\"", "home.path().join(\"", "home.join(\""];
    for (name, text) in sources().iter().filter(|(name, _)| !is_test(name)) {
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        let found = places.iter().find(|place| code.contains(**place));
        assert_eq!(found, None, "{name}: use a name of store/entries.rs, so that the doctor knows it");
    }
}
