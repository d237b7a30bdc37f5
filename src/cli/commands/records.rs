//! What the commands that import and export records have in common.

use crate::cli::prelude::*;

/// The records of a command, and in whose name it works on them.
#[derive(Debug, Args, Serialize, Deserialize)]
pub struct RecordsOf {
    /// The records: customers, organizations, deals or tasks
    pub kind: String,
    /// The company's slug
    #[arg(long)]
    pub tenant: String,
    /// The email address of the member who imports or exports: their rights count, and imported records without an owner are theirs
    #[arg(long = "as", value_name = "EMAIL")]
    pub author: String,
}
