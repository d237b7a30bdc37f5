//! Handling of frames from clients, within the member's rights.

use std::collections::BTreeSet;

use super::{
    frame_builder::{encode, receives_changes},
    frames::{ChatTyping, ChatTypingFrame, Edited, Editing, ServerFrame},
};
use crate::{
    access::Member,
    features::{self, chat},
    live::TenantChannel,
    people::permission::OwnData,
    store::TenantRead,
};

/// Records that a member may edit at one device.
const MAX_EDITED_RECORDS: usize = 20;

/// Tells the other members of a conversation that this member is typing, if this member is in it.
pub(super) fn publish_typing(member: &Member<OwnData>, channel: &TenantChannel, chat_id: &str) {
    let people = member.read(|tx| {
        let chat_id = chat::rules::get(tx, chat_id)?.id;
        Ok((chat_id, chat::rules::members(tx, chat_id)?))
    });
    if let Ok((chat_id, people)) = people {
        let data = ChatTyping { chat_id, member_id: member.id() };
        channel.publish_transient(people, |id| encode(&ServerFrame::ChatTyping(ChatTypingFrame { id, data })));
    }
}

/// Returns the edited records that the member may see; `None` when there are too many.
pub(super) fn filter_edited(member: &Member<OwnData>, editing: Editing) -> Option<BTreeSet<(String, [u8; 16])>> {
    if editing.records.len() > MAX_EDITED_RECORDS {
        return None;
    }
    let is_visible = |tx: &TenantRead<'_>, record: &Edited| {
        let mut kinds = features::live_kinds().filter(|live| live.kind == record.kind);
        let id = record.record_id.into_bytes();
        kinds.any(|live| receives_changes(tx, member.id(), &live.to, id).unwrap_or(false))
    };
    let visible = member.read(|tx| {
        let records = editing.records.into_iter().filter(|record| is_visible(tx, record));
        Ok(records.map(|record| (record.kind, record.record_id.into_bytes())).collect())
    });
    Some(visible.unwrap_or_default())
}
