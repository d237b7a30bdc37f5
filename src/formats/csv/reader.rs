//! Reading of CSV as a stream, in memory that is independent of the size of the file.

use std::io::Read;

use csv_core::ReadFieldResult;

use super::{CsvDialect, CsvLimits, formula::shown_text, is_delimiter};
use crate::formats::{FormatError, TextPosition, encoding::TextInput};

/// Maximum blanks between a delimiter and a quotation mark that are skipped.
const MAX_BLANKS: usize = 1_000;

/// A row of a CSV file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CsvRow {
    /// Its number in a spreadsheet: the first row of the file is 1, empty rows count, and a cell of several lines is in
    /// one row.
    pub number: u64,
    /// One cell for each column; missing ones are empty.
    pub cells: Vec<String>,
    /// Cells beyond the columns, without empty ones at the end.
    pub extra: Vec<String>,
    /// The place of a cell of several lines whose quotation marks do not match, from 0: it may hold the rows below.
    pub unmatched: Option<usize>,
    /// Whether a cell is not in the encoding of the file, and was read in another one.
    pub is_mixed: bool,
}

/// Reads the rows of a CSV file one after the other.
///
/// Cells are separated by the delimiter of the dialect and may be quoted (`"`, doubled within), with blanks before and
/// behind the quotes; lines end with LF, CRLF or CR. Rows without content are skipped. After an error, it is returned
/// again.
pub struct CsvReader<R> {
    cells: CellReader<R>,
    dialect: CsvDialect,
    limits: CsvLimits,
    /// Rows that were returned.
    rows: u64,
    failure: Option<FormatError>,
}

impl<R: Read> CsvReader<R> {
    /// Creates a reader that continues at `position`; `reader` stands at its offset. At the start of the file, the
    /// header and the rows above it are skipped.
    pub fn new(reader: R, dialect: CsvDialect, limits: CsvLimits, position: TextPosition) -> Result<Self, FormatError> {
        let source = TextInput::new(reader, dialect.encoding, position.offset)?;
        let cells = CellReader::new(source, dialect.delimiter, limits, position.row);
        let mut reader = Self { cells, dialect, limits, rows: 0, failure: None };
        if position.offset == 0 {
            reader.cells.skip_separator_line()?;
            for _ in 0..usize::from(reader.dialect.skipped_rows) + usize::from(reader.dialect.has_header) {
                reader.cells.read_row()?;
            }
        }
        Ok(reader)
    }

    /// Returns the position after the last row that was read.
    pub const fn position(&self) -> TextPosition {
        TextPosition { offset: self.cells.source.offset(), row: self.cells.row }
    }

    /// Reads the next row with content; none at the end.
    pub fn next_row(&mut self) -> Result<Option<CsvRow>, FormatError> {
        if let Some(failure) = &self.failure {
            return Err(failure.clone());
        }
        let read = self.read_next();
        self.failure = read.as_ref().err().cloned();
        read
    }

    fn read_next(&mut self) -> Result<Option<CsvRow>, FormatError> {
        let Some(mut cells) = self.cells.read_row()? else { return Ok(None) };
        if self.rows == self.limits.rows {
            return Err(FormatError::TooManyRows { max: self.limits.rows });
        }
        self.rows += 1;
        let extra = cells.split_off(self.dialect.columns.min(cells.len()));
        cells.resize(self.dialect.columns, String::new());
        Ok(Some(CsvRow {
            number: self.cells.row,
            cells,
            extra,
            unmatched: self.cells.unmatched,
            is_mixed: self.cells.is_mixed,
        }))
    }
}

/// Reads rows as wide as they are.
pub(super) struct CellReader<R> {
    source: TextInput<R>,
    parser: csv_core::Reader,
    delimiter: u8,
    limits: CsvLimits,
    /// The number of the last row that was read.
    row: u64,
    /// The place of a cell of that row that has several lines, and quotation marks that do not match.
    unmatched: Option<usize>,
    /// Whether a cell of that row is not in the encoding of the file.
    is_mixed: bool,
    /// The bytes of the current cell. Its length is the maximum of a cell.
    cell: Vec<u8>,
}

/// A cell as the parser returned it.
struct RawCell {
    length: usize,
    ends_row: bool,
    /// Whether it begins with a quotation mark, and has an odd number of them.
    is_unmatched: bool,
}

impl<R: Read> CellReader<R> {
    /// Creates a reader that continues after row `row`.
    pub fn new(source: TextInput<R>, delimiter: u8, limits: CsvLimits, row: u64) -> Self {
        let delimiter = if is_delimiter(delimiter) { delimiter } else { b',' };
        let parser = csv_core::ReaderBuilder::new().delimiter(delimiter).build();
        // A character has up to 4 bytes: in UTF-8, to which UTF-16 is decoded, and in GB 18030.
        let cell = vec![0; limits.cell_chars.saturating_mul(4).saturating_add(4)];
        Self { source, parser, delimiter, limits, row, unmatched: None, is_mixed: false, cell }
    }

    /// Returns the number of the last row that was read.
    pub const fn row(&self) -> u64 {
        self.row
    }

    /// Skips Excel's line `sep=;` at the start of the file, which Excel does not count as a row. Returns its delimiter.
    pub fn skip_separator_line(&mut self) -> Result<Option<u8>, FormatError> {
        let head = self.source.fill()?;
        let unquoted = head.strip_prefix(b"\"").unwrap_or(head);
        let quotes = head.len() - unquoted.len();
        let [b's' | b'S', b'e' | b'E', b'p' | b'P', b'=', delimiter, rest @ ..] = unquoted else { return Ok(None) };
        let rest = if quotes == 1 { rest.strip_prefix(b"\"") } else { Some(rest) };
        if !is_delimiter(*delimiter) || !rest.is_some_and(|rest| matches!(rest.first(), None | Some(b'\r' | b'\n'))) {
            return Ok(None);
        }
        let delimiter = *delimiter;
        self.source.consume("sep=;".len() + 2 * quotes);
        self.source.skip_line_end()?;
        Ok(Some(delimiter))
    }

    /// Reads the next row with content, without empty cells at the end.
    pub fn read_row(&mut self) -> Result<Option<Vec<String>>, FormatError> {
        loop {
            while self.source.skip_line_end()? {
                self.row += 1;
            }
            if self.source.peek()?.is_none() {
                return Ok(None);
            }
            self.row += 1;
            let cells = self.read_cells()?;
            if !cells.is_empty() {
                return Ok(Some(cells));
            }
        }
    }

    fn read_cells(&mut self) -> Result<Vec<String>, FormatError> {
        let mut cells: Vec<String> = Vec::new();
        let mut empty = 0;
        let mut row_bytes = 0;
        self.parser.reset();
        self.unmatched = None;
        self.is_mixed = false;
        loop {
            let raw = self.read_cell(cells.len() + empty + 1)?;
            let encoding = self.source.encoding();
            let written = encoding.decode(&self.cell[..raw.length]);
            self.is_mixed |= encoding.is_contradicted_by(&self.cell[..raw.length]);
            let text = shown_text(&written);
            let is_empty = text.trim().is_empty();
            row_bytes += text.len();
            if raw.is_unmatched && text.contains(['\n', '\r']) {
                self.unmatched.get_or_insert(cells.len() + empty);
            }
            if is_empty {
                empty += 1;
            } else if cells.len() + empty >= self.limits.columns {
                return Err(FormatError::TooManyColumns { row: self.row, max: self.limits.columns });
            } else if text.len() > self.limits.cell_chars && text.chars().count() > self.limits.cell_chars {
                let column = cells.len() + empty + 1;
                return Err(FormatError::CellTooLong { row: self.row, column, max: self.limits.cell_chars });
            } else if row_bytes > self.limits.row_bytes {
                return Err(FormatError::RowTooLong { row: self.row, max: self.limits.row_bytes });
            } else {
                cells.resize(cells.len() + empty, String::new());
                empty = 0;
                cells.push(text.into_owned());
            }
            if raw.ends_row {
                return Ok(cells);
            }
        }
    }

    /// Reads one cell into `self.cell`.
    fn read_cell(&mut self, column: usize) -> Result<RawCell, FormatError> {
        let delimiter = self.delimiter;
        self.source.skip_before(b'"', MAX_BLANKS, |byte| is_blank(byte, delimiter))?;
        let is_quoted = self.source.peek()? == Some(b'"');
        let mut quotes = 0;
        let mut length = 0;
        // The blanks behind the last quotation mark, if there is nothing else.
        let mut blanks = None;
        loop {
            let input = self.source.fill()?;
            let is_end = input.is_empty();
            let (result, read, written) = self.parser.read_field(input, &mut self.cell[length..]);
            if is_quoted {
                quotes += memchr::memchr_iter(b'"', &input[..read]).count();
                // The last byte of a cell is its delimiter or line end.
                let is_whole = matches!(result, ReadFieldResult::Field { .. });
                let text = &input[..read.saturating_sub(usize::from(is_whole))];
                blanks = count_blanks_behind_quote(blanks, text, delimiter);
            }
            let last = read.checked_sub(1).map(|at| input[at]);
            self.source.consume(read);
            length += written;
            // A quoted cell is closed by its second quotation mark; doubled ones within count two.
            let is_open = is_quoted && quotes % 2 == 1;
            let trimmed = length - blanks.filter(|blanks| !is_open && *blanks <= length).unwrap_or_default();
            match result {
                ReadFieldResult::InputEmpty => {}
                ReadFieldResult::OutputFull if is_open => return Err(FormatError::UnclosedQuote { row: self.row }),
                ReadFieldResult::OutputFull => {
                    return Err(FormatError::CellTooLong { row: self.row, column, max: self.limits.cell_chars });
                }
                ReadFieldResult::Field { .. } | ReadFieldResult::End if is_end && is_open => {
                    return Err(FormatError::UnclosedQuote { row: self.row });
                }
                ReadFieldResult::Field { record_end } => {
                    if record_end && last == Some(b'\r') && self.source.peek()? == Some(b'\n') {
                        self.source.consume(1);
                    }
                    return Ok(RawCell { length: trimmed, ends_row: record_end, is_unmatched: is_open });
                }
                ReadFieldResult::End => {
                    return Ok(RawCell { length: trimmed, ends_row: true, is_unmatched: is_open });
                }
            }
        }
    }
}

/// Whether a byte is a blank that may stand between a delimiter and a quotation mark.
const fn is_blank(byte: u8, delimiter: u8) -> bool {
    matches!(byte, b' ' | b'\t') && byte != delimiter
}

/// Counts the blanks behind the last quotation mark of a cell. `text` is its next piece, `before` the count of the pieces
/// before it. None where something else follows the mark.
fn count_blanks_behind_quote(before: Option<usize>, text: &[u8], delimiter: u8) -> Option<usize> {
    let (before, rest) = match memchr::memrchr(b'"', text) {
        Some(at) => (0, text.get(at + 1..).unwrap_or_default()),
        None => (before?, text),
    };
    rest.iter().all(|byte| is_blank(*byte, delimiter)).then_some(before + rest.len())
}
