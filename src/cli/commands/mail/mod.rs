//! `atrium mail`: e-mails and the mail server.

pub mod list;
pub mod send_test;

use self::send_test::SendTest;
use crate::cli::prelude::*;

#[derive(Debug, Subcommand)]
pub enum MailAction {
    /// List emails that wait, were sent, are kept or were refused
    #[command(after_help = "Examples:
  atrium mail list
  atrium mail list --json")]
    List,
    /// Send a test email, and show the mail server's answer
    SendTest(SendTest),
}

impl MailAction {
    pub fn command(self) -> Command {
        match self {
            Self::List => Command::ListMail,
            Self::SendTest(form) => Command::SendTest(form),
        }
    }
}
