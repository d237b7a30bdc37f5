//! Ending of sessions: their next requests are refused.

use std::collections::BTreeSet;

use super::{Device, Refresh, Session, Sessions, record};
use crate::{
    access::{hash::Hash, links::Link},
    kernel::{Error, Id, MemberId, Result, TenantId},
    people::{
        audit::{self, Event},
        members::{self, MemberRecord},
    },
    store::{Actor, Scan, Store, Stored, TenantRecord, TenantWrite},
};

/// Sessions, and links, that one write ends at most.
const ENDED_AT_ONCE: usize = 100;

/// Writes an audit entry about a member's sessions.
fn note(tx: &TenantWrite<'_>, word: &'static str, member: MemberId, from: &str) -> Result<()> {
    let whose: Option<Stored<MemberRecord>> = tx.find(member)?;
    whose.map_or(Ok(()), |whose| audit::write(tx, Event::new(word).about_member(&whose).from_address(from)))
}

/// Ends all sessions and all e-mailed links of all tenants, after the store was restored: which of them had ended in
/// between is no longer known.
pub async fn end_everything(store: &Store) -> Result<()> {
    for tenant in members::tenants(&store.snapshot()?)? {
        end_company(store, tenant).await?;
    }
    Ok(())
}

/// Ends all sessions and all e-mailed links of a tenant, some in each write. Returns the members whose sessions ended.
pub async fn end_company(store: &Store, tenant: TenantId) -> Result<BTreeSet<MemberId>> {
    let mut people = BTreeSet::new();
    loop {
        let work = |tx: &TenantWrite<'_>| Ok((remove_some::<Session>(tx)?, remove_some::<Link>(tx)?.len()));
        let ((sessions, links), _) = store.write_even_when_full(tenant, Actor::System, work).await?;
        if sessions.is_empty() && links == 0 {
            return Ok(people);
        }
        people.extend(sessions.into_iter().map(|session| session.value.member));
    }
}

fn remove_some<R: TenantRecord>(tx: &TenantWrite<'_>) -> Result<Vec<Stored<R>>> {
    let some = tx.page::<R>(&Scan::all().limit(ENDED_AT_ONCE), |_| true)?.items;
    some.into_iter().map(|record| tx.remove(record.id, None)).collect()
}

impl Sessions {
    /// Ends one of a member's sessions.
    /// Errors: `not_found` when the member has no such session.
    pub async fn end(&self, tenant: TenantId, member: MemberId, id: Id<Session>, device: Device) -> Result<()> {
        let work = move |tx: &TenantWrite<'_>| {
            if tx.get::<Session>(id)?.member != member {
                return Err(Error::not_found());
            }
            tx.remove::<Session>(id, None)?;
            note(tx, "session.ended", member, &device.address)
        };
        self.store.write_even_when_full(tenant, Actor::Member(member), work).await?;
        self.table_mut().remove(id);
        Ok(())
    }

    /// Signs out: ends the caller's session, if it still exists.
    pub async fn sign_out(&self, tenant: TenantId, member: MemberId, id: Id<Session>, device: Device) -> Result<()> {
        let work = move |tx: &TenantWrite<'_>| {
            if tx.find::<Session>(id)?.is_none_or(|session| session.member != member) {
                return Ok(());
            }
            tx.remove::<Session>(id, None)?;
            note(tx, "auth.signed_out", member, &device.address)
        };
        if let Some(live) = self.table().get(id) {
            live.sign_out();
        }
        self.store.write_even_when_full(tenant, Actor::Member(member), work).await?;
        self.table_mut().remove(id);
        Ok(())
    }

    /// Signs out of the session of a refresh token, if that is the newest or the one before.
    pub async fn end_by(&self, presented: &Refresh, device: Device) -> Result<()> {
        let Some(live) = self.of_token(presented) else { return Ok(()) };
        let Refresh { tenant, session: id, secret } = presented.clone();
        let presented = Hash::of(&secret);
        let member = live.member;
        let work = move |tx: &TenantWrite<'_>| {
            let Some(session) = tx.find::<Session>(id)? else { return Ok(true) };
            let fits =
                [session.current, session.previous].contains(&presented) || session.siblings.contains(&presented);
            if fits {
                tx.remove::<Session>(id, None)?;
                note(tx, "auth.signed_out", member, &device.address)?;
            }
            Ok(fits)
        };
        if self.store.write_even_when_full(tenant, Actor::Member(live.member), work).await?.0 {
            live.sign_out();
            self.table_mut().remove(id);
        }
        Ok(())
    }

    /// Ends all sessions of a member except one, on behalf of `by`. Returns how many there were.
    pub async fn end_others(
        &self,
        tenant: TenantId,
        by: MemberId,
        member: MemberId,
        but: Option<Id<Session>>,
        device: Device,
    ) -> Result<usize> {
        let work = move |tx: &TenantWrite<'_>| {
            let ended = record::end_others(tx, member, but)?;
            if ended > 0 {
                note(tx, "session.ended_all", member, &device.address)?;
            }
            Ok(ended)
        };
        let (ended, _) = self.store.write_even_when_full(tenant, Actor::Member(by), work).await?;
        self.table_mut().remove_all(tenant, member, but);
        Ok(ended)
    }

    /// Ends all sessions and all e-mailed links of a tenant that is closed.
    pub async fn end_of_company(&self, tenant: TenantId) -> Result<()> {
        for member in end_company(&self.store, tenant).await? {
            self.forget_all(tenant, member);
        }
        Ok(())
    }

    /// Removes a member's sessions from memory, after a write ended them.
    pub fn forget_all(&self, tenant: TenantId, member: MemberId) {
        self.forget_others(tenant, member, None);
    }

    /// Removes a member's sessions except one from memory, after a write ended them.
    pub fn forget_others(&self, tenant: TenantId, member: MemberId, but: Option<Id<Session>>) {
        self.table_mut().remove_all(tenant, member, but);
    }
}
