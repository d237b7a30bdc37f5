//! Operations on pages: listing, changes, and integrity of the tree.

use super::model::{BY_PLACE, ORDER, Page, under};
use crate::{
    feature::{Audience, KindRecord as _, not_the_author},
    features::records::{self, fields::prepare_values, get_visible},
    kernel::{Code, Error, Id, Result},
    people::permission::Reader,
    store::{self, Scan, Stored, TenantRead, TenantWrite},
    wire::Paging,
};

/// Maximum number of pages of a tenant.
const MOST: u64 = 20_000;
/// Maximum depth of the tree.
const LEVELS: usize = 20;
/// Maximum number of pages below a page whose audience one change can make wider or narrower.
const MAX_FOLLOWING: usize = 1_000;
/// Maximum length of their bodies in bytes, since one write holds them all.
const MAX_FOLLOWING_BYTES: usize = 32 * 1024 * 1024;
/// How many of them are read at a time.
const FOLLOWING_AT_A_TIME: usize = 20;

/// Returns pages that the reader may see, and their total number: the top level first, then the children of each page,
/// in their order.
pub fn list(
    tx: &TenantRead<'_>,
    reader: Reader,
    parent: Option<Id<Page>>,
    paging: Paging,
) -> Result<(store::Page<Page>, u64)> {
    let scan = match parent {
        Some(parent) => Scan::beginning(BY_PLACE, under(Some(parent))),
        None => Scan::ordered(BY_PLACE),
    };
    let keeps = |page: &Stored<Page>| Page::is_visible_to(page, reader);
    let page = tx.page(&scan.clone().limit(paging.limit).after(paging.after), keeps)?;
    if parent.is_none() {
        return Ok((page, total(tx, reader)?));
    }
    let mut total = 0;
    tx.page(&scan, |page| {
        total += u64::from(keeps(page));
        false
    })?;
    Ok((page, total))
}

/// Counts the pages that a reader may see: all except the drafts of others and those that others restrict to fewer
/// members.
fn total(tx: &TenantRead<'_>, reader: Reader) -> Result<u64> {
    let all = tx.count::<Page>()?;
    if Page::SEES_ALL.is_some_and(|right| reader.role.has(right)) {
        return Ok(all);
    }
    let hidden = tx.counter("pages/drafts")? - tx.counter(&format!("pages/drafts_by/{}", reader.id))?;
    Ok(all.saturating_sub(u64::try_from(hidden).unwrap_or(0)))
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
    page.visibility.check(tx, tx.actor().member(), None)?;
    page.limit = limit_below(tx, page.parent_id)?;
    tx.create(page)
}

/// Returns the order after all siblings.
fn behind(tx: &TenantRead<'_>, parent: Option<Id<Page>>) -> Result<f64> {
    let last = Scan::beginning(BY_PLACE, under(parent)).reversed(true).limit(1);
    let last = tx.page::<Page>(&last, |_| true)?;
    // At the maximum, pages have equal orders and sort by id.
    Ok(last.items.first().map_or(1.0, |page| (page.order.floor() + 1.0).min(ORDER)))
}

/// Changes a page. The pages below it follow when it becomes visible to more or fewer members.
/// Errors: `not_found`, `stale_version`, `invalid`; `forbidden` when the reader is neither the author nor may see all
/// pages, and the change makes others see the page or no longer see it; `conflict` when too many pages must follow.
pub fn change(
    tx: &TenantWrite<'_>,
    reader: Reader,
    id: Id<Page>,
    expected: Option<u64>,
    change: impl FnOnce(&mut Page),
) -> Result<Stored<Page>> {
    let before = get_visible::<Page>(tx, reader, id)?;
    let page = tx.update(id, expected, |page| {
        change(page);
        page.check()?;
        prepare_values::<Page>(tx, &mut page.fields, Some(&before.fields))?;
        if page.parent_id != before.parent_id {
            fits(tx, Some(reader), Some(id), page.parent_id)?;
            page.limit = limit_below(tx, page.parent_id)?;
        }
        page.visibility.check(tx, before.created_by, Some(&before.visibility))?;
        ensure_may_limit(reader, &before, page)?;
        page.note_former_audience(&before, before.version + 1);
        Ok(())
    })?;
    let field = if page.visibility == before.visibility { "parentId" } else { "visibility" };
    limit_below_follows(tx, &before, &page, field)?;
    Ok(page)
}

/// Rejects a change that makes others see the page, or no longer see it, by a member who may not decide that.
fn ensure_may_limit(reader: Reader, before: &Stored<Page>, page: &Page) -> Result<()> {
    let sees_all = Page::SEES_ALL.is_some_and(|right| reader.role.has(right));
    if sees_all || before.created_by == Some(reader.id) {
        return Ok(());
    }
    if page.visibility != before.visibility {
        return Err(not_the_author("visibility"));
    }
    if page.status != before.status {
        return Err(not_the_author("status"));
    }
    if page.limit != before.limit {
        return Err(not_the_author("parentId"));
    }
    Ok(())
}

/// Returns the members who may see all of a page and the pages above it.
pub(super) fn limit_below(tx: &TenantRead<'_>, page: Option<Id<Page>>) -> Result<Audience> {
    let Some(page) = page else { return Ok(Audience::Company) };
    let page = tx.get::<Page>(page)?;
    Ok(page.limit_below(page.created_by))
}

/// Updates the limits of the pages below a changed page, level by level, where they change. Their versions stay, since
/// nothing in them changed that is edited.
/// Errors: `conflict`, naming `field`, when too many must follow.
fn limit_below_follows(
    tx: &TenantWrite<'_>,
    before: &Stored<Page>,
    page: &Stored<Page>,
    field: &'static str,
) -> Result<()> {
    let limit = page.limit_below(page.created_by);
    if limit == before.limit_below(before.created_by) {
        return Ok(());
    }
    let mut changed = vec![(page.id, limit)];
    let mut pages = 0;
    let mut bytes = 0;
    while let Some((above, limit)) = changed.pop() {
        let below = Scan::beginning(BY_PLACE, under(Some(above))).limit(FOLLOWING_AT_A_TIME);
        let mut next = None;
        loop {
            let found = tx.page::<Page>(&below.clone().after(next), |_| true)?;
            for page in found.items {
                pages += 1;
                bytes += page.body.len();
                if pages > MAX_FOLLOWING || bytes > MAX_FOLLOWING_BYTES {
                    let error = Error::new(Code::Conflict);
                    return Err(error.and_field(field, "errors.fields.too_many_below", Vec::new()));
                }
                if let Some(limit_below) = set_limit(tx, &page, &limit)? {
                    changed.push((page.id, limit_below));
                }
            }
            next = found.next;
            if next.is_none() {
                break;
            }
        }
    }
    Ok(())
}

/// Sets the limit of a page. Returns the limit below it if that changes.
fn set_limit(tx: &TenantWrite<'_>, page: &Stored<Page>, limit: &Audience) -> Result<Option<Audience>> {
    let mut limited = page.value.clone();
    limited.limit.clone_from(limit);
    limited.note_former_audience(page, page.version);
    let limit_below = limited.limit_below(page.created_by);
    tx.rewrite(page, |page| *page = limited)?;
    Ok((limit_below != page.limit_below(page.created_by)).then_some(limit_below))
}

/// Returns the pages right below a page.
pub fn subpages(tx: &TenantRead<'_>, id: Id<Page>) -> Result<Vec<Id<Page>>> {
    let below = Scan::beginning(BY_PLACE, under(Some(id))).limit(usize::MAX);
    Ok(tx.page::<Page>(&below, |_| true)?.items.into_iter().map(|page| page.id).collect())
}

/// Removes a page; its children move to its parent, and stay as restricted as the page made them.
/// Errors: `not_found`; `stale_version`; `forbidden` for a page of another author unless `any` is set.
pub fn remove(tx: &TenantWrite<'_>, reader: Reader, any: bool, id: Id<Page>, expected: Option<u64>) -> Result<()> {
    get_visible::<Page>(tx, reader, id)?;
    records::removable::<Page>(tx, id, any)?;
    let children = subpages(tx, id)?;
    let page = tx.update::<Page>(id, expected, |page| {
        page.former_children.clone_from(&children);
        Ok(())
    })?;
    for child in children {
        move_below(tx, child, page.parent_id, true)?;
    }
    records::remove::<Page>(tx, id, any, None).map(drop)
}

/// Moves a page. `stays_limited` keeps the limit that it had, as its own visibility.
fn move_below(tx: &TenantWrite<'_>, id: Id<Page>, parent: Option<Id<Page>>, stays_limited: bool) -> Result<()> {
    let limit = limit_below(tx, parent)?;
    let before = tx.get::<Page>(id)?;
    let moved = tx.update::<Page>(id, None, |page| {
        page.parent_id = parent;
        if stays_limited && page.limit != limit {
            page.visibility.narrow_to(&page.limit, before.created_by);
        }
        page.limit = limit;
        page.note_former_audience(&before, before.version + 1);
        Ok(())
    })?;
    limit_below_follows(tx, &before, &moved, "parentId")
}

/// Moves the pages that were below a restored page back to it, except those that were moved or removed since.
pub(super) fn reclaim_children(tx: &TenantWrite<'_>, page: &Stored<Page>) -> Result<()> {
    if page.former_children.is_empty() {
        return Ok(());
    }
    for id in &page.former_children {
        let stayed = tx.find_intact::<Page>(*id)?.is_some_and(|child| child.parent_id == page.parent_id);
        if stayed && may_be_below(tx, Some(*id), Some(page.id))? {
            move_below(tx, *id, Some(page.id), false)?;
        }
    }
    let forget = |page: &mut Page| {
        page.former_children = Vec::new();
        Ok(())
    };
    tx.update(page.id, None, forget).map(drop)
}

/// Whether a page, or a new one, may be below a parent.
pub(super) fn may_be_below(tx: &TenantRead<'_>, id: Option<Id<Page>>, parent: Option<Id<Page>>) -> Result<bool> {
    match fits(tx, None, id, parent) {
        Ok(()) => Ok(true),
        Err(error) if error.is_of_server() => Err(error),
        Err(_) => Ok(false),
    }
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
            below.extend(subpages(tx, page)?);
        }
        level = below;
        levels += 1;
    }
    Ok(())
}
