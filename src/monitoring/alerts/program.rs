//! Alerts by a program of the operator: `alerts.command`.

use std::{process::Stdio, sync::Arc, time::Duration};

use futures_util::FutureExt as _;
use parking_lot::Mutex;
use rustix::process::{Pid, Signal, kill_process_group};
use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _},
    process::Command,
    time::timeout,
};

use super::message::{Message, one_line};

/// The time limit of the program.
const TIME_LIMIT: Duration = Duration::from_secs(30);

/// How long what the program printed is read after its end: a program that it started may keep printing.
const LAST_OUTPUT: Duration = Duration::from_millis(200);

/// Bytes of its output that are kept, for the log.
const MAX_OUTPUT_BYTES: usize = 2 << 10;

/// Where programs are looked for.
const PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// Kills the process group of a program when dropped: the program and those that it started, but for those that left
/// the group (`setsid`).
struct Group(Option<Pid>);

impl Drop for Group {
    fn drop(&mut self) {
        if let Some(group) = self.0 {
            // It may have ended by itself.
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
}

/// Runs the program, without a shell: the message as JSON on standard input, and as variables. The variables of the
/// server, which may have secrets, are not passed on.
/// Errors: Why it could not be run, or how it ended, with what it printed.
pub(super) async fn run(command: &[String], message: &Message) -> Result<(), String> {
    run_within(command, message, TIME_LIMIT).await
}

pub(super) async fn run_within(command: &[String], message: &Message, limit: Duration) -> Result<(), String> {
    let (program, arguments) = command.split_first().ok_or("there is no program")?;
    let input = serde_json::to_vec(message).map_err(|error| error.to_string())?;
    let mut command = Command::new(program);
    command.args(arguments).env_clear().env("PATH", PATH).env("LC_ALL", "C.UTF-8").envs(message.variables());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.current_dir("/").process_group(0).kill_on_drop(true);
    let mut child = command.spawn().map_err(|error| format!("{program}: {error}"))?;
    let mut group = Group(child.id().and_then(|id| Pid::from_raw(i32::try_from(id).ok()?)));
    let output = Arc::new(Mutex::new(Vec::new()));
    let stdin = child.stdin.take();
    let stdout = child.stdout.take();
    let stderr = child.stderr.take();
    let reading = async { tokio::join!(collect(stdout, &output), collect(stderr, &output)) };
    let mut reading = std::pin::pin!(reading.fuse());
    let writing = async move {
        // A program need not read it.
        if let Some(mut stdin) = stdin {
            drop(stdin.write_all(&input).await);
        }
    };
    let running = async {
        let ended = async { tokio::join!(writing, child.wait()).1 };
        let mut ended = std::pin::pin!(ended);
        tokio::select! {
            status = &mut ended => return status,
            _ = &mut reading => {}
        }
        ended.await
    };
    let ended = timeout(limit, running).await;
    let Ok(status) = ended else {
        drop(group);
        // It was killed; waiting for it frees its entry in the table of processes.
        drop(child.wait().await);
        return Err(format!("{program} did not end within {} seconds", limit.as_secs()));
    };
    group.0 = None;
    drop(timeout(LAST_OUTPUT, reading).await);
    let status = status.map_err(|error| format!("{program}: {error}"))?;
    if status.success() {
        return Ok(());
    }
    let printed = one_line(&String::from_utf8_lossy(&output.lock()));
    Err(if printed.is_empty() { format!("{program}: {status}") } else { format!("{program}: {status}: {printed}") })
}

/// Reads all of an output, and keeps its beginning.
async fn collect(output: Option<impl AsyncRead + Unpin>, kept: &Mutex<Vec<u8>>) {
    let Some(mut output) = output else { return };
    let mut buffer = [0; 1024];
    while let Ok(length) = output.read(&mut buffer).await
        && length > 0
    {
        let mut kept = kept.lock();
        let room = MAX_OUTPUT_BYTES.saturating_sub(kept.len()).min(length);
        kept.extend(&buffer[..room]);
    }
}
