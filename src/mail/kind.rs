//! What letters are about, and where their buttons lead.

use serde::{Deserialize, Serialize};

/// What a letter is about, and what only it can say. What a person wrote in it is plain text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Show that the address is yours (link).
    Confirm,
    /// Somebody asks you to join (link).
    Invitation {
        /// The name of who asks; none when the operator does.
        by: Option<String>,
        /// What they wrote to it.
        message: Option<String>,
    },
    /// Choose a new password (link).
    Reset,
    /// Somebody tried to sign up with your address, and you are in already.
    AlreadyMember,
    /// Your password was changed.
    PasswordChanged {
        /// From where, when it came from the web.
        from: Option<Device>,
    },
    /// A session was ended because an old token was shown.
    SessionEnded {
        /// The address that it was shown from.
        address: String,
    },
    /// Somebody signed in from a device that was never seen before.
    NewDevice {
        /// Which, and from where.
        from: Device,
    },
    /// Show that the new address is yours (link). Goes to the new one.
    EmailChange,
    /// Your address is another from now on. Goes to the old one.
    EmailChanged {
        /// The new one.
        email: String,
    },
    /// Something that you prove yourself with was added or removed.
    FactorChanged {
        /// What happened.
        change: FactorChange,
    },
    /// The operator did something to the company.
    Operator {
        /// Which: the key under `server.operator`.
        command: String,
        /// Name and value of each gap of its sentence.
        gaps: Vec<(String, String)>,
    },
    /// Something that the member wants to be told of by mail.
    Notification {
        /// What, in the member's language.
        title: String,
        /// More about it.
        text: String,
        /// Where it leads: a path of the application.
        link: String,
    },
    /// What the member has not read yet.
    Digest {
        /// The newest of it.
        items: Vec<DigestItem>,
        /// How many there are besides.
        more: u64,
    },
    /// The operator tries whether mail goes out.
    Test,
}

/// One thing that was not read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DigestItem {
    /// What, in the member's language.
    pub title: String,
    /// More about it.
    pub text: String,
    /// Where it leads, when it leads anywhere: a path of the application.
    pub link: Option<String>,
}

/// A device and where it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Device {
    /// Its name for people.
    pub name: String,
    /// Its address.
    pub address: String,
}

/// What happened to a second factor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FactorChange {
    /// An authenticator was set up.
    TotpAdded,
    /// It was removed.
    TotpRemoved,
    /// A passkey was added.
    PasskeyAdded,
    /// One was removed.
    PasskeyRemoved,
    /// Recovery codes were made anew.
    RecoveryCodes,
    /// An administrator removed all, because the device was lost.
    Reset,
}

impl FactorChange {
    /// The key of its sentence under `mail.factor-changed.changes`.
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

/// Where a letter's button leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Page<'k> {
    /// To a page that takes a token.
    Token(&'static str),
    /// To any other.
    Plain(&'k str),
}

impl Kind {
    /// The key of its words under `mail`, and its name in lists.
    #[must_use]
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

    /// The IP address from which that was done of which it warns.
    pub(super) fn ip_address(&self) -> Option<&str> {
        match self {
            Self::NewDevice { from } => Some(&from.address),
            Self::SessionEnded { address } => Some(address),
            _ => None,
        }
    }

    /// Whether it is written because the member chose to be told by mail.
    pub(super) const fn is_chosen(&self) -> bool {
        matches!(self, Self::Notification { .. } | Self::Digest { .. })
    }

    /// Where its button leads.
    #[must_use]
    pub const fn page(&self) -> Page<'_> {
        match self {
            Self::Confirm | Self::Invitation { .. } | Self::EmailChange => Page::Token("/activate-account"),
            Self::Reset => Page::Token("/reset-password"),
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
