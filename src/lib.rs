//! Atrium: one binary in which a whole company works.

pub mod access;
pub mod app;
pub mod cli;
pub mod config;
pub mod feature;
pub mod features;
pub mod http;
pub mod index;
pub mod jobs;
pub mod kernel;
pub mod store;
#[cfg(test)]
pub mod testing;
pub mod wire;
