//! API handlers that messages and notifications share, each under its own names.

use poem_openapi::{Enum, Object};

use super::{
    api::{Item, New, Patch, Toggle, Unread, View},
    broadcast,
    excerpts::ExcerptReader,
    model::{Author, Kind, Notice},
    removal::{self, BatchAction},
    rules::{self, MARKED_AT_ONCE, Mark, NoticeFilter, Recipients},
};
use crate::{
    access::Member,
    kernel::{Code, Error, Id, Result},
    people::permission::{OwnData, Permission, Right},
    store::{Stored, TenantRead, TenantWrite},
    wire::{JsonResponse, Reply},
};

/// Action on several items.
#[derive(Clone, Copy, Debug, Enum)]
#[oai(rename = "NoticeAction", rename_all = "lowercase")]
pub enum ActionName {
    /// Mark the items as read.
    Read,
    /// Mark the items as unread.
    Unread,
    /// Remove the items. They can be restored for ten minutes.
    Remove,
}

/// Up to 200 items and an action on them.
#[derive(Debug, Object)]
#[oai(rename = "NoticeBatch", deny_unknown_fields)]
pub struct Batch {
    ids: Vec<Id<Item>>,
    action: ActionName,
}

/// The ids of up to 200 items.
#[derive(Debug, Object)]
#[oai(rename = "NoticeIds", deny_unknown_fields)]
pub struct Ids {
    ids: Vec<Id<Item>>,
}

/// Notices that are listed without a thread of their own.
const MAX_QUICK: usize = 20;

type One = Reply<JsonResponse<View>>;
type Several = Reply<JsonResponse<Vec<View>>>;

/// Returns notices after a write as the member reads them.
async fn show<K: Kind>(member: &Member<OwnData>, mut kept: Vec<Stored<Notice<K>>>) -> Several {
    if kept.iter().all(|notice| notice.excerpt.is_none()) {
        return Ok(into_views(kept));
    }
    let fill = move |tx: &TenantRead<'_>| {
        let excerpts = ExcerptReader::new(tx.own_data()?);
        kept.iter_mut().try_for_each(|notice| excerpts.fill(&mut notice.value))?;
        Ok(kept)
    };
    Ok(into_views(member.read_blocking(fill).await?))
}

/// Returns a notice after a write as the member reads it.
fn show_one<K: Kind>(member: &Member<OwnData>, mut kept: Stored<Notice<K>>) -> One {
    if kept.excerpt.is_some() {
        member.read(|tx| ExcerptReader::new(tx.own_data()?).fill(&mut kept.value))?;
    }
    Ok(JsonResponse(kept.into()))
}

fn into_views<K: Kind>(shown: Vec<Stored<Notice<K>>>) -> JsonResponse<Vec<View>> {
    JsonResponse(shown.into_iter().map(View::from).collect())
}

/// Returns a member as the author of a notice.
fn author<R: Right>(member: &Member<R>) -> Author {
    Author { member_id: member.id(), name: member.record().name.clone() }
}

/// Lists the member's notices. See [`rules::list`].
pub async fn list<K: Kind>(member: &Member<OwnData>, filter: NoticeFilter<K>) -> Several {
    // A search reads all notices with their excerpts, and a long list many records.
    let takes_long = !filter.query.is_empty() || filter.limit > MAX_QUICK;
    let look = move |tx: &TenantRead<'_>| rules::list(&tx.own_data()?, &filter);
    Ok(into_views(if takes_long { member.read_blocking(look).await? } else { member.read(look)? }))
}

/// Sends a notice.
/// Errors: `forbidden` when it is for others, or for everyone, and the caller lacks the permission; the errors of
/// [`rules::send`] and [`Member::write_idempotent`].
pub async fn create<K: Kind>(member: &Member<OwnData>, mut new: New, key: Option<String>, asked: Vec<u8>) -> One {
    let to = new.recipients();
    let is_allowed = match &to {
        Recipients::Sender => true,
        Recipients::Members(named) => named.iter().all(|one| *one == member.id()) || member.may(K::SEND),
        Recipients::Everyone => member.may(K::SEND) && member.may(Permission::MessagesBroadcast),
    };
    if !is_allowed {
        return Err(Error::new(Code::Forbidden).into());
    }
    let author = author(member);
    let new = member.compute(move || new.sanitize::<K>().map(|()| new)).await?;
    let send = move |tx: &TenantWrite<'_>| rules::send(tx, &new.into_notice::<K>(author, tx.now()), &to);
    let made = member.write_idempotent(K::NAME, key, asked, send).await?;
    broadcast::wait::<K, _>(member).await?;
    Ok(JsonResponse(made.into()))
}

/// Changes a notice. See [`rules::change`].
pub async fn change<K: Kind>(member: &Member<OwnData>, id: Id<Notice<K>>, mut patch: Patch) -> One {
    let author = author(member);
    let patch = member.compute(move || patch.sanitize::<K>().map(|()| patch)).await?;
    let change = move |tx: &TenantWrite<'_>| rules::change(tx, id, |kept| patch.apply(kept, author));
    show_one(member, member.write(change).await?)
}

/// Removes a notice. See [`removal::remove`].
pub async fn remove<K: Kind>(member: &Member<OwnData>, id: Id<Notice<K>>) -> One {
    show_one(member, member.write(move |tx| removal::remove(tx, id)).await?)
}

/// Applies an action to several notices. See [`removal::apply_batch`].
pub async fn batch<K: Kind>(member: &Member<OwnData>, batch: Batch) -> Several {
    let action = match batch.action {
        ActionName::Read => BatchAction::Read,
        ActionName::Unread => BatchAction::Unread,
        ActionName::Remove => BatchAction::Remove,
    };
    apply_batch::<K>(member, batch.ids, action).await
}

/// Restores removed notices. See [`removal::apply_batch`].
pub async fn restore<K: Kind>(member: &Member<OwnData>, ids: Ids) -> Several {
    apply_batch::<K>(member, ids.ids, BatchAction::Restore).await
}

async fn apply_batch<K: Kind>(member: &Member<OwnData>, ids: Vec<Id<Item>>, action: BatchAction) -> Several {
    let ids: Vec<Id<Notice<K>>> = ids.into_iter().map(Id::cast).collect();
    show(member, member.write(move |tx| removal::apply_batch(tx, &ids, action)).await?).await
}

/// Marks all notices as read. Writes nothing when all are read and seen.
pub async fn mark_all_read<K: Kind>(member: &Member<OwnData>) -> Reply<JsonResponse<bool>> {
    if !member.read(|tx| rules::are_all_read::<K>(&tx.own_data()?))? {
        mark_all::<K>(member, Mark::Read).await?;
    }
    Ok(JsonResponse(true))
}

/// Looks up the notices without a mark, and marks them in several writes.
async fn mark_all<K: Kind>(member: &Member<OwnData>, mark: Mark) -> Result<()> {
    let ids = member.read_blocking(move |tx| rules::find_unmarked::<K>(&tx.own_data()?, mark)).await?;
    for ids in ids.chunks(MARKED_AT_ONCE) {
        let ids = ids.to_vec();
        member.write(move |tx| rules::mark(&tx.own_data()?, &ids, mark)).await?;
    }
    Ok(())
}

/// Sets whether a notice is read. See [`rules::set_read`].
pub async fn set_read<K: Kind>(member: &Member<OwnData>, toggle: Toggle) -> One {
    let id = toggle.id.cast::<Notice<K>>();
    let read = toggle.read;
    show_one(member, member.write(move |tx| rules::set_read(&tx.own_data()?, id, read)).await?)
}

/// Marks all notices as seen. Writes nothing when all are seen.
pub async fn mark_all_seen<K: Kind>(member: &Member<OwnData>) -> Reply<JsonResponse<bool>> {
    if !member.read(|tx| rules::are_all_seen::<K>(&tx.own_data()?))? {
        mark_all::<K>(member, Mark::Seen).await?;
    }
    Ok(JsonResponse(true))
}

/// Counts the unread notices.
pub fn unread<K: Kind>(member: &Member<OwnData>) -> Reply<JsonResponse<Unread>> {
    let unread = member.read(|tx| rules::count_unread::<K>(&tx.own_data()?))?;
    Ok(JsonResponse(Unread { unread }))
}

/// Declares `Api` for a kind of notice. The kinds differ in names only, but poem-openapi needs them as literals, so
/// this is a macro and not a generic type.
macro_rules! notice_api {
    (
        $kind:ident, $field:ident, $prefix:tt, $tag:tt,
        bodies: $create:tt, $change:tt, $toggle:tt,
        list: $list_id:tt, create: $create_id:tt, change: $change_id:tt, remove: $remove_id:tt,
        batch: $batch_id:tt, restore: $restore_id:tt, mark_all_by_get: $mark_all_by_get_id:tt,
        mark_all: $mark_all_id:tt, toggle: $toggle_id:tt, see: $see_id:tt, unread: $unread_id:tt $(,)?
    ) => {
        use poem_openapi::{Object, OpenApi, param::Query};

        use $crate::{
            access::Member,
            features::notices::{
                New, Notice, Patch, Toggle, Unread, View, rules,
                shared_api::{self, Batch, Ids},
            },
            kernel::Id,
            people::permission::OwnData,
            wire::{IdempotencyKey, Json, JsonResponse, Reply},
        };

        /// The body of `POST`.
        #[derive(Object)]
        #[oai(rename = $create, deny_unknown_fields)]
        struct Create {
            $field: New,
        }

        /// The body of `PATCH`.
        #[derive(Object)]
        #[oai(rename = $change, deny_unknown_fields)]
        struct Change {
            id: Id<Notice<$kind>>,
            $field: Patch,
        }

        /// The body of `toggle-read-status`.
        #[derive(Object)]
        #[oai(rename = $toggle, deny_unknown_fields)]
        struct ReadStatus {
            $field: Toggle,
        }

        /// API of this kind of notice.
        pub struct Api;

        #[OpenApi(prefix_path = $prefix, tag = $tag)]
        impl Api {
            /// List the caller's items, newest first.
            ///
            /// Without parameters, returns the newest 200; fewer when they take more than 4 MiB. `before` continues the
            /// list, which ends with an empty page.
            #[oai(path = "/", method = "get", operation_id = $list_id)]
            async fn list(
                &self,
                member: Member<OwnData>,
                /// The maximum number of items, 1 to 200. The default is 200.
                limit: Query<Option<u32>>,
                /// The id of the last item of the previous page. Only items after it are returned.
                before: Query<Option<Id<Notice<$kind>>>>,
                /// With `true`, returns only unread items.
                unread: Query<Option<bool>>,
                /// Search words. Only items with all of them in the title or the description are returned.
                q: Query<Option<String>>,
            ) -> Reply<JsonResponse<Vec<View>>> {
                let limit = limit.0.map_or(rules::MAX_LISTED, |limit| limit as usize);
                let query = q.0.unwrap_or_default();
                let unread = unread.0 == Some(true);
                shared_api::list(&member, rules::NoticeFilter { limit, before: before.0, unread, query }).await
            }

            /// Send an item to the caller, or to the members in `to`, with a copy for each of them.
            ///
            /// The item has the caller as `from`. Sending to others requires the right `messages.send` (members) or
            /// `notifications.send` (administrators). Returns the caller's copy, or that of the first addressee.
            #[oai(path = "/", method = "post", operation_id = $create_id)]
            async fn create(
                &self,
                member: Member<OwnData>,
                body: Json<Create>,
                #[oai(name = "Idempotency-Key")] key: IdempotencyKey,
            ) -> Reply<JsonResponse<View>> {
                shared_api::create::<$kind>(&member, body.0.$field, key.0, body.1).await
            }

            /// Change one of the caller's items.
            #[oai(path = "/", method = "patch", operation_id = $change_id)]
            async fn change(&self, member: Member<OwnData>, body: Json<Change>) -> Reply<JsonResponse<View>> {
                shared_api::change(&member, body.0.id, body.0.$field).await
            }

            /// Remove one of the caller's items.
            ///
            /// Returns the item. It can be restored for ten minutes; the first item that arrives or is removed after
            /// that erases it.
            #[oai(path = "/", method = "delete", operation_id = $remove_id)]
            async fn remove(&self, member: Member<OwnData>, id: Query<Id<Notice<$kind>>>) -> Reply<JsonResponse<View>> {
                shared_api::remove(&member, id.0).await
            }

            /// Mark or remove several of the caller's items in one transaction.
            ///
            /// Returns the items. Ids that do not exist are skipped; if none exists, the error is `not_found`.
            #[oai(path = "/batch", method = "post", operation_id = $batch_id)]
            async fn batch(&self, member: Member<OwnData>, body: Json<Batch>) -> Reply<JsonResponse<Vec<View>>> {
                shared_api::batch::<$kind>(&member, body.0).await
            }

            /// Restore items that were removed within the last ten minutes.
            ///
            /// Returns the restored items.
            #[oai(path = "/restore", method = "post", operation_id = $restore_id)]
            async fn restore(&self, member: Member<OwnData>, body: Json<Ids>) -> Reply<JsonResponse<Vec<View>>> {
                shared_api::restore::<$kind>(&member, body.0).await
            }

            /// Mark all of the caller's items as read and seen.
            #[oai(path = "/mark-all-as-read", method = "get", operation_id = $mark_all_by_get_id)]
            async fn mark_all_by_get(&self, member: Member<OwnData>) -> Reply<JsonResponse<bool>> {
                shared_api::mark_all_read::<$kind>(&member).await
            }

            /// Mark all of the caller's items as read and seen, with `POST`.
            #[oai(path = "/mark-all-as-read", method = "post", operation_id = $mark_all_id)]
            async fn mark_all(&self, member: Member<OwnData>) -> Reply<JsonResponse<bool>> {
                shared_api::mark_all_read::<$kind>(&member).await
            }

            /// Mark one of the caller's items as read or unread.
            #[oai(path = "/toggle-read-status", method = "post", operation_id = $toggle_id)]
            async fn toggle(&self, member: Member<OwnData>, body: Json<ReadStatus>) -> Reply<JsonResponse<View>> {
                shared_api::set_read::<$kind>(&member, body.0.$field).await
            }

            /// Mark all of the caller's items as seen, because their panel was opened.
            #[oai(path = "/seen", method = "post", operation_id = $see_id)]
            async fn see(&self, member: Member<OwnData>) -> Reply<JsonResponse<bool>> {
                shared_api::mark_all_seen::<$kind>(&member).await
            }

            /// Count the caller's unread items.
            #[oai(path = "/unread", method = "get", operation_id = $unread_id)]
            async fn unread(&self, member: Member<OwnData>) -> Reply<JsonResponse<Unread>> {
                shared_api::unread::<$kind>(&member)
            }
        }
    };
}
pub(crate) use notice_api;
