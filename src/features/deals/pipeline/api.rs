//! HTTP API of the pipeline.

use poem_openapi::{Object, OpenApi};
use serde::Serialize;
use serde_with::skip_serializing_none;

use super::{
    model::{Pipeline, PlannedPipeline},
    rules::{self, Named, PipelineChange},
};
use crate::{
    access::Member,
    features::deals::DealOutcome,
    kernel::{Code, Error, i18n::Locale},
    people::permission::{DealsRead, SettingsCompany},
    store::{Stored, TenantRead},
    wire::{IfMatch, Json, NotNull, Reply, Versioned},
};

/// The stages of the company's deals, and the reasons why they are won or lost.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "Pipeline", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
struct View {
    /// 1 before the first change.
    version: u64,
    /// In their order.
    stages: Vec<StageView>,
    /// In their order, those that can no longer be chosen at the end.
    reasons: Vec<ReasonView>,
}

/// A stage of deals.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "Stage")]
struct StageView {
    id: String,
    /// The name, in the language of the reader unless the company gave it one.
    name: String,
    /// The percentage of its deals that is won.
    probability: u8,
}

/// A reason why deals are won or lost.
#[skip_serializing_none]
#[derive(Debug, Serialize, Object)]
#[oai(rename = "DealReason", skip_serializing_if_is_none)]
struct ReasonView {
    id: String,
    /// The name, in the language of the reader unless the company gave it one.
    name: String,
    /// `won` or `lost`.
    outcome: DealOutcome,
    /// `true` when it can no longer be chosen.
    removed: Option<bool>,
}

impl View {
    fn response(stored: Option<Stored<Pipeline>>, locale: Locale) -> Versioned<Self> {
        let version = Pipeline::version(stored.as_ref());
        let pipeline = stored.map(|stored| stored.value).unwrap_or_default();
        let stages = pipeline.stages.iter().map(|stage| StageView {
            id: stage.id.clone(),
            name: stage.name_in(locale),
            probability: stage.probability,
        });
        let reasons = pipeline.reasons.iter().map(|reason| ReasonView {
            id: reason.id.clone(),
            name: reason.name_in(locale),
            outcome: reason.outcome,
            removed: reason.removed.then_some(true),
        });
        Versioned(Self { version, stages: stages.collect(), reasons: reasons.collect() }, version)
    }
}

/// A stage of a changed pipeline.
#[derive(Object)]
#[oai(rename = "StageInput", deny_unknown_fields)]
struct StageInput {
    /// The id of a stage that is there; absent for a new one.
    id: Option<String>,
    /// The name, at most 60 characters.
    name: String,
    /// The percentage of its deals that is won, 0 to 100.
    probability: u8,
}

/// A reason of a changed pipeline.
#[derive(Object)]
#[oai(rename = "DealReasonInput", deny_unknown_fields)]
struct ReasonInput {
    /// The id of a reason that is there; absent for a new one.
    id: Option<String>,
    /// The name, at most 60 characters.
    name: String,
    /// `won` or `lost`.
    outcome: DealOutcome,
}

/// Which stage takes the place of a removed one.
#[derive(Object)]
#[oai(rename = "StageMove", deny_unknown_fields)]
struct StageMove {
    /// The id of the removed stage.
    from: String,
    /// The id of the stage to which its deals move.
    to: String,
}

/// Changes to the pipeline. Absent members stay unchanged.
#[derive(Object)]
#[oai(rename = "PipelinePatch", deny_unknown_fields)]
struct Patch {
    /// All stages in their order, 1 to 20. Those that are missing are removed.
    stages: NotNull<Vec<StageInput>>,
    /// All reasons that can be chosen, in their order, at most 50. Those that are missing stay with the deals that have
    /// them.
    reasons: NotNull<Vec<ReasonInput>>,
    /// The stages to which the deals of removed stages move.
    #[oai(default)]
    moves: Vec<StageMove>,
}

impl From<Patch> for PipelineChange {
    fn from(patch: Patch) -> Self {
        let stage = |StageInput { id, name, probability }| Named { id, name, more: probability };
        let reason = |ReasonInput { id, name, outcome }| Named { id, name, more: outcome };
        Self {
            stages: patch.stages.into_option().map(|stages| stages.into_iter().map(stage).collect()),
            reasons: patch.reasons.into_option().map(|reasons| reasons.into_iter().map(reason).collect()),
            moves: patch.moves.into_iter().map(|StageMove { from, to }| (from, to)).collect(),
        }
    }
}

/// The endpoints of the pipeline.
pub struct Api;

#[OpenApi(prefix_path = "/deals/pipeline", tag = "crate::wire::Tag::Deals")]
impl Api {
    /// Get the stages of deals.
    ///
    /// And the reasons why deals are won or lost.
    #[oai(path = "/", method = "get", operation_id = "getPipeline")]
    async fn get(&self, member: Member<DealsRead>) -> Reply<Versioned<View>> {
        Ok(View::response(member.read(Pipeline::stored)?, member.locale()))
    }

    /// Change the stages of deals.
    ///
    /// And the reasons why deals are won or lost. The deals of a removed stage move to the one that `moves` names; without
    /// one, a stage that has deals cannot be removed.
    #[oai(path = "/", method = "patch", operation_id = "changePipeline")]
    async fn change(
        &self,
        member: Member<SettingsCompany>,
        #[oai(name = "If-Match")] if_match: IfMatch,
        body: Json<Patch>,
    ) -> Reply<Versioned<View>> {
        let change = PipelineChange::from(body.0);
        let by = (member.locale(), member.address());
        let before = member.read(|tx| Ok(Pipeline::version(Pipeline::stored(tx)?.as_ref())))?;
        let has_more = member.write(move |tx| rules::begin(tx, if_match.0, by, change)).await?;
        let look = |tx: &TenantRead<'_>| match tx.find_intact::<PlannedPipeline>(Pipeline::id(tx))? {
            Some(_) => Ok(None),
            None => Pipeline::stored(tx).map(Some),
        };
        let pipeline = member.wait_until(look).await?;
        // The change was given up, such as after damage.
        if has_more && Pipeline::version(pipeline.as_ref()) == before {
            return Err(Error::new(Code::Busy).into());
        }
        Ok(View::response(pipeline, member.locale()))
    }
}
