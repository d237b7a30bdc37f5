//! The ground floor: words that every other part of Atrium uses, and that know nobody themselves.
//! Errors and their catalogue, identifiers, the clock, safe text, and what search may know of a record.

pub mod clock;
pub mod document;
pub mod error;
pub mod folder;
pub mod hex;
pub mod html;
pub mod i18n;
pub mod id;
pub mod text;

pub use clock::{Clock, Day, Entropy, Timestamp};
pub use document::{Document, Heading, SearchScope};
pub use error::{Code, Error, Result};
pub use id::{Id, MemberId, TenantId};
