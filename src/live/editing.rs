//! Who edits which record now, as devices report it.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use super::presence::Device;
use crate::kernel::MemberId;

/// A record: its kind and its id.
pub(super) type Name = (String, [u8; 16]);

/// The devices at which each record is edited.
#[derive(Default)]
pub(super) struct Editing(BTreeMap<Name, Vec<Arc<Device>>>);

impl Editing {
    /// Replaces the set of records edited at a device. Returns the records whose editors changed, with the editors.
    pub(super) fn set(&mut self, device: &Arc<Device>, records: &BTreeSet<Name>) -> Vec<(Name, Vec<MemberId>)> {
        let is = |other: &Arc<Device>| Arc::ptr_eq(other, device);
        let before: BTreeSet<Name> =
            self.0.iter().filter(|(_, devices)| devices.iter().any(is)).map(|(name, _)| name.clone()).collect();
        let mut changed = Vec::new();
        for name in before.difference(records) {
            let Some(devices) = self.0.get_mut(name) else { continue };
            devices.retain(|other| !is(other));
            changed.push((name.clone(), people(devices)));
            if devices.is_empty() {
                self.0.remove(name);
            }
        }
        for name in records.difference(&before) {
            let devices = self.0.entry(name.clone()).or_default();
            devices.push(device.clone());
            changed.push((name.clone(), people(devices)));
        }
        changed
    }
}

fn people(devices: &[Arc<Device>]) -> Vec<MemberId> {
    let mut people = Vec::new();
    for device in devices {
        if !people.contains(&device.person) {
            people.push(device.person);
        }
    }
    people
}
