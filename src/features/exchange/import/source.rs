//! The files of imports: what they have, and their rows one after the other.

use std::{
    collections::HashMap,
    fs::File,
    io::{BufReader, Seek as _, SeekFrom},
    path::Path,
};

use uuid::Uuid;

use super::model::{
    ColumnTarget, GuessedFrom, ImportColumn, ImportFormat, ImportPlan, RowFault, UnknownValues, ValueMatch,
};
use crate::{
    feature::{CustomField, ExchangeValue, RecordKind, exchange::MAX_IMPORT_ROWS},
    features::exchange::{PEOPLE, export, names::KindNames},
    formats::{
        BinaryFormat, CardKind, CardReader, ColumnGuess, ColumnMarks, ContactCard, CsvHints, CsvLimits, CsvReader,
        DateMarks, DateOrder, DecimalMark, FormatError, GuessedBy, Labelled, TextEncoding, TextPosition,
        detect_date_order, detect_decimal_mark, inspect_csv, inspect_vcard,
    },
    kernel::{
        Code, Error, Result, html,
        i18n::{Locale, say},
        text,
    },
    people::region::{DateFormat, Region},
    store::Stored,
};

/// Values of a column that are shown before an import.
const SAMPLES: usize = 3;
/// Maximum characters of them, and of the name of a column.
const SAMPLE_CHARS: usize = 100;

/// The columns of cards with a place of their own: their names, and the fields that they go to, if there is one. A file has
/// those of them that occur, and then those of all other properties with content.
const CARD_COLUMNS: [(&str, &str); 15] = [
    ("UID", "id"),
    ("FN", "name"),
    ("EMAIL", "email"),
    ("TEL", "phone"),
    ("ORG", "company"),
    ("TITLE", "title"),
    ("BDAY", "birthday"),
    ("ADR", "address"),
    ("URL", "links"),
    ("NOTE", "notes"),
    ("CATEGORIES", "tags"),
    ("ORG.UNIT", ""),
    ("NICKNAME", ""),
    ("X-ATRIUM-ABOUT", "about"),
    (OTHER_NAME, ""),
];
/// The column of full names of cards.
const FULL_NAME: &str = "FN";
/// The column of names in parts that are not the full names.
const OTHER_NAME: &str = "N";

/// A row of a file, or a card.
#[derive(Clone, Debug, Default)]
pub struct SourceRow {
    /// Its number as in a spreadsheet, or that of the card.
    pub number: u64,
    /// Its cells.
    pub cells: Vec<Cell>,
    /// The places of cells beyond the columns.
    pub extra: Vec<u16>,
    /// Further values for fields that have one.
    pub left_out: Vec<FurtherValue>,
    /// Whether a part of it is not in the encoding of the file, and was read in another one.
    pub is_mixed: bool,
    /// Why it cannot be read.
    pub fault: Option<RowFault>,
}

/// A further value for a field that has one.
#[derive(Clone, Debug)]
pub struct FurtherValue {
    /// The place of its column.
    pub column: u16,
    /// The place of the column of the value that is kept.
    pub kept_column: u16,
    /// The key of the text about it.
    pub key: &'static str,
    /// Its text.
    pub text: String,
}

/// A cell of a row.
#[derive(Clone, Debug)]
pub struct Cell {
    /// The place of its column, from 0.
    pub column: u16,
    /// Its text.
    pub text: String,
    /// Of notes in a card that was exported here: the same as HTML.
    pub html: Option<String>,
    /// The label of an e-mail address or a phone number, where the file has it in each row.
    pub label: Option<String>,
}

/// What an upload has.
#[derive(Debug)]
pub struct Inspection {
    /// The format.
    pub format: ImportFormat,
    /// The number of rows or cards.
    pub rows: u64,
    /// The columns, with a guess of their fields.
    pub columns: Vec<ImportColumn>,
    /// The order of day, month and year.
    pub date_order: DateOrder,
    /// The character before decimals.
    pub decimal_mark: DecimalMark,
}

/// What is known of the sender of a file when its mapping is guessed.
#[derive(Clone, Debug)]
pub struct Guesser {
    /// The kind of the records.
    pub kind: &'static RecordKind,
    /// The custom fields of the kind.
    pub fields: Vec<Stored<CustomField>>,
    /// The sender's region.
    pub region: Region,
    /// The sender's language, for labels of addresses and numbers.
    pub locale: Locale,
}

/// Reads a whole file: what it has, and whether it can be read to its end. Takes time in proportion to the file.
/// Errors: `invalid` at `file`.
pub fn inspect(path: &Path, guesser: &Guesser, hints: CsvHints) -> Result<Inspection> {
    let open = || File::open(path).map(BufReader::new).map_err(Error::internal);
    match inspect_vcard(open()?) {
        Ok(encoding) => {
            let encoding = hints.encoding.unwrap_or(encoding);
            let (rows, found) = inspect_cards(path, encoding)?;
            if guesser.kind.kind != PEOPLE {
                return Err(Error::field("file", "errors.import.cards_of_people"));
            }
            let columns = found.columns.into_iter().filter(|column| column.occurs);
            let columns = columns.map(|column| guesser.column_of_cards(column)).collect();
            return Ok(Inspection {
                format: ImportFormat::Vcard(encoding),
                rows,
                columns,
                date_order: DateOrder::YearMonthDay,
                decimal_mark: DecimalMark::Point,
            });
        }
        Err(FormatError::NoCards) => {}
        Err(error) => return Err(refusal(&error)),
    }
    let found = inspect_csv(open()?, hints, CsvLimits::default()).map_err(|error| refusal(&error))?;
    let format = ImportFormat::Csv(found.dialect.clone());
    let rows: Vec<&[String]> = found.rows.iter().map(|row| row.cells.as_slice()).collect();
    let guesses = guesser.guess(&found.header, &rows);
    let columns = (0..found.dialect.columns).map(|at| {
        let header = found.header.get(at).map(|name| clip_cell(name)).unwrap_or_default();
        let filled = rows.iter().filter_map(|row| row.get(at)).filter(|cell| !cell.trim().is_empty());
        let samples = filled.take(SAMPLES).map(|cell| clip_cell(cell)).collect();
        let (target, guess) = guesses.get(at).cloned().unwrap_or_default();
        let label = guess.label.map(|label| label_in(guesser.locale, label));
        let is_address = matches!(&target, Some(ColumnTarget::Field(name)) if guesser.is_address(name));
        let number = is_address.then(|| number_of_address(&header, &guess)).flatten();
        let label = label.or(number).unwrap_or_default();
        let companion = |column: Option<usize>| column.and_then(|column| u16::try_from(column).ok());
        let label_column = companion(guess.label_column);
        let country_column = companion(guess.country_column);
        let guessed_from = target.as_ref().map(|_| match guess.by {
            GuessedBy::Name => GuessedFrom::Header,
            GuessedBy::Values => GuessedFrom::Content,
        });
        let values = Vec::new();
        let unknown = UnknownValues::default();
        ImportColumn {
            header,
            samples,
            target,
            label,
            label_column,
            country_column,
            guessed_from,
            decimal_mark: None,
            is_ambiguous: false,
            values,
            unknown,
        }
    });
    let mut columns: Vec<ImportColumn> = columns.collect();
    take_as_first_name(&mut columns);
    take_as_parts(guesser.kind, &mut columns);
    read_numbered_choices(guesser.kind, &mut columns, &rows);
    leave_out_record_types(guesser.kind, &mut columns, &rows);
    let cells = || rows.iter().flat_map(|row| row.iter()).map(String::as_str);
    // The dots between the digits of phone numbers are no thousands.
    let is_phone = |at: usize| {
        let target = columns.get(at).and_then(|column| column.target.as_ref());
        matches!(target, Some(ColumnTarget::Field(name)) if guesser.is_phone(name))
    };
    let numbers = rows.iter().flat_map(|row| row.iter().enumerate()).filter(|(at, _)| !is_phone(*at));
    let decimal_mark =
        detect_decimal_mark(numbers.map(|(_, cell)| cell.as_str())).unwrap_or_else(|| usual_mark(&guesser.region));
    let mut marks = FileMarks { columns: vec![ColumnMarks::default(); columns.len()], dates: DateMarks::default() };
    let rows_of_file = count(path, &format, &mut marks)?;
    // One odd date far below does not contradict the first rows.
    let of_first = detect_date_order(cells()).filter(|order| *order != DateOrder::YearMonthDay);
    let date_order = of_first.or_else(|| marks.dates.proven()).unwrap_or_else(|| usual_order(&guesser.region));
    for (column, marks) in columns.iter_mut().zip(marks.columns) {
        column.decimal_mark = marks.proven();
        column.is_ambiguous = marks.is_ambiguous;
    }
    Ok(Inspection { format, rows: rows_of_file, columns, date_order, decimal_mark })
}

/// Returns a label that was guessed in a language.
fn label_in(locale: Locale, label: &str) -> String {
    say(locale, &format!("server.exchange.labels.{}", label.to_lowercase()), &[])
}

/// Returns the number that tells a second address apart, which stands before the name of its part: `Address 2 - City`.
fn number_of_address(header: &str, guess: &ColumnGuess) -> Option<String> {
    let number = guess.number.filter(|number| *number > 1)?.to_string();
    let (_, rest) = header.split_once(&number)?;
    rest.chars().any(char::is_alphabetic).then_some(number)
}

/// Takes a column "Name" beside one with last names as that of first names.
fn take_as_first_name(columns: &mut [ImportColumn]) {
    let field = |name: &str| Some(ColumnTarget::Field(name.to_owned()));
    let has = |name: &str| columns.iter().any(|column| column.target == field(name));
    if has("lastName")
        && !has("firstName")
        && let Some(column) = columns.iter_mut().find(|column| column.target == field("name"))
    {
        column.target = field("firstName");
    }
}

/// Tells apart columns whose names mean another thing beside others, as in the files of address books: `Title` beside
/// `Job Title` is a courtesy title, `Birth Day` beside `Birth Year` a day of a month, and `File As` beside the parts of a
/// name says nothing new.
fn take_as_parts(kind: &RecordKind, columns: &mut [ImportColumn]) {
    const JOB_TITLES: [&str; 8] =
        ["job title", "position", "organization title", "role", "occupation", "puesto", "cargo", "puesto de trabajo"];
    const TITLES: [&str; 2] = ["title", "titulo"];
    let has_field = |name: &str| kind.exchange.is_some_and(|ops| ops.fields.iter().any(|field| field.name == name));
    if !has_field("namePrefix") {
        return;
    }
    let field = |name: &str| Some(ColumnTarget::Field(name.to_owned()));
    let find = |columns: &[ImportColumn], target: &str, names: &[&str]| {
        let is_it = |column: &ImportColumn| {
            let name = text::fold(&column.header).replace(['-', '_', '.'], " ");
            column.target == (if target.is_empty() { None } else { field(target) }) && names.contains(&name.trim())
        };
        columns.iter().position(is_it)
    };
    let is_used = |columns: &[ImportColumn], target: &str| columns.iter().any(|column| column.target == field(target));
    let set = |columns: &mut [ImportColumn], at: usize, target: Option<ColumnTarget>| {
        if let Some(column) = columns.get_mut(at) {
            column.guessed_from = target.as_ref().map(|_| GuessedFrom::Header);
            column.target = target;
        }
    };
    if let (Some(title), Some(job)) = (find(columns, "title", &TITLES), find(columns, "", &JOB_TITLES)) {
        set(columns, job, field("title"));
        let prefix = if is_used(columns, "namePrefix") { None } else { field("namePrefix") };
        set(columns, title, prefix);
    }
    if is_used(columns, "yearOfBirth")
        && let Some(day) = find(columns, "birthday", &["birth day", "birthday"])
        && !is_used(columns, "dayOfBirth")
    {
        set(columns, day, field("dayOfBirth"));
    }
    if is_used(columns, "firstName")
        && let Some(name) = find(columns, "name", &["file as", "display name"])
    {
        set(columns, name, None);
    }
}

/// What numbers of a choice mean in files of other programs: names of columns by which such a file is known, and the
/// choices here.
type ProgramNumbers = (&'static [&'static str], [(&'static str, &'static str); 4]);

/// The names of columns of Todoist.
const TODOIST: &[&str] = &["type", "content", "priority"];
/// What priorities in numbers become. In Todoist and `ClickUp`, 1 is the most urgent.
const PROGRAM_PRIORITIES: [ProgramNumbers; 2] = [
    (TODOIST, [("1", "2"), ("2", "2"), ("3", "1"), ("4", "1")]),
    (&["task name", "task content", "priority"], [("1", "2"), ("2", "2"), ("3", "1"), ("4", "0")]),
];
/// Names of columns that tell the kind of a record.
const RECORD_TYPES: [&str; 6] = ["type", "contact type", "record type", "kind", "tipo", "tipo de contacto"];
/// What such columns say of people.
const PERSON_TYPES: [&str; 6] = ["person", "contact", "individual", "persona", "contacto", "particular"];
/// What such columns say of organizations.
const ORGANIZATION_TYPES: &[&str] =
    &["organization", "organisation", "company", "business", "organizacion", "empresa", "compania", "sociedad"];

/// What the type of a row of Todoist is that comments the task above.
const COMMENT_TYPES: &[&str] = &["note"];

/// Returns the place of a column by one of its names.
fn find_header(columns: &[ImportColumn], names: &[&str]) -> Option<usize> {
    columns.iter().position(|column| names.contains(&text::fold(column.header.trim()).as_str()))
}

/// Returns the values of a column among the first rows.
fn values_of<'r>(rows: &[&'r [String]], at: usize) -> Vec<&'r str> {
    let cells = rows.iter().filter_map(|row| row.get(at)).map(|cell| cell.trim());
    cells.filter(|cell| !cell.is_empty()).collect()
}

/// Says what choices that are written as numbers become, if the program is known: programs count them in either
/// direction. Of other files such a column is not imported unless a member says so.
fn read_numbered_choices(kind: &RecordKind, columns: &mut [ImportColumn], rows: &[&[String]]) {
    let fields = kind.exchange.map(|ops| ops.fields).unwrap_or_default();
    let is_of = |(names, _): &&ProgramNumbers| names.iter().all(|name| find_header(columns, &[*name]).is_some());
    let numbers = PROGRAM_PRIORITIES.iter().find(is_of).map(|(_, numbers)| *numbers);
    for (at, column) in columns.iter_mut().enumerate() {
        let Some(ColumnTarget::Field(name)) = &column.target else { continue };
        let is_numbered = |value: ExchangeValue| matches!(value, ExchangeValue::NumberedChoice(_));
        let values = values_of(rows, at);
        let are_numbers = !values.is_empty() && values.iter().all(|value| value.parse::<u32>().is_ok());
        if !are_numbers || !fields.iter().any(|field| field.name == name && is_numbered(field.value)) {
            continue;
        }
        if let Some(numbers) = numbers {
            let becomes =
                |(value, choice): (&str, &str)| ValueMatch { value: value.to_owned(), choice: Some(choice.to_owned()) };
            column.values = Vec::from(numbers.map(becomes));
        } else {
            column.target = None;
            column.guessed_from = None;
        }
    }
}

/// Takes a column that tells people from organizations as that, and not as their status.
fn leave_out_record_types(kind: &RecordKind, columns: &mut [ImportColumn], rows: &[&[String]]) {
    let Some(at) = find_header(columns, &RECORD_TYPES).filter(|_| kind.kind == PEOPLE) else { return };
    let is_type = |value: &&str| {
        let value = text::fold(value);
        PERSON_TYPES.contains(&value.as_str()) || ORGANIZATION_TYPES.contains(&value.as_str())
    };
    let values = values_of(rows, at);
    let are_types = !values.is_empty() && values.iter().all(is_type);
    if let Some(column) = columns.get_mut(at).filter(|_| are_types) {
        column.target = None;
        column.guessed_from = None;
    }
}

/// Rows that describe no record of the kind, by the texts of a column.
#[derive(Clone, Debug)]
pub struct OtherRows {
    column: u16,
    texts: &'static [&'static str],
    key: &'static str,
}

impl OtherRows {
    /// Finds those of a file: comments among tasks of Todoist, and organizations among people.
    pub fn find(kind: &RecordKind, columns: &[ImportColumn]) -> Option<Self> {
        let (at, texts, key) = if kind.kind == PEOPLE {
            let at = find_header(columns, &RECORD_TYPES)?;
            (at, ORGANIZATION_TYPES, "errors.import.card_of_group")
        } else {
            let is_todoist = TODOIST.iter().all(|name| find_header(columns, &[*name]).is_some());
            let at = find_header(columns, &["type"]).filter(|_| is_todoist)?;
            (at, COMMENT_TYPES, "errors.import.comment")
        };
        let is_free = columns.get(at).is_some_and(|column| column.target.is_none());
        let column = u16::try_from(at).ok().filter(|_| is_free)?;
        Some(Self { column, texts, key })
    }

    /// Returns why a row is not imported, if it is one of them.
    pub fn fault(&self, row: &SourceRow) -> Option<RowFault> {
        let cell = row.cells.iter().find(|cell| cell.column == self.column)?;
        let is_other = self.texts.contains(&text::fold(cell.text.trim()).as_str());
        is_other.then(|| RowFault { value: Some(clip_cell(&cell.text)), ..RowFault::at(self.column, self.key) })
    }
}

const fn usual_order(region: &Region) -> DateOrder {
    match region.date_format {
        DateFormat::Mdy => DateOrder::MonthDayYear,
        DateFormat::Dmy => DateOrder::DayMonthYear,
        DateFormat::Ymd => DateOrder::YearMonthDay,
    }
}

fn usual_mark(region: &Region) -> DecimalMark {
    // Countries that write month before day are those that write a point.
    if region.date_format == DateFormat::Mdy { DecimalMark::Point } else { DecimalMark::Comma }
}

/// Returns the beginning of a cell on one line, as columns are named and shown.
pub fn clip_cell(cell: &str) -> String {
    text::line(cell).chars().take(SAMPLE_CHARS).collect()
}

/// What all values of a file say of how it is read.
#[derive(Default)]
struct FileMarks {
    /// Of the decimal mark, by column.
    columns: Vec<ColumnMarks>,
    /// Of the order of dates.
    dates: DateMarks,
}

/// Counts the rows of a CSV file, and collects what they say of decimals and dates.
fn count(path: &Path, format: &ImportFormat, marks: &mut FileMarks) -> Result<u64> {
    let format = SourceFormat { format: format.clone(), places: HashMap::new() };
    let mut source = Source::open(path, &format, TextPosition::default()).map_err(|error| refusal(&error))?;
    let mut rows = 0;
    while let Some(row) = source.next().map_err(|error| refusal(&error))? {
        rows += 1;
        if rows > MAX_IMPORT_ROWS {
            return Err(refusal(&FormatError::TooManyRows { max: MAX_IMPORT_ROWS }));
        }
        for cell in row.cells {
            marks.dates.note(&cell.text);
            if let Some(column) = marks.columns.get_mut(usize::from(cell.column)) {
                column.note(&cell.text);
            }
        }
    }
    if rows == 0 { Err(refusal(&FormatError::Empty)) } else { Ok(rows) }
}

/// A column of the cards of a file.
#[derive(Debug)]
struct CardColumn {
    name: String,
    samples: Vec<String>,
    occurs: bool,
}

/// The columns of the cards of a file.
#[derive(Debug)]
struct CardColumns {
    columns: Vec<CardColumn>,
    places: HashMap<String, usize>,
}

impl CardColumns {
    /// Begins with the known columns, and only that of names is kept without values.
    fn new() -> Self {
        let mut columns = Self { columns: Vec::new(), places: HashMap::new() };
        for (name, _) in CARD_COLUMNS {
            columns.add(name, name == FULL_NAME);
        }
        columns
    }

    fn add(&mut self, name: &str, occurs: bool) -> usize {
        let place = self.columns.len();
        self.places.insert(name.to_owned(), place);
        self.columns.push(CardColumn { name: name.to_owned(), samples: Vec::new(), occurs });
        place
    }

    /// Notes a value of a card. A file has as many columns as one of CSV may have.
    fn note(&mut self, name: &str, text: &str) {
        let place = match self.places.get(name).copied() {
            Some(place) => place,
            None if self.columns.len() < CsvLimits::default().columns => self.add(name, true),
            None => return,
        };
        if let Some(column) = self.columns.get_mut(place) {
            column.occurs = true;
            if column.samples.len() < SAMPLES && !text.is_empty() {
                column.samples.push(clip_cell(text));
            }
        }
    }
}

/// Counts the cards of a file, and collects their columns with the first values.
fn inspect_cards(path: &Path, encoding: TextEncoding) -> Result<(u64, CardColumns)> {
    let file = File::open(path).map_err(Error::internal)?;
    let reader = CardReader::new(BufReader::new(file), encoding, TextPosition::default());
    let mut reader = reader.map_err(|error| refusal(&error))?;
    let mut found = CardColumns::new();
    let mut rows = 0;
    loop {
        let card = match reader.next_card() {
            Ok(None) => break,
            Ok(card) => card.filter(|card| card.kind == CardKind::Individual),
            Err(error) if is_of_card(&error) => None,
            Err(error) => return Err(refusal(&error)),
        };
        rows += 1;
        if rows > MAX_IMPORT_ROWS {
            return Err(refusal(&FormatError::TooManyRows { max: MAX_IMPORT_ROWS }));
        }
        if let Some(card) = card {
            let values = CardValues::of(card);
            values.kept.iter().for_each(|value| found.note(&value.name, &value.text));
            values.left_out.iter().for_each(|(name, text)| found.note(name, text));
        }
    }
    if rows == 0 { Err(refusal(&FormatError::Empty)) } else { Ok((rows, found)) }
}

impl Guesser {
    /// Returns a column of cards, which goes to the field of its property.
    fn column_of_cards(&self, CardColumn { name, samples, .. }: CardColumn) -> ImportColumn {
        let known = self.kind.exchange.map(|ops| ops.fields).unwrap_or_default();
        let target = CARD_COLUMNS.iter().find(|(column, _)| *column == name).map(|(_, target)| *target);
        let target = target.filter(|target| known.iter().any(|field| field.name == *target));
        ImportColumn {
            header: name,
            samples,
            target: target.map(|target| ColumnTarget::Field(target.to_owned())),
            label: String::new(),
            label_column: None,
            country_column: None,
            guessed_from: target.map(|_| GuessedFrom::Header),
            decimal_mark: None,
            is_ambiguous: false,
            values: Vec::new(),
            unknown: UnknownValues::default(),
        }
    }

    /// Whether a field of the kind has phone numbers.
    fn is_phone(&self, name: &str) -> bool {
        let own = self.kind.exchange.map(|ops| ops.fields).unwrap_or_default();
        own.iter().any(|field| field.name == name && matches!(field.value, ExchangeValue::Phones))
    }

    /// Whether a field of the kind has addresses of places.
    fn is_address(&self, name: &str) -> bool {
        let own = self.kind.exchange.map(|ops| ops.fields).unwrap_or_default();
        let is_it = |value: ExchangeValue| matches!(value, ExchangeValue::Address | ExchangeValue::AddressPart(_));
        own.iter().any(|field| field.name == name && is_it(field.value))
    }

    /// Returns the guess for each column, and the names of the fields that the guesses count.
    fn guess(&self, header: &[String], rows: &[&[String]]) -> Vec<(Option<ColumnTarget>, ColumnGuess)> {
        let names = KindNames::of(self.kind, self.fields.iter().map(|field| &field.value));
        let mut guesses = names.guess(header, rows);
        // Files of other programs call their own ids "ID".
        let external =
            names.position("externalId").filter(|external| guesses.iter().all(|guess| guess.target != Some(*external)));
        for (column, guess) in guesses.iter_mut().enumerate().filter(|(_, guess)| guess.target == names.position("id"))
        {
            let values = rows.iter().filter_map(|row| row.get(column)).map(|value| value.trim());
            let mut values = values.filter(|value| !value.is_empty()).peekable();
            if guess.target.is_some() && values.peek().is_some() && values.all(|value| value.parse::<Uuid>().is_err()) {
                guess.target = external;
            }
        }
        let guesses = guesses.into_iter();
        let target = |guess: &ColumnGuess| Some(ColumnTarget::Field(names.name_of(guess)?.to_owned()));
        guesses.map(|guess| (target(&guess), guess)).collect()
    }
}

/// How the rows of a file are read.
#[derive(Clone, Debug)]
pub struct SourceFormat {
    format: ImportFormat,
    /// The places of the columns of cards by their names.
    places: HashMap<String, u16>,
}

impl SourceFormat {
    /// Returns that of the file of a plan.
    pub fn of(plan: &ImportPlan) -> Self {
        let is_card = matches!(plan.format, ImportFormat::Vcard(_));
        let columns = (0..).zip(&plan.columns).filter(|_| is_card);
        let places = columns.map(|(place, column)| (column.header.clone(), place)).collect();
        Self { format: plan.format.clone(), places }
    }
}

/// The rows of a file, from a position on.
pub enum Source {
    /// Rows of cells.
    Csv(Box<CsvReader<BufReader<File>>>),
    /// Cards, and the places of their columns by name.
    Vcard(Box<CardReader<BufReader<File>>>, HashMap<String, u16>),
    /// No rows, while another thread reads.
    Closed,
}

impl Source {
    /// Opens a file at a position.
    pub fn open(path: &Path, format: &SourceFormat, position: TextPosition) -> Result<Self, FormatError> {
        let read = |error: std::io::Error| FormatError::Read(error.kind());
        let mut file = File::open(path).map_err(read)?;
        file.seek(SeekFrom::Start(position.offset)).map_err(read)?;
        let reader = BufReader::new(file);
        Ok(match &format.format {
            ImportFormat::Csv(dialect) => {
                Self::Csv(Box::new(CsvReader::new(reader, dialect.clone(), CsvLimits::default(), position)?))
            }
            ImportFormat::Vcard(encoding) => {
                let reader = CardReader::new(reader, *encoding, position)?;
                Self::Vcard(Box::new(reader), format.places.clone())
            }
        })
    }

    /// Returns the position after the last row.
    pub fn position(&self) -> TextPosition {
        match self {
            Self::Csv(reader) => reader.position(),
            Self::Vcard(reader, _) => reader.position(),
            Self::Closed => TextPosition::default(),
        }
    }

    /// Returns the next row; none at the end.
    pub fn next(&mut self) -> Result<Option<SourceRow>, FormatError> {
        match self {
            Self::Closed => Ok(None),
            Self::Csv(reader) => Ok(reader.next_row()?.map(|row| {
                let cell = |(column, text): (u16, String)| Cell { column, text, html: None, label: None };
                let first_extra = u16::try_from(row.cells.len()).unwrap_or(u16::MAX);
                let extra = (first_extra..).zip(&row.extra).filter(|(_, text)| !text.trim().is_empty());
                SourceRow {
                    number: row.number,
                    extra: extra.map(|(column, _)| column).take(1).collect(),
                    cells: (0..).zip(row.cells).map(cell).collect(),
                    left_out: Vec::new(),
                    is_mixed: row.is_mixed,
                    fault: row.unmatched.map(unmatched_quotes),
                }
            })),
            Self::Vcard(reader, places) => {
                let read = reader.next_card();
                let number = reader.position().row;
                match read {
                    Ok(card) => Ok(card.map(|card| card_row(number, card, places))),
                    Err(error) if is_of_card(&error) => {
                        Ok(Some(SourceRow { number, fault: Some(fault(&error)), ..SourceRow::default() }))
                    }
                    Err(error) => Err(error),
                }
            }
        }
    }
}

/// Refuses a row whose cell at this place may hold the rows below.
fn unmatched_quotes(column: usize) -> RowFault {
    RowFault::at(u16::try_from(column).unwrap_or(u16::MAX), "errors.import.unmatched_quotes")
}

/// The note of a card. One that was exported here has what it is made of beside it.
struct CardNotes {
    about: String,
    /// The note without what says who the person is.
    text: String,
    /// The same as HTML.
    html: Option<String>,
}

impl CardNotes {
    /// Divides the note of a card. What is beside a note that was changed elsewhere is of before the change.
    fn of(note: String, about: String, rich: String) -> Self {
        let is_unchanged = is_same_text(&note, &export::note_of(&about, &rich));
        let rest = export::notes_after(&note, &about).map(str::to_owned);
        match rest {
            _ if is_unchanged => Self { about, text: html::lines(&rich), html: text::filled(Some(rich)) },
            Some(rest) => Self { about, text: rest, html: None },
            None => Self { about: String::new(), text: note, html: None },
        }
    }
}

/// Whether two texts have the same words, whatever is between them.
pub fn is_same_text(one: &str, other: &str) -> bool {
    text::lines(one).split_whitespace().eq(text::lines(other).split_whitespace())
}

/// Whether a card cannot be read, while those after it can.
fn is_of_card(error: &FormatError) -> bool {
    matches!(
        error,
        FormatError::CardTooLarge { .. } | FormatError::UnclosedCard { .. } | FormatError::UnopenedCard { .. }
    )
}

/// A value of a card.
#[derive(Debug)]
struct CardValue {
    /// The name of its column.
    name: String,
    text: String,
    /// The same as HTML, of notes that were exported here.
    html: Option<String>,
    label: Option<String>,
    /// Whether it is data, such as a picture, and the text only its type.
    is_data: bool,
}

/// The values of the card of a person.
#[derive(Debug)]
struct CardValues {
    kept: Vec<CardValue>,
    /// Further values for fields that have one, by the names of their columns.
    left_out: Vec<(&'static str, String)>,
}

impl CardValues {
    fn of(card: ContactCard) -> Self {
        let uid = card.uid.strip_prefix("urn:uuid:").unwrap_or(&card.uid).to_owned();
        let is_own = uid.parse::<Uuid>().is_ok();
        let notes = CardNotes::of(card.note, card.about, card.rich_note);
        let single = [
            ("UID", if is_own { uid } else { String::new() }),
            (FULL_NAME, card.full_name),
            ("ORG", card.organization),
            ("ORG.UNIT", card.department),
            ("NICKNAME", card.nickname),
            ("TITLE", card.title),
            ("BDAY", card.birthday.map_or(card.other_birthday, |birthday| birthday.to_string())),
            ("X-ATRIUM-ABOUT", notes.about),
            ("CATEGORIES", export::list(card.categories.iter().map(String::as_str))),
            ("URL", card.urls.join("\n")),
        ];
        let value = |name: &str, text: String, label: Option<String>| {
            let name = name.to_owned();
            CardValue { name, text, html: None, label, is_data: false }
        };
        let mut kept: Vec<CardValue> = Vec::new();
        let single = single.into_iter().filter(|(_, text)| !text.trim().is_empty());
        kept.extend(single.map(|(name, text)| value(name, text, None)));
        if !notes.text.trim().is_empty() {
            kept.push(CardValue { html: notes.html, ..value("NOTE", notes.text, None) });
        }
        for (name, all) in [("EMAIL", card.emails), ("TEL", card.phones), ("ADR", card.addresses)] {
            let all = all.into_iter().filter(|one| !one.value.is_empty());
            kept.extend(all.map(|Labelled { value: text, label }| value(name, text, Some(label))));
        }
        let others = card.others.into_iter();
        kept.extend(others.map(|other| CardValue {
            name: other.name,
            text: other.text,
            html: None,
            label: None,
            is_data: other.is_data,
        }));
        Self { kept, left_out: card.left_out }
    }
}

fn card_row(number: u64, card: ContactCard, places: &HashMap<String, u16>) -> SourceRow {
    let mut row = SourceRow { number, is_mixed: card.is_mixed, ..SourceRow::default() };
    if card.kind != CardKind::Individual {
        row.fault = Some(RowFault::of("errors.import.card_of_group", &[]));
        return row;
    }
    let CardValues { kept, left_out } = CardValues::of(card);
    let place = |name: &str| places.get(name).copied();
    for value in kept.into_iter().filter(|value| !value.is_data) {
        let CardValue { name, text, html, label, .. } = value;
        row.cells.extend(place(&name).map(|column| Cell { column, text, html, label }));
    }
    for (name, text) in left_out {
        let (kept_name, key) = match name {
            OTHER_NAME => (FULL_NAME, "errors.import.other_name"),
            name => (name, "errors.import.second_value"),
        };
        if let (Some(column), Some(kept_column)) = (place(name), place(kept_name)) {
            row.left_out.push(FurtherValue { column, kept_column, key, text });
        }
    }
    row
}

/// Returns the key and the parameters of the text about a file that cannot be read.
fn words(error: &FormatError) -> (&'static str, Vec<(&'static str, String)>) {
    let at = |row: &u64| ("row", row.to_string());
    let most = |max: String| ("max", max);
    match error {
        FormatError::Read(_) => ("errors.internal", Vec::new()),
        FormatError::Empty => ("errors.import.empty", Vec::new()),
        FormatError::Binary(BinaryFormat::Spreadsheet) => ("errors.import.spreadsheet", Vec::new()),
        FormatError::Binary(_) | FormatError::NoCards => ("errors.import.binary", Vec::new()),
        FormatError::TooManyColumns { row, max } => ("errors.import.columns", vec![at(row), most(max.to_string())]),
        FormatError::CellTooLong { row, column, max } => {
            ("errors.import.cell", vec![at(row), ("column", column.to_string()), most(max.to_string())])
        }
        FormatError::RowTooLong { row, max } => ("errors.import.row", vec![at(row), most(max.to_string())]),
        FormatError::TooManyRows { max } => ("errors.import.rows", vec![most(max.to_string())]),
        FormatError::UnclosedQuote { row } => ("errors.import.quote", vec![at(row)]),
        FormatError::CardTooLarge { max, .. } => ("errors.import.card_size", vec![most((max >> 10).to_string())]),
        FormatError::UnclosedCard { .. } => ("errors.import.card_end", Vec::new()),
        FormatError::UnopenedCard { .. } => ("errors.import.card_begin", Vec::new()),
    }
}

/// Returns what is wrong with a file that cannot be read to its end.
pub fn fault(error: &FormatError) -> RowFault {
    let (key, params) = words(error);
    RowFault::of(key, &params)
}

/// Returns the refusal of an upload that cannot be read.
fn refusal(error: &FormatError) -> Error {
    if matches!(error, FormatError::Read(_)) {
        return Error::internal(format!("reading an import: {error:?}"));
    }
    let (key, params) = words(error);
    Error::new(Code::Invalid).and_field("file", key, params)
}
