//! What identifies the record of a row.

use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::{
    super::{model::RowFault, source::SourceRow},
    Draft, DraftReader, Target,
};
use crate::{
    feature::{
        ExchangeValue,
        exchange::{ReferenceKey, set_value_at, value_at},
        matching::{Place, host_of},
    },
    kernel::{hex, text},
};

impl DraftReader {
    /// Returns what identifies a row of a kind without fields that do: all that it has, wherever its columns go.
    pub(super) fn digest_of(&self, row: &SourceRow) -> String {
        let mut sum = Sha256::new_with_prefix(self.kind.kind);
        for cell in row.cells.iter().filter(|cell| !cell.text.trim().is_empty()) {
            let header = self.plan.columns.get(usize::from(cell.column)).map_or("", |column| column.header.as_str());
            for text in [header, cell.text.trim()] {
                sum.update(text);
                sum.update([0]);
            }
        }
        row_key(sum)
    }

    pub(super) fn finish_keys(&self, draft: &mut Draft, identity: &[(&str, String)], number: Option<&str>) {
        let at = |draft: &Draft, path: &str| value_at(&draft.values, path).and_then(Value::as_str).map(str::to_owned);
        draft.keys.external_id = at(draft, "externalId");
        for field in self.fields.iter().filter(|field| field.is_required) {
            if at(draft, field.path).is_none() {
                // A person without a name is called by their address, company or number.
                let company = at(draft, "details.company");
                let email = draft.keys.emails.first().map(|email| text::shown_email(email).into_owned());
                let instead = email.or(company).or_else(|| number.map(str::to_owned));
                match instead.filter(|_| field.path == "name") {
                    Some(name) => {
                        set_value_at(&mut draft.values, field.path, Value::from(name));
                        draft.is_name_made = true;
                    }
                    None => {
                        let column = draft.column_of(field.path).or_else(|| self.column_to(field.path));
                        draft.missing = Some(RowFault { column, ..RowFault::of("errors.fields.required", &[]) });
                    }
                }
            }
        }
        draft.keys.name = at(draft, "name").map(|name| text::fold(&name));
        let organization = draft.references.iter().find_map(|reference| match &reference.key {
            ReferenceKey::Name(name) if reference.creates => Some(name.clone()),
            _ => None,
        });
        let company = organization.or_else(|| at(draft, "details.company"));
        draft.keys.name_group = company.map(|company| text::fold(&company)).unwrap_or_default();
        draft.keys.birthday = at(draft, "details.birthday").and_then(|birthday| birthday.parse().ok());
        let address = self.fields.iter().find(|field| matches!(field.value, ExchangeValue::Address));
        let address = address.and_then(|field| at(draft, field.path));
        draft.keys.place = address.and_then(|address| Place::of(&address, draft.address_part.is_some()));
        draft.keys.host = at(draft, "website").and_then(|website| host_of(&website));
        if draft.keys.id.is_none() && draft.keys.external_id.is_none() && !identity.is_empty() {
            let mut sum = Sha256::new_with_prefix(self.kind.kind);
            for (path, value) in identity {
                sum.update(path);
                sum.update([0]);
                sum.update(value);
                sum.update([0]);
            }
            draft.keys.import_key = Some(row_key(sum));
        }
    }

    /// Returns the first column that goes to a path.
    fn column_to(&self, path: &str) -> Option<u16> {
        let is_to =
            |target: &Option<(Target, String)>| matches!(target, Some((Target::Own(field), _)) if field.path == path);
        self.targets.iter().position(is_to).and_then(|at| u16::try_from(at).ok())
    }
}

/// Returns the import key of a row with a digest.
fn row_key(sum: Sha256) -> String {
    format!("row:{}", hex::encode(sum.finalize().get(..16).unwrap_or_default()))
}
