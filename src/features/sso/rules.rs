//! Who comes in when a provider vouches for them, and what is noted when the company chooses another.

use crate::{
    access::{
        audit::{self, Event},
        members::{Company, MEMBERS_BY_EMAIL, MemberRecord, MemberState},
        sso::{Identity, Provider},
    },
    features::team::{self, NewMember},
    kernel::{Code, Error, MemberId, Result},
    store::TenantWrite,
};

/// The member whom a provider vouches for: the active one with that address, or a new one where the company wants it.
///
/// # Errors
/// `forbidden` when there is no such member and none is made, or they may not come in.
pub fn welcome(tx: &TenantWrite<'_>, provider: &Provider, identity: &Identity) -> Result<MemberId> {
    let known = tx.by::<MemberRecord>(MEMBERS_BY_EMAIL, &identity.email)?;
    if let Some(member) = known {
        let active = member.state == MemberState::Active;
        return if active { Ok(member.id.cast()) } else { Err(Error::new(Code::Forbidden)) };
    }
    if !provider.admits(&identity.email) {
        return Err(Error::new(Code::Forbidden));
    }
    let local = identity.email.split('@').next().unwrap_or_default();
    let name: String = identity.name.as_deref().unwrap_or(local).chars().take(200).collect();
    let made = team::rules::join(tx, NewMember::new(name, &identity.email, provider.role))?;
    audit::note(tx, Event::new("member.joined").of(&made).with("by", &provider.name))?;
    team::joined(tx, &made)?;
    Ok(made.id.cast())
}

/// Keeps the provider that the company chooses.
///
/// # Errors
/// What `choose` returns; `busy` or `internal` when it cannot be kept.
pub fn choose(
    tx: &TenantWrite<'_>,
    choose: impl FnOnce(Option<Provider>) -> Result<Provider>,
    from: String,
) -> Result<Provider> {
    let id = Provider::id(tx);
    let before = tx.find(id)?.map(|kept| kept.value);
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

/// Forgets the provider: nobody is signed in by it any more.
///
/// # Errors
/// `not_found` when there is none.
pub fn forget(tx: &TenantWrite<'_>, from: String) -> Result<()> {
    let kept = tx.remove(Provider::id(tx), None)?;
    noted(tx, "off", &kept.value, from)
}

fn noted(tx: &TenantWrite<'_>, state: &str, provider: &Provider, from: String) -> Result<()> {
    let company = Company::of(tx)?;
    let event = Event::new("company.changed").about(company.id, company.name.clone());
    audit::note(tx, event.with("single_sign_on", state).with("issuer", &provider.issuer).from(from))
}
