//! Amounts of money.

use poem_openapi::Object;
use serde::{Deserialize, Serialize};

use crate::kernel::error::Faults;

/// Maximum amount, in the smallest unit of its currency.
pub const MAX_AMOUNT: i64 = 1_000_000_000_000_000;

/// An amount of money.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Object)]
#[oai(deny_unknown_fields)]
pub struct Money {
    /// The amount in the smallest unit of the currency, such as cents.
    pub amount: i64,
    /// The code of the currency (ISO 4217), such as `EUR`.
    pub currency: String,
}

impl Money {
    /// Validates an amount and a currency.
    pub fn check(amount: i64, currency: &str, path: &str, faults: &mut Faults) {
        if !(-MAX_AMOUNT..=MAX_AMOUNT).contains(&amount) {
            let params = vec![("min", (-MAX_AMOUNT).to_string()), ("max", MAX_AMOUNT.to_string())];
            faults.add_with(format!("{path}.amount"), "errors.fields.range", params);
        }
        if iso_currency::Currency::from_code(currency).is_none() {
            faults.add(format!("{path}.currency"), "errors.fields.currency");
        }
    }
}
