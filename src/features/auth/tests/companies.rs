//! Sign-in with an address that several tenants know, on a host without a tenant.

use serde_json::json;

use crate::{
    features::auth::tests::sign_in,
    kernel::TenantId,
    people::{
        members::{Credentials, MemberRecord},
        permission::Role,
    },
    store::{Actor, TenantWrite},
    testing::{Got, PASSWORD, TestApp},
};

const ADA: &str = "ada@people.example";

/// Gives a tenant's member the address `ADA` and a password hash.
async fn become_ada(app: &TestApp, tenant: TenantId, kept: String) {
    let work = move |tx: &TenantWrite<'_>| {
        let mut found = None;
        tx.each::<MemberRecord>(|member| {
            found = if member.role == Role::Member { Some(member.id) } else { found };
            Ok(())
        })?;
        tx.update(found.unwrap(), None, |member: &mut MemberRecord| {
            member.email = ADA.to_owned();
            Ok(())
        })?;
        tx.update(found.unwrap(), None, |credentials: &mut Credentials| {
            credentials.password = kept;
            Ok(())
        })
    };
    app.app.store().write(tenant, Actor::Operator, work).await.unwrap();
}

async fn enter(app: &TestApp, password: &str, company: Option<&str>) -> Got {
    let form = json!({"email": ADA, "password": password, "company": company});
    app.anonymous("POST", "/api/auth/sign-in", Some(form)).await
}

#[tokio::test]
async fn sign_in_asks_for_the_tenant_only_if_the_password_fits_several() {
    let app = TestApp::new().await;
    let passwords = app.app.auth().passwords();
    become_ada(&app, app.acme.id, passwords.hash(PASSWORD.into(), ADA).await.unwrap()).await;
    become_ada(&app, app.other.id, passwords.hash(PASSWORD.into(), ADA).await.unwrap()).await;

    let asked = enter(&app, PASSWORD, None).await;
    asked.refused("choose_company");
    let companies = json!([{"slug": "acme", "name": "Acme Ltd"}, {"slug": "other", "name": "Other Ltd"}]);
    assert_eq!(asked.body["error"]["companies"], companies);
    let wrong = enter(&app, "not the password", None).await;
    wrong.refused("invalid_credentials");
    assert!(wrong.body["error"].get("companies").is_none(), "{}", wrong.body);
    for slug in ["acme", "other"] {
        let body = enter(&app, PASSWORD, Some(slug)).await.expect(200);
        assert_eq!(body["user"]["email"], ADA);
    }
    enter(&app, PASSWORD, Some("nowhere")).await.refused("invalid_credentials");

    // With different passwords, each one signs in to its own tenant.
    become_ada(&app, app.other.id, passwords.hash("another horse battery".into(), ADA).await.unwrap()).await;
    enter(&app, PASSWORD, None).await.expect(200);
    enter(&app, "another horse battery", None).await.expect(200);
    enter(&app, "another horse battery", Some("acme")).await.refused("invalid_credentials");
}

#[tokio::test]
async fn sign_in_rehashes_a_password_hashed_for_an_old_address() {
    let app = TestApp::new().await;
    let passwords = app.app.auth().passwords();
    let before = passwords.hash(PASSWORD.into(), "before@acme.example").await.unwrap();
    assert!(passwords.is_outdated(&before, ADA));
    become_ada(&app, app.acme.id, before.clone()).await;

    enter(&app, "not the password", None).await.refused("invalid_credentials");
    let first = sign_in(&app, ADA).await;
    app.app.auth().deferred_done().await;
    let id = first.expect(200)["user"]["id"].as_str().unwrap().parse().unwrap();
    let snapshot = app.app.store().snapshot().unwrap();
    let kept = snapshot.tenant(app.acme.id, None).get::<Credentials>(id).unwrap().value.password;
    assert_ne!(kept, before);
    assert!(!passwords.is_outdated(&kept, ADA));
    enter(&app, PASSWORD, None).await.expect(200);
    enter(&app, "not the password", None).await.refused("invalid_credentials");
}

#[tokio::test]
async fn right_password_is_accepted_during_a_rehash() {
    let app = TestApp::new().await;
    let passwords = app.app.auth().passwords();
    let before = passwords.hash(PASSWORD.into(), "before@acme.example").await.unwrap();
    for round in 0..60 {
        become_ada(&app, app.acme.id, before.clone()).await;
        let (one, two) = tokio::join!(enter(&app, PASSWORD, None), enter(&app, PASSWORD, None));
        let three = enter(&app, PASSWORD, None).await;
        assert_eq!([one.status, two.status, three.status], [200; 3], "round {round}");
        app.app.auth().deferred_done().await;
    }
}
