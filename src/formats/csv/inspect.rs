//! Detection of the dialect of a CSV file from its first rows.

use std::{cmp::Reverse, io::Read};

use serde::{Deserialize, Serialize};

use super::{CsvDialect, CsvLimits, CsvRow, is_delimiter, reader::CellReader};
use crate::{
    formats::{
        FormatError,
        encoding::{TextEncoding, TextInput, detect_encoding},
        mapping::ContentType,
        no_value,
    },
    kernel::text::fold,
};

/// Bytes at the start of a file that are inspected.
const HEAD_BYTES: usize = 256 * 1024;
/// Rows that are inspected.
const SAMPLE_ROWS: usize = 50;
/// The number of rows at the top in which the header is looked for.
const HEADER_ROWS: usize = 10;
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
    /// The rows with content that are skipped; detected if none. At most 50 count.
    pub skipped_rows: Option<u8>,
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
/// header is the first of ten rows that is about as wide as the others and has no data: what is above it, such as a title,
/// is skipped.
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
    if rows.is_empty() {
        return Err(FormatError::Empty);
    }
    let found = match hints.has_header {
        Some(false) => None,
        _ => find_header(&rows, hints.skipped_rows.map(usize::from)),
    };
    let has_header = hints.has_header.unwrap_or(found.is_some());
    let above = hints.skipped_rows.map_or_else(|| found.unwrap_or_default(), usize::from);
    let skipped_rows = u8::try_from(above).unwrap_or(u8::MAX);
    let rest = rows.get(above..).unwrap_or_default();
    let (mut header, body) = match rest.split_first() {
        Some((first, body)) if has_header => (first.cells.clone(), body),
        _ => (Vec::new(), rest),
    };
    let columns = if has_header { header.len().max(usual_width(body)) } else { widest(body) };
    if has_header {
        header.resize(columns, String::new());
    }
    let body = body.iter().take(SAMPLE_ROWS).map(|row| align(row, columns)).collect();
    let dialect = CsvDialect { encoding, delimiter, has_header, columns, skipped_rows };
    Ok(CsvInspection { dialect, header, rows: body })
}

fn widest(rows: &[CsvRow]) -> usize {
    rows.iter().map(|row| row.cells.len()).max().unwrap_or_default()
}

/// Returns the width that at least half of the rows have: a row that is wider than others has a delimiter too many.
fn usual_width(rows: &[CsvRow]) -> usize {
    let mut widths: Vec<usize> = rows.iter().map(|row| row.cells.len()).collect();
    widths.sort_unstable_by_key(|width| Reverse(*width));
    widths.get(widths.len().saturating_sub(1) / 2).copied().unwrap_or_default()
}

/// Returns the place of the row that names the columns, among the first ten or where rows above it are skipped; `None`
/// when the rows are data from the first one on.
///
/// A row is data if it has an e-mail address, a phone number or a date, or a number in a column of numbers. Where nothing
/// tells names from data, a row with distinct names is taken as the header. Columns without any content do not count.
fn find_header(rows: &[CsvRow], skipped: Option<usize>) -> Option<usize> {
    if let Some(first) = skipped {
        let row = rows.get(first)?;
        let below = rows.get(first + 1..).unwrap_or_default();
        let is_header = match tell(row, below) {
            RowKind::Header => true,
            RowKind::Data => false,
            RowKind::Unknown => has_distinct_names(&row.cells, &used_columns(rows.get(first..).unwrap_or_default())),
        };
        return is_header.then_some(first);
    }
    let used = used_columns(rows.get(..HEADER_ROWS).unwrap_or(rows));
    let width = used.iter().filter(|is_used| **is_used).count();
    let mut found: Option<(usize, usize)> = None;
    for (at, row) in rows.iter().enumerate().take(HEADER_ROWS) {
        let filled = filled(&row.cells);
        if filled * 2 <= width {
            continue;
        }
        let own_width = used.iter().take(row.cells.len()).filter(|is_used| **is_used).count();
        let spans_all = own_width * 4 >= width * 3;
        match tell(row, rows.get(at + 1..).unwrap_or_default()) {
            // Of two, the one with more names: the other one is a title.
            RowKind::Header if found.is_none_or(|(_, most)| filled > most) => found = Some((at, filled)),
            RowKind::Data if spans_all => break,
            RowKind::Unknown if spans_all && found.is_none() => {
                return has_distinct_names(&row.cells, &used).then_some(at);
            }
            _ => {}
        }
    }
    found.map(|(at, _)| at)
}

/// Returns for each column whether a row has content in it.
fn used_columns(rows: &[CsvRow]) -> Vec<bool> {
    let is_used =
        |column: usize| rows.iter().filter_map(|row| row.cells.get(column)).any(|cell| !cell.trim().is_empty());
    (0..widest(rows)).map(is_used).collect()
}

fn filled(cells: &[String]) -> usize {
    cells.iter().filter(|cell| !cell.trim().is_empty()).count()
}

/// What a row is.
enum RowKind {
    Header,
    Data,
    Unknown,
}

/// Tells the header from data by the rows below it.
fn tell(row: &CsvRow, below: &[CsvRow]) -> RowKind {
    let mut is_header = false;
    for (column, cell) in row.cells.iter().enumerate() {
        let is_value = |cell: &&String| !cell.trim().is_empty() && no_value(cell).is_none();
        let values = below.iter().filter_map(|row| row.cells.get(column)).filter(is_value);
        let kinds: Vec<Option<ContentType>> =
            values.clone().take(SAMPLE_ROWS).map(|cell| ContentType::of(cell)).collect();
        let count = |is_kind: fn(&ContentType) -> bool| kinds.iter().flatten().filter(|kind| is_kind(kind)).count();
        let is_most = |count: usize| count > 0 && count * 2 >= kinds.len();
        let is_number = |kind: &ContentType| matches!(kind, ContentType::Number | ContentType::PostalCode);
        match ContentType::of(cell) {
            Some(ContentType::Email | ContentType::Phone | ContentType::Date) => return RowKind::Data,
            // A year may name a column of numbers.
            Some(kind)
                if is_number(&kind)
                    && is_most(count(is_number))
                    && (!is_year(cell) || values.clone().all(|value| is_year(value))) =>
            {
                return RowKind::Data;
            }
            None | Some(ContentType::Text | ContentType::Name) if !cell.trim().is_empty() => {
                is_header |= is_most(count(|kind| !kind.is_plain_text()));
            }
            _ => {}
        }
    }
    if is_header { RowKind::Header } else { RowKind::Unknown }
}

fn is_year(cell: &str) -> bool {
    cell.trim().len() == 4 && cell.trim().parse::<u16>().is_ok_and(|year| (1900..2200).contains(&year))
}

/// Divides the cells of a row into those of the columns and extra ones.
fn align(row: &CsvRow, columns: usize) -> CsvRow {
    let mut cells = row.cells.clone();
    let extra = cells.split_off(columns.min(cells.len()));
    cells.resize(columns, String::new());
    CsvRow { number: row.number, cells, extra, ..*row }
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
                Ok(Some(cells)) => rows.push(CsvRow { number: reader.row(), cells, ..CsvRow::default() }),
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
    // The first row may be a title.
    let widths = [rows.first().map_or(0, |row| row.cells.len()), widest(rows.get(..HEADER_ROWS).unwrap_or(rows))];
    let Some(columns) = widths.into_iter().find(|columns| *columns > 1) else { return 0 };
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

/// Whether all cells of columns that are used have names that differ, and none is a value.
fn has_distinct_names(cells: &[String], used: &[bool]) -> bool {
    let named = cells.iter().zip(used).filter(|(_, is_used)| **is_used);
    let mut names: Vec<String> = named.map(|(cell, _)| fold(cell.trim())).collect();
    let is_name = |name: &String| !name.is_empty() && ContentType::of(name).is_none_or(ContentType::is_plain_text);
    if !names.iter().all(is_name) {
        return false;
    }
    names.sort();
    names.windows(2).all(|pair| pair[0] != pair[1])
}
