//! Why a command failed, in English.

use std::{collections::BTreeMap, fmt, io, path::Path};

use serde::{Deserialize, Serialize};

use super::password::PasswordError;
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

    /// Creates the failure of an error. Unlike a client, the operator also sees the internal detail; where nothing else is
    /// known, it is the message.
    pub fn of(error: &Error) -> Self {
        let fields = error.fields().iter();
        let fields = fields.map(|(path, words)| (path.clone(), say(Locale::EN, words.key, &words.params))).collect();
        Self { code: error.code().as_str().to_owned(), message: message(error), fields }
    }

    /// Returns the failure for data that cannot be opened.
    pub fn unreadable(error: &Error, folder: &Path) -> Self {
        let why = error.detail().unwrap_or_default();
        let folder = folder.display();
        let text = match error.code() {
            Code::Damaged => format!(
                "The store in {folder} is damaged and can't be opened ({why}). Restore the newest backup with `atrium restore FILE`; the current data is kept next to it."
            ),
            Code::Busy => format!("The store in {folder} can't be read ({why}). Check the disk and try again."),
            _ => return Self::of(error),
        };
        Self::new(error.code().as_str(), text)
    }

    /// Returns the failure for a data directory that cannot be taken.
    pub fn unopened(error: &Error, folder: &Path) -> Self {
        let detail = error.detail();
        if error.code() == Code::Busy {
            return Self::in_use(folder, detail);
        }
        match detail {
            Some(detail)
                if error.message().is_none() && error.explanation().is_none() && detail.contains("os error 13") =>
            {
                Self::denied(folder, &detail)
            }
            _ => Self::of(error),
        }
    }

    /// Returns the failure for a data directory that another process uses.
    fn in_use(folder: &Path, who: Option<&str>) -> Self {
        let folder = folder.display();
        let who = who.map(|who| format!(" ({who})")).unwrap_or_default();
        let text = format!(
            "Another process is using {folder}{who}. If it's another command, or a server that is starting or stopping, wait for it with --wait 60; otherwise stop it first."
        );
        Self::new("busy", text)
    }

    /// Returns the failure for a running server that cannot be asked.
    pub fn unanswered(error: &io::Error, folder: &Path) -> Self {
        if error.kind() == io::ErrorKind::PermissionDenied {
            return Self::denied(folder, error);
        }
        let folder = folder.display();
        Self::new("internal", format!("The server that runs on {folder} didn't answer: {error}"))
    }

    fn denied(folder: &Path, reason: &dyn fmt::Display) -> Self {
        let folder = folder.display();
        let text = format!(
            "Permission denied for {folder} ({reason}). Run the command as the user who owns this folder, or name another one with --data-dir."
        );
        Self::new("denied", text)
    }
}

fn message(error: &Error) -> String {
    let known = error.explanation().map(ToOwned::to_owned);
    let known = known.or_else(|| error.message().map(|words| say(Locale::EN, words.key, &words.params)));
    match (known, error.detail(), error.code()) {
        (None, Some(reason), Code::Internal) => format!("The command failed: {reason}"),
        (None, Some(reason), Code::Busy) => {
            format!("This can't be done right now: {reason}. Try again in a moment.")
        }
        (known, detail, code) => {
            let text = known.unwrap_or_else(|| say(Locale::EN, &format!("errors.{}", code.as_str()), &[]));
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
        let text = |error: Error| Failure::of(&error).to_string();
        let disk = text(Error::internal("/srv/x: No space left on device"));
        assert!(disk.contains("/srv/x: No space left on device") && !disk.contains("our side"), "{disk}");
        let busy = text(Error::new(Code::Busy).with_detail("a backup is put back"));
        assert!(busy.contains("a backup is put back") && !busy.contains("The server is busy"), "{busy}");
        assert_eq!(text(Error::new(Code::Busy)), say(Locale::EN, "errors.busy", &[]));
    }

    #[test]
    fn failure_text_lists_every_field() {
        let error = Error::field("slug", "errors.fields.taken").and_field("name", "errors.fields.required", Vec::new());
        let failure = Failure::of(&error);
        assert_eq!(failure.code, Code::Invalid.as_str());
        let text = failure.to_string();
        assert!(text.contains("\n  slug: ") && text.contains("\n  name: "), "{text}");
    }
}
