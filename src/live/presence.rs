//! Presence of members: while one of their devices is connected, and ten seconds longer, so that reloading a page does
//! not show them as gone for a moment.

use std::{
    collections::{HashMap, VecDeque},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use parking_lot::Mutex;
use tokio::{
    sync::Notify,
    time::{Instant, sleep_until},
};

use super::SessionImpact;
use crate::kernel::{MemberId, TenantId};

/// Devices of one session that may be connected at a time.
pub const MAX_DEVICES_PER_SESSION: usize = 5;
/// How long a member stays present after their last device disconnects. For e-mails they are away later: `app::AWAY`.
const PRESENCE_GRACE: Duration = Duration::from_secs(10);

/// The state of a member who is present.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PresenceState {
    /// Active at one of their devices.
    Active,
    /// Connected, but active at none of their devices.
    Idle,
}

/// Which limit of connected devices is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeviceLimit {
    /// The session's.
    Session,
    /// The tenant's.
    Tenant,
}

/// A connected device.
#[derive(Debug)]
pub(super) struct Device {
    pub(super) tenant: TenantId,
    pub(super) person: MemberId,
    session: [u8; 16],
    idle: AtomicBool,
    /// Whether its session may be over since it was last checked.
    needs_check: AtomicBool,
}

impl Device {
    /// Returns whether the session must be checked again, and resets that.
    pub(super) fn take_needs_check(&self) -> bool {
        self.needs_check.swap(false, Ordering::AcqRel)
    }
}

/// The members who are present, of all tenants.
#[derive(Clone)]
pub struct Presence(Arc<Inner>);

struct Inner {
    tenants: Mutex<HashMap<TenantId, TenantPresence>>,
    per_tenant: usize,
    grace: Duration,
    /// The ends of presence, earliest first because all members have the same `grace`.
    departures: Mutex<VecDeque<(Instant, TenantId, MemberId)>>,
    departed: Notify,
}

#[derive(Default)]
struct TenantPresence {
    people: HashMap<MemberId, MemberPresence>,
    devices: usize,
}

#[derive(Default)]
struct MemberPresence {
    devices: Vec<Arc<Device>>,
    /// Until when the member stays present after the last device, and their state at it.
    present_until: Option<(Instant, PresenceState)>,
}

impl MemberPresence {
    fn state(&self, now: Instant) -> Option<PresenceState> {
        if self.devices.is_empty() {
            return self.present_until.filter(|(until, _)| now < *until).map(|(_, state)| state);
        }
        let idle = self.devices.iter().all(|device| device.idle.load(Ordering::Relaxed));
        Some(if idle { PresenceState::Idle } else { PresenceState::Active })
    }
}

impl Presence {
    /// Creates an empty registry; `per_tenant` is the limit of connected devices of a tenant.
    pub fn new(per_tenant: usize) -> Self {
        Self::with_grace(per_tenant, PRESENCE_GRACE)
    }

    /// The same, with a given time for which members stay present after their last device.
    pub(super) fn with_grace(per_tenant: usize, grace: Duration) -> Self {
        Self(Arc::new(Inner {
            tenants: Mutex::default(),
            per_tenant,
            grace,
            departures: Mutex::default(),
            departed: Notify::new(),
        }))
    }

    /// The state of a member; `None` when they are not present.
    pub fn state_of(&self, tenant: TenantId, person: MemberId) -> Option<PresenceState> {
        self.0.tenants.lock().get(&tenant)?.people.get(&person)?.state(Instant::now())
    }

    /// Returns the number of connected devices.
    pub fn devices(&self) -> usize {
        self.0.tenants.lock().values().map(|tenant| tenant.devices).sum()
    }

    pub(super) fn join(
        &self,
        tenant: TenantId,
        person: MemberId,
        session: [u8; 16],
        idle: bool,
    ) -> Result<Arc<Device>, DeviceLimit> {
        let mut tenants = self.0.tenants.lock();
        let presence = tenants.entry(tenant).or_default();
        if presence.devices >= self.0.per_tenant {
            return Err(DeviceLimit::Tenant);
        }
        let devices = &mut presence.people.entry(person).or_default().devices;
        if devices.iter().filter(|device| device.session == session).count() >= MAX_DEVICES_PER_SESSION {
            return Err(DeviceLimit::Session);
        }
        // Unchecked from the start: the session may have ended since the request was authenticated.
        let idle = AtomicBool::new(idle);
        let needs_check = AtomicBool::new(true);
        let device = Arc::new(Device { tenant, person, session, idle, needs_check });
        devices.push(device.clone());
        presence.devices += 1;
        Ok(device)
    }

    pub(super) fn leave(&self, device: &Arc<Device>) {
        let mut tenants = self.0.tenants.lock();
        let Some(presence) = tenants.get_mut(&device.tenant) else { return };
        let Some(person) = presence.people.get_mut(&device.person) else { return };
        let before = person.devices.len();
        let now = Instant::now();
        let state = person.state(now).unwrap_or(PresenceState::Idle);
        person.devices.retain(|other| !Arc::ptr_eq(other, device));
        presence.devices -= before - person.devices.len();
        if person.devices.is_empty() {
            let until = now + self.0.grace;
            person.present_until = Some((until, state));
            self.0.departures.lock().push_back((until, device.tenant, device.person));
            self.0.departed.notify_one();
        }
    }

    /// Waits until a member's presence may have ended.
    pub(super) async fn next_departure(&self) -> (TenantId, MemberId) {
        loop {
            let next = self.0.departures.lock().front().map(|(due, ..)| *due);
            match next {
                Some(due) if due <= Instant::now() => {
                    let departure = self.0.departures.lock().pop_front();
                    if let Some((_, tenant, person)) = departure {
                        self.remove_departed(tenant, person);
                        return (tenant, person);
                    }
                }
                Some(due) => sleep_until(due).await,
                None => self.0.departed.notified().await,
            }
        }
    }

    fn remove_departed(&self, tenant: TenantId, person: MemberId) {
        let mut tenants = self.0.tenants.lock();
        let Some(presence) = tenants.get_mut(&tenant) else { return };
        if presence.people.get(&person).is_some_and(|one| one.state(Instant::now()).is_none()) {
            presence.people.remove(&person);
        }
        if presence.people.is_empty() {
            tenants.remove(&tenant);
        }
    }

    /// Sets whether the member is idle at a device. Returns whether that changed.
    pub(super) fn set_idle(device: &Device, idle: bool) -> bool {
        device.idle.swap(idle, Ordering::Relaxed) != idle
    }

    /// Marks the sessions that a change concerns, so that they are checked before they receive anything more.
    pub(super) fn mark_for_check(&self, tenant: TenantId, impact: SessionImpact) {
        let tenants = self.0.tenants.lock();
        let Some(presence) = tenants.get(&tenant) else { return };
        let is_concerned = |device: &Device| match impact {
            SessionImpact::None => false,
            SessionImpact::Member(person) => device.person == person,
            SessionImpact::Tenant => true,
        };
        for device in presence.people.values().flat_map(|person| &person.devices).filter(|device| is_concerned(device))
        {
            device.needs_check.store(true, Ordering::Release);
        }
    }
}
