//! Additional translations, from a folder that the operator configures.

use std::{fs, path::Path};

use serde_json::{Map, Value};

use crate::kernel::i18n::is_built_in;

/// Largest translation file, in bytes.
const MAX_LANGUAGE_FILE_BYTES: u64 = 4 << 20;

/// An additional translation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Language {
    /// Its code, from the file name.
    pub code: String,
    /// The content of its file.
    pub file: String,
}

/// Reads the translations in a folder: each `.json` file must be valid. Other files are ignored.
/// Errors: A sentence for each invalid file, or for the folder if it cannot be read.
pub fn read_languages(folder: &Path) -> Result<Vec<Language>, Vec<String>> {
    let unread = |error: std::io::Error| vec![format!("{}: {error}", folder.display())];
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).map_err(unread)? {
        names.push(entry.map_err(unread)?.path());
    }
    names.sort();
    let files = names.iter().filter(|path| path.extension().is_some_and(|extension| extension == "json"));
    let mut languages = Vec::new();
    let mut faults = Vec::new();
    for path in files {
        match read(path) {
            Ok(language) => languages.push(language),
            Err(reason) => faults.push(format!("{}: {reason}", path.display())),
        }
    }
    if faults.is_empty() { Ok(languages) } else { Err(faults) }
}

fn read(path: &Path) -> Result<Language, String> {
    let code = path.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
    if !is_code(code) {
        return Err("expected a file named after a language, such as fr.json or pt-BR.json".to_owned());
    }
    if is_built_in(code) {
        return Err(format!("{code} is built in and cannot be replaced"));
    }
    let about = fs::metadata(path).map_err(|error| error.to_string())?;
    if !about.is_file() {
        return Err("this is no file".to_owned());
    }
    if about.len() > MAX_LANGUAGE_FILE_BYTES {
        return Err(format!("expected at most {} MiB", MAX_LANGUAGE_FILE_BYTES >> 20));
    }
    let file = fs::read_to_string(path).map_err(|error| error.to_string())?;
    let texts: Map<String, Value> =
        serde_json::from_str(&file).map_err(|error| format!("expected a JSON object of texts: {error}"))?;
    if let Some(key) = no_text(&texts) {
        return Err(format!("{key}: expected a text in quotes"));
    }
    Ok(Language { code: code.to_owned(), file })
}

/// Returns the full key of the first value that is neither a text nor a group of texts.
fn no_text(texts: &Map<String, Value>) -> Option<String> {
    texts.iter().find_map(|(key, value)| match value {
        Value::String(_) => None,
        Value::Object(group) => no_text(group).map(|inside| format!("{key}.{inside}")),
        _ => Some(key.clone()),
    })
}

/// Whether a code is `xx`, or `xx-YY` with a region.
fn is_code(code: &str) -> bool {
    let (language, region) = match code.split_once('-') {
        Some((language, region)) => (language, Some(region)),
        None => (code, None),
    };
    (2..=3).contains(&language.len())
        && language.bytes().all(|byte| byte.is_ascii_lowercase())
        && region.is_none_or(|region| region.len() == 2 && region.bytes().all(|byte| byte.is_ascii_uppercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            fs::write(folder.path().join(name), text).unwrap();
        }
        folder
    }

    #[test]
    fn reads_every_language_file_of_a_folder() {
        let folder = folder(&[
            ("pt-BR.json", "{}"),
            ("fr.json", r#"{"ui": {"action": {"add": "Ajouter"}}}"#),
            ("README.txt", "x"),
        ]);
        let codes: Vec<String> =
            read_languages(folder.path()).unwrap().into_iter().map(|language| language.code).collect();
        assert_eq!(codes, ["fr", "pt-BR"]);
    }

    #[test]
    fn reports_each_invalid_translation_file_with_its_reason() {
        let folder = folder(&[
            ("README.json", "{}"),
            ("de.json", "[]"),
            ("en.json", "{}"),
            ("it.json", "not JSON"),
            ("nl.json", r#"{"ui": {"action": {"add": 3}}}"#),
            ("fr.json", "{}"),
        ]);
        fs::create_dir(folder.path().join("sv.json")).unwrap();
        let faults = read_languages(folder.path()).unwrap_err();
        for (fault, (name, reason)) in faults.iter().zip([
            ("README.json", "expected a file named after a language"),
            ("de.json", "expected a JSON object of texts"),
            ("en.json", "en is built in"),
            ("it.json", "expected a JSON object of texts"),
            ("nl.json", "ui.action.add: expected a text in quotes"),
            ("sv.json", "this is no file"),
        ]) {
            assert!(fault.contains(&format!("/{name}: {reason}")), "{fault}");
        }
        assert_eq!(faults.len(), 6, "{faults:?}");
        let missing = folder.path().join("missing");
        assert!(read_languages(&missing).unwrap_err()[0].starts_with(&missing.display().to_string()));
    }
}
