//! The report of an import or a check: what is wrong with the rows, and which records exist, as CSV.

use std::{
    collections::HashMap,
    fs::File,
    io::{BufWriter, Seek as _},
};

use super::{
    model::{ColumnTarget, Import, ImportPlan, RowProblem},
    rules::{self, ReportedRow},
};
use crate::{
    feature::{RecordKind, fields_in_use},
    features::exchange::names::label,
    formats::{CsvWriter, Delimiter},
    kernel::{
        Error, Id, Result,
        i18n::{Locale, say},
    },
    people::permission::Reader,
    store::TenantRead,
};

/// Returns the name of a report in a language.
pub fn file_name(locale: Locale) -> String {
    format!("{}.csv", say(locale, "server.exchange.report.file", &[]))
}

/// Writes the report of an import of the reader to a file, and returns it at its beginning.
/// Errors: `not_found`.
pub fn write(tx: &TenantRead<'_>, reader: Reader, id: Id<Import>, locale: Locale, file: File) -> Result<File> {
    let (import, plan) = rules::get_with_plan(tx, reader, id)?;
    let columns = names_of_columns(tx, import.kind.kind(), &plan, locale)?;
    let word = |name: &str| say(locale, &format!("server.exchange.report.{name}"), &[]);
    let without_value = word("withoutValue");
    let mut csv = CsvWriter::new(BufWriter::new(file), Delimiter::Comma, true).map_err(Error::internal)?;
    csv.write_row(&["row", "column", "field", "value", "reason"].map(word)).map_err(Error::internal)?;
    let kind = import.kind.kind();
    rules::each_reported(tx, &import, |reported| {
        let line = match reported {
            ReportedRow::Problem(RowProblem { row, fault, is_warning }) => {
                let (column, field) =
                    fault.column.and_then(|at| columns.get(usize::from(at)).cloned()).unwrap_or_default();
                let text = fault.text(locale);
                let value = fault.value.unwrap_or_default();
                let reason = if is_warning { format!("{text} {without_value}") } else { text };
                [row.to_string(), column, field, value, reason]
            }
            ReportedRow::Known(row, id) => {
                // In a check, an earlier row may be about a record that does not exist yet.
                let reason = match kind.find_head(tx, reader, id.uuid())? {
                    Some(head) => say(locale, "server.exchange.report.known", &[("title", head.title)]),
                    None => word("knownRow"),
                };
                [row.to_string(), String::new(), String::new(), String::new(), reason]
            }
        };
        csv.write_row(&line).map_err(Error::internal)
    })?;
    let writer = csv.into_inner().map_err(Error::internal)?;
    let mut file = writer.into_inner().map_err(Error::internal)?;
    file.rewind().map_err(Error::internal)?;
    Ok(file)
}

/// Returns for each column of a file its name, and the label of the field that it goes to.
fn names_of_columns(
    tx: &TenantRead<'_>,
    kind: &RecordKind,
    plan: &ImportPlan,
    locale: Locale,
) -> Result<Vec<(String, String)>> {
    let own = kind.exchange.map(|ops| ops.fields).unwrap_or_default();
    let own = own.iter().map(|field| (field.name.to_owned(), label(kind, field, locale)));
    let custom = fields_in_use(tx, kind.kind)?;
    let custom = custom.into_iter().map(|field| (format!("fields.{}", field.key), field.value.name));
    let labels: HashMap<String, String> = own.chain(custom).collect();
    let label_of = |target: &ColumnTarget| match target {
        ColumnTarget::Field(name) => labels.get(name).cloned(),
        ColumnTarget::NewField { name, .. } => Some(name.clone()),
    };
    let names = plan.columns.iter().map(|column| {
        let label = column.target.as_ref().and_then(label_of).unwrap_or_default();
        (column.header.clone(), label)
    });
    Ok(names.collect())
}
