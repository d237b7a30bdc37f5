//! What commands work on: the open application, or only the data of an installation that is not running.

use std::{path::PathBuf, sync::Arc};

use super::command::Command;
use crate::{
    access::AuthService,
    app::{self, App},
    config::Config,
    features::{
        files::FileStore,
        operator::Eraser,
        tenants::operator::{self, Tenant},
    },
    index::{self, Engine},
    jobs::{HealthMonitor, JobStatuses, Notifier},
    kernel::{Clock, Code, Entropy, Error, Result, progress::Progress},
    mail::Mailer,
    monitoring::{Alerts, Monitor},
    people::members::check_global_indexes,
    store::{
        Home, InstallationId, Options, Store,
        entries::{INDEX, STORE},
        rewrite,
    },
};

/// What commands work on.
#[derive(Clone)]
pub struct Context {
    pub store: Store,
    pub files: FileStore,
    pub installation: InstallationId,
    /// Where the damaged original of this store is kept.
    pub original: Option<PathBuf>,
    /// How far the command is.
    pub progress: Progress,
    /// The folder of the search index.
    index: PathBuf,
    app: Option<Services>,
}

/// The services of the open application.
#[derive(Clone)]
pub struct Services {
    pub auth: AuthService,
    pub mailer: Mailer,
    pub eraser: Eraser,
    pub notifier: Notifier,
    pub health: HealthMonitor,
    pub monitor: Monitor,
    pub alerts: Alerts,
    pub jobs: JobStatuses,
    pub config: Arc<Config>,
    engine: Engine,
}

impl Context {
    /// Creates the context of an open application.
    pub fn of(app: &App) -> Self {
        let services = Services {
            auth: app.auth().clone(),
            mailer: app.mailer().clone(),
            eraser: app.eraser().clone(),
            notifier: app.notifier().clone(),
            health: app.watch().clone(),
            monitor: app.monitor().clone(),
            alerts: app.alerts().clone(),
            jobs: app.job_statuses().clone(),
            config: Arc::clone(app.config()),
            engine: app.engine().clone(),
        };
        Self {
            store: app.store().clone(),
            files: app.files().clone(),
            installation: app.installation().clone(),
            original: None,
            progress: Progress::default(),
            index: app.home().path().join(INDEX),
            app: Some(services),
        }
    }

    /// Opens only the store of a data directory that no server holds.
    /// Errors: `damaged` when the store's file is damaged, `busy` when the disk fails.
    pub fn open(home: &Home, config: &Config) -> Result<Self> {
        let entropy = Entropy::system();
        app::put_back(home, Clock::system().now())?;
        let store = app::open_store(home, Options::of_one_pass(), Clock::system(), entropy.clone())?;
        let installation = home.id(&entropy)?;
        check_global_indexes(&store.snapshot()?)?;
        let files = FileStore::open(store.clone(), home.path(), &config.limits)?;
        let index = home.path().join(INDEX);
        Ok(Self { store, files, installation, original: None, progress: Progress::default(), index, app: None })
    }

    /// Opens only the store, for a command. Before damaged records are repaired, a store with damaged pages is copied
    /// into a new one.
    pub fn open_for(command: &Command, home: &Home, config: &Config, progress: &Progress) -> Result<Self> {
        let original = match command {
            Command::Repair(repair) if repair.yes => copy_damaged(home, progress)?,
            _ => None,
        };
        let progress = progress.clone();
        Ok(Self { original, progress, ..Self::open(home, config)? })
    }

    /// Returns the context of a command whose progress is counted.
    pub fn with_progress(&self, progress: &Progress) -> Self {
        Self { progress: progress.clone(), ..self.clone() }
    }

    /// Returns the tenant with a slug.
    /// Errors: `not_found`, at `tenant`, when there is none.
    pub fn tenant(&self, slug: &str) -> Result<Tenant> {
        operator::show(&self.store.snapshot()?, slug).map_err(|error| match error.code() {
            Code::NotFound => error
                .explain(format!("No company has the short name {slug}. `atrium tenant list` shows all of them."))
                .and_field("tenant", "errors.fields.unknown_reference", Vec::new()),
            _ => error,
        })
    }

    /// Returns the services of the open application.
    /// Errors: `internal` when only the store is open, see [`Command::needs_only_store`].
    pub fn app(&self) -> Result<&Services> {
        self.app.as_ref().ok_or_else(|| Error::internal("the command needs the open application"))
    }

    /// Returns the search index, which is opened only when a command needs it.
    pub fn engine(&self) -> Result<Engine> {
        match &self.app {
            Some(app) => Ok(app.engine.clone()),
            None => {
                Engine::open(&self.index, index::Options::default()).map(|(engine, _)| engine).map_err(Error::internal)
            }
        }
    }

    /// Verifies the files of the search index.
    pub fn verify_index(&self) -> std::result::Result<(), index::Error> {
        match &self.app {
            Some(app) => app.engine.verify(),
            None => index::verify_folder(&self.index),
        }
    }

    /// Returns the state of the index to compare with the records; `None` when it is to be rebuilt.
    pub fn index_state(&self) -> std::result::Result<Option<index::IndexState>, index::Error> {
        match &self.app {
            Some(app) => Ok(app.engine.state()),
            None => index::folder_state(&self.index),
        }
    }

    /// Whether pages of the store are damaged. Not checked in a running server, where pages change during the check.
    pub fn has_damaged_pages(&self) -> Result<bool> {
        Ok(self.app.is_none() && !self.store.has_sound_pages()?)
    }
}

/// Copies a store with damaged pages into a new one. Returns where the original is kept.
fn copy_damaged(home: &Home, progress: &Progress) -> Result<Option<PathBuf>> {
    let now = Clock::system().now();
    app::put_back(home, now)?;
    home.expect_store()?;
    rewrite(&home.path().join(STORE), now, progress)
}
