//! The background work of a scan: reads all records of a kind outside of writes, compares those that have something in
//! common, and keeps the likeliest pairs.

use std::collections::{HashMap, HashSet};

use super::{
    model::{DuplicateScan, FoundPair, ScanState},
    rules::{self, MAX_PAIRS},
    score::{Sign, compare},
};
use crate::{
    feature::{MergeOps, Profile, Profiled},
    kernel::{Error, Id, Result, TenantId, let_others_run, run_in_background, text},
    store::{Actor, Scan, Store, TenantRead},
};

/// Records with the same value beyond which it says nothing, such as the e-mail address of a reception.
const MAX_BLOCK: usize = 100;
/// Records with the same phone number beyond which the number alone says nothing: that of a switchboard or a family.
const MAX_PHONE_ALONE: usize = 4;
/// The name of the threads that scan.
const THREAD: &str = "duplicates";

/// Makes scans.
pub struct ScanWork;

impl ScanWork {
    /// Makes a scan.
    pub async fn make(store: &Store, tenant: TenantId, actor: Actor, id: Id<DuplicateScan>) -> Result<bool> {
        let reading = store.clone();
        let found = run_in_background(THREAD, move || {
            let snapshot = reading.snapshot()?;
            find_pairs(&snapshot.tenant(tenant, None), id)
        })
        .await?;
        let Some(pairs) = found else { return Ok(false) };
        store.write(tenant, actor, move |tx| rules::end_scan(tx, id, &pairs)).await?;
        Ok(false)
    }
}

/// Returns the scans of a tenant that are running.
pub fn waiting(tx: &TenantRead<'_>) -> Result<Vec<Id<DuplicateScan>>> {
    let scans = tx.page::<DuplicateScan>(&Scan::all(), |scan| scan.state == ScanState::Running)?.items;
    Ok(scans.iter().map(|scan| scan.id).collect())
}

/// Returns the likeliest pairs of the kind of a scan; `None` when it is not running.
fn find_pairs(tx: &TenantRead<'_>, id: Id<DuplicateScan>) -> Result<Option<Vec<FoundPair>>> {
    let Some(scan) = tx.find::<DuplicateScan>(id)?.filter(|scan| scan.state == ScanState::Running) else {
        return Ok(None);
    };
    let ops = scan.kind.kind().merge.ok_or_else(|| Error::internal("a scan of a kind without duplicates"))?;
    let mut records = Vec::new();
    (ops.each)(tx, &mut |record| {
        records.push(record);
        let_others_run();
        Ok(())
    })?;
    let mut pairs = compare_all(&records, &ops);
    pairs.sort_by_key(FoundPair::place);
    let mut kept = Vec::new();
    for pair in pairs {
        if kept.len() == MAX_PAIRS {
            break;
        }
        if !rules::is_dismissed(tx, pair.one.uuid(), pair.other.uuid())? {
            kept.push(pair);
        }
    }
    Ok(Some(kept))
}

/// Compares the records that have a value in common.
fn compare_all(records: &[Profiled], ops: &MergeOps) -> Vec<FoundPair> {
    let mut blocks: HashMap<(Sign, String), Vec<u32>> = HashMap::new();
    for (number, record) in (0..).zip(records) {
        for key in keys(record) {
            blocks.entry(key).or_default().push(number);
        }
    }
    let is_rare = |phone: &String| {
        let block = blocks.get(&(Sign::Phone, phone.clone()));
        block.is_some_and(|block| block.len() <= MAX_PHONE_ALONE)
    };
    let share_rare_phone = |one: &Profile, other: &Profile| {
        let mut shared = one.phones.iter().filter(|(key, _)| other.phones.iter().any(|(known, _)| known == key));
        shared.any(|(key, _)| is_rare(key))
    };
    let mut compared = HashSet::new();
    let mut pairs = Vec::new();
    for block in blocks.values().filter(|block| (2..=MAX_BLOCK).contains(&block.len())) {
        for (place, &one) in block.iter().enumerate() {
            let_others_run();
            for &other in &block[place + 1..] {
                if !compared.insert((one.min(other), one.max(other))) {
                    continue;
                }
                let one = &records[one as usize];
                let other = &records[other as usize];
                if let Some(likeness) = compare(&one.profile, &other.profile, ops.same_name)
                    && (!likeness.is_phone_alone() || share_rare_phone(&one.profile, &other.profile))
                {
                    let low = one.id.min(other.id);
                    let high = one.id.max(other.id);
                    pairs.push(FoundPair { one: low.into(), other: high.into(), score: likeness.score });
                }
            }
        }
    }
    pairs
}

/// Returns the values of a record that others may have, too. With the company goes the beginning of the longest word of
/// the name, because the people of one company are many.
fn keys(record: &Profiled) -> impl Iterator<Item = (Sign, String)> + '_ {
    let profile = &record.profile;
    let emails = profile.emails.iter().map(|email| (Sign::Email, email.clone()));
    let phones = profile.phones.iter().map(|(key, _)| (Sign::Phone, key.clone()));
    let name = Some(profile.words.join(" ")).filter(|name| !name.is_empty()).map(|name| (Sign::Name, name));
    let website = profile.website.clone().map(|host| (Sign::Website, host));
    let longest = profile.words.iter().max_by_key(|word| word.len());
    let company = profile.company.as_deref().zip(longest).map(|(company, word)| {
        let beginning: String = word.chars().take(2).collect();
        (Sign::Organization, format!("{} {beginning}", text::fold(company)))
    });
    emails.chain(phones).chain(name).chain(website).chain(company)
}
