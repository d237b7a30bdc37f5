//! What the rows of a file would change of records, as texts.

use super::{
    apply::Applied,
    model::{CheckedChange, CheckedValue, Import, RowOutcome},
    rules,
};
use crate::{
    features::exchange::export::{Audience, Cells},
    kernel::{Id, Result},
    store::TenantRead,
};

/// Maximum characters of a value.
const MAX_CHARS: usize = 100;

/// Returns what rows that were tried would change, and takes it out of them.
pub fn write_out(tx: &TenantRead<'_>, id: Id<Import>, rows: &mut [Applied]) -> Result<Vec<CheckedChange>> {
    let import = tx.get::<Import>(id)?;
    let kind = import.kind.kind();
    let Some((author, reader)) = rules::worker(tx, &import)? else { return Ok(Vec::new()) };
    let Some(ops) = kind.exchange else { return Ok(Vec::new()) };
    let audience = Audience { reader, locale: author.locale(), timezone: author.timezone().to_owned() };
    let cells = Cells::of_values(tx, &audience, (kind, &ops))?;
    let fields = cells.fields();
    let mut changes = Vec::new();
    for applied in rows {
        let (Some(change), RowOutcome::Updated { id, .. }) = (applied.change.take(), &applied.outcome) else {
            continue;
        };
        let before = cells.row(&change.before)?;
        let after = cells.row(&change.after)?;
        let values = fields.iter().zip(before.into_iter().zip(after)).filter(|(_, (before, after))| before != after);
        let value = |(field, (before, after)): (&String, (String, String))| CheckedValue {
            field: field.clone(),
            before: clip(&before),
            after: clip(&after),
        };
        changes.push(CheckedChange {
            row: applied.row,
            id: *id,
            title: change.title,
            values: values.map(value).collect(),
        });
    }
    Ok(changes)
}

fn clip(text: &str) -> String {
    text.trim().chars().take(MAX_CHARS).collect()
}
