//! The call for the navigation.

use poem_openapi::OpenApi;

use super::tree::{Navigation, Waiting};
use crate::{
    access::{Member, permission::OwnData},
    wire::{Answer, Reply},
};

/// The calls.
pub struct Api;

#[OpenApi(prefix_path = "/global/navigation", tag = "crate::wire::Tag::Global")]
impl Api {
    /// Where the caller can go, in the four shapes that layouts show, with counts of what waits there:
    /// the caller's open tasks, and the events that begin today.
    #[oai(path = "/", method = "get", operation_id = "getNavigation")]
    async fn get(&self, member: Member<OwnData>) -> Reply<Answer<Navigation>> {
        let today = member.now().day_in(member.timezone());
        let waiting = member.read(|tx| {
            Ok(Waiting {
                tasks: tx.counter(&format!("tasks/open_by/{}", member.id()))?,
                events: tx.counter(&format!("events/starts/{today}"))?,
            })
        })?;
        Ok(Answer(Navigation::new(member.role(), waiting)))
    }
}
