//! The calls for tasks.

use poem_openapi::{
    Object, OpenApi,
    param::{Header, Path, Query},
    types::MaybeUndefined,
};
use serde::Serialize;

use super::{
    model::{Subtask, Task, TaskType},
    rules::{self, Due, Sort, TaskFilter},
};
use crate::{
    access::{
        Member,
        permission::{Permission, Read, TasksDeleteOwn, TasksWrite},
    },
    features::{customers::Customer, records},
    kernel::{Day, Heading, Id, MemberId, Result, Timestamp, text},
    store::{Stored, TenantWrite},
    wire::{Created, Given, Json, Listed, NoContent, Reply, Versioned, etag},
};

/// A task as clients see it.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "Task", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct View {
    id: Id<Task>,
    version: u64,
    created_at: Timestamp,
    updated_at: Timestamp,
    /// The member who made it.
    #[serde(skip_serializing_if = "Option::is_none")]
    created_by: Option<MemberId>,
    #[oai(rename = "type")]
    #[serde(rename = "type")]
    kind: TaskType,
    title: String,
    /// Plain text.
    #[serde(skip_serializing_if = "Option::is_none")]
    notes: Option<String>,
    completed: bool,
    /// When it was done.
    #[serde(skip_serializing_if = "Option::is_none")]
    completed_at: Option<Timestamp>,
    /// 0 low, 1 normal, 2 high.
    priority: u8,
    #[serde(skip_serializing_if = "Option::is_none")]
    due_date: Option<Day>,
    /// The member who does it.
    #[serde(skip_serializing_if = "Option::is_none")]
    assignee_id: Option<MemberId>,
    /// The customer it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    customer_id: Option<Id<Customer>>,
    tags: Vec<String>,
    /// Puts it among the others, the least first.
    order: f64,
    subtasks: Vec<Subtask>,
}

impl From<Stored<Task>> for View {
    fn from(record: Stored<Task>) -> Self {
        let Stored { id, version, created_at, updated_at, created_by, value: task } = record;
        Self {
            id,
            version,
            created_at,
            updated_at,
            created_by,
            kind: task.kind,
            title: task.title,
            notes: task.notes,
            completed: task.completed,
            completed_at: task.completed_at,
            priority: task.priority,
            due_date: task.due_date,
            assignee_id: task.assignee_id,
            customer_id: task.customer_id,
            tags: task.tags,
            order: task.order,
            subtasks: task.subtasks,
        }
    }
}

/// A step of a task, as it is sent.
#[derive(Object)]
#[oai(rename = "NewSubtask", deny_unknown_fields)]
struct NewSubtask {
    /// Made by the server when absent.
    id: Option<Id<Subtask>>,
    title: String,
    #[oai(default)]
    completed: bool,
}

fn subtasks(tx: &TenantWrite<'_>, new: Vec<NewSubtask>) -> Vec<Subtask> {
    let made =
        |NewSubtask { id, title, completed }| Subtask { id: id.unwrap_or_else(|| tx.new_id()), title, completed };
    new.into_iter().map(made).collect()
}

const fn normal() -> u8 {
    1
}

/// A new task or section.
#[derive(Object)]
#[oai(rename = "NewTask", rename_all = "camelCase", deny_unknown_fields)]
struct New {
    /// `task` when absent. A section has only title, notes, tags and order.
    #[oai(rename = "type", default)]
    kind: TaskType,
    /// At most 300 characters.
    title: String,
    /// Plain text of at most 10,000 characters.
    notes: Option<String>,
    #[oai(default)]
    completed: bool,
    /// 0 low, 1 normal, 2 high; 1 when absent.
    #[oai(default = "normal")]
    priority: u8,
    due_date: Option<Day>,
    /// A member.
    assignee_id: Option<MemberId>,
    /// A customer.
    customer_id: Option<Id<Customer>>,
    /// At most 30, of 50 characters each; kept in lower case.
    #[oai(default)]
    tags: Vec<String>,
    /// Puts it among the others, the least first; behind all of them when absent. To put it between two, send
    /// the middle of theirs.
    order: Option<f64>,
    /// At most 100.
    #[oai(default)]
    subtasks: Vec<NewSubtask>,
}

impl New {
    fn keep(self, tx: &TenantWrite<'_>) -> Result<Stored<Task>> {
        let task = Task {
            kind: self.kind,
            title: self.title,
            notes: self.notes,
            completed: self.completed,
            completed_at: None,
            priority: self.priority,
            due_date: self.due_date,
            assignee_id: self.assignee_id,
            customer_id: self.customer_id,
            tags: self.tags,
            order: 0.0,
            subtasks: subtasks(tx, self.subtasks),
            past: Vec::new(),
        };
        rules::create(tx, task, self.order)
    }
}

/// Changes to a task: a JSON merge patch. What is absent stays, null takes away, a list is replaced.
#[derive(Object)]
#[oai(rename = "TaskPatch", rename_all = "camelCase", deny_unknown_fields)]
struct Patch {
    #[oai(rename = "type")]
    kind: Given<TaskType>,
    title: Given<String>,
    notes: MaybeUndefined<String>,
    completed: Given<bool>,
    priority: Given<u8>,
    due_date: MaybeUndefined<Day>,
    assignee_id: MaybeUndefined<MemberId>,
    customer_id: MaybeUndefined<Id<Customer>>,
    tags: Given<Vec<String>>,
    order: Given<f64>,
    subtasks: Given<Vec<NewSubtask>>,
}

impl Patch {
    fn apply(self, tx: &TenantWrite<'_>, task: &mut Task) {
        self.kind.update_to(&mut task.kind);
        self.title.update_to(&mut task.title);
        self.notes.update_to(&mut task.notes);
        self.completed.update_to(&mut task.completed);
        self.priority.update_to(&mut task.priority);
        self.due_date.update_to(&mut task.due_date);
        self.assignee_id.update_to(&mut task.assignee_id);
        self.customer_id.update_to(&mut task.customer_id);
        self.tags.update_to(&mut task.tags);
        self.order.update_to(&mut task.order);
        if let Some(new) = self.subtasks.into_option() {
            task.subtasks = subtasks(tx, new);
        }
    }
}

/// The calls.
pub struct Api;

#[OpenApi(prefix_path = "/tasks", tag = "crate::wire::Tag::Tasks")]
impl Api {
    /// A page of tasks and sections. With `q`, of the 1,000 that fit best.
    #[oai(path = "/", method = "get", operation_id = "listTasks")]
    #[expect(clippy::too_many_arguments, reason = "each is a parameter of the call")]
    async fn list(
        &self,
        member: Member<Read>,
        /// 1 to 200; 50 when absent.
        limit: Query<Option<u32>>,
        /// The `nextCursor` of the page before.
        cursor: Query<Option<String>>,
        /// Words to be found in any field.
        q: Query<Option<String>>,
        sort: Query<Option<Sort>>,
        /// `false` lists the sections too.
        completed: Query<Option<bool>>,
        /// A member.
        #[oai(name = "assigneeId")]
        assignee_id: Query<Option<MemberId>>,
        /// By the days where the caller lives.
        due: Query<Option<Due>>,
        tag: Query<Option<String>>,
        /// A customer.
        #[oai(name = "customerId")]
        customer_id: Query<Option<Id<Customer>>>,
    ) -> Reply<Listed<View>> {
        let cursors = member.cursors();
        let paging = cursors.paging(limit.0, cursor.0.as_deref())?;
        let narrowed = member.search_ids(Heading::Tasks, q.0).await?;
        let filter = TaskFilter {
            completed: completed.0,
            assignee: assignee_id.0,
            customer: customer_id.0,
            tag: tag.0.map(|tag| text::tags(&[tag]).pop().unwrap_or_default()),
            due: due.0,
            today: member.now().day_in(member.timezone()),
            among: narrowed.ids,
            sort: sort.0.unwrap_or_default(),
        };
        let part = member.read_blocking(move |tx| rules::list(tx, &filter, &paging)).await?;
        let list = cursors.list(part.items, part.next, part.total)?.without_damaged(part.damaged);
        Ok(Listed(list.with_partial(narrowed.is_partial)))
    }

    /// Adds a task or a section.
    #[oai(path = "/", method = "post", operation_id = "createTask")]
    async fn create(
        &self,
        member: Member<TasksWrite>,
        /// Makes a retry safe: the same key within 24 hours is the same task.
        #[oai(name = "Idempotency-Key")]
        key: Header<Option<String>>,
        body: Json<New>,
    ) -> Reply<Created<View>> {
        let record = member.write_idempotent("tasks.create", key.0, body.1, move |tx| body.0.keep(tx)).await?;
        Ok(Created::below("/api/tasks", record))
    }

    /// A task or section.
    #[oai(path = "/:id", method = "get", operation_id = "getTask")]
    async fn get(&self, member: Member<Read>, id: Path<Id<Task>>) -> Reply<Versioned<View>> {
        Ok(Versioned::of(member.read(|tx| tx.get(id.0))?))
    }

    /// Changes a task or section. When it was done is noted by the server.
    #[oai(path = "/:id", method = "patch", operation_id = "changeTask")]
    async fn change(
        &self,
        member: Member<TasksWrite>,
        id: Path<Id<Task>>,
        /// The version to change: the record's `ETag`.
        #[oai(name = "If-Match")]
        if_match: Header<Option<String>>,
        body: Json<Patch>,
    ) -> Reply<Versioned<View>> {
        let expected = etag::expected(if_match.0.as_deref());
        let work = move |tx: &TenantWrite<'_>| rules::change(tx, id.0, expected, |task| body.0.apply(tx, task));
        let record = member.write(work).await?;
        Ok(Versioned::of(record))
    }

    /// Removes a task or section. Members may remove those that they made.
    #[oai(path = "/:id", method = "delete", operation_id = "removeTask")]
    async fn remove(
        &self,
        member: Member<TasksDeleteOwn>,
        id: Path<Id<Task>>,
        /// The version that the caller saw.
        #[oai(name = "If-Match")]
        if_match: Header<Option<String>>,
    ) -> Reply<NoContent> {
        let (any, expected) = (member.may(Permission::TasksDelete), etag::expected(if_match.0.as_deref()));
        member.write(move |tx| records::remove(tx, id.0, any, expected)).await?;
        Ok(NoContent)
    }
}
