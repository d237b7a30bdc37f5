//! The stages of a company's deals, and the reasons why they are won or lost.

use std::net::IpAddr;

use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use super::rules::PipelineChange;
use crate::{
    features::deals::DealOutcome,
    kernel::{
        Id, Result,
        error::Faults,
        i18n::{Locale, say},
        text,
    },
    store::{Record, Stored, TenantRead, TenantRecord},
};

/// Maximum stages.
pub(super) const STAGES: usize = 20;
/// Maximum reasons that can be chosen.
pub(super) const REASONS: usize = 50;
/// Maximum reasons with those that were removed. Deals may have those still.
const REASONS_EVER: usize = 300;
/// Maximum length of a name.
const NAME: usize = 60;

/// The stages that every company begins with, and the percentage of their deals that is won.
const FIRST_STAGES: [(&str, u8); 4] = [("new", 10), ("qualified", 25), ("proposal", 50), ("negotiation", 75)];
/// The reasons that every company begins with.
const FIRST_REASONS: [(&str, DealOutcome); 5] = [
    ("price", DealOutcome::Lost),
    ("competitor", DealOutcome::Lost),
    ("timing", DealOutcome::Lost),
    ("no_need", DealOutcome::Lost),
    ("no_answer", DealOutcome::Lost),
];

/// Stages and reasons. Stored under the company's own id once they were changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pipeline {
    /// The stages in their order; at least one.
    pub stages: Vec<Stage>,
    /// The reasons in their order.
    pub reasons: Vec<Reason>,
}

/// A stage of deals.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stage {
    /// The id.
    pub id: String,
    /// The name; none for the name that a first stage has in each language.
    pub name: Option<String>,
    /// The percentage of its deals that is won.
    pub probability: u8,
}

/// A reason why deals are won or lost.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reason {
    /// The id.
    pub id: String,
    /// The name; none for the name that a first reason has in each language.
    pub name: Option<String>,
    /// For deals that were won, or lost.
    pub outcome: DealOutcome,
    /// Whether it can no longer be chosen.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub removed: bool,
}

impl Record for Pipeline {
    type Key = Self;
    const KIND: &'static str = "pipeline";
    const TABLE: u16 = 60;
}
impl TenantRecord for Pipeline {}

/// A change of the pipeline that is made when the deals have left the stages that it removes. It has the id of the pipeline.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedPipeline {
    pub(super) change: PipelineChange,
    /// The code of the language of the member who changes it.
    pub(super) locale: String,
    /// Their address.
    pub(super) from: IpAddr,
}

impl Record for PlannedPipeline {
    type Key = Pipeline;
    const KIND: &'static str = "pipeline_planned";
    const TABLE: u16 = 89;
}
impl TenantRecord for PlannedPipeline {}

impl PlannedPipeline {
    /// Describes a change that removes nothing.
    #[cfg(test)]
    pub fn of_nothing() -> Self {
        let from = IpAddr::from([127, 0, 0, 1]);
        Self { change: PipelineChange::default(), locale: Locale::EN.code().to_owned(), from }
    }
}

impl Default for Pipeline {
    fn default() -> Self {
        let stage = |(id, probability): (&str, u8)| Stage { id: id.to_owned(), name: None, probability };
        let reason = |(id, outcome): (&str, _)| Reason { id: id.to_owned(), name: None, outcome, removed: false };
        Self { stages: FIRST_STAGES.map(stage).to_vec(), reasons: FIRST_REASONS.map(reason).to_vec() }
    }
}

impl Stage {
    /// Returns the name in a language.
    pub fn name_in(&self, locale: Locale) -> String {
        self.name.clone().unwrap_or_else(|| say(locale, &format!("server.deals.stages.{}", self.id), &[]))
    }
}

impl Reason {
    /// Returns the name in a language.
    pub fn name_in(&self, locale: Locale) -> String {
        self.name.clone().unwrap_or_else(|| say(locale, &format!("server.deals.reasons.{}", self.id), &[]))
    }
}

impl Pipeline {
    /// Returns where a company's pipeline is stored.
    pub fn id(tx: &TenantRead<'_>) -> Id<Self> {
        tx.single_id()
    }

    /// Returns the stored pipeline of the company; none before its first change.
    pub fn stored(tx: &TenantRead<'_>) -> Result<Option<Stored<Self>>> {
        tx.find(Self::id(tx))
    }

    /// Returns the version of a pipeline: 1 before its first change.
    pub fn version(stored: Option<&Stored<Self>>) -> u64 {
        stored.map_or(1, |stored| stored.version + 1)
    }

    /// Returns the pipeline of the company.
    pub fn of(tx: &TenantRead<'_>) -> Result<Self> {
        Ok(Self::stored(tx)?.map(|stored| stored.value).unwrap_or_default())
    }

    /// Returns a stage.
    pub fn stage(&self, id: &str) -> Option<&Stage> {
        self.stages.iter().find(|stage| stage.id == id)
    }

    /// Returns the id of the first stage.
    pub fn first_stage(&self) -> String {
        self.stages.first().map(|stage| stage.id.clone()).unwrap_or_default()
    }

    /// Whether deals with an outcome can be given a reason.
    pub fn offers_reason(&self, id: &str, outcome: DealOutcome) -> bool {
        self.reasons.iter().any(|reason| reason.id == id && reason.outcome == outcome && !reason.removed)
    }

    /// Validates everything.
    pub(super) fn check(&self, faults: &mut Faults) {
        if self.stages.is_empty() {
            faults.add("stages", "errors.fields.required");
        }
        faults.few("stages", self.stages.len(), STAGES);
        let offered: Vec<&Reason> = self.reasons.iter().filter(|reason| !reason.removed).collect();
        faults.few("reasons", offered.len(), REASONS);
        faults.few("reasons", self.reasons.len(), REASONS_EVER);
        check_names("stages", self.stages.iter().map(|stage| (stage.name.as_deref(), "")), faults);
        let reasons = offered.iter().map(|reason| {
            let group = if reason.outcome == DealOutcome::Won { "won" } else { "lost" };
            (reason.name.as_deref(), group)
        });
        check_names("reasons", reasons, faults);
        for (at, _) in self.stages.iter().enumerate().filter(|(_, stage)| stage.probability > 100) {
            let params = vec![("min", "0".to_owned()), ("max", "100".to_owned())];
            faults.add_with(format!("stages.{at}.probability"), "errors.fields.range", params);
        }
    }
}

/// Checks that names are there, short, and different from each other within their group.
fn check_names<'a>(path: &str, names: impl Iterator<Item = (Option<&'a str>, &'a str)>, faults: &mut Faults) {
    let mut known = Vec::new();
    for (at, (name, group)) in names.enumerate() {
        let Some(name) = name else { continue };
        let path = format!("{path}.{at}.name");
        faults.required(&path, name, NAME);
        let folded = (text::fold(name), group);
        if known.contains(&folded) {
            faults.add(path, "errors.fields.twice");
        }
        known.push(folded);
    }
}
