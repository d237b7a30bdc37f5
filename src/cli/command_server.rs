//! Command execution in a running server. Restoring a backup closes the application and opens it again: it waits for
//! the commands in progress, and new commands wait until the application is open.

use std::{path::PathBuf, sync::Arc, time::Duration};

use tokio::sync::{Mutex, OwnedRwLockWriteGuard, RwLock, mpsc, oneshot, watch};

use super::{
    answer::Answer,
    command::Command,
    commands::restore::{Restore, RestoreShown},
    context::Context,
};
use crate::{
    features::operator::remove_replaced,
    kernel::{Code, Error, Result, progress::Progress},
    mail::Mailer,
    store::Home,
};

/// The open application, if there is one.
pub type OpenApp = Option<Context>;

/// Requests that the application is reopened. The answer is the folder with the data that the backup replaced.
pub type ReopenRequest = oneshot::Sender<Option<PathBuf>>;

/// Executes commands on the open application.
pub struct CommandServer {
    home: Arc<Home>,
    app: Arc<RwLock<OpenApp>>,
    reopen: mpsc::Sender<ReopenRequest>,
    /// Held while a backup is restored.
    restoring: Mutex<()>,
    /// Whether the process was asked to stop. Commands may then run for `grace`.
    stopping: watch::Sender<bool>,
    grace: Duration,
}

fn stopped_error() -> Error {
    let text = "The server was stopped before this was done. Start it again and repeat the command.";
    Error::new(Code::Busy).explain(text)
}

impl CommandServer {
    /// Creates a server without an open application, and the receiver of reopen requests.
    pub fn new(home: Arc<Home>, grace: Duration) -> (Self, mpsc::Receiver<ReopenRequest>) {
        let (reopen, heard) = mpsc::channel(1);
        let stopping = watch::Sender::new(false);
        (Self { home, app: Arc::default(), reopen, restoring: Mutex::default(), stopping, grace }, heard)
    }

    /// Marks the process as stopping: commands in progress must end within the grace period.
    pub fn stop(&self) {
        self.stopping.send_replace(true);
    }

    /// Returns the mailer of the open application.
    pub async fn mailer(&self) -> Option<Mailer> {
        let app = self.app.read().await;
        Some(app.as_ref()?.app().ok()?.mailer.clone())
    }

    /// Waits for the commands in progress. No other command starts while the returned guard is held.
    pub async fn lock(&self) -> OwnedRwLockWriteGuard<OpenApp> {
        Arc::clone(&self.app).write_owned().await
    }

    /// Executes a command; returns `None` when the application is closed for good. A command that exceeds the grace
    /// period of a stop is cancelled. A test of mail or alerts is cancelled at once, because it only waits for other
    /// programs.
    pub async fn execute(&self, command: Command, progress: Progress) -> Option<Result<Answer>> {
        let grace =
            if matches!(command, Command::SendTest(_) | Command::TestAlerts) { Duration::ZERO } else { self.grace };
        let mut stopping = self.stopping.subscribe();
        let cut_off = async {
            drop(stopping.wait_for(|stopping| *stopping).await);
            tokio::time::sleep(grace).await;
        };
        tokio::select! {
            biased;
            done = self.perform(command, &progress) => done,
            () = cut_off => Some(Err(stopped_error())),
        }
    }

    async fn perform(&self, command: Command, progress: &Progress) -> Option<Result<Answer>> {
        match command {
            Command::Restore(form) => Some(self.restore(form, progress).await.map(Answer::Restored)),
            command => match &*self.app.read().await {
                Some(context) => Some(command.execute(&context.with_progress(progress)).await),
                None => None,
            },
        }
    }

    async fn restore(&self, form: Restore, progress: &Progress) -> Result<RestoreShown> {
        let _alone =
            self.restoring.try_lock().map_err(|_| Error::new(Code::Busy).with_detail("a backup is being restored"))?;
        let _paused = self.app.read().await.as_ref().map(|context| context.store.pause_writes());
        let shown = form.stage(&self.home, progress).await?;
        let (reopen, reopened) = oneshot::channel();
        // From here on the restore completes: in this process or, if it stops first, at the next start.
        let stopped = || Error::new(Code::Busy).with_detail("the server stopped; the next start puts the backup back");
        self.reopen.send(reopen).await.map_err(|_| stopped())?;
        let replaced = reopened.await.map_err(|_| stopped())?;
        remove_replaced(self.home.path(), form.keep)?;
        Ok(shown.replacing(replaced.as_deref()))
    }
}
