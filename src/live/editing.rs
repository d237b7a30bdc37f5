//! Who edits which record now, as devices report it.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use super::presence::Device;
use crate::kernel::MemberId;

/// Key of a record: its kind and its id.
pub(super) type RecordKey = (String, [u8; 16]);

/// The devices at which each record is edited.
#[derive(Default)]
pub(super) struct EditorRegistry(BTreeMap<RecordKey, Vec<Arc<Device>>>);

impl EditorRegistry {
    /// Replaces the set of records edited at a device. Returns the records whose editors changed, with the editors.
    pub(super) fn replace(
        &mut self,
        device: &Arc<Device>,
        records: &BTreeSet<RecordKey>,
    ) -> Vec<(RecordKey, Vec<MemberId>)> {
        let is_same = |other: &Arc<Device>| Arc::ptr_eq(other, device);
        let before: BTreeSet<RecordKey> =
            self.0.iter().filter(|(_, devices)| devices.iter().any(is_same)).map(|(key, _)| key.clone()).collect();
        let mut changed = Vec::new();
        for key in before.difference(records) {
            let Some(devices) = self.0.get_mut(key) else { continue };
            devices.retain(|other| !is_same(other));
            changed.push((key.clone(), members_at(devices)));
            if devices.is_empty() {
                self.0.remove(key);
            }
        }
        for key in records.difference(&before) {
            let devices = self.0.entry(key.clone()).or_default();
            devices.push(device.clone());
            changed.push((key.clone(), members_at(devices)));
        }
        changed
    }
}

fn members_at(devices: &[Arc<Device>]) -> Vec<MemberId> {
    let mut members = Vec::new();
    for device in devices {
        if !members.contains(&device.person) {
            members.push(device.person);
        }
    }
    members
}
