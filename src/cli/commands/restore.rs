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
    index::{self, Engine},
    jobs,
    kernel::{Clock, Entropy},
    store::Home,
};

#[derive(Debug, Args, Serialize, Deserialize)]
#[command(after_help = "Examples:
  atrium restore /srv/atrium.backup
  atrium restore /srv/atrium.backup --passphrase-file FILE")]
pub struct Restore {
    /// The backup. It is verified before anything is changed
    #[arg(value_parser = absolute_path())]
    file: PathBuf,
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
    pub fn confirm(&self, folder: &Path, locale: Locale) -> Result<(), Failure> {
        if self.yes || !is_in_use(folder, locale) { Ok(()) } else { confirm(folder, locale) }
    }

    /// Restores in a data directory that no server holds.
    pub async fn run(self, home: &Home) -> Result<RestoreShown> {
        // A restore that was interrupted before it was in place comes first.
        put_in_place(home, Clock::system().now())?;
        let shown = self.stage(home).await?;
        let replaced = put_in_place(home, Clock::system().now())?;
        remove_replaced(home.path(), self.keep)?;
        Ok(shown.replacing(replaced.as_deref()))
    }

    /// Unpacks the backup beside the present data. The next open puts it in place.
    pub async fn stage(&self, home: &Home) -> Result<RestoreShown> {
        // One thread is fast enough, and each further thread needs its own memory.
        let options = index::Options { rebuild_threads: 1, ..index::Options::default() };
        let build_index = move |store, folder: &Path| {
            let (engine, _) = Engine::open(folder, options).map_err(Error::internal)?;
            jobs::reindex(store, engine).map(drop)
        };
        let system = (Clock::system(), Entropy::system());
        let staged = stage(home, self.file.clone(), self.passphrase.text(), system, build_index).await?;
        Ok(RestoreShown::new(&self.file, staged))
    }
}

/// Whether a server uses the data directory.
fn is_in_use(folder: &Path, locale: Locale) -> bool {
    let request = Request { command: Command::Health, locale: locale.code().to_owned() };
    matches!(ask(folder, &request), Ok(Some(Response::Done(_) | Response::Failed(_))))
}

/// Asks at the terminal for the word that confirms.
fn confirm(folder: &Path, locale: Locale) -> Result<(), Failure> {
    let unconfirmed = || Failure::new("unconfirmed", about(folder, "server.cli.restore_unconfirmed", locale));
    if !stdin().is_terminal() {
        return Err(unconfirmed());
    }
    complain(&about(folder, "server.cli.restore_confirm", locale));
    // One short line is enough; only the exact word confirms.
    let mut answer = String::new();
    let read = BufReader::new(stdin().take(100)).read_line(&mut answer);
    let word = say(locale, "server.cli.restore_word", &[]);
    if read.is_ok() && answer.trim().eq_ignore_ascii_case(&word) { Ok(()) } else { Err(unconfirmed()) }
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

    pub fn text(&self, locale: Locale) -> String {
        let params = [
            ("at", &self.made_at as _),
            ("companies", &self.companies as _),
            ("rows", &self.rows as _),
            ("files", &self.files as _),
        ];
        let mut lines = vec![sentence(locale, "server.cli.restored", &params)];
        if let Some(folder) = &self.replaced {
            lines.push(sentence(locale, "server.cli.restored_replaced", &[("folder", folder)]));
        }
        if self.damaged > 0 {
            lines.push(sentence(locale, "server.cli.restored_damaged", &[("damaged", &self.damaged)]));
        }
        lines.join("\n")
    }
}
