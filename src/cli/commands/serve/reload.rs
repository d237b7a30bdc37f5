//! Configuration reload at SIGHUP: log level, mail settings and translations take effect at once. Settings that take
//! effect at the next start are named in the log.

use std::sync::Arc;

use parking_lot::Mutex;
use tokio::signal::unix::Signal;

use super::notify;
use crate::{
    app,
    cli::{ReadConfig, command_server::CommandServer, logging, prelude::*},
    config::{Config, differences},
};

/// Names, or prefixes of names, of the settings that take effect at a reload.
const RELOADED: [&str; 4] = ["log.level", "log.access", MAIL, "languages"];
const MAIL: &str = "mail.";

/// Reloads the configuration of a running server.
pub(super) struct Reloader {
    read: ReadConfig,
    /// The settings in force.
    config: Arc<Mutex<Config>>,
    command_server: Arc<CommandServer>,
    /// Whether the service manager passed the socket, so that `listen` has no effect.
    socket_is_passed: bool,
}

impl Reloader {
    pub(super) fn new(
        read: ReadConfig,
        config: Arc<Mutex<Config>>,
        command_server: Arc<CommandServer>,
        socket_is_passed: bool,
    ) -> Self {
        Self { read, config, command_server, socket_is_passed }
    }

    /// Reloads at each signal.
    pub(super) async fn run(self, mut hangup: Signal) {
        while hangup.recv().await.is_some() {
            notify::reloading();
            match (self.read)() {
                Ok(loaded) => match self.apply(loaded.config).await {
                    Ok(()) => tracing::info!("configuration reloaded"),
                    Err(error) => tracing::error!(detail = ?error, "configuration reloaded in part"),
                },
                Err(faults) => {
                    for fault in faults.0 {
                        tracing::error!(%fault, "configuration not reloaded");
                    }
                }
            }
            notify::ready();
        }
    }

    async fn apply(&self, mut new: Config) -> Result<()> {
        let before = self.config.lock().clone();
        // Emails contain links, and a new public_url takes effect at the next start.
        let can_reload_mail = new.mail.host.is_none() || before.public_url.is_some();
        let is_reloaded = |key: &&str| {
            RELOADED.iter().any(|known| key.starts_with(known)) && (can_reload_mail || !key.starts_with(MAIL))
        };
        if new.listen.takes_any_port() || self.socket_is_passed {
            new.listen = before.listen.clone();
        }
        let (at_once, later): (Vec<&str>, Vec<&str>) =
            differences(&before, &new).into_iter().partition(|key| is_reloaded(key));
        if !later.is_empty() {
            tracing::warn!(settings = later.join(", "), "changed settings take effect at the next start");
        }
        if !at_once.is_empty() {
            tracing::info!(settings = at_once.join(", "), "changed settings take effect now");
        }
        let mail = if can_reload_mail { new.mail } else { before.mail.clone() };
        let after = Config { log: new.log, mail, languages: new.languages, ..before };
        logging::reload(&after.log).map_err(Error::internal)?;
        app::offer_languages(&after)?;
        if let Some(mailer) = self.command_server.mailer().await {
            mailer.reload(&after)?;
        }
        // The present settings, not the copy from above: the listen port may have been set since.
        let mut config = self.config.lock();
        (config.log, config.mail, config.languages) = (after.log, after.mail, after.languages);
        Ok(())
    }
}
