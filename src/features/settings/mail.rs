//! Test e-mails of a tenant's administrators.

use std::net::IpAddr;

use crate::{
    kernel::{Code, Error, Result},
    people::{
        audit::{self, BY_EVENT, Entry, Event},
        members::Company,
    },
    store::{Scan, Stored, TenantRead, TenantWrite},
};

/// A test e-mail that was begun.
const TESTED: &str = "company.mail_tested";
/// A test e-mail that the mail server did not accept.
const FAILED: &str = "company.mail_failed";

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
    let since = tx.now().plus_millis(-WINDOW_MS);
    let earlier = newest(tx, TESTED, MAX_TESTS)?;
    if let Some(oldest) = earlier.get(MAX_TESTS - 1).map(|entry| entry.created_at).filter(|at| *at > since) {
        let wait = u32::try_from((oldest.millis() - since.millis()) / 1_000 + 1).unwrap_or(u32::MAX);
        return Err(Error::new(Code::SlowDown).retry_after(wait));
    }
    write(tx, TESTED, from)
}

/// Writes the audit entry of a test e-mail that the mail server did not accept.
pub fn record_failure(tx: &TenantWrite<'_>, from: IpAddr) -> Result<()> {
    write(tx, FAILED, from)
}

/// Whether the mail server accepted the last test e-mail of the tenant.
pub fn has_tested_mail(tx: &TenantRead<'_>) -> Result<bool> {
    let failed = newest(tx, FAILED, 1)?.pop().map(|entry| entry.id);
    Ok(newest(tx, TESTED, 1)?.pop().is_some_and(|entry| failed.is_none_or(|failed| failed < entry.id)))
}

/// Returns the newest entries of an event.
fn newest(tx: &TenantRead<'_>, event: &str, most: usize) -> Result<Vec<Stored<Entry>>> {
    Ok(tx.page::<Entry>(&Scan::with(BY_EVENT, event).reversed(true).limit(most), |_| true)?.items)
}

fn write(tx: &TenantWrite<'_>, event: &'static str, from: IpAddr) -> Result<()> {
    let company = Company::of(tx)?;
    audit::write(tx, Event::new(event).about_company(&company).from_address(from.to_string()))
}
