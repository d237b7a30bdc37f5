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

/// A record with its editors.
pub(super) type EditedRecord = (RecordKey, Vec<MemberId>);

impl EditorRegistry {
    /// Whether no record is edited.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Replaces the set of records edited at a device. Returns the records whose editors changed. `sees` says whether a
    /// member may see a record: those who may not are no editors of it.
    pub(super) fn replace(
        &mut self,
        device: &Arc<Device>,
        records: &BTreeSet<RecordKey>,
        sees: impl Fn(&RecordKey, MemberId) -> bool,
    ) -> Vec<EditedRecord> {
        let is_same = |other: &Arc<Device>| Arc::ptr_eq(other, device);
        let before: BTreeSet<RecordKey> =
            self.0.iter().filter(|(_, devices)| devices.iter().any(is_same)).map(|(key, _)| key.clone()).collect();
        let mut changed = Vec::new();
        for key in before.difference(records) {
            let Some(devices) = self.0.get_mut(key) else { continue };
            devices.retain(|other| !is_same(other));
            changed.push((key.clone(), self.retain_readers(key, &sees)));
        }
        for key in records.difference(&before) {
            self.0.entry(key.clone()).or_default().push(device.clone());
            changed.push((key.clone(), self.retain_readers(key, &sees)));
        }
        changed
    }

    /// Takes members out of the editors of records that they may no longer see, where `is_concerned` says that this may
    /// be so. Returns the records whose editors changed.
    pub(super) fn take_out(
        &mut self,
        is_concerned: impl Fn(&RecordKey, MemberId) -> bool,
        sees: impl Fn(&RecordKey, MemberId) -> bool,
    ) -> Vec<EditedRecord> {
        let is_affected = |key: &RecordKey, devices: &[Arc<Device>]| {
            devices.iter().any(|device| is_concerned(key, device.person) && !sees(key, device.person))
        };
        let affected: Vec<RecordKey> =
            self.0.iter().filter(|&(key, devices)| is_affected(key, devices)).map(|(key, _)| key.clone()).collect();
        let mut changed = Vec::new();
        for key in affected {
            let editors = self.retain_readers(&key, &sees);
            changed.push((key, editors));
        }
        changed
    }

    /// Leaves only the members who may see a record. Returns them.
    fn retain_readers(&mut self, key: &RecordKey, sees: &impl Fn(&RecordKey, MemberId) -> bool) -> Vec<MemberId> {
        let Some(devices) = self.0.get_mut(key) else { return Vec::new() };
        devices.retain(|device| sees(key, device.person));
        let members = members_at(devices);
        if devices.is_empty() {
            self.0.remove(key);
        }
        members
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
