//! The sums below the columns of a list.

use std::collections::BTreeMap;

use poem_openapi::{Object, OpenApi, param::Query};
use serde::Serialize;
use serde_with::skip_serializing_none;

use super::{indexed, names, narrow, select};
use crate::{
    access::Member,
    feature::{ColumnInfo, ColumnType, columns::amount},
    features::records::KindPath,
    kernel::{Code, Error, Result, error::Faults},
    people::permission::Read,
    wire::{JsonResponse, Reply},
};

/// Maximum columns of a request.
const MAX_COLUMNS: usize = 10;

/// The sums of columns of a list.
#[skip_serializing_none]
#[derive(Debug, Serialize, Object)]
#[oai(rename = "ColumnSums", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
struct Sums {
    items: Vec<Sum>,
    /// `true` while the search index is being rebuilt: records may be missing in the sums.
    partial: Option<bool>,
}

/// The sum of a column, of one with money in one currency.
#[skip_serializing_none]
#[derive(Debug, Serialize, Object)]
#[oai(rename = "ColumnSum", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
struct Sum {
    /// The column.
    column: String,
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

/// The endpoint of sums.
pub struct Api;

#[OpenApi(tag = "crate::wire::Tag::Records")]
impl Api {
    /// Sum columns of a list.
    ///
    /// Adds up the numbers or amounts of money that the records of a list have in the given columns. Amounts of different
    /// currencies have a sum each, and a column without values has none.
    #[oai(path = "/sums", method = "get", operation_id = "getSums")]
    async fn get(
        &self,
        member: Member<Read>,
        /// The kind of the records.
        kind: Query<KindPath>,
        /// The columns with numbers or money, at most 10. `getSchema` names them.
        column: Query<Vec<String>>,
        #[oai(default)] filter: Query<Vec<String>>,
        q: Query<Option<String>>,
    ) -> Reply<JsonResponse<Sums>> {
        let kind = kind.0.kind();
        if !member.may(kind.rights.read) {
            return Err(Error::new(Code::Forbidden).into());
        }
        let ops = kind.bulk.ok_or_else(|| Error::field("kind", "errors.fields.bulk_kind"))?;
        let among = narrow(&member, kind, ops.heading, q.0).await?;
        let (selection, known) = select(&member, kind, &filter.0, among)?;
        let columns = find_columns(&column.0, &known)?;
        let tallied = member.tally(selection, columns.iter().map(indexed).collect()).await?;
        let mut items = Vec::new();
        for (column, tally) in columns.iter().zip(tallied.found) {
            let mut sums = BTreeMap::new();
            for (value, count) in &tally {
                let Some((amount, currency)) = amount(value) else { continue };
                let (sum, counted) = sums.entry(currency).or_insert((0.0, 0));
                #[expect(clippy::cast_precision_loss, reason = "no company has 2^53 records")]
                let times = *count as f64;
                *sum += amount * times;
                *counted += count;
            }
            items.extend(sums.into_iter().map(|(currency, (sum, count))| Sum {
                column: column.name.clone(),
                currency: currency.map(str::to_owned),
                sum,
                count,
            }));
        }
        let partial = tallied.is_partial.then_some(true);
        Ok(JsonResponse(Sums { items, partial }))
    }
}
