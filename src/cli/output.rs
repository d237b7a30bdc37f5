//! Output for people and scripts: tables, and printing.

use std::{
    io::{self, Write as _},
    path::PathBuf,
};

use clap::builder::{PathBufValueParser, TypedValueParser};

use super::failure::Failure;

/// Formats names and values, one pair a line.
pub fn pairs(pairs: &[(&str, &str)]) -> String {
    let width = pairs.iter().map(|(name, _)| name.len()).max().unwrap_or_default();
    let lines: Vec<String> =
        pairs.iter().map(|(name, value)| format!("{name:width$}  {value}").trim_end().to_owned()).collect();
    lines.join("\n")
}

/// Formats rows with aligned columns, or returns `none` when there are no rows.
pub fn table<T, const N: usize>(items: &[T], none: &str, row: impl Fn(&T) -> [String; N]) -> String {
    if items.is_empty() {
        return none.to_owned();
    }
    let rows: Vec<[String; N]> = items.iter().map(row).collect();
    let mut widths = [0; N];
    for row in &rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let line = |row: &[String; N]| {
        let cells: Vec<String> = row.iter().zip(widths).map(|(cell, width)| format!("{cell:width$}")).collect();
        cells.join("  ").trim_end().to_owned()
    };
    rows.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// Prints to standard output; nothing for an empty text. A closed reader (`| head`) is not an error.
pub fn print_text(text: &str) -> Result<(), Failure> {
    if text.is_empty() {
        return Ok(());
    }
    let mut out = io::stdout().lock();
    match writeln!(out, "{text}").and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(Failure::internal(error)),
        _ => Ok(()),
    }
}

/// Prints to standard error. Failures are ignored: there is no other output.
pub fn complain(text: &str) {
    if !text.is_empty() {
        drop(writeln!(io::stderr().lock(), "{text}"));
    }
}

/// Parses a path as an absolute one, because the server that runs the command has another working directory.
pub fn absolute_path() -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().map(|file| std::path::absolute(&file).unwrap_or(file))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned() {
        let row = |slug: &&str| [(*slug).to_owned(), "Acme Ltd".to_owned(), String::new()];
        assert_eq!(table(&["acme", "a"], "", row), "acme  Acme Ltd\na     Acme Ltd");
    }
}
