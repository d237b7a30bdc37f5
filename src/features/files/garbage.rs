//! Garbage collection of uploads that no record refers to, such as a picture of a form that was never saved, or one
//! that was replaced. Any record that contains a file's path refers to it, so that no record kind is forgotten.

use std::{
    collections::HashMap,
    fs, io,
    time::{Duration, UNIX_EPOCH},
};

use super::{
    file_store::FileStore,
    model::{FileRecord, MEDIA, OWN_BY_MEDIA, is_media},
};
use crate::{
    kernel::{Error, Id, Result, TenantId, Timestamp, run_blocking},
    people::members::tenants,
    store::{Actor, Scan, Stored, TenantRead},
};

/// Age in seconds from which an unreferenced upload is removed.
pub(super) const GRACE_PERIOD_SECONDS: i64 = 24 * 3_600;
/// Maximum number of a tenant's unreferenced files, and of its stray files, that one run removes.
const MAX_REMOVED_PER_RUN: usize = 1_000;

/// What garbage collection removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Removed {
    /// Number of files.
    pub files: usize,
    /// Their size in bytes.
    pub bytes: u64,
}

impl FileStore {
    /// Removes files of all tenants that are older than a day and that no record refers to. Awaits `pause` between two
    /// tenants.
    /// Errors: `busy` or `internal` when records cannot be read or written; the next run continues.
    pub async fn collect_garbage<F: Future<Output = ()>>(&self, pause: impl Fn() -> F) -> Result<Removed> {
        let all = tenants(&self.store().snapshot()?)?;
        let mut removed = Removed::default();
        for tenant in all {
            let found = match self.collect_tenant_garbage(tenant).await {
                // A damaged record may refer to any of the tenant's files: all of them stay.
                Err(error) if error.is_damage() => {
                    tracing::error!(detail = ?error, %tenant, "uploads: garbage collection failed for a company");
                    continue;
                }
                found => found?,
            };
            removed = Removed { files: removed.files + found.files, bytes: removed.bytes + found.bytes };
            pause().await;
        }
        Ok(removed)
    }

    async fn collect_tenant_garbage(&self, tenant: TenantId) -> Result<Removed> {
        let before = self.store().clock().now().plus_seconds(-GRACE_PERIOD_SECONDS);
        let removed = self.clear(tenant, Candidates::OlderThan(before)).await?;
        let file_store = self.clone();
        run_blocking(move || file_store.remove_strays(tenant)).await?;
        Ok(removed)
    }

    /// Removes those of some files that no record refers to, however new they are. `files` has at most 1,000.
    /// Errors: `damaged` when a record cannot be read, which may refer to any of them; `busy` or `internal`.
    pub async fn remove_unreferenced(&self, tenant: TenantId, files: Vec<Id<FileRecord>>) -> Result<Removed> {
        self.clear(tenant, Candidates::Among(files)).await
    }

    async fn clear(&self, tenant: TenantId, candidates: Candidates) -> Result<Removed> {
        let _clearing = self.begin_clearing().await;
        let FileUsage { unused, spared } = self.find_unused(tenant, candidates.clone()).await?;
        let doomed: Vec<Id<FileRecord>> = unused.iter().map(|file| file.id).collect();
        if !doomed.is_empty() || !spared.is_empty() {
            self.mark(tenant, doomed, spared).await?;
        }
        let mut removed = Removed::default();
        if !unused.is_empty() {
            // Marked files cannot get new references. A second scan finds those that were added before the marks.
            let FileUsage { unused, spared } = self.find_unused(tenant, candidates).await?;
            let gone: Vec<Stored<FileRecord>> = unused.into_iter().filter(|file| file.doomed).collect();
            self.mark(tenant, Vec::new(), spared).await?;
            removed = Removed { files: gone.len(), bytes: gone.iter().map(|file| file.size).sum() };
            self.remove(tenant, gone).await?;
        }
        Ok(removed)
    }

    async fn find_unused(&self, tenant: TenantId, candidates: Candidates) -> Result<FileUsage> {
        let store = self.store().clone();
        run_blocking(move || FileUsage::of(&store.snapshot()?.tenant(tenant, None), &candidates)).await
    }

    async fn mark(&self, tenant: TenantId, doomed: Vec<Id<FileRecord>>, spared: Vec<Id<FileRecord>>) -> Result<()> {
        let marks = doomed.into_iter().map(|id| (id, true)).chain(spared.into_iter().map(|id| (id, false)));
        let marks: Vec<(Id<FileRecord>, bool)> = marks.collect();
        let work = move |tx: &crate::store::TenantWrite<'_>| {
            for (id, doomed) in marks {
                if tx.find::<FileRecord>(id)?.is_some() {
                    tx.update::<FileRecord>(id, None, |file| {
                        file.doomed = doomed;
                        Ok(())
                    })?;
                }
            }
            Ok(())
        };
        self.store().write(tenant, Actor::System, work).await.map(|((), _)| ())
    }

    /// Removes the records before the files: a record without its file would be an error.
    async fn remove(&self, tenant: TenantId, gone: Vec<Stored<FileRecord>>) -> Result<()> {
        let ids: Vec<Id<FileRecord>> = gone.iter().map(|file| file.id).collect();
        let work = move |tx: &crate::store::TenantWrite<'_>| {
            ids.iter().try_for_each(|id| tx.remove::<FileRecord>(*id, None).map(drop))
        };
        self.store().write(tenant, Actor::System, work).await?;
        for file in gone {
            self.discard_named(tenant, &file.media).await;
        }
        Ok(())
    }

    /// Removes files without a record, which an interrupted upload or removal leaves behind.
    fn remove_strays(&self, tenant: TenantId) -> Result<()> {
        let entries = match fs::read_dir(self.place(tenant, "")) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            entries => entries.map_err(Error::internal)?,
        };
        let before = self.store().clock().now().plus_seconds(-GRACE_PERIOD_SECONDS).millis();
        let before = UNIX_EPOCH + Duration::from_millis(u64::try_from(before).unwrap_or(0));
        let snapshot = self.store().snapshot()?;
        let data = snapshot.tenant(tenant, None);
        let mut removed = 0;
        for entry in entries {
            let entry = entry.map_err(Error::internal)?;
            let name = entry.file_name();
            let Some(media) = name.to_str().filter(|name| is_media(name)) else { continue };
            let old = entry.metadata().and_then(|file| file.modified()).is_ok_and(|modified| modified < before);
            if old && data.find_by::<FileRecord>(OWN_BY_MEDIA, media)?.is_none() {
                fs::remove_file(entry.path()).map_err(Error::internal)?;
                removed += 1;
            }
            if removed == MAX_REMOVED_PER_RUN {
                break;
            }
        }
        if removed > 0 {
            tracing::info!(%tenant, removed, "files without a record were removed");
        }
        Ok(())
    }
}

/// The files that are removed unless a record refers to them.
#[derive(Clone)]
enum Candidates {
    /// All from before a time.
    OlderThan(Timestamp),
    /// These.
    Among(Vec<Id<FileRecord>>),
}

/// Some of a tenant's files, by what is to happen with them.
struct FileUsage {
    /// Files without references.
    unused: Vec<Stored<FileRecord>>,
    /// Files that were marked for removal but have references.
    spared: Vec<Id<FileRecord>>,
}

impl FileUsage {
    fn of(tx: &TenantRead<'_>, candidates: &Candidates) -> Result<Self> {
        let mut files = match candidates {
            Candidates::OlderThan(before) => old_files(tx, *before)?,
            Candidates::Among(ids) => {
                let mut files = HashMap::new();
                for id in ids {
                    let file = tx.find_intact::<FileRecord>(*id)?;
                    files.extend(file.map(|file| (file.media.clone().into_bytes(), file)));
                }
                files
            }
        };
        let mut spared = Vec::new();
        if !files.is_empty() {
            tx.each_payload(|payload| {
                for media in referenced_media(payload) {
                    spared.extend(files.remove(media).filter(|file| file.doomed).map(|file| file.id));
                }
                Ok(())
            })?;
        }
        let mut unused: Vec<Stored<FileRecord>> = files.into_values().collect();
        unused.sort_by_key(|file| file.id);
        unused.truncate(MAX_REMOVED_PER_RUN);
        Ok(Self { unused, spared })
    }
}

/// Returns the files created before a given time, by media id.
fn old_files(tx: &TenantRead<'_>, before: Timestamp) -> Result<HashMap<Vec<u8>, Stored<FileRecord>>> {
    let mut files = HashMap::new();
    let mut after = None;
    loop {
        let page = tx.page::<FileRecord>(&Scan::all().limit(500).after(after), |_| true)?;
        for file in page.items {
            // Ids are in chronological order.
            if file.created_at >= before {
                return Ok(files);
            }
            files.insert(file.media.clone().into_bytes(), file);
        }
        after = page.next;
        if after.is_none() {
            return Ok(files);
        }
    }
}

/// Returns the ids of the files whose paths occur in the payload of a record, without repetitions.
pub fn files_in(tx: &TenantRead<'_>, payload: &[u8]) -> Result<Vec<Id<FileRecord>>> {
    let mut found = Vec::new();
    for media in referenced_media(payload) {
        let file = tx.find_by::<FileRecord>(OWN_BY_MEDIA, media)?.map(|file| file.id);
        found.extend(file.filter(|id| !found.contains(id)));
    }
    Ok(found)
}

/// Returns the media ids whose paths occur in a record.
fn referenced_media(payload: &[u8]) -> impl Iterator<Item = &[u8]> {
    let path = MEDIA.as_bytes();
    let starts = payload.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(at, _)| at);
    starts.filter_map(move |at| payload.get(at..)?.strip_prefix(path)?.get(..32))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_media_paths_anywhere_in_a_text() {
        let one = "0123456789abcdef0123456789abcdef";
        let other = "ffffffffffffffffffffffffffffffff";
        let text = format!("x/media/{one}/media/{other}\"/media/short /media//media/{one}");
        let found: Vec<&[u8]> =
            referenced_media(text.as_bytes()).filter(|id| is_media(&String::from_utf8_lossy(id))).collect();
        assert_eq!(found, [one.as_bytes(), other.as_bytes(), one.as_bytes()]);
    }
}
