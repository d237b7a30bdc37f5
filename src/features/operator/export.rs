//! A company out of the installation, as one file. The file is there whole or not at all, and never without a
//! word of it in the company's record.

use std::{io::BufWriter, path::PathBuf};

use super::{tell_admins, temp_file::TempFile};
use crate::{
    access::{
        audit::{self, Event},
        members::Company,
    },
    features::{
        self,
        files::{self, FileStore},
    },
    kernel::{Code, Error, Result, TenantId},
    store::{Actor, Record as _, Store, TenantWrite},
};

/// What went into a company's file.
#[derive(Clone, Debug)]
pub struct Exported {
    /// Records.
    pub records: u64,
    /// Uploads.
    pub files: u64,
    /// Damaged records and missing uploads, which are not in it.
    pub damaged: u64,
}

/// Writes everything of a company into a new file that only its owner may read: one moment of its records, with
/// the bytes of its uploads. Sessions, mailed links, letters and kept replies stay behind.
///
/// # Errors
/// `conflict` at `file` when there is one already, or of a company that is being erased; `invalid` at `file` when
/// it cannot be made; `busy` or `internal` when it cannot be written to its end. No file is there then.
pub async fn export(store: &Store, vault: &FileStore, tenant: TenantId, place: PathBuf) -> Result<Exported> {
    let _still = vault.hold_still().await;
    let (from, uploads) = (store.clone(), vault.clone());
    let copy = move || {
        let (draft, file) = TempFile::beside(place, from.entropy())?;
        let snapshot = from.snapshot()?;
        let tx = snapshot.tenant(tenant, None);
        let company = Company::of(&tx)?;
        if company.is_passing() {
            return Err(Error::new(Code::Conflict));
        }
        let mut export = tx.export(BufWriter::new(file), from.clock().now())?;
        let missing = files::copy_out(&uploads, &tx, |media, bytes| export.file(media, bytes.len() as u64, bytes))?;
        let copied = export.finish(features::TABLES)?;
        let damaged = missing + copied.damage.len() as u64;
        Ok((draft, Exported { records: copied.records, files: copied.files, damaged }))
    };
    let (draft, exported) = tokio::task::spawn_blocking(copy).await.map_err(Error::internal)??;
    let work = |tx: &TenantWrite<'_>| {
        let company = Company::of(tx)?;
        audit::note(tx, Event::new("operator.tenant_export").about(company.id, &company.name))?;
        let gaps = vec![("company", company.name.clone())];
        tell_admins(tx, "server.operator.tenant_export", "shield-alert", gaps, "/settings/company")
    };
    // Before the file is in its place: rather a word of a file that nobody got than a file that nobody heard of.
    store.write(tenant, Actor::Operator, work).await?;
    draft.keep()?;
    Ok(exported)
}
