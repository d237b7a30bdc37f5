//! Mailer: sends queued e-mails. Each attempt is recorded before it is made, and its result afterwards: after a crash
//! in between, the e-mail is sent again with the same `Message-ID`, rather than not at all.

mod attempt;
mod results;

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
    time::Duration,
};

use lettre::Address;
use parking_lot::{Mutex, RwLock};
use tokio::{
    sync::watch,
    task::{self, JoinSet},
};
use url::Url;

use super::{
    branding::Branding,
    context::MailContext,
    email::{BY_DUE, Email, State},
    kind::Kind,
    render::render,
    transport::{Delivered, DeliveryError, Transport},
};
use crate::{
    config::{Config, Mail},
    kernel::{Code, Error, Id, Result, TenantId, Timestamp, i18n::Locale, text},
    store::{Store, Stored, TenantRead},
};

pub use self::results::{MailQueue, MailResults};

/// Pause after the store failed.
const STORE_ERROR_PAUSE: Duration = Duration::from_secs(5);
/// Longest pause between two checks of the queue, even if the clock is changed; in milliseconds.
const MAX_PAUSE_MILLIS: i64 = 60_000;
/// Maximum of mails sent at a time.
pub(super) const MAX_CONNECTIONS: usize = 4;
/// Pause after a write to the store, so that e-mails written together are found together.
const WRITE_DELAY: Duration = Duration::from_millis(100);

/// Sends queued e-mails. Cheap to clone.
#[derive(Clone)]
pub struct Mailer(Arc<Inner>);

struct Inner {
    store: Store,
    context: Box<dyn MailContext>,
    sending_config: RwLock<Arc<SendingConfig>>,
    config: Arc<Config>,
    /// The server's own address, once it listens: the base of links if no public address is configured.
    reachable: watch::Sender<Option<Url>>,
    results: Mutex<MailResults>,
}

/// The sending configuration in force.
struct SendingConfig {
    transport: Transport,
    mail: Mail,
    from: Address,
    reply_to: Option<Address>,
}

impl SendingConfig {
    fn open(config: &Config) -> Result<Self> {
        let parse =
            |address: &str| address.parse::<Address>().map_err(|error| Error::internal(format_args!("{error}")));
        Ok(Self {
            transport: Transport::open(&config.mail, &config.data_dir)?,
            from: parse(config.mail.from.as_deref().unwrap_or("atrium@localhost"))?,
            reply_to: config.mail.reply_to.as_deref().map(parse).transpose()?,
            mail: config.mail.clone(),
        })
    }
}

/// Seconds after which an attempted e-mail is late.
const LATE_SECONDS: i64 = 3_600;

/// An e-mail in the operator's list.
#[derive(Clone, Debug)]
pub struct ListedEmail {
    /// The tenant that it belongs to.
    pub tenant: TenantId,
    /// The e-mail.
    pub email: Stored<Email>,
    /// The file that stores it.
    pub file: Option<String>,
    /// The link in that file.
    pub link: Option<String>,
}

impl Mailer {
    /// Creates the mailer of an installation.
    /// Errors: `internal` if the configuration names a certificate that cannot be read.
    pub fn new(store: Store, config: Arc<Config>, context: impl MailContext) -> Result<Self> {
        let sending = SendingConfig::open(&config)?;
        let reachable = watch::Sender::new(None);
        let sending_config = RwLock::new(Arc::new(sending));
        let results = Mutex::default();
        let context = Box::new(context);
        Ok(Self(Arc::new(Inner { store, context, sending_config, config, reachable, results })))
    }

    /// Replaces the mail settings; mails being sent use the old ones.
    /// Errors: `internal` if the configuration names a certificate that cannot be read; the old settings stay.
    pub fn reload(&self, config: &Config) -> Result<()> {
        self.replace_sending(SendingConfig::open(config)?);
        Ok(())
    }

    fn replace_sending(&self, sending: SendingConfig) {
        *self.0.sending_config.write() = Arc::new(sending);
    }

    /// Uses another timer for the same server.
    #[cfg(test)]
    pub(super) fn with_timer(&self, timer: super::smtp::Timer) {
        let mut sending = SendingConfig::open(&self.0.config).expect("it was opened before");
        if let (Transport::Smtp(client), Some(host)) = (&mut sending.transport, &sending.mail.host) {
            **client = super::smtp::Client::open(host, &sending.mail).expect("a server").with_timer(timer);
        }
        self.replace_sending(sending);
    }

    /// Sets the server's own address, and allows sending from now on.
    pub fn reachable_at(&self, url: Url) {
        self.0.reachable.send_replace(Some(url));
    }

    /// Returns the base of all links: the public address, never anything from a request. Without a public address
    /// e-mails stay in the data directory, so the server's own address is right.
    pub fn base(&self) -> Result<Url> {
        self.0.base()
    }

    /// Whether e-mails are stored in the data directory instead of being sent.
    pub fn stores_locally(&self) -> bool {
        self.0.sending_config().transport.stores_locally()
    }

    /// Sends queued e-mails until `stop` is true.
    pub async fn run(self, mut stop: watch::Receiver<bool>) {
        let mut wrote = self.0.store.wrote();
        let mut reachable = self.0.reachable.subscribe();
        tokio::select! {
            _ = stop.wait_for(|stop| *stop) => return,
            _ = reachable.wait_for(Option::is_some) => {}
        }
        let mut in_flight = InFlight::new(&self);
        loop {
            wrote.mark_unchanged();
            let rest = match in_flight.start_due() {
                Ok(next) => {
                    let wait =
                        next.map_or(MAX_PAUSE_MILLIS, |next| next.millis() - self.0.store.clock().now().millis());
                    Duration::from_millis(wait.clamp(0, MAX_PAUSE_MILLIS).unsigned_abs())
                }
                Err(error) => log_store_error(&error),
            };
            if in_flight.tasks.is_empty() {
                self.0.sending_config().transport.close_idle().await;
            }
            let pause = tokio::select! {
                _ = stop.wait_for(|stop| *stop) => return,
                () = tokio::time::sleep(rest) => Duration::ZERO,
                Some(done) = in_flight.next_done() => {
                    done.err().map_or(Duration::ZERO, |error| log_store_error(&error))
                }
                open = async { (wrote.changed().await.is_ok(), tokio::time::sleep(WRITE_DELAY).await).0 } => {
                    if !open {
                        return;
                    }
                    Duration::ZERO
                }
            };
            tokio::select! {
                _ = stop.wait_for(|stop| *stop) => return,
                () = tokio::time::sleep(pause) => {}
            }
        }
    }

    /// Sends all due e-mails. Returns when the next one is due.
    /// Errors: If the store fails; e-mails that were not reached are still due.
    pub async fn round(&self) -> Result<Option<Timestamp>> {
        let mut in_flight = InFlight::new(self);
        loop {
            let next = in_flight.start_due()?;
            match in_flight.next_done().await {
                Some(done) => done?,
                None => return Ok(next),
            }
        }
    }

    /// Returns all stored e-mails, in the order of their creation.
    pub fn list(&self) -> Result<Vec<ListedEmail>> {
        let snapshot = self.0.store.snapshot()?;
        let mut found = Vec::new();
        let sending = self.0.sending_config();
        for (tenant, id) in snapshot.global_all::<Email>(BY_DUE)? {
            let Some(email) = snapshot.tenant(tenant, None).find_intact::<Email>(id)? else { continue };
            let name = id.to_string();
            let kept = email.state == State::Kept;
            let file = sending.transport.file_path(&name).filter(|_| kept).map(|file| file.display().to_string());
            let link = if kept { sending.transport.link_of(&name) } else { None };
            found.push(ListedEmail { tenant, email, file, link });
        }
        found.sort_by_key(|listed| listed.email.id);
        Ok(found)
    }

    /// Counts the waiting e-mails, of one tenant if it is given, among the first `most` of the queue.
    pub fn queue(&self, of: Option<TenantId>, most: usize) -> Result<MailQueue> {
        let snapshot = self.0.store.snapshot()?;
        let since = self.0.store.clock().now().plus_seconds(-LATE_SECONDS);
        let mut queue = MailQueue::default();
        for (tenant, id) in snapshot.global_first::<Email>(BY_DUE, most)? {
            if of.is_some_and(|of| of != tenant) {
                continue;
            }
            // The store reports unreadable records.
            let Ok(Some(email)) = snapshot.tenant(tenant, None).find::<Email>(id) else { continue };
            let is_waiting = email.state == State::Waiting;
            queue.waiting += u64::from(is_waiting);
            queue.late += u64::from(is_waiting && email.attempts > 0 && email.created_at < since);
        }
        Ok(queue)
    }

    /// Returns the results of deliveries since the start.
    pub fn results(&self) -> MailResults {
        self.0.results.lock().clone()
    }

    /// Returns how long a request may wait for the mail server: less than the request's own time limit, so that its
    /// response can name the mail server.
    pub fn request_wait(&self) -> Duration {
        self.0.config.limits.request_timeout * 2 / 3
    }

    /// Sends a test e-mail at once. Returns the file if it was stored.
    /// Errors: `invalid` at `address` if it is not an address; `invalid` if the server refuses it for good; `busy` if
    /// it was not accepted. The text names the server, its response, and the setting to check.
    pub async fn send_test(&self, to: &str, locale: Locale) -> Result<Option<String>> {
        let to = text::email(to).ok_or_else(|| Error::field("address", "errors.fields.email"))?;
        let branding = Branding::of_installation(&self.0.config.installation);
        let email = Email::new(Kind::Test, &to, "", locale);
        let now = self.0.store.clock().now();
        let rendered = render(&email, now, &branding, &self.base()?, None);
        let name = format!("test-{}", self.0.store.entropy().uuid(now));
        let sending = self.0.sending_config();
        let message = sending.build_message(&email, now, &branding, &rendered, &name)?;
        match sending.transport.send(message, &name, &rendered.link).await {
            Ok(Delivered::Sent) => {
                sending.transport.close_idle().await;
                Ok(None)
            }
            Ok(Delivered::Kept) => Ok(sending.transport.file_path(&name).map(|file| file.display().to_string())),
            Err(DeliveryError::Server(failure)) => Err(failure.into_error(&sending.mail, &to)),
            Err(error @ DeliveryError::Folder(..)) => {
                Err(Error::new(Code::Busy).explain(format!("The test message couldn't be saved: {error}")))
            }
        }
    }

    /// Sends a plain message to the operator at once. `name` identifies it: a message that is sent again has the same.
    /// Errors: Why it was not accepted.
    pub async fn send_plain(&self, to: &str, subject: &str, body: &str, name: &str) -> Result<(), String> {
        let sending = self.0.sending_config();
        let now = self.0.store.clock().now();
        let sender = &self.0.config.installation.name;
        let message = sending.build_plain(to, now, sender, subject, body, name);
        let message = message.map_err(|error| error.detail().unwrap_or_default().to_owned())?;
        let link = self.base().map(String::from).unwrap_or_default();
        sending.transport.send(message, name, &link).await.map_err(|error| text::line(&error.to_string()))?;
        sending.transport.close_idle().await;
        Ok(())
    }

    /// Removes the files of a tenant's e-mails, before the tenant is erased.
    pub fn remove_files(&self, tx: &TenantRead<'_>) -> Result<()> {
        let sending = self.0.sending_config();
        tx.each::<Email>(|email| {
            sending.transport.remove_file(&email.id.to_string());
            Ok(())
        })
        .map(drop)
    }
}

/// The mails being sent, [`MAX_CONNECTIONS`] at most: a slow one keeps its slot, and the others continue.
struct InFlight {
    inner: Arc<Inner>,
    tasks: JoinSet<Result<()>>,
    emails: HashMap<task::Id, (TenantId, Id<Email>)>,
    /// E-mails that cannot be sent because stored data is damaged; retried after the next start.
    stuck: HashSet<(TenantId, Id<Email>)>,
}

impl InFlight {
    fn new(mailer: &Mailer) -> Self {
        Self { inner: mailer.0.clone(), tasks: JoinSet::new(), emails: HashMap::new(), stuck: HashSet::new() }
    }

    /// Starts due e-mails while slots are free. Returns when the next one is due, if that is later.
    fn start_due(&mut self) -> Result<Option<Timestamp>> {
        if self.tasks.len() >= MAX_CONNECTIONS {
            return Ok(None);
        }
        let (due, next) = self.inner.find_due(self.inner.store.clock().now())?;
        for mail in due {
            let known = self.stuck.contains(&mail) || self.emails.values().any(|known| *known == mail);
            if self.tasks.len() < MAX_CONNECTIONS && !known {
                let inner = self.inner.clone();
                let task = self.tasks.spawn(async move { inner.process(mail.0, mail.1).await });
                self.emails.insert(task.id(), mail);
            }
        }
        Ok(next)
    }

    /// Waits until one is done; `None` if there is none.
    async fn next_done(&mut self) -> Option<Result<()>> {
        let done = self.tasks.join_next_with_id().await?;
        let (id, done) = match done {
            Ok((id, done)) => (id, done),
            Err(error) => (error.id(), Err(Error::internal(error))),
        };
        let email = self.emails.remove(&id);
        Some(match done {
            Err(error) if error.is_damage() => {
                tracing::error!(detail = ?error, "mail: a message waits, because stored data is damaged");
                self.stuck.extend(email);
                Ok(())
            }
            done => done,
        })
    }
}

/// Logs that the store failed. Returns the pause before the next attempt.
fn log_store_error(error: &Error) -> Duration {
    if !error.is_logged() {
        tracing::warn!(detail = ?error, "mail: sending failed, retrying");
    }
    STORE_ERROR_PAUSE
}

/// Returns the server's own address, for e-mails that are read on this machine anyway.
fn listen_url(config: &Config) -> Result<Url> {
    let authority = config.listen.local().map_or_else(|| "localhost".to_owned(), |address| address.to_string());
    Url::parse(&format!("http://{authority}")).map_err(Error::internal)
}
