//! Sample data: adding it in one write, and taking it away again without what people made of it.

mod fixtures;
mod removal;

pub use fixtures::{Here, SampleSet};
pub use removal::remove;

use std::net::IpAddr;

use super::{
    model::{SampleActivity, SampleData, SampleRecord},
    rules::is_empty,
};
use crate::{
    features::{
        customers, deals, events, organizations, pages,
        records::{
            KindName,
            activities::{self, Activity, ActivityLink},
        },
        tasks,
    },
    kernel::{Code, Error, Result},
    people::{
        audit::{self, Event},
        members::Company,
        permission::Reader,
    },
    store::{ActEntry, Record, Stored, TenantRead, TenantWrite, Verb},
};

/// Returns the records of the sample data that are neither removed nor in the bin.
pub fn present(tx: &TenantRead<'_>) -> Result<Vec<SampleRecord>> {
    let Some(data) = SampleData::stored(tx)? else { return Ok(Vec::new()) };
    let mut present = Vec::with_capacity(data.records.len());
    for record in &data.records {
        if version_of(tx, record)?.is_some() {
            present.push(*record);
        }
    }
    Ok(present)
}

/// Returns the version of a record; `None` when it is removed or in the bin.
fn version_of(tx: &TenantRead<'_>, record: &SampleRecord) -> Result<Option<u64>> {
    let Some(bulk) = record.kind.kind().bulk else { return Ok(None) };
    (bulk.version)(tx, record.id.into_bytes())
}

/// Notes a record that was created.
fn noted<R: Record>(created: &Stored<R>) -> Result<SampleRecord> {
    let kind = KindName::find(R::KIND).ok_or_else(|| Error::internal("a kind without a name"))?;
    Ok(SampleRecord { kind, id: created.id.uuid(), version: created.version })
}

/// Adds sample data; the writing member is its author and owner. Adds nothing while there is some.
/// Errors: `conflict` when the company has customers, organizations, deals or tasks.
pub fn add(tx: &TenantWrite<'_>, reader: Reader, set: SampleSet, from: IpAddr) -> Result<()> {
    if !present(tx)?.is_empty() {
        return Ok(());
    }
    if !is_empty(tx)? {
        return Err(Error::new(Code::Conflict).say("errors.sample_data_refused", Vec::new()));
    }
    let data = tx.as_parts(|| create(tx, reader, set))?;
    let records = data.records.len();
    note_act(tx, Verb::SampleAdded, records)?;
    let id = SampleData::id(tx);
    // What people removed record by record may have left one.
    if tx.find::<SampleData>(id)?.is_some() {
        tx.remove::<SampleData>(id, None)?;
    }
    tx.create_at(id, data)?;
    let company = Company::of(tx)?;
    let event = Event::new("company.sample_added").about_company(&company).with("records", records.to_string());
    audit::write(tx, event.from_address(from.to_string()))
}

/// Adds the entry of adding or removing all sample data to the change feed.
fn note_act(tx: &TenantWrite<'_>, verb: Verb, records: usize) -> Result<()> {
    let id = *tx.tenant().as_bytes();
    let kind = customers::Customer::KIND;
    tx.note_act(ActEntry { id, verb, kind, count: records as u64, title: None, by: None })
}

fn create(tx: &TenantWrite<'_>, reader: Reader, set: SampleSet) -> Result<SampleData> {
    let mut records = Vec::new();
    let mut organizations = Vec::new();
    for organization in set.organizations {
        let created = organizations::rules::create(tx, organization)?;
        organizations.push(created.id);
        records.push(noted(&created)?);
    }
    let mut people = Vec::new();
    for person in set.people {
        let created = customers::rules::create(tx, person.into_customer(tx, &organizations)?)?;
        people.push(created.id);
        records.push(noted(&created)?);
    }
    let mut deals = Vec::new();
    for deal in set.deals {
        let created = deals::rules::create(tx, deal.into_deal(tx, &organizations, &people)?)?;
        deals.push(created.id);
        records.push(noted(&created)?);
    }
    for task in set.tasks {
        let created = tasks::rules::create(tx, task.into_task(&organizations, &people, &deals), None)?;
        records.push(noted(&created)?);
    }
    for event in set.events {
        let created = events::rules::create(tx, event.into_event(reader.id, &people))?;
        records.push(noted(&created)?);
    }
    let mut written = Vec::new();
    for page in set.pages {
        let created = pages::rules::create(tx, reader, page.into_page(&written), None)?;
        written.push(created.id);
        records.push(noted(&created)?);
    }
    let mut logged = Vec::new();
    for activity in set.activities {
        let mut links = Vec::new();
        let customer = people.get(activity.person).map(|id| (customers::Customer::KIND, id.uuid()));
        let deal = activity.deal.and_then(|at| deals.get(at)).map(|id| (deals::Deal::KIND, id.uuid()));
        for (kind, record_id) in customer.into_iter().chain(deal) {
            let kind = KindName::find(kind).ok_or_else(|| Error::internal("a kind without a name"))?;
            links.push(ActivityLink { kind, record_id });
        }
        let activity = Activity { links, ..activity.activity };
        let created = activities::rules::create(tx, reader, activity, None)?;
        logged.push(SampleActivity { id: created.id.uuid(), version: created.version });
    }
    // Creating a deal or a task may have changed what it refers to.
    for record in &mut records {
        record.version = version_of(tx, record)?.unwrap_or(record.version);
    }
    Ok(SampleData { records, activities: logged })
}
