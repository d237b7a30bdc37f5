//! HTTP API for customers.

use std::cmp::Reverse;

use poem_openapi::{
    Object, OpenApi,
    param::{Path, Query},
    types::MaybeUndefined,
};
use serde::Serialize;
use serde_with::skip_serializing_none;

use super::{
    companies::{self, ChosenCompanies, MAKE_ORGANIZATIONS, NamedCompany, make_organization, organization_of},
    model::{Attachment, Attachments, Customer, Details, clean_notes},
    rules::{self, CustomerFilter},
    statuses::Statuses,
};
use crate::{
    access::Member,
    feature::{
        BulkRecord, FieldValues, OwnChange, columns,
        contact::{ContactDates, NextStep},
    },
    features::{
        organizations::{Email, Organization, Phone},
        records::{
            self, KindName, bin,
            bulk::{self, BulkAction, BulkView},
            exact::{ExactQuery, owner_or_caller},
            fields::{shown, shown_page},
            lists::{self, ColumnList, stored_order},
        },
    },
    kernel::{Birthday, Code, Error, Heading, Id, MemberId, Result, Timestamp, error::Faults, text},
    people::permission::{CustomersDeleteOwn, CustomersRead, CustomersWrite, Permission, Reader, Right},
    store::{Stored, TenantRead, TenantWrite},
    wire::{
        Accepted, Created, IdempotencyKey, IfMatch, Json, JsonResponse, Listed, NoContent, NotNull, Paging, Reply,
        Versioned, page::foreign_cursor,
    },
};

/// A customer.
#[skip_serializing_none]
#[derive(Debug, Serialize, Object)]
#[oai(rename = "Customer", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct View {
    id: Id<Customer>,
    version: u64,
    created_at: Timestamp,
    updated_at: Timestamp,
    /// The member who created it.
    created_by: Option<MemberId>,
    name: String,
    /// The `url` of a picture.
    avatar: Option<String>,
    /// The `url` of a wide picture.
    background: Option<String>,
    /// A short description.
    about: Option<String>,
    /// The id of the status: `getCustomerStatuses` names it.
    status: String,
    tags: Vec<String>,
    /// The member who is responsible for the customer.
    owner_id: Option<MemberId>,
    /// Sanitized HTML.
    notes: Option<String>,
    /// The organization that the customer belongs to.
    organization_id: Option<Id<Organization>>,
    /// The id in another system.
    external_id: Option<String>,
    details: Details,
    attachments: Attachments,
    /// When the last call, visit or e-mail was.
    last_contact_at: Option<Timestamp>,
    /// The open task that is due first.
    next_step: Option<NextStep>,
    fields: FieldValues,
}

impl From<Stored<Customer>> for View {
    fn from(record: Stored<Customer>) -> Self {
        let Stored { id, version, created_at, updated_at, created_by, value } = record;
        let Customer {
            name,
            avatar,
            background,
            about,
            status,
            tags,
            owner_id,
            notes,
            organization_id,
            external_id,
            import_key: _,
            details,
            attachments,
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
            avatar,
            background,
            about,
            status,
            tags,
            owner_id,
            notes,
            organization_id,
            external_id,
            details,
            attachments,
            last_contact_at: contact.last,
            next_step: contact.next,
            fields,
        }
    }
}

/// A new customer.
#[derive(Object)]
#[oai(rename = "NewCustomer", rename_all = "camelCase", deny_unknown_fields)]
pub struct New {
    /// The name, at most 200 characters.
    name: String,
    /// The `url` of an uploaded picture.
    avatar: Option<String>,
    /// The `url` of an uploaded picture.
    background: Option<String>,
    /// A short description of at most 5,000 characters.
    about: Option<String>,
    /// The id of the status; by default the first one.
    status: Option<String>,
    /// At most 30 tags of at most 50 characters; stored in lower case.
    #[oai(default)]
    tags: Vec<String>,
    /// The member who is responsible for the customer; by default the caller.
    owner_id: MaybeUndefined<MemberId>,
    /// HTML of at most 50,000 characters; tags that are not on the list of safe tags are removed.
    notes: Option<String>,
    /// The organization that the customer belongs to. Its name becomes the `company` of the details.
    organization_id: Option<Id<Organization>>,
    /// Without an `organizationId`: whether the customer belongs to the organization with the name of the `company` of the
    /// details, which is created if there is none. It requires the right to change organizations.
    #[oai(default)]
    new_organization: bool,
    /// The id in another system, at most 100 characters. No other record of the kind has it.
    external_id: Option<String>,
    #[oai(default)]
    details: Details,
    #[oai(default)]
    attachments: Attachments,
    #[oai(default)]
    fields: FieldValues,
}

impl New {
    /// Returns the customer, as this member creates it.
    pub(super) fn by(self, caller: MemberId) -> Customer {
        let New {
            name,
            avatar,
            background,
            about,
            status,
            tags,
            owner_id,
            notes,
            organization_id,
            new_organization: _,
            external_id,
            details,
            attachments,
            fields,
        } = self;
        Customer {
            name,
            avatar,
            background,
            about,
            status: status.unwrap_or_default(),
            tags,
            owner_id: owner_or_caller(owner_id, caller),
            notes,
            organization_id,
            external_id,
            details,
            attachments,
            import_key: None,
            contact: ContactDates::default(),
            fields,
        }
    }
}

/// Changes to a customer, as a JSON merge patch. Absent fields stay unchanged, null clears a field, a list is replaced.
#[derive(Object)]
#[oai(rename = "CustomerPatch", rename_all = "camelCase", deny_unknown_fields)]
pub struct Patch {
    name: NotNull<String>,
    avatar: MaybeUndefined<String>,
    background: MaybeUndefined<String>,
    about: MaybeUndefined<String>,
    /// The id of the status.
    status: NotNull<String>,
    tags: NotNull<Vec<String>>,
    owner_id: MaybeUndefined<MemberId>,
    notes: MaybeUndefined<String>,
    /// The organization that the customer belongs to. Null leaves its name as the `company` of the details.
    organization_id: MaybeUndefined<Id<Organization>>,
    /// Without an `organizationId`: whether the customer belongs to the organization with the name of the `company` of the
    /// details, which is created if there is none. It requires the right to change organizations.
    #[oai(default)]
    new_organization: bool,
    external_id: MaybeUndefined<String>,
    details: NotNull<DetailsPatch>,
    attachments: NotNull<AttachmentsPatch>,
    /// Values of custom fields. Absent ones stay unchanged.
    fields: NotNull<FieldValues>,
}

/// Changes to a customer's contact details.
#[derive(Object)]
#[oai(rename = "CustomerDetailsPatch", rename_all = "camelCase", deny_unknown_fields)]
struct DetailsPatch {
    emails: NotNull<Vec<Email>>,
    phone_numbers: NotNull<Vec<Phone>>,
    title: MaybeUndefined<String>,
    company: MaybeUndefined<String>,
    birthday: MaybeUndefined<Birthday>,
    address: MaybeUndefined<String>,
}

/// Changes to a customer's attachments.
#[derive(Object)]
#[oai(rename = "AttachmentsPatch", deny_unknown_fields)]
struct AttachmentsPatch {
    media: NotNull<Vec<Attachment>>,
    docs: NotNull<Vec<Attachment>>,
    links: NotNull<Vec<Attachment>>,
}

impl Patch {
    fn complete_phones<R: Right>(&mut self, member: &Member<R>) {
        let details = self.details.as_mut();
        if let Some(phones) = details.and_then(|details| details.phone_numbers.as_mut()) {
            Phone::complete(phones, || member.region().phone_country);
        }
    }

    /// Returns the company that a customer then names.
    fn company_of(&self, old: &Customer) -> Option<String> {
        let mut company = old.details.company.clone();
        if let Some(details) = self.details.as_option() {
            details.company.clone().update_to(&mut company);
        }
        company
    }

    fn apply(self, mut customer: Customer) -> Customer {
        self.name.update_to(&mut customer.name);
        self.avatar.update_to(&mut customer.avatar);
        self.background.update_to(&mut customer.background);
        self.about.update_to(&mut customer.about);
        self.status.update_to(&mut customer.status);
        self.tags.update_to(&mut customer.tags);
        self.owner_id.update_to(&mut customer.owner_id);
        self.notes.update_to(&mut customer.notes);
        self.organization_id.update_to(&mut customer.organization_id);
        self.external_id.update_to(&mut customer.external_id);
        if let Some(patch) = self.details.into_option() {
            let details = &mut customer.details;
            patch.emails.update_to(&mut details.emails);
            patch.phone_numbers.update_to(&mut details.phone_numbers);
            patch.title.update_to(&mut details.title);
            patch.company.update_to(&mut details.company);
            patch.birthday.update_to(&mut details.birthday);
            patch.address.update_to(&mut details.address);
        }
        if let Some(patch) = self.attachments.into_option() {
            let attachments = &mut customer.attachments;
            patch.media.update_to(&mut attachments.media);
            patch.docs.update_to(&mut attachments.docs);
            patch.links.update_to(&mut attachments.links);
        }
        self.fields.into_option().into_iter().for_each(|values| customer.fields.merge(values));
        customer
    }
}

impl BulkRecord for Customer {
    type View = View;
    type Patch = Patch;
    const HEADING: Heading = Heading::Contacts;
    const FIELDS: &'static [&'static str] = &["status", "ownerId", "organizationId", "tags", "fields"];
    const FOLLOWING: &'static [&'static str] = &["details"];
    const OWN_CHANGES: &'static [(&'static str, OwnChange)] = &[(MAKE_ORGANIZATIONS, make_organization)];

    fn change(tx: &TenantWrite<'_>, _: Reader, id: Id<Self>, patch: Patch, _quiet: bool) -> Result<Stored<Self>> {
        rules::change(tx, id, None, |old| patch.apply(old))
    }
}

/// Maximum companies that a request chooses.
const MAX_COMPANIES: usize = 1_000;
/// Maximum characters of a search for companies.
const MAX_WORDS: usize = 256;

/// A company that customers without an organization name.
#[skip_serializing_none]
#[derive(Debug, Serialize, Object)]
#[oai(rename = "NamedCompany", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
struct CompanyView {
    /// The name, in the spelling of most customers.
    name: String,
    /// How many customers name it.
    customers: usize,
    /// The organization of this name, if there is one.
    organization_id: Option<Id<Organization>>,
}

/// Companies that could become organizations.
#[skip_serializing_none]
#[derive(Debug, Serialize, Object)]
#[oai(rename = "Companies", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
struct Companies {
    /// How many companies there are.
    total: usize,
    /// How many of them have the name of an organization.
    known: usize,
    /// How many customers name one.
    customers: usize,
    /// How many companies have the words of the search, all without words.
    found: usize,
    /// A page of them.
    items: Vec<CompanyView>,
    /// The `cursor` of the next page; absent on the last page.
    next_cursor: Option<String>,
}

impl Companies {
    /// Presents a page of the companies with the words of a search. Returns also the place of the next page.
    fn page(all: Vec<NamedCompany>, words: &str, paging: &Paging) -> Result<(Self, Option<Vec<u8>>)> {
        let total = all.len();
        let known = all.iter().filter(|company| company.organization.is_some()).count();
        let customers = all.iter().map(|company| company.customers.len()).sum();
        let mut found = all;
        found.retain(companies::has_words(words));
        let after: Option<(usize, String)> = paging.after.as_deref().map(read_place).transpose()?;
        let is_read = |company: &NamedCompany| {
            after.as_ref().is_some_and(|(count, name)| company.place() <= (Reverse(*count), name.as_str()))
        };
        let first = found.partition_point(is_read);
        let count = found.len();
        let rest: Vec<NamedCompany> = found.into_iter().skip(first).collect();
        let has_more = rest.len() > paging.limit;
        let shown: Vec<NamedCompany> = rest.into_iter().take(paging.limit).collect();
        let next = shown.last().filter(|_| has_more).map(write_place).transpose()?;
        let view = |NamedCompany { name, organization, customers }: NamedCompany| CompanyView {
            name,
            customers: customers.len(),
            organization_id: organization,
        };
        let items = shown.into_iter().map(view).collect();
        Ok((Self { total, known, customers, found: count, items, next_cursor: None }, next))
    }
}

/// Writes the place of a company among all, for a cursor.
fn write_place(company: &NamedCompany) -> Result<Vec<u8>> {
    let place = (company.customers.len(), company.name.as_str());
    serde_json::to_vec(&place).map_err(Error::internal)
}

fn read_place(place: &[u8]) -> Result<(usize, String)> {
    serde_json::from_slice(place).map_err(|_| foreign_cursor())
}

/// Which companies become organizations.
#[derive(Object)]
#[oai(rename = "MakeOrganizations", deny_unknown_fields)]
struct MakeOrganizations {
    /// Only these companies, at most 1,000; all without it.
    only: Option<Vec<String>>,
    /// Companies that do not, at most 1,000.
    #[oai(default)]
    except: Vec<String>,
}

/// The customer endpoints.
pub struct Api;

#[OpenApi(prefix_path = "/customers", tag = "crate::wire::Tag::Customers")]
impl Api {
    /// List customers.
    ///
    /// By `name`, unless `sort` names another order. A filter is for example `status:is:lead,active`.
    #[oai(path = "/", method = "get", operation_id = "listCustomers")]
    #[expect(clippy::too_many_arguments, reason = "each is a parameter of the call")]
    async fn list(
        &self,
        member: Member<CustomersRead>,
        limit: Query<Option<u32>>,
        cursor: Query<Option<String>>,
        q: Query<Option<String>>,
        sort: Query<Option<String>>,
        #[oai(default)] filter: Query<Vec<String>>,
        /// Only customers with the status of this id.
        status: Query<Option<String>>,
        tag: Query<Option<String>>,
        /// Only customers that this member is responsible for.
        #[oai(name = "ownerId")]
        owner_id: Query<Option<MemberId>>,
    ) -> Reply<Listed<View>> {
        let cursors = member.cursors();
        let paging = cursors.paging(limit.0, cursor.0.as_deref())?;
        if let Some(status) = &status.0
            && !member.read(Statuses::of)?.in_use().any(|known| known.id == *status)
        {
            return Err(Error::field("status", "errors.fields.unknown_choice").into());
        }
        let words = lists::words(Heading::Contacts, q.0);
        let tag = tag.0.map(|tag| text::tags(&[tag]).pop().unwrap_or_default());
        let Some(order) = stored_order(words.as_ref(), &filter.0, sort.0.as_deref()) else {
            let list = ColumnList::new(filter.0, sort.0, "name", words)
                .and("status", status.0.map(|status| columns::word(&status)))
                .and("tags", tag.map(|tag| columns::word(&tag)))
                .and("ownerId", owner_id.0.map(|owner| columns::reference(owner.uuid())));
            return lists::reply(&member, list, paging).await;
        };
        let filter = CustomerFilter { status: status.0, tag, owner: owner_id.0, sort: order };
        let part = if filter.is_everything() && paging.is_short() {
            // Reading takes less time than the handover to another thread.
            member.read(|tx| shown_page(tx, rules::list(tx, &filter, &paging)?))?
        } else {
            member.read_blocking(move |tx| shown_page(tx, rules::list(tx, &filter, &paging)?)).await?
        };
        let list = cursors.list(part.items, part.next, part.total)?.without_damaged(part.damaged);
        Ok(Listed(list))
    }

    /// Create a customer.
    #[oai(path = "/", method = "post", operation_id = "createCustomer")]
    async fn create(
        &self,
        member: Member<CustomersWrite>,
        #[oai(name = "Idempotency-Key")] key: IdempotencyKey,
        body: Json<New>,
    ) -> Reply<Created<View>> {
        let creates_organization = body.0.new_organization && body.0.organization_id.is_none();
        if creates_organization {
            ensure_may_create_organization(&member)?;
        }
        let owner = member.id();
        let mut customer = body.0.by(owner);
        Phone::complete(&mut customer.details.phone_numbers, || member.region().phone_country);
        customer.notes = cleaned(&member, customer.notes).await?;
        let record = member
            .write_idempotent("customers.create", key.0, body.1, move |tx| {
                if creates_organization {
                    let company = customer.details.company.as_deref();
                    customer.organization_id = Some(organization_of(tx, company, owner)?);
                }
                shown(tx, rules::create(tx, customer)?)
            })
            .await?;
        Ok(Created::in_list("/api/customers", record))
    }

    /// Look up customers.
    ///
    /// Those that have exactly this external id, e-mail address or phone number, at most 50. A phone number can be written in any way; without a country code it is one of the caller's country.
    #[oai(path = "/lookup", method = "get", operation_id = "lookUpCustomers")]
    async fn look_up(
        &self,
        member: Member<CustomersRead>,
        #[oai(name = "externalId")] external_id: Query<Option<String>>,
        email: Query<Option<String>>,
        phone: Query<Option<String>>,
    ) -> Reply<Listed<View>> {
        let query = ExactQuery::of(&member, external_id.0, email.0, phone.0)?;
        let reader = member.reader();
        let found = member.read(|tx| {
            query.find::<Customer>(tx, reader)?.into_iter().map(|one| shown(tx, one)).collect::<Result<Vec<_>>>()
        })?;
        let total = found.len() as u64;
        Ok(Listed(member.cursors().list(found, None, total)?))
    }

    /// List companies that could become organizations.
    ///
    /// The companies that customers without an organization name, those of most customers first. Names that differ only
    /// in case or accents are one company. With `q`, the items are those with all these words in their names.
    #[oai(path = "/companies", method = "get", operation_id = "listCompanies")]
    async fn companies(
        &self,
        member: Member<CustomersRead>,
        limit: Query<Option<u32>>,
        cursor: Query<Option<String>>,
        /// Words in their names.
        q: Query<Option<String>>,
    ) -> Reply<JsonResponse<Companies>> {
        let cursors = member.cursors();
        let paging = cursors.paging(limit.0, cursor.0.as_deref())?;
        let words: String = q.0.unwrap_or_default().chars().take(MAX_WORDS).collect();
        let read = move |tx: &TenantRead<'_>| Companies::page(companies::companies(tx)?, &words, &paging);
        let (page, next) = member.read_blocking(read).await?;
        let next_cursor = next.map(|place| cursors.cursor(place)).transpose()?;
        Ok(JsonResponse(Companies { next_cursor, ..page }))
    }

    /// Make organizations of companies.
    ///
    /// Puts customers that name a company and have no organization into the organization of this name, which is created if
    /// there is none: those of all companies, unless the body chooses some. It is a bulk change, which can be undone: the organizations that it created are then
    /// removed, unless they were changed since or something refers to them.
    #[oai(path = "/companies/organizations", method = "post", operation_id = "makeOrganizations")]
    async fn make_organizations(
        &self,
        member: Member<CustomersWrite>,
        #[oai(name = "Idempotency-Key")] key: IdempotencyKey,
        body: Json<MakeOrganizations>,
    ) -> Reply<Accepted<BulkView>> {
        ensure_may_create_organization(&member)?;
        let MakeOrganizations { only, except } = body.0;
        let mut faults = Faults::default();
        faults.few("only", only.as_ref().map_or(0, Vec::len), MAX_COMPANIES);
        faults.few("except", except.len(), MAX_COMPANIES);
        faults.into_result()?;
        let chosen = ChosenCompanies { only, except };
        let mut ids = member.read_blocking(move |tx| companies::customers_of_companies(tx, &chosen)).await?;
        ids.truncate(bulk::MAX_RECORDS);
        let reader = member.reader();
        let action = BulkAction::Own(MAKE_ORGANIZATIONS.to_owned());
        let kind = KindName::of(&super::KIND);
        let work = move |tx: &TenantWrite<'_>| bulk::begin(tx, reader, kind, action, &ids);
        let change = member.write_idempotent("customers.make_organizations", key.0, body.1, work).await?;
        Ok(Accepted(change.into()))
    }

    /// Get a customer.
    ///
    /// Of one that was merged into another, the 404 has the id of that one as `mergedInto`;
    /// of one in the bin that the caller may restore, it is `record_in_bin` with `deletedAt`.
    #[oai(path = "/:id", method = "get", operation_id = "getCustomer")]
    async fn get(&self, member: Member<CustomersRead>, id: Path<Id<Customer>>) -> Reply<Versioned<View>> {
        Ok(Versioned::of(member.read(|tx| shown(tx, bin::get_or_binned(tx, member.reader(), id.0)?))?))
    }

    /// Change a customer.
    #[oai(path = "/:id", method = "patch", operation_id = "changeCustomer")]
    async fn change(
        &self,
        member: Member<CustomersWrite>,
        id: Path<Id<Customer>>,
        #[oai(name = "If-Match")] if_match: IfMatch,
        body: Json<Patch>,
    ) -> Reply<Versioned<View>> {
        let mut patch = body.0;
        patch.complete_phones(&member);
        if let MaybeUndefined::Value(notes) = patch.notes {
            patch.notes = cleaned(&member, Some(notes)).await?.map_or(MaybeUndefined::Null, MaybeUndefined::Value);
        }
        let creates_organization = patch.new_organization && !matches!(patch.organization_id, MaybeUndefined::Value(_));
        if creates_organization {
            ensure_may_create_organization(&member)?;
        }
        let owner = member.id();
        let change = move |tx: &TenantWrite<'_>| {
            if creates_organization {
                let old = tx.get::<Customer>(id.0)?;
                let company = patch.company_of(&old.value);
                let organization = organization_of(tx, company.as_deref(), owner)?;
                patch.organization_id = MaybeUndefined::Value(organization);
            }
            shown(tx, rules::change(tx, id.0, if_match.0, |old| patch.apply(old))?)
        };
        let record = member.write(change).await?;
        Ok(Versioned::of(record))
    }

    /// Remove a customer.
    ///
    /// Members may remove those that they created.
    #[oai(path = "/:id", method = "delete", operation_id = "removeCustomer")]
    async fn remove(
        &self,
        member: Member<CustomersDeleteOwn>,
        id: Path<Id<Customer>>,
        #[oai(name = "If-Match")] if_match: IfMatch,
    ) -> Reply<NoContent> {
        let any = member.may(Permission::CustomersDelete);
        member.write(move |tx| records::remove::<Customer>(tx, id.0, any, if_match.0)).await?;
        Ok(NoContent)
    }
}

/// Checks that a member may create organizations.
/// Errors: `forbidden`.
fn ensure_may_create_organization<R: Right>(member: &Member<R>) -> Result<()> {
    if member.may(Permission::OrganizationsWrite) { Ok(()) } else { Err(Error::new(Code::Forbidden)) }
}

/// Sanitizes notes on the tenant's share of the processors: long ones take milliseconds.
async fn cleaned<R: Right>(member: &Member<R>, notes: Option<String>) -> Result<Option<String>> {
    let Some(notes) = notes else { return Ok(None) };
    member.compute(move || clean_notes(&notes)).await
}
