//! Import and export of a company's records by the operator, in the name of a member: with that member's rights, region and
//! language.

use std::{
    fs::File,
    net::{IpAddr, Ipv4Addr},
    path::PathBuf,
    time::Duration,
};

use serde::{Deserialize, Serialize};
use tokio::time::sleep;

use super::temp_file::{TempFile, unusable_file_error};
use crate::{
    feature::{RecordKind, fields_in_use},
    features::{
        exchange::{
            export::{Audience, Export, ExportFormat, MAX_EXPORTED, read_columns},
            import::{
                self, ChoiceNames, ColumnTarget, Duplicates, Guesser, Import, ImportPlan, NamedChoice, NewImport,
                ValueMatch,
            },
        },
        files::{FileStore, UploadForm, keep_for},
        kinds,
        records::lists::{IdList, IdQuery, ListReader},
        team::rules::by_email,
    },
    formats::{CsvHints, Delimiter},
    index::Engine,
    kernel::{
        Code, Error, Id, Result, SearchScope, TenantId,
        progress::{Progress, ProgressReport, Unit},
        run_blocking,
    },
    people::{
        audit::{self, Event},
        members::ActiveMember,
        permission::{Permission, Reader},
    },
    store::{Actor, Store, Stored, TenantWrite},
};

/// Pause between two looks at an import in progress.
const LOOK: Duration = Duration::from_millis(50);
/// How long an export waits for the search index.
const INDEX_WAIT: Duration = Duration::from_secs(60);
/// Where the operator's requests come from: this machine.
const HERE: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

/// The member in whose name records are imported or exported.
struct Author {
    tenant: TenantId,
    member: ActiveMember,
    kind: &'static RecordKind,
}

impl Author {
    /// Finds the member with an e-mail address who has rights on the records of a kind.
    /// Errors: `not_found` at `as`; `forbidden`; `invalid` at `kind`.
    fn find(
        store: &Store,
        tenant: TenantId,
        email: &str,
        kind: &str,
        right: fn(&RecordKind) -> Permission,
    ) -> Result<Self> {
        let found = kinds().find(|known| known.name == kind && known.exchange.is_some());
        let kind = found.ok_or_else(|| Error::field("kind", "errors.import.kind"))?;
        let snapshot = store.snapshot()?;
        let tx = snapshot.tenant(tenant, None);
        let unknown = |error: Error| error.and_field("as", "errors.fields.unknown_reference", Vec::new());
        let id = by_email(&tx, email).map_err(unknown)?.id;
        let inactive = || unknown(Error::not_found().explain(format!("{email} may not sign in to the company.")));
        let member = ActiveMember::find(&tx, id)?.ok_or_else(inactive)?;
        let role = member.member.role;
        if !role.has(kind.rights.read) || !role.has(right(kind)) {
            return Err(Error::new(Code::Forbidden));
        }
        Ok(Self { tenant, member, kind })
    }

    fn reader(&self) -> Reader {
        Reader { id: self.member.member.id, role: self.member.member.role }
    }

    fn actor(&self) -> Actor {
        Actor::Member(self.member.member.id)
    }
}

/// What is imported, and how.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RecordsImport {
    /// The name of the kind, such as `customers`.
    pub kind: String,
    /// The e-mail address of the member in whose name.
    pub author: String,
    /// The file.
    pub file: PathBuf,
    /// What happens with rows whose record exists.
    pub duplicates: Duplicates,
    /// The fields that columns go to, instead of those that are guessed, by the names of the columns. An empty field
    /// leaves the column out.
    pub columns: Vec<(String, String)>,
    /// What values of columns become: the name of the column, a colon and the value, with the id or the name of a choice.
    /// An empty choice leaves the value out.
    pub values: Vec<(String, String)>,
    /// How many rows with content are skipped above the names of the columns, or the first row; found if none.
    pub skipped_rows: Option<u8>,
    /// Whether the rows are only tried.
    pub only_check: bool,
    /// Where the refused rows are written, with what is wrong.
    pub report: Option<PathBuf>,
}

/// Where a column of a file went.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportedColumn {
    /// The name of the column.
    pub column: String,
    /// The field that it went to; `None` if it was left out.
    pub field: Option<String>,
}

/// Imports records from a file, and waits for the end.
/// Errors: `not_found` and `forbidden` for the member; `invalid` at `file`, `kind`, `column` and `value`; `conflict` while
/// another import of the company is in progress, and at `report` when that file exists.
pub async fn import_records(
    store: &Store,
    files: &FileStore,
    tenant: TenantId,
    order: RecordsImport,
    progress: &Progress,
) -> Result<(Stored<Import>, Vec<ImportedColumn>)> {
    let author = Author::find(store, tenant, &order.author, &order.kind, |kind| kind.rights.write)?;
    let report = order.report.clone().map(|place| TempFile::create_next_to(place, store.entropy())).transpose()?;
    let file = File::open(&order.file).map_err(|error| unusable_file_error(&order.file, &error))?;
    let name = order.file.file_name().map(|name| name.to_string_lossy().into_owned());
    let upload = UploadForm::copy_of(name, file, files).await?;
    let hints = CsvHints { skipped_rows: order.skipped_rows, ..CsvHints::default() };
    let id = keep(store, files, &author, upload, hints).await?;
    let begun = begin(store, &author, id, &order).await;
    if let Err(error) = begun {
        remove(store, &author, id).await?;
        return Err(error);
    }
    let done = loop {
        let now = store.snapshot()?.tenant(tenant, None).get::<Import>(id)?;
        if !now.state.is_in_progress() {
            break now;
        }
        let step = if order.only_check { "Checking rows" } else { "Importing rows" }.to_owned();
        progress.set(ProgressReport { step, unit: Unit::Items, done: now.counts.done, total: Some(now.rows) });
        sleep(LOOK).await;
    };
    let columns = store.snapshot()?.tenant(tenant, None).get::<ImportPlan>(id)?.value.columns;
    if let Some((temp, file)) = report {
        write_report(store, &author, id, file)?;
        temp.keep()?;
    }
    if order.only_check {
        remove(store, &author, id).await?;
    }
    let columns = columns.into_iter().map(|column| {
        let field = column.target.map(|target| match target {
            ColumnTarget::Field(name) | ColumnTarget::NewField { name, .. } => name,
        });
        ImportedColumn { column: column.header, field }
    });
    Ok((done, columns.collect()))
}

/// Reads a file, and keeps it as an import that can begin.
async fn keep(
    store: &Store,
    files: &FileStore,
    author: &Author,
    upload: UploadForm,
    hints: CsvHints,
) -> Result<Id<Import>> {
    let kind = author.kind;
    let fields = fields_in_use(&store.snapshot()?.tenant(author.tenant, None), kind.kind)?;
    let guesser = Guesser { kind, fields, region: author.member.region(), locale: author.member.locale() };
    let path = upload.path().to_owned();
    let found = run_blocking(move || import::inspect(&path, &guesser, hints)).await?;
    let create = move |tx: &TenantWrite<'_>, (name, path): (String, String)| {
        import::create(tx, NewImport { kind, name, path, found })
    };
    Ok(keep_for((author.tenant, author.actor()), files, upload, create).await?.id)
}

/// Sets where the columns go, and begins.
async fn begin(store: &Store, author: &Author, id: Id<Import>, order: &RecordsImport) -> Result<()> {
    let reader = author.reader();
    let columns = order.columns.clone();
    let duplicates = order.duplicates;
    let only_check = order.only_check;
    let values = order.values.clone();
    let kind = author.kind;
    let locale = author.member.locale();
    let work = move |tx: &TenantWrite<'_>| {
        let plan = tx.get::<ImportPlan>(id)?;
        if let Some((header, _)) =
            columns.iter().find(|(header, _)| plan.columns.iter().all(|column| column.header != *header))
        {
            let params = vec![("name", header.clone())];
            return Err(Error::new(Code::Invalid).and_field("column", "errors.import.unknown_column", params));
        }
        let mut next = plan.value.columns;
        for (header, field) in columns {
            let target = Some(field).filter(|field| !field.is_empty()).map(ColumnTarget::Field);
            for column in next.iter_mut().filter(|column| column.header == header) {
                column.target.clone_from(&target);
            }
        }
        let fields = fields_in_use(tx, kind.kind)?;
        for (at, choice) in values {
            let column = next.iter_mut().find_map(|column| {
                let value = at.strip_prefix(&column.header)?.strip_prefix(':')?.to_owned();
                Some((column, value))
            });
            let Some((column, value)) = column else {
                let params = vec![("name", at)];
                return Err(Error::new(Code::Invalid).and_field("value", "errors.import.unknown_value", params));
            };
            let choices = match &column.target {
                Some(ColumnTarget::Field(name)) => import::choices_of(tx, kind, &fields, name, locale)?,
                _ => None,
            };
            let choices = choices.ok_or_else(|| Error::field("value", "errors.import.no_choices"))?;
            let choice = match choice.as_str() {
                "" => None,
                choice => Some(find_choice(choices, choice)?),
            };
            column.values.push(ValueMatch { value, choice });
        }
        import::change(tx, reader, id, |plan| {
            plan.duplicates = duplicates;
            plan.columns = next;
        })?;
        if only_check {
            import::begin_check(tx, reader, id)?;
        } else {
            import::start(tx, reader, id, HERE)?;
        }
        Ok(())
    };
    store.write(author.tenant, author.actor(), work).await.map(|((), _)| ())
}

/// Returns the id of the choice that a text names.
/// Errors: `invalid` at `value`.
fn find_choice(choices: Vec<(String, String)>, typed: &str) -> Result<String> {
    match ChoiceNames::of([choices]).find(typed) {
        NamedChoice::One(id) => Ok(id.to_owned()),
        NamedChoice::None => Err(Error::field("value", "errors.import.no_choice")),
        NamedChoice::Several => Err(Error::field("value", "errors.import.ambiguous_choice")),
    }
}

/// Removes an import that has not begun, with what its check found.
async fn remove(store: &Store, author: &Author, id: Id<Import>) -> Result<()> {
    let reader = author.reader();
    while store.write(author.tenant, author.actor(), move |tx| import::remove(tx, reader, id)).await?.0 {}
    Ok(())
}

fn write_report(store: &Store, author: &Author, id: Id<Import>, file: File) -> Result<()> {
    let snapshot = store.snapshot()?;
    let tx = snapshot.tenant(author.tenant, None);
    import::write_report(&tx, author.reader(), id, author.member.locale(), file).map(drop)
}

/// What is exported, and how.
#[derive(Clone, Debug)]
pub struct RecordsExport {
    /// The name of the kind, such as `customers`.
    pub kind: String,
    /// The e-mail address of the member who may see the records.
    pub author: String,
    /// The format.
    pub format: ExportFormat,
    /// The character between the cells of a CSV file; a comma by default.
    pub delimiter: Option<Delimiter>,
    /// The order, as in the parameter `sort` of lists; that of creation by default.
    pub sort: Option<String>,
    /// The columns of a CSV file; all fields if there are none.
    pub columns: Vec<String>,
}

/// Exports all records of a kind that a member may see to a new file that only its owner can read. Returns their number.
/// Errors: `not_found` and `forbidden` for the member; `invalid` at `kind`, `format`, `delimiter` and `columns`; `bad_request` at
/// `sort`; `busy` while the search index, which sorts, lacks changes; `conflict` at `file` when it exists, `invalid` when
/// it cannot be created.
pub async fn export_records(
    store: &Store,
    engine: &Engine,
    tenant: TenantId,
    order: RecordsExport,
    place: PathBuf,
    progress: &Progress,
) -> Result<usize> {
    let RecordsExport { kind, author, format, delimiter, sort, columns } = order;
    let author = Author::find(store, tenant, &author, &kind, |kind| kind.rights.read)?;
    let kind = author.kind;
    format.ensure_fits(kind)?;
    let delimiter = format.read_delimiter(delimiter)?;
    let actor = author.actor();
    let locale = author.member.locale();
    let columns = read_columns(&store.snapshot()?.tenant(tenant, None), kind, locale, &columns, format)?;
    let query = sort.map(|sort| id_query(store, &author, &sort)).transpose()?;
    if query.is_some() {
        await_index(store, engine, tenant).await?;
    }
    let index = engine.tenant(tenant).with_scope(SearchScope::of(author.member.member.id));
    let from = store.clone();
    let progress = progress.clone();
    let write = move || {
        let (temp, file) = TempFile::create_next_to(place, from.entropy())?;
        let snapshot = from.snapshot()?;
        let tx = snapshot.tenant(tenant, None);
        let ops = kind.exchange.ok_or_else(|| Error::field("kind", "errors.import.kind"))?;
        let reader = author.reader();
        let ids = match query {
            Some(query) => query.read(&index, &tx)?,
            None => (ops.ids)(&tx, reader, MAX_EXPORTED)?,
        };
        let count = ids.len();
        let audience = Audience { reader, locale, timezone: author.member.timezone().to_owned() };
        Export { audience, kind, ops, ids, columns, delimiter, progress }.write(&tx, format, file)?;
        Ok((temp, count))
    };
    let (temp, count) = run_blocking(write).await?;
    let event = move |tx: &TenantWrite<'_>| {
        let event = Event::new("records.exported").with("kind", kind.name).with("count", count.to_string());
        audit::write(tx, event.from_address(HERE.to_string()))
    };
    // Written before the file appears: an entry without a file is better than a file without an entry.
    store.write(tenant, actor, event).await?;
    temp.keep()?;
    Ok(count)
}

/// Returns what reads the records of an export in an order.
fn id_query(store: &Store, author: &Author, sort: &str) -> Result<IdQuery> {
    let snapshot = store.snapshot()?;
    let tx = snapshot.tenant(author.tenant, None);
    let reader = author.reader();
    let of_list = ListReader { me: reader.id, now: store.clock().now(), timezone: author.member.timezone() };
    let list = IdList { sort: Some(sort), max: MAX_EXPORTED, ..IdList::default() };
    list.query(&tx, author.kind, reader.role, &of_list, author.member.locale())
}

/// Waits until the search index has the last change of a tenant.
/// Errors: `busy` when it does not get it in time, or is incomplete.
async fn await_index(store: &Store, engine: &Engine, tenant: TenantId) -> Result<()> {
    let last = store.snapshot()?.tenant(tenant, None).changes_before(u64::MAX, 1, |_| true)?;
    let has_all = engine.wait_until(last.first().map_or(0, |change| change.seq), INDEX_WAIT).await;
    if has_all && !engine.is_partial() { Ok(()) } else { Err(Error::new(Code::Busy)) }
}
