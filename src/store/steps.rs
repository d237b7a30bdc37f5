//! The released migration steps. They read stored bytes by types of their own, so that later changes of the records do
//! not change what a step does.

use redb::ReadableTable as _;
use serde::Deserialize;

use super::{
    codec::{LookupKey, decode, open},
    derived::lookup_row,
    errors::disk_error,
    keys,
    view::Table,
};
use crate::kernel::{Id, Result, TenantId};

/// The table of events, and their index by the customers who attend them.
const EVENTS: u16 = 32;
const EVENTS_BY_CUSTOMER: u16 = 1_142;

/// An event of format 1, as far as the step reads it.
#[derive(Deserialize)]
struct StoredEvent {
    r: Event,
}

#[derive(Deserialize)]
struct Event {
    #[serde(default)]
    attendees: Vec<Attendee>,
}

/// A member or a customer.
#[derive(Deserialize)]
struct Attendee {
    customer: Option<Id<()>>,
}

/// To format 2: adds the index of events by the customers who attend them. Damaged events stay as they are.
pub(super) fn index_attending_customers(rows: &mut Table<'_>) -> Result<()> {
    let mut entries = Vec::new();
    for row in rows.iter().map_err(disk_error)? {
        let (key, value) = row.map_err(disk_error)?;
        let Some((space, EVENTS)) = keys::split(key.value()) else { continue };
        let id = key.value().get(keys::HEAD_BYTES..).and_then(|id| <[u8; 16]>::try_from(id).ok());
        let Some((tenant, id)) = TenantId::from_bytes(space.0).zip(id) else { continue };
        let stored = open(key.value(), value.value()).and_then(|(_, payload)| decode::<StoredEvent>(payload));
        let attendees = stored.map_or_else(|_| Vec::new(), |stored| stored.r.attendees);
        for customer in attendees.into_iter().filter_map(|attendee| attendee.customer) {
            let value = customer.as_bytes().to_vec();
            let entry = LookupKey { lookup: EVENTS_BY_CUSTOMER, unique: None, global: false, value };
            entries.push(lookup_row(tenant, None, &entry, &id));
        }
    }
    for (key, value) in entries {
        rows.insert(key.as_slice(), value.as_slice()).map_err(disk_error)?;
    }
    Ok(())
}
