//! Notification preferences of a member: channels by kind, and the schedule of the digest e-mail.

use std::collections::BTreeMap;

use poem_openapi::{Enum, Object};
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use super::kinds::{Channels, Kinds, KindsPatch, NotificationKind};
use crate::{
    kernel::{Result, Timestamp, error::Faults},
    store::{PersonalRead, PersonalRecord, PersonalWrite, Record, TenantWrite},
    wire::NotNull,
};

/// Default hour of the digest.
const DEFAULT_DIGEST_HOUR: u8 = 8;

/// How often a digest of unread notifications is e-mailed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Enum)]
#[oai(rename = "NotificationDigest", rename_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub enum Digest {
    /// Never.
    #[default]
    Off,
    /// Every day.
    Daily,
    /// Every Monday.
    Weekly,
}

/// A member's preferences. Stored in their personal data under their own id.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Preferences {
    /// Both channels of each kind that was ever changed: a later default does not apply to them.
    #[serde(default)]
    kinds: BTreeMap<NotificationKind, Channels>,
    /// Frequency of the digest.
    #[serde(default)]
    pub digest: Digest,
    /// Hour of the digest in the member's time zone; stored with the first change of any preference.
    pub digest_hour: u8,
    /// Time of the last digest.
    pub digested: Option<Timestamp>,
}

impl Default for Preferences {
    fn default() -> Self {
        Self { kinds: BTreeMap::new(), digest: Digest::Off, digest_hour: DEFAULT_DIGEST_HOUR, digested: None }
    }
}

impl Record for Preferences {
    type Key = crate::kernel::Person;
    const KIND: &'static str = "notification_preferences";
    const TABLE: u16 = 48;
}
impl PersonalRecord for Preferences {}

impl Preferences {
    /// Returns a member's preferences, or the defaults.
    pub fn of(own: &PersonalRead<'_>) -> Result<Self> {
        Ok(own.find_intact(own.person())?.map(|kept| kept.value).unwrap_or_default())
    }

    /// Returns the channels of a kind.
    pub fn channels(&self, kind: NotificationKind) -> Channels {
        self.kinds.get(&kind).copied().unwrap_or_else(|| kind.default_channels())
    }

    /// Records the time of a digest, whether or not it had content.
    pub(super) fn record_digest(own: &PersonalWrite<'_, '_>, time: Timestamp) -> Result<()> {
        own.update(own.person(), |kept: &mut Self| {
            kept.digested = Some(time);
            Ok(())
        })
        .map(drop)
    }

    /// Applies changes.
    /// Errors: `invalid` for an hour above 23, or when security notifications would be turned off in the application.
    fn change(&mut self, patch: &Patch) -> Result<()> {
        let mut faults = Faults::default();
        for (kind, change) in patch.kinds.as_option().into_iter().flat_map(KindsPatch::changes) {
            let mut channels = self.channels(kind);
            channels.app = change.app.unwrap_or(channels.app);
            channels.mail = change.mail.unwrap_or(channels.mail);
            if kind == NotificationKind::Security && !channels.app {
                faults.add("kinds.security.app", "errors.fields.always_on");
            }
            self.kinds.insert(kind, channels);
        }
        patch.digest.update_to(&mut self.digest);
        patch.digest_hour.update_to(&mut self.digest_hour);
        if self.digest_hour > 23 {
            faults.add_with(
                "digestHour",
                "errors.fields.range",
                vec![("min", "0".to_owned()), ("max", "23".to_owned())],
            );
        }
        faults.into_result()
    }
}

/// Changes the preferences of the writing member.
/// Errors: `invalid` for an hour above 23, or when security notifications would be turned off in the application.
pub fn change(tx: &TenantWrite<'_>, patch: &Patch) -> Result<Preferences> {
    let own = tx.own_data()?;
    let id = own.person();
    if own.read().find::<Preferences>(id)?.is_none() {
        let mut preferences = Preferences::default();
        preferences.change(patch)?;
        return Ok(own.create_at(id, preferences)?.value);
    }
    Ok(own.update(id, |kept: &mut Preferences| kept.change(patch))?.value)
}

/// The caller's notification preferences.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "NotificationPreferences", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct View {
    kinds: Kinds,
    digest: Digest,
    /// The hour of the digest in the caller's time zone, 0 to 23.
    digest_hour: u8,
}

impl From<Preferences> for View {
    fn from(preferences: Preferences) -> Self {
        let kinds = Kinds::new(|kind| preferences.channels(kind));
        Self { kinds, digest: preferences.digest, digest_hour: preferences.digest_hour }
    }
}

/// Changes to the caller's notification preferences. Absent fields stay unchanged.
#[derive(Debug, Object)]
#[oai(rename = "NotificationPreferencesPatch", rename_all = "camelCase", deny_unknown_fields)]
pub struct Patch {
    kinds: NotNull<KindsPatch>,
    digest: NotNull<Digest>,
    /// The hour of the digest in the caller's time zone, 0 to 23.
    digest_hour: NotNull<u8>,
}
