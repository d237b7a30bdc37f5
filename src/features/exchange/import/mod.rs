//! Import of records from files: CSV of several kinds, and vCards of people.
//!
//! An upload is read to its end, and becomes an import with a plan: which column goes to which field. A check tries all
//! rows in writes that are dropped, and keeps what is wrong with them; the import itself makes 20 rows in each write, which
//! notes what became of them, so that it goes on after a restart and can be undone.

mod api;
mod apply;
mod changes;
mod choices;
mod draft;
mod model;
mod report;
mod rules;
mod source;
#[cfg(test)]
mod tests;
mod work;

pub use api::Api;
pub use choices::{ChoiceNames, NamedChoice, choices_of};
pub use model::{
    CheckPart, CheckedChange, CheckedValue, ColumnTarget, Duplicates, Import, ImportFormat, ImportPart, ImportPlan,
    ImportState, LeftBehind, LeftReason, MadeField, RowFault, RowProblem, ValueMatch,
};
pub use report::write as write_report;
pub use rules::{
    NewImport, PURGE, begin_check, change, create, fail, find_imported, forget_checked, forget_record, get,
    in_progress, remove, start, undo_part,
};
pub use source::{Guesser, inspect};
pub use work::ImportWork;

use crate::{
    feature::Restricted,
    kernel::{Id, Result},
    store::{Change, TenantRead},
};

/// An import is its author's own.
pub fn restrict(tx: &TenantRead<'_>, id: [u8; 16], _change: Option<&Change>) -> Result<Option<Restricted>> {
    let import = tx.find_intact::<Import>(Id::from_bytes(id))?;
    Ok(import.map(|import| Restricted { holders: None, people: import.created_by.into_iter().collect() }))
}
