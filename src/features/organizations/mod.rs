//! Organizations: the firms, authorities and households that a tenant deals with. Customers belong to them.

mod api;
mod contact;
mod exchange;
mod merge;
mod model;
pub mod rules;
#[cfg(test)]
mod tests;

pub use api::Api;
pub use contact::{Email, Phone, index_channels};
pub use model::{MAX_NAME, Organization};
pub use rules::find_by_name;

use crate::{
    feature::{
        ColumnType, ExactKeys, Feature, FieldAccess, KindRecord, KindRights, ListColumn, RecordKind, Summary,
        columns::{ids, texts, words},
        contact::{ContactDates, ContactRecord, RecordName, last_contact, next_step},
        shows_file_of,
    },
    features::records::activities::dates::set_dates,
    kernel::{MemberId, Result},
    people::permission::{OrganizationsDelete, OrganizationsDeleteOwn, OrganizationsRead, OrganizationsWrite},
    store::{Stored, TenantRead, TenantWrite},
};

/// Feature registration.
pub const FEATURE: Feature = Feature::new("organizations").with_kinds(&[KIND]).with_files(&[|tx, reader, media| {
    shows_file_of::<Organization>(tx, reader, (KIND.rights.read, model::BY_FILE), media)
}]);

/// The description of the kind. Its lists and records are tabs of the customers' screen.
const KIND: RecordKind = RecordKind::of::<Organization>(
    "organizations",
    KindRights::of::<OrganizationsRead, OrganizationsWrite, OrganizationsDeleteOwn, OrganizationsDelete>(),
)
.at("/customers/organizations/")
.in_bulk::<Organization>()
.exchanged::<Organization>()
.merged::<Organization>()
.with_contact::<Organization>();

impl KindRecord for Organization {
    const COLUMNS: &'static [ListColumn<Self>] = &[
        ListColumn::new("name", ColumnType::Text, |one| texts([&one.name])),
        ListColumn::new("tags", ColumnType::Tags, |one| words(&one.tags)),
        ListColumn::new("ownerId", ColumnType::Member, |one| ids(one.owner_id)),
        ListColumn::new("email", ColumnType::Text, |one| texts(one.emails.iter().flat_map(Email::spellings))),
        ListColumn::new("phone", ColumnType::Text, |one| texts(one.phone_numbers.iter().flat_map(Phone::columns))),
        ListColumn::new("website", ColumnType::Text, |one| texts(&one.website)),
        ListColumn::new("address", ColumnType::Text, |one| texts(&one.address)),
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

    fn after_restore(tx: &TenantWrite<'_>, record: &Stored<Self>, _quiet: bool) -> Result<()> {
        set_dates(tx, &KIND, record.id.uuid())?;
        // Those in the background did not follow while it was in the bin.
        rules::announce_name(tx, record.id)
    }

    fn followers(record: &Stored<Self>) -> Vec<MemberId> {
        record.owner_id.into_iter().collect()
    }

    fn summary(_tx: &TenantRead<'_>, record: &Stored<Self>) -> Result<Option<Summary>> {
        let place = record.address.as_deref().and_then(|address| address.lines().next_back());
        Ok(Some(Summary { title: record.name.clone(), subtitle: place.map(str::to_owned), done: None }))
    }
}

impl ContactRecord for Organization {
    fn dates(&self) -> &ContactDates {
        &self.contact
    }

    fn dates_mut(&mut self) -> &mut ContactDates {
        &mut self.contact
    }

    fn related(&self) -> Vec<RecordName> {
        Vec::new()
    }
}
