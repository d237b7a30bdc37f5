//! File formats of import and export: text encodings, CSV (RFC 4180), vCard (RFC 6350), values as people write them, and
//! a guess which column holds which field.
//!
//! The functions are pure: they read from and write to what the caller passes, and know no records. Files are read as
//! streams in bounded memory, from any [`TextPosition`] on. All input is untrusted: reading takes linear time.

mod csv;
mod encoding;
mod mapping;
pub mod synonyms;
mod values;
mod vcard;

use std::io;

use serde::{Deserialize, Serialize};

pub use self::{
    csv::{CsvDialect, CsvHints, CsvInspection, CsvLimits, CsvReader, CsvRow, CsvWriter, Delimiter, inspect_csv},
    encoding::{DetectedText, TextEncoding, detect_encoding},
    mapping::{ColumnGuess, ContentType, GuessedBy, TargetField, contact_label, guess_mapping},
    values::{
        ColumnMarks, DateMarks, DateOrder, Decimal, DecimalMark, MoneyAmount, NoValue, detect_date_order,
        detect_decimal_mark, is_date_of_zeros, no_value, parse_birthday, parse_boolean, parse_checklist,
        parse_currency, parse_day, parse_day_of_moment, parse_list, parse_money, parse_number, parse_serial_day,
        parse_time, parse_yearless,
    },
    vcard::{CardKind, CardReader, ContactCard, Labelled, VcardVersion, inspect_vcard, write_card},
};

/// Why a file cannot be read. Rows are counted as in a spreadsheet: the first row of the file is row 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FormatError {
    /// Reading failed.
    Read(io::ErrorKind),
    /// The file has no text.
    Empty,
    /// The file is not a text file.
    Binary(BinaryFormat),
    /// The file has no vCards.
    NoCards,
    /// A row has more columns than allowed.
    TooManyColumns {
        /// The row.
        row: u64,
        /// Maximum number of columns.
        max: usize,
    },
    /// A cell has more characters than allowed.
    CellTooLong {
        /// The row.
        row: u64,
        /// The column, from 1.
        column: usize,
        /// Maximum number of characters.
        max: usize,
    },
    /// The cells of a row have more bytes than allowed in all.
    RowTooLong {
        /// The row.
        row: u64,
        /// Maximum number of bytes.
        max: usize,
    },
    /// The file has more rows with content than allowed.
    TooManyRows {
        /// Maximum number of rows.
        max: u64,
    },
    /// A quotation mark opens a cell and no other one closes it, or not before the cell is longer than allowed.
    UnclosedQuote {
        /// The row in which the cell starts.
        row: u64,
    },
    /// A vCard is larger than allowed. The next call continues with the card after it.
    CardTooLarge {
        /// The number of the card in the file, from 1.
        card: u64,
        /// Maximum number of bytes.
        max: usize,
    },
    /// A vCard does not end before the next one starts or the file ends. The next call continues with the next card.
    UnclosedCard {
        /// The number of the card in the file, from 1.
        card: u64,
    },
    /// A vCard ends that did not begin. The next call continues with the next card.
    UnopenedCard {
        /// The number of the card in the file, from 1.
        card: u64,
    },
}

/// Formats of files that are not text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinaryFormat {
    /// A workbook of Excel or another spreadsheet, which can be saved as CSV.
    Spreadsheet,
    /// A ZIP or gzip archive.
    Archive,
    /// A PDF document.
    Pdf,
    /// A picture.
    Image,
    /// Another format.
    Other,
}

/// A position between two rows or cards of a file, from which reading can be resumed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TextPosition {
    /// The offset of the next byte in the file.
    pub offset: u64,
    /// The number of the last row or card before the position; 0 at the start.
    pub row: u64,
}
