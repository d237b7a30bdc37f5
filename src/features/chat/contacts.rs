//! The people one can chat with: the other members of the company.

use poem_openapi::Object;
use serde::Serialize;

use crate::{
    access::{
        former_members::FormerMember,
        members::{Company, MemberRecord, MemberState, Status, effective},
    },
    kernel::{
        Day, MemberId, Result,
        i18n::{Locale, say},
        text,
    },
    live::presence::Presence,
    store::{Stored, TenantRead},
};

/// A member, as much as a conversation shows.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "ChatPartner")]
pub struct Partner {
    id: MemberId,
    name: String,
    #[oai(nullable)]
    avatar: Option<String>,
    status: Status,
}

/// A member, as the list of contacts shows them.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "ChatContact")]
pub struct Contact {
    id: MemberId,
    #[oai(nullable)]
    avatar: Option<String>,
    name: String,
    /// A few words about them.
    #[oai(skip_serializing_if_is_none)]
    #[serde(skip_serializing_if = "Option::is_none")]
    about: Option<String>,
    status: Status,
}

/// A member with everything that colleagues may know of them.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "ChatContactCard")]
pub struct Card {
    id: MemberId,
    #[oai(nullable)]
    avatar: Option<String>,
    name: String,
    /// A few words about them.
    #[oai(skip_serializing_if_is_none)]
    #[serde(skip_serializing_if = "Option::is_none")]
    about: Option<String>,
    status: Status,
    details: Details,
    attachments: Attachments,
}

/// How a member is reached, and what they do.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "ChatContactDetails", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
struct Details {
    emails: Vec<Email>,
    phone_numbers: Vec<Phone>,
    /// Job title.
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    company: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    birthday: Option<Day>,
    #[serde(skip_serializing_if = "Option::is_none")]
    address: Option<String>,
}

/// An address of a member.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "ChatContactEmail")]
struct Email {
    email: String,
    label: String,
}

/// A phone number of a member.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "ChatContactPhone", skip_serializing_if_is_none)]
struct Phone {
    /// ISO 3166-1; absent where the number is written with its country in front.
    #[serde(skip_serializing_if = "Option::is_none")]
    country: Option<String>,
    #[oai(rename = "phoneNumber")]
    #[serde(rename = "phoneNumber")]
    number: String,
    label: String,
}

/// What is attached to a contact; members have nothing attached.
#[derive(Debug, Default, Serialize, Object)]
#[oai(rename = "ChatContactAttachments")]
struct Attachments {
    media: Vec<String>,
    docs: Vec<String>,
    links: Vec<String>,
}

/// The caller, as their own profile shows them.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "ChatProfile")]
pub struct Profile {
    id: MemberId,
    name: String,
    email: String,
    #[oai(nullable)]
    avatar: Option<String>,
    #[oai(nullable)]
    about: Option<String>,
}

impl Profile {
    /// The caller's profile.
    #[must_use]
    pub fn new(member: &Stored<MemberRecord>) -> Self {
        let MemberRecord { name, email, avatar, about, .. } = member.value.clone();
        Self { id: member.id.cast(), name, email, avatar, about }
    }
}

impl Partner {
    pub(super) const fn new(id: MemberId, name: String, avatar: Option<String>, status: Status) -> Self {
        Self { id, name, avatar, status }
    }

    /// The picture.
    #[must_use]
    pub fn avatar(&self) -> Option<&str> {
        self.avatar.as_deref()
    }

    /// The name alone.
    #[must_use]
    pub fn into_name(self) -> String {
        self.name
    }

    /// The other side of a conversation; whoever has left the company is called a former member.
    ///
    /// # Errors
    /// `busy` or `internal` when it cannot be read.
    pub fn find(tx: &TenantRead<'_>, id: MemberId, locale: Locale, presence: &Presence) -> Result<Self> {
        Ok(match tx.find::<MemberRecord>(id.cast())? {
            Some(member) => {
                let status = seen(tx, &member, presence);
                let MemberRecord { name, avatar, .. } = member.value;
                Self { id, name, avatar, status }
            }
            None => Self { id, name: FormerMember::called(tx, id, locale)?, avatar: None, status: Status::NotVisible },
        })
    }
}

/// How a member's being there looks: to themselves as they chose, to others as it is.
fn seen(tx: &TenantRead<'_>, member: &Stored<MemberRecord>, presence: &Presence) -> Status {
    let id = member.id.cast();
    if tx.me() == Some(id) { member.status } else { effective(member.status, presence.there(tx.tenant(), id)) }
}

/// The other active members, by name as readers of a language sort names.
///
/// # Errors
/// `busy` or `internal` when they cannot be read.
pub fn list(tx: &TenantRead<'_>, locale: Locale, presence: &Presence) -> Result<Vec<Contact>> {
    let mut contacts = Vec::new();
    tx.each::<MemberRecord>(|member| {
        if member.state == MemberState::Active && Some(member.id.cast()) != tx.me() {
            let status = seen(tx, &member, presence);
            let MemberRecord { name, avatar, about, .. } = member.value;
            contacts.push(Contact { id: member.id.cast(), avatar, name, about, status });
        }
        Ok(())
    })?;
    contacts.sort_by_cached_key(|contact| (text::sort_key(&contact.name, locale), contact.id));
    Ok(contacts)
}

/// All about one member.
///
/// # Errors
/// `not_found`.
pub fn card(tx: &TenantRead<'_>, id: MemberId, locale: Locale, presence: &Presence) -> Result<Card> {
    let member = tx.get::<MemberRecord>(id.cast())?;
    let status = seen(tx, &member, presence);
    let MemberRecord { name, email, avatar, title, phone, about, .. } = member.value;
    let label = say(locale, "server.labels.work", &[]);
    let phone = phone.map(|number| Phone { country: None, number, label: label.clone() });
    let details = Details {
        emails: vec![Email { email, label }],
        phone_numbers: phone.into_iter().collect(),
        title,
        company: Some(Company::of(tx)?.value.name),
        birthday: None,
        address: None,
    };
    Ok(Card { id, avatar, name, about, status, details, attachments: Attachments::default() })
}
