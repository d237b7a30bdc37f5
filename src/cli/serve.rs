//! `atrium serve`: opens the application, listens, and stops gracefully.

use std::{
    convert::Infallible,
    future::pending,
    io,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket},
    path::Path,
    pin::{Pin, pin},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use serde_json::json;
use tokio::{
    net::TcpListener,
    signal::unix::{SignalKind, signal},
    sync::{OwnedRwLockWriteGuard, mpsc, watch},
};

use super::{
    command::Failure,
    command_server::{CommandServer, OpenApp, ReopenRequest},
    control::{Control, is_served},
    execute::Operator,
    failed,
    reload::Reloader,
    tell, unopened, unreadable,
};
use crate::{
    app::{App, Environment},
    config::Config,
    demo::{self, SignIn},
    http::Server,
    kernel::{
        Code,
        i18n::{Locale, say},
    },
    store::Home,
};

/// Open files other than connections: store, index, running uploads, log, outgoing connections.
const OTHER_FILES: usize = 512;

/// The least time that background tasks get to end at a stop.
pub(super) const LEAST_CLOSE: Duration = Duration::from_secs(1);

/// How often, and at what interval, taking the data directory is tried while a command holds it: 30 seconds in all.
const TRIES: u32 = 300;
const PAUSE: Duration = Duration::from_millis(100);

/// Serves until the process receives a stop signal. Requests and commands in progress are finished, within
/// `limits.stop`. `demo` first fills an empty store with demo data. `read` reads the configuration again, at SIGHUP.
///
/// # Errors
/// The data directory is in use or cannot be opened, or the listen address is in use.
pub(super) async fn run(
    config: Config,
    read: super::ReadConfig,
    demo: bool,
    locale: Locale,
    json: bool,
) -> Result<(), Failure> {
    let internal = |error: io::Error| failed("internal", error.to_string());
    // This comes first: a signal without a handler ends the process.
    let mut signals = pin!(signals().map_err(internal)?);
    let hangup = signal(SignalKind::hangup()).map_err(internal)?;
    // With huge pages, the first bytes of every thread would take 2 MB each: a third more memory without a benefit.
    if let Err(error) = rustix::thread::disable_transparent_huge_pages(true) {
        tracing::debug!(%error, "huge pages stay on");
    }
    enough_descriptors(config.limits.connections);
    // Listening comes first, so that an address in use is reported before a data directory is created.
    let listener = listen(config.listen, locale).await?;
    let folder = config.data_dir.clone();
    let home = Arc::new(take(&folder).await.map_err(|error| unopened(&error, &folder, locale))?);
    let control =
        Control::open(&folder).map_err(|error| failed("internal", format!("{}: {error}", folder.display())))?;
    let (command_server, mut reopen) = CommandServer::new(Arc::clone(&home), config.limits.stop);
    let command_server = Arc::new(command_server);
    let (stop, stopping) = watch::channel(false);
    let at_the_desk = Arc::clone(&command_server);
    let commands = control.serve(
        move |command| {
            let command_server = Arc::clone(&at_the_desk);
            async move { command_server.execute(command).await }
        },
        told(stopping),
    );
    let config = Arc::new(Mutex::new(config));
    let reloads = Reloader::new(read, Arc::clone(&config), Arc::clone(&command_server)).run(hangup);
    let mut serving =
        Serving { config, listener: Some(listener), home, demo, locale, json, reopened: None, stopped: None };
    let rounds = async {
        let outcome = loop {
            match serving.round(&command_server, &mut signals, &mut reopen).await {
                Ok(Some(reopened)) => serving.reopened = Some(reopened),
                Ok(None) => break Ok(()),
                Err(failure) => break Err(failure),
            }
        };
        // Dropping these fails a restore that waits for the application to be reopened.
        drop((serving, reopen));
        stop.send_replace(true);
        outcome
    };
    let (outcome, ()) = tokio::select! {
        biased;
        done = async { tokio::join!(rounds, commands) } => done,
        never = async { (reloads.await, pending::<Infallible>().await).1 } => match never {},
    };
    tracing::info!("stopped");
    outcome
}

async fn listen(address: SocketAddr, locale: Locale) -> Result<TcpListener, Failure> {
    TcpListener::bind(address).await.map_err(|error| {
        let key = match error.kind() {
            io::ErrorKind::AddrInUse => "server.cli.address_taken",
            io::ErrorKind::PermissionDenied => "server.cli.address_denied",
            _ => "server.cli.address_refused",
        };
        let gaps = [("address", address.to_string()), ("reason", error.to_string())];
        failed("address", say(locale, key, &gaps))
    })
}

/// Returns an address at which a server that listens on `address` can be reached. For the unspecified address, this is
/// the address of this machine.
fn reachable(address: SocketAddr) -> SocketAddr {
    let ip = match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => own_ip((Ipv4Addr::UNSPECIFIED, 0).into(), [192, 0, 2, 1].into()),
        IpAddr::V6(ip) if ip.is_unspecified() => own_ip((Ipv4Addr::UNSPECIFIED, 0).into(), [192, 0, 2, 1].into())
            .or_else(|| own_ip((Ipv6Addr::UNSPECIFIED, 0).into(), IpAddr::from([0x2001, 0xdb8, 0, 0, 0, 0, 0, 1]))),
        ip => Some(ip),
    };
    SocketAddr::new(ip.unwrap_or(Ipv4Addr::LOCALHOST.into()), address.port())
}

/// Returns the local address that this machine would use to send to another. Nothing is sent.
fn own_ip(from: SocketAddr, to: IpAddr) -> Option<IpAddr> {
    let socket = UdpSocket::bind(from).ok()?;
    socket.connect((to, 9)).ok()?;
    socket.local_addr().ok().map(|address| address.ip())
}

/// Takes the data directory. Waits for a command that holds it, but not for another server.
async fn take(folder: &Path) -> crate::kernel::Result<Home> {
    let mut waited = 0;
    loop {
        match Home::take(folder) {
            Err(error) if error.code() == Code::Busy && waited < TRIES && !is_served(folder) => {
                if waited == 0 {
                    tracing::info!(detail = error.detail(), "a command has the data directory; waiting for it");
                }
                waited += 1;
                tokio::time::sleep(PAUSE).await;
            }
            taken => return taken,
        }
    }
}

/// Raises the limit of open files to the hard limit, and warns when that is too low for the configured connections.
/// Above the limit, neither a connection nor a file can be opened.
fn enough_descriptors(connections: usize) {
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    if let Err(error) = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum }) {
        tracing::warn!(%error, "cannot raise the limit of open files");
    }
    let allowed = getrlimit(Resource::Nofile).current;
    if let Some(allowed) = too_few(allowed, connections) {
        tracing::warn!(
            allowed,
            connections,
            needed = connections + OTHER_FILES,
            "fewer open files are allowed than limits.connections needs: raise the limit (LimitNOFILE, ulimit -Hn), or lower limits.connections"
        );
    }
}

/// Returns the limit of open files when it is too low.
fn too_few(allowed: Option<u64>, connections: usize) -> Option<u64> {
    allowed.filter(|allowed| *allowed < (connections + OTHER_FILES) as u64)
}

/// Resolves when the value becomes true.
async fn told(mut word: watch::Receiver<bool>) {
    drop(word.wait_for(|word| *word).await);
}

/// State that is kept when the application is reopened.
struct Serving {
    /// The settings in force.
    config: Arc<Mutex<Config>>,
    /// The listener of the first round.
    listener: Option<TcpListener>,
    home: Arc<Home>,
    demo: bool,
    locale: Locale,
    json: bool,
    /// Receives the result of the restore that this round completes. `None` in the first round.
    reopened: Option<ReopenRequest>,
    /// When the process received a stop signal.
    stopped: Option<Instant>,
}

impl Serving {
    /// Opens the application, serves, and closes it: at a stop signal, or when a reopen is requested.
    async fn round(
        &mut self,
        command_server: &CommandServer,
        signals: &mut Pin<&mut impl Future<Output = ()>>,
        reopen: &mut mpsc::Receiver<ReopenRequest>,
    ) -> Result<Option<ReopenRequest>, Failure> {
        let house = command_server.house().await;
        let locale = self.locale;
        let app = App::open_in(Arc::clone(&self.home), self.config().clone(), Environment::default())
            .map_err(|error| unreadable(&error, self.home.path(), locale))?;
        let filled = if self.demo { demo::fill(app.store(), app.auth().passwords()).await } else { Ok(()) };
        let outcome = match filled {
            Ok(()) => self.listen(&app, command_server, house, signals, reopen).await,
            Err(error) => {
                drop(house);
                Err(Failure::new(&error, locale))
            }
        };
        *command_server.house().await = None;
        if matches!(outcome, Ok(Some(_))) {
            app.close().await;
        } else {
            let spent = self.stopped.map_or(Duration::ZERO, |stopped| stopped.elapsed());
            let limit = app.config().limits.stop.saturating_sub(spent).max(LEAST_CLOSE);
            if tokio::time::timeout(limit, app.close()).await.is_err() {
                tracing::warn!("stop: background work was cut off");
            }
        }
        outcome
    }

    fn config(&self) -> MutexGuard<'_, Config> {
        self.config.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn listen(
        &mut self,
        app: &App,
        command_server: &CommandServer,
        mut house: OwnedRwLockWriteGuard<OpenApp>,
        signals: &mut Pin<&mut impl Future<Output = ()>>,
        reopen: &mut mpsc::Receiver<ReopenRequest>,
    ) -> Result<Option<ReopenRequest>, Failure> {
        let config = app.config();
        let endpoint = app.endpoint().map_err(|error| Failure::new(&error, self.locale))?;
        let listener = match self.listener.take() {
            Some(listener) => listener,
            None => listen(config.listen, self.locale).await?,
        };
        let server = Server::of(listener, config.limits.clone(), config.trusted_proxies.clone());
        let address = server.address().map_err(|error| failed("internal", error.to_string()))?;
        // After a reopen, the server must listen at the same address.
        self.config().listen = address;
        let url = format!("http://{}", reachable(address));
        match self.reopened.take() {
            None => announce(app, &url, self.demo, self.locale, self.json)?,
            // The client that requested the reopen may have disconnected.
            Some(reopened) => drop(reopened.send(app.replaced().map(Path::to_owned))),
        }
        app.mailer().reachable_at(url.parse().map_err(|error| failed("internal", format!("{url}: {error}")))?);
        *house = Some(Operator::of(app));
        drop(house);
        let (stop, stopping) = watch::channel(false);
        let ended = async {
            let next = tokio::select! {
                () = signals => None,
                next = reopen.recv() => next,
            };
            if next.is_none() {
                command_server.stop();
            }
            tracing::info!(again = next.is_some(), "stopping");
            stop.send_replace(true);
            (next, Instant::now())
        };
        let ((), (next, stopped)) = tokio::join!(server.serve(endpoint, told(stopping)), ended);
        self.stopped = Some(stopped).filter(|_| next.is_none());
        Ok(next)
    }
}

/// Resolves when the process receives SIGTERM or SIGINT.
fn signals() -> io::Result<impl Future<Output = ()>> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    })
}

/// Prints the address and how to start: with the demo data, or in an installation without a tenant.
fn announce(app: &App, url: &str, demo: bool, locale: Locale, json: bool) -> Result<(), Failure> {
    tracing::info!(url, version = env!("CARGO_PKG_VERSION"), "listening");
    let failure = |error| Failure::new(&error, locale);
    let sign_ins = if demo {
        app.store().snapshot().and_then(|snapshot| demo::sign_ins(&snapshot)).map_err(failure)?
    } else {
        Vec::new()
    };
    let set_up = app.auth().set_up().map_err(failure)?;
    let base = app.config().public_url.as_ref().map_or(url, url::Url::as_str).trim_end_matches('/').to_owned();
    let set_up = set_up.map(|token| format!("{base}/sign-up#{token}"));
    if json {
        let line = |way: &SignIn| json!({ "company": way.company, "email": way.email, "password": demo::PASSWORD });
        let ways: Vec<_> = sign_ins.iter().map(line).collect();
        let mut whole = if demo { json!({ "url": url, "demo": ways }) } else { json!({ "url": url }) };
        if let Some(link) = set_up {
            whole["setUp"] = link.into();
        }
        return tell(&whole.to_string());
    }
    tell(&say(locale, "server.cli.listening", &[("url", url.to_owned())]))?;
    if let Some(link) = set_up {
        return tell(&say(locale, "server.cli.set_up", &[("url", link)]));
    }
    if !app.auth().has_tenants().map_err(failure)? {
        return tell(&say(locale, "server.cli.empty_store", &[]));
    }
    if demo && sign_ins.is_empty() {
        return tell(&say(locale, "server.cli.demo_left_out", &[]));
    }
    for way in sign_ins {
        let gaps = [
            ("company", way.company),
            ("name", way.name),
            ("email", way.email),
            ("password", demo::PASSWORD.to_owned()),
        ];
        tell(&say(locale, "server.cli.demo_sign_in", &gaps))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_never_lead_to_the_unspecified_address() {
        for listen in ["0.0.0.0:8080", "[::]:8080"] {
            let address = reachable(listen.parse().unwrap());
            assert!(!address.ip().is_unspecified() && address.port() == 8080, "{listen}: {address}");
        }
        for listen in ["127.0.0.1:1", "[::1]:2", "203.0.113.9:3"] {
            assert_eq!(reachable(listen.parse().unwrap()).to_string(), listen);
        }
    }

    #[test]
    fn too_few_open_files_are_noticed() {
        assert_eq!(too_few(Some(1_024), 4_096), Some(1_024));
        assert_eq!(too_few(Some(4_607), 4_096), Some(4_607));
        assert_eq!(too_few(Some(4_608), 4_096), None);
        assert_eq!(too_few(None, 4_096), None);
    }

    #[test]
    fn the_soft_limit_of_open_files_becomes_the_hard_one() {
        enough_descriptors(1);
        let limit = getrlimit(Resource::Nofile);
        assert_eq!(limit.current, limit.maximum);
    }
}
