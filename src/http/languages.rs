//! The translations that the interface loads, each at `/i18n/<code>.json`.

use std::collections::BTreeMap;

use bytes::Bytes;

use super::asset::{ASK_FIRST, Asset};
use crate::kernel::words::{Locale, file};

/// The files of all languages on offer, by their names: nothing else can be asked for.
#[derive(Clone, Debug)]
pub struct Languages(BTreeMap<String, Asset>);

impl Languages {
    /// Those of the catalogue.
    #[must_use]
    pub fn of_catalogue() -> Self {
        let files = Locale::codes().into_iter().filter_map(|code| {
            let bytes = Bytes::from_static(file(code)?.as_bytes());
            Some((format!("{code}.json"), Asset::new("i18n.json", ASK_FIRST, bytes).pack()))
        });
        Self(files.collect())
    }

    /// The file with exactly this name.
    pub(super) fn find(&self, name: &str) -> Option<&Asset> {
        self.0.get(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::words::add;

    #[test]
    fn a_file_is_found_by_its_exact_name_only() {
        add("pt-BR", "{}");
        let languages = Languages::of_catalogue();
        for name in ["en.json", "es.json", "pt-BR.json"] {
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
}
