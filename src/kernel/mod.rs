//! Foundation of all other modules, without dependencies on them: errors and their catalogue, identifiers, clock, text
//! safety, phone numbers, translations, host names, search documents, and what is counted for metrics.

mod address;
mod birthday;
pub mod clock;
pub mod countries;
pub mod document;
pub mod error;
pub mod folder;
pub mod hex;
mod histogram;
pub mod html;
pub mod i18n;
pub mod id;
mod limit;
pub mod media;
pub mod phone;
pub mod progress;
pub mod resolver;
pub mod text;
mod threads;

pub use address::address_block;
pub use birthday::Birthday;
pub use clock::{Clock, Day, Entropy, Timestamp};
pub use document::{ColumnValue, Document, FieldText, Heading, SearchScope};
pub use error::{Code, Error, Result};
pub use histogram::{Histogram, HistogramCounts};
pub use id::{Id, MemberId, Person, TenantId};
pub use limit::Limit;
pub use threads::{
    BACKGROUND_NICE, let_others_run, lower_priority, run_blocking, run_in_background, start_in_background,
};

/// Whether a value is the default of its type: records are stored without such fields.
pub fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
