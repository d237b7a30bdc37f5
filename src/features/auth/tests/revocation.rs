//! Revocation: each event that invalidates a session or link is tested against each kind of token (threats T-16).

use std::time::Duration;

use serde_json::json;

use super::{cookie, look, refresh, sign_in};
use crate::{
    features::operator::people as operator,
    people::{
        members::{Company, CompanyState},
        permission::Role,
    },
    store::{Actor, TenantWrite},
    testing::{As, Got, TestApp},
};

const MEMBER: &str = "member@acme.example";
const FRESH: &str = "an entirely different one";

/// An event that revokes access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Event {
    PasswordChanged,
    PasswordReset,
    PasswordSetByOperator,
    Suspended,
    Removed,
    CompanySuspended,
    CompanyClosed,
    SessionsEndedByAdmin,
    OthersEnded,
}

const EVENTS: [Event; 9] = [
    Event::PasswordChanged,
    Event::PasswordReset,
    Event::PasswordSetByOperator,
    Event::Suspended,
    Event::Removed,
    Event::CompanySuspended,
    Event::CompanyClosed,
    Event::SessionsEndedByAdmin,
    Event::OthersEnded,
];

async fn forgotten(app: &TestApp) -> String {
    let body = json!({"email": MEMBER});
    app.anonymous("POST", "/api/auth/forgot-password", Some(body)).await.expect(202);
    app.mailed(app.acme.id, "reset", MEMBER).await.unwrap()
}

async fn reset(app: &TestApp, token: &str) -> Got {
    let body = json!({"token": token, "password": FRESH});
    app.anonymous("POST", "/api/auth/reset-password", Some(body)).await
}

async fn happen(app: &TestApp, event: Event, here: &As, another: &str) {
    let admin = app.acme(Role::Admin).await;
    let path = format!("/api/team/{}", here.id);
    match event {
        Event::PasswordChanged => {
            let body = json!({"currentPassword": crate::testing::PASSWORD, "newPassword": FRESH});
            here.post("/api/common/user/password", body).await.expect(204);
        }
        Event::PasswordReset => {
            reset(app, another).await.expect(204);
        }
        Event::PasswordSetByOperator => {
            let gate = app.app.auth();
            let set = operator::set_password(
                app.app.store(),
                gate.passwords(),
                gate.sessions(),
                app.acme.id,
                MEMBER,
                FRESH.to_owned(),
            );
            set.await.unwrap();
        }
        Event::Suspended => {
            admin.patch(&path, json!({"state": "suspended"})).await.expect(200);
        }
        Event::Removed => {
            admin.delete(&path).await.expect(204);
        }
        Event::CompanySuspended => {
            let work = |tx: &TenantWrite<'_>| {
                tx.update(Company::id(tx.tenant()), None, |company: &mut Company| {
                    company.state = CompanyState::Suspended;
                    Ok(())
                })
            };
            app.app.store().write(app.acme.id, Actor::Operator, work).await.unwrap();
        }
        Event::CompanyClosed => {
            let owner = app.acme(Role::Owner).await;
            let body = json!({"slug": "acme", "password": crate::testing::PASSWORD});
            owner.post("/api/settings/company/close", body).await.expect(200);
        }
        Event::SessionsEndedByAdmin => {
            admin.delete(&format!("{path}/sessions")).await.expect(200);
        }
        Event::OthersEnded => {
            let body = json!({"password": crate::testing::PASSWORD});
            here.post("/api/auth/sessions/end-others", body).await.expect(200);
        }
    }
}

#[tokio::test]
async fn every_revoking_event_invalidates_every_kind_of_token() {
    for event in EVENTS {
        let app = TestApp::new().await;
        let signed = sign_in(&app, MEMBER).await;
        let here = app.acme(Role::Member).await;
        let link = forgotten(&app).await;
        let another = forgotten(&app).await;
        let bearer = format!("Bearer {}", signed.body["accessToken"].as_str().unwrap());
        let headers = [("authorization", bearer.as_str())];
        let at = app.anonymous_with("GET", "/api/live", None, &headers).await.expect(200)["at"].as_u64().unwrap();
        let path = format!("/api/live?after={at}&wait=25");
        let waiting = async {
            // Other changes also end the long poll, which is then repeated.
            loop {
                let got = app.anonymous_with("GET", &path, None, &headers).await;
                if got.status != 200 {
                    return got;
                }
                tokio::task::yield_now().await;
            }
        };
        let (heard, ()) =
            tokio::join!(tokio::time::timeout(Duration::from_mins(1), waiting), happen(&app, event, &here, &another));
        heard.unwrap_or_else(|_| panic!("{event:?}: somebody waited on")).refused("not_signed_in");
        assert_eq!(look(&app, &signed).await, 401, "{event:?}: the access token");
        refresh(&app, &cookie(&signed)).await.refused("not_signed_in");
        // Ending sessions does not affect the password: that link stays valid.
        let lives = matches!(event, Event::SessionsEndedByAdmin | Event::OthersEnded);
        let used = reset(&app, &link).await;
        assert_eq!(used.status == 204, lives, "{event:?}: the link answers {} {}", used.status, used.body);
        // Removing a session from memory is not enough: the store would bring it back.
        drop(here);
        let app = app.restart().await;
        assert_eq!(look(&app, &signed).await, 401, "{event:?}: the access token after a restart");
        refresh(&app, &cookie(&signed)).await.refused("not_signed_in");
    }
}
