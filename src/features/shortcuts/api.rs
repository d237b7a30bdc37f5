//! API handlers of shortcuts, as section 7 of the specification defines them.

use poem_openapi::{Object, OpenApi, param::Query, types::MaybeUndefined};
use serde::Serialize;
use serde_with::skip_serializing_none;

use super::{model::Shortcut, rules};
use crate::{
    access::Member,
    kernel::Id,
    people::permission::OwnData,
    store::{Stored, TenantWrite},
    wire::{IdempotencyKey, Json, JsonResponse, NotNull, Reply},
};

/// A shortcut of the caller.
#[skip_serializing_none]
#[derive(Debug, Serialize, Object)]
#[oai(rename = "Shortcut", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct View {
    id: Id<Shortcut>,
    label: String,
    description: Option<String>,
    /// The name of an icon.
    icon: String,
    /// A path of the application, or an http, https, mailto or tel address.
    link: String,
    /// Whether the link is followed inside the application.
    use_router: bool,
}

impl From<Stored<Shortcut>> for View {
    fn from(record: Stored<Shortcut>) -> Self {
        let Shortcut { label, description, icon, link, use_router, place: _ } = record.value;
        Self { id: record.id, label, description, icon, link, use_router }
    }
}

/// A new shortcut. An `id` is accepted and ignored.
#[derive(Object)]
#[oai(rename = "NewShortcut", rename_all = "camelCase", deny_unknown_fields)]
struct New {
    id: Option<String>,
    label: String,
    description: Option<String>,
    icon: String,
    link: String,
    /// Whether the link is followed inside the application.
    use_router: bool,
}

/// Changes to a shortcut. Absent fields stay unchanged. Null empties the description and is invalid elsewhere.
#[derive(Object)]
#[oai(rename = "ShortcutPatch", rename_all = "camelCase", deny_unknown_fields)]
struct Patch {
    id: Option<String>,
    label: NotNull<String>,
    description: MaybeUndefined<String>,
    icon: NotNull<String>,
    link: NotNull<String>,
    use_router: NotNull<bool>,
}

/// The body of `POST`.
#[derive(Object)]
#[oai(rename = "CreateShortcut", deny_unknown_fields)]
struct Create {
    shortcut: New,
}

/// The body of `PATCH`.
#[derive(Object)]
#[oai(rename = "ChangeShortcut", deny_unknown_fields)]
struct Change {
    id: Id<Shortcut>,
    shortcut: Patch,
}

/// The ids of the shortcuts in the new order.
#[derive(Object)]
#[oai(rename = "ShortcutOrder", deny_unknown_fields)]
struct Order {
    ids: Vec<Id<Shortcut>>,
}

/// API of shortcuts.
pub struct Api;

#[OpenApi(prefix_path = "/common/shortcuts", tag = "crate::wire::Tag::Shortcuts")]
impl Api {
    /// List the caller's shortcuts in the caller's order.
    #[oai(path = "/", method = "get", operation_id = "listShortcuts")]
    async fn list(&self, member: Member<OwnData>) -> Reply<JsonResponse<Vec<View>>> {
        let shortcuts = member.read(|tx| rules::list(&tx.own_data()?))?;
        Ok(JsonResponse(shortcuts.into_iter().map(View::from).collect()))
    }

    /// Create a shortcut on top.
    #[oai(path = "/", method = "post", operation_id = "createShortcut")]
    async fn create(
        &self,
        member: Member<OwnData>,
        body: Json<Create>,
        #[oai(name = "Idempotency-Key")] key: IdempotencyKey,
    ) -> Reply<JsonResponse<View>> {
        let New { id: _, label, description, icon, link, use_router } = body.0.shortcut;
        let shortcut = Shortcut { label, description, icon, link, use_router, place: 0 };
        let create = move |tx: &TenantWrite<'_>| rules::create(&tx.own_data()?, shortcut);
        Ok(JsonResponse(member.write_idempotent("shortcuts.create", key.0, body.1, create).await?.into()))
    }

    /// Change a shortcut.
    #[oai(path = "/", method = "patch", operation_id = "changeShortcut")]
    async fn change(&self, member: Member<OwnData>, body: Json<Change>) -> Reply<JsonResponse<View>> {
        let Change { id, shortcut: patch } = body.0;
        let apply = move |shortcut: &mut Shortcut| {
            patch.label.update_to(&mut shortcut.label);
            patch.description.update_to(&mut shortcut.description);
            patch.icon.update_to(&mut shortcut.icon);
            patch.link.update_to(&mut shortcut.link);
            patch.use_router.update_to(&mut shortcut.use_router);
        };
        Ok(JsonResponse(member.write(move |tx| rules::change(&tx.own_data()?, id, apply)).await?.into()))
    }

    /// Reorder the caller's shortcuts.
    ///
    /// Returns all shortcuts. Those that are not named follow in their current order.
    #[oai(path = "/order", method = "post", operation_id = "orderShortcuts")]
    async fn order(&self, member: Member<OwnData>, body: Json<Order>) -> Reply<JsonResponse<Vec<View>>> {
        let shortcuts = member.write(move |tx| rules::order(&tx.own_data()?, &body.0.ids)).await?;
        Ok(JsonResponse(shortcuts.into_iter().map(View::from).collect()))
    }

    /// Remove a shortcut.
    ///
    /// Returns the removed shortcut.
    #[oai(path = "/", method = "delete", operation_id = "removeShortcut")]
    async fn remove(&self, member: Member<OwnData>, id: Query<Id<Shortcut>>) -> Reply<JsonResponse<View>> {
        Ok(JsonResponse(member.write(move |tx| rules::remove(&tx.own_data()?, id.0)).await?.into()))
    }
}
