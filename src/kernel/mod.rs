//! Foundation of all other modules, without dependencies on them: errors and their catalogue, identifiers, clock, text
//! safety, translations, and search documents.

mod address;
mod blocking;
pub mod clock;
pub mod countries;
pub mod document;
pub mod error;
pub mod folder;
pub mod hex;
pub mod html;
pub mod i18n;
pub mod id;
pub mod text;

pub use address::address_block;
pub use blocking::run_blocking;
pub use clock::{Clock, Day, Entropy, Timestamp};
pub use document::{ColumnValue, Document, FieldText, Heading, SearchScope};
pub use error::{Code, Error, Result};
pub use id::{Id, MemberId, Person, TenantId};
