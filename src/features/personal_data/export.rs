//! Export of everything about one person: a JSON object that is written to a file piece by piece, so that a long history
//! takes no memory.

use std::{
    collections::BTreeSet,
    fs::File,
    io::{BufWriter, Seek as _, Write},
};

use serde::Serialize;
use serde_json::{Map, Value, json};
use uuid::Uuid;

use crate::{
    feature::{CustomField, FieldValues, FileOnRecord, RecordKind, fields_in_use},
    features::{
        audit,
        customers::{Customer, Statuses},
        files, find_kind, kinds,
        organizations::Organization,
        records::{
            KindPath,
            links::{LINKS_BY_RECORD, RecordLink},
            timeline,
        },
    },
    kernel::{Error, Id, MemberId, Result, i18n::Locale},
    people::{
        members::{Company, MemberRecord},
        permission::Reader,
    },
    store::{Record as _, Scan, Stored, TenantRead},
};

/// Records that are read at once.
const READ_AT_ONCE: usize = 100;

/// Writes a JSON object member by member.
struct ObjectWriter<W> {
    out: W,
    is_empty: bool,
}

impl<W: Write> ObjectWriter<W> {
    fn begin(mut out: W) -> Result<Self> {
        out.write_all(b"{").map_err(Error::internal)?;
        Ok(Self { out, is_empty: true })
    }

    fn name(&mut self, name: &str) -> Result<()> {
        let between = if self.is_empty { "" } else { "," };
        self.is_empty = false;
        write!(self.out, "{between}\n\"{name}\": ").map_err(Error::internal)
    }

    fn member(&mut self, name: &str, value: &impl Serialize) -> Result<()> {
        self.name(name)?;
        serde_json::to_writer(&mut self.out, value).map_err(Error::internal)
    }

    /// Writes a list of the values that `each` gives.
    fn list(
        &mut self,
        name: &str,
        each: impl FnOnce(&mut dyn FnMut(&Value) -> Result<()>) -> Result<()>,
    ) -> Result<()> {
        self.name(name)?;
        let out = &mut self.out;
        let mut between = "[";
        each(&mut |value| {
            write!(out, "{between}\n{value}").map_err(Error::internal)?;
            between = ",";
            Ok(())
        })?;
        self.out.write_all(if between == "[" { b"[]" } else { b"\n]" }).map_err(Error::internal)
    }

    fn end(mut self) -> Result<W> {
        self.out.write_all(b"\n}\n").map_err(Error::internal)?;
        Ok(self.out)
    }
}

/// An export of a person, for a reader.
pub struct PersonExport {
    /// Who reads it.
    pub reader: Reader,
    /// The language of the names of statuses.
    pub locale: Locale,
    /// The person.
    pub id: Id<Customer>,
}

impl PersonExport {
    /// Writes the export to a file. Returns the file at its beginning, and the name of the person.
    /// Errors: `not_found`; `damaged` when the record is; `internal` when the file cannot be written.
    pub fn write(&self, tx: &TenantRead<'_>, file: File) -> Result<(File, String)> {
        let person = tx.get::<Customer>(self.id)?;
        let kind = find_kind(Customer::KIND).ok_or_else(|| Error::internal("customers are no kind"))?;
        let mut object = ObjectWriter::begin(BufWriter::new(file))?;
        object.member("company", &Company::of(tx)?.name)?;
        object.member("person", &self.person(tx, kind, &person)?)?;
        object.member("files", &files_of(tx, kind, &person)?)?;
        object.list("records", |visit| self.each_related(tx, kind, &person, visit))?;
        let mut members: BTreeSet<MemberId> = person.owner_id.into_iter().chain(person.created_by).collect();
        let mut damaged = 0;
        object.list("timeline", |visit| {
            damaged = timeline::each_entry(tx, self.reader, (KindPath::of(kind), self.id.uuid()), |entry| {
                let by = entry.get("by").and_then(Value::as_str).and_then(|by| by.parse().ok());
                members.extend(by.map(|by: Id<()>| by.cast()));
                visit(entry)
            })?;
            Ok(())
        })?;
        object.list("auditLog", |visit| {
            audit::each_about(tx, *self.id.as_bytes(), visit)
                .map(|left_out| damaged += usize::try_from(left_out).unwrap_or(0))
        })?;
        let names = members.into_iter().filter_map(|id| {
            let member = tx.find_intact::<MemberRecord>(id).ok()??;
            Some(json!({"id": id, "name": member.name}))
        });
        object.member("members", &names.collect::<Vec<Value>>())?;
        if damaged > 0 {
            object.member("damaged", &damaged)?;
        }
        let mut file = object.end()?.into_inner().map_err(Error::internal)?;
        file.rewind().map_err(Error::internal)?;
        Ok((file, person.value.name))
    }

    /// Returns the record as the call shows it, with the names of its status and custom fields.
    fn person(&self, tx: &TenantRead<'_>, kind: &RecordKind, person: &Stored<Customer>) -> Result<Value> {
        let ops = kind.exchange.ok_or_else(|| Error::internal("customers are not exported"))?;
        let shown = (ops.shown)(tx, self.reader, self.id.uuid())?;
        let Some((_, Value::Object(mut shown))) = shown else { return Err(Error::not_found()) };
        let statuses = Statuses::of(tx)?;
        let status = statuses.in_use().find(|status| status.id == person.status);
        let names = status.map(|status| status.name_in(self.locale));
        shown.insert("statusName".to_owned(), json!(names));
        let fields = fields_in_use(tx, Customer::KIND)?;
        shown.insert("customFields".to_owned(), custom_fields(&fields, &person.fields));
        Ok(Value::Object(shown))
    }

    /// Visits the records that refer to the person or are linked to it, and the organization.
    fn each_related(
        &self,
        tx: &TenantRead<'_>,
        kind: &'static RecordKind,
        person: &Stored<Customer>,
        visit: &mut dyn FnMut(&Value) -> Result<()>,
    ) -> Result<()> {
        let mut show = |kind: &RecordKind, id: Uuid| match kind.find_card(tx, self.reader, id)? {
            Some(card) => visit(&json!({"kind": kind.kind, "id": id, "title": card.title, "link": card.link})),
            None => Ok(()),
        };
        if let Some((organization, kind)) = person.organization_id.zip(find_kind(Organization::KIND)) {
            show(kind, organization.uuid())?;
        }
        let record = (kind, self.id.uuid());
        for other in kinds().filter(|other| other.has_parts()) {
            let mut before = None;
            loop {
                let found = other.find_referrers(tx, self.reader, record, before, READ_AT_ONCE)?;
                for referrer in &found {
                    show(other, referrer.id)?;
                }
                // The newest come first.
                before = found.iter().map(|referrer| referrer.id).min();
                if found.len() < READ_AT_ONCE {
                    break;
                }
            }
        }
        let mut after = None;
        loop {
            let links = Scan::with(LINKS_BY_RECORD, self.id.as_bytes()).limit(READ_AT_ONCE).after(after);
            let page = tx.page::<RecordLink>(&links, |_| true)?;
            for link in page.items {
                show(link.to_kind.kind(), link.to)?;
            }
            after = page.next;
            if after.is_none() {
                return Ok(());
            }
        }
    }
}

/// Returns the values of custom fields by the names of the fields, with the names of choices.
fn custom_fields(fields: &[Stored<CustomField>], values: &FieldValues) -> Value {
    let mut shown = Map::new();
    for field in fields {
        let Some(value) = values.0.get(&field.key) else { continue };
        let name = |value: &Value| {
            let choice = field.choices.iter().find(|choice| value.as_str() == Some(&choice.key));
            choice.map_or_else(|| value.clone(), |choice| json!(choice.name))
        };
        let value = match value {
            Value::Array(values) => values.iter().map(name).collect(),
            value => name(value),
        };
        shown.insert(field.name.clone(), value);
    }
    Value::Object(shown)
}

/// Returns the uploaded files of the record: pictures and attachments. Those of comments are with them in the timeline.
fn files_of(tx: &TenantRead<'_>, kind: &RecordKind, person: &Stored<Customer>) -> Result<Vec<Value>> {
    let own = kind.files.map_or(Ok(Vec::new()), |files| (files.list)(tx, *person.id.as_bytes()))?;
    let mut paths: Vec<String> = own.into_iter().map(|FileOnRecord { file, .. }| file.path).collect();
    paths.extend(person.avatar.clone());
    paths.extend(person.background.clone());
    let mut found = Vec::new();
    for path in paths {
        if let Some(file) = files::by_url(tx, &path)? {
            found.push(json!({"name": file.name, "type": file.kind, "size": file.size, "path": path}));
        }
    }
    Ok(found)
}
