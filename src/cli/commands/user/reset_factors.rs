//! `atrium user reset-factors`: removes the second factors of a person who lost the device.

use crate::cli::prelude::*;

impl Person {
    /// Removes the second factors. The answer may be that there were none.
    pub async fn reset_factors(&self, context: &Context) -> Result<Answer> {
        let tenant = context.tenant(&self.tenant)?;
        let (user, had) = people::reset_factors(&context.store, tenant.id, &self.email).await?;
        let answer = if had { Answer::FactorsReset } else { Answer::NoFactors };
        Ok(answer(UserShown::new(&tenant, user)))
    }
}

/// Returns what is printed for a member whose second factors were removed.
pub fn text(UserShown { email, .. }: &UserShown) -> String {
    format!("{email} has no second factor any more, and signs in with the password alone.")
}

/// Returns what is printed when nothing changed.
pub fn already(UserShown { email, .. }: &UserShown) -> String {
    format!("{email} had no second factor. Nothing was changed.")
}
