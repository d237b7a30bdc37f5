//! Bit flip tests on the golden store, which has all kinds of records: no bit flip causes a panic or wrong data in a
//! list, search or export, and the check finds what is missing from a response.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use rand::{RngExt, SeedableRng, rngs::StdRng};
use serde_json::{Value, json};

use super::damage::{Base, config};
use crate::{
    cli::{Answer, Command, Context, ExportTenant},
    features,
    kernel::Timestamp,
    store::{Home, harm},
    testing::{As, Got, NOW, TestApp, copy_folder, kinds_with_parts, list_path, setting, wait_for},
};

/// The number of bits that are flipped, one at a time; `ATRIUM_FLIPS` overrides it.
const FLIPS: u64 = 10;

/// The paths that are read in each tenant, besides the lists of all kinds. They include lists that a sign-in adds to: it adds the same each time.
const READ: [&str; 12] = [
    "/api/common/user",
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

/// The search texts: names in the golden store.
const SEARCHED: [&str; 3] = ["full", "ada", "a"];

/// A response with the texts, numbers and booleans in it, each with its property's name.
struct Said {
    body: Value,
    parts: BTreeSet<(String, String)>,
}

/// Responses by request.
type Answers = BTreeMap<String, Said>;

/// Collects the values in a response, except the lists' own totals, counts of damaged records and marks that they may lack
/// some, and except random ids that this run created.
fn parts(value: &Value, name: &str, found: &mut BTreeSet<(String, String)>) {
    let now = serde_json::to_value(Timestamp::from_millis(NOW + 60_000)).unwrap();
    match value {
        Value::Object(members) if members.values().any(|value| *value == now) => {
            members.iter().filter(|(name, _)| *name != "id").for_each(|(name, value)| parts(value, name, found));
        }
        // The name of a group in which a search found nothing, while the index may lack records.
        Value::Object(members) if members.get("partial").is_some() && members.get("results") == Some(&json!([])) => {}
        Value::Object(members) => members.iter().for_each(|(name, value)| parts(value, name, found)),
        Value::Array(items) => items.iter().for_each(|item| parts(item, name, found)),
        _ if ["total", "damaged", "nextCursor", "partial"].contains(&name) => {}
        plain => drop(found.insert((name.to_owned(), plain.to_string()))),
    }
}

/// Reads everything that a tenant's administrator can read.
async fn read(who: &As) -> BTreeMap<String, Got> {
    let mut answers = BTreeMap::new();
    let lists = kinds_with_parts().filter(|kind| kind.kind != "event").map(list_path);
    for path in READ.map(str::to_owned).into_iter().chain(lists) {
        let got = who.get(&path).await;
        answers.insert(path, got);
    }
    for word in SEARCHED {
        let got = who.post("/api/common/search", json!({"query": word})).await;
        answers.insert(format!("search for {word}"), got);
        let path = format!("/api/customers?q={word}");
        answers.insert(path.clone(), who.get(&path).await);
    }
    answers
}

/// Returns the rows of a tenant's file: all after its header, which contains the time.
fn rows_of(file: &Path) -> Vec<u8> {
    let bytes = fs::read(file).unwrap();
    let length = u32::from_be_bytes(bytes[9..13].try_into().unwrap()) as usize;
    bytes[21 + length..].to_vec()
}

/// The state of a data directory: the findings of the check, the other tenant's export, and what each tenant reads.
/// `None` when the directory cannot be opened.
struct DirectoryState {
    damages: Vec<String>,
    export: Option<Vec<u8>>,
    companies: Vec<Option<BTreeMap<String, Got>>>,
}

async fn ask(original: &Path) -> Option<DirectoryState> {
    let out = tempfile::tempdir().unwrap();
    let file = out.path().join("other.company");
    let (damages, export) = {
        // An export writes the system time to the audit log, so requests read from another copy.
        let data = &out.path().join("data");
        copy_folder(original, data);
        let home = Home::take(data).unwrap();
        let context = Context::open(&home, &config(data)).ok()?;
        let damages = match Command::Check.execute(&context).await {
            Ok(Answer::Checked(report)) => report.damages,
            Ok(_) => unreachable!("a check answers with its report"),
            Err(error) => vec![format!("{error:?}")],
        };
        let export = Command::ExportTenant(ExportTenant { slug: "other".to_owned(), file: file.clone() });
        let whole = match export.execute(&context).await {
            Ok(Answer::TenantExported(export)) => export.damaged == 0,
            Ok(_) => unreachable!("an export answers with what it wrote"),
            Err(_) => false,
        };
        (damages, whole.then(|| rows_of(&file)))
    };
    let app = TestApp::reopened(original).ok()?;
    if damages.is_empty() {
        wait_for("the index", async || (!app.app.engine().is_partial()).then_some(())).await;
    }
    let mut companies = Vec::new();
    for email in ["admin@acme.example", "admin@other.example"] {
        companies.push(match app.try_sign_in(email).await {
            Ok(who) => Some(read(&who).await),
            Err(got) => {
                assert!(got.status < 500 || is_explained(&got), "{email}: {got:?}");
                None
            }
        });
    }
    app.close().await;
    Some(DirectoryState { damages, export, companies })
}

/// Whether an error reports damage or a failing disk.
fn is_explained(got: &Got) -> bool {
    ["damaged", "busy"].contains(&got.body["error"]["code"].as_str().unwrap_or_default())
}

/// Compares a directory with a flipped bit with the intact one. Returns whether everything could be read.
fn hold(told: &DirectoryState, truth: &[Answers], export: &[u8], what: &str) -> bool {
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
            // Texts must be those that were stored; recomputed counts may differ.
            let texts: Vec<_> = wrong.into_iter().filter(|(_, value)| value.starts_with('"')).collect();
            assert!(texts.is_empty(), "{what} {path}: {texts:?}");
            whole &= got.body == truth[path].body;
        }
    }
    whole
}

#[tokio::test]
async fn flipped_bits_in_the_store_are_never_served_and_always_found() {
    let base = Base::new().await;
    let scratch = tempfile::tempdir().unwrap();
    let fresh = |name: String| {
        let data = scratch.path().join(name);
        copy_folder(&base.data(), &data);
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
        // Half of the bits are anywhere in the file; the other half are in a row of a randomly chosen kind, so that
        // small kinds are covered as well.
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
