//! Account recovery and mailed links: confirm an address, accept an invitation, reset a password, change an e-mail
//! address. Addresses are looked up after the response, so that it does not reveal which have an account.

use std::net::IpAddr;

use super::{
    rules::{email_to, greeting, notify_of_email, notify_of_new_device, notify_of_password},
    sign_up::ask_to_confirm,
};
use crate::{
    access::{
        ResolvedLink, SignedIn, Visitor,
        links::{self, Link, Purpose},
        sessions,
    },
    features::team::{
        self,
        rules::{acting, may_touch, set_password},
    },
    kernel::{Code, Entropy, Error, MemberId, Result, TenantId, error::Faults, text},
    mail::{self, Kind, RESET_PAGE},
    people::{
        audit::{self, Event},
        members::{self, ActiveMember, Company, CompanyState, Credentials, MemberRecord, MemberState},
    },
    store::{Act, Actor, Store, Stored, TenantWrite},
};

/// Maximum number of tenants in which an address is looked up.
const COMPANIES: usize = 20;

/// Runs `work` for every member with an address, in the host's tenant or, where the host has none, in all tenants.
async fn each_with(
    store: Store,
    here: Option<TenantId>,
    email: String,
    work: impl Fn(&TenantWrite<'_>, &Stored<MemberRecord>) -> Result<()> + Clone + Send + 'static,
) -> Result<()> {
    let found: Vec<(TenantId, MemberId)> = members::by_email(&store.snapshot()?, &email)?;
    let meant = found.into_iter().filter(|(tenant, _)| here.is_none_or(|here| here == *tenant));
    for (tenant, id) in meant.take(COMPANIES) {
        let work = work.clone();
        let one = move |tx: &TenantWrite<'_>| {
            if Company::of(tx)?.state != CompanyState::Active {
                return Ok(());
            }
            tx.find(id)?.map_or(Ok(()), |member| work(tx, &member))
        };
        store.write(tenant, Actor::System, one).await?;
    }
    Ok(())
}

fn canonical(email: &str) -> Result<String> {
    text::email(email).ok_or_else(|| Error::field("email", "errors.fields.email"))
}

/// Sends the confirmation e-mail again to members who have not confirmed their address.
/// Errors: `invalid` at `email`; `slow_down`.
pub fn resend(visitor: &Visitor, email: &str) -> Result<()> {
    visitor.count_request()?;
    let email = canonical(email)?;
    let here = visitor.tenant()?;
    visitor.later(move |store| {
        each_with(store, here, email, |tx, member| match member.state {
            MemberState::Unconfirmed => ask_to_confirm(tx, member).map(drop),
            MemberState::Active | MemberState::Invited | MemberState::Suspended => Ok(()),
        })
    })
}

/// Sends a link for resetting the password.
/// Errors: `invalid` at `email`; `slow_down`.
pub fn forgot(visitor: &Visitor, email: &str) -> Result<()> {
    visitor.count_request()?;
    let email = canonical(email)?;
    let here = visitor.tenant()?;
    let address = visitor.device().address;
    visitor.later(move |store| {
        each_with(store, here, email, move |tx, member| match member.state {
            MemberState::Active => {
                audit::write(tx, Event::new("password.requested").about_member(member).from_address(address.clone()))?;
                let link = links::create(tx, Purpose::Reset, member.id, None)?;
                mail::queue(tx, greeting(tx, Kind::Reset, member)?.with_link(*link.as_bytes())).map(drop)
            }
            MemberState::Unconfirmed => ask_to_confirm(tx, member).map(drop),
            MemberState::Invited | MemberState::Suspended => Ok(()),
        })
    })
}

/// Creates a link for resetting a member's password, which an administrator passes on. Returns the path of the page.
/// Errors: `not_found`; `forbidden` when the actor may not manage the member; `conflict` for the actor, and for a member who
/// is not active.
pub fn create_link(tx: &TenantWrite<'_>, id: MemberId, entropy: &Entropy, from: IpAddr) -> Result<String> {
    let member = tx.get::<MemberRecord>(id)?;
    may_touch(acting(tx)?, member.role)?;
    if member.state != MemberState::Active || tx.me() == Some(id) {
        return Err(Error::new(Code::Conflict));
    }
    let event = Event::new("password.link_created").about_member(&member);
    audit::write(tx, event.from_address(from.to_string()))?;
    let link = links::create(tx, Purpose::Reset, id, None)?;
    let secret =
        links::create_secret(tx, link, entropy)?.ok_or_else(|| Error::internal("a new link has already expired"))?;
    Ok(format!("{RESET_PAGE}#{secret}"))
}

/// Resets a password with a link and ends all sessions.
/// Errors: `link_invalid`; `invalid` at `password`; `slow_down`.
pub async fn reset(visitor: &Visitor, token: &str, password: String) -> Result<()> {
    visitor.count_request()?;
    let resolved = visitor.link(token)?;
    if resolved.link.purpose != Purpose::Reset || resolved.member.state != MemberState::Active {
        return Err(Error::new(Code::LinkInvalid));
    }
    let company = &resolved.company;
    let hash = visitor
        .hash_password(password, &resolved.member.email, &[&resolved.member.name, &company.name, &company.slug])
        .await?;
    let device = visitor.device();
    let work = move |tx: &TenantWrite<'_>, link: Stored<Link>| {
        let whose = ActiveMember::find(tx, link.member)?.ok_or_else(|| Error::new(Code::LinkInvalid))?;
        set_password(tx, link.member, hash)?;
        audit::write(
            tx,
            Event::new("password.reset").about_member(&whose.member).from_address(device.address.clone()),
        )?;
        notify_of_password(tx, &whose, &device)
    };
    visitor.use_link(&resolved, &[Purpose::Reset], work).await?;
    visitor.forget_sessions_of(resolved.token.tenant, resolved.link.member);
    Ok(())
}

/// Uses a link and signs in. A link opens a session only for a member who was not active before: an address is changed
/// in an existing session of its member.
/// Errors: `link_invalid`; `invalid` with the faulty fields of an invitation; `invalid_credentials` at `password` when a
/// sign-up had another one; `conflict` at `email` when another member
/// has the address by now; `forbidden` for a change of address without a session of its member; `slow_down`.
pub async fn activate(
    visitor: &Visitor,
    token: &str,
    name: Option<String>,
    password: Option<String>,
) -> Result<SignedIn> {
    visitor.count_request()?;
    let resolved = visitor.link(token)?;
    let invalid = || Error::new(Code::LinkInvalid);
    match (resolved.link.purpose, resolved.member.state) {
        (Purpose::Invite, MemberState::Invited) => accept(visitor, &resolved, name, password).await?,
        (Purpose::Confirm, MemberState::Unconfirmed) => confirm(visitor, &resolved, password).await?,
        (Purpose::Email, MemberState::Active) => return change_email(visitor, &resolved).await,
        _ => return Err(invalid()),
    }
    visitor.enter_by_link(&resolved, notify_of_new_device).await
}

async fn accept(
    visitor: &Visitor,
    resolved: &ResolvedLink,
    name: Option<String>,
    password: Option<String>,
) -> Result<()> {
    let name = name.unwrap_or_default();
    let password = password.unwrap_or_default();
    let mut faults = Faults::default();
    faults.required("name", &name, team::NAME);
    faults.into_result()?;
    let company = &resolved.company;
    let hash = visitor.hash_password(password, &resolved.member.email, &[&name, &company.name, &company.slug]).await?;
    let address = visitor.address().to_string();
    let work = move |tx: &TenantWrite<'_>, link: Stored<Link>| {
        let member = let_in(tx, &link, MemberState::Invited, |member| member.name = text::line(&name))?;
        members::write_credentials(tx, member.id, Credentials { password: hash, changed_at: tx.now() })?;
        audit::write(
            tx,
            Event::new("member.joined").about_member(&member).with("by", "invitation").from_address(address),
        )?;
        team::joined(tx, &member)
    };
    visitor.use_link(resolved, &[Purpose::Invite], work).await
}

/// Activates a member who signed up. The password shows that the person who opens the link also signed up: otherwise
/// a person could sign up with another person's address, and use the account once that person has opened the link.
async fn confirm(visitor: &Visitor, resolved: &ResolvedLink, password: Option<String>) -> Result<()> {
    visitor.check_password_of(resolved, password.unwrap_or_default()).await?;
    let address = visitor.address().to_string();
    let work = move |tx: &TenantWrite<'_>, link: Stored<Link>| {
        let member = let_in(tx, &link, MemberState::Unconfirmed, |_| ())?;
        audit::write(
            tx,
            Event::new("member.joined").about_member(&member).with("by", "sign-up").from_address(address),
        )?;
        team::joined(tx, &member)
    };
    visitor.use_link(resolved, &[Purpose::Confirm], work).await
}

/// Activates a member who is in the state `from`, and revokes their other links.
fn let_in(
    tx: &TenantWrite<'_>,
    link: &Stored<Link>,
    from: MemberState,
    change: impl FnOnce(&mut MemberRecord),
) -> Result<Stored<MemberRecord>> {
    let activate = |member: &mut MemberRecord| {
        if member.state != from {
            return Err(Error::new(Code::LinkInvalid));
        }
        member.state = MemberState::Active;
        change(member);
        Ok(())
    };
    let member = tx.told_as(Act::Joined, || tx.update(link.member, None, activate))?;
    links::end_all(tx, link.member)?;
    Ok(member)
}

async fn change_email(visitor: &Visitor, resolved: &ResolvedLink) -> Result<SignedIn> {
    let mut signed = visitor.holder_of(resolved)?;
    let device = visitor.device();
    let work = move |tx: &TenantWrite<'_>, link: Stored<Link>| {
        let email = link.value.email.ok_or_else(|| Error::new(Code::LinkInvalid))?;
        let before = ActiveMember::find(tx, link.value.member)?.ok_or_else(|| Error::new(Code::LinkInvalid))?;
        let member = tx.update(link.value.member, None, |member: &mut MemberRecord| {
            member.email.clone_from(&email);
            Ok(())
        })?;
        // Links that were sent to the old address must not work any more.
        links::end_all(tx, link.value.member)?;
        let event = Event::new("email.changed").about_member(&member).with("was", before.member.email.clone());
        audit::write(tx, event.with("email", email.clone()).from_address(device.address))?;
        notify_of_email(tx, &before, email)?;
        Ok(member)
    };
    signed.member = visitor.use_link(resolved, &[Purpose::Email], work).await?.into();
    Ok(signed)
}

/// Maximum number of new e-mail addresses that a member asks for within an hour. An address has many spellings, so that the
/// limit of e-mails to one address is not enough.
const MAX_NEW_ADDRESSES_PER_HOUR: usize = 5;

/// Counts a request for a new e-mail address.
/// Errors: `slow_down`.
fn count_new_address(tx: &TenantWrite<'_>) -> Result<()> {
    for n in 0..MAX_NEW_ADDRESSES_PER_HOUR {
        let name = format!("email.requested:{n}");
        if !tx.remembers(&name)? {
            return tx.remember(&name, 1);
        }
    }
    Err(Error::new(Code::SlowDown).retry_after(3_600))
}

/// Sends a confirmation link to a new e-mail address of a member.
/// Errors: `invalid` at `email`; `conflict` at `email` when another member has it; `slow_down` when too many e-mails
/// were sent to the address, or the member asked five times within an hour.
pub fn ask_for_email(tx: &TenantWrite<'_>, whose: &ActiveMember, email: &str) -> Result<()> {
    let email = canonical(email)?;
    if email == whose.member.email {
        return Err(Error::field("email", "errors.fields.own_email"));
    }
    if tx.find_by::<MemberRecord>(members::MEMBERS_BY_EMAIL, &email)?.is_some() {
        return Err(Error::new(Code::Conflict).and_field("email", "errors.fields.taken", Vec::new()));
    }
    count_new_address(tx)?;
    let id: MemberId = whose.member.id;
    links::end(tx, id, &[Purpose::Email])?;
    let link = links::create(tx, Purpose::Email, id, Some(email.clone()))?;
    let mut message = email_to(Kind::EmailChange, whose).with_link(*link.as_bytes());
    // The address may be a stranger's: no word of the member's goes there before it is confirmed, also not their name.
    message.name = String::new();
    message.to = email;
    if mail::queue(tx, message)? { Ok(()) } else { Err(Error::new(Code::SlowDown).retry_after(3_600)) }
}

/// Changes a member's password, ends their sessions other than `here` and revokes their links for resetting it.
pub fn change_password(
    tx: &TenantWrite<'_>,
    whose: &ActiveMember,
    here: crate::kernel::Id<sessions::Session>,
    hash: String,
    device: &sessions::Device,
) -> Result<()> {
    let id: MemberId = whose.member.id;
    members::write_credentials(tx, id, Credentials { password: hash, changed_at: tx.now() })?;
    sessions::end_others(tx, id, Some(here))?;
    links::end(tx, id, &[Purpose::Reset])?;
    audit::write(tx, Event::new("password.changed").about_member(&whose.member).from_address(device.address.clone()))?;
    notify_of_password(tx, whose, device)
}
