//! API handler of the navigation.

use poem_openapi::OpenApi;

use super::tree::Navigation;
use crate::{
    access::Member,
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
        let reader = member.reader();
        let navigation = member
            .read(|tx| Navigation::new(reader.role, |count| count(tx, reader, member.now(), member.timezone())))?;
        Ok(JsonResponse(navigation))
    }
}
