//! Uploads and downloads over HTTP.

use std::os::unix::fs::PermissionsExt as _;

use image::ImageFormat;
use poem::{Body, Endpoint as _, Request, Response};
use serde_json::json;
use tokio::io::AsyncWriteExt as _;

use super::{FileRecord, Removed, picture::tests::sample};
use crate::{
    people::permission::Role,
    testing::{As, Got, TestApp},
};

async fn download(app: &TestApp, member: &As, path: &str) -> Response {
    let bearer = format!("Bearer {}", member.token());
    app.client.get_response(Request::builder().uri_str(path).header("authorization", bearer).finish()).await
}

fn header<'r>(response: &'r Response, name: &str) -> &'r str {
    response.header(name).unwrap_or_default()
}

#[tokio::test]
async fn picture_is_stored_and_served_with_its_type() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Viewer).await;
    let got = member.upload("me.png", "image/png", &sample(ImageFormat::Png, 30, 20)).await;
    let location = got.headers["location"].to_str().unwrap().to_owned();
    let file = got.expect(201);
    assert_eq!((file["name"].as_str(), file["type"].as_str()), (Some("me.png"), Some("image/png")));
    let url = file["url"].as_str().unwrap();
    assert_eq!(location, url);
    assert!(!url.contains(file["id"].as_str().unwrap()), "the record's id tells when it was made");

    let mut served = download(&app, &member, url).await;
    assert_eq!(served.status(), 200);
    assert_eq!(header(&served, "content-type"), "image/png");
    assert_eq!(header(&served, "x-content-type-options"), "nosniff");
    assert_eq!(header(&served, "content-security-policy"), "sandbox; default-src 'none'; frame-ancestors 'none'");
    assert_eq!(header(&served, "cache-control"), "private, no-cache");
    assert!(header(&served, "content-disposition").starts_with("inline;"));
    let bytes = served.take_body().into_vec().await.unwrap();
    assert_eq!(file["size"], bytes.len());
    assert_eq!(image::load_from_memory(&bytes).unwrap().width(), 30);
}

#[tokio::test]
async fn other_file_is_served_as_a_download_of_unknown_type() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let page = b"<html><script>alert(1)</script></html>";
    let file = member.upload("x.html", "text/html", page).await.expect(201);
    assert_eq!(file["type"], "text/html");
    let mut served = download(&app, &member, file["url"].as_str().unwrap()).await;
    assert_eq!(header(&served, "content-type"), "application/octet-stream");
    assert!(header(&served, "content-disposition").starts_with("attachment; filename=\"x.html\""));
    assert_eq!(served.take_body().into_vec().await.unwrap(), page);
}

#[tokio::test]
async fn upload_is_discarded_if_its_sender_is_suspended_meanwhile() {
    let app = TestApp::new().await;
    let viewer = app.acme(Role::Viewer).await;
    let owner = app.acme(Role::Owner).await;
    // The pipe holds one byte: when the write completes, the server has read it and the upload has begun.
    let (mut sender, body) = tokio::io::duplex(1);
    let request = Request::builder()
        .method(http::Method::POST)
        .uri_str("/api/files")
        .header("authorization", format!("Bearer {}", viewer.token()))
        .content_type("multipart/form-data; boundary=xyz")
        .body(Body::from_async_read(body));
    let answer = async { Got::of(app.client.get_response(request).await).await };
    let send = async {
        let head = "--xyz\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n\r\nabc";
        sender.write_all(head.as_bytes()).await.unwrap();
        owner.patch(&format!("/api/team/{}", viewer.id), json!({"state": "suspended"})).await.expect(200);
        // The server answers as soon as the form ends, possibly before reading all of this.
        sender.write_all(b"\r\n--xyz--\r\n").await.ok();
        drop(sender);
    };
    let (answer, ()) = tokio::join!(answer, send);
    answer.refused("not_signed_in");
    let snapshot = app.app.store().snapshot().unwrap();
    assert_eq!(snapshot.tenant(app.acme.id, None).count::<FileRecord>().unwrap(), 0);
}

#[tokio::test]
async fn serves_a_range_of_a_file() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let file = member.upload("a.txt", "text/plain", b"0123456789").await.expect(201);
    let url = file["url"].as_str().unwrap();
    let ask = |headers: Vec<(&'static str, String)>| {
        let bearer = format!("Bearer {}", member.token());
        let request = Request::builder().uri(url.parse().unwrap()).header("authorization", bearer);
        let request = headers.into_iter().fold(request, |request, (name, value)| request.header(name, value));
        app.client.get_response(request.finish())
    };
    let whole = ask(vec![]).await;
    let tag = header(&whole, "etag").to_owned();
    assert_eq!(header(&whole, "accept-ranges"), "bytes");
    let mut part = ask(vec![("range", "bytes=3-5".to_owned())]).await;
    assert_eq!((part.status().as_u16(), header(&part, "content-range")), (206, "bytes 3-5/10"));
    assert_eq!(header(&part, "content-length"), "3");
    assert_eq!(part.take_body().into_vec().await.unwrap(), b"345");
    let beyond = ask(vec![("range", "bytes=10-".to_owned())]).await;
    assert_eq!((beyond.status().as_u16(), header(&beyond, "content-range")), (416, "bytes */10"));
    let current = ask(vec![("range", "bytes=-2".to_owned()), ("if-range", tag.clone())]).await;
    assert_eq!(current.status().as_u16(), 206);
    let other = ask(vec![("range", "bytes=-2".to_owned()), ("if-range", "\"other\"".to_owned())]).await;
    assert_eq!(other.status().as_u16(), 200);
    assert_eq!(ask(vec![("if-none-match", tag)]).await.status().as_u16(), 304);
}

#[tokio::test]
async fn repeated_upload_with_the_same_key_creates_one_file() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let key = [("Idempotency-Key", "once")];
    let file = ["file", "a.txt", "text/plain"];
    let first = member.upload_form(file, b"ours", &key).await.expect(201);
    let again = member.upload_form(file, b"ours", &key).await.expect(201);
    assert_eq!(first, again);
    let other = member.upload_form(file, b"other", &key).await;
    other.refused("idempotency_mismatch");
    assert_eq!(app.app.store().snapshot().unwrap().tenant(app.acme.id, None).counter("files/bytes").unwrap(), 4);
}

#[tokio::test]
async fn rejects_invalid_uploads() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let svg = b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>";
    let png = sample(ImageFormat::Png, 8, 8);
    for (name, kind, bytes, code) in [
        ("a.svg", "image/svg+xml", &svg[..], "unsupported_media_type"),
        ("a.png", "image/png", &svg[..], "unsupported_media_type"),
        ("a.txt", "text/plain", &svg[..], "unsupported_media_type"),
        ("a.gif", "image/gif", b"GIF89a", "unsupported_media_type"),
        ("a.png", "image/png", &png[..40], "invalid"),
        ("a.pdf", "application/pdf", b"", "invalid"),
        ("a.pdf", "application/pdf", &vec![0; (25 << 20) + 1][..], "too_large"),
    ] {
        let got = member.upload(name, kind, bytes).await;
        got.refused(code);
        if code != "too_large" {
            assert!(got.body["error"]["fields"]["file"].is_string(), "{name} {kind}");
        }
    }
    let unknown = member.upload_form(["other", "a.png", "image/png"], &png, &[]).await;
    unknown.refused("bad_request");
    assert_eq!(unknown.body["error"]["reasons"], json!({"other": "unknown"}));
    member.post("/api/files", serde_json::json!({"file": "x"})).await.refused("unsupported_media_type");
    app.anonymous("POST", "/api/files", None).await.refused("not_signed_in");
}

#[tokio::test]
async fn media_path_serves_only_its_own_file() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let file = member.upload("a.txt", "text/plain", b"ours").await.expect(201);
    let id = file["id"].as_str().unwrap();
    let url = file["url"].as_str().unwrap();
    for path in [
        format!("/media/{id}"),
        "/media/00000000000000000000000000000000".to_owned(),
        "/media/..%2f..%2faccess.key".to_owned(),
        "/media/%2e%2e".to_owned(),
        url.to_uppercase().replace("/MEDIA", "/media"),
        format!("{url}0"),
    ] {
        let status = download(&app, &member, &path).await.status().as_u16();
        assert!([400, 404].contains(&status), "{path}: {status}");
    }
    let snapshot = app.app.store().snapshot().unwrap();
    let ours = snapshot.tenant(app.acme.id, None);
    let theirs = snapshot.tenant(app.other.id, None);
    assert_eq!(super::by_url(&ours, url).unwrap().unwrap().name, "a.txt");
    assert!(super::by_url(&theirs, url).unwrap().is_none());
    assert_eq!(ours.counter("files/bytes").unwrap(), 4);
}

#[tokio::test]
async fn only_logos_may_be_embedded_cross_origin() {
    let app = TestApp::new().await;
    let owner = app.acme(Role::Owner).await;
    let bytes = sample(ImageFormat::Png, 8, 8);
    let logo = owner.upload("a.png", "image/png", &bytes).await.expect(201);
    let other = owner.upload("b.png", "image/png", &bytes).await.expect(201);
    let logo = logo["url"].as_str().unwrap();
    let other = other["url"].as_str().unwrap();
    owner.patch("/api/settings/company", serde_json::json!({"logotipo_dark": logo})).await.expect(200);
    for (path, policy) in [(logo, "cross-origin"), (other, "same-origin")] {
        let answer = download(&app, &owner, path).await;
        assert_eq!(answer.headers()["cross-origin-resource-policy"], policy, "{path}");
    }
}

#[tokio::test]
async fn files_are_stored_per_tenant_and_readable_by_the_owner_only() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let file = member.upload("a.txt", "text/plain", b"ours").await.expect(201);
    let media = file["url"].as_str().unwrap().trim_start_matches("/media/");
    let dir = app.app.config().data_dir.join("files");
    let path = dir.join(app.acme.id.to_string()).join(media);
    assert_eq!(std::fs::read(&path).unwrap(), b"ours");
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(std::fs::metadata(path.parent().unwrap()).unwrap().permissions().mode() & 0o777, 0o700);
    assert_eq!(std::fs::read_dir(dir.join("incoming")).unwrap().count(), 0, "nothing half-written stays");
}

/// Slightly more than a day, in milliseconds.
const DAY: i64 = 24 * 3_600_000 + 1;

async fn collect_garbage(app: &TestApp) -> Removed {
    app.app.files().collect_garbage(|| std::future::ready(())).await.unwrap()
}

async fn text(member: &As, name: &str) -> String {
    let file = member.upload(name, "text/plain", name.as_bytes()).await.expect(201);
    file["url"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn sweep_removes_only_unreferenced_files_after_a_day() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let picture = member.upload("a.png", "image/png", &sample(ImageFormat::Png, 8, 8)).await.expect(201);
    let picture = picture["url"].as_str().unwrap().to_owned();
    let unused = text(&member, "unused.txt").await;
    let attached = text(&member, "attached.txt").await;
    let mentioned = text(&member, "mentioned.txt").await;
    member.patch("/api/common/user", json!({"avatar": picture})).await.expect(200);
    let customer = json!({"name": "Ana", "attachments": {"docs": [{"url": attached}], "media": [], "links": []}});
    let customer = member.post("/api/customers", customer).await;
    let customer = customer.expect(201);
    member.post("/api/common/messages", json!({"message": {"title": format!("See {mentioned}")}})).await.expect(200);
    assert_eq!(collect_garbage(&app).await, Removed::default(), "nothing is old enough");
    assert_eq!(download(&app, &member, &unused).await.status(), 200);

    app.clock.advance(DAY);
    let member = app.acme(Role::Member).await;
    assert_eq!(collect_garbage(&app).await, Removed { files: 1, bytes: 10 });
    assert_eq!(download(&app, &member, &unused).await.status(), 404);
    let media = unused.trim_start_matches("/media/");
    assert!(!app.app.config().data_dir.join("files").join(app.acme.id.to_string()).join(media).exists());
    for kept in [&picture, &attached, &mentioned] {
        assert_eq!(download(&app, &member, kept).await.status(), 200, "{kept}");
    }
    assert_eq!(collect_garbage(&app).await, Removed::default());

    let member = app.acme(Role::Admin).await;
    member.delete(&format!("/api/customers/{}", customer["id"].as_str().unwrap())).await.expect(204);
    assert_eq!(collect_garbage(&app).await, Removed::default(), "its customer can be restored");
    member.delete("/api/bin").await.expect(204);
    assert_eq!(collect_garbage(&app).await, Removed { files: 1, bytes: 12 }, "its customer is gone");
    let report = app.app.store().check(crate::features::TABLES, &mut |_| std::ops::ControlFlow::Continue(())).unwrap();
    assert!(report.is_sound(), "{:?}", report.damage);
}

#[tokio::test]
async fn rejects_new_references_to_a_file_marked_for_removal() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let url = text(&member, "late.txt").await;
    let doom = |doomed| {
        let url = url.clone();
        let work = move |tx: &crate::store::TenantWrite<'_>| {
            let media = url.trim_start_matches("/media/");
            let file = tx.find_by::<FileRecord>(super::model::OWN_BY_MEDIA, media)?.unwrap();
            tx.update::<FileRecord>(file.id, None, |file| {
                file.doomed = doomed;
                Ok(())
            })
        };
        app.app.store().write(app.acme.id, crate::store::Actor::System, work)
    };
    let customer = json!({"name": "Ana", "attachments": {"docs": [{"url": url}], "media": [], "links": []}});
    doom(true).await.unwrap();
    member.post("/api/customers", customer.clone()).await.refused("invalid");
    doom(false).await.unwrap();
    member.post("/api/customers", customer).await.expect(201);
    doom(true).await.unwrap();
    app.clock.advance(DAY);
    assert_eq!(collect_garbage(&app).await, Removed::default(), "something did before it was marked");
    let snapshot = app.app.store().snapshot().unwrap();
    assert!(super::by_url(&snapshot.tenant(app.acme.id, None), &url).unwrap().is_some(), "the mark is taken off");
}

#[tokio::test]
async fn sweep_removes_old_files_without_a_record() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    text(&member, "a.txt").await;
    let home = app.app.config().data_dir.join("files").join(app.acme.id.to_string());
    let old = home.join("0".repeat(32));
    let young = home.join("1".repeat(32));
    let other = home.join("note");
    for file in [&old, &young, &other] {
        std::fs::write(file, "x").unwrap();
    }
    let now = std::time::UNIX_EPOCH + std::time::Duration::from_millis(app.clock.now().millis().try_into().unwrap());
    let set = |path: &std::path::Path, hours: u64| {
        let file = std::fs::File::options().write(true).open(path).unwrap();
        file.set_modified(now - std::time::Duration::from_hours(hours)).unwrap();
    };
    set(&old, 25);
    set(&young, 23);
    set(&other, 25);
    collect_garbage(&app).await;
    assert_eq!((old.exists(), young.exists(), other.exists()), (false, true, true));
    assert_eq!(std::fs::read_dir(&home).unwrap().count(), 3, "the file with a record stays");
}

#[tokio::test]
async fn rejects_uploads_over_the_tenant_quota() {
    let app = TestApp::with(|config| config.limits.files = 10).await;
    let member = app.acme(Role::Member).await;
    text(&member, "12345678").await;
    let refused = member.upload("a.txt", "text/plain", b"123").await;
    refused.refused("conflict");
    assert!(refused.body["error"]["fields"]["file"].is_string(), "{}", refused.body);
    member.upload("a.txt", "text/plain", b"12").await.expect(201);
    member.upload("a.txt", "text/plain", b"1").await.refused("conflict");
    let theirs = app.other(Role::Member).await;
    theirs.upload("a.txt", "text/plain", b"123").await.expect(201);
    let home = app.app.config().data_dir.join("files").join(app.acme.id.to_string());
    assert_eq!(std::fs::read_dir(home).unwrap().count(), 2, "what was refused does not stay on the disk");
}

#[tokio::test]
async fn avatar_must_be_a_picture_of_the_own_tenant() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let theirs = app.other(Role::Member).await;
    let picture = theirs.upload("a.png", "image/png", &sample(ImageFormat::Png, 8, 8)).await.expect(201);
    let text = text(&member, "a.txt").await;
    for url in [picture["url"].as_str().unwrap(), &text, "/media/nothing", "https://elsewhere.example/a.png"] {
        let refused = member.patch("/api/common/user", json!({"avatar": url})).await;
        refused.refused("invalid");
        assert!(refused.body["error"]["fields"]["avatar"].is_string(), "{url}");
    }
    theirs.patch("/api/common/user", json!({"avatar": picture["url"]})).await.expect(200);
}

/// Returns the path of an upload of the first tenant.
fn place(app: &TestApp, url: &str) -> std::path::PathBuf {
    let media = url.trim_start_matches("/media/");
    app.app.config().data_dir.join("files").join(app.acme.id.to_string()).join(media)
}

async fn scrub(app: &TestApp) -> super::ScrubReport {
    app.app.files().scrub(|_| std::ops::ControlFlow::Continue(())).await.unwrap()
}

fn lost(app: &TestApp) -> Vec<super::DamagedUpload> {
    let snapshot = app.app.store().snapshot().unwrap();
    super::find_damaged(app.app.files(), &snapshot.tenant(app.acme.id, None)).unwrap()
}

#[tokio::test]
async fn damaged_upload_is_not_served_and_is_reported_by_every_reader() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let sound = text(&member, "sound.txt").await;
    let damaged = text(&member, "damaged.txt").await;
    let unreadable = text(&member, "unreadable.txt").await;
    assert_eq!(scrub(&app).await, super::ScrubReport { files: 3, ..Default::default() });
    let bytes = std::fs::read(place(&app, &damaged)).unwrap();
    std::fs::write(place(&app, &damaged), [&bytes[..3], b"X", &bytes[4..]].concat()).unwrap();
    // A disk error cannot be produced here, but a folder cannot be read as a file either.
    std::fs::remove_file(place(&app, &unreadable)).unwrap();
    std::fs::create_dir(place(&app, &unreadable)).unwrap();

    for path in [&damaged, &unreadable] {
        let refused = Got::of(download(&app, &member, path).await).await;
        refused.refused("internal");
        assert!(refused.body["error"]["message"].as_str().unwrap().contains("damaged"), "{}", refused.body);
        assert!(
            refused.headers.get("cache-control").is_none_or(|cache| !cache.to_str().unwrap().contains("immutable"))
        );
    }
    let mut served = download(&app, &member, &sound).await;
    assert_eq!(served.take_body().into_string().await.unwrap(), "sound.txt");
    assert_eq!(lost(&app).len(), 2);
    assert_eq!(app.app.files().damaged(), 2);
    let condition = app.app.watch().condition().unwrap();
    assert_eq!((condition.damaged, condition.reasons), (2, vec![crate::jobs::DegradedReason::Damaged]));
    let read = scrub(&app).await;
    assert_eq!((read.files, read.damaged), (3, 2));

    // A backup is made in spite of both, counts them and notifies the administrators.
    let file = app.app.config().data_dir.join("all.backup");
    let store = app.app.store();
    let file_store = app.app.files();
    let made = crate::features::operator::backup(
        store,
        file_store,
        app.app.installation(),
        file.clone(),
        None,
        &crate::kernel::progress::Progress::default(),
    )
    .await;
    let made = made.unwrap();
    assert_eq!((made.files, made.damaged), (2, 2), "what can be read is in it as it is");
    let notifications = async |role| {
        let member = app.acme(role).await;
        member.get("/api/common/notifications").await.expect(200).to_string()
    };
    assert!(notifications(Role::Admin).await.contains("Some files are damaged"));
    assert!(!notifications(Role::Viewer).await.contains("Some files are damaged"));

    std::fs::write(place(&app, &damaged), bytes).unwrap();
    assert_eq!(download(&app, &member, &damaged).await.status(), 200, "mended");
    assert_eq!(app.app.files().damaged(), 1);
    // What a repair dropped is no damage any more.
    let progress = crate::kernel::progress::Progress::default();
    crate::features::operator::repair(store, file_store, None, true, true, &progress).await.unwrap();
    assert_eq!(app.app.watch().condition().unwrap().damaged, 0);
}

#[tokio::test]
async fn scrub_adds_the_digest_missing_from_an_old_upload() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let url = text(&member, "old.txt").await;
    let media = url.trim_start_matches("/media/").to_owned();
    let of = media.clone();
    let forget = move |tx: &crate::store::TenantWrite<'_>| {
        let file = tx.find_by::<FileRecord>(super::model::OWN_BY_MEDIA, &of)?.unwrap();
        tx.update::<FileRecord>(file.id, None, |file| {
            file.digest = None;
            Ok(())
        })
    };
    app.app.store().write(app.acme.id, crate::store::Actor::System, forget).await.unwrap();
    assert_eq!(download(&app, &member, &url).await.status(), 200);
    assert_eq!(scrub(&app).await, super::ScrubReport { files: 1, digested: 1, damaged: 0 });
    assert_eq!(scrub(&app).await, super::ScrubReport { files: 1, ..Default::default() });
    std::fs::write(place(&app, &url), "OLD.txt").unwrap();
    assert_eq!(download(&app, &member, &url).await.status(), 500);
}

#[tokio::test]
async fn removed_upload_folder_is_created_again() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    text(&member, "a.txt").await;
    std::fs::remove_dir_all(app.app.config().data_dir.join("files")).unwrap();
    let url = text(&member, "b.txt").await;
    assert_eq!(download(&app, &member, &url).await.status(), 200);
}

/// Returns the value of the cookie for files that an answer sets, with its attributes.
fn media_cookie(answer: &Got) -> Option<String> {
    let all = answer.headers.get_all("set-cookie").iter().map(|cookie| cookie.to_str().unwrap().to_owned());
    all.into_iter().find(|cookie| cookie.starts_with("atrium-media="))
}

/// Asks for a file with a cookie, as a picture in a page does.
async fn by_cookie(app: &TestApp, path: &str, cookie: &str) -> u16 {
    let pair = cookie.split(';').next().unwrap();
    app.anonymous_with("GET", path, None, &[("cookie", pair)]).await.status
}

/// A kind of fault: an address alone opens a file, also after its record is gone or hidden, and for others. Each way to hold
/// a file is tried with each way to lose sight of it.
#[tokio::test]
async fn files_open_only_for_those_who_see_a_record_that_holds_them() {
    let app = TestApp::new().await;
    let author = app.hire("author", Role::Member).await;
    let chosen = app.hire("chosen", Role::Viewer).await;
    let outsider = app.acme(Role::Viewer).await;
    let stranger = app.other(Role::Owner).await;
    let picture = sample(ImageFormat::Png, 8, 8);
    let url = |file: serde_json::Value| file["url"].as_str().unwrap().to_owned();
    let upload = async |member: &As| url(member.upload("a.png", "image/png", &picture).await.expect(201));
    let fetched = async |member: &As, path: &str| download(&app, member, path).await.status().as_u16();

    let avatar = upload(&author).await;
    author.patch("/api/common/user", json!({"avatar": avatar})).await.expect(200);
    let logo = upload(&author).await;
    author.post("/api/organizations", json!({"name": "Sol", "logo": logo})).await.expect(201);
    let shown = upload(&author).await;
    let doc = upload(&author).await;
    let attached = json!({"docs": [{"url": doc}], "media": [], "links": []});
    let ana = json!({"name": "Ana", "background": shown, "attachments": attached});
    author.post("/api/customers", ana).await.expect(201);
    let open = [&avatar, &logo, &shown, &doc];
    for path in open {
        assert_eq!([fetched(&author, path).await, fetched(&outsider, path).await], [200, 200], "{path}");
        assert_eq!(fetched(&stranger, path).await, 404);
        assert_eq!(app.anonymous("GET", path, None).await.status, 404);
    }

    // On records of few: in the body, as a file, and in a comment.
    let visibility = json!({"to": "people", "people": [chosen.id]});
    let linked = upload(&author).await;
    let body = format!("<p><a href=\"{linked}\">Plan</a></p>");
    let page = json!({"title": "P", "status": "published", "body": body, "visibility": visibility});
    let page = author.post("/api/pages", page).await.expect(201)["id"].as_str().unwrap().to_owned();
    let deal = json!({"title": "D", "visibility": visibility});
    let deal = author.post("/api/deals", deal).await.expect(201)["id"].as_str().unwrap().to_owned();
    let on_page = upload(&author).await;
    author.post(&format!("/api/pages/{page}/files"), json!({"path": on_page})).await.expect(200);
    let in_comment = upload(&author).await;
    let comment = json!({"value": "See", "attachments": [in_comment]});
    author.post(&format!("/api/deals/{deal}/comments"), comment).await.expect(201);
    let chat = author.post("/api/apps/chat/chat", json!({"contactId": chosen.id})).await.expect(200);
    let in_chat = upload(&author).await;
    let line = json!({"chatId": chat["id"], "value": "See", "attachments": [in_chat]});
    author.post("/api/apps/chat/messages", line).await.expect(201);
    let few = [&linked, &on_page, &in_comment, &in_chat];
    for path in few {
        assert_eq!([fetched(&author, path).await, fetched(&chosen, path).await], [200, 200], "{path}");
        assert_eq!([fetched(&outsider, path).await, fetched(&stranger, path).await], [404, 404], "{path}");
    }
    let admin = app.acme(Role::Admin).await;
    let seen = [fetched(&admin, &linked).await, fetched(&admin, &in_comment).await, fetched(&admin, &in_chat).await];
    assert_eq!(seen, [200, 200, 404], "administrators see records of few, and no chats of others");

    // In the bin, purged, and put back.
    author.delete(&format!("/api/pages/{page}")).await.expect(204);
    assert_eq!([fetched(&chosen, &linked).await, fetched(&chosen, &on_page).await], [404, 404]);
    author.post(&format!("/api/bin/{page}/restore"), json!({})).await.expect(200);
    assert_eq!([fetched(&chosen, &linked).await, fetched(&chosen, &on_page).await], [200, 200]);
    author.patch(&format!("/api/pages/{page}"), json!({"visibility": {"to": "me"}})).await.expect(200);
    assert_eq!([fetched(&chosen, &linked).await, fetched(&chosen, &on_page).await], [404, 404]);
    author.delete(&format!("/api/pages/{page}")).await.expect(204);
    admin.delete(&format!("/api/bin/{page}")).await.expect(204);
    assert_eq!([fetched(&admin, &linked).await, fetched(&admin, &on_page).await], [404, 404]);
    let report = app.app.store().check(crate::features::TABLES, &mut |_| std::ops::ControlFlow::Continue(())).unwrap();
    assert!(report.is_sound(), "{:?}", report.damage);
}

#[tokio::test]
async fn cookie_for_files_lives_and_ends_with_its_session() {
    let app = TestApp::new().await;
    let owner = app.acme(Role::Owner).await;
    let picture = sample(ImageFormat::Png, 8, 8);
    let avatar = owner.upload("a.png", "image/png", &picture).await.expect(201)["url"].as_str().unwrap().to_owned();
    owner.patch("/api/common/user", json!({"avatar": avatar})).await.expect(200);
    let form = json!({"email": "viewer@acme.example", "password": crate::testing::PASSWORD});
    let sign_in = async || app.anonymous("POST", "/api/auth/sign-in", Some(form.clone())).await;
    let signed = sign_in().await;
    let cookie = media_cookie(&signed).unwrap();
    assert!(cookie.ends_with("; HttpOnly; SameSite=Lax; Path=/media/"), "{cookie}");
    assert_eq!(by_cookie(&app, &avatar, &cookie).await, 200);
    assert_eq!(by_cookie(&app, &avatar, &format!("{}x", cookie.split(';').next().unwrap())).await, 404);
    // The cookie opens files alone, and files of its company alone.
    let pair = cookie.split(';').next().unwrap();
    let call = app.anonymous_with("GET", "/api/common/user", None, &[("cookie", pair)]).await;
    call.refused("not_signed_in");
    let theirs = app.other(Role::Owner).await;
    let foreign = theirs.upload("a.png", "image/png", &picture).await.expect(201)["url"].as_str().unwrap().to_owned();
    theirs.patch("/api/common/user", json!({"avatar": foreign})).await.expect(200);
    assert_eq!(by_cookie(&app, &foreign, &cookie).await, 404);
    // What the browser has is used again only as long as it may be seen.
    let tag = format!("\"{}\"", avatar.trim_start_matches("/media/"));
    let known = async |cookie: &str| {
        let headers = [("cookie", cookie), ("if-none-match", tag.as_str())];
        app.anonymous_with("GET", &avatar, None, &headers).await.status
    };
    assert_eq!([known(pair).await, known("atrium-media=").await], [304, 404]);

    let token = signed.body["accessToken"].as_str().unwrap().to_owned();
    let bearer = format!("Bearer {token}");
    let headers = [("authorization", bearer.as_str())];
    let locked = app.anonymous_with("POST", "/api/auth/lock-session", Some(json!({})), &headers).await;
    assert_eq!((locked.status, by_cookie(&app, &avatar, &cookie).await), (204, 404), "a lock closes files");
    let out = app.anonymous_with("POST", "/api/auth/sign-out", Some(json!({})), &headers).await;
    assert_eq!(media_cookie(&out).unwrap(), "atrium-media=; HttpOnly; SameSite=Lax; Path=/media/; Max-Age=0");
    assert_eq!([by_cookie(&app, &avatar, &cookie).await, known(pair).await], [404, 404]);

    let again = sign_in().await;
    let cookie = media_cookie(&again).unwrap();
    assert_eq!(by_cookie(&app, &avatar, &cookie).await, 200);
    let viewer = again.body["user"]["id"].as_str().unwrap();
    owner.patch(&format!("/api/team/{viewer}"), json!({"state": "suspended"})).await.expect(200);
    assert_eq!(by_cookie(&app, &avatar, &cookie).await, 404);
}

#[tokio::test]
async fn logos_of_companies_are_free_and_nothing_else_is() {
    let app = TestApp::new().await;
    let owner = app.acme(Role::Owner).await;
    let picture = sample(ImageFormat::Png, 8, 8);
    let upload = async || {
        let file = owner.upload("a.png", "image/png", &picture).await.expect(201);
        file["url"].as_str().unwrap().to_owned()
    };
    let logo = upload().await;
    let draft = upload().await;
    owner.patch("/api/settings/company", json!({"logotipo_dark": logo})).await.expect(200);
    assert_eq!(app.anonymous("GET", &logo, None).await.status, 200);
    assert_eq!(app.anonymous("GET", &draft, None).await.status, 404);
    // A form shows an upload before it is saved, to its author alone and not for long.
    assert_eq!(download(&app, &owner, &draft).await.status(), 200);
    assert_eq!(download(&app, &app.acme(Role::Admin).await, &draft).await.status(), 404);
    app.clock.advance(25 * 3_600_000);
    let owner = app.acme(Role::Owner).await;
    assert_eq!(download(&app, &owner, &draft).await.status(), 404);
}
