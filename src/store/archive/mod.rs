//! The archive format: frames, each with a checksum over its kind, position and content. The first frame is the title.
//! The last one states the totals, so that no missing part goes unnoticed.

mod parts;
mod seal;

use std::io::{Read, Write};

use flate2::{Compression, write::DeflateEncoder};

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::Xxh3;

pub(super) use self::parts::{Part, Parts, each_row};
pub use self::seal::{Sealer, Unsealer};
use super::{
    codec::encode, derived::row_digest, errors::disk_error, format::FORMAT, home::InstallationId, quarantine::Damage,
};
use crate::kernel::{Error, Result, TenantId, Timestamp};

/// Magic bytes of every archive. The format version follows.
const MAGIC: &[u8; 7] = b"ATRIUM\0";
const VERSION: u8 = 1;
/// Bytes of rows, or of a file, collected for one frame.
const FRAME_BYTES: usize = 256 * 1024;
/// Largest payload of a frame, in bytes: enough for the largest row and a full frame.
const MAX_FRAME_BYTES: usize = 32 * 1024 * 1024;

/// Kinds of frames, as stored.
const TITLE: u8 = 1;
const ROWS: u8 = 2;
const END: u8 = 3;
const FILE: u8 = 4;
const BYTES: u8 = 5;
const PACKED_ROWS: u8 = 6;

/// Maximum compression ratio of a frame, so that a small file cannot fill a disk.
const MAX_RATIO: usize = 100;

/// The head of an archive.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Title {
    /// The format of the store that it was made from.
    pub format: u32,
    /// When it was made.
    pub at: Timestamp,
    /// The tenant whose data it holds; `None` for a whole installation.
    pub tenant: Option<TenantId>,
    /// The last sequence number of the change feed in it.
    pub last_change: u64,
    /// The version of Atrium that made it.
    #[serde(default)]
    pub made_by: String,
    /// The installation that it was made from; `None` in older archives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub installation: Option<InstallationId>,
}

impl Title {
    pub(super) fn new(at: Timestamp, tenant: Option<TenantId>, last_change: u64) -> Self {
        let made_by = env!("CARGO_PKG_VERSION").to_owned();
        Self { format: FORMAT, at, tenant, last_change, made_by, installation: None }
    }
}

/// The totals at the end of an archive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Trailer {
    pub(super) rows: u64,
    pub(super) bytes: u64,
    digest: u64,
    #[serde(default)]
    pub(super) files: u64,
    #[serde(default)]
    file_bytes: u64,
}

impl Trailer {
    pub(super) fn add(&mut self, key: &[u8], value: &[u8]) {
        self.rows += 1;
        self.bytes += (key.len() + value.len()) as u64;
        self.digest = self.digest.wrapping_add(row_digest(key, value));
    }

    /// Whether another archive has the same rows, regardless of files.
    pub(super) fn has_rows_of(&self, other: &Self) -> bool {
        (self.rows, self.bytes, self.digest) == (other.rows, other.bytes, other.digest)
    }

    fn add_file(&mut self, head: &FileHead) {
        self.files += 1;
        self.file_bytes = self.file_bytes.saturating_add(head.size);
    }
}

/// Summary of a written or read backup.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BackupSummary {
    /// The title of the archive.
    pub title: Title,
    /// Number of rows.
    pub rows: u64,
    /// Bytes of keys and values.
    pub bytes: u64,
    /// Number of files.
    pub files: u64,
    /// Damaged rows. They are copied unchanged, so that they can be repaired later.
    pub damage: Vec<Damage>,
}

/// A file's name, and the number of bytes that follow.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct FileHead {
    pub(super) name: String,
    pub(super) size: u64,
}

/// The error for a truncated or damaged archive.
pub(super) fn damaged_archive(detail: &str) -> Error {
    Error::field("file", "errors.fields.archive_damaged")
        .with_detail(format_args!("the archive is not whole: {detail}"))
}

/// The error for a file that is not an archive, or an archive of the wrong type.
pub(super) fn foreign_archive(detail: &str) -> Error {
    Error::field("file", "errors.fields.archive_foreign").with_detail(detail)
}

/// The error for an archive of a newer version.
pub(super) fn newer_archive(detail: impl std::fmt::Display) -> Error {
    Error::field("file", "errors.fields.archive_newer").with_detail(detail)
}

fn frame_sum(kind: u8, place: u64, payload: &[u8]) -> [u8; 8] {
    let mut hash = Xxh3::new();
    hash.update(&[kind]);
    hash.update(&place.to_be_bytes());
    hash.update(payload);
    hash.digest().to_be_bytes()
}

/// Writes an archive. Frame layout: kind, length, checksum over kind, position and payload, payload.
pub(super) struct Frames<W> {
    out: W,
    place: u64,
    rows: Vec<u8>,
    trailer: Trailer,
}

impl<W: Write> Frames<W> {
    pub(super) fn begin(out: W, title: &Title) -> Result<Self> {
        let mut frames = Self { out, place: 0, rows: Vec::new(), trailer: Trailer::default() };
        frames.out.write_all(MAGIC).and_then(|()| frames.out.write_all(&[VERSION])).map_err(disk_error)?;
        frames.put(TITLE, &encode(title)?)?;
        Ok(frames)
    }

    fn put(&mut self, kind: u8, payload: &[u8]) -> Result<()> {
        let len = u32::try_from(payload.len()).map_err(Error::internal)?;
        let sum = frame_sum(kind, self.place, payload);
        self.place += 1;
        for part in [&[kind][..], &len.to_be_bytes(), &sum, payload] {
            self.out.write_all(part).map_err(disk_error)?;
        }
        Ok(())
    }

    pub(super) fn row(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        self.trailer.add(key, value);
        push_row(&mut self.rows, key, value)?;
        if self.rows.len() >= FRAME_BYTES { self.put_rows() } else { Ok(()) }
    }

    fn put_rows(&mut self) -> Result<()> {
        let mut rows = std::mem::take(&mut self.rows);
        if !rows.is_empty() {
            match packed(&rows)? {
                Some(packed) => self.put(PACKED_ROWS, &packed)?,
                None => self.put(ROWS, &rows)?,
            }
            rows.clear();
            self.rows = rows;
        }
        Ok(())
    }

    pub(super) fn file(&mut self, head: &FileHead, mut bytes: impl Read) -> Result<()> {
        self.put_rows()?;
        self.trailer.add_file(head);
        self.put(FILE, &encode(head)?)?;
        let mut left = head.size;
        let mut piece = vec![0; FRAME_BYTES];
        while left > 0 {
            let len = usize::try_from(left).map_or(FRAME_BYTES, |left| left.min(FRAME_BYTES));
            let piece = piece.get_mut(..len).unwrap_or_default();
            bytes.read_exact(piece).map_err(disk_error)?;
            self.put(BYTES, piece)?;
            left -= len as u64;
        }
        Ok(())
    }

    pub(super) fn finish(mut self) -> Result<Trailer> {
        self.put_rows()?;
        let trailer = self.trailer;
        self.put(END, &encode(&trailer)?)?;
        self.out.flush().map_err(disk_error)?;
        Ok(trailer)
    }
}

/// Adds a row to the rows of a part.
pub(in crate::store) fn push_row(rows: &mut Vec<u8>, key: &[u8], value: &[u8]) -> Result<()> {
    for part in [key, value] {
        rows.extend_from_slice(&u32::try_from(part.len()).map_err(Error::internal)?.to_be_bytes());
        rows.extend_from_slice(part);
    }
    Ok(())
}

/// Compresses rows. Returns `None` when that saves nothing or exceeds the allowed ratio.
fn packed(rows: &[u8]) -> Result<Option<Vec<u8>>> {
    let mut encoder = DeflateEncoder::new(Vec::with_capacity(rows.len() / 2), Compression::fast());
    encoder.write_all(rows).map_err(disk_error)?;
    let packed = encoder.finish().map_err(disk_error)?;
    Ok(Some(packed).filter(|packed| packed.len() < rows.len() && rows.len() <= packed.len() * MAX_RATIO))
}
