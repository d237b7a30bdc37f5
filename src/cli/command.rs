//! What the operator can ask of the data, and what is answered: the same whether a server runs and is
//! asked through its socket, or the store is opened on the spot.

use std::{collections::BTreeMap, fmt, path::PathBuf};

use serde::{Deserialize, Serialize};

use crate::{
    features::operator::companies::Changes,
    kernel::{
        Code, Error,
        i18n::{Locale, say},
    },
};

/// A password on its way to being hashed; never shown.
#[derive(Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Password(pub String);

impl fmt::Debug for Password {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("********")
    }
}

/// What the operator asks.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "command", content = "arguments")]
pub enum Command {
    /// Make a company and its owner.
    CreateTenant(NewTenant),
    /// All companies.
    ListTenants,
    /// One company.
    ShowTenant {
        /// Its slug.
        slug: String,
    },
    /// Add a person to a company.
    CreateUser(NewUser),
    /// The people of a company.
    ListUsers {
        /// Its slug.
        tenant: String,
    },
    /// Give a person a new password.
    SetPassword(SetPassword),
    /// Change a company.
    UpdateTenant(ChangedTenant),
    /// Keep all people of a company out.
    SuspendTenant {
        /// Its slug.
        slug: String,
    },
    /// Let them in again.
    ResumeTenant {
        /// Its slug.
        slug: String,
    },
    /// Erase a company with all that is its.
    DeleteTenant {
        /// Its slug.
        slug: String,
    },
    /// Write everything of a company into a file.
    ExportTenant {
        /// Its slug.
        slug: String,
        /// The file, by its absolute path.
        file: PathBuf,
    },
    /// Bring a company in from its file.
    ImportTenant {
        /// The file, by its absolute path.
        file: PathBuf,
        /// Its slug here; the one that it had when not given.
        slug: Option<String>,
    },
    /// Write the whole installation into a file.
    Backup(Archive),
    /// Put a backup back.
    Restore(Restoration),
    /// Ask somebody in by mail.
    InviteUser(Invitation),
    /// Give a person another role.
    SetRole {
        /// Who.
        #[serde(flatten)]
        who: Person,
        /// The role's word.
        role: String,
    },
    /// Keep a person out.
    SuspendUser(Person),
    /// Let them in again.
    ResumeUser(Person),
    /// The sessions of a person.
    ListSessions(Person),
    /// End all of them.
    EndSessions(Person),
    /// Sign access tokens with a new key.
    RotateKeys {
        /// Whether the one before is good no more.
        at_once: bool,
    },
    /// The letters, and how they stand.
    ListMail,
    /// Try whether mail goes out.
    SendTest {
        /// Where to.
        address: String,
        /// The code of the language it is written in.
        locale: String,
    },
    /// Verify store and index.
    Check,
    /// Mend what is damaged.
    Repair(Repair),
    /// Build the search index anew.
    Reindex,
    /// Give unused room back to the disk.
    Compact,
    /// Whether the server can take requests.
    Health,
}

impl Command {
    /// Whether it may be what a new installation begins with. All others need one that is there.
    #[must_use]
    pub const fn creates(&self) -> bool {
        matches!(self, Self::CreateTenant(_) | Self::ImportTenant { .. } | Self::Restore(_))
    }
}

/// A company to make.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NewTenant {
    /// DNS label, unique on the installation.
    pub slug: String,
    /// Its name.
    pub name: String,
    /// Its owner's name.
    pub owner_name: String,
    /// Its owner's address.
    pub owner_email: String,
    /// Its owner's password.
    pub owner_password: Password,
    /// One of the colour schemes; the default one when not given.
    pub color_scheme: Option<String>,
    /// Its language; English when not given.
    pub locale: Option<String>,
    /// Its time zone; UTC when not given.
    pub timezone: Option<String>,
    /// Host names under which it is found.
    pub domains: Vec<String>,
}

/// A person to add.
#[derive(Debug, Serialize, Deserialize)]
pub struct NewUser {
    /// The company's slug.
    pub tenant: String,
    /// The name.
    pub name: String,
    /// The address.
    pub email: String,
    /// The role's word.
    pub role: String,
    /// The password.
    pub password: Password,
}

/// A password to set.
#[derive(Debug, Serialize, Deserialize)]
pub struct SetPassword {
    /// The company's slug.
    pub tenant: String,
    /// The person's address.
    pub email: String,
    /// The new password.
    pub password: Password,
}

/// What of a company becomes another.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ChangedTenant {
    /// The company, by its slug.
    pub tenant: String,
    /// What it becomes.
    pub changes: Changes,
}

/// A person to ask in.
#[derive(Debug, Serialize, Deserialize)]
pub struct Invitation {
    /// The company's slug.
    pub tenant: String,
    /// The address.
    pub email: String,
    /// The name, when it is known.
    pub name: Option<String>,
    /// The role's word.
    pub role: String,
}

/// A file of the whole installation.
#[derive(Debug, Serialize, Deserialize)]
pub struct Archive {
    /// The file, by its absolute path.
    pub file: PathBuf,
    /// What it is sealed by, when it is.
    pub passphrase: Option<Password>,
}

/// A backup to put back.
#[derive(Debug, Serialize, Deserialize)]
pub struct Restoration {
    /// The file.
    #[serde(flatten)]
    pub archive: Archive,
    /// How many folders with what was replaced stay; all when not given.
    #[serde(default)]
    pub keep: Option<usize>,
}

/// How damaged records are mended.
#[derive(Debug, Serialize, Deserialize)]
pub struct Repair {
    /// The backup that copies come from.
    pub from: Option<Archive>,
    /// Whether what has no copy is given up.
    pub drop: bool,
    /// Whether it is done, and not only said.
    pub yes: bool,
}

/// A person that there is.
#[derive(Debug, Serialize, Deserialize)]
pub struct Person {
    /// The company's slug.
    pub tenant: String,
    /// The address.
    pub email: String,
}

/// Why something was not done, in words for people.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// The code of the catalogue.
    pub code: String,
    /// A sentence.
    pub message: String,
    /// What is wrong with which field.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub fields: BTreeMap<String, String>,
}

impl Failure {
    /// An error in the operator's language. The operator, unlike a client, is told what happened inside: where that
    /// is all that is known, it is the message.
    #[must_use]
    pub fn new(error: &Error, locale: Locale) -> Self {
        let key = match error.code() {
            Code::Internal => "server.cli.failed",
            Code::Busy => "server.cli.failed_now",
            _ => "",
        };
        let message = match (error.words(), error.detail()) {
            (Some(words), None) => say(locale, words.key, &words.gaps),
            (Some(words), Some(detail)) => format!("{} ({detail})", say(locale, words.key, &words.gaps)),
            (None, Some(detail)) if !key.is_empty() => say(locale, key, &[("reason", detail.to_owned())]),
            (None, detail) => {
                let words = say(locale, &format!("errors.{}", error.code().as_str()), &[]);
                detail.map_or_else(|| words.clone(), |detail| format!("{words} ({detail})"))
            }
        };
        let fields = error.fields().iter();
        let fields = fields.map(|(path, words)| (path.clone(), say(locale, words.key, &words.gaps))).collect();
        Self { code: error.code().as_str().to_owned(), message, fields }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_are_never_shown() {
        let command = Command::SetPassword(SetPassword {
            tenant: "acme".into(),
            email: "ada@acme.example".into(),
            password: Password("canary".into()),
        });
        assert!(!format!("{command:?}").contains("canary"));
    }

    #[test]
    fn a_failure_says_what_is_known_of_it() {
        let text = |error: Error| Failure::new(&error, Locale::EN).to_string();
        let disk = text(Error::internal("/srv/x: No space left on device"));
        assert!(disk.contains("/srv/x: No space left on device") && !disk.contains("our side"), "{disk}");
        let busy = text(Error::new(Code::Busy).with_detail("a backup is put back"));
        assert!(busy.contains("a backup is put back") && !busy.contains("The server is busy"), "{busy}");
        assert_eq!(text(Error::new(Code::Busy)), say(Locale::EN, "errors.busy", &[]));
    }

    #[test]
    fn a_failure_tells_every_field() {
        let error = Error::field("slug", "errors.fields.taken").and_field("name", "errors.fields.required", Vec::new());
        let failure = Failure::new(&error, Locale::EN);
        assert_eq!(failure.code, Code::Invalid.as_str());
        let text = failure.to_string();
        assert!(text.contains("\n  slug: ") && text.contains("\n  name: "), "{text}");
    }
}
