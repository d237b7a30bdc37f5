//! Names of records to which others refer, in the responses that show those.

use std::collections::HashMap;

use uuid::Uuid;

use crate::{
    feature::KindRecord,
    features::find_kind,
    kernel::Result,
    people::permission::Reader,
    store::{RecordId, TenantRead},
};

/// Reads the names of records as a reader sees them, each once.
pub struct RecordNames<'a> {
    tx: &'a TenantRead<'a>,
    reader: Reader,
    known: HashMap<Uuid, Option<String>>,
}

impl<'a> RecordNames<'a> {
    /// Prepares to read names.
    pub fn new(tx: &'a TenantRead<'a>, reader: Reader) -> Self {
        Self { tx, reader, known: HashMap::new() }
    }

    /// Returns the name of a record; `None` when it is in the bin or gone, its stored data is damaged, or the reader may
    /// not see it.
    pub fn find<R: KindRecord>(&mut self, id: Option<RecordId<R>>) -> Result<Option<String>> {
        let Some(id) = id.map(RecordId::<R>::uuid) else { return Ok(None) };
        if let Some(name) = self.known.get(&id) {
            return Ok(name.clone());
        }
        let kind = find_kind(R::KIND);
        let card = kind.map_or(Ok(None), |kind| kind.find_card(self.tx, self.reader, id))?;
        let name = card.map(|card| card.title);
        self.known.insert(id, name.clone());
        Ok(name)
    }
}

/// A response with a record that shows the names of others to which it refers.
pub trait ShowsNames {
    /// Adds the names.
    fn add_names(&mut self, names: &mut RecordNames<'_>) -> Result<()>;
}
