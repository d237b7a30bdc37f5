//! What the operator does to companies and people by the command line, and what those concerned are told of
//! it: never reached from the web.

mod tell;

pub use tell::{Told, tell_admins};
