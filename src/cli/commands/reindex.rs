//! `atrium reindex`: rebuilds the search index from the store.

use crate::{cli::prelude::*, jobs, kernel::run_blocking};

/// Rebuilds the index.
pub async fn run(context: &Context) -> Result<Reindexed> {
    let context = context.clone();
    run_blocking(move || {
        let engine = context.engine()?;
        let damaged = jobs::reindex(context.store, engine.clone(), &context.progress)?;
        Ok(Reindexed { documents: engine.documents(), damaged })
    })
    .await
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reindexed {
    /// Documents in it now.
    pub documents: u64,
    /// Damaged records, which are not in the index.
    #[serde(default)]
    pub damaged: u64,
}

impl Reindexed {
    pub fn text(&self) -> String {
        let Self { documents, damaged } = self;
        let rebuilt = format!("The search index was rebuilt. Documents: {documents}.");
        if *damaged == 0 {
            return rebuilt;
        }
        format!("{rebuilt}\nDamaged records that aren't in it: {damaged}. `atrium check` names them.")
    }
}
