//! Control socket: commands to a running server. It is a Unix socket in the data directory that only the directory's
//! owner may open. The protocol is one line of JSON as the request, lines with progress if the request wants them, and
//! one line as the response.

use std::{
    fs::{self, File},
    future::Future,
    io::{self, BufRead as _, BufReader, Write as _},
    os::{
        fd::AsRawFd as _,
        unix::{
            fs::{MetadataExt as _, PermissionsExt as _},
            net::UnixStream as Client,
        },
    },
    path::{Path, PathBuf},
    pin::pin,
    sync::Arc,
    time::Duration,
};

use serde::{Deserialize, Serialize};
use tokio::{
    io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _},
    net::{UnixListener, UnixStream, unix::OwnedWriteHalf},
    task::JoinSet,
};

use super::{answer::Answer, command::Command, failure::Failure, seen_folder::SeenFolder};
use crate::{
    kernel::{
        Code, Error, Result,
        progress::{Progress, ProgressReport},
    },
    store::entries::CONTROL_SOCKET,
};

/// The longest path that the system accepts for a socket, in bytes.
const MAX_SOCKET_PATH_BYTES: usize = 100;

/// The longest line that is accepted from a client, in bytes.
const MAX_LINE_BYTES: u64 = 64 << 10;

/// How long a client may take to send its line.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(10);

/// How often progress is sent.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(250);

/// A request: one line.
#[derive(Debug, Serialize, Deserialize)]
pub struct Request {
    /// The command.
    #[serde(flatten)]
    pub command: Command,
    /// Whether the client shows progress: lines with it come before that of the result.
    #[serde(default)]
    progress: bool,
    /// The folders of the files that the command names, as the client sees them.
    #[serde(default)]
    folders: Vec<SeenFolder>,
}

impl Request {
    /// Creates the request for a command.
    pub fn new(command: Command, progress: bool) -> Self {
        let folders = command.files().into_iter().filter_map(SeenFolder::of).collect();
        Self { command, progress, folders }
    }
}

/// A line of the response.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Response {
    /// The command succeeded.
    Done(Box<Answer>),
    /// The command failed.
    Failed(Failure),
    /// The command is at work. Another line follows.
    Progress(ProgressReport),
    /// The command was not executed because the server is stopping. The client retries after the stop.
    Stopping,
}

impl Response {
    /// Converts the result of a command.
    pub fn new(result: Result<Answer>) -> Self {
        match result {
            Ok(answer) => Self::Done(answer.into()),
            Err(error) => Self::Failed(Failure::of(&error)),
        }
    }
}

/// Returns a path to the socket that is short enough for the system. A long path is replaced by one through the
/// folder's descriptor, so the returned file must stay open while the path is used.
fn path_in(folder: &Path) -> io::Result<(PathBuf, Option<File>)> {
    let path = folder.join(CONTROL_SOCKET);
    if path.as_os_str().len() <= MAX_SOCKET_PATH_BYTES {
        return Ok((path, None));
    }
    let open = File::open(folder)?;
    Ok((PathBuf::from(format!("/proc/self/fd/{}/{CONTROL_SOCKET}", open.as_raw_fd())), Some(open)))
}

/// The server's end of the socket.
#[derive(Debug)]
pub struct Control {
    listener: UnixListener,
    path: PathBuf,
    owner: u32,
}

impl Control {
    /// Opens the socket in a data directory. The caller holds the store's lock, so an existing socket was left by a
    /// server that has ended.
    /// Errors: The socket cannot be created, or its mode cannot be set.
    pub fn open(folder: &Path) -> io::Result<Self> {
        let path = folder.join(CONTROL_SOCKET);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let (short, _open) = path_in(folder)?;
        let listener = UnixListener::bind(short)?;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600))?;
        let owner = fs::metadata(&path)?.uid();
        Ok(Self { listener, path, owner })
    }

    /// Executes commands until `stop` resolves; a command in progress is finished. `execute` returns `None` when the
    /// server is stopping.
    pub async fn serve<F, R>(self, execute: F, stop: impl Future<Output = ()>)
    where
        F: Fn(Command, Progress) -> R + Send + Sync + 'static,
        R: Future<Output = Option<Result<Answer>>> + Send + 'static,
    {
        let execute = Arc::new(execute);
        let mut clients = JoinSet::new();
        let mut stop = pin!(stop);
        loop {
            tokio::select! {
                () = &mut stop => break,
                Some(_) = clients.join_next(), if !clients.is_empty() => {}
                accepted = self.listener.accept() => match accepted {
                    Ok((client, _)) if self.is_owner(&client) => {
                        let execute = Arc::clone(&execute);
                        clients.spawn(async move {
                            if let Err(error) = answer(client, &*execute).await {
                                tracing::warn!(%error, "control: answering a command failed");
                            }
                        });
                    }
                    Ok(_) => tracing::warn!("control: another user tried to connect"),
                    Err(error) => {
                        tracing::warn!(%error, "cannot accept commands");
                        tokio::time::sleep(Duration::from_millis(50)).await;
                    }
                },
            }
        }
        while clients.join_next().await.is_some() {}
    }

    /// Checks whether the client runs as the owner of the data directory or as root. The socket's mode demands the
    /// same, but some systems ignore it.
    fn is_owner(&self, client: &UnixStream) -> bool {
        client.peer_cred().is_ok_and(|peer| peer.uid() == self.owner || peer.uid() == 0)
    }
}

impl Drop for Control {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_file(&self.path) {
            tracing::debug!(%error, "control: the socket was already removed");
        }
    }
}

async fn answer<F, R>(client: UnixStream, execute: &F) -> io::Result<()>
where
    F: Fn(Command, Progress) -> R,
    R: Future<Output = Option<Result<Answer>>>,
{
    let (reader, mut writer) = client.into_split();
    let mut line = Vec::new();
    let mut reader = tokio::io::BufReader::new(reader.take(MAX_LINE_BYTES));
    tokio::time::timeout(REQUEST_TIMEOUT, reader.read_until(b'\n', &mut line)).await??;
    // It only wanted to know whether a server runs.
    if line.is_empty() {
        return Ok(());
    }
    let response = match serde_json::from_slice::<Request>(&line) {
        Ok(Request { command, progress: is_watched, folders }) => {
            if let Err(failure) = folders.iter().try_for_each(SeenFolder::expect_same) {
                Response::Failed(failure)
            } else {
                let progress = Progress::default();
                let result = execute(command, progress.clone());
                let result = if is_watched { tell(result, &progress, &mut writer).await } else { result.await };
                result.map_or(Response::Stopping, Response::new)
            }
        }
        Err(error) => {
            // The text of a parse error may quote the line, which may contain a password.
            let place = format!("column {}", error.column());
            Response::new(Err(Error::new(Code::BadRequest).with_detail(place)))
        }
    };
    send(&response, &mut writer).await?;
    writer.shutdown().await
}

/// Waits for a result, and sends the progress until then. A client that is gone does not stop the command.
async fn tell<T>(result: impl Future<Output = T>, progress: &Progress, writer: &mut OwnedWriteHalf) -> T {
    let mut result = pin!(result);
    let mut last = None;
    let mut is_heard = true;
    loop {
        match tokio::time::timeout(PROGRESS_INTERVAL, &mut result).await {
            Ok(result) => return result,
            Err(_) => {
                let report = progress.report();
                if let Some(report) = report.clone().filter(|_| is_heard && report != last) {
                    is_heard = send(&Response::Progress(report), writer).await.is_ok();
                }
                last = report;
            }
        }
    }
}

async fn send(response: &Response, writer: &mut OwnedWriteHalf) -> io::Result<()> {
    let mut line = serde_json::to_vec(response)?;
    line.push(b'\n');
    writer.write_all(&line).await
}

/// Checks whether a server accepts commands for a data directory.
pub fn is_served(folder: &Path) -> bool {
    path_in(folder).and_then(|(path, _open)| Client::connect(path)).is_ok()
}

/// Sends a request to the server of a data directory; returns `None` when no server runs. Lines with progress go to
/// `progress`.
/// Errors: The socket belongs to another user, or the server did not answer.
pub fn ask(folder: &Path, request: &Request, progress: &Progress) -> io::Result<Option<Response>> {
    let connected = path_in(folder).and_then(|(path, _open)| Client::connect(path));
    let mut client = match connected {
        Ok(client) => client,
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused) => {
            return Ok(None);
        }
        Err(error) => return Err(error),
    };
    let mut line = serde_json::to_vec(request)?;
    line.push(b'\n');
    client.write_all(&line)?;
    for answer in BufReader::new(client).lines() {
        match serde_json::from_str(&answer?)? {
            Response::Progress(report) => progress.set(report),
            response => return Ok(Some(response)),
        }
    }
    Err(io::ErrorKind::UnexpectedEof.into())
}

#[cfg(test)]
mod tests {
    use std::{io::Read as _, thread::JoinHandle};

    use tokio::sync::oneshot;

    use super::*;
    use crate::{
        cli::{
            commands::{check::CheckReport, reindex::Reindexed, user::create::CreateUser},
            password::NewPassword,
        },
        kernel::progress::Unit,
    };

    struct Running {
        stop: Option<oneshot::Sender<()>>,
        thread: Option<JoinHandle<()>>,
    }

    /// Serves commands: `reindex` returns 7, `create-user` fails unless the password is `right`.
    fn start(folder: &Path) -> Running {
        let folder = folder.to_owned();
        let (stop, stopped) = oneshot::channel();
        let (ready, opened) = std::sync::mpsc::channel();
        let thread = std::thread::spawn(move || {
            tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async move {
                let control = Control::open(&folder).unwrap();
                ready.send(()).unwrap();
                let execute = |command: Command, progress: Progress| async move {
                    match command {
                        Command::Reindex => Some(Ok(Answer::Reindexed(Reindexed { documents: 7, damaged: 0 }))),
                        Command::CreateUser(form) if form.password.text.0 == "right" => {
                            Some(Ok(Answer::Healthy(Box::default())))
                        }
                        Command::ListTenants => None,
                        Command::Check => {
                            progress.start("Verifying records", Unit::Items, Some(9));
                            progress.add(4);
                            tokio::time::sleep(PROGRESS_INTERVAL * 2).await;
                            Some(Ok(Answer::Checked(CheckReport::default())))
                        }
                        _ => Some(Err(Error::new(Code::Conflict))),
                    }
                };
                control.serve(execute, async { drop(stopped.await) }).await;
            });
        });
        opened.recv().unwrap();
        Running { stop: Some(stop), thread: Some(thread) }
    }

    impl Drop for Running {
        fn drop(&mut self) {
            drop(self.stop.take());
            if let Some(thread) = self.thread.take() {
                thread.join().unwrap();
            }
        }
    }

    fn request(command: Command) -> Request {
        Request::new(command, false)
    }

    fn asked(folder: &Path, command: Command) -> io::Result<Option<Response>> {
        ask(folder, &request(command), &Progress::default())
    }

    fn user(password: &str) -> Command {
        Command::CreateUser(CreateUser {
            tenant: "acme".into(),
            name: "Ada \"the first\"\nLovelace".into(),
            email: "ada@acme.example".into(),
            role: "member".into(),
            password: NewPassword::of(password),
        })
    }

    #[test]
    fn commands_reach_a_running_server_over_an_owner_only_socket() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(asked(folder.path(), Command::Reindex).unwrap(), None);
        let server = start(folder.path());
        let mode = fs::metadata(folder.path().join(CONTROL_SOCKET)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        for _ in 0..3 {
            let answer = asked(folder.path(), Command::Reindex).unwrap();
            assert_eq!(answer, Some(Response::Done(Answer::Reindexed(Reindexed { documents: 7, damaged: 0 }).into())));
        }
        assert_eq!(
            asked(folder.path(), user("right")).unwrap(),
            Some(Response::Done(Answer::Healthy(Box::default()).into()))
        );
        let Some(Response::Failed(failure)) = asked(folder.path(), user("wrong")).unwrap() else {
            panic!("a wrong command was done");
        };
        assert_eq!(failure.code, "conflict");
        assert_eq!(asked(folder.path(), Command::ListTenants).unwrap(), Some(Response::Stopping));
        drop(server);
        assert!(!folder.path().join(CONTROL_SOCKET).exists());
        assert_eq!(asked(folder.path(), Command::Reindex).unwrap(), None);
    }

    #[test]
    fn progress_comes_before_the_result_when_it_is_wanted() {
        let folder = tempfile::tempdir().unwrap();
        let _server = start(folder.path());
        for wanted in [true, false] {
            let progress = Progress::default();
            let request = Request::new(Command::Check, wanted);
            let answer = ask(folder.path(), &request, &progress).unwrap();
            assert_eq!(answer, Some(Response::Done(Answer::Checked(CheckReport::default()).into())));
            assert_eq!(progress.report().map(|report| (report.done, report.total)), wanted.then_some((4, Some(9))));
        }
    }

    #[test]
    fn rejects_malformed_requests_without_echoing_them() {
        let folder = tempfile::tempdir().unwrap();
        let _server = start(folder.path());
        for line in ["nonsense\n", "{\"command\":\"canary\"}\n", "{\"command\":\"reindex\"", "\n"] {
            let mut client = Client::connect(folder.path().join(CONTROL_SOCKET)).unwrap();
            client.write_all(line.as_bytes()).unwrap();
            client.shutdown(std::net::Shutdown::Write).unwrap();
            let mut answer = String::new();
            client.read_to_string(&mut answer).unwrap();
            assert!(answer.contains("bad_request") && !answer.contains("canary"), "{answer}");
        }
    }

    #[test]
    fn replaces_a_stale_socket_and_supports_long_paths() {
        let folder = tempfile::tempdir().unwrap();
        let deep = folder.path().join("x".repeat(120)).join("y".repeat(60));
        fs::create_dir_all(&deep).unwrap();
        fs::write(deep.join(CONTROL_SOCKET), "left behind").unwrap();
        let _server = start(&deep);
        let answer = asked(&deep, Command::Reindex).unwrap();
        assert_eq!(answer, Some(Response::Done(Answer::Reindexed(Reindexed { documents: 7, damaged: 0 }).into())));
    }
}
