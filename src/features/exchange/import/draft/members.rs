//! Members of a company by e-mail address and by name.

use std::collections::HashMap;

use crate::{
    kernel::{MemberId, Result, text},
    people::members::MemberRecord,
    store::{Stored, TenantRead},
};

/// Maximum members of a cell that are looked for.
const MAX_NAMES: usize = 20;

/// The members of a company by e-mail address and by folded name.
#[derive(Debug, Default)]
pub(super) struct Directory(HashMap<String, Option<MemberId>>);

impl Directory {
    pub(super) fn read(tx: &TenantRead<'_>) -> Result<Self> {
        let mut members = HashMap::new();
        tx.each(|member: Stored<MemberRecord>| {
            members.insert(member.email.clone(), Some(member.id));
            // A name that several have belongs to none of them.
            members.entry(text::fold(&member.name)).and_modify(|known| *known = None).or_insert(Some(member.id));
            Ok(())
        })?;
        Ok(Self(members))
    }

    /// Returns the member with this e-mail address or name, or the first of several that is one, and why the others are
    /// left out.
    pub(super) fn find_any<'t>(&self, typed: &'t str) -> (Option<MemberId>, Vec<(&'t str, &'static str)>) {
        if let Some(id) = self.find(typed) {
            return (Some(id), Vec::new());
        }
        let mut found = None;
        let mut left_out = Vec::new();
        let names = typed.split([',', ';', '\n']).map(str::trim).filter(|name| !name.is_empty());
        for name in names.take(MAX_NAMES) {
            match self.find(name) {
                Some(id) if found.is_none() || found == Some(id) => found = Some(id),
                Some(_) => left_out.push((name, "errors.import.second_value")),
                None => left_out.push((name, "errors.import.member")),
            }
        }
        (found, left_out)
    }

    /// Returns the member with this e-mail address or name.
    pub(super) fn find(&self, typed: &str) -> Option<MemberId> {
        let key = text::email(typed).unwrap_or_else(|| text::fold(typed));
        self.0.get(&key).copied().flatten()
    }
}
