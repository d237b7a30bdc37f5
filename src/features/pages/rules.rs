//! Operations on pages: listing, changes, and integrity of the tree.

use super::{
    follow::{
        PlannedPage, begin_narrowing, can_follow_at_once, ensure_none_follows, follow_limit, follow_removal, is_planned,
    },
    model::{BY_PLACE, ORDER, Page, under},
};
use crate::{
    feature::{Audience, KindRecord as _, ensure_may_share},
    features::{
        files,
        records::{self, fields::prepare_values, get_visible},
    },
    kernel::{Code, Error, Id, Result, error::Faults},
    people::permission::Reader,
    store::{self, MAX_PAGE_BYTES, Scan, Stored, TenantRead, TenantWrite},
    wire::Paging,
};

/// Maximum number of pages of a tenant.
pub const MAX_PAGES: usize = 20_000;
/// Maximum depth of the tree.
const LEVELS: usize = 20;
/// Maximum number of pages below a page that a write examines before it moves.
const MAX_EXAMINED: usize = 500;

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
    let asked = scan.clone().limit(paging.limit).after(paging.after).within_bytes(MAX_PAGE_BYTES).looking_ahead();
    let page = tx.page(&asked, keeps)?;
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
    if tx.count::<Page>()? >= MAX_PAGES as u64 {
        let params = vec![("max", MAX_PAGES.to_string())];
        return Err(Error::new(Code::Conflict).and_field("title", "errors.fields.too_many", params));
    }
    page.order = match order {
        Some(order) => order,
        None => behind(tx, page.parent_id)?,
    };
    page.check()?;
    check_body(tx, &page, None)?;
    prepare_values::<Page>(tx, &mut page.fields, None)?;
    if page.parent_id.is_some() {
        ensure_none_follows(tx)?;
    }
    ensure_fits_above(tx, Some(reader), None, page.parent_id)?;
    page.visibility.check(tx, tx.actor().member(), None)?;
    page.limit = limit_below(tx, page.parent_id)?;
    tx.create(page)
}

/// Rejects new links to files that the member who writes may not see.
fn check_body(tx: &TenantWrite<'_>, page: &Page, before: Option<&Page>) -> Result<()> {
    let mut faults = Faults::default();
    files::check_text(tx, "body", Some(&page.body), before.map(|before| before.body.as_str()), &mut faults)?;
    faults.into_result()
}

/// Returns the order after all siblings.
fn behind(tx: &TenantRead<'_>, parent: Option<Id<Page>>) -> Result<f64> {
    let last = Scan::beginning(BY_PLACE, under(parent)).reversed(true).limit(1);
    let last = tx.page::<Page>(&last, |_| true)?;
    // At the maximum, pages have equal orders and sort by id.
    Ok(last.items.first().map_or(1.0, |page| (page.order.floor() + 1.0).min(ORDER)))
}

/// Changes a page. The pages below it follow when it becomes visible to more or fewer members, if they are many in the
/// background.
/// Errors: `not_found`, `stale_version`, `invalid`; `forbidden` when the reader is neither the author nor may see all
/// pages, and the change makes others see the page or no longer see it; `conflict` when the pages below are too many for
/// one write: [`plan_change`] changes it in steps; `busy` while pages follow an earlier change.
pub fn change(
    tx: &TenantWrite<'_>,
    reader: Reader,
    id: Id<Page>,
    expected: Option<u64>,
    change: impl FnOnce(&mut Page),
) -> Result<Stored<Page>> {
    let before = get_visible::<Page>(tx, reader, id)?;
    let page = tx.update(id, expected, |page| {
        if let Some(levels) = apply(tx, reader, &before, page, change)? {
            ensure_fits_below(tx, id, levels, MAX_EXAMINED)?;
        }
        if is_narrower(&before, page) && !can_follow_at_once(tx, id)? {
            return Err(too_many_below(if page.visibility == before.visibility { "parentId" } else { "visibility" }));
        }
        Ok(())
    })?;
    follow_limit(tx, &before, &page)?;
    Ok(page)
}

/// A change of a page with many pages below it.
#[derive(Debug)]
pub enum Planned {
    /// It is made; pages below may still become visible to more members.
    Made(Box<Stored<Page>>),
    /// It is made when the pages below have become narrower; then the page has another version than this.
    After(u64),
}

/// Changes a page with many pages below it like [`change`], or plans that for when the pages below have become narrower. The
/// caller has checked that the pages below do not come to lie too deep.
pub fn plan_change(
    tx: &TenantWrite<'_>,
    reader: Reader,
    id: Id<Page>,
    expected: Option<u64>,
    change: impl FnOnce(&mut Page),
) -> Result<Planned> {
    let before = get_visible::<Page>(tx, reader, id)?;
    if expected.is_some_and(|version| version != before.version) {
        return Err(Error::new(Code::StaleVersion));
    }
    let mut after = before.value.clone();
    apply(tx, reader, &before, &mut after, change)?;
    if is_narrower(&before, &after) {
        let to = after.limit_below(before.created_by).intersect(&before.limit_below(before.created_by));
        begin_narrowing(tx, id, to, PlannedPage::new(before.version, after))?;
        return Ok(Planned::After(before.version));
    }
    let page = tx.update(id, None, |page| {
        *page = after;
        Ok(())
    })?;
    follow_limit(tx, &before, &page)?;
    Ok(Planned::Made(Box::new(page)))
}

/// Whether fewer members may see what is below a page than before.
fn is_narrower(before: &Stored<Page>, page: &Page) -> bool {
    !page.limit_below(before.created_by).includes_all(&before.limit_below(before.created_by))
}

/// Applies a change to a page, and checks all but what concerns the pages below it. Returns the level of a page that moves.
fn apply(
    tx: &TenantWrite<'_>,
    reader: Reader,
    before: &Stored<Page>,
    page: &mut Page,
    change: impl FnOnce(&mut Page),
) -> Result<Option<usize>> {
    change(page);
    page.check()?;
    check_body(tx, page, Some(before))?;
    prepare_values::<Page>(tx, &mut page.fields, Some(&before.fields))?;
    let has_moved = page.parent_id != before.parent_id;
    // The order, since the pages that follow are found by it. A planned change is not made to a page that changed since.
    let is_in_tree = has_moved || page.visibility != before.visibility || page.order.total_cmp(&before.order).is_ne();
    if is_in_tree || is_planned(tx, before.id)? {
        ensure_none_follows(tx)?;
    }
    let mut level = None;
    if has_moved {
        level = Some(ensure_fits_above(tx, Some(reader), Some(before.id), page.parent_id)?);
        page.limit = limit_below(tx, page.parent_id)?;
        page.former_parents.clear();
        page.former_visibilities.clear();
    }
    page.visibility.check(tx, before.created_by, Some(&before.visibility))?;
    ensure_may_limit(reader, before, page)?;
    page.note_former_audience(before, before.version + 1);
    Ok(level)
}

/// Returns the error for a change that more pages would have to follow than one write can change.
fn too_many_below(field: &'static str) -> Error {
    Error::new(Code::Conflict).and_field(field, "errors.fields.too_many_below", Vec::new())
}

/// Rejects a change that makes others see the page, or no longer see it, by a member who may not decide that.
fn ensure_may_limit(reader: Reader, before: &Stored<Page>, page: &Page) -> Result<()> {
    let author = before.created_by;
    let chosen = |page: &Page| page.visibility.audience(author);
    let field = if chosen(before) != chosen(page) {
        "visibility"
    } else if before.status != page.status {
        "status"
    } else {
        "parentId"
    };
    let changes = [
        (Page::audience(before), page.audience_with(author)),
        (chosen(before), chosen(page)),
        (before.limit.clone(), page.limit.clone()),
    ];
    ensure_may_share(reader, before, &changes, field)
}

/// Returns the members who may see all of a page and the pages above it.
pub(super) fn limit_below(tx: &TenantRead<'_>, page: Option<Id<Page>>) -> Result<Audience> {
    let Some(page) = page else { return Ok(Audience::Company) };
    let page = tx.get::<Page>(page)?;
    Ok(page.limit_below(page.created_by))
}

/// Returns the ids of up to `most` pages right below a page.
pub fn subpages(tx: &TenantRead<'_>, id: Id<Page>, most: usize) -> Result<Vec<Id<Page>>> {
    tx.ids_beginning::<Page>(BY_PLACE, under(Some(id)), most)
}

/// Removes a page; its children move to its parent, and stay as restricted as the page made them. Many children move in the
/// background.
/// Errors: `not_found`; `stale_version`; `forbidden` for a page of another author unless `any` is set; `busy` while pages
/// follow an earlier change.
pub fn remove(tx: &TenantWrite<'_>, reader: Reader, any: bool, id: Id<Page>, expected: Option<u64>) -> Result<()> {
    get_visible::<Page>(tx, reader, id)?;
    ensure_none_follows(tx)?;
    let page = records::remove::<Page>(tx, id, any, expected)?;
    follow_removal(tx, id, page.parent_id)
}

/// Rejects a parent of a page that the reader, if any, may not see, that is below the page itself, or that would make the
/// tree too deep. Examines at most `most` pages below it.
/// Errors: `invalid`; `conflict` when there are more.
pub fn fits(
    tx: &TenantRead<'_>,
    reader: Option<Reader>,
    id: Id<Page>,
    parent: Option<Id<Page>>,
    most: usize,
) -> Result<()> {
    let level = ensure_fits_above(tx, reader, Some(id), parent)?;
    ensure_fits_below(tx, id, level, most)
}

/// Whether a page, or a new one, may be below a parent. One with too many pages below it to examine may not.
pub(super) fn may_be_below(tx: &TenantRead<'_>, id: Option<Id<Page>>, parent: Option<Id<Page>>) -> Result<bool> {
    let checked = match id {
        Some(id) => fits(tx, None, id, parent, MAX_EXAMINED),
        None => ensure_fits_above(tx, None, None, parent).map(drop),
    };
    match checked {
        Ok(()) => Ok(true),
        Err(error) if error.is_of_server() => Err(error),
        Err(_) => Ok(false),
    }
}

fn too_deep() -> Error {
    let params = vec![("max", LEVELS.to_string())];
    Error::new(Code::Invalid).and_field("parentId", "errors.fields.too_deep", params)
}

/// Returns the level of a page below a parent, from 1. Rejects a parent that the reader may not see, that is below the page
/// itself, or that lies too deep.
fn ensure_fits_above(
    tx: &TenantRead<'_>,
    reader: Option<Reader>,
    id: Option<Id<Page>>,
    parent: Option<Id<Page>>,
) -> Result<usize> {
    let mut next = parent;
    let mut level = 1;
    while let Some(above) = next {
        if Some(above) == id {
            return Err(Error::field("parentId", "errors.fields.own_ancestor"));
        }
        level += 1;
        if level > LEVELS {
            return Err(too_deep());
        }
        let is_visible = |page: &Stored<Page>| reader.is_none_or(|reader| Page::is_visible_to(page, reader));
        let found = tx.find(above)?.filter(|page| level > 2 || is_visible(page));
        next = found.ok_or_else(|| Error::field("parentId", "errors.fields.unknown_reference"))?.parent_id;
    }
    Ok(level)
}

/// Rejects a level of a page at which those below it lie too deep. Examines at most `most` of them.
fn ensure_fits_below(tx: &TenantRead<'_>, id: Id<Page>, level: usize, most: usize) -> Result<()> {
    let mut examined = 0;
    let mut pages = vec![id];
    for _ in level..=LEVELS {
        let mut below = Vec::new();
        for page in pages {
            let found = subpages(tx, page, most + 1)?;
            examined += found.len();
            if examined > most {
                return Err(too_many_below("parentId"));
            }
            below.extend(found);
        }
        if below.is_empty() {
            return Ok(());
        }
        pages = below;
    }
    Err(too_deep())
}
