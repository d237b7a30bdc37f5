//! Retention of personal data by status. A daily run moves the people into the bin who had neither contact nor change for
//! longer than their status allows; when they leave it after 30 days, they are erased.

use super::model::{MovedPeople, RetentionRun};
use crate::{
    feature::remove,
    features::{
        customers::{BY_CHANGE, Customer, Statuses, statuses::check_months},
        notifications::{NotificationDraft, NotificationKind, ParamValue, admins, notify},
        records::purge::KEPT_DAYS,
    },
    kernel::{Day, Error, Id, Result, TenantId, Timestamp, error::Faults, i18n::Locale, run_in_background},
    people::{
        audit::{self, Event},
        members::{Company, tenants},
        permission::Permission,
    },
    store::{ActEntry, Actor, Record as _, Scan, Store, Stored, TenantRead, TenantWrite, Verb},
};

/// The name of the threads that look for people who are due.
const THREAD: &str = "retention";
/// How many people one write moves, so that other writes do not wait for long.
const AT_ONCE: usize = 25;
/// How many people one read looks at.
const EXAMINED: usize = 2_000;
/// How many people a count looks at. It takes less than half a second.
const COUNTED: usize = 20_000;

/// Returns the first day from which a contact or change is recent enough on another day. One of the 31st of January is
/// recent enough for one month up to the last day of February.
fn first_kept_day(today: Day, months: u16) -> Day {
    let earlier = today.0.saturating_sub(jiff::Span::new().months(i64::from(months)));
    // The month is shorter: the day after its last one.
    let skipped = i64::from(earlier.day() < today.0.day());
    Day(earlier).plus_days(skipped)
}

/// The retention of a status on a day.
#[derive(Debug)]
struct Retention {
    status: String,
    months: u16,
    /// Contacts and changes before this time are too old.
    kept_from: Timestamp,
}

impl Retention {
    fn new(status: String, months: u16, company: &Company, now: Timestamp) -> Self {
        let zone = &company.timezone;
        let kept_from = first_kept_day(now.day_in(zone), months).start_in(zone);
        Self { status, months, kept_from }
    }

    /// Whether a person is due: the later of last contact and last change is too old.
    fn has_expired_for(&self, person: &Stored<Customer>) -> bool {
        let last = person.contact.last.map_or(person.updated_at, |contact| contact.max(person.updated_at));
        person.status == self.status && last < self.kept_from
    }

    /// Selects the people who were not changed since, the oldest change first.
    fn unchanged(kept_from: Timestamp) -> Scan {
        Scan::between(BY_CHANGE, [0; 8], kept_from.millis().max(0).to_be_bytes())
    }
}

/// The retentions of a company on a day.
struct Retentions(Vec<Retention>);

impl Retentions {
    fn of(tx: &TenantRead<'_>, company: &Company, now: Timestamp) -> Result<Self> {
        let statuses = Statuses::of(tx)?.statuses.into_iter();
        let retention = |(status, months): (String, Option<u16>)| Some(Retention::new(status, months?, company, now));
        Ok(Self(statuses.map(|status| (status.id, status.retention_months)).filter_map(retention).collect()))
    }

    /// Returns the retention that has expired for a person.
    fn expired_for(&self, person: &Stored<Customer>) -> Option<&Retention> {
        self.0.iter().find(|retention| retention.has_expired_for(person))
    }

    /// Returns some people who are due, and where the search continues. It reads the people in the order of their last
    /// change, up to the shortest retention.
    fn find_due(&self, tx: &TenantRead<'_>, after: Option<Vec<u8>>) -> Result<DuePage> {
        let Some(kept_from) = self.0.iter().map(|retention| retention.kept_from).max() else {
            return Ok(DuePage::default());
        };
        let scan = Retention::unchanged(kept_from).after(after).limit(AT_ONCE).examining(EXAMINED);
        let page = tx.page::<Customer>(&scan, |person| self.expired_for(person).is_some())?;
        Ok(DuePage { people: page.items.into_iter().map(|person| person.id).collect(), next: page.next })
    }
}

/// Some people who are due, and where the search continues.
#[derive(Default)]
struct DuePage {
    people: Vec<Id<Customer>>,
    next: Option<Vec<u8>>,
}

/// How many people are due.
#[derive(Debug, PartialEq, Eq)]
pub struct DuePeople {
    /// Their number.
    pub people: u32,
    /// Whether there may be more: the count looked at as many people as it may.
    pub has_more: bool,
}

/// Counts the people with a status who would be due now with a retention.
/// Errors: `invalid`.
pub fn count_due(tx: &TenantRead<'_>, now: Timestamp, status: &str, months: u16) -> Result<DuePeople> {
    let mut faults = Faults::default();
    if !Statuses::of(tx)?.offers(status) {
        faults.add("status", "errors.fields.unknown_choice");
    }
    check_months("months", months, &mut faults);
    faults.into_result()?;
    let retention = Retention::new(status.to_owned(), months, &*Company::of(tx)?, now);
    let mut people = 0;
    let scan = Retention::unchanged(retention.kept_from).limit(1).examining(COUNTED);
    let page = tx.page::<Customer>(&scan, |person| {
        people += u32::from(retention.has_expired_for(person));
        false
    })?;
    Ok(DuePeople { people, has_more: page.next.is_some() })
}

/// Moves the people of all companies who are due into the bin. Awaits `pause` after each step. A company has one run a day;
/// one that was interrupted goes on. Returns how many were moved.
/// Errors: that of the first company whose run failed, after those of the others.
pub async fn apply_retention<F: Future<Output = ()>>(store: &Store, pause: impl Fn() -> F) -> Result<u64> {
    let all = tenants(&store.snapshot()?)?;
    let mut moved = 0;
    let mut outcome = Ok(());
    for tenant in all {
        match apply_to(store, tenant, &pause).await {
            Ok(people) => moved += people,
            Err(error) => {
                tracing::warn!(%tenant, ?error, "retention of personal data could not be applied");
                outcome = outcome.and(Err(error));
            }
        }
    }
    outcome.map(|()| moved)
}

async fn apply_to<F: Future<Output = ()>>(store: &Store, tenant: TenantId, pause: &impl Fn() -> F) -> Result<u64> {
    if !is_due(&store.snapshot()?.tenant(tenant, None), store.clock().now())? {
        return Ok(0);
    }
    let mut moved = 0;
    let mut after = None;
    loop {
        let from = store.clone();
        let find = move || {
            let now = from.clock().now();
            let snapshot = from.snapshot()?;
            let tx = snapshot.tenant(tenant, None);
            Retentions::of(&tx, &*Company::of(&tx)?, now)?.find_due(&tx, after)
        };
        let DuePage { people, next } = run_in_background(THREAD, find).await?;
        if !people.is_empty() {
            moved += store.write(tenant, Actor::System, move |tx| move_people(tx, &people)).await?.0;
        }
        if next.is_none() {
            break;
        }
        after = next;
        pause().await;
    }
    store.write(tenant, Actor::System, end_run).await?;
    Ok(moved)
}

/// Whether a company has a run today that has not ended.
fn is_due(tx: &TenantRead<'_>, now: Timestamp) -> Result<bool> {
    let company = tx.find_intact::<Company>(Company::id(tx.tenant()))?;
    let Some(company) = company.filter(|company| !company.is_being_erased_or_imported()) else { return Ok(false) };
    let run = RetentionRun::stored(tx)?.map(|run| run.value).unwrap_or_default();
    if run.ended_on == Some(now.day_in(&company.timezone)) {
        return Ok(false);
    }
    Ok(!run.moved.is_empty() || !Retentions::of(tx, &company, now)?.0.is_empty())
}

/// Moves those of some people into the bin who are still due. Returns how many.
fn move_people(tx: &TenantWrite<'_>, people: &[Id<Customer>]) -> Result<u64> {
    let retentions = Retentions::of(tx, &*Company::of(tx)?, tx.now())?;
    let mut statuses = Vec::new();
    for id in people {
        let Some(person) = tx.find_intact::<Customer>(*id)? else { continue };
        let Some(retention) = retentions.expired_for(&person) else { continue };
        tx.as_parts(|| remove::<Customer>(tx, *id, true, None))?;
        tx.mark_retention(Id::from(id.uuid()), retention.months)?;
        statuses.push(person.value.status);
    }
    change_run(tx, |run| statuses.iter().for_each(|status| run.count(status)))?;
    u64::try_from(statuses.len()).map_err(Error::internal)
}

/// Ends the run of the day: notes in the audit log how many were moved, and notifies administrators.
fn end_run(tx: &TenantWrite<'_>) -> Result<()> {
    let company = Company::of(tx)?;
    let moved = RetentionRun::stored(tx)?.map(|run| run.value.moved).unwrap_or_default();
    if !moved.is_empty() {
        audit::write(tx, describe(tx, &moved, company.language())?)?;
        let people: u64 = moved.iter().map(|moved| moved.people).sum();
        let id = *tx.tenant().as_bytes();
        tx.note_act(ActEntry { id, verb: Verb::Removed, kind: Customer::KIND, count: people, title: None, by: None })?;
        notify(tx, &admins(tx)?, &draft(people, tx.now(), &company))?;
    }
    let today = tx.now().day_in(&company.timezone);
    change_run(tx, |run| {
        run.moved.clear();
        run.ended_on = Some(today);
    })
}

fn change_run(tx: &TenantWrite<'_>, change: impl FnOnce(&mut RetentionRun)) -> Result<()> {
    let id = RetentionRun::id(tx);
    if RetentionRun::stored(tx)?.is_some() {
        let change = |run: &mut RetentionRun| {
            change(run);
            Ok(())
        };
        return tx.update(id, None, change).map(drop);
    }
    let mut run = RetentionRun::default();
    change(&mut run);
    tx.create_at(id, run).map(drop)
}

/// Returns the entry of the audit log about a run, with the number of people of each status.
fn describe(tx: &TenantRead<'_>, moved: &[MovedPeople], locale: Locale) -> Result<Event> {
    let register = Statuses::of(tx)?;
    let mut event = Event::new("person.binned_by_retention");
    for MovedPeople { status, people } in moved {
        let name = register.find(status).map_or_else(|| status.clone(), |known| known.name_in(locale));
        event = event.with("people", format!("{name}: {people}"));
    }
    Ok(event)
}

fn draft(people: u64, now: Timestamp, company: &Company) -> NotificationDraft {
    let text_key =
        if people == 1 { "server.notifications.retention" } else { "server.notifications.retention.several" };
    let erased_on = now.day_in(&company.timezone).plus_days(KEPT_DAYS);
    let draft = NotificationDraft::new(NotificationKind::Retention, text_key, "/settings/data/bin".to_owned())
        .with_text("number", people.to_string())
        .with_param("day", ParamValue::Day(erased_on));
    NotificationDraft { right: Permission::BinEmpty, ..draft }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::TestApp;

    fn day(text: &str) -> Day {
        Day(text.parse().unwrap())
    }

    #[test]
    fn a_retention_ends_on_the_day_after_the_months() {
        for (today, months, expected) in [
            ("2026-03-15", 1, "2026-02-15"),
            ("2026-03-01", 1, "2026-02-01"),
            ("2026-02-28", 1, "2026-01-28"),
            // February has no 29th, 30th and 31st: a contact of the 28th is recent enough up to the 28th of March.
            ("2026-03-28", 1, "2026-02-28"),
            ("2026-03-29", 1, "2026-03-01"),
            ("2026-03-31", 1, "2026-03-01"),
            ("2028-03-29", 1, "2028-02-29"),
            ("2028-03-30", 1, "2028-03-01"),
            ("2028-02-29", 12, "2027-03-01"),
            ("2026-05-31", 3, "2026-03-01"),
            ("2026-12-31", 240, "2006-12-31"),
        ] {
            assert_eq!(first_kept_day(day(today), months), day(expected), "{today}, {months} months");
        }
    }

    /// A contact of a day is kept through the same day some months later, or the last day of that month.
    #[test]
    fn every_day_is_kept_through_the_months_after_it() {
        let mut last = day("2024-01-01");
        while last < day("2026-01-01") {
            for months in [1, 6, 13] {
                let kept_until = Day(last.0.saturating_add(jiff::Span::new().months(i64::from(months))));
                assert!(last >= first_kept_day(kept_until, months), "{last:?} on {kept_until:?}");
                assert!(last < first_kept_day(kept_until.plus_days(1), months), "{last:?} after {kept_until:?}");
            }
            last = last.plus_days(1);
        }
    }

    #[tokio::test]
    async fn a_person_who_was_changed_since_the_search_stays() {
        let app = TestApp::new().await;
        let work = |tx: &TenantWrite<'_>| {
            let mut statuses = Statuses::default();
            statuses.statuses[2].retention_months = Some(1);
            tx.create_at(Statuses::id(tx), statuses)?;
            let person = || Customer { name: "Ana".into(), status: "inactive".into(), ..Customer::default() };
            Ok([tx.create(person())?.id, tx.create(person())?.id])
        };
        let store = app.app.store();
        let people = store.write(app.acme.id, Actor::System, work).await.unwrap().0;
        app.clock.advance(60 * 24 * 3_600_000);
        let moved = move |tx: &TenantWrite<'_>| {
            tx.update(people[0], None, |person: &mut Customer| {
                person.about = Some("Called".into());
                Ok(())
            })?;
            let moved = move_people(tx, &people)?;
            Ok((moved, tx.find::<Customer>(people[0])?.is_some(), tx.find::<Customer>(people[1])?.is_some()))
        };
        let moved = store.write(app.acme.id, Actor::System, moved).await.unwrap().0;
        assert_eq!(moved, (1, true, false));
    }
}
