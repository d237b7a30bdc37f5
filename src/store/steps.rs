//! The released migration steps. They read stored bytes by types of their own, so that later changes of the records do
//! not change what a step does.

use std::collections::BTreeSet;

use redb::ReadableTable as _;
use serde::{Deserialize, de::DeserializeOwned};
use uuid::Uuid;

use super::{
    codec::{LookupKey, decode, open},
    derived::lookup_row,
    errors::disk_error,
    keys,
    view::Table,
};
use crate::kernel::{
    Id, Result, TenantId,
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

/// The tables of the records that show uploaded files, and their indexes by these.
const CUSTOMERS_BY_FILE: u16 = 1_278;
const ORGANIZATIONS_BY_FILE: u16 = 1_279;
const MEMBERS: u16 = 10;
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

/// To format 5: adds the indexes of records by the uploaded files that they show. Damaged rows stay as they are.
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

/// An index, and the values in it.
type Entries = (u16, BTreeSet<Vec<u8>>);

/// Adds the entries of an index that a function returns for rows: their table, key and value.
fn add_entries(rows: &mut Table<'_>, of: impl Fn(u16, &[u8], &[u8]) -> Option<Entries>) -> Result<()> {
    let mut entries = Vec::new();
    for row in rows.iter().map_err(disk_error)? {
        let (key, value) = row.map_err(disk_error)?;
        let Some((space, table)) = keys::split(key.value()) else { continue };
        let id = key.value().get(keys::HEAD_BYTES..).and_then(|id| <[u8; 16]>::try_from(id).ok());
        let Some((tenant, id)) = TenantId::from_bytes(space.0).zip(id) else { continue };
        let Some((lookup, values)) = of(table, key.value(), value.value()) else { continue };
        for value in values {
            let entry = LookupKey { lookup, unique: None, global: false, value };
            entries.push(lookup_row(tenant, None, &entry, &id));
        }
    }
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

fn customers(event: Event) -> BTreeSet<Vec<u8>> {
    event.attendees.into_iter().filter_map(|attendee| Some(attendee.customer?.as_bytes().to_vec())).collect()
}

fn mentioned(message: Message) -> BTreeSet<Vec<u8>> {
    let key = |reference: Reference| [*reference.record_id.as_bytes(), *message.conversation.as_bytes()].concat();
    message.references.into_iter().map(key).collect()
}
