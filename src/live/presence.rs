//! Who is there: while a device of theirs listens, and ten seconds longer, so that a page that is loaded anew
//! does not make anybody blink.

use std::{
    collections::{HashMap, VecDeque},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use tokio::{
    sync::Notify,
    time::{Instant, sleep_until},
};

use super::{SessionImpact, lock};
use crate::kernel::{MemberId, TenantId};

/// Devices of one session that may listen at a time.
pub const PER_SESSION: usize = 5;
/// How long somebody is still there after their last device.
const LINGER: Duration = Duration::from_secs(10);

/// That somebody is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PresenceState {
    /// At one of their devices.
    Active,
    /// Their devices are on, and they are at none of them.
    Idle,
}

/// Why nobody further may listen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Full {
    /// The session has as many devices as it may.
    Session,
    /// The company has.
    Company,
}

/// Something that listens.
#[derive(Debug)]
pub(super) struct Device {
    pub(super) tenant: TenantId,
    pub(super) person: MemberId,
    session: [u8; 16],
    idle: AtomicBool,
    /// Whether its session may be over since it was last looked at.
    suspect: AtomicBool,
}

impl Device {
    /// Whether the session is to be looked at again.
    pub(super) fn take_suspicion(&self) -> bool {
        self.suspect.swap(false, Ordering::AcqRel)
    }
}

/// Who is there, of all companies.
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
    /// Until when they are still there after the last device, and whether they were at it.
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
    /// Nobody; a company may have so many devices that listen at a time.
    #[must_use]
    pub fn new(per_company: usize) -> Self {
        Self::lingering(per_company, LINGER)
    }

    /// The same, where somebody is still there for so long after their last device.
    pub(super) fn lingering(per_company: usize, linger: Duration) -> Self {
        Self(Arc::new(Inner {
            companies: Mutex::default(),
            per_company,
            linger,
            leaving: Mutex::default(),
            left: Notify::new(),
        }))
    }

    /// Whether somebody is there.
    #[must_use]
    pub fn there(&self, tenant: TenantId, person: MemberId) -> Option<PresenceState> {
        lock(&self.0.companies).get(&tenant)?.people.get(&person)?.there(Instant::now())
    }

    pub(super) fn join(
        &self,
        tenant: TenantId,
        person: MemberId,
        session: [u8; 16],
        idle: bool,
    ) -> Result<Arc<Device>, Full> {
        let mut companies = lock(&self.0.companies);
        let company = companies.entry(tenant).or_default();
        if company.devices >= self.0.per_company {
            return Err(Full::Company);
        }
        let devices = &mut company.people.entry(person).or_default().devices;
        if devices.iter().filter(|device| device.session == session).count() >= PER_SESSION {
            return Err(Full::Session);
        }
        // Suspect from the start: the session may have ended since the request was let in.
        let (idle, suspect) = (AtomicBool::new(idle), AtomicBool::new(true));
        let device = Arc::new(Device { tenant, person, session, idle, suspect });
        devices.push(device.clone());
        company.devices += 1;
        Ok(device)
    }

    pub(super) fn leave(&self, device: &Arc<Device>) {
        let mut companies = lock(&self.0.companies);
        let Some(company) = companies.get_mut(&device.tenant) else { return };
        let Some(person) = company.people.get_mut(&device.person) else { return };
        let (before, now) = (person.devices.len(), Instant::now());
        let there = person.there(now).unwrap_or(PresenceState::Idle);
        person.devices.retain(|other| !Arc::ptr_eq(other, device));
        company.devices -= before - person.devices.len();
        if person.devices.is_empty() {
            let until = now + self.0.linger;
            person.left = Some((until, there));
            lock(&self.0.leaving).push_back((until, device.tenant, device.person));
            self.0.left.notify_one();
        }
    }

    /// Waits until somebody is no longer there, or may be.
    pub(super) async fn gone(&self) -> (TenantId, MemberId) {
        loop {
            let next = lock(&self.0.leaving).front().map(|(due, ..)| *due);
            match next {
                Some(due) if due <= Instant::now() => {
                    let left = lock(&self.0.leaving).pop_front();
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
        let mut companies = lock(&self.0.companies);
        let Some(company) = companies.get_mut(&tenant) else { return };
        if company.people.get(&person).is_some_and(|one| one.there(Instant::now()).is_none()) {
            company.people.remove(&person);
        }
        if company.people.is_empty() {
            companies.remove(&tenant);
        }
    }

    /// Notes whether somebody is at a device. Whether that is another than before.
    pub(super) fn set_idle(device: &Device, idle: bool) -> bool {
        device.idle.swap(idle, Ordering::Relaxed) != idle
    }

    /// Lets the sessions that a change concerns be looked at again before they hear anything further.
    pub(super) fn suspect(&self, tenant: TenantId, impact: SessionImpact) {
        let companies = lock(&self.0.companies);
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
