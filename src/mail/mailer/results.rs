//! What is known of deliveries: the queue, and the results since the start.

use crate::kernel::Timestamp;

/// The e-mails that wait to be sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MailQueue {
    /// Number of e-mails that wait for an attempt.
    pub waiting: u64,
    /// Number of those that failed at least once and have waited for over an hour.
    pub late: u64,
}

/// The results of deliveries since the start.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MailResults {
    /// E-mails that a mail server accepted.
    pub sent: u64,
    /// E-mails that were stored in the data directory, because no mail server is configured.
    pub stored: u64,
    /// Attempts that failed and are repeated.
    pub retried: u64,
    /// E-mails whose delivery failed permanently.
    pub failed: u64,
    /// When an e-mail was last sent or stored.
    pub last_success: Option<Timestamp>,
    /// When and why an attempt last failed.
    pub last_failure: Option<(Timestamp, String)>,
}
