//! Uploads and downloads as clients see them.

use std::os::unix::fs::PermissionsExt as _;

use image::ImageFormat;
use poem::{Endpoint as _, Request, Response};

use super::picture::tests::sample;
use crate::{
    access::permission::Role,
    testing::{As, Got, TestApp},
};

async fn upload(app: &TestApp, member: &As, field: &str, name: &str, kind: &str, bytes: &[u8]) -> Got {
    let mut body = format!(
        "--xyz\r\nContent-Disposition: form-data; name=\"{field}\"; filename=\"{name}\"\r\nContent-Type: {kind}\r\n\r\n"
    )
    .into_bytes();
    body.extend_from_slice(bytes);
    body.extend_from_slice(b"\r\n--xyz--\r\n");
    let request = Request::builder()
        .method(http::Method::POST)
        .uri_str("/api/files")
        .header("authorization", format!("Bearer {}", member.token()))
        .content_type("multipart/form-data; boundary=xyz")
        .body(body);
    Got::of(app.client.get_response(request).await).await
}

async fn download(app: &TestApp, path: &str) -> Response {
    app.client.get_response(Request::builder().uri_str(path).finish()).await
}

fn header<'r>(response: &'r Response, name: &str) -> &'r str {
    response.header(name).unwrap_or_default()
}

#[tokio::test]
async fn a_picture_is_kept_and_served_without_signing_in() {
    let app = TestApp::new().await;
    let viewer = app.acme(Role::Viewer).await;
    let got = upload(&app, &viewer, "file", "me.png", "image/png", &sample(ImageFormat::Png, 30, 20)).await;
    let location = got.headers["location"].to_str().unwrap().to_owned();
    let file = got.expect(201);
    assert_eq!((file["name"].as_str(), file["type"].as_str()), (Some("me.png"), Some("image/png")));
    let url = file["url"].as_str().unwrap();
    assert_eq!(location, url);
    assert!(!url.contains(file["id"].as_str().unwrap()), "the record's id tells when it was made");

    let mut served = download(&app, url).await;
    assert_eq!(served.status(), 200);
    assert_eq!(header(&served, "content-type"), "image/png");
    assert_eq!(header(&served, "x-content-type-options"), "nosniff");
    assert_eq!(header(&served, "content-security-policy"), "sandbox; default-src 'none'");
    assert_eq!(header(&served, "cache-control"), "private, max-age=31536000, immutable");
    assert!(header(&served, "content-disposition").starts_with("inline;"));
    let bytes = served.take_body().into_vec().await.unwrap();
    assert_eq!(file["size"], bytes.len());
    assert_eq!(image::load_from_memory(&bytes).unwrap().width(), 30);
}

#[tokio::test]
async fn anything_else_is_served_as_a_download_of_unknown_type() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let page = b"<html><script>alert(1)</script></html>";
    let file = upload(&app, &member, "file", "x.html", "text/html", page).await.expect(201);
    assert_eq!(file["type"], "text/html");
    let mut served = download(&app, file["url"].as_str().unwrap()).await;
    assert_eq!(header(&served, "content-type"), "application/octet-stream");
    assert!(header(&served, "content-disposition").starts_with("attachment; filename=\"x.html\""));
    assert_eq!(served.take_body().into_vec().await.unwrap(), page);
}

#[tokio::test]
async fn what_must_not_be_kept_is_refused() {
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
        ("a.pdf", "application/pdf", &vec![0; (5 << 20) + 1][..], "too_large"),
    ] {
        let got = upload(&app, &member, "file", name, kind, bytes).await;
        got.refused(code);
        if code != "too_large" {
            assert!(got.body["error"]["fields"]["file"].is_string(), "{name} {kind}");
        }
    }
    upload(&app, &member, "other", "a.png", "image/png", &png).await.refused("bad_request");
    member.post("/api/files", serde_json::json!({"file": "x"})).await.refused("unsupported_media_type");
    app.anonymous("POST", "/api/files", None).await.refused("not_signed_in");
}

#[tokio::test]
async fn an_id_reaches_one_file_and_nothing_else() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let file = upload(&app, &member, "file", "a.txt", "text/plain", b"ours").await.expect(201);
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
        let status = download(&app, &path).await.status().as_u16();
        assert!([400, 404].contains(&status), "{path}: {status}");
    }
    let snapshot = app.app.store().snapshot().unwrap();
    let (ours, theirs) = (snapshot.tenant(app.acme.id, None), snapshot.tenant(app.other.id, None));
    assert_eq!(super::by_url(&ours, url).unwrap().unwrap().name, "a.txt");
    assert!(super::by_url(&theirs, url).unwrap().is_none());
    assert_eq!(ours.counter("files/bytes").unwrap(), 4);
}

#[tokio::test]
async fn files_lie_below_their_tenant_for_the_owner_only() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let file = upload(&app, &member, "file", "a.txt", "text/plain", b"ours").await.expect(201);
    let media = file["url"].as_str().unwrap().trim_start_matches("/media/");
    let dir = app.app.config().data_dir.join("files");
    let path = dir.join(app.acme.id.to_string()).join(media);
    assert_eq!(std::fs::read(&path).unwrap(), b"ours");
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(std::fs::metadata(path.parent().unwrap()).unwrap().permissions().mode() & 0o777, 0o700);
    assert_eq!(std::fs::read_dir(dir.join("incoming")).unwrap().count(), 0, "nothing half-written stays");
}
