//! HTTP API of imports.

use std::collections::HashMap;

use poem_openapi::{
    Object, OpenApi,
    param::{Path, Query},
};
use serde::Serialize;
use serde_with::skip_serializing_none;
use uuid::Uuid;

use super::{
    choices::choices_of,
    draft::DraftReader,
    model::{
        CheckedChange, CheckedValue, ColumnTarget, Duplicates, GuessedFrom, Import, ImportColumn, ImportCounts,
        ImportFormat, ImportPlan, ImportState, LeftBehind, LeftReason, RowFault, RowProblem, UnknownValue,
        UnknownValues, ValueMatch,
    },
    report,
    rules::{self, NewImport},
    source::{Guesser, Inspection, Source, SourceFormat, inspect},
};
use crate::{
    access::Member,
    feature::{FieldType, RecordKind, fields_in_use},
    features::{
        exchange::names,
        files::{FileStore, UploadForm, keep_as_is},
        records::{KindName, KindPath},
    },
    formats::{CsvHints, DateOrder, DecimalMark, TextEncoding, TextPosition},
    kernel::{Code, Error, Id, MemberId, Result, Timestamp, i18n::Locale},
    people::{
        members::ActiveMember,
        permission::{Read, Right},
    },
    store::{Stored, TenantRead, TenantWrite},
    wire::{
        Accepted, Created, CsvDownload, Download, Empty, IdempotencyKey, Json, JsonResponse, Listed, NoContent,
        NotNull, Reply,
    },
};

/// Imports of a page unless the call says how many.
const USUAL_LIMIT: u32 = 200;
/// Rows of a preview.
const PREVIEWED: usize = 20;
/// Maximum characters of a cell in a preview.
const PREVIEW_CHARS: usize = 200;

/// An import of records from a file.
#[skip_serializing_none]
#[derive(Debug, Serialize, Object)]
#[oai(rename = "Import", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
struct View {
    id: Id<Import>,
    created_at: Timestamp,
    /// The member who began it.
    created_by: Option<MemberId>,
    /// The kind of the records.
    kind: KindPath,
    /// The name of the file.
    name: String,
    state: ImportState,
    /// The number of rows with content, or of cards.
    rows: u64,
    /// What became of the rows, and how many have been looked at.
    counts: ImportCounts,
    /// What the last check counted.
    checked: Option<ImportCounts>,
    /// The first 50 faults of rows: `getImportReport` has all.
    problems: Vec<ProblemView>,
    /// Why the file could not be read to its end.
    fault: Option<String>,
    /// How many rows were undone.
    undone: u64,
    /// How many rows could not be undone, because their records were changed or are used since.
    kept: u64,
    /// The first 50 of these records.
    kept_ids: Vec<Id<()>>,
    /// Why, in the same order: the code of an error. `stale_version`: the record was changed since; `conflict`: something
    /// belongs to it or refers to it since, such as a comment, a task or a deal. Empty for imports that an earlier version
    /// undid.
    kept_reasons: Vec<String>,
    /// What else was made for the import and stays although it was undone: organizations and custom fields.
    left: Vec<LeftView>,
    /// The member who undid it, or is doing so.
    undone_by: Option<MemberId>,
}

/// What was made for an import and stays although the import was undone.
#[skip_serializing_none]
#[derive(Debug, Serialize, Object)]
#[oai(rename = "ImportLeft", skip_serializing_if_is_none)]
struct LeftView {
    /// The kind of a record; absent for a custom field.
    kind: Option<KindName>,
    /// The id of the record or of the custom field.
    id: Uuid,
    /// The name of a custom field.
    name: Option<String>,
    /// Why it stays.
    reason: LeftReason,
}

impl From<LeftBehind> for LeftView {
    fn from(LeftBehind { kind, id, name, reason }: LeftBehind) -> Self {
        Self { kind, id, name, reason }
    }
}

/// What is wrong with a row.
#[skip_serializing_none]
#[derive(Debug, Serialize, Object)]
#[oai(rename = "ImportProblem", skip_serializing_if_is_none)]
struct ProblemView {
    /// The number of the row as in a spreadsheet, or of the card.
    row: u64,
    /// The place of the column, from 0.
    column: Option<u16>,
    /// What is wrong, in the caller's language.
    message: String,
    /// The first 200 characters of the value of the column.
    value: Option<String>,
    /// `true` when the row is imported all the same: without the value of the column, if it names one.
    warning: Option<bool>,
}

impl ProblemView {
    fn of(problem: &RowProblem, locale: Locale) -> Self {
        let RowProblem { row, fault, is_warning } = problem;
        let warning = is_warning.then_some(true);
        Self { row: *row, column: fault.column, message: fault.text(locale), value: fault.value.clone(), warning }
    }
}

impl View {
    fn of(record: Stored<Import>, locale: Locale) -> Self {
        let Stored { id, created_at, created_by, value: import, .. } = record;
        Self {
            id,
            created_at,
            created_by,
            kind: KindPath::of(import.kind.kind()),
            name: import.name,
            state: import.state,
            rows: import.rows,
            counts: import.counts,
            checked: import.checked,
            problems: import.problems.iter().map(|problem| ProblemView::of(problem, locale)).collect(),
            fault: import.fault.as_ref().map(|fault| fault.text(locale)),
            undone: import.undone,
            kept: import.kept,
            kept_ids: import.kept_ids,
            kept_reasons: import.kept_reasons,
            left: import.left.into_iter().map(LeftView::from).collect(),
            undone_by: import.undone_by,
        }
    }
}

/// An import with how its file is read.
#[skip_serializing_none]
#[derive(Debug, Serialize, Object)]
#[oai(rename = "ImportWithPlan", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
struct Planned {
    #[oai(flatten)]
    #[serde(flatten)]
    import: View,
    /// `csv` or `vcard`.
    format: String,
    encoding: TextEncoding,
    /// The character between the cells of a CSV file.
    delimiter: Option<String>,
    /// Whether the first row of a CSV file names the columns.
    has_header: Option<bool>,
    /// How many rows with content above that of a CSV file are skipped, such as a title.
    skipped_rows: Option<u8>,
    /// The order of day, month and year in dates of numbers.
    date_order: DateOrder,
    /// The character before decimals.
    decimal_mark: DecimalMark,
    duplicates: Duplicates,
    /// The columns of the file in their order.
    columns: Vec<ColumnView>,
    /// What rows would change of records that exist, as the last check found: the first 50 records. `getImportReport` has
    /// all.
    changes: Vec<ChangeView>,
}

/// What a row would change of a record.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "ImportChange")]
struct ChangeView {
    /// The number of the row as in a spreadsheet, or of the card.
    row: u64,
    /// The id of the record.
    id: Id<()>,
    /// What the record is called.
    title: String,
    /// The values that would change.
    values: Vec<ChangedValueView>,
}

/// A value that a row would change.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "ImportChangedValue")]
struct ChangedValueView {
    /// The label of the field in the caller's language.
    field: String,
    /// The first 100 characters of the value that it has; empty without one.
    before: String,
    /// The first 100 characters of the value that it gets.
    after: String,
}

impl ChangeView {
    fn of(CheckedChange { row, id, title, values }: CheckedChange, labels: &HashMap<String, String>) -> Self {
        let value = |CheckedValue { field, before, after }| {
            let field = labels.get(&field).cloned().unwrap_or(field);
            ChangedValueView { field, before, after }
        };
        Self { row, id, title, values: values.into_iter().map(value).collect() }
    }
}

/// A column of a file.
#[skip_serializing_none]
#[derive(Debug, Serialize, Object)]
#[oai(rename = "ImportColumn", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
struct ColumnView {
    /// Its name in the file; empty without one.
    header: String,
    /// Some of its first values.
    samples: Vec<String>,
    /// The field that it goes to; absent for a column that is not imported.
    field: Option<String>,
    /// The custom field that is defined for it when the import begins.
    new_field: Option<NewFieldView>,
    /// What `field` was guessed from: the name of the column, or its first values. Absent once a change says where the
    /// column goes.
    guessed_from: Option<GuessedFrom>,
    /// The label of its e-mail addresses or phone numbers.
    label: String,
    /// What some of its values become.
    values: Vec<ValueMatch>,
    /// The values that are no choices of the field, those of most rows first, at most 200, whatever `values` says of them.
    /// The last check found them.
    unknown_values: Vec<UnknownValue>,
    /// How often the column has further values that are no choices.
    unknown_others: u64,
    /// Whether the column goes to a field of numbers and has some, such as `1,200`, that can be read with either decimal
    /// mark, while nothing in it says with which. Changing `decimalMark` says it.
    ambiguous_numbers: bool,
}

/// A custom field that is defined when an import begins.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "ImportNewField")]
struct NewFieldView {
    /// Its name, at most 100 characters.
    name: String,
    /// The type of its values: not one with choices, members or records.
    #[oai(rename = "type")]
    #[serde(rename = "type")]
    value_type: FieldType,
}

impl From<ImportColumn> for ColumnView {
    fn from(column: ImportColumn) -> Self {
        let (field, new_field) = match column.target {
            None => (None, None),
            Some(ColumnTarget::Field(name)) => (Some(name), None),
            Some(ColumnTarget::NewField { name, value_type }) => (None, Some(NewFieldView { name, value_type })),
        };
        let ImportColumn { header, samples, guessed_from, label, values, unknown, .. } = column;
        let UnknownValues { listed: unknown_values, others: unknown_others } = unknown;
        Self {
            header,
            samples,
            field,
            new_field,
            guessed_from,
            label,
            values,
            unknown_values,
            unknown_others,
            ambiguous_numbers: false,
        }
    }
}

impl Planned {
    /// Reads what a check found of an import.
    fn read(tx: &TenantRead<'_>, (import, plan): (Stored<Import>, Stored<ImportPlan>), locale: Locale) -> Result<Self> {
        let changes = rules::first_changes(tx, &import)?;
        let kind = import.kind.kind();
        let ambiguous = rules::ambiguous_columns(tx, kind, &plan)?;
        let mut planned = Self::of((import, plan), locale);
        for (at, column) in planned.columns.iter_mut().enumerate() {
            column.ambiguous_numbers = ambiguous.contains(&at);
        }
        if !changes.is_empty() {
            let labels = report::labels_of_fields(tx, kind, locale)?;
            planned.changes = changes.into_iter().map(|change| ChangeView::of(change, &labels)).collect();
        }
        Ok(planned)
    }

    fn of((import, plan): (Stored<Import>, Stored<ImportPlan>), locale: Locale) -> Self {
        let plan = plan.value;
        let (format, encoding, dialect) = match plan.format {
            ImportFormat::Csv(dialect) => ("csv", dialect.encoding, Some(dialect)),
            ImportFormat::Vcard(encoding) => ("vcard", encoding, None),
        };
        Self {
            import: View::of(import, locale),
            format: format.to_owned(),
            encoding,
            delimiter: dialect.as_ref().map(|dialect| char::from(dialect.delimiter).to_string()),
            has_header: dialect.as_ref().map(|dialect| dialect.has_header),
            skipped_rows: dialect.as_ref().map(|dialect| dialect.skipped_rows),
            date_order: plan.date_order,
            decimal_mark: plan.decimal_mark,
            duplicates: plan.duplicates,
            columns: plan.columns.into_iter().map(ColumnView::from).collect(),
            changes: Vec::new(),
        }
    }
}

/// Changes to how the file of an import is read. Absent members stay unchanged. With `encoding`, `delimiter`, `hasHeader`
/// or `skippedRows` the file is read again, and the fields of its columns are guessed again.
#[derive(Object)]
#[oai(rename = "ImportPatch", rename_all = "camelCase", deny_unknown_fields)]
struct Patch {
    encoding: NotNull<TextEncoding>,
    /// One character between the cells of a CSV file.
    delimiter: NotNull<String>,
    /// Whether the first row of a CSV file names the columns.
    has_header: NotNull<bool>,
    /// How many rows with content of a CSV file are skipped above the names of columns, or the first row. Found again with
    /// `hasHeader` alone.
    skipped_rows: NotNull<u8>,
    date_order: NotNull<DateOrder>,
    decimal_mark: NotNull<DecimalMark>,
    duplicates: NotNull<Duplicates>,
    /// Where all columns go, in their order.
    columns: NotNull<Vec<ColumnInput>>,
}

/// Where a column goes: to a field, to a new custom field, or nowhere.
#[derive(Object)]
#[oai(rename = "ImportColumnInput", rename_all = "camelCase", deny_unknown_fields)]
struct ColumnInput {
    /// The name of a field, as `listImportFields` names them.
    field: Option<String>,
    /// A custom field that is defined when the import begins.
    new_field: Option<NewFieldView>,
    /// The label of e-mail addresses or phone numbers, at most 50 characters; unchanged by default.
    label: Option<String>,
    /// What values of the column become, at most 200, for a field with choices, or one of yes or no (`true`, `false`).
    /// Unchanged by default; none when the column goes to another field than before.
    values: Option<Vec<ValueMatch>>,
}

impl ColumnInput {
    fn apply(self, column: &mut ImportColumn) {
        let field = self.field.map(ColumnTarget::Field);
        let new = self.new_field.map(|NewFieldView { name, value_type }| ColumnTarget::NewField { name, value_type });
        let target = field.or(new);
        if target != column.target {
            column.guessed_from = None;
            column.values.clear();
            column.unknown = UnknownValues::default();
        }
        if let Some(values) = self.values {
            column.values = values;
        }
        column.target = target;
        if let Some(label) = self.label {
            column.label = label.chars().take(50).collect();
        }
    }
}

/// A field that columns of a file can go to.
#[skip_serializing_none]
#[derive(Debug, Serialize, Object)]
#[oai(rename = "ImportField", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
struct FieldView {
    /// Its name in mappings.
    name: String,
    /// Its label in the caller's language.
    label: String,
    /// Whether several columns can go to it.
    is_list: bool,
    /// Whether a record cannot be created without it.
    is_required: bool,
    /// The choices that its values can be, with names in the caller's language; `true` and `false` for yes and no. Absent
    /// for other fields.
    choices: Option<Vec<ChoiceView>>,
}

/// A choice of a field.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "ImportChoice")]
struct ChoiceView {
    id: String,
    name: String,
}

/// The fields that columns of a file can go to.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "ImportFields")]
struct Fields {
    items: Vec<FieldView>,
}

/// The first rows of a file as they would be imported.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "ImportPreview")]
struct Preview {
    /// At most 20.
    rows: Vec<PreviewRow>,
}

/// A row of a preview.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "ImportPreviewRow")]
struct PreviewRow {
    /// Its number as in a spreadsheet, or of the card.
    row: u64,
    /// Its cells, clipped to 200 characters; dates, numbers and amounts as they would be kept.
    cells: Vec<String>,
    /// What is wrong with its values. What depends on other records is found by a check.
    problems: Vec<ProblemView>,
}

/// The endpoints of imports.
pub struct Api;

#[OpenApi(prefix_path = "/imports", tag = "crate::wire::Tag::Imports")]
impl Api {
    /// Upload a file to import.
    ///
    /// A CSV file (any delimiter; UTF-8, UTF-16, or an encoding of a country, which is guessed and can be changed by
    /// `changeImport`; with or without names of columns) of customers, organizations, deals or tasks, or vCards (2.1, 3.0, 4.0) of customers: at
    /// most 50 MiB, unless the server is set otherwise (`limits.import`; `getSchema` names the limits), and 100,000 rows. It
    /// is read to its end, and the fields of its columns are guessed by their names and values. Nothing is imported before
    /// `startImport`.
    #[oai(path = "/", method = "post", operation_id = "createImport")]
    async fn create(
        &self,
        member: Member<Read>,
        file_store: FileStore,
        kind: Query<KindPath>,
        #[oai(name = "Idempotency-Key")] key: IdempotencyKey,
        form: UploadForm,
    ) -> Reply<Created<Planned>> {
        let kind = kind.0.kind();
        ensure_may_import(&member, kind)?;
        let guesser = guesser(&member, kind)?;
        let path = form.path().to_owned();
        let found = member.compute(move || inspect(&path, &guesser, CsvHints::default())).await?;
        let keep = |tx: &TenantWrite<'_>, (name, path): (String, String)| {
            rules::create(tx, NewImport { kind, name, path, found })
        };
        let import = keep_as_is(&member, &file_store, form, ("imports.create", key.0), keep).await?;
        let reader = member.reader();
        let locale = member.locale();
        let body = member.read(|tx| Planned::read(tx, rules::get_with_plan(tx, reader, import.id)?, locale))?;
        Ok(Created { location: format!("/api/imports/{}", import.id), version: 1, body })
    }

    /// List imports.
    ///
    /// The caller's own of the last 30 days, the newest first; for administrators those of all members, also of former ones,
    /// that have begun.
    #[oai(path = "/", method = "get", operation_id = "listImports")]
    async fn list(
        &self,
        member: Member<Read>,
        /// Maximum number of imports, 1 to 200; 200 by default. A page has fewer when they take more than 4 MiB: only
        /// `nextCursor` tells whether it is the last one.
        limit: Query<Option<u32>>,
        cursor: Query<Option<String>>,
    ) -> Reply<Listed<View>> {
        let cursors = member.cursors();
        let paging = cursors.paging(limit.0.or(Some(USUAL_LIMIT)), cursor.0.as_deref())?;
        let reader = member.reader();
        let locale = member.locale();
        let (page, total) = member.read_blocking(move |tx| rules::list(tx, reader, paging)).await?;
        let views = page.items.into_iter().map(|import| View::of(import, locale));
        Ok(Listed(cursors.list(views, page.next, total)?.without_damaged(page.damaged)))
    }

    /// List the fields of a kind in files.
    ///
    /// The fields that columns can go to, with the custom fields of the company.
    #[oai(path = "/fields", method = "get", operation_id = "listImportFields")]
    async fn fields(&self, member: Member<Read>, kind: Query<KindPath>) -> Reply<JsonResponse<Fields>> {
        let kind = kind.0.kind();
        ensure_may_import(&member, kind)?;
        let locale = member.locale();
        let items = member.read(|tx| {
            let defined = fields_in_use(tx, kind.kind)?;
            let choices = |name: &str| {
                let found = choices_of(tx, kind, &defined, name, locale)?;
                Ok(found.map(|all| all.into_iter().map(|(id, name)| ChoiceView { id, name }).collect()))
            };
            let own = kind.exchange.map(|ops| ops.fields).unwrap_or_default().iter().map(|field| {
                Ok(FieldView {
                    name: field.name.to_owned(),
                    label: names::label(kind, field, locale),
                    is_list: field.value.is_list(),
                    is_required: field.is_required,
                    choices: choices(field.name)?,
                })
            });
            let custom = defined.iter().map(|field| {
                let name = format!("fields.{}", field.key);
                let choices = choices(&name)?;
                Ok(FieldView { name, label: field.name.clone(), is_list: false, is_required: false, choices })
            });
            own.chain(custom).collect::<Result<Vec<_>>>()
        })?;
        Ok(JsonResponse(Fields { items }))
    }

    /// Get an import.
    #[oai(path = "/:id", method = "get", operation_id = "getImport")]
    async fn get(&self, member: Member<Read>, id: Path<Id<Import>>) -> Reply<JsonResponse<Planned>> {
        let reader = member.reader();
        let locale = member.locale();
        let planned = member.read(|tx| Planned::read(tx, rules::get_with_plan(tx, reader, id.0)?, locale))?;
        member.await_all_writes()?;
        Ok(JsonResponse(planned))
    }

    /// Change how the file of an import is read.
    ///
    /// Before it begins.
    #[oai(path = "/:id", method = "patch", operation_id = "changeImport")]
    async fn change(
        &self,
        member: Member<Read>,
        file_store: FileStore,
        id: Path<Id<Import>>,
        body: Json<Patch>,
    ) -> Reply<JsonResponse<Planned>> {
        let reader = member.reader();
        let locale = member.locale();
        let mut patch = body.0;
        if let Some(found) = read_again(&member, &file_store, id.0, &mut patch).await? {
            member.write(move |tx| rules::replace(tx, reader, id.0, found)).await?;
        }
        let columns = patch.columns.into_option();
        let (_, plan) = member.read(|tx| rules::get_own_with_plan(tx, reader, id.0))?;
        if columns.as_ref().is_some_and(|columns| columns.len() != plan.columns.len()) {
            return Err(Error::field("columns", "errors.import.column_count").into());
        }
        let change = move |plan: &mut ImportPlan| {
            patch.date_order.update_to(&mut plan.date_order);
            if let Some(mark) = patch.decimal_mark.into_option() {
                plan.decimal_mark = mark;
                plan.is_mark_chosen = true;
            }
            patch.duplicates.update_to(&mut plan.duplicates);
            for (column, input) in plan.columns.iter_mut().zip(columns.into_iter().flatten()) {
                input.apply(column);
            }
        };
        member.write(move |tx| rules::change(tx, reader, id.0, change).map(drop)).await?;
        let changed = member.read(|tx| Planned::read(tx, rules::get_with_plan(tx, reader, id.0)?, locale))?;
        Ok(JsonResponse(changed))
    }

    /// Preview an import.
    ///
    /// The first rows, and what is wrong with their values.
    #[oai(path = "/:id/preview", method = "get", operation_id = "previewImport")]
    async fn preview(
        &self,
        member: Member<Read>,
        file_store: FileStore,
        id: Path<Id<Import>>,
    ) -> Reply<JsonResponse<Preview>> {
        let reader = member.reader();
        let now = member.now();
        let locale = member.locale();
        let preview = member.read_blocking(move |tx| {
            let (import, plan) = rules::get_own_with_plan(tx, reader, id.0)?;
            let author = ActiveMember::find(tx, reader.id)?.ok_or_else(Error::not_found)?;
            let path = file_store.path_of(tx, &plan.path)?;
            let columns = plan.columns.len();
            let source = Source::open(&path, &SourceFormat::of(&plan), TextPosition::default());
            let mut source = source.map_err(|error| Error::internal(format!("an import: {error:?}")))?;
            let drafts = DraftReader::new(tx, import.kind.kind(), plan.value, &author, now)?;
            let mut rows = Vec::new();
            while rows.len() < PREVIEWED
                && let Ok(Some(row)) = source.next()
            {
                let draft = drafts.read(&row);
                let mut cells = vec![String::new(); columns];
                for cell in &row.cells {
                    if let Some(shown) = cells.get_mut(usize::from(cell.column)) {
                        shown.extend(cell.text.chars().take(PREVIEW_CHARS));
                    }
                }
                for (column, kept) in &draft.shown {
                    if let Some(shown) = cells.get_mut(usize::from(*column)) {
                        shown.clone_from(kept);
                    }
                }
                let problem = |fault: &RowFault, is_warning| {
                    ProblemView::of(&RowProblem { row: row.number, fault: fault.clone(), is_warning }, locale)
                };
                let faults = draft.with_values(draft.faults.iter().cloned().chain(draft.missing()).collect());
                let mut problems: Vec<ProblemView> = faults.iter().map(|fault| problem(fault, false)).collect();
                problems.extend(draft.warnings.iter().map(|fault| problem(fault, true)));
                rows.push(PreviewRow { row: row.number, cells, problems });
            }
            Ok(Preview { rows })
        });
        Ok(JsonResponse(preview.await?))
    }

    /// Check an import.
    ///
    /// Tries all rows in the background as the import would, and keeps nothing of them: `checked` and `problems` of
    /// `getImport`, and `getImportReport`, say what would happen. While another import of the company is in progress, the
    /// answer is 409 `import_in_progress`.
    #[oai(path = "/:id/check", method = "post", operation_id = "checkImport")]
    async fn check(&self, member: Member<Read>, id: Path<Id<Import>>, _body: Json<Empty>) -> Reply<Accepted<View>> {
        let reader = member.reader();
        let begun = member.write(move |tx| rules::begin_check(tx, reader, id.0)).await?;
        Ok(Accepted(View::of(begun, member.locale())))
    }

    /// Start an import.
    ///
    /// In the background: `getImport` says how far it is. Rows that are refused are skipped and listed. It can be undone
    /// for 30 days. No notifications are sent. While another import of the company is in progress, the answer is 409
    /// `import_in_progress`.
    #[oai(path = "/:id/start", method = "post", operation_id = "startImport")]
    async fn start(&self, member: Member<Read>, id: Path<Id<Import>>, _body: Json<Empty>) -> Reply<Accepted<View>> {
        let reader = member.reader();
        let kind = member.read(|tx| rules::get_own(tx, reader, id.0))?.kind.kind();
        ensure_may_import(&member, kind)?;
        let from = member.address();
        let begun = member.write(move |tx| rules::start(tx, reader, id.0, from)).await?;
        Ok(Accepted(View::of(begun, member.locale())))
    }

    /// Stop an import or a check before its end.
    ///
    /// What was imported stays until it is undone. Administrators may stop those of all members.
    #[oai(path = "/:id/stop", method = "post", operation_id = "stopImport")]
    async fn stop(&self, member: Member<Read>, id: Path<Id<Import>>, _body: Json<Empty>) -> Reply<JsonResponse<View>> {
        let reader = member.reader();
        let stopped = member.write(move |tx| rules::stop(tx, reader, id.0)).await?;
        Ok(JsonResponse(View::of(stopped, member.locale())))
    }

    /// Undo an import.
    ///
    /// In the background: created records go to the bin, changed ones get their former values, and custom fields that were
    /// defined for it are deleted if no record has a value of theirs. What was changed or is used since then stays as it
    /// is, and is listed. While another import of the company is in progress, the answer is 409
    /// `import_in_progress`. Administrators may undo those of all members, also of former ones.
    #[oai(path = "/:id/undo", method = "post", operation_id = "undoImport")]
    async fn undo(&self, member: Member<Read>, id: Path<Id<Import>>, _body: Json<Empty>) -> Reply<Accepted<View>> {
        let reader = member.reader();
        let from = member.address();
        let begun = member.write(move |tx| rules::begin_undo(tx, reader, id.0, from)).await?;
        Ok(Accepted(View::of(begun, member.locale())))
    }

    /// Remove an import that has not begun.
    #[oai(path = "/:id", method = "delete", operation_id = "removeImport")]
    async fn remove(&self, member: Member<Read>, id: Path<Id<Import>>) -> Reply<NoContent> {
        let reader = member.reader();
        while member.write(move |tx| rules::remove(tx, reader, id.0)).await? {}
        Ok(NoContent)
    }

    /// Download what is wrong with the rows of an import.
    ///
    /// As CSV: the number of the row, the name of the column, its field, the first 200 characters of the value, and what is
    /// wrong. It has all refused rows, the values that rows were imported without, and the rows whose record exists and
    /// stays as it is, with its name; after a check those that it found.
    #[oai(path = "/:id/report", method = "get", operation_id = "getImportReport")]
    async fn report(&self, member: Member<Read>, file_store: FileStore, id: Path<Id<Import>>) -> Reply<CsvDownload> {
        let reader = member.reader();
        let locale = member.locale();
        let file = file_store.temporary_file()?;
        let file = member.read_blocking(move |tx| report::write(tx, reader, id.0, locale, file)).await?;
        Ok(CsvDownload(Download { name: report::file_name(locale), media_type: "text/csv", file }))
    }
}

/// Rejects callers who may not write records of a kind, and kinds that are not imported.
fn ensure_may_import<R: Right>(member: &Member<R>, kind: &RecordKind) -> Result<()> {
    if kind.exchange.is_none() {
        return Err(Error::field("kind", "errors.import.kind"));
    }
    if member.may(kind.rights.read) && member.may(kind.rights.write) {
        Ok(())
    } else {
        Err(Error::new(Code::Forbidden))
    }
}

fn guesser<R: Right>(member: &Member<R>, kind: &'static RecordKind) -> Result<Guesser> {
    let fields = member.read(|tx| fields_in_use(tx, kind.kind))?;
    Ok(Guesser { kind, fields, region: member.region(), locale: member.locale() })
}

/// Reads the file of an import again, if a change says how.
/// Errors: `not_found`; `invalid`.
async fn read_again(
    member: &Member<Read>,
    file_store: &FileStore,
    id: Id<Import>,
    patch: &mut Patch,
) -> Result<Option<Inspection>> {
    let encoding = std::mem::take(&mut patch.encoding).into_option();
    let delimiter = std::mem::take(&mut patch.delimiter).into_option();
    let has_header = std::mem::take(&mut patch.has_header).into_option();
    let skipped_rows = std::mem::take(&mut patch.skipped_rows).into_option();
    if encoding.is_none() && delimiter.is_none() && has_header.is_none() && skipped_rows.is_none() {
        return Ok(None);
    }
    let delimiter = match delimiter.as_deref().map(str::as_bytes) {
        None => None,
        Some([one]) if one.is_ascii() && !matches!(one, b'"' | b'\r' | b'\n' | 0) => Some(*one),
        Some(_) => return Err(Error::field("delimiter", "errors.import.delimiter")),
    };
    let reader = member.reader();
    let (import, plan) = member.read(|tx| rules::get_own_with_plan(tx, reader, id))?;
    let hints = match &plan.format {
        ImportFormat::Csv(now) => CsvHints {
            encoding: Some(encoding.unwrap_or(now.encoding)),
            delimiter: Some(delimiter.unwrap_or(now.delimiter)),
            has_header: Some(has_header.unwrap_or(now.has_header)),
            skipped_rows: skipped_rows.or_else(|| has_header.is_none().then_some(now.skipped_rows)),
        },
        ImportFormat::Vcard(_) if delimiter.is_none() && has_header.is_none() && skipped_rows.is_none() => {
            CsvHints { encoding, ..CsvHints::default() }
        }
        ImportFormat::Vcard(_) => return Err(Error::field("encoding", "errors.import.no_csv")),
    };
    let path = member.read(|tx| file_store.path_of(tx, &plan.path))?;
    let guesser = guesser(member, import.kind.kind())?;
    member.compute(move || inspect(&path, &guesser, hints)).await.map(Some)
}
