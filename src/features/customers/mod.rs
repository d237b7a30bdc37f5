//! Customers: the people and companies that a tenant deals with. They cannot sign in.

mod api;
mod countries;
mod model;
pub mod rules;

pub use api::Api;
pub use model::{Attachments, Customer, CustomerStatus, Details, Email, Phone};
pub use rules::create;

use crate::{
    feature::{Feature, LiveKind, Searchable},
    people::permission::Permission,
};

/// Feature registration.
pub const FEATURE: Feature = Feature {
    name: "customers",
    searchable: &[Searchable::of::<Customer>()],
    live: &[LiveKind::to_holders::<Customer>(Permission::Read)],
};

#[cfg(test)]
mod tests;
