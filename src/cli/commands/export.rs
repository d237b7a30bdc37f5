//! `atrium export`: exports records of a company to a file.

use super::records::RecordsOf;
use crate::{
    cli::prelude::*,
    features::{
        exchange::export::ExportFormat,
        operator::records::{self, RecordsExport},
    },
    formats::Delimiter,
};

#[derive(Debug, Args, Serialize, Deserialize)]
#[command(after_help = "Examples:
  atrium export customers /var/backups/atrium/people.csv --tenant acme --as ada@acme.example
  atrium export customers /var/backups/atrium/people.vcf --tenant acme --as ada@acme.example --format vcard
  atrium export organizations /var/backups/atrium/firms.csv --tenant acme --as ada@acme.example --delimiter semicolon
  atrium export deals /var/backups/atrium/deals.csv --tenant acme --as ada@acme.example --sort=-value --columns title,value,stageId")]
pub struct ExportRecords {
    #[command(flatten)]
    #[serde(flatten)]
    of: RecordsOf,
    /// The file to create. It is not encrypted: keep it as safe as the data directory
    #[arg(value_parser = absolute_path())]
    pub file: PathBuf,
    /// The format; vCards are for customers only
    #[arg(long, default_value = "csv", value_parser = ["csv", "vcard", "vcard3", "json"])]
    format: String,
    /// The character between the cells of a CSV file [default: comma]; Excel expects semicolons where decimals stand behind a comma
    #[arg(long, value_parser = ["comma", "semicolon", "tab"])]
    delimiter: Option<String>,
    /// The column of the list by which the records are sorted, after a "-" for the reverse order
    #[arg(long, value_name = "COLUMN", allow_hyphen_values = true)]
    sort: Option<String>,
    /// The columns of the list that a CSV file has, separated by commas, instead of all fields. Such a file is for reading, not for importing again
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    columns: Vec<String>,
}

impl ExportRecords {
    /// Writes the file.
    pub async fn run(self, context: &Context) -> Result<RecordsExported> {
        // The job of the open application keeps the search index up to date, which sorts.
        context.app()?;
        let RecordsOf { kind, tenant, author } = self.of;
        let tenant = context.tenant(&tenant)?;
        let format = match self.format.as_str() {
            "vcard" => ExportFormat::Vcard,
            "vcard3" => ExportFormat::Vcard3,
            "json" => ExportFormat::Json,
            _ => ExportFormat::Csv,
        };
        let delimiter = self.delimiter.as_deref().map(|name| match name {
            "semicolon" => Delimiter::Semicolon,
            "tab" => Delimiter::Tab,
            _ => Delimiter::Comma,
        });
        let file = self.file.display().to_string();
        let order =
            RecordsExport { kind: kind.clone(), author, format, delimiter, sort: self.sort, columns: self.columns };
        let engine = context.engine()?;
        let records =
            records::export_records(&context.store, &engine, tenant.id, order, self.file, &context.progress).await?;
        let tenant = TenantShown::new(&context.store.snapshot()?, &tenant)?;
        Ok(RecordsExported { tenant, kind, file, records })
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordsExported {
    #[serde(flatten)]
    pub tenant: TenantShown,
    pub kind: String,
    pub file: String,
    pub records: usize,
}

impl RecordsExported {
    pub fn text(&self) -> String {
        format!("Records of {} that were exported to {}: {}.", self.tenant.name, self.file, self.records)
    }
}
