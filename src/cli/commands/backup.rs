//! `atrium backup`: backs the whole installation up to one file.

use crate::cli::prelude::*;

#[derive(Debug, Default, Args, Serialize, Deserialize)]
#[command(after_help = "Examples:
  atrium backup /srv/atrium.backup
  atrium backup /srv/atrium.backup --passphrase-file FILE")]
pub struct Backup {
    /// The file to create. Without a passphrase it is not encrypted: keep it as safe as the data directory
    #[arg(value_parser = absolute_path())]
    pub file: PathBuf,
    #[command(flatten)]
    #[serde(default)]
    pub passphrase: Passphrase,
}

impl Backup {
    /// Makes the backup.
    pub async fn run(self, context: &Context) -> Result<BackupShown> {
        let Context { store, files: uploads, installation, .. } = context;
        let file = self.file.display().to_string();
        let passphrase = self.passphrase.text();
        let sealed = passphrase.is_some();
        let done = operator::backup(store, uploads, installation, self.file, passphrase).await?;
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
    pub fn text(&self, locale: Locale) -> String {
        let sealed = if self.sealed { "server.cli.backed_up_sealed" } else { "server.cli.backed_up_open" };
        let made = sentence(
            locale,
            "server.cli.backed_up",
            &[
                ("file", &self.file),
                ("companies", &self.companies),
                ("rows", &self.rows),
                ("files", &self.files),
                ("megabytes", &self.bytes.div_ceil(1_000_000)),
            ],
        );
        let mut lines = vec![made, sentence(locale, sealed, &[])];
        if self.damaged > 0 {
            lines.push(sentence(locale, "server.cli.backed_up_damaged", &[("damaged", &self.damaged)]));
        }
        lines.join("\n")
    }
}
