//! Test e-mails of a tenant's administrators.

use std::net::IpAddr;

use crate::{
    kernel::{Code, Error, Result},
    people::{
        audit::{self, BY_EVENT, Entry, Event},
        members::Company,
    },
    store::{Scan, TenantWrite},
};

/// Maximum number of test e-mails of a tenant within [`WINDOW_MS`].
const MAX_TESTS: usize = 5;
/// Milliseconds in an hour.
const WINDOW_MS: i64 = 60 * 60_000;

/// Returns the error when no mail server is set up.
pub fn mail_off() -> Error {
    Error::new(Code::Conflict).say("errors.mail_off", Vec::new())
}

/// Writes the audit entry of a test e-mail before it is sent, and applies the rate limit.
/// Errors: `slow_down` when the tenant sent five within an hour.
pub fn record_test(tx: &TenantWrite<'_>, from: IpAddr) -> Result<()> {
    let event = Event::new("company.mail_tested");
    let earlier =
        tx.page::<Entry>(&Scan::with(BY_EVENT, "company.mail_tested").reversed(true).limit(MAX_TESTS), |_| true)?;
    let since = tx.now().plus_millis(-WINDOW_MS);
    if let Some(oldest) = earlier.items.get(MAX_TESTS - 1).map(|entry| entry.created_at).filter(|at| *at > since) {
        let wait = u32::try_from((oldest.millis() - since.millis()) / 1_000 + 1).unwrap_or(u32::MAX);
        return Err(Error::new(Code::SlowDown).retry_after(wait));
    }
    let company = Company::of(tx)?;
    audit::write(tx, event.about_company(&company).from_address(from.to_string()))
}
