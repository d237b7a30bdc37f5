//! Atrium: one binary in which a whole company works, for many companies on one installation.
//!
//! The floors, each knowing only those before it:
//!
//! - [`kernel`]: errors, ids, clock and chance, safe text, words: what everybody speaks in.
//! - [`store`]: everything that is kept, in one file; [`wire`]: what crosses HTTP; [`config`]: the settings.
//! - [`index`]: search; [`live`]: who is looking, and what they hear; [`mail`]: letters.
//! - [`access`]: who is asking. A handler gets a `Member<Right>`, and with it one company's data and no other's.
//! - [`feature`], [`features`]: a folder for each thing that people use.
//! - [`http`]: the edge of the server; [`jobs`]: what goes on while nobody asks; [`demo`]: demo data.
//! - [`app`]: puts it all together.
//!
//! A request passes the edge ([`http::Edge`]), finds its handler by the API document, is given a seat by
//! [`access`], becomes a domain value in the feature's `api.rs`, a rule's work in `rules.rs`, a record and
//! a line of the ledger in [`store`], and an answer in [`wire`]. Search and everything else that follows
//! from a change read the ledger afterwards.

pub mod access;
pub mod app;
pub mod cli;
pub mod config;
pub mod demo;
pub mod feature;
pub mod features;
pub mod http;
pub mod index;
pub mod jobs;
pub mod kernel;
pub mod live;
pub mod mail;
pub mod store;
#[cfg(test)]
pub mod testing;
#[cfg(test)]
mod tests;
pub mod wire;
