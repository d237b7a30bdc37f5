//! Backup and restore of an installation: earlier sessions and links become invalid, and only files that belong to a
//! backup are accepted.

use std::{fs, path::PathBuf};

use serde_json::json;

use super::{
    super::{backup, stage},
    Role, TestApp, notified,
};
use crate::{
    kernel::{Code, Entropy, Error, Result, progress::Progress},
    store::Sealer,
    testing::{Got, PASSWORD},
};

async fn back_up(app: &TestApp) -> PathBuf {
    let file = app.app.config().data_dir.join("all.backup");
    backup(app.app.store(), app.app.files(), app.app.installation(), file.clone(), None, &Progress::default())
        .await
        .unwrap();
    file
}

async fn stage_in(app: &TestApp, file: PathBuf) -> Result<u64> {
    let ground = (app.clock.clone(), Entropy::seeded(11));
    stage(app.app.home(), file, None, ground, &Progress::default()).await.map(|staged| staged.companies)
}

async fn sign_in(app: &TestApp) -> Got {
    let form = json!({"email": "member@acme.example", "password": PASSWORD});
    app.anonymous("POST", "/api/auth/sign-in", Some(form)).await
}

async fn with_cookie(app: &TestApp, call: &str, cookie: &str) -> Got {
    let path = format!("/api/auth/{call}");
    app.anonymous_with("POST", &path, Some(json!({})), &[("cookie", cookie)]).await
}

#[tokio::test]
async fn restore_invalidates_all_earlier_tokens_and_links() {
    let app = TestApp::new().await;
    let before = sign_in(&app).await;
    let cookie = before.headers["set-cookie"].to_str().unwrap().split(';').next().unwrap().to_owned();
    let bearer = format!("Bearer {}", before.body["accessToken"].as_str().unwrap());
    app.anonymous("POST", "/api/auth/forgot-password", Some(json!({"email": "admin@acme.example"}))).await.expect(202);
    let link = app.mailed(app.acme.id, "reset", "admin@acme.example").await.unwrap();
    let signed = app.app.auth().tokens().sign("anything", b"a message").unwrap();
    let file = back_up(&app).await;

    // The session ends after the backup, which does not know that.
    with_cookie(&app, "sign-out", &cookie).await.expect(204);
    assert_eq!(stage_in(&app, file).await.unwrap(), 2);
    let old_key = app.app.auth().tokens().clone();
    let app = app.restart().await;
    assert!(app.app.replaced().is_some_and(|kept| kept.join("store.redb").is_file()));
    for _ in 0..1_000 {
        let asked = app.anonymous_with("GET", "/api/common/user", None, &[("authorization", &bearer)]).await;
        asked.refused("not_signed_in");
    }
    with_cookie(&app, "refresh", &cookie).await.refused("not_signed_in");
    let reset = json!({"token": link, "password": "a wholly new passphrase"});
    app.anonymous("POST", "/api/auth/reset-password", Some(reset)).await.refused("link_invalid");
    let tokens = app.app.auth().tokens();
    assert!(!tokens.is_signed("anything", b"a message", &signed), "signed by the key before");
    assert_eq!(tokens.pepper(), old_key.pepper(), "passwords are still hashed alike for everybody");
    let again = sign_in(&app).await.expect(200);
    let forged = old_key.check(again["accessToken"].as_str().unwrap());
    assert_eq!(forged.unwrap_err().code(), Code::NotSignedIn);

    for tenant in [app.acme.id, app.other.id] {
        assert_eq!(app.audit(tenant).await.iter().filter(|event| *event == "operator.restore").count(), 1);
    }
    let words = notified(&app, Role::Admin).await;
    assert!(words.contains("restored a backup") && words.contains("November 21, 9:30 AM"), "{words}");
    assert!(!notified(&app, Role::Viewer).await.contains("restored a backup"));
}

#[tokio::test]
async fn restore_rejects_file_names_outside_the_uploads() {
    let app = TestApp::new().await;
    let owner = app.acme(Role::Owner).await;
    owner.upload("a.txt", "text/plain", b"text").await.expect(201);
    let data = app.app.config().data_dir.clone();
    let media = "0123456789abcdef0123456789abcdef";
    let tenant = app.acme.id;
    let nobody = "00000000-0000-0000-0000-000000000000";
    let names = [
        format!("../{media}"),
        format!("{tenant}/../{media}"),
        format!("../../{tenant}/{media}"),
        format!("/{tenant}/{media}"),
        format!("{tenant}//{media}"),
        format!("{tenant}\\{media}"),
        format!("{tenant}/{media}\0"),
        format!("{tenant}/{media}/more"),
        format!("{tenant}/{}", media.to_uppercase()),
        format!("{tenant}/{}", &media[1..]),
        format!("{tenant}/"),
        format!("{nobody}/{media}"),
        "etc/passwd".to_owned(),
        media.to_owned(),
        String::new(),
    ];
    let file = data.join("made.backup");
    let make = |name: &str| {
        let mut out = Sealer::new(fs::File::create(&file).unwrap(), None, &Entropy::seeded(1)).unwrap();
        let snapshot = app.app.store().snapshot().unwrap();
        let mut made = snapshot.backup(&mut out, app.clock.now(), app.app.installation()).unwrap();
        made.file(name, 4, &b"evil"[..]).unwrap();
        made.finish(&Progress::default()).unwrap();
        out.finish().unwrap();
    };
    for name in names {
        make(&name);
        let error: Error = stage_in(&app, file.clone()).await.unwrap_err();
        assert_eq!((error.code(), error.fields()[0].0.as_str()), (Code::Invalid, "file"), "{name:?}");
        assert!(!data.join("restore.part").exists() && !data.join("restore.ready").exists(), "{name:?}");
    }
    // The same file with its correct name is accepted.
    make(&format!("{tenant}/{media}"));
    stage_in(&app, file.clone()).await.unwrap();
    assert_eq!(fs::read(data.join("restore.ready/files").join(tenant.to_string()).join(media)).unwrap(), b"evil");
}

/// What is written while a backup is restored would be lost: it is refused, and taken again when the restore fails (F-R8).
#[tokio::test]
async fn changes_are_refused_while_a_backup_is_restored() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let made = member.post("/api/tasks", json!({"title": "Before"})).await.expect(201);
    let path = format!("/api/tasks/{}", made["id"].as_str().unwrap());
    let paused = app.app.store().pause_writes();
    let refused = member.post("/api/tasks", json!({"title": "During"})).await;
    refused.refused("busy");
    assert!(refused.headers.contains_key("retry-after"));
    member.patch(&path, json!({"title": "During"})).await.refused("busy");
    member.delete(&path).await.refused("busy");
    assert_eq!(member.get(&path).await.expect(200)["title"], "Before");
    drop(paused);
    member.patch(&path, json!({"title": "After"})).await.expect(200);
}
