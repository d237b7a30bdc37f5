//! Reads, writes and searches of a tenant's data by a member.

use std::{collections::HashSet, sync::atomic::Ordering, time::Duration};

use super::Member;
use crate::{
    access::{RequestClass, sessions::Session},
    index::{ColumnName, ColumnQuery, ColumnSelection, Hit, Rows, Tally, TenantIndex},
    kernel::{Code, Error, Heading, Id, Result, SearchScope},
    people::{members::ActiveMember, permission::Right},
    store::{Actor, Record, RecordId, TenantRead, TenantWrite},
};

/// How long a search waits at most until the index contains what it must find.
const MAX_WAIT: Duration = Duration::from_secs(2);
/// How long what works on all records found waits for the same: it is refused afterwards.
const MAX_COMPLETE_WAIT: Duration = Duration::from_secs(10);
/// How long a search waits at most, after a start, until the index contains what was written before.
const MAX_START_WAIT: Duration = Duration::from_secs(1);
/// Seconds after which to ask again for what needs a complete index.
const RETRY_SECONDS: u32 = 10;
/// Records that a search by ids finds at most.
const MAX_IDS: usize = 1_000;

/// Returns the name of the member or record with an id, if it is known.
pub type NameOfId = Box<dyn Fn(&TenantRead<'_>, &str) -> Option<String> + Send>;

/// The result of a search.
#[derive(Debug)]
pub struct Searched<T> {
    /// The hits.
    pub found: T,
    /// Whether hits may be missing: the index lacks the last changes, is damaged or being rebuilt.
    pub is_partial: bool,
}

impl<R: Right> Member<R> {
    /// Reads the current state of the tenant's data.
    pub fn read<T>(&self, look: impl FnOnce(&TenantRead<'_>) -> Result<T>) -> Result<T> {
        let snapshot = self.0.auth.0.store.snapshot()?;
        self.1.damage.watch(|| look(&snapshot.tenant(self.0.live.tenant, Some(self.0.live.member))))
    }

    /// Reads the tenant's data on a blocking thread: for lists and counters that may take longer than a millisecond.
    pub async fn read_blocking<T: Send + 'static>(
        &self,
        look: impl FnOnce(&TenantRead<'_>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let store = self.0.auth.0.store.clone();
        let tenant = self.0.live.tenant;
        let me = self.0.live.member;
        let damage = self.1.damage.clone();
        self.compute(move || damage.watch(|| look(&store.snapshot()?.tenant(tenant, Some(me))))).await
    }

    /// Runs work that may take longer than a millisecond on a blocking thread, within the tenant's share of them.
    pub async fn compute<T: Send + 'static>(&self, work: impl FnOnce() -> Result<T> + Send + 'static) -> Result<T> {
        // Released by the work itself, which continues when the request is dropped.
        let permit = self.0.auth.0.limiter.acquire(self.0.live.tenant, RequestClass::Reads).await?;
        let done = tokio::task::spawn_blocking(move || {
            let done = work();
            drop(permit);
            done
        });
        done.await.map_err(Error::internal)?
    }

    /// Makes the searches that follow find all that was written so far, as after a write by the member: after an answer
    /// that says what a job has done for them.
    pub fn await_all_writes(&self) -> Result<()> {
        let seq = self.0.auth.0.store.snapshot()?.last_change()?;
        self.0.live.last_write.fetch_max(seq, Ordering::AcqRel);
        Ok(())
    }

    /// Writes to the tenant's data; it is durable when this returns. Nothing is changed when `work` fails.
    pub async fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&TenantWrite<'_>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let actor = Actor::Member(self.0.live.member);
        let (value, seq) = self.0.auth.0.store.write(self.0.live.tenant, actor, work).await?;
        self.0.live.last_write.fetch_max(seq, Ordering::AcqRel);
        Ok(value)
    }

    /// Waits until the tenant's data is as `look` wants it, such as when work in the background is done; looks again after
    /// each commit.
    pub async fn wait_until<T>(&self, mut look: impl FnMut(&TenantRead<'_>) -> Result<Option<T>>) -> Result<T> {
        let mut wrote = self.0.auth.0.store.wrote();
        loop {
            wrote.borrow_and_update();
            if let Some(found) = self.read(&mut look)? {
                return Ok(found);
            }
            wrote.changed().await.map_err(Error::internal)?;
        }
    }

    /// Returns a check for a write that the session still exists and its member still has the right, for long requests
    /// such as uploads. It fails with `not_signed_in` or `forbidden`.
    pub fn reauthorize(&self) -> impl FnOnce(&TenantWrite<'_>) -> Result<()> + Send + 'static + use<R> {
        let session = self.session();
        let me = self.id();
        move |tx| {
            let refused = || Error::new(Code::NotSignedIn);
            tx.find::<Session>(session)?.ok_or_else(refused)?;
            let who = ActiveMember::find(tx, me)?.ok_or_else(refused)?;
            if !who.member.role.has(R::PERMISSION) {
                return Err(Error::new(Code::Forbidden));
            }
            Ok(())
        }
    }

    /// Writes once for an `Idempotency-Key`: a retry within 24 hours gets the first result again. `asked` is the
    /// digest of the request's body. The HTTP pipeline has checked the format of the key.
    /// Errors: `idempotency_mismatch` when the key came with another body before.
    pub async fn write_idempotent<T: serde::Serialize + serde::de::DeserializeOwned + Send + 'static>(
        &self,
        call: &'static str,
        key: Option<String>,
        asked: Vec<u8>,
        work: impl FnOnce(&TenantWrite<'_>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let Some(key) = key else { return self.write(work).await };
        self.write(move |tx| tx.run_once(&format!("{call} {key}"), &asked, 24, || work(tx))).await
    }

    /// Searches the tenant's records and this member's personal ones. Returns the best `limit` hits of each heading.
    /// The member's earlier writes are found.
    /// Errors: `internal` when the search panics, which damaged files can cause.
    pub async fn find(
        &self,
        typed: String,
        groups: &'static [Heading],
        limit: usize,
    ) -> Result<Searched<Vec<(Heading, Vec<Hit>)>>> {
        self.search(self.last_write(), move |index| index.find(&typed, groups, limit)).await
    }

    /// Searches for the 1,000 best records of a kind; `None` when there is nothing to search for. All earlier writes are
    /// found.
    pub async fn search_ids<T: Record>(
        &self,
        group: Heading,
        typed: Option<String>,
    ) -> Result<Searched<Option<HashSet<RecordId<T>>>>> {
        let Some(typed) = typed.filter(|typed| !typed.trim().is_empty()) else {
            return Ok(Searched { found: None, is_partial: false });
        };
        let find = move |index: &TenantIndex| index.find_ids(&typed, group, T::KIND, MAX_IDS);
        let searched = self.search(self.last_change()?, find).await?;
        let found = searched.found.into_iter().map(Id::from_bytes).collect();
        Ok(Searched { found: Some(found), is_partial: searched.is_partial })
    }

    /// Searches for the best `limit` records of a kind by each of some names. The member's earlier writes are found.
    pub async fn search_names(
        &self,
        group: Heading,
        kind: &'static str,
        names: Vec<String>,
        limit: usize,
    ) -> Result<Vec<[u8; 16]>> {
        let find = move |index: &TenantIndex| {
            names.iter().flat_map(|name| index.find_ids(name, group, kind, limit)).collect::<Vec<_>>()
        };
        Ok(self.search(self.last_write(), find).await?.found)
    }

    /// Reads a page of a list from the columns of the index, with all earlier writes. `name_of`, if given, names the ids
    /// in the column of the order: the list is sorted by these names.
    pub async fn list(&self, query: ColumnQuery, name_of: Option<NameOfId>) -> Result<Searched<Rows>> {
        let (store, tenant, me) = (self.0.auth.0.store.clone(), self.0.live.tenant, self.0.live.member);
        let list = move |index: &TenantIndex| {
            let Some(name_of) = name_of else { return Ok(index.list(&query, None)) };
            let snapshot = store.snapshot()?;
            let tx = snapshot.tenant(tenant, Some(me));
            Ok(index.list(&query, Some(&|id| name_of(&tx, id))))
        };
        let Searched { found, is_partial } = self.search(self.last_change()?, list).await?;
        let found = found?;
        Ok(Searched { is_partial: is_partial || found.lacks_some, found })
    }

    /// Reads from the columns of the index, with all earlier writes, and from the store beside it.
    /// Errors: `busy` while the index may lack some: what works on what was found would leave them out.
    pub async fn search_columns<T: Send + 'static>(
        &self,
        look: impl FnOnce(&TenantIndex, &TenantRead<'_>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let Searched { found, is_partial } = self.look_in_columns(MAX_COMPLETE_WAIT, look).await?;
        if is_partial {
            return Err(Error::new(Code::Busy)
                .retry_after(RETRY_SECONDS)
                .with_detail("the search index is incomplete"));
        }
        found
    }

    /// The same for a list, which is answered without what the index may lack.
    pub async fn read_columns<T: Send + 'static>(
        &self,
        look: impl FnOnce(&TenantIndex, &TenantRead<'_>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        self.look_in_columns(MAX_WAIT, look).await?.found
    }

    async fn look_in_columns<T: Send + 'static>(
        &self,
        max_wait: Duration,
        look: impl FnOnce(&TenantIndex, &TenantRead<'_>) -> Result<T> + Send + 'static,
    ) -> Result<Searched<Result<T>>> {
        let store = self.0.auth.0.store.clone();
        let tenant = self.0.live.tenant;
        let me = self.0.live.member;
        let look = move |index: &TenantIndex| look(index, &store.snapshot()?.tenant(tenant, Some(me)));
        self.search_within(self.last_change()?, max_wait, look).await
    }

    /// Tallies the values of columns in a list, with all earlier writes.
    pub async fn tally(&self, selection: ColumnSelection, columns: Vec<ColumnName>) -> Result<Searched<Vec<Tally>>> {
        self.tally_most(selection, columns, usize::MAX).await
    }

    /// The same for the `most` values that most records have.
    pub async fn tally_most(
        &self,
        selection: ColumnSelection,
        columns: Vec<ColumnName>,
        most: usize,
    ) -> Result<Searched<Vec<Tally>>> {
        let tally = move |index: &TenantIndex| index.tally(&selection, &columns, most);
        let Searched { found: (found, lacks_some), is_partial } = self.search(self.last_change()?, tally).await?;
        Ok(Searched { found, is_partial: is_partial || lacks_some })
    }

    /// Searches only within the scopes that `circles` returns. Returns the best `limit` hits.
    pub async fn find_within(
        &self,
        circles: impl FnOnce(&TenantRead<'_>) -> Result<Vec<SearchScope>>,
        typed: String,
        group: Heading,
        limit: usize,
    ) -> Result<Searched<Vec<Hit>>> {
        let circles = self.read(circles)?;
        self.search(self.last_write(), move |index| index.find_within(&circles, &typed, group, limit)).await
    }

    /// The sequence number of the session's last write.
    fn last_write(&self) -> u64 {
        self.0.live.last_write.load(Ordering::Acquire)
    }

    /// Returns the sequence number of the company's last change. A list waits for it, so that a screen that is told of
    /// a colleague's change and asks again gets that change.
    fn last_change(&self) -> Result<u64> {
        let last = self.read(|tx| tx.changes_before(u64::MAX, 1, |_| true))?;
        Ok(last.first().map_or(0, |change| change.seq))
    }

    /// Whether the index lacks changes of the company: what it finds may have been hidden from the member since.
    pub fn index_lags(&self) -> Result<bool> {
        Ok(self.0.auth.0.engine.reached() < self.last_change()?)
    }

    /// Searches once the index contains the changes up to a sequence number.
    async fn search<T: Send + 'static>(
        &self,
        seq: u64,
        look: impl FnOnce(&TenantIndex) -> T + Send + 'static,
    ) -> Result<Searched<T>> {
        self.search_within(seq, MAX_WAIT, look).await
    }

    /// The same, after a wait of at most `max_wait`.
    async fn search_within<T: Send + 'static>(
        &self,
        seq: u64,
        max_wait: Duration,
        look: impl FnOnce(&TenantIndex) -> T + Send + 'static,
    ) -> Result<Searched<T>> {
        let engine = &self.0.auth.0.engine;
        engine.wait_for_start(MAX_START_WAIT).await;
        // A rebuild takes minutes.
        let max_wait = if engine.is_being_rebuilt() { max_wait.min(MAX_WAIT) } else { max_wait };
        let has_all = engine.wait_until(seq, max_wait).await;
        if !has_all {
            tracing::warn!("search: the wait for the last changes timed out");
        }
        let index = engine.tenant(self.0.live.tenant).with_scope(SearchScope::of(self.id()));
        // First the tenant's own permit, so that a search of another tenant waits for at most one of its searches.
        let own = self.0.auth.0.limiter.acquire(self.0.live.tenant, RequestClass::Searches).await?;
        let permit = self.0.auth.0.searching.clone().acquire_owned().await.map_err(Error::internal)?;
        // Before and after: in between a rebuild may end, and damage may be found.
        let was_partial = engine.is_partial();
        let found = tokio::task::spawn_blocking(move || {
            let found = look(&index);
            drop((permit, own));
            found
        });
        let found = found.await.map_err(Error::internal)?;
        Ok(Searched { found, is_partial: !has_all || was_partial || engine.is_partial() })
    }
}
