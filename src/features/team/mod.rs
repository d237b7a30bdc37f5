//! The tenant's own people: who belongs to the company, in which role, and whether they may come in.

mod api;
mod invitations;
mod model;
pub mod rules;
#[cfg(test)]
mod tests;
mod trail;

pub use api::Api;
pub use invitations::ask;
pub use invitations::remind;
pub use model::{NAME, NewMember};
pub use trail::joined;

use crate::{
    access::{members::MemberRecord, permission::Permission},
    feature::{Feature, LiveKind},
};

/// What the house knows of it. Members are found by search through `auth`, where their record is.
pub const FEATURE: Feature =
    Feature { name: "team", searchable: &[], live: &[LiveKind::to_holders::<MemberRecord>(Permission::Read)] };
