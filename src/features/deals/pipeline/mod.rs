//! The pipeline of a company: the stages of its deals in their order, and the reasons why deals are won or lost.

mod api;
mod model;
mod rules;

pub use api::Api;
pub use model::{Pipeline, PlannedPipeline};
#[cfg(test)]
pub use rules::{Named, PipelineChange, begin};
pub use rules::{give_up, go_on};
