//! What the house tells people of, and by which ways it does when they have not chosen.

use poem_openapi::Object;
use serde::{Deserialize, Serialize};

/// By which ways somebody is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Object)]
#[oai(rename = "NotificationChannels")]
pub struct Channels {
    /// In the panel behind the bell.
    pub app: bool,
    /// By a letter at once.
    pub mail: bool,
}

/// Changes to that: what is absent stays.
#[derive(Clone, Copy, Debug, Default, Object)]
#[oai(rename = "NotificationChannelsPatch", deny_unknown_fields)]
pub struct ChannelsPatch {
    pub(super) app: Option<bool>,
    pub(super) mail: Option<bool>,
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $variant:ident = $field:ident, $icon:literal, mail: $mail:literal;)*) => {
        /// What somebody is told of.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum NotificationKind { $($(#[$doc])* $variant,)* }

        impl NotificationKind {
            /// All kinds.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// Its name for clients, and under `server.notifications`.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => stringify!($field),)* }
            }

            /// The name of its icon.
            #[must_use]
            pub const fn icon(self) -> &'static str {
                match self { $(Self::$variant => $icon,)* }
            }

            /// The ways of who has not chosen.
            #[must_use]
            pub const fn usual(self) -> Channels {
                match self { $(Self::$variant => Channels { app: true, mail: $mail },)* }
            }
        }

        /// By which ways the caller is told of each kind of thing.
        #[derive(Debug, Serialize, Object)]
        #[oai(rename = "NotificationKinds")]
        pub struct Kinds { $($(#[$doc])* $field: Channels,)* }

        impl Kinds {
            /// As `of` says.
            pub(super) fn new(of: impl Fn(NotificationKind) -> Channels) -> Self {
                Self { $($field: of(NotificationKind::$variant),)* }
            }
        }

        /// Changes to that: what is absent stays.
        #[derive(Debug, Default, Object)]
        #[oai(rename = "NotificationKindsPatch", deny_unknown_fields)]
        pub struct KindsPatch { $($(#[$doc])* $field: $crate::wire::Given<ChannelsPatch>,)* }

        impl KindsPatch {
            /// What is to be changed.
            pub(super) fn changes(&self) -> impl Iterator<Item = (NotificationKind, ChannelsPatch)> {
                [$((NotificationKind::$variant, self.$field),)*].into_iter().filter_map(|(kind, patch)| Some((kind, patch.into_option()?)))
            }
        }
    };
}

kinds! {
    /// A task was given to them.
    TaskAssigned = task_assigned, "clipboard-list", mail: true;
    /// A task of theirs is due today.
    TaskDue = task_due, "clock", mail: false;
    /// They are asked to an event.
    EventInvited = event_invited, "calendar-plus", mail: true;
    /// An event that they come to was changed or called off.
    EventChanged = event_changed, "calendar-clock", mail: false;
    /// An event that they come to begins soon.
    EventReminder = event_reminder, "calendar-check", mail: false;
    /// Somebody named them in the team chat.
    Mention = mention, "message-circle", mail: true;
    /// Somebody wrote to them in the team chat while they were away.
    Chat = chat, "message-square", mail: false;
    /// Somebody joined the company.
    MemberJoined = member_joined, "user-plus", mail: false;
    /// Something happened to their account or to the company's. It cannot be turned off in the application.
    Security = security, "shield-alert", mail: true;
}
