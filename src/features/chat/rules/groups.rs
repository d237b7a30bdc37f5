//! Rules of groups. Every member may rename the group, add colleagues and leave; its owner may remove others. The
//! member list and the [`Membership`] records change in one write, so a removed member immediately loses access, live
//! updates and search results.

use std::collections::BTreeSet;

use super::{
    is_active,
    read::{move_mark, remove_mark},
    send::post_event,
};
use crate::{
    features::chat::{Conversation, Membership, message::GroupEventKind, model::GroupProperties},
    kernel::{Code, Error, Id, MemberId, Result, error::Faults, text},
    people::members::MemberRecord,
    store::{Stored, TenantRead, TenantWrite},
};

/// Maximum members of a group.
const MAX_MEMBERS: usize = 100;
/// Maximum characters of a group's name.
const MAX_NAME_CHARS: usize = 100;

/// Changes to a group.
#[derive(Clone, Debug, Default)]
pub struct GroupChange {
    /// New name.
    pub name: Option<String>,
    /// Members to add. Those who are already in the group are ignored.
    pub add: Vec<MemberId>,
    /// Members to remove.
    pub remove: Vec<MemberId>,
}

fn clean_name(name: &str) -> Result<String> {
    let name = text::line(name);
    let mut faults = Faults::default();
    faults.required("name", &name, MAX_NAME_CHARS);
    faults.into_result()?;
    Ok(name)
}

/// Checks the limit of members.
fn check_member_count(field: &str, members: usize) -> Result<()> {
    if members <= MAX_MEMBERS {
        return Ok(());
    }
    let params = vec![("max", MAX_MEMBERS.to_string())];
    Err(Error::new(Code::Invalid).and_field(field, "errors.fields.too_many", params))
}

/// Returns the requested members who are not in the group yet, without duplicates.
fn new_members(
    tx: &TenantRead<'_>,
    field: &str,
    members: &[MemberId],
    requested: &[MemberId],
) -> Result<Vec<MemberId>> {
    let mut seen: BTreeSet<MemberId> = members.iter().copied().collect();
    let mut new = Vec::new();
    for (at, member) in requested.iter().enumerate() {
        if !seen.insert(*member) {
            continue;
        }
        if !is_active(tx, *member)? {
            return Err(Error::field(format!("{field}.{at}"), "errors.fields.unknown_reference"));
        }
        new.push(*member);
    }
    Ok(new)
}

/// Creates a group of the caller and others.
/// Errors: `invalid` without a name or other members, and for members who are not active.
pub fn create_group(tx: &TenantWrite<'_>, name: &str, others: &[MemberId]) -> Result<Stored<Membership>> {
    let own = tx.own_data()?;
    let name = clean_name(name)?;
    let me = own.person();
    check_member_count("memberIds", others.len())?;
    let others = new_members(tx, "memberIds", &[me], others)?;
    if others.is_empty() {
        return Err(Error::field("memberIds", "errors.fields.required"));
    }
    let members: Vec<MemberId> = [me].into_iter().chain(others.iter().copied()).collect();
    check_member_count("memberIds", members.len())?;
    let group = Some(GroupProperties { name: name.clone(), owner: me });
    let conversation = tx.create(Conversation { members, group })?;
    for member in &conversation.members {
        tx.person(*member).create_at(conversation.id, Membership::new(None))?;
    }
    post_event(tx, &conversation, GroupEventKind::Created, others, Some(name))?;
    own.read().get(conversation.id)
}

/// Returns a group that the caller is in.
fn get_group(tx: &TenantRead<'_>, id: Id<Conversation>) -> Result<(Stored<Conversation>, GroupProperties)> {
    tx.own_data()?.get::<Membership>(id)?;
    let conversation = tx.get::<Conversation>(id)?;
    let properties = conversation.group.clone().ok_or_else(Error::not_found)?;
    Ok((conversation, properties))
}

/// Returns the owner of a group: the stored one, or the longest-standing member when that one is gone.
pub fn owner(tx: &TenantRead<'_>, conversation: &Conversation) -> Result<Option<MemberId>> {
    let named = conversation.group.iter().map(|group| group.owner);
    for member in named.chain(conversation.members.iter().copied()) {
        if conversation.members.contains(&member) && tx.find::<MemberRecord>(member)?.is_some() {
            return Ok(Some(member));
        }
    }
    Ok(None)
}

/// Changes a group's name and members.
/// Errors: `not_found`; `forbidden` when a member other than the owner removes others; `invalid`.
pub fn change_group(tx: &TenantWrite<'_>, id: Id<Conversation>, change: GroupChange) -> Result<Stored<Membership>> {
    let GroupChange { name, add, remove } = change;
    let (mut conversation, properties) = get_group(tx, id)?;
    let own = tx.own_data()?;
    if let Some(name) = name {
        let name = clean_name(&name)?;
        if name != properties.name {
            conversation = update_group(tx, conversation.id, |_, group| group.name.clone_from(&name))?;
            post_event(tx, &conversation, GroupEventKind::Renamed, Vec::new(), Some(name))?;
        }
    }
    check_member_count("add", add.len())?;
    let add = new_members(tx, "add", &conversation.members, &add)?;
    check_member_count("add", conversation.members.len() + add.len())?;
    if !add.is_empty() {
        conversation = update_group(tx, conversation.id, |members, _| members.extend(&add))?;
        for member in &add {
            tx.person(*member).create_at(id, Membership::new(None))?;
        }
        let event = post_event(tx, &conversation, GroupEventKind::Added, add.clone(), None)?;
        for member in add {
            // Messages from before they joined do not count as unread.
            move_mark(tx, conversation.id, member, event.id)?;
        }
    }
    let remove: BTreeSet<MemberId> = remove.into_iter().collect();
    if remove.is_empty() {
        return own.read().get(id);
    }
    if owner(tx, &conversation)? != Some(own.person()) {
        return Err(Error::new(Code::Forbidden).say("errors.chat_owner_only", Vec::new()));
    }
    // Members who remove themselves must leave instead, so that the event says so.
    if let Some(at) = remove.iter().position(|member| *member == own.person() || !conversation.members.contains(member))
    {
        return Err(Error::field(format!("remove.{at}"), "errors.fields.unknown_reference"));
    }
    conversation = update_group(tx, conversation.id, |members, _| members.retain(|member| !remove.contains(member)))?;
    for member in &remove {
        remove_member(tx, id, *member)?;
    }
    post_event(tx, &conversation, GroupEventKind::Removed, remove.into_iter().collect(), None)?;
    own.read().get(id)
}

/// Removes the caller from a group.
/// Errors: `not_found`.
pub fn leave_group(tx: &TenantWrite<'_>, id: Id<Conversation>) -> Result<()> {
    let (conversation, _) = get_group(tx, id)?;
    let me = tx.own_data()?.person();
    let left = update_group(tx, conversation.id, |members, _| members.retain(|member| *member != me))?;
    if let Some(next_owner) = owner(tx, &left)? {
        update_group(tx, left.id, |_, group| group.owner = next_owner)?;
    }
    remove_member(tx, id, me)?;
    post_event(tx, &left, GroupEventKind::Left, Vec::new(), None).map(drop)
}

fn update_group(
    tx: &TenantWrite<'_>,
    id: Id<Conversation>,
    change: impl FnOnce(&mut Vec<MemberId>, &mut GroupProperties),
) -> Result<Stored<Conversation>> {
    tx.update(id, None, |conversation: &mut Conversation| {
        let Conversation { members, group } = conversation;
        change(members, group.as_mut().ok_or_else(Error::not_found)?);
        Ok(())
    })
}

/// Removes a member's membership and read mark.
fn remove_member(tx: &TenantWrite<'_>, id: Id<Conversation>, member: MemberId) -> Result<()> {
    let own = tx.person(member);
    if own.read().find::<Membership>(id)?.is_some() {
        own.remove::<Membership>(id)?;
    }
    remove_mark(tx, id, member)
}
