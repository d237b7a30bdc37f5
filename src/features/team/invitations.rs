//! Asking people in: an invited member, and a letter with a link that makes them an active one.

use std::{
    collections::{HashMap, hash_map::Entry},
    net::IpAddr,
};

use poem_openapi::{Enum, Object};
use serde::{Deserialize, Serialize};

use super::{
    model::{self, NAME, NewMember},
    rules::{acting, has_room, may_touch},
    trail,
};
use crate::{
    access::{
        audit::{self, BY_EVENT, Event},
        links::{self, Purpose},
        members::{Company, MEMBERS_BY_EMAIL, MemberRecord, MemberState},
        permission::Role,
    },
    kernel::{Code, Entropy, Error, Id, MemberId, Result, error::Faults, i18n::Locale, text},
    mail::{self, Email, Kind},
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
    /// They are invited: by email, or by the link in `link` where no mail server is set up.
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
    /// Where no mail server is set up: the path and fragment of the invitation on this server, for the caller to pass
    /// on. It works once, for seven days.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    link: Option<String>,
}

/// People to invite, and how.
pub struct Invitations {
    /// Addresses.
    pub emails: Vec<String>,
    /// Addresses with names.
    pub people: Vec<(String, Option<String>)>,
    /// The role that they will have.
    pub role: Role,
    /// A few words of the inviter's own for the emails.
    pub message: String,
}

impl Invitations {
    /// Everyone to invite: address and name, without names that are blank.
    fn everyone(&self) -> impl Iterator<Item = (&str, Option<&str>)> {
        let named = |name: &Option<String>| !text::line(name.as_deref().unwrap_or_default()).is_empty();
        let emails = self.emails.iter().map(|email| (email.as_str(), None));
        emails.chain(
            self.people.iter().map(move |(email, name)| (email.as_str(), name.as_deref().filter(|_| named(name)))),
        )
    }

    fn check(&self) -> Result<()> {
        let mut faults = Faults::default();
        let total = self.emails.len() + self.people.len();
        if total == 0 {
            faults.add("emails", "errors.fields.required");
        }
        if total > AT_ONCE {
            let field = if self.people.is_empty() { "emails" } else { "people" };
            faults.add_with(field, "errors.fields.too_many", vec![("max", AT_ONCE.to_string())]);
        }
        for (place, (_, name)) in self.people.iter().enumerate().take(AT_ONCE) {
            faults.at_most(&format!("people.{place}.name"), name.as_deref().unwrap_or_default(), NAME);
        }
        faults.at_most("message", &self.message, MESSAGE);
        faults.into_result()
    }
}

/// Invites people. What one address is does not keep the others from being invited.
///
/// # Errors
/// `forbidden` at `role` for a role that one may not give; `invalid` at `emails`, `people` or `message`; `conflict`
/// when the company is full; `slow_down` when it invited 500 people within a day.
pub fn invite(tx: &TenantWrite<'_>, asked: &Invitations, from: IpAddr) -> Result<Vec<Invitation>> {
    let by = acting(tx)?;
    may_touch(by, asked.role)?;
    asked.check()?;
    spare_strangers(tx, asked.everyone().count())?;
    let message = text::lines(&asked.message);
    let mut answers: Vec<Invitation> = Vec::new();
    for (typed, name) in asked.everyone() {
        let Some(email) = text::email(typed) else {
            let email = typed.trim().chars().take(254).collect();
            answers.push(Invitation { email, status: Status::Invalid, id: None, link: None });
            continue;
        };
        if let Some(twice) = answers.iter().find(|answer| answer.email == email) {
            answers.push(twice.clone());
            continue;
        }
        let (status, id) = one(tx, &email, name, by, asked.role, &message, Some(from))?;
        answers.push(Invitation { email, status, id: Some(id), link: None });
    }
    Ok(answers)
}

/// Adds the links that the caller passes on when no email is sent. They are created after the invitations and not
/// with them, because replies that are kept for a retry must hold no secret. Members who have joined since get none.
///
/// # Errors
/// `busy` or `internal` when they cannot be kept.
pub fn add_links(tx: &TenantWrite<'_>, mut answers: Vec<Invitation>, entropy: &Entropy) -> Result<Vec<Invitation>> {
    let mut made: HashMap<MemberId, Option<String>> = HashMap::new();
    for answer in answers.iter_mut().filter(|answer| answer.status == Status::Invited) {
        let Some(id) = answer.id else { continue };
        answer.link = match made.entry(id) {
            // The address was given twice.
            Entry::Occupied(known) => known.get().clone(),
            Entry::Vacant(place) => {
                let member = tx.find::<MemberRecord>(id.cast())?;
                let waiting = member.filter(|member| member.state == MemberState::Invited);
                place.insert(waiting.map(|member| open_link(tx, &member, entropy)).transpose()?).clone()
            }
        };
    }
    Ok(answers)
}

/// Creates another link that lets an invited member join: its path, with the secret as fragment.
///
/// # Errors
/// `not_found`; `forbidden` for a role that the caller may not give; `conflict` when the member has joined.
pub fn create_link(tx: &TenantWrite<'_>, id: Id<MemberRecord>, entropy: &Entropy, from: IpAddr) -> Result<String> {
    let member = find_invited(tx, id)?;
    let link = open_link(tx, &member, entropy)?;
    trail::note(tx, Event::new("member.link_created").of(&member).with("role", member.role.as_str()), Some(from))?;
    Ok(link)
}

fn open_link(tx: &TenantWrite<'_>, member: &Stored<MemberRecord>, entropy: &Entropy) -> Result<String> {
    let link = links::open(tx, Purpose::Invite, member.id.cast(), None)?;
    let secret = links::secret(tx, link, entropy)?.ok_or_else(|| Error::internal("a new link has already expired"))?;
    Ok(format!("{}#{secret}", Purpose::Invite.page()))
}

/// Finds a member who was invited and has not joined, when the caller may decide about their role.
fn find_invited(tx: &TenantWrite<'_>, id: Id<MemberRecord>) -> Result<Stored<MemberRecord>> {
    let member = tx.get(id)?;
    may_touch(acting(tx)?, member.role)?;
    if member.state != MemberState::Invited {
        return Err(Error::new(Code::Conflict).and_field("state", "errors.fields.has_come", Vec::new()));
    }
    Ok(member)
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
    let member = find_invited(tx, id)?;
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
    let letter = Email::new(kind, &member.email, &member.name, locale);
    mail::queue(tx, letter.for_member(member.id.cast()).with_link(*link.as_bytes()))
}

/// Holds a company that asks for some more to what it may invite in a day.
fn spare_strangers(tx: &TenantWrite<'_>, more: usize) -> Result<()> {
    let last = Scan::with(BY_EVENT, "member.invited").reversed(true).limit(A_DAY);
    let invited = tx.page::<audit::Entry>(&last, |_| true)?.items;
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
