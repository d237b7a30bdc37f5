//! Kinds of notifications, and their default channels.

use poem_openapi::Object;
use serde::{Deserialize, Serialize};

/// The channels of a kind of notification.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Object)]
#[oai(rename = "NotificationChannels")]
pub struct Channels {
    /// Whether it is shown in the notification panel.
    pub app: bool,
    /// Whether it is e-mailed at once.
    pub mail: bool,
}

/// Changes to the channels. Absent fields stay unchanged.
#[derive(Clone, Copy, Debug, Default, Object)]
#[oai(rename = "NotificationChannelsPatch", deny_unknown_fields)]
pub struct ChannelsPatch {
    pub(super) app: Option<bool>,
    pub(super) mail: Option<bool>,
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $variant:ident = $field:ident, $icon:literal, mail: $mail:literal;)*) => {
        /// Kind of a notification.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum NotificationKind { $($(#[$doc])* $variant,)* }

        impl NotificationKind {
            /// All kinds.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// Returns its name for clients, which is also its key under `server.notifications`.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => stringify!($field),)* }
            }

            /// Returns the name of its icon.
            pub const fn icon(self) -> &'static str {
                match self { $(Self::$variant => $icon,)* }
            }

            /// Returns the default channels.
            pub const fn default_channels(self) -> Channels {
                match self { $(Self::$variant => Channels { app: true, mail: $mail },)* }
            }
        }

        /// The channels that the caller chose for each kind of notification.
        #[derive(Debug, Serialize, Object)]
        #[oai(rename = "NotificationKinds")]
        pub struct Kinds { $($(#[$doc])* $field: Channels,)* }

        impl Kinds {
            /// Looks up the channels of each kind with `of`.
            pub(super) fn new(of: impl Fn(NotificationKind) -> Channels) -> Self {
                Self { $($field: of(NotificationKind::$variant),)* }
            }
        }

        /// Changes to the channels by kind. Absent kinds stay unchanged.
        #[derive(Debug, Default, Object)]
        #[oai(rename = "NotificationKindsPatch", deny_unknown_fields)]
        pub struct KindsPatch { $($(#[$doc])* $field: $crate::wire::NotNull<ChannelsPatch>,)* }

        impl KindsPatch {
            /// Returns the kinds to change.
            pub(super) fn changes(&self) -> impl Iterator<Item = (NotificationKind, ChannelsPatch)> {
                [$((NotificationKind::$variant, self.$field),)*].into_iter().filter_map(|(kind, patch)| Some((kind, patch.into_option()?)))
            }
        }
    };
}

kinds! {
    /// A task was assigned to the member.
    TaskAssigned = task_assigned, "clipboard-list", mail: true;
    /// A task of the member is due today.
    TaskDue = task_due, "clock", mail: false;
    /// The member was invited to an event.
    EventInvited = event_invited, "calendar-plus", mail: true;
    /// An event that the member attends was changed or cancelled.
    EventChanged = event_changed, "calendar-clock", mail: false;
    /// An event that the member attends begins soon.
    EventReminder = event_reminder, "calendar-check", mail: false;
    /// A colleague commented on a record that the member follows or commented on.
    Comment = comment, "message-square-text", mail: false;
    /// The member was mentioned in the team chat or in a comment.
    Mention = mention, "message-circle", mail: true;
    /// A message in the team chat arrived while the member was away.
    Chat = chat, "message-square", mail: false;
    /// A new member joined the company.
    MemberJoined = member_joined, "user-plus", mail: false;
    /// People were moved to the bin because of the retention of their status. For administrators only.
    Retention = retention, "user-x", mail: true;
    /// A security event of the member's account or the company. In the application it cannot be turned off.
    Security = security, "shield-alert", mail: true;
}
