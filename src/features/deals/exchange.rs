//! Import and export of deals.

use super::{
    api::New,
    model::{Deal, DealOutcome},
    pipeline::Pipeline,
    rules,
};
use crate::{
    feature::{ExchangeField, ExchangeRecord, ExchangeValue, ImpliedValue, MatchKeys},
    features::{customers::Customer, organizations::Organization},
    formats::synonyms::{self, FieldSynonyms},
    kernel::{
        Result,
        i18n::{Locale, say},
    },
    people::permission::Reader,
    store::{Record as _, Stored, TenantRead, TenantWrite},
};

impl ExchangeRecord for Deal {
    type New = New;

    const SYNONYMS: &'static [FieldSynonyms] = synonyms::DEALS;

    const EXCHANGED: &'static [ExchangeField] = &[
        ExchangeField::new("id", ExchangeValue::Id),
        ExchangeField::new("externalId", ExchangeValue::Text),
        ExchangeField::new("title", ExchangeValue::Text).identifying().required(),
        ExchangeField::new("customer", ExchangeValue::RecordName(Customer::KIND)).at("customerId").identifying(),
        ExchangeField::new("customerId", ExchangeValue::Record(Customer::KIND)).identifying(),
        ExchangeField::new("organization", ExchangeValue::RecordName(Organization::KIND))
            .at("organizationId")
            .identifying(),
        ExchangeField::new("organizationId", ExchangeValue::Record(Organization::KIND)).identifying(),
        ExchangeField::new("value", ExchangeValue::Money),
        ExchangeField::new("currency", ExchangeValue::Currency).at("value"),
        ExchangeField::new("stage", ExchangeValue::Choice(stages)).at("stageId"),
        ExchangeField::new("expectedDay", ExchangeValue::Day),
        ExchangeField::new("closeDate", ExchangeValue::EndDay).at("expectedDay"),
        ExchangeField::new("outcome", ExchangeValue::Choice(outcomes)),
        ExchangeField::new("closedAt", ExchangeValue::EndTime { state: "outcome", open: "open" }),
        ExchangeField::new("reason", ExchangeValue::Choice(reasons)).at("reasonId"),
        ExchangeField::new("reasonText", ExchangeValue::LongText).at("reason"),
        ExchangeField::new("owner", ExchangeValue::Member).at("ownerId"),
        ExchangeField::new("tags", ExchangeValue::Tags),
        ExchangeField::new("about", ExchangeValue::LongText),
    ];

    const IMPLIED: &'static [ImpliedValue] = &[
        ImpliedValue {
            field: "stage",
            choices: &["closed won", "closedwon", "cierre ganado", "cerrada ganada", "cerrado ganado"],
            path: "outcome",
            value: "won",
        },
        ImpliedValue {
            field: "stage",
            choices: &["closed lost", "closedlost", "cierre perdido", "cerrada perdida", "cerrado perdido"],
            path: "outcome",
            value: "lost",
        },
    ];

    fn create(tx: &TenantWrite<'_>, reader: Reader, new: New, import_key: Option<String>) -> Result<Stored<Self>> {
        let mut deal = new.by(reader.id);
        deal.import_key = import_key;
        rules::create(tx, deal)
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

fn stages(tx: &TenantRead<'_>, locale: Locale) -> Result<Vec<(String, String)>> {
    Ok(Pipeline::of(tx)?.stages.iter().map(|stage| (stage.id.clone(), stage.name_in(locale))).collect())
}

fn reasons(tx: &TenantRead<'_>, locale: Locale) -> Result<Vec<(String, String)>> {
    Ok(Pipeline::of(tx)?.reasons.iter().map(|reason| (reason.id.clone(), reason.name_in(locale))).collect())
}

#[expect(clippy::unnecessary_wraps, reason = "other kinds read their choices from the store")]
fn outcomes(_tx: &TenantRead<'_>, locale: Locale) -> Result<Vec<(String, String)>> {
    let all = [DealOutcome::Open, DealOutcome::Won, DealOutcome::Lost].map(DealOutcome::as_str);
    Ok(all.into_iter().map(|id| (id.to_owned(), say(locale, &format!("ui.deals.outcomes.{id}"), &[]))).collect())
}
