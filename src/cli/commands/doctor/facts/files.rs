//! Facts about files and folders: the data directory, secrets, backups, disks and addresses to listen at.

use std::{
    fs::{self, File},
    io::{self, Write as _},
    net::{SocketAddr, TcpListener},
    os::unix::{
        fs::{FileTypeExt as _, MetadataExt as _},
        net::UnixStream,
    },
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use super::{
    accounts::ServerUser,
    timed::{DISK_LIMIT, within},
};
use crate::{
    config::{Config, ListenAddress},
    jobs::backup_time,
    kernel::Timestamp,
    store::{
        Home, InstallationId, Unsealer,
        entries::{CONTROL_SOCKET, EntryKind, FILES, ID_FILE, INDEX, RESTORE_READY, STORE},
        verify_backup,
    },
};

/// Entries of a data directory that are looked at, and as many uploads.
const MAX_ENTRIES: usize = 20_000;
/// Levels of folders in it that are looked at.
const MAX_DEPTH: u32 = 6;
/// Seconds after which an unfinished file is a leftover.
const LEFTOVER_SECONDS: i64 = 3_600;
/// What is written to measure a disk.
const WRITTEN_BYTES: usize = 4096;
/// How often it is written.
const WRITES: usize = 5;
/// The largest backup that is read to its end.
const MAX_VERIFIED_BYTES: u64 = 64 << 20;

/// A file or a folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PathFacts {
    /// Its path.
    pub path: PathBuf,
    /// The user who owns it.
    pub user: u32,
    /// Its group.
    pub group: u32,
    /// Its permissions.
    pub mode: u32,
    /// Whether it is a folder.
    pub is_folder: bool,
    /// Whether an access list (ACL) says more than its mode.
    pub has_access_list: bool,
    /// The id of its file system.
    pub device: u64,
    /// When it was changed, in seconds since 1970.
    pub changed: i64,
    /// Its size.
    pub bytes: u64,
}

impl PathFacts {
    /// Looks at a path; `None` when there is nothing.
    pub fn of(path: &Path) -> Option<Self> {
        let about = fs::metadata(path).ok()?;
        Some(Self {
            path: std::path::absolute(path).ok()?,
            user: about.uid(),
            group: about.gid(),
            mode: about.mode() & 0o7777,
            is_folder: about.is_dir(),
            has_access_list: rustix::fs::getxattr(path, "system.posix_acl_access", &mut [0_u8; 4096]).is_ok(),
            device: about.dev(),
            changed: about.mtime(),
            bytes: about.len(),
        })
    }

    /// Whether users other than the owner and its group may read it.
    pub const fn is_for_everyone(&self) -> bool {
        self.mode & 0o007 != 0
    }

    /// Whether users other than the owner may change it.
    pub const fn is_writable_by_others(&self) -> bool {
        self.mode & 0o022 != 0
    }
}

/// The data directory.
#[derive(Clone, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct DataDir {
    /// Its absolute path.
    pub path: PathBuf,
    /// The folder itself, if it exists.
    pub folder: Option<PathFacts>,
    /// Whether this user may not look into it.
    pub is_denied: bool,
    /// Whether it has a store.
    pub has_store: bool,
    /// Whether it has parts of an installation.
    pub has_parts: bool,
    /// Whether its search index is there.
    pub has_index: bool,
    /// Whether the id of the installation is missing or damaged.
    pub has_no_id: bool,
    /// Whether a restored backup waits for the next start.
    pub is_restore_pending: bool,
    /// Entries to which other users have access.
    pub others: Vec<PathBuf>,
    /// Entries of another user than the folder's.
    pub foreign: Vec<PathBuf>,
    /// Unfinished files and folders that have not been changed for an hour.
    pub leftovers: Vec<PathBuf>,
    /// Data that restores and repairs replaced.
    pub replaced: Vec<PathBuf>,
    /// Stores of older formats.
    pub former_stores: Vec<PathBuf>,
    /// Entries that Atrium does not know.
    pub unknown: Vec<String>,
    /// Whether the control socket has no server.
    pub has_stale_socket: bool,
    /// Bytes of the store and the uploads.
    pub bytes: u64,
}

impl DataDir {
    /// Returns the user who owns it.
    pub fn owner(&self) -> u32 {
        self.folder.as_ref().map_or_else(|| rustix::process::geteuid().as_raw(), |folder| folder.user)
    }

    /// Returns its group.
    pub fn group(&self) -> u32 {
        self.folder.as_ref().map_or_else(|| rustix::process::getegid().as_raw(), |folder| folder.group)
    }

    /// Returns it, or the nearest folder above it that exists.
    pub fn nearest(&self) -> Option<&Path> {
        self.path.ancestors().find(|folder| folder.is_dir())
    }

    /// Looks at a data directory.
    pub fn gather(path: &Path, now: Timestamp) -> Self {
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let id = fs::read_to_string(path.join(ID_FILE)).ok();
        let mut found = Self {
            folder: PathFacts::of(&path),
            is_denied: fs::read_dir(&path).is_err_and(|error| error.kind() == io::ErrorKind::PermissionDenied),
            has_store: path.join(STORE).exists(),
            has_parts: Home::is_installation(&path).unwrap_or_default(),
            has_index: fs::read_dir(path.join(INDEX)).is_ok_and(|mut entries| entries.next().is_some()),
            has_no_id: id.is_none_or(|id| InstallationId::parse(id.trim()).is_none()),
            is_restore_pending: path.join(RESTORE_READY).is_dir(),
            has_stale_socket: is_stale_socket(&path.join(CONTROL_SOCKET)),
            path,
            ..Self::default()
        };
        // Elsewhere, nothing is Atrium's.
        if found.has_parts && found.folder.as_ref().is_some_and(|folder| folder.is_folder) {
            found.look_around(now);
        }
        found
    }

    fn look_around(&mut self, now: Timestamp) {
        for entry in fs::read_dir(&self.path).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let changed = entry.metadata().map(|about| about.mtime());
            match EntryKind::of(&name) {
                None => self.unknown.push(name),
                Some(EntryKind::FormerStore) => self.former_stores.push(entry.path()),
                Some(EntryKind::Replaced) => self.replaced.push(entry.path()),
                Some(EntryKind::Unfinished)
                    if changed.is_ok_and(|changed| now.seconds() - changed > LEFTOVER_SECONDS) =>
                {
                    self.leftovers.push(entry.path());
                }
                Some(_) => {}
            }
        }
        let owner = self.owner();
        let root = self.path.clone();
        let mut left = Left { uploads: MAX_ENTRIES, others: MAX_ENTRIES };
        self.bytes = fs::metadata(root.join(STORE)).map_or(0, |store| store.len());
        self.walk(&root, owner, now, MAX_DEPTH, &mut left);
        for list in
            [&mut self.others, &mut self.foreign, &mut self.leftovers, &mut self.former_stores, &mut self.replaced]
        {
            list.sort();
        }
        self.unknown.sort();
    }

    /// Looks at the entries of a folder. Uploads are very many, and only counted.
    fn walk(&mut self, folder: &Path, owner: u32, now: Timestamp, depth: u32, left: &mut Left) {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let Ok(about) = entry.metadata() else { continue };
            let path = entry.path();
            let is_upload = path.starts_with(self.path.join(FILES));
            let left_here = if is_upload { &mut left.uploads } else { &mut left.others };
            if *left_here == 0 || entry.file_name() == "lost+found" {
                continue;
            }
            *left_here -= 1;
            if is_upload && about.is_file() {
                self.bytes += about.len();
            }
            let has_no_mode = about.file_type().is_socket() || about.is_symlink();
            let is_open = about.mode() & 0o077 != 0 && !has_no_mode;
            if is_open && (about.is_dir() || !is_upload) {
                self.others.push(path.clone());
            }
            if about.uid() != owner && !about.is_symlink() {
                self.foreign.push(path.clone());
            }
            let is_incoming = folder.ends_with("files/incoming") && about.is_file();
            if is_incoming && now.seconds() - about.mtime() > LEFTOVER_SECONDS {
                self.leftovers.push(path.clone());
            }
            if about.is_dir() && depth > 0 {
                self.walk(&path, owner, now, depth - 1, left);
            }
        }
    }
}

/// Entries that may still be looked at.
struct Left {
    uploads: usize,
    others: usize,
}

/// Whether a socket's file exists, and no program listens at it.
fn is_stale_socket(path: &Path) -> bool {
    let is_socket = fs::symlink_metadata(path).is_ok_and(|about| about.file_type().is_socket());
    is_socket && UnixStream::connect(path).is_err_and(|error| error.kind() == io::ErrorKind::ConnectionRefused)
}

/// A file, or a folder of files, that a setting names and the server reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedFile {
    /// The setting.
    pub key: &'static str,
    /// Whether it is a secret.
    pub is_secret: bool,
    /// The file.
    pub file: PathFacts,
    /// What keeps the server from reading it: the file, or a folder above it.
    pub refused: Option<PathFacts>,
}

impl NamedFile {
    /// Looks at all of them that exist.
    pub fn gather(config: &Config, user: &ServerUser) -> Vec<Self> {
        let files = [
            ("mail.password_file", true, &config.mail.password_file),
            ("backup.passphrase_file", true, &config.backup.passphrase_file),
            ("metrics.token_file", true, &config.metrics.token_file),
            ("alerts.webhook_secret_file", true, &config.alerts.webhook_secret_file),
            ("tls.key", true, &config.tls.key),
            ("tls.certificate", false, &config.tls.certificate),
            ("acme.ca_file", false, &config.acme.ca_file),
            ("mail.ca_file", false, &config.mail.ca_file),
            ("languages", false, &config.languages),
        ];
        let look = |(key, is_secret, file): (&'static str, bool, &Option<PathBuf>)| {
            let file = PathFacts::of(file.as_deref()?)?;
            let refused = user.refused_read(&file.path);
            Some(Self { key, is_secret, file, refused })
        };
        files.into_iter().filter_map(look).collect()
    }
}

/// Whether a file has the name of an unfinished backup: that of a scheduled one, and a random number.
fn is_unfinished_backup(name: &str) -> bool {
    let name = name.strip_suffix(".part").and_then(|name| name.rsplit_once('.'));
    name.is_some_and(|(backup, number)| number.len() == 8 && backup_time(backup).is_some())
}

/// The folder of backups.
#[derive(Clone, Debug, Default)]
pub struct BackupFolder {
    /// Its path.
    pub path: PathBuf,
    /// The folder, if it exists.
    pub folder: Option<PathFacts>,
    /// Why backups cannot be written to it.
    pub obstacle: Option<String>,
    /// What keeps the server from writing to it: the folder, or one above it.
    pub refused: Option<PathFacts>,
    /// The backups in it, the oldest first, with their times.
    pub backups: Vec<(Timestamp, PathFacts)>,
    /// Unfinished backups that have not been changed for an hour.
    pub leftovers: Vec<PathBuf>,
    /// Free bytes.
    pub free_bytes: Option<u64>,
    /// The file system of the data directory.
    pub data_device: Option<u64>,
    /// Why the newest backup is no complete backup. `None` also when it is too large to be read here.
    pub newest_fault: Option<String>,
}

impl BackupFolder {
    /// Looks at the folder, if there is one.
    pub fn gather(config: &Config, data: &DataDir, user: &ServerUser, now: Timestamp) -> Option<Self> {
        let path = std::path::absolute(config.backup.folder.as_ref()?).ok()?;
        let mut found = Self {
            folder: PathFacts::of(&path),
            data_device: data.folder.as_ref().map(|folder| folder.device),
            ..Self::default()
        };
        if found.folder.as_ref().is_some_and(|folder| folder.is_folder) {
            found.refused = user.refused_write(&path);
            // The rights of this user do not matter, but a read-only file system refuses every user.
            let writable = rustix::fs::access(&path, rustix::fs::Access::WRITE_OK);
            found.obstacle = writable.err().filter(|error| *error == rustix::io::Errno::ROFS).map(|it| it.to_string());
            found.free_bytes = fs4::available_space(&path).ok();
        } else if found.folder.is_some() {
            found.obstacle = Some("it is no folder".to_owned());
        }
        for entry in fs::read_dir(&path).into_iter().flatten().flatten() {
            let Some(file) = PathFacts::of(&entry.path()) else { continue };
            let name = entry.file_name().to_string_lossy().into_owned();
            if let Some(at) = backup_time(&name) {
                found.backups.push((at, file));
            } else if is_unfinished_backup(&name) && now.seconds() - file.changed > LEFTOVER_SECONDS {
                found.leftovers.push(entry.path());
            }
        }
        found.backups.sort_by_key(|(at, _)| *at);
        found.leftovers.sort();
        found.path = path;
        found.newest_fault = found.verify_newest(config);
        Some(found)
    }

    fn verify_newest(&self, config: &Config) -> Option<String> {
        let (_, file) = self.backups.last()?;
        if file.bytes == 0 {
            return Some("it is empty".to_owned());
        }
        if file.bytes > MAX_VERIFIED_BYTES {
            return None;
        }
        let passphrase = config.backup.passphrase().ok()?;
        let path = file.path.clone();
        let verified = within(DISK_LIMIT, move || {
            let file = File::open(&path).map_err(|error| error.to_string())?;
            let said = |error: crate::kernel::Error| error.detail().unwrap_or("it is damaged or truncated").to_owned();
            let archive = Unsealer::new(file, passphrase.as_deref()).map_err(said)?;
            verify_backup(archive).map(drop).map_err(said)
        });
        verified?.err()
    }
}

/// The disk of the data directory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DiskFacts {
    /// Free bytes.
    pub free_bytes: u64,
    /// All bytes.
    pub total_bytes: u64,
    /// Free files; `None` when the file system does not limit them.
    pub free_files: Option<u64>,
    /// Whether it is mounted read-only.
    pub is_read_only: bool,
    /// The name of its kind of file system, if it is one over the network.
    pub network: Option<&'static str>,
    /// Whether its content is lost with a restart of the machine.
    pub is_volatile: bool,
    /// The median time of a small durable write. `None` when nothing may be written.
    pub write_time: Option<Duration>,
}

/// File systems over the network, by their numbers (`statfs(2)`).
const NETWORK_SYSTEMS: [(i64, &str); 6] = [
    (0x6969, "NFS"),
    (0x517b, "SMB"),
    (0xfe53_4d42, "SMB2"),
    (0xff53_4d42, "CIFS"),
    (0x0102_1997, "9P"),
    (0x00c3_6400, "Ceph"),
];
/// File systems in memory.
const MEMORY_SYSTEMS: [i64; 2] = [0x0102_1994, 0x8584_58f6];
/// Folders whose content a start of the machine, or a timer, removes.
const VOLATILE_FOLDERS: [&str; 4] = ["/tmp", "/var/tmp", "/run", "/dev/shm"];

impl DiskFacts {
    /// Looks at the disk of a folder; `None` when it does not answer in time.
    pub fn gather(folder: &Path) -> Option<Self> {
        let folder = folder.to_owned();
        within(DISK_LIMIT, move || Self::look(&folder)).flatten()
    }

    fn look(folder: &Path) -> Option<Self> {
        let stats = rustix::fs::statvfs(folder).ok()?;
        #[expect(clippy::useless_conversion, reason = "the type differs between architectures")]
        let kind = rustix::fs::statfs(folder).ok().map(|stats| i64::from(stats.f_type));
        let is_volatile = kind.is_some_and(|kind| MEMORY_SYSTEMS.contains(&kind))
            || VOLATILE_FOLDERS.iter().any(|place| folder.starts_with(place));
        Some(Self {
            free_bytes: stats.f_bavail.saturating_mul(stats.f_frsize),
            total_bytes: stats.f_blocks.saturating_mul(stats.f_frsize),
            free_files: (stats.f_files > 0).then_some(stats.f_favail),
            is_read_only: stats.f_flag.contains(rustix::fs::StatVfsMountFlags::RDONLY),
            network: kind.and_then(|kind| NETWORK_SYSTEMS.iter().find(|(number, _)| *number == kind)).map(|it| it.1),
            is_volatile,
            write_time: measure(folder).ok(),
        })
    }
}

/// Measures a small durable write, in a file without a name.
fn measure(folder: &Path) -> io::Result<Duration> {
    let flags = rustix::fs::OFlags::TMPFILE | rustix::fs::OFlags::RDWR;
    let mut file = File::from(rustix::fs::open(folder, flags, rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR)?);
    let mut times = Vec::new();
    for _ in 0..WRITES {
        let began = Instant::now();
        file.write_all(&[0; WRITTEN_BYTES])?;
        file.sync_data()?;
        times.push(began.elapsed());
    }
    times.sort();
    Ok(times[WRITES / 2])
}

/// Whether the addresses of the settings can be listened at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listening {
    /// Why a stopped server could not listen at `listen`.
    pub main: Option<io::ErrorKind>,
    /// Why it could not listen at `tls.redirect`.
    pub redirect: Option<io::ErrorKind>,
    /// The missing folder of the Unix socket.
    pub missing_folder: Option<PathBuf>,
    /// The Unix socket that a server left behind.
    pub stale_socket: Option<PathBuf>,
}

impl Listening {
    /// Tries the addresses of a stopped server.
    pub fn gather(config: &Config, is_running: bool) -> Self {
        let attempt = |address: SocketAddr| TcpListener::bind(address).err().map(|error| error.kind());
        match &config.listen {
            ListenAddress::Tcp(address) => Self {
                main: if is_running { None } else { attempt(*address) },
                redirect: config.tls.redirect.filter(|_| !is_running).and_then(attempt),
                ..Self::default()
            },
            ListenAddress::Unix(path) => Self {
                missing_folder: path.parent().filter(|folder| !folder.exists()).map(Path::to_owned),
                stale_socket: Some(path.clone()).filter(|path| is_stale_socket(path)),
                ..Self::default()
            },
        }
    }
}
