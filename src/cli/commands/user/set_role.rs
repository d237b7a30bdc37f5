//! `atrium user set-role`: changes a person's role.

use super::{ROLES, role};
use crate::cli::prelude::*;

#[derive(Debug, Args, Serialize, Deserialize)]
#[command(after_help = "Examples:
  atrium user set-role --tenant acme --email ben@acme.example --role admin")]
pub struct SetRole {
    #[command(flatten)]
    #[serde(flatten)]
    who: Person,
    /// The role
    #[arg(long, value_parser = ROLES)]
    role: String,
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
