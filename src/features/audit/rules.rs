//! Filtering and listing of the audit log.

use crate::{
    features::listing::{ListFilter, ListPage, Listing, Order},
    kernel::{MemberId, Result, Timestamp, error::Faults},
    people::audit::{BY_ACTOR, BY_EVENT, BY_TIME, Entry, Who},
    store::{Scan, Stored, TenantRead},
    wire::Paging,
};

/// Maximum length of an event name, in characters.
const WORD: usize = 60;
/// Maximum number of entries that are counted to estimate a filter.
const COUNTED: usize = 20_000;

/// Filter of the audit log.
#[derive(Debug, Default)]
pub struct AuditFilter {
    /// Events caused by this member.
    pub actor: Option<MemberId>,
    /// Events caused by this member, or about them.
    pub member: Option<MemberId>,
    /// Events with this name, as in `member.invited`, or with its first part, as in `member`.
    pub event: Option<String>,
    /// Events at this time or later.
    pub from: Option<Timestamp>,
    /// Events before this time.
    pub to: Option<Timestamp>,
}

impl AuditFilter {
    fn keeps(&self, entry: &Stored<Entry>) -> bool {
        let by = |id| matches!(entry.actor(), Who::Member { id: who, .. } if *who == id);
        let fits =
            |word: &str| entry.event().strip_prefix(word).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
        self.actor.is_none_or(by)
            && self.member.is_none_or(|id| by(id) || entry.about().is_some_and(|about| about.id == *id.as_bytes()))
            && self.event.as_deref().is_none_or(fits)
            && self.from.is_none_or(|from| entry.created_at >= from)
            && self.to.is_none_or(|to| entry.created_at < to)
    }

    /// Returns a scan by time, limited to the filter's period.
    fn span(&self) -> Scan {
        match (self.from, self.to) {
            (None, None) => Scan::ordered(BY_TIME),
            (from, to) => {
                let first = from.unwrap_or_else(|| Timestamp::from_millis(i64::MIN));
                let last = to.unwrap_or_else(|| Timestamp::from_millis(i64::MAX));
                Scan::between(BY_TIME, first.sortable(), last.sortable())
            }
        }
    }

    fn filters(&self, tx: &TenantRead<'_>) -> Result<Vec<ListFilter>> {
        let mut filters = Vec::new();
        if let Some(actor) = self.actor {
            filters.push(ListFilter::values(tx, BY_ACTOR, &[actor.as_bytes()])?);
        }
        if let Some(word) = &self.event {
            let scan = if word.contains('.') {
                Scan::with(BY_EVENT, word)
            } else {
                Scan::beginning(BY_EVENT, format!("{word}."))
            };
            filters.push(counted(tx, scan)?);
        }
        if self.from.is_some() || self.to.is_some() || self.member.is_some() {
            filters.push(counted(tx, self.span())?);
        }
        Ok(filters)
    }
}

fn counted(tx: &TenantRead<'_>, scan: Scan) -> Result<ListFilter> {
    let mut count = 0;
    tx.page::<Entry>(&scan.clone().limit(COUNTED), |_| {
        count += 1;
        false
    })?;
    Ok(ListFilter { scans: vec![scan], count })
}

/// Returns a page of the audit log, the newest entries first.
/// Errors: `invalid` at `event` for a name that is too long; `bad_request` for an invalid cursor.
pub fn list(tx: &TenantRead<'_>, sought: &AuditFilter, paging: &Paging) -> Result<ListPage<Entry>> {
    let mut faults = Faults::default();
    faults.at_most("event", sought.event.as_deref().unwrap_or_default(), WORD);
    faults.into_result()?;
    let order = Order { scan: sought.span(), place: |entry| entry.created_at.sortable().to_vec(), descending: true };
    Listing { order, filters: sought.filters(tx)?, unseen: 0, is_counted: false, sees_all: true }.page(
        tx,
        paging,
        |entry| sought.keeps(entry),
    )
}
