//! Knowledge base: a tree of pages. Drafts are visible to their author and to administrators. A published page is
//! visible to those whom its visibility names and who may see all pages above it, to its author and to administrators.
//! Search finds what a member sees without being an administrator.

mod api;
mod bulk;
mod follow;
mod model;
pub mod rules;
#[cfg(test)]
mod tests;

pub use api::Api;
pub use follow::{Following, PlannedPage, follow_next, stop_following};
pub use model::{Page, PageStatus, clean};

use crate::{
    feature::{
        Audience, ColumnType, Feature, FieldAccess, FieldReference, FormerAudience, KindRecord, KindRights, ListColumn,
        Menu, RecordKind, Summary, VisibleTo,
        columns::{choice, ids, texts},
        shows_file_of,
    },
    kernel::{MemberId, Result},
    people::permission::{PagesDelete, PagesDeleteOwn, PagesRead, PagesWrite, Permission},
    store::{Record as _, Stored, TenantRead, TenantWrite},
};

/// Feature registration.
pub const FEATURE: Feature = Feature::new("pages")
    .with_kinds(&[KIND])
    .with_files(&[|tx, reader, media| shows_file_of::<Page>(tx, reader, (KIND.rights.read, model::BY_FILE), media)]);

/// The description of the kind.
const KIND: RecordKind =
    RecordKind::of::<Page>("pages", KindRights::of::<PagesRead, PagesWrite, PagesDeleteOwn, PagesDelete>())
        .with_visibility::<Page>()
        .in_bulk::<Page>()
        .in_menu(Menu { position: 50, icon: "book-open", link: "/pages", count: None });

impl KindRecord for Page {
    const COLUMNS: &'static [ListColumn<Self>] = &[
        ListColumn::new("title", ColumnType::Text, |one| texts([&one.title])),
        ListColumn::choice_of::<PageStatus>("status", |one| vec![choice(&one.status)]),
        ListColumn::choice_of::<VisibleTo>("visibility", |one| vec![choice(&one.visibility.to)]),
        ListColumn::record("parentId", Self::KIND, |one| ids(one.parent_id)),
    ];

    const VALUES: Option<FieldAccess<Self>> =
        Some(FieldAccess { get: |one| &one.fields, get_mut: |one| &mut one.fields });

    const REFERENCES: &'static [FieldReference] =
        &[FieldReference { field: "parent_id", target: Self::KIND, lookup: None }];

    /// So that a company never loses access to what its members know.
    const SEES_ALL: Option<Permission> = Some(Permission::PagesDelete);

    fn audience(record: &Stored<Self>) -> Audience {
        record.audience_with(record.created_by)
    }

    fn former_audience(&self) -> Option<&FormerAudience> {
        self.former_audience.as_ref()
    }

    fn summary(_tx: &TenantRead<'_>, record: &Stored<Self>) -> Result<Option<Summary>> {
        Ok(Some(Summary { title: record.title.clone(), ..Summary::default() }))
    }

    /// A page whose parent is gone, or has come to lie too deep, returns to the top level, and stays as restricted as
    /// the pages above made it.
    fn adapt_restored(tx: &TenantWrite<'_>, author: Option<MemberId>, record: &mut Self) -> Result<()> {
        follow::ensure_none_follows(tx)?;
        if !rules::may_be_below(tx, None, record.parent_id)? {
            record.parent_id = None;
            record.visibility.narrow_to(&record.limit, author);
        }
        record.limit = rules::limit_below(tx, record.parent_id)?;
        Ok(())
    }

    fn after_restore(tx: &TenantWrite<'_>, record: &Stored<Self>, _quiet: bool) -> Result<()> {
        follow::follow_restore(tx, record.id)
    }
}
