//! Operations on pages: listing, changes, and integrity of the tree.

use std::collections::HashSet;

use super::model::{BY_PLACE, ORDER, Page, under};
use crate::{
    feature::{KindRecord as _, Restricted},
    features::records::{self, fields::prepare_values},
    kernel::{Code, Error, Id, Result},
    people::permission::{Permission, Reader},
    store::{self, Scan, Stored, TenantRead, TenantWrite},
    wire::Paging,
};

/// Maximum number of pages of a tenant.
const MOST: u64 = 20_000;
/// Maximum depth of the tree.
const LEVELS: usize = 20;

/// Returns the audience of a page that was never published; `None` for other pages: the changes of a draft that was
/// published before go to all members, so that open screens drop it.
pub fn restrict_never_published(tx: &TenantRead<'_>, id: [u8; 16]) -> Result<Option<Restricted>> {
    let never_published = tx.find::<Page>(Id::from_bytes(id))?.filter(|page| !page.was_published);
    Ok(never_published.map(|page| Restricted {
        holders: Some(Permission::PagesDelete),
        people: page.created_by.into_iter().collect(),
    }))
}

/// Filter of a list of pages.
#[derive(Debug, Default)]
pub struct PageFilter {
    /// Only these pages.
    pub ids: Option<HashSet<Id<Page>>>,
    /// Only direct children of this page.
    pub parent: Option<Id<Page>>,
}

/// Returns pages that the reader may see, and their total number: the top level first, then the children of each page,
/// in their order.
pub fn list(
    tx: &TenantRead<'_>,
    reader: Reader,
    filter: &PageFilter,
    paging: Paging,
) -> Result<(store::Page<Page>, u64)> {
    let scan = match filter.parent {
        Some(parent) => Scan::beginning(BY_PLACE, under(Some(parent))),
        None => Scan::ordered(BY_PLACE),
    };
    let keeps = |page: &Stored<Page>| {
        Page::is_visible_to(page, reader) && filter.ids.as_ref().is_none_or(|ids| ids.contains(&page.id))
    };
    let page = tx.page(&scan.clone().limit(paging.limit).after(paging.after), keeps)?;
    if filter.ids.is_none() && filter.parent.is_none() {
        return Ok((page, total(tx, reader)?));
    }
    let mut total = 0;
    tx.page(&scan, |page| {
        total += u64::from(keeps(page));
        false
    })?;
    Ok((page, total))
}

/// Counts the pages that a reader may see: all except the drafts of others.
fn total(tx: &TenantRead<'_>, reader: Reader) -> Result<u64> {
    let all = tx.count::<Page>()?;
    if reader.role.has(Permission::PagesDelete) {
        return Ok(all);
    }
    let drafts = tx.counter("pages/drafts")? - tx.counter(&format!("pages/drafts_by/{}", reader.id))?;
    Ok(all.saturating_sub(u64::try_from(drafts).unwrap_or(0)))
}

/// Returns a page.
/// Errors: `not_found`, also for a draft that the reader may not see.
pub fn get(tx: &TenantRead<'_>, reader: Reader, id: Id<Page>) -> Result<Stored<Page>> {
    let page = tx.get(id)?;
    if Page::is_visible_to(&page, reader) { Ok(page) } else { Err(Error::not_found()) }
}

/// Creates a page, after its siblings if `order` is `None`. The body must be sanitized.
/// Errors: `invalid`; `conflict` when the tenant has 20,000 pages.
pub fn create(tx: &TenantWrite<'_>, reader: Reader, mut page: Page, order: Option<f64>) -> Result<Stored<Page>> {
    if tx.count::<Page>()? >= MOST {
        let params = vec![("max", MOST.to_string())];
        return Err(Error::new(Code::Conflict).and_field("title", "errors.fields.too_many", params));
    }
    page.order = match order {
        Some(order) => order,
        None => behind(tx, page.parent_id)?,
    };
    page.check()?;
    prepare_values::<Page>(tx, &mut page.fields, None)?;
    fits(tx, Some(reader), None, page.parent_id)?;
    tx.create(page)
}

/// Returns the order after all siblings.
fn behind(tx: &TenantRead<'_>, parent: Option<Id<Page>>) -> Result<f64> {
    let last = Scan::beginning(BY_PLACE, under(parent)).reversed(true).limit(1);
    let last = tx.page::<Page>(&last, |_| true)?;
    // At the maximum, pages have equal orders and sort by id.
    Ok(last.items.first().map_or(1.0, |page| (page.order.floor() + 1.0).min(ORDER)))
}

/// Changes a page.
/// Errors: `not_found`, `stale_version`, `invalid`.
pub fn change(
    tx: &TenantWrite<'_>,
    reader: Reader,
    id: Id<Page>,
    expected: Option<u64>,
    change: impl FnOnce(&mut Page),
) -> Result<Stored<Page>> {
    let before = get(tx, reader, id)?;
    tx.update(id, expected, |page| {
        change(page);
        page.check()?;
        prepare_values::<Page>(tx, &mut page.fields, Some(&before.fields))?;
        if page.parent_id == before.parent_id { Ok(()) } else { fits(tx, Some(reader), Some(id), page.parent_id) }
    })
}

/// Removes a page; its children move to its parent.
/// Errors: `not_found`; `stale_version`; `forbidden` for a page of another author unless `any` is set.
pub fn remove(tx: &TenantWrite<'_>, reader: Reader, any: bool, id: Id<Page>, expected: Option<u64>) -> Result<()> {
    get(tx, reader, id)?;
    records::removable::<Page>(tx, id, any)?;
    let below = Scan::beginning(BY_PLACE, under(Some(id))).limit(usize::MAX);
    let children: Vec<Id<Page>> = tx.page::<Page>(&below, |_| true)?.items.into_iter().map(|child| child.id).collect();
    let page = tx.update::<Page>(id, expected, |page| {
        page.former_children.clone_from(&children);
        Ok(())
    })?;
    for child in children {
        move_below(tx, child, page.parent_id)?;
    }
    records::remove::<Page>(tx, id, any, None).map(drop)
}

fn move_below(tx: &TenantWrite<'_>, id: Id<Page>, parent: Option<Id<Page>>) -> Result<()> {
    let moved = |page: &mut Page| {
        page.parent_id = parent;
        Ok(())
    };
    tx.update(id, None, moved).map(drop)
}

/// Moves the pages that were below a restored page back to it, except those that were moved or removed since.
pub(super) fn reclaim_children(tx: &TenantWrite<'_>, page: &Stored<Page>) -> Result<()> {
    if page.former_children.is_empty() {
        return Ok(());
    }
    for id in &page.former_children {
        let stayed = tx.find_intact::<Page>(*id)?.is_some_and(|child| child.parent_id == page.parent_id);
        if stayed && fits(tx, None, Some(*id), Some(page.id)).is_ok() {
            move_below(tx, *id, Some(page.id))?;
        }
    }
    let forget = |page: &mut Page| {
        page.former_children = Vec::new();
        Ok(())
    };
    tx.update(page.id, None, forget).map(drop)
}

/// Rejects a parent that the reader, if any, may not see, that is below the page itself, or that would make the tree too deep.
pub(super) fn fits(
    tx: &TenantRead<'_>,
    reader: Option<Reader>,
    id: Option<Id<Page>>,
    parent: Option<Id<Page>>,
) -> Result<()> {
    let too_deep = || {
        let params = vec![("max", LEVELS.to_string())];
        Error::new(Code::Invalid).and_field("parentId", "errors.fields.too_deep", params)
    };
    let mut next = parent;
    let mut levels = 1;
    while let Some(above) = next {
        if Some(above) == id {
            return Err(Error::field("parentId", "errors.fields.own_ancestor"));
        }
        levels += 1;
        if levels > LEVELS {
            return Err(too_deep());
        }
        let is_visible = |page: &Stored<Page>| reader.is_none_or(|reader| Page::is_visible_to(page, reader));
        let found = tx.find(above)?.filter(|page| levels > 2 || is_visible(page));
        next = found.ok_or_else(|| Error::field("parentId", "errors.fields.unknown_reference"))?.parent_id;
    }
    let mut level: Vec<Id<Page>> = id.into_iter().collect();
    while !level.is_empty() {
        if levels > LEVELS {
            return Err(too_deep());
        }
        let mut below = Vec::new();
        for page in level {
            let scan = Scan::beginning(BY_PLACE, under(Some(page))).limit(usize::MAX);
            below.extend(tx.page::<Page>(&scan, |_| true)?.items.into_iter().map(|page| page.id));
        }
        level = below;
        levels += 1;
    }
    Ok(())
}
