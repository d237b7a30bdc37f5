//! The register of the statuses of a company's customers.

use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use crate::{
    feature::{Color, DefinedChoice},
    kernel::{
        Id, MemberId, Result,
        error::Faults,
        i18n::{Locale, say},
        text,
    },
    store::{Record, Stored, TenantRead, TenantRecord},
};

/// Maximum statuses.
pub(super) const STATUSES: usize = 20;
/// Maximum length of a name.
const NAME: usize = 60;
/// Maximum months of a retention: twenty years.
const RETENTION_MONTHS: u16 = 240;
/// Maximum removed statuses that are known still.
const REMOVED: usize = 100;

/// The statuses that every company begins with.
const FIRST_STATUSES: [(&str, Color); 3] = [("lead", Color::Blue), ("active", Color::Green), ("inactive", Color::Gray)];

/// The statuses. Stored under the company's own id once they were changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Statuses {
    /// The statuses in their order; at least one. The first is that of new customers.
    pub statuses: Vec<Status>,
    /// Those that were removed, the last one at the end.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub removed: Vec<RemovedStatus>,
}

/// A status of customers.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Status {
    /// The id. No other status of the company ever has it.
    pub id: String,
    /// The name; none for the name that a first status has in each language.
    pub name: Option<String>,
    /// The color.
    pub color: Color,
    /// After how many months without contact or change its customers are removed and erased; none if they are kept.
    pub retention_months: Option<u16>,
}

/// A removed status. Customers who come out of the bin may have it.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RemovedStatus {
    /// As it was.
    pub status: Status,
    /// The id of the status that takes its place.
    pub replaced_by: String,
    /// The member who removed it.
    pub author: Option<MemberId>,
    /// Whether customers may still have it, who get the other one in the background.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_in_use: bool,
}

impl Record for Statuses {
    type Key = Self;
    const KIND: &'static str = "customer_statuses";
    const TABLE: u16 = 63;
}
impl TenantRecord for Statuses {}

impl Default for Statuses {
    fn default() -> Self {
        let status =
            |(id, color): (&str, Color)| Status { id: id.to_owned(), name: None, color, retention_months: None };
        Self { statuses: FIRST_STATUSES.map(status).to_vec(), removed: Vec::new() }
    }
}

impl Status {
    /// Returns the name in a language.
    pub fn name_in(&self, locale: Locale) -> String {
        self.name.clone().unwrap_or_else(|| first_name(locale, &self.id))
    }
}

/// Returns the name that a first status has in a language.
pub(super) fn first_name(locale: Locale, id: &str) -> String {
    say(locale, &format!("server.customers.statuses.{id}"), &[])
}

/// Checks that a retention is from one month to the maximum.
pub fn check_months(path: &str, months: u16, faults: &mut Faults) {
    if !(1..=RETENTION_MONTHS).contains(&months) {
        let params = vec![("min", "1".to_owned()), ("max", RETENTION_MONTHS.to_string())];
        faults.add_with(path, "errors.fields.range", params);
    }
}

impl Statuses {
    /// Returns where a company's statuses are stored.
    pub fn id(tx: &TenantRead<'_>) -> Id<Self> {
        tx.single_id()
    }

    /// Returns the stored statuses of the company; none before their first change.
    pub fn stored(tx: &TenantRead<'_>) -> Result<Option<Stored<Self>>> {
        tx.find(Self::id(tx))
    }

    /// Returns the version of statuses: 1 before their first change.
    pub fn version(stored: Option<&Stored<Self>>) -> u64 {
        stored.map_or(1, |stored| stored.version + 1)
    }

    /// Returns the statuses of the company; the first ones when they are damaged.
    pub fn of(tx: &TenantRead<'_>) -> Result<Self> {
        Ok(tx.find_intact(Self::id(tx))?.map(|stored| stored.value).unwrap_or_default())
    }

    /// Whether customers can be given a status.
    pub fn offers(&self, id: &str) -> bool {
        self.statuses.iter().any(|status| status.id == id)
    }

    /// Returns a status, also a removed one that is still known.
    pub fn find(&self, id: &str) -> Option<&Status> {
        self.statuses.iter().chain(self.removed.iter().map(|removed| &removed.status)).find(|status| status.id == id)
    }

    /// Returns the status of new customers.
    pub fn first(&self) -> String {
        self.statuses.first().map(|status| status.id.clone()).unwrap_or_default()
    }

    /// Returns the status that has taken the place of another one, if that was removed.
    pub fn present(&self, id: &str) -> String {
        if self.offers(id) {
            return id.to_owned();
        }
        let removed = self.removed.iter().find(|removed| removed.status.id == id);
        removed.map_or_else(|| self.first(), |removed| removed.replaced_by.clone())
    }

    /// Returns the removed statuses that customers may still have.
    pub fn being_replaced(&self) -> impl Iterator<Item = &RemovedStatus> {
        self.removed.iter().filter(|removed| removed.is_in_use)
    }

    /// Returns the statuses that customers may have.
    pub fn in_use(&self) -> impl Iterator<Item = &Status> {
        self.statuses.iter().chain(self.being_replaced().map(|removed| &removed.status))
    }

    /// Returns the statuses by which lists are filtered.
    pub fn choices(tx: &TenantRead<'_>, locale: Locale) -> Result<Vec<DefinedChoice>> {
        let choice = |status: &Status| DefinedChoice {
            key: status.id.clone(),
            name: status.name_in(locale),
            color: Some(status.color),
        };
        Ok(Self::of(tx)?.in_use().map(choice).collect())
    }

    /// Adds a removed status, and forgets the oldest ones beyond the maximum.
    pub(super) fn add_removed(&mut self, removed: RemovedStatus) {
        self.removed.push(removed);
        while self.removed.len() > REMOVED {
            let Some(oldest) = self.removed.iter().position(|removed| !removed.is_in_use) else { return };
            self.removed.remove(oldest);
        }
    }

    /// Checks that retentions are from one month to the maximum.
    pub(super) fn check_retentions(&self, faults: &mut Faults) {
        for (at, status) in self.statuses.iter().enumerate() {
            if let Some(months) = status.retention_months {
                check_months(&format!("statuses.{at}.retentionMonths"), months, faults);
            }
        }
    }

    /// Checks that names are there, short, and different from each other.
    pub(super) fn check_names(&self, locale: Locale, faults: &mut Faults) {
        let mut known = Vec::new();
        for (at, status) in self.statuses.iter().enumerate() {
            let name = status.name_in(locale);
            let path = format!("statuses.{at}.name");
            faults.required(&path, &name, NAME);
            let folded = text::fold(&name);
            if known.contains(&folded) {
                faults.add(path, "errors.fields.taken");
            }
            known.push(folded);
        }
    }
}
