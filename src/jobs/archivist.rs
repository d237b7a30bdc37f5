//! Backups by the clock: one into the folder that the configuration names whenever the newest there is old enough,
//! and the oldest away when there are more than are to be kept.

use std::{
    fs, io,
    path::{Path, PathBuf},
    time::Duration,
};

use tokio::sync::watch;

use crate::{
    config::Backups,
    features::{files::Vault, operator},
    kernel::{self, Error, Result, Timestamp},
    store::Store,
};

/// How a backup is named: by its moment, in UTC.
const NAME: &str = "atrium-%Y%m%dT%H%M%SZ.backup";
/// How long to wait after one that did not succeed.
const PAUSE: Duration = Duration::from_mins(15);

/// Makes the backups of an installation.
#[derive(Clone)]
pub struct Archivist {
    store: Store,
    vault: Vault,
    settings: Backups,
}

/// A backup that lies in the folder.
struct Made {
    at: Timestamp,
    path: PathBuf,
}

fn failed(error: &io::Error) -> Error {
    Error::internal(format_args!("the folder of backups: {error}"))
}

impl Archivist {
    /// For an installation.
    #[must_use]
    pub const fn new(store: Store, vault: Vault, settings: Backups) -> Self {
        Self { store, vault, settings }
    }

    /// Makes backups until `stop` says true, which waits for one under way.
    pub async fn run(self, mut stop: watch::Receiver<bool>) {
        let Some(folder) = self.settings.folder.clone() else { return };
        loop {
            let wait = match self.round(&folder).await {
                Ok(wait) => wait,
                Err(error) => {
                    tracing::error!(detail = ?error, folder = %folder.display(), "no backup was made");
                    PAUSE
                }
            };
            tokio::select! {
                _ = stop.wait_for(|stop| *stop) => return,
                () = tokio::time::sleep(wait) => {}
            }
        }
    }

    /// Makes a backup in a folder if one is due. Answers how long it is until the next one is.
    ///
    /// # Errors
    /// `internal` when folder or passphrase cannot be read; as [`operator::backup`].
    pub async fn round(&self, folder: &Path) -> Result<Duration> {
        kernel::folder::make(folder).map_err(|error| failed(&error))?;
        let now = self.store.clock().now();
        let every = i64::try_from(self.settings.every.as_millis()).unwrap_or(i64::MAX);
        if let Some(newest) = made(folder, now)?.pop() {
            let left = every.saturating_sub(now.millis() - newest.at.millis());
            if let Some(left) = u64::try_from(left).ok().filter(|left| *left > 0) {
                return Ok(Duration::from_millis(left));
            }
        }
        let place = folder.join(now.jiff().strftime(NAME).to_string());
        let done = operator::backup(&self.store, &self.vault, place.clone(), self.settings.passphrase()?).await?;
        tracing::info!(file = %place.display(), done.bytes, done.damaged, "a backup was made");
        self.clear_up(folder, now)?;
        Ok(self.settings.every)
    }

    /// Removes the oldest when there are too many, and what a backup that was cut short left.
    fn clear_up(&self, folder: &Path, now: Timestamp) -> Result<()> {
        let mut made = made(folder, now)?;
        let surplus = made.len().saturating_sub(self.settings.keep);
        for old in made.drain(..surplus) {
            fs::remove_file(&old.path).map_err(|error| failed(&error))?;
            tracing::info!(file = %old.path.display(), "an old backup was removed");
        }
        for path in entries(folder)? {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            if name
                .strip_suffix(".part")
                .and_then(|name| name.rsplit_once('.'))
                .is_some_and(|(name, _)| moment(name).is_some())
            {
                fs::remove_file(&path).map_err(|error| failed(&error))?;
            }
        }
        Ok(())
    }
}

/// The moment in the name of a backup; none for whatever else lies in the folder.
fn moment(name: &str) -> Option<Timestamp> {
    let time = jiff::civil::DateTime::strptime(NAME, name).ok()?;
    let at = time.to_zoned(jiff::tz::TimeZone::UTC).ok()?.timestamp();
    (at.strftime(NAME).to_string() == name).then(|| Timestamp::from_millis(at.as_millisecond()))
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let read = || -> io::Result<_> { fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect() };
    read().map_err(|error| failed(&error))
}

/// The backups in a folder, the oldest first. Those from the future, of a clock that was wrong, wait until it comes.
fn made(folder: &Path, now: Timestamp) -> Result<Vec<Made>> {
    let of = |path: PathBuf| Some(Made { at: moment(path.file_name()?.to_str()?)?, path });
    let mut made: Vec<Made> = entries(folder)?.into_iter().filter_map(of).filter(|made| made.at <= now).collect();
    made.sort_by_key(|made| made.at);
    Ok(made)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::{
        store::{Unsealer, verify_backup},
        testing::TestApp,
    };

    const HOUR: i64 = 3_600_000;

    fn names(folder: &Path) -> BTreeSet<String> {
        entries(folder).unwrap().iter().map(|path| path.file_name().unwrap().to_str().unwrap().to_owned()).collect()
    }

    #[tokio::test]
    async fn backups_are_made_when_they_are_due_and_so_many_are_kept() {
        let app = TestApp::new().await;
        let folder = app.app.config().data_dir.join("..").join("backups");
        fs::create_dir_all(&folder).unwrap();
        let secret = folder.join("passphrase");
        fs::write(&secret, "a passphrase that is long\n").unwrap();
        for others in ["notes.txt", "atrium-other.backup", "atrium-20260101T000000Z.backup.kept"] {
            fs::write(folder.join(others), "not ours").unwrap();
        }
        let others = names(&folder);
        fs::write(folder.join("atrium-20261120T000000Z.backup.c0ffee00.part"), "half").unwrap();
        let settings = Backups {
            folder: Some(folder.clone()),
            every: Duration::from_hours(6),
            keep: 2,
            passphrase_file: Some(secret),
        };
        let archivist = Archivist::new(app.app.store().clone(), app.app.vault().clone(), settings);
        let round = async || archivist.round(&folder).await.unwrap();
        let ours = || names(&folder).difference(&others).cloned().collect::<Vec<_>>();

        assert_eq!(round().await, Duration::from_hours(6));
        assert_eq!(ours(), ["atrium-20261121T093000Z.backup"]);
        app.clock.advance(HOUR);
        assert_eq!(round().await, Duration::from_hours(5), "not due, also after a restart");
        app.clock.advance(5 * HOUR);
        round().await;
        app.clock.advance(6 * HOUR);
        round().await;
        assert_eq!(ours(), ["atrium-20261121T153000Z.backup", "atrium-20261121T213000Z.backup"]);
        let file = fs::File::open(folder.join(&ours()[1])).unwrap();
        verify_backup(Unsealer::new(file, Some("a passphrase that is long")).unwrap()).unwrap();
        // A clock that ran ahead and was set right does not keep backups from being made.
        app.clock.advance(-48 * HOUR);
        round().await;
        assert_eq!(ours().len(), 3);
        assert!(ours().contains(&"atrium-20261119T213000Z.backup".to_owned()));
        assert!(names(&folder).is_superset(&others), "nobody else's file is touched");
    }

    #[test]
    fn only_the_names_of_backups_are_taken_for_backups() {
        assert_eq!(moment("atrium-20261121T093000Z.backup").map(Timestamp::millis), Some(crate::testing::NOW));
        for name in
            ["atrium-20261121T093000Z.backup2", "atrium-2026-11-21.backup", "atrium-20261321T093000Z.backup", ""]
        {
            assert!(moment(name).is_none(), "{name}");
        }
    }
}
