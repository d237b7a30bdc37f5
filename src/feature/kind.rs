//! The description of a kind of record that members work with. Search, cards, activity, navigation, live updates and
//! rights read it, so none of them names a feature.

use poem_openapi::Object;
use serde::Serialize;
use serde_with::skip_serializing_none;
use uuid::Uuid;

use super::{LiveKind, Restricted, Searchable};
use crate::{
    kernel::{Id, Result, Timestamp},
    people::permission::{Permission, Reader},
    store::{Binned, Change, Record, Stored, TenantRead, TenantRecord, TenantWrite},
};

/// A record that members work with.
pub trait KindRecord: TenantRecord {
    /// Whether a member with the right to read the kind may read this record.
    fn is_visible_to(_record: &Stored<Self>, _reader: Reader) -> bool {
        true
    }

    /// What a card shows of the record; `None` for a record that others cannot refer to.
    fn summary(tx: &TenantRead<'_>, record: &Stored<Self>) -> Result<Option<Summary>>;

    /// Whether recent activity shows a change.
    fn is_activity(_change: &Change) -> bool {
        true
    }

    /// Fits a record from the bin to what has changed since, such as a parent that is gone.
    fn adapt_restored(_tx: &TenantWrite<'_>, _record: &mut Self) -> Result<()> {
        Ok(())
    }

    /// Does what follows when a record is taken out of the bin, such as telling members of it.
    fn after_restore(_tx: &TenantWrite<'_>, _record: &Stored<Self>) -> Result<()> {
        Ok(())
    }
}

/// What a card shows of a record.
#[derive(Debug, Default)]
pub struct Summary {
    /// The name or title.
    pub title: String,
    /// A second line.
    pub subtitle: Option<String>,
    /// Whether a task is completed.
    pub done: Option<bool>,
}

/// The current state of a record, in short.
#[skip_serializing_none]
#[derive(Debug, Serialize, Object)]
#[oai(rename = "RecordCard", skip_serializing_if_is_none)]
pub struct Card {
    /// The name or title.
    pub title: String,
    /// A second line: the company of a customer, the assignee of a task, the location of an event.
    pub subtitle: Option<String>,
    /// The path of the record in the application.
    pub link: String,
    /// Whether a task is completed. Absent for other records.
    pub done: Option<bool>,
}

/// The rights on the records of a kind.
#[derive(Clone, Copy, Debug)]
pub struct KindRights {
    /// To read them.
    pub read: Permission,
    /// To create and change them.
    pub write: Permission,
    /// To delete those that the caller created.
    pub delete_own: Permission,
    /// To delete any.
    pub delete: Permission,
}

/// A kind's entry in the navigation.
#[derive(Clone, Copy, Debug)]
pub struct Menu {
    /// Its place among the entries, ascending.
    pub position: u8,
    /// The name of an icon.
    pub icon: &'static str,
    /// The path of its screen.
    pub link: &'static str,
    /// Counts what waits for the reader, for a badge.
    pub count: Option<CountWaiting>,
}

/// Counts what waits for a reader at a time, by the days of a time zone.
pub type CountWaiting = fn(&TenantRead<'_>, Reader, Timestamp, &str) -> Result<u64>;

/// A kind of record, for everything that works with all kinds.
#[derive(Clone, Copy, Debug)]
pub struct RecordKind {
    /// `Record::KIND`.
    pub kind: &'static str,
    /// The name of its calls, screens and texts, such as `customers`.
    pub name: &'static str,
    /// The rights on its records.
    pub rights: KindRights,
    /// Its search results.
    pub searchable: Searchable,
    /// Its live updates.
    pub live: LiveKind,
    /// Its entry in the navigation.
    pub menu: Option<Menu>,
    /// Whether recent activity shows a change.
    pub is_activity: fn(&Change) -> bool,
    /// The path of a record in the application, before its id.
    link: &'static str,
    summary: fn(&TenantRead<'_>, Reader, [u8; 16]) -> Result<Option<Summary>>,
    /// What the bin does with its records; `None` for a kind whose records are removed in another way.
    pub bin: Option<BinOps>,
}

/// What the bin does with the records of a kind.
#[derive(Clone, Copy, Debug)]
pub struct BinOps {
    /// Returns what the bin shows of a record; `None` when the reader may not see it.
    pub summary: fn(&TenantRead<'_>, Reader, &Stored<Binned>) -> Result<Option<Summary>>,
    /// Takes a record out of the bin.
    /// Errors: `not_found` when it is not there; `conflict` when a unique value is taken.
    pub restore: fn(&TenantWrite<'_>, [u8; 16]) -> Result<()>,
}

impl RecordKind {
    /// Describes a kind. `link` is the path of a record in the application, before its id.
    pub const fn of<R: KindRecord>(name: &'static str, link: &'static str, rights: KindRights) -> Self {
        Self {
            kind: <R as Record>::KIND,
            name,
            rights,
            searchable: Searchable::of::<R>(),
            live: LiveKind::to_holders::<R>(rights.read),
            menu: None,
            is_activity: R::is_activity,
            link,
            summary: summary::<R>,
            bin: Some(BinOps { summary: binned_summary::<R>, restore: restore::<R> }),
        }
    }

    /// Marks a kind whose records are removed in another way than into the bin.
    pub const fn without_bin(mut self) -> Self {
        self.bin = None;
        self
    }

    /// Adds an entry to the navigation.
    pub const fn in_menu(mut self, menu: Menu) -> Self {
        self.menu = Some(menu);
        self
    }

    /// Restricts the live updates of single records to fewer members.
    pub const fn restricted<R: KindRecord>(
        mut self,
        restrict: fn(&TenantRead<'_>, [u8; 16]) -> Result<Option<Restricted>>,
    ) -> Self {
        self.live = LiveKind::to_holders_or_restricted::<R>(self.rights.read, restrict);
        self
    }

    /// Returns the path of a record in the application.
    pub fn link(&self, id: Uuid) -> String {
        format!("{}{id}", self.link)
    }

    /// Returns the card of a record; `None` when it is gone or the reader may not see it.
    pub fn find_card(&self, tx: &TenantRead<'_>, reader: Reader, id: Uuid) -> Result<Option<Card>> {
        if !reader.role.has(self.rights.read) {
            return Ok(None);
        }
        let summary = (self.summary)(tx, reader, id.into_bytes())?;
        Ok(summary.map(|Summary { title, subtitle, done }| Card {
            title,
            subtitle: subtitle.filter(|subtitle| !subtitle.is_empty()),
            link: self.link(id),
            done,
        }))
    }
}

fn summary<R: KindRecord>(tx: &TenantRead<'_>, reader: Reader, id: [u8; 16]) -> Result<Option<Summary>> {
    let record = tx.find_intact::<R>(Id::from_bytes(id))?.filter(|record| R::is_visible_to(record, reader));
    record.map_or(Ok(None), |record| R::summary(tx, &record))
}

fn binned_summary<R: KindRecord>(
    tx: &TenantRead<'_>,
    reader: Reader,
    binned: &Stored<Binned>,
) -> Result<Option<Summary>> {
    let record = binned.open::<R>(Id::from_bytes(*binned.id.as_bytes()))?;
    if !R::is_visible_to(&record, reader) {
        return Ok(None);
    }
    let summary = R::summary(tx, &record)?;
    // Records that have no card, such as the headings between tasks, are shown by their title.
    Ok(Some(summary.unwrap_or_else(|| Summary { title: record.title().unwrap_or_default(), ..Summary::default() })))
}

fn restore<R: KindRecord>(tx: &TenantWrite<'_>, id: [u8; 16]) -> Result<()> {
    let record = tx.restore::<R>(Id::from_bytes(id), |record| R::adapt_restored(tx, record))?;
    R::after_restore(tx, &record)
}
