//! What is told as the clock goes on: reminders to the minute, what is due today in the morning, digests at the hour
//! that each chose, all by the clocks where people live.

use std::{
    collections::{BTreeMap, BTreeSet},
    mem,
};

use super::{
    Inner, State,
    ledger::{MISSED, is_open, not_before},
};
use crate::{
    access::members::{Company, MemberRecord, MemberState, tenants},
    features::{
        events::{
            Event, notifications as events,
            reminders::{self, Reminder},
        },
        notifications::{DeliveryCursor, Digest, Preferences, digest},
        tasks::notifications as tasks,
    },
    kernel::{Day, MemberId, Result, TenantId, Timestamp},
    store::{Actor, TenantRead, TenantWrite},
};

/// The hour at which people are told what is due today.
const MORNING: u8 = 8;
/// What is due today, and digests, are told until so many milliseconds later.
const HALF_A_DAY: i64 = 12 * 60 * 60_000;
/// For how many milliseconds reminders are worked out ahead.
const AHEAD: i64 = 60 * 60_000;
/// After how many milliseconds the place is kept even though nothing was told.
const KEEP: i64 = 30 * 60_000;

/// How far a company's clock has been looked at, and what is to come.
pub(super) struct DueSchedule {
    /// Up to this moment all is told.
    at: Timestamp,
    /// The same as the store has it.
    kept: Timestamp,
    agenda: Option<Agenda>,
}

/// What was worked out from a company's records.
struct Agenda {
    /// Of the tables that it was worked out from.
    prints: [(u64, u64); 4],
    /// Up to when the reminders are known.
    until: Timestamp,
    reminders: Vec<Reminder>,
    zones: BTreeSet<String>,
    homes: BTreeMap<MemberId, String>,
    digests: Vec<(MemberId, Digest, u8)>,
}

/// What is due now.
#[derive(Default)]
struct Due {
    reminders: Vec<Reminder>,
    /// The days that began of late, each with those who live where it did.
    days: BTreeMap<Day, BTreeSet<MemberId>>,
    digests: Vec<(MemberId, Timestamp)>,
}

impl Due {
    fn is_empty(&self) -> bool {
        self.reminders.is_empty() && self.days.is_empty() && self.digests.is_empty()
    }
}

fn prints(tx: &TenantRead<'_>) -> Result<[(u64, u64); 4]> {
    Ok([
        tx.fingerprint::<Event>()?,
        tx.fingerprint::<MemberRecord>()?,
        tx.fingerprint::<Preferences>()?,
        tx.fingerprint::<Company>()?,
    ])
}

impl Agenda {
    fn of(tx: &TenantRead<'_>, from: Timestamp, now: Timestamp) -> Result<Self> {
        let prints = prints(tx)?;
        let company = Company::of(tx)?;
        let mut homes = BTreeMap::new();
        tx.each::<MemberRecord>(|member| {
            if member.state == MemberState::Active {
                let zone = member.timezone.clone().unwrap_or_else(|| company.timezone.clone());
                homes.insert(member.id.cast(), zone);
            }
            Ok(())
        })?;
        let mut digests = Vec::new();
        for member in homes.keys() {
            let chosen = Preferences::of(&tx.person(*member))?;
            if chosen.digest != Digest::Off {
                digests.push((*member, chosen.digest, chosen.digest_hour));
            }
        }
        let until = now.plus_millis(AHEAD);
        let reminders = reminders::between(tx, from, until, &homes)?;
        let zones = homes.values().cloned().collect();
        Ok(Self { prints, until, reminders, zones, homes, digests })
    }

    /// What comes after the moment up to which all is told, and up to now.
    fn due(&self, tx: &TenantRead<'_>, at: Timestamp, now: Timestamp) -> Result<Due> {
        let mut due = Due::default();
        let from = not_before(at, now, MISSED);
        due.reminders = self.reminders.iter().filter(|one| one.at > from && one.at <= now).cloned().collect();
        let from = not_before(at, now, HALF_A_DAY);
        let came = |moment: Timestamp| moment > from && moment <= now;
        for zone in &self.zones {
            let day = now.day_in(zone);
            if came(day.hour_in(MORNING, zone)) && !tasks::due_on(tx, day)?.is_empty() {
                let there = self.homes.iter().filter(|(_, home)| *home == zone).map(|(member, _)| *member);
                due.days.entry(day).or_default().extend(there);
            }
        }
        for (member, digest, hour) in &self.digests {
            let Some(zone) = self.homes.get(member) else { continue };
            let today = now.day_in(zone);
            let moments = [today.plus_days(-1), today].map(|day| digest.moment(day, *hour, zone));
            due.digests.extend(moments.into_iter().flatten().filter(|moment| came(*moment)).map(|at| (*member, at)));
        }
        Ok(due)
    }
}

impl Inner {
    /// Tells what became due since the last time, in every company.
    pub(super) async fn tick(&self, state: &mut State) -> Result<()> {
        let all = tenants(&self.store.snapshot()?)?;
        let heard = state.heard.unwrap_or_default();
        state.companies.retain(|tenant, _| all.contains(tenant));
        let mut failed = Ok(());
        for tenant in all {
            // One company's broken record is no reason for the others to hear nothing.
            match self.company(tenant, state.companies.remove(&tenant), heard).await {
                Ok(course) => drop(course.map(|course| state.companies.insert(tenant, course))),
                Err(error) => failed = Err(error),
            }
        }
        failed
    }

    async fn company(&self, tenant: TenantId, course: Option<DueSchedule>, heard: u64) -> Result<Option<DueSchedule>> {
        let now = self.store.clock().now();
        if !is_open(&self.store.snapshot()?.tenant(tenant, None))? {
            return Ok(course);
        }
        let mut course = match course {
            Some(course) => course,
            None => self.begin(tenant, heard, now).await?,
        };
        if now <= course.at {
            return Ok(Some(course));
        }
        let (at, agenda, store) = (course.at, mem::take(&mut course.agenda), self.store.clone());
        let work = move || {
            let snapshot = store.snapshot()?;
            let tx = snapshot.tenant(tenant, None);
            let fits = |agenda: &Agenda| -> Result<bool> { Ok(agenda.until >= now && agenda.prints == prints(&tx)?) };
            let agenda = match agenda {
                Some(agenda) if fits(&agenda)? => agenda,
                _ => Agenda::of(&tx, not_before(at, now, MISSED), now)?,
            };
            let due = agenda.due(&tx, at, now)?;
            Ok((agenda, due))
        };
        let (agenda, due) = crate::jobs::blocking(work).await?;
        if !due.is_empty() || now.millis() - course.kept.millis() >= KEEP {
            let work = move |tx: &TenantWrite<'_>| {
                // Whoever else told up to here has told this.
                if is_open(tx)? && DeliveryCursor::of(tx)?.is_none_or(|places| places.clock < now) {
                    tell(tx, &due)?;
                    DeliveryCursor { clock: now, ledger: heard }.advance(tx)?;
                }
                Ok(())
            };
            self.store.write(tenant, Actor::System, work).await?;
            course.kept = now;
        }
        (course.at, course.agenda) = (now, Some(agenda));
        Ok(Some(course))
    }

    /// Where to go on in a company: what is before the first look at it is never told.
    async fn begin(&self, tenant: TenantId, heard: u64, now: Timestamp) -> Result<DueSchedule> {
        let places = DeliveryCursor::of(&self.store.snapshot()?.tenant(tenant, None))?;
        let at = if let Some(places) = places {
            places.clock
        } else {
            let work = move |tx: &TenantWrite<'_>| DeliveryCursor { clock: now, ledger: heard }.advance(tx);
            self.store.write(tenant, Actor::System, work).await?;
            now
        };
        Ok(DueSchedule { at, kept: at, agenda: None })
    }
}

fn tell(tx: &TenantWrite<'_>, due: &Due) -> Result<()> {
    due.reminders.iter().try_for_each(|reminder| events::remind(tx, reminder))?;
    for (day, people) in &due.days {
        for (whose, tasks) in tasks::due_on(tx, *day)? {
            if people.contains(&whose) {
                tasks::tell_due(tx, whose, &tasks)?;
            }
        }
    }
    due.digests.iter().try_for_each(|(person, moment)| digest::write(tx, *person, *moment))
}
