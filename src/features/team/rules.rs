//! What happens to members. Whoever may do it, a company keeps at least one active owner.

use std::{collections::HashSet, net::IpAddr};

use super::{
    model::{self, NewMember},
    trail,
};
use crate::{
    access::{
        audit::Event,
        factors,
        former_members::FormerMember,
        links::{self, Purpose},
        members::{self, Credentials, MEMBERS_BY_EMAIL, MEMBERS_BY_NAME, MemberRecord, MemberState},
        permission::{Permission, Role},
        sessions,
    },
    features,
    kernel::{Code, Error, Id, Result, text},
    store::{Page, Scan, Stored, TenantRead, TenantWrite},
    wire::Paging,
};

/// Members that a company may have.
const MOST: u64 = 20_000;
/// Names of former members that are answered with.
const FORMER: usize = 2_000;

/// What narrows a list of members.
#[derive(Debug, Default)]
pub struct MemberFilter {
    /// Only these.
    pub ids: Option<HashSet<Id<MemberRecord>>>,
    /// Only those with this role.
    pub role: Option<Role>,
    /// Only those in this state.
    pub state: Option<MemberState>,
}

impl MemberFilter {
    fn keeps(&self, member: &Stored<MemberRecord>) -> bool {
        self.ids.as_ref().is_none_or(|ids| ids.contains(&member.id))
            && self.role.is_none_or(|role| role == member.role)
            && self.state.is_none_or(|state| state == member.state)
    }

    const fn is_open(&self) -> bool {
        self.ids.is_none() && self.role.is_none() && self.state.is_none()
    }
}

/// A page of members by name, and how many there are in all.
///
/// # Errors
/// `busy` or `internal` when they cannot be read.
pub fn list(tx: &TenantRead<'_>, filter: &MemberFilter, paging: Paging) -> Result<(Page<MemberRecord>, u64)> {
    let scan = Scan::ordered(MEMBERS_BY_NAME);
    let page = tx.page(&scan.clone().limit(paging.limit).after(paging.after), |member| filter.keeps(member))?;
    if filter.is_open() {
        return Ok((page, tx.count::<MemberRecord>()?));
    }
    let mut total = 0;
    tx.page::<MemberRecord>(&scan, |member| {
        total += u64::from(filter.keeps(member));
        false
    })?;
    Ok((page, total))
}

/// All members, by name.
///
/// # Errors
/// `busy` or `internal` when they cannot be read.
pub fn all(tx: &TenantRead<'_>) -> Result<Vec<Stored<MemberRecord>>> {
    Ok(tx.page(&Scan::ordered(MEMBERS_BY_NAME).limit(usize::MAX), |_| true)?.items)
}

/// Those who have left the company, with the names that they had; the latest to come first.
///
/// # Errors
/// `busy` or `internal` when they cannot be read.
pub fn former(tx: &TenantRead<'_>) -> Result<Vec<Stored<FormerMember>>> {
    Ok(tx.page(&Scan::all().reversed(true).limit(FORMER), |_| true)?.items)
}

/// The member with an address, in any spelling.
///
/// # Errors
/// `not_found` when nobody has it.
pub fn by_email(tx: &TenantRead<'_>, email: &str) -> Result<Stored<MemberRecord>> {
    let email = text::email(email).ok_or_else(Error::not_found)?;
    tx.by(MEMBERS_BY_EMAIL, email)?.ok_or_else(Error::not_found)
}

/// Adds an active member who signs in with the password of this hash.
///
/// # Errors
/// `invalid`; `conflict` when the address is taken, or the company has 20,000 members.
pub fn add(tx: &TenantWrite<'_>, new: NewMember, password_hash: String) -> Result<Stored<MemberRecord>> {
    let member = join(tx, new)?;
    tx.create_at(member.id.cast(), Credentials { password: password_hash, changed_at: tx.now() })?;
    Ok(member)
}

/// Adds an active member without a password.
///
/// # Errors
/// `invalid`; `conflict` when the address is taken, or the company has 20,000 members.
pub fn join(tx: &TenantWrite<'_>, new: NewMember) -> Result<Stored<MemberRecord>> {
    let record = new.into_record()?;
    has_room(tx)?;
    tx.create(record)
}

/// Whether the company may have one more member.
///
/// # Errors
/// `conflict` at `email` when it has 20,000.
pub fn has_room(tx: &TenantRead<'_>) -> Result<()> {
    if tx.count::<MemberRecord>()? < MOST {
        return Ok(());
    }
    Err(Error::new(Code::Conflict).and_field("email", "errors.fields.too_many", vec![("max", MOST.to_string())]))
}

/// Gives a member another password, and ends all their sessions and the links by which they could choose another.
///
/// # Errors
/// `not_found` when there is no such member.
pub fn set_password(tx: &TenantWrite<'_>, id: Id<MemberRecord>, password_hash: String) -> Result<Stored<MemberRecord>> {
    let member = tx.get(id)?;
    members::keep_credentials(tx, id, Credentials { password: password_hash, changed_at: tx.now() })?;
    links::end(tx, id.cast(), &[Purpose::Reset])?;
    sessions::end_all(tx, id.cast())?;
    Ok(member)
}

/// Changes a member. Who is not active any more is signed out.
///
/// # Errors
/// `not_found`; `stale_version`; `forbidden` when an owner is touched, or made, by somebody who is none, or who
/// asks may run the team no more;
/// `invalid` at `state` for a state that cannot be given; `conflict` when no active owner would be left.
pub fn change(
    tx: &TenantWrite<'_>,
    id: Id<MemberRecord>,
    expected: Option<u64>,
    from: Option<IpAddr>,
    change: impl FnOnce(&mut MemberRecord),
) -> Result<Stored<MemberRecord>> {
    let (by, before) = (acting(tx)?, tx.get(id)?);
    may_touch(by, before.role)?;
    let after = tx.update(id, expected, |member| {
        change(member);
        may_touch(by, member.role)?;
        // Who never came in has nothing to come in with: only coming and going of members is decided here.
        let given = matches!(member.state, MemberState::Active | MemberState::Suspended);
        if member.state != before.state && !(given && has_come(before.state)) {
            return Err(Error::field("state", "errors.fields.member_state"));
        }
        model::check(member)
    })?;
    keeps_an_owner(tx)?;
    if after.state != MemberState::Active {
        sessions::end_all(tx, id.cast())?;
        links::end_all(tx, id.cast())?;
    }
    trail::note_change(tx, &before, &after, from)?;
    Ok(after)
}

/// Removes a member, with their sessions and all that was theirs alone. What they made for the company stays,
/// and their name with it.
///
/// # Errors
/// `not_found`; `stale_version`; `forbidden` for an owner, by somebody who is none; `conflict` when no
/// active owner would be left.
pub fn remove(tx: &TenantWrite<'_>, id: Id<MemberRecord>, expected: Option<u64>, from: Option<IpAddr>) -> Result<()> {
    may_touch(acting(tx)?, tx.get(id)?.role)?;
    let gone = tx.remove(id, expected)?;
    let word = if has_come(gone.state) { "member.removed" } else { "member.revoked" };
    if has_come(gone.state) {
        FormerMember::keep(tx, &gone)?;
    }
    trail::note(tx, Event::new(word).of(&gone).with("email", &gone.email), from)?;
    if tx.find::<Credentials>(id.cast())?.is_some() {
        tx.remove::<Credentials>(id.cast(), None)?;
    }
    factors::remove_all(tx, id.cast())?;
    sessions::end_all(tx, id.cast())?;
    links::end_all(tx, id.cast())?;
    tx.person(id.cast()).clear(features::TABLES)?;
    keeps_an_owner(tx)
}

/// Hands the company over: the other member owns it from now on, and who owned it is an administrator.
///
/// # Errors
/// `forbidden` for who owns it no more; `invalid` at `memberId` for oneself, and for who cannot come in.
pub fn hand_over(tx: &TenantWrite<'_>, to: Id<MemberRecord>, from: Option<IpAddr>) -> Result<Stored<MemberRecord>> {
    let owns = |member: &Stored<MemberRecord>| member.role == Role::Owner && member.state == MemberState::Active;
    let me = tx.actor().member().map(|id| tx.find::<MemberRecord>(id.cast())).transpose()?.flatten().filter(owns);
    let me = me.ok_or_else(|| Error::new(Code::Forbidden))?;
    let heir = tx.find(to)?.filter(|heir| heir.id != me.id && heir.state == MemberState::Active);
    if heir.is_none() {
        return Err(Error::field("memberId", "errors.fields.heir"));
    }
    let become_role = |id, role| {
        tx.update(id, None, |member: &mut MemberRecord| {
            member.role = role;
            Ok(())
        })
    };
    let heir = become_role(to, Role::Owner)?;
    become_role(me.id, Role::Admin)?;
    trail::note(tx, Event::new("company.handed_over").of(&heir), from)?;
    trail::tell(tx, "handed_over", &[("name", heir.name.clone()), ("by", me.name.clone())], heir.id)?;
    Ok(heir)
}

/// The role by whose right a write to the team is done: that of who does it, as it is now and not as it was when
/// they asked. The operator may what owners may.
///
/// # Errors
/// `forbidden` when they may run the team no more.
pub fn acting(tx: &TenantWrite<'_>) -> Result<Role> {
    let Some(id) = tx.actor().member() else { return Ok(Role::Owner) };
    let member = tx.find::<MemberRecord>(id.cast())?.filter(|member| member.state == MemberState::Active);
    let role = member.map(|member| member.role).filter(|role| role.has(Permission::TeamManage));
    role.ok_or_else(|| Error::new(Code::Forbidden))
}

/// Whether somebody may make, change or remove a member with a role: owners are the owners' affair.
///
/// # Errors
/// `forbidden` at `role`.
pub fn may_touch(by: Role, role: Role) -> Result<()> {
    if role == Role::Owner && by != Role::Owner {
        return Err(Error::new(Code::Forbidden).and_field("role", "errors.fields.role", Vec::new()));
    }
    Ok(())
}

const fn has_come(state: MemberState) -> bool {
    matches!(state, MemberState::Active | MemberState::Suspended)
}

/// Refuses a write after which nobody could run the company.
fn keeps_an_owner(tx: &TenantWrite<'_>) -> Result<()> {
    if tx.counter("members/owners")? > 0 {
        return Ok(());
    }
    Err(Error::new(Code::Conflict).and_field("role", "errors.fields.last_owner", Vec::new()))
}
