//! Records that a row refers to.

use super::{super::model::RowFault, Parts};
use crate::feature::{RecordKind, exchange::ReferenceKey};

/// A record that a row refers to.
#[derive(Clone, Debug)]
pub struct Reference {
    /// Where the body has its id.
    pub path: &'static str,
    /// Its kind.
    pub kind: &'static RecordKind,
    /// What finds it.
    pub key: ReferenceKey,
    /// Whether it is created if there is none.
    pub creates: bool,
    /// The column.
    column: u16,
}

impl Reference {
    /// Returns what is wrong with it.
    pub fn fault(&self, key: &str) -> RowFault {
        RowFault::at(self.column, key)
    }
}

impl Parts {
    /// Adds a record that the row refers to. An id goes before a name.
    pub(super) fn refer(
        &mut self,
        path: &'static str,
        kind: &'static RecordKind,
        key: ReferenceKey,
        (creates, column): (bool, u16),
    ) {
        let reference = Reference { path, kind, key, creates, column };
        match self.references.iter_mut().find(|known| known.path == path) {
            None => self.references.push(reference),
            Some(known) if matches!(reference.key, ReferenceKey::Id(_)) => *known = reference,
            Some(_) => {}
        }
    }
}
