//! `atrium user set-password`: sets a new password for a person, and ends their sessions.

use crate::cli::prelude::*;

#[derive(Debug, Args, Serialize, Deserialize)]
#[command(after_help = "Examples:
  atrium user set-password --tenant acme --email ben@acme.example
  atrium user set-password --tenant acme --email ben@acme.example --password-file /etc/atrium/password")]
pub struct SetPassword {
    #[command(flatten)]
    #[serde(flatten)]
    pub who: Person,
    #[command(flatten)]
    pub password: NewPassword,
}

/// Returns what is printed.
pub fn text(user: &UserShown) -> String {
    format!("{} has a new password. All sessions were ended.", user.email)
}

impl SetPassword {
    /// Sets the password.
    pub async fn run(self, context: &Context) -> Result<UserShown> {
        let tenant = context.tenant(&self.who.tenant)?;
        let auth = &context.app()?.auth;
        let passwords = auth.passwords();
        let sessions = auth.sessions();
        let email = &self.who.email;
        let password = self.password.text.0;
        let user = people::set_password(&context.store, passwords, sessions, tenant.id, email, password).await?;
        Ok(UserShown::new(&tenant, user))
    }
}
