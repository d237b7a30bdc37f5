//! API handler of the navigation.

use poem_openapi::OpenApi;

use super::tree::{Navigation, Waiting};
use crate::{
    access::Member,
    features::events,
    people::permission::OwnData,
    wire::{JsonResponse, Reply},
};

/// API of the navigation.
pub struct Api;

#[OpenApi(prefix_path = "/global/navigation", tag = "crate::wire::Tag::Global")]
impl Api {
    /// Get the navigation entries that the caller may use, in the four layouts.
    ///
    /// Badges count the caller's open tasks and today's events.
    #[oai(path = "/", method = "get", operation_id = "getNavigation")]
    async fn get(&self, member: Member<OwnData>) -> Reply<JsonResponse<Navigation>> {
        let waiting = member.read(|tx| {
            Ok(Waiting {
                tasks: tx.counter(&format!("tasks/open_by/{}", member.id()))?,
                events: i64::try_from(events::today(tx, member.now(), member.timezone())?).unwrap_or(i64::MAX),
            })
        })?;
        Ok(JsonResponse(Navigation::new(member.role(), waiting)))
    }
}
