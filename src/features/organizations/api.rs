//! HTTP API for organizations.

use poem_openapi::{
    Object, OpenApi,
    param::{Path, Query},
    types::MaybeUndefined,
};
use serde::Serialize;
use serde_with::skip_serializing_none;

use super::{
    contact::{Email, Phone},
    model::Organization,
    rules,
};
use crate::{
    access::Member,
    feature::{
        BulkRecord, FieldValues,
        contact::{ContactDates, NextStep},
    },
    features::records::{
        self, bin,
        exact::{ExactQuery, owner_or_caller},
        fields::shown,
        lists::{self, ColumnList},
    },
    kernel::{Heading, Id, MemberId, Result, Timestamp},
    people::permission::{OrganizationsDeleteOwn, OrganizationsRead, OrganizationsWrite, Permission, Reader},
    store::{Stored, TenantWrite},
    wire::{Created, IdempotencyKey, IfMatch, Json, Listed, NoContent, NotNull, Reply, Versioned},
};

/// An organization.
#[skip_serializing_none]
#[derive(Debug, Serialize, Object)]
#[oai(rename = "Organization", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct View {
    id: Id<Organization>,
    version: u64,
    created_at: Timestamp,
    updated_at: Timestamp,
    /// The member who created it.
    created_by: Option<MemberId>,
    name: String,
    /// The `url` of a picture.
    logo: Option<String>,
    /// A short description.
    about: Option<String>,
    tags: Vec<String>,
    /// The member who is responsible for the organization.
    owner_id: Option<MemberId>,
    /// E-mail addresses, the preferred one first.
    emails: Vec<Email>,
    /// Phone numbers, the preferred one first.
    phone_numbers: Vec<Phone>,
    /// An http or https URL.
    website: Option<String>,
    /// Postal address with several lines.
    address: Option<String>,
    /// The id in another system.
    external_id: Option<String>,
    /// When the last call, visit or e-mail was.
    last_contact_at: Option<Timestamp>,
    /// The open task that is due first.
    next_step: Option<NextStep>,
    fields: FieldValues,
}

impl From<Stored<Organization>> for View {
    fn from(record: Stored<Organization>) -> Self {
        let Stored { id, version, created_at, updated_at, created_by, value } = record;
        let Organization {
            name,
            logo,
            about,
            tags,
            owner_id,
            emails,
            phone_numbers,
            website,
            address,
            external_id,
            import_key: _,
            contact,
            fields,
        } = value;
        Self {
            id,
            version,
            created_at,
            updated_at,
            created_by,
            name,
            logo,
            about,
            tags,
            owner_id,
            emails,
            phone_numbers,
            website,
            address,
            external_id,
            last_contact_at: contact.last,
            next_step: contact.next,
            fields,
        }
    }
}

/// A new organization.
#[derive(Object)]
#[oai(rename = "NewOrganization", rename_all = "camelCase", deny_unknown_fields)]
pub struct New {
    /// The name, at most 200 characters.
    name: String,
    /// The `url` of an uploaded picture.
    logo: Option<String>,
    /// A short description of at most 5,000 characters.
    about: Option<String>,
    /// At most 30 tags of at most 50 characters; stored in lower case.
    #[oai(default)]
    tags: Vec<String>,
    /// The member who is responsible for the organization; by default the caller.
    owner_id: MaybeUndefined<MemberId>,
    /// E-mail addresses, the preferred one first.
    #[oai(default)]
    emails: Vec<Email>,
    /// Phone numbers, the preferred one first.
    #[oai(default)]
    phone_numbers: Vec<Phone>,
    /// An http or https URL; without a scheme it gets `https://`.
    website: Option<String>,
    /// Postal address with several lines, at most 500 characters.
    address: Option<String>,
    /// The id in another system, at most 100 characters. No other record of the kind has it.
    external_id: Option<String>,
    #[oai(default)]
    fields: FieldValues,
}

impl New {
    /// Returns the organization, as this member creates it.
    pub(super) fn by(self, caller: MemberId) -> Organization {
        Organization {
            name: self.name,
            logo: self.logo,
            about: self.about,
            tags: self.tags,
            owner_id: owner_or_caller(self.owner_id, caller),
            emails: self.emails,
            phone_numbers: self.phone_numbers,
            website: self.website,
            address: self.address,
            external_id: self.external_id,
            import_key: None,
            contact: ContactDates::default(),
            fields: self.fields,
        }
    }
}

/// Changes to an organization, as a JSON merge patch. Absent fields stay unchanged, null clears a field, a list is replaced.
#[derive(Object)]
#[oai(rename = "OrganizationPatch", rename_all = "camelCase", deny_unknown_fields)]
pub struct Patch {
    name: NotNull<String>,
    logo: MaybeUndefined<String>,
    about: MaybeUndefined<String>,
    tags: NotNull<Vec<String>>,
    owner_id: MaybeUndefined<MemberId>,
    emails: NotNull<Vec<Email>>,
    phone_numbers: NotNull<Vec<Phone>>,
    website: MaybeUndefined<String>,
    address: MaybeUndefined<String>,
    external_id: MaybeUndefined<String>,
    /// Values of custom fields. Absent ones stay unchanged.
    fields: NotNull<FieldValues>,
}

impl Patch {
    fn apply(self, mut organization: Organization) -> Organization {
        self.name.update_to(&mut organization.name);
        self.logo.update_to(&mut organization.logo);
        self.about.update_to(&mut organization.about);
        self.tags.update_to(&mut organization.tags);
        self.owner_id.update_to(&mut organization.owner_id);
        self.emails.update_to(&mut organization.emails);
        self.phone_numbers.update_to(&mut organization.phone_numbers);
        self.website.update_to(&mut organization.website);
        self.address.update_to(&mut organization.address);
        self.external_id.update_to(&mut organization.external_id);
        self.fields.into_option().into_iter().for_each(|values| organization.fields.merge(values));
        organization
    }
}

impl BulkRecord for Organization {
    type View = View;
    type Patch = Patch;
    const HEADING: Heading = Heading::Organizations;
    const FIELDS: &'static [&'static str] = &["ownerId", "address", "tags", "fields"];

    fn change(tx: &TenantWrite<'_>, _: Reader, id: Id<Self>, patch: Patch, _quiet: bool) -> Result<Stored<Self>> {
        rules::change(tx, id, None, |old| patch.apply(old))
    }
}

/// The organization endpoints.
pub struct Api;

#[OpenApi(prefix_path = "/organizations", tag = "crate::wire::Tag::Organizations")]
impl Api {
    /// List organizations.
    ///
    /// By `name`, unless `sort` names another order. A filter is for example `tags:is:supplier`. With `q`, lists the 1,000
    /// best matches at most.
    #[oai(path = "/", method = "get", operation_id = "listOrganizations")]
    async fn list(
        &self,
        member: Member<OrganizationsRead>,
        limit: Query<Option<u32>>,
        cursor: Query<Option<String>>,
        q: Query<Option<String>>,
        sort: Query<Option<String>>,
        #[oai(default)] filter: Query<Vec<String>>,
    ) -> Reply<Listed<View>> {
        let paging = member.cursors().paging(limit.0, cursor.0.as_deref())?;
        let words = lists::words(Heading::Organizations, q.0);
        let list = ColumnList::new(filter.0, sort.0, "name", words);
        lists::reply(&member, list, paging).await
    }

    /// Create an organization.
    #[oai(path = "/", method = "post", operation_id = "createOrganization")]
    async fn create(
        &self,
        member: Member<OrganizationsWrite>,
        #[oai(name = "Idempotency-Key")] key: IdempotencyKey,
        body: Json<New>,
    ) -> Reply<Created<View>> {
        let mut organization = body.0.by(member.id());
        Phone::complete(&mut organization.phone_numbers, || member.region().phone_country);
        let record = member
            .write_idempotent("organizations.create", key.0, body.1, move |tx| {
                shown(tx, rules::create(tx, organization)?)
            })
            .await?;
        Ok(Created::in_list("/api/organizations", record))
    }

    /// Look up organizations.
    ///
    /// Those that have exactly this external id, e-mail address or phone number, at most 50. A phone number can be written in any way; without a country code it is one of the caller's country.
    #[oai(path = "/lookup", method = "get", operation_id = "lookUpOrganizations")]
    async fn look_up(
        &self,
        member: Member<OrganizationsRead>,
        #[oai(name = "externalId")] external_id: Query<Option<String>>,
        email: Query<Option<String>>,
        phone: Query<Option<String>>,
    ) -> Reply<Listed<View>> {
        let query = ExactQuery::of(&member, external_id.0, email.0, phone.0)?;
        let reader = member.reader();
        let found = member.read(|tx| {
            query.find::<Organization>(tx, reader)?.into_iter().map(|one| shown(tx, one)).collect::<Result<Vec<_>>>()
        })?;
        let total = found.len() as u64;
        Ok(Listed(member.cursors().list(found, None, total)?))
    }

    /// Get an organization.
    ///
    /// Of one that was merged into another, the 404 has the id of that one as `mergedInto`;
    /// of one in the bin that the caller may restore, it is `record_in_bin` with `deletedAt`.
    #[oai(path = "/:id", method = "get", operation_id = "getOrganization")]
    async fn get(&self, member: Member<OrganizationsRead>, id: Path<Id<Organization>>) -> Reply<Versioned<View>> {
        Ok(Versioned::of(member.read(|tx| shown(tx, bin::get_or_binned(tx, member.reader(), id.0)?))?))
    }

    /// Change an organization.
    #[oai(path = "/:id", method = "patch", operation_id = "changeOrganization")]
    async fn change(
        &self,
        member: Member<OrganizationsWrite>,
        id: Path<Id<Organization>>,
        #[oai(name = "If-Match")] if_match: IfMatch,
        body: Json<Patch>,
    ) -> Reply<Versioned<View>> {
        let mut patch = body.0;
        if let Some(phones) = patch.phone_numbers.as_mut() {
            Phone::complete(phones, || member.region().phone_country);
        }
        let record =
            member.write(move |tx| shown(tx, rules::change(tx, id.0, if_match.0, |old| patch.apply(old))?)).await?;
        Ok(Versioned::of(record))
    }

    /// Remove an organization.
    ///
    /// Members may remove those that they created.
    #[oai(path = "/:id", method = "delete", operation_id = "removeOrganization")]
    async fn remove(
        &self,
        member: Member<OrganizationsDeleteOwn>,
        id: Path<Id<Organization>>,
        #[oai(name = "If-Match")] if_match: IfMatch,
    ) -> Reply<NoContent> {
        let any = member.may(Permission::OrganizationsDelete);
        member.write(move |tx| records::remove::<Organization>(tx, id.0, any, if_match.0)).await?;
        Ok(NoContent)
    }
}
