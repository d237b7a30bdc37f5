//! Mailer: sends queued e-mails. Each attempt is recorded before it is made, and its result afterwards: after a crash
//! in between, the e-mail is sent again with the same `Message-ID`, rather than not at all.

mod attempt;

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
    time::Duration,
};

use lettre::Address;
use parking_lot::RwLock;
use tokio::{
    sync::watch,
    task::{self, JoinSet},
};
use url::Url;

use super::{
    branding::Branding,
    context::MailContext,
    email::{DUE, Email, State},
    kind::Kind,
    render::render,
    transport::{Taken, Transport, Trouble},
};
use crate::{
    config::{Config, Mail},
    kernel::{Code, Error, Id, Result, TenantId, Timestamp, i18n::Locale, text},
    store::{Store, Stored, TenantRead},
};

/// Pause after the store failed.
const PAUSE: Duration = Duration::from_secs(5);
/// Longest pause between two checks of the queue, even if the clock is changed; in milliseconds.
const LONGEST_REST: i64 = 60_000;
/// Maximum of mails sent at a time.
pub(super) const CONNECTIONS: usize = 4;
/// Pause after a write to the store, so that e-mails written together are found together.
const PACE: Duration = Duration::from_millis(100);

/// Sends queued e-mails. Cheap to clone.
#[derive(Clone)]
pub struct Mailer(Arc<Inner>);

struct Inner {
    store: Store,
    office: Box<dyn MailContext>,
    way: RwLock<Arc<Way>>,
    config: Arc<Config>,
    /// The server's own address, once it listens: the base of links if no public address is configured.
    reachable: watch::Sender<Option<Url>>,
}

/// The sending configuration in force.
struct Way {
    transport: Transport,
    mail: Mail,
    from: Address,
    reply_to: Option<Address>,
}

impl Way {
    fn open(config: &Config) -> Result<Self> {
        let of = |address: &str| address.parse::<Address>().map_err(|error| Error::internal(format_args!("{error}")));
        Ok(Self {
            transport: Transport::open(&config.mail, &config.data_dir)?,
            from: of(config.mail.from.as_deref().unwrap_or("atrium@localhost"))?,
            reply_to: config.mail.reply_to.as_deref().map(of).transpose()?,
            mail: config.mail.clone(),
        })
    }
}

/// Seconds after which an attempted e-mail is late, and the maximum of e-mails checked for that.
const LATE: i64 = 3_600;
const LOOKED_AT: usize = 1_000;

/// An e-mail in the operator's list.
#[derive(Clone, Debug)]
pub struct Listed {
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
    pub fn new(store: Store, config: Arc<Config>, office: impl MailContext) -> Result<Self> {
        let way = Way::open(&config)?;
        let reachable = watch::Sender::new(None);
        let way = RwLock::new(Arc::new(way));
        Ok(Self(Arc::new(Inner { store, office: Box::new(office), way, config, reachable })))
    }

    /// Replaces the mail settings; mails being sent use the old ones.
    /// Errors: `internal` if the configuration names a certificate that cannot be read; the old settings stay.
    pub fn reload(&self, config: &Config) -> Result<()> {
        self.use_way(Way::open(config)?);
        Ok(())
    }

    fn use_way(&self, way: Way) {
        *self.0.way.write() = Arc::new(way);
    }

    /// Uses another timer for the same server.
    #[cfg(test)]
    pub(super) fn with_timer(&self, timer: super::smtp::Timer) {
        let mut way = Way::open(&self.0.config).expect("it was opened before");
        if let (Transport::Smtp(client), Some(host)) = (&mut way.transport, &way.mail.host) {
            **client = super::smtp::Client::open(host, &way.mail).expect("a server").with_timer(timer);
        }
        self.use_way(way);
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
    pub fn keeps(&self) -> bool {
        self.0.way().transport.keeps()
    }

    /// Sends queued e-mails until `stop` is true.
    pub async fn run(self, mut stop: watch::Receiver<bool>) {
        let mut wrote = self.0.store.wrote();
        let mut reachable = self.0.reachable.subscribe();
        tokio::select! {
            _ = stop.wait_for(|stop| *stop) => return,
            _ = reachable.wait_for(Option::is_some) => {}
        }
        let mut sending = Sending::new(&self);
        loop {
            wrote.mark_unchanged();
            let rest = match sending.fill() {
                Ok(next) => {
                    let wait = next.map_or(LONGEST_REST, |next| next.millis() - self.0.store.clock().now().millis());
                    Duration::from_millis(wait.clamp(0, LONGEST_REST).unsigned_abs())
                }
                Err(error) => failed(&error),
            };
            if sending.under_way.is_empty() {
                self.0.way().transport.rest().await;
            }
            let pause = tokio::select! {
                _ = stop.wait_for(|stop| *stop) => return,
                () = tokio::time::sleep(rest) => Duration::ZERO,
                Some(done) = sending.next() => done.err().map_or(Duration::ZERO, |error| failed(&error)),
                open = async { (wrote.changed().await.is_ok(), tokio::time::sleep(PACE).await).0 } => {
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
        let mut sending = Sending::new(self);
        loop {
            let next = sending.fill()?;
            match sending.next().await {
                Some(done) => done?,
                None => return Ok(next),
            }
        }
    }

    /// Returns all stored e-mails, in the order of their creation.
    pub fn list(&self) -> Result<Vec<Listed>> {
        let snapshot = self.0.store.snapshot()?;
        let mut found = Vec::new();
        let way = self.0.way();
        for (tenant, id) in snapshot.global_all::<Email>(DUE)? {
            let Some(email) = snapshot.tenant(tenant, None).find_intact::<Email>(id)? else { continue };
            let name = id.to_string();
            let kept = email.state == State::Kept;
            let file = way.transport.place(&name).filter(|_| kept).map(|file| file.display().to_string());
            let link = if kept { way.transport.link_of(&name) } else { None };
            found.push(Listed { tenant, email, file, link });
        }
        found.sort_by_key(|listed| listed.email.id);
        Ok(found)
    }

    /// Returns how many e-mails failed at least once and have waited for over an hour; checks a thousand at most.
    pub fn late(&self) -> Result<u64> {
        let snapshot = self.0.store.snapshot()?;
        let since = self.0.store.clock().now().plus_seconds(-LATE);
        let mut late = 0;
        for (tenant, id) in snapshot.global_first::<Email>(DUE, LOOKED_AT)? {
            // The store reports unreadable records.
            let Ok(Some(email)) = snapshot.tenant(tenant, None).find::<Email>(id) else { continue };
            late += u64::from(email.state == State::Waiting && email.attempts > 0 && email.created_at < since);
        }
        Ok(late)
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
        let installation = &self.0.config.installation;
        let head = Branding {
            name: installation.name.clone(),
            color_scheme: installation.color_scheme.clone(),
            timezone: "UTC".to_owned(),
            ..Branding::default()
        };
        let email = Email::new(Kind::Test, &to, "", locale);
        let now = self.0.store.clock().now();
        let rendered = render(&email, now, &head, &self.base()?, None);
        let name = format!("test-{}", self.0.store.entropy().uuid(now));
        let way = self.0.way();
        let message = way.message(&email, now, &head, &rendered, &name)?;
        match way.transport.send(message, &name, &rendered.link).await {
            Ok(Taken::Sent) => {
                way.transport.rest().await;
                Ok(None)
            }
            Ok(Taken::Kept) => Ok(way.transport.place(&name).map(|file| file.display().to_string())),
            Err(Trouble::Server(failure)) => Err(failure.into_error(&way.mail, &to)),
            Err(trouble @ Trouble::Folder(..)) => {
                let params = vec![("reason", trouble.to_string())];
                Err(Error::new(Code::Busy).say("server.cli.mail_not_kept", params))
            }
        }
    }

    /// Removes the files of a tenant's e-mails, before the tenant is erased.
    pub fn forget(&self, tx: &TenantRead<'_>) -> Result<()> {
        let way = self.0.way();
        tx.each::<Email>(|email| {
            way.transport.forget(&email.id.to_string());
            Ok(())
        })
        .map(drop)
    }
}

/// The mails being sent, [`CONNECTIONS`] at most: a slow one keeps its slot, and the others continue.
struct Sending {
    inside: Arc<Inner>,
    under_way: JoinSet<Result<()>>,
    which: HashMap<task::Id, (TenantId, Id<Email>)>,
    /// E-mails that cannot be sent because stored data is damaged; retried after the next start.
    stuck: HashSet<(TenantId, Id<Email>)>,
}

impl Sending {
    fn new(mailer: &Mailer) -> Self {
        Self { inside: mailer.0.clone(), under_way: JoinSet::new(), which: HashMap::new(), stuck: HashSet::new() }
    }

    /// Starts due e-mails while slots are free. Returns when the next one is due, if that is later.
    fn fill(&mut self) -> Result<Option<Timestamp>> {
        if self.under_way.len() >= CONNECTIONS {
            return Ok(None);
        }
        let (due, next) = self.inside.due(self.inside.store.clock().now())?;
        for mail in due {
            let known = self.stuck.contains(&mail) || self.which.values().any(|known| *known == mail);
            if self.under_way.len() < CONNECTIONS && !known {
                let inside = self.inside.clone();
                let task = self.under_way.spawn(async move { inside.handle(mail.0, mail.1).await });
                self.which.insert(task.id(), mail);
            }
        }
        Ok(next)
    }

    /// Waits until one is done; `None` if there is none.
    async fn next(&mut self) -> Option<Result<()>> {
        let done = self.under_way.join_next_with_id().await?;
        let (id, done) = match done {
            Ok((id, done)) => (id, done),
            Err(error) => (error.id(), Err(Error::internal(error))),
        };
        let which = self.which.remove(&id);
        Some(match done {
            Err(error) if error.is_damage() => {
                tracing::error!(detail = ?error, "mail: a message waits, because stored data is damaged");
                self.stuck.extend(which);
                Ok(())
            }
            done => done,
        })
    }
}

/// Logs that the store failed. Returns the pause before the next attempt.
fn failed(error: &Error) -> Duration {
    if !error.is_logged() {
        tracing::warn!(detail = ?error, "mail: sending failed, retrying");
    }
    PAUSE
}

/// Returns the server's own address, for e-mails that are read on this machine anyway.
fn own_address(config: &Config) -> Result<Url> {
    let mut listen = config.listen;
    if listen.ip().is_unspecified() {
        listen.set_ip(std::net::Ipv4Addr::LOCALHOST.into());
    }
    Url::parse(&format!("http://{listen}")).map_err(Error::internal)
}
