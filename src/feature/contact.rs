//! Contact with the people and organizations that a company deals with: when a record was last contacted, and what comes
//! next. Kept in the record, so that lists are filtered and sorted by it, and follows when activities and tasks change.

use poem_openapi::Object;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;
use uuid::Uuid;

use super::{Audience, ColumnType, KindRecord, ListColumn, columns, kind::find_or_binned};
use crate::{
    kernel::{Day, Id, Result, Timestamp},
    store::{Stored, TenantRead, TenantWrite},
};

/// The last contact with a record, and what comes next.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ContactDates {
    /// When the last call, visit or e-mail was.
    pub last: Option<Timestamp>,
    /// The open task that is due first.
    pub next: Option<NextStep>,
}

impl ContactDates {
    /// Whether there is neither.
    pub const fn is_empty(&self) -> bool {
        self.last.is_none() && self.next.is_none()
    }
}

/// The open task of a record that is due first.
#[skip_serializing_none]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Object)]
#[oai(rename = "NextStep", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct NextStep {
    /// The task.
    pub task_id: Uuid,
    /// The day on which it is due.
    pub due_date: Option<Day>,
}

/// A record on which members log calls, visits, e-mails and notes.
pub trait ContactRecord: KindRecord {
    /// Returns the dates.
    fn dates(&self) -> &ContactDates;

    /// Returns the dates to change them.
    fn dates_mut(&mut self) -> &mut ContactDates;

    /// Returns the records that an activity on this one concerns, too, with their `Record::KIND`: the organization of a
    /// person.
    fn related(&self) -> Vec<RecordName>;
}

/// `Record::KIND` and id of a record.
pub type RecordName = (&'static str, Uuid);

/// Sets the dates of a record.
pub type SetDates = fn(&TenantWrite<'_>, Uuid, &dyn Fn(&mut ContactDates)) -> Result<()>;

/// Returns the records that an activity on a record concerns, too.
pub type FindRelated = fn(&TenantRead<'_>, Uuid) -> Result<Vec<RecordName>>;

/// Returns who may see a record, also one in the bin.
pub type FindAudience = fn(&TenantRead<'_>, Uuid) -> Result<Option<Audience>>;

/// The columns of lists with the dates.
pub const fn last_contact<R: ContactRecord>() -> ListColumn<R> {
    ListColumn::new("lastContactAt", ColumnType::Time, |one| one.dates().last.map(columns::time).into_iter().collect())
}

/// The day of the next step, as a column of lists.
pub const fn next_step<R: ContactRecord>() -> ListColumn<R> {
    ListColumn::new("nextStepDay", ColumnType::Date, |one| {
        one.dates().next.and_then(|next| next.due_date).map(columns::day).into_iter().collect()
    })
}

/// How activities and tasks reach the records of a kind.
#[derive(Clone, Copy, Debug)]
pub struct ContactOps {
    /// Sets the dates of a record, if it is not in the bin.
    pub set_dates: SetDates,
    /// Returns the records that an activity on a record concerns, too.
    pub related: FindRelated,
    /// Returns who may see a record, also one in the bin; `None` when it is gone for good or damaged.
    pub audience: FindAudience,
}

impl ContactOps {
    /// Returns the operations of a kind.
    pub(super) const fn of<R: ContactRecord>() -> Self {
        Self { set_dates: set_dates::<R>, related: related::<R>, audience: audience::<R> }
    }
}

fn set_dates<R: ContactRecord>(tx: &TenantWrite<'_>, id: Uuid, set: &dyn Fn(&mut ContactDates)) -> Result<()> {
    let record: Option<Stored<R>> = tx.find(Id::from(id))?;
    record.map_or(Ok(()), |record| tx.rewrite(&record, |record| set(record.dates_mut())))
}

fn related<R: ContactRecord>(tx: &TenantRead<'_>, id: Uuid) -> Result<Vec<RecordName>> {
    let record: Option<Stored<R>> = tx.find(Id::from(id))?;
    Ok(record.map(|record| record.value.related()).unwrap_or_default())
}

fn audience<R: ContactRecord>(tx: &TenantRead<'_>, id: Uuid) -> Result<Option<Audience>> {
    match find_or_binned::<R>(tx, id.into_bytes()) {
        Err(error) if error.is_damage() => Ok(None),
        found => Ok(found?.map(|record| R::audience(&record))),
    }
}
