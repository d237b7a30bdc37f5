//! Import and export of customers.

use super::{api::New, model::Customer, rules, statuses::Statuses};
use crate::{
    feature::{DayPart, ExchangeField, ExchangeRecord, ExchangeValue, MatchKeys, matching::Place},
    features::organizations::{Organization, Phone},
    formats::synonyms::{self, FieldSynonyms},
    kernel::{Result, i18n::Locale, text},
    people::permission::Reader,
    store::{Record as _, Stored, TenantRead, TenantWrite},
};

impl ExchangeRecord for Customer {
    type New = New;

    const SYNONYMS: &'static [FieldSynonyms] = synonyms::PEOPLE;

    const EXCHANGED: &'static [ExchangeField] = &[
        ExchangeField::new("id", ExchangeValue::Id),
        ExchangeField::new("externalId", ExchangeValue::Text),
        ExchangeField::new("name", ExchangeValue::Text).required(),
        ExchangeField::new("namePrefix", ExchangeValue::NamePart(0)).at("name"),
        ExchangeField::new("firstName", ExchangeValue::NamePart(1)).at("name"),
        ExchangeField::new("middleName", ExchangeValue::NamePart(2)).at("name"),
        ExchangeField::new("lastName", ExchangeValue::NamePart(3)).at("name"),
        ExchangeField::new("secondLastName", ExchangeValue::NamePart(4)).at("name"),
        ExchangeField::new("nameSuffix", ExchangeValue::NamePart(5)).at("name"),
        ExchangeField::new("email", ExchangeValue::Emails).at("details.emails"),
        ExchangeField::new("phone", ExchangeValue::Phones).at("details.phoneNumbers"),
        ExchangeField::new("company", ExchangeValue::Text).at("details.company"),
        ExchangeField::new("organization", ExchangeValue::NewRecordName(Organization::KIND)).at("organizationId"),
        ExchangeField::new("organizationId", ExchangeValue::Record(Organization::KIND)),
        ExchangeField::new("title", ExchangeValue::Text).at("details.title"),
        ExchangeField::new("status", ExchangeValue::Choice(statuses)),
        ExchangeField::new("owner", ExchangeValue::Member).at("ownerId"),
        ExchangeField::new("tags", ExchangeValue::Tags),
        ExchangeField::new("birthday", ExchangeValue::Birthday).at("details.birthday"),
        ExchangeField::new("yearOfBirth", ExchangeValue::DayPart(DayPart::Year)).at("details.birthday"),
        ExchangeField::new("monthOfBirth", ExchangeValue::DayPart(DayPart::Month)).at("details.birthday"),
        ExchangeField::new("dayOfBirth", ExchangeValue::DayPart(DayPart::Day)).at("details.birthday"),
        ExchangeField::new("address", ExchangeValue::Address).at("details.address"),
        ExchangeField::new("street", ExchangeValue::AddressPart(0)).at("details.address"),
        ExchangeField::new("postalCode", ExchangeValue::AddressPart(1)).at("details.address"),
        ExchangeField::new("city", ExchangeValue::AddressPart(1)).at("details.address"),
        ExchangeField::new("region", ExchangeValue::AddressPart(2)).at("details.address"),
        ExchangeField::new("country", ExchangeValue::AddressPart(3)).at("details.address"),
        ExchangeField::new("about", ExchangeValue::LongText),
        ExchangeField::new("notes", ExchangeValue::Html),
        ExchangeField::new("links", ExchangeValue::Links).at("attachments.links"),
    ];

    fn create(tx: &TenantWrite<'_>, reader: Reader, new: New, import_key: Option<String>) -> Result<Stored<Self>> {
        let mut customer = new.by(reader.id);
        customer.import_key = import_key;
        rules::create(tx, customer)
    }

    fn import_key(&mut self) -> &mut Option<String> {
        &mut self.import_key
    }

    fn match_keys(record: &Stored<Self>) -> MatchKeys {
        MatchKeys {
            id: Some(record.id.uuid()),
            import_key: record.import_key.clone(),
            external_id: record.external_id.clone(),
            emails: record.details.emails.iter().map(|email| email.email.clone()).collect(),
            phones: record.details.phone_numbers.iter().map(Phone::key).collect(),
            name: Some(text::fold(&record.name)),
            name_group: record.details.company.as_deref().map(text::fold).unwrap_or_default(),
            birthday: record.details.birthday,
            place: record.details.address.as_deref().and_then(|address| Place::of(address, false)),
            ..MatchKeys::default()
        }
    }
}

fn statuses(tx: &TenantRead<'_>, locale: Locale) -> Result<Vec<(String, String)>> {
    let all = Statuses::of(tx)?;
    Ok(all.in_use().map(|status| (status.id.clone(), status.name_in(locale))).collect())
}
