//! The forecast: what open deals are worth by month, and what was won.

use std::collections::BTreeMap;

use poem_openapi::Object;
use serde::Serialize;
use uuid::Uuid;

use super::{
    model::{Deal, DealOutcome},
    pipeline::Pipeline,
};
use crate::{
    access::Member,
    feature::RecordKind,
    features::records::lists::{self, IdList},
    kernel::{Day, Error, Heading, Id, Result, error::Faults},
    people::permission::Right,
    store::TenantRead,
};

/// Maximum deals of a forecast.
const MAX_DEALS: usize = 100_000;
/// Maximum months of a forecast.
const MAX_MONTHS: u32 = 24;
/// Months of a forecast that names no number.
const USUAL_MONTHS: u32 = 6;

/// What deals are worth by month.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "DealForecast")]
pub struct Forecast {
    /// The months, in their order.
    months: Vec<MonthForecast>,
    /// Open deals that were expected before the first month.
    overdue: Amounts,
    /// Open deals without an expected day.
    undated: Amounts,
}

/// What deals are worth in a month.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "MonthForecast")]
struct MonthForecast {
    /// Such as `2026-11`.
    month: String,
    /// Open deals that are expected in the month.
    open: Amounts,
    /// Deals that were won in the month.
    won: Amounts,
}

/// What some deals are worth.
#[derive(Debug, Default, Serialize, Object)]
#[oai(rename = "DealAmounts")]
struct Amounts {
    /// How many there are, also those without a value.
    count: u64,
    /// Their sums, one for each currency.
    sums: Vec<DealSum>,
}

/// What deals are worth in a currency, in its minor units.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "DealSum")]
struct DealSum {
    currency: String,
    sum: f64,
    /// The sum of the values times the probability of their stages, or of all values for deals that were won.
    weighted: f64,
}

/// Adds up deals.
#[derive(Default)]
struct Adding {
    count: u64,
    sums: BTreeMap<String, (f64, f64)>,
}

impl Adding {
    fn add(&mut self, deal: Deal, share: f64) {
        self.count += 1;
        if let Some(worth) = deal.worth {
            #[expect(clippy::cast_precision_loss, reason = "amounts are below 10^15")]
            let amount = worth.amount as f64;
            let (sum, weighted) = self.sums.entry(worth.currency).or_default();
            *sum += amount;
            *weighted += amount * share;
        }
    }
}

impl From<Adding> for Amounts {
    fn from(adding: Adding) -> Self {
        let sum = |(currency, (sum, weighted))| DealSum { currency, sum, weighted };
        Self { count: adding.count, sums: adding.sums.into_iter().map(sum).collect() }
    }
}

/// Which deals a forecast is about.
#[derive(Debug)]
pub struct SoughtDeals {
    /// Words that they have.
    pub words: Option<String>,
    /// The filters that they pass.
    pub filters: Vec<String>,
}

/// Returns the forecast of the deals that the member may see, that have the words and that pass the filters.
/// Errors: `invalid` with the filters or months.
pub async fn of<P: Right>(
    member: &Member<P>,
    kind: &'static RecordKind,
    from: Option<&str>,
    months: Option<u32>,
    deals: SoughtDeals,
) -> Result<Forecast> {
    let months = months_from(member.now().day_in(member.timezone()), from, months)?;
    let (Some(first), Some(last)) = (months.first().copied(), months.last().copied()) else {
        return Err(Error::internal("a forecast without months"));
    };
    let end = last.plus_days(31).start_of_month().plus_days(-1);
    let SoughtDeals { words, filters } = deals;
    let words = lists::words(Heading::Deals, words);
    let with = |more: &[String]| [filters.as_slice(), more].concat();
    let list = |filters| IdList { filters, words: words.clone(), max: MAX_DEALS, ..IdList::default() };
    let open = with(&["outcome:is:open".to_owned()]);
    let open = lists::find_ids(member, kind, list(&open)).await?;
    let won = with(&["outcome:is:won".to_owned(), format!("closedAt:gte:{first}"), format!("closedAt:lte:{end}")]);
    let won = lists::find_ids(member, kind, list(&won)).await?;
    let timezone = member.timezone().to_owned();
    member.read_blocking(move |tx| add_up(tx, (&months, end), &timezone, &open, &won)).await
}

/// Returns the first days of the months of a forecast.
fn months_from(today: Day, from: Option<&str>, months: Option<u32>) -> Result<Vec<Day>> {
    let mut faults = Faults::default();
    let first = match from.map(|from| format!("{from}-01").parse::<Day>()) {
        None => today.start_of_month(),
        Some(Ok(first)) => first,
        Some(Err(_)) => {
            faults.add("from", "errors.fields.month");
            today
        }
    };
    let count = months.unwrap_or(USUAL_MONTHS);
    if !(1..=MAX_MONTHS).contains(&count) {
        let params = vec![("min", "1".to_owned()), ("max", MAX_MONTHS.to_string())];
        faults.add_with("months", "errors.fields.range", params);
    }
    faults.into_result()?;
    let next = |day: &Day| Some(day.plus_days(31).start_of_month());
    Ok(std::iter::successors(Some(first), next).take(count as usize).collect())
}

fn add_up(
    tx: &TenantRead<'_>,
    (months, end): (&[Day], Day),
    timezone: &str,
    open: &[Uuid],
    won: &[Uuid],
) -> Result<Forecast> {
    let pipeline = Pipeline::of(tx)?;
    let mut by_month: BTreeMap<Day, (Adding, Adding)> =
        months.iter().map(|month| (*month, Default::default())).collect();
    let (mut overdue, mut undated) = (Adding::default(), Adding::default());
    let find = |id: &Uuid| tx.find_intact::<Deal>(Id::from(*id));
    for id in open {
        let Some(deal) = find(id)?.filter(|deal| deal.outcome == DealOutcome::Open) else { continue };
        let share = pipeline.stage(&deal.stage_id).map_or(0.0, |stage| f64::from(stage.probability) / 100.0);
        match deal.expected_day {
            None => undated.add(deal.value, share),
            Some(day) if Some(&day) < months.first() => overdue.add(deal.value, share),
            Some(day) if day <= end => {
                if let Some((open, _)) = by_month.get_mut(&day.start_of_month()) {
                    open.add(deal.value, share);
                }
            }
            Some(_) => {}
        }
    }
    for id in won {
        let Some(deal) = find(id)?.filter(|deal| deal.outcome == DealOutcome::Won) else { continue };
        let month = deal.closed_at.map(|at| at.day_in(timezone).start_of_month());
        if let Some((_, won)) = month.and_then(|month| by_month.get_mut(&month)) {
            won.add(deal.value, 1.0);
        }
    }
    let months = by_month.into_iter().map(|(month, (open, won))| MonthForecast {
        month: month.to_string().chars().take(7).collect(),
        open: open.into(),
        won: won.into(),
    });
    Ok(Forecast { months: months.collect(), overdue: overdue.into(), undated: undated.into() })
}
