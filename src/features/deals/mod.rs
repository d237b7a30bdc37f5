//! Deals: possible sales to customers and organizations, in the stages of the company's pipeline until they are won or
//! lost. A deal is visible to those whom its visibility names, its author, its owner and administrators.

mod api;
mod exchange;
mod forecast;
mod model;
pub mod pipeline;
pub mod rules;
#[cfg(test)]
mod tests;

pub use api::Api;
pub use model::{Deal, DealOutcome};
pub use pipeline::{Api as PipelineApi, Pipeline};

use uuid::Uuid;

use crate::{
    feature::{
        Audience, ColumnType, ExactKeys, Feature, FieldAccess, FieldReference, FormerAudience, KindRecord, KindRights,
        ListColumn, LiveKind, RecordKind, Summary, VisibleTo,
        columns::{choice, day, ids, money, texts, time, word, words},
        contact::{ContactDates, ContactRecord, RecordName, last_contact, next_step},
        replace_reference,
    },
    features::{customers::Customer, organizations::Organization, records::activities::dates::set_dates},
    kernel::{MemberId, Result},
    people::permission::{DealsDelete, DealsDeleteOwn, DealsRead, DealsWrite, Permission},
    store::{Record as _, Stored, TenantRead, TenantWrite},
};

/// Feature registration.
pub const FEATURE: Feature =
    Feature::new("deals").with_kinds(&[KIND]).with_live(&[LiveKind::to_holders::<Pipeline>(Permission::DealsRead)]);

/// The description of the kind. Its lists and records are tabs of the customers' screen.
const KIND: RecordKind =
    RecordKind::of::<Deal>("deals", KindRights::of::<DealsRead, DealsWrite, DealsDeleteOwn, DealsDelete>())
        .at("/customers/deals/")
        .with_visibility::<Deal>()
        .in_bulk::<Deal>()
        .exchanged::<Deal>()
        .with_contact::<Deal>();

impl KindRecord for Deal {
    const COLUMNS: &'static [ListColumn<Self>] = &[
        ListColumn::new("title", ColumnType::Text, |one| texts([&one.title])),
        ListColumn::record("customerId", Customer::KIND, |one| ids(one.customer_id)),
        ListColumn::record("organizationId", Organization::KIND, |one| ids(one.organization_id)),
        ListColumn::new("value", ColumnType::Money, |one| {
            one.worth.iter().map(|worth| money(&worth.currency, worth.amount)).collect()
        }),
        ListColumn::choice("stageId", &[], |one| vec![word(&one.stage_id)]),
        ListColumn::new("expectedDay", ColumnType::Date, |one| one.expected_day.map(day).into_iter().collect()),
        ListColumn::new("ownerId", ColumnType::Member, |one| ids(one.owner_id)),
        ListColumn::choice_of::<DealOutcome>("outcome", |one| vec![choice(&one.outcome)]),
        ListColumn::new("closedAt", ColumnType::Time, |one| one.closed_at.map(time).into_iter().collect()),
        ListColumn::choice("reasonId", &[], |one| one.reason_id.as_deref().map(word).into_iter().collect()),
        ListColumn::new("tags", ColumnType::Tags, |one| words(&one.tags)),
        ListColumn::choice_of::<VisibleTo>("visibility", |one| vec![choice(&one.visibility.to)]),
        last_contact(),
        next_step(),
    ];

    const KEYS: ExactKeys = ExactKeys {
        external_id: Some(model::BY_EXTERNAL_ID),
        import_key: Some(model::BY_IMPORT_KEY),
        ..ExactKeys::NONE
    };

    const VALUES: Option<FieldAccess<Self>> =
        Some(FieldAccess { get: |one| &one.fields, get_mut: |one| &mut one.fields });

    const REFERENCES: &'static [FieldReference] = &[
        FieldReference { field: "customerId", target: Customer::KIND, lookup: Some(model::BY_CUSTOMER) },
        FieldReference { field: "organizationId", target: Organization::KIND, lookup: Some(model::BY_ORGANIZATION) },
    ];

    /// So that a company never loses access to what its members know.
    const SEES_ALL: Option<Permission> = Some(Permission::DealsDelete);

    fn audience(record: &Stored<Self>) -> Audience {
        record.audience_with(record.created_by)
    }

    fn former_audience(&self) -> Option<&FormerAudience> {
        self.former_audience.as_ref()
    }

    fn replace_references(&mut self, target: Uuid, by: Option<Uuid>) {
        replace_reference(&mut self.customer_id, target, by);
        replace_reference(&mut self.organization_id, target, by);
    }

    fn after_restore(tx: &TenantWrite<'_>, record: &Stored<Self>, _quiet: bool) -> Result<()> {
        set_dates(tx, &KIND, record.id.uuid())
    }

    fn followers(record: &Stored<Self>) -> Vec<MemberId> {
        record.owner_id.into_iter().collect()
    }

    fn summary(tx: &TenantRead<'_>, record: &Stored<Self>) -> Result<Option<Summary>> {
        let customer = record.customer_id.map_or(Ok(None), |id| tx.find_intact::<Customer>(id))?;
        let organization = record.organization_id.map_or(Ok(None), |id| tx.find_intact::<Organization>(id))?;
        let subtitle = organization.map(|one| one.value.name).or_else(|| customer.map(|one| one.value.name));
        Ok(Some(Summary { title: record.title.clone(), subtitle, done: None }))
    }

    fn adapt_restored(tx: &TenantWrite<'_>, _author: Option<MemberId>, record: &mut Self) -> Result<()> {
        let pipeline = Pipeline::of(tx)?;
        if pipeline.stage(&record.stage_id).is_none() {
            record.stage_id = pipeline.first_stage();
        }
        Ok(())
    }
}

impl ContactRecord for Deal {
    fn dates(&self) -> &ContactDates {
        &self.contact
    }

    fn dates_mut(&mut self) -> &mut ContactDates {
        &mut self.contact
    }

    fn related(&self) -> Vec<RecordName> {
        let customer = self.customer_id.map(|id| (Customer::KIND, id.uuid()));
        let organization = self.organization_id.map(|id| (Organization::KIND, id.uuid()));
        customer.into_iter().chain(organization).collect()
    }
}
