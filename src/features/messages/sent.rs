//! Messages from person to person: the sender keeps what was sent, and who of those it went to has read it.

use serde::{Deserialize, Serialize};

use super::{Message, Messages};
use crate::{
    access::members::{MemberRecord, MemberState},
    features::notices::{Author, Notice, rules},
    kernel::{
        Code, Error, Id, MemberId, Result, Timestamp,
        error::Faults,
        html::escape_text,
        text::{line, lines},
    },
    store::{Counters, Lookups, PersonalRead, PersonalRecord, PersonalWrite, Record, Scan, Stored, TenantWrite},
};

/// Receipts of a message that was sent.
const BY_SENT: u16 = 1_232;
/// People who can be named in one message.
const RECEIVERS: usize = 200;
/// Sent messages that somebody keeps; a further one drives out the oldest.
const KEPT: u64 = 500;
/// The figure of what somebody sent.
pub const COUNT: &str = "messages/sent";
/// Characters of a title and of a text.
const TITLE: usize = 200;
const TEXT: usize = 5_000;

/// What somebody sent. Lies in the sender's own data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sent {
    /// What it is about: plain text.
    pub title: String,
    /// Plain text.
    pub text: String,
    /// Whether it went to all.
    #[serde(default)]
    pub everyone: bool,
    /// To how many it went.
    pub receivers: u32,
    /// How many of them have read it.
    #[serde(default)]
    pub read: u32,
}

impl Record for Sent {
    const KIND: &'static str = "sent_message";
    const TABLE: u16 = 49;
    fn counters(_: &Stored<Self>, out: &mut Counters) {
        out.add_own(COUNT, 1);
    }
}
impl PersonalRecord for Sent {}

/// One whom a message went to. Lies in the sender's own data under the id of the receiver's message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Receipt {
    /// What was sent.
    pub sent: Id<Sent>,
    /// To whom.
    pub member: MemberId,
    /// Their name then.
    pub name: String,
    /// Since when it is read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_at: Option<Timestamp>,
}

impl Record for Receipt {
    const KIND: &'static str = "receipt";
    const TABLE: u16 = 50;
    /// The message it belongs to changes with it.
    const LEDGER: bool = false;
    fn lookups(record: &Stored<Self>, out: &mut Lookups) {
        out.multi(BY_SENT, record.sent.as_bytes());
    }
}
impl PersonalRecord for Receipt {}

/// To whom something is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Receivers {
    /// These.
    Members(Vec<MemberId>),
    /// All active members but the sender.
    Everyone,
}

/// What is to be sent.
#[derive(Clone, Debug)]
pub struct Draft {
    /// To whom.
    pub to: Receivers,
    /// What it is about.
    pub title: String,
    /// The text.
    pub text: String,
}

/// Sends a message: each receiver gets their own, with the sender's name and picture and a way to answer.
///
/// # Errors
/// `invalid` with the faulty fields: nobody named, more than 200, one who is no active member.
pub fn send(tx: &TenantWrite<'_>, draft: &Draft) -> Result<Stored<Sent>> {
    let own = tx.own()?;
    let me = tx.get::<MemberRecord>(own.person().cast())?;
    let (title, text) = (line(&draft.title), lines(&draft.text));
    let mut faults = Faults::default();
    faults.required("title", &title, TITLE);
    faults.required("text", &text, TEXT);
    faults.into_result()?;
    let people = receivers(tx, &me, &draft.to)?;
    let sent = Sent {
        title,
        text,
        everyone: draft.to == Receivers::Everyone,
        receivers: u32::try_from(people.len()).unwrap_or(u32::MAX),
        read: 0,
    };
    let sent = own.create(sent)?;
    let message = Message {
        // Who has no picture of their own is shown by an icon.
        icon: Some("mail".to_owned()),
        image: me.avatar.clone(),
        title: Some(escape_text(&me.name)),
        description: Some(format!("<strong>{}</strong><br>{}", escape_text(&sent.title), html(&sent.text))),
        link: Some(format!("/messages?to={}", me.id)),
        use_router: true,
        from: Some(Author { member_id: me.id.cast(), name: me.name.clone() }),
        ..Notice::new(tx.now())
    };
    for person in people {
        let kept = rules::deliver(tx, person.id.cast(), message.clone())?;
        let receipt = Receipt { sent: sent.id, member: person.id.cast(), name: person.value.name, read_at: None };
        own.create_at(kept.id.cast(), receipt)?;
    }
    forget_oldest(&own)?;
    Ok(sent)
}

/// Plain text with its lines, as HTML.
fn html(text: &str) -> String {
    text.lines().map(escape_text).collect::<Vec<_>>().join("<br>")
}

fn receivers(tx: &TenantWrite<'_>, me: &Stored<MemberRecord>, to: &Receivers) -> Result<Vec<Stored<MemberRecord>>> {
    let mut people = Vec::new();
    match to {
        Receivers::Everyone => tx
            .each::<MemberRecord>(|member| {
                if member.state == MemberState::Active && member.id != me.id {
                    people.push(member);
                }
                Ok(())
            })
            .map(drop)?,
        Receivers::Members(named) => {
            if named.len() > RECEIVERS {
                let gaps = vec![("max", RECEIVERS.to_string())];
                return Err(Error::new(Code::Invalid).and_field("to", "errors.fields.too_many", gaps));
            }
            let mut seen = std::collections::HashSet::new();
            for (place, id) in named.iter().enumerate() {
                let person = tx
                    .find::<MemberRecord>(id.cast())?
                    .filter(|member| member.state == MemberState::Active && member.id != me.id);
                let person =
                    person.ok_or_else(|| Error::field(format!("to.{place}"), "errors.fields.unknown_reference"))?;
                if seen.insert(*id) {
                    people.push(person);
                }
            }
        }
    }
    if people.is_empty() { Err(Error::field("to", "errors.fields.required")) } else { Ok(people) }
}

/// Drives out what was sent longest ago.
fn forget_oldest(own: &PersonalWrite<'_, '_>) -> Result<()> {
    if own.read().counter(COUNT)? <= i64::try_from(KEPT).unwrap_or(i64::MAX) {
        return Ok(());
    }
    for oldest in own.read().page::<Sent>(&Scan::all().limit(1), |_| true)?.items {
        for receipt in receipts(&own.read(), oldest.id, usize::MAX)? {
            own.remove(receipt.id)?;
        }
        own.remove(oldest.id)?;
    }
    Ok(())
}

/// To whom something was sent, in the order in which it was, at most `limit`.
///
/// # Errors
/// `busy` or `internal` when they cannot be read.
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

/// Lets the sender of a message know whether its receiver has read it.
///
/// # Errors
/// `busy` or `internal` when it cannot be kept.
pub fn note_read(own: &PersonalWrite<'_, '_>, message: &Stored<Notice<Messages>>, now: Timestamp) -> Result<()> {
    let Some(author) = &message.from else { return Ok(()) };
    // Who has left keeps nothing, and what was sent long ago is forgotten.
    let sender = own.colleague(author.member_id);
    let Some(kept) = sender.read().find::<Receipt>(message.id.cast())? else { return Ok(()) };
    if kept.read_at.is_some() == message.read {
        return Ok(());
    }
    sender.update(kept.id, |receipt: &mut Receipt| {
        receipt.read_at = message.read.then_some(now);
        Ok(())
    })?;
    sender.update(kept.sent, |sent: &mut Sent| {
        sent.read = if message.read { sent.read.saturating_add(1) } else { sent.read.saturating_sub(1) };
        Ok(())
    })?;
    Ok(())
}
