//! Damaged index files: the index opens, searches never fail and show nothing wrong, and a rebuild makes everything
//! searchable again.

use std::fs;
use std::path::{Path, PathBuf};

use super::*;
use crate::index::verify_folder;

const RECORDS: u64 = 60;

fn title(number: u64) -> String {
    format!("Record {number} {}", NAMES[usize::try_from(number).unwrap() % NAMES.len()])
}

fn record(number: u64) -> Document {
    contact(number, &title(number), &[&format!("r{number}@acme.example")])
}

/// An index with several segments, removed records and another tenant's records.
fn filled() -> TestIndex {
    let test_index = TestIndex::new();
    for batch in 0..3 {
        test_index.put(tenant(1), (batch * 20..batch * 20 + 25).map(record));
        test_index.put(tenant(2), (100..120).map(|number| document(Heading::Contacts, number, "Record of others")));
    }
    let gone = (60..65).map(|number| removed(tenant(1), &record(number)));
    test_index.engine.apply(gone, test_index.engine.reached() + 1).unwrap();
    test_index.engine.commit().unwrap();
    test_index
}

fn files(dir: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { files.extend(self::files(&path)) } else { files.push(path) }
    }
    files.sort();
    files
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let to = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &to);
        } else {
            fs::copy(&path, to).unwrap();
        }
    }
}

/// Searches by every stage and checks that all hits were written, by this tenant.
fn search_soundly(engine: &Engine) -> usize {
    let index = engine.tenant(tenant(1));
    let mut found = 0;
    for typed in ["record", "rec", "record 1", "garcia", "recrod", "acme", "@acme", "r1", "cme.ex", "jose 2"] {
        for (_, hits) in index.find(typed, &Heading::ALL, 50) {
            for hit in hits {
                let number = u64::from_be_bytes(hit.id[8..].try_into().unwrap());
                assert_eq!(hit.title, title(number), "{typed}");
                found += 1;
            }
        }
        found += index.find_ids(typed, Heading::Contacts, "customer", 50).len();
    }
    found
}

/// Opens an index that may be damaged, and repairs it as the writing loop does.
fn repair_and_rebuild(dir: &Path, what: &str) {
    let (engine, opened) = Engine::open(dir, options()).unwrap_or_else(|error| panic!("{what}: {error}"));
    if let Opened::Resumed { .. } = opened {
        search_soundly(&engine);
        let _ = engine.verify();
        // Damage that was not detected must not stop writing for good.
        let _ = engine.apply([entry(tenant(1), record(1))], 1_000).and_then(|()| engine.commit());
    }
    if let Opened::RebuildNeeded { .. } = engine.reopen().unwrap_or_else(|error| panic!("{what}: {error}")) {
        assert_eq!(search_soundly(&engine), 0, "{what}: empty until it is built anew");
    }
    let mut rebuild = engine.rebuild().unwrap();
    (0..RECORDS).for_each(|number| rebuild.add(&entry(tenant(1), record(number))).unwrap());
    rebuild.finish(5).unwrap();
    let index = engine.tenant(tenant(1));
    assert_eq!(index.find_ids("record", Heading::Contacts, "customer", 1_000).len() as u64, RECORDS, "{what}");
    engine.verify().unwrap();
}

#[test]
fn index_recovers_from_damage_to_any_file() {
    let TestIndex { engine, dir } = filled();
    drop(engine);
    let originals = files(dir.path());
    assert!(originals.len() > 10);
    let mut dice = Dice(99);
    let mut trials = 0;
    for file in &originals {
        let name = file.strip_prefix(dir.path()).unwrap();
        let bytes = fs::read(file).unwrap();
        if bytes.is_empty() {
            continue;
        }
        let half = bytes[..bytes.len() / 2].to_vec();
        let mut kinds: Vec<(&str, Option<Vec<u8>>)> =
            vec![("removed", None), ("emptied", Some(Vec::new())), ("halved", Some(half))];
        for _ in 0..4 {
            let mut flipped = bytes.clone();
            let at = dice.roll(flipped.len());
            flipped[at] ^= 1 << dice.roll(8);
            kinds.push(("flipped", Some(flipped)));
        }
        // Not every kind of damage with each file: they alternate.
        for (kind, damaged) in kinds {
            if trials % 4 != 0 {
                trials += 1;
                continue;
            }
            trials += 1;
            let place = tempfile::tempdir().unwrap();
            copy(dir.path(), place.path());
            let target = place.path().join(name);
            match damaged {
                None => fs::remove_file(&target).unwrap(),
                Some(damaged) => fs::write(&target, damaged).unwrap(),
            }
            repair_and_rebuild(place.path(), &format!("{} {kind}", name.display()));
        }
    }
}

#[test]
fn verifying_a_folder_finds_damage_and_changes_nothing() {
    let TestIndex { engine, dir } = filled();
    drop(engine);
    let contents = |dir: &Path| files(dir).into_iter().map(|file| (file.clone(), fs::read(file).unwrap())).collect();
    verify_folder(dir.path()).unwrap();
    verify_folder(&dir.path().join("missing")).unwrap();
    let kinds = ["store", "idx", "term", "fast", "fieldnorm"];
    let is_of = |file: &PathBuf, kind| file.extension().is_some_and(|it| it == kind);
    for kind in kinds {
        let place = tempfile::tempdir().unwrap();
        copy(dir.path(), place.path());
        let target = files(place.path()).into_iter().find(|file| is_of(file, kind)).unwrap();
        let mut bytes = fs::read(&target).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        fs::write(&target, bytes).unwrap();
        let before: Vec<(PathBuf, Vec<u8>)> = contents(place.path());
        assert!(verify_folder(place.path()).is_err(), "{kind}");
        assert_eq!(contents(place.path()), before, "{kind}");
    }
    let file = dir.path().join("file");
    fs::write(&file, "not a folder").unwrap();
    assert!(verify_folder(&file).is_err());
}

#[test]
fn index_recovers_from_a_missing_or_unexpected_directory() {
    let TestIndex { engine, dir } = filled();
    drop(engine);
    let generation = fs::read_dir(dir.path()).unwrap().next().unwrap().unwrap().path();
    fs::remove_dir_all(&generation).unwrap();
    repair_and_rebuild(dir.path(), "no generation");
    fs::remove_dir_all(dir.path()).unwrap();
    repair_and_rebuild(dir.path(), "no directory");
    let file = dir.path().join("file");
    fs::write(&file, "not a directory").unwrap();
    repair_and_rebuild(&file, "a file in its place");
    fs::remove_dir_all(&file).unwrap();
    fs::write(dir.path().join("00000099"), "not a directory").unwrap();
    fs::create_dir(dir.path().join("00000098")).unwrap();
    fs::write(dir.path().join("notes.txt"), "somebody's").unwrap();
    repair_and_rebuild(dir.path(), "strange things");
    assert!(dir.path().join("notes.txt").exists(), "what is not ours stays");
}

#[test]
fn engine_survives_files_damaged_while_it_runs() {
    for way in ["cut", "flip", "remove"] {
        let TestIndex { engine, dir } = filled();
        let before = search_soundly(&engine);
        assert!(before > 50);
        for file in files(dir.path()) {
            let mut bytes = fs::read(&file).unwrap();
            match way {
                "cut" => {
                    fs::OpenOptions::new().write(true).open(&file).unwrap().set_len(bytes.len() as u64 / 3).unwrap();
                }
                "flip" => {
                    bytes.iter_mut().step_by(7).for_each(|byte| *byte ^= 0x10);
                    // In place, as a bad disk does; a new file would leave the open one intact.
                    let mut open = fs::OpenOptions::new().write(true).open(&file).unwrap();
                    std::io::Write::write_all(&mut open, &bytes).unwrap();
                }
                _ => fs::remove_file(&file).unwrap(),
            }
        }
        search_soundly(&engine);
        assert!(engine.verify().is_err(), "{way}: noticed");
        let _ = engine.apply([entry(tenant(1), record(1))], 1_000).and_then(|()| engine.commit());
        search_soundly(&engine);
        assert!(matches!(engine.reopen().unwrap(), Opened::RebuildNeeded { .. }), "{way}");
        let mut rebuild = engine.rebuild().unwrap();
        (0..RECORDS).for_each(|number| rebuild.add(&entry(tenant(1), record(number))).unwrap());
        rebuild.finish(1).unwrap();
        engine.verify().unwrap();
        assert!(search_soundly(&engine) >= 50, "{way}");
    }
}

#[tokio::test]
async fn search_on_a_damaged_index_signals_the_damage() {
    let TestIndex { engine, dir } = filled();
    for file in files(dir.path()).into_iter().filter(|file| file.extension().is_some_and(|kind| kind == "store")) {
        fs::OpenOptions::new().write(true).open(&file).unwrap().set_len(3).unwrap();
    }
    assert!(engine.tenant(tenant(1)).find("record", &Heading::ALL, 5).is_empty());
    engine.wait_for_damage().await;
    assert!(matches!(engine.reopen().unwrap(), Opened::RebuildNeeded { .. }));
}

#[test]
fn older_index_shape_requires_a_rebuild() {
    let TestIndex { engine, dir } = filled();
    drop(engine);
    let meta = files(dir.path()).into_iter().find(|file| file.ends_with("meta.json")).unwrap();
    let json = fs::read_to_string(&meta).unwrap();
    let mut meta_json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let older = xxhash_rust::xxh3::xxh3_64(b"0 7 true");
    meta_json["payload"] = format!("{{\"shape\":0,\"reached\":7,\"complete\":true,\"check\":{older}}}").into();
    fs::write(&meta, meta_json.to_string()).unwrap();
    let (engine, opened) = Engine::open(dir.path(), options()).unwrap();
    assert!(matches!(opened, Opened::RebuildNeeded { .. }), "{opened:?}");
    assert_eq!(search_soundly(&engine), 0);
    assert!(!dir.path().join("damaged").exists(), "old is not damaged");
}

#[test]
fn overwrites_a_leftover_file_unless_a_reader_has_it_open() {
    use std::io::Write as _;

    use tantivy::Directory as _;

    let folder = tempfile::tempdir().unwrap();
    let files = super::super::files::Files::open(folder.path()).unwrap();
    let path = Path::new("segment.7.del");
    fs::write(folder.path().join(path), b"half").unwrap();
    files.open_write(path).unwrap().write_all(b"whole").unwrap();
    assert_eq!(fs::read(folder.path().join(path)).unwrap(), b"whole");
    let reader = files.get_file_handle(path).unwrap();
    assert!(files.open_write(path).is_err());
    assert_eq!(reader.read_bytes(0..5).unwrap().as_slice(), b"whole");
}
