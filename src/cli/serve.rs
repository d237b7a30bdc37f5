//! `atrium serve`: opens the house, listens, and stops in good order when it is told to.

use std::{
    io,
    path::Path,
    pin::{Pin, pin},
    sync::Arc,
};

use serde_json::json;
use tokio::{
    signal::unix::{SignalKind, signal},
    sync::{OwnedRwLockWriteGuard, mpsc, watch},
};

use super::{
    command::Failure,
    control::Control,
    desk::{Desk, House, Reopen},
    execute::Operator,
    failed, tell, unopened,
};
use crate::{
    app::{App, Ground},
    config::Config,
    demo::{self, SignIn},
    http::Server,
    kernel::words::{Locale, say},
    store::Home,
};

/// Serves until the process is told to stop; requests and commands under way are finished. With `demo`
/// an empty store is filled with demo data first.
///
/// # Errors
/// The data directory is in use or cannot be opened, the address is taken.
pub(super) async fn run(config: Config, demo: bool, locale: Locale, json: bool) -> Result<(), Failure> {
    // With huge pages every thread's first bytes would take two megabytes each: a third more memory for nothing.
    if let Err(error) = rustix::thread::disable_transparent_huge_pages(true) {
        tracing::debug!(%error, "huge pages stay on");
    }
    let folder = config.data_dir.clone();
    let home = Home::take(&folder).map_err(|error| unopened(&error, &folder, locale))?;
    let (home, internal) = (Arc::new(home), |error: io::Error| failed("internal", error.to_string()));
    let control =
        Control::open(&folder).map_err(|error| failed("internal", format!("{}: {error}", folder.display())))?;
    let (desk, mut reopen) = Desk::new(Arc::clone(&home));
    let desk = Arc::new(desk);
    let (stop, stopping) = watch::channel(false);
    let at_the_desk = Arc::clone(&desk);
    let commands = control.serve(
        move |command| {
            let desk = Arc::clone(&at_the_desk);
            async move { desk.execute(command).await }
        },
        told(stopping),
    );
    let mut signals = pin!(signals().map_err(internal)?);
    let mut serving = Serving { config, home, demo, locale, json, reopened: None };
    let rounds = async {
        let outcome = loop {
            match serving.round(&desk, &mut signals, &mut reopen).await {
                Ok(Some(reopened)) => serving.reopened = Some(reopened),
                Ok(None) => break Ok(()),
                Err(failure) => break Err(failure),
            }
        };
        // Whoever waits for it to be opened again hears that it is not.
        drop((serving, reopen));
        stop.send_replace(true);
        outcome
    };
    let (outcome, ()) = tokio::join!(rounds, commands);
    tracing::info!("stopped");
    outcome
}

/// Resolves when it is said.
async fn told(mut word: watch::Receiver<bool>) {
    drop(word.wait_for(|word| *word).await);
}

/// What goes on from one opening of the house to the next.
struct Serving {
    config: Config,
    home: Arc<Home>,
    demo: bool,
    locale: Locale,
    json: bool,
    /// Who waits for the house to be open again; nobody the first time.
    reopened: Option<Reopen>,
}

impl Serving {
    /// Opens the house, serves, and closes it: because the process is told to stop, or to open it again.
    async fn round(
        &mut self,
        desk: &Desk,
        signals: &mut Pin<&mut impl Future<Output = ()>>,
        reopen: &mut mpsc::Receiver<Reopen>,
    ) -> Result<Option<Reopen>, Failure> {
        let house = desk.house().await;
        let locale = self.locale;
        let app = App::open_in(Arc::clone(&self.home), self.config.clone(), Ground::default())
            .map_err(|error| unopened(&error, self.home.path(), locale))?;
        let filled = if self.demo { demo::fill(app.store(), app.gate().passwords()).await } else { Ok(()) };
        let outcome = match filled {
            Ok(()) => self.listen(&app, house, signals, reopen).await,
            Err(error) => {
                drop(house);
                Err(Failure::new(&error, locale))
            }
        };
        *desk.house().await = None;
        app.close().await;
        outcome
    }

    async fn listen(
        &mut self,
        app: &App,
        mut house: OwnedRwLockWriteGuard<House>,
        signals: &mut Pin<&mut impl Future<Output = ()>>,
        reopen: &mut mpsc::Receiver<Reopen>,
    ) -> Result<Option<Reopen>, Failure> {
        let config = app.config();
        let endpoint = app.endpoint().map_err(|error| Failure::new(&error, self.locale))?;
        let server = Server::bind(config.listen, config.limits.clone(), config.trusted_proxies.clone())
            .await
            .map_err(|error| failed("internal", format!("{}: {error}", config.listen)))?;
        let address = server.address().map_err(|error| failed("internal", error.to_string()))?;
        // Opened again, it is to be where people knew it.
        self.config.listen = address;
        let url = format!("http://{address}");
        match self.reopened.take() {
            None => announce(app, &url, self.demo, self.locale, self.json)?,
            // Whoever asked for it may have gone away.
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
            tracing::info!(again = next.is_some(), "stopping");
            stop.send_replace(true);
            next
        };
        let ((), next) = tokio::join!(server.serve(endpoint, told(stopping)), ended);
        Ok(next)
    }
}

/// Resolves when the process is told to stop: by the service manager, or from the keyboard.
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

/// Says where to look, and how to begin: with the demo data, or on an installation without a company.
fn announce(app: &App, url: &str, demo: bool, locale: Locale, json: bool) -> Result<(), Failure> {
    tracing::info!(url, version = env!("CARGO_PKG_VERSION"), "listening");
    let failure = |error| Failure::new(&error, locale);
    let sign_ins = if demo {
        app.store().snapshot().and_then(|snapshot| demo::sign_ins(&snapshot)).map_err(failure)?
    } else {
        Vec::new()
    };
    let set_up = app.gate().set_up().map_err(failure)?;
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
    if !app.gate().has_tenants().map_err(failure)? {
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
