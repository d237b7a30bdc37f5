//! The calls for how one is told of things.

use poem_openapi::OpenApi;

use super::preferences::{self, Patch, Preferences, View};
use crate::{
    access::{Member, permission::OwnData},
    wire::{Json, JsonResponse, Reply},
};

/// The calls.
pub struct PreferencesApi;

#[OpenApi(prefix_path = "/common/user", tag = "crate::wire::Tag::Notifications")]
impl PreferencesApi {
    /// How the caller is told of things: of each kind in the application, by mail, and the rest in a digest.
    #[oai(path = "/notification-preferences", method = "get", operation_id = "getNotificationPreferences")]
    async fn get(&self, member: Member<OwnData>) -> Reply<JsonResponse<View>> {
        Ok(JsonResponse(member.read(|tx| Preferences::of(&tx.own()?))?.into()))
    }

    /// Changes how the caller is told of things. Word of security cannot be kept from the application.
    #[oai(path = "/notification-preferences", method = "patch", operation_id = "changeNotificationPreferences")]
    async fn change(&self, member: Member<OwnData>, body: Json<Patch>) -> Reply<JsonResponse<View>> {
        Ok(JsonResponse(member.write(move |tx| preferences::change(tx, &body.0)).await?.into()))
    }
}
