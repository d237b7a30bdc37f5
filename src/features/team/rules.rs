//! Rules for changing members. A tenant always keeps at least one active owner.

use std::{collections::HashSet, net::IpAddr};

use super::{
    audit_entries,
    model::{self, NewMember},
};
use crate::{
    access::{
        factors,
        links::{self, Purpose},
        sessions,
    },
    features,
    kernel::{Code, Error, MemberId, Result, text},
    people::{
        audit::Event,
        former_members::FormerMember,
        members::{self, Credentials, MEMBERS_BY_EMAIL, MEMBERS_BY_NAME, MemberRecord, MemberState},
        permission::{Permission, Role},
    },
    store::{Page, Scan, Stored, TenantRead, TenantWrite},
    wire::Paging,
};

/// Maximum number of members of a tenant.
const MOST: u64 = 20_000;
/// Maximum number of former members that a request returns.
const FORMER: usize = 2_000;

/// Filter of the member list.
#[derive(Debug, Default)]
pub struct MemberFilter {
    /// Members with one of these ids.
    pub ids: Option<HashSet<MemberId>>,
    /// Members with this role.
    pub role: Option<Role>,
    /// Members in this state.
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

/// Returns a page of members by name, and the total number of matching members.
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

/// Returns all members, by name.
pub fn all(tx: &TenantRead<'_>) -> Result<Vec<Stored<MemberRecord>>> {
    Ok(tx.page(&Scan::ordered(MEMBERS_BY_NAME).limit(usize::MAX), |_| true)?.items)
}

/// Returns the members who left the tenant, with the names they had; the most recently added first.
pub fn former(tx: &TenantRead<'_>) -> Result<Vec<Stored<FormerMember>>> {
    Ok(tx.page(&Scan::all().reversed(true).limit(FORMER), |_| true)?.items)
}

/// Finds the member with an e-mail address, in any spelling.
/// Errors: `not_found` when no member has the address.
pub fn by_email(tx: &TenantRead<'_>, email: &str) -> Result<Stored<MemberRecord>> {
    let unknown = || {
        let text = format!("The company has no member with the email address {email}. `atrium user list` shows all.");
        Error::not_found().explain(text)
    };
    tx.find_by(MEMBERS_BY_EMAIL, text::email(email).ok_or_else(unknown)?)?.ok_or_else(unknown)
}

/// Adds an active member with a password hash.
/// Errors: `invalid`; `conflict` when the address is taken, or the tenant has 20,000 members.
pub fn add(tx: &TenantWrite<'_>, new: NewMember, password_hash: String) -> Result<Stored<MemberRecord>> {
    let member = join(tx, new)?;
    tx.create_at(member.id, Credentials { password: password_hash, changed_at: tx.now() })?;
    Ok(member)
}

/// Adds an active member without a password.
/// Errors: `invalid`; `conflict` when the address is taken, or the tenant has 20,000 members.
pub fn join(tx: &TenantWrite<'_>, new: NewMember) -> Result<Stored<MemberRecord>> {
    let record = new.into_record()?;
    has_room(tx)?;
    tx.create(record)
}

/// Checks whether the tenant may have one more member.
/// Errors: `conflict` at `email` when it has 20,000.
pub fn has_room(tx: &TenantRead<'_>) -> Result<()> {
    if tx.count::<MemberRecord>()? < MOST {
        return Ok(());
    }
    Err(Error::new(Code::Conflict).and_field("email", "errors.fields.too_many", vec![("max", MOST.to_string())]))
}

/// Changes a member's password, ends all their sessions and revokes their links for resetting the password.
/// Errors: `not_found` when there is no such member.
pub fn set_password(tx: &TenantWrite<'_>, id: MemberId, password_hash: String) -> Result<Stored<MemberRecord>> {
    let member = tx.get(id)?;
    members::write_credentials(tx, id, Credentials { password: password_hash, changed_at: tx.now() })?;
    links::end(tx, id, &[Purpose::Reset])?;
    sessions::end_all(tx, id)?;
    Ok(member)
}

/// Changes a member. A member who leaves the active state is signed out.
/// Errors: `not_found`; `stale_version`; `forbidden` when the actor may no longer manage the team, or when an actor who
/// is not an owner changes an owner or makes one; `invalid` at `state` for a state that cannot be assigned; `conflict`
/// when no active owner would be left.
pub fn change(
    tx: &TenantWrite<'_>,
    id: MemberId,
    expected: Option<u64>,
    from: Option<IpAddr>,
    change: impl FnOnce(&mut MemberRecord),
) -> Result<Stored<MemberRecord>> {
    let by = acting(tx)?;
    let before = tx.get::<MemberRecord>(id)?;
    may_touch(by, before.role)?;
    let after = tx.update(id, expected, |member| {
        change(member);
        may_touch(by, member.role)?;
        // Only switching between active and suspended is allowed here: a member who never joined has no credentials.
        let given = matches!(member.state, MemberState::Active | MemberState::Suspended);
        if member.state != before.state && !(given && has_come(before.state)) {
            return Err(Error::field("state", "errors.fields.member_state"));
        }
        model::check(member)
    })?;
    keeps_an_owner(tx)?;
    if after.state != MemberState::Active {
        sessions::end_all(tx, id)?;
        links::end_all(tx, id)?;
    }
    audit_entries::note_change(tx, &before, &after, from)?;
    Ok(after)
}

/// Removes a member with their sessions and personal data. What they created for the tenant stays, with their name.
/// Errors: `not_found`; `stale_version`; `forbidden` for an owner when the actor is not one; `conflict` when no active
/// owner would be left.
pub fn remove(tx: &TenantWrite<'_>, id: MemberId, expected: Option<u64>, from: Option<IpAddr>) -> Result<()> {
    may_touch(acting(tx)?, tx.get::<MemberRecord>(id)?.role)?;
    let gone = tx.remove::<MemberRecord>(id, expected)?;
    let word = if has_come(gone.state) { "member.removed" } else { "member.revoked" };
    if has_come(gone.state) {
        FormerMember::create(tx, &gone)?;
    }
    audit_entries::note(tx, Event::new(word).about_member(&gone).with("email", &gone.email), from)?;
    if tx.find::<Credentials>(id)?.is_some() {
        tx.remove::<Credentials>(id, None)?;
    }
    factors::remove_all(tx, id)?;
    sessions::end_all(tx, id)?;
    links::end_all(tx, id)?;
    tx.person(id).clear(features::TABLES)?;
    keeps_an_owner(tx)
}

/// Transfers ownership: the other member becomes an owner, and the acting owner becomes an administrator.
/// Errors: `forbidden` when the actor is no longer an owner; `invalid` at `memberId` for the actor, and for a member
/// who is not active.
pub fn hand_over(tx: &TenantWrite<'_>, to: MemberId, from: Option<IpAddr>) -> Result<Stored<MemberRecord>> {
    let owns = |member: &Stored<MemberRecord>| member.role == Role::Owner && member.state == MemberState::Active;
    let me = tx.actor().member().map(|id| tx.find::<MemberRecord>(id)).transpose()?.flatten().filter(owns);
    let me = me.ok_or_else(|| Error::new(Code::Forbidden))?;
    let heir = tx.find::<MemberRecord>(to)?.filter(|heir| heir.id != me.id && heir.state == MemberState::Active);
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
    audit_entries::note(tx, Event::new("company.handed_over").about_member(&heir), from)?;
    audit_entries::notify(tx, "handed_over", &[("name", heir.name.clone()), ("by", me.name.clone())], heir.id)?;
    Ok(heir)
}

/// Returns the role that authorizes a write to the team: the actor's role at the time of the write, not of the request.
/// The operator acts as an owner.
/// Errors: `forbidden` when the actor may no longer manage the team.
pub fn acting(tx: &TenantWrite<'_>) -> Result<Role> {
    let Some(id) = tx.actor().member() else { return Ok(Role::Owner) };
    let member = tx.find::<MemberRecord>(id)?.filter(|member| member.state == MemberState::Active);
    let role = member.map(|member| member.role).filter(|role| role.has(Permission::TeamManage));
    role.ok_or_else(|| Error::new(Code::Forbidden))
}

/// Checks whether an actor with the role `by` may create, change or remove a member with `role`. Only owners may do so
/// with owners.
/// Errors: `forbidden` at `role`.
pub fn may_touch(by: Role, role: Role) -> Result<()> {
    if role == Role::Owner && by != Role::Owner {
        return Err(Error::new(Code::Forbidden).and_field("role", "errors.fields.role", Vec::new()));
    }
    Ok(())
}

const fn has_come(state: MemberState) -> bool {
    matches!(state, MemberState::Active | MemberState::Suspended)
}

/// Refuses a write that would leave the tenant without an active owner.
fn keeps_an_owner(tx: &TenantWrite<'_>) -> Result<()> {
    if tx.counter("members/owners")? > 0 {
        return Ok(());
    }
    Err(Error::new(Code::Conflict).and_field("role", "errors.fields.last_owner", Vec::new()))
}
