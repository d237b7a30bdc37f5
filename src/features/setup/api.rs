//! HTTP API of setting up a company.

use poem_openapi::{Object, OpenApi};
use serde::Serialize;

use super::{
    rules::{self, SampleState, Setup, StepName},
    sample::{self, Here, SampleSet},
};
use crate::{
    access::Member,
    mail::Mailer,
    people::permission::SettingsCompany,
    wire::{Empty, Json, JsonResponse, Reply},
};

/// How far the company is set up.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "Setup", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
struct View {
    /// Whether the company was created within the last 30 days.
    is_new: bool,
    /// The steps in their order.
    steps: Vec<Step>,
    /// Whether the caller put the card with the steps away.
    hidden: bool,
    sample_data: SampleData,
}

/// A step of setting up the company.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "SetupStep")]
struct Step {
    name: StepName,
    /// Whether it is done. Follows from the company's data; sample data does not count.
    done: bool,
}

/// The sample data of the company.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "SampleData")]
struct SampleData {
    state: SampleState,
    /// How many records of it there are.
    records: u64,
}

/// What the caller changes.
#[derive(Object)]
#[oai(rename = "SetupPatch", deny_unknown_fields)]
struct Patch {
    /// Whether the card with the steps is put away.
    hidden: bool,
}

/// What was taken away of the sample data.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "RemovedSampleData")]
struct Removed {
    /// How many records were removed for good.
    purged: u64,
    /// How many are in the bin, because members had worked on them.
    binned: u64,
}

impl From<Setup> for View {
    fn from(setup: Setup) -> Self {
        let Setup { is_new, steps, is_hidden, sample, sample_records } = setup;
        let sample_data = SampleData { state: sample, records: sample_records as u64 };
        let steps = steps.into_iter().map(|(name, done)| Step { name, done }).collect();
        Self { is_new, steps, hidden: is_hidden, sample_data }
    }
}

async fn read(member: &Member<SettingsCompany>, mailer: &Mailer) -> Reply<JsonResponse<View>> {
    let now = member.now();
    let has_mail = !mailer.stores_locally();
    let setup = member.read_blocking(move |tx| rules::read(tx, now, has_mail)).await?;
    Ok(JsonResponse(setup.into()))
}

/// The API of setting up a company.
pub struct Api;

#[OpenApi(prefix_path = "/setup", tag = "crate::wire::Tag::Settings")]
impl Api {
    /// Get how far the company is set up.
    #[oai(path = "/", method = "get", operation_id = "getSetup")]
    async fn get(&self, member: Member<SettingsCompany>, mailer: Mailer) -> Reply<JsonResponse<View>> {
        read(&member, &mailer).await
    }

    /// Put the card with the steps away, or show it again.
    ///
    /// Applies to the caller only.
    #[oai(path = "/", method = "patch", operation_id = "changeSetup")]
    async fn change(
        &self,
        member: Member<SettingsCompany>,
        mailer: Mailer,
        body: Json<Patch>,
    ) -> Reply<JsonResponse<View>> {
        let Patch { hidden } = body.0;
        member.write(move |tx| rules::set_hidden(tx, hidden)).await?;
        read(&member, &mailer).await
    }

    /// Add sample data.
    ///
    /// Adds customers, organizations, deals, tasks, events, pages and activities in the caller's language, with days
    /// relative to today, that belong to the caller. Adds nothing while there is some. 409 `conflict` when the company
    /// has customers, organizations, deals or tasks of its own.
    #[oai(path = "/sample-data", method = "put", operation_id = "addSampleData")]
    async fn add_sample(
        &self,
        member: Member<SettingsCompany>,
        mailer: Mailer,
        _body: Json<Empty>,
    ) -> Reply<JsonResponse<View>> {
        let reader = member.reader();
        let from = member.address();
        let here = Here {
            owner: member.id(),
            locale: member.locale(),
            zone: member.timezone().to_owned(),
            currency: member.region().currency,
            now: member.now(),
        };
        let set = member.read_blocking(move |_| SampleSet::new(&here)).await?;
        member.write(move |tx| sample::add(tx, reader, set, from)).await?;
        read(&member, &mailer).await
    }

    /// Take the sample data away.
    ///
    /// Records that no member worked on are removed for good. Those that members changed or added something to go to the
    /// bin, with the records that they refer to.
    #[oai(path = "/sample-data", method = "delete", operation_id = "removeSampleData")]
    async fn remove_sample(&self, member: Member<SettingsCompany>) -> Reply<JsonResponse<Removed>> {
        let reader = member.reader();
        let from = member.address();
        let removed = member.write(move |tx| sample::remove(tx, reader, from)).await?;
        Ok(JsonResponse(Removed { purged: removed.purged as u64, binned: removed.binned as u64 }))
    }
}
