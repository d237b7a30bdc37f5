//! What clients say over the socket, as far as they may.

use std::collections::BTreeSet;

use super::{
    frames::{ChatTyping, ChatTypingFrame, Editing, ServerFrame},
    voice::write,
};
use crate::{
    access::{Member, permission::OwnData},
    feature::Hearers,
    features::{self, chat},
    live::TenantChannel,
};

/// Records that somebody may edit at one device.
const EDITED: usize = 20;

/// Tells the others of a conversation that somebody writes in it, when they are in it themselves.
pub(super) fn typing(member: &Member<OwnData>, channel: &TenantChannel, chat_id: &str) {
    let people = member.read(|tx| {
        let chat_id = chat::rules::get(tx, chat_id)?.id.cast();
        Ok((chat_id, chat::rules::members(tx, chat_id)?))
    });
    if let Ok((chat_id, people)) = people {
        let data = ChatTyping { chat_id, member_id: member.id() };
        channel.pass(people, |id| write(&ServerFrame::ChatTyping(ChatTypingFrame { id, data })));
    }
}

/// The records that somebody edits, of those that they may see; none when it is too many.
pub(super) fn edited(member: &Member<OwnData>, editing: Editing) -> Option<BTreeSet<(String, [u8; 16])>> {
    if editing.records.len() > EDITED {
        return None;
    }
    let may = |kind: &str| {
        features::news().any(|news| {
            news.kind == kind && matches!(news.to, Hearers::Holders(right) if member.may_now(right).unwrap_or(false))
        })
    };
    let records = editing.records.into_iter().filter(|record| may(&record.kind));
    Some(records.map(|record| (record.kind, record.record_id.into_bytes())).collect())
}
