//! HTTP API for pages.

use poem_openapi::{
    Object, OpenApi,
    param::{Path, Query},
    types::MaybeUndefined,
};
use serde::Serialize;
use serde_with::skip_serializing_none;

use super::{
    follow::is_followed,
    model::{Page, PageStatus, clean},
    rules::{self, Planned},
};
use crate::{
    access::Member,
    feature::{Audience, FieldValues, Visibility, columns::reference},
    features::records::{
        bin,
        fields::{hide_unused, shown},
        lists::{self, ColumnList},
    },
    kernel::{Code, Error, Heading, Id, MemberId, Result, Timestamp},
    people::permission::{PagesDelete, PagesDeleteOwn, PagesRead, PagesWrite, Right},
    store::{Stored, TenantWrite},
    wire::{Created, IdempotencyKey, IfMatch, Json, Listed, NoContent, NotNull, Reply, Versioned},
};

/// A page without its body.
#[skip_serializing_none]
#[derive(Debug, Serialize, Object)]
#[oai(rename = "PageSummary", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct Summary {
    id: Id<Page>,
    version: u64,
    created_at: Timestamp,
    updated_at: Timestamp,
    /// The author.
    created_by: Option<MemberId>,
    title: String,
    /// The name of an icon, or an emoji.
    icon: Option<String>,
    /// The parent page; absent at the top level.
    parent_id: Option<Id<Page>>,
    /// The sort key among pages with the same parent, ascending.
    order: f64,
    status: PageStatus,
    /// Who can see it once it is published.
    visibility: Visibility,
    /// Whether a page above it lets fewer members see it than all.
    limited: bool,
    fields: FieldValues,
}

/// A page.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "Page", skip_serializing_if_is_none)]
pub struct View {
    #[oai(flatten)]
    #[serde(flatten)]
    summary: Summary,
    /// Sanitized HTML.
    body: String,
}

impl From<Stored<Page>> for Summary {
    fn from(record: Stored<Page>) -> Self {
        let Page { title, icon, parent_id, order, status, visibility, limit, fields, .. } = record.value;
        Self {
            id: record.id,
            version: record.version,
            created_at: record.created_at,
            updated_at: record.updated_at,
            created_by: record.created_by,
            title,
            icon,
            parent_id,
            order,
            status,
            visibility,
            limited: !limit.is_company(),
            fields,
        }
    }
}

impl From<Stored<Page>> for View {
    fn from(mut record: Stored<Page>) -> Self {
        let body = std::mem::take(&mut record.value.body);
        Self { summary: record.into(), body }
    }
}

/// A new page.
#[derive(Object)]
#[oai(rename = "NewPage", rename_all = "camelCase", deny_unknown_fields)]
struct New {
    /// The title, at most 200 characters.
    title: String,
    icon: Option<String>,
    parent_id: Option<Id<Page>>,
    /// The sort key among pages with the same parent; after all of them by default.
    order: Option<f64>,
    /// The status; `draft` by default.
    status: Option<PageStatus>,
    /// Who can see it once it is published; all members by default.
    visibility: Option<Visibility>,
    /// HTML of at most 200,000 characters, or less if the server's limit for requests is lower; unsafe elements are
    /// removed. Elements may be nested 100 levels deep, formatting 20.
    body: Option<String>,
    #[oai(default)]
    fields: FieldValues,
}

/// Changes to a page. Absent fields stay unchanged; null clears a field.
#[derive(Clone, Object)]
#[oai(rename = "PagePatch", rename_all = "camelCase", deny_unknown_fields)]
struct Patch {
    title: NotNull<String>,
    icon: MaybeUndefined<String>,
    /// Null moves the page to the top level.
    parent_id: MaybeUndefined<Id<Page>>,
    order: NotNull<f64>,
    /// Only the author and administrators may change it, since drafts are theirs alone.
    status: NotNull<PageStatus>,
    /// Only the author and administrators may change it.
    visibility: NotNull<Visibility>,
    body: NotNull<String>,
    /// Values of custom fields. Absent ones stay unchanged.
    fields: NotNull<FieldValues>,
}

impl Patch {
    fn apply(self, page: &mut Page) {
        self.title.update_to(&mut page.title);
        self.icon.update_to(&mut page.icon);
        self.parent_id.update_to(&mut page.parent_id);
        self.order.update_to(&mut page.order);
        self.status.update_to(&mut page.status);
        self.visibility.update_to(&mut page.visibility);
        self.body.update_to(&mut page.body);
        self.fields.into_option().into_iter().for_each(|values| page.fields.merge(values));
    }
}

/// Changes a page with many pages below it. If those become narrower first, it waits until all of it is done, so that the
/// caller may change the page again at once.
async fn change_in_steps(
    member: &Member<PagesWrite>,
    id: Id<Page>,
    expected: Option<u64>,
    patch: Patch,
) -> Result<Stored<Page>> {
    let reader = member.reader();
    let parent = match patch.parent_id {
        MaybeUndefined::Undefined => None,
        MaybeUndefined::Null => Some(None),
        MaybeUndefined::Value(parent) => Some(Some(parent)),
    };
    if let Some(parent) = parent {
        member.read_blocking(move |tx| rules::fits(tx, Some(reader), id, parent, rules::MAX_PAGES)).await?;
    }
    let plan = move |tx: &TenantWrite<'_>| rules::plan_change(tx, reader, id, expected, |page| patch.apply(page));
    let page = match member.write(plan).await? {
        Planned::Made(page) => *page,
        Planned::After(version) => {
            let changed =
                member.wait_until(|tx| Ok(if is_followed(tx, id)? { None } else { Some(tx.get::<Page>(id)?) }));
            // What follows before it was stopped, such as by damage.
            changed
                .await
                .and_then(|page| if page.version > version { Ok(page) } else { Err(Error::new(Code::Busy)) })?
        }
    };
    member.read(|tx| shown(tx, page))
}

/// Sanitizes a body on the tenant's share of the processors, since a long one would delay other requests.
async fn cleaned<R: Right>(member: &Member<R>, body: Option<String>) -> Result<Option<String>> {
    let Some(body) = body else { return Ok(None) };
    member.compute(move || clean(&body)).await.map(Some)
}

/// The page endpoints.
pub struct Api;

#[OpenApi(prefix_path = "/pages", tag = "crate::wire::Tag::Pages")]
impl Api {
    /// List pages without their bodies.
    ///
    /// Lists the pages that the caller may see. Without `sort`, `filter` and `q` in the order of the tree: those at the
    /// top level first, then the children of each page; otherwise by `title`, unless `sort` names another order. A filter is for example
    /// `status:is:draft`.
    #[oai(path = "/", method = "get", operation_id = "listPages")]
    #[expect(clippy::too_many_arguments, reason = "each is a parameter of the call")]
    async fn list(
        &self,
        member: Member<PagesRead>,
        /// Words to search for in titles and bodies.
        q: Query<Option<String>>,
        /// Only direct children of this page.
        #[oai(name = "parentId")]
        parent_id: Query<Option<Id<Page>>>,
        limit: Query<Option<u32>>,
        cursor: Query<Option<String>>,
        sort: Query<Option<String>>,
        #[oai(default)] filter: Query<Vec<String>>,
    ) -> Reply<Listed<Summary>> {
        let cursors = member.cursors();
        let paging = cursors.paging(limit.0, cursor.0.as_deref())?;
        let words = lists::words(Heading::Pages, q.0);
        if words.is_some() || sort.0.is_some() || !filter.0.is_empty() {
            let list = ColumnList::new(filter.0, sort.0, "title", words);
            let list = list.and("parentId", parent_id.0.map(|parent| reference(parent.uuid())));
            return lists::reply(&member, list, paging).await;
        }
        let reader = member.reader();
        let parent = parent_id.0;
        let found = member.read_blocking(move |tx| {
            let (mut page, total) = rules::list(tx, reader, parent, paging)?;
            hide_unused(tx, &mut page.items)?;
            Ok((page, total))
        });
        let (page, total) = found.await?;
        let items = page.items.into_iter().map(Summary::from);
        let list = cursors.list(items, page.next, total)?.without_damaged(page.damaged);
        Ok(Listed(list))
    }

    /// Get a page with its body.
    ///
    /// Of one in the bin that the caller may restore, the 404 is `record_in_bin`, with `deletedAt`.
    #[oai(path = "/:id", method = "get", operation_id = "getPage")]
    async fn get(&self, member: Member<PagesRead>, id: Path<Id<Page>>) -> Reply<Versioned<View>> {
        let page = member.read(|tx| shown(tx, bin::get_or_binned(tx, member.reader(), id.0)?))?;
        Ok(Versioned::of(page))
    }

    /// Create a page.
    #[oai(path = "/", method = "post", operation_id = "createPage")]
    async fn create(
        &self,
        member: Member<PagesWrite>,
        body: Json<New>,
        #[oai(name = "Idempotency-Key")] key: IdempotencyKey,
    ) -> Reply<Created<View>> {
        let Json(New { title, icon, parent_id, order, status, visibility, body, fields }, asked) = body;
        let body = cleaned(&member, body).await?.unwrap_or_default();
        let page = Page {
            title,
            icon,
            parent_id,
            order: 0.0,
            status: status.unwrap_or_default(),
            was_published: false,
            visibility: visibility.unwrap_or_default(),
            limit: Audience::Company,
            former_audience: None,
            body,
            former_children: Vec::new(),
            former_parents: Vec::new(),
            former_visibilities: Vec::new(),
            fields,
        };
        let reader = member.reader();
        let work = move |tx: &TenantWrite<'_>| shown(tx, rules::create(tx, reader, page, order)?);
        let page = member.write_idempotent("pages.create", key.0, asked, work).await?;
        Ok(Created::in_list("/api/pages", page))
    }

    /// Change a page, or move it in the tree.
    #[oai(path = "/:id", method = "patch", operation_id = "changePage")]
    async fn change(
        &self,
        member: Member<PagesWrite>,
        id: Path<Id<Page>>,
        body: Json<Patch>,
        #[oai(name = "If-Match")] if_match: IfMatch,
    ) -> Reply<Versioned<View>> {
        let mut patch = body.0;
        if let Some(body) = patch.body.as_mut() {
            *body = cleaned(&member, Some(std::mem::take(body))).await?.unwrap_or_default();
        }
        let reader = member.reader();
        let expected = if_match.0;
        let again = patch.clone();
        let change =
            move |tx: &TenantWrite<'_>| shown(tx, rules::change(tx, reader, id.0, expected, |page| patch.apply(page))?);
        let page = match member.write(change).await {
            // Many pages are below it.
            Err(error) if error.code() == Code::Conflict => change_in_steps(&member, id.0, expected, again).await?,
            changed => changed?,
        };
        Ok(Versioned::of(page))
    }

    /// Remove a page.
    ///
    /// Its children move up one level. Members may remove pages that they created; administrators may remove any.
    #[oai(path = "/:id", method = "delete", operation_id = "removePage")]
    async fn remove(
        &self,
        member: Member<PagesDeleteOwn>,
        id: Path<Id<Page>>,
        #[oai(name = "If-Match")] if_match: IfMatch,
    ) -> Reply<NoContent> {
        let reader = member.reader();
        let any = member.may(PagesDelete::PERMISSION);
        member.write(move |tx| rules::remove(tx, reader, any, id.0, if_match.0)).await?;
        Ok(NoContent)
    }
}
