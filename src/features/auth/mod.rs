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

use crate::feature::Feature;

/// Feature registration.
pub const FEATURE: Feature = Feature::new("auth");
