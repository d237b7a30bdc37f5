//! Scheduled backups: creates one in the configured folder when the newest there is old enough, and removes the oldest
//! beyond the number to keep. It removes only backups of this installation, so that serving a wrong data directory does
//! not delete the good backups of the right one.

use std::{
    fs, io,
    path::{Path, PathBuf},
    time::Duration,
};

use tokio::time::sleep;

use super::{
    condition::HealthMonitor,
    runner::{Job, Retry},
};
use crate::{
    config::Backups,
    features::{files::FileStore, operator},
    kernel::{self, Error, Result, Timestamp},
    people::members::tenants,
    store::{InstallationId, Store},
};

/// File name of a backup: its time in UTC, followed by the beginning of the installation's id.
const MOMENT: &str = "atrium-%Y%m%dT%H%M%SZ";
const ENDING: &str = ".backup";
/// How often to check for a first tenant; an empty installation is not backed up.
const EMPTY: Duration = Duration::from_mins(1);
/// Characters of the installation's id in a file name.
const SHORT: usize = 8;

/// Makes scheduled backups of an installation.
pub struct BackupScheduler {
    store: Store,
    file_store: FileStore,
    of: InstallationId,
    settings: Backups,
    watch: HealthMonitor,
    /// The time until the next backup is due.
    wait: Duration,
}

impl Job for BackupScheduler {
    const NAME: &'static str = "backup";
    const RETRY: Retry = Retry::every(Duration::from_mins(15));

    async fn due(&mut self) {
        sleep(self.wait).await;
    }

    async fn run(&mut self) -> Result<()> {
        let Some(folder) = self.settings.folder.clone() else { return Ok(()) };
        let outcome = self.round(&folder).await;
        if let Err(error) = &outcome {
            tracing::error!(?error, folder = %folder.display(), "no backup was made");
            self.watch.has_no_backup(format!("{error:?}"));
        }
        self.wait = outcome.map_err(Error::already_logged)?;
        Ok(())
    }
}

/// A backup in the folder.
struct Made {
    at: Timestamp,
    /// Beginning of the installation's id; `None` for backups from before file names had it.
    of: Option<String>,
    path: PathBuf,
}

fn failed(error: &io::Error) -> Error {
    Error::internal(format_args!("the folder of backups: {error}"))
}

impl BackupScheduler {
    /// Creates a scheduler for an installation.
    pub fn new(file_store: FileStore, of: InstallationId, settings: Backups, watch: HealthMonitor) -> Self {
        Self { store: file_store.store().clone(), file_store, of, watch, wait: settings.every, settings }
    }

    /// Makes a backup in the folder if one is due. Returns the time until the next one is due.
    /// Errors: `internal` when the folder or the passphrase cannot be read; the errors of [`operator::backup`].
    pub async fn round(&self, folder: &Path) -> Result<Duration> {
        kernel::folder::make(folder).map_err(|error| failed(&error))?;
        let now = self.store.clock().now();
        self.clear_drafts(folder)?;
        if tenants(&self.store.snapshot()?)?.is_empty() {
            return Ok(EMPTY);
        }
        let every = i64::try_from(self.settings.every.as_millis()).unwrap_or(i64::MAX);
        if let Some(newest) = self.made(folder, now)?.pop() {
            self.watch.has_backup(newest.at);
            let left = every.saturating_sub(now.millis() - newest.at.millis());
            if let Some(left) = u64::try_from(left).ok().filter(|left| *left > 0) {
                return Ok(Duration::from_millis(left));
            }
        }
        let place = folder.join(format!("{}-{}{ENDING}", now.jiff().strftime(MOMENT), self.of.short()));
        let passphrase = self.settings.passphrase()?;
        let done = operator::backup(&self.store, &self.file_store, &self.of, place.clone(), passphrase).await?;
        tracing::info!(file = %place.display(), done.bytes, done.damaged, "a backup was made");
        self.watch.has_backup(now);
        self.clear_up(folder, now)?;
        Ok(self.settings.every)
    }

    /// Removes the oldest backups of this installation beyond the number to keep. The newest one without an id stays,
    /// because it may be the last good one of another installation.
    fn clear_up(&self, folder: &Path, now: Timestamp) -> Result<()> {
        let made = self.made(folder, now)?;
        let surplus = made.len().saturating_sub(self.settings.keep);
        let stays = made.iter().rposition(|made| made.of.is_none());
        for (_, old) in made.iter().enumerate().take(surplus).filter(|(at, _)| Some(*at) != stays) {
            fs::remove_file(&old.path).map_err(|error| failed(&error))?;
            tracing::info!(file = %old.path.display(), "an old backup was removed");
        }
        Ok(())
    }

    /// Removes the partial files of interrupted backups. This precedes a new backup, which may need the space.
    fn clear_drafts(&self, folder: &Path) -> Result<()> {
        for path in entries(folder)? {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            let place = name.strip_suffix(".part").and_then(|name| name.rsplit_once('.')).map(|(place, _)| place);
            if place.and_then(named).is_some_and(|(_, of)| self.may_be_ours(of)) {
                operator::remove_draft(&path).map_err(|error| failed(&error))?;
            }
        }
        Ok(())
    }

    fn may_be_ours(&self, of: Option<&str>) -> bool {
        of.is_none_or(|of| of == self.of.short())
    }

    /// Lists the backups that are, or may be, of this installation, oldest first. Backups dated in the future by a
    /// wrong clock are ignored until that time.
    fn made(&self, folder: &Path, now: Timestamp) -> Result<Vec<Made>> {
        let of = |path: PathBuf| {
            let (at, of) = named(path.file_name()?.to_str()?)?;
            Some(Made { at, of: of.map(str::to_owned), path })
        };
        let mut made: Vec<Made> = entries(folder)?.into_iter().filter_map(of).collect();
        made.retain(|made| made.at <= now && self.may_be_ours(made.of.as_deref()));
        made.sort_by_key(|made| made.at);
        Ok(made)
    }
}

/// Parses the time and the installation's id, if present, from a file name. Returns `None` for other files.
fn named(name: &str) -> Option<(Timestamp, Option<&str>)> {
    let name = name.strip_suffix(ENDING)?;
    let (moment, of) = match name.split_once('Z')? {
        (_, "") => (name, None),
        (_, rest) => (name.strip_suffix(rest)?, Some(rest.strip_prefix('-').filter(|of| of.len() == SHORT)?)),
    };
    let time = jiff::civil::DateTime::strptime(MOMENT, moment).ok()?;
    let at = time.to_zoned(jiff::tz::TimeZone::UTC).ok()?.timestamp();
    (at.strftime(MOMENT).to_string() == moment).then(|| (Timestamp::from_millis(at.as_millisecond()), of))
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let read = || -> io::Result<_> { fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect() };
    read().map_err(|error| failed(&error))
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
        let of = InstallationId::parse(&"c0ffee00".repeat(4)).unwrap();
        let backup_scheduler = BackupScheduler::new(app.app.files().clone(), of, settings, app.app.watch().clone());
        let round = async || backup_scheduler.round(&folder).await.unwrap();
        let ours = || names(&folder).difference(&others).cloned().collect::<Vec<_>>();

        assert_eq!(round().await, Duration::from_hours(6));
        assert_eq!(ours(), ["atrium-20261121T093000Z-c0ffee00.backup"]);
        app.clock.advance(HOUR);
        assert_eq!(round().await, Duration::from_hours(5), "not due, also after a restart");
        app.clock.advance(5 * HOUR);
        round().await;
        app.clock.advance(6 * HOUR);
        round().await;
        assert_eq!(ours(), ["atrium-20261121T153000Z-c0ffee00.backup", "atrium-20261121T213000Z-c0ffee00.backup"]);
        let file = fs::File::open(folder.join(&ours()[1])).unwrap();
        verify_backup(Unsealer::new(file, Some("a passphrase that is long")).unwrap()).unwrap();
        // A clock that ran ahead and was corrected does not prevent backups.
        app.clock.advance(-48 * HOUR);
        round().await;
        assert_eq!(ours().len(), 3);
        assert!(ours().contains(&"atrium-20261119T213000Z-c0ffee00.backup".to_owned()));
        assert!(names(&folder).is_superset(&others), "nobody else's file is touched");
    }

    #[tokio::test]
    async fn an_empty_installation_is_not_backed_up_and_no_other_one_loses_its_backups() {
        let app = TestApp::empty(|_| {}).await;
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let mine = app.app.installation().clone();
        let theirs = ["atrium-20261101T000000Z-0badf00d.backup", "atrium-20261102T000000Z-0badf00d.backup"];
        let unsaid = ["atrium-20261103T000000Z.backup", "atrium-20261104T000000Z.backup"];
        let partial = "atrium-20261101T000000Z-0badf00d.backup.c0ffee00.part";
        for name in theirs.into_iter().chain(unsaid).chain([partial]) {
            fs::write(folder.join(name), "good").unwrap();
        }
        let before = names(folder);
        let settings = Backups { folder: Some(folder.to_owned()), keep: 1, ..Backups::default() };
        let backup_scheduler =
            BackupScheduler::new(app.app.files().clone(), mine.clone(), settings, app.app.watch().clone());
        assert_eq!(backup_scheduler.round(folder).await.unwrap(), EMPTY);
        assert_eq!(names(folder), before, "an empty installation is not backed up");
        app.found("acme").await;
        for _ in 0..3 {
            backup_scheduler.round(folder).await.unwrap();
            app.clock.advance(25 * HOUR);
        }
        let left = names(folder);
        for name in theirs.iter().chain(&unsaid[1..]).chain([&partial]) {
            assert!(left.contains(*name), "{name} is gone");
        }
        assert!(!left.contains(unsaid[0]), "an old one of nobody knows whose goes");
        let ours = left.iter().filter(|name| name.ends_with(&format!("-{}.backup", mine.short())));
        assert_eq!(ours.count(), 1);
    }

    #[test]
    fn only_the_names_of_backups_are_taken_for_backups() {
        let known = |name| named(name).map(|(at, of)| (at.millis(), of));
        assert_eq!(known("atrium-20261121T093000Z.backup"), Some((crate::testing::NOW, None)));
        assert_eq!(known("atrium-20261121T093000Z-c0ffee00.backup"), Some((crate::testing::NOW, Some("c0ffee00"))));
        for name in [
            "atrium-20261121T093000Z.backup2",
            "atrium-2026-11-21.backup",
            "atrium-20261321T093000Z.backup",
            "",
            "atrium-20261121T093000Z-.backup",
            "atrium-20261121T093000Zc0ffee00.backup",
        ] {
            assert!(named(name).is_none(), "{name}");
        }
    }
}
