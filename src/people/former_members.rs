//! Names of former members, which are still shown on their work.

use serde::{Deserialize, Serialize};

use crate::{
    kernel::{
        MemberId, Result,
        i18n::{Locale, say},
    },
    people::members::MemberRecord,
    store::{Record, Stored, TenantRead, TenantRecord, TenantWrite},
};

/// A former member. Stored under the id that they had.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FormerMember {
    /// The name.
    pub name: String,
}

impl Record for FormerMember {
    type Key = crate::kernel::Person;
    const KIND: &'static str = "former_member";
    const TABLE: u16 = 46;
    const LEDGER: bool = false;
}
impl TenantRecord for FormerMember {}

impl FormerMember {
    /// Keeps the name of a member who leaves, in the write that removes them.
    pub fn create(tx: &TenantWrite<'_>, member: &Stored<MemberRecord>) -> Result<()> {
        tx.create_at(member.id, Self { name: member.name.clone() }).map(drop)
    }

    /// Returns the display name of a former member; those who left before names were kept get a general one.
    pub fn display_name(tx: &TenantRead<'_>, id: MemberId, locale: Locale) -> Result<String> {
        Ok(match tx.find::<Self>(id)? {
            Some(former) => say(locale, "server.former_member_named", &[("name", former.value.name)]),
            None => say(locale, "server.former_member", &[]),
        })
    }
}
