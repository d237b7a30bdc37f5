//! `atrium import`: imports records of a company from a file.

use super::records::RecordsOf;
use crate::{
    cli::prelude::*,
    features::{
        exchange::import::{Duplicates, ImportState, RowFault, RowProblem},
        operator::records::{self, ImportedColumn, RecordsImport},
    },
    kernel::i18n::Locale,
};

/// Refused rows that are printed.
const PRINTED: usize = 10;

#[derive(Debug, Args, Serialize, Deserialize)]
#[command(after_help = "Examples:
  atrium import customers /var/backups/atrium/people.csv --tenant acme --as ada@acme.example --check
  atrium import customers /var/backups/atrium/people.csv --tenant acme --as ada@acme.example
  atrium import deals /var/backups/atrium/deals.csv --tenant acme --as ada@acme.example --duplicates update --column Amount=value --column Internal=
  atrium import customers /var/backups/atrium/people.csv --tenant acme --as ada@acme.example --value Status:Kunde=active --value Status:-=")]
pub struct ImportRecords {
    #[command(flatten)]
    #[serde(flatten)]
    of: RecordsOf,
    /// The file: CSV, or vCards for customers
    #[arg(value_parser = absolute_path())]
    pub file: PathBuf,
    /// What happens with rows whose record exists
    #[arg(long, default_value = "skip", value_parser = ["skip", "update", "add"])]
    duplicates: String,
    /// The field that a column goes to, instead of the one that is guessed; without a field it is left out
    #[arg(long = "column", value_name = "COLUMN=FIELD", value_parser = column)]
    columns: Vec<(String, String)>,
    /// What a value of a column with choices becomes: the id or the name of a choice; without one it is left out
    #[arg(long = "value", value_name = "COLUMN:VALUE=CHOICE", value_parser = column)]
    values: Vec<(String, String)>,
    /// How many rows with content are skipped above the names of the columns; found by itself if not given
    #[arg(long, value_name = "ROWS", value_parser = clap::value_parser!(u8).range(0..=50))]
    skip_rows: Option<u8>,
    /// Try all rows, and import nothing
    #[arg(long)]
    check: bool,
    /// Write the rows that are refused, with what is wrong, to a new CSV file
    #[arg(long, value_name = "FILE", value_parser = absolute_path())]
    pub report: Option<PathBuf>,
}

/// Parses a column and its field, or a value and its choice.
fn column(text: &str) -> std::result::Result<(String, String), String> {
    let (column, field) = text.rsplit_once('=').ok_or_else(|| format!("{text} has no “=”"))?;
    Ok((column.to_owned(), field.trim().to_owned()))
}

impl ImportRecords {
    /// Imports the records, and waits for the end.
    pub async fn run(self, context: &Context) -> Result<RecordsImported> {
        // The jobs of the open application import the rows.
        context.app()?;
        let RecordsOf { kind, tenant, author } = self.of;
        let tenant = context.tenant(&tenant)?;
        let duplicates = match self.duplicates.as_str() {
            "update" => Duplicates::Update,
            "add" => Duplicates::Add,
            _ => Duplicates::Skip,
        };
        let order = RecordsImport {
            kind: kind.clone(),
            author,
            file: self.file.clone(),
            duplicates,
            columns: self.columns,
            values: self.values,
            skipped_rows: self.skip_rows,
            only_check: self.check,
            report: self.report,
        };
        let (import, columns) =
            records::import_records(&context.store, &context.files, tenant.id, order, &context.progress).await?;
        let counts = import.counts;
        let refused = |RowProblem { row, fault, is_warning }: RowProblem| {
            let column = fault.column.and_then(|at| columns.get(usize::from(at))).map(|to| to.column.clone());
            Refused { row, column: column.unwrap_or_default(), fault, is_imported: is_warning }
        };
        Ok(RecordsImported {
            tenant: TenantShown::new(&context.store.snapshot()?, &tenant)?,
            kind,
            file: self.file.display().to_string(),
            only_checked: self.check,
            is_complete: matches!(import.state, ImportState::Done | ImportState::Checked),
            rows: import.rows,
            created: counts.created,
            updated: counts.updated,
            skipped: counts.skipped,
            refused: counts.failed,
            problems: import.value.problems.into_iter().map(refused).collect(),
            columns,
        })
    }
}

/// A row that was refused, or that was imported without a value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refused {
    /// Its number as in a spreadsheet, or of the card.
    pub row: u64,
    /// The name of the column.
    pub column: String,
    /// What is wrong.
    pub fault: RowFault,
    /// Whether the row was imported all the same.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_imported: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RecordsImported {
    #[serde(flatten)]
    pub tenant: TenantShown,
    pub kind: String,
    pub file: String,
    /// Whether the rows were only tried.
    pub only_checked: bool,
    /// Whether all rows were looked at.
    pub is_complete: bool,
    pub rows: u64,
    pub created: u64,
    pub updated: u64,
    pub skipped: u64,
    pub refused: u64,
    /// The first refused rows.
    pub problems: Vec<Refused>,
    /// Where the columns went.
    #[serde(default)]
    pub columns: Vec<ImportedColumn>,
}

impl RecordsImported {
    pub fn text(&self) -> String {
        let Self { tenant, file, rows, created, updated, skipped, refused, .. } = self;
        let name = &tenant.name;
        let rest = format!("changed: {updated}, skipped: {skipped}, refused: {refused}.");
        let head = match (self.is_complete, self.only_checked) {
            (false, _) => format!(
                "{file} was not imported to its end into {name}. Rows: {rows}; added: {created}, {rest} Undo it in Settings › Imports, or import the file again: rows that were imported are skipped."
            ),
            (true, true) => format!(
                "{file} was checked for {name}; nothing was imported. Rows: {rows}; would be added: {created}, {rest}"
            ),
            (true, false) => format!("{file} was imported into {name}. Rows: {rows}; added: {created}, {rest}"),
        };
        let mut lines = vec![head];
        if !self.columns.is_empty() {
            let to = |ImportedColumn { column, field }: &ImportedColumn| {
                field.as_ref().map_or_else(|| format!("{column} was left out"), |field| format!("{column}={field}"))
            };
            lines.push(format!("Columns: {}.", self.columns.iter().map(to).collect::<Vec<_>>().join(", ")));
        }
        lines.extend(self.problems.iter().take(PRINTED).map(|Refused { row, column, fault, is_imported }| {
            let without = if *is_imported && fault.column.is_some() { " Imported without this value." } else { "" };
            let column = if column.is_empty() { String::new() } else { format!(" ({column})") };
            format!("Row {row}{column}: {}{without}", fault.text(Locale::EN))
        }));
        lines.join("\n")
    }
}
