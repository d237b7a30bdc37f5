//! Account enumeration: responses have the same status, headers and bytes whether or not an account exists.

use serde_json::{Value, json};

use crate::{
    config::Signup,
    people::{
        members::{Company, MemberRecord, MemberState},
        permission::Role,
    },
    store::{Actor, TenantWrite},
    testing::{Got, PASSWORD, TestApp},
};

/// One address of each kind: active, unknown, suspended, unconfirmed, invited, and of another tenant.
const ALL: [&str; 6] = [
    "member@acme.example",
    "nobody@acme.example",
    "viewer@acme.example",
    "admin@acme.example",
    "owner@acme.example",
    "member@other.example",
];

async fn app() -> TestApp {
    let app = TestApp::with(|config| {
        config.signup = Signup::Open;
        config.sign_in.address_failures = 1_000;
    })
    .await;
    let work = |tx: &TenantWrite<'_>| {
        tx.update(Company::id(tx.tenant()), None, |company: &mut Company| {
            company.joining.enabled = true;
            company.joining.domains = vec!["acme.example".to_owned(), "other.example".to_owned()];
            Ok(())
        })?;
        let states = [
            (Role::Viewer, MemberState::Suspended),
            (Role::Admin, MemberState::Unconfirmed),
            (Role::Owner, MemberState::Invited),
        ];
        for (role, state) in states {
            let mut found = None;
            tx.each::<MemberRecord>(|member| {
                found = if member.role == role { Some(member.id) } else { found };
                Ok(())
            })?;
            tx.update(found.unwrap(), None, |member: &mut MemberRecord| {
                member.state = state;
                Ok(())
            })?;
        }
        Ok(())
    };
    app.app.store().write(app.acme.id, Actor::Operator, work).await.unwrap();
    app
}

/// Returns a response as text, without the parts that name the request or the address.
fn said(mut got: Got, email: &str) -> String {
    got.headers.remove("x-request-id");
    if let Some(error) = got.body.get_mut("error").and_then(Value::as_object_mut) {
        error.remove("requestId");
    }
    let mut headers: Vec<String> = got.headers.iter().map(|(name, value)| format!("{name}: {value:?}")).collect();
    headers.retain(|line| !line.starts_with("content-length"));
    headers.sort();
    format!("{} {} {}", got.status, headers.join("\n"), got.body.to_string().replace(email, "EMAIL"))
}

async fn answers(path: &str, host: &str, body: impl Fn(&str) -> Value) -> Vec<String> {
    let app = app().await;
    let mut answers = Vec::new();
    for email in ALL {
        let got = app.anonymous_with("POST", path, Some(body(email)), &[("host", host)]).await;
        answers.push(said(got, email));
    }
    answers
}

#[track_caller]
fn are_alike(what: &str, status: u16, answers: &[String]) {
    for (answer, email) in answers.iter().zip(ALL) {
        assert_eq!(answer, &answers[0], "{what}: {email}");
        assert!(answer.starts_with(&status.to_string()), "{what}: {answer}");
    }
}

#[tokio::test]
async fn forms_respond_alike_for_every_kind_of_account() {
    for host in ["acme.example", "work.example"] {
        for path in ["forgot-password", "resend-confirmation"] {
            let got = answers(&format!("/api/auth/{path}"), host, |email| json!({"email": email})).await;
            are_alike(path, 202, &got);
        }
        let wrong = |email: &str| json!({"email": email, "password": "a wrong guess of mine"});
        are_alike("sign-in", 400, &answers("/api/auth/sign-in", host, wrong).await);
        let form = |email: &str| json!({"company": "Sol", "name": "Ana", "email": email, "password": PASSWORD});
        are_alike("sign-up", 202, &answers("/api/auth/sign-up", host, form).await);
    }
}

#[tokio::test]
async fn right_password_of_an_inactive_member_gets_the_wrong_password_response() {
    let app = app().await;
    let mut answers = Vec::new();
    for email in ["viewer@acme.example", "admin@acme.example", "owner@acme.example", "nobody@acme.example"] {
        let body = json!({"email": email, "password": PASSWORD});
        answers.push(said(app.anonymous("POST", "/api/auth/sign-in", Some(body)).await, email));
    }
    assert!(answers.iter().all(|answer| answer == &answers[0]), "{answers:#?}");
}

#[tokio::test]
async fn deferred_emails_go_only_to_eligible_members() {
    let app = app().await;
    for email in ALL {
        for path in ["forgot-password", "resend-confirmation"] {
            let body = json!({"email": email});
            app.anonymous("POST", &format!("/api/auth/{path}"), Some(body)).await.expect(202);
        }
    }
    let emails = app.emails(app.acme.id).await;
    let of = |kind: &str| emails.iter().filter(|(word, _)| word == kind).map(|(_, to)| to.as_str()).collect::<Vec<_>>();
    assert_eq!(of("reset"), ["member@acme.example"]);
    assert_eq!(of("confirm"), ["admin@acme.example", "admin@acme.example"]);
    assert_eq!(app.emails(app.other.id).await, [("reset".to_owned(), "member@other.example".to_owned())]);
}

/// Fails when a form does its work before it responds: with deferred tasks held up, all requests are answered and no
/// e-mail exists.
#[tokio::test]
async fn forms_queue_no_email_before_the_response() {
    let app = app().await;
    let release = app.app.auth().hold_deferred();
    let form = |email: &str| json!({"company": "Sol", "name": "Ana", "email": email, "password": PASSWORD});
    for email in ALL {
        for path in ["forgot-password", "resend-confirmation", "sign-up"] {
            let body = if path == "sign-up" { form(email) } else { json!({"email": email}) };
            let path = format!("/api/auth/{path}");
            app.anonymous_with("POST", &path, Some(body), &[("host", "acme.example")]).await.expect(202);
        }
    }
    assert_eq!(app.letters_so_far(app.acme.id), []);
    drop(release);
    let emails = app.emails(app.acme.id).await;
    assert!(emails.iter().any(|(kind, _)| kind == "reset") && emails.iter().any(|(kind, _)| kind == "confirm"));
}

#[tokio::test]
async fn limits_form_requests_from_one_address() {
    let app = TestApp::new().await;
    let mut last = None;
    for _ in 0..31 {
        let body = json!({"email": "member@acme.example"});
        last = Some(app.anonymous("POST", "/api/auth/forgot-password", Some(body)).await);
    }
    let last = last.unwrap();
    last.refused("slow_down");
    assert_eq!(last.headers["retry-after"], "60");
    for path in ["sign-up", "resend-confirmation", "link", "activate-account", "reset-password", "unlock-session"] {
        let body = match path {
            "sign-up" => json!({"name": "A", "email": "a@b.example", "password": PASSWORD}),
            "resend-confirmation" => json!({"email": "a@b.example"}),
            "unlock-session" => json!({"password": PASSWORD}),
            "reset-password" => json!({"token": "00", "password": PASSWORD}),
            _ => json!({"token": "00"}),
        };
        app.anonymous("POST", &format!("/api/auth/{path}"), Some(body)).await.refused("slow_down");
    }
    let five = app.emails(app.acme.id).await.len();
    assert_eq!(five, 5, "nobody is buried in letters");
    app.clock.advance(60_000);
    app.anonymous("POST", "/api/auth/link", Some(json!({"token": "00"}))).await.refused("link_invalid");
}
