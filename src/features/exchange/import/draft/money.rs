//! Amounts of money, with a currency of their own or without one.

use serde_json::Value;

use super::{Draft, DraftReader};
use crate::{
    feature::exchange::set_value_at,
    features::exchange::export::decimal,
    formats::{DecimalMark, MoneyAmount, parse_money},
};

/// An amount without a currency: that of the amount that the record has, or else that of the author's region.
#[derive(Clone, Debug)]
pub struct LooseAmount {
    /// Where the body has it.
    pub path: String,
    /// The column.
    pub column: u16,
    text: String,
    proven: Option<DecimalMark>,
    usual: DecimalMark,
}

impl LooseAmount {
    /// Reads the amount in a currency, with its decimals.
    pub fn in_currency(&self, currency: &str) -> Option<Value> {
        parse_money(&self.text, self.proven, self.usual, currency).as_ref().map(money)
    }
}

impl DraftReader {
    /// Reads an amount of money.
    pub(super) fn read_money(&self, draft: &mut Draft, column: u16, text: &str, currency: &str) -> Option<MoneyAmount> {
        let amount = parse_money(text, self.plan.proven_mark(column), self.plan.decimal_mark, currency)?;
        draft.shown.push((column, format!("{} {}", decimal(&money(&amount)), amount.currency)));
        Some(amount)
    }

    /// Remembers an amount that was read without a currency.
    pub(super) fn loose_amount(&self, path: String, column: u16, text: &str) -> LooseAmount {
        let proven = self.plan.proven_mark(column);
        LooseAmount { path, column, text: text.to_owned(), proven, usual: self.plan.decimal_mark }
    }

    /// Reads an amount of money whose currency may stand in a column of its own.
    pub(super) fn finish_money(
        &self,
        draft: &mut Draft,
        path: &str,
        (column, text): (u16, &str),
        currency_cell: Option<&(u16, Option<String>)>,
    ) {
        let own = self.region.currency.as_str();
        let (unknown, currency) = match currency_cell {
            None => (None, own),
            Some((_, Some(code))) => (None, code.as_str()),
            Some((at, None)) => (Some(*at), ""),
        };
        let amount = self.read_money(draft, column, text, currency);
        let is_amount = amount.is_some()
            || (unknown.is_some()
                && parse_money(text, self.plan.proven_mark(column), self.plan.decimal_mark, own).is_some());
        if let Some(amount) = amount {
            set_value_at(&mut draft.values, path, money(&amount));
            if currency_cell.is_none() {
                draft.loose_amounts.push(self.loose_amount(path.to_owned(), column, text));
            }
        }
        if let Some(at) = unknown {
            draft.leave_out(at, "errors.import.currency");
        }
        if !is_amount {
            draft.leave_out(column, "errors.import.money");
        }
    }
}

pub(super) fn money(amount: &MoneyAmount) -> Value {
    serde_json::json!({ "amount": amount.amount, "currency": amount.currency })
}
