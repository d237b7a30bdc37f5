//! Operations on deals: validation, references and who may see them.

use super::{
    KIND,
    model::{Deal, DealOutcome},
    pipeline::Pipeline,
};
use crate::{
    feature::{FormerAudience, KindRecord as _, ensure_may_share},
    features::{
        customers::Customer,
        organizations::Organization,
        records::{
            activities::dates::follow_audience, check_day, check_past_time, check_reference, fields::check_values,
            get_visible,
        },
    },
    kernel::{Day, Id, Result, error::Faults},
    people::{members::MemberRecord, permission::Reader},
    store::{Stored, TenantRead, TenantWrite},
};

/// Creates a deal, in the first stage if it has none.
/// Errors: `invalid`.
pub fn create(tx: &TenantWrite<'_>, mut deal: Deal) -> Result<Stored<Deal>> {
    let author = tx.actor().member();
    if deal.stage_id.is_empty() {
        deal.stage_id = Pipeline::of(tx)?.first_stage();
    }
    check(tx, &mut deal, None)?;
    deal.visibility.check(tx, author, None)?;
    tx.create(deal)
}

/// Changes a deal; `expected` is the version that the caller read, if given.
/// Errors: `not_found`, also for a deal that the reader may not see; `stale_version`, `invalid`; `forbidden` when the
/// reader is neither the author nor may see all deals, and others would see the deal or no longer see it.
pub fn change(
    tx: &TenantWrite<'_>,
    reader: Reader,
    id: Id<Deal>,
    expected: Option<u64>,
    change: impl FnOnce(Deal) -> Deal,
) -> Result<Stored<Deal>> {
    let before = get_visible::<Deal>(tx, reader, id)?;
    let deal = tx.update(id, expected, |deal| {
        let mut new = change(before.value.clone());
        check(tx, &mut new, Some(&before))?;
        limit(tx, reader, &before, &mut new)?;
        *deal = new;
        Ok(())
    })?;
    let audience = Deal::audience(&deal);
    if audience != Deal::audience(&before) {
        follow_audience(tx, &KIND, id.uuid(), &audience)?;
    }
    Ok(deal)
}

/// Checks a change of the visibility, and notes who no longer sees the deal.
fn limit(tx: &TenantRead<'_>, reader: Reader, before: &Stored<Deal>, new: &mut Deal) -> Result<()> {
    new.visibility.check(tx, before.created_by, Some(&before.visibility))?;
    let audience = new.audience_with(before.created_by);
    let chosen = |deal: &Deal| deal.visibility.audience(before.created_by);
    let field = if chosen(before) == chosen(new) { "ownerId" } else { "visibility" };
    let changes = [(Deal::audience(before), audience.clone()), (chosen(before), chosen(new))];
    ensure_may_share(reader, before, &changes, field)?;
    let earlier = new.former_audience.take();
    new.former_audience = FormerAudience::after_change(earlier, &Deal::audience(before), &audience, before.version + 1);
    Ok(())
}

/// Normalizes and validates a deal. References that were there before may no longer resolve; only new ones must.
fn check(tx: &TenantWrite<'_>, deal: &mut Deal, old: Option<&Stored<Deal>>) -> Result<()> {
    let old = old.map(|old| &old.value);
    let mut faults = Faults::default();
    deal.tidy();
    deal.check(&mut faults);
    let day_before = old.and_then(|old| old.expected_day);
    check_day(tx, "expectedDay", (deal.expected_day, day_before), Day::PLANNED, &mut faults);
    // A negative value from before this rule stays until it is changed.
    let has_worth_of = |old: &Deal| old.worth == deal.worth;
    if deal.worth.as_ref().is_some_and(|worth| worth.amount < 0) && !old.is_some_and(has_worth_of) {
        faults.add("value.amount", "errors.fields.negative");
    }
    deal.drop_reason_of_open();
    check_reference::<Customer, _>(tx, (deal, old), "customerId", |one| one.customer_id, &mut faults)?;
    check_reference::<Organization, _>(tx, (deal, old), "organizationId", |one| one.organization_id, &mut faults)?;
    check_reference::<MemberRecord, _>(tx, (deal, old), "ownerId", |one| one.owner_id, &mut faults)?;
    let pipeline = Pipeline::of(tx)?;
    let had_stage = old.is_some_and(|old| old.stage_id == deal.stage_id);
    if !had_stage && pipeline.stage(&deal.stage_id).is_none() {
        faults.add("stageId", "errors.fields.unknown_reference");
    }
    let kept_reason = old.is_some_and(|old| (old.outcome, &old.reason_id) == (deal.outcome, &deal.reason_id));
    if let Some(reason) = deal.reason_id.as_deref().filter(|_| !kept_reason)
        && !pipeline.offers_reason(reason, deal.outcome)
    {
        faults.add("reasonId", "errors.fields.unknown_reference");
    }
    check_values::<Deal>(tx, &mut deal.fields, old.map(|old| &old.fields), &mut faults)?;
    let is_closed = deal.outcome != DealOutcome::Open;
    deal.closed_at = is_closed.then(|| deal.closed_at.unwrap_or_else(|| tx.now()));
    check_past_time(tx, "closedAt", (deal.closed_at, old.and_then(|old| old.closed_at)), &mut faults);
    faults.into_result()
}
