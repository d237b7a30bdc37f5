//! Visibility of records: all members of the company, chosen ones, or the author alone. A kind whose records have a
//! visibility returns their [`Audience`] (`KindRecord::audience`); everything that all kinds have in common reads it.

use std::collections::BTreeSet;

use poem_openapi::{Enum, Object};
use serde::{Deserialize, Serialize};

use super::KindRecord;
use crate::{
    kernel::{Code, Error, MemberId, Result, error::Faults},
    people::{
        members::{MemberRecord, MemberState},
        permission::Reader,
    },
    store::{Change, Op, Stored, TenantRead},
};

/// Maximum number of chosen members.
const MAX_PEOPLE: usize = 50;
/// Maximum number of members in a former audience.
const MAX_FORMER: usize = 500;

/// A choice of who can see a record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Enum)]
#[oai(rename_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub enum VisibleTo {
    /// All members.
    #[default]
    Company,
    /// The author and the chosen members.
    People,
    /// The author alone.
    Me,
}

/// Who can see a record. Administrators can see it, too.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Object)]
#[oai(deny_unknown_fields)]
pub struct Visibility {
    /// All members, the chosen ones, or the author alone.
    pub to: VisibleTo,
    /// The chosen members, at most 50; empty unless `to` is `people`.
    #[oai(default)]
    #[serde(default)]
    pub people: Vec<MemberId>,
}

impl Visibility {
    /// Whether all members can see the record.
    pub fn is_company(&self) -> bool {
        self.to == VisibleTo::Company
    }

    /// Returns the members who may see a record of this author.
    pub fn audience(&self, author: Option<MemberId>) -> Audience {
        let people = match self.to {
            VisibleTo::Company => return Audience::Company,
            VisibleTo::People => self.people.as_slice(),
            VisibleTo::Me => &[],
        };
        Audience::People(people.iter().copied().chain(author).collect())
    }

    /// Validates a visibility that replaces `before`, and removes the author and repetitions from the chosen members.
    /// Members who were chosen before may be suspended since.
    /// Errors: `invalid` with `visibility.people`, or with the place of a member who does not exist or is suspended.
    pub fn check(&mut self, tx: &TenantRead<'_>, author: Option<MemberId>, before: Option<&Self>) -> Result<()> {
        if before == Some(self) {
            return Ok(());
        }
        let mut faults = Faults::default();
        if !faults.few("visibility.people", self.people.len(), MAX_PEOPLE) {
            return faults.into_result();
        }
        for (at, person) in self.people.iter().enumerate() {
            let was_chosen = before.is_some_and(|before| before.people.contains(person));
            if !was_chosen && !can_be_chosen(tx, *person)? {
                faults.add(format!("visibility.people.{at}"), "errors.fields.unknown_reference");
            }
        }
        faults.into_result()?;
        let mut known: BTreeSet<MemberId> = author.into_iter().collect();
        self.people.retain(|person| known.insert(*person));
        if (self.to == VisibleTo::People) == self.people.is_empty() {
            let key = if self.people.is_empty() { "errors.fields.required" } else { "errors.fields.people_not_chosen" };
            return Err(Error::field("visibility.people", key));
        }
        Ok(())
    }

    /// Narrows it to members of an audience, for a record of this author.
    pub fn narrow_to(&mut self, audience: &Audience, author: Option<MemberId>) {
        let Audience::People(audience) = audience else { return };
        match self.to {
            VisibleTo::Company => self.people = audience.iter().copied().collect(),
            VisibleTo::People => self.people.retain(|person| audience.contains(person)),
            VisibleTo::Me => {}
        }
        self.people.retain(|person| Some(*person) != author);
        self.to = if self.people.is_empty() { VisibleTo::Me } else { VisibleTo::People };
    }
}

/// Whether a member exists and is not suspended. Invited ones can be chosen before they join.
fn can_be_chosen(tx: &TenantRead<'_>, member: MemberId) -> Result<bool> {
    Ok(tx.find::<MemberRecord>(member)?.is_some_and(|member| member.state != MemberState::Suspended))
}

/// The members who may see a record, of those with the right to read its kind.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Audience {
    /// All of them.
    #[default]
    Company,
    /// These.
    People(BTreeSet<MemberId>),
}

impl Audience {
    /// Whether it is all members.
    pub const fn is_company(&self) -> bool {
        matches!(self, Self::Company)
    }

    /// Whether a member is in it.
    pub fn includes(&self, member: MemberId) -> bool {
        match self {
            Self::Company => true,
            Self::People(people) => people.contains(&member),
        }
    }

    /// Whether all members of another audience are in it.
    pub fn includes_all(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Company, _) => true,
            (Self::People(_), Self::Company) => false,
            (Self::People(people), Self::People(others)) => others.is_subset(people),
        }
    }

    /// Returns the members who are in both audiences.
    pub fn intersect(&self, other: &Self) -> Self {
        match (self, other) {
            (Self::Company, audience) | (audience, Self::Company) => audience.clone(),
            (Self::People(people), Self::People(others)) => Self::People(people & others),
        }
    }

    /// Returns the members who are in one of the audiences.
    pub fn unite(&self, other: &Self) -> Self {
        match (self, other) {
            (Self::People(people), Self::People(others)) => Self::People(people | others),
            _ => Self::Company,
        }
    }
}

/// The members who could see a record before its audience became narrower. The changes up to a version are announced to
/// them as well, so that open screens drop the record; later ones are not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FormerAudience {
    /// The version of the record after the last change that made the audience narrower.
    pub version: u64,
    /// The members.
    pub audience: Audience,
}

impl FormerAudience {
    /// Whether a change of the record is announced to its members. The record's removal never is.
    pub fn is_told_of(&self, change: &Change) -> bool {
        change.op != Op::Removed && change.version <= self.version
    }

    /// Returns the former audience after a change of the audience from `before` to `after`, which gives the record
    /// `version`.
    pub fn after_change(earlier: Option<Self>, before: &Audience, after: &Audience, version: u64) -> Option<Self> {
        if after.includes_all(before) {
            return earlier;
        }
        let united = earlier.map_or_else(|| before.clone(), |earlier| earlier.audience.unite(before));
        let audience = match united {
            Audience::People(people) if people.len() > MAX_FORMER => before.clone(),
            united => united,
        };
        Some(Self { version, audience })
    }
}

/// Who may see something before a change and after it.
pub type AudienceChange = (Audience, Audience);

/// Rejects a change of who may see a record by a member who is neither its author nor may see all records of the kind. It
/// compares audiences and no fields, so it does not matter by what a record becomes visible to others: its visibility, its
/// owner or its place. `field` is the field that the error names.
/// Errors: `forbidden`.
pub fn ensure_may_share<R: KindRecord>(
    reader: Reader,
    before: &Stored<R>,
    audiences: &[AudienceChange],
    field: &'static str,
) -> Result<()> {
    let may_share = before.created_by == Some(reader.id) || R::SEES_ALL.is_some_and(|right| reader.role.has(right));
    if may_share || audiences.iter().all(|(before, after)| before == after) {
        return Ok(());
    }
    Err(Error::new(Code::Forbidden).and_field(field, "errors.fields.only_author", Vec::new()))
}
