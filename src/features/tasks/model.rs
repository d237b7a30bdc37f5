//! The record of a task or section, and its validation.

use std::ops::RangeInclusive;

use poem_openapi::{Enum, Object};
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use crate::{
    feature::{Audience, EXTERNAL_ID, FieldValues, FormerAudience, contact::RecordName, import_keys},
    features::{customers::Customer, deals::Deal, organizations::Organization},
    kernel::{Day, Document, FieldText, Heading, Id, MemberId, Result, Timestamp, error::Faults, text},
    store::{Counters, History, Lookups, Record, Stored, TenantRead, TenantRecord, next_quarter},
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
/// Prefixes of the counters of open tasks by the month and by the year in which they are due, so that the sum of all
/// days before one needs few of them.
const DUE_MONTH_FIGURES: &str = "tasks/due_month/";
const DUE_YEAR_FIGURES: &str = "tasks/due_year/";
/// The series of tasks by the quarter of an hour in which they were created, and completed.
const CREATED_SERIES: &str = "tasks/created";
const COMPLETED_SERIES: &str = "tasks/completed";
/// Prefix of the levels of open tasks, by when they are due, seen from the change that raises or lowers the level.
const OPEN_LEVELS: &str = "open-tasks";
/// The levels of tasks that are due long before the change, and long after it or never.
const LONG_DUE: &str = "past";
const NOT_YET_DUE: &str = "later";
/// Days before and after a change (UTC) within which the level names the due day. A count of open tasks that were due
/// before a day needs them for the changes of eight days.
const NAMED_DAYS: RangeInclusive<i64> = -10..=2;
/// Counter of the tasks that few members may see. The other counters, which all members see, are without them.
pub(super) const HIDDEN_FIGURE: &str = "tasks/hidden";
/// Counter of those of them that are open.
pub(super) const HIDDEN_OPEN_FIGURE: &str = "tasks/hidden_open";
/// Counter of those of them that are completed.
pub(super) const HIDDEN_DONE_FIGURE: &str = "tasks/hidden_done";
/// Prefix of the counters of the open ones by due day.
pub(super) const HIDDEN_DUE_FIGURES: &str = "tasks/hidden_due/";

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

/// A past state of a task. Earlier versions counted open tasks of past days by them.
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
    /// The states before each day on which earlier versions changed it. Nothing reads them any more.
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
            out.unique_if(record.limit.is_company(), BY_EXTERNAL_ID, "externalId", id);
        }
        for key in import_keys(record.import_key.as_ref()) {
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
        out.add_in_quarter(CREATED_SERIES, record.created_at, 1);
        if let Some(at) = record.completed_at {
            out.add(DONE_FIGURE, 1);
            out.add_in_quarter(COMPLETED_SERIES, at, 1);
            return;
        }
        out.add(OPEN_FIGURE, 1);
        if let Some(due) = record.due_date {
            out.add(format!("{DUE_FIGURES}{due}"), 1);
            out.add(format!("{DUE_MONTH_FIGURES}{}", month_text(due)), 1);
            out.add(format!("{DUE_YEAR_FIGURES}{}", year_text(due)), 1);
        }
        if let Some(assignee) = record.assignee_id {
            out.add(format!("tasks/open_by/{assignee}"), 1);
        }
    }
    fn levels(record: &Stored<Self>, at: Timestamp) -> Option<Vec<(String, i64)>> {
        let level = || format!("{OPEN_LEVELS}/{}", due_class(record.due_date, at));
        let counts = record.is_open() && record.limit.is_company();
        Some(counts.then(|| (level(), 1)).into_iter().collect())
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

fn month_text(day: Day) -> String {
    day.to_string().get(..7).unwrap_or_default().to_owned()
}

fn year_text(day: Day) -> String {
    day.to_string().get(..4).unwrap_or_default().to_owned()
}

/// Returns the last part of the name of the level of open tasks with a due day, for a change at a time.
fn due_class(due: Option<Day>, at: Timestamp) -> String {
    let today = at.day_in("UTC");
    match due {
        Some(due) if due < today.plus_days(*NAMED_DAYS.start()) => LONG_DUE.to_owned(),
        Some(due) if due <= today.plus_days(*NAMED_DAYS.end()) => due.to_string(),
        _ => NOT_YET_DUE.to_owned(),
    }
}

/// Returns the numbers of tasks that were created in the quarters of an hour from one time to before another. Removed
/// ones do not count.
pub fn created(tx: &TenantRead<'_>, from: Timestamp, to: Timestamp) -> Result<Vec<(Timestamp, i64)>> {
    tx.series(CREATED_SERIES, from, to)
}

/// Returns the numbers of completed tasks by the quarters of an hour in which they were completed, from one time to
/// before another. Reopened and removed ones do not count.
pub fn completed(tx: &TenantRead<'_>, from: Timestamp, to: Timestamp) -> Result<Vec<(Timestamp, i64)>> {
    tx.series(COMPLETED_SERIES, from, to)
}

/// Counts the open tasks that are due before a day.
pub fn due_before(tx: &TenantRead<'_>, day: Day) -> Result<i64> {
    let mut sum = 0;
    let year = year_text(day);
    let month = month_text(day);
    for (prefix, from, to) in [
        (DUE_YEAR_FIGURES, "", year.as_str()),
        (DUE_MONTH_FIGURES, year.as_str(), month.as_str()),
        (DUE_FIGURES, month.as_str(), day.to_string().as_str()),
    ] {
        let counters = tx.counters(&format!("{prefix}{from}"), &format!("{prefix}{to}"))?;
        sum += counters.iter().map(|(_, count)| count).sum::<i64>();
    }
    Ok(sum)
}

/// Returns the time before which the past numbers of open tasks are not known.
pub fn open_unknown_before(tx: &TenantRead<'_>) -> Result<Option<Timestamp>> {
    tx.level_unknown_before(OPEN_LEVELS)
}

/// Returns by how much the numbers of open tasks, and of those that are due before a day, rose from a time until now.
/// The time may be up to eight days ago, and the day up to eight days before today and at most the day of the time (UTC).
pub fn open_risen_since(tx: &TenantRead<'_>, from: Timestamp, now: Timestamp, day: Day) -> Result<(i64, i64)> {
    let first = from.day_in("UTC").plus_days(*NAMED_DAYS.start());
    let last = now.day_in("UTC").plus_days(*NAMED_DAYS.end());
    let named = std::iter::successors(Some(first), |due| Some(due.plus_days(1)).filter(|due| *due <= last));
    let risen = |class: &str| -> Result<i64> {
        let changes = tx.level_changes(&format!("{OPEN_LEVELS}/{class}"), from, next_quarter(now))?;
        Ok(changes.iter().map(|(_, by)| by).sum())
    };
    let long_due = risen(LONG_DUE)?;
    let mut all = long_due + risen(NOT_YET_DUE)?;
    let mut due = long_due;
    for class in named {
        let by = risen(&class.to_string())?;
        all += by;
        due += if class < day { by } else { 0 };
    }
    Ok((all, due))
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
}
