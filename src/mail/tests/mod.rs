//! Delivery of e-mails, tested against a mail server that speaks real SMTP.

mod hosts;
mod rendering;
mod sending;
mod silent;
pub(crate) mod smtp;

use self::smtp::{Encryption, ReceivedEmail, Server, unbase64};
use super::{Email, Kind, State, queue};
use crate::{
    access::links::{self, Purpose},
    config::{Config, MailSecurity, Secret},
    features::team::rules,
    kernel::{MemberId, i18n::Locale},
    people::permission::Role,
    store::{Actor, Stored, TenantWrite},
    testing::TestApp,
};

const LOGIN: (&str, &str) = ("atrium", "a password that is long");

/// Returns the configuration for a server.
fn config_for(server: &Server, encryption: Encryption) -> impl FnOnce(&mut Config) + use<> {
    let port = server.port;
    move |config| {
        config.public_url = "https://atrium.example".parse().ok();
        config.mail.host = Some("localhost".into());
        config.mail.port = Some(port);
        config.mail.from = Some("atrium@acme.example".into());
        config.mail.security = match encryption {
            Encryption::Plain => MailSecurity::None,
            Encryption::Starttls => MailSecurity::Starttls,
            Encryption::Tls => MailSecurity::Tls,
        };
    }
}

/// Returns the same with the server's certificate and password.
fn config_with_login(
    server: &Server,
    encryption: Encryption,
    folder: &std::path::Path,
) -> impl FnOnce(&mut Config) + use<> {
    let plain = config_for(server, encryption);
    let file = folder.join("ca.pem");
    std::fs::write(&file, smtp::CERTIFICATE).unwrap();
    move |config| {
        plain(config);
        config.mail.ca_file = Some(file);
        config.mail.user = Some(LOGIN.0.into());
        config.mail.password = Some(Secret(LOGIN.1.into()));
    }
}

/// Queues an e-mail for a member of `acme`.
async fn queue_email(app: &TestApp, kind: Kind) -> MemberId {
    // Without a sign-in, which may queue e-mails itself.
    let members = rules::all(&app.app.store().snapshot().unwrap().tenant(app.acme.id, None)).unwrap();
    let member: MemberId = members.iter().find(|member| member.role == Role::Member).unwrap().id;
    let purpose = match &kind {
        Kind::Reset => Some(Purpose::Reset),
        Kind::Invitation { .. } => Some(Purpose::Invite),
        Kind::Confirm => Some(Purpose::Confirm),
        _ => None,
    };
    let work = move |tx: &TenantWrite<'_>| {
        let mut email = Email::new(kind, "member@acme.example", "Ben Ñandú", Locale::EN).for_member(member);
        if let Some(purpose) = purpose {
            email = email.with_link(*links::create(tx, purpose, member, None)?.as_bytes());
        }
        queue(tx, email).map(|queued| assert!(queued))
    };
    app.app.store().write(app.acme.id, Actor::System, work).await.unwrap();
    member
}

/// Returns the only e-mail.
fn only_email(app: &TestApp) -> Stored<Email> {
    let mut listed = app.app.mailer().list().unwrap();
    assert_eq!(listed.len(), 1);
    listed.remove(0).email
}

fn states(app: &TestApp) -> Vec<State> {
    app.app.mailer().list().unwrap().into_iter().map(|listed| listed.email.value.state).collect()
}

/// Returns the text and the HTML of an e-mail, decoded.
fn bodies(data: &str) -> (String, String) {
    let boundary = data.split("boundary=\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap();
    let line = format!("--{boundary}");
    let mut parts = data.split(&line).skip(1).take(2).map(|part| {
        let (head, body) = part.trim_start().split_once("\r\n\r\n").unwrap();
        let bytes = match head.to_ascii_lowercase() {
            head if head.contains("base64") => unbase64(body),
            head if head.contains("quoted-printable") => unquote(body),
            _ => body.as_bytes().to_vec(),
        };
        String::from_utf8(bytes).unwrap().replace("\r\n", "\n")
    });
    (parts.next().unwrap(), parts.next().unwrap())
}

/// Decodes quoted-printable text (RFC 2045 §6.7).
fn unquote(text: &str) -> Vec<u8> {
    let joined = text.replace("=\r\n", "");
    let mut bytes = Vec::new();
    let mut rest = joined.as_bytes();
    while let Some((byte, after)) = rest.split_first() {
        rest = after;
        match (byte, after.get(..2).and_then(|digits| std::str::from_utf8(digits).ok())) {
            (b'=', Some(digits)) => {
                bytes.push(u8::from_str_radix(digits, 16).unwrap());
                rest = &after[2..];
            }
            _ => bytes.push(*byte),
        }
    }
    bytes
}

/// Returns the token of the only link that has one.
fn token(received: &ReceivedEmail) -> String {
    let (text, html) = bodies(&received.data);
    let of = |text: &str| {
        let (_, rest) = text.split_once("https://atrium.example/reset-password#")?;
        Some(rest.chars().take_while(char::is_ascii_hexdigit).collect::<String>())
    };
    assert_eq!(of(&text), of(&html));
    of(&text).unwrap()
}
