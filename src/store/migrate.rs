//! Format migrations of the whole store, by a format number in the file. A newer format than this version knows is
//! refused. An older one is upgraded on a copy, which is checked before it replaces the original.

use std::{fs, path::Path, sync::Arc};

use super::{
    Home, STORE, cannot_open,
    disk::{FileDisk, put_in_place, sibling_path},
    errors::disk_error,
    format::set_format,
    quarantine::Damage,
    remove, steps,
    supervisor::{Options, Supervisor},
    view::{ROWS, Table},
};
use crate::kernel::{Code, Error, Result, progress::Progress};

/// The migration steps, each from one format to the next, starting at 1. Released steps never change.
pub(super) const STEPS: &[Step] = &[
    steps::index_references,
    steps::index_open_tasks,
    steps::index_channels,
    steps::index_administrators,
    steps::keep_figures_over_time,
    steps::index_files,
    steps::release_external_ids,
];

/// A migration step: changes the rows in one transaction.
pub(super) type Step = fn(&mut Table<'_>) -> Result<()>;

/// The error for a store that needs another version of Atrium.
pub(super) fn refused(found: u32, known: usize) -> Error {
    let params = vec![("found", found.to_string()), ("known", (known + 1).to_string())];
    Error::new(Code::Internal)
        .say("errors.store_format", params)
        .with_detail(format_args!("the store has format {found}, this Atrium knows {}", known + 1))
}

/// Upgrades a closed store to the newest format of `steps`. Keeps the original as `<file>.format-<n>`. An interruption
/// at any point leaves the original intact, and the next attempt starts over.
/// Errors: `internal` when the format is newer, or the copy has damage that the original does not have; `busy` when the
/// disk fails. The original is unchanged then.
pub(super) fn upgrade(file: &Path, steps: &[Step]) -> Result<()> {
    let options = || Options { reserve_bytes: 0, ..Options::default() };
    let disk = Arc::new(FileDisk::open(file).map_err(cannot_open)?);
    let original = Supervisor::open(disk, options())?;
    let found = original.format();
    let ahead = usize::try_from(found).ok().and_then(|found| steps.get(found.checked_sub(1)?..));
    let ahead = ahead.ok_or_else(|| refused(found, steps.len()))?;
    if ahead.is_empty() {
        return Ok(());
    }
    let known_damage = damage(&original)?;
    let copy = sibling_path(file, "upgrade");
    remove(&copy)?;
    original.snapshot()?.copy_to_file(&copy, &Progress::default())?;
    {
        let upgraded = Supervisor::open(Arc::new(FileDisk::open(&copy).map_err(cannot_open)?), options())?;
        let database = upgraded.writable()?;
        for (format, step) in (found + 1..).zip(ahead) {
            let mut transaction = database.begin_write().map_err(disk_error)?;
            transaction.set_quick_repair(true);
            {
                let mut rows = transaction.open_table(ROWS).map_err(disk_error)?;
                step(&mut rows)?;
                set_format(&mut rows, format)?;
            }
            transaction.commit().map_err(disk_error)?;
            tracing::info!(format, "the store was upgraded");
        }
        drop(database);
        if let Some(damage) = damage(&upgraded)?.into_iter().find(|damage| !known_damage.contains(damage)) {
            return Err(Error::internal(format_args!("the upgraded store would have damage: {damage}")));
        }
    }
    let kept = sibling_path(file, &format!("format-{found}"));
    remove(&kept)?;
    fs::hard_link(file, &kept).or_else(|_| fs::copy(file, &kept).map(drop)).map_err(disk_error)?;
    put_in_place(&copy, file).map_err(disk_error)
}

/// Whether opening the store of a data directory upgrades its file to a newer format.
/// Errors: `busy` when the file cannot be read; `damaged` when it is damaged; `internal` when it is no store.
pub fn needs_upgrade(home: &Home) -> Result<bool> {
    let options = Options { reserve_bytes: 0, ..Options::default() };
    let disk = FileDisk::open(&home.path().join(STORE)).map_err(cannot_open)?;
    Ok(usize::try_from(Supervisor::open(Arc::new(disk), options)?.format()).is_ok_and(|found| found <= STEPS.len()))
}

fn damage(supervisor: &Supervisor) -> Result<Vec<Damage>> {
    Ok(supervisor.snapshot()?.check(&[], &mut |_| std::ops::ControlFlow::Continue(()))?.damage)
}

#[cfg(test)]
mod tests {
    use redb::ReadableTable;

    use super::*;
    use crate::{
        kernel::{Clock, Entropy},
        store::{
            Store,
            codec::seal,
            format::FORMAT,
            keys::{self, Space},
            tests::world::{fill, verify_filled},
        },
    };

    fn open_store(file: &Path) -> Result<Store> {
        Store::open(file, Clock::system(), Entropy::seeded(1))
    }

    /// The released steps, one step that writes a row, and one that requires this row.
    fn with_two_more() -> Vec<Step> {
        let mut steps = STEPS.to_vec();
        steps.extend_from_slice(TWO);
        steps
    }

    const TWO: &[Step] = &[
        |rows| {
            let key = keys::table(Space::SYSTEM, keys::REPLIES);
            let sealed = seal(&key, 1, b"made by the first step");
            rows.insert(key.as_slice(), sealed.as_slice()).map_err(disk_error)?;
            Ok(())
        },
        |rows| {
            let key = keys::table(Space::SYSTEM, keys::REPLIES);
            let seen = rows.get(key.as_slice()).map_err(disk_error)?.is_some();
            if seen { Ok(()) } else { Err(Error::internal("the first step comes first")) }
        },
    ];

    #[tokio::test]
    async fn upgrade_works_on_a_copy_and_keeps_the_older_store() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("store.redb");
        fill(&open_store(&file).unwrap()).await;
        // Left over from an interrupted attempt; it must not matter.
        fs::write(sibling_path(&file, "upgrade"), "half a copy").unwrap();
        upgrade(&file, &with_two_more()).unwrap();
        let upgraded = Supervisor::open(Arc::new(FileDisk::open(&file).unwrap()), Options::default()).unwrap();
        assert_eq!(upgraded.format(), FORMAT + 2);
        verify_filled(&upgraded.snapshot().unwrap());
        drop(upgraded);
        verify_filled(&open_store(&sibling_path(&file, &format!("format-{FORMAT}"))).unwrap().snapshot().unwrap());
        // This version does not know that format.
        let refused = open_store(&file).err().unwrap();
        assert_eq!(refused.message().unwrap().key, "errors.store_format");
        upgrade(&file, &with_two_more()).unwrap();
    }

    #[tokio::test]
    async fn failing_or_harmful_upgrade_step_changes_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("store.redb");
        fill(&open_store(&file).unwrap()).await;
        let harm: Step = |rows| {
            let last = rows.last().map_err(disk_error)?.map(|(key, _)| key.value().to_vec()).unwrap_or_default();
            rows.insert(last.as_slice(), b"not a row".as_slice()).map_err(disk_error)?;
            Ok(())
        };
        let fails: Step = |_| Err(Error::internal("a step that fails"));
        for step in [harm, fails] {
            let steps = [STEPS, &[step]].concat();
            assert_eq!(upgrade(&file, &steps).unwrap_err().code(), Code::Internal);
            let store = open_store(&file).unwrap();
            verify_filled(&store.snapshot().unwrap());
        }
    }
}
