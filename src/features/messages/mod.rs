//! Messages: a member's private items written by other members, shown in the message panel.

mod api;
pub mod sent;
mod sent_api;
#[cfg(test)]
mod tests;

pub use api::Api;
pub use sent::{Receipt, Sent};
pub use sent_api::SentApi;

use uuid::Uuid;

use super::notices::{Copy, Kind, Notice, rules::shows_file};
use crate::{
    feature::{Feature, LiveKind},
    kernel::{Result, Timestamp},
    people::permission::Permission,
    store::{PersonalWrite, Stored, TenantWrite},
};

/// Registration of the feature.
pub const FEATURE: Feature =
    Feature::new("messages").with_live(&[LiveKind::to_owner::<Message>()]).with_files(&[shows_file::<Messages>]);

/// Marker type of notices that are messages.
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
    const BY_GROUP: u16 = 1_230;
    const BROADCAST: &'static str = "message_broadcast";
    const BROADCAST_JOB: &'static str = "message-broadcast";
    const BROADCASTS: u16 = 87;
    const SEND: Permission = Permission::MessagesSend;
    fn read_changed(own: &PersonalWrite<'_, '_>, notice: &Stored<Notice<Self>>, now: Timestamp) -> Result<()> {
        sent::update_receipt(own, notice, now)
    }
    fn delivered(tx: &TenantWrite<'_>, sent: Uuid, copies: Vec<Copy<Self>>) -> Result<()> {
        sent::add_receipts(&tx.own_data()?, sent.into(), copies)
    }
}

/// A message.
pub type Message = Notice<Messages>;
