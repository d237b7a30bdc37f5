//! The tags of the records of a kind, whose lists have a column `tags`.

use uuid::Uuid;

use super::{ColumnType, KindRecord};
use crate::{
    kernel::{ColumnValue, Id, Result},
    people::permission::Reader,
    store::{Scan, Stored, TenantRead},
};

/// A record with its tags.
#[derive(Debug)]
pub struct TaggedRecord {
    /// Its id.
    pub id: Uuid,
    /// Its tags, in its order.
    pub tags: Vec<String>,
}

/// Some of the records that have a tag.
#[derive(Debug)]
pub struct TaggedPage {
    /// The records.
    pub records: Vec<TaggedRecord>,
    /// Where the next page begins; `None` on the last one.
    pub next: Option<Vec<u8>>,
}

/// Returns the records of a scan that have a tag.
pub type FindTagged = fn(&TenantRead<'_>, Reader, &Scan, &str) -> Result<TaggedPage>;

/// Returns the tags of a record; `None` when it is gone.
pub type ReadTags = fn(&TenantRead<'_>, Reader, Uuid) -> Result<Option<Vec<String>>>;

/// How the tags of the records of a kind are read. Records that the reader may not see are left out.
#[derive(Clone, Copy, Debug)]
pub struct TagOps {
    /// Finds records by tag.
    pub find: FindTagged,
    /// Reads the tags of a record.
    pub of_record: ReadTags,
}

impl TagOps {
    /// Returns the operations of a kind.
    pub(super) const fn of<R: KindRecord>() -> Self {
        Self { find: find::<R>, of_record: of_record::<R> }
    }
}

fn find<R: KindRecord>(tx: &TenantRead<'_>, reader: Reader, scan: &Scan, tag: &str) -> Result<TaggedPage> {
    let is_tagged = |record: &Stored<R>| tags(record).iter().any(|one| one == tag) && R::is_visible_to(record, reader);
    let page = tx.page::<R>(scan, is_tagged)?;
    let tagged = |record: Stored<R>| TaggedRecord { id: record.id.uuid(), tags: tags(&record) };
    Ok(TaggedPage { records: page.items.into_iter().map(tagged).collect(), next: page.next })
}

fn of_record<R: KindRecord>(tx: &TenantRead<'_>, reader: Reader, id: Uuid) -> Result<Option<Vec<String>>> {
    let record = tx.find_intact::<R>(Id::from(id))?.filter(|record| R::is_visible_to(record, reader));
    Ok(record.map(|record| tags(&record)))
}

fn tags<R: KindRecord>(record: &Stored<R>) -> Vec<String> {
    let column = R::COLUMNS.iter().find(|column| column.value_type == ColumnType::Tags);
    let text = |value| match value {
        ColumnValue::Text(tag) => Some(tag),
        ColumnValue::Number(_) => None,
    };
    column.into_iter().flat_map(|column| (column.values)(record)).filter_map(text).collect()
}
