//! HTTP API for deals.

use poem_openapi::{
    Object, OpenApi,
    param::{Path, Query},
    types::MaybeUndefined,
};
use serde::Serialize;
use serde_with::skip_serializing_none;

use super::{
    forecast::{self, Forecast, SoughtDeals},
    model::{Deal, DealOutcome},
    rules,
};
use crate::{
    access::Member,
    feature::{
        BulkRecord, FieldValues, Money, Visibility,
        contact::{ContactDates, NextStep},
    },
    features::{
        customers::Customer,
        organizations::Organization,
        records::{
            self, bin,
            exact::{ExactQuery, owner_or_caller},
            fields::shown,
            get_visible,
            lists::{self, ColumnList},
            names::{RecordNames, ShowsNames},
        },
    },
    kernel::{Day, Heading, Id, MemberId, Result, Timestamp},
    people::permission::{DealsDeleteOwn, DealsRead, DealsWrite, Permission, Reader, Right},
    store::{Stored, TenantWrite},
    wire::{Created, IdempotencyKey, IfMatch, Json, JsonResponse, Listed, NoContent, NotNull, Reply, Versioned},
};

/// A deal.
#[skip_serializing_none]
#[derive(Debug, Serialize, Object)]
#[oai(rename = "Deal", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct View {
    id: Id<Deal>,
    version: u64,
    created_at: Timestamp,
    updated_at: Timestamp,
    /// The member who created it.
    created_by: Option<MemberId>,
    title: String,
    /// The person who may buy.
    customer_id: Option<Id<Customer>>,
    /// The name of that person. Absent when the person is in the bin or the caller may not see them.
    customer_name: Option<String>,
    /// The organization that may buy.
    organization_id: Option<Id<Organization>>,
    /// The name of that organization. Absent when it is in the bin or the caller may not see it.
    organization_name: Option<String>,
    /// What it is worth.
    value: Option<Money>,
    /// The id of its stage: `getPipeline` names them.
    stage_id: String,
    /// The day on which the sale is expected.
    expected_day: Option<Day>,
    /// The member who is responsible for it.
    owner_id: Option<MemberId>,
    outcome: DealOutcome,
    /// When it was won or lost.
    closed_at: Option<Timestamp>,
    /// The id of the reason why it was won or lost: `getPipeline` names them.
    reason_id: Option<String>,
    /// More about the reason.
    reason: Option<String>,
    tags: Vec<String>,
    /// A description.
    about: Option<String>,
    /// The id in another system.
    external_id: Option<String>,
    visibility: Visibility,
    /// When the last call, visit or e-mail was.
    last_contact_at: Option<Timestamp>,
    /// The open task that is due first.
    next_step: Option<NextStep>,
    fields: FieldValues,
}

impl From<Stored<Deal>> for View {
    fn from(record: Stored<Deal>) -> Self {
        let Stored { id, version, created_at, updated_at, created_by, value: deal } = record;
        Self {
            id,
            version,
            created_at,
            updated_at,
            created_by,
            title: deal.title,
            customer_id: deal.customer_id,
            customer_name: None,
            organization_id: deal.organization_id,
            organization_name: None,
            value: deal.worth,
            stage_id: deal.stage_id,
            expected_day: deal.expected_day,
            owner_id: deal.owner_id,
            outcome: deal.outcome,
            closed_at: deal.closed_at,
            reason_id: deal.reason_id,
            reason: deal.reason,
            tags: deal.tags,
            about: deal.about,
            external_id: deal.external_id,
            visibility: deal.visibility,
            last_contact_at: deal.contact.last,
            next_step: deal.contact.next,
            fields: deal.fields,
        }
    }
}

impl ShowsNames for View {
    fn add_names(&mut self, names: &mut RecordNames<'_>) -> Result<()> {
        self.customer_name = names.find::<Customer>(self.customer_id)?;
        self.organization_name = names.find::<Organization>(self.organization_id)?;
        Ok(())
    }
}

/// Adds the names to a response.
fn add_names<P: Right>(member: &Member<P>, view: &mut View) -> Result<()> {
    member.read(|tx| view.add_names(&mut RecordNames::new(tx, member.reader())))
}

/// A new deal.
#[derive(Object)]
#[oai(rename = "NewDeal", rename_all = "camelCase", deny_unknown_fields)]
pub struct New {
    /// What is sold, at most 200 characters.
    title: String,
    /// The person who may buy.
    customer_id: Option<Id<Customer>>,
    /// The organization that may buy.
    organization_id: Option<Id<Organization>>,
    /// What it is worth; not negative.
    value: Option<Money>,
    /// The id of its stage; the first one by default.
    stage_id: Option<String>,
    /// The day on which the sale is expected.
    expected_day: Option<Day>,
    /// The member who is responsible for it; by default the caller.
    owner_id: MaybeUndefined<MemberId>,
    /// Whether it was won or lost; `open` by default.
    #[oai(default)]
    outcome: DealOutcome,
    /// When it was won or lost, not in the future; by default now. Not kept while it is open.
    closed_at: Option<Timestamp>,
    /// The id of the reason why it was won or lost. Not kept while it is open.
    reason_id: Option<String>,
    /// More about the reason, at most 500 characters. Not kept while it is open.
    reason: Option<String>,
    /// At most 30 tags of at most 50 characters; stored in lower case.
    #[oai(default)]
    tags: Vec<String>,
    /// A description of at most 5,000 characters.
    about: Option<String>,
    /// The id in another system, at most 100 characters. No other record of the kind that all members see has it.
    external_id: Option<String>,
    /// Who can see it besides its author and owner; all members by default.
    visibility: Option<Visibility>,
    #[oai(default)]
    fields: FieldValues,
}

impl New {
    /// Returns the deal, as this member creates it.
    pub(super) fn by(self, caller: MemberId) -> Deal {
        Deal {
            title: self.title,
            customer_id: self.customer_id,
            organization_id: self.organization_id,
            worth: self.value,
            stage_id: self.stage_id.unwrap_or_default(),
            expected_day: self.expected_day,
            owner_id: owner_or_caller(self.owner_id, caller),
            outcome: self.outcome,
            closed_at: self.closed_at,
            reason_id: self.reason_id,
            reason: self.reason,
            tags: self.tags,
            about: self.about,
            external_id: self.external_id,
            import_key: None,
            visibility: self.visibility.unwrap_or_default(),
            former_audience: None,
            contact: ContactDates::default(),
            fields: self.fields,
        }
    }
}

/// Changes to a deal, as a JSON merge patch. Absent fields stay unchanged, null clears a field, a list is replaced.
#[derive(Object)]
#[oai(rename = "DealPatch", rename_all = "camelCase", deny_unknown_fields)]
pub struct Patch {
    title: NotNull<String>,
    customer_id: MaybeUndefined<Id<Customer>>,
    organization_id: MaybeUndefined<Id<Organization>>,
    /// What it is worth; not negative, unless it was before.
    value: MaybeUndefined<Money>,
    stage_id: NotNull<String>,
    expected_day: MaybeUndefined<Day>,
    owner_id: MaybeUndefined<MemberId>,
    outcome: NotNull<DealOutcome>,
    /// When it was won or lost, not in the future; null is now. Not kept while it is open.
    closed_at: MaybeUndefined<Timestamp>,
    reason_id: MaybeUndefined<String>,
    reason: MaybeUndefined<String>,
    tags: NotNull<Vec<String>>,
    about: MaybeUndefined<String>,
    external_id: MaybeUndefined<String>,
    visibility: NotNull<Visibility>,
    /// Values of custom fields. Absent ones stay unchanged.
    fields: NotNull<FieldValues>,
}

impl Patch {
    fn apply(self, mut deal: Deal) -> Deal {
        self.title.update_to(&mut deal.title);
        self.customer_id.update_to(&mut deal.customer_id);
        self.organization_id.update_to(&mut deal.organization_id);
        self.value.update_to(&mut deal.worth);
        self.stage_id.update_to(&mut deal.stage_id);
        self.expected_day.update_to(&mut deal.expected_day);
        self.owner_id.update_to(&mut deal.owner_id);
        if let Some(outcome) = self.outcome.into_option().filter(|outcome| *outcome != deal.outcome) {
            // A reason and a time belong to the outcome that they were given for.
            (deal.outcome, deal.closed_at, deal.reason_id, deal.reason) = (outcome, None, None, None);
        }
        self.closed_at.update_to(&mut deal.closed_at);
        self.reason_id.update_to(&mut deal.reason_id);
        self.reason.update_to(&mut deal.reason);
        self.tags.update_to(&mut deal.tags);
        self.about.update_to(&mut deal.about);
        self.external_id.update_to(&mut deal.external_id);
        self.visibility.update_to(&mut deal.visibility);
        self.fields.into_option().into_iter().for_each(|values| deal.fields.merge(values));
        deal
    }
}

impl BulkRecord for Deal {
    type View = View;
    type Patch = Patch;
    const HEADING: Heading = Heading::Deals;
    const FIELDS: &'static [&'static str] = &[
        "stageId",
        "ownerId",
        "expectedDay",
        "outcome",
        "reasonId",
        "reason",
        "organizationId",
        "customerId",
        "tags",
        "fields",
    ];
    const FOLLOWING: &'static [&'static str] = &["closedAt", "reasonId", "reason"];

    fn change(tx: &TenantWrite<'_>, reader: Reader, id: Id<Self>, patch: Patch, _quiet: bool) -> Result<Stored<Self>> {
        rules::change(tx, reader, id, None, |old| patch.apply(old))
    }
}

/// The deal endpoints.
pub struct Api;

#[OpenApi(prefix_path = "/deals", tag = "crate::wire::Tag::Deals")]
impl Api {
    /// List deals.
    ///
    /// Those that the caller may see, by `expectedDay` unless `sort` names another order. A filter is for example
    /// `outcome:is:open`.
    #[oai(path = "/", method = "get", operation_id = "listDeals")]
    async fn list(
        &self,
        member: Member<DealsRead>,
        limit: Query<Option<u32>>,
        cursor: Query<Option<String>>,
        q: Query<Option<String>>,
        sort: Query<Option<String>>,
        #[oai(default)] filter: Query<Vec<String>>,
    ) -> Reply<Listed<View>> {
        let paging = member.cursors().paging(limit.0, cursor.0.as_deref())?;
        let words = lists::words(Heading::Deals, q.0);
        let list = ColumnList::new(filter.0, sort.0, "expectedDay", words);
        lists::reply_with_names(&member, list, paging).await
    }

    /// Forecast sales.
    ///
    /// What open deals are worth by the month of their expected day, also times the probabilities of their stages, and
    /// what was won in each month, by the days of the caller's time zone.
    #[oai(path = "/forecast", method = "get", operation_id = "getForecast")]
    async fn forecast(
        &self,
        member: Member<DealsRead>,
        /// The first month, such as `2026-11`; the present one by default.
        from: Query<Option<String>>,
        /// The number of months, 1 to 24; 6 by default.
        months: Query<Option<u32>>,
        q: Query<Option<String>>,
        #[oai(default)] filter: Query<Vec<String>>,
    ) -> Reply<JsonResponse<Forecast>> {
        let deals = SoughtDeals { words: q.0, filters: filter.0 };
        Ok(JsonResponse(forecast::of(&member, &super::KIND, from.0.as_deref(), months.0, deals).await?))
    }

    /// Create a deal.
    #[oai(path = "/", method = "post", operation_id = "createDeal")]
    async fn create(
        &self,
        member: Member<DealsWrite>,
        #[oai(name = "Idempotency-Key")] key: IdempotencyKey,
        body: Json<New>,
    ) -> Reply<Created<View>> {
        let deal = body.0.by(member.id());
        let record = member
            .write_idempotent("deals.create", key.0, body.1, move |tx| shown(tx, rules::create(tx, deal)?))
            .await?;
        Ok(Created::in_list("/api/deals", record).complete(|view| add_names(&member, view))?)
    }

    /// Look up deals.
    ///
    /// Those that have exactly this external id.
    #[oai(path = "/lookup", method = "get", operation_id = "lookUpDeals")]
    async fn look_up(
        &self,
        member: Member<DealsRead>,
        #[oai(name = "externalId")] external_id: Query<Option<String>>,
    ) -> Reply<Listed<View>> {
        let query = ExactQuery::of(&member, external_id.0, None, None)?;
        let reader = member.reader();
        let found = member.read(|tx| {
            let mut names = RecordNames::new(tx, reader);
            let show = |one| {
                let mut view = View::from(shown(tx, one)?);
                view.add_names(&mut names)?;
                Ok(view)
            };
            query.find::<Deal>(tx, reader)?.into_iter().map(show).collect::<Result<Vec<_>>>()
        })?;
        let total = found.len() as u64;
        Ok(Listed(member.cursors().list(found, None, total)?))
    }

    /// Get a deal.
    ///
    /// Of one in the bin that the caller may restore, the 404 is `record_in_bin`, with `deletedAt`.
    #[oai(path = "/:id", method = "get", operation_id = "getDeal")]
    async fn get(&self, member: Member<DealsRead>, id: Path<Id<Deal>>) -> Reply<Versioned<View>> {
        let record = member.read(|tx| shown(tx, bin::get_or_binned(tx, member.reader(), id.0)?))?;
        Ok(Versioned::of(record).complete(|view| add_names(&member, view))?)
    }

    /// Change a deal.
    #[oai(path = "/:id", method = "patch", operation_id = "changeDeal")]
    async fn change(
        &self,
        member: Member<DealsWrite>,
        id: Path<Id<Deal>>,
        #[oai(name = "If-Match")] if_match: IfMatch,
        body: Json<Patch>,
    ) -> Reply<Versioned<View>> {
        let patch = body.0;
        let reader = member.reader();
        let work = move |tx: &TenantWrite<'_>| rules::change(tx, reader, id.0, if_match.0, |old| patch.apply(old));
        let record = member.write(move |tx| shown(tx, work(tx)?)).await?;
        Ok(Versioned::of(record).complete(|view| add_names(&member, view))?)
    }

    /// Remove a deal.
    ///
    /// Members may remove those that they created.
    #[oai(path = "/:id", method = "delete", operation_id = "removeDeal")]
    async fn remove(
        &self,
        member: Member<DealsDeleteOwn>,
        id: Path<Id<Deal>>,
        #[oai(name = "If-Match")] if_match: IfMatch,
    ) -> Reply<NoContent> {
        let any = member.may(Permission::DealsDelete);
        let reader = member.reader();
        let work = move |tx: &TenantWrite<'_>| {
            get_visible::<Deal>(tx, reader, id.0)?;
            records::remove::<Deal>(tx, id.0, any, if_match.0)
        };
        member.write(work).await?;
        Ok(NoContent)
    }
}
