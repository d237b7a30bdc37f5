//! HTTP API of activities.

use poem_openapi::{Object, OpenApi, param::Path, types::MaybeUndefined};
use serde::Serialize;
use serde_with::skip_serializing_none;
use uuid::Uuid;

use super::{
    model::{Activity, ActivityLink, ActivityType},
    rules::{self, NextStep},
};
use crate::{
    access::Member,
    feature::{Audience, Card},
    features::{find_kind, records::KindName},
    kernel::{Day, Id, MemberId, Result, Timestamp},
    people::permission::{CommentsWrite, Read, Reader},
    store::{Stored, TenantRead, TenantWrite},
    wire::{Created, IdempotencyKey, IfMatch, Json, NoContent, NotNull, Reply, Versioned},
};

/// A record that an activity concerns.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "ActivityRecord", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
struct LinkView {
    kind: KindName,
    record_id: Uuid,
    /// The current state of the record; null when it is gone.
    #[oai(nullable)]
    card: Option<Card>,
}

/// A call, visit, e-mail or note that a member logged.
#[skip_serializing_none]
#[derive(Debug, Serialize, Object)]
#[oai(rename = "Activity", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct View {
    id: Id<Activity>,
    version: u64,
    created_at: Timestamp,
    /// The member who logged it.
    created_by: Option<MemberId>,
    #[oai(rename = "type")]
    #[serde(rename = "type")]
    sort: ActivityType,
    /// When it was.
    at: Timestamp,
    /// The records that it concerns.
    links: Vec<LinkView>,
    /// What happened, without formatting.
    text: Option<String>,
    /// What came of it, in few words.
    outcome: Option<String>,
    /// The task that comes next.
    next_task_id: Option<Uuid>,
    /// The current state of this task; absent when it is gone or the caller may not see it.
    next_task: Option<Card>,
}

impl View {
    /// Presents an activity to a reader.
    pub fn of(tx: &TenantRead<'_>, reader: Reader, record: Stored<Activity>) -> Result<Self> {
        let Stored { id, version, created_at, created_by, value: activity, .. } = record;
        let link = |ActivityLink { kind, record_id }| {
            Ok(LinkView { kind, record_id, card: kind.kind().find_card(tx, reader, record_id)? })
        };
        let tasks = find_kind("task").zip(activity.next_task_id);
        Ok(Self {
            id,
            version,
            created_at,
            created_by,
            sort: activity.sort,
            at: activity.at,
            links: activity.links.into_iter().map(link).collect::<Result<_>>()?,
            text: activity.text,
            outcome: activity.outcome,
            next_task_id: activity.next_task_id,
            next_task: tasks.map_or(Ok(None), |(kind, id)| kind.find_card(tx, reader, id))?,
        })
    }
}

/// What comes next.
#[derive(Object)]
#[oai(rename = "NewNextStep", rename_all = "camelCase", deny_unknown_fields)]
struct NewNextStep {
    /// The title of the task, at most 300 characters.
    title: String,
    /// The day on which it is due.
    due_date: Option<Day>,
    /// The member who does it; the caller by default.
    assignee_id: Option<MemberId>,
}

/// A new activity.
#[derive(Object)]
#[oai(rename = "NewActivity", rename_all = "camelCase", deny_unknown_fields)]
struct New {
    #[oai(rename = "type")]
    sort: ActivityType,
    /// When it was; now by default.
    at: Option<Timestamp>,
    /// The customers, organizations and deals that it concerns, 1 to 10. The organization of a person, and the person and
    /// organization of a deal, are added.
    links: Vec<ActivityLink>,
    /// What happened, without formatting, up to 10,000 characters. A note must have one.
    text: Option<String>,
    /// What came of it, at most 200 characters.
    outcome: Option<String>,
    /// What comes next: it becomes a task.
    next_step: Option<NewNextStep>,
    /// The task that comes next, if it exists already.
    next_task_id: Option<Uuid>,
}

/// Changes to an activity, as a JSON merge patch. Absent fields stay unchanged, null clears a field, a list is replaced.
#[derive(Object)]
#[oai(rename = "ActivityPatch", rename_all = "camelCase", deny_unknown_fields)]
struct Patch {
    #[oai(rename = "type")]
    sort: NotNull<ActivityType>,
    at: NotNull<Timestamp>,
    links: NotNull<Vec<ActivityLink>>,
    text: MaybeUndefined<String>,
    outcome: MaybeUndefined<String>,
}

impl Patch {
    fn apply(self, mut activity: Activity) -> Activity {
        self.sort.update_to(&mut activity.sort);
        self.at.update_to(&mut activity.at);
        self.links.update_to(&mut activity.links);
        self.text.update_to(&mut activity.text);
        self.outcome.update_to(&mut activity.outcome);
        activity
    }
}

/// The endpoints of activities.
pub struct Api;

#[OpenApi(prefix_path = "/activities", tag = "crate::wire::Tag::Records")]
impl Api {
    /// Log an activity.
    ///
    /// A call, visit, e-mail or note, in the timelines of the records that it concerns. Calls, visits and e-mails are their
    /// last contact.
    #[oai(path = "/", method = "post", operation_id = "createActivity")]
    async fn create(
        &self,
        member: Member<CommentsWrite>,
        #[oai(name = "Idempotency-Key")] key: IdempotencyKey,
        body: Json<New>,
    ) -> Reply<Created<View>> {
        let reader = member.reader();
        let now = member.now();
        let New { sort, at, links, text, outcome, next_step, next_task_id } = body.0;
        let at = at.unwrap_or(now);
        let activity = Activity { sort, at, links, text, outcome, next_task_id, place: None, limit: Audience::Company };
        let next = next_step.map(|NewNextStep { title, due_date, assignee_id }| NextStep {
            title,
            due_date,
            assignee_id: assignee_id.or(Some(reader.id)),
        });
        let work = move |tx: &TenantWrite<'_>| rules::create(tx, reader, activity, next);
        let kept = member.write_idempotent("activities.create", key.0, body.1, work).await?;
        let location = format!("/api/activities/{}", kept.id);
        let version = kept.version;
        let view = member.read(|tx| View::of(tx, reader, kept))?;
        Ok(Created { body: view, location, version })
    }

    /// Get an activity.
    #[oai(path = "/:id", method = "get", operation_id = "getActivity")]
    async fn get(&self, member: Member<Read>, id: Path<Id<Activity>>) -> Reply<Versioned<View>> {
        let reader = member.reader();
        Ok(member.read(|tx| {
            let activity = rules::get(tx, reader, id.0)?;
            let version = activity.version;
            Ok(Versioned(View::of(tx, reader, activity)?, version))
        })?)
    }

    /// Change an activity.
    ///
    /// Members may change their own activities, administrators any.
    #[oai(path = "/:id", method = "patch", operation_id = "changeActivity")]
    async fn change(
        &self,
        member: Member<CommentsWrite>,
        id: Path<Id<Activity>>,
        #[oai(name = "If-Match")] if_match: IfMatch,
        body: Json<Patch>,
    ) -> Reply<Versioned<View>> {
        let reader = member.reader();
        let patch = body.0;
        let kept = member
            .write(move |tx| rules::change(tx, reader, id.0, if_match.0, |activity| patch.apply(activity)))
            .await?;
        let version = kept.version;
        Ok(Versioned(member.read(|tx| View::of(tx, reader, kept))?, version))
    }

    /// Remove an activity.
    ///
    /// Members may remove their own activities, administrators any.
    #[oai(path = "/:id", method = "delete", operation_id = "removeActivity")]
    async fn remove(&self, member: Member<CommentsWrite>, id: Path<Id<Activity>>) -> Reply<NoContent> {
        let reader = member.reader();
        member.write(move |tx| rules::remove(tx, reader, id.0)).await?;
        Ok(NoContent)
    }
}
