//! Changing a company's pipeline.

use std::net::IpAddr;

use serde::{Deserialize, Serialize};

use super::model::{Pipeline, PlannedPipeline, Reason, STAGES, Stage};
use crate::{
    features::deals::{Deal, DealOutcome, model::BY_STAGE},
    kernel::{
        Code, Error, Result,
        error::Faults,
        i18n::{Locale, say},
        text,
    },
    people::audit::{self, Event},
    store::{Scan, TenantWrite},
};

/// How many deals one write moves, so that other writes do not wait for long.
const AT_ONCE: usize = 25;
/// Seconds after which a change may be tried again while an earlier one moves deals.
const RETRY_SECONDS: u32 = 1;

/// A stage or reason of a change; without an id it is new.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Named<T> {
    /// The id.
    pub id: Option<String>,
    /// The name.
    pub name: String,
    /// What else is known of it.
    pub more: T,
}

/// A change of a pipeline.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PipelineChange {
    /// All stages in their order, with their probabilities.
    pub stages: Option<Vec<Named<u8>>>,
    /// All reasons that can be chosen, in their order.
    pub reasons: Option<Vec<Named<DealOutcome>>>,
    /// The stages that take the place of removed ones, by their ids.
    pub moves: Vec<(String, String)>,
}

/// Begins a change of the pipeline: moves some deals out of the stages that it removes, or changes the pipeline when there
/// are none. The others are moved in the background, also after a restart; then the pipeline changes. `expected` is the
/// version that the caller read, if given. Returns whether deals are left to move.
/// Errors: `stale_version`; `invalid`, also when a removed stage has deals and none takes its place; `busy` while an earlier
/// change moves deals.
pub fn begin(
    tx: &TenantWrite<'_>,
    expected: Option<u64>,
    (locale, from): (Locale, IpAddr),
    change: PipelineChange,
) -> Result<bool> {
    if tx.find_intact::<PlannedPipeline>(Pipeline::id(tx))?.is_some() {
        return Err(Error::new(Code::Busy).retry_after(RETRY_SECONDS).with_detail("deals are leaving a removed stage"));
    }
    let version = Pipeline::version(Pipeline::stored(tx)?.as_ref());
    if expected.is_some_and(|expected| expected != version) {
        return Err(Error::new(Code::StaleVersion));
    }
    let planned = PlannedPipeline { change, locale: locale.code().to_owned(), from };
    let has_more = advance(tx, &planned)?;
    if has_more {
        tx.create_at(Pipeline::id(tx), planned)?;
    }
    Ok(has_more)
}

/// Makes the next step of the planned change. Returns whether there is more to do.
pub fn go_on(tx: &TenantWrite<'_>) -> Result<bool> {
    let id = Pipeline::id(tx);
    let Some(planned) = tx.find::<PlannedPipeline>(id)? else { return Ok(false) };
    let has_more = advance(tx, &planned)?;
    if !has_more {
        tx.remove::<PlannedPipeline>(id, None)?;
    }
    Ok(has_more)
}

/// Ends a planned change that cannot go on. Deals that were moved stay where they are.
pub fn give_up(tx: &TenantWrite<'_>) -> Result<()> {
    match tx.find_intact::<PlannedPipeline>(Pipeline::id(tx))? {
        Some(_) => tx.remove::<PlannedPipeline>(Pipeline::id(tx), None).map(drop),
        None => Ok(()),
    }
}

/// Moves some deals out of the stages that a change removes; when there are none, changes the pipeline. Returns whether it
/// moved some.
fn advance(tx: &TenantWrite<'_>, planned: &PlannedPipeline) -> Result<bool> {
    let PlannedPipeline { change, locale, from } = planned;
    let stored = Pipeline::stored(tx)?;
    let is_first = stored.is_none();
    let old = stored.map(|stored| stored.value).unwrap_or_default();
    let new = changed(tx, &old, Locale::parse(locale).unwrap_or(Locale::EN), change)?;
    let removed: Vec<&Stage> = old.stages.iter().filter(|stage| new.stage(&stage.id).is_none()).collect();
    let place_of = |stage: &Stage| {
        let named = change.moves.iter().find(|(from, to)| *from == stage.id && new.stage(to).is_some());
        named.map(|(_, to)| to)
    };
    for stage in &removed {
        if place_of(stage).is_none() && tx.count_with(BY_STAGE, &stage.id, 1)? > 0 {
            return Err(Error::field("moves", "errors.fields.stage_in_use"));
        }
    }
    for stage in removed {
        if let Some(to) = place_of(stage)
            && move_some(tx, stage, to)?
        {
            return Ok(true);
        }
    }
    let id = Pipeline::id(tx);
    if is_first {
        tx.create_at(id, new)?;
    } else {
        tx.update(id, None, |pipeline: &mut Pipeline| {
            *pipeline = new;
            Ok(())
        })?;
    }
    audit::write(tx, Event::new("pipeline.changed").from_address(from.to_string()))?;
    Ok(false)
}

/// Moves some deals of a removed stage to the one that takes its place. Returns whether there were any.
fn move_some(tx: &TenantWrite<'_>, stage: &Stage, to: &str) -> Result<bool> {
    let deals = tx.page::<Deal>(&Scan::with(BY_STAGE, &stage.id).limit(AT_ONCE), |_| true)?.items;
    let has_any = !deals.is_empty();
    for deal in deals {
        // The change of the pipeline is the act.
        tx.as_parts(|| {
            tx.update(deal.id, None, |deal: &mut Deal| {
                to.clone_into(&mut deal.stage_id);
                Ok(())
            })
        })?;
    }
    Ok(has_any)
}

/// Returns the pipeline after a change.
/// Errors: `invalid`.
fn changed(tx: &TenantWrite<'_>, old: &Pipeline, locale: Locale, change: &PipelineChange) -> Result<Pipeline> {
    let mut faults = Faults::default();
    faults.few("moves", change.moves.len(), STAGES);
    let mut new = old.clone();
    if let Some(stages) = &change.stages {
        let known: Vec<String> = old.stages.iter().map(|stage| stage.id.clone()).collect();
        let ids = ids(tx, "stages", stages, &known, &mut faults);
        let stage = |(stage, id): (&Named<u8>, String)| Stage {
            name: name(locale, "stages", &id, &stage.name),
            id,
            probability: stage.more,
        };
        new.stages = stages.iter().zip(ids).map(stage).collect();
    }
    if let Some(reasons) = &change.reasons {
        let known: Vec<String> = old.reasons.iter().map(|reason| reason.id.clone()).collect();
        let ids = ids(tx, "reasons", reasons, &known, &mut faults);
        let reason = |(reason, id): (&Named<DealOutcome>, String)| Reason {
            name: name(locale, "reasons", &id, &reason.name),
            id,
            outcome: reason.more,
            removed: false,
        };
        new.reasons = reasons.iter().zip(ids).map(reason).collect();
        let is_left = |reason: &&Reason| new.reasons.iter().all(|kept| kept.id != reason.id);
        let left: Vec<Reason> = old.reasons.iter().filter(is_left).cloned().collect();
        new.reasons.extend(left.into_iter().map(|reason| Reason { removed: true, ..reason }));
        for (at, _) in reasons.iter().enumerate().filter(|(_, reason)| reason.more == DealOutcome::Open) {
            let params = vec![("values", "won, lost".to_owned())];
            faults.add_with(format!("reasons.{at}.outcome"), "errors.fields.enum", params);
        }
    }
    new.check(&mut faults);
    faults.into_result().map(|()| new)
}

/// Returns the ids of stages or reasons: their own, or new ones.
fn ids<T>(tx: &TenantWrite<'_>, path: &str, named: &[Named<T>], known: &[String], faults: &mut Faults) -> Vec<String> {
    let mut ids: Vec<String> = Vec::with_capacity(named.len());
    for (at, one) in named.iter().enumerate() {
        let id = one.id.clone().unwrap_or_else(|| tx.new_id::<()>().to_string());
        if one.id.is_some() && !known.contains(&id) {
            faults.add(format!("{path}.{at}.id"), "errors.fields.unknown_reference");
        } else if ids.contains(&id) {
            faults.add(format!("{path}.{at}.id"), "errors.fields.twice");
        }
        ids.push(id);
    }
    ids
}

/// Returns the name to store; none for the name that a first stage or reason has in the language of the caller.
fn name(locale: Locale, group: &str, id: &str, typed: &str) -> Option<String> {
    let typed = text::line(typed);
    let usual = say(locale, &format!("server.deals.{group}.{id}"), &[]);
    (typed != usual).then_some(typed)
}
