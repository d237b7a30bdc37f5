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
    feature::{Feature, LiveKind},
    people::{members::MemberRecord, permission::Permission},
};

/// Feature registration. Members are searchable through `auth`, which registers their record.
pub const FEATURE: Feature =
    Feature { name: "team", searchable: &[], live: &[LiveKind::to_holders::<MemberRecord>(Permission::Read)] };
