//! `atrium mail list`: lists the e-mails and their states.

use crate::{
    cli::prelude::*,
    mail::{Listed, State},
    people::members::Company,
};

/// Lists the e-mails of all tenants.
pub fn run(context: &Context) -> Result<Vec<LetterShown>> {
    let snapshot = context.store.snapshot()?;
    let shown = |listed: Listed| {
        let slug = Company::of(&snapshot.tenant(listed.tenant, None)).map(|company| company.value.slug);
        LetterShown::new(slug.unwrap_or_default(), listed)
    };
    Ok(context.app()?.mailer.list()?.into_iter().map(shown).collect())
}

/// Returns what is printed. The last column is the e-mail's link, its file or its error.
pub fn text(letters: &[LetterShown], locale: Locale) -> String {
    table(letters, "server.cli.no_mail", locale, |letter| {
        let about = letter.link.as_ref().or(letter.file.as_ref()).or(letter.error.as_ref());
        let LetterShown { created_at, tenant, state, kind, to, .. } = letter;
        [created_at, tenant, state, kind, to, about.unwrap_or(&String::new())].map(String::clone)
    })
}

#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LetterShown {
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

impl LetterShown {
    fn new(tenant: String, Listed { letter, file, link, .. }: Listed) -> Self {
        Self {
            id: letter.id.to_string(),
            tenant,
            kind: letter.kind.word().to_owned(),
            created_at: letter.created_at.to_string(),
            attempts: letter.attempts,
            next_at: (letter.state == State::Waiting).then(|| letter.due.to_string()),
            state: letter.state.word().to_owned(),
            to: letter.value.to,
            error: letter.value.error,
            file,
            link,
        }
    }
}
