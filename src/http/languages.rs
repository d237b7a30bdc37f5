//! The translations that the interface loads: those built in, and those an operator put into the
//! folder that the configuration names.

use std::{
    collections::BTreeMap,
    io,
    path::{Path, PathBuf},
};

use bytes::Bytes;

use super::asset::{ASK_FIRST, Asset};
use crate::kernel::words::{Locale, file};

/// The largest translation file taken, in bytes.
const LARGEST: u64 = 4 << 20;

/// All languages on offer.
#[derive(Clone, Debug)]
pub struct Languages(BTreeMap<String, Asset>);

impl Languages {
    /// The languages built in, and those of the operator's folder. A file there that is no
    /// translation (`xx.json` or `xx-YY.json`, a JSON object), or that names a language built in,
    /// is passed over with a warning.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn load(folder: Option<&Path>) -> io::Result<Self> {
        let mut languages = BTreeMap::new();
        for code in Locale::codes() {
            let text = file(code).unwrap_or_default();
            languages.insert(code.to_owned(), asset(Bytes::from_static(text.as_bytes())));
        }
        let paths: Vec<PathBuf> = match folder {
            Some(folder) => std::fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?,
            None => Vec::new(),
        };
        for path in paths {
            match further(&path) {
                Some((code, bytes)) if !languages.contains_key(&code) => {
                    languages.insert(code, asset(bytes));
                }
                _ => tracing::warn!(file = %path.display(), "this is no further translation"),
            }
        }
        Ok(Self(languages))
    }

    /// The codes of all languages, in alphabetical order.
    pub fn codes(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// The file with exactly this name.
    pub(super) fn find(&self, name: &str) -> Option<&Asset> {
        self.0.get(name.strip_suffix(".json")?)
    }
}

fn asset(bytes: Bytes) -> Asset {
    Asset::new("i18n.json", ASK_FIRST, bytes).pack()
}

/// A translation of the operator's, when the file is one.
fn further(path: &Path) -> Option<(String, Bytes)> {
    let code = path.file_name()?.to_str()?.strip_suffix(".json")?;
    if !is_code(code) || std::fs::metadata(path).ok()?.len() > LARGEST {
        return None;
    }
    let text = std::fs::read_to_string(path).ok()?;
    serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(&text).ok()?;
    Some((code.to_owned(), Bytes::from(text)))
}

/// `xx`, or `xx-YY` with a region.
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

    #[test]
    fn the_operator_s_languages_are_offered_beside_those_built_in() {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in [
            ("fr.json", "{\"ui\": {}}"),
            ("pt-BR.json", "{}"),
            ("en.json", "{\"ui\": \"not taken\"}"),
            ("it.json", "not JSON"),
            ("de.json", "[]"),
            ("README.json", "{}"),
            ("nl.txt", "{}"),
        ] {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        std::fs::create_dir(folder.path().join("sv.json")).unwrap();
        let languages = Languages::load(Some(folder.path())).unwrap();
        assert_eq!(languages.codes().collect::<Vec<_>>(), ["en", "es", "fr", "pt-BR"]);
        for name in ["en.json", "es.json", "fr.json", "pt-BR.json"] {
            assert!(languages.find(name).is_some(), "{name}");
        }
        for name in ["en", "EN.json", "../en.json", "en.json/", "./en.json", "en.json.json", "", ".json", "en.json\0"] {
            assert!(languages.find(name).is_none(), "{name}");
        }
        assert!(Languages::load(Some(&folder.path().join("missing"))).is_err());
    }
}
