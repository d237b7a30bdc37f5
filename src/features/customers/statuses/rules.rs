//! Changing the statuses of a company's customers, and moving customers out of removed ones.

use std::net::IpAddr;

use super::model::{RemovedStatus, STATUSES, Status, Statuses, first_name};
use crate::{
    feature::Color,
    features::customers::{Customer, model::BY_STATUS},
    kernel::{Code, Error, Id, Result, error::Faults, i18n::Locale, text},
    people::{
        audit::{self, Event},
        members::Company,
    },
    store::{Actor, Record as _, Scan, Stored, TenantRead, TenantWrite},
};

/// How many customers one write moves, so that other writes do not wait for long.
const AT_ONCE: usize = 25;

/// A status of a change; without an id it is new.
#[derive(Debug)]
pub struct StatusDraft {
    /// The id.
    pub id: Option<String>,
    /// The name.
    pub name: String,
    /// The color.
    pub color: Color,
    /// After how many months without contact or change its customers are removed and erased; none if they are kept.
    pub retention_months: Option<u16>,
}

/// A change of the statuses.
#[derive(Debug)]
pub struct StatusesChange {
    /// All statuses in their order.
    pub statuses: Vec<StatusDraft>,
    /// The statuses that take the place of removed ones, by their ids.
    pub moves: Vec<(String, String)>,
}

/// Changes the statuses. `move_some` moves the customers of removed ones. `expected` is the version that the caller read,
/// if given.
/// Errors: `stale_version`; `invalid`, also when a removed status has customers and none takes its place.
pub fn change(
    tx: &TenantWrite<'_>,
    expected: Option<u64>,
    (locale, from): (Locale, IpAddr),
    change: StatusesChange,
) -> Result<Stored<Statuses>> {
    let stored = Statuses::stored(tx)?;
    if expected.is_some_and(|version| version != Statuses::version(stored.as_ref())) {
        return Err(Error::new(Code::StaleVersion));
    }
    let has_stored = stored.is_some();
    let old = stored.map(|stored| stored.value).unwrap_or_default();
    let before = old.statuses.clone();
    let new = changed(tx, old, locale, change)?;
    let retentions = retention_changes(&before, &new.statuses, locale);
    let id = Statuses::id(tx);
    let kept = if has_stored {
        tx.update(id, None, |statuses: &mut Statuses| {
            *statuses = new;
            Ok(())
        })?
    } else {
        tx.create_at(id, new)?
    };
    audit::write(tx, Event::new("customer_statuses.changed").from_address(from.to_string()))?;
    for event in retentions {
        audit::write(tx, event.from_address(from.to_string()))?;
    }
    Ok(kept)
}

/// Returns an event of the audit log for each status whose retention was changed, also by removing the status. No months
/// are 0.
fn retention_changes(before: &[Status], after: &[Status], locale: Locale) -> Vec<Event> {
    let months_in = |statuses: &[Status], id: &str| {
        statuses.iter().find(|status| status.id == id).and_then(|status| status.retention_months).unwrap_or(0)
    };
    let removed = before.iter().filter(|status| after.iter().all(|kept| kept.id != status.id));
    let mut events = Vec::new();
    for status in after.iter().chain(removed) {
        let was = months_in(before, &status.id);
        let months = months_in(after, &status.id);
        if was != months {
            let event = Event::new("customer_statuses.retention").with("status", status.name_in(locale));
            events.push(event.with("monthsBefore", was.to_string()).with("months", months.to_string()));
        }
    }
    events
}

/// Returns the statuses after a change.
/// Errors: `invalid`.
fn changed(tx: &TenantWrite<'_>, old: Statuses, locale: Locale, change: StatusesChange) -> Result<Statuses> {
    let StatusesChange { statuses, moves } = change;
    let mut faults = Faults::default();
    if statuses.is_empty() {
        faults.add("statuses", "errors.fields.required");
    }
    faults.few("statuses", statuses.len(), STATUSES);
    faults.few("moves", moves.len(), STATUSES);
    faults.into_result()?;

    let mut faults = Faults::default();
    let mut new = Statuses { statuses: Vec::with_capacity(statuses.len()), removed: old.removed.clone() };
    for (at, StatusDraft { id, name, color, retention_months }) in statuses.into_iter().enumerate() {
        let path = format!("statuses.{at}.id");
        if id.as_ref().is_some_and(|id| !old.offers(id)) {
            faults.add(path, "errors.fields.unknown_reference");
        } else if id.as_ref().is_some_and(|id| new.offers(id)) {
            faults.add(path, "errors.fields.twice");
        }
        let id = id.unwrap_or_else(|| tx.new_id::<()>().to_string());
        let name = Some(text::line(&name)).filter(|name| *name != first_name(locale, &id));
        new.statuses.push(Status { id, name, color, retention_months });
    }
    new.check_names(locale, &mut faults);
    new.check_retentions(&mut faults);
    for (at, (from, to)) in moves.iter().enumerate() {
        if !old.offers(from) || new.offers(from) {
            faults.add(format!("moves.{at}.from"), "errors.fields.unknown_reference");
        }
        if !new.offers(to) {
            faults.add(format!("moves.{at}.to"), "errors.fields.unknown_reference");
        }
    }
    faults.into_result()?;

    for status in old.statuses.into_iter().filter(|status| !new.offers(&status.id)).collect::<Vec<_>>() {
        let is_in_use = tx.count_with(BY_STATUS, &status.id, 1)? > 0;
        let named = moves.iter().find(|(from, _)| *from == status.id).map(|(_, to)| to.clone());
        if is_in_use && named.is_none() {
            return Err(Error::field("moves", "errors.fields.status_in_use"));
        }
        let replaced_by = named.unwrap_or_else(|| new.first());
        for earlier in new.removed.iter_mut().filter(|earlier| earlier.replaced_by == status.id) {
            earlier.replaced_by.clone_from(&replaced_by);
        }
        new.add_removed(RemovedStatus { status, replaced_by, author: tx.actor().member(), is_in_use });
    }
    Ok(new)
}

/// Returns the statuses of the company and the removed one whose customers are moved next, if there is one.
fn next_removed(tx: &TenantRead<'_>) -> Result<Option<(Stored<Statuses>, RemovedStatus)>> {
    let company = tx.find_intact::<Company>(Company::id(tx.tenant()))?;
    if company.is_none_or(|company| company.is_being_erased_or_imported()) {
        return Ok(None);
    }
    let Some(statuses) = tx.find_intact::<Statuses>(Statuses::id(tx))? else { return Ok(None) };
    let removed = statuses.being_replaced().next().cloned();
    Ok(removed.map(|removed| (statuses, removed)))
}

/// Returns the id of the statuses, if customers are being moved out of removed ones.
pub fn waiting(tx: &TenantRead<'_>) -> Result<Option<Id<Statuses>>> {
    Ok(next_removed(tx)?.map(|(statuses, _)| statuses.id))
}

/// Returns who moves the next customers: the member who removed their status.
pub fn actor(tx: &TenantRead<'_>) -> Result<Option<Actor>> {
    Ok(next_removed(tx)?.map(|(_, removed)| Actor::of(removed.author)))
}

/// Moves some customers out of the next removed status. Returns whether there may be more to do.
pub fn move_some(tx: &TenantWrite<'_>) -> Result<bool> {
    let Some((statuses, RemovedStatus { status, replaced_by, .. })) = next_removed(tx)? else { return Ok(false) };
    let customers = tx.page::<Customer>(&Scan::with(BY_STATUS, &status.id).limit(AT_ONCE), |_| true)?.items;
    if customers.is_empty() {
        // This is no change by a member: the version that a form has read stays.
        tx.rewrite(&statuses, |statuses| {
            for removed in statuses.removed.iter_mut().filter(|removed| removed.status.id == status.id) {
                removed.is_in_use = false;
            }
        })?;
    }
    for customer in customers {
        // The change of the statuses is the act.
        tx.as_parts(|| {
            tx.update(customer.id, None, |customer: &mut Customer| {
                customer.status.clone_from(&replaced_by);
                Ok(())
            })
        })?;
    }
    Ok(true)
}
