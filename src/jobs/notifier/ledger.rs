//! Notifications caused by changes in the ledger, read from the sequence number up to which they are processed.

use super::{Inner, State};
use crate::{
    features::{
        chat::{
            ChatMessage, Membership,
            notifications::{self as chat_notifications, ChatRecipients},
        },
        notifications::{self, DeliveryCursor},
    },
    kernel::{Code, Id, MemberId, Result, TenantId, Timestamp},
    people::members::{Company, CompanyState, tenants},
    store::{Actor, Change, Op, Record, Snapshot, TenantRead, TenantWrite},
};

/// Ledger entries read at a time.
const CHANGES_PER_READ: usize = 1_000;
/// Milliseconds after which a missed change, or a missed reminder in `clock.rs`, causes no notification any more.
pub(super) const MAX_LATE_MILLIS: i64 = 60 * 60_000;

/// Action that a change causes: send notifications, or mark them as read.
enum Action {
    Notify(Id<ChatMessage>, ChatRecipients),
    MarkRead(MemberId, Vec<String>),
}

fn is_new_message(change: &Change) -> bool {
    change.kind == ChatMessage::KIND && change.op == Op::Created
}

fn is_membership_change(change: &Change) -> bool {
    change.kind == Membership::KIND && change.person.is_some() && change.op != Op::Created
}

impl Inner {
    /// Advances past changes that cause no action. Returns false when one does, or when changes were missed. Must know
    /// every change that `action` does.
    pub(super) async fn skip_quiet(&self, changes: &[Change]) -> bool {
        let mut state = self.state.lock().await;
        let (Some(first), Some(last)) = (changes.first(), changes.last()) else { return true };
        let is_next = state.processed.is_some_and(|processed| processed + 1 >= first.seq);
        let is_quiet = changes.iter().all(|change| !is_new_message(change) && !is_membership_change(change));
        if is_next && is_quiet {
            state.processed = state.processed.max(Some(last.seq));
        }
        is_next && is_quiet
    }

    /// Processes all changes since the last round.
    pub(super) async fn process_changes(&self, state: &mut State) -> Result<()> {
        let mut processed = match state.processed {
            Some(processed) => processed,
            None => starting_seq(&self.store.snapshot()?)?,
        };
        loop {
            let snapshot = self.store.snapshot()?;
            let changes = snapshot.changes_after(processed, CHANGES_PER_READ)?;
            for change in &changes {
                match self.process_change(&snapshot, change).await {
                    // A change that cannot be read now stays unreadable, so the others go on without it.
                    Err(error) if matches!(error.code(), Code::Internal | Code::Damaged) => {
                        tracing::error!(detail = ?error, seq = change.seq, "notifier: a change was skipped");
                    }
                    other => other?,
                }
                processed = change.seq;
                state.processed = Some(processed);
            }
            if changes.len() < CHANGES_PER_READ {
                state.processed = Some(processed);
                return Ok(());
            }
        }
    }

    /// Performs the action that a change causes, if any.
    async fn process_change(&self, snapshot: &Snapshot, change: &Change) -> Result<()> {
        match self.action(snapshot, change)? {
            Some(action) => self.perform(change.tenant, change.seq, action).await,
            None => Ok(()),
        }
    }

    /// Returns the action that a change causes in the current state.
    fn action(&self, snapshot: &Snapshot, change: &Change) -> Result<Option<Action>> {
        let tx = snapshot.tenant(change.tenant, None);
        let since = self.store.clock().now().plus_millis(-MAX_LATE_MILLIS);
        if is_new_message(change) && change.at > since {
            let id = Id::from_bytes(change.id);
            let is_away = |member: MemberId| (self.is_away)(change.tenant, member);
            let recipients = chat_notifications::find_recipients(&tx, id, &is_away)?;
            return Ok((!recipients.is_empty()).then_some(Action::Notify(id, recipients)));
        }
        if is_membership_change(change)
            && let Some(person) = change.person
        {
            let group_keys = chat_notifications::unread_group_keys(&tx, person, Id::from_bytes(change.id))?;
            return Ok((!group_keys.is_empty()).then_some(Action::MarkRead(person, group_keys)));
        }
        Ok(None)
    }

    /// Performs the action unless it is already done, and stores the cursor in the same write.
    async fn perform(&self, tenant: TenantId, seq: u64, action: Action) -> Result<()> {
        let work = move |tx: &TenantWrite<'_>| {
            let cursor = DeliveryCursor::of(tx)?;
            if cursor.is_some_and(|cursor| cursor.ledger >= seq) || !is_active_tenant(tx)? {
                return Ok(());
            }
            match &action {
                Action::Notify(id, recipients) => chat_notifications::notify(tx, *id, recipients)?,
                Action::MarkRead(person, group_keys) => {
                    group_keys.iter().try_for_each(|key| notifications::mark_group_read(tx, *person, key))?;
                }
            }
            DeliveryCursor { clock: cursor.map_or_else(|| tx.now(), |cursor| cursor.clock), ledger: seq }.advance(tx)
        };
        self.store.write(tenant, Actor::System, work).await.map(drop)
    }
}

/// Checks whether a tenant is active. Only active tenants get notifications, and one being erased is not written to.
pub(super) fn is_active_tenant(tx: &TenantRead<'_>) -> Result<bool> {
    Ok(tx
        .find_intact::<Company>(Company::id(tx.tenant()))?
        .is_some_and(|company| company.state == CompanyState::Active))
}

/// Returns the sequence number to resume after at a start: the furthest cursor of any tenant, because changes are
/// processed in order. Without a cursor, earlier changes cause no notification.
fn starting_seq(snapshot: &Snapshot) -> Result<u64> {
    let mut furthest: Option<u64> = None;
    for tenant in tenants(snapshot)? {
        let cursor = DeliveryCursor::of(&snapshot.tenant(tenant, None))?;
        furthest = furthest.max(cursor.map(|cursor| cursor.ledger));
    }
    let last = snapshot.last_change()?;
    furthest.map_or(Ok(last), |furthest| skip_old(snapshot, furthest, last))
}

/// Returns the sequence number to resume after: changes from more than an hour before the last one are skipped by
/// binary search. Dates rise with sequence numbers, except for demo data, which causes no notification.
fn skip_old(snapshot: &Snapshot, furthest: u64, last: u64) -> Result<u64> {
    let next = |seq: u64| Ok(snapshot.changes_after(seq, 1)?.first().map(|change| (change.seq, change.at)));
    let Some((_, latest)) = next(last.saturating_sub(1))? else { return Ok(furthest) };
    let since = latest.plus_millis(-MAX_LATE_MILLIS);
    let mut old = furthest;
    let mut recent = last;
    while recent.saturating_sub(old) > CHANGES_PER_READ as u64 {
        let middle = old + (recent - old) / 2;
        match next(middle)? {
            Some((seq, at)) if at < since && seq < recent => old = seq,
            _ => recent = middle,
        }
    }
    Ok(old)
}

/// Returns the later of `time` and `millis` before `now`: what was missed for longer is dropped.
pub(super) fn limit_lateness(time: Timestamp, now: Timestamp, millis: i64) -> Timestamp {
    time.max(now.plus_millis(-millis))
}
