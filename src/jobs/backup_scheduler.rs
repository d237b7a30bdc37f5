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
    kernel::{self, Error, Result, Timestamp, progress::Progress},
    people::members::tenants,
    store::{InstallationId, Store},
};

/// File name of a backup: its time in UTC, followed by the beginning of the installation's id.
const TIME_FORMAT: &str = "atrium-%Y%m%dT%H%M%SZ";
const FILE_EXTENSION: &str = ".backup";
/// How often to check for a first tenant; an empty installation is not backed up.
const EMPTY_CHECK_INTERVAL: Duration = Duration::from_mins(1);
/// Characters of the installation's id in a file name.
const SHORT_ID_CHARS: usize = 8;

/// Makes scheduled backups of an installation.
pub struct BackupScheduler {
    store: Store,
    file_store: FileStore,
    installation: InstallationId,
    settings: Backups,
    monitor: HealthMonitor,
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
            let why = error.explanation().map_or_else(|| format!("{error:?}"), str::to_owned);
            self.monitor.record_backup_failure(why);
        }
        self.wait = outcome.map_err(Error::already_logged)?;
        Ok(())
    }
}

/// A backup in the folder.
struct BackupFile {
    at: Timestamp,
    /// Beginning of the installation's id; `None` for backups from before file names had it.
    installation: Option<String>,
    path: PathBuf,
}

fn folder_error(error: &io::Error) -> Error {
    Error::internal(format_args!("the folder of backups: {error}"))
}

impl BackupScheduler {
    /// Creates a scheduler for an installation.
    pub fn new(file_store: FileStore, installation: InstallationId, settings: Backups, monitor: HealthMonitor) -> Self {
        Self { store: file_store.store().clone(), file_store, installation, monitor, wait: settings.every, settings }
    }

    /// Makes a backup in the folder if one is due. Returns the time until the next one is due.
    /// Errors: `internal` when the folder or the passphrase cannot be read; the errors of [`operator::backup`].
    pub async fn round(&self, folder: &Path) -> Result<Duration> {
        kernel::folder::make(folder).map_err(|error| folder_error(&error))?;
        let now = self.store.clock().now();
        self.remove_partial_files(folder)?;
        if tenants(&self.store.snapshot()?)?.is_empty() {
            return Ok(EMPTY_CHECK_INTERVAL);
        }
        let every = i64::try_from(self.settings.every.as_millis()).unwrap_or(i64::MAX);
        if let Some(newest) = self.list_backups(folder, now)?.pop() {
            let left = every.saturating_sub(now.millis() - newest.at.millis());
            // While the next one is made, the last failure still counts.
            self.monitor.record_due_backup(newest.at);
            if let Some(left) = u64::try_from(left).ok().filter(|left| *left > 0) {
                self.monitor.record_backup(newest.at);
                return Ok(Duration::from_millis(left));
            }
        }
        let path = folder.join(format!(
            "{}-{}{FILE_EXTENSION}",
            now.jiff().strftime(TIME_FORMAT),
            self.installation.first_digits()
        ));
        let passphrase = self.settings.passphrase()?;
        let done = operator::backup(
            &self.store,
            &self.file_store,
            &self.installation,
            path.clone(),
            passphrase,
            &Progress::default(),
        )
        .await?;
        tracing::info!(file = %path.display(), done.bytes, done.damaged, "a backup was made");
        self.monitor.record_backup(now);
        self.remove_surplus(folder, now)?;
        Ok(self.settings.every)
    }

    /// Removes the oldest backups of this installation beyond the number to keep. The newest one without an id stays,
    /// because it may be the last good one of another installation.
    fn remove_surplus(&self, folder: &Path, now: Timestamp) -> Result<()> {
        let backups = self.list_backups(folder, now)?;
        let surplus = backups.len().saturating_sub(self.settings.keep);
        let stays = backups.iter().rposition(|backup| backup.installation.is_none());
        for (_, old) in backups.iter().enumerate().take(surplus).filter(|(at, _)| Some(*at) != stays) {
            fs::remove_file(&old.path).map_err(|error| folder_error(&error))?;
            tracing::info!(file = %old.path.display(), "an old backup was removed");
        }
        Ok(())
    }

    /// Removes the partial files of interrupted backups. This precedes a new backup, which may need the space.
    fn remove_partial_files(&self, folder: &Path) -> Result<()> {
        for path in list_folder(folder)? {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            let final_name = name.strip_suffix(".part").and_then(|name| name.rsplit_once('.')).map(|(name, _)| name);
            if final_name.and_then(parse_name).is_some_and(|(_, installation)| self.may_be_ours(installation)) {
                operator::remove_temp_file(&path).map_err(|error| folder_error(&error))?;
            }
        }
        Ok(())
    }

    fn may_be_ours(&self, installation: Option<&str>) -> bool {
        installation.is_none_or(|id| id == self.installation.first_digits())
    }

    /// Lists the backups that are, or may be, of this installation, oldest first. Backups dated in the future by a
    /// wrong clock are ignored until that time.
    fn list_backups(&self, folder: &Path, now: Timestamp) -> Result<Vec<BackupFile>> {
        let backup = |path: PathBuf| {
            let (at, installation) = parse_name(path.file_name()?.to_str()?)?;
            Some(BackupFile { at, installation: installation.map(str::to_owned), path })
        };
        let mut backups: Vec<BackupFile> = list_folder(folder)?.into_iter().filter_map(backup).collect();
        backups.retain(|backup| backup.at <= now && self.may_be_ours(backup.installation.as_deref()));
        backups.sort_by_key(|backup| backup.at);
        Ok(backups)
    }
}

/// Parses the time and the installation's id, if present, from a file name. Returns `None` for other files.
fn parse_name(name: &str) -> Option<(Timestamp, Option<&str>)> {
    let name = name.strip_suffix(FILE_EXTENSION)?;
    let (time, id) = match name.split_once('Z')? {
        (_, "") => (name, None),
        (_, rest) => (name.strip_suffix(rest)?, Some(rest.strip_prefix('-').filter(|id| id.len() == SHORT_ID_CHARS)?)),
    };
    let at = jiff::civil::DateTime::strptime(TIME_FORMAT, time).ok()?;
    let at = at.to_zoned(jiff::tz::TimeZone::UTC).ok()?.timestamp();
    (at.strftime(TIME_FORMAT).to_string() == time).then(|| (Timestamp::from_millis(at.as_millisecond()), id))
}

/// Returns when a backup was made, from its file name. Returns `None` for other files.
pub fn backup_time(name: &str) -> Option<Timestamp> {
    parse_name(name).map(|(at, _)| at)
}

fn list_folder(folder: &Path) -> Result<Vec<PathBuf>> {
    let read = || -> io::Result<_> { fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect() };
    read().map_err(|error| folder_error(&error))
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
        list_folder(folder).unwrap().iter().map(|path| path.file_name().unwrap().to_str().unwrap().to_owned()).collect()
    }

    #[tokio::test]
    async fn creates_due_backups_and_keeps_the_configured_number() {
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
        let id = InstallationId::parse(&"c0ffee00".repeat(4)).unwrap();
        let backup_scheduler = BackupScheduler::new(app.app.files().clone(), id, settings, app.app.watch().clone());
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
        assert!(names(&folder).is_superset(&others), "other files are not touched");
    }

    #[tokio::test]
    async fn a_failure_counts_until_a_backup_is_made() {
        let app = TestApp::new().await;
        let folder = tempfile::tempdir().unwrap();
        let secret = folder.path().join("passphrase");
        fs::write(&secret, "a passphrase that is long\n").unwrap();
        let backups = folder.path().join("backups");
        let settings =
            Backups { folder: Some(backups.clone()), passphrase_file: Some(secret.clone()), ..Backups::default() };
        let watch = app.app.watch();
        let id = app.app.installation().clone();
        let mut scheduler = BackupScheduler::new(app.app.files().clone(), id, settings, watch.clone());
        scheduler.run().await.unwrap();
        app.clock.advance(25 * HOUR);
        fs::remove_file(&secret).unwrap();
        scheduler.run().await.unwrap_err();
        let failure = watch.condition().unwrap().backup_error;
        assert!(failure.is_some());
        // The next attempt has begun, and is not done.
        scheduler.round(&backups).await.unwrap_err();
        assert_eq!(watch.condition().unwrap().backup_error, failure);
        fs::write(&secret, "a passphrase that is long\n").unwrap();
        scheduler.run().await.unwrap();
        assert_eq!(watch.condition().unwrap().backup_error, None);
    }

    #[tokio::test]
    async fn skips_an_empty_installation_and_keeps_backups_of_others() {
        let app = TestApp::empty(|_| {}).await;
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let mine = app.app.installation().clone();
        let theirs = ["atrium-20261101T000000Z-0badf00d.backup", "atrium-20261102T000000Z-0badf00d.backup"];
        let without_id = ["atrium-20261103T000000Z.backup", "atrium-20261104T000000Z.backup"];
        let partial = "atrium-20261101T000000Z-0badf00d.backup.c0ffee00.part";
        for name in theirs.into_iter().chain(without_id).chain([partial]) {
            fs::write(folder.join(name), "good").unwrap();
        }
        let before = names(folder);
        let settings = Backups { folder: Some(folder.to_owned()), keep: 1, ..Backups::default() };
        let backup_scheduler =
            BackupScheduler::new(app.app.files().clone(), mine.clone(), settings, app.app.watch().clone());
        assert_eq!(backup_scheduler.round(folder).await.unwrap(), EMPTY_CHECK_INTERVAL);
        assert_eq!(names(folder), before, "an empty installation is not backed up");
        app.found("acme").await;
        for _ in 0..3 {
            backup_scheduler.round(folder).await.unwrap();
            app.clock.advance(25 * HOUR);
        }
        let left = names(folder);
        for name in theirs.iter().chain(&without_id[1..]).chain([&partial]) {
            assert!(left.contains(*name), "{name} is gone");
        }
        assert!(!left.contains(without_id[0]), "an old one without an id is removed");
        let ours = left.iter().filter(|name| name.ends_with(&format!("-{}.backup", mine.first_digits())));
        assert_eq!(ours.count(), 1);
    }

    #[test]
    fn recognizes_only_file_names_of_backups() {
        let known = |name| parse_name(name).map(|(at, id)| (at.millis(), id));
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
            assert!(parse_name(name).is_none(), "{name}");
        }
    }
}
