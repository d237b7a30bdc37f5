//! Types of the HTTP API that all features share: errors, lists, versions, ids and times.

pub mod document;
pub mod etag;
pub mod headers;
pub mod json;
pub mod met_damage;
pub mod not_null;
pub mod page;
pub mod problem;
pub mod response;
pub mod scalars;
pub mod shape;
pub mod upgrade;

pub use headers::{IdempotencyKey, IfMatch};
pub use json::{Empty, Json};
pub use met_damage::{DAMAGED, MetDamage};
pub use not_null::NotNull;
pub use page::{CursorKeys, Cursors, List, Paging};
pub use problem::{Problem, Reply};
pub use response::{
    Accepted, Created, CsvDownload, Download, JsonDownload, JsonResponse, Listed, NoContent, Versioned,
    content_disposition,
};

use poem::http::Uri;

/// The header that makes it safe to retry a creation.
pub const IDEMPOTENCY_KEY: &str = "Idempotency-Key";
/// The header with the version of a record that the caller has seen.
pub const IF_MATCH: &str = "If-Match";

/// Returns the query parameters, decoded as by the framework.
pub fn query(uri: &Uri) -> Vec<(String, String)> {
    poem::Request::builder().uri(uri.clone()).finish().params().unwrap_or_default()
}

/// The sections of the API document.
#[derive(Clone, Copy, Debug, poem_openapi::Tags)]
pub enum Tag {
    /// Sign-in, sessions and sign-out.
    Auth,
    /// The installation, as visible without a session.
    Global,
    /// The caller.
    User,
    /// Changes as they happen.
    Live,
    /// The caller's shortcuts.
    Shortcuts,
    /// The caller's messages.
    Messages,
    /// The caller's notifications.
    Notifications,
    /// Search in all records.
    Search,
    /// Conversations between members.
    Chat,
    /// What all kinds of records have: the bin.
    Records,
    /// Records from files.
    Imports,
    /// The people and companies that the company deals with.
    Customers,
    /// The firms, authorities and households that customers belong to.
    Organizations,
    /// Possible sales.
    Deals,
    /// Tasks.
    Tasks,
    /// Calendar events.
    Events,
    /// The knowledge base.
    Pages,
    /// The company's members.
    Team,
    /// Statistics.
    Dashboards,
    /// The company and its appearance.
    Settings,
    /// Uploaded files.
    Files,
}
