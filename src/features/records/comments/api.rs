//! HTTP API of comments.

use poem_openapi::{
    Object, OpenApi,
    param::{Path, Query},
};
use serde::Serialize;
use serde_with::skip_serializing_none;
use uuid::Uuid;

use super::{
    model::Comment,
    rules::{self, Draft},
};
use crate::{
    access::Member,
    features::records::{
        KindPath,
        content::{AttachedFile, Mention, Reaction, Reference, ReferenceView},
    },
    kernel::{Id, MemberId, Result, Timestamp},
    people::permission::{CommentsWrite, Read, Reader},
    store::{Stored, TenantRead, TenantWrite},
    wire::{Created, IdempotencyKey, Json, JsonResponse, Listed, NoContent, Reply},
};

/// A comment on a record.
#[skip_serializing_none]
#[derive(Debug, Serialize, Object)]
#[oai(rename = "Comment", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct View {
    id: Id<Comment>,
    version: u64,
    created_at: Timestamp,
    /// The author.
    created_by: Option<MemberId>,
    /// The text without formatting. Empty for a comment with files only.
    value: String,
    /// When the author last edited it.
    edited_at: Option<Timestamp>,
    attachments: Vec<AttachedFile>,
    mentions: Vec<Mention>,
    references: Vec<ReferenceView>,
    reactions: Vec<Reaction>,
}

impl View {
    /// Presents a comment to a reader.
    pub fn of(tx: &TenantRead<'_>, reader: Reader, record: Stored<Comment>) -> Result<Self> {
        let Stored { id, version, created_at, created_by, value: comment, .. } = record;
        Ok(Self {
            id,
            version,
            created_at,
            created_by,
            value: comment.value,
            edited_at: comment.edited_at,
            attachments: comment.attachments,
            mentions: comment.mentions,
            references: ReferenceView::of(tx, reader, comment.references)?,
            reactions: comment.reactions,
        })
    }
}

/// A new comment.
#[derive(Object)]
#[oai(rename = "NewComment", rename_all = "camelCase", deny_unknown_fields)]
struct New {
    /// The text without formatting, up to 4,000 characters. It may be empty when there are files.
    value: String,
    /// The paths of up to 10 uploaded files.
    #[oai(default)]
    attachments: Vec<String>,
    /// Up to 50 members that the text mentions. They must be allowed to see the record.
    #[oai(default)]
    mentions: Vec<Mention>,
    /// Up to 50 records that the text refers to.
    #[oai(default)]
    references: Vec<Reference>,
}

/// Changes to a comment.
#[derive(Object)]
#[oai(rename = "CommentPatch", rename_all = "camelCase", deny_unknown_fields)]
struct Patch {
    /// The new text without formatting, up to 4,000 characters.
    value: String,
    /// The new mentions. When absent, earlier mentions whose text is still in the comment stay.
    mentions: Option<Vec<Mention>>,
    /// The new references. When absent, earlier references whose text is still in the comment stay.
    references: Option<Vec<Reference>>,
}

/// A reaction to add or remove.
#[derive(Object)]
#[oai(rename = "ReactToComment", deny_unknown_fields)]
struct React {
    /// A single emoji.
    emoji: String,
    /// Whether to add or remove the reaction.
    on: bool,
}

/// The endpoints of comments.
pub struct Api;

#[OpenApi(tag = "crate::wire::Tag::Records")]
impl Api {
    /// List the comments on a record.
    ///
    /// The newest comes first.
    #[oai(path = "/:kind/:id/comments", method = "get", operation_id = "listComments")]
    async fn list(
        &self,
        member: Member<Read>,
        kind: Path<KindPath>,
        id: Path<Uuid>,
        limit: Query<Option<u32>>,
        cursor: Query<Option<String>>,
    ) -> Reply<Listed<View>> {
        let cursors = member.cursors();
        let paging = cursors.paging(limit.0, cursor.0.as_deref())?;
        let reader = member.reader();
        let read = move |tx: &TenantRead<'_>| {
            let (page, total) = rules::list(tx, reader, (kind.0, id.0), paging)?;
            let items: Vec<View> =
                page.items.into_iter().map(|comment| View::of(tx, reader, comment)).collect::<Result<_>>()?;
            Ok((items, page.next, total, page.damaged))
        };
        let (items, next, total, damaged) = member.read_blocking(read).await?;
        Ok(Listed(cursors.list(items, next, total)?.without_damaged(damaged)))
    }

    /// Comment on a record.
    ///
    /// Notifies the mentioned members, those who follow the record, and those who commented on it before.
    #[oai(path = "/:kind/:id/comments", method = "post", operation_id = "createComment")]
    async fn create(
        &self,
        member: Member<CommentsWrite>,
        kind: Path<KindPath>,
        id: Path<Uuid>,
        #[oai(name = "Idempotency-Key")] key: IdempotencyKey,
        body: Json<New>,
    ) -> Reply<Created<View>> {
        let reader = member.reader();
        let New { value, attachments, mentions, references } = body.0;
        let draft = Draft { value, attachments, mentions, references };
        let call = "comments.create";
        let place = (kind.0, id.0);
        let kept =
            member.write_idempotent(call, key.0, body.1, move |tx| rules::create(tx, reader, place, draft)).await?;
        let (id, version) = (kept.id, kept.version);
        let location = format!("/api/{}/{}/comments/{id}", place.0.kind().name, place.1);
        let view = member.read(|tx| View::of(tx, reader, kept))?;
        Ok(Created { body: view, location, version })
    }

    /// Change a comment of the caller.
    #[oai(path = "/:kind/:id/comments/:commentId", method = "patch", operation_id = "changeComment")]
    async fn change(
        &self,
        member: Member<CommentsWrite>,
        kind: Path<KindPath>,
        id: Path<Uuid>,
        #[oai(name = "commentId")] comment: Path<Id<Comment>>,
        body: Json<Patch>,
    ) -> Reply<JsonResponse<View>> {
        let reader = member.reader();
        let place = (kind.0, id.0);
        let Patch { value, mentions, references } = body.0;
        let work = move |tx: &TenantWrite<'_>| rules::change(tx, reader, place, comment.0, value, mentions, references);
        let kept = member.write(work).await?;
        Ok(JsonResponse(member.read(|tx| View::of(tx, reader, kept))?))
    }

    /// Remove a comment.
    ///
    /// Members may remove their own comments, administrators any.
    #[oai(path = "/:kind/:id/comments/:commentId", method = "delete", operation_id = "removeComment")]
    async fn remove(
        &self,
        member: Member<CommentsWrite>,
        kind: Path<KindPath>,
        id: Path<Uuid>,
        #[oai(name = "commentId")] comment: Path<Id<Comment>>,
    ) -> Reply<NoContent> {
        let reader = member.reader();
        member.write(move |tx| rules::remove(tx, reader, (kind.0, id.0), comment.0)).await?;
        Ok(NoContent)
    }

    /// Add or remove the caller's reaction to a comment.
    #[oai(path = "/:kind/:id/comments/:commentId/reactions", method = "post", operation_id = "reactToComment")]
    async fn react(
        &self,
        member: Member<CommentsWrite>,
        kind: Path<KindPath>,
        id: Path<Uuid>,
        #[oai(name = "commentId")] comment: Path<Id<Comment>>,
        body: Json<React>,
    ) -> Reply<JsonResponse<View>> {
        let reader = member.reader();
        let React { emoji, on } = body.0;
        let work = move |tx: &TenantWrite<'_>| rules::react(tx, reader, (kind.0, id.0), comment.0, &emoji, on);
        let kept = member.write(work).await?;
        Ok(JsonResponse(member.read(|tx| View::of(tx, reader, kept))?))
    }
}
