//! What crosses HTTP beside a feature's own views: errors, lists, versions, and how ids and times are written.

pub mod answer;
pub mod etag;
pub mod page;
pub mod problem;
pub mod scalars;

pub use answer::{Answer, Created, Found, Gone};
pub use page::{List, Paging};
pub use problem::{Problem, Reply};
