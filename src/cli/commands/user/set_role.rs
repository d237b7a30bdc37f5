//! `atrium user set-role`: changes a person's role.

use super::{ROLES, role};
use crate::cli::prelude::*;

#[derive(Debug, Args, Serialize, Deserialize)]
#[command(after_help = "Examples:
  atrium user set-role --tenant acme --email ben@acme.example --role admin
  atrium user set-role --tenant acme --email ben@acme.example --role viewer --json")]
pub struct SetRole {
    #[command(flatten)]
    #[serde(flatten)]
    who: Person,
    /// The role
    #[arg(long, value_parser = ROLES)]
    role: String,
}

/// Returns what is printed.
pub fn text(UserShown { email, tenant, role, .. }: &UserShown) -> String {
    format!("{email} has a new role in {tenant}: {role}.")
}

/// Returns what is printed when nothing changed.
pub fn already(UserShown { email, tenant, role, .. }: &UserShown) -> String {
    format!("{email} already has this role in {tenant}: {role}. Nothing was changed.")
}

impl SetRole {
    /// Changes the role. The answer may be that nothing changed.
    pub async fn run(self, context: &Context) -> Result<Answer> {
        let tenant = context.tenant(&self.who.tenant)?;
        let role = role(&self.role)?;
        let (user, changed) = people::set_role(&context.store, tenant.id, &self.who.email, role).await?;
        let answer = if changed { Answer::RoleSet } else { Answer::RoleAlready };
        Ok(answer(UserShown::new(&tenant, user)))
    }
}
