//! `atrium tenant import`: imports a company from its file.

use std::collections::BTreeMap;

use crate::cli::prelude::*;

#[derive(Debug, Args, Serialize, Deserialize)]
#[command(after_help = "Examples:
  atrium tenant import /srv/acme.tenant
  atrium tenant import /srv/acme.tenant --slug acme-copy")]
pub struct ImportTenant {
    /// The file
    #[arg(value_parser = absolute_path())]
    file: PathBuf,
    /// Another slug, for a second copy of a company that is here
    #[arg(long, value_name = "OTHER")]
    slug: Option<String>,
}

impl ImportTenant {
    /// Imports the company.
    pub async fn run(self, context: &Context) -> Result<TenantImport> {
        let app = context.app()?;
        let done = operator::import(&app.eraser, self.file, self.slug, app.notifier.round()).await?;
        Ok(TenantImport {
            tenant: TenantShown::new(&context.store.snapshot()?, &done.tenant)?,
            records: done.records,
            files: done.files,
            domains_left_out: done.domains,
            left_out: done.left_out.into_iter().map(|(kind, count)| (kind.to_owned(), count)).collect(),
        })
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TenantImport {
    #[serde(flatten)]
    pub tenant: TenantShown,
    pub records: u64,
    pub files: u64,
    /// Host names that were left out because another tenant has them.
    pub domains_left_out: Vec<String>,
    /// Records that were left out, by kind, because another tenant has their value of a unique field.
    pub left_out: BTreeMap<String, u64>,
}

impl TenantImport {
    pub fn text(&self, locale: Locale) -> String {
        let TenantShown { name, slug, .. } = &self.tenant;
        let params =
            [("name", name as _), ("slug", slug as _), ("records", &self.records as _), ("files", &self.files as _)];
        let mut lines = vec![sentence(locale, "server.cli.tenant_imported", &params)];
        if !self.domains_left_out.is_empty() {
            let domains = self.domains_left_out.join(", ");
            lines.push(sentence(locale, "server.cli.tenant_imported_domains", &[("domains", &domains)]));
        }
        if !self.left_out.is_empty() {
            let kinds: Vec<String> = self.left_out.iter().map(|(kind, count)| format!("{kind}: {count}")).collect();
            lines.push(sentence(locale, "server.cli.tenant_imported_left_out", &[("kinds", &kinds.join(", "))]));
        }
        lines.join("\n")
    }
}
