//! HTTP API of custom fields.

use poem_openapi::{
    Object, OpenApi,
    param::{Path, Query},
    types::Any,
};
use serde::Serialize;
use serde_json::{Map, Value, json};
use serde_with::skip_serializing_none;

use super::rules::{
    self, ChoiceDraft, FieldChange, FieldDraft, MAX_CHOSEN, MAX_LONG_TEXT, MAX_NUMBER, MAX_TEXT, MAX_URL,
};
use crate::{
    access::Member,
    feature::{
        Choice, Color, ColumnInfo, ColumnType, CustomField, DefinedChoice, FieldType, MAX_AMOUNT, all_fields,
        columns::Choices, exchange::MAX_IMPORT_ROWS, fields_in_use,
    },
    features::{
        files::FileStore,
        find_kind, kinds,
        records::{KindPath, lists::operators},
    },
    formats::CsvLimits,
    kernel::{Code, Error, Id, Timestamp},
    people::permission::{FieldsManage, Permission, Read},
    store::{Stored, TenantWrite},
    wire::{Created, Empty, IdempotencyKey, IfMatch, Json, JsonResponse, Listed, NoContent, NotNull, Reply, Versioned},
};

/// A value that a field may have.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "CustomFieldChoice")]
struct ChoiceView {
    /// Identifies it in values.
    key: String,
    name: String,
}

/// A custom field.
#[skip_serializing_none]
#[derive(Debug, Serialize, Object)]
#[oai(rename = "CustomField", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
struct View {
    id: Id<CustomField>,
    version: u64,
    created_at: Timestamp,
    updated_at: Timestamp,
    /// The kind of the records that have it.
    kind: String,
    /// Identifies it in `fields` of the records.
    key: String,
    name: String,
    #[oai(rename = "type")]
    #[serde(rename = "type")]
    value_type: FieldType,
    /// The choices of a field of type `choice` or `choices`.
    choices: Vec<ChoiceView>,
    /// The kind of the records that values of type `record` refer to.
    target: Option<String>,
    /// When it was deleted.
    removed_at: Option<Timestamp>,
}

impl From<Stored<CustomField>> for View {
    fn from(field: Stored<CustomField>) -> Self {
        let Stored { id, version, created_at, updated_at, value, .. } = field;
        let CustomField { kind, key, name, value_type, choices, target, removed_at, position: _, column: _ } = value;
        let path = |kind: String| find_kind(&kind).map_or(kind, |kind| kind.name.to_owned());
        let choices = choices.into_iter().map(|Choice { key, name }| ChoiceView { key, name }).collect();
        let (kind, target) = (path(kind), target.map(path));
        Self { id, version, created_at, updated_at, kind, key, name, value_type, choices, target, removed_at }
    }
}

/// A choice in a request.
#[derive(Object)]
#[oai(rename = "NewCustomFieldChoice", deny_unknown_fields)]
struct NewChoice {
    /// Identifies it in values: letters and digits. Made from the name by default.
    key: Option<String>,
    /// The name, at most 100 characters.
    name: String,
}

impl From<NewChoice> for ChoiceDraft {
    fn from(NewChoice { key, name }: NewChoice) -> Self {
        Self { key, name }
    }
}

/// A new custom field.
#[derive(Object)]
#[oai(rename = "NewCustomField", rename_all = "camelCase", deny_unknown_fields)]
struct New {
    /// The kind of the records that have it.
    kind: KindPath,
    /// Identifies it in `fields` of the records: letters and digits. Made from the name by default.
    key: Option<String>,
    /// The name, at most 100 characters.
    name: String,
    #[oai(rename = "type")]
    value_type: FieldType,
    /// The choices of a field of type `choice` or `choices`, at most 100.
    #[oai(default)]
    choices: Vec<NewChoice>,
    /// The kind of the records that values of type `record` refer to.
    target: Option<KindPath>,
}

/// Changes to a custom field. Key and type never change.
#[derive(Object)]
#[oai(rename = "CustomFieldPatch", rename_all = "camelCase", deny_unknown_fields)]
struct Patch {
    name: NotNull<String>,
    /// All choices, at most 100. Values of missing ones are no longer shown.
    choices: NotNull<Vec<NewChoice>>,
    /// The new place among the fields of the kind, from 0.
    place: NotNull<u32>,
}

/// What the records of the caller's company accept.
#[derive(Debug, Serialize, Object)]
#[oai(rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
struct Schema {
    kinds: Vec<KindSchema>,
    /// The number of bytes that an uploaded file may have.
    max_file_bytes: u64,
    limits: SchemaLimits,
}

/// The limits of requests.
#[derive(Debug, Serialize, Object)]
struct SchemaLimits {
    import: ImportLimits,
}

/// The limits of a file to import.
#[derive(Debug, Serialize, Object)]
#[oai(rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
struct ImportLimits {
    /// Bytes of the file: the setting `limits.import`.
    bytes: u64,
    /// Rows with content without the names of the columns, or vCards.
    rows: u64,
    /// Columns of a CSV file.
    columns: u64,
    /// Characters of a cell.
    cell_characters: u64,
    /// Bytes of the cells of a row, as UTF-8.
    row_bytes: u64,
}

impl ImportLimits {
    fn of(files: &FileStore) -> Self {
        let CsvLimits { columns, cell_chars, row_bytes, .. } = CsvLimits::default();
        Self {
            bytes: files.max_import_bytes(),
            rows: MAX_IMPORT_ROWS,
            columns: columns as u64,
            cell_characters: cell_chars as u64,
            row_bytes: row_bytes as u64,
        }
    }
}

/// What the records of a kind accept.
#[derive(Debug, Serialize, Object)]
struct KindSchema {
    /// The kind, as in the paths of its calls.
    kind: String,
    /// A JSON Schema of `fields`: the custom fields with their limits.
    fields: Any<Value>,
    /// The columns by which its lists can be filtered and sorted.
    columns: Vec<ColumnSchema>,
    /// The fields that `createBulkChange` may set; with `tags`, it may also add and take away tags. Empty for a kind
    /// whose records are changed one by one.
    bulk: Vec<String>,
}

/// A column of the lists of a kind.
#[derive(Debug, Serialize, Object)]
struct ColumnSchema {
    /// Its name in the parameters `filter` and `sort`, such as `status` or `fields.budget`.
    name: String,
    /// The type of its values.
    #[oai(rename = "type")]
    #[serde(rename = "type")]
    value_type: ColumnType,
    /// The operators of its filters.
    operators: Vec<String>,
    /// Whether lists can be sorted by it. By members and records they are sorted by their names.
    sortable: bool,
    /// The kind of the records that its values refer to, as in the paths of its calls.
    #[oai(skip_serializing_if_is_none)]
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<String>,
    /// The values that the company chooses from, in their order: those of a custom field, or of a register such as the
    /// statuses of customers.
    #[oai(skip_serializing_if_is_none)]
    #[serde(skip_serializing_if = "Option::is_none")]
    choices: Option<Vec<ChoiceSchema>>,
}

/// A value that the company chooses from.
#[skip_serializing_none]
#[derive(Debug, Serialize, Object)]
#[oai(rename = "ColumnChoice", skip_serializing_if_is_none)]
struct ChoiceSchema {
    /// Identifies it in values and filters.
    key: String,
    /// The name, in the language of the reader unless the company gave it one.
    name: String,
    color: Option<Color>,
}

impl From<DefinedChoice> for ChoiceSchema {
    fn from(DefinedChoice { key, name, color }: DefinedChoice) -> Self {
        Self { key, name, color }
    }
}

impl From<ColumnInfo> for ColumnSchema {
    fn from(column: ColumnInfo) -> Self {
        let ColumnInfo { name, value_type, target, choices, indexed_as: _, hides_others: _ } = column;
        let choices = match choices {
            Choices::Defined(choices) if !choices.is_empty() => {
                Some(choices.into_iter().map(ChoiceSchema::from).collect())
            }
            _ => None,
        };
        let target = target.and_then(|target| find_kind(&target)).map(|kind| kind.name.to_owned());
        Self {
            name,
            value_type,
            operators: operators(value_type).iter().map(|one| (*one).to_owned()).collect(),
            sortable: value_type.is_sortable(),
            target,
            choices,
        }
    }
}

/// The endpoints of custom fields.
pub struct Api;

#[OpenApi(tag = "crate::wire::Tag::Records")]
impl Api {
    /// List custom fields.
    ///
    /// Lists the fields of a kind, or of all kinds, in the order of the forms.
    #[oai(path = "/fields", method = "get", operation_id = "listCustomFields")]
    async fn list(
        &self,
        member: Member<Read>,
        kind: Query<Option<KindPath>>,
        /// Whether to list the deleted fields instead, which administrators may restore for 30 days.
        #[oai(default)]
        removed: Query<bool>,
    ) -> Reply<Listed<View>> {
        if removed.0 && !member.may(Permission::FieldsManage) {
            return Err(Error::new(Code::Forbidden).into());
        }
        let mut fields = Vec::new();
        member.read(|tx| {
            for one in kinds().filter(|one| kind.0.as_ref().is_none_or(|kind| kind.kind().kind == one.kind)) {
                let all = all_fields(tx, one.kind)?;
                fields.extend(all.into_iter().filter(|field| field.removed_at.is_some() == removed.0));
            }
            Ok(())
        })?;
        let total = fields.len() as u64;
        Ok(Listed(member.cursors().list(fields, None, total)?))
    }

    /// Define a custom field.
    #[oai(path = "/fields", method = "post", operation_id = "createCustomField")]
    async fn create(
        &self,
        member: Member<FieldsManage>,
        #[oai(name = "Idempotency-Key")] key: IdempotencyKey,
        body: Json<New>,
    ) -> Reply<Created<View>> {
        let New { kind, key: name_in_values, name, value_type, choices, target } = body.0;
        let draft = FieldDraft {
            kind: kind.kind(),
            key: name_in_values,
            name,
            value_type,
            choices: choices.into_iter().map(ChoiceDraft::from).collect(),
            target: target.map(KindPath::kind),
        };
        let from = member.address();
        let work = move |tx: &TenantWrite<'_>| rules::create(tx, draft, from);
        let field = member.write_idempotent("fields.create", key.0, body.1, work).await?;
        Ok(Created::in_list("/api/fields", field))
    }

    /// Change a custom field.
    #[oai(path = "/fields/:id", method = "patch", operation_id = "changeCustomField")]
    async fn change(
        &self,
        member: Member<FieldsManage>,
        id: Path<Id<CustomField>>,
        #[oai(name = "If-Match")] if_match: IfMatch,
        body: Json<Patch>,
    ) -> Reply<Versioned<View>> {
        let Patch { name, choices, place } = body.0;
        let choices = choices.into_option().map(|all| all.into_iter().map(ChoiceDraft::from).collect());
        let place = place.into_option().map(|place| place as usize);
        let change = FieldChange { name: name.into_option(), choices, place };
        let from = member.address();
        let field = member.write(move |tx| rules::change(tx, id.0, if_match.0, change, from)).await?;
        Ok(Versioned::of(field))
    }

    /// Delete a custom field.
    ///
    /// Its values are no longer shown. They are kept for 30 days, in which the field can be restored with them.
    #[oai(path = "/fields/:id", method = "delete", operation_id = "removeCustomField")]
    async fn remove(
        &self,
        member: Member<FieldsManage>,
        id: Path<Id<CustomField>>,
        #[oai(name = "If-Match")] if_match: IfMatch,
    ) -> Reply<NoContent> {
        let from = member.address();
        member.write(move |tx| rules::remove(tx, id.0, if_match.0, from)).await?;
        Ok(NoContent)
    }

    /// Restore a deleted custom field with its values.
    #[oai(path = "/fields/:id/restore", method = "post", operation_id = "restoreCustomField")]
    async fn restore(
        &self,
        member: Member<FieldsManage>,
        id: Path<Id<CustomField>>,
        _body: Json<Empty>,
    ) -> Reply<Versioned<View>> {
        let from = member.address();
        let field = member.write(move |tx| rules::restore(tx, id.0, from)).await?;
        Ok(Versioned::of(field))
    }

    /// Get what records accept.
    ///
    /// Describes for each kind its custom fields, as a JSON Schema, and the columns of its lists, and how large files may
    /// be, also those to import.
    #[oai(path = "/schema", method = "get", operation_id = "getSchema")]
    async fn schema(&self, member: Member<Read>, file_store: FileStore) -> Reply<JsonResponse<Schema>> {
        let locale = member.locale();
        let mut described = Vec::new();
        member.read(|tx| {
            for kind in kinds().filter(|kind| kind.has_parts()) {
                let fields = fields_in_use(tx, kind.kind)?;
                let columns = (kind.columns)(tx, locale)?;
                described.push(KindSchema {
                    kind: kind.name.to_owned(),
                    fields: Any(schema_of(&fields)),
                    columns: columns.into_iter().map(ColumnSchema::from).collect(),
                    bulk: kind.bulk.iter().flat_map(|bulk| bulk.fields).map(|field| (*field).to_owned()).collect(),
                });
            }
            Ok(())
        })?;
        let limits = SchemaLimits { import: ImportLimits::of(&file_store) };
        Ok(JsonResponse(Schema { kinds: described, max_file_bytes: file_store.max_file_bytes(), limits }))
    }
}

/// Returns the JSON Schema of the values of fields.
fn schema_of(fields: &[Stored<CustomField>]) -> Value {
    let properties: Map<String, Value> = fields.iter().map(|field| (field.key.clone(), value_schema(field))).collect();
    json!({"type": "object", "additionalProperties": false, "properties": properties})
}

fn value_schema(field: &CustomField) -> Value {
    let keys: Vec<&str> = field.choices.iter().map(|choice| choice.key.as_str()).collect();
    let mut schema = match field.value_type {
        FieldType::Text => json!({"type": ["string", "null"], "maxLength": MAX_TEXT}),
        FieldType::LongText => json!({"type": ["string", "null"], "maxLength": MAX_LONG_TEXT}),
        FieldType::Number => json!({"type": ["number", "null"], "minimum": -MAX_NUMBER, "maximum": MAX_NUMBER}),
        FieldType::Money => json!({
            "type": ["object", "null"],
            "additionalProperties": false,
            "required": ["amount", "currency"],
            "properties": {
                "amount": {"type": "integer", "minimum": -MAX_AMOUNT, "maximum": MAX_AMOUNT},
                "currency": {"type": "string", "pattern": "^[A-Z]{3}$"},
            },
        }),
        FieldType::Date => json!({"type": ["string", "null"], "format": "date"}),
        FieldType::Choice => {
            let all: Vec<Value> = keys.into_iter().map(Value::from).chain([Value::Null]).collect();
            json!({"type": ["string", "null"], "enum": all})
        }
        FieldType::Choices => {
            let items = json!({"type": "string", "enum": keys});
            json!({"type": ["array", "null"], "maxItems": MAX_CHOSEN, "items": items})
        }
        FieldType::Checkbox => json!({"type": ["boolean", "null"]}),
        FieldType::Url => json!({"type": ["string", "null"], "format": "uri", "maxLength": MAX_URL}),
        FieldType::Member | FieldType::Record => json!({"type": ["string", "null"], "format": "uuid"}),
    };
    if let Some(schema) = schema.as_object_mut() {
        schema.insert("title".to_owned(), Value::from(field.name.clone()));
    }
    schema
}
