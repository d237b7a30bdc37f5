//! Operator commands and their failures, the same for a running server, through its socket, and for a stopped store.

use std::{collections::BTreeMap, fmt, path::PathBuf};

use serde::{Deserialize, Serialize};

use crate::{
    features::operator::companies::Changes,
    kernel::{
        Code, Error,
        i18n::{Locale, say},
    },
};

/// A password that is still to be hashed. `Debug` hides it.
#[derive(Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Password(pub String);

impl fmt::Debug for Password {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("********")
    }
}

/// A command of the operator.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "command", content = "arguments")]
pub enum Command {
    /// Create a tenant and its owner.
    CreateTenant(NewTenant),
    /// List all tenants.
    ListTenants,
    /// Show a tenant.
    ShowTenant {
        /// The tenant's slug.
        slug: String,
    },
    /// Create a member.
    CreateUser(NewUser),
    /// List the members of a tenant.
    ListUsers {
        /// The tenant's slug.
        tenant: String,
    },
    /// Set a member's password.
    SetPassword(SetPassword),
    /// Change a tenant.
    UpdateTenant(ChangedTenant),
    /// Suspend a tenant: its members cannot sign in.
    SuspendTenant {
        /// The tenant's slug.
        slug: String,
    },
    /// Resume a tenant.
    ResumeTenant {
        /// The tenant's slug.
        slug: String,
    },
    /// Delete a tenant with all its data.
    DeleteTenant {
        /// The tenant's slug.
        slug: String,
    },
    /// Export a tenant to a file.
    ExportTenant {
        /// The tenant's slug.
        slug: String,
        /// The absolute path of the file.
        file: PathBuf,
    },
    /// Import a tenant from a file.
    ImportTenant {
        /// The absolute path of the file.
        file: PathBuf,
        /// The tenant's slug here; by default the one in the file.
        slug: Option<String>,
    },
    /// Back up the whole installation to a file.
    Backup(Archive),
    /// Restore a backup.
    Restore(Restoration),
    /// Invite a member by e-mail.
    InviteUser(Invitation),
    /// Change a member's role.
    SetRole {
        /// The member.
        #[serde(flatten)]
        who: Person,
        /// The role.
        role: String,
    },
    /// Suspend a member.
    SuspendUser(Person),
    /// Resume a member.
    ResumeUser(Person),
    /// List the sessions of a member.
    ListSessions(Person),
    /// End all sessions of a member.
    EndSessions(Person),
    /// Sign access tokens with a new key.
    RotateKeys {
        /// Whether the previous key becomes invalid at once.
        at_once: bool,
    },
    /// List the e-mails and their states.
    ListMail,
    /// Send a test e-mail.
    SendTest {
        /// The recipient's address.
        address: String,
        /// The code of the e-mail's language.
        locale: String,
    },
    /// Verify store, index and uploads.
    Check,
    /// Repair damaged data.
    Repair(Repair),
    /// Rebuild the search index.
    Reindex,
    /// Give unused space back to the disk.
    Compact,
    /// Return the health of the server.
    Health,
}

impl Command {
    /// Whether the command can create an installation. All other commands need an existing one.
    #[must_use]
    pub const fn creates(&self) -> bool {
        matches!(self, Self::CreateTenant(_) | Self::ImportTenant { .. } | Self::Restore(_))
    }
}

/// A tenant to create.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NewTenant {
    /// A DNS label, unique in the installation.
    pub slug: String,
    /// The name.
    pub name: String,
    /// The owner's name.
    pub owner_name: String,
    /// The owner's e-mail address.
    pub owner_email: String,
    /// The owner's password.
    pub owner_password: Password,
    /// The name of a colour scheme; the default one when `None`.
    pub color_scheme: Option<String>,
    /// The code of the language; English by default.
    pub locale: Option<String>,
    /// The name of the time zone; UTC by default.
    pub timezone: Option<String>,
    /// The host names of the tenant.
    pub domains: Vec<String>,
}

/// A member to create.
#[derive(Debug, Serialize, Deserialize)]
pub struct NewUser {
    /// The tenant's slug.
    pub tenant: String,
    /// The name.
    pub name: String,
    /// The e-mail address.
    pub email: String,
    /// The role.
    pub role: String,
    /// The password.
    pub password: Password,
}

/// A password to set.
#[derive(Debug, Serialize, Deserialize)]
pub struct SetPassword {
    /// The tenant's slug.
    pub tenant: String,
    /// The member's e-mail address.
    pub email: String,
    /// The new password.
    pub password: Password,
}

/// Changes of a tenant.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ChangedTenant {
    /// The tenant's slug.
    pub tenant: String,
    /// The new values.
    pub changes: Changes,
}

/// A member to invite.
#[derive(Debug, Serialize, Deserialize)]
pub struct Invitation {
    /// The tenant's slug.
    pub tenant: String,
    /// The e-mail address.
    pub email: String,
    /// The name, if known.
    pub name: Option<String>,
    /// The role.
    pub role: String,
}

/// A backup file.
#[derive(Debug, Serialize, Deserialize)]
pub struct Archive {
    /// The absolute path of the file.
    pub file: PathBuf,
    /// The passphrase of an encrypted file.
    pub passphrase: Option<Password>,
}

/// A backup to restore.
#[derive(Debug, Serialize, Deserialize)]
pub struct Restoration {
    /// The file.
    #[serde(flatten)]
    pub archive: Archive,
    /// How many folders with replaced data are kept; all by default.
    #[serde(default)]
    pub keep: Option<usize>,
}

/// Options of a repair.
#[derive(Debug, Serialize, Deserialize)]
pub struct Repair {
    /// The backup to take intact copies from.
    pub from: Option<Archive>,
    /// Whether rows without an intact copy are deleted.
    pub drop: bool,
    /// Whether the repair is made, and not only planned.
    pub yes: bool,
}

/// An existing member.
#[derive(Debug, Serialize, Deserialize)]
pub struct Person {
    /// The tenant's slug.
    pub tenant: String,
    /// The e-mail address.
    pub email: String,
}

/// Why a command failed, in the operator's language.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// The error code of the catalogue.
    pub code: String,
    /// The message, a sentence.
    pub message: String,
    /// The messages of invalid fields, by field.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub fields: BTreeMap<String, String>,
}

impl Failure {
    /// Creates a failure in the operator's language. Unlike a client, the operator also sees the internal detail; where
    /// nothing else is known, it is the message.
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
