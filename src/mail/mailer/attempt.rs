//! Delivery attempts: finding due e-mails, sending one, and recording the result.

use std::{
    sync::Arc,
    time::{Duration, SystemTime},
};

use lettre::{
    Address, Message,
    message::{Mailbox, MultiPart, SinglePart, header},
};
use url::Url;

use super::{Inner, Way, own_address};
use crate::{
    kernel::{Error, Id, Result, TenantId, Timestamp, text},
    mail::{
        branding::Branding,
        email::{DUE, Email, GLOBAL_TO, HOUR, PER_HOUR, State, address},
        render::{Rendered, render},
        transport::Taken,
    },
    store::{Actor, Snapshot, Stored, TenantWrite},
};

/// Milliseconds until the second attempt; each further wait is twice as long, up to [`LONGEST_WAIT`].
const FIRST_WAIT: i64 = 60_000;
const LONGEST_WAIT: i64 = 12 * HOUR;
/// How long delivery is attempted.
const PATIENCE: i64 = 72 * HOUR;
/// How long the result of a delivery is kept.
const REMEMBERED: i64 = 24 * HOUR;
/// The same if the operator or an admin still has to act on it.
const SHOWN: i64 = 30 * 24 * HOUR;
/// Number of e-mails read at a time.
const STEP: usize = 64;

/// Longest recorded reason, in characters.
const LONGEST_REASON: usize = 300;

/// The result of an attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Outcome {
    /// A server accepted the e-mail.
    Sent,
    /// The e-mail is stored in the folder.
    Kept,
    /// A temporary failure and its reason.
    Later(String),
    /// A permanent failure and its reason.
    Never(String),
}

/// An e-mail that is about to be sent.
struct Ready {
    tenant: TenantId,
    email: Stored<Email>,
    head: Branding,
    token: Option<String>,
}

impl Inner {
    pub(super) fn way(&self) -> Arc<Way> {
        self.way.read().clone()
    }

    pub(super) fn base(&self) -> Result<Url> {
        match (&self.config.public_url, &*self.reachable.borrow()) {
            (Some(public), _) => Ok(public.clone()),
            (None, Some(reachable)) => Ok(reachable.clone()),
            (None, None) => own_address(&self.config),
        }
    }

    /// Returns some of the due e-mails, and the time when the next one is due, if that is later.
    #[expect(clippy::type_complexity, reason = "a pair of what to do and when to look again")]
    pub(super) fn due(&self, now: Timestamp) -> Result<(Vec<(TenantId, Id<Email>)>, Option<Timestamp>)> {
        let snapshot = self.store.snapshot()?;
        let mut due = Vec::new();
        for (tenant, id) in snapshot.global_first::<Email>(DUE, STEP)? {
            // It may be missing while its tenant is being erased.
            let Some(email) = snapshot.tenant(tenant, None).find_intact::<Email>(id)? else { continue };
            if email.due > now {
                return Ok((due, Some(email.due)));
            }
            due.push((tenant, id));
        }
        Ok((due, None))
    }

    /// Processes one due e-mail: sends it, or removes it.
    pub(super) async fn handle(self: Arc<Self>, tenant: TenantId, id: Id<Email>) -> Result<()> {
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
            Outcome::Later(why) => tracing::warn!(email = %id, why, "mail: delivery failed, retrying"),
            Outcome::Never(why) => tracing::warn!(email = %id, why, "mail: delivery failed permanently"),
        }
        let inside = self.clone();
        let work = move |tx: &TenantWrite<'_>| inside.conclude(tx, id, outcome);
        self.store.write(tenant, Actor::System, work).await.map(drop)
    }

    /// Whether the address received enough e-mails of the kind in the last hour, from all tenants: creating tenants
    /// with a foreign address must not flood it.
    fn too_many(&self, snapshot: &Snapshot, tenant: TenantId, id: Id<Email>) -> Result<bool> {
        let Some(email) = snapshot.tenant(tenant, None).find::<Email>(id)? else { return Ok(false) };
        let since = self.store.clock().now().plus_millis(-HOUR);
        let mut sent = 0;
        for (tenant, other) in snapshot.global::<Email>(GLOBAL_TO, address(email.kind.word(), &email.to))? {
            let other = snapshot.tenant(tenant, None).find_intact(other)?;
            let counts =
                |other: &Stored<Email>| matches!(other.state, State::Sent | State::Kept) && other.updated_at > since;
            sent += usize::from(other.is_some_and(|other| counts(&other)));
        }
        Ok(sent >= PER_HOUR)
    }

    /// Records the attempt and creates its token. `None` if there is nothing to send.
    fn prepare(&self, tx: &TenantWrite<'_>, id: Id<Email>, too_many: bool) -> Result<Option<Ready>> {
        let now = tx.now();
        let Some(email) = tx.find::<Email>(id)?.filter(|email| email.due <= now) else { return Ok(None) };
        if email.state != State::Waiting {
            self.way().transport.forget(&id.to_string());
            tx.remove::<Email>(id, None)?;
            return Ok(None);
        }
        let dropped = |why: &'static str| {
            tracing::info!(email = %id, kind = email.kind.word(), why, "mail: an email was dropped");
            close(tx, id, State::Dropped, Some(why.to_owned())).map(|()| None)
        };
        if email.member.is_some_and(|member| !self.office.is_member(tx, member).unwrap_or(true)) {
            return dropped("the member is gone");
        }
        if too_many {
            return dropped("the address got too many of them");
        }
        let token = match email.link {
            None => None,
            Some(link) => match self.office.token(tx, link)? {
                None => return dropped("the link is over"),
                token => token,
            },
        };
        let email = tx.update::<Email>(id, None, |email| {
            email.attempts += 1;
            email.due = now.plus_millis(wait(email.attempts));
            Ok(())
        })?;
        Ok(Some(Ready { tenant: tx.tenant(), head: self.office.branding(tx)?, email, token }))
    }

    async fn attempt(&self, ready: &Ready) -> Outcome {
        let Ready { tenant, email, head, token } = ready;
        let name = email.id.to_string();
        let way = self.way();
        let written = self.base().and_then(|base| {
            let rendered = render(email, email.created_at, head, &base, token.as_deref());
            Ok((way.message(email, email.created_at, head, &rendered, &name)?, rendered.link))
        });
        match written {
            Ok((message, link)) => match way.transport.send(message, &name, &link).await {
                Ok(Taken::Sent) => Outcome::Sent,
                Ok(Taken::Kept) => Outcome::Kept,
                Err(trouble) => {
                    let reason = text::line(&trouble.to_string()).chars().take(LONGEST_REASON).collect();
                    if trouble.is_final() { Outcome::Never(reason) } else { Outcome::Later(reason) }
                }
            },
            Err(error) => {
                tracing::error!(%tenant, detail = ?error, "mail: composing failed");
                Outcome::Never(error.detail().unwrap_or_default().to_owned())
            }
        }
    }

    /// Records the result of an attempt.
    fn conclude(&self, tx: &TenantWrite<'_>, id: Id<Email>, outcome: Outcome) -> Result<()> {
        // The tenant may have been erased in between.
        let Some(email) = tx.find::<Email>(id)? else { return Ok(()) };
        let over = tx.now().millis() - email.created_at.millis() >= PATIENCE;
        match outcome {
            Outcome::Sent => close(tx, id, State::Sent, None),
            Outcome::Kept => close(tx, id, State::Kept, None),
            Outcome::Later(why) if !over => tx
                .update::<Email>(id, None, |email| {
                    email.error = Some(why);
                    Ok(())
                })
                .map(drop),
            Outcome::Later(why) | Outcome::Never(why) => {
                close(tx, id, State::Failed, Some(why))?;
                self.office.on_permanent_failure(tx, &email)
            }
        }
    }
}

impl Way {
    /// Builds the message. User input can only become a header's content: the library encodes it, and line breaks were
    /// removed before.
    pub(super) fn message(
        &self,
        email: &Email,
        at: Timestamp,
        head: &Branding,
        rendered: &Rendered,
        name: &str,
    ) -> Result<Message> {
        let failed = |error: &dyn std::fmt::Display| Error::internal(format_args!("a letter: {error}"));
        let to: Address = email.to.parse().map_err(|error| failed(&error))?;
        let millis = u64::try_from(at.millis()).unwrap_or_default();
        let named = |name: &str| Some(text::line(name)).filter(|name| !name.is_empty());
        let mut message = Message::builder()
            .message_id(Some(format!("<{name}@{}>", self.from.domain())))
            .date(SystemTime::UNIX_EPOCH + Duration::from_millis(millis))
            .from(Mailbox::new(named(&head.name), self.from.clone()))
            .to(Mailbox::new(named(&email.name), to))
            .subject(text::line(&rendered.subject))
            // Suppresses automatic replies (RFC 3834), also those of Exchange.
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

/// Returns the milliseconds from an attempt to the next: 1, 2, 4 ... minutes, and 12 hours at most.
fn wait(attempts: u32) -> i64 {
    FIRST_WAIT.saturating_mul(1_i64.checked_shl(attempts.saturating_sub(1).min(32)).unwrap_or(1)).min(LONGEST_WAIT)
}

fn close(tx: &TenantWrite<'_>, id: Id<Email>, state: State, error: Option<String>) -> Result<()> {
    let remembered = if matches!(state, State::Kept | State::Failed) { SHOWN } else { REMEMBERED };
    tx.update::<Email>(id, None, |email| {
        (email.state, email.error) = (state, error);
        email.due = tx.now().plus_millis(remembered);
        Ok(())
    })
    .map(drop)
}
