//! Bulk changes of events. Times and recurrence are changed one event at a time, because they take long to compute.

use poem_openapi::{Object, types::MaybeUndefined};

use super::{
    api::View,
    model::Event,
    notifications::{notify_cancelled, notify_change},
};
use crate::{
    feature::{BulkRecord, FieldValues},
    features::records::{self, fields::prepare_values},
    kernel::{Heading, Id, Result},
    people::permission::Reader,
    store::{Stored, TenantWrite},
    wire::NotNull,
};

/// What a bulk change may change of events.
#[derive(Debug, Object)]
#[oai(rename_all = "camelCase", deny_unknown_fields)]
pub struct Patch {
    location: MaybeUndefined<String>,
    color: MaybeUndefined<String>,
    fields: NotNull<FieldValues>,
}

impl BulkRecord for Event {
    type View = View;
    type Patch = Patch;
    const HEADING: Heading = Heading::Events;
    const FIELDS: &'static [&'static str] = &["location", "color", "fields"];

    fn change(tx: &TenantWrite<'_>, _: Reader, id: Id<Self>, patch: Patch, quiet: bool) -> Result<Stored<Self>> {
        let old = tx.get::<Self>(id)?.value;
        let event = tx.update::<Self>(id, None, |event| {
            patch.location.update_to(&mut event.location);
            patch.color.update_to(&mut event.color);
            patch.fields.into_option().into_iter().for_each(|values| event.fields.merge(values));
            event.check()?;
            prepare_values::<Self>(tx, &mut event.fields, Some(&old.fields))
        })?;
        if !quiet {
            notify_change(tx, Some(&old), &event)?;
        }
        Ok(event)
    }

    fn remove(tx: &TenantWrite<'_>, _: Reader, id: Id<Self>, any: bool, quiet: bool) -> Result<()> {
        let gone = records::remove::<Self>(tx, id, any, None)?;
        if quiet { Ok(()) } else { notify_cancelled(tx, &gone) }
    }
}
