//! `atrium user`: the people of a company. This file has their list of commands, and how a person is shown.

pub mod create;
pub mod invite;
pub mod list;
pub mod reset_factors;
pub mod sessions;
pub mod set_password;
pub mod set_role;
pub mod state;

use self::{create::CreateUser, invite::InviteUser, list::ListUsers, set_password::SetPassword, set_role::SetRole};
use crate::{
    cli::prelude::*,
    people::{
        members::{MemberRecord, MemberState},
        permission::Role,
    },
};

/// The roles of members.
const ROLES: [&str; 4] = ["owner", "admin", "member", "viewer"];

#[derive(Debug, Subcommand)]
pub enum UserAction {
    /// Add a person to a company, with a password that you choose
    Create(CreateUser),
    /// List the people of a company
    List(ListUsers),
    /// Set a new password for a person, and end their sessions
    SetPassword(SetPassword),
    /// Invite a person by email. They choose their own password
    Invite(InviteUser),
    /// Change a person's role
    SetRole(SetRole),
    /// Remove a person's second factors, because the device is lost. They then sign in with the password alone
    #[command(after_help = "Examples:
  atrium user reset-factors --tenant acme --email ben@acme.example
  atrium user reset-factors --tenant acme --email ben@acme.example --json")]
    ResetFactors(Person),
    /// Suspend a person: they can't sign in until they are resumed
    #[command(after_help = "Examples:
  atrium user suspend --tenant acme --email ben@acme.example
  atrium user suspend --tenant acme --email ben@acme.example --json")]
    Suspend(Person),
    /// Resume a person who was suspended
    #[command(after_help = "Examples:
  atrium user resume --tenant acme --email ben@acme.example
  atrium user resume --tenant acme --email ben@acme.example --json")]
    Resume(Person),
    /// List a person's sessions
    #[command(after_help = "Examples:
  atrium user sessions --tenant acme --email ben@acme.example
  atrium user sessions --tenant acme --email ben@acme.example --json")]
    Sessions(Person),
    /// Sign a person out everywhere
    #[command(after_help = "Examples:
  atrium user end-sessions --tenant acme --email ben@acme.example
  atrium user end-sessions --tenant acme --email ben@acme.example --json")]
    EndSessions(Person),
}

impl UserAction {
    pub fn command(self) -> Command {
        match self {
            Self::Create(form) => Command::CreateUser(form),
            Self::List(form) => Command::ListUsers(form),
            Self::SetPassword(form) => Command::SetPassword(form),
            Self::Invite(form) => Command::InviteUser(form),
            Self::SetRole(form) => Command::SetRole(form),
            Self::ResetFactors(person) => Command::ResetFactors(person),
            Self::Suspend(person) => Command::SuspendUser(person),
            Self::Resume(person) => Command::ResumeUser(person),
            Self::Sessions(person) => Command::ListSessions(person),
            Self::EndSessions(person) => Command::EndSessions(person),
        }
    }
}

/// The member that a command acts on.
#[derive(Debug, Args, Serialize, Deserialize)]
pub struct Person {
    /// The company's slug
    #[arg(long)]
    pub tenant: String,
    /// The person's email address
    #[arg(long)]
    pub email: String,
}

/// Parses the name of a role.
fn role(word: &str) -> Result<Role> {
    let role = Role::ALL.into_iter().find(|role| role.as_str() == word);
    role.ok_or_else(|| Error::field("role", "errors.fields.role"))
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UserShown {
    pub id: String,
    /// The tenant's slug.
    pub tenant: String,
    pub name: String,
    pub email: String,
    pub role: String,
    /// `invited`, `unconfirmed`, `active` or `suspended`.
    pub state: String,
}

impl UserShown {
    fn new(tenant: &Tenant, user: Stored<MemberRecord>) -> Self {
        let state = match user.value.state {
            MemberState::Invited => "invited",
            MemberState::Unconfirmed => "unconfirmed",
            MemberState::Active => "active",
            MemberState::Suspended => "suspended",
        };
        Self {
            id: user.id.to_string(),
            tenant: tenant.company.value.slug.clone(),
            name: user.value.name,
            email: user.value.email,
            role: user.value.role.as_str().to_owned(),
            state: state.to_owned(),
        }
    }
}
