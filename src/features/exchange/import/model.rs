//! The records of imports.

use poem_openapi::{Enum, Object};
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;
use uuid::Uuid;

use crate::{
    feature::{CustomField, FieldType},
    features::records::{KindName, bulk::KeptBecause, parts::part_place},
    formats::{CsvDialect, DateOrder, DecimalMark, TextEncoding, TextPosition},
    kernel::{
        Error, Id, MemberId,
        error::Words,
        i18n::{Locale, say},
        is_default,
    },
    store::{Lookups, Record, Stored, TenantRecord},
};

/// Index of imports by author.
pub const IMPORTS_BY_AUTHOR: u16 = 1_264;
/// Index of the imports in progress.
pub const IMPORTS_IN_PROGRESS: u16 = 1_265;
/// Index of the parts of imports by import and place.
pub const IMPORT_PARTS_BY_PLACE: u16 = 1_266;
/// Index of the parts of checks by import and place.
pub const CHECK_PARTS_BY_PLACE: u16 = 1_274;

/// An import of records from a file. It belongs to the member who began it; administrators see, stop and undo it, too.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Import {
    /// The kind of the records.
    pub kind: KindName,
    /// The name of the file.
    pub name: String,
    /// The number of rows in the file, or of cards.
    pub rows: u64,
    /// How far it is.
    pub state: ImportState,
    /// Where the file is read on.
    pub position: TextPosition,
    /// What became of the rows.
    pub counts: ImportCounts,
    /// What the last check counted.
    pub checked: Option<ImportCounts>,
    /// The first rows that were refused.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<RowProblem>,
    /// Why the file could not be read to its end.
    pub fault: Option<RowFault>,
    /// The number of its parts.
    pub parts: u32,
    /// The number of the parts of its last check.
    #[serde(default, skip_serializing_if = "is_default")]
    pub check_parts: u32,
    /// The places of the first of them with changes of records.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub change_parts: Vec<u32>,
    /// How many parts have been looked at to undo it.
    pub undone_parts: u32,
    /// How many rows were undone.
    pub undone: u64,
    /// How many rows could not be undone.
    pub kept: u64,
    /// The first records that could not be undone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kept_ids: Vec<Id<()>>,
    /// Why, in the same order: the codes of the errors. Empty in imports of earlier versions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kept_reasons: Vec<String>,
    /// The custom fields that were defined for it and are not deleted yet.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub made_fields: Vec<MadeField>,
    /// What else was made for it and could not be undone, at most as many as records are listed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left: Vec<LeftBehind>,
    /// The member who undoes it, or did.
    #[serde(default)]
    pub undone_by: Option<MemberId>,
}

impl Import {
    /// Creates an import that can begin.
    pub fn new(kind: KindName, name: String, rows: u64) -> Self {
        Self {
            kind,
            name,
            rows,
            state: ImportState::Ready,
            position: TextPosition::default(),
            counts: ImportCounts::default(),
            checked: None,
            problems: Vec::new(),
            fault: None,
            parts: 0,
            check_parts: 0,
            change_parts: Vec::new(),
            undone_parts: 0,
            undone: 0,
            kept: 0,
            kept_ids: Vec::new(),
            kept_reasons: Vec::new(),
            made_fields: Vec::new(),
            left: Vec::new(),
            undone_by: None,
        }
    }

    /// Whether it has imported rows that can be undone, or tried again to undo.
    pub const fn is_undoable(&self) -> bool {
        match self.state {
            ImportState::Done | ImportState::Stopped | ImportState::Failed => true,
            ImportState::Undone => self.kept > 0,
            _ => false,
        }
    }

    /// Whether none of its rows stays.
    pub const fn is_wholly_undone(&self) -> bool {
        matches!(self.state, ImportState::Undone) && self.kept == 0
    }

    /// Forgets what a check found.
    pub fn forget_check(&mut self) {
        self.check_parts = 0;
        self.change_parts.clear();
        self.problems.clear();
    }
}

/// A custom field that was defined for an import.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MadeField {
    /// Its id.
    pub id: Id<CustomField>,
    /// Its name at that time.
    pub name: String,
}

/// What was made for an import and stays although the import was undone.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftBehind {
    /// The kind of a record; none for a custom field.
    pub kind: Option<KindName>,
    /// The id of the record or of the custom field.
    pub id: Uuid,
    /// The name of a custom field.
    pub name: Option<String>,
    /// Why it stays.
    pub reason: LeftReason,
}

/// Why something that was made for an import stays although the import was undone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Enum)]
#[oai(rename = "ImportLeftReason", rename_all = "lowercase")]
#[serde(rename_all = "snake_case")]
pub enum LeftReason {
    /// It was changed since.
    Changed,
    /// Other records have it, or saved views show it.
    Used,
    /// The author may not delete it.
    Forbidden,
}

impl LeftReason {
    /// Returns the reason why a record that was created for another one stays.
    pub const fn of(kept: KeptBecause) -> Self {
        match kept {
            KeptBecause::Changed => Self::Changed,
            KeptBecause::Used => Self::Used,
            KeptBecause::Forbidden => Self::Forbidden,
        }
    }
}

/// How far an import is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Enum)]
#[oai(rename = "ImportState", rename_all = "lowercase")]
#[serde(rename_all = "snake_case")]
pub enum ImportState {
    /// The file was uploaded, and nothing is imported yet.
    Ready,
    /// All rows are being tried without keeping anything.
    Checking,
    /// They were tried.
    Checked,
    /// The rows are being imported.
    Running,
    /// All rows were looked at.
    Done,
    /// It was stopped before its end.
    Stopped,
    /// The file could not be read to its end.
    Failed,
    /// It is being undone.
    Undoing,
    /// It was undone.
    Undone,
}

impl ImportState {
    /// Whether there is work left.
    pub const fn is_in_progress(self) -> bool {
        matches!(self, Self::Checking | Self::Running | Self::Undoing)
    }

    /// Whether its mapping can be changed, and it can begin.
    pub const fn is_open(self) -> bool {
        matches!(self, Self::Ready | Self::Checked)
    }
}

/// What became of the rows of an import.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Object)]
#[oai(rename = "ImportCounts")]
pub struct ImportCounts {
    /// Rows that have been looked at.
    pub done: u64,
    /// Rows that became new records.
    pub created: u64,
    /// Rows that changed a record.
    pub updated: u64,
    /// Rows whose record existed, and that changed nothing.
    pub skipped: u64,
    /// Rows that were refused.
    pub failed: u64,
}

impl ImportCounts {
    /// Counts what became of a row.
    pub fn add(&mut self, outcome: &RowOutcome) {
        self.done += 1;
        match outcome {
            RowOutcome::Created { .. } => self.created += 1,
            RowOutcome::Updated { .. } => self.updated += 1,
            RowOutcome::Skipped { .. } => self.skipped += 1,
            RowOutcome::Failed { .. } => self.failed += 1,
        }
    }
}

/// A row that was refused, or that was imported without a value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RowProblem {
    /// The number of the row as in a spreadsheet, or of the card.
    pub row: u64,
    /// What is wrong.
    pub fault: RowFault,
    /// Whether the row is imported without the value.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_warning: bool,
}

/// What is wrong with a row or with the file.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RowFault {
    /// The place of the column, from 0.
    pub column: Option<u16>,
    /// The key of the text.
    pub key: String,
    /// The parameters of the text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub params: Vec<(String, String)>,
    /// The beginning of the value of the column.
    pub value: Option<String>,
}

impl RowFault {
    /// Creates a fault of a column.
    pub fn at(column: u16, key: &str) -> Self {
        Self { column: Some(column), key: key.to_owned(), params: Vec::new(), value: None }
    }

    /// Creates a fault of a whole row or file.
    pub fn of(key: &str, params: &[(&'static str, String)]) -> Self {
        let params = params.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
        Self { column: None, key: key.to_owned(), params, value: None }
    }

    /// Creates a fault of the texts of an error.
    pub fn from_words(column: Option<u16>, words: &Words) -> Self {
        Self { column, ..Self::of(words.key, &words.params) }
    }

    /// Creates a fault of an error that names no field.
    pub fn from_error(error: &Error) -> Self {
        Self::of(&format!("errors.{}", error.code().as_str()), &[])
    }

    /// Returns the text in a language.
    pub fn text(&self, locale: Locale) -> String {
        let mut text = say(locale, &self.key, &[]);
        for (name, value) in &self.params {
            text = text.replace(&format!("{{{{{name}}}}}"), value);
        }
        text
    }
}

impl Record for Import {
    type Key = Self;
    const KIND: &'static str = "import";
    const TABLE: u16 = 70;
    fn lookups(record: &Stored<Self>, out: &mut Lookups) {
        if let Some(author) = record.created_by {
            out.multi(IMPORTS_BY_AUTHOR, author.as_bytes());
        }
        if record.state.is_in_progress() {
            out.multi(IMPORTS_IN_PROGRESS, []);
        }
    }
}
impl TenantRecord for Import {}

/// How the file of an import is read. Stored under the id of the import; apart from it, because it never changes while
/// the import runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ImportPlan {
    /// The path of the uploaded file. As long as this is stored, garbage collection keeps the file.
    pub path: String,
    /// The format.
    pub format: ImportFormat,
    /// The columns of the file.
    pub columns: Vec<ImportColumn>,
    /// The order of day, month and year in dates of numbers.
    pub date_order: DateOrder,
    /// The character before decimals.
    pub decimal_mark: DecimalMark,
    /// Whether a member said which one it is.
    #[serde(default, skip_serializing_if = "is_default")]
    pub is_mark_chosen: bool,
    /// What happens with rows whose record exists.
    pub duplicates: Duplicates,
}

impl ImportPlan {
    /// Returns the decimal mark of a column, if its values prove it, or a member said which one it is.
    pub fn proven_mark(&self, column: u16) -> Option<DecimalMark> {
        let column = self.columns.get(usize::from(column))?;
        self.is_mark_chosen.then_some(self.decimal_mark).or(column.decimal_mark)
    }
}

/// The format of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ImportFormat {
    /// Rows of cells.
    Csv(CsvDialect),
    /// Cards of contacts.
    Vcard(TextEncoding),
}

/// A column of a file.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ImportColumn {
    /// Its name in the file; empty without one.
    pub header: String,
    /// Some of its first values.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub samples: Vec<String>,
    /// The field that it goes to; none for a column that is not imported.
    pub target: Option<ColumnTarget>,
    /// The label of its e-mail addresses or phone numbers.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub label: String,
    /// The column that has the label in each row.
    pub label_column: Option<u16>,
    /// The column that has the country of its phone number in each row.
    pub country_column: Option<u16>,
    /// What its field was guessed from; none when a member chose it.
    pub guessed_from: Option<GuessedFrom>,
    /// The character before decimals, if its values prove it.
    pub decimal_mark: Option<DecimalMark>,
    /// Whether a value can be read with either decimal mark: `1,200`.
    #[serde(default, skip_serializing_if = "is_default")]
    pub is_ambiguous: bool,
    /// What some of its values become.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<ValueMatch>,
    /// The values that are no choices of its field, as the last check found them.
    #[serde(default, skip_serializing_if = "is_default")]
    pub unknown: UnknownValues,
}

/// What a value of a column becomes.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Object)]
#[oai(rename = "ImportValue", deny_unknown_fields, skip_serializing_if_is_none)]
pub struct ValueMatch {
    /// The value in the file, at most 200 characters. Its case and accents do not count.
    pub value: String,
    /// The id of a choice of the field, as `listImportFields` names them; absent when the value is left out.
    pub choice: Option<String>,
}

/// The values of a column that are no choices of its field.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnknownValues {
    /// Some of them, those of most rows first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub listed: Vec<UnknownValue>,
    /// How often the file has others.
    #[serde(default, skip_serializing_if = "is_default")]
    pub others: u64,
}

/// A value that the field of its column does not offer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Object)]
#[oai(rename = "ImportUnknownValue")]
pub struct UnknownValue {
    /// The value as the first row with it has it, clipped to 200 characters.
    pub value: String,
    /// How many rows have it.
    pub rows: u64,
}

/// What the field of a column was guessed from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Enum)]
#[oai(rename = "ImportGuessedFrom", rename_all = "lowercase")]
#[serde(rename_all = "snake_case")]
pub enum GuessedFrom {
    /// The name of the column.
    Header,
    /// Its first values.
    Content,
}

/// Where the values of a column go.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ColumnTarget {
    /// To a field, by its name: `fields.` and the key for a custom field.
    Field(String),
    /// To a custom field that is defined when the import begins.
    NewField {
        /// Its name.
        name: String,
        /// The type of its values.
        value_type: FieldType,
    },
}

/// What happens with rows whose record exists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Enum)]
#[oai(rename = "ImportDuplicates", rename_all = "lowercase")]
#[serde(rename_all = "snake_case")]
pub enum Duplicates {
    /// The record stays as it is, except that one without a name gets that of the row.
    #[default]
    Skip,
    /// The row changes the record. Empty cells change nothing, and lists are extended.
    Update,
    /// Another record is created.
    Add,
}

impl Record for ImportPlan {
    type Key = Import;
    const KIND: &'static str = "import_plan";
    const TABLE: u16 = 71;
    const LEDGER: bool = false;
}
impl TenantRecord for ImportPlan {}

/// What became of some of the rows of an import.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportPart {
    /// The import.
    pub import: Id<Import>,
    /// Its place among the parts.
    pub place: u32,
    /// The rows, with their numbers.
    pub rows: Vec<(u64, RowOutcome)>,
    /// Values that rows were imported without, with the numbers of the rows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<(u64, RowFault)>,
    /// The numbers of the rows that were undone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub undone: Vec<u64>,
}

/// What became of a row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RowOutcome {
    /// A record was created.
    Created {
        /// Its id.
        id: Id<()>,
        /// The digest of its contents; empty in imports of earlier versions.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        digest: String,
        /// Records that were created with it because it refers to them, with their `Record::KIND`.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        also: Vec<(String, Uuid)>,
        /// The digests of the contents of `also` in their order; empty in imports of earlier versions.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        also_digests: Vec<String>,
    },
    /// A record was changed.
    Updated {
        /// Its id.
        id: Id<()>,
        /// Its version after the change.
        version: u64,
        /// The digest of its contents after the change; empty in imports of earlier versions.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        digest: String,
        /// The patch that undoes it, as JSON.
        undo: String,
        /// As for a created one.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        also: Vec<(String, Uuid)>,
        /// As for a created one.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        also_digests: Vec<String>,
    },
    /// The record exists and was not changed.
    Skipped {
        /// Its id.
        id: Id<()>,
    },
    /// The row was refused.
    Failed {
        /// Why.
        faults: Vec<RowFault>,
    },
}

impl RowOutcome {
    /// Returns the id of the record of a row that exists and was not changed.
    pub const fn known(&self) -> Option<Id<()>> {
        match self {
            Self::Skipped { id } => Some(*id),
            _ => None,
        }
    }
}

#[cfg(test)]
impl ImportPart {
    /// Returns a part with each sort of outcome.
    pub fn of_row(import: Id<Import>) -> Self {
        let id = Id::from_bytes([7; 16]);
        let also = vec![("organization".to_owned(), Uuid::from_bytes([8; 16]))];
        let digest = "00112233445566778899aabbccddeeff".to_owned();
        let undo = "{\"name\":\"Ada\"}".to_owned();
        let also_digests = vec!["ffeeddccbbaa99887766554433221100".to_owned()];
        let updated = RowOutcome::Updated {
            id,
            version: 2,
            digest: digest.clone(),
            undo,
            also: also.clone(),
            also_digests: also_digests.clone(),
        };
        let value = Some("never".to_owned());
        let date = RowFault { value, ..RowFault::at(1, "errors.import.date") };
        let faults = vec![date, RowFault::of("errors.import.row", &[])];
        let outcomes = [
            RowOutcome::Created { id, digest, also, also_digests },
            updated,
            RowOutcome::Skipped { id },
            RowOutcome::Failed { faults },
        ];
        let warnings = vec![(3, RowFault::at(2, "errors.import.member"))];
        Self { import, place: 0, rows: (2..).zip(outcomes).collect(), warnings, undone: Vec::new() }
    }
}

impl Record for ImportPart {
    type Key = Self;
    const KIND: &'static str = "import_part";
    const TABLE: u16 = 72;
    const LEDGER: bool = false;
    fn lookups(record: &Stored<Self>, out: &mut Lookups) {
        out.multi(IMPORT_PARTS_BY_PLACE, part_place(record.import, record.place));
    }
}
impl TenantRecord for ImportPart {}

/// What a check found about some of the rows of an import. Those of an earlier check are replaced by the next one,
/// and removed while the rows are imported.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckPart {
    /// The import.
    pub import: Id<Import>,
    /// Its place among the parts.
    pub place: u32,
    /// What is wrong, in the order of the rows.
    pub problems: Vec<RowProblem>,
    /// The rows whose record exists and stays as it is, with its id.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub known: Vec<(u64, Id<()>)>,
    /// What rows would change of records that exist.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<CheckedChange>,
}

/// What a row would change of a record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckedChange {
    /// The number of the row.
    pub row: u64,
    /// The id of the record.
    pub id: Id<()>,
    /// What it is called.
    pub title: String,
    /// What changes, as texts.
    pub values: Vec<CheckedValue>,
}

/// What a row would change of a field.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckedValue {
    /// The name of the field in mappings.
    pub field: String,
    /// The beginning of the value that it has; empty without one.
    pub before: String,
    /// The beginning of the value that it gets.
    pub after: String,
}

#[cfg(test)]
impl CheckPart {
    /// Returns a part with a refused row, one that would be imported without a value, one whose record exists, and one
    /// that would change its record.
    pub fn of_row(import: Id<Import>) -> Self {
        let value = Some("never".to_owned());
        let date = RowFault { value, ..RowFault::at(1, "errors.import.date") };
        let member = RowFault::at(2, "errors.import.member");
        let problems = vec![
            RowProblem { row: 2, fault: date, is_warning: false },
            RowProblem { row: 3, fault: member, is_warning: true },
        ];
        let known = vec![(4, Id::from_bytes([4; 16]))];
        let value = CheckedValue { field: "title".to_owned(), before: "CFO".to_owned(), after: "CEO".to_owned() };
        let change =
            CheckedChange { row: 5, id: Id::from_bytes([5; 16]), title: "Ada".to_owned(), values: vec![value] };
        Self { import, place: 0, problems, known, changes: vec![change] }
    }
}

impl Record for CheckPart {
    type Key = Self;
    const KIND: &'static str = "import_check_part";
    const TABLE: u16 = 83;
    const LEDGER: bool = false;
    fn lookups(record: &Stored<Self>, out: &mut Lookups) {
        out.multi(CHECK_PARTS_BY_PLACE, part_place(record.import, record.place));
    }
}
impl TenantRecord for CheckPart {}
