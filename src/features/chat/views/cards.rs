//! Cards of the records that a message refers to, in their current state and only for readers who may see them.

use poem_openapi::Object;
use serde::Serialize;
use serde_with::skip_serializing_none;

use crate::{
    features::{
        chat::message::{Reference, ReferenceKind},
        customers::Customer,
        events::Event,
        pages::{Page, rules::Reader},
        tasks::{Task, TaskType},
    },
    kernel::{Id, Result},
    people::members::MemberRecord,
    store::TenantRead,
};

/// The current state of a record that a message refers to.
#[skip_serializing_none]
#[derive(Debug, Serialize, Object)]
#[oai(rename = "ChatCard", skip_serializing_if_is_none)]
pub struct Card {
    /// The name or title.
    title: String,
    /// A second line: the company of a customer, the assignee of a task, the location of an event.
    subtitle: Option<String>,
    /// The path of the record in the application.
    link: String,
    /// Whether a task is completed. Absent for other records.
    done: Option<bool>,
}

/// Returns the card of a record; `None` when it is gone or the reader may not see it.
pub fn find_card(tx: &TenantRead<'_>, reader: Reader, reference: &Reference) -> Result<Option<Card>> {
    let uuid = reference.record_id;
    let card = |title: String, subtitle: Option<String>, folder: &str| Card {
        title,
        subtitle: subtitle.filter(|subtitle| !subtitle.is_empty()),
        link: format!("/{folder}/{uuid}"),
        done: None,
    };
    Ok(match reference.kind {
        ReferenceKind::Customer => tx
            .find::<Customer>(Id::from(uuid))?
            .map(|customer| card(customer.value.name, customer.value.details.company, "customers")),
        ReferenceKind::Task => {
            let task = tx.find::<Task>(Id::from(uuid))?.filter(|task| task.kind == TaskType::Task);
            let Some(task) = task else { return Ok(None) };
            let assignee = task.assignee_id.map_or(Ok(None), |id| tx.find::<MemberRecord>(id))?;
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
