//! `atrium mail send-test`: sends a test e-mail.

use crate::cli::prelude::*;

#[derive(Debug, Args, Serialize, Deserialize)]
#[command(after_help = "Examples:
  atrium mail send-test ops@acme.example")]
pub struct SendTest {
    /// The email address to send it to
    address: String,
    /// The code of the e-mail's language.
    #[arg(skip)]
    locale: String,
}

impl SendTest {
    /// Sets the language to the operator's.
    pub fn with_language(self, locale: Locale) -> Self {
        Self { locale: locale.code().to_owned(), ..self }
    }

    /// Sends the e-mail.
    pub async fn run(self, context: &Context) -> Result<TestSent> {
        let locale = Locale::parse(&self.locale).unwrap_or(Locale::EN);
        let file = context.app()?.mailer.send_test(&self.address, locale).await?;
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
    pub fn text(&self, locale: Locale) -> String {
        match &self.file {
            None => sentence(locale, "server.cli.test_sent", &[("address", &self.address)]),
            Some(file) => sentence(locale, "server.cli.test_kept", &[("file", file)]),
        }
    }
}
