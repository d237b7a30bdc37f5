//! Tests of alerts: when they are sent, and each channel with a real receiver.

use std::{
    collections::VecDeque,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{TcpListener, TcpStream},
    thread,
};

use aws_lc_rs::hmac;
use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::Value;

use super::{register::Change, *};
use crate::{
    config::Config,
    mail::tests::smtp::{Encryption, Server},
    store::tests::sim::Sim,
    testing::{NOW, TestApp, machine::free_address::FreeAddress},
};

const SECRET: &str = "a secret that is long";

/// A request that the webhook received.
#[derive(Clone, Debug)]
struct Received {
    head: String,
    body: String,
}

impl Received {
    fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    }

    fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }
}

/// A web server on this machine that answers with the given statuses, then 204.
struct Hook {
    url: String,
    received: Arc<Mutex<Vec<Received>>>,
}

impl Hook {
    fn start(statuses: &[u16]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/hook", listener.local_addr().unwrap());
        let received: Arc<Mutex<Vec<Received>>> = Arc::default();
        let mut statuses: VecDeque<u16> = statuses.iter().copied().collect();
        let kept = Arc::clone(&received);
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let request = receive(&client);
                let status = statuses.pop_front().unwrap_or(204);
                kept.lock().push(request);
                let answer = format!("HTTP/1.1 {status} X\r\nconnection: close\r\ncontent-length: 0\r\n\r\n");
                (&client).write_all(answer.as_bytes()).unwrap();
            }
        });
        Self { url, received }
    }

    /// Returns event and status of each received message about a check.
    fn about(&self, check: &str) -> Vec<(String, String)> {
        let received = self.received.lock().clone();
        let messages = received.iter().map(Received::json).filter(|message| message["check"] == check);
        let field = |message: &Value, name: &str| message[name].as_str().unwrap().to_owned();
        messages.map(|message| (field(&message, "event"), field(&message, "status"))).collect()
    }
}

fn receive(client: &TcpStream) -> Received {
    let mut reader = BufReader::new(client);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        assert!(reader.read_line(&mut head).unwrap() > 0);
    }
    let head = head.to_ascii_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap().parse().unwrap();
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    Received { head, body: String::from_utf8(body).unwrap() }
}

fn with_mail(config: &mut Config, port: u16) {
    config.public_url = "https://atrium.example".parse().ok();
    config.mail.host = Some("localhost".into());
    config.mail.port = Some(port);
    config.mail.from = Some("atrium@acme.example".into());
    config.mail.security = config::MailSecurity::None;
    config.alerts.mail = vec!["ops@acme.example".into()];
}

/// Sets a program that adds a line with event, check and status to a file.
fn with_program(config: &mut Config, file: &Path) {
    let script = r#"cat > /dev/null; echo "$ALERT_EVENT $ALERT_CHECK $ALERT_STATUS" >> "$1""#;
    config.alerts.command = ["/bin/sh", "-c", script, "sh", &file.display().to_string()].map(str::to_owned).into();
}

/// Returns the lines of that file about a check.
fn lines(file: &Path, check: &str) -> Vec<String> {
    let text = fs::read_to_string(file).unwrap_or_default();
    let about = |line: &&str| line.split(' ').nth(1) == Some(check);
    text.lines().filter(about).map(|line| line.replace(&format!(" {check} "), " ")).collect()
}

async fn rounds(app: &TestApp, count: u32) {
    for _ in 0..count {
        app.clock.advance(30_000);
        app.app.alerts().round().await.unwrap();
    }
}

#[tokio::test]
async fn a_failing_store_is_reported_once_by_each_channel_again_after_a_day_and_when_it_is_over_across_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("alerts");
    let secret = folder.path().join("secret");
    fs::write(&secret, SECRET).unwrap();
    let mail = Server::start(Encryption::Plain, None, &[]);
    let hook = Hook::start(&[]);
    let disk = Arc::new(Sim::default());
    let app = TestApp::on_with(disk.clone(), |config| {
        with_mail(config, mail.port);
        with_program(config, &file);
        config.alerts.webhook = hook.url.parse().ok();
        config.alerts.webhook_secret_file = Some(secret);
    })
    .await;
    let mails = || {
        let subjects = mail.received().into_iter().map(|received| received.headers("subject").concat());
        subjects.filter(|subject| subject.contains(": store (")).collect::<Vec<_>>()
    };
    let words = |events: &[(&str, &str)]| {
        events.iter().map(|(event, status)| ((*event).to_owned(), (*status).to_owned())).collect::<Vec<_>>()
    };
    let sent = |events: &[(&str, &str)]| {
        assert_eq!(hook.about("store"), words(events));
        let expected = events.iter().map(|(event, status)| format!("{event} {status}")).collect::<Vec<_>>();
        assert_eq!(lines(&file, "store"), expected);
    };
    let plenty = disk.state().free;

    rounds(&app, 3).await;
    disk.state().free = Some(100 << 20);
    rounds(&app, 1).await;
    disk.state().free = plenty;
    rounds(&app, 5).await;
    sent(&[]);

    disk.state().free = Some(100 << 20);
    rounds(&app, 2).await;
    sent(&[("began", "failing")]);
    assert_eq!(mails(), ["[Atrium] failing: store (https://atrium.example)"]);
    rounds(&app, 5).await;
    sent(&[("began", "failing")]);

    let (app, disk) = app.crash(&disk).await;
    disk.state().free = Some(100 << 20);
    rounds(&app, 5).await;
    sent(&[("began", "failing")]);
    app.clock.advance(24 * 3_600_000);
    rounds(&app, 2).await;
    sent(&[("began", "failing"), ("stands", "failing")]);

    disk.state().free = plenty;
    rounds(&app, 3).await;
    assert_eq!(mails().len(), 2, "it is not over yet");
    rounds(&app, 4).await;
    let events = [("began", "failing"), ("stands", "failing"), ("over", "ok")];
    sent(&events);
    assert_eq!(mails().last().unwrap(), "[Atrium] over: store (https://atrium.example)");
    assert!(!app.app.alerts().standing().alerts.contains_key("store"));
    let recorded = read(app.app.home().path()).unwrap().0;
    assert!(!recorded.alerts.contains_key("store"), "{recorded:?}");

    let received = hook.received.lock().clone();
    for request in received {
        let message = request.json();
        let id = message["id"].as_str().unwrap();
        assert_eq!(request.header("webhook-id"), Some(id));
        let signed = format!("{id}.{}.{}", request.header("webhook-timestamp").unwrap(), request.body);
        let tag = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, SECRET.as_bytes()), signed.as_bytes());
        let signature = format!("v1,{}", STANDARD.encode(tag)).to_ascii_lowercase();
        assert_eq!(request.header("webhook-signature"), Some(signature.as_str()));
        assert_eq!(
            (&message["server"], &message["version"]),
            (&"https://atrium.example".into(), &env!("CARGO_PKG_VERSION").into())
        );
    }
    let first = mail.received().into_iter().find(|received| received.data.contains("failing: store")).unwrap();
    assert_eq!(
        (first.to.as_str(), first.headers("auto-submitted")),
        ("RCPT TO:<ops@acme.example>", vec!["auto-generated".into()])
    );
    // Long lines are folded (RFC 2045 §6.7).
    let body = first.data.replace("=\r\n", "");
    assert!(body.contains("only sessions are saved") && body.contains("Status:   failing"), "{body}");
}

#[tokio::test]
async fn a_channel_that_fails_is_tried_again_and_sends_the_end_of_what_it_missed() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("alerts");
    let free = FreeAddress::reserve();
    let port = free.port();
    let hook = Hook::start(&[500, 302]);
    let app = TestApp::with(|config| {
        with_mail(config, port);
        with_program(config, &file);
        config.alerts.webhook = hook.url.parse().ok();
    })
    .await;
    app.clock.advance(-3_600_000);
    rounds(&app, 2).await;
    assert_eq!(lines(&file, "clock"), ["began failing"]);
    let channels = app.app.alerts().standing().channels;
    let failure = |name: &str| channels.iter().find(|state| state.channel == name).unwrap().failure.clone();
    assert_eq!(failure("command"), None);
    assert_eq!(failure("webhook").unwrap(), "the response has the status 500");
    assert!(failure("mail:ops@acme.example").unwrap().contains("connecting"), "{channels:?}");

    rounds(&app, 1).await;
    assert_eq!(app.app.alerts().standing().channels[2].failure.as_deref(), Some("the response has the status 302"));
    rounds(&app, 1).await;
    assert_eq!(hook.about("clock").len(), 2, "the pause grows");
    rounds(&app, 1).await;
    assert_eq!(hook.about("clock").len(), 3);
    let ids: Vec<Value> = hook.received.lock().iter().map(|request| request.json()["id"].clone()).collect();
    assert!(ids.iter().all(|id| *id == ids[0]), "the same message: {ids:?}");

    app.clock.advance(7_200_000);
    rounds(&app, 4).await;
    assert_eq!(lines(&file, "clock"), ["began failing", "over ok"]);
    let mail = Server::start_at(port);
    app.clock.advance(3_600_000);
    rounds(&app, 1).await;
    // The disk of the machine may be low, too.
    let received: Vec<_> = mail.received().into_iter().filter(|email| email.data.contains("clock")).collect();
    assert_eq!(received.len(), 1, "{received:?}");
    assert_eq!(received[0].headers("subject"), ["[Atrium] over: clock (https://atrium.example)"]);
    let body = received[0].data.replace("=\r\n", "");
    assert!(body.contains("It was: The clock is") && body.contains("behind the newest change"), "{body}");
    assert!(!app.app.alerts().standing().alerts.contains_key("clock"));
}

#[tokio::test]
async fn what_a_channel_sent_is_recorded_while_another_still_sends() {
    let folder = tempfile::tempdir().unwrap();
    let go = folder.path().join("go");
    let mail = Server::start(Encryption::Plain, None, &[]);
    let disk = Arc::new(Sim::default());
    let app = TestApp::on_with(disk.clone(), |config| {
        with_mail(config, mail.port);
        // The application's own job would record what was sent, too.
        config.alerts.mail.clear();
    })
    .await;
    let script = r#"while [ ! -e "$1" ]; do sleep 0.05; done"#;
    let settings = config::Alerts {
        mail: vec!["ops@acme.example".into()],
        command: ["/bin/sh", "-c", script, "sh", &go.display().to_string()].map(str::to_owned).into(),
        ..app.app.config().alerts.clone()
    };
    let open = || Alerts::open(app.app.monitor().clone(), app.app.mailer().clone(), &settings, folder.path());
    let mails = || mail.received().iter().filter(|email| email.data.contains("failing: store")).count();
    let recorded = async {
        let sent = || read(folder.path()).unwrap().0.alerts.get("store")?.sent.get("mail:ops@acme.example").copied()?;
        while sent().is_none() {
            sleep(Duration::from_millis(10)).await;
        }
    };
    disk.state().free = Some(100 << 20);
    let alerts = open();
    alerts.round().await.unwrap();
    app.clock.advance(30_000);
    tokio::select! {
        _ = alerts.round() => panic!("nothing was recorded until the program had ended"),
        () = recorded => {}
    }
    assert_eq!(mails(), 1);

    let restarted = open();
    fs::write(&go, "").unwrap();
    for _ in 0..3 {
        app.clock.advance(30_000);
        restarted.round().await.unwrap();
    }
    assert_eq!(mails(), 1, "it was sent before the restart");
    let store = restarted.standing().alerts["store"].clone();
    assert!(store.sent.values().all(Option::is_some), "the program was run again: {store:?}");
}

#[tokio::test]
async fn a_test_says_for_each_channel_whether_it_works() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("alerts");
    let mail = Server::start(Encryption::Plain, None, &[]);
    let hook = Hook::start(&[403]);
    let app = TestApp::with(|config| {
        with_mail(config, mail.port);
        with_program(config, &file);
        config.alerts.webhook = hook.url.parse().ok();
    })
    .await;
    let states = app.app.alerts().test().await;
    let worked: Vec<(&str, bool)> =
        states.iter().map(|state| (state.channel.as_str(), state.failure.is_none())).collect();
    assert_eq!(worked, [("mail:ops@acme.example", true), ("command", true), ("webhook", false)], "{states:?}");
    assert_eq!(lines(&file, "test"), ["test ok"]);
    assert_eq!(mail.received().len(), 1);
    assert!(app.app.alerts().standing().alerts.is_empty());
}

fn message() -> Message {
    Message::new(Facts {
        id: "a-1".into(),
        event: Event::Began,
        check: "backup",
        status: CheckStatus::Failing,
        sentence: "The last backup failed: \"no $(room)\".",
        since: Timestamp::from_millis(NOW),
        ended: None,
        server: "https://atrium.example",
    })
}

#[tokio::test]
async fn a_program_gets_the_message_without_a_shell_and_without_the_servers_variables() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("seen").display().to_string();
    let command = ["/bin/sh", "-c", r#"cat > "$1"; env >> "$1""#, "sh", &file].map(str::to_owned);
    program::run(&command, &message()).await.unwrap();
    let seen = fs::read_to_string(&file).unwrap();
    let (json, variables) = seen.split_once('}').unwrap();
    let json: Value = serde_json::from_str(&format!("{json}}}")).unwrap();
    assert_eq!((&json["check"], &json["event"], &json["ended"]), (&"backup".into(), &"began".into(), &Value::Null));
    assert!(variables.contains("ALERT_MESSAGE=The last backup failed: \"no $(room)\".\n"), "{variables}");
    let names: std::collections::BTreeSet<&str> =
        variables.lines().filter_map(|line| line.split_once('=')).map(|(name, _)| name).collect();
    let known = ["LC_ALL", "PATH", "PWD", "SHLVL", "_", "OLDPWD"];
    assert!(names.iter().all(|name| name.starts_with("ALERT_") || known.contains(name)), "{names:?}");
}

#[tokio::test]
async fn the_end_of_a_program_and_what_it_printed_are_reported() {
    let run = async |script: &str| {
        let command = ["/bin/sh", "-c", script].map(str::to_owned);
        program::run_within(&command, &message(), Duration::from_mins(1)).await
    };
    assert_eq!(run("exit 0").await, Ok(()));
    assert_eq!(run("exec 0<&-; head -c 1000000 /dev/zero; exit 0").await, Ok(()), "much output, no input");
    let failed = run("echo no room; exit 7").await.unwrap_err();
    assert!(failed.contains("exit status: 7") && failed.ends_with("no room"), "{failed}");
    assert!(run("head -c 100000 /dev/zero | tr '\\0' x; exit 1").await.unwrap_err().chars().count() < 700);
    assert!(program::run(&["/no/such/program".to_owned()], &message()).await.unwrap_err().contains("No such file"));
    assert_eq!(run("sleep 600 & exit 0").await, Ok(()), "what it leaves behind is not waited for");
}

#[tokio::test]
async fn a_program_that_takes_too_long_is_ended_with_what_it_started() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("group").display().to_string();
    let command = ["/bin/sh", "-c", r#"echo $$ > "$1"; sleep 600 & sleep 600"#, "sh", &file].map(str::to_owned);
    let mut limit = Duration::from_millis(500);
    // A busy machine may end the program before it has written its group.
    let group = loop {
        let failed = program::run_within(&command, &message(), limit).await.unwrap_err();
        assert!(failed.contains("did not end within"), "{failed}");
        match fs::read_to_string(&file).unwrap_or_default().trim().parse() {
            Ok(group) => break group,
            Err(_) => limit *= 2,
        }
    };
    let group = rustix::process::Pid::from_raw(group).unwrap();
    while rustix::process::test_kill_process_group(group).is_ok() {
        sleep(Duration::from_millis(10)).await;
    }
}

/// A register of one channel, and its clock.
struct Ledger {
    register: Register,
    now: Timestamp,
    channel: String,
}

impl Ledger {
    fn new() -> Self {
        Self { register: Register::default(), now: Timestamp::from_millis(NOW), channel: "command".to_owned() }
    }

    /// Takes in a status some times in a row, and returns what was sent.
    fn see(&mut self, status: CheckStatus, times: u32) -> Vec<(Event, CheckStatus)> {
        let mut sent = Vec::new();
        for _ in 0..times {
            self.now = self.now.plus_seconds(30);
            let check = Check::new("index", status, status.as_str());
            let changes: Vec<Change> = self.register.observe(&[check], self.now, std::slice::from_ref(&self.channel));
            assert!(changes.len() <= 1);
            while let Some(due) = self.register.due(&self.channel, self.now) {
                self.register.record(&self.channel, &due, self.now);
                sent.push((due.event, due.alert.status));
            }
        }
        sent
    }
}

#[test]
fn warnings_are_sent_later_than_failures_and_what_gets_worse_is_sent_at_once() {
    use CheckStatus::{Failing, Ok, Warning};
    let mut ledger = Ledger::new();
    assert_eq!(ledger.see(Warning, 9), []);
    assert_eq!(ledger.see(Ok, 1), []);
    assert_eq!(ledger.see(Warning, 9), [], "counted from the beginning");
    assert_eq!(ledger.see(Warning, 1), [(Event::Began, Warning)]);
    assert_eq!(ledger.see(Failing, 1), []);
    assert_eq!(ledger.see(Failing, 1), [(Event::Began, Failing)]);
    assert_eq!(ledger.see(Warning, 20), [], "better, but not over");
    assert_eq!(ledger.see(Failing, 5), [], "it was sent");
    assert_eq!(ledger.see(Ok, 3), []);
    assert_eq!(ledger.see(Warning, 1), []);
    assert_eq!(ledger.see(Ok, 4), [(Event::Over, Ok)]);
    assert_eq!(ledger.see(Ok, 20), []);
    assert!(ledger.register.alerts.is_empty());
    assert_eq!(ledger.see(Failing, 2), [(Event::Began, Failing)]);
    assert_eq!(ledger.see(Failing, 2 * 60 * 24), [(Event::Stands, Failing)], "once a day");
}

#[test]
fn a_check_that_does_not_know_yet_or_is_missing_ends_no_alert() {
    let mut ledger = Ledger::new();
    ledger.see(CheckStatus::Failing, 2);
    let unsettled = Check { is_unsettled: true, ..Check::new("index", CheckStatus::Ok, "ok") };
    for _ in 0..10 {
        assert_eq!(ledger.register.observe(std::slice::from_ref(&unsettled), ledger.now, &[]), []);
        assert_eq!(ledger.register.observe(&[], ledger.now, &[]), []);
    }
    assert_eq!(ledger.register.alerts["index"].ended, None);
    assert_eq!(ledger.see(CheckStatus::Ok, 1), [(Event::Over, CheckStatus::Ok)]);
}

#[test]
fn an_alert_says_the_present_sentence_also_right_after_a_restart() {
    use CheckStatus::{Failing, Ok, Warning};
    let names = ["command".to_owned()];
    let alert = Alert { status: Warning, message: "It ends in 6 days.".into(), ..Alert::default() };
    for (status, sentence, said) in [
        (Warning, "It ends in 60 seconds.", "It ends in 60 seconds."),
        (Failing, "It has ended.", "It has ended."),
        (Ok, "It ends in 90 days.", "It ends in 6 days."),
    ] {
        let mut register = Register::new([("certificate".to_owned(), alert.clone())].into(), &names);
        let now = Timestamp::from_millis(NOW);
        register.observe(&[Check::new("certificate", status, sentence)], now, &names);
        assert_eq!(register.due("command", now).unwrap().alert.message, said, "{status:?}");
    }
}

#[test]
fn new_channels_send_what_stands_and_former_ones_are_forgotten() {
    let mut ledger = Ledger::new();
    ledger.see(CheckStatus::Failing, 2);
    let names = ["webhook".to_owned()];
    let register = Register::new(ledger.register.alerts.clone(), &names);
    assert_eq!(register.due("webhook", ledger.now).unwrap().event, Event::Began);
    assert_eq!(register.due("command", ledger.now), None);
    let kept = Register::new(ledger.register.alerts.clone(), &["command".to_owned()]);
    assert_eq!(kept.due("command", ledger.now), None);
    let unended = serde_json::to_string(&ledger.register.alerts).unwrap();
    let again: BTreeMap<String, Alert> = serde_json::from_str(&unended).unwrap();
    assert_eq!(again, ledger.register.alerts);
}
