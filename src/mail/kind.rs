//! Kinds of e-mails, and the targets of their buttons.

use serde::{Deserialize, Serialize};

/// The page of the link that activates an account.
pub const ACTIVATION_PAGE: &str = "/activate-account";
/// The page on which a member chooses a new password.
pub const RESET_PAGE: &str = "/reset-password";

/// The kind of an e-mail and its parameters. User input in it is plain text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Confirm the address (link).
    Confirm,
    /// Invitation to join the tenant (link).
    Invitation {
        /// The name of the inviting member; `None` if the operator invites.
        by: Option<String>,
        /// The inviting member's message.
        message: Option<String>,
    },
    /// Choose a new password (link).
    Reset,
    /// A sign-up was attempted with the address of a member.
    AlreadyMember,
    /// The password was changed.
    PasswordChanged {
        /// The device that changed it, if it was changed on the web.
        from: Option<Device>,
    },
    /// A session was ended because an old token was used.
    SessionEnded {
        /// The IP address that used it.
        address: String,
    },
    /// A sign-in from a new device.
    NewDevice {
        /// The device.
        from: Device,
    },
    /// Confirm the new address (link). Sent to the new address.
    EmailChange,
    /// The address was changed. Sent to the old address.
    EmailChanged {
        /// The new address.
        email: String,
    },
    /// A second factor was added or removed.
    FactorChanged {
        /// The change.
        change: FactorChange,
    },
    /// The operator changed something in the tenant.
    Operator {
        /// The command: its key under `server.operator`.
        command: String,
        /// Name and value of each parameter of its sentence.
        #[serde(rename = "gaps")]
        params: Vec<(String, String)>,
    },
    /// A notification that the member receives by e-mail.
    Notification {
        /// The title, in the member's language.
        title: String,
        /// The details.
        text: String,
        /// The path in the application that it leads to.
        link: String,
    },
    /// The member's unread notifications.
    Digest {
        /// The newest ones.
        items: Vec<DigestItem>,
        /// The number of further ones.
        more: u64,
    },
    /// The operator tests the delivery of e-mail.
    Test,
}

/// An unread notification.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DigestItem {
    /// The title, in the member's language.
    pub title: String,
    /// The details.
    pub text: String,
    /// The path in the application that it leads to, if any.
    pub link: Option<String>,
}

/// A device and its IP address.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Device {
    /// The device's display name.
    pub name: String,
    /// The IP address.
    pub address: String,
}

/// A change of second factors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FactorChange {
    /// An authenticator app was set up.
    TotpAdded,
    /// The authenticator app was removed.
    TotpRemoved,
    /// A passkey was added.
    PasskeyAdded,
    /// A passkey was removed.
    PasskeyRemoved,
    /// The recovery codes were renewed.
    RecoveryCodes,
    /// An administrator removed all factors, because the device was lost.
    Reset,
}

impl FactorChange {
    /// Returns the key of its sentence under `mail.factor-changed.changes`.
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::TotpAdded => "totp-added",
            Self::TotpRemoved => "totp-removed",
            Self::PasskeyAdded => "passkey-added",
            Self::PasskeyRemoved => "passkey-removed",
            Self::RecoveryCodes => "recovery-codes",
            Self::Reset => "reset",
        }
    }
}

/// The target of an e-mail's button.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Page<'k> {
    /// A page that takes a token.
    Token(&'static str),
    /// Any other page.
    Plain(&'k str),
}

impl Kind {
    /// Returns the key of its texts under `mail`, which is also its name in lists.
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Confirm => "confirm",
            Self::Invitation { .. } => "invitation",
            Self::Reset => "reset",
            Self::AlreadyMember => "already-member",
            Self::PasswordChanged { .. } => "password-changed",
            Self::SessionEnded { .. } => "session-ended",
            Self::NewDevice { .. } => "new-device",
            Self::EmailChange => "email-change",
            Self::EmailChanged { .. } => "email-changed",
            Self::FactorChanged { .. } => "factor-changed",
            Self::Operator { .. } => "operator",
            Self::Notification { .. } => "notification",
            Self::Digest { .. } => "digest",
            Self::Test => "test",
        }
    }

    /// Returns the IP address that caused the event it warns about.
    pub(super) fn ip_address(&self) -> Option<&str> {
        match self {
            Self::NewDevice { from } => Some(&from.address),
            Self::SessionEnded { address } => Some(address),
            _ => None,
        }
    }

    /// Whether the member chose to receive it by e-mail.
    pub(super) const fn is_chosen(&self) -> bool {
        matches!(self, Self::Notification { .. } | Self::Digest { .. })
    }

    /// Returns the target of its button.
    pub const fn page(&self) -> Page<'_> {
        match self {
            Self::Confirm | Self::Invitation { .. } | Self::EmailChange => Page::Token(ACTIVATION_PAGE),
            Self::Reset => Page::Token(RESET_PAGE),
            Self::AlreadyMember | Self::EmailChanged { .. } | Self::Operator { .. } | Self::Test => {
                Page::Plain("/sign-in")
            }
            Self::Notification { link, .. } => Page::Plain(link.as_str()),
            Self::Digest { .. } => Page::Plain("/notifications"),
            Self::PasswordChanged { .. } => Page::Plain("/forgot-password"),
            Self::SessionEnded { .. } | Self::NewDevice { .. } | Self::FactorChanged { .. } => {
                Page::Plain("/settings/security")
            }
        }
    }
}
