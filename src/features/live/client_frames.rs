//! Handling of frames from clients, within the member's rights.

use std::collections::BTreeSet;

use super::{
    frame_builder::write,
    frames::{ChatTyping, ChatTypingFrame, Edited, Editing, ServerFrame},
};
use crate::{
    access::Member,
    feature::{AudienceRule, LiveKind},
    features::{self, chat},
    kernel::Result,
    live::TenantChannel,
    people::permission::OwnData,
};

/// Records that a member may edit at one device.
const EDITED: usize = 20;

/// Tells the other members of a conversation that this member is typing, if this member is in it.
pub(super) fn typing(member: &Member<OwnData>, channel: &TenantChannel, chat_id: &str) {
    let people = member.read(|tx| {
        let chat_id = chat::rules::get(tx, chat_id)?.id;
        Ok((chat_id, chat::rules::members(tx, chat_id)?))
    });
    if let Ok((chat_id, people)) = people {
        let data = ChatTyping { chat_id, member_id: member.id() };
        channel.pass(people, |id| write(&ServerFrame::ChatTyping(ChatTypingFrame { id, data })));
    }
}

/// Returns the edited records that the member may see; `None` when there are too many.
pub(super) fn edited(member: &Member<OwnData>, editing: Editing) -> Option<BTreeSet<(String, [u8; 16])>> {
    if editing.records.len() > EDITED {
        return None;
    }
    let may = |record: &Edited| {
        let mut kinds = features::live_kinds().filter(|live| live.kind == record.kind);
        kinds.any(|live| may_know(member, live, record.record_id.into_bytes()).unwrap_or(false))
    };
    let records = editing.records.into_iter().filter(may);
    Some(records.map(|record| (record.kind, record.record_id.into_bytes())).collect())
}

/// Whether the member receives changes of a record.
fn may_know(member: &Member<OwnData>, live: &LiveKind, id: [u8; 16]) -> Result<bool> {
    let (right, few) = match &live.to {
        AudienceRule::Holders(right) => (*right, None),
        AudienceRule::HoldersOrRestricted(right, few) => (*right, member.read(|tx| few(tx, id))?),
        AudienceRule::Owner | AudienceRule::Members(_) => return Ok(false),
    };
    match few {
        None => member.may_now(right),
        Some(few) => Ok(few.people.contains(&member.id()) || member.may_now(few.holders)?),
    }
}
