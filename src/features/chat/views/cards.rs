//! What a record that a message names shows of itself: only to who may see it, and as it is now.

use poem_openapi::Object;
use serde::Serialize;

use crate::{
    access::members::MemberRecord,
    features::{
        chat::message::{Reference, ReferenceKind},
        customers::Customer,
        events::Event,
        pages::{Page, rules::Reader},
        tasks::{Task, TaskType},
    },
    kernel::{Id, Result},
    store::TenantRead,
};

/// A record that a message refers to, as it is now.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "ChatCard", skip_serializing_if_is_none)]
pub struct Card {
    /// Name or title.
    title: String,
    /// A second line: a customer's company, who does a task, where an event is.
    #[serde(skip_serializing_if = "Option::is_none")]
    subtitle: Option<String>,
    /// Where it is in the application.
    link: String,
    /// Whether a task is done.
    #[serde(skip_serializing_if = "Option::is_none")]
    done: Option<bool>,
}

/// The card of a record; none when it is gone, or not for this reader.
///
/// # Errors
/// `busy` or `internal` when it cannot be read.
pub fn card(tx: &TenantRead<'_>, reader: Reader, reference: &Reference) -> Result<Option<Card>> {
    let uuid = reference.record_id;
    let card = |title: String, subtitle: Option<String>, place: &str| Card {
        title,
        subtitle: subtitle.filter(|subtitle| !subtitle.is_empty()),
        link: format!("/{place}/{uuid}"),
        done: None,
    };
    Ok(match reference.kind {
        ReferenceKind::Customer => tx
            .find::<Customer>(Id::from(uuid))?
            .map(|customer| card(customer.value.name, customer.value.details.company, "customers")),
        ReferenceKind::Task => {
            let task = tx.find::<Task>(Id::from(uuid))?.filter(|task| task.kind == TaskType::Task);
            let Some(task) = task else { return Ok(None) };
            let assignee = task.assignee_id.map_or(Ok(None), |id| tx.find::<MemberRecord>(id.cast()))?;
            let done = Some(task.completed);
            Some(Card { done, ..card(task.value.title, assignee.map(|member| member.value.name), "tasks") })
        }
        ReferenceKind::Event => {
            tx.find::<Event>(Id::from(uuid))?.map(|event| card(event.value.title, event.value.location, "events"))
        }
        ReferenceKind::Page => {
            let page = tx.find::<Page>(Id::from(uuid))?.filter(|page| reader.sees(page));
            page.map(|page| card(page.value.title, None, "pages"))
        }
    })
}
