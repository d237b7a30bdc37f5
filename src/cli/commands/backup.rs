//! `atrium backup`: backs the whole installation up to one file.

use std::path::Path;

use crate::{cli::prelude::*, monitoring::size};

#[derive(Debug, Default, Args, Serialize, Deserialize)]
#[command(after_help = "Examples:
  atrium backup /var/backups/atrium/atrium.backup
  atrium backup /var/backups/atrium/sealed.backup --passphrase-file /etc/atrium/passphrase
  atrium backup /var/backups/atrium/sealed-too.backup --ask-passphrase")]
pub struct Backup {
    /// The file to create. Without a passphrase it is not encrypted: keep it as safe as the data directory. Without an
    /// option, it has the passphrase of scheduled backups
    #[arg(value_parser = absolute_path())]
    pub file: PathBuf,
    #[command(flatten)]
    #[serde(default)]
    pub passphrase: Passphrase,
    /// Do not encrypt the file, although scheduled backups have a passphrase
    #[arg(long, conflicts_with_all = ["ask_passphrase", "passphrase_stdin", "passphrase_file"])]
    #[serde(skip)]
    pub no_passphrase: bool,
}

impl Backup {
    /// Reads the passphrase: that of an option, or that of scheduled backups.
    pub fn read_passphrase(&mut self, configured: Option<&Path>) -> Result<(), PasswordError> {
        if let Some(file) = configured.filter(|_| !self.no_passphrase) {
            self.passphrase.use_file(file);
        }
        self.passphrase.read(true)
    }

    /// Makes the backup.
    pub async fn run(self, context: &Context) -> Result<BackupShown> {
        let Context { store, files: uploads, installation, .. } = context;
        let file = self.file.display().to_string();
        let passphrase = self.passphrase.text();
        let sealed = passphrase.is_some();
        let done = operator::backup(store, uploads, installation, self.file, passphrase, &context.progress).await?;
        let operator::BackupReport { companies, rows, files, bytes, damaged } = done;
        Ok(BackupShown { file, bytes, sealed, companies, rows, files, damaged })
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BackupShown {
    pub file: String,
    /// The length in bytes.
    pub bytes: u64,
    /// Whether the file is encrypted with a passphrase.
    pub sealed: bool,
    pub companies: u64,
    /// Rows in the backup: records and the store's own rows.
    pub rows: u64,
    pub files: u64,
    /// Damaged rows, which are included unchanged, and missing uploads, which are left out.
    pub damaged: u64,
}

impl BackupShown {
    pub fn text(&self) -> String {
        let Self { file, companies, rows, files, damaged, .. } = self;
        let size = size(self.bytes);
        let made = format!(
            "Backed up to {file} ({size}). Companies: {companies}, records: {rows}, uploads: {files}. The file was read back to its end and is complete."
        );
        let secrecy = if self.sealed {
            "You need the passphrase to open it. Keep the passphrase somewhere else: without it, this backup can't be restored."
        } else {
            "Anyone with this file can read everything in it. Keep it as safe as the data directory, or encrypt it with a passphrase."
        };
        let mut lines = vec![made, secrecy.to_owned()];
        if *damaged > 0 {
            lines.push(format!(
                "Damaged records (backed up as they are) and missing uploads (not backed up): {damaged}. `atrium check` lists damaged records."
            ));
        }
        lines.join("\n")
    }
}
