//! Figures of the whole installation: companies, people, sessions and storage.

use std::{fs, io, path::Path};

use serde::{Deserialize, Serialize};

use crate::{
    features::files::stored_bytes,
    kernel::Result,
    people::members::{Company, CompanyState, MemberRecord, tenants},
    store::{
        Snapshot,
        entries::{INDEX, STORE},
    },
};

/// Levels of folders whose files are added up.
const MAX_DEPTH: u32 = 4;

/// Figures of the whole installation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Totals {
    /// Number of companies.
    pub companies: u64,
    /// Number of those that are suspended or closed.
    pub inactive_companies: u64,
    /// Number of people of all companies, also those who may not sign in.
    pub people: u64,
    /// Number of sessions.
    pub sessions: u64,
    /// Number of devices that are connected for live updates.
    pub devices: u64,
    /// Number of e-mails that wait to be sent.
    pub emails_waiting: u64,
    /// Storage in use.
    pub storage: StorageUsed,
}

/// Storage in use, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StorageUsed {
    /// The store's file.
    pub store_bytes: u64,
    /// The search index.
    pub index_bytes: u64,
    /// The uploads of all companies.
    pub upload_bytes: u64,
}

impl StorageUsed {
    /// Returns the bytes of everything.
    pub const fn total(self) -> u64 {
        self.store_bytes + self.index_bytes + self.upload_bytes
    }
}

impl Totals {
    /// Counts what is in the store and in the data directory.
    pub(super) fn of_store(snapshot: &Snapshot, home: &Path) -> Result<Self> {
        let mut totals = Self::default();
        for tenant in tenants(snapshot)? {
            let tx = snapshot.tenant(tenant, None);
            let is_active =
                tx.find_intact::<Company>(Company::id(tenant))?.is_some_and(|it| it.state == CompanyState::Active);
            totals.companies += 1;
            totals.inactive_companies += u64::from(!is_active);
            totals.people += tx.count::<MemberRecord>()?;
            totals.storage.upload_bytes += stored_bytes(&tx)?;
        }
        totals.storage.store_bytes = fs::metadata(home.join(STORE)).map_or(0, |file| file.len());
        totals.storage.index_bytes = folder_bytes(&home.join(INDEX), MAX_DEPTH);
        Ok(totals)
    }
}

/// Returns the slugs and the bytes of the companies with the most uploads, those with the most first.
pub(super) fn largest_companies(snapshot: &Snapshot, most: usize) -> Result<Vec<(String, u64)>> {
    let mut sizes = Vec::new();
    for tenant in tenants(snapshot)? {
        sizes.push((stored_bytes(&snapshot.tenant(tenant, None))?, tenant));
    }
    sizes.sort_unstable_by(|a, b| b.cmp(a));
    sizes.truncate(most);
    let mut named = Vec::new();
    for (bytes, tenant) in sizes {
        let company = snapshot.tenant(tenant, None).find_intact::<Company>(Company::id(tenant))?;
        named.push((company.map_or_else(|| tenant.to_string(), |company| company.value.slug), bytes));
    }
    Ok(named)
}

/// Returns the size of the files in a folder. Files that are removed while it runs are left out.
fn folder_bytes(folder: &Path, depth: u32) -> u64 {
    let size = |entry: io::Result<fs::DirEntry>| {
        let entry = entry.ok()?;
        let about = entry.metadata().ok()?;
        match about.is_dir() {
            true if depth > 0 => Some(folder_bytes(&entry.path(), depth - 1)),
            true => None,
            false => Some(about.len()),
        }
    };
    fs::read_dir(folder).map_or(0, |entries| entries.filter_map(size).sum())
}
