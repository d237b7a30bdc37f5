//! The flags for a company's region.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use serde_with::skip_serializing_none;

use crate::{
    cli::prelude::*,
    people::region::{DateFormat, FirstDay, RegionChoice, TimeFormat, named},
};

#[skip_serializing_none]
#[derive(Debug, Default, Args, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RegionFlags {
    /// The order of day, month and year; without it, and without the next four, what is usual in the language
    #[arg(long, value_parser = one_of::<DateFormat>(&["mdy", "dmy", "ymd"]))]
    date_format: Option<DateFormat>,
    /// Whether the hours are counted to 12 or to 24
    #[arg(long, value_parser = one_of::<TimeFormat>(&["12h", "24h"]))]
    time_format: Option<TimeFormat>,
    /// The first day of a week
    #[arg(long, value_parser = one_of::<FirstDay>(&["monday", "saturday", "sunday"]))]
    first_day: Option<FirstDay>,
    /// The country that is proposed for phone numbers, such as ES
    #[arg(long)]
    phone_country: Option<String>,
    /// The currency that is proposed for amounts, such as EUR
    #[arg(long)]
    currency: Option<String>,
}

fn one_of<T: for<'d> Deserialize<'d> + Clone + Send + Sync + 'static>(
    names: &'static [&'static str],
) -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(names).try_map(|name| named::<T>(&name).ok_or("not one of the values"))
}

impl From<RegionFlags> for RegionChoice {
    fn from(flags: RegionFlags) -> Self {
        let RegionFlags { date_format, time_format, first_day, phone_country, currency } = flags;
        Self { date_format, time_format, first_day, phone_country, currency }
    }
}
