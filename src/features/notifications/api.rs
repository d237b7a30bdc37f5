//! The calls for notifications, as the specification's section 7 has them.

use poem_openapi::{Object, OpenApi, param::Query};

use super::{Notification, Notifications};
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
#[oai(rename = "CreateNotification", deny_unknown_fields)]
struct Create {
    notification: New,
}

/// The body of `PATCH`.
#[derive(Object)]
#[oai(rename = "ChangeNotification", deny_unknown_fields)]
struct Change {
    id: Id<Notification>,
    notification: Patch,
}

/// The body of `toggle-read-status`.
#[derive(Object)]
#[oai(rename = "ToggleNotification", deny_unknown_fields)]
struct ReadStatus {
    notification: Toggle,
}

/// The calls.
pub struct Api;

#[OpenApi(prefix_path = "/common/notifications", tag = "crate::wire::Tag::Notifications")]
impl Api {
    /// The caller's notifications, newest first, 200 at most.
    #[oai(path = "/", method = "get", operation_id = "listNotifications")]
    async fn list(&self, member: Member<OwnData>) -> Reply<Answer<Vec<View>>> {
        let found = member.read(|tx| rules::list::<Notifications>(&tx.own()?))?;
        Ok(Answer(found.into_iter().map(View::from).collect()))
    }

    /// Sends a notification: to oneself, or to the members named in `to`, each of whom gets their own.
    /// The answer is the caller's own, or that of the first addressee.
    #[oai(path = "/", method = "post", operation_id = "createNotification")]
    async fn create(&self, member: Member<OwnData>, body: Json<Create>) -> Reply<Answer<View>> {
        let to = body.0.notification.addressees();
        if to == rules::To::Everyone && !member.may(Permission::MessagesBroadcast) {
            return Err(Error::new(Code::Forbidden).into());
        }
        let send =
            move |tx: &TenantWrite<'_>| rules::send(tx, body.0.notification.notice::<Notifications>(tx.now()), &to);
        Ok(Answer(member.write(send).await?.into()))
    }

    /// Changes a notification of the caller's.
    #[oai(path = "/", method = "patch", operation_id = "changeNotification")]
    async fn change(&self, member: Member<OwnData>, body: Json<Change>) -> Reply<Answer<View>> {
        let Change { id, notification: patch } = body.0;
        let change = move |tx: &TenantWrite<'_>| rules::change(&tx.own()?, id, |kept| patch.apply(kept));
        Ok(Answer(member.write(change).await?.into()))
    }

    /// Removes a notification of the caller's, and answers with it.
    #[oai(path = "/", method = "delete", operation_id = "removeNotification")]
    async fn remove(&self, member: Member<OwnData>, id: Query<Id<Notification>>) -> Reply<Answer<View>> {
        Ok(Answer(member.write(move |tx| rules::remove(&tx.own()?, id.0)).await?.into()))
    }

    /// All of the caller's notifications are read and seen from now on.
    #[oai(path = "/mark-all-as-read", method = "get", operation_id = "markAllNotificationsAsReadByGet")]
    async fn mark_all_by_get(&self, member: Member<OwnData>) -> Reply<Answer<bool>> {
        mark_all(&member).await
    }

    /// The same, for clients that expect a change to be a `POST`.
    #[oai(path = "/mark-all-as-read", method = "post", operation_id = "markAllNotificationsAsRead")]
    async fn mark_all(&self, member: Member<OwnData>) -> Reply<Answer<bool>> {
        mark_all(&member).await
    }

    /// Sets whether a notification is read to what the body says.
    #[oai(path = "/toggle-read-status", method = "post", operation_id = "toggleNotificationReadStatus")]
    async fn toggle(&self, member: Member<OwnData>, body: Json<ReadStatus>) -> Reply<Answer<View>> {
        let (id, read) = (body.0.notification.id.cast::<Notification>(), body.0.notification.read);
        Ok(Answer(member.write(move |tx| rules::set_read(&tx.own()?, id, read)).await?.into()))
    }

    /// All of the caller's notifications are seen from now on: their panel was opened.
    #[oai(path = "/seen", method = "post", operation_id = "seeNotifications")]
    async fn see(&self, member: Member<OwnData>) -> Reply<Answer<bool>> {
        if !member.read(|tx| rules::all_seen::<Notifications>(&tx.own()?))? {
            member.write(|tx| rules::mark_all_seen::<Notifications>(&tx.own()?)).await?;
        }
        Ok(Answer(true))
    }

    /// How many of the caller's notifications are not read.
    #[oai(path = "/unread", method = "get", operation_id = "countUnreadNotifications")]
    async fn unread(&self, member: Member<OwnData>) -> Reply<Answer<Unread>> {
        let unread = member.read(|tx| rules::unread::<Notifications>(&tx.own()?))?;
        Ok(Answer(Unread { unread }))
    }
}

async fn mark_all(member: &Member<OwnData>) -> Reply<Answer<bool>> {
    if !member.read(|tx| rules::all_read::<Notifications>(&tx.own()?))? {
        member.write(|tx| rules::mark_all_read::<Notifications>(&tx.own()?)).await?;
    }
    Ok(Answer(true))
}
