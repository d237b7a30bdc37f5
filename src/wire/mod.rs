//! What crosses HTTP beside a feature's own views: errors, lists, versions, and how ids and times are written.

pub mod document;
pub mod etag;
pub mod given;
pub mod json;
pub mod page;
pub mod problem;
pub mod response;
pub mod scalars;
pub mod shape;
pub mod upgrade;

pub use given::Given;
pub use json::{Empty, Json};
pub use page::{CursorKeys, Cursors, List, Paging};
pub use problem::{Problem, Reply};
pub use response::{Accepted, Created, JsonResponse, Listed, NoContent, Versioned};

use poem::http::Uri;

/// The header that makes a retry of a creation safe.
pub const IDEMPOTENCY_KEY: &str = "Idempotency-Key";
/// The header that says which version of a record the caller has seen.
pub const IF_MATCH: &str = "If-Match";

/// The parameters of an address, as the framework reads them.
#[must_use]
pub fn query(uri: &Uri) -> Vec<(String, String)> {
    poem::Request::builder().uri(uri.clone()).finish().params().unwrap_or_default()
}

/// The chapters of the API document.
#[derive(Clone, Copy, Debug, poem_openapi::Tags)]
pub enum Tag {
    /// Signing in, staying signed in, signing out.
    Auth,
    /// The installation, as it shows itself to anybody.
    Global,
    /// The caller.
    User,
    /// What happened meanwhile.
    Live,
    /// Places one click away.
    Shortcuts,
    /// The caller's messages.
    Messages,
    /// The caller's notifications.
    Notifications,
    /// Everything that can be found.
    Search,
    /// Conversations between members.
    Chat,
    /// The people and companies that the tenant deals with.
    Customers,
    /// Things to do.
    Tasks,
    /// Things that happen at a time.
    Events,
    /// The knowledge base.
    Pages,
    /// The tenant's own people.
    Team,
    /// Figures.
    Dashboards,
    /// The company and its appearance.
    Settings,
    /// Uploads.
    Files,
}
