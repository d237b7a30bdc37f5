//! Changing a company's pipeline.

use std::net::IpAddr;

use super::model::{Pipeline, Reason, STAGES, Stage};
use crate::{
    features::deals::{Deal, DealOutcome, model::BY_STAGE},
    kernel::{
        Code, Error, Result,
        error::Faults,
        i18n::{Locale, say},
        text,
    },
    people::audit::{self, Event},
    store::{Scan, Stored, TenantWrite},
};

/// How many deals one write moves, so that other writes do not wait for long.
const AT_ONCE: usize = 25;

/// A stage or reason of a change; without an id it is new.
#[derive(Clone, Debug)]
pub struct Named<T> {
    /// The id.
    pub id: Option<String>,
    /// The name.
    pub name: String,
    /// What else is known of it.
    pub more: T,
}

/// A change of a pipeline.
#[derive(Clone, Debug, Default)]
pub struct PipelineChange {
    /// All stages in their order, with their probabilities.
    pub stages: Option<Vec<Named<u8>>>,
    /// All reasons that can be chosen, in their order.
    pub reasons: Option<Vec<Named<DealOutcome>>>,
    /// The stages that take the place of removed ones, by their ids.
    pub moves: Vec<(String, String)>,
}

/// What a write has done of a change.
#[derive(Debug)]
pub enum Progress {
    /// It has moved deals out of a removed stage; there may be more.
    Moved,
    /// The pipeline is changed.
    Done(Box<Stored<Pipeline>>),
}

/// Moves some deals out of the stages that a change removes; when there are none, changes the pipeline. `expected` is the
/// version that the caller read, if given.
/// Errors: `stale_version`; `invalid`, also when a removed stage has deals and none takes its place.
pub fn change(
    tx: &TenantWrite<'_>,
    expected: Option<u64>,
    (locale, from): (Locale, IpAddr),
    change: &PipelineChange,
) -> Result<Progress> {
    let stored = Pipeline::stored(tx)?;
    if expected.is_some_and(|version| version != Pipeline::version(stored.as_ref())) {
        return Err(Error::new(Code::StaleVersion));
    }
    let old = stored.map(|stored| stored.value).unwrap_or_default();
    let new = changed(tx, &old, locale, change)?;
    for stage in old.stages.iter().filter(|stage| new.stage(&stage.id).is_none()) {
        if move_some(tx, stage, &new, &change.moves)? {
            return Ok(Progress::Moved);
        }
    }
    let id = Pipeline::id(tx);
    let kept: Stored<Pipeline> = match Pipeline::stored(tx)? {
        None => tx.create_at(id, new)?,
        Some(_) => tx.update(id, None, |pipeline: &mut Pipeline| {
            *pipeline = new;
            Ok(())
        })?,
    };
    audit::write(tx, Event::new("pipeline.changed").from_address(from.to_string()))?;
    Ok(Progress::Done(Box::new(kept)))
}

/// Moves some deals of a removed stage to the one that takes its place. Returns whether there were any.
fn move_some(tx: &TenantWrite<'_>, stage: &Stage, new: &Pipeline, moves: &[(String, String)]) -> Result<bool> {
    let deals = tx.page::<Deal>(&Scan::with(BY_STAGE, &stage.id).limit(AT_ONCE), |_| true)?.items;
    if deals.is_empty() {
        return Ok(false);
    }
    let to = moves.iter().find(|(from, to)| *from == stage.id && new.stage(to).is_some());
    let (_, to) = to.ok_or_else(|| Error::field("moves", "errors.fields.stage_in_use"))?;
    for deal in deals {
        // The change of the pipeline is the act.
        tx.as_parts(|| {
            tx.update(deal.id, None, |deal: &mut Deal| {
                deal.stage_id.clone_from(to);
                Ok(())
            })
        })?;
    }
    Ok(true)
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
