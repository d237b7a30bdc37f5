//! `atrium export`: exports records of a company to a file.

use crate::{
    cli::prelude::*,
    features::{exchange::export::ExportFormat, operator::records},
};

#[derive(Debug, Args, Serialize, Deserialize)]
#[command(after_help = "Examples:
  atrium export customers /srv/people.csv --tenant acme --as ada@acme.example
  atrium export customers /srv/people.vcf --tenant acme --as ada@acme.example --format vcard")]
pub struct ExportRecords {
    /// What is exported: customers, organizations, deals or tasks
    kind: String,
    /// The file to create. It is not encrypted: keep it as safe as the data directory
    #[arg(value_parser = absolute_path())]
    file: PathBuf,
    /// The company’s slug
    #[arg(long)]
    tenant: String,
    /// The email address of the member who may see the records
    #[arg(long = "as", value_name = "EMAIL")]
    author: String,
    /// The format: csv, vcard (customers only) or json
    #[arg(long, default_value = "csv", value_parser = ["csv", "vcard", "json"])]
    format: String,
}

impl ExportRecords {
    /// Writes the file.
    pub async fn run(self, context: &Context) -> Result<RecordsExported> {
        let tenant = context.tenant(&self.tenant)?;
        let format = match self.format.as_str() {
            "vcard" => ExportFormat::Vcard,
            "json" => ExportFormat::Json,
            _ => ExportFormat::Csv,
        };
        let file = self.file.display().to_string();
        let whose = (self.kind.as_str(), self.author.as_str());
        let records = records::export_records(&context.store, tenant.id, whose, format, self.file).await?;
        let tenant = TenantShown::new(&context.store.snapshot()?, &tenant)?;
        Ok(RecordsExported { tenant, kind: self.kind, file, records })
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
    pub fn text(&self, locale: Locale) -> String {
        let params = [("records", &self.records as _), ("name", &self.tenant.name as _), ("file", &self.file as _)];
        sentence(locale, "server.cli.records_exported", &params)
    }
}
