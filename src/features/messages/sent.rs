//! Sent messages between members: the sender keeps each message with a read receipt for every recipient.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use super::{Message, Messages};
use crate::{
    features::notices::{Author, Broadcast, Copy, Notice, broadcast, rules},
    kernel::{
        Code, Error, Id, MemberId, Result, Timestamp,
        error::Faults,
        html::escape_text,
        text::{line, lines},
    },
    people::members::{MemberRecord, MemberState},
    store::{Counters, Lookups, PersonalRead, PersonalRecord, PersonalWrite, Record, Scan, Stored, TenantWrite},
};

/// Index of receipts by sent message.
const BY_SENT: u16 = 1_232;
/// Maximum recipients named in one message.
const MAX_RECIPIENTS: usize = 200;
/// Maximum sent messages that a member keeps; a new one displaces the oldest.
const MAX_SENT: u64 = 500;
/// Counter of a member's sent messages.
pub const SENT_COUNTER: &str = "messages/sent";
/// Maximum characters of a title and of a text.
const MAX_TITLE_CHARS: usize = 200;
const MAX_TEXT_CHARS: usize = 5_000;

/// A sent message. Stored in the sender's personal data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sent {
    /// Subject, as plain text.
    pub title: String,
    /// Body, as plain text.
    pub text: String,
    /// Whether it was sent to all active members.
    #[serde(default)]
    pub everyone: bool,
    /// Number of recipients.
    pub receivers: u32,
    /// Number of recipients who have read it.
    #[serde(default)]
    pub read: u32,
}

impl Record for Sent {
    type Key = Self;
    const KIND: &'static str = "sent_message";
    const TABLE: u16 = 49;
    fn counters(_: &Stored<Self>, out: &mut Counters) {
        out.add_own(SENT_COUNTER, 1);
    }
}
impl PersonalRecord for Sent {}

/// Receipt of one recipient. Stored in the sender's personal data under the id of the recipient's message.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Receipt {
    /// The sent message.
    pub sent: Id<Sent>,
    /// The recipient.
    pub member: MemberId,
    /// The recipient's name at that time.
    pub name: String,
    /// When the recipient read it.
    pub read_at: Option<Timestamp>,
}

impl Record for Receipt {
    type Key = Message;
    const KIND: &'static str = "receipt";
    const TABLE: u16 = 50;
    /// No ledger entry: the sent message changes in the same write.
    const LEDGER: bool = false;
    fn lookups(record: &Stored<Self>, out: &mut Lookups) {
        out.multi(BY_SENT, record.sent.as_bytes());
    }
}
impl PersonalRecord for Receipt {}

/// Recipients of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Recipients {
    /// The named members.
    Members(Vec<MemberId>),
    /// All active members but the sender.
    Everyone,
}

/// A message to send.
#[derive(Clone, Debug)]
pub struct Draft {
    /// Recipients.
    pub to: Recipients,
    /// Subject.
    pub title: String,
    /// Body.
    pub text: String,
}

/// Sends a message: each recipient gets a copy with the sender's name and picture and a link to reply; of everyone in a
/// larger company, most in the background.
/// Errors: `invalid` with the invalid fields, also for no recipients, more than 200, or a recipient who is not active;
/// `busy` while many others are on their way to everyone; those of [`rules::limit_rate`].
pub fn send(tx: &TenantWrite<'_>, draft: &Draft) -> Result<Stored<Sent>> {
    let own = tx.own_data()?;
    let me = tx.get::<MemberRecord>(own.person())?;
    let title = line(&draft.title);
    let text = lines(&draft.text);
    let mut faults = Faults::default();
    faults.required("title", &title, MAX_TITLE_CHARS);
    faults.required("text", &text, MAX_TEXT_CHARS);
    faults.into_result()?;
    let message = Message {
        // Shown when the sender has no picture.
        icon: Some("mail".to_owned()),
        image: me.avatar.clone(),
        title: Some(escape_text(&me.name)),
        description: Some(format!("<strong>{}</strong><br>{}", escape_text(&title), to_html(&text))),
        link: Some(format!("/messages?to={}", me.id)),
        use_router: true,
        from: Some(Author { member_id: me.id, name: me.name.clone() }),
        ..Notice::new(tx.now())
    };
    let mut broadcast = Broadcast::new(message.clone());
    let people = match &draft.to {
        Recipients::Members(named) => {
            let people = named_members(tx, &me, named)?;
            people.iter().try_for_each(|person| rules::limit_rate::<Messages>(tx, Some(person.id)))?;
            people
        }
        Recipients::Everyone => {
            rules::limit_rate::<Messages>(tx, None)?;
            broadcast.next_members(tx, tx.now())?
        }
    };
    if people.is_empty() && broadcast.is_delivered() {
        return Err(Error::field("to", "errors.fields.required"));
    }
    let everyone = draft.to == Recipients::Everyone;
    let receivers = u32::try_from(people.len()).unwrap_or(u32::MAX);
    let sent = own.create(Sent { title, text, everyone, receivers, read: 0 })?;
    let mut copies = Vec::new();
    for person in people {
        copies.push((rules::deliver(tx, person.id, message.clone())?.id, person));
    }
    write_receipts(&own, sent.id, copies)?;
    broadcast::begin(tx, broadcast.sent_as(sent.id.uuid()))?;
    Ok(sent)
}

/// Adds the receipts of members who got a message in the background.
pub fn add_receipts(own: &PersonalWrite<'_, '_>, sent: Id<Sent>, copies: Vec<Copy<Messages>>) -> Result<()> {
    // The sender has left, or the sent message was displaced.
    if own.read().find::<Sent>(sent)?.is_none() {
        return Ok(());
    }
    let further = u32::try_from(copies.len()).unwrap_or(u32::MAX);
    write_receipts(own, sent, copies)?;
    let add = |sent: &mut Sent| {
        sent.receivers = sent.receivers.saturating_add(further);
        Ok(())
    };
    own.update(sent, add).map(drop)
}

/// Writes receipts, and removes older ones if the sender keeps too many.
fn write_receipts(own: &PersonalWrite<'_, '_>, sent: Id<Sent>, copies: Vec<Copy<Messages>>) -> Result<()> {
    for (copy, Stored { id: member, value: MemberRecord { name, .. }, .. }) in copies {
        own.create_at(copy, Receipt { sent, member, name, read_at: None })?;
    }
    remove_oldest(own)
}

/// Converts plain text with line breaks to HTML.
fn to_html(text: &str) -> String {
    text.lines().map(escape_text).collect::<Vec<_>>().join("<br>")
}

/// Returns the named members, each once.
fn named_members(
    tx: &TenantWrite<'_>,
    me: &Stored<MemberRecord>,
    named: &[MemberId],
) -> Result<Vec<Stored<MemberRecord>>> {
    if named.len() > MAX_RECIPIENTS {
        let params = vec![("max", MAX_RECIPIENTS.to_string())];
        return Err(Error::new(Code::Invalid).and_field("to", "errors.fields.too_many", params));
    }
    let mut people = Vec::new();
    let mut seen = HashSet::new();
    for (position, id) in named.iter().enumerate() {
        let person =
            tx.find::<MemberRecord>(*id)?.filter(|member| member.state == MemberState::Active && member.id != me.id);
        let person = person.ok_or_else(|| Error::field(format!("to.{position}"), "errors.fields.unknown_reference"))?;
        if seen.insert(*id) {
            people.push(person);
        }
    }
    Ok(people)
}

/// Removes receipts of the oldest sent message, and the message after the last of them, when there are too many. A message
/// to a whole company has more of them than one write removes: each write removes more than it adds.
fn remove_oldest(own: &PersonalWrite<'_, '_>) -> Result<()> {
    if own.read().counter(SENT_COUNTER)? <= i64::try_from(MAX_SENT).unwrap_or(i64::MAX) {
        return Ok(());
    }
    for oldest in own.read().page::<Sent>(&Scan::all().limit(1), |_| true)?.items {
        let receipts = receipts(&own.read(), oldest.id, MAX_RECIPIENTS + 1)?;
        let is_last = receipts.len() <= MAX_RECIPIENTS;
        for receipt in receipts.into_iter().take(MAX_RECIPIENTS) {
            own.remove::<Receipt>(receipt.id)?;
        }
        if is_last {
            own.remove::<Sent>(oldest.id)?;
        }
    }
    Ok(())
}

/// Returns up to `limit` receipts of a sent message, in the order of sending.
pub fn receipts(own: &PersonalRead<'_>, sent: Id<Sent>, limit: usize) -> Result<Vec<Stored<Receipt>>> {
    let mut found = Vec::new();
    let mut after = None;
    while found.len() < limit {
        let scan = Scan::with(BY_SENT, sent.as_bytes()).limit(limit.min(500)).after(after);
        let page = own.page::<Receipt>(&scan, |_| true)?;
        found.extend(page.items);
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    found.truncate(limit);
    Ok(found)
}

/// Updates the sender's receipt when the recipient marks a message as read or unread.
pub fn update_receipt(own: &PersonalWrite<'_, '_>, message: &Stored<Notice<Messages>>, now: Timestamp) -> Result<()> {
    let Some(author) = &message.from else { return Ok(()) };
    // The receipt does not exist if the sender has left or the sent message was displaced.
    let sender = own.colleague(author.member_id);
    let Some(receipt) = sender.read().find::<Receipt>(message.id)? else { return Ok(()) };
    if receipt.read_at.is_some() == message.read {
        return Ok(());
    }
    sender.update(receipt.id, |receipt: &mut Receipt| {
        receipt.read_at = message.read.then_some(now);
        Ok(())
    })?;
    sender.update(receipt.sent, |sent: &mut Sent| {
        sent.read = if message.read { sent.read.saturating_add(1) } else { sent.read.saturating_sub(1) };
        Ok(())
    })?;
    Ok(())
}
