//! Scheduled notifications: reminders to the minute, tasks due today in the morning, and digests at the chosen hour,
//! all in each member's time zone.

use std::{
    collections::{BTreeMap, BTreeSet},
    mem,
};

use super::{
    Inner, State,
    ledger::{MAX_LATE_MILLIS, is_active_tenant, limit_lateness},
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
    kernel::{Day, MemberId, Result, TenantId, Timestamp, run_blocking},
    people::members::{Company, MemberRecord, MemberState, tenants},
    store::{Actor, TenantRead, TenantWrite},
};

/// Hour of the day at which members are notified of tasks due today.
const DUE_TASKS_HOUR: u8 = 8;
/// Milliseconds after which missed digests and notifications of tasks due today are dropped.
const MAX_DAILY_LATE_MILLIS: i64 = 12 * 60 * 60_000;
/// How many milliseconds ahead reminders are computed.
const LOOKAHEAD_MILLIS: i64 = 60 * 60_000;
/// Milliseconds after which the cursor is stored even when nothing was sent.
const CURSOR_INTERVAL_MILLIS: i64 = 30 * 60_000;

/// Schedule of a tenant: how far it is processed, and what comes next.
pub(super) struct DueSchedule {
    /// Time up to which everything is sent.
    sent_until: Timestamp,
    /// The same time as stored.
    stored_until: Timestamp,
    agenda: Option<Agenda>,
}

/// Upcoming items, computed from a tenant's records.
struct Agenda {
    /// Fingerprints of the tables that it was computed from; it is computed again when one changes.
    fingerprints: Fingerprints,
    /// Time up to which the reminders are computed.
    reminders_until: Timestamp,
    reminders: Vec<Reminder>,
    zones: BTreeSet<String>,
    zone_of: BTreeMap<MemberId, String>,
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

/// One for each table that `Agenda::of` reads.
type Fingerprints = [(u64, u64); 4];

fn fingerprints(tx: &TenantRead<'_>) -> Result<Fingerprints> {
    Ok([
        tx.fingerprint::<Event>()?,
        tx.fingerprint::<MemberRecord>()?,
        tx.fingerprint::<Preferences>()?,
        tx.fingerprint::<Company>()?,
    ])
}

impl Agenda {
    fn of(tx: &TenantRead<'_>, from: Timestamp, now: Timestamp) -> Result<Self> {
        let fingerprints = fingerprints(tx)?;
        let company = Company::of(tx)?;
        let mut zone_of = BTreeMap::new();
        tx.each::<MemberRecord>(|member| {
            if member.state == MemberState::Active {
                let zone = member.timezone.clone().unwrap_or_else(|| company.timezone.clone());
                zone_of.insert(member.id, zone);
            }
            Ok(())
        })?;
        let mut digests = Vec::new();
        for member in zone_of.keys() {
            let preferences = Preferences::of(&tx.person(*member))?;
            if preferences.digest != Digest::Off {
                digests.push((*member, preferences.digest, preferences.digest_hour));
            }
        }
        let reminders_until = now.plus_millis(LOOKAHEAD_MILLIS);
        let reminders = reminders::between(tx, from, reminders_until, &zone_of)?;
        let zones = zone_of.values().cloned().collect();
        Ok(Self { fingerprints, reminders_until, reminders, zones, zone_of, digests })
    }

    /// Returns the items after `sent_until` and up to `now`.
    fn due(&self, tx: &TenantRead<'_>, sent_until: Timestamp, now: Timestamp) -> Result<Due> {
        let mut due = Due::default();
        let from = limit_lateness(sent_until, now, MAX_LATE_MILLIS);
        due.reminders = self.reminders.iter().filter(|one| one.at > from && one.at <= now).cloned().collect();
        let from = limit_lateness(sent_until, now, MAX_DAILY_LATE_MILLIS);
        let is_due = |time: Timestamp| time > from && time <= now;
        for zone in &self.zones {
            let day = now.day_in(zone);
            if is_due(day.hour_in(DUE_TASKS_HOUR, zone)) && !tasks::due_on(tx, day)?.is_empty() {
                let members = self.zone_of.iter().filter(|(_, other)| *other == zone).map(|(member, _)| *member);
                due.days.entry(day).or_default().extend(members);
            }
        }
        for (member, digest, hour) in &self.digests {
            let Some(zone) = self.zone_of.get(member) else { continue };
            let today = now.day_in(zone);
            let times = [today.plus_days(-1), today].map(|day| digest.time_on(day, *hour, zone));
            due.digests.extend(times.into_iter().flatten().filter(|time| is_due(*time)).map(|time| (*member, time)));
        }
        Ok(due)
    }
}

impl Inner {
    /// Sends what became due since the last round, in every tenant.
    pub(super) async fn send_due(&self, state: &mut State) -> Result<()> {
        let all = tenants(&self.store.snapshot()?)?;
        let processed = state.processed.unwrap_or_default();
        state.schedules.retain(|tenant, _| all.contains(tenant));
        let mut failed = Ok(());
        for tenant in all {
            // A damaged record in one tenant must not block the others.
            match self.send_due_in(tenant, state.schedules.remove(&tenant), processed).await {
                Ok(schedule) => drop(schedule.map(|schedule| state.schedules.insert(tenant, schedule))),
                Err(error) => failed = Err(error),
            }
        }
        failed
    }

    async fn send_due_in(
        &self,
        tenant: TenantId,
        schedule: Option<DueSchedule>,
        processed: u64,
    ) -> Result<Option<DueSchedule>> {
        let now = self.store.clock().now();
        if !is_active_tenant(&self.store.snapshot()?.tenant(tenant, None))? {
            return Ok(schedule);
        }
        let mut schedule = match schedule {
            Some(schedule) => schedule,
            None => self.start_schedule(tenant, processed, now).await?,
        };
        if now <= schedule.sent_until {
            return Ok(Some(schedule));
        }
        let sent_until = schedule.sent_until;
        let agenda = mem::take(&mut schedule.agenda);
        let store = self.store.clone();
        let work = move || {
            let snapshot = store.snapshot()?;
            let tx = snapshot.tenant(tenant, None);
            let is_current = |agenda: &Agenda| -> Result<bool> {
                Ok(agenda.reminders_until >= now && agenda.fingerprints == fingerprints(&tx)?)
            };
            let agenda = match agenda {
                Some(agenda) if is_current(&agenda)? => agenda,
                _ => Agenda::of(&tx, limit_lateness(sent_until, now, MAX_LATE_MILLIS), now)?,
            };
            let due = agenda.due(&tx, sent_until, now)?;
            Ok((agenda, due))
        };
        let (agenda, due) = run_blocking(work).await?;
        if !due.is_empty() || now.millis() - schedule.stored_until.millis() >= CURSOR_INTERVAL_MILLIS {
            let work = move |tx: &TenantWrite<'_>| {
                // Another round that advanced the cursor to here has sent this.
                if is_active_tenant(tx)? && DeliveryCursor::of(tx)?.is_none_or(|cursor| cursor.clock < now) {
                    notify(tx, &due)?;
                    DeliveryCursor { clock: now, ledger: processed }.advance(tx)?;
                }
                Ok(())
            };
            self.store.write(tenant, Actor::System, work).await?;
            schedule.stored_until = now;
        }
        (schedule.sent_until, schedule.agenda) = (now, Some(agenda));
        Ok(Some(schedule))
    }

    /// Returns where to resume in a tenant. Items from before the first round are never sent.
    async fn start_schedule(&self, tenant: TenantId, processed: u64, now: Timestamp) -> Result<DueSchedule> {
        let cursor = DeliveryCursor::of(&self.store.snapshot()?.tenant(tenant, None))?;
        let sent_until = if let Some(cursor) = cursor {
            cursor.clock
        } else {
            let work = move |tx: &TenantWrite<'_>| DeliveryCursor { clock: now, ledger: processed }.advance(tx);
            self.store.write(tenant, Actor::System, work).await?;
            now
        };
        Ok(DueSchedule { sent_until, stored_until: sent_until, agenda: None })
    }
}

fn notify(tx: &TenantWrite<'_>, due: &Due) -> Result<()> {
    due.reminders.iter().try_for_each(|reminder| events::remind(tx, reminder))?;
    for (day, people) in &due.days {
        for (member, tasks) in tasks::due_on(tx, *day)? {
            if people.contains(&member) {
                tasks::notify_due(tx, member, &tasks)?;
            }
        }
    }
    due.digests.iter().try_for_each(|(member, time)| digest::queue_digest(tx, *member, *time))
}
