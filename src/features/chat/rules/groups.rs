//! Groups. Everybody in one may name it and add colleagues; its owner may remove others; everybody may
//! leave. Who is in it is who has a side of it: both change in the same write, so that whoever is out
//! finds, hears and searches nothing of it from that moment on.

use std::collections::BTreeSet;

use super::{
    is_active,
    read::{forget_mark, move_mark},
    send::happen,
};
use crate::{
    access::members::MemberRecord,
    features::chat::{Conversation, Membership, message::GroupEventKind, model::GroupFacts},
    kernel::{Code, Error, Id, MemberId, Result, error::Faults, text},
    store::{Stored, TenantRead, TenantWrite},
};

/// Members of one group.
const MEMBERS: usize = 100;
/// Characters of a group's name.
const NAME: usize = 100;

/// What a group is to be from now on.
#[derive(Clone, Debug, Default)]
pub struct GroupChange {
    /// Another name.
    pub name: Option<String>,
    /// Who is to be in it, too. Those who are already stay.
    pub add: Vec<MemberId>,
    /// Who is to be in it no longer.
    pub remove: Vec<MemberId>,
}

fn named(name: &str) -> Result<String> {
    let name = text::line(name);
    let mut faults = Faults::default();
    faults.required("name", &name, NAME);
    faults.into_result()?;
    Ok(name)
}

/// Refuses more members than a group may have.
fn fits(field: &str, members: usize) -> Result<()> {
    if members <= MEMBERS {
        return Ok(());
    }
    let gaps = vec![("max", MEMBERS.to_string())];
    Err(Error::new(Code::Invalid).and_field(field, "errors.fields.too_many", gaps))
}

/// Those of a list who are not in it yet, each once.
fn newcomers(tx: &TenantRead<'_>, field: &str, members: &[MemberId], asked: &[MemberId]) -> Result<Vec<MemberId>> {
    let mut seen: BTreeSet<MemberId> = members.iter().copied().collect();
    let mut new = Vec::new();
    for (at, member) in asked.iter().enumerate() {
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

/// Makes a group of the caller and others.
///
/// # Errors
/// `invalid` without a name or anybody else, and for who is no active member.
pub fn create_group(tx: &TenantWrite<'_>, name: &str, others: &[MemberId]) -> Result<Stored<Membership>> {
    let (own, name) = (tx.own()?, named(name)?);
    let me = own.person();
    fits("memberIds", others.len())?;
    let others = newcomers(tx, "memberIds", &[me], others)?;
    if others.is_empty() {
        return Err(Error::field("memberIds", "errors.fields.required"));
    }
    let members: Vec<MemberId> = [me].into_iter().chain(others.iter().copied()).collect();
    fits("memberIds", members.len())?;
    let group = Some(GroupFacts { name: name.clone(), owner: me });
    let conversation = tx.create(Conversation { members, group })?;
    for member in &conversation.members {
        tx.person(*member).create_at(conversation.id.cast(), Membership::new(None))?;
    }
    happen(tx, &conversation, GroupEventKind::Created, others, Some(name))?;
    own.read().get(conversation.id.cast())
}

/// A group that the caller is in.
fn group(tx: &TenantRead<'_>, id: Id<Membership>) -> Result<(Stored<Conversation>, GroupFacts)> {
    tx.own()?.get(id)?;
    let conversation = tx.get::<Conversation>(id.cast())?;
    let facts = conversation.group.clone().ok_or_else(Error::not_found)?;
    Ok((conversation, facts))
}

/// Who owns a group: whom it names, or, when they have gone, who has been in it longest.
///
/// # Errors
/// `busy` or `internal` when it cannot be read.
pub fn owner(tx: &TenantRead<'_>, conversation: &Conversation) -> Result<Option<MemberId>> {
    let named = conversation.group.iter().map(|group| group.owner);
    for member in named.chain(conversation.members.iter().copied()) {
        if conversation.members.contains(&member) && tx.find::<MemberRecord>(member.cast())?.is_some() {
            return Ok(Some(member));
        }
    }
    Ok(None)
}

/// Changes a group's name and who is in it.
///
/// # Errors
/// `not_found`; `forbidden` when another but the owner removes somebody; `invalid`.
pub fn change_group(tx: &TenantWrite<'_>, id: Id<Membership>, change: GroupChange) -> Result<Stored<Membership>> {
    let GroupChange { name, add, remove } = change;
    let (mut conversation, facts) = group(tx, id)?;
    let own = tx.own()?;
    if let Some(name) = name {
        let name = named(&name)?;
        if name != facts.name {
            conversation = set(tx, conversation.id, |_, group| group.name.clone_from(&name))?;
            happen(tx, &conversation, GroupEventKind::Renamed, Vec::new(), Some(name))?;
        }
    }
    fits("add", add.len())?;
    let add = newcomers(tx, "add", &conversation.members, &add)?;
    fits("add", conversation.members.len() + add.len())?;
    if !add.is_empty() {
        conversation = set(tx, conversation.id, |members, _| members.extend(&add))?;
        for member in &add {
            tx.person(*member).create_at(id, Membership::new(None))?;
        }
        let event = happen(tx, &conversation, GroupEventKind::Added, add.clone(), None)?;
        for member in add {
            // What was said before they came is nothing that they have not read.
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
    // Who goes by themselves leaves, which says so.
    if let Some(at) = remove.iter().position(|member| *member == own.person() || !conversation.members.contains(member))
    {
        return Err(Error::field(format!("remove.{at}"), "errors.fields.unknown_reference"));
    }
    conversation = set(tx, conversation.id, |members, _| members.retain(|member| !remove.contains(member)))?;
    for member in &remove {
        put_out(tx, id, *member)?;
    }
    happen(tx, &conversation, GroupEventKind::Removed, remove.into_iter().collect(), None)?;
    own.read().get(id)
}

/// The caller leaves a group.
///
/// # Errors
/// `not_found`.
pub fn leave_group(tx: &TenantWrite<'_>, id: Id<Membership>) -> Result<()> {
    let (conversation, _) = group(tx, id)?;
    let me = tx.own()?.person();
    let left = set(tx, conversation.id, |members, _| members.retain(|member| *member != me))?;
    if let Some(heir) = owner(tx, &left)? {
        set(tx, left.id, |_, group| group.owner = heir)?;
    }
    put_out(tx, id, me)?;
    happen(tx, &left, GroupEventKind::Left, Vec::new(), None).map(drop)
}

fn set(
    tx: &TenantWrite<'_>,
    id: Id<Conversation>,
    change: impl FnOnce(&mut Vec<MemberId>, &mut GroupFacts),
) -> Result<Stored<Conversation>> {
    tx.update(id, None, |conversation: &mut Conversation| {
        let Conversation { members, group } = conversation;
        change(members, group.as_mut().ok_or_else(Error::not_found)?);
        Ok(())
    })
}

/// Takes a conversation away from somebody.
fn put_out(tx: &TenantWrite<'_>, id: Id<Membership>, member: MemberId) -> Result<()> {
    let side = tx.person(member);
    if side.read().find(id)?.is_some() {
        side.remove(id)?;
    }
    forget_mark(tx, id.cast(), member)
}
