//! Messages: what people write to a member, in the panel behind the envelope. They belong to that member alone.

mod api;

pub use api::Api;

use super::notices::{Kind, Notice};
use crate::feature::Feature;

/// What the house knows of it.
pub const FEATURE: Feature = Feature { name: "messages", searchable: &[] };

/// Marks notices that are messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Messages {}

impl Kind for Messages {
    const NAME: &'static str = "message";
    const TABLE: u16 = 21;
    const BY_TIME: u16 = 1_200;
    const UNREAD: &'static str = "messages/unread";
    const UNSEEN: &'static str = "messages/unseen";
    const ALL: &'static str = "messages/all";
    const BY_REMOVAL: u16 = 1_202;
}

/// A message.
pub type Message = Notice<Messages>;
