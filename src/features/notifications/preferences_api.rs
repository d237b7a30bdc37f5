//! API handlers of notification preferences.

use poem_openapi::OpenApi;

use super::preferences::{self, Patch, Preferences, View};
use crate::{
    access::Member,
    people::permission::OwnData,
    wire::{Json, JsonResponse, Reply},
};

/// API of notification preferences.
pub struct PreferencesApi;

#[OpenApi(prefix_path = "/common/user", tag = "crate::wire::Tag::Notifications")]
impl PreferencesApi {
    /// Get the caller's notification preferences.
    ///
    /// The response has the channels of each kind of notification and the schedule of the digest.
    #[oai(path = "/notification-preferences", method = "get", operation_id = "getNotificationPreferences")]
    async fn get(&self, member: Member<OwnData>) -> Reply<JsonResponse<View>> {
        Ok(JsonResponse(member.read(|tx| Preferences::of(&tx.own_data()?))?.into()))
    }

    /// Change the caller's notification preferences.
    ///
    /// Security notifications cannot be turned off in the application.
    #[oai(path = "/notification-preferences", method = "patch", operation_id = "changeNotificationPreferences")]
    async fn change(&self, member: Member<OwnData>, body: Json<Patch>) -> Reply<JsonResponse<View>> {
        Ok(JsonResponse(member.write(move |tx| preferences::change(tx, &body.0)).await?.into()))
    }
}
