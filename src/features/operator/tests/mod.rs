//! Operator commands, their audit entries and notifications.

mod moving;
mod restoring;

use std::ops::ControlFlow;

use serde_json::json;

use super::{
    companies::{self, Changes},
    people,
};
use crate::{
    features::{self, team::rules},
    kernel::{Code, TenantId},
    mail::{Email, State},
    people::{
        audit::Entry,
        members::{Company, CompanyState, MemberRecord, MemberState, tenants},
        permission::Role,
    },
    store::{Actor, TenantWrite},
    testing::{As, TestApp},
};

const HOUR: i64 = 3_600_000;

/// Returns the operator's events in a tenant's audit log with their subjects, the oldest first.
fn events(app: &TestApp) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let snapshot = app.app.store().snapshot().unwrap();
    snapshot
        .tenant(app.acme.id, None)
        .each::<Entry>(|entry| {
            let about = entry.about().map(|about| about.name.clone()).unwrap_or_default();
            found.push((entry.event().to_owned(), about));
            Ok(())
        })
        .unwrap();
    found.retain(|(event, _)| event.starts_with("operator."));
    found
}

fn emails(app: &TestApp) -> Vec<(String, &'static str)> {
    let of = |email: &Email| (email.to.clone(), email.kind.word());
    app.app.mailer().list().unwrap().into_iter().map(|listed| of(&listed.email)).collect()
}

async fn notified(app: &TestApp, role: Role) -> String {
    app.acme(role).await.get("/api/common/notifications").await.body.to_string()
}

#[tokio::test]
async fn operator_changes_to_members_are_logged_and_admins_notified() {
    let app = TestApp::new().await;
    let store = app.app.store();
    let sessions = app.app.auth().sessions();
    let acme = app.acme.id;
    let email = "member@acme.example";
    let me = app.acme(Role::Member).await;
    assert_eq!(people::sessions_of(store, sessions, acme, email).unwrap().len(), 1);

    people::set_role(store, acme, "MEMBER@acme.example", Role::Viewer).await.unwrap();
    me.post("/api/tasks", json!({"title": "x"})).await.refused("forbidden");
    let (_, changed) = people::set_role(store, acme, email, Role::Viewer).await.unwrap();
    assert!(!changed, "nothing changed, and nothing is said");

    let (_, ended) = people::end_sessions(store, sessions, acme, email).await.unwrap();
    assert_eq!(ended, 1);
    me.get("/api/common/user").await.refused("not_signed_in");
    let me = app.acme(Role::Member).await;
    people::set_state(store, sessions, acme, email, MemberState::Suspended).await.unwrap();
    me.get("/api/common/user").await.refused("not_signed_in");
    assert!(people::sessions_of(store, sessions, acme, email).unwrap().is_empty());
    for changed in [true, false] {
        assert_eq!(people::set_state(store, sessions, acme, email, MemberState::Active).await.unwrap().1, changed);
    }
    let last = people::set_role(store, acme, "owner@acme.example", Role::Admin).await.unwrap_err();
    assert_eq!(last.code(), Code::Conflict, "a company keeps an owner");
    let nobody = people::set_role(store, acme, "nobody@acme.example", Role::Admin).await.unwrap_err();
    assert_eq!(nobody.code(), Code::NotFound);

    let name = "member of acme".to_owned();
    let expected = ["user_set_role", "user_end_sessions", "user_suspend", "user_resume"];
    assert_eq!(events(&app), expected.map(|event| (format!("operator.{event}"), name.clone())));
    for role in [Role::Admin, Role::Owner] {
        let notified = notified(&app, role).await;
        for sentence in [": Viewer.", "changed the role", "signed out member", "suspended member", "reactivated member"]
        {
            assert!(notified.contains(sentence), "{notified}");
        }
    }
    assert!(!notified(&app, Role::Viewer).await.contains("server administrator"));
}

#[tokio::test]
async fn operator_resets_the_second_factors_even_of_the_only_owner() {
    let app = TestApp::new().await;
    let store = app.app.store();
    let acme = app.acme.id;
    let email = "owner@acme.example";
    let owner = app.acme(Role::Owner).await;
    let (_, had) = people::reset_factors(store, acme, email).await.unwrap();
    assert!(!had);
    assert!(events(&app).is_empty(), "nothing changed, and nothing is said");

    owner.set_up_app().await;
    let (_, had) = people::reset_factors(store, acme, email).await.unwrap();
    assert!(had);
    assert_eq!(owner.get("/api/auth/factors").await.expect(200)["totp"], false);
    assert_eq!(events(&app), [("operator.user_reset_factors".to_owned(), "owner of acme".to_owned())]);
    assert!(emails(&app).contains(&(email.to_owned(), "factor-changed")));
    let notified = notified(&app, Role::Owner).await;
    assert!(notified.contains("reset the two-step verification of owner of acme"), "{notified}");
    let nobody = people::reset_factors(store, acme, "nobody@acme.example").await.unwrap_err();
    assert_eq!(nobody.code(), Code::NotFound);
}

#[tokio::test]
async fn operator_invites_a_member_once() {
    let app = TestApp::new().await;
    let store = app.app.store();
    let acme = app.acme.id;
    let invite = async |email: &str, name: Option<&str>| {
        people::invite(store, acme, email.into(), name.map(str::to_owned), Role::Admin).await
    };
    let asked = invite("New@far.example", Some("Noor <b>")).await.unwrap();
    assert_eq!((asked.state, asked.role, asked.name.as_str()), (MemberState::Invited, Role::Admin, "Noor <b>"));
    assert_eq!(emails(&app), [("new@far.example".to_owned(), "invitation")]);
    assert_eq!(app.app.mailer().list().unwrap()[0].email.name, "Noor <b>");
    assert_eq!(events(&app), [("operator.user_invite".to_owned(), "Noor <b>".to_owned())]);
    assert!(notified(&app, Role::Admin).await.contains("Noor &lt;b&gt;"));
    assert_eq!(invite("member@acme.example", None).await.unwrap_err().fields()[0].0, "email");
    assert_eq!(invite("nobody", None).await.unwrap_err().fields()[0].0, "email");
}

#[tokio::test]
async fn suspended_tenant_has_no_access_until_resumed() {
    let app = TestApp::new().await;
    let store = app.app.store();
    let acme = app.acme.id;
    let me = app.acme(Role::Owner).await;
    companies::suspend(store, acme).await.unwrap();
    me.get("/api/common/user").await.refused("not_signed_in");
    let form = json!({"email": "owner@acme.example", "password": crate::testing::PASSWORD});
    app.anonymous("POST", "/api/auth/sign-in", Some(form.clone())).await.refused("invalid_credentials");
    let again = companies::suspend(store, acme).await.unwrap();
    assert_eq!(companies::suspend(store, acme).await.unwrap().version, again.version, "twice is once");
    assert_eq!(emails(&app), [("owner@acme.example".to_owned(), "operator")]);
    companies::resume(store, acme).await.unwrap();
    app.anonymous("POST", "/api/auth/sign-in", Some(form)).await.expect(200);
    let again = companies::resume(store, acme).await.unwrap();
    assert_eq!(companies::resume(store, acme).await.unwrap().version, again.version, "twice is once");
    let words: Vec<String> = events(&app).into_iter().map(|(event, _)| event).collect();
    assert_eq!(words, ["operator.tenant_suspend", "operator.tenant_resume"]);
    assert!(notified(&app, Role::Admin).await.contains("suspended Acme Ltd"));
}

#[tokio::test]
async fn operator_update_of_a_tenant_follows_the_settings_rules() {
    let app = TestApp::new().await;
    let store = app.app.store();
    let acme = app.acme.id;
    let change = async |changes| companies::update(store, acme, changes).await;
    let taken = change(Changes { slug: Some("other".into()), ..Changes::default() }).await.unwrap_err();
    assert_eq!((taken.code(), taken.fields()[0].0.as_str()), (Code::Conflict, "slug"));
    let wrong = change(Changes { layout: Some("wide".into()), ..Changes::default() }).await.unwrap_err();
    assert_eq!(wrong.fields()[0].0, "layout");
    change(Changes::default()).await.unwrap();
    assert_eq!(events(&app), []);
    let changes = Changes {
        name: Some(" Acme 2 ".into()),
        color_scheme: Some("rose".into()),
        domains: Some(vec![]),
        ..Changes::default()
    };
    let company = change(changes).await.unwrap();
    assert_eq!((company.name.as_str(), company.domains.len()), ("Acme 2", 0));
    assert_eq!(events(&app).len(), 1);
    let notified = notified(&app, Role::Owner).await;
    assert!(notified.contains("The server administrator changed: name, color scheme, domains."), "{notified}");
    let entries = app.acme(Role::Owner).await.get("/api/audit?event=operator").await.expect(200);
    assert_eq!(entries["items"][0]["facts"][0]["value"], "name, color_scheme, domains", "the record has the fields");
}

/// Fills a tenant: a file, a searchable task, a stored e-mail, and a signed-in member.
async fn live_in(app: &TestApp) -> As {
    let me = app.acme(Role::Member).await;
    me.post("/api/tasks", json!({"title": "Quixotic errand"})).await.expect(201);
    let asked = people::invite(app.app.store(), app.acme.id, "new@far.example".into(), None, Role::Member).await;
    asked.unwrap();
    app.app.mailer().round().await.unwrap();
    let folder = app.app.config().data_dir.join("files").join(app.acme.id.to_string());
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("0123456789abcdef0123456789abcdef"), "a picture").unwrap();
    me
}

fn tenant_exists(app: &TestApp, tenant: TenantId) -> bool {
    tenants(&app.app.store().snapshot().unwrap()).unwrap().contains(&tenant)
}

#[tokio::test]
async fn erased_tenant_leaves_no_data() {
    let app = TestApp::new().await;
    let stays = app.other(Role::Member).await;
    stays.post("/api/tasks", json!({"title": "Another errand"})).await.expect(201);
    let me = live_in(&app).await;
    let kept = app.app.mailer().list().unwrap().pop().unwrap();
    assert_eq!(kept.email.state, State::Kept);
    // A search that finds it shows that the index is up to date.
    let found = me.post("/api/common/search", json!({"query": "quixotic"})).await.expect(200);
    assert!(found.to_string().contains("Quixotic"), "{found}");
    let before = app.app.engine().documents();

    app.app.eraser().erase(app.acme.id, Actor::Operator).await.unwrap();
    assert!(!tenant_exists(&app, app.acme.id) && tenant_exists(&app, app.other.id));
    me.get("/api/common/user").await.refused("not_signed_in");
    assert!(!std::path::Path::new(&kept.file.unwrap()).exists());
    assert!(!app.app.config().data_dir.join("files").join(app.acme.id.to_string()).exists());
    assert!(app.app.mailer().list().unwrap().is_empty());
    let rest = app.app.engine().documents();
    assert!(rest < before && rest >= 5, "{before} {rest}");
    let report = app.app.store().check(features::TABLES, &mut |_| ControlFlow::Continue(())).unwrap();
    assert!(report.is_sound(), "{:?}", report.damage);
    let form = json!({"email": "owner@acme.example", "password": crate::testing::PASSWORD});
    app.anonymous("POST", "/api/auth/sign-in", Some(form)).await.refused("invalid_credentials");
    let found = stays.post("/api/common/search", json!({"query": "errand"})).await.expect(200);
    assert!(found.to_string().contains("Another errand"), "{found}");
    // The slug is free again.
    let again = Changes { slug: Some("acme".into()), ..Changes::default() };
    companies::update(app.app.store(), app.other.id, again).await.unwrap();
}

async fn close(app: &TestApp) {
    let work = |tx: &TenantWrite<'_>| {
        let now = tx.now();
        tx.update::<Company>(Company::id(tx.tenant()), None, |company| {
            (company.state, company.closed_at) = (CompanyState::Closed, Some(now));
            Ok(())
        })
    };
    app.app.store().write(app.acme.id, Actor::System, work).await.unwrap();
}

#[tokio::test]
async fn closed_tenant_can_be_resumed_for_thirty_days() {
    let app = TestApp::new().await;
    close(&app).await;
    let refused = companies::suspend(app.app.store(), app.acme.id).await.unwrap_err();
    assert_eq!((refused.code(), refused.message().unwrap().key), (Code::Conflict, "errors.company_closed"));
    app.clock.advance(30 * 24 * HOUR - 1);
    assert_eq!(app.app.eraser().erase_due().await.unwrap(), 0);
    companies::resume(app.app.store(), app.acme.id).await.unwrap();
    app.clock.advance(24 * HOUR);
    assert_eq!(app.app.eraser().erase_due().await.unwrap(), 0, "it was taken back");
    app.acme(Role::Owner).await.get("/api/common/user").await.expect(200);
    close(&app).await;
    app.clock.advance(30 * 24 * HOUR);
    assert_eq!(app.app.eraser().erase_due().await.unwrap(), 1);
    assert!(!tenant_exists(&app, app.acme.id) && tenant_exists(&app, app.other.id));
}

#[tokio::test]
async fn unconfirmed_tenant_is_erased_after_a_day() {
    let app = TestApp::new().await;
    let work = |tx: &TenantWrite<'_>| {
        for member in rules::all(tx)? {
            tx.update(member.id, None, |member: &mut MemberRecord| {
                member.state = MemberState::Unconfirmed;
                Ok(())
            })?;
        }
        Ok(())
    };
    app.app.store().write(app.acme.id, Actor::System, work).await.unwrap();
    app.clock.advance(24 * HOUR - 1);
    assert_eq!(app.app.eraser().erase_due().await.unwrap(), 0);
    app.clock.advance(1);
    assert_eq!(app.app.eraser().erase_due().await.unwrap(), 1);
    assert!(!tenant_exists(&app, app.acme.id) && tenant_exists(&app, app.other.id));
}

#[tokio::test]
async fn interrupted_erasure_is_completed() {
    let app = TestApp::new().await;
    drop(live_in(&app).await);
    let begin = |tx: &TenantWrite<'_>| {
        tx.update::<Company>(Company::id(tx.tenant()), None, |company| {
            (company.state, company.closed_at) = (CompanyState::Closed, Some(crate::kernel::Timestamp::from_millis(0)));
            Ok(())
        })
    };
    app.app.store().write(app.acme.id, Actor::System, begin).await.unwrap();
    app.app.store().erase(app.acme.id, features::ROOT).await.unwrap();
    assert!(tenant_exists(&app, app.acme.id), "half of it is gone, and it is seen");
    let back = companies::resume(app.app.store(), app.acme.id).await.unwrap_err();
    assert_eq!(back.message().unwrap().key, "errors.company_deleting", "there is no way back");
    assert_eq!(back.code(), Code::Conflict);
    assert_eq!(app.app.eraser().erase_due().await.unwrap(), 1);
    assert!(!tenant_exists(&app, app.acme.id));
    let report = app.app.store().check(features::TABLES, &mut |_| ControlFlow::Continue(())).unwrap();
    assert!(report.is_sound(), "{:?}", report.damage);
}
