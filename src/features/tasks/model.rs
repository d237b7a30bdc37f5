//! The record of a task or section, and its validation.

use poem_openapi::{Enum, Object};
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use crate::{
    feature::{Audience, EXTERNAL_ID, FieldValues, FormerAudience, contact::RecordName},
    features::{customers::Customer, deals::Deal, organizations::Organization},
    kernel::{Day, Document, FieldText, Heading, Id, MemberId, Timestamp, error::Faults, text},
    store::{Counters, History, Lookups, Record, Stored, TenantRecord},
};

/// Index of tasks and sections by manual order.
pub(super) const BY_ORDER: u16 = 1_120;
/// Index of tasks and sections by due day; those without one come last.
pub(super) const BY_DUE: u16 = 1_121;
/// Index of tasks and sections by the time of their last change.
pub(super) const BY_CHANGE: u16 = 1_122;
/// Index of open tasks by due day, followed by completed ones by completion day.
pub(super) const BY_STATE: u16 = 1_123;
/// Index of tasks by assignee.
pub(super) const BY_ASSIGNEE: u16 = 1_124;
/// Index of tasks by customer.
pub(super) const BY_CUSTOMER: u16 = 1_125;
/// Index of tasks and sections by tag.
pub(super) const BY_TAG: u16 = 1_126;
/// Index of tasks by organization.
pub(super) const BY_ORGANIZATION: u16 = 1_128;
/// Index of tasks by deal.
pub(super) const BY_DEAL: u16 = 1_129;
/// Index of open tasks by each record that they concern, and by due day; those without one come last.
pub(super) const OPEN_BY_RECORD: u16 = 1_127;

/// Index of tasks by their id in another system.
pub(super) const BY_EXTERNAL_ID: u16 = 1_119;
/// Index of tasks by what identified the row that they were imported from.
pub(super) const BY_IMPORT_KEY: u16 = 1_263;
/// Index of the tasks that few members may see.
pub(super) const BY_HIDDEN: u16 = 1_277;

/// Prefix of the `BY_STATE` values of open tasks.
pub(super) const OPEN: &str = "0";
/// Prefix of the `BY_STATE` values of completed tasks.
pub(super) const DONE: &str = "1";

/// Index value of a missing day; sorts after all days.
const NO_DAY: &str = "~";
/// Maximum absolute value of an order: within it, halving the gap between two neighbours is exact to a thousandth.
pub(super) const FURTHEST: f64 = 1e12;
/// Maximum number of subtasks of a task.
const SUBTASKS: usize = 100;

/// Counter of open tasks.
pub(super) const OPEN_FIGURE: &str = "tasks/open";
/// Counter of completed tasks.
pub(super) const DONE_FIGURE: &str = "tasks/done";
/// Counter of sections.
pub(super) const SECTIONS_FIGURE: &str = "tasks/sections";
/// Prefix of the counters of open tasks by due day.
pub(super) const DUE_FIGURES: &str = "tasks/due/";
/// Counter of the tasks that few members may see. The other counters, which all members see, are without them.
pub(super) const HIDDEN_FIGURE: &str = "tasks/hidden";
/// Counter of those of them that are open.
pub(super) const HIDDEN_OPEN_FIGURE: &str = "tasks/hidden_open";
/// Counter of those of them that are completed.
pub(super) const HIDDEN_DONE_FIGURE: &str = "tasks/hidden_done";
/// Prefix of the counters of the open ones by due day.
pub(super) const HIDDEN_DUE_FIGURES: &str = "tasks/hidden_due/";
/// Prefix of the counters of daily changes (UTC) in the number of open tasks, by due day.
pub(super) const CHANGE_FIGURES: &str = "tasks/changed/";
/// Number of days for which a task keeps its past states.
const KEPT_DAYS: i64 = 30;

/// Whether the record is a task or a section.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Enum)]
#[oai(rename = "TaskType", rename_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub enum TaskType {
    /// A task.
    #[default]
    Task,
    /// A heading between tasks.
    Section,
}

/// A subtask.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Object)]
pub struct Subtask {
    /// The subtask's id, unique within the task.
    pub id: Id<Self>,
    /// The title.
    pub title: String,
    /// Whether the subtask is completed.
    pub completed: bool,
}

/// A past state of a task, as needed for counts of past days.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PastState {
    /// The day (UTC) on which the state ended.
    pub until: Day,
    /// Whether the task existed and was open.
    pub open: bool,
    /// The due day.
    pub due_date: Option<Day>,
}

/// A task or section.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Task {
    /// Whether it is a task or a section.
    #[serde(rename = "type")]
    pub kind: TaskType,
    /// The title.
    pub title: String,
    /// Notes as plain text.
    pub notes: Option<String>,
    /// Whether the task is completed.
    pub completed: bool,
    /// The time of completion.
    pub completed_at: Option<Timestamp>,
    /// The priority: 0 low, 1 normal, 2 high.
    pub priority: u8,
    /// The due day.
    pub due_date: Option<Day>,
    /// The member who is assigned to the task.
    pub assignee_id: Option<MemberId>,
    /// The customer that the task concerns.
    pub customer_id: Option<Id<Customer>>,
    /// The organization that it concerns.
    pub organization_id: Option<Id<Organization>>,
    /// The deal that it concerns.
    pub deal_id: Option<Id<Deal>>,
    /// The id in another system.
    pub external_id: Option<String>,
    /// What identified the row of a file that it was imported from.
    pub import_key: Option<String>,
    /// Tags in lower case.
    #[serde(default)]
    pub tags: Vec<String>,
    /// The sort key of the manual order, ascending.
    pub order: f64,
    /// The subtasks.
    #[serde(default)]
    pub subtasks: Vec<Subtask>,
    /// The states before each day on which the task was created, completed, reopened, or got another due day; oldest
    /// first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub past: Vec<PastState>,
    /// The values of custom fields.
    #[serde(default, skip_serializing_if = "FieldValues::is_empty")]
    pub fields: FieldValues,
    /// The members whom its deal allows to see it. Follows when the deal changes.
    #[serde(default, skip_serializing_if = "Audience::is_company")]
    pub limit: Audience,
    /// The members who could see it before its audience became narrower.
    #[serde(default)]
    pub former_audience: Option<FormerAudience>,
}

impl Task {
    /// Returns the members who may see the task of an author: those who see its deal, its author and its assignee.
    pub(super) fn audience_with(&self, author: Option<MemberId>) -> Audience {
        match &self.limit {
            Audience::Company => Audience::Company,
            Audience::People(people) => {
                Audience::People(people.iter().copied().chain(author).chain(self.assignee_id).collect())
            }
        }
    }

    /// Whether it is a task that is not completed.
    pub fn is_open(&self) -> bool {
        self.kind == TaskType::Task && !self.completed
    }

    /// Returns the records that it concerns, with their `Record::KIND`.
    pub(super) fn concerns(&self) -> Vec<RecordName> {
        let customer = self.customer_id.map(|id| (Customer::KIND, id.uuid()));
        let organization = self.organization_id.map(|id| (Organization::KIND, id.uuid()));
        let deal = self.deal_id.map(|id| (Deal::KIND, id.uuid()));
        customer.into_iter().chain(organization).chain(deal).collect()
    }

    /// Records the state before today if the change affects counts of past days. `old` is `None` for a new task.
    pub(super) fn keep_past(&mut self, old: Option<&Self>, today: Day) {
        let state = |task: &Self| task.is_open().then_some(task.due_date);
        let before = old.and_then(state);
        if before == state(self) {
            return;
        }
        self.past.retain(|past| past.until > today.plus_days(-KEPT_DAYS));
        // Only the state at the beginning of the day counts.
        if self.past.last().is_none_or(|past| past.until != today) {
            self.past.push(PastState { until: today, open: before.is_some(), due_date: before.flatten() });
        }
    }

    /// Returns the changes in the number of open tasks: day, due day and amount.
    fn changes(&self) -> Vec<(Day, Option<Day>, i64)> {
        let mut changes = Vec::new();
        let now = (self.is_open(), self.due_date);
        let later = self.past.iter().skip(1).map(|past| (past.open, past.due_date)).chain([now]);
        for (before, (open, due_date)) in self.past.iter().zip(later) {
            if before.open {
                changes.push((before.until, before.due_date, -1));
            }
            if open {
                changes.push((before.until, due_date, 1));
            }
        }
        changes
    }
}

impl Record for Task {
    type Key = Self;
    const KIND: &'static str = "task";
    const TABLE: u16 = 31;
    const HISTORY: Option<History> = Some(History {
        except: &["completedAt", "order", "past", "importKey", "limit", "formerAudience"],
        in_parts: &["fields"],
    });
    fn lookups(record: &Stored<Self>, out: &mut Lookups) {
        out.multi(BY_ORDER, order_place(record));
        out.multi(BY_DUE, due_place(record));
        out.multi(BY_CHANGE, change_place(record));
        if !record.limit.is_company() {
            out.multi(BY_HIDDEN, []);
        }
        if let Some(id) = &record.external_id {
            out.unique(BY_EXTERNAL_ID, "externalId", id);
        }
        if let Some(key) = &record.import_key {
            out.multi(BY_IMPORT_KEY, key);
        }
        let state = match record.completed_at {
            Some(at) => format!("{DONE}{}", at.day_in("UTC")),
            None => format!("{OPEN}{}", due_text(record)),
        };
        out.multi(BY_STATE, state);
        if let Some(assignee) = record.assignee_id {
            out.multi(BY_ASSIGNEE, assignee.as_bytes());
        }
        if let Some(customer) = record.customer_id {
            out.multi(BY_CUSTOMER, customer.as_bytes());
        }
        if let Some(organization) = record.organization_id {
            out.multi(BY_ORGANIZATION, organization.as_bytes());
        }
        if let Some(deal) = record.deal_id {
            out.multi(BY_DEAL, deal.as_bytes());
        }
        if record.is_open() {
            for (_, concerned) in record.concerns() {
                out.multi(OPEN_BY_RECORD, [concerned.as_bytes().as_slice(), due_text(record).as_bytes()].concat());
            }
        }
        for tag in &record.tags {
            out.multi(BY_TAG, tag);
        }
    }
    fn counters(record: &Stored<Self>, out: &mut Counters) {
        if !record.limit.is_company() {
            out.add(HIDDEN_FIGURE, 1);
            if record.completed_at.is_some() {
                out.add(HIDDEN_DONE_FIGURE, 1);
                return;
            }
            out.add(HIDDEN_OPEN_FIGURE, 1);
            if let Some(due) = record.due_date {
                out.add(format!("{HIDDEN_DUE_FIGURES}{due}"), 1);
            }
            if let Some(assignee) = record.assignee_id {
                out.add(hidden_open_by(assignee), 1);
            }
            return;
        }
        if record.kind == TaskType::Section {
            out.add(SECTIONS_FIGURE, 1);
            return;
        }
        out.add(format!("tasks/created/{}", record.created_at.day_in("UTC")), 1);
        for (day, due, amount) in record.changes() {
            out.add(format!("{CHANGE_FIGURES}{day}/{}", day_text(due)), amount);
        }
        if let Some(at) = record.completed_at {
            out.add(DONE_FIGURE, 1);
            out.add(format!("tasks/completed/{}", at.day_in("UTC")), 1);
            return;
        }
        out.add(OPEN_FIGURE, 1);
        if let Some(due) = record.due_date {
            out.add(format!("{DUE_FIGURES}{due}"), 1);
        }
        if let Some(assignee) = record.assignee_id {
            out.add(format!("tasks/open_by/{assignee}"), 1);
        }
    }
    fn document(record: &Stored<Self>) -> Option<Document> {
        let steps = record.subtasks.iter().map(|subtask| subtask.title.as_str());
        (record.kind == TaskType::Task).then(|| Document {
            keywords: FieldText::of("tags", &record.tags)
                .chain(FieldText::of("externalId", record.external_id.as_deref()))
                .collect(),
            body: FieldText::of("notes", record.notes.as_deref()).chain(FieldText::of("subtasks", steps)).collect(),
            completed: Some(record.completed),
            ..record.document(Heading::Tasks, &record.title)
        })
    }
    /// Change feed entries of tasks that not all members see have no title.
    fn title(&self) -> Option<String> {
        self.limit.is_company().then(|| self.title.clone())
    }
}
impl TenantRecord for Task {}

/// Returns the name of the counter of the open tasks of an assignee that few members may see.
pub(super) fn hidden_open_by(assignee: MemberId) -> String {
    format!("tasks/hidden_open_by/{assignee}")
}

fn day_text(day: Option<Day>) -> String {
    day.map_or_else(|| NO_DAY.to_owned(), |day| day.to_string())
}

fn due_text(task: &Task) -> String {
    day_text(task.due_date)
}

/// Returns a task's sort key in the manual order.
pub(super) fn order_place(record: &Stored<Task>) -> Vec<u8> {
    sortable(record.order).to_vec()
}

/// Returns a task's sort key by due day.
pub(super) fn due_place(record: &Stored<Task>) -> Vec<u8> {
    due_text(record).into_bytes()
}

/// Returns a task's sort key by last change.
pub(super) fn change_place(record: &Stored<Task>) -> Vec<u8> {
    record.updated_at.millis().to_be_bytes().to_vec()
}

/// Encodes a number in eight bytes that sort as the numbers do.
pub(super) fn sortable(number: f64) -> [u8; 8] {
    // Normalizes minus zero to zero.
    let bits = (number + 0.0).to_bits();
    let sorted = if bits >> 63 == 1 { !bits } else { bits | (1 << 63) };
    sorted.to_be_bytes()
}

impl Task {
    /// Normalizes all fields.
    pub(super) fn tidy(&mut self) {
        self.title = text::line(&self.title);
        self.notes = self.notes.as_deref().map(text::lines).filter(|notes| !notes.is_empty());
        self.tags = text::tags(&self.tags);
        self.external_id = text::filled(self.external_id.as_deref().map(text::line));
        for subtask in &mut self.subtasks {
            subtask.title = text::line(&subtask.title);
        }
    }

    /// Validates everything except references to other records.
    pub(super) fn check(&self, faults: &mut Faults) {
        faults.required("title", &self.title, 300);
        faults.at_most("notes", self.notes.as_deref().unwrap_or(""), 10_000);
        if self.priority > 2 {
            range(faults, "priority", "0".to_owned(), "2".to_owned());
        }
        if !(-FURTHEST..=FURTHEST).contains(&self.order) {
            range(faults, "order", (-FURTHEST).to_string(), FURTHEST.to_string());
        }
        faults.tags(&self.tags);
        faults.at_most("externalId", self.external_id.as_deref().unwrap_or(""), EXTERNAL_ID);
        faults.few("subtasks", self.subtasks.len(), SUBTASKS);
        for (at, subtask) in self.subtasks.iter().enumerate().take(SUBTASKS) {
            faults.required(&format!("subtasks.{at}.title"), &subtask.title, 300);
            if self.subtasks.iter().take(at).any(|before| before.id == subtask.id) {
                faults.add(format!("subtasks.{at}.id"), "errors.fields.taken");
            }
        }
        if self.kind == TaskType::Section {
            let given = [
                ("completed", self.completed),
                ("dueDate", self.due_date.is_some()),
                ("assigneeId", self.assignee_id.is_some()),
                ("customerId", self.customer_id.is_some()),
                ("organizationId", self.organization_id.is_some()),
                ("dealId", self.deal_id.is_some()),
                ("subtasks", !self.subtasks.is_empty()),
            ];
            for (path, _) in given.into_iter().filter(|(_, given)| *given) {
                faults.add(path, "errors.fields.not_for_section");
            }
        }
    }
}

fn range(faults: &mut Faults, path: &str, min: String, max: String) {
    faults.add_with(path, "errors.fields.range", vec![("min", min), ("max", max)]);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn sort_key_keeps_the_order_of_numbers(a in -FURTHEST..FURTHEST, b in -FURTHEST..FURTHEST) {
            prop_assert_eq!(a.partial_cmp(&b), Some(sortable(a).cmp(&sortable(b))));
        }
    }

    #[test]
    fn minus_zero_sorts_as_zero() {
        assert_eq!(sortable(-0.0), sortable(0.0));
        assert!(sortable(-1.0) < sortable(0.0) && sortable(0.0) < sortable(f64::MIN_POSITIVE));
    }

    #[test]
    fn reports_every_invalid_field() {
        let step = Subtask { id: Id::from_bytes([1; 16]), title: "s".into(), completed: false };
        let mut task = Task {
            kind: TaskType::Section,
            title: " ".into(),
            completed: true,
            priority: 3,
            order: f64::INFINITY,
            subtasks: vec![step.clone(), step],
            tags: vec!["x".repeat(51)],
            ..Task::default()
        };
        task.tidy();
        let mut faults = Faults::default();
        task.check(&mut faults);
        let error = faults.into_result().unwrap_err();
        let fields: Vec<(&str, &str)> = error.fields().iter().map(|(path, words)| (path.as_str(), words.key)).collect();
        assert_eq!(
            fields,
            [
                ("title", "errors.fields.required"),
                ("priority", "errors.fields.range"),
                ("order", "errors.fields.range"),
                ("tags.0", "errors.fields.too_long"),
                ("subtasks.1.id", "errors.fields.taken"),
                ("completed", "errors.fields.not_for_section"),
                ("subtasks", "errors.fields.not_for_section"),
            ]
        );
    }

    #[test]
    fn history_keeps_the_start_of_each_day_for_thirty_days() {
        let first: Day = "2026-10-01".parse().unwrap();
        let due = |days: i64| Some(first.plus_days(days));
        let mut task = Task { due_date: due(5), ..Task::default() };
        task.keep_past(None, first);
        let moved = |task: &Task, due_date, on: i64| {
            let mut moved = Task { due_date, ..task.clone() };
            moved.keep_past(Some(task), first.plus_days(on));
            moved
        };
        let task = moved(&moved(&task, due(6), 3), due(7), 3);
        let same = moved(&task, due(7), 4);
        assert_eq!(same.past, task.past, "nothing changed");
        let days =
            |task: &Task| task.past.iter().map(|past| (past.until, past.open, past.due_date)).collect::<Vec<_>>();
        assert_eq!(days(&task), [(first, false, None), (first.plus_days(3), true, due(5))]);
        assert_eq!(
            task.changes(),
            [(first, due(5), 1), (first.plus_days(3), due(5), -1), (first.plus_days(3), due(7), 1)]
        );
        assert_eq!(
            days(&moved(&task, due(9), 31)),
            [(first.plus_days(3), true, due(5)), (first.plus_days(31), true, due(7))]
        );
    }
}
