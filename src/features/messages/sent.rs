//! Sent messages between members: the sender keeps each message with a read receipt for every recipient.

use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use super::{Message, Messages};
use crate::{
    features::notices::{Author, Notice, rules},
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

/// Sends a message: each recipient gets a copy with the sender's name and picture and a link to reply.
/// Errors: `invalid` with the invalid fields, also for no recipients, more than 200, or a recipient who is not active.
pub fn send(tx: &TenantWrite<'_>, draft: &Draft) -> Result<Stored<Sent>> {
    let own = tx.own_data()?;
    let me = tx.get::<MemberRecord>(own.person())?;
    let title = line(&draft.title);
    let text = lines(&draft.text);
    let mut faults = Faults::default();
    faults.required("title", &title, MAX_TITLE_CHARS);
    faults.required("text", &text, MAX_TEXT_CHARS);
    faults.into_result()?;
    let people = find_recipients(tx, &me, &draft.to)?;
    let sent = Sent {
        title,
        text,
        everyone: draft.to == Recipients::Everyone,
        receivers: u32::try_from(people.len()).unwrap_or(u32::MAX),
        read: 0,
    };
    let sent = own.create(sent)?;
    let message = Message {
        // Shown when the sender has no picture.
        icon: Some("mail".to_owned()),
        image: me.avatar.clone(),
        title: Some(escape_text(&me.name)),
        description: Some(format!("<strong>{}</strong><br>{}", escape_text(&sent.title), to_html(&sent.text))),
        link: Some(format!("/messages?to={}", me.id)),
        use_router: true,
        from: Some(Author { member_id: me.id, name: me.name.clone() }),
        ..Notice::new(tx.now())
    };
    for person in people {
        let delivered = rules::deliver(tx, person.id, message.clone())?;
        let receipt = Receipt { sent: sent.id, member: person.id, name: person.value.name, read_at: None };
        own.create_at(delivered.id, receipt)?;
    }
    remove_oldest(&own)?;
    Ok(sent)
}

/// Converts plain text with line breaks to HTML.
fn to_html(text: &str) -> String {
    text.lines().map(escape_text).collect::<Vec<_>>().join("<br>")
}

fn find_recipients(
    tx: &TenantWrite<'_>,
    me: &Stored<MemberRecord>,
    to: &Recipients,
) -> Result<Vec<Stored<MemberRecord>>> {
    let mut people = Vec::new();
    match to {
        Recipients::Everyone => tx
            .each::<MemberRecord>(|member| {
                if member.state == MemberState::Active && member.id != me.id {
                    people.push(member);
                }
                Ok(())
            })
            .map(drop)?,
        Recipients::Members(named) => {
            if named.len() > MAX_RECIPIENTS {
                let params = vec![("max", MAX_RECIPIENTS.to_string())];
                return Err(Error::new(Code::Invalid).and_field("to", "errors.fields.too_many", params));
            }
            let mut seen = std::collections::HashSet::new();
            for (position, id) in named.iter().enumerate() {
                let person = tx
                    .find::<MemberRecord>(*id)?
                    .filter(|member| member.state == MemberState::Active && member.id != me.id);
                let person =
                    person.ok_or_else(|| Error::field(format!("to.{position}"), "errors.fields.unknown_reference"))?;
                if seen.insert(*id) {
                    people.push(person);
                }
            }
        }
    }
    if people.is_empty() { Err(Error::field("to", "errors.fields.required")) } else { Ok(people) }
}

/// Removes the oldest sent message and its receipts when there are too many.
fn remove_oldest(own: &PersonalWrite<'_, '_>) -> Result<()> {
    if own.read().counter(SENT_COUNTER)? <= i64::try_from(MAX_SENT).unwrap_or(i64::MAX) {
        return Ok(());
    }
    for oldest in own.read().page::<Sent>(&Scan::all().limit(1), |_| true)?.items {
        for receipt in receipts(&own.read(), oldest.id, usize::MAX)? {
            own.remove::<Receipt>(receipt.id)?;
        }
        own.remove::<Sent>(oldest.id)?;
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
