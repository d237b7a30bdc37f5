//! Atrium: business software for whole companies, with many tenants in one binary and one installation.
//!
//! The layers, each depending only on those above it in this list:
//!
//! - [`kernel`]: errors, ids, clock and random numbers, safe text, translations.
//! - [`formats`]: file formats of import and export.
//! - [`store`]: all persistent data, in one file; [`wire`]: HTTP types; [`config`]: the settings.
//! - [`index`]: search; [`live`]: presence and change events; [`mail`]: e-mails.
//! - [`access`]: authentication and authorization. A handler gets a `Member<Right>` for one tenant's data.
//! - [`feature`], [`features`]: a folder for each feature.
//! - [`http`]: the HTTP server; [`jobs`]: background tasks; [`demo`]: demo data.
//! - [`monitoring`]: health checks and metrics for the operator.
//! - [`app`]: the composition root.
//!
//! A request passes the pipeline ([`http::Pipeline`]), is routed by the API document, and is authenticated by
//! [`access`]. The feature's `api.rs` converts it into a domain value and calls a rule in `rules.rs`. [`store`] writes
//! records and change feed, and [`wire`] writes the response. Search and other derived data read the change feed
//! afterwards.

pub mod access;
pub mod app;
pub mod cli;
pub mod config;
pub mod demo;
mod fairness;
pub mod feature;
pub mod features;
pub mod formats;
pub mod http;
pub mod index;
pub mod jobs;
pub mod kernel;
pub mod live;
pub mod mail;
pub mod monitoring;
pub mod people;
pub mod store;
#[cfg(test)]
pub mod testing;
#[cfg(test)]
mod tests;
pub mod wire;
