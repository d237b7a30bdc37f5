//! `atrium serve`: opens the application, listens, and stops gracefully.

mod acme;
mod address;
mod announce;
mod encryption;
mod notify;
mod process;
mod reload;
mod sockets;

use std::{
    convert::Infallible,
    future::pending,
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use futures_util::future::OptionFuture;
use parking_lot::{Mutex, MutexGuard};
use tokio::{
    signal::unix::{SignalKind, signal},
    sync::{OwnedRwLockWriteGuard, mpsc, watch},
};

use self::{
    acme::Acme,
    announce::announce,
    encryption::Encryption,
    process::{StopSignal, raise_file_limit, stop_signal, use_small_pages},
    reload::Reloader,
    sockets::Sockets,
};
use crate::{
    app::{App, Environment},
    cli::{
        ReadConfig,
        client::runtime,
        command_server::{CommandServer, OpenApp, ReopenRequest},
        control::{Control, is_served},
        logging,
        prelude::*,
    },
    config::{Config, Loaded},
    demo,
    http::{Challenges, Protected, Redirect, Server},
    store::Home,
};

/// The least time that background tasks get to end at a stop.
const LEAST_CLOSE: Duration = Duration::from_secs(1);

/// How long the server usually waits for a command that has the data directory.
const WAIT: Duration = Duration::from_secs(30);
/// How often it looks whether the command has ended.
const RETRY_PAUSE: Duration = Duration::from_millis(100);

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  atrium serve --listen localhost:8080 --demo
  atrium serve --config /etc/atrium/config.toml --data-dir /var/lib/atrium")]
pub struct Serve {
    /// Where to listen
    #[arg(long, value_name = "ADDR:PORT")]
    #[arg(
        help = "The address or host name, and the port, to listen on [default: 127.0.0.1:8080] [env: ATRIUM_LISTEN]"
    )]
    pub listen: Option<String>,
    /// Fill an empty installation with two companies of sample data
    #[arg(long)]
    demo: bool,
}

impl Serve {
    /// Serves until the process receives a stop signal. `read` reads the configuration again, at SIGHUP; `wait` is how
    /// long to wait for a command that has the data directory.
    pub fn run(self, loaded: Loaded, read: ReadConfig, wait: Option<Duration>, json: bool) -> Result<(), Failure> {
        logging::start(&loaded.config.log).map_err(Failure::internal)?;
        for fault in loaded.warnings() {
            tracing::warn!(%fault, "configuration");
        }
        let runtime = runtime()?;
        let wait = wait.unwrap_or(WAIT);
        let outcome = runtime.block_on(serve(loaded.config, read, self.demo, wait, json));
        // Work that still runs on blocking threads is cut off by the end of the process.
        runtime.shutdown_timeout(LEAST_CLOSE);
        outcome
    }
}

/// Serves until a stop signal. Requests and commands in progress are finished, within `limits.stop`. `demo` first fills
/// an empty store with demo data.
/// Errors: The data directory is in use or cannot be opened, or the listen address is in use.
async fn serve(mut config: Config, read: ReadConfig, demo: bool, wait: Duration, json: bool) -> Result<(), Failure> {
    // This comes first: a signal without a handler ends the process.
    let signals = stop_signal()?;
    let hangup = signal(SignalKind::hangup())?;
    use_small_pages();
    raise_file_limit(config.limits.connections);
    // Listening comes first, so that an address in use is reported before a data directory is created.
    let sockets = Sockets::open(&config).await?;
    config.listen = sockets.main.address()?;
    let socket_is_passed = sockets.passed;
    let mut encryption = Encryption::open(&config).map_err(|error| Failure::of(&error))?;
    let files = OptionFuture::from(encryption.as_mut().and_then(Encryption::follow_files));
    let folder = config.data_dir.clone();
    let home = Arc::new(take(&folder, wait).await.map_err(|error| Failure::unopened(&error, &folder))?);
    let challenges = Arc::default();
    let acme = encryption.as_ref().and_then(|tls| Acme::open(&config, &folder, &tls.certificates, &challenges));
    let acme = OptionFuture::from(acme.map(Acme::run));
    let control =
        Control::open(&folder).map_err(|error| Failure::internal(format_args!("{}: {error}", folder.display())))?;
    let (commands, reopen) = CommandServer::new(Arc::clone(&home), config.limits.stop);
    let commands = Arc::new(commands);
    let config = Arc::new(Mutex::new(config));
    let reloads = Reloader::new(read, Arc::clone(&config), Arc::clone(&commands), socket_is_passed).run(hangup);
    let (stop, stopping) = watch::channel(false);
    let executor = Arc::clone(&commands);
    let control = control.serve(
        move |command, progress| {
            let executor = Arc::clone(&executor);
            async move { executor.execute(command, progress).await }
        },
        until_true(stopping),
    );
    let sockets = Some(sockets);
    let serving =
        Serving { config, sockets, encryption, challenges, home, commands, signals, reopen, demo, json, stopped: None };
    let rounds = async {
        let outcome = serving.run().await;
        stop.send_replace(true);
        outcome
    };
    let (outcome, ()) = tokio::select! {
        biased;
        done = async { tokio::join!(rounds, control) } => done,
        never = async {
            tokio::join!(reloads, files, acme, notify::keep_watchdog_quiet());
            pending::<Infallible>().await
        } => match never {},
    };
    tracing::info!("stopped");
    outcome
}

/// Takes the data directory. Waits for a command that holds it, but not for another server.
async fn take(folder: &Path, wait: Duration) -> Result<Home> {
    let since = Instant::now();
    let mut is_said = false;
    loop {
        match Home::take(folder) {
            Err(error) if error.code() == Code::Busy && since.elapsed() < wait && !is_served(folder) => {
                if !is_said {
                    tracing::info!(detail = error.detail(), "a command has the data directory; waiting for it");
                    is_said = true;
                }
                tokio::time::sleep(RETRY_PAUSE).await;
            }
            taken => return taken,
        }
    }
}

/// Resolves when the value becomes true.
async fn until_true(mut value: watch::Receiver<bool>) {
    drop(value.wait_for(|value| *value).await);
}

/// State that is kept when the application is reopened.
struct Serving {
    /// The settings in force.
    config: Arc<Mutex<Config>>,
    /// The listening sockets, until a stop signal.
    sockets: Option<Sockets>,
    encryption: Option<Encryption>,
    /// The answers to challenges on the http address.
    challenges: Arc<Challenges>,
    home: Arc<Home>,
    commands: Arc<CommandServer>,
    signals: StopSignal,
    reopen: mpsc::Receiver<ReopenRequest>,
    demo: bool,
    json: bool,
    /// When the process received a stop signal.
    stopped: Option<Instant>,
}

impl Serving {
    /// Serves until a stop signal. Dropping this at the end fails a restore that waits for the application to be
    /// reopened.
    async fn run(mut self) -> Result<(), Failure> {
        let mut reopened = None;
        loop {
            reopened = Some(match self.run_until_reopen(reopened).await? {
                Some(request) => request,
                None => return Ok(()),
            });
        }
    }

    /// Opens the application, serves, and closes it: at a stop signal, or when a reopen is requested. `reopened`
    /// receives the result of the restore that this round completes; `None` in the first round.
    async fn run_until_reopen(&mut self, reopened: Option<ReopenRequest>) -> Result<Option<ReopenRequest>, Failure> {
        let lock = self.commands.lock().await;
        let app = App::open_in(Arc::clone(&self.home), self.config().clone(), Environment::default())
            .map_err(|error| Failure::unreadable(&error, self.home.path()))?;
        let filled = if self.demo { demo::fill(app.store(), app.auth().passwords()).await } else { Ok(()) };
        let outcome = match filled {
            Ok(()) => self.listen(&app, lock, reopened).await,
            Err(error) => {
                drop(lock);
                Err(Failure::of(&error))
            }
        };
        *self.commands.lock().await = None;
        if matches!(outcome, Ok(Some(_))) {
            app.close().await;
        } else {
            self.close(app).await;
        }
        outcome
    }

    /// Closes the application within what is left of `limits.stop`.
    async fn close(&self, app: App) {
        let spent = self.stopped.map_or(Duration::ZERO, |stopped| stopped.elapsed());
        let limit = app.config().limits.stop.saturating_sub(spent).max(LEAST_CLOSE);
        if tokio::time::timeout(limit, app.close()).await.is_err() {
            tracing::warn!("stop: background work was cut off");
        }
    }

    fn config(&self) -> MutexGuard<'_, Config> {
        self.config.lock()
    }

    /// Answers requests and commands. Returns the request to reopen, or `None` at a stop signal.
    async fn listen(
        &mut self,
        app: &App,
        mut lock: OwnedRwLockWriteGuard<OpenApp>,
        reopened: Option<ReopenRequest>,
    ) -> Result<Option<ReopenRequest>, Failure> {
        let config = app.config();
        let endpoint = app.endpoint().map_err(|error| Failure::of(&error))?;
        if let Some(tls) = &self.encryption {
            app.monitor().watch_certificates(Arc::clone(&tls.certificates));
        }
        let Some(sockets) = &self.sockets else { return Ok(None) };
        let server = |listener| Server::new(listener, config.limits.clone(), config.proxies());
        let redirect = Redirect::new(Arc::clone(&self.challenges), config.public_url.clone(), app.is_served());
        let redirecting = sockets.redirect.as_ref().map(server).transpose()?;
        let measuring = sockets.metrics.as_ref().map(server).transpose()?;
        let server = server(&sockets.main)?.with_tls(self.encryption.as_ref().map(|tls| Arc::clone(&tls.config)));
        let server = match app.http_metrics() {
            Some(http) => server.counting(Arc::clone(&http.connections)),
            None => server,
        };
        let url = address::address(config);
        app.mailer().reachable_at(url.clone());
        match reopened {
            None => {
                announce(app, url.as_str().trim_end_matches('/'), self.demo, self.json)?;
                notify::ready();
            }
            // The client that requested the reopen may have disconnected.
            Some(reopened) => drop(reopened.send(app.replaced().map(Path::to_owned))),
        }
        *lock = Some(Context::of(app));
        drop(lock);
        let (stop, stopping) = watch::channel(false);
        let ended = async {
            let next = self.next().await;
            stop.send_replace(true);
            next
        };
        let redirecting = async {
            if let Some(server) = redirecting {
                server.serve(Protected(redirect), until_true(stopping.clone())).await;
            }
        };
        let measuring = async {
            if let Some(server) = measuring {
                server.serve(Protected(app.metrics_endpoint()), until_true(stopping.clone())).await;
            }
        };
        let serving = server.serve(endpoint, until_true(stopping.clone()));
        let ((), (), (), next) = tokio::join!(serving, redirecting, measuring, ended);
        Ok(next)
    }

    /// Waits for a stop signal or a request to reopen.
    async fn next(&mut self) -> Option<ReopenRequest> {
        let next = tokio::select! {
            () = &mut self.signals => None,
            next = self.reopen.recv() => next,
        };
        if next.is_none() {
            notify::stopping();
            // Connections are refused from now on, unless the service manager keeps the sockets for the next start.
            self.sockets = None;
            self.commands.stop();
            self.stopped = Some(Instant::now());
        }
        tracing::info!(again = next.is_some(), "stopping");
        next
    }
}
