//! The one who sends what is queued. Each attempt is noted before it is made, and what came of it
//! afterwards: who is killed in between sends the letter again, under the same name (`Message-ID`), rather
//! than not at all.

mod attempt;

use std::{sync::Arc, time::Duration};

use lettre::Address;
use tokio::{sync::watch, task::JoinSet};
use url::Url;

use super::{
    kind::Kind,
    letter::{DUE, Letter, State},
    letterhead::Letterhead,
    office::Office,
    render::render,
    transport::{CONNECTIONS, Outcome, Transport},
};
use crate::{
    config::Config,
    kernel::{Error, Result, TenantId, Timestamp, text, words::Locale},
    store::{Store, Stored, TenantRead},
};

/// How long the sender rests after the store failed.
const PAUSE: Duration = Duration::from_secs(5);
/// The longest rest between two looks, whatever the clock says meanwhile.
const LONGEST_REST: i64 = 60_000;
/// How long what is written may wait for what is written with it.
const PACE: Duration = Duration::from_millis(100);

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
