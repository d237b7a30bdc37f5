//! Rules of views: who sees, changes and deletes one, and what it may hold.

use std::mem;

use super::model::{SavedView, SeenBy, VIEWS_BY_READER, ViewDefaults, place};
use crate::{
    feature::Restricted,
    features::records::{
        KindName,
        lists::{MAX_COLUMNS, ViewOfList, check_view},
    },
    index::MAX_QUERY_CHARS,
    kernel::{Code, Error, Id, Result, error::Faults, text},
    people::permission::{Permission, Reader},
    store::{Change, Scan, Stored, TenantRead, TenantWrite},
};

/// Maximum views of a kind that one member keeps for themselves.
const MAX_OWN: usize = 100;
/// Maximum shared views of a kind.
const MAX_SHARED: usize = 200;
/// Maximum length of a name.
const MAX_NAME: usize = 100;
/// Maximum length of the words that are searched for.
const MAX_WORDS: usize = MAX_QUERY_CHARS;

/// A view that never was shared is its author's own.
pub fn restrict_never_shared(
    tx: &TenantRead<'_>,
    id: [u8; 16],
    _change: Option<&Change>,
) -> Result<Option<Restricted>> {
    let own = tx.find_intact::<SavedView>(Id::from_bytes(id))?.filter(|view| !view.was_shared);
    Ok(own.map(|view| Restricted { holders: None, people: view.created_by.into_iter().collect() }))
}

/// Whether a view of a kind shows a column, or is filtered or sorted by it.
pub fn show_column(tx: &TenantRead<'_>, kind: KindName, column: &str) -> Result<bool> {
    let filter = format!("{column}:");
    let has = |view: &SavedView| {
        let is_order = |sort: &String| sort.split(',').any(|one| one.trim_start_matches('-') == column);
        view.kind == kind
            && (view.columns.iter().any(|one| one == column)
                || view.filters.iter().any(|one| one.starts_with(&filter))
                || view.sort.as_ref().is_some_and(is_order))
    };
    let mut is_shown = false;
    tx.each::<SavedView>(|view| {
        is_shown |= has(&view);
        Ok(())
    })?;
    Ok(is_shown)
}

/// Returns the views of a kind that the reader sees, by name, and the one with which their list opens.
pub fn list(tx: &TenantRead<'_>, reader: Reader, kind: KindName) -> Result<Views> {
    let mut views = in_place(tx, kind, SeenBy::Only(reader.id))?;
    views.extend(in_place(tx, kind, SeenBy::All)?);
    views.sort_by_cached_key(|view| text::fold(&view.name));
    let own = tx.own_data()?;
    let defaults = own.find_intact::<ViewDefaults>(own.person())?;
    let default = defaults.and_then(|defaults| defaults.views.get(kind.kind().kind).copied());
    Ok(Views { default: default.filter(|id| views.iter().any(|view| view.id == *id)), views })
}

/// The views of a kind that a member sees.
#[derive(Debug)]
pub struct Views {
    /// By name.
    pub views: Vec<Stored<SavedView>>,
    /// The view with which the member's list opens.
    pub default: Option<Id<SavedView>>,
}

fn in_place(tx: &TenantRead<'_>, kind: KindName, seen_by: SeenBy) -> Result<Vec<Stored<SavedView>>> {
    let scan = Scan::with(VIEWS_BY_READER, place(kind, seen_by)).limit(MAX_OWN.max(MAX_SHARED));
    Ok(tx.page::<SavedView>(&scan, |_| true)?.items)
}

/// Creates a view of the writing member.
/// Errors: `invalid`; `forbidden` when it is shared and the member may not change records of the kind; `conflict` when
/// there are too many.
pub fn create(tx: &TenantWrite<'_>, reader: Reader, mut view: SavedView) -> Result<Stored<SavedView>> {
    clean(tx, reader, &mut view, None)?;
    ensure_room(tx, reader, &view)?;
    tx.create(view)
}

/// Changes a view.
/// Errors: `not_found`; `forbidden` for a view that another member shared; `stale_version`; `invalid`; `conflict`.
pub fn change(
    tx: &TenantWrite<'_>,
    reader: Reader,
    id: Id<SavedView>,
    expected: Option<u64>,
    change: impl FnOnce(&mut SavedView),
) -> Result<Stored<SavedView>> {
    let old = changeable(tx, reader, id)?;
    let mut view = old.value.clone();
    change(&mut view);
    clean(tx, reader, &mut view, Some(&old))?;
    if view.shared != old.shared {
        if old.created_by != Some(reader.id) {
            // Its author would lose it, or see it among their own.
            return Err(Error::new(Code::Forbidden));
        }
        ensure_room(tx, reader, &view)?;
    }
    tx.update(id, expected, |kept| {
        *kept = view;
        Ok(())
    })
}

/// Deletes a view.
/// Errors: `not_found`; `forbidden` for a view that another member shared; `stale_version`.
pub fn remove(tx: &TenantWrite<'_>, reader: Reader, id: Id<SavedView>, expected: Option<u64>) -> Result<()> {
    changeable(tx, reader, id)?;
    tx.remove::<SavedView>(id, expected).map(drop)
}

/// Chooses the view with which the writing member's lists of a kind open.
/// Errors: `invalid` for a view that the member does not see, or of another kind.
pub fn set_default(tx: &TenantWrite<'_>, reader: Reader, kind: KindName, id: Option<Id<SavedView>>) -> Result<()> {
    if let Some(id) = id
        && find(tx, reader, id)?.is_none_or(|view| view.kind != kind)
    {
        return Err(Error::field("viewId", "errors.fields.unknown_view"));
    }
    let own = tx.own_data()?;
    let person = own.person();
    let mut defaults = own.read().find::<ViewDefaults>(person)?.map(|kept| kept.value);
    let is_new = defaults.is_none();
    let views = &mut defaults.get_or_insert_default().views;
    match id {
        Some(id) => views.insert(kind.kind().kind.to_owned(), id),
        None => views.remove(kind.kind().kind),
    };
    let views = mem::take(views);
    if is_new {
        own.create_at(person, ViewDefaults { views }).map(drop)
    } else {
        own.update(person, |kept: &mut ViewDefaults| {
            kept.views = views;
            Ok(())
        })
        .map(drop)
    }
}

/// Returns a view if the reader sees it.
fn find(tx: &TenantRead<'_>, reader: Reader, id: Id<SavedView>) -> Result<Option<Stored<SavedView>>> {
    Ok(tx.find(id)?.filter(|view: &Stored<SavedView>| view.shared || view.created_by == Some(reader.id)))
}

/// Returns a view that the reader may change: their own, and with a right those that others shared.
/// Errors: `not_found`; `forbidden`.
fn changeable(tx: &TenantRead<'_>, reader: Reader, id: Id<SavedView>) -> Result<Stored<SavedView>> {
    let view = find(tx, reader, id)?.ok_or_else(Error::not_found)?;
    if view.created_by == Some(reader.id) || reader.role.has(Permission::ViewsManage) {
        return Ok(view);
    }
    Err(Error::new(Code::Forbidden))
}

/// Errors: `forbidden` when the view is shared and the reader may not change records of the kind; `conflict`.
fn ensure_room(tx: &TenantRead<'_>, reader: Reader, view: &SavedView) -> Result<()> {
    let kind = view.kind.kind();
    if view.shared && !reader.role.has(kind.rights.write) {
        return Err(Error::new(Code::Forbidden));
    }
    let (seen_by, max) = if view.shared { (SeenBy::All, MAX_SHARED) } else { (SeenBy::Only(reader.id), MAX_OWN) };
    if in_place(tx, view.kind, seen_by)?.len() < max {
        return Ok(());
    }
    let field = if view.shared { "shared" } else { "kind" };
    Err(Error::new(Code::Conflict).and_field(field, "errors.fields.too_many", vec![("max", max.to_string())]))
}

/// Cleans a view and checks what is new in it: a filter may have lost its column since.
/// Errors: `invalid` with all invalid fields.
fn clean(tx: &TenantWrite<'_>, reader: Reader, view: &mut SavedView, old: Option<&SavedView>) -> Result<()> {
    let mut faults = Faults::default();
    view.name = text::line(&view.name);
    view.q = view.q.take().map(|words| text::line(&words)).filter(|words| !words.is_empty());
    view.was_shared |= view.shared;
    faults.required("name", &view.name, MAX_NAME);
    faults.at_most("q", view.q.as_deref().unwrap_or_default(), MAX_WORDS);
    if !faults.few("columns", view.columns.len(), MAX_COLUMNS) {
        return faults.into_result();
    }
    let is_new = |now: &[String], before: fn(&SavedView) -> &[String]| old.is_none_or(|old| before(old) != now);
    let of_list = ViewOfList {
        filters: if is_new(&view.filters, |old| &old.filters) { &view.filters } else { &[] },
        sort: view.sort.as_deref().filter(|sort| old.is_none_or(|old| old.sort.as_deref() != Some(sort))),
        columns: if is_new(&view.columns, |old| &old.columns) { &view.columns } else { &[] },
    };
    check_view(tx, view.kind.kind(), reader.id, &of_list, &mut faults)?;
    faults.into_result()
}
