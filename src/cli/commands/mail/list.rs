//! `atrium mail list`: lists the e-mails and their states.

use crate::{
    cli::prelude::*,
    mail::{ListedEmail, State},
    people::members::Company,
};

/// Lists the e-mails of all tenants.
pub fn run(context: &Context) -> Result<Vec<EmailShown>> {
    let snapshot = context.store.snapshot()?;
    let shown = |listed: ListedEmail| {
        let slug = Company::of(&snapshot.tenant(listed.tenant, None)).map(|company| company.value.slug);
        EmailShown::new(slug.unwrap_or_default(), listed)
    };
    Ok(context.app()?.mailer.list()?.into_iter().map(shown).collect())
}

/// Returns what is printed. The last column is the e-mail's link, its file or its error.
pub fn text(emails: &[EmailShown]) -> String {
    table(emails, "There are no emails.", |email| {
        let about = email.link.as_ref().or(email.file.as_ref()).or(email.error.as_ref());
        let EmailShown { created_at, tenant, state, kind, to, .. } = email;
        [created_at, tenant, state, kind, to, about.unwrap_or(&String::new())].map(String::clone)
    })
}

#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EmailShown {
    pub id: String,
    /// The tenant's slug.
    pub tenant: String,
    pub kind: String,
    pub to: String,
    /// `waiting`, `sent`, `kept`, `failed` or `dropped`.
    pub state: String,
    pub created_at: String,
    pub attempts: u32,
    /// When the next attempt is, while it waits.
    pub next_at: Option<String>,
    /// The error of the last attempt.
    pub error: Option<String>,
    /// The file that it is kept in.
    pub file: Option<String>,
    /// The link in it.
    pub link: Option<String>,
}

impl EmailShown {
    fn new(tenant: String, ListedEmail { email, file, link, .. }: ListedEmail) -> Self {
        Self {
            id: email.id.to_string(),
            tenant,
            kind: email.kind.word().to_owned(),
            created_at: email.created_at.to_string(),
            attempts: email.attempts,
            next_at: (email.state == State::Waiting).then(|| email.due.to_string()),
            state: email.state.word().to_owned(),
            to: email.value.to,
            error: email.value.error,
            file,
            link,
        }
    }
}
