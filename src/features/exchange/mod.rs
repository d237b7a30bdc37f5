//! Exchange of records with other systems by files.

pub mod export;
pub mod import;
mod names;

use crate::{
    feature::{Feature, LiveKind},
    features::customers::Customer,
    people::permission::Permission,
    store::Record as _,
};

/// `Record::KIND` of the records that vCards describe.
const PEOPLE: &str = Customer::KIND;

/// Feature registration.
pub const FEATURE: Feature = Feature::new("exchange")
    .with_imported(import::find_imported)
    .with_live(&[LiveKind::to_holders_or_restricted::<import::Import>(Permission::Read, import::restrict)]);
