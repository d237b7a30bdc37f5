//! HTTP API of saved views.

use poem_openapi::{
    Object, OpenApi,
    param::{Path, Query},
    types::MaybeUndefined,
};
use serde::Serialize;
use serde_with::skip_serializing_none;

use super::{model::SavedView, rules};
use crate::{
    access::Member,
    features::records::{KindName, KindPath},
    kernel::{Id, MemberId, Timestamp},
    people::permission::OwnData,
    store::{Stored, TenantWrite},
    wire::{Created, IdempotencyKey, IfMatch, Json, JsonResponse, NoContent, NotNull, Reply, Versioned},
};

/// A saved view of the lists of a kind.
#[skip_serializing_none]
#[derive(Debug, Serialize, Object)]
#[oai(rename = "SavedView", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
struct View {
    id: Id<SavedView>,
    version: u64,
    created_at: Timestamp,
    updated_at: Timestamp,
    /// The member whose view it is.
    created_by: Option<MemberId>,
    /// The kind of the records that it lists.
    kind: KindPath,
    name: String,
    /// Whether all members see it.
    shared: bool,
    /// The filters, as in the parameter `filter` of the list calls.
    filters: Vec<String>,
    /// The words that are searched for.
    q: Option<String>,
    /// The order, as in the parameter `sort` of the list calls.
    sort: Option<String>,
    /// The shown columns in their order; empty for the usual ones.
    columns: Vec<String>,
}

impl From<Stored<SavedView>> for View {
    fn from(view: Stored<SavedView>) -> Self {
        let Stored { id, version, created_at, updated_at, created_by, value } = view;
        let SavedView { kind, name, shared, was_shared: _, filters, q, sort, columns } = value;
        let kind = KindPath::of(kind.kind());
        Self { id, version, created_at, updated_at, created_by, kind, name, shared, filters, q, sort, columns }
    }
}

/// The views of a kind that the caller sees.
#[skip_serializing_none]
#[derive(Debug, Serialize, Object)]
#[oai(rename = "SavedViews", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
struct Views {
    /// The views, by name.
    items: Vec<View>,
    /// The view with which the caller's list opens; absent when it opens without any.
    default_id: Option<Id<SavedView>>,
}

/// A new view.
#[derive(Object)]
#[oai(rename = "NewSavedView", rename_all = "camelCase", deny_unknown_fields)]
struct New {
    /// The kind of the records that it lists.
    kind: KindPath,
    /// The name, at most 100 characters.
    name: String,
    /// Whether all members see it.
    #[oai(default)]
    shared: bool,
    /// The filters, as in the parameter `filter` of the list calls. At most 12.
    #[oai(default)]
    filters: Vec<String>,
    /// The words to search for.
    q: Option<String>,
    /// The order, as in the parameter `sort` of the list calls.
    sort: Option<String>,
    /// The shown columns in their order; empty for the usual ones. `getSchema` names the columns.
    #[oai(default)]
    columns: Vec<String>,
}

/// Changes to a view. Absent fields stay unchanged.
#[derive(Object)]
#[oai(rename = "SavedViewPatch", rename_all = "camelCase", deny_unknown_fields)]
struct Patch {
    name: NotNull<String>,
    /// Only the member whose view it is may share it, or end that.
    shared: NotNull<bool>,
    filters: NotNull<Vec<String>>,
    q: MaybeUndefined<String>,
    sort: MaybeUndefined<String>,
    columns: NotNull<Vec<String>>,
}

/// The view with which the caller's list of a kind opens.
#[derive(Object)]
#[oai(rename = "DefaultView", rename_all = "camelCase", deny_unknown_fields)]
struct Default {
    /// The kind of the records that it lists.
    kind: KindPath,
    /// The view; without one, the list opens with all records.
    view_id: Option<Id<SavedView>>,
}

/// The endpoints of views.
pub struct Api;

#[OpenApi(tag = "crate::wire::Tag::Records")]
impl Api {
    /// List saved views.
    ///
    /// Lists the caller's views of a kind and those that others share, by name.
    #[oai(path = "/views", method = "get", operation_id = "listSavedViews")]
    async fn list(
        &self,
        member: Member<OwnData>,
        /// The kind of the records that the views list.
        kind: Query<KindPath>,
    ) -> Reply<JsonResponse<Views>> {
        let (kind, reader) = (KindName::of(kind.0.kind()), member.reader());
        let rules::Views { views, default } = member.read(|tx| rules::list(tx, reader, kind))?;
        Ok(JsonResponse(Views { items: views.into_iter().map(View::from).collect(), default_id: default }))
    }

    /// Save a view.
    ///
    /// Only members who may change records of the kind may share views.
    #[oai(path = "/views", method = "post", operation_id = "createSavedView")]
    async fn create(
        &self,
        member: Member<OwnData>,
        #[oai(name = "Idempotency-Key")] key: IdempotencyKey,
        body: Json<New>,
    ) -> Reply<Created<View>> {
        let New { kind, name, shared, filters, q, sort, columns } = body.0;
        let kind = KindName::of(kind.kind());
        let view = SavedView { kind, name, shared, was_shared: shared, filters, q, sort, columns };
        let reader = member.reader();
        let work = move |tx: &TenantWrite<'_>| rules::create(tx, reader, view);
        let view = member.write_idempotent("views.create", key.0, body.1, work).await?;
        Ok(Created::in_list("/api/views", view))
    }

    /// Change a saved view.
    ///
    /// Members change their own views, administrators also those that others share.
    #[oai(path = "/views/:id", method = "patch", operation_id = "changeSavedView")]
    async fn change(
        &self,
        member: Member<OwnData>,
        id: Path<Id<SavedView>>,
        #[oai(name = "If-Match")] if_match: IfMatch,
        body: Json<Patch>,
    ) -> Reply<Versioned<View>> {
        let patch = body.0;
        let apply = move |view: &mut SavedView| {
            patch.name.update_to(&mut view.name);
            patch.shared.update_to(&mut view.shared);
            patch.filters.update_to(&mut view.filters);
            patch.q.update_to(&mut view.q);
            patch.sort.update_to(&mut view.sort);
            patch.columns.update_to(&mut view.columns);
        };
        let reader = member.reader();
        let view = member.write(move |tx| rules::change(tx, reader, id.0, if_match.0, apply)).await?;
        Ok(Versioned::of(view))
    }

    /// Delete a saved view.
    ///
    /// Members delete their own views, administrators also those that others share.
    #[oai(path = "/views/:id", method = "delete", operation_id = "removeSavedView")]
    async fn remove(
        &self,
        member: Member<OwnData>,
        id: Path<Id<SavedView>>,
        #[oai(name = "If-Match")] if_match: IfMatch,
    ) -> Reply<NoContent> {
        let reader = member.reader();
        member.write(move |tx| rules::remove(tx, reader, id.0, if_match.0)).await?;
        Ok(NoContent)
    }

    /// Choose the view with which the caller's list of a kind opens.
    #[oai(path = "/views/default", method = "put", operation_id = "setDefaultView")]
    async fn set_default(&self, member: Member<OwnData>, body: Json<Default>) -> Reply<NoContent> {
        let Default { kind, view_id } = body.0;
        let (kind, reader) = (KindName::of(kind.kind()), member.reader());
        member.write(move |tx| rules::set_default(tx, reader, kind, view_id)).await?;
        Ok(NoContent)
    }
}
