//! Rules of single sign-on: which member a provider's account belongs to, and audit entries for changed settings.

use crate::{
    access::sso::{Identity, Provider},
    features::team::{self, NewMember},
    kernel::{Code, Error, MemberId, Result},
    people::{
        audit::{self, Event},
        members::{Company, MEMBERS_BY_EMAIL, MEMBERS_BY_SIGN_ON, MemberRecord, MemberState, SignOn},
    },
    store::{Stored, TenantWrite},
};

/// Returns the member for a provider's account: the member linked to the account; otherwise the member with its e-mail
/// address, who is then linked to it; otherwise a new member if the tenant allows it.
/// Errors: `forbidden` when no member exists and none is created, when the member is not active, or when another
/// account of the provider is linked to the member: addresses can be reassigned, accounts cannot (OpenID Connect Core
/// §5.7).
pub fn welcome(tx: &TenantWrite<'_>, provider: &Provider, identity: &Identity) -> Result<MemberId> {
    let account = SignOn { issuer: provider.issuer.clone(), subject: identity.subject.clone() };
    let known = match tx.find_by::<MemberRecord>(MEMBERS_BY_SIGN_ON, account.index_key())? {
        Some(linked) => Some(linked),
        None => tx.find_by(MEMBERS_BY_EMAIL, &identity.email)?,
    };
    if let Some(member) = known {
        let linked = member.sign_on.as_ref().filter(|linked| linked.issuer == account.issuer);
        if member.state != MemberState::Active || linked.is_some_and(|linked| *linked != account) {
            return Err(Error::new(Code::Forbidden));
        }
        link(tx, &member, account)?;
        return Ok(member.id);
    }
    if !provider.admits(&identity.email) {
        return Err(Error::new(Code::Forbidden));
    }
    let local = identity.email.split('@').next().unwrap_or_default();
    let name: String = identity.name.as_deref().unwrap_or(local).chars().take(200).collect();
    let made = team::rules::join(tx, NewMember::new(name, &identity.email, provider.role))?;
    audit::write(tx, Event::new("member.joined").about_member(&made).with("by", &provider.name))?;
    team::joined(tx, &made)?;
    link(tx, &made, account)?;
    Ok(made.id)
}

/// Links a provider's account to a member. It replaces a link to a previous provider.
fn link(tx: &TenantWrite<'_>, member: &Stored<MemberRecord>, account: SignOn) -> Result<()> {
    if member.sign_on.as_ref() == Some(&account) {
        return Ok(());
    }
    tx.update(member.id, None, |member: &mut MemberRecord| {
        member.sign_on = Some(account);
        Ok(())
    })
    .map(drop)
}

/// Stores the provider that the tenant chooses.
pub fn choose(
    tx: &TenantWrite<'_>,
    choose: impl FnOnce(Option<Provider>) -> Result<Provider>,
    from: String,
) -> Result<Provider> {
    let id = Provider::id(tx);
    let before = tx.find::<Provider>(id)?.map(|kept| kept.value);
    let chosen = choose(before.clone())?;
    let kept = chosen.clone();
    if before.is_none() {
        tx.create_at(id, chosen)?;
    } else {
        tx.update(id, None, |provider| {
            *provider = chosen;
            Ok(())
        })?;
    }
    noted(tx, "on", &kept, from)?;
    Ok(kept)
}

/// Removes the provider: members can no longer sign in with it.
/// Errors: `not_found` when there is none.
pub fn forget(tx: &TenantWrite<'_>, from: String) -> Result<()> {
    let kept = tx.remove(Provider::id(tx), None)?;
    noted(tx, "off", &kept.value, from)
}

fn noted(tx: &TenantWrite<'_>, state: &str, provider: &Provider, from: String) -> Result<()> {
    let company = Company::of(tx)?;
    let event = Event::new("company.changed").about_company(&company);
    audit::write(tx, event.with("single_sign_on", state).with("issuer", &provider.issuer).from_address(from))
}
