//! What happened meanwhile: how an open screen hears that something on it has changed, over a socket or, where
//! there is none, by a call that waits.

mod api;
mod client_frames;
mod frame_builder;
pub mod frames;
mod socket;
mod socket_api;
#[cfg(test)]
mod tests;

pub use api::Api;
pub use frame_builder::FrameBuilder;
pub use socket_api::{SocketApi, TicketApi};

use crate::feature::Feature;

/// What the house knows of it.
pub const FEATURE: Feature = Feature { name: "live", searchable: &[], live: &[] };
