//! Chat contacts: the other members of the tenant.

use poem_openapi::Object;
use serde::Serialize;
use serde_with::skip_serializing_none;

use crate::{
    kernel::{
        Birthday, MemberId, Result,
        i18n::{Locale, say},
        text,
    },
    live::presence::Presence,
    people::{
        former_members::FormerMember,
        members::{Company, MemberRecord, MemberState, Status, visible_status},
    },
    store::{MAX_PAGE_BYTES, Stored, TenantRead},
};

/// Bytes of a member in a response, besides their name and picture.
const PARTNER_BYTES: usize = 90;

/// A member as shown in a conversation.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "ChatPartner")]
pub struct Partner {
    id: MemberId,
    name: String,
    #[oai(nullable)]
    avatar: Option<String>,
    status: Status,
}

/// A member as shown in the list of contacts.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "ChatContact")]
pub struct Contact {
    id: MemberId,
    #[oai(nullable)]
    avatar: Option<String>,
    name: String,
    /// A short description of the member.
    #[oai(skip_serializing_if_is_none)]
    #[serde(skip_serializing_if = "Option::is_none")]
    about: Option<String>,
    status: Status,
}

/// A member with all details that colleagues may see.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "ChatContactCard")]
pub struct Card {
    id: MemberId,
    #[oai(nullable)]
    avatar: Option<String>,
    name: String,
    /// A short description of the member.
    #[oai(skip_serializing_if_is_none)]
    #[serde(skip_serializing_if = "Option::is_none")]
    about: Option<String>,
    status: Status,
    details: Details,
    attachments: Attachments,
}

/// The member's contact details and position.
#[skip_serializing_none]
#[derive(Debug, Serialize, Object)]
#[oai(rename = "ChatContactDetails", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
struct Details {
    emails: Vec<Email>,
    phone_numbers: Vec<Phone>,
    /// The job title.
    title: Option<String>,
    company: Option<String>,
    birthday: Option<Birthday>,
    address: Option<String>,
}

/// An e-mail address of a member.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "ChatContactEmail")]
struct Email {
    #[serde(serialize_with = "text::serialize_email")]
    email: String,
    label: String,
}

/// A phone number of a member.
#[skip_serializing_none]
#[derive(Debug, Serialize, Object)]
#[oai(rename = "ChatContactPhone", skip_serializing_if_is_none)]
struct Phone {
    /// The ISO 3166-1 country code. Absent when the number includes its country prefix.
    country: Option<String>,
    #[oai(rename = "phoneNumber")]
    #[serde(rename = "phoneNumber")]
    number: String,
    label: String,
}

/// The attachments of a contact. Always empty for members.
#[derive(Debug, Default, Serialize, Object)]
#[oai(rename = "ChatContactAttachments")]
struct Attachments {
    media: Vec<String>,
    docs: Vec<String>,
    links: Vec<String>,
}

/// The caller's own profile.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "ChatProfile")]
pub struct Profile {
    id: MemberId,
    name: String,
    #[serde(serialize_with = "text::serialize_email")]
    email: String,
    #[oai(nullable)]
    avatar: Option<String>,
    #[oai(nullable)]
    about: Option<String>,
}

impl Profile {
    /// Creates the profile of the caller.
    pub fn new(member: &Stored<MemberRecord>) -> Self {
        let MemberRecord { name, email, avatar, about, .. } = member.value.clone();
        Self { id: member.id, name, email, avatar, about }
    }
}

impl Partner {
    pub(super) const fn new(id: MemberId, name: String, avatar: Option<String>, status: Status) -> Self {
        Self { id, name, avatar, status }
    }

    /// Returns about how many bytes it takes in a response.
    pub(super) fn bytes(&self) -> usize {
        PARTNER_BYTES + self.name.len() + self.avatar.as_deref().map_or(0, str::len)
    }

    /// Returns the path of the picture.
    pub fn avatar(&self) -> Option<&str> {
        self.avatar.as_deref()
    }

    /// Returns the name.
    pub fn into_name(self) -> String {
        self.name
    }

    /// Returns a member as the partner of a conversation. One who left the tenant has the name of a former member.
    pub fn find(tx: &TenantRead<'_>, id: MemberId, locale: Locale, presence: &Presence) -> Result<Self> {
        Ok(match tx.find::<MemberRecord>(id)? {
            Some(member) => {
                let status = status_for(tx, &member, presence);
                let MemberRecord { name, avatar, .. } = member.value;
                Self { id, name, avatar, status }
            }
            None => {
                Self { id, name: FormerMember::display_name(tx, id, locale)?, avatar: None, status: Status::NotVisible }
            }
        })
    }
}

/// Returns a member's status: to themselves the chosen one, to others the effective one.
fn status_for(tx: &TenantRead<'_>, member: &Stored<MemberRecord>, presence: &Presence) -> Status {
    let id = member.id;
    if tx.me() == Some(id) { member.status } else { visible_status(member.status, presence.state_of(tx.tenant(), id)) }
}

/// Lists the other active members by name, in the sort order of the locale. Once they take [`MAX_PAGE_BYTES`], those that
/// follow have no description.
pub fn list(tx: &TenantRead<'_>, locale: Locale, presence: &Presence) -> Result<Vec<Contact>> {
    let mut contacts = Vec::new();
    tx.each::<MemberRecord>(|member| {
        if member.state == MemberState::Active && Some(member.id) != tx.me() {
            let status = status_for(tx, &member, presence);
            let MemberRecord { name, avatar, about, .. } = member.value;
            contacts.push(Contact { id: member.id, avatar, name, about, status });
        }
        Ok(())
    })?;
    contacts.sort_by_cached_key(|contact| (text::sort_key(&contact.name, locale), contact.id));
    let mut bytes = 0;
    for contact in &mut contacts {
        let texts = [contact.avatar.as_deref(), contact.about.as_deref()];
        bytes += PARTNER_BYTES + contact.name.len() + texts.into_iter().flatten().map(str::len).sum::<usize>();
        if bytes > MAX_PAGE_BYTES {
            contact.about = None;
        }
    }
    Ok(contacts)
}

/// Returns the details of one member.
/// Errors: `not_found`.
pub fn card(tx: &TenantRead<'_>, id: MemberId, locale: Locale, presence: &Presence) -> Result<Card> {
    let member = tx.get::<MemberRecord>(id)?;
    let status = status_for(tx, &member, presence);
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
