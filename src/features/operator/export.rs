//! Export of a tenant into one file. The file appears complete or not at all, and never without an audit entry of the
//! tenant.

use std::{io::BufWriter, path::PathBuf};

use super::{notify_admins, temp_file::TempFile};
use crate::{
    features::{
        self,
        files::{self, FileStore},
    },
    kernel::{
        Code, Error, Result, TenantId,
        progress::{Progress, Unit},
        run_blocking,
    },
    people::{
        audit::{self, Event},
        members::Company,
    },
    store::{Actor, Record as _, Store, TenantWrite},
};

/// The contents of an export.
#[derive(Clone, Debug)]
pub struct ExportReport {
    /// Number of records.
    pub records: u64,
    /// Number of uploads.
    pub files: u64,
    /// Number of damaged records and missing uploads, which are left out.
    pub damaged: u64,
}

/// Exports a tenant to a new file that only its owner can read: a snapshot of its records, and the bytes of its
/// uploads. Sessions, mailed links, e-mails and responses stored for retries are left out.
/// Errors: `conflict` at `file` when it exists, or for a tenant that is being erased; `invalid` at `file` when it
/// cannot be created; `busy` or `internal` when the export fails. No file remains then.
pub async fn export(
    store: &Store,
    file_store: &FileStore,
    tenant: TenantId,
    place: PathBuf,
    progress: &Progress,
) -> Result<ExportReport> {
    let _still = file_store.prevent_garbage_collection().await;
    let from = store.clone();
    let uploads = file_store.clone();
    let progress = progress.clone();
    let copy = move || {
        let (temp, file) = TempFile::create_next_to(place, from.entropy())?;
        let snapshot = from.snapshot()?;
        let tx = snapshot.tenant(tenant, None);
        let company = Company::of(&tx)?;
        if company.is_being_erased_or_imported() {
            return Err(Error::new(Code::Conflict));
        }
        let mut export = tx.export(BufWriter::new(file), from.clock().now())?;
        progress.start("Copying uploads", Unit::Items, None);
        let missing = files::copy_out(&uploads, &tx, |media, bytes| {
            progress.add(1);
            export.file(media, bytes.len() as u64, bytes)
        })?;
        progress.start("Copying records", Unit::Items, None);
        let copied = export.finish(features::TABLES)?;
        let damaged = missing + copied.damage.len() as u64;
        Ok((temp, ExportReport { records: copied.records, files: copied.files, damaged }))
    };
    let (temp, exported) = run_blocking(copy).await?;
    let work = |tx: &TenantWrite<'_>| {
        let company = Company::of(tx)?;
        audit::write(tx, Event::new("operator.tenant_export").about_company(&company))?;
        let params = vec![("company", company.name.clone())];
        notify_admins(tx, "server.operator.tenant_export", "shield-alert", params, "/settings/company")
    };
    // Written before the file appears: an entry without a file is better than a file without an entry.
    store.write(tenant, Actor::Operator, work).await?;
    temp.keep()?;
    Ok(exported)
}
