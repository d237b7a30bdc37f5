//! Generations of the index on disk. Each rebuild writes a directory of its own, a generation, so that searches never
//! see an incomplete index and a crash during a rebuild loses nothing.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tantivy::directory::{Directory as _, footer::Footer};
use tantivy::indexer::{IndexWriterOptions, LogMergePolicy};
use tantivy::{Index, IndexReader, IndexWriter, ReloadPolicy, Term};
use xxhash_rust::xxh3::xxh3_64;

use super::files::Files;
use super::schema::{NAMES_FIELD, SCHEMA_VERSION, schema, settings};
use super::snapshot::Snapshot;
use super::waiting::WaitingDocument;
use super::{Error, Options};

/// Writes documents, which wait for it in a [`super::waiting::WaitingRoom`].
pub(super) type Writer = IndexWriter<WaitingDocument>;

/// Name of the directory that keeps a damaged generation for diagnosis.
const DAMAGED_DIR: &str = "damaged";
/// Number of document store blocks cached per segment.
const CACHED_BLOCKS: usize = 32;

/// The payload of each commit. It has its own checksum, since its file has none.
#[derive(Debug, Serialize, Deserialize)]
struct CommitPayload {
    shape: u32,
    reached: u64,
    /// Whether the generation was filled completely; an incomplete one is unusable.
    complete: bool,
    check: u64,
}

impl CommitPayload {
    fn new(reached: u64, complete: bool) -> CommitPayload {
        Self { shape: SCHEMA_VERSION, reached, complete, check: Self::check(SCHEMA_VERSION, reached, complete) }
    }

    fn check(shape: u32, reached: u64, complete: bool) -> u64 {
        xxh3_64(format!("{shape} {reached} {complete}").as_bytes())
    }

    fn is_sound(&self) -> bool {
        self.check == CommitPayload::check(self.shape, self.reached, self.complete)
    }
}

/// An open generation.
#[derive(Clone)]
pub(super) struct Generation {
    pub dir: PathBuf,
    index: Index,
    reader: IndexReader,
}

/// A usable generation with the sequence number it has reached, or the reason why there is none.
pub(super) enum NewestGeneration {
    Usable(Generation, u64),
    Unusable(String),
}

impl Generation {
    /// Opens the newest complete generation below `root` and removes all others: unfinished ones, replaced ones and
    /// those of another schema version. Moves a damaged one aside.
    pub fn open_newest(root: &Path, verify: bool) -> Result<NewestGeneration, Error> {
        if root.is_file() {
            std::fs::rename(root, root.with_extension(DAMAGED_DIR))?;
        }
        std::fs::create_dir_all(root)?;
        let mut why = String::from("there is none");
        let mut usable = None;
        for (_, dir) in Generation::list(root)?.into_iter().rev() {
            if usable.is_some() {
                remove(&dir)?;
                continue;
            }
            match super::guarded(|| Generation::open(&dir, verify)) {
                Ok(Some((generation, reached))) => usable = Some(NewestGeneration::Usable(generation, reached)),
                Ok(None) => {
                    why = String::from("it was not finished, or is of an older shape");
                    remove(&dir)?;
                }
                Err(Error::Damaged(what)) => {
                    why = what;
                    put_aside(root, &dir)?;
                }
                Err(error) => return Err(error),
            }
        }
        Ok(usable.unwrap_or(NewestGeneration::Unusable(why)))
    }

    /// Removes what a process left that was killed, or lost power, while it replaced a file: each is written under such a
    /// name first. No writer may be open.
    pub fn remove_drafts(root: &Path) -> Result<(), Error> {
        if !root.is_dir() {
            return Ok(());
        }
        for (_, dir) in Generation::list(root)? {
            // What is no directory fails when it is opened.
            let Ok(entries) = std::fs::read_dir(dir) else { continue };
            for entry in entries {
                let path = entry?.path();
                let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
                if name.starts_with(".tmp") || path.extension().is_some_and(|extension| extension == "draft") {
                    remove(&path)?;
                }
            }
        }
        Ok(())
    }

    /// Opens and verifies the newest complete generation below `root` without changing anything. A missing or unfinished
    /// index is not damaged: the next start builds it.
    pub fn find_newest(root: &Path) -> Result<Option<(Generation, u64)>, Error> {
        if root.is_file() {
            return Err(Error::Damaged("a file stands in place of its folder".to_owned()));
        }
        if !root.exists() {
            return Ok(None);
        }
        for (_, dir) in Generation::list(root)?.into_iter().rev() {
            if let Some(found) = Generation::open(&dir, true)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// Creates a new, empty generation below `root`, newer than all others.
    pub fn create(root: &Path) -> Result<Generation, Error> {
        std::fs::create_dir_all(root)?;
        let last = Generation::list(root)?.last().map_or(0, |(number, _)| *number);
        let dir = root.join(format!("{:08}", last + 1));
        std::fs::create_dir(&dir)?;
        let files = Files::open(&dir).map_err(tantivy::TantivyError::from)?;
        let index = Index::create(files, schema(), settings())?;
        Generation::from_index(dir, index)
    }

    fn open(dir: &Path, verify: bool) -> Result<Option<(Generation, u64)>, Error> {
        let files = Files::open(dir).map_err(tantivy::TantivyError::from)?;
        let index = Index::open(files)?;
        let metas = index.load_metas()?;
        let Some(payload) = metas.payload.as_deref() else { return Ok(None) };
        let damaged = || Error::Damaged("the mark of the last commit is unreadable".to_owned());
        let payload: CommitPayload = serde_json::from_str(payload).map_err(|_| damaged())?;
        if !payload.is_sound() {
            return Err(damaged());
        }
        if payload.shape != SCHEMA_VERSION || !payload.complete || metas.schema != schema() {
            return Ok(None);
        }
        let generation = Generation::from_index(dir.to_owned(), index)?;
        generation.snapshot()?;
        if verify {
            generation.verify()?;
        }
        Ok(Some((generation, payload.reached)))
    }

    fn from_index(dir: PathBuf, index: Index) -> Result<Generation, Error> {
        let reader = index.reader_builder().reload_policy(ReloadPolicy::Manual);
        let reader = reader.doc_store_cache_num_blocks(CACHED_BLOCKS).try_into()?;
        Ok(Generation { dir, index, reader })
    }

    /// Returns the directories of all generations, oldest first.
    fn list(root: &Path) -> Result<Vec<(u64, PathBuf)>, Error> {
        let mut all = Vec::new();
        for entry in std::fs::read_dir(root)? {
            let path = entry?.path();
            let number = path.file_name().and_then(|name| name.to_str()).and_then(|name| name.parse().ok());
            all.extend(number.map(|number| (number, path)));
        }
        all.sort_unstable();
        Ok(all)
    }

    /// Opens the generation for writing; only one writer may exist at a time.
    pub fn writer(&self, options: &Options, threads: usize) -> Result<Writer, Error> {
        let writing = IndexWriterOptions::builder()
            .num_worker_threads(threads)
            .memory_budget_per_thread(options.memory_per_thread)
            .num_merge_threads(1)
            .build();
        let writer = self.index.writer_with_options(writing)?;
        // tantivy gives the first change after opening the stamp of the last commit, and a merge that starts again skips
        // deletions with that stamp in segments that had deletions before: a document would stay for good.
        writer.delete_term(Term::from_field_bytes(NAMES_FIELD, &[]));
        let mut merging = LogMergePolicy::default();
        // Segments with half of their documents deleted are merged, so that deleted data does not stay on disk for
        // long.
        merging.set_del_docs_ratio_before_merge(0.5);
        writer.set_merge_policy(Box::new(merging));
        Ok(writer)
    }

    /// Makes everything written so far durable, together with the sequence number it reaches.
    pub fn commit(&self, writer: &mut Writer, reached: u64, complete: bool) -> Result<Arc<Snapshot>, Error> {
        let payload = serde_json::to_string(&CommitPayload::new(reached, complete));
        let mut commit = writer.prepare_commit()?;
        commit.set_payload(&payload.map_err(|error| Error::Failed(error.to_string()))?);
        commit.commit()?;
        self.reader.reload()?;
        self.snapshot()
    }

    pub fn snapshot(&self) -> Result<Arc<Snapshot>, Error> {
        Ok(Arc::new(Snapshot::new(self.reader.searcher())?))
    }

    /// Reads every file of the last commit and compares it with its checksum.
    pub fn verify(&self) -> Result<(), Error> {
        let files = Files::open(&self.dir).map_err(tantivy::TantivyError::from)?;
        for path in self.index.load_metas()?.list_segment_files() {
            let verified = verify_file(&files, &path);
            // A merge may have replaced the file in the meantime.
            if verified.is_err() && self.index.load_metas()?.list_segment_files().contains(&path) {
                return verified;
            }
        }
        Ok(())
    }
}

fn verify_file(files: &Files, path: &Path) -> Result<(), Error> {
    // A segment may list files that do not exist; a missing file that it needs fails when the segment is opened.
    if !files.exists(path).map_err(tantivy::TantivyError::from)? {
        return Ok(());
    }
    let (footer, body) = Footer::extract_footer(files.open_read(path).map_err(tantivy::TantivyError::from)?)?;
    let mut sum = crc32fast::Hasher::new();
    for chunk in body.stream_file_chunks() {
        sum.update(&chunk?);
    }
    if sum.finalize() != footer.crc {
        return Err(Error::Damaged(format!("{} does not match its checksum", path.display())));
    }
    Ok(())
}

/// Moves a damaged generation aside, replacing the previous one, so that they cannot fill the disk.
fn put_aside(root: &Path, dir: &Path) -> Result<(), Error> {
    let aside = root.join(DAMAGED_DIR);
    remove(&aside)?;
    std::fs::rename(dir, &aside)?;
    Ok(())
}

/// Removes a directory with its contents, or a file. Succeeds when it does not exist.
pub(super) fn remove(dir: &Path) -> Result<(), Error> {
    let removed = if dir.is_dir() { std::fs::remove_dir_all(dir) } else { std::fs::remove_file(dir) };
    match removed {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error.into()),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    //! A deletion that is lost: after a kill amid a merge, a record had a second, stale document for good.

    use tantivy::TantivyDocument;
    use tantivy::merge_policy::NoMergePolicy;

    use super::*;
    use crate::index::waiting::WaitingRoom;

    fn term(name: &str) -> Term {
        Term::from_field_bytes(NAMES_FIELD, name.as_bytes())
    }

    fn put(writer: &Writer, name: &str) {
        let mut document = TantivyDocument::new();
        document.add_bytes(NAMES_FIELD, name.as_bytes());
        writer.delete_term(term(name));
        writer.add_document(WaitingRoom::default().enter(document, 1)).unwrap();
    }

    #[test]
    fn drafts_of_files_are_removed_at_the_next_start() {
        let root = tempfile::tempdir().unwrap();
        let generation = Generation::create(root.path()).unwrap();
        let mut writer = generation.writer(&Options::default(), 1).unwrap();
        put(&writer, "one");
        generation.commit(&mut writer, 1, true).unwrap();
        let dir = generation.dir.clone();
        drop((writer, generation));
        let drafts = [".tmpAbC123", ".managed.draft"].map(|name| dir.join(name));
        for draft in &drafts {
            std::fs::write(draft, "half").unwrap();
        }
        let (engine, opened) = crate::index::Engine::open(root.path(), Options::default()).unwrap();
        assert_eq!((opened, engine.documents()), (crate::index::Opened::Resumed { reached: 1 }, 1));
        assert!(drafts.iter().all(|draft| !draft.exists()));
    }

    #[test]
    fn first_deletion_after_a_kill_amid_a_merge_is_kept() {
        let root = tempfile::tempdir().unwrap();
        let options = Options::default();
        let generation = Generation::create(root.path()).unwrap();
        let mut writer = generation.writer(&options, 1).unwrap();
        // As after a kill: the segments to merge are there, the merge is not.
        writer.set_merge_policy(Box::new(NoMergePolicy));
        // The segment with most documents leads the merge, and has no deletions.
        for n in 0..9 {
            let count = if n == 0 { 5 } else { 3 };
            (0..count).for_each(|at| put(&writer, &format!("{n}/{at}")));
            if n == 8 {
                // The last commit has a deletion in the segment that loses one below.
                writer.delete_term(term("5/0"));
            }
            generation.commit(&mut writer, n, true).unwrap();
        }
        drop((writer, generation));

        let NewestGeneration::Usable(generation, _) = Generation::open_newest(root.path(), false).unwrap() else {
            panic!("the index is usable");
        };
        let mut writer = generation.writer(&options, 1).unwrap();
        put(&writer, "5/1");
        generation.commit(&mut writer, 10, true).unwrap();
        writer.wait_merging_threads().unwrap();
        generation.reader.reload().unwrap();
        let searcher = generation.reader.searcher();
        assert!(searcher.segment_readers().len() < 5, "nothing was merged, so this shows nothing");
        assert_eq!(searcher.num_docs(), 5 + 8 * 3 - 1);
        let query = tantivy::query::TermQuery::new(term("5/1"), tantivy::schema::IndexRecordOption::Basic);
        assert_eq!(searcher.search(&query, &tantivy::collector::Count).unwrap(), 1);
    }
}
