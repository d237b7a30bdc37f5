//! Delivery of queued e-mails: encryption, retries and their end, tokens, and shutdown.

use serde_json::json;
use tokio::task::JoinSet;

use super::{
    super::email::{HOUR_MILLIS, MAX_PER_HOUR},
    smtp::Answer,
    *,
};
use crate::{
    access::links::Token, kernel::Timestamp, people::members::MemberRecord, testing::machine::free_address::FreeAddress,
};

const MINUTE: i64 = 60_000;

async fn round(app: &TestApp) -> Option<Timestamp> {
    app.app.mailer().round().await.unwrap()
}

#[tokio::test]
async fn delivers_over_each_encryption_with_a_working_link() {
    let folder = tempfile::tempdir().unwrap();
    for encryption in [Encryption::Plain, Encryption::Starttls, Encryption::Tls] {
        let server = Server::start(encryption, Some(LOGIN), &[]);
        let app = TestApp::with(config_with_login(&server, encryption, folder.path())).await;
        queue_email(&app, Kind::Reset).await;
        assert_eq!(states(&app), [State::Waiting]);
        round(&app).await;
        let received = server.received().pop().unwrap();
        assert_eq!(
            (received.encrypted, received.user.as_deref()),
            (encryption != Encryption::Plain, Some(LOGIN.0)),
            "{encryption:?}"
        );
        assert!(received.from.starts_with("MAIL FROM:<atrium@acme.example>"), "{}", received.from);
        assert!(received.to.starts_with("RCPT TO:<member@acme.example>"), "{}", received.to);
        assert_eq!(received.headers("subject"), ["Choose a new password for Acme Ltd"]);
        assert_eq!(received.headers("from"), ["\"Acme Ltd\" <atrium@acme.example>"]);
        assert_eq!(received.headers("auto-submitted"), ["auto-generated"]);
        let link = Token::parse(&token(&received))
            .unwrap()
            .find(&app.app.store().snapshot().unwrap(), app.clock.now())
            .unwrap();
        assert_eq!(link.purpose, Purpose::Reset);
        assert_eq!(states(&app), [State::Sent]);
        app.clock.advance(HOUR_MILLIS);
        round(&app).await;
        assert_eq!(server.received().len(), 1, "sent once");
        app.clock.advance(24 * HOUR_MILLIS);
        round(&app).await;
        assert_eq!(states(&app), [], "a sent e-mail is removed after a day");
    }
}

#[tokio::test]
async fn does_not_send_without_the_configured_protection() {
    // A server without STARTTLS, one with an unknown certificate, and a wrong password.
    let folder = tempfile::tempdir().unwrap();
    let open = Server::start(Encryption::Plain, None, &[]);
    let app = TestApp::with(config_for(&open, Encryption::Starttls)).await;
    queue_email(&app, Kind::Reset).await;
    round(&app).await;
    assert_eq!((only_email(&app).state, open.received().len()), (State::Waiting, 0));

    let unknown = Server::start(Encryption::Tls, None, &[]);
    let app = TestApp::with(config_for(&unknown, Encryption::Tls)).await;
    queue_email(&app, Kind::Reset).await;
    round(&app).await;
    assert_eq!((only_email(&app).state, unknown.received().len()), (State::Waiting, 0));
    assert!(only_email(&app).error.as_deref().unwrap().contains("certificate"), "{:?}", only_email(&app).error);

    let server = Server::start(Encryption::Starttls, Some(LOGIN), &[]);
    let wrong = config_with_login(&server, Encryption::Starttls, folder.path());
    let app = TestApp::with(|config| {
        wrong(config);
        config.mail.password = Some(Secret("canary".into()));
    })
    .await;
    queue_email(&app, Kind::Reset).await;
    round(&app).await;
    let email = only_email(&app);
    assert_eq!((email.state, server.received().len()), (State::Waiting, 0), "a wrong password can be corrected");
    let error = email.error.as_deref().unwrap();
    assert!(error.contains("wrong password") && !error.contains("canary"), "{error}");
}

#[tokio::test]
async fn retries_an_unreachable_server_after_a_minute() {
    let free = FreeAddress::reserve();
    let port = free.port();
    let app = TestApp::with(|config| {
        config_for(&Server::start(Encryption::Plain, None, &[]), Encryption::Plain)(config);
        config.mail.port = Some(port);
    })
    .await;
    queue_email(&app, Kind::Reset).await;
    let next = round(&app).await.unwrap();
    assert_eq!(next.millis(), app.clock.now().millis() + MINUTE);
    let server = Server::start_at(port);
    app.clock.advance(MINUTE - 1);
    round(&app).await;
    assert_eq!(server.received().len(), 0);
    app.clock.advance(1);
    round(&app).await;
    assert_eq!((server.received().len(), only_email(&app).attempts), (1, 2));
    // The token of the failed attempt stays valid, because that e-mail may have arrived.
    Token::parse(&token(&server.received()[0]))
        .unwrap()
        .find(&app.app.store().snapshot().unwrap(), app.clock.now())
        .unwrap();
}

#[tokio::test]
async fn retries_greylisting_and_reports_refusals_to_administrators() {
    let greylist = Answer::Recipient("451 4.7.1 greylisted, come back later");
    let unknown = Answer::Recipient("550 5.1.1 no such user");
    let server = Server::start(Encryption::Plain, None, &[greylist, Answer::Accept, unknown]);
    let app = TestApp::with(config_for(&server, Encryption::Plain)).await;
    queue_email(&app, Kind::Reset).await;
    round(&app).await;
    assert!(only_email(&app).error.as_deref().unwrap().contains("greylisted"));
    app.clock.advance(MINUTE);
    round(&app).await;
    assert_eq!((server.received().len(), only_email(&app).state), (1, State::Sent));

    queue_email(&app, Kind::AlreadyMember).await;
    round(&app).await;
    let failed = app.app.mailer().list().unwrap().pop().unwrap().email;
    assert_eq!((failed.state, failed.attempts), (State::Failed, 1));
    assert!(failed.error.as_deref().unwrap().contains("no such user"));
    for (role, told) in [(Role::Admin, true), (Role::Owner, true), (Role::Member, false)] {
        let box_of = app.acme(role).await.get("/api/common/notifications").await;
        assert_eq!(box_of.body.to_string().contains("member@acme.example"), told, "{role:?} {}", box_of.body);
    }
}

#[tokio::test]
async fn gives_up_after_three_days_of_growing_waits() {
    let later = [Answer::Recipient("451 later"); 40];
    let server = Server::start(Encryption::Plain, None, &later);
    let app = TestApp::with(config_for(&server, Encryption::Plain)).await;
    // An e-mail without a link, because a link would expire before.
    queue_email(&app, Kind::AlreadyMember).await;
    let begun = app.clock.now();
    let mut waits = Vec::new();
    loop {
        let next = round(&app).await.unwrap();
        if only_email(&app).state != State::Waiting {
            break;
        }
        let wait = next.millis() - app.clock.now().millis();
        waits.push(wait / MINUTE);
        app.clock.advance(wait);
    }
    assert_eq!(&waits[..11], [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 720]);
    assert!(waits[11..].iter().all(|wait| *wait == 720), "{waits:?}");
    assert_eq!(only_email(&app).state, State::Failed);
    let hours = (app.clock.now().millis() - begun.millis()) / HOUR_MILLIS;
    assert!((72..84).contains(&hours), "{hours}");
}

#[tokio::test]
async fn resends_with_the_same_message_id_when_the_answer_was_lost() {
    let server = Server::start(Encryption::Plain, None, &[Answer::Disconnect]);
    let app = TestApp::with(config_for(&server, Encryption::Plain)).await;
    queue_email(&app, Kind::Reset).await;
    round(&app).await;
    assert_eq!((server.received().len(), only_email(&app).state), (1, State::Waiting));
    app.clock.advance(MINUTE);
    round(&app).await;
    let received = server.received();
    assert_eq!((received.len(), only_email(&app).state), (2, State::Sent));
    assert_eq!(received[0].headers("message-id"), received[1].headers("message-id"));
    let snapshot = app.app.store().snapshot().unwrap();
    for received in &received {
        Token::parse(&token(received)).unwrap().find(&snapshot, app.clock.now()).unwrap();
    }
    assert_ne!(token(&received[0]), token(&received[1]), "each attempt has its own token");
}

#[tokio::test]
async fn resends_after_a_kill_between_sending_and_recording() {
    let server = Server::start(Encryption::Plain, None, &[Answer::Stall]);
    let app = TestApp::with(config_for(&server, Encryption::Plain)).await;
    queue_email(&app, Kind::Reset).await;
    let mailer = app.app.mailer().clone();
    let mut work = JoinSet::new();
    work.spawn(async move { drop(mailer.round().await) });
    let server = tokio::task::spawn_blocking(move || {
        server.wait();
        server
    })
    .await
    .unwrap();
    work.abort_all();
    assert!(work.join_next().await.unwrap().is_err(), "it was killed");
    assert_eq!((server.received().len(), only_email(&app).state), (1, State::Waiting));
    app.clock.advance(MINUTE);
    round(&app).await;
    let received = server.received();
    assert_eq!((received.len(), only_email(&app).state), (2, State::Sent));
    assert_eq!(received[0].headers("message-id"), received[1].headers("message-id"));
}

#[tokio::test]
async fn drops_emails_without_a_valid_link_or_member() {
    let server = Server::start(Encryption::Plain, None, &[]);
    let app = TestApp::with(config_for(&server, Encryption::Plain)).await;
    queue_email(&app, Kind::Reset).await;
    app.clock.advance(HOUR_MILLIS);
    round(&app).await;
    assert_eq!(only_email(&app).state, State::Dropped, "its link has expired");

    let gone = queue_email(&app, Kind::AlreadyMember).await;
    let work = move |tx: &TenantWrite<'_>| tx.remove::<MemberRecord>(gone, None);
    app.app.store().write(app.acme.id, Actor::System, work).await.unwrap();
    round(&app).await;
    assert_eq!((states(&app), server.received().len()), (vec![State::Dropped; 2], 0));
}

#[tokio::test]
async fn limits_emails_to_an_address_across_companies() {
    let server = Server::start(Encryption::Plain, None, &[]);
    let app = TestApp::with(config_for(&server, Encryption::Plain)).await;
    for tenant in [app.acme.id, app.other.id] {
        for _ in 0..MAX_PER_HOUR {
            let email = Email::new(Kind::AlreadyMember, "victim@far.example", "", Locale::ES);
            let work = move |tx: &TenantWrite<'_>| queue(tx, email);
            assert!(app.app.store().write(tenant, Actor::System, work).await.unwrap().0);
        }
    }
    round(&app).await;
    assert!(
        server.received().len() <= MAX_PER_HOUR + super::super::mailer::MAX_CONNECTIONS,
        "{}",
        server.received().len()
    );
    assert!(states(&app).iter().filter(|state| **state == State::Dropped).count() >= 1);
}

#[tokio::test]
async fn stores_emails_for_the_operator_without_a_server() {
    use std::os::unix::fs::PermissionsExt as _;
    let app = TestApp::new().await;
    queue_email(&app, Kind::Invitation { by: Some("Ada".into()), message: None }).await;
    round(&app).await;
    let listed = app.app.mailer().list().unwrap().pop().unwrap();
    assert_eq!(listed.email.state, State::Kept);
    let file = listed.file.unwrap();
    let link = listed.link.unwrap();
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    let token = link.strip_prefix("http://127.0.0.1:8080/activate-account#").unwrap();
    let found = Token::parse(token).unwrap().find(&app.app.store().snapshot().unwrap(), app.clock.now()).unwrap();
    assert_eq!(found.purpose, Purpose::Invite);
    let (text, _) = bodies(&std::fs::read_to_string(&file).unwrap());
    assert!(text.contains(&link) && text.contains("Ada has invited you"), "{text}");
    app.clock.advance(31 * 24 * HOUR_MILLIS);
    round(&app).await;
    assert!(states(&app).is_empty() && !std::path::Path::new(&file).exists());
}

#[tokio::test]
async fn operator_sends_a_test_email() {
    let server = Server::start(Encryption::Plain, None, &[Answer::Accept, Answer::Recipient("550 no such user")]);
    let app = TestApp::with(config_for(&server, Encryption::Plain)).await;
    let mailer = app.app.mailer();
    assert_eq!(mailer.send_test("ops@far.example", Locale::EN).await.unwrap(), None);
    assert_eq!(server.received()[0].headers("subject"), ["Test email from Atrium"]);
    let refused = mailer.send_test("ops@far.example", Locale::EN).await.unwrap_err();
    let explanation = refused.explanation().unwrap();
    assert!(explanation.contains("550 no such user"), "{explanation}");
    assert_eq!(mailer.send_test("nobody", Locale::EN).await.unwrap_err().fields()[0].0, "address");
}

#[tokio::test]
async fn administrator_test_email_must_be_accepted_by_the_server() {
    let server = Server::start(Encryption::Plain, None, &[Answer::Accept, Answer::Recipient("550 no such user")]);
    let app = TestApp::with(config_for(&server, Encryption::Plain)).await;
    let admin = app.acme(Role::Admin).await;
    let path = "/api/settings/company/mail";
    assert_eq!(admin.get(path).await.expect(200), json!({"configured": true}));
    let test = async || admin.post(&format!("{path}/test"), json!({})).await;
    let step = async || {
        let setup = admin.get("/api/setup").await.expect(200);
        let steps = setup["steps"].as_array().unwrap();
        steps.iter().find(|step| step["name"] == "mail").map(|step| step["done"] == true)
    };
    assert_eq!(step().await, Some(false));
    assert_eq!(test().await.expect(200), json!({"email": "admin@acme.example"}));
    assert_eq!(step().await, Some(true));
    assert_eq!(server.received()[0].headers("subject"), ["Test email from Atrium"]);
    let refused = test().await;
    refused.refused("busy");
    let text =
        "The mail server didn’t accept the test email. Ask your server administrator to check the mail settings.";
    assert_eq!(refused.body["error"]["message"], text);
    assert_eq!(step().await, Some(false), "the last one was not accepted");
    for _ in 0..3 {
        test().await.expect(200);
    }
    test().await.refused("slow_down");
    assert_eq!(server.received().len(), 4, "nothing was sent beyond the limit");
    assert!(app.audit(app.acme.id).await.contains(&"company.mail_tested".to_owned()));
    app.clock.advance(HOUR_MILLIS);
    app.acme(Role::Admin).await.post(&format!("{path}/test"), json!({})).await.expect(200);
    app.acme(Role::Member).await.get(path).await.refused("forbidden");
}

#[tokio::test]
async fn rejects_a_test_email_without_a_server() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    let configured = admin.get("/api/settings/company/mail").await.expect(200);
    assert_eq!(configured, json!({"configured": false}));
    let refused = admin.post("/api/settings/company/mail/test", json!({})).await;
    refused.refused("conflict");
    let text = "Email isn’t set up on this server. Ask your server administrator to set up a mail server.";
    assert_eq!(refused.body["error"]["message"], text);
}

#[tokio::test]
async fn loop_sends_queued_emails_once_the_server_listens() {
    let server = Server::start(Encryption::Plain, None, &[]);
    let app = TestApp::with(config_for(&server, Encryption::Plain)).await;
    queue_email(&app, Kind::AlreadyMember).await;
    app.app.mailer().reachable_at("http://127.0.0.1:1".parse().unwrap());
    let server = tokio::task::spawn_blocking(move || {
        server.wait();
        server
    })
    .await
    .unwrap();
    // An e-mail queued later, without a change in the ledger.
    queue_email(&app, Kind::Reset).await;
    let server = tokio::task::spawn_blocking(move || {
        server.wait();
        server
    })
    .await
    .unwrap();
    assert!(server.received().iter().any(|received| received.data.contains("https://atrium.example/reset-password")));
    app.app.close().await;
}
