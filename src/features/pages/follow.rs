//! What follows from a change of a page for the pages below it: who may see them, and where they are. A few follow in the
//! write that changes the page, others in steps in the background, because all companies wait for a write.
//!
//! No page is ever visible to more members than the pages above it allow, also between two steps: pages below become
//! narrower before the page itself does, the lowest first, and wider after it, the highest first. Until then no page of the
//! company is created below another, moved, or given another visibility (`busy`).

use serde::{Deserialize, Serialize};

use super::{
    model::{BY_FORMER_PARENT, BY_PLACE, Page, under},
    rules::{limit_below, may_be_below, subpages},
};
use crate::{
    feature::Audience,
    kernel::{Code, Error, Id, Result},
    store::{Record, Scan, Stored, TenantRead, TenantRecord, TenantWrite},
};

/// Pages that a write reads and changes at most besides the one that it is about.
const MAX_PAGES: usize = 25;
/// Bytes of their bodies after which a write reads no further one.
const MAX_BYTES: usize = 1 << 20;
/// Pages that a write moves back below a restored page: each may have as many below it.
const MAX_RETURNED: usize = 3;
/// Seconds after which a change that must wait for pages to follow may be tried again.
const RETRY_SECONDS: u32 = 1;

/// A page whose change other pages still have to follow. It has the id of the page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Following {
    task: Task,
    /// The way from the page down to the pages that are next.
    way: Vec<Level>,
}

/// What the other pages do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Task {
    /// The pages below become visible to these members only; then the page changes as it is planned.
    Narrow(Audience),
    /// The pages below get the limits that the pages above them set.
    Limit,
    /// The pages right below a removed page move to the page that was above it.
    MoveUp(Option<Id<Page>>),
    /// The pages that were below a restored page return to it.
    Return,
}

/// A page with subpages, some of them done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Level {
    page: Id<Page>,
    /// The members who may see all pages from the top down to this one.
    limit: Audience,
    /// The place of the last subpage that has followed.
    after: Option<Vec<u8>>,
    /// Whether it was the last one.
    done: bool,
}

impl Record for Following {
    type Key = Page;
    const KIND: &'static str = "page_following";
    const TABLE: u16 = 85;
}
impl TenantRecord for Following {}

/// A page as it will be when the pages below have followed. It has the id of the page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlannedPage {
    /// The version that the change is based on.
    version: u64,
    page: Page,
}

impl Record for PlannedPage {
    type Key = Page;
    const KIND: &'static str = "page_planned";
    const TABLE: u16 = 86;
    /// The change feed has the change itself.
    const LEDGER: bool = false;
    fn admit(&mut self) -> bool {
        self.page.admit()
    }
}
impl TenantRecord for PlannedPage {}

impl Following {
    /// Describes the work of making the pages below a page narrower.
    #[cfg(test)]
    pub fn narrowing(page: Id<Page>) -> Self {
        let nobody = Audience::People([].into());
        Self { task: Task::Narrow(nobody.clone()), way: vec![Level::of(page, nobody)] }
    }
}

impl PlannedPage {
    /// Plans the change of a page that has a version.
    pub const fn new(version: u64, page: Page) -> Self {
        Self { version, page }
    }
}

impl Level {
    const fn of(page: Id<Page>, limit: Audience) -> Self {
        Self { page, limit, after: None, done: false }
    }

    /// Returns the next subpage, with its body.
    fn next(&mut self, tx: &TenantRead<'_>) -> Result<Option<Stored<Page>>> {
        if self.done {
            return Ok(None);
        }
        let scan = Scan::beginning(BY_PLACE, under(Some(self.page))).limit(1).after(self.after.take());
        let mut found = tx.page::<Page>(&scan, |_| true)?;
        self.done = found.next.is_none();
        self.after = found.next;
        Ok(found.items.pop())
    }
}

/// What a write may still read of pages.
struct Budget {
    pages: usize,
    bytes: usize,
}

impl Budget {
    const fn new() -> Self {
        Self { pages: MAX_PAGES, bytes: MAX_BYTES }
    }

    const fn spend(&mut self, page: &Page) {
        self.pages = self.pages.saturating_sub(1);
        self.bytes = self.bytes.saturating_sub(page.body.len());
    }

    const fn is_spent(&self) -> bool {
        self.pages == 0 || self.bytes == 0
    }
}

/// Refuses a change of the tree, or of who may see pages, while pages follow an earlier one.
/// Errors: `busy`.
pub(super) fn ensure_none_follows(tx: &TenantRead<'_>) -> Result<()> {
    match tx.count::<Following>()? {
        0 => Ok(()),
        _ => Err(Error::new(Code::Busy).retry_after(RETRY_SECONDS).with_detail("pages follow an earlier change")),
    }
}

/// Whether a change of a page waits until the pages below have become narrower.
pub(super) fn is_planned(tx: &TenantRead<'_>, id: Id<Page>) -> Result<bool> {
    Ok(tx.find_intact::<PlannedPage>(id)?.is_some())
}

/// Whether other pages still follow a change of a page, made or planned.
pub(super) fn is_followed(tx: &TenantRead<'_>, id: Id<Page>) -> Result<bool> {
    Ok(tx.find_intact::<Following>(id)?.is_some())
}

/// Whether so few pages are below one that they can follow in one write.
pub(super) fn can_follow_at_once(tx: &TenantRead<'_>, page: Id<Page>) -> Result<bool> {
    let mut budget = Budget::new();
    let mut way = vec![Level::of(page, Audience::Company)];
    while let Some(level) = way.last_mut() {
        let Some(below) = level.next(tx)? else {
            way.pop();
            continue;
        };
        budget.spend(&below);
        if budget.is_spent() {
            return Ok(false);
        }
        way.push(Level::of(below.id, Audience::Company));
    }
    Ok(true)
}

/// Gives the pages below a changed page the limits that follow from it: the first in this write, the others in steps.
pub(super) fn follow_limit(tx: &TenantWrite<'_>, before: &Stored<Page>, page: &Stored<Page>) -> Result<()> {
    follow_limit_within(tx, before, page, &mut Budget::new())
}

fn follow_limit_within(
    tx: &TenantWrite<'_>,
    before: &Stored<Page>,
    page: &Stored<Page>,
    budget: &mut Budget,
) -> Result<()> {
    let limit = page.limit_below(page.created_by);
    if limit == before.limit_below(before.created_by) {
        return Ok(());
    }
    let mut way = vec![Level::of(page.id, limit)];
    if limit_some(tx, &mut way, budget)? { begin(tx, page.id, Task::Limit, way) } else { Ok(()) }
}

/// Begins to make the pages below a page narrower, for a change that is made afterwards.
pub(super) fn begin_narrowing(tx: &TenantWrite<'_>, id: Id<Page>, to: Audience, planned: PlannedPage) -> Result<()> {
    let way = vec![Level::of(id, to.clone())];
    begin(tx, id, Task::Narrow(to), way)?;
    tx.create_at(id, planned).map(drop)
}

/// Moves the pages right below a removed page to the page that was above it: the first in this write, the others in steps.
pub(super) fn follow_removal(tx: &TenantWrite<'_>, id: Id<Page>, above: Option<Id<Page>>) -> Result<()> {
    if move_up_some(tx, id, above)? { begin(tx, id, Task::MoveUp(above), Vec::new()) } else { Ok(()) }
}

/// Moves the pages that were below a restored page back to it, except those that were moved or removed since: the first in
/// this write, the others in steps.
pub(super) fn follow_restore(tx: &TenantWrite<'_>, id: Id<Page>) -> Result<()> {
    if return_some(tx, id)? { begin(tx, id, Task::Return, Vec::new()) } else { Ok(()) }
}

fn begin(tx: &TenantWrite<'_>, id: Id<Page>, task: Task, way: Vec<Level>) -> Result<()> {
    if tx.find_intact::<Following>(id)?.is_some() {
        tx.remove::<Following>(id, None)?;
    }
    tx.create_at(id, Following { task, way }).map(drop)
}

/// Lets the next pages follow the change of a page. Returns whether there is more to do.
pub fn follow_next(tx: &TenantWrite<'_>, id: Id<Page>) -> Result<bool> {
    let Some(Following { task, mut way }) = tx.find::<Following>(id)?.map(|following| following.value) else {
        return Ok(false);
    };
    let has_more = match &task {
        Task::Narrow(to) => narrow_some(tx, &mut way, to)?,
        Task::Limit => limit_some(tx, &mut way, &mut Budget::new())?,
        Task::MoveUp(above) => move_up_some(tx, id, *above)?,
        Task::Return => return_some(tx, id)?,
    };
    if has_more {
        let note = |following: &mut Following| {
            following.way = way;
            Ok(())
        };
        return tx.update(id, None, note).map(|_| true);
    }
    tx.remove::<Following>(id, None)?;
    if let Task::Narrow(_) = task {
        make_planned_change(tx, id)?;
    }
    Ok(tx.find::<Following>(id)?.is_some())
}

/// Ends work that cannot go on: the pages below get the limits that follow from the page as it is.
pub fn stop_following(tx: &TenantWrite<'_>, id: Id<Page>) -> Result<()> {
    let narrowed = tx.find_intact::<Following>(id)?.is_some_and(|one| matches!(one.task, Task::Narrow(_)));
    tx.remove::<Following>(id, None)?;
    if tx.find_intact::<PlannedPage>(id)?.is_some() {
        tx.remove::<PlannedPage>(id, None)?;
    }
    match tx.find_intact::<Page>(id)? {
        Some(page) if narrowed => {
            let way = vec![Level::of(id, page.limit_below(page.created_by))];
            begin(tx, id, Task::Limit, way)
        }
        _ => Ok(()),
    }
}

/// Makes the change for which the pages below have become narrower.
fn make_planned_change(tx: &TenantWrite<'_>, id: Id<Page>) -> Result<()> {
    let planned = tx.remove::<PlannedPage>(id, None)?.value;
    let Some(before) = tx.find_intact::<Page>(id)? else { return Ok(()) };
    let current = before.limit_below(before.created_by);
    let mut way = vec![Level::of(id, current)];
    // If the page was changed since, or its parent is gone, it stays as it is, and the pages below become wider again.
    let is_there = match planned.page.parent_id {
        Some(parent) => tx.find_intact::<Page>(parent)?.is_some(),
        None => true,
    };
    if before.version == planned.version && is_there {
        let limit = limit_below(tx, planned.page.parent_id)?;
        let page = tx.update(id, None, |page: &mut Page| {
            *page = planned.page;
            page.limit = limit;
            page.former_audience.clone_from(&before.former_audience);
            page.note_former_audience(&before, before.version + 1);
            Ok(())
        })?;
        way = vec![Level::of(id, page.limit_below(page.created_by))];
    }
    if limit_some(tx, &mut way, &mut Budget::new())? { begin(tx, id, Task::Limit, way) } else { Ok(()) }
}

/// Makes the next pages on the way visible to no other members than those of an audience, each after those below it.
/// Returns whether there are more.
fn narrow_some(tx: &TenantWrite<'_>, way: &mut Vec<Level>, to: &Audience) -> Result<bool> {
    let mut budget = Budget::new();
    while let Some(level) = way.last_mut() {
        if budget.is_spent() {
            return Ok(true);
        }
        if let Some(below) = level.next(tx)? {
            budget.spend(&below);
            if !to.includes_all(&below.limit) {
                way.push(Level::of(below.id, to.clone()));
            }
            continue;
        }
        let done = level.page;
        way.pop();
        if !way.is_empty()
            && let Some(page) = tx.find_intact::<Page>(done)?
        {
            budget.spend(&page);
            set_limit(tx, &page, &page.limit.intersect(to))?;
        }
    }
    Ok(false)
}

/// Gives the next pages on the way the limits that follow from the pages above them. Returns whether there are more.
fn limit_some(tx: &TenantWrite<'_>, way: &mut Vec<Level>, budget: &mut Budget) -> Result<bool> {
    while let Some(level) = way.last_mut() {
        if budget.is_spent() {
            return Ok(true);
        }
        let Some(below) = level.next(tx)? else {
            way.pop();
            continue;
        };
        budget.spend(&below);
        if let Some(limit_below) = set_limit(tx, &below, &level.limit.clone())? {
            way.push(Level::of(below.id, limit_below));
        }
    }
    Ok(false)
}

/// Sets the limit of a page. Its version stays, since nothing in it changed that is edited. Returns the limit below it if
/// that changes.
fn set_limit(tx: &TenantWrite<'_>, page: &Stored<Page>, limit: &Audience) -> Result<Option<Audience>> {
    if page.limit == *limit {
        return Ok(None);
    }
    let mut limited = page.value.clone();
    limited.limit.clone_from(limit);
    limited.note_former_audience(page, page.version);
    let limit_below = limited.limit_below(page.created_by);
    tx.rewrite(page, |page| *page = limited)?;
    Ok((limit_below != page.limit_below(page.created_by)).then_some(limit_below))
}

/// Moves the next pages below a removed page to the page that was above it. They stay as restricted as the removed page made
/// them. Returns whether there are more.
fn move_up_some(tx: &TenantWrite<'_>, id: Id<Page>, above: Option<Id<Page>>) -> Result<bool> {
    // The page above may be in the bin by now.
    let above = match above {
        Some(above) if tx.find_intact::<Page>(above)?.is_some() => Some(above),
        _ => None,
    };
    let mut budget = Budget::new();
    for child in subpages(tx, id, MAX_PAGES + 1)? {
        if budget.is_spent() {
            return Ok(true);
        }
        let before = tx.get::<Page>(child)?;
        budget.spend(&before);
        let limit = limit_below(tx, above)?;
        let moved = tx.update(child, None, |page: &mut Page| {
            page.parent_id = above;
            page.leave_removed(id, before.created_by, limit);
            page.note_former_audience(&before, before.version + 1);
            Ok(())
        })?;
        follow_limit_within(tx, &before, &moved, &mut budget)?;
    }
    Ok(false)
}

/// Moves the next pages that were below a restored page back to it. Returns whether there are more.
fn return_some(tx: &TenantWrite<'_>, id: Id<Page>) -> Result<bool> {
    let Some(page) = tx.find_intact::<Page>(id)? else { return Ok(false) };
    // Pages that were removed by earlier versions name the pages that were below them.
    let mut listed = page.former_children.clone();
    let mut children = tx.ids_beginning::<Page>(BY_FORMER_PARENT, id.as_bytes(), MAX_RETURNED + 1)?;
    children.extend(listed.split_off(listed.len().saturating_sub(MAX_RETURNED)));
    let has_more = children.len() > MAX_RETURNED || !listed.is_empty();
    for child in children.into_iter().take(MAX_RETURNED) {
        if let Some(child) = tx.find_intact::<Page>(child)? {
            return_to(tx, &page, &child)?;
        }
    }
    if listed != page.former_children {
        tx.rewrite(&tx.get::<Page>(id)?, |page| page.former_children = listed)?;
    }
    Ok(has_more)
}

/// Moves a page back to a restored one, unless it was moved since, would lie too deep, or has too many pages below it that
/// would have to become narrower first. Unless its visibility was changed since, it is as before the removal.
fn return_to(tx: &TenantWrite<'_>, page: &Stored<Page>, child: &Stored<Page>) -> Result<()> {
    let mut after = child.value.clone();
    after.former_parents.retain(|former| *former != page.id);
    let narrowed: Vec<_> = after.former_visibilities.extract_if(.., |former| former.parent == page.id).collect();
    if child.parent_id == page.parent_id && may_be_below(tx, Some(child.id), Some(page.id))? {
        after.parent_id = Some(page.id);
        after.limit = page.limit_below(page.created_by);
        if let Some(former) = narrowed.into_iter().next().filter(|former| former.narrowed == after.visibility) {
            after.visibility = former.before;
        }
        after.note_former_audience(child, child.version + 1);
        let narrows = !after.limit_below(child.created_by).includes_all(&child.limit_below(child.created_by));
        if !narrows || can_follow_at_once(tx, child.id)? {
            let moved = tx.update(child.id, None, |page| {
                *page = after;
                Ok(())
            })?;
            return follow_limit(tx, child, &moved);
        }
    }
    tx.rewrite(child, |page| {
        page.former_parents = after.former_parents;
        page.former_visibilities = after.former_visibilities;
    })
}
