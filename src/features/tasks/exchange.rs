//! Import and export of tasks.

use super::{
    api::New,
    model::{Task, TaskType},
};
use crate::{
    feature::{ExchangeField, ExchangeRecord, ExchangeValue, MatchKeys},
    features::{customers::Customer, deals::Deal, organizations::Organization},
    formats::synonyms::{self, FieldSynonyms},
    kernel::{
        Result,
        i18n::{Locale, say},
    },
    people::permission::Reader,
    store::{Record as _, Stored, TenantRead, TenantWrite},
};

impl ExchangeRecord for Task {
    type New = New;

    const SYNONYMS: &'static [FieldSynonyms] = synonyms::TASKS;

    const EXCHANGED: &'static [ExchangeField] = &[
        ExchangeField::new("id", ExchangeValue::Id),
        ExchangeField::new("externalId", ExchangeValue::Text),
        ExchangeField::new("title", ExchangeValue::Text).identifying().required(),
        ExchangeField::new("completed", ExchangeValue::Checkbox),
        ExchangeField::new("priority", ExchangeValue::NumberedChoice(priorities)),
        ExchangeField::new("dueDate", ExchangeValue::Day).identifying(),
        ExchangeField::new("completedAt", ExchangeValue::EndTime { state: "completed", open: "false" }),
        ExchangeField::new("assignee", ExchangeValue::Member).at("assigneeId"),
        ExchangeField::new("customer", ExchangeValue::RecordName(Customer::KIND)).at("customerId").identifying(),
        ExchangeField::new("customerId", ExchangeValue::Record(Customer::KIND)).identifying(),
        ExchangeField::new("organization", ExchangeValue::RecordName(Organization::KIND))
            .at("organizationId")
            .identifying(),
        ExchangeField::new("organizationId", ExchangeValue::Record(Organization::KIND)).identifying(),
        ExchangeField::new("dealId", ExchangeValue::Record(Deal::KIND)).identifying(),
        ExchangeField::new("tags", ExchangeValue::Tags),
        ExchangeField::new("subtasks", ExchangeValue::Checklist),
        ExchangeField::new("notes", ExchangeValue::LongText),
    ];

    fn create(tx: &TenantWrite<'_>, _reader: Reader, new: New, import_key: Option<String>) -> Result<Stored<Self>> {
        new.keep(tx, import_key)
    }

    /// Headings between tasks would come back as tasks.
    fn is_exported(&self) -> bool {
        self.kind == TaskType::Task
    }

    fn import_key(&mut self) -> &mut Option<String> {
        &mut self.import_key
    }

    fn match_keys(record: &Stored<Self>) -> MatchKeys {
        MatchKeys {
            id: Some(record.id.uuid()),
            import_key: record.import_key.clone(),
            external_id: record.external_id.clone(),
            ..MatchKeys::default()
        }
    }
}

#[expect(clippy::unnecessary_wraps, reason = "other kinds read their choices from the store")]
fn priorities(_tx: &TenantRead<'_>, locale: Locale) -> Result<Vec<(String, String)>> {
    let names = [("0", "low"), ("1", "normal"), ("2", "high")];
    Ok(names.map(|(id, name)| (id.to_owned(), say(locale, &format!("ui.tasks.priorities.{name}"), &[]))).to_vec())
}
