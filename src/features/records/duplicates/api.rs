//! HTTP API of duplicates.

use poem_openapi::{
    Object, OpenApi,
    param::{Path, Query},
};
use serde::Serialize;
use serde_with::skip_serializing_none;
use uuid::Uuid;

use super::{
    model::{DuplicateScan, ScanState},
    rules::{self, Duplicate, Pair},
    score::Reason,
};
use crate::{
    access::Member,
    feature::{Card, MergeOps, Profile, RecordKind},
    features::records::{KindName, KindPath},
    kernel::{
        Birthday, Code, Error, MemberId, Result, Timestamp,
        error::Faults,
        phone::{self, MAX_CHARS},
        text,
    },
    people::permission::{Read, Right},
    store::{Stored, TenantRead, TenantWrite},
    wire::{Json, JsonResponse, Listed, NoContent, Reply},
};

/// Maximum e-mail addresses, and phone numbers, of a query.
const MAX_CHANNELS: usize = 10;
/// Records that search finds by a name.
const NAMED: usize = 25;

/// A phone number to look for.
#[derive(Object)]
#[oai(rename = "DuplicatePhone", rename_all = "camelCase", deny_unknown_fields)]
struct PhoneQuery {
    /// The country of the number: two letters of ISO 3166-1. By default the caller's.
    country: Option<String>,
    /// The number, in any common notation.
    phone_number: String,
}

/// What a person or organization is known by.
#[derive(Object)]
#[oai(rename = "DuplicateQuery", rename_all = "camelCase", deny_unknown_fields)]
struct DuplicateQuery {
    /// The kind of the records: customers or organizations.
    kind: KindPath,
    /// The name, at most 200 characters.
    #[oai(default)]
    name: String,
    /// E-mail addresses, at most 10.
    #[oai(default)]
    emails: Vec<String>,
    /// Phone numbers, at most 10.
    #[oai(default)]
    phones: Vec<PhoneQuery>,
    /// The company of a person.
    company: Option<String>,
    /// The date of birth of a person.
    birthday: Option<Birthday>,
    /// The website of an organization.
    website: Option<String>,
}

impl DuplicateQuery {
    /// Returns what is compared. Addresses and numbers that are not complete are left out.
    /// Errors: `invalid`.
    fn profile(self, ops: &MergeOps, country: impl Fn() -> String) -> Result<Profile> {
        let mut faults = Faults::default();
        faults.at_most("name", &self.name, 200);
        faults.at_most("company", self.company.as_deref().unwrap_or(""), 200);
        faults.at_most("website", self.website.as_deref().unwrap_or(""), 2_000);
        faults.few("emails", self.emails.len(), MAX_CHANNELS);
        faults.few("phones", self.phones.len(), MAX_CHANNELS);
        for (at, email) in self.emails.iter().enumerate().take(MAX_CHANNELS) {
            faults.at_most(&format!("emails.{at}"), email, 254);
        }
        for (at, phone) in self.phones.iter().enumerate().take(MAX_CHANNELS) {
            faults.at_most(&format!("phones.{at}.phoneNumber"), &phone.phone_number, MAX_CHARS);
        }
        faults.into_result()?;
        let profile = (ops.named)(&text::line(&self.name)).with_website(self.website.as_deref());
        let number = |phone: &PhoneQuery| {
            let country = phone.country.clone().unwrap_or_else(&country);
            phone::forms(&phone.phone_number, Some(&country)).map(|forms| (forms.e164, forms.international))
        };
        Ok(Profile {
            emails: self.emails.iter().filter_map(|email| text::email(email)).collect(),
            phones: self.phones.iter().filter_map(number).collect(),
            company: text::filled(self.company.as_deref().map(text::line)),
            birthday: self.birthday,
            ..profile
        })
    }
}

/// A record that may be a duplicate.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "Duplicate", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
struct DuplicateView {
    id: Uuid,
    kind: KindName,
    /// Its current state.
    card: Card,
    /// How much it looks alike: 45 (possible) to 100. From 60 it is likely, from 75 very likely.
    score: u8,
    /// Why, the weightiest first.
    reasons: Vec<Reason>,
}

/// Records that may be duplicates.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "DuplicateList")]
struct DuplicateList {
    /// The likeliest first, at most 10.
    items: Vec<DuplicateView>,
}

impl DuplicateList {
    fn of(kind: &'static RecordKind, found: Vec<Duplicate>) -> Self {
        let view = |one: Duplicate| DuplicateView {
            id: one.record.id,
            kind: KindName::of(kind),
            card: one.card,
            score: one.likeness.score,
            reasons: one.likeness.reasons,
        };
        Self { items: found.into_iter().map(view).collect() }
    }
}

/// One of two records that look alike.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "PairedRecord", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
struct PairedRecord {
    id: Uuid,
    created_at: Timestamp,
    updated_at: Timestamp,
    /// Its current state.
    card: Card,
}

/// Two records that look alike.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "DuplicatePair", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
struct PairView {
    /// The two, the older one first.
    records: Vec<PairedRecord>,
    /// How much they look alike: 45 (possible) to 100.
    score: u8,
    /// Why, the weightiest first.
    reasons: Vec<Reason>,
}

impl From<Pair> for PairView {
    fn from(pair: Pair) -> Self {
        let records = pair.records.into_iter().map(|(record, card)| PairedRecord {
            id: record.id,
            created_at: record.created_at,
            updated_at: record.updated_at,
            card,
        });
        let mut records: Vec<PairedRecord> = records.collect();
        records.sort_by_key(|record| record.created_at);
        Self { records, score: pair.likeness.score, reasons: pair.likeness.reasons }
    }
}

/// The last scan of a kind for duplicates.
#[skip_serializing_none]
#[derive(Debug, Serialize, Object)]
#[oai(rename = "DuplicateScan", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
struct ScanView {
    kind: KindPath,
    state: ScanState,
    /// How many records there were when it began.
    total: u64,
    /// How many pairs the last complete scan found, without those that were merged or are no duplicates.
    found: u64,
    /// When the last complete scan ended.
    scanned_at: Option<Timestamp>,
    /// The member who began the last scan.
    scanned_by: Option<MemberId>,
}

impl ScanView {
    fn of(kind: &'static RecordKind, scan: Option<Stored<DuplicateScan>>) -> Self {
        let kind = KindPath::of(kind);
        let Some(scan) = scan else {
            return Self { kind, state: ScanState::Never, total: 0, found: 0, scanned_at: None, scanned_by: None };
        };
        let DuplicateScan { state, total, found, begun_by, ended_at, .. } = scan.value;
        Self { kind, state, total, found, scanned_at: ended_at, scanned_by: begun_by }
    }
}

/// The kind of the records to compare.
#[derive(Object)]
#[oai(rename = "NewDuplicateScan", deny_unknown_fields)]
struct NewScan {
    /// The kind: customers or organizations.
    kind: KindPath,
}

/// Two records that are no duplicates.
#[derive(Object)]
#[oai(rename = "DismissedDuplicate", deny_unknown_fields)]
struct Dismissed {
    /// The kind of the records.
    kind: KindPath,
    /// The ids of the two.
    ids: Vec<Uuid>,
    /// False takes it back.
    #[oai(default = "yes")]
    dismissed: bool,
}

const fn yes() -> bool {
    true
}

/// The endpoints of duplicates.
pub struct Api;

#[OpenApi(tag = "crate::wire::Tag::Records")]
impl Api {
    /// Find duplicates of a new record.
    ///
    /// The records that look like what is known of a person or organization: by e-mail address, phone number, name,
    /// company, birthday and website. The same phone number alone is enough. Nothing is stored.
    #[oai(path = "/duplicates/find", method = "post", operation_id = "findDuplicates")]
    async fn find(&self, member: Member<Read>, body: Json<DuplicateQuery>) -> Reply<JsonResponse<DuplicateList>> {
        let kind = body.0.kind.kind();
        let ops = ensure_may(&member, kind)?;
        let profile = body.0.profile(&ops, || member.region().phone_country)?;
        let found = look_for(&member, kind, profile, None).await?;
        Ok(JsonResponse(DuplicateList::of(kind, found)))
    }

    /// Find duplicates of a record.
    ///
    /// Of customers and organizations. Without pairs that a member called no duplicates, and without people of the same
    /// company who have only a phone number in common.
    #[oai(path = "/:kind/:id/duplicates", method = "get", operation_id = "listRecordDuplicates")]
    async fn of_record(
        &self,
        member: Member<Read>,
        kind: Path<KindPath>,
        id: Path<Uuid>,
    ) -> Reply<JsonResponse<DuplicateList>> {
        let kind = kind.0.kind();
        let ops = kind.merge.ok_or_else(Error::not_found)?;
        ensure_may(&member, kind)?;
        let reader = member.reader();
        let own = member.read(|tx| (ops.profile)(tx, reader, id.0))?.ok_or_else(Error::not_found)?;
        let found = look_for(&member, kind, own.profile, Some(id.0)).await?;
        Ok(JsonResponse(DuplicateList::of(kind, found)))
    }

    /// List pairs of records that look alike.
    ///
    /// What the last scan found, the likeliest first, at most 5,000 pairs. Pairs that were merged or changed since, are
    /// in the bin or are no duplicates are not in it; a page may so be shorter than `limit`.
    #[oai(path = "/duplicates", method = "get", operation_id = "listDuplicates")]
    async fn list(
        &self,
        member: Member<Read>,
        kind: Query<KindPath>,
        limit: Query<Option<u32>>,
        cursor: Query<Option<String>>,
    ) -> Reply<Listed<PairView>> {
        let cursors = member.cursors();
        let paging = cursors.paging(limit.0, cursor.0.as_deref())?;
        let reader = member.reader();
        let page = member.read_blocking(move |tx| rules::list(tx, reader, kind.0.kind(), &paging)).await?;
        Ok(Listed(cursors.list(page.items.into_iter().map(PairView::from), page.next, page.total)?))
    }

    /// Get the last scan for duplicates.
    #[oai(path = "/duplicates/scan", method = "get", operation_id = "getDuplicateScan")]
    async fn scan(&self, member: Member<Read>, kind: Query<KindPath>) -> Reply<JsonResponse<ScanView>> {
        let kind = kind.0.kind();
        ensure_may(&member, kind)?;
        let scan = member.read(|tx| DuplicateScan::of(tx, KindName::of(kind)))?;
        Ok(JsonResponse(ScanView::of(kind, scan)))
    }

    /// Scan for duplicates.
    ///
    /// Compares all records of a kind in the background. A scan that is running goes on. A phone number alone makes no
    /// pair of people of the same company, nor of records that share it with more than three others. It requires the right
    /// to change records of the kind.
    #[oai(path = "/duplicates/scan", method = "post", operation_id = "scanDuplicates")]
    async fn begin_scan(&self, member: Member<Read>, body: Json<NewScan>) -> Reply<JsonResponse<ScanView>> {
        let kind = body.0.kind.kind();
        let reader = member.reader();
        let scan = member.write(move |tx| rules::begin_scan(tx, reader, kind)).await?;
        Ok(JsonResponse(ScanView::of(kind, Some(scan))))
    }

    /// Say that two records are no duplicates.
    ///
    /// They are then not found as such again, for any member. It requires the right to change records of the kind.
    #[oai(path = "/duplicates/dismiss", method = "post", operation_id = "dismissDuplicate")]
    async fn dismiss(&self, member: Member<Read>, body: Json<Dismissed>) -> Reply<NoContent> {
        let Dismissed { kind, ids, dismissed } = body.0;
        let [one, other] = ids.as_slice() else {
            return Err(Error::field("ids", "errors.fields.pair").into());
        };
        let pair = (*one, *other);
        let reader = member.reader();
        let work = move |tx: &TenantWrite<'_>| rules::dismiss(tx, reader, kind.kind(), pair, dismissed);
        member.write(work).await?;
        Ok(NoContent)
    }
}

/// Returns how duplicates of a kind are found.
/// Errors: `forbidden` when the caller may not read the kind; `invalid` for a kind without duplicates.
fn ensure_may<R: Right>(member: &Member<R>, kind: &RecordKind) -> Result<MergeOps> {
    let ops = rules::ops(kind)?;
    if member.may(kind.rights.read) { Ok(ops) } else { Err(Error::new(Code::Forbidden)) }
}

/// Returns the records that look like a profile.
async fn look_for<R: Right>(
    member: &Member<R>,
    kind: &'static RecordKind,
    profile: Profile,
    own: Option<Uuid>,
) -> Result<Vec<Duplicate>> {
    let heading = kind.bulk.ok_or_else(Error::not_found)?.heading;
    // All words, and the longest one alone, for names in which another word differs.
    let longest = profile.words.iter().max_by_key(|word| word.len()).cloned();
    let names = [Some(profile.words.join(" ")), longest].into_iter().flatten().filter(|name| !name.is_empty());
    let named = member.search_names(heading, kind.kind, names.collect(), NAMED).await?;
    let reader = member.reader();
    let look = move |tx: &TenantRead<'_>| {
        let named = named.into_iter().map(Uuid::from_bytes).collect();
        rules::find(tx, reader, kind, &profile, named, own)
    };
    member.read_blocking(look).await
}
