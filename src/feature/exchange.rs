//! Exchange of records with other systems by files: the fields that files have of a kind, and how records are found and
//! made from the rows of a file.

use poem_openapi::types::ParseFromJSON;
use serde_json::{Map, Value};
use uuid::Uuid;

use super::{
    BulkRecord,
    bulk::content_digest,
    matching::{Candidates, MatchKeys, add_import_key, look_up},
    remove,
};
use crate::{
    formats::synonyms::FieldSynonyms,
    kernel::{Error, Id, Result, i18n::Locale, text},
    people::permission::Reader,
    store::{Scan, Stored, TenantRead, TenantWrite},
};

/// Maximum rows of a file to import.
pub const MAX_IMPORT_ROWS: u64 = 100_000;
/// Maximum records that are examined for a name or an address that a row refers to.
const EXAMINED: usize = 50;

/// A kind whose records are imported and exported.
pub trait ExchangeRecord: BulkRecord {
    /// The body of the call that creates one.
    type New: ParseFromJSON;

    /// The fields that files have, besides the custom fields.
    const EXCHANGED: &'static [ExchangeField];

    /// What other programs call them.
    const SYNONYMS: &'static [FieldSynonyms];

    /// Choices of other programs that say the value of another field.
    const IMPLIED: &'static [ImpliedValue] = &[];

    /// Creates a record as the call does. `import_key` identifies the row that it is imported from.
    /// Errors: those of the call.
    fn create(tx: &TenantWrite<'_>, reader: Reader, new: Self::New, import_key: Option<String>)
    -> Result<Stored<Self>>;

    /// Whether files have the record.
    fn is_exported(&self) -> bool {
        true
    }

    /// What identified the row of a file that it was imported from.
    fn import_key(&mut self) -> &mut Option<String>;

    /// Returns what identifies a record in files.
    fn match_keys(record: &Stored<Self>) -> MatchKeys;
}

/// A field of records in files.
#[derive(Clone, Copy, Debug)]
pub struct ExchangeField {
    /// Its name in mappings; its label is the text `server.exchange.<kind>.<name>`.
    pub name: &'static str,
    /// Where the body of a call has it, such as `details.title`.
    pub path: &'static str,
    /// What its values are.
    pub value: ExchangeValue,
    /// Whether it identifies a row that has no id, for a kind whose records have no unique names.
    pub identifies: bool,
    /// Whether a record cannot be created without it.
    pub is_required: bool,
}

/// A choice of another program that is none here, and says the value of another field: the stage `Closed won` of a deal.
#[derive(Clone, Copy, Debug)]
pub struct ImpliedValue {
    /// The name of the field whose column has the choice.
    pub field: &'static str,
    /// What the choice is called, folded.
    pub choices: &'static [&'static str],
    /// The path of the other field.
    pub path: &'static str,
    /// Its value, which counts if no column has one.
    pub value: &'static str,
}

impl ExchangeField {
    /// Describes a field that has the name of the member of the body.
    pub const fn new(name: &'static str, value: ExchangeValue) -> Self {
        Self { name, path: name, value, identifies: false, is_required: false }
    }

    /// Sets where the body has it.
    pub const fn at(mut self, path: &'static str) -> Self {
        self.path = path;
        self
    }

    /// Marks a field without which a record cannot be created.
    pub const fn required(mut self) -> Self {
        self.is_required = true;
        self
    }

    /// Marks a field that identifies a row.
    pub const fn identifying(mut self) -> Self {
        self.identifies = true;
        self
    }
}

/// What the values of a field in files are.
#[derive(Clone, Copy, Debug)]
pub enum ExchangeValue {
    /// The id of the record.
    Id,
    /// One line of text.
    Text,
    /// Text with several lines.
    LongText,
    /// HTML, or plain text.
    Html,
    /// A part of a name that stands at this place.
    NamePart(u8),
    /// A whole address.
    Address,
    /// Lines of an address that stand at this place.
    AddressPart(u8),
    /// A part of a date: the year, the month, or the day.
    DayPart(DayPart),
    /// E-mail addresses.
    Emails,
    /// Phone numbers.
    Phones,
    /// Tags.
    Tags,
    /// Titles, each on a line after a mark that says whether it is done.
    Checklist,
    /// Web addresses, each with its name after it.
    Links,
    /// A day.
    Day,
    /// A date of birth whose year may be unknown.
    Birthday,
    /// The time at which a record ended, such as a task was completed. Kept only of records whose state says that they
    /// ended.
    EndTime {
        /// The path of the state.
        state: &'static str,
        /// The state of open records.
        open: &'static str,
    },
    /// A day at which a record is expected to end, and did end if its state says that it ended.
    EndDay,
    /// Yes or no.
    Checkbox,
    /// An amount of money.
    Money,
    /// The currency of the amount at the same path.
    Currency,
    /// One of some values, by id or name.
    Choice(ChoicesOf),
    /// The same; the body has the id as a number.
    NumberedChoice(ChoicesOf),
    /// A member, by e-mail address.
    Member,
    /// A record of the kind with this `Record::KIND`, by id.
    Record(&'static str),
    /// The same by name.
    RecordName(&'static str),
    /// The same by name; it is created if there is none.
    NewRecordName(&'static str),
}

/// A part of a date.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DayPart {
    /// The year.
    Year,
    /// The month.
    Month,
    /// The day of the month.
    Day,
}

impl ExchangeValue {
    /// Whether several columns of a file can have values of the field. Of times at which a record ended, the first counts.
    pub const fn is_list(self) -> bool {
        matches!(
            self,
            Self::Emails
                | Self::Phones
                | Self::Tags
                | Self::Links
                | Self::Address
                | Self::AddressPart(_)
                | Self::EndTime { .. }
        )
    }

    /// Whether exports leave it out, because another field has the same.
    pub const fn is_imported_only(self) -> bool {
        matches!(
            self,
            Self::NamePart(_) | Self::AddressPart(_) | Self::DayPart(_) | Self::NewRecordName(_) | Self::EndDay
        )
    }
}

/// What finds a record that a row refers to.
#[derive(Clone, Debug)]
pub enum ReferenceKey {
    /// Its id, here or where it was exported.
    Id(Uuid),
    /// Its e-mail address.
    Email(String),
    /// Its name.
    Name(String),
}

/// Returns the version of a record and what calls show of it; `None` when the reader may not see it.
pub type ShowRecord = fn(&TenantRead<'_>, Reader, Uuid) -> Result<Option<(u64, Value)>>;

/// Returns the ids of the choices of a field, with their names in a language.
pub type ChoicesOf = fn(&TenantRead<'_>, Locale) -> Result<Vec<(String, String)>>;

/// How records of a kind are imported and exported.
#[derive(Clone, Copy, Debug)]
pub struct ExchangeOps {
    /// The fields that files have, besides the custom fields.
    pub fields: &'static [ExchangeField],
    /// What other programs call them.
    pub synonyms: &'static [FieldSynonyms],
    /// Choices of other programs that say the value of another field.
    pub implied: &'static [ImpliedValue],
    /// Creates a record from the body of a call, with what identifies its row. Returns its id, and the digest of its
    /// contents.
    /// Errors: those of the call.
    pub create: CreateRecord,
    /// Looks up the records that a row may describe and that the reader may see, of a bounded number that are examined.
    /// Outside of a write.
    pub look_up: fn(&TenantRead<'_>, Reader, &MatchKeys) -> Result<Candidates>,
    /// Returns what identifies a record; `None` when it is not there, or the reader may not see it.
    pub match_keys: fn(&TenantRead<'_>, Reader, Uuid) -> Result<Option<MatchKeys>>,
    /// Returns up to two records that a row refers to and that the reader may see.
    pub find_referred: fn(&TenantRead<'_>, Reader, &ReferenceKey) -> Result<Vec<Uuid>>,
    /// Returns the version of a record and what calls show of it; `None` when the reader may not see it.
    pub shown: ShowRecord,
    /// Adds what identifies a row to what a record remembers of the rows that it comes from.
    pub set_import_key: fn(&TenantWrite<'_>, Uuid, &str) -> Result<()>,
    /// Returns the ids of the records that the reader may see, in order of creation, up to a number of them.
    pub ids: fn(&TenantRead<'_>, Reader, usize) -> Result<Vec<Uuid>>,
    /// Removes a record to the bin.
    /// Errors: `not_found`.
    pub remove: fn(&TenantWrite<'_>, Uuid) -> Result<()>,
    /// Removes a record for good that was created within the same write.
    pub discard: fn(&TenantWrite<'_>, Uuid) -> Result<()>,
}

/// Creates a record from the body of a call, with what identifies its row. Returns its id, and the digest of its contents.
pub type CreateRecord = fn(&TenantWrite<'_>, Reader, Map<String, Value>, Option<String>) -> Result<(Uuid, String)>;

impl ExchangeOps {
    /// Returns the operations of a kind.
    pub(super) const fn of<R: ExchangeRecord>() -> Self {
        Self {
            fields: R::EXCHANGED,
            synonyms: R::SYNONYMS,
            implied: R::IMPLIED,
            create: create::<R>,
            look_up: look_up::<R>,
            match_keys: match_keys::<R>,
            find_referred: find_referred::<R>,
            shown: shown::<R>,
            set_import_key: set_import_key::<R>,
            ids: ids::<R>,
            remove: |tx, id| remove::<R>(tx, Id::from(id), true, None).map(drop),
            discard: |tx, id| tx.remove::<R>(Id::from(id), None).map(drop),
        }
    }
}

fn create<R: ExchangeRecord>(
    tx: &TenantWrite<'_>,
    reader: Reader,
    values: Map<String, Value>,
    import_key: Option<String>,
) -> Result<(Uuid, String)> {
    let new = R::New::parse_from_json(Some(Value::Object(values)));
    let new = new.map_err(|error| Error::internal(error.into_message()))?;
    let made = R::create(tx, reader, new, import_key)?;
    Ok((made.id.uuid(), content_digest(&made.value)?))
}

fn match_keys<R: ExchangeRecord>(tx: &TenantRead<'_>, reader: Reader, id: Uuid) -> Result<Option<MatchKeys>> {
    let found = tx.find::<R>(Id::from(id))?.filter(|record| R::is_visible_to(record, reader));
    Ok(found.as_ref().map(R::match_keys))
}

fn find_referred<R: ExchangeRecord>(tx: &TenantRead<'_>, reader: Reader, key: &ReferenceKey) -> Result<Vec<Uuid>> {
    let is_visible = |record: &Stored<R>| R::is_visible_to(record, reader);
    let (index, value) = match key {
        ReferenceKey::Id(id) => {
            if tx.find::<R>(Id::from(*id))?.is_some_and(|record| is_visible(&record)) {
                return Ok(vec![*id]);
            }
            (R::KEYS.import_key, MatchKeys::key_of(*id))
        }
        ReferenceKey::Email(email) => (R::KEYS.email, email.clone()),
        ReferenceKey::Name(name) => (R::KEYS.name, text::fold(name)),
    };
    let Some(index) = index else { return Ok(Vec::new()) };
    let found = tx.page::<R>(&Scan::with(index, value).limit(2).examining(EXAMINED), is_visible)?.items;
    Ok(found.into_iter().map(|record| record.id.uuid()).collect())
}

fn shown<R: ExchangeRecord>(tx: &TenantRead<'_>, reader: Reader, id: Uuid) -> Result<Option<(u64, Value)>> {
    let found = tx.find::<R>(Id::from(id))?.filter(|record| R::is_visible_to(record, reader));
    let show = |record: Stored<R>| {
        let version = record.version;
        Ok((version, serde_json::to_value(R::View::from(record)).map_err(Error::internal)?))
    };
    found.map(show).transpose()
}

fn ids<R: ExchangeRecord>(tx: &TenantRead<'_>, reader: Reader, max: usize) -> Result<Vec<Uuid>> {
    let mut ids = Vec::new();
    tx.each::<R>(|record| {
        if ids.len() < max && record.is_exported() && R::is_visible_to(&record, reader) {
            ids.push(record.id.uuid());
        }
        Ok(())
    })?;
    Ok(ids)
}

fn set_import_key<R: ExchangeRecord>(tx: &TenantWrite<'_>, id: Uuid, key: &str) -> Result<()> {
    let record = tx.get::<R>(Id::from(id))?;
    let mut after = record.value.clone();
    if !add_import_key(after.import_key(), key) {
        return Ok(());
    }
    tx.rewrite(&record, |record: &mut R| *record = after)
}

/// Returns the value at a path such as `details.title`.
pub fn value_at<'a>(values: &'a Map<String, Value>, path: &str) -> Option<&'a Value> {
    match path.split_once('.') {
        None => values.get(path),
        Some((first, rest)) => value_at(values.get(first)?.as_object()?, rest),
    }
}

/// Sets the value at a path such as `details.title`.
pub fn set_value_at(values: &mut Map<String, Value>, path: &str, value: Value) {
    match path.split_once('.') {
        None => drop(values.insert(path.to_owned(), value)),
        Some((first, rest)) => {
            let inner = values.entry(first).or_insert_with(|| Value::Object(Map::new()));
            if let Value::Object(inner) = inner {
                set_value_at(inner, rest, value);
            }
        }
    }
}

/// Takes the value at a path such as `details.title` out.
pub fn take_value_at(values: &mut Map<String, Value>, path: &str) -> Option<Value> {
    match path.split_once('.') {
        None => values.remove(path),
        Some((first, rest)) => take_value_at(values.get_mut(first)?.as_object_mut()?, rest),
    }
}

/// Whether two entries of a list are the same: a tag, an e-mail address, a phone number, a file, a subtask.
pub fn is_same_item(a: &Value, b: &Value) -> bool {
    let key = |value: &Value| {
        let named =
            ["email", "e164", "phoneNumber", "url", "title"].into_iter().find_map(|name| value.get(name).cloned());
        named.unwrap_or_else(|| value.clone())
    };
    key(a) == key(b)
}

/// Whether a refusal concerns the row that was imported, and not the server.
pub fn is_of_row(error: &Error) -> bool {
    !error.is_of_server()
}
