//! Commands of root run as the user who owns the data directory, so that they find what the server finds, and leave no
//! files that it cannot write.

use std::{
    env, fs,
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
    let error = program_as(found.uid(), found.gid()).args(env::args_os().skip(1)).exec();
    Err(Failure::internal(format_args!("The command can't run as the owner of the data directory: {error}")))
}

/// Returns a command that runs this program as another user, who may be unable to enter the folder of the program.
pub fn program_as(user: u32, group: u32) -> Command {
    let mut command = Command::new("/proc/self/exe");
    command.uid(user).gid(group);
    command
}
