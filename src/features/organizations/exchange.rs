//! Import and export of organizations.

use super::{api::New, contact::Phone, model::Organization, rules};
use crate::{
    feature::{
        ExchangeField, ExchangeRecord, ExchangeValue, MatchKeys,
        matching::{Place, host_of},
    },
    formats::synonyms::{self, FieldSynonyms},
    kernel::{Result, text},
    people::permission::Reader,
    store::{Stored, TenantWrite},
};

impl ExchangeRecord for Organization {
    type New = New;

    const SYNONYMS: &'static [FieldSynonyms] = synonyms::ORGANIZATIONS;

    const EXCHANGED: &'static [ExchangeField] = &[
        ExchangeField::new("id", ExchangeValue::Id),
        ExchangeField::new("externalId", ExchangeValue::Text),
        ExchangeField::new("name", ExchangeValue::Text).required(),
        ExchangeField::new("email", ExchangeValue::Emails).at("emails"),
        ExchangeField::new("phone", ExchangeValue::Phones).at("phoneNumbers"),
        ExchangeField::new("website", ExchangeValue::Text),
        ExchangeField::new("owner", ExchangeValue::Member).at("ownerId"),
        ExchangeField::new("tags", ExchangeValue::Tags),
        ExchangeField::new("address", ExchangeValue::Address),
        ExchangeField::new("street", ExchangeValue::AddressPart(0)).at("address"),
        ExchangeField::new("postalCode", ExchangeValue::AddressPart(1)).at("address"),
        ExchangeField::new("city", ExchangeValue::AddressPart(1)).at("address"),
        ExchangeField::new("region", ExchangeValue::AddressPart(2)).at("address"),
        ExchangeField::new("country", ExchangeValue::AddressPart(3)).at("address"),
        ExchangeField::new("about", ExchangeValue::LongText),
    ];

    fn create(tx: &TenantWrite<'_>, reader: Reader, new: New, import_key: Option<String>) -> Result<Stored<Self>> {
        let mut organization = new.by(reader.id);
        organization.import_key = import_key;
        rules::create(tx, organization)
    }

    fn import_key(&mut self) -> &mut Option<String> {
        &mut self.import_key
    }

    fn match_keys(record: &Stored<Self>) -> MatchKeys {
        MatchKeys {
            id: Some(record.id.uuid()),
            import_key: record.import_key.clone(),
            external_id: record.external_id.clone(),
            emails: record.emails.iter().map(|email| email.email.clone()).collect(),
            phones: record.phone_numbers.iter().map(Phone::key).collect(),
            name: Some(text::fold(&record.name)),
            place: record.address.as_deref().and_then(|address| Place::of(address, false)),
            host: record.website.as_deref().and_then(host_of),
            ..MatchKeys::default()
        }
    }
}
