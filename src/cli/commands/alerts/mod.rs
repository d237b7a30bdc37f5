//! `atrium alerts`: alerts to the operator, and the channels by which they are sent.

pub mod list;
pub mod test;

use crate::cli::prelude::*;

#[derive(Debug, Subcommand)]
pub enum AlertsAction {
    /// List what stands, and which channels do not work
    #[command(after_help = "Examples:
  atrium alerts list
  atrium alerts list --json")]
    List,
    /// Send a test by every channel that is set; exits with 1 when one does not work
    #[command(after_help = "Examples:
  atrium alerts test
  atrium alerts test --json")]
    Test,
}

impl AlertsAction {
    pub const fn command(&self) -> Command {
        match self {
            Self::List => Command::ListAlerts,
            Self::Test => Command::TestAlerts,
        }
    }
}

/// Returns the name of a channel for people.
fn named(channel: &str) -> String {
    match channel.split_once(':') {
        Some((_, address)) => format!("email to {address}"),
        None => channel.to_owned(),
    }
}
