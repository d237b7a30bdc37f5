//! CSV (RFC 4180): detection of the dialect, reading as a stream, writing that is safe to open in a spreadsheet.

mod formula;
mod inspect;
mod reader;
#[cfg(test)]
mod tests;
mod writer;

use serde::{Deserialize, Serialize};

pub use self::{
    inspect::{CsvHints, CsvInspection, inspect_csv},
    reader::{CsvReader, CsvRow},
    writer::{CsvWriter, Delimiter},
};
use super::TextEncoding;
use crate::kernel::is_default;

/// How a CSV file is written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CsvDialect {
    /// The character encoding.
    pub encoding: TextEncoding,
    /// The delimiter of cells: an ASCII character other than a quotation mark or a line end.
    pub delimiter: u8,
    /// Whether the first row with content that is not skipped names the columns.
    pub has_header: bool,
    /// The number of columns: those of the header, or of most of the first rows if they have more.
    pub columns: usize,
    /// Rows with content above the header or the first row, such as a title, which are skipped.
    #[serde(default, skip_serializing_if = "is_default")]
    pub skipped_rows: u8,
}

/// Limits of a CSV file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CsvLimits {
    /// Maximum number of columns.
    pub columns: usize,
    /// Maximum number of characters of a cell.
    pub cell_chars: usize,
    /// Maximum number of bytes of the cells of a row, in UTF-8.
    pub row_bytes: usize,
    /// Maximum number of rows with content that one reader returns, without the header.
    pub rows: u64,
}

impl Default for CsvLimits {
    fn default() -> Self {
        Self { columns: 200, cell_chars: 50_000, row_bytes: 2_000_000, rows: u64::MAX }
    }
}

/// Whether a byte can delimit cells.
fn is_delimiter(byte: u8) -> bool {
    byte.is_ascii() && !matches!(byte, b'"' | b'\r' | b'\n' | 0)
}
