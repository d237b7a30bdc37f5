//! Starts programs for tests, without the environment variables of who runs the tests.

use std::{ffi::OsStr, process::Command};

/// The variables that programs get from the test: where programs and temporary files are.
pub const KEPT: [&str; 2] = ["PATH", "TMPDIR"];

/// The variables that all programs get with these values.
pub const SET: [(&str, &str); 2] = [("HOME", "/nonexistent"), ("LC_ALL", "C.UTF-8")];

/// Returns a command whose environment has only [`KEPT`] and [`SET`]: `ATRIUM_…`, language, time zone, proxies and what
/// service managers pass would change what the program does.
pub fn program(name: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(name);
    command.env_clear().envs(SET);
    command.envs(KEPT.into_iter().filter_map(|name| Some((name, std::env::var_os(name)?))));
    command
}
