//! Facts about the machine and the server's process, from `/proc`, `/sys` and `/etc`.

use std::{fs, os::unix::fs::MetadataExt as _, path::Path};

use rustix::process::{Resource, getrlimit};

use crate::cli::control::is_served;

/// The machine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Machine {
    /// Bytes of memory that programs may use: of the machine, or of the control group when that is less.
    pub memory_bytes: Option<u64>,
    /// Bytes of memory that are free, or become free when needed.
    pub available_bytes: Option<u64>,
    /// Bytes of swap.
    pub swap_bytes: Option<u64>,
    /// `vm.overcommit_memory`.
    pub overcommit: Option<u64>,
    /// `net.core.somaxconn`.
    pub waiting_connections: Option<u64>,
    /// `fs.file-max`.
    pub open_files: Option<u64>,
    /// The version of the kernel.
    pub kernel: Option<(u32, u32)>,
    /// Whether systemd keeps the clock synchronized. `None` without systemd.
    pub has_synchronized_clock: Option<bool>,
    /// Whether the data of time zones is there.
    pub has_time_zones: bool,
    /// Whether name servers are set up.
    pub has_name_server: bool,
    /// The limits of this process, which a server that it starts would have.
    pub limits: ProcessLimits,
}

/// Limits of a process; `None` is no limit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProcessLimits {
    /// Open files: the hard limit, to which the server raises its own.
    pub open_files: Option<u64>,
    /// Processes and threads of the user.
    pub processes: Option<u64>,
    /// The size of a file.
    pub file_bytes: Option<u64>,
}

/// The process of the running server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProcessFacts {
    /// Its id.
    pub id: u32,
    /// The user who runs it.
    pub user: u32,
    /// The groups that it has.
    pub groups: Vec<u32>,
    /// Its limits.
    pub limits: ProcessLimits,
    /// Whether its program was replaced or removed since its start.
    pub is_replaced: bool,
    /// Bytes of it that are swapped out.
    pub swapped_bytes: u64,
}

impl Machine {
    /// Looks at this machine.
    pub fn gather() -> Self {
        let memory = read("/proc/meminfo");
        let group = read("/sys/fs/cgroup/memory.max").and_then(|text| text.trim().parse().ok());
        let total = memory.as_deref().and_then(|text| kilobytes(text, "MemTotal"));
        let has_systemd = Path::new("/run/systemd/system").exists();
        Self {
            memory_bytes: total.map(|total| group.map_or(total, |group: u64| total.min(group))),
            available_bytes: memory.as_deref().and_then(|text| kilobytes(text, "MemAvailable")),
            swap_bytes: memory.as_deref().and_then(|text| kilobytes(text, "SwapTotal")),
            overcommit: number("/proc/sys/vm/overcommit_memory"),
            waiting_connections: number("/proc/sys/net/core/somaxconn"),
            open_files: number("/proc/sys/fs/file-max"),
            kernel: read("/proc/sys/kernel/osrelease").and_then(|text| release(&text)),
            has_synchronized_clock: has_systemd
                .then(|| Path::new("/run/systemd/timesync/synchronized").exists() || has_other_time_service()),
            has_time_zones: jiff::tz::TimeZone::get("Europe/Madrid").is_ok(),
            has_name_server: read("/etc/resolv.conf").is_some_and(|text| has_name_server(&text)),
            limits: ProcessLimits {
                open_files: getrlimit(Resource::Nofile).maximum,
                processes: getrlimit(Resource::Nproc).current,
                file_bytes: getrlimit(Resource::Fsize).current,
            },
        }
    }
}

impl ProcessFacts {
    /// Looks at the server of a data directory; `None` when none runs, or not on this machine.
    pub fn of_server(folder: &Path) -> Option<Self> {
        if !is_served(folder) {
            return None;
        }
        let id = fs::read_to_string(folder.join("lock")).ok()?.trim().parse().ok()?;
        let place = Path::new("/proc").join(format!("{id}"));
        let status = fs::read_to_string(place.join("status")).ok()?;
        // The server of a container has its id in another namespace.
        fs::read_to_string(place.join("comm")).ok().filter(|name| name.starts_with("atrium"))?;
        let program = fs::read_link(place.join("exe")).ok();
        let limits = fs::read_to_string(place.join("limits")).unwrap_or_default();
        Some(Self {
            id,
            user: fs::metadata(&place).ok()?.uid(),
            groups: groups(&status),
            limits: ProcessLimits::parse(&limits),
            is_replaced: program.is_some_and(|program| program.to_string_lossy().ends_with(" (deleted)")),
            swapped_bytes: kilobytes(&status, "VmSwap").unwrap_or_default(),
        })
    }
}

impl ProcessLimits {
    /// Parses `/proc/PID/limits`: the hard limit of open files, otherwise the soft limits.
    fn parse(text: &str) -> Self {
        let value = |name: &str, column: usize| {
            let line = text.lines().find_map(|line| line.strip_prefix(name))?;
            line.split_whitespace().nth(column)?.parse().ok()
        };
        Self {
            open_files: value("Max open files", 1),
            processes: value("Max processes", 0),
            file_bytes: value("Max file size", 0),
        }
    }
}

fn read(path: &str) -> Option<String> {
    fs::read_to_string(path).ok()
}

fn number(path: &str) -> Option<u64> {
    read(path)?.trim().parse().ok()
}

/// Returns a size of `/proc/meminfo` or `/proc/PID/status`, in bytes.
fn kilobytes(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
    line.split_whitespace().next()?.parse::<u64>().ok()?.checked_mul(1024)
}

/// Returns the groups of `/proc/PID/status`.
fn groups(status: &str) -> Vec<u32> {
    let lines = status.lines().filter_map(|line| line.strip_prefix("Gid:").or_else(|| line.strip_prefix("Groups:")));
    lines.flat_map(str::split_whitespace).filter_map(|id| id.parse().ok()).collect()
}

fn release(text: &str) -> Option<(u32, u32)> {
    let mut parts = text.split(['.', '-']);
    Some((parts.next()?.parse().ok()?, parts.next()?.trim().parse().ok()?))
}

fn has_name_server(text: &str) -> bool {
    text.lines().any(|line| line.split_whitespace().next() == Some("nameserver"))
}

/// Whether chrony or ntpd runs, by the names of processes.
fn has_other_time_service() -> bool {
    let names = ["chronyd", "ntpd", "openntpd", "ptp4l"];
    let is_one = |entry: fs::DirEntry| {
        let name = fs::read_to_string(entry.path().join("comm")).unwrap_or_default();
        names.contains(&name.trim())
    };
    fs::read_dir("/proc").into_iter().flatten().flatten().any(is_one)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_files_of_the_kernel() {
        assert_eq!(kilobytes("MemTotal:  2048 kB\nSwapTotal: 0 kB\n", "MemTotal"), Some(2_097_152));
        assert_eq!(kilobytes("MemTotal:  2048 kB\n", "VmSwap"), None);
        assert_eq!(groups("Name: atrium\nUid:\t1\nGid:\t7\t7\nGroups:\t103 104 \n"), [7, 7, 103, 104]);
        assert_eq!(release("6.1.0-18-amd64\n"), Some((6, 1)));
        assert_eq!(release("5.4\n"), Some((5, 4)));
        assert!(has_name_server("# nameserver\nnameserver 10.0.0.1\n") && !has_name_server("# nameserver 1\n"));
        let limits = "Limit  Soft Limit  Hard Limit  Units\nMax file size  unlimited  unlimited  bytes\n\
                      Max processes  63  128  processes\nMax open files  1024  4096  files\n";
        let limits = ProcessLimits::parse(limits);
        assert_eq!(limits, ProcessLimits { open_files: Some(4096), processes: Some(63), file_bytes: None });
    }

    #[test]
    fn this_machine_answers() {
        let machine = Machine::gather();
        assert!(machine.memory_bytes > Some(1 << 20) && machine.kernel.is_some() && machine.has_time_zones);
    }
}
