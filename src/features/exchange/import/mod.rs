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
    in_progress, records_of_act, remove, start, undo_part, worker_id,
};
pub use source::{Guesser, inspect};
pub use work::ImportWork;

use crate::{
    feature::Restricted,
    kernel::{Id, Result},
    people::permission::Permission,
    store::{Change, Stored, TenantRead},
};

/// Returns the members who get a change of an import: its author, who undoes it, and administrators.
pub fn restrict(tx: &TenantRead<'_>, id: [u8; 16], _change: Option<&Change>) -> Result<Option<Restricted>> {
    let import = tx.find_intact::<Import>(Id::from_bytes(id))?;
    let people = |import: &Stored<Import>| import.created_by.into_iter().chain(import.undone_by).collect();
    Ok(import.map(|import| Restricted { holders: Some(Permission::AuditRead), people: people(&import) }))
}
