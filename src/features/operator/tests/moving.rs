//! Export of tenants, and import into another or the same installation.

use std::{
    future::pending,
    path::{Path, PathBuf},
    pin::pin,
};

use serde_json::{Value, json};
use tokio::sync::oneshot;

use super::{
    super::{ImportReport, export, import},
    As, ControlFlow, HOUR, Role, TestApp, features, notified, people, tenant_exists,
};
use crate::{
    features::{
        customers::{Attachment, Customer},
        messages::Messages,
        notices::Notice,
        pages::Page,
        shortcuts::Shortcut,
    },
    kernel::{Code, Error, Id, Result, TenantId, progress::Progress},
    people::members::{Company, MemberRecord, tenants},
    store::{Actor, Snapshot, Stored},
    testing::PASSWORD,
};

async fn export_acme(app: &TestApp) -> PathBuf {
    let file = app.app.config().data_dir.join("acme.tenant");
    export(app.app.store(), app.app.files(), app.acme.id, file.clone(), &Progress::default()).await.unwrap();
    file
}

async fn import_as(app: &TestApp, file: &Path, slug: Option<&str>) -> Result<ImportReport> {
    let notifier = app.app.notifier().clone();
    let slug = slug.map(str::to_owned);
    import(app.app.eraser(), file.to_owned(), slug, &Progress::default(), async move { notifier.round().await }).await
}

fn assert_sound(app: &TestApp) {
    let report = app.app.store().check(features::TABLES, &mut |_| ControlFlow::Continue(())).unwrap();
    assert!(report.is_sound() && report.unknown.is_empty(), "{:?}", report.damage);
}

fn picture() -> Vec<u8> {
    let mut png = std::io::Cursor::new(Vec::new());
    image::RgbImage::new(30, 20).write_to(&mut png, image::ImageFormat::Png).unwrap();
    png.into_inner()
}

/// Fills a tenant: a picture used in three places, a searchable task, an invitation, and a signed-in owner.
async fn fill_tenant(app: &TestApp) -> (As, String) {
    app.app.notifier().round().await.unwrap();
    let owner = app.acme(Role::Owner).await;
    let file = owner.upload("me.png", "image/png", &picture()).await.expect(201);
    let url = file["url"].as_str().unwrap().to_owned();
    owner.patch("/api/common/user", json!({"avatar": url})).await.expect(200);
    let logo = url.clone();
    let show = move |tx: &super::TenantWrite<'_>| {
        tx.update::<Company>(Company::id(tx.tenant()), None, |company| {
            company.logotipo_dark = Some(logo);
            Ok(())
        })
    };
    app.app.store().write(app.acme.id, Actor::System, show).await.unwrap();
    let notes = format!("See {url} and /media/{}", "f".repeat(32));
    owner.post("/api/tasks", json!({"title": "Quixotic errand", "notes": notes})).await.expect(201);
    people::invite(app.app.store(), app.acme.id, "new@far.example".into(), None, Role::Member).await.unwrap();
    (owner, url)
}

async fn sign_in(app: &TestApp, company: &str) -> Value {
    let form = json!({"email": "owner@acme.example", "password": PASSWORD, "company": company});
    app.anonymous("POST", "/api/auth/sign-in", Some(form)).await.expect(200)
}

async fn call(app: &TestApp, signed_in: &Value, method: &str, path: &str, body: Option<Value>) -> Value {
    let bearer = format!("Bearer {}", signed_in["accessToken"].as_str().unwrap());
    app.anonymous_with(method, path, body, &[("authorization", &bearer)]).await.expect(200)
}

async fn finds(app: &TestApp, signed_in: &Value) {
    let found = call(app, signed_in, "POST", "/api/common/search", Some(json!({"query": "quixotic"}))).await;
    assert!(found.to_string().contains("Quixotic errand"), "{found}");
}

fn members(snapshot: &Snapshot, tenant: TenantId) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let note = |member: Stored<MemberRecord>| {
        found.push((member.id.to_string(), member.value.email));
        Ok(())
    };
    snapshot.tenant(tenant, None).each(note).unwrap();
    found
}

#[tokio::test]
async fn export_and_import_move_a_whole_tenant() {
    let here = TestApp::new().await;
    let there = TestApp::empty(|_| {}).await;
    let (_, url) = fill_tenant(&here).await;
    let file = export_acme(&here).await;
    assert!(notified(&here, Role::Admin).await.contains("exported Acme Ltd"));
    assert!(here.audit(here.acme.id).await.contains(&"operator.tenant_export".to_owned()));

    let imported = import_as(&there, &file, None).await.unwrap();
    assert_sound(&there);
    let new = imported.tenant.id;
    assert!(!here.emails(here.acme.id).await.is_empty());
    assert!(there.emails(new).await.is_empty(), "they would be sent twice");
    assert_eq!((imported.files, imported.domains.len(), imported.left_out.len()), (1, 1, 0));
    assert_eq!((imported.domains, imported.tenant.company.domains.len()), (vec!["acme.example".to_owned()], 0));
    let from = here.app.store().snapshot().unwrap();
    let to = there.app.store().snapshot().unwrap();
    assert_eq!(members(&from, here.acme.id), members(&to, new));
    let created = |snapshot: &Snapshot, tenant| Company::of(&snapshot.tenant(tenant, None)).unwrap().created_at;
    assert_eq!(created(&from, here.acme.id), created(&to, new));

    let owner = there.acme(Role::Owner).await;
    let me = owner.get("/api/common/user").await.expect(200);
    assert_eq!(me["avatar"], url.as_str(), "nobody had that id here");
    assert_eq!(there.anonymous("GET", &url, None).await.status, 200);
    let found = owner.post("/api/common/search", json!({"query": "quixotic"})).await.expect(200);
    assert!(found.to_string().contains("Quixotic errand"), "{found}");
    assert!(notified(&there, Role::Admin).await.contains("imported Acme Ltd"));
    let events = there.audit(new).await;
    assert!(events.contains(&"operator.user_invite".to_owned()), "its record came along: {events:?}");
    assert!(events.contains(&"operator.tenant_import".to_owned()), "{events:?}");
}

#[tokio::test]
async fn imported_copy_and_its_original_are_independent() {
    let app = TestApp::new().await;
    let (owner, url) = fill_tenant(&app).await;
    let file = export_acme(&app).await;
    assert_eq!(import_as(&app, &file, None).await.unwrap_err().fields()[0].0, "slug");
    assert_eq!(import_as(&app, &file, Some("Not A Slug")).await.unwrap_err().code(), Code::Invalid);
    let imported = import_as(&app, &file, Some("copy")).await.unwrap();
    assert_eq!(imported.domains, ["acme.example"]);
    assert!(imported.tenant.company.domains.is_empty());
    assert_sound(&app);

    let copied = sign_in(&app, "copy").await;
    let me = call(&app, &copied, "GET", "/api/common/user", None).await;
    let picture = me["avatar"].as_str().unwrap().to_owned();
    assert_ne!(picture, url);
    assert_eq!(imported.tenant.company.logotipo_dark.as_deref(), Some(picture.as_str()));
    let tasks = call(&app, &copied, "GET", "/api/tasks", None).await.to_string();
    assert!(tasks.contains(&picture) && !tasks.contains(&url), "{tasks}");
    assert!(tasks.contains(&format!("/media/{}", "f".repeat(32))), "what is no file of theirs stays as it was");
    for served in [&picture, &url] {
        assert_eq!(app.anonymous("GET", served, None).await.status, 200);
    }
    finds(&app, &copied).await;

    // Both tenants have the same members: ending sessions in one does not affect the other.
    let store = app.app.store();
    let sessions = app.app.auth().sessions();
    people::end_sessions(store, sessions, imported.tenant.id, "owner@acme.example").await.unwrap();
    owner.get("/api/common/user").await.expect(200);
    let copied = sign_in(&app, "copy").await;
    people::end_sessions(store, sessions, app.acme.id, "owner@acme.example").await.unwrap();
    owner.get("/api/common/user").await.refused("not_signed_in");
    call(&app, &copied, "GET", "/api/common/user", None).await;

    app.app.eraser().erase(app.acme.id, Actor::Operator).await.unwrap();
    assert_eq!(app.anonymous("GET", &url, None).await.status, 404);
    assert_eq!(app.anonymous("GET", &picture, None).await.status, 200);
    finds(&app, &copied).await;
    assert_sound(&app);
    // The slug and the file ids are free again, and the export brings the tenant back.
    import_as(&app, &file, None).await.unwrap();
    assert_eq!(app.anonymous("GET", &url, None).await.status, 200);
    assert_sound(&app);
}

#[tokio::test]
async fn import_does_not_repeat_notifications() {
    let here = TestApp::new().await;
    let there = TestApp::new().await;
    there.app.notifier().round().await.unwrap();
    let ada = here.acme(Role::Owner).await;
    let bob = here.acme(Role::Member).await;
    let chat = ada.post("/api/apps/chat/chat", json!({"contactId": bob.id.to_string()})).await.expect(200);
    let said = json!({"chatId": chat["id"], "value": "Hello"});
    ada.post("/api/apps/chat/messages", said).await.expect(201);
    let file = export_acme(&here).await;
    import_as(&there, &file, Some("copy")).await.unwrap();
    let there = there.restart().await;
    there.app.notifier().round().await.unwrap();
    let form = json!({"email": "member@acme.example", "password": PASSWORD, "company": "copy"});
    let bob = there.anonymous("POST", "/api/auth/sign-in", Some(form)).await.expect(200);
    let unread = call(&there, &bob, "GET", "/api/apps/chat/unread", None).await;
    assert_eq!(unread["unread"], 1);
    let notified = call(&there, &bob, "GET", "/api/common/notifications", None).await.to_string();
    assert!(!notified.contains("Hello"), "{notified}");
}

#[tokio::test]
async fn failed_or_interrupted_import_leaves_nothing_behind() {
    let app = TestApp::new().await;
    fill_tenant(&app).await;
    let file = export_acme(&app).await;
    let files = app.app.config().data_dir.join("files");
    let lie = || std::fs::read_dir(&files).unwrap().count();
    let before = tenants(&app.app.store().snapshot().unwrap()).unwrap();
    let folders = lie();
    let nothing_is_left = || {
        assert_eq!(tenants(&app.app.store().snapshot().unwrap()).unwrap(), before);
        assert_eq!(lie(), folders);
        assert_sound(&app);
    };
    let eraser = app.app.eraser();
    let failing = async { Err(Error::new(Code::Busy)) };
    let failed = import(eraser, file.clone(), Some("copy".into()), &Progress::default(), failing).await.unwrap_err();
    assert_eq!(failed.code(), Code::Busy);
    nothing_is_left();

    // Interrupted before the last write.
    let (reached, at) = oneshot::channel();
    let stop = async move {
        reached.send(()).unwrap();
        pending().await
    };
    {
        let progress = Progress::default();
        let mut cut = pin!(import(eraser, file.clone(), Some("copy".into()), &progress, stop));
        tokio::select! { _ = &mut cut => panic!("it ended"), _ = at => {} }
        let snapshot = app.app.store().snapshot().unwrap();
        assert_eq!(tenants(&snapshot).unwrap().len(), before.len() + 1);
        let form = json!({"email": "owner@acme.example", "password": PASSWORD, "company": "copy"});
        app.anonymous("POST", "/api/auth/sign-in", Some(form)).await.refused("invalid_credentials");
        app.acme(Role::Owner).await.get("/api/common/user").await.expect(200);
        assert_sound(&app);
        // The daily rounds do not remove the incomplete tenant.
        tokio::select! {
            biased;
            _ = eraser.erase_due() => panic!("it was erased"),
            _ = app.app.files().collect_garbage(|| std::future::ready(())) => panic!("its files were looked through"),
            () = std::future::ready(()) => {}
        }
    }
    let all = tenants(&app.app.store().snapshot().unwrap()).unwrap();
    let half = all.into_iter().find(|tenant| !before.contains(tenant)).unwrap();
    let out = export(app.app.store(), app.app.files(), half, files.join("half.tenant"), &Progress::default())
        .await
        .unwrap_err();
    assert_eq!(out.code(), Code::Conflict, "half a company is not for export");
    assert_eq!(lie(), folders + 1);
    let imported = import_as(&app, &file, Some("copy")).await.unwrap();
    assert!(!tenant_exists(&app, half), "the next try clears away what the one before left");
    eraser.erase(imported.tenant.id, Actor::Operator).await.unwrap();
    nothing_is_left();
}

#[tokio::test]
async fn export_file_is_complete_or_absent_and_readable_by_the_owner_only() {
    use std::os::unix::fs::PermissionsExt as _;
    let app = TestApp::new().await;
    let file = export_acme(&app).await;
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    let bytes = std::fs::read(&file).unwrap();
    let out =
        async |place: PathBuf| export(app.app.store(), app.app.files(), app.acme.id, place, &Progress::default()).await;
    let again = out(file.clone()).await.unwrap_err();
    assert_eq!((again.code(), again.fields()[0].0.as_str()), (Code::Conflict, "file"));
    assert_eq!(std::fs::read(&file).unwrap(), bytes);
    let nowhere = out(file.join("below-a-file")).await.unwrap_err();
    assert_eq!((nowhere.code(), nowhere.fields()[0].0.as_str()), (Code::Invalid, "file"));
    let beside = std::fs::read_dir(&app.app.config().data_dir).unwrap();
    let parts = beside.filter(|entry| entry.as_ref().unwrap().file_name().to_string_lossy().ends_with(".part"));
    assert_eq!(parts.count(), 0);
    let missing = import_as(&app, &file.join("no"), None).await.unwrap_err();
    assert_eq!(missing.fields()[0].0, "file");

    // A missing upload does not prevent the export; it is counted.
    let (_, url) = fill_tenant(&app).await;
    let media = url.trim_start_matches("/media/");
    std::fs::remove_file(app.app.config().data_dir.join("files").join(app.acme.id.to_string()).join(media)).unwrap();
    let exported = out(file.with_extension("2")).await.unwrap();
    assert_eq!((exported.files, exported.damaged), (0, 1));
}

/// The kind of fault (F-S4): what an archive brings is stored unchecked, although a file may be anyone's. Neighbours: HTML of
/// four kinds, also in the bin; links; slugs of the file and of the command; host names.
#[tokio::test]
async fn archive_brings_nothing_that_the_api_would_refuse() {
    let here = TestApp::new().await;
    let owner = here.acme(Role::Owner).await;
    let page = owner.post("/api/pages", json!({"title": "Handbook", "body": "<p>Hello</p>"})).await.expect(201);
    let binned = owner.post("/api/pages", json!({"title": "Old", "body": "<p>Hello</p>"})).await.expect(201);
    let customer = owner.post("/api/customers", json!({"name": "Ana", "notes": "<p>Tall</p>"})).await.expect(201);
    let me = owner.id;
    let id = |record: &Value| record["id"].as_str().unwrap().parse::<uuid::Uuid>().unwrap();
    let page = id(&page);
    let binned = id(&binned);
    let customer = id(&customer);
    let spoil = move |tx: &super::TenantWrite<'_>| {
        let html = r#"<p>Hello</p><img src=x onerror="alert(1)"><script>alert(1)</script>"#.to_owned();
        for page in [page, binned] {
            tx.update(Id::from(page), None, |page: &mut Page| {
                page.body.clone_from(&html);
                Ok(())
            })?;
        }
        tx.bin::<Page>(Id::from(binned), None)?;
        tx.update(Id::from(customer), None, |customer: &mut Customer| {
            customer.notes = Some(html.clone());
            customer
                .attachments
                .links
                .push(Attachment { url: "javascript:alert(1)".to_owned(), ..Attachment::default() });
            Ok(())
        })?;
        let own = tx.person(me);
        let link = "javascript:alert(1)".to_owned();
        let notice = Notice { title: Some(html), link: Some(link.clone()), ..Notice::<Messages>::new(tx.now()) };
        own.create(notice)?;
        let icon = "check".to_owned();
        own.create(Shortcut { label: "Go".to_owned(), description: None, icon, link, use_router: false, place: 0 })?;
        Ok(())
    };
    here.app.store().write(here.acme.id, Actor::System, spoil).await.unwrap();
    let file = export_acme(&here).await;
    let there = TestApp::empty(|_| {}).await;
    let imported = import_as(&there, &file, None).await.unwrap();
    assert_sound(&there);
    let owner = there.acme(Role::Owner).await;
    owner.post(&format!("/api/bin/{binned}/restore"), json!({})).await.expect(200);
    let mut seen = String::new();
    let paths = [format!("pages/{page}"), format!("pages/{binned}"), format!("customers/{customer}")];
    for path in paths.iter().map(String::as_str).chain(["common/messages", "common/shortcuts"]) {
        seen += &owner.get(&format!("/api/{path}")).await.expect(200).to_string();
    }
    assert_eq!(seen.matches("Hello").count(), 4, "{seen}");
    for bad in ["script", "onerror", "alert"] {
        assert!(!seen.contains(bad), "{bad} in {seen}");
    }
    assert_eq!(imported.domains, ["acme.example"]);

    for slug in ["www", "../x", "", "Not A Slug"] {
        let rename = move |tx: &super::TenantWrite<'_>| {
            tx.update::<Company>(Company::id(tx.tenant()), None, |company| {
                company.slug = slug.to_owned();
                Ok(())
            })
        };
        here.app.store().write(here.acme.id, Actor::System, rename).await.unwrap();
        std::fs::remove_file(&file).unwrap();
        let file = export_acme(&here).await;
        let there = TestApp::empty(|_| {}).await;
        let refused = import_as(&there, &file, None).await.unwrap_err();
        assert_eq!((refused.code(), refused.fields()[0].0.as_str()), (Code::Invalid, "slug"), "{slug}");
        assert!(tenants(&there.app.store().snapshot().unwrap()).unwrap().is_empty());
        import_as(&there, &file, Some("good")).await.unwrap();
    }
}

/// Figures over time are not in the file: they are counted again from the records and the change feed that are (F-U2).
#[tokio::test]
async fn imported_tenant_has_the_same_figures_over_time() {
    const DAY: i64 = 24 * HOUR;
    let app = TestApp::new().await;
    let owner = app.acme(Role::Owner).await;
    let mut made = Vec::new();
    for name in ["Ana", "Ben", "Eva"] {
        made.push(owner.post("/api/customers", json!({"name": name})).await.expect(201));
    }
    app.clock.advance(3 * DAY);
    let owner = app.acme(Role::Owner).await;
    let path = |made: &Value| format!("/api/customers/{}", made["id"].as_str().unwrap());
    owner.delete(&path(&made[0])).await.expect(204);
    owner.delete(&path(&made[1])).await.expect(204);
    let task = owner.post("/api/tasks", json!({"title": "Call", "dueDate": "2026-11-20"})).await.expect(201);
    app.clock.advance(2 * DAY);
    let owner = app.acme(Role::Owner).await;
    let restore = format!("/api/bin/{}/restore", made[1]["id"].as_str().unwrap());
    owner.post(&restore, json!({})).await.expect(200);
    let done = format!("/api/tasks/{}", task["id"].as_str().unwrap());
    owner.patch(&done, json!({"completed": true})).await.expect(200);
    let file = export_acme(&app).await;
    app.clock.advance(DAY);
    import_as(&app, &file, Some("copy")).await.unwrap();
    let snapshot = app.app.store().snapshot().unwrap();
    let copy = crate::people::members::tenant_by_slug(&snapshot, "copy").unwrap();
    let figures = |tenant| {
        let tx = snapshot.tenant(tenant, None);
        let now = app.clock.now();
        let from = now.plus_millis(-30 * DAY);
        (
            tx.level_changes("customers", from, now).unwrap(),
            tx.level_changes("open-tasks/2026-11-20", from, now).unwrap(),
            tx.series("tasks/completed", from, now).unwrap(),
            tx.first_change_at().unwrap(),
        )
    };
    let (customers, open, completed, first) = figures(app.acme.id);
    assert_eq!(customers.iter().map(|(_, by)| *by).collect::<Vec<_>>(), [3, -2, 1]);
    assert_eq!((open.len(), completed.len(), first.is_some()), (2, 1, true));
    assert_eq!(figures(copy), (customers, open, completed, first));
    assert_sound(&app);
}
