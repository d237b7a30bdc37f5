//! `atrium tenant import`: imports a company from its file.

use std::collections::BTreeMap;

use crate::cli::prelude::*;

#[derive(Debug, Args, Serialize, Deserialize)]
#[command(after_help = "Examples:
  atrium tenant import /var/backups/atrium/acme.tenant
  atrium tenant import /var/backups/atrium/acme.tenant --slug acme-2")]
pub struct ImportTenant {
    /// The file that `atrium tenant export` made
    #[arg(value_parser = absolute_path())]
    pub file: PathBuf,
    /// Another slug, when a company here has the one in the file
    #[arg(long, value_name = "OTHER")]
    slug: Option<String>,
}

impl ImportTenant {
    /// Imports the company.
    pub async fn run(self, context: &Context) -> Result<TenantImport> {
        let app = context.app()?;
        let done = operator::import(&app.eraser, self.file, self.slug, &context.progress, app.notifier.round()).await?;
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
    /// Host names of the file, which are never taken over by themselves.
    pub domains_left_out: Vec<String>,
    /// Records that were left out, by kind, because another tenant has their value of a unique field.
    pub left_out: BTreeMap<String, u64>,
}

impl TenantImport {
    pub fn text(&self) -> String {
        let done = self.tenant.about("was imported");
        let mut lines = vec![format!(
            "{done} Records: {}, uploads: {}. People sign in with the passwords they had. Send pending invitations again.",
            self.records, self.files
        )];
        if !self.domains_left_out.is_empty() {
            lines.push(format!(
                "The file names these hosts for the company: {}. If they are its own: atrium tenant update {} --domain {}",
                self.domains_left_out.join(", "),
                self.tenant.slug,
                self.domains_left_out.join(" --domain ")
            ));
        }
        if !self.left_out.is_empty() {
            let kinds: Vec<String> = self.left_out.iter().map(|(kind, count)| format!("{kind}: {count}")).collect();
            lines.push(format!(
                "Not imported, because another company on this server already has them: {}",
                kinds.join(", ")
            ));
        }
        lines.join("\n")
    }
}
