//! `atrium user suspend` and `atrium user resume`: whether a person can sign in.

use crate::{cli::prelude::*, people::members::MemberState};

impl Person {
    /// Suspends the person.
    pub async fn suspend(&self, context: &Context) -> Result<Answer> {
        self.set_state(context, MemberState::Suspended, Answer::UserSuspended).await
    }

    /// Resumes the person.
    pub async fn resume(&self, context: &Context) -> Result<Answer> {
        self.set_state(context, MemberState::Active, Answer::UserResumed).await
    }

    /// Sets the state. The answer may be that nothing changed.
    async fn set_state(
        &self,
        context: &Context,
        state: MemberState,
        answer: fn(UserShown) -> Answer,
    ) -> Result<Answer> {
        let tenant = context.tenant(&self.tenant)?;
        let sessions = context.app()?.auth.sessions();
        let (user, changed) = people::set_state(&context.store, sessions, tenant.id, &self.email, state).await?;
        let answer = if changed { answer } else { Answer::UserAlready };
        Ok(answer(UserShown::new(&tenant, user)))
    }
}

/// Returns what is printed when nothing changed.
pub fn already(UserShown { email, tenant, state, .. }: &UserShown) -> String {
    format!("{email} was already {state} in {tenant}. Nothing was changed.")
}

/// Returns what is printed for a suspended member.
pub fn suspended(UserShown { email, tenant, .. }: &UserShown) -> String {
    format!("{email} is suspended in {tenant} and was signed out everywhere.")
}

/// Returns what is printed for a member who can sign in again.
pub fn resumed(UserShown { email, tenant, .. }: &UserShown) -> String {
    format!("{email} can sign in to {tenant} again.")
}
