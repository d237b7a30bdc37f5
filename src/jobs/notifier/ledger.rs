//! Notifications caused by changes in the ledger, read from the sequence number up to which they are processed.

use super::{Inner, State};
use crate::{
    features::{
        chat::{
            ChatMessage, Membership,
            notifications::{self as chat_notifications, Receivers},
        },
        notifications::{self, DeliveryCursor},
    },
    kernel::{Code, Id, MemberId, Result, TenantId, Timestamp},
    people::members::{Company, CompanyState, tenants},
    store::{Actor, Change, Op, Record, Snapshot, TenantRead, TenantWrite},
};

/// Ledger entries read at a time.
const STEP: usize = 1_000;
/// Milliseconds after which a missed change or reminder causes no notification any more.
pub(super) const MISSED: i64 = 60 * 60_000;

/// Action that a change causes: send notifications, or mark them as read.
enum Action {
    Tell(Id<ChatMessage>, Receivers),
    Settle(MemberId, Vec<String>),
}

fn is_said(change: &Change) -> bool {
    change.kind == ChatMessage::KIND && change.op == Op::Created
}

fn is_read(change: &Change) -> bool {
    change.kind == Membership::KIND && change.person.is_some() && change.op != Op::Created
}

impl Inner {
    /// Advances past changes that cause no notification. Returns false when one does, or when changes were missed.
    pub(super) async fn pass_over(&self, changes: &[Change]) -> bool {
        let mut state = self.state.lock().await;
        let (Some(first), Some(last)) = (changes.first(), changes.last()) else { return true };
        let follows = state.heard.is_some_and(|heard| heard + 1 >= first.seq);
        let quiet = changes.iter().all(|change| !is_said(change) && !is_read(change));
        if follows && quiet {
            state.heard = state.heard.max(Some(last.seq));
        }
        follows && quiet
    }

    /// Processes all changes since the last round.
    pub(super) async fn hear(&self, state: &mut State) -> Result<()> {
        let mut heard = match state.heard {
            Some(heard) => heard,
            None => begin(&self.store.snapshot()?)?,
        };
        loop {
            let snapshot = self.store.snapshot()?;
            let changes = snapshot.changes_after(heard, STEP)?;
            for change in &changes {
                match self.follow(&snapshot, change).await {
                    // A change that cannot be read now stays unreadable, so the others go on without it.
                    Err(error) if matches!(error.code(), Code::Internal | Code::Damaged) => {
                        tracing::error!(detail = ?error, seq = change.seq, "notifier: a change was skipped");
                    }
                    other => other?,
                }
                heard = change.seq;
                state.heard = Some(heard);
            }
            if changes.len() < STEP {
                state.heard = Some(heard);
                return Ok(());
            }
        }
    }

    /// Performs the action that a change causes, if any.
    async fn follow(&self, snapshot: &Snapshot, change: &Change) -> Result<()> {
        match self.action(snapshot, change)? {
            Some(action) => self.perform(change.tenant, change.seq, action).await,
            None => Ok(()),
        }
    }

    /// Returns the action that a change causes in the current state.
    fn action(&self, snapshot: &Snapshot, change: &Change) -> Result<Option<Action>> {
        let tx = snapshot.tenant(change.tenant, None);
        let since = self.store.clock().now().plus_millis(-MISSED);
        if is_said(change) && change.at > since {
            let id = Id::from_bytes(change.id);
            let away = |member: MemberId| (self.away)(change.tenant, member);
            let receivers = chat_notifications::receivers(&tx, id, &away)?;
            return Ok((!receivers.is_empty()).then_some(Action::Tell(id, receivers)));
        }
        if is_read(change)
            && let Some(person) = change.person
        {
            let matters = chat_notifications::settled(&tx, person, Id::from_bytes(change.id))?;
            return Ok((!matters.is_empty()).then_some(Action::Settle(person, matters)));
        }
        Ok(None)
    }

    /// Performs the action unless it is already done, and stores the cursor in the same write.
    async fn perform(&self, tenant: TenantId, seq: u64, action: Action) -> Result<()> {
        let work = move |tx: &TenantWrite<'_>| {
            let places = DeliveryCursor::of(tx)?;
            if places.is_some_and(|places| places.ledger >= seq) || !is_open(tx)? {
                return Ok(());
            }
            match &action {
                Action::Tell(id, receivers) => chat_notifications::notify(tx, *id, receivers)?,
                Action::Settle(person, matters) => {
                    matters.iter().try_for_each(|matter| notifications::settle(tx, *person, matter))?;
                }
            }
            DeliveryCursor { clock: places.map_or_else(|| tx.now(), |places| places.clock), ledger: seq }.advance(tx)
        };
        self.store.write(tenant, Actor::System, work).await.map(drop)
    }
}

/// Checks whether a tenant is active. Only active tenants get notifications, and one being erased is not written to.
pub(super) fn is_open(tx: &TenantRead<'_>) -> Result<bool> {
    Ok(tx
        .find_intact::<Company>(Company::id(tx.tenant()))?
        .is_some_and(|company| company.state == CompanyState::Active))
}

/// Returns the sequence number to resume after at a start: the furthest cursor of any tenant, because changes are
/// processed in order. Without a cursor, earlier changes cause no notification.
fn begin(snapshot: &Snapshot) -> Result<u64> {
    let mut furthest: Option<u64> = None;
    for tenant in tenants(snapshot)? {
        let places = DeliveryCursor::of(&snapshot.tenant(tenant, None))?;
        furthest = furthest.max(places.map(|places| places.ledger));
    }
    let last = snapshot.last_change()?;
    furthest.map_or(Ok(last), |furthest| skip(snapshot, furthest, last))
}

/// Returns the sequence number to resume after: changes from more than an hour before the last one are skipped by
/// binary search. Dates rise with sequence numbers, except for demo data, which causes no notification.
fn skip(snapshot: &Snapshot, furthest: u64, last: u64) -> Result<u64> {
    let at = |place: u64| Ok(snapshot.changes_after(place, 1)?.first().map(|change| (change.seq, change.at)));
    let Some((_, latest)) = at(last.saturating_sub(1))? else { return Ok(furthest) };
    let since = latest.plus_millis(-MISSED);
    let mut old = furthest;
    let mut recent = last;
    while recent.saturating_sub(old) > STEP as u64 {
        let middle = old + (recent - old) / 2;
        match at(middle)? {
            Some((place, at)) if at < since && place < recent => old = place,
            _ => recent = middle,
        }
    }
    Ok(old)
}

/// Returns the later of `place` and `millis` before `now`: what was missed for longer is dropped.
pub(super) fn not_before(place: Timestamp, now: Timestamp, millis: i64) -> Timestamp {
    place.max(now.plus_millis(-millis))
}
