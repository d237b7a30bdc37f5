//! `atrium user invite`: invites a person by e-mail.

use super::{ROLES, role};
use crate::cli::prelude::*;

#[derive(Debug, Args, Serialize, Deserialize)]
#[command(after_help = "Examples:
  atrium user invite --tenant acme --email cleo@acme.example
  atrium user invite --tenant acme --email dora@acme.example --name Dora --role viewer")]
pub struct InviteUser {
    #[command(flatten)]
    #[serde(flatten)]
    who: Person,
    /// The person's name
    #[arg(long)]
    name: Option<String>,
    /// The role
    #[arg(long, value_parser = ROLES, default_value = "member")]
    role: String,
}

/// Returns what is printed.
pub fn text(UserShown { email, tenant, role, .. }: &UserShown) -> String {
    format!("{email} was invited to {tenant}. Role: {role}. `atrium mail list` shows whether the email was delivered.")
}

impl InviteUser {
    /// Invites the person.
    pub async fn run(self, context: &Context) -> Result<UserShown> {
        let tenant = context.tenant(&self.who.tenant)?;
        let role = role(&self.role)?;
        let user = people::invite(&context.store, tenant.id, self.who.email, self.name, role).await?;
        Ok(UserShown::new(&tenant, user))
    }
}
