//! Signing in and out, and staying signed in.

mod api;
mod colleagues;
mod device;
mod rules;
#[cfg(test)]
mod tests;

pub use self::{api::Api, colleagues::TeamApi};

use crate::{
    access::members::MemberRecord,
    feature::{Feature, Searchable},
};

/// What the house knows of it: members are found by search.
pub const FEATURE: Feature = Feature { name: "auth", searchable: &[Searchable::of::<MemberRecord>()] };
