//! `atrium serve`: opens the house, listens, and stops in good order when it is told to.

use serde_json::json;
use tokio::{
    signal::unix::{SignalKind, signal},
    sync::watch,
};

use super::{
    command::Failure,
    control::Control,
    execute::{Operator, execute},
    failed, tell, unopened,
};
use crate::{
    app::{App, Ground},
    config::Config,
    http::Server,
    kernel::words::{Locale, say},
};

/// Serves until the process is told to stop; requests and commands under way are finished.
///
/// # Errors
/// The data directory is in use or cannot be opened, the address is taken.
pub(super) async fn run(config: Config, locale: Locale, json: bool) -> Result<(), Failure> {
    let folder = config.data_dir.clone();
    let app = App::open(config, Ground::default()).map_err(|error| unopened(&error, &folder, locale))?;
    let outcome = listen(&app, locale, json).await;
    app.close().await;
    tracing::info!("stopped");
    outcome
}

async fn listen(app: &App, locale: Locale, json: bool) -> Result<(), Failure> {
    let config = app.config();
    let endpoint = app.endpoint().map_err(|error| Failure::new(&error, locale))?;
    let control = Control::open(&config.data_dir)
        .map_err(|error| failed("internal", format!("{}: {error}", config.data_dir.display())))?;
    let server = Server::bind(config.listen, config.limits.clone(), config.trusted_proxies.clone())
        .await
        .map_err(|error| failed("internal", format!("{}: {error}", config.listen)))?;
    let address = server.address().map_err(|error| failed("internal", error.to_string()))?;
    let (stop, stopping) = watch::channel(false);
    let signals = signals().map_err(|error| failed("internal", error.to_string()))?;
    announce(app, &format!("http://{address}"), locale, json)?;

    let told = || {
        let mut stopping = stopping.clone();
        async move { drop(stopping.wait_for(|stop| *stop).await) }
    };
    let operator = Operator::of(app);
    let commands = control.serve(
        move |command| {
            let operator = operator.clone();
            async move { execute(&operator, command).await }
        },
        told(),
    );
    let stopped = async {
        signals.await;
        tracing::info!("stopping");
        stop.send_replace(true);
    };
    tokio::join!(server.serve(endpoint, told()), commands, stopped);
    Ok(())
}

/// Resolves when the process is told to stop: by the service manager, or from the keyboard.
fn signals() -> std::io::Result<impl Future<Output = ()>> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    })
}

/// Says where to look, and how to begin on an installation without a company.
fn announce(app: &App, url: &str, locale: Locale, json: bool) -> Result<(), Failure> {
    tracing::info!(url, version = env!("CARGO_PKG_VERSION"), "listening");
    if json {
        return tell(&json!({ "url": url }).to_string());
    }
    tell(&say(locale, "server.cli.listening", &[("url", url.to_owned())]))?;
    if app.gate().has_tenants().map_err(|error| Failure::new(&error, locale))? {
        return Ok(());
    }
    tell(&say(locale, "server.cli.empty_store", &[]))
}
