//! Mailed links: single use, limited in time and purpose, with secrets that only the e-mail contains.

use std::fs;

use serde_json::json;

use crate::{
    access::links::{self, Link, Purpose, Token},
    kernel::{Code, Id, MemberId, hex},
    people::permission::Role,
    store::{Actor, TenantWrite},
    testing::{LogLines, TestApp},
};

/// Creates links, each with its own secret.
async fn make(app: &TestApp, purpose: Purpose, count: usize) -> Vec<String> {
    let member: MemberId = app.acme(Role::Member).await.id;
    let entropy = app.app.store().entropy().clone();
    let work = move |tx: &TenantWrite<'_>| {
        let mut tokens = Vec::new();
        for n in 0..count {
            // A different member for each link: using one revokes the others of its member.
            let member = if count == 1 { member } else { Id::from_bytes(*tx.new_id::<u8>().as_bytes()) };
            let link: Id<Link> = links::create(tx, purpose, member, None)?;
            tokens.extend(links::create_secret(tx, link, &entropy)?);
            assert_eq!(tokens.len(), n + 1);
        }
        Ok(tokens)
    };
    app.app.store().write(app.acme.id, Actor::System, work).await.unwrap().0
}

#[tokio::test]
async fn concurrent_uses_of_a_link_succeed_once() {
    let app = TestApp::new().await;
    let tokens = make(&app, Purpose::Reset, 1_000).await;
    let mut uses = tokio::task::JoinSet::new();
    for (number, token) in tokens.iter().enumerate() {
        for _ in 0..2 {
            let store = app.app.store().clone();
            let tenant = app.acme.id;
            let token = Token::parse(token).unwrap();
            uses.spawn(async move {
                let used =
                    store.write(tenant, Actor::System, move |tx| links::take(tx, &token, &[Purpose::Reset])).await;
                (number, used.is_ok())
            });
        }
    }
    let mut succeeded = vec![0; 1_000];
    for (number, used) in uses.join_all().await {
        succeeded[number] += usize::from(used);
    }
    assert!(succeeded.iter().all(|count| *count == 1));
}

#[tokio::test]
async fn link_expires_exactly_after_the_lifetime_of_its_purpose() {
    for (purpose, seconds) in
        [(Purpose::Reset, 3_600), (Purpose::Confirm, 86_400), (Purpose::Email, 86_400), (Purpose::Invite, 604_800)]
    {
        let app = TestApp::new().await;
        let token = make(&app, purpose, 1).await.pop().unwrap();
        let look = async || app.anonymous("POST", "/api/auth/link", Some(json!({"token": token}))).await;
        app.clock.advance(seconds * 1_000 - 1);
        look().await.expect(200);
        app.clock.advance(1);
        look().await.refused("link_invalid");
        let used = app.anonymous("POST", "/api/auth/activate-account", Some(json!({"token": token}))).await;
        used.refused("link_invalid");
        let parsed = Token::parse(&token).unwrap();
        let work = move |tx: &TenantWrite<'_>| links::take(tx, &parsed, &[purpose]);
        assert!(app.app.store().write(app.acme.id, Actor::System, work).await.is_err());
    }
}

#[tokio::test]
async fn link_is_valid_only_for_its_purpose() {
    let app = TestApp::new().await;
    for purpose in [Purpose::Confirm, Purpose::Invite, Purpose::Email] {
        let token = make(&app, purpose, 1).await.pop().unwrap();
        let body = json!({"token": token, "password": "an entirely different one"});
        app.anonymous("POST", "/api/auth/reset-password", Some(body)).await.refused("link_invalid");
    }
    let token = make(&app, Purpose::Reset, 1).await.pop().unwrap();
    let body = json!({"token": token, "name": "Eve", "password": "an entirely different one"});
    app.anonymous("POST", "/api/auth/activate-account", Some(body)).await.refused("link_invalid");
    // The handlers check the purpose before the write; the write checks it again.
    let token = Token::parse(&token).unwrap();
    let work = move |tx: &TenantWrite<'_>| links::take(tx, &token, &[Purpose::Invite, Purpose::Email]).map(drop);
    let refused = app.app.store().write(app.acme.id, Actor::System, work).await.unwrap_err();
    assert_eq!(refused.code(), Code::LinkInvalid);
}

#[tokio::test]
async fn rejects_malformed_and_forged_links() {
    let app = TestApp::new().await;
    let token = make(&app, Purpose::Reset, 1).await.pop().unwrap();
    let other = hex::encode(app.other.id.as_bytes());
    let turned = if token.ends_with('0') { "1" } else { "0" };
    for wrong in [
        String::new(),
        "zz".repeat(64),
        "0".repeat(128),
        token[..126].to_owned(),
        format!("{token}00"),
        format!("{}{turned}", &token[..127]),
        format!("{other}{}", &token[32..]),
    ] {
        app.anonymous("POST", "/api/auth/link", Some(json!({"token": wrong}))).await.refused("link_invalid");
    }
    app.anonymous("POST", "/api/auth/link", Some(json!({"token": token}))).await.expect(200);
}

#[tokio::test]
async fn tokens_are_not_written_to_disk_or_log() {
    let (log, _guard) = LogLines::of_all_threads(tracing::Level::TRACE);
    let app = TestApp::new().await;
    let mut secrets = Vec::new();
    let signed = super::sign_in(&app, "member@acme.example").await;
    secrets.push(signed.body["accessToken"].as_str().unwrap().to_owned());
    secrets.push(super::cookie(&signed).split_once('=').unwrap().1.to_owned());
    for purpose in [Purpose::Reset, Purpose::Confirm] {
        secrets.extend(make(&app, purpose, 1).await);
    }
    let reset = secrets[2].clone();
    for token in [reset.clone(), format!("{}0", &reset[..127])] {
        let body = json!({"token": token, "password": "an entirely different one"});
        app.anonymous("POST", "/api/auth/reset-password", Some(body)).await;
    }
    secrets.extend(["an entirely different one".to_owned(), crate::testing::PASSWORD.to_owned()]);
    let folder = app.app.config().data_dir.clone();
    let written = log.text().into_bytes();
    assert!(written.windows(8).any(|part| part == b"answered"), "the log is listened to");
    let mut files = vec![("the log".to_owned(), written)];
    let mut folders = vec![folder];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                files.push((path.display().to_string(), fs::read(&path).unwrap_or_default()));
            }
        }
    }
    assert!(files.iter().any(|(name, bytes)| name.ends_with("store.redb") && bytes.len() > 10_000));
    for secret in &secrets {
        // Only the last 32 bytes of a token are secret: its beginning is a record's id.
        let hidden = secret.get(secret.len().saturating_sub(64)..).unwrap();
        let mut forms = vec![hidden.as_bytes().to_vec()];
        forms.extend(hex::decode(hidden));
        for (name, bytes) in &files {
            for form in &forms {
                assert!(!bytes.windows(form.len()).any(|part| part == form), "{hidden} lies in {name}");
            }
        }
    }
}
