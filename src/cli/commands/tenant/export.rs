//! `atrium tenant export`: exports a company to one file.

use crate::cli::prelude::*;

#[derive(Debug, Args, Serialize, Deserialize)]
#[command(after_help = "Examples:
  atrium tenant export acme /srv/acme.tenant")]
pub struct ExportTenant {
    /// Its slug
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
        let done = operator::export(&context.store, &context.files, tenant.id, self.file).await?;
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
    pub fn text(&self, locale: Locale) -> String {
        let params = [
            ("name", &self.tenant.name as _),
            ("slug", &self.tenant.slug as _),
            ("file", &self.file as _),
            ("records", &self.records as _),
            ("files", &self.files as _),
        ];
        let mut lines = vec![sentence(locale, "server.cli.tenant_exported", &params)];
        if self.damaged > 0 {
            lines.push(sentence(locale, "server.cli.tenant_exported_damaged", &[("damaged", &self.damaged)]));
        }
        lines.join("\n")
    }
}
