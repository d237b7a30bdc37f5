//! What the operator is answered: the same from a running server and from a store opened on the spot.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::jobs::Condition;

/// What is answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "answer", content = "data")]
pub enum Answer {
    /// A company was made.
    TenantCreated(TenantMade),
    /// A company.
    Tenant(TenantShown),
    /// All companies.
    Tenants(Vec<TenantShown>),
    /// A person was added.
    UserCreated(UserShown),
    /// The people of a company.
    Users(Vec<UserShown>),
    /// A password was set.
    PasswordSet(UserShown),
    /// A company was changed.
    TenantUpdated(TenantShown),
    /// A company was suspended.
    TenantSuspended(TenantShown),
    /// A company may work again.
    TenantResumed(TenantShown),
    /// A company was suspended, or active, before.
    TenantAlready(TenantShown),
    /// A company was erased.
    TenantDeleted(TenantShown),
    /// A company is in a file.
    TenantExported(Box<TenantExport>),
    /// A company came out of a file.
    TenantImported(Box<TenantImport>),
    /// The installation is in a file.
    BackedUp(Box<BackupShown>),
    /// The installation is as it was when a file was made of it.
    Restored(Box<RestoreShown>),
    /// A person was asked in.
    UserInvited(UserShown),
    /// A person has another role.
    RoleSet(UserShown),
    /// A person was suspended.
    UserSuspended(UserShown),
    /// A person may come in again.
    UserResumed(UserShown),
    /// A person was suspended, or active, before.
    UserAlready(UserShown),
    /// A person had the role before.
    RoleAlready(UserShown),
    /// A person's sessions.
    Sessions(Vec<SessionShown>),
    /// A person's sessions were ended.
    SessionsEnded {
        /// Whose.
        user: UserShown,
        /// How many there were.
        ended: usize,
    },
    /// Access tokens are signed with another key.
    KeysRotated {
        /// Its name.
        key: String,
    },
    /// The letters.
    Mail(Vec<LetterShown>),
    /// A letter went out to try the way.
    TestSent {
        /// Where to.
        address: String,
        /// The file that it lies in, when there is no mail server.
        file: Option<String>,
    },
    /// What verifying found.
    Checked(CheckReport),
    /// What was mended, or would be.
    Repaired(Box<RepairShown>),
    /// The index was built anew.
    Reindexed {
        /// Documents in it now.
        documents: u64,
        /// Records that are damaged, and so not in it.
        #[serde(default)]
        damaged: u64,
    },
    /// The store takes no more room than it needs.
    Compacted {
        /// Bytes before.
        before: u64,
        /// Bytes now.
        after: u64,
    },
    /// The server answers, and how it is.
    Healthy(Box<HealthShown>),
}

/// How the server is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HealthShown {
    /// Writes since it was started.
    pub writes: u64,
    /// Commits that they shared.
    pub commits: u64,
    /// How the installation is.
    #[serde(flatten)]
    pub condition: Condition,
}

/// A company that was made, and its owner.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TenantMade {
    /// The company.
    #[serde(flatten)]
    pub tenant: TenantShown,
    /// The owner's id.
    pub owner_id: String,
    /// The owner's address.
    pub owner_email: String,
}

/// A company as it is shown.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TenantShown {
    /// Its id.
    pub id: String,
    /// Its slug.
    pub slug: String,
    /// Its name.
    pub name: String,
    /// `active`, `suspended`, `closed`, or `damaged`: then only its id is known.
    pub state: String,
    /// One of the colour schemes.
    pub color_scheme: String,
    /// One of the layouts.
    pub layout: String,
    /// Its language.
    pub locale: String,
    /// Its time zone.
    pub timezone: String,
    /// Host names under which it is found.
    pub domains: Vec<String>,
    /// How many people it has.
    pub members: u64,
}

/// A company, and the file that it is in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TenantExport {
    /// The company.
    #[serde(flatten)]
    pub tenant: TenantShown,
    /// The file.
    pub file: String,
    /// Records in it.
    pub records: u64,
    /// Uploads in it.
    pub files: u64,
    /// Damaged records and missing uploads, which are not in it.
    pub damaged: u64,
}

/// A company that came out of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TenantImport {
    /// The company.
    #[serde(flatten)]
    pub tenant: TenantShown,
    /// Records in the file.
    pub records: u64,
    /// Uploads in the file.
    pub files: u64,
    /// Host names that another company here has.
    pub domains_left_out: Vec<String>,
    /// How many records of which kinds did not come, because another company here has what there can be once.
    pub left_out: BTreeMap<String, u64>,
}

/// The installation, and the file that it is in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BackupShown {
    /// The file.
    pub file: String,
    /// Its length.
    pub bytes: u64,
    /// Whether only a passphrase opens it.
    pub sealed: bool,
    /// Companies in it.
    pub companies: u64,
    /// Records in it, and what the store keeps beside them.
    pub rows: u64,
    /// Uploads in it.
    pub files: u64,
    /// Damaged rows, which are in it as they are, and missing uploads, which are not.
    pub damaged: u64,
}

/// What was put back, and from when.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RestoreShown {
    /// The file.
    pub file: String,
    /// The moment that it is of.
    pub made_at: String,
    /// The version of Atrium that made it.
    pub made_by: String,
    /// Companies in it.
    pub companies: u64,
    /// Records in it, and what the store keeps beside them.
    pub rows: u64,
    /// Uploads in it.
    pub files: u64,
    /// Damaged rows, which are as they were.
    pub damaged: u64,
    /// The folder with what was there before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replaced: Option<String>,
}

/// A person as they are shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UserShown {
    /// The id.
    pub id: String,
    /// The company's slug.
    pub tenant: String,
    /// The name.
    pub name: String,
    /// The address.
    pub email: String,
    /// The role's word.
    pub role: String,
    /// `invited`, `unconfirmed`, `active` or `suspended`.
    pub state: String,
}

/// What verifying found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CheckReport {
    /// Companies.
    #[serde(default)]
    pub companies: u64,
    /// Rows that were read: records, and what the store keeps beside them; a backup counts the same.
    #[serde(default)]
    pub rows: u64,
    /// Uploads that are there.
    #[serde(default)]
    pub files: u64,
    /// Records that were read and are as they were written.
    pub records: u64,
    /// What is wrong, a sentence each.
    pub damages: Vec<String>,
}

/// What was mended, or would be.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RepairShown {
    /// Whether it was done, and not only said.
    pub done: bool,
    /// Damaged rows.
    pub rows: Vec<RepairedRow>,
    /// What else does not agree with the records, and is made anew from them.
    pub others: Vec<String>,
    /// Rows that were made anew.
    pub rebuilt: u64,
    /// Whether pages of the store are damaged: then nothing is changed before it is copied.
    #[serde(default)]
    pub damaged_pages: bool,
    /// Places of the store that cannot be read.
    #[serde(default)]
    pub unreadable: u64,
    /// Where the damaged original of a copied store is kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub original: Option<String>,
}

impl RepairShown {
    /// Whether anything stays damaged.
    #[must_use]
    pub fn leaves_any(&self) -> bool {
        let left = self.rows.iter().any(|row| row.outcome == "left");
        left || self.damaged_pages || !(self.done || self.rows.is_empty() && self.others.is_empty())
    }
}

/// A damaged row, and what becomes of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RepairedRow {
    /// The company's slug, or its id where that is damaged.
    pub company: String,
    /// What it is.
    pub kind: String,
    /// Which.
    pub id: String,
    /// `rebuilt`, `taken`, `dropped` or `left`.
    pub outcome: String,
}

/// A session as it is shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionShown {
    /// The id.
    pub id: String,
    /// The device, as its browser names itself.
    pub device: String,
    /// The address it was last used from.
    pub address: String,
    /// When it began.
    pub created_at: String,
    /// When it was last refreshed.
    pub seen_at: String,
    /// When it ends.
    pub ends_at: String,
}

/// A letter as it is shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LetterShown {
    /// The id.
    pub id: String,
    /// The company's slug.
    pub tenant: String,
    /// What it is about.
    pub kind: String,
    /// The address.
    pub to: String,
    /// `waiting`, `sent`, `kept`, `failed` or `dropped`.
    pub state: String,
    /// When it was written.
    pub created_at: String,
    /// Attempts so far.
    pub attempts: u32,
    /// When the next attempt is, while it waits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_at: Option<String>,
    /// What came of the last one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The file that it is kept in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The link in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
}
