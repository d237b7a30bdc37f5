//! Scheduled notifications: reminders to the minute, tasks due today in the morning, and digests at the chosen hour,
//! all in each member's time zone.

use std::{
    collections::{BTreeMap, BTreeSet},
    mem,
};

use super::{
    Inner, State,
    ledger::{MISSED, is_open, not_before},
};
use crate::{
    features::{
        events::{
            Event, notifications as events,
            reminders::{self, Reminder},
        },
        notifications::{DeliveryCursor, Digest, Preferences, digest},
        tasks::notifications as tasks,
    },
    kernel::{Day, MemberId, Result, TenantId, Timestamp},
    people::members::{Company, MemberRecord, MemberState, tenants},
    store::{Actor, TenantRead, TenantWrite},
};

/// Hour of the day at which members are notified of tasks due today.
const MORNING: u8 = 8;
/// Milliseconds after which missed digests and notifications of tasks due today are dropped.
const HALF_A_DAY: i64 = 12 * 60 * 60_000;
/// How many milliseconds ahead reminders are computed.
const AHEAD: i64 = 60 * 60_000;
/// Milliseconds after which the cursor is stored even when nothing was sent.
const KEEP: i64 = 30 * 60_000;

/// Schedule of a tenant: how far it is processed, and what comes next.
pub(super) struct DueSchedule {
    /// Time up to which everything is sent.
    at: Timestamp,
    /// The same time as stored.
    kept: Timestamp,
    agenda: Option<Agenda>,
}

/// Upcoming items, computed from a tenant's records.
struct Agenda {
    /// Fingerprints of the tables that it was computed from.
    prints: [(u64, u64); 4],
    /// Time up to which the reminders are computed.
    until: Timestamp,
    reminders: Vec<Reminder>,
    zones: BTreeSet<String>,
    homes: BTreeMap<MemberId, String>,
    digests: Vec<(MemberId, Digest, u8)>,
}

/// Items that are due now.
#[derive(Default)]
struct Due {
    reminders: Vec<Reminder>,
    /// Days that began recently, each with the members in whose time zone it did.
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
                homes.insert(member.id, zone);
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

    /// Returns the items after `at`, the time up to which everything is sent, and up to `now`.
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
    /// Sends what became due since the last round, in every tenant.
    pub(super) async fn tick(&self, state: &mut State) -> Result<()> {
        let all = tenants(&self.store.snapshot()?)?;
        let heard = state.heard.unwrap_or_default();
        state.companies.retain(|tenant, _| all.contains(tenant));
        let mut failed = Ok(());
        for tenant in all {
            // A damaged record in one tenant must not block the others.
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
        let at = course.at;
        let agenda = mem::take(&mut course.agenda);
        let store = self.store.clone();
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
                // Another round that advanced the cursor to here has sent this.
                if is_open(tx)? && DeliveryCursor::of(tx)?.is_none_or(|places| places.clock < now) {
                    notify(tx, &due)?;
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

    /// Returns where to resume in a tenant. Items from before the first round are never sent.
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

fn notify(tx: &TenantWrite<'_>, due: &Due) -> Result<()> {
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
