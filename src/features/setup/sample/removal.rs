//! Taking sample data away: what no member worked on is removed for good, the rest goes to the bin.

use std::{collections::HashSet, net::IpAddr};

use uuid::Uuid;

use super::{note_act, version_of};
use crate::{
    features::{
        kinds,
        pages::{self, Page},
        records::{
            activities::{ACTIVITIES_BY_RECORD, Activity},
            attachments::{ATTACHMENTS_BY_RECORD, RecordFile},
            bin,
            comments::{COMMENTS_BY_RECORD, Comment},
            links::{LINKS_BY_RECORD, RecordLink},
        },
        setup::model::{SampleActivity, SampleData, SampleRecord},
    },
    kernel::{Id, Result},
    people::{
        audit::{self, Event},
        members::Company,
        permission::Reader,
    },
    store::{Record as _, Scan, TenantRead, TenantRecord, TenantWrite, Verb},
};

/// How many records that refer to one are looked at: more than the sample data has.
const MAX_REFERRERS: usize = 100;

/// How many records of the sample data were taken away.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RemovedSample {
    /// How many were removed for good.
    pub purged: usize,
    /// How many went to the bin, because people had worked on them.
    pub binned: usize,
}

/// Takes the sample data away. What members worked on, and what that refers to, goes to the bin. What they removed is there
/// already, and stays.
pub fn remove(tx: &TenantWrite<'_>, reader: Reader, from: IpAddr) -> Result<RemovedSample> {
    let Some(data) = SampleData::stored(tx)? else { return Ok(RemovedSample::default()) };
    let mut present = Vec::new();
    for record in &data.records {
        if version_of(tx, record)?.is_some() {
            present.push(*record);
        }
    }
    let untouched = find_untouched(tx, reader, &present, &data.activities)?;
    let mut removed = RemovedSample::default();
    // Records go before those that they refer to.
    for record in present.iter().rev() {
        let Some(bulk) = record.kind.kind().bulk else { continue };
        tx.as_parts(|| (bulk.remove)(tx, reader, record.id.into_bytes(), true, true))?;
        if untouched.contains(&record.id) {
            while !tx.as_parts(|| bin::purge(tx, reader, record.id))? {}
            removed.purged += 1;
        } else {
            removed.binned += 1;
        }
    }
    note_act(tx, Verb::SampleRemoved, removed.purged + removed.binned)?;
    tx.remove::<SampleData>(data.id, None)?;
    let company = Company::of(tx)?;
    let event = Event::new("company.sample_removed")
        .about_company(&company)
        .with("purged", removed.purged.to_string())
        .with("binned", removed.binned.to_string());
    audit::write(tx, event.from_address(from.to_string()))?;
    Ok(removed)
}

/// Returns the records that no member worked on. They have the version of their creation, no comment, file, link or
/// activity of a member, and only such records refer to them.
fn find_untouched(
    tx: &TenantRead<'_>,
    reader: Reader,
    present: &[SampleRecord],
    activities: &[SampleActivity],
) -> Result<HashSet<Uuid>> {
    let mut untouched = HashSet::new();
    for record in present {
        if version_of(tx, record)? == Some(record.version) && !has_additions(tx, record.id, activities)? {
            untouched.insert(record.id);
        }
    }
    loop {
        let mut touched = Vec::new();
        for record in present.iter().filter(|record| untouched.contains(&record.id)) {
            if is_needed(tx, reader, record, &untouched)? {
                touched.push(record.id);
            }
        }
        if touched.is_empty() {
            return Ok(untouched);
        }
        for id in touched {
            untouched.remove(&id);
        }
    }
}

/// Whether members added something to a record.
fn has_additions(tx: &TenantRead<'_>, id: Uuid, activities: &[SampleActivity]) -> Result<bool> {
    let logged =
        tx.page::<Activity>(&Scan::with(ACTIVITIES_BY_RECORD, id.as_bytes()).limit(MAX_REFERRERS), |_| true)?;
    let is_sample = |id: Uuid, version: u64| activities.contains(&SampleActivity { id, version });
    Ok(has_parts::<Comment>(tx, COMMENTS_BY_RECORD, id)?
        || has_parts::<RecordFile>(tx, ATTACHMENTS_BY_RECORD, id)?
        || has_parts::<RecordLink>(tx, LINKS_BY_RECORD, id)?
        || logged.items.iter().any(|activity| !is_sample(activity.id.uuid(), activity.version)))
}

fn has_parts<P: TenantRecord<Key = P>>(tx: &TenantRead<'_>, lookup: u16, record: Uuid) -> Result<bool> {
    Ok(!tx.page::<P>(&Scan::with(lookup, record.as_bytes()).limit(1), |_| true)?.items.is_empty())
}

/// Whether a record that is not among `untouched` refers to a record, or is below it.
fn is_needed(tx: &TenantRead<'_>, reader: Reader, record: &SampleRecord, untouched: &HashSet<Uuid>) -> Result<bool> {
    let target = record.kind.kind();
    for kind in kinds() {
        let referrers = kind.find_referrers(tx, reader, (target, record.id), None, MAX_REFERRERS)?;
        if referrers.iter().any(|referrer| !untouched.contains(&referrer.id)) {
            return Ok(true);
        }
    }
    if target.kind != Page::KIND {
        return Ok(false);
    }
    let below = pages::rules::subpages(tx, Id::from(record.id), untouched.len() + 1)?;
    Ok(below.iter().any(|page| !untouched.contains(&page.uuid())))
}
