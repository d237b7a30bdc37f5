//! `atrium user create`: adds a person to a company.

use super::{ROLES, role};
use crate::{cli::prelude::*, features::team::NewMember};

#[derive(Debug, Args, Serialize, Deserialize)]
#[command(after_help = "Examples:
  atrium user create --tenant acme --name Eva --email eva@acme.example --role admin
  atrium user create --tenant acme --name Eva --email eva@acme.example --password-file /etc/atrium/password")]
pub struct CreateUser {
    /// The company's slug
    #[arg(long)]
    pub tenant: String,
    /// The person's name
    #[arg(long)]
    pub name: String,
    /// The person's email address
    #[arg(long)]
    pub email: String,
    /// The role
    #[arg(long, value_parser = ROLES, default_value = "member")]
    pub role: String,
    #[command(flatten)]
    pub password: NewPassword,
}

/// Returns what is printed.
pub fn text(UserShown { name, email, tenant, role, .. }: &UserShown) -> String {
    format!("{name} can now sign in to {tenant} as {email}. Role: {role}.")
}

impl CreateUser {
    /// Adds the person.
    pub async fn run(self, context: &Context) -> Result<UserShown> {
        let tenant = context.tenant(&self.tenant)?;
        let new = NewMember::new(self.name, self.email, role(&self.role)?);
        let passwords = context.app()?.auth.passwords();
        let user = people::create_user(&context.store, passwords, tenant.id, new, self.password.text.0).await?;
        Ok(UserShown::new(&tenant, user))
    }
}
