//! Errors of the disk and of redb.

use std::io::ErrorKind;

use crate::kernel::{Code, Error};

/// The retryable error for a failing disk.
pub(super) fn disk_error(error: impl std::fmt::Display) -> Error {
    Error::new(Code::Busy).retry_after(1).with_detail(format_args!("store: {error}"))
}

/// The error for a file that cannot be opened: damaged, or a failing disk.
pub(super) fn open_error(error: impl Into<redb::Error>) -> Error {
    let error = error.into();
    let damaged = match &error {
        redb::Error::Corrupted(_) => true,
        redb::Error::Io(io) => matches!(io.kind(), ErrorKind::UnexpectedEof | ErrorKind::InvalidData),
        _ => false,
    };
    if damaged { Error::damaged(format_args!("the store's file: {error}")) } else { disk_error(error) }
}

/// The error for a write that the store cannot take now.
pub(super) fn busy_error(seconds: u32, detail: &str) -> Error {
    Error::new(Code::Busy).retry_after(seconds).with_detail(detail)
}
