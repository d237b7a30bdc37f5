//! The report of an import: the rows that were refused, as CSV.

use super::{
    model::{Import, RowProblem},
    rules,
};
use crate::{
    formats::CsvWriter,
    kernel::{
        Error, Id, Result,
        i18n::{Locale, say},
    },
    people::permission::Reader,
    store::TenantRead,
    wire::CsvFile,
};

/// Writes the report of an import of the reader.
/// Errors: `not_found`.
pub fn write(tx: &TenantRead<'_>, reader: Reader, id: Id<Import>, locale: Locale) -> Result<CsvFile> {
    let (import, plan) = rules::get_with_plan(tx, reader, id)?;
    let title = |name: &str| say(locale, &format!("server.exchange.report.{name}"), &[]);
    let mut bytes = Vec::new();
    let mut csv = CsvWriter::new(&mut bytes, true).map_err(Error::internal)?;
    csv.write_row(&[title("row"), title("column"), title("reason")]).map_err(Error::internal)?;
    let mut add = |problem: &RowProblem| {
        let column = problem.fault.column.and_then(|column| plan.columns.get(usize::from(column)));
        let column = column.map(|column| column.header.clone()).unwrap_or_default();
        csv.write_row(&[problem.row.to_string(), column, problem.fault.text(locale)]).map_err(Error::internal)
    };
    if import.parts == 0 {
        import.problems.iter().try_for_each(&mut add)?;
    }
    for place in 0..import.parts {
        rules::refused_rows(tx, id, place)?.iter().try_for_each(&mut add)?;
    }
    csv.flush().map_err(Error::internal)?;
    drop(csv);
    Ok(CsvFile { name: format!("{}.csv", title("file")), bytes })
}
