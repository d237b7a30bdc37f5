//! Why records were found: the texts that have what their titles lack, under the rules of who may see a record.

use std::collections::HashMap;

use poem_openapi::Object;
use serde::Serialize;
use uuid::Uuid;

use crate::{
    feature::fields_in_use,
    features::{find_document_for, records::KindName},
    index::{Hit, Reason, Reasons},
    kernel::{
        Result,
        i18n::{Locale, say},
    },
    people::permission::Reader,
    store::TenantRead,
};

/// Why a record was found.
#[derive(Clone, Debug, Serialize, Object)]
#[oai(rename = "SearchReason")]
pub struct ReasonView {
    /// The field that has what the title lacks, by its name in lists and timelines, such as `email`, `notes` or
    /// `fields.budget`; `file` for the name of a file.
    field: String,
    /// The name of the field in the caller's language.
    label: String,
    /// The part of the field around the first match, without formatting: about 120 characters.
    text: String,
}

/// Records to explain.
#[derive(Debug)]
pub struct Unexplained {
    reasons: Reasons,
    records: Vec<(KindName, Uuid)>,
}

impl Unexplained {
    /// Returns the hits of a query whose titles do not show why they were found; `None` if there are none.
    pub fn among<'h>(typed: &str, hits: impl IntoIterator<Item = &'h Hit>) -> Option<Self> {
        let reasons = Reasons::of(typed);
        let unexplained = hits.into_iter().filter(|hit| reasons.are_needed(&hit.title));
        let records: Vec<(KindName, Uuid)> =
            unexplained.filter_map(|hit| Some((KindName::find(&hit.kind)?, Uuid::from_bytes(hit.id)))).collect();
        (!records.is_empty()).then_some(Self { reasons, records })
    }

    /// Finds the reasons in the present state of those records that the reader may see.
    pub fn explain(self, tx: &TenantRead<'_>, reader: Reader, locale: Locale) -> Result<HashMap<Uuid, ReasonView>> {
        let mut found = HashMap::new();
        for (kind, id) in self.records {
            let document = find_document_for(tx, reader, kind.kind(), id)?;
            let Some(Reason { field, text }) = document.and_then(|document| self.reasons.find(&document)) else {
                continue;
            };
            let label = label(tx, locale, kind, &field)?;
            found.insert(id, ReasonView { field: field.into_owned(), label, text });
        }
        Ok(found)
    }
}

/// Returns the name of a field of a kind. That of a custom field is what the company calls it.
fn label(tx: &TenantRead<'_>, locale: Locale, kind: KindName, field: &str) -> Result<String> {
    let Some(key) = field.strip_prefix("fields.") else {
        return Ok(say(locale, &format!("server.search.fields.{field}"), &[]));
    };
    let own = fields_in_use(tx, kind.kind().kind)?.into_iter().find(|own| own.key == key);
    Ok(own.map_or_else(|| key.to_owned(), |own| own.value.name))
}
