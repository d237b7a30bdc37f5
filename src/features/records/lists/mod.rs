//! Lists filtered and sorted by any column: the parameters `filter` and `sort` of the list calls.
//!
//! A filter is `<column>:<operator>:<value>[,<value>...]`, such as `status:is:lead,active`. Records must pass all
//! filters, and satisfy a filter with one of its values. In a value, `\` before a comma or another `\` keeps it.

mod sums;
#[cfg(test)]
mod tests;

pub use sums::Api;

use std::{collections::HashSet, marker::PhantomData, ops::Bound};

use poem_openapi::types::{ParseFromJSON, ParseFromParameter, ToJSON, Type};
use serde::Serialize;
use uuid::Uuid;

use crate::{
    access::{Member, NameOfId},
    feature::{
        ColumnInfo, ColumnType, KindRecord, RecordKind,
        columns::{self, checkbox, day, folded, number},
    },
    features::{
        find_imported, find_kind,
        listing::{FoundRecords, ListPage, find_all},
        records::{
            fields::shown_page,
            may_know_of,
            names::{RecordNames, ShowsNames},
        },
    },
    index::{
        ColumnFilter, ColumnName, ColumnQuery, ColumnSelection, ColumnTest, ListWords, ListedIds, RowPlace, Tally,
        TenantIndex,
    },
    kernel::{
        Birthday, Code, ColumnValue, Day, Error, Heading, Id, MemberId, Result, Timestamp, error::Faults, i18n::Locale,
        text::fold,
    },
    people::{
        members::MemberRecord,
        permission::{self, Right, Role},
    },
    store::{Record, RecordId, Stored, TenantRead, TenantWrite},
    wire::{Listed, Paging, Reply, page::foreign_cursor},
};

/// Maximum filters of a list.
const MAX_FILTERS: usize = 16;
/// Maximum shown columns.
pub const MAX_COLUMNS: usize = 100;
/// Maximum filters of a saved view. Screens may add some of their own to those of a view.
const MAX_VIEW_FILTERS: usize = 12;
/// Maximum bytes of all filters of a saved view: a screen reads all views of a kind in one response.
const MAX_VIEW_BYTES: usize = 20_000;
/// Maximum values of a filter.
const MAX_VALUES: usize = 100;
/// Maximum characters of a filter.
const MAX_FILTER: usize = 5_000;
/// Furthest days from today in a filter.
const MAX_DAYS: i64 = 100_000;
/// Largest number in a filter.
const MAX_NUMBER: f64 = 1e15;

/// A list filtered or sorted by columns.
#[derive(Debug)]
pub struct ColumnList<R: Record> {
    /// The filters, as in the request.
    filters: Vec<String>,
    /// The column by which the list is sorted, after a `-` if the order is descending.
    sort: String,
    /// Values that columns must have, from other parameters.
    also: Vec<(&'static str, Range)>,
    /// Only records that match these words.
    words: Option<ListWords>,
    record: PhantomData<R>,
}

impl<R: Record> ColumnList<R> {
    /// Describes a list by the parameters of a call. `order` is the order without `sort`.
    pub fn new(filters: Vec<String>, sort: Option<String>, order: &str, words: Option<ListWords>) -> Self {
        Self { filters, sort: sort.unwrap_or_else(|| order.to_owned()), also: Vec::new(), words, record: PhantomData }
    }
}

/// Returns the words to which the parameter `q` narrows a list, if there are any.
pub fn words(heading: Heading, q: Option<String>) -> Option<ListWords> {
    q.filter(|typed| !typed.trim().is_empty()).map(|typed| ListWords { typed, heading })
}

/// Returns the order of an index of the store that answers a list; `None` for a list that needs the columns.
pub fn stored_order<S: ParseFromParameter + Default>(
    words: Option<&ListWords>,
    filters: &[String],
    sort: Option<&str>,
) -> Option<S> {
    if words.is_some() || !filters.is_empty() {
        return None;
    }
    sort.map_or_else(|| Some(S::default()), |sort| S::parse_from_parameter(sort).ok())
}

impl<R: KindRecord> ColumnList<R> {
    /// Adds a value that a column must have, if there is one.
    pub fn and(mut self, column: &'static str, value: Option<ColumnValue>) -> Self {
        self.also.extend(value.map(|value| (column, exactly(value))));
        self
    }

    /// Adds a range in which the value of a column must lie.
    pub fn within(mut self, column: &'static str, range: Range) -> Self {
        self.also.push((column, range));
        self
    }

    /// Reads a page of the list, and whether records may be missing because the index is being rebuilt. Waits until the
    /// company's changes are in the index.
    /// Errors: `invalid` with the filters; `bad_request` for an unknown order or the cursor of another list.
    pub async fn page<P: Right>(mut self, member: &Member<P>, paging: Paging) -> Result<(ListPage<R>, bool)> {
        let reader = ListReader::of(member);
        let read = |tx: &TenantRead<'_>| {
            let known = columns::columns::<R>(tx, member.locale())?;
            let filters = mask_hidden(tx, member.reader(), &known, &self.filters)?;
            Ok((known, filters))
        };
        let (known, filters) = member.read(read)?;
        self.filters = filters;
        let name_of = find_order(&self.sort, &known).map_or(None, |(column, _)| name_of(column, member.reader()));
        let (mut query, imports) = self.query(&known, &reader, &paging)?;
        query.selection.every_scope = R::SEES_ALL.is_some_and(|right| member.may(right));
        let selection = narrow_to_imports(member, query.selection, imports).await?;
        let selection = pass_over_hidden_for(member, selection, &known).await?;
        let query = ColumnQuery { selection, ..query };
        let searched = member.list(query, name_of).await?;
        let rows = searched.found;
        let ids: Vec<RecordId<R>> = rows.rows.iter().map(|row| Id::from_bytes(row.id)).collect();
        let reader = member.reader();
        let found =
            member.read_blocking(move |tx| find_all(tx, &ids, &|one: &Stored<R>| R::is_visible_to(one, reader)));
        let FoundRecords { items, looked_up, damaged } = found.await?;
        let has_more = rows.has_more || looked_up < rows.rows.len();
        let last = looked_up.checked_sub(1).and_then(|at| rows.rows.get(at));
        let next = last.filter(|_| has_more).map(place_bytes);
        Ok((ListPage { items, next, total: rows.total, damaged }, searched.is_partial))
    }

    fn query(
        self,
        known: &[ColumnInfo],
        reader: &ListReader<'_>,
        paging: &Paging,
    ) -> Result<(ColumnQuery, Vec<ImportIds>)> {
        let mut faults = Faults::default();
        let ReadFilters { mut filters, imports } =
            read_filters(&self.filters, ("filter", MAX_FILTERS), known, reader, &mut faults);
        let (sort, descending) = order_of(&self.sort, known)?;
        faults.into_result()?;
        for (name, range) in self.also {
            let column = known.iter().find(|column| column.name == name);
            let column = column.ok_or_else(|| Error::internal(format!("no column {name}")))?;
            filters.push(filter(column, ColumnTest::Within(vec![range]), false));
        }
        let after = paging.after.as_deref().map(read_place).transpose()?;
        let selection = ColumnSelection { kind: R::KIND, filters, words: self.words, among: None, every_scope: false };
        Ok((ColumnQuery { selection, sort: indexed(sort), descending, after, limit: paging.limit }, imports))
    }
}

/// Returns what names the values in a column of members, records or choices, by which lists are sorted. Those who have
/// left, records that are gone or that the reader may not see, and deleted choices have no name.
fn name_of(column: &ColumnInfo, reader: permission::Reader) -> Option<NameOfId> {
    match column.value_type {
        ColumnType::Member => Some(Box::new(|tx, id| {
            let member = tx.find_intact::<MemberRecord>(id.parse().ok()?).ok()?;
            Some(fold(&member?.name))
        })),
        ColumnType::Record => {
            let kind = find_kind(column.target.as_deref()?)?;
            Some(Box::new(move |tx, id| {
                let card = kind.find_card(tx, reader, id.parse().ok()?).ok()?;
                Some(fold(&card?.title))
            }))
        }
        ColumnType::Choice => {
            let shown: HashSet<String> = column.shown_choices()?.iter().map(|choice| choice.key.clone()).collect();
            Some(Box::new(move |_, key| shown.get(key).cloned()))
        }
        _ => None,
    }
}

/// Answers a list call with a page of a list.
pub async fn reply<R, P, V>(member: &Member<P>, list: ColumnList<R>, paging: Paging) -> Reply<Listed<V>>
where
    R: KindRecord,
    P: Right,
    V: From<Stored<R>> + Type + ParseFromJSON + ToJSON + Serialize,
{
    reply_with(member, list, paging, |_, _| Ok(())).await
}

/// Answers a list call with a page of a list whose records show the names of others.
pub async fn reply_with_names<R, P, V>(member: &Member<P>, list: ColumnList<R>, paging: Paging) -> Reply<Listed<V>>
where
    R: KindRecord,
    P: Right,
    V: ShowsNames + From<Stored<R>> + Type + ParseFromJSON + ToJSON + Serialize,
{
    let reader = member.reader();
    let add_names = move |tx: &TenantRead<'_>, views: &mut [V]| {
        let mut names = RecordNames::new(tx, reader);
        views.iter_mut().try_for_each(|view| view.add_names(&mut names))
    };
    reply_with(member, list, paging, add_names).await
}

async fn reply_with<R, P, V>(
    member: &Member<P>,
    list: ColumnList<R>,
    paging: Paging,
    complete: impl FnOnce(&TenantRead<'_>, &mut [V]) -> Result<()>,
) -> Reply<Listed<V>>
where
    R: KindRecord,
    P: Right,
    V: From<Stored<R>> + Type + ParseFromJSON + ToJSON + Serialize,
{
    let (page, is_partial) = list.page(member, paging).await?;
    let ListPage { items, next, total, damaged } = page;
    let views = member.read(|tx| {
        let page = shown_page(tx, ListPage { items, next: None, total, damaged })?;
        let mut views: Vec<V> = page.items.into_iter().map(V::from).collect();
        complete(tx, &mut views)?;
        Ok(views)
    })?;
    let list = member.cursors().list(views, next, total)?.without_damaged(damaged);
    Ok(Listed(list.with_partial(is_partial)))
}

/// Returns the records of a kind that pass the filters and match the words, if given; and the imports to which filters
/// narrow them.
/// Errors: `invalid` with the filters.
fn select(
    kind: &RecordKind,
    known: &[ColumnInfo],
    role: Role,
    reader: &ListReader<'_>,
    filters: &[String],
    words: Option<ListWords>,
) -> Result<(ColumnSelection, Vec<ImportIds>)> {
    let mut faults = Faults::default();
    let ReadFilters { filters, imports } = read_filters(filters, ("filter", MAX_FILTERS), known, reader, &mut faults);
    faults.into_result()?;
    let every_scope = kind.sees_all.is_some_and(|right| role.has(right));
    Ok((ColumnSelection { kind: kind.kind, filters, words, among: None, every_scope }, imports))
}

/// Returns the records that `select` does for a caller, and the columns of the kind.
async fn select_for<P: Right>(
    member: &Member<P>,
    kind: &RecordKind,
    filters: &[String],
    words: Option<ListWords>,
) -> Result<(ColumnSelection, Vec<ColumnInfo>)> {
    let read = |tx: &TenantRead<'_>| {
        let known = (kind.columns)(tx, member.locale())?;
        let filters = mask_hidden(tx, member.reader(), &known, filters)?;
        Ok((known, filters))
    };
    let (known, filters) = member.read(read)?;
    let (selection, imports) = select(kind, &known, member.reader().role, &ListReader::of(member), &filters, words)?;
    let selection = narrow_to_imports(member, selection, imports).await?;
    Ok((pass_over_hidden_for(member, selection, &known).await?, known))
}

/// Narrows a selection to the records of the imports that its filters name. Which records an import made is written with
/// the import and not in the records, so only such a filter costs anything.
async fn narrow_to_imports<P: Right>(
    member: &Member<P>,
    mut selection: ColumnSelection,
    imports: Vec<ImportIds>,
) -> Result<ColumnSelection> {
    if imports.is_empty() {
        return Ok(selection);
    }
    let reader = member.reader();
    let narrow = move |tx: &TenantRead<'_>| {
        keep_imported(tx, reader, &mut selection, &imports)?;
        Ok(selection)
    };
    member.read_blocking(narrow).await
}

fn keep_imported(
    tx: &TenantRead<'_>,
    reader: permission::Reader,
    selection: &mut ColumnSelection,
    imports: &[ImportIds],
) -> Result<()> {
    for ids in imports {
        let mut records = HashSet::new();
        for id in ids {
            records.extend(find_imported(tx, reader, selection.kind, *id)?);
        }
        selection.among = Some(match selection.among.take() {
            Some(among) => among.intersection(&records).copied().collect(),
            None => records,
        });
    }
    Ok(())
}

/// A filter by whether records refer to others that may be hidden from readers: its place among the filters of a list,
/// and the kind of the others.
type ReferenceFilter = (usize, &'static RecordKind);

/// Returns such filters of a selection. Few lists have one, so the others cost nothing more.
fn reference_filters(selection: &ColumnSelection, known: &[ColumnInfo]) -> Vec<ReferenceFilter> {
    let target = |filter: &ColumnFilter| {
        let column = known.iter().find(|column| column.indexed_as == filter.column.name)?;
        find_kind(column.target.as_deref()?).filter(|kind| kind.has_visibility())
    };
    let filters = selection.filters.iter().enumerate();
    let by_presence = filters.filter(|(_, filter)| matches!(filter.test, ColumnTest::Present));
    by_presence.filter_map(|(at, filter)| Some((at, target(filter)?))).collect()
}

/// Lets filters by whether records refer to others pass over others that are hidden from the reader, for whom such a field
/// is empty. Looks only those up in the store that the index does not find for the reader: hidden ones, and those in the
/// bin or gone.
fn pass_over_hidden(
    (index, tx): (&TenantIndex, &TenantRead<'_>),
    reader: permission::Reader,
    selection: &mut ColumnSelection,
    filters: &[ReferenceFilter],
) -> Result<()> {
    let all = |kind, every_scope| ColumnSelection { kind, filters: Vec::new(), words: None, among: None, every_scope };
    let records = all(selection.kind, selection.every_scope);
    for (at, kind) in filters {
        let Some(filter) = selection.filters.get_mut(*at) else { continue };
        let others = all(kind.kind, kind.sees_all.is_some_and(|right| reader.role.has(right)));
        let mut hidden = HashSet::new();
        for id in index.ids_beyond(&records, &filter.column, &others) {
            if !may_know_of(tx, reader, kind, id)? {
                hidden.insert(id.to_string());
            }
        }
        if !hidden.is_empty() {
            filter.test = ColumnTest::Except(hidden);
        }
    }
    Ok(())
}

/// The same for the list of a caller.
async fn pass_over_hidden_for<P: Right>(
    member: &Member<P>,
    mut selection: ColumnSelection,
    known: &[ColumnInfo],
) -> Result<ColumnSelection> {
    let filters = reference_filters(&selection, known);
    if filters.is_empty() {
        return Ok(selection);
    }
    let reader = member.reader();
    let read = move |index: &TenantIndex, tx: &TenantRead<'_>| {
        pass_over_hidden((index, tx), reader, &mut selection, &filters)?;
        Ok(selection)
    };
    member.read_columns(read).await
}

/// A list that returns only the ids of its records.
#[derive(Debug, Default)]
pub struct IdList<'a> {
    /// The filters, as in the request.
    pub filters: &'a [String],
    /// The order, as in the request; that of creation by default.
    pub sort: Option<&'a str>,
    /// Only records that match these words.
    pub words: Option<ListWords>,
    /// Maximum number of records.
    pub max: usize,
}

/// What reads an [`IdList`] from the index.
pub struct IdQuery {
    reader: permission::Reader,
    query: ColumnQuery,
    imports: Vec<ImportIds>,
    references: Vec<ReferenceFilter>,
    name_of: Option<NameOfId>,
}

impl IdList<'_> {
    /// Reads the parameters for a reader.
    /// Errors: `invalid` with the filters; `bad_request` for an unknown order.
    pub fn query(
        self,
        tx: &TenantRead<'_>,
        kind: &RecordKind,
        role: Role,
        list_reader: &ListReader<'_>,
        locale: Locale,
    ) -> Result<IdQuery> {
        let known = (kind.columns)(tx, locale)?;
        let reader = permission::Reader { id: list_reader.me, role };
        let filters = mask_hidden(tx, reader, &known, self.filters)?;
        let (selection, imports) = select(kind, &known, role, list_reader, &filters, self.words)?;
        let (sort, descending) = order_of(self.sort.unwrap_or("createdAt"), &known)?;
        let name_of = name_of(sort, reader);
        let references = reference_filters(&selection, &known);
        let query = ColumnQuery { selection, sort: indexed(sort), descending, after: None, limit: self.max };
        Ok(IdQuery { reader, query, imports, references, name_of })
    }
}

impl IdQuery {
    /// Reads the ids from the columns of the index.
    /// Errors: `invalid` when there are more records than the list may have, or too many may match the words for each
    /// to be checked.
    pub fn read(self, index: &TenantIndex, tx: &TenantRead<'_>) -> Result<Vec<Uuid>> {
        let Self { reader, mut query, imports, references, name_of } = self;
        keep_imported(tx, reader, &mut query.selection, &imports)?;
        pass_over_hidden((index, tx), reader, &mut query.selection, &references)?;
        let ListedIds { ids, has_more, lacks_some } = match name_of {
            None => index.list_ids(&query, None),
            Some(name_of) => index.list_ids(&query, Some(&|id| name_of(tx, id))),
        };
        if has_more {
            let params = vec![("max", query.limit.to_string())];
            return Err(Error::new(Code::Invalid).and_field("filter", "errors.fields.too_many", params));
        }
        if lacks_some {
            return Err(Error::field("q", "errors.fields.too_common"));
        }
        Ok(ids.into_iter().map(Uuid::from_bytes).collect())
    }
}

/// Returns the ids of all records of a list.
/// Errors: as [`IdList::query`] and [`IdQuery::read`].
pub async fn find_ids<P: Right>(member: &Member<P>, kind: &RecordKind, list: IdList<'_>) -> Result<Vec<Uuid>> {
    let reader = ListReader::of(member);
    let query = member.read(|tx| list.query(tx, kind, member.reader().role, &reader, member.locale()))?;
    member.search_columns(move |index, tx| query.read(index, tx)).await
}

/// Returns how many records of a kind that pass filters have each of the `most` values of a column that most records have, of
/// those that the caller may see; and whether records may be missing because the index is being rebuilt. A value may be named
/// several times.
pub async fn tally_column<P: Right>(
    member: &Member<P>,
    kind: &'static RecordKind,
    column: &str,
    filters: &[String],
    most: usize,
) -> Result<(Tally, bool)> {
    let (selection, known) = select_for(member, kind, filters, None).await?;
    let column = known.iter().find(|known| known.name == column);
    let column = column.ok_or_else(|| Error::internal("no such column"))?;
    let tallied = member.tally_most(selection, vec![indexed(column)], most).await?;
    Ok((tallied.found.into_iter().flatten().collect(), tallied.is_partial))
}

/// Checks what a saved view says of a list: its filters, order and shown columns.
pub fn check_view(
    tx: &TenantWrite<'_>,
    kind: &RecordKind,
    me: MemberId,
    view: &ViewOfList<'_>,
    faults: &mut Faults,
) -> Result<()> {
    // The names of choices and the reader's today do not matter here.
    let known = (kind.columns)(tx, Locale::EN)?;
    let reader = ListReader { me, now: tx.now(), timezone: "UTC" };
    read_filters(view.filters, ("filters", MAX_VIEW_FILTERS), &known, &reader, faults);
    if view.filters.iter().map(String::len).sum::<usize>() > MAX_VIEW_BYTES {
        faults.add_with("filters", "errors.fields.too_long", vec![("max", MAX_VIEW_BYTES.to_string())]);
    }
    if let Some(Err(params)) = view.sort.map(|sort| find_order(sort, &known)) {
        faults.add_with("sort", "errors.fields.enum", params);
    }
    check_columns(view.columns, &known, faults);
    Ok(())
}

/// Checks the shown columns of a list: each is a column of the kind, and named once.
pub fn check_columns(shown: &[String], known: &[ColumnInfo], faults: &mut Faults) {
    let showable = || known.iter().filter(|column| column.value_type.is_shown());
    for (at, name) in shown.iter().enumerate() {
        if showable().all(|column| column.name != *name) {
            faults.add_with(format!("columns.{at}"), "errors.fields.filter_column", names(showable()));
        } else if shown[..at].contains(name) {
            faults.add(format!("columns.{at}"), "errors.fields.twice");
        }
    }
}

/// What a saved view says of a list.
#[derive(Debug)]
pub struct ViewOfList<'a> {
    /// The filters.
    pub filters: &'a [String],
    /// The order.
    pub sort: Option<&'a str>,
    /// The shown columns.
    pub columns: &'a [String],
}

/// Imports: a record must come from one of them.
type ImportIds = Vec<Uuid>;

/// The filters of a request.
#[derive(Default)]
struct ReadFilters {
    filters: Vec<ColumnFilter>,
    imports: Vec<ImportIds>,
}

/// A filter of a request.
enum ReadFilter {
    Column(ColumnFilter),
    Imports(ImportIds),
}

/// Replaces in filters the ids of records that are hidden from a reader by one that no record has: such a filter finds as
/// much as one for a record that does not exist.
fn mask_hidden(
    tx: &TenantRead<'_>,
    reader: permission::Reader,
    known: &[ColumnInfo],
    filters: &[String],
) -> Result<Vec<String>> {
    // Too many are refused as they are.
    if filters.len() > MAX_FILTERS {
        return Ok(filters.to_vec());
    }
    filters.iter().map(|filter| mask_hidden_in(tx, reader, known, filter)).collect()
}

fn mask_hidden_in(
    tx: &TenantRead<'_>,
    reader: permission::Reader,
    known: &[ColumnInfo],
    filter: &str,
) -> Result<String> {
    let by_record = filter_by_record(filter, known).filter(|_| filter.len() <= MAX_FILTER);
    let Some((beginning, kind, values)) = by_record else { return Ok(filter.to_owned()) };
    let mut masked = Vec::new();
    for value in values.split(',') {
        let is_hidden = match value.parse::<Uuid>() {
            Ok(id) => !may_know_of(tx, reader, kind, id)?,
            Err(_) => false,
        };
        masked.push(if is_hidden { Uuid::nil().to_string() } else { value.to_owned() });
    }
    Ok(format!("{beginning}:{}", masked.join(",")))
}

/// Returns the column and operator of a filter by references to records, the kind of these, and the values.
fn filter_by_record<'f>(filter: &'f str, known: &[ColumnInfo]) -> Option<(&'f str, &'static RecordKind, &'f str)> {
    let (name, rest) = filter.split_once(':')?;
    let (operator, values) = rest.split_once(':')?;
    let kind = find_kind(known.iter().find(|column| column.name == name)?.target.as_deref()?)?;
    Some((filter.get(..name.len() + 1 + operator.len())?, kind, values))
}

fn read_filters(
    filters: &[String],
    (path, max): (&str, usize),
    known: &[ColumnInfo],
    reader: &ListReader<'_>,
    faults: &mut Faults,
) -> ReadFilters {
    let mut read = ReadFilters::default();
    if !faults.few(path, filters.len(), max) {
        return read;
    }
    for (at, filter) in filters.iter().enumerate() {
        match parse(filter, known, reader) {
            Ok(ReadFilter::Column(filter)) => read.filters.push(filter),
            Ok(ReadFilter::Imports(ids)) => read.imports.push(ids),
            Err(Fault { key, params }) => faults.add_with(format!("{path}.{at}"), key, params),
        }
    }
    read
}

/// Returns the column of an order, and whether it is descending.
/// Errors: the columns by which lists can be sorted, for an order that does not exist.
fn find_order<'a>(order: &str, known: &'a [ColumnInfo]) -> Result<(&'a ColumnInfo, bool), Params> {
    let name = order.strip_prefix('-').unwrap_or(order);
    let column = known.iter().find(|column| column.name == name && column.value_type.is_sortable());
    let sortable = || names(known.iter().filter(|column| column.value_type.is_sortable()));
    column.map(|column| (column, name != order)).ok_or_else(sortable)
}

/// Returns the column of an order of a request, and whether it is descending.
/// Errors: `bad_request`, with the columns by which lists can be sorted.
fn order_of<'a>(order: &str, known: &'a [ColumnInfo]) -> Result<(&'a ColumnInfo, bool)> {
    let refused = |params| Error::new(Code::BadRequest).and_field("sort", "errors.fields.enum", params);
    find_order(order, known).map_err(refused)
}

/// The placeholders of a message.
type Params = Vec<(&'static str, String)>;

/// What is wrong with a filter.
struct Fault {
    key: &'static str,
    params: Params,
}

impl From<&'static str> for Fault {
    fn from(key: &'static str) -> Self {
        Self { key, params: Vec::new() }
    }
}

/// What filters depend on besides the data.
#[derive(Clone, Copy, Debug)]
pub struct ListReader<'a> {
    /// The member who reads.
    pub me: MemberId,
    /// The present time.
    pub now: Timestamp,
    /// The member's time zone.
    pub timezone: &'a str,
}

impl<'a> ListReader<'a> {
    /// Returns what the filters of a caller depend on.
    fn of<P: Right>(member: &'a Member<P>) -> Self {
        Self { me: member.id(), now: member.now(), timezone: member.timezone() }
    }
}

fn names<'a>(columns: impl Iterator<Item = &'a ColumnInfo>) -> Params {
    vec![("values", columns.map(|column| column.name.as_str()).collect::<Vec<_>>().join(", "))]
}

fn indexed(column: &ColumnInfo) -> ColumnName {
    ColumnName { name: column.indexed_as.clone(), is_number: column.value_type.is_number() }
}

fn filter(column: &ColumnInfo, test: ColumnTest, negated: bool) -> ColumnFilter {
    ColumnFilter { column: indexed(column), test, negated }
}

/// Returns the test for a value that records show.
fn present(column: &ColumnInfo) -> ColumnTest {
    let Some(choices) = column.shown_choices() else { return ColumnTest::Present };
    ColumnTest::Within(choices.iter().map(|choice| exactly(columns::word(&choice.key))).collect())
}

/// A range of values.
pub type Range = (Bound<ColumnValue>, Bound<ColumnValue>);

fn exactly(value: ColumnValue) -> Range {
    (Bound::Included(value.clone()), Bound::Included(value))
}

/// Returns the operators of a column.
pub const fn operators(value_type: ColumnType) -> &'static [&'static str] {
    match value_type {
        ColumnType::Text => &["is", "not", "contains", "starts", "empty", "set"],
        ColumnType::LongText => &["empty", "set"],
        ColumnType::Number | ColumnType::Money | ColumnType::Date | ColumnType::Time => {
            &["is", "not", "gte", "lte", "empty", "set"]
        }
        ColumnType::Checkbox | ColumnType::Import => &["is"],
        ColumnType::Choice | ColumnType::Tags | ColumnType::Member | ColumnType::Record => {
            &["is", "not", "empty", "set"]
        }
    }
}

fn parse(text: &str, known: &[ColumnInfo], reader: &ListReader<'_>) -> Result<ReadFilter, Fault> {
    if text.len() > MAX_FILTER {
        return Err(Fault { key: "errors.fields.too_long", params: vec![("max", MAX_FILTER.to_string())] });
    }
    let mut parts = text.splitn(3, ':');
    let name = parts.next().unwrap_or_default();
    let operator = parts.next().unwrap_or_default();
    let values = parts.next().map(split);
    let column = known.iter().find(|column| column.name == name);
    let column = column.ok_or_else(|| Fault { key: "errors.fields.filter_column", params: names(known.iter()) })?;
    let allowed = operators(column.value_type);
    if !allowed.contains(&operator) {
        let params = vec![("column", name.to_owned()), ("values", allowed.join(", "))];
        return Err(Fault { key: "errors.fields.filter_operator", params });
    }
    if matches!(operator, "empty" | "set") {
        if values.is_some() {
            return Err("errors.fields.filter_no_value".into());
        }
        return Ok(ReadFilter::Column(filter(column, present(column), operator == "empty")));
    }
    let values = values.filter(|values| values.iter().all(|value| !value.is_empty()));
    let values = values.ok_or("errors.fields.filter_value")?;
    if values.len() > MAX_VALUES {
        return Err(Fault { key: "errors.fields.too_many", params: vec![("max", MAX_VALUES.to_string())] });
    }
    if column.value_type == ColumnType::Import {
        let ids = values.iter().map(|value| value.parse::<Uuid>()).collect::<Result<_, _>>();
        return ids.map(ReadFilter::Imports).map_err(|_| "errors.fields.uuid".into());
    }
    let test = match (operator, column.value_type) {
        ("contains", _) => ColumnTest::Contains(values.iter().map(|value| fold(value)).collect()),
        ("starts", _) => ColumnTest::Within(values.iter().map(|value| starting(folded(value))).collect()),
        ("is", ColumnType::Checkbox) => {
            // A value that is missing counts as no.
            let [value] = values.as_slice() else { return Err("errors.fields.boolean".into()) };
            let checked = value.parse::<bool>().map_err(|_| "errors.fields.boolean")?;
            let test = ColumnTest::Within(vec![exactly(checkbox(true))]);
            return Ok(ReadFilter::Column(filter(column, test, !checked)));
        }
        ("gte" | "lte", _) => {
            let [value] = values.as_slice() else { return Err("errors.fields.filter_one_value".into()) };
            let (from, to) = range(column, value, reader)?;
            let range = match (operator, column.value_type) {
                // Amounts are compared within their currency.
                ("gte", ColumnType::Money) => (from, Bound::Excluded(after_currency(value))),
                ("lte", ColumnType::Money) => (Bound::Included(columns::word(currency(value))), to),
                // Dates of birth without a year have a place before all others. They are neither before nor after a day.
                ("gte", ColumnType::Date) => (from.map(|day| day.max(first_day())), Bound::Unbounded),
                ("gte", _) => (from, Bound::Unbounded),
                (_, ColumnType::Date) => (Bound::Included(first_day()), to),
                _ => (Bound::Unbounded, to),
            };
            ColumnTest::Within(vec![range])
        }
        _ => {
            // Records keep values of deleted choices, and hide them.
            let shown = values.iter().filter(|value| column.shows(value));
            ColumnTest::Within(shown.map(|value| range(column, value, reader)).collect::<Result<_, _>>()?)
        }
    };
    Ok(ReadFilter::Column(filter(column, test, operator == "not")))
}

/// Returns the filter that records pass whose column has a value.
pub fn is_filter(column: &str, value: &str) -> String {
    format!("{column}:is:{}", value.replace('\\', "\\\\").replace(',', "\\,"))
}

/// Splits at commas that no backslash precedes.
fn split(values: &str) -> Vec<String> {
    let mut all = vec![String::new()];
    let mut chars = values.chars();
    while let Some(char) = chars.next() {
        let last = all.len() - 1;
        match char {
            ',' => all.push(String::new()),
            '\\' => all[last].extend(chars.next()),
            char => all[last].push(char),
        }
    }
    all
}

/// Returns the values that a value of a filter stands for.
fn range(column: &ColumnInfo, value: &str, reader: &ListReader<'_>) -> Result<Range, Fault> {
    let word = |word: &str| exactly(columns::word(word));
    Ok(match column.value_type {
        ColumnType::Text => exactly(folded(value)),
        ColumnType::Number => {
            let value = value.parse::<f64>().ok().filter(|number| number.abs() <= MAX_NUMBER);
            exactly(number(value.ok_or("errors.fields.number")?))
        }
        ColumnType::Money if is_currency(value) => starting(columns::word(value)),
        ColumnType::Money => {
            let amount = value.split_once(' ').filter(|(currency, _)| is_currency(currency));
            let amount = amount.and_then(|(currency, amount)| Some((currency, amount.parse::<i64>().ok()?)));
            let (currency, amount) = amount.ok_or("errors.fields.filter_money")?;
            exactly(columns::money(currency, amount))
        }
        ColumnType::Date => exactly(day(date(value, reader)?)),
        ColumnType::Time => {
            let date = date(value, reader)?;
            let start = |day: Day| columns::time(day.start_in(reader.timezone));
            (Bound::Included(start(date)), Bound::Excluded(start(date.plus_days(1))))
        }
        ColumnType::Choice if !column.choices.allow(value) => {
            return Err("errors.fields.unknown_choice".into());
        }
        ColumnType::Choice => word(value),
        ColumnType::Tags => word(&value.to_lowercase()),
        ColumnType::Member if value == "me" => word(&reader.me.to_string()),
        ColumnType::Member | ColumnType::Record => {
            let id = value.parse::<Uuid>().map_err(|_| "errors.fields.uuid")?;
            exactly(columns::reference(id))
        }
        ColumnType::LongText | ColumnType::Checkbox | ColumnType::Import => {
            return Err("errors.fields.filter_value".into());
        }
    })
}

/// Returns the first day that filters find.
fn first_day() -> ColumnValue {
    day(Birthday::FIRST_PLACE)
}

/// Returns all values that begin with a text.
fn starting(beginning: ColumnValue) -> Range {
    let end = match &beginning {
        ColumnValue::Text(text) => Bound::Excluded(ColumnValue::Text(format!("{text}{}", char::MAX))),
        ColumnValue::Number(_) => Bound::Unbounded,
    };
    (Bound::Included(beginning), end)
}

fn currency(amount: &str) -> &str {
    amount.split_once(' ').map_or(amount, |(currency, _)| currency)
}

fn after_currency(amount: &str) -> ColumnValue {
    ColumnValue::Text(format!("{}{}", currency(amount), char::MAX))
}

fn is_currency(text: &str) -> bool {
    iso_currency::Currency::from_code(text).is_some()
}

/// Reads a day, also relative to today: `2026-11-24`, `today`, `today+7`, `today-30`.
fn date(value: &str, reader: &ListReader<'_>) -> Result<Day, Fault> {
    let wrong = || Fault::from("errors.fields.filter_date");
    let Some(rest) = value.strip_prefix("today") else { return value.parse::<Day>().map_err(|_| wrong()) };
    let days = if rest.is_empty() { 0 } else { rest.parse::<i64>().map_err(|_| wrong())? };
    if !rest.is_empty() && !rest.starts_with(['+', '-']) || days.abs() > MAX_DAYS {
        return Err(wrong());
    }
    Ok(reader.now.day_in(reader.timezone).plus_days(days))
}

const NO_VALUE: u8 = 0;
const NUMBER: u8 = 1;
const TEXT: u8 = 2;
/// Marks the cursors of lists from columns.
const BY_COLUMNS: u8 = b'c';

fn place_bytes(place: &RowPlace) -> Vec<u8> {
    let mut bytes = vec![BY_COLUMNS];
    match &place.value {
        None => bytes.push(NO_VALUE),
        Some(ColumnValue::Number(number)) => {
            bytes.push(NUMBER);
            bytes.extend(number.to_be_bytes());
        }
        Some(ColumnValue::Text(text)) => {
            bytes.push(TEXT);
            bytes.extend(text.as_bytes());
        }
    }
    bytes.extend(place.id);
    bytes
}

/// Errors: `bad_request` for a cursor of another list.
fn read_place(bytes: &[u8]) -> Result<RowPlace> {
    let read = || {
        let (value, id) = bytes.split_last_chunk::<16>()?;
        let [BY_COLUMNS, class, value @ ..] = value else { return None };
        let value = match *class {
            NO_VALUE => None,
            NUMBER => Some(ColumnValue::Number(i64::from_be_bytes(value.try_into().ok()?))),
            _ => Some(ColumnValue::Text(String::from_utf8(value.to_vec()).ok()?)),
        };
        Some(RowPlace { value, id: *id })
    };
    read().ok_or_else(foreign_cursor)
}
