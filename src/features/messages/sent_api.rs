//! API handlers of messages between members.

use poem_openapi::{
    Object, OpenApi,
    param::{Path, Query},
};
use serde::Serialize;
use serde_with::skip_serializing_none;

use super::{
    Messages,
    sent::{self, Draft, Receipt, Recipients, Sent},
};
use crate::{
    access::Member,
    features::notices::broadcast,
    kernel::{Code, Error, Id, MemberId, Result, Timestamp},
    people::permission::{MessagesSend, OwnData, Permission},
    store::{MAX_PAGE_BYTES, PersonalRead, Scan, Stored},
    wire::{Created, IdempotencyKey, Json, JsonResponse, Listed, Reply},
};

/// Maximum recipients that a list includes for each message.
const MAX_LISTED_RECIPIENTS: usize = 10;

/// A message to members of the company, or to all of them with `everyone`, which requires the right
/// `messages.broadcast`.
#[derive(Debug, Object)]
#[oai(rename = "NewSentMessage", rename_all = "camelCase", deny_unknown_fields)]
struct New {
    /// Up to 200 recipients. Must be empty with `everyone`.
    #[oai(default)]
    to: Vec<MemberId>,
    /// Whether the message goes to all active members.
    #[oai(default)]
    everyone: bool,
    /// The subject as plain text, up to 200 characters.
    title: String,
    /// The body as plain text, up to 5,000 characters.
    text: String,
}

impl New {
    fn into_draft(self) -> Result<Draft> {
        let to = match (self.everyone, self.to) {
            (true, to) if !to.is_empty() => return Err(Error::field("to", "errors.fields.not_with_everyone")),
            (true, _) => Recipients::Everyone,
            (false, to) => Recipients::Members(to),
        };
        Ok(Draft { to, title: self.title, text: self.text })
    }
}

/// A recipient of a message.
#[skip_serializing_none]
#[derive(Debug, Serialize, Object)]
#[oai(rename = "MessageReceiver", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
struct RecipientView {
    member_id: MemberId,
    name: String,
    /// When the recipient read it. Absent if unread.
    read_at: Option<Timestamp>,
}

impl From<Stored<Receipt>> for RecipientView {
    fn from(receipt: Stored<Receipt>) -> Self {
        let Receipt { member, name, read_at, .. } = receipt.value;
        Self { member_id: member, name, read_at }
    }
}

/// A message that the caller sent.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "SentMessage", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct View {
    id: Id<Sent>,
    created_at: Timestamp,
    title: String,
    text: String,
    /// Whether it was sent to all active members.
    everyone: bool,
    /// The number of recipients.
    total: u32,
    /// The number of recipients who have read it.
    read: u32,
    /// The recipients. Lists include only the first ten.
    receivers: Vec<RecipientView>,
}

impl View {
    fn of(own: &PersonalRead<'_>, sent: Stored<Sent>, limit: usize) -> Result<Self> {
        let receivers = sent::receipts(own, sent.id, limit)?.into_iter().map(RecipientView::from).collect();
        let Sent { title, text, everyone, receivers: total, read } = sent.value;
        Ok(Self { id: sent.id, created_at: sent.created_at, title, text, everyone, total, read, receivers })
    }
}

/// API of messages between members.
pub struct SentApi;

#[OpenApi(prefix_path = "/messages", tag = "crate::wire::Tag::Messages")]
impl SentApi {
    /// Send a message to members of the company, or to all of them.
    ///
    /// It arrives in the recipients' messages.
    #[oai(path = "/send", method = "post", operation_id = "sendMessage")]
    async fn send(
        &self,
        member: Member<MessagesSend>,
        #[oai(name = "Idempotency-Key")] key: IdempotencyKey,
        body: Json<New>,
    ) -> Reply<Created<View>> {
        if body.0.everyone && !member.may(Permission::MessagesBroadcast) {
            return Err(Error::new(Code::Forbidden).into());
        }
        let draft = body.0.into_draft()?;
        let sent = member.write_idempotent("messages.send", key.0, body.1, move |tx| sent::send(tx, &draft)).await?;
        let location = format!("/api/messages/sent/{}", sent.id);
        broadcast::wait::<Messages, _>(&member).await?;
        let id = sent.id;
        let (body, version) = member.read(|tx| {
            let own = tx.own_data()?;
            // It may be displaced since its key was used first.
            let sent = own.find(id)?.unwrap_or(sent);
            let version = sent.version;
            Ok((View::of(&own, sent, usize::MAX)?, version))
        })?;
        Ok(Created { body, location, version })
    }

    /// List the messages that the caller sent, newest first.
    #[oai(path = "/sent", method = "get", operation_id = "listSentMessages")]
    async fn list(
        &self,
        member: Member<OwnData>,
        limit: Query<Option<u32>>,
        cursor: Query<Option<String>>,
    ) -> Reply<Listed<View>> {
        let cursors = member.cursors();
        let paging = cursors.paging(limit.0, cursor.0.as_deref())?;
        let list = member.read(|tx| {
            let own = tx.own_data()?;
            let scan = Scan::all().reversed(true).limit(paging.limit).after(paging.after).within_bytes(MAX_PAGE_BYTES);
            let page = own.page::<Sent>(&scan, |_| true)?;
            let views: Vec<View> = page
                .items
                .into_iter()
                .map(|sent| View::of(&own, sent, MAX_LISTED_RECIPIENTS))
                .collect::<Result<_>>()?;
            let total = own.counter(sent::SENT_COUNTER)?.try_into().unwrap_or(0);
            Ok(cursors.list(views, page.next, total)?.without_damaged(page.damaged))
        })?;
        Ok(Listed(list))
    }

    /// Get a message that the caller sent, with all recipients and when each of them read it.
    #[oai(path = "/sent/:id", method = "get", operation_id = "getSentMessage")]
    async fn get(&self, member: Member<OwnData>, id: Path<Id<Sent>>) -> Reply<JsonResponse<View>> {
        let view = member.read(|tx| {
            let own = tx.own_data()?;
            let sent = own.get(id.0)?;
            View::of(&own, sent, usize::MAX)
        })?;
        Ok(JsonResponse(view))
    }
}
