//! Notifications: a member's private items in the notification panel, also e-mailed if they choose. The application
//! creates them with [`notify`].

mod api;
mod cursor;
pub mod digest;
mod kinds;
mod notify;
mod preferences;
mod preferences_api;
#[cfg(test)]
mod tests;

pub use api::Api;
pub use cursor::DeliveryCursor;
pub use kinds::{Channels, NotificationKind};
pub use notify::{EmailDelivery, NotificationDraft, ParamValue, admins, has_unread, mark_group_read, notify};
pub use preferences::{Digest, Preferences};
pub use preferences_api::PreferencesApi;

use super::notices::{Kind, Notice, rules::shows_file};
use crate::{
    feature::{Feature, LiveKind},
    people::permission::Permission,
};

/// Registration of the feature.
pub const FEATURE: Feature = Feature::new("notifications")
    .with_live(&[LiveKind::to_owner::<Notification>()])
    .with_files(&[shows_file::<Notifications>]);

/// Marker type of notices that are notifications.
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
    const BY_GROUP: u16 = 1_231;
    const BROADCAST: &'static str = "notification_broadcast";
    const BROADCAST_JOB: &'static str = "notification-broadcast";
    const BROADCASTS: u16 = 88;
    const SEND: Permission = Permission::NotificationsSend;
    const DISPLACED_LAST: Option<&'static str> = Some(NotificationKind::Security.as_str());
}

/// A notification.
pub type Notification = Notice<Notifications>;
