//! Authentication: sign-in, sign-out, sign-up, sessions and account recovery.

mod accounts;
mod api;
mod colleagues;
mod device;
mod passkey;
mod recovery;
mod rules;
mod sign_up;
#[cfg(test)]
mod tests;

pub use self::{
    accounts::{AccountApi, OwnApi},
    api::Api,
    colleagues::TeamApi,
    passkey::PasskeyApi,
    rules::notify_of_new_device,
};

use crate::{
    feature::{Feature, Searchable},
    people::members::MemberRecord,
};

/// Feature registration. Members are searchable.
pub const FEATURE: Feature = Feature { name: "auth", searchable: &[Searchable::of::<MemberRecord>()], live: &[] };
