//! The calls for messages, as the specification's section 7 has them.

use poem_openapi::{Object, OpenApi, param::Query};

use super::{Message, Messages};
use crate::{
    access::{
        Member,
        permission::{OwnData, Permission},
    },
    features::notices::{New, Patch, Toggle, Unread, View, rules},
    kernel::{Code, Error, Id},
    store::TenantWrite,
    wire::{Answer, Json, Reply},
};

/// The body of `POST`.
#[derive(Object)]
#[oai(rename = "CreateMessage", deny_unknown_fields)]
struct Create {
    message: New,
}

/// The body of `PATCH`.
#[derive(Object)]
#[oai(rename = "ChangeMessage", deny_unknown_fields)]
struct Change {
    id: Id<Message>,
    message: Patch,
}

/// The body of `toggle-read-status`.
#[derive(Object)]
#[oai(rename = "ToggleMessage", deny_unknown_fields)]
struct ReadStatus {
    message: Toggle,
}

/// The calls.
pub struct Api;

#[OpenApi(prefix_path = "/common/messages", tag = "crate::wire::Tag::Messages")]
impl Api {
    /// The caller's messages, newest first, 200 at most.
    #[oai(path = "/", method = "get", operation_id = "listMessages")]
    async fn list(&self, member: Member<OwnData>) -> Reply<Answer<Vec<View>>> {
        let found = member.read(|tx| rules::list::<Messages>(&tx.own()?))?;
        Ok(Answer(found.into_iter().map(View::from).collect()))
    }

    /// Sends a message: to oneself, or to the members named in `to`, each of whom gets their own.
    /// The answer is the caller's own, or that of the first addressee.
    #[oai(path = "/", method = "post", operation_id = "createMessage")]
    async fn create(&self, member: Member<OwnData>, body: Json<Create>) -> Reply<Answer<View>> {
        let to = body.0.message.addressees();
        if to == rules::To::Everyone && !member.may(Permission::MessagesBroadcast) {
            return Err(Error::new(Code::Forbidden).into());
        }
        let send = move |tx: &TenantWrite<'_>| rules::send(tx, body.0.message.notice::<Messages>(tx.now()), &to);
        Ok(Answer(member.write(send).await?.into()))
    }

    /// Changes a message of the caller's.
    #[oai(path = "/", method = "patch", operation_id = "changeMessage")]
    async fn change(&self, member: Member<OwnData>, body: Json<Change>) -> Reply<Answer<View>> {
        let Change { id, message: patch } = body.0;
        let change = move |tx: &TenantWrite<'_>| rules::change(&tx.own()?, id, |kept| patch.apply(kept));
        Ok(Answer(member.write(change).await?.into()))
    }

    /// Removes a message of the caller's, and answers with it.
    #[oai(path = "/", method = "delete", operation_id = "removeMessage")]
    async fn remove(&self, member: Member<OwnData>, id: Query<Id<Message>>) -> Reply<Answer<View>> {
        Ok(Answer(member.write(move |tx| rules::remove(&tx.own()?, id.0)).await?.into()))
    }

    /// All of the caller's messages are read and seen from now on.
    #[oai(path = "/mark-all-as-read", method = "get", operation_id = "markAllMessagesAsReadByGet")]
    async fn mark_all_by_get(&self, member: Member<OwnData>) -> Reply<Answer<bool>> {
        mark_all(&member).await
    }

    /// The same, for clients that expect a change to be a `POST`.
    #[oai(path = "/mark-all-as-read", method = "post", operation_id = "markAllMessagesAsRead")]
    async fn mark_all(&self, member: Member<OwnData>) -> Reply<Answer<bool>> {
        mark_all(&member).await
    }

    /// Sets whether a message is read to what the body says.
    #[oai(path = "/toggle-read-status", method = "post", operation_id = "toggleMessageReadStatus")]
    async fn toggle(&self, member: Member<OwnData>, body: Json<ReadStatus>) -> Reply<Answer<View>> {
        let (id, read) = (body.0.message.id.cast::<Message>(), body.0.message.read);
        Ok(Answer(member.write(move |tx| rules::set_read(&tx.own()?, id, read)).await?.into()))
    }

    /// All of the caller's messages are seen from now on: their panel was opened.
    #[oai(path = "/seen", method = "post", operation_id = "seeMessages")]
    async fn see(&self, member: Member<OwnData>) -> Reply<Answer<bool>> {
        if !member.read(|tx| rules::all_seen::<Messages>(&tx.own()?))? {
            member.write(|tx| rules::mark_all_seen::<Messages>(&tx.own()?)).await?;
        }
        Ok(Answer(true))
    }

    /// How many of the caller's messages are not read.
    #[oai(path = "/unread", method = "get", operation_id = "countUnreadMessages")]
    async fn unread(&self, member: Member<OwnData>) -> Reply<Answer<Unread>> {
        let unread = member.read(|tx| rules::unread::<Messages>(&tx.own()?))?;
        Ok(Answer(Unread { unread }))
    }
}

async fn mark_all(member: &Member<OwnData>) -> Reply<Answer<bool>> {
    if !member.read(|tx| rules::all_read::<Messages>(&tx.own()?))? {
        member.write(|tx| rules::mark_all_read::<Messages>(&tx.own()?)).await?;
    }
    Ok(Answer(true))
}
