//! Delivery of queued e-mails: encryption, retries and their end, tokens, and shutdown.

use serde_json::json;
use tokio::task::JoinSet;

use super::{
    super::email::{HOUR, PER_HOUR},
    smtp::Answer,
    *,
};
use crate::{access::links::Token, kernel::Timestamp, people::members::MemberRecord};

const MINUTE: i64 = 60_000;

async fn round(app: &TestApp) -> Option<Timestamp> {
    app.app.mailer().round().await.unwrap()
}

#[tokio::test]
async fn a_letter_is_delivered_by_each_way_and_its_link_opens() {
    let folder = tempfile::tempdir().unwrap();
    for way in [Way::Plain, Way::Starttls, Way::Tls] {
        let server = Server::start(way, Some(LOGIN), &[]);
        let app = TestApp::with(by_login(&server, way, folder.path())).await;
        write(&app, Kind::Reset).await;
        assert_eq!(states(&app), [State::Waiting]);
        round(&app).await;
        let given = server.given().pop().unwrap();
        assert_eq!((given.encrypted, given.user.as_deref()), (way != Way::Plain, Some(LOGIN.0)), "{way:?}");
        assert!(given.from.starts_with("MAIL FROM:<atrium@acme.example>"), "{}", given.from);
        assert!(given.to.starts_with("RCPT TO:<member@acme.example>"), "{}", given.to);
        assert_eq!(given.headers("subject"), ["Choose a new password for Acme Ltd"]);
        assert_eq!(given.headers("from"), ["\"Acme Ltd\" <atrium@acme.example>"]);
        assert_eq!(given.headers("auto-submitted"), ["auto-generated"]);
        let link =
            Token::parse(&token(&given)).unwrap().find(&app.app.store().snapshot().unwrap(), app.clock.now()).unwrap();
        assert_eq!(link.purpose, Purpose::Reset);
        assert_eq!(states(&app), [State::Sent]);
        app.clock.advance(HOUR);
        round(&app).await;
        assert_eq!(server.given().len(), 1, "once is enough");
        app.clock.advance(24 * HOUR);
        round(&app).await;
        assert_eq!(states(&app), [], "what was sent is forgotten after a day");
    }
}

#[tokio::test]
async fn the_way_is_protected_or_not_taken_at_all() {
    // A server without STARTTLS, one with an unknown certificate, and a wrong password.
    let folder = tempfile::tempdir().unwrap();
    let open = Server::start(Way::Plain, None, &[]);
    let app = TestApp::with(by(&open, Way::Starttls)).await;
    write(&app, Kind::Reset).await;
    round(&app).await;
    assert_eq!((only(&app).state, open.given().len()), (State::Waiting, 0));

    let unknown = Server::start(Way::Tls, None, &[]);
    let app = TestApp::with(by(&unknown, Way::Tls)).await;
    write(&app, Kind::Reset).await;
    round(&app).await;
    assert_eq!((only(&app).state, unknown.given().len()), (State::Waiting, 0));
    assert!(only(&app).error.as_deref().unwrap().contains("certificate"), "{:?}", only(&app).error);

    let server = Server::start(Way::Starttls, Some(LOGIN), &[]);
    let wrong = by_login(&server, Way::Starttls, folder.path());
    let app = TestApp::with(|config| {
        wrong(config);
        config.mail.password = Some(Secret("canary".into()));
    })
    .await;
    write(&app, Kind::Reset).await;
    round(&app).await;
    let email = only(&app);
    assert_eq!((email.state, server.given().len()), (State::Waiting, 0), "a wrong password can be mended");
    let error = email.error.as_deref().unwrap();
    assert!(error.contains("wrong password") && !error.contains("canary"), "{error}");
}

#[tokio::test]
async fn a_server_that_is_away_is_tried_again_after_a_minute() {
    let port = free_port();
    let app = TestApp::with(|config| {
        by(&Server::start(Way::Plain, None, &[]), Way::Plain)(config);
        config.mail.port = Some(port);
    })
    .await;
    write(&app, Kind::Reset).await;
    let next = round(&app).await.unwrap();
    assert_eq!(next.millis(), app.clock.now().millis() + MINUTE);
    let server = Server::at(port);
    app.clock.advance(MINUTE - 1);
    round(&app).await;
    assert_eq!(server.given().len(), 0);
    app.clock.advance(1);
    round(&app).await;
    assert_eq!((server.given().len(), only(&app).attempts), (1, 2));
    // The token of the failed attempt stays valid, because that e-mail may have arrived.
    Token::parse(&token(&server.given()[0]))
        .unwrap()
        .find(&app.app.store().snapshot().unwrap(), app.clock.now())
        .unwrap();
}

#[tokio::test]
async fn a_greylisted_letter_comes_through_and_a_refused_one_is_told_to_the_admins() {
    let greylist = Answer::Addressee("451 4.7.1 greylisted, come back later");
    let unknown = Answer::Addressee("550 5.1.1 no such user");
    let server = Server::start(Way::Plain, None, &[greylist, Answer::Take, unknown]);
    let app = TestApp::with(by(&server, Way::Plain)).await;
    write(&app, Kind::Reset).await;
    round(&app).await;
    assert!(only(&app).error.as_deref().unwrap().contains("greylisted"));
    app.clock.advance(MINUTE);
    round(&app).await;
    assert_eq!((server.given().len(), only(&app).state), (1, State::Sent));

    write(&app, Kind::AlreadyMember).await;
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
async fn after_three_days_of_growing_waits_nobody_tries_any_more() {
    let later = [Answer::Addressee("451 later"); 40];
    let server = Server::start(Way::Plain, None, &later);
    let app = TestApp::with(by(&server, Way::Plain)).await;
    // An e-mail without a link, because a link would expire before.
    write(&app, Kind::AlreadyMember).await;
    let begun = app.clock.now();
    let mut waits = Vec::new();
    loop {
        let next = round(&app).await.unwrap();
        if only(&app).state != State::Waiting {
            break;
        }
        let wait = next.millis() - app.clock.now().millis();
        waits.push(wait / MINUTE);
        app.clock.advance(wait);
    }
    assert_eq!(&waits[..11], [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 720]);
    assert!(waits[11..].iter().all(|wait| *wait == 720), "{waits:?}");
    assert_eq!(only(&app).state, State::Failed);
    let hours = (app.clock.now().millis() - begun.millis()) / HOUR;
    assert!((72..84).contains(&hours), "{hours}");
}

#[tokio::test]
async fn a_letter_whose_answer_was_lost_is_sent_again_under_the_same_name() {
    let server = Server::start(Way::Plain, None, &[Answer::Vanish]);
    let app = TestApp::with(by(&server, Way::Plain)).await;
    write(&app, Kind::Reset).await;
    round(&app).await;
    assert_eq!((server.given().len(), only(&app).state), (1, State::Waiting));
    app.clock.advance(MINUTE);
    round(&app).await;
    let given = server.given();
    assert_eq!((given.len(), only(&app).state), (2, State::Sent));
    assert_eq!(given[0].headers("message-id"), given[1].headers("message-id"));
    let snapshot = app.app.store().snapshot().unwrap();
    for given in &given {
        Token::parse(&token(given)).unwrap().find(&snapshot, app.clock.now()).unwrap();
    }
    assert_ne!(token(&given[0]), token(&given[1]), "each attempt has a secret of its own");
}

#[tokio::test]
async fn who_is_killed_between_sending_and_noting_it_sends_again() {
    let server = Server::start(Way::Plain, None, &[Answer::Hold]);
    let app = TestApp::with(by(&server, Way::Plain)).await;
    write(&app, Kind::Reset).await;
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
    assert_eq!((server.given().len(), only(&app).state), (1, State::Waiting));
    app.clock.advance(MINUTE);
    round(&app).await;
    let given = server.given();
    assert_eq!((given.len(), only(&app).state), (2, State::Sent));
    assert_eq!(given[0].headers("message-id"), given[1].headers("message-id"));
}

#[tokio::test]
async fn a_letter_that_nobody_needs_any_more_is_dropped() {
    let server = Server::start(Way::Plain, None, &[]);
    let app = TestApp::with(by(&server, Way::Plain)).await;
    write(&app, Kind::Reset).await;
    app.clock.advance(HOUR);
    round(&app).await;
    assert_eq!(only(&app).state, State::Dropped, "its link is over");

    let gone = write(&app, Kind::AlreadyMember).await;
    let work = move |tx: &TenantWrite<'_>| tx.remove::<MemberRecord>(gone, None);
    app.app.store().write(app.acme.id, Actor::System, work).await.unwrap();
    round(&app).await;
    assert_eq!((states(&app), server.given().len()), (vec![State::Dropped; 2], 0));
}

#[tokio::test]
async fn no_address_is_buried_in_letters_by_however_many_companies() {
    let server = Server::start(Way::Plain, None, &[]);
    let app = TestApp::with(by(&server, Way::Plain)).await;
    for tenant in [app.acme.id, app.other.id] {
        for _ in 0..PER_HOUR {
            let email = Email::new(Kind::AlreadyMember, "victim@far.example", "", Locale::ES);
            let work = move |tx: &TenantWrite<'_>| queue(tx, email);
            assert!(app.app.store().write(tenant, Actor::System, work).await.unwrap().0);
        }
    }
    round(&app).await;
    assert!(server.given().len() <= PER_HOUR + super::super::mailer::CONNECTIONS, "{}", server.given().len());
    assert!(states(&app).iter().filter(|state| **state == State::Dropped).count() >= 1);
}

#[tokio::test]
async fn without_a_server_letters_are_kept_where_only_the_operator_reads_them() {
    use std::os::unix::fs::PermissionsExt as _;
    let app = TestApp::new().await;
    write(&app, Kind::Invitation { by: Some("Ada".into()), message: None }).await;
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
    app.clock.advance(31 * 24 * HOUR);
    round(&app).await;
    assert!(states(&app).is_empty() && !std::path::Path::new(&file).exists());
}

#[tokio::test]
async fn the_operator_tries_the_way() {
    let server = Server::start(Way::Plain, None, &[Answer::Take, Answer::Addressee("550 no such user")]);
    let app = TestApp::with(by(&server, Way::Plain)).await;
    let mailer = app.app.mailer();
    assert_eq!(mailer.send_test("ops@far.example", Locale::EN).await.unwrap(), None);
    assert_eq!(server.given()[0].headers("subject"), ["Test email from Atrium"]);
    let refused = mailer.send_test("ops@far.example", Locale::EN).await.unwrap_err();
    assert!(
        refused.words().unwrap().params.iter().any(|(_, value)| value == "550 no such user"),
        "{:?}",
        refused.words()
    );
    assert_eq!(mailer.send_test("nobody", Locale::EN).await.unwrap_err().fields()[0].0, "address");
}

#[tokio::test]
async fn administrators_send_themselves_a_test_email_that_the_server_must_accept() {
    let server = Server::start(Way::Plain, None, &[Answer::Take, Answer::Addressee("550 no such user")]);
    let app = TestApp::with(by(&server, Way::Plain)).await;
    let admin = app.acme(Role::Admin).await;
    let path = "/api/settings/company/mail";
    assert_eq!(admin.get(path).await.expect(200), json!({"configured": true}));
    let test = async || admin.post(&format!("{path}/test"), json!({})).await;
    assert_eq!(test().await.expect(200), json!({"email": "admin@acme.example"}));
    assert_eq!(server.given()[0].headers("subject"), ["Test email from Atrium"]);
    let refused = test().await;
    refused.refused("busy");
    let text =
        "The mail server didn’t accept the test email. Ask your server administrator to check the mail settings.";
    assert_eq!(refused.body["error"]["message"], text);
    for _ in 0..3 {
        test().await.expect(200);
    }
    test().await.refused("slow_down");
    assert_eq!(server.given().len(), 4, "nothing was sent beyond the limit");
    assert!(app.audit(app.acme.id).await.contains(&"company.mail_tested".to_owned()));
    app.clock.advance(HOUR);
    app.acme(Role::Admin).await.post(&format!("{path}/test"), json!({})).await.expect(200);
    app.acme(Role::Member).await.get(path).await.refused("forbidden");
}

#[tokio::test]
async fn without_a_server_a_test_email_is_refused() {
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
async fn the_loop_sends_what_is_queued_as_soon_as_the_server_can_be_reached() {
    let server = Server::start(Way::Plain, None, &[]);
    let app = TestApp::with(by(&server, Way::Plain)).await;
    write(&app, Kind::AlreadyMember).await;
    app.app.mailer().reachable_at("http://127.0.0.1:1".parse().unwrap());
    let server = tokio::task::spawn_blocking(move || {
        server.wait();
        server
    })
    .await
    .unwrap();
    // An e-mail queued later, without a change in the ledger.
    write(&app, Kind::Reset).await;
    let server = tokio::task::spawn_blocking(move || {
        server.wait();
        server
    })
    .await
    .unwrap();
    assert!(server.given().iter().any(|given| given.data.contains("https://atrium.example/reset-password")));
    app.app.close().await;
}
