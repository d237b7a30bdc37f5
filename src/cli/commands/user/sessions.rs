//! `atrium user sessions` and `atrium user end-sessions`: where a person is signed in.

use crate::{access::sessions::Session, cli::prelude::*};

impl Person {
    /// Lists the person's sessions.
    pub fn list_sessions(&self, context: &Context) -> Result<Vec<SessionShown>> {
        let tenant = context.tenant(&self.tenant)?;
        let sessions = context.app()?.auth.sessions();
        let sessions = people::sessions_of(&context.store, sessions, tenant.id, &self.email)?;
        Ok(sessions.iter().map(SessionShown::new).collect())
    }

    /// Ends the person's sessions.
    pub async fn end_sessions(&self, context: &Context) -> Result<SessionsEnded> {
        let tenant = context.tenant(&self.tenant)?;
        let sessions = context.app()?.auth.sessions();
        let (user, ended) = people::end_sessions(&context.store, sessions, tenant.id, &self.email).await?;
        Ok(SessionsEnded { user: UserShown::new(&tenant, user), ended })
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionShown {
    pub id: String,
    /// The device, from its browser's user agent.
    pub device: String,
    /// The address of the last use.
    pub address: String,
    pub created_at: String,
    /// When it was last refreshed.
    pub seen_at: String,
    pub ends_at: String,
}

impl SessionShown {
    fn new(session: &Stored<Session>) -> Self {
        Self {
            id: session.id.to_string(),
            device: session.device.clone(),
            address: session.address.clone(),
            created_at: session.created_at.to_string(),
            seen_at: session.seen_at.to_string(),
            ends_at: session.ends_at.to_string(),
        }
    }
}

/// Returns what is printed for a list of sessions.
pub fn text(sessions: &[SessionShown]) -> String {
    table(sessions, "There are no sessions.", |session| {
        [&session.seen_at, &session.address, &session.device].map(String::clone)
    })
}

/// Sessions that were ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionsEnded {
    pub user: UserShown,
    /// The number of sessions that were ended.
    pub ended: usize,
}

impl SessionsEnded {
    /// Returns what is printed with `--json`.
    pub fn json(&self) -> Value {
        json!({ "id": self.user.id, "ended": self.ended })
    }

    pub fn text(&self) -> String {
        format!("{} was signed out everywhere. Sessions ended: {}.", self.user.email, self.ended)
    }
}
