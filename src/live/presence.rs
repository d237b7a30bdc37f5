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
pub const PER_SESSION: usize = 5;
/// How long a member stays present after their last device disconnects.
const LINGER: Duration = Duration::from_secs(10);

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
pub enum Full {
    /// The session's.
    Session,
    /// The tenant's.
    Company,
}

/// A connected device.
#[derive(Debug)]
pub(super) struct Device {
    pub(super) tenant: TenantId,
    pub(super) person: MemberId,
    session: [u8; 16],
    idle: AtomicBool,
    /// Whether its session may be over since it was last checked.
    suspect: AtomicBool,
}

impl Device {
    /// Returns whether the session must be checked again, and resets that.
    pub(super) fn take_suspicion(&self) -> bool {
        self.suspect.swap(false, Ordering::AcqRel)
    }
}

/// The members who are present, of all tenants.
#[derive(Clone)]
pub struct Presence(Arc<Inner>);

struct Inner {
    companies: Mutex<HashMap<TenantId, Company>>,
    per_company: usize,
    linger: Duration,
    leaving: Mutex<VecDeque<(Instant, TenantId, MemberId)>>,
    left: Notify,
}

#[derive(Default)]
struct Company {
    people: HashMap<MemberId, Person>,
    devices: usize,
}

#[derive(Default)]
struct Person {
    devices: Vec<Arc<Device>>,
    /// Until when the member stays present after the last device, and their state at it.
    left: Option<(Instant, PresenceState)>,
}

impl Person {
    fn there(&self, now: Instant) -> Option<PresenceState> {
        if self.devices.is_empty() {
            return self.left.filter(|(until, _)| now < *until).map(|(_, there)| there);
        }
        let idle = self.devices.iter().all(|device| device.idle.load(Ordering::Relaxed));
        Some(if idle { PresenceState::Idle } else { PresenceState::Active })
    }
}

impl Presence {
    /// Creates an empty registry; `per_company` is the limit of connected devices of a tenant.
    pub fn new(per_company: usize) -> Self {
        Self::lingering(per_company, LINGER)
    }

    /// The same, with a given time for which members stay present after their last device.
    pub(super) fn lingering(per_company: usize, linger: Duration) -> Self {
        Self(Arc::new(Inner {
            companies: Mutex::default(),
            per_company,
            linger,
            leaving: Mutex::default(),
            left: Notify::new(),
        }))
    }

    /// The state of a member; `None` when they are not present.
    pub fn there(&self, tenant: TenantId, person: MemberId) -> Option<PresenceState> {
        self.0.companies.lock().get(&tenant)?.people.get(&person)?.there(Instant::now())
    }

    pub(super) fn join(
        &self,
        tenant: TenantId,
        person: MemberId,
        session: [u8; 16],
        idle: bool,
    ) -> Result<Arc<Device>, Full> {
        let mut companies = self.0.companies.lock();
        let company = companies.entry(tenant).or_default();
        if company.devices >= self.0.per_company {
            return Err(Full::Company);
        }
        let devices = &mut company.people.entry(person).or_default().devices;
        if devices.iter().filter(|device| device.session == session).count() >= PER_SESSION {
            return Err(Full::Session);
        }
        // Suspect from the start: the session may have ended since the request was authenticated.
        let idle = AtomicBool::new(idle);
        let suspect = AtomicBool::new(true);
        let device = Arc::new(Device { tenant, person, session, idle, suspect });
        devices.push(device.clone());
        company.devices += 1;
        Ok(device)
    }

    pub(super) fn leave(&self, device: &Arc<Device>) {
        let mut companies = self.0.companies.lock();
        let Some(company) = companies.get_mut(&device.tenant) else { return };
        let Some(person) = company.people.get_mut(&device.person) else { return };
        let before = person.devices.len();
        let now = Instant::now();
        let there = person.there(now).unwrap_or(PresenceState::Idle);
        person.devices.retain(|other| !Arc::ptr_eq(other, device));
        company.devices -= before - person.devices.len();
        if person.devices.is_empty() {
            let until = now + self.0.linger;
            person.left = Some((until, there));
            self.0.leaving.lock().push_back((until, device.tenant, device.person));
            self.0.left.notify_one();
        }
    }

    /// Waits until a member's presence may have ended.
    pub(super) async fn gone(&self) -> (TenantId, MemberId) {
        loop {
            let next = self.0.leaving.lock().front().map(|(due, ..)| *due);
            match next {
                Some(due) if due <= Instant::now() => {
                    let left = self.0.leaving.lock().pop_front();
                    if let Some((_, tenant, person)) = left {
                        self.forget(tenant, person);
                        return (tenant, person);
                    }
                }
                Some(due) => sleep_until(due).await,
                None => self.0.left.notified().await,
            }
        }
    }

    fn forget(&self, tenant: TenantId, person: MemberId) {
        let mut companies = self.0.companies.lock();
        let Some(company) = companies.get_mut(&tenant) else { return };
        if company.people.get(&person).is_some_and(|one| one.there(Instant::now()).is_none()) {
            company.people.remove(&person);
        }
        if company.people.is_empty() {
            companies.remove(&tenant);
        }
    }

    /// Sets whether the member is idle at a device. Returns whether that changed.
    pub(super) fn set_idle(device: &Device, idle: bool) -> bool {
        device.idle.swap(idle, Ordering::Relaxed) != idle
    }

    /// Marks the sessions that a change concerns, so that they are checked before they receive anything more.
    pub(super) fn suspect(&self, tenant: TenantId, impact: SessionImpact) {
        let companies = self.0.companies.lock();
        let Some(company) = companies.get(&tenant) else { return };
        let concerned = |device: &Device| match impact {
            SessionImpact::Nobody => false,
            SessionImpact::Member(person) => device.person == person,
            SessionImpact::Company => true,
        };
        for device in company.people.values().flat_map(|person| &person.devices).filter(|device| concerned(device)) {
            device.suspect.store(true, Ordering::Release);
        }
    }
}
