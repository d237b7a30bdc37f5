//! Alerts to the operator: an alert about a health check that is not ok for some time is sent by e-mail, by a program and
//! by a webhook; once when it begins, again after a day, and once when it is over. What was sent is kept in the data
//! directory.

mod message;
mod program;
mod register;
#[cfg(test)]
mod tests;
mod webhook;

use std::{
    collections::{BTreeMap, HashMap},
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use futures_util::future::join_all;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use tokio::time::{sleep, timeout};

pub use self::{
    message::Event,
    register::{Alert, Sent},
};
use self::{
    message::{Facts, Message},
    register::{Due, Register},
};
use super::{Check, CheckStatus, Monitor};
use crate::{
    config,
    jobs::{Job, Retry},
    kernel::{Clock, Error, Result, Timestamp, folder, run_blocking},
    mail::Mailer,
    store::entries,
};

/// The pause between two rounds of checks.
const INTERVAL: Duration = Duration::from_secs(30);

/// How long the checks may take before they count as a failing store: a disk that hangs answers nothing.
const CHECKS_LIMIT: Duration = Duration::from_mins(1);

/// The time limit of an e-mail.
const MAIL_LIMIT: Duration = Duration::from_mins(1);

/// The pause after a failure of a channel, doubled by each further one, and the longest pause.
const FIRST_PAUSE: Duration = Duration::from_secs(30);
const LONGEST_PAUSE: Duration = Duration::from_hours(1);

/// A channel by which alerts are sent.
#[derive(Clone, Debug)]
enum Channel {
    /// An e-mail to an address.
    Mail(String),
    /// A program.
    Program,
    /// A request.
    Webhook,
}

impl Channel {
    /// Returns the stable name.
    fn name(&self) -> String {
        match self {
            Self::Mail(address) => format!("mail:{address}"),
            Self::Program => "command".to_owned(),
            Self::Webhook => "webhook".to_owned(),
        }
    }
}

/// The failures of a channel since it worked last.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Failures {
    count: u32,
    /// When it is tried again.
    next: Timestamp,
    reason: String,
}

impl Failures {
    /// Whether the pause lasts. A clock that was set back does not make it longer.
    fn is_pause_at(&self, now: Timestamp) -> bool {
        let left = self.next.millis() - now.millis();
        u64::try_from(left).is_ok_and(|left| left > 0 && Duration::from_millis(left) <= LONGEST_PAUSE)
    }
}

/// The alerts of an installation. Cheap to clone.
#[derive(Clone)]
pub struct Alerts(Arc<Inner>);

struct Inner {
    monitor: Monitor,
    mailer: Mailer,
    clock: Clock,
    settings: config::Alerts,
    channels: Vec<Channel>,
    /// The names of the channels.
    names: Vec<String>,
    home: PathBuf,
    state: Mutex<State>,
    /// Held while the file is written.
    saving: tokio::sync::Mutex<()>,
    /// Held while the checks run: a disk that hangs must not occupy more and more threads.
    checking: Arc<tokio::sync::Mutex<()>>,
}

#[derive(Default)]
struct State {
    register: Register,
    failures: HashMap<String, Failures>,
    /// The content of the file.
    saved: Vec<u8>,
}

/// What is recorded in the file.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Recorded {
    alerts: BTreeMap<String, Alert>,
}

/// What stands, and the state of the channels.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Standing {
    /// The channels.
    pub channels: Vec<ChannelState>,
    /// The alerts, by check.
    pub alerts: BTreeMap<String, Alert>,
}

/// The state of a channel.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChannelState {
    /// Its name.
    pub channel: String,
    /// Why the last attempt or the test failed, if it did.
    pub failure: Option<String>,
}

impl Alerts {
    /// Reads what was sent before.
    pub fn open(monitor: Monitor, mailer: Mailer, settings: &config::Alerts, home: &Path) -> Self {
        let mut channels: Vec<Channel> = settings.mail.iter().cloned().map(Channel::Mail).collect();
        channels.extend((!settings.command.is_empty()).then_some(Channel::Program));
        channels.extend(settings.webhook.as_ref().map(|_| Channel::Webhook));
        let names: Vec<String> = channels.iter().map(Channel::name).collect();
        let (recorded, saved) = read(home).unwrap_or_else(|error| {
            tracing::warn!(%error, "alerts: what was sent before cannot be read; what stands is sent again");
            Default::default()
        });
        let state = State { register: Register::new(recorded.alerts, &names), saved, ..State::default() };
        let clock = monitor.store().clock().clone();
        Self(Arc::new(Inner {
            monitor,
            mailer,
            clock,
            settings: settings.clone(),
            channels,
            names,
            home: home.to_owned(),
            state: Mutex::new(state),
            saving: tokio::sync::Mutex::default(),
            checking: Arc::default(),
        }))
    }

    /// Runs the checks, and sends what is due.
    /// Errors: What was sent cannot be recorded; it may be sent again after a restart.
    pub async fn round(&self) -> Result<()> {
        let checks = self.checks().await;
        let changes = self.0.state.lock().register.observe(&checks, self.0.clock.now(), &self.0.names);
        for register::Change { check, status, message } in changes {
            match status {
                CheckStatus::Ok => tracing::info!(check, detail = message, "alert: over"),
                CheckStatus::Warning => tracing::warn!(check, detail = message, "alert: a check is a warning"),
                CheckStatus::Failing => tracing::error!(check, detail = message, "alert: a check is failing"),
            }
        }
        // A full disk is no reason to send nothing.
        let before = self.save().await;
        let sent = join_all(self.0.channels.iter().map(|channel| self.send_due(channel))).await;
        sent.into_iter().fold(before, Result::and)
    }

    /// Runs the checks within a time limit.
    async fn checks(&self) -> Vec<Check> {
        let hangs = |message: &str| vec![Check::new("store", CheckStatus::Failing, message)];
        let Ok(running) = Arc::clone(&self.0.checking).try_lock_owned() else {
            return hangs("The checks do not end: the disk may hang. Look at the system log and the disk.");
        };
        let monitor = self.0.monitor.clone();
        let work = run_blocking(move || {
            let report = monitor.report();
            drop(running);
            Ok(report)
        });
        match timeout(CHECKS_LIMIT, work).await {
            Ok(Ok(report)) => report.checks,
            Ok(Err(error)) => hangs(&format!("The checks failed: {error:?}")),
            Err(_) => {
                hangs("The checks take more than a minute: the disk may hang. Look at the system log and the disk.")
            }
        }
    }

    /// Sends what is due by one channel, until it fails. What was sent is recorded at once: other channels may take
    /// long, and what is not recorded is sent again after a restart.
    /// Errors: What was sent cannot be recorded.
    async fn send_due(&self, channel: &Channel) -> Result<()> {
        let name = channel.name();
        let mut recorded = Ok(());
        loop {
            let now = self.0.clock.now();
            let due = {
                let state = self.0.state.lock();
                let waits = state.failures.get(&name).is_some_and(|failures| failures.is_pause_at(now));
                state.register.due(&name, now).filter(|_| !waits)
            };
            let Some(due) = due else { return recorded };
            let sent = self.send(channel, self.message(&due)).await;
            let Err(reason) = sent else {
                {
                    let mut state = self.0.state.lock();
                    state.failures.remove(&name);
                    state.register.record(&name, &due, now);
                }
                tracing::info!(channel = name, check = due.check, event = due.event.as_str(), "alert sent");
                recorded = recorded.and(self.save().await);
                continue;
            };
            let mut state = self.0.state.lock();
            let count = state.failures.get(&name).map_or(0, |failures| failures.count);
            let pause = FIRST_PAUSE.saturating_mul(1 << count.min(16)).min(LONGEST_PAUSE);
            let retry_seconds = pause.as_secs();
            tracing::error!(channel = name, check = due.check, reason, retry_seconds, "alert not sent, retrying");
            let next = now.plus_seconds(i64::try_from(retry_seconds).unwrap_or(i64::MAX));
            state.failures.insert(name, Failures { count: count.saturating_add(1), next, reason });
            return recorded;
        }
    }

    fn message(&self, due: &Due) -> Message {
        let Due { check, event, alert, id } = due;
        Message::new(Facts {
            id: id.clone(),
            event: *event,
            check,
            status: alert.status,
            sentence: &alert.message,
            since: alert.since,
            ended: alert.ended,
            server: &self.server(),
        })
    }

    /// Returns the address of the server.
    fn server(&self) -> String {
        self.0.mailer.base().map_or_else(|_| "Atrium".to_owned(), |url| url.as_str().trim_end_matches('/').to_owned())
    }

    async fn send(&self, channel: &Channel, message: Message) -> Result<(), String> {
        let settings = &self.0.settings;
        match channel {
            Channel::Mail(address) => {
                let subject = message.subject();
                let body = message.body();
                let sending = self.0.mailer.send_plain(address, &subject, &body, &message.id);
                timeout(MAIL_LIMIT, sending)
                    .await
                    .unwrap_or_else(|_| Err("the mail server did not answer in time".to_owned()))
            }
            Channel::Program => program::run(&settings.command, &message).await,
            Channel::Webhook => {
                let settings = settings.clone();
                let now = self.0.clock.now();
                let work = move || {
                    let Some(url) = &settings.webhook else { return Ok(Ok(())) };
                    let secret = settings.webhook_secret();
                    let secret = secret.map_err(|error| error.detail().unwrap_or_default().to_owned());
                    Ok(secret.and_then(|secret| webhook::send(url, secret.as_deref(), now, &message)))
                };
                run_blocking(work).await.unwrap_or_else(|error| Err(format!("{error:?}")))
            }
        }
    }

    /// Sends a test by every channel. Returns whether each worked.
    pub async fn test(&self) -> Vec<ChannelState> {
        let now = self.0.clock.now();
        let server = self.server();
        let message = Message::new(Facts {
            id: format!("test-{}", now.millis()),
            event: Event::Test,
            check: "test",
            status: CheckStatus::Ok,
            sentence: "This is a test of alerts. Nothing is wrong.",
            since: now,
            ended: None,
            server: &server,
        });
        let test = async |channel: &Channel| ChannelState {
            channel: channel.name(),
            failure: self.send(channel, message.clone()).await.err(),
        };
        join_all(self.0.channels.iter().map(test)).await
    }

    /// Returns what stands.
    pub fn standing(&self) -> Standing {
        let state = self.0.state.lock();
        let failure = |name: &String| state.failures.get(name).map(|failures| failures.reason.clone());
        let channels = self
            .0
            .names
            .iter()
            .map(|channel| ChannelState { failure: failure(channel), channel: channel.clone() })
            .collect();
        Standing { channels, alerts: state.register.alerts.clone() }
    }

    /// Records what was sent, if it has changed.
    async fn save(&self) -> Result<()> {
        let _saving = self.0.saving.lock().await;
        let content = {
            let state = self.0.state.lock();
            let recorded = Recorded { alerts: state.register.alerts.clone() };
            let content = serde_json::to_vec_pretty(&recorded).map_err(Error::internal)?;
            if content == state.saved || (state.saved.is_empty() && recorded.alerts.is_empty()) {
                return Ok(());
            }
            content
        };
        let home = self.0.home.clone();
        let written = content.clone();
        run_blocking(move || folder::write(&home, entries::ALERTS, &written).map_err(Error::internal)).await?;
        self.0.state.lock().saved = content;
        Ok(())
    }
}

/// Reads the file. Returns its content, too.
fn read(home: &Path) -> io::Result<(Recorded, Vec<u8>)> {
    match fs::read(home.join(entries::ALERTS)) {
        Ok(content) => Ok((serde_json::from_slice(&content)?, content)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Default::default()),
        Err(error) => Err(error),
    }
}

/// Runs the checks, and sends alerts.
pub struct AlertJob(pub Alerts);

impl Job for AlertJob {
    const NAME: &'static str = "alerts";
    const RETRY: Retry = Retry::every(INTERVAL);
    const FIRST: Duration = INTERVAL;
    const STOPS_AT_ONCE: bool = true;

    async fn due(&mut self) {
        sleep(INTERVAL).await;
    }

    async fn run(&mut self) -> Result<()> {
        self.0.round().await
    }
}
