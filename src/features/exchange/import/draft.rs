//! Rows of a file as the bodies of calls: values are read, and what is wrong with them is named, before a write.

use std::collections::HashMap;

use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};
use uuid::Uuid;

use super::{
    choices::{ChoiceNames, MatchedValue, NamedChoice, ValueMatches, clip},
    model::{ColumnTarget, Duplicates, ImportPlan, RowFault},
    source::SourceRow,
};
use crate::{
    feature::{
        Choice, CustomField, ExchangeField, ExchangeValue, FieldType, MatchKeys, RecordKind,
        exchange::{set_value_at, value_at},
        fields_in_use,
    },
    features::{
        customers::clean_notes,
        find_kind,
        organizations::{Email, Phone},
    },
    formats::{Decimal, MoneyAmount, parse_birthday, parse_boolean, parse_day, parse_list, parse_money, parse_number},
    kernel::{Day, Error, MemberId, Result, Timestamp, hex, html, i18n::Locale, text},
    people::{
        members::{ActiveMember, MemberRecord},
        region::Region,
    },
    store::{Stored, TenantRead},
};

/// Maximum faults that are kept of a row.
const MAX_FAULTS: usize = 20;
/// Maximum characters of a value beside what is wrong with it.
const MAX_VALUE: usize = 200;

/// Maximum digits of the extension of a phone number.
const MAX_EXTENSION_DIGITS: usize = 6;
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
    /// The columns of the members of the body.
    columns: Vec<(&'static str, u16)>,
    /// The beginnings of the cells, by their columns.
    cells: Vec<(u16, String)>,
    /// A member without which no record can be created, and that the row lacks.
    missing: Option<&'static str>,
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

impl Reference {
    /// Returns what is wrong with it.
    pub fn fault(&self, key: &str) -> RowFault {
        RowFault::at(self.column, key)
    }
}

impl Draft {
    /// Returns the column of a field that a call names, such as `details.emails.0.email`.
    pub fn column_of(&self, path: &str) -> Option<u16> {
        let is_at = |known: &str| path == known || path.strip_prefix(known).is_some_and(|rest| rest.starts_with('.'));
        self.columns.iter().find(|(known, _)| is_at(known)).map(|(_, column)| *column)
    }

    /// Returns faults with the values of their columns, at most as many as are kept of a row.
    pub fn with_values(&self, faults: Vec<RowFault>) -> Vec<RowFault> {
        let value = |column: u16| self.cells.iter().find(|(known, _)| *known == column).map(|(_, text)| text.clone());
        let with_value = |fault: RowFault| RowFault { value: fault.column.and_then(value), ..fault };
        faults.into_iter().take(MAX_FAULTS).map(with_value).collect()
    }

    /// Returns what a row lacks to become a record.
    pub fn missing(&self) -> Option<RowFault> {
        let path = self.missing?;
        Some(RowFault { column: self.column_of(path), ..RowFault::of("errors.fields.required", &[]) })
    }

    fn fault(&mut self, column: u16, key: &str) {
        self.faults.push(RowFault::at(column, key));
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
    targets: Vec<Option<(Target, String)>>,
    /// By column.
    choices: HashMap<u16, ChoiceNames>,
    values: ValueMatches,
    members: Directory,
    plan: ImportPlan,
    region: Region,
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
            targets,
            choices,
            values: ValueMatches::of(&plan.columns),
            members: Directory::read(tx)?,
            region: author.region(),
            today: now.day_in(author.timezone()),
            plan,
        })
    }

    /// What happens with rows whose record exists.
    pub const fn duplicates(&self) -> Duplicates {
        self.plan.duplicates
    }

    /// Reads a row.
    pub fn read(&self, row: &SourceRow) -> Draft {
        let mut draft = Draft { row: row.number, ..Draft::default() };
        draft.faults.extend(row.fault.clone());
        let mut parts = Parts::default();
        for cell in &row.cells {
            let Some(Some((target, label))) = self.targets.get(usize::from(cell.column)) else { continue };
            let text = cell.text.trim();
            if text.is_empty() {
                continue;
            }
            draft.cells.push((cell.column, text.chars().take(MAX_VALUE).collect()));
            let of_row = self.plan.columns.get(usize::from(cell.column)).and_then(|column| column.label_column);
            let of_row = of_row.and_then(|at| row.cells.get(usize::from(at))).map(|cell| cell.text.trim());
            // Address books put a star before the labels that they offer.
            let of_row = of_row.map(|text| text.trim_start_matches("* ")).filter(|text| !text.is_empty());
            let label = cell.label.as_deref().or(of_row).unwrap_or(label);
            match target {
                Target::Own(field) => self.read_own(&mut draft, &mut parts, field, (cell.column, label), &cell.text),
                Target::Custom(field) => self.read_custom(&mut draft, field, cell.column, &cell.text),
            }
        }
        // First of all: the cells of such a row are often in the wrong columns.
        let extra = row.extra.iter().map(|column| RowFault::at(*column, "errors.import.extra_cell"));
        draft.faults.splice(0..0, extra);
        self.finish(&mut draft, parts);
        let warnings = std::mem::take(&mut draft.warnings);
        draft.warnings = draft.with_values(warnings);
        draft
    }

    fn read_own(
        &self,
        draft: &mut Draft,
        parts: &mut Parts,
        field: &'static ExchangeField,
        (column, label): (u16, &str),
        cell: &str,
    ) {
        let text = cell.trim();
        draft.columns.push((field.path, column));
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
            ExchangeValue::LongText => set(draft, Value::from(text)),
            ExchangeValue::Html => match notes(text) {
                Ok(Some(clean)) => set(draft, Value::from(clean)),
                Ok(None) => {}
                Err(error) => {
                    let words = error.fields().first().map(|(_, words)| RowFault::from_words(Some(column), words));
                    draft.faults.push(words.unwrap_or_else(|| RowFault::from_error(&error)));
                }
            },
            ExchangeValue::FirstName => parts.first_name = text.to_owned(),
            ExchangeValue::LastName => parts.last_name = text.to_owned(),
            ExchangeValue::AddressPart(place) => parts.address.push((place, text.to_owned())),
            ExchangeValue::Emails => parts.emails.extend(emails(text, label, column)),
            ExchangeValue::Phones => parts.phones.extend(phones(text, label)),
            ExchangeValue::Tags => parts.tags.extend(read_list(cell)),
            ExchangeValue::Links => parts.links.extend(text.lines().filter_map(link)),
            ExchangeValue::Day => {
                let order = self.plan.date_order;
                let is_birthday = field.name == "birthday";
                let day = if is_birthday { parse_birthday(text, order, self.today) } else { parse_day(text, order) };
                match day {
                    Some(day) => set(draft, Value::from(day.to_string())),
                    None => draft.fault(column, "errors.import.date"),
                }
            }
            ExchangeValue::Checkbox => {
                if let Some(value) = self.checkbox(draft, column, text) {
                    set(draft, value);
                }
            }
            ExchangeValue::Money => parts.money = Some((field.path, column, text.to_owned())),
            ExchangeValue::Currency => parts.currency = Some(text.to_uppercase()),
            ExchangeValue::Choice(_) => {
                if let Some(id) = self.matched(draft, column, text, self.choice(column, text)) {
                    set(draft, Value::from(id));
                }
            }
            ExchangeValue::NumberedChoice(_) => {
                let id = self.matched(draft, column, text, self.choice(column, text));
                if let Some(number) = id.and_then(|id| id.parse::<u8>().ok()) {
                    set(draft, Value::from(number));
                }
            }
            ExchangeValue::Member => match self.members.find(text) {
                Some(id) => set(draft, Value::from(id.to_string())),
                // The record is worth more than its owner, who may have left or be of another company.
                None => draft.warnings.push(RowFault::at(column, "errors.import.member")),
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

    /// Returns the id of the choice of a column that a text names, or the key of the text about one that names none.
    fn choice(&self, column: u16, text: &str) -> Result<&str, &'static str> {
        match self.choices.get(&column).map_or(NamedChoice::None, |names| names.find(text)) {
            NamedChoice::One(id) => Ok(id),
            NamedChoice::None => Err("errors.import.choice"),
            NamedChoice::Several => Err("errors.import.ambiguous_choice"),
        }
    }

    /// Returns the choice that a value becomes: the one that the import says, or else `known`, which the value names
    /// itself. Without either the value is a fault.
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
        let is_named = draft.faults.last().is_some_and(|last| last.column == Some(column));
        if let Err(fault) = known
            && !is_named
        {
            draft.fault(column, fault);
        }
        known.ok()
    }

    /// Reads a yes or no.
    fn checkbox(&self, draft: &mut Draft, column: u16, text: &str) -> Option<Value> {
        let known = parse_boolean(text).map(|is_checked| if is_checked { YES } else { "false" });
        let choice = self.matched(draft, column, text, known.ok_or("errors.import.checkbox"));
        choice.map(|choice| Value::from(choice == YES))
    }

    fn read_custom(&self, draft: &mut Draft, field: &CustomField, column: u16, cell: &str) {
        let text = cell.trim();
        let value = match field.value_type {
            FieldType::Text | FieldType::Url => Ok(Value::from(text::line(text))),
            FieldType::LongText => Ok(Value::from(text)),
            FieldType::Number => {
                let number = parse_number(text, self.plan.decimal_mark).map(Decimal::to_f64);
                number.and_then(serde_json::Number::from_f64).map(Value::Number).ok_or("errors.import.number")
            }
            FieldType::Money => parse_money(text, self.plan.decimal_mark, &self.region.currency)
                .as_ref()
                .map(money)
                .ok_or("errors.import.money"),
            FieldType::Date => {
                let day = parse_day(text, self.plan.date_order);
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
            Ok(value) => {
                // The keys of custom fields have no dots.
                set_value_at(&mut draft.values, &format!("fields.{}", field.key), value);
            }
            Err(key) => draft.fault(column, key),
        }
    }

    /// Puts together what several columns have, and what finds the record.
    fn finish(&self, draft: &mut Draft, mut parts: Parts) {
        let name = [parts.first_name.as_str(), parts.last_name.as_str()].join(" ").trim().to_owned();
        if !name.is_empty() && !draft.values.contains_key("name") {
            set_value_at(&mut draft.values, "name", Value::from(name));
        }
        let is_wrong = |(column, email): &(u16, Email)| text::email(&email.email).is_none().then_some(*column);
        for column in parts.emails.iter().filter_map(is_wrong) {
            draft.fault(column, "errors.fields.email");
        }
        let list_path = |value: fn(&ExchangeValue) -> bool| self.fields.iter().find(|field| value(&field.value));
        let mut emails: Vec<Email> = parts.emails.into_iter().map(|(_, email)| email).collect();
        Email::tidy(&mut emails);
        Phone::complete(&mut parts.phones, || self.region.phone_country.clone());
        draft.keys.emails = emails.iter().map(|email| email.email.clone()).collect();
        draft.keys.phones = parts.phones.iter().map(Phone::key).collect();
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
        let address = list_path(|value| matches!(value, ExchangeValue::AddressPart(_)));
        if let Some(field) = address
            && !parts.address.is_empty()
        {
            set_value_at(&mut draft.values, field.path, Value::from(address_lines(&parts.address)));
        }
        if let Some((path, column, text)) = parts.money {
            let currency = parts.currency.as_deref().unwrap_or(&self.region.currency);
            match parse_money(&text, self.plan.decimal_mark, currency) {
                Some(amount) => set_value_at(&mut draft.values, path, money(&amount)),
                None => draft.fault(column, "errors.import.money"),
            }
        }
        draft.references = parts.references;
        self.finish_keys(draft, &parts.identity);
    }

    fn finish_keys(&self, draft: &mut Draft, identity: &[(&str, String)]) {
        let at = |draft: &Draft, path: &str| value_at(&draft.values, path).and_then(Value::as_str).map(str::to_owned);
        draft.keys.external_id = at(draft, "externalId");
        for field in self.fields.iter().filter(|field| field.is_required) {
            if at(draft, field.path).is_none() {
                // A person without a name is called by their address or company.
                let company = at(draft, "details.company");
                let instead = draft.keys.emails.first().cloned().or(company).filter(|_| field.path == "name");
                match instead {
                    Some(name) => set_value_at(&mut draft.values, field.path, Value::from(name)),
                    None => draft.missing = Some(field.path),
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
        if draft.keys.id.is_none() && draft.keys.external_id.is_none() && !identity.is_empty() {
            let mut sum = Sha256::new_with_prefix(self.kind.kind);
            for (path, value) in identity {
                sum.update(path);
                sum.update([0]);
                sum.update(value);
                sum.update([0]);
            }
            let sum = sum.finalize();
            draft.keys.import_key = Some(format!("row:{}", hex::encode(sum.get(..16).unwrap_or_default())));
        }
    }
}

/// What several columns of a row have together.
#[derive(Default)]
struct Parts {
    first_name: String,
    last_name: String,
    address: Vec<(u8, String)>,
    emails: Vec<(u16, Email)>,
    phones: Vec<Phone>,
    tags: Vec<String>,
    links: Vec<Value>,
    money: Option<(&'static str, u16, String)>,
    currency: Option<String>,
    references: Vec<Reference>,
    /// The members that identify the row, and their folded texts.
    identity: Vec<(&'static str, String)>,
}

impl Parts {
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
    if cell.ends_with('\n') { cell.lines().map(text::line).collect() } else { parse_list(cell) }
}

/// Splits a cell with several addresses or numbers.
fn several(text: &str) -> impl Iterator<Item = &str> {
    text.split([';', '\n']).flat_map(|part| part.split(":::")).map(str::trim).filter(|part| !part.is_empty())
}

fn emails(text: &str, label: &str, column: u16) -> Vec<(u16, Email)> {
    let parts = several(text).flat_map(|part| part.split(',')).map(str::trim).filter(|part| !part.is_empty());
    parts.map(|email| (column, Email { email: email.to_owned(), label: label.to_owned() })).collect()
}

fn phones(text: &str, label: &str) -> Vec<Phone> {
    let phone = |number: &str| Phone { number: number.to_owned(), label: label.to_owned(), ..Phone::default() };
    several(text).flat_map(whole_numbers).map(phone).collect()
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
    let url = if url.contains(':') { url.to_owned() } else { format!("https://{url}") };
    let mut link = Map::from_iter([("url".to_owned(), Value::from(url))]);
    if !name.trim().is_empty() {
        link.insert("name".to_owned(), Value::from(name.trim()));
    }
    (!line.is_empty()).then_some(Value::Object(link))
}

fn money(amount: &MoneyAmount) -> Value {
    serde_json::json!({ "amount": amount.amount, "currency": amount.currency })
}

/// Writes the parts of an address as lines, those of one place on one line.
fn address_lines(parts: &[(u8, String)]) -> String {
    let mut lines: Vec<(u8, String)> = Vec::new();
    for (place, text) in parts {
        match lines.iter_mut().find(|(known, _)| known == place) {
            Some((_, line)) => {
                line.push(' ');
                line.push_str(text);
            }
            None => lines.push((*place, text.clone())),
        }
    }
    lines.sort_by_key(|(place, _)| *place);
    lines.into_iter().map(|(_, line)| line).collect::<Vec<_>>().join("\n")
}

/// Returns notes as clean HTML: a text without tags becomes paragraphs.
fn notes(text: &str) -> Result<Option<String>> {
    if text.starts_with('<') && text.contains('>') {
        return clean_notes(text);
    }
    let paragraphs = text.lines().map(|line| format!("<p>{}</p>", html::escape_text(line)));
    clean_notes(&paragraphs.collect::<String>())
}
