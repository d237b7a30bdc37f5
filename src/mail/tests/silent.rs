//! Mail servers that accept a connection and then stop responding (F-O4).

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{TcpListener, TcpStream},
    sync::{Arc, mpsc},
    thread,
    time::Duration,
};

use serde_json::json;
use tokio::sync::{Semaphore, watch};

use super::{
    super::{
        mailer::MAX_CONNECTIONS,
        smtp::{CONTENT_TIMEOUT, Cause, Client, Timer},
    },
    smtp::Answer,
    *,
};
use crate::config::Mail;

/// A server that responds correctly until it receives `verb`; then it is silent and waits for the client to disconnect.
struct SilentServer {
    port: u16,
    /// True once it is silent.
    is_silent: watch::Receiver<bool>,
    given_up: mpsc::Receiver<()>,
}

impl SilentServer {
    fn start(verb: &'static str) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let (silent, is_silent) = watch::channel(false);
        let (tell, given_up) = mpsc::channel();
        thread::spawn(move || {
            let (stream, _) = listener.accept().unwrap();
            drop(converse(&stream, verb));
            silent.send_replace(true);
            // Wait until the client closes the connection.
            drop((&stream).read_to_end(&mut Vec::new()));
            tell.send(()).unwrap_or_default();
        });
        Self { port, is_silent, given_up }
    }

    /// Returns a timer that fires as soon as the server is silent.
    fn timer(&self) -> Timer {
        let is_silent = self.is_silent.clone();
        Arc::new(move |_| {
            let mut is_silent = is_silent.clone();
            Box::pin(async move { drop(is_silent.wait_for(|is_silent| *is_silent).await) })
        })
    }
}

/// Responds until the verb arrives.
fn converse(stream: &TcpStream, last: &str) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream);
    let mut writer = stream;
    if last == "connect" {
        return Ok(());
    }
    writer.write_all(b"220 ready\r\n")?;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let verb = line.trim_end().split([' ', ':']).next().unwrap_or_default().to_owned();
        if verb == last {
            return Ok(());
        }
        let answer = match verb.as_str() {
            "EHLO" => "250-silent\r\n250-STARTTLS\r\n250 AUTH PLAIN\r\n",
            "AUTH" => "235 welcome\r\n",
            "RCPT" if last == "QUIT after a refusal" => "550 no such user\r\n",
            "DATA" => "354 go on\r\n",
            _ => "220 ok\r\n",
        };
        writer.write_all(answer.as_bytes())?;
        if verb == "STARTTLS" && last == "handshake" {
            return Ok(());
        }
        while verb == "DATA" && line.trim_end() != "." {
            line.clear();
            reader.read_line(&mut line)?;
        }
        if verb == "DATA" {
            if last == "content" {
                return Ok(());
            }
            writer.write_all(b"250 taken\r\n")?;
        }
    }
}

#[tokio::test]
async fn gives_up_a_server_that_goes_silent_at_any_step() {
    let steps = ["connect", "EHLO", "AUTH", "MAIL", "RCPT", "DATA", "content", "STARTTLS", "handshake", "QUIT"];
    for step in steps.into_iter().chain(["QUIT after a refusal"]) {
        let server = SilentServer::start(step);
        let mut mail = Mail { port: Some(server.port), security: MailSecurity::None, ..Mail::default() };
        if ["STARTTLS", "handshake"].contains(&step) {
            mail.security = MailSecurity::Starttls;
        }
        mail.user = Some(LOGIN.0.into());
        mail.password = Some(Secret(LOGIN.1.into()));
        let client = Client::open("127.0.0.1", &mail).unwrap().with_timer(server.timer());
        let sent = client.send("a@acme.example", &["b@far.example"], b"Subject: x\r\n\r\ny\r\n").await;
        match step {
            // The server had accepted or refused the mail for good: later failures change nothing.
            "QUIT" => sent.unwrap(),
            "QUIT after a refusal" => assert!(sent.unwrap_err().is_final()),
            _ => {
                let failure = sent.unwrap_err();
                assert!(matches!(failure.cause, Cause::Timeout) && !failure.is_final(), "{step}: {failure}");
            }
        }
        client.close_idle().await;
        tokio::task::spawn_blocking(move || server.given_up.recv().unwrap()).await.unwrap();
    }
}

/// Waits until the server has received `count` e-mails.
async fn wait_for_emails(server: Server, count: usize) -> Server {
    let waited = tokio::task::spawn_blocking(move || {
        (0..count).for_each(|_| server.wait());
        server
    });
    waited.await.unwrap()
}

#[tokio::test]
async fn gives_up_unanswered_emails_and_sends_the_others() {
    let server = Server::start(Encryption::Plain, None, &[Answer::Stall; MAX_CONNECTIONS]);
    let app = TestApp::with(config_for(&server, Encryption::Plain)).await;
    for _ in 0..MAX_CONNECTIONS {
        queue_email(&app, Kind::Reset).await;
    }
    for _ in 0..2 {
        queue_email(&app, Kind::AlreadyMember).await;
    }
    // Only the response to a mail's content ever times out here, once for each silent connection.
    let late = Arc::new(Semaphore::new(0));
    let permits = late.clone();
    app.app.mailer().with_timer(Arc::new(move |limit| {
        let late = permits.clone();
        Box::pin(async move {
            if limit == CONTENT_TIMEOUT {
                late.acquire().await.unwrap().forget();
            } else {
                std::future::pending::<()>().await;
            }
        })
    }));
    let release = async {
        let server = wait_for_emails(server, MAX_CONNECTIONS).await;
        late.add_permits(MAX_CONNECTIONS);
        server
    };
    let (round, server) = tokio::join!(app.app.mailer().round(), release);
    round.unwrap();
    let mut states = states(&app);
    states.sort_by_key(|state| state.word());
    assert_eq!(states, [vec![State::Sent; 2], vec![State::Waiting; MAX_CONNECTIONS]].concat());
    assert_eq!(server.received().len(), MAX_CONNECTIONS + 2);
}

#[tokio::test]
async fn unanswered_emails_hold_only_their_own_slots() {
    let server = Server::start(Encryption::Plain, None, &[Answer::Stall; MAX_CONNECTIONS - 1]);
    let app = TestApp::with(config_for(&server, Encryption::Plain)).await;
    app.app.mailer().with_timer(Arc::new(|_| Box::pin(std::future::pending())));
    for _ in 1..MAX_CONNECTIONS {
        queue_email(&app, Kind::Reset).await;
    }
    app.app.mailer().reachable_at("http://127.0.0.1:1".parse().unwrap());
    let server = wait_for_emails(server, MAX_CONNECTIONS - 1).await;
    queue_email(&app, Kind::AlreadyMember).await;
    let server = wait_for_emails(server, 1).await;
    assert!(
        server.received().last().unwrap().headers("subject")[0].contains("account"),
        "{:?}",
        server.received().last()
    );
    app.app.close().await;
}

#[tokio::test]
async fn test_email_to_a_silent_server_reports_the_mail_server() {
    let server = Server::start(Encryption::Plain, None, &[Answer::Stall]);
    let app = TestApp::with(|config| {
        config_for(&server, Encryption::Plain)(config);
        config.limits.request_timeout = Duration::from_secs(3);
    })
    .await;
    let answer = app.acme(Role::Admin).await.post("/api/settings/company/mail/test", json!({})).await;
    answer.refused("busy");
    let text =
        "The mail server didn’t accept the test email. Ask your server administrator to check the mail settings.";
    assert_eq!(answer.body["error"]["message"], text);
}
