//! The whole installation as one file: one moment of its records, with the bytes of its uploads. What it signs
//! tokens with stays behind: whoever gets the file cannot sign in by it.

use std::{io::BufWriter, path::PathBuf};

use tokio::task::spawn_blocking;

use super::draft::Draft;
use crate::{
    access::members::tenants,
    features::files::{self, Vault},
    kernel::{Error, Result},
    store::{Sealer, Store, Unsealer, verify_backup},
};

/// What went into a backup.
#[derive(Clone, Debug)]
pub struct BackedUp {
    /// Companies.
    pub companies: u64,
    /// Records, and what the store keeps beside them.
    pub rows: u64,
    /// Uploads.
    pub files: u64,
    /// Length of the file, in bytes.
    pub bytes: u64,
    /// Damaged rows, which are in it as they are, and missing uploads, which are not.
    pub damaged: u64,
}

/// Writes everything into a new file that only its owner may read, sealed where there is a passphrase, and reads it
/// again to its end before it takes its place.
///
/// # Errors
/// `conflict` at `file` when there is one already; `invalid` at `file` when it cannot be made, at `passphrase` when
/// that is too short; `busy` or `internal` when it cannot be written to its end. No file is there then.
pub async fn backup(store: &Store, vault: &Vault, place: PathBuf, passphrase: Option<String>) -> Result<BackedUp> {
    let _still = vault.hold_still().await;
    let (from, uploads) = (store.clone(), vault.clone());
    let copy = move || {
        let (draft, file) = Draft::beside(place, from.entropy())?;
        let mut out = Sealer::new(BufWriter::new(file), passphrase.as_deref(), from.entropy())?;
        let snapshot = from.snapshot()?;
        let mut backup = snapshot.backup(&mut out, from.clock().now())?;
        let (mut companies, mut missing) = (0, 0);
        for tenant in tenants(&snapshot)? {
            let add = |media: &str, size, bytes| backup.file(&format!("{tenant}/{media}"), size, bytes);
            missing += files::copy_out(&uploads, &snapshot.tenant(tenant, None), add)?;
            companies += 1;
        }
        let copied = backup.finish()?;
        drop(snapshot);
        out.finish().map_err(Error::internal)?;
        let file = draft.read()?;
        let bytes = file.metadata().map_err(Error::internal)?.len();
        if verify_backup(Unsealer::new(file, passphrase.as_deref())?)? != copied {
            return Err(Error::internal("the file does not hold what was written"));
        }
        draft.keep()?;
        let damaged = missing + copied.damage.len() as u64;
        Ok(BackedUp { companies, rows: copied.rows, files: copied.files, bytes, damaged })
    };
    spawn_blocking(copy).await.map_err(Error::internal)?
}
