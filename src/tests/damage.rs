//! Damage tests: one damaged row of every kind, one at a time. The application opens, every command works as far as
//! possible and reports what it cannot do, other tenants are not affected, and `repair` fixes the row.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use serde_json::json;

use super::golden;
use crate::{
    cli::{Answer, Archive, Backup, Command, Context, ExportTenant, Repair},
    config::Config,
    features,
    kernel::{TenantId, progress::Progress},
    store::{Home, harm},
    testing::{As, TestApp, kinds_with_parts, list_path},
};

type Row = (Vec<u8>, Vec<u8>);

fn backup_to(file: PathBuf) -> Command {
    Command::Backup(Backup { file, ..Backup::default() })
}

/// A data directory with the tenants `acme` and `other` of the golden store, and a backup of it.
pub(super) struct Base {
    folder: tempfile::TempDir,
    acme: TenantId,
}

impl Base {
    pub(super) async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("data");
        golden::unpack(&data);
        let home = Home::take(&data).unwrap();
        let context = Context::open(&home, &config(&data)).unwrap();
        let Answer::Tenants(tenants) = Command::ListTenants.execute(&context).await.unwrap() else { panic!() };
        let id = |slug: &str| tenants.iter().find(|tenant| tenant.slug == slug).unwrap().id.clone();
        let acme = tenant(&id("acme"));
        let gone = [id("northwind"), id("sol")];
        drop((context, home));
        // The demo tenants are erased, because they would only slow the tests down.
        let app = TestApp::reopened(&data).unwrap();
        for id in gone {
            app.app.eraser().erase(tenant(&id), crate::store::Actor::Operator).await.unwrap();
        }
        app.close().await;
        let base = Self { folder, acme };
        base.run(backup_to(base.backup().file)).await;
        base
    }

    pub(super) fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    pub(super) fn store(&self) -> PathBuf {
        self.data().join("store.redb")
    }

    /// Puts another state of the store in place. The search index, which is one of the former state, is removed.
    fn put_store(&self, bytes: &[u8]) {
        fs::write(self.store(), bytes).unwrap();
        let index = self.data().join("index");
        if index.exists() {
            fs::remove_dir_all(index).unwrap();
        }
    }

    fn backup(&self) -> Archive {
        Archive { file: self.folder.path().join("all.backup"), ..Archive::default() }
    }

    /// Executes a command as `atrium` does on a stopped installation.
    async fn run(&self, command: Command) -> Answer {
        let said = format!("{command:?}");
        let home = Home::take(&self.data()).unwrap();
        let context = Context::open_for(&command, &home, &config(&self.data()), &Progress::default())
            .unwrap_or_else(|error| panic!("{said}: {error:?}"));
        command.execute(&context).await.unwrap_or_else(|error| panic!("{said}: {error:?}"))
    }

    async fn check(&self) -> Vec<String> {
        let Answer::Checked(report) = self.run(Command::Check).await else { panic!() };
        report.damages
    }

    async fn repair(&self, from: Option<Archive>, drop: bool, yes: bool) -> BTreeSet<String> {
        let Answer::Repaired(repaired) =
            self.run(Command::Repair(Repair { from, drop, yes, ..Repair::default() })).await
        else {
            panic!()
        };
        repaired.rows.iter().map(|row| row.outcome.clone()).collect()
    }
}

fn tenant(id: &str) -> TenantId {
    TenantId::from_bytes(*id.parse::<uuid::Uuid>().unwrap().as_bytes()).unwrap()
}

pub(super) fn config(data: &Path) -> Config {
    Config { data_dir: data.to_owned(), ..Config::default() }
}

/// Flips the last bit of a value.
fn damaged(value: &[u8]) -> Vec<u8> {
    let mut value = value.to_vec();
    *value.last_mut().unwrap() ^= 1;
    value
}

/// Returns the path that lists records of a kind, `None` for kinds without a list. New kinds are added here.
fn list_of(kind: &str) -> Option<String> {
    if let Some(known) = kinds_with_parts().find(|known| known.kind == kind && kind != "event") {
        return Some(list_path(known));
    }
    let path = match kind {
        "binned" => "/api/bin",
        "event" => "/api/events?from=2026-11-01&to=2026-12-30",
        "member" => "/api/team",
        "former_member" => "/api/team/former",
        "custom_field" => "/api/fields",
        "view" | "view_defaults" => "/api/views?kind=customers",
        "audit_entry" => "/api/audit",
        "session" => "/api/auth/sessions",
        "message" => "/api/common/messages",
        "sent_message" | "receipt" => "/api/messages/sent",
        "notification" => "/api/common/notifications",
        "notification_preferences" => "/api/common/user/notification-preferences",
        "shortcut" => "/api/common/shortcuts",
        "conversation" | "chat" | "chat_message" | "chat_read" => "/api/apps/chat/chats",
        "pipeline" => "/api/deals/pipeline",
        "customer_statuses" => "/api/customers/statuses",
        "tags" => "/api/tags",
        "merge" => "/api/merges?kind=customers",
        "passkey" | "factors" => "/api/auth/factors",
        "company"
        | "credentials"
        | "link"
        | "letter"
        | "file"
        | "single_sign_on"
        | "tidings_places"
        | "history"
        | "comment"
        | "record_file"
        | "record_link"
        | "bulk_change"
        | "bulk_part"
        | "tag_change"
        | "tag_part"
        | "merge_part"
        | "not_duplicate"
        | "duplicate_scan"
        | "duplicate_part"
        | "renaming"
        | "next_steps"
        | "activity"
        | "import"
        | "import_plan"
        | "import_part"
        | "import_check_part"
        | "person_erasure"
        | "retention_run"
        | "sample_data"
        | "setup_card"
        | "page_following"
        | "page_planned"
        | "message_broadcast"
        | "notification_broadcast"
        | "pipeline_planned" => {
            return None;
        }
        other => panic!("say where records of the kind {other} are listed"),
    };
    Some(path.to_owned())
}

/// Runs all commands and requests with one row damaged, and repairs it.
async fn endure(base: &Base, name: &str, (key, value): &Row) {
    let store = base.store();
    let whole = fs::read(&store).unwrap();
    harm::put(&store, key, Some(&damaged(value)));
    let hurt = fs::read(&store).unwrap();

    // The operator's commands.
    let Answer::Tenants(tenants) = base.run(Command::ListTenants).await else { panic!() };
    assert_eq!(tenants.len(), 2, "{name}");
    let found = base.check().await;
    assert!(!found.is_empty() && found.iter().all(|line| !line.contains("panicked")), "{name}: {found:?}");
    if features::TABLES.iter().any(|info| info.kind == name) {
        assert!(found.iter().any(|line| line.contains(name) && line.contains("damaged")), "{name}: {found:?}");
    }
    let out = tempfile::tempdir().unwrap();
    let file = |name: &str| out.path().join(name);
    let Answer::BackedUp(backup) = base.run(backup_to(file("b"))).await else { panic!() };
    assert_eq!((backup.companies, backup.damaged), (2, 1), "{name}");
    let export = Command::ExportTenant(ExportTenant { slug: "other".to_owned(), file: file("e") });
    let Answer::TenantExported(export) = base.run(export).await else { panic!() };
    assert_eq!(export.damaged, 0, "{name}");
    let Answer::Reindexed(index) = base.run(Command::Reindex).await else { panic!() };
    assert!(index.documents > 10, "{name}: {index:?}");

    // The application, as seen by the other tenant and by the damaged one.
    let app = TestApp::reopened(&base.data()).unwrap_or_else(|error| panic!("{name}: {error:?}"));
    let other = app.sign_in("admin@other.example").await;
    for path in ["/api/common/user", "/api/customers", "/api/tasks", "/api/customers?q=full", "/api/team"] {
        let got = other.get(path).await;
        assert!(got.status == 200 && got.body["damaged"].is_null(), "{name} {path}: {got:?}");
    }
    match app.try_sign_in("admin@acme.example").await {
        Ok(admin) => {
            let lists = ["/api/customers", "/api/tasks", "/api/pages", "/api/customers?q=full", "/api/team"];
            let own = if harm::place(key).1 < 1_000 { list_of_known(name) } else { None };
            for path in lists.into_iter().map(str::to_owned).chain(own) {
                let got = admin.get(&path).await;
                assert!(got.status == 200 || got.body["error"]["code"] == "damaged", "{name} {path}: {got:?}");
            }
            if ["customer", "task", "page"].contains(&name) {
                let got = admin.get(&list_of(name).unwrap()).await;
                assert_eq!(got.body["damaged"], 1, "{name}: the list says that it is shorter");
            }
            if let Some(kind) = kinds_with_parts().find(|kind| kind.kind == name) {
                let id = uuid::Uuid::from_slice(&key[key.len() - 16..]).unwrap();
                for method in ["PATCH", "DELETE", "GET"] {
                    let body = (method == "PATCH").then(|| serde_json::json!({}));
                    let path = format!("/api/{}/{id}", kind.name);
                    let got = admin.send_with(method, &path, body, &[]).await;
                    assert_eq!((got.status, &got.body["error"]["code"]), (500, &"damaged".into()), "{name} {method}");
                }
            }
        }
        // The damaged row is needed for the sign-in itself.
        Err(got) => assert!(["member", "credentials", "company", "factors"].contains(&name), "{name}: {got:?}"),
    }
    app.app.notifier().round().await.unwrap_or_else(|error| assert!(error.is_damage(), "{name}: {error:?}"));
    drop(other);
    app.close().await;

    // Repair by deleting what cannot be rebuilt, and from a backup.
    base.put_store(&hurt);
    base.repair(None, true, false).await;
    assert!(!base.check().await.is_empty(), "{name}: nothing is changed before it is asked for");
    let outcomes = base.repair(None, true, true).await;
    let left = base.check().await;
    // A tenant's own record and the record of its only owner are never deleted.
    let is_kept = ["company", "member"].contains(&name) && outcomes.contains("left");
    assert!(left.is_empty() || is_kept, "{name}: {outcomes:?} {left:?}");
    base.put_store(&hurt);
    let outcomes = base.repair(Some(base.backup()), true, true).await;
    assert_eq!(base.check().await, Vec::<String>::new(), "{name}: {outcomes:?}");
    base.put_store(&whole);
}

fn list_of_known(name: &str) -> Option<String> {
    features::TABLES.iter().any(|info| info.kind == name).then(|| list_of(name)).flatten()
}

/// Returns the first row of each table that belongs to acme or refers to it.
fn rows_of(base: &Base, wanted: impl Fn(Option<TenantId>, u16) -> bool) -> BTreeMap<(bool, u16), Row> {
    let mut found = BTreeMap::new();
    for (key, value) in harm::rows(&base.store()) {
        let (tenant, table) = harm::place(&key);
        let theirs = tenant == Some(base.acme) || tenant.is_none() && (table < 1_000 || leads_to(&key, base.acme));
        if theirs && wanted(tenant, table) {
            found.entry((tenant.is_some(), table)).or_insert((key, value));
        }
    }
    found
}

fn leads_to(key: &[u8], tenant: TenantId) -> bool {
    key.len() > 50 && key[key.len() - 32..key.len() - 16] == tenant.as_bytes()[..]
}

#[tokio::test]
async fn damaged_record_of_each_kind_affects_nothing_else() {
    let base = Base::new().await;
    let rows = rows_of(&base, |_, _| true);
    for info in features::TABLES {
        // Kinds that are newer than the golden store have rows in the folder of golden bytes.
        let row = rows.get(&(true, info.table)).cloned();
        let row = row.unwrap_or_else(|| {
            let (mut key, value) = golden::rows(info.kind).into_iter().next().expect("a golden row");
            // Records that calls name must be those of acme, whose members ask for them.
            if kinds_with_parts().any(|kind| kind.kind == info.kind) {
                key[..16].copy_from_slice(base.acme.as_bytes());
            }
            (key, value)
        });
        endure(&base, info.kind, &row).await;
    }
}

#[tokio::test]
async fn damaged_row_of_each_internal_table_affects_nothing_else() {
    let base = Base::new().await;
    let own: BTreeMap<u16, &str> = harm::OWN_TABLES.into_iter().collect();
    for ((of_company, table), row) in rows_of(&base, |_, table| table < 10) {
        endure(&base, &format!("{} of {of_company}", own[&table]), &row).await;
    }
}

#[tokio::test]
async fn damaged_row_of_each_lookup_affects_nothing_else() {
    let base = Base::new().await;
    for ((_, table), row) in rows_of(&base, |_, table| table >= 1_000) {
        endure(&base, &format!("lookup {table}"), &row).await;
    }
}

#[tokio::test]
async fn health_reports_damage_found_by_a_check_of_the_running_server() {
    let base = Base::new().await;
    // A row that no request of this test reads, and an upload.
    let (_, (key, value)) = rows_of(&base, |_, table| table >= 1_000).into_iter().next_back().unwrap();
    harm::put(&base.store(), &key, Some(&damaged(&value)));
    let uploads = base.data().join("files").join(base.acme.to_string());
    let upload = fs::read_dir(uploads).unwrap().next().unwrap().unwrap().path();
    fs::write(&upload, "something else").unwrap();
    let app = TestApp::reopened(&base.data()).unwrap();
    let context = Context::of(&app.app);
    let damaged = || app.app.watch().condition().unwrap().damaged;
    assert_eq!(damaged(), 0);
    let Answer::Checked(report) = Command::Check.execute(&context).await.unwrap() else { panic!() };
    assert_eq!((report.damages.len(), damaged()), (2, 2), "{report:?}");
    drop(context);
    app.close().await;
}

/// Changes a byte of a key wherever it occurs in the file, so that the key is out of order there.
fn misplace(file: &Path, key: &[u8]) {
    let mut whole = fs::read(file).unwrap();
    let places: Vec<usize> = (0..whole.len() - key.len()).filter(|at| whole[*at..].starts_with(key)).collect();
    assert!(!places.is_empty());
    for at in places {
        // Byte 17 is in the table number, so the key now names another table.
        whole[at + 17] ^= 0x40;
    }
    fs::write(file, whole).unwrap();
}

#[tokio::test]
async fn damaged_page_is_skipped_and_its_rows_are_restored_from_a_backup() {
    let base = Base::new().await;
    let before = harm::rows(&base.store());
    let customer = features::TABLES.iter().find(|info| info.kind == "customer").unwrap().table;
    let all = rows_of(&base, |tenant, table| tenant.is_some() && table == customer);
    let (key, _) = &all[&(true, customer)];
    misplace(&base.store(), key);
    assert!(base.check().await.iter().any(|line| line.contains("damaged pages")));
    let out = tempfile::tempdir().unwrap();
    let backup = backup_to(out.path().join("b"));
    let Answer::BackedUp(backup) = base.run(backup).await else { panic!() };
    assert!(backup.damaged > 0 && backup.rows > before.len() as u64 - 3, "{backup:?}");

    // A running server changes nothing and reports what to do.
    let repair = |yes| Command::Repair(Repair { from: Some(base.backup()), drop: false, yes, ..Repair::default() });
    let app = TestApp::reopened(&base.data()).unwrap();
    let admin = app.sign_in("admin@acme.example").await;
    assert_eq!(admin.get("/api/customers").await.status, 200, "the list is shorter, and there");
    let context = Context::of(&app.app);
    let Answer::Repaired(told) = repair(true).execute(&context).await.unwrap() else { panic!() };
    assert!(!told.done && told.unreadable > 0 && told.leaves_any(), "{told:?}");
    drop((context, admin));
    app.close().await;

    let Answer::Repaired(done) = base.run(repair(true)).await else { panic!() };
    assert!(done.done && !done.leaves_any(), "{done:?}");
    let kept = done.original.expect("the damaged store is kept");
    assert!(Path::new(&kept).exists());
    assert_eq!(base.check().await, Vec::<String>::new());
    let customers = |rows: Vec<Row>| -> BTreeSet<Vec<u8>> {
        let keys = rows.into_iter().map(|(key, _)| key);
        keys.filter(|key| harm::place(key) == (Some(base.acme), customer)).collect()
    };
    assert_eq!(customers(harm::rows(&base.store())), customers(before));
}

/// Lists that are shorter than they should be, without a word: a page of the store may lead past rows unnoticed, and plain
/// arrays have no member to say so.
#[tokio::test]
async fn lists_say_that_damage_hides_records() {
    let base = Base::new().await;
    let app = TestApp::reopened(&base.data()).unwrap();
    let admin = app.sign_in("admin@acme.example").await;
    let id = |made: serde_json::Value| made["id"].as_str().unwrap().parse::<uuid::Uuid>().unwrap();
    for n in 0..4 {
        admin.post("/api/customers", json!({"name": format!("Zoe {n}")})).await.expect(201);
    }
    let shortcut = json!({"shortcut": {"label": "Tasks", "icon": "check", "link": "/tasks", "useRouter": true}});
    let shortcut = id(admin.post("/api/common/shortcuts", shortcut).await.expect(200));
    let message = json!({"message": {"title": "Hello", "useRouter": false}});
    let message = id(admin.post("/api/common/messages", message).await.expect(200));
    let sorts = ["name", "-name", "createdAt", "-createdAt", "updatedAt", "-updatedAt"];
    let last_page = async |admin: &As, sort: &str| {
        let mut cursor = String::new();
        loop {
            let got = admin.get(&format!("/api/customers?limit=3&sort={sort}{cursor}")).await;
            let header = got.headers.get("damaged").map(|count| count.to_str().unwrap().to_owned());
            let page = got.expect(200);
            match page.get("nextCursor") {
                Some(next) => cursor = format!("&cursor={}", next.as_str().unwrap()),
                None => return (page["damaged"].clone(), header),
            }
        }
    };
    for sort in sorts {
        assert_eq!(last_page(&admin, sort).await, (serde_json::Value::Null, None), "{sort}");
    }
    for path in ["/api/common/shortcuts", "/api/common/messages"] {
        assert!(!admin.get(path).await.headers.contains_key("damaged"), "{path}");
    }
    drop(admin);
    app.close().await;

    // An index row that a list no longer meets, and that all counts have.
    let rows = harm::rows(&base.store());
    let by_name = 1_100;
    let hidden = rows.iter().find(|(key, _)| harm::place(key) == (Some(base.acme), by_name)).unwrap();
    harm::put(&base.store(), &hidden.0, None);
    for lost in [shortcut, message] {
        let (key, value) =
            rows.iter().find(|(key, _)| harm::place(key).1 < 1_000 && key.ends_with(lost.as_bytes())).unwrap();
        harm::put(&base.store(), key, Some(&damaged(value)));
    }
    let app = TestApp::reopened(&base.data()).unwrap();
    let admin = app.sign_in("admin@acme.example").await;
    for sort in ["name", "-name"] {
        assert_eq!(last_page(&admin, sort).await, (json!(1), Some("1".to_owned())), "{sort}");
    }
    assert_eq!(last_page(&admin, "createdAt").await, (serde_json::Value::Null, None));
    for (path, lost) in [("/api/common/shortcuts", shortcut), ("/api/common/messages", message)] {
        let got = admin.get(path).await;
        assert_eq!(got.headers.get("damaged").map(|count| count.to_str().unwrap()), Some("1"), "{path}");
        assert!(got.expect(200).as_array().unwrap().iter().all(|item| item["id"] != lost.to_string()), "{path}");
    }
}

#[tokio::test]
async fn damaged_uploads_are_restored_from_a_backup_or_dropped() {
    let base = Base::new().await;
    let folder = base.data().join("files").join(base.acme.to_string());
    let mut uploads: Vec<PathBuf> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    uploads.sort();
    let whole: Vec<Vec<u8>> = uploads.iter().map(|upload| fs::read(upload).unwrap()).collect();
    let harm = || {
        fs::write(&uploads[0], "something else").unwrap();
        uploads[1..].iter().for_each(|upload| fs::remove_file(upload).unwrap());
    };
    harm();
    let only = |outcome: &str| BTreeSet::from([outcome.to_owned()]);
    assert_eq!(base.repair(None, false, true).await, only("left"));
    assert_eq!(base.repair(Some(base.backup()), false, false).await, only("taken"));
    assert_eq!(base.check().await.len(), uploads.len(), "nothing is changed before it is asked for");
    assert_eq!(base.repair(Some(base.backup()), false, true).await, only("taken"));
    assert_eq!(base.check().await, Vec::<String>::new());
    assert!(uploads.iter().zip(&whole).all(|(upload, bytes)| fs::read(upload).unwrap() == *bytes));
    harm();
    assert_eq!(base.repair(None, true, true).await, only("dropped"));
    assert_eq!(base.check().await, Vec::<String>::new());
}

#[tokio::test]
async fn repair_does_not_drop_the_record_of_the_only_owner() {
    let base = Base::new().await;
    let member = features::TABLES.iter().find(|info| info.kind == "member").unwrap().table;
    let owner = harm::rows(&base.store()).into_iter().find(|(key, value)| {
        harm::place(key) == (Some(base.acme), member) && value.windows(5).any(|part| part == b"owner")
    });
    let (key, value) = owner.expect("the company's owner");
    harm::put(&base.store(), &key, Some(&damaged(&value)));
    let app = TestApp::reopened(&base.data()).unwrap();
    let Err(got) = app.try_sign_in("owner@acme.example").await else { panic!() };
    assert_eq!(got.body["error"]["code"], "damaged", "the password is right: {}", got.body);
    app.close().await;
    assert_eq!(base.repair(None, true, true).await, BTreeSet::from(["left".to_owned()]));
    assert_eq!(base.repair(Some(base.backup()), true, true).await, BTreeSet::from(["taken".to_owned()]));
    assert_eq!(base.check().await, Vec::<String>::new());
}

#[tokio::test]
async fn interrupted_erasure_is_not_damage_and_is_completed() {
    let base = Base::new().await;
    let app = TestApp::reopened(&base.data()).unwrap();
    // The steps of an erasure before its last write.
    let store = app.app.store();
    let begin = |tx: &crate::store::TenantWrite<'_>| {
        use crate::people::members::{Company, CompanyState, erasure_marker};
        tx.update::<Company>(Company::id(tx.tenant()), None, |company| {
            (company.state, company.closed_at) = (CompanyState::Closed, Some(erasure_marker()));
            Ok(())
        })
        .map(drop)
    };
    store.write(base.acme, crate::store::Actor::Operator, begin).await.unwrap();
    store.erase(base.acme, features::ROOT).await.unwrap();
    app.close().await;
    assert_eq!(base.check().await, Vec::<String>::new());
    let app = TestApp::reopened(&base.data()).unwrap();
    app.app.eraser().erase_due().await.unwrap();
    app.close().await;
    assert_eq!(base.check().await, Vec::<String>::new());
    let Answer::Tenants(tenants) = base.run(Command::ListTenants).await else { panic!() };
    assert_eq!(tenants.iter().map(|tenant| tenant.slug.as_str()).collect::<Vec<_>>(), ["other"]);
    assert!(harm::rows(&base.store()).iter().all(|(key, _)| harm::place(key).0 != Some(base.acme)));
}
