//! Live updates to open screens: frames over a WebSocket or, where no socket opens, by long polling.

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

/// This feature's entry in the register.
pub const FEATURE: Feature = Feature::new("live");
