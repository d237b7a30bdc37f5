//! What a member does with the company's data: reads it, writes it, searches it.

use std::{sync::atomic::Ordering, time::Duration};

use super::Member;
use crate::{
    access::{RequestClass, members::Colleague, permission::Right},
    index::{Hit, TenantIndex},
    kernel::{Code, Error, Heading, Id, Result, SearchScope},
    store::{Actor, Record, TenantRead, TenantWrite},
};

/// How long a search waits at most until the index holds its asker's last write.
const OWN_WRITE: Duration = Duration::from_secs(2);
/// Records that a search narrows a list to at most.
const NARROWED: usize = 1_000;

/// What a search found.
#[derive(Debug)]
pub struct Searched<T> {
    /// The hits.
    pub found: T,
    /// Whether there may be more: the index is being built anew.
    pub is_partial: bool,
}

/// What a list is narrowed to by a search.
#[derive(Debug)]
pub struct Narrowed<T> {
    /// The records that were found, the best first; none when nothing was searched for.
    pub ids: Option<Vec<Id<T>>>,
    /// Whether there may be more: the index is being built anew.
    pub is_partial: bool,
}

impl<R: Right> Member<R> {
    /// Reads the tenant's data as it is now.
    ///
    /// # Errors
    /// What `look` returns.
    pub fn read<T>(&self, look: impl FnOnce(&TenantRead<'_>) -> Result<T>) -> Result<T> {
        let snapshot = self.0.auth.0.store.snapshot()?;
        look(&snapshot.tenant(self.0.live.tenant, Some(self.0.live.member)))
    }

    /// Reads the tenant's data beside the threads that serve requests: for lists and figures that may take
    /// longer than a millisecond.
    ///
    /// # Errors
    /// What `look` returns.
    pub async fn read_blocking<T: Send + 'static>(
        &self,
        look: impl FnOnce(&TenantRead<'_>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let (store, tenant, me) = (self.0.auth.0.store.clone(), self.0.live.tenant, self.0.live.member);
        self.compute(move || look(&store.snapshot()?.tenant(tenant, Some(me)))).await
    }

    /// Runs work that may take longer than a millisecond beside the threads that serve requests, within the
    /// company's share of them.
    ///
    /// # Errors
    /// What `work` returns.
    pub async fn compute<T: Send + 'static>(&self, work: impl FnOnce() -> Result<T> + Send + 'static) -> Result<T> {
        // Given back by the work itself, which continues when the request is dropped.
        let turn = self.0.auth.0.limiter.acquire(self.0.live.tenant, RequestClass::Reads).await?;
        let done = tokio::task::spawn_blocking(move || {
            let done = work();
            drop(turn);
            done
        });
        done.await.map_err(Error::internal)?
    }

    /// Writes to the tenant's data; it is on the disk when this returns.
    ///
    /// # Errors
    /// What `work` returns, and nothing is changed then; `busy` when the store cannot take it now.
    pub async fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&TenantWrite<'_>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let actor = Actor::Member(self.0.live.member);
        let (value, seq) = self.0.auth.0.store.write(self.0.live.tenant, actor, work).await?;
        self.0.live.last_write.fetch_max(seq, Ordering::AcqRel);
        Ok(value)
    }

    /// Checks in a write that the session is still there and that its member may still do this: for requests that take
    /// long, such as uploads. It answers `not_signed_in` or `forbidden` when not.
    pub fn reauthorize(&self) -> impl FnOnce(&TenantWrite<'_>) -> Result<()> + Send + 'static + use<R> {
        let (session, me) = (self.session(), self.id());
        move |tx| {
            let refused = || Error::new(Code::NotSignedIn);
            tx.find(session)?.ok_or_else(refused)?;
            let who = Colleague::find(tx, me)?.ok_or_else(refused)?;
            if !who.member.role.has(R::PERMISSION) {
                return Err(Error::new(Code::Forbidden));
            }
            Ok(())
        }
    }

    /// Writes once for an `Idempotency-Key`: a retry within 24 hours gets the first answer again. `asked` is the
    /// digest of the request's body. The edge has seen to it that the key has the documented form.
    ///
    /// # Errors
    /// As `write`; `idempotency_mismatch` when the key came with another body before.
    pub async fn write_idempotent<T: serde::Serialize + serde::de::DeserializeOwned + Send + 'static>(
        &self,
        call: &'static str,
        key: Option<String>,
        asked: Vec<u8>,
        work: impl FnOnce(&TenantWrite<'_>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let Some(key) = key else { return self.write(work).await };
        self.write(move |tx| tx.once(&format!("{call} {key}"), &asked, 24, || work(tx))).await
    }

    /// Searches the tenant's records and this member's own: of each group the best `limit` for what was typed. What
    /// this member wrote before is found.
    ///
    /// # Errors
    /// `internal` when the search panics, which damaged files can cause.
    pub async fn find(
        &self,
        typed: String,
        groups: &'static [Heading],
        limit: usize,
    ) -> Result<Searched<Vec<(Heading, Vec<Hit>)>>> {
        self.search(move |index| index.find(&typed, groups, limit)).await
    }

    /// What a list narrows itself to when something is searched for: the 1,000 records of a kind that fit best.
    ///
    /// # Errors
    /// As `find`.
    pub async fn search_ids<T: Record>(&self, group: Heading, typed: Option<String>) -> Result<Narrowed<T>> {
        let Some(typed) = typed.filter(|typed| !typed.trim().is_empty()) else {
            return Ok(Narrowed { ids: None, is_partial: false });
        };
        let searched = self.search(move |index| index.find_ids(&typed, group, T::KIND, NARROWED)).await?;
        let ids = searched.found.into_iter().map(Id::from_bytes).collect();
        Ok(Narrowed { ids: Some(ids), is_partial: searched.is_partial })
    }

    /// Searches what belongs to circles of the tenant's people only: those that `circles` names now. The best
    /// `limit` for what was typed.
    ///
    /// # Errors
    /// As `find`, and what `circles` returns.
    pub async fn find_within(
        &self,
        circles: impl FnOnce(&TenantRead<'_>) -> Result<Vec<SearchScope>>,
        typed: String,
        group: Heading,
        limit: usize,
    ) -> Result<Searched<Vec<Hit>>> {
        let circles = self.read(circles)?;
        self.search(move |index| index.find_within(&circles, &typed, group, limit)).await
    }

    async fn search<T: Send + 'static>(
        &self,
        look: impl FnOnce(&TenantIndex) -> T + Send + 'static,
    ) -> Result<Searched<T>> {
        let engine = &self.0.auth.0.engine;
        let written = self.0.live.last_write.load(Ordering::Acquire);
        if !engine.wait_until(written, OWN_WRITE).await {
            tracing::warn!("a search did not wait longer for its asker's last write");
        }
        let index = engine.tenant(self.0.live.tenant).with(SearchScope::of(self.id()));
        // First among the company's own, so that who searches in another waits for one of them at most.
        let own = self.0.auth.0.limiter.acquire(self.0.live.tenant, RequestClass::Searches).await?;
        let turn = self.0.auth.0.searching.clone().acquire_owned().await.map_err(Error::internal)?;
        // Before and after: a rebuild may end, and damage be met, in between.
        let was_partial = engine.is_partial();
        let found = tokio::task::spawn_blocking(move || {
            let found = look(&index);
            drop((turn, own));
            found
        });
        let found = found.await.map_err(Error::internal)?;
        Ok(Searched { found, is_partial: was_partial || engine.is_partial() })
    }
}
