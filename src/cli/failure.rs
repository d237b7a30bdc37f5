//! Why a command failed, in the operator's language.

use std::{collections::BTreeMap, fmt, io, path::Path};

use serde::{Deserialize, Serialize};

use super::{output::sentence, password::PasswordError};
use crate::{
    config::Faults,
    kernel::{
        Code, Error,
        i18n::{Locale, say},
    },
};

/// Why a command failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// The error code of the catalogue.
    pub code: String,
    /// The message, a sentence. Empty when the printed answer says why.
    pub message: String,
    /// The messages of invalid fields, by field.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub fields: BTreeMap<String, String>,
}

impl Failure {
    /// Creates a failure without fields.
    pub fn new(code: &str, message: impl Into<String>) -> Self {
        Self { code: code.to_owned(), message: message.into(), fields: BTreeMap::new() }
    }

    /// Creates a failure of this process.
    pub fn internal(error: impl fmt::Display) -> Self {
        Self::new("internal", error.to_string())
    }

    /// Creates a failure in the operator's language. Unlike a client, the operator also sees the internal detail; where
    /// nothing else is known, it is the message.
    pub fn of(error: &Error, locale: Locale) -> Self {
        let fields = error.fields().iter();
        let fields = fields.map(|(path, words)| (path.clone(), say(locale, words.key, &words.params))).collect();
        Self { code: error.code().as_str().to_owned(), message: message(error, locale), fields }
    }

    /// Returns the failure for data that cannot be opened.
    pub fn unreadable(error: &Error, folder: &Path, locale: Locale) -> Self {
        let key = match error.code() {
            Code::Damaged => "server.cli.store_damaged",
            Code::Busy => "server.cli.store_unreadable",
            _ => return Self::of(error, locale),
        };
        let why = error.detail().unwrap_or_default();
        Self::new(error.code().as_str(), sentence(locale, key, &[("folder", &folder.display()), ("why", &why)]))
    }

    /// Returns the failure for a data directory that cannot be taken.
    pub fn unopened(error: &Error, folder: &Path, locale: Locale) -> Self {
        let detail = error.detail();
        if error.code() == Code::Busy {
            let in_use = about(folder, "server.cli.in_use", locale);
            return Self::new("busy", detail.map_or_else(|| in_use.clone(), |detail| format!("{in_use} ({detail})")));
        }
        match detail {
            Some(detail) if error.message().is_none() && detail.contains("os error 13") => {
                Self::denied(folder, &detail, locale)
            }
            _ => Self::of(error, locale),
        }
    }

    /// Returns the failure for a running server that cannot be asked.
    pub fn unanswered(error: &io::Error, folder: &Path, locale: Locale) -> Self {
        if error.kind() == io::ErrorKind::PermissionDenied {
            return Self::denied(folder, error, locale);
        }
        let params: [(_, &dyn fmt::Display); 2] = [("folder", &folder.display()), ("reason", error)];
        Self::new("internal", sentence(locale, "server.cli.no_answer", &params))
    }

    fn denied(folder: &Path, reason: &dyn fmt::Display, locale: Locale) -> Self {
        let params: [(_, &dyn fmt::Display); 2] = [("folder", &folder.display()), ("reason", reason)];
        Self::new("denied", sentence(locale, "server.cli.denied", &params))
    }
}

/// Returns a text about a data directory.
pub fn about(folder: &Path, key: &str, locale: Locale) -> String {
    sentence(locale, key, &[("folder", &folder.display())])
}

fn message(error: &Error, locale: Locale) -> String {
    let known = error.message().map(|words| say(locale, words.key, &words.params));
    let general = match error.code() {
        Code::Internal => Some("server.cli.failed"),
        Code::Busy => Some("server.cli.failed_now"),
        _ => None,
    };
    match (known, error.detail(), general) {
        (None, Some(detail), Some(key)) => sentence(locale, key, &[("reason", &detail)]),
        (known, detail, _) => {
            let text = known.unwrap_or_else(|| say(locale, &format!("errors.{}", error.code().as_str()), &[]));
            detail.map_or_else(|| text.clone(), |detail| format!("{text} ({detail})"))
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        for (field, message) in &self.fields {
            write!(f, "\n  {field}: {message}")?;
        }
        Ok(())
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::internal(error)
    }
}

impl From<Faults> for Failure {
    fn from(faults: Faults) -> Self {
        Self::new("configuration", faults.to_string())
    }
}

impl From<PasswordError> for Failure {
    fn from(error: PasswordError) -> Self {
        Self::new("bad_request", error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failure_text_prefers_the_detail_over_the_general_message() {
        let text = |error: Error| Failure::of(&error, Locale::EN).to_string();
        let disk = text(Error::internal("/srv/x: No space left on device"));
        assert!(disk.contains("/srv/x: No space left on device") && !disk.contains("our side"), "{disk}");
        let busy = text(Error::new(Code::Busy).with_detail("a backup is put back"));
        assert!(busy.contains("a backup is put back") && !busy.contains("The server is busy"), "{busy}");
        assert_eq!(text(Error::new(Code::Busy)), say(Locale::EN, "errors.busy", &[]));
    }

    #[test]
    fn failure_text_lists_every_field() {
        let error = Error::field("slug", "errors.fields.taken").and_field("name", "errors.fields.required", Vec::new());
        let failure = Failure::of(&error, Locale::EN);
        assert_eq!(failure.code, Code::Invalid.as_str());
        let text = failure.to_string();
        assert!(text.contains("\n  slug: ") && text.contains("\n  name: "), "{text}");
    }
}
