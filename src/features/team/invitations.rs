//! Invitations: creates members in the state `invited` and e-mails them a link that activates the account.

use std::{
    collections::{HashMap, hash_map::Entry},
    net::IpAddr,
};

use poem_openapi::{Enum, Object};
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use super::{
    audit_entries,
    model::{self, NAME, NewMember},
    rules::{acting, has_room, may_touch},
};
use crate::{
    access::links::{self, Purpose},
    kernel::{Code, Entropy, Error, MemberId, Result, error::Faults, i18n::Locale, text},
    mail::{self, ACTIVATION_PAGE, Email, Kind},
    people::{
        audit::{self, BY_EVENT, Event},
        members::{Company, MEMBERS_BY_EMAIL, MemberRecord, MemberState},
        permission::Role,
    },
    store::{Scan, Stored, TenantWrite},
};

/// Maximum number of addresses in one request.
const AT_ONCE: usize = 50;
/// Maximum length of the inviter's message in an e-mail, in characters.
const MESSAGE: usize = 1_000;
/// Maximum number of invitations of a tenant within 24 hours, so that it cannot send spam.
const A_DAY: usize = 500;
const DAY: i64 = 24 * 60 * 60_000;

/// The outcome for an invited address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Enum)]
#[oai(rename = "InvitationStatus", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Invited: by email, or by the link in `link` where no mail server is set up.
    Invited,
    /// Already a member of the company.
    AlreadyMember,
    /// Not a valid address.
    Invalid,
}

/// The outcome of one invitation.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Object)]
#[oai(rename = "Invitation", skip_serializing_if_is_none)]
pub struct Invitation {
    /// The address in its canonical form; as it was given when it is invalid.
    email: String,
    status: Status,
    /// The member's id; absent when the address is invalid.
    id: Option<MemberId>,
    /// Path and fragment of the invitation on this server, for the caller to pass on; present where no mail server is
    /// set up. It works once, for seven days.
    link: Option<String>,
}

/// People to invite, and how.
pub struct Invitations {
    /// Addresses.
    pub emails: Vec<String>,
    /// Addresses with names.
    pub people: Vec<(String, Option<String>)>,
    /// The role of the new members.
    pub role: Role,
    /// The inviter's message for the e-mails.
    pub message: String,
}

impl Invitations {
    /// Returns the addresses with their names; blank names become `None`.
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

/// Invites people. An invalid address does not prevent the invitation of the others.
/// Errors: `forbidden` at `role` for a role that the actor may not assign; `invalid` at `emails`, `people` or
/// `message`; `conflict` when the tenant is full; `slow_down` when it invited 500 people within a day.
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

/// Adds the links that the caller passes on when no e-mail is sent. They are created after the invitations, because a
/// response that is stored for retries must not contain a secret. Members who have joined since get no link.
pub fn add_links(tx: &TenantWrite<'_>, mut answers: Vec<Invitation>, entropy: &Entropy) -> Result<Vec<Invitation>> {
    let mut made: HashMap<MemberId, Option<String>> = HashMap::new();
    for answer in answers.iter_mut().filter(|answer| answer.status == Status::Invited) {
        let Some(id) = answer.id else { continue };
        answer.link = match made.entry(id) {
            // The address was given twice.
            Entry::Occupied(known) => known.get().clone(),
            Entry::Vacant(place) => {
                let member = tx.find::<MemberRecord>(id)?;
                let waiting = member.filter(|member| member.state == MemberState::Invited);
                place.insert(waiting.map(|member| open_link(tx, &member, entropy)).transpose()?).clone()
            }
        };
    }
    Ok(answers)
}

/// Creates another link for an invited member and returns its path, with the secret as the fragment.
/// Errors: `not_found`; `forbidden` for a role that the caller may not assign; `conflict` when the member has joined.
pub fn create_link(tx: &TenantWrite<'_>, id: MemberId, entropy: &Entropy, from: IpAddr) -> Result<String> {
    let member = find_invited(tx, id)?;
    let link = open_link(tx, &member, entropy)?;
    audit_entries::note(
        tx,
        Event::new("member.link_created").about_member(&member).with("role", member.role.as_str()),
        Some(from),
    )?;
    Ok(link)
}

fn open_link(tx: &TenantWrite<'_>, member: &Stored<MemberRecord>, entropy: &Entropy) -> Result<String> {
    let link = links::create(tx, Purpose::Invite, member.id, None)?;
    let secret =
        links::create_secret(tx, link, entropy)?.ok_or_else(|| Error::internal("a new link has already expired"))?;
    Ok(format!("{ACTIVATION_PAGE}#{secret}"))
}

/// Finds a member who was invited and has not joined; the actor must be allowed to manage the member's role.
fn find_invited(tx: &TenantWrite<'_>, id: MemberId) -> Result<Stored<MemberRecord>> {
    let member = tx.get::<MemberRecord>(id)?;
    may_touch(acting(tx)?, member.role)?;
    if member.state != MemberState::Invited {
        return Err(Error::new(Code::Conflict).and_field("state", "errors.fields.has_come", Vec::new()));
    }
    Ok(member)
}

/// Invites one person, on the operator's behalf.
/// Errors: `invalid` at `email`; `conflict` at `email` when a member who has joined has the address; otherwise as
/// [`invite`].
pub fn ask(tx: &TenantWrite<'_>, email: &str, name: Option<&str>, role: Role) -> Result<Stored<MemberRecord>> {
    let by = acting(tx)?;
    may_touch(by, role)?;
    let email = text::email(email).ok_or_else(|| Error::field("email", "errors.fields.email"))?;
    spare_strangers(tx, 1)?;
    let (status, id) = one(tx, &email, name, by, role, "", None)?;
    if status != Status::Invited {
        return Err(Error::new(Code::Conflict).and_field("email", "errors.fields.taken", Vec::new()));
    }
    tx.get(id)
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
    if let Some(known) = tx.find_by::<MemberRecord>(MEMBERS_BY_EMAIL, email)? {
        if known.state != MemberState::Invited || may_touch(by, known.role).is_err() {
            return Ok((Status::AlreadyMember, known.id));
        }
        let known = tx.update(known.id, None, |member: &mut MemberRecord| {
            member.role = role;
            if let Some(name) = name {
                member.name = text::line(name);
            }
            model::check(member)
        })?;
        write(tx, &known, message)?;
        audit_entries::note(tx, Event::new("member.reinvited").about_member(&known).with("role", role.as_str()), from)?;
        return Ok((Status::Invited, known.id));
    }
    has_room(tx)?;
    let name = name.map_or_else(|| email.split('@').next().unwrap_or(email), str::trim);
    let member = tx.create(NewMember::new(name, email, role).into_record_in(MemberState::Invited)?)?;
    write(tx, &member, message)?;
    let event = Event::new("member.invited").about_member(&member).with("email", email).with("role", role.as_str());
    audit_entries::note(tx, event, from)?;
    Ok((Status::Invited, member.id))
}

/// Sends an invitation again.
/// Errors: `not_found`; `forbidden` for an invited owner when the actor is not one; `conflict` when the member has
/// joined; `slow_down` after five e-mails within an hour.
pub fn resend(tx: &TenantWrite<'_>, id: MemberId, from: IpAddr) -> Result<Stored<MemberRecord>> {
    let member = find_invited(tx, id)?;
    if !write(tx, &member, "")? {
        return Err(Error::new(Code::SlowDown).retry_after(3_600));
    }
    audit_entries::note(
        tx,
        Event::new("member.reinvited").about_member(&member).with("role", member.role.as_str()),
        Some(from),
    )?;
    Ok(member)
}

/// Sends the invitation again to an invited member who tries to sign up without its link.
pub fn remind(tx: &TenantWrite<'_>, member: &Stored<MemberRecord>) -> Result<()> {
    write(tx, member, "").map(drop)
}

/// Queues the invitation e-mail. Returns whether it will be sent.
fn write(tx: &TenantWrite<'_>, member: &Stored<MemberRecord>, message: &str) -> Result<bool> {
    let company = Company::of(tx)?;
    let inviter = tx.actor().member().map(|id| tx.get::<MemberRecord>(id)).transpose()?;
    let link = links::create(tx, Purpose::Invite, member.id, None)?;
    let kind = Kind::Invitation {
        by: inviter.map(|inviter| inviter.value.name),
        message: Some(message.trim()).filter(|message| !message.is_empty()).map(str::to_owned),
    };
    // The member's language is not known yet: the tenant's language is the best guess.
    let locale = Locale::parse(&company.locale).unwrap_or(Locale::EN);
    let email = Email::new(kind, &member.email, &member.name, locale);
    mail::queue(tx, email.for_member(member.id).with_link(*link.as_bytes()))
}

/// Applies the daily limit of invitations to a tenant that sends `more` of them.
fn spare_strangers(tx: &TenantWrite<'_>, more: usize) -> Result<()> {
    let last = Scan::with(BY_EVENT, "member.invited").reversed(true).limit(A_DAY);
    let invited = tx.page::<audit::Entry>(&last, |_| true)?.items;
    let since = tx.now().plus_millis(-DAY);
    // The invitation that must be a day old before all of these fit the limit.
    let oldest = invited.get(A_DAY.saturating_sub(more)).map(|entry| entry.created_at).filter(|at| *at > since);
    match oldest {
        None => Ok(()),
        Some(at) => {
            let wait = u32::try_from((at.millis() - since.millis()) / 1_000 + 1).unwrap_or(u32::MAX);
            Err(Error::new(Code::SlowDown).retry_after(wait))
        }
    }
}
