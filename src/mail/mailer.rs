//! The one who sends what is queued. Each attempt is noted before it is made, and what came of it
//! afterwards: who is killed in between sends the letter again, under the same name (`Message-ID`), rather
//! than not at all.

use std::{
    sync::Arc,
    time::{Duration, SystemTime},
};

use lettre::{
    Address, Message,
    message::{Mailbox, MultiPart, SinglePart, header},
};
use tokio::{sync::watch, task::JoinSet};
use url::Url;

use super::{
    letter::{DUE, GLOBAL_TO, HOUR, Kind, Letter, PER_HOUR, State, address},
    letterhead::Letterhead,
    render::{Rendered, render},
    transport::{CONNECTIONS, Outcome, Transport},
};
use crate::{
    config::Config,
    kernel::{Error, Id, MemberId, Result, TenantId, Timestamp, text, words::Locale},
    store::{Actor, Snapshot, Store, Stored, TenantRead, TenantWrite},
};

/// Milliseconds until the second attempt; each further one waits twice as long, up to [`LONGEST_WAIT`].
const FIRST_WAIT: i64 = 60_000;
const LONGEST_WAIT: i64 = 12 * HOUR;
/// For how long it is tried.
const PATIENCE: i64 = 72 * HOUR;
/// For how long it is remembered what became of a letter.
const REMEMBERED: i64 = 24 * HOUR;
/// The same where somebody still has to do something about it.
const SHOWN: i64 = 30 * 24 * HOUR;
/// Letters looked at together.
const STEP: usize = 64;
/// How long the sender rests after the store failed.
const PAUSE: Duration = Duration::from_secs(5);
/// The longest rest between two looks, whatever the clock says meanwhile.
const LONGEST_REST: i64 = 60_000;
/// How long what is written may wait for what is written with it.
const PACE: Duration = Duration::from_millis(100);

/// What the sender must be told by those who know people, companies and links.
pub trait Office: Send + Sync + 'static {
    /// Whose letters a company's are.
    ///
    /// # Errors
    /// `busy` or `internal` when it cannot be read.
    fn letterhead(&self, tx: &TenantRead<'_>) -> Result<Letterhead>;

    /// Whether there is such a member still.
    ///
    /// # Errors
    /// `busy` or `internal` when it cannot be read.
    fn is_member(&self, tx: &TenantRead<'_>, member: MemberId) -> Result<bool>;

    /// A fresh token for a link; none when the link was used, or is over.
    ///
    /// # Errors
    /// `busy` or `internal` when it cannot be made.
    fn token(&self, tx: &TenantWrite<'_>, link: [u8; 16]) -> Result<Option<String>>;

    /// Tells the company's admins of a letter that nobody took.
    ///
    /// # Errors
    /// `busy` or `internal` when they cannot be told.
    fn gave_up(&self, tx: &TenantWrite<'_>, letter: &Letter) -> Result<()>;
}

/// Sends what is queued. Cheap to clone.
#[derive(Clone)]
pub struct Mailer(Arc<Inside>);

struct Inside {
    store: Store,
    office: Box<dyn Office>,
    transport: Transport,
    config: Arc<Config>,
    /// Where the server can be reached, once it can: without a public address, links begin with that.
    reachable: watch::Sender<Option<Url>>,
    from: Address,
    reply_to: Option<Address>,
}

/// A letter as the operator sees it.
#[derive(Clone, Debug)]
pub struct Listed {
    /// Whose company's.
    pub tenant: TenantId,
    /// The letter.
    pub letter: Stored<Letter>,
    /// The file that it is kept in.
    pub file: Option<String>,
    /// The link in that file.
    pub link: Option<String>,
}

/// A letter that is about to be sent.
struct Ready {
    tenant: TenantId,
    letter: Stored<Letter>,
    head: Letterhead,
    token: Option<String>,
}

impl Mailer {
    /// The sender of an installation.
    ///
    /// # Errors
    /// `internal` when the configuration names a certificate that cannot be read.
    pub fn new(store: Store, config: Arc<Config>, office: impl Office) -> Result<Self> {
        let transport = Transport::open(&config.mail, &config.data_dir)?;
        let of = |address: &str| address.parse::<Address>().map_err(|error| Error::internal(format_args!("{error}")));
        let from = config.mail.from.as_deref().unwrap_or("atrium@localhost");
        let (from, reply_to) = (of(from)?, config.mail.reply_to.as_deref().map(of).transpose()?);
        let reachable = watch::Sender::new(None);
        Ok(Self(Arc::new(Inside { store, office: Box::new(office), transport, config, reachable, from, reply_to })))
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
        self.0.transport.keeps()
    }

    /// Sends what comes, until `stop` says true.
    pub async fn run(self, mut stop: watch::Receiver<bool>) {
        let (mut wrote, mut reachable) = (self.0.store.wrote(), self.0.reachable.subscribe());
        tokio::select! {
            _ = stop.wait_for(|stop| *stop) => return,
            _ = reachable.wait_for(Option::is_some) => {}
        }
        loop {
            wrote.mark_unchanged();
            let round = tokio::select! {
                _ = stop.wait_for(|stop| *stop) => return,
                round = self.round() => round,
            };
            let rest = match round {
                Ok(next) => {
                    let wait = next.map_or(LONGEST_REST, |next| next.millis() - self.0.store.clock().now().millis());
                    Duration::from_millis(wait.clamp(0, LONGEST_REST).unsigned_abs())
                }
                Err(error) => {
                    tracing::warn!(detail = ?error, "letters wait");
                    PAUSE
                }
            };
            tokio::select! {
                _ = stop.wait_for(|stop| *stop) => return,
                () = tokio::time::sleep(rest) => {}
                open = async { (wrote.changed().await.is_ok(), tokio::time::sleep(PACE).await).0 } => {
                    if !open {
                        return;
                    }
                }
            }
        }
    }

    /// Does all that is due now. Answers when the next thing is.
    ///
    /// # Errors
    /// `busy` or `internal` when the store fails; what was not reached is still due.
    pub async fn round(&self) -> Result<Option<Timestamp>> {
        loop {
            let now = self.0.store.clock().now();
            let (due, next) = self.0.due(now)?;
            if due.is_empty() {
                return Ok(next);
            }
            let mut work = due.into_iter();
            let mut under_way = JoinSet::new();
            loop {
                while under_way.len() < CONNECTIONS
                    && let Some((tenant, id)) = work.next()
                {
                    let inside = self.0.clone();
                    under_way.spawn(async move { inside.handle(tenant, id).await });
                }
                match under_way.join_next().await {
                    None => break,
                    Some(done) => done.map_err(Error::internal)??,
                }
            }
        }
    }

    /// All letters that are remembered, those first with which something happens next.
    ///
    /// # Errors
    /// `busy` or `internal` when they cannot be read.
    pub fn list(&self) -> Result<Vec<Listed>> {
        let snapshot = self.0.store.snapshot()?;
        let mut found = Vec::new();
        for (tenant, id) in snapshot.global_all::<Letter>(DUE)? {
            let Some(letter) = snapshot.tenant(tenant, None).find(id)? else { continue };
            let name = id.to_string();
            let kept = letter.state == State::Kept;
            let file = self.0.transport.place(&name).filter(|_| kept).map(|file| file.display().to_string());
            let link = if kept { self.0.transport.link_of(&name) } else { None };
            found.push(Listed { tenant, letter, file, link });
        }
        found.sort_by_key(|listed| listed.letter.id);
        Ok(found)
    }

    /// Sends a letter that is about nothing but itself, here and now. Answers with the file when it was kept.
    ///
    /// # Errors
    /// `invalid` at `address` when that is none; `busy`, with what the server said, when it was not taken.
    pub async fn send_test(&self, to: &str, locale: Locale) -> Result<Option<String>> {
        let to = text::email(to).ok_or_else(|| Error::field("address", "errors.fields.email"))?;
        let installation = &self.0.config.installation;
        let head = Letterhead {
            name: installation.name.clone(),
            color_scheme: installation.color_scheme.clone(),
            timezone: "UTC".to_owned(),
            ..Letterhead::default()
        };
        let letter = Letter::new(Kind::Test, &to, "", locale);
        let now = self.0.store.clock().now();
        let rendered = render(&letter, now, &head, &self.base()?, None);
        let name = format!("test-{}", self.0.store.entropy().uuid(now));
        let message = self.0.message(&letter, now, &head, &rendered, &name)?;
        match self.0.transport.send(message, &name, &rendered.link).await {
            Outcome::Sent => Ok(None),
            Outcome::Kept => Ok(self.0.transport.place(&name).map(|file| file.display().to_string())),
            Outcome::Later(why) | Outcome::Never(why) => Err(Error::new(crate::kernel::Code::Busy).with_detail(why)),
        }
    }

    /// Removes the files of letters that are about to be erased with their company.
    ///
    /// # Errors
    /// `busy` or `internal` when they cannot be read.
    pub fn forget(&self, tx: &TenantRead<'_>) -> Result<()> {
        tx.each::<Letter>(|letter| {
            self.0.transport.forget(&letter.id.to_string());
            Ok(())
        })
    }
}

/// Where the server listens, for letters that are read on this machine anyway.
fn own_address(config: &Config) -> Result<Url> {
    let mut listen = config.listen;
    if listen.ip().is_unspecified() {
        listen.set_ip(std::net::Ipv4Addr::LOCALHOST.into());
    }
    Url::parse(&format!("http://{listen}")).map_err(Error::internal)
}

impl Inside {
    fn base(&self) -> Result<Url> {
        match (&self.config.public_url, &*self.reachable.borrow()) {
            (Some(public), _) => Ok(public.clone()),
            (None, Some(reachable)) => Ok(reachable.clone()),
            (None, None) => own_address(&self.config),
        }
    }

    /// Some of what is due, or else when something is.
    #[expect(clippy::type_complexity, reason = "a pair of what to do and when to look again")]
    fn due(&self, now: Timestamp) -> Result<(Vec<(TenantId, Id<Letter>)>, Option<Timestamp>)> {
        let snapshot = self.store.snapshot()?;
        let mut due = Vec::new();
        for (tenant, id) in snapshot.global_first::<Letter>(DUE, STEP)? {
            // It may be missing while its company is being erased.
            let Some(letter) = snapshot.tenant(tenant, None).find(id)? else { continue };
            if letter.due > now {
                return Ok((due, Some(letter.due)));
            }
            due.push((tenant, id));
        }
        Ok((due, None))
    }

    /// Does with one letter what is to be done with it.
    async fn handle(self: Arc<Self>, tenant: TenantId, id: Id<Letter>) -> Result<()> {
        let too_many = self.too_many(&self.store.snapshot()?, tenant, id)?;
        let inside = self.clone();
        let work = move |tx: &TenantWrite<'_>| inside.prepare(tx, id, too_many);
        let (ready, _) = self.store.write(tenant, Actor::System, work).await?;
        let Some(ready) = ready else {
            return Ok(());
        };
        let outcome = self.attempt(&ready).await;
        match &outcome {
            Outcome::Sent | Outcome::Kept => {}
            Outcome::Later(why) => tracing::warn!(letter = %id, why, "a letter was not taken and will be tried again"),
            Outcome::Never(why) => tracing::warn!(letter = %id, why, "a letter was refused for ever"),
        }
        let inside = self.clone();
        let work = move |tx: &TenantWrite<'_>| inside.conclude(tx, id, outcome);
        self.store.write(tenant, Actor::System, work).await.map(drop)
    }

    /// Whether the address got enough letters of the kind in the last hour, from whichever company: one who
    /// makes companies with somebody else's address must not bury them.
    fn too_many(&self, snapshot: &Snapshot, tenant: TenantId, id: Id<Letter>) -> Result<bool> {
        let Some(letter) = snapshot.tenant(tenant, None).find(id)? else { return Ok(false) };
        let since = self.store.clock().now().plus_millis(-HOUR);
        let mut sent = 0;
        for (tenant, other) in snapshot.global::<Letter>(GLOBAL_TO, address(letter.kind.word(), &letter.to))? {
            let other = snapshot.tenant(tenant, None).find(other)?;
            let counts =
                |other: &Stored<Letter>| matches!(other.state, State::Sent | State::Kept) && other.updated_at > since;
            sent += usize::from(other.is_some_and(|other| counts(&other)));
        }
        Ok(sent >= PER_HOUR)
    }

    /// Notes the attempt, and makes the token it needs. None when there is nothing to send.
    fn prepare(&self, tx: &TenantWrite<'_>, id: Id<Letter>, too_many: bool) -> Result<Option<Ready>> {
        let now = tx.now();
        let Some(letter) = tx.find(id)?.filter(|letter| letter.due <= now) else { return Ok(None) };
        if letter.state != State::Waiting {
            self.transport.forget(&id.to_string());
            tx.remove(id, None)?;
            return Ok(None);
        }
        let dropped = |why: &'static str| {
            tracing::info!(letter = %id, kind = letter.kind.word(), why, "a letter was dropped");
            close(tx, id, State::Dropped, Some(why.to_owned())).map(|()| None)
        };
        if letter.member.is_some_and(|member| !self.office.is_member(tx, member).unwrap_or(true)) {
            return dropped("the member is gone");
        }
        if too_many {
            return dropped("the address got too many of them");
        }
        let token = match letter.link {
            None => None,
            Some(link) => match self.office.token(tx, link)? {
                None => return dropped("the link is over"),
                token => token,
            },
        };
        let letter = tx.update(id, None, |letter| {
            letter.attempts += 1;
            letter.due = now.plus_millis(wait(letter.attempts));
            Ok(())
        })?;
        Ok(Some(Ready { tenant: tx.tenant(), head: self.office.letterhead(tx)?, letter, token }))
    }

    async fn attempt(&self, ready: &Ready) -> Outcome {
        let Ready { tenant, letter, head, token } = ready;
        let name = letter.id.to_string();
        let written = self.base().and_then(|base| {
            let rendered = render(letter, letter.created_at, head, &base, token.as_deref());
            Ok((self.message(letter, letter.created_at, head, &rendered, &name)?, rendered.link))
        });
        match written {
            Ok((message, link)) => self.transport.send(message, &name, &link).await,
            Err(error) => {
                tracing::error!(%tenant, detail = ?error, "a letter cannot be written");
                Outcome::Never(error.detail().unwrap_or_default().to_owned())
            }
        }
    }

    /// Notes what came of an attempt.
    fn conclude(&self, tx: &TenantWrite<'_>, id: Id<Letter>, outcome: Outcome) -> Result<()> {
        // The company may have been erased meanwhile.
        let Some(letter) = tx.find(id)? else { return Ok(()) };
        let over = tx.now().millis() - letter.created_at.millis() >= PATIENCE;
        match outcome {
            Outcome::Sent => close(tx, id, State::Sent, None),
            Outcome::Kept => close(tx, id, State::Kept, None),
            Outcome::Later(why) if !over => tx
                .update(id, None, |letter| {
                    letter.error = Some(why);
                    Ok(())
                })
                .map(drop),
            Outcome::Later(why) | Outcome::Never(why) => {
                close(tx, id, State::Failed, Some(why))?;
                self.office.gave_up(tx, &letter)
            }
        }
    }

    /// The letter in its envelope. What people wrote can only ever be the content of a header: the library
    /// encodes it, and line breaks were taken out before.
    fn message(
        &self,
        letter: &Letter,
        at: Timestamp,
        head: &Letterhead,
        rendered: &Rendered,
        name: &str,
    ) -> Result<Message> {
        let failed = |error: &dyn std::fmt::Display| Error::internal(format_args!("a letter: {error}"));
        let to: Address = letter.to.parse().map_err(|error| failed(&error))?;
        let millis = u64::try_from(at.millis()).unwrap_or_default();
        let named = |name: &str| Some(text::line(name)).filter(|name| !name.is_empty());
        let mut message = Message::builder()
            .message_id(Some(format!("<{name}@{}>", self.from.domain())))
            .date(SystemTime::UNIX_EPOCH + Duration::from_millis(millis))
            .from(Mailbox::new(named(&head.name), self.from.clone()))
            .to(Mailbox::new(named(&letter.name), to))
            .subject(text::line(&rendered.subject))
            // No holiday note answers to it (RFC 3834), nor does Exchange.
            .raw_header(raw("Auto-Submitted", "auto-generated")?)
            .raw_header(raw("X-Auto-Response-Suppress", "All")?);
        if let Some(reply_to) = &self.reply_to {
            message = message.reply_to(Mailbox::new(None, reply_to.clone()));
        }
        let part = |kind: header::ContentType, body: &str| SinglePart::builder().header(kind).body(body.to_owned());
        let body = MultiPart::alternative()
            .boundary(format!("atrium-{name}"))
            .singlepart(part(header::ContentType::TEXT_PLAIN, &rendered.text))
            .singlepart(part(header::ContentType::TEXT_HTML, &rendered.html));
        message.multipart(body).map_err(|error| failed(&error))
    }
}

fn raw(name: &str, value: &str) -> Result<header::HeaderValue> {
    let name = header::HeaderName::new_from_ascii(name.to_owned()).map_err(Error::internal)?;
    Ok(header::HeaderValue::new(name, value.to_owned()))
}

/// Milliseconds from an attempt to the next: 1, 2, 4 ... minutes, and 12 hours at most.
fn wait(attempts: u32) -> i64 {
    FIRST_WAIT.saturating_mul(1_i64.checked_shl(attempts.saturating_sub(1).min(32)).unwrap_or(1)).min(LONGEST_WAIT)
}

fn close(tx: &TenantWrite<'_>, id: Id<Letter>, state: State, error: Option<String>) -> Result<()> {
    let remembered = if matches!(state, State::Kept | State::Failed) { SHOWN } else { REMEMBERED };
    tx.update(id, None, |letter| {
        (letter.state, letter.error) = (state, error);
        letter.due = tx.now().plus_millis(remembered);
        Ok(())
    })
    .map(drop)
}
