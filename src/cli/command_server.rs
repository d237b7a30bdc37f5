//! Where commands arrive while a server runs. The house that they are done in may be closed and opened again under
//! it, when a backup is put back: commands wait meanwhile, and it waits for those under way.

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

/// The house that is open, if one is.
pub type OpenApp = Option<Operator>;

/// Opens the house again, and says where that lies whose place the backup took.
pub type ReopenRequest = oneshot::Sender<Option<PathBuf>>;

/// Where commands arrive.
pub struct CommandServer {
    home: Arc<Home>,
    house: Arc<RwLock<OpenApp>>,
    reopen: mpsc::Sender<ReopenRequest>,
    /// Held by whoever puts a backup back.
    restoring: Mutex<()>,
    /// Whether the process was told to stop, and how long commands may go on then.
    stopping: watch::Sender<bool>,
    grace: Duration,
}

impl CommandServer {
    /// A desk before a house that is not open yet, with what hears that it is to be opened again.
    #[must_use]
    pub fn new(home: Arc<Home>, grace: Duration) -> (Self, mpsc::Receiver<ReopenRequest>) {
        let (reopen, heard) = mpsc::channel(1);
        let stopping = watch::Sender::new(false);
        (Self { home, house: Arc::default(), reopen, restoring: Mutex::default(), stopping, grace }, heard)
    }

    /// Says that the process was told to stop: commands under way end within the time of grace.
    pub fn stop(&self) {
        self.stopping.send_replace(true);
    }

    /// What sends mails, when the house is open.
    pub async fn mailer(&self) -> Option<Mailer> {
        self.house.read().await.as_ref().map(|operator| operator.mailer.clone())
    }

    /// Waits for the commands under way, and lets no other begin as long as what this answers with is held.
    pub async fn house(&self) -> OwnedRwLockWriteGuard<OpenApp> {
        Arc::clone(&self.house).write_owned().await
    }

    /// Does a command; nothing when the house is closed for good. A command that outlives a stop's time of grace is
    /// given up, and a test of the mail server at once: it waits for nothing but that server.
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
        // From here on it is put in place, by this server or, should that stop, by the next start.
        let stopped = || Error::new(Code::Busy).with_detail("the server stopped; the next start puts the backup back");
        self.reopen.send(reopen).await.map_err(|_| stopped())?;
        let replaced = reopened.await.map_err(|_| stopped())?;
        remove_replaced(self.home.path(), keep)?;
        Ok(restored(&file, staged, replaced.as_deref()))
    }
}

/// Makes what is in a backup beside what there is, to be put in place at the next opening.
///
/// # Errors
/// As [`stage`].
pub async fn restore_beside(home: &Home, Archive { file, passphrase }: Archive) -> Result<Staged> {
    let passphrase = passphrase.map(|passphrase| passphrase.0);
    // Nobody waits for a second thread, and each takes memory of its own.
    let options = index::Options { rebuild_threads: 1, ..index::Options::default() };
    stage(home, file, passphrase, (Clock::system(), Entropy::system()), move |store, folder| {
        let (engine, _) = Engine::open(folder, options).map_err(Error::internal)?;
        jobs::reindex(store, engine).map(drop)
    })
    .await
}

/// The answer when a backup was put back.
#[must_use]
pub fn restored(file: &Path, staged: Staged, replaced: Option<&Path>) -> Answer {
    let Staged { at, made_by, companies, rows, files, damaged } = staged;
    let (file, made_at) = (file.display().to_string(), at.to_string());
    let replaced = replaced.map(|folder| folder.display().to_string());
    Answer::Restored(RestoreShown { file, made_at, made_by, companies, rows, files, damaged, replaced }.into())
}
