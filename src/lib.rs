//! Atrium: one binary in which a whole company works.

pub mod kernel;
pub mod store;
