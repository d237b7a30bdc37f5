//! `atrium user list`: lists the people of a company.

use crate::cli::prelude::*;

#[derive(Debug, Args, Serialize, Deserialize)]
#[command(after_help = "Examples:
  atrium user list --tenant acme
  atrium user list --tenant acme --json")]
pub struct ListUsers {
    /// The company's slug
    #[arg(long)]
    pub tenant: String,
}

impl ListUsers {
    /// Lists the members.
    pub fn run(&self, context: &Context) -> Result<Vec<UserShown>> {
        let tenant = context.tenant(&self.tenant)?;
        let users = people::list_users(&context.store, tenant.id)?;
        Ok(users.into_iter().map(|user| UserShown::new(&tenant, user)).collect())
    }
}

pub fn text(users: &[UserShown]) -> String {
    table(users, "There are no people in this company.", |user| {
        let UserShown { email, name, role, state, .. } = user;
        [email, name, role, state].map(String::clone)
    })
}
