//! Records as the cells of a CSV file: all fields, which an import reads without loss, or the columns of a list, to read.

use std::collections::HashMap;

use serde_json::Value;
use uuid::Uuid;

use crate::{
    feature::{
        ColumnInfo, ColumnType, CustomField, ExchangeField, ExchangeOps, ExchangeValue, FieldType, RecordKind,
        exchange::value_at, fields_in_use,
    },
    features::{
        exchange::names::{label, name_with_key, tell_apart},
        find_kind,
    },
    kernel::{
        MemberId, Result, Timestamp,
        i18n::{Locale, say},
        text::fold,
    },
    people::{members::MemberRecord, permission::Reader},
    store::{Stored, TenantRead},
};

/// Writes records of a kind as rows.
pub struct Cells<'a> {
    tx: &'a TenantRead<'a>,
    audience: &'a Audience,
    kind: &'static RecordKind,
    columns: Vec<Column>,
    /// Whether an import reads the file without loss.
    is_imported_again: bool,
    choices: HashMap<&'static str, Vec<(String, String)>>,
    members: HashMap<MemberId, MemberNames>,
}

/// For whom a file is written.
#[derive(Debug)]
pub struct Audience {
    /// Who sees the records.
    pub reader: Reader,
    /// The language of the names of columns and choices.
    pub locale: Locale,
    /// The time zone of moments in files to read.
    pub timezone: String,
}

/// What a member is called in files.
struct MemberNames {
    /// In files that are imported again.
    email: String,
    /// In files to read.
    name: String,
}

/// A column of the file.
enum Column {
    /// A field with one value.
    Field(&'static ExchangeField),
    /// An entry of a list of addresses or numbers: the field, the place of the entry, and whether it is its label.
    Entry(&'static ExchangeField, usize, EntryPart),
    /// All entries of a list of addresses or numbers.
    Entries(&'static ExchangeField),
    /// A custom field.
    Custom(Box<CustomField>),
    /// A column of lists without a field of files, or with one that is hard to read: its title and its values.
    Listed(String, Box<ColumnInfo>),
}

/// What a column has of an entry of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EntryPart {
    Value,
    /// The country of a phone number that was written without one.
    Country,
    Label,
}

/// The columns of lists whose entries are columns of their own.
#[derive(Debug, Default)]
pub struct Widths {
    /// The most entries that a record has.
    widest: HashMap<&'static str, usize>,
    /// Whether a phone number was written without its country.
    countries: bool,
}

impl Widths {
    /// Notes the lists of a record.
    pub fn note(&mut self, ops: &ExchangeOps, record: &Value) {
        for field in ops.fields.iter().filter(|field| is_entries(field)) {
            let entries = at(record, field.path).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
            let widest = self.widest.entry(field.name).or_insert(1);
            *widest = (*widest).max(entries.len());
            self.countries |= entries.iter().any(|entry| country(entry).is_some());
        }
    }
}

/// Returns the fields that files of a kind have.
fn exported(ops: &ExchangeOps) -> impl Iterator<Item = &'static ExchangeField> + use<> {
    ops.fields.iter().filter(|field| !field.value.is_imported_only())
}

/// Returns the address or number of an entry of a list, as people dial it from any country.
fn entry_value<'v>(field: &ExchangeField, entry: &'v Value) -> Option<&'v Value> {
    if matches!(field.value, ExchangeValue::Emails) {
        return entry.get("email");
    }
    entry.get("international").or_else(|| entry.get("phoneNumber"))
}

/// Returns the address or number of an entry of a list, as it was typed.
fn typed_value(entry: &Value) -> Option<&Value> {
    entry.get("email").or_else(|| entry.get("phoneNumber"))
}

/// Returns the country of a phone number, unless the number begins with it.
fn country(entry: &Value) -> Option<&Value> {
    let number = entry.get("phoneNumber")?.as_str()?;
    entry.get("country").filter(|_| !number.starts_with('+'))
}

const fn is_entries(field: &ExchangeField) -> bool {
    matches!(field.value, ExchangeValue::Emails | ExchangeValue::Phones)
}

/// Returns the name of a column with a part of an entry of a list of addresses or numbers.
fn entry_name(kind: &RecordKind, field: &ExchangeField, (place, part): (usize, EntryPart), locale: Locale) -> String {
    let name = format!("{} {}", label(kind, field, locale), place + 1);
    match part {
        EntryPart::Value => name,
        EntryPart::Country => format!("{name} - {}", say(locale, "server.exchange.country", &[])),
        EntryPart::Label => format!("{name} - {}", say(locale, "server.exchange.label", &[])),
    }
}

/// Whether the columns of a file are those of an export with all fields, by their names in one of the languages. The fields
/// of the kind come first, in their order and without a gap; custom fields may follow.
pub fn is_of_export(kind: &RecordKind, header: &[&str]) -> bool {
    let Some(ops) = kind.exchange else { return false };
    let mut locales = Locale::codes().into_iter().filter_map(Locale::parse);
    locales.any(|locale| begins_as_export(kind, &ops, header, locale))
}

fn begins_as_export(kind: &RecordKind, ops: &ExchangeOps, header: &[&str], locale: Locale) -> bool {
    let mut rest = header;
    let mut takes = |name: &str| match rest.split_first() {
        Some((first, others)) if *first == name => {
            rest = others;
            true
        }
        _ => false,
    };
    exported(ops).all(|field| {
        if !is_entries(field) {
            return takes(&label(kind, field, locale));
        }
        let mut takes_entry = |place: usize| {
            let name = |part| entry_name(kind, field, (place, part), locale);
            let has_value = takes(&name(EntryPart::Value));
            if has_value {
                takes(&name(EntryPart::Country));
            }
            has_value && takes(&name(EntryPart::Label))
        };
        (0..header.len()).take_while(|place| takes_entry(*place)).count() > 0
    })
}

fn at<'a>(record: &'a Value, path: &str) -> Option<&'a Value> {
    value_at(record.as_object()?, path)
}

impl<'a> Cells<'a> {
    /// Prepares the columns of a file with all fields.
    pub fn of_fields(
        tx: &'a TenantRead<'a>,
        audience: &'a Audience,
        (kind, ops): (&'static RecordKind, &ExchangeOps),
        widths: &Widths,
    ) -> Result<Self> {
        let mut columns = Vec::new();
        for field in exported(ops) {
            if is_entries(field) {
                let width = widths.widest.get(field.name).copied().unwrap_or(1);
                let has_country = widths.countries && matches!(field.value, ExchangeValue::Phones);
                let country = has_country.then_some(EntryPart::Country);
                let parts = [Some(EntryPart::Value), country, Some(EntryPart::Label)].into_iter().flatten();
                let entry = |place| parts.clone().map(move |part| Column::Entry(field, place, part));
                columns.extend((0..width).flat_map(entry));
            } else {
                columns.push(Column::Field(field));
            }
        }
        let custom = fields_in_use(tx, kind.kind)?;
        columns.extend(custom.into_iter().map(|field| Column::Custom(Box::new(field.value))));
        Ok(Self { is_imported_again: true, ..Self::new(tx, audience, (kind, ops), columns)? })
    }

    /// Prepares columns with the values of a record that are read by people: each once, and names instead of ids.
    pub fn of_values(
        tx: &'a TenantRead<'a>,
        audience: &'a Audience,
        (kind, ops): (&'static RecordKind, &ExchangeOps),
    ) -> Result<Self> {
        let is_read = |field: &&ExchangeField| !matches!(field.value, ExchangeValue::Id | ExchangeValue::Record(_));
        let column = |field| if is_entries(field) { Column::Entries(field) } else { Column::Field(field) };
        let own = exported(ops).filter(is_read).map(column);
        let custom = fields_in_use(tx, kind.kind)?;
        let custom = custom.into_iter().map(|field| Column::Custom(Box::new(field.value)));
        Self::new(tx, audience, (kind, ops), own.chain(custom).collect())
    }

    /// Returns the names in mappings of the fields of the columns.
    pub fn fields(&self) -> Vec<String> {
        let name = |column: &Column| match column {
            Column::Field(field) | Column::Entry(field, ..) | Column::Entries(field) => field.name.to_owned(),
            Column::Custom(field) => format!("fields.{}", field.key),
            Column::Listed(title, _) => title.clone(),
        };
        self.columns.iter().map(name).collect()
    }

    /// Prepares the columns of a file with columns of the list of the kind.
    pub fn of_list(
        tx: &'a TenantRead<'a>,
        audience: &'a Audience,
        (kind, ops): (&'static RecordKind, &ExchangeOps),
        shown: &[ColumnInfo],
    ) -> Result<Self> {
        let custom = fields_in_use(tx, kind.kind)?;
        let mut columns = Vec::new();
        for column in shown {
            let key = column.name.strip_prefix("fields.");
            let own = key.and_then(|key| custom.iter().find(|field| field.key == key));
            let field = exported(ops).find(|field| field.name == column.name || field.path == column.name);
            let is_listed = matches!(column.value_type, ColumnType::Member | ColumnType::Record | ColumnType::Time);
            match (own, field) {
                (Some(own), _) if is_listed => columns.push(Column::Listed(own.name.clone(), Box::new(column.clone()))),
                (Some(own), _) => columns.push(Column::Custom(Box::new(own.value.clone()))),
                (None, Some(field)) if is_entries(field) => columns.push(Column::Entries(field)),
                (None, Some(field)) if !is_listed => {
                    columns.push(Column::Field(field));
                    let is_currency =
                        |one: &&ExchangeField| one.path == field.path && matches!(one.value, ExchangeValue::Currency);
                    columns.extend(exported(ops).find(is_currency).map(Column::Field));
                }
                (None, field) => {
                    let is_named = |field: &&ExchangeField| {
                        !matches!(field.value, ExchangeValue::Record(_) | ExchangeValue::EndTime { .. })
                    };
                    let named = field.filter(is_named);
                    let title = match named {
                        Some(field) => label(kind, field, audience.locale),
                        None => say(audience.locale, &format!("server.exchange.columns.{}", column.name), &[]),
                    };
                    columns.push(Column::Listed(title, Box::new(column.clone())));
                }
            }
        }
        Self::new(tx, audience, (kind, ops), columns)
    }

    fn new(
        tx: &'a TenantRead<'a>,
        audience: &'a Audience,
        (kind, ops): (&'static RecordKind, &ExchangeOps),
        columns: Vec<Column>,
    ) -> Result<Self> {
        let mut choices = HashMap::new();
        for field in exported(ops) {
            if let ExchangeValue::Choice(of) | ExchangeValue::NumberedChoice(of) = field.value {
                choices.insert(field.name, of(tx, audience.locale)?);
            }
        }
        let mut members = HashMap::new();
        tx.each(|member: Stored<MemberRecord>| {
            members.insert(member.id, MemberNames { email: member.email.clone(), name: member.name.clone() });
            Ok(())
        })?;
        Ok(Self { tx, audience, kind, columns, is_imported_again: false, choices, members })
    }

    /// Returns the names of the columns.
    pub fn header(&self) -> Vec<String> {
        let locale = self.audience.locale;
        let name = |column: &Column| match column {
            Column::Field(field) | Column::Entries(field) => label(self.kind, field, locale),
            Column::Entry(field, place, part) => entry_name(self.kind, field, (*place, *part), locale),
            Column::Custom(field) => field.name.clone(),
            Column::Listed(title, _) => title.clone(),
        };
        let mut names: Vec<String> = self.columns.iter().map(name).collect();
        let folded: Vec<String> = names.iter().map(|name| fold(name)).collect();
        for (at, column) in self.columns.iter().enumerate() {
            if let (Column::Custom(field), Some(name)) = (column, names.get_mut(at))
                && folded.iter().enumerate().any(|(other, known)| other != at && *known == fold(name))
            {
                *name = name_with_key(field);
            }
        }
        if self.is_imported_again {
            let custom = self.columns.iter().enumerate().filter_map(|(at, column)| match column {
                Column::Custom(field) => Some((at, field.as_ref())),
                _ => None,
            });
            tell_apart(self.kind, &mut names, &custom.collect::<Vec<_>>());
        }
        names
    }

    /// Returns the cells of a record.
    pub fn row(&self, record: &Value) -> Result<Vec<String>> {
        self.columns.iter().map(|column| self.cell(column, record)).collect()
    }

    fn cell(&self, column: &Column, record: &Value) -> Result<String> {
        let value = match column {
            Column::Field(field) => at(record, field.path),
            Column::Entry(field, place, part) => {
                let entry = at(record, field.path).and_then(|list| list.get(*place));
                return Ok(text(entry.and_then(|entry| match part {
                    EntryPart::Value => typed_value(entry),
                    EntryPart::Country => country(entry),
                    EntryPart::Label => entry.get("label"),
                })));
            }
            Column::Entries(field) => {
                let all = at(record, field.path).and_then(Value::as_array).into_iter().flatten();
                let all: Vec<String> = all.map(|entry| text(entry_value(field, entry))).collect();
                return Ok(list(all.iter().map(String::as_str)));
            }
            Column::Listed(_, column) => return self.listed(column, record),
            Column::Custom(field) => {
                let value = record.get("fields").and_then(|fields| fields.get(&field.key));
                return Ok(value.map(|value| self.custom(field, value)).unwrap_or_default());
            }
        };
        let (Column::Field(field), Some(value)) = (column, value) else { return Ok(String::new()) };
        Ok(match field.value {
            ExchangeValue::Tags => list(value.as_array().into_iter().flatten().filter_map(Value::as_str)),
            ExchangeValue::Links => links(value),
            ExchangeValue::Checklist => checklist(value),
            ExchangeValue::Checkbox => self.yes_or_no(value),
            ExchangeValue::Money => decimal(value),
            ExchangeValue::Currency => text(value.get("currency")),
            ExchangeValue::Choice(_) | ExchangeValue::NumberedChoice(_) => {
                let id = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                let known = self.choices.get(field.name).into_iter().flatten().find(|(known, _)| *known == id);
                known.map_or(id, |(_, name)| name.clone())
            }
            ExchangeValue::Member => self.email(value),
            ExchangeValue::RecordName(kind) => self.record_name(kind, value)?,
            _ => text(Some(value)),
        })
    }

    /// Returns the value of a column of lists as people read it.
    fn listed(&self, column: &ColumnInfo, record: &Value) -> Result<String> {
        let path = match column.name.as_str() {
            "nextStepDay" => "nextStep.dueDate",
            "visibility" => "visibility.to",
            name => name,
        };
        let Some(value) = at(record, path).filter(|value| !value.is_null()) else { return Ok(String::new()) };
        Ok(match (column.value_type, &column.target) {
            (ColumnType::Member, _) => self.member(value).map(|member| member.name.clone()).unwrap_or_default(),
            (ColumnType::Record, Some(kind)) => self.record_name(kind, value)?,
            (ColumnType::Time, _) => {
                let at = value.as_str().and_then(|at| at.parse::<Timestamp>().ok());
                at.map(|at| at.zoned(&self.audience.timezone).strftime("%Y-%m-%d %H:%M").to_string())
                    .unwrap_or_default()
            }
            (ColumnType::Choice, _) => {
                let key = format!("server.exchange.choices.{}.{}", column.name, text(Some(value)));
                say(self.audience.locale, &key, &[])
            }
            (ColumnType::Number, _) => number(value),
            _ => text(Some(value)),
        })
    }

    fn custom(&self, field: &CustomField, value: &Value) -> String {
        match field.value_type {
            FieldType::Number => number(value),
            FieldType::Money => format!("{} {}", decimal(value), text(value.get("currency"))),
            FieldType::Checkbox => self.yes_or_no(value),
            FieldType::Choice => choice_name(field, value).unwrap_or_default().to_owned(),
            FieldType::Choices => {
                list(value.as_array().into_iter().flatten().filter_map(|key| choice_name(field, key)))
            }
            FieldType::Member => self.email(value),
            _ => text(Some(value)),
        }
    }

    fn yes_or_no(&self, value: &Value) -> String {
        let word = if value.as_bool() == Some(true) { "yes" } else { "no" };
        say(self.audience.locale, &format!("server.exchange.{word}"), &[])
    }

    fn member(&self, id: &Value) -> Option<&MemberNames> {
        self.members.get(&id.as_str()?.parse().ok()?)
    }

    /// Returns the e-mail address of a member.
    fn email(&self, id: &Value) -> String {
        self.member(id).map(|member| member.email.clone()).unwrap_or_default()
    }

    fn record_name(&self, kind: &str, id: &Value) -> Result<String> {
        let id: Option<Uuid> = id.as_str().and_then(|id| id.parse().ok());
        let Some((kind, id)) = find_kind(kind).zip(id) else { return Ok(String::new()) };
        Ok(kind.find_card(self.tx, self.audience.reader, id)?.map(|card| card.title).unwrap_or_default())
    }
}

/// Returns the name of a choice; `None` for a deleted one, which records hide.
fn choice_name<'a>(field: &'a CustomField, key: &Value) -> Option<&'a str> {
    let known = field.choices.iter().find(|choice| key.as_str() == Some(&choice.key));
    known.map(|choice| choice.name.as_str())
}

/// Returns a text or another plain value.
fn text(value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    }
}

/// Writes a list: separated by commas, or one entry on each line if one has a separator.
pub fn list<'a>(entries: impl Iterator<Item = &'a str>) -> String {
    let entries: Vec<&str> = entries.collect();
    let is_divided =
        |entry: &&str| entry.contains([',', ';', '|']) || entry.contains(":::") || entry.starts_with(['"', '[']);
    let is_plain = !entries.iter().any(is_divided);
    // A line end also after the last entry marks lines.
    if is_plain { entries.join(", ") } else { entries.join("\n") + "\n" }
}

fn checklist(value: &Value) -> String {
    let line = |item: &Value| {
        let mark = if item.get("completed").and_then(Value::as_bool) == Some(true) { "[x]" } else { "[ ]" };
        format!("{mark} {}", text(item.get("title")))
    };
    value.as_array().into_iter().flatten().map(line).collect::<Vec<_>>().join("\n")
}

fn links(value: &Value) -> String {
    let line = |link: &Value| {
        let name = text(link.get("name"));
        format!("{} {name}", text(link.get("url"))).trim_end().to_owned()
    };
    value.as_array().into_iter().flatten().map(line).collect::<Vec<_>>().join("\n")
}

/// Writes the amount of an amount of money with a decimal point.
pub fn decimal(value: &Value) -> String {
    let currency = value.get("currency").and_then(Value::as_str).and_then(iso_currency::Currency::from_code);
    let decimals = usize::from(currency.and_then(iso_currency::Currency::exponent).unwrap_or(0));
    let amount = value.get("amount").and_then(Value::as_i64).unwrap_or_default();
    if decimals == 0 {
        return amount.to_string();
    }
    let digits = format!("{:0>width$}", amount.unsigned_abs(), width = decimals + 1);
    let (whole, rest) = digits.split_at(digits.len() - decimals);
    let sign = if amount < 0 { "-" } else { "" };
    unambiguous(format!("{sign}{whole}.{rest}"))
}

fn number(value: &Value) -> String {
    unambiguous(value.as_f64().map(|number| number.to_string()).unwrap_or_default())
}

/// Adds a zero to three decimals: after a point, three digits could be thousands.
fn unambiguous(number: String) -> String {
    let is_ambiguous = number.split_once('.').is_some_and(|(_, decimals)| decimals.len() == 3);
    if is_ambiguous { number + "0" } else { number }
}
