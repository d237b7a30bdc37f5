//! The data directory, locked for one process, and the file that identifies the installation.

use std::{
    fs::{self, DirEntry, File, Metadata, Permissions, TryLockError},
    io::{self, Read as _, Seek as _, Write as _},
    os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _},
    path::{Path, PathBuf},
};

use rustix::process::geteuid;

use super::{
    disk::{put_in_place, sibling_path},
    entries::{ACCESS_KEY, EntryKind, FILES, ID_FILE, INDEX, LOCK, STORE},
};
use crate::kernel::{Code, Entropy, Error, Result, folder, hex};

/// Entries that make a data directory an installation, besides the store and the id file.
const INSTALLATION_PARTS: [&str; 3] = [ACCESS_KEY, FILES, INDEX];
/// Names in these directories that do not indicate an installation: a new file system has them.
const IGNORED_NAMES: [&str; 2] = ["incoming", "lost+found"];

/// Id of an installation: random, created with the data directory, restored with a backup.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct InstallationId(String);

impl TryFrom<String> for InstallationId {
    type Error = &'static str;

    /// Parses the id in an archive, which becomes a part of file names.
    fn try_from(text: String) -> std::result::Result<Self, Self::Error> {
        Self::parse(&text).ok_or("not an installation's id")
    }
}

impl From<InstallationId> for String {
    fn from(id: InstallationId) -> Self {
        id.0
    }
}

impl InstallationId {
    /// Creates a random id.
    pub fn new(entropy: &Entropy) -> Self {
        Self(hex::encode(&entropy.bytes::<16>()))
    }

    /// Parses an id: 32 lowercase hexadecimal digits.
    pub fn parse(text: &str) -> Option<Self> {
        let fits = text.len() == 32 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        fits.then(|| Self(text.to_owned()))
    }

    /// The first eight digits, for file names.
    pub fn first_digits(&self) -> &str {
        self.0.get(..8).unwrap_or_default()
    }

    /// Writes the id file into a directory, durably.
    pub fn write(&self, folder: &Path) -> io::Result<()> {
        let mark = folder.join(ID_FILE);
        let new = sibling_path(&mark, "new");
        let mut options = File::options();
        let mut file = options.write(true).create(true).truncate(true).mode(0o600).open(&new)?;
        writeln!(file, "{}", self.0)?;
        put_in_place(&new, &mark)
    }
}

/// The data directory, locked by this process until this is dropped.
#[derive(Debug)]
pub struct Home {
    path: PathBuf,
    _lock: File,
}

impl Home {
    /// Locks the data directory. Creates it if missing, and restricts it and its contents to the owner.
    /// Errors: `busy`, with the id of the process that holds it; `forbidden`, with the command that fixes it, when
    /// another user owns it or others have access; `internal` when it cannot be created.
    pub fn take(path: &Path) -> Result<Self> {
        let failed = data_dir_error(path);
        folder::make(path).map_err(failed)?;
        restrict_if_empty(path).map_err(failed)?;
        check_owner(path, &fs::metadata(path).map_err(failed)?, geteuid().as_raw())?;
        let mut options = File::options();
        options.read(true).write(true).create(true).truncate(false).mode(0o600);
        let mut lock = options.open(path.join(LOCK)).map_err(failed)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(in_use_error(&mut lock)),
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        // The process id is for people. The file lock is what counts.
        let mut sign = || {
            lock.set_len(0)?;
            lock.rewind()?;
            writeln!(lock, "{}", std::process::id())
        };
        sign().map_err(failed)?;
        restrict_to_owner(path).map_err(failed)?;
        Ok(Self { path: path.to_owned(), _lock: lock })
    }

    /// Locks the data directory as it is, for as long as the returned file is open. `None` when it has no lock yet.
    /// Errors: `busy`, with the id of the process that holds it; `internal` when the lock cannot be opened.
    pub fn hold(path: &Path) -> Result<Option<File>> {
        let mut lock = match File::options().read(true).write(true).open(path.join(LOCK)) {
            Ok(lock) => lock,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(data_dir_error(path)(error)),
        };
        match lock.try_lock() {
            Ok(()) => Ok(Some(lock)),
            Err(TryLockError::WouldBlock) => Err(in_use_error(&mut lock)),
            Err(TryLockError::Error(error)) => Err(data_dir_error(path)(error)),
        }
    }

    /// The path of the data directory.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether a directory holds an installation, or parts of one. Changes nothing.
    pub fn is_installation(path: &Path) -> Result<bool> {
        if entry_exists(&path.join(STORE))
            .and_then(|store| Ok(store || entry_exists(&path.join(ID_FILE))?))
            .map_err(data_dir_error(path))?
        {
            return Ok(true);
        }
        Ok(!find_parts(path).map_err(data_dir_error(path))?.is_empty())
    }

    /// Refuses a data directory that has parts of an installation but no store. Its store may be on an unmounted disk
    /// or removed by mistake, and a new, empty store must not replace it. Also refuses a directory with unrelated
    /// files, except `.toml` files and hidden files.
    /// Errors: `internal`, with the entries found.
    pub fn expect_store(&self) -> Result<()> {
        let path = &self.path;
        if path.join(STORE).try_exists().map_err(data_dir_error(path))? {
            return Ok(());
        }
        let mut found = find_parts(path).map_err(data_dir_error(path))?;
        for name in [ID_FILE, STORE] {
            // A dangling symbolic link counts too.
            if entry_exists(&path.join(name)).map_err(data_dir_error(path))? {
                found.push(name);
            }
        }
        if !found.is_empty() {
            let params = vec![("folder", path.display().to_string()), ("found", found.join(", "))];
            return Err(Error::new(Code::Internal).say("errors.store_missing", params));
        }
        // Prevents an installation in a home directory or at a mistyped path.
        match find_foreign_entry(path).map_err(data_dir_error(path))? {
            Some(found) => {
                let params = vec![("folder", path.display().to_string()), ("found", found)];
                Err(Error::new(Code::Internal).say("errors.folder_in_use", params))
            }
            None => Ok(()),
        }
    }

    /// Returns the installation's id. Creates the id file if it is missing or damaged: for new installations and those
    /// older than the file.
    /// Errors: `internal` when the id file can be neither read nor written.
    pub fn id(&self, entropy: &Entropy) -> Result<InstallationId> {
        match fs::read(self.path.join(ID_FILE)) {
            Ok(text) => {
                if let Some(id) = std::str::from_utf8(&text).ok().and_then(|text| InstallationId::parse(text.trim())) {
                    return Ok(id);
                }
                tracing::error!("the installation file is damaged; it gets a new id");
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(data_dir_error(&self.path)(error)),
        }
        let id = InstallationId::new(entropy);
        id.write(&self.path).map_err(data_dir_error(&self.path))?;
        Ok(id)
    }
}

fn data_dir_error(path: &Path) -> impl Fn(io::Error) -> Error + Copy {
    move |error| Error::internal(format_args!("the data directory {}: {error}", path.display()))
}

/// Whether a path exists, even as a dangling symbolic link.
fn entry_exists(path: &Path) -> io::Result<bool> {
    match path.symlink_metadata() {
        Ok(_) => Ok(true),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Returns the parts of an installation, besides the store, in a directory.
fn find_parts(path: &Path) -> io::Result<Vec<&'static str>> {
    let mut found = Vec::new();
    for name in INSTALLATION_PARTS {
        let part = path.join(name);
        let holds = match fs::read_dir(&part) {
            Ok(mut entries) => entries.any(|entry| {
                entry.is_ok_and(|entry| !entry.file_name().to_str().is_some_and(|name| IGNORED_NAMES.contains(&name)))
            }),
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => return Err(error),
            Err(_) => entry_exists(&part)?,
        };
        if holds {
            found.push(name);
        }
    }
    Ok(found)
}

/// Returns an entry that belongs neither to an installation without a store nor to a new file system.
fn find_foreign_entry(path: &Path) -> io::Result<Option<String>> {
    for entry in fs::read_dir(path)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        let is_harmless = |kind| matches!(kind, EntryKind::Part | EntryKind::Helper | EntryKind::Tolerated);
        if !EntryKind::of(&name).is_some_and(is_harmless) {
            return Ok(Some(name));
        }
    }
    Ok(None)
}

/// Restricts an empty directory to its owner. Being empty, it shared nothing before.
fn restrict_if_empty(path: &Path) -> io::Result<()> {
    let found = fs::metadata(path)?;
    if found.uid() == geteuid().as_raw() && found.mode() & 0o077 != 0 && fs::read_dir(path)?.next().is_none() {
        fs::set_permissions(path, Permissions::from_mode(0o700))?;
    }
    Ok(())
}

/// Refuses a data directory that another user owns or that others can access.
fn check_owner(path: &Path, found: &Metadata, own: u32) -> Result<()> {
    let open = Error::new(Code::Forbidden);
    // Within single quotes a shell interprets only the quote itself.
    let quoted = format!("'{}'", path.display().to_string().replace('\'', r"'\''"));
    if found.uid() != own && own == 0 {
        let folder = path.display();
        let text = format!(
            "The data folder {folder} belongs to another user, who could not read files of root in it. Start the server as that user: systemctl start atrium, or setpriv --reuid={} --regid={} --clear-groups atrium serve",
            found.uid(),
            found.gid()
        );
        return Err(open.explain(text));
    }
    if found.uid() != own {
        let params = vec![("folder", path.display().to_string()), ("command", format!("sudo chown -R {own} {quoted}"))];
        return Err(open.say("errors.data_dir_owner", params));
    }
    if found.mode() & 0o077 != 0 {
        let params = vec![("folder", path.display().to_string()), ("command", format!("chmod 700 {quoted}"))];
        return Err(open.say("errors.data_dir_open", params));
    }
    Ok(())
}

/// Removes access that an earlier version left to others. Skips uploads: they always were private to the owner, and can
/// be very many.
fn restrict_to_owner(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        match restrict_entry(&entry?) {
            // Removed since it was listed, as by the search index of an application that is being closed.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            restricted => restricted?,
        }
    }
    Ok(())
}

fn restrict_entry(entry: &DirEntry) -> io::Result<()> {
    let found = entry.metadata()?;
    // Entries of other users (`lost+found`) stay as they are.
    if found.is_symlink() || found.uid() != geteuid().as_raw() {
        return Ok(());
    }
    if found.mode() & 0o077 != 0 {
        fs::set_permissions(entry.path(), Permissions::from_mode(found.mode() & 0o700))?;
    }
    if found.is_dir() && entry.file_name() != FILES {
        restrict_to_owner(&entry.path())?;
    }
    Ok(())
}

fn in_use_error(lock: &mut File) -> Error {
    let mut who = String::new();
    let read = lock.take(20).read_to_string(&mut who);
    let who = read.ok().map(|_| who.trim()).filter(|who| !who.is_empty()).unwrap_or("unknown");
    Error::new(Code::Busy).with_detail(format_args!("process {who}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn id_in_an_archive_is_one_or_the_archive_is_refused() {
        let read = |text: &str| serde_json::from_value::<InstallationId>(text.into());
        let id = InstallationId::new(&Entropy::seeded(1));
        assert_eq!(read(&id.0).unwrap(), id);
        for other in ["", "../../evil", "C0FFEE00C0FFEE00C0FFEE00C0FFEE00", &format!("{}0", id.0)] {
            assert!(read(other).is_err(), "{other}");
        }
    }

    #[test]
    fn second_take_fails_and_names_the_holding_process() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deep").join("data");
        let home = Home::take(&path).unwrap();
        let second = Home::take(&path).unwrap_err();
        assert_eq!(second.code(), Code::Busy);
        assert_eq!(second.detail(), Some(format!("process {}", std::process::id()).as_str()));
        assert_eq!(Home::hold(&path).unwrap_err().code(), Code::Busy);
        drop(home);
        let held = Home::hold(&path).unwrap();
        assert!(held.is_some() && Home::take(&path).is_err());
        drop(held);
        Home::take(&path).unwrap();
        assert!(Home::hold(folder.path()).unwrap().is_none());
    }

    #[test]
    fn files_that_are_removed_meanwhile_do_not_matter() {
        let folder = tempfile::tempdir().unwrap();
        let index = folder.path().join("data/index");
        drop(Home::take(&folder.path().join("data")).unwrap());
        fs::create_dir(&index).unwrap();
        let (stop, stopped) = std::sync::mpsc::channel::<()>();
        let remover = std::thread::spawn(move || {
            while stopped.try_recv() == Err(std::sync::mpsc::TryRecvError::Empty) {
                for n in 0..8 {
                    fs::write(index.join(n.to_string()), "").unwrap();
                }
                for n in 0..8 {
                    fs::remove_file(index.join(n.to_string())).unwrap();
                }
            }
        });
        for _ in 0..500 {
            Home::take(&folder.path().join("data")).unwrap();
        }
        drop(stop);
        remover.join().unwrap();
    }

    #[test]
    fn distinguishes_installation_empty_folder_and_missing_store() {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("data");
        assert!(!Home::is_installation(&data).unwrap());
        assert!(!data.exists(), "asking makes nothing");
        let home = Home::take(&data).unwrap();
        for nothing in ["files/incoming", "index/lost+found"] {
            fs::create_dir_all(data.join(nothing)).unwrap();
        }
        assert!(!Home::is_installation(&data).unwrap());
        home.expect_store().unwrap();
        for part in ["access.key", "files/x", "index/x", ID_FILE] {
            fs::write(data.join(part), "x").unwrap();
            assert!(Home::is_installation(&data).unwrap(), "{part}");
            let refused = home.expect_store().unwrap_err();
            assert_eq!(refused.message().unwrap().key, "errors.store_missing");
            fs::write(data.join(STORE), "x").unwrap();
            home.expect_store().unwrap();
            fs::remove_file(data.join(STORE)).unwrap();
            std::os::unix::fs::symlink("/nowhere", data.join(STORE)).unwrap();
            assert!(home.expect_store().is_err(), "a link that leads nowhere");
            fs::remove_file(data.join(STORE)).unwrap();
            fs::remove_file(data.join(part)).unwrap();
        }
        std::os::unix::fs::symlink("/nowhere", data.join(STORE)).unwrap();
        assert!(home.expect_store().is_err());
        fs::remove_file(data.join(STORE)).unwrap();
        for (name, fits) in [
            ("atrium.toml", true),
            (".snapshot", true),
            ("lost+found", true),
            ("certificates", true),
            ("thesis.odt", false),
            ("store.redb.format-3", false),
            ("replaced-20260101T000000Z", false),
        ] {
            fs::write(data.join(name), "x").unwrap();
            assert_eq!(home.expect_store().is_ok(), fits, "{name}");
            fs::remove_file(data.join(name)).unwrap();
        }
    }

    #[test]
    fn an_installation_keeps_its_id() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::take(folder.path()).unwrap();
        let id = home.id(&Entropy::seeded(1)).unwrap();
        assert_eq!(home.id(&Entropy::seeded(2)).unwrap(), id);
        assert_eq!(id.first_digits().len(), 8);
        fs::write(folder.path().join(ID_FILE), "not an id").unwrap();
        assert_ne!(home.id(&Entropy::seeded(3)).unwrap(), id);
    }

    #[test]
    fn rejects_a_directory_open_to_others_and_names_the_fix() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("it's data");
        fs::create_dir(&path).unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o755)).unwrap();
        drop(Home::take(&path).unwrap());
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o700, "an empty one is closed");
        for mode in [0o755, 0o710, 0o701] {
            fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
            let error = Home::take(&path).unwrap_err();
            assert_eq!(error.code(), Code::Forbidden);
            let said = format!("{:?}", error.message());
            assert!(said.contains("data_dir_open") && said.contains("chmod 700 '") && said.contains("data'"), "{said}");
        }
        let found = fs::metadata(&path).unwrap();
        let said = format!("{:?}", check_owner(&path, &found, found.uid() + 1).unwrap_err().message());
        assert!(said.contains("data_dir_owner") && said.contains(&format!("chown -R {}", found.uid() + 1)), "{said}");
    }

    #[test]
    fn removes_access_of_others_to_existing_files() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("data");
        drop(Home::take(&path).unwrap());
        fs::create_dir(path.join("index")).unwrap();
        for file in ["store.redb.reserve", "index/meta"] {
            fs::write(path.join(file), "x").unwrap();
            fs::set_permissions(path.join(file), Permissions::from_mode(0o644)).unwrap();
        }
        fs::set_permissions(path.join("index"), Permissions::from_mode(0o755)).unwrap();
        drop(Home::take(&path).unwrap());
        for (name, mode) in
            [("", 0o700), ("lock", 0o600), ("index", 0o700), ("index/meta", 0o600), ("store.redb.reserve", 0o600)]
        {
            assert_eq!(fs::metadata(path.join(name)).unwrap().mode() & 0o777, mode, "{name}");
        }
    }
}
