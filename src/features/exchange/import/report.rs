//! The report of an import or a check: what is wrong with the rows, and which records exist, as CSV.

use std::{
    collections::HashMap,
    fs::File,
    io::{BufWriter, Seek as _},
};

use super::{
    model::{CheckedChange, CheckedValue, ColumnTarget, Import, ImportPlan, RowProblem},
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
    let labels = labels_of_fields(tx, import.kind.kind(), locale)?;
    let columns = names_of_columns(&plan, &labels);
    let word = |name: &str| say(locale, &format!("server.exchange.report.{name}"), &[]);
    let without_value = word("withoutValue");
    let mut csv = CsvWriter::new(BufWriter::new(file), Delimiter::Comma, true).map_err(Error::internal)?;
    csv.write_row(&["row", "column", "field", "value", "reason"].map(word)).map_err(Error::internal)?;
    let kind = import.kind.kind();
    rules::each_reported(tx, &import, |reported| {
        let lines = match reported {
            ReportedRow::Problem(RowProblem { row, fault, is_warning }) => {
                let text = fault.text(locale);
                let reason =
                    if is_warning && fault.column.is_some() { format!("{text} {without_value}") } else { text };
                let (column, field) =
                    fault.column.and_then(|at| columns.get(usize::from(at)).cloned()).unwrap_or_default();
                vec![[row.to_string(), column, field, fault.value.unwrap_or_default(), reason]]
            }
            ReportedRow::Known(row, id) => {
                // In a check, an earlier row may be about a record that does not exist yet.
                let reason = match kind.find_head(tx, reader, id.uuid())? {
                    Some(head) => say(locale, "server.exchange.report.known", &[("title", head.title)]),
                    None => word("knownRow"),
                };
                vec![[row.to_string(), String::new(), String::new(), String::new(), reason]]
            }
            ReportedRow::Change(CheckedChange { row, title, values, .. }) => {
                let line = |CheckedValue { field, before, after }: CheckedValue| {
                    let key = if before.is_empty() { "fills" } else { "changes" };
                    let params = [("title", title.clone()), ("before", before)];
                    let reason = say(locale, &format!("server.exchange.report.{key}"), &params);
                    [row.to_string(), String::new(), labels.get(&field).cloned().unwrap_or(field), after, reason]
                };
                values.into_iter().map(line).collect()
            }
        };
        lines.iter().try_for_each(|line| csv.write_row(line).map_err(Error::internal))
    })?;
    let writer = csv.into_inner().map_err(Error::internal)?;
    let mut file = writer.into_inner().map_err(Error::internal)?;
    file.rewind().map_err(Error::internal)?;
    Ok(file)
}

/// Returns the labels of the fields of a kind, by their names in mappings.
pub fn labels_of_fields(tx: &TenantRead<'_>, kind: &RecordKind, locale: Locale) -> Result<HashMap<String, String>> {
    let own = kind.exchange.map(|ops| ops.fields).unwrap_or_default();
    let own = own.iter().map(|field| (field.name.to_owned(), label(kind, field, locale)));
    let custom = fields_in_use(tx, kind.kind)?;
    let custom = custom.into_iter().map(|field| (format!("fields.{}", field.key), field.value.name));
    Ok(own.chain(custom).collect())
}

/// Returns for each column of a file its name, and the label of the field that it goes to.
fn names_of_columns(plan: &ImportPlan, labels: &HashMap<String, String>) -> Vec<(String, String)> {
    let label_of = |target: &ColumnTarget| match target {
        ColumnTarget::Field(name) => labels.get(name).cloned(),
        ColumnTarget::NewField { name, .. } => Some(name.clone()),
    };
    let names = plan.columns.iter().map(|column| {
        let label = column.target.as_ref().and_then(label_of).unwrap_or_default();
        (column.header.clone(), label)
    });
    names.collect()
}
