//! Knowledge base: a tree of pages. Drafts are visible to their author and to administrators, published pages to all
//! members. Search finds published pages and the searcher's own drafts.

mod api;
mod model;
pub mod rules;
#[cfg(test)]
mod tests;

pub use api::Api;
pub use model::{Page, PageStatus, clean};

use crate::{
    feature::{
        ColumnType, Feature, FieldReference, FieldValues, KindRecord, KindRights, ListColumn, Menu, RecordKind,
        Summary,
        columns::{ids, texts, words},
    },
    kernel::Result,
    people::permission::{Permission, Reader},
    store::{Record as _, Stored, TenantRead, TenantWrite},
};

/// Feature registration.
pub const FEATURE: Feature = Feature::new("pages").with_kinds(&[KIND]);

/// The description of the kind.
const KIND: RecordKind = RecordKind::of::<Page>(
    "pages",
    "/pages/",
    KindRights {
        read: Permission::PagesRead,
        write: Permission::PagesWrite,
        delete_own: Permission::PagesDeleteOwn,
        delete: Permission::PagesDelete,
    },
)
.restricted::<Page>(rules::restrict_never_published)
.in_menu(Menu { position: 50, icon: "book-open", link: "/pages", count: None });

impl KindRecord for Page {
    const COLUMNS: &'static [ListColumn<Self>] = &[
        ListColumn::new("title", ColumnType::Text, |one| texts([&one.title])),
        ListColumn::choice("status", &["draft", "published"], |one| {
            words([if one.status == PageStatus::Draft { "draft" } else { "published" }])
        }),
        ListColumn::new("parentId", ColumnType::Record, |one| ids(one.parent_id)),
    ];

    fn field_values(&self) -> Option<&FieldValues> {
        Some(&self.fields)
    }

    fn field_values_mut(&mut self) -> Option<&mut FieldValues> {
        Some(&mut self.fields)
    }

    const REFERENCES: &'static [FieldReference] =
        &[FieldReference { field: "parent_id", target: Self::KIND, lookup: None }];

    /// Drafts are visible to their authors, and to members who may delete any page.
    fn is_visible_to(record: &Stored<Self>, reader: Reader) -> bool {
        record.status == PageStatus::Published
            || record.created_by == Some(reader.id)
            || reader.role.has(Permission::PagesDelete)
    }

    fn summary(_tx: &TenantRead<'_>, record: &Stored<Self>) -> Result<Option<Summary>> {
        Ok(Some(Summary { title: record.title.clone(), ..Summary::default() }))
    }

    /// A page whose parent is gone, or has come to lie too deep, returns to the top level.
    fn adapt_restored(tx: &TenantWrite<'_>, record: &mut Self) -> Result<()> {
        if rules::fits(tx, None, None, record.parent_id).is_err() {
            record.parent_id = None;
        }
        Ok(())
    }

    fn after_restore(tx: &TenantWrite<'_>, record: &Stored<Self>, _quiet: bool) -> Result<()> {
        rules::reclaim_children(tx, record)
    }
}
