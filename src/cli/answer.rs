//! Answers to the operator's commands, the same from a running server and from a stopped store.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::jobs::Condition;

/// The answer to a command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "answer", content = "data")]
pub enum Answer {
    /// A tenant was created.
    TenantCreated(TenantMade),
    /// A tenant.
    Tenant(TenantShown),
    /// All tenants.
    Tenants(Vec<TenantShown>),
    /// A member was created.
    UserCreated(UserShown),
    /// The members of a tenant.
    Users(Vec<UserShown>),
    /// A password was set.
    PasswordSet(UserShown),
    /// A tenant was changed.
    TenantUpdated(TenantShown),
    /// A tenant was suspended.
    TenantSuspended(TenantShown),
    /// A tenant was resumed.
    TenantResumed(TenantShown),
    /// Nothing changed: the tenant was already suspended or already active.
    TenantAlready(TenantShown),
    /// A tenant was deleted.
    TenantDeleted(TenantShown),
    /// A tenant was exported to a file.
    TenantExported(Box<TenantExport>),
    /// A tenant was imported from a file.
    TenantImported(Box<TenantImport>),
    /// A backup was made.
    BackedUp(Box<BackupShown>),
    /// A backup was restored.
    Restored(Box<RestoreShown>),
    /// A member was invited.
    UserInvited(UserShown),
    /// A member's role was changed.
    RoleSet(UserShown),
    /// A member was suspended.
    UserSuspended(UserShown),
    /// A member was resumed.
    UserResumed(UserShown),
    /// Nothing changed: the member was already suspended or already active.
    UserAlready(UserShown),
    /// Nothing changed: the member already had the role.
    RoleAlready(UserShown),
    /// The sessions of a member.
    Sessions(Vec<SessionShown>),
    /// The sessions of a member were ended.
    SessionsEnded {
        /// The member.
        user: UserShown,
        /// The number of sessions that were ended.
        ended: usize,
    },
    /// The signing key of access tokens was replaced.
    KeysRotated {
        /// The new key's id.
        key: String,
    },
    /// The e-mails.
    Mail(Vec<LetterShown>),
    /// A test e-mail was sent.
    TestSent {
        /// The recipient's address.
        address: String,
        /// The file it was written to when there is no mail server.
        file: Option<String>,
    },
    /// The result of `check`.
    Checked(CheckReport),
    /// What was repaired, or would be.
    Repaired(Box<RepairShown>),
    /// The search index was rebuilt.
    Reindexed {
        /// Documents in it now.
        documents: u64,
        /// Damaged records, which are not in the index.
        #[serde(default)]
        damaged: u64,
    },
    /// The store was compacted.
    Compacted {
        /// The size before, in bytes.
        before: u64,
        /// The size now, in bytes.
        after: u64,
    },
    /// The server's health.
    Healthy(Box<HealthShown>),
}

/// The health of the server.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HealthShown {
    /// Writes since the start.
    pub writes: u64,
    /// Commits since the start; one commit can hold many writes.
    pub commits: u64,
    /// The condition of the installation.
    #[serde(flatten)]
    pub condition: Condition,
}

/// A created tenant and its owner.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TenantMade {
    /// The tenant.
    #[serde(flatten)]
    pub tenant: TenantShown,
    /// The owner's id.
    pub owner_id: String,
    /// The owner's e-mail address.
    pub owner_email: String,
}

/// A tenant.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TenantShown {
    /// The id.
    pub id: String,
    /// The slug.
    pub slug: String,
    /// The name.
    pub name: String,
    /// `active`, `suspended`, `closed`, or `damaged`: then only its id is known.
    pub state: String,
    /// The name of a colour scheme.
    pub color_scheme: String,
    /// The name of a layout.
    pub layout: String,
    /// The code of the language.
    pub locale: String,
    /// The name of the time zone.
    pub timezone: String,
    /// The host names of the tenant.
    pub domains: Vec<String>,
    /// The number of members.
    pub members: u64,
}

/// An exported tenant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TenantExport {
    /// The tenant.
    #[serde(flatten)]
    pub tenant: TenantShown,
    /// The path of the file.
    pub file: String,
    /// Records in the file.
    pub records: u64,
    /// Uploads in the file.
    pub files: u64,
    /// Damaged records and missing uploads, which are not in the file.
    pub damaged: u64,
}

/// An imported tenant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TenantImport {
    /// The tenant.
    #[serde(flatten)]
    pub tenant: TenantShown,
    /// Records in the file.
    pub records: u64,
    /// Uploads in the file.
    pub files: u64,
    /// Host names that were left out because another tenant has them.
    pub domains_left_out: Vec<String>,
    /// Records that were left out, by kind, because another tenant has their value of a unique field.
    pub left_out: BTreeMap<String, u64>,
}

/// A backup.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BackupShown {
    /// The path of the file.
    pub file: String,
    /// The length in bytes.
    pub bytes: u64,
    /// Whether the file is encrypted with a passphrase.
    pub sealed: bool,
    /// Tenants in the backup.
    pub companies: u64,
    /// Rows in the backup: records and the store's own rows.
    pub rows: u64,
    /// Uploads in the backup.
    pub files: u64,
    /// Damaged rows, which are included unchanged, and missing uploads, which are left out.
    pub damaged: u64,
}

/// A restored backup.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RestoreShown {
    /// The path of the file.
    pub file: String,
    /// When the backup was made.
    pub made_at: String,
    /// The version of Atrium that made the backup.
    pub made_by: String,
    /// Tenants in the backup.
    pub companies: u64,
    /// Rows in the backup: records and the store's own rows.
    pub rows: u64,
    /// Uploads in the backup.
    pub files: u64,
    /// Damaged rows, which were restored unchanged.
    pub damaged: u64,
    /// The folder with the replaced data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replaced: Option<String>,
}

/// A member.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UserShown {
    /// The id.
    pub id: String,
    /// The tenant's slug.
    pub tenant: String,
    /// The name.
    pub name: String,
    /// The e-mail address.
    pub email: String,
    /// The role.
    pub role: String,
    /// `invited`, `unconfirmed`, `active` or `suspended`.
    pub state: String,
}

/// The result of `check`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CheckReport {
    /// Tenants.
    #[serde(default)]
    pub companies: u64,
    /// Rows that were read: records and the store's own rows, counted as in a backup.
    #[serde(default)]
    pub rows: u64,
    /// Uploads that exist.
    #[serde(default)]
    pub files: u64,
    /// Records that were read and are intact.
    pub records: u64,
    /// One sentence for each damage.
    pub damages: Vec<String>,
}

/// What was repaired, or would be.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RepairShown {
    /// Whether the repair was made, and not only planned.
    pub done: bool,
    /// Damaged rows.
    pub rows: Vec<RepairedRow>,
    /// Other rows that disagree with the records and are rebuilt from them.
    pub others: Vec<String>,
    /// Rows that were rebuilt.
    pub rebuilt: u64,
    /// Whether pages of the store are damaged. Then nothing is repaired until the store is copied.
    #[serde(default)]
    pub damaged_pages: bool,
    /// Parts of the store that cannot be read.
    #[serde(default)]
    pub unreadable: u64,
    /// Where the damaged original of a copied store is kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub original: Option<String>,
}

impl RepairShown {
    /// Whether damage remains.
    #[must_use]
    pub fn leaves_any(&self) -> bool {
        let left = self.rows.iter().any(|row| row.outcome == "left");
        left || self.damaged_pages || !(self.done || self.rows.is_empty() && self.others.is_empty())
    }
}

/// A damaged row, and its outcome.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RepairedRow {
    /// The tenant's slug, or its id when the tenant's record is damaged.
    pub company: String,
    /// The kind of the row.
    pub kind: String,
    /// The id of the row.
    pub id: String,
    /// `rebuilt`, `taken`, `dropped` or `left`.
    pub outcome: String,
}

/// A session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionShown {
    /// The id.
    pub id: String,
    /// The device, from its browser's user agent.
    pub device: String,
    /// The address of the last use.
    pub address: String,
    /// When it began.
    pub created_at: String,
    /// When it was last refreshed.
    pub seen_at: String,
    /// When it ends.
    pub ends_at: String,
}

/// An e-mail.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LetterShown {
    /// The id.
    pub id: String,
    /// The tenant's slug.
    pub tenant: String,
    /// The kind of e-mail.
    pub kind: String,
    /// The recipient's address.
    pub to: String,
    /// `waiting`, `sent`, `kept`, `failed` or `dropped`.
    pub state: String,
    /// When it was created.
    pub created_at: String,
    /// Attempts so far.
    pub attempts: u32,
    /// When the next attempt is, while it waits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_at: Option<String>,
    /// The error of the last attempt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The file that it is kept in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The link in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
}
