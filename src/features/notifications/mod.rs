//! Notifications: what the house tells a member, in the panel behind the bell. They belong to that member alone.

mod api;

pub use api::Api;

use super::notices::{Kind, Notice};
use crate::feature::Feature;

/// What the house knows of it.
pub const FEATURE: Feature = Feature { name: "notifications", searchable: &[] };

/// Marks notices that are notifications.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Notifications {}

impl Kind for Notifications {
    const NAME: &'static str = "notification";
    const TABLE: u16 = 22;
    const BY_TIME: u16 = 1_201;
    const UNREAD: &'static str = "notifications/unread";
    const UNSEEN: &'static str = "notifications/unseen";
    const ALL: &'static str = "notifications/all";
    const BY_REMOVAL: u16 = 1_203;
}

/// A notification.
pub type Notification = Notice<Notifications>;
