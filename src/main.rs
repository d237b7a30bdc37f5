//! Atrium: parses the command line and hands over to [`atrium::cli`].

use std::process::ExitCode;

/// A quarter less memory and noticeably more requests than with the system's allocator.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    // Variables that are not UTF-8 set nothing of ours.
    let variables = std::env::vars_os();
    let environment: Vec<_> =
        variables.filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?))).collect();
    atrium::cli::run(&environment)
}
