//! `atrium tenant export`: exports a company to one file.

use crate::cli::prelude::*;

#[derive(Debug, Args, Serialize, Deserialize)]
#[command(after_help = "Examples:
  atrium tenant export acme /var/backups/atrium/acme.tenant
  atrium tenant export acme /var/backups/atrium/acme-again.tenant --json")]
pub struct ExportTenant {
    /// The company's slug
    pub slug: String,
    /// The file to create. It is not encrypted: keep it as safe as the data directory
    #[arg(value_parser = absolute_path())]
    pub file: PathBuf,
}

impl ExportTenant {
    /// Writes the file.
    pub async fn run(self, context: &Context) -> Result<TenantExport> {
        let tenant = context.tenant(&self.slug)?;
        let file = self.file.display().to_string();
        let done = operator::export(&context.store, &context.files, tenant.id, self.file, &context.progress).await?;
        let operator::ExportReport { records, files, damaged } = done;
        let tenant = TenantShown::new(&context.store.snapshot()?, &tenant)?;
        Ok(TenantExport { tenant, file, records, files, damaged })
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TenantExport {
    #[serde(flatten)]
    pub tenant: TenantShown,
    pub file: String,
    pub records: u64,
    pub files: u64,
    /// Damaged records and missing uploads, which are not in the file.
    pub damaged: u64,
}

impl TenantExport {
    pub fn text(&self) -> String {
        let Self { tenant, file, records, files, damaged } = self;
        let done = tenant.about(&format!("was exported to {file}"));
        let mut lines = vec![format!(
            "{done} Records: {records}, uploads: {files}. Anyone with this file can read all of it. Keep it as safe as the data directory."
        )];
        if *damaged > 0 {
            lines.push(format!(
                "Not exported, because they're damaged or missing: {damaged}. `atrium check` lists damaged records."
            ));
        }
        lines.join("\n")
    }
}
