//! Bulk changes of pages.

use poem_openapi::{Object, types::MaybeUndefined};

use super::{
    api::Summary,
    model::{Page, PageStatus},
    rules,
};
use crate::{
    feature::{BulkRecord, FieldValues, Visibility},
    kernel::{Heading, Id, Result},
    people::permission::Reader,
    store::{Stored, TenantWrite},
    wire::NotNull,
};

/// What a bulk change may change of pages.
#[derive(Debug, Object)]
#[oai(rename_all = "camelCase", deny_unknown_fields)]
pub struct Patch {
    parent_id: MaybeUndefined<Id<Page>>,
    status: NotNull<PageStatus>,
    visibility: NotNull<Visibility>,
    fields: NotNull<FieldValues>,
}

impl BulkRecord for Page {
    type View = Summary;
    type Patch = Patch;
    const HEADING: Heading = Heading::Pages;
    const FIELDS: &'static [&'static str] = &["parentId", "status", "visibility", "fields"];
    // Many pages can lie below one, and follow it.
    const AT_ONCE: usize = 5;

    fn change(tx: &TenantWrite<'_>, reader: Reader, id: Id<Self>, patch: Patch, _quiet: bool) -> Result<Stored<Self>> {
        rules::change(tx, reader, id, None, |page| {
            patch.parent_id.update_to(&mut page.parent_id);
            patch.status.update_to(&mut page.status);
            patch.visibility.update_to(&mut page.visibility);
            patch.fields.into_option().into_iter().for_each(|values| page.fields.merge(values));
        })
    }

    fn remove(tx: &TenantWrite<'_>, reader: Reader, id: Id<Self>, any: bool, _quiet: bool) -> Result<()> {
        rules::remove(tx, reader, any, id, None)
    }
}
