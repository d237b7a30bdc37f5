//! Operations on customers: validation, references and listing.

use poem_openapi::Enum;

use super::company::take_name;
use super::model::{
    Attachment, BY_CHANGE, BY_NAME, BY_OWNER, BY_STATUS, BY_TAG, Customer, change_place, name_place, owner_figure,
    status_figure, tag_figure,
};
use super::statuses::Statuses;
use crate::{
    features::{
        files,
        listing::{ListFilter, ListPage, Listing, Order, SortKey},
        records::{check_day, check_reference, fields::check_values},
    },
    kernel::{Birthday, Day, Id, MemberId, Result, error::Faults},
    people::members::MemberRecord,
    store::{Scan, Stored, TenantRead, TenantWrite},
    wire::Paging,
};

/// The sort order of a list of customers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Enum)]
#[oai(rename = "CustomerSort")]
pub enum Sort {
    /// By name, A to Z.
    #[default]
    #[oai(rename = "name")]
    Name,
    /// By name, Z to A.
    #[oai(rename = "-name")]
    NameDescending,
    /// By creation, oldest first.
    #[oai(rename = "createdAt")]
    Created,
    /// By creation, newest first.
    #[oai(rename = "-createdAt")]
    CreatedDescending,
    /// By last change, oldest first.
    #[oai(rename = "updatedAt")]
    Updated,
    /// By last change, newest first.
    #[oai(rename = "-updatedAt")]
    UpdatedDescending,
}

impl Sort {
    fn order(self) -> Order<Customer> {
        let (scan, place): (Scan, SortKey<Customer>) = match self {
            Self::Name | Self::NameDescending => (Scan::ordered(BY_NAME), name_place),
            // Ids are in chronological order.
            Self::Created | Self::CreatedDescending => (Scan::all(), |_| Vec::new()),
            Self::Updated | Self::UpdatedDescending => (Scan::ordered(BY_CHANGE), change_place),
        };
        let descending = matches!(self, Self::NameDescending | Self::CreatedDescending | Self::UpdatedDescending);
        Order { scan, place, descending }
    }
}

/// Filter and order of a list of customers.
#[derive(Debug, Default)]
pub struct CustomerFilter {
    /// Only customers with this status.
    pub status: Option<String>,
    /// Only customers with this normalized tag.
    pub tag: Option<String>,
    /// Only customers of this owner.
    pub owner: Option<MemberId>,
    /// The sort order.
    pub sort: Sort,
}

impl CustomerFilter {
    /// Whether the filter matches every customer.
    pub const fn is_everything(&self) -> bool {
        self.status.is_none() && self.tag.is_none() && self.owner.is_none()
    }

    fn has(&self, customer: &Customer) -> bool {
        self.status.as_ref().is_none_or(|status| customer.status == *status)
            && self.tag.as_ref().is_none_or(|tag| customer.tags.contains(tag))
            && self.owner.is_none_or(|owner| customer.owner_id == Some(owner))
    }
}

/// Returns a page of the matching customers.
/// Errors: `bad_request` for a cursor of another list.
pub fn list(tx: &TenantRead<'_>, filter: &CustomerFilter, paging: &Paging) -> Result<ListPage<Customer>> {
    let by_value = |lookup, value: &[u8], figure: String| -> Result<ListFilter> {
        let count = tx.counter(&figure)?.try_into().unwrap_or(0);
        Ok(ListFilter { scans: vec![Scan::with(lookup, value)], count })
    };
    let filters = [
        filter.status.as_ref().map(|status| by_value(BY_STATUS, status.as_bytes(), status_figure(status))),
        filter.tag.as_ref().map(|tag| by_value(BY_TAG, tag.as_bytes(), tag_figure(tag))),
        filter.owner.map(|owner| by_value(BY_OWNER, owner.as_bytes(), owner_figure(owner))),
    ];
    let filters = filters.into_iter().flatten().collect::<Result<Vec<_>>>()?;
    let listing = Listing { order: filter.sort.order(), filters, unseen: 0, is_counted: true, sees_all: true };
    listing.page(tx, paging, |customer| filter.has(customer))
}

/// Creates a customer, with the first status if it has none.
/// Errors: `invalid`.
pub fn create(tx: &TenantWrite<'_>, mut customer: Customer) -> Result<Stored<Customer>> {
    check(tx, &mut customer, None)?;
    tx.create(customer)
}

/// Changes a customer; `expected` is the version that the caller read, if given.
/// Errors: `not_found`, `stale_version`, `invalid`.
pub fn change(
    tx: &TenantWrite<'_>,
    id: Id<Customer>,
    expected: Option<u64>,
    change: impl FnOnce(Customer) -> Customer,
) -> Result<Stored<Customer>> {
    tx.update::<Customer>(id, expected, |customer| {
        let old = customer.clone();
        let mut new = change(old.clone());
        check(tx, &mut new, Some(&old))?;
        *customer = new;
        Ok(())
    })
}

/// Rejects days of birth in the future. It may already be the next day where a member is.
fn check_birthday(tx: &TenantWrite<'_>, customer: &Customer, old: Option<&Customer>, faults: &mut Faults) {
    let birthday = |customer: &Customer| customer.details.birthday.and_then(Birthday::day);
    let tomorrow = tx.now().day_in("UTC").plus_days(1);
    let days = (birthday(customer), old.and_then(birthday));
    check_day(tx, "details.birthday", days, (Day::NOTED.0, tomorrow), faults);
}

/// Normalizes and validates a customer. References that were there before may no longer resolve; only new ones must.
fn check(tx: &TenantWrite<'_>, customer: &mut Customer, old: Option<&Customer>) -> Result<()> {
    let mut faults = Faults::default();
    customer.tidy();
    // A merge or an undo may put back what earlier versions kept.
    let put_back = tx.is_putting_back().then(|| customer.clone());
    customer.check(put_back.as_ref().or(old), &mut faults);
    check_birthday(tx, customer, old, &mut faults);
    check_status(tx, customer, old, &mut faults)?;
    check_reference::<MemberRecord, _>(tx, (customer, old), "ownerId", |one| one.owner_id, &mut faults)?;
    take_name(tx, customer, old, &mut faults)?;
    let (avatar, background) = old.map(|old| (old.avatar.as_deref(), old.background.as_deref())).unwrap_or_default();
    files::check_picture(tx, "avatar", customer.avatar.as_deref(), avatar, &mut faults)?;
    files::check_picture(tx, "background", customer.background.as_deref(), background, &mut faults)?;
    files::check_text(tx, "notes", customer.notes.as_deref(), old.and_then(|old| old.notes.as_deref()), &mut faults)?;
    let before = old.map(|old| &old.attachments);
    let attachments = &mut customer.attachments;
    attach(tx, &mut faults, "media", &mut attachments.media, before.map(|before| &before.media))?;
    attach(tx, &mut faults, "docs", &mut attachments.docs, before.map(|before| &before.docs))?;
    for link in &mut attachments.links {
        *link = Attachment { url: link.url.clone(), name: link.name.take(), ..Attachment::default() };
    }
    check_values::<Customer>(tx, &mut customer.fields, old.map(|old| &old.fields), &mut faults)?;
    faults.into_result()
}

/// Checks a new status. An empty one becomes the first.
fn check_status(
    tx: &TenantRead<'_>,
    customer: &mut Customer,
    old: Option<&Customer>,
    faults: &mut Faults,
) -> Result<()> {
    if old.is_some_and(|old| old.status == customer.status) {
        return Ok(());
    }
    let statuses = Statuses::of(tx)?;
    if old.is_none() && customer.status.is_empty() {
        customer.status = statuses.first();
    } else if !statuses.offers(&customer.status) {
        faults.add("status", "errors.fields.unknown_choice");
    }
    Ok(())
}

/// Completes attachments from the records of their files.
fn attach(
    tx: &TenantWrite<'_>,
    faults: &mut Faults,
    list: &str,
    entries: &mut [Attachment],
    before: Option<&Vec<Attachment>>,
) -> Result<()> {
    for (at, entry) in entries.iter_mut().enumerate().take(super::model::ATTACHMENTS) {
        let known = before.and_then(|before| before.iter().find(|known| known.url == entry.url));
        if let Some(known) = known {
            let name = entry.name.take().or_else(|| known.name.clone());
            *entry = Attachment { name, ..known.clone() };
            continue;
        }
        match files::nameable(tx, &entry.url)? {
            Some(file) if list != "media" || file.is_picture() => {
                let name = entry.name.take().unwrap_or_else(|| file.name.clone());
                *entry = Attachment {
                    id: Some(file.id),
                    url: file.url(),
                    name: Some(name),
                    size: Some(file.size),
                    kind: Some(file.kind.clone()),
                };
            }
            _ => faults.add(format!("attachments.{list}.{at}.url"), "errors.fields.unknown_reference"),
        }
    }
    let removed = before.into_iter().flatten().filter(|known| entries.iter().all(|entry| entry.url != known.url));
    removed.into_iter().try_for_each(|known| files::note_removed(tx, &known.url))
}
