//! Commands of root run as the user who owns the data directory, so that they find what the server finds, and leave no
//! files that it cannot write.

use std::{
    env, fs, io,
    os::unix::{fs::MetadataExt as _, process::CommandExt as _},
    path::Path,
    process::Command,
};

use rustix::process::geteuid;

use super::failure::Failure;

/// Replaces this process by one of the owner of the data directory, if root runs it and another user is the owner.
/// Errors: `internal` if that is not possible.
pub fn become_owner(data_dir: &Path) -> Result<(), Failure> {
    let Ok(found) = fs::metadata(data_dir) else { return Ok(()) };
    if !geteuid().is_root() || found.uid() == 0 {
        return Ok(());
    }
    let error = Command::new("/proc/self/exe").args(env::args_os().skip(1)).uid(found.uid()).gid(found.gid()).exec();
    Err(failed(&error))
}

fn failed(error: &io::Error) -> Failure {
    Failure::internal(format_args!("The command can't run as the owner of the data directory: {error}"))
}
