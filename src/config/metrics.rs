//! Settings of the figures that only the operator sees.

use std::path::PathBuf;

use super::{Config, values::read_secret};
use crate::kernel::Result;

/// The shortest token, in characters.
const SHORTEST_TOKEN: usize = 16;

/// Who may see the figures, besides programs on this machine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Metrics {
    /// The file whose first line is the token that requests must have.
    pub token_file: Option<PathBuf>,
}

impl Metrics {
    /// Reads the token from its file.
    /// Errors: `internal` when the file cannot be read, or its first line is too short.
    pub fn token(&self) -> Result<Option<String>> {
        self.token_file.as_deref().map(|file| read_secret(file, str::trim, SHORTEST_TOKEN)).transpose()
    }
}

/// Returns the faults of the settings, by key and reason.
pub(super) fn faults(config: &Config) -> Vec<(&'static str, String)> {
    let mut faults = Vec::new();
    if let Err(error) = config.metrics.token() {
        faults.push(("metrics.token_file", error.detail().unwrap_or_default().to_owned()));
    }
    faults
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn rejects_unusable_tokens() {
        let folder = tempfile::tempdir().unwrap();
        let keys = |change: &dyn Fn(&mut Config)| {
            let mut config = Config::default();
            change(&mut config);
            faults(&config).into_iter().map(|(key, _)| key).collect::<Vec<_>>()
        };
        assert!(keys(&|_| {}).is_empty());
        let file = folder.path().join("token");
        for (text, is_fault) in [("too short\n", true), ("", true), ("a token that is long\nmore", false)] {
            fs::write(&file, text).unwrap();
            let found = keys(&|config| config.metrics.token_file = Some(file.clone()));
            assert_eq!(!found.is_empty(), is_fault, "{text:?}");
        }
        fs::remove_file(&file).unwrap();
        assert_eq!(keys(&|config| config.metrics.token_file = Some(file.clone())), ["metrics.token_file"]);
    }
}
