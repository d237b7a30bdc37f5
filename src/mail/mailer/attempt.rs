//! Delivery attempts: finding due e-mails, sending one, and recording the result.

use std::{
    sync::Arc,
    time::{Duration, SystemTime},
};

use lettre::{
    Address, Message,
    message::{Mailbox, MessageBuilder, MultiPart, SinglePart, header},
};
use url::Url;

use super::{Inner, SendingConfig, listen_url};
use crate::{
    kernel::{Error, Id, Result, TenantId, Timestamp, text},
    mail::{
        branding::Branding,
        email::{BY_DUE, Email, GLOBAL_BY_RECIPIENT, HOUR_MILLIS, MAX_PER_HOUR, State, recipient_key},
        render::{Rendered, render},
        transport::Delivered,
    },
    store::{Actor, Snapshot, Stored, TenantWrite},
};

/// Milliseconds until the second attempt; each further wait is twice as long, up to [`MAX_WAIT_MILLIS`].
const FIRST_WAIT_MILLIS: i64 = 60_000;
const MAX_WAIT_MILLIS: i64 = 12 * HOUR_MILLIS;
/// How long delivery is attempted.
const MAX_DELIVERY_MILLIS: i64 = 72 * HOUR_MILLIS;
/// How long the result of a delivery is kept.
const RESULT_KEPT_MILLIS: i64 = 24 * HOUR_MILLIS;
/// The same if the operator or an admin still has to act on it.
const FAILURE_KEPT_MILLIS: i64 = 30 * 24 * HOUR_MILLIS;
/// Number of e-mails read at a time.
const EMAILS_PER_READ: usize = 64;

/// Longest recorded reason, in characters.
const MAX_REASON_CHARS: usize = 300;

/// The result of an attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Outcome {
    /// A server accepted the e-mail.
    Sent,
    /// The e-mail is stored in the folder.
    Kept,
    /// A temporary failure and its reason.
    TemporaryFailure(String),
    /// A permanent failure and its reason.
    PermanentFailure(String),
}

/// An e-mail that is about to be sent.
struct PreparedEmail {
    tenant: TenantId,
    email: Stored<Email>,
    branding: Branding,
    token: Option<String>,
}

impl Inner {
    pub(super) fn sending_config(&self) -> Arc<SendingConfig> {
        self.sending_config.read().clone()
    }

    pub(super) fn base(&self) -> Result<Url> {
        match (&self.config.public_url, &*self.reachable.borrow()) {
            (Some(public), _) => Ok(public.clone()),
            (None, Some(reachable)) => Ok(reachable.clone()),
            (None, None) => listen_url(&self.config),
        }
    }

    /// Returns some of the due e-mails, and the time when the next one is due, if that is later.
    #[expect(clippy::type_complexity, reason = "a pair of what to do and when to look again")]
    pub(super) fn find_due(&self, now: Timestamp) -> Result<(Vec<(TenantId, Id<Email>)>, Option<Timestamp>)> {
        let snapshot = self.store.snapshot()?;
        let mut due = Vec::new();
        for (tenant, id) in snapshot.global_first::<Email>(BY_DUE, EMAILS_PER_READ)? {
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
    pub(super) async fn process(self: Arc<Self>, tenant: TenantId, id: Id<Email>) -> Result<()> {
        let over_limit = self.is_over_limit(&self.store.snapshot()?, tenant, id)?;
        let inner = self.clone();
        let work = move |tx: &TenantWrite<'_>| inner.prepare(tx, id, over_limit);
        let (prepared, _) = self.store.write(tenant, Actor::System, work).await?;
        let Some(prepared) = prepared else {
            return Ok(());
        };
        let outcome = self.attempt(&prepared).await;
        match &outcome {
            Outcome::Sent | Outcome::Kept => {}
            Outcome::TemporaryFailure(why) => tracing::warn!(email = %id, why, "mail: delivery failed, retrying"),
            Outcome::PermanentFailure(why) => tracing::warn!(email = %id, why, "mail: delivery failed permanently"),
        }
        self.count(&outcome);
        let inner = self.clone();
        let work = move |tx: &TenantWrite<'_>| inner.record_outcome(tx, id, outcome);
        self.store.write(tenant, Actor::System, work).await.map(drop)
    }

    /// Counts the result of an attempt.
    fn count(&self, outcome: &Outcome) {
        let now = self.store.clock().now();
        let mut results = self.results.lock();
        match outcome {
            Outcome::Sent => results.sent += 1,
            Outcome::Kept => results.stored += 1,
            Outcome::TemporaryFailure(_) => results.retried += 1,
            Outcome::PermanentFailure(_) => results.failed += 1,
        }
        match outcome {
            Outcome::Sent | Outcome::Kept => results.last_success = Some(now),
            Outcome::TemporaryFailure(why) | Outcome::PermanentFailure(why) => {
                results.last_failure = Some((now, why.clone()));
            }
        }
    }

    /// Whether the address received enough e-mails of the kind in the last hour, from all tenants: creating tenants
    /// with a foreign address must not flood it.
    fn is_over_limit(&self, snapshot: &Snapshot, tenant: TenantId, id: Id<Email>) -> Result<bool> {
        let Some(email) = snapshot.tenant(tenant, None).find::<Email>(id)? else { return Ok(false) };
        let since = self.store.clock().now().plus_millis(-HOUR_MILLIS);
        let mut sent = 0;
        for (tenant, other) in
            snapshot.global::<Email>(GLOBAL_BY_RECIPIENT, recipient_key(email.kind.word(), &email.to))?
        {
            let other = snapshot.tenant(tenant, None).find_intact(other)?;
            let counts =
                |other: &Stored<Email>| matches!(other.state, State::Sent | State::Kept) && other.updated_at > since;
            sent += usize::from(other.is_some_and(|other| counts(&other)));
        }
        Ok(sent >= MAX_PER_HOUR)
    }

    /// Records the attempt and creates its token. `None` if there is nothing to send.
    fn prepare(&self, tx: &TenantWrite<'_>, id: Id<Email>, over_limit: bool) -> Result<Option<PreparedEmail>> {
        let now = tx.now();
        let Some(email) = tx.find::<Email>(id)?.filter(|email| email.due <= now) else { return Ok(None) };
        if email.state != State::Waiting {
            self.sending_config().transport.remove_file(&id.to_string());
            tx.remove::<Email>(id, None)?;
            return Ok(None);
        }
        let dropped = |why: &'static str| {
            tracing::info!(email = %id, kind = email.kind.word(), why, "mail: an email was dropped");
            finish(tx, id, State::Dropped, Some(why.to_owned())).map(|()| None)
        };
        if email.member.is_some_and(|member| !self.context.is_member(tx, member).unwrap_or(true)) {
            return dropped("the member is gone");
        }
        if over_limit {
            return dropped("the address got too many of them");
        }
        let token = match email.link {
            None => None,
            Some(link) => match self.context.token(tx, link)? {
                None => return dropped("the link is over"),
                token => token,
            },
        };
        let email = tx.update::<Email>(id, None, |email| {
            email.attempts += 1;
            email.due = now.plus_millis(retry_delay_millis(email.attempts));
            Ok(())
        })?;
        Ok(Some(PreparedEmail {
            tenant: tx.tenant(),
            branding: self.context.branding(tx, email.member)?,
            email,
            token,
        }))
    }

    async fn attempt(&self, prepared: &PreparedEmail) -> Outcome {
        let PreparedEmail { tenant, email, branding, token } = prepared;
        let name = email.id.to_string();
        let sending = self.sending_config();
        let written = self.base().and_then(|base| {
            let rendered = render(email, email.created_at, branding, &base, token.as_deref());
            Ok((sending.build_message(email, email.created_at, branding, &rendered, &name)?, rendered.link))
        });
        match written {
            Ok((message, link)) => match sending.transport.send(message, &name, &link).await {
                Ok(Delivered::Sent) => Outcome::Sent,
                Ok(Delivered::Kept) => Outcome::Kept,
                Err(error) => {
                    let reason = text::line(&error.to_string()).chars().take(MAX_REASON_CHARS).collect();
                    if error.is_final() { Outcome::PermanentFailure(reason) } else { Outcome::TemporaryFailure(reason) }
                }
            },
            Err(error) => {
                tracing::error!(%tenant, detail = ?error, "mail: composing failed");
                Outcome::PermanentFailure(error.detail().unwrap_or_default().to_owned())
            }
        }
    }

    /// Records the result of an attempt.
    fn record_outcome(&self, tx: &TenantWrite<'_>, id: Id<Email>, outcome: Outcome) -> Result<()> {
        // The tenant may have been erased in between.
        let Some(email) = tx.find::<Email>(id)? else { return Ok(()) };
        let is_over = tx.now().millis() - email.created_at.millis() >= MAX_DELIVERY_MILLIS;
        match outcome {
            Outcome::Sent => finish(tx, id, State::Sent, None),
            Outcome::Kept => finish(tx, id, State::Kept, None),
            Outcome::TemporaryFailure(why) if !is_over => tx
                .update::<Email>(id, None, |email| {
                    email.error = Some(why);
                    Ok(())
                })
                .map(drop),
            Outcome::TemporaryFailure(why) | Outcome::PermanentFailure(why) => {
                finish(tx, id, State::Failed, Some(why))?;
                self.context.on_permanent_failure(tx, &email)
            }
        }
    }
}

impl SendingConfig {
    /// Builds the message. User input can only become a header's content: the library encodes it, and line breaks were
    /// removed before.
    pub(super) fn build_message(
        &self,
        email: &Email,
        at: Timestamp,
        branding: &Branding,
        rendered: &Rendered,
        name: &str,
    ) -> Result<Message> {
        let to = Mailbox::new(name_of(&email.name), address(&email.to)?);
        let mut message = self.head(to, at, &branding.name, &rendered.subject, name)?;
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

    /// Builds a message of plain text to the operator.
    pub(super) fn build_plain(
        &self,
        to: &str,
        at: Timestamp,
        sender: &str,
        subject: &str,
        body: &str,
        name: &str,
    ) -> Result<Message> {
        let message = self.head(Mailbox::new(None, address(to)?), at, sender, subject, name)?;
        let message = message.header(header::ContentType::TEXT_PLAIN);
        message.body(body.to_owned()).map_err(|error| failed(&error))
    }

    /// Begins a message with the headers that all have.
    fn head(&self, to: Mailbox, at: Timestamp, sender: &str, subject: &str, name: &str) -> Result<MessageBuilder> {
        let millis = u64::try_from(at.millis()).unwrap_or_default();
        Ok(Message::builder()
            .message_id(Some(format!("<{name}@{}>", self.from.domain())))
            .date(SystemTime::UNIX_EPOCH + Duration::from_millis(millis))
            .from(Mailbox::new(name_of(sender), self.from.clone()))
            .to(to)
            .subject(text::line(subject))
            // Suppresses automatic replies (RFC 3834), also those of Exchange.
            .raw_header(raw_header("Auto-Submitted", "auto-generated")?)
            .raw_header(raw_header("X-Auto-Response-Suppress", "All")?))
    }
}

fn failed(error: &dyn std::fmt::Display) -> Error {
    Error::internal(format_args!("an e-mail: {error}"))
}

fn address(written: &str) -> Result<Address> {
    written.parse().map_err(|error| failed(&error))
}

fn name_of(person: &str) -> Option<String> {
    Some(text::line(person)).filter(|name| !name.is_empty())
}

fn raw_header(name: &str, value: &str) -> Result<header::HeaderValue> {
    let name = header::HeaderName::new_from_ascii(name.to_owned()).map_err(Error::internal)?;
    Ok(header::HeaderValue::new(name, value.to_owned()))
}

/// Returns the milliseconds from an attempt to the next: 1, 2, 4 ... minutes, and 12 hours at most.
fn retry_delay_millis(attempts: u32) -> i64 {
    FIRST_WAIT_MILLIS
        .saturating_mul(1_i64.checked_shl(attempts.saturating_sub(1).min(32)).unwrap_or(1))
        .min(MAX_WAIT_MILLIS)
}

fn finish(tx: &TenantWrite<'_>, id: Id<Email>, state: State, error: Option<String>) -> Result<()> {
    let kept_millis =
        if matches!(state, State::Kept | State::Failed) { FAILURE_KEPT_MILLIS } else { RESULT_KEPT_MILLIS };
    tx.update::<Email>(id, None, |email| {
        (email.state, email.error) = (state, error);
        email.due = tx.now().plus_millis(kept_millis);
        Ok(())
    })
    .map(drop)
}
