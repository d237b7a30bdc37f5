//! Translations of the user interface, each at `/i18n/<code>.json`.

use std::collections::BTreeMap;

use bytes::Bytes;
use parking_lot::RwLock;

use super::asset::{Asset, CACHE_REVALIDATE};
use crate::kernel::i18n::{Locale, file, generation};

/// The files of all languages, by name; no other name is served. Rebuilt when the catalogue changes.
#[derive(Debug)]
pub struct Languages(RwLock<Option<Files>>);

#[derive(Clone, Debug)]
struct Files {
    generation: u64,
    by_name: BTreeMap<String, Asset>,
}

impl Files {
    fn of_catalogue() -> Self {
        let generation = generation();
        let files = Locale::codes().into_iter().filter_map(|code| {
            let bytes = Bytes::from_static(file(code)?.as_bytes());
            Some((format!("{code}.json"), Asset::new("i18n.json", CACHE_REVALIDATE, bytes).pack()))
        });
        Self { generation, by_name: files.collect() }
    }
}

impl Languages {
    /// Serves the files of the catalogue's languages. They are made for the first request, because a start needs none.
    pub fn of_catalogue() -> Self {
        Self(RwLock::new(None))
    }

    /// Returns the file with exactly this name.
    pub(super) fn find(&self, name: &str) -> Option<Asset> {
        if let Some(files) = self.0.read().as_ref().filter(|files| files.generation == generation()) {
            return files.by_name.get(name).cloned();
        }
        let files = Files::of_catalogue();
        let found = files.by_name.get(name).cloned();
        *self.0.write() = Some(files);
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::i18n::add;

    #[test]
    fn finds_a_file_only_by_its_exact_name() {
        add("fr-BE", "{}");
        let languages = Languages::of_catalogue();
        for name in ["en.json", "es.json", "fr-BE.json"] {
            assert!(languages.find(name).is_some(), "{name}");
        }
        for name in [
            "en",
            "EN.json",
            "../en.json",
            "en.json/",
            "./en.json",
            "en.json.json",
            "",
            ".json",
            "en.json\0",
            "fr.json",
        ] {
            assert!(languages.find(name).is_none(), "{name}");
        }
    }

    #[test]
    fn changed_translation_is_served_without_a_restart() {
        add("fr-CA", r#"{"ui": {"a": "avant"}}"#);
        let languages = Languages::of_catalogue();
        let text = |languages: &Languages| format!("{:?}", languages.find("fr-CA.json").unwrap());
        let before = text(&languages);
        assert_eq!(before, text(&languages));
        add("fr-CA", r#"{"ui": {"a": "après"}}"#);
        assert_ne!(before, text(&languages));
    }
}
