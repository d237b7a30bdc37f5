//! Duplicates: finding records that may describe the same person or organization, one by one and among all.

mod api;
mod model;
mod rules;
mod scan;
mod score;
#[cfg(test)]
mod tests;

pub use api::Api;
pub use model::{DuplicatePart, DuplicateScan, NotDuplicate};
pub use rules::{ensure, fail_scan, forget, ops, put_back};
pub use scan::{ScanWork, waiting};
