//! Files on records.

use poem_openapi::Object;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;
use uuid::Uuid;

use crate::{
    kernel::{MemberId, Result, Timestamp},
    store::{TenantRead, TenantWrite},
};

/// An attached file.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Object)]
#[oai(rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct AttachedFile {
    /// The path of the file. It opens in the sessions of members who may see a record with the file.
    pub path: String,
    /// The original file name.
    pub name: String,
    /// The size in bytes.
    pub size: u64,
    /// The media type. Only `image/...` is shown, all other types are downloaded.
    pub media_type: String,
    /// The width of an image in pixels, if known.
    pub width: Option<u32>,
    /// The height of an image in pixels, if known.
    pub height: Option<u32>,
}

/// A file on a record.
#[derive(Debug)]
pub struct FileOnRecord {
    /// The id under which it is removed.
    pub id: Uuid,
    /// The file.
    pub file: AttachedFile,
    /// When it was attached, if known.
    pub created_at: Option<Timestamp>,
    /// The member who attached it, if known.
    pub created_by: Option<MemberId>,
}

/// The files of a kind that keeps them in its records. All take the record's id.
#[derive(Clone, Copy, Debug)]
pub struct FileOps {
    /// Returns the files, the newest first.
    pub list: fn(&TenantRead<'_>, [u8; 16]) -> Result<Vec<FileOnRecord>>,
    /// Attaches a file.
    pub add: fn(&TenantWrite<'_>, [u8; 16], AttachedFile) -> Result<FileOnRecord>,
    /// Removes a file.
    /// Errors: `not_found`.
    pub remove: fn(&TenantWrite<'_>, [u8; 16], Uuid) -> Result<()>,
}
