//! Detection of the dialect of a CSV file from its first rows.

use std::io::Read;

use serde::{Deserialize, Serialize};

use super::{CsvDialect, CsvLimits, CsvRow, is_delimiter, reader::CellReader};
use crate::{
    formats::{
        FormatError,
        encoding::{TextEncoding, TextInput, detect_encoding},
        mapping::ContentType,
    },
    kernel::text::fold,
};

/// Bytes at the start of a file that are inspected.
const HEAD_BYTES: usize = 256 * 1024;
/// Rows that are inspected.
const SAMPLE_ROWS: usize = 50;
/// Delimiters that are detected. The first one is assumed if there is only one column.
const DELIMITERS: [u8; 4] = [b',', b';', b'\t', b'|'];

/// Parts of the dialect that a person chose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CsvHints {
    /// The encoding; detected if none.
    pub encoding: Option<TextEncoding>,
    /// The delimiter; detected if none, or if it is not a printable ASCII character or a tab.
    pub delimiter: Option<u8>,
    /// Whether there is a header; detected if none.
    pub has_header: Option<bool>,
}

/// What the first rows of a CSV file say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CsvInspection {
    /// The dialect.
    pub dialect: CsvDialect,
    /// The names of the columns; empty without a header.
    pub header: Vec<String>,
    /// Up to 50 rows after the header.
    pub rows: Vec<CsvRow>,
}

/// Detects the dialect of a CSV file and returns its first rows. Reads the whole file, for its encoding.
///
/// The delimiter is the one that divides the first rows into the most columns of the same number, outside quotes. The
/// first row is a header if its cells are distinct, not empty, and neither numbers, dates nor e-mail addresses.
///
/// Fails with [`FormatError::Empty`], [`FormatError::Binary`], and the limits of the first rows.
pub fn inspect_csv(reader: impl Read, hints: CsvHints, limits: CsvLimits) -> Result<CsvInspection, FormatError> {
    let text = detect_encoding(reader, HEAD_BYTES)?;
    let encoding = hints.encoding.unwrap_or(text.encoding);
    let head = FileHead { bytes: &text.head, is_whole: text.is_whole, encoding, limits };
    let chosen = hints.delimiter.filter(|byte| is_delimiter(*byte));
    let delimiter = match chosen {
        Some(delimiter) => delimiter,
        None => head.detect_delimiter()?,
    };
    let rows = head.read_rows(delimiter)?;
    let Some((first, rest)) = rows.split_first() else { return Err(FormatError::Empty) };
    let has_header = hints.has_header.unwrap_or_else(|| is_header(&first.cells));
    let (header, body) = if has_header { (first.cells.clone(), rest) } else { (Vec::new(), rows.as_slice()) };
    let widest = body.iter().map(|row| row.cells.len()).max().unwrap_or_default();
    let columns = if has_header { header.len() } else { widest };
    let body = body.iter().take(SAMPLE_ROWS).map(|row| align(row, columns)).collect();
    Ok(CsvInspection { dialect: CsvDialect { encoding, delimiter, has_header, columns }, header, rows: body })
}

/// Divides the cells of a row into those of the columns and extra ones.
fn align(row: &CsvRow, columns: usize) -> CsvRow {
    let mut cells = row.cells.clone();
    let extra = cells.split_off(columns.min(cells.len()));
    cells.resize(columns, String::new());
    CsvRow { number: row.number, cells, extra }
}

/// The start of a file.
struct FileHead<'a> {
    bytes: &'a [u8],
    is_whole: bool,
    encoding: TextEncoding,
    limits: CsvLimits,
}

impl FileHead<'_> {
    fn detect_delimiter(&self) -> Result<u8, FormatError> {
        let source = TextInput::new(self.bytes, self.encoding, 0)?;
        let stated = CellReader::new(source, b',', self.limits, 0).skip_separator_line()?;
        if let Some(stated) = stated {
            return Ok(stated);
        }
        let mut best = (DELIMITERS[0], 0);
        for delimiter in DELIMITERS {
            // Limits are reported for the chosen delimiter only.
            let score = self.read_rows(delimiter).map(|rows| uniformity(&rows)).unwrap_or_default();
            if score > best.1 {
                best = (delimiter, score);
            }
        }
        Ok(best.0)
    }

    /// Reads the first rows, as wide as they are. At the end of the head the last row can be incomplete: it is left out.
    fn read_rows(&self, delimiter: u8) -> Result<Vec<CsvRow>, FormatError> {
        let source = TextInput::new(self.bytes, self.encoding, 0)?;
        let mut reader = CellReader::new(source, delimiter, self.limits, 0);
        reader.skip_separator_line()?;
        let mut rows = Vec::new();
        let mut is_complete = self.is_whole;
        while rows.len() <= SAMPLE_ROWS {
            match reader.read_row() {
                Ok(Some(cells)) => rows.push(CsvRow { number: reader.row(), cells, extra: Vec::new() }),
                Ok(None) => break,
                Err(FormatError::UnclosedQuote { .. }) if !self.is_whole && !rows.is_empty() => {
                    is_complete = true;
                    break;
                }
                Err(error) => return Err(error),
            }
        }
        if !is_complete && rows.len() > 1 && rows.len() <= SAMPLE_ROWS {
            rows.pop();
        }
        Ok(rows)
    }
}

/// Returns how well a delimiter divides rows, in thousandths: the share of rows as wide as the first one, which counts
/// less the fewer columns there are. 0 if there is only one column.
fn uniformity(rows: &[CsvRow]) -> usize {
    let Some(columns) = rows.first().map(|row| row.cells.len()).filter(|columns| *columns > 1) else { return 0 };
    // Empty cells at the end of a row are not counted, so that shorter rows can have been as wide.
    let weight = |row: &CsvRow| match row.cells.len() {
        len if len == columns => 2,
        1 => 0,
        len if len < columns => 1,
        _ => 0,
    };
    let matching: usize = rows.iter().map(weight).sum();
    500 * matching / rows.len() * (columns - 1) / columns
}

fn is_header(cells: &[String]) -> bool {
    let mut names: Vec<String> = cells.iter().map(|cell| fold(cell.trim())).collect();
    let is_name = |name: &String| !name.is_empty() && ContentType::of(name).is_none_or(ContentType::is_plain_text);
    if !names.iter().all(is_name) {
        return false;
    }
    names.sort();
    names.windows(2).all(|pair| pair[0] != pair[1])
}
