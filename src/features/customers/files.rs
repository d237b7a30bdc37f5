//! The files of customers, which are in their `attachments`.

use uuid::Uuid;

use super::{
    model::{Attachment, Attachments, Customer},
    rules,
};
use crate::{
    feature::{AttachedFile, FileOnRecord, FileOps},
    kernel::{Error, Id, Result},
    store::{TenantRead, TenantWrite},
};

/// The files as parts of the record.
pub const FILES: FileOps = FileOps { list, add, remove };

fn files(attachments: Attachments) -> Vec<FileOnRecord> {
    let file = |entry: Attachment| {
        let Attachment { id, url, name, size, kind } = entry;
        let name = name.unwrap_or_default();
        let (size, media_type) = (size.unwrap_or_default(), kind.unwrap_or_default());
        let file = AttachedFile { path: url, name, size, media_type, width: None, height: None };
        Some(FileOnRecord { id: id?.uuid(), file, created_at: None, created_by: None })
    };
    let Attachments { media, docs, links: _ } = attachments;
    docs.into_iter().rev().chain(media.into_iter().rev()).filter_map(file).collect()
}

fn list(tx: &TenantRead<'_>, customer: [u8; 16]) -> Result<Vec<FileOnRecord>> {
    Ok(files(tx.get::<Customer>(Id::from_bytes(customer))?.value.attachments))
}

fn add(tx: &TenantWrite<'_>, customer: [u8; 16], file: AttachedFile) -> Result<FileOnRecord> {
    let path = file.path.clone();
    let changed = rules::change(tx, Id::from_bytes(customer), None, |mut customer| {
        let Attachments { media, docs, .. } = &mut customer.attachments;
        let list = if file.media_type.starts_with("image/") { media } else { docs };
        if list.iter().all(|known| known.url != file.path) {
            list.push(Attachment { url: file.path, ..Attachment::default() });
        }
        customer
    })?;
    files(changed.value.attachments).into_iter().find(|added| added.file.path == path).ok_or_else(Error::not_found)
}

fn remove(tx: &TenantWrite<'_>, customer: [u8; 16], file: Uuid) -> Result<()> {
    let customer = Id::from_bytes(customer);
    if files(tx.get::<Customer>(customer)?.value.attachments).iter().all(|known| known.id != file) {
        return Err(Error::not_found());
    }
    let is_other = |entry: &Attachment| entry.id.is_none_or(|id| id.uuid() != file);
    rules::change(tx, customer, None, |mut customer| {
        customer.attachments.media.retain(is_other);
        customer.attachments.docs.retain(is_other);
        customer
    })
    .map(drop)
}
