//! What is kept of who has left the company: the name that their work goes on to bear.

use serde::{Deserialize, Serialize};

use super::members::MemberRecord;
use crate::{
    kernel::{
        MemberId, Result,
        i18n::{Locale, say},
    },
    store::{Record, Stored, TenantRead, TenantRecord, TenantWrite},
};

/// Somebody who was a member. Lies under the id that they had.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FormerMember {
    /// The name.
    pub name: String,
}

impl Record for FormerMember {
    const KIND: &'static str = "former_member";
    const TABLE: u16 = 46;
    const LEDGER: bool = false;
}
impl TenantRecord for FormerMember {}

impl FormerMember {
    /// Keeps the name of a member who leaves, in the write that removes them.
    ///
    /// # Errors
    /// `busy` or `internal` when it cannot be kept.
    pub fn keep(tx: &TenantWrite<'_>, member: &Stored<MemberRecord>) -> Result<()> {
        tx.create_at(member.id.cast(), Self { name: member.name.clone() }).map(drop)
    }

    /// What somebody is called who is no member any more; those who left before names were kept have none.
    ///
    /// # Errors
    /// `busy` or `internal` when it cannot be read.
    pub fn called(tx: &TenantRead<'_>, id: MemberId, locale: Locale) -> Result<String> {
        Ok(match tx.find::<Self>(id.cast())? {
            Some(former) => say(locale, "server.former_member_named", &[("name", former.value.name)]),
            None => say(locale, "server.former_member", &[]),
        })
    }
}
