//! Customers: the people and companies that a tenant deals with. They cannot sign in.

mod api;
mod companies;
mod company;
mod exchange;
mod files;
mod merge;
mod model;
pub mod rules;
pub mod statuses;
mod upgrade;

pub use api::Api;
pub use company::{Renaming, follow_next};
#[cfg(test)]
pub use model::Attachment;
pub use model::{Attachments, BY_CHANGE, CUSTOMERS_LEVEL, Customer, Details, clean_notes, status_figure};
pub use rules::create;
pub use statuses::{Status, Statuses};
pub use upgrade::{ContactUpgrade, upgrade_some, waiting};

use uuid::Uuid;

use crate::{
    feature::{
        ColumnType, ExactKeys, Feature, FieldAccess, FieldReference, KindRecord, KindRights, ListColumn, LiveKind,
        Menu, RecordKind, Summary,
        columns::{day, ids, texts, word, words},
        contact::{ContactDates, ContactRecord, RecordName, last_contact, next_step},
        replace_reference, shows_file_of,
    },
    features::{
        organizations::{Email, Organization, Phone},
        records::activities::dates::set_dates,
    },
    kernel::{MemberId, Result, error::Faults},
    people::permission::{CustomersDelete, CustomersDeleteOwn, CustomersRead, CustomersWrite, Permission},
    store::{Record as _, Stored, TenantRead, TenantWrite},
};

/// Feature registration.
pub const FEATURE: Feature = Feature::new("customers")
    .with_kinds(&[KIND])
    .with_live(&[LiveKind::to_holders::<Statuses>(Permission::CustomersRead)])
    .with_files(&[|tx, reader, media| {
        shows_file_of::<Customer>(tx, reader, (Permission::CustomersRead, model::BY_FILE), media)
    }]);

/// The description of the kind.
const KIND: RecordKind = RecordKind::of::<Customer>(
    "customers",
    KindRights::of::<CustomersRead, CustomersWrite, CustomersDeleteOwn, CustomersDelete>(),
)
.with_own_files(files::FILES)
.in_bulk::<Customer>()
.exchanged::<Customer>()
.merged::<Customer>()
.with_contact::<Customer>()
.following_names(company::follow_name)
.in_menu(Menu { position: 30, icon: "contact", link: "/customers", count: None });

impl KindRecord for Customer {
    const COLUMNS: &'static [ListColumn<Self>] = &[
        ListColumn::new("name", ColumnType::Text, |one| texts([&one.name])),
        ListColumn::choice_of_company("status", Statuses::choices, |one| vec![word(&one.status)]),
        ListColumn::new("tags", ColumnType::Tags, |one| words(&one.tags)),
        ListColumn::new("ownerId", ColumnType::Member, |one| ids(one.owner_id)),
        ListColumn::record("organizationId", Organization::KIND, |one| ids(one.organization_id)),
        ListColumn::new("company", ColumnType::Text, |one| texts(&one.details.company)),
        ListColumn::new("title", ColumnType::Text, |one| texts(&one.details.title)),
        ListColumn::new("email", ColumnType::Text, |one| texts(one.details.emails.iter().flat_map(Email::spellings))),
        ListColumn::new("phone", ColumnType::Text, |one| {
            texts(one.details.phone_numbers.iter().flat_map(Phone::columns))
        }),
        ListColumn::new("birthday", ColumnType::Date, |one| {
            one.details.birthday.map(|birthday| day(birthday.place())).into_iter().collect()
        }),
        last_contact(),
        next_step(),
    ];

    const VALUES: Option<FieldAccess<Self>> =
        Some(FieldAccess { get: |one| &one.fields, get_mut: |one| &mut one.fields });

    const KEYS: ExactKeys = ExactKeys {
        external_id: Some(model::BY_EXTERNAL_ID),
        email: Some(model::BY_EMAIL),
        phone: Some(model::BY_PHONE),
        import_key: Some(model::BY_IMPORT_KEY),
        name: Some(model::BY_NAME),
    };

    const REFERENCES: &'static [FieldReference] =
        &[FieldReference { field: "organizationId", target: Organization::KIND, lookup: Some(model::BY_ORGANIZATION) }];

    fn replace_references(&mut self, target: Uuid, by: Option<Uuid>) {
        replace_reference(&mut self.organization_id, target, by);
    }

    fn after_restore(tx: &TenantWrite<'_>, record: &Stored<Self>, _quiet: bool) -> Result<()> {
        set_dates(tx, &KIND, record.id.uuid())
    }

    fn followers(record: &Stored<Self>) -> Vec<MemberId> {
        record.owner_id.into_iter().collect()
    }

    fn summary(_tx: &TenantRead<'_>, record: &Stored<Self>) -> Result<Option<Summary>> {
        Ok(Some(Summary { title: record.name.clone(), subtitle: record.details.company.clone(), done: None }))
    }

    fn adapt_restored(tx: &TenantWrite<'_>, _author: Option<MemberId>, record: &mut Self) -> Result<()> {
        let as_before = record.clone();
        record.status = Statuses::of(tx)?.present(&record.status);
        company::take_name(tx, record, Some(&as_before), &mut Faults::default())
    }
}

impl ContactRecord for Customer {
    fn dates(&self) -> &ContactDates {
        &self.contact
    }

    fn dates_mut(&mut self) -> &mut ContactDates {
        &mut self.contact
    }

    fn related(&self) -> Vec<RecordName> {
        self.organization_id.iter().map(|id| (Organization::KIND, id.uuid())).collect()
    }
}

#[cfg(test)]
mod organization_tests;
#[cfg(test)]
mod phone_tests;
#[cfg(test)]
mod tests;
