//! The sums below the columns of a list.

use std::{cmp::Reverse, collections::BTreeMap};

use poem_openapi::{Object, OpenApi, param::Query};
use serde::Serialize;
use serde_with::skip_serializing_none;

use super::{exactly, indexed, names, select_for, words};
use crate::{
    access::Member,
    feature::{ColumnInfo, ColumnType, columns::amount},
    features::records::KindPath,
    index::{ColumnName, ColumnTest, Tally},
    kernel::{Code, ColumnValue, Error, Result, error::Faults},
    people::permission::Read,
    wire::{JsonResponse, Reply},
};

/// Maximum columns of a request.
const MAX_COLUMNS: usize = 10;
/// Maximum groups of a response.
const MAX_GROUPS: usize = 50;

/// The sums of columns of a list.
#[skip_serializing_none]
#[derive(Debug, Serialize, Object)]
#[oai(rename = "ColumnSums", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
struct Sums {
    items: Vec<Sum>,
    /// Only with `by`: the 50 largest groups.
    groups: Option<Vec<Group>>,
    /// `true` while the search index lacks changes: records may be missing in the sums.
    partial: Option<bool>,
}

/// The records of a list that have a value in a column.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "ListGroup")]
struct Group {
    /// The value.
    value: String,
    /// The number of records.
    count: u64,
}

/// The sum of a column, of one with money in one currency.
#[skip_serializing_none]
#[derive(Debug, Serialize, Object)]
#[oai(rename = "ColumnSum", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
struct Sum {
    /// The column.
    column: String,
    /// Only with `by`: the group of the records.
    group: Option<String>,
    /// Only for money: the currency. The sum is then in its minor units.
    currency: Option<String>,
    sum: f64,
    /// The number of records that have such a value.
    count: u64,
}

/// Returns the columns with these names.
/// Errors: `invalid` for a column without numbers or money.
fn find_columns(wanted: &[String], known: &[ColumnInfo]) -> Result<Vec<ColumnInfo>> {
    if wanted.is_empty() {
        return Err(Error::field("column", "errors.fields.required"));
    }
    if wanted.len() > MAX_COLUMNS {
        let params = vec![("max", MAX_COLUMNS.to_string())];
        return Err(Error::new(Code::Invalid).and_field("column", "errors.fields.too_many", params));
    }
    let has_amounts = |column: &&ColumnInfo| matches!(column.value_type, ColumnType::Number | ColumnType::Money);
    let mut faults = Faults::default();
    let mut found = Vec::new();
    for (at, name) in wanted.iter().enumerate() {
        match known.iter().filter(has_amounts).find(|column| column.name == *name) {
            Some(column) => found.push(column.clone()),
            None => {
                faults.add_with(format!("column.{at}"), "errors.fields.enum", names(known.iter().filter(has_amounts)));
            }
        }
    }
    faults.into_result()?;
    Ok(found)
}

/// Returns the column with this name, if records can be grouped by it.
/// Errors: `invalid`.
fn find_groups(name: &str, known: &[ColumnInfo]) -> Result<ColumnInfo> {
    let groups = |column: &&ColumnInfo| matches!(column.value_type, ColumnType::Choice | ColumnType::Member);
    let found = known.iter().filter(groups).find(|column| column.name == name);
    found.cloned().ok_or_else(|| {
        let params = names(known.iter().filter(groups));
        Error::new(Code::Invalid).and_field("by", "errors.fields.enum", params)
    })
}

/// Returns the largest groups of a tally of a column, of the values that records show.
fn groups(column: &ColumnInfo, tally: &Tally) -> Vec<Group> {
    let mut counts = BTreeMap::<&str, u64>::new();
    for (value, count) in tally {
        if let ColumnValue::Text(value) = value
            && column.shows(value)
        {
            *counts.entry(value).or_default() += count;
        }
    }
    let mut groups: Vec<Group> =
        counts.into_iter().map(|(value, count)| Group { value: value.to_owned(), count }).collect();
    groups.sort_by_key(|group| Reverse(group.count));
    groups.truncate(MAX_GROUPS);
    groups
}

/// Returns the sums of a tally of a column.
fn sums(column: &ColumnInfo, group: Option<&str>, tally: &Tally) -> Vec<Sum> {
    let mut sums = BTreeMap::new();
    for (value, count) in tally {
        let Some((amount, currency)) = amount(value) else { continue };
        let (sum, counted) = sums.entry(currency).or_insert((0.0, 0));
        #[expect(clippy::cast_precision_loss, reason = "no company has 2^53 records")]
        let times = *count as f64;
        *sum += amount * times;
        *counted += count;
    }
    let sum = |(currency, (sum, count)): (Option<&str>, (f64, u64))| Sum {
        column: column.name.clone(),
        group: group.map(str::to_owned),
        currency: currency.map(str::to_owned),
        sum,
        count,
    };
    sums.into_iter().map(sum).collect()
}

/// The endpoint of sums.
pub struct Api;

#[OpenApi(tag = "crate::wire::Tag::Records")]
impl Api {
    /// Sum columns of a list.
    ///
    /// Adds up the numbers or amounts of money that the records of a list have in the given columns. Amounts of different
    /// currencies have a sum each, and a column without values has none. With `by`, adds up each group of records that have
    /// the same value in a column.
    #[oai(path = "/sums", method = "get", operation_id = "getSums")]
    async fn get(
        &self,
        member: Member<Read>,
        /// The kind of the records.
        kind: Query<KindPath>,
        /// The columns with numbers or money, at most 10. `getSchema` names them.
        column: Query<Vec<String>>,
        /// The column with the groups: records with the same value, a choice or a member, are one.
        by: Query<Option<String>>,
        #[oai(default)] filter: Query<Vec<String>>,
        q: Query<Option<String>>,
    ) -> Reply<JsonResponse<Sums>> {
        let kind = kind.0.kind();
        if !member.may(kind.rights.read) {
            return Err(Error::new(Code::Forbidden).into());
        }
        let ops = kind.bulk.ok_or_else(|| Error::field("kind", "errors.fields.bulk_kind"))?;
        let (selection, known) = select_for(&member, kind, &filter.0, words(ops.heading, q.0)).await?;
        let columns = find_columns(&column.0, &known)?;
        let indexed_columns: Vec<ColumnName> = columns.iter().map(indexed).collect();
        let Some(by) = by.0 else {
            let tallied = member.tally(selection, indexed_columns).await?;
            let items = columns.iter().zip(&tallied.found).flat_map(|(column, tally)| sums(column, None, tally));
            let partial = tallied.is_partial.then_some(true);
            return Ok(JsonResponse(Sums { items: items.collect(), groups: None, partial }));
        };
        let by = find_groups(&by, &known)?;
        let tallied = member.tally(selection.clone(), vec![indexed(&by)]).await?;
        let mut is_partial = tallied.is_partial;
        let groups = tallied.found.first().map(|tally| groups(&by, tally)).unwrap_or_default();
        let mut items = Vec::new();
        for group in &groups {
            let mut selection = selection.clone();
            let value = ColumnValue::Text(group.value.clone());
            selection.filters.push(super::filter(&by, ColumnTest::Within(vec![exactly(value)]), false));
            let tallied = member.tally(selection, indexed_columns.clone()).await?;
            is_partial |= tallied.is_partial;
            let found = columns.iter().zip(&tallied.found);
            items.extend(found.flat_map(|(column, tally)| sums(column, Some(&group.value), tally)));
        }
        Ok(JsonResponse(Sums { items, groups: Some(groups), partial: is_partial.then_some(true) }))
    }
}
