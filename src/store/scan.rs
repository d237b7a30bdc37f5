//! Selection and order of the records in a list, and a page of it.

use super::codec::{Record, Stored};

/// Most records examined per page, unless a scan says otherwise. A page that reaches it may be short, with a cursor to
/// continue.
const MAX_EXAMINED: usize = 20_000;

/// Bytes of records, as stored, after which a page of a list ends before its limit. A response shows them with up to three
/// times as many, and all responses to one IP address that wait to be read have 16 MiB.
pub const MAX_PAGE_BYTES: usize = 4 << 20;

/// Returns how many records of these sizes in bytes, one after the other, a page has until they take `max` bytes.
pub fn count_fitting(sizes: impl IntoIterator<Item = usize>, max: usize) -> usize {
    let mut bytes = 0_usize;
    let fits = |size: &usize| {
        let has_room = bytes < max;
        bytes = bytes.saturating_add(*size);
        has_room
    };
    sizes.into_iter().take_while(fits).count()
}

/// Selection and order of the records in a list.
#[derive(Clone, Debug)]
pub struct Scan {
    pub(super) by: By,
    pub(super) reverse: bool,
    pub(super) after: Option<Vec<u8>>,
    pub(super) limit: usize,
    pub(super) bytes: usize,
    pub(super) examined: usize,
    pub(super) looks_ahead: bool,
}

/// How the records are selected and ordered.
#[derive(Clone, Debug)]
pub(super) enum By {
    Id,
    Order(u16),
    Exact(u16, Vec<u8>),
    Prefix(u16, Vec<u8>),
    Between(u16, Vec<u8>, Vec<u8>),
}

impl Scan {
    /// All records in order of creation, oldest first, 50 per page.
    pub const fn all() -> Self {
        Self {
            by: By::Id,
            reverse: false,
            after: None,
            limit: 50,
            bytes: usize::MAX,
            examined: MAX_EXAMINED,
            looks_ahead: false,
        }
    }
    /// All records, ordered by their value in an index.
    pub fn ordered(lookup: u16) -> Self {
        Self { by: By::Order(lookup), ..Self::all() }
    }
    /// Records with exactly this value in an index, in order of creation.
    pub fn with(lookup: u16, value: impl AsRef<[u8]>) -> Self {
        Self { by: By::Exact(lookup, value.as_ref().to_vec()), ..Self::all() }
    }
    /// Records whose value in an index begins with `value`, ordered by value.
    pub fn beginning(lookup: u16, value: impl AsRef<[u8]>) -> Self {
        Self { by: By::Prefix(lookup, value.as_ref().to_vec()), ..Self::all() }
    }
    /// Records whose value in an index is from `from` (inclusive) to `to` (exclusive), ordered by value.
    pub fn between(lookup: u16, from: impl AsRef<[u8]>, to: impl AsRef<[u8]>) -> Self {
        Self { by: By::Between(lookup, from.as_ref().to_vec(), to.as_ref().to_vec()), ..Self::all() }
    }
    /// Whether the scan is not limited to some values.
    pub const fn is_whole(&self) -> bool {
        matches!(self.by, By::Id | By::Order(_))
    }
    /// Whether the records are in the order of their ids.
    pub const fn is_by_id(&self) -> bool {
        matches!(self.by, By::Id)
    }
    /// Sets whether the order is reversed.
    pub const fn reversed(mut self, reverse: bool) -> Self {
        self.reverse = reverse;
        self
    }
    /// Continues after the cursor of an earlier page.
    pub fn after(mut self, cursor: Option<Vec<u8>>) -> Self {
        self.after = cursor;
        self
    }
    /// Sets the page size: the rows that the caller's filter keeps.
    pub const fn limit(mut self, limit: usize) -> Self {
        self.limit = limit;
        self
    }
    /// Ends a page, too, once its records take this many bytes as stored. It has at least one record.
    pub const fn within_bytes(mut self, bytes: usize) -> Self {
        self.bytes = bytes;
        self
    }
    /// Gives a page a cursor only when the filter keeps a row after it, so that the cursor tells nothing of other rows.
    pub const fn looking_ahead(mut self) -> Self {
        self.looks_ahead = true;
        self
    }
    /// Sets how many rows are examined for a page, for a filter that keeps few.
    pub const fn examining(mut self, rows: usize) -> Self {
        self.examined = rows;
        self
    }
}

/// A page of records, and the cursor of the next page.
#[derive(Debug)]
pub struct Page<R: Record> {
    /// The records.
    pub items: Vec<Stored<R>>,
    /// Their sizes in bytes as stored.
    pub sizes: Vec<usize>,
    /// Cursor of the next page, `None` on the last page.
    pub next: Option<Vec<u8>>,
    /// Number of damaged records left out.
    pub damaged: usize,
    /// Number of rows that were looked at, kept or not. With those of the pages before and after, it is the number of
    /// records in the list, unless damage hides some.
    pub examined: usize,
    /// Number of places among them where an unknown number of rows cannot be read; in `damaged`, too.
    pub gaps: usize,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_has_the_record_that_exceeds_its_bytes_and_no_further_one() {
        for (sizes, expected) in [
            (vec![], 0),
            (vec![100], 1),
            (vec![4, 5, 1, 1], 3),
            (vec![10, 1], 1),
            (vec![9, 100, 1], 2),
            (vec![0; 7], 7),
        ] {
            assert_eq!(count_fitting(sizes.clone(), 10), expected, "{sizes:?}");
        }
    }
}
