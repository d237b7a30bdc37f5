//! Bits turn over in a store that holds all kinds of the product (the golden store): nothing panics, no list, search or
//! export says what is not true, and what is missing from an answer is found by the check.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use rand::{RngExt, SeedableRng, rngs::StdRng};
use serde_json::{Value, json};

use super::damage::{Base, config};
use crate::{
    cli::{Answer, Command, Tools},
    features,
    kernel::Timestamp,
    store::{Home, harm},
    testing::{As, Got, NOW, TestApp, setting},
};

/// How many bits are turned, one at a time, unless `ATRIUM_FLIPS` says otherwise.
const FLIPS: u64 = 10;

/// What is read of each company. Lists that a sign-in itself adds to are in it, too: it adds the same each time.
const READ: [&str; 15] = [
    "/api/common/user",
    "/api/customers",
    "/api/tasks",
    "/api/pages",
    "/api/events?from=2026-11-01&to=2026-12-30",
    "/api/team",
    "/api/team/former",
    "/api/audit",
    "/api/common/messages",
    "/api/messages/sent",
    "/api/common/notifications",
    "/api/common/shortcuts",
    "/api/apps/chat/chats",
    "/api/auth/factors",
    "/api/settings/company",
];

/// What is searched for: names in the golden store.
const SEARCHED: [&str; 3] = ["full", "ada", "a"];

/// An answer and the texts, numbers and truth values in it, each with the name of its member.
struct Said {
    body: Value,
    parts: BTreeSet<(String, String)>,
}

/// Answers by what was asked.
type Answers = BTreeMap<String, Said>;

/// The parts of a value. How many there are in all, and how many are damaged, is told by the lists themselves; ids of
/// what this run has made itself come from chance.
fn parts(value: &Value, name: &str, found: &mut BTreeSet<(String, String)>) {
    let now = serde_json::to_value(Timestamp::from_millis(NOW + 60_000)).unwrap();
    match value {
        Value::Object(members) if members.values().any(|value| *value == now) => {
            members.iter().filter(|(name, _)| *name != "id").for_each(|(name, value)| parts(value, name, found));
        }
        Value::Object(members) => members.iter().for_each(|(name, value)| parts(value, name, found)),
        Value::Array(items) => items.iter().for_each(|item| parts(item, name, found)),
        _ if ["total", "damaged", "nextCursor"].contains(&name) => {}
        plain => drop(found.insert((name.to_owned(), plain.to_string()))),
    }
}

/// Everything that one company's administrator can read, and what went wrong instead.
async fn read(who: &As) -> BTreeMap<String, Got> {
    let mut answers = BTreeMap::new();
    for path in READ {
        answers.insert(path.to_owned(), who.get(path).await);
    }
    for word in SEARCHED {
        let got = who.post("/api/common/search", json!({"query": word})).await;
        answers.insert(format!("search for {word}"), got);
        let path = format!("/api/customers?q={word}");
        answers.insert(path.clone(), who.get(&path).await);
    }
    answers
}

/// The rows of a company's file: all behind its title, which holds the moment.
fn rows_of(file: &Path) -> Vec<u8> {
    let bytes = fs::read(file).unwrap();
    let length = u32::from_be_bytes(bytes[9..13].try_into().unwrap()) as usize;
    bytes[21 + length..].to_vec()
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    fs::set_permissions(to, fs::metadata(from).unwrap().permissions()).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let place = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &place);
        } else {
            // The index may still remove a file of its own that a merge has replaced.
            match fs::copy(entry.path(), place) {
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                copied => drop(copied.unwrap()),
            }
        }
    }
}

/// What a data directory says of itself: what the check finds, the other company's file, and what each company reads.
/// None when it cannot be opened.
struct NotificationDraft {
    damages: Vec<String>,
    export: Option<Vec<u8>>,
    companies: Vec<Option<BTreeMap<String, Got>>>,
}

async fn ask(original: &Path) -> Option<NotificationDraft> {
    let out = tempfile::tempdir().unwrap();
    let file = out.path().join("other.company");
    let (damages, export) = {
        // An export is noted in the audit log at the machine's own time: what people read is read from another copy.
        let data = &out.path().join("data");
        copy(original, data);
        let home = Home::take(data).unwrap();
        let tools = Tools::open(&home, &config(data)).ok()?;
        let damages = match tools.perform(Command::Check).await {
            Ok(Answer::Checked(report)) => report.damages,
            Ok(_) => unreachable!("a check answers with its report"),
            Err(error) => vec![format!("{error:?}")],
        };
        let export = Command::ExportTenant { slug: "other".to_owned(), file: file.clone() };
        let whole = match tools.perform(export).await {
            Ok(Answer::TenantExported(export)) => export.damaged == 0,
            Ok(_) => unreachable!("an export answers with what it wrote"),
            Err(_) => false,
        };
        (damages, whole.then(|| rows_of(&file)))
    };
    let house = TestApp::reopened(original).ok()?;
    let mut companies = Vec::new();
    for email in ["admin@acme.example", "admin@other.example"] {
        companies.push(match house.try_sign_in(email).await {
            Ok(who) => Some(read(&who).await),
            Err(got) => {
                assert!(got.status < 500 || is_explained(&got), "{email}: {got:?}");
                None
            }
        });
    }
    house.close().await;
    Some(NotificationDraft { damages, export, companies })
}

/// Whether an answer says that something is damaged, or that the disk is.
fn is_explained(got: &Got) -> bool {
    ["damaged", "busy"].contains(&got.body["error"]["code"].as_str().unwrap_or_default())
}

/// Holds a directory with a turned bit to the truth. Whether it said all of it.
fn hold(told: &NotificationDraft, truth: &[Answers], export: &[u8], what: &str) -> bool {
    let mut whole = told.export.is_some();
    if let Some(rows) = &told.export {
        assert!(rows == export, "{what}: the export of the other company says something else");
    }
    for (company, truth) in told.companies.iter().zip(truth) {
        let Some(company) = company else {
            whole = false;
            continue;
        };
        for (path, got) in company {
            if got.status != 200 {
                assert!(got.status < 500 || is_explained(got), "{what} {path}: {got:?}");
                whole = false;
                continue;
            }
            let mut found = BTreeSet::new();
            parts(&got.body, "", &mut found);
            let wrong: Vec<_> = found.difference(&truth[path].parts).collect();
            assert!(
                wrong.is_empty() || !told.damages.is_empty(),
                "{what} {path}: {wrong:?}, and the check finds nothing"
            );
            // Texts are always those that somebody wrote; figures that were counted anew may be others.
            let texts: Vec<_> = wrong.into_iter().filter(|(_, value)| value.starts_with('"')).collect();
            assert!(texts.is_empty(), "{what} {path}: {texts:?}");
            whole &= got.body == truth[path].body;
        }
    }
    whole
}

#[tokio::test]
async fn turned_bits_in_a_store_of_all_kinds_are_never_served_and_always_found() {
    let base = Base::new().await;
    let scratch = tempfile::tempdir().unwrap();
    let fresh = |name: String| {
        let data = scratch.path().join(name);
        copy(&base.data(), &data);
        data
    };
    let intact = ask(&fresh("intact".to_owned())).await.unwrap();
    assert_eq!(intact.damages, Vec::<String>::new());
    let truth: Vec<Answers> = intact
        .companies
        .into_iter()
        .map(|company| {
            let said = |(path, got): (String, Got)| {
                assert_eq!(got.status, 200, "{path}: {}", got.body);
                let mut found = BTreeSet::new();
                parts(&got.body, "", &mut found);
                (path, Said { body: got.body, parts: found })
            };
            company.unwrap().into_iter().map(said).collect()
        })
        .collect();
    let export = intact.export.unwrap();

    let bytes = fs::read(base.store()).unwrap();
    let mut tables: BTreeMap<u16, Vec<Vec<u8>>> = BTreeMap::new();
    for (key, value) in harm::rows(&base.store()) {
        tables.entry(harm::place(&key).1).or_default().push(value);
    }
    let kinds = features::TABLES.iter().filter(|info| tables.contains_key(&info.table)).count();
    assert!(kinds >= 27, "the store holds {kinds} kinds only");

    let mut dice = StdRng::seed_from_u64(setting("ATRIUM_FLIPS_SEED", 23));
    let flips = setting("ATRIUM_FLIPS", FLIPS);
    let mut unopened = 0;
    let mut hurt = 0;
    for count in 0..flips {
        // Half of the bits are turned anywhere, half in a row of a kind that is chosen first: all kinds have their turn.
        let mut place = dice.random_range(0..bytes.len());
        let mut table = None;
        if count % 2 == 1 {
            let (number, values) = tables.iter().nth(dice.random_range(0..tables.len())).unwrap();
            let value = &values[dice.random_range(0..values.len())];
            if let Some(start) = bytes.windows(value.len()).position(|part| part == value) {
                place = start + dice.random_range(0..value.len());
                table = Some(*number);
            }
        }
        let bit = dice.random_range(0..8_u32);
        let what = format!("bit {bit} of byte {place} (table {table:?}), flip {count}");
        let data = fresh(format!("flip-{count}"));
        let mut turned = bytes.clone();
        turned[place] ^= 1 << bit;
        fs::write(data.join("store.redb"), turned).unwrap();
        match ask(&data).await {
            None => unopened += 1,
            Some(told) => {
                let whole = hold(&told, &truth, &export, &what);
                assert!(whole || !told.damages.is_empty(), "{what}: something is missing, and the check finds nothing");
                hurt += u64::from(!told.damages.is_empty());
            }
        }
        fs::remove_dir_all(data).unwrap();
    }
    assert!((hurt + unopened) * 4 > flips, "{hurt} of the bits hit something kept, {unopened} the file's own pages");
}
