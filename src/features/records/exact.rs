//! Look-up of records by exact values: the id in another system, an e-mail address, a phone number.

use super::get_visible;
use crate::{
    access::Member,
    feature::KindRecord,
    kernel::{
        Code, Error, Id, MemberId, Result,
        phone::{self, MAX_CHARS},
        text,
    },
    people::permission::{Reader, Right},
    store::{MAX_PAGE_BYTES, Scan, Stored, TenantRead, count_fitting},
};

use poem_openapi::types::MaybeUndefined;

/// Maximum records of a look-up.
const FOUND: usize = 50;

/// What a look-up asks for. A record is found that has one of the values.
#[derive(Clone, Debug, Default)]
pub struct ExactQuery {
    /// The id in another system.
    pub external_id: Option<String>,
    /// The e-mail address, normalized.
    pub email: Option<String>,
    /// The phone number in E.164, or its digits.
    pub phone: Option<String>,
}

impl ExactQuery {
    /// Reads the parameters of a call. Phone numbers without a country are those of the caller's.
    /// Errors: `invalid` without any value.
    pub fn of<R: Right>(
        member: &Member<R>,
        external_id: Option<String>,
        email: Option<String>,
        phone: Option<String>,
    ) -> Result<Self> {
        if external_id.is_none() && email.is_none() && phone.is_none() {
            return Err(Error::new(Code::Invalid).and_field("externalId", "errors.fields.exact_value", Vec::new()));
        }
        Ok(Self {
            external_id: external_id.map(|id| text::line(&id)),
            email: email.map(|typed| text::email(&typed).unwrap_or_default()),
            phone: phone.map(|typed| phone_key(&typed, &member.region().phone_country)),
        })
    }

    /// Returns the records that have one of the values and that the reader may see, at most 50; fewer when they are large.
    pub fn find<R: KindRecord<Key = R>>(&self, tx: &TenantRead<'_>, reader: Reader) -> Result<Vec<Stored<R>>> {
        let keys =
            [(R::KEYS.external_id, &self.external_id), (R::KEYS.email, &self.email), (R::KEYS.phone, &self.phone)];
        let mut found: Vec<(Id<R>, usize)> = Vec::new();
        for (index, value) in keys.into_iter().filter_map(|(index, value)| index.zip(value.as_deref())) {
            let page = tx.page::<R>(&Scan::with(index, value).limit(FOUND), |_| true)?;
            found.extend(page.items.iter().map(|record| record.id).zip(page.sizes));
        }
        found.sort_unstable();
        found.dedup();
        found.truncate(FOUND);
        found.truncate(count_fitting(found.iter().map(|(_, size)| *size), MAX_PAGE_BYTES));
        let visible = found.into_iter().map(|(id, _)| get_visible::<R>(tx, reader, id));
        visible.filter(|one| one.as_ref().err().is_none_or(|error| error.code() != Code::NotFound)).collect()
    }
}

/// Returns what finds a phone number: E.164, or its digits if it is not valid in a country.
fn phone_key(typed: &str, country: &str) -> String {
    let clipped: String = typed.chars().take(MAX_CHARS).collect();
    phone::forms(&clipped, Some(country)).map_or_else(|| phone::digits(&clipped), |forms| forms.e164)
}

/// Returns the owner of a new record: the one that the call names, else its caller. Null means none.
pub fn owner_or_caller(named: MaybeUndefined<MemberId>, caller: MemberId) -> Option<MemberId> {
    match named {
        MaybeUndefined::Undefined => Some(caller),
        MaybeUndefined::Null => None,
        MaybeUndefined::Value(owner) => Some(owner),
    }
}
