//! Operations on tasks: order, completion, references and listing.

use std::collections::BTreeMap;

use poem_openapi::Enum;
use uuid::Uuid;

use super::{
    model::{
        BY_ASSIGNEE, BY_CHANGE, BY_CUSTOMER, BY_DEAL, BY_DUE, BY_HIDDEN, BY_ORDER, BY_STATE, BY_TAG, DONE, DONE_FIGURE,
        DUE_FIGURES, FURTHEST, HIDDEN_DONE_FIGURE, HIDDEN_DUE_FIGURES, HIDDEN_FIGURE, HIDDEN_OPEN_FIGURE, OPEN,
        OPEN_BY_RECORD, OPEN_FIGURE, SECTIONS_FIGURE, Task, change_place, due_place, order_place, sortable,
    },
    notifications,
};
use crate::{
    feature::{
        Audience, FormerAudience, KindRecord as _, NextStepDraft,
        contact::{NextStep, RecordName},
        ensure_may_share,
    },
    features::{
        customers::Customer,
        deals::Deal,
        find_kind,
        listing::{ListFilter, ListPage, Listing, Order, SortKey},
        organizations::Organization,
        records::{
            activities::dates::set_next_step, check_day, check_past_time, check_reference, fields::check_values,
            get_visible, is_seen,
        },
    },
    kernel::{Code, Day, Error, Id, MemberId, Result, Timestamp, error::Faults},
    people::{members::MemberRecord, permission::Reader},
    store::{Record as _, Scan, Stored, TenantRead, TenantWrite},
    wire::Paging,
};

/// Distance in order between a new task and the last one, which leaves room for placing tasks between them.
const GAP: f64 = 1_024.0;
/// Maximum tasks of a deal that follow a change of who may see it.
const MAX_FOLLOWING: usize = 200;
/// Maximum open tasks that are examined for the next step of a record.
const MAX_STEPS_EXAMINED: usize = 100;
/// Maximum tasks that few members may see and that are examined for the total of a list.
const MAX_UNSEEN_EXAMINED: usize = 2_000;

/// An order of a list of tasks for which the store has an index. The others come from the columns, by which tasks without a
/// due day are last in both directions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Enum)]
#[oai(rename = "TaskSort")]
pub enum Sort {
    /// Manual order.
    #[default]
    #[oai(rename = "order")]
    Order,
    /// Manual order, reversed.
    #[oai(rename = "-order")]
    OrderDescending,
    /// By due day, earliest first; tasks without one come last.
    #[oai(rename = "dueDate")]
    Due,
    /// By creation, oldest first.
    #[oai(rename = "createdAt")]
    Created,
    /// By creation, newest first.
    #[oai(rename = "-createdAt")]
    CreatedDescending,
    /// By last change, oldest first.
    #[oai(rename = "updatedAt")]
    Updated,
    /// By last change, newest first.
    #[oai(rename = "-updatedAt")]
    UpdatedDescending,
}

impl Sort {
    fn order(self) -> Order<Task> {
        let (scan, place): (Scan, SortKey<Task>) = match self {
            Self::Order | Self::OrderDescending => (Scan::ordered(BY_ORDER), order_place),
            Self::Due => (Scan::ordered(BY_DUE), due_place),
            // Ids are in chronological order.
            Self::Created | Self::CreatedDescending => (Scan::all(), |_| Vec::new()),
            Self::Updated | Self::UpdatedDescending => (Scan::ordered(BY_CHANGE), change_place),
        };
        let descending = matches!(self, Self::OrderDescending | Self::CreatedDescending | Self::UpdatedDescending);
        Order { scan, place, descending }
    }
}

/// When tasks are due, relative to a day.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Enum)]
#[oai(rename = "TaskDue", rename_all = "lowercase")]
pub enum Due {
    /// Open, and due before today.
    Overdue,
    /// Due today.
    Today,
    /// Due this week, from the first day of weeks in the caller's region.
    Week,
}

/// Filter and order of a list of tasks.
#[derive(Debug)]
pub struct TaskFilter {
    /// Only completed tasks, or only those that are not (and sections).
    pub completed: Option<bool>,
    /// Only tasks of this assignee.
    pub assignee: Option<MemberId>,
    /// Only tasks that concern this customer.
    pub customer: Option<Id<Customer>>,
    /// Only tasks with this normalized tag.
    pub tag: Option<String>,
    /// Only tasks due at this time.
    pub due: Option<Due>,
    /// The current day in the caller's time zone.
    pub today: Day,
    /// The first day of its week in the caller's region, if tasks due this week are asked for.
    pub week: Day,
    /// The sort order.
    pub sort: Sort,
}

impl TaskFilter {
    fn has(&self, task: &Task) -> bool {
        let is_due = |day: Day| match self.due {
            None => true,
            Some(Due::Overdue) => day < self.today && task.is_open(),
            Some(Due::Today) => day == self.today,
            Some(Due::Week) => day >= self.week && day < self.week.plus_days(7),
        };
        self.completed.is_none_or(|completed| task.completed == completed)
            && self.assignee.is_none_or(|assignee| task.assignee_id == Some(assignee))
            && self.customer.is_none_or(|customer| task.customer_id == Some(customer))
            && self.tag.as_ref().is_none_or(|tag| task.tags.contains(tag))
            && task.due_date.map_or(self.due.is_none(), is_due)
    }

    fn filters(&self, tx: &TenantRead<'_>) -> Result<Vec<ListFilter>> {
        let mut filters = Vec::new();
        if let Some(completed) = self.completed {
            filters.push(state(tx, completed)?);
        }
        if let Some(assignee) = self.assignee {
            filters.push(ListFilter::values(tx, BY_ASSIGNEE, &[assignee.as_bytes()])?);
        }
        if let Some(customer) = self.customer {
            filters.push(ListFilter::values(tx, BY_CUSTOMER, &[customer.as_bytes()])?);
        }
        if let Some(tag) = &self.tag {
            filters.push(ListFilter::values(tx, BY_TAG, &[tag])?);
        }
        match self.due {
            None => {}
            Some(Due::Overdue) => filters.push(overdue(tx, self.today)?),
            Some(Due::Today) => filters.push(ListFilter::values(tx, BY_DUE, &[self.today.to_string()])?),
            Some(Due::Week) => {
                let days: Vec<String> = (0..7).map(|n| self.week.plus_days(n).to_string()).collect();
                filters.push(ListFilter::values(tx, BY_DUE, &days)?);
            }
        }
        Ok(filters)
    }
}

fn figure(tx: &TenantRead<'_>, name: &str) -> Result<u64> {
    Ok(tx.counter(name)?.try_into().unwrap_or(0))
}

/// Filters by completed or not completed.
fn state(tx: &TenantRead<'_>, completed: bool) -> Result<ListFilter> {
    let (begin, count) = if completed {
        (DONE, figure(tx, DONE_FIGURE)? + figure(tx, HIDDEN_DONE_FIGURE)?)
    } else {
        (OPEN, figure(tx, OPEN_FIGURE)? + figure(tx, SECTIONS_FIGURE)? + figure(tx, HIDDEN_OPEN_FIGURE)?)
    };
    Ok(ListFilter { scans: vec![Scan::beginning(BY_STATE, begin)], count })
}

/// Filters open tasks due before today, with one scan per due day.
fn overdue(tx: &TenantRead<'_>, today: Day) -> Result<ListFilter> {
    let mut days: BTreeMap<String, u64> = BTreeMap::new();
    for figures in [DUE_FIGURES, HIDDEN_DUE_FIGURES] {
        for (name, count) in tx.counters(figures, &format!("{figures}{today}"))? {
            let day = name.strip_prefix(figures).unwrap_or_default().to_owned();
            *days.entry(day).or_default() += u64::try_from(count).unwrap_or(0);
        }
    }
    let count = days.values().sum();
    Ok(ListFilter { scans: days.keys().map(|day| Scan::with(BY_STATE, format!("{OPEN}{day}"))).collect(), count })
}

/// Returns a page of the matching tasks.
/// Errors: `bad_request` for a cursor of another list.
pub fn list(tx: &TenantRead<'_>, reader: Reader, filter: &TaskFilter, paging: &Paging) -> Result<ListPage<Task>> {
    // Of many hidden tasks, not all are looked at.
    let is_counted = figure(tx, HIDDEN_FIGURE)? == 0;
    let unseen = if is_counted { 0 } else { count_unseen(tx, reader, filter)? };
    let sees_all = Task::SEES_ALL.is_some_and(|right| reader.role.has(right));
    let filters = filter.filters(tx)?;
    let listing = Listing { order: filter.sort.order(), filters, unseen, is_counted, sees_all };
    listing.page(tx, paging, |task| filter.has(task) && Task::is_visible_to(task, reader))
}

/// Counts the tasks of a list that the reader may not see, up to 2,000.
fn count_unseen(tx: &TenantRead<'_>, reader: Reader, filter: &TaskFilter) -> Result<u64> {
    let mut count = 0;
    tx.page::<Task>(&Scan::ordered(BY_HIDDEN).limit(1).examining(MAX_UNSEEN_EXAMINED), |task| {
        count += u64::from(filter.has(task) && !Task::is_visible_to(task, reader));
        false
    })?;
    Ok(count)
}

/// What figures need of a task that few members may see.
#[derive(Clone, Copy, Debug)]
pub struct RestrictedTask {
    /// When it was created.
    pub created_at: Timestamp,
    /// When it was completed.
    pub completed_at: Option<Timestamp>,
    /// The due day.
    pub due_date: Option<Day>,
    /// The member who is assigned to it.
    pub assignee_id: Option<MemberId>,
}

/// Returns the tasks that few members may see and the reader does, from the newest 2,000 that few may see.
pub fn find_restricted(tx: &TenantRead<'_>, reader: Reader) -> Result<Vec<RestrictedTask>> {
    let mut tasks = Vec::new();
    if figure(tx, HIDDEN_FIGURE)? == 0 {
        return Ok(tasks);
    }
    // The newest first: old ones are mostly completed.
    let newest = Scan::ordered(BY_HIDDEN).reversed(true).limit(1).examining(MAX_UNSEEN_EXAMINED);
    tx.page::<Task>(&newest, |task| {
        if Task::is_visible_to(task, reader) {
            let Task { completed_at, due_date, assignee_id, .. } = task.value;
            tasks.push(RestrictedTask { created_at: task.created_at, completed_at, due_date, assignee_id });
        }
        false
    })?;
    Ok(tasks)
}

/// Creates a task, by default after all others.
/// Errors: `invalid`.
pub fn create(tx: &TenantWrite<'_>, mut task: Task, order: Option<f64>) -> Result<Stored<Task>> {
    task.order = match order {
        Some(order) => free(tx, order)?,
        None => behind_all(tx)?,
    };
    prepare_task(tx, &mut task, None)?;
    let kept = tx.create(task)?;
    follow(tx, None, Some(&kept))?;
    notifications::notify_change(tx, None, &kept)?;
    Ok(kept)
}

/// Changes a task; `expected` is the version that the caller read, if given.
/// Errors: `not_found`, also for a task that the reader may not see; `stale_version`, `invalid`; `forbidden` when the reader
/// is neither the author nor may see all tasks, and others would see the task or no longer see it.
pub fn change(
    tx: &TenantWrite<'_>,
    reader: Reader,
    id: Id<Task>,
    expected: Option<u64>,
    change: impl FnOnce(&mut Task),
) -> Result<Stored<Task>> {
    let old = tx.get::<Task>(id)?.value;
    let kept = change_quietly(tx, reader, id, expected, change)?;
    notifications::notify_change(tx, Some(&old), &kept)?;
    Ok(kept)
}

/// The same, without notifications.
/// Errors: as `change`.
pub fn change_quietly(
    tx: &TenantWrite<'_>,
    reader: Reader,
    id: Id<Task>,
    expected: Option<u64>,
    change: impl FnOnce(&mut Task),
) -> Result<Stored<Task>> {
    let old = get_visible::<Task>(tx, reader, id)?;
    let new = tx.update(id, expected, |task| {
        change(task);
        if sortable(task.order) != sortable(old.order) {
            task.order = free(tx, task.order)?;
        }
        prepare_task(tx, task, Some(&old))?;
        let audience = task.audience_with(old.created_by);
        let field = if task.deal_id == old.deal_id { "assigneeId" } else { "dealId" };
        ensure_may_share(reader, &old, &[(Task::audience(&old), audience)], field)?;
        note_former_audience(task, &old, old.version + 1);
        Ok(())
    })?;
    follow(tx, Some(&old), Some(&new))?;
    Ok(new)
}

/// Notes in a task who can no longer see it. `version` is its version after the change.
fn note_former_audience(task: &mut Task, before: &Stored<Task>, version: u64) {
    let audience = task.audience_with(before.created_by);
    let earlier = task.former_audience.take();
    task.former_audience = FormerAudience::after_change(earlier, &Task::audience(before), &audience, version);
}

/// Returns the members whom the deal of a task allows to see it. A task whose deal is gone stays as it is.
pub(super) fn limit_of(tx: &TenantRead<'_>, task: &Task) -> Result<Audience> {
    let deal = task.deal_id.map_or(Ok(None), |deal| tx.find_intact::<Deal>(deal))?;
    Ok(deal.map_or_else(|| task.limit.clone(), |deal| Deal::audience(&deal)))
}

/// Lets the tasks of a deal follow when it becomes visible to others.
/// Errors: `conflict` when there are more than 200, or one has the id in another system of a task that everyone sees.
pub fn follow_deal(tx: &TenantWrite<'_>, (kind, deal): RecordName, audience: &Audience) -> Result<()> {
    if kind != Deal::KIND {
        return Ok(());
    }
    let tasks = tx.page::<Task>(&Scan::with(BY_DEAL, deal.as_bytes()).limit(MAX_FOLLOWING + 1), |_| true)?.items;
    if tasks.len() > MAX_FOLLOWING {
        let params = vec![("max", MAX_FOLLOWING.to_string())];
        return Err(Error::new(Code::Conflict).and_field("visibility", "errors.fields.too_many_tasks", params));
    }
    for task in tasks.iter().filter(|task| task.limit != *audience) {
        let mut limited = task.value.clone();
        limited.limit = audience.clone();
        note_former_audience(&mut limited, task, task.version);
        tx.rewrite(task, |task| *task = limited.clone()).map_err(|error| match error.code() {
            // It is not the id of the deal that is taken.
            Code::Conflict => {
                let params = vec![("task", task.title.clone())];
                Error::new(Code::Conflict).and_field("visibility", "errors.fields.task_id_taken", params)
            }
            _ => error,
        })?;
        follow(tx, Some(task), Some(&limited))?;
    }
    Ok(())
}

/// Sets the next step of the records that a task concerned before a change or concerns after it.
pub(super) fn follow(tx: &TenantWrite<'_>, old: Option<&Task>, new: Option<&Task>) -> Result<()> {
    let steps = |task: Option<&Task>| {
        let open = task.filter(|task| task.is_open());
        open.map(|task| (task.due_date, task.concerns(), task.limit.clone())).unwrap_or_default()
    };
    let before = steps(old);
    let after = steps(new);
    if before == after {
        return Ok(());
    }
    let mut concerned = before.1;
    concerned.extend(after.1.into_iter().filter(|one| !concerned.contains(one)).collect::<Vec<_>>());
    for (kind, id) in concerned {
        if let Some(kind) = find_kind(kind) {
            set_next_step(tx, kind, id)?;
        }
    }
    Ok(())
}

/// Returns the order after all other tasks.
fn behind_all(tx: &TenantRead<'_>) -> Result<f64> {
    let last = tx.page::<Task>(&Scan::ordered(BY_ORDER).reversed(true).limit(1), |_| true)?;
    // At the maximum, tasks have equal orders and sort by id.
    Ok(last.items.first().map_or(GAP, |task| (task.order + GAP).min(FURTHEST)))
}

/// Returns the first order from `order` on that no other task has. After repeated insertions into one gap its middle is
/// no longer a distinct number, and nothing could be inserted between two tasks of equal order.
pub(super) fn free(tx: &TenantRead<'_>, mut order: f64) -> Result<f64> {
    while order.is_finite() && tx.count_with(BY_ORDER, sortable(order), 1)? > 0 {
        order = order.next_up();
    }
    Ok(order)
}

/// Sets the completion time and who may see it, and validates a task. References that were there before may no
/// longer resolve; only new ones must.
fn prepare_task(tx: &TenantWrite<'_>, task: &mut Task, old: Option<&Task>) -> Result<()> {
    if task.deal_id != old.and_then(|old| old.deal_id) {
        task.limit = Audience::Company;
    }
    task.limit = limit_of(tx, task)?;
    task.completed_at = task.completed.then(|| task.completed_at.unwrap_or_else(|| tx.now()));
    task.tidy();
    let mut faults = Faults::default();
    task.check(&mut faults);
    check_past_time(tx, "completedAt", (task.completed_at, old.and_then(|old| old.completed_at)), &mut faults);
    check_day(tx, "dueDate", (task.due_date, old.and_then(|old| old.due_date)), Day::PLANNED, &mut faults);
    check_reference::<MemberRecord, _>(tx, (task, old), "assigneeId", |one| one.assignee_id, &mut faults)?;
    check_reference::<Customer, _>(tx, (task, old), "customerId", |one| one.customer_id, &mut faults)?;
    check_reference::<Organization, _>(tx, (task, old), "organizationId", |one| one.organization_id, &mut faults)?;
    if let Some(deal) = task.deal_id
        && old.and_then(|old| old.deal_id) != Some(deal)
        && !find_kind(Deal::KIND).map_or(Ok(false), |kind| is_seen(tx, kind, deal.uuid()))?
    {
        faults.add("dealId", "errors.fields.unknown_reference");
    }
    check_values::<Task>(tx, &mut task.fields, old.map(|old| &old.fields), &mut faults)?;
    faults.into_result()
}

/// Makes a task of a next step.
/// Errors: `invalid`.
pub fn make_next_step(tx: &TenantWrite<'_>, next: &NextStepDraft) -> Result<Uuid> {
    let of = |kind: &str| next.concerns.iter().find(|(known, _)| *known == kind).map(|(_, id)| *id);
    let task = Task {
        title: next.title.clone(),
        priority: 1,
        due_date: next.due_date,
        assignee_id: next.assignee_id,
        customer_id: of(Customer::KIND).map(Id::from),
        organization_id: of(Organization::KIND).map(Id::from),
        deal_id: of(Deal::KIND).map(Id::from),
        ..Task::default()
    };
    Ok(create(tx, task, None)?.id.uuid())
}

/// Returns the open task of a record that is due first, of those that all members of an audience may see and of the first
/// 100.
pub fn first_step(tx: &TenantRead<'_>, record: Uuid, audience: &Audience) -> Result<Option<NextStep>> {
    let first = Scan::beginning(OPEN_BY_RECORD, record.as_bytes()).limit(1).examining(MAX_STEPS_EXAMINED);
    let first = tx.page::<Task>(&first, |task| Task::audience(task).includes_all(audience))?.items.pop();
    Ok(first.map(|task| NextStep { task_id: task.id.uuid(), due_date: task.due_date }))
}
