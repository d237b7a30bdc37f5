//! Golden data tests: this version reads what earlier versions stored. `tests/golden/` has bytes of every kind of
//! record and a whole store, created by the commit that names its folder. The files never change: a changed record type
//! must still read them without losing a field.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt, fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
};

use flate2::read::GzDecoder;
use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, SeqAccess, Visitor},
};

use super::world;
use crate::{
    cli::{Answer, Command, Context},
    features::{
        self,
        customers::Customer,
        tasks::{Task, TaskType},
    },
    kernel::{Clock, Timestamp, hex},
    people::{members::tenant_by_slug, permission::Role},
    store::{Stored, TableInfo, harm},
    testing::TestApp,
};

/// Maximum rows of a kind that are written.
const MAX_WRITTEN: usize = 4;

/// The content of a payload, whatever its type.
#[derive(Clone, Debug, PartialEq)]
enum Any {
    Nothing,
    Flag(bool),
    Number(i128),
    Real(f64),
    Text(String),
    Bytes(Vec<u8>),
    List(Vec<Self>),
    Map(Vec<(Self, Self)>),
}

impl<'de> Deserialize<'de> for Any {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(Reader)
    }
}

struct Reader;

impl<'de> Visitor<'de> for Reader {
    type Value = Any;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("anything")
    }
    fn visit_unit<E>(self) -> Result<Any, E> {
        Ok(Any::Nothing)
    }
    fn visit_none<E>(self) -> Result<Any, E> {
        Ok(Any::Nothing)
    }
    fn visit_some<D: Deserializer<'de>>(self, from: D) -> Result<Any, D::Error> {
        Any::deserialize(from)
    }
    fn visit_bool<E>(self, value: bool) -> Result<Any, E> {
        Ok(Any::Flag(value))
    }
    fn visit_i64<E>(self, value: i64) -> Result<Any, E> {
        Ok(Any::Number(value.into()))
    }
    fn visit_u64<E>(self, value: u64) -> Result<Any, E> {
        Ok(Any::Number(value.into()))
    }
    fn visit_f64<E>(self, value: f64) -> Result<Any, E> {
        Ok(Any::Real(value))
    }
    fn visit_str<E>(self, value: &str) -> Result<Any, E> {
        Ok(Any::Text(value.to_owned()))
    }
    fn visit_bytes<E>(self, value: &[u8]) -> Result<Any, E> {
        Ok(Any::Bytes(value.to_vec()))
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut from: A) -> Result<Any, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = from.next_element()? {
            list.push(item);
        }
        Ok(Any::List(list))
    }
    fn visit_map<A: MapAccess<'de>>(self, mut from: A) -> Result<Any, A::Error> {
        let mut map = Vec::new();
        while let Some(entry) = from.next_entry()? {
            map.push(entry);
        }
        Ok(Any::Map(map))
    }
}

/// Returns the path of the first value in `old` that `new` lacks. A map in `new` may have further entries.
fn lost(old: &Any, new: &Any, path: &str) -> Option<String> {
    match (old, new) {
        (Any::Map(old), Any::Map(new)) => old.iter().find_map(|(name, value)| {
            let path = format!("{path}/{name:?}");
            match new.iter().find(|(known, _)| known == name) {
                Some((_, kept)) => lost(value, kept, &path),
                None => Some(path),
            }
        }),
        (Any::List(old), Any::List(new)) if old.len() == new.len() => {
            old.iter().zip(new).enumerate().find_map(|(at, (old, new))| lost(old, new, &format!("{path}/{at}")))
        }
        _ => (old != new).then(|| format!("{path}: {old:?} became {new:?}")),
    }
}

fn any(payload: &[u8]) -> Any {
    rmp_serde::from_slice(payload).expect("a payload of ours")
}

/// Checks that this version reads a row, and writes everything that was in it.
fn hold(kind: &str, info: Option<&TableInfo>, key: &[u8], value: &[u8]) {
    let anew = match info {
        Some(info) => harm::written_anew(info, key, value),
        None => harm::change_anew(key, value),
    };
    let anew = anew.unwrap_or_else(|error| panic!("{kind} {} is not read any more: {error:?}", hex::encode(key)));
    let missing = lost(&any(&harm::payload(key, value)), &any(&anew), "");
    assert_eq!(missing, None, "{kind} {}: a stored field is not kept any more", hex::encode(key));
}

fn golden() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/05e14e2")
}

/// Returns the lines with golden rows of a kind, of all versions that stored it.
fn lines(kind: &str) -> String {
    let name = format!("kinds/{kind}.txt");
    let folders = fs::read_dir(golden().parent().unwrap()).unwrap();
    folders.map(|folder| fs::read_to_string(folder.unwrap().path().join(&name)).unwrap_or_default()).collect()
}

/// Writes rows of the kinds that have none, and of those that are named, in a folder with the name of the day. The longest
/// rows are written, because they have the most fields.
async fn write_missing(named: &str) {
    let missing = |info: &&TableInfo| lines(info.kind).is_empty() || named.split(',').any(|kind| kind == info.kind);
    let missing: Vec<&TableInfo> = features::TABLES.iter().filter(missing).collect();
    if missing.is_empty() {
        return;
    }
    let (app, caller, ..) = world::worlds(Role::Owner).await;
    drop(caller);
    world::begin_work(&app).await;
    let rows = app.into_rows().await;
    let folder = golden().with_file_name(Clock::system().now().day_in("UTC").to_string()).join("kinds");
    fs::create_dir_all(&folder).unwrap();
    for info in missing {
        let mut own: Vec<_> = rows.iter().filter(|(key, _)| harm::place(key).1 == info.table).collect();
        own.sort_by_key(|(_, value)| std::cmp::Reverse(value.len()));
        let line = |(key, value): &(Vec<u8>, Vec<u8>)| format!("{} {}\n", hex::encode(key), hex::encode(value));
        let lines: Vec<String> = own.into_iter().take(MAX_WRITTEN).map(line).collect();
        fs::write(folder.join(format!("{}.txt", info.kind)), lines.concat()).unwrap();
    }
}

/// Returns the golden rows of a kind, of all versions that stored it: key and value.
pub fn rows(kind: &str) -> Vec<(Vec<u8>, Vec<u8>)> {
    let text = lines(kind);
    assert!(
        !text.is_empty(),
        "{kind} has no golden bytes: `ATRIUM_UPDATE=1 cargo test tests::golden` writes them, from its records in world.rs"
    );
    let row = |line: &str| {
        let (key, value) = line.split_once(' ')?;
        Some((hex::decode(key)?, hex::decode(value)?))
    };
    text.lines().map(|line| row(line).expect("two hexadecimal numbers")).collect()
}

#[tokio::test]
async fn golden_bytes_of_every_kind_are_still_read() {
    if let Some(named) = std::env::var_os("ATRIUM_UPDATE") {
        write_missing(&named.to_string_lossy()).await;
    }
    for info in features::TABLES {
        let rows = rows(info.kind);
        assert!(!rows.is_empty(), "{}", info.kind);
        for (key, value) in rows {
            assert_eq!(harm::place(&key).1, info.table, "{} lies in another table", info.kind);
            hold(info.kind, Some(info), &key, &value);
        }
    }
    // The installation's own rows of the change feed only hold the tenant of an entry.
    for (key, value) in rows("ledger").iter().filter(|(key, _)| harm::place(key).0.is_some()) {
        hold("ledger", None, key, value);
    }
    for (_, own) in harm::OWN_TABLES {
        for (key, value) in rows(own) {
            harm::payload(&key, &value);
        }
    }
}

/// Copies the golden store into a folder, as a data directory.
pub fn unpack(into: &Path) {
    let from = golden().join("store");
    fs::create_dir_all(into).unwrap();
    fs::set_permissions(into, fs::Permissions::from_mode(0o700)).unwrap();
    fs::copy(from.join("access.key"), into.join("access.key")).unwrap();
    let mut packed = GzDecoder::new(fs::File::open(from.join("store.redb.gz")).unwrap());
    std::io::copy(&mut packed, &mut fs::File::create(into.join("store.redb")).unwrap()).unwrap();
    for company in fs::read_dir(from.join("files")).unwrap() {
        let company = company.unwrap();
        let home = into.join("files").join(company.file_name());
        fs::create_dir_all(&home).unwrap();
        for file in fs::read_dir(company.path()).unwrap() {
            let file = file.unwrap();
            fs::copy(file.path(), home.join(file.file_name())).unwrap();
        }
    }
}

#[tokio::test]
async fn golden_store_opens_without_damage() {
    let folder = tempfile::tempdir().unwrap();
    unpack(folder.path());
    let kinds: BTreeMap<u16, &TableInfo> = features::TABLES.iter().map(|info| (info.table, info)).collect();
    let mut seen = BTreeSet::new();
    for (key, value) in harm::rows(&folder.path().join("store.redb")) {
        let (tenant, table) = harm::place(&key);
        if let Some(info) = kinds.get(&table) {
            hold(info.kind, Some(info), &key, &value);
            seen.insert(table);
        } else if tenant.is_some() && harm::OWN_TABLES.contains(&(table, "ledger")) {
            hold("ledger", None, &key, &value);
        }
    }
    assert!(seen.len() >= 27, "the golden store holds a row of every kind that there was: {seen:?}");
    let app = TestApp::reopened(folder.path()).unwrap();
    let context = Context::of(&app.app);
    let Answer::Tenants(tenants) = Command::ListTenants.execute(&context).await.unwrap() else { panic!() };
    let slugs: Vec<_> = tenants.iter().map(|tenant| tenant.slug.as_str()).collect();
    assert_eq!(slugs, ["acme", "northwind", "other", "sol"]);
    let Answer::Checked(report) = Command::Check.execute(&context).await.unwrap() else { panic!() };
    assert_eq!(report.damages, Vec::<String>::new());
    assert!(report.records > 1_000, "{report:?}");
    drop(context);
    // Format 5 counts by the quarter of an hour what was created and completed, and what the change feed has.
    let snapshot = app.app.store().snapshot().unwrap();
    for slug in ["acme", "northwind", "other", "sol"] {
        let tenant = tenant_by_slug(&snapshot, slug).unwrap();
        let tx = snapshot.tenant(tenant, None);
        let mut tasks = 0;
        let count = |task: Stored<Task>| {
            tasks += i64::from(task.value.kind == TaskType::Task);
            Ok(())
        };
        tx.each(count).unwrap();
        let sum = |amounts: Vec<(Timestamp, i64)>| amounts.iter().map(|(_, by)| by).sum::<i64>();
        let from = Timestamp::default();
        let to = Clock::system().now().plus_seconds(10 * 365 * 86_400);
        assert_eq!(sum(tx.series("tasks/created", from, to).unwrap()), tasks, "{slug}");
        let customers = tx.count::<Customer>().unwrap().cast_signed();
        assert_eq!(sum(tx.level_changes("customers", from, to).unwrap()), customers, "{slug}");
        assert!(sum(tx.activity(from, to).unwrap()) > 10, "{slug}");
        assert!(tx.level_unknown_before("open-tasks").unwrap().is_some(), "{slug}");
    }
    drop(snapshot);
    app.close().await;
    // Format 2 has an index of events by the customers who attend them, format 4 indexes of customers by e-mail address and
    // by phone number.
    let rows = harm::rows(&folder.path().join("store.redb"));
    for index in [1_142, 1_112, 1_113] {
        assert!(rows.iter().any(|(key, _)| harm::place(key).1 == index), "what there was is in index {index}");
    }
    assert!(folder.path().join("store.redb.format-1").exists(), "the older store is kept");
}
