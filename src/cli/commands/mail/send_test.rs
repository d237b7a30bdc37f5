//! `atrium mail send-test`: sends a test e-mail.

use crate::{cli::prelude::*, kernel::i18n::Locale};

#[derive(Debug, Args, Serialize, Deserialize)]
#[command(after_help = "Examples:
  atrium mail send-test ops@acme.example
  atrium mail send-test ops@acme.example --json")]
pub struct SendTest {
    /// The email address to send it to
    address: String,
}

impl SendTest {
    /// Sends the e-mail.
    pub async fn run(self, context: &Context) -> Result<TestSent> {
        let file = context.app()?.mailer.send_test(&self.address, Locale::EN).await?;
        Ok(TestSent { address: self.address, file })
    }
}

/// A test e-mail that was sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestSent {
    pub address: String,
    /// The file it was written to when there is no mail server.
    pub file: Option<String>,
}

impl TestSent {
    pub fn text(&self) -> String {
        match &self.file {
            None => format!("The mail server accepted a test message to {}.", self.address),
            Some(file) => format!("No mail server is configured, so the test message was kept in {file}."),
        }
    }
}
