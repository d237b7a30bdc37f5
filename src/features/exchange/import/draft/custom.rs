//! Values of custom fields.

use std::borrow::Cow;

use serde_json::Value;
use uuid::Uuid;

use super::{
    Draft, DraftReader,
    lists::{read_list, web_address},
    money::money,
};
use crate::{
    feature::{CustomField, FieldType, exchange::set_value_at},
    formats::{Decimal, parse_number},
    kernel::text,
};

impl DraftReader {
    pub(super) fn read_custom(&self, draft: &mut Draft, field: &CustomField, column: u16, cell: &str) {
        let text = cell.trim();
        // The keys of custom fields have no dots.
        let path = format!("fields.{}", field.key);
        draft.columns.push((Cow::Owned(path.clone()), column));
        let value = match field.value_type {
            FieldType::Text => Ok(Value::from(text::line(text))),
            FieldType::Url => Ok(Value::from(web_address(text))),
            FieldType::LongText => Ok(Value::from(text)),
            FieldType::Number => {
                let mark = self.plan.proven_mark(column).unwrap_or(self.plan.decimal_mark);
                let number = parse_number(text, mark).map(Decimal::to_f64);
                let number = number.and_then(serde_json::Number::from_f64);
                draft.shown.extend(number.as_ref().map(|number| (column, number.to_string())));
                number.map(Value::Number).ok_or("errors.import.number")
            }
            FieldType::Money => {
                let amount = self.read_money(draft, column, text, &self.region.currency);
                if amount.is_some() {
                    draft.loose_amounts.push(self.loose_amount(format!("fields.{}", field.key), column, text));
                }
                amount.as_ref().map(money).ok_or("errors.import.money")
            }
            FieldType::Date => {
                let day = self.day(text);
                draft.shown.extend(day.map(|day| (column, day.to_string())));
                day.map(|day| Value::from(day.to_string())).ok_or("errors.import.date")
            }
            FieldType::Choice => match self.matched(draft, column, text, self.choice(column, text)) {
                Some(key) => Ok(Value::from(key)),
                None => return,
            },
            FieldType::Choices => {
                let mut keys: Vec<&str> = Vec::new();
                for entry in read_list(cell).iter().filter(|entry| !entry.is_empty()) {
                    let key = self.matched(draft, column, entry, self.choice(column, entry));
                    keys.extend(key.filter(|key| !keys.contains(key)));
                }
                if keys.is_empty() {
                    return;
                }
                Ok(Value::from(keys))
            }
            FieldType::Checkbox => match self.checkbox(draft, column, text) {
                Some(value) => Ok(value),
                None => return,
            },
            FieldType::Member => {
                self.members.find(text).map(|id| Value::from(id.to_string())).ok_or("errors.import.member")
            }
            FieldType::Record => {
                text.parse().map(|id: Uuid| Value::from(id.to_string())).map_err(|_| "errors.import.id")
            }
        };
        match value {
            Ok(value) => set_value_at(&mut draft.values, &path, value),
            Err(key) => draft.leave_out(column, key),
        }
    }
}
