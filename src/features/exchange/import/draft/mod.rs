//! Rows of a file as the bodies of calls: values are read, and what is wrong with them is named, before a write.

mod addresses;
mod chosen;
mod custom;
mod dates;
mod keys;
mod lists;
mod members;
mod money;
mod notes;
mod references;

use std::{borrow::Cow, collections::HashMap};

use serde_json::{Map, Value};
use uuid::Uuid;

use self::{
    addresses::{AddressPart, AddressParts, country_of_phone},
    dates::RecordEnd,
    lists::{BETWEEN_VALUES, link, read_emails, read_list, read_phones, several_numbers, several_values},
    members::Directory,
    money::LooseAmount,
    notes::joined_texts,
};
pub use self::{notes::notes_of_card, references::Reference};
use super::{
    choices::{ChoiceNames, ValueMatches},
    model::{ColumnTarget, Duplicates, ImportColumn, ImportFormat, ImportPlan, RowFault},
    source::{Cell, OtherRows, SourceRow, clip_cell},
};
use crate::{
    feature::{
        Choice, CustomField, DayPart, ExchangeField, ExchangeValue, FieldType, ImpliedValue, MatchKeys, RecordKind,
        exchange::{ReferenceKey, set_value_at, value_at},
        fields_in_use,
    },
    features::{
        exchange::export::is_of_export,
        find_kind,
        organizations::{Email, Phone},
    },
    formats::{NoValue, no_value, parse_checklist, parse_currency},
    kernel::{Day, Error, Result, Timestamp, countries::country_code, i18n::Locale, text},
    people::{members::ActiveMember, region::Region},
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
    /// Of a row without a whole address: the parts of one that it has.
    pub address_part: Option<AddressPart>,
    /// Whether the row has no name, and is called by something else that it has.
    pub is_name_made: bool,
    /// What the row lacks, without which no record can be created.
    missing: Option<RowFault>,
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

/// A field that a column goes to.
#[derive(Clone, Debug)]
enum Target {
    Own(&'static ExchangeField),
    Custom(Box<CustomField>),
}

impl Target {
    /// Whether values of the field are texts, which can be as programs write no value.
    fn is_text(&self) -> bool {
        use ExchangeValue as V;
        match self {
            Self::Own(field) => {
                matches!(field.value, V::Text | V::LongText | V::Html | V::Address | V::Tags | V::RecordName(_))
            }
            Self::Custom(field) => matches!(field.value_type, FieldType::Text | FieldType::LongText),
        }
    }
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
    /// Whether the file is an export with all fields.
    is_export: bool,
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
            is_export: is_export(kind, &plan),
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
        let is_own = self.is_exported(row);
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
            if text.is_empty() || self.is_without_value(&mut draft, target, (cell.column, text), is_own) {
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

    /// Whether a row is one of an export: it has the id of a record in the first column.
    fn is_exported(&self, row: &SourceRow) -> bool {
        self.is_export && row.cells.first().is_some_and(|cell| cell.text.trim().parse::<Uuid>().is_ok())
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
    /// People and records may be called as programs call no value, and a choice, too. So may all texts of a row that was
    /// exported here: exports leave a cell without a value empty.
    fn is_without_value(&self, draft: &mut Draft, target: &Target, (column, text): (u16, &str), is_own: bool) -> bool {
        let Some(found) = no_value(text) else { return false };
        match found {
            NoValue::SpreadsheetError => draft.leave_out_entry(column, "errors.import.spreadsheet_error", text),
            NoValue::Placeholder if (is_own && target.is_text()) || self.is_named(target, column, text) => {
                return false;
            }
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
            if !parts.addresses.iter().any(AddressParts::is_whole) {
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
        let is_value = |text: &&str| match no_value(text) {
            None => true,
            Some(NoValue::Placeholder) => self.is_exported(row),
            Some(NoValue::SpreadsheetError) => false,
        };
        row.cells.get(usize::from(at)).map(|cell| cell.text.trim()).filter(is_value)
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

/// Whether a file is an export with all fields.
fn is_export(kind: &RecordKind, plan: &ImportPlan) -> bool {
    let header: Vec<&str> = plan.columns.iter().map(|column| column.header.as_str()).collect();
    is_of_export(kind, &header)
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

fn target(target: &ColumnTarget, fields: &'static [ExchangeField], custom: &[Stored<CustomField>]) -> Option<Target> {
    let ColumnTarget::Field(name) = target else { return None };
    let own = fields.iter().find(|field| field.name == name);
    own.map(Target::Own).or_else(|| {
        let key = name.strip_prefix("fields.")?;
        let field = custom.iter().find(|field| field.key == key)?;
        Some(Target::Custom(Box::new(field.value.clone())))
    })
}
