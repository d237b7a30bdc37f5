//! Members of a tenant: roles, states, invitations and removal.

mod api;
mod audit_entries;
mod invitations;
mod model;
pub mod rules;
#[cfg(test)]
mod tests;

pub use api::Api;
pub use audit_entries::joined;
pub use invitations::ask;
pub use invitations::remind;
pub use model::{NAME, NewMember};

use crate::{
    feature::{Feature, KindRecord, KindRights, Menu, RecordKind, Summary, shows_file},
    kernel::Result,
    people::{
        members::{MEMBERS_BY_FILE, MemberRecord},
        permission::{Read, TeamManage},
    },
    store::{Change, Op, Stored, TenantRead},
};

/// Feature registration.
pub const FEATURE: Feature = Feature::new("team")
    .with_kinds(&[KIND])
    .with_files(&[|tx, _, media| shows_file::<MemberRecord>(tx, MEMBERS_BY_FILE, media, |_| true)]);

/// The description of members as records.
const KIND: RecordKind =
    RecordKind::of::<MemberRecord>("team", KindRights::of::<Read, TeamManage, TeamManage, TeamManage>())
        .at("/team/list?member=")
        .without_parts()
        .in_menu(Menu { position: 40, icon: "users", link: "/team/list", count: None });

/// Fields that members change for themselves; recent activity does not show it.
const OWN_AFFAIRS: [&str; 6] = ["status", "locale", "layout", "scheme", "timezone", "region"];

impl KindRecord for MemberRecord {
    fn summary(_tx: &TenantRead<'_>, record: &Stored<Self>) -> Result<Option<Summary>> {
        Ok(Some(Summary { title: record.name.clone(), subtitle: record.title.clone(), done: None }))
    }

    fn is_activity(change: &Change) -> bool {
        change.op != Op::Updated || change.fields.iter().any(|field| !OWN_AFFAIRS.contains(&field.as_str()))
    }
}
