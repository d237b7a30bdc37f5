//! Rows of a file as the bodies of calls: values are read, and what is wrong with them is named, before a write.

use std::{borrow::Cow, collections::HashMap};

use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};
use uuid::Uuid;

use super::{
    choices::{ChoiceNames, MatchedValue, NamedChoice, ValueMatches, clip},
    model::{ColumnTarget, Duplicates, ImportColumn, ImportFormat, ImportPlan, RowFault},
    source::{Cell, OtherRows, SourceRow, clip_cell},
};
use crate::{
    feature::{
        Choice, CustomField, DayPart, ExchangeField, ExchangeValue, FieldType, ImpliedValue, MatchKeys, RecordKind,
        exchange::{ReferenceKey, set_value_at, value_at},
        fields_in_use,
        matching::{Place, host_of},
    },
    features::{
        customers::clean_notes,
        exchange::export::decimal,
        find_kind,
        organizations::{Email, Phone},
    },
    formats::{
        DateOrder, Decimal, DecimalMark, MoneyAmount, NoValue, no_value, parse_birthday, parse_boolean,
        parse_checklist, parse_currency, parse_day, parse_day_of_moment, parse_list, parse_money, parse_number,
        parse_time,
    },
    kernel::{Day, Error, MemberId, Result, Timestamp, countries::country_code, hex, html, i18n::Locale, phone, text},
    people::{
        members::{ActiveMember, MemberRecord},
        region::Region,
    },
    store::{Stored, TenantRead},
};

/// Maximum faults that are kept of a row.
const MAX_FAULTS: usize = 20;
/// Maximum addresses, numbers, tags and links that are read of a row each: more than a record may have.
const MAX_ENTRIES: usize = 100;
/// Maximum characters of a value beside what is wrong with it.
pub const MAX_VALUE: usize = 200;

/// How mail programs say that an address is one of e-mail.
const DELIVERIES: [&str; 5] = ["SMTP", "smtp", "EX", "X400", "INTERNET"];
/// Maximum digits of the extension of a phone number.
const MAX_EXTENSION_DIGITS: usize = 6;
/// What address books write between several values of a cell.
const BETWEEN_VALUES: &str = ":::";
/// Maximum members of a cell that are looked for.
const MAX_NAMES: usize = 20;
/// The choice of a checked box.
const YES: &str = "true";

/// A row as the body of a call.
#[derive(Clone, Debug, Default)]
pub struct Draft {
    /// The number of the row.
    pub row: u64,
    /// The members of the body.
    pub values: Map<String, Value>,
    /// The records that it refers to, which are looked for in the write.
    pub references: Vec<Reference>,
    /// What finds the record that it describes.
    pub keys: MatchKeys,
    /// What is wrong with the row.
    pub faults: Vec<RowFault>,
    /// Values that are left out, although the row is imported.
    pub warnings: Vec<RowFault>,
    /// The values that are no choices of their fields, with their columns, whatever becomes of them.
    pub unknown: Vec<(u16, String)>,
    /// Values as they are kept, by column: dates, numbers and amounts.
    pub shown: Vec<(u16, String)>,
    /// The columns of the members of the body.
    columns: Vec<(Cow<'static, str>, u16)>,
    /// The columns of the entries of lists.
    entries: Vec<(u16, String)>,
    /// The beginnings of the cells, by their columns.
    cells: Vec<(u16, String)>,
    /// The note of a card that has nothing beside it.
    pub card_note: Option<String>,
    /// The amounts without a currency.
    pub loose_amounts: Vec<LooseAmount>,
    /// Of a row with no street and no whole address: the parts of one that it has.
    pub address_part: Option<AddressPart>,
    /// Whether the row has no name, and is called by something else that it has.
    pub is_name_made: bool,
    /// What the row lacks, without which no record can be created.
    missing: Option<RowFault>,
}

/// An amount without a currency: that of the amount that the record has, or else that of the author's region.
#[derive(Clone, Debug)]
pub struct LooseAmount {
    /// Where the body has it.
    pub path: String,
    /// The column.
    pub column: u16,
    text: String,
    proven: Option<DecimalMark>,
    usual: DecimalMark,
}

impl LooseAmount {
    /// Reads the amount in a currency, with its decimals.
    pub fn in_currency(&self, currency: &str) -> Option<Value> {
        parse_money(&self.text, self.proven, self.usual, currency).as_ref().map(money)
    }
}

/// Parts of an address without a street, such as a city, which do not replace an address.
#[derive(Clone, Debug)]
pub struct AddressPart {
    /// Where the body has the address.
    pub path: &'static str,
    /// The columns of the parts and their texts.
    pub cells: Vec<(u16, String)>,
}

/// A record that a row refers to.
#[derive(Clone, Debug)]
pub struct Reference {
    /// Where the body has its id.
    pub path: &'static str,
    /// Its kind.
    pub kind: &'static RecordKind,
    /// What finds it.
    pub key: ReferenceKey,
    /// Whether it is created if there is none.
    pub creates: bool,
    /// The column.
    column: u16,
}

impl Reference {
    /// Returns what is wrong with it.
    pub fn fault(&self, key: &str) -> RowFault {
        RowFault::at(self.column, key)
    }
}

impl Draft {
    /// Returns about how many values a write looks up and indexes for the row.
    pub fn value_count(&self) -> usize {
        let lists = self.values.values().filter_map(Value::as_array);
        self.keys.count() + self.references.len() + lists.map(Vec::len).sum::<usize>()
    }

    /// Returns the column of a field that a call names, such as `details.emails.0.email`.
    pub fn column_of(&self, path: &str) -> Option<u16> {
        let is_at = |known: &str| path == known || path.strip_prefix(known).is_some_and(|rest| rest.starts_with('.'));
        self.columns.iter().find(|(known, _)| is_at(known)).map(|(_, column)| *column)
    }

    /// Returns the column of a value that a call refuses at a path: of an entry of a list, its own one.
    pub fn column_of_value(&self, path: &str, value: &str) -> Option<u16> {
        let entry = self.entries.iter().find(|(_, entry)| entry == value).map(|(column, _)| *column);
        entry.or_else(|| self.column_of(path))
    }

    /// Returns faults with the values of their columns, at most as many as are kept of a row.
    pub fn with_values(&self, faults: Vec<RowFault>) -> Vec<RowFault> {
        let value = |column: u16| self.cells.iter().find(|(known, _)| *known == column).map(|(_, text)| text.clone());
        let with_value = |mut fault: RowFault| {
            fault.value = fault.value.take().or_else(|| fault.column.and_then(value));
            fault
        };
        faults.into_iter().take(MAX_FAULTS).map(with_value).collect()
    }

    /// Returns what a row lacks to become a record.
    pub fn missing(&self) -> Option<RowFault> {
        self.missing.clone()
    }

    /// Refuses the row.
    fn fault(&mut self, column: u16, key: &str) {
        self.faults.push(RowFault::at(column, key));
    }

    /// Leaves out the value of a column, which cannot be kept, and says so.
    fn leave_out(&mut self, column: u16, key: &str) {
        self.warnings.push(RowFault::at(column, key));
    }

    /// Leaves out the entries of a list that are too many to be looked at, and says so.
    fn keep_some<T>(&mut self, column: u16, entries: &mut Vec<T>) {
        if entries.len() > MAX_ENTRIES {
            entries.truncate(MAX_ENTRIES);
            let words = RowFault::of("errors.fields.too_many", &[("max", MAX_ENTRIES.to_string())]);
            self.warnings.push(RowFault { column: Some(column), ..words });
        }
    }

    /// Leaves out an entry of the values of a column.
    fn leave_out_entry(&mut self, column: u16, key: &str, value: &str) {
        let value = Some(value.chars().take(MAX_VALUE).collect());
        self.warnings.push(RowFault { value, ..RowFault::at(column, key) });
    }
}

/// The members of a company by e-mail address and by folded name.
#[derive(Debug, Default)]
struct Directory(HashMap<String, Option<MemberId>>);

impl Directory {
    fn read(tx: &TenantRead<'_>) -> Result<Self> {
        let mut members = HashMap::new();
        tx.each(|member: Stored<MemberRecord>| {
            members.insert(member.email.clone(), Some(member.id));
            // A name that several have belongs to none of them.
            members.entry(text::fold(&member.name)).and_modify(|known| *known = None).or_insert(Some(member.id));
            Ok(())
        })?;
        Ok(Self(members))
    }

    /// Returns the member with this e-mail address or name, or the first of several that is one, and why the others are
    /// left out.
    fn find_any<'t>(&self, typed: &'t str) -> (Option<MemberId>, Vec<(&'t str, &'static str)>) {
        if let Some(id) = self.find(typed) {
            return (Some(id), Vec::new());
        }
        let mut found = None;
        let mut left_out = Vec::new();
        let names = typed.split([',', ';', '\n']).map(str::trim).filter(|name| !name.is_empty());
        for name in names.take(MAX_NAMES) {
            match self.find(name) {
                Some(id) if found.is_none() || found == Some(id) => found = Some(id),
                Some(_) => left_out.push((name, "errors.import.second_value")),
                None => left_out.push((name, "errors.import.member")),
            }
        }
        (found, left_out)
    }

    /// Returns the member with this e-mail address or name.
    fn find(&self, typed: &str) -> Option<MemberId> {
        let key = text::email(typed).unwrap_or_else(|| text::fold(typed));
        self.0.get(&key).copied().flatten()
    }
}

/// A field that a column goes to.
#[derive(Clone, Debug)]
enum Target {
    Own(&'static ExchangeField),
    Custom(Box<CustomField>),
}

/// Reads the rows of an import.
pub struct DraftReader {
    kind: &'static RecordKind,
    fields: &'static [ExchangeField],
    implied: &'static [ImpliedValue],
    targets: Vec<Option<(Target, String)>>,
    /// By column.
    choices: HashMap<u16, ChoiceNames>,
    values: ValueMatches,
    members: Directory,
    other_rows: Option<OtherRows>,
    plan: ImportPlan,
    /// The number of columns up to the last one that the header names; all without a header.
    named_columns: usize,
    region: Region,
    timezone: String,
    now: Timestamp,
    today: Day,
}

impl DraftReader {
    /// Prepares reading the rows of a plan for its author.
    pub fn new(
        tx: &TenantRead<'_>,
        kind: &'static RecordKind,
        plan: ImportPlan,
        author: &ActiveMember,
        now: Timestamp,
    ) -> Result<Self> {
        let ops = kind.exchange.ok_or_else(|| Error::internal("a kind that is not imported"))?;
        let locale = author.locale();
        let custom = fields_in_use(tx, kind.kind)?;
        let targets: Vec<Option<(Target, String)>> = plan
            .columns
            .iter()
            .map(|column| Some((target(column.target.as_ref()?, ops.fields, &custom)?, column.label.clone())))
            .collect();
        let mut choices = HashMap::new();
        for (column, target) in (0..).zip(&targets) {
            let names = match target {
                Some((Target::Own(field), _)) => match field.value {
                    ExchangeValue::Choice(of) | ExchangeValue::NumberedChoice(of) => {
                        let others = Locale::codes().into_iter().filter_map(Locale::parse).filter(|one| *one != locale);
                        let languages = std::iter::once(locale).chain(others).map(|language| of(tx, language));
                        ChoiceNames::of(languages.collect::<Result<Vec<_>>>()?)
                    }
                    _ => continue,
                },
                Some((Target::Custom(field), _)) if field.value_type.has_choices() => {
                    let name = |choice: &Choice| (choice.key.clone(), choice.name.clone());
                    ChoiceNames::of([field.choices.iter().map(name).collect()])
                }
                _ => continue,
            };
            choices.insert(column, names);
        }
        Ok(Self {
            kind,
            fields: ops.fields,
            implied: ops.implied,
            targets,
            choices,
            values: ValueMatches::of(&plan.columns),
            members: Directory::read(tx)?,
            named_columns: count_named(&plan),
            other_rows: OtherRows::find(kind, &plan.columns).filter(|_| matches!(plan.format, ImportFormat::Csv(_))),
            region: author.region(),
            timezone: author.timezone().to_owned(),
            now,
            today: now.day_in(author.timezone()),
            plan,
        })
    }

    /// Whether e-mail addresses can say which record a row describes.
    pub fn recognizes_addresses(&self) -> bool {
        let is_email = |target: &Option<(Target, String)>| match target {
            Some((Target::Own(field), _)) => matches!(field.value, ExchangeValue::Emails),
            _ => false,
        };
        self.plan.duplicates != Duplicates::Add && self.targets.iter().any(is_email)
    }

    /// Reads a row.
    pub fn read(&self, row: &SourceRow) -> Draft {
        let mut draft = Draft { row: row.number, ..Draft::default() };
        draft.faults.extend(row.fault.clone());
        if self.is_header(row) {
            draft.faults.push(RowFault::of("errors.import.repeated_header", &[]));
            return draft;
        }
        draft.faults.extend(self.other_rows.as_ref().and_then(|other| other.fault(row)));
        if row.is_mixed {
            draft.warnings.push(RowFault::of("errors.import.mixed_encoding", &[]));
        }
        let mut parts = Parts::default();
        for further in row.left_out.iter().filter(|further| self.is_mapped(further.kept_column)) {
            draft.leave_out_entry(further.column, further.key, &further.text);
        }
        for cell in &row.cells {
            let text = cell.text.trim();
            let Some(Some((target, label))) = self.targets.get(usize::from(cell.column)) else {
                if !text.is_empty() && self.is_unnamed(cell.column) {
                    draft.leave_out_entry(cell.column, "errors.import.unnamed_column", text);
                }
                continue;
            };
            if text.is_empty() || self.is_without_value(&mut draft, target, cell.column, text) {
                continue;
            }
            draft.cells.push((cell.column, text.chars().take(MAX_VALUE).collect()));
            let of_row = self.companion(row, cell.column, |column| column.label_column);
            // Address books put a star before the labels that they offer, and the way of delivery in place of one.
            let of_row = of_row.map(|text| text.trim_start_matches("* ")).filter(|text| !text.is_empty());
            let of_row = of_row.filter(|text| !DELIVERIES.contains(text));
            let label = cell.label.as_deref().or(of_row).unwrap_or(label);
            match target {
                Target::Own(field) => {
                    let known = parts.phones.len();
                    let text = self.keep_first(&mut draft, field, cell.column, &cell.text);
                    self.read_own(&mut draft, &mut parts, field, label, (cell, text));
                    let country = self.companion(row, cell.column, |column| column.country_column);
                    let country = country.and_then(country_code);
                    parts.phones.iter_mut().skip(known).for_each(|phone| phone.country.clone_from(&country));
                    draft.keep_some(cell.column, &mut parts.emails);
                    draft.keep_some(cell.column, &mut parts.phones);
                    draft.keep_some(cell.column, &mut parts.tags);
                    draft.keep_some(cell.column, &mut parts.links);
                }
                Target::Custom(field) => self.read_custom(&mut draft, field, cell.column, &cell.text),
            }
        }
        // First of all: the cells of such a row are often in the wrong columns.
        let extra = row.extra.iter().map(|column| RowFault::at(*column, "errors.import.extra_cell"));
        draft.faults.splice(0..0, extra);
        self.finish(&mut draft, parts);
        if draft.keys.import_key.is_none() && draft.keys.id.is_none() && draft.keys.external_id.is_none() {
            draft.keys.import_key = Some(self.digest_of(row));
        }
        let warnings = std::mem::take(&mut draft.warnings);
        draft.warnings = draft.with_values(warnings);
        draft
    }

    /// Whether a row repeats the names of the columns, as where files were joined.
    fn is_header(&self, row: &SourceRow) -> bool {
        let has_header = matches!(&self.plan.format, ImportFormat::Csv(dialect) if dialect.has_header);
        let columns = &self.plan.columns;
        has_header
            && row.extra.is_empty()
            && columns.iter().any(|column| !column.header.is_empty())
            && row.cells.len() == columns.len()
            && row.cells.iter().zip(columns).all(|(cell, column)| clip_cell(&cell.text) == column.header)
    }

    /// Returns the first of several values of a cell whose field has one, and says what is left out.
    fn keep_first<'t>(&self, draft: &mut Draft, field: &ExchangeField, column: u16, cell: &'t str) -> &'t str {
        let has_one = match field.value {
            ExchangeValue::Text => !field.is_required && field.name != "externalId",
            ExchangeValue::RecordName(_) | ExchangeValue::NewRecordName(_) => true,
            _ => false,
        };
        if !has_one || self.is_card() || !cell.contains(BETWEEN_VALUES) {
            return cell;
        }
        let mut values = several_values(cell).map(|(_, value)| value);
        let first = values.next().unwrap_or(cell);
        for value in values.filter(|value| *value != first) {
            draft.leave_out_entry(column, "errors.import.second_value", value);
        }
        first
    }

    /// Whether a cell has no value. Of those with an error of a spreadsheet, the draft says so.
    ///
    /// People and records may be called as programs call no value, and a choice, too.
    fn is_without_value(&self, draft: &mut Draft, target: &Target, column: u16, text: &str) -> bool {
        let Some(found) = no_value(text) else { return false };
        match found {
            NoValue::SpreadsheetError => draft.leave_out_entry(column, "errors.import.spreadsheet_error", text),
            NoValue::Placeholder if self.is_named(target, column, text) => return false,
            NoValue::Placeholder => {}
        }
        draft.shown.push((column, String::new()));
        true
    }

    /// Whether a placeholder is a name, a word of one, or a choice.
    fn is_named(&self, target: &Target, column: u16, text: &str) -> bool {
        let is_of_name = |field: &ExchangeField| match field.value {
            ExchangeValue::NamePart(_) => text.eq_ignore_ascii_case("null"),
            _ => field.is_required,
        };
        matches!(target, Target::Own(field) if is_of_name(field))
            || self.choice(column, text).is_ok()
            || self.values.find(column, text).is_some()
    }

    /// Whether a column stands behind those that the header names, and goes nowhere.
    fn is_unnamed(&self, column: u16) -> bool {
        let at = usize::from(column);
        at >= self.named_columns && self.plan.columns.get(at).is_some_and(|column| column.target.is_none())
    }

    /// Whether a column goes to a field.
    fn is_mapped(&self, column: u16) -> bool {
        self.targets.get(usize::from(column)).is_some_and(Option::is_some)
    }

    /// Returns what identifies a row of a kind without fields that do: all that it has, wherever its columns go.
    fn digest_of(&self, row: &SourceRow) -> String {
        let mut sum = Sha256::new_with_prefix(self.kind.kind);
        for cell in row.cells.iter().filter(|cell| !cell.text.trim().is_empty()) {
            let header = self.plan.columns.get(usize::from(cell.column)).map_or("", |column| column.header.as_str());
            for text in [header, cell.text.trim()] {
                sum.update(text);
                sum.update([0]);
            }
        }
        row_key(sum)
    }

    fn read_own(
        &self,
        draft: &mut Draft,
        parts: &mut Parts,
        field: &'static ExchangeField,
        label: &str,
        (cell, text): (&Cell, &str),
    ) {
        let column = cell.column;
        let text = text.trim();
        draft.columns.push((Cow::Borrowed(field.path), column));
        if field.identifies {
            parts.identity.push((field.path, text::fold(text)));
        }
        let set = |draft: &mut Draft, value: Value| set_value_at(&mut draft.values, field.path, value);
        match field.value {
            ExchangeValue::Id => match text.parse() {
                Ok(id) => draft.keys.id = Some(id),
                Err(_) => draft.fault(column, "errors.import.id"),
            },
            ExchangeValue::Text => set(draft, Value::from(text::line(text))),
            ExchangeValue::LongText => parts.texts.push((field.path, label.to_owned(), text.to_owned())),
            ExchangeValue::Html => self.read_notes(draft, field, cell),
            ExchangeValue::NamePart(place) => parts.name.push((place, text::line(text))),
            ExchangeValue::Address => {
                self.add_addresses(parts, (0, field.name), (column, label), text);
            }
            ExchangeValue::AddressPart(place) => {
                if self.add_addresses(parts, (place, field.name), (column, label), text) {
                    parts.address_cells.push((column, text.to_owned()));
                }
            }
            ExchangeValue::DayPart(part) => parts.day.push((part, field.path, column, text.to_owned())),
            ExchangeValue::Emails => parts.emails.extend(read_emails(draft, text, label, column)),
            ExchangeValue::Phones => {
                // A card has a property for each number.
                let numbers = if self.is_card() { vec![text] } else { several_numbers(text) };
                parts.phones.extend(read_phones(draft, numbers, label, column));
            }
            ExchangeValue::Tags => parts.tags.extend(read_list(&cell.text)),
            ExchangeValue::Checklist => {
                let mut items = parse_checklist(text);
                draft.keep_some(column, &mut items);
                let item =
                    |(title, completed): (String, bool)| serde_json::json!({ "title": title, "completed": completed });
                set(draft, items.into_iter().map(item).collect());
            }
            ExchangeValue::Links => {
                for link in text.lines().flat_map(|line| line.split(BETWEEN_VALUES)).filter_map(link) {
                    draft.entries.extend(link["url"].as_str().map(|url| (column, url.to_owned())));
                    parts.links.push(link);
                }
            }
            ExchangeValue::Day | ExchangeValue::Birthday | ExchangeValue::EndTime { .. } | ExchangeValue::EndDay => {
                self.read_date(draft, parts, field, column, text);
            }
            ExchangeValue::Checkbox => {
                if let Some(value) = self.checkbox(draft, column, text) {
                    set(draft, value);
                }
                self.note_end(parts, field, column, text);
            }
            ExchangeValue::Money => parts.money = Some((field.path, column, text.to_owned())),
            ExchangeValue::Currency => parts.currency = Some((column, parse_currency(text, &self.region.currency))),
            ExchangeValue::Choice(_) => {
                if let Some(implied) = self.implied_by(field, column, text) {
                    parts.implied.push(implied);
                } else if let Some(id) = self.matched(draft, column, text, self.choice(column, text)) {
                    set(draft, Value::from(id));
                }
            }
            ExchangeValue::NumberedChoice(_) => {
                let id = self.matched(draft, column, text, self.choice(column, text));
                if let Some(number) = id.and_then(|id| id.parse::<u8>().ok()) {
                    set(draft, Value::from(number));
                }
            }
            ExchangeValue::Member => match self.members.find_any(text) {
                (Some(id), left_out) => {
                    set(draft, Value::from(id.to_string()));
                    for (name, key) in left_out {
                        draft.leave_out_entry(column, key, name);
                    }
                }
                // The record is worth more than its owner, who may have left or be of another company.
                (None, _) => draft.leave_out(column, "errors.import.member"),
            },
            ExchangeValue::Record(kind) => match (find_kind(kind), text.parse()) {
                (Some(kind), Ok(id)) => parts.refer(field.path, kind, ReferenceKey::Id(id), (false, column)),
                _ => draft.fault(column, "errors.import.id"),
            },
            ExchangeValue::RecordName(kind) | ExchangeValue::NewRecordName(kind) => {
                let creates = matches!(field.value, ExchangeValue::NewRecordName(_));
                let key = text::email(text).map_or_else(|| ReferenceKey::Name(text::line(text)), ReferenceKey::Email);
                if let Some(kind) = find_kind(kind) {
                    parts.refer(field.path, kind, key, (creates, column));
                }
            }
        }
    }

    /// Reads notes: those of a card are text, unless it has the same as HTML.
    fn read_notes(&self, draft: &mut Draft, field: &ExchangeField, cell: &Cell) {
        let clean = match &cell.html {
            Some(html) => clean_notes(html),
            None => notes(cell.text.trim(), self.is_card()),
        };
        match clean {
            Ok(Some(clean)) => set_value_at(&mut draft.values, field.path, Value::from(clean)),
            Ok(None) => {}
            Err(error) => {
                let words = error.fields().first().map(|(_, words)| RowFault::from_words(Some(cell.column), words));
                draft.warnings.push(words.unwrap_or_else(|| RowFault::at(cell.column, "errors.invalid")));
            }
        }
        if self.is_card() && cell.html.is_none() {
            draft.card_note = Some(cell.text.trim().to_owned());
        }
    }

    /// Reads a day: that of a moment is the one in the reader's time zone.
    fn day(&self, text: &str) -> Option<Day> {
        self.day_of_moment(text).or_else(|| parse_day(text, self.plan.date_order))
    }

    fn day_of_moment(&self, text: &str) -> Option<Day> {
        parse_day_of_moment(text, self.plan.date_order, &self.timezone)
    }

    /// Reads a day, a birthday or a time.
    fn read_date(&self, draft: &mut Draft, parts: &mut Parts, field: &'static ExchangeField, column: u16, text: &str) {
        let day = self.day(text);
        let birthday = || match self.day_of_moment(text) {
            Some(day) => Some(day.into()),
            None => parse_birthday(text, self.plan.date_order, self.today),
        };
        let read = match field.value {
            ExchangeValue::EndTime { .. } => {
                match self.end_time(text) {
                    // Several columns say the same, or only one of them is filled.
                    Ok(at) => parts.end.time = parts.end.time.or(Some((column, at))),
                    Err(key) => draft.leave_out(column, key),
                }
                return;
            }
            ExchangeValue::EndDay if day.is_some() => {
                parts.end.day = day.map(|day| (field.path, column, day, self.end_time(text)));
                return;
            }
            ExchangeValue::Birthday => birthday().map(|birthday| birthday.to_string()),
            _ => day.map(|day| day.to_string()),
        };
        match read {
            Some(value) => {
                draft.shown.push((column, value.clone()));
                set_value_at(&mut draft.values, field.path, Value::from(value));
            }
            None if birthday().is_some() => draft.leave_out(column, "errors.import.no_year"),
            None => draft.leave_out(column, "errors.import.date"),
        }
    }

    /// Reads the time at which a record ended, or returns the key of the text about one that cannot be it.
    fn end_time(&self, text: &str) -> Result<Timestamp, &'static str> {
        let at = parse_time(text, self.plan.date_order, &self.timezone).ok_or("errors.import.date")?;
        if at.day_in(&self.timezone) < Day::PLANNED.0 {
            // Programs write the year 1 for a time that there is not.
            Err("errors.import.date")
        } else if at <= self.now {
            Ok(at)
        } else if at.day_in(&self.timezone) == self.today {
            Ok(self.now)
        } else {
            Err("errors.fields.in_future")
        }
    }

    /// Takes a date in place of a yes as the time at which a record ended.
    fn note_end(&self, parts: &mut Parts, field: &ExchangeField, column: u16, text: &str) {
        let is_of_field =
            |one: &ExchangeField| matches!(one.value, ExchangeValue::EndTime { state, .. } if state == field.path);
        if self.fields.iter().any(is_of_field)
            && parse_boolean(text).is_none()
            && let Ok(at) = self.end_time(text)
        {
            parts.end.time = parts.end.time.or(Some((column, at)));
        }
    }

    /// Keeps when a record ended, if its state says that it did. A row with such a time and without a state is of a record
    /// that ended if the state is a yes or no.
    fn finish_end(&self, draft: &mut Draft, end: RecordEnd) {
        let ends = self.fields.iter().find_map(|field| match field.value {
            ExchangeValue::EndTime { state, open } => Some((field.path, state, open)),
            _ => None,
        });
        let Some((path, state, open)) = ends else { return };
        if let Some((expected, column, day, _)) = end.day
            && value_at(&draft.values, expected).is_none()
        {
            draft.shown.push((column, day.to_string()));
            set_value_at(&mut draft.values, expected, Value::from(day.to_string()));
        }
        let is_checkbox = |field: &ExchangeField| field.path == state && matches!(field.value, ExchangeValue::Checkbox);
        let known = value_at(&draft.values, state);
        if known.is_none() && end.time.is_some() && self.fields.iter().any(is_checkbox) {
            set_value_at(&mut draft.values, state, Value::Bool(true));
        }
        let has_ended = value_at(&draft.values, state).is_some_and(|state| match state {
            Value::String(state) => state != open,
            Value::Bool(state) => state.to_string() != open,
            _ => false,
        });
        let (column, at) = match (end.time, end.day) {
            (Some((column, _)), _) if !has_ended => return draft.leave_out(column, "errors.import.not_ended"),
            (Some((column, at)), _) => (column, Ok(at)),
            (None, Some((_, column, _, at))) if has_ended => (column, at),
            (None, _) => return,
        };
        match at {
            Ok(at) => {
                let local = at.zoned(&self.timezone).strftime("%Y-%m-%d %H:%M").to_string();
                draft.shown.push((column, local));
                set_value_at(&mut draft.values, path, Value::from(at.to_string()));
            }
            Err(key) => draft.leave_out(column, key),
        }
    }

    /// Returns what a choice of another program says of another field, unless it is a choice here or a member said what it
    /// becomes.
    fn implied_by(&self, field: &ExchangeField, column: u16, text: &str) -> Option<&'static ImpliedValue> {
        if self.choice(column, text).is_ok() || self.values.find(column, text).is_some() {
            return None;
        }
        let folded = text::fold(text);
        self.implied.iter().find(|known| known.field == field.name && known.choices.contains(&folded.as_str()))
    }

    /// Returns the id of the choice of a column that a text names, or the key of the text about one that names none.
    fn choice(&self, column: u16, text: &str) -> Result<&str, &'static str> {
        match self.choices.get(&column).map_or(NamedChoice::None, |names| names.find(text)) {
            NamedChoice::One(id) => Ok(id),
            NamedChoice::None => Err("errors.import.choice"),
            NamedChoice::Several => Err("errors.import.ambiguous_choice"),
        }
    }

    /// Returns the choice that a value becomes: the one that the import says, or else `known`, which the value names
    /// itself. Without either the value is left out, which is said.
    fn matched<'t>(
        &'t self,
        draft: &mut Draft,
        column: u16,
        text: &str,
        known: Result<&'t str, &'static str>,
    ) -> Option<&'t str> {
        if known.is_err() {
            draft.unknown.push((column, clip(text)));
        }
        match self.values.find(column, text) {
            Some(MatchedValue::Choice(choice)) => return Some(choice),
            Some(MatchedValue::LeftOut) => return None,
            None => {}
        }
        let is_named = draft.warnings.last().is_some_and(|last| last.column == Some(column));
        if let Err(fault) = known
            && !is_named
        {
            draft.leave_out(column, fault);
        }
        known.ok()
    }

    /// Reads a yes or no.
    fn checkbox(&self, draft: &mut Draft, column: u16, text: &str) -> Option<Value> {
        // The time at which it was done says that it is.
        let is_checked = parse_boolean(text).or_else(|| parse_day(text, self.plan.date_order).map(|_| true));
        let known = is_checked.map(|is_checked| if is_checked { YES } else { "false" });
        let choice = self.matched(draft, column, text, known.ok_or("errors.import.checkbox"));
        choice.map(|choice| Value::from(choice == YES))
    }

    /// Reads an amount of money.
    fn read_money(&self, draft: &mut Draft, column: u16, text: &str, currency: &str) -> Option<MoneyAmount> {
        let amount = parse_money(text, self.plan.proven_mark(column), self.plan.decimal_mark, currency)?;
        draft.shown.push((column, format!("{} {}", decimal(&money(&amount)), amount.currency)));
        Some(amount)
    }

    /// Remembers an amount that was read without a currency.
    fn loose_amount(&self, path: String, column: u16, text: &str) -> LooseAmount {
        let proven = self.plan.proven_mark(column);
        LooseAmount { path, column, text: text.to_owned(), proven, usual: self.plan.decimal_mark }
    }

    fn read_custom(&self, draft: &mut Draft, field: &CustomField, column: u16, cell: &str) {
        let text = cell.trim();
        // The keys of custom fields have no dots.
        let path = format!("fields.{}", field.key);
        draft.columns.push((Cow::Owned(path.clone()), column));
        let value = match field.value_type {
            FieldType::Text => Ok(Value::from(text::line(text))),
            FieldType::Url => Ok(Value::from(web_address(text))),
            FieldType::LongText => Ok(Value::from(text)),
            FieldType::Number => {
                let mark = self.plan.proven_mark(column).unwrap_or(self.plan.decimal_mark);
                let number = parse_number(text, mark).map(Decimal::to_f64);
                let number = number.and_then(serde_json::Number::from_f64);
                draft.shown.extend(number.as_ref().map(|number| (column, number.to_string())));
                number.map(Value::Number).ok_or("errors.import.number")
            }
            FieldType::Money => {
                let amount = self.read_money(draft, column, text, &self.region.currency);
                if amount.is_some() {
                    draft.loose_amounts.push(self.loose_amount(format!("fields.{}", field.key), column, text));
                }
                amount.as_ref().map(money).ok_or("errors.import.money")
            }
            FieldType::Date => {
                let day = self.day(text);
                draft.shown.extend(day.map(|day| (column, day.to_string())));
                day.map(|day| Value::from(day.to_string())).ok_or("errors.import.date")
            }
            FieldType::Choice => match self.matched(draft, column, text, self.choice(column, text)) {
                Some(key) => Ok(Value::from(key)),
                None => return,
            },
            FieldType::Choices => {
                let mut keys: Vec<&str> = Vec::new();
                for entry in read_list(cell).iter().filter(|entry| !entry.is_empty()) {
                    let key = self.matched(draft, column, entry, self.choice(column, entry));
                    keys.extend(key.filter(|key| !keys.contains(key)));
                }
                if keys.is_empty() {
                    return;
                }
                Ok(Value::from(keys))
            }
            FieldType::Checkbox => match self.checkbox(draft, column, text) {
                Some(value) => Ok(value),
                None => return,
            },
            FieldType::Member => {
                self.members.find(text).map(|id| Value::from(id.to_string())).ok_or("errors.import.member")
            }
            FieldType::Record => {
                text.parse().map(|id: Uuid| Value::from(id.to_string())).map_err(|_| "errors.import.id")
            }
        };
        match value {
            Ok(value) => set_value_at(&mut draft.values, &path, value),
            Err(key) => draft.leave_out(column, key),
        }
    }

    /// Puts together what several columns have, and what finds the record.
    fn finish(&self, draft: &mut Draft, mut parts: Parts) {
        parts.name.sort_by_key(|(place, _)| *place);
        let name = parts.name.iter().map(|(_, part)| part.as_str()).collect::<Vec<_>>().join(" ").trim().to_owned();
        if !name.is_empty() && !draft.values.contains_key("name") {
            set_value_at(&mut draft.values, "name", Value::from(name));
        }
        for (path, text) in joined_texts(&parts.texts) {
            set_value_at(&mut draft.values, path, Value::from(text));
        }
        let list_path = |value: fn(&ExchangeValue) -> bool| self.fields.iter().find(|field| value(&field.value));
        let mut emails = parts.emails;
        Email::tidy(&mut emails);
        for phone in parts.phones.iter_mut().take(MAX_ENTRIES).filter(|phone| phone.country.is_none()) {
            phone.country = country_of_phone(phone, &parts.addresses);
        }
        Phone::complete(&mut parts.phones, || self.region.phone_country.clone());
        draft.keys.emails = emails.iter().map(|email| email.email.clone()).collect();
        let mut numbers = HashMap::new();
        parts.phones.retain(|phone| {
            let known = numbers.entry((phone.key(), phone.country.clone())).or_insert_with(Vec::new);
            let is_again = !known.is_empty() && (phone.label.is_empty() || known.contains(&phone.label));
            known.push(phone.label.clone());
            !is_again
        });
        draft.keys.phones = parts.phones.iter().map(Phone::key).collect();
        let number = parts.phones.first().map(|phone| phone.number.clone());
        let lists = [
            (list_path(|value| matches!(value, ExchangeValue::Emails)), serde_json::to_value(&emails)),
            (list_path(|value| matches!(value, ExchangeValue::Phones)), serde_json::to_value(&parts.phones)),
            (list_path(|value| matches!(value, ExchangeValue::Tags)), serde_json::to_value(text::tags(&parts.tags))),
            (list_path(|value| matches!(value, ExchangeValue::Links)), Ok(Value::Array(parts.links))),
        ];
        for (field, list) in lists {
            if let (Some(field), Ok(Value::Array(list))) = (field, list)
                && !list.is_empty()
            {
                set_value_at(&mut draft.values, field.path, Value::Array(list));
            }
        }
        let address = list_path(|value| matches!(value, ExchangeValue::Address));
        if let Some(field) = address
            && !parts.addresses.is_empty()
        {
            let texts = parts.addresses.iter().map(|address| (field.path, address.label.clone(), address.text()));
            for (path, text) in joined_texts(&texts.collect::<Vec<_>>()) {
                set_value_at(&mut draft.values, path, Value::from(text));
            }
            if !parts.addresses.iter().any(|address| address.has(ADDRESS) || address.has(STREET)) {
                draft.address_part = Some(AddressPart { path: field.path, cells: parts.address_cells });
            }
        }
        self.read_day_parts(draft, &parts.day);
        if let Some((path, column, text)) = parts.money {
            self.finish_money(draft, path, (column, &text), parts.currency.as_ref());
        } else if let Some((column, _)) = parts.currency {
            draft.leave_out(column, "errors.import.currency_alone");
        }
        for implied in &parts.implied {
            if value_at(&draft.values, implied.path).is_none() {
                set_value_at(&mut draft.values, implied.path, Value::from(implied.value));
            }
        }
        self.finish_end(draft, parts.end);
        draft.references = parts.references;
        self.finish_keys(draft, &parts.identity, number.as_deref());
    }

    /// Reads an amount of money whose currency may stand in a column of its own.
    fn finish_money(
        &self,
        draft: &mut Draft,
        path: &str,
        (column, text): (u16, &str),
        currency_cell: Option<&(u16, Option<String>)>,
    ) {
        let own = self.region.currency.as_str();
        let (unknown, currency) = match currency_cell {
            None => (None, own),
            Some((_, Some(code))) => (None, code.as_str()),
            Some((at, None)) => (Some(*at), ""),
        };
        let amount = self.read_money(draft, column, text, currency);
        let is_amount = amount.is_some()
            || (unknown.is_some()
                && parse_money(text, self.plan.proven_mark(column), self.plan.decimal_mark, own).is_some());
        if let Some(amount) = amount {
            set_value_at(&mut draft.values, path, money(&amount));
            if currency_cell.is_none() {
                draft.loose_amounts.push(self.loose_amount(path.to_owned(), column, text));
            }
        }
        if let Some(at) = unknown {
            draft.leave_out(at, "errors.import.currency");
        }
        if !is_amount {
            draft.leave_out(column, "errors.import.money");
        }
    }

    /// Reads a date whose parts stand in several columns.
    fn read_day_parts(&self, draft: &mut Draft, parts: &[(DayPart, &'static str, u16, String)]) {
        let Some((_, path, column, _)) = parts.first() else { return };
        if value_at(&draft.values, path).is_some() {
            return;
        }
        let part = |part: DayPart| parts.iter().find(|(known, ..)| *known == part).map(|(.., text)| text.as_str());
        let is_none = |text: &str| text.trim_matches('0').is_empty();
        let written = [DayPart::Year, DayPart::Month, DayPart::Day].map(|one| part(one).unwrap_or_default());
        if written.iter().all(|text| is_none(text)) {
            return;
        }
        // The month may be a word.
        let [year, month, day] = written;
        let is_word = month.chars().any(char::is_alphabetic);
        // The year 2000 can have two digits.
        let year = if is_none(year) && year.len() != 2 { "" } else { year };
        let text = match (is_word, year) {
            (true, year) => format!("{day} {month} {year}"),
            (false, "") => format!("--{month:0>2}-{day:0>2}"),
            (false, year) => format!("{year}-{month:0>2}-{day:0>2}"),
        };
        match parse_birthday(&text, DateOrder::YearMonthDay, self.today).filter(|_| !is_none(month) && !is_none(day)) {
            Some(birthday) => set_value_at(&mut draft.values, path, Value::from(birthday.to_string())),
            None => {
                let typed = [day, month, year].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>();
                draft.leave_out_entry(*column, "errors.import.date", &typed.join("/"));
            }
        }
    }

    /// Whether the rows are cards.
    fn is_card(&self) -> bool {
        matches!(self.plan.format, ImportFormat::Vcard(_))
    }

    /// Returns the cell of the column that says something of another one, such as its labels.
    fn companion<'r>(
        &self,
        row: &'r SourceRow,
        column: u16,
        find: impl Fn(&ImportColumn) -> Option<u16>,
    ) -> Option<&'r str> {
        let at = find(self.plan.columns.get(usize::from(column))?)?;
        row.cells.get(usize::from(at)).map(|cell| cell.text.trim()).filter(|text| no_value(text).is_none())
    }

    /// Adds the addresses of a cell, or the same part of several addresses. Returns whether one counts.
    fn add_addresses(
        &self,
        parts: &mut Parts,
        (place, field): (u8, &'static str),
        (column, label): (u16, &str),
        text: &str,
    ) -> bool {
        let group = self.group_of(column);
        if self.is_card() {
            return parts.add_address(AddressKey { group, number: 0, label }, true, (place, field), text);
        }
        let mut counts = false;
        for (number, text) in several_values(text) {
            counts |= parts.add_address(AddressKey { group, number, label }, false, (place, field), text);
        }
        counts
    }

    /// Returns the column that has the labels of a column.
    fn group_of(&self, column: u16) -> Option<u16> {
        self.plan.columns.get(usize::from(column)).and_then(|column| column.label_column)
    }

    /// Returns the first column that goes to a path.
    fn column_to(&self, path: &str) -> Option<u16> {
        let is_to =
            |target: &Option<(Target, String)>| matches!(target, Some((Target::Own(field), _)) if field.path == path);
        self.targets.iter().position(is_to).and_then(|at| u16::try_from(at).ok())
    }

    fn finish_keys(&self, draft: &mut Draft, identity: &[(&str, String)], number: Option<&str>) {
        let at = |draft: &Draft, path: &str| value_at(&draft.values, path).and_then(Value::as_str).map(str::to_owned);
        draft.keys.external_id = at(draft, "externalId");
        for field in self.fields.iter().filter(|field| field.is_required) {
            if at(draft, field.path).is_none() {
                // A person without a name is called by their address, company or number.
                let company = at(draft, "details.company");
                let email = draft.keys.emails.first().map(|email| text::shown_email(email).into_owned());
                let instead = email.or(company).or_else(|| number.map(str::to_owned));
                match instead.filter(|_| field.path == "name") {
                    Some(name) => {
                        set_value_at(&mut draft.values, field.path, Value::from(name));
                        draft.is_name_made = true;
                    }
                    None => {
                        let column = draft.column_of(field.path).or_else(|| self.column_to(field.path));
                        draft.missing = Some(RowFault { column, ..RowFault::of("errors.fields.required", &[]) });
                    }
                }
            }
        }
        draft.keys.name = at(draft, "name").map(|name| text::fold(&name));
        let organization = draft.references.iter().find_map(|reference| match &reference.key {
            ReferenceKey::Name(name) if reference.creates => Some(name.clone()),
            _ => None,
        });
        let company = organization.or_else(|| at(draft, "details.company"));
        draft.keys.name_group = company.map(|company| text::fold(&company)).unwrap_or_default();
        draft.keys.birthday = at(draft, "details.birthday").and_then(|birthday| birthday.parse().ok());
        let address = self.fields.iter().find(|field| matches!(field.value, ExchangeValue::Address));
        let address = address.and_then(|field| at(draft, field.path));
        draft.keys.place = address.and_then(|address| Place::of(&address, draft.address_part.is_some()));
        draft.keys.host = at(draft, "website").and_then(|website| host_of(&website));
        if draft.keys.id.is_none() && draft.keys.external_id.is_none() && !identity.is_empty() {
            let mut sum = Sha256::new_with_prefix(self.kind.kind);
            for (path, value) in identity {
                sum.update(path);
                sum.update([0]);
                sum.update(value);
                sum.update([0]);
            }
            draft.keys.import_key = Some(row_key(sum));
        }
    }
}

/// Returns the number of columns up to the last one that the header names; all of them without a header.
fn count_named(plan: &ImportPlan) -> usize {
    match &plan.format {
        ImportFormat::Csv(dialect) if dialect.has_header => {
            plan.columns.iter().rposition(|column| !column.header.is_empty()).map_or(0, |at| at + 1)
        }
        _ => plan.columns.len(),
    }
}

/// Returns the import key of a row with a digest.
fn row_key(sum: Sha256) -> String {
    format!("row:{}", hex::encode(sum.finalize().get(..16).unwrap_or_default()))
}

/// What several columns of a row have together.
#[derive(Default)]
struct Parts {
    name: Vec<(u8, String)>,
    addresses: Vec<AddressParts>,
    /// The columns and the texts of the parts of addresses.
    address_cells: Vec<(u16, String)>,
    day: Vec<(DayPart, &'static str, u16, String)>,
    /// What choices of other programs say of other fields.
    implied: Vec<&'static ImpliedValue>,
    end: RecordEnd,
    /// Texts of several lines: their path, the label of the cell, and the cell.
    texts: Vec<(&'static str, String, String)>,
    emails: Vec<Email>,
    phones: Vec<Phone>,
    tags: Vec<String>,
    links: Vec<Value>,
    money: Option<(&'static str, u16, String)>,
    /// The column of the currency, and its code if it is known.
    currency: Option<(u16, Option<String>)>,
    references: Vec<Reference>,
    /// The members that identify the row, and their folded texts.
    identity: Vec<(&'static str, String)>,
}

/// When a record ended, or is expected to end.
#[derive(Clone, Copy, Default)]
struct RecordEnd {
    /// The column and the time at which it ended.
    time: Option<(u16, Timestamp)>,
    /// The path, the column and the day at which it is expected to end, and that day as the time at which it ended.
    day: Option<(&'static str, u16, Day, Result<Timestamp, &'static str>)>,
}

/// What tells the addresses of a row apart.
#[derive(Clone, Copy)]
struct AddressKey<'k> {
    /// The column that has the label in each row.
    group: Option<u16>,
    /// The place among several in a cell.
    number: usize,
    label: &'k str,
}

/// The parts of an address.
#[derive(Debug)]
struct AddressParts {
    group: Option<u16>,
    number: usize,
    label: String,
    /// Whole addresses and parts of one, with the places of their lines and the names of their fields.
    parts: Vec<(u8, &'static str, String)>,
}

/// The field with a whole address.
const ADDRESS: &str = "address";
/// The field with the country of an address.
const COUNTRY: &str = "country";
/// The field with the first lines of an address: files have several columns for them.
const STREET: &str = "street";

/// Returns the country among those of addresses in which a phone number is valid: that of the address with the same label
/// goes before others.
fn country_of_phone(phone: &Phone, addresses: &[AddressParts]) -> Option<String> {
    let is_same = |address: &&AddressParts| address.label == phone.label;
    let same = addresses.iter().filter(is_same);
    let others = addresses.iter().filter(|address| !is_same(address));
    let mut countries = same.chain(others).filter_map(AddressParts::country);
    countries.find(|country| phone::forms(&phone.number, Some(country)).is_some())
}

impl AddressParts {
    /// Returns the code of the country that the address names, in a part of its own or in its last line.
    fn country(&self) -> Option<String> {
        let parts = self.parts.iter();
        let named = parts.filter(|(_, field, _)| *field == COUNTRY).find_map(|(.., text)| country_code(text));
        let last_line = |text: &str| text.lines().next_back().and_then(country_code);
        let whole =
            || self.parts.iter().filter(|(_, field, _)| *field == ADDRESS).find_map(|(.., text)| last_line(text));
        named.or_else(whole)
    }

    fn has(&self, field: &str) -> bool {
        self.parts.iter().any(|(_, known, _)| *known == field)
    }

    /// Writes the address as lines, the parts of one place on one line. What the whole address has is not repeated.
    fn text(&self) -> String {
        let whole = self.parts.iter().filter(|(_, field, _)| *field == ADDRESS).map(|(.., text)| text.as_str());
        let whole = whole.collect::<Vec<_>>().join("\n");
        let folded = text::fold(&whole);
        let is_new = |text: &str| !folded.contains(&text::fold(text));
        let mut lines: Vec<(u8, String)> = Vec::new();
        for (place, field, text) in self.parts.iter().filter(|(_, field, _)| *field != ADDRESS) {
            if !is_new(text) {
                continue;
            }
            match lines.iter_mut().find(|(known, _)| known == place) {
                Some((_, line)) => {
                    line.push(if *field == STREET { '\n' } else { ' ' });
                    line.push_str(text);
                }
                None => lines.push((*place, text.clone())),
            }
        }
        lines.sort_by_key(|(place, _)| *place);
        let lines = lines.iter().map(|(_, line)| line.as_str());
        let whole = [whole.as_str()].into_iter().filter(|whole| !whole.is_empty());
        whole.chain(lines).collect::<Vec<_>>().join("\n")
    }
}

impl Parts {
    /// Adds an address, or a part of the last one with this label. In a card, each is another one. Of most parts the
    /// first counts: some files have a country and its code. Returns whether it counts.
    fn add_address(
        &mut self,
        key: AddressKey<'_>,
        is_card: bool,
        (place, field): (u8, &'static str),
        text: &str,
    ) -> bool {
        let AddressKey { group, number, label } = key;
        let mut known = self.addresses.iter_mut().rev();
        let known = known.find(|known| known.group == group && known.number == number && known.label == label);
        match known.filter(|known| !is_card || !known.has(ADDRESS)) {
            Some(known) if !matches!(field, STREET | ADDRESS) && known.has(field) => return false,
            Some(known) => known.parts.push((place, field, text.to_owned())),
            None => {
                let parts = vec![(place, field, text.to_owned())];
                self.addresses.push(AddressParts { group, number, label: label.to_owned(), parts });
            }
        }
        true
    }

    /// Adds a record that the row refers to. An id goes before a name.
    fn refer(
        &mut self,
        path: &'static str,
        kind: &'static RecordKind,
        key: ReferenceKey,
        (creates, column): (bool, u16),
    ) {
        let reference = Reference { path, kind, key, creates, column };
        match self.references.iter_mut().find(|known| known.path == path) {
            None => self.references.push(reference),
            Some(known) if matches!(reference.key, ReferenceKey::Id(_)) => *known = reference,
            Some(_) => {}
        }
    }
}

fn target(target: &ColumnTarget, fields: &'static [ExchangeField], custom: &[Stored<CustomField>]) -> Option<Target> {
    let ColumnTarget::Field(name) = target else { return None };
    let own = fields.iter().find(|field| field.name == name);
    own.map(Target::Own).or_else(|| {
        let key = name.strip_prefix("fields.")?;
        let field = custom.iter().find(|field| field.key == key)?;
        Some(Target::Custom(Box::new(field.value.clone())))
    })
}

/// Reads the entries of a list. Those of a cell whose last line ends, as exports write them, are lines.
fn read_list(cell: &str) -> Vec<String> {
    if cell.ends_with('\n') {
        return cell.lines().map(text::line).collect();
    }
    if cell.contains("* ") {
        // Address books mark the groups that they make by themselves with a star.
        let own = cell.split(BETWEEN_VALUES).filter(|group| !group.trim_start().starts_with("* "));
        return own.flat_map(parse_list).collect();
    }
    parse_list(cell)
}

/// Returns the values of a cell of an address book, with their places.
fn several_values(cell: &str) -> impl Iterator<Item = (usize, &str)> {
    cell.split(BETWEEN_VALUES).map(str::trim).enumerate().filter(|(_, value)| !value.is_empty())
}

/// Splits a cell with several addresses or numbers at some characters, except within quotation marks and angle brackets.
fn several<'t>(text: &'t str, separators: &[char]) -> Vec<&'t str> {
    let mut is_quoted = false;
    let mut is_in_brackets = false;
    let is_end = |c: char| {
        match c {
            '"' => is_quoted = !is_quoted,
            '<' => is_in_brackets = true,
            '>' => is_in_brackets = false,
            '\n' => {
                is_quoted = false;
                is_in_brackets = false;
            }
            _ => {}
        }
        !is_quoted && !is_in_brackets && (c == '\n' || separators.contains(&c))
    };
    let parts = text.split(is_end).flat_map(|part| part.split(BETWEEN_VALUES));
    parts.map(str::trim).filter(|part| !part.is_empty()).collect()
}

/// Reads the addresses of a cell, also with the names of their owners (`Ana <ana@x.example>`). Those that are none are
/// left out.
fn read_emails(draft: &mut Draft, text: &str, label: &str, column: u16) -> Vec<Email> {
    let mut emails = Vec::new();
    for part in several(text, &[';', ',']) {
        match text::email(address_of(part).trim_matches(text::is_hidden)) {
            Some(email) => emails.push(Email { email, label: label.to_owned() }),
            None => draft.leave_out_entry(column, "errors.fields.email", part),
        }
    }
    draft.entries.extend(emails.iter().map(|email| (column, email.email.clone())));
    emails
}

/// Returns the address in a text such as `"Ruiz, Ana" <mailto:ana@x.example>`.
fn address_of(text: &str) -> &str {
    let inner = text.rsplit_once('<').and_then(|(_, rest)| rest.split_once('>')).map_or(text, |(address, _)| address);
    let inner = inner.trim_matches(|c: char| c.is_whitespace() || text::is_hidden(c) || matches!(c, '"' | '\''));
    match inner.split_at_checked("mailto:".len()) {
        Some((scheme, rest)) if scheme.eq_ignore_ascii_case("mailto:") => rest.split('?').next().unwrap_or_default(),
        _ => inner,
    }
}

/// Splits a cell with several phone numbers. What follows a semicolon and is too short for a number is dialed after it.
fn several_numbers(text: &str) -> Vec<&str> {
    let parts = several(text, &[';']);
    let is_short = |part: &&str| part.chars().filter(char::is_ascii_digit).count() <= MAX_EXTENSION_DIGITS;
    if parts.len() > 1 && parts.iter().skip(1).any(is_short) && !text.contains('\n') {
        return vec![text];
    }
    parts.into_iter().flat_map(whole_numbers).collect()
}

/// Reads the phone numbers of a cell. Those that are none are left out.
fn read_phones(draft: &mut Draft, numbers: Vec<&str>, label: &str, column: u16) -> Vec<Phone> {
    let mut phones = Vec::new();
    for number in numbers {
        if Phone::is_dialable(number) {
            draft.entries.push((column, number.to_owned()));
            phones.push(Phone { number: number.to_owned(), label: label.to_owned(), ..Phone::default() });
        } else {
            draft.leave_out_entry(column, "errors.fields.phone", number);
        }
    }
    phones
}

/// Joins the texts at each path: the only one as it is, several with their labels.
fn joined_texts(texts: &[(&'static str, String, String)]) -> Vec<(&'static str, String)> {
    let mut joined: Vec<(&'static str, String)> = Vec::new();
    for (path, _, _) in texts {
        if joined.iter().any(|(known, _)| known == path) {
            continue;
        }
        let all: Vec<_> = texts.iter().filter(|(of, _, _)| of == path).collect();
        let labelled = |(_, label, text): &(&str, String, String)| match label.as_str() {
            "" => text.clone(),
            label => format!("{label}:\n{text}"),
        };
        let text = match all.as_slice() {
            [(_, _, text)] => text.clone(),
            all => all.iter().map(|one| labelled(one)).collect::<Vec<_>>().join("\n\n"),
        };
        joined.push((path, text));
    }
    joined
}

/// Whether a text is HTML: it begins with an element that ends, and not with an address or a name in angle brackets.
fn is_html(text: &str) -> bool {
    const VOID: [&str; 3] = ["br", "hr", "img"];
    const INLINE: [&str; 13] =
        ["a", "b", "code", "em", "font", "i", "s", "span", "strike", "strong", "sub", "sup", "u"];
    let Some(rest) = text.strip_prefix('<') else { return false };
    if rest.get(..8).is_some_and(|start| start.eq_ignore_ascii_case("!doctype")) {
        return true;
    }
    let name: String = rest.chars().take_while(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
    let after = rest[name.len()..].chars().next();
    if !matches!(after, Some('>' | '/' | ' ' | '\t' | '\n' | '\r')) || !rest.contains('>') {
        return false;
    }
    let has_end = || text.to_ascii_lowercase().contains(&format!("</{name}"));
    let is_element = INLINE.contains(&name.as_str()) || html::is_block_element(&name);
    VOID.contains(&name.as_str()) || (is_element && has_end())
}

/// Splits numbers with commas or slashes between them, which may also stand before an extension or between the groups of
/// a number: those have fewer digits.
fn whole_numbers(numbers: &str) -> Vec<&str> {
    let parts: Vec<&str> = numbers.split([',', '/']).map(str::trim).collect();
    let is_number = |part: &&str| part.chars().filter(char::is_ascii_digit).count() > MAX_EXTENSION_DIGITS;
    if parts.iter().all(is_number) { parts } else { vec![numbers] }
}

/// Reads a web address, with a name after it.
fn link(line: &str) -> Option<Value> {
    let line = line.trim();
    let (url, name) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let mut link = Map::from_iter([("url".to_owned(), Value::from(web_address(url)))]);
    if !name.trim().is_empty() {
        link.insert("name".to_owned(), Value::from(name.trim()));
    }
    (!line.is_empty()).then_some(Value::Object(link))
}

/// Completes a web address. A word without a dot is no address: it is refused as it is.
fn web_address(typed: &str) -> String {
    if typed.contains('.') { text::web_address(typed) } else { text::line(typed) }
}

fn money(amount: &MoneyAmount) -> Value {
    serde_json::json!({ "amount": amount.amount, "currency": amount.currency })
}

/// Returns the lines of a card as clean HTML.
pub fn notes_of_card(text: &str) -> Result<Option<String>> {
    notes(text, true)
}

/// Returns notes as clean HTML: what is no HTML is a text, whose lines become paragraphs. Of a cell, so do several texts.
fn notes(text: &str, is_text: bool) -> Result<Option<String>> {
    if !is_text && is_html(text) {
        return clean_notes(text);
    }
    let text = if is_text { Cow::Borrowed(text) } else { Cow::Owned(text.replace(" ::: ", "\n")) };
    let paragraphs = text.lines().map(|line| format!("<p>{}</p>", html::escape_text(line)));
    clean_notes(&paragraphs.collect::<String>())
}
