//! The one who sends what is queued. Each attempt is noted before it is made, and what came of it
//! afterwards: who is killed in between sends the letter again, under the same name (`Message-ID`), rather
//! than not at all.

mod attempt;

use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, PoisonError, RwLock},
    time::Duration,
};

use lettre::Address;
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

/// How long the sender rests after the store failed.
const PAUSE: Duration = Duration::from_secs(5);
/// The longest rest between two looks, whatever the clock says meanwhile.
const LONGEST_REST: i64 = 60_000;
/// Mails sent at a time.
pub(super) const CONNECTIONS: usize = 4;
/// How long what is written may wait for what is written with it.
const PACE: Duration = Duration::from_millis(100);

/// Sends what is queued. Cheap to clone.
#[derive(Clone)]
pub struct Mailer(Arc<Inner>);

struct Inner {
    store: Store,
    office: Box<dyn MailContext>,
    way: RwLock<Arc<Way>>,
    config: Arc<Config>,
    /// Where the server can be reached, once it can: without a public address, links begin with that.
    reachable: watch::Sender<Option<Url>>,
}

/// How mails go out, as the settings in force say.
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

/// Seconds after which a letter that was tried is late, and how many letters are looked at for that.
const LATE: i64 = 3_600;
const LOOKED_AT: usize = 1_000;

/// A letter as the operator sees it.
#[derive(Clone, Debug)]
pub struct Listed {
    /// Whose company's.
    pub tenant: TenantId,
    /// The letter.
    pub letter: Stored<Email>,
    /// The file that it is kept in.
    pub file: Option<String>,
    /// The link in that file.
    pub link: Option<String>,
}

impl Mailer {
    /// The sender of an installation.
    ///
    /// # Errors
    /// `internal` when the configuration names a certificate that cannot be read.
    pub fn new(store: Store, config: Arc<Config>, office: impl MailContext) -> Result<Self> {
        let way = Way::open(&config)?;
        let (reachable, way) = (watch::Sender::new(None), RwLock::new(Arc::new(way)));
        Ok(Self(Arc::new(Inner { store, office: Box::new(office), way, config, reachable })))
    }

    /// Takes over the settings of mail; mails under way finish as they began.
    ///
    /// # Errors
    /// `internal` when the configuration names a certificate that cannot be read; nothing is changed then.
    pub fn reload(&self, config: &Config) -> Result<()> {
        self.use_way(Way::open(config)?);
        Ok(())
    }

    fn use_way(&self, way: Way) {
        *self.0.way.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(way);
    }

    /// Reaches the same server with another timer.
    #[cfg(test)]
    pub(super) fn with_timer(&self, timer: super::smtp::Timer) {
        let mut way = Way::open(&self.0.config).expect("it was opened before");
        if let (Transport::Smtp(client), Some(host)) = (&mut way.transport, &way.mail.host) {
            **client = super::smtp::Client::open(host, &way.mail).expect("a server").with_timer(timer);
        }
        self.use_way(way);
    }

    /// Says that the server can be reached, and where: letters go out from now on.
    pub fn reachable_at(&self, url: Url) {
        self.0.reachable.send_replace(Some(url));
    }

    /// What links begin with: the public address, and never anything that a request said. Where none is
    /// configured letters do not leave the house, and the server's own address is right.
    ///
    /// # Errors
    /// `internal` when the configured address to listen on is none for a link; it always is.
    pub fn base(&self) -> Result<Url> {
        self.0.base()
    }

    /// Whether letters stay in the data directory.
    #[must_use]
    pub fn keeps(&self) -> bool {
        self.0.way().transport.keeps()
    }

    /// Sends what comes, until `stop` says true.
    pub async fn run(self, mut stop: watch::Receiver<bool>) {
        let (mut wrote, mut reachable) = (self.0.store.wrote(), self.0.reachable.subscribe());
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

    /// Does all that is due now. Answers when the next thing is.
    ///
    /// # Errors
    /// `busy` or `internal` when the store fails; what was not reached is still due.
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

    /// All letters that are remembered, those first with which something happens next.
    ///
    /// # Errors
    /// `busy` or `internal` when they cannot be read.
    pub fn list(&self) -> Result<Vec<Listed>> {
        let snapshot = self.0.store.snapshot()?;
        let (mut found, way) = (Vec::new(), self.0.way());
        for (tenant, id) in snapshot.global_all::<Email>(DUE)? {
            let Some(letter) = snapshot.tenant(tenant, None).find_intact(id)? else { continue };
            let name = id.to_string();
            let kept = letter.state == State::Kept;
            let file = way.transport.place(&name).filter(|_| kept).map(|file| file.display().to_string());
            let link = if kept { way.transport.link_of(&name) } else { None };
            found.push(Listed { tenant, letter, file, link });
        }
        found.sort_by_key(|listed| listed.letter.id);
        Ok(found)
    }

    /// How many letters have waited for longer than an hour, and were refused before; of a thousand at most.
    ///
    /// # Errors
    /// `busy` or `internal` when they cannot be read.
    pub fn late(&self) -> Result<u64> {
        let snapshot = self.0.store.snapshot()?;
        let since = self.0.store.clock().now().plus_seconds(-LATE);
        let mut late = 0;
        for (tenant, id) in snapshot.global_first::<Email>(DUE, LOOKED_AT)? {
            // One that cannot be read is the store's to report.
            let Ok(Some(letter)) = snapshot.tenant(tenant, None).find(id) else { continue };
            late += u64::from(letter.state == State::Waiting && letter.attempts > 0 && letter.created_at < since);
        }
        Ok(late)
    }

    /// How long a request may wait for the mail server: less than the request itself may take, so that its answer
    /// names the mail server.
    #[must_use]
    pub fn request_wait(&self) -> Duration {
        self.0.config.limits.request_timeout * 2 / 3
    }

    /// Sends a letter that is about nothing but itself, here and now. Answers with the file when it was kept.
    ///
    /// # Errors
    /// `invalid` at `address` when that is none, or when the server refuses it; `busy` when it was not taken. The
    /// words name the server, what it said, and the setting to look at.
    pub async fn send_test(&self, to: &str, locale: Locale) -> Result<Option<String>> {
        let to = text::email(to).ok_or_else(|| Error::field("address", "errors.fields.email"))?;
        let installation = &self.0.config.installation;
        let head = Branding {
            name: installation.name.clone(),
            color_scheme: installation.color_scheme.clone(),
            timezone: "UTC".to_owned(),
            ..Branding::default()
        };
        let letter = Email::new(Kind::Test, &to, "", locale);
        let now = self.0.store.clock().now();
        let rendered = render(&letter, now, &head, &self.base()?, None);
        let name = format!("test-{}", self.0.store.entropy().uuid(now));
        let way = self.0.way();
        let message = way.message(&letter, now, &head, &rendered, &name)?;
        match way.transport.send(message, &name, &rendered.link).await {
            Ok(Taken::Sent) => {
                way.transport.rest().await;
                Ok(None)
            }
            Ok(Taken::Kept) => Ok(way.transport.place(&name).map(|file| file.display().to_string())),
            Err(Trouble::Server(failure)) => Err(failure.into_error(&way.mail, &to)),
            Err(trouble @ Trouble::Folder(..)) => {
                let gaps = vec![("reason", trouble.to_string())];
                Err(Error::new(Code::Busy).say("server.cli.mail_not_kept", gaps))
            }
        }
    }

    /// Removes the files of letters that are about to be erased with their company.
    ///
    /// # Errors
    /// `busy` or `internal` when they cannot be read.
    pub fn forget(&self, tx: &TenantRead<'_>) -> Result<()> {
        let way = self.0.way();
        tx.each::<Email>(|letter| {
            way.transport.forget(&letter.id.to_string());
            Ok(())
        })
        .map(drop)
    }
}

/// Mails that are being sent, [`CONNECTIONS`] at most: one that takes long keeps its place, and the others go on.
struct Sending {
    inside: Arc<Inner>,
    under_way: JoinSet<Result<()>>,
    which: HashMap<task::Id, (TenantId, Id<Email>)>,
    /// What cannot be sent because something stored is damaged: it is tried again after the next start.
    stuck: HashSet<(TenantId, Id<Email>)>,
}

impl Sending {
    fn new(mailer: &Mailer) -> Self {
        Self { inside: mailer.0.clone(), under_way: JoinSet::new(), which: HashMap::new(), stuck: HashSet::new() }
    }

    /// Begins with what is due, as far as there is room. Answers when the next thing is due, if that is later.
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

    /// Waits until one is done; nothing when there is none.
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

/// Logs that the store failed. Answers how long to wait before the next try.
fn failed(error: &Error) -> Duration {
    if !error.is_logged() {
        tracing::warn!(detail = ?error, "mail: sending failed, retrying");
    }
    PAUSE
}

/// Where the server listens, for letters that are read on this machine anyway.
fn own_address(config: &Config) -> Result<Url> {
    let mut listen = config.listen;
    if listen.ip().is_unspecified() {
        listen.set_ip(std::net::Ipv4Addr::LOCALHOST.into());
    }
    Url::parse(&format!("http://{listen}")).map_err(Error::internal)
}
