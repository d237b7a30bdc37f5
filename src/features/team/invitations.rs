//! Asking people in: an invited member, and a letter with a link that makes them an active one.

use std::net::IpAddr;

use poem_openapi::{Enum, Object};
use serde::{Deserialize, Serialize};

use super::{
    model::{self, NewMember},
    rules::{acting, has_room, may_touch},
    trail,
};
use crate::{
    access::{
        audit::{BY_EVENT, Entry, Event},
        links::{self, Purpose},
        members::{Company, MEMBERS_BY_EMAIL, MemberRecord, MemberState},
        permission::Role,
    },
    kernel::{Code, Error, Id, MemberId, Result, error::Faults, text, words::Locale},
    mail::{self, Kind, Letter},
    store::{Scan, Stored, TenantWrite},
};

/// Addresses of one call.
const AT_ONCE: usize = 50;
/// Characters of one's own that a letter takes along.
const MESSAGE: usize = 1_000;
/// People whom a company may invite in a day: it is no machine for letters to strangers.
const A_DAY: usize = 500;
const DAY: i64 = 24 * 60 * 60_000;

/// What came of inviting an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Enum)]
#[oai(rename = "InvitationStatus", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// A letter is under way.
    Invited,
    /// They belong to the company already.
    AlreadyMember,
    /// It is no address.
    Invalid,
}

/// An address that was to be invited.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Object)]
#[oai(rename = "Invitation", skip_serializing_if_is_none)]
pub struct Invitation {
    /// In its canonical form; as it was given when it is none.
    email: String,
    status: Status,
    /// The member, when it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    id: Option<MemberId>,
}

/// Invites people. What one address is does not keep the others from being invited.
///
/// # Errors
/// `forbidden` at `role` for a role that one may not give; `invalid` at `emails` or `message`; `conflict` when the
/// company is full; `slow_down` when it invited 500 people within a day.
pub fn invite(
    tx: &TenantWrite<'_>,
    emails: &[String],
    role: Role,
    message: &str,
    from: IpAddr,
) -> Result<Vec<Invitation>> {
    let by = acting(tx)?;
    may_touch(by, role)?;
    let mut faults = Faults::default();
    if emails.is_empty() {
        faults.add("emails", "errors.fields.required");
    }
    if emails.len() > AT_ONCE {
        faults.add_with("emails", "errors.fields.too_many", vec![("max", AT_ONCE.to_string())]);
    }
    faults.at_most("message", message, MESSAGE);
    faults.into_result()?;
    spare_strangers(tx, emails.len())?;
    let message = text::lines(message);
    let mut answers: Vec<Invitation> = Vec::with_capacity(emails.len());
    for typed in emails {
        let Some(email) = text::email(typed) else {
            let email = typed.trim().chars().take(254).collect();
            answers.push(Invitation { email, status: Status::Invalid, id: None });
            continue;
        };
        if let Some(twice) = answers.iter().find(|answer| answer.email == email) {
            answers.push(twice.clone());
            continue;
        }
        let (status, id) = one(tx, &email, None, by, role, &message, Some(from))?;
        answers.push(Invitation { email, status, id: Some(id) });
    }
    Ok(answers)
}

/// Invites one person, on the operator's behalf.
///
/// # Errors
/// `invalid` at `email`; `conflict` there when a member who has come has it; else as [`invite`].
pub fn ask(tx: &TenantWrite<'_>, email: &str, name: Option<&str>, role: Role) -> Result<Stored<MemberRecord>> {
    let by = acting(tx)?;
    may_touch(by, role)?;
    let email = text::email(email).ok_or_else(|| Error::field("email", "errors.fields.email"))?;
    spare_strangers(tx, 1)?;
    let (status, id) = one(tx, &email, name, by, role, "", None)?;
    if status != Status::Invited {
        return Err(Error::new(Code::Conflict).and_field("email", "errors.fields.taken", Vec::new()));
    }
    tx.get(id.cast())
}

fn one(
    tx: &TenantWrite<'_>,
    email: &str,
    name: Option<&str>,
    by: Role,
    role: Role,
    message: &str,
    from: Option<IpAddr>,
) -> Result<(Status, MemberId)> {
    if let Some(known) = tx.by::<MemberRecord>(MEMBERS_BY_EMAIL, email)? {
        if known.state != MemberState::Invited || may_touch(by, known.role).is_err() {
            return Ok((Status::AlreadyMember, known.id.cast()));
        }
        let known = tx.update(known.id, None, |member: &mut MemberRecord| {
            member.role = role;
            if let Some(name) = name {
                member.name = text::line(name);
            }
            model::check(member)
        })?;
        write(tx, &known, message)?;
        trail::note(tx, Event::new("member.reinvited").of(&known).with("role", role.as_str()), from)?;
        return Ok((Status::Invited, known.id.cast()));
    }
    has_room(tx)?;
    let name = name.map_or_else(|| email.split('@').next().unwrap_or(email), str::trim);
    let member = tx.create(NewMember::new(name, email, role).into_record_in(MemberState::Invited)?)?;
    write(tx, &member, message)?;
    let event = Event::new("member.invited").of(&member).with("email", email).with("role", role.as_str());
    trail::note(tx, event, from)?;
    Ok((Status::Invited, member.id.cast()))
}

/// Writes to an invited member once more.
///
/// # Errors
/// `not_found`; `forbidden` for an owner to be, by somebody who is none; `conflict` for who has come already;
/// `slow_down` after five letters within an hour.
pub fn resend(tx: &TenantWrite<'_>, id: Id<MemberRecord>, from: IpAddr) -> Result<Stored<MemberRecord>> {
    let member = tx.get(id)?;
    may_touch(acting(tx)?, member.role)?;
    if member.state != MemberState::Invited {
        return Err(Error::new(Code::Conflict).and_field("state", "errors.fields.has_come", Vec::new()));
    }
    if !write(tx, &member, "")? {
        return Err(Error::new(Code::SlowDown).retry_after(3_600));
    }
    trail::note(tx, Event::new("member.reinvited").of(&member).with("role", member.role.as_str()), Some(from))?;
    Ok(member)
}

/// Writes once more to an invited member who tries to join without the letter.
///
/// # Errors
/// `busy` or `internal` when it cannot be kept.
pub fn remind(tx: &TenantWrite<'_>, member: &Stored<MemberRecord>) -> Result<()> {
    write(tx, member, "").map(drop)
}

/// Queues the letter, whether it will be written.
fn write(tx: &TenantWrite<'_>, member: &Stored<MemberRecord>, message: &str) -> Result<bool> {
    let company = Company::of(tx)?;
    let inviter = tx.actor().member().map(|id| tx.get::<MemberRecord>(id.cast())).transpose()?;
    let link = links::open(tx, Purpose::Invite, member.id.cast(), None)?;
    let kind = Kind::Invitation {
        by: inviter.map(|inviter| inviter.value.name),
        message: Some(message.trim()).filter(|message| !message.is_empty()).map(str::to_owned),
    };
    // Nobody knows yet what they read: the company's language is the best guess.
    let locale = Locale::parse(&company.locale).unwrap_or(Locale::EN);
    let letter = Letter::new(kind, &member.email, &member.name, locale);
    mail::queue(tx, letter.for_member(member.id.cast()).with_link(*link.as_bytes()))
}

/// Holds a company that asks for some more to what it may invite in a day.
fn spare_strangers(tx: &TenantWrite<'_>, more: usize) -> Result<()> {
    let last = Scan::with(BY_EVENT, "member.invited").reversed(true).limit(A_DAY);
    let invited = tx.page::<Entry>(&last, |_| true)?.items;
    let since = tx.now().plus_millis(-DAY);
    // The one that has to be a day ago before there is room for all.
    let oldest = invited.get(A_DAY.saturating_sub(more)).map(|entry| entry.created_at).filter(|at| *at > since);
    match oldest {
        None => Ok(()),
        Some(at) => {
            let wait = u32::try_from((at.millis() - since.millis()) / 1_000 + 1).unwrap_or(u32::MAX);
            Err(Error::new(Code::SlowDown).retry_after(wait))
        }
    }
}
