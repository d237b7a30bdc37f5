//! Notices for every member: a few members get theirs in the write that sends it, the others in steps in the background,
//! because all companies wait for a write (F-S2).

use std::fmt::Debug;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{
    model::{Kind, Notice},
    rules::deliver,
};
use crate::{
    access::Member,
    kernel::{Code, Error, Id, Result, Timestamp},
    people::{
        members::{MemberRecord, MemberState},
        permission::Right,
    },
    store::{Record, Scan, Stored, TenantRead, TenantRecord, TenantWrite},
};

/// Members whom one write looks at.
const AT_ONCE: usize = 50;
/// Notices of a company that may be on their way at the same time.
const MAX_WAITING: u64 = 20;
/// Seconds after which a further one may be sent.
const RETRY_SECONDS: u32 = 1;

/// A notice that members still have to get.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Broadcast<K: Kind> {
    notice: Notice<K>,
    /// The place of the last member who has been looked at.
    after: Option<Vec<u8>>,
    /// The sent message that it is a copy of.
    sent: Option<Uuid>,
}

impl<K: Kind> Record for Broadcast<K> {
    type Key = Self;
    const KIND: &'static str = K::BROADCAST;
    const TABLE: u16 = K::BROADCASTS;
    fn admit(&mut self) -> bool {
        self.notice.admit()
    }
}
impl<K: Kind> TenantRecord for Broadcast<K> {}

impl<K: Kind> Broadcast<K> {
    /// Describes a notice that no member has yet.
    pub const fn new(notice: Notice<K>) -> Self {
        Self { notice, after: None, sent: None }
    }

    /// The sent message that it is a copy of.
    #[must_use]
    pub const fn sent_as(mut self, sent: Uuid) -> Self {
        self.sent = Some(sent);
        self
    }

    /// Whether all members have been looked at, or none yet.
    pub const fn is_delivered(&self) -> bool {
        self.after.is_none()
    }

    /// Returns the next active members besides the sender who belonged to the company when it was sent. There are no
    /// further ones when `after` is empty then.
    pub fn next_members(&mut self, tx: &TenantRead<'_>, sent_at: Timestamp) -> Result<Vec<Stored<MemberRecord>>> {
        let scan = Scan::all().limit(AT_ONCE).after(self.after.take());
        let page = tx.page::<MemberRecord>(&scan, |_| true)?;
        self.after = page.next;
        let sender = self.notice.from.as_ref().map(|author| author.member_id);
        let gets = |member: &Stored<MemberRecord>| {
            member.state == MemberState::Active && Some(member.id) != sender && member.created_at <= sent_at
        };
        Ok(page.items.into_iter().filter(gets).collect())
    }
}

/// Keeps what has not been delivered yet, for the work in the background.
/// Errors: `busy` while too many notices of the company are on their way.
pub fn begin<K: Kind>(tx: &TenantWrite<'_>, broadcast: Broadcast<K>) -> Result<()> {
    if broadcast.after.is_none() {
        return Ok(());
    }
    if tx.count::<Broadcast<K>>()? >= MAX_WAITING {
        return Err(Error::new(Code::Busy).retry_after(RETRY_SECONDS).with_detail("many notices are on their way"));
    }
    tx.create(broadcast).map(drop)
}

/// Waits until what a member sent to everyone has arrived.
pub async fn wait<K: Kind, R: Right>(sender: &Member<R>) -> Result<()> {
    let is_own = |broadcast: &Stored<Broadcast<K>>| broadcast.created_by == Some(sender.id());
    let look = |tx: &TenantRead<'_>| Ok(tx.page(&Scan::all().limit(1), is_own)?.items.is_empty().then_some(()));
    sender.wait_until(look).await
}

/// Delivers a notice to the next members. Returns whether there are more.
pub fn deliver_next<K: Kind>(tx: &TenantWrite<'_>, id: Id<Broadcast<K>>) -> Result<bool> {
    let Some(Stored { created_at, value: mut broadcast, .. }) = tx.find::<Broadcast<K>>(id)? else { return Ok(false) };
    let mut copies = Vec::new();
    for member in broadcast.next_members(tx, created_at)? {
        let copy = deliver(tx, member.id, broadcast.notice.clone())?;
        copies.push((copy.id, member));
    }
    if let Some(sent) = broadcast.sent {
        K::delivered(tx, sent, copies)?;
    }
    if broadcast.after.is_none() {
        tx.remove::<Broadcast<K>>(id, None)?;
        return Ok(false);
    }
    let note = |stored: &mut Broadcast<K>| {
        *stored = broadcast;
        Ok(())
    };
    tx.update(id, None, note).map(|_| true)
}

/// Gives up a notice that cannot be delivered to the members who are left.
pub fn give_up<K: Kind>(tx: &TenantWrite<'_>, id: Id<Broadcast<K>>) -> Result<()> {
    match tx.find_intact::<Broadcast<K>>(id)? {
        Some(_) => tx.remove::<Broadcast<K>>(id, None).map(drop),
        None => Ok(()),
    }
}
