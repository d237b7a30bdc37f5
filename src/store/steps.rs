//! The released migration steps. They read stored bytes by types of their own, so that later changes of the records do
//! not change what a step does.

use std::collections::{BTreeMap, BTreeSet};

use redb::ReadableTable as _;
use serde::{
    Deserialize,
    de::{DeserializeOwned, IgnoredAny},
};
use uuid::Uuid;

use super::{
    codec::{Counters, LookupKey, decode, open, seal},
    derived::lookup_row,
    errors::disk_error,
    keys::{self, Space, counter_key, news_key},
    series::{self, CounterRow, OPEN_TASKS, SINCE, quarter},
    view::Table,
};
use crate::kernel::{
    Day, Id, MemberId, Result, TenantId, Timestamp,
    media::{media_in, media_of},
};

/// The table of events, and their index by the customers who attend them.
const EVENTS: u16 = 32;
const EVENTS_BY_CUSTOMER: u16 = 1_142;
/// The table of chat messages, and their index by the records that they mention and the conversation.
const CHAT_MESSAGES: u16 = 24;
const MESSAGES_BY_MENTIONED: u16 = 1_214;

/// The table of tasks, and the index of open ones by the records that they concern and by due day.
const TASKS: u16 = 31;
const OPEN_TASKS_BY_RECORD: u16 = 1_127;
/// The due day of a task without one in that index.
const NO_DAY: &str = "~";

/// The tables of customers and organizations, and their indexes by e-mail address and by the digits of phone numbers.
const CUSTOMERS: u16 = 30;
const CUSTOMERS_BY_EMAIL: u16 = 1_112;
const CUSTOMERS_BY_PHONE: u16 = 1_113;
const ORGANIZATIONS: u16 = 57;
const ORGANIZATIONS_BY_EMAIL: u16 = 1_115;
const ORGANIZATIONS_BY_PHONE: u16 = 1_116;

/// The table of deals, and the indexes of tasks and deals by their ids in other systems.
const DEALS: u16 = 59;
const TASKS_BY_EXTERNAL_ID: u16 = 1_119;
const DEALS_BY_EXTERNAL_ID: u16 = 1_118;

/// The table of members, and the index of active administrators and owners with their value in it.
const MEMBERS: u16 = 10;
const ADMINISTRATORS: u16 = 1_009;
const IS_ADMINISTRATOR: &[u8] = b"1";
/// The tables of the records that show uploaded files, and their indexes by these.
const CUSTOMERS_BY_FILE: u16 = 1_278;
const ORGANIZATIONS_BY_FILE: u16 = 1_279;
const MEMBERS_BY_FILE: u16 = 1_280;
const PAGES: u16 = 33;
const PAGES_BY_FILE: u16 = 1_281;
const RECORD_FILES: u16 = 38;
const RECORD_FILES_BY_FILE: u16 = 1_282;
const COMMENTS: u16 = 37;
const COMMENTS_BY_FILE: u16 = 1_283;
const MESSAGES_BY_FILE: u16 = 1_284;

/// A record, as far as a step reads it.
#[derive(Deserialize)]
struct Row<T> {
    r: T,
}

#[derive(Deserialize)]
struct Event {
    #[serde(default)]
    attendees: Vec<Attendee>,
}

/// A member or a customer.
#[derive(Deserialize)]
struct Attendee {
    customer: Option<Id<()>>,
}

#[derive(Deserialize)]
struct Message {
    conversation: Id<()>,
    #[serde(default)]
    references: Vec<Reference>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Reference {
    record_id: Uuid,
}

/// A task of format 2.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Task {
    #[serde(rename = "type")]
    kind: String,
    completed: bool,
    due_date: Option<String>,
    customer_id: Option<Id<()>>,
}

/// A member of format 4.
#[derive(Deserialize)]
struct Member {
    role: String,
    state: String,
}

/// A customer of format 3.
#[derive(Deserialize)]
struct Customer {
    #[serde(default)]
    details: Channels,
}

/// The contact details of a customer, or an organization of format 3.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Channels {
    #[serde(default)]
    emails: Vec<Email>,
    #[serde(default)]
    phone_numbers: Vec<Phone>,
}

#[derive(Deserialize)]
struct Email {
    email: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Phone {
    phone_number: String,
}

/// To format 2: adds the index of events by the customers who attend them, and that of chat messages by the records that
/// they mention. Damaged rows stay as they are.
pub(super) fn index_references(rows: &mut Table<'_>) -> Result<()> {
    add_entries(rows, |table, key, value| match table {
        EVENTS => Some((EVENTS_BY_CUSTOMER, read(key, value, customers))),
        CHAT_MESSAGES => Some((MESSAGES_BY_MENTIONED, read(key, value, mentioned))),
        _ => None,
    })
}

/// To format 3: adds the index of open tasks by the customers that they concern. Damaged rows stay as they are.
pub(super) fn index_open_tasks(rows: &mut Table<'_>) -> Result<()> {
    add_entries(rows, |table, key, value| match table {
        TASKS => Some((OPEN_TASKS_BY_RECORD, read(key, value, next_step_of))),
        _ => None,
    })
}

/// To format 4: adds the indexes of customers and organizations by e-mail address and by phone number. Damaged rows stay
/// as they are.
pub(super) fn index_channels(rows: &mut Table<'_>) -> Result<()> {
    add_entries(rows, |table, key, value| match table {
        CUSTOMERS => Some((CUSTOMERS_BY_EMAIL, read(key, value, |one: Customer| emails(one.details)))),
        ORGANIZATIONS => Some((ORGANIZATIONS_BY_EMAIL, read(key, value, emails))),
        _ => None,
    })?;
    add_entries(rows, |table, key, value| match table {
        CUSTOMERS => Some((CUSTOMERS_BY_PHONE, read(key, value, |one: Customer| phones(one.details)))),
        ORGANIZATIONS => Some((ORGANIZATIONS_BY_PHONE, read(key, value, phones))),
        _ => None,
    })
}

/// To format 5: adds the index of administrators. Damaged rows stay as they are.
pub(super) fn index_administrators(rows: &mut Table<'_>) -> Result<()> {
    add_entries(rows, |table, key, value| match table {
        MEMBERS => Some((ADMINISTRATORS, read(key, value, |member: Member| administrator(&member)))),
        _ => None,
    })
}

/// To format 7: adds the indexes of records by the uploaded files that they show. Damaged rows stay as they are.
pub(super) fn index_files(rows: &mut Table<'_>) -> Result<()> {
    add_entries(rows, |table, key, value| match table {
        CUSTOMERS => Some((CUSTOMERS_BY_FILE, read(key, value, |one: PicturedCustomer| one.files()))),
        ORGANIZATIONS => Some((ORGANIZATIONS_BY_FILE, read(key, value, |one: Pictured| files(one.logo)))),
        MEMBERS => Some((MEMBERS_BY_FILE, read(key, value, |one: Pictured| files(one.avatar)))),
        PAGES => Some((PAGES_BY_FILE, read(key, value, |one: Text| in_text(&one.body)))),
        RECORD_FILES => Some((RECORD_FILES_BY_FILE, read(key, value, |one: WithFile| files([one.file.path])))),
        COMMENTS => Some((COMMENTS_BY_FILE, read(key, value, WithFiles::files))),
        CHAT_MESSAGES => Some((MESSAGES_BY_FILE, read(key, value, WithFiles::files))),
        _ => None,
    })
}

/// A task or deal of format 7, and what says who may see it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Identified {
    external_id: Option<String>,
    limit: Option<IgnoredAny>,
    visibility: Option<VisibleTo>,
}

#[derive(Deserialize)]
struct VisibleTo {
    to: String,
}

impl Identified {
    /// Returns the id in another system of a record that not all members may see.
    fn hidden_id(self) -> Option<String> {
        let is_hidden = self.limit.is_some() || self.visibility.is_some_and(|visible| visible.to != "company");
        self.external_id.filter(|_| is_hidden)
    }
}

/// To format 8: makes hidden tasks and deals reserve no ids of other systems. Damaged rows stay as they are.
pub(super) fn release_external_ids(rows: &mut Table<'_>) -> Result<()> {
    let mut changed = Vec::new();
    each_record(rows, |tenant, id, (table, key, value)| {
        let lookup = match table {
            TASKS => TASKS_BY_EXTERNAL_ID,
            DEALS => DEALS_BY_EXTERNAL_ID,
            _ => return,
        };
        let stored = open(key, value).and_then(|(_, payload)| decode::<Row<Identified>>(payload));
        let Some(hidden) = stored.ok().and_then(|row| row.r.hidden_id()) else { return };
        let entry = |unique| LookupKey { lookup, unique, global: false, value: hidden.as_bytes().to_vec() };
        let [reserved, free] = [Some("externalId"), None].map(|unique| lookup_row(tenant, None, &entry(unique), &id));
        changed.push((reserved.0, free));
    })?;
    for (reserved, (key, value)) in changed {
        rows.remove(reserved.as_slice()).map_err(disk_error)?;
        rows.insert(key.as_slice(), value.as_slice()).map_err(disk_error)?;
    }
    Ok(())
}

/// A record of format 4, with the time of its creation.
#[derive(Deserialize)]
struct Dated<T> {
    c: Timestamp,
    r: T,
}

/// A task of format 4.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TimedTask {
    #[serde(rename = "type")]
    kind: String,
    completed_at: Option<Timestamp>,
    due_date: Option<Day>,
}

/// An event of format 4.
#[derive(Deserialize)]
struct TimedEvent {
    when: When,
    recurrence: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum When {
    Timed { start: Timestamp },
    AllDay {},
}

/// An entry of the change feed of format 4.
#[derive(Deserialize)]
struct Entry {
    a: Timestamp,
    s: u64,
    p: Option<MemberId>,
    k: String,
    o: EntryOp,
    #[serde(default)]
    f: Vec<String>,
    n: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum EntryOp {
    Created,
    Updated,
    Removed,
}

/// What a tenant's figures over time are made of.
#[derive(Default)]
struct Figures {
    /// The sums of counters, by their names.
    sums: BTreeMap<String, i64>,
    /// The numbers of changes in each hour (`2026-11-21T09`) whose entries are no longer in the change feed.
    hours: BTreeMap<String, i64>,
    /// The times of the oldest and the newest entry of the change feed.
    entries: Option<(Timestamp, Timestamp)>,
}

/// To format 6: keeps figures over time by the quarter of an hour, in series, and open tasks by month and year in which
/// they are due. The number of customers is known as far back as the change feed goes, that of open tasks from the
/// newest entry on, and the changes of hours without entries are counted at the beginning of their hours. Damaged rows
/// stay as they are. Lists the entries of the change feed that people read about.
pub(super) fn keep_figures_over_time(rows: &mut Table<'_>) -> Result<()> {
    let mut found: BTreeMap<Space, Figures> = BTreeMap::new();
    let mut replaced = Vec::new();
    let mut news = Vec::new();
    for row in rows.iter().map_err(disk_error)? {
        let (key, value) = row.map_err(disk_error)?;
        let key = key.value();
        let Some((space, table)) = keys::split(key).filter(|(space, _)| *space != Space::SYSTEM) else { continue };
        let Ok((_, payload)) = open(key, value.value()) else { continue };
        match table {
            keys::COUNTERS => {
                let name = String::from_utf8_lossy(key.get(keys::HEAD_BYTES..).unwrap_or_default()).into_owned();
                let hour = name.strip_prefix("activity/");
                if let Some((hour, count)) = hour.zip(decode::<i64>(payload).ok()) {
                    *found.entry(space).or_default().hours.entry(hour.to_owned()).or_default() += count;
                }
                if REPLACED_COUNTERS.iter().any(|prefix| name.starts_with(prefix)) {
                    replaced.push(key.to_vec());
                }
            }
            keys::LEDGER => {
                if let Ok(entry) = decode::<Entry>(payload) {
                    let is_seen = !matches!(entry.o, EntryOp::Updated) || !entry.f.is_empty();
                    if entry.p.is_none() && entry.n.is_some() && is_seen {
                        news.push(news_key(space, entry.s));
                    }
                    found.entry(space).or_default().count_entry(&entry);
                }
            }
            TASKS => {
                if let Ok(task) = decode::<Dated<TimedTask>>(payload) {
                    found.entry(space).or_default().add(|counters| count_task(&task, counters));
                }
            }
            EVENTS => {
                if let Ok(Row { r: TimedEvent { when: When::Timed { start }, recurrence: None } }) = decode(payload) {
                    found.entry(space).or_default().add(|counters| counters.add_at_minute("events/starts", start, 1));
                }
            }
            _ => {}
        }
    }
    for key in news {
        rows.insert(key.as_slice(), seal(&key, 1, &[]).as_slice()).map_err(disk_error)?;
    }
    for key in replaced {
        rows.remove(key.as_slice()).map_err(disk_error)?;
    }
    for (space, figures) in found {
        for (name, row) in figures.into_rows() {
            let key = counter_key(space, &name);
            rows.insert(key.as_slice(), row.sealed(&key)?.as_slice()).map_err(disk_error)?;
        }
    }
    Ok(())
}

/// Prefixes of the counters of earlier formats that format 6 has no more.
const REPLACED_COUNTERS: [&str; 6] =
    ["activity/", "customers/created/", "tasks/created/", "tasks/completed/", "tasks/changed/", "events/quarters/"];

fn count_task(task: &Dated<TimedTask>, counters: &mut Counters) {
    if task.r.kind == "section" {
        return;
    }
    counters.add_in_quarter("tasks/created", task.c, 1);
    match (task.r.completed_at, task.r.due_date) {
        (Some(at), _) => counters.add_in_quarter("tasks/completed", at, 1),
        (None, Some(due)) => {
            let due = due.to_string();
            counters.add(format!("tasks/due_month/{}", due.get(..7).unwrap_or_default()), 1);
            counters.add(format!("tasks/due_year/{}", due.get(..4).unwrap_or_default()), 1);
        }
        (None, None) => {}
    }
}

impl Figures {
    fn add(&mut self, count: impl FnOnce(&mut Counters)) {
        let mut counters = Counters::default();
        count(&mut counters);
        for (name, amount) in counters.amounts {
            *self.sums.entry(name).or_default() += amount;
        }
    }

    fn count_entry(&mut self, entry: &Entry) {
        if entry.p.is_some() {
            return;
        }
        let at = quarter(entry.a);
        self.add(|counters| counters.add_in_quarter("changes/activity", at, 1));
        let hour = at.to_string().get(..13).unwrap_or_default().to_owned();
        *self.hours.entry(hour).or_default() -= 1;
        let by = match entry.o {
            EntryOp::Created => 1,
            EntryOp::Removed => -1,
            EntryOp::Updated => 0,
        };
        if entry.k == "customer" && by != 0 {
            self.add(|counters| counters.add_in_quarter("changes/customers", at, by));
        }
        let (oldest, newest) = self.entries.unwrap_or((entry.a, entry.a));
        self.entries = Some((oldest.min(entry.a), newest.max(entry.a)));
    }

    fn into_rows(mut self) -> BTreeMap<String, CounterRow> {
        let hour = |(hour, count): (&String, &i64)| {
            let at = format!("{hour}:00:00Z").parse::<Timestamp>().ok()?;
            (*count > 0).then_some((at, *count))
        };
        let hours: Vec<(Timestamp, i64)> = self.hours.iter().filter_map(hour).collect();
        for (at, count) in &hours {
            self.add(|counters| counters.add_in_quarter("changes/activity", *at, *count));
        }
        // Without entries nothing has changed since the last hour with a change.
        let last_hour = hours.last().map(|(at, _)| at.plus_seconds(3_600));
        if let Some((oldest, newest)) = self.entries.or(last_hour.zip(last_hour)) {
            self.sums.insert(format!("{SINCE}{}", series::CUSTOMERS), oldest.millis());
            self.sums.insert(format!("{SINCE}{OPEN_TASKS}"), newest.millis());
        }
        CounterRow::rows_of(self.sums)
    }
}

fn files(urls: impl IntoIterator<Item = String>) -> BTreeSet<Vec<u8>> {
    urls.into_iter().filter_map(|url| Some(media_of(&url)?.as_bytes().to_vec())).collect()
}

fn in_text(text: &str) -> BTreeSet<Vec<u8>> {
    media_in(text).map(|media| media.as_bytes().to_vec()).collect()
}

/// A customer of format 4.
#[derive(Deserialize)]
struct PicturedCustomer {
    avatar: Option<String>,
    background: Option<String>,
    notes: Option<String>,
    #[serde(default)]
    attachments: Attachments,
}

#[derive(Default, Deserialize)]
struct Attachments {
    #[serde(default)]
    media: Vec<Attachment>,
    #[serde(default)]
    docs: Vec<Attachment>,
}

#[derive(Deserialize)]
struct Attachment {
    url: String,
}

impl PicturedCustomer {
    fn files(self) -> BTreeSet<Vec<u8>> {
        let attached = self.attachments.media.into_iter().chain(self.attachments.docs).map(|one| one.url);
        let mut found = files(self.avatar.into_iter().chain(self.background).chain(attached));
        found.extend(self.notes.iter().flat_map(|notes| in_text(notes)));
        found
    }
}

/// A member, or an organization of format 4.
#[derive(Deserialize)]
struct Pictured {
    avatar: Option<String>,
    logo: Option<String>,
}

#[derive(Deserialize)]
struct Text {
    body: String,
}

#[derive(Deserialize)]
struct WithFile {
    file: FileOfRecord,
}

#[derive(Deserialize)]
struct FileOfRecord {
    path: String,
}

/// A comment or a chat message of format 4.
#[derive(Deserialize)]
struct WithFiles {
    #[serde(default)]
    attachments: Vec<FileOfRecord>,
}

impl WithFiles {
    fn files(self) -> BTreeSet<Vec<u8>> {
        files(self.attachments.into_iter().map(|file| file.path))
    }
}

/// Visits the rows of companies whose key ends with the id of a record: their table, key and value.
fn each_record(rows: &Table<'_>, mut visit: impl FnMut(TenantId, [u8; 16], (u16, &[u8], &[u8]))) -> Result<()> {
    for row in rows.iter().map_err(disk_error)? {
        let (key, value) = row.map_err(disk_error)?;
        let Some((space, table)) = keys::split(key.value()) else { continue };
        let id = key.value().get(keys::HEAD_BYTES..).and_then(|id| <[u8; 16]>::try_from(id).ok());
        if let Some((tenant, id)) = TenantId::from_bytes(space.0).zip(id) {
            visit(tenant, id, (table, key.value(), value.value()));
        }
    }
    Ok(())
}

/// An index, and the values in it.
type Entries = (u16, BTreeSet<Vec<u8>>);

/// Adds the entries of an index that a function returns for rows: their table, key and value.
fn add_entries(rows: &mut Table<'_>, of: impl Fn(u16, &[u8], &[u8]) -> Option<Entries>) -> Result<()> {
    let mut entries = Vec::new();
    each_record(rows, |tenant, id, (table, key, value)| {
        let Some((lookup, values)) = of(table, key, value) else { return };
        for value in values {
            let entry = LookupKey { lookup, unique: None, global: false, value };
            entries.push(lookup_row(tenant, None, &entry, &id));
        }
    })?;
    for (key, value) in entries {
        rows.insert(key.as_slice(), value.as_slice()).map_err(disk_error)?;
    }
    Ok(())
}

/// Returns the index values of a row; none for a damaged one.
fn read<T: DeserializeOwned>(key: &[u8], value: &[u8], values: fn(T) -> BTreeSet<Vec<u8>>) -> BTreeSet<Vec<u8>> {
    let stored = open(key, value).and_then(|(_, payload)| decode::<Row<T>>(payload));
    stored.map_or_else(|_| BTreeSet::new(), |row| values(row.r))
}

fn next_step_of(Task { kind, completed, due_date, customer_id }: Task) -> BTreeSet<Vec<u8>> {
    let is_open = kind == "task" && !completed;
    let due = due_date.unwrap_or_else(|| NO_DAY.to_owned());
    let value = |customer: Id<()>| [customer.as_bytes().as_slice(), due.as_bytes()].concat();
    customer_id.filter(|_| is_open).map(value).into_iter().collect()
}

fn emails(channels: Channels) -> BTreeSet<Vec<u8>> {
    channels.emails.into_iter().map(|one| one.email.into_bytes()).collect()
}

fn phones(channels: Channels) -> BTreeSet<Vec<u8>> {
    let digits = |one: Phone| one.phone_number.into_bytes().into_iter().filter(u8::is_ascii_digit).collect();
    channels.phone_numbers.into_iter().map(digits).collect()
}

fn administrator(member: &Member) -> BTreeSet<Vec<u8>> {
    let is_one = member.state == "active" && matches!(member.role.as_str(), "admin" | "owner");
    is_one.then(|| IS_ADMINISTRATOR.to_vec()).into_iter().collect()
}

fn customers(event: Event) -> BTreeSet<Vec<u8>> {
    event.attendees.into_iter().filter_map(|attendee| Some(attendee.customer?.as_bytes().to_vec())).collect()
}

fn mentioned(message: Message) -> BTreeSet<Vec<u8>> {
    let key = |reference: Reference| [*reference.record_id.as_bytes(), *message.conversation.as_bytes()].concat();
    message.references.into_iter().map(key).collect()
}

#[cfg(test)]
mod tests {
    use redb::{Database, backends::InMemoryBackend};
    use serde_json::{Value, json};

    use super::*;
    use crate::store::{codec::encode, view::ROWS};

    #[test]
    fn hidden_records_release_their_external_ids() {
        let database = Database::builder().create_with_backend(InMemoryBackend::new()).unwrap();
        let transaction = database.begin_write().unwrap();
        let mut rows = transaction.open_table(ROWS).unwrap();
        let tenant = TenantId::from_bytes([7; 16]).unwrap();
        let entry = |lookup, unique, value: &str, id: u8| {
            let key = LookupKey { lookup, unique, global: false, value: value.as_bytes().to_vec() };
            lookup_row(tenant, None, &key, &[id; 16])
        };
        let records = [
            (TASKS, TASKS_BY_EXTERNAL_ID, 1, json!({"externalId": "a"}), false),
            (TASKS, TASKS_BY_EXTERNAL_ID, 2, json!({"externalId": "b", "limit": {"people": []}}), true),
            (DEALS, DEALS_BY_EXTERNAL_ID, 3, json!({"externalId": "c", "visibility": {"to": "company"}}), false),
            (
                DEALS,
                DEALS_BY_EXTERNAL_ID,
                4,
                json!({"externalId": "d", "visibility": {"to": "me", "people": []}}),
                true,
            ),
            (DEALS, DEALS_BY_EXTERNAL_ID, 5, json!({"externalId": "e"}), false),
        ];
        let text = |record: &Value| record["externalId"].as_str().unwrap().to_owned();
        for (table, lookup, id, record, _) in &records {
            let key = keys::record(tenant.into(), *table, None, &[*id; 16]);
            let row = seal(&key, 1, &encode(&json!({"r": record})).unwrap());
            rows.insert(key.as_slice(), row.as_slice()).unwrap();
            let (key, row) = entry(*lookup, Some("externalId"), &text(record), *id);
            rows.insert(key.as_slice(), row.as_slice()).unwrap();
        }
        let before = redb::ReadableTableMetadata::len(&rows).unwrap();
        release_external_ids(&mut rows).unwrap();
        assert_eq!(redb::ReadableTableMetadata::len(&rows).unwrap(), before);
        for (_, lookup, id, record, is_free) in &records {
            for (unique, is_there) in [(Some("externalId"), !is_free), (None, *is_free)] {
                let (key, row) = entry(*lookup, unique, &text(record), *id);
                let found = rows.get(key.as_slice()).unwrap().map(|found| found.value().to_vec());
                assert_eq!(found, is_there.then_some(row), "{record}");
            }
        }
    }
}
