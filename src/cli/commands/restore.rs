//! `atrium restore`: restores a backup. The present data is not opened, because it may be damaged, and is kept in a
//! folder beside the restored data.

use std::{
    io::{BufRead as _, BufReader, IsTerminal as _, Read as _, stdin},
    path::Path,
};

use crate::{
    cli::{
        control::{Request, Response, ask},
        prelude::*,
    },
    features::operator::{StagedRestore, put_in_place, remove_replaced, stage},
    kernel::{Clock, Entropy, progress::Progress},
    store::Home,
};

/// The word that confirms.
const CONFIRMATION: &str = "yes";

#[derive(Debug, Args, Serialize, Deserialize)]
#[command(after_help = "Examples:
  atrium restore /var/backups/atrium/atrium.backup
  atrium restore /var/backups/atrium/sealed.backup --passphrase-file /etc/atrium/passphrase
  atrium restore /var/backups/atrium/atrium.backup --yes --keep 1")]
pub struct Restore {
    /// The backup. It is verified before anything is changed
    #[arg(value_parser = absolute_path())]
    pub file: PathBuf,
    #[command(flatten)]
    #[serde(default)]
    pub passphrase: Passphrase,
    /// Do not ask before the data of a running server is replaced
    #[arg(long)]
    #[serde(skip)]
    yes: bool,
    /// Afterwards, delete all but the newest N of the folders with what was replaced
    #[arg(long, value_name = "N")]
    #[serde(default)]
    pub keep: Option<usize>,
}

impl Restore {
    /// Asks before the data of a running server in `folder` is replaced.
    pub fn confirm(&self, folder: &Path) -> Result<(), Failure> {
        if self.yes || !is_in_use(folder) { Ok(()) } else { confirm(folder) }
    }

    /// Restores in a data directory that no server holds.
    pub async fn run(self, home: &Home, progress: &Progress) -> Result<RestoreShown> {
        // A restore that was interrupted before it was in place comes first.
        put_in_place(home, Clock::system().now())?;
        let shown = self.stage(home, progress).await?;
        let replaced = put_in_place(home, Clock::system().now())?;
        remove_replaced(home.path(), self.keep)?;
        Ok(shown.replacing(replaced.as_deref()))
    }

    /// Unpacks the backup beside the present data. The next open puts it in place.
    pub async fn stage(&self, home: &Home, progress: &Progress) -> Result<RestoreShown> {
        let system = (Clock::system(), Entropy::system());
        let staged = stage(home, self.file.clone(), self.passphrase.text(), system, progress).await?;
        Ok(RestoreShown::new(&self.file, staged))
    }
}

/// Whether a server uses the data directory.
fn is_in_use(folder: &Path) -> bool {
    let request = Request::new(Command::Health, false);
    matches!(ask(folder, &request, &Progress::default()), Ok(Some(Response::Done(_) | Response::Failed(_))))
}

/// Asks at the terminal for the word that confirms.
fn confirm(folder: &Path) -> Result<(), Failure> {
    let folder = folder.display();
    let unconfirmed = || {
        let text = format!(
            "A server is running on {folder}, and the restore would replace all its data. Nothing was changed. Use --yes to continue."
        );
        Failure::new("unconfirmed", text)
    };
    if !stdin().is_terminal() {
        return Err(unconfirmed());
    }
    complain(&format!(
        "A server is running on {folder}. The restore replaces all its data; the current data is kept next to it. Type \"{CONFIRMATION}\" to continue:"
    ));
    // One short line is enough; only the exact word confirms.
    let mut answer = String::new();
    let read = BufReader::new(stdin().take(100)).read_line(&mut answer);
    if read.is_ok() && answer.trim().eq_ignore_ascii_case(CONFIRMATION) { Ok(()) } else { Err(unconfirmed()) }
}

#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RestoreShown {
    pub file: String,
    pub made_at: String,
    /// The version of Atrium that made the backup.
    pub made_by: String,
    pub companies: u64,
    /// Rows in the backup: records and the store's own rows.
    pub rows: u64,
    pub files: u64,
    /// Damaged rows, which were restored unchanged.
    pub damaged: u64,
    /// The folder with the replaced data.
    pub replaced: Option<String>,
}

impl RestoreShown {
    fn new(file: &Path, staged: StagedRestore) -> Self {
        let StagedRestore { at, made_by, companies, rows, files, damaged } = staged;
        let made_at = at.to_string();
        Self { file: file.display().to_string(), made_at, made_by, companies, rows, files, damaged, replaced: None }
    }

    /// Adds the folder with the replaced data.
    pub fn replacing(self, folder: Option<&Path>) -> Self {
        Self { replaced: folder.map(|folder| folder.display().to_string()), ..self }
    }

    pub fn text(&self) -> String {
        let Self { made_at, companies, rows, files, damaged, .. } = self;
        let mut lines = vec![format!(
            "Restored to {made_at}. Companies: {companies}, records: {rows}, uploads: {files}. Everyone has to sign in again, and links in earlier emails no longer work."
        )];
        if let Some(folder) = &self.replaced {
            lines.push(format!("The previous data is in {folder}. Delete it when you no longer need it."));
        }
        if *damaged > 0 {
            lines.push(format!(
                "Records that were already damaged when the backup was made: {damaged}. `atrium check` lists them."
            ));
        }
        lines.join("\n")
    }
}
