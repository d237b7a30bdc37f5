//! The bin: removed records of all kinds, which can be restored for 30 days. The member who removed a record may restore
//! it, and so may administrators; only they may remove it for good.

mod api;
mod rules;
#[cfg(test)]
mod tests;

pub use api::Api;
pub use rules::{PURGE, clear_references, get_or_binned, purge, purge_parts};
