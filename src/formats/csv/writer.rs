//! Writing of CSV: RFC 4180, UTF-8, lines end with CRLF.

use std::io::{self, Write};

use csv::{QuoteStyle, Terminator, WriterBuilder};
use poem_openapi::Enum;

use super::formula::guard_formula;

/// The character between the cells of a CSV file that is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Enum)]
#[oai(rename = "ExportDelimiter", rename_all = "lowercase")]
pub enum Delimiter {
    /// `,` as in RFC 4180.
    #[default]
    Comma,
    /// `;`, which Excel expects where decimals stand behind a comma.
    Semicolon,
    /// A tab.
    Tab,
}

impl Delimiter {
    /// Returns the character.
    pub const fn byte(self) -> u8 {
        match self {
            Self::Comma => b',',
            Self::Semicolon => b';',
            Self::Tab => b'\t',
        }
    }
}

/// Writes a CSV file that a [`CsvReader`](super::CsvReader) reads without loss, and that is safe to open in
/// a spreadsheet: texts that would be formulas start with an apostrophe.
///
/// Rows without content are skipped when they are read, and cells of white space are read as empty.
pub struct CsvWriter<W: Write> {
    writer: csv::Writer<W>,
}

impl<W: Write> CsvWriter<W> {
    /// Creates a writer. With a byte order mark, Excel recognizes UTF-8.
    pub fn new(mut writer: W, delimiter: Delimiter, has_bom: bool) -> io::Result<Self> {
        if has_bom {
            writer.write_all("\u{feff}".as_bytes())?;
        }
        // Texts are always quoted: where Excel expects another delimiter, an unquoted one would start another cell, which
        // could be a formula.
        let writer = WriterBuilder::new()
            .delimiter(delimiter.byte())
            .terminator(Terminator::CRLF)
            .quote_style(QuoteStyle::NonNumeric)
            .flexible(true)
            .from_writer(writer);
        Ok(Self { writer })
    }

    /// Writes a row.
    pub fn write_row<T: AsRef<str>>(&mut self, cells: &[T]) -> io::Result<()> {
        for cell in cells {
            self.writer.write_field(guard_formula(cell.as_ref()).as_bytes())?;
        }
        self.writer.write_record(None::<&[u8]>)?;
        Ok(())
    }

    /// Writes what is buffered.
    pub fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }

    /// Writes what is buffered and returns the inner writer.
    pub fn into_inner(self) -> io::Result<W> {
        self.writer.into_inner().map_err(csv::IntoInnerError::into_error)
    }
}
