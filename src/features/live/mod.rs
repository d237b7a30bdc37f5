//! What happened meanwhile: how an open screen hears that something on it has changed, over a socket or, where
//! there is none, by a call that waits.

mod api;
pub mod frames;
mod said;
mod socket;
mod socket_api;
#[cfg(test)]
mod tests;
mod voice;

pub use api::Api;
pub use socket_api::{SocketApi, TicketApi};
pub use voice::HouseVoice;

use crate::feature::Feature;

/// What the house knows of it.
pub const FEATURE: Feature = Feature { name: "live", searchable: &[], news: &[] };
