//! Which steps of setting up a company are done.

use poem_openapi::Enum;
use serde::Serialize;

use super::{
    model::{SampleRecord, SetupCard},
    sample::present,
};
use crate::{
    features::{
        customers::Customer, deals::Deal, organizations::Organization, records::purge::SECONDS_PER_DAY, settings,
        tasks::Task,
    },
    kernel::{Result, Timestamp},
    people::members::{Company, MemberRecord},
    store::{Record as _, TenantRead, TenantWrite},
};

/// For how many days a company is new.
const NEW_DAYS: i64 = 30;
/// The color scheme of a company that has not chosen one.
const FIRST_SCHEME: &str = "default";

/// A step of setting up a company.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Enum)]
#[oai(rename = "SetupStepName", rename_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub enum StepName {
    /// The company has a logo or a color scheme of its own.
    Look,
    /// It has a second member, or an open invitation.
    People,
    /// A test email was sent. Only where a mail server is set up.
    Mail,
    /// It has a customer besides the sample data.
    Customers,
    /// It has a task besides the sample data.
    Task,
}

/// What a company has of its sample data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Enum)]
#[oai(rename = "SampleDataState", rename_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub enum SampleState {
    /// There is none, and none can be added: the company has records of its own.
    None,
    /// There is none, and it can be added.
    Available,
    /// There is some.
    Present,
}

/// How far a company is set up.
#[derive(Debug)]
pub struct Setup {
    /// Whether the company was created within the last 30 days.
    pub is_new: bool,
    /// The steps, with whether each is done.
    pub steps: Vec<(StepName, bool)>,
    /// Whether the member put the card away.
    pub is_hidden: bool,
    /// What it has of its sample data.
    pub sample: SampleState,
    /// How many records of the sample data there are.
    pub sample_records: usize,
}

/// Returns how far the company is set up, for the member who reads. `has_mail` is whether a mail server is set up.
pub fn read(tx: &TenantRead<'_>, now: Timestamp, has_mail: bool) -> Result<Setup> {
    let company = Company::of(tx)?;
    let sample = present(tx)?;
    let has_look = company.logotipo_dark.is_some() || company.logotipo_light.is_some();
    let mut steps = vec![
        (StepName::Look, has_look || company.color_scheme != FIRST_SCHEME),
        (StepName::People, tx.count::<MemberRecord>()? > 1),
    ];
    if has_mail {
        steps.push((StepName::Mail, settings::has_tested_mail(tx)?));
    }
    steps.push((StepName::Customers, tx.count::<Customer>()? > of_kind(&sample, Customer::KIND)));
    let tasks = tx.counter("tasks/open")? + tx.counter("tasks/done")?;
    steps.push((StepName::Task, u64::try_from(tasks).unwrap_or(0) > of_kind(&sample, Task::KIND)));
    let own = tx.own_data()?;
    let card = own.find_intact::<SetupCard>(own.person())?;
    Ok(Setup {
        is_new: company.created_at > now.plus_seconds(-NEW_DAYS * SECONDS_PER_DAY),
        steps,
        is_hidden: card.is_some_and(|card| card.hidden),
        sample: match sample.is_empty() {
            false => SampleState::Present,
            true if is_empty(tx)? => SampleState::Available,
            true => SampleState::None,
        },
        sample_records: sample.len(),
    })
}

fn of_kind(sample: &[SampleRecord], kind: &str) -> u64 {
    sample.iter().filter(|record| record.kind.kind().kind == kind).count() as u64
}

/// Whether the company has none of the records that sample data is added to.
pub fn is_empty(tx: &TenantRead<'_>) -> Result<bool> {
    let counts = [tx.count::<Customer>()?, tx.count::<Organization>()?, tx.count::<Deal>()?, tx.count::<Task>()?];
    Ok(counts.iter().all(|count| *count == 0))
}

/// Puts the card of the writing member away, or shows it again.
pub fn set_hidden(tx: &TenantWrite<'_>, hidden: bool) -> Result<()> {
    let own = tx.own_data()?;
    let person = own.person();
    if own.read().find::<SetupCard>(person)?.is_none() {
        return own.create_at(person, SetupCard { hidden }).map(drop);
    }
    let set = |card: &mut SetupCard| {
        card.hidden = hidden;
        Ok(())
    };
    own.update(person, set).map(drop)
}
