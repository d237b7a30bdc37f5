//! Settings of scheduled backups.

use std::{fs, path::PathBuf, time::Duration};

use rustix::fs::{Access, access};

use super::{Config, values::read_secret};
use crate::kernel::{Result, text::SHORTEST_PASSPHRASE};

/// When and where backups are made, and how many are kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Backups {
    /// The folder; without one, no backups are made.
    pub folder: Option<PathBuf>,
    /// Age of the newest backup at which the next one is made.
    pub every: Duration,
    /// Number of backups kept.
    pub keep: usize,
    /// The file whose first line is the passphrase.
    pub passphrase_file: Option<PathBuf>,
}

impl Default for Backups {
    fn default() -> Self {
        Self { folder: None, every: Duration::from_hours(24), keep: 14, passphrase_file: None }
    }
}

impl Backups {
    /// Reads the passphrase from its file at each call, because it may have changed.
    pub fn passphrase(&self) -> Result<Option<String>> {
        let read = |file| read_secret(file, |line| line, SHORTEST_PASSPHRASE);
        self.passphrase_file.as_deref().map(read).transpose()
    }
}

/// Returns why backups cannot be made now, as a warning: a missing disk may come back.
pub(super) fn warnings(config: &Config) -> Option<(&'static str, String)> {
    let folder = std::path::absolute(config.backup.folder.as_ref()?).ok()?;
    // The nearest existing folder decides: the folders below it are created.
    let there = folder.ancestors().find(|folder| folder.symlink_metadata().is_ok())?;
    let reason = match fs::metadata(there) {
        Ok(about) if !about.is_dir() => "this is no folder".to_owned(),
        Ok(_) => access(there, Access::WRITE_OK | Access::EXEC_OK).err()?.to_string(),
        Err(error) => error.to_string(),
    };
    Some(("backup.folder", format!("{} cannot be made: {}: {reason}", folder.display(), there.display())))
}

/// Returns the faults of the settings, by key and reason.
pub(super) fn faults(config: &Config) -> Vec<(&'static str, String)> {
    let mut faults = Vec::new();
    if let Err(error) = config.backup.passphrase() {
        faults.push(("backup.passphrase_file", error.detail().unwrap_or_default().to_owned()));
    }
    if config.backup.folder.as_ref().is_some_and(|folder| folder.starts_with(&config.data_dir)) {
        faults.push(("backup.folder", "expected one outside of data_dir, which a backup is to outlive".to_owned()));
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warns_about_a_backup_folder_that_cannot_be_created() {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("file");
        fs::write(&file, "").unwrap();
        let doubt = |folder: PathBuf| {
            let mut config = Config::default();
            config.backup.folder = Some(folder);
            warnings(&config)
        };
        assert_eq!(doubt(place.path().join("new/backups")), None);
        assert_eq!(doubt(place.path().to_owned()), None);
        for folder in [file.join("backups"), file.clone()] {
            let (key, reason) = doubt(folder).unwrap();
            assert!(key == "backup.folder" && reason.contains(&file.display().to_string()), "{reason}");
        }
        assert_eq!(warnings(&Config::default()), None);
    }

    #[test]
    fn rejects_backups_in_the_data_dir_and_unusable_passphrase_files() {
        let folder = tempfile::tempdir().unwrap();
        let keys = |change: &dyn Fn(&mut Config)| {
            let mut config = Config::default();
            change(&mut config);
            faults(&config).into_iter().map(|(key, _)| key).collect::<Vec<_>>()
        };
        assert!(keys(&|_| {}).is_empty());
        assert_eq!(keys(&|config| config.backup.folder = Some(config.data_dir.join("backups"))), ["backup.folder"]);
        assert!(keys(&|config| config.backup.folder = Some("./backups".into())).is_empty());
        let file = folder.path().join("passphrase");
        for (text, is_fault) in [("too short\n", true), ("", true), ("a passphrase that is long\r\nmore", false)] {
            fs::write(&file, text).unwrap();
            let found = keys(&|config| config.backup.passphrase_file = Some(file.clone()));
            assert_eq!(!found.is_empty(), is_fault, "{text:?}");
        }
        fs::remove_file(&file).unwrap();
        assert_eq!(keys(&|config| config.backup.passphrase_file = Some(file.clone())), ["backup.passphrase_file"]);
    }
}
