//! Ending of sessions: their next requests are refused.

use super::{Device, Refresh, Session, Sessions, record};
use crate::{
    access::{hash::Hash, links::Link},
    kernel::{Error, Id, MemberId, Result, TenantId},
    people::{
        audit::{self, Event},
        members::{self, MemberRecord},
    },
    store::{Actor, Store, Stored, TenantRecord, TenantWrite},
};

/// Writes an audit entry about a member's sessions.
fn note(tx: &TenantWrite<'_>, word: &'static str, member: MemberId, from: &str) -> Result<()> {
    let whose: Option<Stored<MemberRecord>> = tx.find(member)?;
    whose.map_or(Ok(()), |whose| audit::write(tx, Event::new(word).about_member(&whose).from_address(from)))
}

/// Ends all sessions and all e-mailed links of all tenants, after the store was restored: which of them had ended in
/// between is no longer known.
pub async fn end_everything(store: &Store) -> Result<()> {
    for tenant in members::tenants(&store.snapshot()?)? {
        let work = |tx: &TenantWrite<'_>| {
            remove_all::<Session>(tx)?;
            remove_all::<Link>(tx)
        };
        store.write(tenant, Actor::System, work).await?;
    }
    Ok(())
}

fn remove_all<R: TenantRecord>(tx: &TenantWrite<'_>) -> Result<()> {
    let mut ids = Vec::new();
    tx.each::<R>(|record| {
        ids.push(record.id);
        Ok(())
    })?;
    ids.into_iter().try_for_each(|id| tx.remove::<R>(id, None).map(drop))
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

    /// Removes a member's sessions from memory, after a write ended them.
    pub fn forget_all(&self, tenant: TenantId, member: MemberId) {
        self.forget_others(tenant, member, None);
    }

    /// Removes a member's sessions except one from memory, after a write ended them.
    pub fn forget_others(&self, tenant: TenantId, member: MemberId, but: Option<Id<Session>>) {
        self.table_mut().remove_all(tenant, member, but);
    }
}
