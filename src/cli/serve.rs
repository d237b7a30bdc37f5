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
    demo::{self, SignIn},
    http::Server,
    kernel::words::{Locale, say},
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
    let app = App::open(config, Ground::default()).map_err(|error| unopened(&error, &folder, locale))?;
    let filled = if demo { demo::fill(app.store(), app.gate().passwords()).await } else { Ok(()) };
    let outcome = match filled {
        Ok(()) => listen(&app, demo, locale, json).await,
        Err(error) => Err(Failure::new(&error, locale)),
    };
    app.close().await;
    tracing::info!("stopped");
    outcome
}

async fn listen(app: &App, demo: bool, locale: Locale, json: bool) -> Result<(), Failure> {
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
    let url = format!("http://{address}");
    announce(app, &url, demo, locale, json)?;
    app.mailer().reachable_at(url.parse().map_err(|error| failed("internal", format!("{url}: {error}")))?);

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
