//! `atrium openapi`: prints the API document. It needs neither a configuration nor a store.

use crate::{app, cli::prelude::*};

/// Prints the document.
pub fn run() -> Result<(), Failure> {
    print_text(app::document().trim_end())
}
