//! Command execution in a running server. Restoring a backup closes the application and opens it again: it waits for
//! the commands in progress, and new commands wait until the application is open.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use tokio::sync::{Mutex, OwnedRwLockWriteGuard, RwLock, mpsc, oneshot, watch};

use super::{
    answer::{Answer, RestoreShown},
    command::{Archive, Command, Restoration},
    execute::{Operator, execute},
};
use crate::{
    features::operator::{Staged, remove_replaced, stage},
    index::{self, Engine},
    jobs,
    kernel::{Clock, Code, Entropy, Error, Result},
    mail::Mailer,
    store::Home,
};

/// The open application, if there is one.
pub type OpenApp = Option<Operator>;

/// Requests that the application is reopened. The answer is the folder with the data that the backup replaced.
pub type ReopenRequest = oneshot::Sender<Option<PathBuf>>;

/// Executes commands on the open application.
pub struct CommandServer {
    home: Arc<Home>,
    house: Arc<RwLock<OpenApp>>,
    reopen: mpsc::Sender<ReopenRequest>,
    /// Held while a backup is restored.
    restoring: Mutex<()>,
    /// Whether the process was asked to stop. Commands may then run for `grace`.
    stopping: watch::Sender<bool>,
    grace: Duration,
}

impl CommandServer {
    /// Creates a server without an open application, and the receiver of reopen requests.
    #[must_use]
    pub fn new(home: Arc<Home>, grace: Duration) -> (Self, mpsc::Receiver<ReopenRequest>) {
        let (reopen, heard) = mpsc::channel(1);
        let stopping = watch::Sender::new(false);
        (Self { home, house: Arc::default(), reopen, restoring: Mutex::default(), stopping, grace }, heard)
    }

    /// Marks the process as stopping: commands in progress must end within the grace period.
    pub fn stop(&self) {
        self.stopping.send_replace(true);
    }

    /// Returns the mailer of the open application.
    pub async fn mailer(&self) -> Option<Mailer> {
        self.house.read().await.as_ref().map(|operator| operator.mailer.clone())
    }

    /// Waits for the commands in progress. No other command starts while the returned guard is held.
    pub async fn house(&self) -> OwnedRwLockWriteGuard<OpenApp> {
        Arc::clone(&self.house).write_owned().await
    }

    /// Executes a command; returns `None` when the application is closed for good. A command that exceeds the grace
    /// period of a stop is cancelled. A test of the mail server is cancelled at once, because it only waits for that
    /// server.
    pub async fn execute(&self, command: Command) -> Option<Result<Answer>> {
        let grace = if matches!(command, Command::SendTest { .. }) { Duration::ZERO } else { self.grace };
        let mut stopping = self.stopping.subscribe();
        let cut_off = async {
            drop(stopping.wait_for(|stopping| *stopping).await);
            tokio::time::sleep(grace).await;
        };
        tokio::select! {
            biased;
            done = self.perform(command) => done,
            () = cut_off => Some(Err(Error::new(Code::Busy).say("server.cli.stopped", Vec::new()))),
        }
    }

    async fn perform(&self, command: Command) -> Option<Result<Answer>> {
        match command {
            Command::Restore(restoration) => Some(self.restore(restoration).await),
            command => match &*self.house.read().await {
                Some(operator) => Some(execute(operator, command).await),
                None => None,
            },
        }
    }

    async fn restore(&self, Restoration { archive, keep }: Restoration) -> Result<Answer> {
        let _alone = self.restoring.try_lock().map_err(|_| Error::new(Code::Busy).with_detail("one is put back"))?;
        let file = archive.file.clone();
        let staged = restore_beside(&self.home, archive).await?;
        let (reopen, reopened) = oneshot::channel();
        // From here on the restore completes: in this process or, if it stops first, at the next start.
        let stopped = || Error::new(Code::Busy).with_detail("the server stopped; the next start puts the backup back");
        self.reopen.send(reopen).await.map_err(|_| stopped())?;
        let replaced = reopened.await.map_err(|_| stopped())?;
        remove_replaced(self.home.path(), keep)?;
        Ok(restored(&file, staged, replaced.as_deref()))
    }
}

/// Unpacks a backup beside the present data. The next open puts it in place.
pub async fn restore_beside(home: &Home, Archive { file, passphrase }: Archive) -> Result<Staged> {
    let passphrase = passphrase.map(|passphrase| passphrase.0);
    // One thread is fast enough, and each further thread needs its own memory.
    let options = index::Options { rebuild_threads: 1, ..index::Options::default() };
    stage(home, file, passphrase, (Clock::system(), Entropy::system()), move |store, folder| {
        let (engine, _) = Engine::open(folder, options).map_err(Error::internal)?;
        jobs::reindex(store, engine).map(drop)
    })
    .await
}

/// Returns the answer to a completed restore.
#[must_use]
pub fn restored(file: &Path, staged: Staged, replaced: Option<&Path>) -> Answer {
    let Staged { at, made_by, companies, rows, files, damaged } = staged;
    let (file, made_at) = (file.display().to_string(), at.to_string());
    let replaced = replaced.map(|folder| folder.display().to_string());
    Answer::Restored(RestoreShown { file, made_at, made_by, companies, rows, files, damaged, replaced }.into())
}
